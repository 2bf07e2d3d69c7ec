//! The types that users leave out, with both preludes imported whole.

use cotangent_runtime::math::*;
use cotangent_runtime::*;
use ndarray::prelude::*;

#[test]
fn literals_fall_back_to_f64() {
    let a = build(3, |_| 1.0);
    let f: &Array1<f64> = &a;
    assert_eq!(f, &array![1.0, 1.0, 1.0]);
    assert_eq!(a[0] + 1.0, 2.0);
    let a = build((2, 2), |(i, j)| if i == j { 1.0 } else { 0.0 });
    assert_eq!(a, Array2::<f64>::eye(2));
    let counts = build(2, |_| 1);
    let f: &Array1<i32> = &counts;
    assert_eq!(f.sum(), 2);
    let s = sum(3, |_| 0.5);
    let f: f64 = s;
    assert_eq!(f, 1.5);
    assert_eq!(build(3, |_| 1.0).sum(), 3.0);
    assert_eq!(argmax(3, |_| 1.0), 0);
    assert_eq!(logsumexp(1, |_| 0.0), 0.0);
}

fn fraction(x: &[f32]) -> f32 {
    mean(x.len(), |i| if x[i] > 0.0 { 1.0 } else { 0.0 })
}

fn positive(x: &[f32]) -> usize {
    sum(x.len(), |i| if x[i] > 0.0 { 1 } else { 0 })
}

fn mask(x: &Array1<f32>) -> Array1<f32> {
    build(x.len(), |i| if x[i] > 0.0 { 1.0 } else { 0.0 })
}

fn histogram(bins: usize, at: &[usize]) -> Array1<f32> {
    scatter_add(bins, at.len(), |i| (at[i], 1.0))
}

#[test]
fn literals_follow_the_result() {
    assert_eq!(fraction(&[1.0, -1.0]), 0.5);
    assert_eq!(positive(&[1.0, -1.0]), 1);
    assert_eq!(mask(&array![1.0, -1.0]), array![1.0, 0.0]);
    assert_eq!(histogram(2, &[1, 1]), array![0.0, 2.0]);
}

#[test]
fn nested() {
    let a = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let x = array![1.0, -1.0, 2.0];
    let (n, m) = a.dim();
    assert_eq!(sum(m, |i| x[i] * i as f64), 3.0);
    assert_eq!(sum(n, |i| sum(m, |j| a[[i, j]] * x[j])), 5.0 + 11.0);
    assert_eq!(build(m, |i| sum(i, |j| x[j])), array![0.0, 1.0, 0.0]);
    assert_eq!(sum(n, |i| a.row(i).to_owned()), array![5.0, 7.0, 9.0]);
    assert_eq!(sum(n, |i| &a.row(i) * 2.0), array![10.0, 14.0, 18.0]);
    let s = build(n, |i| build(m, |j| a[[i, j]] + 1.0));
    assert_eq!(s[[1, 2]], 7.0);
    assert_eq!(s.row(0), array![2.0, 3.0, 4.0]);
    let cube = build(n, |i| build(m, |j| build(2, |k| a[[i, j]] * k as f64)));
    assert_eq!(cube.dim(), (2, 3, 2));
    assert_eq!(cube[[1, 1, 1]], 5.0);
    let t = sum(n, |i| build(m, |j| a[[i, j]])).sum();
    assert_eq!(t, 21.0);
}

#[test]
fn results_are_used_at_once() {
    let x: Array1<f64> = array![1.0, 2.0];
    let n = x.len();
    let s = sum(n, |i| x[i]);
    assert_eq!(s.powi(2), 9.0);
    assert_eq!(-sum(n, |i| x[i]), -3.0);
    assert_eq!(2.0 * sum(n, |i| x[i]) + 1.0, 7.0);
    assert_eq!(x[0] - sum(n, |i| x[i]) * sum(n, |i| x[i]), -8.0);
    assert_eq!(sum(n, |i| x[i]) as usize + 1, 4);
    assert!(sum(n, |i| x[i]) > 2.5);
    assert_eq!(&x / sum(n, |i| x[i]), array![1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(sum(n, |i| x[i]).sqrt(), 3.0_f64.sqrt());
    assert_eq!(sqrt(sum(n, |i| x[i] * x[i])), 5.0_f64.sqrt());
    let r = maximum(n, |i| x[i]) - minimum(n, |i| x[i]);
    assert_eq!(r.exp(), exp(1.0));
    let m = mean(n, |i| x[i]);
    assert_eq!(mean(n, |i| (x[i] - m).powi(2)), 0.25);
    let lse = logsumexp(n, |i| x[i]);
    assert!((softmax(n, |i| x[i])[0] - (x[0] - lse).exp()).abs() < 1e-15);
    assert_eq!(x[argmax(n, |i| x[i])], 2.0);
}

#[test]
fn elements() {
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let idx = [1_usize, 4, 5];
    let x = [1.0_f32, 2.0];
    let flags: Array1<bool> = build(3, |i| idx[i] > 3);
    assert_eq!(flags, array![false, true, true]);
    assert_eq!(build(3, |i| idx[i] + 1), array![2_usize, 5, 6]);
    assert_eq!(build(2, |i| idx[i] as u8), array![1_u8, 4]);
    assert_eq!(build((2, 2), |(i, j)| x[i] * x[j])[[1, 1]], 4.0_f32);
    assert_eq!(build(2, |i| a.row(1 - i)), array![[3.0, 4.0], [1.0, 2.0]]);
    assert_eq!(build(2, |i| a.column(i)), a.t());
    assert_eq!(build(2, |_| &a).dim(), (2, 2, 2));
    assert_eq!(build((1, 2), |(_, j)| a.row(j)).dim(), (1, 2, 2));
    assert_eq!(build(2, |i| [x[i], 0.0]), array![[1.0, 0.0], [2.0, 0.0]]);
    assert_eq!(build((2,), |(i,)| x[i]), array![1.0, 2.0]);
    let all = build((1, 2, 1, 2, 1, 2), |(_, i, _, j, _, k)| {
        a[[i, j]] * k as f64
    });
    assert_eq!(all.dim(), (1, 2, 1, 2, 1, 2));
    assert_eq!(all[[0, 1, 0, 0, 0, 1]], 3.0);
}

#[test]
fn loops() {
    let x = array![1.0, 2.0, 3.0];
    let a = array![[0.5, 0.0], [0.0, 2.0]];
    let n = x.len();
    assert_eq!(
        fold(n, 1.0, |s, i| 0.5 * s + x[i]),
        0.125 + 0.25 + 1.0 + 3.0
    );
    assert_eq!(fold(n, x[0], |s, i| s.max(x[i])), 3.0);
    let v = fold(2, array![1.0, 1.0], |s, _| a.dot(&s));
    assert_eq!(v, array![0.25, 4.0]);
    let (p, q) = fold(n, (0.0, 1.0), |(p, q), i| (p + x[i], q * x[i]));
    assert_eq!((p, q), (6.0, 6.0));
    assert_eq!(fold(2, [1.0, 2.0], |[u, v], i| [v, u + x[i]]), [2.0, 4.0]);
    assert_eq!(fold((2, 2), 0.0, |s, (i, j)| s + a[[i, j]]), 2.5);

    let s = scan(n, 1.0, |s, i| 0.5 * s + x[i]);
    assert_eq!(s[1], 2.75);
    let t = scan(2, array![1.0, 1.0], |s, _| a.dot(&s));
    assert_eq!(t, array![[0.5, 2.0], [0.25, 4.0]]);
    let (h, c) = scan(2, (0.0, array![1.0, 0.0]), |(h, c), i| (h + c[0], c + x[i]));
    assert_eq!(h, array![1.0, 3.0]);
    assert_eq!(c, array![[2.0, 1.0], [4.0, 3.0]]);
    let f = scan(2, [1.0, 2.0], |[u, v], i| [v, u + x[i]]);
    assert_eq!(f, array![[2.0, 2.0], [2.0, 4.0]]);
    let g = scan((1, 2), 0, |s, (_, j)| s + j + 1);
    assert_eq!(g, array![[1, 3]]);
}

#[test]
fn scattering() {
    let v = array![1.0, 2.0, 4.0];
    let at = [1_usize, 0, 1];
    assert_eq!(scatter_add(2, 3, |i| (at[i], v[i])), array![2.0, 5.0]);
    let a = scatter_add((2, 2), (2, 2), |(i, j)| ((j, i), v[i]));
    assert_eq!(a, array![[1.0, 2.0], [1.0, 2.0]]);
    let rows = scatter_add(3, 3, |i| (at[i], &v * 2.0));
    assert_eq!(
        rows,
        array![[2.0, 4.0, 8.0], [4.0, 8.0, 16.0], [0.0, 0.0, 0.0]]
    );
}

fn loss<T: Real>(w: &Array2<T>, x: &Array1<T>, y: &Array1<T>) -> T {
    let z = build(y.len(), |i| sum(x.len(), |j| w[[i, j]] * x[j]));
    let p = softmax(y.len(), |i| z[i]);
    let e = sum(y.len(), |i| {
        let r = p[i] - y[i];
        r * r
    });
    let rows = sum(y.len(), |i| w.row(i));
    let top = maximum(x.len(), |j| rows[j]) - minimum(x.len(), |j| rows[j]);
    let m = mean(x.len(), |j| x[j].abs()) + T::of(0.5);
    let path = scan(x.len(), T::of(0.0), |s, j| s * T::of(0.5) + x[j]);
    let pairs = build((x.len(), y.len()), |(j, i)| {
        x[j].tanh() * y[i] + T::from_usize(i)
    });
    let k = argmax(x.len(), |j| x[j]);
    let total = fold(x.len(), T::of(0.0), |s, j| s + path[j] + pairs[[j, 0]]);
    let parts = scatter_add(2, x.len(), |j| (j % 2, x[j]));
    e + top * m + total.exp() * x[k] + parts[0] + logsumexp(x.len(), |j| x[j] * T::of(2.0))
}

#[test]
fn generic_over_real() {
    let w = array![[1.0, 0.5], [-0.25, 2.0]];
    let (x, y) = (array![0.5, -1.0], array![0.25, 0.75]);
    let exact = loss(&w, &x, &y);
    let narrow = loss(
        &w.mapv(|v| v as f32),
        &x.mapv(|v| v as f32),
        &y.mapv(|v| v as f32),
    );
    assert!((f64::from(narrow) - exact).abs() < 1e-5 * exact.abs());
}

#[test]
fn std_and_iterators_still_work() {
    let x = array![1.0, 4.0];
    let s: f64 = x.iter().zip(&x).map(|(a, b)| a * b).sum();
    assert_eq!(s, 17.0);
    assert_eq!(x.sum(), 5.0);
    assert_eq!(x.mean(), Some(2.5));
    assert_eq!(x.iter().fold(0.0_f64, |m, v| m.max(*v)), 4.0);
    assert_eq!(x.mapv(f64::sqrt), array![1.0, 2.0]);
    assert_eq!(x[0].max(3.0).clamp(0.0, 2.0), 2.0);
    assert_eq!(std::cmp::max(2, 3), 3);
}
