//! Sparse matrices as arguments: structs of arrays, of which the values alone are real.
//!
//! ```text
//! Sparse        rows, columns, values: one for each entry; shape
//! CsMat<f64>    the same, and how sprs stores them: where each row (or column) begins among the
//!               entries, how many it has, and the inner index of each entry
//! ```
//!
//! `cotangent::Sparse` has a companion that says `ENTRIES`. The matrices of sprs are known by
//! name.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is no sparse matrix"
)]

use super::data::Made;
use super::structs::{Struct, Structs};
use quote::ToTokens;
use std::rc::Rc;
use syn::parse_quote;

/// How a sparse matrix, or a part of one, is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `cotangent::Sparse`
    Entries,
    /// `sprs::CsMat`, `sprs::CsMatView`
    Compressed,
    /// A row or column of these, `sprs::CsVecView`, which lives in a body alone.
    Row,
}

/// What the companion of `cotangent::Sparse` calls it. A struct of the user has another name.
const ENTRIES: &str = "CotangentSparse";

/// The same of the matrices of sprs.
const COMPRESSED: &str = "SprsMatrix";

/// The same of their rows.
const ROW: &str = "SprsRow";

impl Form {
    fn of(of: &Struct) -> Option<Form> {
        match of.name.as_str() {
            ENTRIES => Some(Form::Entries),
            COMPRESSED => Some(Form::Compressed),
            ROW => Some(Form::Row),
            _ => None,
        }
    }

    /// Whether a field has as many elements as the values.
    pub fn is_of_entries(self, field: &str) -> bool {
        match self {
            Form::Entries => false,
            Form::Compressed => matches!(field, "inner" | "rows" | "columns" | "values"),
            Form::Row => true,
        }
    }

    /// Whether a field has an element for each row or column that is stored.
    pub fn is_of_rows(self, field: &str) -> bool {
        self == Form::Compressed && matches!(field, "starts" | "lengths")
    }
}

impl Made {
    /// Which sparse matrix it is, if it is one.
    pub fn sparse(&self) -> Option<Form> {
        self.of.as_deref().and_then(Form::of)
    }

    /// The numbers of the fields that say where the entries of a sparse matrix are.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let fields = self.of.iter().filter(|of| Form::of(of).is_some());
        let fields = fields.flat_map(|of| of.fields()).enumerate();
        let places = fields.filter(|(_, field)| matches!(field.as_str(), "rows" | "columns"));
        places.map(|(k, _)| k)
    }

    /// A row of a matrix of sprs.
    pub fn row() -> Made {
        let ident = quote::format_ident!("{ROW}");
        let of = Struct::new(
            &parse_quote!(struct #ident { indices: Vec<usize>, values: Vec<f64>, dim: usize }),
            Structs::default(),
        );
        Made {
            ty: Rc::new(parse_quote!(CsVecView)),
            of: Some(Rc::new(of)),
        }
    }
}

/// A matrix of sprs by its path, with the path of its owned type.
pub(super) fn of_sprs(path: &syn::Path) -> Option<(Struct, syn::Path)> {
    let last = path.segments.last()?;
    if last.ident != "CsMat" && last.ident != "CsMatView" {
        return None;
    }
    let syn::PathArguments::AngleBracketed(list) = &last.arguments else {
        return None;
    };
    let mut types = list.args.iter().filter_map(|a| match a {
        syn::GenericArgument::Type(ty) => Some(ty.to_token_stream()),
        _ => None,
    });
    let (number, None) = (types.next()?, types.next()) else {
        return None;
    };
    let ident = quote::format_ident!("{COMPRESSED}");
    let item = parse_quote! {
        struct #ident<N> {
            starts: Vec<usize>,
            lengths: Vec<usize>,
            inner: Vec<usize>,
            rows: Vec<usize>,
            columns: Vec<usize>,
            values: Vec<N>,
            nrows: usize,
            ncols: usize,
            is_csr: bool,
        }
    };
    Some((
        Struct::new(&item, Structs::default()),
        parse_quote!(CsMat<#number>),
    ))
}
