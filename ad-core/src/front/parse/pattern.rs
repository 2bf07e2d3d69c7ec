//! Patterns and annotations.

use super::Parser;
use super::outside;
use crate::front::data::is_composite;
use crate::front::error::Loc;
use crate::front::names::is_screaming;
use crate::front::real::RealType;
use crate::front::surface::{Note, Pattern, Test};
use crate::front::types;

impl Parser<'_> {
    pub(super) fn note(&mut self, ty: &syn::Type) -> Note {
        let mut ty = ty.clone();
        by_value(&mut ty, &self.errors.real);
        match &ty {
            // `Vec<_>` says nothing that cannot be seen.
            syn::Type::Path(path) if leaves_open(path) => Note::Infer,
            syn::Type::Infer(_) => Note::Infer,
            syn::Type::Paren(inner) => self.note(&inner.elem),
            syn::Type::Group(inner) => self.note(&inner.elem),
            syn::Type::Tuple(tuple) => {
                Note::Tuple(tuple.elems.iter().map(|t| self.note(t)).collect())
            }
            // What is borrowed has its type already.
            syn::Type::Reference(r) if r.mutability.is_some() => Note::Infer,
            // What rustc checks by name need not be looked at.
            ty if is_composite(ty, &self.errors.real) => Note::Infer,
            syn::Type::Reference(r) if is_composite(&r.elem, &self.errors.real) => Note::Infer,
            ty => match types::read(ty, self.errors) {
                Ok(written) => Note::Of(Box::new(written)),
                Err(_) => Note::Infer,
            },
        }
    }

    pub(super) fn pattern_and_note(&mut self, pat: &syn::Pat) -> (Pattern, Note) {
        match pat {
            syn::Pat::Type(typed) => (self.pattern(&typed.pat), self.note(&typed.ty)),
            _ => (self.pattern(pat), Note::Infer),
        }
    }

    pub(super) fn pattern(&mut self, pat: &syn::Pat) -> Pattern {
        let wrong = match pat {
            syn::Pat::Wild(_) => return Pattern::Wild,
            syn::Pat::Paren(inner) => return self.pattern(&inner.pat),
            syn::Pat::Reference(reference) if reference.mutability.is_none() => {
                return self.pattern(&reference.pat);
            }
            syn::Pat::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|p| self.pattern(p)).collect();
                return Pattern::Tuple(Loc::of(tuple), parts);
            }
            syn::Pat::Struct(of) => {
                let fields = (of.fields.iter())
                    .map(|f| (super::expr::member(&f.member), self.pattern(&f.pat)));
                return Pattern::Struct(Loc::of(of), fields.collect());
            }
            syn::Pat::TupleStruct(of) => {
                let fields = of.elems.iter().enumerate();
                let fields = fields.map(|(k, p)| (k.to_string(), self.pattern(p)));
                return Pattern::Struct(Loc::of(of), fields.collect());
            }
            syn::Pat::Slice(list) => {
                let parts = list.elems.iter().map(|p| self.pattern(p)).collect();
                return Pattern::List(Loc::of(list), parts);
            }
            syn::Pat::Ident(name) if name.by_ref.is_some() && name.mutability.is_some() => {
                self.errors.on(name, outside::BORROW)
            }
            syn::Pat::Ident(name) if name.subpat.is_some() => self
                .errors
                .on(name, "`@` patterns are not supported; write two `let`s"),
            // rustc sees to it that only what is `mut` changes.
            syn::Pat::Ident(name) => return Pattern::Name(name.ident.clone()),
            syn::Pat::Rest(rest) => self.errors.on(
                rest,
                "`..` in a pattern is not supported; write `_` for each part that is left out",
            ),
            _ => self.errors.on(
                pat,
                "this pattern is not supported; write a name, or a tuple of names such as `(n, m)`",
            ),
        };
        Pattern::Hole(wrong, names_in(pat))
    }

    /// The pattern of an arm.
    pub(super) fn test(&mut self, pat: &syn::Pat) -> Test {
        let loc = Loc::of(pat);
        match pat {
            syn::Pat::Wild(_) => Test::Wild,
            syn::Pat::Ident(name) if name.ident == "None" && name.subpat.is_none() => {
                Test::None(loc)
            }
            syn::Pat::Paren(inner) => self.test(&inner.pat),
            syn::Pat::Ident(name)
                if name.mutability.is_none()
                    && name.by_ref.is_none()
                    && name.subpat.is_none()
                    && is_variable(&name.ident) =>
            {
                Test::Name(name.ident.clone())
            }
            syn::Pat::Ident(name)
                if name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none() =>
            {
                Test::Const(loc, name.ident.clone().into())
            }
            syn::Pat::Path(path)
                if path.path.segments.last().is_some_and(|s| s.ident == "None") =>
            {
                Test::None(loc)
            }
            syn::Pat::TupleStruct(of) if of.elems.len() == 1 && is_maybe(&of.path) => {
                let inner = &of.elems[0];
                match of.path.segments.last().is_some_and(|s| s.ident == "Err") {
                    true => Test::None(loc),
                    false => Test::Some(loc, Box::new(self.test(inner))),
                }
            }
            syn::Pat::Path(path) if path.qself.is_none() => match outside::ordering(&path.path) {
                Some(order) => Test::Int(loc, order),
                None => Test::Const(loc, path.path.clone()),
            },
            syn::Pat::Struct(of) if of.qself.is_none() => {
                let fields =
                    (of.fields.iter()).map(|f| (super::expr::member(&f.member), self.test(&f.pat)));
                Test::Struct(loc, of.path.clone(), fields.collect())
            }
            syn::Pat::TupleStruct(of) if of.qself.is_none() && ends_in_rest(&of.elems) => {
                let fields = of.elems.iter().enumerate();
                let fields = fields.filter(|(_, p)| !matches!(p, syn::Pat::Rest(_)));
                let fields = fields.map(|(k, p)| (k.to_string(), self.test(p)));
                Test::Struct(loc, of.path.clone(), fields.collect())
            }
            syn::Pat::Lit(literal) => match &literal.lit {
                syn::Lit::Int(int) => match int.base10_parse() {
                    Ok(value) => Test::Int(loc, value),
                    Err(e) => Test::Hole(self.errors.add(e), vec![]),
                },
                syn::Lit::Bool(value) => Test::Bool(loc, value.value),
                _ => self.test_hole(pat),
            },
            syn::Pat::Verbatim(tokens) => match negative(tokens) {
                Some(value) => Test::Int(loc, value),
                None => self.test_hole(pat),
            },
            syn::Pat::Range(range) => {
                let end = |e: &Option<Box<syn::Expr>>| match e {
                    None => Some(None),
                    Some(e) => integer(e).map(Some),
                };
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                match (end(&range.start), end(&range.end)) {
                    (Some(from), Some(to)) => {
                        let to = to.map(|t| if closed { t } else { t - 1 });
                        Test::Range(loc, from, to)
                    }
                    _ => self.test_hole(pat),
                }
            }
            // Alternatives may bind one name to different parts.
            syn::Pat::Or(or) if names_in(pat).iter().any(is_variable) => {
                let message =
                    "names in alternatives are not supported; write one arm for each alternative";
                Test::Hole(self.errors.on(or, message), names_in(pat))
            }
            syn::Pat::Or(or) => Test::Or(or.cases.iter().map(|p| self.test(p)).collect()),
            syn::Pat::Tuple(tuple) => {
                Test::Tuple(loc, tuple.elems.iter().map(|p| self.test(p)).collect())
            }
            syn::Pat::Slice(list)
                if !(list.elems.iter()).any(|p| matches!(p, syn::Pat::Rest(_))) =>
            {
                Test::List(loc, list.elems.iter().map(|p| self.test(p)).collect())
            }
            syn::Pat::Reference(reference) if reference.mutability.is_none() => {
                self.test(&reference.pat)
            }
            _ => self.test_hole(pat),
        }
    }

    fn test_hole(&mut self, pat: &syn::Pat) -> Test {
        let reported = self.errors.on(
            pat,
            "only integers, bools, ranges of integers, enums that derive `Differentiable`, names and `_` \
             can be matched; write `if` for the rest",
        );
        Test::Hole(reported, names_in(pat))
    }
}

/// Whether `..` stands at the end, if anywhere.
fn ends_in_rest(elems: &syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>) -> bool {
    let rest = elems.iter().position(|p| matches!(p, syn::Pat::Rest(_)));
    rest.is_none_or(|k| k + 1 == elems.len())
}

/// Whether a name in a pattern is spelled as a variable, and not as a constant or a variant.
fn is_variable(ident: &syn::Ident) -> bool {
    !is_screaming(ident) && !ident.to_string().starts_with(char::is_uppercase)
}

/// Whether a path is `Some`, `Ok` or `Err`.
fn is_maybe(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    matches!(last.as_deref(), Some("Some" | "Ok" | "Err"))
}

/// The type with scalars for references to them, which are the same inside of a body.
fn by_value(ty: &mut syn::Type, real: &RealType) {
    match ty {
        syn::Type::Reference(reference) => {
            by_value(&mut reference.elem, real);
            if reference.mutability.is_none() && outside::names_scalar(&reference.elem, real) {
                *ty = (*reference.elem).clone();
            }
        }
        syn::Type::Array(array) => by_value(&mut array.elem, real),
        syn::Type::Slice(slice) => by_value(&mut slice.elem, real),
        syn::Type::Path(path) => {
            let last = path.path.segments.last_mut();
            if let Some(syn::PathArguments::AngleBracketed(of)) = last.map(|s| &mut s.arguments) {
                for argument in &mut of.args {
                    if let syn::GenericArgument::Type(ty) = argument {
                        by_value(ty, real);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Whether a type has `_` for one of its arguments.
fn leaves_open(path: &syn::TypePath) -> bool {
    let last = path.path.segments.last();
    let Some(syn::PathArguments::AngleBracketed(arguments)) = last.map(|s| &s.arguments) else {
        return false;
    };
    (arguments.args.iter()).any(|a| matches!(a, syn::GenericArgument::Type(syn::Type::Infer(_))))
}

/// The names that a pattern brings in.
pub(super) fn names_in(pat: &syn::Pat) -> Vec<syn::Ident> {
    struct Names(Vec<syn::Ident>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push(pat.ident.clone());
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut names = Names(vec![]);
    syn::visit::visit_pat(&mut names, pat);
    names.0
}

fn integer(e: &syn::Expr) -> Option<i64> {
    match e {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        syn::Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            integer(&unary.expr).map(|i| -i)
        }
        _ => None,
    }
}

fn negative(tokens: &proc_macro2::TokenStream) -> Option<i64> {
    integer(&syn::parse2(tokens.clone()).ok()?)
}
