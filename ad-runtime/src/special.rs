//! Special functions: the logistic family, the gamma family and the error function.

use crate::Real;
use std::f64::consts::PI;

/// [`crate::sigmoid`] of a real number.
#[inline(always)]
pub(crate) fn sigmoid<T: Real>(x: T) -> T {
    T::sigmoid_of(x)
}

/// [`crate::softplus`] of a real number.
#[inline(always)]
pub(crate) fn softplus<T: Real>(x: T) -> T {
    T::softplus_of(x)
}

/// [`crate::relu`] of a real number.
#[inline(always)]
pub(crate) fn relu<T: Real>(x: T) -> T {
    let zero = T::of(0.0);
    if x > zero { x } else { zero }
}

/// [`crate::lgamma`] of a real number.
pub(crate) fn lgamma<T: Real>(x: T) -> T {
    T::of(lgamma_f64(x.to_f64()))
}

/// [`crate::digamma`] of a real number.
pub(crate) fn digamma<T: Real>(x: T) -> T {
    T::of(digamma_f64(x.to_f64()))
}

/// The derivative of [`digamma`].
///
/// It is ∞ at the poles 0, −1, −2, …
///
/// ```
/// use cotangent_runtime::trigamma;
///
/// let exact = std::f64::consts::PI.powi(2) / 6.0;
/// assert!((trigamma(1.0) - exact).abs() < 1e-15);
/// ```
pub fn trigamma<T: Real>(x: T) -> T {
    T::of(polygamma_f64(1, x.to_f64()))
}

/// The `n`-th derivative of [`digamma`].
///
/// At the poles 0, −1, −2, … it is ∞ for odd `n` and NaN for even `n`, where the sides differ in
/// sign. It is NaN for negative `n`, and for negative `x` if `n` is above 100.
///
/// ```
/// use cotangent_runtime::{digamma, polygamma};
///
/// assert_eq!(polygamma(0, 2.5), digamma(2.5));
/// // −2 ζ(3)
/// assert!((polygamma(2, 1.0) + 2.404_113_806_319_188_6_f64).abs() < 1e-14);
/// ```
pub fn polygamma<T: Real>(n: i32, x: T) -> T {
    T::of(polygamma_f64(n, x.to_f64()))
}

/// [`crate::erf`] of a real number.
pub(crate) fn erf<T: Real>(x: T) -> T {
    T::of(erf_f64(x.to_f64()))
}

/// The polynomial with these coefficients, the constant one first.
#[inline]
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |p, c| p * x + c)
}

/// `erf(x) / x` on 0..=1, a polynomial in `x²`.
const ERF_NEAR: [f64; 12] = [
    std::f64::consts::FRAC_2_SQRT_PI,
    -0.37612638903183543,
    0.11283791670945006,
    -0.02686617064323777,
    0.0052239776071164225,
    -0.0008548325975389692,
    0.00012055294904839707,
    -1.492473690741966e-05,
    1.6447424703317362e-06,
    -1.6208483801871705e-07,
    1.3720064546777686e-08,
    -7.795898827002142e-10,
];

/// `erfc(x) exp(x²)` on 1..=6, a polynomial in `(x - 2) / (x + 2)`.
const ERFC_FAR: [f64; 17] = [
    0.25539567631050575,
    -0.4271858474139585,
    0.24165819424246585,
    -0.07897858101570611,
    0.0037328924043978336,
    0.006997461736971578,
    -0.00084714325299195,
    -0.0009819769411038642,
    4.355558686575482e-05,
    0.00017435947400205157,
    2.7527175557227246e-05,
    -2.7562209161129353e-05,
    -1.3998283772784976e-05,
    1.3058577122278017e-06,
    4.011749647325067e-06,
    1.272567661840228e-06,
    -1.1352571477273627e-06,
];

fn erf_f64(x: f64) -> f64 {
    let a = x.abs();
    if a <= 1.0 {
        x * polynomial(&ERF_NEAR, x * x)
    } else if a < 6.0 {
        let tail = (-a * a).exp() * polynomial(&ERFC_FAR, (a - 2.0) / (a + 2.0));
        (1.0 - tail).copysign(x)
    } else if x.is_nan() {
        x
    } else {
        // The complement is below 10⁻¹⁶ from here on.
        1.0_f64.copysign(x)
    }
}

/// `sin(π x)`, where the reduction of the argument is exact.
fn sin_pi(x: f64) -> f64 {
    let nearest = x.round();
    let r = x - nearest;
    let s = if r.abs() <= 0.25 {
        (PI * r).sin()
    } else {
        (PI * (0.5 - r.abs())).cos().copysign(r)
    };
    if nearest % 2.0 == 0.0 { s } else { -s }
}

/// `cot(π x)`, where the reduction of the argument is exact.
fn cot_pi(x: f64) -> f64 {
    let r = x - x.round();
    if r.abs() <= 0.25 {
        1.0 / (PI * r).tan()
    } else {
        (PI * (0.5 - r.abs())).tan().copysign(r)
    }
}

/// Whether this is 0, −1, −2, … (which includes −∞).
fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.floor()
}

/// From here on the asymptotic series are used.
const LARGE: f64 = 10.0;

/// `lgamma(1 + z) / (z (z - 1))` on 0..=1, a polynomial in `2 z - 1`.
const LGAMMA_NEAR: [f64; 22] = [
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
];

/// The coefficients of 1/x, 1/x³, … in the asymptotic series of `lgamma`.
const LGAMMA_FAR: [f64; 9] = [
    0.08333333333333333,
    -0.002777777777777778,
    0.0007936507936507937,
    -0.0005952380952380953,
    0.0008417508417508417,
    -0.0019175269175269176,
    0.00641025641025641,
    -0.029550653594771242,
    0.17964437236883057,
];

/// `ln(2 π) / 2`
const HALF_LN_TAU: f64 = 0.9189385332046728;

/// `lgamma(1 + z)` for z in 0..=1, relatively accurate at both of its zeros.
fn lgamma_1p(z: f64) -> f64 {
    z * (z - 1.0) * polynomial(&LGAMMA_NEAR, 2.0 * z - 1.0)
}

fn lgamma_f64(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else if x >= LARGE {
        let r = 1.0 / x;
        // In this order, only a result that is too large itself overflows.
        (x - 0.5) * (x.ln() - 1.0) + (HALF_LN_TAU - 0.5 + r * polynomial(&LGAMMA_FAR, r * r))
    } else if x >= 3.0 {
        let mut y = x - 1.0;
        let mut factor = y;
        while y > 2.0 {
            y -= 1.0;
            factor *= y;
        }
        factor.ln() + lgamma_1p(y - 1.0)
    } else if x > 2.0 {
        lgamma_1p(x - 2.0) + (x - 1.0).ln()
    } else if x >= 1.0 {
        lgamma_1p(x - 1.0)
    } else if x > 0.0 {
        lgamma_1p(x) - x.ln()
    } else if is_pole(x) {
        f64::INFINITY
    } else if x > -1e-9 {
        -(-x).ln() - EULER * x
    } else {
        // Γ(x) Γ(-x) = -π / (x sin(π x))
        (PI / (x * sin_pi(x)).abs()).ln() - lgamma_f64(-x)
    }
}

/// The Euler constant.
const EULER: f64 = 0.5772156649015329;

/// `digamma(1 + z) / (z - z0)` on 0..=1, where z0 is its zero, a polynomial in `2 z - 1`.
const DIGAMMA_NEAR: [f64; 22] = [
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
];

/// The zero of `digamma(1 + z)`, as the sum of two numbers.
const DIGAMMA_ZERO: (f64, f64) = (0.46163214496836236, -1.5522348162858677e-17);

/// The coefficients of -1/x², -1/x⁴, … in the asymptotic series of `digamma`.
const DIGAMMA_FAR: [f64; 9] = [
    0.08333333333333333,
    -0.008333333333333333,
    0.003968253968253968,
    -0.004166666666666667,
    0.007575757575757576,
    -0.021092796092796094,
    0.08333333333333333,
    -0.4432598039215686,
    3.0539543302701198,
];

/// `digamma(1 + z)` for z in 0..=1, relatively accurate at its zero.
fn digamma_1p(z: f64) -> f64 {
    let from_zero = (z - DIGAMMA_ZERO.0) - DIGAMMA_ZERO.1;
    from_zero * polynomial(&DIGAMMA_NEAR, 2.0 * z - 1.0)
}

fn digamma_f64(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else if x >= LARGE {
        let r = 1.0 / x;
        x.ln() - r * (0.5 + r * polynomial(&DIGAMMA_FAR, r * r))
    } else if x >= 1.0 {
        let mut z = x - 1.0;
        let mut total = 0.0;
        while z > 1.0 {
            total += 1.0 / z;
            z -= 1.0;
        }
        total + digamma_1p(z)
    } else if x > 0.0 {
        digamma_1p(x) - 1.0 / x
    } else if is_pole(x) {
        f64::NAN
    } else {
        // digamma(1 - x) - digamma(x) = π cot(π x)
        digamma_f64(-x) - (1.0 / x + PI * cot_pi(x))
    }
}

/// The Bernoulli numbers of even index, over the factorial of the index.
const BERNOULLI: [f64; 12] = [
    0.08333333333333333,
    -0.001388888888888889,
    3.306878306878307e-05,
    -8.267195767195768e-07,
    2.08767569878681e-08,
    -5.284190138687493e-10,
    1.3382536530684679e-11,
    -3.3896802963225827e-13,
    8.586062056277845e-15,
    -2.174868698558062e-16,
    5.5090028283602295e-18,
    -1.3954464685812522e-19,
];

/// The largest order for which negative arguments are reflected.
const REFLECTED: i32 = 100;

fn polygamma_f64(n: i32, x: f64) -> f64 {
    if x.is_nan() || n < 0 {
        f64::NAN
    } else if n == 0 {
        digamma_f64(x)
    } else if x == f64::INFINITY {
        0.0
    } else if x > 0.0 {
        polygamma_positive(n, x)
    } else if is_pole(x) {
        if n % 2 == 1 && x.is_finite() {
            f64::INFINITY
        } else {
            f64::NAN
        }
    } else if n > REFLECTED {
        f64::NAN
    } else {
        // From polygamma(n, 1 - x) = polygamma(n, -x) + (-1)ⁿ n! / (-x)^(n + 1), and the
        // n-th derivative of digamma(1 - x) - digamma(x) = π cot(π x).
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        if x > -0.1 {
            // Close to the pole at 0 its term is what matters, and the rest is harmless.
            return polygamma_positive(n, 1.0 + x) - sign * pole_term(n, x);
        }
        let rest = polygamma_positive(n, -x) + sign * pole_term(n, -x);
        sign * rest - cotangent_derivative(n, x)
    }
}

/// `n! / x^(n + 1)`, in factors that are as harmless as the result.
fn pole_term(n: i32, x: f64) -> f64 {
    // The product is carried together with what rounding it has lost.
    let mut product = 1.0 / x;
    let mut lost = (-product).mul_add(x, 1.0) / x;
    for k in (1..=n).map(f64::from) {
        let factor = k / x;
        let next = product * factor;
        if next == 0.0 || !next.is_finite() {
            return next;
        }
        let rest = (-factor).mul_add(x, k) / x;
        lost = lost * factor + product * rest + product.mul_add(factor, -next);
        product = next;
    }
    if lost.is_finite() {
        product + lost
    } else {
        product
    }
}

/// By the Euler-Maclaurin formula for the sum of `(x + k)^(-n - 1)` over all `k`.
fn polygamma_positive(n: i32, x: f64) -> f64 {
    let s = f64::from(n) + 1.0;
    // All terms are relative to the first, which may be as large or small as it likes.
    let mut total = 0.0;
    let mut y = x;
    while y < LARGE + s {
        let term = (x / y).powi(n + 1);
        total += term;
        if term < f64::EPSILON * f64::EPSILON {
            break;
        }
        y += 1.0;
    }
    let r = 1.0 / y;
    let mut tail = 0.5 + y / (s - 1.0);
    let mut rising = s * r;
    for (j, b) in BERNOULLI.iter().enumerate() {
        tail += b * rising;
        let k = 2.0 * j as f64;
        rising *= (s + k + 1.0) * r * ((s + k + 2.0) * r);
    }
    total += tail * (x / y).powi(n + 1);
    let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
    sign * pole_term(n, x) * total
}

/// The n-th derivative of `π cot(π x)`.
fn cotangent_derivative(n: i32, x: f64) -> f64 {
    // With c = cot(π x), it is π^(n + 1) p(c), where p starts as c, and each derivative takes p(c) to
    // -(1 + c²) p'(c). All coefficients of p have the same sign.
    let mut p = vec![0.0, 1.0];
    for _ in 0..n {
        let mut q = vec![0.0; p.len() + 1];
        for (k, a) in p.iter().enumerate().skip(1) {
            let d = k as f64 * a;
            q[k - 1] -= d;
            q[k + 1] -= d;
        }
        p = q;
    }
    PI.powi(n + 1) * polynomial(&p, cot_pi(x))
}

#[cfg(test)]
mod tests;
