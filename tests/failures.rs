//! Functions that give an `Option` or a `Result`, or panic: generated functions fail as they do.

#![deny(warnings)]
#![allow(missing_docs, unreachable_pub, reason = "a test")]
use cotangent::prelude::*;
use ndarray::{Array1, Array2, array};

#[derive(Debug, PartialEq)]
pub enum E {
    Sizes(usize, usize),
    Negative { at: usize, value: f64 },
    Singular(String),
    Empty,
}

/// Sizes, then values in a loop.
#[differentiable]
pub fn entropy(p: &Array1<f64>, q: &Array1<f64>) -> Result<f64, E> {
    if p.len() != q.len() {
        return Err(E::Sizes(p.len(), q.len()));
    }
    let mut total = 0.0;
    for (i, (a, b)) in p.iter().zip(q.iter()).enumerate() {
        if *a <= 0.0 {
            return Err(E::Negative { at: i, value: *a });
        }
        if *b <= 0.0 {
            return Err(E::Singular(format!("q[{i}] is {b}")));
        }
        total += a * (a / b).ln();
    }
    Ok(total)
}

#[differentiable(grad, vjp, jvp, into)]
pub fn mean_log(x: &[f64]) -> Option<f64> {
    let first = x.first()?;
    if *first < -1.0 {
        return None;
    }
    let s: f64 = x.iter().map(|v| (v * v + first * first).ln()).sum();
    Some(s / x.len() as f64)
}

#[differentiable]
pub fn cholesky_log_det(a: &Array2<f64>) -> Result<f64, E> {
    let n = a.nrows();
    if n == 0 {
        return Err(E::Empty);
    }
    if a.ncols() != n {
        return Err(E::Sizes(n, a.ncols()));
    }
    let mut l = Array2::<f64>::zeros((n, n));
    let mut total = 0.0;
    for j in 0..n {
        let mut d = a[[j, j]];
        for k in 0..j {
            d -= l[[j, k]] * l[[j, k]];
        }
        if d <= 0.0 {
            return Err(E::Singular(format!("pivot {j} is {d:.3}")));
        }
        let d = d.sqrt();
        l[[j, j]] = d;
        total += 2.0 * d.ln();
        for i in j + 1..n {
            let mut s = a[[i, j]];
            for k in 0..j {
                s -= l[[i, k]] * l[[j, k]];
            }
            l[[i, j]] = s / d;
        }
    }
    Ok(total)
}

#[differentiable]
pub fn newton(x0: f64, c: f64) -> Option<f64> {
    let mut x = x0;
    for _ in 0..50 {
        let f = x * x - c;
        let df = 2.0 * x;
        if df.abs() < 1e-12 {
            return None;
        }
        let step = f / df;
        x -= step;
        if step.abs() < 1e-12 {
            return Some(x);
        }
    }
    None
}

#[differentiable]
pub fn both(x0: f64, c: f64, p: &Array1<f64>, q: &Array1<f64>) -> Result<f64, E> {
    let root = newton(x0, c).ok_or(E::Empty)?;
    let e = entropy(p, q)?;
    Ok(root * e)
}

#[differentiable]
pub fn checked(x: &Array1<f64>, s: f64) -> f64 {
    assert!(s > 0.0, "s must be positive, and is {s}");
    assert_eq!(x.len(), 3, "three of them");
    x.iter().map(|v| v * s).sum()
}

#[differentiable]
pub fn kind(x: f64, k: u8) -> f64 {
    match k {
        0 => x.sin(),
        1 => x * x,
        2 => {
            if x < 0.0 {
                panic!("negative: {x}");
            }
            x.sqrt()
        }
        _ => unreachable!("no kind {k}"),
    }
}

#[differentiable]
pub fn rows(a: &Array2<f64>) -> Result<Array1<f64>, String> {
    let m = a.sum_axis(ndarray::Axis(0));
    if m.iter().any(|v| *v < 0.0) {
        return Err("negative".to_string());
    }
    Ok(m.mapv(f64::sqrt))
}

pub struct Model {
    w: f64,
}
impl Model {
    #[differentiable]
    pub fn owned(x: Array1<f64>, s: f64) -> Result<f64, E> {
        if x.is_empty() {
            return Err(E::Empty);
        }
        Ok(x.sum() * s)
    }
    pub fn w(&self) -> f64 {
        self.w
    }
}

fn panics(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let e = std::panic::catch_unwind(f).unwrap_err();
    e.downcast_ref::<String>()
        .cloned()
        .or_else(|| e.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap()
}

#[test]
fn fail_as_written() {
    let (p, q) = (array![0.2, 0.8], array![0.5, 0.5]);
    let (v, (dp, _)) = entropy_value_and_grad(&p, &q).unwrap();
    assert!((v - entropy(&p, &q).unwrap()).abs() < 1e-12);
    assert!((dp[0] - ((0.2f64 / 0.5).ln() + 1.0)).abs() < 1e-12);
    assert_eq!(entropy_grad(&p, &array![1.0]), Err(E::Sizes(2, 1)));
    assert_eq!(
        entropy_grad(&array![0.2, -0.5], &q),
        Err(E::Negative { at: 1, value: -0.5 })
    );
    assert_eq!(
        entropy_grad(&array![0.2, 0.5], &array![0.0, -1.0]),
        Err(E::Singular("q[0] is 0".into()))
    );
    let none = Array1::zeros(0);
    assert_eq!(
        entropy_value_and_grad(&none, &none),
        Ok((0.0, (none.clone(), none.clone())))
    );
    assert_eq!(mean_log_grad(&[]), None);
    assert_eq!(mean_log_grad(&[-2.0, 1.0]), None);
    let g = mean_log_grad(&[0.5, 1.0, 2.0]).unwrap();
    let h = 1e-6;
    for k in 0..3 {
        let mut a = [0.5, 1.0, 2.0];
        let mut b = a;
        a[k] += h;
        b[k] -= h;
        let d = (mean_log(&a).unwrap() - mean_log(&b).unwrap()) / (2.0 * h);
        assert!((d - g[k]).abs() < 1e-8);
    }
    let mut g2 = vec![0.0; 3];
    assert_eq!(
        mean_log_grad_into(
            &[0.5, 1.0, 2.0],
            &mut g2,
            &mut cotangent::Workspace::default()
        ),
        Some(())
    );
    assert_eq!(g, g2);
    let (v, t) = mean_log_jvp(&[0.5, 1.0, 2.0], &[1.0, 0.0, 0.0]).unwrap();
    assert!((t - g[0]).abs() < 1e-12 && v > 0.0);
    for n in [1usize, 5, 9] {
        let b = Array2::from_shape_fn((n, n), |(i, j)| ((i * 7 + j * 3) % 5) as f64 * 0.3);
        let a = b.dot(&b.t()) + Array2::<f64>::eye(n);
        let (v, g) = cholesky_log_det_value_and_grad(&a).unwrap();
        assert!((v - cholesky_log_det(&a).unwrap()).abs() < 1e-10);
        let mut a2 = a.clone();
        a2[[n - 1, 0]] += h;
        let mut a3 = a.clone();
        a3[[n - 1, 0]] -= h;
        let d = (cholesky_log_det(&a2).unwrap() - cholesky_log_det(&a3).unwrap()) / (2.0 * h);
        assert!((d - g[[n - 1, 0]]).abs() < 1e-6);
        let m = -&a;
        assert_eq!(
            cholesky_log_det_grad(&m).unwrap_err(),
            cholesky_log_det(&m).unwrap_err()
        );
    }
    assert_eq!(cholesky_log_det_grad(&Array2::zeros((0, 0))), Err(E::Empty));
    assert_eq!(
        cholesky_log_det_grad(&Array2::zeros((2, 3))),
        Err(E::Sizes(2, 3))
    );
    let (v, (a, b)) = newton_value_and_grad(1.0, 2.0).unwrap();
    assert!(
        (v - 2f64.sqrt()).abs() < 1e-12 && a.abs() < 1e-9 && (b - 0.5 / v).abs() < 1e-9,
        "{v} {a} {b}"
    );
    assert_eq!(newton_grad(0.0, 2.0), None);
    assert_eq!(newton_grad(1.0, -2.0), None);
    let (_, (_, dc, _, _)) = both_value_and_grad(1.0, 2.0, &p, &q).unwrap();
    assert!((dc - 0.5 / 2f64.sqrt() * entropy(&p, &q).unwrap()).abs() < 1e-9);
    assert_eq!(both_grad(0.0, 2.0, &p, &q), Err(E::Empty));
    assert_eq!(both_grad(1.0, 2.0, &p, &array![1.0]), Err(E::Sizes(2, 1)));
    assert_eq!(checked_grad(&array![1.0, 2.0, 3.0], 2.0).1, 6.0);
    assert_eq!(
        panics(|| {
            checked_grad(&array![1.0, 2.0, 3.0], -2.0);
        }),
        "s must be positive, and is -2"
    );
    assert!(
        panics(|| {
            checked_grad(&array![1.0, 2.0], 2.0);
        })
        .contains("three of them")
    );
    assert_eq!(kind_grad(3.0, 1), 6.0);
    assert_eq!(kind_grad(4.0, 2), 0.25);
    assert_eq!(
        panics(|| {
            kind_grad(-4.0, 2);
        }),
        "negative: -4"
    );
    assert_eq!(
        panics(|| {
            kind_grad(-4.0, 3);
        }),
        "internal error: entered unreachable code: no kind 3"
    );
    let a = array![[1.0, 4.0], [3.0, 5.0]];
    let (v, g) = rows_vjp(&a, &array![1.0, 1.0]).unwrap();
    assert_eq!(v, array![2.0, 3.0]);
    assert_eq!(g[[0, 0]], 0.25);
    assert_eq!(rows_jvp(&-&a, &a), Err("negative".into()));
    assert_eq!(
        Model::owned_grad(array![1.0, 2.0], 2.0).unwrap(),
        (array![2.0, 2.0], 3.0)
    );
    assert_eq!(Model::owned_grad(array![], 2.0), Err(E::Empty));
    assert_eq!(Model { w: 1.0 }.w(), 1.0);
}
