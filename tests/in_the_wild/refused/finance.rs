#[differentiable(grad)]
fn curve(knots: &[(f64, f64)], t: f64) -> f64 {
    let mut value = knots[0].1;
    for w in knots.windows(2) {
        let ((t0, y0), (t1, y1)) = (w[0], w[1]);
        if t >= t0 && t <= t1 {
            value = y0 + (y1 - y0) * (t - t0) / (t1 - t0);
        }
    }
    value
}

#[differentiable(grad)]
fn bilinear_surface(table: &Vec<Vec<f64>>, x: f64, y: f64) -> f64 {
    let (i, j) = (x.floor() as usize, y.floor() as usize);
    let (fx, fy) = (x - i as f64, y - j as f64);
    table[i][j] * (1.0 - fx) * (1.0 - fy)
        + table[i + 1][j] * fx * (1.0 - fy)
        + table[i][j + 1] * (1.0 - fx) * fy
        + table[i + 1][j + 1] * fx * fy
}

#[differentiable(grad)]
fn weights_and_values(pairs: &[(f64, f64)]) -> f64 {
    let (weights, values): (Vec<f64>, Vec<f64>) = pairs.iter().cloned().unzip();
    let total: f64 = weights.iter().sum();
    weights
        .iter()
        .zip(values.iter())
        .map(|(w, v)| w / total * v)
        .sum()
}

// curve_is: curve, curve_value_and_grad, k: vec![(0.0, 1.0), (1.0, 2.0), (2.0, 1.5)], t: 1.3 => (&k, t);
// surface_is: bilinear_surface, bilinear_surface_value_and_grad, t: vec![list(3), list(3), list(3)], x: 0.4, y: 1.3 => (&t, x, y);
// weights_are: weights_and_values, weights_and_values_value_and_grad, p: vec![(0.4, 0.3), (0.5, 1.0)] => (&p);
