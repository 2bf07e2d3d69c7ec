//! `f32` beside `f64`: which numbers of a program are `f32`, and where these are rounded.
//!
//! The program computes in `f64`. Casts are [`Prim::Single`], which rounds, and [`Prim::Double`].
//! All else that meets has one type in Rust, so unification finds the type of every expression.
//! What an operation on `f32` gives is then rounded: for `+ - * /` and `sqrt` that is exactly the
//! result of `f32`, since `f64` has more than twice its digits. Sums, and the
//! products that they are of, are rounded once, at the end.

use crate::front::signature::Signature;
use crate::ir::core::{Block, Bound, Expr, Kind, Loop, Program, ReduceOp, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::HashMap;

/// What is known of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    Single,
    Double,
}

/// Types that are the same, as a union of sets.
#[derive(Default)]
struct Types {
    parent: Vec<usize>,
    known: Vec<Known>,
    of: HashMap<Sym, usize>,
    /// The type of each expression, in the order in which both walks meet them.
    all: Vec<usize>,
}

/// Rounds what is `f32` in a program of that signature.
pub(super) fn settle(program: &mut Program, signature: &Signature) {
    let mut types = Types::default();
    for (param, (_, leaf)) in program.params.iter().zip(signature.leaves()) {
        let id = types.var(&param.sym);
        types.know(id, known(leaf.ty.is_single()));
    }
    let mut parts = types.parts(program.body.parts());
    types.bounds(&program.body.lets, &mut parts);
    for (id, leaf) in parts.zip(signature.result.tree.leaves()) {
        types.know(id, known(leaf.is_single()));
    }
    let mut next = 0;
    for part in program.body.parts_mut() {
        types.round(part, &mut next, false);
    }
}

/// Whether a program has `f32` beside `f64`.
pub(super) fn is_mixed(body: &Block) -> bool {
    fn look(e: &Expr) -> bool {
        let is_cast = matches!(&*e.kind, Kind::Prim(p, _) if p.is_cast_of_reals());
        is_cast || e.parts().into_iter().any(look)
    }
    body.parts().into_iter().any(look)
}

fn known(is_single: bool) -> Known {
    match is_single {
        true => Known::Single,
        false => Known::Double,
    }
}

type Parts = std::vec::IntoIter<usize>;

impl Types {
    fn fresh(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.known.push(Known::Nothing);
        self.parent.len() - 1
    }

    fn var(&mut self, sym: &Sym) -> usize {
        if let Some(id) = self.of.get(sym) {
            return *id;
        }
        let id = self.fresh();
        self.of.insert(sym.clone(), id);
        id
    }

    fn root(&mut self, mut id: usize) -> usize {
        while self.parent[id] != id {
            self.parent[id] = self.parent[self.parent[id]];
            id = self.parent[id];
        }
        id
    }

    /// The first that is known stays: rustc reports others.
    fn know(&mut self, id: usize, known: Known) {
        let id = self.root(id);
        if self.known[id] == Known::Nothing {
            self.known[id] = known;
        }
    }

    fn same(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let known = self.known[b];
        self.parent[b] = a;
        self.know(a, known);
    }

    fn parts(&mut self, parts: Vec<&Expr>) -> Parts {
        let ids: Vec<usize> = parts.into_iter().map(|e| self.expr(e)).collect();
        ids.into_iter()
    }

    fn expr(&mut self, e: &Expr) -> usize {
        let at = self.all.len();
        self.all.push(0);
        let mut parts = self.parts(e.parts());
        let mut next = || parts.next().expect("as many as there are");
        let id = match &*e.kind {
            Kind::Var(sym) => self.var(sym),
            Kind::Prim(prim @ (Prim::Single | Prim::Double), _) => {
                let id = self.fresh();
                self.know(id, known(*prim == Prim::Single));
                id
            }
            Kind::Prim(_, args) => {
                let id = self.fresh();
                for (arg, part) in args.iter().zip(parts) {
                    if arg.ty.elem == Elem::Real {
                        self.same(id, part);
                    }
                }
                id
            }
            Kind::Let(sym, ..) => {
                let var = self.var(sym);
                self.same(var, next());
                next()
            }
            Kind::Loop(l, _) => {
                self.looped(l, &mut parts);
                parts.next().expect("what stands behind it")
            }
            Kind::If(..) => {
                let (_, then, other) = (next(), next(), next());
                self.same(then, other);
                then
            }
            Kind::Build(..) | Kind::Reduce(..) | Kind::Where(..) => {
                next();
                next()
            }
            Kind::Scatter(s) => {
                let before = s.extents.len() + s.binders.len();
                let mut parts: Parts = parts.skip(before).collect::<Vec<_>>().into_iter();
                self.bounds(&s.lets, &mut parts);
                parts.last().expect("a value")
            }
            Kind::Update(_) => {
                let array = next();
                let value = parts.last().expect("a value");
                self.same(array, value);
                array
            }
            Kind::Index(..) | Kind::Stop(_) => next(),
            Kind::Recur(r) => {
                let factors = next();
                for (part, id) in r.parts().skip(1).zip(parts) {
                    if part.ty.elem == Elem::Real {
                        self.same(factors, id);
                    }
                }
                factors
            }
            Kind::Demand(..) => parts.last().expect("a value"),
            // Units compute in `f64`.
            Kind::Call(_) => {
                let id = self.fresh();
                for part in parts {
                    self.know(part, Known::Double);
                }
                self.know(id, Known::Double);
                id
            }
            Kind::Lit(_) | Kind::ArgReduce(..) | Kind::Dim(..) => self.fresh(),
        };
        self.all[at] = id;
        id
    }

    /// What is bound, given the types of all parts.
    fn bounds(&mut self, lets: &[Bound], parts: &mut Parts) {
        for bound in lets {
            match bound {
                Bound::Let(sym, _) => {
                    let var = self.var(sym);
                    let value = parts.next().expect("a value");
                    self.same(var, value);
                }
                Bound::Loop(l) => self.looped(l, parts),
            }
        }
    }

    fn looped(&mut self, l: &Loop, parts: &mut Parts) {
        for (state, _) in &l.states {
            let var = self.var(state);
            let first = parts.next().expect("a first state");
            self.same(var, first);
        }
        parts.next();
        self.bounds(&l.body.lets, parts);
        for (k, out) in l.outs.iter().enumerate() {
            let result = parts.next().expect("a result");
            let out = self.var(out);
            self.same(out, result);
            if let Some((state, _)) = l.states.get(k) {
                let state = self.var(state);
                self.same(out, state);
            }
        }
    }

    /// Rounds what is `f32`, except where it is rounded by what takes it.
    fn round(&mut self, e: &mut Expr, next: &mut usize, is_rounded: bool) {
        let id = self.root(self.all[*next]);
        let is_single = self.known[id] == Known::Single && e.ty.elem == Elem::Real;
        *next += 1;
        let is_rounding = matches!(&*e.kind, Kind::Prim(Prim::Single, _));
        let is_sum = is_single && matches!(&*e.kind, Kind::Reduce(ReduceOp::Sum, ..));
        for part in e.parts_mut() {
            let is_product = matches!(&*part.kind, Kind::Prim(Prim::Mul, _));
            self.round(part, next, is_rounding || is_sum && is_product);
        }
        if !is_single || is_rounded {
            return;
        }
        match &mut *e.kind {
            Kind::Lit(Lit::Real(x)) => *x = f64::from(*x as f32),
            Kind::Prim(prim, _) if prim.is_exact() => {}
            Kind::Prim(..) | Kind::Scatter(_) => rounded(e),
            Kind::Reduce(op, ..) => match op {
                ReduceOp::Sum | ReduceOp::Product | ReduceOp::LogSumExp => rounded(e),
                ReduceOp::Max | ReduceOp::Min => {}
            },
            Kind::Lit(_)
            | Kind::Var(_)
            | Kind::Let(..)
            | Kind::Loop(..)
            | Kind::If(..)
            | Kind::Build(..)
            | Kind::ArgReduce(..)
            | Kind::Index(..)
            | Kind::Update(_)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Recur(_)
            | Kind::Demand(..)
            | Kind::Call(_) => {}
        }
    }
}

fn rounded(e: &mut Expr) {
    let value = std::mem::replace(e, Expr::int(0));
    *e = Expr::prim(Prim::Single, vec![value]);
}

/// A real number as an `f32`.
pub(super) fn single(e: Expr) -> Expr {
    if let Kind::Lit(Lit::Real(x)) = &*e.kind
        && f64::from(*x as f32) == *x
    {
        return e;
    }
    Expr::prim(Prim::Single, vec![e])
}

/// A real number as an `f64`.
pub(super) fn double(e: Expr) -> Expr {
    Expr::prim(Prim::Double, vec![e])
}
