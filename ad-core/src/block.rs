//! `#[differentiable] impl Model { .. }`: expands each function of the block that carries the
//! attribute as that function would be expanded by itself, with what the block says: what `Self`
//! is, which generics there are, and where companions may stand.
//!
//! ```text
//! #[differentiable] impl<T: Real> Model<T> { #[differentiable] fn energy(&self, x: T) -> T { .. } }
//!    ⟶  impl<T: Real> Model<T> { fn energy .. fn energy_grad .. }
//!        macro_rules! Model_energy_.. { .. }
//! ```
//!
//! Companions stand beside the block, under a name made of the type's and the function's. The
//! generated functions of `impl Trait for Model` stand in an inherent block: a trait has no room
//! for them.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is left alone"
)]

use crate::expansion::{Parts, in_editor, parts};
use crate::front::error::Errors;
use crate::front::{beside, nesting, receiver};
use crate::link::{Around, Member, Place};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;

/// Whether an item is an `impl` block, by its first words.
pub(crate) fn is_block(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '#' => {
                tokens.next();
            }
            TokenTree::Ident(word) if word == "unsafe" || word == "default" => {}
            TokenTree::Ident(word) => return word == "impl",
            TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => return false,
        }
    }
    false
}

/// Expands `#[differentiable(attr)] impl .. { .. }`, at a place.
pub(crate) fn expand(attr: TokenStream, item: TokenStream, place: &Place) -> TokenStream {
    let mut errors = Errors::default();
    if let Some(span) = nesting::too_deep(&item) {
        errors.at(span, nesting::MESSAGE);
        return beside(errors, &item);
    }
    let mut block: syn::ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            errors.add(error);
            return beside(errors, &item);
        }
    };
    let root = root(attr, &mut errors);
    let owner = Owner::of(&block, &mut errors);
    let annotated = (block.items.iter_mut()).map(|item| match item {
        syn::ImplItem::Fn(function) => taken(&mut function.attrs),
        _ => None,
    });
    let annotated: Vec<Option<TokenStream>> = annotated.collect();
    if annotated.iter().all(Option::is_none) {
        errors.on(
            &block.impl_token,
            "no function of this block is annotated; write `#[differentiable]` at each one that is to \
             have derivatives",
        );
    }
    let Some(owner) = owner else {
        return beside(errors, &block.into_token_stream());
    };
    let of_trait = block.trait_.is_some();
    let mut others = TokenStream::new();
    let mut outside = TokenStream::new();
    for (item, attr) in block.items.iter_mut().zip(annotated) {
        let (syn::ImplItem::Fn(function), Some(attr)) = (&*item, attr) else {
            continue;
        };
        let attr = match &root {
            Some(root) if !attr.is_empty() => quote!(#attr, #root),
            Some(root) => root.clone(),
            None => attr,
        };
        let Parts {
            item: mut written,
            functions,
            beside,
        } = owner.expanded(attr, function, place);
        match of_trait {
            true => others.extend(functions),
            false => written.extend(functions),
        }
        outside.extend(beside);
        *item = syn::ImplItem::Verbatim(written);
    }
    let inherent = of_trait.then(|| owner.inherent(&block, &others));
    beside(errors, &quote!(#block #inherent #outside))
}

/// Errors, and what was written.
fn beside(errors: Errors, item: &TokenStream) -> TokenStream {
    let errors = errors.combined().map(|e| e.to_compile_error());
    quote!(#errors #item)
}

/// The option that holds for all functions: `crate = path`.
fn root(attr: TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let parser = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
    let options = match syn::parse::Parser::parse2(parser, attr) {
        Ok(options) => options,
        Err(error) => {
            errors.add(error);
            return None;
        }
    };
    let mut root = None;
    for option in options {
        match &option {
            syn::Meta::NameValue(pair) if pair.path.is_ident("crate") => {
                root = Some(option.to_token_stream());
            }
            _ => {
                errors.on(
                    &option,
                    "options stand at the functions of the block; write `#[differentiable]` here, and \
                     `#[differentiable(..)]` with this option at a function",
                );
            }
        }
    }
    root
}

/// The arguments of the attribute on a function, which is taken away.
fn taken(attrs: &mut Vec<syn::Attribute>) -> Option<TokenStream> {
    let is_ours = |a: &syn::Attribute| {
        let last = a.path().segments.last();
        last.is_some_and(|s| s.ident == "differentiable")
    };
    let at = attrs.iter().position(is_ours)?;
    Some(match attrs.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
    })
}

/// What a block says of its functions.
struct Owner {
    /// `Self`
    ty: syn::Type,
    /// The type without a reference, for an inherent block.
    bare: syn::TypePath,
    member: Member,
    generics: syn::Generics,
    /// The parameters that an inherent block has.
    kept: BTreeSet<String>,
    /// `type Output = ..`
    types: Vec<(String, TokenStream)>,
    /// Whether the functions are those of a trait, and as visible as that.
    of_trait: bool,
}

impl Owner {
    fn of(block: &syn::ItemImpl, errors: &mut Errors) -> Option<Owner> {
        let ty = &*block.self_ty;
        let bare = match ty {
            syn::Type::Reference(r) => &*r.elem,
            ty => ty,
        };
        let path = match bare {
            syn::Type::Path(path) if path.qself.is_none() => Some(path.clone()),
            _ => None,
        };
        let last = (path.as_ref()).and_then(|p| Some(p.path.segments.last()?.ident.unraw()));
        let is_ours = |name: &Ident| {
            let name = name.to_string();
            name.starts_with(char::is_uppercase)
                && !name.starts_with("Array")
                && !matches!(
                    name.as_str(),
                    "Vec" | "Box" | "Rc" | "Arc" | "Option" | "String"
                )
        };
        let (Some(bare), Some(last)) = (path, last.filter(is_ours)) else {
            errors.on(
                ty,
                "the generated functions stand in an `impl` block of this type, and it has one in its own \
                 crate only; write an annotated free function, and call it from this block",
            );
            return None;
        };
        let owner = match &block.trait_ {
            Some((path, _)) => quote!(<#ty as #path>).to_string(),
            None => "Self".to_owned(),
        };
        let types = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Type(of) => Some((of.ident.to_string(), of.ty.to_token_stream())),
            _ => None,
        });
        let words = words(bare.to_token_stream());
        let kept = block.generics.params.iter().map(name_of);
        let kept = kept.filter(|name| block.trait_.is_none() || words.contains(name));
        Some(Owner {
            ty: ty.clone(),
            bare,
            member: Member {
                of: last.to_string(),
                owner,
            },
            generics: block.generics.clone(),
            kept: kept.collect(),
            types: types.collect(),
            of_trait: block.trait_.is_some(),
        })
    }

    fn expanded(&self, attr: TokenStream, function: &syn::ImplItemFn, place: &Place) -> Parts {
        let syn::ImplItemFn {
            attrs,
            vis,
            sig,
            block,
            ..
        } = function;
        let vis = match self.of_trait {
            true => quote!(pub),
            false => quote!(#vis),
        };
        let written = function.to_token_stream();
        let bare = with_types(quote!(#(#attrs)* #vis #sig #block), &self.types);
        let explicit = receiver::explicit(bare, Some(&self.ty), true);
        let (item, own) = match syn::parse2::<syn::ItemFn>(explicit.clone()) {
            Ok(mut item) => {
                let own = self.spread(&mut item);
                (item.into_token_stream(), own)
            }
            Err(_) => (explicit, sig.generics.clone()),
        };
        if place.in_editor {
            return in_editor(attr, written, item, Some(&own));
        }
        let around = match place.around {
            Around::Module => Around::Module,
            Around::Impl | Around::Unknown => Around::Unknown,
        };
        let place = Place {
            around,
            member: Some(self.member.clone()),
            ..place.clone()
        };
        let item = beside::written_out(item, &place.beside);
        let shadowed = &place.beside.shadowed;
        parts(
            attr,
            written,
            item,
            Some(&place),
            shadowed,
            true,
            Some(&own),
        )
    }

    /// Gives a function the generics of the block that it mentions. Those that stand at the
    /// generated function are given back: they are not those of the block around it.
    fn spread(&self, item: &mut syn::ItemFn) -> syn::Generics {
        let mut mentioned = words(item.to_token_stream());
        let clause = self.generics.where_clause.iter();
        let clauses: Vec<_> = clause.flat_map(|w| &w.predicates).collect();
        // A bound of a parameter may mention another.
        loop {
            let before = mentioned.len();
            for param in &self.generics.params {
                if mentioned.contains(&name_of(param)) {
                    mentioned.extend(words(param.to_token_stream()));
                }
            }
            if mentioned.len() == before {
                break;
            }
        }
        let params = self.generics.params.iter();
        let params: Vec<_> = params
            .filter(|p| mentioned.contains(&name_of(p)))
            .cloned()
            .collect();
        let names: BTreeSet<String> = params.iter().map(name_of).collect();
        let all: BTreeSet<String> = self.generics.params.iter().map(name_of).collect();
        // What is said of a parameter that the function does not mention is of no use to it.
        let clauses = clauses.into_iter().filter(|clause| {
            let words = words(clause.to_token_stream());
            let mut of_block = words.intersection(&all).peekable();
            of_block.peek().is_some() && of_block.all(|name| names.contains(name))
        });
        let clauses: Vec<syn::WherePredicate> = clauses.cloned().collect();
        let mut own = item.sig.generics.clone();
        let is_own = |tokens: TokenStream| {
            let words = words(tokens);
            words
                .iter()
                .any(|w| names.contains(w) && !self.kept.contains(w))
        };
        for generics in [&mut item.sig.generics, &mut own] {
            let lifetimes = generics.lifetimes().count();
            for (k, param) in params.iter().enumerate() {
                let at = match param {
                    syn::GenericParam::Lifetime(_) => 0,
                    _ => lifetimes + k,
                };
                let at = at.min(generics.params.len());
                generics.params.insert(at, param.clone());
            }
            if !clauses.is_empty() {
                (generics.make_where_clause().predicates).extend(clauses.iter().cloned());
            }
        }
        let of_block = |p: &syn::GenericParam| {
            let name = name_of(p);
            names.contains(&name) && self.kept.contains(&name)
        };
        own.params = (own.params.into_iter()).filter(|p| !of_block(p)).collect();
        let count = own.where_clause.as_ref().map_or(0, |w| w.predicates.len()) - clauses.len();
        if let Some(clause) = &mut own.where_clause {
            let predicates = std::mem::take(&mut clause.predicates);
            clause.predicates = (predicates.into_iter().enumerate())
                .filter(|(k, p)| *k < count || is_own(p.to_token_stream()))
                .map(|(_, p)| p)
                .collect();
        }
        own
    }

    /// The block of the generated functions of a trait's.
    fn inherent(&self, block: &syn::ItemImpl, functions: &TokenStream) -> TokenStream {
        let mut generics = block.generics.clone();
        let kept = |name: &String| self.kept.contains(name);
        generics.params = (generics.params.into_iter())
            .filter(|p| kept(&name_of(p)))
            .collect();
        let all: BTreeSet<String> = block.generics.params.iter().map(name_of).collect();
        if let Some(clause) = &mut generics.where_clause {
            let predicates = std::mem::take(&mut clause.predicates);
            let is_kept =
                |p: &syn::WherePredicate| words(p.to_token_stream()).intersection(&all).all(kept);
            clause.predicates = predicates.into_iter().filter(is_kept).collect();
        }
        let cfg = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        let (generics, _, clause) = generics.split_for_impl();
        let ty = &self.bare;
        quote! {
            #(#cfg)*
            impl #generics #ty #clause { #functions }
        }
    }
}

/// The name of a parameter; a lifetime's without the quote.
fn name_of(param: &syn::GenericParam) -> String {
    match param {
        syn::GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
        syn::GenericParam::Type(t) => t.ident.to_string(),
        syn::GenericParam::Const(c) => c.ident.to_string(),
    }
}

/// All names in tokens.
fn words(tokens: TokenStream) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                out.insert(word.to_string());
            }
            TokenTree::Group(group) => out.extend(words(group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    out
}

/// Tokens with the types that a block declares for `Self::Output`.
fn with_types(tokens: TokenStream, types: &[(String, TokenStream)]) -> TokenStream {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while at < all.len() {
        if let [
            TokenTree::Ident(this),
            TokenTree::Punct(a),
            TokenTree::Punct(b),
            TokenTree::Ident(name),
            ..,
        ] = &all[at..]
            && this == "Self"
            && a.as_char() == ':'
            && b.as_char() == ':'
            && let Some((_, ty)) = types.iter().find(|(n, _)| name == n)
        {
            out.extend(ty.clone());
            at += 4;
            continue;
        }
        match &all[at] {
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), with_types(group.stream(), types));
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
            }
            other => out.extend([other.clone()]),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::is_block;
    use crate::expand_at;
    use crate::link::{Around, Place};
    use quote::quote;

    #[test]
    fn blocks_are_told_by_their_first_words() {
        assert!(is_block(&quote!(#[a(fn)] unsafe impl S {})));
        assert!(is_block(&quote!(
            impl<T> Tr<fn(T)> for S {}
        )));
        assert!(!is_block(&quote!(
            #[impl_it]
            fn f() -> impl Fn() {}
        )));
        assert!(!is_block(&quote!(
            pub fn f() {}
        )));
    }

    #[test]
    fn generics_stand_once() {
        let item = quote! {
            impl<'a, T: Real, const N: usize, U> Tr<'a, N> for Line<T> where T: Copy, U: Copy {
                #[differentiable]
                fn f(&self, x: &'a [T; N]) -> T { x[0] }
            }
        };
        let place = Place {
            around: Around::Module,
            unique: "u".to_owned(),
            ..Place::default()
        };
        let text = expand_at(quote!(), item, &place).to_string();
        let own = "pub fn f_grad < 'a , const N : usize > (self : & Line < T > , x : & 'a [T ; N])";
        let spaces = |text: &str| text.replace(' ', "");
        assert!(spaces(&text).contains(&spaces(own)), "{text}");
        assert!(
            spaces(&text).contains("impl<T:Real>Line<T>whereT:Copy{"),
            "{text}"
        );
    }

    #[test]
    fn an_editor_sees_signatures() {
        let place = Place {
            in_editor: true,
            ..Place::default()
        };
        let method = quote! {
            fn energy(&self, x: f64) -> f64 { self.other(x) * Self::NOWHERE.known(x) }
        };
        let alone = expand_at(quote!(wrt(self)), method.clone(), &place).to_string();
        let block = quote!(impl<T> Trait<T> for m::Model { #[differentiable(wrt(self))] #method });
        let block = expand_at(quote!(), block, &place).to_string();
        for (text, ty) in [(alone, "Self"), (block, "m::Model")] {
            let text = text.replace(' ', "");
            let head = format!("fnenergy_grad(self:&{ty},x:f64)->{ty}{{");
            assert!(text.contains(&head), "{text}");
            let has_none = !text.contains("macro_rules") && !text.contains("__resume");
            assert!(has_none && !text.contains("compile_error"), "{text}");
        }
        let of_pattern = quote!(
            fn area([width, height]: [f64; 2]) -> f64 {
                width * height
            }
        );
        let of_pattern = expand_at(quote!(grad), of_pattern, &place).to_string();
        assert!(
            of_pattern.contains("fn area_grad (argument_0"),
            "{of_pattern}"
        );
    }
}
