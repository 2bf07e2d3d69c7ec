//! A linear program at many tangents at once: all columns of a Jacobian in one program.
//!
//! ```text
//! y = f(x), ẏ = L(x) ẋ        Y[c, ..] = L(x) Ẋ[c, ..]       what no tangent enters has no axis c
//! ```
//!
//! The tangents are one-hot, as many as a parameter or a result has elements, or given by the
//! caller with one more axis in front. A one-hot tangent is `[i = c] u`: its zeros are structural,
//! so the simplifier computes with what is there. The unit u is a parameter, in which all that
//! follows is linear; in the end it is 1.

use super::{Known, Space, Val, Vectoriser, sequence};
use crate::ir::build::Builder;
use crate::ir::bulk::{Affine, Eq, Op, Param, Program, Require, Type, Var};
use crate::ir::core::{Bound, Expr, Routine, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::{BTreeSet, HashMap};

/// Which tangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// All that are one-hot, for one parameter after the other. The first axes of results are those
    /// of the parameter.
    OneHot,
    /// Those that the caller gives, with an axis in front.
    Given,
}

/// The results of a linear program at many tangents. `routine` is the program of `of` raised; its
/// last parameters are the tangents, from `first` on, and its first `values` results depend on no
/// tangent. They say the shapes of the tangents, if these belong to results (`by_results`).
///
/// The parameters are the first ones, and then the unit of one-hot tangents, or the given ones. If
/// they are given, the values are results. The other results come behind them, for one-hot tangents
/// once for each tangent.
///
/// # Errors
/// If the size of an array is not known before.
pub fn columns(
    of: &Program,
    routine: &Routine,
    first: usize,
    values: usize,
    by_results: Option<&[usize]>,
    tangents: Tangents,
) -> Result<Program, String> {
    let mut params: Vec<Param> = of.params[..first].to_vec();
    let extra = &of.params[first..];
    if tangents == Tangents::OneHot {
        let (elem, shape) = (Elem::Real, vec![]);
        params.push(Param {
            name: "unit".into(),
            ty: Type { elem, shape },
        });
    }
    if tangents == Tangents::Given {
        for p in extra {
            if !p.ty.shape.iter().all(|n| is_before(n, first)) {
                return Err(
                    "several tangents or cotangents at once need results whose lengths are those of arguments; \
                     use one after the other"
                        .into(),
                );
            }
            let mut ty = p.ty.clone();
            ty.shape.insert(0, Size::dim(first, 0));
            let name = p.name.clone();
            params.push(Param { name, ty });
        }
    }
    let mut v = Vectoriser {
        out: Builder::new(&of.name, params.clone()),
        env: HashMap::new(),
        next_axis: 0,
        steps: vec![],
        calls: vec![],
        conditions: HashMap::new(),
        natural: vec![],
        in_loop: false,
        was_bulk: true,
    };
    v.note_flags(&routine.params[..first]);
    for (k, p) in routine.params[..first].iter().enumerate() {
        let val = match p.ty.elem == Elem::Int && p.ty.rank == 0 {
            true => Val::Affine(Affine::constant(0, Size::atom(Atom::Int { param: k }))),
            false => Val::Array(Var(k as u32)),
        };
        v.env.insert(p.sym.clone(), Known::new(val, vec![]));
    }
    let is_own = |r: &&Require| {
        let mut sizes = r.when.iter().chain([&r.left, &r.right]);
        sizes.all(|n| is_before(n, first))
    };
    for r in of.requires.iter().filter(is_own) {
        v.out.require(r.clone());
    }
    let seeds: Vec<&Sym> = routine.params[first..].iter().map(|p| &p.sym).collect();
    let (shared, linear) = divided(&routine.body.lets, &seeds);
    let outside = Space::default();
    for b in shared {
        v.bound(b, &outside)?;
    }
    let mut results = vec![];
    let mut value_vars = vec![];
    for e in &routine.body.results[..values] {
        value_vars.push(v.whole(e, &outside)?);
    }
    let shapes: Vec<Vec<Size>> = (extra.iter().enumerate())
        .map(|(k, p)| match by_results {
            Some(at) => v.out.shape(value_vars[at[k]]),
            None => p.ty.shape.clone(),
        })
        .collect();
    let others: &[Expr] = &routine.body.results[values..];
    match tangents {
        Tangents::OneHot => {
            for (k, shape) in shapes.iter().enumerate() {
                let space = v.along(shape);
                for (other, shape) in shapes.iter().enumerate() {
                    let known = match k == other {
                        true => Known::new(
                            Val::Array(v.one_hot(Var(first as u32), shape)),
                            space.ids.clone(),
                        ),
                        false => Known::new(Val::Array(v.nothing(shape)), vec![]),
                    };
                    v.env.insert(seeds[other].clone(), known);
                }
                results.extend(v.at(&linear, others, &space)?);
            }
        }
        Tangents::Given => {
            results = value_vars;
            let count = Size::dim(first, 0);
            let space = v.along(std::slice::from_ref(&count));
            for (k, seed) in seeds.iter().enumerate() {
                let given = Var((first + k) as u32);
                let known = Known::new(Val::Array(given), space.ids.clone());
                v.env.insert((*seed).clone(), known);
            }
            results.extend(v.at(&linear, others, &space)?);
        }
    }
    Ok(v.out.finish(results))
}

/// Whether a size is made of the first parameters alone.
fn is_before(n: &Size, first: usize) -> bool {
    let mut before = true;
    n.visit(&mut |a| match a {
        Atom::Dim { param, .. } | Atom::Int { param } => before &= *param < first,
        Atom::Value(_) => before = false,
        Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {}
    });
    before
}

/// Bindings that depend on no tangent, and the others.
fn divided<'b>(lets: &'b [Bound], seeds: &[&Sym]) -> (Vec<&'b Bound>, Vec<&'b Bound>) {
    let mut on: BTreeSet<Sym> = seeds.iter().map(|s| (*s).clone()).collect();
    lets.iter().partition(|b| {
        let depends = match b {
            Bound::Let(_, e) => sequence::mentioned([e]),
            Bound::Loop(l) => sequence::free(l),
        };
        let depends = depends.iter().any(|s| on.contains(s));
        if depends {
            on.extend(b.syms().into_iter().cloned());
        }
        !depends
    })
}

impl Vectoriser {
    /// The space of indices below these sizes.
    fn along(&mut self, shape: &[Size]) -> Space {
        let mut space = Space::default();
        for n in shape {
            space.axes.push(n.clone());
            space.ids.push(self.next_axis);
            self.next_axis += 1;
        }
        space
    }

    /// For each place of a shape an array of this shape that has the unit there, and nothing
    /// elsewhere.
    fn one_hot(&mut self, unit: Var, shape: &[Size]) -> Var {
        if shape.is_empty() {
            return unit;
        }
        let rank = shape.len();
        let all: Vec<Size> = shape.iter().chain(shape).cloned().collect();
        let mut guard = None;
        for k in 0..rank {
            let at = self.out.index(Affine::axis(2 * rank, k), &all);
            let own = self.out.index(Affine::axis(2 * rank, rank + k), &all);
            let here = self.out.map(Prim::IEq, &[own, at], None);
            guard = self.out.both(guard, Some(here));
        }
        self.out.gather(unit, vec![], &all, guard)
    }

    /// An array without an element.
    fn nothing(&mut self, shape: &[Size]) -> Var {
        let ty = Type {
            elem: Elem::Real,
            shape: shape.to_vec(),
        };
        let op = Op::Scatter(vec![]);
        let guard = None;
        self.out.push(Eq { ty, guard, op })
    }

    /// Results over a space, behind its axes.
    fn at(
        &mut self,
        linear: &[&Bound],
        results: &[Expr],
        space: &Space,
    ) -> Result<Vec<Var>, String> {
        for b in linear {
            self.bound(b, space)?;
        }
        results.iter().map(|e| self.whole(e, space)).collect()
    }
}
