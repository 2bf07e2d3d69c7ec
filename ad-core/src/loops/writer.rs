//! Writes Core: the bindings of the regions that are open, and what is known of the variables.

use super::longer::Longer;
use super::terms::{Axes, is_atom, is_size};
use crate::ir::core::{Along, Bound, Expr, Fresh, Kind, Loop, Sym, Ty, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::{BTreeSet, HashMap};

/// Variables and what they are bound to, in order.
pub(crate) type Bindings = Vec<Bound>;

/// What indices are called that have no name.
pub(crate) const INDICES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// A sequential loop around what is written.
pub(crate) struct Around {
    /// What its index and its states depend on, besides what they begin with.
    pub(crate) mark: Sym,
    /// Its index and how many rounds it has, where that is known before.
    pub(crate) rounds: Option<(Sym, Expr)>,
    /// Whether the rounds have to run one after another.
    pub(crate) only: bool,
}

/// Core that is being written.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) fresh: Fresh,
    /// What has been bound in each region that is evaluated as a whole, innermost last.
    pub(crate) frames: Vec<Bindings>,
    /// The sequential loops around.
    pub(crate) sequences: Vec<Around>,
    /// Of arrays with an element replaced: the array before, where, and what is there now.
    pub(crate) updates: HashMap<Sym, (Expr, Vec<Option<Expr>>, Expr)>,
    /// The indices of the loops around.
    pub(crate) loops: Vec<Sym>,
    /// Which indices the value of a bound variable depends on.
    pub(crate) bound: HashMap<Sym, BTreeSet<Sym>>,
    /// The lengths of the axes of bound arrays, where they can be said without the array.
    pub(crate) lengths: HashMap<Sym, Vec<Option<Expr>>>,
    /// The states of sequential loops, and what came from them by changes of parts.
    pub(crate) carried: BTreeSet<Sym>,
    /// How far the indices of loops go.
    pub(crate) extents: HashMap<Sym, Expr>,
    /// Sizes that are bound.
    pub(crate) sizes: HashMap<Sym, Expr>,
    /// What is cast from a signed integer to one of 64 bits without a sign, and may be 2⁶³ or more
    /// there.
    pub(crate) wrapping: Vec<Expr>,
    /// Arguments of types without a sign.
    pub(crate) naturals: BTreeSet<Sym>,
    /// Axes that are longer than others.
    pub(super) longer: Vec<Longer>,
    /// Lengths of rows that are bound: which list of lengths, and at which index.
    pub(crate) reads: HashMap<Sym, (Sym, Sym)>,
    /// Where a function that is being taken in is called, innermost first: its units are found
    /// there.
    pub(crate) through: Vec<String>,
}

impl Writer {
    /// A variable for a value, unless the value is as good as one.
    pub(crate) fn share(&mut self, hint: &str, value: Expr) -> Expr {
        if is_atom(&value) {
            return value;
        }
        let sym = self.fresh.sym(hint);
        let var = Expr::var(&sym, value.ty);
        self.bind(sym, value);
        var
    }

    /// Binds a variable of its own to a value.
    pub(super) fn bind(&mut self, sym: Sym, value: Expr) {
        let on = self.dependence(&value);
        self.bound.insert(sym.clone(), on);
        if value.ty.rank > 0 {
            let known = self.known_lengths(&value);
            self.know_lengths(&sym, known);
        }
        if let Some(read) = listed(&value) {
            self.reads.insert(sym.clone(), read);
        }
        if is_size(&value) {
            self.sizes.insert(sym.clone(), value.clone());
        }
        if let Kind::Update(u) = &*value.kind
            && self.is_carried(&u.array)
        {
            self.carried.insert(sym.clone());
        }
        if let Kind::Update(u) = &*value.kind
            && u.when.is_none()
            && is_atom(&u.value)
            && let Some(at) = Along::of_read(&u.at)
        {
            let what = (u.array.clone(), at, u.value.clone());
            self.updates.insert(sym.clone(), what);
        }
        if self.may_wrap(&value) {
            self.wrapping.push(Expr::var(&sym, value.ty));
        }
        match self.frames.last_mut() {
            Some(frame) => frame.push(Bound::Let(sym, value)),
            None => unreachable!("Core is written inside of a region"),
        }
    }

    /// A size that may be written down several times.
    pub(crate) fn share_size(&mut self, size: Expr) -> Expr {
        if is_size(&size) {
            size
        } else {
            self.share("n", size)
        }
    }

    /// The indices of loops that a value depends on. Lengths depend on none: arrays are
    /// rectangular.
    pub(crate) fn dependence(&self, value: &Expr) -> BTreeSet<Sym> {
        let mut on = BTreeSet::new();
        self.depends(value, &mut on);
        on
    }

    pub(crate) fn depends(&self, value: &Expr, on: &mut BTreeSet<Sym>) {
        let mut all = |parts: &mut dyn Iterator<Item = &Expr>| {
            for part in parts {
                self.depends(part, on);
            }
        };
        match &*value.kind {
            Kind::Var(sym) => match self.bound.get(sym) {
                Some(through) => on.extend(through.iter().cloned()),
                None if self.loops.contains(sym) => {
                    on.insert(sym.clone());
                }
                None => {}
            },
            Kind::Lit(_) | Kind::Dim(..) => {}
            Kind::Prim(_, args) => all(&mut args.iter()),
            Kind::Let(_, bound, body) => all(&mut [bound, body].into_iter()),
            Kind::Loop(l, body) => all(&mut l.parts().into_iter().chain([body])),
            Kind::Update(u) => all(&mut u.parts().into_iter()),
            Kind::If(cond, then, other) => all(&mut [cond, then, other].into_iter()),
            Kind::Build(binder, body)
            | Kind::Reduce(_, binder, body)
            | Kind::ArgReduce(_, binder, body) => all(&mut [&binder.extent, body].into_iter()),
            Kind::Scatter(scatter) => all(&mut scatter.parts()),
            Kind::Index(array, at) => {
                all(&mut std::iter::once(array).chain(at.iter().flatten()));
            }
            Kind::Stop(inner) => self.depends(inner, on),
            Kind::Where(cond, inner) => all(&mut [cond, inner].into_iter()),
            Kind::Recur(recur) => all(&mut recur.parts()),
            Kind::Call(call) => all(&mut call.args.iter()),
            Kind::Demand(_, inner) => self.depends(inner, on),
        }
    }

    /// Whether an integer of an unsigned type of 64 bits may be 2⁶³ or more, and be negative here.
    pub(crate) fn may_wrap(&self, e: &Expr) -> bool {
        fn mentions(e: &Expr, some: &[Expr]) -> bool {
            // A cast to fewer bits has its own range.
            let is_cast = matches!(&*e.kind, Kind::Prim(p, _) if p.cast_range().is_some());
            let mut parts = e.parts().into_iter();
            some.contains(e) || (!is_cast && parts.any(|e| mentions(e, some)))
        }
        !self.wrapping.is_empty() && e.ty.elem == Elem::Int && mentions(e, &self.wrapping)
    }

    /// Runs code of the compiler's own over fresh indices.
    pub(crate) fn indices(&mut self, extents: &[Expr]) -> (Axes, Vec<Expr>) {
        let mut axes = vec![];
        let mut indices = vec![];
        for (extent, hint) in extents.iter().zip(INDICES) {
            let sym = self.fresh.sym(hint);
            indices.push(Expr::var(&sym, Ty::scalar(Elem::Int)));
            self.extents.insert(sym.clone(), extent.clone());
            axes.push((sym, extent.clone()));
        }
        (axes, indices)
    }

    /// An array with a part replaced. If the branch that is lowered put something else at the same
    /// place before, that is left out.
    pub(crate) fn updated(&mut self, array: Expr, at: Vec<Option<Expr>>, value: Expr) -> Expr {
        let is_own = |array: &Expr| {
            let mut frame = self.frames.last().into_iter().flatten().rev();
            frame.any(|b| match b {
                Bound::Let(sym, _) => matches!(&*array.kind, Kind::Var(v) if v == sym),
                Bound::Loop(_) => false,
            })
        };
        let base = self.just_replaced(&array, &at).filter(|_| is_own(&array));
        Expr::update(Update {
            array: base.map_or(array, |(base, _)| base),
            at: at.into_iter().map(Along::from).collect(),
            when: None,
            value,
        })
    }

    /// The part of an array that was just put there.
    pub(crate) fn replaced_element(&self, array: &Expr, at: &[Option<Expr>]) -> Option<Expr> {
        Some(self.just_replaced(array, at)?.1)
    }

    /// If the last change of an array was at this place: the array before it, and the new part.
    pub(crate) fn just_replaced(&self, array: &Expr, at: &[Option<Expr>]) -> Option<(Expr, Expr)> {
        let Kind::Var(sym) = &*array.kind else {
            return None;
        };
        let (base, before, value) = self.updates.get(sym)?;
        (before == at).then(|| (base.clone(), value.clone()))
    }

    /// What a loop makes of a state and all terms. Of the larger and the smaller of two numbers NaN
    /// is none, and so a loop leaves it where it begins with NaN, and finds no number:
    ///
    /// ```text
    /// m = init; for x { m = max(m, x) }
    ///    =
    /// if init is NaN and maximum(x) = −∞ { init } else { max(init, maximum(x)) }
    /// ```
    ///
    /// This differs from the loop where nothing but NaN and −∞ occurs, and NaN is first: the loop
    /// gives −∞, this is NaN.
    pub(crate) fn after_init(&mut self, prim: Prim, init: Expr, all: Expr) -> Expr {
        let is_number = matches!(&*init.kind, Kind::Lit(Lit::Real(x)) if !x.is_nan());
        let is_array = init.ty.rank > 0 || all.ty.rank > 0;
        if is_number || is_array || !matches!(prim, Prim::Max | Prim::Min) {
            return Expr::prim(prim, vec![init, all]);
        }
        let neutral = match prim == Prim::Max {
            true => f64::NEG_INFINITY,
            false => f64::INFINITY,
        };
        let (init, all) = (self.share("init", init), self.share("all", all));
        let is_nan = Expr::prim(Prim::Ne, vec![init.clone(), init.clone()]);
        let is_nothing = Expr::prim(Prim::Eq, vec![all.clone(), Expr::real(neutral)]);
        let stays = Expr::prim(Prim::And, vec![is_nan, is_nothing]);
        let value = Expr::prim(prim, vec![init.clone(), all]);
        Expr::prim(Prim::Select, vec![stays, init, value])
    }

    /// Enters a loop. Its states depend on the loop and on what they begin with, which is `before`.
    pub(crate) fn enter<'s>(
        &mut self,
        mark: &Sym,
        (index, extent): (&'s Sym, Option<Expr>),
        states: impl Iterator<Item = &'s Sym>,
        before: &BTreeSet<Sym>,
    ) {
        self.bound.insert(index.clone(), before.clone());
        for sym in states {
            self.bound.insert(sym.clone(), before.clone());
            self.carried.insert(sym.clone());
        }
        if let Some(count) = &extent {
            let count = self.written_size(count);
            self.extents.insert(index.clone(), count);
        }
        self.sequences.push(Around {
            mark: mark.clone(),
            rounds: extent.map(|count| (index.clone(), count)),
            only: false,
        });
    }

    /// Whether an array came from a state of a loop around by changes of parts of it.
    pub(super) fn is_carried(&self, array: &Expr) -> bool {
        matches!(&*array.kind, Kind::Var(sym) if self.carried.contains(sym))
    }

    /// The loops around run one after another if something depends on their rounds.
    pub(crate) fn keep_order(&mut self, on: &BTreeSet<Sym>) {
        for around in &mut self.sequences {
            around.only |= on.contains(&around.mark);
        }
    }

    /// Adds a loop to what is bound; gives its last states and what it collects.
    pub(crate) fn looped(&mut self, mut l: Loop, on: &BTreeSet<Sym>) -> (Vec<Expr>, Vec<Expr>) {
        l.outs.clear();
        let types = l.out_types();
        let count = l.states.len();
        let mut outs = vec![];
        for (k, ty) in types.iter().enumerate() {
            let hint = match l.states.get(k) {
                Some((sym, _)) => sym.hint.to_string(),
                None => "all".to_string(),
            };
            let sym = self.fresh.sym(&hint);
            self.bound.insert(sym.clone(), on.clone());
            if let Some((_, init)) = l.states.get(k) {
                self.has_lengths_of(&sym, init);
                if self.is_carried(init) {
                    self.carried.insert(sym.clone());
                }
            }
            outs.push(Expr::var(&sym, *ty));
            l.outs.push(sym);
        }
        match self.frames.last_mut() {
            Some(frame) => frame.push(Bound::Loop(Box::new(l))),
            None => unreachable!("Core is written inside of a region"),
        }
        let stacks = outs.split_off(count);
        (outs, stacks)
    }
}

/// Which list is read at which index.
pub(crate) fn listed(e: &Expr) -> Option<(Sym, Sym)> {
    if let Kind::Index(list, at) = &*e.kind
        && let (Kind::Var(list), [Some(at)]) = (&*list.kind, &at[..])
        && let Kind::Var(at) = &*at.kind
    {
        return Some((list.clone(), at.clone()));
    }
    None
}
