//! What is left of an angle without its multiples of π/2, for all finite numbers.
//!
//! A number is x = m 2ᵉ with an integer m of 53 bits, so only the fraction g of 2ᵉ / 2π counts: the
//! product m g is the angle in turns, but for whole turns. Of g, 170 bits are needed: m takes 53 of
//! them, a double that is close to a multiple of π/2 another 62 at most, and 53 are to be left.
//! They are in a table with a row for each exponent. The first 64 bits are an integer, whose
//! product drops whole turns by itself; the others are two floating-point numbers. Reading the rows
//! is what costs most. A branch for large numbers would save it, but loops with that branch are not
//! vectorised.

use super::two::{halves, product, sum_ordered};
use std::f64::consts::FRAC_PI_2;

/// The bits of 1 / 2π.
const DIGITS: [u64; 20] = [
    0x28be_60db_9391_054a,
    0x7f09_d5f4_7d4d_3770,
    0x36d8_a566_4f10_e410,
    0x7f94_58ea_f7ae_f158,
    0x6dc9_1b8e_9093_74b8,
    0x0192_4bba_8274_6487,
    0x3f87_7ac7_2c4a_69cf,
    0xba20_8d7d_4bae_d121,
    0x3a67_1c09_ad17_df90,
    0x4e64_758e_60d4_ce7d,
    0x2721_17e2_ef7e_4a0e,
    0xc7fe_25ff_f781_6603,
    0xfbcb_c462_d682_9b47,
    0xdb4d_9fb3_c9f2_c26d,
    0xd3d1_8fd9_a797_fa8b,
    0x5d49_eeb1_faf9_7c5e,
    0xcf41_ce7d_e294_a4ba,
    0x9afe_d7ec_47e3_5742,
    0x1580_cc11_bf1e_daea,
    0xfc33_ef08_26bd_0d87,
];

/// 64 bits of 1 / 2π, those after the first `at`; before the first one there are zeros.
const fn window(at: i32) -> u64 {
    let (word, shift) = (at.div_euclid(64), at.rem_euclid(64));
    let first = if word < 0 { 0 } else { DIGITS[word as usize] };
    let second = if word < -1 {
        0
    } else {
        DIGITS[(word + 1) as usize]
    };
    (((first as u128) << 64 | second as u128) >> (64 - shift)) as u64
}

/// The parts of g by the exponents of numbers, in units of 2⁻⁶⁴.
struct Turns {
    whole: [u64; 2048],
    high: [f64; 2048],
    low: [f64; 2048],
}

/// Below this exponent, that of 1/2, there is nothing to reduce.
const FIRST: usize = 1022;

static TURNS: Turns = turns();

const fn turns() -> Turns {
    let mut turns = Turns {
        whole: [0; 2048],
        high: [0.0; 2048],
        low: [0.0; 2048],
    };
    let mut exponent = FIRST;
    while exponent < 2047 {
        let at = exponent as i32 - 1075;
        // The nearest multiple of 2⁻⁶⁴, and 128 bits with a sign.
        let rest = ((window(at + 64) as u128) << 64 | window(at + 128) as u128) as i128;
        let high = rest as f64;
        turns.whole[exponent] = window(at).wrapping_add((rest < 0) as u64);
        turns.high[exponent] = high * UNIT * UNIT;
        turns.low[exponent] = (rest - high as i128) as f64 * UNIT * UNIT;
        exponent += 1;
    }
    // Infinities and NaN.
    turns.high[2047] = f64::NAN;
    turns
}

/// 2⁻⁶⁴
const UNIT: f64 = 1.0 / 18446744073709551616.0;

/// `x = k π/2 + r + low`, with |r| below 0.787.
pub(super) struct Reduced {
    /// k in the lowest bits
    pub(super) bits: u64,
    pub(super) r: f64,
    pub(super) low: f64,
}

const MANTISSA: u64 = (1 << 52) - 1;
/// The bits of 2⁵² and of 2⁸⁴: integers below 2³² in the lowest bits are added to them, and
/// multiplied by 2³² before to the second.
const LOW_WORD: u64 = 0x4330_0000_0000_0000;
const HIGH_WORD: u64 = 0x4530_0000_0000_0000;

/// For `x` that is not negative.
#[inline(always)]
pub(super) fn reduce(x: f64) -> Reduced {
    let bits = x.to_bits();
    let row = (bits >> 52 & 2047) as usize;
    let (whole, high, low) = (TURNS.whole[row], TURNS.high[row], TURNS.low[row]);
    let integer = bits & MANTISSA | 1 << 52;
    let m = f64::from_bits(bits & MANTISSA | 1075 << 52);
    // The first two bits are k, and the others what is left, more than there is by half a quarter.
    let turn = integer.wrapping_mul(whole).wrapping_add(1 << 61);
    let first = f64::from_bits(turn >> 32 & 0x3fff_ffff | HIGH_WORD) - (TWO_84 + TWO_61);
    let second = f64::from_bits(turn & 0xffff_ffff | LOW_WORD) - TWO_52;
    let (third, lost) = product(m, high);
    // Each sum is one of a multiple of the last bit of what is added, so nothing else is lost.
    let (sum, lost_first) = sum_ordered(first, second);
    let (sum, lost_second) = sum_ordered(sum, third);
    let rest = ((lost_first + lost_second) + lost) + m * low;
    // Times π/2, of which the first 26 bits have an exact product.
    let (sum_high, sum_low) = halves(sum);
    let (r, low) = sum_ordered(
        sum_high * QUARTER_HIGH,
        sum_high * QUARTER_LOW + (sum_low + rest) * QUARTER,
    );
    Reduced {
        bits: turn >> 62,
        r: if x < 0.5 { x } else { r },
        low,
    }
}

const TWO_52: f64 = (1_u64 << 52) as f64;
const TWO_61: f64 = (1_u64 << 61) as f64;
const TWO_84: f64 = (1_u128 << 84) as f64;
/// π/2 in units of 2⁻⁶² quarters, and its parts.
const QUARTER: f64 = FRAC_PI_2 * 4.0 * UNIT;
const QUARTER_HIGH: f64 = 1.5707963109016418 * 4.0 * UNIT;
const QUARTER_LOW: f64 = 1.5893254773528196e-08 * 4.0 * UNIT;

/// 2/π for numbers of 24 bits by their exponents, but for multiples of 4 in the product. The first
/// part has 29 bits.
struct Quarters {
    high: [f64; 256],
    low: [f64; 256],
}

static QUARTERS: Quarters = quarters();

const fn quarters() -> Quarters {
    let mut quarters = Quarters {
        high: [0.0; 256],
        low: [0.0; 256],
    };
    let mut exponent = 0;
    while exponent < 255 {
        // A number with this exponent is an integer of 24 bits times 2 to the power of `at`, if
        // that is positive.
        let at = exponent - 150;
        let at = if at < 0 { 0 } else { at };
        let all = (window(at) as u128) << 64 | window(at + 64) as u128;
        let high = (all + (1 << 98)) >> 99;
        let low = all.wrapping_sub(high << 99) as i128;
        // 4 · 2⁻¹²⁸ · 2⁻ᵃᵗ
        let unit = 4.0 * UNIT * UNIT * f64::from_bits(((1023 - at) as u64) << 52);
        quarters.high[exponent as usize] = (high << 99) as f64 * unit;
        quarters.low[exponent as usize] = low as f64 * unit;
        exponent += 1;
    }
    // Infinities and NaN.
    quarters.high[255] = f64::NAN;
    quarters
}

/// Added to a number below 2⁵¹ this rounds it to an integer, which is then in the lowest bits.
const ROUND: f64 = 6755399441055744.0;

/// For a number of `f32` that is not negative, r with an error of 2⁻⁵⁶, and k in the lowest bits.
#[inline(always)]
pub(super) fn reduce_single(x: f32) -> (f64, u64) {
    let row = (x.to_bits() >> 23 & 255) as usize;
    let (high, low) = (QUARTERS.high[row], QUARTERS.low[row]);
    let x = f64::from(x);
    // Exact: 24 bits times 29.
    let first = x * high;
    let second = x * low;
    let rounded = (first + second) + ROUND;
    let rest = (first - (rounded - ROUND)) + second;
    (rest * FRAC_PI_2, rounded.to_bits())
}
