/// Elements that leave a list from its beginning.
#[differentiable(grad)]
fn settled_in_order(payments: &[f64], due: usize, rate: f64) -> f64 {
    let mut open = payments.to_vec();
    let settled: f64 = open.drain(..due).sum();
    settled + rate * open.iter().sum::<f64>()
}
