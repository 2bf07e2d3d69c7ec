//! The gradient of the trace is the identity.
//! shows: grad

#[differentiable(grad)]
fn trace(m: &Array2<f64>) -> f64 {
    sum(m.nrows(), |i| m[[i, i]])
}

// =>
fn trace_grad(m: &Array2<f64>) -> ::cotangent::ndarray::Array2<f64> {
    let m_rows = m.len(0);
    let m_cols = m.len(1);
    let m_bar = rt::build([m_rows, m_cols], |[i, j]| if j == i { 1.0 } else { 0.0 });
    m_bar.into_array()
}
