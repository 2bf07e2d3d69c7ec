//! Products of matrices that are triangles or bands, and those of whose result only a triangle or a
//! band is needed: guards that say how far one axis may be ahead of another become bounds of the
//! product.

use crate::ir::bulk::{Affine, Eq, Op, Program, Var};
use crate::ir::kernel::Within;
use crate::ir::prims::Prim;
use crate::ir::ty::Size;

/// The members of a conjunction.
pub(super) fn members(program: &Program, guard: Var) -> Vec<Var> {
    let mut out = vec![];
    let mut stack = vec![guard];
    while let Some(g) = stack.pop() {
        match program.eq(g).map(|e| &e.op) {
            Some(Op::Map(Prim::And, args)) => stack.extend(args.iter().rev()),
            Some(_) | None if out.contains(&g) => {}
            Some(_) | None => out.push(g),
        }
    }
    out
}

/// The affine function of the position that an integer variable is.
pub(super) fn affine(program: &Program, v: Var) -> Option<Affine> {
    let eq = program.eq(v).filter(|e| e.guard.is_none())?;
    if let Op::Index(a) = &eq.op {
        return Some(a.clone());
    }
    let Op::Fill(l) = eq.op else {
        return None;
    };
    l.as_size().map(|k| Affine::constant(eq.ty.rank(), k))
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "only comparisons of integers say something"
)]
/// What a comparison says, if that is how far one axis may be ahead of another; in labels of the
/// axes.
fn bound(program: &Program, comparison: Var, labels: &[u8]) -> Option<Within> {
    let eq = program.eq(comparison).filter(|e| e.guard.is_none())?;
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let &[a, b] = &args[..] else { return None };
    let (a, b) = (affine(program, a)?, affine(program, b)?);
    // `room >= 0`
    let (plus, minus, less) = match p {
        Prim::ILt => (b, a, 1),
        Prim::ILe => (b, a, 0),
        Prim::IGt => (a, b, 1),
        Prim::IGe => (a, b, 0),
        _ => return None,
    };
    let mut room = plus.add_scaled(&minus, &Size::lit(-1));
    room.constant = room.constant.plus(-less);
    let only = |c: i64| {
        let mut all = (0..room.coefs.len()).filter(|&k| room.coefs[k].is(c));
        all.next().filter(|_| all.next().is_none())
    };
    let (more, less) = (only(1)?, only(-1)?);
    let others = (room.coefs.iter().enumerate()).all(|(k, c)| k == more || k == less || c.is(0));
    let (less, more) = (labels[less], labels[more]);
    let by = room.constant;
    others.then_some(Within { less, more, by })
}

/// The members of a guard that bound two labels, and the others.
fn bounds(program: &Program, guard: Var, labels: &[u8]) -> (Vec<(Var, Within)>, Vec<Var>) {
    let (mut some, mut others) = (vec![], vec![]);
    for m in members(program, guard) {
        match bound(program, m, labels) {
            Some(w) => some.push((m, w)),
            None => others.push(m),
        }
    }
    (some, others)
}

fn is_about(w: &Within, pair: [u8; 2]) -> bool {
    pair.contains(&w.less) && pair.contains(&w.more)
}

/// The bounds that the guards of the operands are, about the same two labels.
fn of_operands(program: &Program, eq: &Eq) -> Vec<Within> {
    let Op::Contract {
        a,
        b,
        a_axes,
        b_axes,
        out_axes,
    } = &eq.op
    else {
        return vec![];
    };
    let mut out: Vec<Within> = vec![];
    for (v, labels) in [(a, a_axes), (b, b_axes)] {
        let Some(guard) = program.eq(*v).and_then(|e| e.guard) else {
            continue;
        };
        for (_, w) in bounds(program, guard, labels).0 {
            let pair = out.first().map_or([w.less, w.more], |f| [f.less, f.more]);
            let seen = out_axes.contains(&w.less) || out_axes.contains(&w.more);
            if seen && is_about(&w, pair) && !out.contains(&w) {
                out.push(w);
            }
        }
    }
    out
}

/// The bounds of a contraction: those of its operands and of its result. What else the guard of an
/// operand says, what is stored says as well: it is zero there.
pub(super) fn within(program: &Program, eq: &Eq) -> Vec<Within> {
    let mut out = of_operands(program, eq);
    if let (Some(guard), Op::Contract { out_axes, .. }) = (eq.guard, &eq.op) {
        for (_, w) in bounds(program, guard, out_axes).0 {
            if !out.contains(&w) {
                out.push(w);
            }
        }
    }
    out
}

/// The members of the guard of a contraction that can be bounds of it, and the others.
pub(super) fn split(program: &Program, eq: &Eq) -> (Vec<Var>, Vec<Var>) {
    let (Some(guard), Op::Contract { out_axes, .. }) = (eq.guard, &eq.op) else {
        return (vec![], vec![]);
    };
    let (some, mut others) = bounds(program, guard, out_axes);
    let operands = of_operands(program, eq);
    let mut pair = operands.first().map(|w| [w.less, w.more]);
    let mut kept = vec![];
    for (m, w) in some {
        if is_about(&w, *pair.get_or_insert([w.less, w.more])) {
            kept.push(m);
        } else {
            others.push(m);
        }
    }
    (kept, others)
}
