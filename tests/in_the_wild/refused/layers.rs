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

// heads_are: heads, heads_value_and_grad, x: matrix(3, 6) => (&x, 2);
// residual_is: residual_iteration, residual_iteration_value_and_grad, a: (matrix(3, 3) * 0.3 + Array2::<f64>::eye(3) * 0.6), b: vector(3); t: 1e-3 => (&a, &b, t);
