//! The trait [`Real`]: what generic differentiable code may ask of a number.

use crate::elementary::Elementary;
use crate::kernels::{DOUBLE, Multiply, Products, Refill, SINGLE, Summand};
use ndarray::{LinalgScalar, ScalarOperand};
use std::fmt::{Debug, Display, LowerExp};
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// The functions of numbers that generated code calls on each element: by the methods, or those
/// that loops vectorise.
macro_rules! elementary {
    ($do:ident) => {
        elementary! { @$do
            exp_of exp(x); exp2_of exp2(x); exp_m1_of exp_m1(x); ln_of ln(x); ln_1p_of ln_1p(x);
            log2_of log2(x); log10_of log10(x); sin_of sin(x); cos_of cos(x); tan_of tan(x);
            tanh_of tanh(x); asin_of asin(x); acos_of acos(x); atan_of atan(x); sinh_of sinh(x);
            cosh_of cosh(x); asinh_of asinh(x); acosh_of acosh(x); atanh_of atanh(x); cbrt_of cbrt(x);
            atan2_of atan2(y, x); powf_of powf(x, y); hypot_of hypot(x, y);
        }
    };
    (@by_methods $($name:ident $method:ident($($x:ident),+);)*) => {$(
        #[doc(hidden)]
        #[inline]
        fn $name($($x: Self),+) -> Self {
            Self::$method($($x),+)
        }
    )*};
    (@vectorised $($name:ident $method:ident($($x:ident),+);)*) => {
        $(
            #[inline(always)]
            fn $name($($x: Self),+) -> Self {
                Elementary::$name($($x),+)
            }
        )*
        #[inline(always)]
        fn sin_cos_of(x: Self) -> (Self, Self) {
            Elementary::sin_cos_of(x)
        }
        #[inline(always)]
        fn weight_of(x: Self) -> Self {
            Elementary::weight_of(x)
        }
        #[inline(always)]
        fn sigmoid_of(x: Self) -> Self {
            Elementary::sigmoid_of(x)
        }
        #[inline(always)]
        fn softplus_of(x: Self) -> Self {
            Elementary::softplus_of(x)
        }
        #[inline(always)]
        fn erf_of(x: Self) -> Self {
            Elementary::erf_of(x)
        }
        #[inline(always)]
        fn lgamma_of(x: Self) -> Self {
            Elementary::lgamma_of(x)
        }
        #[inline(always)]
        fn digamma_of(x: Self) -> Self {
            Elementary::digamma_of(x)
        }
    };
}

/// A real number: `f64`, `f32`, or what behaves like one.
///
/// A function that is generic over `T: Real` can be written like one over `f64`: the arithmetic,
/// comparisons, [`Sum`] and ndarray's own bounds ([`LinalgScalar`], [`ScalarOperand`]) come with
/// it, and so do the scalar methods. Constants are written `T::of(2.0)` and `T::from_usize(i)`.
///
/// Every method does exactly what the method of the same name of `f64` and `f32` does. On a
/// concrete `f64` the inherent method is the one that is called, whether or not this trait is in
/// scope.
///
/// Other types may implement it: intervals, dual numbers, numbers that count operations. A function
/// over `T: Real` then runs on them as it is written. Its derivatives are for `f64` and `f32`: with
/// other types they may panic.
///
/// Where a function is not differentiable, derivatives follow these conventions: `abs` has
/// derivative 0 at 0; `signum`, `floor`, `ceil`, `round` and `trunc` have derivative 0 everywhere;
/// a tie in `max` or `min` belongs to `self`, unless one side is a constant, which then takes it;
/// `x.powf(y)` has derivative 0 in `y` at `x = 0`; `hypot` and `atan2` have derivative 0 at the
/// origin; `sqrt` has derivative ∞ at 0.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// fn logistic<T: Real>(x: T) -> T {
///     T::of(1.0) / (T::of(1.0) + (-x).exp())
/// }
///
/// assert_eq!(logistic(0.0_f64), 0.5);
/// assert_eq!(logistic(0.0_f32), 0.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real number",
    label = "expected `f64` or `f32`"
)]
pub trait Real:
    Summand
    + Multiply
    + Refill
    + LinalgScalar
    + ScalarOperand
    + PartialOrd
    + Debug
    + Default
    + Send
    + Sync
    + Display
    + LowerExp
    + Neg<Output = Self>
    + Rem<Output = Self>
    + for<'a> Add<&'a Self, Output = Self>
    + for<'a> Sub<&'a Self, Output = Self>
    + for<'a> Mul<&'a Self, Output = Self>
    + for<'a> Div<&'a Self, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + Sum
    + for<'a> Sum<&'a Self>
    + Product
    + for<'a> Product<&'a Self>
    + From<f32>
    + Into<f64>
{
    /// Positive infinity.
    const INFINITY: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// The difference between 1 and the next larger number.
    const EPSILON: Self;

    /// The constant `value`, rounded to this type.
    fn of(value: f64) -> Self;
    /// The count or index `value`, rounded to this type.
    fn from_usize(value: usize) -> Self;
    /// The same number as an `f64`.
    fn to_f64(self) -> f64;
    #[doc(hidden)]
    #[inline]
    fn from_i64(value: i64) -> Self {
        Self::of(value as f64)
    }

    /// Whether this is NaN.
    fn is_nan(self) -> bool;
    /// Whether this is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Whether this is positive or negative infinity.
    fn is_infinite(self) -> bool;

    /// `self` to an integer power.
    fn powi(self, n: i32) -> Self;
    /// Sine and cosine together.
    fn sin_cos(self) -> (Self, Self);
    /// `self` restricted to `min..=max`.
    ///
    /// # Panics
    ///
    /// Panics where the inherent method does: if `min > max` or if either is NaN.
    fn clamp(self, min: Self, max: Self) -> Self;
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// The exponential.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The logarithm to base 2.
    fn log2(self) -> Self;
    /// The logarithm to base 10.
    fn log10(self) -> Self;
    /// 2 to the power of `self`.
    fn exp2(self) -> Self;
    /// `exp(self) - 1`, accurate near 0.
    fn exp_m1(self) -> Self;
    /// `ln(1 + self)`, accurate near 0.
    fn ln_1p(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The cube root.
    fn cbrt(self) -> Self;
    /// `1 / self`.
    fn recip(self) -> Self;
    /// The sine.
    fn sin(self) -> Self;
    /// The cosine.
    fn cos(self) -> Self;
    /// The tangent.
    fn tan(self) -> Self;
    /// The inverse sine.
    fn asin(self) -> Self;
    /// The inverse cosine.
    fn acos(self) -> Self;
    /// The inverse tangent.
    fn atan(self) -> Self;
    /// The hyperbolic sine.
    fn sinh(self) -> Self;
    /// The hyperbolic cosine.
    fn cosh(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// The inverse hyperbolic sine.
    fn asinh(self) -> Self;
    /// The inverse hyperbolic cosine.
    fn acosh(self) -> Self;
    /// The inverse hyperbolic tangent.
    fn atanh(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// 1 with the sign of `self` (also for zeros), or NaN.
    fn signum(self) -> Self;
    /// The largest integer not above `self`.
    fn floor(self) -> Self;
    /// The smallest integer not below `self`.
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from zero.
    fn round(self) -> Self;
    /// The integer part.
    fn trunc(self) -> Self;
    /// The fractional part, with the sign of `self`.
    fn fract(self) -> Self;
    /// Degrees as radians.
    fn to_radians(self) -> Self;
    /// Radians as degrees.
    fn to_degrees(self) -> Self;

    /// `self` to a real power.
    fn powf(self, y: Self) -> Self;
    /// The logarithm to a base.
    fn log(self, base: Self) -> Self;
    /// The angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;
    /// `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// The least non-negative remainder of `self / rhs`.
    fn rem_euclid(self, rhs: Self) -> Self;
    /// The larger of the two; NaN loses.
    fn max(self, other: Self) -> Self;
    /// The smaller of the two; NaN loses.
    fn min(self, other: Self) -> Self;
    /// The length of the vector (`self`, `other`).
    fn hypot(self, other: Self) -> Self;

    /// `1 / (1 + exp(-x))`.
    #[must_use]
    fn sigmoid_of(x: Self) -> Self {
        Self::of(1.0) / (Self::of(1.0) + Self::exp(-x))
    }
    /// `ln(1 + exp(x))`.
    #[must_use]
    fn softplus_of(x: Self) -> Self {
        Self::max(x, Self::of(0.0)) + Self::ln_1p(Self::exp(-Self::abs(x)))
    }
    /// The error function. Panics unless it is implemented.
    #[must_use]
    fn erf_of(x: Self) -> Self {
        missing("erf_of", x)
    }
    /// The logarithm of the gamma function. Panics unless it is implemented.
    #[must_use]
    fn lgamma_of(x: Self) -> Self {
        missing("lgamma_of", x)
    }
    /// The derivative of that. Panics unless it is implemented.
    #[must_use]
    fn digamma_of(x: Self) -> Self {
        missing("digamma_of", x)
    }
    #[doc(hidden)]
    #[inline]
    fn sin_cos_of(x: Self) -> (Self, Self) {
        Self::sin_cos(x)
    }
    #[doc(hidden)]
    #[inline]
    fn weight_of(x: Self) -> Self {
        Self::exp(x)
    }
    elementary!(by_methods);

    /// How its products of matrices are computed in generated code.
    #[doc(hidden)]
    fn products() -> &'static Products<Self> {
        panic!(
            "derivatives are computed in `f64` and `f32`, not in `{}`",
            std::any::type_name::<Self>()
        )
    }
}

#[cold]
fn missing<T>(name: &str, _: T) -> T {
    let of = std::any::type_name::<T>();
    panic!("`{name}` is not implemented for `{of}`")
}

macro_rules! real {
    ($t:ident $products:ident: $($unary:ident)*; $($binary:ident)*) => {
        impl Real for $t {
            elementary!(vectorised);

            #[inline]
            fn products() -> &'static Products<Self> {
                &$products
            }

            const INFINITY: Self = $t::INFINITY;
            const NEG_INFINITY: Self = $t::NEG_INFINITY;
            const NAN: Self = $t::NAN;
            const EPSILON: Self = $t::EPSILON;

            #[inline]
            fn of(value: f64) -> Self {
                value as $t
            }
            #[inline]
            fn from_usize(value: usize) -> Self {
                value as $t
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn from_i64(value: i64) -> Self {
                value as $t
            }
            #[inline]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            #[inline]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline]
            fn is_infinite(self) -> bool {
                $t::is_infinite(self)
            }
            #[inline]
            fn powi(self, n: i32) -> Self {
                $t::powi(self, n)
            }
            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                $t::sin_cos(self)
            }
            #[inline]
            #[track_caller]
            fn clamp(self, min: Self, max: Self) -> Self {
                $t::clamp(self, min, max)
            }
            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $t::mul_add(self, a, b)
            }
            $(
                #[inline]
                fn $unary(self) -> Self {
                    $t::$unary(self)
                }
            )*
            $(
                #[inline]
                fn $binary(self, other: Self) -> Self {
                    $t::$binary(self, other)
                }
            )*
        }
    };
    ($($t:ident $products:ident;)*) => {$(
        real!($t $products:
            exp ln log2 log10 exp2 exp_m1 ln_1p sqrt cbrt recip sin cos tan asin acos atan sinh cosh
            tanh asinh acosh atanh abs signum floor ceil round trunc fract to_radians to_degrees;
            powf log atan2 copysign rem_euclid max min hypot
        );
    )*};
}

real!(f64 DOUBLE; f32 SINGLE;);

#[cfg(test)]
mod tests {
    use super::Real;
    use ndarray::{Array1, Array2, array};

    fn calls<T: Real>(x: T, y: T) -> Vec<T> {
        let (s, c) = x.sin_cos();
        vec![
            x.exp(),
            x.ln(),
            x.log2(),
            x.log10(),
            x.exp2(),
            x.exp_m1(),
            x.ln_1p(),
            x.sqrt(),
            x.cbrt(),
            x.powi(3),
            x.powf(y),
            x.recip(),
            x.sin(),
            x.cos(),
            x.tan(),
            s,
            c,
            x.asin(),
            x.acos(),
            x.atan(),
            x.atan2(y),
            x.sinh(),
            x.cosh(),
            x.tanh(),
            x.asinh(),
            (x + T::of(1.0)).acosh(),
            x.atanh(),
            (-x).abs(),
            x.signum(),
            x.copysign(-y),
            y.floor(),
            y.ceil(),
            y.round(),
            y.trunc(),
            y.fract(),
            (-y).rem_euclid(x),
            x.max(y),
            x.min(y),
            y.clamp(T::of(-1.0), T::of(1.0)),
            x.hypot(y),
            x.mul_add(y, x),
        ]
    }

    #[test]
    fn generic_methods_are_the_inherent_ones() {
        let (x, y) = (0.625_f64, 2.75_f64);
        let expected = [
            x.exp(),
            x.ln(),
            x.log2(),
            x.log10(),
            x.exp2(),
            x.exp_m1(),
            x.ln_1p(),
            x.sqrt(),
            x.cbrt(),
            x.powi(3),
            x.powf(y),
            x.recip(),
            x.sin(),
            x.cos(),
            x.tan(),
            x.sin(),
            x.cos(),
            x.asin(),
            x.acos(),
            x.atan(),
            x.atan2(y),
            x.sinh(),
            x.cosh(),
            x.tanh(),
            x.asinh(),
            (x + 1.0).acosh(),
            x.atanh(),
            x,
            1.0,
            -x,
            2.0,
            3.0,
            3.0,
            2.0,
            0.75,
            (-y).rem_euclid(x),
            y,
            x,
            1.0,
            x.hypot(y),
            x.mul_add(y, x),
        ];
        assert_eq!(calls(x, y), expected);
        for (a, b) in calls(x as f32, y as f32).into_iter().zip(expected) {
            assert!((a.to_f64() - b).abs() < 2e-6 * b.abs().max(1.0), "{a} {b}");
        }
    }

    fn arithmetic<T: Real>(x: &Array1<T>, a: &Array2<T>) -> T {
        let mut total: T = x.iter().sum();
        total += x.iter().copied().sum::<T>();
        total *= T::of(0.5);
        total -= -T::from_usize(3) % T::of(2.0);
        let y = a.dot(x) * T::of(2.0) + x;
        let mut z = &y / T::of(4.0);
        z += &y;
        let largest = z.iter().fold(T::NEG_INFINITY, |m, v| m.max(*v));
        if largest > T::of(1.0) && !total.is_nan() {
            total + z.sum() + x.iter().product::<T>()
        } else {
            T::default()
        }
    }

    #[test]
    fn generic_arithmetic() {
        let x = array![1.0, 2.0];
        let a = array![[1.0, 0.0], [0.5, -1.0]];
        // total = 3 + 1; y = [3, -1]; z = 1.25 y; product = 2
        assert_eq!(arithmetic(&x, &a), 4.0 + 2.5 + 2.0);
        assert_eq!(
            arithmetic(&x.mapv(|v| v as f32), &a.mapv(|v| v as f32)),
            8.5
        );
    }

    #[test]
    fn constants() {
        fn check<T: Real>() {
            assert!(T::INFINITY.is_infinite() && T::NEG_INFINITY < T::of(0.0));
            assert!(T::NAN.is_nan() && T::of(2.0).is_finite());
            assert!(T::of(1.0) + T::EPSILON > T::of(1.0));
            assert!(T::of(1.0) + T::EPSILON / T::of(2.0) == T::of(1.0));
        }
        check::<f64>();
        check::<f32>();
    }
}
