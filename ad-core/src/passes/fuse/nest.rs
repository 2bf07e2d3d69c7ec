//! The nest of a stored array, its scalars shared by construction.

use super::{follow, with_loops};
use crate::ir::bulk::{Ix, Op, Program, Var};
use crate::ir::kernel::{Affine, At, Compute, Loop, Nest, Node, Scalar};
use crate::ir::ty::{Elem, Lit, Size};
use std::collections::HashMap;

/// A nest under construction.
pub(super) struct NestBuilder<'a> {
    program: &'a Program,
    stored: &'a [bool],
    loops: Vec<Size>,
    outer: usize,
    nodes: Vec<Scalar>,
    depends: Vec<Vec<Loop>>,
    known: HashMap<Scalar, Node>,
    done: HashMap<(Var, Vec<Affine>), Node>,
}

impl<'a> NestBuilder<'a> {
    pub(super) fn new(program: &'a Program, stored: &'a [bool], outer: &[Size]) -> Self {
        NestBuilder {
            program,
            stored,
            loops: outer.to_vec(),
            outer: outer.len(),
            nodes: vec![],
            depends: vec![],
            known: HashMap::new(),
            done: HashMap::new(),
        }
    }

    pub(super) fn finish(self, root: Node) -> Nest {
        Nest {
            loops: self.loops,
            outer: self.outer,
            nodes: self.nodes,
            depends: self.depends,
            root,
        }
    }

    fn push(&mut self, elem: Elem, guard: Option<Node>, compute: Compute) -> Node {
        let scalar = Scalar {
            elem,
            guard,
            compute,
        };
        if let Some(&n) = self.known.get(&scalar) {
            return n;
        }
        let mut depends: Vec<Loop> = (scalar.operands().iter())
            .flat_map(|&n| self.depends[n].clone())
            .collect();
        let affine = |a: &Affine| a.terms.iter().map(|(l, _)| *l).collect::<Vec<_>>();
        match &scalar.compute {
            Compute::Index(a) => depends.extend(affine(a)),
            Compute::Read(_, at) => {
                for a in at {
                    if let At::Affine(a) = a {
                        depends.extend(affine(a));
                    }
                }
            }
            Compute::Reduce(_, own, _) => depends.retain(|l| !own.contains(l)),
            Compute::ArgReduce(_, own, _) => depends.retain(|l| l != own),
            Compute::Lit(_) | Compute::Prim(..) | Compute::Same(_) => {}
        }
        depends.sort_unstable();
        depends.dedup();
        self.nodes.push(scalar.clone());
        self.depends.push(depends);
        self.known.insert(scalar, self.nodes.len() - 1);
        self.nodes.len() - 1
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

    /// An element of a variable that is to be scattered: a stored array no longer knows where it is a
    /// structural zero, and there nothing may be written.
    pub(super) fn contribution(&mut self, v: Var, place: &[Affine]) -> Node {
        let n = self.value(v, place);
        match self.program.eq(v).and_then(|e| e.guard) {
            Some(g) if self.stored[v.index()] => {
                let guard = self.value(g, place);
                self.push(Elem::Real, Some(guard), Compute::Same(n))
            }
            _ => n,
        }
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
                let body = self.value(*src, &inner);
                Compute::Reduce(*op, own, body)
            }
            Op::ArgReduce { op, src, axis } => {
                let (inner, own) = self.enter(*src, place, &[*axis]);
                let body = self.value(*src, &inner);
                Compute::ArgReduce(*op, own[0], body)
            }
            Op::Copy(a) | Op::Stop(a) => Compute::Same(self.value(*a, place)),
            Op::Scatter(parts) if parts.is_empty() => Compute::Lit(Lit::Real(0.0)),
            Op::Scatter(_) | Op::Contract { .. } | Op::Recur { .. } => {
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
        let first = self.loops.len();
        let mut next = first;
        let inner = with_loops(place, axes, &mut next);
        let shape = &self.program.ty(src).shape;
        self.loops.extend(axes.iter().map(|&k| shape[k].clone()));
        (inner, (first..next).collect())
    }
}
