//! Loops are joined where one reads, in each step, what another collects in the same step.
//!
//! ```text
//! y ← f(y), collecting c(y)          (y, z) ← (f(y), g(z, c(y)))
//! z ← g(z, c[k])
//! ```
//!
//! Both loops have as many steps and the same direction. Nothing else reads what the first loop
//! collects, and the second reads of `c` the whole row of its own step. Then nothing is collected.
//! The joined loop stands where the second one does. Equations that use the end of the first loop
//! move behind it, and the second loop must not need them. Such loops come from taking states back
//! (`linearise/undo.rs`), once the linear loop is transposed.

use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Param, Program, Run, Type, Var};
use crate::ir::ty::{Atom, Size};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The program with its loops joined, also inside of loops.
pub fn join(program: &Program) -> Program {
    let plan = Plan::of(program);
    let mut out = Builder::new(&program.name, program.params.clone());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Option<Var>> = (0..program.params.len())
        .map(|k| Some(Var(k as u32)))
        .collect();
    new.resize(program.params.len() + program.eqs.len(), None);
    let mut done: HashMap<Run<'_>, Joined<'_>> = HashMap::new();
    for &j in &plan.order {
        let (eq, own) = (&program.eqs[j], program.var_of(j));
        let Some((run, k)) = eq.loop_result() else {
            let v = out.copy(eq, &mut |v| new[v.index()].expect("read by one loop only"));
            new[own.index()] = Some(v);
            continue;
        };
        let is_new = !done.contains_key(&run);
        let joined = (done.entry(run)).or_insert_with(|| Joined::of(run, plan.of.get(&run)));
        let mut of = |v: Var| new[v.index()].expect("computed before");
        let all = |vs: &[Var]| vs.iter().map(|v| of(*v)).collect::<Vec<_>>();
        let (given, init) = (all(&joined.given), all(&joined.init));
        let steps = run.steps.map(|s| translate_size(s, &mut of));
        let mut result = |of: &mut dyn FnMut(Var) -> Var, v: Var, k: usize| {
            let ty = program.ty(v);
            let shape = ty.shape.iter().map(|s| translate_size(s, of));
            let (elem, shape) = (ty.elem, shape.collect());
            let op = Op::Loop {
                looped: joined.looped.clone(),
                steps: steps.clone(),
                given: given.clone(),
                init: init.clone(),
                out: k,
            };
            let (ty, guard) = (Type { elem, shape }, None);
            out.push(Eq { ty, guard, op })
        };
        let result_of_own = result(&mut of, own, k + joined.before);
        // Where those end that are joined with this one is known now.
        let mut ends = vec![];
        for (v, other, k) in plan.ends.get(&run).into_iter().flatten() {
            if is_new {
                let first = joined.first.iter().find(|(r, _)| r == other);
                let first = first.expect("one of them").1;
                ends.push((*v, result(&mut of, *v, first + k)));
            }
        }
        new[own.index()] = Some(result_of_own);
        for (v, end) in ends {
            new[v.index()] = Some(end);
        }
    }
    for (k, p) in program.params.iter().enumerate() {
        let of = &mut |v: Var| new[v.index()].expect("a size");
        let shape = p.ty.shape.iter().map(|s| translate_size(s, of));
        out.set_param_shape(k, shape.collect());
    }
    let results = program.results.iter();
    let results = results.map(|r| new[r.index()].expect("read by one loop only"));
    let results = results.collect();
    out.finish(results)
}

/// Which loops are joined with a later one.
struct Plan<'a> {
    /// For one that is joined, the later one.
    absorbed: HashMap<Run<'a>, Run<'a>>,
    /// In which order the equations come that are left.
    order: Vec<usize>,
    /// For the later one, what it is given by the others: the place among what it is given, the
    /// loop and its result.
    of: HashMap<Run<'a>, Vec<(usize, Run<'a>, usize)>>,
    /// And where others end, as far as it is used behind the later one.
    ends: HashMap<Run<'a>, Vec<(Var, Run<'a>, usize)>>,
}

impl<'a> Plan<'a> {
    fn of(program: &'a Program) -> Plan<'a> {
        // The only loop that uses a variable, and only as what it is given.
        let mut only: Vec<Option<Run<'a>>> = vec![None; program.params.len() + program.eqs.len()];
        let mut other = vec![false; only.len()];
        for r in &program.results {
            other[r.index()] = true;
        }
        for eq in &program.eqs {
            eq.visit_sizes(&mut |s| {
                s.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        other[*v as usize] = true;
                    }
                });
            });
            let Some((run, _)) = eq.loop_result() else {
                eq.visit(&mut |v| other[v.index()] = true);
                continue;
            };
            for v in run.init {
                other[v.index()] = true;
            }
            for v in run.given {
                match only[v.index()] {
                    Some(r) if r != run => other[v.index()] = true,
                    Some(_) | None => only[v.index()] = Some(run),
                }
            }
        }
        let graph = Graph::of(program);
        let mut results: BTreeMap<Var, (Run<'a>, usize)> = BTreeMap::new();
        let mut readers: HashMap<Run<'a>, Option<Run<'a>>> = HashMap::new();
        for (k, eq) in program.eqs.iter().enumerate() {
            let Some((run, out)) = eq.loop_result() else {
                continue;
            };
            let v = program.var_of(k);
            let is_used = other[v.index()] || only[v.index()].is_some();
            if !is_used {
                continue;
            }
            results.insert(v, (run, out));
            if out < run.looped.states {
                continue;
            }
            let reader = only[v.index()].filter(|_| !other[v.index()]);
            let reader = reader.filter(|r| is_same_way(run, *r) && reads(*r, run, out, v));
            (readers.entry(run))
                .and_modify(|r| {
                    if *r != reader {
                        *r = None;
                    }
                })
                .or_insert(reader);
        }
        let mut plan = Plan {
            absorbed: HashMap::new(),
            order: vec![],
            of: HashMap::new(),
            ends: HashMap::new(),
        };
        // First the loops that leave the order as it is, then each other one that leaves some
        // order.
        let is_late = |run: Run<'a>, reader: Run<'a>| {
            let ends = results
                .iter()
                .filter(|(_, (r, k))| *r == run && *k < r.looped.states);
            let mut uses = ends.flat_map(|(v, _)| &graph.uses[v.index()]);
            uses.all(|j| *j > graph.first[&reader])
        };
        let mut candidates: Vec<(Run<'a>, Run<'a>, bool)> = vec![];
        for (run, _) in results.values() {
            if let Some(Some(reader)) = readers.get(run)
                && candidates.iter().all(|(r, ..)| r != run)
            {
                candidates.push((*run, *reader, is_late(*run, *reader)));
            }
        }
        candidates.sort_by_key(|(.., late)| !late);
        for (run, reader, late) in candidates {
            // One that is joined itself goes on being a loop.
            let readers: Vec<Run<'a>> = plan.absorbed.values().copied().collect();
            if readers.contains(&run) || plan.absorbed.contains_key(&reader) {
                continue;
            }
            plan.absorbed.insert(run, reader);
            if !late && graph.order(program, &plan.absorbed).is_none() {
                plan.absorbed.remove(&run);
            }
        }
        for (v, (run, out)) in results {
            let Some(&reader) = plan.absorbed.get(&run) else {
                continue;
            };
            if out < run.looped.states {
                plan.ends.entry(reader).or_default().push((v, run, out));
                continue;
            }
            let at = reader.given.iter().position(|g| *g == v);
            let at = at.expect("it reads this");
            plan.of.entry(reader).or_default().push((at, run, out));
        }
        let order = graph.order(program, &plan.absorbed);
        plan.order = order.expect("each loop that is joined leaves an order");
        plan
    }
}

/// Which equations need which.
struct Graph<'a> {
    /// For each variable the equations that use it.
    uses: Vec<Vec<usize>>,
    /// The first equation of each loop.
    first: HashMap<Run<'a>, usize>,
}

impl<'a> Graph<'a> {
    fn of(program: &'a Program) -> Graph<'a> {
        let mut uses = vec![vec![]; program.params.len() + program.eqs.len()];
        let mut first = HashMap::new();
        for (j, eq) in program.eqs.iter().enumerate() {
            let mut mark = |v: Var| uses[v.index()].push(j);
            eq.visit(&mut mark);
            eq.visit_sizes(&mut |s| {
                s.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        mark(Var(*v));
                    }
                });
            });
            if let Some((run, _)) = eq.loop_result() {
                first.entry(run).or_insert(j);
            }
        }
        Graph { uses, first }
    }

    /// The equations that are left when loops are joined, each behind those that it needs, and
    /// otherwise as they were; `None` if there is no such order. A joined loop stands at the first
    /// equation of the later one.
    fn order(&self, program: &Program, absorbed: &HashMap<Run<'a>, Run<'a>>) -> Option<Vec<usize>> {
        let count = program.eqs.len();
        let place: Vec<usize> = (0..count)
            .map(|j| {
                let run = program.eqs[j].loop_result().map(|(run, _)| run);
                run.and_then(|r| absorbed.get(&r))
                    .map_or(j, |r| self.first[r])
            })
            .collect();
        let mut behind: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        let mut open = vec![0; count];
        let mut edge = |from: usize, to: usize| {
            if from != to && behind[from].insert(to) {
                open[to] += 1;
            }
        };
        for j in 0..count {
            for &user in &self.uses[program.var_of(j).index()] {
                edge(place[j], place[user]);
            }
            if let Some((run, _)) = program.eqs[j].loop_result()
                && place[j] == j
            {
                edge(self.first[&run], j);
            }
        }
        let mut ready: BTreeSet<usize> = (0..count)
            .filter(|&j| place[j] == j && open[j] == 0)
            .collect();
        let mut order = vec![];
        while let Some(j) = ready.pop_first() {
            order.push(j);
            for &next in &behind[j] {
                open[next] -= 1;
                if open[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        let left = (0..count).filter(|&j| place[j] == j).count();
        (order.len() == left).then_some(order)
    }
}

/// As many steps, in one direction.
fn is_same_way(a: Run<'_>, b: Run<'_>) -> bool {
    let known = |r: Run<'_>| r.steps.is_some() && r.looped.goes_on.is_none();
    known(a) && known(b) && a.steps == b.steps && a.looped.reverse == b.looped.reverse
}

/// Whether a loop reads of what another collects only what belongs to the step.
fn reads(reader: Run<'_>, run: Run<'_>, out: usize, v: Var) -> bool {
    let body = &reader.looped.body;
    if out < run.looped.states || out == run.looped.count() {
        return false;
    }
    let mut at = (reader.given.iter().enumerate()).filter(|(_, g)| **g == v);
    let (Some((at, _)), None) = (at.next(), at.next()) else {
        return false;
    };
    let param = Var(at as u32);
    let mut fine = !body.results.contains(&param);
    for eq in &body.eqs {
        let mut used = false;
        eq.visit(&mut |v| used |= v == param);
        fine &= !used || is_row(body, reader, eq, param);
    }
    fine
}

/// Whether an equation is what belongs to the step.
fn is_row(body: &Program, reader: Run<'_>, eq: &Eq, param: Var) -> bool {
    let Op::Gather { src, index } = &eq.op else {
        return false;
    };
    let step = reader.given.len() + reader.looped.states;
    let rank = eq.ty.rank();
    let here = Affine::constant(rank, Size::atom(Atom::Value(step as u32)));
    let whole = (0..rank).map(|k| Affine::axis(rank, k));
    let wanted = std::iter::once(here).chain(whole).map(Ix::Affine);
    eq.guard.is_none()
        && *src == param
        && index.iter().cloned().eq(wanted)
        && body.ty(param).shape[1..] == eq.ty.shape
}

/// A loop that others were joined with, in terms of the program before.
struct Joined<'a> {
    looped: Looped,
    /// Where the results of each begin.
    first: Vec<(Run<'a>, usize)>,
    given: Vec<Var>,
    init: Vec<Var>,
    /// How many results come before its own.
    before: usize,
}

impl<'a> Joined<'a> {
    fn of(run: Run<'a>, others: Option<&Vec<(usize, Run<'a>, usize)>>) -> Joined<'a> {
        let others = others.map_or(&[][..], |o| &o[..]);
        let looped = run.looped;
        let mut runs: Vec<Run<'a>> = vec![];
        for (_, r, _) in others {
            if !runs.contains(r) {
                runs.push(*r);
            }
        }
        if runs.is_empty() {
            return Joined {
                looped: looped.map(&|p| if has_loops(p) { join(p) } else { p.clone() }),
                given: run.given.to_vec(),
                init: run.init.to_vec(),
                before: 0,
                first: vec![],
            };
        }
        runs.push(run);
        let mut inside = Inside {
            given: vec![],
            params: vec![],
        };
        let read: Vec<usize> = others.iter().map(|(at, ..)| *at).collect();
        let is_read = |r: usize, k: usize| r + 1 == runs.len() && read.contains(&k);
        let mut maps: Vec<Vec<Option<Var>>> = vec![];
        for (r, run) in runs.iter().enumerate() {
            let body = &run.looped.body;
            let mut map: Vec<Option<Var>> = vec![None; body.params.len()];
            for (k, v) in run.given.iter().enumerate() {
                if !is_read(r, k) {
                    map[k] = Some(inside.give(*v, &body.params[k]));
                }
            }
            maps.push(map);
        }
        let Inside { given, mut params } = inside;
        let mut init = vec![];
        for (run, map) in runs.iter().zip(&mut maps) {
            let body = &run.looped.body;
            for k in 0..run.looped.states {
                let at = run.given.len() + k;
                map[at] = Some(Var(params.len() as u32));
                params.push(body.params[at].clone());
            }
            init.extend_from_slice(run.init);
        }
        let index = Var(params.len() as u32);
        let step = |r: &Run<'_>| r.given.len() + r.looped.states;
        params.push(run.looped.body.params[step(&run)].clone());
        for (run, map) in runs.iter().zip(&mut maps) {
            map[step(run)] = Some(index);
            for (k, p) in run.looped.body.params.iter().enumerate() {
                if let Some(v) = map[k] {
                    let of = &mut |v: Var| map[v.index()].expect("a size is given");
                    let shape = p.ty.shape.iter().map(|s| translate_size(s, of));
                    params[v.index()].ty.shape = shape.collect();
                }
            }
        }
        let mut out = Builder::new(&looped.body.name, params);
        let mut next = vec![];
        let last = runs.len() - 1;
        for r in 0..runs.len() {
            let body = &runs[r].looped.body;
            for (j, eq) in body.eqs.iter().enumerate() {
                debug_assert_eq!(maps[r].len(), body.var_of(j).index());
                let mut row = None;
                if let Op::Gather { src, .. } = &eq.op
                    && r == last
                    && let Some((_, from, k)) = others.iter().find(|(at, ..)| *at == src.index())
                {
                    let at = runs.iter().position(|r| r == from);
                    let at = at.expect("one of them");
                    row = Some(maps[at][runs[at].looped.body.results[*k].index()]);
                }
                let map = &maps[r];
                let v = row
                    .unwrap_or_else(|| Some(out.copy(eq, &mut |v| map[v.index()].expect("known"))));
                maps[r].push(v);
            }
            let states = &body.results[..runs[r].looped.states];
            next.extend(states.iter().map(|v| maps[r][v.index()].expect("known")));
        }
        let own = &looped.body.results[looped.states..];
        let before = next.len() - looped.states;
        next.extend(own.iter().map(|v| maps[last][v.index()].expect("known")));
        let body = out.finish(next);
        let new = Looped::new(Loop {
            body: if has_loops(&body) { join(&body) } else { body },
            states: before + looped.states,
            goes_on: None,
            reverse: looped.reverse,
            keep: looped.keep,
        });
        let mut first = vec![];
        let mut at = 0;
        for r in runs {
            first.push((r, at));
            at += r.looped.states;
        }
        Joined {
            looped: new,
            first,
            given,
            init,
            before,
        }
    }
}

/// What the joined loop is given, each once.
struct Inside {
    given: Vec<Var>,
    params: Vec<Param>,
}

impl Inside {
    fn give(&mut self, v: Var, p: &Param) -> Var {
        let at = self.given.iter().position(|g| *g == v);
        let at = at.unwrap_or_else(|| {
            self.given.push(v);
            self.params.push(p.clone());
            self.given.len() - 1
        });
        Var(at as u32)
    }
}

fn has_loops(program: &Program) -> bool {
    program.eqs.iter().any(|eq| eq.loop_result().is_some())
}
