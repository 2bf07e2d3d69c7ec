//! Names that must mean what they were taken for: closures that are never called, and compile only
//! if a name is ours.

use super::tokens::{RUNTIME, USERS_RUNTIME, rename_module};
use crate::front::callee::without_arguments;
use crate::front::names::{Known, NameCheck};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// A path of the user's, on its way into a generated function.
pub(crate) fn users(path: &syn::Path) -> TokenStream {
    rename_module(path.to_token_stream(), RUNTIME, USERS_RUNTIME)
}

/// A closure that is never called, and compiles only if a name is ours.
pub(super) fn name_check(check: &NameCheck) -> TokenStream {
    let path = users(&without_arguments(&check.path));
    let span = (check.path.segments)
        .last()
        .map_or(Span::call_site(), |s| s.ident.span());
    let probe = quote_spanned!(span=> rt::MustBeTheOneFromCotangent);
    let arguments = match check.known {
        Known::Combinator(c) => match c.name() {
            "fold" | "scan" => quote_spanned!(span=> #probe, f32, fn(f32, usize) -> f32),
            "scatter_add" => quote_spanned!(span=> #probe, #probe, fn(usize) -> (usize, f32)),
            "stop_gradient" => quote_spanned!(span=> #probe,),
            "checkpoint" => quote_spanned!(span=> fn() -> #probe,),
            _ => quote_spanned!(span=> #probe, fn(usize) -> f32),
        },
        Known::Prelude(_) => quote_spanned!(span=> #probe,),
        Known::Math(name) => match name {
            "clamp" | "mul_add" => quote_spanned!(span=> #probe, #probe, #probe),
            "powi" => quote_spanned!(span=> #probe, i32),
            "powf" | "atan2" | "copysign" | "rem_euclid" | "max" | "min" | "hypot" => {
                quote_spanned!(span=> #probe, #probe)
            }
            _ => quote_spanned!(span=> #probe,),
        },
        Known::Array(name) => {
            let of = quote_spanned!(span=> rt::ndarray);
            let args = match name {
                "arr0" => probe.clone(),
                "aview0" => quote_spanned!(span=> &#probe),
                "arr1" | "aview1" => quote_spanned!(span=> &[#probe]),
                "arr2" | "aview2" => quote_spanned!(span=> &[[#probe]]),
                "arr3" => quote_spanned!(span=> &[[[#probe]]]),
                "kron" => {
                    let one = quote_spanned!(span=> &#of::arr2(&[[0.0_f64]]));
                    quote_spanned!(span=> #one, #one)
                }
                _ => quote_spanned!(span=> #of::Axis(0), &[#of::aview1(&[#probe])]),
            };
            return quote_spanned!(span=> let _ = || { let _ = #path(#args); };);
        }
        Known::Cmp(_) => {
            return quote_spanned! {span=>
                let _: (fn(u8, u8) -> u8, fn(i64, i64) -> i64) = (#path, #path);
            };
        }
    };
    quote_spanned!(span=> let _ = || rt::named::<(#arguments), _>(#path).is_ours();)
}
