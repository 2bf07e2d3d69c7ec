//! Inverse trigonometric functions.

use super::two::sum_ordered;

/// π, π/2 and π/4 in two parts
const PI: (f64, f64) = (std::f64::consts::PI, 1.2246467991473532e-16);
const HALF_PI: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);
const QUARTER_PI: (f64, f64) = (std::f64::consts::FRAC_PI_4, 3.061616997868383e-17);

/// For a = |x|: whether it is above 1/2, a number s, and asin(s) - s. It is a itself up to 1/2;
/// beyond that the angle is π/2 - 2 asin(s).
#[inline(always)]
fn asin_parts(a: f64) -> (bool, f64, f64) {
    let large = a > 0.5;
    let complement = 0.5 * (1.0 - a);
    let square = a * a;
    let z = if large { complement } else { square };
    let root = complement.sqrt();
    let s = if large { root } else { a };
    let z2 = z * z;
    // On s² up to 1/4, the error of the whole is 2⁻⁵⁷·⁵.
    let p = polynomial!(z, z2;
        0.16666666666666669,
        0.07499999999998432,
        0.04464285714635722,
        0.030381944138386928,
        0.022372172948124706,
        0.017352392575609256,
        0.013971215203097548,
        0.011479154971005417,
        0.010322964581482783,
        0.00545684446329315,
        0.017402725959689853,
        -0.014854837699421995,
        0.028759909742471623,
    );
    (large, s, s * z * p)
}

/// The inverse sine.
#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    let (large, s, rest) = asin_parts(x.abs());
    let small = s + rest;
    let (angle, lost) = sum_ordered(HALF_PI.0, -2.0 * s);
    let other = angle + (lost - (2.0 * rest - HALF_PI.1));
    let result = if large { other } else { small };
    result.copysign(x)
}

/// The inverse cosine.
#[inline(always)]
pub(super) fn acos(x: f64) -> f64 {
    let (large, s, rest) = asin_parts(x.abs());
    let signed = s.copysign(x);
    let rest_signed = rest.copysign(x);
    let middle = (HALF_PI.0 - signed) - (rest_signed - HALF_PI.1);
    let right = 2.0 * (s + rest);
    let left = (PI.0 - 2.0 * s) - (2.0 * rest - PI.1);
    let end = if x > 0.0 { right } else { left };
    if large { end } else { middle }
}

/// The angle of the point (`across`, `up`), neither of which is negative, and not both of which are
/// 0 or ∞.
#[inline(always)]
fn angle(up: f64, across: f64) -> f64 {
    // It is atan(t) from a base of 0, π/4 or π/2.
    let low = up <= 0.5 * across;
    let high = up > 2.0 * across;
    let above = up - across;
    let above = if low { up } else { above };
    let above = if high { -across } else { above };
    let below = up + across;
    let below = if low { across } else { below };
    let below = if high { up } else { below };
    let t = above / below;
    let base = if low { 0.0 } else { QUARTER_PI.0 };
    let base = if high { HALF_PI.0 } else { base };
    let base_low = if low { 0.0 } else { QUARTER_PI.1 };
    let base_low = if high { HALF_PI.1 } else { base_low };
    let z = t * t;
    let z2 = z * z;
    // On t² up to 1/4, the error of the whole is 2⁻⁵⁷·⁶.
    let p = polynomial!(z, z2;
        -0.3333333333333333,
        0.19999999999999488,
        -0.14285714285599144,
        0.11111111100913819,
        -0.09090908620176982,
        0.07692294709038043,
        -0.06666435623970629,
        0.058795778977469584,
        -0.052400959742757096,
        0.04628009394739732,
        -0.038066107887640616,
        0.025005822107796952,
        -0.009215319070924557,
    );
    let (sum, lost) = sum_ordered(base, t);
    sum + (lost + (t * z * p + base_low))
}

/// The inverse tangent.
#[inline(always)]
pub(super) fn atan(x: f64) -> f64 {
    angle(x.abs(), 1.0).copysign(x)
}

/// The angle of the point (`x`, `y`).
#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    let (up, across) = (y.abs(), x.abs());
    // Equal infinities are as good as ones. The sum must not overflow, and what is halved not be
    // subnormal.
    let infinite = up == f64::INFINITY && across == f64::INFINITY;
    let huge = up > 1e300 || across > 1e300;
    let small = up < 1e-290 && across < 1e-290;
    let scale = if huge { 0.25 } else { 1.0 };
    let scale = if small { 18014398509481984.0 } else { scale };
    let origin = up == 0.0 && across == 0.0;
    let up = if infinite { 1.0 } else { up * scale };
    let across = if infinite || origin {
        1.0
    } else {
        across * scale
    };
    let right = angle(up, across);
    let left = PI.0 - (right - PI.1);
    let result = if x.is_sign_negative() { left } else { right };
    let result = result.copysign(y);
    if x.is_nan() { x } else { result }
}
