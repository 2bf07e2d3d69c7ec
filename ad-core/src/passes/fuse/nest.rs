//! The nest of a stored array.

use super::graph::Graph;
use super::{follow, with_loops};
use crate::ir::bulk::{Ix, Op, Program, Var};
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, At, Compute, Loop, Nest, Node, Scalar};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use std::collections::HashMap;

/// A nest under construction.
pub(super) struct NestBuilder<'a> {
    program: &'a Program,
    stored: &'a [bool],
    graph: Graph,
    done: HashMap<(Var, Vec<Affine>), Node>,
}

impl<'a> NestBuilder<'a> {
    pub(super) fn new(program: &'a Program, stored: &'a [bool], outer: &[Size]) -> Self {
        NestBuilder {
            program,
            stored,
            graph: Graph::new(outer.to_vec(), outer.len()),
            done: HashMap::new(),
        }
    }

    pub(super) fn finish(self, root: Node) -> Nest {
        self.graph.finish(root)
    }

    fn push(&mut self, elem: Elem, guard: Option<Node>, compute: Compute) -> Node {
        let scalar = Scalar {
            elem,
            guard,
            compute,
        };
        self.graph.push(scalar, &[])
    }

    /// One component of a place to read or write.
    pub(super) fn at(&mut self, i: &Ix, place: &[Affine]) -> At {
        match i {
            Ix::Affine(a) => At::Affine(follow(a, place)),
            Ix::Data(d) => At::Node(self.value(*d, place)),
        }
    }

    /// An element of a variable: read if it is stored, computed if not.
    pub(super) fn value(&mut self, v: Var, place: &[Affine]) -> Node {
        if self.stored[v.index()] {
            let at = place.iter().cloned().map(At::Affine).collect();
            let elem = self.program.ty(v).elem;
            return self.push(elem, None, Compute::Read(v, at));
        }
        self.compute(v, place)
    }

    /// An element of a variable with its guard, which a stored array has lost: where it is a
    /// structural zero nothing is to be written or added.
    pub(super) fn contribution(&mut self, v: Var, place: &[Affine]) -> Node {
        let n = self.value(v, place);
        match self.program.eq(v).and_then(|e| e.guard) {
            Some(g) if self.stored[v.index()] => {
                let guard = self.value(g, place);
                self.push(self.program.ty(v).elem, Some(guard), Compute::Same(n))
            }
            _ => n,
        }
    }

    /// A term of a sum: of a stored array only those are read that its guard's bounds leave.
    fn term(&mut self, v: Var, place: &[Affine]) -> Node {
        let guard = self.program.eq(v).and_then(|e| e.guard);
        match guard.is_some_and(|g| bounds_positions(self.program, g)) {
            true => self.contribution(v, place),
            false => self.value(v, place),
        }
    }

    /// A value that is written where `when` holds. It may be a structural zero, which is written as
    /// well.
    pub(super) fn replacement(&mut self, elem: Elem, value: Node, when: Option<Node>) -> Node {
        let guard = self.graph.scalar(value).guard;
        let value = match guard {
            Some(g) if guard != when => {
                let zero = self.push(elem, None, Compute::Lit(Lit::zero(elem)));
                self.push(
                    elem,
                    None,
                    Compute::Prim(Prim::Select, vec![g, value, zero]),
                )
            }
            Some(_) | None => value,
        };
        match when {
            Some(_) => self.push(elem, when, Compute::Same(value)),
            None => value,
        }
    }

    /// The value where an extremum is.
    pub(super) fn extreme(&mut self, place: Node) -> Node {
        let guard = self.graph.scalar(place).guard;
        self.push(Elem::Real, guard, Compute::Extreme(place))
    }

    /// An element of a variable, computed here.
    pub(super) fn compute(&mut self, v: Var, place: &[Affine]) -> Node {
        let key = (v, place.to_vec());
        if let Some(&n) = self.done.get(&key) {
            return n;
        }
        let eq = self.program.eq(v).expect("parameters are stored");
        let guard = eq.guard.map(|g| self.value(g, place));
        let compute = match &eq.op {
            Op::Fill(l) => Compute::Lit(*l),
            Op::Index(a) => {
                let a = follow(a, place);
                match a.constant.as_lit() {
                    Some(k) if a.terms.is_empty() => Compute::Lit(Lit::Int(k)),
                    _ => Compute::Index(a),
                }
            }
            Op::Map(p, args) => {
                let args = args.iter().map(|a| self.value(*a, place)).collect();
                Compute::Prim(*p, args)
            }
            Op::Gather { src, index } => {
                let at: Vec<At> = index.iter().map(|i| self.at(i, place)).collect();
                let affine: Option<Vec<Affine>> = (at.iter())
                    .map(|a| match a {
                        At::Affine(a) => Some(a.clone()),
                        At::Node(_) => None,
                    })
                    .collect();
                match affine {
                    Some(inner) if !self.stored[src.index()] => {
                        Compute::Same(self.compute(*src, &inner))
                    }
                    _ => Compute::Read(*src, at),
                }
            }
            Op::Reduce { op, src, axes } => {
                let (inner, own) = self.enter(*src, place, axes);
                let body = match op {
                    ReduceOp::Sum => self.term(*src, &inner),
                    ReduceOp::Product | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => {
                        self.value(*src, &inner)
                    }
                };
                Compute::Reduce(*op, own, body)
            }
            Op::ArgReduce { op, src, axis } => {
                let (inner, own) = self.enter(*src, place, &[*axis]);
                let body = self.value(*src, &inner);
                Compute::ArgReduce(*op, own[0], body)
            }
            Op::Copy(a) | Op::Stop(a) => Compute::Same(self.value(*a, place)),
            Op::Scatter(parts) if parts.is_empty() => Compute::Lit(Lit::Real(0.0)),
            Op::Scatter(_)
            | Op::Contract { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. } => {
                unreachable!("steps of their own are stored")
            }
        };
        let n = if let (&Compute::Same(n), None) = (&compute, guard) {
            n
        } else {
            self.push(eq.ty.elem, guard, compute)
        };
        self.done.insert(key, n);
        n
    }

    fn enter(&mut self, src: Var, place: &[Affine], axes: &[usize]) -> (Vec<Affine>, Vec<Loop>) {
        let first = self.graph.loops.len();
        let mut next = first;
        let inner = with_loops(place, axes, &mut next);
        let shape = &self.program.ty(src).shape;
        for &k in axes {
            self.graph.enter(shape[k].clone());
        }
        (inner, (first..next).collect())
    }
}

/// Whether a condition is a comparison of positions, or all of some.
fn bounds_positions(program: &Program, condition: Var) -> bool {
    let is_position = |v: &Var| {
        let eq = program.eq(*v).filter(|e| e.guard.is_none());
        eq.is_some_and(|e| matches!(e.op, Op::Index(_) | Op::Fill(_)))
    };
    let Some(eq) = program.eq(condition).filter(|e| e.guard.is_none()) else {
        return false;
    };
    let Op::Map(prim, args) = &eq.op else {
        return false;
    };
    let compares = matches!(prim, Prim::ILt | Prim::ILe | Prim::IGt | Prim::IGe);
    match *prim == Prim::And {
        true => args.iter().all(|&a| bounds_positions(program, a)),
        false => compares && args.iter().all(is_position),
    }
}
