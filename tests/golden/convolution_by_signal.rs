//! The adjoint of a convolution is a correlation with the kernel.
//! shows: vjp

#[differentiable(vjp, wrt(x))]
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
    let x_bar = rt::build(
        [x_len],
        |[i]| rt::sum_light(
            (k_len - i - 1).max(0)..(x_len - i).min(k_len),
            |j| k[[j]] * cotangent[[i + j + 1 - k_len]],
        ),
    );
    (value.into_array(), x_bar.into_array())
}
