//! Rules about literals in brackets.

use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::bulk::{Eq, Op, Var};
use crate::ir::ty::Lit;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "read-of-literal",
        apply: read_of_literal,
    },
    Rule {
        name: "literal-inside-bracket",
        apply: literal_inside_bracket,
    },
];

/// The literal and the guard of `[h] fill c`.
fn guarded_literal(s: &Simplifier, v: Var) -> Option<(Lit, Var)> {
    let eq = s.out.eq(v)?;
    let Op::Fill(c) = eq.op else { return None };
    Some((c, eq.guard?))
}

/// `([h] fill c)[index]  =  [h[index]] fill c` for an affine read without a guard, whose bounds have been
/// demanded. That there is an element at all is known where one is read.
fn read_of_literal(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    let (c, h) = guarded_literal(s, *src)?;
    if eq.guard.is_some() || all_affine(index).is_none() {
        return None;
    }
    let guard = s.guard_at(h, index, eq, true);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Fill(c),
    }))
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
