//! Bulk to Kernels: which arrays are stored, and which are computed where they are used.
//!
//! An equation is *inlined* into the loop nests that use it, unless it must be an array of its own:
//! results, operands of matrix products and recurrences, and what would be computed more than once.
//! Reads become index expressions on the way. An inlined equation is computed once for each element
//! that is needed:
//!
//! - it costs no real operation (a read, a few selections, an index), or
//! - it is needed at one place only, and the loops around that place are just those that occur in the
//!   place, each by itself; or at a few such places, if it is one cheap operation on arguments.

mod choose;
mod contractions;
mod graph;
mod narrow;
mod nest;
mod rebuild;
#[cfg(test)]
mod tests;

use crate::ir::bulk::{Affine as BulkAffine, Op, Program, Var};
use crate::ir::kernel::{self, Affine, Contribution, Step, Work};
use crate::ir::ty::Elem;
use choose::choose;
use contractions::{expand_contractions, operands};
use narrow::{Skips, narrow};
use nest::NestBuilder;

/// Fuses a program.
pub fn fuse(program: &Program) -> kernel::Program {
    let program = expand_contractions(program);
    let stored = choose(&program);
    let mut steps = vec![];
    for (k, eq) in program.eqs.iter().enumerate() {
        let out = program.var_of(k);
        if !stored[out.index()] {
            continue;
        }
        let whole = |v: Var| {
            let shape = &program.ty(v).shape;
            let place = (0..shape.len()).map(Affine::of).collect::<Vec<_>>();
            (NestBuilder::new(&program, &stored, shape), place)
        };
        let work = match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let ((a, a_axes), (b, b_axes)) = operands(&program, (*a, a_axes), (*b, b_axes));
                Work::Contract {
                    a,
                    b,
                    a_axes,
                    b_axes,
                    out_axes: out_axes.clone(),
                }
            }
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => Work::Recur {
                a: *a,
                mask: *mask,
                b: *b,
                axis: *axis,
                reverse: *reverse,
            },
            Op::Scatter(parts) if !parts.is_empty() => Work::Scatter(
                (parts.iter())
                    .map(|p| {
                        let (mut nest, place) = whole(p.src);
                        let root = nest.contribution(p.src, &place);
                        let at = p.index.iter().map(|i| nest.at(i, &place)).collect();
                        let (nest, at) = narrow(nest.finish(root), at, Skips::Absent);
                        Contribution { nest, at }
                    })
                    .collect(),
            ),
            Op::Update { .. } | Op::Loop { .. } => unreachable!("no sequences yet"),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Copy(_)
            | Op::Stop(_)
            | Op::Scatter(_) => {
                let (mut nest, place) = whole(out);
                let root = nest.compute(out, &place);
                // Only arrays of real numbers begin as zeros.
                let skips = match eq.ty.elem {
                    Elem::Real => Skips::Zero,
                    Elem::Int | Elem::Bool => Skips::Nothing,
                };
                Work::Nest(narrow(nest.finish(root), vec![], skips).0)
            }
        };
        let ty = eq.ty.clone();
        steps.push(Step { out, ty, work });
    }
    kernel::Program {
        name: program.name.clone(),
        params: program.params.clone(),
        steps,
        results: program.results.clone(),
        requires: program.requires.clone(),
    }
}

/// Operations that are a step of their own.
fn is_opaque(op: &Op) -> bool {
    match op {
        Op::Contract { .. } | Op::Recur { .. } | Op::Update { .. } | Op::Loop { .. } => true,
        // A structural zero is a literal.
        Op::Scatter(parts) => !parts.is_empty(),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    }
}

/// A place with new loops inserted at some axes.
fn with_loops(at: &[Affine], axes: &[usize], next: &mut usize) -> Vec<Affine> {
    let mut outer = at.iter().cloned();
    (0..at.len() + axes.len())
        .map(|k| {
            if axes.contains(&k) {
                *next += 1;
                Affine::of(*next - 1)
            } else {
                outer.next().expect("one component per kept axis")
            }
        })
        .collect()
}

/// A component of an index map, at a place.
fn follow(a: &BulkAffine, at: &[Affine]) -> Affine {
    let mut out = Affine {
        terms: vec![],
        constant: a.constant.clone(),
    };
    for (c, inner) in a.coefs.iter().zip(at) {
        out = out.add_scaled(inner, c);
    }
    out
}
