//! Extrema whose positions and values are computed together.

use super::no_dearer;
use crate::ir::kernel::{Compute, Program, Work};
use crate::ir::value::{Tensor, Value};

/// The kernels of a program, which agree with it on these numbers.
fn fused(text: &str, shape: &[usize], cases: &[&[f64]]) -> Program {
    for data in cases {
        let args = [Value::Real(Tensor::new(shape.to_vec(), data.to_vec()))];
        no_dearer(text, &args);
    }
    super::fused(text)
}

/// How many values of extrema are taken from who looks for them.
fn extremes(program: &Program) -> usize {
    let families = program.steps.iter().filter_map(|s| match &s.work {
        Work::Family(f) => Some(&f.nest.nodes),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Call(_)
        | Work::Tiles(_)
        | Work::Loop(_)
        | Work::Branch(_) => None,
    });
    let nodes = families.flatten();
    nodes
        .filter(|s| matches!(s.compute, Compute::Extreme(_)))
        .count()
}

const CASES: [&[f64]; 4] = [
    &[0.5, -1.0, 2.0, 0.25, 3.0, -0.5],
    &[f64::NAN, 0.5, 0.5, f64::NAN, f64::NAN, f64::NAN],
    &[f64::INFINITY; 6],
    &[f64::NAN, f64::INFINITY, 800.0, 1.0, -0.0, 0.0],
];

#[test]
fn the_value_at_an_extremum_needs_no_array() {
    let text = "fn f(x: real[d0.0, d0.1])
        v1: real[d0.0, d0.1] = exp(v0)
        v2: int[d0.0] = fill 0
        v3: int[d0.0] = index d0.1
        v4: bool[d0.0] = ilt(v2, v3)
        v5: int[d0.0] = [v4] argmin v1 along 1
        v6: real[d0.0] = [v4] gather v1[i0, v5]
        v7: real[d0.0] = mul(v6, v6)
        return v5, v7";
    let program = fused(text, &[2, 3], &CASES);
    assert_eq!(extremes(&program), 1);
    // The position with the value, and the square.
    assert_eq!(program.steps.len(), 2, "{program:?}");
    // Nothing is read where there is nothing.
    fused(text, &[2, 0], &[&[]]);
}

#[test]
fn of_all_elements() {
    let text = "fn f(x: real[6])
        v1: real[6] = exp(v0)
        v2: int[] = argmax v1 along 0
        v3: real[] = gather v1[v2]
        return v2, v3";
    let program = fused(text, &[6], &CASES);
    assert_eq!((extremes(&program), program.steps.len()), (1, 1));
}

#[test]
fn a_place_that_is_left_out_is_neutral() {
    // Only the indices before the row's count; of the first row there is none.
    let text = "fn f(x: real[2, 3])
        v1: real[2, 3] = exp(v0)
        v2: int[2, 3] = index i0
        v3: int[2, 3] = index i1
        v4: bool[2, 3] = ilt(v3, v2)
        v5: real[2, 3] = fill inf
        v6: real[2, 3] = select(v4, v1, v5)
        v7: int[2] = argmin v6 along 1
        v8: real[2] = gather v6[i0, v7]
        return v7, v8";
    let program = fused(text, &[2, 3], &CASES);
    assert_eq!(extremes(&program), 1);
}

#[test]
fn what_may_fail_or_is_an_array_anyway_is_read() {
    // There may be no element.
    let text = "fn f(x: real[d0.0, d0.1])
        v1: real[d0.0, d0.1] = exp(v0)
        v2: int[d0.0] = argmin v1 along 1
        v3: real[d0.0] = gather v1[i0, v2]
        return v2, v3";
    assert_eq!(extremes(&fused(text, &[2, 3], &CASES)), 0);
    let text = "fn f(x: real[2, 3])
        v1: real[2, 3] = exp(v0)
        v2: int[2] = argmin v1 along 1
        v3: real[2] = gather v1[i0, v2]
        return v1, v2, v3";
    assert_eq!(extremes(&fused(text, &[2, 3], &CASES)), 0);
    // Another element than that of the extremum.
    let text = "fn f(x: real[3, 3])
        v1: real[3, 3] = exp(v0)
        v2: int[3] = argmin v1 along 1
        v3: real[3] = gather v1[v2, i0]
        return v2, v3";
    let nine = [0.5, -1.0, 2.0, 0.25, 3.0, -0.5, 1.0, 7.0, -2.0];
    assert_eq!(extremes(&fused(text, &[3, 3], &[&nine])), 0);
}
