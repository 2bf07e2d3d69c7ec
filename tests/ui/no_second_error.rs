use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;

// All that is wrong is inside of the functions: those who call what was promised are not to blame.

fn helper(x: f64) -> f64 {
    x
}

#[differentiable]
fn body(w: &Array2<f64>, b: &[f64], n: usize) -> f64 {
    helper(w[[n, n]]) * b[0]
}

#[differentiable(value, vjp, jvp)]
fn array(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| helper(x[i]))
}

#[differentiable(wrt(x))]
fn argument(x: f64, other: &Box<f64>) -> f64 {
    x * **other
}

#[differentiable(gard)]
fn attribute(x: f64) -> f64 {
    x
}

struct Model;

impl Model {
    #[differentiable]
    fn associated(x: f64) -> f64 {
        helper(x)
    }

    fn calls() -> f64 {
        Self::associated_grad(1.0)
    }
}

fn main() {
    let w = Array2::<f64>::zeros((2, 2));
    let (dw, db): (Array2<f64>, Vec<f64>) = body_grad(&w, &[1.0], 1);
    let (value, (dw, _)) = body_value_and_grad(&(w + dw), &db, 1);
    let x: Array1<f64> = dw.row(0).to_owned() * value;
    let (y, dx) = array_vjp(&x, &x);
    let (y, dy) = array_jvp(&(y + dx), &y);
    let dz: f64 = argument_grad(y[0] + dy[0] + array_value(&x)[0], &Box::new(1.0));
    let (value, slope) = argument_value_and_grad(dz, &Box::new(1.0));
    println!("{} {}", attribute_grad(value + slope) + 1.0, Model::calls());
}
