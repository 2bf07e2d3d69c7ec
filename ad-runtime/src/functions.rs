//! The scalar functions of the prelude, and what scalar functions are of.

use crate::combinators::MustBeTheOneFromCotangent;
use crate::{Real, special};

/// What the scalar functions of this crate take: every real type, and nothing else of anyone's.
///
/// Generated code tells them by it from other functions of the same name, generic ones included.
pub trait RealArgument: Sized {
    /// The real type.
    #[doc(hidden)]
    type Number: Real;
    /// The number.
    #[doc(hidden)]
    fn number(self) -> Self::Number;
    /// The argument again, of a number.
    #[doc(hidden)]
    fn of_number(x: Self::Number) -> Self;
}

impl<T: Real> RealArgument for T {
    type Number = T;

    #[inline(always)]
    fn number(self) -> T {
        self
    }
    #[inline(always)]
    fn of_number(x: T) -> T {
        x
    }
}

/// It is in no call that is made.
impl RealArgument for MustBeTheOneFromCotangent {
    type Number = f64;

    fn number(self) -> f64 {
        f64::NAN
    }
    fn of_number(_: f64) -> Self {
        MustBeTheOneFromCotangent
    }
}

/// `1 / (1 + exp(-x))`, without overflow at either end.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// assert_eq!(sigmoid(0.0), 0.5);
/// assert_eq!(sigmoid(1000.0), 1.0);
/// assert_eq!(sigmoid(-700.0), (-700.0_f64).exp());
/// ```
#[inline]
pub fn sigmoid<T: RealArgument>(x: T) -> T {
    T::of_number(special::sigmoid(x.number()))
}

/// `ln(1 + exp(x))`, without overflow: `x` itself for large `x`, `exp(x)` for very negative `x`.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// assert_eq!(softplus(0.0), 2.0_f64.ln());
/// assert_eq!(softplus(800.0), 800.0);
/// assert_eq!(softplus(-700.0), (-700.0_f64).exp());
/// ```
#[inline]
pub fn softplus<T: RealArgument>(x: T) -> T {
    T::of_number(special::softplus(x.number()))
}

/// `x` where it is positive, else 0. So `relu(NaN)` is 0, as for `x.max(0.0)`.
///
/// The derivative at 0 is 0.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// assert_eq!(relu(1.5), 1.5);
/// assert_eq!(relu(-1.5), 0.0);
/// ```
#[inline]
pub fn relu<T: RealArgument>(x: T) -> T {
    T::of_number(special::relu(x.number()))
}

/// The logarithm of the absolute value of the gamma function.
///
/// It is ∞ at the poles 0, −1, −2, … The derivative is [`digamma`].
///
/// The relative error is below 10⁻¹⁴ for positive `x`, also close to the zeros at 1 and 2. For
/// negative `x`, where there are more zeros, it is below that compared to at least 1.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// assert_eq!(lgamma(1.0), 0.0);
/// assert!((lgamma(5.0) - 24.0_f64.ln()).abs() < 1e-15);
/// assert_eq!(lgamma(-3.0), f64::INFINITY);
/// ```
#[inline]
pub fn lgamma<T: RealArgument>(x: T) -> T {
    T::of_number(special::lgamma(x.number()))
}

/// The derivative of [`lgamma`].
///
/// It is NaN at the poles 0, −1, −2, … The derivative is `trigamma`.
///
/// The relative error is below 10⁻¹⁴ for positive `x`, also close to the zero at 1.4616… For
/// negative `x`, where there is a zero between any two poles, it is below that compared to at least
/// 1.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// // Minus the Euler constant
/// assert!((digamma(1.0) + 0.577_215_664_901_532_9_f64).abs() < 1e-15);
/// assert!(digamma(-1.0_f64).is_nan());
/// ```
#[inline]
pub fn digamma<T: RealArgument>(x: T) -> T {
    T::of_number(special::digamma(x.number()))
}

/// The error function, `2/√π ∫ exp(-t²) dt` from 0 to `x`.
///
/// ```
/// # extern crate cotangent_runtime as cotangent;
/// use cotangent::prelude::*;
///
/// assert_eq!(erf(0.0), 0.0);
/// assert_eq!(erf(10.0), 1.0);
/// assert!((erf(-0.5) + 0.520_499_877_813_046_5_f64).abs() < 1e-15);
/// ```
#[inline]
pub fn erf<T: RealArgument>(x: T) -> T {
    T::of_number(special::erf(x.number()))
}
