//! Copies of expressions with symbols of their own.

use super::{Bindings, Lowerer};
use crate::ir::core::{Binder, Expr, Kind, Scatter, Sym};
use std::collections::HashMap;

type Names = HashMap<Sym, Sym>;

impl Lowerer<'_> {
    /// `value` under copies of those bindings that it needs.
    pub(super) fn rebound(&mut self, bound: &Bindings, value: Expr) -> Expr {
        let mut needed = vec![];
        let mut used = value.clone();
        for (sym, is) in bound.iter().rev() {
            if mentions(&used, sym) {
                used = Expr::bind(sym.clone(), is.clone(), used);
                needed.push(sym);
            }
        }
        if needed.is_empty() {
            return value;
        }
        self.copied(&used, &mut Names::new())
    }

    fn renamed(&mut self, sym: &Sym, names: &mut Names) -> Sym {
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

    /// The same expression with every binder renamed.
    fn copied(&mut self, e: &Expr, names: &mut Names) -> Expr {
        let kind = match &*e.kind {
            Kind::Var(sym) => Kind::Var(names.get(sym).unwrap_or(sym).clone()),
            Kind::Lit(lit) => Kind::Lit(*lit),
            Kind::Prim(prim, args) => Kind::Prim(*prim, self.copied_all(args, names)),
            Kind::Let(sym, bound, body) => {
                let bound = self.copied(bound, names);
                let sym = self.renamed(sym, names);
                Kind::Let(sym, bound, self.copied(body, names))
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
                let lets = s.lets.iter().map(|(sym, is)| {
                    let is = self.copied(is, names);
                    (self.renamed(sym, names), is)
                });
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
            Kind::Dim(array, axis) => Kind::Dim(self.copied(array, names), *axis),
            Kind::Stop(inner) => Kind::Stop(self.copied(inner, names)),
        };
        Expr::new(kind, e.ty)
    }
}

/// The same with another expression in the place of a variable; no name may be bound in there.
pub(super) fn replaced(e: &Expr, sym: &Sym, by: &Expr) -> Expr {
    let again = |e: &Expr| replaced(e, sym, by);
    let kind = match &*e.kind {
        Kind::Var(other) if other == sym => return by.clone(),
        Kind::Prim(prim, args) => Kind::Prim(*prim, args.iter().map(again).collect()),
        Kind::Index(array, at) => {
            let at = at.iter().map(|i| i.as_ref().map(again)).collect();
            Kind::Index(again(array), at)
        }
        Kind::Dim(array, axis) => Kind::Dim(again(array), *axis),
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Let(..)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Stop(_) => return e.clone(),
    };
    Expr::new(kind, e.ty)
}

/// Whether a variable occurs.
pub(super) fn mentions(e: &Expr, sym: &Sym) -> bool {
    match &*e.kind {
        Kind::Var(other) => other == sym,
        Kind::Lit(_) => false,
        Kind::Prim(_, args) => any(args, sym),
        Kind::Let(_, bound, body) => any([bound, body], sym),
        Kind::If(cond, then, other) => any([cond, then, other], sym),
        Kind::Build(binder, body)
        | Kind::Reduce(_, binder, body)
        | Kind::ArgReduce(_, binder, body) => any([&binder.extent, body], sym),
        Kind::Scatter(s) => any(s.parts(), sym),
        Kind::Index(array, at) => any(std::iter::once(array).chain(at.iter().flatten()), sym),
        Kind::Dim(inner, _) | Kind::Stop(inner) => mentions(inner, sym),
    }
}

fn any<'e>(parts: impl IntoIterator<Item = &'e Expr>, sym: &Sym) -> bool {
    parts.into_iter().any(|p| mentions(p, sym))
}
