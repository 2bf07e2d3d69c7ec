//! The Jacobian of an elementwise function is a diagonal; it takes n operations.
//! shows: jacobian

#[differentiable(jacobian)]
fn waves(x: &Array1<f64>) -> Array1<f64> {
    x.mapv(f64::sin)
}

// =>
fn waves_jacobian(x: &Array1<f64>) -> ::cotangent::ndarray::Array2<f64> {
    let x_len = x.len(0);
    let t = rt::build_costly([x_len], |[i]| rt::cos(x[[i]]));
    let mut jacobian = rt::zeros([x_len, x_len]);
    rt::for_each(
        [x_len],
        |[i]| {
            jacobian[[i, i]] = t[[i]];
        },
    );
    jacobian.into_array()
}
