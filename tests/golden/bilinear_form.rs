//! The gradient of uᵀ M v by M is the outer product of u and v.
//! shows: grad

#[differentiable(grad, wrt(m))]
fn bilinear(u: &Array1<f64>, m: &Array2<f64>, v: &Array1<f64>) -> f64 {
    u.dot(&m.dot(v))
}

// =>
fn bilinear_grad(
    u: &Array1<f64>,
    m: &Array2<f64>,
    v: &Array1<f64>,
) -> ::cotangent::ndarray::Array2<f64> {
    let u_len = u.len(0);
    let m_rows = m.len(0);
    let m_cols = m.len(1);
    let v_len = v.len(0);
    let m_bar = rt::build([u_len, m_cols], |[i, j]| v[[j]] * u[[i]]);
    m_bar.into_array()
}
