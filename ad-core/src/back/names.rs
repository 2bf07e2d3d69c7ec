//! The names in generated code. They are hygienic where the compiler can make them so, and distinct
//! from the user's wherever they are printed.

use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// A supply of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A supply without these.
    pub(super) fn without(taken: impl IntoIterator<Item = String>) -> Names {
        let plain = |name: String| match name.strip_prefix("r#") {
            Some(rest) => rest.to_owned(),
            None => name,
        };
        Names {
            taken: taken.into_iter().map(plain).collect(),
        }
    }

    /// The name, or the name with a number or an underscore behind it.
    pub(super) fn fresh(&mut self, wanted: &str) -> Ident {
        let wanted = wanted.strip_prefix("r#").unwrap_or(wanted);
        let mut name = wanted.to_owned();
        let mut k = 1;
        while !self.taken.insert(name.clone()) || syn::parse_str::<Ident>(&name).is_err() {
            k += 1;
            name = format!("{wanted}_{k}");
        }
        Ident::new(&name, Span::mixed_site())
    }

    /// The name of a loop index: `i`, `j`, `k`, ..
    pub(super) fn index(&mut self) -> Ident {
        for name in ["i", "j", "k", "l", "p", "q"] {
            if !self.taken.contains(name) {
                return self.fresh(name);
            }
        }
        self.fresh("i")
    }
}
