//! The Jacobian of an addition by one operand is the identity.
//! shows: vjp, jvp

#[differentiable(vjp, jvp, wrt(x))]
fn addition(x: &Array1<f64>, y: &Array1<f64>) -> Array1<f64> {
    x + y
}

// =>
fn addition_vjp(
    x: &Array1<f64>,
    y: &Array1<f64>,
    cotangent: &::cotangent::ndarray::Array1<f64>,
) -> (::cotangent::ndarray::Array1<f64>, ::cotangent::ndarray::Array1<f64>) {
    let length = rt::common([x.shape()[0] as i64, y.shape()[0] as i64]);
    let x_shape = x.raw_dim();
    let x = rt::repeated("x", x.view(), [&[length]]);
    let y_shape = y.raw_dim();
    let y = rt::repeated("y", y.view(), [&[length]]);
    let x_len = x.len(0);
    let y_len = y.len(0);
    let cotangent_len = cotangent.len(0);
    let value = rt::build([x_len], |[i]| x[[i]] + y[[i]]);
    (value.into_array(), rt::summed_to(rt::copied(cotangent), &x_shape).into_array())
}

fn addition_jvp(
    x: &Array1<f64>,
    y: &Array1<f64>,
    x_tangent: &Array1<f64>,
) -> (::cotangent::ndarray::Array1<f64>, ::cotangent::ndarray::Array1<f64>) {
    let length = rt::common([x.shape()[0] as i64, y.shape()[0] as i64]);
    let x_shape = x.raw_dim();
    let x = rt::repeated("x", x.view(), [&[length]]);
    let y_shape = y.raw_dim();
    let y = rt::repeated("y", y.view(), [&[length]]);
    let x_tangent = rt::repeated_like(
        "x_tangent",
        x_tangent.view(),
        &x_shape,
        [x.len(0)],
    );
    let x_len = x.len(0);
    let y_len = y.len(0);
    let x_tangent_len = x_tangent.len(0);
    let value = rt::build([x_len], |[i]| x[[i]] + y[[i]]);
    (value.into_array(), rt::copied(x_tangent).into_array())
}
