//! The scalars of several steps in one graph.

use super::super::graph::Graph;
use super::space::Space;
use crate::ir::bulk::Var;
use crate::ir::kernel::{
    Addend, Affine, At, Compute, Family, Fill, Loop, Member, Nest, Node, Range, Scalar, Source,
    Step, Work,
};
use std::collections::{HashMap, HashSet};

/// A family on its way.
pub(super) struct Joiner {
    graph: Graph,
    /// The scalars that are elements at the indices of the loops, or are put at their places.
    elements: HashMap<Var, Node>,
    begins: Vec<Source>,
    members: Vec<Member>,
}

impl Joiner {
    /// Without members yet.
    pub(super) fn over(space: &Space) -> Joiner {
        Joiner {
            graph: Graph::new(space.loops.clone(), space.loops.len()),
            elements: HashMap::new(),
            begins: vec![],
            members: vec![],
        }
    }

    /// One more step over these indices, behind those that it reads.
    pub(super) fn add(&mut self, step: Step) {
        let Step { out: var, ty, work } = step;
        let (to, adds, parts) = match work {
            Work::Nest(nest) => {
                let n = self.copy(&nest, &[]).0;
                self.elements.insert(var, n);
                let fill = Fill::Each(n);
                self.members.push(Member { var, ty, fill });
                return;
            }
            Work::Scatter(parts) => (None, true, parts),
            // The array is one of zeros.
            Work::Change {
                adds: false, parts, ..
            } => (None, false, parts),
            Work::Change { of, parts, .. } => (Some(of), true, parts),
            Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => unreachable!("these are not over a space"),
        };
        let parts = parts.into_iter().map(|p| {
            let (value, at) = self.copy(&p.nest, &p.at);
            Addend { value, at }
        });
        let parts: Vec<Addend> = parts.collect();
        if let (false, [part]) = (adds, &parts[..]) {
            self.elements.insert(var, part.value);
        }
        // To a sum of the same family more is added.
        let before = to.as_ref().and_then(|of| {
            let mut members = self.members.iter_mut();
            members.find(|m| of.taken && m.var == of.array)
        });
        if let Some(Member {
            var: before,
            fill: Fill::At { parts: all, .. },
            ..
        }) = before
        {
            *before = var;
            all.extend(parts);
            return;
        }
        let to = to.map(|of| {
            self.begins.push(of);
            self.begins.len() - 1
        });
        let fill = Fill::At { to, adds, parts };
        self.members.push(Member { var, ty, fill });
    }

    /// The scalars of a nest among the others; gives its root, and what a place becomes.
    fn copy(&mut self, nest: &Nest, at: &[At]) -> (Node, Vec<At>) {
        let inner = self.graph.loops.len();
        for extent in &nest.loops[nest.outer..] {
            self.graph.enter(extent.clone());
        }
        let moved = |l: Loop| match l < nest.outer {
            true => l,
            false => inner + l - nest.outer,
        };
        let affine = |a: &Affine| Affine {
            terms: a
                .terms
                .iter()
                .map(|(l, c)| (moved(*l), c.clone()))
                .collect(),
            constant: a.constant.clone(),
        };
        let mut new: Vec<Node> = vec![];
        for (n, s) in nest.nodes.iter().enumerate() {
            let place = |at: &[At]| -> Vec<At> {
                let component = |a: &At| match a {
                    At::Affine(a) => At::Affine(affine(a)),
                    At::Node(n) => At::Node(new[*n]),
                };
                at.iter().map(component).collect()
            };
            for &l in s.own() {
                let range = &nest.ranges[l];
                self.graph.ranges[moved(l)] = Range {
                    from: range.from.iter().map(affine).collect(),
                    to: place(&range.to),
                };
            }
            let compute = match &s.compute {
                Compute::Lit(l) => Compute::Lit(*l),
                Compute::Index(a) => Compute::Index(affine(a)),
                Compute::Read(v, at) => match self.elements.get(v) {
                    Some(&element) => Compute::Same(element),
                    None => Compute::Read(*v, place(at)),
                },
                Compute::Prim(p, args) => Compute::Prim(*p, args.iter().map(|a| new[*a]).collect()),
                Compute::Reduce(op, own, body) => {
                    Compute::Reduce(*op, own.iter().map(|l| moved(*l)).collect(), new[*body])
                }
                Compute::ArgReduce(op, own, body) => {
                    Compute::ArgReduce(*op, moved(*own), new[*body])
                }
                Compute::Extreme(m) => Compute::Extreme(new[*m]),
                Compute::Same(m) => Compute::Same(new[*m]),
            };
            let guard = s.guard.map(|g| new[g]);
            if let (&Compute::Same(m), None) = (&compute, guard) {
                new.push(m);
                continue;
            }
            let inside: Vec<Loop> = nest.depends[n].iter().map(|l| moved(*l)).collect();
            let scalar = Scalar {
                elem: s.elem,
                guard,
                compute,
            };
            new.push(self.graph.push(scalar, &inside));
        }
        let component = |a: &At| match a {
            At::Affine(a) => At::Affine(affine(a)),
            At::Node(n) => At::Node(new[*n]),
        };
        // They are the same in all nests.
        for (l, range) in nest.ranges[..nest.outer].iter().enumerate() {
            self.graph.ranges[l] = Range {
                from: range.from.iter().map(affine).collect(),
                to: range.to.iter().map(component).collect(),
            };
        }
        (new[nest.root], at.iter().map(component).collect())
    }

    /// The family without members that nobody else needs; where one array is left, that alone.
    pub(super) fn finish(self, lasting: &HashSet<Var>) -> Vec<Step> {
        let mut members = self.members;
        members.retain(|m| match m.fill {
            Fill::Each(_) | Fill::At { adds: false, .. } => lasting.contains(&m.var),
            Fill::At { adds: true, .. } => true,
        });
        let Some(first) = members.first() else {
            return vec![];
        };
        let (out, ty) = (first.var, first.ty.clone());
        let root = first.fill.roots()[0];
        let nest = self.graph.finish(root);
        let work = match (&members[..], &first.fill) {
            ([_], Fill::Each(_)) => Work::Nest(nest),
            (_, Fill::Each(_) | Fill::At { .. }) => Work::Family(Box::new(Family {
                nest,
                begins: self.begins,
                members,
            })),
        };
        vec![Step { out, ty, work }]
    }
}
