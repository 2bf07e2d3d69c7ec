//! In which order the axes are of what is made in tiles.
//!
//! The lane is the first axis, and the others stay as they are, unless the last one is short while
//! another is long:
//!
//! ```text
//! t[j,i,k] = x[i,k] - m[j,k]           y[k,i] = x[i,k]
//! u[j,i,k] = Σ_l r[j,k,l] t[j,i,l]     t[j,k,i] = y[k,i] - m[j,k]
//! v[j,i] = Σ_k u[j,i,k]           ─▶   u[j,k,i] = Σ_l r[j,k,l] t[j,l,i]
//!                                      v[j,i] = Σ_k u[j,k,i]
//! ```
//!
//! Loops over rows of ten are slow, and sums over each of them slower; in rows of a thousand all of
//! these are loops over vectors. How long axes are is known when the program runs. But who makes an
//! array with an axis twice, as the matrices above, expects it to be short, since time and memory
//! are quadratic in it, and so is what a short axis consists of; and what occurs once in every array
//! may be as long as there are data. A number is short, too.
//!
//! What is made outside, and read along its rows in the other order, is made in that order, too,
//! unless it has to stay as it is: then it is copied, once for all tiles.

use super::body::in_order;
use super::lane::Form;
use crate::ir::bulk::{Relation, Require, Type, Var};
use crate::ir::kernel::{
    self, Affine, At, Compute, Contribution, Loop, Nest, Node, Program, Range, Scalar, Step, Work,
};
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::{HashMap, HashSet};

/// How the axes of what a step makes are arranged, and its loops.
pub(super) struct Arrangement {
    /// The axes as they were, in the new order.
    pub(super) axes: Vec<usize>,
    /// The same of the outer loops of each nest.
    pub(super) loops: Vec<Vec<Loop>>,
}

/// The length of the axis that should be the last one, if some last one is short.
pub(super) fn run(program: &Program, lane: &Size, steps: &[&(Step, Form)]) -> Option<Size> {
    let params = program.params.iter().map(|p| &p.ty);
    let made = program
        .steps
        .iter()
        .flat_map(Step::defines)
        .map(|(_, ty)| ty);
    let types: Vec<&Type> = params.chain(made).collect();
    let is_squared = |n: &Size| {
        let twice = |ty: &&Type| ty.shape.iter().filter(|m| *m == n).count() > 1;
        n.as_lit().is_some() || types.iter().any(twice)
    };
    let is_part = |n: &Size| {
        let says = |r: &Require| r.relation == Relation::AtLeast && is_squared(&r.left);
        program
            .requires
            .iter()
            .any(|r| says(r) && is_term(n, &r.right))
    };
    let is_short = |n: &Size| is_squared(n) || is_part(n);
    steps.iter().find_map(|(step, form)| {
        let axes = step.ty.shape.iter().enumerate();
        let rest: Vec<&Size> = axes
            .filter(|(k, _)| *k != form.axis)
            .map(|(_, n)| n)
            .collect();
        let (last, others) = rest.split_last()?;
        let is_long = |n: &&&Size| !is_short(n) && n.is_total() && **n != lane;
        is_short(last).then(|| others.iter().find(is_long).map(|n| (*n).clone()))?
    })
}

/// Whether a sum of products of lengths is at least this one, if none of them is 0.
fn is_term(n: &Size, sum: &Size) -> bool {
    let divides = |m: &[Atom]| n.as_atom().is_some_and(|a| m.contains(a));
    sum.terms().all(|(_, c)| c > 0) && sum.terms().any(|(m, _)| divides(m))
}

impl Arrangement {
    /// The lane first; and last the axis of this length, if that may be.
    pub(super) fn new(
        step: &Step,
        form: &Form,
        run: Option<&Size>,
        pinned: &HashSet<Var>,
    ) -> Arrangement {
        let rank = step.ty.rank();
        let axes = first_and_last(rank, form.axis, None);
        let stays = |loops: Vec<Vec<Loop>>| Arrangement {
            axes: axes.clone(),
            loops,
        };
        let is_last = |k: usize, run: &Size| k != form.axis && step.ty.shape[k] == *run;
        let axis = run.and_then(|run| (0..rank).find(|&k| is_last(k, run)));
        let axis = axis.filter(|_| !pinned.contains(&step.out));
        let moved = || first_and_last(rank, form.axis, axis);
        match &step.work {
            Work::Nest(nest) => match axis {
                Some(l) if may_be_innermost(nest, l) => Arrangement {
                    axes: moved(),
                    loops: vec![first_and_last(nest.outer, form.axis, axis)],
                },
                Some(_) | None => stays(vec![axes.clone()]),
            },
            Work::Scatter(parts) => {
                let loops = parts.iter().zip(&form.loops);
                let loops = loops.map(|(c, &lane)| {
                    let last = run.and_then(|run| innermost(c, axis, run));
                    first_and_last(c.nest.outer, lane, last)
                });
                Arrangement {
                    axes: moved(),
                    loops: loops.collect(),
                }
            }
            Work::Contract { .. } => Arrangement {
                axes: moved(),
                loops: vec![],
            },
            Work::Recur { .. }
            | Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => unreachable!("no lane runs through these"),
        }
    }

    /// The loop of a run innermost in each part of a scatter that allows it. If what the part reads
    /// has been turned, it then adds up neighbours in memory.
    pub(super) fn of_sums(step: &Step, run: &Size) -> Option<Arrangement> {
        let Work::Scatter(parts) = &step.work else {
            return None;
        };
        let loops = parts.iter().map(|c| match innermost(c, None, run) {
            Some(l) => with_last(c.nest.outer, l),
            None => (0..c.nest.outer).collect(),
        });
        Some(Arrangement {
            axes: (0..step.ty.rank()).collect(),
            loops: loops.collect(),
        })
    }
}

/// So many places in order, but for one that is the first, and one that is the last.
fn first_and_last(count: usize, first: usize, last: Option<usize>) -> Vec<usize> {
    let rest = (0..count).filter(|k| *k != first && Some(*k) != last);
    std::iter::once(first).chain(rest).chain(last).collect()
}

/// So many axes in order, but for one that is the last.
fn with_last(rank: usize, axis: usize) -> Vec<usize> {
    (0..rank).filter(|k| *k != axis).chain([axis]).collect()
}

/// Whether no loop behind an outer loop runs where that says.
fn may_be_innermost(nest: &Nest, l: Loop) -> bool {
    (l + 1..nest.outer).all(|m| nest.ranges[m].loops().all(|o| o != l))
}

/// The loop of a contribution that goes to the innermost place: the one along the last axis, or one
/// that is summed over. Each element is the same sum in the same order: the loop goes past axes of
/// the result only.
fn innermost(c: &Contribution, axis: Option<usize>, run: &Size) -> Option<Loop> {
    let Contribution { nest, at } = c;
    let is_axis = |l: Loop| at.contains(&At::Affine(Affine::of(l)));
    let l = match axis {
        Some(k) => (0..nest.outer).find(|l| at[k] == At::Affine(Affine::of(*l)))?,
        None => (0..nest.outer).find(|&l| nest.loops[l] == *run && !is_axis(l))?,
    };
    let fits = nest.ranges[l].is_whole() && may_be_innermost(nest, l);
    (fits && (l + 1..nest.outer).all(is_axis)).then_some(l)
}

/// What is read along another axis than its last one, by a loop of the length of a run.
struct Turned {
    node: Node,
    array: Var,
    axis: usize,
}

/// What a nest reads so, but for what is `made` in the same tiles.
fn turned(nest: &Nest, run: &Size, made: &HashSet<Var>, types: &HashMap<Var, Type>) -> Vec<Turned> {
    let last = nest.outer.checked_sub(1);
    let inner = (0..nest.loops.len()).filter(|l| *l >= nest.outer || Some(*l) == last);
    let runs: Vec<Loop> = inner.filter(|l| nest.loops[*l] == *run).collect();
    let found = nest.nodes.iter().enumerate().filter_map(|(node, s)| {
        let Compute::Read(array, at) = &s.compute else {
            return None;
        };
        let axis = runs.iter().find_map(|l| along(at, *l))?;
        let ty = &types[array];
        let is_other = axis + 1 < at.len() && ty.shape[axis] == *run;
        (is_other && !made.contains(array) && ty.elem == Elem::Real).then_some(Turned {
            node,
            array: *array,
            axis,
        })
    });
    found.collect()
}

/// The arrays that are made outside of tiles and read in these along one other axis than their
/// last, with this axis: they may as well be made with that as the last one.
pub(super) fn turned_where_made(
    whole: &[&Step],
    phases: &[&[(Step, Form)]],
    run: &Size,
    pinned: &HashSet<Var>,
    types: &HashMap<Var, Type>,
) -> HashMap<Var, Arrangement> {
    let mut wanted: HashMap<Var, HashSet<usize>> = HashMap::new();
    for phase in phases {
        let made = phase.iter().map(|(s, _)| s.out).collect();
        for nest in phase.iter().flat_map(|(s, _)| super::nests(s)) {
            for t in turned(nest, run, &made, types) {
                wanted.entry(t.array).or_default().insert(t.axis);
            }
        }
    }
    let arrangement = |step: &&Step| {
        let axes = wanted.get(&step.out).filter(|axes| axes.len() == 1)?;
        let axis = *axes.iter().next()?;
        let Work::Nest(nest) = &step.work else {
            return None;
        };
        let axes = with_last(step.ty.rank(), axis);
        let may_be = may_be_innermost(nest, axis) && !pinned.contains(&step.out);
        let loops = vec![axes.clone()];
        may_be.then_some((step.out, Arrangement { axes, loops }))
    };
    whole.iter().filter_map(arrangement).collect()
}

/// Which copy there is of what, with which axis as its last.
pub(super) type Copies = HashMap<(Var, usize), Var>;

/// Copies of what the steps of a phase read along other axes than the last, which they read
/// instead.
pub(super) fn copies(
    phase: &mut [(Step, Form)],
    run: &Size,
    copied: &mut Copies,
    types: &mut HashMap<Var, Type>,
) -> Vec<Step> {
    let made: HashSet<Var> = phase.iter().map(|(s, _)| s.out).collect();
    let mut next = types.keys().map(|v| v.0 + 1).max().unwrap_or(0);
    let mut steps = vec![];
    for nest in phase.iter_mut().flat_map(|(s, _)| s.nests_mut()) {
        for t in turned(nest, run, &made, types) {
            let Compute::Read(v, at) = &mut nest.nodes[t.node].compute else {
                continue;
            };
            let order = with_last(at.len(), t.axis);
            let copy = *copied.entry((t.array, t.axis)).or_insert_with(|| {
                let copy = Var(next);
                next += 1;
                let step = copy_of(t.array, types[&t.array].clone(), &order, copy);
                types.insert(copy, step.ty.clone());
                steps.push(step);
                copy
            });
            *v = copy;
            in_order(at, &order);
        }
    }
    steps
}

/// The only axis along which a loop runs through an array, from its beginning and element by
/// element.
fn along(at: &[At], l: Loop) -> Option<usize> {
    let mentions = |a: &At| match a {
        At::Affine(a) => a.coefficient(l).is_some(),
        At::Node(_) => true,
    };
    let axis = at.iter().position(|a| *a == At::Affine(Affine::of(l)))?;
    (at.iter().enumerate())
        .all(|(k, a)| k == axis || !mentions(a))
        .then_some(axis)
}

/// An array with its axes in another order.
fn copy_of(v: Var, mut ty: Type, order: &[usize], out: Var) -> Step {
    in_order(&mut ty.shape, order);
    let rank = ty.rank();
    let at = (0..rank).map(|axis| {
        let l = order.iter().position(|k| *k == axis).unwrap_or(axis);
        At::Affine(Affine::of(l))
    });
    let read = Scalar {
        elem: ty.elem,
        guard: None,
        compute: Compute::Read(v, at.collect()),
    };
    let work = Work::Nest(Nest {
        loops: ty.shape.clone(),
        ranges: vec![Range::default(); rank],
        outer: rank,
        nodes: vec![read],
        depends: vec![(0..rank).collect()],
        root: 0,
        form: kernel::Form::Plain,
    });
    Step { out, ty, work }
}
