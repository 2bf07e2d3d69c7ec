//! The adjoint of a convolution, by its kernel, is a correlation with the signal.
//! shows: vjp

#[differentiable(vjp, wrt(k))]
fn convolution(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
    let m = k.len();
    build(x.len() - m + 1, |i| sum(m, |j| x[i + m - 1 - j] * k[j]))
}

// =>
fn convolution_vjp(
    x: &Array1<f64>,
    k: &Array1<f64>,
    cotangent: &::cotangent::ndarray::Array1<f64>,
) -> (::cotangent::ndarray::Array1<f64>, ::cotangent::ndarray::Array1<f64>) {
    let x_len = x.len(0);
    let k_len = k.len(0);
    let cotangent_len = cotangent.len(0);
    let value = rt::build(
        [x_len + 1 - k_len],
        |[i]| rt::sum_light(k_len, |j| x[[i + k_len - j - 1]] * k[[j]]),
    );
    let k_bar = rt::build(
        [k_len],
        |[i]| rt::sum_light(
            x_len + 1 - k_len,
            |j| x[[j + k_len - i - 1]] * cotangent[[j]],
        ),
    );
    (value.into_array(), k_bar.into_array())
}
