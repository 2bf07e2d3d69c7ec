//! The procedural macros of cotangent. All work is done by `cotangent-core`.

use proc_macro::TokenStream;

/// Generates derivatives of a function; see the documentation of the crate `cotangent`.
#[proc_macro_attribute]
pub fn differentiable(attr: TokenStream, item: TokenStream) -> TokenStream {
    cotangent_core::expand(attr.into(), item.into()).into()
}
