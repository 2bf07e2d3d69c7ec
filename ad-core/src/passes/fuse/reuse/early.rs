//! Elements of an array that are read before something else changes it.
//!
//! ```text
//! u' = u with u[i] + v[j] at i            b = v[j]
//! v' = v with v[j] + u[i] at j    ─▶      a = u[i]
//!                                         u' = u with u[i] + b at i
//!                                         v' = v with v[j] + a at j
//! ```
//!
//! Each update reads an element that the other one overwrites, so neither can come first, and one
//! array would be copied. Reading the two elements first is cheaper: they have fewer axes.

use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{
    Affine, At, Compute, Form, Loop, Nest, Node, Program, Range, Scalar, Step, Work,
};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::HashMap;

/// Makes what these steps read of these arrays steps of their own. Whether there is any.
pub(super) fn read(program: &mut Program, late: &[(usize, Var)]) -> bool {
    let mut rank: HashMap<Var, usize> = (0..)
        .map(Var)
        .zip(program.params.iter().map(|p| p.ty.rank()))
        .collect();
    let made = program.steps.iter().flat_map(Step::defines);
    rank.extend(made.map(|(v, ty)| (v, ty.rank())));
    let mut next = rank.keys().map(|v| v.0 + 1).max().unwrap_or(0);
    let mut before: Vec<(usize, Step)> = vec![];
    for (k, array) in late {
        if matches!(program.steps[*k].work, Work::Family(_)) {
            continue;
        }
        let mut known: Vec<(Nest, Var)> = vec![];
        for nest in program.steps[*k].nests_mut() {
            for n in 0..nest.nodes.len() {
                if nest.nodes[n].read() != Some(*array) {
                    continue;
                }
                let Some(element) = element(nest, n).filter(|e| e.outer < rank[array]) else {
                    continue;
                };
                let same = known.iter().find(|(of, _)| *of == element);
                let v = same.map_or(Var(next), |(_, v)| *v);
                let at = nest.depends[n].iter().map(|l| At::Affine(Affine::of(*l)));
                nest.nodes[n].compute = Compute::Read(v, at.collect());
                if v.0 == next {
                    next += 1;
                    known.push((element.clone(), v));
                    let ty = Type {
                        elem: nest.nodes[n].elem,
                        shape: element.loops.clone(),
                    };
                    let work = Work::Nest(element);
                    before.push((*k, Step { out: v, ty, work }));
                }
            }
        }
    }
    let is_any = !before.is_empty();
    // The places of the others stay as long as they are needed.
    before.sort_by_key(|(k, _)| *k);
    for (k, step) in before.into_iter().rev() {
        program.steps.insert(k, step);
    }
    is_any
}

/// What a node reads, over the outer loops that it depends on, where the other loops run.
fn element(nest: &Nest, n: Node) -> Option<Nest> {
    let loops: &[Loop] = &nest.depends[n];
    let is_outer = |l: &Loop| *l < nest.outer && nest.ranges[*l].is_whole();
    let below = nest.reached(&[n]);
    let below = || (0..=n).filter(|m| below[*m]);
    let others = || (0..nest.loops.len()).filter(|l| !loops.contains(l));
    let is_possible = loops.iter().all(is_outer)
        && below().all(|m| nest.nodes[m].own().is_empty())
        && others().all(|l| nest.ranges[l].is_whole());
    if !is_possible {
        return None;
    }
    let place = |l: Loop| loops.iter().position(|o| *o == l).unwrap_or(l);
    let affine = |a: &Affine| Affine {
        // Loops keep their order.
        terms: (a.terms.iter())
            .map(|(l, c)| (place(*l), c.clone()))
            .collect(),
        constant: a.constant.clone(),
    };
    let mut nodes = Nodes::default();
    let mut runs = None;
    for l in others().filter(|l| !nest.loops[*l].at_least(1)) {
        let zero = nodes.push(Elem::Int, None, Compute::Lit(Lit::Int(0)), vec![]);
        let length = Compute::Index(Affine::constant(nest.loops[l].clone()));
        let length = nodes.push(Elem::Int, None, length, vec![]);
        let less = Compute::Prim(Prim::ILt, vec![zero, length]);
        let runs_here = nodes.push(Elem::Bool, None, less, vec![]);
        runs = nodes.both(runs, Some(runs_here));
    }
    let mut new = vec![0; n + 1];
    for m in below() {
        let s = &nest.nodes[m];
        let node = |m: &Node| new[*m];
        let compute = match &s.compute {
            Compute::Lit(l) => Compute::Lit(*l),
            Compute::Index(a) => Compute::Index(affine(a)),
            Compute::Read(v, at) => {
                let at = at.iter().map(|a| match a {
                    At::Affine(a) => At::Affine(affine(a)),
                    At::Node(m) => At::Node(node(m)),
                });
                Compute::Read(*v, at.collect())
            }
            Compute::Prim(p, args) => Compute::Prim(*p, args.iter().map(node).collect()),
            Compute::Same(m) => Compute::Same(node(m)),
            Compute::Extreme(m) => Compute::Extreme(node(m)),
            Compute::Reduce(..) | Compute::ArgReduce(..) => unreachable!("nothing is reduced"),
        };
        let own = s.guard.as_ref().map(node);
        let guard = nodes.both(own, runs);
        let depends = nest.depends[m].iter().map(|l| place(*l)).collect();
        new[m] = nodes.push(s.elem, guard, compute, depends);
    }
    let Nodes { nodes, depends } = nodes;
    Some(Nest {
        loops: loops.iter().map(|l| nest.loops[*l].clone()).collect(),
        ranges: vec![Range::default(); loops.len()],
        outer: loops.len(),
        root: nodes.len() - 1,
        nodes,
        depends,
        form: Form::Plain,
    })
}

/// The nodes of a new nest.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Scalar>,
    depends: Vec<Vec<Loop>>,
}

impl Nodes {
    fn push(
        &mut self,
        elem: Elem,
        guard: Option<Node>,
        compute: Compute,
        depends: Vec<Loop>,
    ) -> Node {
        self.nodes.push(Scalar {
            elem,
            guard,
            compute,
        });
        self.depends.push(depends);
        self.nodes.len() - 1
    }

    /// A condition that holds where two of them hold.
    fn both(&mut self, a: Option<Node>, b: Option<Node>) -> Option<Node> {
        let (Some(x), Some(y)) = (a, b) else {
            return a.or(b);
        };
        let mut depends: Vec<Loop> = [&self.depends[x][..], &self.depends[y]].concat();
        depends.sort_unstable();
        depends.dedup();
        let both = Compute::Prim(Prim::And, vec![x, y]);
        Some(self.push(Elem::Bool, None, both, depends))
    }
}
