//! Errors: what is said, and that everything is said at once.

use super::{errors, with};

/// The body gives one error, which says this.
fn says(body: &str, what: &str) {
    let source = format!(
        "fn f(x: &Array1<f64>, a: &Array2<f64>, s: f64, n: usize, b: bool) -> f64 {{ {body} }}"
    );
    one("", &source, what);
}

fn one(attr: &str, source: &str, what: &str) {
    let found = errors(attr, source);
    assert_eq!(found.len(), 1, "{source}: {found:#?}");
    assert!(found[0].contains(what), "{source}: {}", found[0]);
}

#[test]
fn outside_of_the_language() {
    says("for i in 0..n { g(i); } s", "`sum(n, |i| ..)`");
    says("while b { } s", "fixed number of rounds");
    says("let mut t = s; t", "`let mut` is not supported yet");
    says(
        "x.iter().sum()",
        "`iter` is not supported yet; write `sum(x.len()",
    );
    says("x.mean()", "write `sum(x.len(), |i| x[i])`");
    says("return s;", "`return` is not supported");
    says("if b { return 0.0; } s", "`else`");
    says("if b { s }", "without `else`");
    says("g(s)", "not followed yet");
    says("vec![s][0]", "the macro `vec!`");
    says("s?", "`?` leaves");
    says("P { v: s }.v", "`.v`");
    says("unsafe { s }", "generated code is safe");
    says("x.slice(s![1..])[0]", "`slice` is not supported yet");
    says(
        "fold(n, 0.0, |t, i| t + x[i])",
        "`fold` is not supported yet",
    );
    says("Array1::zeros(3)[0]", "write `build(n, |_| 0.0)`");
    says("\"text\"", "text");
    says("s as f32 as f64", "write `as f64`");
    says("1.0f32", "`f32`");
    says("n << 1; s", "not used");
    says("(n << 1) as f64", "shifts");
    says("s;", "remove it");
    says("let t = { s * 2.0; }; t", "this `;` throws the value");
    says("s; s", "not used");
    says("mine::mean(n, |i| x[i])", "from `cotangent::prelude`");
    says("mine::g(s, n)", "`let g = |x, y| ..;`");
    says("sum(n, |i| x[i]).gamma()", "lgamma(x).exp()");
    says("s.sigmoid()", "function of the prelude");
}

#[test]
fn types() {
    says("x == x", "write `build(x.len(), |i| x[i] == y[i])`");
    says("(x + x)[0] + n", "between a real number and an integer");
    says("(x * n)[0]", "`*` between an `Array1<f64>` and an integer");
    says("x + x", "declared as `f64`");
    says("x.dot(s)", "these are an `Array1<f64>` and a real number");
    says("x.dot(x, x)", "`dot` takes 1 arguments");
    says("x.mapv(s)[0]", "`mapv` takes a closure");
    says("x.mapv(|v| (v, v))[0]", "a tuple of 2");
    says("x.mapv(|v| x * v)[0]", "makes an array of scalars");
    says(
        "x.mapv(|v| v + n)[0]",
        "between a real number and an integer",
    );
    says(
        "sum(n, |i| x.mapv(|v| build(i, |j| v * x[j])[0])[i])",
        "depends on `i`",
    );
    says("s.sum()", "sum");
    says("(!x)[0]", "where a scalar is needed");
    says("s + n", "`+` between a real number and an integer");
    says("x[s]", "an index must be an integer");
    says(
        "a[0]",
        "an `Array2<f64>` takes 2 indices, and 1 is given; write `[[i, j]]`",
    );
    says(
        "x[[0, 1]]",
        "an `Array1<f64>` takes 1 index, and 2 are given",
    );
    says("s[0]", "has no elements");
    says("x.nrows() as f64", "`.len()`");
    says("a.shape()[2] as f64", "no axis 2");
    says("a.len_of(Axis(n)) as f64", "must be known");
    says("n", "declared as `f64`");
    says("x.to_owned()", "declared as `f64`");
    says("if s { 1.0 } else { 2.0 }", "a condition must be a bool");
    says(
        "if b { s } else { n }",
        "the branches give a real number and an integer",
    );
    says("let (p, q) = s; p + q", "takes a tuple of 2 apart");
    says(
        "let (p, q) = if b { (s, n) } else { (s, s) }; p",
        "the branches give an integer and a real number",
    );
    says(
        "let p = if b { (s, s) } else { (s, s, s) }; p.0",
        "this branch gives a tuple of 2",
    );
    says(
        "let p = if b { (s, |t: f64| t) } else { (s, |t: f64| t) }; p.0",
        "this part of a branch gives a closure",
    );
    says("s.sqrt(1.0)", "`sqrt` works on 1 value");
    says("n.sqrt() as f64", "function of real numbers");
    says("sum(n, |i, j| x[i])", "takes the index as one argument");
    says("sum(n, s)", "takes a closure");
    says("sum(|i| x[i])", "takes 2 arguments");
    says("let sum = 1.0; sum(n, |i| x[i])", "hides the function");
    says("y * 2.0", "cannot find `y`");
    says("(usize::MAX) as f64", "`i64::MAX`");
    says("let f = |t: f64| t; f", "closures are bound by `let`");
    says(
        "logsumexp(n, |i| a.row(i))[0]",
        "`logsumexp` is of scalars, and this is an `Array1<f64>`",
    );
    says("maximum(n, |i| i) as f64", "must be a real number");
    says(
        "maximum(n, |i| build(2, |j| i + j))[0] as f64",
        "is of real numbers, and this is an `Array1<usize>`",
    );
}

#[test]
fn matches() {
    says(
        "match n { 0 | 1 => s, m if m > 3 => 1.0 }",
        "the last arm has a guard",
    );
    says(
        "match (n, n) { (0, m) | (m, 0) => m as f64, _ => s }",
        "one arm for each alternative",
    );
    says("match s { 0.0 => s, _ => 1.0 }", "only integers");
}

#[test]
fn sizes() {
    says(
        "sum(n, |i| sum(n, |k| build(i, |j| x[j])[k]))",
        "depends on `i`",
    );
    says(
        "sum(n, |i| { let m = i + 1; build(m, |j| x[j])[0] })",
        "depends on `i`",
    );
    says(
        "let f = |m: usize| build(m, |j| x[j])[0]; sum(n, |i| f(i))",
        "depends on `i`",
    );
    says("sum(n, |i| softmax(i, |j| x[j])[0])", "rectangular");
}

#[test]
fn signatures() {
    one(
        "",
        "fn f(x: f32) -> f64 { 1.0 }",
        "one real type, which is `f32` here",
    );
    one(
        "",
        "fn f<T: Into<f64>>(x: f64, y: T) -> f64 { x }",
        "cannot tell what `T` is",
    );
    one("", "fn f<T>(x: f64, y: &Array1<T>) -> T { x }", "`T: Real`");
    one("", "fn f(x: &Option<f64>) -> f64 { 1.0 }", "an `Option`");
    one(
        "",
        "fn f(x: f64) -> f64 { let y: ArrayView1<'_, f64> = x; y[0] }",
        "declared as `ArrayView1<'_, f64>`",
    );
    one("", "fn f(x: impl Fn(f64)) -> f64 { 1.0 }", "`impl Trait`");
    one("", "fn f(x: &mut Array1<f64>) -> f64 { x[0] }", "`&mut`");
    one("", "fn f(x: ArrayD<f64>) -> f64 { 1.0 }", "run time");
    one(
        "",
        "fn f(x: &f64) -> f64 { 1.0 }",
        "write `f64` instead of `&f64`",
    );
    one("", "fn f(mut x: f64) -> f64 { x }", "`mut` arguments");
    one("", "fn f((x, y): (f64, f64)) -> f64 { 1.0 }", "by name");
    one("", "fn f(&self, x: f64) -> f64 { x }", "`self: &Model`");
    one(
        "",
        "fn f(n: usize) -> f64 { 1.0 }",
        "nothing to differentiate",
    );
    one("", "fn f(x: f64) { }", "returns nothing");
    one("", "fn f(x: f64) -> usize { 1 }", "has no derivative");
    one("", "fn f(x: &[f64]) -> &[f64] { x }", "borrowed");
    one("", "async fn f(x: f64) -> f64 { x }", "future");
    one("", "const fn f(x: f64) -> f64 { x }", "`const fn`");
    one("", "struct S;", "only functions");
}

#[test]
fn attributes() {
    let f = "fn f(x: &[f64], n: usize) -> f64 { x[n] }";
    one("hessian", f, "`hessian` is not supported yet");
    one("wrt(n)", f, "constant for differentiation");
    one("wrt(z)", f, "no argument of this name");
    one("wrt(x, x)", f, "named twice");
    one(
        "gard",
        f,
        "there is no option `gard`; the options are `value`,",
    );
    one("grad, grad", f, "`grad` is given twice");
    one("grad = true", f, "write `grad` alone");
    one("value_and_grad", f, "`grad` generates");
    one("wrt = x", f, "write `wrt(x)`");
    one("wrt = [x, n]", f, "write `wrt(x, n)`");
    one("wrt", f, "write `wrt(x, y)`");
    one("wrt(0)", f, "lists names of arguments");
    one(
        "grad",
        "fn f(x: &[f64]) -> Vec<f64> { x.to_vec() }",
        "`vjp` or `jvp`",
    );
}

#[test]
fn all_at_once() {
    let source = "fn f(x: &Array1<f64>, n: usize) -> f64 {
        let mut total = 0.0;
        for i in 0..n { total += x[i]; }
        let y = unknown(x) + x.norm();
        let z = y * 2.0;
        z + sum(n, |i| x[i] + missing) + total
    }";
    let found = errors("jacobian", source);
    let expected = ["jacobian", "let mut", "for", "unknown", "norm", "missing"];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (message, word) in found.iter().zip(expected) {
        assert!(message.contains(word), "{message}");
    }
    let Err(failure) = with("grad", "fn f(x: f64) -> f64 { g(x) }") else {
        panic!("accepted")
    };
    assert!(failure.item.is_some() && failure.signature.is_some());
    assert!(failure.attr.is_some() && failure.promise.unwrap().modes.grad);
}

#[test]
fn an_inlined_closure_complains_once() {
    says("let f = |t: f64| t + missing; f(s) + f(2.0)", "missing");
}

#[test]
fn constants_of_two_kinds() {
    says("x[K] + K", "between a real number and an integer");
}
