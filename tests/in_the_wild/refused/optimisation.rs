#[differentiable(grad)]
fn himmelblau([x, y]: [f64; 2]) -> f64 {
    (x * x + y - 11.0).powi(2) + (x + y * y - 7.0).powi(2)
}

#[differentiable(grad)]
fn booth(&[x, y]: &[f64; 2]) -> f64 {
    (x + 2.0 * y - 7.0).powi(2) + (2.0 * x + y - 5.0).powi(2)
}

#[differentiable(grad)]
fn beale((x, y): (f64, f64)) -> f64 {
    const TARGETS: [f64; 3] = [1.5, 2.25, 2.625];
    let mut total = 0.0;
    let mut power = 1.0;
    for t in TARGETS {
        power *= y;
        let r = t - x + x * power;
        total += r * r;
    }
    total
}

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
fn styblinski_tang(x: &[f64]) -> f64 {
    fn term(v: f64) -> f64 {
        v.powi(4) - 16.0 * v * v + 5.0 * v
    }
    0.5 * x.iter().map(|&v| term(v)).sum::<f64>()
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

// himmelblau_is: himmelblau, himmelblau_value_and_grad, x: [0.3, 0.7] => (x);
// booth_is: booth, booth_value_and_grad, x: [0.3, 0.7] => (&x);
// beale_is: beale, beale_value_and_grad, x: (0.3, 0.7) => (x);
// shekel_is: shekel, shekel_value_and_grad, x: [3.0, 4.5, 3.5, 6.0] => (&x);
// styblinski_is: styblinski_tang, styblinski_tang_value_and_grad, x: list(4) => (&x);
// powell_is: powell, powell_value_and_grad, x: list(8) => (&x);
