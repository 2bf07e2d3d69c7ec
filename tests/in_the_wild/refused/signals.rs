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
fn total_variation(image: &Array2<f64>) -> f64 {
    let dx = &image.slice(s![.., 1..]) - &image.slice(s![.., ..-1]);
    let dy = image.slice_axis(Axis(0), Slice::from(1..)).to_owned()
        - image.slice_axis(Axis(0), Slice::from(..-1));
    dx.mapv(|v| (v * v + 1e-3).sqrt()).sum() + dy.mapv(|v| (v * v + 1e-3).sqrt()).sum()
}

#[differentiable(grad)]
fn fixed_kernel(x: &Array2<f64>) -> f64 {
    let k = array![[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]];
    x.windows((3, 3))
        .into_iter()
        .map(|w| (&w * &k).sum().powi(2))
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

#[differentiable(grad)]
fn symmetric(a: &Array2<f64>) -> f64 {
    let lower = a.tril(0);
    let upper = a.triu(1);
    (&lower.dot(&upper) - a).mapv(|v| v * v).sum()
}

#[differentiable(grad)]
fn cascade(x: &[f64]) -> f64 {
    let mut out: Vec<f64> = Vec::new();
    out.extend_from_slice(&x[..2]);
    for i in 0..x.len() {
        out.push(x[i] * x[i]);
    }
    out.pop();
    out.iter()
        .enumerate()
        .map(|(i, v)| v * (i as f64 + 1.0))
        .sum()
}

// running_means_are: running_means, running_means_value_and_grad, x: list(5) => (&x);
// total_variation_is: total_variation, total_variation_value_and_grad, x: matrix(3, 5) => (&x);
// fixed_kernel_is: fixed_kernel, fixed_kernel_value_and_grad, x: matrix(5, 4) => (&x);
// hash_is: hash_weights, hash_weights_value_and_grad, a: list(6) => (&a);
// symmetric_is: symmetric, symmetric_value_and_grad, a: matrix(3, 3) => (&a);
// cascade_is: cascade, cascade_value_and_grad, a: list(4) => (&a);
