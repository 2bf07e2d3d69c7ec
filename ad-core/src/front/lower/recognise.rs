//! Which part of a loop has to run one after another, and what the rest of it is: sums and their like,
//! arrays filled element by element, and sums by index.
//!
//! A state is only taken out of a loop if what else happens in there does not need it.

use super::array::element;
use super::combinator::built;
use super::rename::Names;
use super::sequence::{Draft, LoopParts, State};
use super::steps::{Leaf, Step, Terms};
use super::wiring::{bound_by, needed, variables};
use super::{Bindings, Lowerer, under};
use crate::ir::core::{Binder, Block, Bound, Expr, Kind, ReduceOp, Scatter, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::{HashMap, HashSet};

/// Which states something needs, one bit for each.
type Mask = u64;

/// One entry per axis, nothing for a whole axis.
type At = Vec<Option<Expr>>;

/// What becomes of a state.
enum Role {
    /// The next one needs the one before.
    Sequential,
    /// It never changes.
    Same,
    /// A part of it (all of it for a number) gathers what does not need it.
    Total(ReduceOp, At, Step),
    /// Elements of it gather numbers, by index: where, and what.
    Scattered(Vec<(At, Expr, bool)>),
    /// Each part along an axis is replaced once.
    Filled(Fill),
}

/// How an array is filled.
struct Fill {
    axis: usize,
    at: At,
    /// The index along the axis is this plus the position, or minus it.
    from: Expr,
    reversed: bool,
    when: Option<Expr>,
    value: Expr,
    /// Whether the values come out of the loop.
    stacked: bool,
}

/// What is known of the body of a loop.
pub(super) struct Body<'d> {
    draft: &'d Draft,
    /// What variables of the body are bound to.
    defs: HashMap<u32, &'d Expr>,
    /// Which states they need.
    masks: HashMap<u32, Mask>,
    /// The index, the states and all variables of the body.
    inside: HashSet<u32>,
}

impl<'d> Body<'d> {
    fn new(draft: &'d Draft) -> Body<'d> {
        let mut body = Body {
            draft,
            defs: HashMap::new(),
            masks: HashMap::new(),
            inside: HashSet::from([draft.index.id]),
        };
        for (k, state) in draft.states.iter().enumerate() {
            body.masks.insert(state.sym.id, 1 << k);
            body.inside.insert(state.sym.id);
        }
        for b in &draft.bound {
            let all = b.parts().into_iter();
            let mask = all.fold(0, |mask, e| mask | body.mask(e));
            for sym in bound_by(b) {
                body.masks.insert(sym.id, mask);
                body.inside.insert(sym.id);
            }
            if let Bound::Let(sym, e) = b {
                body.defs.insert(sym.id, e);
            }
        }
        body
    }

    /// Which states an expression needs.
    pub(super) fn mask(&self, e: &Expr) -> Mask {
        let mut mask = 0;
        variables(e, &mut |sym| {
            mask |= self.masks.get(&sym.id).copied().unwrap_or(0);
        });
        mask
    }

    /// What a variable is bound to.
    pub(super) fn def(&self, e: &Expr) -> Option<&'d Expr> {
        match &*e.kind {
            Kind::Var(sym) => self.defs.get(&sym.id).copied(),
            _ => None,
        }
    }

    /// The expression itself where a variable stands for it.
    fn resolved<'e>(&self, mut e: &'e Expr) -> &'e Expr
    where
        'd: 'e,
    {
        while let Some(def) = self.def(e) {
            e = def;
        }
        e
    }

    /// An index with the integers that are bound in the body written out.
    pub(super) fn written_out(&self, e: &Expr) -> Expr {
        match &*e.kind {
            Kind::Var(_) => match self.def(e) {
                Some(def) if matches!(*def.kind, Kind::Prim(..) | Kind::Var(_)) => {
                    self.written_out(def)
                }
                Some(_) | None => e.clone(),
            },
            Kind::Prim(prim, args) if e.ty.elem == Elem::Int => {
                let args = args.iter().map(|a| self.written_out(a));
                Expr::prim(*prim, args.collect())
            }
            _ => e.clone(),
        }
    }

    /// Whether an expression is the same in all rounds, and known before the loop.
    fn is_fixed(&self, e: &Expr) -> bool {
        let mut fixed = true;
        variables(e, &mut |sym| fixed &= !self.inside.contains(&sym.id));
        fixed
    }

    /// `from + i` or `from - i`, for the index `i` of the loop.
    fn affine(&self, e: &Expr) -> Option<(Expr, bool)> {
        match &*e.kind {
            Kind::Var(sym) if *sym == self.draft.index => Some((Expr::int(0), false)),
            Kind::Prim(Prim::IAdd, args) => {
                let (a, b) = (&args[0], &args[1]);
                let (moving, by) = if self.is_fixed(b) { (a, b) } else { (b, a) };
                let (from, reversed) = self.affine(moving)?;
                let fixed = self.is_fixed(by);
                fixed.then(|| (super::header::plus(from, by.clone()), reversed))
            }
            Kind::Prim(Prim::ISub, args) => {
                let (a, b) = (&args[0], &args[1]);
                if self.is_fixed(b) {
                    let (from, reversed) = self.affine(a)?;
                    return Some((minus(from, b.clone()), reversed));
                }
                let (from, reversed) = self.affine(b)?;
                self.is_fixed(a)
                    .then(|| (minus(a.clone(), from), !reversed))
            }
            _ => None,
        }
    }

    fn is_state(&self, e: &Expr, k: usize) -> bool {
        matches!(&*self.resolved(e).kind, Kind::Var(sym) if *sym == self.draft.states[k].sym)
    }

    fn role(&self, k: usize) -> Role {
        let state = &self.draft.states[k];
        if self.is_state(&state.next.expr, k) {
            return Role::Same;
        }
        (self.total(k, state))
            .or_else(|| self.filled(k, state))
            .or_else(|| self.scattered(k, state))
            .unwrap_or(Role::Sequential)
    }

    /// `s + e` or its like, of all of it or of a part that is always the same.
    fn total(&self, k: usize, state: &State) -> Option<Role> {
        let next = self.resolved(&state.next.expr);
        let (at, value, when) = match &*next.kind {
            Kind::Update(u) if self.is_state(&u.array, k) => {
                let at: At = self.places(&u.at);
                if !at.iter().flatten().all(|i| self.is_fixed(i)) {
                    return None;
                }
                (at, &u.value, u.when.as_ref())
            }
            _ => (vec![None; state.init.expr.ty.rank], &state.next.expr, None),
        };
        for op in [
            ReduceOp::Sum,
            ReduceOp::Product,
            ReduceOp::Max,
            ReduceOp::Min,
        ] {
            let terms = Terms {
                body: self,
                bit: 1 << k,
                leaf: Leaf {
                    state: &state.sym,
                    at: &at,
                    under: vec![],
                },
                op,
                elem: state.init.expr.ty.elem,
                smooth: matches!(*state.init.expr.kind, Kind::Lit(Lit::Real(x)) if !x.is_nan()),
                local: HashMap::new(),
            };
            let Some(step) = terms.of_part(value) else {
                continue;
            };
            let step = match when {
                Some(when) if self.mask(when) & (1 << k) == 0 => terms.only_if(when, step)?,
                Some(_) => return None,
                None => step,
            };
            return Some(Role::Total(op, at, step));
        }
        None
    }

    fn places(&self, at: &At) -> At {
        at.iter()
            .map(|i| i.as_ref().map(|i| self.written_out(i)))
            .collect()
    }

    /// `x[j] += e`, once or several times.
    fn scattered(&self, k: usize, state: &State) -> Option<Role> {
        if state.init.expr.ty.elem != Elem::Real {
            return None;
        }
        let mut adds = vec![];
        let mut here = &state.next.expr;
        while !self.is_state(here, k) {
            let next = self.resolved(here);
            if let Kind::Prim(Prim::Add, args) = &*next.kind
                && let Kind::Scatter(_) = &*self.resolved(&args[1]).kind
            {
                // Sums by index of an inner loop.
                if self.mask(&args[1]) & (1 << k) != 0 {
                    return None;
                }
                adds.push((vec![], args[1].clone(), false));
                here = &args[0];
                continue;
            }
            let Kind::Update(u) = &*next.kind else {
                return None;
            };
            if u.when.is_some() || u.at.iter().all(Option::is_none) {
                return None;
            }
            let value = self.resolved(&u.value);
            let Kind::Prim(prim @ (Prim::Add | Prim::Sub), args) = &*value.kind else {
                return None;
            };
            let reads = |e: &Expr| match &*self.resolved(e).kind {
                Kind::Index(array, at) => {
                    *array == u.array && self.places(at) == self.places(&u.at)
                }
                _ => false,
            };
            let term = match (reads(&args[0]), reads(&args[1]) && *prim == Prim::Add) {
                (true, false) => &args[1],
                (false, true) => &args[0],
                (..) => return None,
            };
            let needs = u.at.iter().flatten().chain([term]);
            if needs.fold(0, |m, e| m | self.mask(e)) & (1 << k) != 0 {
                return None;
            }
            adds.push((u.at.clone(), term.clone(), *prim == Prim::Sub));
            here = &u.array;
        }
        Some(Role::Scattered(adds))
    }

    /// `x[i] = e`, where `e` does not read another element of `x`.
    fn filled(&self, k: usize, state: &State) -> Option<Role> {
        let next = self.resolved(&state.next.expr);
        let Kind::Update(u) = &*next.kind else {
            return None;
        };
        if !self.is_state(&u.array, k) {
            return None;
        }
        let at = self.places(&u.at);
        let moving = |i: &Option<Expr>| i.as_ref().is_some_and(|i| !self.is_fixed(i));
        let mut axes = (0..at.len()).filter(|&axis| moving(&at[axis]));
        let (axis, None) = (axes.next()?, axes.next()) else {
            return None;
        };
        let (from, reversed) = self.affine(at[axis].as_ref()?)?;
        let mut seen = HashSet::new();
        let here = at[axis].clone();
        for e in u.when.iter().chain([&u.value]) {
            if !self.reads_only(e, k, axis, &here, &mut seen) {
                return None;
            }
        }
        Some(Role::Filled(Fill {
            axis,
            at,
            from,
            reversed,
            when: u.when.clone(),
            value: u.value.clone(),
            stacked: false,
        }))
    }

    /// Whether an expression reads a state only at the index `here` of an axis.
    fn reads_only(
        &self,
        e: &Expr,
        k: usize,
        axis: usize,
        here: &Option<Expr>,
        seen: &mut HashSet<u32>,
    ) -> bool {
        if self.mask(e) & (1 << k) == 0 {
            return true;
        }
        let state = &self.draft.states[k].sym;
        match &*e.kind {
            Kind::Var(sym) if sym == state => false,
            Kind::Var(sym) => {
                if !seen.insert(sym.id) {
                    return true;
                }
                match self.defs.get(&sym.id) {
                    Some(def) => self.reads_only(def, k, axis, here, seen),
                    None => self.masks.get(&sym.id).is_none_or(|m| m & (1 << k) == 0),
                }
            }
            Kind::Dim(array, _) if matches!(&*array.kind, Kind::Var(s) if s == state) => true,
            Kind::Index(array, at)
                if matches!(&*array.kind, Kind::Var(s) if s == state)
                    && at[axis].as_ref().map(|i| self.written_out(i)) == *here =>
            {
                let mut at = at.iter().flatten();
                at.all(|i| self.reads_only(i, k, axis, here, seen))
            }
            _ => {
                let mut all = e.parts().into_iter();
                all.all(|p| self.reads_only(p, k, axis, here, seen))
            }
        }
    }

    /// What a state needs with its role, besides what it has of itself.
    fn needs(&self, k: usize, role: &Role) -> Mask {
        match role {
            Role::Sequential => self.mask(&self.draft.states[k].next.expr),
            Role::Same => 0,
            Role::Total(_, _, step) => step.term().map_or(0, |t| self.mask(t)),
            Role::Scattered(adds) => adds.iter().fold(0, |mask, (at, value, _)| {
                let at = at.iter().flatten().fold(0, |m, e| m | self.mask(e));
                mask | at | self.mask(value)
            }),
            Role::Filled(fill) => {
                let parts = fill.when.iter().chain([&fill.value]);
                parts.fold(0, |m, e| m | self.mask(e)) & !(1 << k)
            }
        }
    }

    /// The role of each state.
    fn roles(&self) -> Vec<Role> {
        let count = self.draft.states.len();
        if self.draft.extent.is_none() || self.draft.only || count > 60 {
            return (0..count).map(|_| Role::Sequential).collect();
        }
        let mut roles: Vec<Role> = (0..count).map(|k| self.role(k)).collect();
        loop {
            let needs: Vec<Mask> = (0..count).map(|k| self.needs(k, &roles[k])).collect();
            let stacked = self.draft.stacked.iter();
            let stacked = stacked.fold(0, |mask, e| mask | self.mask(e));
            let all = |of: &dyn Fn(&Role) -> bool| -> Mask {
                let with = (0..count).filter(|&k| of(&roles[k]));
                with.fold(0, |mask, k| mask | 1 << k)
            };
            let sequential = all(&|role| matches!(role, Role::Sequential));
            let wrong: Vec<usize> = (0..count)
                .filter(|&k| {
                    let others = (0..count).filter(|&j| j != k);
                    let used = others.fold(stacked, |mask, j| mask | needs[j]);
                    match &roles[k] {
                        Role::Sequential | Role::Same => false,
                        Role::Total(..) | Role::Scattered(_) => {
                            used & (1 << k) != 0 || needs[k] & sequential != 0
                        }
                        Role::Filled(_) => used & (1 << k) != 0,
                    }
                })
                .collect();
            if wrong.is_empty() {
                for (role, needs) in roles.iter_mut().zip(needs) {
                    if let Role::Filled(fill) = role {
                        fill.stacked = needs & sequential != 0;
                    }
                }
                return roles;
            }
            for k in wrong {
                roles[k] = Role::Sequential;
            }
        }
    }
}

/// `a - b`, without what takes nothing off.
fn minus(a: Expr, b: Expr) -> Expr {
    match (&*a.kind, &*b.kind) {
        (_, Kind::Lit(Lit::Int(0))) => a,
        (Kind::Lit(Lit::Int(a)), Kind::Lit(Lit::Int(b))) => Expr::int(a - b),
        (..) => Expr::prim(Prim::ISub, vec![a, b]),
    }
}

impl Lowerer<'_> {
    /// What a loop gives: the last states, and what it collects. Only what has to run one after
    /// another becomes a loop in Core.
    pub(super) fn finish(&mut self, mut draft: Draft) -> (Vec<Expr>, Vec<Expr>) {
        let mut roles = Body::new(&draft).roles();
        self.scatters_are_possible(&draft, &mut roles);
        // What never changes is a name for what it was.
        for (state, role) in draft.states.iter().zip(&roles) {
            if matches!(role, Role::Same)
                && let Some(frame) = self.frames.last_mut()
            {
                frame.push(Bound::Let(state.sym.clone(), state.init.expr.clone()));
                let on = self.dependence(&state.init.expr);
                self.bound.insert(state.sym.clone(), on);
            }
        }
        // Arrays that are filled are read as they were.
        let mut names = Names::new();
        for (state, role) in draft.states.iter().zip(&roles) {
            if let (Role::Filled(_), Kind::Var(init)) = (role, &*state.init.expr.kind) {
                names.insert(state.sym.clone(), init.clone());
            }
        }
        let bound = std::mem::take(&mut draft.bound);
        let (mut last, stacks, filled) = self.remainder(&draft, &bound, &roles, &names);
        let mut filled = filled.into_iter();
        for (state, role) in draft.states.iter().zip(roles) {
            let expr = match role {
                Role::Sequential => continue,
                Role::Same => Expr::var(&state.sym, state.init.expr.ty),
                Role::Total(op, at, step) => self.gathered(&draft, state, &bound, op, at, step),
                Role::Scattered(adds) => self.summed_by_index(&draft, state, &bound, adds),
                Role::Filled(fill) => {
                    let stack = if fill.stacked { filled.next() } else { None };
                    self.array_filled(&draft, state, &bound, &fill, stack, &names)
                }
            };
            let expr = self.share(&state.sym.hint, expr);
            last.insert(state.sym.clone(), expr);
        }
        let states = draft.states.iter();
        let states = states.map(|s| last.remove(&s.sym).unwrap_or_else(|| s.init.expr.clone()));
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
        let kept = draft.states.iter().zip(roles);
        let kept: Vec<&State> = kept
            .filter(|(_, role)| matches!(role, Role::Sequential))
            .map(|(state, _)| state)
            .collect();
        let mut results: Vec<Expr> = kept.iter().map(|s| s.next.expr.clone()).collect();
        results.extend(draft.stacked.iter().cloned());
        for (state, role) in draft.states.iter().zip(roles) {
            if let Role::Filled(fill) = role
                && fill.stacked
            {
                let old = Expr::index(Expr::var(&state.sym, state.init.expr.ty), fill.at.clone());
                let value = fill.value.clone();
                results.push(match &fill.when {
                    Some(when) => Expr::cond(when.clone(), value, old),
                    None => value,
                });
            }
        }
        if results.is_empty() {
            return (HashMap::new(), vec![], vec![]);
        }
        let lets = needed(bound, &results);
        let mut body = LoopParts {
            trip: draft.trip.clone(),
            index: draft.index.clone(),
            states: kept
                .iter()
                .map(|s| (s.sym.clone(), s.init.expr.clone()))
                .collect(),
            body: Block { lets, results },
            recompute: draft.recompute,
            on: draft.on.clone(),
        };
        if let Trip::While(_) = body.trip {
            // Nothing was taken out.
        } else if !names.is_empty() || roles.iter().any(|r| !matches!(r, Role::Sequential)) {
            // What is taken out is written down with names of its own, and so is this.
            let l = crate::ir::core::Loop {
                trip: body.trip,
                index: body.index,
                states: body.states,
                body: body.body,
                outs: vec![],
                recompute: body.recompute,
            };
            let l = self.copied_loop(&l, &mut names.clone());
            body = LoopParts {
                trip: l.trip,
                index: l.index,
                states: l.states,
                body: l.body,
                recompute: l.recompute,
                on: body.on,
            };
        }
        let (last, mut stacks) = self.looped(body);
        let last = kept.iter().map(|s| s.sym.clone()).zip(last).collect();
        let filled = stacks.split_off(draft.stacked.len());
        (last, stacks, filled)
    }

    /// The sizes of a sum by index do not depend on loops around it.
    fn scatters_are_possible(&mut self, draft: &Draft, roles: &mut [Role]) {
        let Some(extent) = &draft.extent else { return };
        if !roles.iter().any(|r| matches!(r, Role::Scattered(_))) {
            return;
        }
        let on = self.dependence(extent);
        let inside = self.loops.iter().any(|index| on.contains(index));
        for role in roles.iter_mut() {
            if inside && matches!(role, Role::Scattered(_)) {
                *role = Role::Sequential;
            }
        }
        if !inside {
            for around in &mut self.sequences {
                around.only |= on.contains(&around.mark);
            }
        }
    }

    /// A state, and a reduction over what is added to it.
    fn gathered(
        &mut self,
        draft: &Draft,
        state: &State,
        bound: &Bindings,
        op: ReduceOp,
        at: At,
        step: Step,
    ) -> Expr {
        let init = state.init.expr.clone();
        let (term, inverse) = match step {
            Step::Nothing => return init,
            Step::Forward(term) => (term, false),
            Step::Back(term) => (term, true),
        };
        let elem = init.ty.elem;
        let body = under(needed(bound, [&term]), term);
        let extent = draft.extent.clone().unwrap_or_else(|| Expr::int(0));
        let all = Expr::reduce(op, draft.index.clone(), extent, body);
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
            return Expr::prim(prim, vec![init, all]);
        }
        let old = element(init.clone(), at.clone());
        let value = Expr::prim(prim, vec![old, all]);
        let value = self.share("v", value);
        self.updated(init, at, value)
    }

    /// An array, and a sum by index.
    fn summed_by_index(
        &mut self,
        draft: &Draft,
        state: &State,
        bound: &Bindings,
        adds: Vec<(At, Expr, bool)>,
    ) -> Expr {
        let init = state.init.expr.clone();
        let mut total = init.clone();
        for (at, value, inverse) in adds {
            let outer = Binder {
                var: draft.index.clone(),
                extent: draft.extent.clone().unwrap_or_else(|| Expr::int(0)),
            };
            let scatter = if at.is_empty() {
                match self.joined_scatter(outer, bound, &value) {
                    Some(scatter) => scatter,
                    None => {
                        // A sum of whole arrays.
                        let body = under(needed(bound, [&value]), value.clone());
                        let extent = draft.extent.clone().unwrap_or_else(|| Expr::int(0));
                        Expr::reduce(ReduceOp::Sum, draft.index.clone(), extent, body)
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
            .map(|k| Expr::dim(init.clone(), k))
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
                Self::at_all(&part, own)
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
        let Kind::Var(sym) = &*value.kind else {
            return None;
        };
        let inner = bound.iter().find_map(|b| match b {
            Bound::Let(s, e) if s == sym => Some(e),
            Bound::Let(..) | Bound::Loop(_) => None,
        })?;
        let Kind::Scatter(s) = &*inner.kind else {
            return None;
        };
        let mut inside: HashSet<u32> = HashSet::from([outer.var.id]);
        for b in bound {
            inside.extend(bound_by(b).iter().map(|s| s.id));
        }
        let mut free = true;
        for e in s.extents.iter().chain(s.binders.iter().map(|b| &b.extent)) {
            variables(e, &mut |v| free &= !inside.contains(&v.id));
        }
        if !free {
            return None;
        }
        let mut scatter = s.clone();
        scatter.binders.insert(0, outer);
        let mut used: Vec<&Expr> = s.index.iter().chain([&s.value]).collect();
        used.extend(s.lets.iter().flat_map(Bound::parts));
        let mut lets = needed(bound, used);
        lets.append(&mut scatter.lets);
        scatter.lets = lets;
        Some(Expr::scatter(scatter))
    }

    /// An array with the parts along an axis replaced.
    fn array_filled(
        &mut self,
        draft: &Draft,
        state: &State,
        bound: &Bindings,
        fill: &Fill,
        stack: Option<Expr>,
        names: &Names,
    ) -> Expr {
        let init = state.init.expr.clone();
        let count = draft.extent.clone().unwrap_or_else(|| Expr::int(0));
        let length = Expr::dim(init.clone(), fill.axis);
        let length = self.settled_size(&length);
        let covers = self.covers(fill, &count, &length);
        if !covers && fill.when.is_none() {
            self.demand_inside(draft, &init, fill, &count);
        }
        let hint = draft.index.hint.clone();
        let sym = self.fresh.sym(&hint);
        let along = Expr::var(&sym, Ty::scalar(Elem::Int));
        let round = match fill.reversed {
            false => minus(along.clone(), fill.from.clone()),
            true => minus(fill.from.clone(), along.clone()),
        };
        let mut at = fill.at.clone();
        at[fill.axis] = Some(along.clone());
        let old = element(init.clone(), at);
        let new = match stack {
            Some(stack) => {
                let mut at = vec![None; stack.ty.rank];
                at[0] = Some(round.clone());
                Expr::index(stack, at)
            }
            None => {
                let value = match &fill.when {
                    Some(when) => {
                        let at = fill.at.clone();
                        let before = Expr::index(Expr::var(&state.sym, init.ty), at);
                        Expr::cond(when.clone(), fill.value.clone(), before)
                    }
                    None => fill.value.clone(),
                };
                let value = under(needed(bound, [&value]), value);
                if round == along {
                    let mut names = names.clone();
                    names.insert(draft.index.clone(), sym.clone());
                    self.copied(&value, &mut names)
                } else {
                    let value = Expr::bind(draft.index.clone(), round.clone(), value);
                    self.copied(&value, &mut names.clone())
                }
            }
        };
        let body = match covers {
            true => new,
            false => {
                let below = Expr::prim(Prim::ILt, vec![round.clone(), count]);
                let begun = Expr::prim(Prim::IGe, vec![round.clone(), Expr::int(0)]);
                let within = match round == along {
                    true => below,
                    false => super::assign::both(begun, below),
                };
                Expr::cond(within, new, old)
            }
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
        let value = self.share("v", filled);
        self.updated(init, at, value)
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
        built(axes, Self::at_all(&array, from))
    }

    /// Whether all of an axis is filled.
    fn covers(&self, fill: &Fill, count: &Expr, length: &Expr) -> bool {
        let count = self.settled_size(count);
        let last = minus(count.clone(), Expr::int(1));
        let from = self.settled_size(&fill.from);
        let begin = match fill.reversed {
            false => Expr::int(0),
            true => last,
        };
        count == *length && from == begin
    }

    /// All places that are filled have to be inside of the array: they are read, for nothing.
    fn demand_inside(&mut self, draft: &Draft, init: &Expr, fill: &Fill, count: &Expr) {
        let mut at = vec![];
        let mut axes = vec![];
        for (axis, i) in fill.at.iter().enumerate() {
            at.push(match i {
                Some(_) if axis == fill.axis => {
                    let sym = self.fresh.sym(&draft.index.hint);
                    let i = Expr::var(&sym, Ty::scalar(Elem::Int));
                    axes.push((sym, count.clone()));
                    match fill.reversed {
                        false => super::header::plus(fill.from.clone(), i),
                        true => minus(fill.from.clone(), i),
                    }
                }
                Some(i) => i.clone(),
                None => {
                    let sym = self.fresh.sym("k");
                    let i = Expr::var(&sym, Ty::scalar(Elem::Int));
                    axes.push((sym, Expr::dim(init.clone(), axis)));
                    i
                }
            });
        }
        let there = Self::at_all(init, at);
        let there = match there.ty.elem {
            Elem::Real => Expr::prim(Prim::Gt, vec![there, Expr::real(0.0)]),
            Elem::Int => Expr::prim(Prim::IGt, vec![there, Expr::int(0)]),
            Elem::Bool => there,
        };
        let there = Expr::prim(Prim::BoolToInt, vec![there]);
        let all = super::combinator::reduced(ReduceOp::Sum, axes, there);
        self.share("inside", all);
    }
}
