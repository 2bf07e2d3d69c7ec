//! The square of a number.

use crate::call::{Answer, Call, Failure};
use std::autodiff::autodiff_reverse;

#[autodiff_reverse(square_reverse, Active, Active)]
fn square(x: f64) -> f64 {
    x * x
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let x = call.input()?;
    match call.function {
        "square" => call.once(|| square(x)),
        "double" => call.once(|| square_reverse(x, 1.0).1),
        _ => call.unknown(),
    }
}
