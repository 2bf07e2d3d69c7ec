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
//!
//! Now there are arguments at which `f` calls itself in no loop any more, and these are a base case
//! again:
//!
//! ```text
//! f(x) = if c(x) { a(x) } else { Σ .. f(e) .. }
//!                   ⟶
//! f(x) = if c(x) { a(x) } else if c(e) { Σ .. a(e) .. } else { Σ .. f(e) .. }
//! ```
//!
//! where `c(e)` does not depend on the index of the loop, only on lengths of `e` as a rule. A
//! function that calls itself in a loop gets such base cases, too, as long as they are small: they
//! save most of the calls that are left.

use crate::ir::core::{
    Block, Bound, Call, Copier, Expr, Fresh, Kind, Names, Param, Program, Sym, Ty,
};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use crate::ir::unit::Rule;

/// The largest base case that is repeated, in expressions.
const LARGEST: usize = 100;

/// The largest base case with loops.
const LARGEST_WITH_LOOPS: usize = 250;

/// How often a base case is made of the one before.
const ROUNDS: usize = 3;

/// The most calls of itself that a function has for this.
const MOST: usize = 8;

/// A function that calls itself with its base case in front of these calls; `None` if it has none.
pub fn before_calls(program: &Program, own: &str) -> Option<Program> {
    if !program.body.calls(own) || count(&program.body.parts(), own) > MOST {
        return None;
    }
    let mut found = with_base(program, own, &Base::of(&program.body, Loops::No)?);
    if calls_in_loop(&program.body.parts(), own, false) {
        for _ in 0..ROUNDS {
            let Some(base) = Base::of(&found.body, Loops::Yes) else {
                break;
            };
            found = with_base(program, own, &base);
        }
    }
    Some(found)
}

/// Whether a base case may loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loops {
    No,
    Yes,
}

/// A function with a base case in front of its calls of itself.
fn with_base(program: &Program, own: &str, base: &Base) -> Program {
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
    Program {
        name: program.name.clone(),
        params,
        body: Block { lets, results },
    }
}

/// Whether a function calls itself in a sum or in an array.
fn calls_in_loop(parts: &[&Expr], own: &str, is_inside: bool) -> bool {
    parts.iter().any(|e| {
        if let Kind::Call(c) = &*e.kind {
            return is_inside && is_own(c, own);
        }
        let is_loop = matches!(&*e.kind, Kind::Build(..) | Kind::Reduce(..));
        calls_in_loop(&e.parts(), own, is_inside || is_loop)
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
    fn of(body: &Block, loops: Loops) -> Option<Base> {
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
            let inner = base_of(e, &call, loops)?;
            let e = body.lets.iter().rev().try_fold(inner, |inner, b| {
                let Bound::Let(sym, is) = b else { return None };
                under(sym, is, inner)
            })?;
            let largest = match loops {
                Loops::No => LARGEST,
                Loops::Yes => LARGEST_WITH_LOOPS,
            };
            (is_plain(&e, loops) && e.size() <= largest).then_some(())?;
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
fn base_of(e: &Expr, call: &Sym, loops: Loops) -> Option<Expr> {
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "a base case is one side of a condition, under bindings"
    )]
    match &*e.kind {
        Kind::Let(sym, is, body) => under(sym, is, base_of(body, call, loops)?),
        Kind::If(c, a, b) => {
            let side = |e: &Expr| match calls(e) {
                true => base_of(e, call, loops).unwrap_or_else(|| Expr::var(call, e.ty)),
                false => e.clone(),
            };
            let is_choice = !calls(c) && (!calls(a) || !calls(b));
            is_choice.then(|| Expr::cond(c.clone(), side(a), side(b)))
        }
        _ if loops == Loops::Yes => {
            let cases = cases(e)?.into_iter().rev();
            let call = Expr::var(call, e.ty);
            Some(cases.fold(call, |other, (c, is)| Expr::cond(c, is, other)))
        }
        _ => None,
    }
}

/// What an expression with a call is where it calls nothing, in one case after another, each with
/// its condition.
fn cases(e: &Expr) -> Option<Vec<(Expr, Expr)>> {
    if let Kind::If(c, a, b) = &*e.kind {
        let (first, other) = match (calls(c), calls(a), calls(b)) {
            (false, false, true) => ((c.clone(), a.clone()), b),
            (false, true, false) => ((Expr::prim(Prim::Not, vec![c.clone()]), b.clone()), a),
            _ => return None,
        };
        // Whether the first condition holds is not known in the others.
        let others = cases(other).unwrap_or_default().into_iter();
        let others = others.map(|(under, is)| {
            let sides = if calls(a) {
                [is, b.clone()]
            } else {
                [a.clone(), is]
            };
            let [a, b] = sides;
            (under, Expr::cond(c.clone(), a, b))
        });
        return Some([first].into_iter().chain(others).collect());
    }
    let parts = e.parts();
    let mut calling = (0..parts.len()).filter(|k| calls(parts[*k]));
    let (Some(at), None) = (calling.next(), calling.next()) else {
        return None;
    };
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "only these bind what a condition could mention"
    )]
    let outside = |c: Expr| match &*e.kind {
        Kind::Let(sym, is, _) if at == 1 => without(&c, sym, is),
        Kind::Build(b, _) | Kind::Reduce(_, b, _) => {
            (at == 1 && !mentions(&c, &b.var)).then_some(c)
        }
        Kind::Let(..) | Kind::Prim(..) | Kind::Index(..) => Some(c),
        _ => None,
    };
    let found = cases(parts[at])?.into_iter().filter_map(|(c, is)| {
        let mut e = e.clone();
        *e.parts_mut()[at] = is;
        Some((outside(c).filter(is_total)?, e))
    });
    let found: Vec<_> = found.collect();
    (!found.is_empty()).then_some(found)
}

/// Whether a condition can be evaluated anywhere: a loop around it may take no step.
fn is_total(c: &Expr) -> bool {
    let is_total = match &*c.kind {
        Kind::Var(_) | Kind::Lit(_) | Kind::Dim(..) | Kind::Build(..) => true,
        Kind::Prim(p, _) => !p.is_partial(),
        Kind::Let(..)
        | Kind::If(..)
        | Kind::Index(..)
        | Kind::Stop(_)
        | Kind::Demand(..)
        | Kind::Loop(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Update(_)
        | Kind::Where(..)
        | Kind::Recur(_)
        | Kind::Call(_) => false,
    };
    is_total && c.parts().into_iter().all(self::is_total)
}

/// A condition outside of a binding. It may ask for the lengths of what is bound, and no more.
fn without(c: &Expr, sym: &Sym, is: &Expr) -> Option<Expr> {
    let mut c = c.clone();
    put_lengths(&mut c, sym, is);
    (!mentions(&c, sym)).then_some(c)
}

/// Puts what is known of the lengths of a variable.
fn put_lengths(e: &mut Expr, of: &Sym, is: &Expr) {
    if let Kind::Dim(array, axis) = &*e.kind
        && matches!(&*array.kind, Kind::Var(v) if v == of)
        && let Some(length) = length(is, *axis)
    {
        *e = length;
        return;
    }
    for part in e.parts_mut() {
        put_lengths(part, of, is);
    }
}

/// The length of an axis of an array.
fn length(of: &Expr, axis: usize) -> Option<Expr> {
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "the lengths of other arrays are not written in them"
    )]
    match (&*of.kind, axis) {
        (Kind::Var(_), _) => Some(Expr::dim(of.clone(), axis)),
        (Kind::Build(b, _), 0) => {
            let array = Kind::Build(b.clone(), Expr::real(0.0));
            let ty = Ty {
                elem: Elem::Real,
                rank: 1,
            };
            Some(Expr::dim(Expr::new(array, ty), 0))
        }
        (Kind::Build(b, body), _) => length(body, axis - 1).filter(|n| !mentions(n, &b.var)),
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

/// Whether it neither calls a unit nor loops, but where it may.
fn is_plain(e: &Expr, loops: Loops) -> bool {
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
        Kind::Build(..) | Kind::Reduce(..) => loops == Loops::Yes,
        Kind::Loop(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Update(_)
        | Kind::Where(..)
        | Kind::Recur(_)
        | Kind::Call(_) => false,
    };
    is_plain && e.parts().into_iter().all(|e| self::is_plain(e, loops))
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

#[cfg(test)]
mod tests {
    use super::before_calls;
    use crate::ir::{core_check, core_text};

    /// A function of a matrix, with its base cases in front of its calls of itself.
    fn with_bases(otherwise: &str) -> String {
        let minor = "let minor.4 = build(r.2 < isub(dim(a.0, 0), 1) =>
            build(c.3 < isub(dim(a.0, 0), 1) => a.0[r.2, c.3]));";
        let call = "call(\"f /  / real 2 / real 0 / jvp vjp\" value 0, minor.4)";
        let otherwise = otherwise.replace("MINOR", minor).replace("CALL", call);
        let text = format!(
            "fn f(a.0: real[_, _]) -> real {{
               if ieq(dim(a.0, 0), 1) {{ a.0[0, 0] }} else {{ {otherwise} }}
             }}"
        );
        let program = core_text::parse(&text).unwrap();
        core_check::check(&program).unwrap();
        let found = before_calls(&program, "f").unwrap();
        core_check::check(&found).unwrap_or_else(|e| panic!("{e}\n{found}"));
        found.to_string()
    }

    #[test]
    fn lengths_make_further_base_cases() {
        let found = with_bases("sum(j.1 < dim(a.0, 0) => MINOR mul(a.0[0, j.1], CALL))");
        assert_eq!(found.matches("call(").count(), 1, "{found}");
        // Minors with two, three and four rows take no call.
        let depth = |line: &str| line.len() - line.trim_start().len();
        let sums = found.lines().filter(|line| line.contains("sum("));
        let depths: std::collections::BTreeSet<usize> = sums.map(depth).collect();
        assert!(depths.len() > 3, "{found}");
    }

    #[test]
    fn a_call_in_no_loop_has_the_first_base_case() {
        let found = with_bases("MINOR mul(a.0[0, 0], CALL)");
        assert_eq!(found.matches("if ").count(), 2, "{found}");
    }

    #[test]
    fn conditions_of_the_index_stay_in_the_loop() {
        let found = with_bases(
            "sum(j.1 < dim(a.0, 0) => MINOR if ilt(j.1, 2) { a.0[0, j.1] } else { CALL })",
        );
        let sums = found.matches("sum(").count();
        assert!(sums > 1, "{found}");
        assert_eq!(found.matches("ilt(").count(), sums, "{found}");
    }

    #[test]
    fn conditions_that_may_fail_stay_in_the_loop() {
        let found = with_bases(
            "sum(j.1 < dim(a.0, 0) =>
               MINOR if ieq(irem(4, dim(a.0, 1)), 1) { a.0[0, j.1] } else { CALL })",
        );
        let sums = found.matches("sum(").count();
        assert!(sums > 1, "{found}");
        assert_eq!(found.matches("irem(").count(), sums, "{found}");
    }
}
