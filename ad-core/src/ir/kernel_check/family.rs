//! Several arrays in one pass.

use super::{Scope, same};
use crate::ir::kernel::{Family, Fill, Loop, Node, Range};
use crate::ir::ty::Elem;

impl Scope<'_> {
    pub(super) fn family(&self, f: &Family) -> Result<(), String> {
        let nest = &f.nest;
        self.nest(nest)?;
        if f.roots().next() != Some(nest.root) {
            return Err("the root is not that of the first member".into());
        }
        let is_whole = nest.ranges[..nest.outer].iter().all(Range::is_whole);
        let mut reads = vec![];
        nest.reads(&mut reads);
        for (k, s) in f.begins.iter().enumerate() {
            let of = |m: &Fill| matches!(m, Fill::At { to: Some(l), .. } if *l == k);
            if f.members.iter().filter(|m| of(&m.fill)).count() != 1 {
                return Err(format!("v{} does not become one member", s.array.0));
            }
            let twice = || f.begins.iter().filter(|t| t.array == s.array).count() > 1;
            if s.taken && (reads.contains(&s.array) || twice()) {
                return Err(format!("takes v{}, which it reads", s.array.0));
            }
        }
        let here: Vec<Loop> = (0..nest.outer).collect();
        let kind = |n: Node| {
            let scalar = nest.nodes.get(n).ok_or("a root is no node")?;
            match nest.depends[n].iter().all(|l| *l < nest.outer) {
                true => Ok(scalar.elem),
                false => Err("a root depends on an inner loop"),
            }
        };
        for m in &f.members {
            m.ty.shape.iter().try_for_each(|s| self.size(s))?;
            match &m.fill {
                Fill::Each(_) if !is_whole => {
                    return Err(format!("the loops leave something out of v{}", m.var.0));
                }
                Fill::Each(n) => {
                    if nest.loops[..nest.outer] != m.ty.shape {
                        return Err(format!("v{} has another shape than its loops", m.var.0));
                    }
                    same(kind(*n)?, m.ty.elem, "the element")?;
                }
                Fill::At { to, parts, .. } => {
                    same(m.ty.elem, Elem::Real, "what is added to")?;
                    if let Some(k) = to {
                        let begin = f.begins.get(*k).ok_or("a sum begins with nothing")?;
                        if *self.ty(begin.array)? != m.ty {
                            return Err(format!("v{} is changed to another type", begin.array.0));
                        }
                    }
                    for p in parts {
                        same(kind(p.value)?, Elem::Real, "what is added")?;
                        if p.at.len() != m.ty.rank() {
                            let (found, wanted) = (p.at.len(), m.ty.rank());
                            return Err(format!("{found} indices for {wanted} axes"));
                        }
                        self.places(nest, &p.at, nest.nodes.len(), Some(&here))?;
                    }
                }
            }
        }
        Ok(())
    }
}
