//! Orders as values, searches, iterators asked for one item after another, lists that shrink.

use cotangent::prelude::*;
use std::cmp::Ordering;
#[differentiable(wrt(scores))]
pub fn margin_ranking(scores: &[f64], relevance: &[u32]) -> f64 {
    let mut loss = 0.0;
    let mut pairs = 0usize;
    for i in 0..scores.len() {
        for j in (i + 1)..scores.len() {
            let sign = match relevance[i].cmp(&relevance[j]) {
                Ordering::Greater => 1.0,
                Ordering::Less => -1.0,
                Ordering::Equal => continue,
            };
            loss += (1.0 - sign * (scores[i] - scores[j])).max(0.0);
            pairs += 1;
        }
    }
    if pairs == 0 { 0.0 } else { loss / pairs as f64 }
}

#[differentiable]
pub fn bisect_root(c: f64) -> f64 {
    let f = |x: f64| x * x * x - c;
    let (mut lo, mut hi) = (0.0_f64, 10.0_f64);
    while hi - lo > 1e-3 {
        let mid = (lo + hi) / 2.0;
        match f(mid).partial_cmp(&0.0) {
            Some(Ordering::Less) => lo = mid,
            Some(Ordering::Greater) => hi = mid,
            _ => {
                lo = mid;
                hi = mid;
            }
        }
    }
    let mut x = 0.5 * (lo + hi);
    for _ in 0..6 {
        x -= f(x) / (3.0 * x * x);
    }
    x
}

#[differentiable]
pub fn by_two(p: &[(usize, f64)], w: f64) -> f64 {
    let mut v = p.to_vec();
    v.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.partial_cmp(&a.1).unwrap()));
    let mut t = 0.0;
    for (k, q) in v.iter().enumerate() {
        t += q.1 * w.powi(k as i32);
    }
    t
}

#[differentiable]
pub fn by_two_with(p: &[(usize, f64)], w: f64) -> f64 {
    let mut v = p.to_vec();
    v.sort_unstable_by(|a, b| b.0.cmp(&a.0).reverse().then_with(|| a.1.total_cmp(&b.1)));
    v.iter()
        .enumerate()
        .map(|(k, q)| q.1 * w.powi(k as i32))
        .sum()
}

#[differentiable]
pub fn linear_interp(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    match xs.binary_search_by(|p| p.partial_cmp(&x).unwrap()) {
        Ok(i) => ys[i],
        Err(0) => ys[0],
        Err(i) if i >= xs.len() => ys[ys.len() - 1],
        Err(i) => {
            let t = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
            ys[i - 1] + t * (ys[i] - ys[i - 1])
        }
    }
}

#[differentiable]
pub fn interp2(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let i = xs
        .binary_search_by(|v| v.total_cmp(&x))
        .unwrap_or_else(|i| i)
        .clamp(1, xs.len() - 1);
    let j = match xs.binary_search_by(|v| v.total_cmp(&x)) {
        Ok(j) | Err(j) => j,
    };
    let t = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
    ys[i - 1] * (1.0 - t) + t * ys[i] + j as f64
}

#[differentiable]
pub fn checked_product(x: &[f64]) -> Option<f64> {
    x.iter()
        .try_fold(1.0, |acc, &v| if v > 0.0 { Some(acc * v) } else { None })
}

#[differentiable]
pub fn geometric_series(r: f64, n: usize) -> f64 {
    std::iter::successors(Some(1.0), |t| Some(t * r))
        .take(n)
        .sum()
}

#[differentiable]
pub fn peak_sum(x: &[f64]) -> f64 {
    let mut it = x.iter().peekable();
    let mut total = 0.0;
    let mut last = 0.0;
    while let Some(&v) = it.next() {
        if let Some(&&next) = it.peek() {
            if v > last && v > next {
                total += v;
            }
        }
        last = v;
    }
    total
}

#[differentiable]
pub fn stepping(x: &[f64]) -> f64 {
    let mut it = x.iter();
    let Some(first) = it.next() else { return 0.0 };
    let second = it.next().copied().unwrap_or(1.0);
    let mut t = first * second;
    while let Some(v) = it.next() {
        t = t * 0.5 + v * v;
    }
    t
}

#[differentiable]
pub fn rest_of(x: &[f64]) -> f64 {
    let mut it = x.iter().copied();
    let first = it.next().unwrap_or(0.0);
    it.map(|v| (v - first).powi(2)).sum()
}

#[differentiable]
pub fn rest_for(x: &[f64], n: usize) -> f64 {
    let mut it = x.iter();
    let head: f64 = it.by_ref().take(n).sum();
    let mut t = 1.0;
    for v in it {
        t = t * 0.3 + v * head;
    }
    t
}

#[differentiable]
pub fn chained(x: &[f64], y: f64) -> f64 {
    let mut t = 0.0;
    for i in 0..x.len() {
        if i > 0
            && let Some(p) = x.get(i - 1)
            && *p > y
        {
            t += p * x[i];
        }
        if let Some(n) = x.get(i + 1)
            && *n > 0.0
        {
            t += n * y;
        } else {
            t -= x[i];
        }
    }
    if let Some(l) = x.last()
        && *l > 10.0
    {
        return t * l;
    }
    t
}

#[differentiable(allow(zero_gradient))]
pub fn trimmed_mean(data: &[f64], fraction: f64) -> f64 {
    let mut sorted = data.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let k = (fraction * sorted.len() as f64).floor() as usize;
    sorted.drain(..k);
    sorted.truncate(sorted.len() - k);
    sorted.iter().sum::<f64>() / sorted.len() as f64
}

#[differentiable(grad)]
fn settled_in_order(payments: &[f64], due: usize, rate: f64) -> f64 {
    let mut open = payments.to_vec();
    let settled: f64 = open.drain(..due).sum();
    settled + rate * open.iter().sum::<f64>()
}

#[differentiable]
pub fn zero_pad_convolve(x: &[f64], h: &[f64]) -> Vec<f64> {
    let mut padded = x.to_vec();
    padded.resize(x.len() + h.len() - 1, 0.0);
    (0..padded.len())
        .map(|n| {
            h.iter()
                .enumerate()
                .filter(|(k, _)| *k <= n)
                .map(|(k, hk)| hk * padded[n - k])
                .sum()
        })
        .collect()
}

#[differentiable]
pub fn merge_sorted(a: &[f64], b: &[f64]) -> f64 {
    let mut all = a.to_vec();
    let mut other = b.to_vec();
    all.append(&mut other);
    let tail = all.split_off(all.len() / 2);
    tail.iter().sum::<f64>() - 2.0 * all.iter().sum::<f64>() + other.len() as f64
}

#[differentiable]
pub fn window_queue(x: &[f64], m: usize) -> f64 {
    let mut q = Vec::new();
    let mut t = 0.0;
    for &v in x {
        q.push(v);
        if q.len() > m {
            let old: Vec<f64> = q.drain(..1).collect();
            t += old[0] * v;
        }
    }
    t + q.len() as f64
}

#[differentiable]
pub fn resize_new(x: &[f64], n: usize) -> f64 {
    let mut v: Vec<f64> = Vec::new();
    v.resize(n, x[0]);
    v.extend_from_slice(x);
    let mut w = vec![1.0; 3];
    w.resize(v.len(), 0.5);
    w.iter().zip(&v).map(|(a, b)| a * b * b).sum()
}

#[differentiable]
pub fn drained(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut t = 0.0;
    for a in v.drain(1..=2) {
        t += a * a;
    }
    let rest = v.split_off(1);
    t + rest.iter().product::<f64>() * v[0]
}

#[differentiable]
pub fn sobel(img: &[Vec<f64>]) -> f64 {
    static GX: [[f64; 3]; 3] = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
    let h = img.len();
    if h < 3 {
        return 0.0;
    }
    let w = img[0].len();
    let mut sum = 0.0;
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let (mut gx, mut gy) = (0.0, 0.0);
            for dy in 0..3 {
                for dx in 0..3 {
                    let v = img[y + dy - 1][x + dx - 1];
                    gx += GX[dy][dx] * v;
                    gy += GX[dx][dy] * v;
                }
            }
            sum += (gx * gx + gy * gy + 1e-12).sqrt();
        }
    }
    sum
}

fn flat(x: &[f64], w: f64, f: impl Fn(&[(usize, f64)], f64) -> f64) -> f64 {
    let p: Vec<(usize, f64)> = x.iter().enumerate().map(|(i, &v)| (i * 7 % 3, v)).collect();
    f(&p, w)
}

fn two(x: &[f64], w: f64) -> f64 {
    flat(x, w, by_two)
}

fn two_g(x: &[f64], w: f64) -> (f64, (Vec<f64>, f64)) {
    let p: Vec<(usize, f64)> = x.iter().enumerate().map(|(i, &v)| (i * 7 % 3, v)).collect();
    let (v, (g, w)) = by_two_value_and_grad(&p, w);
    (v, (g.into_iter().map(|p| p.1).collect(), w))
}

fn two_with(x: &[f64], w: f64) -> f64 {
    flat(x, w, by_two_with)
}

fn two_with_g(x: &[f64], w: f64) -> (f64, (Vec<f64>, f64)) {
    let p: Vec<(usize, f64)> = x.iter().enumerate().map(|(i, &v)| (i * 7 % 3, v)).collect();
    let (v, (g, w)) = by_two_with_value_and_grad(&p, w);
    (v, (g.into_iter().map(|p| p.1).collect(), w))
}

fn checked(x: &[f64]) -> f64 {
    checked_product(x).unwrap()
}

fn checked_g(x: &[f64]) -> (f64, Vec<f64>) {
    checked_product_value_and_grad(x).unwrap()
}

fn grid(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| i as f64 * 0.7 + (i % 3) as f64 * 0.1)
        .collect()
}

sized! {
    ranking: margin_ranking, margin_ranking_value_and_grad, n in [0, 1, 9, 65], s: list(n); r: (0..n).map(|i| (i * i % 5) as u32).collect::<Vec<u32>>() => (&s, &r);
    bisection: bisect_root, bisect_root_value_and_grad, n in [1], c: 3.7 => (c);
    two_keys: two, two_g, n in [0, 1, 9], x: list(n), w: 0.9 => (&x, w);
    two_keys_with: two_with, two_with_g, n in [0, 1, 9], x: list(n), w: 0.9 => (&x, w);
    interpolation: linear_interp, linear_interp_value_and_grad, n in [2, 9, 65, 300], x: grid(n), y: list(n), z: 0.45 => (&x, &y, z);
    between: interp2, interp2_value_and_grad, n in [2, 9, 65, 300], x: grid(n), y: list(n), z: 0.45 => (&x, &y, z);
    products: checked, checked_g, n in [0, 1, 9, 65], x: positive(n).to_vec() => (&x);
    series: geometric_series, geometric_series_value_and_grad, n in [0, 1, 9, 65], r: 0.8 => (r, n);
    peaks: peak_sum, peak_sum_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n) => (&x);
    steps: stepping, stepping_value_and_grad, n in [0, 1, 2, 9, 65], x: list(n) => (&x);
    rest: rest_of, rest_of_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n) => (&x);
    rest_loop: rest_for, rest_for_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x, 3);
    chains: chained, chained_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n), y: 0.11 => (&x, y);
    means: trimmed_mean, trimmed, n in [1, 9, 40], x: list(n) => (&x, 0.2);
    settled: settled_in_order, settled_in_order_1, n in [4, 9, 65], x: list(n), r: 0.3 => (&x, 4, r);
    merged: merge_sorted, merge_sorted_value_and_grad, n in [0, 1, 9, 65], a: list(n), b: list(n + 1) => (&a, &b);
    queue: window_queue, window_queue_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x, 3);
    resized: resize_new, resize_new_value_and_grad, n in [1, 2, 9], x: list(n) => (&x, 5);
    drains: drained, drained_value_and_grad, n in [4, 9, 20], x: list(n) => (&x);
    edges: sobel, sobel_value_and_grad, n in [0, 2, 3, 9], x: (0..n).map(|i| list(i % 1 + 7).iter().map(|v| v * (i as f64 + 1.0)).collect()).collect::<Vec<Vec<f64>>>() => (&x);
}

fn settled_in_order_1(x: &[f64], due: usize, r: f64) -> (f64, (Vec<f64>, f64)) {
    settled_in_order_value_and_grad(x, due, r)
}

products! {
    padded: zero_pad_convolve, zero_pad_convolve_vjp, n in [1, 9, 65], x: list(n), h: list(4) => (&x, &h);
}

fn trimmed(x: &[f64], fraction: f64) -> (f64, Vec<f64>) {
    let (value, (gradient, _)) = trimmed_mean_value_and_grad(x, fraction);
    (value, gradient)
}
