//! Companions as they are emitted beside a function, and the type that holds its constants.

use super::{Around, BROKEN, Place, REFUSED, STRUCT, allowed, constant, encode, rules};
use crate::back::emit::{self, Context};
use crate::back::name_check::users;
use crate::back::unit::forwarded;
use crate::derivative::{Derivative, Modes};
use crate::front::Annotated;
use crate::front::callee::companion_of_member;
use crate::front::lower::annotated::MACROS;
use crate::front::real::RealType;
use crate::front::signature::Signature;
use crate::front::structs::Struct;
use crate::ir::core::Block;
use crate::ir::ty::Elem;
use crate::ir::unit::{Called, Rule};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// The companions of a function and of what is generated from it. `own` are the functions of the
/// unit that it is, if it is one.
pub(crate) fn companions(f: &Annotated, place: &Place, own: &TokenStream) -> TokenStream {
    let said = |what: Option<Derivative>| match what.and_then(Derivative::refused) {
        Some(reason) => format!("{REFUSED}{reason}"),
        None => encode(f, what),
    };
    let companions = all(&f.signature, f.promise.modes, place, &said);
    let context = Context::of(f);
    let (constants, handed_on) = (constants(f), handed_on(f));
    let members = quote!(#constants #handed_on #own);
    let beside = Beside {
        vis: &f.signature.vis,
        cfg: &f.signature.cfg,
        place,
    };
    let names = names(&f.signature, f.promise.modes, place);
    let names: Vec<Ident> = names.into_iter().map(|(_, name)| name).collect();
    let holder = holder(
        &beside,
        &f.signature.ident,
        &names,
        &context,
        members,
        false,
    );
    quote!(#holder #companions)
}

/// The companions of a function that is wrong.
pub(crate) fn broken(signature: &Signature, modes: Modes, place: &Place) -> TokenStream {
    all(signature, modes, place, &|_| BROKEN.to_owned())
}

/// The names of a function and of what is generated from it, but for those that other macros have.
/// Those of an annotated `impl` block name the type as well.
fn names(signature: &Signature, modes: Modes, place: &Place) -> Vec<(Option<Derivative>, Ident)> {
    let mut names = vec![(None, signature.ident.clone())];
    for what in modes.derivatives() {
        if what.is_of_linear() {
            continue;
        }
        names.push((Some(what), emit::name(signature, what)));
    }
    let Some(member) = &place.member else {
        names.retain(|(_, name)| !MACROS.contains(&name.to_string().as_str()));
        return names;
    };
    for (_, name) in &mut names {
        *name = companion_of_member(&member.of, name);
    }
    names
}

/// A name that nothing else in the crate has.
pub(super) fn hidden(role: &str, name: &Ident, place: &Place) -> Ident {
    let (name, unique) = (name.unraw(), &place.unique);
    format_ident!(
        "__cotangent_{role}_{name}_{unique}",
        span = Span::call_site()
    )
}

/// What stands beside a function: where, and under which conditions.
pub(crate) struct Beside<'a> {
    pub(crate) vis: &'a syn::Visibility,
    pub(crate) cfg: &'a [syn::Attribute],
    pub(crate) place: &'a Place,
}

/// The constants that a function uses, as associated ones.
fn constants(f: &Annotated) -> TokenStream {
    // What belongs to the type parameter has another value for each type.
    let real = &f.signature.real;
    let is_fixed = |path: &syn::Path| match real {
        RealType::F64 | RealType::Mixed | RealType::F32 => true,
        RealType::Parameter(own) => path.segments.first().is_none_or(|s| s.ident != *own),
    };
    let consts = f
        .consts
        .iter()
        .chain(f.fails.iter().flat_map(|fails| &fails.consts));
    let consts = consts.enumerate();
    let consts = consts.filter(|(_, c)| is_fixed(&c.path)).map(|(k, c)| {
        let (ident, path) = (format_ident!("{}", constant(k)), users(&c.path));
        let ty = match c.elem {
            Elem::Int => quote!(i64),
            Elem::Real => quote!(f64),
            Elem::Bool => quote!(bool),
        };
        quote!(pub const #ident: #ty = #path as #ty;)
    });
    consts.collect()
}

/// The functions of the units that a function calls, handed on to those who take it in.
///
/// One that calls itself without being a unit is taken in until there is no such call.
fn handed_on(f: &Annotated) -> TokenStream {
    let own = f.signature.ident.to_string();
    let fails = f.fails.iter().map(|fails| &fails.program.body);
    let bodies: Vec<&Block> = std::iter::once(&f.program.body).chain(fails).collect();
    let mut units: Vec<Called> = rules::units(&bodies);
    units.retain(|unit| !(f.is_deep() && unit.is_itself(&own)));
    units.sort_by_key(|u| u.handed_on());
    let units = units.iter().map(|unit| (unit.handed_on(), unit));
    let all = units.flat_map(|(name, unit)| rules::with_inner(unit, &name));
    let mut all: Vec<(String, Called)> = all.collect();
    // A rule that is taken in calls what the rule itself calls.
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.dedup_by(|a, b| a.0 == b.0);
    let all = all.into_iter().flat_map(|(name, unit)| {
        let rules = Rule::ALL.into_iter().filter(|rule| unit.has(*rule));
        let forwarded = |rule| forwarded(&f.signature, &unit, rule, &name);
        rules.map(forwarded).collect::<Vec<_>>()
    });
    all.collect()
}

/// The type that holds what code elsewhere needs of a function, under its name and those of what is
/// generated from it; nothing where there is nothing.
pub(crate) fn holder(
    beside: &Beside<'_>,
    ident: &Ident,
    names: &[Ident],
    context: &Context<'_>,
    members: TokenStream,
    has_module: bool,
) -> TokenStream {
    if members.is_empty() {
        return TokenStream::new();
    }
    let Beside { vis, cfg, place } = beside;
    let (import, members) = context.with_runtime(members);
    let cfg = quote!(#(#cfg)*);
    let holder = hidden("holder", ident, place);
    let allow = allowed();
    let imports = match (place.around, one_deeper(vis)) {
        // What the user calls so goes before what comes by `*`.
        (Around::Module, Some(vis_inside)) => {
            let module = hidden("names", ident, place);
            match has_module {
                // What comes by `*` is not there as long as any macro is not expanded.
                true => rules::module(beside, ident, &holder, &vis_inside),
                false => quote! {
                    #cfg
                    #[doc(hidden)]
                    #allow
                    mod #module { #(#vis_inside use super::#holder as #names;)* }
                    #cfg
                    #[doc(hidden)]
                    #allow
                    #vis use #module::*;
                },
            }
        }
        (Around::Module | Around::Impl | Around::Unknown, _) => {
            quote!(#(#cfg #[doc(hidden)] #allow #vis use #holder as #names;)*)
        }
    };
    quote! {
        #cfg
        #[doc(hidden)]
        #allow
        #vis enum #holder {}
        #cfg
        #allow
        const _: () = {
            #import
            impl #holder { #members }
        };
        #imports
    }
}

/// The same visibility, written one module further in.
pub(super) fn one_deeper(vis: &syn::Visibility) -> Option<syn::Visibility> {
    match vis {
        syn::Visibility::Inherited => Some(syn::parse_quote!(pub(super))),
        syn::Visibility::Public(_) => Some(vis.clone()),
        syn::Visibility::Restricted(restricted) => {
            let path = &restricted.path;
            let first = path.segments.first()?.ident.to_string();
            match first.as_str() {
                "crate" => Some(vis.clone()),
                "super" => Some(syn::parse_quote!(pub(in super::#path))),
                _ => None,
            }
        }
    }
}

fn all(
    signature: &Signature,
    modes: Modes,
    place: &Place,
    said: &dyn Fn(Option<Derivative>) -> String,
) -> TokenStream {
    let names = names(signature, modes, place).into_iter();
    names
        .map(|(what, name)| {
            let beside = Beside {
                vis: &signature.vis,
                cfg: &signature.cfg,
                place,
            };
            companion(&beside, &name, &said(what))
        })
        .collect()
}

/// The companion of a struct or an enum; of a broken one, if nothing is known.
pub(crate) fn companion_of_struct(
    item: &syn::DeriveInput,
    of: Option<&Struct>,
    place: &Place,
) -> TokenStream {
    let said = of.map_or(BROKEN.to_owned(), |of| format!("{STRUCT}{}", of.encode()));
    let cfg = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let cfg: Vec<syn::Attribute> = cfg.cloned().collect();
    let beside = Beside {
        vis: &item.vis,
        cfg: &cfg,
        place,
    };
    companion(&beside, &item.ident, &said)
}

/// One companion.
pub(crate) fn companion(
    Beside { vis, cfg, place }: &Beside<'_>,
    name: &Ident,
    said: &str,
) -> TokenStream {
    let cfg = quote!(#(#cfg)*);
    let allow = allowed();
    let hidden = hidden("of", name, place);
    // Only what is exported can be re-exported.
    let export = matches!(vis, syn::Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let said = Literal::string(said);
    quote! {
        #cfg
        #[doc(hidden)]
        #allow
        #export
        macro_rules! #hidden {
            (($($resume:tt)*) $($state:tt)*) => { $($resume)* ! { $($state)* #said } };
        }
        #cfg
        #[doc(hidden)]
        #allow
        #vis use #hidden as #name;
    }
}
