//! What may fail, what is written in place, functions as arguments, methods and generics.

use cotangent::prelude::*;
use ndarray::*;
use std::f64::consts::PI;

#[derive(Debug, Clone, PartialEq)]
pub enum Bad {
    Empty,
    Singular { at: usize },
    Value(String),
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "bad")
    }
}

impl std::error::Error for Bad {}

#[differentiable]
fn safe_log(x: f64) -> Result<f64, Bad> {
    if x <= 0.0 {
        return Err(Bad::Value(format!("{x}")));
    }
    Ok(x.ln())
}

#[differentiable]
fn mean_log(x: &[f64]) -> Result<f64, Box<dyn std::error::Error>> {
    let first = x.first().copied().ok_or_else(|| Bad::Empty)?;
    let mut t = first;
    for (i, &v) in x.iter().enumerate() {
        t += safe_log(v).map_err(|_| Bad::Singular { at: i })?;
    }
    if let Some(l) = x.last()
        && *l > 10.0
    {
        t += l;
    }
    Ok(t / x.len() as f64)
}

#[differentiable]
fn opt_chain(x: &[f64]) -> Option<f64> {
    let a = x.get(1).copied().unwrap_or_else(|| 0.5);
    let b = x.iter().copied().reduce(f64::max)?;
    let c = x
        .get(2)
        .filter(|v| **v > 0.0)
        .map(|v| v.sqrt())
        .unwrap_or(1.0);
    Some(a * b + c)
}

#[differentiable(allow(zero_gradient))]
fn nested_return(a: &Array2<f64>, limit: f64) -> f64 {
    let mut t = 0.0;
    for row in a.rows() {
        for &v in row {
            match v {
                v if v > limit => return t * v,
                _ => {
                    t += v;
                }
            }
        }
    }
    t
}

#[differentiable]
fn while_let(x: &[f64]) -> f64 {
    let mut stack = x.to_vec();
    let mut t = 1.0;
    while let Some(v) = stack.pop() {
        if v < -0.9 {
            break;
        }
        t = t * 0.5 + v;
    }
    let mut it = x.iter();
    while let Some(v) = it.next() {
        t += v * v;
    }
    t
}

#[differentiable]
fn inplace_all(a: &Array2<f64>, v: &Array1<f64>) -> f64 {
    let mut m = a.clone();
    for mut row in m.rows_mut() {
        row += v;
    }
    for mut col in m.axis_iter_mut(Axis(1)) {
        col *= 2.0;
    }
    for (i, mut row) in m.outer_iter_mut().enumerate() {
        row[0] += i as f64;
    }
    {
        let mut r = m.row_mut(0);
        r.zip_mut_with(v, |x, y| *x = *x * y);
        r.scaled_add(0.5, v);
        r.fill(0.25);
    }
    m.slice_mut(s![1.., ..]).mapv_inplace(|x| x.tanh());
    Zip::from(&mut m).and(a).for_each(|m, &a| *m += a);
    Zip::indexed(&mut m).for_each(|(i, j), m| *m *= (i + j + 1) as f64);
    azip!((m in &mut m, &a in a) *m -= 0.1 * a);
    m.diag_mut().mapv_inplace(|x| x * 3.0);
    m.column_mut(0).assign(&a.column(1));
    m.swap((0, 0), (1, 1));
    for x in m.iter_mut() {
        *x *= 0.5;
    }
    m.iter_mut().zip(a.iter()).for_each(|(m, a)| *m += a * a);
    par(&mut m);
    m.sum() + m[[1, 1]].powi(2)
}

#[differentiable]
fn par(m: &mut Array2<f64>) {
    m.map_inplace(|x| *x = x.sin());
}

#[differentiable(vjp, jvp)]
fn lorenz(_t: f64, y: &[f64], dydt: &mut [f64]) {
    dydt[0] = 10.0 * (y[1] - y[0]);
    dydt[1] = y[0] * (28.0 - y[2]) - y[1];
    dydt[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
}

#[differentiable]
fn rk4_lorenz(y0: &[f64; 3], h: f64, n: usize) -> f64 {
    let mut y = *y0;
    let (mut k1, mut k2, mut k3, mut k4) = ([0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]);
    let mut tmp = [0.0; 3];
    for i in 0..n {
        let t = i as f64 * h;
        lorenz(t, &y, &mut k1);
        for j in 0..3 {
            tmp[j] = y[j] + 0.5 * h * k1[j];
        }
        lorenz(t, &tmp, &mut k2);
        for j in 0..3 {
            tmp[j] = y[j] + 0.5 * h * k2[j];
        }
        lorenz(t, &tmp, &mut k3);
        for j in 0..3 {
            tmp[j] = y[j] + h * k3[j];
        }
        lorenz(t, &tmp, &mut k4);
        for j in 0..3 {
            y[j] += h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
        }
    }
    y[0] + y[1] * y[2]
}

#[differentiable]
fn softmax_(x: &Array1<f64>) -> Array1<f64> {
    let e = x.mapv(f64::exp);
    let s = e.sum();
    e / s
}
mod mine {
    use cotangent::differentiable;
    #[differentiable]
    pub fn mean(x: &[f64]) -> f64 {
        x.iter().sum::<f64>() / x.len() as f64
    }
    #[differentiable]
    pub fn sum(x: &[f64]) -> f64 {
        x.iter().map(|v| 2.0 * v).sum()
    }
    #[differentiable]
    pub fn variance(x: &[f64]) -> f64 {
        let m = mean(x);
        x.iter().map(|v| (v - m).powi(2)).sum::<f64>() + sum(x)
    }
}

#[differentiable]
fn gradient_descent<F: Fn(&Array1<f64>) -> Array1<f64>>(
    grad: F,
    x0: &Array1<f64>,
    lr: f64,
    n: usize,
) -> Array1<f64> {
    let mut x = x0.clone();
    for _ in 0..n {
        x = &x - &(grad(&x) * lr);
    }
    x
}

#[differentiable]
fn descent(a: &Array2<f64>, x0: &Array1<f64>, lr: f64) -> f64 {
    gradient_descent(|x| a.dot(x), x0, lr, 5).sum()
}

#[differentiable]
fn newton(f: &dyn Fn(f64) -> f64, df: &dyn Fn(f64) -> f64, x0: f64) -> f64 {
    let mut x = x0;
    for _ in 0..20 {
        let step = f(x) / df(x);
        x -= step;
        if step.abs() < 1e-13 {
            break;
        }
    }
    x
}

#[differentiable]
fn root3(c: f64) -> f64 {
    newton(&|x| x * x * x - c, &|x| 3.0 * x * x, 1.5)
}

#[differentiable]
fn rk4<F>(f: F, y0: &[f64], h: f64, n: usize) -> Vec<f64>
where
    F: Fn(f64, &[f64]) -> Vec<f64>,
{
    let mut y = y0.to_vec();
    for i in 0..n {
        let t = i as f64 * h;
        let k1 = f(t, &y);
        let y2: Vec<f64> = y.iter().zip(&k1).map(|(y, k)| y + 0.5 * h * k).collect();
        let k2 = f(t + 0.5 * h, &y2);
        for j in 0..y.len() {
            y[j] += h * k2[j] + 0.0 * k1[j];
        }
    }
    y
}

#[differentiable]
fn oscillator(y0: &[f64], k: f64) -> f64 {
    let y = rk4(|_t, y| vec![y[1], -k * y[0]], y0, 0.1, 10);
    y[0] * y[0] + y[1]
}
pub trait Kernel {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64;
}

#[derive(Clone, Debug, Differentiable)]
pub struct Rbf {
    pub gamma: f64,
    pub label: String,
    pub tags: Vec<String>,
}

#[differentiable]
impl Kernel for Rbf {
    #[differentiable]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (-self.gamma * x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub enum Figure {
    Circle { r: f64 },
    Rect(f64, f64),
    Empty,
}

#[differentiable]
impl Figure {
    #[differentiable]
    pub fn area(&self) -> f64 {
        match *self {
            Figure::Circle { r } => PI * r * r,
            Self::Rect(w, h) => w * h,
            Figure::Empty => 0.0,
        }
    }
}

#[differentiable]
fn areas(all: &[Figure]) -> f64 {
    all.iter().map(|s| s.area()).sum()
}

#[derive(Clone, Debug, Differentiable)]
pub struct Complex<T>
where
    T: Real,
{
    pub re: T,
    pub im: T,
}

#[differentiable]
impl<T: Real> Complex<T> {
    #[differentiable]
    pub fn norm_sqr(&self) -> T {
        self.re * self.re + self.im * self.im
    }
    #[differentiable]
    pub fn mul(&self, o: &Complex<T>) -> Complex<T> {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

#[differentiable]
fn masked(x: &Array2<f64>, mask: Option<&Array2<f64>>) -> f64 {
    match mask {
        Some(m) => (x * m).sum(),
        None => x.sum(),
    }
}

#[differentiable]
fn huber_t<F: NdFloat>(x: ArrayView1<F>, delta: F) -> F {
    let half = F::from(0.5).unwrap();
    x.iter()
        .map(|&v| {
            if v.abs() <= delta {
                half * v * v
            } else {
                delta * (v.abs() - half * delta)
            }
        })
        .fold(F::zero(), |a, b| a + b)
}

#[differentiable]
fn frob<S: Data<Elem = f64>>(a: &ArrayBase<S, Ix2>) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[differentiable]
fn frob_t<T: NdFloat, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> T {
    a.iter().fold(T::zero(), |t, &v| t + v * v)
}

#[differentiable]
fn dist2<S1, S2>(a: &ArrayBase<S1, Ix1>, b: &ArrayBase<S2, Ix1>) -> f64
where
    S1: Data<Elem = f64>,
    S2: Data<Elem = f64>,
{
    (a - b).mapv(|v| v * v).sum()
}

#[differentiable]
fn mixed(x: &[f32], scale: f64) -> f64 {
    x.iter().map(|&v| (v as f64 * scale).sin()).sum()
}

fn mean_of_logs(x: &[f64]) -> f64 {
    mean_log(x).unwrap()
}

fn mean_of_logs_grad(x: &[f64]) -> (f64, Vec<f64>) {
    mean_log_value_and_grad(x).unwrap()
}

fn chain_of_options(x: &[f64]) -> f64 {
    opt_chain(x).unwrap()
}

fn chain_of_options_grad(x: &[f64]) -> (f64, Vec<f64>) {
    opt_chain_value_and_grad(x).unwrap()
}

fn rbf_of(g: f64, x: &[f64], y: &[f64]) -> f64 {
    Rbf {
        gamma: g,
        label: "a".into(),
        tags: vec![],
    }
    .eval(x, y)
}

fn rbf_of_grad(g: f64, x: &[f64], y: &[f64]) -> (f64, (f64, Vec<f64>, Vec<f64>)) {
    let (v, (g, x, y)) = Rbf {
        gamma: g,
        label: "a".into(),
        tags: vec![],
    }
    .eval_value_and_grad(x, y);
    (v, (g.gamma, x, y))
}

sized! {
    logs: mean_of_logs, mean_of_logs_grad, n in [1, 9, 65], x: positive(n).to_vec() => (&x);
    options: chain_of_options, chain_of_options_grad, n in [1, 9, 65], x: positive(n).to_vec() => (&x);
    returns: nested_return, nested_return_value_and_grad, n in [0, 1, 9], x: matrix(n, 5), l: 0.93 => (&x, l);
    while_lets: while_let, while_let_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x);
    in_place: inplace_all, inplace_all_value_and_grad, n in [3, 6], x: matrix(n, 5), v: vector(5) => (&x, &v);
    lorenz: rk4_lorenz, rk4_lorenz_value_and_grad, n in [0, 1, 9], y: [1.0, 0.5, 2.0], h: 0.01 => (&y, h, n);
    variances: variance_0, variance_g, n in [0, 1, 9, 65], x: list(n) => (&x);
    descents: descent, descent_value_and_grad, n in [0, 1, 5], a: matrix(n, n), x: vector(n), l: 0.1 => (&a, &x, l);
    root: root3, root3_value_and_grad, n in [1], c: 2.0 => (c);
    oscillations: oscillator, oscillator_value_and_grad, n in [1], y: vec![1.0, 0.2], k: 2.0 => (&y, k);
    kernels: rbf_of, rbf_of_grad, n in [0, 1, 9, 65], g: 0.3, x: list(n), y: positive(n).to_vec() => (g, &x, &y);
    masks: masked, masked_1, n in [0, 1, 5], x: matrix(n, 3), y: matrix(n, 3) * 0.3 => (&x, Some(&y));
    hubers: huber_0, huber_0_value_and_grad, n in [0, 1, 9, 65], x: vector(n), d: 0.41 => (&x, d);
    frobenius: frob_0, frob_0_value_and_grad, n in [1, 5], x: matrix(n, 3) => (&x);
}

fn variance_g(x: &[f64]) -> (f64, Vec<f64>) {
    mine::variance_value_and_grad(x)
}

fn masked_1(x: &Array2<f64>, m: Option<&Array2<f64>>) -> (f64, (Array2<f64>, Array2<f64>)) {
    let (v, (a, b)) = masked_value_and_grad(x, m);
    (v, (a, b.unwrap()))
}

#[differentiable]
fn huber_0(x: &Array1<f64>, d: f64) -> f64 {
    huber_t(x.view(), d)
}

#[differentiable]
fn frob_0(x: &Array2<f64>) -> f64 {
    frob(x) + frob_t(x) + dist2(&x.row(0), &x.row(0))
}

#[test]
fn shapes() {
    let a = [
        Figure::Circle { r: 1.0 },
        Figure::Rect(2.0, 3.0),
        Figure::Empty,
    ];
    assert_eq!(
        areas_grad(&a),
        [
            Figure::Circle { r: 2.0 * PI },
            Figure::Rect(3.0, 2.0),
            Figure::Empty
        ]
    );
    let c = Complex { re: 1.0, im: 2.0 };
    assert_eq!(c.norm_sqr_grad().im, 4.0);
    assert_eq!(mixed_grad(&[1.0, 2.0], 0.0).0, [0.0f32, 0.0]);
}

fn variance_0(x: &[f64]) -> f64 {
    mine::variance(x)
}
