use super::*;
use crate::ir::core_check::check;
use crate::ir::core_text::parse;
use crate::ir::generate;

fn reals(shape: &[usize], data: &[f64]) -> Value {
    Value::Real(Tensor::new(shape.to_vec(), data.to_vec()))
}
fn ints(shape: &[usize], data: &[i64]) -> Value {
    Value::Int(Tensor::new(shape.to_vec(), data.to_vec()))
}
fn run(text: &str, inputs: &[Value]) -> Result<(Value, u64), String> {
    let p = parse(text).unwrap();
    check(&p).unwrap();
    let (mut all, ops) = eval(&p, inputs)?;
    Ok((all.remove(0), ops))
}
fn vector(data: &[f64]) -> Value {
    reals(&[data.len()], data)
}

#[test]
fn operations_are_counted() {
    let dot = "fn dot(x.0: real[_], y.1: real[_]) -> real {
            sum(i.3 < dim(x.0, 0) => mul(x.0[i.3], y.1[i.3])) }";
    let got = run(dot, &[vector(&[1.0, 2.0, 3.0]), vector(&[4.0, 5.0, 6.0])]);
    assert_eq!(got, Ok((reals(&[], &[32.0]), 5)));
    let got = run(dot, &[vector(&[]), vector(&[])]);
    assert_eq!(got, Ok((reals(&[], &[0.0]), 0)));
    // A sum of rows of 2: one addition fewer than rows, for each element.
    let rows = "fn f(x.0: real[_, _]) -> real[_] { sum(i.1 < dim(x.0, 0) => x.0[i.1, _]) }";
    let got = run(rows, &[reals(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
    assert_eq!(got, Ok((vector(&[9.0, 12.0]), 4)));
    // Integers count nothing.
    let got = run("fn f() -> int { sum(i.0 < 5 => imul(i.0, i.0)) }", &[]);
    assert_eq!(got, Ok((ints(&[], &[30]), 0)));
    // Three hits at two places.
    let scatter = "fn f(k.0: int[_]) -> real[_] {
            scatter([4]; i.1 < dim(k.0, 0) => [k.0[i.1]] += 1.5) }";
    let got = run(scatter, &[ints(&[3], &[2, 0, 2])]);
    assert_eq!(got, Ok((vector(&[1.5, 0.0, 3.0, 0.0]), 1)));
}

#[test]
fn only_the_taken_branch_runs() {
    let text = "fn f(x.0: real[_]) -> real[_] {
            build(i.1 < dim(x.0, 0) => if igt(i.1, 0) { sin(x.0[isub(i.1, 1)]) } else { x.0[i.1] }) }";
    let (v, ops) = run(text, &[vector(&[2.0, 0.0])]).unwrap();
    assert_eq!((v, ops), (vector(&[2.0, 2.0f64.sin()]), 1));
}

#[test]
fn extrema_start_from_nothing() {
    let text = "fn f(x.0: real[_]) -> real[_] {
            let n.1 = dim(x.0, 0);
            let a.2 = maximum(i.3 < n.1 => x.0[i.3]);
            let b.4 = minimum(i.5 < n.1 => x.0[i.5]);
            let c.6 = int_to_real(argmax(i.7 < n.1 => x.0[i.7]));
            let d.8 = int_to_real(argmin(i.9 < n.1 => x.0[i.9]));
            build(i.10 < 4 => if ieq(i.10, 0) { a.2 } else {
              if ieq(i.10, 1) { b.4 } else { if ieq(i.10, 2) { c.6 } else { d.8 } } }) }";
    let of = |x: &[f64]| run(text, &[vector(x)]).unwrap().0;
    let inf = f64::INFINITY;
    assert_eq!(
        of(&[1.0, 3.0, 3.0, -2.0, -2.0]),
        vector(&[3.0, -2.0, 1.0, 3.0])
    );
    assert_eq!(of(&[f64::NAN, 3.0, 4.0]), vector(&[4.0, 3.0, 2.0, 1.0]));
    assert_eq!(of(&[]), vector(&[-inf, inf, 0.0, 0.0]));
    assert_eq!(of(&[-inf, -inf]), vector(&[-inf, -inf, 0.0, 0.0]));
}

#[test]
fn log_sum_exp_survives_the_extremes() {
    let text = "fn f(x.0: real[_]) -> real { logsumexp(i.1 < dim(x.0, 0) => x.0[i.1]) }";
    let of = |x: &[f64]| run(text, &[vector(x)]).unwrap().0.real().data[0];
    let inf = f64::INFINITY;
    assert_eq!(of(&[1000.0, 1000.0]), 1000.0 + 2.0f64.ln());
    assert_eq!(of(&[]), -inf);
    assert_eq!(of(&[-inf, -inf]), -inf);
    assert_eq!(of(&[inf, 1.0]), inf);
    assert!(of(&[f64::NAN, 1.0]).is_nan());
    assert!(of(&[1.0, f64::NAN]).is_nan());
    assert_eq!(run(text, &[vector(&[1.0, 2.0])]).unwrap().1, 7);
}

#[test]
fn empty_loops_have_shapes() {
    let text = "fn f(x.0: real[_, _], m.1: int) -> real[_, _, _] {
            build(i.2 < dim(x.0, 0) => let k.3 = iadd(m.1, 1); let r.4 = x.0[i.2, _];
              build(j.5 < k.3 => if igt(i.2, 0) { r.4 } else { stop(r.4) })) }";
    let m = ints(&[], &[4]);
    let got = run(text, &[reals(&[0, 3], &[]), m.clone()]).unwrap();
    assert_eq!(got, (reals(&[0, 5, 3], &[]), 0));
    let sum = "fn f(x.0: real[_, _], m.1: int) -> real[_, _] {
            sum(i.2 < dim(x.0, 0) => build(j.3 < m.1 => x.0[i.2, _])) }";
    let got = run(sum, &[reals(&[0, 2], &[]), m.clone()]).unwrap();
    assert_eq!(got, (reals(&[4, 2], &[0.0; 8]), 0));
    let product = sum.replace("sum", "product");
    let got = run(&product, &[reals(&[0, 2], &[]), m]).unwrap();
    assert_eq!(got, (reals(&[4, 2], &[1.0; 8]), 0));
}

#[test]
fn lengths_are_known_without_elements() {
    // The array would be out of bounds if it were computed.
    let text = "fn f(x.0: real[_]) -> int { dim(build(i.1 < 7 => sin(x.0[i.1])), 0) }";
    assert_eq!(run(text, &[vector(&[])]), Ok((ints(&[], &[7]), 0)));
}

#[test]
fn what_has_no_value_is_an_error() {
    let errors = [
        (
            "fn f(x.0: real[_]) -> real { x.0[2] }",
            "outside the shape [2]",
        ),
        (
            "fn f(x.0: real[_]) -> real { x.0[-1] }",
            "outside the shape [2]",
        ),
        (
            "fn f(x.0: real[_]) -> int { idiv(1, isub(dim(x.0, 0), 2)) }",
            "`idiv` of 1 and 0",
        ),
        (
            "fn f(x.0: real[_]) -> int { ineg(-9223372036854775808) }",
            "`ineg`",
        ),
        (
            "fn f(x.0: real[_]) -> int { iabs(-9223372036854775808) }",
            "`iabs`",
        ),
        (
            "fn f(x.0: real[_]) -> int { imul(9223372036854775807, 2) }",
            "`imul`",
        ),
        (
            "fn f(x.0: real[_]) -> int { sum(i.1 < 2 => 9223372036854775807) }",
            "overflows",
        ),
        (
            "fn f(x.0: real[_]) -> real { sum(i.1 < -1 => 1.0) }",
            "the extent -1 is negative",
        ),
        (
            "fn f(x.0: real[_]) -> real[_] { scatter([1]; i.1 < 2 => [i.1] += 1.0) }",
            "outside the shape [1]",
        ),
        (
            "fn f(x.0: real[_]) -> real[_, _] { build(i.1 < 2 => if igt(i.1, 0)
                   { x.0 } else { build(j.2 < 1 => 1.0) }) }",
            "a row of shape [2] after one of shape [1]",
        ),
        (
            "fn f(x.0: real[_]) -> real[_] { sum(i.1 < 2 => if igt(i.1, 0)
                   { x.0 } else { build(j.2 < 1 => 1.0) }) }",
            "a term of shape [2] after one of shape [1]",
        ),
    ];
    for (text, message) in errors {
        let got = run(text, &[vector(&[1.0, 2.0])]).unwrap_err();
        assert!(got.contains(message), "{text}\n{got}");
    }
    let p = parse("fn f(x.0: real) -> real { x.0 }").unwrap();
    assert!(eval(&p, &[]).is_err());
    assert!(eval(&p, &[vector(&[1.0])]).is_err());
}

#[test]
fn parts_keep_their_axes() {
    let text = "fn f(x.0: real[_, _, _]) -> real[_, _] { x.0[_, 1, _] }";
    let x = reals(&[2, 2, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(
        run(text, &[x]).unwrap().0,
        reals(&[2, 2], &[2.0, 3.0, 6.0, 7.0])
    );
}

#[test]
fn generated_programs_run() {
    for seed in 0..2000 {
        let (p, inputs) = generate::program(seed, 10 + seed as usize % 50);
        let (all, _) = eval(&p, &inputs).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{p}"));
        let v = &all[0];
        assert!(
            v.real().data.iter().all(|x| x.is_finite()),
            "seed {seed}: {v}\n{p}"
        );
    }
}
