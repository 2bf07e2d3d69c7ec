//! Learning: kernels, embeddings, policies, graphs, recommendation.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, Axis, Zip, s};

#[differentiable(grad)]
fn cosine_similarity(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    a.dot(b) / (a.dot(a).sqrt() * b.dot(b).sqrt())
}

#[differentiable(grad)]
fn matern(x: &[f64], y: &[f64], length: f64) -> f64 {
    let r = x
        .iter()
        .zip(y)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt();
    let z = 3f64.sqrt() * r / length;
    (1.0 + z) * (-z).exp()
}

#[differentiable(grad)]
fn info_nce(queries: &Array2<f64>, keys: &Array2<f64>, temperature: f64) -> f64 {
    let logits = queries.dot(&keys.t()) / temperature;
    let mut loss = 0.0;
    for i in 0..logits.nrows() {
        let row = logits.row(i);
        let max = row.fold(f64::NEG_INFINITY, |m, &v| m.max(v));
        loss += (row.mapv(|v| (v - max).exp()).sum()).ln() + max - row[i];
    }
    loss / logits.nrows() as f64
}

#[differentiable(grad, wrt(u, v, l2))]
fn matrix_factorisation(
    u: &Array2<f64>,
    v: &Array2<f64>,
    ratings: &[(usize, usize, f64)],
    l2: f64,
) -> f64 {
    let mut loss = 0.0;
    for &(user, item, rating) in ratings {
        let predicted = u.row(user).dot(&v.row(item));
        loss += (rating - predicted).powi(2);
    }
    loss + l2 * (u.mapv(|x| x * x).sum() + v.mapv(|x| x * x).sum())
}

#[differentiable(grad)]
fn skip_gram(
    embedding: &Array2<f64>,
    context: &Array2<f64>,
    pairs: &[[usize; 2]],
    negative: &[usize],
) -> f64 {
    let log_sigmoid = |x: f64| -(1.0 + (-x).exp()).ln();
    let mut loss = 0.0;
    for &[word, near] in pairs {
        let w = embedding.row(word);
        loss -= log_sigmoid(w.dot(&context.row(near)));
        for &n in negative {
            loss -= log_sigmoid(-w.dot(&context.row(n)));
        }
    }
    loss
}

#[differentiable(grad)]
fn graph_convolution(adjacency: &Array2<f64>, features: &Array2<f64>, weight: &Array2<f64>) -> f64 {
    let degree = adjacency.sum_axis(Axis(1)).mapv(|d| 1.0 / (d + 1.0).sqrt());
    let n = adjacency.nrows();
    let normalised = Array2::from_shape_fn((n, n), |(i, j)| {
        let a = adjacency[[i, j]] + if i == j { 1.0 } else { 0.0 };
        degree[i] * a * degree[j]
    });
    let hidden = normalised.dot(features).dot(weight);
    hidden.mapv(|h| h.max(0.0)).sum()
}

#[differentiable(grad)]
fn policy_gradient(logits: &Array2<f64>, actions: &[usize], advantages: &Array1<f64>) -> f64 {
    logits
        .outer_iter()
        .zip(actions)
        .zip(advantages)
        .map(|((row, &a), &adv)| {
            let log_z = row.mapv(f64::exp).sum().ln();
            -(row[a] - log_z) * adv
        })
        .sum::<f64>()
        / actions.len() as f64
}

#[differentiable(grad)]
fn ppo_clip(ratio: &Array1<f64>, advantage: &Array1<f64>, epsilon: f64) -> f64 {
    let mut total = 0.0;
    Zip::from(ratio).and(advantage).for_each(|&r, &a| {
        let clipped = r.clamp(1.0 - epsilon, 1.0 + epsilon);
        total += (r * a).min(clipped * a);
    });
    -total / ratio.len() as f64
}

#[differentiable(grad)]
fn discounted_returns(rewards: &[f64], values: &[f64], gamma: f64) -> f64 {
    let n = rewards.len();
    let mut returns = vec![0.0; n];
    let mut running = 0.0;
    for t in (0..n).rev() {
        running = rewards[t] + gamma * running;
        returns[t] = running;
    }
    (0..n).map(|t| (returns[t] - values[t]).powi(2)).sum()
}

#[differentiable(grad)]
fn generalised_advantage(
    rewards: &Array1<f64>,
    values: &Array1<f64>,
    gamma: f64,
    lambda: f64,
) -> f64 {
    let n = rewards.len();
    let mut advantage = 0.0;
    let mut total = 0.0;
    for t in (0..n).rev() {
        let next = if t + 1 < n { values[t + 1] } else { 0.0 };
        let delta = rewards[t] + gamma * next - values[t];
        advantage = delta + gamma * lambda * advantage;
        total += advantage * advantage;
    }
    total
}

#[differentiable(grad)]
fn vae_kl(mean: &Array2<f64>, log_var: &Array2<f64>) -> f64 {
    let terms = mean * mean + log_var.mapv(f64::exp) - log_var - 1.0;
    0.5 * terms.sum() / mean.nrows() as f64
}

#[differentiable(grad)]
fn label_smoothing(logits: &Array2<f64>, labels: &[usize], smoothing: f64) -> f64 {
    let classes = logits.ncols();
    let mut loss = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let row = logits.slice(s![i, ..]);
        let log_z = row.iter().map(|v| v.exp()).sum::<f64>().ln();
        for c in 0..classes {
            let target = if c == label {
                1.0 - smoothing + smoothing / classes as f64
            } else {
                smoothing / classes as f64
            };
            loss -= target * (row[c] - log_z);
        }
    }
    loss / labels.len() as f64
}

#[differentiable(grad)]
fn focal(probabilities: &[f64], truth: &[bool], gamma: f64) -> f64 {
    let mut total = 0.0;
    for (&p, &t) in probabilities.iter().zip(truth) {
        let pt = if t { p } else { 1.0 - p };
        total -= (1.0 - pt).powf(gamma) * pt.ln();
    }
    total
}

#[differentiable(grad)]
fn rms_norm(x: &Array2<f64>, gain: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for row in x.rows() {
        let rms = (row.mapv(|v| v * v).mean().unwrap() + 1e-6).sqrt();
        let out = &row / rms * gain;
        total += out.mapv(f64::sin).sum();
    }
    total
}

#[differentiable(grad)]
fn rotary(x: &Array2<f64>, base: f64) -> f64 {
    let (n, d) = x.dim();
    let mut out = Array2::zeros((n, d));
    for p in 0..n {
        for k in 0..d / 2 {
            let theta = p as f64 / base.powf(2.0 * k as f64 / d as f64);
            let (s, c) = theta.sin_cos();
            out[[p, 2 * k]] = x[[p, 2 * k]] * c - x[[p, 2 * k + 1]] * s;
            out[[p, 2 * k + 1]] = x[[p, 2 * k]] * s + x[[p, 2 * k + 1]] * c;
        }
    }
    out.row(n - 1).dot(&out.row(0))
}

#[differentiable(grad)]
fn gated_linear_unit(x: &Array2<f64>, w: &Array2<f64>, v: &Array2<f64>) -> f64 {
    let gate = x.dot(w).mapv(|z| z / (1.0 + (-z).exp()));
    (gate * x.dot(v)).sum()
}

#[differentiable(grad)]
fn elman(inputs: &Array2<f64>, w: &Array2<f64>, u: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let mut h = Array1::zeros(b.len());
    for x in inputs.outer_iter() {
        h = (w.dot(&x) + u.dot(&h) + b).mapv(f64::tanh);
    }
    h.sum()
}

#[differentiable(grad)]
fn mixture_of_experts(x: &Array1<f64>, gates: &Array2<f64>, experts: &Array3<f64>) -> f64 {
    let scores = gates.dot(x).mapv(f64::exp);
    let weights = &scores / scores.sum();
    let mut out = Array1::<f64>::zeros(experts.len_of(Axis(1)));
    for (k, expert) in experts.outer_iter().enumerate() {
        out = out + expert.dot(x) * weights[k];
    }
    out.mapv(|v| v * v).sum()
}

#[differentiable(grad)]
fn soft_decision_tree(x: &[f64], splits: &[f64; 3], leaves: &[f64; 4]) -> f64 {
    let gate = |v: f64, t: f64| 1.0 / (1.0 + (-(v - t) * 4.0).exp());
    let root = gate(x[0], splits[0]);
    let left = gate(x[1], splits[1]);
    let right = gate(x[1], splits[2]);
    (1.0 - root) * ((1.0 - left) * leaves[0] + left * leaves[1])
        + root * ((1.0 - right) * leaves[2] + right * leaves[3])
}

#[differentiable(grad)]
fn sinkhorn(cost: &Array2<f64>, epsilon: f64) -> f64 {
    let (n, m) = cost.dim();
    let kernel = cost.mapv(|c| (-c / epsilon).exp());
    let mut u = Array1::from_elem(n, 1.0);
    let mut v = Array1::from_elem(m, 1.0);
    for _ in 0..10 {
        u = kernel.dot(&v).mapv(|k| 1.0 / (n as f64 * k));
        v = kernel.t().dot(&u).mapv(|k| 1.0 / (m as f64 * k));
    }
    let mut total = 0.0;
    for ((i, j), c) in cost.indexed_iter() {
        total += u[i] * kernel[[i, j]] * v[j] * c;
    }
    total
}

#[differentiable(grad)]
fn spectral_norm(w: &Array2<f64>, rounds: usize) -> f64 {
    let mut v = Array1::from_elem(w.ncols(), 1.0);
    for _ in 0..rounds {
        let u = w.dot(&v);
        let u = &u / u.dot(&u).sqrt();
        let next = w.t().dot(&u);
        v = &next / next.dot(&next).sqrt();
    }
    w.dot(&v).mapv(|x| x * x).sum().sqrt()
}

#[differentiable(grad)]
fn conditional_random_field(
    scores: &Array2<f64>,
    transitions: &Array2<f64>,
    tags: &[usize],
) -> f64 {
    let (n, k) = scores.dim();
    let mut alpha = scores.row(0).to_owned();
    for t in 1..n {
        let mut next = Array1::zeros(k);
        for j in 0..k {
            let paths: Vec<f64> = (0..k).map(|i| alpha[i] + transitions[[i, j]]).collect();
            let max = paths.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = paths.iter().map(|p| (p - max).exp()).sum();
            next[j] = scores[[t, j]] + max + total.ln();
        }
        alpha = next;
    }
    let mut gold = scores[[0, tags[0]]];
    for t in 1..n {
        gold += transitions[[tags[t - 1], tags[t]]] + scores[[t, tags[t]]];
    }
    alpha.mapv(f64::exp).sum().ln() - gold
}

#[differentiable(grad)]
fn prototypes(support: &Array3<f64>, query: &Array1<f64>, class: usize) -> f64 {
    let centres = support.mean_axis(Axis(1)).unwrap();
    let distances = centres
        .outer_iter()
        .map(|c| (&c - query).mapv(|d| d * d).sum())
        .collect::<Vec<f64>>();
    let log_z = distances.iter().map(|d| (-d).exp()).sum::<f64>().ln();
    distances[class] + log_z
}

#[differentiable(grad)]
fn quantile_loss(predicted: &[f64], observed: &[f64], tau: f64) -> f64 {
    predicted
        .iter()
        .zip(observed)
        .map(|(p, o)| {
            let e = o - p;
            if e >= 0.0 { tau * e } else { (tau - 1.0) * e }
        })
        .sum::<f64>()
        / predicted.len() as f64
}

#[differentiable(grad)]
fn log_cosh(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    (a - b).mapv(|d| d.cosh().ln()).mean().unwrap_or(0.0)
}

#[differentiable(grad)]
fn bleu_like(counts: &[f64], totals: &[f64], length: f64, reference: f64) -> f64 {
    let mut log_precision = 0.0;
    for (c, t) in counts.iter().zip(totals) {
        log_precision += (c / t).ln() / counts.len() as f64;
    }
    let penalty = if length > reference {
        1.0
    } else {
        (1.0 - reference / length).exp()
    };
    penalty * log_precision.exp()
}

tests! {
    angle: cosine_similarity, cosine_similarity_value_and_grad, a: vector(4), b: positive(4) => (&a, &b);
    covariances: matern, matern_value_and_grad, x: list(3), y: vec![0.7, 0.1, -0.3], l: 0.8 => (&x, &y, l);
    contrast: info_nce, info_nce_value_and_grad, q: matrix(4, 3), k: matrix(4, 3), t: 0.7 => (&q, &k, t);
    factors: matrix_factorisation, matrix_factorisation_value_and_grad,
        u: matrix(3, 2), v: matrix(4, 2), l: 0.1; r: [(0, 1, 3.0), (2, 3, 1.5), (1, 0, 4.0)]
        => (&u, &v, &r, l);
    skips: skip_gram, skip_gram_value_and_grad,
        e: matrix(4, 3), c: matrix(4, 3); p: [[0, 1], [2, 3], [1, 0]], n: [2, 3] => (&e, &c, &p, &n);
    graphs: graph_convolution, graph_convolution_value_and_grad,
        a: matrix(4, 4).mapv(|v| v * v), f: matrix(4, 3), w: matrix(3, 2) => (&a, &f, &w);
    policy: policy_gradient, policy_gradient_value_and_grad,
        l: matrix(4, 3), a: vector(4); k: [0, 2, 1, 1] => (&l, &k, &a);
    clip: ppo_clip, ppo_clip_value_and_grad, r: positive(5), a: vector(5), e: 0.13 => (&r, &a, e);
    returns: discounted_returns, discounted_returns_value_and_grad,
        r: list(6), v: list(6), g: 0.9 => (&r, &v, g);
    advantages: generalised_advantage, generalised_advantage_value_and_grad,
        r: vector(6), v: positive(6), g: 0.9, l: 0.8 => (&r, &v, g, l);
    latent: vae_kl, vae_kl_value_and_grad, m: matrix(3, 2), v: matrix(3, 2) => (&m, &v);
    smooth: label_smoothing, label_smoothing_value_and_grad,
        l: matrix(3, 4), s: 0.1; k: [0, 3, 1] => (&l, &k, s);
    focus: focal, focal_value_and_grad, p: vec![0.3, 0.8, 0.6], g: 2.0; t: [true, false, true] => (&p, &t, g);
    normal: rms_norm, rms_norm_value_and_grad, x: matrix(3, 4), g: positive(4) => (&x, &g);
    rotated: rotary, rotary_value_and_grad, x: matrix(3, 4), b: 10.0 => (&x, b);
    gated: gated_linear_unit, gated_linear_unit_value_and_grad,
        x: matrix(3, 4), w: matrix(4, 2), v: matrix(4, 2) => (&x, &w, &v);
    recurrent: elman, elman_value_and_grad,
        x: matrix(5, 3), w: matrix(2, 3), u: matrix(2, 2), b: vector(2) => (&x, &w, &u, &b);
    experts: mixture_of_experts, mixture_of_experts_value_and_grad,
        x: vector(3), g: matrix(2, 3), e: cube(2, 4, 3) => (&x, &g, &e);
    tree: soft_decision_tree, soft_decision_tree_value_and_grad,
        x: list(2), s: [0.1, -0.2, 0.4], l: [1.0, -0.5, 0.3, 0.8] => (&x, &s, &l);
    transport: sinkhorn, sinkhorn_value_and_grad, c: matrix(3, 4).mapv(|v| v * v), e: 0.7 => (&c, e);
    spectral: spectral_norm, spectral_norm_value_and_grad, w: matrix(4, 3); n: 5 => (&w, n);
    tags: conditional_random_field, conditional_random_field_value_and_grad,
        s: matrix(4, 3), t: matrix(3, 3); k: [0, 2, 1, 1] => (&s, &t, &k);
    classes: prototypes, prototypes_value_and_grad, s: cube(3, 4, 2), q: vector(2); k: 1 => (&s, &q, k);
    quantiles: quantile_loss, quantile_loss_value_and_grad,
        p: list(5), o: positive(5).to_vec(), t: 0.7 => (&p, &o, t);
    cosh: log_cosh, log_cosh_value_and_grad, a: vector(5), b: positive(5) => (&a, &b);
    translation: bleu_like, bleu_like_value_and_grad,
        c: vec![3.0, 2.0], t: vec![5.0, 4.0], l: 9.0, r: 10.0 => (&c, &t, l, r);
}
