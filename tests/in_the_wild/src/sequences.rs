//! Filters, splines, neighbours, and the alignment of sequences, as textbooks write them.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};
use std::f64::consts::PI;

#[differentiable]
pub(crate) fn levy(param: &[f64]) -> f64 {
    let plen = param.len();
    assert!(plen >= 2);
    let w = |x: f64| 1.0 + (x - 1.0) / 4.0;
    (PI * w(param[0])).sin().powi(2)
        + param
            .iter()
            .skip(1)
            .take(plen - 2)
            .map(|x| w(*x))
            .map(|wi: f64| (wi - 1.0).powi(2) * (1.0 + 10.0 * (PI * wi + 1.0).sin().powi(2)))
            .sum::<f64>()
        + (w(param[plen - 1]) - 1.0).powi(2) * (1.0 + (2.0 * PI * w(param[plen - 1])).sin().powi(2))
}

#[differentiable]
pub(crate) fn rosenbrock(param: &[f64]) -> f64 {
    param
        .iter()
        .zip(param.iter().skip(1))
        .map(|(&xi, &xi1)| (1.0 - xi).powi(2) + 100.0 * (xi1 - xi.powi(2)).powi(2))
        .sum()
}

#[differentiable]
pub(crate) fn ackley(param: &[f64]) -> f64 {
    let num1 = 20.0f64;
    let num2 = 0.2f64;
    let n = param.len() as f64;
    -num1 * (-num2 * ((1.0 / n) * param.iter().map(|x| x.powi(2)).sum::<f64>()).sqrt()).exp()
        - ((1.0 / n) * param.iter().map(|x| (2.0 * PI * x).cos()).sum::<f64>()).exp()
        + num1
        + 1.0f64.exp()
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct KalmanFilter {
    pub(crate) x: Array1<f64>,
    pub(crate) p: Array2<f64>,
    pub(crate) f: Array2<f64>,
    pub(crate) h: Array2<f64>,
    pub(crate) q: Array2<f64>,
    pub(crate) r: Array2<f64>,
}

#[differentiable]
pub(crate) fn inv2(m: &Array2<f64>) -> Array2<f64> {
    let det = m[[0, 0]] * m[[1, 1]] - m[[0, 1]] * m[[1, 0]];
    let mut out = Array2::zeros((2, 2));
    out[[0, 0]] = m[[1, 1]] / det;
    out[[0, 1]] = -m[[0, 1]] / det;
    out[[1, 0]] = -m[[1, 0]] / det;
    out[[1, 1]] = m[[0, 0]] / det;
    out
}

#[differentiable]
impl KalmanFilter {
    #[differentiable]
    fn predict(&mut self) {
        self.x = self.f.dot(&self.x);
        self.p = self.f.dot(&self.p).dot(&self.f.t()) + &self.q;
    }
    #[differentiable]
    fn update(&mut self, z: &Array1<f64>) -> f64 {
        let y = z - &self.h.dot(&self.x);
        let s = self.h.dot(&self.p).dot(&self.h.t()) + &self.r;
        let s_inv = inv2(&s);
        let k = self.p.dot(&self.h.t()).dot(&s_inv);
        self.x = &self.x + &k.dot(&y);
        let eye = Array2::<f64>::eye(self.x.len());
        self.p = (eye - k.dot(&self.h)).dot(&self.p);
        let det = s[[0, 0]] * s[[1, 1]] - s[[0, 1]] * s[[1, 0]];
        -0.5 * (y.dot(&s_inv.dot(&y)) + det.ln() + 2.0 * (2.0 * PI).ln())
    }
}

#[differentiable]
pub(crate) fn kalman_loglik(q: f64, r: f64, zs: &Array2<f64>) -> f64 {
    let n = 4;
    let dt = 0.1;
    let mut f = Array2::eye(n);
    f[[0, 2]] = dt;
    f[[1, 3]] = dt;
    let mut h = Array2::zeros((2, n));
    h[[0, 0]] = 1.0;
    h[[1, 1]] = 1.0;
    let mut kf = KalmanFilter {
        x: Array1::zeros(n),
        p: Array2::eye(n) * 10.0,
        f,
        h,
        q: Array2::eye(n) * q,
        r: Array2::eye(2) * r,
    };
    let mut ll = 0.0;
    for z in zs.axis_iter(Axis(0)) {
        kf.predict();
        ll += kf.update(&z.to_owned());
    }
    ll
}

#[differentiable]
pub(crate) fn natural_spline(xs: &[f64], ys: &[f64], t: f64) -> f64 {
    let n = xs.len() - 1;
    let mut h = vec![0.0; n];
    for i in 0..n {
        h[i] = xs[i + 1] - xs[i];
    }
    let mut alpha = vec![0.0; n];
    for i in 1..n {
        alpha[i] = 3.0 / h[i] * (ys[i + 1] - ys[i]) - 3.0 / h[i - 1] * (ys[i] - ys[i - 1]);
    }
    let mut l = vec![1.0; n + 1];
    let mut mu = vec![0.0; n + 1];
    let mut z = vec![0.0; n + 1];
    for i in 1..n {
        l[i] = 2.0 * (xs[i + 1] - xs[i - 1]) - h[i - 1] * mu[i - 1];
        mu[i] = h[i] / l[i];
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i];
    }
    let mut b = vec![0.0; n];
    let mut c = vec![0.0; n + 1];
    let mut d = vec![0.0; n];
    for j in (0..n).rev() {
        c[j] = z[j] - mu[j] * c[j + 1];
        b[j] = (ys[j + 1] - ys[j]) / h[j] - h[j] * (c[j + 1] + 2.0 * c[j]) / 3.0;
        d[j] = (c[j + 1] - c[j]) / (3.0 * h[j]);
    }
    let mut k = n - 1;
    for i in 0..n {
        if t < xs[i + 1] {
            k = i;
            break;
        }
    }
    let dx = t - xs[k];
    ys[k] + b[k] * dx + c[k] * dx * dx + d[k] * dx.powi(3)
}

// de Casteljau
#[differentiable]
pub(crate) fn de_casteljau(points: &[[f64; 2]], t: f64) -> [f64; 2] {
    let mut pts = points.to_vec();
    let n = pts.len();
    for k in 1..n {
        for i in 0..n - k {
            for d in 0..2 {
                pts[i][d] = (1.0 - t) * pts[i][d] + t * pts[i + 1][d];
            }
        }
    }
    pts[0]
}

// B-spline basis, de Boor
#[differentiable]
pub(crate) fn de_boor(k: usize, x: f64, t: &[f64], c: &[f64], p: usize) -> f64 {
    let mut d: Vec<f64> = (0..=p).map(|j| c[j + k - p]).collect();
    for r in 1..=p {
        for j in (r..=p).rev() {
            let alpha = (x - t[j + k - p]) / (t[j + 1 + k - r] - t[j + k - p]);
            d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j];
        }
    }
    d[p]
}

#[differentiable]
pub(crate) fn knn_predict(train: &[Vec<f64>], targets: &[f64], query: &[f64], k: usize) -> f64 {
    let mut distances: Vec<(f64, usize)> = train
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let d = row
                .iter()
                .zip(query.iter())
                .map(|(a, b)| (a - b).powi(2))
                .sum::<f64>()
                .sqrt();
            (d, i)
        })
        .collect();
    distances.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
    let mut num = 0.0;
    let mut den = 0.0;
    for (d, i) in distances.iter().take(k) {
        let w = 1.0 / (d + 1e-9);
        num += w * targets[*i];
        den += w;
    }
    num / den
}

#[differentiable]
pub(crate) fn dtw(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len();
    let m = b.len();
    let mut cost = vec![vec![f64::INFINITY; m + 1]; n + 1];
    cost[0][0] = 0.0;
    for i in 1..=n {
        for j in 1..=m {
            let d = (a[i - 1] - b[j - 1]).abs();
            cost[i][j] = d + cost[i - 1][j].min(cost[i][j - 1]).min(cost[i - 1][j - 1]);
        }
    }
    cost[n][m]
}

// soft DTW
#[differentiable(wrt(x, y))]
pub(crate) fn soft_dtw(x: &Array2<f64>, y: &Array2<f64>, gamma: f64) -> f64 {
    let (n, m) = (x.nrows(), y.nrows());
    let mut r = Array2::from_elem((n + 1, m + 1), f64::INFINITY);
    r[[0, 0]] = 0.0;
    for i in 1..=n {
        for j in 1..=m {
            let d = (&x.row(i - 1) - &y.row(j - 1)).mapv(|v| v.powi(2)).sum();
            let a = -r[[i - 1, j - 1]] / gamma;
            let b = -r[[i - 1, j]] / gamma;
            let c = -r[[i, j - 1]] / gamma;
            let mx = a.max(b).max(c);
            let softmin = -gamma * (((a - mx).exp() + (b - mx).exp() + (c - mx).exp()).ln() + mx);
            r[[i, j]] = d + softmin;
        }
    }
    r[[n, m]]
}

#[differentiable]
pub(crate) fn hmm_forward(pi: &[f64], a: &[Vec<f64>], b: &[Vec<f64>], obs: &[usize]) -> f64 {
    let n = pi.len();
    let mut alpha: Vec<f64> = (0..n).map(|i| pi[i] * b[i][obs[0]]).collect();
    let mut ll = 0.0;
    let c: f64 = alpha.iter().sum();
    alpha.iter_mut().for_each(|v| *v /= c);
    ll += c.ln();
    for &o in &obs[1..] {
        let mut next = vec![0.0; n];
        for j in 0..n {
            for i in 0..n {
                next[j] += alpha[i] * a[i][j];
            }
            next[j] *= b[j][o];
        }
        let c: f64 = next.iter().sum();
        for v in next.iter_mut() {
            *v /= c;
        }
        ll += c.ln();
        alpha = next;
    }
    ll
}

#[differentiable]
pub(crate) fn viterbi(pi: &[f64], a: &[Vec<f64>], b: &[Vec<f64>], obs: &[usize]) -> f64 {
    let n = pi.len();
    let t_max = obs.len();
    let mut delta = vec![vec![0.0; n]; t_max];
    let mut psi = vec![vec![0usize; n]; t_max];
    for i in 0..n {
        delta[0][i] = pi[i].ln() + b[i][obs[0]].ln();
    }
    for t in 1..t_max {
        for j in 0..n {
            let mut best = f64::NEG_INFINITY;
            let mut arg = 0;
            for i in 0..n {
                let s = delta[t - 1][i] + a[i][j].ln();
                if s > best {
                    best = s;
                    arg = i;
                }
            }
            delta[t][j] = best + b[j][obs[t]].ln();
            psi[t][j] = arg;
        }
    }
    delta[t_max - 1]
        .iter()
        .cloned()
        .fold(f64::NEG_INFINITY, f64::max)
}

#[differentiable]
fn casteljau_sum(p: &[[f64; 2]], t: f64) -> f64 {
    let r = de_casteljau(p, t);
    r[0] + 2.0 * r[1]
}

tests! {
    levy_agrees: levy, levy_value_and_grad, x: list(5) => (&x);
    rosenbrock_agrees: rosenbrock, rosenbrock_value_and_grad, x: list(5) => (&x);
    ackley_agrees: ackley, ackley_value_and_grad, x: list(5) => (&x);
    kalman_agrees: kalman_loglik, kalman_loglik_value_and_grad, q: 0.3, r: 0.7, zs: matrix(6, 2) => (q, r, &zs);
    spline_agrees: natural_spline, natural_spline_value_and_grad, xs: vec![0.0, 1.0, 2.5, 3.0, 4.2], ys: list(5), t: 2.7 => (&xs, &ys, t);
    casteljau_agrees: casteljau_sum, casteljau_sum_value_and_grad, p: vec![[0.0, 1.0], [0.5, 0.2], [1.5, 0.7], [2.0, -1.0]], t: 0.3 => (&p, t);
    de_boor_agrees: de_boor, de_boor_value_and_grad, x: 2.3, t: vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0], c: list(7) => (5, x, &t, &c, 3);
    knn_agrees: knn_predict, knn_predict_value_and_grad, train: vec![vec![0.1, 0.2], vec![1.0, 0.5], vec![0.3, -0.4], vec![-2.0, 1.0]], y: list(4), q: vec![0.2, 0.1] => (&train, &y, &q, 2);
    dtw_agrees: dtw, dtw_value_and_grad, a: list(5), b: list(4) => (&a, &b);
    soft_dtw_agrees: soft_dtw, soft_dtw_value_and_grad, x: matrix(4, 2), y: matrix(3, 2); g: 0.5 => (&x, &y, g);
    hmm_agrees: hmm_forward, hmm_forward_value_and_grad, pi: vec![0.6, 0.4], a: vec![vec![0.7, 0.3], vec![0.4, 0.6]], b: vec![vec![0.5, 0.4, 0.1], vec![0.1, 0.3, 0.6]] => (&pi, &a, &b, &[0, 1, 2, 1]);
    viterbi_agrees: viterbi, viterbi_value_and_grad, pi: vec![0.6, 0.4], a: vec![vec![0.7, 0.3], vec![0.4, 0.6]], b: vec![vec![0.5, 0.4, 0.1], vec![0.1, 0.3, 0.6]] => (&pi, &a, &b, &[0, 1, 2, 1]);
}
