/// Elements that leave a list in place.
#[differentiable(grad)]
fn without_outliers(x: &[f64], limit: f64) -> f64 {
    let mut kept = x.to_vec();
    kept.retain(|v| v.abs() < limit);
    kept.iter().sum()
}
