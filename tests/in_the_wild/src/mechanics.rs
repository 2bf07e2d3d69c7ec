//! Particles, images, prices and solvers, at sizes from 0 on.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, Zip, s};

// ---- physics
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Vec3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

#[differentiable]
impl Vec3 {
    pub const ZERO: Vec3 = Vec3 {
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };
    #[differentiable]
    pub fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }
    #[differentiable]
    pub fn dot(self, o: Self) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    #[differentiable]
    pub fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }
    #[differentiable]
    pub fn cross(self, o: Vec3) -> Vec3 {
        Vec3::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }
}

#[differentiable]
impl std::ops::Add for Vec3 {
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
impl std::ops::Mul<f64> for Vec3 {
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

#[differentiable(allow(zero_gradient))]
pub fn lennard_jones(positions: &[Vec3], sigma: f64, epsilon: f64, cutoff: f64) -> f64 {
    let mut energy = 0.0;
    for (i, a) in positions.iter().enumerate() {
        for b in &positions[i + 1..] {
            let r = (*a - *b).norm();
            if r > cutoff {
                continue;
            }
            let sr6 = (sigma / r).powi(6);
            energy += 4.0 * epsilon * (sr6 * sr6 - sr6);
        }
    }
    energy
}

#[differentiable]
pub fn dihedral(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let b1 = b - a;
    let b2 = c - b;
    let b3 = d - c;
    let n1 = b1.cross(b2);
    let n2 = b2.cross(b3);
    let m = n1.cross(b2 * (1.0 / b2.norm()));
    m.dot(n2).atan2(n1.dot(n2))
}

#[differentiable]
pub fn verlet_pendulum(theta0: f64, omega0: f64, g: f64, l: f64, dt: f64, steps: usize) -> f64 {
    let (mut theta, mut omega) = (theta0, omega0);
    let acc = |th: f64| -(g / l) * th.sin();
    let mut a = acc(theta);
    for _ in 0..steps {
        theta += omega * dt + 0.5 * a * dt * dt;
        let a_new = acc(theta);
        omega += 0.5 * (a + a_new) * dt;
        a = a_new;
    }
    0.5 * omega.powi(2) * l * l + g * l * (1.0 - theta.cos())
}

#[differentiable]
pub fn heat_1d(u0: &Array1<f64>, alpha: f64, dx: f64, dt: f64, steps: usize) -> Array1<f64> {
    let n = u0.len();
    let mut u = u0.to_owned();
    let r = alpha * dt / (dx * dx);
    for _ in 0..steps {
        let old = u.clone();
        for i in 1..n.saturating_sub(1) {
            u[i] = old[i] + r * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
        }
    }
    u
}

#[differentiable(wrt(spins))]
pub fn ising_energy(spins: &Array2<f64>, j: f64, h: f64) -> f64 {
    let (rows, cols) = spins.dim();
    let mut e = 0.0;
    for ((r, c), &s) in spins.indexed_iter() {
        let right = spins[[r, (c + 1) % cols]];
        let down = spins[[(r + 1) % rows, c]];
        e -= j * s * (right + down) + h * s;
    }
    e
}

#[differentiable]
pub fn van_der_waals_pressure(n: f64, v: f64, t: f64) -> Result<f64, &'static str> {
    const R: f64 = 8.314_462_618;
    let (a, b) = (0.1382, 3.186e-5);
    if v <= n * b {
        return Err("volume too small");
    }
    Ok(n * R * t / (v - n * b) - a * n * n / v.powi(2))
}

// ---- image filters
#[differentiable]
pub fn gaussian_blur(image: &Array2<f64>, sigma: f64) -> Array2<f64> {
    let radius = 2usize;
    let kernel: Vec<f64> = (-(radius as isize)..=radius as isize)
        .map(|i| (-((i * i) as f64) / (2.0 * sigma * sigma)).exp())
        .collect();
    let norm: f64 = kernel.iter().sum();
    let (h, w) = image.dim();
    let mut tmp = Array2::zeros((h, w));
    for y in 0..h {
        for x in 0..w {
            let mut acc = 0.0;
            for (k, kv) in kernel.iter().enumerate() {
                let xx =
                    (x as isize + k as isize - radius as isize).clamp(0, w as isize - 1) as usize;
                acc += image[[y, xx]] * kv;
            }
            tmp[[y, x]] = acc / norm;
        }
    }
    let mut out = Array2::zeros((h, w));
    for y in 0..h {
        for x in 0..w {
            let mut acc = 0.0;
            for (k, kv) in kernel.iter().enumerate() {
                let yy = (y + k).saturating_sub(radius).min(h - 1);
                acc += tmp[[yy, x]] * kv;
            }
            out[[y, x]] = acc / norm;
        }
    }
    out
}

#[differentiable]
pub fn bilinear(img: &Array2<f64>, y: f64, x: f64) -> f64 {
    let (h, w) = (img.nrows(), img.ncols());
    let y0 = (y.floor() as i64).clamp(0, h as i64 - 2) as usize;
    let x0 = (x.floor() as i64).clamp(0, w as i64 - 2) as usize;
    let (fy, fx) = (y - y0 as f64, x - x0 as f64);
    let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
    lerp(
        lerp(img[[y0, x0]], img[[y0, x0 + 1]], fx),
        lerp(img[[y0 + 1, x0]], img[[y0 + 1, x0 + 1]], fx),
        fy,
    )
}

#[differentiable]
pub fn total_variation(img: ArrayView2<'_, f64>, eps: f64) -> f64 {
    let dx = &img.slice(s![.., 1..]) - &img.slice(s![.., ..-1]);
    let dy = &img.slice(s![1.., ..]) - &img.slice(s![..-1, ..]);
    let mut tv = 0.0;
    Zip::from(dx.slice(s![..-1, ..]))
        .and(dy.slice(s![.., ..-1]))
        .for_each(|a, b| {
            tv += (a * a + b * b + eps).sqrt();
        });
    tv
}

#[differentiable]
pub fn median_filter(x: &[f64], k: usize) -> Vec<f64> {
    let half = k / 2;
    let n = x.len();
    let mut out = Vec::with_capacity(n);
    for i in 0..n {
        let lo = i.saturating_sub(half);
        let hi = (i + half + 1).min(n);
        let mut win: Vec<f64> = x[lo..hi].to_vec();
        win.sort_by(|a, b| a.partial_cmp(b).unwrap());
        out.push(win[win.len() / 2]);
    }
    out
}

// ---- finance
#[differentiable]
pub fn npv(rate: f64, flows: &[f64]) -> f64 {
    flows
        .iter()
        .enumerate()
        .fold(0.0, |acc, (t, cf)| acc + cf / (1.0 + rate).powi(t as i32))
}

#[differentiable]
pub fn irr(flows: &[f64], guess: f64) -> Option<f64> {
    let mut r = guess;
    for _ in 0..50 {
        let mut f = 0.0;
        let mut df = 0.0;
        for (t, &c) in flows.iter().enumerate() {
            let d = (1.0 + r).powi(t as i32);
            f += c / d;
            df -= t as f64 * c / (d * (1.0 + r));
        }
        if df.abs() < 1e-14 {
            return None;
        }
        let next = r - f / df;
        if (next - r).abs() < 1e-12 {
            return Some(next);
        }
        r = next;
    }
    None
}

#[differentiable]
pub fn max_drawdown(prices: &[f64]) -> f64 {
    let mut peak = f64::MIN;
    let mut worst = 0.0f64;
    for &p in prices {
        if p > peak {
            peak = p;
        }
        let dd = (peak - p) / peak;
        worst = worst.max(dd);
    }
    worst
}

#[differentiable]
pub fn ema(prices: &[f64], span: usize) -> Vec<f64> {
    let alpha = 2.0 / (span as f64 + 1.0);
    let mut out: Vec<f64> = Vec::with_capacity(prices.len());
    for (i, &p) in prices.iter().enumerate() {
        if i == 0 {
            out.push(p);
        } else {
            let prev = out[i - 1];
            out.push(alpha * p + (1.0 - alpha) * prev);
        }
    }
    out
}

#[differentiable]
pub fn rsi(prices: &[f64], period: usize) -> f64 {
    let changes: Vec<f64> = prices.windows(2).map(|w| w[1] - w[0]).collect();
    let (gains, losses): (Vec<f64>, Vec<f64>) = changes
        .iter()
        .map(|&c| if c > 0.0 { (c, 0.0) } else { (0.0, -c) })
        .unzip();
    let avg = |v: &[f64]| v.iter().rev().take(period).sum::<f64>() / period as f64;
    let rs = avg(&gains) / avg(&losses);
    100.0 - 100.0 / (1.0 + rs)
}

#[derive(Clone, Debug, Differentiable)]
pub struct Svi {
    pub a: f64,
    pub b: f64,
    pub rho: f64,
    pub m: f64,
    pub sigma: f64,
}

#[differentiable]
impl Svi {
    #[differentiable]
    pub fn total_variance(&self, k: f64) -> f64 {
        let Self {
            a,
            b,
            rho,
            m,
            sigma,
        } = *self;
        a + b * (rho * (k - m) + ((k - m).powi(2) + sigma.powi(2)).sqrt())
    }

    #[differentiable]
    pub fn sse(&self, ks: &[f64], ws: &[f64]) -> f64 {
        ks.iter()
            .zip(ws)
            .map(|(&k, w)| (self.total_variance(k) - w).powi(2))
            .sum()
    }
}

#[differentiable]
pub fn nelson_siegel_bond(beta: &[f64; 3], tau: f64, coupon: f64, maturities: &[f64]) -> f64 {
    let y = |t: f64| {
        let x = t / tau;
        let f = (1.0 - (-x).exp()) / x;
        beta[0] + beta[1] * f + beta[2] * (f - (-x).exp())
    };
    let mut price = 0.0;
    let last = *maturities.last().expect("at least one");
    for &t in maturities {
        let cf = if t == last { 1.0 + coupon } else { coupon };
        price += cf * (-y(t) * t).exp();
    }
    price
}

// ---- solvers
#[differentiable]
pub fn thomas(a: &[f64], b: &[f64], c: &[f64], d: &[f64]) -> Vec<f64> {
    let n = d.len();
    let mut cp = vec![0.0; n];
    let mut dp = vec![0.0; n];
    cp[0] = c[0] / b[0];
    dp[0] = d[0] / b[0];
    for i in 1..n {
        let m = b[i] - a[i] * cp[i - 1];
        cp[i] = c[i] / m;
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m;
    }
    let mut x = dp.clone();
    for i in (0..n - 1).rev() {
        x[i] -= cp[i] * x[i + 1];
    }
    x
}

#[differentiable]
pub fn gauss_solve(a: &Array2<f64>, b: &Array1<f64>) -> Option<Array1<f64>> {
    let n = b.len();
    let mut a = a.clone();
    let mut b = b.clone();
    for col in 0..n {
        let pivot =
            (col..n).max_by(|&i, &j| a[[i, col]].abs().partial_cmp(&a[[j, col]].abs()).unwrap())?;
        if a[[pivot, col]].abs() < 1e-12 {
            return None;
        }
        if pivot != col {
            for k in 0..n {
                a.swap([col, k], [pivot, k]);
            }
            b.swap(col, pivot);
        }
        for row in col + 1..n {
            let f = a[[row, col]] / a[[col, col]];
            for k in col..n {
                let t = a[[col, k]];
                a[[row, k]] -= f * t;
            }
            b[row] -= f * b[col];
        }
    }
    let mut x = Array1::zeros(n);
    for i in (0..n).rev() {
        let s: f64 = (i + 1..n).map(|j| a[[i, j]] * x[j]).sum();
        x[i] = (b[i] - s) / a[[i, i]];
    }
    Some(x)
}

#[differentiable]
pub fn cholesky_logdet(a: &Array2<f64>) -> Result<f64, String> {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[[i, j]];
            for k in 0..j {
                sum -= l[[i, k]] * l[[j, k]];
            }
            if i == j {
                if sum <= 0.0 {
                    return Err(format!("not positive definite at {i}"));
                }
                l[[i, j]] = sum.sqrt();
            } else {
                l[[i, j]] = sum / l[[j, j]];
            }
        }
    }
    Ok(2.0 * l.diag().iter().map(|v| v.ln()).sum::<f64>())
}

#[differentiable]
pub fn conjugate_gradient(a: &Array2<f64>, b: &Array1<f64>, iters: usize) -> Array1<f64> {
    let mut x = Array1::<f64>::zeros(b.len());
    let mut r = b - &a.dot(&x);
    let mut p = r.clone();
    let mut rs = r.dot(&r);
    for _ in 0..iters {
        let ap = a.dot(&p);
        let alpha = rs / p.dot(&ap);
        x.scaled_add(alpha, &p);
        r.scaled_add(-alpha, &ap);
        let rs_new = r.dot(&r);
        if rs_new.sqrt() < 1e-10 {
            break;
        }
        p = &r + &(&p * (rs_new / rs));
        rs = rs_new;
    }
    x
}

#[differentiable]
pub fn simpson<F>(f: F, a: f64, b: f64, n: usize) -> f64
where
    F: Fn(f64) -> f64,
{
    let h = (b - a) / n as f64;
    let mut sum = f(a) + f(b);
    for i in 1..n {
        let w = if i % 2 == 0 { 2.0 } else { 4.0 };
        sum += w * f(a + i as f64 * h);
    }
    sum * h / 3.0
}

#[differentiable]
pub fn arc_length(k: f64, end: f64) -> f64 {
    simpson(|t| (1.0 + (k * t.cos()).powi(2)).sqrt(), 0.0, end, 20)
}

fn vecs(p: &[[f64; 3]]) -> Vec<Vec3> {
    p.iter()
        .map(|p| Vec3 {
            x: p[0],
            y: p[1],
            z: p[2],
        })
        .collect()
}

fn lj(p: &Vec<[f64; 3]>, s: f64, e: f64) -> f64 {
    lennard_jones(&vecs(p), s, e, 100.0)
}

fn lj_g(p: &Vec<[f64; 3]>, s: f64, e: f64) -> (f64, (Vec<[f64; 3]>, f64, f64)) {
    let (v, (g, s, e, _)) = lennard_jones_value_and_grad(&vecs(p), s, e, 100.0);
    (v, (g.iter().map(|g| [g.x, g.y, g.z]).collect(), s, e))
}

fn spots(n: usize) -> Vec<[f64; 3]> {
    (0..n)
        .map(|i| {
            [
                i as f64,
                (i * i % 7) as f64 * 0.3,
                (i * i * i % 5) as f64 * 0.9,
            ]
        })
        .collect()
}

fn tors(p: &Vec<[f64; 3]>) -> f64 {
    let v = vecs(p);
    dihedral(v[0], v[1], v[2], v[3])
}

fn tors_g(p: &Vec<[f64; 3]>) -> (f64, Vec<[f64; 3]>) {
    let v = vecs(p);
    let (f, (a, b, c, d)) = dihedral_value_and_grad(v[0], v[1], v[2], v[3]);
    (f, [a, b, c, d].iter().map(|g| [g.x, g.y, g.z]).collect())
}

fn gs(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    gauss_solve(a, b).unwrap()
}

fn gs_g(
    a: &Array2<f64>,
    b: &Array1<f64>,
    y: &Array1<f64>,
) -> (Array1<f64>, (Array2<f64>, Array1<f64>)) {
    gauss_solve_vjp(a, b, y).unwrap()
}

fn ch(a: &Array2<f64>) -> f64 {
    cholesky_logdet(a).unwrap()
}

fn ch_g(a: &Array2<f64>) -> (f64, Array2<f64>) {
    cholesky_logdet_value_and_grad(a).unwrap()
}

fn ir(f: &[f64], r: f64) -> f64 {
    irr(f, r).unwrap()
}

fn ir_g(f: &[f64], r: f64) -> (f64, (Vec<f64>, f64)) {
    irr_value_and_grad(f, r).unwrap()
}

fn vdw(n: f64, v: f64, t: f64) -> f64 {
    van_der_waals_pressure(n, v, t).unwrap()
}

fn vdw_g(n: f64, v: f64, t: f64) -> (f64, (f64, f64, f64)) {
    van_der_waals_pressure_value_and_grad(n, v, t).unwrap()
}

fn svi(x: [f64; 5], k: &[f64], w: &[f64]) -> f64 {
    Svi {
        a: x[0],
        b: x[1],
        rho: x[2],
        m: x[3],
        sigma: x[4],
    }
    .sse(k, w)
}

fn svi_g(x: [f64; 5], k: &[f64], w: &[f64]) -> (f64, ([f64; 5], Vec<f64>, Vec<f64>)) {
    let (v, (g, k, w)) = Svi {
        a: x[0],
        b: x[1],
        rho: x[2],
        m: x[3],
        sigma: x[4],
    }
    .sse_value_and_grad(k, w);
    (v, ([g.a, g.b, g.rho, g.m, g.sigma], k, w))
}

fn spd(n: usize) -> Array2<f64> {
    let a = matrix(n, n);
    a.dot(&a.t()) + Array2::<f64>::eye(n) * 2.0
}
use crate::harness::*;
sized! {
    lj_: lj, lj_g, n in [0, 1, 9, 40], p: spots(n), s: 0.9, e: 1.1 => (&p, s, e);
    pend: verlet_pendulum, verlet_pendulum_value_and_grad, n in [0, 1, 65], t: 0.4, o: 0.1, g: 9.8, l: 1.2, h: 0.01 => (t, o, g, l, h, n);
    ising: ising_energy_0, ising_energy_0_value_and_grad, n in [1, 4], s: matrix(n, 3) => (&s);
    vdw_: vdw, vdw_g, n in [1], m: 1.0, v: 0.02, t: 300.0 => (m, v, t);
    bil: bilinear, bilinear_value_and_grad, n in [4], i: matrix(n, 5), y: 1.3, x: 2.7 => (&i, y, x);
    tv: tv_0, tv_0_value_and_grad, n in [2, 9], i: matrix(n, 5), e: 0.1 => (&i, e);
    npv_: npv, npv_value_and_grad, n in [0, 1, 9, 65], r: 0.05, f: list(n) => (r, &f);
    ir_: ir, ir_g, n in [2, 9], f: { let mut f = vec![0.6; n]; f[0] = -1.0 * n as f64 * 0.4; f }, r: 0.1 => (&f, r);
    dd: max_drawdown, max_drawdown_value_and_grad, n in [0, 1, 9, 65], p: positive(n).to_vec() => (&p);
    rsi_: rsi, rsi_value_and_grad, n in [9, 65], p: positive(n).to_vec() => (&p, 5);
    svi_: svi, svi_g, n in [0, 1, 9, 65], x: [0.1, 0.4, -0.3, 0.05, 0.2], k: list(n), w: list(n) => (x, &k, &w);
    ns: nelson_siegel_bond, nelson_siegel_bond_value_and_grad, n in [1, 9], b: [0.03, -0.01, 0.02], t: 1.5, c: 0.04, m: (1..=n).map(|i| i as f64 * 0.5).collect::<Vec<f64>>() => (&b, t, c, &m);
    chol: ch, ch_g, n in [0, 1, 6], a: spd(n) => (&a);
    arc: arc_length, arc_length_value_and_grad, n in [1], k: 0.7, e: 2.0 => (k, e);
    tors_: tors, tors_g, n in [4], p: spots(n) => (&p);
}

#[differentiable]
fn ising_energy_0(s: &Array2<f64>) -> f64 {
    ising_energy(s, 0.5, 0.1) * 2.0
}

#[differentiable]
fn tv_0(i: &Array2<f64>, e: f64) -> f64 {
    total_variation(i.view(), e)
}

products! {
    heat: heat_1d, heat_1d_vjp, n in [0, 1, 9, 65], u: vector(n), a: 0.1, x: 0.5, t: 0.2 => (&u, a, x, t, 7);
    blur: gaussian_blur, gaussian_blur_vjp, n in [1, 6], i: matrix(n, 5), s: 1.1 => (&i, s);
    med: median_filter, median_filter_vjp, n in [0, 1, 9, 65], x: list(n) => (&x, 5);
    ema_: ema, ema_vjp, n in [0, 1, 9, 65], x: list(n) => (&x, 4);
    thomas_: thomas, thomas_vjp, n in [1, 9, 65], a: list(n), b: positive(n).mapv(|v| v + 3.0).to_vec(), c: list(n), d: list(n) => (&a, &b, &c, &d);
    gauss: gs, gs_g, n in [0, 1, 7], a: spd(n), b: vector(n) => (&a, &b);
    cg: conjugate_gradient, conjugate_gradient_vjp, n in [1, 6], a: spd(n), b: vector(n) => (&a, &b, n / 2);
}
