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
    let value = if k_len.max(16) <= x_len + 1 - k_len {
        rt::build_blocks(
            [x_len + 1 - k_len],
            |[_], is, out| {
                rt::for_each(
                    0..k_len,
                    |j| {
                        let x_row = x.row(is, [k_len - j - 1]);
                        let k_j = k[[j]];
                        out.add(is, |i| x_row[i] * k_j);
                    },
                );
            },
        )
    } else {
        rt::build(
            [x_len + 1 - k_len],
            |[i]| rt::sum_light(k_len, |j| x[[i + k_len - j - 1]] * k[[j]]),
        )
    };
    let k_bar = rt::build(
        [k_len],
        |[i]| {
            let js = rt::stretch(x_len + 1 - k_len);
            let x_row = x.row(js, [k_len - i - 1]);
            rt::sum_light(js, |j| x_row[j] * cotangent[[j]])
        },
    );
    (value.into_array(), k_bar.into_array())
}
