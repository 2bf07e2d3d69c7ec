//! Functions of `f32` for which there is something faster than those of `f64`.
//!
//! Exponentials and the natural logarithm are computed in `f32`, with twice as many elements at a
//! time. The others are computed in `f64`, with fewer terms.

use super::{angle, power};
use std::f32::consts::LOG2_E;

/// `ln 2` in two parts; the first has 15 bits, so its product with an exponent is exact.
const LN2_HIGH: f32 = 0.693_145_75;
const LN2_LOW: f32 = 1.4286068e-6;

/// Added to a number below 2²² this rounds it to an integer k, and leaves k + 254 in the lowest
/// bits.
const ROUND: f32 = 12582912.0 + 254.0;

/// `x` within `low..=high`; NaN stays.
#[inline(always)]
fn within(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// `x = k ln 2 + r + low` with an integer k and |r| below 0.3466.
struct Reduced {
    k: f32,
    /// k + 254 in the lowest 9 bits
    bits: u32,
    r: f32,
    /// What rounding r has lost.
    low: f32,
}

/// For |x| below 110.
#[inline(always)]
fn reduce(x: f32) -> Reduced {
    let rounded = x * LOG2_E + ROUND;
    let k = rounded - ROUND;
    let high = x - k * LN2_HIGH;
    let rest = k * LN2_LOW;
    let r = high - rest;
    let low = (high - r) - rest;
    Reduced {
        k,
        bits: rounded.to_bits(),
        r,
        low,
    }
}

/// `exp(r) - 1 - r` for |r| below 0.3466, with an error of 2⁻²⁹ relative to r.
#[inline(always)]
fn exp_tail(r: f32) -> f32 {
    let r2 = r * r;
    let p = polynomial!(r, r2;
        0.16666667,
        0.041666556,
        0.008333321,
        0.0013926188,
        0.00019882918,
    );
    r2 * (0.5 + r * p)
}

/// `p` times 2 to the power of the k in `bits`, for any k in −254..=257, rounded once.
#[inline(always)]
fn scaled(p: f32, bits: u32) -> f32 {
    // k + 254 as the sum of two biased exponents.
    let first = (bits >> 1) & 0xff;
    let second = bits.wrapping_sub(first);
    p * f32::from_bits(first << 23) * f32::from_bits(second << 23)
}

/// 2 to the power k + `shift`, which must be in −126..=127.
#[inline(always)]
fn power_of_2(bits: u32, shift: i32) -> f32 {
    f32::from_bits(bits.wrapping_add_signed(shift - 127) << 23)
}

/// The exponential.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // At the ends the result is 0 and ∞ by rounding.
    let reduced = reduce(within(x, -104.0, 89.0));
    let r = reduced.r;
    scaled(1.0 + (r + exp_tail(r)), reduced.bits)
}

/// A term counts as 0 below the exponential of this, 2.7e-33.
const LEAST_WEIGHT: f32 = -75.0;

/// The exponential as a term of a sum of exponentials, relative to the sum.
#[inline(always)]
pub(super) fn weight(x: f32) -> f32 {
    let share = exp(if x < LEAST_WEIGHT { LEAST_WEIGHT } else { x });
    if x < LEAST_WEIGHT { 0.0 } else { share }
}

/// 2 to the power of `x`.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    let x = within(x, -151.0, 128.0);
    let rounded = x + ROUND;
    let r = x - (rounded - ROUND);
    let r2 = r * r;
    // On |r| up to 1/2 with an error of 2⁻²⁶·⁸.
    let p = polynomial!(r, r2;
        std::f32::consts::LN_2,
        0.2402265,
        0.05550357,
        0.009618081,
        0.0013390898,
        0.00015453652,
    );
    scaled(1.0 + r * p, rounded.to_bits())
}

/// `exp(x) - 1`
#[inline(always)]
pub(super) fn exp_m1(x: f32) -> f32 {
    let reduced = reduce(within(x, -20.0, 89.0));
    let r = reduced.r;
    let e = r + (exp_tail(r) + reduced.low);
    // Half of it, so that the largest power is finite.
    let power = power_of_2(reduced.bits, -1);
    let result = 2.0 * (power * e + (power - 0.5));
    // Halving loses bits of what is subnormal, and the sum the sign of zero.
    if x.abs() < 1e-9 { x } else { result }
}

/// The bits of `sqrt(1/2)`, and of 1.
const ROOT_HALF: u32 = 0x3f35_04f3;
const ONE: u32 = 0x3f80_0000;

/// `y = 2ᵏ (1 + f)`, with 1 + f between `sqrt(1/2)` and `sqrt(2)`, for a normal positive `y`;
/// `shift` is added to k.
#[inline(always)]
fn split(y: f32, shift: f32) -> (f32, f32) {
    let bits = y.to_bits().wrapping_add(ONE - ROOT_HALF);
    // The biased exponent in the mantissa of 2²³.
    let biased = f32::from_bits((bits >> 23) | 0x4b00_0000);
    let m = f32::from_bits((bits & 0x007f_ffff) + ROOT_HALF);
    (biased - (8388608.0 + 127.0) + shift, m - 1.0)
}

/// `f²/2`, and what is left of `ln(1 + f) = f - f²/2 + rest`, as for `f64`.
#[inline(always)]
fn ln_rest(f: f32) -> (f32, f32) {
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    // On s² up to 0.0294, the error of the whole is 2⁻²⁸·⁶.
    let p = z * (polynomial!(z, z2; 0.66666687, 0.39988777, 0.29580054));
    (half, s * (half + p))
}

/// `result`, which is right for positive finite `x`, or what belongs to the other `x`.
#[inline(always)]
fn at_ends(x: f32, result: f32) -> f32 {
    let result = if x < f32::INFINITY { result } else { x };
    let result = if x > 0.0 { result } else { f32::NAN };
    let result = if x == 0.0 { f32::NEG_INFINITY } else { result };
    if x.is_nan() { x } else { result }
}

/// The natural logarithm.
#[inline(always)]
pub(super) fn ln(x: f32) -> f32 {
    let subnormal = x < f32::MIN_POSITIVE;
    let larger = x * 33554432.0;
    let y = if subnormal { larger } else { x };
    let (k, f) = split(y, if subnormal { -25.0 } else { 0.0 });
    let (half, rest) = ln_rest(f);
    let result = k * LN2_HIGH - ((half - (rest + k * LN2_LOW)) - f);
    at_ends(x, result)
}

/// `ln(1 + x)`
#[inline(always)]
pub(super) fn ln_1p(x: f32) -> f32 {
    let y = 1.0 + x;
    // What the sum has lost.
    let back = y - 1.0;
    let lost = (1.0 - (y - back)) + (x - back);
    let (k, f) = split(y, 0.0);
    let (half, rest) = ln_rest(f);
    let low = k * LN2_LOW + lost / y;
    let result = at_ends(y, k * LN2_HIGH - ((half - (rest + low)) - f));
    // The sum loses the sign of zero.
    if x.abs() < 1e-9 { x } else { result }
}

/// The hyperbolic tangent, as for `f64`.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 10.0 { 10.0 } else { a };
    let reduced = reduce(-2.0 * a);
    let r = reduced.r;
    let tail = exp_tail(r) + reduced.low;
    let e = r + tail;
    let e_low = (r - e) + tail;
    let power = power_of_2(reduced.bits, 0);
    let start = power - 1.0;
    let more = power * e;
    let t = start + more;
    let t_low = ((start - t) + more) + power * e_low;
    let below = 2.0 + t;
    let below_low = ((2.0 - below) + t) + t_low;
    let quotient = t / below;
    (quotient + (t_low - quotient * below_low) / below).copysign(x)
}

/// `1 / (1 + exp(-x))`, as for `f64`.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    let reduced = reduce(within(-x, -104.0, 104.0));
    let r = reduced.r;
    let tail = exp_tail(r) + reduced.low;
    let inner = r + tail;
    let p = 1.0 + inner;
    let p_low = ((1.0 - p) + inner) + ((r - inner) + tail);
    let above = reduced.k > 0.0;
    let distance = within(reduced.k.abs(), 0.0, 60.0);
    let power = f32::from_bits((12582912.0 + 127.0 - distance).to_bits() << 23);
    let first = if above { power } else { 1.0 };
    let factor = if above { 1.0 } else { power };
    let second = factor * p;
    let sum = first + second;
    let larger = if first > second { first } else { second };
    let smaller = if first > second { second } else { first };
    let sum_low = ((larger - sum) + smaller) + factor * p_low;
    let quotient = 1.0 / sum;
    let quotient = quotient - quotient * (quotient * sum_low);
    let divided = scaled(quotient, 508_u32.wrapping_sub(reduced.bits));
    if above { divided } else { quotient }
}

/// `ln(1 + exp(x))`, as for `f64`.
#[inline(always)]
pub(super) fn softplus(x: f32) -> f32 {
    let positive = if x > 0.0 { x } else { 0.0 };
    let e = exp(-x.abs());
    let half = 0.5 * e * e;
    let s = e / (2.0 + e);
    let z = s * s;
    let z2 = z * z;
    // On s² up to 0.1111, the error of the whole is 2⁻²⁹·⁹.
    let p = z * (polynomial!(z, z2; 0.6666667, 0.39999706, 0.28592363, 0.21706484, 0.23224804));
    positive + (e - (half - s * (half + p)))
}

/// The error function, as for `f64`.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    let a = x.abs();
    let z = a * a;
    let z2 = z * z;
    // On 0..=1, with an error of 2⁻²⁷·².
    let p = polynomial!(z, z2;
        0.12837917,
        -0.37612626,
        0.11283594,
        -0.026854211,
        0.0051890872,
        -0.00080168643,
        7.875875e-05,
    );
    let near = a + a * p;
    // On 1..=4, with an error of 2⁻²⁸·⁵. Beyond that the result is 1.
    let b = if a > 4.0 { 4.0 } else { a };
    let u = (b - 2.0) / (b + 2.0);
    let u2 = u * u;
    let p = polynomial!(u, u2;
        0.25539568,
        -0.42718598,
        0.2416582,
        -0.07896831,
        0.0037323718,
        0.00681114,
        -0.0008379754,
    );
    let far = 1.0 - exp(-b * b) * p;
    let result = if a < 1.0 { near } else { far };
    result.copysign(x)
}

/// Sine and cosine of what is left of |x| after reduction by multiples k of π/2, and k in the
/// lowest bits.
#[inline(always)]
fn parts(x: f32) -> (f64, f64, u64) {
    let (r, bits) = angle::reduce_single(x.abs());
    let z = r * r;
    let z2 = z * z;
    // With errors of 2⁻³⁵·⁶ and 2⁻³¹·⁸.
    let s = polynomial!(z, z2;
        -0.16666666663853044,
        0.008333331873837089,
        -0.00019840086263755443,
        2.7249864655139585e-06,
    );
    let c = polynomial!(z, z2;
        -0.49999999969094655,
        0.04166665063493084,
        -0.0013887588637815805,
        2.4463721163611998e-05,
    );
    (r + (r * z) * s, 1.0 + z * c, bits)
}

/// `value` rounded, with its sign changed where bit 1 of `bits` is set.
#[inline(always)]
fn signed(value: f64, bits: u64) -> f32 {
    f64::from_bits(value.to_bits() ^ ((bits & 2) << 62)) as f32
}

/// `value` with its sign changed where `x` is negative.
#[inline(always)]
fn odd(value: f32, x: f32) -> f32 {
    f32::from_bits(value.to_bits() ^ (x.to_bits() & (1 << 31)))
}

/// Sine and cosine together.
#[inline(always)]
pub(super) fn sin_cos(x: f32) -> (f32, f32) {
    let (sine, cosine, bits) = parts(x);
    let swapped = bits & 1 != 0;
    let s = if swapped { cosine } else { sine };
    let c = if swapped { sine } else { cosine };
    (odd(signed(s, bits), x), signed(c, bits.wrapping_add(1)))
}

/// The sine.
#[inline(always)]
pub(super) fn sin(x: f32) -> f32 {
    sin_cos(x).0
}

/// The cosine.
#[inline(always)]
pub(super) fn cos(x: f32) -> f32 {
    sin_cos(x).1
}

/// The tangent.
#[inline(always)]
pub(super) fn tan(x: f32) -> f32 {
    let (sine, cosine, bits) = parts(x);
    let swapped = bits & 1 != 0;
    let above = if swapped { cosine } else { sine };
    let below = if swapped { sine } else { cosine };
    odd(signed(above / below, bits << 1), x)
}

/// The length of the vector (`x`, `y`).
#[inline(always)]
pub(super) fn hypot(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let result = (a * a + b * b).sqrt() as f32;
    let infinite = x.abs() == f32::INFINITY || y.abs() == f32::INFINITY;
    if infinite { f32::INFINITY } else { result }
}

/// `x` to the power `y`.
#[inline(always)]
pub(super) fn powf(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    let l = super::ln::ln(x.abs());
    power::at_ends(x, y, super::exp::exp(y * l)) as f32
}
