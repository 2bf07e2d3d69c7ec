//! Rules of arithmetic that hold for every float: NaN, infinities and signed zeros included.

use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Eq, Op};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "fold-literals",
        apply: fold,
    },
    Rule {
        name: "unit",
        apply: unit,
    },
    Rule {
        name: "signs",
        apply: signs,
    },
    Rule {
        name: "select-known",
        apply: select_known,
    },
    Rule {
        name: "nothing",
        apply: nothing,
    },
    Rule {
        name: "power",
        apply: power,
    },
    Rule {
        name: "double",
        apply: double,
    },
];

/// `p(literals)  =  the literal it evaluates to`, where it evaluates without a panic
fn fold(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let lits: Vec<Lit> = args.iter().map(|&a| s.lit(a)).collect::<Option<_>>()?;
    Some(Rewrite::Eq(Eq {
        op: Op::Fill(p.eval(&lits)?),
        ..eq.clone()
    }))
}

/// `1 · a = a · 1 = a`, `a / 1 = a`, `a - 0 = a`, `a + (-0) = a`;
/// `a + 0` is not `a` where a is -0, so it stays.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule names the primitives it is about; every other one is left as it is"
)]
fn unit(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let &[a, b] = &args[..] else { return None };
    let is = |v, x: f64| s.lit(v) == Some(Lit::Real(x));
    let int = |v, x: i64| s.lit(v) == Some(Lit::Int(x));
    let v = match p {
        Prim::Mul if is(a, 1.0) => b,
        Prim::Mul | Prim::Div if is(b, 1.0) => a,
        Prim::Sub if is(b, 0.0) => a,
        Prim::Add if is(a, -0.0) => b,
        Prim::Add if is(b, -0.0) => a,
        Prim::IAdd if int(a, 0) => b,
        Prim::IAdd | Prim::ISub if int(b, 0) => a,
        Prim::IMul if int(a, 1) => b,
        Prim::IMul | Prim::IDiv if int(b, 1) => a,
        _ => return None,
    };
    Some(s.same(v, eq.guard))
}

/// `-(-a) = a`, `a + (-b) = a - b`, `(-a) + b = b - a`, `a - (-b) = a + b`,
/// `(-a) · (-b) = a · b`, `(-1) · a = -a`
fn signs(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let negated = |v| s.applied(v, Prim::Neg).map(|a| a[0]);
    let is = |v, x: f64| s.lit(v) == Some(Lit::Real(x));
    let (q, args) = match (p, &args[..]) {
        (Prim::Neg, &[a]) => {
            let v = negated(a)?;
            return Some(s.same(v, eq.guard));
        }
        (Prim::Add, &[a, b]) => match (negated(a), negated(b)) {
            (_, Some(b)) => (Prim::Sub, vec![a, b]),
            (Some(a), None) => (Prim::Sub, vec![b, a]),
            (None, None) => return None,
        },
        (Prim::Sub, &[a, b]) => (Prim::Add, vec![a, negated(b)?]),
        (Prim::Mul, &[a, b]) if is(a, -1.0) => (Prim::Neg, vec![b]),
        (Prim::Mul | Prim::Div, &[a, b]) if is(b, -1.0) => (Prim::Neg, vec![a]),
        (Prim::Mul | Prim::Div, &[a, b]) => (*p, vec![negated(a)?, negated(b)?]),
        _ => return None,
    };
    Some(Rewrite::Eq(Eq {
        op: Op::Map(q, args),
        ..eq.clone()
    }))
}

/// `select(true, a, b) = a`, `select(false, a, b) = b`, `select(c, a, a) = a`,
/// `select(not c, a, b) = select(c, b, a)`; `[g] select(c, a, b) = [g] copy a` where g implies c,
/// and `[g] copy b` where it implies `not c`
fn select_known(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Select, args) = &eq.op else {
        return None;
    };
    let &[c, a, b] = &args[..] else { return None };
    let v = match s.lit(c) {
        Some(Lit::Bool(true)) => a,
        Some(Lit::Bool(false)) => b,
        _ if a == b => a,
        _ if eq.guard.is_some_and(|g| s.is_implied(c, &[g])) => a,
        _ if eq
            .guard
            .is_some_and(|g| s.members(g).iter().any(|&m| s.is_not(m, c))) =>
        {
            b
        }
        _ => {
            let inner = s.applied(c, Prim::Not)?[0];
            return Some(Rewrite::Eq(Eq {
                op: Op::Map(Prim::Select, vec![inner, b, a]),
                ..eq.clone()
            }));
        }
    };
    Some(s.same(v, eq.guard))
}

/// With 0 for a structural zero: `a + 0 = 0 + a = a - 0 = a`, `-0 = 0`, `a · 0 = 0 · a = 0`,
/// `0 / a = 0`, and reads, sums and copies of 0 are 0. For a tangent or cotangent `0 - a = -a`;
/// otherwise that would be -0 for a = 0. No infinity that the program computes is lost: what is
/// structurally zero was never computed.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule names the primitives it is about; every other one is left as it is"
)]
fn nothing(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let zero = || {
        Some(Rewrite::Eq(Eq {
            op: Op::Scatter(vec![]),
            guard: None,
            ty: eq.ty.clone(),
        }))
    };
    match &eq.op {
        Op::Map(p, args) => match (p, &args[..]) {
            (Prim::Add, &[a, b]) if s.is_nothing(a) => Some(s.same(b, eq.guard)),
            (Prim::Add | Prim::Sub, &[a, b]) if s.is_nothing(b) => Some(s.same(a, eq.guard)),
            (Prim::Sub, &[a, b]) if s.is_nothing(a) && s.is_linear(b) => Some(Rewrite::Eq(Eq {
                op: Op::Map(Prim::Neg, vec![b]),
                ..eq.clone()
            })),
            (Prim::Mul, &[a, b]) if s.is_nothing(a) || s.is_nothing(b) => zero(),
            (Prim::Neg | Prim::Div, &[a, ..]) if s.is_nothing(a) => zero(),
            _ => None,
        },
        Op::Copy(a) | Op::Gather { src: a, .. } if s.is_nothing(*a) => zero(),
        Op::Reduce {
            op: ReduceOp::Sum,
            src,
            ..
        } if s.is_nothing(*src) => zero(),
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
        | Op::Copy(_)
        | Op::Stop(_) => None,
    }
}

/// `a¹ = a`, `a² = a · a`
fn power(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Powi, args) = &eq.op else {
        return None;
    };
    match s.lit(args[1])? {
        Lit::Int(1) => Some(s.same(args[0], eq.guard)),
        Lit::Int(2) => Some(Rewrite::Eq(Eq {
            op: Op::Map(Prim::Mul, vec![args[0], args[0]]),
            ..eq.clone()
        })),
        Lit::Int(_) | Lit::Real(_) | Lit::Bool(_) => None,
    }
}

/// `a + a = 2 · a`
fn double(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(Prim::Add, args) = &eq.op else {
        return None;
    };
    let &[a, b] = &args[..] else { return None };
    (a == b).then(|| {
        let two = s.fill(Lit::Real(2.0), &eq.ty.shape);
        Rewrite::Eq(Eq {
            op: Op::Map(Prim::Mul, vec![two, a]),
            ..eq.clone()
        })
    })
}
