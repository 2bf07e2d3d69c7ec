//! Hyperbolic functions and their inverses.

use super::exp::{LN2_HIGH, LN2_LOW, exp_tail, reduce, reduce_late};
use super::ln::{Split, ln_1p_of_two, ln_rest, split};
use super::two::{product, sum, sum_ordered};

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    // With t = exp(-2 |x|) - 1 it is -t / (2 + t), where t is known to more than its rounding.
    let a = x.abs();
    // Beyond that it is 1.
    let a = if a > 20.0 { 20.0 } else { a };
    let reduced = reduce(-2.0 * a);
    let (e, e_low) = sum_ordered(reduced.r, exp_tail(reduced.r) + reduced.low);
    let power = reduced.power(0);
    let (t, lost) = sum_ordered(power - 1.0, power * e);
    let t_low = lost + power * e_low;
    let (below, lost) = sum_ordered(2.0, t);
    let below_low = lost + t_low;
    let quotient = t / below;
    (quotient + (t_low - quotient * below_low) / below).copysign(x)
}

/// For `a` that is not negative: p and q with cosh a = 2ᵏ⁻¹ (p cosh r + q sinh r) and sinh a the
/// other way round, further cosh r - 1, sinh r, and 2ᵏ⁻².
#[inline(always)]
fn parts(a: f64) -> (f64, f64, f64, f64, f64) {
    // Where sinh is infinite.
    let a = if a > 711.0 { 711.0 } else { a };
    let reduced = reduce_late(a);
    let r = reduced.r;
    let small = reduced.smaller_power();
    let small = small * small;
    let z = r * r;
    let z2 = z * z;
    // On r² up to 0.48, with errors of 2⁻⁵⁷·⁹ and 2⁻⁶¹.
    let s = polynomial!(z, z2;
        0.16666666666666666,
        0.008333333333334027,
        0.0001984126983958786,
        2.755732071682193e-06,
        2.5051509634467323e-08,
        1.6169666696703294e-10,
    );
    let c = polynomial!(z, z2;
        0.041666666666666664,
        0.001388888888888932,
        2.4801587300536666e-05,
        2.755732015650201e-07,
        2.0876382950798147e-09,
        1.1539859421582313e-11,
    );
    let sine = r + (r * z * s + reduced.low);
    let cosine = 0.5 * z + z2 * c;
    (1.0 + small, 1.0 - small, cosine, sine, reduced.power(-2))
}

/// The hyperbolic sine.
#[inline(always)]
pub(super) fn sinh(x: f64) -> f64 {
    let (p, q, cosine, sine, power) = parts(x.abs());
    let half = q + (q * cosine + p * sine);
    ((half + half) * power).copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub(super) fn cosh(x: f64) -> f64 {
    let (p, q, cosine, sine, power) = parts(x.abs());
    let half = p + (p * cosine + q * sine);
    (half + half) * power
}

/// From here on, `sqrt(x² ± 1)` is x.
const HUGE: f64 = 1e9;

/// `ln(2 x)` for large `x`, also where 2 x overflows.
#[inline(always)]
fn ln_of_twice(x: f64) -> f64 {
    let Split { k, f } = split(x, 1.0);
    let (half, rest) = ln_rest(f);
    let result = k * LN2_HIGH - ((half - (rest + k * LN2_LOW)) - f);
    if x < f64::INFINITY { result } else { x }
}

/// The inverse hyperbolic sine.
#[inline(always)]
pub(super) fn asinh(x: f64) -> f64 {
    let a = x.abs();
    // ln(1 + a + (sqrt(1 + a²) - 1))
    let square = a * a;
    let (f, f_low) = sum(a, square / (1.0 + (1.0 + square).sqrt()));
    let result = ln_1p_of_two(f, f_low);
    let huge = ln_of_twice(a);
    let result = if a > HUGE { huge } else { result };
    let result = if a < 1e-9 { a } else { result };
    result.copysign(x)
}

/// The inverse hyperbolic cosine.
#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    // ln(1 + t + sqrt(t (x + 1))), t = x - 1
    let t = x - 1.0;
    let (above, above_low) = sum(x, 1.0);
    let (v, lost) = product(t, above);
    let v_low = lost + t * above_low;
    let s = v.sqrt();
    let (back, lost) = product(s, s);
    let s_low = (((v - back) - lost) + v_low) / (s + s);
    let s_low = if s > 0.0 { s_low } else { 0.0 };
    let (f, lost) = sum(t, s);
    let result = ln_1p_of_two(f, lost + s_low);
    let huge = ln_of_twice(x);
    let result = if x > HUGE { huge } else { result };
    if x < 1.0 { f64::NAN } else { result }
}

/// The inverse hyperbolic tangent.
#[inline(always)]
pub(super) fn atanh(x: f64) -> f64 {
    // It is ln(above / below) / 2.
    let a = x.abs();
    let above = 1.0 + a;
    let above_low = (1.0 - above) + a;
    let below = 1.0 - a;
    let below_low = (1.0 - below) - a;
    // The quotient is divided by 2ᵏ to be close to 1.
    let distance = above.to_bits().wrapping_sub(below.to_bits());
    let k = distance.wrapping_add(1 << 51) >> 52;
    let k = if a > 1.0 / 3.0 { k } else { 0 };
    let power = f64::from_bits(1023_u64.wrapping_sub(k) << 52);
    let k = f64::from_bits(k | 0x4330_0000_0000_0000) - 4503599627370496.0;
    let scaled = above * power;
    let difference = (scaled - below) + (above_low * power - below_low);
    let s = difference / (scaled + below);
    let z = s * s;
    let z2 = z * z;
    // On s² up to 0.1226, the error of the whole is 2⁻⁵⁸·².
    let p = z
        * (polynomial!(z, z2;
            0.6666666666666666,
            0.39999999999998637,
            0.2857142857187178,
            0.2222222216607764,
            0.18181821820115862,
            0.15384478290690526,
            0.13336539178114035,
            0.11716893955928172,
            0.10979032389924251,
            0.06922993077872644,
            0.16656899463360791,
        ));
    let (sum, lost) = sum_ordered(k * (0.5 * LN2_HIGH), s);
    let result = sum + (lost + (0.5 * (s * p) + k * (0.5 * LN2_LOW)));
    let result = if a < 1.0 { result } else { f64::INFINITY };
    let result = if a > 1.0 { f64::NAN } else { result };
    let result = result.copysign(x);
    if x.is_nan() { x } else { result }
}
