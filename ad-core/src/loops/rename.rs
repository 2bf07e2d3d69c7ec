//! Copies of expressions with symbols of their own.

use super::wiring::needed;
use super::writer::{Bindings, Writer};
use crate::ir::core::{Bound, Call, Copier, Expr, Fresh, Kind, Loop, Sym};

pub(crate) use crate::ir::core::Names;

impl Writer {
    /// `value` under copies of those bindings that it needs.
    pub(crate) fn rebound(&mut self, bound: &Bindings, value: Expr) -> Expr {
        match needed(bound, [&value]) {
            none if none.is_empty() => value,
            needed => self.copied(&Expr::under(needed, value), &mut Names::new()),
        }
    }

    pub(crate) fn renamed(&mut self, sym: &Sym, names: &mut Names) -> Sym {
        self.copies(|c| c.renamed(sym, names))
    }

    fn copies<R>(&mut self, make: impl FnOnce(&mut Copier<'_>) -> R) -> R {
        let through = &self.through;
        let mut call = |_: &mut Fresh, mut call: Call| {
            for path in through {
                call.unit = call.unit.through(path);
            }
            Expr::call(call)
        };
        make(&mut Copier {
            fresh: &mut self.fresh,
            call: &mut call,
        })
    }

    pub(crate) fn copied_bound(&mut self, b: &Bound, names: &mut Names) -> Bound {
        self.copies(|c| c.copied_bound(b, names))
    }

    pub(crate) fn copied_loop(&mut self, l: &Loop, names: &mut Names) -> Loop {
        self.copies(|c| c.copied_loop(l, names))
    }

    /// The same expression with every binder renamed.
    pub(crate) fn copied(&mut self, e: &Expr, names: &mut Names) -> Expr {
        self.copies(|c| c.copied(e, names))
    }
}

/// The same with another expression in the place of a variable; no name may be bound in there.
pub(crate) fn replaced(e: &Expr, sym: &Sym, by: &Expr) -> Expr {
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
        | Kind::Loop(..)
        | Kind::Update(_)
        | Kind::Where(..)
        | Kind::Call(_)
        | Kind::Recur(_)
        | Kind::Demand(..)
        | Kind::Stop(_) => return e.clone(),
    };
    Expr::new(kind, e.ty)
}

/// Whether a variable occurs.
pub(crate) fn mentions(e: &Expr, sym: &Sym) -> bool {
    matches!(&*e.kind, Kind::Var(other) if other == sym)
        || e.parts().into_iter().any(|part| mentions(part, sym))
}
