//! The body of a function, as syn reads it, to the surface language. Reports everything outside of
//! the language and leaves holes there, so that what is around it is looked at as well.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

mod axes;
mod chain;
mod choices;
mod cuts;
mod each;
mod expr;
mod growing;
mod header;
mod imports;
mod indexed;
mod leave;
mod macros;
mod operands;
mod outside;
mod pattern;
mod place;
mod real;
mod rewritten;
mod slices;
mod stmt;
mod target;
mod valued;
mod walked;

use super::data::Tree;
use super::error::{Errors, Loc, Reported};
use super::surface::{Expr, Kind, Note, Pattern, Stmt};
use super::tables;
use crate::ir::ty::Elem;
use quote::{ToTokens, format_ident};
use std::collections::{HashMap, HashSet};

pub(super) use leave::Outcome;

/// Reads the body of a function: for its value, or for whether it fails. `output` is the type of
/// its result as it is written, and `zero` a value of that type, if such a value can be written
/// down.
pub(super) fn body(
    block: &syn::Block,
    output: &syn::ReturnType,
    outcome: Outcome,
    zero: Option<Expr>,
    errors: &mut Errors,
) -> Expr {
    let imported = imports::written_out(block);
    let block = imported.as_ref().unwrap_or(block);
    let returned = rewritten::returned(output, block);
    let block = returned.as_ref().unwrap_or(block);
    let popping = rewritten::popping(block);
    let block = popping.as_ref().unwrap_or(block);
    let replacing = rewritten::replacing(block);
    let block = replacing.as_ref().unwrap_or(block);
    let mut parser = Parser {
        errors,
        loops: vec![],
        exits: leave::Exits::new(outcome, zero),
        in_closure: false,
        jumps: operands::has_jumps(block.to_token_stream()),
        wrong: HashMap::new(),
        borrows: vec![],
        aliases: HashSet::new(),
        written: written(block),
        lists: 0,
        declared: vec![],
    };
    let body = parser.block_for(block, stmt::Want::Result);
    parser.with_code(body)
}

/// The parameters that a function writes: `let mut x = x;` for each, before anything else.
fn written(block: &syn::Block) -> HashSet<String> {
    let name = |stmt: &syn::Stmt| {
        let syn::Stmt::Local(local) = stmt else {
            return None;
        };
        let (syn::Pat::Ident(pat), Some(init)) = (&local.pat, &local.init) else {
            return None;
        };
        let is_same = matches!(&*init.expr, syn::Expr::Path(p) if p.path.is_ident(&pat.ident)
            || p.path.is_ident("self"));
        (is_same && pat.mutability.is_some()).then(|| pat.ident.to_string())
    };
    block.stmts.iter().map_while(name).collect()
}

/// A value of a type, if it can be written down whatever the sizes are.
pub(super) fn zero(tree: &Tree) -> Option<Expr> {
    let loc = Loc::from(proc_macro2::Span::call_site());
    let all = |parts: &[Tree]| parts.iter().map(zero).collect::<Option<Vec<Expr>>>();
    let kind = match tree {
        Tree::Leaf(written) if written.is_opaque() => return None,
        Tree::Leaf(written) if written.is_scalar() => match written.scalar.elem() {
            Elem::Real => Kind::Real(0.0),
            Elem::Int => Kind::Int(0, Some(written.scalar)),
            Elem::Bool => Kind::Bool(false),
        },
        Tree::Leaf(written) => {
            let count = written.fixed_length(0)?.value?;
            let one = zero(&Tree::Leaf(written.element_of_fixed()))?;
            Kind::List((0..count).map(|_| one.clone()).collect())
        }
        Tree::Tuple(parts) => Kind::Tuple(all(parts)?),
        Tree::List(parts) => Kind::List(all(parts)?),
        Tree::Struct(made, parts) => {
            let syn::Type::Path(path) = &*made.ty else {
                return None;
            };
            let of = made.of.as_ref()?;
            let (mut path, mut fields, mut parts) = (path.path.clone(), of.fields(), &parts[..]);
            if let Some(variants) = of.variants() {
                let first = variants.into_iter().next()?;
                path.segments.push(format_ident!("{}", first.name).into());
                parts = &parts[1..=first.fields.len()];
                fields = first.fields;
            }
            let fields = fields.into_iter().zip(all(parts)?).collect();
            Kind::Struct(path, fields, None)
        }
        Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_) => return None,
    };
    Some(Expr { loc, kind })
}

/// A bool.
pub(super) fn truth() -> Expr {
    leave::boolean(Loc::from(proc_macro2::Span::call_site()), false)
}

/// Whether something in a block panics by a macro of the user's.
pub(super) fn may_panic(block: &syn::Block) -> bool {
    struct Search(bool);
    impl<'ast> syn::visit::Visit<'ast> for Search {
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.0 |= outside::is_assertion(mac) || outside::is_failure(mac);
        }
    }
    let mut search = Search(false);
    syn::visit::visit_block(&mut search, block);
    search.0
}

struct Parser<'a> {
    errors: &'a mut Errors,
    /// What is known of the loops around, innermost last.
    loops: Vec<stmt::Around>,
    /// The ways out of the function, or of the closure.
    exits: leave::Exits,
    /// Whether this is in a closure.
    in_closure: bool,
    /// Whether the function has words that may leave something.
    jumps: bool,
    /// Variables whose value is wrong, which has been reported: nothing more is said where they
    /// change.
    wrong: HashMap<String, Reported>,
    /// The variables that were borrowed to be changed, in the order of the text.
    borrows: Vec<syn::Ident>,
    /// The names that may stand for what is borrowed.
    aliases: HashSet<String>,
    /// The parameters that the function writes.
    written: HashSet<String>,
    /// How many lists that grow there were.
    lists: usize,
    /// The names that the block around declares before it assigns to them.
    declared: Vec<syn::Ident>,
}

impl Parser<'_> {
    fn hole(&mut self, loc: impl Into<Loc>, message: impl Into<String>) -> Expr {
        let loc = loc.into();
        let reported = self.errors.at(loc, message);
        Expr {
            loc,
            kind: Kind::Hole(reported),
        }
    }

    /// Notes that something was wrong with what these names are bound to, if there is an error more
    /// than so many.
    fn names_since(&mut self, before: usize, names: Vec<syn::Ident>) {
        for name in names {
            match self.errors.beyond(before) {
                Some(reported) => self.wrong.insert(name.to_string(), reported),
                None => self.wrong.remove(&name.to_string()),
            };
        }
    }

    /// The names of a pattern that stands before something with borrows in it, since so many.
    fn borrowed_since(&mut self, before: usize, names: Vec<syn::Ident>) -> Vec<syn::Ident> {
        let roots = self.borrows[before..].to_vec();
        if !roots.is_empty() {
            self.aliases.extend(names.iter().map(ToString::to_string));
        }
        roots
    }

    fn local(&mut self, local: &syn::Local) -> Stmt {
        let before = self.errors.count();
        let borrows = self.borrows.len();
        let stmt = match outside::growing(local) {
            Some(message) => {
                let reported = self
                    .errors
                    .on(&local.init.as_ref().map(|i| &i.expr), message);
                Stmt::Hole(reported, pattern::names_in(&local.pat))
            }
            None => self.right_local(local),
        };
        self.names_since(before, pattern::names_in(&local.pat));
        let names = pattern::names_in(&local.pat);
        // What is assigned to a borrow is assigned to what it borrows.
        if self.borrowed_since(borrows, names.clone()).is_empty() {
            let assigned = self.loops.last().map_or(&[][..], |around| &around.assigned);
            let new = names.into_iter().filter(|name| !assigned.contains(name));
            self.declared.extend(new);
        }
        stmt
    }

    fn right_local(&mut self, local: &syn::Local) -> Stmt {
        let (pattern, note) = self.pattern_and_note(&local.pat);
        match &local.init {
            Some(init) => {
                let converted = rewritten::converted(&local.pat, &init.expr);
                let init = converted.as_ref().unwrap_or(&init.expr);
                // The value on entry, which the writing of the body binds, is no borrow.
                let names = pattern::names_in(&local.pat);
                let is_entry = (self.written_parameter(init)).is_some_and(|n| names.contains(n));
                let init = match is_entry {
                    true => self.expr(init),
                    false => self.moved(init),
                };
                Stmt::Let(pattern, note, Box::new(init))
            }
            None => match pattern {
                Pattern::Name(ident) => Stmt::Later(ident),
                Pattern::Wild
                | Pattern::Tuple(..)
                | Pattern::List(..)
                | Pattern::Struct(..)
                | Pattern::Hole(..) => {
                    let message = "variables that are set later are declared one by one; write \
                                   `let x;` for each";
                    let reported = self.errors.on(local, message);
                    Stmt::Hole(reported, pattern::names_in(&local.pat))
                }
            },
        }
    }

    fn item(&mut self, item: &syn::Item) -> Option<Stmt> {
        match item {
            syn::Item::Const(syn::ItemConst {
                ident, ty, expr, ..
            })
            | syn::Item::Static(syn::ItemStatic {
                ident, ty, expr, ..
            }) => {
                // A constant cannot be of a type parameter; where it is used it is converted.
                let (note, value) = self.converted(|p| (p.note(ty), p.expr(expr)));
                let name = Pattern::Name(ident.clone());
                Some(Stmt::Let(name, note, Box::new(value)))
            }
            syn::Item::Use(import) => self.import(import),
            // What types are made of is known, see `Structs::declare`; `functions` reads these.
            syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Fn(_) => None,
            _ => {
                let reported = self.errors.on(
                    item,
                    "this item does not belong to what can be differentiated; move it out of the \
                     function",
                );
                Some(Stmt::Hole(reported, vec![]))
            }
        }
    }

    /// The functions of a block, each behind those that it calls.
    fn functions(&mut self, block: &syn::Block) -> Vec<Stmt> {
        let function = |stmt: &syn::Stmt| match stmt {
            syn::Stmt::Item(syn::Item::Fn(function)) => Some(function.clone()),
            _ => None,
        };
        let mut left: Vec<syn::ItemFn> = block.stmts.iter().filter_map(function).collect();
        let mut stmts = vec![];
        while !left.is_empty() {
            let needs_none = |f: &syn::ItemFn| {
                let mut others = left.iter().filter(|o| o.sig.ident != f.sig.ident);
                let body = f.block.to_token_stream();
                others.all(|o| !tables::mentions(&body, &o.sig.ident))
            };
            let next = left.iter().position(needs_none).unwrap_or(0);
            let body = left[next].block.to_token_stream();
            let in_circle = left.iter().any(|o| outside::calls(&body, &o.sig.ident));
            let function = left.remove(next);
            let ident = &function.sig.ident;
            stmts.push(match in_circle {
                true => {
                    let reported = self.errors.on(
                        ident,
                        "a function inside of a body that calls itself is not followed; move it out \
                         of the body, with `#[differentiable]` of its own",
                    );
                    Stmt::Hole(reported, vec![ident.clone()])
                }
                false => self.function(&function),
            });
        }
        stmts
    }

    /// `fn f(x: f64) -> f64 { .. }` in the body is a closure that sees no variables.
    fn function(&mut self, function: &syn::ItemFn) -> Stmt {
        let sig = &function.sig;
        let is_plain = sig.generics.params.is_empty()
            && sig.asyncness.is_none()
            && matches!(sig.safety, syn::Safety::Default)
            && sig.variadic.is_none();
        if !is_plain {
            let reported = self.errors.on(
                &sig.ident,
                "only plain functions are supported inside of a body; write it without type \
                 parameters, or as a closure: `let f = |x: f64| ..;`",
            );
            return Stmt::Hole(reported, vec![sig.ident.clone()]);
        }
        let (inputs, output) = (&sig.inputs, &sig.output);
        let returned = rewritten::returned(output, &function.block);
        let block = returned.as_ref().unwrap_or(&function.block);
        let mut closure: syn::ExprClosure = syn::parse_quote!(|#inputs| #output #block);
        closure.inputs_begin.span = sig.paren_token.span.open();
        closure.inputs_end.span = sig.paren_token.span.close();
        let closure = self.expr(&syn::Expr::Closure(closure));
        let name = Pattern::Name(sig.ident.clone());
        Stmt::Let(name, Note::Infer, Box::new(closure))
    }

    /// `use a::b::c;` or `use a::b::*;` of our own
    fn import(&mut self, import: &syn::ItemUse) -> Option<Stmt> {
        let mut path = syn::Path {
            leading_colon: import.leading_colon,
            segments: syn::punctuated::Punctuated::new(),
        };
        let mut tree = &import.tree;
        loop {
            match tree {
                syn::UseTree::Path(step) => {
                    path.segments.push(step.ident.clone().into());
                    tree = &step.tree;
                }
                syn::UseTree::Name(name) => {
                    path.segments.push(name.ident.clone().into());
                    return Some(Stmt::Use(name.ident.clone(), path));
                }
                syn::UseTree::Rename(rename) => {
                    path.segments.push(rename.ident.clone().into());
                    return Some(Stmt::Use(rename.rename.clone(), path));
                }
                syn::UseTree::Glob(_) if outside::is_ours(&path) => return None,
                syn::UseTree::Glob(_) | syn::UseTree::Group(_) => {
                    let reported = self.errors.on(
                        import,
                        "the macro cannot tell which names this brings in; move it out of the \
                         function, or write one `use` for each name",
                    );
                    return Some(Stmt::Hole(reported, vec![]));
                }
            }
        }
    }

    fn result_note(&mut self, output: &syn::ReturnType) -> Note {
        match output {
            syn::ReturnType::Default => Note::Infer,
            syn::ReturnType::Type(_, ty) => self.note(ty),
        }
    }
}
