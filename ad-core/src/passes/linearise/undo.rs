//! Arrays that a loop changes in place, for its derivative, which needs them as they were in each
//! step.
//!
//! Keeping the array of each step takes as many elements as the array has, times the steps. But a
//! step replaces few of them. So what it replaces is kept, and a loop in the other direction puts
//! it back. With `e` for what the step writes at the places `i`:
//!
//! ```text
//! x' = x with e at i            o = x[i]
//! x  = x' with o at i           the same numbers, whatever e is, since no two elements of e have one place
//! ```
//!
//! `i` is known in both directions. With a condition `c` on what is written, both lines have it.
//! Through a step the array has several *versions*, one after each change:
//!
//! ```text
//! x₀ = x, x₁ = x₀ with e₁ at i₁, .., x' = xₘ           collecting oⱼ = xⱼ₋₁[iⱼ]
//! xₘ = x', .., x₀ = x₁ with o₁ at i₁                   collecting those xⱼ that are needed
//! ```
//!
//! The second line is a loop that moves and computes nothing. What it collects is read by the
//! linear loop only. When that is transposed it runs in the same direction, so that
//! `passes/join.rs` makes one loop of them, and nothing is collected.
//!
//! Where a version comes from the one before by a loop, the loop that takes that one back is run,
//! if there is one and what it needs has been collected. Else `i` is all places at which the loop
//! may write, as a box: along each axis the only index, as far as it is the same throughout, or all
//! of them. So it is, too, where a step is computed again: only its beginning is needed then. A box
//! that is the whole array saves nothing; then the array is kept as any residual is.
//!
//! What an update overwrites is neither kept nor put back if `unread.rs` has marked it. If single
//! numbers or rows are read of an array with such updates, they may have been overwritten. Then
//! each is a residual of the step that reads it.

mod back;

use super::pad::{Longest, Padded};
use super::sequence::{Active, Run};
use crate::ir::build::translate_size;
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Marks, Op, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::linear::Undone;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::HashMap;

pub(super) use back::Undo;

/// The versions of a state in one step.
pub(super) struct Chain {
    state: usize,
    /// From the last version to the first.
    links: Vec<Link>,
    /// Which parts that are read of it are residuals.
    kept: Vec<Parts>,
}

/// Two versions, one after the other.
struct Link {
    older: Var,
    newer: Var,
    change: Difference,
}

/// What is different.
enum Difference {
    Nothing,
    Little(Change),
    /// What a loop has changed.
    Looped(Undone),
}

/// Where a version differs from the one before.
struct Change {
    /// Over the shape.
    index: Vec<Ix>,
    shape: Vec<Size>,
    /// Only where this holds.
    when: Option<Var>,
    /// The index may lie outside where nothing is written.
    checked: bool,
    /// What was there before, once it is collected.
    old: Option<Var>,
}

/// Where along an axis a loop may write.
#[derive(Clone, PartialEq)]
enum Reach {
    Nowhere,
    At(Size),
    Anywhere,
}

impl Reach {
    fn join(self, other: Reach) -> Reach {
        match (self, other) {
            (Reach::Nowhere, r) | (r, Reach::Nowhere) => r,
            (Reach::At(a), Reach::At(b)) if a == b => Reach::At(a),
            (Reach::At(_) | Reach::Anywhere, Reach::At(_) | Reach::Anywhere) => Reach::Anywhere,
        }
    }
}

/// What a step says about its variables.
pub(super) struct Known<'a> {
    body: &'a Program,
    given: usize,
    index: usize,
    /// Versions of states that serve all steps as they are at the end, and which store that is.
    stores: HashMap<Var, usize>,
    /// What depends on a state.
    carried: Vec<bool>,
    /// What can be found again from what is given and the index, for nothing.
    at_hand: Vec<bool>,
    undone: &'a [Undone],
}

impl<'a> Known<'a> {
    pub(super) fn of(run: &Run, active: &'a Active) -> Known<'a> {
        let body = &active.body.program;
        let (given, states) = (run.given.len(), run.looped.states);
        let index = given + states;
        let carried = (0..body.params.len()).map(|k| (given..index).contains(&k));
        let carried = body.dependent(carried.collect());
        let mut stores = HashMap::new();
        for k in 0..run.stores {
            let state = states - run.stores + k;
            stores.insert(body.results[state], k);
        }
        let params = (0..body.params.len()).map(|k| k < given || k == index);
        let mut at_hand: Vec<bool> = params.collect();
        for (j, eq) in body.eqs.iter().enumerate() {
            let mut all = eq.op.is_free();
            visit_all(eq, &mut |v| all &= at_hand[v.index()]);
            at_hand.push(all || stores.contains_key(&body.var_of(j)));
        }
        Known {
            at_hand,
            body,
            given,
            index,
            stores,
            carried,
            undone: &active.body.undone,
        }
    }

    /// Whether it depends on a state.
    pub(super) fn is_carried(&self, v: Var) -> bool {
        self.carried[v.index()]
    }

    /// Whether a shape is the same in all steps.
    pub(super) fn is_fixed(&self, shape: &[Size]) -> bool {
        let mut fixed = true;
        for s in shape {
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    fixed &= (*v as usize) < self.given;
                }
            });
        }
        fixed
    }

    /// Whether a variable can be found again from what is given and the index, for nothing.
    fn at_hand(&self, v: Var) -> bool {
        self.at_hand[v.index()]
    }

    /// What a difference needs to be taken back.
    fn needs(&self, difference: &Difference) -> Vec<Var> {
        let change = match difference {
            Difference::Nothing => return vec![],
            Difference::Looped(u) => {
                let mut all = u.given.clone();
                values(&u.steps, &mut |v| all.push(v));
                return all;
            }
            Difference::Little(change) => change,
        };
        let mut all: Vec<Var> = change.when.into_iter().collect();
        for i in &change.index {
            match i {
                Ix::Data(v) => all.push(*v),
                Ix::Affine(a) => {
                    for s in a.coefs.iter().chain([&a.constant]) {
                        values(s, &mut |v| all.push(v));
                    }
                }
            }
        }
        all
    }

    /// The versions of a state, if it only changes by little.
    fn chain(&self, run: &Run, padded: &Padded, state: usize) -> Option<Chain> {
        let (body, first) = (self.body, Var((self.given + state) as u32));
        let ty = body.ty(first).clone();
        if ty.shape.is_empty() {
            return None;
        }
        let last = body.results[state];
        let mut links = vec![];
        if let Keep::Few(_) = run.looped.keep {
            return None;
        }
        if run.looped.keep.recomputes() {
            let reach = reach(body, last, first, ty.rank(), &|v| Some(v))?;
            links.push(self.link(first, last, &reach, &ty)?);
        } else {
            let mut newer = last;
            while newer != first {
                let eq = body.eq(newer)?;
                let (older, change) = match &eq.op {
                    Op::Update { src, marks, .. } if marks.unread => {
                        (*src, Some(Difference::Nothing))
                    }
                    Op::Update {
                        src, part, when, ..
                    } => {
                        let change = Change {
                            index: part.index.clone(),
                            shape: body.ty(part.src).shape.clone(),
                            when: *when,
                            checked: true,
                            old: None,
                        };
                        let is_little = self.is_little(&change, &ty);
                        (*src, is_little.then_some(Difference::Little(change)))
                    }
                    Op::Copy(src) | Op::Stop(src) if eq.guard.is_none() => {
                        links.push(Link {
                            older: *src,
                            newer,
                            change: Difference::Nothing,
                        });
                        newer = *src;
                        continue;
                    }
                    Op::Loop {
                        looped, init, out, ..
                    } if *out < looped.states => {
                        if updates(looped, *out)
                            .is_some_and(|all| all.iter().all(|(marks, _)| marks.unread))
                        {
                            links.push(Link {
                                older: init[*out],
                                newer,
                                change: Difference::Nothing,
                            });
                            newer = init[*out];
                            continue;
                        }
                        let undone = self.undone.iter().find(|u| u.newer == newer);
                        let undone = undone.map(|u| Difference::Looped(u.clone()));
                        let can = |d: &Difference| self.has_all(d, padded);
                        (init[*out], undone.filter(can))
                    }
                    Op::Fill(_)
                    | Op::Index(_)
                    | Op::Call { .. }
                    | Op::Map(..)
                    | Op::Gather { .. }
                    | Op::Scatter(_)
                    | Op::Reduce { .. }
                    | Op::ArgReduce { .. }
                    | Op::Recur { .. }
                    | Op::Contract { .. }
                    | Op::Copy(_)
                    | Op::Stop(_)
                    | Op::Loop { .. } => return None,
                };
                links.push(match change {
                    Some(change) => Link {
                        older,
                        newer,
                        change,
                    },
                    None => {
                        let reach = reach(body, newer, older, ty.rank(), &|v| Some(v))?;
                        self.link(older, newer, &reach, &ty)?
                    }
                });
                newer = older;
            }
        }
        let can = links.iter().all(|l| self.has_all(&l.change, padded));
        let updates = updates(&run.looped, state).unwrap_or_default();
        let keeps = |(marks, written): &(Marks, Parts)| {
            (marks.parts.is_some_and(|n| n <= written.loops)).then_some(*written)
        };
        let kept = match run.looped.keep.recomputes() {
            true => vec![],
            false => updates.iter().filter_map(keeps).collect(),
        };
        (can && !links.is_empty()).then_some(Chain { state, links, kept })
    }

    /// Whether all that a difference needs can be had when it is taken back.
    fn has_all(&self, difference: &Difference, padded: &Padded) -> bool {
        self.needs(difference).iter().all(|v| {
            self.at_hand(*v) || padded.get(*v).is_some() || self.is_fixed(&self.body.ty(*v).shape)
        })
    }

    /// Whether what is replaced is less than the array, and of one shape in all steps.
    fn is_little(&self, change: &Change, ty: &Type) -> bool {
        self.is_fixed(&change.shape) && change.shape != ty.shape
    }

    /// A change within a box.
    fn link(&self, older: Var, newer: Var, reach: &[Reach], ty: &Type) -> Option<Link> {
        if reach.contains(&Reach::Nowhere) {
            return Some(Link {
                older,
                newer,
                change: Difference::Nothing,
            });
        }
        let all: Vec<usize> = (0..ty.rank())
            .filter(|&k| reach[k] == Reach::Anywhere)
            .collect();
        if all.len() == ty.rank() {
            return None;
        }
        let component = |k: usize| {
            Ix::Affine(match &reach[k] {
                Reach::At(s) => Affine::constant(all.len(), s.clone()),
                Reach::Nowhere | Reach::Anywhere => {
                    let at = all.iter().position(|a| *a == k);
                    Affine::axis(all.len(), at.expect("one of them"))
                }
            })
        };
        let change = Change {
            index: (0..ty.rank()).map(component).collect(),
            shape: all.iter().map(|&k| ty.shape[k].clone()).collect(),
            when: None,
            checked: false,
            old: None,
        };
        Some(Link {
            older,
            newer,
            change: Difference::Little(change),
        })
    }
}

/// The version of a state before this one.
pub(super) fn before(body: &Program, version: Var) -> Option<Var> {
    let eq = body.eq(version)?;
    if let Op::Update { src, .. } = &eq.op {
        return Some(*src);
    }
    if let (Op::Copy(src) | Op::Stop(src), None) = (&eq.op, eq.guard) {
        return Some(*src);
    }
    let (run, out) = eq.loop_result()?;
    run.init.get(out).copied()
}

/// The marks of all updates of a state, and what they write, in inner loops too. `None` if
/// something else happens to the state.
fn updates(looped: &Loop, state: usize) -> Option<Vec<(Marks, Parts)>> {
    let body = &looped.body;
    let first = body.params.len() - 1 - looped.states + state;
    let mut all = vec![];
    let mut at = body.results[state];
    while at.index() != first {
        let eq = body.eq(at)?;
        if let Op::Update { marks, part, .. } = &eq.op {
            all.push((*marks, Parts::of(0, &body.ty(part.src).shape)));
        } else if let Op::Loop { looped, out, .. } = &eq.op
            && *out < looped.states
        {
            let inner = updates(looped, *out)?.into_iter();
            all.extend(inner.map(|(marks, written)| (marks, written.inside())));
        }
        at = before(body, at)?;
    }
    Some(all)
}

/// Where the changes that lead from one version to a later one may be, along each axis; `outside`
/// says what a variable of the program is in the step that all this is about.
fn reach(
    program: &Program,
    newer: Var,
    older: Var,
    rank: usize,
    outside: &dyn Fn(Var) -> Option<Var>,
) -> Option<Vec<Reach>> {
    let mut all = vec![Reach::Nowhere; rank];
    let mut join = |more: Vec<Reach>| {
        for (r, m) in all.iter_mut().zip(more) {
            *r = std::mem::replace(r, Reach::Nowhere).join(m);
        }
    };
    let mut at = newer;
    while at != older {
        let eq = program.eq(at)?;
        at = match &eq.op {
            Op::Update { src, part, .. } => {
                let component = |i: &Ix| match constant(program, i) {
                    Some(a) => {
                        let mut known = true;
                        values(a, &mut |v| known &= outside(v).is_some());
                        if !known {
                            return Reach::Anywhere;
                        }
                        let of = &mut |v| outside(v).expect("known");
                        Reach::At(translate_size(a, of))
                    }
                    None => Reach::Anywhere,
                };
                join(part.index.iter().map(component).collect());
                *src
            }
            Op::Copy(src) | Op::Stop(src) if eq.guard.is_none() => *src,
            Op::Loop {
                looped,
                given,
                init,
                out,
                ..
            } if *out < looped.states => {
                let of = |v: Var| outside(*given.get(v.index())?);
                let body = &looped.body;
                let first = Var((given.len() + out) as u32);
                join(reach(body, body.results[*out], first, rank, &of)?);
                init[*out]
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Call { .. }
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_)
            | Op::Loop { .. } => return None,
        };
    }
    Some(all)
}

/// An index that is the same for all that a step writes.
fn constant<'a>(program: &'a Program, index: &'a Ix) -> Option<&'a Size> {
    let affine = match index {
        Ix::Affine(a) => a,
        Ix::Data(v) => {
            let Op::Index(a) = &program.eq(*v)?.op else {
                return None;
            };
            a
        }
    };
    affine.is_constant().then_some(&affine.constant)
}

/// Parts of an array that a step reads or writes: one in each step of so many loops inside of the
/// step, each with so many axes whose lengths grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) loops: usize,
    axes: usize,
}

impl Parts {
    pub(super) fn of(loops: usize, shape: &[Size]) -> Parts {
        let axes = shape.iter().filter(|s| s.as_lit().is_none()).count();
        Parts { loops, axes }
    }

    fn inside(self) -> Parts {
        let loops = self.loops + 1;
        Parts { loops, ..self }
    }

    /// Whether these are single numbers, or fewer elements than others.
    pub(super) fn are_less_than(self, others: Parts) -> bool {
        self.axes == 0 || self.loops + self.axes < others.loops + others.axes
    }
}

/// Whether an equation of a loop's body reads a part of an array, one that has the same shape in
/// all steps: the body knows it from so many variables that it is given.
pub(super) fn reads_part(body: &Program, eq: &Eq, given: usize) -> bool {
    let Op::Gather { src, .. } = &eq.op else {
        return false;
    };
    let (read, whole) = (&eq.ty.shape, &body.ty(*src).shape);
    read.len() <= whole.len() && read != whole && read.iter().all(|s| is_fixed(s, given))
}

/// Whether a length is known from the first variables of a body alone.
pub(super) fn is_fixed(s: &Size, given: usize) -> bool {
    let mut fixed = true;
    values(s, &mut |v| fixed &= v.index() < given);
    fixed
}

/// The computed values in a size.
pub(super) fn values(s: &Size, f: &mut dyn FnMut(Var)) {
    s.visit(&mut |a| {
        if let Atom::Value(v) = a {
            f(Var(*v));
        }
    });
}

/// What an equation uses, in its sizes too.
pub(super) fn visit_all(eq: &Eq, f: &mut dyn FnMut(Var)) {
    eq.visit(f);
    eq.visit_sizes(&mut |s| values(s, f));
}

/// The states that can be taken back.
pub(super) struct Chains {
    all: Vec<Chain>,
    /// Which of them a version belongs to.
    of: HashMap<Var, usize>,
}

impl Chains {
    pub(super) fn of(run: &Run, known: &Known<'_>, padded: &Padded) -> Chains {
        let all = (0..run.looped.states).filter_map(|k| known.chain(run, padded, k));
        let all: Vec<Chain> = all.collect();
        let mut of = HashMap::new();
        for (k, chain) in all.iter().enumerate() {
            for link in &chain.links {
                of.insert(link.older, k);
                of.insert(link.newer, k);
            }
        }
        Chains { all, of }
    }

    /// Whether this is a version of a state in which some update is not taken back.
    pub(super) fn leaves_out(&self, body: &Program, version: Var) -> bool {
        let Some(k) = self.of.get(&version) else {
            return false;
        };
        let mut links = self.all[*k].links.iter();
        links.any(|l| {
            let op = body.eq(l.newer).map(|eq| &eq.op);
            matches!(l.change, Difference::Nothing)
                && !matches!(op, Some(Op::Copy(_) | Op::Stop(_)))
        })
    }

    /// Whether this is a state at some time in the step.
    pub(super) fn is_version(&self, v: Var) -> bool {
        self.of.contains_key(&v)
    }

    /// Whether an equation reads a part that is kept, of a version of a state.
    pub(super) fn keeps(&self, body: &Program, eq: &Eq, given: usize) -> bool {
        let Op::Gather { src, .. } = &eq.op else {
            return false;
        };
        let read = Parts::of(0, &eq.ty.shape);
        let is_less = |written: &Parts| read.are_less_than(*written);
        let mut kept = (self.of.get(src))
            .into_iter()
            .flat_map(|k| &self.all[*k].kept);
        kept.any(is_less) && reads_part(body, eq, given)
    }

    /// Whether reading so much of a version is no more than what a step replaces in it. Then what
    /// is read may as well be kept, unless nothing is replaced.
    pub(super) fn is_little(&self, version: Var, shape: &[Size]) -> bool {
        let Some(k) = self.of.get(&version) else {
            return false;
        };
        if self.all[*k].is_unchanged() {
            return false;
        }
        let mut links = self.all[*k].links.iter();
        let replaces = |l: &Link| matches!(&l.change, Difference::Little(c) if c.shape == shape);
        shape.iter().all(|s| s.as_lit().is_some()) || links.any(replaces)
    }
}

impl Chain {
    /// Whether no version differs from another in what a derivative reads.
    fn is_unchanged(&self) -> bool {
        let mut links = self.links.iter();
        links.all(|l| matches!(l.change, Difference::Nothing))
    }

    /// Changes within one box are one, if nobody wants to see what is between.
    fn shorten(&mut self, restored: &[Var]) {
        let mut links: Vec<Link> = vec![];
        for link in std::mem::take(&mut self.links) {
            if let Some(last) = links.last_mut()
                && !restored.contains(&last.older)
                && let (Difference::Little(a), Difference::Little(b)) = (&last.change, &link.change)
                && !a.checked
                && !b.checked
                && a.index == b.index
            {
                last.older = link.older;
                continue;
            }
            links.push(link);
        }
        self.links = links;
    }
}

impl Change {
    /// Adds to a body what was there before, and where that is.
    fn collect(&mut self, older: Var, run: &Run, active: &mut Active) {
        let longest = Longest::of(run);
        let (elem, shape) = {
            let ty = active.body.program.ty(older);
            (ty.elem, ty.shape.clone())
        };
        if !self.checked {
            for (i, n) in self.index.iter().zip(&shape) {
                let Ix::Affine(a) = i else { continue };
                let range = longest.range(&a.constant);
                let is_inside =
                    |(low, high): (Size, Size)| low.at_least(0) && n.sub(&high).at_least(1);
                if !a.is_constant() || range.is_some_and(is_inside) {
                    continue;
                }
                let rank = self.shape.len();
                let below = Affine::constant(rank, Size::lit(-1));
                let above = Affine::constant(rank, n.clone());
                for (l, r) in [(&below, a), (a, &above)] {
                    let ends = [l, r]
                        .map(|a| active.append(Elem::Int, &self.shape, None, Op::Index(a.clone())));
                    let less = Op::Map(Prim::ILt, ends.to_vec());
                    let less = active.append(Elem::Bool, &self.shape, None, less);
                    self.when = Some(match self.when {
                        None => less,
                        Some(w) => {
                            let both = Op::Map(Prim::And, vec![w, less]);
                            active.append(Elem::Bool, &self.shape, None, both)
                        }
                    });
                }
            }
        }
        let op = Op::Gather {
            src: older,
            index: self.index.clone(),
        };
        self.old = Some(active.append(elem, &self.shape, self.when, op));
    }
}
