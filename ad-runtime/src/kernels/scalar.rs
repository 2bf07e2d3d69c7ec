//! Scalar functions of real numbers and `i64`.

use crate::Real;

pub use crate::scalar::sign0;

macro_rules! real {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[cfg_attr(debug_assertions, inline(never))]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[must_use]
        pub fn $name<T: Real>(x: T) -> T {
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

/// What `x` is as an `f32`.
#[inline(always)]
#[must_use]
pub fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// The derivative of order `n` of `digamma`, at `x`; NaN for `n` beyond `i32`.
#[inline]
#[must_use]
pub fn polygamma<T: Real>(x: T, n: i64) -> T {
    i32::try_from(n).map_or(T::NAN, |n| crate::polygamma(n, x))
}

/// `x` to the integer power `n`.
#[inline(always)]
#[must_use]
pub fn powi<T: Real>(x: T, n: i64) -> T {
    match i32::try_from(n) {
        Ok(n) => x.powi(n),
        Err(_) => x.powf(T::from_i64(n)),
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

/// An integer that an unsigned type has.
///
/// # Panics
///
/// Panics if it is negative.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn natural(a: i64) -> i64 {
    crate::scalar::natural(a)
}

/// The argument `name`, an unsigned integer, as one with a sign.
///
/// # Panics
///
/// Panics if it is 2⁶³ or more.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn unsigned(name: &str, a: u64) -> i64 {
    crate::scalar::unsigned(name, a)
}

/// The literal `x` in a generic function.
#[inline(always)]
#[must_use]
pub fn real<T: Real>(x: f64) -> T {
    T::of(x)
}

/// `n as T`
#[inline(always)]
#[must_use]
pub fn real_from<T: Real>(n: i64) -> T {
    T::from_i64(n)
}

/// `x as i64`: towards zero, and stopping at the ends.
#[inline(always)]
#[must_use]
pub fn integer_from<T: Real>(x: T) -> i64 {
    x.to_f64() as i64
}
