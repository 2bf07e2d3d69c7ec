//! What steps define, read and begin with.

use super::{Affine, At, Compute, Contribution, Nest, Node, Program, Range, Source, Step, Work};
use crate::ir::bulk::{Type, Var};
use crate::ir::ty::Size;
use std::collections::HashSet;

impl Step {
    /// What it defines, with the types.
    pub fn defines(&self) -> Vec<(Var, &Type)> {
        match &self.work {
            Work::Family(f) => f.members.iter().map(|m| (m.var, &m.ty)).collect(),
            Work::Loop(s) => s.outs.iter().map(|o| (o.var, &o.ty)).collect(),
            Work::Call(c) => c.outs.iter().map(|o| (o.var, &o.ty)).collect(),
            Work::Tiles(t) => t.outs.iter().map(|o| (o.var, &o.ty)).collect(),
            Work::Branch(b) => b.outs.iter().map(|o| (o.var, &o.ty)).collect(),
            Work::Nest(_)
            | Work::Scatter(_)
            | Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Change { .. } => vec![(self.out, &self.ty)],
        }
    }

    /// Every array that it reads, as often as it is mentioned; what it takes or copies is not among
    /// them.
    pub fn reads(&self) -> Vec<Var> {
        let mut out = vec![];
        match &self.work {
            Work::Nest(nest) => nest.reads(&mut out),
            Work::Scatter(parts) | Work::Change { parts, .. } => {
                parts.iter().for_each(|c| c.nest.reads(&mut out));
            }
            Work::Contract { a, b, .. } => out.extend([a.array, b.array]),
            Work::Recur { a, mask, b, .. } => {
                out.push(*a);
                out.extend(mask.iter().chain(&b.var()));
            }
            Work::Family(f) => f.nest.reads(&mut out),
            Work::Loop(s) => out.extend(&s.given),
            Work::Call(c) => out.extend(&c.args),
            Work::Tiles(t) => out.extend(&t.given),
            Work::Branch(b) => {
                out.push(b.when);
                out.extend(b.sides().flat_map(|side| &side.given));
            }
        }
        out
    }

    /// What it begins with.
    pub fn sources(&self) -> &[Source] {
        match &self.work {
            Work::Change { of, .. } => std::slice::from_ref(of),
            Work::Family(f) => &f.begins,
            Work::Loop(s) => &s.init,
            Work::Call(c) => &c.onto,
            Work::Contract { onto, .. } => onto.as_slice(),
            Work::Nest(_)
            | Work::Scatter(_)
            | Work::Recur { .. }
            | Work::Tiles(_)
            | Work::Branch(_) => &[],
        }
    }

    /// What it changes, and into what.
    pub fn changes(&self) -> Vec<(&Source, Var)> {
        match &self.work {
            Work::Change { of, .. } => vec![(of, self.out)],
            Work::Family(f) => f.changes().collect(),
            Work::Nest(_)
            | Work::Scatter(_)
            | Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => vec![],
        }
    }

    /// The same, to be changed.
    pub fn sources_mut(&mut self) -> &mut [Source] {
        match &mut self.work {
            Work::Change { of, .. } => std::slice::from_mut(of),
            Work::Family(f) => &mut f.begins,
            Work::Loop(s) => &mut s.init,
            Work::Call(c) => &mut c.onto,
            Work::Contract { onto, .. } => onto.as_mut_slice(),
            Work::Nest(_)
            | Work::Scatter(_)
            | Work::Recur { .. }
            | Work::Tiles(_)
            | Work::Branch(_) => &mut [],
        }
    }

    /// Calls `f` on every symbolic size that it mentions.
    pub fn visit_sizes(&self, f: &mut dyn FnMut(&Size)) {
        fn places<'a>(at: impl IntoIterator<Item = &'a At>, f: &mut dyn FnMut(&Size)) {
            for a in at {
                if let At::Affine(a) = a {
                    a.visit_sizes(f);
                }
            }
        }
        fn nest(n: &Nest, f: &mut dyn FnMut(&Size)) {
            n.loops.iter().for_each(&mut *f);
            for r in &n.ranges {
                r.from.iter().for_each(|a| a.visit_sizes(f));
                places(&r.to, f);
            }
            for s in &n.nodes {
                match &s.compute {
                    Compute::Index(a) => a.visit_sizes(f),
                    Compute::Read(_, at) => places(at, f),
                    Compute::Lit(_)
                    | Compute::Prim(..)
                    | Compute::Reduce(..)
                    | Compute::ArgReduce(..)
                    | Compute::Same(_)
                    | Compute::Extreme(_) => {}
                }
            }
        }
        for (_, ty) in self.defines() {
            ty.shape.iter().for_each(&mut *f);
        }
        match &self.work {
            Work::Nest(n) => nest(n, f),
            Work::Scatter(parts) | Work::Change { parts, .. } => {
                for c in parts {
                    nest(&c.nest, f);
                    places(&c.at, f);
                }
            }
            Work::Contract { a, b, within, .. } => {
                within.iter().for_each(|w| f(&w.by));
                for (start, len) in [a, b].into_iter().flat_map(|o| o.part.iter().flatten()) {
                    f(start);
                    f(len);
                }
            }
            Work::Family(family) => {
                nest(&family.nest, f);
                places(family.places(), f);
            }
            Work::Recur { .. } | Work::Call(_) | Work::Branch(_) => {}
            Work::Loop(s) => s.steps.iter().for_each(f),
            Work::Tiles(t) => {
                f(&t.extent);
                f(t.division.each());
            }
        }
    }
}

impl Program {
    /// The arrays that steps take.
    pub fn taken(&self) -> HashSet<Var> {
        let sources = self.steps.iter().flat_map(Step::sources);
        sources.filter_map(|s| s.taken.then_some(s.array)).collect()
    }

    /// What a step is a part of, and where: all elements behind one place of the first axes of an
    /// array. Where neither of the two is changed or returned, the part need not be an array of its
    /// own.
    pub fn part<'a>(&self, taken: &HashSet<Var>, step: &'a Step) -> Option<(Var, &'a [At])> {
        let Work::Nest(nest) = &step.work else {
            return None;
        };
        let root = &nest.nodes[nest.root];
        let (Compute::Read(v, at), None) = (&root.compute, root.guard) else {
            return None;
        };
        let first = at.len().checked_sub(nest.outer)?;
        let (first, rest) = at.split_at(first);
        let is_fixed = |a: &At| matches!(a, At::Affine(a) if a.terms.is_empty());
        let is_whole = nest.ranges[..nest.outer].iter().all(Range::is_whole);
        let is_part = nest.outer > 0 && !first.is_empty() && is_whole && first.iter().all(is_fixed);
        let in_order = (rest.iter().enumerate())
            .all(|(k, a)| matches!(a, At::Affine(a) if *a == Affine::of(k)));
        if !is_part || !in_order {
            return None;
        }
        let of = match self.params.get(v.index()) {
            Some(p) => &p.ty,
            None => {
                let mut made = self.steps.iter().flat_map(Step::defines);
                made.find_map(|(w, ty)| (w == *v).then_some(ty))?
            }
        };
        let fits = of.shape[first.len()..] == step.ty.shape;
        let stays = |v: &Var| !taken.contains(v);
        let stays = stays(v) && stays(&step.out) && !self.results.contains(&step.out);
        (fits && stays).then_some((*v, first))
    }
}

/// Whether no part reads an element of an array after it may have been changed, if it is changed in
/// place.
pub fn reads_in_time(parts: &[Contribution], array: Var, adds: bool) -> bool {
    parts.iter().enumerate().all(|(k, c)| {
        let mut reads = c.nest.nodes.iter().filter_map(|s| match &s.compute {
            Compute::Read(v, at) if *v == array => Some(at),
            Compute::Read(..)
            | Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => None,
        });
        let here = |at: &Vec<At>| {
            let affine = at.iter().all(|a| matches!(a, At::Affine(_)));
            !adds && affine && *at == c.at
        };
        match c.nest.outer {
            _ if places_read(&c.nest, &c.at, array) => false,
            // One element, which is computed before it is written.
            0 if k == 0 => true,
            _ if k == 0 => reads.all(here),
            _ => reads.next().is_none(),
        }
    })
}

/// Whether the places of a nest are found by reading an array.
fn places_read(nest: &Nest, at: &[At], array: Var) -> bool {
    let mut stack: Vec<Node> = (at.iter())
        .filter_map(|a| match a {
            At::Node(n) => Some(*n),
            At::Affine(_) => None,
        })
        .collect();
    let mut seen = HashSet::new();
    while let Some(n) = stack.pop() {
        if matches!(&nest.nodes[n].compute, Compute::Read(v, _) if *v == array) {
            return true;
        }
        stack.extend(nest.operands(n).into_iter().filter(|o| seen.insert(*o)));
    }
    false
}
