//! Core as a line of text, and whether it is well-formed.

use crate::ir::core::{Binder, Expr, Kind, Program, Sym, Ty};
use crate::ir::ty::Elem;
use std::collections::HashSet;

/// `add(x[i], 1.0)`; variables by their names.
pub(super) fn print(e: &Expr) -> String {
    let all = |parts: &[Expr]| parts.iter().map(print).collect::<Vec<_>>().join(", ");
    let run = |name: &str, binder: &Binder, body: &Expr| {
        let (extent, var) = (print(&binder.extent), &binder.var.hint);
        format!("{name}({extent}, |{var}| {})", print(body))
    };
    match &*e.kind {
        Kind::Var(sym) => sym.hint.to_string(),
        Kind::Lit(lit) => lit.to_string(),
        Kind::Prim(prim, args) => format!("{}({})", prim.name(), all(args)),
        Kind::Let(sym, bound, body) => {
            format!("let {} = {}; {}", sym.hint, print(bound), print(body))
        }
        Kind::If(cond, then, other) => {
            let (cond, then, other) = (print(cond), print(then), print(other));
            format!("if {cond} {{{then}}} else {{{other}}}")
        }
        Kind::Build(binder, body) => run("build", binder, body),
        Kind::Reduce(op, binder, body) => run(op.name(), binder, body),
        Kind::ArgReduce(op, binder, body) => run(op.name(), binder, body),
        Kind::Scatter {
            extents,
            binder,
            index,
            value,
        } => {
            let (extents, index) = (all(extents), all(index));
            let (n, i, value) = (print(&binder.extent), &binder.var.hint, print(value));
            format!("scatter([{extents}], {n}, |{i}| ([{index}], {value}))")
        }
        Kind::Index(array, at) => {
            let at = at.iter().map(|i| i.as_ref().map_or(":".into(), print));
            let at: Vec<String> = at.collect();
            format!("{}[{}]", print(array), at.join(", "))
        }
        Kind::Dim(array, axis) => format!("{}.{axis}", print(array)),
        Kind::Stop(inner) => format!("stop({})", print(inner)),
    }
}

/// Panics where types do not fit, a variable is out of scope or a symbol is bound twice.
pub(super) fn check(program: &Program) {
    let mut check = Check::default();
    for param in &program.params {
        check.bind(&param.sym, param.ty);
    }
    check.expr(&program.body);
}

#[derive(Default)]
struct Check {
    ever: HashSet<Sym>,
    scope: Vec<(Sym, Ty)>,
}

const INT: Ty = Ty {
    elem: Elem::Int,
    rank: 0,
};

impl Check {
    fn bind(&mut self, sym: &Sym, ty: Ty) {
        assert!(self.ever.insert(sym.clone()), "{sym:?} is bound twice");
        self.scope.push((sym.clone(), ty));
    }

    fn under(&mut self, binder: &Binder, body: &[&Expr]) {
        assert_eq!(self.expr(&binder.extent), INT);
        self.bind(&binder.var, INT);
        for e in body {
            self.expr(e);
        }
        self.scope.pop();
    }

    fn expr(&mut self, e: &Expr) -> Ty {
        let ty = e.ty;
        match &*e.kind {
            Kind::Var(sym) => {
                let found = self.scope.iter().find(|(s, _)| s == sym);
                assert_eq!(found.unwrap_or_else(|| panic!("{sym:?}")).1, ty);
            }
            Kind::Lit(lit) => assert_eq!(ty, Ty::scalar(lit.elem())),
            Kind::Prim(prim, args) => {
                let kinds = prim.args(ty.elem);
                assert_eq!(kinds.len(), args.len());
                for (arg, elem) in args.iter().zip(kinds) {
                    assert_eq!(self.expr(arg), Ty::scalar(elem), "{}", print(e));
                }
                assert_eq!(ty, Ty::scalar(prim.result(ty.elem)));
            }
            Kind::Let(sym, bound, body) => {
                let bound = self.expr(bound);
                self.bind(sym, bound);
                assert_eq!(self.expr(body), ty);
                self.scope.pop();
            }
            Kind::If(cond, then, other) => {
                assert_eq!(self.expr(cond), Ty::scalar(Elem::Bool));
                assert_eq!((self.expr(then), self.expr(other)), (ty, ty));
            }
            Kind::Build(binder, body) => {
                self.under(binder, &[body]);
                assert_eq!((body.ty.elem, body.ty.rank + 1), (ty.elem, ty.rank));
            }
            Kind::Reduce(_, binder, body) => {
                self.under(binder, &[body]);
                assert_eq!(body.ty, ty);
            }
            Kind::ArgReduce(_, binder, body) => {
                self.under(binder, &[body]);
                assert_eq!((body.ty, ty), (Ty::scalar(Elem::Real), INT));
            }
            Kind::Scatter {
                extents,
                binder,
                index,
                value,
            } => {
                for extent in extents {
                    assert_eq!(self.expr(extent), INT);
                }
                let inside: Vec<&Expr> = index.iter().chain([value]).collect();
                self.under(binder, &inside);
                assert!(index.iter().all(|i| i.ty == INT));
                assert_eq!((extents.len(), index.len()), (ty.rank, ty.rank));
            }
            Kind::Index(array, at) => {
                self.expr(array);
                assert_eq!(array.ty.rank, at.len());
                for i in at.iter().flatten() {
                    assert_eq!(self.expr(i), INT);
                }
            }
            Kind::Dim(array, axis) => {
                self.expr(array);
                assert!(*axis < array.ty.rank);
            }
            Kind::Stop(inner) => assert_eq!(self.expr(inner), ty),
        }
        ty
    }
}
