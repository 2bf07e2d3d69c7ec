//! Operands of products that are computed elsewhere in full: one array is stored for both.

use super::wedge::{affine, members, within};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Program, Var};
use crate::ir::kernel::Within;
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use std::collections::HashMap;

/// `contract [g] a, [h] b  =  [g] contract a, b` where b without guards is computed anyway, or is a
/// part of an array, and wherever g holds, so does h: what is outside of h meets no element of a.
/// Only bounds of g that the product heeds count.
pub(super) fn shared(program: &Program) -> Program {
    let twins = Twins::of(program);
    let mut next = program.clone();
    let mut changed = false;
    for (k, eq) in program.eqs.iter().enumerate() {
        let Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            ..
        } = &eq.op
        else {
            continue;
        };
        let bounds = within(program, eq);
        if bounds.is_empty() {
            continue;
        }
        let both = [(*a, a_axes), (*b, b_axes)];
        let mut operands = [*a, *b];
        for side in 0..2 {
            let ((v, axes), other) = (both[side], both[1 - side]);
            if let Some(full) = twins.full(program, &mut next, v)
                && implied(program, v, axes, other, &bounds)
            {
                operands[side] = full;
                changed = true;
            }
        }
        if let Op::Contract { a, b, .. } = &mut next.eqs[k].op {
            [*a, *b] = operands;
        }
    }
    if changed { live(&next) } else { next }
}

/// Variables that are equal where both are there.
struct Twins {
    /// For each variable the first that is made in the same way, whatever the guards are.
    like: Vec<Var>,
    /// Of those that are alike, one that is made without guards.
    full: HashMap<Var, Var>,
}

impl Twins {
    fn of(program: &Program) -> Twins {
        let params = program.params.len();
        let mut like: Vec<Var> = (0..params).map(|k| Var(k as u32)).collect();
        let mut whole = vec![true; params];
        let mut known: HashMap<Eq, Var> = HashMap::new();
        let mut full = HashMap::new();
        for (k, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(k);
            let op = match &eq.op {
                Op::Fill(_) | Op::Index(_) => Some(eq.op.clone()),
                Op::Map(p, args) => {
                    Some(Op::Map(*p, args.iter().map(|a| like[a.index()]).collect()))
                }
                Op::Gather { src, index } => Some(Op::Gather {
                    src: *src,
                    index: (index.iter())
                        .map(|i| match i {
                            Ix::Affine(a) => Ix::Affine(a.clone()),
                            Ix::Data(d) => Ix::Data(like[d.index()]),
                        })
                        .collect(),
                }),
                Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Update { .. }
                | Op::Call { .. }
                | Op::Loop { .. }
                | Op::Contract { .. }
                | Op::Copy(_)
                | Op::Stop(_) => None,
            };
            whole.push(eq.guard.is_none() && parts(eq).iter().all(|u| whole[u.index()]));
            let first = op.map_or(v, |op| {
                let (ty, guard) = (eq.ty.clone(), None);
                *known.entry(Eq { ty, guard, op }).or_insert(v)
            });
            like.push(first);
            if whole[v.index()] {
                full.entry(first).or_insert(v);
            }
        }
        Twins { like, full }
    }

    /// The variable without its guard, which alone says where it is there: another one, or a read
    /// that cannot fail.
    fn full(&self, program: &Program, next: &mut Program, v: Var) -> Option<Var> {
        let eq = program.eq(v)?;
        let guard = eq.guard?;
        let mut stack = parts(eq);
        while let Some(u) = stack.pop() {
            if let Some(eq) = program.eq(u) {
                if eq.guard.is_some_and(|g| g != guard) {
                    return None;
                }
                stack.extend(parts(eq));
            }
        }
        if let Op::Copy(x) = eq.op {
            return (program.eq(x).is_none_or(|e| e.guard.is_none())).then_some(x);
        }
        if let Some(full) = self.full.get(&self.like[v.index()]) {
            return Some(*full);
        }
        let Op::Gather { src, index } = &eq.op else {
            return None;
        };
        let inside = index
            .iter()
            .zip(&program.ty(*src).shape)
            .all(|(i, n)| match i {
                Ix::Affine(a) => a.inside(&eq.ty.shape, n),
                Ix::Data(_) => false,
            });
        inside.then(|| {
            next.eqs.push(Eq {
                guard: None,
                ..eq.clone()
            });
            next.var_of(next.eqs.len() - 1)
        })
    }
}

/// What an elementwise operation or a read takes at the same position.
fn parts(eq: &Eq) -> Vec<Var> {
    match &eq.op {
        Op::Map(_, args) => args.clone(),
        Op::Gather { index, .. } => (index.iter())
            .filter_map(|i| match i {
                Ix::Affine(_) => None,
                Ix::Data(d) => Some(*d),
            })
            .collect(),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Copy(_)
        | Op::Stop(_) => vec![],
    }
}

/// Whether the guard of an operand holds wherever the bounds of the product do.
fn implied(
    program: &Program,
    v: Var,
    axes: &[u8],
    (other, other_axes): (Var, &Vec<u8>),
    bounds: &[Within],
) -> bool {
    let mut labels: Vec<u8> = axes.to_vec();
    let mut shape: Vec<Size> = program.ty(v).shape.clone();
    for (l, n) in other_axes.iter().zip(&program.ty(other).shape) {
        if !labels.contains(l) {
            labels.push(*l);
            shape.push(n.clone());
        }
    }
    let at = |l| labels.iter().position(|x| *x == l);
    let spare: Vec<Affine> = (bounds.iter())
        .filter_map(|w| {
            let mut a = Affine::axis(labels.len(), at(w.more)?);
            a.coefs[at(w.less)?] = Size::lit(-1);
            a.constant = w.by.clone();
            // What the bound says about this operand itself, it says by the guard.
            (!axes.contains(&w.more) || !axes.contains(&w.less)).then_some(a)
        })
        .collect();
    let holds = |m: Var| {
        let Some(Op::Map(p, args)) = program.eq(m).map(|e| &e.op) else {
            return false;
        };
        let &[x, y] = &args[..] else { return false };
        let (Some(x), Some(y)) = (affine(program, x), affine(program, y)) else {
            return false;
        };
        if *p != Prim::ILt {
            return false;
        }
        let mut room = y.add_scaled(&x, &Size::lit(-1));
        room.coefs.resize(labels.len(), Size::lit(0));
        room.constant = room.constant.plus(-1);
        spare.iter().any(|w| {
            let rest = room.add_scaled(w, &Size::lit(-1));
            (rest.range(&shape)).is_some_and(|(low, _)| low.at_least_given(0, &shape))
        })
    };
    let guard = program.eq(v).and_then(|e| e.guard);
    guard.is_some_and(|g| members(program, g).into_iter().all(holds))
}
