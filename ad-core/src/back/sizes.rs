//! Symbolic sizes: as expressions of generated code, and in words for the messages of entry checks.

use super::expr::Expr;
use crate::ir::bulk::{Relation, Require};
use crate::ir::condition::Condition;
use crate::ir::prims::Emit;
use crate::ir::ty::{Atom, Size};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;

/// A size as an `i64` expression; `of` gives those of the leaves.
pub(super) fn expression(s: &Size, of: &dyn Fn(&Atom) -> Expr) -> Expr {
    polynomial(s.terms().map(|(m, c)| {
        let factors = m.iter().map(|a| atom(a, of)).collect();
        (factors, c)
    }))
}

/// `Σ c · Π factors`, positive terms first so that no negation leads where one can be avoided.
pub(super) fn polynomial(terms: impl Iterator<Item = (Vec<Expr>, i64)>) -> Expr {
    let mut terms: Vec<(Vec<Expr>, i64)> = terms.collect();
    // Constants last, as one writes them.
    terms.sort_by_key(|(factors, c)| (*c < 0, factors.is_empty()));
    let mut sum: Option<Expr> = None;
    for (factors, c) in terms {
        // Of the least integer there is no absolute value.
        let (is_negative, magnitude) = match c.checked_abs() {
            Some(magnitude) => (c < 0, magnitude),
            None => (false, c),
        };
        let is_constant = factors.is_empty();
        let literal = (magnitude != 1 || is_constant).then(|| Expr::integer(magnitude));
        let product = (literal.into_iter().chain(factors)).reduce(|p, f| p.infix("*", f));
        let product = product.expect("a constant or a factor");
        sum = Some(match (sum, is_negative) {
            (None, false) => product,
            (None, true) if is_constant => Expr::integer(c),
            (None, true) => Expr::prefix("-", product),
            (Some(s), false) => s.infix("+", product),
            (Some(s), true) => s.infix("-", product),
        });
    }
    sum.unwrap_or_else(|| Expr::integer(0))
}

fn atom(a: &Atom, of: &dyn Fn(&Atom) -> Expr) -> Expr {
    let method = |x: &Size, name: &str, y: &Size| {
        let y = std::iter::once(expression(y, of));
        expression(x, of).method(name, y)
    };
    match a {
        Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => of(a),
        Atom::Quot(x, y) => expression(x, of).infix("/", expression(y, of)),
        Atom::Rem(x, y) => expression(x, of).infix("%", expression(y, of)),
        Atom::Min(x, y) => method(x, "min", y),
        Atom::Max(x, y) => method(x, "max", y),
        Atom::Select(p, x, y) => {
            let holds = written(&p.condition(), of).tokens;
            Expr::choice(holds, expression(x, of), expression(y, of))
        }
    }
}

/// A condition on sizes.
fn written(c: &Condition, of: &dyn Fn(&Atom) -> Expr) -> Expr {
    let two = |two: &[Condition; 2]| {
        let [x, y] = two;
        (written(x, of), written(y, of))
    };
    match c {
        Condition::Known(holds) => Expr::atom(quote!(#holds)),
        Condition::Compare(p, x, y) => {
            let Emit::Infix(op) = p.emission() else {
                unreachable!("comparisons are infix")
            };
            expression(x, of).infix(op, expression(y, of))
        }
        Condition::Both(sides) => {
            let (x, y) = two(sides);
            x.infix("&&", y)
        }
        Condition::Either(sides) => {
            let (x, y) = two(sides);
            let (x, y) = (x.tokens, y.tokens);
            Expr::block(quote!(#x || #y))
        }
        Condition::Choice(parts) => {
            let [c, x, y] = &**parts;
            Expr::choice(written(c, of).tokens, written(x, of), written(y, of))
        }
    }
}

/// A parameter as messages name it.
pub(super) struct Named {
    pub(super) name: String,
    /// Slices and vectors say `len()` like arrays of rank 1.
    pub(super) rank: usize,
}

/// The length of an axis, as the user would ask for it.
pub(super) fn length(p: &Named, axis: usize) -> String {
    match (p.rank, axis) {
        (1, _) => format!("{}.len()", p.name),
        (2, 0) => format!("{}.nrows()", p.name),
        (2, _) => format!("{}.ncols()", p.name),
        _ => format!("{}.len_of(Axis({axis}))", p.name),
    }
}

/// What the axis counts.
fn things(p: &Named, axis: usize) -> String {
    match (p.rank, axis) {
        (1, _) => "elements".into(),
        (2, 0) => "rows".into(),
        (2, _) => "columns".into(),
        _ => format!("elements along axis {axis}"),
    }
}

/// A size in the user's words: in the order in which sizes are printed.
pub(super) fn words(s: &Size, params: &[Named]) -> String {
    let mut out = String::new();
    for (k, (factors, c)) in s.terms().rev().enumerate() {
        out.push_str(match (k, c < 0) {
            (0, true) => "-",
            (0, false) => "",
            (_, true) => " - ",
            (_, false) => " + ",
        });
        let magnitude = c.unsigned_abs();
        let mut factors: Vec<String> = factors.iter().map(|a| word(a, params)).collect();
        if magnitude != 1 || factors.is_empty() {
            factors.insert(0, magnitude.to_string());
        }
        out.push_str(&factors.join("*"));
    }
    if out.is_empty() {
        out.push('0');
    }
    out
}

/// A factor of a size in the user's words.
fn word(a: &Atom, params: &[Named]) -> String {
    let two = |x: &Size, y: &Size| {
        let grouped = |s: &Size| match s.terms().count() > 1 {
            true => format!("({})", words(s, params)),
            false => words(s, params),
        };
        (grouped(x), grouped(y))
    };
    match a {
        Atom::Dim { param, axis } => length(&params[*param], *axis),
        Atom::Int { param } => params[*param].name.clone(),
        Atom::Quot(x, y) => {
            let (x, y) = two(x, y);
            format!("({x} / {y})")
        }
        Atom::Rem(x, y) => {
            let (x, y) = two(x, y);
            format!("({x} % {y})")
        }
        Atom::Min(x, y) => format!("min({}, {})", words(x, params), words(y, params)),
        Atom::Max(x, y) => format!("max({}, {})", words(x, params), words(y, params)),
        Atom::Select(_, x, y) => {
            let (x, y) = two(x, y);
            format!("({x} or {y})")
        }
        Atom::Value(_) => "a computed number".to_owned(),
    }
}

/// The relations as users see them, without those that another one implies.
pub(super) fn distinct(all: &[Require]) -> Vec<Require> {
    let all: Vec<Require> = all.iter().map(solved).collect();
    let implies = |k: usize, l: usize| {
        let (strong, weak) = (&all[k], &all[l]);
        let margin = strong.right.sub(&weak.right).as_lit();
        let needs_less = strong.when.iter().all(|n| weak.when.contains(n));
        let is_same = margin == Some(0) && strong.when.len() == weak.when.len();
        strong.left == weak.left
            && strong.relation == Relation::AtLeast
            && weak.relation == Relation::AtLeast
            && margin.is_some_and(|m| m >= 0)
            && needs_less
            && (!is_same || k < l)
    };
    let strongest = strongest(&all);
    let is_implied = |&l: &usize| strongest.iter().any(|&k| k != l && implies(k, l));
    let kept = strongest.iter().copied().filter(|l| !is_implied(l));
    kept.map(|l| all[l].clone()).collect()
}

/// Of relations that differ in a constant only, the one that implies the others: reads of `x[0]`,
/// `x[1]`, .. all demand something of one length.
fn strongest(all: &[Require]) -> Vec<usize> {
    let mut best: HashMap<Require, usize> = HashMap::new();
    for (k, r) in all.iter().enumerate() {
        let constant = match r.relation {
            Relation::AtLeast => r.right.constant(),
            Relation::Equal => 0,
        };
        let kind = Require {
            right: r.right.plus(-constant),
            ..r.clone()
        };
        let best = best.entry(kind).or_insert(k);
        if r.relation == Relation::AtLeast && constant > all[*best].right.constant() {
            *best = k;
        }
    }
    let mut kept: Vec<usize> = best.into_values().collect();
    kept.sort_unstable();
    kept
}

/// The relation with the length of one axis on the left, where there is one; that is how users see
/// it.
fn solved(r: &Require) -> Require {
    let length = (r.left.terms()).find_map(|(factors, c)| match (factors, c) {
        ([a @ Atom::Dim { .. }], 1) => Some(Size::atom(a.clone())),
        _ => None,
    });
    match length {
        Some(length) => Require {
            right: r.right.add(&length).sub(&r.left),
            left: length,
            ..r.clone()
        },
        None => r.clone(),
    }
}

/// A check on entry that a relation holds.
pub(super) fn check(
    function: &str,
    r: &Require,
    params: &[Named],
    of: &dyn Fn(&Atom) -> Expr,
) -> TokenStream {
    let (left, right) = (expression(&r.left, of), expression(&r.right, of));
    let (op, relation) = match r.relation {
        Relation::AtLeast => (">=", "must be at least"),
        Relation::Equal => ("==", "must be"),
    };
    let holds = left.clone().infix(op, right.clone());
    let condition = (r.when.iter()).fold(holds, |c, n| {
        let (empty, c) = (written(&n.opposite_condition(), of).tokens, c.tokens);
        Expr::block(quote!(#empty || #c))
    });
    let side = |s: &Size| match s.as_atom() {
        Some(Atom::Dim { param, axis }) => {
            let p = &params[*param];
            format!("`{}` has {{}} {}", p.name, things(p, *axis))
        }
        Some(Atom::Int { param }) => format!("`{}` is {{}}", params[*param].name),
        _ => format!("{} is {{}}", words(s, params)),
    };
    // A number alone says nothing: `1 >= axis` is about `axis`.
    let bound = r.left.as_lit().filter(|_| r.relation == Relation::AtLeast);
    if let (Some(k), None) = (bound, r.right.as_lit()) {
        let of_right = words(&r.right, params);
        let message = format!(
            "{function}: {} ({of_right} must be at most {k})",
            side(&r.right)
        );
        let (condition, right) = (condition.tokens, right.tokens);
        return quote!(::core::assert!(#condition, #message, #right););
    }
    let message = match r.right.as_lit() {
        Some(k) => format!(
            "{function}: {} ({} {relation} {k})",
            side(&r.left),
            words(&r.left, params)
        ),
        _ => format!(
            "{function}: {} but {} ({} {relation} {})",
            side(&r.left),
            side(&r.right),
            words(&r.left, params),
            words(&r.right, params)
        ),
    };
    let condition = condition.tokens;
    let (left, right) = (left.tokens, right.tokens);
    match r.right.as_lit() {
        Some(_) => {
            quote!(::core::assert!(#condition, #message, #left);)
        }
        _ => quote!(::core::assert!(#condition, #message, #left, #right);),
    }
}
