//! Where the programs of the rules of a function with derivatives of its own are found.

use super::callee::without_arguments;
use proc_macro2::{Ident, Span};

/// Where the companion of the rules of a function is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its name in the module of the function, or beside the function.
    pub(crate) name: String,
    /// Whether it is in the module of the function.
    pub(crate) below: bool,
    /// The names of the functions that are rules. They cannot wait for themselves.
    pub(crate) by: Vec<String>,
}

impl Access {
    /// As words in what the companion of the function says.
    pub(crate) fn encode(&self) -> String {
        let below = if self.below { "below" } else { "beside" };
        format!("{below} {} {}", self.name, self.by.join(" "))
    }

    /// Reads what [`Self::encode`] wrote.
    pub(crate) fn decode(words: &[&str]) -> Option<Access> {
        let [below, name, by @ ..] = words else {
            return None;
        };
        Some(Access {
            name: (*name).to_owned(),
            below: *below == "below",
            by: by.iter().map(|name| (*name).to_owned()).collect(),
        })
    }

    /// Whether it is in a module of the name of the function, beside the functions of the unit.
    pub(crate) fn is_below(&self) -> bool {
        self.below
    }

    /// Whether a function of that name is one of the rules.
    pub(crate) fn is_rule(&self, name: &str) -> bool {
        self.by.iter().any(|rule| rule == name)
    }

    /// Its path, where the function is called by a path.
    pub(crate) fn path(&self, function: &syn::Path) -> syn::Path {
        let mut path = without_arguments(function);
        let span = path.segments.last().map(|s| s.ident.span());
        if !self.below {
            path.segments.pop();
        }
        let name = Ident::new(&self.name, span.unwrap_or_else(Span::call_site));
        path.segments.push(name.into());
        path
    }
}
