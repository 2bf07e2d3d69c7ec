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
    let x_bar = if k_len.max(16) <= x_len && k_len.max(16) <= x_len + 1 - k_len {
        rt::build_blocks(
            [x_len],
            |[_], is, out| {
                rt::for_each(
                    (k_len - 1 - is.last()).max(0)..(x_len - is.first()).min(k_len),
                    |j| {
                        let is = is.since(k_len - j - 1).before(x_len - j);
                        if !is.is_empty() {
                            let cotangent_row = cotangent.row(is, [j + 1 - k_len]);
                            let k_j = k[[j]];
                            out.add(is, |i| k_j * cotangent_row[i]);
                        }
                    },
                );
            },
        )
    } else {
        rt::build(
            [x_len],
            |[i]| {
                let js = rt::stretch((k_len - i - 1).max(0)..(x_len - i).min(k_len));
                let k_row = k.row(js, [0]);
                let cotangent_row = cotangent.row(js, [i + 1 - k_len]);
                rt::sum_light(js, |j| k_row[j] * cotangent_row[j])
            },
        )
    };
    (value.into_array(), x_bar.into_array())
}
