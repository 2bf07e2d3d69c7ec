//! Lists of lists as results, and with rows that change places.

use crate::harness::*;
use cotangent::prelude::*;

#[differentiable(vjp, jvp)]
pub(crate) fn table_result(x: &[f64], n: usize) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; n]; x.len()];
    for i in 0..x.len() {
        for j in 0..n {
            out[i][j] = x[i].powi(j as i32);
        }
    }
    out
}
#[differentiable(vjp, jvp)]
pub(crate) fn outer(x: &[f64], y: &[f64]) -> Vec<Vec<f64>> {
    x.iter()
        .map(|a| y.iter().map(|b| a * b).collect())
        .collect()
}
#[differentiable(vjp, jvp)]
pub(crate) fn matmul(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = a.len();
    let m = b[0].len();
    let k = b.len();
    let mut c = vec![vec![0.0; m]; n];
    for i in 0..n {
        for j in 0..m {
            for l in 0..k {
                c[i][j] += a[i][l] * b[l][j];
            }
        }
    }
    c
}
#[differentiable]
pub(crate) fn chain(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let c = matmul(a, b);
    let d = matmul(&c, b);
    let t: f64 = d.iter().map(|r| r.iter().map(|v| v * v).sum::<f64>()).sum();
    t + c[0][1] * d[1][0]
}
#[differentiable(vjp, jvp)]
pub(crate) fn squared(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut out = rows.to_vec();
    for row in out.iter_mut() {
        for v in row.iter_mut() {
            *v = *v * *v;
        }
    }
    out
}
#[differentiable(vjp, jvp)]
pub(crate) fn rotation(t: f64) -> Vec<Vec<f64>> {
    vec![vec![t.cos(), -t.sin()], vec![t.sin(), t.cos()]]
}
#[differentiable(vjp, jvp)]
pub(crate) fn lu(a: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut l = vec![vec![0.0; n]; n];
    let mut u = vec![vec![0.0; n]; n];
    for i in 0..n {
        for k in i..n {
            let mut s = 0.0;
            for j in 0..i {
                s += l[i][j] * u[j][k];
            }
            u[i][k] = a[i][k] - s;
        }
        for k in i..n {
            if i == k {
                l[i][i] = 1.0;
            } else {
                let mut s = 0.0;
                for j in 0..i {
                    s += l[k][j] * u[j][i];
                }
                l[k][i] = (a[k][i] - s) / u[i][i];
            }
        }
    }
    (l, u)
}
#[differentiable(vjp)]
pub(crate) fn transpose(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..a[0].len())
        .map(|j| (0..a.len()).map(|i| a[i][j]).collect())
        .collect()
}
#[differentiable(vjp)]
pub(crate) fn inverse(m: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = m.len();
    let mut aug = vec![vec![0.0; 2 * n]; n];
    for i in 0..n {
        for j in 0..n {
            aug[i][j] = m[i][j];
        }
        aug[i][n + i] = 1.0;
    }
    for col in 0..n {
        let mut p = col;
        for r in col + 1..n {
            if aug[r][col].abs() > aug[p][col].abs() {
                p = r;
            }
        }
        aug.swap(col, p);
        let d = aug[col][col];
        if d.abs() < 1e-14 {
            return None;
        }
        for k in 0..2 * n {
            aug[col][k] /= d;
        }
        for r in 0..n {
            if r != col {
                let f = aug[r][col];
                for k in 0..2 * n {
                    aug[r][k] -= f * aug[col][k];
                }
            }
        }
    }
    let mut out = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            out[i][j] = aug[i][n + j];
        }
    }
    Some(out)
}
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct P {
    pub(crate) x: f64,
    pub(crate) v: f64,
}
#[differentiable]
pub(crate) fn swapped(ps: &[P]) -> f64 {
    let mut q = ps.to_vec();
    q.swap(0, 1);
    q[0].x * 2.0 + q[1].v
}
fn sq(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| {
            (0..n)
                .map(|j| ((3 * i + 5 * j + i * j) as f64 * 0.9 + 0.2).sin())
                .collect()
        })
        .collect()
}
fn dot(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(p, q)| {
            assert_eq!(p.len(), q.len());
            p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>()
        })
        .sum()
}
fn cot(n: usize, m: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| (0..m).map(|j| ((i * 7 + j * 3) as f64).cos()).collect())
        .collect()
}

#[test]
fn t_table() {
    let c = cot(3, 4);
    agree(
        (list(3),),
        |x| dot(&table_result(&x.0, 4), &c),
        |x| {
            let (v, g) = table_result_vjp(&x.0, 4, &c);
            (dot(&v, &c), g)
        },
    );
}
#[test]
fn t_table_jvp() {
    let x = list(3);
    let t = vec![1.0, 2.0, 3.0];
    let (v, d) = table_result_jvp(&x, 4, &t);
    assert_eq!(v, table_result(&x, 4));
    assert!((d[1][2] - 2.0 * 2.0 * x[1]).abs() < 1e-12);
    assert_eq!(d.len(), 3);
    assert_eq!(d[0].len(), 4);
}
#[test]
fn t_outer() {
    let c = cot(3, 2);
    agree(
        (list(3), list(2)),
        |x| dot(&outer(&x.0, &x.1), &c),
        |x| {
            let (v, g) = outer_vjp(&x.0, &x.1, &c);
            (dot(&v, &c), g)
        },
    );
}
#[test]
fn t_matmul() {
    let c = cot(3, 3);
    agree(
        (sq(3), sq(3)),
        |x| dot(&matmul(&x.0, &x.1), &c),
        |x| {
            let (v, g) = matmul_vjp(&x.0, &x.1, &c);
            (dot(&v, &c), g)
        },
    );
}
#[test]
fn t_chain() {
    agree(
        (sq(3), sq(3)),
        |x| chain(&x.0, &x.1),
        |x| chain_value_and_grad(&x.0, &x.1),
    );
}
#[test]
fn t_squared() {
    let c = vec![vec![1.0, 2.0], vec![], vec![3.0]];
    agree(
        (vec![vec![0.5, 0.7], vec![], vec![0.2]],),
        |x| dot(&squared(&x.0), &c),
        |x| {
            let (v, g) = squared_vjp(&x.0, &c);
            (dot(&v, &c), g)
        },
    );
}
#[test]
#[should_panic]
fn t_squared_wrong() {
    let c = vec![vec![1.0], vec![2.0], vec![3.0]];
    squared_vjp(&[vec![0.5, 0.7], vec![], vec![0.2]], &c);
}
#[test]
#[should_panic]
fn t_table_wrong() {
    let c = cot(4, 3);
    table_result_vjp(&[1.0, 2.0, 3.0], 4, &c);
}
#[test]
fn t_rot() {
    let c = cot(2, 2);
    agree(
        (0.3,),
        |x| dot(&rotation(x.0), &c),
        |x| {
            let (v, g) = rotation_vjp(x.0, &c);
            (dot(&v, &c), g)
        },
    );
}
#[test]
fn t_lu() {
    let c = cot(3, 3);
    agree(
        (sq(3),),
        |x| {
            let (l, u) = lu(&x.0);
            dot(&l, &c) + 2.0 * dot(&u, &c)
        },
        |x| {
            let c2: Vec<Vec<f64>> = c
                .iter()
                .map(|r| r.iter().map(|v| 2.0 * v).collect())
                .collect();
            let ((l, u), g) = lu_vjp(&x.0, &(c.clone(), c2.clone()));
            (dot(&l, &c) + dot(&u, &c2), g)
        },
    );
}
#[test]
fn t_transpose() {
    let c = cot(3, 3);
    agree(
        (sq(3),),
        |x| dot(&transpose(&x.0), &c),
        |x| {
            let (v, g) = transpose_vjp(&x.0, &c);
            (dot(&v, &c), g)
        },
    );
}
#[test]
fn t_inverse() {
    let c = cot(3, 3);
    agree(
        (sq(3),),
        |x| dot(&inverse(&x.0).unwrap(), &c),
        |x| {
            let (v, g) = inverse_vjp(&x.0, &c).unwrap();
            (dot(&v, &c), g)
        },
    );
    assert!(inverse_vjp(&vec![vec![0.0; 3]; 3], &c).is_none());
}
#[test]
fn t_swapped() {
    let g = swapped_grad(&[P { x: 1.0, v: 2.0 }, P { x: 3.0, v: 4.0 }]);
    assert_eq!(g, [P { x: 0.0, v: 1.0 }, P { x: 2.0, v: 0.0 }]);
}

#[differentiable(noinline)]
fn product_apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (n, m) = (a.len(), b[0].len());
    let mut c = vec![vec![0.0; m]; n];
    for i in 0..n {
        for j in 0..m {
            for k in 0..b.len() {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}
#[differentiable]
fn twice_apart(a: &[Vec<f64>], t: f64) -> f64 {
    let r = vec![vec![t.cos(), -t.sin()], vec![t.sin(), t.cos()]];
    let p = product_apart(&r, a);
    let q = product_apart(&p, &p);
    q[0][1] * q[1][0] + p[0][0]
}
#[test]
fn t_apart() {
    agree(
        (sq(2), 0.3),
        |x| twice_apart(&x.0, x.1),
        |x| twice_apart_value_and_grad(&x.0, x.1),
    );
}
