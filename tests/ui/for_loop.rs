use cotangent::prelude::*;

#[differentiable]
fn f(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for part in x.rchunks(2) {
        total += part[0];
    }
    'outer: for i in 0..n {
        for j in 0..i {
            if x[j] > 1.0 {
                break 'outer;
            }
        }
    }
    let mut add = |v: f64| {
        total += v;
        total
    };
    add(x[0]) + sum(n, |i| {
        total -= x[i];
        total
    })
}

fn main() {}
