//! What the names of functions of ours mean where an annotated function stands, by the text of its
//! file. Names resolve as in Rust: items and imports by name come before imports by `*`, and blocks
//! before what is around them.

use crate::place::{Tokens, end_of_statement};

/// How deep imports of imports are followed.
const DEEP: usize = 8;

/// The modules and blocks of a file.
pub(crate) struct Scopes<'t> {
    all: Vec<Scope<'t>>,
    /// The one that the function stands in.
    here: usize,
    /// The path of this crate.
    root: Vec<String>,
}

/// A module or a block.
#[derive(Default)]
struct Scope<'t> {
    around: Option<usize>,
    /// The name, if it is a module.
    module: Option<&'t str>,
    /// Whether it is an `impl` block or a trait, whose functions have no names of their own.
    has_members: bool,
    /// The functions, modules and types, and whether they are public.
    items: Vec<(&'t str, bool)>,
    imports: Vec<Import<'t>>,
}

/// `use path as name;`, or `use path::*;`, which has no name.
struct Import<'t> {
    path: Vec<&'t str>,
    name: Option<&'t str>,
    is_public: bool,
}

/// Whose function a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Ours,
    Users,
}

impl<'t> Scopes<'t> {
    /// Reads a file, for a function whose name stands at a place.
    pub(crate) fn read(text: &'t str, place: usize, root: Vec<String>) -> Scopes<'t> {
        let mut all = vec![Scope::default()];
        let mut open = vec![0];
        let mut here = None;
        let (mut head, mut depth) = (Vec::<&str>::new(), 0usize);
        let mut tokens = Tokens::new(text);
        loop {
            let innermost = open.last().copied().unwrap_or(0);
            if text.len() - tokens.rest.len() >= place {
                here.get_or_insert(innermost);
            }
            let Some(token) = tokens.next() else {
                break;
            };
            match token {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "{" => {
                    open.push(all.len());
                    all.push(Scope::new(innermost, &head));
                    (head, depth) = (vec![], 0);
                }
                "}" => {
                    open.pop();
                    (head, depth) = (vec![], 0);
                }
                ";" if depth == 0 => head.clear(),
                "use" if head.iter().all(|w| matches!(*w, "pub" | "#")) => {
                    let end = end_of_statement(tokens.rest);
                    let mut tree = Tokens::new(&tokens.rest[..end]);
                    let is_public = head.contains(&"pub");
                    imports(&mut tree, &[], is_public, &mut all[innermost].imports);
                    tokens.rest = &tokens.rest[end..];
                }
                word if depth == 0 => {
                    let is_item = matches!(head.last(), Some(&("fn" | "mod" | "struct" | "enum")));
                    if is_item && !all[innermost].has_members {
                        let item = (word, head.contains(&"pub"));
                        all[innermost].items.push(item);
                    }
                    head.push(word);
                }
                _ => {}
            }
        }
        let here = here.unwrap_or(0);
        Scopes { all, here, root }
    }

    /// Whether a name stands for something of the user's.
    pub(crate) fn is_users(&self, name: &str) -> bool {
        self.owner(self.here, name, DEEP) == Some(Owner::Users)
    }

    /// Whether names of other crates than ours come by `*`, in the module of the function.
    pub(crate) fn has_names_of_crates(&self) -> bool {
        let mut here = Some(self.here);
        while let Some(scope) = here {
            let of = &self.all[scope];
            let is_of_crate = |import: &Import<'_>| {
                let first = import.path.first();
                let is_prelude = import.path.last() == Some(&"prelude");
                let is_own = matches!(first, Some(&("crate" | "self" | "super")));
                import.name.is_none()
                    && !is_own
                    && !is_prelude
                    && self.module(scope, &import.path).is_none()
            };
            if of.imports.iter().any(is_of_crate) {
                return true;
            }
            here = of.around.filter(|_| of.module.is_none());
        }
        false
    }

    /// The path of what a name stands for, if it is imported by its name from the standard library
    /// or from ndarray.
    pub(crate) fn foreign(&self, name: &str) -> Option<String> {
        let mut here = Some(self.here);
        while let Some(scope) = here {
            let of = &self.all[scope];
            if of.items.iter().any(|(item, _)| *item == name) {
                return None;
            }
            if let Some(import) = of.imports.iter().find(|i| i.name == Some(name)) {
                let is_std = matches!(import.path.first(), Some(&("std" | "core")));
                let is_foreign = is_std || import.path.contains(&"ndarray");
                return is_foreign.then(|| import.path.join("::"));
            }
            here = of.around.filter(|_| of.module.is_none());
        }
        None
    }

    /// Whose function a name stands for in a scope, if the file tells.
    fn owner(&self, scope: usize, name: &str, deep: usize) -> Option<Owner> {
        let of = &self.all[scope];
        if let Some(owner) = self.owner_within(scope, name, scope, deep) {
            return Some(owner);
        }
        match of.module {
            Some(_) => None,
            None => self.owner(of.around?, name, deep),
        }
    }

    /// The same for what the scope itself has, as far as another one sees it.
    fn owner_within(&self, scope: usize, name: &str, from: usize, deep: usize) -> Option<Owner> {
        let (of, deep) = (&self.all[scope], deep.checked_sub(1)?);
        let is_inside = self.is_inside(from, scope);
        if (of.items.iter()).any(|(item, is_public)| *item == name && (*is_public || is_inside)) {
            return Some(Owner::Users);
        }
        let seen = || of.imports.iter().filter(|i| i.is_public || is_inside);
        if let Some(import) = seen().find(|import| import.name == Some(name)) {
            return self.imported(scope, &import.path, deep);
        }
        let mut all = seen().filter(|import| import.name.is_none());
        all.find_map(|import| {
            let within = self.module(scope, &import.path);
            match within {
                Some(module) => self.owner_within(module, name, scope, deep),
                None => self.is_ours(&import.path).then_some(Owner::Ours),
            }
        })
    }

    /// Whose function is imported by a path. What is defined elsewhere is the user's.
    fn imported(&self, scope: usize, path: &[&str], deep: usize) -> Option<Owner> {
        if self.is_ours(path) {
            return Some(Owner::Ours);
        }
        let (name, before) = path.split_last()?;
        let module = self.module(scope, before).filter(|_| !before.is_empty());
        let owner = module.map(|module| self.owner_within(module, name, scope, deep));
        owner.unwrap_or(Some(Owner::Users))
    }

    /// Whether a path is one of this crate, or of those whose functions it knows.
    fn is_ours(&self, path: &[&str]) -> bool {
        if matches!(path.first(), Some(&("std" | "core"))) || path.contains(&"ndarray") {
            return true;
        }
        let begins = |root: &[String]| {
            !root.is_empty()
                && path.len() > root.len()
                && path.iter().zip(root).all(|(a, b)| a == b)
        };
        begins(&self.root) || begins(&["cotangent".to_owned()])
    }

    fn is_inside(&self, scope: usize, outer: usize) -> bool {
        let mut here = Some(scope);
        while let Some(scope) = here.filter(|scope| *scope != outer) {
            here = self.all[scope].around;
        }
        here.is_some()
    }

    /// The module of the file that a path leads to.
    fn module(&self, scope: usize, path: &[&str]) -> Option<usize> {
        let mut here = self.module_around(scope);
        for (k, step) in path.iter().enumerate() {
            here = match *step {
                "self" => here,
                "super" => self.module_around(self.all[here].around?),
                // The file may be that of another module; then nothing is found.
                "crate" if k == 0 => 0,
                name => (0..self.all.len()).find(|m| {
                    self.all[*m].module == Some(name) && self.all[*m].around == Some(here)
                })?,
            };
        }
        Some(here)
    }

    fn module_around(&self, scope: usize) -> usize {
        let mut here = scope;
        while let (None, Some(around)) = (self.all[here].module, self.all[here].around) {
            here = around;
        }
        here
    }
}

impl<'t> Scope<'t> {
    /// A scope that begins behind some words.
    fn new(around: usize, head: &[&'t str]) -> Scope<'t> {
        let is_more = |w: &&&str| !matches!(**w, "#" | "pub" | "unsafe" | "default" | "const");
        let mut words = head.iter().filter(is_more);
        let first = words.next().copied();
        Scope {
            around: Some(around),
            module: words.next().filter(|_| first == Some("mod")).copied(),
            has_members: matches!(first, Some("impl" | "trait" | "auto")),
            ..Scope::default()
        }
    }
}

/// The imports of `a::{b as c, d::*}`, up to the end of the braces.
fn imports<'t>(
    tokens: &mut Tokens<'t>,
    before: &[&'t str],
    is_public: bool,
    out: &mut Vec<Import<'t>>,
) {
    let (mut path, mut alias, mut is_named) = (before.to_vec(), None, false);
    loop {
        match tokens.next() {
            Some(":") => {}
            Some("{") => {
                imports(tokens, &path, is_public, out);
                is_named = false;
            }
            Some("*") => {
                out.push(Import {
                    path: path.clone(),
                    name: None,
                    is_public,
                });
                is_named = false;
            }
            Some("as") => alias = tokens.next(),
            Some(word) if word != "," && word != "}" => {
                path.push(word);
                is_named = true;
            }
            end => {
                if path.len() > 1 && path.last() == Some(&"self") {
                    path.pop();
                }
                let name = alias.take().or(path.last().copied());
                if is_named {
                    out.push(Import {
                        path,
                        name,
                        is_public,
                    });
                }
                (path, is_named) = (before.to_vec(), false);
                if end != Some(",") {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scopes;

    fn users(text: &str) -> Vec<&'static str> {
        let place = text.find("HERE").expect("it is marked");
        let scopes = Scopes::read(text, place, vec!["ad".to_owned()]);
        let names = ["sum", "relu", "math"].into_iter();
        names.filter(|name| scopes.is_users(name)).collect()
    }

    #[test]
    fn imports_of_foreign_functions() {
        let text = "use std::mem::{swap, replace as put}; use ndarray::linalg::kron; use my::zip; \
                    fn kron() {} mod m { use std::iter::zip; fn HERE() { use core::mem::take; } }";
        let at = |place: &str, name: &str| {
            let place = text.find(place).expect("it is there");
            Scopes::read(text, place, vec![]).foreign(name)
        };
        assert_eq!(at("mod m", "swap").as_deref(), Some("std::mem::swap"));
        assert_eq!(at("mod m", "put").as_deref(), Some("std::mem::replace"));
        assert_eq!(at("mod m", "kron"), None);
        assert_eq!(at("mod m", "zip"), None);
        assert_eq!(at("HERE", "zip").as_deref(), Some("std::iter::zip"));
        assert_eq!(at("HERE", "swap"), None);
        assert_eq!(at("HERE", "take"), None);
    }

    #[test]
    fn names_resolve_as_in_rust() {
        let cases: &[(&str, &[&str])] = &[
            ("use cotangent::prelude::*; fn HERE() {}", &[]),
            (
                "use cotangent::prelude::*; fn HERE() {} fn sum() {}",
                &["sum"],
            ),
            (
                "use cotangent::{prelude::*, math}; mod m { pub fn sum() {} } fn HERE() {}",
                &[],
            ),
            ("use ad::prelude::{sum, relu}; fn HERE() {}", &[]),
            (
                "use std::iter::sum; use cotangent::ndarray::relu; fn HERE() {}",
                &[],
            ),
            (
                "use crate::nets::{self, relu, tall as sum}; fn HERE() {}",
                &["sum", "relu"],
            ),
            (
                "use m::relu; mod m { pub use cotangent::prelude::*; } fn HERE() {}",
                &[],
            ),
            (
                "use m::relu; mod m { pub fn relu() {} } fn HERE() {}",
                &["relu"],
            ),
            (
                "use m::*; mod m { fn sum() {} pub fn relu() {} } fn HERE() {}",
                &["relu"],
            ),
            ("fn sum() {} mod m { use super::*; fn HERE() {} }", &["sum"]),
            ("fn sum() {} mod m { fn HERE() {} }", &[]),
            ("mod math { pub fn relu() {} } fn HERE() {}", &["math"]),
            (
                "fn main() { fn sum() {} fn HERE() {} } fn f() { fn relu() {} }",
                &["sum"],
            ),
            (
                "impl A { fn sum() {} fn HERE() {} } trait B { fn relu(); }",
                &[],
            ),
            (
                "fn relu() {} impl A { fn sum() {} fn HERE() {} }",
                &["relu"],
            ),
            (
                "use crate::m::n::sum; mod m { pub mod n { pub use a::sum; } } fn HERE() {}",
                &["sum"],
            ),
            (
                "mod a { pub use super::b::*; } mod b { pub use super::a::*; } use a::*; fn HERE() {}",
                &[],
            ),
            (
                "pub(crate) use x::{y::sum}; const _: u8 = 1; fn HERE() {}",
                &["sum"],
            ),
        ];
        for (text, wanted) in cases {
            assert_eq!(users(text), *wanted, "{text}");
        }
    }
}
