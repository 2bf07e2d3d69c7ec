//! Loops: their bodies are simplified as programs of their own, and what nobody needs is left out.
//!
//! ```text
//! a result that is not used, a state that no result needs    are left out
//! a state that never changes                                 is given
//! a state that counts the steps of a loop with a condition   is computed from their number
//! what is given twice, or a literal                          is given once, or written inside
//! an equation that only needs what is given                 is computed once, before the loop
//! an element of an array whose elements are all the same     is given as a number
//! ```
//!
//! What is computed before a loop that may take no step has a value in any case.

use super::Bodies;
use super::once::known;
use super::total::Total;
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{self, Affine, Eq, Loop, Looped, Op, Param, Program, Type, Var};
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// A loop that is done, and where its results are now.
struct Done {
    looped: Looped,
    given: Vec<Var>,
    init: Vec<Var>,
    outs: HashMap<usize, usize>,
    /// States that never change: what they are.
    fixed: HashMap<usize, Var>,
    /// States that count steps.
    counters: HashMap<usize, Counter>,
}

/// A state that grows by the same in each step.
#[derive(Clone, Copy)]
struct Counter {
    init: Var,
    by: i64,
}

impl Counter {
    /// What it is after so many steps, where what it begins with has this name.
    fn after(self, init: &Size, steps: Var, out: &mut Builder) -> Var {
        if init.is(0) && self.by == 1 {
            return steps;
        }
        let steps = Size::atom(Atom::Value(steps.0));
        let constant = init.add(&steps.mul(&Size::lit(self.by)));
        out.push(Eq {
            ty: Type {
                elem: Elem::Int,
                shape: vec![],
            },
            guard: None,
            op: Op::Index(Affine::constant(0, constant)),
        })
    }
}

/// An integer as a size.
fn as_size(program: &Builder, v: Var) -> Size {
    known(program, &Size::atom(Atom::Value(v.0)))
}

/// The program with its loops simplified; `None` if there is none.
pub(super) fn simplified(
    program: &Program,
    seeds: &[Var],
    fired: &mut dyn FnMut(&'static str),
    bodies: &mut Bodies,
) -> Option<Program> {
    let mut used: HashMap<bulk::Run<'_>, BTreeSet<usize>> = HashMap::new();
    for eq in &program.eqs {
        if let Some((key, out)) = eq.loop_result() {
            used.entry(key).or_default().insert(out);
        }
    }
    if used.is_empty() {
        return None;
    }
    let on = (0..program.params.len()).map(|k| seeds.contains(&Var(k as u32)));
    let linear = program.dependent(on.collect());
    let mut out = Builder::new(&program.name, program.params.clone());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Var> = (0..program.params.len()).map(|k| Var(k as u32)).collect();
    let mut done: HashMap<bulk::Run<'_>, Done> = HashMap::new();
    for eq in &program.eqs {
        let Some((key, k)) = eq.loop_result() else {
            let v = out.copy(eq, &mut |v| new[v.index()]);
            new.push(v);
            continue;
        };
        let d = match done.entry(key) {
            Entry::Occupied(d) => d.into_mut(),
            Entry::Vacant(free) => {
                let run = Run {
                    looped: key.looped,
                    given: key.given.iter().map(|v| new[v.index()]).collect(),
                    init: key.init.iter().map(|v| new[v.index()]).collect(),
                    given_linear: key.given.iter().map(|v| linear[v.index()]).collect(),
                    init_linear: key.init.iter().map(|v| linear[v.index()]).collect(),
                    steps: key.steps,
                };
                free.insert(run.simplified(&used[&key], &mut out, fired, bodies))
            }
        };
        if let Some(v) = d.fixed.get(&k) {
            new.push(*v);
            continue;
        }
        let size = |s: &Size| translate_size(s, &mut |v| new[v.index()]);
        let counter = d.counters.get(&k);
        let ty = Type {
            elem: eq.ty.elem,
            shape: eq.ty.shape.iter().map(size).collect(),
        };
        let op = Op::Loop {
            looped: d.looped.clone(),
            steps: key.steps.map(size),
            given: d.given.clone(),
            init: d.init.clone(),
            out: counter.map_or_else(|| d.outs[&k], |_| d.looped.count()),
        };
        let guard = None;
        let result = out.push(Eq { ty, guard, op });
        new.push(match counter {
            Some(counter) => {
                let init = as_size(&out, counter.init);
                counter.after(&init, result, &mut out)
            }
            None => result,
        });
    }
    for (k, p) in program.params.iter().enumerate() {
        let shape = p.ty.shape.iter();
        let shape = shape.map(|s| translate_size(s, &mut |v| new[v.index()]));
        out.set_param_shape(k, shape.collect());
    }
    Some(out.finish(program.results.iter().map(|r| new[r.index()]).collect()))
}

/// A loop with its arguments in the new program.
struct Run<'a> {
    looped: &'a Looped,
    given: Vec<Var>,
    init: Vec<Var>,
    given_linear: Vec<bool>,
    init_linear: Vec<bool>,
    steps: Option<&'a Size>,
}

/// What a parameter of the body becomes.
#[derive(Clone, Copy)]
enum Fate {
    /// A variable outside, given to the loop.
    Given(Var),
    /// A state.
    State,
    /// A state that counts steps.
    Counter(Counter),
    /// The index.
    Index,
}

impl Run<'_> {
    fn simplified(
        &self,
        used: &BTreeSet<usize>,
        out: &mut Builder,
        fired: &mut dyn FnMut(&'static str),
        bodies: &mut Bodies,
    ) -> Done {
        let looped = self.looped;
        let body = &looped.body;
        let (count, states) = (self.given.len(), looped.states);
        let state = |k: usize| Var((count + k) as u32);

        // States that stay as they were are given.
        let still = |k: usize| body.results[k] == state(k);
        let needed = self.needed_states(used);
        let mut fates: Vec<Fate> = self.given.iter().map(|v| Fate::Given(*v)).collect();
        fates.extend((0..states).map(|k| match self.counter(k) {
            _ if still(k) => Fate::Given(self.init[k]),
            Some(counter) => Fate::Counter(counter),
            None => Fate::State,
        }));
        fates.push(Fate::Index);
        let counter = |k: usize| match fates[count + k] {
            Fate::Counter(counter) => Some(counter),
            Fate::Given(_) | Fate::State | Fate::Index => None,
        };
        let kept: Vec<usize> = (0..states)
            .filter(|&k| needed[k] && !still(k) && counter(k).is_none())
            .collect();
        let stacks: Vec<usize> = (states..looped.count())
            .filter(|k| used.contains(k))
            .collect();

        // What only needs what is given is computed outside.
        let fixed: Vec<Option<Var>> = (fates.iter())
            .map(|f| match f {
                Fate::Given(v) => Some(*v),
                Fate::State | Fate::Counter(_) | Fate::Index => None,
            })
            .collect();
        let results: Vec<Var> = (kept.iter().chain(&stacks))
            .map(|&k| body.results[k])
            .collect();
        // Whether the body and the condition run in any case.
        let starts = looped.goes_on.is_none() && self.steps.is_some_and(|n| n.at_least(1));
        let asks = self.steps.is_none();
        let condition = (looped.goes_on.iter()).map(|c| (c, c.results.clone(), asks));
        let programs: Vec<Part<'_>> = (std::iter::once((body, results, starts)).chain(condition))
            .map(|(program, results, runs)| {
                let outside = self.hoisted(program, &results, &fixed, runs, out);
                Part {
                    program,
                    results,
                    outside,
                }
            })
            .collect();

        // The programs inside, over new parameters.
        let mut inside = Inside {
            out,
            params: vec![],
            given: vec![],
        };
        // Literals and what costs nothing to make anew are not given.
        let mut wanted_given: Vec<Var> = vec![];
        for part in &programs {
            inside.frontier(part, &mut wanted_given);
        }
        for v in wanted_given {
            inside.give(v);
        }
        let counters = (0..states).filter(|&k| needed[k]);
        let counters = counters.filter_map(|k| Some((k, counter(k)?)));
        let counters: HashMap<usize, Counter> = counters.collect();
        for k in counters.keys().collect::<BTreeSet<_>>() {
            let begins = as_size(inside.out, counters[k].init);
            begins.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    inside.give_size(Var(*v));
                }
            });
        }
        // The shapes of states give sizes, too.
        let shapes: Vec<Vec<Size>> = (kept.iter())
            .map(|&k| inside.shape(&body.params[state(k).index()].ty.shape, &fixed))
            .collect();
        let given_count = inside.params.len();
        for (&k, shape) in kept.iter().zip(shapes) {
            let Param { name, ty } = &body.params[state(k).index()];
            let (name, elem) = (name.clone(), ty.elem);
            let ty = Type { elem, shape };
            inside.params.push(Param { name, ty });
        }
        let index = &body.params[count + states];
        inside.params.push(index.clone());
        let place = |k: usize| match fates[k] {
            Fate::Given(_) | Fate::Counter(_) => None,
            Fate::State => {
                let at = kept.iter().position(|&j| count + j == k)?;
                Some(Var((given_count + at) as u32))
            }
            Fate::Index => Some(Var((given_count + kept.len()) as u32)),
        };
        let places: Vec<Option<Var>> = (0..fates.len()).map(place).collect();

        // Which parameters are tangents or cotangents.
        let given_linear = |v: Var| {
            let same = |(g, is): (&Var, &bool)| *g == v && *is;
            (self.given.iter().zip(&self.given_linear)).any(same)
                || (self.init.iter().zip(&self.init_linear)).any(same)
        };
        let mut linear: Vec<bool> = inside.given.iter().map(|v| given_linear(*v)).collect();
        let all = looped.dependent(&self.given_linear, &self.init_linear);
        linear.extend(kept.iter().map(|&k| all[k]));
        linear.push(false);
        let seeds: Vec<Var> = (0..linear.len())
            .filter(|&k| linear[k])
            .map(|k| Var(k as u32))
            .collect();

        let mut made = vec![];
        for part in &programs {
            let counting = |k: usize| counters.get(&k.checked_sub(count)?).copied();
            let program = inside.rebuilt(part, &places, &counting);
            made.push(bodies.simplified(&program, &seeds, fired));
        }
        let goes_on = if made.len() > 1 { made.pop() } else { None };
        let new = Looped::new(Loop {
            body: made.remove(0),
            states: kept.len(),
            goes_on,
            reverse: looped.reverse,
            keep: looped.keep,
        });
        let mut outs: HashMap<usize, usize> = HashMap::new();
        for (at, &k) in kept.iter().chain(&stacks).enumerate() {
            outs.insert(k, at);
        }
        outs.insert(looped.count(), new.count());
        let fixed = (0..states).filter(|&k| still(k)).map(|k| (k, self.init[k]));
        Done {
            looped: new,
            given: inside.given.clone(),
            init: kept.iter().map(|&k| self.init[k]).collect(),
            outs,
            fixed: fixed.collect(),
            counters,
        }
    }

    /// The state as one that counts the steps of a loop with a condition.
    fn counter(&self, k: usize) -> Option<Counter> {
        let body = &self.looped.body;
        let Op::Index(next) = &body.eq(body.results[k])?.op else {
            return None;
        };
        self.looped
            .goes_on
            .as_ref()
            .filter(|_| !self.looped.reverse)?;
        let own = Size::atom(Atom::Value((self.given.len() + k) as u32));
        let by = next.constant.sub(&own).as_lit()?;
        let init = self.init[k];
        Some(Counter { init, by })
    }

    /// What the variables of the body or of the condition are outside, where `fixed` is what its
    /// parameters are. Equations that only need what is given are computed there, if the program
    /// `runs` in any case or they have a value in any case.
    fn hoisted(
        &self,
        program: &Program,
        results: &[Var],
        fixed: &[Option<Var>],
        runs: bool,
        out: &mut Builder,
    ) -> Vec<Option<Var>> {
        let mut outside = fixed.to_vec();
        let mut elements = vec![];
        let wanted = used_by(program, results);
        let total = Total::of(program);
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(j);
            let may = runs || total.has_value(eq);
            let here = wanted[v.index()] && !self.looped.keep.recomputes() && may && {
                let mut known = true;
                let mut look = |v: Var| known &= outside[v.index()].is_some();
                eq.visit(&mut look);
                eq.visit_sizes(&mut |s| {
                    s.visit(&mut |a| {
                        if let Atom::Value(v) = a {
                            look(Var(*v));
                        }
                    });
                });
                known
            };
            let outside_of = &outside;
            let hoisted = match here {
                true => Some(out.copy(eq, &mut |v| outside_of[v.index()].expect("known outside"))),
                false => same_everywhere(eq, &outside, out).inspect(|_| elements.push(v)),
            };
            outside.push(hoisted);
        }
        // What costs nothing is found again inside rather than stored outside.
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(j);
            if eq.op.is_free() && !elements.contains(&v) {
                outside[v.index()] = None;
            }
        }
        outside
    }

    /// The states that the used results need.
    fn needed_states(&self, used: &BTreeSet<usize>) -> Vec<bool> {
        let looped = self.looped;
        let (count, states) = (self.given.len(), looped.states);
        let mut needed: Vec<bool> = (0..states).map(|k| used.contains(&k)).collect();
        let mark = |program: &Program, results: &[Var], needed: &mut Vec<bool>| {
            let wanted = used_by(program, results);
            for (k, n) in needed.iter_mut().enumerate() {
                *n |= wanted[count + k];
            }
        };
        if let Some(c) = &looped.goes_on {
            mark(c, &c.results, &mut needed);
        }
        loop {
            let before = needed.clone();
            let results: Vec<Var> = (0..looped.count())
                .filter(|k| {
                    if *k < states {
                        needed[*k]
                    } else {
                        used.contains(k)
                    }
                })
                .map(|k| looped.body.results[k])
                .collect();
            mark(&looped.body, &results, &mut needed);
            if needed == before {
                return needed;
            }
        }
    }
}

/// An element that a loop reads of an array whose elements are all the same, as a scalar.
fn same_everywhere(eq: &Eq, outside: &[Option<Var>], out: &mut Builder) -> Option<Var> {
    let Op::Gather { src, .. } = &eq.op else {
        return None;
    };
    let is_element = eq.ty.rank() == 0 && eq.guard.is_none();
    outside[src.index()]
        .filter(|_| is_element)
        .and_then(|v| out.uniform(v))
}

/// The body or the condition of a loop.
struct Part<'a> {
    program: &'a Program,
    results: Vec<Var>,
    /// What its variables are outside, as far as they are computed there.
    outside: Vec<Option<Var>>,
}

/// The programs of a loop over new parameters.
struct Inside<'a> {
    out: &'a mut Builder,
    params: Vec<Param>,
    /// What the first parameters are outside.
    given: Vec<Var>,
}

impl Inside<'_> {
    /// Adds what a program takes from outside: variables there, each once, sizes before the arrays
    /// that have them.
    fn frontier(&self, part: &Part<'_>, all: &mut Vec<Var>) {
        let Part {
            program,
            results,
            outside,
        } = part;
        let mut need = |v: Var| {
            if let Some(outer) = outside[v.index()]
                && !all.contains(&outer)
            {
                all.push(outer);
            }
        };
        let sizes = |shape: &[Size], need: &mut dyn FnMut(Var)| {
            for s in shape {
                s.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        need(Var(*v));
                    }
                });
            }
        };
        for p in &program.params {
            sizes(&p.ty.shape, &mut need);
        }
        for r in results {
            need(*r);
        }
        let wanted = used_by(program, results);
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(j);
            if !wanted[v.index()] || outside[v.index()].is_some() {
                continue;
            }
            eq.visit_sizes(&mut |s| sizes(std::slice::from_ref(s), &mut need));
            eq.visit(&mut need);
        }
    }

    /// A parameter for a variable outside, unless there is one. Sizes in its shape come first.
    fn give(&mut self, v: Var) {
        if self.given.contains(&v) {
            return;
        }
        let ty = self.out.ty(v).clone();
        for s in &ty.shape {
            let mut inner = vec![];
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    inner.push(Var(*v));
                }
            });
            for v in inner {
                self.give_size(v);
            }
        }
        if self.literal(v).is_some() {
            return;
        }
        let shape = ty.shape.iter().map(|s| self.named(s)).collect();
        let name = match self.out.is_param(v) {
            Some(name) => name.to_owned(),
            None => "given".to_owned(),
        };
        self.given.push(v);
        let elem = ty.elem;
        let ty = Type { elem, shape };
        self.params.push(Param { name, ty });
    }

    /// A size is given even if it is a literal: it has to have a name.
    fn give_size(&mut self, v: Var) {
        if !self.given.contains(&v) {
            self.given.push(v);
            self.params.push(Param {
                name: "size".to_owned(),
                ty: Type {
                    elem: Elem::Int,
                    shape: vec![],
                },
            });
        }
    }

    /// The parameter for a variable outside.
    fn inner(&self, v: Var) -> Option<Var> {
        let at = self.given.iter().position(|g| *g == v)?;
        Some(Var(at as u32))
    }

    /// A size outside, with the names of the parameters.
    fn named(&self, s: &Size) -> Size {
        translate_size(s, &mut |v| self.inner(v).expect("sizes are given first"))
    }

    /// A shape of the body, by way of outside.
    fn shape(&mut self, shape: &[Size], outside: &[Option<Var>]) -> Vec<Size> {
        let of = |s: &Size| {
            let s = translate_size(s, &mut |v| outside[v.index()].expect("a size is given"));
            known(self.out, &s)
        };
        let outer: Vec<Size> = shape.iter().map(of).collect();
        for s in &outer {
            let mut inner = vec![];
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    inner.push(Var(*v));
                }
            });
            inner.into_iter().for_each(|v| self.give_size(v));
        }
        outer.iter().map(|s| self.named(s)).collect()
    }

    /// The equation of a variable outside that is the same literal everywhere.
    fn literal(&self, v: Var) -> Option<Eq> {
        let eq = self.out.eq(v)?;
        (matches!(eq.op, Op::Fill(_)) && eq.guard.is_none()).then(|| eq.clone())
    }

    /// A program over the new parameters: where the old ones are among these, and which of them
    /// count steps.
    fn rebuilt(
        &self,
        part: &Part<'_>,
        places: &[Option<Var>],
        counting: &dyn Fn(usize) -> Option<Counter>,
    ) -> Program {
        let Part {
            program,
            results,
            outside,
        } = part;
        let mut out = Builder::new(&program.name, self.params.clone());
        let mut new: Vec<Option<Var>> = vec![None; program.params.len() + program.eqs.len()];
        let from_outside = |out: &mut Builder, v: Var| -> Option<Var> {
            let outer = outside[v.index()]?;
            if let Some(inner) = self.inner(outer) {
                return Some(inner);
            }
            let eq = self.literal(outer)?;
            let known = |s: &Size| {
                let mut all = true;
                s.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        all &= self.inner(Var(*v)).is_some();
                    }
                });
                all
            };
            eq.ty.shape.iter().all(known).then(|| {
                let eq = eq.map(&mut |v| v, &mut |s| self.named(s));
                out.push(eq)
            })
        };
        let wanted = used_by(program, results);
        let index = Var(self.params.len() as u32 - 1);
        for k in 0..program.params.len() {
            new[k] = match counting(k).filter(|_| wanted[k]) {
                Some(counter) => {
                    let init = self.named(&as_size(self.out, counter.init));
                    Some(counter.after(&init, index, &mut out))
                }
                None => places[k].or_else(|| from_outside(&mut out, Var(k as u32))),
            };
        }
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(j);
            if !wanted[v.index()] {
                continue;
            }
            new[v.index()] = match from_outside(&mut out, v) {
                Some(inner) => Some(inner),
                None if outside[v.index()].is_some() => None,
                None => Some(out.copy(eq, &mut |v| new[v.index()].expect("needed"))),
            };
        }
        out.finish(
            results
                .iter()
                .map(|r| new[r.index()].expect("needed"))
                .collect(),
        )
    }
}

/// Which variables some results need.
fn used_by(program: &Program, results: &[Var]) -> Vec<bool> {
    let mut used = vec![false; program.params.len() + program.eqs.len()];
    for r in results {
        used[r.index()] = true;
    }
    let mark = |s: &Size, used: &mut Vec<bool>| {
        s.visit(&mut |a| {
            if let Atom::Value(v) = a {
                used[*v as usize] = true;
            }
        });
    };
    for (j, eq) in program.eqs.iter().enumerate().rev() {
        if used[program.var_of(j).index()] {
            eq.visit(&mut |v| used[v.index()] = true);
            eq.visit_sizes(&mut |s| mark(s, &mut used));
        }
    }
    used
}
