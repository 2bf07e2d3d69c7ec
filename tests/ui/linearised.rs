use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
struct Model {
    weight: f64,
}

impl Model {
    #[differentiable(grad, linearize)]
    fn method(self: &Model, x: f64) -> f64 {
        self.weight * x * x
    }
}

#[differentiable(linearize(x))]
fn with_word(x: f64) -> f64 {
    x * x
}

fn main() {
    let _ = Model { weight: 1.0 }.method_grad(2.0);
}
