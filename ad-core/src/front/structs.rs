//! Structs that derive `Differentiable`. A function sees the name of a struct and not its fields; these
//! it asks the companion of the struct for, see [`crate::link`].

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::callee::without_arguments;
use super::data::Tree;
use super::error::{Errors, Result};
use super::real::RealType;
use proc_macro2::{Group, Literal, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::parse::Parser;

/// What is known of a struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// The definition, without attributes.
    item: syn::ItemStruct,
    /// The structs that its fields are made of.
    inner: Structs,
}

/// Structs by the paths they are mentioned by.
#[derive(Clone, Debug, Default)]
pub struct Structs {
    known: BTreeMap<String, Option<Rc<Struct>>>,
}

impl Structs {
    /// Adds one; `None` for one that is wrong, which has been reported there.
    pub fn add(&mut self, path: &syn::Path, of: Option<Struct>) {
        self.known.insert(key(path), of.map(Rc::new));
    }

    /// What is known of a struct.
    pub fn get(&self, path: &syn::Path) -> Option<&Option<Rc<Struct>>> {
        self.known.get(&key(path))
    }

    /// As tokens: paths, each with what its companion says.
    pub fn encode(&self) -> TokenStream {
        let known = self.known.iter().filter_map(|(path, of)| {
            let path: TokenStream = path.parse().ok()?;
            let text = Literal::string(&of.as_ref()?.encode());
            Some(quote!((#path) #text))
        });
        known.collect()
    }

    /// The reverse.
    ///
    /// # Errors
    /// If something else is written.
    pub fn decode(tokens: TokenStream) -> syn::Result<Structs> {
        let mut structs = Structs::default();
        let mut tokens = tokens.into_iter();
        while let (Some(TokenTree::Group(path)), Some(text)) = (tokens.next(), tokens.next()) {
            let path = syn::Path::parse_mod_style.parse2(path.stream())?;
            let text: syn::LitStr = syn::parse2(text.into())?;
            structs.add(&path, Some(Struct::decode(&text.value())?));
        }
        Ok(structs)
    }
}

/// The path without arguments, as text.
fn key(path: &syn::Path) -> String {
    without_arguments(path).to_token_stream().to_string()
}

impl Struct {
    /// A struct of which the structs inside are known.
    pub fn new(item: &syn::ItemStruct, inner: Structs) -> Struct {
        let mut item = item.clone();
        item.attrs.clear();
        item.fields.iter_mut().for_each(|f| f.attrs.clear());
        Struct {
            name: item.ident.to_string(),
            item,
            inner,
        }
    }

    /// What the companion says.
    pub fn encode(&self) -> String {
        let (item, inner) = (&self.item, self.inner.encode());
        quote!({ #item } #inner).to_string()
    }

    /// The reverse.
    ///
    /// # Errors
    /// If something else is written.
    pub fn decode(text: &str) -> syn::Result<Struct> {
        let wrong = || syn::Error::new(proc_macro2::Span::call_site(), "no struct");
        let tokens: TokenStream = text.parse().map_err(|_| wrong())?;
        let mut tokens = tokens.into_iter();
        let Some(TokenTree::Group(item)) = tokens.next() else {
            return Err(wrong());
        };
        let item = syn::parse2(item.stream())?;
        Ok(Struct::new(&item, Structs::decode(tokens.collect())?))
    }

    /// The names of the fields in order; those of a tuple struct are numbers.
    pub fn fields(&self) -> Vec<String> {
        let names = self.item.fields.iter().enumerate();
        let name = |(k, f): (usize, &syn::Field)| match &f.ident {
            Some(ident) => ident.to_string(),
            None => k.to_string(),
        };
        names.map(name).collect()
    }

    /// The types of its fields, where the struct is mentioned so.
    pub(super) fn parts(&self, path: &syn::Path, errors: &mut Errors) -> Result<Vec<Tree>> {
        let given = path.segments.last().map(|s| &s.arguments);
        let given: Vec<syn::GenericArgument> = match given {
            Some(syn::PathArguments::AngleBracketed(list)) => list.args.iter().cloned().collect(),
            _ => vec![],
        };
        let params = self.item.generics.params.iter();
        let params = params.filter(|p| !matches!(p, syn::GenericParam::Lifetime(_)));
        let names = params.map(|p| match p {
            syn::GenericParam::Type(t) => t.ident.to_string(),
            syn::GenericParam::Const(c) => c.ident.to_string(),
            syn::GenericParam::Lifetime(l) => l.lifetime.to_string(),
        });
        let given = given.iter().map(ToTokens::to_token_stream);
        let names: Vec<(String, TokenStream)> = names.zip(given).collect();
        let outer = std::mem::replace(&mut errors.structs, self.inner.clone());
        let parts: Vec<Result<Tree>> = (self.item.fields.iter())
            .map(|field| {
                let ty = syn::parse2(put(field.ty.to_token_stream(), &names));
                Tree::part(&ty.map_err(|e| errors.add(e))?, errors)
            })
            .collect();
        errors.structs = outer;
        parts.into_iter().collect()
    }
}

/// Tokens with others in the place of some names, where these do not stand behind `::`.
pub(crate) fn put(tokens: TokenStream, names: &[(String, TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut behind_colon = false;
    for token in tokens {
        let was_behind_colon = std::mem::replace(&mut behind_colon, false);
        match token {
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), put(group.stream(), names));
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
            }
            TokenTree::Ident(ident) if !was_behind_colon => {
                match names.iter().find(|(name, _)| ident == name) {
                    Some((_, tokens)) => out.extend(tokens.clone()),
                    None => out.extend([TokenTree::Ident(ident)]),
                }
            }
            TokenTree::Punct(punct) => {
                // The second colon; one alone stands before a type.
                behind_colon = punct.as_char() == ':'
                    && (was_behind_colon || punct.spacing() == Spacing::Joint);
                out.extend([TokenTree::Punct(punct)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// Which fields of a struct hold reals, if the structs inside of it are known.
pub(crate) fn real_fields(item: &syn::ItemStruct, inner: &Structs) -> Vec<bool> {
    let mut errors = Errors::knowing(inner.clone());
    errors.real = RealType::of_struct(item);
    let is_real =
        |field: &syn::Field| Tree::part(&field.ty, &mut errors).is_ok_and(|t| t.is_real());
    item.fields.iter().map(is_real).collect()
}

/// Looks at a struct that derives `Differentiable`. Notes structs inside of it that are not known yet.
///
/// # Errors
/// With what is wrong with it, which is reported.
pub(crate) fn derived(
    item: &syn::ItemStruct,
    inner: &Structs,
    errors: &mut Errors,
) -> Result<Struct> {
    let of = Struct::new(item, inner.clone());
    errors.structs = inner.clone();
    errors.real = RealType::of_struct(item);
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return Err(errors.on(
            lifetime,
            "a gradient is a struct of this type, too, so it holds its fields by value; write owned \
             types such as `Array1<f64>` or `Vec<f64>`",
        ));
    }
    let mut sound = Ok(());
    let mut real = false;
    for field in &item.fields {
        match Tree::part(&field.ty, errors) {
            Ok(tree) if tree.any(&super::types::Written::is_borrowed) => {
                sound = Err(errors.on(
                    &field.ty,
                    "a gradient is a struct of this type, too, so it holds its fields by value; write \
                     an owned type such as `Array1<f64>` or `Vec<f64>`",
                ));
            }
            Ok(tree) => real |= tree.is_real(),
            Err(reported) => sound = Err(reported),
        }
    }
    sound?;
    if !real {
        return Err(errors.on(
            &item.ident,
            "nothing to differentiate: no field is real; integers and bools are constants",
        ));
    }
    Ok(of)
}
