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
    T::lgamma_of(x)
}

/// [`crate::digamma`] of a real number.
pub(crate) fn digamma<T: Real>(x: T) -> T {
    T::digamma_of(x)
}

/// The derivative of [`crate::digamma`].
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

/// The `n`-th derivative of [`crate::digamma`].
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
    T::erf_of(x)
}

/// The polynomial with these coefficients, the constant one first.
#[inline]
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |p, c| p * x + c)
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

/// From here on the asymptotic series is used.
const LARGE: f64 = 10.0;

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
        digamma(x)
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
    // With c = cot(π x), it is π^(n + 1) p(c), where p starts as c, and each derivative takes p(c)
    // to -(1 + c²) p'(c). All coefficients of p have the same sign.
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
