//! Rows of different lengths, one of them long: what is visited and stored is linear in the entries
//! that there are.

use crate::{Growth, LINEAR, Run, lower, real, with_params, zoo};
use cotangent_zoo::{Tensor, Value};

/// The first entries of rows, and the number of all entries: so many short rows, some of them
/// empty, and a row in the middle that has as many entries as there are rows.
fn rows(n: usize) -> Vec<i64> {
    let mut starts = vec![0];
    for i in 0..n {
        let length = if i == n / 2 { n } else { i % 3 };
        starts.push(starts[i] + length as i64);
    }
    starts
}

fn ints(data: Vec<i64>) -> Value {
    Value::Int(Tensor::new(vec![data.len()], data))
}

fn args(n: usize) -> Vec<Value> {
    let starts = rows(n);
    let entries = starts[n] as usize;
    vec![real(&[entries]), ints(starts)]
}

fn by_starts(body: &str, n: usize) -> Run {
    with_params("v: &Array1<f64>, ptr: &[usize]", body, args(n))
}

/// Of a function of rows that are given by their starts.
fn is_linear(name: &'static str, body: &str) {
    let at = |n| by_starts(body, n);
    Growth::of(name).fused().along("rows", 32, at, LINEAR).end();
}

#[test]
fn products_of_rows() {
    is_linear(
        "products of rows",
        "sum(ptr.len() - 1, |i| product(ptr[i + 1] - ptr[i], |k| v[ptr[i] + k]))",
    );
}

#[test]
fn logarithms_of_sums() {
    is_linear(
        "logarithms of sums of exponentials",
        "sum(ptr.len() - 1, |i| (1.0 + sum(ptr[i + 1] - ptr[i], |k| v[ptr[i] + k].exp())).ln())",
    );
}

#[test]
fn extrema_of_rows() {
    is_linear(
        "extrema of rows",
        "sum(ptr.len() - 1, |i| {
             let n = ptr[i + 1] - ptr[i];
             if n == 0 { 0.0 } else {
                 let least = minimum(n, |k| v[ptr[i] + k].sin());
                 maximum(n, |k| v[ptr[i] + k]).powi(2) * least
             }
         })",
    );
}

/// Several positions in one row have cotangents.
#[test]
fn ranges_of_rows() {
    is_linear(
        "the largest less the smallest of each row",
        "sum(ptr.len() - 1, |i| {
             let n = ptr[i + 1] - ptr[i];
             if n == 0 { 0.0 } else {
                 let least = minimum(n, |k| v[ptr[i] + k].sin());
                 maximum(n, |k| v[ptr[i] + k].sin()) - least.powi(2)
             }
         })",
    );
    is_linear(
        "three elements of each row",
        "let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let row: Vec<f64> = v[ptr[i]..ptr[i + 1]].iter().map(|x| x.sin()).collect();
             if row.is_empty() { continue; }
             let most = row.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
             let least = row.iter().fold(f64::INFINITY, |m, x| m.min(*x));
             let mean = row.iter().sum::<f64>() / row.len() as f64;
             total += (most - mean) * (mean - least) + row[0] * most;
         }
         total",
    );
    is_linear(
        "rows scaled to their range",
        "sum(ptr.len() - 1, |i| {
             let n = ptr[i + 1] - ptr[i];
             if n < 2 { 0.0 } else {
                 let least = minimum(n, |k| v[ptr[i] + k].exp());
                 let most = maximum(n, |k| v[ptr[i] + k].exp());
                 sum(n, |k| ((v[ptr[i] + k].exp() - least) / (0.1 + most - least)).powi(2))
             }
         })",
    );
}

#[test]
fn softmax_of_rows() {
    is_linear(
        "softmax of rows",
        "sum(ptr.len() - 1, |i| {
             let n = ptr[i + 1] - ptr[i];
             let largest = maximum(n, |k| v[ptr[i] + k]);
             let total = sum(n, |k| (v[ptr[i] + k] - largest).exp());
             sum(n, |k| ((v[ptr[i] + k] - largest).exp() / total).powi(2))
         })",
    );
}

#[test]
fn logsumexp_of_rows() {
    is_linear(
        "log-sum-exp of rows",
        "sum(ptr.len() - 1, |i| {
             let n = ptr[i + 1] - ptr[i];
             if n == 0 { 0.0 } else { logsumexp(n, |k| v[ptr[i] + k] * v[ptr[i]]).powi(2) }
         })",
    );
}

#[test]
fn best_of_rows() {
    is_linear(
        "the neighbour of the largest of each row",
        "sum(ptr.len() - 1, |i| {
             let n = ptr[i + 1] - ptr[i];
             if n == 0 { 0.0 } else {
                 let best = argmax(n, |k| v[ptr[i] + k].sin());
                 v[ptr[i] + best] * v[ptr[i] + (best + 1) % n]
             }
         })",
    );
}

/// Loops with a cut-off and a choice by an index: each part of a condition reads what others need,
/// too.
#[test]
fn neighbours_within_a_distance() {
    is_linear(
        "neighbours within a distance",
        "let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let mut density = 0.1;
             for k in ptr[i]..ptr[i + 1] {
                 let r = (v[k] - v[i]) * (v[k] - v[i]);
                 if k != i && r < 0.8 && r > 0.01 {
                     density += (-r).exp() / r;
                 } else if r >= 0.8 || k % 2 == 0 {
                     total += (0.1 + r).sqrt();
                 }
             }
             total += density.ln();
         }
         total",
    );
}

#[test]
fn attention_within_rows() {
    is_linear(
        "attention within rows",
        "let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let mut largest = f64::NEG_INFINITY;
             for k in ptr[i]..ptr[i + 1] {
                 let score = v[k] * v[i];
                 if k != i && score > -0.9 { largest = largest.max(score); }
             }
             let mut weight = 0.0;
             let mut value = 0.0;
             for k in ptr[i]..ptr[i + 1] {
                 let score = v[k] * v[i];
                 if k != i && score > -0.9 {
                     weight += (score - largest).exp();
                     value += (score - largest).exp() * v[k].tanh();
                 }
             }
             if weight > 0.0 { total += value / weight; }
         }
         total",
    );
}

#[test]
fn losses_of_three_parts() {
    is_linear(
        "losses of three parts",
        "let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let n = ptr[i + 1] - ptr[i];
             let mean = sum(n, |k| v[ptr[i] + k]) / (n as f64 + 1.0);
             for k in 0..n {
                 let d = (v[ptr[i] + k] - mean).abs();
                 total += if d <= 0.1 {
                     d * d
                 } else if d <= 0.4 && k % 3 != 0 {
                     d.ln()
                 } else {
                     (1.0 + d).sqrt()
                 };
             }
         }
         total",
    );
}

#[test]
fn rows_that_end_early() {
    is_linear(
        "rows that end early",
        "let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let mut sum = 0.0;
             for k in ptr[i]..ptr[i + 1] {
                 sum += v[k].exp();
                 if sum > 1e9 { break; }
                 total += sum.ln();
             }
         }
         total",
    );
}

#[test]
fn loops_over_rows() {
    is_linear(
        "loops over rows",
        "let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let mut p = 1.0;
             let mut q = 0.0;
             for k in ptr[i]..ptr[i + 1] {
                 p *= v[k];
                 q = (q + v[k]).sin();
             }
             total += p * q;
         }
         total",
    );
}

/// What one row computes enters the next: nothing is kept as often as there are rows.
#[test]
fn states_through_rows() {
    is_linear(
        "states through rows",
        "let mut h = 0.5;
         let mut total = 0.0;
         for i in 0..ptr.len() - 1 {
             let mut q = h;
             for k in ptr[i]..ptr[i + 1] {
                 q = (q + v[k]).sin();
             }
             h = 0.5 * (h + q);
             total += q * h;
         }
         total",
    );
}

#[test]
fn rows_changed_in_place() {
    is_linear(
        "rows changed in place",
        "let mut y = v.to_vec();
         let n = y.len();
         for i in 0..ptr.len() - 1 {
             for k in ptr[i]..ptr[i + 1] {
                 y[k] = y[k] * y[(7 * k + 3) % n].sin();
             }
         }
         y.iter().sum::<f64>()",
    );
}

/// Pairs that count within a distance only: what they share is not stored.
#[test]
fn pairs_of_neighbours() {
    let at = |n: usize| {
        let starts = rows(n);
        let near = (0..starts[n]).map(|k| (7 * k + 3) % n as i64);
        let args = vec![
            real(&[n, 3]),
            ints(starts.clone()),
            ints(near.collect()),
            real(&[]),
        ];
        zoo("pairs_within_cutoff", args)
    };
    let growth = Growth::of("pairs of neighbours");
    growth.fused().along("rows", 32, at, LINEAR).end();
}

/// A matrix whose rows begin at their first element that is not zero.
#[test]
fn skylines() {
    let at = |n: usize| {
        let first: Vec<i64> = (0..n as i64).map(|i| (i - i % 4).max(0)).collect();
        let entries: i64 = (0..n).map(|i| i as i64 + 1 - first[i]).sum();
        let args = vec![real(&[entries as usize]), ints(first), real(&[n])];
        zoo("skyline_factorisation", args)
    };
    let growth = Growth::of("a matrix by its skyline");
    growth.fused().along("rows", 32, at, LINEAR).end();
}

/// Rows given by their lengths and first entries.
#[test]
fn lengths_and_offsets() {
    let at = |n: usize| {
        let starts = rows(n);
        let lengths: Vec<i64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
        let args = vec![real(&[starts[n] as usize]), ints(lengths), ints(starts)];
        let body = "sum(len.len(), |i| {
            let off = first[i];
            let norm = sum(len[i], |k| v[off + k] * v[off + k]).sqrt();
            sum(len[i], |k| (v[off + k] / (1.0 + norm)).tanh())
        })";
        let params = "v: &Array1<f64>, len: &[usize], first: &[usize]";
        with_params(params, body, args)
    };
    let growth = Growth::of("rows by lengths and offsets");
    growth.fused().along("rows", 32, at, LINEAR).end();
}

/// Groups of rows, of which one has nearly all.
#[test]
fn rows_of_rows() {
    let at = |n: usize| {
        let mut args = args(n);
        let groups = vec![0, 1, 1, n as i64 - 2, n as i64];
        args.push(ints(groups));
        let body = "sum(groups.len() - 1, |g| {
            let first = groups[g];
            let rows = groups[g + 1] - first;
            (1.0 + sum(rows, |i| {
                let start = ptr[first + i];
                sum(ptr[first + i + 1] - start, |k| v[start + k].exp()).powi(2)
            })).sqrt()
        })";
        with_params(
            "v: &Array1<f64>, ptr: &[usize], groups: &[usize]",
            body,
            args,
        )
    };
    let growth = Growth::of("rows of rows");
    growth.fused().along("rows", 32, at, LINEAR).end();
}

/// The gradient of a product of the gradient.
#[test]
fn second_derivatives() {
    let at = |n: usize| {
        let source = "
            #[differentiable] pub fn rows(v: &Array1<f64>, ptr: &[usize]) -> f64 {
                sum(ptr.len() - 1, |i| (1.0 + sum(ptr[i + 1] - ptr[i], |k| v[ptr[i] + k].exp())).ln())
            }
            #[differentiable] pub fn written(v: &Array1<f64>, ptr: &[usize]) -> f64 {
                let g = rows_grad(v, ptr);
                sum(g.len(), |i| g[i] * g[i])
            }";
        let (core, _) = lower(source, "written").unwrap_or_else(|e| panic!("{e}"));
        (core, args(n))
    };
    let growth = Growth::of("second derivatives of rows");
    growth.fused().along("rows", 32, at, LINEAR).end();
}
