//! The types a user writes, as far as names tell.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::error::{Errors, Result};
use crate::ir::core::Ty;
use crate::ir::ty::Elem;
use quote::ToTokens;

macro_rules! scalars {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// A scalar type of Rust.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Scalar { $(#[doc = $doc] $variant),* }

        impl Scalar {
            /// The type of that name.
            pub fn by_name(name: &str) -> Option<Scalar> {
                match name {
                    $($name => Some(Scalar::$variant),)*
                    _ => None,
                }
            }

            /// How it is written.
            pub fn name(self) -> &'static str {
                match self { $(Scalar::$variant => $name),* }
            }
        }
    };
}

scalars! {
    Real "f64" "The real type of the function, whichever that is";
    Single "f32" "`f32` beside `f64`, where the function computes in `f64`";
    Usize "usize" "Indices and sizes";
    Isize "isize" "Differences of indices";
    I8 "i8" "8 bits, signed";
    I16 "i16" "16 bits, signed";
    I32 "i32" "32 bits, signed";
    I64 "i64" "64 bits, signed";
    U8 "u8" "8 bits";
    U16 "u16" "16 bits";
    U32 "u32" "32 bits";
    U64 "u64" "64 bits";
    Bool "bool" "Truth values";
    Axis "Axis" "`Axis` of ndarray";
    Opaque "_" "What is carried and never looked into, see `opaque.rs`";
}

impl Scalar {
    /// What it is to the compiler.
    pub fn elem(self) -> Elem {
        match self {
            Scalar::Real | Scalar::Single => Elem::Real,
            Scalar::Bool => Elem::Bool,
            Scalar::Usize | Scalar::Isize | Scalar::I8 | Scalar::I16 | Scalar::I32 => Elem::Int,
            Scalar::I64 | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Elem::Int,
            Scalar::Axis | Scalar::Opaque => Elem::Int,
        }
    }

    /// The smallest value, for integers.
    pub fn min(self) -> Option<i64> {
        match self {
            Scalar::Real | Scalar::Single | Scalar::Bool | Scalar::Opaque => None,
            Scalar::Axis | Scalar::Usize | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
                Some(0)
            }
            Scalar::I8 => Some(i64::from(i8::MIN)),
            Scalar::I16 => Some(i64::from(i16::MIN)),
            Scalar::I32 => Some(i64::from(i32::MIN)),
            Scalar::I64 | Scalar::Isize => Some(i64::MIN),
        }
    }

    /// The largest value, for integers; `None` where it does not fit.
    pub fn max(self) -> Option<i64> {
        match self {
            Scalar::Real | Scalar::Single | Scalar::Bool | Scalar::Opaque => None,
            Scalar::Axis | Scalar::Usize | Scalar::U64 => None,
            Scalar::I8 => Some(i64::from(i8::MAX)),
            Scalar::I16 => Some(i64::from(i16::MAX)),
            Scalar::I32 => Some(i64::from(i32::MAX)),
            Scalar::I64 | Scalar::Isize => Some(i64::MAX),
            Scalar::U8 => Some(i64::from(u8::MAX)),
            Scalar::U16 => Some(i64::from(u16::MAX)),
            Scalar::U32 => Some(i64::from(u32::MAX)),
        }
    }

    /// Whether it is an unsigned integer.
    pub fn is_unsigned(self) -> bool {
        self.min() == Some(0)
    }

    /// Whether it is an unsigned integer some of which are no `i64`.
    pub fn is_long_unsigned(self) -> bool {
        matches!(self, Scalar::Axis | Scalar::Usize | Scalar::U64)
    }
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// A scalar, by value.
    Scalar,
    /// `ArrayN<T>`
    Owned,
    /// `&ArrayN<T>`
    Reference,
    /// `ArrayViewN<'_, T>`
    View,
    /// `&ArrayViewN<'_, T>`
    ReferenceToView,
    /// `&ArrayRefN<T>`
    ArrayRef,
    /// `&[T]`
    Slice,
    /// `Vec<T>`
    Vec,
    /// `&Vec<T>`
    ReferenceToVec,
    /// `[T; 3]`
    Fixed,
    /// `&[T; 3]`
    ReferenceToFixed,
}

/// A length that a type fixes.
#[derive(Clone, Debug)]
pub struct Length {
    /// As it is written.
    pub written: syn::Expr,
    /// Its value, if that is written.
    pub value: Option<i64>,
}

impl Length {
    /// A length as it is written.
    pub(super) fn of(written: &syn::Expr) -> Length {
        let value = match written {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Int(int),
                ..
            }) => int.base10_parse().ok(),
            _ => None,
        };
        let written = written.clone();
        Length { written, value }
    }

    /// A length as a number.
    pub(super) fn literal(n: usize) -> Length {
        let n = proc_macro2::Literal::usize_unsuffixed(n);
        Length::of(&syn::parse_quote!(#n))
    }

    /// What tells it from others that are not literals.
    pub fn name(&self) -> String {
        self.written.to_token_stream().to_string()
    }
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct Written {
    /// What it is made of.
    pub scalar: Scalar,
    /// How many axes; 0 for a scalar and for `Array0`, which [`Written::passing`] tells apart.
    pub rank: usize,
    /// How it is passed.
    pub passing: Passing,
    /// The lengths of the last axes, where fixed-size arrays have them; a slice of fixed-size
    /// arrays has one axis more.
    pub fixed: Vec<Length>,
    /// The tokens.
    pub ty: syn::Type,
}

impl Written {
    /// What it is to the compiler.
    pub fn core(&self) -> Ty {
        Ty {
            elem: self.scalar.elem(),
            rank: self.rank,
        }
    }

    /// Whether there is a derivative with respect to it.
    pub fn is_real(&self) -> bool {
        self.scalar.elem() == Elem::Real
    }

    /// Whether it is made of `f32` in a function that computes in `f64`.
    pub fn is_single(&self) -> bool {
        self.scalar == Scalar::Single
    }

    /// Whether it is carried and never looked into.
    pub fn is_opaque(&self) -> bool {
        self.scalar == Scalar::Opaque
    }

    /// Whether it is an array of arrays, as Rust itself has them: `a[i][j]`.
    pub fn is_nested(&self) -> bool {
        !self.fixed.is_empty() && self.rank > 1
    }

    /// The length of an axis, if the type fixes it.
    pub fn fixed_length(&self, axis: usize) -> Option<&Length> {
        let first = self.rank - self.fixed.len();
        self.fixed.get(axis.checked_sub(first)?)
    }

    /// Whether its type fixes how many numbers it has.
    pub fn is_fixed(&self) -> bool {
        match self.passing {
            Passing::Scalar | Passing::Fixed | Passing::ReferenceToFixed => true,
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef
            | Passing::Slice
            | Passing::Vec
            | Passing::ReferenceToVec => false,
        }
    }

    /// Whether it is an array of ndarray.
    pub fn is_ndarray(&self) -> bool {
        match self.passing {
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => true,
            Passing::Scalar
            | Passing::Slice
            | Passing::Vec
            | Passing::ReferenceToVec
            | Passing::Fixed
            | Passing::ReferenceToFixed => false,
        }
    }

    /// Whether it is a scalar, by value.
    pub fn is_scalar(&self) -> bool {
        self.passing == Passing::Scalar
    }
}

/// Tokens as one writes them, without spaces inside of types.
pub fn spelled(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for token in ["<", ">", "::", "&", ",", ";"] {
        text = text.replace(&format!(" {token}"), token);
        text = text.replace(&format!("{token} "), token);
    }
    text.replace(',', ", ").replace(';', "; ")
}

/// A name in backticks, with the article that is spoken before it: an `f64`, a `u8`.
pub fn with_article(name: &str) -> String {
    let letter = name.starts_with(['u', 'f']) && name.ends_with(|c: char| c.is_ascii_digit());
    let vowel = name.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']);
    let an = match letter || name == "usize" {
        true => name.starts_with('f'),
        false => vowel,
    };
    format!("{} `{name}`", if an { "an" } else { "a" })
}

/// Reads a type.
pub fn read(ty: &syn::Type, errors: &mut Errors) -> Result<Written> {
    let mut fixed = vec![];
    let (scalar, rank, passing) = shape(ty, &mut fixed, errors)?;
    if scalar == Scalar::Axis && passing != Passing::Scalar {
        return Err(errors.on(
            ty,
            "a list of axes is not followed; take their numbers as `&[usize]`, and write \
             `Axis(axes[i])`",
        ));
    }
    Ok(Written {
        scalar,
        rank,
        passing,
        fixed,
        ty: ty.clone(),
    })
}

fn shape(
    ty: &syn::Type,
    fixed: &mut Vec<Length>,
    errors: &mut Errors,
) -> Result<(Scalar, usize, Passing)> {
    match ty {
        syn::Type::Paren(inner) => shape(&inner.elem, fixed, errors),
        syn::Type::Group(inner) => shape(&inner.elem, fixed, errors),
        syn::Type::Path(path) if path.qself.is_none() => named(ty, &path.path, fixed, errors),
        syn::Type::Reference(reference) => behind(ty, reference, fixed, errors),
        syn::Type::Tuple(_) => Err(errors.on(
            ty,
            "an array of tuples is not supported; write one array for each part",
        )),
        syn::Type::Array(array) => {
            fixed.push(Length::of(&array.len));
            let (scalar, rank) = element_of_rust(&array.elem, fixed, errors)?;
            if rank >= 6 {
                return Err(errors.on(ty, "arrays have at most 6 axes; write one axis for two, with the index `i * m + j`"));
            }
            Ok((scalar, rank + 1, Passing::Fixed))
        }
        syn::Type::Slice(_) => Err(errors.on(ty, "a slice is passed by reference; write `&[f64]`")),
        syn::Type::ImplTrait(_) => Err(errors.on(
            ty,
            "`impl Trait` hides which type it is, and the macro sees names only; write the type, \
             such as `f64` or `&Array1<f64>`",
        )),
        _ => Err(errors.on(
            ty,
            "a value of this type cannot be differentiated; write `f64` or an array of `f64`, \
             such as `&Array1<f64>`",
        )),
    }
}

fn behind(
    ty: &syn::Type,
    reference: &syn::TypeReference,
    fixed: &mut Vec<Length>,
    errors: &mut Errors,
) -> Result<(Scalar, usize, Passing)> {
    if reference.mutability.is_some() {
        return Err(errors.on(
            ty,
            "`&mut` arguments are not supported: a differentiable function has no effects; take \
             `&` and return the new value",
        ));
    }
    if let syn::Type::Slice(slice) = &*reference.elem {
        let (scalar, rank) = element_of_rust(&slice.elem, fixed, errors)?;
        return Ok((scalar, rank + 1, Passing::Slice));
    }
    if let Some("ArrayRef") = reference_to_array_ref(&reference.elem) {
        let (scalar, rank, _) = array_ref(&reference.elem, errors)?;
        return Ok((scalar, rank, Passing::ArrayRef));
    }
    let (scalar, rank, passing) = shape(&reference.elem, fixed, errors)?;
    let passing = match passing {
        Passing::Fixed => Passing::ReferenceToFixed,
        Passing::Owned => Passing::Reference,
        Passing::View => Passing::ReferenceToView,
        Passing::Vec => Passing::ReferenceToVec,
        Passing::Scalar => {
            let name = scalar.name();
            return Err(errors.on(
                ty,
                format!("scalars are passed by value; write `{name}` instead of `&{name}`"),
            ));
        }
        Passing::Reference
        | Passing::ReferenceToView
        | Passing::ArrayRef
        | Passing::Slice
        | Passing::ReferenceToFixed
        | Passing::ReferenceToVec => {
            return Err(errors.on(ty, "a reference to a reference; write one `&` only"));
        }
    };
    Ok((scalar, rank, passing))
}

fn reference_to_array_ref(ty: &syn::Type) -> Option<&'static str> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    let rest = name.strip_prefix("ArrayRef")?;
    (rest.is_empty() || rest.parse::<usize>().is_ok()).then_some("ArrayRef")
}

fn array_ref(ty: &syn::Type, errors: &mut Errors) -> Result<(Scalar, usize, Passing)> {
    let syn::Type::Path(path) = ty else {
        return Err(errors.on(ty, "expected `ArrayRef`"));
    };
    array(ty, &path.path, "ArrayRef", Passing::ArrayRef, errors)
}

/// A type that is a path.
fn named(
    ty: &syn::Type,
    path: &syn::Path,
    fixed: &mut Vec<Length>,
    errors: &mut Errors,
) -> Result<(Scalar, usize, Passing)> {
    let Some(last) = path.segments.last() else {
        return Err(errors.on(ty, "expected a type"));
    };
    let name = last.ident.to_string();
    if path.get_ident().is_some() {
        if let Some(scalar) = errors.real.scalar(&name) {
            return Ok((scalar, 0, Passing::Scalar));
        }
        match errors.other(&name) {
            Some(_) if errors.converts && name == "f64" => {
                return Ok((Scalar::Real, 0, Passing::Scalar));
            }
            Some(message) => return Err(errors.as_it_is(ty, message)),
            None => {}
        }
    }
    if name == "Axis" {
        return Ok((Scalar::Axis, 0, Passing::Scalar));
    }
    if name == "Vec" {
        return match &type_arguments(last)[..] {
            [inner] => {
                let (scalar, rank) = element_of_rust(inner, fixed, errors)?;
                Ok((scalar, rank + 1, Passing::Vec))
            }
            _ => Err(errors.on(ty, "say what the `Vec` holds: `Vec<f64>`")),
        };
    }
    for (family, passing) in [
        ("ArrayView", Passing::View),
        ("ArrayRef", Passing::ArrayRef),
        ("Array", Passing::Owned),
    ] {
        let Some(rest) = name.strip_prefix(family) else {
            continue;
        };
        if rest.is_empty() || rest.parse::<usize>().is_ok() {
            if passing == Passing::ArrayRef {
                return Err(errors.on(
                    ty,
                    format!("an `{name}` is passed by reference: `&{name}<f64>`"),
                ));
            }
            return array(ty, path, family, passing, errors);
        }
        if rest == "D" {
            return Err(errors.on(
                ty,
                "an array whose rank is known at run time only is not supported: every rank must \
                 be known when the derivative is compiled; write `Array1<f64>`, `Array2<f64>`, ..",
            ));
        }
        if rest.starts_with("Mut") {
            return Err(errors.on(
                ty,
                "views that write are not supported: a differentiable function has no effects; \
                 take an `ArrayView` and return the new array",
            ));
        }
    }
    Err(errors.on(ty, unknown(&name)))
}

/// Whether a path can be that of a struct: it begins with a capital letter and means nothing else.
pub(super) fn may_be_struct(path: &syn::Path) -> bool {
    let Some(last) = path.segments.last() else {
        return false;
    };
    let name = last.ident.to_string();
    let is_array = ["ArrayView", "ArrayRef", "Array"].iter().any(|family| {
        let rest = name.strip_prefix(family);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest == "D" || rest.starts_with("Mut") || rest.parse::<u8>().is_ok()
        })
    });
    let is_other = matches!(
        name.as_str(),
        "Vec"
            | "Self"
            | "ArrayBase"
            | "CowArray"
            | "ArcArray"
            | "ArcArray1"
            | "ArcArray2"
            | "Axis"
            | "Option"
            | "Result"
            | "Box"
            | "Rc"
            | "Arc"
            | "String"
            | "Cow"
            | "HashMap"
            | "BTreeMap"
            | "Wrapping"
    );
    name.starts_with(char::is_uppercase) && !is_array && !is_other
}

fn unknown(name: &str) -> String {
    match name {
        "i128" | "u128" => {
            format!("`{name}` does not fit the 64 bits integers are computed in; write `i64`")
        }
        "ArrayBase" | "CowArray" | "ArcArray" | "ArcArray1" | "ArcArray2" => format!(
            "`{name}` is not supported yet; write `Array1<f64>`, `ArrayView1<f64>` or a reference \
             to one"
        ),
        "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "VecDeque" => format!(
            "{} is not followed; pass its numbers as a slice, and where each is as integers",
            with_article(name)
        ),
        "String" => {
            "a `String` holds no numbers; keep it in another struct, beside the one that is \
                     differentiated"
                .to_owned()
        }
        "str" | "char" => {
            format!("a `{name}` holds no numbers; take an integer or a `bool`, and choose by that")
        }
        "Option" | "Result" | "Box" | "Rc" | "Arc" => format!(
            "{} cannot be differentiated; write `f64` or an array of `f64`, such as \
             `&Array1<f64>`",
            with_article(name)
        ),
        _ if is_parameter(name) => format!(
            "`{name}` is no type parameter of this function, and the macro sees nothing else of that \
             name; declare one here (`fn f<R: Real>(..)`), also in an `impl` block that is generic itself"
        ),
        _ => format!(
            "`{name}` is no type of numbers that the macro knows by its name; write `f64`, \
             `&Array1<f64>` or the like, or a struct of these that derives `Differentiable`"
        ),
    }
}

/// Whether a name is spelled as type parameters are.
fn is_parameter(name: &str) -> bool {
    name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase())
}

fn array(
    ty: &syn::Type,
    path: &syn::Path,
    family: &str,
    passing: Passing,
    errors: &mut Errors,
) -> Result<(Scalar, usize, Passing)> {
    let Some(last) = path.segments.last() else {
        return Err(errors.on(ty, "expected a type"));
    };
    let name = last.ident.to_string();
    let arguments = type_arguments(last);
    let (inner, rank) = match (name[family.len()..].parse::<usize>(), &arguments[..]) {
        (Ok(rank), [inner]) => (inner, Some(rank)),
        (Err(_), [inner, dimension]) => (inner, dimension_rank(dimension)),
        (Ok(_), _) => return Err(errors.on(ty, format!("say what the array holds: `{name}<f64>`"))),
        (Err(_), _) => {
            let message = format!("say what the array holds and its rank: `{name}<f64, Ix2>`");
            return Err(errors.on(ty, message));
        }
    };
    match rank {
        Some(rank @ 0..=6) => Ok((element(inner, errors)?, rank, passing)),
        Some(_) => Err(errors.on(
            ty,
            "arrays have at most 6 axes; write one axis for two, with the index `i * m + j`",
        )),
        None => Err(errors.on(
            ty,
            "cannot tell the rank: the macro sees names, not types. Write `Ix1`, `Ix2`, .. as the \
             dimension, or `Array1<f64>`, `Array2<f64>`, ..",
        )),
    }
}

fn dimension_rank(ty: &syn::Type) -> Option<usize> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    name.strip_prefix("Ix")?.parse().ok()
}

fn type_arguments(segment: &syn::PathSegment) -> Vec<syn::Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return vec![];
    };
    let types = arguments.args.iter().filter_map(|a| match a {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

/// `T` of `Vec<T>`
pub(super) fn element_of_vec(path: &syn::Path) -> Option<&syn::Type> {
    only_argument(path, "Vec")
}

/// `T` of `Option<T>`
pub(super) fn value_of_option(path: &syn::Path) -> Option<&syn::Type> {
    only_argument(path, "Option")
}

/// `T` of `Name<T>`
fn only_argument<'p>(path: &'p syn::Path, name: &str) -> Option<&'p syn::Type> {
    let last = path.segments.last().filter(|s| s.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}

/// What a slice, a `Vec` or a fixed-size array is made of: scalars, or fixed-size arrays of them.
fn element_of_rust(
    ty: &syn::Type,
    fixed: &mut Vec<Length>,
    errors: &mut Errors,
) -> Result<(Scalar, usize)> {
    let inner = bare(ty);
    if let syn::Type::Array(_) = inner {
        let (scalar, rank, _) = shape(inner, fixed, errors)?;
        return Ok((scalar, rank));
    }
    Ok((element(ty, errors)?, 0))
}

/// A type without parentheses.
pub(super) fn bare(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(inner) => bare(&inner.elem),
        syn::Type::Group(inner) => bare(&inner.elem),
        _ => ty,
    }
}

/// What an array is made of.
fn element(ty: &syn::Type, errors: &mut Errors) -> Result<Scalar> {
    match shape(ty, &mut vec![], errors)? {
        (scalar, _, Passing::Scalar) => Ok(scalar),
        (..) => Err(errors.on(
            ty,
            format!(
                "arrays of `{}` are not supported; write an array of higher rank",
                spelled(ty)
            ),
        )),
    }
}
