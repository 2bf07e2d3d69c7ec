//! Statements and loops: the same numbers as code compiled by rustc, and the Core that they become.

#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::explicit_counter_loop,
    clippy::manual_swap,
    clippy::manual_memcpy,
    clippy::needless_late_init,
    clippy::let_and_return,
    unused_assignments,
    reason = "the functions are written as users may write them"
)]

use super::agree::{build, sum};
use super::core;

fn fold<S>(n: usize, init: S, f: impl FnMut(S, usize) -> S) -> S {
    (0..n).fold(init, f)
}
fn scan(n: usize, init: f64, mut f: impl FnMut(f64, usize) -> f64) -> Vec<f64> {
    let mut s = init;
    (0..n)
        .map(|i| {
            s = f(s, i);
            s
        })
        .collect()
}
fn checkpoint<T>(f: impl FnOnce() -> T) -> T {
    f()
}

agree! {
    fn straight(x: f64, n: usize) -> f64 {
        let mut a = x;
        a += 1.0;
        a *= a;
        let b;
        if a > 2.0 { b = a - x; } else { b = 0.5; a -= 3.0; }
        let mut t = (a, b, (1.0, 2));
        t.0 += t.1;
        t.2.0 = 4.0 * t.0;
        (a, t.1) = (t.1, a);
        { a += 1.0; let a = 7.0; t.1 += a; }
        let c = { a *= 2.0; a + 1.0 };
        match n { 0 => a = 3.0, 1 | 2 => { t.1 = a; a -= 1.0; } _ => {} }
        if n == 3 { return a + c; }
        let mut k = n;
        k %= 4;
        k += t.2.1;
        a + t.0 + t.1 * 3.0 + t.2.0 + c + k as f64
    }
    (0.3, 0) (-2.5, 1) (2.0, 2) (1.5, 3) (0.1, 9)
}

agree! {
    fn arrays(x: &[f64], n: usize) -> f64 {
        let m = x.len();
        let mut y = build(m, |i| x[i]);
        y[1] = 3.0;
        y[1] *= x[0];
        y[0] += y[1];
        if n > 2 { y[n - 3] = 5.0; y[0] += y[n - 3] * 2.0; } else { y[m - 1] -= 1.0; }
        y.swap(0, m - 1);
        let t = y[0];
        if x[0] > y[1] { y[0] = y[1]; y[1] = t; }
        sum(m, |i| y[i] * (i + 1) as f64)
    }
    (&[1.0, 2.5, -0.5], 0) (&[0.1, 0.2, 0.3, 1.0], 4) (&[9.0, 0.2, 0.3, 1.0], 3)
}

agree! {
    fn early(x: f64, n: usize) -> f64 {
        if n == 0 { return 1.0; }
        let a = x * x;
        if a > 4.0 { let b = a - 1.0; return b; } else if n == 1 { return a; }
        let c = a + 1.0;
        if c > 3.0 { return c } else { return -c; }
    }
    (0.5, 0) (3.0, 1) (1.0, 1) (1.0, 2) (1.9, 2)
}

agree! {
    fn accumulators(x: &[f64], n: usize) -> f64 {
        let (mut a, mut b, mut c, mut d) = (0.0, 1.0, f64::NEG_INFINITY, 0);
        for i in 0..x.len() {
            a += x[i] * 2.0;
            b *= x[i];
            c = c.max(x[i]);
            if x[i] > 0.5 { d += 1; a -= 0.5; }
        }
        for v in x.iter() { a += v * v; }
        for (i, v) in x.iter().enumerate() { if i > 1 { a -= v; } }
        for i in (1..n).rev() { a += i as f64; }
        for i in (0..=n).step_by(3) { b += i as f64 * a; }
        let mut low = f64::INFINITY;
        for i in 0..x.len() { if x[i] < low { low = x[i]; } }
        for (p, q) in x.iter().zip(x.iter().skip(1)) { a += p * q; }
        for v in x { a += v; }
        a + b + c + d as f64 + low
    }
    (&[1.0, 2.5, -0.5], 0) (&[0.1, 0.2, 0.3, 1.0], 4) (&[9.0, 0.2, 0.3, 1.0], 7)
}

agree! {
    fn nested(x: &[f64], n: usize) -> f64 {
        let mut total = 0.0;
        for i in 0..n {
            let mut row = 0.0;
            for j in 0..=i { row += x[j] * (i + j) as f64; }
            for j in i..n { total -= x[j]; }
            total += row * row;
        }
        total
    }
    (&[1.0, 2.5, -0.5], 0) (&[0.1, 0.2, 0.3, 1.0], 4) (&[9.0, 0.2, 0.3, 1.0], 3)
}

agree! {
    fn filled(x: &[f64], n: usize) -> f64 {
        let m = x.len();
        let mut y = build(m, |_| 0.0);
        for i in 0..m { y[i] = x[i] * 2.0; }
        let mut z = build(m, |i| i as f64);
        for i in 1..m - 1 { z[i] = y[i - 1] + z[i]; }
        for i in (0..n).rev() { z[i] *= 2.0; if x[i] > 0.2 { z[i] -= y[i]; } }
        let mut w = build(m, |_| 1.0);
        let mut s = 0.5;
        for i in 0..m { s = s * s + x[i]; w[m - 1 - i] = s; }
        let mut h = build(3, |_| 0.0);
        for i in 0..m { h[(i * i) % 3] += x[i]; }
        let mut c = build(m, |_| 0.0);
        for i in 0..m { for j in 0..m { c[i] += x[j] * (i * j) as f64; } }
        for j in 0..m { for i in 0..j { c[i] -= x[j] * y[i]; } }
        for i in 0..m { if i + 1 < m { c[i + 1] = y[i]; } }
        for i in 0..m { for j in 0..i { h[(i + j) % 3] -= x[j]; } }
        sum(m, |i| y[i] + z[i] * w[i] + c[i]) + h[0] - h[1] * h[2]
    }
    (&[1.0, 2.5, -0.5], 0) (&[0.1, 0.2, 0.3, 1.0], 4) (&[9.0, 0.2, 0.3, 1.0], 2)
}

agree! {
    fn sequential(x: &[f64], n: usize) -> f64 {
        let mut a = x[0];
        for i in 0..n { a = a * a * 0.5 + x[i % 3]; }
        let mut y = build(n + 2, |_| 0.5);
        for i in 0..n { y[i + 1] = y[i] * y[i] + x[0]; }
        let (mut p, mut q) = (0.0, 1.0);
        for _ in 0..n { (p, q) = (q, p + q * 0.5); }
        let mut k = 27;
        let mut steps = 0;
        while k != 1 { k = if k % 2 == 0 { k / 2 } else { 3 * k + 1 }; steps += 1; }
        let mut t = x[1].abs() + 1.0;
        loop { let r = 0.5 * (t + 2.0 / t); if (r - t).abs() < 1e-12 { break; } t = r; }
        let mut found = -1.0;
        for i in 0..n { if x[i % 3] < 0.0 { found = i as f64; break; } found -= 1.0; }
        let mut e = 0.0;
        for i in 0..n { if i % 2 == 0 { continue; } e += x[i % 3]; }
        let mut g = 0.0;
        for i in 0..n { let s = sum(i, |j| x[j % 3]); g = g * 0.5 + s; let z = build(i, |j| g + j as f64); g += sum(i, |j| z[j]); }
        a + y[n] + p * q + steps as f64 + t + found + e + g
    }
    (&[1.0, 2.5, -0.5], 0) (&[0.1, 0.2, 0.3], 4) (&[0.3, 0.2, -0.3], 5)
}

agree! {
    fn in_place(x: &[f64], n: usize) -> f64 {
        let mut y = build(x.len(), |i| x[i]);
        for _ in 0..y.len() {
            for i in 0..y.len() - 1 {
                if y[i] > y[i + 1] { let t = y[i]; y[i] = y[i + 1]; y[i + 1] = t; }
            }
        }
        let mut z = build(x.len(), |i| x[i]);
        for i in 0..z.len() - 1 { if z[i] > z[i + 1] { z.swap(i, i + 1); } else if n > 1 { z[i] += 1.0; } }
        sum(x.len(), |i| y[i] * (i * i) as f64 + z[i])
    }
    (&[1.0, 2.5, -0.5], 0) (&[4.0, 3.0, 2.0, 1.0], 4) (&[0.3, 0.2, -0.3], 5)
}

agree! {
    fn combinators(x: &[f64], n: usize) -> f64 {
        let horner = fold(x.len(), 0.0, |s, i| s * 2.0 + x[i]);
        let (a, (b, k)) = fold(n, (0.0, (1.0, 0)), |(a, (b, k)), i| (b, (a + b * x[i % 2], k + i)));
        let all = scan(n, x[0], |s, i| s * x[1] + i as f64);
        let plain = fold(n, 0.0, |s, i| s + x[i % 2]);
        let (c, d) = checkpoint(|| (sum(x.len(), |i| x[i].exp()), x[0] * 2.0));
        horner + a * b + k as f64 + sum(n, |i| all[i]) + plain + c * d
            + sum(n, |i| { let mut t = 0.0; for j in 0..i { t = t * 0.5 + x[j % 2]; } t })
    }
    (&[1.0, 2.5, -0.5], 0) (&[0.4, 0.3, 0.2, 1.0], 4) (&[0.3, 0.2, -0.3], 5)
}

agree! {
    fn captured(x: f64, n: usize) -> f64 {
        let mut a = x;
        let f = move |t: f64| t * a;
        a += 1.0;
        let g = move |t: f64| f(t) + a;
        for i in 0..n { let h = |t: f64| t + a * i as f64; a = h(f(a)) * 0.1; }
        g(2.0) + a
    }
    (0.5, 0) (1.5, 3)
}

fn eq(body: &str, expected: &str) {
    let args = "x: &Array1<f64>, a: &Array2<f64>, s: f64, n: usize";
    assert_eq!(core(args, "f64", body), expected, "{body}");
}

#[test]
fn sums_and_their_like() {
    eq(
        "let mut t = 0.0; for i in 0..n { t += x[i]; } t",
        "let t = sum(n, |i| x[i]); t",
    );
    eq(
        "let mut t = s; for i in 0..n { t -= x[i]; } t",
        "let t = sub(s, sum(n, |i| x[i])); t",
    );
    eq(
        "let mut t = 0.0; for i in 0..n { for j in 0..i { if j > 2 { t += a[[i, j]]; } } } t",
        "let t = sum(n, |i| sum(i, |j| let cond = igt(j, 2); if cond {a[i, j]} else {0.0})); t",
    );
    eq(
        "let mut t = 1.0; let mut u = s; for i in 0..n { t *= x[i]; u = u.max(x[i]); } t * u",
        "let t = product(n, |i| x[i]); let all = maximum(n, |i| x[i]); \
         let u = select(and(ne(s, s), eq(all, -inf)), s, max(s, all)); mul(t, u)",
    );
    eq(
        "fold(n, 0.0, |t, i| t + x[i])",
        "let t = sum(n, |i| x[i]); t",
    );
    eq(
        "let mut t = 0.0; for i in 0..n { t = t * s + x[i]; } t",
        "let (t) = for i < n, t = 0.0 { let t = add(mul(t, s), x[i]); t }; t",
    );
}

#[test]
fn arrays_that_are_filled() {
    eq(
        "let mut y = build(x.len(), |_| 0.0); for i in 0..x.len() { y[i] = x[i]; } y[0]",
        "let y = build(x.0, |i| 0.0); let y = build(x.0, |i| x[i]); y[0]",
    );
    eq(
        "let mut c = build((n, n), |_| 0.0);
         for i in 0..n { for j in 0..n { for k in 0..n { c[[i, j]] += a[[i, k]] * a[[k, j]]; } } }
         c[[0, 0]]",
        "let c = build(n, |i| build(n, |j| 0.0)); let c = build(n, |i| build(n, |j| \
         add(c[i, j], sum(n, |k| mul(a[i, k], a[k, j]))))); c[0, 0]",
    );
    eq(
        "let mut c = build((n, n), |_| 0.0);
         for k in 0..n { for i in 0..n { for j in 0..n { c[[i, j]] += a[[i, k]] * a[[k, j]]; } } }
         c[[0, 0]]",
        "let c = build(n, |i| build(n, |j| 0.0)); let c = add(c, sum(n, |k| build(n, |i| build(n, |j| \
         mul(a[i, k], a[k, j]))))); c[0, 0]",
    );
}

#[test]
fn for_each_is_for() {
    let args = "x: &Array1<f64>, s: f64, n: usize";
    let pairs = [
        (
            "(0..n).for_each(|i| t += x[i] * s)",
            "for i in 0..n { t += x[i] * s; }",
        ),
        (
            "x.iter().enumerate().for_each(|(i, v): (usize, &f64)| if i > 1 { t = (t * v).sin(); })",
            "for (i, v) in x.iter().enumerate() { if i > 1 { t = (t * v).sin(); } }",
        ),
    ];
    for (each, with_for) in pairs {
        let of = |l: &str| core(args, "f64", &format!("let mut t = s; {l}; t"));
        assert_eq!(of(each), of(with_for));
    }
}

/// Splitting loops into blocks changes nothing.
#[test]
fn blocks() {
    use crate::ir::core_eval::eval;
    use crate::ir::value::{Tensor, Value};
    let source = "fn f(x: &[f64], n: usize) -> f64 {
        let mut a = x[0];
        let mut y = build(n, |_| 0.5);
        for i in 0..n { a = a * a * 0.5 + x[i % 3]; y[i] = a; for j in 0..i { a += y[j] * a; } }
        let (b, c) = scan(n, (a, y.clone()), |(b, c), i| (b * 0.5 + x[i % 3], c * b));
        let mut t = 1.0;
        while t < 100.0 { t *= 2.5 + x[1]; }
        let z = build(n, |i| fold(i, 1.0, |s, k| s * 0.5 + x[k % 3] * s));
        a + sum(n, |i| b[i] * c[[n - 1, i]] + z[i]) + t
    }";
    for n in 0..8 {
        let x = Tensor::new(vec![3], vec![0.3, 0.8, -0.4]);
        let inputs = [Value::Real(x), Value::Int(Tensor::scalar(n))];
        let mut all = vec![];
        let attrs = [
            "",
            "checkpoint = \"sqrt\"",
            "checkpoint = \"every = 3\"",
            "checkpoint = \"every = 100\"",
            "checkpoint = \"binomial = 2\"",
        ];
        for attr in attrs {
            let Ok(annotated) = super::with(attr, source) else {
                panic!("rejected")
            };
            crate::ir::core_check::check(&annotated.program).unwrap();
            let (values, _) = eval(&annotated.program, &inputs).unwrap();
            all.push(values[0].real().data[0]);
        }
        assert!(all.iter().all(|v| *v == all[0]), "{n}: {all:?}");
    }
}

#[test]
fn elements_with_their_indices() {
    let by_indices = core(
        "a: &Array2<f64>",
        "f64",
        "let mut t = 0.0; for i in 0..a.nrows() { for j in 0..a.ncols() { let v = a[[i, j]]; t += v * i as f64; } } t",
    );
    let indexed = core(
        "a: &Array2<f64>",
        "f64",
        "let mut t = 0.0; for ((i, _), v) in a.indexed_iter() { t += v * i as f64; } t",
    );
    let without_numbers =
        |text: String| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    assert_eq!(
        without_numbers(indexed).replace("while", "j"),
        without_numbers(by_indices)
    );
    let of_one = core(
        "x: &Array1<f64>",
        "f64",
        "let mut t = 0.0; for (i, v) in x.indexed_iter() { if i > 3 { break; } t += v; } t",
    );
    assert!(of_one.contains("let v = x[i]"), "{of_one}");
}

#[test]
fn elements_changed_by_a_function() {
    let body = "let mut y = x.to_owned(); y.mapv_inplace(|v| v * v); y.sum()";
    let written = "let mut y = x.to_owned(); y.assign(&y.mapv(|v| v * v)); y.sum()";
    let args = "x: &Array1<f64>";
    assert_eq!(core(args, "f64", body), core(args, "f64", written));
}
