//! A list that is collected anew from itself in a loop inside of another one, and changed there in
//! some of the arms.
//!
//! @ x: [5]; k: 1
//! @ x: [9]; k: 4
//! @ x: [1]; k: 6
//! @ x: [0]; k: 3

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn collected_again_in_while<T: Real>(x: &Array1<T>, k: usize) -> T {
    let n = x.len();
    let mut s = T::of(0.25);
    let mut y = if k > 3 {
        build(n, |i| x[i] * s)
    } else {
        x + s
    };
    let mut rounds = 0;
    while rounds < 3 {
        rounds += 1;
        match (k + rounds) % 4 {
            0 => {}
            1 | 2 => {
                for i in 1..n {
                    y[(k + i) % n] -= x[n - 1 - i].tanh();
                    s += T::of(0.1) * y[i];
                }
            }
            _ => s = s.sin(),
        }
        for i in 1..2 {
            y = (0..n).map(|j| y[j] * T::from_usize(i)).collect::<Array1<_>>();
        }
        let folded = |a: T| y.iter().step_by(2).fold(a, |t, &b| (t * b).sin());
        s += y.iter().skip(1).map(|&a| folded(a)).sum::<T>();
    }
    s + y.sum()
}
