use cotangent::prelude::*;

mod foreign {
    pub fn thing(x: f64) -> f64 {
        x
    }
}

use foreign::thing;

#[differentiable]
fn f(x: f64) -> f64 {
    foreign::thing(x) + foreign::thing(2.0 * x)
}

#[differentiable]
fn g(x: f64) -> f64 {
    thing(x) + sum(3, |i| thing(x * i as f64))
}

fn main() {}
