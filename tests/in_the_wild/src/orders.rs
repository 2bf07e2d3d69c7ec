//! Sorted lists, extrema by a key, patterns of slices.

use cotangent::prelude::*;
use ndarray::{Array2, Axis};

#[differentiable(grad)]
fn median(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let n = y.len();
    if n % 2 == 1 {
        y[n / 2]
    } else {
        (y[n / 2 - 1] + y[n / 2]) / 2.0
    }
}

#[differentiable(grad)]
fn trimmed_mean(x: &[f32], cut: usize) -> f32 {
    let mut y = x.to_vec();
    y.sort_unstable_by(|a, b| a.total_cmp(b));
    let kept = &y[cut..y.len() - cut];
    kept.iter().sum::<f32>() / kept.len() as f32
}

#[differentiable(grad)]
fn top_three(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.sort_by(|a, b| b.partial_cmp(a).unwrap());
    y.iter().take(3).map(|v| v * v).sum()
}

#[differentiable(grad)]
fn weighted_by_rank(x: &[f64], w: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].partial_cmp(&x[b]).unwrap());
    let (mut total, mut below) = (0.0, 0.0);
    for &i in &order {
        below += w[i];
        total += below * x[i];
    }
    total
}

#[differentiable(grad)]
fn by_size(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
    y.iter().enumerate().map(|(i, v)| v / (i + 1) as f64).sum()
}

#[differentiable(grad)]
fn area_under_points(points: &[(f64, f64)]) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p.0.partial_cmp(&q.0).unwrap());
    sorted
        .windows(2)
        .map(|w| (w[1].0 - w[0].0) * (w[1].1 + w[0].1) / 2.0)
        .sum()
}

#[differentiable(grad)]
fn nearest(points: &[[f64; 2]], to: [f64; 2]) -> f64 {
    let distance = |p: &[f64; 2]| (p[0] - to[0]).powi(2) + (p[1] - to[1]).powi(2);
    let best = points
        .iter()
        .min_by(|p, q| distance(p).total_cmp(&distance(q)))
        .unwrap();
    distance(best).sqrt()
}

#[differentiable(grad)]
fn peak(x: &[f64]) -> f64 {
    let (i, v) = x
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.partial_cmp(b.1).unwrap())
        .unwrap();
    v * (i + 1) as f64
}

#[differentiable(grad)]
fn at_smallest(x: &[f64], y: &[f64]) -> f64 {
    let i = (0..x.len()).min_by(|&a, &b| x[a].total_cmp(&x[b])).unwrap();
    y[i] * x[i]
}

#[differentiable(grad)]
fn polynomial(c: &[f64], x: f64) -> f64 {
    match c {
        [] => 0.0,
        [constant] => *constant,
        [constant, slope] => constant + slope * x,
        [first, middle @ .., last] => {
            first + last * x + middle.iter().map(|m| m * x.sin()).sum::<f64>()
        }
    }
}

#[differentiable(grad)]
fn triple(x: &[f64]) -> f64 {
    if let [a, b, c] = x {
        a * b + c
    } else {
        x.iter().sum()
    }
}

#[differentiable(grad)]
fn head_and_tail(x: &[f64]) -> f64 {
    let [first, rest @ ..] = x else { return 0.0 };
    first * rest.iter().sum::<f64>()
}

#[differentiable(grad)]
fn positive_part(x: f64, y: f64) -> f64 {
    (x > 0.0).then(|| x.ln()).unwrap_or(0.0) + (y > 1.0).then_some(y * y).unwrap_or(x)
}

#[differentiable(grad)]
fn safe_log(x: f64) -> Option<f64> {
    (x > 0.0).then(|| x.ln())
}

#[differentiable(grad)]
fn classified(x: f64) -> f64 {
    let scale = 'found: {
        if x < -1.0 {
            break 'found -x;
        }
        if x > 1.0 {
            break 'found x * x;
        }
        1.0 + x
    };
    scale * x
}

#[differentiable(grad)]
fn products_of_rows(a: &Array2<f64>) -> f64 {
    a.fold_axis(Axis(1), 1.0, |&product, &v| product * v).sum()
}

#[differentiable(grad)]
fn running_columns(a: &Array2<f64>) -> f64 {
    let mut b = a.clone();
    b.accumulate_axis_inplace(Axis(0), |&before, here| *here += before);
    b.mapv(|v| v * v).sum()
}

#[differentiable(grad)]
fn swapped_rows(a: &Array2<f64>) -> f64 {
    let mut b = a.clone();
    for j in 0..b.ncols() {
        b.swap([0, j], [1, j]);
    }
    b.row(0).dot(&b.row(0)) + b[[1, 0]]
}

#[differentiable(grad)]
fn circular_difference(x: &[f64]) -> f64 {
    let mut next = x.to_vec();
    next.rotate_left(1);
    x.iter().zip(&next).map(|(a, b)| (a - b).powi(2)).sum()
}

#[differentiable(grad)]
fn pairs_and_rest(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for pair in x.chunks_exact(2) {
        total += pair[0] * pair[1];
    }
    let rest = x.chunks_exact(2).remainder();
    total + rest.iter().sum::<f64>()
}

#[test]
fn single_precision_is_sorted() {
    assert_eq!(
        trimmed_mean_grad(&[3.0, -1.0, 2.0, 5.0], 1),
        [0.5, 0.0, 0.5, 0.0]
    );
    assert_eq!(safe_log_grad(2.0), Some(0.5));
    assert_eq!(safe_log_grad(-2.0), None);
}

tests! {
    median_odd_is: median, median_value_and_grad, x: list(9) => (&x);
    median_even_is: median, median_value_and_grad, x: list(8) => (&x);
    median_long_is: median, median_value_and_grad, x: list(65) => (&x);
    top_is: top_three, top_three_value_and_grad, x: list(9) => (&x);
    top_of_one_is: top_three, top_three_value_and_grad, x: list(1) => (&x);
    rank_is: weighted_by_rank, weighted_by_rank_value_and_grad, x: list(9), w: list(9) => (&x, &w);
    size_is: by_size, by_size_value_and_grad, x: list(9) => (&x);
    size_of_nothing_is: by_size, by_size_value_and_grad, x: list(0) => (&x);
    area_is: area_under_points, area_under_points_value_and_grad, p: vec![(0.4, 1.0), (-0.3, 0.5), (1.2, 2.0)] => (&p);
    nearest_is: nearest, nearest_value_and_grad, p: vec![[0.4, 1.0], [-0.3, 0.5], [1.2, 2.0]], t: [0.1, 0.6] => (&p, t);
    peak_is: peak, peak_value_and_grad, x: list(9) => (&x);
    smallest_is: at_smallest, at_smallest_value_and_grad, x: list(9), y: list(9) => (&x, &y);
    polynomial_0: polynomial, polynomial_value_and_grad, c: list(0), x: 0.4 => (&c, x);
    polynomial_1: polynomial, polynomial_value_and_grad, c: list(1), x: 0.4 => (&c, x);
    polynomial_2: polynomial, polynomial_value_and_grad, c: list(2), x: 0.4 => (&c, x);
    polynomial_9: polynomial, polynomial_value_and_grad, c: list(9), x: 0.4 => (&c, x);
    triple_is: triple, triple_value_and_grad, x: list(3) => (&x);
    triple_of_more_is: triple, triple_value_and_grad, x: list(5) => (&x);
    head_is: head_and_tail, head_and_tail_value_and_grad, x: list(5) => (&x);
    head_of_nothing_is: head_and_tail, head_and_tail_value_and_grad, x: list(0) => (&x);
    positive_is: positive_part, positive_part_value_and_grad, x: 0.4, y: 1.4 => (x, y);
    negative_is: positive_part, positive_part_value_and_grad, x: -0.4, y: 0.4 => (x, y);
    classified_low: classified, classified_value_and_grad, x: -1.4 => (x);
    classified_middle: classified, classified_value_and_grad, x: 0.4 => (x);
    classified_high: classified, classified_value_and_grad, x: 1.4 => (x);
    products_are: products_of_rows, products_of_rows_value_and_grad, a: matrix(3, 4) => (&a);
    running_is: running_columns, running_columns_value_and_grad, a: matrix(4, 3) => (&a);
    swapped_is: swapped_rows, swapped_rows_value_and_grad, a: matrix(3, 4) => (&a);
    circular_is: circular_difference, circular_difference_value_and_grad, x: list(9) => (&x);
    pairs_are: pairs_and_rest, pairs_and_rest_value_and_grad, x: list(9) => (&x);
    pairs_of_one_are: pairs_and_rest, pairs_and_rest_value_and_grad, x: list(1) => (&x);
}
