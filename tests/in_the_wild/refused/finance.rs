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
fn garch(returns: &[f64], omega: f64, alpha: f64, beta: f64) -> f64 {
    let mut sigma2 = vec![omega / (1.0 - alpha - beta)];
    for t in 1..returns.len() {
        let next = omega + alpha * returns[t - 1].powi(2) + beta * sigma2[t - 1];
        sigma2.push(next);
    }
    returns
        .iter()
        .zip(&sigma2)
        .map(|(r, s)| 0.5 * (s.ln() + r * r / s))
        .sum()
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
fn gauss_legendre(scale: f64) -> f64 {
    const NODES: [(f64, f64); 3] = [
        (-0.7745966692414834, 5.0 / 9.0),
        (0.0, 8.0 / 9.0),
        (0.7745966692414834, 5.0 / 9.0),
    ];
    NODES.iter().map(|&(x, w)| w * (scale * x).exp()).sum()
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
// garch_is: garch, garch_value_and_grad, r: list(6), o: 0.1, a: 0.2, b: 0.3 => (&r, o, a, b);
// surface_is: bilinear_surface, bilinear_surface_value_and_grad, t: vec![list(3), list(3), list(3)], x: 0.4, y: 1.3 => (&t, x, y);
// gauss_is: gauss_legendre, gauss_legendre_value_and_grad, s: 0.6 => (s);
// weights_are: weights_and_values, weights_and_values_value_and_grad, p: vec![(0.4, 0.3), (0.5, 1.0)] => (&p);
