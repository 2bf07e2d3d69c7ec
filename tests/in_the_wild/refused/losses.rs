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

#[differentiable(grad)]
fn triplet(anchor: &[f64], positive: &[f64], negative: &[f64], margin: f64) -> f64 {
    fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
    }
    (squared_distance(anchor, positive) - squared_distance(anchor, negative) + margin).max(0.0)
}

#[differentiable(grad)]
fn largest_gap(x: &[f64]) -> f64 {
    let largest = x
        .iter()
        .copied()
        .max_by(|a, b| a.partial_cmp(b).unwrap())
        .unwrap();
    let smallest = x.iter().min_by(|a, b| a.total_cmp(b)).unwrap();
    largest - smallest
}

// median_is: median, median_value_and_grad, x: list(6) => (&x);
// median_of_odd_is: median, median_value_and_grad, x: list(7) => (&x);
// trimmed_mean_is: trimmed_mean, trimmed_mean_value_and_grad, x: list(7) => (&x, 2);
// triplet_is: triplet, triplet_value_and_grad, a: list(3), p: list(3), n: list(3), m: 2.5 => (&a, &p, &n, m);
// largest_gap_is: largest_gap, largest_gap_value_and_grad, x: list(5) => (&x);
