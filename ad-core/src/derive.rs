//! `#[derive(Differentiable)]`: how a struct or an enum takes itself apart and puts itself
//! together, for generated code that cannot name its fields, and a companion that says what they
//! are.

mod variants;

use crate::defect::entered;
use crate::front::attr::root;
use crate::front::error::Errors;
use crate::front::nesting;
use crate::front::structs::{self, Known, Structs};
use crate::link::{self, Part, Place, Request};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

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
    let of: syn::DeriveInput = match syn::parse2(item.clone()) {
        Ok(of) => of,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let root = match root_of(&of, &mut errors) {
        Ok(path) => root(path.as_ref()),
        Err(_) => return compile_errors(errors),
    };
    let impls = match &of.data {
        syn::Data::Struct(data) => implementations(&of, &data.fields, &root),
        syn::Data::Enum(data) if !data.variants.is_empty() => {
            variants::implementations(&of, data, &root)
        }
        syn::Data::Enum(_) | syn::Data::Union(_) => TokenStream::new(),
    };
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
    let of: syn::DeriveInput = match syn::parse2(request.item.clone()) {
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
    let of_sound = sound.as_ref().map(|sound| {
        let path = root_of(&of, &mut errors).ok().flatten();
        let root = root(path.as_ref());
        later(&of, &structs::known(sound), &root)
    });
    let errors = compile_errors(errors);
    quote!(#errors #companion #of_sound)
}

/// What is implemented for a struct or an enum once all is known that it is made of.
fn later(of: &syn::DeriveInput, known: &Known, root: &TokenStream) -> TokenStream {
    let (refill, parameters, absent) = match &of.data {
        syn::Data::Struct(data) => (
            refill(of, &data.fields, known, root),
            parameters(of, &data.fields, &known.is_real, root),
            absent(of, &data.fields, &quote!(Self), root),
        ),
        syn::Data::Enum(data) => (
            variants::refill(of, data, root),
            variants::parameters(of, data, &known.is_real, root),
            data.variants.first().map_or(TokenStream::new(), |first| {
                let name = &first.ident;
                absent(of, &first.fields, &quote!(Self::#name), root)
            }),
        ),
        syn::Data::Union(_) => return TokenStream::new(),
    };
    let absent = (!known.has_opaque).then_some(absent);
    quote!(#refill #parameters #absent)
}

/// A value that is never read.
fn absent(
    of: &syn::DeriveInput,
    fields: &syn::Fields,
    name: &TokenStream,
    root: &TokenStream,
) -> TokenStream {
    let rt = quote!(#root::runtime);
    let types: Vec<&syn::Type> = fields.iter().map(|f| &f.ty).collect();
    let head = Head::of(of, &types, &quote!(#rt::kernels::Absent));
    let members = fields.members();
    head.implement(
        &quote!(#rt::kernels::Absent),
        &quote! {
            fn absent() -> Self {
                #name { #(#members: #rt::kernels::Absent::absent()),* }
            }
        },
    )
}

/// The head of an implementation for a derived type.
struct Head<'a> {
    of: &'a syn::DeriveInput,
    generics: syn::Generics,
}

impl<'a> Head<'a> {
    /// An implementation that asks this of these types, if the type is generic.
    fn of(of: &'a syn::DeriveInput, types: &[&syn::Type], bound: &TokenStream) -> Head<'a> {
        let mut generics = of.generics.clone();
        if generics.type_params().next().is_some() {
            let clause = generics.make_where_clause();
            for ty in types {
                clause.predicates.push(syn::parse_quote!(#ty: #bound));
            }
        }
        Head { of, generics }
    }

    fn implement(&self, of_trait: &TokenStream, body: &TokenStream) -> TokenStream {
        let (impl_generics, _, clause) = self.generics.split_for_impl();
        let (_, of_generics, _) = self.of.generics.split_for_impl();
        let ident = &self.of.ident;
        let cfg = self.of.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        // A public type may have fields of private types, and what is cloned may be `Copy`.
        quote! {
            #(#cfg)*
            #[automatically_derived]
            #[allow(private_interfaces, private_bounds, clippy::clone_on_copy)]
            impl #impl_generics #of_trait for #ident #of_generics #clause { #body }
        }
    }
}

/// The numbers of a struct as one vector: those of its real fields, one field after another.
///
/// The real type is whichever these fields have, so that nothing has to be known of the structs
/// among them.
fn parameters(
    of: &syn::DeriveInput,
    all: &syn::Fields,
    is_real: &[bool],
    root: &TokenStream,
) -> TokenStream {
    let number = syn::Ident::new("__Number", Span::mixed_site());
    let rt = quote!(#root::runtime);
    let mut generics = of.generics.clone();
    generics.params.push(syn::parse_quote!(#number: #rt::Real));
    let fields = || all.iter().zip(all.members()).zip(is_real);
    let clause = generics.make_where_clause();
    for ((field, _), _) in fields().filter(|(_, is_real)| **is_real) {
        let ty = &field.ty;
        clause
            .predicates
            .push(syn::parse_quote!(#ty: #rt::Parameters<#number>));
    }
    let reals: Vec<syn::Member> = (fields().filter(|(_, is_real)| **is_real))
        .map(|((_, member), _)| member)
        .collect();
    let types = fields().filter(|(_, is_real)| **is_real);
    let types = types.map(|((field, _), _)| &field.ty);
    let names = reals.iter().map(|member| match member {
        syn::Member::Named(ident) => ident.unraw().to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    });
    let copies = fields().map(|((field, member), is_real)| match is_real {
        true => quote!(#member: #rt::Parameters::copied_with(&self.#member, f)),
        // At the field, where rustc says that its type is not `Clone`.
        false => quote_spanned!(field.ty.span()=>
            #member: ::core::clone::Clone::clone(&self.#member)
        ),
    });
    let head = Head { of, generics };
    head.implement(
        &quote!(#rt::Parameters<#number>),
        &quote! {
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
        },
    )
}

fn compile_errors(errors: Errors) -> TokenStream {
    (errors.combined()).map_or_else(TokenStream::new, |e| e.to_compile_error())
}

/// `#[differentiable(crate = path)]` on the struct.
fn root_of(
    of: &syn::DeriveInput,
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
fn refill(
    of: &syn::DeriveInput,
    fields: &syn::Fields,
    known: &Known,
    root: &TokenStream,
) -> TokenStream {
    let rt = quote!(#root::runtime);
    let refilled = fields.members().zip(&known.is_opaque);
    let refilled = refilled.map(|(member, is_opaque)| match is_opaque {
        true => quote!(self.#member = from.#member;),
        false => quote!(#rt::kernels::Refill::refill(&mut self.#member, from.#member);),
    });
    let mut head = Head::of(of, &[], &TokenStream::new());
    with_real_parameters(&mut head.generics, &rt);
    head.implement(
        &quote!(#rt::kernels::Refill),
        &quote! {
            #[track_caller]
            fn refill(&mut self, from: Self) {
                #(#refilled)*
            }
        },
    )
}

/// Asks of each type parameter that it is real.
fn with_real_parameters(generics: &mut syn::Generics, rt: &TokenStream) {
    let parameters: Vec<syn::Ident> = generics.type_params().map(|p| p.ident.clone()).collect();
    if parameters.is_empty() {
        return;
    }
    let clause = generics.make_where_clause();
    for ident in parameters {
        clause.predicates.push(syn::parse_quote!(#ident: #rt::Real));
    }
}

fn implementations(of: &syn::DeriveInput, fields: &syn::Fields, root: &TokenStream) -> TokenStream {
    let types: Vec<&syn::Type> = fields.iter().map(|f| &f.ty).collect();
    let members: Vec<syn::Member> = fields.members().collect();
    let names: Vec<syn::Ident> = (0..types.len())
        .map(|k| format_ident!("field_{k}", span = Span::mixed_site()))
        .collect();
    let life = syn::Lifetime::new("'__fields", Span::mixed_site());
    let references: Vec<TokenStream> = types.iter().map(|ty| quote!(&#life #ty)).collect();
    let apart = Apart {
        life: &life,
        references: &references,
        types: &types,
        fields: quote!((#(&self.#members,)*)),
        names: &names,
        made: quote!(Self { #(#members: #names,)* }),
    };
    apart.implementations(of, root)
}

/// How a value is taken apart and put together.
struct Apart<'a> {
    life: &'a syn::Lifetime,
    /// The types of the parts by reference, and by value.
    references: &'a [TokenStream],
    types: &'a [&'a syn::Type],
    /// The parts of `self`.
    fields: TokenStream,
    /// What the parts are called in `made`.
    names: &'a [syn::Ident],
    made: TokenStream,
}

impl Apart<'_> {
    fn implementations(&self, of: &syn::DeriveInput, root: &TokenStream) -> TokenStream {
        let Apart {
            life,
            references,
            types,
            fields,
            names,
            made,
        } = self;
        let rt = quote!(#root::runtime);
        let plain = Head::of(of, &[], &TokenStream::new());
        let differentiable = plain.implement(&quote!(#rt::Differentiable), &TokenStream::new());
        let made = plain.implement(
            &quote!(#rt::kernels::Made<(#(#types,)*)>),
            &quote! {
                #[inline]
                fn made((#(#names,)*): (#(#types,)*)) -> Self {
                    #made
                }
            },
        );
        let mut borrowing = Head::of(of, &[], &TokenStream::new());
        let bounds = of.generics.type_params().map(|p| p.ident.clone());
        let bounds: Vec<syn::Ident> = bounds.collect();
        if !bounds.is_empty() {
            let clause = borrowing.generics.make_where_clause();
            for ident in bounds {
                clause.predicates.push(syn::parse_quote!(#ident: #life));
            }
        }
        (borrowing.generics.params).insert(0, syn::parse_quote!(#life));
        let fields = borrowing.implement(
            &quote!(#rt::kernels::Fields<#life, (#(#references,)*)>),
            &quote! {
                #[inline]
                fn fields(&#life self) -> (#(#references,)*) {
                    #fields
                }
            },
        );
        quote!(#differentiable #fields #made)
    }
}
