use cotangent::prelude::*;

#[differentiable]
fn power(x: f64, n: usize) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

// Not as deep as anything says.
#[differentiable]
fn any(x: f64, n: usize) -> f64 {
    power(x, n) + power(x, 2)
}

// Deeper than can be written out.
#[differentiable]
fn deep(x: f64) -> f64 {
    power(x, 1_000_000)
}

// Its end does not depend on a number that is written out.
#[differentiable]
fn endless(x: f64, n: usize) -> f64 {
    if x < 1.0 { x } else { endless(x / 2.0, n) }
}

#[differentiable]
fn halved(x: f64) -> f64 {
    endless(x, 3)
}

#[differentiable]
fn derived(x: f64) -> f64 {
    power_grad(x, 3)
}

#[differentiable]
fn fixed<const N: usize>(x: [f64; N], n: usize) -> f64 {
    if n == 0 { x[0] } else { fixed(x, n - 1) }
}

#[differentiable]
fn of_itself(x: f64) -> f64 {
    of_itself_grad(x)
}

fn main() {
    // It has no derivatives of its own.
    let _: f64 = power_grad(1.0, 3);
    let _: (f64, f64) = power_value_and_grad(1.0, 3);
    let _: f64 = any_grad(1.0, 2) + deep_grad(1.0) + halved_grad(1.0) + derived_grad(1.0);
}
