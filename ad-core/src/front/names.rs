//! The names that mean something: combinators, functions and constants.

use super::real::RealType;
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;

macro_rules! combinators {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// A combinator of the prelude.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Combinator { $(#[doc = $doc] $variant),* }

        impl Combinator {
            /// All of them.
            pub const ALL: &'static [Combinator] = &[$(Combinator::$variant),*];

            /// The combinator of that name.
            pub fn by_name(name: &str) -> Option<Combinator> {
                match name {
                    $($name => Some(Combinator::$variant),)*
                    _ => None,
                }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Combinator::$variant => $name),* }
            }
        }
    };
}

combinators! {
    Build "build" "An array, by its elements";
    Sum "sum" "A sum";
    Product "product" "A product";
    Maximum "maximum" "The largest";
    Minimum "minimum" "The smallest";
    Mean "mean" "The mean";
    LogSumExp "logsumexp" "The logarithm of a sum of exponentials";
    Softmax "softmax" "Exponentials over their sum";
    ArgMax "argmax" "Where the largest is";
    ArgMin "argmin" "Where the smallest is";
    ScatterAdd "scatter_add" "Sums by index";
    StopGradient "stop_gradient" "A constant for differentiation";
    Fold "fold" "A sequential loop";
    Scan "scan" "A sequential loop that keeps its states";
    Checkpoint "checkpoint" "Recomputed in the reverse pass";
}

/// A function of ours that the body calls by a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// A combinator of the prelude.
    Combinator(Combinator),
    /// A scalar function of the prelude, such as `sigmoid`.
    Prelude(&'static str),
    /// A scalar function of the module `math`, such as `exp`.
    Math(&'static str),
    /// `std::cmp::min` or `std::cmp::max`, on integers.
    Cmp(&'static str),
    /// A function of ndarray that makes an array, such as `arr1`.
    Array(&'static str),
}

impl Known {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Known::Combinator(combinator) => combinator.name(),
            Known::Prelude(name) | Known::Math(name) | Known::Cmp(name) | Known::Array(name) => {
                name
            }
        }
    }
}

/// A path that was taken for a function of ours; generated code checks that it is.
#[derive(Clone, Debug)]
pub struct NameCheck {
    /// As it is written.
    pub path: syn::Path,
    /// What it was taken for.
    pub known: Known,
}

/// The scalar functions of the prelude.
pub const PRELUDE: &[(&str, Prim)] = &[
    ("sigmoid", Prim::Sigmoid),
    ("softplus", Prim::Softplus),
    ("relu", Prim::Relu),
    ("lgamma", Prim::Lgamma),
    ("digamma", Prim::Digamma),
    ("erf", Prim::Erf),
];

/// The methods of `f64` that are one primitive; arguments as the primitive has them.
pub const REAL: &[(&str, Prim)] = &[
    ("exp", Prim::Exp),
    ("ln", Prim::Ln),
    ("log2", Prim::Log2),
    ("log10", Prim::Log10),
    ("exp2", Prim::Exp2),
    ("exp_m1", Prim::ExpM1),
    ("ln_1p", Prim::Ln1p),
    ("sqrt", Prim::Sqrt),
    ("cbrt", Prim::Cbrt),
    ("powi", Prim::Powi),
    ("powf", Prim::Powf),
    ("recip", Prim::Recip),
    ("sin", Prim::Sin),
    ("cos", Prim::Cos),
    ("tan", Prim::Tan),
    ("asin", Prim::Asin),
    ("acos", Prim::Acos),
    ("atan", Prim::Atan),
    ("atan2", Prim::Atan2),
    ("sinh", Prim::Sinh),
    ("cosh", Prim::Cosh),
    ("tanh", Prim::Tanh),
    ("asinh", Prim::Asinh),
    ("acosh", Prim::Acosh),
    ("atanh", Prim::Atanh),
    ("abs", Prim::Abs),
    ("signum", Prim::Signum),
    ("copysign", Prim::Copysign),
    ("floor", Prim::Floor),
    ("ceil", Prim::Ceil),
    ("round", Prim::Round),
    ("trunc", Prim::Trunc),
    ("fract", Prim::Fract),
    ("rem_euclid", Prim::RemEuclid),
    ("max", Prim::Max),
    ("min", Prim::Min),
    ("hypot", Prim::Hypot),
    ("mul_add", Prim::MulAdd),
];

/// The functions of ndarray that make an array.
pub const ARRAYS: &[&str] = &[
    "arr0",
    "arr1",
    "arr2",
    "arr3",
    "aview0",
    "aview1",
    "aview2",
    "concatenate",
    "stack",
    "kron",
];

/// Functions of `math` that are more than one primitive.
const MATH_TOO: &[&str] = &["sin_cos", "clamp"];

/// A row of a table by name, with the name as it is kept.
pub fn find<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<(&'static str, T)> {
    table.iter().copied().find(|(n, _)| *n == name)
}

/// The function of ours that an unqualified name stands for.
pub fn known(name: &str) -> Option<Known> {
    if let Some(combinator) = Combinator::by_name(name) {
        return Some(Known::Combinator(combinator));
    }
    if let Some((name, _)) = find(PRELUDE, name) {
        return Some(Known::Prelude(name));
    }
    if let Some((name, _)) = find(REAL, name) {
        return Some(Known::Math(name));
    }
    let name = MATH_TOO.iter().find(|n| **n == name)?;
    Some(Known::Math(name))
}

/// Whether a method makes another view of a view, through which the same elements change. Of an
/// array, it takes the array itself, which nothing that borrows it can give.
pub(super) fn makes_view(method: &str) -> bool {
    method.ends_with("_move")
        || matches!(
            method,
            "collapse_axis"
                | "insert_axis"
                | "into_diag"
                | "into_dimensionality"
                | "into_dyn"
                | "into_scalar"
                | "into_shape"
                | "into_shape_with_order"
                | "into_slice"
                | "into_slice_memory_order"
                | "merge_axes"
                | "permuted_axes"
                | "remove_axis"
                | "reversed_axes"
        )
}

/// Whether an unqualified name, or the first of a path, may stand for a function of ours.
pub fn is_name(name: &str) -> bool {
    known(name).is_some() || ARRAYS.contains(&name) || matches!(name, "math" | "prelude")
}

/// Whether a name is spelled as a constant is.
pub fn is_screaming(ident: &syn::Ident) -> bool {
    let name = ident.to_string();
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// The segments of a path.
pub fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

/// The value of a constant of the standard library.
pub fn constant(path: &syn::Path) -> Option<Lit> {
    let names = segments(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names = match &names[..] {
        ["std" | "core", rest @ ..] => rest,
        all => all,
    };
    Some(Lit::Real(match names {
        ["f64", "consts", name] => mathematical(name)?,
        // As it is, should it be cast.
        ["f32", "consts", name] => f64::from(mathematical(name)? as f32),
        ["f64", name] => match *name {
            "INFINITY" => f64::INFINITY,
            "NEG_INFINITY" => f64::NEG_INFINITY,
            "NAN" => f64::NAN,
            "EPSILON" => f64::EPSILON,
            "MAX" => f64::MAX,
            "MIN" => f64::MIN,
            "MIN_POSITIVE" => f64::MIN_POSITIVE,
            _ => return None,
        },
        ["f32", name] => f64::from(match *name {
            "INFINITY" => f32::INFINITY,
            "NEG_INFINITY" => f32::NEG_INFINITY,
            "NAN" => f32::NAN,
            "EPSILON" => f32::EPSILON,
            "MAX" => f32::MAX,
            "MIN" => f32::MIN,
            "MIN_POSITIVE" => f32::MIN_POSITIVE,
            _ => return None,
        }),
        [scalar, end @ ("MIN" | "MAX")] => {
            let scalar = super::types::Scalar::by_name(scalar)?;
            let end = if *end == "MIN" {
                scalar.min()
            } else {
                scalar.max()
            };
            return end.map(Lit::Int);
        }
        _ => return None,
    }))
}

/// The value of a constant of a type parameter: what is the same number in all real types.
pub fn constant_of(path: &syn::Path, real: &RealType) -> Option<Lit> {
    let names = segments(path);
    match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [ty, name] if *ty == real.name() => Some(Lit::Real(match *name {
            "INFINITY" => f64::INFINITY,
            "NEG_INFINITY" => f64::NEG_INFINITY,
            "NAN" => f64::NAN,
            _ => return None,
        })),
        _ => None,
    }
}

/// A constant of the module `consts`.
fn mathematical(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "PI" => consts::PI,
        "TAU" => consts::TAU,
        "E" => consts::E,
        "SQRT_2" => consts::SQRT_2,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        "LOG2_E" => consts::LOG2_E,
        "LOG2_10" => consts::LOG2_10,
        "LOG10_E" => consts::LOG10_E,
        "LOG10_2" => consts::LOG10_2,
        "FRAC_PI_2" => consts::FRAC_PI_2,
        "FRAC_PI_3" => consts::FRAC_PI_3,
        "FRAC_PI_4" => consts::FRAC_PI_4,
        "FRAC_PI_6" => consts::FRAC_PI_6,
        "FRAC_PI_8" => consts::FRAC_PI_8,
        "FRAC_1_PI" => consts::FRAC_1_PI,
        "FRAC_2_PI" => consts::FRAC_2_PI,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        _ => return None,
    })
}
