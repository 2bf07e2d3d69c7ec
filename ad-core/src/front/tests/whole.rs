//! Arrays and iterators as ndarray has them, and their Core.

use super::core;

const ARGS: &str =
    "x: &Array1<f64>, y: &Array1<f64>, a: &Array2<f64>, n: usize, i: usize, k: isize";

fn eq(result: &str, body: &str, expected: &str) {
    assert_eq!(core(ARGS, result, body), expected, "{body}");
}

#[test]
fn chains_are_one_loop() {
    eq(
        "f64",
        "x.iter().zip(y.iter()).map(|(p, q)| p * q).sum::<f64>()",
        "sum(imin(x.0, y.0), |i| let p = x[i]; let q = y[i]; mul(p, q))",
    );
    eq("f64", "x.iter().sum()", "sum(x.0, |i| x[i])");
    eq(
        "f64",
        "x.iter().zip(x).map(|(&p, q)| p - *q).product()",
        "product(x.0, |i| let p = x[i]; let q = x[i]; sub(p, q))",
    );
    eq(
        "f64",
        "a.iter().fold(0.0, |s, v| s + v)",
        "sum(a.0, |i| sum(a.1, |j| let v = a[i, j]; v))",
    );
    eq(
        "f64",
        "x.iter().copied().fold(f64::NEG_INFINITY, f64::max)",
        "maximum(x.0, |i| let w = x[i]; w)",
    );
    eq(
        "f64",
        "x.iter().fold(2.0, |s, v| if *v > 0.0 { s - v } else { s })",
        "add(2.0, sum(x.0, |i| let v = x[i]; if gt(v, 0.0) {neg(v)} else {0.0}))",
    );
    eq(
        "Vec<f64>",
        "(1..n).map(|i| x[i] - x[i - 1]).collect()",
        "build(imax(isub(n, 1), 0), |i| let i = iadd(i, 1); sub(x[i], x[isub(i, 1)]))",
    );
    eq(
        "f64",
        "x.iter().filter(|v| **v > 0.0).map(|v| v.ln()).sum()",
        "sum(x.0, |i| let item = x[i]; if gt(item, 0.0) {ln(item)} else {0.0})",
    );
    eq(
        "f64",
        "x.iter().rev().skip(1).enumerate().map(|(i, v)| i as f64 * v).sum()",
        "sum(imax(isub(x.0, 1), 0), |i| let v = x[isub(isub(x.0, i), 2)]; mul(int_to_real(i), v))",
    );
    eq(
        "f64",
        "(0..n).map(|i| (0..i).map(|j| x[j]).sum::<f64>()).sum()",
        "sum(n, |i| sum(i, |i| x[i]))",
    );
}

#[test]
fn slices_are_affine() {
    eq(
        "Array1<f64>",
        "x.slice(s![1..]).to_owned()",
        "build(isub(x.0, 1), |i| x[iadd(i, 1)])",
    );
    eq(
        "Array1<f64>",
        "x.slice(s![..-1]).to_owned()",
        "build(isub(x.0, 1), |i| x[i])",
    );
    eq(
        "Array1<f64>",
        "x.slice(s![i..i + 3]).to_owned()",
        "build(3, |i| x[iadd(i, i)])",
    );
    eq(
        "Array1<f64>",
        "x.slice(s![n * i..n * (i + 1)]).to_owned()",
        "build(n, |i| x[iadd(imul(n, i), i)])",
    );
    eq(
        "Array1<f64>",
        "x.slice(s![..;-1]).to_owned()",
        "build(x.0, |i| x[isub(isub(x.0, i), 1)])",
    );
    eq(
        "Array1<f64>",
        "x.slice(s![1..;2]).to_owned()",
        "build(idiv(x.0, 2), |i| x[iadd(imul(2, i), 1)])",
    );
    eq(
        "Array1<f64>",
        "a.slice(s![-1, ..]).to_owned()",
        "a[isub(a.0, 1), :]",
    );
    eq(
        "Array2<f64>",
        "a.slice(s![.., NewAxis, 2]).to_owned()",
        "build(a.0, |i| build(1, |j| a[i, 2]))",
    );
    // What may be negative counts from the end, if it is.
    let n = "isub(isub(x.0, k), imul(x.0, imin(imax(ineg(k), 0), 1)))";
    eq(
        "f64",
        "x.slice(s![k..]).sum()",
        &format!(
            "let a = build({n}, |i| x[iadd(iadd(k, imul(x.0, imin(imax(ineg(k), 0), 1))), i)]); \
             sum({n}, |i| a[i])"
        ),
    );
    eq(
        "f64",
        "(0..n).map(|p| (p + 1..n).map(|q| x[p] * x[q]).sum::<f64>()).sum()",
        "sum(n, |i| sum(isub(isub(n, i), 1), |i| let q = iadd(iadd(i, i), 1); mul(x[i], x[q])))",
    );
    eq(
        "f64",
        "sum(n, |i| x.slice(s![..i]).sum())",
        "sum(n, |i| sum(i, |i| x[i]))",
    );
}

#[test]
fn lengths_that_are_written_are_known() {
    eq(
        "Array2<f64>",
        "let c = x.view().insert_axis(Axis(1)); a * &c",
        "let c = build(x.0, |i| build(1, |j| x[i])); \
         let both = iadd(build(a.0, |i| 0), build(x.0, |i| 0)); \
         build(both.0, |i| build(a.1, |j| mul(a[i, j], c[i, 0])))",
    );
    eq(
        "Array2<f64>",
        "a - &a.mean_axis(Axis(0)).unwrap()",
        "let count = int_to_real(a.0); let sure = build(isub(a.0, 1), |i| 0); \
         let b = build(a.1, |i| div(sum(a.0, |i| a[i, i]), count)); build(a.0, |i| sub(a[i, :], b))",
    );
    eq(
        "f64",
        "let p = array![x[0], 2.0]; p[1] + p[0]",
        "let e = x[0]; let list = build(2, |i| if ieq(i, 0) {e} else {if ieq(i, 1) {2.0} else {0.0}}); add(2.0, e)",
    );
    eq(
        "Array2<f64>",
        "let b = Array2::from_shape_fn((n, i), |(p, q)| x[p + q]); b.to_shape((n, i)).unwrap().to_owned()",
        "let b = build(n, |i| build(i, |j| x[iadd(i, j)])); build(n, |i| build(i, |j| b[i, j]))",
    );
}
