//! Logarithms.

use super::exp::{LN2_HIGH, LN2_LOW};
use super::two::sum;

/// `1 / ln 2`, `1 / ln 10` and `ln 2 / ln 10` in two parts, the first with 32 bits, for the last
/// one 42.
const LOG2_E_HIGH: f64 = 1.4426950407214463;
const LOG2_E_LOW: f64 = 1.6751713164886512e-10;
const LOG10_E_HIGH: f64 = 0.4342944818781689;
const LOG10_E_LOW: f64 = 2.5082946711645275e-11;
const LOG10_2_HIGH: f64 = 0.30102999566395283;
const LOG10_2_LOW: f64 = 2.8363394551044964e-14;

/// The bits of `sqrt(1/2)`, and of 1.
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// `y = 2ᵏ (1 + f)`, with 1 + f between `sqrt(1/2)` and `sqrt(2)`.
pub(super) struct Split {
    pub(super) k: f64,
    pub(super) f: f64,
}

/// For a normal positive `y`; `shift` is added to k.
#[inline(always)]
pub(super) fn split(y: f64, shift: f64) -> Split {
    let bits = y.to_bits().wrapping_add(ONE - ROOT_HALF);
    // The biased exponent in the mantissa of 2⁵².
    let biased = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000);
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT_HALF);
    Split {
        k: biased - (4503599627370496.0 + 1023.0) + shift,
        f: m - 1.0,
    }
}

/// The same for any positive `x`, also for subnormal ones.
#[inline(always)]
pub(super) fn split_any(x: f64) -> Split {
    let subnormal = x < f64::MIN_POSITIVE;
    let larger = x * 18014398509481984.0;
    let y = if subnormal { larger } else { x };
    split(y, if subnormal { -54.0 } else { 0.0 })
}

/// `f²/2`, and what is left of `ln(1 + f) = f - f²/2 + rest`.
///
/// With s = f / (2 + f), the logarithm is that of (1 + s) / (1 - s), which is 2 s + s p(s²), and 2
/// s = f - s f.
#[inline(always)]
pub(super) fn ln_rest(f: f64) -> (f64, f64) {
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    // On s² up to 0.0294, the error of the whole is 2⁻⁵⁷·⁷.
    let p = z
        * (polynomial!(z, z2;
            0.666666666666667,
            0.39999999999899444,
            0.2857142862600327,
            0.22222211130259878,
            0.18182889455674947,
            0.15331710618210773,
            0.14616585424888623,
        ));
    (half, s * (half + p))
}

/// `result`, which is right for positive finite `x`, or what belongs to the other `x`.
#[inline(always)]
fn at_ends(x: f64, result: f64) -> f64 {
    let result = if x < f64::INFINITY { result } else { x };
    let result = if x > 0.0 { result } else { f64::NAN };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x.is_nan() { x } else { result }
}

/// The natural logarithm.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    let Split { k, f } = split_any(x);
    let (half, rest) = ln_rest(f);
    let result = k * LN2_HIGH - ((half - (rest + k * LN2_LOW)) - f);
    at_ends(x, result)
}

/// `ln(1 + x)`
#[inline(always)]
pub(super) fn ln_1p(x: f64) -> f64 {
    let result = at_ends(1.0 + x, ln_1p_of_two(x, 0.0));
    // The sum loses the sign of zero.
    if x.abs() < 1e-17 { x } else { result }
}

/// `ln(1 + x + low)` where that is positive and finite.
#[inline(always)]
pub(super) fn ln_1p_of_two(x: f64, low: f64) -> f64 {
    let (y, lost) = sum(1.0, x);
    let Split { k, f } = split(y, 0.0);
    let (half, rest) = ln_rest(f);
    let low = k * LN2_LOW + (lost + low) / y;
    k * LN2_HIGH - ((half - (rest + low)) - f)
}

/// `ln(1 + f)` as the sum of two numbers, the first with 21 bits at most.
#[inline(always)]
fn ln_in_two(f: f64) -> (f64, f64) {
    let (half, rest) = ln_rest(f);
    let high = f64::from_bits((f - half).to_bits() & 0xffff_ffff_0000_0000);
    (high, ((f - high) - half) + rest)
}

/// The logarithm to base 2.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    let Split { k, f } = split_any(x);
    let (high, low) = ln_in_two(f);
    let first = high * LOG2_E_HIGH;
    let rest = (low + high) * LOG2_E_LOW + low * LOG2_E_HIGH;
    let sum = k + first;
    // Where k is not 0, it is the larger of the two.
    let lost = (k - sum) + first;
    at_ends(x, sum + (lost + rest))
}

/// The logarithm to base 10.
#[inline(always)]
pub(super) fn log10(x: f64) -> f64 {
    let Split { k, f } = split_any(x);
    let (high, low) = ln_in_two(f);
    let start = k * LOG10_2_HIGH;
    let first = high * LOG10_E_HIGH;
    let rest = k * LOG10_2_LOW + ((low + high) * LOG10_E_LOW + low * LOG10_E_HIGH);
    let sum = start + first;
    let lost = (start - sum) + first;
    at_ends(x, sum + (lost + rest))
}
