//! A matrix transposed twice is the matrix.
//! shows: value

#[differentiable(value)]
fn twice(m: &Array2<f64>) -> Array2<f64> {
    let once = build((m.ncols(), m.nrows()), |(i, j)| m[[j, i]]);
    build(m.dim(), |(i, j)| once[[j, i]])
}

// =>
fn twice_value(m: &Array2<f64>) -> ::cotangent::ndarray::Array2<f64> {
    rt::copied(m).into_array()
}
