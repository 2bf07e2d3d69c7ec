/// Lists of lists as results.
#[differentiable(vjp)]
fn grouped(x: &[f64], size: usize) -> Vec<Vec<f64>> {
    x.chunks(size).map(|c| c.to_vec()).collect()
}

/// An axis as an argument.
#[differentiable(grad)]
fn spread(x: &Array2<f64>, axis: Axis) -> f64 {
    x.var_axis(axis, 0.0).sum()
}
