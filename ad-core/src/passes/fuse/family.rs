//! Steps over the same indices become one: a family, whose members are made in one pass.
//!
//! ```text
//! for i { t[i] = f(i) }                        for i { t = f(i); u[i] = g(i, t); s[p(i)] += h(i, t) }
//! for i { u[i] = g(i, t[i]) }           ─▶
//! s = 0; for i { s[p(i)] += h(i, t[i]) }
//! ```
//!
//! A member that reads another one just at the indices of the loops takes the scalar instead, and
//! what is read like that only is not stored at all. Nothing is computed more often, and no value
//! in another way; several things that are added to one element are added index by index.
//!
//! Steps are taken in order, and each joins a family that may have it: one behind all it depends
//! on, or that it reads at its own indices. The first that has something in common with it is
//! preferred; what is elementwise joins the last, if there is none. So a step only moves forward,
//! to where all it needs is there.
//!
//! What reads or writes at computed places, or reduces, keeps the pass from being vectorised. It
//! joins a family with elementary functions in it that would be, and such functions join it, only
//! if that saves enough: see [`CALL_OUTSIDE_VECTORS`].
//!
//! The same holds for rows of different lengths, whose elements are put at computed places.

mod join;
mod space;

use crate::ir::bulk::Var;
use crate::ir::kernel::{At, Compute, Contribution, Form, Nest, Program, Source, Step, Work};
use crate::ir::prims::Emit;
use crate::ir::ty::Atom;
use crate::passes::ablation::{Part, without};
use crate::thresholds::{
    CALL_OUTSIDE_VECTORS, ELEMENT_IN_MEMORY, FAMILIES_TRIED, SCALARS_OF_FAMILY,
};
use join::Joiner;
use space::{Placed, Space, is_here, places};
use std::collections::{HashMap, HashSet};

/// Makes families.
pub(super) fn group(mut program: Program) -> Program {
    if without(Part::Fusion) {
        return program;
    }
    let taken = program.taken();
    let parts = program.steps.iter().map(|s| program.part(&taken, s));
    let is_part: Vec<bool> = parts.map(|p| p.is_some()).collect();
    let steps = std::mem::take(&mut program.steps);
    let mut groups = Groups {
        results: program.results.iter().copied().collect(),
        all: vec![],
        by_space: HashMap::new(),
        made: HashMap::new(),
        used: HashMap::new(),
        placed: Placed::default(),
    };
    for (step, is_part) in steps.into_iter().zip(is_part) {
        groups.placed.note(&step);
        // A part of an array is read where it is.
        let space = groups.placed.space(&step).filter(|_| !is_part);
        groups.add(step, space);
    }
    let lasting = groups.lasting();
    let steps = groups.all.into_iter().flat_map(|g| joined(g, &lasting));
    program.steps = used(steps.collect(), &program.results);
    program
}

/// The steps without those that only members needed which are not stored any more.
fn used(steps: Vec<Step>, results: &[Var]) -> Vec<Step> {
    let mut used: HashSet<Var> = results.iter().copied().collect();
    let mut out = vec![];
    for step in steps.into_iter().rev() {
        if step.defines().iter().any(|(v, _)| used.contains(v)) {
            used.extend(uses(&step).into_iter().chain(sizes(&step)));
            used.extend(step.sources().iter().map(|s| s.array));
            out.push(step);
        }
    }
    out.reverse();
    out
}

/// Steps that become one.
struct Group {
    space: Option<Space>,
    steps: Vec<Step>,
    /// The arrays that they read and make.
    mentions: HashSet<Var>,
    scalars: usize,
    /// Whether all of them are vectorised.
    is_plain: bool,
    /// How many elementary functions are vectorised, if it is.
    calls: usize,
}

/// How an array is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Element by element, in the order of its indices.
    Each,
    /// By putting elements at computed places, each at its own.
    Put,
    /// By adding to elements.
    Sum,
    Otherwise,
}

/// All groups, in an order in which they can be computed.
struct Groups {
    results: HashSet<Var>,
    all: Vec<Group>,
    /// Those that others may join, by their loops.
    by_space: HashMap<Space, Vec<usize>>,
    made: HashMap<Var, (usize, Made)>,
    /// The last group that uses a variable.
    used: HashMap<Var, usize>,
    placed: Placed,
}

impl Groups {
    /// A step, and the loops that others may join.
    fn add(&mut self, step: Step, space: Option<Space>) {
        if let Some(step) = self.placed.unrolled(&step)
            && let Some(space) = self.placed.space(&step)
            && let Some(found) = self.found(&step, Some(&space))
            && uses(&step)
                .iter()
                .any(|v| self.made.get(v) == Some(&(found, Made::Put)))
        {
            return self.put(step, Some(space), Some(found));
        }
        let found = self.found(&step, space.as_ref());
        self.put(step, space, found);
    }

    /// What a step changes. Elements that are put into zeros need none.
    fn sources<'a>(&self, step: &'a Step) -> &'a [Source] {
        match self.placed.put(step) {
            Some(_) => &[],
            None => step.sources(),
        }
    }

    /// Whether a step reads an array at the indices of its own loops only.
    fn is_read_in_place(&self, step: &Step, v: Var) -> bool {
        let mut nests = nests(step).into_iter();
        match self.made.get(&v) {
            Some((_, Made::Each)) => {
                nests.all(|nest| places(nest, v).all(|at| at.len() == nest.outer && is_here(at)))
            }
            Some((_, Made::Put)) => {
                nests.all(|nest| places(nest, v).all(|at| self.placed.is_put(nest, v, at)))
            }
            Some((_, Made::Sum | Made::Otherwise)) | None => false,
        }
    }

    /// The group that a step may join.
    fn found(&self, step: &Step, space: Option<&Space>) -> Option<usize> {
        let (uses, sizes) = (uses(step), sizes(step));
        let mut first = 0;
        for v in &uses {
            let Some(&(at, _)) = self.made.get(v) else {
                continue;
            };
            let inside = space.is_some() && self.is_read_in_place(step, *v);
            first = first.max(at + usize::from(!inside));
        }
        for v in &sizes {
            first = first.max(self.made.get(v).map_or(0, |(at, _)| at + 1));
        }
        for s in self.sources(step) {
            if let Some(&(at, made)) = self.made.get(&s.array) {
                // What is added to a sum is added to what that begins with.
                let inside = s.taken && made == Made::Sum && !self.results.contains(&s.array);
                first = first.max(at + usize::from(!(inside && space.is_some())));
            }
            if s.taken {
                first = first.max(self.used.get(&s.array).map_or(0, |at| at + 1));
            }
        }
        let mentions = self.mentions(step);
        let scalars = scalars(step);
        let is_plain = is_plain(step);
        let calls = if is_plain { calls(step) } else { 0 };
        let in_place = |v: &&Var| self.is_read_in_place(step, **v);
        let in_place: Vec<Var> = uses.iter().filter(in_place).copied().collect();
        let open = space.and_then(|s| self.by_space.get(s));
        open.and_then(|open| {
            let behind = open.partition_point(|g| *g < first);
            let fits = |g: &usize| {
                let group = &self.all[*g];
                let is_of = |v: &&Var| self.made[v].0 == *g;
                let saved = in_place.iter().filter(is_of).count() + usize::from(calls > 0);
                let slower = match (group.is_plain, is_plain) {
                    (true, false) => group.calls,
                    (false, true) => calls,
                    (true, true) | (false, false) => 0,
                };
                let is_slower = CALL_OUTSIDE_VECTORS * slower > ELEMENT_IN_MEMORY * saved;
                group.scalars + scalars <= SCALARS_OF_FAMILY && !is_slower
            };
            let shares = |g: &usize| !self.all[*g].mentions.is_disjoint(&mentions);
            // What is elementwise, and small in a loop, need not have anything in common.
            let is_near = |g: &usize| is_plain && self.all[*g].is_plain && fits(g);
            let behind = &open[behind..];
            let mut near = behind.iter().copied().take(FAMILIES_TRIED);
            (near.find(|g| fits(g) && shares(g))).or(behind.last().copied().filter(is_near))
        })
    }

    /// The arrays that a step reads or changes.
    fn mentions(&self, step: &Step) -> HashSet<Var> {
        let sources = self.sources(step).iter().map(|s| s.array);
        uses(step).into_iter().chain(sources).collect()
    }

    /// A step in a group, or in a new one.
    fn put(&mut self, step: Step, space: Option<Space>, found: Option<usize>) {
        let mut mentions = self.mentions(&step);
        let scalars = scalars(&step);
        let is_plain = is_plain(&step);
        let calls = if is_plain { calls(&step) } else { 0 };
        let at = found.unwrap_or(self.all.len());
        // If it stays alone, it needs the zeros.
        let is_put = self.placed.put(&step).is_some();
        let kept = step.sources().iter().filter(|s| is_put || !s.taken);
        let kept: Vec<Var> = kept.map(|s| s.array).collect();
        for v in uses(&step).into_iter().chain(sizes(&step)).chain(kept) {
            let last = self.used.entry(v).or_insert(at);
            *last = at.max(*last);
        }
        let made = match &step.work {
            Work::Nest(_) if space.is_some() => Made::Each,
            Work::Nest(_) => Made::Otherwise,
            Work::Scatter(_) | Work::Change { adds: true, .. } => Made::Sum,
            Work::Change { adds: false, .. } if space.is_some() => Made::Put,
            Work::Change { adds: false, .. }
            | Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => Made::Otherwise,
        };
        for (v, _) in step.defines() {
            self.made.insert(v, (at, made));
            mentions.insert(v);
        }
        if found.is_none() {
            self.all.push(Group {
                space: space.clone(),
                steps: vec![],
                mentions: HashSet::new(),
                scalars: 0,
                is_plain: true,
                calls: 0,
            });
            if let Some(space) = space {
                self.by_space.entry(space).or_default().push(at);
            }
        }
        let group = &mut self.all[at];
        group.mentions.extend(mentions);
        group.scalars += scalars;
        group.is_plain &= is_plain;
        group.calls += calls;
        group.steps.push(step);
    }

    /// What has to be stored: results, and what is used outside of its group.
    fn lasting(&self) -> HashSet<Var> {
        let mut out = self.results.clone();
        for (at, group) in self.all.iter().enumerate() {
            for step in &group.steps {
                let sources = self.sources(step).iter().map(|s| s.array);
                let all = uses(step).into_iter().chain(sizes(step)).chain(sources);
                out.extend(all.filter(|v| self.made.get(v).is_some_and(|(g, _)| *g != at)));
            }
        }
        out
    }
}

/// The arrays that a step reads, each once.
fn uses(step: &Step) -> Vec<Var> {
    let mut out = step.reads();
    out.sort_unstable();
    out.dedup();
    out
}

/// The integers that its sizes are made of.
fn sizes(step: &Step) -> Vec<Var> {
    let mut out = vec![];
    step.visit_sizes(&mut |n| {
        n.visit(&mut |a| {
            if let Atom::Value(v) = a {
                out.push(Var(*v));
            }
        });
    });
    out.sort_unstable();
    out.dedup();
    out
}

/// The nests of a step that has a space.
fn nests(step: &Step) -> Vec<&Nest> {
    match &step.work {
        Work::Nest(nest) => vec![nest],
        Work::Scatter(parts) | Work::Change { parts, .. } => {
            parts.iter().map(|p| &p.nest).collect()
        }
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => vec![],
    }
}

/// Whether the loop over the last index is vectorised: nothing is read or written at computed
/// places, and nothing reduced but over it.
fn is_plain(step: &Step) -> bool {
    let fits = match &step.work {
        Work::Nest(_) => true,
        Work::Scatter(parts) => parts.len() == 1 && sums_over_rows(&parts[0]),
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => false,
    };
    fits && nests(step).into_iter().all(|nest| {
        nest.nodes.iter().all(|s| match &s.compute {
            Compute::Read(_, at) => at.iter().all(|a| matches!(a, At::Affine(_))),
            Compute::Reduce(..) | Compute::ArgReduce(..) => false,
            Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Same(_)
            | Compute::Extreme(_) => true,
        })
    })
}

/// Whether a contribution is to the same element at all indices of the innermost loop.
fn sums_over_rows(c: &Contribution) -> bool {
    c.nest.outer.checked_sub(1).is_some_and(|last| {
        c.at.iter()
            .all(|a| matches!(a, At::Affine(a) if a.coefficient(last).is_none()))
    })
}

/// How many elementary functions are called.
fn calls(step: &Step) -> usize {
    let nodes = nests(step).into_iter().flat_map(|nest| &nest.nodes);
    let calls = nodes.filter(|s| match &s.compute {
        Compute::Prim(p, _) => matches!(p.emission(), Emit::Call(_)),
        Compute::Lit(_)
        | Compute::Index(_)
        | Compute::Read(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Same(_)
        | Compute::Extreme(_) => false,
    });
    calls.count()
}

fn scalars(step: &Step) -> usize {
    nests(step).iter().map(|n| n.nodes.len()).sum()
}

/// The steps of a group as one. A single step that adds to whole rows becomes a family of one:
/// only families have the form of added rows.
fn joined(group: Group, lasting: &HashSet<Var>) -> Vec<Step> {
    let Some(space) = group.space else {
        return group.steps;
    };
    let family = |steps: Vec<Step>| {
        let mut joiner = Joiner::over(&space);
        steps.into_iter().for_each(|step| joiner.add(step));
        joiner.finish(lasting)
    };
    match &group.steps[..] {
        [one] => {
            let adds = match &one.work {
                Work::Scatter(_) => true,
                Work::Change { adds, .. } => *adds,
                Work::Nest(_)
                | Work::Contract { .. }
                | Work::Recur { .. }
                | Work::Family(_)
                | Work::Loop(_)
                | Work::Branch(_)
                | Work::Call(_)
                | Work::Tiles(_) => false,
            };
            let alone = adds.then(|| family(vec![one.clone()]));
            let by_rows = |family: &Vec<Step>| {
                let made = family[0].made();
                made.is_some_and(|m| m.may_be(Form::AddedRows { least: 0 }, &|_| &[]))
            };
            alone.filter(by_rows).unwrap_or(group.steps)
        }
        _ => family(group.steps),
    }
}
