//! What annotated functions sort by, for generated code only.

use crate::prelude::*;
use std::cmp::Ordering;

/// The places of the elements in ascending or descending order, as numbers. Equal ones keep their
/// order. `total` is the order of `f64::total_cmp`, in which NaN has a place.
///
/// # Panics
///
/// Panics if there is a NaN, unless the order is total.
#[custom_derivative(vjp = order_rule)]
#[must_use]
pub fn order(x: &[f64], total: bool, descending: bool) -> Vec<f64> {
    let compared = |a: f64, b: f64| -> Ordering {
        match total {
            true => a.total_cmp(&b),
            false => a.partial_cmp(&b).expect("a NaN has no place in this order"),
        }
    };
    let mut places: Vec<usize> = (0..x.len()).collect();
    places.sort_by(|&i, &j| match descending {
        true => compared(x[j], x[i]),
        false => compared(x[i], x[j]),
    });
    places.into_iter().map(|i| i as f64).collect()
}

fn order_rule(x: &[f64], total: bool, descending: bool, _: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (order(x, total, descending), vec![0.0; x.len()])
}
