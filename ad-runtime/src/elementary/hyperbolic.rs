//! Hyperbolic functions.

use super::exp::{exp_tail, reduce};

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    // With t = exp(-2 |x|) - 1 it is -t / (2 + t), where t is known to more than its rounding.
    let a = x.abs();
    // Beyond that it is 1.
    let a = if a > 20.0 { 20.0 } else { a };
    let reduced = reduce(-2.0 * a);
    let r = reduced.r;
    let tail = exp_tail(r) + reduced.low;
    let e = r + tail;
    let e_low = (r - e) + tail;
    let power = reduced.power(0);
    let start = power - 1.0;
    let more = power * e;
    let t = start + more;
    let t_low = ((start - t) + more) + power * e_low;
    let below = 2.0 + t;
    let below_low = ((2.0 - below) + t) + t_low;
    let quotient = t / below;
    (quotient + (t_low - quotient * below_low) / below).copysign(x)
}
