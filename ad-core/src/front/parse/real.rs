//! Where another real type than the function's own may be named: in what is converted to it.

use super::Parser;
use crate::front::error::Reported;
use crate::front::names;
use crate::front::real::RealType;
use crate::front::surface::Expr;
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
        let converts = match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [ty, "of"] => *ty == self.errors.real.name(),
            [ty, "from"] => {
                let real = &self.errors.real;
                matches!(real, RealType::Parameter(_)) && *ty == real.name()
            }
            _ => false,
        };
        if converts {
            return self.converted(|p| p.all(args));
        }
        self.all(args)
    }

    /// Reports a real type that is not the function's own.
    pub(super) fn foreign(&mut self, name: &str, at: &impl ToTokens) -> Option<Reported> {
        if self.errors.converts {
            return None;
        }
        let mut message = self.errors.real.other(name)?;
        if let RealType::Parameter(ident) = &self.errors.real {
            message = format!(
                "{}; write `{ident}::of(..)` around it",
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
        let message = real.other(name)?;
        let message = before_advice(&message);
        let message = match real {
            RealType::Parameter(ident) => {
                format!("{message}; write `{ident}::of(..)` around the cast")
            }
            RealType::F64 | RealType::F32 => format!("{message}; write `as {}`", real.name()),
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
