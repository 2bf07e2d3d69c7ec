//! Structs and enums that derive `Differentiable`. A function sees the name of a struct and not its
//! fields; these it asks the companion of the struct for, see [`crate::link`].

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::callee::without_arguments;
use super::data::Tree;
use super::error::{Errors, Result};
use super::opaque;
use super::real::RealType;
use super::types::with_article;
use proc_macro2::{Group, Literal, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::visit::Visit;

/// What is known of a struct or an enum.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// The definition, without attributes except marks of constant fields.
    item: syn::DeriveInput,
    /// The structs that its fields are made of.
    inner: Structs,
    /// Whether it stands for a constant of another type that is carried, see [`super::opaque`].
    pub(super) is_opaque: bool,
}

/// A part of a struct or an enum. An enum has its discriminant, an integer, and then the fields of
/// all variants, of which only those of one variant hold values:
///
/// ```text
/// enum Activation { Relu, Elu { alpha: f64 } }   is   (i64, f64)
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The name of the field, a number in a tuple struct; `Elu.alpha` in an enum.
    pub(crate) name: String,
    /// Its type, in the generics of the definition.
    pub(crate) ty: syn::Type,
    /// Whether it is carried and never looked into.
    pub(crate) is_opaque: bool,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// Its name.
    pub(crate) name: String,
    /// The names of its fields, numbers in a tuple variant.
    pub(crate) fields: Vec<String>,
    /// Which part of the enum its first field is.
    pub(crate) first: usize,
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

    /// The fields of a struct, and of all structs inside of it, which these are.
    pub(super) fn each_field(&self, item: &syn::DeriveInput, f: &mut dyn FnMut(&syn::Field)) {
        fields(item).into_iter().for_each(&mut *f);
        for of in self.known.values().flatten() {
            of.inner.each_field(&of.item, f);
        }
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

/// The structs and enums that a function declares in its body.
pub(super) fn declared(item: &TokenStream) -> Vec<syn::DeriveInput> {
    #[derive(Default)]
    struct Declared(Vec<syn::DeriveInput>);
    impl<'ast> Visit<'ast> for Declared {
        fn visit_item_struct(&mut self, of: &'ast syn::ItemStruct) {
            self.0.push(of.clone().into());
        }
        fn visit_item_enum(&mut self, of: &'ast syn::ItemEnum) {
            self.0.push(of.clone().into());
        }
    }
    let mut declared = Declared::default();
    if super::nesting::too_deep(item).is_none()
        && let Ok(function) = syn::parse2::<syn::ItemFn>(item.clone())
    {
        declared.visit_item_fn(&function);
    }
    declared.0
}

/// Whether types of a body have names of their own.
///
/// # Errors
/// For each that has not, which is reported.
pub(super) fn check_declared(
    item: &TokenStream,
    sig: &syn::Signature,
    errors: &mut Errors,
) -> Result<()> {
    let mut sound = Ok(());
    let mut all = declared(item);
    while let Some(of) = all.pop() {
        let is_mentioned = super::tables::mentions(&sig.to_token_stream(), &of.ident);
        if is_mentioned || all.iter().any(|other| other.ident == of.ident) {
            let message = format!(
                "`{}` is the name of two types here; rename this one",
                of.ident
            );
            sound = Err(errors.on(&of.ident, message));
        }
    }
    sound
}

/// The path without arguments, as text.
fn key(path: &syn::Path) -> String {
    without_arguments(path).to_token_stream().to_string()
}

impl Struct {
    /// A struct of which the structs inside are known.
    pub fn new(item: &syn::DeriveInput, inner: Structs) -> Struct {
        let mut item = item.clone();
        item.attrs.clear();
        if let syn::Data::Enum(of) = &mut item.data {
            of.variants.iter_mut().for_each(|v| v.attrs.clear());
        }
        for field in fields_mut(&mut item) {
            field.attrs.retain(is_mark);
        }
        Struct {
            name: item.ident.to_string(),
            item,
            inner,
            is_opaque: false,
        }
    }

    /// What stands for a constant that is carried.
    pub(super) fn opaque() -> Struct {
        let item = syn::parse_quote!(
            struct Constant;
        );
        Struct {
            is_opaque: true,
            ..Struct::new(&item, Structs::default())
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

    /// Its parts, in order.
    pub(crate) fn described(&self) -> Vec<Part> {
        let part = |variant: &str, k: usize, field: &syn::Field| Part {
            name: format!("{variant}{}", field_name(k, field)),
            ty: field.ty.clone(),
            is_opaque: field.attrs.iter().any(is_mark),
        };
        match &self.item.data {
            syn::Data::Struct(of) => {
                let fields = of.fields.iter().enumerate();
                fields.map(|(k, f)| part("", k, f)).collect()
            }
            syn::Data::Enum(of) => {
                let mut parts = vec![Part {
                    name: DISCRIMINANT.to_owned(),
                    ty: syn::parse_quote!(i64),
                    is_opaque: false,
                }];
                for variant in &of.variants {
                    let of = format!("{}.", variant.ident.unraw());
                    let fields = variant.fields.iter().enumerate();
                    parts.extend(fields.map(|(k, f)| part(&of, k, f)));
                }
                parts
            }
            syn::Data::Union(_) => vec![],
        }
    }

    /// The names of its parts.
    pub fn fields(&self) -> Vec<String> {
        self.described().into_iter().map(|p| p.name).collect()
    }

    /// The variants, if it is an enum.
    pub(crate) fn variants(&self) -> Option<Vec<Variant>> {
        let syn::Data::Enum(of) = &self.item.data else {
            return None;
        };
        let mut first = 1;
        let variants = of.variants.iter().map(|v| {
            let fields = v.fields.iter().enumerate();
            let fields: Vec<String> = fields.map(|(k, f)| field_name(k, f)).collect();
            first += fields.len();
            Variant {
                name: v.ident.unraw().to_string(),
                first: first - fields.len(),
                fields,
            }
        });
        Some(variants.collect())
    }

    /// Whether it is an enum.
    pub fn is_enum(&self) -> bool {
        matches!(self.item.data, syn::Data::Enum(_))
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
        let parts: Vec<Result<Tree>> = (self.described().iter())
            .map(|part| {
                let ty = syn::parse2(put(part.ty.to_token_stream(), &names));
                let ty = ty.map_err(|e| errors.add(e))?;
                match part.is_opaque {
                    true => Ok(Tree::opaque(&ty)),
                    false => Tree::part(&ty, errors),
                }
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

/// The part of an enum that says which variant it is; no field has this name.
pub(crate) const DISCRIMINANT: &str = "";

/// The name of a field, by its number in a tuple struct.
pub(crate) fn field_name(k: usize, field: &syn::Field) -> String {
    match &field.ident {
        Some(ident) => ident.to_string(),
        None => k.to_string(),
    }
}

/// The fields of a struct, or of all variants of an enum.
pub(crate) fn fields(item: &syn::DeriveInput) -> Vec<&syn::Field> {
    match &item.data {
        syn::Data::Struct(of) => of.fields.iter().collect(),
        syn::Data::Enum(of) => of.variants.iter().flat_map(|v| &v.fields).collect(),
        syn::Data::Union(_) => vec![],
    }
}

fn fields_mut(item: &mut syn::DeriveInput) -> Vec<&mut syn::Field> {
    match &mut item.data {
        syn::Data::Struct(of) => of.fields.iter_mut().collect(),
        syn::Data::Enum(of) => {
            let variants = of.variants.iter_mut();
            variants.flat_map(|v| &mut v.fields).collect()
        }
        syn::Data::Union(_) => vec![],
    }
}

/// Whether an attribute is `#[differentiable(constant)]`.
fn is_mark(attribute: &syn::Attribute) -> bool {
    let is_ours = attribute.path().is_ident("differentiable");
    is_ours
        && attribute
            .parse_args::<syn::Ident>()
            .is_ok_and(|i| i == "constant")
}

/// What is known of the fields of a struct or an enum.
pub(crate) struct Known {
    /// Whether each holds reals.
    pub(crate) is_real: Vec<bool>,
    /// Whether each is carried and never looked into.
    pub(crate) is_opaque: Vec<bool>,
    /// Whether any is, or holds what is.
    pub(crate) has_opaque: bool,
}

/// What is known of the fields of a sound struct, if the structs inside of it are known.
pub(crate) fn known(of: &Struct) -> Known {
    let mut errors = Errors::knowing(of.inner.clone());
    errors.real = RealType::of_struct(&of.item, &of.inner);
    let tree = |field: &&syn::Field| match field.attrs.iter().any(is_mark) {
        true => Some(Tree::opaque(&field.ty)),
        false => Tree::part(&field.ty, &mut errors).ok(),
    };
    let trees: Vec<Option<Tree>> = fields(&of.item).iter().map(tree).collect();
    let holds = |of: &dyn Fn(&Tree) -> bool| -> Vec<bool> {
        trees.iter().map(|t| t.as_ref().is_some_and(of)).collect()
    };
    Known {
        is_real: holds(&Tree::is_real),
        is_opaque: holds(&Tree::is_opaque),
        has_opaque: holds(&Tree::has_opaque).contains(&true),
    }
}

/// Looks at a struct or an enum that derives `Differentiable`. Notes structs inside of it that are
/// not known yet.
///
/// # Errors
/// With what is wrong with it, which is reported.
pub(crate) fn derived(
    item: &syn::DeriveInput,
    inner: &Structs,
    errors: &mut Errors,
) -> Result<Struct> {
    errors.structs = inner.clone();
    errors.real = RealType::of_struct(item, inner);
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return Err(errors.on(lifetime, BORROWED));
    }
    if let syn::Data::Union(of) = &item.data {
        return Err(errors.on(
            &of.union_token,
            "a union does not say which of its fields holds a value; write an enum",
        ));
    }
    if matches!(&item.data, syn::Data::Enum(of) if of.variants.is_empty()) {
        return Err(errors.on(
            &item.ident,
            "an enum without variants has no values; add a variant",
        ));
    }
    let is_enum = matches!(item.data, syn::Data::Enum(_));
    let mut sound = Ok(());
    let mut real = false;
    let mut marked = item.clone();
    for (field, marked) in fields(item).into_iter().zip(fields_mut(&mut marked)) {
        match field_of(field, errors) {
            Ok(tree) if is_enum && tree.has_opaque() => {
                sound = Err(errors.on(
                    &field.ty,
                    "a variant of an enum holds no constant that is only carried; hold it in a struct, \
                     beside the enum",
                ));
            }
            Ok(tree) => {
                real |= tree.is_real();
                if tree.is_opaque() && !field.attrs.iter().any(is_mark) {
                    marked.attrs = vec![syn::parse_quote!(#[differentiable(constant)])];
                } else if !tree.is_opaque() {
                    marked.attrs.clear();
                }
            }
            Err(reported) => sound = Err(reported),
        }
    }
    sound?;
    if !real && !is_enum {
        return Err(errors.on(
            &item.ident,
            "nothing to differentiate: no field is real; integers and bools are constants",
        ));
    }
    Ok(Struct::new(&marked, inner.clone()))
}

const BORROWED: &str = "a gradient is a value of this type, too, so it holds its fields by value; write \
                        owned types such as `Array1<f64>` or `Vec<f64>`";

/// What a field is made of.
fn field_of(field: &syn::Field, errors: &mut Errors) -> Result<Tree> {
    for attribute in &field.attrs {
        if attribute.path().is_ident("differentiable") && !is_mark(attribute) {
            return Err(errors.on(attribute, "the only option of a field is `constant`"));
        }
    }
    let is_marked = field.attrs.iter().any(is_mark);
    if opaque::is_known(&field.ty) {
        return Ok(Tree::opaque(&field.ty));
    }
    if is_marked {
        // Integers and bools are constants that can be read.
        let mut quiet = Errors::knowing(errors.structs.clone());
        quiet.real = errors.real.clone();
        let tree = Tree::part(&field.ty, &mut quiet);
        let is_sound = quiet.take_missing().is_empty() && quiet.is_empty();
        return Ok(match tree {
            Ok(tree) if is_sound && !tree.is_real() => tree,
            Ok(_) | Err(_) => Tree::opaque(&field.ty),
        });
    }
    if let Some(name) = opaque::holder(&field.ty) {
        let message = format!(
            "{} is not looked into; hold its numbers in fields of their own, or mark a field that is \
             only carried: `#[differentiable(constant)]`",
            with_article(&name)
        );
        return Err(errors.on(&field.ty, message));
    }
    let tree = Tree::part(&field.ty, errors)?;
    match tree.any(&super::types::Written::is_borrowed) {
        true => Err(errors.on(&field.ty, BORROWED)),
        false => Ok(tree),
    }
}
