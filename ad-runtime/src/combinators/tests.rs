//! Limits and failures of the combinators; `tests/inference.rs` has their ordinary uses.

use super::*;
use ndarray::{Array1, Array2, Array3, Axis, array};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// What `f` panics with.
#[track_caller]
fn message<R>(f: impl FnOnce() -> R) -> String {
    match catch_unwind(AssertUnwindSafe(|| drop(f()))) {
        Ok(()) => panic!("expected a panic at {}", Location::caller()),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => panic!("expected a formatted message"),
        },
    }
}

#[test]
fn over_nothing() {
    let x: [f64; 0] = [];
    assert_eq!(sum(0, |i| x[i]), 0.0);
    assert_eq!(sum(0, |_| 5_i64), 0);
    assert_eq!(product(0, |i| x[i]), 1.0);
    assert_eq!(product(0, |_| 5_u8), 1);
    assert_eq!(maximum(0, |i| x[i]), -INF);
    assert_eq!(minimum(0, |i| x[i]), INF);
    assert_eq!(maximum(0, |_| 5_i32), i32::MIN);
    assert_eq!(minimum(0, |_| 5_u16), u16::MAX);
    assert!(mean(0, |i| x[i]).is_nan());
    assert_eq!(logsumexp(0, |i| x[i]), -INF);
    assert_eq!(softmax(0, |i| x[i]).len(), 0);
    assert_eq!(argmax(0, |i| x[i]), 0);
    assert_eq!(argmin((3, 0), |(_, j)| x[j]), (0, 0));
    assert_eq!(build((3, 0), |(_, j)| x[j]).dim(), (3, 0));
    assert_eq!(build((0, 3), |_| true).dim(), (0, 3));
    assert_eq!(fold(0, 7, |s: i32, _| s + 1), 7);
    assert_eq!(scan(0, 7, |s: i32, _| s + 1).len(), 0);
    assert_eq!(scan((2, 0), array![1.0, 2.0], |s, _| s).dim(), (2, 0, 2));
    assert_eq!(scatter_add(2, 0, |i| (i, 1.0)), array![0.0, 0.0]);
    assert_eq!(sum(0, |_| [1.0, 2.0]), [0.0, 0.0]);
    assert_eq!(maximum(0, |_| [[1.0], [2.0]]), [[-INF], [-INF]]);
}

#[test]
fn arrays_over_nothing() {
    let a = Array2::<f64>::zeros((0, 3));
    let unknown =
        |name: &str| format!("{name}: there are no arrays (extent 0), so their shape is unknown");
    assert_eq!(message(|| sum(0, |i| a.row(i))), unknown("sum"));
    assert_eq!(message(|| product(0, |i| a.row(i))), unknown("product"));
    assert_eq!(message(|| maximum(0, |i| a.row(i))), unknown("maximum"));
    assert_eq!(message(|| minimum(0, |i| a.row(i))), unknown("minimum"));
    assert_eq!(message(|| mean(0, |i| a.row(i))), unknown("mean"));
    assert_eq!(message(|| build(0, |i| a.row(i))), unknown("build"));
    assert_eq!(
        message(|| scatter_add(4, 0, |i| (i, a.row(i)))),
        unknown("scatter_add")
    );
}

#[test]
fn shapes_that_differ() {
    let ragged = |i: usize| Array1::<f64>::zeros(if i == 2 { 3 } else { 2 });
    let differs = |name: &str| {
        format!(
            "{name}: the array at index 2 has shape [3], but the arrays before it have shape [2]"
        )
    };
    assert_eq!(message(|| sum(4, ragged)), differs("sum"));
    assert_eq!(message(|| mean(4, ragged)), differs("mean"));
    assert_eq!(message(|| maximum(4, ragged)), differs("maximum"));
    assert_eq!(message(|| build(4, ragged)), differs("build"));
    assert_eq!(
        message(|| scatter_add(4, 4, |i| (i, ragged(i)))),
        differs("scatter_add")
    );
    assert_eq!(
        message(|| scan(4, ragged(0), |_, i| ragged(i))),
        differs("scan")
    );
    assert_eq!(
        message(|| build((1, 3), |(_, j)| ragged(j))),
        "build: the array at index (0, 2) has shape [3], but the arrays before it have shape [2]"
    );
}

#[test]
fn scatter_out_of_bounds() {
    assert_eq!(
        message(|| scatter_add(3, 2, |i| (i + 2, 1.0))),
        "scatter_add: index 3 (at 1) is out of bounds for an array of extent 3"
    );
    assert_eq!(
        message(|| scatter_add((3, 2), 1, |i| ((i, 2), 1.0))),
        "scatter_add: index (0, 2) (at 0) is out of bounds for an array of extent (3, 2)"
    );
}

#[test]
fn extents_too_large() {
    let huge = usize::MAX / 2 + 1;
    assert_eq!(
        message(|| build((huge, 2), |_| 0.0)),
        format!("build: an array of extent ({huge}, 2) is too large")
    );
    assert_eq!(
        message(|| scatter_add(huge, 0, |i| (i, 0.0))),
        format!("scatter_add: an array of extent {huge} is too large")
    );
    assert_eq!(
        message(|| build((huge, 0), |_| 0.0)),
        format!("build: an array of extent ({huge}, 0) is too large")
    );
    // Nothing is stored here, and nothing is visited.
    assert_eq!(sum((huge, 0, 2), |_| 1.0), 0.0);
}

#[test]
fn panics_are_reported_at_the_call() {
    use std::sync::{Arc, Mutex};
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hook = std::panic::take_hook();
    let record = Arc::clone(&seen);
    let this = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == this {
            let file = info.location().map(|l| l.file().to_owned());
            record.lock().unwrap().push(file.unwrap_or_default());
        } else {
            hook(info);
        }
    }));
    let ragged = |i: usize| Array1::<f64>::zeros(i);
    let _ = message(|| sum(2, ragged));
    let _ = message(|| mean(2, ragged));
    let _ = message(|| build(2, ragged));
    let _ = message(|| scan(2, ragged(5), |_, i| ragged(i)));
    let _ = message(|| scatter_add(2, 1, |_| (2, 1.0)));
    let _ = message(|| build((usize::MAX, 2), |_| 0.0));
    let _ = std::panic::take_hook();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 6);
    for file in seen.iter() {
        assert!(file.ends_with("tests.rs"), "reported in {file}");
    }
}

#[test]
fn not_a_number() {
    let x = [NAN, 2.0, NAN, 2.0, -1.0, NAN, -1.0];
    assert_eq!(maximum(7, |i| x[i]), 2.0);
    assert_eq!(minimum(7, |i| x[i]), -1.0);
    assert_eq!(argmax(7, |i| x[i]), 1);
    assert_eq!(argmin(7, |i| x[i]), 4);
    assert_eq!(maximum(1, |i| x[i]), -INF);
    assert_eq!(argmax(1, |i| x[i]), 0);
    assert!(sum(7, |i| x[i]).is_nan());
    assert!(logsumexp(7, |i| x[i]).is_nan());
    assert!(softmax(7, |i| x[i]).iter().all(|v| v.is_nan()));
    let a = array![[NAN, 1.0], [3.0, NAN]];
    assert_eq!(maximum(2, |i| a.row(i)), array![3.0, 1.0]);
    assert_eq!(minimum(2, |i| a.row(i)), array![3.0, 1.0]);
    assert_eq!(maximum(1, |i| a.row(i)), array![-INF, 1.0]);
}

#[test]
fn infinities() {
    let low = [-INF, -INF];
    assert_eq!(logsumexp(2, |i| low[i]), -INF);
    assert_eq!(argmax(2, |i| low[i]), 0);
    assert!(softmax(2, |i| low[i])[0].is_nan());
    let x = [-INF, 3.0, INF];
    assert_eq!(logsumexp(3, |i| x[i]), INF);
    assert_eq!(logsumexp(2, |i| x[i]), 3.0);
    assert!(logsumexp(2, |i| [INF, NAN][i]).is_nan());
    assert!(logsumexp(2, |i| [-INF, NAN][i]).is_nan());
    assert_eq!(logsumexp(2, |_| -1000.0), -1000.0 + std::f64::consts::LN_2);
    assert_eq!(softmax((1, 2), |_| -1e4), array![[0.5, 0.5]]);
    assert_eq!(argmin(3, |i| x[i]), 0);
    assert_eq!(argmax(3, |i| x[i]), 2);
}

#[test]
fn ties_go_to_the_first() {
    let x = [1, 3, 3, 0, 0];
    assert_eq!(argmax(5, |i| x[i]), 1);
    assert_eq!(argmin(5, |i| x[i]), 3);
    let a = array![[1.0, 2.0], [2.0, 1.0]];
    assert_eq!(argmax((2, 2), |(i, j)| a[[i, j]]), (0, 1));
    assert_eq!(argmax(2, |_| u8::MIN), 0);
}

#[test]
fn sums_are_in_order() {
    // In any other order the small numbers survive.
    let x = [1.0, 1e16, 1.0, -1e16];
    assert_eq!(sum(4, |i| x[i]), ((1.0 + 1e16) + 1.0) - 1e16);
    let mut seen = Vec::new();
    let _ = sum((2, 1, 3), |(i, j, k)| {
        seen.push((i, j, k));
        1.0
    });
    assert_eq!(
        seen,
        [
            (0, 0, 0),
            (0, 0, 1),
            (0, 0, 2),
            (1, 0, 0),
            (1, 0, 1),
            (1, 0, 2)
        ]
    );
}

#[test]
fn positions_are_row_major() {
    let extent = (2, 3, 1, 4, 2, 3);
    let mut next = 0;
    let _ = extent.visit(|i| {
        assert_eq!(extent.position(i), Some(next));
        next += 1;
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(next, 2 * 3 * 4 * 2 * 3);
    assert_eq!(extent.position((0, 0, 1, 0, 0, 0)), None);
    assert_eq!(extent.position((0, 3, 0, 0, 0, 0)), None);
    assert_eq!(5_usize.position(5), None);
}

#[test]
fn every_layout_of_elements() {
    let a = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    let expected = Array3::from_shape_fn((4, 3, 2), |(k, j, i)| a[[i, j, k]]);
    assert_eq!(
        build(4, |k| a.index_axis(Axis(2), k).reversed_axes()),
        expected
    );
    let owned = build(4, |k| a.index_axis(Axis(2), k).t().to_owned());
    assert_eq!(owned, expected);
    let total = sum(4, |k| a.index_axis(Axis(2), k).reversed_axes());
    assert_eq!(total, a.sum_axis(Axis(2)).t());
    let mut start = a.index_axis(Axis(0), 1).reversed_axes().to_owned();
    start.invert_axis(Axis(0));
    let twice = scan(2, start.clone(), |s, _| s + 1);
    assert_eq!(twice.index_axis(Axis(0), 1), &start + 2);
    assert_eq!(
        scatter_add(1, 1, |_| (0, start.view())).index_axis(Axis(0), 0),
        start
    );
}

#[test]
fn arrays_elementwise() {
    let a = array![[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]];
    assert_eq!(product(2, |i| a.row(i)), array![4.0, -10.0, -18.0]);
    assert_eq!(maximum(2, |i| a.row(i)), array![4.0, 5.0, 3.0]);
    assert_eq!(minimum(2, |i| a.row(i)), array![1.0, -2.0, -6.0]);
    assert_eq!(mean(2, |i| a.row(i)), array![2.5, 1.5, -1.5]);
    assert_eq!(mean((2, 3), |(i, j)| a[[i, j]]), 5.0 / 6.0);
    assert_eq!(sum(2, |_| &a), &a * 2.0);
    assert_eq!(sum(3, |j| [a[[0, j]], a[[1, j]]]), [2.0, 3.0]);
    assert_eq!(mean(2, |i| [[a[[i, 0]]], [1.0]]), [[2.5], [1.0]]);
    assert_eq!(sum(2, |i| array![[[i, 1]]]), array![[[1, 2]]]);
}

#[test]
fn fixed_size_states() {
    let s = scan(2, [[1, 2], [3, 4]], |[a, b], _| [b, a]);
    assert_eq!(s, array![[[3, 4], [1, 2]], [[1, 2], [3, 4]]]);
    let s = scan(1, [[[1], [2]]], |s, _| s);
    assert_eq!(s.dim(), (1, 1, 2, 1));
    let (a, (b,)) = scan(2, (1.0, (array![true],)), |(a, (b,)), i| {
        (a / 2.0, (if i == 1 { !b } else { b },))
    });
    assert_eq!(a, array![0.5, 0.25]);
    assert_eq!(b, array![[true], [false]]);
}

/// Every combinator in a generic function.
fn generic<T: crate::Real>(x: &Array1<T>) -> Vec<T> {
    let n = x.len();
    let squares = build(n, |i| x[i] * x[i]);
    let steps = scan(n, T::of(0.0), |s, i| s * T::of(0.5) + x[i]);
    let moved = scatter_add(n, n, |i| (n - 1 - i, squares[i]));
    let shares = softmax(n, |i| x[i]);
    let table = build((n, 2), |(i, j)| x[i] * T::from_usize(j));
    let rows = sum(n, |i| table.row(i));
    vec![
        sum(n, |i| squares[i]),
        product(n, |i| x[i]),
        maximum(n, |i| x[i]),
        minimum(n, |i| x[i]),
        mean(n, |i| x[i]),
        logsumexp(n, |i| x[i]),
        x[argmax(n, |i| x[i])],
        x[argmin(n, |i| x[i])],
        fold(n, T::of(1.0), |s, i| s * x[i] + T::of(1.0)),
        fold(n, (T::zero(), T::one()), |(a, b), i| (b, a + b * x[i])).1,
        steps[n - 1],
        moved[0],
        shares[1],
        rows[1],
        checkpoint(|| stop_gradient(x[0])),
        x.iter().copied().sum::<T>() + x.dot(&squares) + (x * T::of(2.0)).sum(),
    ]
}

#[test]
fn every_combinator_is_generic() {
    let x = array![0.75, -1.5, 2.25];
    let double = generic(&x);
    let single = generic(&x.mapv(|v| v as f32));
    assert_eq!(double.len(), single.len());
    for (k, (&d, &s)) in double.iter().zip(&single).enumerate() {
        assert!((d - f64::from(s)).abs() < 1e-5, "{k}: {s} is not {d}");
    }
}
