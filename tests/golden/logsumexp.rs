//! The gradient of log-sum-exp is softmax.
//! shows: grad

#[differentiable(grad)]
fn log_sum_exp(x: &Array1<f64>) -> f64 {
    logsumexp(x.len(), |i| x[i])
}

// =>
fn log_sum_exp_grad(x: &Array1<f64>) -> ::cotangent::ndarray::Array1<f64> {
    let x_len = x.len(0);
    let t = rt::logsumexp(x_len, |i| x[[i]]);
    let x_bar = rt::build(
        [x_len],
        |[i]| {
            let x_i = x[[i]];
            if x_i != f64::NEG_INFINITY { rt::weight(x_i - t) } else { 0.0 }
        },
    );
    x_bar.into_array()
}
