//! Elements that are present where the conditions around them say so.
//!
//! ```text
//! a = [c] x,  b = a[j]        b may be absent
//! select(c, b, 1.0)           no element is absent: c holds where b is chosen
//! ```
//!
//! What conditions say of positions is left aside: an element whose position says that it is absent
//! is none of the data.

use super::absent::Absent;
use crate::ir::bulk::{Affine, Ix, Op, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use crate::thresholds::CHOICES_SEARCHED;

/// A condition, read at a place, holds or does not.
#[derive(Clone, PartialEq)]
struct Fact {
    condition: Var,
    at: Vec<Affine>,
    holds: bool,
}

impl Absent<'_> {
    /// Whether no data say that an element of an array is absent, where its guard holds if that is
    /// `guarded`.
    pub(super) fn is_present(&self, v: Var, guarded: bool) -> bool {
        let rank = self.program.ty(v).rank();
        let here: Vec<Affine> = (0..rank).map(|k| Affine::axis(rank, k)).collect();
        let mut facts = vec![];
        let guard = self.program.eq(v).and_then(|eq| eq.guard);
        if let Some(g) = guard.filter(|_| guarded) {
            self.add(g, &here, true, &mut facts);
        }
        self.is_there(v, &here, &facts, &mut CHOICES_SEARCHED.clone())
    }

    fn is_there(&self, v: Var, at: &[Affine], facts: &[Fact], steps: &mut usize) -> bool {
        let Some(eq) = self.program.eq(v) else {
            return true;
        };
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        let mut known = facts.to_vec();
        if let Some(g) = eq.guard {
            self.add(g, at, true, &mut known);
            let mut new = known[facts.len()..].iter();
            if !new.all(|fact| self.is_positional[fact.condition.index()]) {
                return false;
            }
        }
        if !self.is_chosen_by_data(v) {
            return true;
        }
        match &eq.op {
            Op::Map(Prim::Select, args) => [true, false].into_iter().all(|holds| {
                let mut known = known.clone();
                self.add(args[0], at, holds, &mut known);
                self.is_there(args[if holds { 1 } else { 2 }], at, &known, steps)
            }),
            Op::Map(Prim::Add | Prim::Sub, args) => {
                args.iter().any(|a| self.is_there(*a, at, &known, steps))
            }
            Op::Map(Prim::Neg, args) => self.is_there(args[0], at, &known, steps),
            Op::Copy(src) | Op::Stop(src) => self.is_there(*src, at, &known, steps),
            Op::Gather { src, index } => {
                read_at(index, at).is_some_and(|at| self.is_there(*src, &at, &known, steps))
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. } => false,
        }
    }

    /// Adds what follows from a condition at a place, or from its opposite, and is not known yet.
    fn add(&self, condition: Var, at: &[Affine], holds: bool, known: &mut Vec<Fact>) {
        let eq = self.program.eq(condition);
        if !holds {
            if let Some((Op::Map(Prim::Not, args), None)) = eq.map(|eq| (&eq.op, eq.guard)) {
                return self.add(args[0], at, true, known);
            }
            // Of a conjunction whose other members hold, the last one does not.
            let mut members = vec![];
            self.add(condition, at, true, &mut members);
            members.retain(|fact| !known.contains(fact));
            let fact = match <[Fact; 1]>::try_from(members) {
                Ok([fact]) => Fact {
                    holds: !fact.holds,
                    ..fact
                },
                Err(_) => Fact {
                    condition,
                    at: at.to_vec(),
                    holds,
                },
            };
            if !known.contains(&fact) {
                known.push(fact);
            }
            return;
        }
        if let Some(g) = eq.and_then(|eq| eq.guard) {
            self.add(g, at, true, known);
        }
        let part = eq.and_then(|eq| {
            let Op::Gather { src, index } = &eq.op else {
                return None;
            };
            Some((*src, read_at(index, at)?))
        });
        match (eq.map(|eq| &eq.op), part) {
            (_, Some((src, at))) => self.add(src, &at, true, known),
            (Some(Op::Map(Prim::And, args)), _) => {
                args.iter().for_each(|a| self.add(*a, at, true, known));
            }
            (Some(Op::Map(Prim::Not, args)), _) => self.add(args[0], at, false, known),
            (Some(Op::Fill(Lit::Bool(true))), _) => {}
            (Some(_) | None, None) => {
                let fact = Fact {
                    condition,
                    at: at.to_vec(),
                    holds,
                };
                if !known.contains(&fact) {
                    known.push(fact);
                }
            }
        }
    }
}

/// Where something is read that is read at a place, if both say so by position.
fn read_at(index: &[Ix], at: &[Affine]) -> Option<Vec<Affine>> {
    let rank = at.first().map_or(0, |a| a.coefs.len());
    let components = index.iter().map(|i| match i {
        Ix::Affine(a) => Some(a.compose(at, rank)),
        Ix::Data(_) => None,
    });
    components.collect()
}
