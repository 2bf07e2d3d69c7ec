//! Prices of calls for a row of strikes.
//!
//! @ spot: in 0.8..1.2; strikes: [4] in 0.7..1.4; rate: in 0.0..0.1; sigma: in 0.1..0.5; time: in 0.5..2.0
//! @ spot: in 0.8..1.2; strikes: [0]; rate: in 0.0..0.1; sigma: in 0.1..0.5; time: in 0.5..2.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn nd_black_scholes(
    spot: f64,
    strikes: &Array1<f64>,
    rate: f64,
    sigma: f64,
    time: f64,
) -> Array1<f64> {
    let normal = |z: f64| 0.5 * (1.0 + erf(z / std::f64::consts::SQRT_2));
    let width = sigma * time.sqrt();
    let d1 = strikes.mapv(|k| ((spot / k).ln() + (rate + 0.5 * sigma * sigma) * time) / width);
    let d2 = &d1 - width;
    spot * d1.mapv(normal) - (-rate * time).exp() * strikes * d2.mapv(normal)
}
