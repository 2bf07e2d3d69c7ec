//! Sparse matrices, made of blocks of entries.

use super::Function;
use crate::back::emit::tuple;
use crate::back::nest::Scope;
use crate::ir::bulk::Var;
use crate::ir::entries::Component;
use crate::ir::ty::Size;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

impl Function<'_> {
    /// The statement that makes the matrix of each differentiated argument, and what it is called.
    /// The results of the program behind the first `values` are what its blocks are made of.
    pub(super) fn sparse(&self, values: usize) -> (TokenStream, Ident) {
        let program = self.program();
        let signature = self.context().signature;
        let leaves = signature.result.tree.leaves();
        let outputs: Vec<TokenStream> = (program.results[..values].iter().zip(leaves))
            .filter(|(_, w)| w.is_real())
            .map(|(v, _)| self.own_lengths(*v))
            .collect();
        // For each block its input, and what is written in front of and behind the number of that.
        let mut next = program.results[values..].iter().copied();
        let mut next = || next.next().expect("a result for each part of a block");
        let blocks = program.blocks.iter().map(|b| {
            let own = next();
            let output = Literal::usize_unsuffixed(b.output);
            let mut places = TokenStream::new();
            for (kind, components) in [("row", &b.row), ("column", &b.column)] {
                for c in components {
                    places.extend(self.component(kind, c, &mut next));
                }
            }
            places.extend(b.present.as_ref().map(|axes| self.present(next(), axes)));
            (b.input, own, output, places)
        });
        let blocks: Vec<_> = blocks.collect();
        let mut first = 0;
        let matrices = self.context().wrt.iter().map(|&arg| {
            let inputs = signature.real_leaves(&[arg]);
            let own = first..first + inputs.len();
            first = own.end;
            let inputs = inputs
                .iter()
                .map(|&p| self.lengths_of(&program.params[p].ty.shape));
            let blocks = blocks.iter().filter(|(input, ..)| own.contains(input));
            let blocks = blocks.map(|(input, values, output, places)| {
                let input = Literal::usize_unsuffixed(input - own.start);
                let local = self.local(*values);
                let (name, view) = (&local.ident, self.view(*values));
                match local.bare {
                    true => quote!(rt::entry(#name, #output, #input) #places),
                    false => quote!(rt::entries(#view, #output, #input) #places),
                }
            });
            let real = &signature.real;
            quote!(rt::sparse::<#real>(&[#(#outputs),*], &[#(#inputs),*], &[#(#blocks),*]))
        });
        let matrices = tuple(matrices.collect());
        // It stands behind the body, where lengths have no names.
        let lengths = self.lengths_in(&matrices);
        let name = self.fresh("entries");
        (quote!(let #name = { #lengths #matrices };), name)
    }

    /// The lengths of a result, whichever way they were computed.
    fn own_lengths(&self, v: Var) -> TokenStream {
        let view = self.view(v);
        let axes = literals(&(0..self.shape(v).len()).collect::<Vec<usize>>());
        quote!(&[#(#view.len(#axes)),*])
    }

    fn lengths_of(&self, shape: &[Size]) -> TokenStream {
        let lengths = shape.iter().map(|n| self.size(n).tokens);
        quote!(&[#(#lengths),*])
    }

    /// A component of the places of a block.
    fn component(
        &self,
        kind: &str,
        component: &Component,
        next: &mut dyn FnMut() -> Var,
    ) -> TokenStream {
        let affine = format_ident!("{kind}");
        match component {
            Component::Affine(a) => {
                let constant = self.size(&a.constant).tokens;
                let coefficients = a.coefs.iter().map(|c| self.size(c).tokens);
                quote!(.#affine(#constant, &[#(#coefficients),*]))
            }
            Component::Data(axes) => {
                let v = next();
                let (local, at) = (self.local(v), format_ident!("{kind}_at"));
                if local.bare {
                    let place = &local.ident;
                    return quote!(.#affine(#place, &[]));
                }
                let (view, axes) = (self.view(v), literals(axes));
                quote!(.#at(#view, &[#(#axes),*]))
            }
        }
    }

    /// Where a block has entries.
    fn present(&self, v: Var, axes: &[usize]) -> TokenStream {
        let local = self.local(v);
        if local.bare {
            let holds = &local.ident;
            return quote!(.only_if(#holds));
        }
        let (view, axes) = (self.view(v), literals(axes));
        quote!(.only(#view, &[#(#axes),*]))
    }
}

fn literals(axes: &[usize]) -> Vec<Literal> {
    axes.iter().map(|k| Literal::usize_unsuffixed(*k)).collect()
}
