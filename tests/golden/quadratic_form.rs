//! The gradient of xᵀ A x is A x + Aᵀ x.
//! shows: grad

#[differentiable(grad, wrt(x))]
fn quadratic(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    x.dot(&a.dot(x))
}

// =>
fn quadratic_grad(
    x: &Array1<f64>,
    a: &Array2<f64>,
) -> ::cotangent::ndarray::Array1<f64> {
    let x_len = x.len(0);
    let a_rows = a.len(0);
    let a_cols = a.len(1);
    let t = rt::contract(a, [0, 1], x, [1], [0]);
    let x_bar = rt::contract_onto(t, a, [0, 1], x, [0], [1]);
    x_bar.into_array()
}
