//! `#[derive(Differentiable)]`: how a struct takes itself apart and puts itself together, for generated
//! code that cannot name its fields, and a companion that says what they are.

use crate::defect::entered;
use crate::front::attr::root;
use crate::front::error::{Errors, Loc};
use crate::front::nesting;
use crate::front::structs::{self, Structs};
use crate::link::{self, Part, Place, Request};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;

/// Expands `#[derive(Differentiable)] item`; the place is that of the struct.
pub fn derive(item: TokenStream, place: &Place) -> TokenStream {
    entered(TokenStream::new, || begun(item, place))
}

fn begun(item: TokenStream, place: &Place) -> TokenStream {
    if let Some(span) = nesting::too_deep(&item) {
        let mut errors = Errors::default();
        errors.at(span, nesting::MESSAGE);
        return compile_errors(errors);
    }
    let item = crate::front::beside::written_out(item, &place.beside);
    let of: syn::ItemStruct = match syn::parse2(item.clone()) {
        Ok(of) => of,
        Err(_) => {
            let mut errors = Errors::default();
            errors.at(
                Loc::of(&item),
                "only structs can be differentiated: an enum has no tangents; write its variants as an \
                 integer constant, with `match`, and the parts of it that are real as a struct",
            );
            return compile_errors(errors);
        }
    };
    let mut errors = Errors::default();
    let root = match root_of(&of, &mut errors) {
        Ok(path) => root(path.as_ref()),
        Err(_) => return compile_errors(errors),
    };
    let impls = implementations(&of, &root);
    let request = Request {
        attr: TokenStream::new(),
        item,
        place: place.clone(),
        part: Part::Struct,
        known: vec![],
    };
    let companion = companion(&request, &Structs::default());
    quote!(#impls #companion)
}

/// The companion of a struct, or an invocation that finds out what it needs.
pub(crate) fn companion(request: &Request, known: &Structs) -> TokenStream {
    let of: syn::ItemStruct = match syn::parse2(request.item.clone()) {
        Ok(of) => of,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let derived = structs::derived(&of, known, &mut errors);
    let missing = errors.take_missing();
    if errors.is_empty() && !missing.is_empty() {
        let path = root_of(&of, &mut errors).ok().flatten();
        return link::ask(request, &missing, &of.ident, &root(path.as_ref()));
    }
    let sound = derived.ok().filter(|_| !errors.is_missing());
    let companion = link::companion_of_struct(&of, sound.as_ref(), &request.place);
    let of_sound = sound.is_some().then(|| {
        let path = root_of(&of, &mut errors).ok().flatten();
        let root = root(path.as_ref());
        let refill = refill(&of, &root);
        let parameters = parameters(&of, &structs::real_fields(&of, known), &root);
        quote!(#refill #parameters)
    });
    let errors = compile_errors(errors);
    quote!(#errors #companion #of_sound)
}

/// The numbers of a struct as one vector: those of its real fields, one field after another.
///
/// The real type is whichever these fields have, so that nothing has to be known of the structs
/// among them.
fn parameters(of: &syn::ItemStruct, is_real: &[bool], root: &TokenStream) -> TokenStream {
    let ident = &of.ident;
    let number = syn::Ident::new("__Number", Span::mixed_site());
    let rt = quote!(#root::runtime);
    let mut generics = of.generics.clone();
    generics.params.push(syn::parse_quote!(#number: #rt::Real));
    let fields = || of.fields.iter().zip(of.fields.members()).zip(is_real);
    let clause = generics.make_where_clause();
    for ((field, _), _) in fields().filter(|(_, is_real)| **is_real) {
        let ty = &field.ty;
        clause
            .predicates
            .push(syn::parse_quote!(#ty: #rt::Parameters<#number>));
    }
    let (impl_generics, _, clause) = generics.split_for_impl();
    let (_, of_generics, _) = of.generics.split_for_impl();
    let reals: Vec<syn::Member> = (fields().filter(|(_, is_real)| **is_real))
        .map(|((_, member), _)| member)
        .collect();
    let types = fields().filter(|(_, is_real)| **is_real);
    let types = types.map(|((field, _), _)| &field.ty);
    let names = reals.iter().map(|member| match member {
        syn::Member::Named(ident) => ident.unraw().to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    });
    let copies = fields().map(|((_, member), is_real)| match is_real {
        true => quote!(#member: #rt::Parameters::copied_with(&self.#member, f)),
        false => quote!(#member: ::core::clone::Clone::clone(&self.#member)),
    });
    let cfg = of.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    // A public struct may have fields of private types, and those that are cloned may be `Copy`.
    let allow = quote!(#[allow(private_interfaces, private_bounds, clippy::clone_on_copy)]);
    quote! {
        #(#cfg)*
        #[automatically_derived]
        #allow
        impl #impl_generics #rt::Parameters<#number> for #ident #of_generics #clause {
            const FIXED_COUNT: ::core::option::Option<usize> = #rt::parameters::added(&[
                #(<#types as #rt::Parameters<#number>>::FIXED_COUNT,)*
            ]);
            fn count(&self) -> usize {
                0 #(+ #rt::Parameters::count(&self.#reals))*
            }
            fn each_real(&self, f: &mut impl ::core::ops::FnMut(#number)) {
                #(#rt::Parameters::each_real(&self.#reals, f);)*
            }
            fn each_real_mut(&mut self, f: &mut impl ::core::ops::FnMut(&mut #number)) {
                #(#rt::Parameters::each_real_mut(&mut self.#reals, f);)*
            }
            #[track_caller]
            fn each_pair(&self, other: &Self, f: &mut impl ::core::ops::FnMut(#number, #number)) {
                #(#rt::Parameters::each_pair(&self.#reals, &other.#reals, f);)*
            }
            #[track_caller]
            fn each_pair_mut(
                &mut self,
                other: &Self,
                f: &mut impl ::core::ops::FnMut(&mut #number, #number),
            ) {
                #(#rt::Parameters::each_pair_mut(&mut self.#reals, &other.#reals, f);)*
            }
            fn copied_with(&self, f: &mut impl ::core::ops::FnMut(#number) -> #number) -> Self {
                Self { #(#copies),* }
            }
            fn push_names(
                &self,
                path: &str,
                names: &mut #rt::parameters::Names,
            ) {
                #(#rt::Parameters::push_names(
                    &self.#reals,
                    &#rt::parameters::field(path, #names),
                    names,
                );)*
            }
        }
    }
}

fn compile_errors(errors: Errors) -> TokenStream {
    (errors.combined()).map_or_else(TokenStream::new, |e| e.to_compile_error())
}

/// `#[differentiable(crate = path)]` on the struct.
fn root_of(
    of: &syn::ItemStruct,
    errors: &mut Errors,
) -> crate::front::error::Result<Option<syn::Path>> {
    let mut root = None;
    for attribute in &of.attrs {
        if !attribute.path().is_ident("differentiable") {
            continue;
        }
        let read = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                root = Some(meta.value()?.call(syn::Path::parse_mod_style)?);
                return Ok(());
            }
            Err(meta.error("the only option of a struct is `crate = path`"))
        });
        if let Err(error) = read {
            return Err(errors.add(error));
        }
    }
    Ok(root)
}

/// How a struct is written over by another one. That of a struct that is wrong would say so again.
fn refill(of: &syn::ItemStruct, root: &TokenStream) -> TokenStream {
    let syn::ItemStruct {
        ident, generics, ..
    } = of;
    let (impl_generics, of_generics, _) = generics.split_for_impl();
    let cfg = of.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let members: Vec<syn::Member> = of.fields.members().collect();
    let mut refilling = generics.clone();
    let parameters = generics.type_params().map(|p| &p.ident);
    let parameters: Vec<TokenStream> = parameters
        .map(|ident| quote!(#ident: #root::runtime::Real))
        .collect();
    if !parameters.is_empty() {
        let clause = refilling.make_where_clause();
        for bound in parameters {
            clause.predicates.push(syn::parse_quote!(#bound));
        }
    }
    let refilled = &refilling.where_clause;
    let rt = quote!(#root::runtime);
    quote! {
        #(#cfg)*
        #[automatically_derived]
        #[allow(private_interfaces, private_bounds)]
        impl #impl_generics #rt::kernels::Refill for #ident #of_generics #refilled {
            #[track_caller]
            fn refill(&mut self, from: Self) {
                #(#rt::kernels::Refill::refill(&mut self.#members, from.#members);)*
            }
        }
    }
}

fn implementations(of: &syn::ItemStruct, root: &TokenStream) -> TokenStream {
    let syn::ItemStruct {
        ident, generics, ..
    } = of;
    let (impl_generics, of_generics, clause) = generics.split_for_impl();
    let cfg: Vec<_> = of
        .attrs
        .iter()
        .filter(|a| a.path().is_ident("cfg"))
        .collect();
    let types: Vec<&syn::Type> = of.fields.iter().map(|f| &f.ty).collect();
    let members: Vec<syn::Member> = of.fields.members().collect();
    let names: Vec<syn::Ident> = (0..types.len())
        .map(|k| format_ident!("field_{k}", span = Span::mixed_site()))
        .collect();
    let life = syn::Lifetime::new("'__fields", Span::mixed_site());
    let mut borrowing = generics.clone();
    borrowing.params.insert(0, syn::parse_quote!(#life));
    let bounds = generics.type_params().map(|p| p.ident.to_token_stream());
    let bounds: Vec<TokenStream> = bounds.map(|ident| quote!(#ident: #life)).collect();
    let mut with_bounds = borrowing.clone();
    if !bounds.is_empty() {
        let clause = with_bounds.make_where_clause();
        for bound in &bounds {
            clause.predicates.push(syn::parse_quote!(#bound));
        }
    }
    let (borrowing, _, bounded) = with_bounds.split_for_impl();
    let rt = quote!(#root::runtime);
    // A public struct may have fields of private types.
    let allow = quote!(#[allow(private_interfaces, private_bounds)]);
    quote! {
        #(#cfg)*
        #[automatically_derived]
        #allow
        impl #impl_generics #rt::Differentiable for #ident #of_generics #clause {}

        #(#cfg)*
        #[automatically_derived]
        #allow
        impl #borrowing #rt::kernels::Fields<#life, (#(&#life #types,)*)>
            for #ident #of_generics #bounded
        {
            #[inline]
            fn fields(&#life self) -> (#(&#life #types,)*) {
                (#(&self.#members,)*)
            }
        }

        #(#cfg)*
        #[automatically_derived]
        #allow
        impl #impl_generics #rt::kernels::Made<(#(#types,)*)> for #ident #of_generics #clause {
            #[inline]
            fn made((#(#names,)*): (#(#types,)*)) -> Self {
                Self { #(#members: #names,)* }
            }
        }
    }
}
