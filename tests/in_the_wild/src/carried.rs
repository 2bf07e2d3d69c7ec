//! What methods, options, lists and iterators carry from one step to the next.

use cotangent::prelude::*;
use ndarray::{Array1, Zip};

#[derive(Clone, Debug, Differentiable)]
struct Biquad {
    b: [f64; 3],
    a: [f64; 2],
    z1: f64,
    z2: f64,
}

#[differentiable]
impl Biquad {
    #[differentiable]
    fn process(&mut self, x: f64) -> f64 {
        let y = self.b[0] * x + self.z1;
        self.z1 = self.b[1] * x - self.a[0] * y + self.z2;
        self.z2 = self.b[2] * x - self.a[1] * y;
        y
    }
}

#[differentiable]
fn filtered_energy(b: [f64; 3], a: [f64; 2], signal: &[f64]) -> f64 {
    let mut filter = Biquad {
        b,
        a,
        z1: 0.0,
        z2: 0.0,
    };
    signal
        .iter()
        .map(|&x| filter.process(x))
        .map(|y| y * y)
        .sum()
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Kalman {
    x: f64,
    p: f64,
    q: f64,
    r: f64,
}

#[differentiable]
impl Kalman {
    #[differentiable]
    fn new(q: f64, r: f64) -> Self {
        Self {
            x: 0.0,
            p: 1.0,
            q,
            r,
        }
    }

    #[differentiable(vjp)]
    fn predict(&mut self) {
        self.p += self.q;
    }

    #[differentiable]
    fn update(&mut self, z: f64) -> f64 {
        let s = self.p + self.r;
        let gain = self.p / s;
        let innovation = z - self.x;
        self.x += gain * innovation;
        self.p *= 1.0 - gain;
        -0.5 * (innovation * innovation / s + s.ln())
    }

    #[differentiable]
    fn step(&mut self, z: f64) -> f64 {
        self.predict();
        self.update(z)
    }
}

#[differentiable]
fn likelihood(q: f64, r: f64, measured: &[f64]) -> f64 {
    let mut filter = Kalman::new(q, r);
    let mut total = 0.0;
    for z in measured {
        total += filter.step(*z);
    }
    total + filter.x
}

#[derive(Clone, Debug, Differentiable)]
struct Particle {
    pos: [f64; 2],
    vel: [f64; 2],
    mass: f64,
}

#[differentiable]
impl Particle {
    #[differentiable(vjp)]
    fn drift(&mut self, dt: f64) {
        for k in 0..2 {
            self.pos[k] += dt * self.vel[k];
        }
    }
}

#[differentiable]
fn momentum_after(start: &[Particle], dt: f64) -> f64 {
    let mut ps = start.to_vec();
    for _ in 0..3 {
        for p in ps.iter_mut() {
            let r = p.pos[0].hypot(p.pos[1]);
            p.vel[0] -= dt * p.pos[0] / r;
            p.vel[1] -= dt * p.pos[1] / r;
            p.mass *= 0.9;
        }
        for p in &mut ps {
            p.drift(dt);
        }
    }
    let n = ps.len();
    ps[0].mass = 2.0;
    ps[n - 1].pos = [1.0, dt];
    ps.iter()
        .map(|p| p.mass * (p.pos[0] * p.vel[1] - p.pos[1] * p.vel[0]))
        .sum()
}

fn particles(numbers: &[[f64; 5]]) -> Vec<Particle> {
    let one = |n: &[f64; 5]| Particle {
        pos: [n[0], n[1]],
        vel: [n[2], n[3]],
        mass: n[4],
    };
    numbers.iter().map(one).collect()
}

fn momentum(numbers: &[[f64; 5]], dt: f64) -> f64 {
    momentum_after(&particles(numbers), dt)
}

fn momentum_value_and_grad(numbers: &[[f64; 5]], dt: f64) -> (f64, (Vec<[f64; 5]>, f64)) {
    let (value, (ps, by_dt)) = momentum_after_value_and_grad(&particles(numbers), dt);
    let numbers = |p: &Particle| [p.pos[0], p.pos[1], p.vel[0], p.vel[1], p.mass];
    (value, (ps.iter().map(numbers).collect(), by_dt))
}

#[differentiable]
fn largest(x: &[f64]) -> f64 {
    let mut best: Option<f64> = None;
    for &v in x {
        best = Some(best.map_or(v, |b| b.max(v)));
    }
    best.unwrap_or(0.0)
}

#[differentiable]
fn largest_so_far(x: &[f64]) -> f64 {
    let mut best: Option<f64> = None;
    for &v in x {
        best = match best {
            Some(b) if b > v => Some(b),
            _ => Some(v),
        };
    }
    best.unwrap_or(0.0)
}

#[differentiable(wrt(y))]
fn at_the_nearest(x: &[f64], y: &[f64], to: f64) -> Option<f64> {
    let mut best = None;
    for i in 0..x.len() {
        let d = (x[i] - to).abs();
        match best {
            None => best = Some((i, d)),
            Some((_, b)) if d < b => best = Some((i, d)),
            _ => {}
        }
    }
    let (i, d) = best?;
    Some(y[i] * d)
}

fn nearest(x: &[f64], y: &[f64]) -> f64 {
    at_the_nearest(x, y, 0.3).unwrap_or(-1.0)
}

fn nearest_value_and_grad(x: &[f64], y: &[f64]) -> (f64, Vec<f64>) {
    at_the_nearest_value_and_grad(x, y, 0.3).unwrap_or((-1.0, vec![0.0; y.len()]))
}

#[differentiable]
fn reversed_by_a_stack(x: &[f64]) -> f64 {
    let mut stack = x.to_vec();
    let mut total = 0.0;
    while let Some(v) = stack.pop() {
        total = 0.5 * total + v * v;
    }
    total
}

#[differentiable]
fn eliminated_in_rows(a: &[Vec<f64>]) -> f64 {
    let mut m: Vec<Vec<f64>> = a.to_vec();
    for k in 1..m.len() {
        for j in 0..m[k].len().min(m[k - 1].len()) {
            m[k][j] -= 0.5 * m[k - 1][j];
        }
    }
    m.iter().map(|r| r.iter().map(|v| v * v).sum::<f64>()).sum()
}

#[differentiable]
fn all_rows(rows: &[Vec<f64>]) -> f64 {
    let all: Vec<f64> = rows.iter().flatten().copied().collect();
    let sines: f64 = rows.iter().flat_map(|r| r.iter().map(|v| v.sin())).sum();
    sines
        + all
            .iter()
            .enumerate()
            .map(|(i, v)| i as f64 * v)
            .sum::<f64>()
}

#[differentiable]
fn some_items(x: &[f64]) -> f64 {
    let positive: Vec<f64> = x.iter().copied().filter(|v| *v > 0.0).collect();
    let mut total = 0.0;
    for (i, v) in x.iter().enumerate().filter(|(i, _)| i % 2 == 0) {
        total += v * i as f64;
    }
    for v in x.iter().take_while(|v| **v > -0.9) {
        total += v * v;
    }
    total + positive.iter().product::<f64>()
}

#[differentiable]
fn smoothed_roughness(x: &[f64], a: f64) -> f64 {
    let mut state = 0.0;
    let y: Vec<f64> = x
        .iter()
        .map(|&v| {
            state = a * state + (1.0 - a) * v;
            state
        })
        .collect();
    y.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum()
}

#[differentiable]
fn volatility(prices: &[f64]) -> f64 {
    let r: Vec<f64> = prices
        .windows(2)
        .filter_map(|w| {
            if w[0] > 0.0 {
                Some((w[1] / w[0]).ln())
            } else {
                None
            }
        })
        .collect();
    let m = r.iter().sum::<f64>() / r.len() as f64;
    (r.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (r.len() - 1) as f64).sqrt()
}

#[differentiable]
fn crossing(x: &[f64], level: f64) -> Option<f64> {
    let i = x.iter().position(|&v| v > level)?;
    if i == 0 {
        return Some(0.0);
    }
    let t = (level - x[i - 1]) / (x[i] - x[i - 1]);
    Some(i as f64 - 1.0 + t)
}

fn crossed(x: &[f64], level: f64) -> f64 {
    crossing(x, level).unwrap_or(0.0)
}

fn crossed_value_and_grad(x: &[f64], level: f64) -> (f64, (Vec<f64>, f64)) {
    crossing_value_and_grad(x, level).unwrap_or((0.0, (vec![0.0; x.len()], 0.0)))
}

#[differentiable(vjp, wrt(x, w))]
fn normalise(x: &mut Array1<f64>, w: &Array1<f64>) -> f64 {
    let square = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
    let scale = 1.0 / (square + 1e-6).sqrt();
    Zip::from(&mut *x)
        .and(w)
        .for_each(|x, &w| *x = *x * scale * w);
    x.sum()
}

fn normalised(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    normalise(&mut x.clone(), w)
}

fn normalised_value_and_grad(
    x: &Array1<f64>,
    w: &Array1<f64>,
) -> (f64, (Array1<f64>, Array1<f64>)) {
    normalise_vjp(w, 1.0, &Array1::zeros(x.len()), &mut x.clone())
}

#[differentiable]
fn powell(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for c in x.chunks_exact(4) {
        if let &[a, b, c, d] = c {
            total += (a + 10.0 * b).powi(2) + 5.0 * (c - d).powi(2);
            total += (b - 2.0 * c).powi(4) + 10.0 * (a - d).powi(4);
        }
    }
    total
}

tests! {
    biquad: filtered_energy, filtered_energy_value_and_grad,
        b: [0.2, 0.4, 0.2], a: [-0.5, 0.2], s: list(6) => (b, a, &s);
    kalman: likelihood, likelihood_value_and_grad, q: 0.1, r: 0.5, z: list(6) => (q, r, &z);
    bodies: momentum, momentum_value_and_grad,
        x: vec![[0.3, 0.8, 0.1, 0.2, 1.0], [1.3, 0.5, -0.1, 0.7, 2.0], [0.5, -0.5, 0.2, 0.7, 2.5]],
        dt: 0.1 => (&x, dt);
    of_options: largest, largest_value_and_grad, x: list(5) => (&x);
    of_no_options: largest, largest_value_and_grad, x: list(0) => (&x);
    by_match: largest_so_far, largest_so_far_value_and_grad, x: list(5) => (&x);
    of_pairs: nearest, nearest_value_and_grad, y: list(5); x: list(5) => (&x, &y);
    stack: reversed_by_a_stack, reversed_by_a_stack_value_and_grad, x: list(5) => (&x);
    rows_in_place: eliminated_in_rows, eliminated_in_rows_value_and_grad,
        a: vec![list(3), list(2), list(4), vec![], list(1)] => (&a);
    flat: all_rows, all_rows_value_and_grad, a: vec![list(3), list(2), vec![], list(1)] => (&a);
    kept: some_items, some_items_value_and_grad, x: list(7) => (&x);
    smoothed: smoothed_roughness, smoothed_roughness_value_and_grad, x: list(6), a: 0.3 => (&x, a);
    of_returns: volatility, volatility_value_and_grad, x: vec![1.0, 1.1, 0.9, 1.3] => (&x);
    of_crossing: crossed, crossed_value_and_grad, x: vec![0.1, 0.4, 0.9, 0.7], l: 0.6 => (&x, l);
    in_place: normalised, normalised_value_and_grad, x: vector(4), w: positive(4) => (&x, &w);
    by_fours: powell, powell_value_and_grad, x: list(9) => (&x);
}
