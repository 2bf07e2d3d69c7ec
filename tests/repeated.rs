//! Arguments with one row, or one column, are repeated as ndarray repeats them.

use cotangent::Workspace;
use cotangent::prelude::*;
use ndarray::{Array, Array1, Array2, Array3, ArrayView2, Axis, Dimension, array};
use std::panic::catch_unwind;

const SIZES: [usize; 5] = [1, 9, 65, 300, 0];

/// Numbers between -1 and 1.
fn numbers<D: Dimension, S: ndarray::ShapeBuilder<Dim = D>>(shape: S, seed: f64) -> Array<f64, D> {
    let mut k = seed;
    Array::from_shape_simple_fn(shape, || {
        k += 1.0;
        (k * 12.9898).sin()
    })
}

#[track_caller]
fn close<D: Dimension>(a: &Array<f64, D>, b: &Array<f64, D>) {
    assert_eq!(a.shape(), b.shape());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()), "{a} is not {b}");
    }
}

#[differentiable(value, grad, vjp, jvp, hvp, into, taylor = 2)]
fn layer(x: &Array2<f64>, w: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let z = x.dot(w) + b;
    z.mapv(f64::tanh).sum()
}

/// The same for a bias that is a row.
#[differentiable(value, grad, vjp, jvp, hvp)]
fn layer_of_row(x: &Array2<f64>, w: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let z = x.dot(w) + b;
    z.mapv(f64::tanh).sum()
}

fn row(b: &Array2<f64>) -> Array1<f64> {
    b.row(0).to_owned()
}

fn as_row(b: Array1<f64>) -> Array2<f64> {
    b.insert_axis(Axis(0))
}

#[test]
fn a_bias_of_one_row() {
    for m in SIZES {
        for n in [1, 3, 9] {
            let (x, w, b) = (
                numbers((m, 4), 0.1),
                numbers((4, n), 0.2),
                numbers((1, n), 0.3),
            );
            let (dx, dw, db) = (
                numbers((m, 4), 0.4),
                numbers((4, n), 0.5),
                numbers((1, n), 0.6),
            );
            let value = layer(&x, &w, &b);
            let wanted = layer_of_row_grad(&x, &w, &row(&b));
            let (again, grad) = layer_value_and_grad(&x, &w, &b);
            assert!((value - again).abs() < 1e-10);
            for grad in [grad, layer_grad(&x, &w, &b), layer_vjp(&x, &w, &b, 1.0).1] {
                close(&grad.0, &wanted.0);
                close(&grad.1, &wanted.1);
                close(&grad.2, &as_row(wanted.2.clone()));
            }
            let (_, tangent) = layer_jvp(&x, &w, &b, &dx, &dw, &db);
            let (_, of_row) = layer_of_row_jvp(&x, &w, &row(&b), &dx, &dw, &row(&db));
            assert!((tangent - of_row).abs() < 1e-10);
            let hvp = layer_hvp(&x, &w, &b, &dx, &dw, &db);
            let of_row = layer_of_row_hvp(&x, &w, &row(&b), &dx, &dw, &row(&db));
            close(&hvp.2, &as_row(of_row.2));
            close(&hvp.1, &of_row.1);
            let series = layer_taylor(&x, &w, &b, &dx, &dw, &db);
            assert!((series[1] - tangent).abs() < 1e-10);
            let mut grads = (x.clone(), w.clone(), b.clone());
            let mut workspace = Workspace::new();
            layer_grad_into(&x, &w, &b, &mut grads, &mut workspace);
            close(&grads.2, &as_row(wanted.2));
        }
    }
}

#[test]
fn a_tangent_has_the_shape_of_its_argument() {
    let (x, w, b) = (
        numbers((5, 4), 0.1),
        numbers((4, 3), 0.2),
        numbers((1, 3), 0.3),
    );
    let wide = numbers((5, 3), 0.4);
    let failed = catch_unwind(|| layer_jvp(&x, &w, &b, &x, &w, &wide));
    assert!(failed.is_err());
    let failed = catch_unwind(|| layer_jvp(&x, &w, &wide, &x, &w, &b));
    assert!(failed.is_err());
}

/// Parameters of a normalisation.
#[derive(Clone, Debug, Differentiable)]
struct Normal {
    mean: Array2<f64>,
    deviation: Array2<f64>,
}

#[differentiable]
fn normalised(x: ArrayView2<'_, f64>, normal: &Normal) -> f64 {
    let z = (&x - &normal.mean) / &normal.deviation;
    (&z * &z * &z).sum()
}

/// Its gradient in the parameters, by hand.
fn by_hand(x: &Array2<f64>, normal: &Normal) -> Array2<f64> {
    let z = (x - &normal.mean) / &normal.deviation;
    z.mapv(|z| -3.0 * z * z) / &normal.deviation
}

#[test]
fn rows_columns_and_single_elements() {
    let sum = |g: Array2<f64>, shape: &[usize]| {
        let mut g = g;
        for axis in [Axis(0), Axis(1)] {
            if shape[axis.index()] == 1 {
                g = g.sum_axis(axis).insert_axis(axis);
            }
        }
        g
    };
    for m in SIZES {
        let n = 7;
        let x = numbers((m, n), 0.1);
        for a in [(1, n), (m, 1), (1, 1), (m, n)] {
            for b in [(1, n), (m, 1), (1, 1), (m, n)] {
                let normal = Normal {
                    mean: numbers(a, 0.2),
                    deviation: numbers(b, 0.3) + 2.0,
                };
                let (dx, grad) = normalised_grad(x.view(), &normal);
                assert_eq!(dx.dim(), x.dim());
                close(&grad.mean, &sum(by_hand(&x, &normal), normal.mean.shape()));
            }
        }
    }
}

#[differentiable(value, vjp)]
fn of_thirds(a: &Array3<f64>, b: &Array3<f64>, c: &Array3<f64>) -> Array3<f64> {
    -a * b + c + c[[0, 0, 0]]
}

/// Each operand may be the one that is repeated; `c` is read by index, too, so it is not.
#[test]
fn operands_that_repeat_each_other() {
    let (a, b, c) = (
        numbers((1, 9, 5), 0.1),
        numbers((4, 1, 5), 0.2),
        numbers((4, 9, 5), 0.3),
    );
    close(&of_thirds_value(&a, &b, &c), &of_thirds(&a, &b, &c));
    let short = numbers((1, 9, 5), 0.3);
    let failed = catch_unwind(|| of_thirds_value(&a, &b, &short));
    assert!(failed.is_err());
}

#[differentiable]
fn with_penalty(x: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (x * b).mapv(f64::exp).sum() + 0.1 * (b * b).sum()
}

/// What is read in another way as well has the shape of its operands, or the call ends.
#[test]
fn what_is_read_otherwise_is_not_repeated() {
    let x = numbers((9, 3), 0.1);
    let full = numbers((9, 3), 0.2);
    assert_eq!(with_penalty_grad(&x, &full).1.dim(), (9, 3));
    let b = numbers((1, 3), 0.2);
    let failed = catch_unwind(|| with_penalty_grad(&x, &b));
    let message = *failed
        .expect_err("it ends")
        .downcast::<String>()
        .expect("a text");
    assert!(
        message.contains("`b` has 1 rows") && message.contains('9'),
        "{message}"
    );
}

#[differentiable]
fn with_two(x: &Array2<f64>, y: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (x + b).mapv(f64::exp).sum() * (y - b).mapv(f64::sin).sum()
}

#[test]
fn operands_of_two_shapes() {
    let b = numbers((1, 3), 0.2);
    let (x, y) = (numbers((9, 3), 0.1), numbers((9, 3), 0.5));
    let (_, _, db) = with_two_grad(&x, &y, &b);
    let h = 1e-6;
    let mut moved = b.clone();
    moved[[0, 1]] += h;
    let difference = (with_two(&x, &y, &moved) - with_two(&x, &y, &b)) / h;
    assert!((db[[0, 1]] - difference).abs() < 1e-2 * difference.abs());
    // One row would have two lengths at once.
    let other = numbers((4, 3), 0.5);
    assert!(catch_unwind(|| with_two_grad(&x, &other, &b)).is_err());
    // Where it has the rows of one of them, it is not repeated for the other either.
    let one = numbers((1, 3), 0.5);
    assert!(catch_unwind(|| with_two_grad(&x, &one, &b)).is_err());
}

#[differentiable(grad)]
fn steps(x: &Array2<f64>, w: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let mut z = x.to_owned();
    for _ in 0..3 {
        z = (z.dot(w) + b).mapv(f64::tanh);
    }
    z.sum()
}

#[test]
fn in_a_loop() {
    for m in SIZES {
        let (x, w, b) = (
            numbers((m, 4), 0.1),
            numbers((4, 4), 0.2),
            numbers((1, 4), 0.3),
        );
        let wide = b.broadcast((m, 4)).expect("it repeats").to_owned();
        let wanted = steps_grad(&x, &w, &wide);
        let grad = steps_grad(&x, &w, &b);
        close(&grad.1, &wanted.1);
        close(&grad.2, &as_row(wanted.2.sum_axis(Axis(0))));
    }
}

#[differentiable(grad)]
fn singles(x: &Array1<f32>, scale: &Array1<f32>) -> f32 {
    (x * scale).mapv(f32::sin).sum()
}

#[test]
fn one_element_of_f32() {
    let x = array![0.5_f32, 1.5, -1.0];
    let scale = array![0.25_f32];
    let (dx, dscale) = singles_grad(&x, &scale);
    let wanted: f32 = x.iter().map(|x| x * (0.25 * x).cos()).sum();
    assert_eq!(dx.len(), 3);
    assert!((dscale[0] - wanted).abs() < 1e-6);
}

#[differentiable]
fn checked(x: &Array2<f64>, b: Option<&Array2<f64>>) -> Option<f64> {
    if x.ncols() == 0 {
        return None;
    }
    let z = match b {
        Some(b) => x + b,
        None => x.to_owned(),
    };
    Some((&z * &z).sum())
}

#[differentiable(noinline)]
fn unit(x: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (x + b).mapv(f64::sin).sum()
}

#[differentiable]
fn caller(x: &Array2<f64>, b: &Array2<f64>) -> f64 {
    unit(x, b).powi(2)
}

#[differentiable]
fn over_a_list(xs: &[Array2<f64>], b: &Array2<f64>) -> f64 {
    let mut total = 0.0;
    for x in xs {
        total += (x + b).mapv(f64::exp).sum();
    }
    total
}

/// Where an argument may be missing, where the function may fail, in a list, and in a function that
/// others call as a unit: these have the shapes that the unit says.
#[test]
fn in_other_surroundings() {
    let (x, b) = (numbers((9, 3), 0.1), numbers((1, 3), 0.2));
    let wide = b.broadcast((9, 3)).expect("it repeats").to_owned();
    let of = |g: Array2<f64>| as_row(g.sum_axis(Axis(0)));
    let (_, db) = checked_grad(&x, Some(&b)).expect("a value");
    let (_, wanted) = checked_grad(&x, Some(&wide)).expect("a value");
    close(&db.expect("given"), &of(wanted.expect("given")));
    assert!(checked_grad(&x, None).expect("a value").1.is_none());
    assert!(checked_grad(&numbers((3, 0), 0.1), None).is_none());
    close(&unit_grad(&x, &b).1, &of(unit_grad(&x, &wide).1));
    assert_eq!(caller_grad(&x, &wide).1.dim(), (9, 3));
    assert!(catch_unwind(|| caller_grad(&x, &b)).is_err());
    let xs = [x.clone(), x];
    let (_, db) = over_a_list_grad(&xs, &b);
    close(&db, &of(over_a_list_grad(&xs, &wide).1));
}
