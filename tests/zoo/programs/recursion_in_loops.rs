//! A recursion whose calls are in loops: with a state, under a condition, and in one that ends by
//! itself.
//!
//! @ a: [3]; b: [3] in 0.5..1.5; depth: 3
//! @ a: [1]; b: [2] in 0.5..1.5; depth: 2
//! @ a: [2]; b: [1] in 0.5..1.5; depth: 0
//! @ for N in {9, 65} a: [N]; b: [N] in 0.5..1.5; depth: 4
//! @@ deep

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn recursion_in_loops(a: &Array1<f64>, b: &Array1<f64>, depth: usize) -> f64 {
    if depth == 0 {
        return a[0] * b[b.len() - 1];
    }
    let mut t = 0.1;
    for k in 0..depth {
        if k % 2 == 0 {
            t = (0.5 * t * recursion_in_loops(a, b, k)).sin() + a[k % a.len()];
        } else {
            t -= 0.3 * b[k % b.len()];
        }
    }
    let mut k = 0;
    while k < 2 && t.abs() < 2.0 {
        t += 0.2 * recursion_in_loops(a, b, depth - 1);
        k += 1;
    }
    t
}
