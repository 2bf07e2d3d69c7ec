#[differentiable(grad)]
fn shekel(x: &[f64; 4]) -> f64 {
    let mut total = 0.0;
    for i in 0..5 {
        let mut d = SHEKEL_C[i];
        for j in 0..4 {
            d += (x[j] - SHEKEL_A[i][j]).powi(2);
        }
        total -= 1.0 / d;
    }
    total
}

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

// shekel_is: shekel, shekel_value_and_grad, x: [3.0, 4.5, 3.5, 6.0] => (&x);
// powell_is: powell, powell_value_and_grad, x: list(8) => (&x);
