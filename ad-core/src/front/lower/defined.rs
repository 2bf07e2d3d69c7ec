//! Methods that are written in terms of others: a table of definitions, in Rust. `this` is what the
//! method is called on.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the kinds of values that have such methods are named"
)]

use super::value::Value;
use super::way::{Maybe, Way};
use super::{Binding, Lowerer};
use crate::front::error::Result;
use crate::front::parse;
use crate::front::surface::{Closure, Expr as Surface, Kind, Note, Pattern};
use crate::ir::ty::Elem;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use std::rc::Rc;

/// What has methods.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// Slices, vectors and arrays of rank 1.
    Slice,
    /// Iterators.
    Iter,
    /// `Option`s and `Result`s.
    Maybe,
    /// Real numbers.
    Real,
    /// Bools.
    Bool,
    /// Integers.
    Int,
    /// Integers without a sign.
    Natural,
}

/// A name, the parameters (a closure says how many it takes itself), and the value. What panics in
/// Rust panics here: there is no logarithm of 0, so that one divides by it.
type Definition = (
    On,
    &'static str,
    &'static [(&'static str, usize)],
    &'static str,
);

#[rustfmt::skip]
const DEFINITIONS: &[Definition] = &[
    (On::Slice, "rchunks_exact", &[("n", 0)], "
        (0..this.len() / n).map(|i| &this[this.len() - (i + 1) * n..this.len() - i * n])"),
    (On::Slice, "is_sorted", &[], "this.windows(2).all(|w| w[0] <= w[1])"),
    (On::Slice, "is_sorted_by", &[("f", 2)], "this.windows(2).all(|w| f(w[0], w[1]))"),
    (On::Slice, "is_sorted_by_key", &[("f", 1)], "this.windows(2).all(|w| f(w[0]) <= f(w[1]))"),
    (On::Slice, "contains", &[("item", 0)], "this.iter().any(|&v| v == *item)"),
    (On::Slice, "partition_point", &[("f", 1)], "
        let (mut low, mut high) = (0, this.len());
        while low < high {
            let middle = (low + high) / 2;
            if f(this[middle]) { low = middle + 1; } else { high = middle; }
        }
        low"),
    (On::Slice, "repeat", &[("n", 0)], "
        let all: Vec<_> = (0..n * this.len()).map(|i| this[i % this.len()]).collect();
        all"),
    (On::Iter, "inspect", &[("f", 0)], "this"),
    (On::Iter, "cycle", &[], "
        let n = this.count();
        (0..).map(|i| this.nth(i % n).unwrap())"),
    (On::Iter, "rposition", &[("f", 1)], "
        let n = this.count();
        this.rev().position(|v| f(v)).map(|i| n - 1 - i)"),
    (On::Iter, "find_map", &[("f", 1)], "
        let mut found = None;
        for v in this {
            let one = f(v);
            if one.is_some() { found = one; break; }
        }
        found"),
    (On::Iter, "try_fold", &[("init", 0), ("f", 2)], "
        let mut state = init;
        let mut failed = false;
        for v in this {
            let next = f(state, v);
            if next.is_none() { failed = true; break; }
            state = next.unwrap();
        }
        if failed { None } else { Some(state) }"),
    (On::Iter, "nth_back", &[("n", 0)], "this.rev().nth(n)"),
    (On::Iter, "next_back", &[], "this.rev().nth(0)"),
    (On::Iter, "peekable", &[], "this"),
    (On::Iter, "fuse", &[], "this"),
    (On::Iter, "partition", &[("f", 1)], "
        let yes: Vec<_> = this.filter(|v| f(v)).collect();
        let no: Vec<_> = this.filter(|v| !f(v)).collect();
        (yes, no)"),
    (On::Maybe, "or", &[("other", 0)], "if this.is_some() { this } else { other }"),
    (On::Maybe, "or_else", &[("f", 0)], "if this.is_some() { this } else { f() }"),
    (On::Maybe, "and", &[("other", 0)], "if this.is_some() { other } else { None }"),
    (On::Maybe, "zip", &[("other", 0)], "
        if this.is_some() && other.is_some() {
            Some((this.unwrap(), other.unwrap()))
        } else {
            None
        }"),
    (On::Maybe, "is_none_or", &[("f", 1)], "this.map_or(true, |v| f(v))"),
    (On::Maybe, "is_ok_and", &[("f", 1)], "this.map_or(false, |v| f(v))"),
    (On::Real, "div_euclid", &[("by", 0)], "
        let q = (this / by).trunc();
        if this % by >= 0.0 { q } else if by > 0.0 { q - 1.0 } else { q + 1.0 }"),
    (On::Real, "round_ties_even", &[], "
        let is_tie = (this - this.trunc()).abs() == 0.5;
        if is_tie { 2.0 * (this / 2.0).round() } else { this.round() }"),
    // A NaN has a sign too, which `signum` does not give.
    (On::Real, "is_sign_negative", &[], "1.0.copysign(this) < 0.0"),
    (On::Real, "is_sign_positive", &[], "1.0.copysign(this) > 0.0"),
    (On::Real, "partial_cmp", &[("other", 0)], "
        if this.is_nan() || other.is_nan() {
            None
        } else if this < *other { Some(-1) } else if this > *other { Some(1) } else { Some(0) }"),
    // -NaN < -inf .. -0.0 < 0.0 .. inf < NaN: the signs tell zeros apart, and NaN from numbers.
    (On::Real, "total_cmp", &[("other", 0)], "
        let (p, q) = (this.is_nan(), other.is_nan());
        let (a, b) = if p || q {
            (if p { 1.0.copysign(this) } else { 0.0 }, if q { 1.0.copysign(*other) } else { 0.0 })
        } else if this == *other {
            (1.0.copysign(this), 1.0.copysign(*other))
        } else {
            (this, *other)
        };
        if a < b { -1 } else if a > b { 1 } else { 0 }"),
    (On::Bool, "cmp", &[("other", 0)], "
        if this == *other { 0 } else if this { 1 } else { -1 }"),
    (On::Int, "cmp", &[("other", 0)], "
        if this < *other { -1 } else if this > *other { 1 } else { 0 }"),
    (On::Int, "partial_cmp", &[("other", 0)], "Some(this.cmp(other))"),
    (On::Int, "then", &[("other", 0)], "if this == 0 { other } else { this }"),
    (On::Int, "then_with", &[("f", 0)], "if this == 0 { f() } else { this }"),
    (On::Int, "reverse", &[], "-this"),
    (On::Int, "is_lt", &[], "this < 0"),
    (On::Int, "is_le", &[], "this <= 0"),
    (On::Int, "is_gt", &[], "this > 0"),
    (On::Int, "is_ge", &[], "this >= 0"),
    (On::Int, "is_eq", &[], "this == 0"),
    (On::Int, "is_ne", &[], "this != 0"),
    (On::Real, "midpoint", &[("other", 0)], "(this + other) / 2.0"),
    (On::Natural, "isqrt", &[], "
        let (mut low, mut high) = (0, this + 1);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if middle <= this / middle { low = middle; } else { high = middle; }
        }
        low"),
    (On::Natural, "ilog2", &[], "
        let (mut power, mut rest) = (0, this);
        while rest > 1 { rest /= 2; power += 1; }
        power * (this / this)"),
    (On::Natural, "ilog10", &[], "
        let (mut power, mut rest) = (0, this);
        while rest > 9 { rest /= 10; power += 1; }
        power * (this / this)"),
    (On::Natural, "count_ones", &[], "
        let (mut count, mut rest) = (0, this);
        while rest > 0 { count += rest % 2; rest /= 2; }
        count"),
    (On::Natural, "next_power_of_two", &[], "
        let mut power = 1;
        while power < this && power > 0 { power *= 2; }
        power"),
    (On::Int, "is_power_of_two", &[], "this > 0 && (this & (this - 1)) == 0"),
    (On::Int, "checked_div", &[("by", 0)], "if by == 0 { None } else { Some(this / by) }"),
    (On::Int, "checked_rem", &[("by", 0)], "if by == 0 { None } else { Some(this % by) }"),
    (On::Natural, "checked_sub", &[("by", 0)], "if this < by { None } else { Some(this - by) }"),
];

/// Methods of slices that give an `Option`: when there is no value, and the value, which is read
/// where it is used only.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("split_first", "this.is_empty()", "(this[0], &this[1..])"),
    (
        "split_last",
        "this.is_empty()",
        "(this[this.len() - 1], &this[..this.len() - 1])",
    ),
];

impl Lowerer<'_> {
    /// A method of the table; nothing if it is none.
    pub(super) fn defined(
        &mut self,
        on: &Value,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let kinds: &[On] = match on {
            Value::Plain(plain) => match (plain.expr.ty.rank, plain.elem()) {
                (0, Elem::Real) => &[On::Real],
                (0, Elem::Int) if plain.scalar.is_some_and(|s| s.is_unsigned()) => {
                    &[On::Int, On::Natural]
                }
                (0, Elem::Int) => &[On::Int],
                (0, Elem::Bool) => &[On::Bool],
                (1, _) => &[On::Slice],
                _ => return None,
            },
            Value::List(_) => &[On::Slice],
            Value::Way(way) => match &**way {
                Way::Iter(_) => &[On::Iter],
                Way::Maybe(_) => &[On::Maybe],
                _ => return None,
            },
            _ => return None,
        };
        if kinds.contains(&On::Slice)
            && args.is_empty()
            && let Some((_, none, value)) = OPTIONS.iter().find(|(is, ..)| name == is)
        {
            return Some(self.optional(on, name.span(), none, value));
        }
        let (_, _, params, body) = DEFINITIONS.iter().find(|(of, is, params, _)| {
            kinds.contains(of) && name == is && params.len() == args.len()
        })?;
        Some(self.by_definition(on, name.span(), params, body, args))
    }

    fn optional(&mut self, on: &Value, span: Span, none: &str, value: &str) -> Result<Value> {
        let none = self.by_definition(on, span, &[], none, &[])?;
        let none = self.of(Elem::Bool, none, span.into(), "a condition")?;
        let value = self.by_definition(on, span, &[], value, &[])?;
        let (none, sure) = (Some(none), vec![]);
        Ok(Maybe { value, none, sure }.into())
    }

    pub(super) fn by_definition(
        &mut self,
        on: &Value,
        span: Span,
        params: &[(&str, usize)],
        body: &str,
        args: &[Surface],
    ) -> Result<Value> {
        let args = args.iter().zip(params).map(|(arg, &(arg_name, takes))| {
            let value = self.expr(&as_closure(arg, takes))?;
            Ok((arg_name, self.named(value, "arg")))
        });
        let mut names: Vec<(&str, Value)> = args.collect::<Result<_>>()?;
        names.push(("this", self.named(on.clone(), "this")));
        self.in_terms_of(&names, body, span)
    }

    /// Rust in terms of values.
    pub(super) fn in_terms_of(
        &mut self,
        names: &[(&str, Value)],
        body: &str,
        span: Span,
    ) -> Result<Value> {
        let tokens: TokenStream = format!("{{ {body} }}").parse().unwrap_or_default();
        let block = match syn::parse2(at(tokens, span)) {
            Ok(block) => block,
            Err(error) => unreachable!("definitions are Rust: {error}"),
        };
        let output = syn::ReturnType::Default;
        let body = parse::body(
            &block,
            &output,
            parse::Outcome::Plain,
            None,
            &mut self.errors,
        );
        self.scope(|l| {
            for (name, value) in names {
                l.name((*name).to_owned(), Binding::Value(value.clone()));
            }
            l.expr(&body)
        })
    }
}

/// A function that is passed on by its name, as a closure that takes so many.
fn as_closure(arg: &Surface, takes: usize) -> Surface {
    let loc = arg.loc;
    let Kind::Path(path) = &arg.kind else {
        return arg.clone();
    };
    if takes == 0 || path.get_ident().is_some() {
        return arg.clone();
    }
    let names: Vec<Ident> = (0..takes)
        .map(|k| Ident::new(&format!("p{k}"), Span::call_site()))
        .collect();
    let variable = |name: &Ident| Surface {
        loc,
        kind: Kind::Path(name.clone().into()),
    };
    let closure = Closure {
        params: names
            .iter()
            .map(|n| (Pattern::Name(n.clone()), Note::Infer))
            .collect(),
        params_loc: loc,
        result: Note::Infer,
        body: Surface {
            loc,
            kind: Kind::Call(path.clone(), names.iter().map(variable).collect()),
        },
    };
    Surface {
        loc,
        kind: Kind::Closure(Rc::new(closure)),
    }
}

/// Tokens at a place.
fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let one = |token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                TokenTree::from(Group::new(group.delimiter(), at(group.stream(), span)))
            }
            other => other,
        };
        token.set_span(span);
        token
    };
    tokens.into_iter().map(one).collect()
}
