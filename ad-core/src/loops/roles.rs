//! Which part of a loop has to run one after another, and what the rest of it is: sums and their
//! like, arrays filled element by element, and sums by index.
//!
//! A state is only taken out of a loop if what else happens in there does not need it.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

mod filled;
mod several;
mod unwritten;

use super::draft::{Draft, State};
use super::ragged::Moving;
use super::size::{self, literal};
use super::steps::{Leaf, Step, Terms};
use super::terms::{minus, plus};
use super::wiring::{bound_by, variables};
use super::writer::Writer;
use crate::ir::core::{Along, Binder, Bound, Expr, Kind, ReduceOp, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::{HashMap, HashSet};

/// Which states something needs, one bit for each.
type Mask = u64;

/// The bit of what needs arrays whose lengths depend on the round, which only a loop that runs
/// round after round can have.
const RAGGED: Mask = 1 << 63;

/// One entry per axis, nothing for a whole axis.
pub(super) type At = Vec<Option<Expr>>;

/// What becomes of a state.
pub(super) enum Role {
    /// The next one needs the one before.
    Sequential,
    /// It never changes.
    Same,
    /// A part of it (all of it for a number) gathers what does not need it.
    Total(Total),
    /// Elements of it gather numbers, by index: where, and what.
    Scattered(Vec<(At, Expr, bool)>),
    /// Each part along an axis is replaced once.
    Filled(Fill),
}

/// What a part of a state, the same in all rounds, gathers.
pub(super) struct Total {
    pub(super) op: ReduceOp,
    /// Which part.
    pub(super) at: At,
    /// In which rounds it is changed: in all of them, or where this holds.
    pub(super) when: Option<Expr>,
    /// By what.
    pub(super) step: Step,
}

impl Role {
    /// What decides if an element is filled, and by what.
    fn filling(&mut self) -> impl Iterator<Item = &mut Expr> {
        let fill = match self {
            Role::Filled(fill) => Some(fill),
            Role::Sequential | Role::Same | Role::Total(_) | Role::Scattered(_) => None,
        };
        fill.into_iter()
            .flat_map(|fill| fill.when.iter_mut().chain([&mut fill.value]))
    }
}

/// How an array is filled.
pub(super) struct Fill {
    /// Along which axis.
    pub(super) axis: usize,
    /// The indices of the part.
    pub(super) at: At,
    /// The index along the axis is this plus the position, or minus it.
    pub(super) from: Expr,
    /// Whether it is minus.
    pub(super) reversed: bool,
    /// If each round fills a whole row of a flat list: how long it is. The position counts rows.
    pub(super) row: Option<Expr>,
    /// Only where this holds.
    pub(super) when: Option<Expr>,
    /// By what.
    pub(super) value: Expr,
    /// Whether the values come out of the loop.
    pub(super) stacked: bool,
}

impl Fill {
    /// Whether it is a stretch of a list that does not begin where the list does.
    pub(super) fn is_stretch(&self) -> bool {
        self.at.len() == 1 && literal(&self.from) != Some(0)
    }
}

/// What is known of the body of a loop.
pub(super) struct Body<'d> {
    draft: &'d Draft,
    /// What is known outside of it.
    known: &'d Writer,
    /// What variables of the body are bound to.
    defs: HashMap<u32, &'d Expr>,
    /// Which states they need.
    masks: HashMap<u32, Mask>,
    /// The index, the states and all variables of the body.
    inside: HashSet<u32>,
    /// What is bound within what these are bound to, with how far each index goes.
    within: &'d HashMap<Sym, Option<Expr>>,
    /// What differs from round to round.
    moving: Moving,
}

/// What is bound within the values of a loop's body, with how far each index goes.
pub(super) fn bound_within(draft: &Draft) -> HashMap<Sym, Option<Expr>> {
    let mut bound = HashMap::new();
    let body = &draft.looped.body;
    for b in &body.lets {
        if let Bound::Loop(l) = b {
            bound.extend(l.syms().into_iter().map(|s| (s.clone(), None)));
        }
    }
    (body.lets.iter().flat_map(Bound::parts)).for_each(|e| binders(e, &mut bound));
    (body.results.iter()).for_each(|e| binders(e, &mut bound));
    bound
}

fn binders(e: &Expr, bound: &mut HashMap<Sym, Option<Expr>>) {
    match &*e.kind {
        Kind::Build(b, _) | Kind::Reduce(_, b, _) | Kind::ArgReduce(_, b, _) => {
            bound.insert(b.var.clone(), Some(b.extent.clone()));
        }
        Kind::Scatter(s) => {
            bound.extend(s.bound().map(|s| (s.clone(), None)));
            let extent = |b: &Binder| (b.var.clone(), Some(b.extent.clone()));
            bound.extend(s.binders.iter().map(extent));
        }
        Kind::Let(sym, ..) => drop(bound.insert(sym.clone(), None)),
        Kind::Loop(l, _) => bound.extend(l.syms().into_iter().map(|s| (s.clone(), None))),
        _ => {}
    }
    e.parts().into_iter().for_each(|part| binders(part, bound));
}

impl<'d> Body<'d> {
    /// Looks at a loop.
    pub(super) fn new(
        draft: &'d Draft,
        known: &'d Writer,
        within: &'d HashMap<Sym, Option<Expr>>,
    ) -> Body<'d> {
        let mut body = Body {
            draft,
            known,
            defs: HashMap::new(),
            masks: HashMap::new(),
            inside: HashSet::from([draft.index().id]),
            within,
            moving: Moving::of(draft),
        };
        for (k, state) in draft.states().enumerate() {
            body.masks.insert(state.sym.id, 1 << k);
            body.inside.insert(state.sym.id);
        }
        for b in &draft.looped.body.lets {
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
        let mut mask = match self.moving.has_lengths(e) {
            true => RAGGED,
            false => 0,
        };
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

    /// The same with all sizes written out that are bound before the loop.
    fn with_sizes(&self, e: &Expr) -> Expr {
        self.known.with_sizes(&self.written_out(e))
    }

    /// The row of a flat list that a place is in, and where in the row.
    fn row_of(&self, place: &Expr, row: &Expr) -> Option<(Expr, Expr)> {
        let (which, position) = size::divided(place, row);
        (self.known.is_inside(&position, row)).then_some((which, position))
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
            Kind::Var(sym) if sym == self.draft.index() => Some((Expr::int(0), false)),
            Kind::Prim(Prim::IAdd, args) => {
                let (a, b) = (&args[0], &args[1]);
                let (moving, by) = if self.is_fixed(b) { (a, b) } else { (b, a) };
                let (from, reversed) = self.affine(moving)?;
                let fixed = self.is_fixed(by);
                fixed.then(|| (plus(from, by.clone()), reversed))
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
        matches!(&*self.resolved(e).kind, Kind::Var(sym) if sym == self.draft.state(k).sym)
    }

    /// The role of a state, in a loop that is inside of another one or not.
    fn role(&self, k: usize, is_nested: bool) -> Role {
        let state = self.draft.state(k);
        if self.is_state(state.next, k) {
            return Role::Same;
        }
        // Sums by index of inner loops become one over these loops as well.
        let is_inner = |role: &Role| match role {
            Role::Scattered(adds) => adds.iter().all(|(at, ..)| at.is_empty()),
            _ => false,
        };
        let joined = self.scattered(k, state).filter(is_inner);
        let role = joined
            .or_else(|| self.total(k, state))
            .or_else(|| self.filled(k, state))
            .or_else(|| self.scattered(k, state))
            .unwrap_or(Role::Sequential);
        match role {
            // `c[i * n + j] += e` is one sum by index over the loops around, too.
            Role::Filled(fill) if is_nested && fill.is_stretch() => {
                self.scattered(k, state).unwrap_or(Role::Filled(fill))
            }
            role => role,
        }
    }

    /// `s + e` or its like, of all of it or of a part that is always the same.
    fn total(&self, k: usize, state: State<'_>) -> Option<Role> {
        let next = self.resolved(state.next);
        let (at, value, when) = match &*next.kind {
            Kind::Update(u) if self.is_state(&u.array, k) => {
                let at: At = self.places(&Along::of_read(&u.at)?);
                if !at.iter().flatten().all(|i| self.is_fixed(i)) {
                    return None;
                }
                (at, &u.value, u.when.as_ref())
            }
            _ => (vec![None; state.init.ty.rank], state.next, None),
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
                    state: state.sym,
                    at: &at,
                    under: vec![],
                },
                op,
                elem: state.init.ty.elem,
                smooth: matches!(*state.init.kind, Kind::Lit(Lit::Real(x)) if !x.is_nan()),
                local: HashMap::new(),
                numbers: HashMap::new(),
            };
            let Some(step) = terms.of_part(value) else {
                continue;
            };
            let step = match when {
                Some(when) if self.mask(when) & (1 << k) == 0 => terms.only_if(when, step)?,
                Some(_) => return None,
                None => step,
            };
            let when = when.cloned();
            return Some(Role::Total(Total { op, at, when, step }));
        }
        None
    }

    fn places(&self, at: &At) -> At {
        at.iter()
            .map(|i| i.as_ref().map(|i| self.written_out(i)))
            .collect()
    }

    /// `x[j] += e`, once or several times.
    fn scattered(&self, k: usize, state: State<'_>) -> Option<Role> {
        if state.init.ty.elem != Elem::Real {
            return None;
        }
        let mut adds = vec![];
        let mut here = state.next;
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
            let place = Along::of_read(&u.at)?;
            if u.when.is_some() || place.iter().all(Option::is_none) {
                return None;
            }
            let value = self.resolved(&u.value);
            let Kind::Prim(prim @ (Prim::Add | Prim::Sub), args) = &*value.kind else {
                return None;
            };
            let reads = |e: &Expr| match &*self.resolved(e).kind {
                Kind::Index(array, at) => {
                    *array == u.array && self.places(at) == self.places(&place)
                }
                _ => false,
            };
            let term = match (reads(&args[0]), reads(&args[1]) && *prim == Prim::Add) {
                (true, false) => &args[1],
                (false, true) => &args[0],
                (..) => return None,
            };
            let needs = place.iter().flatten().chain([term]);
            if needs.fold(0, |m, e| m | self.mask(e)) & (1 << k) != 0 {
                return None;
            }
            adds.push((place, term.clone(), *prim == Prim::Sub));
            here = &u.array;
        }
        Some(Role::Scattered(adds))
    }

    /// What a state needs with its role, besides what it has of itself.
    fn needs(&self, k: usize, role: &Role) -> Mask {
        match role {
            Role::Sequential => self.mask(self.draft.state(k).next),
            Role::Same => 0,
            Role::Total(total) => total.step.term().map_or(0, |t| self.mask(t)),
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
    pub(super) fn roles(&self, is_nested: bool) -> Vec<Role> {
        let count = self.draft.looped.states.len();
        if self.draft.extent.is_none() || self.draft.only || count > 60 {
            return (0..count).map(|_| Role::Sequential).collect();
        }
        let mut roles: Vec<Role> = (0..count).map(|k| self.role(k, is_nested)).collect();
        loop {
            let needs: Vec<Mask> = (0..count).map(|k| self.needs(k, &roles[k])).collect();
            let stacked = self.draft.stacked().iter();
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
                            used & (1 << k) != 0 || needs[k] & (sequential | RAGGED) != 0
                        }
                        Role::Filled(_) => used & (1 << k) != 0 || needs[k] & RAGGED != 0,
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
