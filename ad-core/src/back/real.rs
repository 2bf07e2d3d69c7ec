//! What the real type of a function makes of literals, casts and calls.

use super::expr::{Expr, Prec};
use crate::front::real::RealType;
use crate::ir::ty::Lit;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// A literal. One of `f64` has no suffix: what it meets says its type.
pub(super) fn literal(l: Lit, real: &RealType) -> Expr {
    match l {
        Lit::Bool(b) => Expr::atom(quote!(#b)),
        Lit::Int(i) => Expr::integer(i),
        Lit::Real(x) => real_literal(x, real, Literal::f64_unsuffixed),
    }
}

/// A real literal where nothing else says its type.
pub(super) fn typed_literal(x: f64, real: &RealType) -> Expr {
    real_literal(x, real, Literal::f64_suffixed)
}

/// A real literal, given how magnitudes are written in `f64`.
fn real_literal(x: f64, real: &RealType, in_f64: fn(f64) -> Literal) -> Expr {
    let rounded = match real {
        RealType::F64 | RealType::Mixed | RealType::Parameter(_) => x,
        // What is too large would not compile.
        RealType::F32 => f64::from(x as f32),
    };
    let name = if rounded.is_nan() {
        "NAN"
    } else if rounded == f64::INFINITY {
        "INFINITY"
    } else if rounded == f64::NEG_INFINITY {
        "NEG_INFINITY"
    } else {
        let magnitude = match real {
            RealType::F64 | RealType::Mixed => in_f64(x.abs()),
            RealType::F32 => Literal::f32_suffixed(rounded.abs() as f32),
            RealType::Parameter(_) => Literal::f64_unsuffixed(x.abs()),
        };
        let magnitude = Expr::atom(quote!(#magnitude));
        let value = match x.is_sign_negative() {
            true => Expr::prefix("-", magnitude),
            false => magnitude,
        };
        return match real {
            RealType::F64 | RealType::Mixed | RealType::F32 => value,
            RealType::Parameter(_) => {
                let value = value.tokens;
                Expr::atom(quote!(rt::real::<#real>(#value)))
            }
        };
    };
    let name = Ident::new(name, Span::call_site());
    Expr::atom(match real {
        RealType::F64 | RealType::Mixed | RealType::F32 => quote!(#real::#name),
        RealType::Parameter(_) => quote!(rt::real::<#real>(f64::#name)),
    })
}

/// An integer as a real number.
pub(super) fn from_integer(x: Expr, real: &RealType) -> Expr {
    match real {
        RealType::F64 | RealType::Mixed | RealType::F32 => x.cast(&real.name()),
        RealType::Parameter(_) => {
            let x = x.tokens;
            Expr::atom(quote!(rt::real_from::<#real>(#x)))
        }
    }
}

/// A real number as an integer, as casts do it.
pub(super) fn to_integer(x: Expr, real: &RealType) -> Expr {
    match real {
        RealType::F64 | RealType::Mixed | RealType::F32 => x.cast("i64"),
        RealType::Parameter(_) => {
            let x = x.tokens;
            Expr::atom(quote!(rt::integer_from(#x)))
        }
    }
}

/// Zeros of a shape; `called` is what panics call the array.
pub(super) fn zeros(real: &RealType, called: Option<&str>, shape: &[TokenStream]) -> TokenStream {
    match (real, called) {
        (RealType::F64 | RealType::Mixed, None) => quote!(rt::zeros([#(#shape),*])),
        (RealType::F64 | RealType::Mixed, Some(called)) => {
            quote!(rt::zeros_called(#called, [#(#shape),*]))
        }
        (RealType::F32 | RealType::Parameter(_), called) => {
            let rank = Literal::usize_unsuffixed(shape.len());
            match called {
                None => quote!(rt::zeros_of::<#real, #rank>([#(#shape),*])),
                Some(called) => {
                    quote!(rt::zeros_of_called::<#real, #rank>(#called, [#(#shape),*]))
                }
            }
        }
    }
}

/// A call of a method that the real types have, on a receiver whose type is known from itself if
/// `is_typed`. Bounds of the user's may bring methods of the same name, so that on a type parameter
/// it is called by its path.
pub(super) fn method(
    real: &RealType,
    name: &str,
    receiver: Expr,
    is_typed: bool,
    rest: impl Iterator<Item = Expr>,
) -> Expr {
    let name = Ident::new(name, Span::mixed_site());
    let rest = rest.map(|x| x.tokens);
    Expr::atom(match real {
        RealType::F64 | RealType::Mixed | RealType::F32 if is_typed => {
            let receiver = receiver.at(Prec::Atom);
            quote!(#receiver.#name(#(#rest),*))
        }
        RealType::F64 | RealType::Mixed | RealType::F32 => {
            let receiver = receiver.tokens;
            quote!(#real::#name(#receiver #(, #rest)*))
        }
        RealType::Parameter(_) => {
            let receiver = receiver.tokens;
            quote!(rt::Real::#name(#receiver #(, #rest)*))
        }
    })
}
