//! Arrays with many axes are made for a few indices of one axis at a time, so that they stay in a
//! cache.
//!
//! ```text
//! t[i,j,k] = f(i,j,k)                      for tiles of j {
//! u[i,j,k] = g(t[i,j,k], ..)                   t[j,i,k] = f(i,j,k)
//! v[i,j] = Σ_k u[i,j,k]             ─▶         u[j,i,k] = g(t[j,i,k], ..)
//!                                              v[j,i] = Σ_k u[j,i,k]
//! w[i] = max_j v[i,j]                      }
//!                                          w[i] = max_j v[j,i]
//! ```
//!
//! A *lane* is a size that axes of arrays have. A step is in the lane if one loop of it, outside of
//! all others of that extent, is such an axis of what it makes: the element for an index of the
//! lane needs nothing but elements for that index of other arrays that are made in the lane, and
//! whatever of all others. Steps that need other indices, as the maximum above, stand behind all
//! tiles, and what needs them in turn is in another *phase* with tiles of its own.
//!
//! In what is made in tiles, the lane is the first axis, so that a tile is one piece of memory; and
//! so all other axes of what lasts must allow that: results and arguments stay as they are. Cheap
//! functions of what is there anyway are computed again in a later phase instead of being kept.
//! Nothing else is computed more often, no element in another way; sums along other axes keep their
//! order.
//!
//! The lane is chosen that saves most arrays of three or more axes from being made as a whole, if
//! it saves two of them; arrays with more axes count first. The length of a tile is found when the
//! program runs, and all of a small program is one tile. Where no lane does, products with sums
//! over rows may be made in tiles ([`totals`]).

pub(super) mod body;
mod lane;
mod layout;
mod totals;

use super::family;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Nest, Program, Step, Work};
use crate::ir::ty::Size;
use crate::passes::ablation::{Part, without};
use crate::thresholds::{ARRAYS_SAVED, LANES_TRIED, TILED_RANK};
use body::Inside;
use lane::{Form, Lane};
use layout::Arrangement;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The program with tiles, where these save arrays.
pub(super) fn tiled(program: Program) -> Program {
    if without(Part::Fusion) {
        return program;
    }
    let mut lanes: Vec<&Size> = vec![];
    let made = program.steps.iter().flat_map(Step::defines);
    for (_, ty) in made.filter(|(_, ty)| ty.rank() >= TILED_RANK) {
        let new = |n: &&Size| n.as_lit().is_none() && n.is_total();
        for n in ty.shape.iter().filter(new) {
            if !lanes.contains(&n) && lanes.len() < LANES_TRIED {
                lanes.push(n);
            }
        }
    }
    let plans = lanes.into_iter().filter_map(|n| Plan::new(&program, n));
    // The first of those that save most, and keep least.
    let worth = |plan: &Plan| (plan.saved.clone(), Reverse(plan.kept));
    match plans.rev().max_by_key(worth) {
        Some(plan) => plan.carried_out(&program),
        None => totals::by_rows(program),
    }
}

/// What becomes of the steps of a program.
struct Plan {
    lane: Size,
    /// What has to stay as it is.
    pinned: HashSet<Var>,
    /// Those before, between and behind the phases.
    whole: Vec<Vec<Step>>,
    /// Those of each phase, with how the lane runs through them.
    phases: Vec<Vec<(Step, Form)>>,
    /// Which phases are worth it.
    worth: Vec<bool>,
    /// How many axes those arrays have that are not made as a whole, the most first.
    saved: Vec<usize>,
    /// How many axes those have that are.
    kept: usize,
}

impl Plan {
    fn new(program: &Program, n: &Size) -> Option<Plan> {
        let lane = Lane::new(program, n);
        let count = lane.phases();
        let mut whole = vec![vec![]; count + 1];
        let mut phases = vec![vec![]; count];
        for (step, place) in program.steps.iter().zip(&lane.places) {
            match place {
                lane::Place::Phase(p, form) => phases[p - 1].push((step.clone(), form.clone())),
                lane::Place::Behind(p) => whole[*p].push(step.clone()),
            }
        }
        let mut plan = Plan {
            lane: n.clone(),
            pinned: lane.pinned.clone(),
            whole,
            phases,
            worth: vec![false; count],
            saved: vec![],
            kept: 0,
        };
        plan.compute_again(program, &lane);
        for p in 0..count {
            let saved = plan.saved_by(program, p);
            if saved.len() >= ARRAYS_SAVED {
                plan.worth[p] = true;
                plan.saved.extend(saved);
                let lasting = plan.lasting(program, p);
                plan.kept += lasting.iter().map(|v| lane.rank(*v)).sum::<usize>();
            }
        }
        plan.saved.sort_unstable_by_key(|rank| Reverse(*rank));
        (!plan.saved.is_empty()).then_some(plan)
    }

    /// Gives each phase functions of its own that are cheap, and drops what nobody needs any more.
    fn compute_again(&mut self, program: &Program, lane: &Lane<'_>) {
        let defined = program.steps.iter().flat_map(Step::defines);
        let mut next = defined.map(|(v, _)| v.0 + 1).max().unwrap_or(0);
        for p in 0..self.phases.len() {
            for k in 0..self.phases[p].len() {
                let (step, form) = self.phases[p][k].clone();
                if !lane.is_cheap(&step) {
                    continue;
                }
                for later in &mut self.phases[p + 1..] {
                    let mut users = later.iter().filter(|(s, _)| s.reads().contains(&step.out));
                    // Who needs other indices needs the whole array.
                    let along =
                        |(s, f): &(Step, Form)| lane.is_read_along(s, f, step.out, form.axis);
                    if users.clone().next().is_none() || !users.all(along) {
                        continue;
                    }
                    let again = Var(next);
                    next += 1;
                    for (s, _) in later.iter_mut() {
                        body::rename(s, &mut |v| if v == step.out { again } else { v });
                    }
                    let mut copy = step.clone();
                    copy.out = again;
                    later.insert(0, (copy, form.clone()));
                }
            }
        }
        loop {
            let used = self.used(program);
            let mut dropped = false;
            for phase in &mut self.phases {
                let before = phase.len();
                phase.retain(|(s, _)| used.contains_key(&s.out));
                dropped |= phase.len() < before;
            }
            if !dropped {
                return;
            }
        }
    }

    /// The places that use each variable: a phase, or something else.
    fn used(&self, program: &Program) -> HashMap<Var, HashSet<Option<usize>>> {
        let mut out: HashMap<Var, HashSet<Option<usize>>> = HashMap::new();
        let mut uses = |step: &Step, place: Option<usize>| {
            for v in lane::uses(step) {
                out.entry(v).or_default().insert(place);
            }
        };
        for step in self.whole.iter().flatten() {
            uses(step, None);
        }
        for (p, phase) in self.phases.iter().enumerate() {
            phase.iter().for_each(|(s, _)| uses(s, Some(p)));
        }
        for r in &program.results {
            out.entry(*r).or_default().insert(None);
        }
        out
    }

    /// What of a phase is needed elsewhere, in order.
    fn lasting(&self, program: &Program, p: usize) -> Vec<Var> {
        let used = self.used(program);
        let lasts = |v: &Var| {
            let places = used.get(v);
            places.is_some_and(|places| places.iter().any(|place| *place != Some(p)))
        };
        let made = self.phases[p].iter().map(|(s, _)| s.out);
        made.filter(lasts).collect()
    }

    /// How many axes each large array has that is made and used in a phase alone, when its steps
    /// are families.
    fn saved_by(&self, program: &Program, p: usize) -> Vec<usize> {
        let results = self.lasting(program, p);
        let steps = self.phases[p].iter().map(|(s, _)| s.clone());
        let grouped = family::group(Program {
            name: program.name.clone(),
            params: program.params.clone(),
            steps: steps.collect(),
            results: results.clone(),
            requires: vec![],
            blocks: vec![],
        });
        let made = grouped.steps.iter().flat_map(Step::defines);
        let saved = made.filter(|(v, ty)| ty.rank() >= TILED_RANK && !results.contains(v));
        saved.map(|(_, ty)| ty.rank()).collect()
    }

    /// Makes arrays outside of tiles in the order in which tiles read them.
    fn turn_where_made(&mut self, run: &Size, types: &HashMap<Var, Type>) {
        let whole: Vec<&Step> = self.whole.iter().flatten().collect();
        let in_tiles = self.phases.iter().zip(&self.worth).filter(|(_, w)| **w);
        let in_tiles: Vec<&[(Step, Form)]> = in_tiles.map(|(phase, _)| &phase[..]).collect();
        let turned = layout::turned_where_made(&whole, &in_tiles, run, &self.pinned, types);
        let moved: HashMap<Var, Vec<usize>> =
            (turned.iter().map(|(v, a)| (*v, a.axes.clone()))).collect();
        for step in self.whole.iter_mut().flatten() {
            let is_turned = |v: &Var| moved.contains_key(v);
            if let Some(arrangement) = turned.get(&step.out) {
                body::arranged(step, arrangement);
            } else if let Some(arrangement) = Arrangement::of_sums(step, run)
                && step.reads().iter().any(is_turned)
            {
                body::arranged(step, &arrangement);
            }
        }
        let phases = self.phases.iter_mut().flatten().map(|(s, _)| s);
        for step in self.whole.iter_mut().flatten().chain(phases) {
            body::read_moved(step, &moved);
        }
    }

    /// The types of all there is.
    fn types(&self, program: &Program) -> HashMap<Var, Type> {
        let phases = self.phases.iter().flatten().map(|(s, _)| s);
        types(program, self.whole.iter().flatten().chain(phases))
    }

    fn carried_out(mut self, program: &Program) -> Program {
        let lasting: Vec<Vec<Var>> = (0..self.phases.len())
            .map(|p| self.lasting(program, p))
            .collect();
        // The lane becomes the first axis of what is made in tiles, and the longest the last one.
        let all = self.phases.iter().zip(&self.worth).filter(|(_, w)| **w);
        let in_tiles: Vec<&(Step, Form)> = all.flat_map(|(phase, _)| phase).collect();
        let run = layout::run(program, &self.lane, &in_tiles);
        let mut moved: HashMap<Var, Vec<usize>> = HashMap::new();
        for (phase, _) in self.phases.iter_mut().zip(&self.worth).filter(|(_, w)| **w) {
            for (step, form) in phase {
                let arrangement = Arrangement::new(step, form, run.as_ref(), &self.pinned);
                if !arrangement.axes.is_sorted() {
                    moved.insert(step.out, arrangement.axes.clone());
                }
                body::arranged_in(step, form, &arrangement);
            }
        }
        let phases = self.phases.iter_mut().flatten().map(|(s, _)| s);
        for step in self.whole.iter_mut().flatten().chain(phases) {
            body::read_moved(step, &moved);
        }
        let mut types = self.types(program);
        if let Some(run) = &run {
            self.turn_where_made(run, &types);
            types = self.types(program);
        }
        let mut copied = layout::Copies::new();
        let mut whole = self.whole.into_iter();
        let mut steps = whole.next().unwrap_or_default();
        for (p, mut phase) in self.phases.into_iter().enumerate() {
            if self.worth[p] {
                if let Some(run) = &run {
                    steps.extend(layout::copies(&mut phase, run, &mut copied, &mut types));
                }
                let inside = Inside {
                    steps: phase,
                    lasting: lasting[p].clone(),
                    ..Inside::default()
                };
                steps.push(body::tiles(&self.lane, inside, &types));
            } else {
                steps.extend(phase.into_iter().map(|(s, _)| s));
            }
            steps.extend(whole.next().unwrap_or_default());
        }
        Program {
            name: program.name.clone(),
            params: program.params.clone(),
            steps,
            results: program.results.clone(),
            requires: program.requires.clone(),
            blocks: vec![],
        }
    }
}

/// The types of the parameters of a program, and of what steps make.
fn types<'a>(program: &Program, steps: impl Iterator<Item = &'a Step>) -> HashMap<Var, Type> {
    let params = program.params.iter().map(|p| p.ty.clone());
    let mut types: HashMap<Var, Type> = (0..).map(Var).zip(params).collect();
    for step in steps {
        types.extend(step.defines().into_iter().map(|(v, ty)| (v, ty.clone())));
    }
    types
}

/// The nests of a step that may be in a lane.
fn nests(step: &Step) -> Vec<&Nest> {
    match &step.work {
        Work::Nest(nest) => vec![nest],
        Work::Scatter(parts) => parts.iter().map(|c| &c.nest).collect(),
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => vec![],
    }
}
