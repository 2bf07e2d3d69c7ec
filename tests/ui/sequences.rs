//! Queues, lists and iterators that are not followed.

use cotangent::prelude::*;
use std::collections::VecDeque;

#[differentiable]
fn queue(x: &[f64]) -> f64 {
    let mut waiting: VecDeque<f64> = VecDeque::from(vec![0.0; 3]);
    let mut t = 0.0;
    for &v in x {
        t += waiting.pop_front().unwrap();
        waiting.push_back(v);
    }
    t
}

#[differentiable]
fn shrinking(x: &[f64], t: f64) -> f64 {
    let mut p = x.to_vec();
    while p.len() > 1 {
        p = p.windows(2).map(|w| w[0] + t * (w[1] - w[0])).collect();
    }
    p[0]
}

#[differentiable]
fn from_both_ends(x: &[f64]) -> f64 {
    let mut it = x.iter();
    let first = it.next().unwrap();
    first * it.next_back().unwrap()
}

#[differentiable]
fn own_type(x: f64) -> f64 {
    struct Point {
        at: f64,
    }
    let p = Point { at: x };
    p.at
}

#[differentiable]
fn random(x: f64, seed: u64) -> f64 {
    let next = seed.wrapping_mul(6364136223846793005);
    x * next as f64
}

#[differentiable]
fn runs(x: &[f64]) -> f64 {
    x.split(|v| *v < 0.0).map(|run| run.len() as f64 * x[0]).sum()
}

#[differentiable]
fn found(x: &[f64], y: f64) -> f64 {
    let place = x.binary_search_by(|v| v.total_cmp(&y));
    x[place.unwrap()]
}

fn main() {}
