//! Linearised functions: what the value keeps for the linear programs, and how these get it back.

use super::{Function, Given};
use crate::back::emit::Context;
use crate::back::names::Names;
use crate::back::nest::Scope;
use crate::front::types::{Passing, Scalar, Written};
use crate::ir::bulk::Param;
use crate::ir::kernel::Program;
use crate::ir::linear::Use;
use crate::ir::ty::Elem;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// A parameter that comes from a residual.
#[derive(Clone, Copy, Debug)]
pub(in crate::back) struct Slot {
    /// Its number among the residuals.
    number: usize,
    /// What is there.
    by: Use,
}

impl Slot {
    /// Whether it has lengths only.
    pub(super) fn is_shape(self) -> bool {
        self.by != Use::Elements
    }
}

impl Given {
    /// What is shared by the linear programs of a linearised function, as parameters of one.
    pub(super) fn shared(
        context: &Context<'_>,
        program: &Program,
        uses: &[Use],
        names: &mut Names,
    ) -> Vec<Given> {
        let leaves = context.signature.leaves();
        let mut number = 0;
        let mut slot = |by: Use| {
            let slot = Slot { number, by };
            number += usize::from(by != Use::Nothing);
            slot
        };
        let shared = uses.iter().zip(&program.params).enumerate();
        shared
            .map(|(k, (by, param))| {
                let slot = slot(*by);
                let said = match leaves.get(k) {
                    Some((_, leaf)) => leaf.path.clone(),
                    None => param.name.clone(),
                };
                let name = leaves.get(k).map_or(&param.name, |(_, leaf)| &leaf.name);
                Given {
                    tokens: names.fresh(name).into_token_stream(),
                    written: Some(written(param)),
                    said,
                    is_part: true,
                    constant: None,
                    is_beside: false,
                    slot: Some(slot),
                }
            })
            .collect()
    }
}

/// What a residual is, as a type.
fn written(param: &Param) -> Written {
    let rank = param.ty.rank();
    Written {
        scalar: match param.ty.elem {
            Elem::Real => Scalar::Real,
            Elem::Int => Scalar::I64,
            Elem::Bool => Scalar::Bool,
        },
        rank,
        passing: match rank {
            0 => Passing::Scalar,
            _ => Passing::Owned,
        },
        fixed: vec![],
        ty: syn::parse_quote!(f64),
    }
}

impl Function<'_> {
    /// The statement that brings a residual to hand.
    pub(super) fn residual(&self, given: &Given, slot: Slot, w: &Written) -> TokenStream {
        let (ident, name) = (&given.tokens, &given.said);
        let number = Literal::usize_unsuffixed(slot.number);
        let rank = Literal::usize_unsuffixed(w.rank);
        let elem = w.scalar.elem();
        let value = match (slot.is_shape(), w.rank, elem) {
            (true, ..) => quote!(lengths::<#rank>(#number, #name)),
            (false, 0, Elem::Real) => quote!(real(#number)),
            (false, 0, Elem::Int) => quote!(integer(#number)),
            (false, 0, Elem::Bool) => quote!(bool(#number)),
            (false, _, Elem::Real) => quote!(reals::<#rank>(#number, #name)),
            (false, _, Elem::Int) => quote!(integers::<#rank>(#number, #name)),
            (false, _, Elem::Bool) => quote!(bools::<#rank>(#number, #name)),
        };
        quote!(let #ident = self.residuals.#value;)
    }

    /// The struct of what is kept. The results behind the first `values` are what the linear
    /// programs use the elements of.
    pub(super) fn linear(&self, values: usize) -> TokenStream {
        let results = &self.program().results;
        let mut taken = values;
        let mut all = quote!(rt::Residuals::new());
        for (k, by) in self.uses.iter().enumerate() {
            match by {
                Use::Nothing => {}
                Use::Lengths => {
                    let of = self.local(crate::ir::bulk::Var(k as u32)).ident;
                    all.extend(quote!(.with_lengths(#of)));
                }
                Use::Elements => {
                    let v = results[taken];
                    taken += 1;
                    let last = !results[taken..].contains(&v);
                    all.extend(self.kept(v, last));
                }
            }
        }
        self.context().linear(&all)
    }

    fn kept(&self, v: crate::ir::bulk::Var, last: bool) -> TokenStream {
        let local = self.local(v);
        let ident = &local.ident;
        let elem = match self.program().params.get(v.index()) {
            Some(p) => p.ty.elem,
            None => self.computed[&v].elem,
        };
        if local.bare {
            return match elem {
                Elem::Real => quote!(.with_real(#ident)),
                Elem::Int => quote!(.with_integer(#ident)),
                Elem::Bool => quote!(.with_bool(#ident)),
            };
        }
        let array = match last && !local.is_view {
            true => quote!(#ident),
            false => self.view(v),
        };
        match (elem, local.scalar) {
            (Elem::Real, _) => quote!(.with_reals(#array)),
            (Elem::Bool, _) => quote!(.with_bools(#array)),
            (Elem::Int, Some(s)) if s != Scalar::I64 => {
                quote!(.with_cast(#array, |i| i as i64))
            }
            (Elem::Int, _) => quote!(.with_integers(#array)),
        }
    }
}
