//! Elements that a branch reads are all that is touched: an infinite derivative beside them does not come in.
//! shows: grad

#[differentiable(grad)]
fn behind_a_branch(x: &Array1<f64>, c: bool) -> f64 {
    let e = build(x.len(), |i| x[i].sqrt());
    if c { e[0] + e[1] } else { 0.0 }
}

// =>
fn behind_a_branch_grad(x: &Array1<f64>, c: bool) -> ::cotangent::ndarray::Array1<f64> {
    let x_len = x.len(0);
    let t = rt::build([x_len], |[i]| 2.0 * x[[i]].sqrt());
    let mut x_bar = rt::zeros_called("the gradient of `x`", [x_len]);
    if c {
        x_bar[[1]] += 1.0 / t[[1]];
    }
    if c {
        x_bar[[0]] += 1.0 / t[[0]];
    }
    x_bar.into_array()
}
