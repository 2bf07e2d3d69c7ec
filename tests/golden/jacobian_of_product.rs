//! The Jacobian of a product of a matrix with a vector by the vector is the matrix.
//! shows: jacobian

#[differentiable(jacobian, wrt(x))]
fn product(m: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    m.dot(x)
}

// =>
fn product_jacobian(
    m: &Array2<f64>,
    x: &Array1<f64>,
) -> ::cotangent::ndarray::Array2<f64> {
    let m_cols = m.len(1);
    let x_len = x.len(0);
    rt::copied(m).into_array()
}
