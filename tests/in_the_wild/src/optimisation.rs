//! Functions that optimisers are tested on.

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView1, s};

type Vector = Array1<f64>;

#[differentiable(grad)]
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| 100.0 * (w[1] - w[0].powi(2)).powi(2) + (1.0 - w[0]).powi(2))
        .sum()
}

#[differentiable(grad)]
fn rosenbrock_slices(x: &Vector) -> f64 {
    let n = x.len();
    let head = x.slice(s![..n - 1]);
    let tail = x.slice(s![1..]);
    (&tail - &head.mapv(|v| v * v))
        .mapv(|r| 100.0 * r * r)
        .sum()
        + head.mapv(|v| (1.0 - v).powi(2)).sum()
}

#[differentiable(grad)]
fn rastrigin(x: ArrayView1<f64>) -> f64 {
    use std::f64::consts::PI;
    const A: f64 = 10.0;
    A * x.len() as f64
        + x.iter()
            .map(|&xi| xi * xi - A * (2.0 * PI * xi).cos())
            .sum::<f64>()
}

#[differentiable(grad)]
fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (squares, cosines) = x.iter().fold((0.0, 0.0), |(s, c), &v| {
        (s + v * v, c + (2.0 * std::f64::consts::PI * v).cos())
    });
    -20.0 * (-0.2 * (squares / n).sqrt()).exp() - (cosines / n).exp() + 20.0 + std::f64::consts::E
}

#[differentiable(grad)]
fn griewank(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut prod = 1.0;
    for (i, xi) in x.iter().enumerate() {
        sum += xi * xi / 4000.0;
        prod *= (xi / ((i + 1) as f64).sqrt()).cos();
    }
    1.0 + sum - prod
}

/// Table of the centres of Shekel's function.
const SHEKEL_A: [[f64; 4]; 5] = [
    [4.0, 4.0, 4.0, 4.0],
    [1.0, 1.0, 1.0, 1.0],
    [8.0, 8.0, 8.0, 8.0],
    [6.0, 6.0, 6.0, 6.0],
    [3.0, 7.0, 3.0, 7.0],
];
static SHEKEL_C: [f64; 5] = [0.1, 0.2, 0.2, 0.4, 0.4];

#[differentiable(grad)]
fn hartmann3(x: &[f64; 3]) -> f64 {
    const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const A: [[f64; 3]; 4] = [
        [3.0, 10.0, 30.0],
        [0.1, 10.0, 35.0],
        [3.0, 10.0, 30.0],
        [0.1, 10.0, 35.0],
    ];
    const P: [[f64; 3]; 4] = [
        [0.3689, 0.1170, 0.2673],
        [0.4699, 0.4387, 0.7470],
        [0.1091, 0.8732, 0.5547],
        [0.0381, 0.5743, 0.8828],
    ];
    let mut outer = 0.0;
    for (alpha, (a, p)) in ALPHA.iter().zip(A.iter().zip(P.iter())) {
        let inner: f64 = (0..3).map(|j| a[j] * (x[j] - p[j]).powi(2)).sum();
        outer += alpha * (-inner).exp();
    }
    -outer
}

#[differentiable(grad)]
fn levy(x: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let w: Vec<f64> = x.iter().map(|v| 1.0 + (v - 1.0) / 4.0).collect();
    let first = (PI * w[0]).sin().powi(2);
    let last = *w.last().unwrap();
    let middle: f64 = w[..w.len() - 1]
        .iter()
        .map(|wi| (wi - 1.0).powi(2) * (1.0 + 10.0 * (PI * wi + 1.0).sin().powi(2)))
        .sum();
    first + middle + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
}

#[differentiable(grad)]
fn schwefel(x: &Vector) -> f64 {
    let axis = x.len();
    418.9829 * axis as f64 - x.iter().map(|v| v * v.abs().sqrt().sin()).sum::<f64>()
}

#[differentiable(grad)]
fn zakharov(x: &[f64]) -> f64 {
    let mut s1 = 0.0;
    let mut s2 = 0.0;
    for (i, &v) in (1u32..).zip(x) {
        s1 += v * v;
        s2 += 0.5 * f64::from(i) * v;
    }
    s1 + s2.powi(2) + s2.powi(4)
}

#[differentiable(grad)]
fn michalewicz(x: &[f64], m: i32) -> f64 {
    let mut value = 0.0;
    for (i, xi) in x.iter().enumerate() {
        let s = ((i + 1) as f64 * xi * xi / std::f64::consts::PI).sin();
        value -= xi.sin() * s.powi(2 * m);
    }
    value
}

#[differentiable(grad)]
fn dixon_price(x: &[f64]) -> f64 {
    let Some(first) = x.first() else {
        return 0.0;
    };
    (first - 1.0).powi(2)
        + (1..x.len())
            .map(|i| (i + 1) as f64 * (2.0 * x[i].powi(2) - x[i - 1]).powi(2))
            .sum::<f64>()
}

#[differentiable(grad)]
fn himmelblau([x, y]: [f64; 2]) -> f64 {
    (x * x + y - 11.0).powi(2) + (x + y * y - 7.0).powi(2)
}

#[differentiable(grad)]
fn booth(&[x, y]: &[f64; 2]) -> f64 {
    (x + 2.0 * y - 7.0).powi(2) + (2.0 * x + y - 5.0).powi(2)
}

#[differentiable(grad)]
fn beale((x, y): (f64, f64)) -> f64 {
    const TARGETS: [f64; 3] = [1.5, 2.25, 2.625];
    let mut total = 0.0;
    let mut power = 1.0;
    for t in TARGETS {
        power *= y;
        let r = t - x + x * power;
        total += r * r;
    }
    total
}

#[differentiable(grad)]
fn styblinski_tang(x: &[f64]) -> f64 {
    fn term(v: f64) -> f64 {
        v.powi(4) - 16.0 * v * v + 5.0 * v
    }
    0.5 * x.iter().map(|&v| term(v)).sum::<f64>()
}

#[differentiable(grad)]
fn shekel(x: &[f64; 4]) -> f64 {
    let mut total = 0.0;
    for i in 0..5 {
        let mut d = SHEKEL_C[i];
        for j in 0..4 {
            d += (x[j] - SHEKEL_A[i][j]).powi(2);
        }
        total -= 1.0 / d;
    }
    total
}

#[differentiable(grad)]
fn powell(x: &[f64]) -> f64 {
    x.chunks(4)
        .map(|c| {
            (c[0] + 10.0 * c[1]).powi(2)
                + 5.0 * (c[2] - c[3]).powi(2)
                + (c[1] - 2.0 * c[2]).powi(4)
                + 10.0 * (c[0] - c[3]).powi(4)
        })
        .sum()
}

tests! {
    powell_is: powell, powell_value_and_grad, x: list(8) => (&x);
    shekel_is: shekel, shekel_value_and_grad, x: [3.0, 4.5, 3.5, 6.0] => (&x);
    dixon_price_is: dixon_price, dixon_price_value_and_grad, x: list(4) => (&x);
    styblinski_is: styblinski_tang, styblinski_tang_value_and_grad, x: list(4) => (&x);
    beale_is: beale, beale_value_and_grad, x: (0.3, 0.7) => (x);
    booth_is: booth, booth_value_and_grad, x: [0.3, 0.7] => (&x);
    himmelblau_is: himmelblau, himmelblau_value_and_grad, x: [0.3, 0.7] => (x);
    rosenbrock_is: rosenbrock, rosenbrock_value_and_grad, x: list(6) => (&x);
    rosenbrock_slices_is: rosenbrock_slices, rosenbrock_slices_value_and_grad, x: vector(6) => (&x);
    rastrigin_is: rastrigin, rastrigin_value_and_grad, x: vector(5) => (x.view());
    ackley_is: ackley, ackley_value_and_grad, x: list(5) => (&x);
    griewank_is: griewank, griewank_value_and_grad, x: list(5) => (&x);
    hartmann_is: hartmann3, hartmann3_value_and_grad, x: [0.2, 0.4, 0.6] => (&x);
    levy_is: levy, levy_value_and_grad, x: list(4) => (&x);
    schwefel_is: schwefel, schwefel_value_and_grad, x: vector(4) => (&x);
    zakharov_is: zakharov, zakharov_value_and_grad, x: list(4) => (&x);
    michalewicz_is: michalewicz, michalewicz_value_and_grad, x: list(3) => (&x, 2);
}
