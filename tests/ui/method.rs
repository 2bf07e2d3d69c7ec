use cotangent::prelude::*;

#[derive(Differentiable)]
struct Model {
    w: f64,
}

impl Model {
    #[differentiable]
    fn changes(mut self, x: f64) -> f64 {
        self.w *= x;
        self.w
    }

    #[differentiable]
    fn hides(&mut self, x: f64) -> f64 {
        let self_ = x;
        self.w += self_;
        self.w
    }

    #[differentiable]
    fn calls(&self, x: f64) -> f64 {
        self.plain() * x
    }

    fn plain(&self) -> f64 {
        self.w
    }
}

fn main() {}
