/// Lists of lists as results.
#[differentiable(vjp)]
fn grouped(x: &[f64], size: usize) -> Vec<Vec<f64>> {
    x.chunks(size).map(|c| c.to_vec()).collect()
}

/// Two real types.
#[differentiable(grad)]
fn weighted(x: &[f32], w: &[f64]) -> f64 {
    x.iter().zip(w).map(|(x, w)| *x as f64 * w).sum()
}

/// An axis as an argument.
#[differentiable(grad)]
fn spread(x: &Array2<f64>, axis: Axis) -> f64 {
    x.var_axis(axis, 0.0).sum()
}
