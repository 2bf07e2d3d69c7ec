use cotangent::prelude::*;

#[differentiable]
fn f(x: f64, n: usize) -> f64 {
    let mut y = x;
    while let Some(_) = n.checked_sub(1) {
        y += 1.0;
    }
    while y > 1.0 {
        let z = &mut y;
        *z *= 0.5;
    }
    loop {
        y /= 2.0;
        assert!(y > 0.0);
    }
}

fn main() {}
