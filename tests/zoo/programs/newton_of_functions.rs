//! Newton's method as a function of functions, with a `while` loop inside, in any precision.
//!
//! @ a: in 0.5..3.0
//! @ a: 2.0
//! @ a: 1.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn newton_of_functions<T: Real>(a: T) -> T {
    let root = newton(|x| x * x - a, &|x| T::of(2.0) * x, T::of(1.0));
    let third = newton(|x| x * x * x - a, &|x| T::of(3.0) * x * x, root);
    root * third
}

#[differentiable]
fn newton<R: Real>(f: impl Fn(R) -> R, slope: &dyn Fn(R) -> R, start: R) -> R {
    let mut x = start;
    let mut rounds = 0;
    while f(x).abs() > R::of(1e-4) && rounds < 50 {
        x = x - f(x) / slope(x);
        rounds += 1;
    }
    x - f(x) / slope(x)
}
