//! Methods, traits and enums as numeric crates have them.
use cotangent::Parameters;
use cotangent::prelude::*;
use ndarray::{Array1, Array2, array};
use std::ops::{Add, Mul, Neg, Sub};

/// Compares the gradient of a function of parameters with central differences.
fn agree<P: Parameters<f64> + Clone>(at: &P, f: impl Fn(&P) -> f64, gradient: impl Fn(&P) -> P) {
    let (flat, found) = (at.to_flat(), gradient(at).to_flat());
    assert_eq!(flat.len(), found.len());
    for k in 0..flat.len() {
        let h = 1e-6 * (1.0 + flat[k].abs());
        let moved = |by: f64| {
            let mut flat = flat.clone();
            flat[k] += by;
            let mut other = at.clone();
            other.read_from(&flat);
            f(&other)
        };
        let expected = (moved(h) - moved(-h)) / (2.0 * h);
        assert!(
            (found[k] - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "number {k}: {} is not {expected}",
            found[k]
        );
    }
}

// Vectors with operators
#[derive(Clone, Copy, Debug, PartialEq, Default, Differentiable)]
struct Vec3 {
    x: f64,
    y: f64,
    z: f64,
}

#[differentiable]
impl Add for Vec3 {
    type Output = Self;
    #[differentiable]
    fn add(self, o: Self) -> Self {
        Self {
            x: self.x + o.x,
            y: self.y + o.y,
            z: self.z + o.z,
        }
    }
}
#[differentiable]
impl Sub for Vec3 {
    type Output = Self;
    #[differentiable]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
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
impl Neg for Vec3 {
    type Output = Vec3;
    #[differentiable]
    fn neg(self) -> Vec3 {
        self * -1.0
    }
}
#[differentiable]
impl Vec3 {
    #[differentiable]
    pub fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }
    #[differentiable]
    pub fn dot(&self, o: &Vec3) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    #[differentiable]
    pub fn cross(&self, o: &Vec3) -> Vec3 {
        Vec3::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }
    #[differentiable]
    pub fn norm(&self) -> f64 {
        self.dot(self).sqrt()
    }
    #[differentiable]
    pub fn normalized(self) -> Vec3 {
        self * (1.0 / self.norm())
    }
}
#[differentiable]
fn area(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}
#[differentiable]
fn reflected(d: Vec3, n: Vec3) -> f64 {
    let n = n.normalized();
    let r = d - n * (2.0 * d.dot(&n));
    (-r).x
}

// potentials behind a trait
trait Potential {
    fn energy(&self, r: f64) -> f64;
    fn name(&self) -> String {
        "p".into()
    }
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct LennardJones {
    epsilon: f64,
    sigma: f64,
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Morse {
    depth: f64,
    width: f64,
    r0: f64,
}
#[differentiable]
impl Potential for LennardJones {
    #[differentiable]
    fn energy(&self, r: f64) -> f64 {
        let s6 = (self.sigma / r).powi(6);
        4.0 * self.epsilon * (s6 * s6 - s6)
    }
    fn name(&self) -> String {
        "lj".into()
    }
}
#[differentiable]
impl Potential for Morse {
    #[differentiable]
    fn energy(&self, r: f64) -> f64 {
        let e = 1.0 - (-self.width * (r - self.r0)).exp();
        self.depth * e * e
    }
}

// kernels, losses, distributions
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Kernel {
    Rbf { length: f64, variance: f64 },
    Matern32 { length: f64 },
    Linear(f64),
    White,
}
#[differentiable]
impl Kernel {
    #[differentiable]
    fn eval(&self, a: &[f64], b: &[f64]) -> f64 {
        let d2: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
        match *self {
            Kernel::Rbf { length, variance } => variance * (-0.5 * d2 / (length * length)).exp(),
            Kernel::Matern32 { length } => {
                let r = (3.0 * d2 + 1e-12).sqrt() / length;
                (1.0 + r) * (-r).exp()
            }
            Kernel::Linear(c) => c + a.iter().zip(b.iter()).map(|(x, y)| x * y).sum::<f64>(),
            Kernel::White => {
                if d2 == 0.0 {
                    1.0
                } else {
                    0.0
                }
            }
        }
    }
}
#[differentiable(wrt(k))]
fn gram_sum(k: &Kernel, x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut s = 0.0;
    for i in 0..n {
        for j in 0..n {
            s += k.eval(&x.row(i).to_vec(), &x.row(j).to_vec()) * (i + 1) as f64;
        }
    }
    s
}
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
enum Loss {
    Mse,
    Huber(f64),
    Quantile { tau: f64 },
    LogCosh,
}
#[differentiable]
impl Loss {
    #[differentiable]
    pub fn of(&self, r: f64) -> f64 {
        match self {
            Self::Mse => 0.5 * r * r,
            Self::Huber(delta) if r.abs() <= *delta => 0.5 * r * r,
            Self::Huber(delta) => delta * (r.abs() - 0.5 * delta),
            Self::Quantile { tau } => {
                if r >= 0.0 {
                    tau * r
                } else {
                    (tau - 1.0) * r
                }
            }
            Self::LogCosh => r.cosh().ln(),
        }
    }
    #[differentiable(wrt(y))]
    pub fn mean(self, y: &Array1<f64>, t: &Array1<f64>) -> f64 {
        let mut total = 0.0;
        for (a, b) in y.iter().zip(t.iter()) {
            total += self.of(a - b);
        }
        total / y.len() as f64
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
enum Prior {
    Normal { mu: f64, sigma: f64 },
    Exponential(f64),
    Laplace { loc: f64, scale: f64 },
    Flat,
}
#[differentiable]
impl Prior {
    #[differentiable]
    fn log_pdf(&self, x: f64) -> f64 {
        match self {
            Prior::Normal { mu, sigma } => {
                let z = (x - mu) / sigma;
                -0.5 * z * z - sigma.ln() - 0.5 * (2.0 * std::f64::consts::PI).ln()
            }
            Prior::Exponential(rate) => {
                if x < 0.0 {
                    f64::NEG_INFINITY
                } else {
                    rate.ln() - rate * x
                }
            }
            Prior::Laplace { loc, scale } => -(x - loc).abs() / scale - (2.0 * scale).ln(),
            Prior::Flat => 0.0,
        }
    }
}
#[differentiable]
fn log_posterior(x: &[f64; 2], priors: &[Prior; 2]) -> f64 {
    priors[0].log_pdf(x[0]) + priors[1].log_pdf(x[1])
}
#[differentiable(wrt(x))]
fn log_prior(x: &[f64], priors: &[Prior]) -> f64 {
    x.iter().zip(priors).map(|(x, p)| p.log_pdf(*x)).sum()
}

// options
#[derive(Clone, Copy, Debug, PartialEq, Eq, Differentiable)]
pub enum OptionType {
    Call,
    Put,
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Contract {
    ticker: String,
    kind: OptionType,
    strike: f64,
    expiry: f64,
}
fn unused() {}
#[differentiable]
impl Contract {
    const DAYS: f64 = 365.0;
    #[differentiable]
    fn d1(&self, s: f64, v: f64, r: f64) -> f64 {
        ((s / self.strike).ln() + (r + 0.5 * v * v) * self.expiry) / (v * self.expiry.sqrt())
    }
    #[differentiable]
    pub fn price(&self, s: f64, v: f64, r: f64) -> f64 {
        let d1 = self.d1(s, v, r);
        let d2 = d1 - v * self.expiry.sqrt();
        let df = (-r * self.expiry).exp();
        match self.kind {
            OptionType::Call => s * Self::cdf(d1) - self.strike * df * Self::cdf(d2),
            OptionType::Put => self.strike * df * Self::cdf(-d2) - s * Self::cdf(-d1),
        }
    }
    #[differentiable]
    fn cdf(x: f64) -> f64 {
        0.5 * (1.0 + erf(x / 2.0_f64.sqrt()))
    }
    #[differentiable]
    pub fn payoff(&self, s: f64) -> f64 {
        let sign = if self.kind == OptionType::Call {
            1.0
        } else {
            -1.0
        };
        (sign * (s - self.strike)).max(0.0)
    }
}

// boundaries and interpolation
#[derive(Clone, Copy, PartialEq, Debug, Differentiable)]
enum Boundary {
    Periodic,
    Reflect,
    Zero,
}
#[differentiable(wrt(u))]
fn laplacian_energy(u: &[f64], h: f64, bc: Boundary) -> f64 {
    let n = u.len();
    let mut total = 0.0;
    for i in 0..n {
        let left = match (bc, i) {
            (Boundary::Periodic, 0) => u[n - 1],
            (Boundary::Reflect, 0) => u[0],
            (Boundary::Zero, 0) => 0.0,
            _ => u[i - 1],
        };
        let right = if i + 1 < n {
            u[i + 1]
        } else {
            match bc {
                Boundary::Periodic => u[0],
                Boundary::Reflect => u[n - 1],
                Boundary::Zero => 0.0,
            }
        };
        let d = (left - 2.0 * u[i] + right) / (h * h);
        total += d * d;
    }
    total
}
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
enum Interp {
    Nearest,
    Linear,
    Smooth,
}
#[differentiable(wrt(y, t))]
fn interpolate(y: &[f64; 2], t: f64, how: &Interp) -> f64 {
    let w = match how {
        Interp::Nearest => return if t < 0.5 { y[0] } else { y[1] },
        Interp::Linear => t,
        Interp::Smooth => t * t * (3.0 - 2.0 * t),
    };
    y[0] + w * (y[1] - y[0])
}

// layers with names
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Differentiable)]
enum Act {
    Identity,
    Relu,
    Tanh,
    Sigmoid,
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Dense {
    name: String,
    weight: Array2<f64>,
    bias: Array1<f64>,
    act: Act,
}
#[differentiable]
impl Dense {
    #[differentiable]
    fn forward(&self, x: &Array1<f64>) -> Array1<f64> {
        let z = self.weight.dot(x) + &self.bias;
        match self.act {
            Act::Identity => z,
            Act::Relu => z.mapv(|v| v.max(0.0)),
            Act::Tanh => z.mapv(f64::tanh),
            Act::Sigmoid => z.mapv(|v| 1.0 / (1.0 + (-v).exp())),
        }
    }
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Mlp {
    name: &'static str,
    hidden: Dense,
    out: Dense,
    #[differentiable(constant)]
    seed: Option<u64>,
}
#[differentiable]
impl Mlp {
    #[differentiable]
    fn predict(&self, x: &Array1<f64>) -> f64 {
        self.out.forward(&self.hidden.forward(x)).sum()
    }
    #[differentiable(wrt(self))]
    fn loss(&self, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
        let mut total = 0.0;
        for (row, t) in x.outer_iter().zip(y.iter()) {
            total += (self.predict(&row.to_owned()) - t).powi(2);
        }
        total / y.len() as f64
    }
}

// generic numeric code
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Vec2<T: Real> {
    x: T,
    y: T,
}
#[differentiable]
impl<T: Real> Vec2<T> {
    #[differentiable]
    fn norm_squared(&self) -> T {
        self.x * self.x + self.y * self.y
    }
    #[differentiable]
    fn rotated(&self, by: T) -> Vec2<T> {
        let (s, c) = by.sin_cos();
        Vec2 {
            x: c * self.x - s * self.y,
            y: s * self.x + c * self.y,
        }
    }
    #[differentiable]
    fn lerp(self, other: Self, t: T) -> Self {
        Self {
            x: self.x + t * (other.x - self.x),
            y: self.y + t * (other.y - self.y),
        }
    }
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Polynomial<T: Real, const N: usize> {
    c: [T; N],
}
#[differentiable]
impl<T: Real, const N: usize> Polynomial<T, N> {
    #[differentiable]
    fn eval(&self, x: T) -> T {
        let mut acc = T::of(0.0);
        for i in (0..N).rev() {
            acc = acc * x + self.c[i];
        }
        acc
    }
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Shape<T: Real> {
    Circle { r: T },
    Rect(T, T),
    Polygon([Vec2<T>; 3]),
}
#[differentiable]
impl<T: Real> Shape<T> {
    #[differentiable]
    fn area(&self) -> T {
        match self {
            Shape::Circle { r } => T::of(std::f64::consts::PI) * *r * *r,
            Shape::Rect(w, h) => *w * *h,
            Shape::Polygon([a, b, c]) => {
                T::of(0.5) * ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y))
            }
        }
    }
    #[differentiable]
    fn scaled_area(&self, by: T) -> T {
        if let Shape::Circle { r } = self {
            return *r * by;
        }
        self.area() * by * by
    }
}

// states
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Pid {
    kp: f64,
    ki: f64,
    kd: f64,
    integral: f64,
    last: f64,
    label: String,
}
#[differentiable]
impl Pid {
    #[differentiable(vjp, jvp, wrt(self, error))]
    fn update(&mut self, error: f64, dt: f64) -> f64 {
        self.integral += error * dt;
        let derivative = (error - self.last) / dt;
        self.last = error;
        self.kp * error + self.ki * self.integral + self.kd * derivative
    }
}
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Welford {
    n: usize,
    mean: f64,
    m2: f64,
}
#[differentiable]
impl Welford {
    #[differentiable(vjp, wrt(self, x))]
    fn push(&mut self, x: f64) {
        self.n += 1;
        let delta = x - self.mean;
        self.mean += delta / self.n as f64;
        self.m2 += delta * (x - self.mean);
    }
    #[differentiable]
    fn variance(&self) -> f64 {
        if self.n < 2 {
            0.0
        } else {
            self.m2 / (self.n - 1) as f64
        }
    }
}

#[test]
fn vectors() {
    let (a, b, c) = (
        Vec3::new(0.1, 0.2, 0.3),
        Vec3::new(1.0, -0.4, 0.7),
        Vec3::new(0.3, 0.9, -1.0),
    );
    agree(
        &(a, b, c),
        |(a, b, c)| area(*a, *b, *c),
        |(a, b, c)| area_grad(*a, *b, *c),
    );
    agree(
        &(a, b),
        |(a, b)| reflected(*a, *b),
        |(a, b)| reflected_grad(*a, *b),
    );
}
#[test]
fn potentials() {
    agree(
        &(
            LennardJones {
                epsilon: 1.3,
                sigma: 0.9,
            },
            1.2,
        ),
        |(p, r)| p.energy(*r),
        |(p, r)| p.energy_grad(*r),
    );
    agree(
        &(
            Morse {
                depth: 1.3,
                width: 0.9,
                r0: 1.0,
            },
            1.2,
        ),
        |(p, r)| p.energy(*r),
        |(p, r)| p.energy_grad(*r),
    );
}
#[test]
fn enums() {
    let x = array![[0.1, 0.4], [0.8, -0.3], [0.5, 0.5]];
    for k in [
        Kernel::Rbf {
            length: 0.7,
            variance: 1.2,
        },
        Kernel::Matern32 { length: 0.6 },
        Kernel::Linear(0.3),
        Kernel::White,
    ] {
        agree(&k, |k| gram_sum(k, &x), |k| gram_sum_grad(k, &x));
        agree(
            &(k.clone(), vec![0.1, 0.2], vec![0.3, 0.1]),
            |(k, a, b)| k.eval(a, b),
            |(k, a, b)| k.eval_grad(a, b),
        );
    }
    let y = array![0.1, 2.0, -3.0];
    for l in [
        Loss::Mse,
        Loss::Huber(1.1),
        Loss::Quantile { tau: 0.2 },
        Loss::LogCosh,
    ] {
        agree(&(l, 0.7), |(l, r)| l.of(*r), |(l, r)| l.of_grad(*r));
        agree(&(l, -1.7), |(l, r)| l.of(*r), |(l, r)| l.of_grad(*r));
        agree(
            &y,
            |y| l.mean(y, &array![0.0, 0.5, 1.0]),
            |y| l.mean_grad(y, &array![0.0, 0.5, 1.0]),
        );
    }
    let priors = [
        Prior::Normal {
            mu: 0.3,
            sigma: 1.2,
        },
        Prior::Exponential(0.7),
        Prior::Laplace {
            loc: 0.1,
            scale: 2.0,
        },
        Prior::Flat,
    ];
    for p in priors {
        agree(
            &(p, 0.4),
            |(p, x)| p.log_pdf(*x),
            |(p, x)| p.log_pdf_grad(*x),
        );
    }
    agree(
        &([0.2, 0.3], [priors[0], priors[2]]),
        |(x, p)| log_posterior(x, p),
        |(x, p)| log_posterior_grad(x, p),
    );
    agree(
        &vec![0.3, 0.1, 0.2, 0.9],
        |x| log_prior(x, &priors),
        |x| log_prior_grad(x, &priors),
    );
}
#[test]
fn contracts() {
    for kind in [OptionType::Call, OptionType::Put] {
        let c = Contract {
            ticker: "X".into(),
            kind,
            strike: 1.1,
            expiry: 0.7,
        };
        agree(
            &(c.clone(), 1.0, 0.3, 0.02),
            |(c, s, v, r)| c.price(*s, *v, *r),
            |(c, s, v, r)| c.price_grad(*s, *v, *r),
        );
        agree(
            &(c.clone(), 1.3),
            |(c, s)| c.payoff(*s),
            |(c, s)| c.payoff_grad(*s),
        );
        assert_eq!(c.payoff_grad(1.0).0.ticker, "X");
    }
}
#[test]
fn boundaries() {
    for bc in [Boundary::Periodic, Boundary::Reflect, Boundary::Zero] {
        for n in [1, 9] {
            let u: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            agree(
                &u,
                |u| laplacian_energy(u, 0.7, bc),
                |u| laplacian_energy_grad(u, 0.7, bc),
            );
        }
    }
    for how in [Interp::Nearest, Interp::Linear, Interp::Smooth] {
        agree(
            &([0.3, 1.4], 0.3),
            |(y, t)| interpolate(y, *t, &how),
            |(y, t)| interpolate_grad(y, *t, &how),
        );
    }
}
#[test]
fn networks() {
    for act in [Act::Identity, Act::Relu, Act::Tanh, Act::Sigmoid] {
        let dense = |n: usize, m: usize, act| Dense {
            name: format!("{n}x{m}"),
            act,
            weight: Array2::from_shape_fn((n, m), |(i, j)| ((i + 2 * j) as f64).sin()),
            bias: Array1::from_shape_fn(n, |i| 0.1 * i as f64 + 0.05),
        };
        let mlp = Mlp {
            name: "m",
            hidden: dense(4, 3, act),
            out: dense(2, 4, Act::Tanh),
            seed: Some(3),
        };
        let x = Array2::from_shape_fn((5, 3), |(i, j)| ((3 * i + j) as f64).cos());
        let y = array![0.1, 0.2, 0.3, 0.4, 0.5];
        agree(&mlp, |m| m.loss(&x, &y), |m| m.loss_grad(&x, &y));
        assert_eq!(mlp.loss_grad(&x, &y).hidden.name, "4x3");
    }
}
#[test]
fn generics() {
    let (a, b) = (Vec2 { x: 0.3, y: -0.4 }, Vec2 { x: 1.3, y: 0.4 });
    agree(&a, |a| a.norm_squared(), |a| a.norm_squared_grad());
    assert_eq!(
        a.lerp_jvp(b, 0.5, a, b, 0.0),
        (a.lerp(b, 0.5), a.lerp(b, 0.5))
    );
    let p = Polynomial {
        c: [1.0, -2.0, 0.5, 0.3],
    };
    agree(&(p, 0.7), |(p, x)| p.eval(*x), |(p, x)| p.eval_grad(*x));
    let p = Polynomial {
        c: [1.0_f32, -2.0, 0.5],
    };
    assert_eq!(p.eval_grad(1.0), (Polynomial { c: [1.0, 1.0, 1.0] }, -1.0));
    for s in [
        Shape::Circle { r: 0.7 },
        Shape::Rect(0.4, 0.9),
        Shape::Polygon([a, b, Vec2 { x: 0.0, y: 2.0 }]),
    ] {
        agree(&s, |s| s.area(), |s| s.area_grad());
        agree(
            &(s.clone(), 0.4),
            |(s, k)| s.scaled_area(*k),
            |(s, k)| s.scaled_area_grad(*k),
        );
    }
}
#[test]
fn states() {
    let pid = Pid {
        kp: 1.0,
        ki: 0.2,
        kd: 0.05,
        integral: 0.3,
        last: 0.1,
        label: "p".into(),
    };
    let zero = pid.map_reals(|_: f64| 0.0);
    agree(
        &(pid.clone(), 0.7),
        |(p, e)| p.clone().update(*e, 0.1),
        |(p, e)| p.clone().update_vjp(*e, 0.1, 1.0, &zero).1,
    );
    let mut now = pid.clone();
    assert_eq!(
        now.update_vjp(0.7, 0.1, 1.0, &zero).0,
        pid.clone().update(0.7, 0.1)
    );
    assert_eq!((now.label.as_str(), now.last), ("p", 0.7));
    let w = Welford {
        n: 3,
        mean: 0.4,
        m2: 1.2,
    };
    let bar = w.map_reals(|_: f64| 1.0);
    let after = |w: &Welford, x: f64| {
        let mut w = w.clone();
        w.push(x);
        w.mean + w.m2
    };
    agree(
        &(w.clone(), 0.9),
        |(w, x)| after(w, *x),
        |(w, x)| w.clone().push_vjp(*x, &bar),
    );
    agree(&w, |w| w.variance(), |w| w.variance_grad());
}
