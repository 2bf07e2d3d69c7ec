//! Sides of branches: one that is not taken costs nothing.

use crate::{Degrees, Growth, LINEAR, int, real, zoo};
use cotangent_core::ir::value::{Tensor, Value};

#[test]
#[cfg_attr(not(feature = "derived"), ignore = "the program calls a derivative")]
fn sides_that_are_not_taken() {
    let at = |n: usize, forward: bool| {
        let flag = Value::Bool(Tensor::scalar(forward));
        let args = vec![real(&[n]), real(&[n, n]), flag, int(3)];
        zoo("branches_decided_outside", args)
    };
    // The gradient has a zero for each element of the matrix.
    let vectors = Degrees {
        gradient_stored: 2,
        ..LINEAR
    };
    let matrix = Degrees {
        value: 2,
        gradient: 2,
        value_stored: 1,
        gradient_stored: 2,
    };
    Growth::of("sides that are not taken")
        .along("n, without the matrix", 8, |n| at(n, true), vectors)
        .along("n, with the matrix", 8, |n| at(n, false), matrix)
        .end();
}
