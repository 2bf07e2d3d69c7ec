use cotangent::prelude::*;

struct S;

impl S {
    #[differentiable]
    fn f(&self, x: f64) -> f64 {
        x
    }
}

fn main() {}
