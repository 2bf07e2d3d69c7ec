//! The cube root, and the length of a vector.

/// Added to a number below 2⁵¹ this rounds it to an integer.
const ROUND: f64 = 6755399441055744.0;

/// The cube root.
#[inline(always)]
pub(super) fn cbrt(x: f64) -> f64 {
    let a = x.abs();
    let subnormal = a < f64::MIN_POSITIVE;
    let larger = a * 18014398509481984.0;
    let y = if subnormal { larger } else { a };
    // y = 2^(3 q + rest) m, with m in 1..2 and rest 0, 1 or 2
    let bits = y.to_bits();
    let biased = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000);
    let exponent = biased - (4503599627370496.0 + 1023.0);
    let shifted = (exponent - 1.0) * (1.0 / 3.0) + ROUND;
    let q = shifted - ROUND;
    let rest = exponent - 3.0 * q;
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    let m2 = m * m;
    // The error is 2⁻¹⁹.
    let start = polynomial!(m, m2;
        0.47514693623890253,
        0.8317431442479309,
        -0.4602977267696209,
        0.19665479701360078,
        -0.04831832068166114,
        0.005072953325277491,
    );
    let root = if rest > 0.5 { 1.2599210498948732 } else { 1.0 };
    let root = if rest > 1.5 { 1.5874010519681996 } else { root };
    let power = if rest > 0.5 { 2.0 } else { 1.0 };
    let power = if rest > 1.5 { 4.0 } else { power };
    // With 26 bits, so that the square is exact.
    let t = f64::from_bits((start * root).to_bits() & 0xffff_ffff_f800_0000);
    // One step of Halley's: it triples the number of bits.
    let ratio = (m * power) / (t * t);
    let t = t + t * ((ratio - t) / (t + t + ratio));
    // 2 to the power q, less 18 for what was made larger by 2⁵⁴
    let offset = if subnormal { 1023.0 - 18.0 } else { 1023.0 };
    let scale = f64::from_bits((q + (ROUND + offset)).to_bits() << 52);
    let result = (t * scale).copysign(x);
    let finite = a < f64::INFINITY;
    let result = if finite { result } else { x };
    if a == 0.0 { x } else { result }
}

/// The length of the vector (`x`, `y`).
#[inline(always)]
pub(super) fn hypot(x: f64, y: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    let largest = if a > b { a } else { b };
    // By a power of 2, so that no square overflows or is subnormal.
    let scale = if largest > 1e150 {
        2.0_f64.powi(-600)
    } else {
        1.0
    };
    let back = if largest > 1e150 {
        2.0_f64.powi(600)
    } else {
        1.0
    };
    let scale = if largest < 1e-140 {
        2.0_f64.powi(600)
    } else {
        scale
    };
    let back = if largest < 1e-140 {
        2.0_f64.powi(-600)
    } else {
        back
    };
    let (p, q) = (a * scale, b * scale);
    let result = (p * p + q * q).sqrt() * back;
    let infinite = a == f64::INFINITY || b == f64::INFINITY;
    if infinite { f64::INFINITY } else { result }
}
