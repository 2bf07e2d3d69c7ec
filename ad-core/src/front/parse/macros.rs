//! Macros whose tokens are expressions, and ranges.

use super::{Parser, outside};
use crate::front::error::Loc;
use crate::front::surface::{Arm, Expr, Kind, Slice, Test};
use syn::Token;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;

/// A part of `s![..]` before its expressions are looked at.
struct Part {
    what: syn::Expr,
    step: Option<syn::Expr>,
}

impl Parser<'_> {
    /// A macro that stands for a value.
    pub(super) fn macro_call(&mut self, loc: Loc, mac: &syn::Macro) -> Expr {
        let Some(last) = mac.path.segments.last() else {
            return self.hole(loc, outside::macro_call(mac));
        };
        let kind = match last.ident.to_string().as_str() {
            "array" => self.elements(mac).map(|list| {
                let list = Expr {
                    loc,
                    kind: Kind::List(list),
                };
                Kind::Macro(last.ident.clone(), vec![list])
            }),
            "vec" => self
                .vector(mac, loc)
                .map(|e| Kind::Macro(last.ident.clone(), vec![e])),
            "stack" | "concatenate" => self
                .elements(mac)
                .map(|list| Kind::Macro(last.ident.clone(), list)),
            "s" => self.slices(mac),
            super::growing::SLOT => self.slot(mac),
            super::slices::PART => self.part(mac),
            super::growing::TRIAL => mac
                .parse_body()
                .map(|e: syn::Expr| Kind::Trial(Box::new(self.expr(&e)))),
            "matches" => self.matches(mac, loc),
            _ => return self.hole(loc, outside::macro_call(mac)),
        };
        match kind {
            Ok(kind) => Expr { loc, kind },
            // rustc says as much, at the macro itself.
            Err(e) => Expr {
                loc,
                kind: Kind::Hole(self.errors.add(e)),
            },
        }
    }

    /// `a, b, c`
    fn elements(&mut self, mac: &syn::Macro) -> syn::Result<Vec<Expr>> {
        let list = mac.parse_body_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated)?;
        Ok(self.all(&list))
    }

    /// What has parts, and which of them is meant.
    fn part(&mut self, mac: &syn::Macro) -> syn::Result<Kind> {
        let parts = |input: ParseStream<'_>| {
            let of: syn::Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            Ok((of, input.parse::<syn::Expr>()?))
        };
        let (of, at) = mac.parse_body_with(parts)?;
        if let syn::Expr::Path(path) = &of
            && let Some(name) = path.path.get_ident()
            && self.aliases.contains(&name.to_string())
        {
            self.changes(name);
        }
        let of = self.moved(&of);
        Ok(Kind::Part(Box::new(of), vec![self.expr(&at)]))
    }

    /// The name of a list that grows, and what is pushed to it.
    fn slot(&mut self, mac: &syn::Macro) -> syn::Result<Kind> {
        let parts = |input: ParseStream<'_>| {
            let list: syn::Ident = input.parse()?;
            let pushed = match input.is_empty() {
                true => None,
                false => {
                    input.parse::<Token![,]>()?;
                    Some(input.parse::<syn::Expr>()?)
                }
            };
            Ok((list, pushed))
        };
        let (list, pushed) = mac.parse_body_with(parts)?;
        let pushed = pushed.map(|e| Box::new(self.moved(&e)));
        Ok(Kind::Slot(list.to_string(), pushed))
    }

    /// `a, b, c` or `a; n`
    fn vector(&mut self, mac: &syn::Macro, loc: Loc) -> syn::Result<Expr> {
        let repeated = |input: ParseStream<'_>| -> syn::Result<(syn::Expr, syn::Expr)> {
            let element = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((element, input.parse()?))
        };
        let kind = match repeated.parse2(mac.tokens.clone()) {
            Ok((element, count)) => {
                Kind::Repeat(Box::new(self.expr(&element)), Box::new(self.expr(&count)))
            }
            Err(_) => Kind::List(self.elements(mac)?),
        };
        Ok(Expr { loc, kind })
    }

    /// `s![a..b;step, i, NewAxis]`
    fn slices(&mut self, mac: &syn::Macro) -> syn::Result<Kind> {
        let part = |input: ParseStream<'_>| -> syn::Result<Part> {
            let what = input.parse()?;
            let step = match input.peek(Token![;]) {
                true => {
                    input.parse::<Token![;]>()?;
                    Some(input.parse()?)
                }
                false => None,
            };
            Ok(Part { what, step })
        };
        let parts = |input: ParseStream<'_>| {
            Punctuated::<Part, Token![,]>::parse_terminated_with(input, part)
        };
        let parts = mac.parse_body_with(parts)?;
        let slices = parts.iter().map(|part| self.slice(part)).collect();
        Ok(Kind::Slices(slices))
    }

    fn slice(&mut self, part: &Part) -> Slice {
        let mut what = &part.what;
        while let syn::Expr::Paren(inner) = what {
            what = &inner.expr;
        }
        match what {
            syn::Expr::Range(range) => Slice::Range {
                from: range.start.as_ref().map(|e| Box::new(self.expr(e))),
                to: range.end.as_ref().map(|e| Box::new(self.expr(e))),
                closed: matches!(range.limits, syn::RangeLimits::Closed(_)),
                step: part.step.as_ref().map(|e| Box::new(self.expr(e))),
            },
            syn::Expr::Path(path)
                if path
                    .path
                    .segments
                    .last()
                    .is_some_and(|s| s.ident == "NewAxis") =>
            {
                Slice::New
            }
            single => Slice::At(self.expr(single)),
        }
    }

    /// `a..b`
    pub(super) fn range(&mut self, range: &syn::ExprRange) -> Kind {
        let mut end = |e: &Option<Box<syn::Expr>>| e.as_ref().map(|e| Box::new(self.expr(e)));
        let (from, to) = (end(&range.start), end(&range.end));
        Kind::Range(
            from,
            to,
            matches!(range.limits, syn::RangeLimits::Closed(_)),
        )
    }

    /// `matches!(e, p)`, also with a guard.
    fn matches(&mut self, mac: &syn::Macro, loc: Loc) -> syn::Result<Kind> {
        type Parts = (syn::Expr, syn::Pat, Option<syn::Expr>);
        let parts = |input: ParseStream<'_>| -> syn::Result<Parts> {
            let on = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.peek(Token![if]) {
                true => {
                    input.parse::<Token![if]>()?;
                    Some(input.parse()?)
                }
                false => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((on, pattern, guard))
        };
        let (on, pattern, guard) = mac.parse_body_with(parts)?;
        let gives = |value| Expr {
            loc,
            kind: Kind::Bool(value),
        };
        let on = self.expr(&on);
        let matching = Arm {
            test: self.test(&pattern),
            guard: guard.map(|g| self.expr(&g)),
            body: gives(true),
        };
        let other = Arm {
            test: Test::Wild,
            guard: None,
            body: gives(false),
        };
        Ok(Kind::Match(Box::new(on), vec![matching, other]))
    }
}
