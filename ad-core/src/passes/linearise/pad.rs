//! What loops inside of a loop collect, where they take different numbers of steps.
//!
//! Such arrays make no stack: each is collected as the beginning of one that is as long as the
//! longest,
//!
//! ```text
//! p[k] = [k < length] r[k]        r[k] = p[k] for k < length
//! ```
//!
//! if a bound is known before. If only data says how long they are, they are kept end to end
//! (`ragged.rs`). If the states do, the inner loop runs again, and in it those inside of it.

use super::sequence::{Active, Run};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Ix, Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::HashMap;

/// For results of loops the arrays of one length.
pub(super) struct Padded(HashMap<Var, Var>);

impl Padded {
    /// Adds them to the body of a loop.
    pub(super) fn of(run: &Run, active: &mut Active) -> Padded {
        let mut all = HashMap::new();
        let longest = Longest::of(run);
        let body = &active.body.program;
        let mut found = vec![];
        for (j, eq) in body.eqs.iter().enumerate() {
            let v = body.var_of(j);
            let is_linear = active.body.linear[v.index()];
            if !matches!(eq.op, Op::Loop { .. }) || is_linear || active.body.restored.contains(&v) {
                continue;
            }
            let bounds: Option<Vec<Size>> = (eq.ty.shape.iter())
                .map(|s| longest.of_size(body, s))
                .collect();
            if let Some(bounds) = bounds.filter(|b| *b != eq.ty.shape) {
                found.push((v, eq.ty.clone(), bounds));
            }
        }
        for (v, ty, bounds) in found {
            let rank = bounds.len();
            let mut guard = None;
            for (k, n) in ty
                .shape
                .iter()
                .enumerate()
                .filter(|(k, n)| **n != bounds[*k])
            {
                let ends = [Affine::axis(rank, k), Affine::constant(rank, n.clone())];
                let ends = ends.map(|a| active.append(Elem::Int, &bounds, None, Op::Index(a)));
                let less = Op::Map(Prim::ILt, ends.to_vec());
                let less = active.append(Elem::Bool, &bounds, None, less);
                guard = Some(match guard {
                    None => less,
                    Some(g) => {
                        let both = Op::Map(Prim::And, vec![g, less]);
                        active.append(Elem::Bool, &bounds, None, both)
                    }
                });
            }
            let index = Ix::identity(rank);
            let op = Op::Gather { src: v, index };
            all.insert(v, active.append(ty.elem, &bounds, guard, op));
        }
        Padded(all)
    }

    pub(super) fn get(&self, v: Var) -> Option<Var> {
        self.0.get(&v).copied()
    }
}

/// The beginning of an array.
pub(super) fn part(out: &mut Builder, padded: Var, shape: &[Size]) -> Var {
    out.gather(padded, Ix::identity(shape.len()), shape, None)
}

/// The larger size, which is one of the two if signs say so.
fn larger(a: Size, b: Size) -> Size {
    match (a.sub(&b).at_least(0), b.sub(&a).at_least(0)) {
        (true, _) => a,
        (false, true) => b,
        (false, false) => a.larger(&b),
    }
}

/// How large sizes get in the steps of a loop.
pub(super) struct Longest {
    index: Atom,
    given: usize,
    /// The index of the last step, if it is known before.
    last: Option<Size>,
}

impl Longest {
    pub(super) fn of(run: &Run) -> Longest {
        let at = |v: Var| run.given.iter().position(|g| *g == v);
        let given = run.given.len();
        let last = run.steps.as_ref().and_then(|steps| {
            let mut known = true;
            steps.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    known &= at(Var(*v)).is_some();
                }
            });
            let mut inside = |v: Var| Var(at(v).expect("given") as u32);
            known.then(|| translate_size(steps, &mut inside).plus(-1))
        });
        Longest {
            index: Atom::Value((given + run.looped.states) as u32),
            given,
            last,
        }
    }

    /// Whether it is known before how many steps there are.
    pub(super) fn knows_steps(&self) -> bool {
        self.last.is_some()
    }

    /// The least and the greatest value in all steps, if these are the same in all of them.
    pub(super) fn range(&self, s: &Size) -> Option<(Size, Size)> {
        let (slope, rest) = (s.linear_in(&self.index)).unwrap_or((Size::lit(0), s.clone()));
        let mut fixed = true;
        for s in [&slope, &rest] {
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    fixed &= (*v as usize) < self.given;
                }
            });
        }
        if !fixed {
            return None;
        }
        if slope.is(0) {
            return Some((rest.clone(), rest));
        }
        let end = rest.add(&slope.mul(self.last.as_ref()?));
        if slope.at_least(0) {
            Some((rest, end))
        } else if slope.neg().at_least(0) {
            Some((end, rest))
        } else {
            None
        }
    }

    /// The same in all steps and at least as large as this in each; this itself where it is the
    /// same.
    pub(super) fn of_size(&self, body: &Program, s: &Size) -> Option<Size> {
        let (low, high) = match self.range(s) {
            Some(range) => range,
            None => (Size::lit(0), self.greatest(body, s)?),
        };
        Some(match low == high || high.at_least(0) {
            true => high,
            false => high.larger(&Size::lit(0)),
        })
    }

    /// The same in all steps and at least as large as this in each. Where a condition chooses
    /// between two sizes, as for a loop that runs under one, the larger counts.
    fn greatest(&self, body: &Program, s: &Size) -> Option<Size> {
        if let Some((_, high)) = self.range(s) {
            return Some(high);
        }
        let of = |s: &Size| self.greatest(body, s);
        match s.as_atom()? {
            Atom::Value(v) => {
                let op = |v: Var| body.eq(v).map(|eq| &eq.op);
                let Some(Op::Map(Prim::Select, args)) = op(Var(*v)) else {
                    return None;
                };
                let arm = |v: Var| match op(v) {
                    Some(Op::Index(a)) if a.is_constant() => of(&a.constant),
                    Some(Op::Fill(l)) => l.as_size(),
                    Some(_) | None => of(&Size::atom(Atom::Value(v.0))),
                };
                Some(larger(arm(args[1])?, arm(args[2])?))
            }
            Atom::Max(a, b) | Atom::Select(_, a, b) => Some(larger(of(a)?, of(b)?)),
            Atom::Min(a, b) => of(a).or_else(|| of(b)),
            Atom::Dim { .. } | Atom::Int { .. } | Atom::Quot(..) | Atom::Rem(..) => None,
        }
    }
}
