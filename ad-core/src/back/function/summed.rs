//! Arrays that are added up while they are made.
//!
//! The sum of all elements of an array that was made element by element is a pass over memory that
//! adds a number to another. What was just written is still in the fastest cache.

use super::small;
use crate::ir::bulk::Var;
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Loop, Nest, Program, Range, Step, Work};
use crate::ir::ty::Elem;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;

/// For arrays of real numbers that are made element by element, the sum of all elements, if that is
/// a step.
pub(super) fn summed(program: &Program) -> HashMap<Var, Var> {
    let mut shapes = HashMap::new();
    let mut out = HashMap::new();
    for step in &program.steps {
        let Work::Nest(nest) = &step.work else {
            continue;
        };
        if step.ty.elem != Elem::Real {
            continue;
        }
        if nest.outer > 0 && is_plain(nest) && small::len(&step.ty).is_none() {
            shapes.insert(step.out, &nest.loops);
        } else if let Some(array) = sum_of(step, nest)
            && shapes.get(&array) == Some(&&nest.loops)
        {
            out.entry(array).or_insert(step.out);
        }
    }
    out
}

/// Whether nothing is reduced for an element, and all are made.
fn is_plain(nest: &Nest) -> bool {
    nest.loops.len() == nest.outer && nest.ranges.iter().all(Range::is_whole)
}

/// The array that a step adds up, in order, if its loops are all of it.
fn sum_of(step: &Step, nest: &Nest) -> Option<Var> {
    let root = &nest.nodes[nest.root];
    let Compute::Reduce(ReduceOp::Sum, own, body) = &root.compute else {
        return None;
    };
    let element = &nest.nodes[*body];
    let Compute::Read(array, at) = &element.compute else {
        return None;
    };
    let all: Vec<Loop> = (0..nest.loops.len()).collect();
    let in_order =
        (at.iter().enumerate()).all(|(l, a)| matches!(a, At::Affine(a) if *a == Affine::of(l)));
    let is = step.ty.rank() == 0
        && root.guard.is_none()
        && element.guard.is_none()
        && *own == all
        && at.len() == all.len()
        && in_order
        && nest.ranges.iter().all(Range::is_whole);
    is.then_some(*array)
}

/// An array by its elements, and their sum.
pub(super) fn with_sum(
    shape: &[TokenStream],
    (index, body): (&[TokenStream], &TokenStream),
) -> TokenStream {
    quote!(rt::build_and_sum([#(#shape),*], |[#(#index),*]| #body))
}
