//! The gradient of tr(M A) by M is the transpose of A.
//! shows: grad

#[differentiable(grad, wrt(m))]
fn trace_of_product(m: &Array2<f64>, a: &Array2<f64>) -> f64 {
    let product = m.dot(a);
    sum(m.nrows(), |i| product[[i, i]])
}

// =>
fn trace_of_product_grad(
    m: &Array2<f64>,
    a: &Array2<f64>,
) -> ::cotangent::ndarray::Array2<f64> {
    let m_rows = m.len(0);
    let m_cols = m.len(1);
    let a_rows = a.len(0);
    let a_cols = a.len(1);
    let m_bar = rt::across(a.part([0, 0], [m_cols, m_rows]), 0);
    m_bar.into_array()
}
