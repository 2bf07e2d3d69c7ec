//! Which products with sums over rows are made some rows at a time.

use super::{agreeing, real};
use crate::ir::kernel::{Division, Program, Step, Tiles, Work};
use crate::ir::value::Value;

/// The kernels of a program, which agree with it on arrays of these shapes.
fn fused(text: &str, shapes: &[&[usize]]) -> Program {
    // Sums of these are exact in any order.
    let args: Vec<Value> = (shapes.iter().map(|s| real(s, |k| k as f64 / 4.0))).collect();
    agreeing(text, &args).0
}

/// The tiles of a program: what lasts of them, what they add up, and how many elements they say
/// they have.
fn tiles(program: &Program) -> Vec<String> {
    let described = |t: &Tiles| {
        let outs = t.outs.iter().map(|o| match t.added.contains(&o.result) {
            true => format!("+v{}", o.var.0),
            false => format!("v{}", o.var.0),
        });
        let outs: Vec<String> = outs.collect();
        let Division::Tiles(each) = &t.division else {
            panic!("these are shares");
        };
        format!("{}: {} of {each}", t.extent, outs.join(", "))
    };
    let of = |s: &Step| match &s.work {
        Work::Tiles(t) => Some(described(t)),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Call(_)
        | Work::Loop(_)
        | Work::Branch(_) => None,
    };
    program.steps.iter().filter_map(of).collect()
}

/// `z = X w`, and more that is made of it.
fn model(more: &str) -> String {
    format!(
        "fn f(x: real[d0.0, d0.1], w: real[d0.1], y: real[d0.0])
        v3: real[d0.0] = contract v0[i, k] * v1[k] -> [i]
        v4: real[d0.0] = sub(v3, v2)
        {more}"
    )
}

const SHAPES: [&[usize]; 3] = [&[5, 3], &[3], &[5]];

#[test]
fn rows_are_read_once() {
    let text = model(
        "v5: real[d0.1] = contract v4[i] * v0[i, k] -> [k]
        return v5",
    );
    for [n, d] in [[5, 3], [4, 1], [1, 3], [0, 3], [3, 0]] {
        let program = fused(&text, &[&[n, d], &[d], &[n]]);
        assert_eq!(tiles(&program), ["d0.0: +v5 of min(1024, d0.1) + 2"]);
    }
}

#[test]
fn what_lasts_of_the_rows_is_kept() {
    let text = model(
        "v5: real[] = contract v4[i] * v4[i] -> []
        v6: real[d0.1] = contract v0[i, k] * v4[i] -> [k]
        return v5, v6",
    );
    let program = fused(&text, &SHAPES);
    assert_eq!(tiles(&program), ["d0.0: v4, +v7 of min(1024, d0.1) + 2"]);
}

#[test]
fn several_sums_of_rows_are_added_up_together() {
    let text = model(
        "v5: real[d0.1] = contract v0[i, k] * v4[i] -> [k]
        v6: real[d0.0] = mul(v4, v4)
        v7: real[d0.1] = contract v0[i, k] * v6[i] -> [k]
        return v5, v7",
    );
    let program = fused(&text, &SHAPES);
    let all = tiles(&program);
    let [all] = &all[..] else { panic!("{all:?}") };
    assert!(all.starts_with("d0.0: +v5, +v7 of "), "{all}");
}

#[test]
fn what_needs_other_rows_stands_between() {
    // The sums of rows need all of z.
    let text = model(
        "v5: real[] = sum v4 over [0]
        v6: real[d0.0] = gather v5[]
        v7: real[d0.0] = sub(v4, v6)
        v8: real[d0.1] = contract v0[i, k] * v7[i] -> [k]
        return v8",
    );
    assert_eq!(tiles(&fused(&text, &SHAPES)), [""; 0]);
}

#[test]
fn a_matrix_that_is_read_once_is_left() {
    let text = "fn f(x: real[d0.0, d0.1], y: real[d0.0])
        v2: real[d0.0] = mul(v1, v1)
        v3: real[d0.1] = contract v0[i, k] * v2[i] -> [k]
        return v3";
    assert_eq!(tiles(&fused(text, &[&[5, 3], &[5]])), [""; 0]);
    // Here it is another one.
    let text = "fn f(x: real[d0.0, d0.1], w: real[d0.1], m: real[d0.0, d0.1])
        v3: real[d0.0] = contract v0[i, k] * v1[k] -> [i]
        v4: real[d0.1] = contract v2[i, k] * v3[i] -> [k]
        return v4";
    assert_eq!(tiles(&fused(text, &[&[5, 3], &[3], &[5, 3]])), [""; 0]);
}

#[test]
fn columns_are_not_divided() {
    // The points are columns: a few of them are no neighbours in memory.
    let text = "fn f(x: real[d0.0, d0.1], w: real[d0.0])
        v2: real[d0.1] = contract v0[k, i] * v1[k] -> [i]
        v3: real[d0.0] = contract v0[k, i] * v2[i] -> [k]
        return v3";
    assert_eq!(tiles(&fused(text, &[&[5, 3], &[5]])), [""; 0]);
}

#[test]
fn products_of_matrices_are_left() {
    let text = "fn f(x: real[d0.0, d0.1], w: real[d0.1, d1.1])
        v2: real[d0.0, d1.1] = contract v0[i, k] * v1[k, j] -> [i, j]
        v3: real[d0.1, d1.1] = contract v0[i, k] * v2[i, j] -> [k, j]
        return v3";
    assert_eq!(tiles(&fused(text, &[&[5, 3], &[3, 2]])), [""; 0]);
}

/// `h = Σ_i r(x[i]) x[i] x[i]ᵀ`, where the factor is made as written.
fn gram(factor: &str) -> String {
    format!(
        "fn f(x: real[d0.0, d0.1], w: real[d0.1])
        v2: real[d0.0] = contract v0[i, k] * v1[k] -> [i]
        {factor}"
    )
}

const GRAM: [&[usize]; 2] = [&[5, 3], &[3]];

#[test]
fn a_factor_that_is_made_for_a_product_is_made_in_tiles() {
    let rows = gram(
        "v3: real[d0.0, d0.1] = gather v2[i0]
        v4: real[d0.0, d0.1] = mul(v3, v0)
        v5: real[d0.1, d0.1] = contract v4[i, j] * v0[i, k] -> [j, k]
        return v5",
    );
    assert_eq!(
        tiles(&fused(&rows, &GRAM)),
        ["d0.0: +v5 of min(d0.1 + 1, 128)"]
    );
    // Its rows need not be rows as it is written.
    let columns = gram(
        "v3: real[d0.1, d0.0] = gather v2[i1]
        v4: real[d0.1, d0.0] = gather v0[i1, i0]
        v5: real[d0.1, d0.0] = mul(v3, v4)
        v6: real[d0.1, d0.1] = contract v5[j, i] * v0[i, k] -> [j, k]
        return v6",
    );
    assert_eq!(
        tiles(&fused(&columns, &GRAM)),
        ["d0.0: +v6 of min(d0.1 + 1, 128)"]
    );
}

#[test]
fn a_factor_that_is_used_elsewhere_is_made_as_a_whole() {
    let text = gram(
        "v3: real[d0.0, d0.1] = gather v2[i0]
        v4: real[d0.0, d0.1] = mul(v3, v0)
        v5: real[d0.1, d0.1] = contract v4[i, j] * v0[i, k] -> [j, k]
        return v5, v4",
    );
    assert_eq!(tiles(&fused(&text, &GRAM)), [""; 0]);
}

#[test]
fn a_factor_that_is_made_of_columns_is_made_as_a_whole() {
    let text = "fn f(x: real[d0.0, d0.1], y: real[d0.1, d0.0])
        v2: real[d0.0, d0.1] = gather v1[i1, i0]
        v3: real[d0.0, d0.1] = mul(v2, v0)
        v4: real[d0.1, d0.1] = contract v3[i, j] * v0[i, k] -> [j, k]
        return v4";
    assert_eq!(tiles(&fused(text, &[&[5, 3], &[3, 5]])), [""; 0]);
}

#[test]
fn a_factor_that_is_a_product_of_matrices_is_made_as_a_whole() {
    let text = "fn f(x: real[d0.0, d0.1], w: real[d0.1, d1.1])
        v2: real[d0.0, d1.1] = contract v0[i, k] * v1[k, j] -> [i, j]
        v3: real[d0.0, d1.1] = exp(v2)
        v4: real[d1.1, d0.1] = contract v3[i, j] * v0[i, k] -> [j, k]
        return v4";
    assert_eq!(tiles(&fused(text, &[&[5, 3], &[3, 2]])), [""; 0]);
}
