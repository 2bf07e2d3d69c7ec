//! Conditions that are the same everywhere, and under which of them each variable is needed.

use super::{reads, sensitive};
use crate::ir::bulk::{Eq, Op, Program, Run, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;

/// The most conditions of a program that are decided outside of loops. A [`Set`] has two bits for
/// each.
pub(super) const MOST: usize = 32;

/// A condition that is the same everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    /// A scalar.
    Scalar(Var),
    /// A comparison of sizes.
    Sizes(Prim, Size, Size),
    /// A primitive of scalars and literals.
    Prim(Prim, Vec<Scalar>),
}

impl Condition {
    /// Calls `f` on the variables that it is computed from.
    pub(super) fn visit(&self, f: &mut dyn FnMut(Var)) {
        match self {
            Condition::Scalar(v) => f(*v),
            Condition::Sizes(_, a, b) => [a, b].iter().for_each(|n| values(n, f)),
            Condition::Prim(_, args) => args.iter().for_each(|s| match s {
                Scalar::Var(v) => f(*v),
                Scalar::Lit(_) => {}
            }),
        }
    }
}

/// A scalar that a condition is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    Var(Var),
    Lit(Lit),
}

/// A set of literals: of each condition that it holds, and that it does not.
pub(super) type Set = u64;

/// A condition by its number, and whether it is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) condition: usize,
    pub(super) holds: bool,
}

impl Literal {
    pub(super) fn set(self) -> Set {
        1 << (2 * self.condition + usize::from(self.holds))
    }

    /// The literals of a set, by condition.
    pub(super) fn all(set: Set) -> impl Iterator<Item = Literal> {
        let all =
            (0..MOST).flat_map(|condition| [false, true].map(|holds| Literal { condition, holds }));
        all.filter(move |l| set & l.set() != 0)
    }
}

/// The negations of the literals in a set.
fn negations(set: Set) -> Set {
    const NEGATIVE: Set = Set::MAX / 3;
    ((set & NEGATIVE) << 1) | ((set & !NEGATIVE) >> 1)
}

/// The conditions of a program.
pub(super) struct Literals {
    pub(super) conditions: Vec<Condition>,
    /// The literals whose conjunction a variable is everywhere.
    pub(super) is: Vec<Option<Set>>,
    /// The literals that are true where a variable is.
    pub(super) implied: Vec<Set>,
}

impl Literals {
    pub(super) fn of(program: &Program) -> Literals {
        let mut out = Literals {
            conditions: vec![],
            is: vec![],
            implied: vec![],
        };
        let mut known: HashMap<Condition, usize> = HashMap::new();
        for (k, p) in program.params.iter().enumerate() {
            let is_flag = p.ty.elem == Elem::Bool && p.ty.rank() == 0;
            let condition = Condition::Scalar(Var(k as u32));
            let literal = is_flag.then(|| out.literal(&mut known, condition, true));
            out.push(literal.flatten(), 0);
        }
        for (k, eq) in program.eqs.iter().enumerate() {
            if eq.ty.elem != Elem::Bool {
                out.push(None, 0);
                continue;
            }
            // Where the guard does not hold, it is false.
            let guard = eq.guard.map_or(Some(0), |g| out.is[g.index()]);
            let (literal, implied) = out.found(program, eq);
            let sizes = sizes(program, eq);
            let compared = sizes.clone().and_then(compared);
            let literal = literal.or_else(|| {
                let (condition, holds) = compared?;
                out.literal(&mut known, condition, holds)
            });
            let literal = literal.and_then(|set| Some(set | guard?)).or_else(|| {
                let is_known = implied != 0 || sizes.is_some();
                if is_known && eq.guard.is_none() || matches!(eq.op, Op::Fill(_)) {
                    return None;
                }
                let v = program.var_of(k);
                let is_scalar = eq.ty.rank() == 0;
                let condition = of_scalars(program, eq)
                    .or_else(|| is_scalar.then_some(Condition::Scalar(v)))?;
                out.literal(&mut known, condition, true)
            });
            let implied = implied | eq.guard.map_or(0, |g| out.implied[g.index()]);
            out.push(literal, implied);
        }
        out
    }

    fn push(&mut self, is: Option<Set>, implied: Set) {
        self.is.push(is);
        self.implied.push(is.unwrap_or(implied));
    }

    /// The value of a variable where literals hold.
    pub(super) fn decided(&self, v: Var, holding: Set) -> Option<bool> {
        let set = self.is[v.index()]?;
        match set & !holding == 0 {
            true => Some(true),
            false => (negations(set) & holding != 0).then_some(false),
        }
    }

    fn literal(
        &mut self,
        known: &mut HashMap<Condition, usize>,
        condition: Condition,
        holds: bool,
    ) -> Option<Set> {
        let next = self.conditions.len();
        if next == MOST && !known.contains_key(&condition) {
            return None;
        }
        let condition = *known.entry(condition.clone()).or_insert_with(|| {
            self.conditions.push(condition);
            next
        });
        Some(Literal { condition, holds }.set())
    }

    /// Calls `f` on the variables that the conditions of literals are computed from.
    pub(super) fn visit_conditions(&self, set: Set, f: &mut dyn FnMut(Var)) {
        for literal in Literal::all(set) {
            self.conditions[literal.condition].visit(f);
        }
    }

    /// The literals whose conjunction an equation is where its guard holds, and those that it
    /// implies there.
    fn found(&self, program: &Program, eq: &Eq) -> (Option<Set>, Set) {
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "only these make conditions of others"
        )]
        match &eq.op {
            Op::Map(Prim::Not, args) => (self.negated(args[0]), 0),
            Op::Map(Prim::And, args) => {
                let sides = args.iter().map(|a| self.is[a.index()]);
                let is = sides.reduce(|a, b| Some(a? | b?)).flatten();
                let both = args.iter().map(|a| self.implied[a.index()]);
                (is, both.fold(0, |all, s| all | s))
            }
            Op::Map(Prim::Or, args) => {
                let both = args.iter().map(|a| self.implied[a.index()]);
                (None, both.fold(Set::MAX, |all, s| all & s))
            }
            Op::Gather { src, .. } if program.ty(*src).rank() == 0 => {
                (self.is[src.index()], self.implied[src.index()])
            }
            _ => (None, 0),
        }
    }

    /// The literal that is true where literals hold and a condition does not: there a conjunction
    /// is its only literal that is left.
    fn negated_under(&self, v: Var, holding: Set) -> Set {
        let open = self.is[v.index()].unwrap_or(0) & !holding;
        match open.count_ones() {
            1 => negations(open),
            _ => 0,
        }
    }

    /// The literal that is true where a condition is false, if the condition is a literal itself.
    fn negated(&self, v: Var) -> Option<Set> {
        let set = self.is[v.index()].filter(|s| s.count_ones() == 1)?;
        Some(negations(set))
    }
}

/// A primitive of scalars, for each index.
fn of_scalars(program: &Program, eq: &Eq) -> Option<Condition> {
    let (Op::Map(p, args), None) = (&eq.op, eq.guard) else {
        return None;
    };
    let scalar = |v: &Var| {
        if program.ty(*v).rank() == 0 {
            return Some(Scalar::Var(*v));
        }
        let eq = program.eq(*v).filter(|e| e.guard.is_none())?;
        if let Op::Gather { src, .. } = eq.op {
            return (program.ty(src).rank() == 0).then_some(Scalar::Var(src));
        }
        let Op::Fill(l) = eq.op else { return None };
        Some(Scalar::Lit(l))
    };
    let literal = |s: Scalar| match s {
        Scalar::Var(v) => match program.eq(v).map(|e| (&e.op, e.guard)) {
            Some((Op::Fill(l), None)) => Scalar::Lit(*l),
            Some(_) | None => s,
        },
        Scalar::Lit(_) => s,
    };
    let args: Option<Vec<Scalar>> = args.iter().map(|v| scalar(v).map(literal)).collect();
    Some(Condition::Prim(*p, args?))
}

/// A comparison of two sizes, where its guard holds.
fn sizes(program: &Program, eq: &Eq) -> Option<(Prim, Size, Size)> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    let size = |v: Var| {
        let is_there = |e: &&Eq| e.guard.is_none() || e.guard == eq.guard;
        let eq = program.eq(v).filter(is_there)?;
        if let Op::Index(a) = &eq.op {
            return a.is_constant().then(|| a.constant.clone());
        }
        let Op::Fill(Lit::Int(k)) = eq.op else {
            return None;
        };
        Some(Size::lit(k))
    };
    let &[a, b] = &args[..] else { return None };
    Some((*p, size(a)?, size(b)?))
}

/// A condition about sizes, and whether it is to hold. That a length is positive is no condition:
/// otherwise there is nothing to compute.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "only comparisons of integers are about sizes"
)]
fn compared((p, a, b): (Prim, Size, Size)) -> Option<(Condition, bool)> {
    let (p, holds) = match p {
        Prim::ILt | Prim::ILe | Prim::IEq => (p, true),
        Prim::IGe | Prim::IGt | Prim::INe => (p.negation()?, false),
        _ => return None,
    };
    let is_length = p == Prim::ILt && a.is(0) && b.at_least(0);
    (!is_length).then_some((Condition::Sizes(p, a, b), holds))
}

/// The literals under which variables are needed.
pub(super) struct Needed {
    /// For each variable the literals under which it is needed.
    pub(super) under: Vec<Set>,
    /// For each variable literals: where one of them is false, it is a structural zero.
    pub(super) there: Vec<Set>,
    /// For each variable whether a size mentions it.
    pub(super) is_size: Vec<bool>,
}

impl Needed {
    pub(super) fn of(program: &Program, literals: &Literals) -> Needed {
        let there = there(program, literals);
        let count = there.len();
        let mut is_size = vec![false; count];
        let mut mark = |s: &Size| values(s, &mut |v| is_size[v.index()] = true);
        for p in &program.params {
            p.ty.shape.iter().for_each(&mut mark);
        }
        program.eqs.iter().for_each(|eq| eq.visit_sizes(&mut mark));
        let mut under = vec![Set::MAX; count];
        for (set, is_size) in under.iter_mut().zip(&is_size) {
            if *is_size {
                *set = 0;
            }
        }
        program.results.iter().for_each(|r| under[r.index()] = 0);
        for (k, eq) in program.eqs.iter().enumerate().rev() {
            let v = program.var_of(k);
            let here = under[v.index()];
            for g in eq
                .guard
                .into_iter()
                .chain(sensitive(program, literals, eq).iter().map(|(_, g)| *g))
            {
                under[g.index()] &= here;
            }
            let here = here | there[v.index()];
            under[v.index()] = here;
            // Whatever one side is, nothing holds where the other does not.
            if let Op::Map(Prim::And, args) = &eq.op {
                under[args[0].index()] &= here | literals.implied[args[1].index()];
                under[args[1].index()] &= here | literals.implied[args[0].index()];
                continue;
            }
            if let Op::Map(Prim::Select, args) = &eq.op {
                under[args[0].index()] &= here;
                under[args[1].index()] &= here | literals.implied[args[0].index()];
                under[args[2].index()] &= here | literals.negated_under(args[0], here);
                continue;
            }
            let bare = Eq {
                guard: None,
                ..eq.clone()
            };
            bare.visit(&mut |u| under[u.index()] &= here);
        }
        let first = first_conditions(program, literals);
        (under.iter_mut().zip(first)).for_each(|(set, first)| *set &= before(first));
        Needed {
            under,
            there,
            is_size,
        }
    }
}

/// For each variable literals: where one of them is false, it is a structural zero.
fn there(program: &Program, literals: &Literals) -> Vec<Set> {
    let mut out: Vec<Set> = vec![0; program.params.len()];
    for eq in &program.eqs {
        let guard = eq.guard.map_or(0, |g| literals.implied[g.index()]);
        let of = |v: &Var| out[v.index()];
        let made = match &eq.op {
            Op::Gather { src, .. } | Op::Copy(src) => of(src),
            Op::Reduce {
                op: ReduceOp::Sum,
                src,
                ..
            } => of(src),
            Op::Contract { a, b, .. } => of(a) | of(b),
            Op::Map(Prim::Add, args) => of(&args[0]) & of(&args[1]),
            Op::Scatter(parts) if !parts.is_empty() => {
                parts.iter().fold(Set::MAX, |all, p| all & of(&p.src))
            }
            Op::Scatter(_)
            | Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Stop(_) => 0,
        };
        out.push(guard | made);
    }
    out
}

/// The literals of the conditions before one.
fn before(condition: usize) -> Set {
    match condition < MOST {
        true => (1 << (2 * condition)) - 1,
        false => Set::MAX,
    }
}

/// The first condition that each variable is needed for; the number of conditions if there is none.
/// A variable runs only under conditions before that one, so that no condition waits for itself.
fn first_conditions(program: &Program, literals: &Literals) -> Vec<usize> {
    let mut out = vec![literals.conditions.len(); literals.is.len()];
    for (condition, c) in literals.conditions.iter().enumerate() {
        c.visit(&mut |v| out[v.index()] = out[v.index()].min(condition));
    }
    for (k, eq) in program.eqs.iter().enumerate().rev() {
        let here = out[program.var_of(k).index()];
        reads(program, literals, eq, &mut |u| {
            out[u.index()] = out[u.index()].min(here);
        });
    }
    out
}

/// Calls `f` on what an equation uses, in its sizes too.
pub(super) fn uses(eq: &Eq, f: &mut dyn FnMut(Var)) {
    eq.visit(f);
    eq.visit_sizes(&mut |n| values(n, f));
}

/// Calls `f` on what a size mentions.
pub(super) fn values(n: &Size, f: &mut dyn FnMut(Var)) {
    n.visit(&mut |a| {
        if let Atom::Value(v) = a {
            f(Var(*v));
        }
    });
}

/// The results of each loop.
pub(super) fn loops(program: &Program) -> Vec<Vec<Var>> {
    let mut out: Vec<Vec<Var>> = vec![];
    let mut known: HashMap<Run<'_>, usize> = HashMap::new();
    for (k, eq) in program.eqs.iter().enumerate() {
        if let Some((run, _)) = eq.loop_result() {
            let at = *known.entry(run).or_insert(out.len());
            if at == out.len() {
                out.push(vec![]);
            }
            out[at].push(program.var_of(k));
        }
    }
    out
}
