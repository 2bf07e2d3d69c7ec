//! The derivative of a product with the identity is the cotangent, or the tangent, itself.
//! shows: vjp, jvp

#[differentiable(vjp, jvp)]
fn times_identity(v: &Array1<f64>) -> Array1<f64> {
    let n = v.len();
    let identity = build((n, n), |(i, j)| if i == j { 1.0 } else { 0.0 });
    v.dot(&identity)
}

// The value keeps the products with zeros, which are numbers of the program: 0 · ∞ is NaN. The derivatives
// know that they are zero.

// =>
fn times_identity_vjp(
    v: &Array1<f64>,
    cotangent: &::cotangent::ndarray::Array1<f64>,
) -> (::cotangent::ndarray::Array1<f64>, ::cotangent::ndarray::Array1<f64>) {
    let v_len = v.len(0);
    let cotangent_len = cotangent.len(0);
    let value = rt::build(
        [v_len],
        |[i]| rt::sum(v_len, |j| v[[j]] * (if j == i { 1.0 } else { 0.0 })),
    );
    (value.into_array(), rt::copied(cotangent).into_array())
}

fn times_identity_jvp(
    v: &Array1<f64>,
    v_tangent: &Array1<f64>,
) -> (::cotangent::ndarray::Array1<f64>, ::cotangent::ndarray::Array1<f64>) {
    let v_len = v.len(0);
    let v_tangent_len = v_tangent.len(0);
    let value = rt::build(
        [v_len],
        |[i]| rt::sum(v_len, |j| v[[j]] * (if j == i { 1.0 } else { 0.0 })),
    );
    (value.into_array(), rt::copied(v_tangent).into_array())
}
