//! What only the linear loop needs, and can compute of what is collected anyway.
//!
//! ```text
//! s ← σ(y), d ← s (1 − s), collecting s, d         s ← σ(y), collecting s
//! ẏ ← d[k] ẏ, v̇ ← s[k] v̇                     ─▶   ẏ ← (s[k] (1 − s[k])) ẏ, v̇ ← s[k] v̇
//! ```
//!
//! Here d is no residual: the values do not need it, so it is not computed twice, only later. It is
//! made of scalar operations, and all that it is made of is a residual for other reasons, or needs
//! none. So fewer arrays are collected, and none instead of them.

use super::sequence::Active;
use crate::ir::bulk::{Op, Var};
use std::collections::BTreeSet;

/// Of how many equations something is made that is computed later, at most.
const FEW: usize = 16;

/// What is computed later, as far as that is known.
pub(super) struct Later<'a> {
    active: &'a Active,
    /// What the values need.
    used: Vec<bool>,
    /// The equations that what is computed later is made of.
    chosen: BTreeSet<Var>,
}

impl<'a> Later<'a> {
    pub(super) fn of(active: &'a Active) -> Later<'a> {
        let body = &active.body;
        let (program, linear) = (&body.program, &body.linear);
        let mut used = vec![false; linear.len()];
        for r in &program.results[..body.result_tangents.len()] {
            used[r.index()] = true;
        }
        for (j, eq) in program.eqs.iter().enumerate().rev() {
            let v = program.var_of(j);
            if used[v.index()] && !linear[v.index()] {
                super::undo::visit_all(eq, &mut |v| used[v.index()] = true);
            }
        }
        let chosen = BTreeSet::new();
        Later {
            active,
            used,
            chosen,
        }
    }

    /// Whether an equation is computed later, given what the linear loop needs already, what it is
    /// given, and what is not the same in all steps: what is would be computed once.
    pub(super) fn has(
        &mut self,
        v: Var,
        needed: &[bool],
        of: (&dyn Fn(Var) -> bool, &dyn Fn(Var) -> bool),
    ) -> bool {
        if self.chosen.contains(&v) {
            return true;
        }
        let program = &self.active.body.program;
        let (is_given, is_carried) = of;
        let shape = &program.ty(v).shape;
        let (mut all, mut open) = (BTreeSet::from([v]), vec![v]);
        while let Some(v) = open.pop() {
            let Some(eq) = program.eq(v).filter(|_| !self.used[v.index()]) else {
                return false;
            };
            let is_free = match &eq.op {
                Op::Map(p, _) => &eq.ty.shape == shape && (p.cost() == 0 || is_carried(v)),
                Op::Fill(_) | Op::Index(_) | Op::Copy(_) | Op::Stop(_) | Op::Gather { .. } => true,
                Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Call { .. }
                | Op::Loop { .. } => false,
            };
            if !is_free || all.len() > FEW {
                return false;
            }
            super::undo::visit_all(eq, &mut |w| {
                if !needed[w.index()] && !is_given(w) && all.insert(w) {
                    open.push(w);
                }
            });
        }
        self.chosen.append(&mut all);
        true
    }
}
