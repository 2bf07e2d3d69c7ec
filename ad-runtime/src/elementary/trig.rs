//! Trigonometric functions.
//!
//! An argument is reduced by multiples k of π/2 (`angle`), and what is left goes into polynomials.

use super::angle::{Reduced, reduce};
use super::two::sum_ordered;

/// What sin(r + low) has beyond r, for |r| below 0.7855. The error is 2⁻⁵⁵·⁵.
#[inline(always)]
fn sin_rest(r: f64, low: f64, z: f64, z2: f64) -> f64 {
    let p = polynomial!(z, z2;
        -0.16666666666666666,
        0.008333333333330946,
        -0.0001984126983675497,
        2.755731610068303e-06,
        -2.5051131455427946e-08,
        1.591810123027412e-10,
    );
    (r * z) * p + low * (1.0 - 0.5 * z)
}

/// cos(r + low) as a sum of two numbers. The error is 2⁻⁵⁹·⁵.
#[inline(always)]
fn cos_in_two(r: f64, low: f64, z: f64, z2: f64) -> (f64, f64) {
    let p = polynomial!(z, z2;
        0.041666666666666664,
        -0.0013888888888887395,
        2.4801587298763433e-05,
        -2.7557317270560326e-07,
        2.0876146024689747e-09,
        -1.1382614868556325e-11,
    );
    let half = 0.5 * z;
    let first = 1.0 - half;
    (first, ((1.0 - first) - half) + (z2 * p - r * low))
}

/// The sine and cosine of what is left of `x` after reduction, and k in the lowest bits.
#[inline(always)]
fn parts(x: f64) -> (f64, f64, u64) {
    let Reduced { bits, r, low } = reduce(x);
    let z = r * r;
    let z2 = z * z;
    let sine = r + sin_rest(r, low, z, z2);
    let (first, rest) = cos_in_two(r, low, z, z2);
    (sine, first + rest, bits)
}

/// Sine and cosine for |r| below 0.7855.
#[inline(always)]
pub(super) fn sin_cos_of_rest(r: f64) -> (f64, f64) {
    let z = r * r;
    let z2 = z * z;
    let (first, rest) = cos_in_two(r, 0.0, z, z2);
    (r + sin_rest(r, 0.0, z, z2), first + rest)
}

/// `value` with its sign changed where bit 1 of `bits` is set.
#[inline(always)]
fn signed(value: f64, bits: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ ((bits & 2) << 62))
}

/// `value` with its sign changed where `x` is negative.
#[inline(always)]
fn odd(value: f64, x: f64) -> f64 {
    f64::from_bits(value.to_bits() ^ (x.to_bits() & (1 << 63)))
}

/// Sine and cosine together.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    let (sine, cosine, bits) = parts(x.abs());
    let swapped = bits & 1 != 0;
    let s = if swapped { cosine } else { sine };
    let c = if swapped { sine } else { cosine };
    (odd(signed(s, bits), x), signed(c, bits.wrapping_add(1)))
}

/// The sine.
#[inline(always)]
pub(super) fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// The cosine.
#[inline(always)]
pub(super) fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// The tangent.
#[inline(always)]
pub(super) fn tan(x: f64) -> f64 {
    let Reduced { bits, r, low } = reduce(x.abs());
    let z = r * r;
    let z2 = z * z;
    let (sine, sine_low) = sum_ordered(r, sin_rest(r, low, z, z2));
    let (first, rest) = cos_in_two(r, low, z, z2);
    let (cosine, cosine_low) = sum_ordered(first, rest);
    // tan(r + π/2) = -cos(r) / sin(r)
    let swapped = bits & 1 != 0;
    let above = if swapped { cosine } else { sine };
    let above_low = if swapped { cosine_low } else { sine_low };
    let below = if swapped { sine } else { cosine };
    let below_low = if swapped { sine_low } else { cosine_low };
    let quotient = above / below;
    let result = quotient + (above_low - quotient * below_low) / below;
    odd(signed(result, bits << 1), x)
}
