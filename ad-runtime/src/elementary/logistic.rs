//! The logistic function and its integral.

use super::exp::{exp, exp_tail, reduce, within};

/// `1 / (1 + exp(-x))`
#[inline(always)]
pub(super) fn sigmoid(x: f64) -> f64 {
    let reduced = reduce(within(-x, -746.0, 746.0));
    let r = reduced.r;
    // exp(-x) = 2ᵏ (p + p_low)
    let tail = exp_tail(r) + reduced.low;
    let inner = r + tail;
    let p = 1.0 + inner;
    let p_low = ((1.0 - p) + inner) + ((r - inner) + tail);
    // Where k is positive, numerator and denominator are divided by 2ᵏ; so the smaller power is
    // that of -|k|.
    let above = reduced.k > 0.0;
    let power = reduced.smaller_power();
    let first = if above { power } else { 1.0 };
    let factor = if above { 1.0 } else { power };
    let second = factor * p;
    let sum = first + second;
    let larger = if first > second { first } else { second };
    let smaller = if first > second { second } else { first };
    let sum_low = ((larger - sum) + smaller) + factor * p_low;
    let quotient = 1.0 / sum;
    let quotient = quotient - quotient * (quotient * sum_low);
    let divided = reduced.scaled_back(quotient);
    if above { divided } else { quotient }
}

/// `ln(1 + exp(x))`
#[inline(always)]
pub(super) fn softplus(x: f64) -> f64 {
    let positive = if x > 0.0 { x } else { 0.0 };
    let e = exp(-x.abs());
    // ln(1 + e), as in `ln`, with s = e / (2 + e) up to 1/3.
    let half = 0.5 * e * e;
    let s = e / (2.0 + e);
    let z = s * s;
    let z2 = z * z;
    // On s² up to 0.1111, the error of the whole is 2⁻⁵⁸·⁸.
    let p = z
        * (polynomial!(z, z2;
            0.6666666666666666,
            0.39999999999999525,
            0.2857142857160023,
            0.22222222198220246,
            0.1818181989900684,
            0.15384543927176786,
            0.13335179455463733,
            0.1173426795617247,
            0.10845268502768013,
            0.07491740334509496,
            0.1563134332075557,
        ));
    positive + (e - (half - s * (half + p)))
}
