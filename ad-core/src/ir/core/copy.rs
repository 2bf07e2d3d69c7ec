//! Copies of expressions in which every binder has a symbol of its own.

use super::{Binder, Block, Bound, Call, Expr, Fresh, Kind, Loop, Scatter, Sym, Trip, Update};
use std::collections::HashMap;

/// New names for old ones.
pub type Names = HashMap<Sym, Sym>;

/// What takes the place of a call. Its arguments are copies already.
pub type OnCall<'a> = &'a mut dyn FnMut(&mut Fresh, Call) -> Expr;

/// Makes copies.
pub struct Copier<'a> {
    /// Where new symbols come from.
    pub fresh: &'a mut Fresh,
    /// What becomes of calls of units.
    pub call: OnCall<'a>,
}

impl Copier<'_> {
    /// A new symbol for another one.
    pub fn renamed(&mut self, sym: &Sym, names: &mut Names) -> Sym {
        let new = self.fresh.sym(&sym.hint);
        names.insert(sym.clone(), new.clone());
        new
    }

    fn copied_binder(&mut self, binder: &Binder, names: &mut Names) -> Binder {
        let extent = self.copied(&binder.extent, names);
        let var = self.renamed(&binder.var, names);
        Binder { var, extent }
    }

    fn copied_all(&mut self, of: &[Expr], names: &mut Names) -> Vec<Expr> {
        of.iter().map(|e| self.copied(e, names)).collect()
    }

    /// A copy of a binding.
    pub fn copied_bound(&mut self, b: &Bound, names: &mut Names) -> Bound {
        match b {
            Bound::Let(sym, is) => {
                let is = self.copied(is, names);
                Bound::Let(self.renamed(sym, names), is)
            }
            Bound::Loop(l) => Bound::Loop(Box::new(self.copied_loop(l, names))),
        }
    }

    /// A copy of a loop.
    pub fn copied_loop(&mut self, l: &Loop, names: &mut Names) -> Loop {
        let init: Vec<Expr> = l
            .states
            .iter()
            .map(|(_, e)| self.copied(e, names))
            .collect();
        let times = match &l.trip {
            Trip::Times(n) => Some(self.copied(n, names)),
            Trip::While(_) => None,
        };
        let index = self.renamed(&l.index, names);
        let states = l.states.iter().map(|(s, _)| self.renamed(s, names));
        let states = states.collect::<Vec<_>>().into_iter().zip(init).collect();
        let trip = match (&l.trip, times) {
            (Trip::While(c), _) => Trip::While(self.copied(c, names)),
            (Trip::Times(n), times) => Trip::Times(times.unwrap_or_else(|| n.clone())),
        };
        let lets = l.body.lets.iter().map(|b| self.copied_bound(b, names));
        let body = Block {
            lets: lets.collect(),
            results: self.copied_all(&l.body.results, names),
        };
        let outs = l.outs.iter().map(|s| self.renamed(s, names)).collect();
        Loop {
            trip,
            index,
            states,
            body,
            outs,
            keep: l.keep,
        }
    }

    /// The same expression with every binder renamed.
    pub fn copied(&mut self, e: &Expr, names: &mut Names) -> Expr {
        let kind = match &*e.kind {
            Kind::Var(sym) => Kind::Var(names.get(sym).unwrap_or(sym).clone()),
            Kind::Lit(lit) => Kind::Lit(*lit),
            Kind::Prim(prim, args) => Kind::Prim(*prim, self.copied_all(args, names)),
            Kind::Let(sym, bound, body) => {
                let bound = self.copied(bound, names);
                let sym = self.renamed(sym, names);
                Kind::Let(sym, bound, self.copied(body, names))
            }
            Kind::Loop(l, body) => {
                let l = self.copied_loop(l, names);
                Kind::Loop(Box::new(l), self.copied(body, names))
            }
            Kind::If(cond, then, other) => Kind::If(
                self.copied(cond, names),
                self.copied(then, names),
                self.copied(other, names),
            ),
            Kind::Build(binder, body) => {
                let binder = self.copied_binder(binder, names);
                Kind::Build(binder, self.copied(body, names))
            }
            Kind::Reduce(op, binder, body) => {
                let binder = self.copied_binder(binder, names);
                Kind::Reduce(*op, binder, self.copied(body, names))
            }
            Kind::ArgReduce(op, binder, body) => {
                let binder = self.copied_binder(binder, names);
                Kind::ArgReduce(*op, binder, self.copied(body, names))
            }
            Kind::Scatter(s) => {
                let extents = self.copied_all(&s.extents, names);
                let binders = s.binders.iter().map(|b| self.copied_binder(b, names));
                let binders = binders.collect();
                let lets = s.lets.iter().map(|b| self.copied_bound(b, names));
                Kind::Scatter(Scatter {
                    extents,
                    binders,
                    lets: lets.collect(),
                    index: self.copied_all(&s.index, names),
                    value: self.copied(&s.value, names),
                })
            }
            Kind::Index(array, at) => {
                let array = self.copied(array, names);
                let at = at.iter().map(|i| i.as_ref().map(|i| self.copied(i, names)));
                let at = at.collect();
                Kind::Index(array, at)
            }
            Kind::Update(u) => Kind::Update(Update {
                array: self.copied(&u.array, names),
                at: (u.at.iter())
                    .map(|along| along.map(|i| self.copied(i, names)))
                    .collect(),
                when: u.when.as_ref().map(|c| self.copied(c, names)),
                value: self.copied(&u.value, names),
            }),
            Kind::Dim(array, axis) => Kind::Dim(self.copied(array, names), *axis),
            Kind::Stop(inner) => Kind::Stop(self.copied(inner, names)),
            Kind::Where(cond, inner) => {
                Kind::Where(self.copied(cond, names), self.copied(inner, names))
            }
            Kind::Recur(recur) => {
                let mut recur = recur.clone();
                for part in recur.parts_mut() {
                    *part = self.copied(part, names);
                }
                Kind::Recur(recur)
            }
            Kind::Call(call) => {
                let mut call = call.clone();
                for arg in &mut call.args {
                    *arg = self.copied(arg, names);
                }
                return (self.call)(self.fresh, call);
            }
            Kind::Demand(demand, inner) => {
                let mut demand = demand.clone();
                for part in demand.parts_mut() {
                    *part = self.copied(part, names);
                }
                Kind::Demand(demand, self.copied(inner, names))
            }
        };
        Expr::new(kind, e.ty)
    }
}
