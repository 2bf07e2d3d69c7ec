//! Lists that are written in place, functions that write and fail, and lists whose elements move.

use crate::harness::*;
use cotangent::prelude::*;
use ndarray::Array2;

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct Body {
    pub(crate) pos: [f64; 3],
    pub(crate) vel: [f64; 3],
    pub(crate) mass: f64,
}

#[differentiable]
pub(crate) fn advance(bodies: &mut Vec<Body>, dt: f64) {
    let n = bodies.len();
    for i in 0..n {
        for j in (i + 1)..n {
            let mut d = [0.0; 3];
            for k in 0..3 {
                d[k] = bodies[i].pos[k] - bodies[j].pos[k];
            }
            let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let mag = dt / (d2 * d2.sqrt());
            let (mi, mj) = (bodies[i].mass, bodies[j].mass);
            for k in 0..3 {
                bodies[i].vel[k] -= d[k] * mj * mag;
                bodies[j].vel[k] += d[k] * mi * mag;
            }
        }
    }
    for b in bodies.iter_mut() {
        for k in 0..3 {
            b.pos[k] += dt * b.vel[k];
        }
    }
}
#[differentiable(vjp, jvp, wrt(bodies, dt))]
pub(crate) fn drift(bodies: &mut [Body], dt: f64) {
    for b in bodies.iter_mut() {
        for k in 0..3 {
            b.pos[k] += dt * b.vel[k] * b.mass;
        }
    }
}

#[differentiable(allow(loop_memory))]
pub(crate) fn simulate(bodies: &[Body], dt: f64, steps: usize) -> f64 {
    let mut bodies = bodies.to_vec();
    for _ in 0..steps {
        advance(&mut bodies, dt);
        drift(&mut bodies, 0.1 * dt);
    }
    bodies[0].pos[0]
}
#[differentiable(vjp, wrt(rows, k))]
pub(crate) fn scale_rows(rows: &mut [Vec<f64>], k: f64) -> f64 {
    let mut t = 0.0;
    for row in rows.iter_mut() {
        for v in row.iter_mut() {
            *v *= k;
            t += *v;
        }
    }
    t
}
#[differentiable(vjp, wrt(a, b))]
pub(crate) fn eliminate(a: &mut Vec<Vec<f64>>, b: &mut [f64]) {
    let n = b.len();
    for c in 0..n {
        for r in c + 1..n {
            let f = a[r][c] / a[c][c];
            for k in c..n {
                a[r][k] -= f * a[c][k];
            }
            b[r] -= f * b[c];
        }
    }
}
impl Numbers for Body {
    fn numbers(&self) -> Vec<f64> {
        let mut v = self.pos.to_vec();
        v.extend(self.vel);
        v.push(self.mass);
        v
    }
    fn with(&self, f: &mut dyn Iterator<Item = f64>) -> Self {
        let pos = self.pos.with(f);
        let vel = self.vel.with(f);
        Body {
            pos,
            vel,
            mass: f.next().unwrap(),
        }
    }
}
fn bodies() -> Vec<Body> {
    (0..3)
        .map(|i| {
            let i = i as f64;
            Body {
                pos: [i, i * i * 0.5, 0.3 - i],
                vel: [0.1 * i, 0.2, -0.1],
                mass: 1.0 + 0.1 * i,
            }
        })
        .collect()
}
#[test]
fn t_sim() {
    agree(
        (bodies(), 0.01),
        |x| simulate(&x.0, x.1, 5),
        |x| simulate_value_and_grad(&x.0, x.1, 5),
    );
}
#[test]
fn t_drift() {
    let c = bodies();
    let d = |a: &[Body]| -> f64 {
        a.iter()
            .zip(&c)
            .map(|(a, c)| {
                a.numbers()
                    .iter()
                    .zip(c.numbers())
                    .map(|(p, q)| p * q)
                    .sum::<f64>()
            })
            .sum()
    };
    agree(
        (bodies(), 0.1),
        |x| {
            let mut b = x.0.clone();
            drift(&mut b, x.1);
            d(&b)
        },
        |x| {
            let mut b = x.0.clone();
            let g = drift_vjp(x.1, &c, &mut b);
            (d(&b), g)
        },
    );
    let (mut b, mut t) = (bodies(), bodies());
    drift_jvp(0.1, 1.0, &mut b, &mut t);
    let mut e = bodies();
    drift(&mut e, 0.1);
    assert_eq!(b, e);
}
#[test]
fn t_scale() {
    let c = vec![vec![1.0, 2.0], vec![3.0]];
    let d = |a: &[Vec<f64>]| -> f64 {
        a.iter()
            .zip(&c)
            .map(|(a, c)| a.iter().zip(c).map(|(p, q)| p * q).sum::<f64>())
            .sum()
    };
    agree(
        (vec![vec![0.3, 0.4], vec![0.5]], 1.5),
        |x| {
            let mut b = x.0.clone();
            2.0 * scale_rows(&mut b, x.1) + d(&b)
        },
        |x| {
            let mut b = x.0.clone();
            let (v, g) = scale_rows_vjp(x.1, 2.0, &c, &mut b);
            (2.0 * v + d(&b), g)
        },
    );
}
#[test]
fn t_elim() {
    let a = vec![vec![2.0, 0.5], vec![0.3, 1.5]];
    let c = vec![vec![1.0, 2.0], vec![3.0, 0.1]];
    let cb = [0.2, 0.7];
    let d = |a: &[Vec<f64>], b: &[f64]| -> f64 {
        a.iter()
            .zip(&c)
            .map(|(a, c)| a.iter().zip(c).map(|(p, q)| p * q).sum::<f64>())
            .sum::<f64>()
            + b[0] * cb[0]
            + b[1] * cb[1]
    };
    agree(
        (a, vec![1.0, 2.0]),
        |x| {
            let (mut a, mut b) = x.clone();
            eliminate(&mut a, &mut b);
            d(&a, &b)
        },
        |x| {
            let (mut a, mut b) = x.clone();
            let g = eliminate_vjp(&c, &cb, &mut a, &mut b);
            (d(&a, &b), g)
        },
    );
}
#[differentiable(vjp, jvp)]
pub(crate) fn write_result(x: &[f64], out: &mut [f64]) -> Result<(), String> {
    if x.len() != out.len() {
        return Err("no".to_string());
    }
    for i in 0..x.len() {
        if x[i] < 0.0 {
            return Err(format!("negative {}", x[i]));
        }
        out[i] = x[i].sqrt();
    }
    Ok(())
}
#[differentiable(vjp, wrt(a))]
pub(crate) fn cholesky_in_place(a: &mut Array2<f64>) -> Result<f64, usize> {
    let n = a.nrows();
    let mut det = 1.0;
    for j in 0..n {
        let mut d = a[[j, j]];
        for k in 0..j {
            d -= a[[j, k]] * a[[j, k]];
        }
        if d <= 0.0 {
            return Err(j);
        }
        a[[j, j]] = d.sqrt();
        det *= d;
        for i in j + 1..n {
            let mut s = a[[i, j]];
            for k in 0..j {
                s -= a[[i, k]] * a[[j, k]];
            }
            a[[i, j]] = s / a[[j, j]];
        }
        for i in 0..j {
            a[[i, j]] = 0.0;
        }
    }
    if det > 1e300 { Err(n) } else { Ok(det) }
}
#[differentiable]
pub(crate) fn calls(x: &[f64]) -> Result<f64, String> {
    let mut out = vec![0.0; x.len()];
    write_result(x, &mut out)?;
    Ok(out.iter().sum())
}
#[differentiable]
pub(crate) fn log_det(a: &Array2<f64>) -> Option<f64> {
    let mut l = a.clone();
    let d = cholesky_in_place(&mut l).ok()?;
    Some(d.ln() + l[[1, 0]])
}
#[test]
fn t_wr() {
    let c = [1.0, 2.0];
    agree(
        (vec![0.3, 0.4],),
        |x| {
            let mut o = [0.0; 2];
            write_result(&x.0, &mut o).unwrap();
            o[0] + 2.0 * o[1]
        },
        |x| {
            let mut o = [0.0; 2];
            let g = write_result_vjp(&x.0, &c, &mut o).unwrap();
            (o[0] + 2.0 * o[1], g)
        },
    );
    let mut o = [7.0; 2];
    assert_eq!(
        write_result_vjp(&[1.0, -1.0], &c, &mut o),
        Err("negative -1".to_string())
    );
    assert_eq!(o, [7.0; 2]);
    assert_eq!(
        write_result_jvp(&[1.0], &[1.0], &mut o, &mut [0.0; 2]),
        Err("no".to_string())
    );
    agree(
        (vec![0.3, 0.4],),
        |x| calls(&x.0).unwrap(),
        |x| calls_value_and_grad(&x.0).unwrap(),
    );
    assert_eq!(calls_grad(&[-2.0]), Err("negative -2".to_string()));
}
#[test]
fn t_chol() {
    let m = matrix(3, 3);
    let m = m.dot(&m.t()) + Array2::<f64>::eye(3);
    let c = matrix(3, 3);
    agree(
        (m.clone(),),
        |x| {
            let mut a = x.0.clone();
            let d = cholesky_in_place(&mut a).unwrap();
            2.0 * d + (&a * &c).sum()
        },
        |x| {
            let mut a = x.0.clone();
            let (d, g) = cholesky_in_place_vjp(2.0, &c, &mut a).unwrap();
            (2.0 * d + (&a * &c).sum(), g)
        },
    );
    assert_eq!(
        cholesky_in_place_vjp(1.0, &c, &mut Array2::zeros((3, 3))).err(),
        Some(0)
    );
    agree(
        (m,),
        |x| log_det(&x.0).unwrap(),
        |x| log_det_value_and_grad(&x.0).unwrap(),
    );
}
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct P {
    pub(crate) x: f64,
    pub(crate) v: f64,
}
const ORIGIN: P = P { x: 0.5, v: -1.0 };
const PAIR: (f64, [f64; 2]) = (2.0, [3.0, 4.0]);
#[differentiable]
fn from_origin(x: f64) -> f64 {
    let d = x - ORIGIN.x;
    d * d * ORIGIN.v * PAIR.0 + PAIR.1[1] * x
}
#[differentiable]
pub(crate) fn inserted(x: &[f64], k: usize) -> f64 {
    let mut v = x.to_vec();
    v.insert(0, 1.0);
    v.insert(k, 3.0 * x[0]);
    v.iter().enumerate().map(|(i, a)| i as f64 * a * a).sum()
}
#[differentiable]
pub(crate) fn removed(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let a = v.remove(0);
    v.swap_remove(1);
    v.iter()
        .enumerate()
        .map(|(i, b)| (i + 1) as f64 * a * b * b)
        .sum()
}
#[differentiable]
pub(crate) fn reserved(x: &[f64]) -> f64 {
    let mut v = Vec::new();
    v.reserve(x.len());
    for &a in x {
        v.push(a * a);
    }
    v.iter().sum()
}
#[differentiable]
pub(crate) fn tuple_list(x: &[f64]) -> f64 {
    let mut v = vec![(0.0, 1.0)];
    for &a in x {
        let (t, y) = *v.last().unwrap();
        v.push((t + 0.1, y + a * y));
    }
    v.iter().map(|(t, y)| t * y).sum()
}
/// Insertion sort into a list that grows.
#[differentiable]
pub(crate) fn sorted_insert(x: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = Vec::with_capacity(x.len());
    for &a in x {
        let mut k = 0;
        while k < sorted.len() && sorted[k] < a {
            k += 1;
        }
        sorted.insert(k, a);
    }
    sorted
        .iter()
        .enumerate()
        .map(|(i, a)| (i + 1) as f64 * a * a)
        .sum()
}
#[test]
fn t() {
    agree(
        (list(4),),
        |x| inserted(&x.0, 2),
        |x| inserted_value_and_grad(&x.0, 2),
    );
    agree(
        (list(4),),
        |x| removed(&x.0),
        |x| removed_value_and_grad(&x.0),
    );
    agree(
        (list(4),),
        |x| reserved(&x.0),
        |x| reserved_value_and_grad(&x.0),
    );
    agree(
        (list(4),),
        |x| tuple_list(&x.0),
        |x| tuple_list_value_and_grad(&x.0),
    );
    agree(
        (list(5),),
        |x| sorted_insert(&x.0),
        |x| sorted_insert_value_and_grad(&x.0),
    );
    agree(
        (0.3,),
        |x| from_origin(x.0),
        |x| (from_origin(x.0), (from_origin_grad(x.0),)),
    );
}
//#[test] fn m() { agree((vec![0.3, 0.1, 0.7, 0.45],), |x| merged(&x.0), |x| merged_value_and_grad(&x.0)); }
