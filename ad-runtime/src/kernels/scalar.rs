//! Scalar functions of `f64` and `i64`.

pub use crate::scalar::sign0;

macro_rules! real {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name(x: f64) -> f64 {
            crate::$name(x)
        }
    )*};
}

real! {
    /// `1 / (1 + exp(-x))`
    sigmoid
    /// `ln(1 + exp(x))`
    softplus
    /// `x` where it is positive, 0 elsewhere.
    relu
    /// `ln |Γ(x)|`
    lgamma
    /// The derivative of `lgamma`.
    digamma
    /// The error function.
    erf
}

/// The derivative of order `n` of `digamma`, at `x`; NaN for `n` beyond `i32`.
#[inline]
#[must_use]
pub fn polygamma(x: f64, n: i64) -> f64 {
    i32::try_from(n).map_or(f64::NAN, |n| crate::polygamma(n, x))
}

/// `x` to the integer power `n`.
#[inline(always)]
#[must_use]
pub fn powi(x: f64, n: i64) -> f64 {
    match i32::try_from(n) {
        Ok(n) => x.powi(n),
        Err(_) => x.powf(n as f64),
    }
}

/// The integer power `a` to the `b`.
///
/// # Panics
///
/// Panics if `b` is negative or does not fit in `u32`, and if the power does not fit in `i64`.
#[inline]
#[must_use]
#[track_caller]
pub fn ipow(a: i64, b: i64) -> i64 {
    crate::scalar::pow(a, b)
}
