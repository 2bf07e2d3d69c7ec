//! Elementary functions that a loop over elements vectorises.
//!
//! Each function is straight-line code: arithmetic, operations on bits, and choices between two values that are both
//! there. So LLVM vectorises a loop that calls it, for the instruction set that the caller is compiled for.
//! There are no fused multiplications, so a function gives the same bits on every instruction set.
//!
//! The errors are below 2 units in the last place (ULP), but for what is said at a function. The polynomials are from
//! `tools/elementary_polynomials.py`, which prints their errors as well.

#[macro_use]
mod polynomial;
mod exp;
mod hyperbolic;
mod ln;
mod logistic;
#[cfg(test)]
mod tests;
mod trig;

/// The numbers that have the functions of this module; the names end in `_of` because `Real` has the others.
pub trait Elementary: Copy {
    #[doc(hidden)]
    fn exp_of(x: Self) -> Self;
    #[doc(hidden)]
    fn exp2_of(x: Self) -> Self;
    #[doc(hidden)]
    fn exp_m1_of(x: Self) -> Self;
    #[doc(hidden)]
    fn ln_of(x: Self) -> Self;
    #[doc(hidden)]
    fn ln_1p_of(x: Self) -> Self;
    #[doc(hidden)]
    fn log2_of(x: Self) -> Self;
    #[doc(hidden)]
    fn log10_of(x: Self) -> Self;
    #[doc(hidden)]
    fn sin_of(x: Self) -> Self;
    #[doc(hidden)]
    fn cos_of(x: Self) -> Self;
    #[doc(hidden)]
    fn sin_cos_of(x: Self) -> (Self, Self);
    #[doc(hidden)]
    fn tan_of(x: Self) -> Self;
    #[doc(hidden)]
    fn tanh_of(x: Self) -> Self;
    #[doc(hidden)]
    fn sigmoid_of(x: Self) -> Self;
    #[doc(hidden)]
    fn softplus_of(x: Self) -> Self;
}

macro_rules! elementary {
    ($($method:ident = $module:ident :: $name:ident;)*) => {
        impl Elementary for f64 {
            $(
                #[inline(always)]
                fn $method(x: f64) -> f64 {
                    $module::$name(x)
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
                fn $method(x: f32) -> f32 {
                    $module::$name(f64::from(x)) as f32
                }
            )*
            #[inline(always)]
            fn sin_cos_of(x: f32) -> (f32, f32) {
                let (s, c) = trig::sin_cos(f64::from(x));
                (s as f32, c as f32)
            }
        }
    };
}

elementary! {
    exp_of = exp::exp;
    exp2_of = exp::exp2;
    exp_m1_of = exp::exp_m1;
    ln_of = ln::ln;
    ln_1p_of = ln::ln_1p;
    log2_of = ln::log2;
    log10_of = ln::log10;
    sin_of = trig::sin;
    cos_of = trig::cos;
    tan_of = trig::tan;
    tanh_of = hyperbolic::tanh;
    sigmoid_of = logistic::sigmoid;
    softplus_of = logistic::softplus;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $method:ident ($($x:ident),+);)*) => {$(
        $(#[$doc])*
        // Without optimisation a call is all that is wanted: there is less to compile.
        #[cfg_attr(debug_assertions, inline(never))]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[must_use]
        pub fn $name<T: Elementary>($($x: T),+) -> T {
            T::$method($($x),+)
        }
    )*};
}

functions! {
    /// The exponential.
    exp = exp_of(x);
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
    /// The sine. Beyond 2³⁰ it is that of a number within few units in the last place of `x`.
    sin = sin_of(x);
    /// The cosine. Beyond 2³⁰ it is that of a number within few units in the last place of `x`.
    cos = cos_of(x);
    /// The tangent. Beyond 2³⁰ it is that of a number within few units in the last place of `x`.
    tan = tan_of(x);
    /// The hyperbolic tangent.
    tanh = tanh_of(x);
}

/// Sine and cosine together.
#[inline(always)]
#[must_use]
pub fn sin_cos<T: Elementary>(x: T) -> (T, T) {
    T::sin_cos_of(x)
}
