//! `for ((i, j), x) in a.indexed_iter()`, written as a loop over each index.

use super::stmt::block_of;
use crate::front::error::Loc;
use crate::front::surface::{Expr, For, Kind, Note, Pattern, Source, Stmt};
use proc_macro2::Span;

/// Names that no variable of the user's has.
const NAMES: [&str; 6] = ["for", "while", "loop", "if", "else", "match"];

fn keyword(name: &str) -> syn::Ident {
    syn::Ident::new(name, Span::call_site())
}

fn path(loc: Loc, ident: &syn::Ident) -> Expr {
    let kind = Kind::Path(ident.clone().into());
    Expr { loc, kind }
}

/// The loop itself, or nested ones if it runs over the elements of an array with their indices.
/// What is left early is left as a whole, so that such a loop stays one.
pub(super) fn by_indices(l: For) -> Stmt {
    let Source::Indexed(array) = &l.over else {
        return Stmt::For(Box::new(l));
    };
    let Pattern::Tuple(_, parts) = &l.pattern else {
        return Stmt::For(Box::new(l));
    };
    let [Pattern::Tuple(_, indices), element] = &parts[..] else {
        return Stmt::For(Box::new(l));
    };
    let is_name = |p: &Pattern| matches!(p, Pattern::Name(_) | Pattern::Wild);
    if l.going.is_some() || indices.len() > NAMES.len() || !indices.iter().all(is_name) {
        return Stmt::For(Box::new(l));
    }
    let loc = l.loc;
    let of = keyword("in");
    let names: Vec<syn::Ident> = (indices.iter().zip(NAMES))
        .map(|(index, other)| match index {
            Pattern::Name(ident) => ident.clone(),
            Pattern::Wild
            | Pattern::Tuple(..)
            | Pattern::List(..)
            | Pattern::Struct(..)
            | Pattern::Hole(..) => keyword(other),
        })
        .collect();
    let at = names.iter().map(|name| path(loc, name)).collect();
    let kind = Kind::Index(Box::new(path(loc, &of)), at);
    let element = Stmt::Let(element.clone(), Note::Infer, Box::new(Expr { loc, kind }));
    let mut body = block_of(loc, vec![element], l.body);
    for (axis, name) in names.into_iter().enumerate().rev() {
        let shape = syn::Ident::new("shape", loc.start);
        let kind = Kind::Method(Box::new(path(loc, &of)), shape, vec![]);
        let shape = Expr { loc, kind };
        let number = |i: usize| Expr {
            loc,
            kind: Kind::Int(i as i64, None),
        };
        let kind = Kind::Index(Box::new(shape), vec![number(axis)]);
        let end = Expr { loc, kind };
        let inner = Stmt::For(Box::new(For {
            loc,
            pattern: Pattern::Name(name),
            over: Source::Range(loc, Box::new(number(0)), Box::new(end), false),
            body,
            assigned: l.assigned.clone(),
            borrowed: l.borrowed.clone(),
            going: None,
        }));
        body = block_of(loc, vec![inner], super::stmt::nothing(loc));
    }
    let array = Stmt::Let(Pattern::Name(of), Note::Infer, Box::new(array.clone()));
    Stmt::Do(Box::new(block_of(loc, vec![array], body)))
}
