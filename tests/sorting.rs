//! Lists that are sorted behind an early return, in branches, in loops, in part, and while they
//! grow.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over indices are what is differentiated"
)]

use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;

#[differentiable]
fn median(x: &[f64]) -> f64 {
    if x.is_empty() {
        return 0.0;
    }
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| a.total_cmp(b));
    let n = sorted.len();
    (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
}

#[differentiable]
fn trimmed_mean(x: &[f64], by: usize) -> f64 {
    let n = x.len();
    if n > 2 * by {
        let mut sorted = x.to_vec();
        sorted.sort_by(|a, b| b.partial_cmp(a).unwrap());
        let mut total = 0.0;
        for i in by..n - by {
            total += sorted[i] * sorted[i];
        }
        total / (n - 2 * by) as f64
    } else {
        x.iter().map(|v| 3.0 * v).sum()
    }
}

#[differentiable]
fn median_filter(x: &[f64], width: usize) -> f64 {
    let mut total = 0.0;
    for i in width..x.len() {
        let mut window = x[i - width..i].to_vec();
        window.sort_by(|a, b| a.total_cmp(b));
        total += window[width / 2] * x[i];
    }
    total
}

#[differentiable]
fn median_of_rows(a: &Array2<f64>) -> f64 {
    a.outer_iter()
        .map(|row| {
            let mut sorted = row.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted[sorted.len() / 2].sin()
        })
        .sum()
}

#[differentiable]
fn sorted_again(x: &[f64], steps: usize) -> f64 {
    let mut v = x.to_vec();
    let mut total = 0.0;
    for k in 0..steps {
        v.sort_by(|a, b| a.total_cmp(b));
        let n = v.len();
        for i in 0..n {
            v[i] = (v[i] * (i + k + 2) as f64).sin() + 0.1 * total;
        }
        total += v[n / 2];
    }
    total
}

#[differentiable]
fn narrowed(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut rounds = 0;
    while rounds < 3 && v[0] * v[0] > 0.0001 {
        v.sort_by(|a, b| a.total_cmp(b));
        let middle = v[v.len() / 2];
        for i in 0..v.len() {
            v[i] = 0.7 * v[i] - 0.5 * (middle * v[i]).sin();
        }
        rounds += 1;
    }
    v[0] + 2.0 * v[v.len() - 1]
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Event {
    time: f64,
    weight: f64,
}

#[differentiable]
fn in_order(events: &[Event], by_time: bool) -> f64 {
    let mut all = events.to_vec();
    if by_time {
        all.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
    all.iter()
        .enumerate()
        .map(|(i, e)| (i + 1) as f64 * e.time * e.weight)
        .sum()
}

#[differentiable]
fn in_a_closure(x: &[f64]) -> f64 {
    let highest = |from: usize| {
        let mut part = x.to_vec();
        part.sort_by(|a, b| b.total_cmp(a));
        part[from]
    };
    (0..x.len())
        .map(|i| if x[i] > 0.0 { x[i] * highest(i) } else { 0.0 })
        .sum()
}

#[differentiable]
fn sorted_tails(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut tail = x[i..].to_vec();
        tail.sort_by(f64::total_cmp);
        total += tail[tail.len() / 2] * (i + 1) as f64;
    }
    total
}

#[differentiable]
fn running_median(x: &[f64]) -> f64 {
    let mut seen: Vec<f64> = Vec::new();
    let mut total = 0.0;
    for (i, v) in x.iter().enumerate() {
        seen.push(*v);
        seen.sort_by(|a, b| a.total_cmp(b));
        total += seen[seen.len() / 2] * (i + 1) as f64;
    }
    total
}

#[differentiable(grad, jvp, hvp)]
fn median_of_positive(x: &[f64]) -> f64 {
    let mut positive: Vec<f64> = x.iter().copied().filter(|v| *v > 0.0).collect();
    if positive.is_empty() {
        return 0.0;
    }
    positive.sort_by(|a, b| a.partial_cmp(b).unwrap());
    positive[positive.len() / 2].powi(2)
}

/// The cost of joining the two smallest until there is one.
#[differentiable]
fn joined(x: &[f64]) -> f64 {
    let mut heap = x.to_vec();
    let mut cost = 0.0;
    while heap.len() > 1 {
        heap.sort_by(|a, b| b.total_cmp(a));
        let a = heap.pop().unwrap();
        let b = heap.pop().unwrap();
        cost += a * a + a * b;
        heap.push(a + b);
    }
    cost
}

#[differentiable(grad, wrt(x))]
fn best_three(x: &[f64], y: &[f64]) -> f64 {
    let mut best: Vec<(f64, f64)> = Vec::new();
    for i in 0..x.len() {
        best.push((x[i], y[i]));
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.truncate(3);
    }
    best.iter().map(|(a, b)| a * a * b).sum()
}

#[differentiable]
fn parts_sorted(x: &[f64], k: usize) -> f64 {
    let mut v = x.to_vec();
    v[..k].sort_by(f64::total_cmp);
    v[k..].sort_by(|a, b| b.total_cmp(a));
    for block in v.chunks_mut(4) {
        block.sort_by(f64::total_cmp);
    }
    let mut half = v[..k].to_vec();
    half.sort_by(|a, b| b.total_cmp(a));
    v.extend_from_slice(&half);
    v.iter()
        .enumerate()
        .map(|(i, v)| v * v * (i + 1) as f64)
        .sum()
}

#[differentiable]
fn distinct(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(f64::total_cmp);
    v.dedup();
    v.iter().map(|v| v * v).sum::<f64>() / v.len().max(1) as f64
}

#[differentiable]
fn median_of_singles(x: &[f32]) -> f32 {
    let mut total = 0.0;
    for k in 0..2 {
        let mut sorted = x.to_vec();
        sorted.sort_by(f32::total_cmp);
        total += sorted[x.len() / 2] * (k + 1) as f32;
    }
    total
}

/// `n` numbers in no order. No two of them are close.
fn shuffled(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| ((i * 37 + 11) % 67) as f64 / 30.0 - 1.01)
        .collect()
}

fn check(x: &[f64], gradient: &[f64], f: impl Fn(&[f64]) -> f64) {
    assert_eq!(gradient.len(), x.len());
    for i in 0..x.len() {
        let at = |h: f64| {
            let mut x = x.to_vec();
            x[i] += h;
            f(&x)
        };
        let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
        let error = (gradient[i] - difference).abs();
        assert!(
            error < 1e-5 * (1.0 + difference.abs()),
            "{i}: {} {difference}",
            gradient[i]
        );
    }
}

#[test]
fn behind_an_early_return() {
    assert_eq!((median(&[]), median_grad(&[])), (0.0, vec![]));
    for n in [1, 9, 65] {
        check(&shuffled(n), &median_grad(&shuffled(n)), median);
    }
}

#[test]
fn in_a_branch() {
    for (n, by) in [(0, 1), (1, 0), (1, 1), (9, 2), (65, 7)] {
        let x = shuffled(n);
        check(&x, &trimmed_mean_grad(&x, by), |x| trimmed_mean(x, by));
    }
    let unfit = trimmed_mean_grad(&[f64::NAN, 1.0], 1);
    assert_eq!(unfit, [3.0, 3.0]);
}

#[test]
fn in_loops() {
    for (n, width) in [(0, 3), (1, 1), (9, 3), (65, 5)] {
        let x = shuffled(n);
        check(&x, &median_filter_grad(&x, width), |x| {
            median_filter(x, width)
        });
    }
    for (n, m) in [(0, 1), (1, 1), (3, 3), (5, 13)] {
        let x = shuffled(n * m);
        let matrix = |x: &[f64]| Array2::from_shape_vec((n, m), x.to_vec()).unwrap();
        let gradient = median_of_rows_grad(&matrix(&x));
        let gradient: Array1<f64> = gradient.into_iter().collect();
        check(&x, gradient.as_slice().unwrap(), |x| {
            median_of_rows(&matrix(x))
        });
    }
}

#[test]
fn in_loops_with_state() {
    for (n, steps) in [(1, 0), (1, 3), (9, 3), (65, 2)] {
        let x = shuffled(n);
        check(&x, &sorted_again_grad(&x, steps), |x| {
            sorted_again(x, steps)
        });
    }
    for n in [1, 9, 65] {
        check(&shuffled(n), &narrowed_grad(&shuffled(n)), narrowed);
    }
}

#[test]
fn by_a_key() {
    let of = |x: &[f64]| -> Vec<Event> {
        let pairs = x.chunks(2).map(|p| Event {
            time: p[0],
            weight: p[1],
        });
        pairs.collect()
    };
    for by_time in [false, true] {
        for n in [0, 1, 9, 33] {
            let x = shuffled(2 * n);
            let gradient = in_order_grad(&of(&x), by_time);
            let gradient: Vec<f64> = gradient.iter().flat_map(|e| [e.time, e.weight]).collect();
            check(&x, &gradient, |x| in_order(&of(x), by_time));
        }
    }
}

#[test]
fn in_closures() {
    for n in [0, 1, 9, 65] {
        check(&shuffled(n), &in_a_closure_grad(&shuffled(n)), in_a_closure);
    }
}

#[test]
fn while_they_grow() {
    for n in [0, 1, 2, 9, 65] {
        let x = shuffled(n);
        check(&x, &sorted_tails_grad(&x), sorted_tails);
        check(&x, &running_median_grad(&x), running_median);
        check(&x, &joined_grad(&x), joined);
        check(&x, &distinct_grad(&x), distinct);
        let y: Vec<f64> = x.iter().map(|v| v.cos()).collect();
        check(&x, &best_three_grad(&x, &y), |x| best_three(x, &y));
    }
}

#[test]
fn in_part() {
    for n in [0, 1, 9, 65] {
        let x = shuffled(n);
        check(&x, &parts_sorted_grad(&x, n / 3), |x| {
            parts_sorted(x, n / 3)
        });
    }
}

#[test]
fn in_other_modes_and_types() {
    for n in [0, 1, 9, 65] {
        let x = shuffled(n);
        let direction: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let gradient = median_of_positive_grad(&x);
        let along: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let (_, tangent) = median_of_positive_jvp(&x, &direction);
        assert!((along - tangent).abs() < 1e-12, "{along} {tangent}");
        let second = median_of_positive_hvp(&x, &direction);
        // The value is the square of one of the elements.
        for i in 0..n {
            let expected = if gradient[i] != 0.0 {
                2.0 * direction[i]
            } else {
                0.0
            };
            assert_eq!(second[i], expected);
        }
    }
    let x: Vec<f32> = shuffled(9).iter().map(|v| *v as f32).collect();
    let gradient = median_of_singles_grad(&x);
    let middle = (0..9).find(|i| gradient[*i] != 0.0).expect("an element");
    assert_eq!(gradient.iter().sum::<f32>(), 3.0);
    assert_eq!(3.0 * x[middle], median_of_singles(&x));
}

#[custom_derivative(vjp = shortened_rule, like = x)]
fn shortened(x: &[f64]) -> Vec<f64> {
    x[1..].to_vec()
}

fn shortened_rule(x: &[f64], bar: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (x[1..].to_vec(), bar.to_vec())
}

#[differentiable(value, grad)]
fn of_shortened(x: &[f64]) -> f64 {
    shortened(x).iter().sum()
}

#[test]
#[should_panic(expected = "the result of `shortened` has another shape than its argument")]
fn a_false_promise_is_found() {
    of_shortened_value(&[1.0, 2.0]);
}
