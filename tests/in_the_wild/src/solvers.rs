//! Iterative and direct solvers of linear and nonlinear equations, as textbooks write them.

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(grad)]
fn conjugate_gradients(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let mut x = Array1::zeros(b.len());
    let mut r = b - &a.dot(&x);
    let mut p = r.clone();
    let mut rs = r.dot(&r);
    for _ in 0..b.len() {
        let ap = a.dot(&p);
        let alpha = rs / p.dot(&ap);
        x = x + alpha * &p;
        r = r - alpha * &ap;
        let new = r.dot(&r);
        if new.sqrt() < 1e-10 {
            break;
        }
        p = &r + (new / rs) * &p;
        rs = new;
    }
    x.sum()
}

#[differentiable(grad, wrt(a, b))]
fn richardson(a: &Array2<f64>, b: &Array1<f64>, tolerance: f64) -> f64 {
    let mut r = b.clone();
    let mut steps = 0;
    while r.dot(&r) > tolerance && steps < 50 {
        r = &r - &a.dot(&r);
        steps += 1;
    }
    r.sum()
}

#[differentiable(grad)]
fn largest_eigenvalue(a: &Array2<f64>, start: &Array1<f64>) -> f64 {
    let mut x = start.clone();
    let mut last = 0.0;
    loop {
        let y = a.dot(&x);
        x = &y / y.dot(&y).sqrt();
        let value = x.dot(&a.dot(&x));
        if (value - last).abs() < 1e-13 {
            return value;
        }
        last = value;
    }
}

#[differentiable(grad)]
fn jacobi(a: &Array2<f64>, b: &Array1<f64>, rounds: usize) -> f64 {
    let d = a.diag().to_owned();
    let mut x = Array1::zeros(b.len());
    let mut k = 0;
    while k < rounds {
        let rest = a.dot(&x) - &d * &x;
        x = (b - rest) / &d;
        k += 1;
    }
    x.dot(&x)
}

#[differentiable(grad)]
fn kepler(mean_anomaly: f64, eccentricity: f64) -> f64 {
    let mut e = mean_anomaly;
    let anomaly = loop {
        let step = (e - eccentricity * e.sin() - mean_anomaly) / (1.0 - eccentricity * e.cos());
        let next = e - step;
        if step.abs() < 1e-14 {
            break next;
        }
        e = next;
    };
    anomaly.cos() - eccentricity
}

#[differentiable(grad)]
fn implied_rate(payment: f64, price: f64) -> f64 {
    let excess = |rate: f64| payment / (1.0 + rate) + payment / (1.0 + rate).powi(2) - price;
    let (mut low, mut high) = (0.0, 1.0);
    let rate = loop {
        let mid = 0.5 * (low + high);
        if excess(mid).abs() < 1e-3 || high - low < 1e-9 {
            break mid;
        }
        if excess(mid) > 0.0 {
            low = mid;
        } else {
            high = mid;
        }
    };
    let slope = -payment / (1.0 + rate).powi(2) - 2.0 * payment / (1.0 + rate).powi(3);
    rate - excess(rate) / slope
}

#[differentiable(grad)]
fn gaussian_elimination(a: &Array2<f64>, b: &[f64]) -> f64 {
    let n = b.len();
    let mut m = vec![vec![0.0; n + 1]; n];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = a[[i, j]];
        }
        m[i][n] = b[i];
    }
    for k in 0..n {
        for i in k + 1..n {
            let factor = m[i][k] / m[k][k];
            for j in k..=n {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let mut sum = m[k][n];
        for j in k + 1..n {
            sum -= m[k][j] * x[j];
        }
        x[k] = sum / m[k][k];
    }
    x.iter().sum()
}

#[differentiable(grad)]
fn product_of_tables(a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>) -> f64 {
    let (n, m) = (a.len(), b.len());
    let mut c = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            for k in 0..m {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    let mut total = 0.0;
    for i in 0..n {
        for j in 0..n {
            total += c[i][j] * c[i][j];
        }
    }
    total
}

#[differentiable(grad)]
fn floyd_warshall(weights: &Array2<f64>) -> f64 {
    let n = weights.nrows();
    let mut d = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            d[i][j] = weights[[i, j]];
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i][j] = d[i][j].min(d[i][k] + d[k][j]);
            }
        }
    }
    d[0][n - 1] + d[n - 1][0]
}

#[differentiable(grad)]
fn edit_cost(a: &[f64], b: &[f64], gap: f64) -> f64 {
    let (n, m) = (a.len(), b.len());
    let mut cost = vec![vec![0.0; m + 1]; n + 1];
    for i in 1..=n {
        cost[i][0] = gap * i as f64;
    }
    for j in 1..=m {
        cost[0][j] = gap * j as f64;
    }
    for i in 1..=n {
        for j in 1..=m {
            let change = cost[i - 1][j - 1] + (a[i - 1] - b[j - 1]).powi(2);
            cost[i][j] = change.min(cost[i - 1][j] + gap).min(cost[i][j - 1] + gap);
        }
    }
    cost[n][m]
}

#[differentiable(grad)]
fn phase_portrait(x0: f64, v0: f64, steps: usize) -> f64 {
    let mut orbit = vec![[0.0; 2]; steps + 1];
    orbit[0] = [x0, v0];
    for k in 0..steps {
        let [x, v] = orbit[k];
        let v = v - 0.1 * x.sin();
        orbit[k + 1] = [x + 0.1 * v, v];
    }
    orbit.iter().map(|p| p[0] * p[0] + p[1]).sum()
}

tests! {
    cg_is: conjugate_gradients, conjugate_gradients_value_and_grad,
        a: (matrix(4, 4) * 0.2 + Array2::<f64>::eye(4) * 2.0 + matrix(4, 4).t().to_owned() * 0.2), b: vector(4) => (&a, &b);
    cg_is_one: conjugate_gradients, conjugate_gradients_value_and_grad,
        a: (Array2::<f64>::eye(1) * 2.0), b: vector(1) => (&a, &b);
    cg_is_nine: conjugate_gradients, conjugate_gradients_value_and_grad,
        a: (matrix(9, 9) * 0.1 + Array2::<f64>::eye(9) * 3.0 + matrix(9, 9).t().to_owned() * 0.1), b: vector(9) => (&a, &b);
    richardson_is: richardson, richardson_value_and_grad,
        a: (matrix(3, 3) * 0.3 + Array2::<f64>::eye(3) * 0.6), b: vector(3); t: 1e-3 => (&a, &b, t);
    richardson_of_nothing_is: richardson, richardson_value_and_grad,
        a: matrix(0, 0), b: vector(0); t: 1e-3 => (&a, &b, t);
    richardson_of_nine_is: richardson, richardson_value_and_grad,
        a: (matrix(9, 9) * 0.1 + Array2::<f64>::eye(9) * 0.6), b: vector(9); t: 1e-3 => (&a, &b, t);
    largest_is: largest_eigenvalue, largest_eigenvalue_value_and_grad,
        a: (matrix(3, 3) * 0.3 + Array2::from_diag(&ndarray::array![3.0, 1.0, 0.5])), x: vector(3) => (&a, &x);
    jacobi_is: jacobi, jacobi_value_and_grad,
        a: (matrix(5, 5) * 0.3 + Array2::<f64>::eye(5) * 3.0), b: vector(5); n: 6 => (&a, &b, n);
    kepler_is: kepler, kepler_value_and_grad, m: 0.8, e: 0.3 => (m, e);
    implied_is: implied_rate, implied_rate_value_and_grad, p: 60.0, c: 100.0 => (p, c);
    gaussian_is: gaussian_elimination, gaussian_elimination_value_and_grad,
        a: (matrix(4, 4) + Array2::<f64>::eye(4) * 3.0), b: list(4) => (&a, &b);
    gaussian_is_nine: gaussian_elimination, gaussian_elimination_value_and_grad,
        a: (matrix(9, 9) + Array2::<f64>::eye(9) * 9.0), b: list(9) => (&a, &b);
    product_is: product_of_tables, product_of_tables_value_and_grad,
        a: vec![list(3), list(3)], b: vec![list(2), list(2), list(2)] => (&a, &b);
    floyd_is: floyd_warshall, floyd_warshall_value_and_grad, w: matrix(4, 4).mapv(|x| 1.0 + 0.4 * x) => (&w);
    edit_is: edit_cost, edit_cost_value_and_grad, a: list(5), b: list(4), g: 0.3 => (&a, &b, g);
    phase_is: phase_portrait, phase_portrait_value_and_grad, x: 0.4, v: 0.2; n: 9 => (x, v, n);
    phase_of_none_is: phase_portrait, phase_portrait_value_and_grad, x: 0.4, v: 0.2; n: 0 => (x, v, n);
}
