//! Rules about guards and what they are made of.

use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Affine, Eq, Op, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use crate::thresholds::POSITIONS_LISTED;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "guard-true",
        apply: guard_true,
    },
    Rule {
        name: "guard-false",
        apply: guard_false,
    },
    Rule {
        name: "guarded-true",
        apply: guarded_true,
    },
    Rule {
        name: "guard-of-zero",
        apply: guard_of_zero,
    },
    Rule {
        name: "copy",
        apply: copy,
    },
    Rule {
        name: "copy-of-guarded",
        apply: copy_of_guarded,
    },
    Rule {
        name: "compare-positions",
        apply: compare_positions,
    },
    Rule {
        name: "boolean",
        apply: boolean,
    },
    Rule {
        name: "positions-left",
        apply: positions_left,
    },
    Rule {
        name: "guarded-comparison",
        apply: guarded_comparison,
    },
    Rule {
        name: "copied-condition",
        apply: copied_condition,
    },
    Rule {
        name: "choice-compared",
        apply: choice_compared,
    },
    Rule {
        name: "lazy-boolean",
        apply: lazy_boolean,
    },
    Rule {
        name: "select-of-guarded",
        apply: select_of_guarded,
    },
];

/// `[true] e  =  e`
fn guard_true(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    (s.lit(eq.guard?)? == Lit::Bool(true)).then(|| {
        Rewrite::Eq(Eq {
            guard: None,
            ..eq.clone()
        })
    })
}

/// `[false] e  =  0`, which for reals is a structural zero: a scatter of nothing
fn guard_false(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    (s.lit(eq.guard?)? == Lit::Bool(false)).then(|| {
        Rewrite::Eq(Eq {
            guard: None,
            op: match eq.ty.elem {
                Elem::Real => Op::Scatter(vec![]),
                Elem::Int | Elem::Bool => Op::Fill(Lit::zero(eq.ty.elem)),
            },
            ty: eq.ty.clone(),
        })
    })
}

/// `[g] true  =  g`
fn guarded_true(_: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let is_true = eq.op == Op::Fill(Lit::Bool(true));
    eq.guard.filter(|_| is_true).map(Rewrite::Var)
}

/// `[g] e  =  e` for a structural zero e, and `[g] fill 0  =  fill 0` for what is no real
fn guard_of_zero(_: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    eq.guard?;
    let none = match &eq.op {
        Op::Scatter(parts) => parts.is_empty(),
        Op::Fill(l) => *l == Lit::zero(eq.ty.elem) && eq.ty.elem != Elem::Real,
        Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    };
    none.then(|| {
        Rewrite::Eq(Eq {
            guard: None,
            ..eq.clone()
        })
    })
}

/// `copy x  =  x`, and `[g] copy ([h] x)  =  [h] x` where h implies g
fn copy(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Copy(x) = eq.op else { return None };
    let is_same = match (s.out.guard(x), eq.guard) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(h), Some(g)) => s.out.implies(h, g),
    };
    is_same.then_some(Rewrite::Var(x))
}

/// `[g] copy ([h] copy x)  =  [g and h] copy x`
fn copy_of_guarded(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Copy(x) = eq.op else { return None };
    let inner = s.out.eq(x)?;
    let Op::Copy(y) = inner.op else { return None };
    let guard = inner.guard;
    let guard = s.both(eq.guard, guard);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard,
        op: Op::Copy(y),
    }))
}

/// A comparison of two positions that the bounds of the index space decide:
/// `a < b  =  true` where `b - a >= 1` everywhere, `false` where `b - a <= 0`; the others likewise.
/// Over an empty index space any value will do.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule names the primitives it is about; every other one is left as it is"
)]
fn compare_positions(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let [a, b] = args[..] else { return None };
    let (a, b) = (s.affine(a)?, s.affine(b)?);
    let difference = b.add_scaled(&a, &Size::lit(-1));
    let (low, high) = difference.range(&eq.ty.shape)?;
    // `always`, `never` for b - a >= k.
    let least = |n: &Size, k: i64| n.at_least_given(k, &eq.ty.shape);
    let reaches = |k: i64| (least(&low, k), least(&high.neg(), 1 - k));
    let equal = difference == Affine::constant(difference.coefs.len(), Size::lit(0));
    let apart = least(&low, 1) || least(&high.neg(), 1);
    let (yes, no) = match p {
        Prim::ILt => reaches(1),
        Prim::ILe => reaches(0),
        Prim::IGt => {
            let (always, never) = reaches(0);
            (never, always)
        }
        Prim::IGe => {
            let (always, never) = reaches(1);
            (never, always)
        }
        Prim::IEq => (equal, apart),
        Prim::INe => (apart, equal),
        _ => return None,
    };
    let l = match (yes, no) {
        (true, _) => true,
        (_, true) => false,
        (false, false) => return None,
    };
    Some(Rewrite::Eq(Eq {
        op: Op::Fill(Lit::Bool(l)),
        ..eq.clone()
    }))
}

impl Simplifier {
    /// Whether one truth value is the negation of another.
    pub(super) fn is_not(&self, a: Var, b: Var) -> bool {
        let not = |x, y| self.applied(y, Prim::Not) == Some(&[x]);
        self.opposite(a, b) || not(a, b) || not(b, a)
    }

    /// Whether one comparison is the negation of another.
    pub(super) fn opposite(&self, a: Var, b: Var) -> bool {
        matches!(
            (self.plain(a), self.plain(b)),
            (Some(Op::Map(p, xs)), Some(Op::Map(q, ys))) if xs == ys && p.negation() == Some(*q)
        )
    }
}

/// The laws of truth values:
/// `not not a = a`, `not (a < b) = a >= b` for integers, `a and true = a`, `a and false = false`,
/// `a and a = a`, `a and not a = false`, and the same for `or`; `(a and b) or a = a`,
/// `a and not (a and b) = a and not b`.
fn boolean(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let value = |l: bool| {
        Rewrite::Eq(Eq {
            op: Op::Fill(Lit::Bool(l)),
            ..eq.clone()
        })
    };
    match (*p, &args[..]) {
        (Prim::Not, &[a]) => {
            if let Some(inner) = s.applied(a, Prim::Not) {
                let v = inner[0];
                return Some(s.same(v, eq.guard));
            }
            let Some(Op::Map(p, inner)) = s.plain(a) else {
                return None;
            };
            Some(Rewrite::Eq(Eq {
                op: Op::Map(p.negation()?, inner.clone()),
                ..eq.clone()
            }))
        }
        (Prim::And | Prim::Or, &[a, b]) => {
            let neutral = Lit::Bool(*p == Prim::And);
            for (x, y) in [(a, b), (b, a)] {
                match s.lit(x) {
                    Some(l) if l == neutral => return Some(s.same(y, eq.guard)),
                    Some(_) => return Some(value(*p == Prim::Or)),
                    None => {}
                }
            }
            // `a or not a = true`, `a and not a = false`
            if s.is_not(a, b) {
                return Some(value(*p == Prim::Or));
            }
            let (stricter, other) = if s.out.implies(a, b) {
                (a, b)
            } else if s.out.implies(b, a) {
                (b, a)
            } else {
                return (*p == Prim::And).then(|| excluded(s, eq, a, b)).flatten();
            };
            let kept = if *p == Prim::And { stricter } else { other };
            Some(s.same(kept, eq.guard))
        }
        _ => None,
    }
}

/// `a and not (a and b)  =  a and not b`
fn excluded(s: &mut Simplifier, eq: &Eq, a: Var, b: Var) -> Option<Rewrite> {
    let not = |s: &Simplifier, v| Some(s.applied(v, Prim::Not)?[0]);
    let (kept, both) = match (not(s, a), not(s, b)) {
        (_, Some(both)) if s.applied(both, Prim::And).is_some() => (a, both),
        (Some(both), _) => (b, both),
        (None, _) => return None,
    };
    let &[x, y] = s.applied(both, Prim::And)? else {
        return None;
    };
    let rest = match (s.out.implies(kept, x), s.out.implies(kept, y)) {
        (true, _) => y,
        (_, true) => x,
        (false, false) => return None,
    };
    let rest = s.map(Prim::Not, &[rest], None);
    Some(Rewrite::Eq(Eq {
        op: Op::Map(Prim::And, vec![kept, rest]),
        ..eq.clone()
    }))
}

/// Positions along one axis, a bit for each.
#[derive(Clone, Copy)]
struct Positions {
    axis: usize,
    bits: u64,
}

impl Positions {
    /// The only one.
    fn single(self) -> Option<i64> {
        (self.bits.count_ones() == 1).then_some(i64::from(self.bits.trailing_zeros()))
    }
}

impl Simplifier {
    /// Where a comparison of a position along one axis with a literal holds.
    fn positions(&self, comparison: Var) -> Option<Positions> {
        let Op::Map(p, args) = self.plain(comparison)? else {
            return None;
        };
        let &[a, b] = &args[..] else { return None };
        let (a, b) = (self.affine(a)?, self.affine(b)?);
        let difference = a.add_scaled(&b, &Size::lit(-1));
        let (axis, slope) = difference.single()?;
        let (slope, start) = (slope.as_lit()?, difference.constant.as_lit()?);
        let length = self.out.shape(comparison)[axis].as_lit()?;
        if !(1..=POSITIONS_LISTED).contains(&length) {
            return None;
        }
        let mut bits = 0;
        for i in 0..length {
            let at = slope.checked_mul(i)?.checked_add(start)?;
            if p.eval(&[Lit::Int(at), Lit::Int(0)])? == Lit::Bool(true) {
                bits |= 1 << i;
            }
        }
        Some(Positions { axis, bits })
    }
}

/// `a and b`, where b compares the position along a short axis with a literal. The members of a that
/// do so, too, restrict the position to a set S. If b holds in all of S, the conjunction is a; if it
/// holds nowhere in S, it is `false`. If b is `i != k` and leaves only the position l of S, it
/// becomes `i = l`.
fn positions_left(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::And, args) = &eq.op else {
        return None;
    };
    let &[a, b] = &args[..] else { return None };
    for (kept, other) in [(a, b), (b, a)] {
        let Some(holds) = s.positions(other) else {
            continue;
        };
        let along = |p: &Positions| p.axis == holds.axis;
        let said: Vec<Positions> = (s.members(kept).into_iter())
            .filter_map(|m| s.positions(m).filter(along))
            .collect();
        let before = said.iter().fold(u64::MAX, |all, p| all & p.bits);
        let left = Positions {
            bits: before & holds.bits,
            ..holds
        };
        if left.bits == 0 {
            return Some(Rewrite::Eq(Eq {
                op: Op::Fill(Lit::Bool(false)),
                ..eq.clone()
            }));
        }
        if said.is_empty() {
            continue;
        }
        if left.bits == before {
            return Some(s.same(kept, eq.guard));
        }
        let is_unequal = s.applied(other, Prim::INe).is_some();
        if let Some(l) = left.single().filter(|_| is_unequal) {
            let mut at = Affine::axis(eq.ty.rank(), holds.axis);
            at.constant = Size::lit(-l);
            let at = s.equals_zero(&at, &eq.ty.shape);
            return Some(Rewrite::Eq(Eq {
                op: Op::Map(Prim::And, vec![kept, at]),
                ..eq.clone()
            }));
        }
    }
    None
}

/// `[g] (a < b)  =  g and (a < b)` for two positions, and the other comparisons: they can be
/// evaluated anywhere
fn guarded_comparison(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (g, Op::Map(p, args)) = (eq.guard?, &eq.op) else {
        return None;
    };
    let compares = matches!(
        p,
        Prim::ILt | Prim::ILe | Prim::IGt | Prim::IGe | Prim::IEq | Prim::INe
    );
    if !compares || !args.iter().all(|&a| s.affine(a).is_some()) {
        return None;
    }
    let bare = s.map(*p, args, None);
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard: None,
        op: Op::Map(Prim::And, vec![g, bare]),
    }))
}

/// `[g] copy c  =  g and c` for truth values
fn copied_condition(_: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let (g, Op::Copy(c), Elem::Bool) = (eq.guard?, &eq.op, eq.ty.elem) else {
        return None;
    };
    Some(Rewrite::Eq(Eq {
        ty: eq.ty.clone(),
        guard: None,
        op: Op::Map(Prim::And, vec![g, *c]),
    }))
}

/// `k < select(c, a, b)  =  c` for literals with `k < a` and not `k < b`; `not c` if `k < b` and
/// not `k < a`; and the same for the other comparisons of integers
fn choice_compared(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let compares = matches!(
        p,
        Prim::ILt | Prim::ILe | Prim::IGt | Prim::IGe | Prim::IEq | Prim::INe
    );
    let &[a, b] = &args[..] else { return None };
    if !compares {
        return None;
    }
    let chosen = |v: Var| {
        let args = s.applied(v, Prim::Select)?;
        Some((args[0], [s.lit(args[1])?, s.lit(args[2])?]))
    };
    let (c, sides) = match (chosen(a), chosen(b), s.lit(a), s.lit(b)) {
        (Some((c, sides)), _, _, Some(l)) => (c, sides.map(|k| [k, l])),
        (_, Some((c, sides)), Some(l), _) => (c, sides.map(|k| [l, k])),
        _ => return None,
    };
    match sides.map(|sides| p.eval(&sides)) {
        [Some(Lit::Bool(true)), Some(Lit::Bool(false))] => Some(s.same(c, eq.guard)),
        [Some(Lit::Bool(false)), Some(Lit::Bool(true))] => Some(Rewrite::Eq(Eq {
            op: Op::Map(Prim::Not, vec![c]),
            ..eq.clone()
        })),
        _ => None,
    }
}

/// `select(c, a, false)  =  c and a`, `select(c, true, a)  =  c or a`
fn lazy_boolean(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Select, args) = &eq.op else {
        return None;
    };
    let &[c, a, b] = &args[..] else { return None };
    let (p, other) = if s.lit(b) == Some(Lit::Bool(false)) {
        (Prim::And, a)
    } else if s.lit(a) == Some(Lit::Bool(true)) {
        (Prim::Or, b)
    } else {
        return None;
    };
    let op = if p == Prim::And && s.out.guard(other).is_some_and(|g| s.out.implies(g, c)) {
        // False wherever c is.
        Op::Copy(other)
    } else {
        Op::Map(p, vec![c, other])
    };
    Some(Rewrite::Eq(Eq { op, ..eq.clone() }))
}

/// `select(c, [c] copy a, b)  =  select(c, a, b)`, and for the other arm
fn select_of_guarded(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Select, args) = &eq.op else {
        return None;
    };
    let &[c, a, b] = &args[..] else { return None };
    let bare = |v, holds: &dyn Fn(&Simplifier, crate::ir::bulk::Var) -> bool| match s.out.eq(v) {
        Some(Eq {
            guard: Some(g),
            op: Op::Copy(x),
            ..
        }) if holds(s, *g) => Some(*x),
        _ => None,
    };
    let then = bare(a, &|_, g| g == c);
    let other = bare(b, &|s, g| s.applied(g, Prim::Not) == Some(&[c]));
    if then.is_none() && other.is_none() {
        return None;
    }
    Some(Rewrite::Eq(Eq {
        op: Op::Map(Prim::Select, vec![c, then.unwrap_or(a), other.unwrap_or(b)]),
        ..eq.clone()
    }))
}
