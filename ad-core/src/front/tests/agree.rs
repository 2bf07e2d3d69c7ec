//! The same tokens as Rust, compiled by rustc, and as Core, interpreted.

#![allow(
    clippy::double_ended_iterator_last,
    reason = "this is a form that users write"
)]

use crate::ir::value::{Tensor, Value};

pub(super) trait Input {
    fn input(&self) -> Value;
}
impl Input for f64 {
    fn input(&self) -> Value {
        Value::Real(Tensor::scalar(*self))
    }
}
impl Input for usize {
    fn input(&self) -> Value {
        Value::Int(Tensor::scalar(i64::try_from(*self).unwrap()))
    }
}
impl Input for i64 {
    fn input(&self) -> Value {
        Value::Int(Tensor::scalar(*self))
    }
}
impl Input for &[f64] {
    fn input(&self) -> Value {
        Value::Real(Tensor::new(vec![self.len()], self.to_vec()))
    }
}

pub(super) fn sum(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(f).sum()
}
fn product(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(f).product()
}
fn maximum(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(f).fold(f64::NEG_INFINITY, f64::max)
}
fn mean(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    sum(n, f) / n as f64
}
fn stop_gradient(x: f64) -> f64 {
    x
}
pub(super) fn build(n: usize, f: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..n).map(f).collect()
}

/// A function on each list of arguments.
macro_rules! agree {
    (fn $name:ident($($arg:ident: $ty:ty),*) -> f64 $body:block $($args:tt)*) => {
        #[test]
        fn $name() {
            fn compiled($($arg: $ty),*) -> f64 $body
            fn inputs($($arg: $ty),*) -> Vec<$crate::ir::value::Value> {
                use $crate::front::tests::agree::Input;
                vec![$($arg.input()),*]
            }
            let source = stringify!(fn $name($($arg: $ty),*) -> f64 $body);
            let program = $crate::front::tests::annotated(source).program;
            $({
                let (expected, inputs) = (compiled $args, inputs $args);
                let found = $crate::ir::core_eval::eval(&program, &inputs).unwrap().0[0].real().data[0];
                let same = (found - expected).abs() <= 1e-12 * expected.abs()
                    || found == expected
                    || found.is_nan() && expected.is_nan();
                assert!(same, "{found} instead of {expected} at {}", stringify!($args));
            })*
        }
    };
}

agree! {
    fn functions(x: f64, y: f64) -> f64 {
        let (s, c) = x.sin_cos();
        let near = if x.is_finite() && !y.is_nan() { x.hypot(y).atan2(1.5) } else { -1.0 };
        s * c.powi(3) - x.rem_euclid(0.7) % 0.3 + y.to_radians() * x.to_degrees() + near
            + f64::max(x, y).mul_add(2.0, f64::from(3)) + x.abs().log(2.5)
    }
    (0.3, 1.2) (-2.5, 0.1) (f64::INFINITY, 0.0)
}

agree! {
    fn limits(x: f64, low: f64, high: f64) -> f64 {
        x.clamp(low, high) + 10.0 * f64::clamp(x * x, 0.25, high * 2.0)
    }
    (0.3, -1.0, 1.0) (-3.0, -1.0, 1.0) (3.0, -1.0, 1.0) (1.0, -1.0, 1.0) (f64::NAN, -1.0, 1.0)
    (f64::INFINITY, 0.0, 0.5) (0.4, 0.7, 0.7) (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY)
}

agree! {
    fn integers(n: usize, k: i64, x: f64) -> f64 {
        let a = n.saturating_sub(3) + n.abs_diff(5) + n.clamp(2, 4) + n.pow(2) % 7;
        let b = (k as u8) as i64 + (k as i8) as i64 - k.rem_euclid(5) * k / 2 + k.signum() * k.abs();
        let c = (x as u8) as usize + (x * 10.0) as usize + (x > 0.5) as usize;
        let d = if n.is_multiple_of(3) { n.div_ceil(2) } else { std::cmp::min(n, 2) };
        x * (a + c + d) as f64 + b as f64
    }
    (0, 3, 0.7) (4, -300, -2.9) (9, 1000, 301.5)
}

agree! {
    fn saturating_differences(k: i64, x: f64) -> f64 {
        let narrow = (k as i32).saturating_sub(3) as f64 + (k as i8).saturating_sub(-3) as f64;
        x * (narrow + k.saturating_sub(2) as f64 + k.saturating_sub(-2) as f64)
    }
    (0, 0.7) (i64::MIN, -2.9) (i64::MAX, 1.5) (i32::MIN as i64, 1.0) (127, 2.0)
}

agree! {
    fn comparisons_in_folds(x: &[f64]) -> f64 {
        let most = x.iter().copied().reduce(|a, b| if b > a { b } else { a }).unwrap_or(0.5);
        let least = x.iter().copied().reduce(|a, b| if a < b { a } else { b }).unwrap_or(0.5);
        let high = x.iter().fold(f64::NEG_INFINITY, |a, &b| if a > b { a } else { b });
        let low = x.iter().fold(f64::INFINITY, |a, &b| if a <= b { a } else { b });
        let top = x.iter().fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a });
        let code = |v: f64| if v.is_nan() { 7.0 } else if v.is_finite() { v } else { 5.0 };
        code(most) + 10.0 * code(least) + 1e2 * code(high) + 1e3 * code(low) + 1e4 * code(top)
    }
    (&[1.0, 3.0, 2.0]) (&[]) (&[f64::NAN, 1.0]) (&[1.0, f64::NAN, 2.0]) (&[1.0, f64::NAN])
}

agree! {
    fn arguments_that_filter(x: &[f64]) -> f64 {
        let sum: f64 = x.iter().chain(x.iter().filter(|v| **v > 1.5)).sum();
        let count = x.iter().chain(x.iter().take_while(|v| **v < 1.5)).count();
        let placed = x.iter().filter(|v| **v > 0.0).chain(x.iter().filter(|v| **v < 3.0));
        let placed = placed.enumerate().fold(0.5, |s, (i, v)| s * 0.5 + v * i as f64);
        let even: f64 = (0..x.len()).chain((0..x.len()).filter(|i| i % 2 == 0)).map(|i| x[i]).sum();
        let zipped: f64 = x.iter().zip(x.iter().filter(|v| **v > 1.5)).map(|(a, b)| a * b).sum();
        let mut list = x.to_vec();
        list.extend(x.iter().copied().filter(|v| *v > 1.5));
        list.extend(x.iter().filter_map(|v| if *v > 1.5 { Some(v * v) } else { None }));
        sum * count as f64 + placed * even + zipped + list.iter().sum::<f64>() * list.len() as f64
    }
    (&[1.0, 2.0]) (&[]) (&[-1.0, 2.5, 0.5, 3.5])
}

agree! {
    fn last_items(x: &[f64]) -> f64 {
        let last = x.iter().last().copied().unwrap_or(0.5) + x.iter().last().map_or(0.5, |v| v * v);
        let of_pairs = x.windows(2).map(|w| w[1] - w[0]).last().unwrap_or(0.25);
        last * of_pairs + if let Some(v) = x.iter().last() { v * 2.0 } else { 0.75 }
    }
    (&[1.0, 2.0]) (&[]) (&[-1.0])
}

agree! {
    fn items_of_a_body(x: f64, n: usize) -> f64 {
        use std::cmp;
        use std::f64::consts;
        fn outer(v: f64) -> f64 {
            inner(v) * SCALE
        }
        fn inner(v: f64) -> f64 {
            v.sin() + v
        }
        const SCALE: f64 = 0.5;
        outer(x) * consts::PI * cmp::max(n, 3) as f64
    }
    (0.5, 2) (1.5, 9)
}

agree! {
    fn choices(n: usize, k: i64, x: f64) -> f64 {
        let a = match (n, k > 0) {
            (0, true) => x,
            (1 | 2, _) => 2.0 * x,
            (m, false) if m % 2 == 0 => m as f64,
            (m, up) => if up { -(m as f64) } else { 0.5 },
        };
        let b = match k { ..=-1 => 1.0, 0..3 => x, 3 => 7.0, other => other as f64 };
        a + if x > 0.0 && a / x > 1.0 || b == x { b } else if !x.is_nan() && x >= -1.0 { 3.0 } else { b * b }
    }
    (0, 1, 0.5) (1, 0, -0.5) (4, -2, 2.0) (4, 3, 1.5) (5, 2, -3.0) (7, -9, 0.0) (0, 0, 0.25)
}

agree! {
    fn loops(x: &[f64], w: f64) -> f64 {
        const HALF: f64 = 0.5;
        let n = x.len();
        let square = |t: f64| { let u = t * w; u * u };
        let y = build(n - 1, |i| square(x[i + 1]) - square(x[i]));
        let x = mean(y.len(), |i| y[i]);
        let triangle = sum(n, |i| sum(i, |j| (i * j) as f64 * y[j]));
        let shift = stop_gradient(maximum(n - 1, |i| y[i]));
        let w = { let w = w + HALF; w * x };
        triangle + w * product(n - 1, move |i: usize| -> f64 { (y[i] - shift).exp() })
    }
    (&[1.0, 2.5, -0.5, 3.0], 0.3) (&[0.1, 0.2], -1.0)
}
