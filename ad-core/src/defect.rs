//! Defects of the compiler become messages: a panic ends as an error that names the pass.
//!
//! ```text
//! caught(|| { enter("fuse"); panic!("no entry") })  =  Err("the pass `fuse` ..: no entry, at ..")
//! ```
//!
//! The compiler runs on a stack that is large enough for every function that is not too deep.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// The stack that the compiler runs on, in bytes. Pages that nothing touches cost nothing.
const STACK: usize = 1 << 30;

/// How much of it has to be left for what runs on it already.
const LEFT: usize = STACK / 2;

thread_local! {
    /// What runs at the moment.
    static PASS: Cell<&'static str> = const { Cell::new("") };
    /// How many callers wait for panics.
    static WAITING: Cell<usize> = const { Cell::new(0) };
    /// The last panic.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    #[cfg(test)]
    pub(crate) static INJECTED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Says which pass begins.
pub(crate) fn enter(pass: &'static str) {
    PASS.set(pass);
    #[cfg(test)]
    assert!(INJECTED.get() != Some(pass), "injected");
}

/// What a pass broke, for the user.
pub(crate) fn report(pass: &str, what: &str) -> String {
    format!(
        "the pass `{pass}` of cotangent failed on this function: {what}\n\
         this is a defect of cotangent, not of the function; please report it with the function\n\
         help: give the function derivatives of its own with `#[custom_derivative(vjp = .., jvp = ..)]`, \
         or split it"
    )
}

/// Runs a part of the compiler.
///
/// # Errors
/// If it panics.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| match WAITING.get() {
            0 => others(info),
            _ => note(info),
        }));
    });
    WAITING.set(WAITING.get() + 1);
    let out = panic::catch_unwind(AssertUnwindSafe(run));
    WAITING.set(WAITING.get() - 1);
    out.map_err(|_| {
        let what = PANIC.take().unwrap_or_else(|| "it panicked".to_owned());
        report(PASS.get(), &what)
    })
}

/// Keeps what a panic says.
fn note(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let says = text.unwrap_or("it panicked");
    let at = info.location().map(|l| format!(", at {l}"));
    PANIC.set(Some(format!("{says}{}", at.unwrap_or_default())));
}

/// Runs the compiler with a stack that is large enough.
pub(crate) fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEFT, STACK, run)
}

/// Runs an entry of the compiler on a large stack. A panic becomes a compile error that stands
/// beside the item as written.
pub(crate) fn entered(
    written: impl FnOnce() -> TokenStream,
    run: impl FnOnce() -> TokenStream,
) -> TokenStream {
    caught(|| {
        enter("expand");
        with_stack(run)
    })
    .unwrap_or_else(|defect| {
        let written = written();
        let error = syn::Error::new(Span::call_site(), defect).to_compile_error();
        quote!(#error #written)
    })
}

#[cfg(test)]
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the test needs two kinds of items"
)]
mod tests {
    use super::INJECTED;
    use crate::expand;
    use proc_macro2::TokenStream;

    /// A function that takes every pass.
    const SOURCE: &str = "
        fn f(x: &Array1<f64>) -> f64 {
            let mut s = 0.0;
            for i in 0..x.len() { s = (s * x[i]).sin(); }
            s
        }";

    /// The items that come of it, if a pass panics.
    fn with_a_panic_in(pass: Option<&'static str>) -> Vec<syn::Item> {
        let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
        INJECTED.set(pass);
        let out = expand(tokens("value, grad, jvp"), tokens(SOURCE));
        INJECTED.set(None);
        syn::parse2::<syn::File>(out).expect("items").items
    }

    #[test]
    fn a_panic_becomes_one_error_beside_stubs() {
        let functions = |items: &[syn::Item]| -> Vec<String> {
            let names = items.iter().filter_map(|item| match item {
                syn::Item::Fn(f) => Some(f.sig.ident.to_string()),
                _ => None,
            });
            names.collect()
        };
        let promised = functions(&with_a_panic_in(None));
        assert!(promised.contains(&"f_grad".to_owned()));
        let passes = [
            "parse",
            "lower",
            "vectorise",
            "simplify",
            "linearise",
            "transpose",
            "join",
            "units",
            "lengths",
            "again",
            "fuse",
            "emit",
        ];
        for pass in passes {
            let items = with_a_panic_in(Some(pass));
            let errors = items.iter().filter_map(|item| match item {
                syn::Item::Macro(m) if m.mac.path.segments.last()?.ident == "compile_error" => {
                    Some(m.mac.tokens.to_string())
                }
                _ => None,
            });
            let errors: Vec<String> = errors.collect();
            assert_eq!(errors.len(), 1, "{pass}: {errors:?}");
            let says = format!("the pass `{pass}` of cotangent failed on this function: injected");
            assert!(errors[0].contains(&says), "{}", errors[0]);
            let mut left = functions(&items);
            left.sort();
            let mut all = promised.clone();
            all.sort();
            assert_eq!(left, all, "{pass}");
        }
    }

    #[test]
    fn a_panic_outside_of_the_passes_leaves_the_function() {
        let items = with_a_panic_in(Some("expand"));
        let is_function = |item: &syn::Item| matches!(item, syn::Item::Fn(f) if f.sig.ident == "f");
        assert!(items.iter().any(is_function));
        assert_eq!(items.len(), 2);
    }
}
