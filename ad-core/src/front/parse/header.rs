//! What `for` loops run over.

use super::Parser;
use super::target::axis_number;
use crate::front::error::Loc;
use crate::front::surface::Source;

impl Parser<'_> {
    /// What stands behind the `in`.
    pub(super) fn source(&mut self, e: &syn::Expr) -> Source {
        let loc = Loc::of_expr(e);
        if !is_counted(e) {
            return Source::Elements(self.expr(e));
        }
        match e {
            syn::Expr::Paren(inner) => self.source(&inner.expr),
            syn::Expr::Group(inner) => self.source(&inner.expr),
            syn::Expr::Range(range) => match (&range.start, &range.end) {
                (Some(from), Some(to)) => {
                    let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                    let (from, to) = (self.expr(from), self.expr(to));
                    Source::Range(loc, Box::new(from), Box::new(to), closed)
                }
                _ => Source::Hole(self.errors.at(
                    loc,
                    "this range has no end or no beginning; write both, such as `0..n`",
                )),
            },
            syn::Expr::Reference(r) => Source::Elements(self.expr(&r.expr)),
            syn::Expr::MethodCall(call) => self.adapted(call),
            _ => Source::Elements(self.moved(e)),
        }
    }

    /// `x.iter()`, `(0..n).rev()`
    fn adapted(&mut self, call: &syn::ExprMethodCall) -> Source {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let on = &*call.receiver;
        match (call.method.to_string().as_str(), &args[..]) {
            ("iter" | "into_iter", []) => match on {
                // `x.view().into_iter()`
                _ if is_sequence(on) => self.source(on),
                _ if call.method == "into_iter" => Source::Elements(self.moved(on)),
                _ => Source::Elements(self.expr(on)),
            },
            ("indexed_iter", []) => Source::Indexed(self.expr(on)),
            ("outer_iter", []) => Source::Parts(self.expr(on), 0, None),
            ("rows" | "genrows", []) => Source::Parts(self.expr(on), 0, Some(2)),
            ("columns" | "gencolumns", []) => Source::Parts(self.expr(on), 1, Some(2)),
            ("axis_iter", [axis]) => match axis_number(axis) {
                Some(axis) => Source::Parts(self.expr(on), axis, None),
                None => Source::Hole(self.errors.on(
                    axis,
                    "which axis is meant must be known when the derivative is compiled; write \
                     `Axis(0)` with a literal",
                )),
            },
            ("copied" | "cloned" | "by_ref", []) => self.source(on),
            ("rev", []) => Source::Rev(Box::new(self.source(on))),
            ("enumerate", []) => Source::Enumerate(Box::new(self.source(on))),
            ("step_by", [k]) => {
                let k = self.expr(k);
                Source::Step(Box::new(self.source(on)), k)
            }
            ("skip", [k]) => {
                let k = self.expr(k);
                Source::Skip(Box::new(self.source(on)), k)
            }
            ("take", [k]) => {
                let k = self.expr(k);
                Source::Take(Box::new(self.source(on)), k)
            }
            ("zip", [other]) => {
                let first = self.source(on);
                Source::Zip(Box::new(first), Box::new(self.source(other)))
            }
            _ => Source::Elements(self.expr(&syn::Expr::MethodCall(call.clone()))),
        }
    }
}

/// Whether a chain of methods is one of those that count positions; other iterators are values.
fn is_counted(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Paren(inner) => is_counted(&inner.expr),
        syn::Expr::Group(inner) => is_counted(&inner.expr),
        syn::Expr::Reference(r) => r.mutability.is_none() && is_counted(&r.expr),
        syn::Expr::MethodCall(call) => {
            let args: Vec<&syn::Expr> = call.args.iter().collect();
            match (call.method.to_string().as_str(), &args[..]) {
                ("iter" | "into_iter", []) => {
                    !is_sequence(&call.receiver) || is_counted(&call.receiver)
                }
                (
                    "indexed_iter" | "outer_iter" | "rows" | "genrows" | "columns" | "gencolumns",
                    [],
                ) => true,
                ("axis_iter", [axis]) => axis_number(axis).is_some(),
                ("copied" | "cloned" | "by_ref" | "rev" | "enumerate", [])
                | ("step_by" | "skip" | "take", [_]) => is_counted(&call.receiver),
                ("zip", [other]) => is_counted(&call.receiver) && is_counted(other),
                _ => false,
            }
        }
        syn::Expr::Range(range) => range.start.is_some() && range.end.is_some(),
        // `repeat(x)` has no end.
        syn::Expr::Call(call) => !matches!(&*call.func, syn::Expr::Path(path)
            if path.path.segments.last().is_some_and(|s| s.ident == "repeat")),
        _ => true,
    }
}

/// Whether an expression gives items one after another already.
fn is_sequence(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Paren(inner) => is_sequence(&inner.expr),
        syn::Expr::Range(_) => true,
        syn::Expr::MethodCall(call) => matches!(
            call.method.to_string().as_str(),
            "iter"
                | "into_iter"
                | "outer_iter"
                | "rows"
                | "columns"
                | "axis_iter"
                | "rev"
                | "enumerate"
                | "indexed_iter"
                | "step_by"
                | "skip"
                | "take"
                | "zip"
                | "copied"
                | "cloned"
        ),
        _ => false,
    }
}
