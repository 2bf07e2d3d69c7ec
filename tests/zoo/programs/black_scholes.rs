//! The price of a call option.
//!
//! @ spot: in 90.0..110.0; strike: in 90.0..110.0; time: in 0.5..2.0; rate: in 0.01..0.1; sigma: in 0.1..0.5
//! @ spot: 100.0; strike: 100.0; time: 1.0; rate: 0.05; sigma: 0.2

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn black_scholes(spot: f64, strike: f64, time: f64, rate: f64, sigma: f64) -> f64 {
    let cdf = |z: f64| 0.5 * (1.0 + erf(z / std::f64::consts::SQRT_2));
    let spread = sigma * time.sqrt();
    let d1 = ((spot / strike).ln() + (rate + 0.5 * sigma * sigma) * time) / spread;
    let d2 = d1 - spread;
    spot * cdf(d1) - strike * (-rate * time).exp() * cdf(d2)
}
