//! Forward mode: every equation that depends on a differentiated parameter gets a second one, for
//! its tangent, which is linear in the tangents of the parameters.
//!
//! Writing `ẋ` for the tangent of `x`, and `[g]` for the guard of the equation:
//!
//! ```text
//! y = [g] p(a, b, ..)          ẏ = Σ [g] ∂p/∂a · ȧ         (the row of p in the table of primitives)
//! y = [g] select(c, a, b)      ẏ = [g] select(c, ȧ, ḃ)     (one of them missing: [g and c] ȧ)
//! y = [g] L(a)                 ẏ = [g] L(ȧ)                for gather, scatter, sum, copy
//! y = [g] a ⊗ b                ẏ = [g] ȧ ⊗ b + a ⊗ ḃ       for contractions
//! y = product of n of a        y = s_n for the running products s of a
//! y = max of a                 ẏ = ȧ[argmax a]
//! y = logsumexp of a           ẏ = Σ exp(a - y) ȧ
//! y = a with b at i            ẏ = ȧ with ḃ at i
//! y_{k+1} = a_k y_k + b_{k+1}  ẏ_{k+1} = a_k ẏ_k + (ȧ_k y_k + ḃ_{k+1})
//! ```
//!
//! Sequential loops are in `sequence.rs`.
//!
//! The guard keeps a branch that was not taken from contributing anything, whatever its partial
//! derivatives are there.

mod later;
mod narrow;
mod pad;
mod preaccumulate;
mod ragged;
mod sequence;
mod undo;
mod unit;
mod unread;

use crate::ir::build::{Builder, Elementwise, translate_ix};
use crate::ir::bulk::{Eq, Feed, Ix, Looped, Op, Param, Part, Program, Var};
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::linear::{Linearised, Recurrence, Undone, at_extremum, before, selected, weights};
use crate::ir::prims::{Partial, Prim};
use crate::ir::ty::{Elem, Lit, Size};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use undo::visit_all;

/// Linearises a program with respect to some of its parameters. Loops are taken apart: one computes
/// values and keeps what the other needs, which is linear in the tangents, so that the program can
/// be transposed.
pub fn linearise(primal: &Program, wrt: &[usize]) -> Linearised {
    linearised_with(primal, wrt, false)
}

/// The same, with the residuals of calls of the function itself on a tape.
pub fn linearise_on_tape(primal: &Program, wrt: &[usize]) -> Linearised {
    linearised_with(primal, wrt, true)
}

fn linearised_with(primal: &Program, wrt: &[usize], tape: bool) -> Linearised {
    let primal = &narrow::narrowed(primal);
    let shared = Shared::of(primal, tape);
    let invariant = vec![false; primal.params.len()];
    let of = (wrt, &invariant[..]);
    let mut l = linearised(&unread::marked(primal), of, Loops::Apart, &shared);
    if shared.marks_mislead.get() {
        return linearised(primal, of, Loops::Apart, &Shared::of(primal, tape));
    }
    l.program = unread::unmarked(&l.program);
    l
}

/// Linearises a program that is not going to be transposed. Loops compute values and tangents
/// together.
pub fn forward(primal: &Program, wrt: &[usize]) -> Linearised {
    let invariant = vec![false; primal.params.len()];
    let shared = Shared::of(primal, false);
    linearised(primal, (wrt, &invariant), Loops::Together, &shared)
}

/// How values and tangents of loops are computed.
#[derive(Clone, Copy, PartialEq)]
enum Loops {
    /// In one loop.
    Together,
    /// In two.
    Apart,
}

/// What the programs of a function share while they are linearised.
struct Shared {
    /// The name of the function.
    own: String,
    /// Whether gradients of its calls of itself are residuals (`unit.rs`).
    keeps_gradients: bool,
    /// Whether the residuals of its calls of itself are on a tape (`unit.rs`).
    tape: bool,
    /// The linearised bodies of loops, by what they are differentiated in and which parameters are
    /// invariant: a loop in a loop is asked for as often as the states of that one turn out to have
    /// tangents.
    bodies: RefCell<HashMap<Body, Linearised>>,
    /// A loop is run again from an array that its marks keep from being put back.
    marks_mislead: Cell<bool>,
}

/// The body of a loop: what it is differentiated in, and which of its parameters are invariant.
type Body = (Looped, Vec<usize>, Vec<bool>);

impl Shared {
    fn of(primal: &Program, tape: bool) -> Rc<Shared> {
        Rc::new(Shared {
            own: primal.name.clone(),
            keeps_gradients: !unit::calls_enter_linearly(primal, &primal.name),
            tape,
            bodies: RefCell::default(),
            marks_mislead: Cell::default(),
        })
    }
}

fn linearised(
    primal: &Program,
    (wrt, invariant): (&[usize], &[bool]),
    loops: Loops,
    shared: &Rc<Shared>,
) -> Linearised {
    let mut params = primal.params.clone();
    for &k in wrt {
        params.push(Param {
            name: format!("{}_tangent", primal.params[k].name),
            ty: primal.params[k].ty.clone(),
        });
    }
    let count = primal.params.len();
    let mut l = Lineariser {
        out: Builder::new(&primal.name, params),
        new: (0..count).map(|k| Var(k as u32)).collect(),
        tangent: vec![None; count],
        constant: (primal.params.iter())
            .map(|p| p.ty.elem != Elem::Real)
            .collect(),
        invariant: invariant.to_vec(),
        loops,
        shared: shared.clone(),
        done: vec![],
        restored: vec![],
        undone: vec![],
    };
    let tangents: Vec<Var> = (0..wrt.len()).map(|k| Var((count + k) as u32)).collect();
    for (&k, &t) in wrt.iter().zip(&tangents) {
        l.tangent[k] = Some(t);
    }
    for r in &primal.requires {
        l.out.require(r.clone());
    }
    for eq in &primal.eqs {
        let (y, t) = match l.product(eq) {
            Some((y, t)) => (y, Some(t)),
            None if matches!(eq.op, Op::Loop { .. }) => l.looped(eq),
            None => {
                let new = &l.new;
                let mut y = None;
                if let Op::Reduce { op, src, axes } = &eq.op
                    && l.tangent[src.index()].is_some()
                {
                    let guard = eq.guard.map(|g| new[g.index()]);
                    y = l.extremum_value(*op, new[src.index()], axes, guard);
                }
                let of = l.on_tape(eq);
                let new = &l.new;
                let y = y.unwrap_or_else(|| l.out.copy(&of, &mut |v| new[v.index()]));
                let real = eq.ty.elem == Elem::Real;
                (y, if real { l.tangent_of(eq, y) } else { None })
            }
        };
        let (mut constant, mut invariant) = (true, true);
        eq.visit(&mut |v| constant &= l.constant[v.index()]);
        visit_all(eq, &mut |v| invariant &= l.invariant[v.index()]);
        l.new.push(y);
        l.tangent.push(t);
        l.constant.push(constant);
        l.invariant.push(invariant);
    }
    let results: Vec<Var> = primal.results.iter().map(|r| l.new[r.index()]).collect();
    let result_tangents: Vec<Option<Var>> = primal
        .results
        .iter()
        .map(|r| l.tangent[r.index()])
        .collect();
    let mut all = results.clone();
    for (&r, t) in results.iter().zip(&result_tangents) {
        if l.out.ty(r).elem != Elem::Real {
            continue;
        }
        all.push(match t {
            Some(t) => *t,
            None => {
                let shape = l.out.shape(r);
                l.out.fill(Lit::Real(0.0), &shape)
            }
        });
    }
    let (program, restored, undone) = (l.out.finish(all), l.restored, l.undone);
    let seeds = (0..program.params.len()).map(|k| tangents.contains(&Var(k as u32)));
    let linear = program.dependent(seeds.collect());
    Linearised {
        program,
        linear,
        tangents,
        result_tangents,
        restored,
        undone,
    }
}

struct Lineariser {
    out: Builder,
    /// For each variable of the original: the same in the result, its tangent, whether it depends
    /// on no real parameter, and whether it is the same in all steps of a loop around it that may
    /// have several.
    new: Vec<Var>,
    tangent: Vec<Option<Var>>,
    constant: Vec<bool>,
    invariant: Vec<bool>,
    loops: Loops,
    shared: Rc<Shared>,
    /// The loops that are done.
    done: Vec<sequence::Done>,
    /// Results of loops that take back what others did.
    restored: Vec<Var>,
    undone: Vec<Undone>,
}

impl Lineariser {
    fn t(&self, v: Var) -> Option<Var> {
        self.tangent[v.index()]
    }

    fn add(&mut self, terms: Vec<Var>, guard: Option<Var>) -> Option<Var> {
        let mut terms = terms.into_iter();
        let first = terms.next()?;
        Some(terms.fold(first, |a, b| self.out.map(Prim::Add, &[a, b], guard)))
    }

    /// The same operation on the tangents. `eq` is in terms of the original, `y` of the result.
    fn tangent_of(&mut self, eq: &Eq, y: Var) -> Option<Var> {
        let new = |v: Var| self.new[v.index()];
        let guard = eq.guard.map(new);
        let ty = self.out.ty(y).clone();
        match &eq.op {
            Op::Update {
                src, part, when, ..
            } => {
                let (src, value) = (self.t(*src), self.t(part.src));
                if src.is_none() && value.is_none() {
                    return None;
                }
                let zeros = |l: &mut Self, t: Option<Var>, shape: &[Size]| {
                    t.unwrap_or_else(|| l.out.fill(Lit::Real(0.0), shape))
                };
                let written = self.out.shape(new(part.src));
                let src = zeros(self, src, &ty.shape);
                let value = zeros(self, value, &written);
                let part = Part {
                    src: value,
                    index: self.translate(&part.index),
                };
                let when = when.map(|w| self.new[w.index()]);
                let op = Op::update(src, part, when);
                Some(self.out.push(Eq { ty, guard, op }))
            }
            Op::Call { .. } => self.called(eq, y),
            Op::Loop { .. } => unreachable!("done by `looped`"),
            Op::Fill(_) | Op::Index(_) | Op::ArgReduce { .. } | Op::Stop(_) => None,
            Op::Copy(a) => {
                let t = self.t(*a)?;
                Some(self.out.masked(t, guard))
            }
            Op::Map(Prim::Select, args) => {
                let c = new(args[0]);
                let arms = (self.t(args[1]), self.t(args[2]));
                selected(&mut self.out, c, arms, guard)
            }
            Op::Map(p, args) => self.map(*p, args, y, guard),
            Op::Gather { src, index } => {
                let t = self.t(*src)?;
                let index = self.translate(index);
                Some(self.out.gather(t, index, &ty.shape, guard))
            }
            Op::Scatter(parts) => {
                let mut tangents = vec![];
                for p in parts {
                    if let Some(src) = self.t(p.src) {
                        let index = self.translate(&p.index);
                        tangents.push(Part { src, index });
                    }
                }
                if tangents.is_empty() {
                    return None;
                }
                let op = Op::Scatter(tangents);
                Some(self.out.push(Eq { ty, guard, op }))
            }
            Op::Reduce { op, src, axes } => {
                let t = self.t(*src)?;
                let x = new(*src);
                Some(match op {
                    ReduceOp::Sum => self.out.sum(t, axes, guard),
                    ReduceOp::Product => unreachable!("made of running products"),
                    ReduceOp::Max => {
                        at_extremum(&mut self.out, Extremum::Max, (x, t), axes[0], guard)
                    }
                    ReduceOp::Min => {
                        at_extremum(&mut self.out, Extremum::Min, (x, t), axes[0], guard)
                    }
                    ReduceOp::LogSumExp => self.logsumexp(x, t, y, axes[0], guard),
                })
            }
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => {
                let r = Recurrence {
                    a: new(*a),
                    mask: mask.map(new),
                    axis: *axis,
                    reverse: *reverse,
                };
                let fed = match b {
                    Feed::One => None,
                    Feed::First(v) => self.t(*v).map(Feed::First),
                    Feed::Each(v) => self.t(*v).map(Feed::Each),
                    Feed::All(v) => self.t(*v).map(Feed::All),
                };
                let mut terms: Vec<Var> = vec![];
                terms.extend(fed.map(|b| r.fed(&mut self.out, b)));
                terms.extend(self.t(*a).map(|ta| self.along(&r, y, ta)));
                self.add(terms, None)
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let pairs = [
                    self.t(*a).map(|ta| (ta, new(*b))),
                    self.t(*b).map(|tb| (new(*a), tb)),
                ];
                let mut terms = vec![];
                for (a, b) in pairs.into_iter().flatten() {
                    let op = Op::Contract {
                        a,
                        b,
                        a_axes: a_axes.clone(),
                        b_axes: b_axes.clone(),
                        out_axes: out_axes.clone(),
                    };
                    let ty = ty.clone();
                    terms.push(self.out.push(Eq { ty, guard, op }));
                }
                self.add(terms, guard)
            }
        }
    }

    /// An index map in terms of the result.
    fn translate(&self, index: &[Ix]) -> Vec<Ix> {
        let mut of = |v: Var| self.new[v.index()];
        index.iter().map(|i| translate_ix(i, &mut of)).collect()
    }

    fn map(&mut self, p: Prim, args: &[Var], y: Var, guard: Option<Var>) -> Option<Var> {
        let tangents: Vec<Option<Var>> = args.iter().map(|a| self.t(*a)).collect();
        if tangents.iter().all(Option::is_none) {
            return None;
        }
        let xs: Vec<Var> = args.iter().map(|a| self.new[a.index()]).collect();
        let constant: Vec<bool> = args.iter().map(|a| self.constant[a.index()]).collect();
        let shape = self.out.shape(y);
        let mut rows = Elementwise {
            builder: &mut self.out,
            shape,
            guard,
        };
        let partials = p.partials(&mut rows, &xs, &y, &constant);
        let mut terms = vec![];
        for (partial, t) in partials.into_iter().zip(tangents) {
            let Some(t) = t else { continue };
            match partial {
                Partial::Zero => {}
                Partial::One => terms.push(self.out.masked(t, guard)),
                Partial::MinusOne => terms.push(self.out.map(Prim::Neg, &[t], guard)),
                Partial::Times(x) => terms.push(self.out.map(Prim::Mul, &[x, t], guard)),
                Partial::Over(x) => terms.push(self.out.map(Prim::Div, &[t, x], guard)),
                Partial::Where(c) => {
                    let g = self.out.both(guard, Some(c));
                    terms.push(self.out.masked(t, g));
                }
            }
        }
        self.add(terms, guard)
    }

    /// A product and its tangent: the last one of the running products, exact where factors are
    /// zero. A factor `select(c, x, 1)` is x under a mask.
    fn product(&mut self, eq: &Eq) -> Option<(Var, Var)> {
        let Op::Reduce {
            op: ReduceOp::Product,
            src,
            axes,
        } = &eq.op
        else {
            return None;
        };
        let t = self.t(*src)?;
        let guard = eq.guard.map(|g| self.new[g.index()]);
        let mut a = self.new[src.index()];
        let shape = self.out.shape(a);
        let mut mask = before(&mut self.out, guard, axes[0], &shape);
        if let Some((c, x)) = self.factors(a) {
            a = x;
            mask = self.out.both(mask, Some(c));
        }
        let r = Recurrence {
            a,
            mask,
            axis: axes[0],
            reverse: false,
        };
        let states = r.fed(&mut self.out, Feed::One);
        let tangents = self.along(&r, states, t);
        Some(
            [states, tangents]
                .map(|s| r.last(&mut self.out, s, guard))
                .into(),
        )
    }

    /// Where an array is not the literal 1 by construction, and what it is there.
    fn factors(&mut self, v: Var) -> Option<(Var, Var)> {
        let Some(Eq {
            guard: None,
            op: Op::Map(Prim::Select, args),
            ..
        }) = self.out.eq(v)
        else {
            return None;
        };
        let &[c, x, other] = &args[..] else {
            return None;
        };
        let is_one = |v: Var| match self.out.eq(v) {
            Some(eq) => eq.guard.is_none() && eq.op == Op::Fill(Lit::Real(1.0)),
            None => false,
        };
        if is_one(other) {
            return Some((c, x));
        }
        is_one(x).then(|| (self.out.map(Prim::Not, &[c], None), other))
    }

    /// The tangents of the states of a recurrence, as far as they are due to its factors: what
    /// these change of each state enters with the next.
    fn along(&mut self, r: &Recurrence, states: Var, ta: Var) -> Var {
        let each = r.along(&mut self.out, states, ta);
        r.fed(&mut self.out, Feed::Each(each))
    }

    /// `max of x = select(e > -∞, e, -∞)` with `e = [n > 0] x[argmax x]`, and the same for the
    /// minimum: what the tangent needs as well is searched for once.
    fn extremum_value(
        &mut self,
        op: ReduceOp,
        x: Var,
        axes: &[usize],
        guard: Option<Var>,
    ) -> Option<Var> {
        let (extremum, beyond) = match op {
            ReduceOp::Max => (Extremum::Max, Prim::Gt),
            ReduceOp::Min => (Extremum::Min, Prim::Lt),
            ReduceOp::Sum | ReduceOp::Product | ReduceOp::LogSumExp => return None,
        };
        // What is masked is better searched twice, each time where it is not, than stored.
        let is_masked = self
            .out
            .eq(x)
            .is_some_and(|e| matches!(e.op, Op::Map(Prim::Select, _)));
        if self.out.ty(x).elem != Elem::Real || is_masked {
            return None;
        }
        let e = at_extremum(&mut self.out, extremum, (x, x), axes[0], guard);
        let (shape, some) = (self.out.shape(e), self.out.guard(e));
        let nothing = self.out.fill(op.identity(Elem::Real), &shape);
        let is_any = self.out.map(beyond, &[e, nothing], some);
        Some(self.out.map(Prim::Select, &[is_any, e, nothing], guard))
    }

    fn logsumexp(&mut self, x: Var, t: Var, y: Var, axis: usize, guard: Option<Var>) -> Var {
        let (w, inner) = weights(&mut self.out, (x, y), axis, guard);
        let terms = self.out.map(Prim::Mul, &[w, t], inner);
        self.out.sum(terms, &[axis], guard)
    }
}
