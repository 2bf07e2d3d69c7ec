//! The names in generated code. They are hygienic where the compiler can make them so, and distinct
//! from the user's wherever they are printed.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};

/// A supply of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The first number that may still be free behind a name. Names are never given back.
    next: HashMap<String, usize>,
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
            next: HashMap::new(),
        }
    }

    /// Whether a name is in use.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// The name, or the name with a number or an underscore behind it.
    pub(super) fn fresh(&mut self, wanted: &str) -> Ident {
        self.fresh_beside(wanted, &|_| false)
    }

    /// The same, where other names are in use besides those of this supply; once in use, they stay
    /// so.
    pub(super) fn fresh_beside(&mut self, wanted: &str, others: &dyn Fn(&str) -> bool) -> Ident {
        let wanted = wanted.strip_prefix("r#").unwrap_or(wanted);
        let mut k = self.next.get(wanted).copied().unwrap_or(1);
        let name = loop {
            let name = match k {
                1 => wanted.to_owned(),
                k => format!("{wanted}_{k}"),
            };
            k += 1;
            if !self.contains(&name) && !others(&name) && is_name(&name) {
                break name;
            }
        };
        let ident = Ident::new(&name, Span::mixed_site());
        self.next.insert(wanted.to_owned(), k);
        self.taken.insert(name);
        ident
    }

    /// The name of a loop index: `i`, `j`, `k`, ..
    pub(super) fn index(&mut self, others: &dyn Fn(&str) -> bool) -> Ident {
        for name in ["i", "j", "k", "l", "p", "q"] {
            if !self.contains(name) && !others(name) {
                return self.fresh_beside(name, others);
            }
        }
        self.fresh_beside("i", others)
    }
}

/// Whether it is no keyword.
fn is_name(name: &str) -> bool {
    let token = Ident::new(name, Span::mixed_site()).into_token_stream();
    syn::parse2::<Ident>(token).is_ok()
}
