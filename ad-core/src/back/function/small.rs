//! Arrays on the stack: those of at most [`ELEMENTS_ON_STACK`] elements whose lengths the types
//! state.
//!
//! Earlier passes treat them like all arrays. Results of the runtime's own kernels (large
//! contractions, recurrences, units) are on the heap, and copied where they become states of a
//! loop. Loops over arrays on the stack have literal extents, so that LLVM unrolls them.

use super::{Function, Local};
use crate::back::real;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Step, Work};
use crate::thresholds::ELEMENTS_ON_STACK;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// How many elements an array has that may be on the stack.
pub(super) fn len(ty: &Type) -> Option<usize> {
    ty.elements_up_to(ELEMENTS_ON_STACK)
}

/// The same for what a step makes, if the runtime does not put it on the heap.
pub(super) fn elements(step: &Step) -> Option<usize> {
    match &step.work {
        Work::Nest(nest) if nest.outer == 0 => None,
        Work::Nest(_) | Work::Scatter(_) => len(&step.ty),
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => None,
    }
}

/// The function of the runtime that makes such an array of its elements.
pub(super) fn builder(len: usize) -> TokenStream {
    let len = Literal::usize_unsuffixed(len);
    quote!(build_small::<#len, _, _>)
}

impl Function<'_> {
    /// The type of an owned array.
    pub(super) fn owned(&self, ty: &Type, small: Option<usize>) -> TokenStream {
        let (elem, rank) = (self.scalar(ty.elem), Literal::usize_unsuffixed(ty.rank()));
        match small.map(Literal::usize_unsuffixed) {
            Some(len) => quote!(rt::Small<#elem, #rank, #len>),
            None => quote!(rt::Dense<#elem, #rank>),
        }
    }

    /// The same after a name, if the array is on the stack: how many elements there are says only
    /// the type.
    pub(super) fn annotation(&self, ty: &Type, small: Option<usize>) -> Option<TokenStream> {
        let owned = self.owned(ty, Some(small?));
        Some(quote!(: #owned))
    }

    /// The type of a variable.
    pub(super) fn ty(&self, v: Var) -> &Type {
        match self.program.params.get(v.index()) {
            Some(p) => &p.ty,
            None => self.computed[&v],
        }
    }

    /// An array that is filled later.
    pub(super) fn blank(&self, ident: &Ident, ty: &Type) -> TokenStream {
        let Some(of) = self.annotation(ty, len(ty)) else {
            return self.stack(ident, ty);
        };
        let shape = self.shape_tokens(ty);
        quote!(let mut #ident #of = rt::blank_small([#(#shape),*]);)
    }

    /// Zeros; `called` is what panics call the array.
    pub(super) fn zeros(
        &self,
        called: Option<&str>,
        small: Option<usize>,
        shape: &[TokenStream],
    ) -> TokenStream {
        let real = &self.context.signature.real;
        if small.is_none() {
            return real::zeros(real, called, shape);
        }
        match called {
            None => quote!(rt::zeros_small([#(#shape),*])),
            Some(called) => quote!(rt::zeros_small_called(#called, [#(#shape),*])),
        }
    }

    /// A copy of what is at hand as a view, on the stack or not.
    pub(super) fn copied(view: &TokenStream, small: Option<usize>) -> TokenStream {
        match small.map(Literal::usize_unsuffixed) {
            Some(len) => quote!(rt::copied_small::<#len, _, _>(#view)),
            None => quote!(rt::copied(#view)),
        }
    }

    /// An owned array that is not needed any more, on the stack or not.
    pub(super) fn moved(local: &Local, small: Option<usize>) -> TokenStream {
        let ident = &local.ident;
        match local.small == small {
            true => quote!(#ident),
            false => Self::copied(&quote!(#ident.view()), small),
        }
    }
}
