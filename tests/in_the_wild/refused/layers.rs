#[differentiable(grad)]
fn perceptron(layers: &[Dense; 2], x: &Array1<f64>) -> f64 {
    let mut h = x.clone();
    for layer in layers {
        h = (layer.w.dot(&h) + &layer.b).mapv(f64::tanh);
    }
    h.sum()
}

#[differentiable(grad)]
fn deep(weights: &[Array2<f64>; 3], x: &Array1<f64>) -> f64 {
    let mut h = x.to_owned();
    for w in weights.iter() {
        h = w.dot(&h).mapv(|v| v.tanh());
    }
    h.dot(&h)
}

#[differentiable(grad)]
fn deep_in_a_vector(weights: &[Array2<f64>], x: &Array1<f64>) -> f64 {
    let mut h = x.to_owned();
    for w in weights {
        h = w.dot(&h).mapv(|v| v.tanh());
    }
    h.dot(&h)
}

#[differentiable(grad)]
fn gram_of_points(points: &[Vec<f64>], scale: f64) -> f64 {
    let mut total = 0.0;
    for a in points {
        for b in points.iter() {
            let d2: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
            total += (-scale * d2).exp();
        }
    }
    total
}

#[differentiable(grad)]
fn heads(x: &Array2<f64>, heads: usize) -> f64 {
    let width = x.ncols() / heads;
    let mut total = 0.0;
    for (h, part) in x.axis_chunks_iter(Axis(1), width).enumerate() {
        total += part.sum().powi(2) * (h + 1) as f64;
    }
    total + x.slice_axis(Axis(1), ndarray::Slice::from(..width)).sum()
}

#[differentiable(grad)]
fn residual_iteration(a: &Array2<f64>, b: &Array1<f64>, tolerance: f64) -> f64 {
    let mut r = b.clone();
    let mut steps = 0;
    while r.dot(&r) > tolerance && steps < 50 {
        r = &r - &a.dot(&r);
        steps += 1;
    }
    r.sum()
}

// perceptron_is: perceptron, perceptron_value_and_grad, l: [dense(3, 2), dense(3, 3)], x: vector(2) => (&l, &x);
// perceptron_by_widths_is: perceptron, perceptron_value_and_grad, l: [dense(4, 2), dense(1, 4)], x: vector(2) => (&l, &x);
// deep_is: deep, deep_value_and_grad, l: [matrix(4, 2), matrix(3, 4), matrix(2, 3)], x: vector(2) => (&l, &x);
// deep_in_a_vector_is: deep_in_a_vector, deep_in_a_vector_value_and_grad, l: vec![matrix(3, 3), matrix(3, 3)], x: vector(3) => (&l, &x);
// gram_is: gram_of_points, gram_of_points_value_and_grad, x: vec![list(2), list(2), list(2)], g: 0.7 => (&x, g);
// heads_are: heads, heads_value_and_grad, x: matrix(3, 6) => (&x, 2);
// residual_is: residual_iteration, residual_iteration_value_and_grad, a: (matrix(3, 3) * 0.3 + Array2::<f64>::eye(3) * 0.6), b: vector(3); t: 1e-3 => (&a, &b, t);
