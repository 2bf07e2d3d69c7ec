//! The loops of a step that may have others with it.
//!
//! Loops are the same if their extents and their ends are. Ends that are computed, and places, are
//! compared as written: what they are made of, down to elements of arrays and indices of loops.
//!
//! Elements that are put at computed places, each at its own (`ragged.rs`), are read at once where
//! they are put. A sum over such elements is added up where they are made:
//!
//! ```text
//! for i { s[i] += Σ k < n[i]: f(i, k) }   =   for i { for k < n[i] { s[i] += f(i, k) } }
//! ```

use crate::ir::bulk::{Type, Var};
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Contribution, Loop, Nest, Node, Step, Work};
use crate::ir::ty::{Lit, Size};
use crate::thresholds::LONGEST_PLACE;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Loops that are run through in order.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Space {
    pub(super) loops: Vec<Size>,
    /// Where each of them ends, if not all run over their extents.
    ends: Option<String>,
}

impl Space {
    fn of(nest: &Nest) -> Option<Space> {
        let outer = 0..nest.outer;
        let ends = match outer.clone().all(|l| nest.ranges[l].is_whole()) {
            true => None,
            false => {
                let mut out = String::new();
                for l in outer {
                    for a in &nest.ranges[l].from {
                        write!(out, " from {a}").ok()?;
                    }
                    written(nest, &nest.ranges[l].to, &mut out)?;
                }
                Some(out)
            }
        };
        (nest.outer > 0).then(|| Space {
            loops: nest.loops[..nest.outer].to_vec(),
            ends,
        })
    }

    /// Of several nests, if it is the same.
    fn of_parts(parts: &[Contribution]) -> Option<Space> {
        let first = Space::of(&parts.first()?.nest)?;
        let same = parts
            .iter()
            .all(|p| Space::of(&p.nest).as_ref() == Some(&first));
        same.then_some(first)
    }

    /// Whether its loops run over all of their extents.
    pub(super) fn is_whole(&self) -> bool {
        self.ends.is_none()
    }
}

/// Adds what places are made of, if that is short and the same at all times.
fn written(nest: &Nest, at: &[At], out: &mut String) -> Option<()> {
    out.push('[');
    for a in at {
        match a {
            At::Affine(a) => write!(out, "{a}").ok()?,
            At::Node(n) => node(nest, *n, out)?,
        }
        out.push(',');
    }
    out.push(']');
    (out.len() < LONGEST_PLACE).then_some(())
}

fn node(nest: &Nest, n: Node, out: &mut String) -> Option<()> {
    let s = &nest.nodes[n];
    if s.guard.is_some() {
        return None;
    }
    match &s.compute {
        Compute::Lit(l) => write!(out, "{l}").ok()?,
        Compute::Index(a) => write!(out, "{a}").ok()?,
        Compute::Read(v, at) => {
            write!(out, "{v}").ok()?;
            written(nest, at, out)?;
        }
        Compute::Prim(p, args) => {
            write!(out, "{}(", p.name()).ok()?;
            for a in args {
                node(nest, *a, out)?;
                out.push(',');
            }
            out.push(')');
        }
        Compute::Same(m) => node(nest, *m, out)?,
        Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => return None,
    }
    (out.len() < LONGEST_PLACE).then_some(())
}

/// The arrays of zeros in which elements are put, and where each is put.
#[derive(Default)]
pub(super) struct Placed {
    zeros: HashSet<Var>,
    at: HashMap<Var, String>,
}

impl Placed {
    /// Notes what a step makes.
    pub(super) fn note(&mut self, step: &Step) {
        if let Work::Nest(nest) = &step.work
            && nest.nodes[nest.root].compute == Compute::Lit(Lit::Real(0.0))
        {
            self.zeros.insert(step.out);
        }
        if let Some(part) = self.put(step) {
            let mut at = String::new();
            if written(&part.nest, &part.at, &mut at).is_some() {
                self.at.insert(step.out, at);
            }
        }
    }

    /// Elements that a step puts into an array of zeros.
    pub(super) fn put<'a>(&self, step: &'a Step) -> Option<&'a Contribution> {
        if let Work::Change {
            of,
            adds: false,
            parts,
        } = &step.work
            && self.zeros.contains(&of.array)
            && let [part] = &parts[..]
        {
            return Some(part);
        }
        None
    }

    /// Whether this is the place where an element of an array is put.
    pub(super) fn is_put(&self, nest: &Nest, v: Var, at: &[At]) -> bool {
        let mut here = String::new();
        let place = self.at.get(&v);
        place.is_some_and(|p| written(nest, at, &mut here).is_some() && here == *p)
    }

    /// The loops of a step that may have others with it.
    pub(super) fn space(&self, step: &Step) -> Option<Space> {
        match &step.work {
            // The same everywhere is filled faster alone.
            Work::Nest(nest) if matches!(nest.nodes[nest.root].compute, Compute::Lit(_)) => None,
            Work::Nest(nest) => Space::of(nest).filter(Space::is_whole),
            Work::Scatter(parts)
            | Work::Change {
                adds: true, parts, ..
            } => {
                let space = Space::of_parts(parts)?;
                let is_new = matches!(step.work, Work::Scatter(_));
                let is_begun = is_new && is_whole(&parts[0], &step.ty);
                let is_scalar = step.ty.rank() == 0 && (!is_new || space.is_whole());
                (!is_begun && !is_scalar).then_some(space)
            }
            Work::Change { adds: false, .. } => {
                let part = self.put(step)?;
                self.at.get(&step.out)?;
                Space::of(&part.nest).filter(|s| !s.is_whole())
            }
            Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => None,
        }
    }

    /// The step with its sums as loops around what they add up, if this reads elements where they
    /// are put.
    pub(super) fn unrolled(&self, step: &Step) -> Option<Step> {
        let reads = step.reads();
        if !reads.iter().any(|v| self.at.contains_key(v)) {
            return None;
        }
        let parts = if let Work::Nest(nest) = &step.work {
            let here: Vec<At> = (0..nest.outer).map(|l| At::Affine(Affine::of(l))).collect();
            vec![added(nest, &here)?]
        } else if let Work::Scatter(parts) = &step.work {
            let added = |p: &Contribution| added(&p.nest, &p.at).unwrap_or(p.clone());
            parts.iter().map(added).collect()
        } else {
            return None;
        };
        Some(Step {
            work: Work::Scatter(parts),
            ..step.clone()
        })
    }
}

/// What a sum adds, as a contribution to the place of the sum.
fn added(nest: &Nest, at: &[At]) -> Option<Contribution> {
    let mut order: Vec<Loop> = (0..nest.outer).collect();
    let mut root = nest.root;
    while let Compute::Reduce(ReduceOp::Sum, own, body) = &nest.nodes[root].compute
        && nest.nodes[root].guard.is_none()
    {
        order.extend(own);
        root = *body;
    }
    if root == nest.root || at.iter().any(|a| matches!(a, At::Node(_))) {
        return None;
    }
    let outer = order.len();
    let rest = (0..nest.loops.len()).filter(|l| !order.contains(l));
    let rest: Vec<Loop> = rest.collect();
    order.extend(rest);
    Some(Contribution {
        nest: nest.reordered(&order, outer, root),
        at: at.to_vec(),
    })
}

/// Whether something is added to all elements in order, so that a sum begins with it instead of
/// zeros.
fn is_whole(c: &Contribution, ty: &Type) -> bool {
    c.nest.loops[..c.nest.outer] == ty.shape && is_here(&c.at)
}

/// Whether a place is that of the outer loops.
pub(super) fn is_here(at: &[At]) -> bool {
    let mut places = at.iter().enumerate();
    places.all(|(k, a)| matches!(a, At::Affine(a) if *a == Affine::of(k)))
}

/// The places at which a nest reads an array.
pub(super) fn places(nest: &Nest, v: Var) -> impl Iterator<Item = &[At]> {
    nest.nodes.iter().filter_map(move |s| match &s.compute {
        Compute::Read(w, at) if *w == v => Some(&at[..]),
        Compute::Read(..)
        | Compute::Lit(_)
        | Compute::Index(_)
        | Compute::Prim(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Same(_)
        | Compute::Extreme(_) => None,
    })
}
