//! Rules about literals in brackets.

use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "literal-inside-bracket",
        apply: literal_inside_bracket,
    },
    Rule {
        name: "compared-literal",
        apply: compared_literal,
    },
];

/// The literal and the guard of `[h] fill c`.
fn guarded_literal(s: &Simplifier, v: Var) -> Option<(Lit, Var)> {
    let eq = s.out.eq(v)?;
    let Op::Fill(c) = eq.op else { return None };
    Some((c, eq.guard?))
}

/// `[g] p(.. [h] fill c ..)  =  [g] p(.. fill c ..)` where g implies h
fn literal_inside_bracket(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let guard = eq.guard?;
    if !args.iter().any(|&v| guarded_literal(s, v).is_some()) {
        return None;
    }
    let members = s.members(guard);
    let mut changed = false;
    let args = (args.iter())
        .map(|&v| match guarded_literal(s, v) {
            Some((c, h)) if s.members(h).iter().all(|m| members.contains(m)) => {
                changed = true;
                s.fill(c, &eq.ty.shape)
            }
            Some(_) | None => v,
        })
        .collect();
    changed.then(|| {
        Rewrite::Eq(Eq {
            op: Op::Map(*p, args),
            ..eq.clone()
        })
    })
}

/// `p([h] fill a, fill b)  =  h`, `not h`, `true` or `false` for a comparison p, by what p says of
/// a and b, and of 0 and b; likewise with the operands exchanged
fn compared_literal(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let &[x, y] = &args[..] else { return None };
    if eq.guard.is_some() || eq.ty.elem != Elem::Bool {
        return None;
    }
    let ((a, h), b, is_first) = match (guarded_literal(s, x), guarded_literal(s, y)) {
        (Some(of), None) => (of, s.lit(y)?, true),
        (None, Some(of)) => (of, s.lit(x)?, false),
        (..) => return None,
    };
    let says = |a| match p.eval(&if is_first { [a, b] } else { [b, a] })? {
        Lit::Bool(says) => Some(says),
        Lit::Real(_) | Lit::Int(_) => None,
    };
    Some(match (says(a)?, says(Lit::zero(a.elem()))?) {
        (true, false) => Rewrite::Var(h),
        (false, true) => Rewrite::Eq(Eq {
            op: Op::Map(Prim::Not, vec![h]),
            ..eq.clone()
        }),
        (always, _) => Rewrite::Eq(Eq {
            op: Op::Fill(Lit::Bool(always)),
            ..eq.clone()
        }),
    })
}
