//! The real type of a function. The compiler knows one kind of real numbers; what it is in Rust is
//! one of three things. A function that names both `f32` and `f64` computes in `f64` and rounds
//! what is an `f32` (`lower/precision.rs`).

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::error::{Errors, Result};
use super::generic::is_real;
use super::structs::Structs;
use super::types::Scalar;
use crate::ir::ty::Elem;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};
use syn::visit::Visit;

/// The real type of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RealType {
    /// `f64`
    #[default]
    F64,
    /// `f32`
    F32,
    /// `f64`, beside `f32`.
    Mixed,
    /// A type parameter that is bounded by `Real`.
    Parameter(Ident),
}

impl RealType {
    /// How it is written.
    pub fn name(&self) -> String {
        match self {
            RealType::F64 | RealType::Mixed => "f64".to_owned(),
            RealType::F32 => "f32".to_owned(),
            RealType::Parameter(ident) => ident.to_string(),
        }
    }

    /// The real type of a function: its type parameter, or else the first that its arguments and
    /// its result name. Reports type parameters that cannot be one.
    pub(super) fn of(sig: &syn::Signature, errors: &mut Errors) -> Result<RealType> {
        let mut found = None;
        let mut sound = Ok(());
        for param in sig.generics.type_params() {
            let name = &param.ident;
            let message = match &found {
                _ if !is_real(&sig.generics, name) => format!(
                    "the macro sees names, not types, so it cannot tell what `{name}` is; write the type \
                     itself, or `{name}: Real` for a function over `f64` and `f32`"
                ),
                Some(first) => format!(
                    "a function has one real type, which is `{first}` here; write `{first}` in place \
                     of `{name}`"
                ),
                None => {
                    found = Some(name.clone());
                    continue;
                }
            };
            sound = Err(errors.as_it_is(param, message));
        }
        sound?;
        if let Some(ident) = found {
            return Ok(RealType::Parameter(ident));
        }
        if errors.real == RealType::Mixed {
            return Ok(RealType::Mixed);
        }
        let mut named = Named::default();
        sig.inputs
            .iter()
            .for_each(|input| named.visit_fn_arg(input));
        named.visit_return_type(&sig.output);
        Ok(named.real())
    }

    /// The real type of a struct: its first type parameter, or else those that its fields and the
    /// fields of structs inside of it name.
    pub(super) fn of_struct(item: &syn::DeriveInput, inner: &Structs) -> RealType {
        if let Some(param) = item.generics.type_params().next() {
            return RealType::Parameter(param.ident.clone());
        }
        let mut named = Named::default();
        inner.each_field(item, &mut |field| named.visit_type(&field.ty));
        named.real()
    }

    /// The scalar type of a name.
    pub(super) fn scalar(&self, name: &str) -> Option<Scalar> {
        if name == self.name() {
            return Some(Scalar::Real);
        }
        Scalar::by_name(name)
            .filter(|s| *s != Scalar::Axis)
            .filter(|s| s.elem() != Elem::Real || self.has_scalar(*s))
    }

    fn has_scalar(&self, scalar: Scalar) -> bool {
        *self == RealType::Mixed && scalar == Scalar::Single
    }

    /// What to say about another real type, if that is one.
    pub(super) fn other(&self, name: &str) -> Option<String> {
        let mine = self.name();
        (is_name_of_reals(name) && self.scalar(name).is_none()).then(|| {
            format!("all real numbers are `{mine}` here, and this is `{name}`; write `{mine}`")
        })
    }

    /// A message about a function of `f64`, said about one of this type.
    pub(super) fn reworded(&self, message: String) -> String {
        const OF_A_PARAMETER: [(&str, &str); 6] = [
            (".. as f64", "T::of(.. as f64)"),
            ("(T::of(.. as f64))", "T::of(.. as f64)"),
            ("a literal with a point", "`T::of(2.0)`"),
            ("{ 1.0 } else { 0.0 }", "{ T::of(1.0) } else { T::of(0.0) }"),
            ("an `f64`", "a `T`"),
            ("|_| 0.0", "|_| T::of(0.0)"),
        ];
        match self {
            RealType::F64 | RealType::Mixed => message,
            RealType::F32 => renamed(&message, "f32"),
            RealType::Parameter(ident) => {
                let said = |text: &str| text.replace("T::", &format!("{ident}::"));
                let said = |text: &str| said(text).replace("`T`", &format!("`{ident}`"));
                let pairs = OF_A_PARAMETER.iter();
                let message = pairs.fold(message, |m, (from, to)| {
                    m.replace(said(from).as_str(), &said(to))
                });
                // What is left names the type, except as an argument of a conversion.
                let kept = "of(.. as f64)";
                let parts: Vec<String> = message
                    .split(kept)
                    .map(|part| renamed(part, &ident.to_string()))
                    .collect();
                parts.join(kept)
            }
        }
    }
}

impl ToTokens for RealType {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            RealType::F64 | RealType::Mixed => tokens.append(Ident::new("f64", Span::call_site())),
            RealType::F32 => tokens.append(Ident::new("f32", Span::call_site())),
            RealType::Parameter(ident) => tokens.append(ident.clone()),
        }
    }
}

/// A text with another name for the word `f64`.
fn renamed(text: &str, name: &str) -> String {
    let mut parts = text.split("f64");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_word = !out.ends_with(|c: char| c == '_' || c.is_alphanumeric());
        out += if is_word { name } else { "f64" };
        out += part;
    }
    out
}

/// Whether this is the name of a type of real numbers.
pub(super) fn is_name_of_reals(name: &str) -> bool {
    matches!(name, "f64" | "f32")
}

/// Which real types are named.
#[derive(Default)]
struct Named {
    double: bool,
    single: bool,
}

impl Named {
    fn real(&self) -> RealType {
        match (self.double, self.single) {
            (true, true) => RealType::Mixed,
            (false, true) => RealType::F32,
            (_, false) => RealType::F64,
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        self.double |= path.path.is_ident("f64");
        self.single |= path.path.is_ident("f32");
        syn::visit::visit_type_path(self, path);
    }
}
