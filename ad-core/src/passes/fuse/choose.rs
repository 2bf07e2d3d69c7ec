//! Which arrays are stored, and which elements are computed where they are needed.
//!
//! A walk from the results backwards notes for each variable its *places*: the nests that need its
//! elements, and the indices there. A variable is inlined at its places if
//!
//! - it costs no real operation (reads, indices, selections), or
//! - it has one place, and the loops there meet no element twice (`once_per_element`).
//!
//! Everything else is stored: results, operands of matrix products and recurrences, scatters,
//! arrays with several places or with indices from data, and sizes. So fusion repeats no real
//! operation. Bodies of sequential loops are the exception, since their arrays are in cache and
//! passes over them dominate: there a single cheap operation on a stored array is repeated at a few
//! places.

use super::contractions::{Negatives, operands};
use super::extreme::extremes;
use super::inside::inside;
use super::{follow, is_opaque, with_loops};
use crate::ir::bulk::{Eq, Ix, Op, Program, Var};
use crate::ir::core::ReduceOp;
use crate::ir::kernel::{Affine, Loop};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};
use crate::passes::ablation::{Part, without};
use crate::thresholds::{
    CHEAP_REPEATS, CHEAP_REPEATS_IN_BODIES, FREE_CHAIN, OPERANDS_SEARCHED, TILED_RANK,
};
use std::collections::{HashMap, HashSet};

/// A place where a variable's elements are needed: in the nest of a stored variable, at affine
/// functions of its loops.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    nest: (Var, usize),
    at: Vec<Affine>,
    /// The loops around the place where it is evaluated, from the outside in: the outer loops of
    /// the nest, and inner ones up to the last that occurs in `at`.
    around: Vec<Loop>,
    outer: usize,
}

impl Place {
    /// All elements of a nest's own array, or of a part that it scatters.
    fn whole(nest: (Var, usize), rank: usize) -> Place {
        Place {
            nest,
            at: (0..rank).map(Affine::of).collect(),
            around: (0..rank).collect(),
            outer: rank,
        }
    }

    /// Another place that is needed for this one.
    fn moved(&self, at: Vec<Affine>, around: Vec<Loop>) -> Place {
        let occurs = |l: &Loop| at.iter().any(|a| a.terms.iter().any(|(m, _)| m == l));
        let last = around.iter().rposition(occurs).map_or(0, |k| k + 1);
        let around = around[..last.max(self.outer)].to_vec();
        Place {
            nest: self.nest,
            at,
            around,
            outer: self.outer,
        }
    }

    /// Whether evaluating the place meets no element twice: each loop around it is a component by
    /// itself.
    fn is_once_per_element(&self) -> bool {
        let single: Vec<Loop> = (self.at.iter())
            .filter_map(|a| match &a.terms[..] {
                [(l, c)] if c.is(1) || c.is(-1) => Some(*l),
                _ => None,
            })
            .collect();
        self.around.iter().all(|l| single.contains(l))
    }
}

/// What is stored.
pub(super) struct Choice {
    /// Whether each variable is.
    pub(super) stored: Vec<bool>,
    /// The positions of extrema that are computed together with the value there, and that.
    pub(super) extremes: HashMap<Var, Var>,
}

/// Decides which variables are stored; some are for other reasons.
///
/// In the body of a sequential loop more is computed where it is needed: its arrays are in a cache
/// as a rule, so that it is the number of passes that counts, and what one of them writes and
/// another reads. Outside of loops arrays that are stored are what [`super::tile`] makes tiles of.
pub(super) fn choose(
    program: &Program,
    negatives: &Negatives,
    mut stored: Vec<bool>,
    is_body: bool,
    positive: &[Size],
) -> Choice {
    let count = program.params.len() + program.eqs.len();
    let free = free_of_charge(program);
    let mut needed: Vec<Vec<Place>> = vec![vec![]; count];
    // The loops of each nest so far, and those of each reduction inlined into it.
    let mut loops: HashMap<(Var, usize), usize> = HashMap::new();
    stored[..program.params.len()].fill(true);
    for r in &program.results {
        stored[r.index()] = true;
    }
    let mut extremes = extremes(program, &stored, positive);
    let is_extreme: HashSet<Var> = extremes.values().copied().collect();
    let mark = |s: &Size, stored: &mut Vec<bool>| {
        s.visit(&mut |a| {
            if let Atom::Value(v) = a {
                stored[*v as usize] = true;
            }
        });
    };
    for p in &program.params {
        p.ty.shape.iter().for_each(|s| mark(s, &mut stored));
    }
    let two_sided = program.two_sided();
    for (k, eq) in program.eqs.iter().enumerate() {
        let branch = eq.loop_result().and_then(|(run, _)| {
            let first = *two_sided.get(&run).unwrap_or(&run);
            program.branch(first)
        });
        if branch.is_some() {
            eq.ty.shape.iter().for_each(|s| mark(s, &mut stored));
        } else {
            eq.visit_sizes(&mut |s| mark(s, &mut stored));
        }
        match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                ..
            } => {
                let ((a, _), (b, _)) = operands(program, negatives, (*a, a_axes), (*b, b_axes));
                stored[a.array.index()] = true;
                stored[b.array.index()] = true;
            }
            // It is not begun with anything.
            Op::Loop { given, .. } if branch.is_some() => {
                (given.iter().chain(&branch)).for_each(|v| stored[v.index()] = true);
            }
            Op::Recur { .. } | Op::Call { .. } | Op::Loop { .. } => {
                eq.visit(&mut |v| stored[v.index()] = true);
            }
            Op::Update { src, .. } => stored[src.index()] = true,
            // A read that may fail is a read of an array: its failure must not be lost.
            Op::Gather { .. } if is_extreme.contains(&program.var_of(k)) => {}
            Op::Gather { src, index } => {
                let of = &program.ty(*src).shape;
                let plain = index.iter().zip(of).all(|(i, n)| match i {
                    Ix::Data(_) => false,
                    Ix::Affine(a) => {
                        let shape = &eq.ty.shape;
                        let says = |g| match is_body {
                            true => inside(program, g, (a, shape), n),
                            false => a.inside(shape, n),
                        };
                        eq.guard.is_none_or(says)
                    }
                });
                if !plain || selects_indices(program, *src) && eq.ty.rank() > of.len() {
                    stored[src.index()] = true;
                }
            }
            // What is added up row by row is an array of its own, see `interchange`.
            Op::Scatter(parts) => {
                for p in parts {
                    stored[p.src.index()] |= sums_rows(program, p.src);
                }
            }
            Op::Reduce { src, .. } => stored[src.index()] |= reduces_products(program, *src),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::ArgReduce { .. }
            | Op::Copy(_)
            | Op::Stop(_) => {}
        }
    }
    // If it is an array for another reason, reading it costs nothing.
    extremes.retain(|place, _| match program.eq(*place).map(|e| &e.op) {
        Some(Op::ArgReduce { src, .. }) => !stored[src.index()],
        Some(_) | None => false,
    });
    for (place, value) in &extremes {
        stored[place.index()] = true;
        stored[value.index()] = true;
    }
    let lasting = stored.clone();
    let repeats = Repeats::of(program, &lasting, is_body);
    for (k, eq) in program.eqs.iter().enumerate().rev() {
        let v = program.var_of(k);
        let mut places = std::mem::take(&mut needed[v.index()]);
        places.dedup();
        let once = places.iter().all(Place::is_once_per_element);
        let free =
            free[v.index()] && (once || is_body || !reads_rows(eq) && !selects_parts(program, eq));
        let inline = !stored[v.index()]
            && !is_opaque(&eq.op)
            && (free || (!without(Part::Fusion) && places.len() <= repeats.at(eq) && once));
        if !inline {
            stored[v.index()] = true;
            places = vec![Place::whole((v, 0), eq.ty.rank())];
            loops.insert((v, 0), eq.ty.rank());
        }
        for p in places {
            let mut need = |u: Var, place: Place| {
                let list = &mut needed[u.index()];
                if !list.contains(&place) {
                    list.push(place);
                }
            };
            if let Some(g) = eq.guard {
                need(g, p.clone());
            }
            match &eq.op {
                Op::Fill(_)
                | Op::Index(_)
                | Op::Contract { .. }
                | Op::Recur { .. }
                | Op::Call { .. }
                | Op::Loop { .. } => {}
                Op::Map(_, args) => args.iter().for_each(|a| need(*a, p.clone())),
                Op::Copy(a) | Op::Stop(a) => need(*a, p.clone()),
                Op::Gather { .. } if extremes.values().any(|e| *e == v) => {}
                Op::Gather { src, index } => {
                    let mut at = vec![];
                    for i in index {
                        match i {
                            Ix::Affine(a) => at.push(follow(a, &p.at)),
                            Ix::Data(d) => need(*d, p.clone()),
                        }
                    }
                    if !stored[src.index()] {
                        need(*src, p.moved(at, p.around.clone()));
                    }
                }
                Op::Reduce { src, axes, .. } => {
                    let place = enter(&p, axes, &mut loops);
                    need(*src, place);
                }
                Op::ArgReduce { src, axis, .. } => {
                    let place = enter(&p, &[*axis], &mut loops);
                    need(*src, place);
                }
                Op::Update { part, when, .. } => {
                    let nest = (v, 1);
                    let rank = program.ty(part.src).rank();
                    loops.insert(nest, rank);
                    let all = Place::whole(nest, rank);
                    for i in &part.index {
                        if let Ix::Data(d) = i {
                            need(*d, all.clone());
                        }
                    }
                    when.iter().for_each(|w| need(*w, all.clone()));
                    need(part.src, all);
                }
                Op::Scatter(parts) => {
                    for (k, part) in parts.iter().enumerate() {
                        let nest = (v, k + 1);
                        let rank = program.ty(part.src).rank();
                        loops.insert(nest, rank);
                        let all = Place::whole(nest, rank);
                        for i in &part.index {
                            if let Ix::Data(d) = i {
                                need(*d, all.clone());
                            }
                        }
                        if let Some(g) = program.eq(part.src).and_then(|e| e.guard) {
                            need(g, all.clone());
                        }
                        need(part.src, all);
                    }
                }
            }
        }
    }
    Choice { stored, extremes }
}

/// Whether it is rows of an array at indices from data. Rows that are read several times are copied
/// once, so that they lie one behind the other and their indices are checked once.
fn reads_rows(eq: &Eq) -> bool {
    let Op::Gather { index, .. } = &eq.op else {
        return false;
    };
    let (rank, last) = (eq.ty.rank(), index.last());
    let is_plain = |i: &Ix| matches!(i, Ix::Affine(a) if a.as_axis() == Some(rank - 1));
    rank > 1 && index.iter().any(|i| matches!(i, Ix::Data(_))) && last.is_some_and(is_plain)
}

/// Whether parts of an array are those of two others, by a condition that does not change along an
/// axis. In a copy a loop along this axis has no condition.
fn selects_parts(program: &Program, eq: &Eq) -> bool {
    let Op::Map(Prim::Select, args) = &eq.op else {
        return false;
    };
    let [condition, arrays @ ..] = &args[..] else {
        return false;
    };
    let is_array = |v: &Var| {
        !program
            .eq(*v)
            .is_some_and(|eq| matches!(eq.op, Op::Fill(_)))
    };
    let mut axes = 0..eq.ty.rank();
    eq.ty.elem == Elem::Real
        && eq.ty.rank() > 1
        && arrays.iter().all(is_array)
        && axes.any(|k| is_same_along(program, *condition, k, &mut OPERANDS_SEARCHED.clone()))
}

/// Whether an array is known to have one value along an axis.
fn is_same_along(program: &Program, v: Var, axis: usize, steps: &mut usize) -> bool {
    if *steps == 0 {
        return false;
    }
    *steps -= 1;
    let Some(eq) = program.eq(v) else {
        return false;
    };
    match &eq.op {
        Op::Fill(_) => true,
        Op::Index(a) => a.coefs[axis].is(0),
        Op::Map(_, args) => (args.iter()).all(|a| is_same_along(program, *a, axis, steps)),
        Op::Copy(a) | Op::Stop(a) => is_same_along(program, *a, axis, steps),
        Op::Gather { index, .. } => index.iter().all(|i| match i {
            Ix::Affine(a) => a.coefs[axis].is(0),
            Ix::Data(d) => is_same_along(program, *d, axis, steps),
        }),
        Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. } => false,
    }
}

/// Whether an array of integers selects between others. An array that is read at these indices
/// reads each of them several times, so they are stored.
fn selects_indices(program: &Program, v: Var) -> bool {
    let of_select = |eq: &Eq| matches!(eq.op, Op::Map(Prim::Select, _));
    let ty = program.ty(v);
    ty.elem == Elem::Int && ty.rank() > 0 && program.eq(v).is_some_and(of_select)
}

/// Whether an array with several axes is made, element by element, of what reduces products of
/// matrices with even more. Before it is reduced in turn it is stored, so that it can be made in
/// tiles with these products, of which there is a part at a time then.
fn reduces_products(program: &Program, v: Var) -> bool {
    let is_product = |op: &Op| matches!(op, Op::Contract { .. });
    let reduces = |op: &Op| {
        let Op::Reduce { src, .. } = op else {
            return false;
        };
        program.ty(*src).rank() >= TILED_RANK && is_made_of(program, *src, &is_product)
    };
    let ty = program.ty(v);
    ty.rank() > 1 && ty.elem == Elem::Real && is_made_of(program, v, &reduces)
}

/// Whether some such operation is among the few that a variable is made of element by element.
fn is_made_of(program: &Program, v: Var, is_it: &dyn Fn(&Op) -> bool) -> bool {
    let (mut seen, mut open) = (vec![], vec![v]);
    while let Some(v) = open.pop() {
        if seen.contains(&v) || seen.len() == OPERANDS_SEARCHED {
            continue;
        }
        seen.push(v);
        let Some(op) = program.eq(v).map(|e| &e.op) else {
            continue;
        };
        if is_it(op) {
            return true;
        }
        if let Op::Map(_, args) = op {
            open.extend(args);
        } else if let Op::Copy(a) | Op::Stop(a) = op {
            open.push(*a);
        }
    }
    false
}

/// Whether a variable is a sum along axes before the last one.
fn sums_rows(program: &Program, v: Var) -> bool {
    let Some(Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    }) = program.eq(v).map(|e| &e.op)
    else {
        return false;
    };
    let last = program.ty(*src).rank() - 1;
    axes.iter().all(|&k| k < last)
}

/// The place inside a reduction over some axes: each gets a loop of its own.
fn enter(p: &Place, axes: &[usize], loops: &mut HashMap<(Var, usize), usize>) -> Place {
    let next = loops
        .get_mut(&p.nest)
        .expect("nests are entered from outside");
    let first = *next;
    let at = with_loops(&p.at, axes, next);
    let around = p.around.iter().copied().chain(first..*next).collect();
    p.moved(at, around)
}

/// At how many places each equation may be computed. One operation on what lies in memory anyway is
/// cheaper than a pass over memory to keep its result, and two on one element are not dearer than
/// to read that result.
struct Repeats<'a> {
    program: &'a Program,
    /// Which variables are stored for other reasons.
    stored: &'a [bool],
    /// How many equations use each variable, up to two.
    uses: Vec<u8>,
    is_body: bool,
}

impl<'a> Repeats<'a> {
    fn of(program: &'a Program, stored: &'a [bool], is_body: bool) -> Repeats<'a> {
        let mut uses = vec![0; stored.len()];
        for eq in &program.eqs {
            eq.visit(&mut |v| uses[v.index()] = 2.min(uses[v.index()] + 1));
        }
        Repeats {
            program,
            stored,
            uses,
            is_body,
        }
    }

    fn at(&self, eq: &Eq) -> usize {
        if self.is_body && is_light(&eq.op) {
            let mut light = 0;
            let mut elements = HashSet::new();
            if self.is_of_one(eq, 2, &mut light, &mut elements) && elements.len() < 2 {
                return CHEAP_REPEATS_IN_BODIES;
            }
        }
        match &eq.op {
            Op::Map(_, args) if is_light(&eq.op) && args.iter().all(|v| self.is_at_hand(*v)) => {
                CHEAP_REPEATS
            }
            Op::Map(..)
            | Op::Fill(_)
            | Op::Index(_)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_) => 1,
        }
    }

    /// Whether a light operation is made of elements of parameters by at most `most` such
    /// operations.
    fn is_of_one(
        &self,
        eq: &Eq,
        most: usize,
        light: &mut usize,
        elements: &mut HashSet<Var>,
    ) -> bool {
        *light += 1;
        let Op::Map(_, args) = &eq.op else {
            return false;
        };
        *light <= most
            && args.iter().all(|v| {
                let Some(eq) = self.program.eq(*v) else {
                    elements.insert(*v);
                    return true;
                };
                match &eq.op {
                    Op::Fill(_) => true,
                    Op::Gather { src, index } => {
                        if !index.is_empty() {
                            elements.insert(*v);
                        }
                        let is_affine = index.iter().all(|i| matches!(i, Ix::Affine(_)));
                        is_affine && self.program.eq(*src).is_none()
                    }
                    Op::Map(..) => is_light(&eq.op) && self.is_of_one(eq, most, light, elements),
                    Op::Index(_)
                    | Op::Scatter(_)
                    | Op::Reduce { .. }
                    | Op::ArgReduce { .. }
                    | Op::Recur { .. }
                    | Op::Contract { .. }
                    | Op::Update { .. }
                    | Op::Loop { .. }
                    | Op::Call { .. }
                    | Op::Copy(_)
                    | Op::Stop(_) => false,
                }
            })
    }

    /// Whether an element is read from memory where it is needed.
    fn is_at_hand(&self, v: Var) -> bool {
        let lies = |v: Var| self.program.eq(v).is_none() || self.is_body && self.stored[v.index()];
        let Some(eq) = self.program.eq(v) else {
            return true;
        };
        match &eq.op {
            Op::Fill(_) | Op::Index(_) => true,
            // What is needed here and elsewhere is stored, if it cannot be repeated itself.
            Op::Gather { src, .. } => lies(*src) || self.is_body && self.is_shared(*src),
            Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_) => lies(v),
        }
    }

    fn is_shared(&self, v: Var) -> bool {
        self.uses[v.index()] > 1 && self.program.eq(v).is_some_and(|e| !e.op.is_free())
    }
}

/// Whether it is an addition, a subtraction, a product or a negation.
fn is_light(op: &Op) -> bool {
    matches!(
        op,
        Op::Map(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg, _)
    )
}

/// Which equations may be repeated: those that cost no real operation, as long as they are made of
/// a few others such only. Longer chains of selections would grow the code, and its running time,
/// with the square of their length.
fn free_of_charge(program: &Program) -> Vec<bool> {
    let params = program.params.len();
    let mut free = vec![true; params];
    // How many selections, comparisons and the like each is made of.
    let mut weight = vec![0; params];
    for eq in &program.eqs {
        let mut sum = usize::from(matches!(eq.op, Op::Map(..)));
        eq.visit(&mut |v| sum += weight[v.index()]);
        let is = eq.op.is_free() && sum <= FREE_CHAIN;
        free.push(is);
        weight.push(if is { sum } else { 0 });
    }
    free
}
