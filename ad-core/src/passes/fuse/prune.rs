//! What of a loop is needed: results that nobody uses go, and with them the states and the arrays
//! given that only they needed.

use crate::ir::build::{Builder, translate, translate_size};
use crate::ir::bulk::{Eq, Loop, Looped, Op, Param, Program, Run, Type, Var};
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::Atom;
use std::collections::{HashMap, HashSet};

/// The program with loops that compute only what is used, and without updates of scalars.
pub(super) fn prune(program: &Program) -> Program {
    let is_sequence = |e: &Eq| matches!(e.op, Op::Loop { .. } | Op::Update { .. });
    if !program.eqs.iter().any(is_sequence) {
        return program.clone();
    }
    let program = live(program);
    let mut used: HashMap<Run<'_>, HashSet<usize>> = HashMap::new();
    for eq in &program.eqs {
        if let Some((run, out)) = eq.loop_result() {
            used.entry(run).or_default().insert(out);
        }
    }
    let smaller: HashMap<Run<'_>, Pruned> = (used.into_iter())
        .map(|(run, outs)| (run, Pruned::new(run.looped, &outs)))
        .collect();
    let mut out = program.clone();
    for (new, eq) in out.eqs.iter_mut().zip(&program.eqs) {
        if let Some((run, result)) = eq.loop_result() {
            new.op = smaller[&run].result(run, result);
        }
        if let Op::Update {
            src, part, when, ..
        } = &eq.op
            && eq.ty.rank() == 0
            && program.ty(part.src).rank() == 0
        {
            new.op = match when {
                Some(w) => Op::Map(Prim::Select, vec![*w, part.src, *src]),
                None => Op::Copy(part.src),
            };
        }
    }
    live(&out)
}

/// A loop with a part of its results.
struct Pruned {
    looped: Looped,
    /// Which arrays it is still given, which states are left, and which arrays it stacks.
    given: Vec<usize>,
    states: Vec<usize>,
    stacks: Vec<usize>,
}

impl Pruned {
    fn new(looped: &Looped, outs: &HashSet<usize>) -> Pruned {
        let body = &looped.body;
        let given = body.params.len() - 1 - looped.states;
        let stacks = looped.states..looped.count();
        let stacks: Vec<usize> = stacks.filter(|k| outs.contains(k)).collect();
        let mut needed = Needed {
            params: vec![false; body.params.len()],
        };
        needed.shapes(body, &[]);
        if let Some(c) = &looped.goes_on {
            needed.by(c, &c.results);
        }
        let results: Vec<Var> = stacks.iter().map(|&k| body.results[k]).collect();
        needed.by(body, &results);
        let mut states: HashSet<usize> = HashSet::new();
        loop {
            let is = |k: &usize| outs.contains(k) || needed.params[given + k];
            let more: Vec<usize> = (0..looped.states)
                .filter(|k| !states.contains(k) && is(k))
                .collect();
            if more.is_empty() {
                break;
            }
            let results: Vec<Var> = more.iter().map(|&k| body.results[k]).collect();
            let params: Vec<usize> = more.iter().map(|k| given + k).collect();
            needed.by(body, &results);
            needed.shapes(body, &params);
            states.extend(more);
        }
        let given: Vec<usize> = (0..given).filter(|&k| needed.params[k]).collect();
        let mut states: Vec<usize> = states.into_iter().collect();
        states.sort_unstable();
        let is_all =
            given.len() + states.len() + 1 == body.params.len() && stacks.len() == looped.stacks();
        let first = body.params.len() - 1 - looped.states;
        let kept: Vec<usize> = (given.iter().copied())
            .chain(states.iter().map(|k| first + k))
            .chain([body.params.len() - 1])
            .collect();
        let results = states.iter().chain(&stacks).map(|&k| body.results[k]);
        let looped = if is_all {
            looped.clone()
        } else {
            Looped::new(Loop {
                body: of_params(body, &kept, results.collect()),
                states: states.len(),
                goes_on: (looped.goes_on.as_ref()).map(|c| of_params(c, &kept, c.results.clone())),
                reverse: looped.reverse,
                keep: looped.keep,
            })
        };
        Pruned {
            looped,
            given,
            states,
            stacks,
        }
    }

    fn result(&self, run: Run<'_>, out: usize) -> Op {
        let among = |list: &[usize]| list.iter().position(|k| *k == out);
        let is_count = out == run.looped.count();
        Op::Loop {
            looped: self.looped.clone(),
            steps: run.steps.cloned(),
            given: self.given.iter().map(|&k| run.given[k]).collect(),
            init: self.states.iter().map(|&k| run.init[k]).collect(),
            out: match among(&self.states) {
                Some(k) => k,
                None if is_count => self.states.len() + self.stacks.len(),
                None => self.states.len() + among(&self.stacks).expect("it is used"),
            },
        }
    }
}

/// The parameters that are needed.
struct Needed {
    params: Vec<bool>,
}

impl Needed {
    /// Those that some variables of a program need.
    fn by(&mut self, program: &Program, vars: &[Var]) {
        let mut seen = vec![false; program.params.len() + program.eqs.len()];
        let mut stack = vars.to_vec();
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut seen[v.index()], true) {
                continue;
            }
            let Some(eq) = program.eq(v) else {
                self.params[v.index()] = true;
                stack.extend(computed(&program.params[v.index()].ty));
                continue;
            };
            eq.visit(&mut |u| stack.push(u));
            eq.visit_sizes(&mut |s| {
                s.visit(&mut |a| {
                    if let Atom::Value(u) = a {
                        stack.push(Var(*u));
                    }
                });
            });
        }
    }

    /// Those that the shapes of parameters mention.
    fn shapes(&mut self, program: &Program, params: &[usize]) {
        for &k in params {
            let vars: Vec<Var> = computed(&program.params[k].ty).collect();
            self.by(program, &vars);
        }
    }
}

/// The computed sizes in a type.
fn computed(ty: &Type) -> impl Iterator<Item = Var> {
    let mut out = vec![];
    for s in &ty.shape {
        s.visit(&mut |a| {
            if let Atom::Value(v) = a {
                out.push(Var(*v));
            }
        });
    }
    out.into_iter()
}

/// A program with some of its parameters, which are all that its results need.
fn of_params(program: &Program, kept: &[usize], results: Vec<Var>) -> Program {
    let program = live(&Program {
        results,
        ..program.clone()
    });
    let mut new: Vec<Option<Var>> = vec![None; program.params.len()];
    for (k, &p) in kept.iter().enumerate() {
        new[p] = Some(Var(k as u32));
    }
    let at = |new: &[Option<Var>], v: Var| new[v.index()].expect("only these are needed");
    let params: Vec<Param> = (kept.iter())
        .map(|&p| {
            let Param { name, ty } = &program.params[p];
            let shape = ty.shape.iter();
            let shape = shape.map(|s| translate_size(s, &mut |v| at(&new, v)));
            Param {
                name: name.clone(),
                ty: Type {
                    elem: ty.elem,
                    shape: shape.collect(),
                },
            }
        })
        .collect();
    let mut out = Builder::new(&program.name, params);
    for eq in &program.eqs {
        let eq = translate(eq, &mut |v| at(&new, v));
        let v = out.push(eq);
        new.push(Some(v));
    }
    let results = program.results.iter().map(|v| at(&new, *v)).collect();
    out.finish(results)
}
