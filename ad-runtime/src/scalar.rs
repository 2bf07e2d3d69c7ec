//! Small scalar helpers that generated code calls.

use crate::Real;

/// The sign of `x`: −1, 0 or 1, with 0 for both zeros, and NaN for NaN.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn sign0<T: Real>(x: T) -> T {
    if x > T::nought() {
        T::unit()
    } else if x < T::nought() {
        -T::unit()
    } else {
        // Zero of either sign gives zero; NaN passes through.
        x.abs()
    }
}

/// The quotient rounded towards zero, so that `x % y` is `x - y * div_trunc(x, y)` up to rounding.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn div_trunc(x: f64, y: f64) -> f64 {
    (x / y).trunc()
}

/// The distance between two integers.
///
/// # Panics
///
/// Panics if it does not fit in `i64`.
#[doc(hidden)]
#[inline]
#[must_use]
#[track_caller]
pub fn abs_diff(a: i64, b: i64) -> i64 {
    match i64::try_from(a.abs_diff(b)) {
        Ok(distance) => distance,
        Err(_) => panic!("the distance of {a} and {b} does not fit in i64"),
    }
}

/// The integer power `a` to the `b`.
///
/// # Panics
///
/// Panics if `b` is negative or does not fit in `u32`, and if the power does not fit in `i64`.
#[doc(hidden)]
#[inline]
#[must_use]
#[track_caller]
pub fn pow(a: i64, b: i64) -> i64 {
    let power = u32::try_from(b).ok().and_then(|b| a.checked_pow(b));
    match power {
        Some(power) => power,
        None => panic!("the power {a}^{b} is not an i64"),
    }
}

/// An integer that an unsigned type has.
///
/// # Panics
///
/// Panics if it is negative: as an unsigned integer it would be 2⁶³ or more.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn natural(a: i64) -> i64 {
    #[cold]
    #[track_caller]
    fn negative(a: i64) -> ! {
        panic!(
            "{a} is cast to an unsigned integer, and that is not an i64: {}",
            a as u64
        )
    }
    if a < 0 {
        negative(a)
    }
    a
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
    #[cold]
    #[track_caller]
    fn too_large(name: &str, a: u64) -> ! {
        panic!("`{name}` is {a}, which is not an i64")
    }
    match i64::try_from(a) {
        Ok(a) => a,
        Err(_) => too_large(name, a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs() {
        assert_eq!(sign0(3.0), 1.0);
        assert_eq!(sign0(-5e-324), -1.0);
        assert_eq!(sign0(f64::NEG_INFINITY), -1.0);
        assert_eq!(sign0(-0.0_f64).to_bits(), 0.0_f64.to_bits());
        assert_eq!(sign0(0.0), 0.0);
        assert!(sign0(f64::NAN).is_nan());
    }

    #[test]
    fn quotients() {
        assert_eq!(div_trunc(-7.0, 2.0), -3.0);
        assert_eq!(div_trunc(7.5, 2.5), 3.0);
    }

    #[test]
    fn integers() {
        assert_eq!(abs_diff(-3, 4), 7);
        assert_eq!(abs_diff(4, -3), 7);
        assert_eq!(pow(-2, 3), -8);
        assert_eq!(pow(0, 0), 1);
    }

    #[test]
    #[should_panic(expected = "2^-1 is not an i64")]
    fn negative_power() {
        let _ = pow(2, -1);
    }

    #[test]
    fn unsigned_integers_are_natural() {
        assert_eq!((natural(0), natural(i64::MAX)), (0, i64::MAX));
        assert_eq!(unsigned("n", 1 << 62), 1 << 62);
    }

    #[test]
    #[should_panic(
        expected = "-1 is cast to an unsigned integer, and that is not an i64: 18446744073709551615"
    )]
    fn negative_integers_are_not_natural() {
        let _ = natural(-1);
    }

    #[test]
    #[should_panic(expected = "`n` is 9223372036854775808, which is not an i64")]
    fn large_unsigned_integers_are_refused() {
        let _ = unsigned("n", 1 << 63);
    }

    #[test]
    #[should_panic(expected = "2^63 is not an i64")]
    fn power_too_large() {
        let _ = pow(2, 63);
    }

    #[test]
    #[should_panic(expected = "does not fit in i64")]
    fn distance_too_large() {
        let _ = abs_diff(i64::MIN, 1);
    }
}
