//! The implementations for enums. An enum is taken apart into the number of its variant and the
//! fields of all variants, of which those of one are there.

use super::{Apart, Head, with_real_parameters};
use crate::front::structs::field_name;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// The names that the fields of a variant are bound to, by number.
fn bound(role: &str, variant: &syn::Variant) -> Vec<Ident> {
    let fields = 0..variant.fields.len();
    let name = |k| format_ident!("{role}_{k}", span = Span::mixed_site());
    fields.map(name).collect()
}

/// The pattern or the expression of a variant, with these for its fields.
fn with_fields(variant: &syn::Variant, fields: &[impl quote::ToTokens]) -> TokenStream {
    let (name, members) = (&variant.ident, variant.fields.members());
    quote!(Self::#name { #(#members: #fields),* })
}

/// Taking an enum apart and putting it together.
pub(super) fn implementations(
    of: &syn::DeriveInput,
    data: &syn::DataEnum,
    root: &TokenStream,
) -> TokenStream {
    let rt = quote!(#root::runtime);
    let life = syn::Lifetime::new("'__fields", Span::mixed_site());
    let integer: syn::Type = syn::parse_quote!(i64);
    let all: Vec<&syn::Field> = data.variants.iter().flat_map(|v| &v.fields).collect();
    let mut types: Vec<&syn::Type> = vec![&integer];
    types.extend(all.iter().map(|f| &f.ty));
    let mut references = vec![quote!(&#life i64)];
    references.extend(
        types[1..]
            .iter()
            .map(|ty| quote!(::core::option::Option<&#life #ty>)),
    );
    let names: Vec<Ident> = (0..types.len())
        .map(|k| format_ident!("part_{k}", span = Span::mixed_site()))
        .collect();
    let (mut apart, mut together) = (TokenStream::new(), TokenStream::new());
    let mut first = 1;
    for (number, variant) in data.variants.iter().enumerate() {
        let number = Literal::i64_unsuffixed(number as i64);
        let fields = bound("field", variant);
        let mut parts = vec![quote!(::core::option::Option::None); all.len()];
        for (k, field) in fields.iter().enumerate() {
            parts[first - 1 + k] = quote!(::core::option::Option::Some(#field));
        }
        let pattern = with_fields(variant, &fields);
        apart.extend(quote!(#pattern => (&#number, #(#parts,)*),));
        let made = with_fields(variant, &names[first..first + fields.len()]);
        together.extend(quote!(#number => #made,));
        first += fields.len();
    }
    let variant = &names[0];
    let apart = Apart {
        life: &life,
        references: &references,
        types: &types,
        fields: quote!(match self { #apart }),
        names: &names,
        made: quote!(match #variant { #together _ => #rt::kernels::no_variant() }),
    };
    apart.implementations(of, root)
}

/// How an enum is written over by another value of it: in place if the variant is the same.
pub(super) fn refill(
    of: &syn::DeriveInput,
    data: &syn::DataEnum,
    root: &TokenStream,
) -> TokenStream {
    let rt = quote!(#root::runtime);
    let with_fields_of = data.variants.iter().filter(|v| !v.fields.is_empty());
    let arms = with_fields_of.map(|variant| {
        let (rooms, values) = (bound("room", variant), bound("value", variant));
        let into = with_fields(variant, &rooms);
        let from = with_fields(variant, &values);
        quote!((#into, #from) => { #(#rt::kernels::Refill::refill(#rooms, #values);)* })
    });
    let mut head = Head::of(of, &[], &TokenStream::new());
    with_real_parameters(&mut head.generics, &rt);
    // If there is one variant and it has fields, the arm for different variants is never reached.
    head.implement(
        &quote!(#rt::kernels::Refill),
        &quote! {
            #[track_caller]
            fn refill(&mut self, from: Self) {
                match (self, from) {
                    #(#arms)*
                    #[allow(unreachable_patterns)]
                    (room, from) => *room = from,
                }
            }
        },
    )
}

/// The numbers of an enum as one vector: those of the real fields of its variant.
pub(super) fn parameters(
    of: &syn::DeriveInput,
    data: &syn::DataEnum,
    is_real: &[bool],
    root: &TokenStream,
) -> TokenStream {
    let rt = quote!(#root::runtime);
    let number = Ident::new("__Number", Span::mixed_site());
    let mut head = Head::of(of, &[], &TokenStream::new());
    (head.generics.params).push(syn::parse_quote!(#number: #rt::Real));
    let mut is_real = is_real.iter();
    let clause = head.generics.make_where_clause();
    let mut numbers = Numbers::default();
    for variant in &data.variants {
        let (own, others) = (bound("own", variant), bound("other", variant));
        let mut copies = vec![];
        let mut reals = vec![];
        for ((k, field), own) in variant.fields.iter().enumerate().zip(&own) {
            let ty = &field.ty;
            if is_real.next() == Some(&true) {
                (clause.predicates).push(syn::parse_quote!(#ty: #rt::Parameters<#number>));
                copies.push(quote!(#rt::Parameters::copied_with(#own, f)));
                reals.push(k);
            } else {
                copies.push(quote_spanned!(ty.span()=> ::core::clone::Clone::clone(#own)));
            }
        }
        numbers.add(variant, (&own, &others), (&copies, &reals), &rt);
    }
    head.implement(
        &quote!(#rt::Parameters<#number>),
        &numbers.functions(&number, &rt),
    )
}

/// The arms of the functions of `Parameters`.
#[derive(Default)]
struct Numbers {
    count: TokenStream,
    each: TokenStream,
    each_mut: TokenStream,
    pair: TokenStream,
    pair_mut: TokenStream,
    copied: TokenStream,
    names: TokenStream,
}

impl Numbers {
    fn add(
        &mut self,
        variant: &syn::Variant,
        (own, others): (&[Ident], &[Ident]),
        (copies, reals): (&[TokenStream], &[usize]),
        rt: &TokenStream,
    ) {
        let (one, two) = (with_fields(variant, own), with_fields(variant, others));
        let x: Vec<&Ident> = reals.iter().map(|k| &own[*k]).collect();
        let y: Vec<&Ident> = reals.iter().map(|k| &others[*k]).collect();
        let name = variant.ident.unraw();
        let fields: Vec<&syn::Field> = variant.fields.iter().collect();
        let said = reals
            .iter()
            .map(|k| format!("{name}.{}", field_name(*k, fields[*k])));
        self.count
            .extend(quote!(#one => 0 #(+ #rt::Parameters::count(#x))*,));
        self.each
            .extend(quote!(#one => { #(#rt::Parameters::each_real(#x, f);)* }));
        self.each_mut
            .extend(quote!(#one => { #(#rt::Parameters::each_real_mut(#x, f);)* }));
        self.pair
            .extend(quote!((#one, #two) => { #(#rt::Parameters::each_pair(#x, #y, f);)* }));
        self.pair_mut
            .extend(quote!((#one, #two) => { #(#rt::Parameters::each_pair_mut(#x, #y, f);)* }));
        let copied = with_fields(variant, copies);
        self.copied.extend(quote!(#one => #copied,));
        self.names.extend(quote!(#one => {
            #(#rt::Parameters::push_names(#x, &#rt::parameters::field(path, #said), names);)*
        }));
    }

    fn functions(&self, number: &Ident, rt: &TokenStream) -> TokenStream {
        let Numbers {
            count,
            each,
            each_mut,
            pair,
            pair_mut,
            copied,
            names,
        } = self;
        // What an arm binds and does not use is not real.
        quote! {
            #[allow(unused_variables)]
            fn count(&self) -> usize {
                match self { #count }
            }
            #[allow(unused_variables)]
            fn each_real(&self, f: &mut impl ::core::ops::FnMut(#number)) {
                match self { #each }
            }
            #[allow(unused_variables)]
            fn each_real_mut(&mut self, f: &mut impl ::core::ops::FnMut(&mut #number)) {
                match self { #each_mut }
            }
            #[allow(unused_variables)]
            #[track_caller]
            fn each_pair(&self, other: &Self, f: &mut impl ::core::ops::FnMut(#number, #number)) {
                match (self, other) {
                    #pair
                    #[allow(unreachable_patterns)]
                    (..) => #rt::parameters::other_variant(),
                }
            }
            #[allow(unused_variables)]
            #[track_caller]
            fn each_pair_mut(
                &mut self,
                other: &Self,
                f: &mut impl ::core::ops::FnMut(&mut #number, #number),
            ) {
                match (self, other) {
                    #pair_mut
                    #[allow(unreachable_patterns)]
                    (..) => #rt::parameters::other_variant(),
                }
            }
            #[allow(unused_variables)]
            fn copied_with(&self, f: &mut impl ::core::ops::FnMut(#number) -> #number) -> Self {
                match self { #copied }
            }
            #[allow(unused_variables)]
            fn push_names(&self, path: &str, names: &mut #rt::parameters::Names) {
                match self { #names }
            }
        }
    }
}
