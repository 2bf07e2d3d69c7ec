//! What a round of a loop adds to a state, or multiplies it by, or compares it with.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::roles::Body;
use super::size::excess;
use super::wiring::variables;
use crate::ir::core::{Binder, Expr, Kind, ReduceOp, Sym, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::collections::HashMap;

/// What happens to a state.
pub(super) enum Step {
    /// Nothing.
    Nothing,
    /// `s + e`, `s * e`, `s.max(e)`
    Forward(Expr),
    /// `s - e`, `s / e`
    Back(Expr),
}

impl Step {
    /// The other operand.
    pub(super) fn term(&self) -> Option<&Expr> {
        match self {
            Step::Nothing => None,
            Step::Forward(term) | Step::Back(term) => Some(term),
        }
    }
}

/// The state, or the part of it, that something happens to.
#[derive(Clone)]
pub(super) struct Leaf<'d> {
    /// The state.
    pub(super) state: &'d Sym,
    /// The part.
    pub(super) at: &'d [Option<Expr>],
    /// The indices of what builds the new part, for the axes without an index.
    pub(super) under: Vec<Expr>,
}

/// Looks for one kind of operation on one state.
#[derive(Clone)]
pub(super) struct Terms<'d> {
    /// The body of the loop.
    pub(super) body: &'d Body<'d>,
    /// The bit of the state.
    pub(super) bit: u64,
    /// What is operated on.
    pub(super) leaf: Leaf<'d>,
    /// The operation.
    pub(super) op: ReduceOp,
    /// What the state is made of.
    pub(super) elem: Elem,
    /// Whether the state begins with a number that is not NaN.
    pub(super) smooth: bool,
    /// What variables that need the state are bound to inside of the expression itself.
    pub(super) local: HashMap<u32, Expr>,
    /// What integers are bound to there.
    pub(super) numbers: HashMap<u32, Expr>,
}

impl Terms<'_> {
    /// What happens to a whole part.
    pub(super) fn of_part(&self, value: &Expr) -> Option<Step> {
        let here = self.inner(value);
        let mut binders: Vec<Binder> = vec![];
        let mut body = here.clone();
        while let Kind::Build(binder, inner) = &*body.kind {
            if self.needs(&binder.extent) {
                return None;
            }
            binders.push(binder.clone());
            body = inner.clone();
        }
        if binders.is_empty() {
            return self.of(value);
        }
        if body.ty.rank > 0 {
            return None;
        }
        let mut inside = self.clone();
        let var = |b: &Binder| Expr::var(&b.var, Ty::scalar(Elem::Int));
        inside.leaf.under = binders.iter().map(var).collect();
        let all = |term: Expr| {
            let binders = binders.iter().rev();
            binders.fold(term, |e, b| Expr::build(b.var.clone(), b.extent.clone(), e))
        };
        Some(match inside.of(&body)? {
            Step::Nothing => Step::Nothing,
            Step::Forward(term) => Step::Forward(all(term)),
            Step::Back(term) => Step::Back(all(term)),
        })
    }

    /// The expression that a variable stands for, if that needs the state.
    fn inner(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        while let Some(def) = self.def(&e) {
            e = def;
        }
        e
    }

    fn def(&self, e: &Expr) -> Option<Expr> {
        if let Kind::Var(sym) = &*e.kind
            && let Some(def) = self.local.get(&sym.id)
        {
            return Some(def.clone());
        }
        self.body.def(e).filter(|_| self.needs(e)).cloned()
    }

    /// Whether an expression needs the state.
    fn needs(&self, e: &Expr) -> bool {
        let mut local = false;
        variables(e, &mut |sym| local |= self.local.contains_key(&sym.id));
        local || self.body.mask(e) & self.bit != 0
    }

    fn is_leaf(&self, e: &Expr) -> bool {
        let Leaf { state, at, under } = &self.leaf;
        let whole = at.iter().all(Option::is_none) && under.is_empty();
        match &*e.kind {
            Kind::Var(sym) => sym == *state && whole,
            Kind::Index(array, found) => {
                if !matches!(&*array.kind, Kind::Var(sym) if sym == *state) {
                    return false;
                }
                let mut under = under.iter();
                let wanted = at.iter().map(|i| i.as_ref().or_else(|| under.next()));
                let mut both = wanted.zip(found);
                both.all(|(wanted, found)| match (wanted, found) {
                    (Some(wanted), Some(found)) => {
                        excess(wanted, &self.written_out(found)) == Some(0)
                    }
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                })
            }
            _ => false,
        }
    }

    /// An index with the integers that are bound written out.
    fn written_out(&self, e: &Expr) -> Expr {
        match &*e.kind {
            Kind::Var(sym) => match self.numbers.get(&sym.id) {
                Some(is) => self.written_out(is),
                None => self.body.written_out(e),
            },
            Kind::Prim(prim, args) if e.ty.elem == Elem::Int => {
                let args = args.iter().map(|a| self.written_out(a));
                Expr::prim(*prim, args.collect())
            }
            _ => e.clone(),
        }
    }

    fn of(&self, e: &Expr) -> Option<Step> {
        if self.is_leaf(e) {
            return Some(Step::Nothing);
        }
        if let Some(def) = self.def(e) {
            return self.of(&def);
        }
        match &*e.kind {
            Kind::Let(sym, is, rest) => {
                if self.needs(is) {
                    let mut inside = self.clone();
                    inside.local.insert(sym.id, is.clone());
                    return inside.of(rest);
                }
                let mut inside = self.clone();
                if is.ty.elem == Elem::Int && is.ty.rank == 0 {
                    inside.numbers.insert(sym.id, is.clone());
                }
                let bound = |e| Expr::bind(sym.clone(), is.clone(), e);
                Some(match inside.of(rest)? {
                    Step::Nothing => Step::Nothing,
                    Step::Forward(e) => Step::Forward(bound(e)),
                    Step::Back(e) => Step::Back(bound(e)),
                })
            }
            Kind::If(cond, then, other) if !self.needs(cond) => self.either(cond, then, other),
            Kind::If(cond, then, other) => self.larger(cond, then, other),
            Kind::Prim(prim, args) if args.len() == 2 => self.operation(*prim, &args[0], &args[1]),
            _ => None,
        }
    }

    fn operation(&self, prim: Prim, a: &Expr, b: &Expr) -> Option<Step> {
        let (forward, back) = match (self.op, self.elem) {
            (ReduceOp::Sum, Elem::Real) => (Prim::Add, Some(Prim::Sub)),
            (ReduceOp::Sum, Elem::Int) => (Prim::IAdd, Some(Prim::ISub)),
            (ReduceOp::Product, Elem::Real) => (Prim::Mul, Some(Prim::Div)),
            (ReduceOp::Product, Elem::Int) => (Prim::IMul, None),
            (ReduceOp::Max, Elem::Real) => (Prim::Max, None),
            (ReduceOp::Min, Elem::Real) => (Prim::Min, None),
            (ReduceOp::Max | ReduceOp::Min, Elem::Int)
            | (ReduceOp::Sum | ReduceOp::Product | ReduceOp::Max | ReduceOp::Min, Elem::Bool)
            | (ReduceOp::LogSumExp, _) => return None,
        };
        let (inner, term) = match (self.needs(a), self.needs(b)) {
            (true, false) => (a, b),
            (false, true) if prim == forward => (b, a),
            (..) => return None,
        };
        let step = self.of(inner)?;
        let two = |prim, a: Expr, b: Expr| Expr::prim(prim, vec![a, b]);
        let term = term.clone();
        if prim == forward {
            return Some(match step {
                Step::Nothing => Step::Forward(term),
                Step::Forward(before) => Step::Forward(two(forward, before, term)),
                Step::Back(before) => Step::Forward(two(back?, term, before)),
            });
        }
        if Some(prim) != back {
            return None;
        }
        Some(match step {
            Step::Nothing => Step::Back(term),
            Step::Forward(before) => Step::Forward(two(prim, before, term)),
            Step::Back(before) => Step::Back(two(forward, before, term)),
        })
    }

    /// What changes nothing.
    fn neutral(&self) -> Option<Expr> {
        let ranked = !self.leaf.at.iter().all(Option::is_some) && self.leaf.under.is_empty();
        // Of an array it would need a shape.
        (!ranked).then(|| Expr::lit(self.op.identity(self.elem)))
    }

    fn either(&self, cond: &Expr, then: &Expr, other: &Expr) -> Option<Step> {
        let then = self.of(then)?;
        let other = self.of(other)?;
        let forward = |step: Step| -> Option<Expr> {
            match step {
                Step::Nothing => self.neutral(),
                Step::Forward(term) => Some(term),
                Step::Back(_) => None,
            }
        };
        let back = |step: Step| -> Option<Expr> {
            match step {
                Step::Nothing => self.neutral(),
                Step::Back(term) => Some(term),
                Step::Forward(_) => None,
            }
        };
        Some(match (&then, &other) {
            (Step::Nothing, Step::Nothing) => Step::Nothing,
            (Step::Back(_), Step::Nothing | Step::Back(_)) | (Step::Nothing, Step::Back(_)) => {
                Step::Back(Expr::cond(cond.clone(), back(then)?, back(other)?))
            }
            (Step::Forward(_), Step::Nothing | Step::Forward(_))
            | (Step::Nothing, Step::Forward(_)) => {
                Step::Forward(Expr::cond(cond.clone(), forward(then)?, forward(other)?))
            }
            (Step::Forward(_), Step::Back(_)) | (Step::Back(_), Step::Forward(_)) => return None,
        })
    }

    /// A step that happens only under a condition.
    pub(super) fn only_if(&self, cond: &Expr, step: Step) -> Option<Step> {
        let cond = |e| Some(Expr::cond(cond.clone(), e, self.neutral()?));
        if !self.leaf.at.iter().all(Option::is_some) {
            return None;
        }
        Some(match step {
            Step::Nothing => Step::Nothing,
            Step::Forward(e) => Step::Forward(cond(e)?),
            Step::Back(e) => Step::Back(cond(e)?),
        })
    }

    /// `if e > s { e } else { s }`
    fn larger(&self, cond: &Expr, then: &Expr, other: &Expr) -> Option<Step> {
        let Kind::Prim(prim, args) = &*cond.kind else {
            return None;
        };
        let wanted = match (prim, self.needs(&args[0])) {
            (Prim::Gt, false) | (Prim::Lt, true) => ReduceOp::Max,
            (Prim::Lt, false) | (Prim::Gt, true) => ReduceOp::Min,
            (_, _) => return None,
        };
        if wanted != self.op || !self.smooth || self.elem != Elem::Real {
            return None;
        }
        let (e, s) = match self.needs(&args[0]) {
            false => (&args[0], &args[1]),
            true => (&args[1], &args[0]),
        };
        let leaf = |e: &Expr| matches!(self.of(e), Some(Step::Nothing));
        let same = e == then && !self.needs(e) && leaf(s) && leaf(other);
        same.then(|| Step::Forward(e.clone()))
    }
}
