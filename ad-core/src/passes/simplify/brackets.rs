//! Rules about structural zeros, the Iverson brackets `[g] e`: they pass through what is linear,
//! and a sum over a bracket is one over the positions where it holds.

use super::{Rewrite, Rule, Simplifier};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Type, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "bracket-through",
        apply: bracket_through,
    },
    Rule {
        name: "zero-factor",
        apply: zero_factor,
    },
    Rule {
        name: "inside-bracket",
        apply: inside_bracket,
    },
    Rule {
        name: "sum-of-selected",
        apply: sum_of_selected,
    },
    Rule {
        name: "sum-of-bracket",
        apply: sum_of_bracket,
    },
];

/// For tangents and cotangents: `a · [g] t = [g] a · t`, `[g] t / a = [g] (t / a)`,
/// `-[g] t = [g] -t`, `copy [g] t = [g] copy t`, `([g] t)[index] = [g[index]] t[index]`,
/// `[g] t + [g] u = [g] (t + u)`.
fn bracket_through(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let outside = match &eq.op {
        Op::Map(Prim::Mul, args) => {
            let guards = args.iter().map(|&a| guard_of_linear(s, a));
            let guards: Vec<Option<Var>> = guards.collect();
            s.both(guards[0], guards[1])
        }
        Op::Map(Prim::Div | Prim::Neg, args) => guard_of_linear(s, args[0]),
        Op::Copy(a) => guard_of_linear(s, *a),
        Op::Map(Prim::Add | Prim::Sub, args) => {
            let [a, b] = [args[0], args[1]].map(|a| guard_of_linear(s, a));
            a.filter(|_| a == b)
        }
        Op::Gather { src, index } => {
            let g = guard_of_linear(s, *src)?;
            s.guard_at(g, index, eq, false)
        }
        Op::Map(..)
        | Op::Fill(_)
        | Op::Index(_)
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Stop(_) => None,
    }?;
    let guard = s.both(eq.guard, Some(outside));
    (guard != eq.guard).then(|| {
        Rewrite::Eq(Eq {
            guard,
            ..eq.clone()
        })
    })
}

fn guard_of_linear(s: &mut Simplifier, v: Var) -> Option<Var> {
    let g = s.out.guard(v)?;
    s.is_linear(v).then_some(g)
}

/// `select(c, a, 0) · t  =  [c] a · t`, `select(c, 0, a) · t  =  [not c] a · t` for a tangent or
/// cotangent t and a literal 0: where the Jacobian is known to be zero, it is so structurally.
fn zero_factor(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Mul, args) = &eq.op else {
        return None;
    };
    for (x, t) in [(args[0], args[1]), (args[1], args[0])] {
        if s.is_linear(x) || !s.is_linear(t) {
            continue;
        }
        if s.lit(x) == Some(Lit::Real(0.0)) {
            return Some(Rewrite::Eq(Eq {
                ty: eq.ty.clone(),
                guard: None,
                op: Op::Scatter(vec![]),
            }));
        }
        let Some((holds, a)) = selected(s, x) else {
            continue;
        };
        return Some(Rewrite::Eq(Eq {
            ty: eq.ty.clone(),
            guard: s.both(eq.guard, Some(holds)),
            op: Op::Map(Prim::Mul, vec![a, t]),
        }));
    }
    None
}

/// For `select(c, a, 0)` the condition and a; for `select(c, 0, a)` with the condition negated.
pub(super) fn selected(s: &mut Simplifier, v: Var) -> Option<(Var, Var)> {
    let &[c, a, b] = s.applied(v, Prim::Select)? else {
        return None;
    };
    let zero = |v| s.lit(v) == Some(Lit::Real(0.0));
    if zero(b) {
        Some((c, a))
    } else if zero(a) {
        Some((s.map(Prim::Not, &[c], None), b))
    } else {
        None
    }
}

/// `[g] p(.. ([h] copy x) ..)  =  [g] p(.. x ..)` where g implies h;
/// `[g] p(.. select(c, a, b) ..)  = [g] p(.. a ..)` where g implies c, b where it implies `not c`:
/// inside of a bracket its condition is known.
fn inside_bracket(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let g = eq.guard?;
    let mut has_condition = false;
    eq.visit(&mut |v| has_condition |= is_conditional(s, v));
    if !has_condition {
        return None;
    }
    let members = s.members(g);
    let mut changed = false;
    let mut bare = |v: &Var| {
        let inner = known_inside_bracket(s, &members, *v);
        changed |= inner.is_some();
        inner.unwrap_or(*v)
    };
    let op = match &eq.op {
        Op::Map(p, args) => Op::Map(*p, args.iter().map(&mut bare).collect()),
        Op::Copy(a) => Op::Copy(bare(a)),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Stop(_) => return None,
    };
    changed.then(|| Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// Whether a variable is a guarded copy or a selection.
fn is_conditional(s: &Simplifier, v: Var) -> bool {
    s.out.eq(v).is_some_and(|e| {
        matches!(
            (&e.op, e.guard),
            (Op::Copy(_), Some(_)) | (Op::Map(Prim::Select, _), None)
        )
    })
}

/// A simpler variable that is the same where all of the conditions hold.
fn known_inside_bracket(s: &Simplifier, conditions: &[Var], v: Var) -> Option<Var> {
    let known = |c: Var| conditions.contains(&c);
    let eq = s.out.eq(v)?.clone();
    match (&eq.op, eq.guard) {
        (Op::Copy(x), Some(h)) if s.members(h).into_iter().all(known) => Some(*x),
        (Op::Map(Prim::Select, args), None) => {
            let &[c, a, b] = &args[..] else { return None };
            let refuted =
                |s: &Simplifier, m: Var| s.applied(m, Prim::Not) == Some(&[c]) || s.opposite(m, c);
            if known(c) {
                Some(a)
            } else if conditions.iter().any(|&m| refuted(s, m)) {
                Some(b)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// `Σ select(c, a, 0)  =  Σ [c] a`: what is not selected is not added
fn sum_of_selected(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let (holds, a) = selected(s, *src)?;
    let ty = s.out.ty(*src).clone();
    let src = s.push(Eq {
        ty,
        guard: Some(holds),
        op: Op::Copy(a),
    });
    Some(Rewrite::Eq(Eq {
        op: Op::Reduce {
            op: ReduceOp::Sum,
            src,
            axes: axes.clone(),
        },
        ..eq.clone()
    }))
}

/// `Σ_k [k = a and g] e  =  [0 <= a < n] ([g] e)[k := a]` where a does not depend on k, an axis of
/// length n: the loop runs once at the most.
fn sum_of_bracket(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    let guard = s.out.guard(*src)?;
    let shape = s.out.shape(*src);
    let (k, value) = (s.members(guard).into_iter()).find_map(|m| {
        let args = s.applied(m, Prim::IEq)?;
        let (a, b) = (s.affine(args[0])?, s.affine(args[1])?);
        // e = 0, where e = rest + c · k.
        let e = a.add_scaled(&b, &Size::lit(-1));
        let unit = |k: &&usize| e.coefs[**k].is(1) || e.coefs[**k].is(-1);
        let &k = axes.iter().find(unit)?;
        let sign = if e.coefs[k].is(1) { -1 } else { 1 };
        let mut rest = e.clone();
        rest.coefs[k] = Size::lit(0);
        let zero = Affine::constant(shape.len(), Size::lit(0));
        Some((k, zero.add_scaled(&rest, &Size::lit(sign))))
    })?;
    let small = without(&shape, &[k]);
    let value = Affine {
        coefs: without(&value.coefs, &[k]),
        constant: value.constant,
    };
    let bounds = s.bounds(&value, &small, &shape[k]);
    let index = (0..shape.len())
        .map(|j| {
            Ix::Affine(match j.cmp(&k) {
                std::cmp::Ordering::Less => Affine::axis(small.len(), j),
                std::cmp::Ordering::Equal => value.clone(),
                std::cmp::Ordering::Greater => Affine::axis(small.len(), j - 1),
            })
        })
        .collect();
    let read = s.gather(*src, index, &small, bounds);
    let axes: Vec<usize> = (axes.iter())
        .filter(|&&j| j != k)
        .map(|&j| if j > k { j - 1 } else { j })
        .collect();
    let ty = Type {
        elem: eq.ty.elem,
        shape: eq.ty.shape.clone(),
    };
    Some(Rewrite::Eq(Eq {
        ty,
        guard: eq.guard,
        op: Op::Reduce {
            op: ReduceOp::Sum,
            src: read,
            axes,
        },
    }))
}
