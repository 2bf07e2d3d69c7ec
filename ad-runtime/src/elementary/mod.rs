//! Elementary functions that a loop over elements vectorises.
//!
//! Each function is straight-line code: arithmetic, operations on bits, and choices between two
//! values that are both there. So LLVM vectorises a loop that calls it, for the instruction set
//! that the caller is compiled for. There are no fused multiplications, so a function gives the
//! same bits on every instruction set.
//!
//! The errors are below 2 units in the last place (ULP), but for what is said at a function. The
//! polynomials are from `tools/elementary_polynomials.py`, which prints their errors as well.

#[macro_use]
mod polynomial;
mod angle;
mod erf;
mod exp;
mod gamma;
mod hyperbolic;
mod inverse;
mod ln;
mod logistic;
mod power;
mod roots;
mod single;
#[cfg(test)]
mod tests;
mod trig;
mod two;

use crate::Real;

/// The numbers that have the functions of this module; the names end in `_of` because `Real` has
/// the others.
pub(crate) trait Elementary: Copy {
    fn exp_of(x: Self) -> Self;
    fn weight_of(x: Self) -> Self;
    fn exp2_of(x: Self) -> Self;
    fn exp_m1_of(x: Self) -> Self;
    fn ln_of(x: Self) -> Self;
    fn ln_1p_of(x: Self) -> Self;
    fn log2_of(x: Self) -> Self;
    fn log10_of(x: Self) -> Self;
    fn sin_of(x: Self) -> Self;
    fn cos_of(x: Self) -> Self;
    fn sin_cos_of(x: Self) -> (Self, Self);
    fn tan_of(x: Self) -> Self;
    fn tanh_of(x: Self) -> Self;
    fn asin_of(x: Self) -> Self;
    fn acos_of(x: Self) -> Self;
    fn atan_of(x: Self) -> Self;
    fn sinh_of(x: Self) -> Self;
    fn cosh_of(x: Self) -> Self;
    fn asinh_of(x: Self) -> Self;
    fn acosh_of(x: Self) -> Self;
    fn atanh_of(x: Self) -> Self;
    fn cbrt_of(x: Self) -> Self;
    fn atan2_of(y: Self, x: Self) -> Self;
    fn powf_of(x: Self, y: Self) -> Self;
    fn hypot_of(x: Self, y: Self) -> Self;
    fn erf_of(x: Self) -> Self;
    fn lgamma_of(x: Self) -> Self;
    fn digamma_of(x: Self) -> Self;
    fn sigmoid_of(x: Self) -> Self;
    fn softplus_of(x: Self) -> Self;
}

macro_rules! elementary {
    ($($method:ident = $module:ident :: $name:ident ($($x:ident),+) $as:tt;)*) => {
        impl Elementary for f64 {
            $(
                #[inline(always)]
                fn $method($($x: f64),+) -> f64 {
                    $module::$name($($x),+)
                }
            )*
            #[inline(always)]
            fn sin_cos_of(x: f64) -> (f64, f64) {
                trig::sin_cos(x)
            }
        }

        impl Elementary for f32 {
            $(
                #[inline(always)]
                fn $method($($x: f32),+) -> f32 {
                    elementary!(@$as $module::$name($($x),+))
                }
            )*
            #[inline(always)]
            fn sin_cos_of(x: f32) -> (f32, f32) {
                single::sin_cos(x)
            }
        }
    };
    // A function of its own, or that of `f64`.
    (@single $module:ident :: $name:ident ($($x:ident),+)) => {
        single::$name($($x),+)
    };
    (@rounded $module:ident :: $name:ident ($($x:ident),+)) => {
        $module::$name($(f64::from($x)),+) as f32
    };
}

// The last word says how it is computed for `f32`.
elementary! {
    exp_of = exp::exp(x) single;
    weight_of = exp::weight(x) single;
    exp2_of = exp::exp2(x) single;
    exp_m1_of = exp::exp_m1(x) single;
    ln_of = ln::ln(x) single;
    ln_1p_of = ln::ln_1p(x) single;
    log2_of = ln::log2(x) rounded;
    log10_of = ln::log10(x) rounded;
    sin_of = trig::sin(x) single;
    cos_of = trig::cos(x) single;
    tan_of = trig::tan(x) single;
    tanh_of = hyperbolic::tanh(x) single;
    asin_of = inverse::asin(x) rounded;
    acos_of = inverse::acos(x) rounded;
    atan_of = inverse::atan(x) rounded;
    sinh_of = hyperbolic::sinh(x) rounded;
    cosh_of = hyperbolic::cosh(x) rounded;
    asinh_of = hyperbolic::asinh(x) rounded;
    acosh_of = hyperbolic::acosh(x) rounded;
    atanh_of = hyperbolic::atanh(x) rounded;
    cbrt_of = roots::cbrt(x) rounded;
    atan2_of = inverse::atan2(y, x) rounded;
    powf_of = power::powf(x, y) single;
    hypot_of = roots::hypot(x, y) single;
    erf_of = erf::erf(x) single;
    lgamma_of = gamma::lgamma(x) rounded;
    digamma_of = gamma::digamma(x) rounded;
    sigmoid_of = logistic::sigmoid(x) single;
    softplus_of = logistic::softplus(x) single;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $method:ident ($($x:ident),+);)*) => {$(
        $(#[$doc])*
        // Without optimisation a call is all that is wanted: there is less to compile.
        #[cfg_attr(debug_assertions, inline(never))]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[must_use]
        pub fn $name<T: Real>($($x: T),+) -> T {
            T::$method($($x),+)
        }
    )*};
}

functions! {
    /// The exponential.
    exp = exp_of(x);
    /// The exponential, or 0 where it is very small: one term of a sum of exponentials, relative to
    /// the sum. Products with tiny terms would be subnormal numbers, which processors multiply
    /// slowly.
    weight = weight_of(x);
    /// 2 to the power of `x`.
    exp2 = exp2_of(x);
    /// `exp(x) - 1`, accurate near 0.
    exp_m1 = exp_m1_of(x);
    /// The natural logarithm.
    ln = ln_of(x);
    /// `ln(1 + x)`, accurate near 0.
    ln_1p = ln_1p_of(x);
    /// The logarithm to base 2.
    log2 = log2_of(x);
    /// The logarithm to base 10.
    log10 = log10_of(x);
    /// The sine.
    sin = sin_of(x);
    /// The cosine.
    cos = cos_of(x);
    /// The tangent.
    tan = tan_of(x);
    /// The hyperbolic tangent.
    tanh = tanh_of(x);
    /// The inverse sine.
    asin = asin_of(x);
    /// The inverse cosine.
    acos = acos_of(x);
    /// The inverse tangent.
    atan = atan_of(x);
    /// The hyperbolic sine.
    sinh = sinh_of(x);
    /// The hyperbolic cosine.
    cosh = cosh_of(x);
    /// The inverse hyperbolic sine.
    asinh = asinh_of(x);
    /// The inverse hyperbolic cosine.
    acosh = acosh_of(x);
    /// The inverse hyperbolic tangent.
    atanh = atanh_of(x);
    /// The cube root.
    cbrt = cbrt_of(x);
    /// The angle of the point (`x`, `y`); the ordinate comes first.
    atan2 = atan2_of(y, x);
    /// `x` to the real power `y`.
    powf = powf_of(x, y);
    /// The length of the vector (`x`, `y`).
    hypot = hypot_of(x, y);
}

/// Sine and cosine together.
#[inline(always)]
#[must_use]
pub fn sin_cos<T: Real>(x: T) -> (T, T) {
    T::sin_cos_of(x)
}
