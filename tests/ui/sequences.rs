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
fn if_it_fits(x: &[f64]) -> f64 {
    let mut it = x.iter().peekable();
    let first = it.next_if(|v| **v > 0.0);
    first.unwrap() * it.next().unwrap()
}

#[differentiable]
fn own_methods(x: f64) -> f64 {
    struct Point {
        at: f64,
    }
    impl Point {
        fn doubled(&self) -> f64 {
            2.0 * self.at
        }
    }
    let p = Point { at: x };
    p.at
}

#[derive(Clone, Copy, Differentiable)]
struct Same {
    x: f64,
}

#[differentiable]
fn two_of_a_name(s: Same) -> f64 {
    let x = s.x;
    struct Same {
        y: f64,
    }
    Same { y: x }.y
}

#[differentiable]
fn converted(x: f64, n: u32) -> f64 {
    if x < 0.0 {
        return n.into();
    }
    x
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
fn rising(x: &[f64]) -> f64 {
    x.chunk_by(|a, b| a < b).map(|run| run.len() as f64 * x[0]).sum()
}

#[differentiable]
fn found(x: &[f64], y: f64) -> f64 {
    let place = x.binary_search_by(|v| v.total_cmp(&y));
    x[place.unwrap()]
}

fn main() {}
