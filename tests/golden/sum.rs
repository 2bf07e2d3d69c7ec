//! The gradient of a sum is ones.
//! shows: grad

#[differentiable(grad)]
fn total(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i])
}

// =>
fn total_grad(x: &Array1<f64>) -> ::cotangent::ndarray::Array1<f64> {
    let x_len = x.len(0);
    let x_bar = rt::build([x_len], |[_]| 1.0);
    x_bar.into_array()
}
