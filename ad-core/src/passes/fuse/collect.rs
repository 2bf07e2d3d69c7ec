//! What a loop collects to write it into an array is written there step by step.
//!
//! ```text
//! r = loop with c in each step
//! s' = s with r at [o + k]         =      s' = loop from s of s with c at [o + k]
//! ```
//!
//! So the residuals of loops whose number of steps varies without a known bound are not copied
//! (`linearise/ragged.rs`).

use super::accumulate::{depends, uses};
use super::more::{More, part_of_row};
use crate::ir::build::{Builder, translate, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Param, Part, Program, Run, Type, Var};
use crate::ir::live::live;
use crate::ir::ty::{Atom, Size};

/// The program with such loops.
pub(super) fn collect(program: &Program) -> Program {
    let mut program = program.clone();
    while let Some(next) = once(&program) {
        program = live(&next);
    }
    program
}

/// One array changed, if there is one.
fn once(program: &Program) -> Option<Program> {
    let is_update = |e: &Eq| matches!(e.op, Op::Update { .. });
    if !program.eqs.iter().any(is_update) {
        return None;
    }
    let uses = uses(program);
    (0..program.eqs.len()).find_map(|k| {
        let written = Written::of(program, k)?;
        (uses[written.collected.index()] == 1).then(|| written.in_steps())
    })
}

/// An array into which something collected is written.
struct Written<'a> {
    program: &'a Program,
    /// The equation that writes.
    at: usize,
    run: Run<'a>,
    /// Which result of the loop it is.
    result: usize,
    collected: Var,
    array: Var,
    /// The indices before that of the steps.
    row: Vec<Size>,
    /// Where the first step writes.
    first: Size,
}

impl<'a> Written<'a> {
    fn of(program: &'a Program, at: usize) -> Option<Written<'a>> {
        let eq = &program.eqs[at];
        let Op::Update {
            src,
            part,
            when: None,
            ..
        } = &eq.op
        else {
            return None;
        };
        let (run, result) = program.eq(part.src)?.loop_result()?;
        let shape = &program.ty(part.src).shape;
        let is_collected = result >= run.looped.states
            && run.looped.goes_on.is_none()
            && run.steps == shape.first()
            && program.branch(run).is_none();
        let (row, first) = part_of_row(&part.index, shape.len())?;
        let mut known = vec![*src];
        for n in program.ty(*src).shape.iter().chain(&row).chain([&first]) {
            n.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    known.push(Var(*v));
                }
            });
        }
        let is_known = || known.iter().all(|v| !depends(program, *v, run));
        (eq.guard.is_none() && is_collected && is_known()).then_some(Written {
            program,
            at,
            run,
            result,
            collected: part.src,
            array: *src,
            row,
            first,
        })
    }

    /// The program whose loop writes in each step.
    fn in_steps(&self) -> Program {
        let Written { program, run, .. } = *self;
        let params = program.params.len();
        let mut more = More::than(run.given);
        let array = program.ty(self.array);
        for n in array.shape.iter().chain(&self.row).chain([&self.first]) {
            more.need(n);
        }
        let states = run.looped.states;
        let looped = self.looped(&more);
        let mut out = Builder::new(&program.name, program.params.clone());
        program.requires.iter().for_each(|r| out.require(r.clone()));
        let mut new: Vec<Var> = (0..(params + program.eqs.len()) as u32).map(Var).collect();
        for k in self.order(&more) {
            let eq = &program.eqs[k];
            let mut copy = translate(eq, &mut |v| new[v.index()]);
            let result = match eq.loop_result() {
                Some((r, result)) if r == run => Some(result),
                _ if k == self.at => Some(self.result),
                Some(_) | None => None,
            };
            if let Some(result) = result {
                if k != self.at && result == self.result {
                    continue;
                }
                let at = |v: &Var| new[v.index()];
                copy.op = Op::Loop {
                    looped: looped.clone(),
                    steps: run.steps.map(|n| translate_size(n, &mut |v| at(&v))),
                    given: run.given.iter().chain(&more.numbers).map(at).collect(),
                    init: run.init.iter().chain([&self.array]).map(at).collect(),
                    out: match result {
                        _ if k == self.at => states,
                        state if state < states => state,
                        before if before < self.result => before + 1,
                        behind => behind,
                    },
                };
            }
            new[params + k] = out.push(copy);
        }
        for (k, p) in program.params.iter().enumerate() {
            let shape = (p.ty.shape.iter()).map(|n| translate_size(n, &mut |v| new[v.index()]));
            out.set_param_shape(k, shape.collect());
        }
        out.finish(program.results.iter().map(|v| new[v.index()]).collect())
    }

    /// The equations in an order in which the loop has the array and its places before it runs.
    fn order(&self, more: &More<'_>) -> Vec<usize> {
        let program = self.program;
        let params = program.params.len();
        let is_result = |eq: &Eq| eq.loop_result().is_some_and(|(r, _)| r == self.run);
        let first = program.eqs.iter().position(is_result);
        let first = first.expect("it has results");
        let mut before = vec![false; program.eqs.len()];
        let mut open: Vec<Var> = more.numbers.iter().chain([&self.array]).copied().collect();
        while let Some(v) = open.pop() {
            let Some(k) = v.index().checked_sub(params) else {
                continue;
            };
            if k > first && !std::mem::replace(&mut before[k], true) {
                let eq = &program.eqs[k];
                eq.visit(&mut |u| open.push(u));
                eq.visit_sizes(&mut |n| {
                    n.visit(&mut |a| {
                        if let Atom::Value(u) = a {
                            open.push(Var(*u));
                        }
                    });
                });
            }
        }
        let all = 0..program.eqs.len();
        let early = all.clone().filter(|&k| k < first || before[k]);
        let late = all.filter(|&k| k >= first && !before[k]);
        early.chain(late).collect()
    }

    /// The loop with the array as its last state.
    fn looped(&self, more: &More<'_>) -> Looped {
        let old = self.run.looped;
        let (body, states) = (&old.body, old.states);
        let given = self.run.given.len();
        let moved = |v: usize| more.moved(v, states, 1);
        let shape = |ty: &Type, of: &dyn Fn(&Size) -> Size| Type {
            elem: ty.elem,
            shape: ty.shape.iter().map(of).collect(),
        };
        let own = |n: &Size| translate_size(n, &mut |v| moved(v.index()));
        let param = |p: &Param| Param {
            name: p.name.clone(),
            ty: shape(&p.ty, &own),
        };
        let ty = shape(self.program.ty(self.array), &|n| more.inside(n));
        let array = Param {
            name: String::from("collected"),
            ty: ty.clone(),
        };
        let (before, step) = body.params.split_at(given + states);
        let (before, carried) = before.split_at(given);
        let mut params: Vec<Param> = before.iter().map(param).collect();
        params.extend(more.params());
        params.extend(carried.iter().map(param));
        let own_array = Var(params.len() as u32);
        params.push(array);
        params.extend(step.iter().map(param));
        let k = Size::atom(Atom::Value(own_array.0 + 1));
        let mut out = Builder::new(&body.name, params);
        let mut new: Vec<Var> = (0..body.params.len()).map(moved).collect();
        for eq in &body.eqs {
            let copy = translate(eq, &mut |v| new[v.index()]);
            new.push(out.push(copy));
        }
        let mut results: Vec<Var> = body.results.iter().map(|v| new[v.index()]).collect();
        let src = results.remove(self.result);
        let rank = out.ty(src).rank();
        let constant = |n: Size| Ix::Affine(Affine::constant(rank, n));
        let row = self.row.iter().map(|n| constant(more.inside(n)));
        let place = constant(more.inside(&self.first).add(&k));
        let index = row.chain([place]).chain(Ix::identity(rank)).collect();
        let (guard, op) = (None, Op::update(own_array, Part { src, index }, None));
        results.insert(states, out.push(Eq { ty, guard, op }));
        Looped::new(Loop {
            body: out.finish(results),
            states: states + 1,
            goes_on: None,
            reverse: old.reverse,
            keep: old.keep,
        })
    }
}
