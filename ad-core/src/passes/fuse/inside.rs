//! Reads that a guard keeps inside of an array.

use crate::ir::bulk::{Affine, Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use crate::thresholds::CONJUNCTS_SEARCHED;

/// Whether an index over a shape is in `0..n` wherever a guard holds: because the guard compares
/// positions, and says so.
///
/// ```text
/// i ≠ 0  ⟹  0 ≤ i - 1          i + 1 < n  ⟹  i + 1 in 0..n
/// ```
pub(super) fn inside(
    program: &Program,
    guard: Var,
    (a, shape): (&Affine, &[Size]),
    n: &Size,
) -> bool {
    if a.inside(shape, n) {
        return true;
    }
    let room = {
        let n = Affine::constant(shape.len(), n.plus(-1));
        n.add_scaled(a, &Size::lit(-1))
    };
    let low = |a: &Affine| (a.range(shape)).is_some_and(|(low, _)| low.at_least_given(0, shape));
    let mut facts: Option<Vec<Affine>> = None;
    [a, &room].into_iter().all(|a| {
        low(a) || {
            let facts = facts.get_or_insert_with(|| said(program, guard));
            facts.iter().any(|f| low(&a.add_scaled(f, &Size::lit(-1))))
        }
    })
}

/// Affine functions that are not negative where a guard holds.
fn said(program: &Program, guard: Var) -> Vec<Affine> {
    let mut out = vec![];
    let mut open = vec![guard];
    for _ in 0..CONJUNCTS_SEARCHED {
        let Some(g) = open.pop() else { break };
        let Some(eq) = program.eq(g).filter(|e| e.guard.is_none()) else {
            continue;
        };
        match &eq.op {
            Op::Map(Prim::And, args) => open.extend(args),
            Op::Map(p, args) => {
                let &[a, b] = &args[..] else { continue };
                if let (Some(a), Some(b)) = (affine(program, a), affine(program, b)) {
                    out.extend(compared(*p, &a, &b, &eq.ty.shape));
                }
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Copy(_)
            | Op::Stop(_) => {}
        }
    }
    out
}

/// Affine functions that are not negative where a comparison of two others holds.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "only comparisons of integers say something"
)]
fn compared(p: Prim, a: &Affine, b: &Affine, shape: &[Size]) -> Vec<Affine> {
    let minus = |a: &Affine, b: &Affine| a.add_scaled(b, &Size::lit(-1));
    let (up, down) = (minus(b, a), minus(a, b));
    let less_one = |mut a: Affine| {
        a.constant = a.constant.plus(-1);
        a
    };
    // Two different integers, one of which is never below the other: it is above.
    let never_negative =
        |a: &Affine| (a.range(shape)).is_some_and(|(low, _)| low.at_least_given(0, shape));
    match p {
        Prim::ILt => vec![less_one(up)],
        Prim::ILe => vec![up],
        Prim::IGt => vec![less_one(down)],
        Prim::IGe => vec![down],
        Prim::IEq => vec![up, down],
        Prim::INe if never_negative(&down) => vec![less_one(down)],
        Prim::INe if never_negative(&up) => vec![less_one(up)],
        _ => vec![],
    }
}

/// An integer that is affine in the position.
fn affine(program: &Program, v: Var) -> Option<Affine> {
    let eq = program.eq(v).filter(|e| e.guard.is_none())?;
    match &eq.op {
        Op::Index(a) => Some(a.clone()),
        Op::Fill(l) => l.as_size().map(|k| Affine::constant(eq.ty.rank(), k)),
        Op::Map(..)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Copy(_)
        | Op::Stop(_) => None,
    }
}
