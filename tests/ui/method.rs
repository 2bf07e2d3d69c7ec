use cotangent::prelude::*;

#[derive(Differentiable)]
struct Model {
    w: f64,
}

impl Model {
    #[differentiable]
    fn changes(&mut self, x: f64) -> f64 {
        self.w * x
    }

    #[differentiable]
    fn missing(&self, x: f64) -> f64 {
        self.v * x
    }
}

fn main() {}
