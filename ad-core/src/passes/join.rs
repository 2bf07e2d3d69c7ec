//! Loops are joined where some read, in each step, what another collects in the same step.
//!
//! ```text
//! y ← f(y), collecting c(y)          (y, z) ← (f(y), g(z, c(y)))
//! z ← g(z, c[k])
//! ```
//!
//! All have as many steps and the same direction. A loop with a condition has as many steps as one
//! over the number of its steps. Nothing else reads what the first loop collects, and the others
//! read of `c` the row of their own step. Then nothing is collected. The joined loop stands
//! where the last one does. Equations that use the ends of the others move behind it, and no loop
//! must need the end of another. Such loops come from taking states back (`linearise/undo.rs`),
//! once the linear loop is transposed, and from the columns of a Jacobian.

use crate::ir::build::{Builder, translate_ix, translate_size};
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
        let Some((run, _)) = eq.loop_result() else {
            let v = out.copy(eq, &mut |v| new[v.index()].expect("read by loops only"));
            new[own.index()] = Some(v);
            continue;
        };
        let group = plan.group(run);
        let is_new = !done.contains_key(&run);
        let make = || group.map_or_else(|| Joined::alone(run), Joined::of);
        let joined = done.entry(run).or_insert_with(make);
        // Where the others end is known now, first of all how many steps they took.
        let mut results = vec![];
        if is_new {
            results.extend(group.iter().flat_map(|g| &g.ends));
        }
        results.push(&own);
        for v in results {
            let mut of = |v: Var| new[v.index()].expect("computed before");
            let (run, k) = program.eq(*v).and_then(Eq::loop_result).expect("of a loop");
            let ty = program.ty(*v);
            let shape = ty.shape.iter().map(|s| translate_size(s, &mut of));
            let (elem, shape) = (ty.elem, shape.collect());
            let op = Op::Loop {
                looped: joined.looped.clone(),
                steps: joined.steps.map(|s| translate_size(s, &mut of)),
                given: joined.given.iter().map(|v| of(*v)).collect(),
                init: joined.init.iter().map(|v| of(*v)).collect(),
                out: joined.places[&(run, k)],
            };
            let (ty, guard) = (Type { elem, shape }, None);
            new[v.index()] = Some(out.push(Eq { ty, guard, op }));
        }
    }
    for (k, p) in program.params.iter().enumerate() {
        let of = &mut |v: Var| new[v.index()].expect("a size");
        let shape = p.ty.shape.iter().map(|s| translate_size(s, of));
        out.set_param_shape(k, shape.collect());
    }
    let results = program.results.iter();
    let results = results.map(|r| new[r.index()].expect("read by loops only"));
    let results = results.collect();
    out.finish(results)
}

/// Loops that are joined, in the order of the program. The joined loop stands where the last is.
#[derive(Clone)]
struct Group<'a> {
    members: Vec<Run<'a>>,
    /// The rows that members read of what others collect.
    rows: Vec<Row<'a>>,
    /// Results of the others that are used elsewhere, numbers of steps first.
    ends: Vec<Var>,
}

/// A member that is given, at a place, what another collects.
#[derive(Clone, Copy)]
struct Row<'a> {
    reader: Run<'a>,
    at: usize,
    from: Run<'a>,
    out: usize,
}

impl<'a> Group<'a> {
    /// Where the joined loop stands.
    fn last(&self) -> Run<'a> {
        *self.members.last().expect("not empty")
    }

    fn row(&self, reader: Run<'a>, at: usize) -> Option<&Row<'a>> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.reader == reader && row.at == at)
    }

    /// Whether a result is an array that only members read, so that it is no longer collected.
    fn is_read(&self, run: Run<'a>, out: usize) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.from == run && row.out == out)
    }

    /// The only loop of all whose steps are not known before, or one of the others.
    fn counting(&self) -> Run<'a> {
        let mut runs = self.members.iter();
        *runs.find(|r| r.steps.is_none()).unwrap_or(&self.members[0])
    }
}

/// Which loops are joined.
struct Plan<'a> {
    groups: Vec<Group<'a>>,
    /// Which group a loop is in.
    of: HashMap<Run<'a>, usize>,
    /// In which order the equations come that are left.
    order: Vec<usize>,
}

impl<'a> Plan<'a> {
    fn of(program: &'a Program) -> Plan<'a> {
        let uses = Uses::of(program);
        let mut plan = Plan {
            groups: vec![],
            of: HashMap::new(),
            order: vec![],
        };
        // First the loops that leave the order as it is, then each other one that leaves some
        // order.
        let mut candidates: Vec<(Group<'a>, bool)> = (uses.collecting().into_iter())
            .filter_map(|run| uses.readers(run))
            .map(|group| {
                let late = uses.is_late(&group);
                (group, late)
            })
            .collect();
        candidates.sort_by_key(|(_, late)| !late);
        for (group, late) in candidates {
            let is_touched = |g: &Group<'a>| g.members.iter().any(|r| group.members.contains(r));
            let touched: Vec<Group<'a>> = (plan.groups.extract_if(.., |g| is_touched(g))).collect();
            let keeps_order = late && touched.is_empty();
            let all = (touched.iter().cloned()).fold(group, |all, g| uses.together(all, g));
            let is_closed = uses.is_closed(&all);
            plan.groups.push(all);
            if !is_closed || !(keeps_order || uses.order(&plan.groups).is_some()) {
                plan.groups.pop();
                plan.groups.extend(touched);
            }
        }
        for group in &mut plan.groups {
            group.ends = uses.ends(group);
        }
        let members = plan.groups.iter().enumerate();
        plan.of = members
            .flat_map(|(k, g)| g.members.iter().map(move |r| (*r, k)))
            .collect();
        plan.order = (uses.order(&plan.groups)).expect("loops that are joined leave an order");
        plan
    }

    fn group(&self, run: Run<'a>) -> Option<&Group<'a>> {
        self.of.get(&run).map(|&k| &self.groups[k])
    }
}

/// Which equations need which.
struct Uses<'a> {
    program: &'a Program,
    /// For each variable the equations that use it.
    of: Vec<Vec<usize>>,
    /// Loops that are given a variable, each once.
    given: Vec<Vec<Run<'a>>>,
    /// Whether it is used, but as what a loop is given.
    otherwise: Vec<bool>,
    /// The first equation of each loop.
    first: HashMap<Run<'a>, usize>,
    /// The results of loops that are used.
    results: BTreeMap<Var, (Run<'a>, usize)>,
}

/// The variables in a size.
fn values(s: &Size, see: &mut dyn FnMut(Var)) {
    s.visit(&mut |a| {
        if let Atom::Value(v) = a {
            see(Var(*v));
        }
    });
}

impl<'a> Uses<'a> {
    fn of(program: &'a Program) -> Uses<'a> {
        let count = program.params.len() + program.eqs.len();
        let mut uses = Uses {
            program,
            of: vec![vec![]; count],
            given: vec![vec![]; count],
            otherwise: vec![false; count],
            first: HashMap::new(),
            results: BTreeMap::new(),
        };
        for r in &program.results {
            uses.otherwise[r.index()] = true;
        }
        for (j, eq) in program.eqs.iter().enumerate() {
            eq.visit_sizes(&mut |s| {
                values(s, &mut |v| {
                    uses.otherwise[v.index()] = true;
                    uses.of[v.index()].push(j);
                });
            });
            eq.visit(&mut |v| uses.of[v.index()].push(j));
            let Some((run, _)) = eq.loop_result() else {
                eq.visit(&mut |v| uses.otherwise[v.index()] = true);
                continue;
            };
            uses.first.entry(run).or_insert(j);
            for v in run.init {
                uses.otherwise[v.index()] = true;
            }
            for v in run.given {
                let given = &mut uses.given[v.index()];
                if given.last() != Some(&run) {
                    given.push(run);
                }
            }
        }
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(j);
            let is_used = uses.otherwise[v.index()] || !uses.given[v.index()].is_empty();
            if let Some(result) = eq.loop_result().filter(|_| is_used) {
                uses.results.insert(v, result);
            }
        }
        uses
    }

    /// The loops that collect something that is used, in the order of the program.
    fn collecting(&self) -> Vec<Run<'a>> {
        let mut runs: Vec<Run<'a>> = vec![];
        for (run, out) in self.results.values() {
            if is_stack(*run, *out) && !runs.contains(run) {
                runs.push(*run);
            }
        }
        runs
    }

    fn in_order(&self, mut members: Vec<Run<'a>>) -> Vec<Run<'a>> {
        members.sort_by_key(|r| self.first[r]);
        members.dedup();
        members
    }

    /// A loop with all those that read what it collects, if they read rows of it.
    fn readers(&self, run: Run<'a>) -> Option<Group<'a>> {
        let (mut members, mut rows) = (vec![run], vec![]);
        let stacks = self.results.iter();
        for (v, (_, out)) in stacks.filter(|(_, (r, k))| *r == run && is_stack(run, *k)) {
            if self.otherwise[v.index()] {
                return None;
            }
            for &reader in &self.given[v.index()] {
                let fits = self.is_same_way(run, reader);
                let at = row_at(reader, *v).filter(|_| fits)?;
                members.push(reader);
                rows.push(Row {
                    reader,
                    at,
                    from: run,
                    out: *out,
                });
            }
        }
        let members = self.in_order(members);
        let ends = vec![];
        Some(Group {
            members,
            rows,
            ends,
        })
    }

    fn together(&self, mut a: Group<'a>, b: Group<'a>) -> Group<'a> {
        a.members.extend(b.members);
        a.rows.extend(b.rows);
        a.members = self.in_order(a.members);
        a
    }

    /// As many steps, in one direction.
    fn is_same_way(&self, a: Run<'a>, b: Run<'a>) -> bool {
        let (Some(steps), None) = (b.steps, &b.looped.goes_on) else {
            return false;
        };
        let is_as_long = match a.steps {
            Some(n) => a.looped.goes_on.is_none() && n == steps,
            None => self.is_count(steps, a) && !a.looped.reverse,
        };
        is_as_long && a.looped.reverse == b.looped.reverse
    }

    /// Whether a size is the number of steps that a loop took.
    fn is_count(&self, size: &Size, run: Run<'a>) -> bool {
        let mut all = self.results.iter();
        all.any(|(v, (r, k))| {
            let is_it = *r == run && *k == run.looped.count();
            is_it && *size == Size::atom(Atom::Value(v.0))
        })
    }

    /// Whether whatever uses what the others give comes behind the last.
    fn is_late(&self, group: &Group<'a>) -> bool {
        let last = group.last();
        let is_end =
            |r: Run<'a>, k: usize| r != last && group.members.contains(&r) && !group.is_read(r, k);
        let ends = self.results.iter().filter(|(_, (r, k))| is_end(*r, *k));
        let mut uses = ends.flat_map(|(v, _)| &self.of[v.index()]);
        uses.all(|j| *j > self.first[&last] || self.run_of(*j) == Some(last))
    }

    fn run_of(&self, j: usize) -> Option<Run<'a>> {
        self.program.eqs[j].loop_result().map(|(run, _)| run)
    }

    /// Whether no member needs the end of another.
    fn is_closed(&self, group: &Group<'a>) -> bool {
        let counting = group.counting();
        let member = |v: Var| {
            self.results
                .get(&v)
                .filter(|(r, _)| group.members.contains(r))
        };
        let is_one = |v: Var| member(v).is_some();
        let fits = |r: &Run<'a>| {
            let is_given = |(at, v): (usize, &Var)| match member(*v) {
                None => true,
                Some((from, out)) if *from == counting && *out == from.looped.count() => {
                    group.row(*r, at).is_some() || is_unused(group, *r, at)
                }
                Some(_) => group.row(*r, at).is_some(),
            };
            let mut has_steps = true;
            if let Some(steps) = r.steps.filter(|s| !self.is_count(s, counting)) {
                values(steps, &mut |v| has_steps &= !is_one(v));
            }
            let is_as_long = *r == counting || self.is_same_way(counting, *r);
            let mut given = r.given.iter().enumerate();
            has_steps && is_as_long && given.all(is_given) && !r.init.iter().any(|v| is_one(*v))
        };
        group.members.iter().all(fits)
    }

    /// What the others give besides the rows.
    fn ends(&self, group: &Group<'a>) -> Vec<Var> {
        let last = group.last();
        let results = self.results.iter().filter(|(_, (r, k))| {
            *r != last && group.members.contains(r) && !group.is_read(*r, *k)
        });
        let mut ends: Vec<(bool, Var)> = results
            .map(|(v, (r, k))| (*k != r.looped.count(), *v))
            .collect();
        ends.sort();
        ends.into_iter().map(|(_, v)| v).collect()
    }

    /// The equations that are left when loops are joined, each behind those that it needs, and
    /// otherwise as they were; `None` if there is no such order. A joined loop stands at the first
    /// equation of the last one.
    fn order(&self, groups: &[Group<'a>]) -> Option<Vec<usize>> {
        let program = self.program;
        let count = program.eqs.len();
        let absorbed: HashMap<Run<'a>, Run<'a>> = (groups.iter())
            .flat_map(|g| g.members.iter().map(|r| (*r, g.last())))
            .filter(|(r, last)| r != last)
            .collect();
        let place: Vec<usize> = (0..count)
            .map(|j| {
                let last = self.run_of(j).and_then(|r| absorbed.get(&r));
                last.map_or(j, |r| self.first[r])
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
            for &user in &self.of[program.var_of(j).index()] {
                edge(place[j], place[user]);
            }
            if let Some(run) = self.run_of(j)
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

/// Whether a result of a loop is what it collects.
fn is_stack(run: Run<'_>, out: usize) -> bool {
    (run.looped.states..run.looped.count()).contains(&out)
}

/// Where a loop is given what another collects, if it reads of it only what belongs to the step.
fn row_at(reader: Run<'_>, v: Var) -> Option<usize> {
    let body = &reader.looped.body;
    let mut at = (reader.given.iter().enumerate()).filter(|(_, g)| **g == v);
    let (Some((at, _)), None) = (at.next(), at.next()) else {
        return None;
    };
    let param = Var(at as u32);
    let mut fine = !body.results.contains(&param);
    for eq in &body.eqs {
        let mut used = false;
        eq.visit(&mut |v| used |= v == param);
        fine &= !used || is_row(body, reader, eq, param);
    }
    fine.then_some(at)
}

/// Whether an equation reads what belongs to the step.
fn is_row(body: &Program, reader: Run<'_>, eq: &Eq, param: Var) -> bool {
    let Op::Gather { src, index } = &eq.op else {
        return false;
    };
    let step = Size::atom(Atom::Value(
        (reader.given.len() + reader.looped.states) as u32,
    ));
    let is_step = |a: &Affine| a.is_constant() && a.constant == step;
    let here = |ix: &Ix| match ix {
        Ix::Affine(a) => is_step(a),
        Ix::Data(v) => {
            let index = body.eq(*v).map(|eq| &eq.op);
            matches!(index, Some(Op::Index(a)) if is_step(a))
        }
    };
    *src == param && index.first().is_some_and(here)
}

/// Whether nothing of what a loop goes on being given needs a number that it is given.
fn is_unused(group: &Group<'_>, run: Run<'_>, at: usize) -> bool {
    let body = &run.looped.body;
    let param = Var(at as u32);
    let mut used = body.results.contains(&param);
    for (k, p) in body.params.iter().enumerate() {
        if group.row(run, k).is_none() {
            (p.ty.shape.iter()).for_each(|s| values(s, &mut |v| used |= v == param));
        }
    }
    for eq in &body.eqs {
        eq.visit(&mut |v| used |= v == param);
        let mut is_it = false;
        eq.visit_sizes(&mut |s| values(s, &mut |v| is_it |= v == param));
        used |= is_it;
    }
    !used
}

/// A loop that others were joined with, in terms of the program before.
struct Joined<'a> {
    looped: Looped,
    steps: Option<&'a Size>,
    /// Which results those of members are now.
    places: HashMap<(Run<'a>, usize), usize>,
    given: Vec<Var>,
    init: Vec<Var>,
}

impl<'a> Joined<'a> {
    /// A loop by itself.
    fn alone(run: Run<'a>) -> Joined<'a> {
        let within = |p: &Program| if has_loops(p) { join(p) } else { p.clone() };
        Joined {
            looped: run.looped.map(&within),
            steps: run.steps,
            places: (0..=run.looped.count()).map(|k| ((run, k), k)).collect(),
            given: run.given.to_vec(),
            init: run.init.to_vec(),
        }
    }

    fn of(group: &Group<'a>) -> Joined<'a> {
        let runs = &group.members;
        let mut inside = Inside {
            given: vec![],
            params: vec![],
        };
        let mut maps: Vec<Vec<Option<Var>>> = vec![];
        for run in runs {
            let body = &run.looped.body;
            let mut map: Vec<Option<Var>> = vec![None; body.params.len()];
            for (k, v) in run.given.iter().enumerate() {
                let is_reader = *run != group.counting();
                let is_gone =
                    group.row(*run, k).is_some() || (is_reader && is_unused(group, *run, k));
                if !is_gone {
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
        let last = group.last();
        params.push(last.looped.body.params[step(&last)].clone());
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
        let counting = group.counting();
        let goes_on = counting.looped.goes_on.as_ref().map(|condition| {
            let at = runs.iter().position(|r| *r == counting);
            let mut map = maps[at.expect("a member")].clone();
            let mut out = Builder::new(&condition.name, params.clone());
            for eq in &condition.eqs {
                let v = out.copy(eq, &mut |v| map[v.index()].expect("known"));
                map.push(Some(v));
            }
            let results = condition.results.iter();
            out.finish(results.map(|v| map[v.index()].expect("known")).collect())
        });
        let mut out = Builder::new(&last.looped.body.name, params);
        for (r, run) in runs.iter().enumerate() {
            let body = &run.looped.body;
            for (j, eq) in body.eqs.iter().enumerate() {
                debug_assert_eq!(maps[r].len(), body.var_of(j).index());
                let mut of = |v: Var| maps[r][v.index()].expect("known");
                let mut made = None;
                if let Op::Gather { src, index } = &eq.op
                    && let Some(found) = group.row(*run, src.index())
                {
                    let at = runs.iter().position(|r| *r == found.from);
                    let row = found.from.looped.body.results[found.out];
                    let row = maps[at.expect("a member")][row.index()].expect("known");
                    let index = index[1..]
                        .iter()
                        .map(|i| translate_ix(i, &mut of))
                        .collect();
                    made = Some(part(&mut out, row, index, eq, &mut of));
                }
                let v = made.unwrap_or_else(|| out.copy(eq, &mut of));
                maps[r].push(Some(v));
            }
        }
        // A loop has its states as results, followed by the arrays that it collects.
        let (mut next, mut places) = (vec![], HashMap::new());
        let states = runs.iter().map(|run| run.looped.states).sum();
        for is_collected in [false, true] {
            for (run, map) in runs.iter().zip(&maps) {
                for (k, v) in run.looped.body.results.iter().enumerate() {
                    if is_stack(*run, k) == is_collected && !group.is_read(*run, k) {
                        places.insert((*run, k), next.len());
                        next.push(map[v.index()].expect("known"));
                    }
                }
            }
        }
        for run in runs {
            places.insert((*run, run.looped.count()), next.len());
        }
        let body = out.finish(next);
        let within = |p: Program| if has_loops(&p) { join(&p) } else { p };
        let looped = Looped::new(Loop {
            body: within(body),
            states,
            goes_on: goes_on.map(within),
            reverse: last.looped.reverse,
            keep: last.looped.keep,
        });
        Joined {
            looped,
            steps: counting.steps,
            places,
            given,
            init,
        }
    }
}

/// An equation that reads a row, as one that reads the row itself.
fn part(
    out: &mut Builder,
    row: Var,
    index: Vec<Ix>,
    eq: &Eq,
    of: &mut dyn FnMut(Var) -> Var,
) -> Var {
    let shape: Vec<Size> = (eq.ty.shape.iter().map(|s| translate_size(s, of))).collect();
    if eq.guard.is_none() && index == Ix::identity(shape.len()) && out.shape(row) == shape {
        return row;
    }
    let guard = eq.guard.map(of);
    out.gather(row, index, &shape, guard)
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
