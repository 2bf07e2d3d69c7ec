//! Objectives, their compiled values and their gradients, timed side by side.
//!
//! ```text
//! cargo bench
//! ```
//!
//! Of each workload four things are measured: the function as it is written (plain Rust over the
//! combinators), the generated `_value`, the generated `_value_and_grad`, and value and gradient
//! written by hand with ndarray. They take turns, a sample each, so that a busy moment of the
//! machine hits all four. Without the argument `--bench`, as `cargo test --benches` runs it, the
//! gradients are only compared with those by hand.

use cotangent::prelude::*;
use ndarray::{Array, Array1, Array2, Axis, Dimension, Zip};
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How many samples are taken, and how long each lasts at least.
const SAMPLES: usize = 11;
const SAMPLE: Duration = Duration::from_millis(20);

fn main() {
    let measure = std::env::args().any(|a| a == "--bench");
    let workloads = [
        logistic_regression(),
        network(),
        mixture(),
        clusters(),
        log_sum_exp(),
        least_squares(),
    ];
    for w in &workloads {
        w.check();
    }
    if !measure {
        println!("{} gradients agree with those by hand", workloads.len());
        return;
    }
    println!(
        "milliseconds: median (minimum) of {SAMPLES} samples of {} ms or more",
        SAMPLE.as_millis()
    );
    println!(
        "{:34}{:>19}{:>19}{:>19}{:>19}{:>10}{:>8}{:>8}",
        "", "as written", "value", "value and grad", "by hand", "grad/orig", "/value", "/hand"
    );
    for w in &workloads {
        let [written, value, grad, hand] = w.times();
        let show = |t: Times| format!("{:.3} ({:.3})", t.median, t.least);
        println!(
            "{:34}{:>19}{:>19}{:>19}{:>19}{:>10.2}{:>8.2}{:>8.2}",
            w.name,
            show(written),
            show(value),
            show(grad),
            show(hand),
            grad.median / written.median,
            grad.median / value.median,
            grad.median / hand.median,
        );
    }
}

/// One objective at one point.
struct Workload {
    name: &'static str,
    written: Box<dyn Fn() -> f64>,
    value: Box<dyn Fn() -> f64>,
    grad: Box<dyn Fn() -> Gradient>,
    hand: Box<dyn Fn() -> Gradient>,
}

/// A value, and the parts of its gradient one after the other.
struct Gradient {
    value: f64,
    parts: Vec<Array1<f64>>,
}

impl Workload {
    /// Whether all four agree.
    fn check(&self) {
        let (g, h) = ((self.grad)(), (self.hand)());
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + a.abs() + b.abs());
        let values = [(self.written)(), (self.value)(), g.value];
        for v in values {
            assert!(close(v, h.value), "{}: {v} or {}", self.name, h.value);
        }
        assert_eq!(g.parts.len(), h.parts.len());
        for (k, (a, b)) in g.parts.iter().zip(&h.parts).enumerate() {
            assert_eq!(a.len(), b.len());
            let same = a.iter().zip(b).all(|(a, b)| close(*a, *b));
            assert!(same, "{}: part {k} of the gradient differs", self.name);
        }
    }

    fn times(&self) -> [Times; 4] {
        let mut written = Timer::new(|| {
            black_box((self.written)());
        });
        let mut value = Timer::new(|| {
            black_box((self.value)());
        });
        let mut grad = Timer::new(|| {
            black_box((self.grad)());
        });
        let mut hand = Timer::new(|| {
            black_box((self.hand)());
        });
        for _ in 0..SAMPLES {
            written.sample();
            value.sample();
            grad.sample();
            hand.sample();
        }
        [written.times(), value.times(), grad.times(), hand.times()]
    }
}

/// In milliseconds for one run.
#[derive(Clone, Copy)]
struct Times {
    median: f64,
    least: f64,
}

/// Runs something often enough to be timed.
struct Timer<F> {
    run: F,
    rounds: u32,
    samples: Vec<f64>,
}

impl<F: FnMut()> Timer<F> {
    fn new(mut run: F) -> Self {
        run();
        let mut rounds = 1;
        loop {
            let start = Instant::now();
            for _ in 0..rounds {
                run();
            }
            if start.elapsed() >= SAMPLE {
                break;
            }
            rounds *= 2;
        }
        Timer {
            run,
            rounds,
            samples: vec![],
        }
    }

    fn sample(&mut self) {
        let start = Instant::now();
        for _ in 0..self.rounds {
            (self.run)();
        }
        let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(self.rounds);
        self.samples.push(each);
    }

    fn times(mut self) -> Times {
        self.samples.sort_by(f64::total_cmp);
        Times {
            median: self.samples[self.samples.len() / 2],
            least: self.samples[0],
        }
    }
}

/// A workload of functions over the same data.
fn workload<D: 'static>(
    name: &'static str,
    data: D,
    written: impl Fn(&D) -> f64 + 'static,
    value: impl Fn(&D) -> f64 + 'static,
    grad: impl Fn(&D) -> Gradient + 'static,
    hand: impl Fn(&D) -> Gradient + 'static,
) -> Workload {
    let data = Rc::new(data);
    let [a, b, c, d] = [(); 4].map(|()| Rc::clone(&data));
    Workload {
        name,
        written: Box::new(move || written(black_box(&a))),
        value: Box::new(move || value(black_box(&b))),
        grad: Box::new(move || grad(black_box(&c))),
        hand: Box::new(move || hand(black_box(&d))),
    }
}

/// The elements of an array in order, without a copy.
fn flat<D: Dimension>(x: Array<f64, D>) -> Array1<f64> {
    x.into_flat()
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    /// Uniform in −1..1.
    fn uniform(&mut self) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, n: usize) -> Array1<f64> {
        Array1::from_shape_simple_fn(n, || self.uniform())
    }

    fn matrix(&mut self, n: usize, m: usize) -> Array2<f64> {
        Array2::from_shape_simple_fn((n, m), || self.uniform())
    }
}

// Logistic regression: the mean negative log-likelihood of labels 0 and 1.

#[differentiable(value, grad, wrt(w, b))]
fn logistic(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    mean(y.len(), |i| {
        let z = sum(w.len(), |j| x[[i, j]] * w[j]) + b;
        softplus(z) - y[i] * z
    })
}

fn logistic_by_hand(w: &Array1<f64>, b: f64, x: &Array2<f64>, y: &Array1<f64>) -> Gradient {
    let n = y.len() as f64;
    let z = x.dot(w) + b;
    let mut value = 0.0;
    Zip::from(&z).and(y).for_each(|&z, &y| {
        value += z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z;
    });
    let r = Zip::from(&z)
        .and(y)
        .map_collect(|&z, &y| (1.0 / (1.0 + (-z).exp()) - y) / n);
    Gradient {
        value: value / n,
        parts: vec![x.t().dot(&r), Array1::from_elem(1, r.sum())],
    }
}

fn logistic_regression() -> Workload {
    let (n, d) = (10_000, 50);
    let mut random = Random(1);
    let (w, x) = (random.vector(d), random.matrix(n, d));
    let y = random.vector(n).mapv(|u| f64::from(u8::from(u > 0.0)));
    workload(
        "logistic regression 10000x50",
        (w, 0.3, x, y),
        |(w, b, x, y)| logistic(w, *b, x, y),
        |(w, b, x, y)| logistic_value(w, *b, x, y),
        |(w, b, x, y)| {
            let (value, (w, b)) = logistic_value_and_grad(w, *b, x, y);
            let parts = vec![w, Array1::from_elem(1, b)];
            Gradient { value, parts }
        },
        |(w, b, x, y)| logistic_by_hand(w, *b, x, y),
    )
}

// A network with one hidden layer of tanh, and its mean squared error.

#[differentiable(value, grad, wrt(w1, b1, w2, b2))]
fn error(
    w1: &Array2<f64>,
    b1: &Array1<f64>,
    w2: &Array2<f64>,
    b2: &Array1<f64>,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> f64 {
    let hidden = build((x.nrows(), b1.len()), |(i, k)| {
        (sum(x.ncols(), |j| x[[i, j]] * w1[[j, k]]) + b1[k]).tanh()
    });
    mean((x.nrows(), b2.len()), |(i, o)| {
        let out = sum(b1.len(), |k| hidden[[i, k]] * w2[[k, o]]) + b2[o];
        (out - y[[i, o]]).powi(2)
    })
}

type Layers = (
    Array2<f64>,
    Array1<f64>,
    Array2<f64>,
    Array1<f64>,
    Array2<f64>,
    Array2<f64>,
);

fn error_by_hand((w1, b1, w2, b2, x, y): &Layers) -> Gradient {
    let hidden = (x.dot(w1) + b1).mapv(f64::tanh);
    let n = y.len() as f64;
    let r = hidden.dot(w2) + b2 - y;
    let value = r.iter().map(|r| r * r).sum::<f64>() / n;
    let r = r * (2.0 / n);
    let mut back = r.dot(&w2.t());
    Zip::from(&mut back)
        .and(&hidden)
        .for_each(|b, &h| *b *= 1.0 - h * h);
    let parts = vec![
        flat(x.t().dot(&back).as_standard_layout().into_owned()),
        back.sum_axis(Axis(0)),
        flat(hidden.t().dot(&r).as_standard_layout().into_owned()),
        r.sum_axis(Axis(0)),
    ];
    Gradient { value, parts }
}

fn network() -> Workload {
    let (batch, from, hidden, to) = (64, 64, 128, 10);
    let mut random = Random(2);
    let data: Layers = (
        random.matrix(from, hidden) * 0.1,
        random.vector(hidden),
        random.matrix(hidden, to) * 0.1,
        random.vector(to),
        random.matrix(batch, from),
        random.matrix(batch, to),
    );
    workload(
        "network 64: 64-128-10, tanh",
        data,
        |(w1, b1, w2, b2, x, y)| error(w1, b1, w2, b2, x, y),
        |(w1, b1, w2, b2, x, y)| error_value(w1, b1, w2, b2, x, y),
        |(w1, b1, w2, b2, x, y)| {
            let (value, (w1, b1, w2, b2)) = error_value_and_grad(w1, b1, w2, b2, x, y);
            let parts = vec![flat(w1), b1, flat(w2), b2];
            Gradient { value, parts }
        },
        error_by_hand,
    )
}

// The log-likelihood of a mixture of Gaussians with diagonal covariance: weights `a` up to a
// constant, centres `m`, logarithms `q` of the inverse deviations.

#[differentiable(value, grad, wrt(a, m, q))]
fn likelihood(a: &Array1<f64>, m: &Array2<f64>, q: &Array2<f64>, x: &Array2<f64>) -> f64 {
    let (k, d) = m.dim();
    let inverse = build((k, d), |(c, j)| q[[c, j]].exp());
    let offset = build(k, |c| a[c] + sum(d, |j| q[[c, j]]));
    let total = logsumexp(k, |c| a[c]);
    sum(x.nrows(), |i| {
        logsumexp(k, |c| {
            let square = sum(d, |j| {
                let r = (x[[i, j]] - m[[c, j]]) * inverse[[c, j]];
                r * r
            });
            offset[c] - 0.5 * square
        }) - total
    })
}

fn likelihood_by_hand(
    a: &Array1<f64>,
    m: &Array2<f64>,
    q: &Array2<f64>,
    x: &Array2<f64>,
) -> Gradient {
    let (k, d) = m.dim();
    let n = x.nrows() as f64;
    let precision = q.mapv(|q| (2.0 * q).exp());
    let offset = a + &q.sum_axis(Axis(1));
    let largest = a.fold(f64::NEG_INFINITY, |l, &a| l.max(a));
    let weights = a.mapv(|a| (a - largest).exp());
    let mut value = -n * (weights.sum().ln() + largest);
    let mut da = &weights * (-n / weights.sum());
    let mut dm = Array2::zeros((k, d));
    let mut dq = Array2::zeros((k, d));
    let mut scores = Array1::<f64>::zeros(k);
    for x in x.rows() {
        for c in 0..k {
            let mut square = 0.0;
            for j in 0..d {
                let r = x[j] - m[[c, j]];
                square += r * r * precision[[c, j]];
            }
            scores[c] = offset[c] - 0.5 * square;
        }
        let largest = scores.fold(f64::NEG_INFINITY, |l, &s| l.max(s));
        scores.mapv_inplace(|s| (s - largest).exp());
        let total = scores.sum();
        value += total.ln() + largest;
        for c in 0..k {
            let p = scores[c] / total;
            da[c] += p;
            for j in 0..d {
                let r = x[j] - m[[c, j]];
                let rp = r * precision[[c, j]];
                dm[[c, j]] += p * rp;
                dq[[c, j]] += p * (1.0 - r * rp);
            }
        }
    }
    Gradient {
        value,
        parts: vec![da, flat(dm), flat(dq)],
    }
}

fn mixture() -> Workload {
    let (n, d, k) = (1000, 10, 25);
    let mut random = Random(3);
    let data = (
        random.vector(k),
        random.matrix(k, d),
        random.matrix(k, d),
        random.matrix(n, d),
    );
    workload(
        "Gaussian mixture n=1000 d=10 k=25",
        data,
        |(a, m, q, x)| likelihood(a, m, q, x),
        |(a, m, q, x)| likelihood_value(a, m, q, x),
        |(a, m, q, x)| {
            let (value, (a, m, q)) = likelihood_value_and_grad(a, m, q, x);
            let parts = vec![a, flat(m), flat(q)];
            Gradient { value, parts }
        },
        |(a, m, q, x)| likelihood_by_hand(a, m, q, x),
    )
}

// The cost of k-means: for each point the squared distance to its nearest centre.

#[differentiable(value, grad, wrt(centres))]
fn cost(points: &Array2<f64>, centres: &Array2<f64>) -> f64 {
    sum(points.nrows(), |i| {
        minimum(centres.nrows(), |c| {
            sum(points.ncols(), |j| {
                let r = points[[i, j]] - centres[[c, j]];
                r * r
            })
        })
    })
}

fn cost_by_hand(points: &Array2<f64>, centres: &Array2<f64>) -> Gradient {
    let mut value = 0.0;
    let mut gradient = Array2::zeros(centres.dim());
    for p in points.rows() {
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (c, centre) in centres.rows().into_iter().enumerate() {
            let d = (p.iter().zip(centre)).map(|(p, c)| (p - c) * (p - c)).sum();
            if d < least {
                (nearest, least) = (c, d);
            }
        }
        value += least;
        Zip::from(gradient.row_mut(nearest))
            .and(p)
            .and(centres.row(nearest))
            .for_each(|g, p, c| *g += 2.0 * (c - p));
    }
    let parts = vec![flat(gradient)];
    Gradient { value, parts }
}

fn clusters() -> Workload {
    let (n, k, d) = (2000, 20, 8);
    let mut random = Random(4);
    workload(
        "k-means n=2000 k=20 d=8",
        (random.matrix(n, d), random.matrix(k, d)),
        |(points, centres)| cost(points, centres),
        |(points, centres)| cost_value(points, centres),
        |(points, centres)| {
            let (value, centres) = cost_value_and_grad(points, centres);
            let parts = vec![flat(centres)];
            Gradient { value, parts }
        },
        |(points, centres)| cost_by_hand(points, centres),
    )
}

// The logarithm of a sum of exponentials.

#[differentiable(value, grad)]
fn log_total(x: &Array1<f64>) -> f64 {
    logsumexp(x.len(), |i| x[i])
}

fn log_total_by_hand(x: &Array1<f64>) -> Gradient {
    let largest = x.fold(f64::NEG_INFINITY, |l, &x| l.max(x));
    let weights = x.mapv(|x| (x - largest).exp());
    let total = weights.sum();
    Gradient {
        value: total.ln() + largest,
        parts: vec![weights / total],
    }
}

fn log_sum_exp() -> Workload {
    workload(
        "log-sum-exp n=1000000",
        Random(5).vector(1_000_000),
        log_total,
        log_total_value,
        |x| {
            let (value, x) = log_total_value_and_grad(x);
            let parts = vec![x];
            Gradient { value, parts }
        },
        log_total_by_hand,
    )
}

// Least squares.

#[differentiable(value, grad, wrt(w))]
fn squares(w: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    0.5 * sum(y.len(), |i| {
        let r = sum(w.len(), |j| x[[i, j]] * w[j]) - y[i];
        r * r
    })
}

fn squares_by_hand(w: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>) -> Gradient {
    let r = x.dot(w) - y;
    Gradient {
        value: 0.5 * r.dot(&r),
        parts: vec![x.t().dot(&r)],
    }
}

fn least_squares() -> Workload {
    let (n, d) = (16_392, 128);
    let mut random = Random(6);
    workload(
        "least squares 16392x128",
        (random.vector(d), random.matrix(n, d), random.vector(n)),
        |(w, x, y)| squares(w, x, y),
        |(w, x, y)| squares_value(w, x, y),
        |(w, x, y)| {
            let (value, w) = squares_value_and_grad(w, x, y);
            let parts = vec![w];
            Gradient { value, parts }
        },
        |(w, x, y)| squares_by_hand(w, x, y),
    )
}
