//! Nests with their loops in another order.

use super::{Affine, At, Compute, Form, Loop, Nest, Node, Range};

impl Nest {
    /// Whether something would be computed in each step of the sum that does not depend on it.
    pub fn repeats(&self, own: &[Loop], body: Node) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![body];
        while let Some(n) = open.pop() {
            if std::mem::replace(&mut seen[n], true) {
                continue;
            }
            let costs = match &self.nodes[n].compute {
                Compute::Prim(p, _) => p.cost() > 0,
                Compute::Reduce(..) | Compute::ArgReduce(..) => true,
                Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Read(..)
                | Compute::Same(_)
                | Compute::Extreme(_) => false,
            };
            if costs && !own.iter().all(|l| self.depends[n].contains(l)) {
                return true;
            }
            open.extend(self.operands(n));
        }
        false
    }

    /// The nest of one of its nodes, with all loops in another order.
    pub fn reordered(&self, order: &[Loop], outer: usize, root: Node) -> Nest {
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let affine = |a: &Affine| {
            let mut terms: Vec<_> = (a.terms.iter())
                .map(|(l, c)| (place[*l], c.clone()))
                .collect();
            terms.sort_by_key(|(l, _)| *l);
            let constant = a.constant.clone();
            Affine { terms, constant }
        };
        let at = |a: &At| match a {
            At::Affine(a) => At::Affine(affine(a)),
            At::Node(n) => At::Node(*n),
        };
        let range = |l: &Loop| {
            let Range { from, to } = &self.ranges[*l];
            Range {
                from: from.iter().map(affine).collect(),
                to: to.iter().map(at).collect(),
            }
        };
        let mut nodes = self.nodes.clone();
        nodes.truncate(root + 1);
        for s in &mut nodes {
            match &mut s.compute {
                Compute::Index(a) => *a = affine(a),
                Compute::Read(_, place) => place.iter_mut().for_each(|a| *a = at(a)),
                Compute::Reduce(_, own, _) => own.iter_mut().for_each(|l| *l = place[*l]),
                Compute::ArgReduce(_, own, _) => *own = place[*own],
                Compute::Lit(_) | Compute::Prim(..) | Compute::Same(_) | Compute::Extreme(_) => {}
            }
        }
        let depends = self.depends[..root + 1].iter().map(|loops| {
            let mut loops: Vec<Loop> = loops.iter().map(|&l| place[l]).collect();
            loops.sort_unstable();
            loops
        });
        Nest {
            loops: order.iter().map(|&l| self.loops[l].clone()).collect(),
            ranges: order.iter().map(range).collect(),
            outer,
            depends: depends.collect(),
            nodes,
            root,
            form: Form::Plain,
        }
    }
}
