//! Functions with `f32` beside `f64`: stored in single precision, summed in double.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView2};

const MOMENTUM: f32 = 0.9;
const DECAY: f64 = 1e-3;

#[differentiable]
fn weighted(x: &Array1<f32>, w: &Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i] as f64 * w[i])
}

#[differentiable]
fn mean_single(x: &[f32]) -> f32 {
    let s: f64 = x.iter().map(|&v| f64::from(v)).sum();
    (s / x.len() as f64) as f32
}

#[differentiable]
fn variance(x: &[f32]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().map(|&v| v as f64).sum::<f64>() / n;
    x.iter().map(|&v| (v as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0)
}

#[differentiable]
fn polynomial(x: f32, s: f64) -> f64 {
    let c = 0.1;
    let y = c * x * x + 0.3 * x;
    f64::from(y) * s
}

#[differentiable]
fn kahan(x: &[f32]) -> f32 {
    let mut sum = 0.0f32;
    let mut c = 0.0f32;
    for &v in x {
        let y = v - c;
        let t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    let exact = x.iter().map(|v| *v as f64).sum::<f64>();
    sum + (exact as f32 - sum) * 0.5
}

#[differentiable]
fn quantised(x: &[f64], scale: f32) -> f64 {
    let mut total = 0.0;
    for &v in x {
        let stored = v as f32 * scale;
        total += stored as f64 * stored as f64;
    }
    total
}

#[differentiable(jvp, vjp, jacobian)]
fn layer(w: ArrayView2<f32>, x: &Array1<f64>, b: &[f32]) -> Array1<f32> {
    let mut out = Array1::<f32>::zeros(w.nrows());
    for i in 0..w.nrows() {
        let mut acc = 0.0f64;
        for j in 0..w.ncols() {
            acc += w[[i, j]] as f64 * x[j];
        }
        out[i] = (acc as f32 + b[i]).tanh();
    }
    out
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Vertex {
    position: [f32; 3],
    weight: f32,
}

#[differentiable]
fn moment(vertices: &[Vertex], axis: [f64; 3]) -> f64 {
    let mut total = 0.0;
    for v in vertices {
        let mut d = 0.0;
        for k in 0..3 {
            d += f64::from(v.position[k]) * axis[k];
        }
        total += f64::from(v.weight) * d * d;
    }
    total
}

#[differentiable]
fn activation(x: f32) -> f32 {
    let y = 0.7 * x + 0.1;
    y / (1.0 + y.abs())
}

#[differentiable]
fn calls(x: f32, w: f64) -> f64 {
    activation(x) as f64 * w + mean_single(&[x, 2.0 * x, MOMENTUM]) as f64 - DECAY * w
}

#[differentiable]
fn single_only(x: f32) -> f32 {
    mean_single(&[x, x * 0.1, 0.3]) * x
}

#[differentiable]
fn with_consts(x: f32, y: f64) -> f64 {
    let a = (x * std::f32::consts::PI).sin();
    let b = y * std::f64::consts::PI;
    a as f64 + b + (x.max(0.5) * MOMENTUM) as f64
}

#[differentiable]
fn checked(x: &[f32], tolerance: f64) -> Option<f64> {
    let first = *x.first()?;
    if (first as f64) < tolerance {
        return None;
    }
    Some(x.iter().map(|&v| (v * v) as f64).sum::<f64>().sqrt() * tolerance)
}

#[differentiable]
fn saxpy(a: f64, x: &[f32], y: &mut [f32]) {
    for i in 0..y.len() {
        y[i] += (a * x[i] as f64) as f32;
    }
}

#[differentiable(grad, into)]
fn pairs(p: &[(f32, f64)], k: Option<f32>) -> f64 {
    let k = k.unwrap_or(2.0);
    p.iter().map(|(a, b)| f64::from(*a * k) * b).sum()
}

#[differentiable(hvp, linearize, vjps, jvps, taylor = 2, hessian(diagonal), wrt(x))]
fn energy(x: &[f32; 3], s: &[f64]) -> f64 {
    let mut e = 0.0;
    for i in 0..3 {
        let r = x[i] as f64 - s[i];
        e += r * r * r;
    }
    e
}

#[differentiable]
fn matrices(a: &Array2<f32>, b: &Array2<f64>) -> f64 {
    let wide = a.mapv(|v| v as f64);
    wide.dot(b).sum()
}

#[differentiable]
fn adam(g: &[f32], beta: f64) -> f64 {
    let (mut m, mut v) = (0.0f32, 0.0f64);
    for (t, &g) in g.iter().enumerate() {
        m = MOMENTUM * m + (1.0 - MOMENTUM) * g;
        v = beta * v + (1.0 - beta) * (g as f64).powi(2);
        let correction = 1.0 - (beta as f32).powi(t as i32 + 1);
        m /= correction.max(1e-3);
    }
    m as f64 / (v.sqrt() + 1e-8)
}

#[test]
fn all() {
    let x = Array1::from(vec![0.1f32, 0.7, -0.3]);
    let w = Array1::from(vec![1.5, -0.2, 0.1]);
    let (v, (dx, dw)) = weighted_value_and_grad(&x, &w);
    assert_eq!(v, weighted(&x, &w));
    assert_eq!(dx, w.mapv(|v| v as f32));
    assert_eq!(dw, x.mapv(|v| v as f64));
    let s = [0.1f32, 0.7, -0.3, 1e-3];
    assert_eq!(
        mean_single_value_and_grad(&s),
        (mean_single(&s), vec![0.25; 4])
    );
    let (v, g) = variance_value_and_grad(&s);
    assert!((v - variance(&s)).abs() < 1e-15);
    let _: Vec<f32> = g;
    for k in 0..1000 {
        let x = (k as f32 - 500.0) * 0.0137;
        let (v, (_, ds)) = polynomial_value_and_grad(x, 1.0);
        assert_eq!(v, polynomial(x, 1.0));
        assert_eq!(ds, polynomial(x, 1.0));
        let (v, (dx, _)) = calls_value_and_grad(x, 0.3);
        assert_eq!(v, calls(x, 0.3));
        let d = activation_grad(x) as f64 * 0.3 + 1.0;
        assert!((dx as f64 - d).abs() < 1e-6);
        let (v, _) = single_only_value_and_grad(x);
        assert_eq!(v, single_only(x));
        let (v, _) = with_consts_value_and_grad(x, 0.2);
        assert!((v - with_consts(x, 0.2)).abs() < 1e-7, "{x}");
        let (v, _) = quantised_value_and_grad(&[x as f64 / 3.0], 0.3);
        assert_eq!(v, quantised(&[x as f64 / 3.0], 0.3));
    }
    let (v, g) = kahan_value_and_grad(&s);
    assert_eq!((v, g), (kahan(&s), vec![1.0; 4]));
    let vs = [Vertex {
        position: [1.0, 2.0, 3.0],
        weight: 0.5,
    }];
    let (v, (dv, da)) = moment_value_and_grad(&vs, [1.0, 0.0, 1.0]);
    assert_eq!(v, moment(&vs, [1.0, 0.0, 1.0]));
    assert_eq!(dv[0].weight, 16.0);
    assert_eq!(da, [4.0, 8.0, 12.0]);
    let wm = Array2::from_shape_fn((2, 3), |(i, j)| (i + 2 * j) as f32 * 0.1);
    let (v, (gw, gx, gb)) = layer_vjp(wm.view(), &w, &[0.1, 0.2], &Array1::from(vec![1.0f32, 0.0]));
    assert!(
        (v - layer(wm.view(), &w, &[0.1, 0.2]))
            .iter()
            .all(|d| d.abs() < 1e-7)
    );
    let _: (Array2<f32>, Array1<f64>, Vec<f32>) = (gw, gx, gb);
    let (j1, j2, j3) = layer_jacobian(wm.view(), &w, &[0.1, 0.2]);
    assert_eq!((j1.dim(), j2.dim(), j3.dim()), ((2, 2, 3), (2, 3), (2, 2)));
    let (_, t) = layer_jvp(wm.view(), &w, &[0.1, 0.2], wm.view(), &w, &[0.1, 0.2]);
    assert!((t[0] - 0.09900663).abs() < 1e-6);
    assert_eq!(checked_value_and_grad(&s, 1.0), None);
    assert_eq!(
        checked_value_and_grad(&s, 0.05).unwrap().0,
        checked(&s, 0.05).unwrap()
    );
    let mut y = [1.0f32; 4];
    let mut bar = [1.0f32; 4];
    let (da, dx) = saxpy_vjp(0.1, &s, &mut bar, &mut y);
    assert_eq!((dx, bar[0], y[0]), (vec![0.1f32; 4], 1.0, 1.01));
    assert_eq!(da, s.iter().map(|v| f64::from(*v)).sum::<f64>());
    let p = [(1.0f32, 2.0f64), (0.1, 3.0)];
    let (dp, dk) = pairs_grad(&p, Some(3.0));
    assert_eq!(
        (dp, dk),
        (vec![(6.0, 3.0), (9.0, 0.3f32 as f64)], Some(2.0 + 0.3))
    );
    let mut g = (vec![(0.0, 0.0); 2], Some(0.0));
    let mut ws = cotangent::Workspace::default();
    pairs_grad_into(&p, Some(3.0), &mut g, &mut ws);
    assert_eq!(g.0[0], (6.0, 3.0));
    let a = Array2::from_elem((2, 2), 0.1f32);
    let b = Array2::from_elem((2, 2), 0.5);
    let (v, (da, _)) = matrices_value_and_grad(&a, &b);
    assert_eq!(v, matrices(&a, &b));
    assert_eq!(da, Array2::from_elem((2, 2), 1.0f32));
    let (v, _) = adam_value_and_grad(&s, 0.99);
    // The correction is a difference of near numbers.
    assert!((v / adam(&s, 0.99) - 1.0).abs() < 1e-4);
    let (e, s) = ([1.0, 2.0, 3.0f32], [0.5, 0.5, 0.5]);
    assert_eq!(energy_hvp(&e, &s, &[1.0, 1.0, 1.0]), [3.0, 9.0, 15.0]);
    assert_eq!(energy_hessian_diagonal(&e, &s), [3.0, 9.0, 15.0]);
    let (_, l) = energy_linearize(&e, &s);
    assert_eq!(
        (l.jvp(&[1.0, 0.0, 0.0]), l.vjp(1.0)),
        (0.75, [0.75, 6.75, 18.75])
    );
    assert_eq!(energy_taylor(&e, &s, &[1.0, 0.0, 0.0])[1], 0.75);
}
