//! What is taken out of a loop, since it need not run one after another, and the loop that is left.

use super::draft::{Draft, State};
use super::program::Recogniser;
use super::rename::Names;
use super::roles::{At, Body, Fill, Role, Total, bound_within};
use super::size::{self, excess, times};
use super::steps::Step;
use super::terms::{both, built, element, entry, minus, plus};
use super::wiring::{bound_by, needed, variables, wrapped};
use super::writer::Bindings;
use crate::ir::core::{
    Along, Binder, Block, Bound, Expr, Kind, Loop, ReduceOp, Scatter, Sym, Trip, Ty, Update,
};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::collections::{BTreeSet, HashMap, HashSet};

/// An array that a loop fills.
struct Filling<'a> {
    draft: &'a Draft,
    state: State<'a>,
    bound: &'a Bindings,
    fill: &'a Fill,
    /// What it is filled with, if the loop that is left computes that.
    stack: Option<Expr>,
    names: &'a Names,
}

impl Recogniser {
    /// What a loop gives: the last states, and what it collects. Only what has to run one after
    /// another becomes a loop in Core.
    pub(super) fn finish(&mut self, mut draft: Draft) -> (Vec<Expr>, Vec<Expr>) {
        let roles = self.roles(&mut draft);
        self.finish_as(draft, roles)
    }

    /// What becomes of the states of a loop.
    pub(super) fn roles(&mut self, draft: &mut Draft) -> Vec<Role> {
        if draft.extent.is_some() {
            self.read_through(draft);
        }
        let within = bound_within(draft);
        for (sym, extent) in &within {
            let extent = extent.iter().map(|n| (sym.clone(), n.clone()));
            self.extents.extend(extent);
        }
        let is_nested = !self.sequences.is_empty();
        let mut roles = Body::new(draft, self, &within).roles(is_nested);
        self.scatters_are_possible(draft, &mut roles);
        self.fills_stay_inside(draft, &mut roles);
        self.reads_stay_inside(draft, &mut roles);
        roles
    }

    /// What a loop gives whose states have these roles.
    pub(super) fn finish_as(
        &mut self,
        mut draft: Draft,
        mut roles: Vec<Role>,
    ) -> (Vec<Expr>, Vec<Expr>) {
        let distributed = self.distributed(&mut draft, &mut roles);
        if draft.extent.is_some() && !self.carried.is_empty() {
            let within = bound_within(&draft);
            let reads = Body::new(&draft, self, &within).unwritten(&roles);
            self.read_before(&mut draft, &mut roles, reads);
        }
        // What never changes is a name for what it was.
        for (state, role) in draft.states().zip(&roles) {
            if matches!(role, Role::Same)
                && let Some(frame) = self.frames.last_mut()
            {
                frame.push(Bound::Let(state.sym.clone(), state.init.clone()));
                let on = self.dependence(state.init);
                self.bound.insert(state.sym.clone(), on);
            }
        }
        // Arrays that are filled are read as they were.
        let mut names = Names::new();
        for (state, role) in draft.states().zip(&roles) {
            if let (Role::Filled(_), Kind::Var(init)) = (role, &*state.init.kind) {
                names.insert(state.sym.clone(), init.clone());
            }
        }
        let bound = std::mem::take(&mut draft.looped.body.lets);
        let (mut last, stacks, filled) = self.remainder(&draft, &bound, &roles, &names);
        let mut filled = filled.into_iter();
        for (state, role) in draft.states().zip(roles) {
            let expr = match role {
                Role::Sequential => continue,
                Role::Same => Expr::var(state.sym, state.init.ty),
                Role::Total(total) => self.gathered(&draft, state, &bound, total),
                Role::Scattered(adds) => self.summed_by_index(&draft, state, &bound, adds),
                Role::Filled(fill) => {
                    let stack = if fill.stacked { filled.next() } else { None };
                    self.array_filled(&Filling {
                        draft: &draft,
                        state,
                        bound: &bound,
                        fill: &fill,
                        stack,
                        names: &names,
                    })
                }
            };
            let expr = self.share(&state.sym.hint, expr);
            // A state keeps its lengths.
            if let Kind::Var(sym) = &*expr.kind {
                self.has_lengths_of(sym, state.init);
            }
            last.insert(state.sym.clone(), expr);
        }
        for (k, array) in distributed {
            last.insert(draft.state(k).sym.clone(), array);
        }
        let states = draft.states();
        let states = states.map(|s| last.remove(s.sym).unwrap_or_else(|| s.init.clone()));
        (states.collect(), stacks)
    }

    /// What has to run one after another: the last states, what is collected, and what arrays are
    /// filled with.
    fn remainder(
        &mut self,
        draft: &Draft,
        bound: &Bindings,
        roles: &[Role],
        names: &Names,
    ) -> (HashMap<Sym, Expr>, Vec<Expr>, Vec<Expr>) {
        let kept = draft.states().zip(roles);
        let kept: Vec<State<'_>> = kept
            .filter(|(_, role)| matches!(role, Role::Sequential))
            .map(|(state, _)| state)
            .collect();
        let mut results: Vec<Expr> = kept.iter().map(|s| s.next.clone()).collect();
        results.extend(draft.stacked().iter().cloned());
        for (state, role) in draft.states().zip(roles) {
            if let Role::Filled(fill) = role
                && fill.stacked
            {
                results.push(self.new_or_old(state, fill));
            }
        }
        if results.is_empty() {
            return (HashMap::new(), vec![], vec![]);
        }
        let lets = needed(bound, &results);
        let states = kept.iter().map(|s| (s.sym.clone(), s.init.clone()));
        let mut looped = Loop {
            trip: draft.looped.trip.clone(),
            index: draft.index().clone(),
            states: states.collect(),
            body: Block { lets, results },
            outs: vec![],
            keep: draft.looped.keep,
        };
        // What is taken out is written down with names of its own, and so is this. Nothing is taken
        // out of a `while`.
        let is_whole = names.is_empty() && roles.iter().all(|r| matches!(r, Role::Sequential));
        if !is_whole && matches!(looped.trip, Trip::Times(_)) {
            looped = self.copied_loop(&looped, &mut names.clone());
        }
        let (last, mut stacks) = self.looped(looped, &draft.on);
        let last = kept.iter().map(|s| s.sym.clone()).zip(last).collect();
        let filled = stacks.split_off(draft.stacked().len());
        (last, stacks, filled)
    }

    /// The array that a sum by index makes has the same lengths in all rounds of the loops around.
    fn scatters_are_possible(&mut self, draft: &Draft, roles: &mut [Role]) {
        for (state, role) in draft.states().zip(roles) {
            if !matches!(role, Role::Scattered(_)) {
                continue;
            }
            let lengths = self.written_lengths(state.init);
            let on: BTreeSet<Sym> = (lengths.iter()).flat_map(|n| self.dependence(n)).collect();
            match self.loops.iter().any(|index| on.contains(index)) {
                true => *role = Role::Sequential,
                false => self.keep_order(&on),
            }
        }
    }

    /// A state, and a reduction over what is added to it.
    fn gathered(
        &mut self,
        draft: &Draft,
        state: State<'_>,
        bound: &Bindings,
        total: Total,
    ) -> Expr {
        let Total { op, at, when, step } = total;
        let init = state.init.clone();
        let (term, inverse) = match step {
            Step::Nothing => return init,
            Step::Forward(term) => (term, false),
            Step::Back(term) => (term, true),
        };
        let elem = init.ty.elem;
        let body = wrapped(bound, &term);
        let extent = draft.count();
        let all = Expr::reduce(op, draft.index().clone(), extent, body);
        let all = self.copied(&all, &mut Names::new());
        let is_neutral = matches!(&*init.kind, Kind::Lit(lit) if *lit == op.identity(elem));
        if is_neutral && !inverse {
            return all;
        }
        let prim = match (op, elem, inverse) {
            (ReduceOp::Sum, Elem::Int, false) => Prim::IAdd,
            (ReduceOp::Sum, Elem::Int, true) => Prim::ISub,
            (ReduceOp::Sum, _, false) => Prim::Add,
            (ReduceOp::Sum, _, true) => Prim::Sub,
            (ReduceOp::Product, Elem::Int, _) => Prim::IMul,
            (ReduceOp::Product, _, false) => Prim::Mul,
            (ReduceOp::Product, _, true) => Prim::Div,
            (ReduceOp::Max | ReduceOp::LogSumExp, ..) => Prim::Max,
            (ReduceOp::Min, ..) => Prim::Min,
        };
        if at.iter().all(Option::is_none) {
            return self.after_init(prim, init, all);
        }
        let old = self.old(init.clone(), at.clone());
        if let Some(changed) = self.if_changed(draft, bound, &init, &at, when.as_ref()) {
            let (before, sum) = (self.fresh.sym("before"), self.fresh.sym("all"));
            let vars = (Expr::var(&before, old.ty), Expr::var(&sum, all.ty));
            let value = self.after_init(prim, vars.0, vars.1);
            let value = Expr::bind(before, old, Expr::bind(sum, all, value));
            return replaced_if(changed, init, at, value);
        }
        let value = self.after_init(prim, old, all);
        let value = self.share("v", value);
        self.rounds_of(&value, draft);
        self.updated(init, at, value)
    }

    /// Whether a loop changes an array at all, where that is asked because the place that it
    /// changes may be there only then: `a[n - 1]` in a loop to `n`, or behind a condition.
    fn if_changed(
        &mut self,
        draft: &Draft,
        bound: &Bindings,
        array: &Expr,
        at: &At,
        when: Option<&Expr>,
    ) -> Option<Expr> {
        if when.is_none() && self.has_rounds(&draft.count()) {
            return None;
        }
        self.may_be_outside(array, at).then(|| {
            let rounds = match when {
                None => draft.count(),
                Some(when) => {
                    let counted = Expr::cond(when.clone(), Expr::int(1), Expr::int(0));
                    let index = draft.index().clone();
                    let body = wrapped(bound, &counted);
                    let rounds = Expr::reduce(ReduceOp::Sum, index, draft.count(), body);
                    let rounds = self.copied(&rounds, &mut Names::new());
                    self.share("rounds", rounds)
                }
            };
            Expr::prim(Prim::ILt, vec![Expr::int(0), rounds])
        })
    }

    /// Whether a loop is seen to have a round: the loops around it have one when it is reached.
    fn has_rounds(&mut self, count: &Expr) -> bool {
        let count = self.written_size(count);
        let around = self.sequences.iter().filter_map(|s| s.rounds.clone());
        let around: Vec<Expr> = around.map(|(_, rounds)| rounds).collect();
        let mut least = vec![Expr::int(1)];
        least.extend(around.iter().map(|rounds| self.written_size(rounds)));
        let mut least = least.into_iter();
        least.any(|n| self.is_natural(&minus(count.clone(), n)))
    }

    /// An array, and a sum by index.
    fn summed_by_index(
        &mut self,
        draft: &Draft,
        state: State<'_>,
        bound: &Bindings,
        adds: Vec<(At, Expr, bool)>,
    ) -> Expr {
        let init = state.init.clone();
        let mut total = init.clone();
        for (at, value, inverse) in adds {
            let outer = Binder {
                var: draft.index().clone(),
                extent: draft.count(),
            };
            let scatter = if at.is_empty() {
                match self.joined_scatter(outer, bound, &value) {
                    Some(scatter) => scatter,
                    None => {
                        // A sum of whole arrays.
                        let body = wrapped(bound, &value);
                        let extent = draft.count();
                        Expr::reduce(ReduceOp::Sum, draft.index().clone(), extent, body)
                    }
                }
            } else {
                self.scatter_of(outer, bound, &init, at, value, inverse)
            };
            let scatter = self.copied(&scatter, &mut Names::new());
            total = Expr::prim(Prim::Add, vec![total, scatter]);
        }
        total
    }

    /// A sum by index over a loop. Its extents do not mention the array, if that is possible: the
    /// array may be a state of an outer loop, which then needs nothing of it.
    fn scatter_of(
        &mut self,
        outer: Binder,
        bound: &Bindings,
        init: &Expr,
        at: At,
        value: Expr,
        inverse: bool,
    ) -> Expr {
        let extents: Vec<Expr> = (0..init.ty.rank)
            .map(|k| self.settled_size(&Expr::dim(init.clone(), k)))
            .collect();
        let mut lets = needed(bound, at.iter().flatten().chain([&value]));
        let mut binders = vec![outer];
        let (mut index, mut own) = (vec![], vec![]);
        for (i, extent) in at.into_iter().zip(&extents) {
            index.push(match i {
                Some(i) => i,
                None => {
                    let var = self.fresh.sym("k");
                    let i = Expr::var(&var, Ty::scalar(Elem::Int));
                    own.push(i.clone());
                    binders.push(Binder {
                        var,
                        extent: extent.clone(),
                    });
                    i
                }
            });
        }
        let mut value = match own.is_empty() {
            true => value,
            false => {
                let whole = self.fresh.sym("part");
                let part = Expr::var(&whole, value.ty);
                lets.push(Bound::Let(whole, value));
                entry(&part, own)
            }
        };
        if inverse {
            value = Expr::prim(Prim::Neg, vec![value]);
        }
        Expr::scatter(Scatter {
            extents,
            binders,
            lets,
            index,
            value,
        })
    }

    /// A sum by index over two loops, if that of the inner one can be taken further out.
    fn joined_scatter(&self, outer: Binder, bound: &Bindings, value: &Expr) -> Option<Expr> {
        let mut inner = value;
        if let Kind::Var(sym) = &*value.kind {
            inner = bound.iter().find_map(|b| match b {
                Bound::Let(s, e) if s == sym => Some(e),
                Bound::Let(..) | Bound::Loop(_) => None,
            })?;
        }
        let Kind::Scatter(s) = &*inner.kind else {
            return None;
        };
        let mut inside: HashSet<u32> = HashSet::from([outer.var.id]);
        for b in bound {
            inside.extend(bound_by(b).iter().map(|s| s.id));
        }
        let mut free = true;
        for e in &s.extents {
            variables(e, &mut |v| free &= !inside.contains(&v.id));
        }
        if !free {
            return None;
        }
        let mut scatter = s.clone();
        for b in &mut scatter.binders {
            b.extent = wrapped(bound, &b.extent);
        }
        scatter.binders.insert(0, outer);
        let mut used: Vec<&Expr> = s.index.iter().chain([&s.value]).collect();
        used.extend(s.lets.iter().flat_map(Bound::parts));
        let mut lets = needed(bound, used);
        lets.append(&mut scatter.lets);
        scatter.lets = lets;
        Some(Expr::scatter(scatter))
    }

    /// An array with the parts along an axis replaced.
    fn array_filled(&mut self, filling: &Filling<'_>) -> Expr {
        let Filling { draft, fill, .. } = *filling;
        let init = filling.state.init.clone();
        let count = draft.count();
        let length = Expr::dim(init.clone(), fill.axis);
        let length = self.settled_size(&length);
        let covers = self.covers(fill, &count, &length);
        let hint = draft.index().hint.clone();
        let sym = self.fresh.sym(&hint);
        let along = Expr::var(&sym, Ty::scalar(Elem::Int));
        let last = minus(count.clone(), Expr::int(1));
        let turned = |round: Expr| match fill.reversed {
            true => minus(last.clone(), round),
            false => round,
        };
        if self.is_part(draft, &init, fill) {
            let round = turned(along);
            let new = self.filled_with(filling, &sym, round);
            let value = self.share("v", Expr::build(sym, count, new));
            let from = match fill.reversed {
                true => minus(fill.from.clone(), last),
                false => fill.from.clone(),
            };
            let mut others = fill.at.clone();
            others[fill.axis] = None;
            let when = self.if_changed(draft, filling.bound, &init, &others, None);
            let mut at: Vec<Along> = fill.at.iter().cloned().map(Along::from).collect();
            at[fill.axis] = Along::From(from);
            return Expr::update(Update {
                array: init,
                at,
                when,
                value,
            });
        }
        // How far behind the first element that is filled, and how many there are.
        let (position, all) = match (&fill.row, fill.reversed) {
            (None, true) => (minus(fill.from.clone(), along.clone()), count.clone()),
            (None, false) => (minus(along.clone(), fill.from.clone()), count.clone()),
            (Some(row), reversed) => {
                let begin = match reversed {
                    true => size::minus(&fill.from, &times(&last, row)),
                    false => fill.from.clone(),
                };
                (minus(along.clone(), begin), times(&count, row))
            }
        };
        let new = match &fill.row {
            Some(row) => {
                let rows = filling.stack.clone().unwrap_or_else(|| {
                    let value = self.new_or_old(filling.state, fill);
                    let value = wrapped(filling.bound, &value);
                    let rows = Expr::build(draft.index().clone(), count.clone(), value);
                    self.copied(&rows, &mut filling.names.clone())
                });
                let rows = self.share("rows", rows);
                let part = |prim| Expr::prim(prim, vec![position.clone(), row.clone()]);
                entry(&rows, vec![turned(part(Prim::IDiv)), part(Prim::IRem)])
            }
            None => self.filled_with(filling, &sym, position.clone()),
        };
        let mut at = fill.at.clone();
        at[fill.axis] = Some(along.clone());
        let old = self.old(init.clone(), at);
        let body = match covers {
            true => new,
            false => {
                let below = Expr::prim(Prim::ILt, vec![position.clone(), all]);
                let begun = Expr::prim(Prim::IGe, vec![position.clone(), Expr::int(0)]);
                let within = match position == along {
                    true => below,
                    false => both(begun, below),
                };
                Expr::cond(within, new, old)
            }
        };
        // What a loop around carries is as long as it was.
        let length = match covers || !self.is_carried(&init) {
            true => length,
            false => Expr::dim(init.clone(), fill.axis),
        };
        let filled = Expr::build(sym, length, body);
        // The axis that was filled is the first one of these.
        let before = fill.at[..fill.axis].iter().filter(|i| i.is_none()).count();
        let filled = match before {
            0 => filled,
            _ => self.first_axis_to(filled, before),
        };
        let mut at = fill.at.clone();
        at[fill.axis] = None;
        if at.iter().all(Option::is_none) {
            return filled;
        }
        let when = fill.when.as_ref();
        if let Some(changed) = self.if_changed(draft, filling.bound, &init, &at, when) {
            return replaced_if(changed, init, at, filled);
        }
        let value = self.share("v", filled);
        self.rounds_of(&value, draft);
        self.updated(init, at, value)
    }

    /// What is at a place that is written, too: the place is said twice, with names of its own.
    fn old(&mut self, array: Expr, at: At) -> Expr {
        self.copied(&element(array, at), &mut Names::new())
    }

    /// What is where a round fills an array, behind the round.
    fn new_or_old(&mut self, state: State<'_>, fill: &Fill) -> Expr {
        let Some(when) = &fill.when else {
            return fill.value.clone();
        };
        let array = Expr::var(state.sym, state.init.ty);
        let old = match (&fill.row, &fill.at[0]) {
            (Some(row), Some(begin)) => {
                let (axes, j) = self.indices(std::slice::from_ref(row));
                let there = j.into_iter().map(|j| plus(begin.clone(), j));
                built(axes, entry(&array, there.collect()))
            }
            (..) => self.old(array, fill.at.clone()),
        };
        Expr::cond(when.clone(), fill.value.clone(), old)
    }

    /// What a round fills an array with.
    fn filled_with(&mut self, filling: &Filling<'_>, along: &Sym, round: Expr) -> Expr {
        if let Some(stack) = &filling.stack {
            let mut at = vec![None; stack.ty.rank];
            at[0] = Some(round);
            return Expr::index(stack.clone(), at);
        }
        let value = self.new_or_old(filling.state, filling.fill);
        let value = wrapped(filling.bound, &value);
        let mut names = filling.names.clone();
        if matches!(&*round.kind, Kind::Var(sym) if sym == along) {
            names.insert(filling.draft.index().clone(), along.clone());
            return self.copied(&value, &mut names);
        }
        let value = Expr::bind(filling.draft.index().clone(), round, value);
        self.copied(&value, &mut names)
    }

    /// Whether a fill changes a stretch of a row or of a list in place, and all of it.
    pub(super) fn is_part(&mut self, draft: &Draft, init: &Expr, fill: &Fill) -> bool {
        let count = draft.count();
        let length = self.settled_size(&Expr::dim(init.clone(), fill.axis));
        let mut at: Vec<Along> = fill.at.iter().cloned().map(Along::from).collect();
        at[fill.axis] = Along::From(fill.from.clone());
        let is_line = !at.contains(&Along::All) && fill.row.is_none();
        is_line
            && (at.len() > 1 || fill.is_stretch())
            && fill.when.is_none()
            && self.is_in_place(init, &at, std::slice::from_ref(&count))
            && !self.covers(fill, &count, &length)
    }

    /// Where there are no rounds, the part that they would make is not written.
    fn rounds_of(&mut self, value: &Expr, draft: &Draft) {
        if let (Kind::Var(sym), Some(count)) = (&*value.kind, &draft.extent) {
            let rounds = (draft.index().clone(), count.clone());
            self.rounds.insert(sym.clone(), rounds);
        }
    }

    /// The array with its first axis behind some others.
    fn first_axis_to(&mut self, array: Expr, position: usize) -> Expr {
        let array = self.share("a", array);
        let order: Vec<usize> = (1..=position)
            .chain([0])
            .chain(position + 1..array.ty.rank)
            .collect();
        let sizes: Vec<Expr> = order.iter().map(|&k| Expr::dim(array.clone(), k)).collect();
        let (axes, at) = self.indices(&sizes);
        let mut from = vec![Expr::int(0); array.ty.rank];
        for (k, i) in order.into_iter().zip(at) {
            from[k] = i;
        }
        built(axes, entry(&array, from))
    }

    /// Whether all of an axis is filled.
    fn covers(&mut self, fill: &Fill, count: &Expr, length: &Expr) -> bool {
        let count = self.settled_size(count);
        let last = minus(count.clone(), Expr::int(1));
        let from = self.settled_size(&fill.from);
        let row = match &fill.row {
            Some(row) => self.settled_size(row),
            None => Expr::int(1),
        };
        let begin = match fill.reversed {
            false => Expr::int(0),
            true => times(&last, &row),
        };
        let same = |a: &Expr, b: &Expr| excess(a, b) == Some(0);
        same(&times(&count, &row), length) && same(&from, &begin)
    }
}

/// An array, with a part replaced if a condition holds.
fn replaced_if(when: Expr, array: Expr, at: At, value: Expr) -> Expr {
    Expr::update(Update {
        array,
        at: at.into_iter().map(Along::from).collect(),
        when: Some(when),
        value,
    })
}
