//! Real powers.

use super::exp::{LN2_HIGH, LN2_LOW, exp_tail, reduce, within};
use super::ln::{Split, split_any};
use super::two::{product, sum_ordered};

/// `ln a` for a positive finite `a`, as a sum of two numbers with an error of about 2⁻⁶⁵, relative
/// to it.
#[inline(always)]
fn ln_in_two(a: f64) -> (f64, f64) {
    let Split { k, f } = split_any(a);
    // s = f / (2 + f)
    let (below, below_low) = sum_ordered(2.0, f);
    let s = f / below;
    let (p, lost) = product(s, below);
    let s_low = (((f - p) - lost) - s * below_low) / below;
    let (z, lost) = product(s, s);
    let z_low = lost + 2.0 * s * s_low;
    // ln(1 + f) is s (2 + z t), where t = 2/3 + 2/5 z + ..
    let z2 = z * z;
    // On s² up to 0.0294, the error of the whole is 2⁻⁶⁶·⁴.
    let rest = z
        * (polynomial!(z, z2;
            0.4,
            0.28571428571429364,
            0.22222222221655885,
            0.18181818335392802,
            0.1538459496251843,
            0.1333480469384731,
            0.11706236339491206,
            0.11723178623876518,
        ));
    let (t, t_lost) = sum_ordered(TWO_THIRDS.0, rest);
    let t_low = t_lost + TWO_THIRDS.1;
    let (u, lost) = product(z, t);
    let u_low = lost + (z * t_low + z_low * t);
    let (v, lost) = sum_ordered(2.0, u);
    let v_low = lost + u_low;
    let (l, lost) = product(s, v);
    let l_low = lost + (s * v_low + s_low * v);
    // Where k is not 0, its term is the larger one.
    let (high, lost) = sum_ordered(k * LN2_HIGH, l);
    sum_ordered(high, lost + (k * LN2_LOW + l_low))
}

/// 2/3 in two parts
const TWO_THIRDS: (f64, f64) = (0.6666666666666666, 3.700743415417188e-17);

/// `x` to the power `y`.
#[inline(always)]
pub(super) fn powf(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let (l, l_low) = ln_in_two(a);
    // Beyond that it makes no difference: the power is 0, 1 or ∞.
    let y_near = within(y, -1e24, 1e24);
    let (p, lost) = product(y_near, l);
    let p_low = lost + y_near * l_low;
    let large = p.abs() > 800.0;
    let p_low = if large { 0.0 } else { p_low };
    let reduced = reduce(within(p, -746.0, 710.0));
    let (r, low) = sum_ordered(reduced.r, reduced.low + p_low);
    let result = reduced.scaled(1.0 + (r + (exp_tail(r) + low)));
    at_ends(x, y, result)
}

/// The power, where `result` is that of |x|, unless x is 0, infinite or NaN.
#[inline(always)]
pub(super) fn at_ends(x: f64, y: f64, result: f64) -> f64 {
    let a = x.abs();
    // Powers of 0 and ∞
    let vanishes = (a == 0.0) == (y > 0.0);
    let extreme = if vanishes { 0.0 } else { f64::INFINITY };
    let is_extreme = a == 0.0 || a == f64::INFINITY;
    let result = if is_extreme { extreme } else { result };
    // A negative number has powers for integers, and negative ones for odd integers.
    let b = y.abs();
    let shifted = b + 4503599627370496.0;
    let below = b < 4503599627370496.0;
    let integer = !below || shifted - 4503599627370496.0 == b;
    let last = if below { shifted } else { b };
    let odd = if b < 9007199254740992.0 {
        last.to_bits() & 1
    } else {
        0
    };
    let odd = if integer { odd } else { 0 };
    let sign = odd << 63 & x.to_bits();
    let signed = f64::from_bits(result.to_bits() ^ sign);
    let undefined = x < 0.0 && a < f64::INFINITY && !integer;
    let signed = if undefined { f64::NAN } else { signed };
    let signed = if x.is_nan() || y.is_nan() {
        f64::NAN
    } else {
        signed
    };
    if x == 1.0 || y == 0.0 { 1.0 } else { signed }
}
