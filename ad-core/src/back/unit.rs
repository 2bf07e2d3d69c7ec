//! The functions of a unit: what a function looks like to generated code that calls it as one.
//!
//! They take the parts of the arguments one by one, arrays as views, and give a tuple of parts:
//!
//! ```text
//! call_value(parts of x)                       -> (parts of y)
//! call_jvp(parts of x, tangents of its reals)  -> (parts of y, their tangents)
//! call_vjp(parts of x, cotangents of y)        -> (parts of y, cotangents of the reals of x)
//! ```
//!
//! A function that calls itself has two more, which are called with a tape:
//!
//! ```text
//! call_forward(parts of x, tape)               -> (parts of y, a place on the tape)
//! call_reverse(parts of x, place, cotangents of y, accumulators, tape) -> (accumulators)
//! ```
//!
//! In between, arguments and results have the types of the function's signature.

use super::data::Given;
use super::emit::Context;
use super::function::Function;
use super::function::unit::{function, name};
use crate::derivative::Derivative;
use crate::front::data::{Data, Tree};
use crate::front::real::RealType;
use crate::front::signature::Signature;
use crate::front::types::{Passing, Written};
use crate::ir::bulk::{Param, Type, Var};
use crate::ir::core::Ty;
use crate::ir::kernel::Program;
use crate::ir::ty::{Elem, Size};
use crate::ir::unit::{Given as Sort, Length, Rule, Tape, Unit};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// The generics of a function without lifetimes, which views do not need.
pub(crate) fn generics(signature: &Signature) -> (TokenStream, Option<&syn::WhereClause>) {
    let types: Vec<&syn::TypeParam> = signature.generics.type_params().collect();
    let clause = signature.generics.where_clause.as_ref();
    (quote!(<#(#types),*>), clause)
}

/// The type of a part on its way in.
pub(crate) fn taken(ty: Ty, real: &RealType) -> TokenStream {
    let scalar = scalar(ty.elem, real);
    if ty.rank == 0 {
        return scalar;
    }
    let rank = Literal::usize_unsuffixed(ty.rank);
    quote!(rt::View<'_, #scalar, #rank>)
}

/// The type of a part on its way out.
pub(crate) fn given(ty: Ty, real: &RealType) -> TokenStream {
    let scalar = scalar(ty.elem, real);
    if ty.rank == 0 {
        return scalar;
    }
    let rank = Literal::usize_unsuffixed(ty.rank);
    quote!(rt::Dense<#scalar, #rank>)
}

fn scalar(elem: Elem, real: &RealType) -> TokenStream {
    match elem {
        Elem::Real => quote!(#real),
        Elem::Int => quote!(i64),
        Elem::Bool => quote!(bool),
    }
}

/// The types of all that a rule gives.
pub(crate) fn all_given(unit: &Unit, rule: Rule, real: &RealType) -> Vec<TokenStream> {
    let is_length = |out: usize| matches!(unit.given(rule, out), Sort::Length(..));
    let all = (0..unit.count(rule)).filter(|out| !is_length(*out));
    all.filter_map(|out| Some(given(unit.gives(rule, out)?, real)))
        .collect()
}

impl Context<'_> {
    /// One function of the unit that the function is. `called` is what computes it, by the
    /// signature that generated functions have.
    pub(crate) fn unit_function(
        &self,
        unit: &Unit,
        rule: Rule,
        called: &TokenStream,
    ) -> TokenStream {
        let signature = self.signature;
        let takes = unit.takes(rule);
        let program = Program {
            name: String::new(),
            params: takes
                .iter()
                .enumerate()
                .map(|(k, ty)| param(k, *ty))
                .collect(),
            steps: vec![],
            results: vec![],
            requires: vec![],
            blocks: vec![],
        };
        let what = Derivative::Value;
        let f = Function::new(self, what, &program, &[]);
        let names: Vec<Ident> = (0..takes.len()).map(|k| format_ident!("a{k}")).collect();
        for (k, ty) in takes.iter().enumerate() {
            f.know(Var(k as u32), &names[k], ty.rank == 0);
        }
        let mut next = 0;
        let mut args: Vec<TokenStream> = vec![];
        for a in &signature.args {
            args.push(f.argument(&a.ty, &mut |_| {
                next += 1;
                Var(next as u32 - 1)
            }));
        }
        match rule {
            Rule::Value | Rule::Tape(_) => {}
            Rule::Jvp => {
                let mut own = 0;
                for a in &signature.args {
                    let first = own;
                    own += a.ty.tree.leaves().len();
                    if !a.ty.is_real() {
                        continue;
                    }
                    // What is not real is as in the argument.
                    let mut at = first;
                    args.push(f.argument(&a.ty, &mut |w| {
                        at += 1;
                        match w.is_real() {
                            true => {
                                next += 1;
                                Var(next as u32 - 1)
                            }
                            false => Var(at as u32 - 1),
                        }
                    }));
                }
            }
            Rule::Vjp => {
                let (_, data) = self.cotangent();
                args.push(f.argument(&data, &mut |_| {
                    next += 1;
                    Var(next as u32 - 1)
                }));
            }
        }
        // What comes back: the value, and what the rule adds to it.
        let result = &signature.result;
        let mut back: Vec<(Ident, Data, bool)> =
            vec![(format_ident!("value"), owned(result), false)];
        let pattern = match rule {
            Rule::Value | Rule::Tape(_) => quote!(value),
            Rule::Jvp => {
                back.push((format_ident!("tangent"), owned(result), true));
                quote!((value, tangent))
            }
            Rule::Vjp => {
                let real = signature.args.iter().filter(|a| a.ty.is_real());
                let bars: Vec<Ident> = real
                    .enumerate()
                    .map(|(k, a)| {
                        let name = format_ident!("bar{k}");
                        back.push((name.clone(), owned(&a.ty), true));
                        name
                    })
                    .collect();
                match &bars[..] {
                    [one] => quote!((value, #one)),
                    many => quote!((value, (#(#many),*))),
                }
            }
        };
        let mut apart = vec![];
        let mut parts: Vec<Given> = vec![];
        for (ident, data, only_real) in &back {
            let more = f.with_names(|names| Given::of(ident, data, *only_real, names, &mut apart));
            parts.extend(more);
        }
        let mut taken_apart = TokenStream::new();
        for a in &apart {
            taken_apart.extend(f.with_names(|names| a.taken(&|_| true, names)));
        }
        let mut out = vec![];
        for part in &parts {
            let w = part.written.as_ref().expect("parts of results have types");
            taken_apart.extend(f.brought(part, w));
            out.push(part_given(&part.tokens, w));
        }
        let promised = promised((&signature.ident, unit), &names, &out);
        let lengths = f.lengths_used();
        let body = quote! {
            #lengths
            let #pattern = #called(#(#args),*);
            #taken_apart
            #promised
        };
        whole(
            signature,
            unit,
            rule,
            (&name("", rule), &names, None),
            &body,
        )
    }

    /// One function of the unit that the function is, which this program computes.
    pub(crate) fn computed_unit_function(
        &self,
        (unit, rule): (&Unit, Rule),
        what: Derivative,
        program: &Program,
        declared: &Tree,
    ) -> TokenStream {
        let function = Function::of_unit(self, (rule, what), program, declared);
        let names = function.taken_by_parts();
        let tape = function.tape_taken();
        let body = function.body();
        let head = (&name("", rule), &names[..], tape);
        whole(self.signature, unit, rule, head, &body)
    }
}

/// What a function of a unit returns, checked for the lengths that are those of arguments.
fn promised((name, unit): (&Ident, &Unit), names: &[Ident], out: &[TokenStream]) -> TokenStream {
    let mut checks = TokenStream::new();
    for (k, part) in unit.results.iter().enumerate() {
        for (own, length) in part.lengths.iter().enumerate() {
            let Length::Axis { arg, axis } = length else {
                continue;
            };
            let (of, k) = (&names[*arg], Literal::usize_unsuffixed(k));
            let axis = Literal::usize_unsuffixed(*axis);
            let own = Literal::usize_unsuffixed(own);
            let message = format!("the result of `{name}` has another shape than its argument");
            checks.extend(quote!(assert!(all.#k.len(#own) == #of.len(#axis), #message);));
        }
    }
    match checks.is_empty() {
        true => quote!((#(#out,)*)),
        false => quote!(let all = (#(#out,)*); #checks all),
    }
}

/// A function of a unit: its name, the names of what it takes and of a tape, and its body.
fn whole(
    signature: &Signature,
    unit: &Unit,
    rule: Rule,
    (name, names, tape): (&Ident, &[impl ToTokens], Option<TokenStream>),
    body: &TokenStream,
) -> TokenStream {
    let real = &signature.real;
    let takes = unit.takes(rule);
    // Accumulators are owned.
    let viewed = match rule {
        Rule::Tape(Tape::Reverse) => takes.len() - unit.real_args().len(),
        Rule::Value | Rule::Jvp | Rule::Vjp | Rule::Tape(_) => takes.len(),
    };
    let inputs = names.iter().zip(takes).enumerate();
    let inputs = inputs.map(|(k, (name, ty))| {
        let ty = if k < viewed { taken } else { given }(ty, real);
        quote!(#name: #ty)
    });
    let inputs = inputs.chain(tape);
    let outputs = all_given(unit, rule, real);
    let (generics, clause) = generics(signature);
    quote! {
        #[track_caller]
        pub fn #name #generics (#(#inputs),*) -> (#(#outputs,)*) #clause { #body }
    }
}

/// A function of a unit that `signature`'s function calls, for those who call that; with what its
/// name begins with.
pub(crate) fn forwarded(
    signature: &Signature,
    unit: &Unit,
    rule: Rule,
    prefix: &str,
) -> TokenStream {
    let takes = unit.takes(rule).len();
    let names: Vec<Ident> = (0..takes).map(|k| format_ident!("a{k}")).collect();
    let there = function(unit, rule);
    let body = quote!(#there(#(#names),*));
    whole(
        signature,
        unit,
        rule,
        (&name(prefix, rule), &names, None),
        &body,
    )
}

fn param(k: usize, ty: Ty) -> Param {
    Param {
        name: format!("a{k}"),
        ty: Type {
            elem: ty.elem,
            shape: (0..ty.rank).map(|axis| Size::dim(k, axis)).collect(),
        },
    }
}

/// The same by value, as results are.
fn owned(data: &Data) -> Data {
    let mut data = Data {
        by_reference: false,
        ..data.clone()
    };
    if let Tree::Leaf(w) = &mut data.tree {
        w.passing = match w.passing {
            Passing::Scalar => Passing::Scalar,
            Passing::Fixed | Passing::ReferenceToFixed => Passing::Fixed,
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec => Passing::Vec,
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => Passing::Owned,
        };
    }
    data
}

/// A part of a result, brought to hand, as it is given.
fn part_given(ident: &TokenStream, w: &Written) -> TokenStream {
    if w.is_scalar() {
        return quote!(#ident);
    }
    if w.is_cast() {
        let rank = Literal::usize_unsuffixed(w.rank);
        let axes = (0..w.rank).map(Literal::usize_unsuffixed);
        return quote! {
            rt::build([#(#ident.len(#axes)),*], |at: [i64; #rank]| #ident[at] as i64)
        };
    }
    quote!(rt::copied(#ident))
}

impl Function<'_> {
    /// An argument, with the type that the signature says.
    fn argument(&self, data: &Data, next: &mut dyn FnMut(&Written) -> Var) -> TokenStream {
        let is_leaf = matches!(data.tree, Tree::Leaf(_));
        let mut by = Passing::Owned;
        let value = self.context().together(&data.tree, &mut |w| {
            by = w.passing;
            let v = next(w);
            self.result(v, w, false)
        });
        if !is_leaf {
            let amp = data.by_reference.then(|| quote!(&));
            return quote!(#amp #value);
        }
        match by {
            Passing::Scalar | Passing::Fixed | Passing::Vec | Passing::Owned => value,
            Passing::Slice => quote!(&#value[..]),
            Passing::ReferenceToFixed
            | Passing::ReferenceToVec
            | Passing::Reference
            | Passing::ArrayRef => quote!(&#value),
            Passing::View => quote!(#value.view()),
            Passing::ReferenceToView => quote!(&#value.view()),
        }
    }
}
