use cotangent::prelude::*;

#[differentiable(wrt = x)]
fn equals(x: f64) -> f64 {
    x
}

#[differentiable(value_and_grad)]
fn both(x: f64) -> f64 {
    x
}

#[differentiable(grad, value, grad)]
fn twice(x: f64) -> f64 {
    x
}

fn main() {}

#[differentiable(allow(dead_code))]
fn allows_another_lint(x: f64) -> f64 {
    x
}

#[differentiable(allow)]
fn allows_nothing(x: f64) -> f64 {
    x
}

#[differentiable(taylor)]
fn series_without_an_order(x: f64) -> f64 {
    x
}

#[differentiable(taylor = 40)]
fn series_of_high_order(x: f64) -> f64 {
    x
}

#[custom_derivative(jvp = half_jvp)]
fn half(x: f64) -> f64 {
    0.5 * x
}

fn half_jvp(x: f64, x_tangent: f64) -> (f64, f64) {
    (0.5 * x, 0.5 * x_tangent)
}

#[differentiable(taylor = 2)]
fn series_of_a_rule(x: f64) -> f64 {
    half(x) * x
}

#[differentiable(taylor = 2)]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn of_a_series(x: f64) -> f64 {
    square_taylor(x, 1.0)[2]
}

#[differentiable(linearize, jacobian(sparse))]
fn cubes(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x * x * x).collect()
}

#[differentiable]
fn of_a_linearised_function(x: &[f64]) -> f64 {
    cubes_linearize(x).0[0]
}

#[differentiable]
fn of_a_sparse_matrix(x: &[f64]) -> f64 {
    cubes_jacobian_sparse(x).0[0]
}
