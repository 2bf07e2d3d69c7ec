//! The real type of a function. The compiler knows one kind of real numbers; what it is in Rust is
//! one of three things, and it is the same everywhere in a function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};

/// The real type of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RealType {
    /// `f64`
    #[default]
    F64,
    /// `f32`
    F32,
    /// A type parameter that is bounded by `Real`.
    Parameter(Ident),
}

impl RealType {
    /// How it is written.
    pub fn name(&self) -> String {
        match self {
            RealType::F64 => "f64".to_owned(),
            RealType::F32 => "f32".to_owned(),
            RealType::Parameter(ident) => ident.to_string(),
        }
    }
}

impl ToTokens for RealType {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            RealType::F64 => tokens.append(Ident::new("f64", Span::call_site())),
            RealType::F32 => tokens.append(Ident::new("f32", Span::call_site())),
            RealType::Parameter(ident) => tokens.append(ident.clone()),
        }
    }
}
