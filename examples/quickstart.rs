//! Logistic regression on generated data, fitted by gradient descent with the generated gradient.

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

/// The mean negative log-likelihood of labels `y` (0 or 1) under weights `w` and bias `b`, with a
/// little weight decay.
#[differentiable(wrt(w, b))]
fn loss(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let data = mean(y.len(), |i| {
        let z = sum(w.len(), |j| x[[i, j]] * w[j]) + b;
        softplus(z) - y[i] * z
    });
    data + 1e-3 * sum(w.len(), |j| w[j] * w[j])
}

fn main() {
    let (n, d) = (2000, 5);
    let truth = Array1::from(vec![1.5, -2.0, 0.5, 0.0, 3.0]);
    let mut random = Random(42);
    let x = Array2::from_shape_simple_fn((n, d), || random.uniform());
    let y = Array1::from_shape_fn(n, |i| {
        let z = x.row(i).dot(&truth) - 0.4 + 0.5 * random.uniform();
        f64::from(u8::from(z > 0.0))
    });

    let mut w = Array1::zeros(d);
    let mut b = 0.0;
    for step in 0..=200 {
        let (value, (dw, db)) = loss_value_and_grad(&w, b, &x, &y);
        if step % 20 == 0 {
            println!("step {step:3}  loss {value:.6}");
        }
        w.scaled_add(-2.0, &dw);
        b -= 2.0 * db;
    }

    let right = (0..n)
        .filter(|&i| (x.row(i).dot(&w) + b > 0.0) == (y[i] > 0.5))
        .count();
    println!("accuracy {:.1} %", 100.0 * right as f64 / n as f64);
    println!("weights {w:.2}, bias {b:.2}");
}

/// A small generator, so that the example needs no further crate.
struct Random(u64);

impl Random {
    /// Uniform in −1..1.
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
