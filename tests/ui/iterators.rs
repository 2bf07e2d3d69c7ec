use cotangent::ndarray::Array2;
use cotangent::prelude::*;

#[differentiable]
fn f(x: &[f64], a: &Array2<f64>) -> f64 {
    let positive: Vec<f64> = x.iter().copied().filter(|v| *v > 0.0).collect();
    let largest = x.iter().copied().max_by(|p, q| q.total_cmp(&p.abs())).unwrap();
    let pairs = x.rchunks(2).map(|c| c[0]).sum::<f64>();
    let rows = a.rows().into_iter().map(|r| r.to_owned()).collect::<Vec<_>>();
    positive[0] + largest + pairs + rows[0][0]
}

#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let kept = x.iter().filter(|v| **v > 0.0);
    x.iter().chain(kept).sum()
}

fn main() {}
