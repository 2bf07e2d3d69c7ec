//! Sums and products with what rounding them has lost.

/// `a + b`, and what is lost.
#[inline(always)]
pub(super) fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let from_b = s - a;
    (s, (a - (s - from_b)) + (b - from_b))
}

/// The same where `a` is 0 or |a| is not below |b|.
#[inline(always)]
pub(super) fn sum_ordered(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, (a - s) + b)
}

/// `a` as a sum of two numbers with at most 26 bits, for |a| below 10³⁰⁰.
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    // 2²⁷ + 1
    let shifted = a * 134217729.0;
    let high = shifted - (shifted - a);
    (high, a - high)
}

/// `a * b`, and what is lost.
#[inline(always)]
pub(super) fn product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (a_high, a_low) = halves(a);
    let (b_high, b_low) = halves(b);
    let lost = ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (p, lost)
}
