//! Calls of units.
//!
//! A unit takes whole arguments. Where an index space is around the call, or a condition, it stands
//! in a loop: along the leading axis of the space, element by element, or once if the condition
//! holds.
//!
//! ```text
//! V[g(e)]  over nothing                = g(V[e])
//! V[g(e)]  where c, over nothing       = stack, for one step if c, of g(V[e]); what it stacked
//! V[g(e)]  over n × m                  = stack, for i < n, of V[g(e[i])] over m
//! ```
//!
//! The results of the function itself are always those of its value, so that they have one name
//! whatever else is asked for.

use super::sequence::mentioned;
use super::{Axis, Known, Space, Val, Vectoriser};
use crate::ir::build::Builder;
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Type, Var};
use crate::ir::core::{self, Call, Expr, Keep, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Lit, Size};
use crate::ir::unit::{Given, Rule};

/// A call that is known: everything it gives, over these axes.
#[derive(Clone)]
pub(super) struct Done {
    call: Call,
    over: Vec<Axis>,
    guard: Option<Var>,
    results: Vec<Var>,
}

impl Vectoriser {
    /// A result of a call, over the space.
    pub(super) fn call(&mut self, c: &Call, space: &Space) -> Result<Val, String> {
        let mut c = c.clone();
        if c.out < c.unit.primal(c.rule) {
            c.args.truncate(c.unit.args.len());
            c.rule = Rule::Value;
        }
        let vars = mentioned(&c.args);
        let narrower = self.without_others(&vars, space);
        let inner = narrower.as_ref().unwrap_or(space);
        let results = self.rebound(&vars, inner, |v| v.all_results(&c, inner))?;
        let val = Val::Array(results[c.out]);
        Ok(self.widen(&Known::new(val, inner.ids.clone()), space))
    }

    fn all_results(&mut self, c: &Call, space: &Space) -> Result<Vec<Var>, String> {
        let depth = space.axes.len();
        let same = |d: &&Done| {
            (&d.call.unit, d.call.rule, &d.call.args) == (&c.unit, c.rule, &c.args)
                && d.over == space.ids
                && (d.guard.is_none() || d.guard == space.guard)
        };
        if let Some(done) = self.calls.iter().find(same) {
            return Ok(done.results.clone());
        }
        let results = if depth == 0 && space.guard.is_none() {
            let mut args = vec![];
            for a in &c.args {
                args.push(self.whole(a, space)?);
            }
            let all = 0..c.unit.count(c.rule);
            all.map(|out| called(&mut self.out, c, &args, out))
                .collect()
        } else {
            self.in_a_loop(c, space)?
        };
        self.calls.push(Done {
            call: c.clone(),
            over: space.ids.clone(),
            guard: space.guard,
            results: results.clone(),
        });
        Ok(results)
    }

    /// The call in a loop along the leading axis of the space; or, without axes, in one that takes
    /// a step if the guard holds.
    fn in_a_loop(&mut self, c: &Call, space: &Space) -> Result<Vec<Var>, String> {
        let peel = !space.axes.is_empty();
        let steps = match space.axes.first() {
            Some(n) => n.clone(),
            None => {
                let one = self.out.fill(Lit::Int(1), &[]);
                let none = self.out.fill(Lit::Int(0), &[]);
                let guard = space.guard.unwrap_or(one);
                let n = self.out.map(Prim::Select, &[guard, one, none], None);
                Size::atom(Atom::Value(n.0))
            }
        };
        let shell = core::Loop::shell(&c.args);
        let mut body = self.open(&shell, &[], Some(&steps), space, peel);
        if !peel {
            (body.space.guard, body.space.masked) = (None, false);
        }
        let inside = body.space.clone();
        let found = body.inner.all_results(c, &inside)?;
        let (mut results, mut types) = (vec![], vec![]);
        for v in found {
            let ty = body.inner.out.ty(v).clone();
            let mut shape = vec![steps.clone()];
            for s in &ty.shape {
                shape.push(body.outside(s).map_err(|_| too_late(c.unit.name()))?);
            }
            let elem = ty.elem;
            types.push(Type { elem, shape });
            results.push(v);
        }
        let (given, program) = self.close(body, results, Some(&steps), space);
        let looped = Looped::new(Loop {
            body: program,
            states: 0,
            goes_on: None,
            reverse: false,
            keep: Keep::Residuals,
        });
        let mut all = vec![];
        for (out, ty) in types.into_iter().enumerate() {
            let op = Op::Loop {
                looped: looped.clone(),
                steps: Some(steps.clone()),
                given: given.clone(),
                init: vec![],
                out,
            };
            let stacked = self.out.push(Eq {
                ty,
                guard: None,
                op,
            });
            all.push(match peel {
                true => stacked,
                false => self.only_step(stacked, space.guard),
            });
        }
        Ok(all)
    }

    /// What a loop stacked in its only step, which it took where the guard holds.
    fn only_step(&mut self, stacked: Var, guard: Option<Var>) -> Var {
        let shape = self.out.shape(stacked).split_off(1);
        let rank = shape.len();
        let index = std::iter::once(Affine::constant(rank, Size::lit(0)))
            .chain((0..rank).map(|k| Affine::axis(rank, k)))
            .map(Ix::Affine)
            .collect();
        let guard = guard.map(|g| self.out.spread(g, &[], &shape));
        self.out.gather(stacked, index, &shape, guard)
    }
}

/// A result of a call at arguments that are there.
fn called(out: &mut Builder, c: &Call, args: &[Var], result: usize) -> Var {
    let given = c.unit.given(c.rule, result);
    let like = match given {
        Given::Derivative(k) => c.unit.tangent_of(c.rule, k).map(|of| {
            let primal = &args[..c.unit.args.len()];
            let of = out.call(&c.unit, Rule::Value, primal, of, None);
            out.shape(of)
        }),
        Given::Result(_) | Given::Length(..) | Given::Place | Given::Residual => None,
    };
    let (rule, args) = match given {
        Given::Result(_) | Given::Length(..) => (Rule::Value, &args[..c.unit.args.len()]),
        Given::Derivative(_) | Given::Place | Given::Residual => (c.rule, args),
    };
    out.call(&c.unit, rule, args, result, like.as_deref())
}

fn too_late(name: &str) -> String {
    format!(
        "the lengths of what `{name}` gives are known only when it returns, and here it is called in a \
         loop or in a branch; call it outside of those, let it return numbers or fixed-size arrays, \
         or write one that takes the arguments of all calls at once, as \
         `cotangent::linalg::solve_each` does"
    )
}

impl core::Loop {
    /// A loop that does nothing but mention these.
    fn shell(of: &[Expr]) -> core::Loop {
        let none = Sym {
            id: u32::MAX,
            hint: "element".into(),
        };
        core::Loop {
            trip: core::Trip::Times(Expr::int(1)),
            index: none,
            states: vec![],
            body: core::Block {
                lets: vec![],
                results: of.to_vec(),
            },
            outs: vec![],
            keep: Keep::Residuals,
        }
    }
}
