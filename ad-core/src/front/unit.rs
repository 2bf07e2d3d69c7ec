//! A function as a unit: which parts its signature has, whether generated code can call it so, and
//! where its functions are found.

use super::real::RealType;
use super::signature::Signature;
use super::types::spelled;
use crate::ir::unit::{Length, Part, Routines, Unit};
use proc_macro2::Span;

/// A function as a unit, at no path yet.
pub(crate) fn unit_of(signature: &Signature, has_jvp: bool, has_vjp: bool) -> Unit {
    let results = signature.result.tree.leaves().into_iter().map(|w| Part {
        ty: w.core(),
        lengths: (0..w.rank)
            .map(|axis| w.fixed_length(axis).and_then(|n| n.value))
            .map(|n| n.map_or(Length::Open, Length::Fixed))
            .collect(),
    });
    Unit {
        path: String::new(),
        prefix: String::new(),
        args: (signature.leaves().iter())
            .map(|(_, leaf)| leaf.ty.core())
            .collect(),
        results: results.collect(),
        has_jvp,
        has_vjp,
        id: String::new(),
        routines: Routines::default(),
        rules: Routines::default(),
    }
}

/// Says that the result has the shape of an argument, if each is one array of as many axes.
pub(crate) fn shaped_like(unit: &mut Unit, arg: usize) -> bool {
    let rank = unit.args[arg].rank;
    let [part] = &mut unit.results[..] else {
        return false;
    };
    if rank == 0 || part.ty.rank != rank {
        return false;
    }
    for (axis, length) in part.lengths.iter_mut().enumerate() {
        match length {
            Length::Open => *length = Length::Axis { arg, axis },
            Length::Fixed(_) | Length::Axis { .. } => {}
        }
    }
    true
}

/// Why a function cannot be called as a unit, if so.
pub(crate) fn unfit(signature: &Signature) -> Option<&'static str> {
    if !signature.writes.is_empty() {
        return Some("it writes through `&mut`; return what it writes");
    }
    if signature.generics.const_params().next().is_some() {
        return Some(
            "it has const generics, whose values a call by parts does not know; take slices",
        );
    }
    if signature.real == RealType::Mixed {
        return Some("it has `f32` beside `f64`; use one of them");
    }
    if signature.has_opaque() {
        return Some(
            "it takes a struct with a field that is carried and not looked into; take the fields that it \
             reads",
        );
    }
    if !(signature.result.tree.leaves().iter()).all(|w| w.is_real()) {
        return Some(
            "it returns integers or bools besides real numbers, which have no cotangents; return the real \
             numbers, and compute the others in a function of their own",
        );
    }
    None
}

/// Where the functions of a unit are looked for.
pub(crate) fn call_site(path: &syn::Path) -> String {
    let mut path = path.clone();
    for segment in &mut path.segments {
        segment.arguments = syn::PathArguments::None;
        segment.ident.set_span(Span::call_site());
    }
    spelled(&path)
}
