//! Programs and their Core.

use super::super::names::Known;
use super::super::types::{Passing, Scalar};
use super::{annotated, core, with};
use crate::derivative::{Derivative, Modes};
use crate::ir::ty::Elem;

const XY: &str = "x: &Array1<f64>, y: &[f64]";
const A: &str = "a: ArrayView2<'_, f64>, x: Vec<f64>, s: f64, n: usize, k: i64, b: bool";

fn eq(args: &str, result: &str, body: &str, expected: &str) {
    assert_eq!(core(args, result, body), expected, "{body}");
}

#[test]
fn reductions() {
    eq(
        XY,
        "f64",
        "sum(x.len(), |i| x[i] * y[i])",
        "sum(x.0, |i| mul(x[i], y[i]))",
    );
    eq(
        A,
        "f64",
        "sum(a.dim(), |(i, j)| a[[i, j]])",
        "sum(a.0, |i| sum(a.1, |j| a[i, j]))",
    );
    eq(
        A,
        "f64",
        "sum(a.dim(), |ij| a[ij])",
        "sum(a.0, |i| sum(a.1, |j| a[i, j]))",
    );
    eq(
        A,
        "f64",
        "mean(x.len() - 1, |i| x[i + 1] - x[i])",
        "div(sum(isub(x.0, 1), |i| sub(x[iadd(i, 1)], x[i])), int_to_real(isub(x.0, 1)))",
    );
    eq(
        A,
        "f64",
        "sum(n, |i| sum(i, |j| a[(i, j)]))",
        "sum(n, |i| sum(i, |j| a[i, j]))",
    );
    eq(
        A,
        "Array1<f64>",
        "sum(n, |i| a.row(i).to_owned())",
        "sum(n, |i| a[i, :])",
    );
    eq(
        A,
        "f64",
        "x[argmax(n, move |i: usize| -> f64 { -x[i] })]",
        "x[argmax(n, |i| neg(x[i]))]",
    );
    eq(
        A,
        "f64",
        "let (i, j) = argmin((n, 2), |(i, j)| a[[i, j]]); a[[j, i]]",
        "let i = argmin(n, |i| minimum(2, |j| a[i, j])); \
         let j = if igt(n, 0) {argmin(2, |j| a[i, j])} else {0}; a[j, i]",
    );
    eq(
        A,
        "Array1<f64>",
        "maximum((n, 2), |(i, j)| a.row(i + j))",
        "maximum(n, |i| maximum(2, |j| a[iadd(i, j), :]))",
    );
    eq(
        A,
        "Array1<f64>",
        "mean(n, |i| a.row(i))",
        "let total = sum(n, |i| a[i, :]); let count = int_to_real(n); build(total.0, |i| div(total[i], count))",
    );
    eq(
        A,
        "f64",
        "maximum((n, x.len()), |(i, j)| a[[i, j]]) + logsumexp(n, |i| x[i])",
        "add(maximum(n, |i| maximum(x.0, |j| a[i, j])), logsumexp(n, |i| x[i]))",
    );
}

#[test]
fn arrays() {
    eq(
        A,
        "Array2<f64>",
        "build((n, 2), |(i, j)| a[[j, i]])",
        "build(n, |i| build(2, |j| a[j, i]))",
    );
    eq(
        A,
        "Array1<f64>",
        "softmax(n, |i| x[i])",
        "let logits = build(n, |i| x[i]); let max = maximum(n, |i| logits[i]); \
         let weights = build(n, |i| weight(sub(logits[i], stop(max)))); \
         let total = sum(n, |i| weights[i]); build(n, |i| div(weights[i], total))",
    );
    eq(
        A,
        "f64",
        "let r = a.row(n); r[2] + a.column(1)[n] + a.index_axis(Axis(0), 3)[4] + a.row(1).len() as f64",
        "let r = a[n, :]; add(add(add(r[2], a[n, 1]), a[3, 4]), int_to_real(a.1))",
    );
    eq(
        A,
        "f64",
        "let (p, q) = a.dim(); (p + q + a.dim().1 + a.shape()[0] + a.len_of(Axis(1)) + a.len()) as f64 * s",
        "mul(int_to_real(iadd(iadd(iadd(iadd(iadd(a.0, a.1), a.1), a.0), a.1), imul(a.0, a.1))), s)",
    );
    eq(
        "x: &Array1<f64>, idx: &[usize]",
        "Array1<f64>",
        "scatter_add(x.len(), idx.len(), |i| { let k = idx[i]; let v = x[i]; (k, v * v) })",
        "scatter([x.0], i < idx.0, let k = idx[i]; let v = x[i]; [k] += mul(v, v))",
    );
    eq(
        A,
        "Array2<f64>",
        "scatter_add((2, n), a.dim(), |(i, j)| -> ((usize, usize), f64) { ((i, j % n), a[[i, j]]) })",
        "scatter([2, n], i < a.0, j < a.1, [i, irem(j, n)] += a[i, j])",
    );
    eq(
        A,
        "Array1<f64>",
        "if b { x.clone().into() } else { build(n, |i| x[i]) }"
            .replace(".into()", "")
            .as_str(),
        "if b {x} else {build(n, |i| x[i])}",
    );
    eq(
        "x: &Array1<f64>, a: &Array2<f64>, s: f64",
        "Array2<f64>",
        "&(-a) + a * 2.0 - s / x % x",
        "let a = add(neg(a), build(a.0, |i| build(a.1, |j| mul(a[i, j], 2.0)))); \
         let b = rem(build(x.0, |i| div(s, x[i])), x); build(a.0, |i| sub(a[i, :], b))",
    );
    // Lengths do not depend on loops, even those of arrays that do.
    eq(
        A,
        "Array2<f64>",
        "build(n, |i| { let r = build(n, |j| a[[i, j]]); build(r.len(), |j| r[j]) })",
        "build(n, |i| let r = build(n, |j| a[i, j]); build(n, |j| r[j]))",
    );
}

#[test]
fn scalars() {
    eq(
        "x: f64",
        "f64",
        "let (s, c) = x.sin_cos(); s * c",
        "mul(sin(x), cos(x))"
            .replace(
                "mul(sin(x), cos(x))",
                "let s = sin(x); let c = cos(x); mul(s, c)",
            )
            .as_str(),
    );
    eq(
        "x: f64",
        "f64",
        "(x * x).sin_cos().1",
        "let x = mul(x, x); cos(x)",
    );
    eq(
        "x: f64",
        "f64",
        "x.powi(-2).clamp(0.0, 1.0)",
        "let x = powi(x, -2); select(le(x, 0.0), 0.0, select(ge(x, 1.0), 1.0, x))",
    );
    eq(
        "x: f64",
        "f64",
        "f64::max(x, 0.0) + exp(x) + sigmoid(-x)",
        "add(add(max(x, 0.0), exp(x)), sigmoid(neg(x)))",
    );
    eq(
        "x: f64",
        "f64",
        "x.mul_add(2f64, std::f64::consts::PI)",
        "mul_add(x, 2.0, 3.141592653589793)",
    );
    eq(
        "x: f64",
        "f64",
        "if x > 0.0 && x < 1.0 || x == 2. { x } else if !(x.is_nan()) { 1.0 } else { stop_gradient(x) }",
        "if if if gt(x, 0.0) {lt(x, 1.0)} else {false} {true} else {eq(x, 2.0)} {x} else {if not(ne(x, x)) {1.0} else {stop(x)}}",
    );
    eq(
        A,
        "f64",
        "(n.saturating_sub(1) + std::cmp::max(n, 2).pow(2) + usize::min(n, 3) + n.abs_diff(1)) as f64 * s",
        "mul(int_to_real(iadd(iadd(iadd(imax(isub(n, 1), 0), ipow(imax(n, 2), 2)), imin(n, 3)), iabs(isub(n, 1)))), s)",
    );
    eq(
        A,
        "f64",
        "x[s as usize] + (b as i32) as f64 + (k as u8) as f64",
        "add(add(x[imax(real_to_int(s), 0)], int_to_real(bool_to_int(b))), int_to_real(as_u8(k)))",
    );
    eq(
        A,
        "f64",
        "match (n, b) { (0, true) => s, (1 | 2, _) => 1.0, (m, _) if m > 9 => m as f64, _ => 2.0 }",
        "if if ieq(n, 0) {b} else {false} {s} else {if or(ieq(n, 1), ieq(n, 2)) {1.0} else {if igt(n, 9) {int_to_real(n)} else {2.0}}}",
    );
    eq(
        A,
        "f64",
        "match k { ..=-1 => 0.0, 0..10 => s, _ => 1.0 }",
        "if ile(k, -1) {0.0} else {if if ige(k, 0) {ile(k, 9)} else {false} {s} else {1.0}}",
    );
}

#[test]
fn bindings() {
    eq(
        "x: f64",
        "f64",
        "let y: f64 = x * x; let x = y + 1.0; let z = { let y = x; y }; z * y",
        "let y = mul(x, x); let x = add(y, 1.0); mul(x, y)",
    );
    eq(
        "x: f64",
        "f64",
        "let f = |t: f64| t * t + x; let x = 3.0; f(x + 1.0) + f(2.0)",
        "let t = add(3.0, 1.0); add(add(mul(t, t), x), add(mul(2.0, 2.0), x))",
    );
    eq(
        "x: f64",
        "f64",
        "assert!(x > 0.0); debug_assert_eq!(1, 1); const C: f64 = 2.0; *&x * C",
        "mul(x, 2.0)",
    );
    eq(
        "x: f64, n: usize",
        "f64",
        "let term = |i: usize| x.powi(i as i32); sum(n, term)",
        "sum(n, |i| powi(x, as_i32(i)))",
    );
    // Of tuples part by part, under one condition.
    eq(
        "x: f64",
        "f64",
        "let (p, (q, _)) = if x > 0.0 { let r = x.sqrt(); (r * r, (2.0, 1)) } else { (x, (x, 0)) }; p * q",
        "let cond = gt(x, 0.0); let p = if cond {let r = sqrt(x); mul(r, r)} else {x}; \
         let q = if cond {2.0} else {x}; mul(p, q)",
    );
    eq(
        "x: f64, n: usize",
        "f64",
        "let t = match n { 0 => (x, true), 1 => { let y = x * x; (y, y > x) } _ => (1.0, false) }; \
         if t.1 { t.0 } else { 0.0 }",
        "let cond = ieq(n, 0); \
         let t = if cond {x} else {let cond = ieq(n, 1); if cond {let y = mul(x, x); y} else {1.0}}; \
         let t = if cond {true} else {let cond = ieq(n, 1); if cond {let y = mul(x, x); gt(y, x)} else {false}}; \
         if t {t} else {0.0}",
    );
    // What a branch binds stays in the branch.
    eq(
        "x: f64",
        "f64",
        "if x > 0.0 { let r = x.sqrt(); r * r } else { 0.0 }",
        "if gt(x, 0.0) {let r = sqrt(x); mul(r, r)} else {0.0}",
    );
}

#[test]
fn constants_of_the_user() {
    let a = annotated(
        "fn f(x: &[f64]) -> f64 { x[K] * SCALE + N as f64 + sum(M, |i| x[i]) + W as f64 + m::W2 }",
    );
    let consts: Vec<_> = a
        .consts
        .iter()
        .map(|c| (&*c.sym.hint, c.elem, c.open))
        .collect();
    assert_eq!(
        consts,
        [
            ("K", Elem::Int, false),
            ("SCALE", Elem::Real, false),
            ("N", Elem::Real, true),
            ("M", Elem::Int, false),
            ("W", Elem::Real, true),
            ("W2", Elem::Real, false),
        ]
    );
    assert_eq!(a.program.params.len(), 7);
    // Through variables, other constants and methods.
    let a =
        annotated("fn f(x: &[f64]) -> f64 { let k = A.max(B) - 1; if FLAG { x[k] } else { 0.0 } }");
    let kinds: Vec<_> = a.consts.iter().map(|c| c.elem).collect();
    assert_eq!(kinds, [Elem::Int, Elem::Int, Elem::Bool]);
    // A cast to an integer is no proof.
    let a = annotated("fn f(x: &[f64]) -> f64 { x[C as usize] * C }");
    assert_eq!(a.consts[0].elem, Elem::Real);
}

#[test]
fn names_to_check() {
    let a = annotated(
        "fn f(x: &[f64]) -> f64 { sum(x.len(), |i| exp(x[i])) + sum(1, |_| cotangent::sum(2, |i| x[std::cmp::min(i, max(1, 2))])) }",
    );
    let known: Vec<_> = a
        .checks
        .iter()
        .map(|c| (c.path.segments.len(), c.known.name()))
        .collect();
    assert_eq!(known, [(1, "sum"), (1, "exp"), (2, "sum"), (1, "max")]);
    assert_eq!(a.checks[3].known, Known::Cmp("max"));
    // A closure of that name is the closure.
    let a = annotated("fn f(x: f64) -> f64 { let sum = |a: f64, b: f64| a + b; sum(x, x) }");
    assert!(a.checks.is_empty());
}

#[test]
fn signatures() {
    let a = with(
        "wrt(c, a), crate = my::own",
        "#[cfg(test)] #[inline] pub(crate) fn f<'a>(a: &'a ArrayView<'a, f64, Ix3>, b: &ndarray::Array2<i32>, c: &Vec<f64>, d: &ArrayRef1<f64>, e: Array0<f64>) -> Array<f64, ndarray::Ix1> { build(1, |i| c[i]) }",
    )
    .unwrap();
    let args: Vec<_> = a
        .signature
        .args
        .iter()
        .map(|a| a.ty.tree.leaves()[0].clone())
        .map(|w| (w.scalar, w.rank, w.passing))
        .collect();
    assert_eq!(
        args,
        [
            (Scalar::Real, 3, Passing::ReferenceToView),
            (Scalar::I32, 2, Passing::Reference),
            (Scalar::Real, 1, Passing::ReferenceToVec),
            (Scalar::Real, 1, Passing::ArrayRef),
            (Scalar::Real, 0, Passing::Owned),
        ]
    );
    assert_eq!(a.promise.wrt, [0, 2]);
    assert!(a.promise.modes == Modes::of(&[Derivative::Vjp, Derivative::Jvp]));
    assert_eq!(a.signature.cfg.len(), 1);
    assert!(a.attr.root.is_some());
}

#[test]
fn roots() {
    let f = "fn f(x: f64) -> f64 { x }";
    for root in ["crate", "crate::ad", "::cotangent", "super::ad"] {
        assert!(
            with(&format!("crate = {root}"), f)
                .unwrap()
                .attr
                .root
                .is_some()
        );
    }
    let a = with("value, grad", f).unwrap().promise;
    assert_eq!(a.modes.derivatives().len(), 3);
    assert!(a.modes.has(Derivative::Value) && !a.modes.has(Derivative::Vjp) && a.wrt == [0]);
    // Where an `Array0` has its element, and what a body brings in itself.
    let a = annotated("fn f(e: &Array0<f64>) -> f64 { use std::f64::consts::TAU as T; e[()] * T }");
    assert!(a.consts.is_empty());
}

#[test]
fn methods_on_whole_arrays() {
    eq(
        A,
        "f64",
        "a.sum() + x.len() as f64",
        "add(sum(a.0, |i| sum(a.1, |j| a[i, j])), int_to_real(x.0))",
    );
    eq(
        A,
        "Array2<f64>",
        "a.t()",
        "build(a.1, |i| build(a.0, |j| a[j, i]))",
    );
    eq(A, "f64", "x.dot(&x)", "sum(x.0, |k| mul(x[k], x[k]))");
    eq(
        A,
        "Array1<f64>",
        "a.dot(&a.row(n))",
        "build(a.0, |i| sum(a.1, |k| mul(a[i, k], a[n, k])))",
    );
    eq(
        A,
        "Array1<f64>",
        "x.dot(&a)",
        "let both = iadd(build(x.0, |i| 0), build(a.0, |i| 0)); build(a.1, |i| sum(both.0, |k| mul(x[k], a[k, i])))",
    );
    eq(
        A,
        "Array2<f64>",
        "a.t().dot(&a)",
        "let a = build(a.1, |i| build(a.0, |j| a[j, i])); build(a.1, |i| build(a.1, |j| sum(a.0, |k| mul(a[i, k], a[k, j]))))",
    );
    eq(
        A,
        "Array2<f64>",
        "a.mapv(|v| { let w = v + s; w * w })",
        "build(a.0, |i| build(a.1, |j| let v = a[i, j]; let w = add(v, s); mul(w, w)))",
    );
    eq(
        A,
        "Array2<f64>",
        "a.map(|&v| *&v)",
        "build(a.0, |i| build(a.1, |j| let v = a[i, j]; v))",
    );
    eq(
        A,
        "Array2<f64>",
        "a.mapv(f64::exp)",
        "build(a.0, |i| build(a.1, |j| let v = a[i, j]; exp(v)))",
    );
    eq(
        A,
        "Array1<f64>",
        "build(n, |i| a.row(i).sum())",
        "build(n, |i| sum(a.1, |i| a[i, i]))",
    );
}

#[test]
fn functions_of_ndarray_are_checked_by_name() {
    let a = annotated(
        "fn f(x: f64, y: &Array1<f64>) -> f64 {
            let a = arr1(&[x, x]);
            let b = stack(Axis(0), &[y.view(), y.view()]).unwrap();
            a.sum() + b.sum() + ndarray::concatenate(Axis(0), &[y.view(), y.view()]).unwrap().sum()
        }",
    );
    let known: Vec<&str> = a.checks.iter().map(|c| c.known.name()).collect();
    assert_eq!(known, ["arr1", "stack", "concatenate"]);
    assert_eq!(a.checks[0].known, Known::Array("arr1"));
}
