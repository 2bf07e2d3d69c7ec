#[differentiable(grad)]
fn median(x: &[f64]) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mid = sorted.len() / 2;
    if sorted.len() % 2 == 0 {
        0.5 * (sorted[mid - 1] + sorted[mid])
    } else {
        sorted[mid]
    }
}

#[differentiable(grad)]
fn trimmed_mean(x: &[f64], cut: usize) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(f64::total_cmp);
    let kept = &v[cut..v.len() - cut];
    kept.iter().sum::<f64>() / kept.len() as f64
}

// median_is: median, median_value_and_grad, x: list(6) => (&x);
// median_of_odd_is: median, median_value_and_grad, x: list(7) => (&x);
// trimmed_mean_is: trimmed_mean, trimmed_mean_value_and_grad, x: list(7) => (&x, 2);
