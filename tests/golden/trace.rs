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
    let mut m_bar = rt::zeros([m_rows, m_cols]);
    rt::for_each(
        [m_rows],
        |[i]| {
            if i < m_cols {
                m_bar[[i, i]] = 1.0;
            }
        },
    );
    m_bar.into_array()
}
