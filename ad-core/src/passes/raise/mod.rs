//! Bulk to Core: the inverse of [`super::vectorise`], so that a function can call the derivative of
//! another. The derivative of a Core program is then Core again, and whatever is done with a call,
//! in loops, in branches, or to differentiate once more, is done with what Core has already.
//!
//! Every equation becomes an array by its elements, bound to a variable:
//!
//! ```text
//! y = [g] op over n × m       let y = build(i < n => build(j < m => where(g[i, j], op at i, j)))
//! literals, affine indices    written where they are read
//! a size                      integer arithmetic on lengths, integer parameters and bound integers
//! scatter                     one scatter for each part, added; what is absent is not written
//! a ⊗ b                       a sum of products of what is present
//! recurrences                 the same, on whole arrays
//! loops                       loops, whose bodies see what was given where it is
//! left >= right               a demand on what is bound first
//! ```
//!
//! Vectorising what comes out gives equations over the same arrays, with the axes of the loops
//! around the call in front of them.

mod sequence;

use crate::ir::bulk::{self, Affine, Eq, Ix, Op, Part, Program, Require, Type, Var};
use crate::ir::condition::Condition;
use crate::ir::core::{
    Binder, Block, Bound, Call, Demand, Expr, Feed, Fresh, Param, Recur, ReduceOp, Routine,
    Scatter, Sym, Ty,
};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;

/// What indices are called.
const INDICES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// A Bulk program as what a call of it stands for.
pub fn raise(program: &Program) -> Routine {
    raised(program, true)
}

/// The same without what it demands on entry, for who demands that in another way.
pub fn raise_without_demands(program: &Program) -> Routine {
    raised(program, false)
}

fn raised(program: &Program, demands: bool) -> Routine {
    let mut fresh = Fresh::default();
    let params: Vec<Param> = (program.params.iter())
        .map(|p| Param::new(fresh.sym(&p.name), core_ty(&p.ty)))
        .collect();
    let mut r = Raiser {
        program,
        function: &params,
        in_loop: false,
        vars: params.iter().map(|p| Some(p.sym.clone())).collect(),
        fresh,
        sizes: HashMap::new(),
        loops: HashMap::new(),
    };
    let mut lets = vec![];
    if let Some((sym, demands)) = r.demands().filter(|_| demands) {
        lets.push(Bound::Let(sym, demands));
    }
    let body = r.block(lets);
    Routine { params, body }
}

fn core_ty(ty: &Type) -> Ty {
    Ty {
        elem: ty.elem,
        rank: ty.rank(),
    }
}

fn index_of(sym: &Sym) -> Expr {
    Expr::var(sym, Ty::scalar(Elem::Int))
}

struct Raiser<'a> {
    program: &'a Program,
    /// The parameters of the function, whose lengths are the sizes.
    function: &'a [Param],
    /// Whether the program is the body of a loop: what that is given has the shape it should have.
    in_loop: bool,
    /// For each variable of the program the one that holds it, unless it is written where it is
    /// read.
    vars: Vec<Option<Sym>>,
    fresh: Fresh,
    /// Sizes that the program computes, each bound once: a bound inside of a loop has to be one.
    sizes: HashMap<Size, Sym>,
    /// The results of the loops met so far.
    loops: HashMap<bulk::Run<'a>, Vec<Sym>>,
}

impl<'a> Raiser<'a> {
    /// All equations, behind some bindings, and the results.
    fn block(&mut self, mut lets: Vec<Bound>) -> Block {
        let program = self.program;
        for eq in &program.eqs {
            self.bind_sizes(eq, &mut lets);
            // What is inlined has no variable.
            let is_inlined = eq.guard.is_none() && matches!(eq.op, Op::Fill(_) | Op::Index(_));
            if is_inlined {
                self.vars.push(None);
                continue;
            }
            if let Some((run, out)) = eq.loop_result() {
                let sym = self.loop_result(run, out, &mut lets);
                self.vars.push(Some(sym));
                continue;
            }
            let bound = self.equation(eq);
            let sym = self.fresh.sym("v");
            self.vars.push(Some(sym.clone()));
            lets.push(Bound::Let(sym, bound));
        }
        let results = program.results.iter().map(|v| self.whole(*v)).collect();
        Block { lets, results }
    }

    /// What must hold on entry, and that what has a shape given by others has it.
    fn demands(&mut self) -> Option<(Sym, Expr)> {
        let mut all = self.program.requires.clone();
        for (param, p) in self.program.params.iter().enumerate() {
            for (axis, n) in p.ty.shape.iter().enumerate() {
                let own = Size::dim(param, axis);
                if *n != own {
                    all.push(Require {
                        when: vec![],
                        left: own,
                        relation: bulk::Relation::Equal,
                        right: n.clone(),
                    });
                }
            }
        }
        // What is computed is not known yet, and is looked at where it is used.
        all.retain(|r| r.when.iter().chain([&r.left, &r.right]).all(on_entry));
        if all.is_empty() {
            return None;
        }
        let nothing = Expr::int(0);
        let demanded = all.iter().rev().fold(nothing, |e, r| {
            let demand = Demand {
                when: (r.when.iter())
                    .map(|s| self.condition(&s.condition()))
                    .collect(),
                left: self.size(&r.left),
                relation: r.relation,
                right: self.size(&r.right),
            };
            Expr::demand(demand, e)
        });
        Some((self.fresh.sym("fits"), demanded))
    }

    fn sum_of(terms: Vec<Expr>) -> Expr {
        let sum = (terms.into_iter()).reduce(|a, b| Expr::prim(Prim::IAdd, vec![a, b]));
        sum.unwrap_or(Expr::int(0))
    }

    /// Binds what an equation has of computed sizes.
    fn bind_sizes(&mut self, eq: &Eq, lets: &mut Vec<Bound>) {
        eq.visit_sizes(&mut |s| {
            if !on_entry(s) && !self.sizes.contains_key(s) {
                let sym = self.fresh.sym("n");
                lets.push(Bound::Let(sym.clone(), self.polynomial(s)));
                self.sizes.insert(s.clone(), sym);
            }
        });
    }

    fn size(&self, s: &Size) -> Expr {
        match self.sizes.get(s) {
            Some(sym) => index_of(sym),
            None => self.polynomial(s),
        }
    }

    fn polynomial(&self, s: &Size) -> Expr {
        let term = |(atoms, c): (&[Atom], i64)| {
            let mut factors: Vec<Expr> = atoms.iter().map(|a| self.atom(a)).collect();
            if c != 1 || factors.is_empty() {
                factors.push(Expr::int(c));
            }
            let product = (factors.into_iter()).reduce(|a, b| Expr::prim(Prim::IMul, vec![a, b]));
            product.unwrap_or(Expr::int(1))
        };
        Self::sum_of(s.terms().map(term).collect())
    }

    fn atom(&self, a: &Atom) -> Expr {
        let both = |prim, x, y| Expr::prim(prim, vec![self.size(x), self.size(y)]);
        match a {
            Atom::Dim { param, axis } => {
                let p = &self.function[*param];
                Expr::dim(Expr::var(&p.sym, p.ty), *axis)
            }
            Atom::Int { param } => {
                let p = &self.function[*param];
                let value = Expr::var(&p.sym, p.ty);
                match p.ty.elem {
                    Elem::Bool => Expr::cond(value, Expr::int(1), Expr::int(0)),
                    Elem::Int | Elem::Real => value,
                }
            }
            Atom::Value(v) => self.read(Var(*v), &[]),
            Atom::Quot(x, y) => both(Prim::IDiv, x, y),
            Atom::Rem(x, y) => both(Prim::IRem, x, y),
            Atom::Min(x, y) => both(Prim::IMin, x, y),
            Atom::Max(x, y) => both(Prim::IMax, x, y),
            Atom::Select(p, x, y) => {
                Expr::cond(self.condition(&p.condition()), self.size(x), self.size(y))
            }
        }
    }

    fn condition(&self, c: &Condition) -> Expr {
        let two =
            |p, [x, y]: &[Condition; 2]| Expr::prim(p, vec![self.condition(x), self.condition(y)]);
        match c {
            Condition::Known(holds) => Expr::lit(Lit::Bool(*holds)),
            Condition::Compare(p, x, y) => Expr::prim(*p, vec![self.size(x), self.size(y)]),
            Condition::Both(sides) => two(Prim::And, sides),
            Condition::Either(sides) => two(Prim::Or, sides),
            Condition::Choice(parts) => {
                let [c, x, y] = [0, 1, 2].map(|k| self.condition(&parts[k]));
                Expr::cond(c, x, y)
            }
        }
    }

    fn affine(&self, a: &Affine, at: &[Expr]) -> Expr {
        let mut terms = vec![];
        for (c, i) in a.coefs.iter().zip(at) {
            if c.is(0) {
                continue;
            }
            terms.push(match c.is(1) {
                true => i.clone(),
                false => Expr::prim(Prim::IMul, vec![self.size(c), i.clone()]),
            });
        }
        if !a.constant.is(0) || terms.is_empty() {
            terms.push(self.size(&a.constant));
        }
        Self::sum_of(terms)
    }

    fn index(&self, index: &[Ix], at: &[Expr]) -> Vec<Expr> {
        let component = |i: &Ix| match i {
            Ix::Affine(a) => self.affine(a, at),
            Ix::Data(v) => self.read(*v, at),
        };
        index.iter().map(component).collect()
    }

    /// The variable that holds a parameter.
    fn whole_var(&self, v: Var) -> Expr {
        match &self.vars[v.index()] {
            Some(sym) => Expr::var(sym, core_ty(self.program.ty(v))),
            None => unreachable!("parameters have variables"),
        }
    }

    /// An array as a whole.
    fn whole(&mut self, v: Var) -> Expr {
        let shape = self.program.ty(v).shape.clone();
        let is_param = !self.in_loop && v.index() < self.program.params.len();
        let own = |(axis, n): (usize, &Size)| *n == Size::dim(v.index(), axis);
        // What has to have a shape given by others is taken to have it.
        let has_shape = !is_param || shape.iter().enumerate().all(own);
        if self.vars[v.index()].is_some() && has_shape {
            return self.whole_var(v);
        }
        self.over(&shape, |r, at| r.read(v, at))
    }

    /// One element.
    fn read(&self, v: Var, at: &[Expr]) -> Expr {
        if self.vars[v.index()].is_some() {
            let whole = self.whole_var(v);
            if at.is_empty() {
                return whole;
            }
            return Expr::index(whole, at.iter().cloned().map(Some).collect());
        }
        match self.program.eq(v).map(|e| &e.op) {
            Some(Op::Fill(lit)) => Expr::lit(*lit),
            Some(Op::Index(a)) => self.affine(a, at),
            Some(
                Op::Map(..)
                | Op::Gather { .. }
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Call { .. }
                | Op::Loop { .. }
                | Op::Copy(_)
                | Op::Stop(_),
            )
            | None => unreachable!("these have variables"),
        }
    }

    /// Where an element is not a structural zero.
    fn present(&self, v: Var, at: &[Expr]) -> Option<Expr> {
        let guard = self.program.eq(v)?.guard?;
        Some(self.read(guard, at))
    }

    fn binders(&mut self, shape: &[Size]) -> (Vec<Binder>, Vec<Expr>) {
        let mut binders = vec![];
        let mut at = vec![];
        for (k, n) in shape.iter().enumerate() {
            let var = self.fresh.sym(INDICES[k % INDICES.len()]);
            at.push(index_of(&var));
            let extent = self.size(n);
            binders.push(Binder { var, extent });
        }
        (binders, at)
    }

    /// An array by its elements.
    fn over(&mut self, shape: &[Size], element: impl FnOnce(&mut Self, &[Expr]) -> Expr) -> Expr {
        let (binders, at) = self.binders(shape);
        let e = element(self, &at);
        (binders.into_iter().rev()).fold(e, |e, b| Expr::build(b.var, b.extent, e))
    }

    /// A sum over an index space.
    fn sum(&mut self, shape: &[Size], element: impl FnOnce(&mut Self, &[Expr]) -> Expr) -> Expr {
        let (binders, at) = self.binders(shape);
        let e = element(self, &at);
        let binders = binders.into_iter().rev();
        binders.fold(e, |e, b| Expr::reduce(ReduceOp::Sum, b.var, b.extent, e))
    }

    fn equation(&mut self, eq: &Eq) -> Expr {
        let whole = match &eq.op {
            Op::Scatter(parts) if eq.ty.rank() > 0 => Some(self.scatter(parts, &eq.ty.shape)),
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => Some(Expr::recur(Recur {
                factors: self.whole(*a),
                mask: mask.map(|m| self.whole(m)),
                feed: match b {
                    bulk::Feed::One => Feed::One,
                    bulk::Feed::First(v) => Feed::First(self.whole(*v)),
                    bulk::Feed::Each(v) => Feed::Each(self.whole(*v)),
                    bulk::Feed::All(v) => Feed::All(self.whole(*v)),
                },
                axis: *axis,
                reverse: *reverse,
            })),
            Op::Update {
                src, part, when, ..
            } => Some(self.update(*src, part, *when, eq)),
            Op::Call {
                unit,
                rule,
                args,
                out,
            } => Some(Expr::call(Call {
                unit: unit.clone(),
                rule: *rule,
                args: args.iter().map(|v| self.whole(*v)).collect(),
                out: *out,
            })),
            Op::Loop { .. } => unreachable!("bound by `loop_result`"),
            Op::Scatter(_)
            | Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_) => None,
        };
        if let (Some(whole), None) = (&whole, eq.guard) {
            return whole.clone();
        }
        let shape = eq.ty.shape.clone();
        let array = whole.map(|whole| (self.fresh.sym("v"), whole));
        let elements = self.over(&shape, |r, at| {
            let e = match &array {
                Some((sym, whole)) => {
                    let array = Expr::var(sym, whole.ty);
                    Expr::index(array, at.iter().cloned().map(Some).collect())
                }
                None => r.element(eq, at),
            };
            match eq.guard {
                Some(g) => Expr::only_where(r.read(g, at), e),
                None => e,
            }
        });
        match array {
            Some((sym, whole)) => Expr::bind(sym, whole, elements),
            None => elements,
        }
    }

    /// An element of what an equation defines, without its guard.
    fn element(&mut self, eq: &Eq, at: &[Expr]) -> Expr {
        match &eq.op {
            Op::Fill(lit) => Expr::lit(*lit),
            Op::Index(a) => self.affine(a, at),
            Op::Map(prim, args) => {
                Expr::prim(*prim, args.iter().map(|v| self.read(*v, at)).collect())
            }
            Op::Gather { src, index } => {
                let index = self.index(index, at);
                self.read(*src, &index)
            }
            Op::Copy(v) => self.read(*v, at),
            Op::Stop(v) => Expr::stop(self.read(*v, at)),
            Op::Reduce { op, src, axes } => {
                let shape = self.program.ty(*src).shape.clone();
                let along: Vec<Size> = axes.iter().map(|k| shape[*k].clone()).collect();
                let (binders, inner) = self.binders(&along);
                let place = merged(&shape, axes, at, &inner);
                let e = self.read(*src, &place);
                let binders = binders.into_iter().rev();
                binders.fold(e, |e, b| Expr::reduce(*op, b.var, b.extent, e))
            }
            Op::ArgReduce { op, src, axis } => {
                let shape = self.program.ty(*src).shape.clone();
                let (mut binders, inner) = self.binders(&shape[*axis..=*axis]);
                let place = merged(&shape, &[*axis], at, &inner);
                let e = self.read(*src, &place);
                match binders.pop() {
                    Some(b) => Expr::arg_reduce(*op, b.var, b.extent, e),
                    None => unreachable!("there is one axis"),
                }
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => self.contraction((*a, a_axes), (*b, b_axes), out_axes, at),
            // All places are the only one.
            Op::Scatter(parts) => {
                let mut terms = vec![];
                for part in parts {
                    let shape = self.program.ty(part.src).shape.clone();
                    terms.push(self.sum(&shape, |r, at| r.maybe(part.src, at)));
                }
                let sum = (terms.into_iter()).reduce(|a, b| Expr::prim(Prim::Add, vec![a, b]));
                sum.unwrap_or(Expr::real(0.0))
            }
            Op::Recur { .. } | Op::Update { .. } | Op::Call { .. } | Op::Loop { .. } => {
                unreachable!("these are of whole arrays")
            }
        }
    }

    /// One element, a structural zero where it is one.
    fn maybe(&self, v: Var, at: &[Expr]) -> Expr {
        let e = self.read(v, at);
        match self.present(v, at) {
            Some(c) => Expr::only_where(c, e),
            None => e,
        }
    }

    fn scatter(&mut self, parts: &[Part], shape: &[Size]) -> Expr {
        let mut sum = None;
        for part in parts {
            let mut over = self.program.ty(part.src).shape.clone();
            let rank = over.len();
            if rank == 0 {
                // A scatter runs over something.
                over.push(Size::lit(1));
            }
            let (binders, at) = self.binders(&over);
            let at = &at[..rank];
            let one = Expr::scatter(Scatter {
                extents: shape.iter().map(|n| self.size(n)).collect(),
                binders,
                lets: vec![],
                index: self.index(&part.index, at),
                value: self.maybe(part.src, at),
            });
            sum = Some(match sum {
                Some(sum) => Expr::prim(Prim::Add, vec![sum, one]),
                None => one,
            });
        }
        match sum {
            Some(sum) => sum,
            None => self.over(shape, |_, _| Expr::lit(Lit::Real(0.0))),
        }
    }

    fn contraction(
        &mut self,
        (a, a_axes): (Var, &[u8]),
        (b, b_axes): (Var, &[u8]),
        out_axes: &[u8],
        at: &[Expr],
    ) -> Expr {
        let mut labels: Vec<(u8, Size)> = vec![];
        for (v, axes) in [(a, a_axes), (b, b_axes)] {
            for (l, n) in axes.iter().zip(&self.program.ty(v).shape) {
                if !out_axes.contains(l) && labels.iter().all(|(known, _)| known != l) {
                    labels.push((*l, n.clone()));
                }
            }
        }
        let shape: Vec<Size> = labels.iter().map(|(_, n)| n.clone()).collect();
        self.sum(&shape, |r, inner| {
            let place = |axes: &[u8]| -> Vec<Expr> {
                let of = |l: &u8| match out_axes.iter().position(|o| o == l) {
                    Some(k) => at[k].clone(),
                    None => {
                        let k = labels.iter().position(|(known, _)| known == l);
                        inner[k.expect("every label is in the result or summed over")].clone()
                    }
                };
                axes.iter().map(of).collect()
            };
            let (at_a, at_b) = (place(a_axes), place(b_axes));
            let product = Expr::prim(Prim::Mul, vec![r.read(a, &at_a), r.read(b, &at_b)]);
            let here = [r.present(a, &at_a), r.present(b, &at_b)];
            let here =
                (here.into_iter().flatten()).reduce(|x, y| Expr::prim(Prim::And, vec![x, y]));
            match here {
                Some(c) => Expr::only_where(c, product),
                None => product,
            }
        })
    }
}

/// The position before a reduction along some axes.
fn merged(shape: &[Size], axes: &[usize], outer: &[Expr], inner: &[Expr]) -> Vec<Expr> {
    let (mut outer, mut inner) = (outer.iter(), inner.iter());
    let next = |k: usize| {
        let from = if axes.contains(&k) {
            inner.next()
        } else {
            outer.next()
        };
        from.expect("as many indices as axes").clone()
    };
    (0..shape.len()).map(next).collect()
}

/// Whether a size is known on entry.
fn on_entry(size: &Size) -> bool {
    let mut known = true;
    size.visit(&mut |a| known &= !matches!(a, Atom::Value(_)));
    known
}
