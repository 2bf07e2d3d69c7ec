//! Arguments that are repeated if they have one row: see `ir/repeats.rs`.
//!
//! They are brought to hand after all others, whose lengths say how often. The cotangent of one
//! that was repeated is summed over its rows again.

use super::Function;
use crate::back::data::Given;
use crate::back::emit::Context;
use crate::back::expr::Expr;
use crate::back::names::Names;
use crate::back::sizes;
use crate::back::tokens::names_in;
use crate::derivative::{Derivative, Gives, Takes};
use crate::front::types::Written;
use crate::ir::bulk::Var;
use crate::ir::repeats::Operand;
use crate::ir::ty::{Atom, Size};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The parameters that may be repeated in a generated function, and a name for the shape of each
/// as it comes. Derivatives with an axis for columns or rows take them as they come.
pub(super) fn parameters(
    context: &Context<'_>,
    what: Derivative,
    params: &[Given],
    names: &mut Names,
) -> BTreeMap<usize, Ident> {
    let gives = what.gives().iter().all(|gives| match gives {
        Gives::Value | Gives::Gradient | Gives::Tangent | Gives::Aux | Gives::Coefficients => true,
        Gives::Jacobian | Gives::Tangents | Gives::Gradients | Gives::Linear | Gives::Sparse => {
            false
        }
    });
    let takes = match what.takes() {
        Takes::Nothing | Takes::Cotangent | Takes::Each(_) => true,
        Takes::Cotangents | Takes::SeveralOfEach(_) => false,
    };
    if !gives || !takes || what.is_of_linear() {
        return BTreeMap::new();
    }
    let all: BTreeSet<usize> = context.repeats.axes.keys().map(|(k, _)| *k).collect();
    let is_array = |k: &usize| {
        let written = params.get(*k).and_then(|p| p.written.as_ref());
        written.is_some_and(Written::is_ndarray)
    };
    (all.into_iter().filter(is_array))
        .map(|k| (k, names.fresh(&format!("{}_shape", params[k].tokens))))
        .collect()
}

impl Function<'_> {
    /// The parameter that may be repeated which this one is or is the tangent of.
    fn repeated_with(&self, k: usize) -> Option<usize> {
        let own = self.context.signature.leaves().len() + self.context.consts.len();
        let of = match (k.checked_sub(own), self.what.takes()) {
            (Some(tangent), Takes::Each(_)) => *self.wrt.get(tangent)?,
            (None, _) | (Some(_), _) => k,
        };
        self.repeated.contains_key(&of).then_some(of)
    }

    /// Whether a parameter is brought to hand with those that may be repeated.
    pub(super) fn is_repeated(&self, k: usize) -> bool {
        self.repeated_with(k).is_some()
    }

    /// The name for the shape, as it came, of the parameter whose gradient a result is, if that may
    /// have been repeated.
    pub(in crate::back) fn summed_to(&self, result: usize) -> Option<&Ident> {
        if self.repeated.is_empty() {
            return None;
        }
        match self.role(result) {
            (Gives::Gradient, k) => self.repeated.get(&self.wrt[k]),
            _ => None,
        }
    }

    /// The statements that bring the parameters to hand that may be repeated, of those that are
    /// used; what these need is used, too.
    pub(super) fn repetitions(&self, used: &mut HashSet<String>) -> TokenStream {
        let own: Vec<usize> = (0..self.params.len())
            .filter(|k| self.is_repeated(*k))
            .collect();
        let active: BTreeSet<usize> = (own.iter())
            .filter(|&&k| {
                let shape = self.repeated.get(&k).map(Ident::to_string);
                used.contains(&self.params[k].tokens.to_string())
                    || shape.is_some_and(|shape| used.contains(&shape))
            })
            .filter_map(|&k| self.repeated_with(k))
            .collect();
        let repeats = &self.context.repeats;
        let mut lengths = HashMap::new();
        let mut out = TokenStream::new();
        for (k, operands) in repeats.meetings.iter().enumerate() {
            let wanted: BTreeSet<usize> = (repeats.axes.iter())
                .filter(|((p, _), at)| active.contains(p) && at.contains(&k))
                .map(|((_, axis), _)| *axis)
                .collect();
            for axis in wanted {
                let mut all: Vec<String> = vec![];
                let mut tokens: Vec<TokenStream> = vec![];
                for operand in operands {
                    let one = match operand {
                        Operand::Given(p) => self.length_on_entry(*p, axis),
                        Operand::Computed(of) => {
                            let n = of[axis].as_ref().expect("only then it is repeated");
                            self.size_on_entry(n, &lengths)
                        }
                    };
                    if !all.contains(&one.to_string()) {
                        all.push(one.to_string());
                        tokens.push(one);
                    }
                }
                let name = self.fresh(match (self.rank_of(operands), axis) {
                    (Some(2), 0) => "rows",
                    (Some(2), 1) => "cols",
                    _ => "length",
                });
                out.extend(quote!(let #name = rt::common([#(#tokens),*]);));
                lengths.insert((k, axis), name);
            }
        }
        used.extend(names_in(&out));
        for &k in &own {
            let of = self.repeated_with(k).expect("it is one of these");
            let given = &self.params[k];
            let written = given.written.as_ref().filter(|_| active.contains(&of));
            let (Some(w), shape) = (written, &self.repeated[&of]) else {
                out.extend(self.input(k, used));
                continue;
            };
            let (ident, name) = (&given.tokens, &given.said);
            let (call, before) = match k == of {
                true => {
                    let to = (0..w.rank).map(|axis| {
                        let at = repeats.axes.get(&(k, axis)).into_iter().flatten();
                        let names = at.map(|m| &lengths[&(*m, axis)]);
                        quote!(&[#(#names),*])
                    });
                    let call = quote!(rt::repeated(#name, #ident.view(), [#(#to),*]));
                    (call, Some(quote!(let #shape = #ident.raw_dim();)))
                }
                false => {
                    let primal = &self.params[of].tokens;
                    let axes = (0..w.rank).map(Literal::usize_unsuffixed);
                    let now = quote!([#(#primal.len(#axes)),*]);
                    let call = quote! {
                        rt::repeated_like(#name, #ident.view(), &#shape, #now)
                    };
                    (call, None)
                }
            };
            let input = quote! {
                #before
                let #ident = #call;
                let #ident = #ident.view();
            };
            out.extend(self.widened(given, w, &input));
        }
        out
    }

    fn rank_of(&self, operands: &[Operand]) -> Option<usize> {
        operands.iter().find_map(|o| match o {
            Operand::Given(p) => Some(self.program.params[*p].ty.rank()),
            Operand::Computed(_) => None,
        })
    }

    /// The length of a parameter, before what is repeated is at hand.
    fn length_on_entry(&self, param: usize, axis: usize) -> TokenStream {
        let ident = &self.local(Var(param as u32)).ident;
        let axis = Literal::usize_unsuffixed(axis);
        match self.repeated.contains_key(&param) {
            true => quote!(#ident.shape()[#axis] as i64),
            false => quote!(#ident.len(#axis)),
        }
    }

    fn size_on_entry(&self, n: &Size, lengths: &HashMap<(usize, usize), Ident>) -> TokenStream {
        let leaf = |a: &Atom| match a {
            Atom::Dim { param, axis } => {
                let meetings = self.context.repeats.axes.get(&(*param, *axis));
                let repeated = meetings.and_then(|at| lengths.get(&(at[0], *axis)));
                Expr::atom(match repeated {
                    Some(name) => quote!(#name),
                    None => self.length_on_entry(*param, *axis),
                })
            }
            Atom::Int { .. }
            | Atom::Value(_)
            | Atom::Quot(..)
            | Atom::Rem(..)
            | Atom::Min(..)
            | Atom::Max(..)
            | Atom::Select(..) => self.leaf(a),
        };
        sizes::expression(n, &leaf).tokens
    }
}
