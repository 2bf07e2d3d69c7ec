//! Special functions for the interpreters, kept apart from those of the runtime on purpose: each
//! checks the other.

/// `aⁿ` by repeated multiplication for small exponents, as the source means it.
pub(super) fn powi(a: f64, n: i64) -> f64 {
    match i32::try_from(n) {
        Ok(n) => a.powi(n),
        Err(_) => a.powf(n as f64),
    }
}

/// The sign, 0 at 0.
pub(super) fn sign0(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// `eˣ`, or 0 where it is below 1.5e-289.
pub(super) fn weight(x: f64) -> f64 {
    if x < -665.0 { 0.0 } else { x.exp() }
}

/// `1 / (1 + e⁻ˣ)`
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `ln(1 + eˣ)`
pub(super) fn softplus(x: f64) -> f64 {
    if x > 0.0 {
        x + (-x).exp().ln_1p()
    } else {
        x.exp().ln_1p()
    }
}

/// `ln |Γ(x)|`: recurrence up to 20, then Stirling's series.
pub(super) fn lgamma(x: f64) -> f64 {
    if x <= 0.0 {
        if x == x.floor() {
            return f64::INFINITY;
        }
        // Γ(x) Γ(1-x) = π / sin πx
        let s = (std::f64::consts::PI * x.rem_euclid(2.0)).sin().abs();
        return (std::f64::consts::PI / s).ln() - lgamma(1.0 - x);
    }
    let (mut x, mut product, mut shift) = (x, 1.0f64, 0.0);
    while x < 20.0 {
        product *= x;
        if product > 1e250 {
            shift += product.ln();
            product = 1.0;
        }
        x += 1.0;
    }
    let (r, rr) = (1.0 / x, 1.0 / (x * x));
    let series = r
        * (1.0 / 12.0
            + rr * (-1.0 / 360.0 + rr * (1.0 / 1260.0 + rr * (-1.0 / 1680.0 + rr / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift - product.ln()
}

/// The derivative of `lgamma`.
pub(super) fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        let t = (std::f64::consts::PI * x).tan();
        return digamma(1.0 - x) - std::f64::consts::PI / t;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 20.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let rr = 1.0 / (x * x);
    let series = rr
        * (1.0 / 12.0 - rr * (1.0 / 120.0 - rr * (1.0 / 252.0 - rr * (1.0 / 240.0 - rr / 132.0))));
    sum + x.ln() - 0.5 / x - series
}

/// The n-th derivative of `digamma`, for `x > 0`: recurrence up to 25, then the Euler–Maclaurin
/// series of `(-1)ⁿ⁺¹ n! Σ (x+k)⁻ⁿ⁻¹`. For `n = 0` it is `digamma`.
pub(super) fn polygamma(x: f64, n: i64) -> f64 {
    let Ok(order) = i32::try_from(n) else {
        return f64::NAN;
    };
    if order == 0 {
        return digamma(x);
    }
    if order < 0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        if x == x.floor() || order > 1 {
            return f64::NAN;
        }
        // ψ'(1-x) + ψ'(x) = π² / sin² πx
        let s = std::f64::consts::PI / (std::f64::consts::PI * x).sin();
        return s * s - polygamma(1.0 - x, 1);
    }
    let s = f64::from(order + 1);
    let (mut x, mut sum) = (x, 0.0);
    while x < 25.0 + s {
        sum += x.powf(-s);
        x += 1.0;
    }
    // ∫ + half the first term + Σ B₂ₖ/(2k)! s(s+1)..(s+2k-2) x^(-s-2k+1)
    sum += x.powf(1.0 - s) / (s - 1.0) + 0.5 * x.powf(-s);
    let bernoulli = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
    ];
    let (mut rising, mut factorial) = (s, 2.0);
    for (k, b) in bernoulli.iter().enumerate() {
        let k = k as f64 + 1.0;
        sum += b / factorial * rising * x.powf(-s - 2.0 * k + 1.0);
        rising *= (s + 2.0 * k - 1.0) * (s + 2.0 * k);
        factorial *= (2.0 * k + 1.0) * (2.0 * k + 2.0);
    }
    let factorial: f64 = (1..=order).map(f64::from).product();
    if order % 2 == 0 {
        -factorial * sum
    } else {
        factorial * sum
    }
}

/// The error function: its power series near 0, the continued fraction of its complement beyond.
pub(super) fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    let y = if a < 2.5 {
        // 2/√π · e^(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!
        let (mut term, mut sum, mut n) = (a, a, 1.0);
        while term > sum * 1e-18 && term > 0.0 {
            term *= 2.0 * a * a / (2.0 * n + 1.0);
            sum += term;
            n += 1.0;
        }
        std::f64::consts::FRAC_2_SQRT_PI * (-a * a).exp() * sum
    } else if a > 6.5 {
        1.0
    } else {
        // erfc(x) = e^(-x²)/√π · 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ..))))
        let mut tail = a;
        for k in (1..=120).rev() {
            tail = a + f64::from(k) / 2.0 / tail;
        }
        1.0 - 0.5 * std::f64::consts::FRAC_2_SQRT_PI * (-a * a).exp() / tail
    };
    y.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn special_functions_at_known_points() {
        let pi = std::f64::consts::PI;
        near(lgamma(0.5), 0.5 * pi.ln());
        near(lgamma(5.0), 24f64.ln());
        near(lgamma(-0.5), (2.0 * pi.sqrt()).ln());
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(polygamma(1.0, 1), pi * pi / 6.0);
        near(polygamma(1.0, 2), -2.0 * 1.202_056_903_159_594_3);
        near(erf(0.5), 0.520_499_877_813_046_5);
        near(erf(3.0), 0.999_977_909_503_001_4);
        near(erf(-1.0), -0.842_700_792_949_714_9);
    }
}
