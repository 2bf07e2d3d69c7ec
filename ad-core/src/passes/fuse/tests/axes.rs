//! The order of the axes of arrays whose rows data choose.

use super::{agreeing, real};
use crate::ir::value::{Tensor, Value};

/// The shapes of what the kernels of a program make, which agree with it.
fn shapes(text: &str) -> Vec<String> {
    let at = Value::Int(Tensor::new(vec![4], vec![1, 0, 2, 1]));
    let args = [
        real(&[3, 5], |k| 1.0 / k as f64),
        real(&[5, 2], |k| 0.1 * k as f64),
        real(&[2, 3], |k| 0.3 * k as f64),
        at,
    ];
    let kernels = agreeing(text, &args).0;
    let shape = |n: &[crate::ir::ty::Size]| {
        let n: Vec<String> = n.iter().map(|n| n.to_string()).collect();
        format!("[{}]", n.join(", "))
    };
    let made = kernels.steps.iter().flat_map(|s| s.defines());
    made.map(|(_, ty)| shape(&ty.shape)).collect()
}

/// A program that makes a product `t[k, v]` in v5, followed by `more`. The indices `at[i]` are in v6
/// over `[i, k]`, and in v7 over `[k, i]`.
fn product(more: &str) -> String {
    format!(
        "fn f(w: real[d0.0, d0.1], m: real[d0.1, d1.1], x: real[d1.1, d0.0], at: int[d3.0])
        v4: real[d1.1, d0.0] = contract v1[b, k] * v0[v, b] -> [k, v]
        v5: real[d1.1, d0.0] = exp(v4)
        v6: int[d3.0, d1.1] = gather v3[i0]
        v7: int[d1.1, d3.0] = gather v3[i1]
        {more}"
    )
}

#[test]
fn rows_that_data_choose_are_the_last_axis() {
    let text = product(
        "v8: real[d3.0, d1.1] = gather v5[i1, v6]
        return v8",
    );
    assert_eq!(
        shapes(&text),
        ["[d0.0, d1.1]", "[d0.0, d1.1]", "[d3.0, d1.1]"]
    );
}

#[test]
fn what_is_read_along_its_rows_stays() {
    let text = product(
        "v8: real[d1.1, d3.0] = gather v5[i0, v7]
        return v8",
    );
    assert_eq!(
        shapes(&text),
        ["[d1.1, d0.0]", "[d1.1, d0.0]", "[d1.1, d3.0]"]
    );
}

#[test]
fn what_two_readers_want_in_different_orders_stays() {
    let text = product(
        "v8: real[d3.0, d1.1] = gather v5[i1, v6]
        v9: real[d1.1, d3.0] = gather v5[i0, v7]
        return v8, v9",
    );
    assert!(shapes(&text).contains(&"[d1.1, d0.0]".into()));
    assert!(!shapes(&text).contains(&"[d0.0, d1.1]".into()));
}

#[test]
fn results_stay() {
    let text = product(
        "v8: real[d3.0, d1.1] = gather v5[i1, v6]
        return v5, v8",
    );
    assert!(!shapes(&text).contains(&"[d0.0, d1.1]".into()));
}

#[test]
fn what_is_made_along_rows_of_an_argument_stays() {
    let text = product(
        "v8: real[d1.1, d0.0] = exp(v2)
        v9: real[d3.0, d1.1] = gather v8[i1, v6]
        return v9",
    );
    assert_eq!(shapes(&text), ["[d1.1, d0.0]", "[d3.0, d1.1]"]);
}
