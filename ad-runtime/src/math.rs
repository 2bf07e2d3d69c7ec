//! The scalar functions as free functions: `use cotangent::math::*` and write `exp(x)`.
//!
//! Each does what the method of the same name of [`Real`] does.

use crate::{Real, RealArgument};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($x:ident $(, $y:ident = $example:literal)*);)*) => {$(
        $(#[$doc])*
        ///
        /// ```
        /// # extern crate cotangent_runtime as cotangent;
        #[doc = concat!("use cotangent::math::", stringify!($name), ";")]
        ///
        #[doc = concat!(
            "let result: f64 = ", stringify!($name), "(1.0", $(", ", stringify!($example),)* ");"
        )]
        #[doc = concat!(
            "assert_eq!(result, 1.0_f64.", stringify!($name), "(", $(stringify!($example), ", ",)* "));"
        )]
        /// ```
        #[inline]
        pub fn $name<T: RealArgument>($x: T $(, $y: T)*) -> T {
            T::of_number(Real::$name($x.number() $(, $y.number())*))
        }
    )*};
}

functions! {
    /// The exponential.
    exp(x);
    /// The natural logarithm.
    ln(x);
    /// The logarithm to base 2.
    log2(x);
    /// The logarithm to base 10.
    log10(x);
    /// 2 to the power of `x`.
    exp2(x);
    /// `exp(x) - 1`, accurate near 0.
    exp_m1(x);
    /// `ln(1 + x)`, accurate near 0.
    ln_1p(x);
    /// The square root. Its derivative at 0 is ∞.
    sqrt(x);
    /// The cube root.
    cbrt(x);
    /// `x` to the real power `y`. The derivative in `y` is 0 at `x = 0`.
    powf(x, y = 1.5);
    /// `1 / x`.
    recip(x);
    /// The sine.
    sin(x);
    /// The cosine.
    cos(x);
    /// The tangent.
    tan(x);
    /// The inverse sine.
    asin(x);
    /// The inverse cosine.
    acos(x);
    /// The inverse tangent.
    atan(x);
    /// The angle of the point (`x`, `y`); the ordinate comes first. Its derivative at the origin is
    /// 0.
    atan2(y, x = 2.0);
    /// The hyperbolic sine.
    sinh(x);
    /// The hyperbolic cosine.
    cosh(x);
    /// The hyperbolic tangent.
    tanh(x);
    /// The inverse hyperbolic sine.
    asinh(x);
    /// The inverse hyperbolic cosine.
    acosh(x);
    /// The inverse hyperbolic tangent.
    atanh(x);
    /// The absolute value. Its derivative at 0 is 0.
    abs(x);
    /// 1 with the sign of `x` (also for zeros), or NaN. Its derivative is 0.
    signum(x);
    /// `x` with the sign of `sign`.
    copysign(x, sign = -2.0);
    /// The largest integer not above `x`. Its derivative is 0.
    floor(x);
    /// The smallest integer not below `x`. Its derivative is 0.
    ceil(x);
    /// The nearest integer, halves away from zero. Its derivative is 0.
    round(x);
    /// The integer part. Its derivative is 0.
    trunc(x);
    /// The fractional part, with the sign of `x`. Its derivative is 1.
    fract(x);
    /// The least non-negative remainder of `x / y`.
    rem_euclid(x, y = 0.75);
    /// The larger of the two; NaN loses. A tie belongs to `x`, or to the side that is a constant.
    max(x, y = 2.0);
    /// The smaller of the two; NaN loses. A tie belongs to `x`, or to the side that is a constant.
    min(x, y = 2.0);
    /// The length of the vector (`x`, `y`). Its derivative at the origin is 0.
    hypot(x, y = 2.0);
    /// `x * a + b`, rounded once.
    mul_add(x, a = 2.0, b = 3.0);
}

/// `x` to the integer power `n`.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::math::powi;
///
/// assert_eq!(powi(2.0, 3), 8.0);
/// ```
#[inline]
pub fn powi<T: RealArgument>(x: T, n: i32) -> T {
    T::of_number(Real::powi(x.number(), n))
}

/// Sine and cosine together.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::math::sin_cos;
///
/// assert_eq!(sin_cos(0.0), (0.0, 1.0));
/// ```
#[inline]
pub fn sin_cos<T: RealArgument>(x: T) -> (T, T) {
    let (sin, cos) = Real::sin_cos(x.number());
    (T::of_number(sin), T::of_number(cos))
}

/// `x` restricted to `min..=max`. Its derivative is 0 at both ends.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::math::clamp;
///
/// assert_eq!(clamp(1.5, 0.0, 1.0), 1.0);
/// ```
///
/// # Panics
///
/// Panics where the method of `f64` does: if `min > max` or if either is NaN.
#[inline]
#[track_caller]
pub fn clamp<T: RealArgument>(x: T, min: T, max: T) -> T {
    T::of_number(Real::clamp(x.number(), min.number(), max.number()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_the_methods() {
        let (x, y) = (0.625_f64, 2.75_f64);
        type Function = fn(f64) -> f64;
        let unary: [(Function, Function); 29] = [
            (exp, f64::exp),
            (ln, f64::ln),
            (log2, f64::log2),
            (log10, f64::log10),
            (exp2, f64::exp2),
            (exp_m1, f64::exp_m1),
            (ln_1p, f64::ln_1p),
            (sqrt, f64::sqrt),
            (cbrt, f64::cbrt),
            (recip, f64::recip),
            (sin, f64::sin),
            (cos, f64::cos),
            (tan, f64::tan),
            (asin, f64::asin),
            (acos, f64::acos),
            (atan, f64::atan),
            (sinh, f64::sinh),
            (cosh, f64::cosh),
            (tanh, f64::tanh),
            (asinh, f64::asinh),
            (|x| acosh(x + 1.0), |x| (x + 1.0).acosh()),
            (atanh, f64::atanh),
            (abs, f64::abs),
            (signum, f64::signum),
            (floor, f64::floor),
            (ceil, f64::ceil),
            (round, f64::round),
            (trunc, f64::trunc),
            (fract, f64::fract),
        ];
        for (k, (f, g)) in unary.into_iter().enumerate() {
            assert_eq!(f(x), g(x), "function {k}");
        }
        assert_eq!(powf(x, y), x.powf(y));
        assert_eq!(powi(x, -2), x.powi(-2));
        assert_eq!(atan2(y, x), y.atan2(x));
        assert_eq!(copysign(x, -y), -x);
        assert_eq!(rem_euclid(-y, x), (-y).rem_euclid(x));
        assert_eq!((max(x, y), min(x, y)), (y, x));
        assert_eq!(max(f64::NAN, y), y);
        assert_eq!(hypot(x, y), x.hypot(y));
        assert_eq!(mul_add(x, y, 3.0), x.mul_add(y, 3.0));
        assert_eq!(clamp(y, 0.0, 1.0), 1.0);
        assert_eq!(sin_cos(x), x.sin_cos());
        assert_eq!(exp(0.5_f32), 0.5_f32.exp());
    }
}
