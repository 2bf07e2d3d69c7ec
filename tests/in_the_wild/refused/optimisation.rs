#[differentiable(grad)]
fn powell(x: &[f64]) -> f64 {
    x.chunks(4)
        .map(|c| {
            (c[0] + 10.0 * c[1]).powi(2)
                + 5.0 * (c[2] - c[3]).powi(2)
                + (c[1] - 2.0 * c[2]).powi(4)
                + 10.0 * (c[0] - c[3]).powi(4)
        })
        .sum()
}

// powell_is: powell, powell_value_and_grad, x: list(8) => (&x);
