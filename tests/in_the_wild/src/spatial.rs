//! Rotations, chains of joints, alignments, linear systems and rays, as textbooks write them.

use cotangent::prelude::*;
use ndarray::{Array1, Array2};
use std::f64::consts::PI;
use std::ops::{Add, Mul};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct Quaternion {
    pub(crate) w: f64,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
}

#[differentiable]
impl Mul for Quaternion {
    type Output = Self;
    #[differentiable]
    fn mul(self, rhs: Self) -> Self {
        Self {
            w: self.w * rhs.w - self.x * rhs.x - self.y * rhs.y - self.z * rhs.z,
            x: self.w * rhs.x + self.x * rhs.w + self.y * rhs.z - self.z * rhs.y,
            y: self.w * rhs.y - self.x * rhs.z + self.y * rhs.w + self.z * rhs.x,
            z: self.w * rhs.z + self.x * rhs.y - self.y * rhs.x + self.z * rhs.w,
        }
    }
}

#[differentiable]
impl Quaternion {
    pub const IDENTITY: Quaternion = Quaternion {
        w: 1.0,
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };

    #[differentiable]
    fn from_axis_angle(axis: [f64; 3], angle: f64) -> Self {
        let norm = (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
        let (s, c) = (angle * 0.5).sin_cos();
        let s = s / norm;
        Self {
            w: c,
            x: axis[0] * s,
            y: axis[1] * s,
            z: axis[2] * s,
        }
    }
    #[differentiable]
    fn conjugate(self) -> Self {
        Self {
            x: -self.x,
            y: -self.y,
            z: -self.z,
            ..self
        }
    }
    #[differentiable]
    fn norm(&self) -> f64 {
        (self.w.powi(2) + self.x.powi(2) + self.y.powi(2) + self.z.powi(2)).sqrt()
    }
    #[differentiable]
    fn rotate(&self, v: [f64; 3]) -> [f64; 3] {
        let p = Quaternion {
            w: 0.0,
            x: v[0],
            y: v[1],
            z: v[2],
        };
        let r = *self * p * self.conjugate();
        [r.x, r.y, r.z]
    }
    #[differentiable]
    fn slerp(self, other: Self, t: f64) -> Self {
        let mut dot = self.w * other.w + self.x * other.x + self.y * other.y + self.z * other.z;
        let mut other = other;
        if dot < 0.0 {
            other = Quaternion {
                w: -other.w,
                x: -other.x,
                y: -other.y,
                z: -other.z,
            };
            dot = -dot;
        }
        if dot > 0.9995 {
            return Quaternion {
                w: self.w + t * (other.w - self.w),
                x: self.x + t * (other.x - self.x),
                y: self.y + t * (other.y - self.y),
                z: self.z + t * (other.z - self.z),
            };
        }
        let theta = dot.acos();
        let s0 = ((1.0 - t) * theta).sin() / theta.sin();
        let s1 = (t * theta).sin() / theta.sin();
        Quaternion {
            w: s0 * self.w + s1 * other.w,
            x: s0 * self.x + s1 * other.x,
            y: s0 * self.y + s1 * other.y,
            z: s0 * self.z + s1 * other.z,
        }
    }
}

#[differentiable]
pub(crate) fn gyro_path(rates: &[[f64; 3]], dt: f64) -> f64 {
    let mut q = Quaternion {
        w: 1.0,
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };
    for w in rates {
        let angle = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt() * dt;
        if angle > 1e-12 {
            q = q * Quaternion::from_axis_angle(*w, angle);
        }
    }
    let v = q.rotate([1.0, 0.0, 0.0]);
    v[0] + 2.0 * v[1] + 3.0 * v[2]
}

pub(crate) type Mat4 = [[f64; 4]; 4];

#[differentiable]
pub(crate) fn mat_mul(a: &Mat4, b: &Mat4) -> Mat4 {
    let mut c = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct DhLink {
    pub(crate) a: f64,
    pub(crate) alpha: f64,
    pub(crate) d: f64,
}

#[differentiable]
pub(crate) fn dh(link: &DhLink, theta: f64) -> Mat4 {
    let (st, ct) = theta.sin_cos();
    let (sa, ca) = link.alpha.sin_cos();
    [
        [ct, -st * ca, st * sa, link.a * ct],
        [st, ct * ca, -ct * sa, link.a * st],
        [0.0, sa, ca, link.d],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

#[differentiable]
pub(crate) fn forward_kinematics(links: &[DhLink], q: &[f64]) -> [f64; 3] {
    let mut t = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    for (link, &theta) in links.iter().zip(q) {
        t = mat_mul(&t, &dh(link, theta));
    }
    [t[0][3], t[1][3], t[2][3]]
}

#[differentiable(wrt(q, target))]
pub(crate) fn ik_objective(
    links: &[DhLink],
    q: &[f64],
    target: [f64; 3],
    limits: &[(f64, f64)],
) -> f64 {
    let p = forward_kinematics(links, q);
    let err: f64 = p
        .iter()
        .zip(target.iter())
        .map(|(a, b)| (a - b).powi(2))
        .sum();
    let penalty: f64 = q
        .iter()
        .zip(limits)
        .map(|(&qi, &(lo, hi))| (lo - qi).max(0.0).powi(2) + (qi - hi).max(0.0).powi(2))
        .sum();
    err + 10.0 * penalty
}

#[differentiable]
pub(crate) fn soft_align(scores: &Array2<f64>, gap: f64, temp: f64) -> f64 {
    let (n, m) = scores.dim();
    let mut v = Array2::<f64>::zeros((n + 1, m + 1));
    for i in 1..=n {
        v[[i, 0]] = v[[i - 1, 0]] - gap;
    }
    for j in 1..=m {
        v[[0, j]] = v[[0, j - 1]] - gap;
    }
    for i in 1..=n {
        for j in 1..=m {
            let options = [
                v[[i - 1, j - 1]] + scores[[i - 1, j - 1]],
                v[[i - 1, j]] - gap,
                v[[i, j - 1]] - gap,
            ];
            let max = options.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            v[[i, j]] = max
                + temp
                    * options
                        .iter()
                        .map(|o| ((o - max) / temp).exp())
                        .sum::<f64>()
                        .ln();
        }
    }
    v[[n, m]]
}

#[differentiable(wrt(cost))]
pub(crate) fn weighted_edit_distance(a: &[u8], b: &[u8], cost: &[f64; 3]) -> f64 {
    let mut prev: Vec<f64> = (0..=b.len()).map(|j| j as f64 * cost[0]).collect();
    for (i, &ca) in a.iter().enumerate() {
        let mut cur = vec![(i + 1) as f64 * cost[1]];
        for (j, &cb) in b.iter().enumerate() {
            let sub = prev[j] + if ca == cb { 0.0 } else { cost[2] };
            cur.push(sub.min(prev[j + 1] + cost[1]).min(cur[j] + cost[0]));
        }
        prev = cur;
    }
    prev[b.len()]
}

#[differentiable]
pub(crate) fn thomas(a: &[f64], b: &[f64], c: &[f64], d: &[f64]) -> Vec<f64> {
    let n = d.len();
    let mut c_prime = vec![0.0; n];
    let mut d_prime = vec![0.0; n];
    c_prime[0] = c[0] / b[0];
    d_prime[0] = d[0] / b[0];
    for i in 1..n {
        let m = b[i] - a[i] * c_prime[i - 1];
        c_prime[i] = c[i] / m;
        d_prime[i] = (d[i] - a[i] * d_prime[i - 1]) / m;
    }
    let mut x = vec![0.0; n];
    x[n - 1] = d_prime[n - 1];
    for i in (0..n - 1).rev() {
        x[i] = d_prime[i] - c_prime[i] * x[i + 1];
    }
    x
}

#[differentiable]
pub(crate) fn gauss_solve(a: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let mut a = a.to_vec();
    let mut b = b.to_vec();
    for col in 0..n {
        let mut pivot = col;
        for row in col + 1..n {
            if a[row][col].abs() > a[pivot][col].abs() {
                pivot = row;
            }
        }
        if a[pivot][col].abs() < 1e-12 {
            return None;
        }
        a.swap(col, pivot);
        b.swap(col, pivot);
        for row in col + 1..n {
            let f = a[row][col] / a[col][col];
            for k in col..n {
                a[row][k] -= f * a[col][k];
            }
            b[row] -= f * b[col];
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let mut s = b[i];
        for j in i + 1..n {
            s -= a[i][j] * x[j];
        }
        x[i] = s / a[i][i];
    }
    Some(x)
}

#[differentiable]
pub(crate) fn cholesky(a: &Array2<f64>) -> Option<Array2<f64>> {
    let n = a.nrows();
    let mut l = Array2::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[[i, j]];
            for k in 0..j {
                sum -= l[[i, k]] * l[[j, k]];
            }
            if i == j {
                if sum <= 0.0 {
                    return None;
                }
                l[[i, j]] = f64::sqrt(sum);
            } else {
                l[[i, j]] = sum / l[[j, j]];
            }
        }
    }
    Some(l)
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct Vec3 {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
}
#[differentiable]
impl Add for Vec3 {
    type Output = Vec3;
    #[differentiable]
    fn add(self, o: Vec3) -> Vec3 {
        Vec3 {
            x: self.x + o.x,
            y: self.y + o.y,
            z: self.z + o.z,
        }
    }
}
#[differentiable]
impl Mul<f64> for Vec3 {
    type Output = Vec3;
    #[differentiable]
    fn mul(self, k: f64) -> Vec3 {
        Vec3 {
            x: self.x * k,
            y: self.y * k,
            z: self.z * k,
        }
    }
}
#[differentiable]
impl std::ops::Sub for Vec3 {
    type Output = Vec3;
    #[differentiable]
    fn sub(self, o: Vec3) -> Vec3 {
        Vec3 {
            x: self.x - o.x,
            y: self.y - o.y,
            z: self.z - o.z,
        }
    }
}
#[differentiable]
impl std::ops::Neg for Vec3 {
    type Output = Vec3;
    #[differentiable]
    fn neg(self) -> Vec3 {
        Vec3 {
            x: -self.x,
            y: -self.y,
            z: -self.z,
        }
    }
}
#[differentiable]
impl std::ops::AddAssign for Vec3 {
    #[differentiable]
    fn add_assign(&mut self, o: Vec3) {
        self.x += o.x;
        self.y += o.y;
        self.z += o.z;
    }
}
#[differentiable]
impl Vec3 {
    #[differentiable]
    fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }
    #[differentiable]
    fn dot(&self, o: &Vec3) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    #[differentiable]
    fn length(&self) -> f64 {
        self.dot(self).sqrt()
    }
    #[differentiable]
    fn normalized(self) -> Vec3 {
        self * (1.0 / self.length())
    }
    #[differentiable]
    fn reflect(self, n: Vec3) -> Vec3 {
        self - n * (2.0 * self.dot(&n))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct Sphere {
    pub(crate) centre: Vec3,
    pub(crate) radius: f64,
}

#[differentiable]
pub(crate) fn hit(s: &Sphere, origin: Vec3, dir: Vec3) -> Option<f64> {
    let oc = origin - s.centre;
    let a = dir.dot(&dir);
    let half_b = oc.dot(&dir);
    let c = oc.dot(&oc) - s.radius * s.radius;
    let disc = half_b * half_b - a * c;
    if disc < 0.0 {
        None
    } else {
        let root = (-half_b - disc.sqrt()) / a;
        if root > 1e-3 { Some(root) } else { None }
    }
}

#[differentiable]
pub(crate) fn shade(spheres: &[Sphere], origin: Vec3, dir: Vec3, light: Vec3) -> f64 {
    let mut closest = f64::INFINITY;
    let mut normal = Vec3::new(0.0, 0.0, 0.0);
    let mut found = false;
    for s in spheres {
        if let Some(t) = hit(s, origin, dir) {
            if t < closest {
                closest = t;
                normal = (origin + dir * t - s.centre).normalized();
                found = true;
            }
        }
    }
    if !found {
        return 0.1;
    }
    let l = light.normalized();
    let diffuse = normal.dot(&l).max(0.0);
    let r = (-l).reflect(normal);
    let specular = r.dot(&(-dir.normalized())).max(0.0).powi(8);
    0.1 + 0.7 * diffuse + 0.2 * specular
}

#[differentiable(wrt(omega, alpha, beta))]
pub(crate) fn garch_nll(omega: f64, alpha: f64, beta: f64, returns: &[f64]) -> f64 {
    let n = returns.len();
    let mean = returns.iter().sum::<f64>() / n as f64;
    let mut sigma2 = returns.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    let mut nll = 0.0;
    for t in 0..n {
        if t > 0 {
            let e = returns[t - 1] - mean;
            sigma2 = omega + alpha * e * e + beta * sigma2;
        }
        let e = returns[t] - mean;
        nll += 0.5 * ((2.0 * PI).ln() + sigma2.ln() + e * e / sigma2);
    }
    nll
}

#[differentiable(wrt(length_scale, sigma_f, sigma_n))]
pub(crate) fn gp_nll(
    length_scale: f64,
    sigma_f: f64,
    sigma_n: f64,
    x: &Array2<f64>,
    y: &Array1<f64>,
) -> Option<f64> {
    let n = x.nrows();
    let mut k = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in i..n {
            let d2 = (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum();
            let v = sigma_f.powi(2) * (-0.5 * d2 / length_scale.powi(2)).exp();
            k[[i, j]] = v;
            k[[j, i]] = v;
        }
        k[[i, i]] += sigma_n.powi(2);
    }
    let l = cholesky(&k)?;
    let mut alpha = y.clone();
    for i in 0..n {
        for j in 0..i {
            alpha[i] = alpha[i] - l[[i, j]] * alpha[j];
        }
        alpha[i] /= l[[i, i]];
    }
    let log_det: f64 = l.diag().iter().map(|v| v.ln()).sum();
    Some(0.5 * alpha.dot(&alpha) + log_det + 0.5 * n as f64 * (2.0 * PI).ln())
}

#[differentiable]
fn slerp_sum(a: [f64; 3], p: f64, q: f64, t: f64) -> f64 {
    let r =
        Quaternion::from_axis_angle(a, p).slerp(Quaternion::from_axis_angle([0.1, 0.2, 1.0], q), t);
    let v = r.rotate([1.0, 2.0, 3.0]);
    v[0] + v[1] * 2.0 - v[2] + r.norm()
}
#[differentiable]
fn thomas_sum(a: &[f64], b: &[f64], c: &[f64], d: &[f64]) -> f64 {
    thomas(a, b, c, d)
        .iter()
        .enumerate()
        .map(|(i, v)| (i as f64 + 1.0) * v)
        .sum()
}
#[differentiable]
fn gauss_sum(a: &[Vec<f64>], b: &[f64]) -> Option<f64> {
    let x = gauss_solve(a, b)?;
    Some(
        x.iter()
            .enumerate()
            .map(|(i, v)| (i as f64 + 1.0) * v)
            .sum(),
    )
}
#[differentiable]
fn shade_of(r: f64, c: [f64; 3], l: [f64; 3]) -> f64 {
    let spheres = vec![
        Sphere {
            centre: Vec3::new(c[0], c[1], c[2]),
            radius: r,
        },
        Sphere {
            centre: Vec3::new(3.0, 0.0, 9.0),
            radius: 1.0,
        },
    ];
    shade(
        &spheres,
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(0.05, 0.1, 1.0),
        Vec3::new(l[0], l[1], l[2]),
    )
}
#[differentiable]
fn ik(q: &[f64], target: [f64; 3]) -> f64 {
    let links = [
        DhLink {
            a: 1.0,
            alpha: 0.3,
            d: 0.1,
        },
        DhLink {
            a: 0.8,
            alpha: -0.2,
            d: 0.0,
        },
        DhLink {
            a: 0.5,
            alpha: 0.1,
            d: 0.2,
        },
    ];
    ik_objective(&links, q, target, &[(-1.0, 1.0), (-0.1, 0.1), (-2.0, 2.0)])
}

tests! {
    gyro_agrees: gyro_path, gyro_path_value_and_grad, r: vec![[0.1, 0.2, 0.3], [0.5, -0.2, 0.1], [0.3, 0.3, -0.4]], dt: 0.3 => (&r, dt);
    slerp_agrees: slerp_sum, slerp_sum_value_and_grad, a: [1.0, 0.5, -0.3], p: 0.7, q: 1.9, t: 0.4 => (a, p, q, t);
    ik_agrees: ik, ik_value_and_grad, q: vec![0.3, 0.5, -0.2], t: [1.0, 0.5, 0.2] => (&q, t);
    align_agrees: soft_align, soft_align_value_and_grad, s: matrix(4, 3), g: 0.4, t: 0.7 => (&s, g, t);
    edit_agrees: weighted_edit_distance, weighted_edit_distance_value_and_grad, c: [1.0, 1.3, 1.7] => (b"kitten", b"sitting", &c);
    thomas_agrees: thomas_sum, thomas_sum_value_and_grad, a: list(4), b: vec![3.0, 3.5, 4.0, 3.2], c: list(4), d: list(4) => (&a, &b, &c, &d);
    shade_agrees: shade_of, shade_of_value_and_grad, r: 1.0, c: [0.2, 0.1, 4.0], l: [0.3, 0.5, -1.0] => (r, c, l);
    garch_agrees: garch_nll, garch_nll_value_and_grad, o: 0.1, a: 0.2, b: 0.5; r: list(6) => (o, a, b, &r);
}

mod more {
    use super::*;
    use crate::harness::*;
    #[test]
    fn gauss() {
        agree(
            (
                vec![
                    vec![0.1, 2.0, 0.3],
                    vec![1.0, 0.2, -0.4],
                    vec![0.5, 0.6, 3.0],
                ],
                list(3),
            ),
            |x| gauss_sum(&x.0, &x.1).unwrap(),
            |x| gauss_sum_value_and_grad(&x.0, &x.1).unwrap(),
        );
    }
    #[test]
    fn gp() {
        let (x, y) = (matrix(4, 2), vector(4));
        agree(
            (0.8, 1.1, 0.3),
            |p| gp_nll(p.0, p.1, p.2, &x, &y).unwrap(),
            |p| gp_nll_value_and_grad(p.0, p.1, p.2, &x, &y).unwrap(),
        );
    }
}
