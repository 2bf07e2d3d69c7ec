//! Errors: what is said, and that everything is said at once.

use super::{errors, with};
use crate::derivative::Derivative;

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
    says("if b { s }", "without `else`");
    says("Rc::g(s)", "only free ones with an annotation");
    says("Self::g(s)", "not the `impl` block around it");
    says("std::g(s)", "only free ones with an annotation");
    says("f_grad(x, a, s, n, b).0", "which is made of `f` itself");
    one(
        "",
        "fn f<const N: usize>(x: [f64; N], n: usize) -> f64 { if n == 0 { x[0] } else { f(x, n - 1) } }",
        "`f` calls itself, and is no function that could be called as a unit",
    );
    says("mine::line(s)", "rename the function");
    says(
        "let mut axis = Axis(n); let mut t = s;
         for _ in 0..n { t += x.sum_axis(axis).sum(); axis = Axis(0); }
         t",
        "which does not change",
    );
    says("s?", "cannot see that this is an `Option`");
    says("x.iter().map(|v| v?).sum()", "`?` leaves this closure");
    says("s.v", "no field `v`");
    says("unsafe { s }", "generated code is safe");
    says("\"text\"", "text");
    says("n << 1; s", "not used");
    says("s << 1", "`<<` between");
    says("s;", "remove it");
    says("let t = { s * 2.0; }; t", "this `;` throws the value");
    says("s; s", "not used");
    says("Rc::g(s, n)", "`let g = |x, y| ..;`");
    says("sum(n, |i| x[i]).gamma()", "lgamma(x).exp()");
    says("s.sigmoid()", "function of the prelude");
}

#[test]
fn statements() {
    says("for i in 0..n { g(i); } s", "not used");
    says(
        "let mut y = vec![]; while s > 0.0 { y.push(s); if b { return s; } } y[0]",
        "how long this list gets",
    );
    says("let y = x.push(s); y[0]", "lengths are fixed");
    says(
        "let mut y = vec![s, s]; y.sort_by(f); y[0]",
        "it moves elements in place",
    );
    says("x.polish(); s", "the method `polish` of an `Array1<f64>`");
    says(
        "(x + x).polish(); s",
        "`polish` stands here for what it changes",
    );
    says(
        "let mut t = s; (0..n).for_each(|i| { if b { return; } t += x[i]; }); t",
        "write a loop",
    );
    says(
        "let mut t = s; let g = |u: &mut f64| *u += 1.0; g(&mut t); t",
        "this closure changes something",
    );
    says(
        "let mut t = s; while let Some(k) = n.checked_mul(2) { t += k as f64; } t",
        "`checked_mul` is not known here",
    );
    says("let t = for i in 0..n {}; s", "a loop gives no value");
    says("let t = s; t += 1.0", "ends without a value");
    says(
        "let f = |t: f64| t += 1.0; f(s)",
        "this closure changes something",
    );
    says(
        "for i in 0..n { let y = &x * 2.0; if y[0] > s { return y.sum(); } break 'a; } s",
        "no loop around this",
    );
    says("let mut t = s; *t = 2.0; t", "cannot see what `t` borrows");
    says(
        "let mut y = x.clone(); let g = |v: f64| { y[0] = v; v }; g(s)",
        "a closure cannot change `y`",
    );
    says(
        "let mut y = x.clone(); let r = y.row_mut(0); y[0]",
        "of what is borrowed here is not supported",
    );
    says(
        "let mut t = s; for i in 0..n { for j in 0..n { if b { break 'a; } t += x[j]; } } t",
        "no loop around this",
    );
    says(
        "let mut t = s; loop { t += 1.0; } t",
        "no end that can be seen",
    );
    says(
        "let mut t = s; let u = 1.0 + loop { t += 1.0; if t > 2.0 { return t; } }; u",
        "a loop gives no value here",
    );
    says(
        "let mut t = s; for i in 0..n { t += match i { j if (if b { break } else { j > 1 }) => 1.0, _ => 2.0 }; } t",
        "what leaves a block in the guard of an arm is not followed",
    );
    says(
        "let mut t = s; for i in 0..n { t += if matches!(if b { break } else { i }, 0 | 1) { 1.0 } else { 2.0 }; } t",
        "what leaves a block in here is not followed",
    );
    says(
        "let mut t = s; for c in n { t += 1.0; } t",
        "cannot tell what a loop over an integer runs over",
    );
    says(
        "let mut t = s; for i in 0.. { t += 1.0; } t",
        "this range has no end",
    );
    says(
        "let mut t = s; for i in 0.0..s { t += 1.0; } t",
        "a loop runs over integers",
    );
    says(
        "let mut t = 0.0; let f = |u: f64| { t += u; t }; f(s)",
        "a closure cannot change `t`",
    );
    says(
        "let mut t = 0.0; sum(n, |i| { t += x[i]; t })",
        "a closure cannot change `t`",
    );
    says(
        "let mut t = 0.0; let u = b && { t = 1.0; b }; t",
        "a closure cannot change `t`",
    );
    says(
        "let mut y = build(n, |i| x[i]); y.push(s); y[0]",
        "changes the length of an array",
    );
    says(
        "let mut y = build((n, n), |(i, j)| s); y.row_mut(0) = x; s",
        "write `.assign(&..)` behind it",
    );
    says(
        "let mut y = build((n, n), |(i, j)| s); y[0] = s; y[[0, 0]]",
        "this has 2 axes, and 1 index is given",
    );
    says(
        "let mut y = build(n, |i| x[i]); for i in 0..n { y = build((n, n), |(i, j)| s); } y[0]",
        "this is an `Array1<f64>`, and an `Array2<f64>` is assigned to it",
    );
    says(
        "let mut t = (s, s); t = (s, n); t.0",
        "an integer is assigned to it",
    );
    says(
        "let mut t = s; t.0 = s; t",
        "there is no `.0` in this value",
    );
    says("t = s; s", "cannot find the variable `t`");
    says(
        "fold(n, (0.0, 1.0), |t, i| t.0 + x[i]).0",
        "`t` is a tuple of 2 before this loop and a real number behind",
    );
    says("fold(n, 0.0, |t| t)", "takes the state and the index");
    says(
        "fold(n, |t: f64| t, |t, i| t)",
        "the state of `fold` is numbers",
    );
    says("checkpoint(|i| s)", "takes nothing");
    says(
        "checkpoint(|| |t: f64| t)(s)",
        "only functions and closures with a name",
    );
    says(
        "sum(n, |i| { let mut t = 0.0; for k in 0..i { let z = build(k, |j| x[j]); t = t * s + z.sum(); } t })",
        "the size of this array depends on `i`",
    );
    says(
        "sum(n, |i| { let mut t = 0.0; for k in 0..n { let z = build(k, |j| x[j]); t = t * s + z.sum() * i as f64; } t })",
        "depends on a loop whose rounds depend on `i`",
    );
    says(
        "sum(n, |i| { let mut t = 0.0; for k in 0..n { let z = build(i, |j| x[j]); t = t * s + z.sum(); } t })",
        "the size of this array depends on `i`",
    );
}

#[test]
fn types() {
    says(
        "if x == x { s } else { 1.0 }",
        "`x.iter().zip(y.iter()).all(|(p, q)| p == q)`",
    );
    says(
        "if a != a { s } else { 1.0 }",
        "`build(x.dim(), |(i, j)| x[[i, j]] != y[[i, j]])`",
    );
    says("x < x", "write `build(x.len(), |i| x[i] < y[i])`");
    says("(x + x)[0] + n", "between a real number and an integer");
    says("(x * n)[0]", "`*` between an `Array1<f64>` and an integer");
    says("x + x", "declared as `f64`");
    says("x.dot(s)", "these are an `Array1<f64>` and a real number");
    says("x.dot(x, x)", "`dot` takes 1 argument, and 2 are given");
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
    says("s.cumsum()", "cumsum");
    says(
        "build([n, n], |(i, j)| a[[i, j]])[[0, 0]]",
        "`build((n, m), |(i, j)| ..)` for two indices",
    );
    says("sum(2..n, |i| x[i])", "write `sum(n, |i| ..)`");
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
    says("a.len_of(n) as f64", "an axis is needed");
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
fn whole_arrays() {
    says("x.mean()", "gives an `Option` or a `Result`");
    says("x.mean().xor(None)", "has no method `xor`");
    says("a.to_shape(4).abs()", "take the value out with `unwrap()`");
    says("a.sum_axis(Axis(2))[0]", "no axis 2");
    says("a.insert_axis(Axis(3))[[0, 0, 0]]", "no axis 3");
    says("a.view().permuted_axes([0, 0])[[0, 0]]", "such as `[1, 0]`");
    says("x.slice(s![1.., ..])[0]", "`s![..]` speaks of 2");
    says("x.slice(s![..;n as i64 as isize])[0]", "must be a literal");
    says(
        "let mut part = s![1..]; x.slice(part)[0]",
        "write it where it is used",
    );
    says("a[1..][0]", "write `.slice(s![..])`");
    says("x.slice(n)[0]", "`a.slice(s![1.., ..])`");
    says(
        "sum(n, |i| a.slice(s![..i, ..]).sum_axis(Axis(0))[0])",
        "depends on `i`",
    );
    says(
        "sum(n, |i| x.slice(s![..i]).dot(&x.slice(s![i..])))",
        "cannot be seen to be equal",
    );
    says("x.swap_axes(0, 1)[0]", "below the number of axes");
    says("x.reshape(n)[0]", "write `a.to_shape((n, m)).unwrap()`");
    says("x.into_shape(n).unwrap()[0]", "`into_shape_with_order`");
    says("x.map_inplace(|v| *v)", "its closure changes the elements");
    says(
        "a.broadcast(3).unwrap()[0]",
        "cannot be broadcast to 1 axes",
    );
    says(
        "x.gather_all()[0]",
        "is not supported yet; write it by elements",
    );
}

#[test]
fn iterators() {
    says("x.iter()", "end it with `sum`");
    says(
        "x.iter().flat_map(|v| v).sum()",
        "cannot tell what a loop over a real number runs over",
    );
    says(
        "x.iter().max()",
        "write `fold(f64::NEG_INFINITY, f64::max)`",
    );
    says("x.iter().max_by(|p, q| f(p, q)).unwrap()", "f64::max");
    says(
        "x.iter().array_chunks().sum()",
        "the method `array_chunks` of an iterator",
    );
    says(
        "let it = x.iter().filter(|v| **v > s); it.rev().sum()",
        "write it before `filter`",
    );
    for takes in [
        "x.iter().chain(it).sum()",
        "x.iter().zip(it).map(|(a, b)| a * b).sum()",
        "std::iter::zip(x, it).map(|(a, b)| a * b).sum()",
        "Zip::from(x).and(it).fold(s, |t, a, b| t + a * b)",
        "Array1::from_iter(it).sum()",
        "let mut v = x.to_vec(); v.extend(it); v.iter().sum()",
        "let mut t = s; for (a, b) in x.iter().zip(it) { t += a * b; } t",
    ] {
        let body = format!("let it = x.iter().filter(|v| **v > s); {takes}");
        says(&body, "how many `filter` leaves is known at run time only");
    }
    says(
        "let it = x.iter().filter(|v| **v > s); let v: Vec<_> = it.collect(); v[0]",
        "known at run time only",
    );
    says("x.iter().map_while(half).sum()", "how far it goes");
    says("x.iter().fold(a, |p, q| p + q)", "declared as `f64`");
    says("(0..).map(|i| x[i]).sum()", "this range has no end");
    says("(..n).map(|i| x[i]).sum()", "no beginning");
    says("s.zip(x).sum()", "`zip` is not known here");
    says(
        "x.iter().zip(s).map(|(p, q)| p).sum()",
        "cannot be iterated over",
    );
    says(
        "x.iter().map(|p, q| p).sum()",
        "this closure takes 2 arguments",
    );
    says("x.iter().all(|v| *v)", "must be a bool");
    says(
        "Zip::from(x).and(a).map_collect(|p, q| p * q)[0]",
        "have 1 and 2 axes",
    );
    says("Zip::from(x).for_each(|p| p)", "write a loop");
    says("Zip::from(x).apply(|p| p)", "the method `apply` of a `Zip`");
}

#[test]
fn constructors() {
    says(
        "Array1::logspace(1.0, 2.0, s, n)[0]",
        "`Array1::logspace` is not supported; write `build",
    );
    says(
        "Array2::zeros(n)[[0, 0]]",
        "`Array2` has 2 axes, and 1 are given",
    );
    says("Array1::zeros(s)[0]", "a length must be an integer");
    says("array![s, n][0]", "the elements of a list are of one kind");
    says("array![][0]", "of an empty list");
    says("array![x, x][0]", "write `stack![Axis(0), ..]`");
    says("stack![n, x, x][[0, 0]]", "write `Axis(0)`");
    says("concatenate(Axis(0), x).unwrap()[0]", "write them out");
    says("concatenate![Axis(1), x, x][0]", "no axis 1");
    says("sum(n, |i| Array1::zeros(i).sum())", "depends on `i`");
    says("azip!((p in x) p)", "`Zip::from(&a)");
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
    says(
        "match s { LIMIT => s, _ => 1.0 }",
        "what is matched with a constant must be an integer",
    );
    says(
        "if let Some(v) = s { v } else { 1.0 }",
        "cannot see that this is an `Option`",
    );
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
        "fn f<T: Into<f64>>(x: f64, y: T) -> f64 { x }",
        "cannot tell what `T` is",
    );
    one("", "fn f<T>(x: f64, y: &Array1<T>) -> T { x }", "`T: Real`");
    one(
        "",
        "fn f(x: &Option<(f64, f64)>) -> f64 { 1.0 }",
        "an `Option` holds a number or an array",
    );
    one(
        "vjp",
        "fn f(x: &Array1<f64>) -> Array1<f64> { for i in 0..3 { let y = x * 2.0; if y[i] > 1.0 { return y; } } x * 3.0 }",
        "its sizes are not known behind it",
    );
    one(
        "",
        "fn f(x: f64) -> f64 { let y: ArrayView1<'_, f64> = x; y[0] }",
        "declared as `ArrayView1<'_, f64>`",
    );
    one("", "fn f(x: impl Fn(f64)) -> f64 { 1.0 }", "gives nothing");
    one("", "fn f(x: impl Into<f64>) -> f64 { 1.0 }", "`impl Trait`");
    one("", "fn f(x: ArrayD<f64>) -> f64 { 1.0 }", "run time");
    one(
        "",
        "fn f(x: &f64) -> f64 { 1.0 }",
        "write `f64` instead of `&f64`",
    );
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
    one("hessian(x)", f, "write `hessian` or `hessian(diagonal)`");
    one("wrt(n)", f, "constant for differentiation");
    one("wrt(z)", f, "no argument of this name");
    one("wrt(x, x)", f, "named twice");
    one(
        "gard",
        f,
        "there is no option `gard`; the options are `value`,",
    );
    one("grad, grad", f, "`grad` is given twice");
    one("grad = true", f, "write `grad` or `grad(aux)`");
    one("vjp = true", f, "write `vjp` alone");
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
        for i in 0..n { total += x[i] + lost; }
        while total < 1.0 { total *= 2.0; break 'a; }
        let y = std::unknown(x) + x.norm();
        let z = y * 2.0;
        z + sum(n, |i| x[i] + missing) + total
    }";
    let found = errors("jacobain", source);
    let expected = [
        "jacobain",
        "lost",
        "no loop around",
        "unknown",
        "norm",
        "missing",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (message, word) in found.iter().zip(expected) {
        assert!(message.contains(word), "{message}");
    }
    let Err(failure) = with("grad", "fn f(x: f64) -> f64 { S::g(x) }") else {
        panic!("accepted")
    };
    assert!(failure.item.is_some() && failure.signature.is_some());
    assert!(failure.attr.is_some() && failure.promise.unwrap().modes.has(Derivative::Grad));
}

#[test]
fn checkpoints() {
    let source = "fn f(x: f64) -> f64 { x }";
    let wrong = [
        "checkpoint",
        "checkpoint = 3",
        "checkpoint(sqrt)",
        "checkpoint = \"root\"",
        "checkpoint = \"every = 0\"",
        "checkpoint = \"every = n\"",
        "checkpoint = \"binomial\"",
        "checkpoint = \"binomial = 0\"",
        "checkpoint = \"binomial = k\"",
        "checkpoint = \"binomial = -1\"",
    ];
    for attr in wrong {
        one(attr, source, "write `checkpoint = \"sqrt\"`");
    }
    for attr in [
        "checkpoint = \"sqrt\"",
        "grad, checkpoint = \"every = 1_6\"",
        "checkpoint = \"binomial = 1_0\"",
    ] {
        assert!(with(attr, source).is_ok());
    }
}

#[test]
fn an_inlined_closure_complains_once() {
    says("let f = |t: f64| t + missing; f(s) + f(2.0)", "missing");
}

#[test]
fn constants_of_two_kinds() {
    says("x[K] + K", "between a real number and an integer");
}

#[test]
fn sparse_matrices() {
    let says = |body: &str, what: &str| {
        let source = format!("fn f(a: &CsMat<f64>, x: &Array1<f64>) -> f64 {{ {body} }}");
        one("", &source, what);
    };
    says("a[[0, 1]] * x[0]", "`for (v, (i, j)) in a.iter() { .. }`");
    says("(a + a).dot(x).sum()", "has no method `add` here");
    says("a.diag().dot(x)", "has no method `diag` here");
    says(
        "a.outer_view(0).unwrap().norm(1.0)",
        "for (j, v) in row.iter()",
    );
    says("a.dot(&x[0]).sum()", "takes a vector or a matrix");
    says(
        "a.outer_view(0).unwrap().dot(&a.outer_view(1).unwrap())",
        "two sparse vectors",
    );
    says("a.sum() * x[0]", "has no method `sum` here");
    let rest = "(a: &CsMat<f64>, x: f64) -> CsMat<f64> { a.map(|v| v * x) }";
    one(
        "",
        &format!("fn f{rest}"),
        "return its values as a `Vec<f64>`",
    );
    for ty in ["(CsMat<f64>, f64)", "&[CsMat<f64>]"] {
        one(
            "",
            &format!("fn f(a: {ty}) -> f64 {{ 1.0 }}"),
            "a matrix of sprs is an argument",
        );
    }
    let product = "fn f(a: &CsMat<f64>, x: &Array1<f64>) -> Array1<f64> { a.dot(x) }";
    for what in ["jacobian", "jvps", "vjps"] {
        one(what, product, "has no type");
    }
    let squares = "fn f(a: &CsMat<f64>) -> f64 { a.data().iter().map(|v| v * v).sum() }";
    one("hessian", squares, "has no type");
}

#[test]
fn conditions_inside_of_a_function() {
    let what = "cannot tell whether this `cfg` holds";
    for body in [
        "#[cfg(test)] let s = 2.0 * s; s",
        "#[cfg(test)] { return 2.0 * s; } s",
        "#[cfg(test)] if b { return 2.0 * s; } s",
        "#[cfg(test)] const C: f64 = 2.0; s",
        "#[cfg(test)] fn g(s: f64) -> f64 { s } s",
        "match n { #[cfg(test)] 0 => s, _ => 2.0 * s }",
        "let v = vec![s, #[cfg(test)] s]; v.iter().sum()",
        "let f = |#[cfg(test)] s: f64| s; f(s)",
        "let f = |t: f64| { #![cfg_attr(test, allow(unused))] t }; f(s)",
        "{ #![cfg(test)] s }",
    ] {
        let source = format!("fn f(s: f64, n: usize, b: bool) -> f64 {{ {body} }}");
        let found = errors("", &source);
        assert!(
            found.iter().any(|e| e.contains(what)),
            "{source}: {found:#?}"
        );
    }
    one("", "fn f(#[cfg(test)] s: f64) -> f64 { s }", what);
}

#[test]
fn functions_inside_of_a_body_that_call_themselves() {
    let what = "a function inside of a body that calls itself";
    one(
        "",
        "fn f(x: f64) -> f64 { fn g(x: f64) -> f64 { if x > 1.0 { g(x / 2.0) } else { x } } g(x) }",
        what,
    );
    one(
        "",
        "fn f(x: f64) -> f64 { fn g(x: f64) -> f64 { h(x) } fn h(x: f64) -> f64 { if x > 1.0 { g(x / 2.0) } else { x } } g(x) }",
        what,
    );
}

#[test]
fn names_of_primitive_types() {
    let what = "is the name of a type of Rust";
    one("", "fn u8(x: f64) -> f64 { x }", what);
    one("", "fn f64(x: f64) -> f64 { x }", what);
}
