use cotangent::prelude::*;

trait Cube {
    fn cube(self) -> f64;
}
impl Cube for f64 {
    fn cube(self) -> f64 {
        self * self * self
    }
}

#[differentiable]
fn f(x: f64) -> f64 {
    x.cube()
}

fn main() {}
