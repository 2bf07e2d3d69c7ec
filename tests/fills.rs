//! Loops that fill arrays: the generated functions give what the function as written gives, and
//! panic exactly where it does.

use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `f` gives, or nothing if it panics.
fn outcome<T>(f: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(f)).ok()
}

/// Whether both panicked, or gave the same but for rounding.
fn agree(a: &Option<Array2<f64>>, b: &Option<Array2<f64>>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return a.is_none() && b.is_none();
    };
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-14 * (1.0 + x.abs());
    a.dim() == b.dim() && a.iter().zip(b).all(close)
}

/// A function of an array, an array to be filled and sizes, its compiled form, and its derivative:
/// for all small shapes they give the same, or all panic. `with` says how many columns there are at
/// least.
macro_rules! agrees {
    ($($name:ident $value:ident $vjp:ident $(with $columns:literal)?),* $(,)?) => {$(
        #[test]
        fn $name() {
            let (mut given, mut refused) = (0, 0);
            for (rows, columns) in [(0, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (4, 0), (0, 4)] {
                let least = [0_usize $(, $columns)?];
                if least.iter().any(|n| columns < *n) {
                    continue;
                }
                for length in 0..5 {
                    for shift in 0..3 {
                        let a = Array2::from_shape_fn((rows, columns), |(i, j)| 1.0 + (i * 3 + j) as f64);
                        let x = Array1::from_shape_fn(length, |i| (i as f64) - 1.5);
                        let written = outcome(|| super::$name(a.clone(), &x, shift));
                        let compiled = outcome(|| super::$value(a.clone(), &x, shift));
                        let case = format!("{rows} x {columns}, {length}, {shift}");
                        assert!(agree(&written, &compiled), "{case}: {written:?}, {compiled:?}");
                        let cotangent = match &written {
                            Some(result) => result.clone(),
                            None => a.clone(),
                        };
                        let derived = outcome(|| super::$vjp(a.clone(), &x, shift, &cotangent).0);
                        match &written {
                            Some(_) => given += 1,
                            None => refused += 1,
                        }
                        assert!(agree(&written, &derived), "{case}: {written:?}, {derived:?}");
                    }
                }
            }
            assert!(given > 0 && refused > 0, "{given} given, {refused} refused");
        }
    )*};
}

#[differentiable(value, vjp)]
fn nested(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        for j in 0..shift {
            a[[i, j]] = 2.0 * x[i] + j as f64;
        }
    }
    a
}

#[differentiable(value, vjp)]
fn columns_first(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for j in 0..shift {
        for i in 0..x.len() {
            a[[i, j]] = x[i] * x[i];
        }
    }
    a
}

#[differentiable(value, vjp)]
fn triangle(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        for j in 0..i + shift {
            a[[i, j]] = x[i] + a[[i, j]] * j as f64;
        }
    }
    a
}

#[differentiable(value, vjp)]
fn upper_triangle(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        for j in i + 1..x.len() + shift {
            a[[i, j]] *= x[i];
        }
    }
    a
}

#[differentiable(value, vjp)]
fn lower_part_of_own_rows(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in shift..a.nrows() {
        for j in 0..i {
            a[[i, j]] += x[j];
        }
    }
    a
}

#[differentiable(value, vjp)]
fn under_condition(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            a[[i, shift]] = x[i].sqrt();
        }
    }
    a
}

#[differentiable(value, vjp)]
fn nested_under_condition(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        for j in 0..shift {
            if x[i] > 0.0 && i != j {
                a[[i, j]] = x[i].sqrt();
            }
        }
    }
    a
}

#[differentiable(value, vjp)]
fn loop_under_condition(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    if x.len() > 2 {
        for i in 0..shift {
            a[[i, 0]] = x[i] * 3.0;
        }
    }
    a
}

#[differentiable(value, vjp)]
fn rows_under_condition(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            for j in 0..shift {
                a[[i, j]] = x[i] * 3.0;
            }
        }
    }
    a
}

#[differentiable(value, vjp)]
fn shifted(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        a[[i + shift, 0]] = x[i] * 3.0;
    }
    a
}

#[differentiable(value, vjp)]
fn backwards(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    let n = x.len();
    for i in 0..n {
        for j in 0..shift {
            a[[n - 1 - i, j]] = x[i] * 3.0;
        }
    }
    a
}

#[differentiable(value, vjp)]
fn again_and_again(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for _ in 0..shift {
        for i in 0..x.len() {
            a[[i, 1]] = (a[[i, 1]] * x[i]).sin();
        }
    }
    a
}

#[differentiable(value, vjp)]
fn products(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    let n = x.len();
    for i in 0..n {
        for j in 0..n {
            for k in 0..shift + 1 {
                a[[i, j]] += x[i] * x[j] * k as f64;
            }
        }
    }
    a
}

#[differentiable(value, vjp)]
fn data_decide(mut a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    for i in 0..x.len() {
        let from = if x[i] > 0.0 { shift } else { 0 };
        for j in 0..from {
            a[[i, j]] = x[i];
        }
    }
    a
}

#[differentiable(value, vjp)]
fn local(a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    let mut y = Array1::zeros(a.nrows());
    for i in shift..x.len() {
        if x[i] < 1.0 {
            y[i - shift] = x[i] * 2.0;
        }
    }
    let mut b = a.clone();
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            b[[i, j]] = a[[i, j]] * y[i];
        }
    }
    b
}

#[differentiable(value, vjp)]
fn in_build(a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    build((a.nrows(), a.ncols()), |(i, j)| {
        let mut y = Array1::zeros(shift + 1);
        for k in 0..x.len() {
            y[k] = a[[i, j]] * x[k];
        }
        y.sum()
    })
}

#[differentiable(value, vjp)]
fn sequential_around(a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    let mut state = x.to_owned();
    for _ in 0..shift {
        let mut next = Array1::zeros(a.nrows());
        for i in 0..x.len() {
            next[i] = state[i] * state[i] - 0.1;
        }
        for i in 0..x.len() {
            state[i] = next[i].cos();
        }
    }
    let total: f64 = state.sum();
    a * total
}

/// A fill that demands on entry that the array is long enough, when it is not called.
#[differentiable(value, vjp)]
fn filled(mut a: Array2<f64>, x: &Array1<f64>) -> Array2<f64> {
    for i in 0..x.len() {
        a[[i, 0]] = x[i] * 2.0;
    }
    a
}

#[differentiable(value, vjp)]
fn filled_by_a_call(a: Array2<f64>, x: &Array1<f64>, shift: usize) -> Array2<f64> {
    let mut b = a;
    for k in 0..shift {
        if k > 0 {
            b = filled(b, x);
        }
    }
    b
}

mod tests {
    use super::*;

    agrees!(
        nested nested_value nested_vjp,
        columns_first columns_first_value columns_first_vjp,
        triangle triangle_value triangle_vjp,
        upper_triangle upper_triangle_value upper_triangle_vjp,
        lower_part_of_own_rows lower_part_of_own_rows_value lower_part_of_own_rows_vjp,
        under_condition under_condition_value under_condition_vjp,
        nested_under_condition nested_under_condition_value nested_under_condition_vjp,
        loop_under_condition loop_under_condition_value loop_under_condition_vjp,
        rows_under_condition rows_under_condition_value rows_under_condition_vjp,
        shifted shifted_value shifted_vjp with 1,
        backwards backwards_value backwards_vjp,
        again_and_again again_and_again_value again_and_again_vjp with 2,
        products products_value products_vjp,
        data_decide data_decide_value data_decide_vjp,
        local local_value local_vjp,
        in_build in_build_value in_build_vjp,
        filled_by_a_call filled_by_a_call_value filled_by_a_call_vjp with 1,
        sequential_around sequential_around_value sequential_around_vjp,
    );
}
