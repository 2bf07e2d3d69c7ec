use super::*;
use crate::ir::value::Tensor;
use crate::ir::{bulk_check, bulk_text};

fn reals(x: &[f64]) -> Value {
    Value::Real(Tensor::new(vec![x.len()], x.to_vec()))
}

fn matrix(rows: usize, x: &[f64]) -> Value {
    Value::Real(Tensor::new(vec![rows, x.len() / rows], x.to_vec()))
}

fn scalar(x: f64) -> Value {
    Value::Real(Tensor::scalar(x))
}

fn ints(x: &[i64]) -> Value {
    Value::Int(Tensor::new(vec![x.len()], x.to_vec()))
}

fn int(x: i64) -> Value {
    Value::Int(Tensor::scalar(x))
}

fn bools(x: &[bool]) -> Value {
    Value::Bool(Tensor::new(vec![x.len()], x.to_vec()))
}

fn program(text: &str) -> Program {
    let p = bulk_text::parse(text).unwrap();
    bulk_check::check(&p).unwrap();
    p
}

/// The only result, and the cost.
fn run(text: &str, args: &[Value]) -> (Value, u64) {
    let mut out = eval(&program(text), args).unwrap();
    (out.results.pop().unwrap(), out.cost)
}

fn fails(text: &str, args: &[Value]) -> String {
    eval(&program(text), args).unwrap_err()
}

#[test]
fn a_dot_product() {
    let text = "fn dot(x: real[d0.0], y: real[d1.0])
            require d1.0 >= d0.0 when d0.0
            v2: real[d0.0] = gather v1[i0]
            v3: real[d0.0] = mul(v0, v2)
            v4: real[] = sum v3 over [0]
            return v4";
    let (x, y) = (reals(&[1.0, 2.0, 3.0]), reals(&[4.0, 5.0, 6.0, 7.0]));
    assert_eq!(run(text, &[x.clone(), y]), (scalar(32.0), 5));
    assert_eq!(
        fails(text, &[x, reals(&[1.0])]),
        "requires d1.0 >= d0.0, but these are 1 and 3"
    );
    assert_eq!(run(text, &[reals(&[]), reals(&[])]), (scalar(0.0), 0));
}

#[test]
fn maps_of_every_kind() {
    let text = "fn f(x: real[d0.0], k: int[d0.0])
            v2: real[d0.0] = int_to_real(v1)
            v3: real[d0.0] = powi(v0, v1)
            v4: real[d0.0] = mul_add(v0, v2, v3)
            v5: int[d0.0] = iadd(v1, v1)
            v6: bool[d0.0] = lt(v0, v4)
            v7: bool[d0.0] = ilt(v1, v5)
            v8: bool[d0.0] = xor(v6, v7)
            v9: bool[d0.0] = not(v8)
            v10: int[d0.0] = bool_to_int(v9)
            v11: int[d0.0] = ineg(v10)
            v12: int[d0.0] = real_to_int(v4)
            v13: int[d0.0] = select(v9, v11, v12)
            v14: bool[d0.0] = select(v9, v6, v7)
            v15: real[d0.0] = select(v14, v0, v3)
            return v13, v15";
    let args = [reals(&[2.0, -1.0]), ints(&[3, 2])];
    let out = eval(&program(text), &args).unwrap();
    assert_eq!(out.results, [ints(&[-1, -1]), reals(&[2.0, -1.0])]);
    assert_eq!(out.cost, 4);
}

#[test]
fn guards_keep_everything_from_happening() {
    let text = "fn f(x: real[d0.0], k: int[d0.0], b: bool[d0.0])
            v3: real[d0.0] = [v2] gather v0[v1]
            v4: real[d0.0] = [v2] ln(v3)
            v5: int[d0.0] = [v2] idiv(v1, v1)
            v6: real[d0.0] = [v2] fill 2.0
            v7: int[d0.0] = [v2] index i0 + 5
            return v4";
    let args = [
        reals(&[1.0, 2.0, 3.0]),
        ints(&[0, 9, 1]),
        bools(&[true, false, true]),
    ];
    let p = program(text);
    let error = eval(&p, &args).unwrap_err();
    assert_eq!(error, "v5: idiv(0, 0) fails");
    let args = [args[0].clone(), ints(&[1, 9, 1]), args[2].clone()];
    let trace = eval_all(&p, &args).unwrap();
    assert_eq!(trace.slots[3].value, reals(&[2.0, 0.0, 2.0]));
    assert_eq!(trace.slots[6].value, reals(&[2.0, 0.0, 2.0]));
    assert_eq!(trace.slots[7].value, ints(&[5, 0, 7]));
    for slot in &trace.slots[3..] {
        assert_eq!(slot.present.as_deref(), Some(&vec![true, false, true]));
    }
    assert_eq!(trace.costs, [0, 2, 0, 0, 0]);
    // Nothing of the index map is looked at where no element is.
    let text = "fn f(n: int[], b: bool[d1.0])
            v2: int[d1.0] = [v1] index quot(1, n0)*i0
            return v2";
    let args = [int(0), bools(&[false])];
    assert_eq!(run(text, &args).0, ints(&[0]));
    let error = fails(text, &[int(0), bools(&[true])]);
    assert_eq!(error, "v2: the size quot(1, n0) has no value");
}

#[test]
fn structural_zeros_are_free() {
    // x where b, y where c: present at 0 and 1, at 1 and 2, never at 3.
    let head = "fn f(x: real[d0.0], b: bool[d0.0], y: real[d0.0], c: bool[d0.0])
            v4: real[d0.0] = [v1] copy v0
            v5: real[d0.0] = [v3] copy v2\n";
    let args = [
        reals(&[1.0, 2.0, 3.0, 4.0]),
        bools(&[true, true, false, false]),
        reals(&[10.0, 20.0, 30.0, 40.0]),
        bools(&[false, true, true, false]),
    ];
    let slot = |op: &str| {
        let p = program(&format!("{head} v6: {op}\n return v6"));
        let mut trace = eval_all(&p, &args).unwrap();
        let slot = trace.slots.pop().unwrap();
        let n = slot.shape().iter().product();
        let present: Vec<bool> = (0..n).map(|p| slot.has(p)).collect();
        (slot.value, present, trace.costs.pop().unwrap())
    };
    let either = vec![true, true, true, false];
    assert_eq!(
        slot("real[d0.0] = add(v4, v5)"),
        (reals(&[1.0, 22.0, 30.0, 0.0]), either.clone(), 1)
    );
    assert_eq!(
        slot("real[d0.0] = sub(v4, v5)"),
        (reals(&[1.0, -18.0, -30.0, 0.0]), either, 2)
    );
    let first = vec![true, true, false, false];
    let negative = reals(&[-1.0, -2.0, 0.0, 0.0]);
    assert_eq!(slot("real[d0.0] = neg(v4)"), (negative, first.clone(), 2));
    let same = reals(&[1.0, 2.0, 0.0, 0.0]);
    assert_eq!(
        slot("real[d0.0] = copy v4"),
        (same.clone(), first.clone(), 0)
    );
    assert_eq!(slot("real[d0.0] = stop v4"), (same, first, 0));
    assert_eq!(
        slot("real[d0.0] = gather v4[-i0 + d0.0 - 1]"),
        (
            reals(&[0.0, 0.0, 2.0, 1.0]),
            vec![false, false, true, true],
            0
        )
    );
    assert_eq!(
        slot("real[d0.0] = select(v1, v4, v5)"),
        (
            reals(&[1.0, 2.0, 30.0, 0.0]),
            vec![true, true, true, false],
            0
        )
    );
    assert_eq!(
        slot("real[d0.0] = mul(v4, v5)"),
        (reals(&[0.0, 40.0, 0.0, 0.0]), vec![true; 4], 4)
    );
    assert_eq!(
        slot("real[] = sum v4 over [0]"),
        (scalar(3.0), vec![true], 1)
    );
    assert_eq!(
        slot("real[3] = scatter v4[0] + v5[i0 - 1]"),
        (reals(&[23.0, 30.0, 0.0]), vec![true, true, false], 2)
    );
}

#[test]
fn a_sum_of_nothing_is_a_structural_zero() {
    let text = "fn f(m: real[d0.0, d0.1], b: bool[d0.0, d0.1], y: real[d0.0])
            v3: real[d0.0, d0.1] = [v1] copy v0
            v4: real[d0.0] = sum v3 over [1]
            v5: real[d0.0] = add(v2, v4)
            return v5";
    let mask = vec![true, true, false, false];
    let args = [
        matrix(2, &[1.0, 2.0, f64::NAN, 4.0]),
        Value::Bool(Tensor::new(vec![2, 2], mask)),
        reals(&[10.0, 20.0]),
    ];
    assert_eq!(run(text, &args), (reals(&[13.0, 20.0]), 2));
}

#[test]
fn reductions() {
    let x = matrix(2, &[1.0, 5.0, 2.0, f64::NAN, -1.0, 5.0]);
    let m = |op: &str, ty: &str, axis: usize| {
        let text = format!("fn f(m: real[2, 3])\nv1: {ty} = {op} {axis}\nreturn v1");
        run(&text, std::slice::from_ref(&x))
    };
    let over = |op: &str, axis: usize| {
        let text = format!(
            "fn f(m: real[2, 3])\nv1: real[{}] = {op} v0 over [{axis}]\nreturn v1",
            [3, 2][axis]
        );
        run(&text, std::slice::from_ref(&x))
    };
    assert_eq!(over("maximum", 0), (reals(&[1.0, 5.0, 5.0]), 3));
    assert_eq!(over("maximum", 1), (reals(&[5.0, 5.0]), 4));
    assert_eq!(over("minimum", 1), (reals(&[1.0, -1.0]), 4));
    let (sums, cost) = over("sum", 0);
    assert_eq!((&sums.real().data[1..], cost), ([4.0, 7.0].as_slice(), 3));
    let (products, cost) = over("product", 0);
    assert_eq!(
        (&products.real().data[1..], cost),
        ([-5.0, 10.0].as_slice(), 3)
    );
    assert_eq!(m("argmax v0 along", "int[2]", 1), (ints(&[1, 2]), 4));
    assert_eq!(m("argmin v0 along", "int[3]", 0), (ints(&[0, 1, 0]), 3));
    let (lse, cost) = over("logsumexp", 1);
    let expected = (1f64.exp() + 5f64.exp() + 2f64.exp()).ln();
    assert!((lse.real().data[0] - expected).abs() < 1e-12);
    assert!(lse.real().data[1].is_nan());
    assert_eq!(cost, 20);
}

#[test]
fn reductions_over_several_axes_and_over_nothing() {
    let text = "fn f(m: real[d0.0, d0.1])
            v1: real[d0.1, d0.0, d0.1] = gather v0[i1, i2]
            v2: real[d0.0] = sum v1 over [0, 2]
            return v2";
    let x = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(run(text, &[x]), (reals(&[6.0, 14.0]), 6));
    for (op, value) in [
        ("sum", 0.0),
        ("product", 1.0),
        ("maximum", f64::NEG_INFINITY),
        ("minimum", f64::INFINITY),
        ("logsumexp", f64::NEG_INFINITY),
    ] {
        let text = format!("fn f(x: real[d0.0])\nv1: real[] = {op} v0 over [0]\nreturn v1");
        assert_eq!(run(&text, &[reals(&[])]), (scalar(value), 0));
    }
    let text = "fn f(x: real[d0.0])\nv1: int[] = argmax v0 along 0\nreturn v1";
    assert_eq!(run(text, &[reals(&[])]), (int(0), 0));
    let text = "fn f(x: int[d0.0])
            v1: int[] = sum v0 over [0]
            v2: int[] = product v0 over [0]
            v3: int[] = isub(v2, v1)
            return v3";
    assert_eq!(run(text, &[ints(&[2, 3, 4])]), (int(15), 0));
}

#[test]
fn extremes_of_logsumexp() {
    let text = "fn f(x: real[d0.0])\nv1: real[] = logsumexp v0 over [0]\nreturn v1";
    let of = |x: &[f64]| run(text, &[reals(x)]).0.real().data[0];
    let inf = f64::INFINITY;
    assert_eq!(of(&[-inf, -inf]), -inf);
    assert_eq!(of(&[inf, 1.0]), inf);
    assert_eq!(of(&[1000.0]), 1000.0);
    assert!(of(&[inf, f64::NAN]).is_nan());
    assert!(of(&[f64::NAN]).is_nan());
}

#[test]
fn gathers_and_scatters() {
    let text = "fn f(m: real[d0.0, d0.1], k: int[d1.0])
            v2: real[d1.0] = gather v0[v1, 2*i0]
            v3: real[d0.0, d0.1] = scatter v2[v1, 2*i0] + v2[0, 0]
            return v3";
    let x = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // 1 and 6 go back to where they are from, and both to the corner as well.
    let expected = matrix(2, &[8.0, 0.0, 0.0, 0.0, 0.0, 6.0]);
    assert_eq!(run(text, &[x.clone(), ints(&[0, 1])]), (expected, 2));
    assert_eq!(
        fails(text, &[x.clone(), ints(&[0, 2])]),
        "v2: index 2 is out of bounds for axis 0 of length 2, at [1]"
    );
    assert_eq!(
        fails(text, &[x, ints(&[0, 1, 0])]),
        "v2: index 4 is out of bounds for axis 1 of length 3, at [2]"
    );
    let text = "fn f(x: real[d0.0])
            v1: real[2] = scatter v0[i0 - 1]
            return v1";
    assert_eq!(
        fails(text, &[reals(&[1.0])]),
        "v1: index -1 is out of bounds for axis 0 of length 2, at [0]"
    );
    let text = "fn f(x: int[d0.0])
            v1: bool[d0.0] = ilt(v0, v0)
            v2: bool[d0.0, 2] = gather v1[i0]
            v3: int[2] = gather v0[d0.0 - 1]
            v4: real[2, 2] = scatter nothing
            return v2, v3, v4";
    let out = eval(&program(text), &[ints(&[7, 8])]).unwrap().results;
    assert_eq!(out[1..], [ints(&[8, 8]), matrix(2, &[0.0; 4])]);
    assert_eq!(out[0].shape(), [2, 2]);
}

#[test]
fn contractions() {
    let head = "fn f(a: real[d0.0, d0.1], b: real[d0.1, d1.1])\n";
    let a = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = matrix(3, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let of = |op: &str| {
        run(
            &format!("{head} v2: {op}\n return v2"),
            &[a.clone(), b.clone()],
        )
    };
    assert_eq!(
        of("real[d0.0, d1.1] = contract v0[a, b] * v1[b, c] -> [a, c]"),
        (matrix(2, &[4.0, 5.0, 10.0, 11.0]), 4 * 5)
    );
    assert_eq!(
        of("real[d1.1, d0.0] = contract v0[a, b] * v1[b, c] -> [c, a]"),
        (matrix(2, &[4.0, 10.0, 5.0, 11.0]), 4 * 5)
    );
    assert_eq!(
        of("real[] = contract v0[a, b] * v0[a, b] -> []"),
        (scalar(91.0), 11)
    );
    assert_eq!(
        of("real[d0.1] = contract v0[a, b] * v1[b, c] -> [b]"),
        (reals(&[5.0, 7.0, 18.0]), 3 * 7)
    );
    assert_eq!(
        of("real[d0.0, d0.1] = contract v0[a, b] * v0[a, b] -> [a, b]"),
        (matrix(2, &[1.0, 4.0, 9.0, 16.0, 25.0, 36.0]), 6)
    );
}

#[test]
fn recurrences() {
    let a = matrix(2, &[2.0, 3.0, 4.0, 5.0]);
    let b = matrix(2, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let text = |shape: &str, rest: &str| {
        format!(
            "fn f(a: real[d0.0, d0.1], b: real[d0.0, d0.1 + 1])
                v2: real[{shape}] = recur v0 * _ {rest}
                return v2"
        )
    };
    let of = |shape, rest| run(&text(shape, rest), &[a.clone(), b.clone()]);
    assert_eq!(
        of("d0.0, d0.1 + 1", "+ v1 along 1"),
        (matrix(2, &[1.0, 3.0, 10.0, 2.0, 10.0, 52.0]), 8)
    );
    assert_eq!(
        of("d0.0, d0.1 + 1", "+ v1 along 1 reverse"),
        (matrix(2, &[9.0, 4.0, 1.0, 50.0, 12.0, 2.0]), 8)
    );
    // The first product is the factor itself.
    assert_eq!(
        of("d0.0 + 1, d0.1", "along 0"),
        (matrix(3, &[1.0, 1.0, 2.0, 3.0, 8.0, 15.0]), 2)
    );
    let none = matrix(1, &[]);
    let b = matrix(1, &[5.0]);
    assert_eq!(
        run(&text("d0.0, d0.1 + 1", "+ v1 along 1"), &[none, b.clone()]),
        (b, 0)
    );
    let text = "fn f(a: real[d0.0], s: real[], m: bool[d0.0])
        v3: real[d0.0 + 1] = recur v0 * _ from v1 along 0 where v2
        return v3";
    let a = reals(&[2.0, f64::NAN, 4.0]);
    assert_eq!(
        run(text, &[a, scalar(3.0), bools(&[true, false, true])]),
        (reals(&[3.0, 6.0, 6.0, 24.0]), 2)
    );
    let text = "fn f(a: real[d0.0], b: real[d0.0])
        v2: real[d0.0 + 1] = recur v0 * _ adding v1 along 0 reverse
        return v2";
    assert_eq!(
        run(text, &[reals(&[2.0, 3.0]), reals(&[5.0, 7.0])]),
        (reals(&[19.0, 7.0, 0.0]), 2)
    );
    // Until something enters there is nothing to multiply.
    let text = "fn f(a: real[d0.0], s: real[])
        v2: real[d0.0 + 1] = scatter v1[1]
        v3: real[d0.0 + 1] = recur v0 * _ + v2 along 0
        return v3";
    assert_eq!(
        run(text, &[reals(&[f64::NAN, 2.0, 3.0]), scalar(7.0)]),
        (reals(&[0.0, 7.0, 14.0, 42.0]), 2)
    );
}

#[test]
fn sizes_come_from_arguments_and_from_values() {
    let text = "fn f(x: real[d0.0], n: int[], k: int[d2.0], t: real[v4])
            v4: int[] = sum v2 over [0]
            v5: real[v4] = gather v0[i0 + n1]
            v6: real[v4] = add(v3, v5)
            v7: real[quot(d0.0, 2)] = fill 1.0
            v8: int[v4 - 1] = index (v4)
            return v6";
    let args = |n, t: &[f64]| [reals(&[1.0, 2.0, 3.0]), int(n), ints(&[1, 1]), reals(t)];
    assert_eq!(
        run(text, &args(1, &[10.0, 20.0])),
        (reals(&[12.0, 23.0]), 2)
    );
    assert_eq!(
        fails(text, &args(2, &[10.0, 20.0])),
        "v5: index 3 is out of bounds for axis 0 of length 3, at [1]"
    );
    assert!(fails(text, &args(1, &[10.0])).starts_with("v6: the shape"));
    // A negative extent is none.
    let args = [reals(&[]), int(0), ints(&[]), reals(&[])];
    assert_eq!(run(text, &args), (reals(&[]), 0));
    // A parameter of computed length that nothing else looks at.
    let text = "fn f(t: real[v1])\nv1: int[] = fill 2\nreturn v1";
    assert_eq!(
        fails(text, &[reals(&[1.0])]),
        "v0 (t): the shape [1] where [2] is needed"
    );
}

#[test]
fn arguments_must_fit() {
    let text = "fn f(x: real[d0.0], t: real[d0.0 + 1])\nreturn v0";
    let x = || reals(&[1.0]);
    assert_eq!(fails(text, &[x()]), "1 arguments for 2 parameters");
    assert_eq!(
        fails(text, &[x(), reals(&[1.0])]),
        "v1 (t): the shape [1] where [2] is needed"
    );
    assert_eq!(
        fails(text, &[x(), ints(&[1, 2])]),
        "v1 (t): int of shape [2] where real of rank 1 is needed"
    );
    assert_eq!(
        fails(text, &[scalar(1.0), x()]),
        "v0 (x): real of shape [] where real of rank 1 is needed"
    );
    let text = "fn f(x: real[d0.0], n: int[])
            require d0.0 == n1 when d0.0 - 1, n1
            return v1";
    assert_eq!(run(text, &[x(), int(5)]).0, int(5));
    let error = fails(text, &[reals(&[0.0; 3]), int(5)]);
    assert_eq!(error, "requires d0.0 == n1, but these are 3 and 5");
}

#[test]
fn integers_wrap_and_indices_do_not() {
    let text = |op: &str| format!("fn f(n: int[], k: int[d1.0])\n v2: {op}\n return v2");
    let args = |n: i64| [int(n), ints(&[i64::MAX, 2])];
    let gives = |op: &str, n: i64| run(&text(op), &args(n)).0;
    assert_eq!(gives("int[] = imul(v0, v0)", i64::MAX), int(1));
    assert_eq!(gives("int[] = ineg(v0)", i64::MIN), int(i64::MIN));
    assert_eq!(gives("int[] = index 2*n0", i64::MAX), int(-2));
    assert_eq!(gives("int[] = sum v1 over [0]", 0), int(i64::MIN + 1));
    assert_eq!(gives("int[] = product v1 over [0]", 0), int(-2));
    let of = |op: &str, n: i64| fails(&text(op), &args(n));
    assert!(of("int[] = irem(v0, v0)", 0).starts_with("v2: irem("));
    assert_eq!(
        of("int[3] = index n0*i0", i64::MAX),
        "v2: an index overflows"
    );
    assert!(of("int[n0, n0] = fill 0", 1 << 40).ends_with("is too large"));
}

#[test]
fn programs_that_are_not_well_formed_do_not_panic() {
    for text in [
        "fn f(x: real[2])\nv1: real[2] = copy v1\nreturn v1",
        "fn f(x: real[2])\nv1: real[3] = copy v0\nreturn v1",
        "fn f(x: real[2])\nv1: int[2] = copy v0\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = [v0] copy v0\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = add(v0)\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = select(v0, v0, v0)\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = not(v0)\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = gather v0[]\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = gather v0[v0]\nreturn v1",
        "fn f(x: real[2])\nv1: real[] = sum v0 over [1]\nreturn v1",
        "fn f(x: real[2])\nv1: real[] = maximum v0 over []\nreturn v1",
        "fn f(x: real[2])\nv1: real[] = maximum v0 over [2]\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = recur v0 * _ + v0 along 1\nreturn v1",
        "fn f(x: real[2])\nv1: real[] = contract v0[] * v0[a] -> []\nreturn v1",
        "fn f(x: real[2])\nv1: real[2] = contract v0[a] * v0[a] -> [b]\nreturn v1",
        "fn f(x: real[2])\nv1: real[d1.0] = fill 1.0\nreturn v1",
        "fn f(x: real[2])\nreturn v1",
    ] {
        let p = bulk_text::parse(text).unwrap();
        assert!(eval(&p, &[reals(&[1.0, 2.0])]).is_err(), "{text}");
        assert!(bulk_check::check(&p).is_err(), "{text}");
    }
}
