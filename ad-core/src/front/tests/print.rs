//! Core as a line of text, with variables by name only.

use crate::ir::core::{Binder, Expr, Kind};

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
        Kind::Scatter(s) => {
            let (extents, index) = (all(&s.extents), all(&s.index));
            let binders = s.binders.iter();
            let binders = binders.map(|b| format!("{} < {}", b.var.hint, print(&b.extent)));
            let binders = binders.collect::<Vec<_>>().join(", ");
            let lets = s.lets.iter();
            let lets = lets.map(|(sym, is)| format!("let {} = {}; ", sym.hint, print(is)));
            let (lets, value) = (lets.collect::<String>(), print(&s.value));
            format!("scatter([{extents}], {binders}, {lets}[{index}] += {value})")
        }
        Kind::Index(array, at) => {
            let at = at.iter().map(|i| i.as_ref().map_or(":".into(), print));
            let at: Vec<String> = at.collect();
            format!("{}[{}]", print(array), at.join(", "))
        }
        Kind::Dim(array, axis) => format!("{}.{axis}", print(array)),
        Kind::Stop(inner) => format!("stop({})", print(inner)),
        Kind::Where(..) | Kind::Recur(_) | Kind::Demand(..) => {
            unreachable!("only derivatives are made of these")
        }
    }
}
