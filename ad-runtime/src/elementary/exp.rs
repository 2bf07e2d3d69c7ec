//! Exponentials.

use std::f64::consts::LOG2_E;

/// `ln 2` in two parts; the first has 42 bits, so its product with an exponent is exact.
pub(super) const LN2_HIGH: f64 = 0.6931471805598903;
pub(super) const LN2_LOW: f64 = 5.497923018708371e-14;

/// Added to a number below 2⁵¹ this rounds it to an integer k, and leaves k + 2046 in the lowest
/// bits.
const ROUND: f64 = 6755399441055744.0 + 2046.0;

/// `x` within `low..=high`; NaN stays.
#[inline(always)]
pub(super) fn within(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// `x = k ln 2 + r + low` with an integer k and |r| below 0.3466.
pub(super) struct Reduced {
    /// k
    pub(super) k: f64,
    /// k + 2046 in the lowest 12 bits
    bits: u64,
    /// r
    pub(super) r: f64,
    /// What rounding r has lost.
    pub(super) low: f64,
}

/// For |x| below 800.
#[inline(always)]
pub(super) fn reduce(x: f64) -> Reduced {
    reduce_by(x, x * LOG2_E + ROUND)
}

/// The same for `x` from 0, where k is 0 up to ln 2, and r so as well.
#[inline(always)]
pub(super) fn reduce_late(x: f64) -> Reduced {
    let rounded = x * LOG2_E + ROUND;
    reduce_by(x, if x < LN2_HIGH { ROUND } else { rounded })
}

#[inline(always)]
fn reduce_by(x: f64, rounded: f64) -> Reduced {
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

/// `exp(r) - 1 - r` for |r| below 0.3466, with an error of 2⁻⁵⁸·⁵ relative to r.
#[inline(always)]
pub(super) fn exp_tail(r: f64) -> f64 {
    let r2 = r * r;
    let p = polynomial!(r, r2;
        0.16666666666666669,
        0.041666666666666664,
        0.00833333333333006,
        0.00138888888888864,
        0.00019841269863060315,
        2.480158731767735e-05,
        2.7557268449589837e-06,
        2.7557282292389716e-07,
        2.5100390445276877e-08,
        2.091151887096448e-09,
    );
    r2 * (0.5 + r * p)
}

/// `p` times 2 to the power of the k in `bits`, for any k in −2046..=2049, rounded once.
#[inline(always)]
fn scaled(p: f64, bits: u64) -> f64 {
    // k + 2046 as the sum of two biased exponents.
    let first = (bits >> 1) & 0x7ff;
    let second = bits.wrapping_sub(first);
    p * f64::from_bits(first << 52) * f64::from_bits(second << 52)
}

impl Reduced {
    /// `p` times 2ᵏ, rounded once.
    #[inline(always)]
    pub(super) fn scaled(&self, p: f64) -> f64 {
        scaled(p, self.bits)
    }

    /// `p` times 2⁻ᵏ, rounded once.
    #[inline(always)]
    pub(super) fn scaled_back(&self, p: f64) -> f64 {
        scaled(p, 4092_u64.wrapping_sub(self.bits))
    }

    /// 2 to the power −|k|, or 2⁻⁵⁰⁰ if that is larger.
    #[inline(always)]
    pub(super) fn smaller_power(&self) -> f64 {
        let distance = within(self.k.abs(), 0.0, 500.0);
        // The biased exponent in the lowest bits.
        f64::from_bits((6755399441055744.0 + 1023.0 - distance).to_bits() << 52)
    }

    /// 2 to the power k + `shift`, which must be in −1022..=1023.
    #[inline(always)]
    pub(super) fn power(&self, shift: i64) -> f64 {
        f64::from_bits(self.bits.wrapping_add_signed(shift - 1023) << 52)
    }
}

/// The exponential.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    // At the ends the result is 0 and ∞ by rounding.
    let reduced = reduce(within(x, -746.0, 710.0));
    let r = reduced.r;
    reduced.scaled(1.0 + (r + exp_tail(r)))
}

/// A term counts as 0 below the exponential of this, 1.5e-289.
const LEAST_WEIGHT: f64 = -665.0;

/// The exponential as a term of a sum of exponentials, relative to the sum.
#[inline(always)]
pub(super) fn weight(x: f64) -> f64 {
    let share = exp(if x < LEAST_WEIGHT { LEAST_WEIGHT } else { x });
    if x < LEAST_WEIGHT { 0.0 } else { share }
}

/// 2 to the power of `x`.
#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    let x = within(x, -1076.0, 1024.0);
    let rounded = x + ROUND;
    let r = x - (rounded - ROUND);
    let r2 = r * r;
    // On |r| up to 1/2 with an error of 2⁻⁵⁵·⁵.
    let p = polynomial!(r, r2;
        std::f64::consts::LN_2,
        0.24022650695910097,
        0.0555041086648216,
        0.009618129107606836,
        0.0013333558146415695,
        0.00015403530441823954,
        1.5252733831432373e-05,
        1.3215442534358394e-06,
        1.017806162094159e-07,
        7.072596658554564e-09,
        4.4551077951695677e-10,
    );
    scaled(1.0 + r * p, rounded.to_bits())
}

/// `exp(x) - 1`
#[inline(always)]
pub(super) fn exp_m1(x: f64) -> f64 {
    let reduced = reduce(within(x, -40.0, 710.0));
    let r = reduced.r;
    let e = r + (exp_tail(r) + reduced.low);
    // Half of it, so that the largest power is finite.
    let power = reduced.power(-1);
    let result = 2.0 * (power * e + (power - 0.5));
    // Halving loses bits of what is subnormal, and the sum the sign of zero.
    if x.abs() < 1e-17 { x } else { result }
}
