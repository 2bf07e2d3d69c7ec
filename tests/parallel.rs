//! With the feature `parallel`, threads share what is large: results are the same with the same
//! number of threads, and agree with those of one.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3};
use rayon::ThreadPoolBuilder;

/// Classes that have matrices of their own: tiles.
#[differentiable(grad)]
fn classes(x: &Array2<f64>, m: &Array3<f64>) -> f64 {
    let (n, d) = x.dim();
    let classes = m.dim().0;
    let distance = build((n, classes), |(i, k)| {
        let turned = build(d, |r| sum(d, |c| m[[k, r, c]] * x[[i, c]]));
        sum(d, |r| turned[r].tanh())
    });
    sum(n, |i| logsumexp(classes, |k| distance[[i, k]]))
}

/// Observations of things: a long loop that adds to what they are of.
#[differentiable(grad)]
fn observations(a: &Array1<f64>, b: &Array1<f64>, of: &Array1<usize>, to: &Array1<usize>) -> f64 {
    sum(of.len(), |k| {
        let (x, y) = (a[of[k]], b[to[k]]);
        (x * y).sin() * (x - y).exp()
    })
}

/// A layer of a network: large products, and functions of many elements.
#[differentiable(grad)]
fn layer(w: &Array2<f64>, x: &Array2<f64>) -> f64 {
    let h = x.dot(w).mapv(f64::tanh);
    (&h * &h).sum()
}

/// A linear model of many points: tiles of rows, which two products read.
#[differentiable(grad)]
fn points(w: &Array1<f64>, x: &Array2<f64>) -> f64 {
    let z = x.dot(w);
    sum(z.len(), |i| z[i].tanh())
}

/// The same where points are columns: each product is one of the whole matrix.
#[differentiable(grad)]
fn columns(w: &Array1<f64>, x: &Array2<f64>) -> f64 {
    let z = w.dot(x);
    sum(z.len(), |i| z[i].tanh())
}

/// Small matrices, many of them.
#[differentiable(grad)]
fn many_products(x: &Array3<f64>, y: &Array3<f64>) -> f64 {
    let (n, r, c) = x.dim();
    let z = build((n, r, r), |(p, i, j)| {
        sum(c, |k| x[[p, i, k]] * y[[p, k, j]])
    });
    sum((n, r, r), |at| z[at] * z[at])
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * k + 3) as f64 * 0.1).sin()).collect()
}

/// What `f` gives with one thread, and twice with three.
fn computed<T: Send>(f: impl Fn() -> T + Sync) -> [T; 3] {
    [1, 3, 3].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be made").install(&f)
    })
}

#[track_caller]
fn assert_agree<'a>(all: [impl Iterator<Item = &'a f64>; 3]) {
    let [one, three, again] = all.map(|x| x.copied().collect::<Vec<f64>>());
    assert!(one.iter().any(|x| *x != 0.0));
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&three), bits(&again));
    for (x, y) in one.iter().zip(&three) {
        assert!((x - y).abs() <= 1e-11 * (1.0 + x.abs()), "{x} and {y}");
    }
}

#[test]
fn tiles_are_shared() {
    let x = Array2::from_shape_vec((300, 12), numbers(3600)).unwrap();
    let m = Array3::from_shape_vec((40, 12, 12), numbers(5760)).unwrap();
    let all = computed(|| classes_grad(&x, &m));
    let [a, b, c] = &all;
    assert_agree([a.0.iter(), b.0.iter(), c.0.iter()]);
    assert_agree([a.1.iter(), b.1.iter(), c.1.iter()]);
}

#[test]
fn long_loops_are_shared() {
    let (a, b) = (Array1::from(numbers(70)), Array1::from(numbers(90)));
    let of = Array1::from_iter((0..40_000).map(|k| k * 7 % 70));
    let to = Array1::from_iter((0..40_000).map(|k| k * 11 % 90));
    let all = computed(|| observations_grad(&a, &b, &of, &to));
    let [x, y, z] = &all;
    assert_agree([x.0.iter(), y.0.iter(), z.0.iter()]);
    assert_agree([x.1.iter(), y.1.iter(), z.1.iter()]);
}

#[test]
fn products_are_shared() {
    let w = Array2::from_shape_vec((200, 300), numbers(60_000)).unwrap();
    let x = Array2::from_shape_vec((150, 200), numbers(30_000)).unwrap();
    let all = computed(|| layer_grad(&w, &x));
    let [x, y, z] = &all;
    assert_agree([x.0.iter(), y.0.iter(), z.0.iter()]);
    assert_agree([x.1.iter(), y.1.iter(), z.1.iter()]);
}

#[test]
fn products_with_vectors_are_shared() {
    let w = Array1::from(numbers(60));
    let rows = Array2::from_shape_vec((9000, 60), numbers(540_000)).unwrap();
    let columns = Array2::from_shape_vec((60, 9000), numbers(540_000)).unwrap();
    for all in [
        computed(|| points_grad(&w, &rows)),
        computed(|| columns_grad(&w, &columns)),
    ] {
        let [a, b, c] = &all;
        assert_agree([a.0.iter(), b.0.iter(), c.0.iter()]);
        // Each element of it is the same sum, whoever computes it.
        assert_eq!(a.1, b.1);
        assert_eq!(a.1, c.1);
    }
}

#[test]
fn many_small_products_are_shared() {
    let x = Array3::from_shape_vec((900, 9, 11), numbers(89_100)).unwrap();
    let y = Array3::from_shape_vec((900, 11, 9), numbers(89_100)).unwrap();
    let [a, b, c] = computed(|| many_products_grad(&x, &y));
    assert_agree([a.0.iter(), b.0.iter(), c.0.iter()]);
    assert_agree([a.1.iter(), b.1.iter(), c.1.iter()]);
}

#[test]
fn what_is_small_is_not_divided() {
    let (a, b) = (Array1::from(numbers(3)), Array1::from(numbers(3)));
    let at = Array1::from(vec![0, 2, 1]);
    let none = Array1::from(vec![]);
    let all = computed(|| observations_grad(&a, &b, &at, &at));
    assert_eq!(all[0], all[1]);
    let nothing = computed(|| observations_grad(&a, &b, &none, &none));
    assert!(nothing[1].0.iter().chain(&nothing[1].1).all(|x| *x == 0.0));
}
