//! The gradient of tr(diag(x) A) by x is the diagonal of A, and no matrix is made.
//! shows: grad

#[differentiable(grad, wrt(x))]
fn trace_of_diagonal(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let n = x.len();
    let diagonal = build((n, n), |(i, j)| if i == j { x[i] } else { 0.0 });
    let product = diagonal.dot(a);
    sum(n, |i| product[[i, i]])
}

// =>
fn trace_of_diagonal_grad(
    x: &Array1<f64>,
    a: &Array2<f64>,
) -> ::cotangent::ndarray::Array1<f64> {
    let x_len = x.len(0);
    let a_rows = a.len(0);
    let a_cols = a.len(1);
    let x_bar = rt::build([x_len], |[i]| a[[i, i]]);
    x_bar.into_array()
}
