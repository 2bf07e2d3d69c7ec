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

/// `a` as a sum of two numbers, with at most 26 and 27 bits.
#[inline(always)]
pub(super) fn halves(a: f64) -> (f64, f64) {
    let high = f64::from_bits(a.to_bits() & 0xffff_ffff_f800_0000);
    (high, a - high)
}

/// `a * b`, and what is lost, but for 2⁻¹⁰⁶ of the product. Neither overflows nor is subnormal.
#[inline(always)]
pub(super) fn product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (a_high, a_low) = halves(a);
    let (b_high, b_low) = halves(b);
    let lost = ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (p, lost)
}
