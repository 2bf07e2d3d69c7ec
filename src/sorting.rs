//! What annotated functions sort by, for generated code only.

use crate::prelude::*;
use std::cmp::Ordering;

/// The places of the elements in ascending or descending order, as numbers. Equal ones keep their
/// order. `total` is the order of `f64::total_cmp`, in which NaN has a place.
///
/// # Panics
///
/// Panics if there is a NaN, unless the order is total, and if the numbers of places are too large
/// for the type.
#[custom_derivative(vjp = order_rule, like = x)]
#[must_use]
pub fn order<T: Real>(x: &[T], total: bool, descending: bool) -> Vec<T> {
    let compared = |a: T, b: T| -> Ordering {
        match total {
            true => a.to_f64().total_cmp(&b.to_f64()),
            false => a.partial_cmp(&b).expect("a NaN has no place in this order"),
        }
    };
    let mut places: Vec<usize> = (0..x.len()).collect();
    places.sort_by(|&i, &j| match descending {
        true => compared(x[j], x[i]),
        false => compared(x[i], x[j]),
    });
    let count = T::from_usize(x.len()).to_f64();
    assert!(
        count as usize == x.len() && count + 1.0 > count,
        "too long a list to sort in this type"
    );
    places.into_iter().map(T::from_usize).collect()
}

fn order_rule<T: Real>(x: &[T], total: bool, descending: bool, _: &[T]) -> (Vec<T>, Vec<T>) {
    (order(x, total, descending), vec![T::of(0.0); x.len()])
}
