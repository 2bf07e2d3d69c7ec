//! Core as a line of text, with variables by name only.

use crate::ir::core::{Along, Binder, Block, Bound, Expr, Kind, Loop, Trip};

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
        Kind::Loop(l, body) => format!("{}{}", looped(l), print(body)),
        Kind::Update(u) => {
            let at = u.at.iter().map(|along| match along {
                Along::All => ":".into(),
                Along::At(i) => print(i),
                Along::From(i) => format!("{}..", print(i)),
            });
            let at = at.collect::<Vec<_>>().join(", ");
            let when = u
                .when
                .as_ref()
                .map_or(String::new(), |c| format!(" if {}", print(c)));
            format!(
                "update({}, [{at}] = {}{when})",
                print(&u.array),
                print(&u.value)
            )
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
            let lets = lets.map(bound);
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
        Kind::Call(c) => format!("{}.{}({})", c.unit.name(), c.out, all(&c.args)),
        Kind::Where(..) | Kind::Recur(_) | Kind::Demand(..) => {
            unreachable!("only derivatives are made of these")
        }
    }
}

fn bound(b: &Bound) -> String {
    match b {
        Bound::Let(sym, is) => format!("let {} = {}; ", sym.hint, print(is)),
        Bound::Loop(l) => looped(l),
    }
}

/// `let (a, y) = for i < n, a = 1.0 { .. };`
fn looped(l: &Loop) -> String {
    let outs: Vec<&str> = l.outs.iter().map(|s| &*s.hint).collect();
    let states = l.states.iter();
    let states = states.map(|(s, init)| format!(", {} = {}", s.hint, print(init)));
    let trip = match &l.trip {
        Trip::Times(n) => format!("for {} < {}", l.index.hint, print(n)),
        Trip::While(c) => format!("while {}", print(c)),
    };
    let again = l.keep;
    let (outs, states) = (outs.join(", "), states.collect::<String>());
    format!(
        "let ({outs}) = {again}{trip}{states} {{ {} }}; ",
        block(&l.body)
    )
}

/// A block with all of its results.
pub(super) fn block(block: &Block) -> String {
    let lets: String = block.lets.iter().map(bound).collect();
    let results: Vec<String> = block.results.iter().map(print).collect();
    match &results[..] {
        [one] => format!("{lets}{one}"),
        all => format!("{lets}({})", all.join(", ")),
    }
}
