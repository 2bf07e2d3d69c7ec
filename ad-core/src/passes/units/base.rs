//! The base case of a recursive function, where it calls itself.
//!
//! ```text
//! f(x) = if c(x) { a(x) } else { .. f(e) .. }
//!                   ⟶
//! f(x) = if c(x) { a(x) } else { .. if c(e) { a(e) } else { f(e) } .. }
//! ```
//!
//! where `a` neither calls a unit nor loops. Most calls of a recursion are calls of its base case,
//! so this saves most of them, and what they would be given is computed only as far as `a` reads
//! it.

use crate::ir::core::{Block, Bound, Call, Copier, Expr, Fresh, Kind, Names, Param, Program, Sym};
use crate::ir::unit::Rule;

/// The largest base case that is repeated, in expressions.
const LARGEST: usize = 100;

/// The most calls of itself that a function has for this.
const MOST: usize = 8;

/// A function that calls itself with its base case in front of these calls; `None` if it has none.
pub fn before_calls(program: &Program, own: &str) -> Option<Program> {
    if !program.body.calls(own) || count(&program.body.parts(), own) > MOST {
        return None;
    }
    let base = Base::of(&program.body)?;
    let mut fresh = Fresh::default();
    let mut names = Names::new();
    let mut rename = |fresh: &mut Fresh, p: &Param| {
        let sym = fresh.sym(&p.sym.hint);
        names.insert(p.sym.clone(), sym.clone());
        Param { sym, ..p.clone() }
    };
    let params: Vec<Param> = (program.params.iter())
        .map(|p| rename(&mut fresh, p))
        .collect();
    // A fixed-size array is one result of a call, and its elements are results of the program.
    let are_parts = |call: &Call| {
        let parts = call.unit.results.iter().map(|part| part.ty);
        parts.eq(program.body.results.iter().map(|e| e.ty))
    };
    let mut call = |fresh: &mut Fresh, call: Call| match is_own(&call, own) && are_parts(&call) {
        true => base.before(fresh, (&program.params, &params), call),
        false => Expr::call(call),
    };
    let mut copier = Copier {
        fresh: &mut fresh,
        call: &mut call,
    };
    let lets = program.body.lets.iter();
    let lets = lets.map(|b| copier.copied_bound(b, &mut names)).collect();
    let results = program.body.results.iter();
    let results = results.map(|e| copier.copied(e, &mut names)).collect();
    Some(Program {
        name: program.name.clone(),
        params,
        body: Block { lets, results },
    })
}

fn is_own(call: &Call, own: &str) -> bool {
    call.unit.is_itself(own) && call.rule == Rule::Value
}

/// How many calls of itself a function has.
fn count(parts: &[&Expr], own: &str) -> usize {
    let of = |e: &&Expr| {
        let here = matches!(&*e.kind, Kind::Call(c) if is_own(c, own));
        usize::from(here) + count(&e.parts(), own)
    };
    parts.iter().map(of).sum()
}

/// The base case: a result for each of the function, in which a variable stands for the call.
struct Base {
    results: Vec<Expr>,
    call: Sym,
}

impl Base {
    fn of(body: &Block) -> Option<Base> {
        let call = Sym {
            id: u32::MAX,
            hint: "call".into(),
        };
        let mut results = vec![];
        for e in &body.results {
            // The lengths of arrays would have to be the same in both branches.
            if e.ty.rank > 0 {
                return None;
            }
            let inner = base_of(e, &call)?;
            let e = body.lets.iter().rev().try_fold(inner, |inner, b| {
                let Bound::Let(sym, is) = b else { return None };
                under(sym, is, inner)
            })?;
            (is_plain(&e) && e.size() <= LARGEST).then_some(())?;
            results.push(e);
        }
        Some(Base { results, call })
    }

    /// The base case at the arguments of a call, and the call where it is none.
    fn before(&self, fresh: &mut Fresh, (of, own): (&[Param], &[Param]), call: Call) -> Expr {
        let mut names = Names::new();
        // Behind the arguments are the function's constants.
        for (p, own) in of.iter().zip(own).skip(call.args.len()) {
            names.insert(p.sym.clone(), own.sym.clone());
        }
        let mut inner = |_: &mut Fresh, call: Call| Expr::call(call);
        let mut copier = Copier {
            fresh,
            call: &mut inner,
        };
        let mut lets = vec![];
        for (p, arg) in of.iter().zip(&call.args) {
            lets.push(Bound::Let(copier.renamed(&p.sym, &mut names), arg.clone()));
        }
        let mut result = copier.copied(&self.results[call.out], &mut names);
        put(&mut result, &self.call, &Expr::call(call));
        Expr::under(lets, result)
    }
}

/// What is left of a result if a variable stands for whatever is no base case.
fn base_of(e: &Expr, call: &Sym) -> Option<Expr> {
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "a base case is one side of a condition, under bindings"
    )]
    match &*e.kind {
        Kind::Let(sym, is, body) => under(sym, is, base_of(body, call)?),
        Kind::If(c, a, b) => {
            let side = |e: &Expr| match calls(e) {
                true => base_of(e, call).unwrap_or_else(|| Expr::var(call, e.ty)),
                false => e.clone(),
            };
            let is_choice = !calls(c) && (!calls(a) || !calls(b));
            is_choice.then(|| Expr::cond(c.clone(), side(a), side(b)))
        }
        _ => None,
    }
}

/// An expression under a binding, if it mentions what that binds.
fn under(sym: &Sym, is: &Expr, inner: Expr) -> Option<Expr> {
    match mentions(&inner, sym) {
        true => Some(Expr::bind(sym.clone(), is.clone(), inner)),
        false => Some(inner),
    }
}

fn mentions(e: &Expr, sym: &Sym) -> bool {
    matches!(&*e.kind, Kind::Var(v) if v == sym) || e.parts().iter().any(|e| mentions(e, sym))
}

/// Whether it calls a unit.
fn calls(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Call(_)) || e.parts().into_iter().any(calls)
}

/// Whether it neither calls a unit nor loops.
fn is_plain(e: &Expr) -> bool {
    let is_plain = match &*e.kind {
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Prim(..)
        | Kind::Let(..)
        | Kind::If(..)
        | Kind::Index(..)
        | Kind::Dim(..)
        | Kind::Stop(_)
        | Kind::Demand(..) => true,
        Kind::Loop(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Update(_)
        | Kind::Where(..)
        | Kind::Recur(_)
        | Kind::Call(_) => false,
    };
    is_plain && e.parts().into_iter().all(self::is_plain)
}

/// Puts an expression for a variable.
fn put(e: &mut Expr, sym: &Sym, with: &Expr) {
    if matches!(&*e.kind, Kind::Var(v) if v == sym) {
        *e = with.clone();
        return;
    }
    for part in e.parts_mut() {
        put(part, sym, with);
    }
}
