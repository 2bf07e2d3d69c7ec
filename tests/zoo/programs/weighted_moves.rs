//! Points that are moved by several maps at once, each by a weight; the first coordinate may be
//! mirrored.
//!
//! @ maps: [3, 3, 4]; points: [18, 4]; weights: [18, 3]; mirrored: true
//! @ maps: [2, 3, 4]; points: [37, 5]; weights: [35, 2]; mirrored: false
//! @ maps: [17, 3, 4]; points: [2, 4]; weights: [2, 17]; mirrored: true
//! @ maps: [0, 3, 4]; points: [0, 1]; weights: [17, 0]; mirrored: true
//! @ maps: [2, 3, 4]; points: [3, 4]; weights: [0, 2]; mirrored: false

use cotangent::prelude::*;
use ndarray::{Array2, Array3};

#[differentiable(value, vjp, jvp)]
pub fn weighted_moves<T: Real>(
    maps: &Array3<T>,
    points: &Array2<T>,
    weights: &Array2<T>,
    mirrored: bool,
) -> Array2<T> {
    let all = maps.dim().0;
    build((weights.nrows(), 3), |(v, r)| {
        let there = sum(all, |b| {
            let moved = sum(4, |c| maps[[b, r, c]] * points[[v, c]]);
            weights[[v, b]] * moved
        });
        if mirrored && r == 0 { -there } else { there }
    })
}
