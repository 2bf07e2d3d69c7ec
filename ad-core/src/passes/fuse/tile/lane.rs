//! Which steps run along a lane, and in what order.

use super::nests;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Affine, At, Compute, Loop, Nest, Operand, Program, Range, Step, Work};
use crate::ir::prims::Emit;
use crate::ir::ty::{Atom, Size};
use crate::thresholds::OPERATIONS_REPEATED;
use std::collections::{HashMap, HashSet};

/// How a lane runs through a step.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The axis of what is made.
    pub(super) axis: usize,
    /// The loop of each nest.
    pub(super) loops: Vec<Loop>,
    /// The label, of a product.
    pub(super) label: Option<u8>,
}

/// Where a step stands.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// In a phase, counted from 1.
    Phase(usize, Form),
    /// Behind so many phases.
    Behind(usize),
}

impl Place {
    /// How many phases have to be over before all that is made here is there.
    pub(super) fn over(&self) -> usize {
        match self {
            Place::Phase(p, _) | Place::Behind(p) => *p,
        }
    }
}

/// A lane of a program.
pub(super) struct Lane<'a> {
    pub(super) program: &'a Program,
    pub(super) n: &'a Size,
    types: HashMap<Var, &'a Type>,
    /// What has to stay as it is.
    pub(super) pinned: HashSet<Var>,
    /// What steps take.
    taken: HashSet<Var>,
    /// The step that makes each variable.
    pub(super) made_by: HashMap<Var, usize>,
    /// Where each step stands.
    pub(super) places: Vec<Place>,
}

/// All that a step mentions and does not make, each once.
pub(super) fn uses(step: &Step) -> Vec<Var> {
    let mut out = step.reads();
    out.extend(step.sources().iter().map(|s| s.array));
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

/// Whether a step reads what is not `inside` of tiles so that an index of the lane is a row, and
/// not a column. An index in which other loops occur, too, is one under a condition, of few
/// elements.
pub(super) fn reads_rows(step: &Step, form: &Form, inside: &dyn Fn(Var) -> bool) -> bool {
    nests(step).iter().zip(&form.loops).all(|(nest, &l)| {
        nest.nodes.iter().all(|s| match &s.compute {
            Compute::Read(v, at) if !inside(*v) => {
                let runs = |a: &At| match a {
                    At::Affine(a) => a.terms.len() == 1 && a.coefficient(l).is_some(),
                    At::Node(_) => false,
                };
                !at.iter().skip(1).any(runs)
            }
            Compute::Read(..)
            | Compute::Lit(_)
            | Compute::Index(_)
            | Compute::Prim(..)
            | Compute::Reduce(..)
            | Compute::ArgReduce(..)
            | Compute::Extreme(_)
            | Compute::Same(_) => true,
        })
    })
}

impl<'a> Lane<'a> {
    /// A lane of this length.
    pub(super) fn new(program: &'a Program, n: &'a Size) -> Lane<'a> {
        let params = program.params.iter().enumerate();
        let mut types: HashMap<Var, &Type> = params.map(|(k, p)| (Var(k as u32), &p.ty)).collect();
        let mut pinned: HashSet<Var> = program.results.iter().copied().collect();
        for step in &program.steps {
            types.extend(step.defines());
            pinned.extend(step.sources().iter().map(|s| s.array));
            if nests(step).is_empty() && !matches!(step.work, Work::Contract { .. }) {
                pinned.extend(step.reads());
            }
        }
        let mut lane = Lane::with(program, n, types, pinned);
        loop {
            let lost = lane.rows_lost();
            if lost.is_empty() {
                return lane;
            }
            lane.pinned.extend(lost);
            lane = Lane::with(program, n, lane.types, lane.pinned);
        }
    }

    /// A lane where all of these stay as they are.
    fn with(
        program: &'a Program,
        n: &'a Size,
        types: HashMap<Var, &'a Type>,
        pinned: HashSet<Var>,
    ) -> Lane<'a> {
        let mut lane = Lane {
            program,
            n,
            types,
            pinned,
            taken: program.taken(),
            made_by: HashMap::new(),
            places: vec![],
        };
        let mut read_until: HashMap<Var, usize> = HashMap::new();
        for (k, step) in program.steps.iter().enumerate() {
            let uses = uses(step);
            let place = match lane.form(step) {
                Some(form) => {
                    let phases = uses.iter().map(|v| lane.first_phase(step, &form, *v));
                    Place::Phase(phases.max().unwrap_or(1), form)
                }
                None => {
                    let made = uses.iter().filter_map(|v| lane.made_by.get(v));
                    let mut over = made.map(|k| lane.places[*k].over()).max().unwrap_or(0);
                    // What is taken has been read before.
                    for s in step.sources().iter().filter(|s| s.taken) {
                        over = over.max(read_until.get(&s.array).copied().unwrap_or(0));
                    }
                    Place::Behind(over)
                }
            };
            for v in uses {
                let until = read_until.entry(v).or_default();
                *until = place.over().max(*until);
            }
            let made = step.defines().into_iter().map(|(v, _)| (v, k));
            lane.made_by.extend(made);
            lane.places.push(place);
        }
        lane
    }

    /// Arrays made in the lane that must keep it as their last axis: those whose rows data choose
    /// outside of the lane, and those whose rows they are made from.
    fn rows_lost(&self) -> HashSet<Var> {
        let mut lost = HashSet::new();
        for (step, place) in self.program.steps.iter().zip(&self.places).rev() {
            let is_lost = lost.contains(&step.out);
            if matches!(place, Place::Phase(..)) && !is_lost {
                continue;
            }
            for nest in nests(step) {
                for s in &nest.nodes {
                    let Compute::Read(v, at) = &s.compute else {
                        continue;
                    };
                    let is_chosen = at.iter().any(|a| matches!(a, At::Node(_)));
                    if (is_lost || is_chosen) && self.reads_rows_of(nest, *v, at) {
                        lost.insert(*v);
                    }
                }
            }
        }
        lost
    }

    /// Whether a nest reads rows of an array that is made in the lane, and whose last axis that is.
    fn reads_rows_of(&self, nest: &Nest, v: Var, at: &[At]) -> bool {
        let last = nest.outer.checked_sub(1);
        let is_row = last.is_some_and(|l| at.last() == Some(&At::Affine(Affine::of(l))));
        let is_last = |f: &Form| f.axis > 0 && f.axis + 1 == at.len();
        is_row && matches!(self.place(v), Some(Place::Phase(_, f)) if is_last(f))
    }

    /// How many axes an array of the program has.
    pub(super) fn rank(&self, v: Var) -> usize {
        self.types.get(&v).map_or(0, |ty| ty.rank())
    }

    /// How many phases there are.
    pub(super) fn phases(&self) -> usize {
        self.places.iter().map(Place::over).max().unwrap_or(0)
    }

    /// The only axis of an array that is as long as the lane, or the rows of a square.
    fn axis(&self, v: Var) -> Option<usize> {
        let shape = &self.types[&v].shape;
        let axes: Vec<usize> = (0..shape.len()).filter(|&k| shape[k] == *self.n).collect();
        match axes[..] {
            [axis] => Some(axis),
            [0, 1] if shape.len() == 2 => Some(0),
            _ => None,
        }
    }

    /// Where a variable is made, if it is.
    pub(super) fn place(&self, v: Var) -> Option<&Place> {
        self.made_by.get(&v).map(|k| &self.places[*k])
    }

    /// How the lane runs through a step, if it does.
    fn form(&self, step: &Step) -> Option<Form> {
        let axis = match &step.work {
            Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } => self.axis(step.out)?,
            Work::Recur { .. }
            | Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => return None,
        };
        if axis > 0 && self.pinned.contains(&step.out) {
            return None;
        }
        let form = |loops, label| Form { axis, loops, label };
        let form = match &step.work {
            Work::Nest(_) => form(vec![axis], None),
            Work::Scatter(parts) => {
                let loops = parts.iter().map(|c| match &c.at[axis] {
                    At::Affine(a) => (0..c.nest.outer).find(|l| *a == Affine::of(*l)),
                    At::Node(_) => None,
                });
                form(loops.collect::<Option<_>>()?, None)
            }
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
                within,
                onto,
            } => {
                let label = out_axes[axis];
                let is_whole = |o: &Operand, axes: &[u8]| {
                    let at = axes.iter().position(|l| *l == label);
                    let part = at.and_then(|k| Some(&o.part.as_ref()?[k]));
                    part.is_none_or(|(start, n)| start.is(0) && n == self.n)
                };
                let bounded = within.iter().any(|w| w.less == label || w.more == label);
                if bounded || onto.is_some() || !is_whole(a, a_axes) || !is_whole(b, b_axes) {
                    return None;
                }
                form(vec![], Some(label))
            }
            Work::Recur { .. }
            | Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => return None,
        };
        let runs = nests(step).iter().zip(&form.loops).all(|(nest, &l)| {
            nest.loops[l] == *self.n && nest.ranges[l].is_whole() && nest.once(l).is_none()
        });
        let is_inside = |v: Var| matches!(self.place(v), Some(Place::Phase(..)));
        (runs && reads_rows(step, &form, &is_inside)).then_some(form)
    }

    /// The first phase in which a step of the lane may use a variable.
    fn first_phase(&self, step: &Step, form: &Form, v: Var) -> usize {
        let Some(&k) = self.made_by.get(&v) else {
            return 1;
        };
        match &self.places[k] {
            Place::Phase(p, of) if self.is_read_along(step, form, v, of.axis) => *p,
            place @ (Place::Phase(..) | Place::Behind(_)) => place.over() + 1,
        }
    }

    /// Whether a step reads an array at its own index of the lane only.
    pub(super) fn is_read_along(&self, step: &Step, form: &Form, v: Var, axis: usize) -> bool {
        let mut mentioned = false;
        step.visit_sizes(&mut |n| n.visit(&mut |a| mentioned |= *a == Atom::Value(v.0)));
        if mentioned {
            return false;
        }
        if let Work::Contract {
            a,
            b,
            a_axes,
            b_axes,
            ..
        } = &step.work
        {
            let along = |o: &Operand, axes: &[u8]| o.array != v || Some(axes[axis]) == form.label;
            return along(a, a_axes) && along(b, b_axes);
        }
        nests(step).iter().zip(&form.loops).all(|(nest, &l)| {
            nest.nodes.iter().all(|s| match &s.compute {
                Compute::Read(w, at) if *w == v => at[axis] == At::Affine(Affine::of(l)),
                Compute::Read(..)
                | Compute::Lit(_)
                | Compute::Index(_)
                | Compute::Prim(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Extreme(_)
                | Compute::Same(_) => true,
            })
        })
    }

    /// Whether it is better to compute something again than to keep it: few operations on what is
    /// there in any case.
    pub(super) fn is_cheap(&self, step: &Step) -> bool {
        let Work::Nest(nest) = &step.work else {
            return false;
        };
        let mut cost = 0;
        let is_inside = |v: Var| matches!(self.place(v), Some(Place::Phase(..)));
        let cheap = nest.nodes.iter().all(|s| match &s.compute {
            // What is taken may be gone by then.
            Compute::Read(v, _) => !is_inside(*v) && !self.taken.contains(v),
            Compute::Prim(p, _) => {
                cost += p.cost();
                !matches!(p.emission(), Emit::Call(_))
            }
            Compute::Reduce(..) | Compute::ArgReduce(..) | Compute::Extreme(_) => false,
            Compute::Lit(_) | Compute::Index(_) | Compute::Same(_) => true,
        });
        let stays = !self.program.results.contains(&step.out);
        let whole = nest.ranges.iter().all(Range::is_whole);
        cheap && stays && whole && cost <= OPERATIONS_REPEATED
    }
}
