//! Building Bulk programs. Equal equations are one equation: common subexpressions are shared by
//! construction.

use super::bulk::{Affine, Eq, Ix, Looped, Op, Param, Program, Relation, Require, Type, Var};
use super::core::ReduceOp;
use super::prims::{Prim, Scalars};
use super::ty::{Atom, Elem, Lit, Size};
use super::unit::{Called, Given, Length, Rule, Tape};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash for equations: quick rather than proof against chosen keys, which nobody chooses here.
#[derive(Clone, Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(u64::from(b)));
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, n: i64) {
        self.write_u64(n as u64);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }

    fn finish(&self) -> u64 {
        // Tables use the upper bits and the lower ones.
        self.0 ^ (self.0 >> 32)
    }
}

/// A program under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    program: Program,
    known: HashMap<Eq, Var, BuildHasherDefault<Mixer>>,
    required: HashSet<Require>,
}

impl Builder {
    /// A program without equations.
    pub fn new(name: &str, params: Vec<Param>) -> Builder {
        Builder {
            program: Program {
                name: name.to_owned(),
                params,
                eqs: vec![],
                results: vec![],
                requires: vec![],
            },
            known: HashMap::default(),
            required: HashSet::new(),
        }
    }

    /// The type of a variable.
    pub fn ty(&self, v: Var) -> &Type {
        self.program.ty(v)
    }

    /// The shape of a variable.
    pub fn shape(&self, v: Var) -> Vec<Size> {
        self.ty(v).shape.clone()
    }

    /// The equation of a variable.
    pub fn eq(&self, v: Var) -> Option<&Eq> {
        self.program.eq(v)
    }

    /// How many equations there are.
    pub fn equations(&self) -> usize {
        self.program.eqs.len()
    }

    /// The name of a parameter.
    pub fn is_param(&self, v: Var) -> Option<&str> {
        self.program.params.get(v.index()).map(|p| &*p.name)
    }

    /// The guard of a variable's equation: outside of it the variable is a structural zero.
    pub fn guard(&self, v: Var) -> Option<Var> {
        self.eq(v).and_then(|e| e.guard)
    }

    /// Says the shape of a parameter anew: sizes that the program computes have names only when it
    /// has equations.
    pub fn set_param_shape(&mut self, param: usize, shape: Vec<Size>) {
        self.program.params[param].ty.shape = shape;
    }

    /// The finished program.
    pub fn finish(mut self, results: Vec<Var>) -> Program {
        self.program.results = results;
        self.program
    }

    /// Adds a relation that must hold on entry, once.
    pub fn require(&mut self, r: Require) {
        if self.required.insert(r.clone()) {
            self.program.requires.push(r);
        }
    }

    /// What is demanded on entry.
    pub fn requires(&self) -> &[Require] {
        &self.program.requires
    }

    /// Adds `left >= 0`, or `left == 0`, unless it is evident. Relations about computed values are
    /// left to the place of use.
    pub fn require_sign(&mut self, when: &[Size], left: &Size, relation: Relation) {
        let mut on_entry = true;
        let mut look = |s: &Size| s.visit(&mut |a| on_entry &= !matches!(a, Atom::Value(_)));
        look(left);
        when.iter().for_each(look);
        if on_entry {
            let require = Require::of(when.to_vec(), left, relation);
            require.cases().into_iter().for_each(|r| self.require(r));
        }
    }

    /// Demands on entry that an index lies in `0..n` everywhere in an index space, if that can be
    /// said by sizes that are known on entry, if the sizes in `when` are positive. An affine
    /// component of an unguarded read or write is one for which this was possible; what cannot be
    /// said here is checked where it is used.
    pub fn demand_inside(&mut self, a: &Affine, axes: &[Size], when: &[Size], n: &Size) -> bool {
        let Some((low, high)) = a.range(axes) else {
            return false;
        };
        let room = n.sub(&high).plus(-1);
        let mut known = true;
        for s in axes.iter().chain([&low, &room]) {
            s.visit(&mut |a| known &= !matches!(a, Atom::Value(_)));
        }
        if known {
            let when: Vec<Size> = axes.iter().chain(when).cloned().collect();
            self.require_sign(&when, &low, Relation::AtLeast);
            self.require_sign(&when, &room, Relation::AtLeast);
        }
        known
    }

    /// The variable of an equation that is there already.
    pub fn find(&self, eq: &Eq) -> Option<Var> {
        self.known.get(eq).copied()
    }

    /// Adds an equation, or finds the one that is equal to it.
    pub fn push(&mut self, eq: Eq) -> Var {
        if let Some(&v) = self.known.get(&eq) {
            return v;
        }
        let v = self.program.var_of(self.program.eqs.len());
        self.known.insert(eq.clone(), v);
        self.program.eqs.push(eq);
        v
    }

    fn op(&mut self, elem: Elem, shape: Vec<Size>, guard: Option<Var>, op: Op) -> Var {
        let ty = Type { elem, shape };
        self.push(Eq { ty, guard, op })
    }

    /// The same element everywhere.
    pub fn fill(&mut self, lit: Lit, shape: &[Size]) -> Var {
        self.op(lit.elem(), shape.to_vec(), None, Op::Fill(lit))
    }

    /// An affine function of the position.
    pub fn index(&mut self, a: Affine, shape: &[Size]) -> Var {
        debug_assert_eq!(a.coefs.len(), shape.len());
        self.op(Elem::Int, shape.to_vec(), None, Op::Index(a))
    }

    /// A primitive, elementwise.
    pub fn map(&mut self, prim: Prim, args: &[Var], guard: Option<Var>) -> Var {
        let last = self.ty(*args.last().expect("primitives have arguments"));
        let (elem, shape) = (prim.result(last.elem), last.shape.clone());
        self.op(elem, shape, guard, Op::Map(prim, args.to_vec()))
    }

    /// `out[p] = src[index(p)]`
    pub fn gather(&mut self, src: Var, index: Vec<Ix>, shape: &[Size], guard: Option<Var>) -> Var {
        let elem = self.ty(src).elem;
        self.op(elem, shape.to_vec(), guard, Op::Gather { src, index })
    }

    /// The array `src` as one over `shape` whose axis `axes[k]` is its axis k; the others repeat
    /// it.
    pub fn spread(&mut self, src: Var, axes: &[usize], shape: &[Size]) -> Var {
        let rank = shape.len();
        if rank == axes.len() && axes.iter().enumerate().all(|(k, &a)| k == a) {
            return src;
        }
        let index = (axes.iter())
            .map(|&a| Ix::Affine(Affine::axis(rank, a)))
            .collect();
        self.gather(src, index, shape, None)
    }

    /// The reverse of removing `axes` from `shape`: `src` repeated along them.
    pub fn spread_over(&mut self, src: Var, axes: &[usize], shape: &[Size]) -> Var {
        let kept: Vec<usize> = (0..shape.len()).filter(|k| !axes.contains(k)).collect();
        self.spread(src, &kept, shape)
    }

    /// The array with its first `count` axes behind all others.
    pub fn first_axes_last(&mut self, v: Var, count: usize) -> Var {
        let shape = self.shape(v);
        let rank = shape.len();
        if count == 0 || count == rank {
            return v;
        }
        let last: Vec<Size> = [&shape[count..], &shape[..count]].concat();
        let index = (0..rank)
            .map(|k| Ix::Affine(Affine::axis(rank, (k + rank - count) % rank)))
            .collect();
        self.gather(v, index, &last, None)
    }

    /// A result of a call of a unit. `like` is the shape of what a tangent or an accumulator
    /// belongs to.
    pub fn call(
        &mut self,
        unit: &Called,
        rule: Rule,
        args: &[Var],
        out: usize,
        like: Option<&[Size]>,
    ) -> Var {
        let shape = match (unit.given(rule, out), like) {
            (Given::Derivative(_) | Given::Residual, Some(shape)) => shape.to_vec(),
            (Given::Derivative(k), None) => self.shape(args[unit.real_args()[k]]),
            (Given::Length(..) | Given::Place | Given::Residual, _) => vec![],
            (Given::Result(k), _) => {
                let lengths = unit.results[k].lengths.iter().enumerate();
                let open = unit.open();
                let mut shape = vec![];
                for (axis, n) in lengths {
                    shape.push(match n {
                        Length::Fixed(n) => Size::lit(*n),
                        Length::Axis { arg, axis } => self.shape(args[*arg])[*axis].clone(),
                        Length::Open => {
                            let at = open.iter().position(|o| *o == (k, axis));
                            let at = unit.results.len() + at.expect("what is open has a length");
                            let length = self.call(unit, rule, args, at, None);
                            Size::atom(Atom::Value(length.0))
                        }
                    });
                }
                shape
            }
        };
        let op = Op::Call {
            unit: unit.clone(),
            rule,
            args: args.to_vec(),
            out,
        };
        let ty = unit
            .gives(rule, out)
            .expect("residuals are loaded by `load`");
        self.op(ty.elem, shape, None, op)
    }

    /// A residual from a place on the tape of a unit.
    pub fn load(&mut self, unit: &Called, place: Var, out: usize, ty: Type) -> Var {
        let op = Op::Call {
            unit: unit.clone(),
            rule: Rule::Tape(Tape::Load),
            args: vec![place],
            out,
        };
        self.op(ty.elem, ty.shape, None, op)
    }

    /// All results of a loop: states, stacks and the count of steps. What is collected by a loop with
    /// a condition is as long as that count.
    pub fn run(
        &mut self,
        looped: &Looped,
        steps: Option<&Size>,
        given: &[Var],
        init: &[Var],
    ) -> Vec<Var> {
        let op = |out: usize| Op::Loop {
            looped: looped.clone(),
            steps: steps.cloned(),
            given: given.to_vec(),
            init: init.to_vec(),
            out,
        };
        let count = self.op(Elem::Int, vec![], None, op(looped.count()));
        let length = steps.cloned();
        let length = length.unwrap_or_else(|| Size::atom(Atom::Value(count.0)));
        let body = &looped.body;
        let mut all = vec![];
        for (k, r) in body.results.iter().enumerate() {
            let ty = match init.get(k) {
                Some(v) => self.ty(*v).clone(),
                None => {
                    let ty = body.ty(*r);
                    // Sizes that are computed outside are given.
                    let own =
                        (ty.shape.iter()).map(|s| translate_size(s, &mut |v| given[v.index()]));
                    Type {
                        elem: ty.elem,
                        shape: std::iter::once(length.clone()).chain(own).collect(),
                    }
                }
            };
            all.push(self.op(ty.elem, ty.shape, None, op(k)));
        }
        all.push(count);
        all
    }

    /// A sum over some axes.
    pub fn sum(&mut self, src: Var, axes: &[usize], guard: Option<Var>) -> Var {
        self.reduce(ReduceOp::Sum, src, axes, guard)
    }

    /// A reduction over some axes.
    pub fn reduce(&mut self, op: ReduceOp, src: Var, axes: &[usize], guard: Option<Var>) -> Var {
        if axes.is_empty() {
            return self.masked(src, guard);
        }
        let ty = self.ty(src).clone();
        let shape = without(&ty.shape, axes);
        let axes = axes.to_vec();
        self.op(ty.elem, shape, guard, Op::Reduce { op, src, axes })
    }

    /// `src` where the guard holds.
    pub fn masked(&mut self, src: Var, guard: Option<Var>) -> Var {
        if guard.is_none() || self.guard(src) == guard {
            return src;
        }
        let ty = self.ty(src).clone();
        self.op(ty.elem, ty.shape, guard, Op::Copy(src))
    }

    /// What an array is everywhere, as a scalar, if that can be seen: it is made of literals,
    /// sizes and scalars by comparisons and truth values, which have a value in any case.
    pub fn uniform(&mut self, v: Var) -> Option<Var> {
        let mut done = HashMap::new();
        self.is_uniform(v, &mut HashSet::new())
            .then(|| self.scalar_of(v, &mut done))
    }

    fn is_uniform(&self, v: Var, seen: &mut HashSet<Var>) -> bool {
        if self.ty(v).rank() == 0 || !seen.insert(v) {
            return true;
        }
        let Some(eq) = self.eq(v).filter(|eq| eq.guard.is_none()) else {
            return false;
        };
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "what these are made of is the same everywhere; of others it is not known"
        )]
        match &eq.op {
            Op::Fill(_) => true,
            Op::Index(a) => a.is_constant(),
            Op::Gather { src, .. } => self.ty(*src).rank() == 0,
            Op::Map(_, args) if eq.ty.elem == Elem::Bool => {
                args.iter().all(|x| self.is_uniform(*x, seen))
            }
            _ => false,
        }
    }

    fn scalar_of(&mut self, v: Var, done: &mut HashMap<Var, Var>) -> Var {
        if self.ty(v).rank() == 0 {
            return v;
        }
        if let Some(&known) = done.get(&v) {
            return known;
        }
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "it is known to be made of these only"
        )]
        let scalar = match self.eq(v).map(|eq| eq.op.clone()) {
            Some(Op::Fill(l)) => self.fill(l, &[]),
            Some(Op::Index(a)) => self.index(Affine::constant(0, a.constant), &[]),
            Some(Op::Gather { src, .. }) => src,
            Some(Op::Map(p, args)) => {
                let args: Vec<Var> = args.iter().map(|x| self.scalar_of(*x, done)).collect();
                self.map(p, &args, None)
            }
            Some(_) | None => unreachable!("it is the same everywhere"),
        };
        done.insert(v, scalar);
        scalar
    }

    /// The conjunction of two guards.
    pub fn both(&mut self, a: Option<Var>, b: Option<Var>) -> Option<Var> {
        match (a, b) {
            (None, g) | (g, None) => g,
            (Some(a), Some(b)) if a == b || self.implies(a, b) => Some(a),
            (Some(a), Some(b)) if self.implies(b, a) => Some(b),
            (Some(a), Some(b)) => Some(self.map(Prim::And, &[a, b], None)),
        }
    }

    /// Whether `a` is a conjunction that has `b` among its members.
    pub fn implies(&self, a: Var, b: Var) -> bool {
        let mut seen = HashSet::from([a]);
        let mut waiting = vec![a];
        while let Some(a) = waiting.pop() {
            if a == b {
                return true;
            }
            // What `a` is made of comes before it.
            if let Some(Op::Map(Prim::And, args)) = self.eq(a).map(|e| &e.op) {
                let members = args.iter().filter(|x| **x >= b);
                waiting.extend(members.filter(|x| seen.insert(**x)));
            }
        }
        false
    }

    /// `left < right` for two affine functions of the position.
    pub fn less(&mut self, left: Affine, right: Affine, shape: &[Size]) -> Var {
        let (l, r) = (self.index(left, shape), self.index(right, shape));
        self.map(Prim::ILt, &[l, r], None)
    }

    /// Copies an equation of another program, its variables translated by `of`.
    pub fn copy(&mut self, eq: &Eq, of: &mut dyn FnMut(Var) -> Var) -> Var {
        let eq = translate(eq, of);
        self.push(eq)
    }
}

/// An equation with its variables replaced, also those inside sizes.
pub fn translate(eq: &Eq, of: &mut dyn FnMut(Var) -> Var) -> Eq {
    let of = std::cell::RefCell::new(of);
    eq.map(&mut |v| (of.borrow_mut())(v), &mut |s| {
        translate_size(s, &mut *of.borrow_mut())
    })
}

/// A component of an index map with its variables replaced, also those inside sizes.
pub fn translate_ix(i: &Ix, of: &mut dyn FnMut(Var) -> Var) -> Ix {
    match i {
        Ix::Affine(a) => Ix::Affine(Affine {
            coefs: a.coefs.iter().map(|c| translate_size(c, of)).collect(),
            constant: translate_size(&a.constant, of),
        }),
        Ix::Data(v) => Ix::Data(of(*v)),
    }
}

/// A size with the computed values in it replaced.
pub fn translate_size(s: &Size, of: &mut dyn FnMut(Var) -> Var) -> Size {
    let mut computed = false;
    s.visit(&mut |a| computed |= matches!(a, Atom::Value(_)));
    if !computed {
        return s.clone();
    }
    s.substitute(&mut |a| match a {
        Atom::Value(v) => Size::atom(Atom::Value(of(Var(*v)).0)),
        Atom::Dim { .. }
        | Atom::Int { .. }
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => Size::atom(a.clone()),
    })
}

/// A shape without some of its axes.
pub fn without(shape: &[Size], axes: &[usize]) -> Vec<Size> {
    (shape.iter().enumerate())
        .filter(|(k, _)| !axes.contains(k))
        .map(|(_, s)| s.clone())
        .collect()
}

/// Partial derivatives built as equations over arrays of one shape, under one guard.
pub struct Elementwise<'a> {
    /// Where they are added.
    pub builder: &'a mut Builder,
    /// The shape.
    pub shape: Vec<Size>,
    /// The guard.
    pub guard: Option<Var>,
}

impl Scalars<Var> for Elementwise<'_> {
    fn prim(&mut self, prim: Prim, args: &[Var]) -> Var {
        self.builder.map(prim, args, self.guard)
    }
    fn lit(&mut self, lit: Lit) -> Var {
        let shape = self.shape.clone();
        self.builder.fill(lit, &shape)
    }
}
