//! Orders that have places for NaN and tell zeros apart.

use cotangent::prelude::*;
use std::cmp::Ordering;

#[differentiable(value, grad)]
fn later_of(a: f64, b: f64) -> f64 {
    let order = a.total_cmp(&b);
    match order {
        Ordering::Less => b * 2.0,
        Ordering::Equal => 5.0,
        Ordering::Greater => a * 3.0,
    }
}

#[differentiable(value, grad)]
fn by_sign_then_size(a: f64, b: f64) -> f64 {
    match a
        .is_sign_negative()
        .cmp(&b.is_sign_negative())
        .then_with(|| a.total_cmp(&b).reverse())
    {
        Ordering::Less => a + 1.0,
        Ordering::Equal => a + b,
        Ordering::Greater => b - 1.0,
    }
}

#[differentiable(value, grad)]
fn compared(a: f64, b: f64) -> f64 {
    match a.partial_cmp(&b) {
        None => 10.0,
        Some(Ordering::Less) => b,
        Some(Ordering::Equal) => 20.0,
        Some(Ordering::Greater) => a,
    }
}

#[differentiable(value, grad, allow(zero_gradient))]
fn signs(a: f64) -> f64 {
    match (a.is_sign_negative(), a.is_sign_positive()) {
        (true, false) => 1.0,
        (false, true) => 2.0,
        _ => 3.0,
    }
}

#[differentiable(value, grad, allow(zero_gradient))]
fn single(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b).is_lt() { 1.0 } else { 2.0 }
}

#[differentiable(value, grad)]
fn largest(x: &[f64]) -> f64 {
    *x.iter().max_by(|a, b| a.total_cmp(b)).unwrap()
}

#[differentiable(value, grad)]
fn smallest(x: &[f64]) -> f64 {
    x.iter().copied().min_by(f64::total_cmp).unwrap()
}

#[differentiable(value, grad)]
fn last_of_largest(x: &[f64], w: &[f64]) -> f64 {
    let (i, v) = x
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1))
        .unwrap();
    w[i] + 1.0 / v
}

#[differentiable(value, grad)]
fn first_of_smallest(x: &[f64], w: &[f64]) -> f64 {
    let i = (0..x.len()).min_by(|&i, &j| x[i].total_cmp(&x[j])).unwrap();
    w[i]
}

#[differentiable(value, grad)]
fn least_as_largest(x: &[f64], w: &[f64]) -> f64 {
    let i = (0..x.len()).max_by(|&i, &j| x[j].total_cmp(&x[i])).unwrap();
    let j = (0..x.len()).min_by(|&i, &j| x[j].total_cmp(&x[i])).unwrap();
    w[i] + 10.0 * w[j]
}

#[differentiable(value, grad)]
fn sorted(x: &[f64], w: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
    let mut turned: Vec<usize> = (0..x.len()).collect();
    turned.sort_by(|&i, &j| x[j].total_cmp(&x[i]));
    let mut total = 0.0;
    for (k, (&i, &j)) in order.iter().zip(&turned).enumerate() {
        total += (w[i] + 100.0 * w[j]) * (k + 1) as f64;
    }
    total
}

#[differentiable(value, grad)]
fn none_is_no_error(x: &[f64]) -> f64 {
    let most = x.iter().copied().max_by(|a, b| a.total_cmp(b));
    let least = x.iter().min_by(|a, b| b.abs().total_cmp(&a.abs()));
    most.unwrap_or(3.0) + least.map_or(4.0, |v| v * 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [f64; 8] = [
        f64::NAN,
        0.0,
        -0.0,
        1.5,
        -2.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-310,
    ];

    fn numbers() -> Vec<f64> {
        let mut all = NUMBERS.to_vec();
        all.push(f64::NAN.copysign(-1.0));
        all
    }

    fn same(a: f64, b: f64, at: &dyn std::fmt::Debug) {
        let is_same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        assert!(is_same, "{a} is not {b} at {at:?}");
    }

    #[test]
    fn two_numbers() {
        for a in numbers() {
            same(signs_value(a), signs(a), &a);
            for b in numbers() {
                let at = (a, a.is_sign_negative(), b, b.is_sign_negative());
                same(later_of_value(a, b), later_of(a, b), &at);
                same(by_sign_then_size_value(a, b), by_sign_then_size(a, b), &at);
                same(compared_value(a, b), compared(a, b), &at);
                let (p, q) = (a as f32, b as f32);
                same(single_value(p, q).into(), single(p, q).into(), &at);
            }
        }
    }

    #[test]
    fn lists() {
        let all = numbers();
        let mut lists: Vec<Vec<f64>> = all.iter().map(|a| vec![*a]).collect();
        for a in &all {
            for b in &all {
                lists.push(vec![*a, *b]);
                lists.extend(all.iter().map(|c| vec![*a, *b, *c]));
            }
        }
        let mut seed = 1_u64;
        for n in [9, 65, 300] {
            for _ in 0..20 {
                let mut next = || {
                    seed = seed
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    (seed >> 33) as usize
                };
                lists.push((0..n).map(|_| all[next() % all.len()]).collect());
                lists.push((0..n).map(|_| [0.0, -0.0, -1.0][next() % 3]).collect());
            }
        }
        for x in &lists {
            let w: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
            same(largest_value(x), largest(x), x);
            same(smallest_value(x), smallest(x), x);
            same(last_of_largest_value(x, &w), last_of_largest(x, &w), x);
            same(first_of_smallest_value(x, &w), first_of_smallest(x, &w), x);
            same(least_as_largest_value(x, &w), least_as_largest(x, &w), x);
            same(sorted_value(x, &w), sorted(x, &w), x);
            same(none_is_no_error_value(x), none_is_no_error(x), x);
        }
        same(none_is_no_error_value(&[]), none_is_no_error(&[]), &());
        assert_eq!(none_is_no_error_grad(&[]), vec![]);
    }

    #[test]
    fn the_derivative_belongs_to_the_element_that_is_chosen() {
        assert_eq!(largest_grad(&[-0.0, 0.0, -0.0]), [0.0, 1.0, 0.0]);
        assert_eq!(smallest_grad(&[0.0, -0.0, -0.0]), [0.0, 1.0, 0.0]);
        assert_eq!(largest_grad(&[1.0, f64::NAN, 3.0]), [0.0, 1.0, 0.0]);
        assert_eq!(smallest_grad(&[1.0, f64::NAN, 3.0]), [1.0, 0.0, 0.0]);
        assert_eq!(later_of_grad(0.0, -0.0), (3.0, 0.0));
        assert_eq!(later_of_grad(1.0, f64::NAN), (0.0, 2.0));
    }
}
