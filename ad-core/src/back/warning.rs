//! Warnings of ours: a macro cannot warn, so rustc warns of the use of a deprecated constant.

use crate::front::lint::Lint;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::fmt;

/// What there is to warn of.
#[derive(Clone, Debug)]
pub(crate) struct Warning {
    /// Which lint warns.
    pub(crate) lint: Lint,
    /// Where.
    pub(crate) span: Span,
    /// Of what.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  help: {}", self.message, self.help)
    }
}

/// A constant that rustc warns of. Around it all warnings are allowed, so it asks for its own.
pub(super) fn warning(w: &Warning) -> TokenStream {
    let name = Ident::new(w.lint.name(), w.span);
    let note = w.to_string();
    // The name of the constant is that of the lint, as rustc prints it.
    quote! {
        #[warn(warnings, deprecated)]
        const _: () = {
            #[deprecated(note = #note)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #name
        };
    }
}
