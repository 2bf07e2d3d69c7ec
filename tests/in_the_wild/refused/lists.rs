#[differentiable(grad)]
fn reversed_by_a_stack(x: &[f64]) -> f64 {
    let mut stack = x.to_vec();
    let mut total = 0.0;
    while let Some(v) = stack.pop() {
        total = 0.5 * total + v * v;
    }
    total
}

#[differentiable(grad)]
fn eliminated_in_rows(a: &[Vec<f64>]) -> f64 {
    let mut m: Vec<Vec<f64>> = a.to_vec();
    for k in 1..m.len() {
        m[k][0] -= m[k - 1][0];
    }
    m[0][0]
}

#[differentiable(grad)]
fn largest_so_far(x: &[f64]) -> f64 {
    let mut best: Option<f64> = None;
    for &v in x {
        best = match best {
            Some(b) if b > v => Some(b),
            _ => Some(v),
        };
    }
    best.unwrap_or(0.0)
}
