//! The logarithm of the gamma function, and its derivative.
//!
//! From 10 on they are asymptotic series. Below that, recurrences lead to 1..=2, where they are
//! polynomials. Negative arguments are reflected.

use super::ln::ln;
use super::trig::sin_cos_of_rest;
use std::f64::consts::PI;

/// From here on the asymptotic series are used.
const LARGE: f64 = 10.0;

/// `ln(2 π) / 2`
const HALF_LN_TAU: f64 = 0.9189385332046728;

/// The Euler constant
const EULER: f64 = 0.5772156649015329;

/// The zero of `digamma(1 + z)`, as the sum of two numbers
const DIGAMMA_ZERO: (f64, f64) = (0.46163214496836236, -1.5522348162858677e-17);

/// For `x` between 0 and 10: z in 0..=1 and x - z, a product p, and the sum of the inverses of its
/// factors times p.
///
/// The factors are `x - 1`, `x - 2`, .. down to the last one that is not below 1.
#[inline(always)]
fn recurrence(x: f64) -> (f64, f64, f64) {
    let mut z = x;
    let mut product = 1.0;
    let mut derivative = 0.0;
    macro_rules! steps {
        ($($n:literal)*) => {$(
            let factor = x - $n;
            let counts = factor >= 1.0;
            let next = derivative * factor + product;
            derivative = if counts { next } else { derivative };
            let next = product * factor;
            product = if counts { next } else { product };
            z = if factor >= 0.0 { factor } else { z };
        )*};
    }
    steps!(1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0);
    (z, product, derivative)
}

/// `lgamma(x)` for positive `x`.
#[inline(always)]
fn lgamma_positive(x: f64) -> f64 {
    let (z, product, _) = recurrence(x);
    // `lgamma(1 + z) / (z (z - 1))` on 0..=1, a polynomial in 2 z - 1
    let u = 2.0 * z - 1.0;
    let u2 = u * u;
    let p = polynomial!(u, u2;
        0.4831289505409809,
        -0.07297994795715304,
        0.015727850268641097,
        -0.003913560937626331,
        0.001049818664454635,
        -0.0002945507015164312,
        8.510090373634476e-05,
        -2.5094328700900636e-05,
        7.511391846837954e-06,
        -2.2742472358027586e-06,
        6.948428393704062e-07,
        -2.138638060528023e-07,
        6.623870571642316e-08,
        -2.0619851263731666e-08,
        6.430366506216791e-09,
        -2.0184741279133343e-09,
        6.5655031582108e-10,
        -2.075322954216366e-10,
        5.030067090605482e-11,
        -1.5936042537298723e-11,
        1.1577613910649688e-11,
        -3.700571132904742e-12,
    );
    let near = z * (z - 1.0) * p;
    let large = x >= LARGE;
    let below = x < 1.0;
    let of = if large || below { x } else { product };
    let logarithm = ln(of);
    let small = near + if below { -logarithm } else { logarithm };
    let r = 1.0 / x;
    let r2 = r * r;
    let r4 = r2 * r2;
    let series = polynomial!(r2, r4;
        0.08333333333333333,
        -0.002777777777777778,
        0.0007936507936507937,
        -0.0005952380952380953,
        0.0008417508417508417,
        -0.0019175269175269176,
        0.00641025641025641,
        -0.029550653594771242,
        0.17964437236883057,
    );
    // In this order, only a result that is too large itself overflows.
    let far = (x - 0.5) * (logarithm - 1.0) + (HALF_LN_TAU - 0.5 + r * series);
    if large { far } else { small }
}

/// `digamma(x)` for positive `x`.
#[inline(always)]
fn digamma_positive(x: f64) -> f64 {
    let (z, product, derivative) = recurrence(x);
    // `digamma(1 + z) / (z - z0)` on 0..=1, where z0 is its zero, a polynomial in 2 z - 1
    let u = 2.0 * z - 1.0;
    let u2 = u * u;
    let p = polynomial!(u, u2;
        0.951055876031833,
        -0.21181371064073026,
        0.06013562106019355,
        -0.018550615381738605,
        0.005936795278433826,
        -0.0019350666647832667,
        0.000636888028319074,
        -0.00021074841215733007,
        6.995020484160625e-05,
        -2.325823828431376e-05,
        7.741156881253708e-06,
        -2.578107848270217e-06,
        8.591324222417666e-07,
        -2.8628755280038686e-07,
        9.500926192924096e-08,
        -3.166618072027162e-08,
        1.10370884388543e-08,
        -3.6788868183645545e-09,
        8.668257373761658e-10,
        -2.889363639216111e-10,
        2.4765474440031764e-10,
        -8.25512972008104e-11,
    );
    let near = ((z - DIGAMMA_ZERO.0) - DIGAMMA_ZERO.1) * p;
    let below = x < 1.0;
    let r = 1.0 / x;
    let above = if below { -1.0 } else { derivative };
    let small = near + above / if below { x } else { product };
    let r2 = r * r;
    let r4 = r2 * r2;
    let series = polynomial!(r2, r4;
        0.08333333333333333,
        -0.008333333333333333,
        0.003968253968253968,
        -0.004166666666666667,
        0.007575757575757576,
        -0.021092796092796094,
        0.08333333333333333,
        -0.4432598039215686,
        3.0539543302701198,
    );
    let far = ln(x) - r * (0.5 + r * series);
    if x >= LARGE { far } else { small }
}

/// Whether `a`, which is not negative, is an integer, and |sin(π a)| and |cos(π a)|, further
/// whether tan(π a) is negative.
#[inline(always)]
fn around_integers(a: f64) -> (bool, f64, f64, bool) {
    let rounded = (a + 4503599627370496.0) - 4503599627370496.0;
    let nearest = if a < 4503599627370496.0 { rounded } else { a };
    // Exact
    let r = a - nearest;
    let b = r.abs();
    let swapped = b > 0.25;
    let rest = if swapped { 0.5 - b } else { b };
    let (sine, cosine) = sin_cos_of_rest(PI * rest);
    let s = if swapped { cosine } else { sine };
    let c = if swapped { sine } else { cosine };
    (r == 0.0, s, c, r < 0.0)
}

/// The logarithm of |Γ(x)|.
#[inline(always)]
pub(super) fn lgamma(x: f64) -> f64 {
    let a = x.abs();
    let positive = lgamma_positive(a);
    // Γ(x) Γ(-x) = -π / (x sin(π x)), and close to 0 it is -ln |x| - γ x
    let (integer, sine, _, _) = around_integers(a);
    let tiny = a < 1e-9;
    let of = if tiny { a } else { a * sine / PI };
    let rest = if tiny { EULER * x } else { positive };
    let negative = -ln(of) - rest;
    let negative = if integer { f64::INFINITY } else { negative };
    let negative = if a == f64::INFINITY {
        f64::INFINITY
    } else {
        negative
    };
    let result = if x > 0.0 { positive } else { negative };
    if x.is_nan() { x } else { result }
}

/// The derivative of `lgamma`.
#[inline(always)]
pub(super) fn digamma(x: f64) -> f64 {
    let a = x.abs();
    let positive = digamma_positive(a);
    // digamma(1 - x) - digamma(x) = π cot(π x)
    let (integer, sine, cosine, falling) = around_integers(a);
    let cotangent = cosine / sine;
    let cotangent = if falling { -cotangent } else { cotangent };
    let negative = positive + (1.0 / a + PI * cotangent);
    let negative = if integer || a == f64::INFINITY {
        f64::NAN
    } else {
        negative
    };
    let result = if x > 0.0 { positive } else { negative };
    if x.is_nan() { x } else { result }
}
