//! The scalar functions of a generic number, by method, by path and by function.
//!
//! @ x: 0.3; y: 1.7; n: 3
//! @ x: -0.45; y: 0.6; n: 0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn generic_scalar_functions<T: Real>(x: T, y: T, n: usize) -> T {
    let (s, c) = x.sin_cos();
    let a = s * y.ln() + c.mul_add(y, x.exp_m1()) - x.asin() * y.sqrt().recip();
    let b = T::hypot(x, y).atan2(T::of(1.5)) + Real::tanh(x * y) + y.powf(x) + (x * x).ln_1p();
    let k = T::from_usize(n) / T::of(n as f64 + 1.0);
    let e = erf(x) + lgamma(y) + sigmoid(x + y) + y.clamp(T::of(0.5), T::of(3.0)).cbrt();
    let i = (y + y).to_f64() as usize + y.floor().to_f64() as usize;
    a * k + b - e * T::from(0.25) + x.abs() * T::of(i as f64)
}
