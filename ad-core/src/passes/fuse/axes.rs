//! The order of the axes of arrays whose rows are chosen by data.
//!
//! ```text
//! t[k, v, r] = Σ b: w[v, b] m[b, r, k]      t[v, r, k] = Σ b: w[v, b] m[b, r, k]
//! out[i, r, k] = t[k, which[i], r]     ─▶   out[i, r, k] = t[which[i], r, k]
//! ```
//!
//! On the left the innermost loop reads each element from another row. On the right it reads one
//! row. The nest that makes such an array runs in the new order, too. Arrays that only this nest
//! reads are moved in the same way. A product whose operand is moved may add its terms in another
//! order.
//!
//! An array stays as it is where its readers want different orders, or where making it in the new
//! order would leave rows of something that cannot be moved.

use super::tile::body::{in_order, read_moved, with_outer};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Affine, At, Compute, Form, Loop, Nest, Program, Range, Step, Work};
use std::collections::{HashMap, HashSet};

/// An order of axes: the first axis is the one that had the first of these numbers.
type Order = Vec<usize>;

/// The program whose arrays have their axes in the order in which rows of them are read.
pub(super) fn reordered(mut program: Program) -> Program {
    let pinned = pinned(&program);
    let mut wishes: HashMap<Var, Vec<Order>> = HashMap::new();
    let mut moved: HashMap<Var, Order> = HashMap::new();
    for step in program.steps.iter_mut().rev() {
        let wished = wishes.remove(&step.out).unwrap_or_default();
        let order = wished.first().filter(|first| {
            let agreed = wished.iter().all(|o| o == *first);
            agreed && !first.is_sorted() && !pinned.contains(&step.out)
        });
        let is_moved = order.is_some_and(|order| arranged(step, order, &pinned));
        if let Some(order) = order.filter(|_| is_moved) {
            moved.insert(step.out, order.clone());
        }
        for nest in step.nests_mut() {
            for s in &nest.nodes {
                if let Compute::Read(v, at) = &s.compute {
                    let wish = match is_moved {
                        true => by_loops(nest, at),
                        false => by_rows(nest, at),
                    };
                    let wish = wish.unwrap_or_else(|| (0..at.len()).collect());
                    wishes.entry(*v).or_default().push(wish);
                }
            }
        }
    }
    if !moved.is_empty() {
        for step in &mut program.steps {
            read_moved(step, &moved);
        }
    }
    program
}

/// What has to stay as it is: all but what is made by a step for it alone, and read by loop nests
/// and products.
fn pinned(program: &Program) -> HashSet<Var> {
    let count = program.params.len() as u32;
    let mut pinned: HashSet<Var> = (0..count).map(Var).collect();
    pinned.extend(&program.results);
    for step in &program.steps {
        pinned.extend(step.sources().iter().map(|s| s.array));
        match &step.work {
            Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } => {}
            Work::Recur { .. }
            | Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => {
                pinned.extend(step.reads());
                pinned.extend(step.defines().iter().map(|(v, _)| *v));
            }
        }
    }
    pinned
}

/// Makes a step compute its array in another order of axes, if it can.
fn arranged(step: &mut Step, order: &Order, pinned: &HashSet<Var>) -> bool {
    match &mut step.work {
        Work::Nest(nest) => {
            let is_plain = nest.form == Form::Plain && nest.ranges.iter().all(Range::is_whole);
            if !is_plain || leaves_rows(nest, order, pinned) {
                return false;
            }
            *nest = with_outer(nest, order);
        }
        Work::Contract { out_axes, onto, .. } if onto.is_none() => in_order(out_axes, order),
        Work::Contract { .. }
        | Work::Scatter(_)
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => return false,
    }
    in_order(&mut step.ty.shape, order);
    true
}

/// Whether a nest reads along rows of something that stays as it is, and would not in a new order.
fn leaves_rows(nest: &Nest, order: &Order, pinned: &HashSet<Var>) -> bool {
    let (Some(old), Some(new)) = (nest.outer.checked_sub(1), order.last()) else {
        return true;
    };
    nest.nodes.iter().any(|s| match &s.compute {
        Compute::Read(v, at) => {
            let runs = |l: Loop| at.last().is_some_and(|a| nest.mentions(a, l));
            pinned.contains(v) && runs(old) && !runs(*new)
        }
        Compute::Lit(_)
        | Compute::Index(_)
        | Compute::Prim(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Extreme(_)
        | Compute::Same(_) => false,
    })
}

/// The order of axes in which the loops of a nest run through them, if each axis has a loop or is
/// read at one index: the innermost loop of the result last, and before it one index and the loops
/// of sums.
fn by_loops(nest: &Nest, at: &[At]) -> Option<Order> {
    let last = nest.outer.checked_sub(1)?;
    let place = |a: &At| match the_loop(nest, a) {
        None => matches!(a, At::Affine(a) if a.terms.is_empty()).then_some(nest.loops.len()),
        Some(l) if l == last => Some(nest.loops.len() + 1),
        l => l,
    };
    let places: Vec<usize> = at.iter().map(place).collect::<Option<_>>()?;
    let mut order: Order = (0..at.len()).collect();
    order.sort_by_key(|k| places[*k]);
    Some(order)
}

/// The order of axes in which the loops of a nest run through them, if data choose rows: an axis
/// along which they do stands where the last loop is that they depend on.
fn by_rows(nest: &Nest, at: &[At]) -> Option<Order> {
    let last = nest.outer.checked_sub(1)?;
    let place = |a: &At| match a {
        At::Affine(_) => the_loop(nest, a).map(|l| (l, true)),
        At::Node(n) => Some((nest.depends[*n].last().copied().unwrap_or(0), false)),
    };
    let places: Vec<(Loop, bool)> = at.iter().map(place).collect::<Option<_>>()?;
    let is_row = places.contains(&(last, true)) && !places.contains(&(last, false));
    let chosen = places.iter().any(|(_, is_plain)| !is_plain);
    let mut order: Order = (0..at.len()).collect();
    order.sort_by_key(|k| places[*k]);
    (is_row && chosen).then_some(order)
}

/// The only loop that an index depends on, which runs along it.
fn the_loop(nest: &Nest, a: &At) -> Option<Loop> {
    let At::Affine(a) = a else { return None };
    (0..nest.loops.len()).find(|l| *a == Affine::of(*l))
}
