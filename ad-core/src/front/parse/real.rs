//! Where another real type than the function's own may be named: in what is converted to it.

use super::Parser;
use crate::front::error::Reported;
use crate::front::names;
use crate::front::real::RealType;
use crate::front::surface::{Expr, Kind};
use quote::ToTokens;

impl Parser<'_> {
    /// Parses what is converted to the function's real type.
    pub(super) fn converted<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.errors.converts, true);
        let result = parse(self);
        self.errors.converts = before;
        result
    }

    /// The arguments of a call. What `T::of` and `T::from` take is of another type.
    pub(super) fn arguments<'e>(
        &mut self,
        path: &syn::Path,
        args: impl IntoIterator<Item = &'e syn::Expr>,
    ) -> Vec<Expr> {
        let names = names::segments(path);
        let real = &self.errors.real;
        let is_generic = matches!(real, RealType::Parameter(_));
        match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [ty, "of"] if *ty == real.name() => self.converted(|p| p.all(args)),
            [ty, "from"] if *ty == real.name() && is_generic => {
                let args = self.converted(|p| p.all(args));
                args.into_iter()
                    .map(|arg| self.constant_of_single(arg))
                    .collect()
            }
            _ => self.all(args),
        }
    }

    /// The conversions of `num_traits`, which give an `Option`, as those of `Real`.
    pub(super) fn unwrapped_conversion(&self, call: &syn::ExprMethodCall) -> Option<syn::Expr> {
        let RealType::Parameter(ident) = &self.errors.real else {
            return None;
        };
        if !matches!(call.method.to_string().as_str(), "unwrap" | "expect") {
            return None;
        }
        match &*call.receiver {
            syn::Expr::Call(of) if of.args.len() == 1 => {
                let syn::Expr::Path(path) = &*of.func else {
                    return None;
                };
                let names = names::segments(&path.path);
                let [ty, name] = &names[..] else {
                    return None;
                };
                let is_conversion = *ident == *ty && name.starts_with("from");
                let (argument, span) = (of.args.first(), call.method.span());
                let made = quote::quote_spanned!(span=> #ident::of((#argument) as f64));
                is_conversion.then(|| syn::parse2(made).ok()).flatten()
            }
            syn::Expr::MethodCall(of) if of.args.is_empty() => {
                let to = of.method.to_string();
                let number = &of.receiver;
                let span = of.method.span();
                let real = quote::quote_spanned!(span=> #number.to_f64());
                let to = to.strip_prefix("to_")?;
                syn::parse2(match to {
                    "f64" => real,
                    "usize" | "i32" | "i64" | "u32" | "u64" => {
                        let to = quote::format_ident!("{}", to);
                        quote::quote_spanned!(span=> (#real as #to))
                    }
                    _ => return None,
                })
                .ok()
            }
            _ => None,
        }
    }

    /// `T::epsilon()` of `num_traits` as `T::EPSILON`.
    pub(super) fn constant_call(&self, call: &syn::ExprCall) -> Option<syn::Expr> {
        let (RealType::Parameter(ident), syn::Expr::Path(path)) = (&self.errors.real, &*call.func)
        else {
            return None;
        };
        let names = names::segments(&path.path);
        let [ty, name] = &names[..] else {
            return None;
        };
        let name = match name.as_str() {
            "epsilon" => "EPSILON",
            "infinity" => "INFINITY",
            "neg_infinity" => "NEG_INFINITY",
            "nan" => "NAN",
            _ => return None,
        };
        let name = syn::Ident::new(name, call.paren_token.span.open());
        (*ident == *ty && call.args.is_empty()).then(|| syn::parse_quote!(#ident::#name))
    }

    /// What `T::from` takes is an `f32`.
    fn constant_of_single(&mut self, arg: Expr) -> Expr {
        let loc = arg.loc;
        match arg.kind {
            Kind::Real(x) => Expr {
                loc,
                kind: Kind::Real(f64::from(x as f32)),
            },
            Kind::Path(_) | Kind::Int(..) | Kind::Bool(_) | Kind::Hole(_) => arg,
            Kind::Unary(..)
            | Kind::Binary(..)
            | Kind::Cast(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Block(..)
            | Kind::Tuple(_)
            | Kind::Call(..)
            | Kind::Method(..)
            | Kind::Borrow(_)
            | Kind::Lent(..)
            | Kind::Copied(_)
            | Kind::Field(..)
            | Kind::Member(..)
            | Kind::Struct(..)
            | Kind::Index(..)
            | Kind::Part(..)
            | Kind::List(_)
            | Kind::Repeat(..)
            | Kind::Range(..)
            | Kind::Macro(..)
            | Kind::Slices(_)
            | Kind::Slot(..)
            | Kind::Trial(_)
            | Kind::Maybe(_)
            | Kind::Take(_)
            | Kind::IsNone(_)
            | Kind::Tried(_)
            | Kind::Never
            | Kind::Impossible
            | Kind::Closure(_) => self.hole(
                loc,
                "this would be computed in another real type, and only literals and constants can be \
                 converted by `from`; write `T::of(..)`",
            ),
        }
    }

    /// The value of a real literal, rounded to its type as far as that is known.
    pub(super) fn real_literal(&self, digits: &str, suffix: &str) -> Option<f64> {
        let is_own = suffix.is_empty() && !self.errors.converts;
        if suffix == "f32" || is_own && self.errors.real == RealType::F32 {
            return digits.parse().ok().map(|x: f32| f64::from(x));
        }
        digits.parse().ok()
    }

    /// Reports a real type that is not the function's own.
    pub(super) fn foreign(&mut self, name: &str, at: &impl ToTokens) -> Option<Reported> {
        if self.errors.converts {
            return None;
        }
        let mut message = self.errors.other(name)?;
        if let RealType::Parameter(ident) = &self.errors.real {
            message = format!(
                "{}; write `{ident}::of(..)` of a literal without a suffix",
                before_advice(&message)
            );
        }
        Some(self.errors.as_it_is(at, message))
    }

    /// Reports a cast to a real type that is not the function's own, or to a type parameter.
    pub(super) fn foreign_cast(&mut self, name: &str, cast: &syn::ExprCast) -> Option<Reported> {
        let real = &self.errors.real;
        if let RealType::Parameter(ident) = real
            && *ident == name
        {
            let message = format!(
                "`as` does not cast to type parameters; write `{ident}::from_usize(..)` of a `usize`, \
                 and `{ident}::of(.. as f64)` of other integers"
            );
            return Some(self.errors.as_it_is(&cast.ty, message));
        }
        let message = self.errors.other(name)?;
        let message = before_advice(&message);
        let real = &self.errors.real;
        let message = match real {
            RealType::Parameter(ident) => {
                format!("{message}; write `{ident}::of(..)` around the cast")
            }
            RealType::F64 | RealType::Mixed | RealType::F32 => {
                format!("{message}; write `as {}`", real.name())
            }
        };
        Some(self.errors.as_it_is(&cast.ty, message))
    }
}

/// A message without what to write instead.
fn before_advice(message: &str) -> &str {
    message
        .split_once("; ")
        .map_or(message, |(before, _)| before)
}
