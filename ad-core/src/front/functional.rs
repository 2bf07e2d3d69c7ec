//! Annotated functions that take functions: functionals, such as `simpson(f, a, b)`.
//!
//! A functional has no derivative of its own: its derivative depends on the functions that a caller
//! passes. The compiler inlines its source at each call and puts those functions in the place of
//! the parameters:
//!
//! ```text
//! fn s(f: impl Fn(A) -> B, x: X) -> Y { body }
//!
//! at a call    { let f = |v0: A| -> B { __f(v0) }; body }        __f is the function given there
//! where it is  fn s(__f: B, x: X) -> Y { let f = |v0: A| -> B { __f }; body }
//! ```
//!
//! The second form is the *stand-in*. It is lowered like any function, for the errors, the names,
//! the constants and the callees in it, and computes nothing.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is no function"
)]

use super::callee::Callees;
use super::error::{Errors, Result};
use super::itself;
use crate::ir::ty::Elem;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use std::rc::Rc;
use syn::punctuated::Punctuated;

/// A functional, as its callers take it in.
#[derive(Debug)]
pub struct Functional {
    /// The function.
    pub item: syn::ItemFn,
    /// Its parameters that are functions.
    pub functions: Vec<Function>,
    /// Where this crate is said to be.
    pub root: Option<syn::Path>,
    /// The user's constants in it, as they are written there, in the order in which its holder has
    /// them.
    pub consts: Vec<(String, Elem)>,
    /// What it calls itself.
    pub callees: Callees,
}

/// A parameter that is a function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Which parameter it is.
    pub position: usize,
    /// Its name.
    pub ident: syn::Ident,
    /// What it takes.
    inputs: Vec<syn::Type>,
    /// What it gives.
    output: syn::Type,
}

impl Function {
    /// How many arguments it takes.
    pub fn arity(&self) -> usize {
        self.inputs.len()
    }

    /// What its name is bound to: the function given in a call, or the result in the stand-in.
    pub fn inner(&self) -> syn::Ident {
        format_ident!("__{}", self.ident, span = self.ident.span())
    }

    /// `let f = |v0: A, v1: B| -> C { body };`
    fn binding(&self, body: &syn::Expr) -> syn::Stmt {
        let (ident, inputs, output) = (&self.ident, &self.inputs, &self.output);
        let names = self.names();
        syn::parse_quote_spanned!(ident.span()=>
            let #ident = |#(#names: #inputs),*| -> #output { #body };)
    }

    fn names(&self) -> Vec<syn::Ident> {
        let span = self.ident.span();
        let names = (0..self.arity()).map(|k| format_ident!("v{k}", span = span));
        names.collect()
    }
}

/// The parameters of a function that are functions. Reports what cannot be followed.
pub fn functions(sig: &syn::Signature, errors: &mut Errors) -> Result<Vec<Function>> {
    let mut found = vec![];
    let mut sound = Ok(());
    for (position, input) in sig.inputs.iter().enumerate() {
        let syn::FnArg::Typed(typed) = input else {
            continue;
        };
        let Some((inputs, output)) = of_type(&typed.ty, &sig.generics) else {
            continue;
        };
        let syn::Pat::Ident(pat) = &*typed.pat else {
            let message = "a parameter that is a function needs a name";
            sound = Err(errors.on(&typed.pat, message));
            continue;
        };
        let Some(output) = output else {
            let message = format!(
                "`{}` gives nothing, so there is nothing to differentiate in it; let it return its result",
                pat.ident
            );
            sound = Err(errors.on(&typed.ty, message));
            continue;
        };
        found.push(Function {
            position,
            ident: pat.ident.clone(),
            inputs,
            output,
        });
    }
    if found.is_empty() {
        return sound.map(|()| found);
    }
    for input in &sig.inputs {
        let syn::FnArg::Typed(typed) = input else {
            continue;
        };
        let is_function = of_type(&typed.ty, &sig.generics).is_some();
        if matches!(&*typed.ty, syn::Type::Reference(r) if r.mutability.is_some()) && !is_function {
            let message =
                "a function that takes functions writes nothing through `&mut`; return it";
            sound = Err(errors.on(&typed.ty, message));
        } else if !matches!(&*typed.pat, syn::Pat::Ident(_)) {
            let message = "a function that takes functions has names for all parameters; write a name, and \
                           take it apart with `let`";
            sound = Err(errors.on(&typed.pat, message));
        }
    }
    sound.map(|()| found)
}

/// What a function takes and gives.
type Shape = (Vec<syn::Type>, Option<syn::Type>);

/// The function that a type is, if it is one.
fn of_type(ty: &syn::Type, generics: &syn::Generics) -> Option<Shape> {
    match ty {
        syn::Type::Paren(inner) => of_type(&inner.elem, generics),
        syn::Type::Group(inner) => of_type(&inner.elem, generics),
        syn::Type::Reference(reference) => of_type(&reference.elem, generics),
        syn::Type::ImplTrait(of) => of.bounds.iter().find_map(of_bound),
        syn::Type::TraitObject(of) => of.bounds.iter().find_map(of_bound),
        syn::Type::FnPtr(of) => {
            let inputs = of.inputs.iter().map(|input| input.ty.clone());
            Some((inputs.collect(), gives(&of.output)))
        }
        syn::Type::Path(path) => {
            if let Some(ident) = path.path.get_ident() {
                return bounds(ident, generics).into_iter().find_map(of_bound);
            }
            let last = path.path.segments.last()?;
            let (true, syn::PathArguments::AngleBracketed(of)) =
                (last.ident == "Box", &last.arguments)
            else {
                return None;
            };
            of.args.iter().find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => of_type(ty, generics),
                _ => None,
            })
        }
        _ => None,
    }
}

/// The bounds of a type parameter, where it is declared and in the `where` clause.
fn bounds<'g>(ident: &syn::Ident, generics: &'g syn::Generics) -> Vec<&'g syn::TypeParamBound> {
    let declared = generics.type_params().filter(|p| p.ident == *ident);
    let declared = declared.flat_map(|p| &p.bounds);
    let clauses = generics.where_clause.iter().flat_map(|w| &w.predicates);
    let clauses = clauses.filter_map(|clause| match clause {
        syn::WherePredicate::Type(clause) if is_path(&clause.bounded_ty, ident) => {
            Some(&clause.bounds)
        }
        _ => None,
    });
    declared.chain(clauses.flatten()).collect()
}

fn is_path(ty: &syn::Type, ident: &syn::Ident) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(ident))
}

/// `Fn(A) -> B`, `FnMut(A) -> B`, `FnOnce(A) -> B`
fn of_bound(bound: &syn::TypeParamBound) -> Option<Shape> {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last()?;
    let syn::PathArguments::Parenthesized(of) = &last.arguments else {
        return None;
    };
    let is_function = ["Fn", "FnMut", "FnOnce"]
        .iter()
        .any(|name| last.ident == name);
    let inputs = of.inputs.iter().map(|input| input.ty.clone());
    is_function.then(|| (inputs.collect(), gives(&of.output)))
}

fn gives(output: &syn::ReturnType) -> Option<syn::Type> {
    match output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
    }
}

/// The stand-in of a functional. Reports a functional that calls itself.
pub fn stand_in(
    item: &syn::ItemFn,
    functions: &[Function],
    errors: &mut Errors,
) -> Result<syn::ItemFn> {
    if itself::calls_itself(item) {
        let message = format!(
            "`{0}` calls itself and takes functions: calls of `{0}` take in its source, without end; write \
             a loop",
            item.sig.ident
        );
        return Err(errors.at(item.sig.ident.span(), message));
    }
    let mut out = item.clone();
    out.sig.generics = without_functions(&item.sig.generics);
    for function in functions.iter().rev() {
        let (inner, output) = (function.inner(), &function.output);
        if let Some(input) = out.sig.inputs.iter_mut().nth(function.position) {
            *input = syn::parse_quote!(#inner: #output);
        }
        let binding = function.binding(&syn::parse_quote!(#inner));
        out.block.stmts.insert(0, binding);
    }
    Ok(out)
}

/// Generics without the type parameters that are functions.
fn without_functions(generics: &syn::Generics) -> syn::Generics {
    let is_function = |ident: &syn::Ident| {
        bounds(ident, generics)
            .into_iter()
            .any(|b| of_bound(b).is_some())
    };
    let mut out = generics.clone();
    out.params = (generics.params.iter())
        .filter(|p| !matches!(p, syn::GenericParam::Type(p) if is_function(&p.ident)))
        .cloned()
        .collect();
    if let Some(clause) = &mut out.where_clause {
        let kept = clause.predicates.iter().filter(|p| match p {
            syn::WherePredicate::Type(p) => {
                let mut params = generics.type_params();
                !params
                    .any(|param| is_path(&p.bounded_ty, &param.ident) && is_function(&param.ident))
            }
            _ => true,
        });
        clause.predicates = kept.cloned().collect::<Punctuated<_, _>>();
    }
    if (out.where_clause.as_ref()).is_some_and(|clause| clause.predicates.is_empty()) {
        out.where_clause = None;
    }
    out
}

impl Functional {
    /// The body at a call, as if it was written at `span`, over other real numbers if it has a type
    /// parameter for these.
    pub fn body_at(
        &self,
        span: Span,
        real: Option<(&syn::Ident, &str)>,
    ) -> syn::Result<syn::Block> {
        let block = self.item.block.to_token_stream();
        let mut block: syn::Block = syn::parse2(moved(block, span, real))?;
        for function in self.functions.iter().rev() {
            let (inner, names) = (function.inner(), function.names());
            let binding = function.binding(&syn::parse_quote!(#inner(#(#names),*)));
            let binding = moved(binding.into_token_stream(), span, real);
            block.stmts.insert(0, syn::parse_quote!(#binding));
        }
        Ok(block)
    }

    /// The type of the result, as it is written.
    pub fn output(&self) -> &syn::ReturnType {
        &self.item.sig.output
    }

    /// Which of the constants of its holder a constant is.
    pub fn constant(&self, path: &syn::Path) -> Option<usize> {
        let key = path.to_token_stream().to_string();
        self.consts
            .iter()
            .position(|(constant, _)| *constant == key)
    }
}

/// Tokens at another place, with another name for a type parameter.
fn moved(tokens: TokenStream, span: Span, real: Option<(&syn::Ident, &str)>) -> TokenStream {
    let one = |token| match token {
        TokenTree::Group(group) => {
            let inner = moved(group.stream(), span, real);
            let mut group = Group::new(group.delimiter(), inner);
            group.set_span(span);
            TokenTree::from(group)
        }
        TokenTree::Ident(ident) => TokenTree::from(match real {
            Some((param, name)) if ident == *param => proc_macro2::Ident::new(name, span),
            Some(_) | None => {
                let mut ident = ident;
                ident.set_span(span);
                ident
            }
        }),
        mut other @ (TokenTree::Punct(_) | TokenTree::Literal(_)) => {
            other.set_span(span);
            other
        }
    };
    tokens.into_iter().map(one).collect()
}

/// A functional whose source is being taken in: names mean there what they mean where it stands.
#[derive(Debug)]
pub struct Home {
    /// The functional.
    pub functional: Rc<Functional>,
    /// How it is called in the home around.
    pub path: syn::Path,
    /// The functional that calls it, if that is taken in as well.
    pub around: Option<Rc<Home>>,
}
