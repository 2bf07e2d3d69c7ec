use cotangent::prelude::*;
use cotangent::ndarray::Array1;

fn helper(x: f64) -> f64 {
    x
}

trait Checked {
    fn checked(&self) -> Option<f64>;
}

impl Checked for f64 {
    fn checked(&self) -> Option<f64> {
        (*self > 0.0).then_some(*self)
    }
}

#[differentiable(value_and_grad)]
fn f(x: &Array1<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    'all: for i in 0..n {
        total += x[i];
        if total > 1.0 {
            break 'all;
        }
    }
    let y = helper(total);
    let shifted = x + 1.0;
    let z = y * 2.0;
    z + sum(n, |i| helper(shifted[i])) + x.iter().map_while(|v| v.checked()).sum::<f64>()
}

fn main() {}
