#[differentiable(grad)]
fn running_means(x: &[f64]) -> f64 {
    x.iter()
        .scan(0.0, |total, &v| {
            *total += v;
            Some(*total)
        })
        .enumerate()
        .map(|(i, t)| (t / (i + 1) as f64).powi(2))
        .sum()
}

#[differentiable(grad)]
fn hash_weights(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, v) in x.iter().enumerate() {
        let h = ((i as u64) << 3) ^ ((i as u64) >> 1);
        total += v * (h & 7) as f64;
    }
    total * total
}

// running_means_are: running_means, running_means_value_and_grad, x: list(5) => (&x);
// hash_is: hash_weights, hash_weights_value_and_grad, a: list(6) => (&a);
