use cotangent::prelude::*;

struct S;

impl S {
    #[differentiable]
    fn a(x: f64) -> f64 {
        Self::b(x) + S::b(x)
    }

    #[differentiable]
    fn b(x: f64) -> f64 {
        x
    }
}

// There is another macro of that name.
#[differentiable]
fn line(x: f64) -> f64 {
    x
}

#[differentiable]
fn f(x: f64) -> f64 {
    line(x)
}

fn main() {
    let _: f64 = S::a_grad(1.0) + S::b_grad(1.0) + line_grad(1.0) + f_grad(1.0);
}
