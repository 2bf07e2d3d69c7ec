//! What generated functions say about arguments that do not fit, and that they refuse exactly what
//! the function as written refuses.

use cotangent::ndarray::{Array1, Array2, Array3, ArrayView2, array, s};
use cotangent::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message that `f` panics with, or `None` if it returns.
fn panic_of<T>(f: impl FnOnce() -> T) -> Option<String> {
    let outcome = catch_unwind(AssertUnwindSafe(f));
    outcome.err().map(|payload| {
        (payload.downcast_ref::<String>().cloned())
            .or_else(|| payload.downcast_ref::<&str>().map(|&s| s.to_owned()))
            .unwrap_or_default()
    })
}

/// `f` panics with this message.
#[track_caller]
fn says<T>(f: impl FnOnce() -> T, message: &str) {
    assert_eq!(panic_of(f).as_deref(), Some(message));
}

/// `f` panics with a message that has all of these parts.
#[track_caller]
fn mentions<T>(f: impl FnOnce() -> T, parts: &[&str]) {
    let said = panic_of(f).expect("it should panic");
    for part in parts {
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
}

#[differentiable(value, grad, vjp, jvp)]
fn loss(w: &Array2<f64>, x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    sum(y.len(), |i| {
        let r = sum(x.len(), |j| w[[i, j]] * x[j]) - y[i];
        r * r
    })
}

#[test]
fn at_least_as_long_as_is_read() {
    let w = Array2::<f64>::ones((2, 3));
    let [x3, x4] = [3, 4].map(Array1::<f64>::ones);
    let [y2, y5] = [2, 5].map(Array1::<f64>::ones);
    let columns = "`w` has 3 columns but `x` has 4 elements (w.ncols() must be at least x.len())";
    let rows = "`w` has 2 rows but `y` has 5 elements (w.nrows() must be at least y.len())";
    says(|| loss_grad(&w, &x4, &y2), &format!("loss_grad: {columns}"));
    says(
        || loss_value_and_grad(&w, &x4, &y2),
        &format!("loss_value_and_grad: {columns}"),
    );
    says(
        || loss_value(&w, &x4, &y2),
        &format!("loss_value: {columns}"),
    );
    says(
        || loss_vjp(&w, &x4, &y2, 1.0),
        &format!("loss_vjp: {columns}"),
    );
    says(
        || loss_jvp(&w, &x4, &y2, &w, &x4, &y2),
        &format!("loss_jvp: {columns}"),
    );
    says(|| loss_grad(&w, &x3, &y5), &format!("loss_grad: {rows}"));
    // Longer is fine, and what is not read has derivative 0.
    let wide = Array2::<f64>::ones((3, 7));
    let (dw, ..) = loss_grad(&wide, &x3, &y2);
    assert_eq!(dw.dim(), (3, 7));
    assert_eq!(
        dw.slice(s![2.., ..]).sum() + dw.slice(s![.., 3..]).sum(),
        0.0
    );
}

#[test]
fn a_sum_over_nothing_reads_nothing() {
    let none = Array1::<f64>::zeros(0);
    let some = Array1::<f64>::ones(4);
    for (rows, columns) in [(0, 0), (0, 9), (3, 0), (3, 2)] {
        let w = Array2::<f64>::ones((rows, columns));
        // No rounds of the outer sum: the inner one is never reached.
        assert_eq!(loss(&w, &some, &none), 0.0);
        assert_eq!(
            loss_grad(&w, &some, &none),
            (w.clone() * 0.0, &some * 0.0, none.clone())
        );
    }
    // No rounds of the inner sum: `w` is not read, `y` is.
    let w = Array2::<f64>::zeros((0, 0));
    assert_eq!(loss(&w, &none, &some), 4.0);
    assert_eq!(loss_grad(&w, &none, &some).2, &some * 2.0);
}

#[differentiable(value, grad, vjp, jvp)]
#[allow(clippy::len_zero)]
fn first(x: &[f64]) -> f64 {
    if x.len() > 0 { x[0] * x[0] } else { 7.0 }
}

#[differentiable]
fn tenth(x: &Array1<f64>, scale: f64) -> f64 {
    if scale > 0.0 { scale * x[10] } else { scale }
}

#[differentiable]
fn last(x: &Array1<f64>) -> f64 {
    x[x.len() - 1]
}

#[test]
fn only_reads_that_are_sure_to_happen() {
    assert_eq!(first_value_and_grad(&[]), (7.0, vec![]));
    assert_eq!(first_vjp(&[], 1.0), (7.0, vec![]));
    assert_eq!(first_jvp(&[], &[]), (7.0, 0.0));
    assert_eq!(first_grad(&[3.0]), [6.0]);
    let short = Array1::<f64>::ones(3);
    assert_eq!(tenth(&short, -1.0), -1.0);
    assert_eq!(tenth_grad(&short, -1.0), (Array1::zeros(3), 1.0));
    assert!(panic_of(|| tenth(&short, 1.0)).is_some());
    mentions(|| tenth_grad(&short, 1.0), &["10", "`x`"]);
    assert_eq!(last_grad(&short), array![0.0, 0.0, 1.0]);
    let empty = Array1::<f64>::zeros(0);
    assert!(panic_of(|| last(&empty)).is_some());
    mentions(|| last_grad(&empty), &["last_grad", "x"]);
}

#[differentiable]
fn fixed(x: &[f64], a: &Array2<f64>, c: &Array3<f64>) -> f64 {
    x[4] + a[[1, 2]] + c[[0, 3, 0]]
}

#[test]
fn fixed_places() {
    let (x, a, c) = ([0.0; 5], Array2::zeros((2, 3)), Array3::zeros((1, 4, 1)));
    fixed_grad(&x, &a, &c);
    says(
        || fixed_grad(&x[..4], &a, &c),
        "fixed_grad: `x` has 4 elements (x.len() must be at least 5)",
    );
    says(
        || fixed_grad(&x, &Array2::zeros((1, 3)), &c),
        "fixed_grad: `a` has 1 rows (a.nrows() must be at least 2)",
    );
    says(
        || fixed_grad(&x, &Array2::zeros((2, 2)), &c),
        "fixed_grad: `a` has 2 columns (a.ncols() must be at least 3)",
    );
    says(
        || fixed_grad(&x, &a, &Array3::zeros((1, 3, 1))),
        "fixed_grad: `c` has 3 elements along axis 1 (c.len_of(Axis(1)) must be at least 4)",
    );
}

#[differentiable]
fn up_to(x: &[f64], n: usize, y: &[f64]) -> f64 {
    sum(n, |i| x[i + 1] * y[2 * i])
}

#[test]
fn integers_and_arithmetic() {
    let one = [1.0; 9];
    up_to_grad(&one[..4], 3, &one[..5]);
    mentions(
        || up_to_grad(&one[..3], 3, &one),
        &[
            "up_to_grad: `x` has 3 elements but ",
            " is 4 (x.len() must be at least ",
        ],
    );
    mentions(
        || up_to_grad(&one, 3, &one[..4]),
        &[
            "up_to_grad: `y` has 4 elements but ",
            " is 5 (y.len() must be at least ",
        ],
    );
    up_to_grad(&[], 0, &[]);
}

#[differentiable(value, vjp, jvp)]
fn outer(x: &Array1<f64>, y: &[f64]) -> Array2<f64> {
    build((x.len(), y.len()), |(i, j)| x[i] * y[j])
}

#[test]
fn cotangents_and_tangents() {
    let (x, y) = (array![1.0, 2.0], [3.0, 4.0, 5.0]);
    let (value, (dx, dy)) = outer_vjp(&x, &y, &Array2::ones((2, 3)));
    assert_eq!(value, outer(&x, &y));
    assert_eq!((dx, dy), (array![12.0, 12.0], vec![3.0; 3]));
    says(
        || outer_vjp(&x, &y, &Array2::ones((3, 3))),
        "outer_vjp: `cotangent` has 3 rows but `x` has 2 elements (cotangent.nrows() must be x.len())",
    );
    says(
        || outer_vjp(&x, &y, &Array2::ones((2, 2))),
        "outer_vjp: `cotangent` has 2 columns but `y` has 3 elements (cotangent.ncols() must be y.len())",
    );
    says(
        || outer_jvp(&x, &y, &array![1.0], &y),
        "outer_jvp: `x_tangent` has 1 elements but `x` has 2 elements (x_tangent.len() must be x.len())",
    );
    says(
        || outer_jvp(&x, &y, &x, &[1.0; 4]),
        "outer_jvp: `y_tangent` has 4 elements but `y` has 3 elements (y_tangent.len() must be y.len())",
    );
}

#[differentiable]
fn gather(x: &Array1<f64>, at: &[usize], a: ArrayView2<'_, f64>, row: i32) -> f64 {
    sum(at.len(), |i| x[at[i]] * a[[row as usize, i]])
}

#[test]
fn indices_that_the_program_computes() {
    let x = array![1.0, 2.0];
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let (dx, da) = gather_grad(&x, &[1, 1], a.view(), 1);
    assert_eq!((dx, da), (array![0.0, 7.0], array![[0.0, 0.0], [2.0, 2.0]]));
    mentions(|| gather_grad(&x, &[1, 2], a.view(), 1), &["`x`", "2"]);
    mentions(|| gather_grad(&x, &[1, usize::MAX], a.view(), 1), &["`x`"]);
    mentions(|| gather_grad(&x, &[1, 1], a.view(), 2), &["a"]);
    mentions(|| gather_grad(&x, &[1, 1], a.view(), -1), &["a"]);
    mentions(|| gather_grad(&x, &[1, 1], a.view(), i32::MIN), &["a"]);
    assert_eq!(
        gather_grad(&x, &[], a.view(), -1),
        (array![0.0, 0.0], &a * 0.0)
    );
}

#[differentiable(value, grad, jvp)]
fn middle(x: &Array1<f64>, n: i64, m: usize) -> f64 {
    sum((n - 2) as usize, |i| x[i + m])
}

#[test]
fn the_same_inputs_as_the_original() {
    let x = Array1::from_iter((0..8).map(f64::from));
    for n in 2..12 {
        for m in 0..9 {
            let value = panic_of(|| middle(&x, n, m));
            for generated in [
                panic_of(|| middle_value(&x, n, m)),
                panic_of(|| middle_grad(&x, n, m)),
                panic_of(|| middle_jvp(&x, n, m, &x)),
            ] {
                assert_eq!(
                    value.is_some(),
                    generated.is_some(),
                    "n = {n}, m = {m}: {generated:?}"
                );
            }
        }
    }
}

#[differentiable(value, grad)]
fn difference(x: &[f64], n: usize, m: usize) -> f64 {
    sum(n - m, |i| x[i])
}

#[test]
fn negative_sizes() {
    let x = [1.0; 4];
    assert_eq!(difference_grad(&x, 3, 1), [1.0, 1.0, 0.0, 0.0]);
    // In Rust this overflows: a panic with checks, a huge number without.
    assert!(panic_of(|| difference(&x, 1, 3)).is_some());
    assert!(panic_of(|| difference_value(&x, 1, 3)).is_some());
    assert!(panic_of(|| difference_grad(&x, 1, 3)).is_some());
}

#[differentiable(value, grad)]
fn windows(x: &Array1<f64>, k: &[f64]) -> f64 {
    sum(x.len() - k.len() + 1, |i| {
        let y = sum(k.len(), |j| x[i + j] * k[j]);
        y * y
    })
}

#[differentiable(value, grad)]
fn neighbours(x: &Array1<f64>) -> f64 {
    sum(x.len() - 1, |i| (x[i + 1] - x[i]).powi(2))
}

#[test]
fn windows_longer_than_the_array() {
    let x = array![1.0, 2.0, 4.0];
    // With 4, `x.len() - k.len()` is negative, but not the size: no window, as in builds that wrap.
    assert_eq!(
        windows_grad(&x, &[1.0; 4]),
        (Array1::zeros(3), vec![0.0; 4])
    );
    for n in [0, 1, 2, 3, 5, 6] {
        let k = vec![1.0; n];
        let original = panic_of(|| windows(&x, &k));
        assert_eq!(
            original.is_some(),
            panic_of(|| windows_value(&x, &k)).is_some(),
            "{n}"
        );
        assert_eq!(
            original.is_some(),
            panic_of(|| windows_grad(&x, &k)).is_some(),
            "{n}"
        );
    }
    for n in 0..4 {
        let x = Array1::<f64>::ones(n);
        let original = panic_of(|| neighbours(&x));
        assert_eq!(
            original.is_some(),
            panic_of(|| neighbours_value(&x)).is_some(),
            "{n}"
        );
        assert_eq!(
            original.is_some(),
            panic_of(|| neighbours_grad(&x)).is_some(),
            "{n}"
        );
    }
}

#[differentiable(vjp)]
fn pair(x: f64) -> Array1<f64> {
    build(2, |i| if i == 0 { x } else { x * x })
}

#[test]
fn a_cotangent_of_known_size() {
    assert_eq!(pair_vjp(3.0, &array![1.0, 1.0]).1, 7.0);
    says(
        || pair_vjp(3.0, &array![1.0]),
        "pair_vjp: `cotangent` has 1 elements (cotangent.len() must be 2)",
    );
}

#[differentiable]
fn several(x: &[f64], n: usize) -> f64 {
    x[0] * x[3] + x[1] + sum(n, |_| x[2])
}

#[test]
fn only_the_strongest_relation_is_named() {
    assert_eq!(several_grad(&[1.0; 4], 2), [1.0, 1.0, 2.0, 1.0]);
    says(
        || several_grad(&[], 2),
        "several_grad: `x` has 0 elements (x.len() must be at least 4)",
    );
}

#[differentiable(value, grad, vjp)]
fn weighted(x: &Array1<f64>, w: &Array1<f64>, given: bool, n: usize) -> f64 {
    if x.is_empty() {
        return 0.0;
    }
    let weights = if given {
        w.clone()
    } else {
        Array1::ones(x.len())
    };
    let first = match n {
        2 => w[3],
        _ => 1.0,
    };
    (&weights * x).sum() * first
}

#[test]
fn what_one_side_of_a_branch_needs_is_demanded_if_it_is_taken() {
    let [none, two, three, four] = [0, 2, 3, 4].map(Array1::<f64>::ones);
    assert_eq!(weighted_value(&three, &none, false, 0), 3.0);
    assert_eq!(weighted_grad(&three, &none, false, 0).0, three);
    assert_eq!(weighted_grad(&none, &two, true, 2).1, Array1::zeros(2));
    let lengths =
        "weighted_grad: `w` has 2 elements but `x` has 3 elements (w.len() must be x.len())";
    says(|| weighted_grad(&three, &two, true, 0), lengths);
    let fourth = "weighted_grad: `w` has 3 elements (w.len() must be at least 4)";
    says(|| weighted_grad(&three, &three, true, 2), fourth);
    assert_eq!(weighted_grad(&four, &four, true, 2).0, four);
    assert_eq!(weighted_grad(&two, &four, false, 2).0, two);
}

#[differentiable(value, vjp)]
fn picked(x: &Array1<f64>, w: &Array1<f64>, given: bool) -> Array1<f64> {
    if given { w.clone() } else { x.mapv(f64::sin) }
}

#[test]
fn a_cotangent_has_the_length_that_the_branch_gives() {
    let [two, three] = [2, 3].map(Array1::<f64>::ones);
    assert_eq!(picked_vjp(&two, &three, true, &three).1.1, three);
    assert_eq!(picked_vjp(&two, &three, false, &two).1.1, Array1::zeros(3));
    let message = "picked_vjp: `cotangent` has 2 elements but `w` has 3 elements (cotangent.len() must be w.len())";
    says(|| picked_vjp(&two, &three, true, &two), message);
}
