//! Sequential loops through vectorisation, simplification and both modes of differentiation: each
//! program gives the same in Core, with its loops recognised, and in Bulk; forward mode, reverse
//! mode and differences agree.

use cotangent_core::ir::bulk::Program as Bulk;
use cotangent_core::ir::generate::Rng;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{bulk_eval, core, core_check, core_eval, core_text, kernel_eval};
use cotangent_core::loops;
use cotangent_core::pipeline::{self, Derivative};

fn scalar(x: f64) -> Value {
    Value::Real(Tensor::scalar(x))
}

fn int(x: i64) -> Value {
    Value::Int(Tensor::scalar(x))
}

fn reals(shape: &[usize]) -> Value {
    let n: usize = shape.iter().product();
    let data = (0..n).map(|k| 0.3 + 0.17 * ((k * 7 % 5) as f64)).collect();
    Value::Real(Tensor::new(shape.to_vec(), data))
}

fn ints(data: &[i64]) -> Value {
    Value::Int(Tensor::new(vec![data.len()], data.to_vec()))
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn same(what: &str, a: &[Value], b: &[Value], program: &dyn std::fmt::Display) {
    assert_eq!(a.len(), b.len(), "{what}: number of results\n{program}");
    for (a, b) in a.iter().zip(b) {
        let agree = a.shape() == b.shape()
            && match (a, b) {
                (Value::Real(x), Value::Real(y)) => {
                    (x.data.iter().zip(&y.data)).all(|(x, y)| close(*x, *y, 1e-10))
                }
                (a, b) => a == b,
            };
        assert!(agree, "{what}: {a} is not {b}\n{program}");
    }
}

fn run(what: &str, p: &Bulk, args: &[Value]) -> Vec<Value> {
    match bulk_eval::eval(p, args) {
        Ok(outcome) => outcome.results,
        Err(e) => panic!("{what}: {e}\n{p}"),
    }
}

/// The kernels give the same.
fn fused(what: &str, p: &Bulk, args: &[Value], values: &[Value]) {
    let kernels = pipeline::to_kernels(p).unwrap_or_else(|e| panic!("{what}: {e}\n{p}"));
    match kernel_eval::eval(&kernels, args) {
        Ok((results, _)) => same(what, &results, values, p),
        Err(e) => panic!("{what}, fused: {e}\n{p}\n{kernels:#?}"),
    }
}

fn dot(a: &Value, b: &Value) -> f64 {
    a.real()
        .data
        .iter()
        .zip(&b.real().data)
        .map(|(x, y)| x * y)
        .sum()
}

fn moved(args: &[Value], wrt: &[usize], tangents: &[Value], h: f64) -> Vec<Value> {
    let mut args = args.to_vec();
    for (&k, t) in wrt.iter().zip(tangents) {
        let (x, d) = (args[k].real(), t.real());
        let data = x.data.iter().zip(&d.data).map(|(x, d)| x + h * d).collect();
        args[k] = Value::Real(Tensor::new(x.shape.clone(), data));
    }
    args
}

fn random(shape: &[usize], rng: &mut Rng) -> Value {
    let n = shape.iter().product();
    let data = (0..n).map(|_| rng.real(-1.0, 1.0)).collect();
    Value::Real(Tensor::new(shape.to_vec(), data))
}

/// Runs everything on a program in text form.
fn check(text: &str, args: &[Value]) {
    let program = core_text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    core_check::check(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let again = core_text::parse(&program.to_string()).unwrap_or_else(|e| panic!("{e}\n{program}"));
    assert_eq!(again, program, "{program}\n{again}");
    let (values, _) = core_eval::eval(&program, args).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let context = loops::Context {
        fresh: core::Fresh::after(1000),
        ..loops::Context::default()
    };
    let rest = loops::recognised(program.clone(), context).program;
    core_check::check(&rest).unwrap_or_else(|e| panic!("{e}\n{rest}"));
    let (again, _) = core_eval::eval(&rest, args).unwrap_or_else(|e| panic!("{e}\n{rest}"));
    same("recognised", &again, &values, &rest);
    let mut stages: Vec<(&str, Bulk)> = vec![];
    let bulk = pipeline::to_bulk(&program, &mut |pass, p| stages.push((pass, p.clone())))
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    for (pass, p) in &stages {
        same(pass, &run(pass, p, args), &values, p);
    }
    fused("value", &bulk, args, &values);
    derivatives(&program, &bulk, args, &values);
}

fn derivatives(program: &core::Program, bulk: &Bulk, args: &[Value], values: &[Value]) {
    let wrt: Vec<usize> = (program.params.iter().enumerate())
        .filter(|(_, p)| p.ty.elem == Elem::Real)
        .map(|(k, _)| k)
        .collect();
    let mut rng = Rng::new(11);
    let tangents: Vec<Value> = (wrt.iter())
        .map(|&k| random(args[k].shape(), &mut rng))
        .collect();
    let count = values.len();
    let real: Vec<usize> = (0..count)
        .filter(|&k| matches!(values[k], Value::Real(_)))
        .collect();
    let cotangents: Vec<Value> = (real.iter())
        .map(|&k| random(values[k].shape(), &mut rng))
        .collect();
    let along = |of: &[Value]| -> f64 { cotangents.iter().zip(of).map(|(c, v)| dot(c, v)).sum() };

    let derive = |what: Derivative, extra: &[Value]| -> (Vec<Value>, Bulk) {
        let mut stages: Vec<(&str, Bulk)> = vec![];
        let p = pipeline::derive(bulk, what, &wrt, &mut |pass, p| {
            stages.push((pass, p.clone()))
        })
        .unwrap_or_else(|e| panic!("{e}\n{bulk}\n{}", stages.last().unwrap().1));
        let all: Vec<Value> = args.iter().chain(extra).cloned().collect();
        let last = run("derived", &p, &all);
        for (pass, q) in stages.iter().filter(|(pass, _)| *pass != "linearise") {
            same(pass, &run(pass, q, &all), &last, q);
        }
        fused("derived", &p, &all, &last);
        // As what a call of the derivative stands for.
        let routine = pipeline::routine(program, what, &wrt).unwrap_or_else(|e| panic!("{e}\n{p}"));
        let raised = routine.program("raised");
        let read = core_text::parse(&raised.to_string());
        assert_eq!(
            read.unwrap_or_else(|e| panic!("{e}\n{raised}")),
            raised,
            "{raised}"
        );
        let (values, _) =
            core_eval::eval(&raised, &all).unwrap_or_else(|e| panic!("{e}\n{p}\n{raised}"));
        same("raised", &values, &last, &raised);
        let again = pipeline::to_bulk(&raised, &mut |_, _| {})
            .unwrap_or_else(|e| panic!("{e}\n{p}\n{raised}"));
        same(
            "raised and vectorised",
            &run("again", &again, &all),
            &last,
            &again,
        );
        (last, p)
    };
    let (forward, jvp) = derive(Derivative::Jvp, &tangents);
    same("value of jvp", &forward[..count], values, &jvp);
    let (reverse, vjp) = derive(Derivative::Vjp, &cotangents);
    same("value of vjp", &reverse[..count], values, &vjp);
    let by_forward = along(&forward[count..]);
    let by_reverse: f64 = (tangents.iter().zip(&reverse[count..]))
        .map(|(t, g)| dot(t, g))
        .sum();
    assert!(
        close(by_forward, by_reverse, 1e-10),
        "forward {by_forward} is not reverse {by_reverse}\n{jvp}\n{vjp}"
    );
    let slope = |h: f64| {
        let at = |h: f64| {
            let (all, _) = core_eval::eval(program, &moved(args, &wrt, &tangents, h)).unwrap();
            along(&real.iter().map(|&k| all[k].clone()).collect::<Vec<_>>())
        };
        (at(h) - at(-h)) / (2.0 * h)
    };
    let (a, b) = (slope(1e-4), slope(5e-5));
    let difference = (4.0 * b - a) / 3.0;
    assert!(
        close(difference, by_forward, 1e-6),
        "differences {difference} are not forward {by_forward}\n{program}\n{jvp}"
    );
}

#[test]
fn a_scalar_recurrence() {
    check(
        "fn f(x.0: real, n.1: int) -> real {
            let (a.5, s.6) = for i.2 < n.1 with (a.3 = 1.0, s.4 = 0.0) {
                next (mul(neg(sub(x.0, 1.0)), a.3), add(s.4, a.3))
            };
            s.6
        }",
        &[scalar(0.7), int(5)],
    );
}

#[test]
fn no_step_at_all() {
    let text = "fn f(x.0: real, n.1: int) -> real {
            let (a.5) = for i.2 < n.1 with (a.3 = x.0) { next (mul(a.3, a.3)) };
            a.5
        }";
    check(text, &[scalar(0.7), int(0)]);
    check(text, &[scalar(0.7), int(-2)]);
    check(text, &[scalar(0.7), int(3)]);
}

#[test]
fn while_a_condition_holds() {
    check(
        "fn f(a.0: real) -> (real, int) {
            let (y.4, k.5) = while i.1 with (y.2 = a.0, k.3 = 0) do lt(1e-12, abs(sub(mul(y.2, y.2), a.0))) {
                next (mul(0.5, add(y.2, div(a.0, y.2))), iadd(k.3, 1))
            };
            next (y.4, k.5)
        }",
        &[scalar(2.0)],
    );
}

#[test]
fn states_are_stacked() {
    check(
        "fn f(x.0: real[_]) -> real[_] {
            let (s.4, all.5) = for i.1 < dim(x.0, 0) with (s.2 = 0.0) {
                let t.3 = tanh(add(mul(0.5, s.2), x.0[i.1]));
                next (t.3, mul(t.3, x.0[i.1]))
            };
            build(j.6 < dim(x.0, 0) => mul(all.5[j.6], s.4))
        }",
        &[reals(&[4])],
    );
}

#[test]
fn an_array_changes_element_by_element() {
    check(
        "fn f(x.0: real[_], n.1: int) -> real {
            let (y.4) = for i.2 < isub(n.1, 1) with (y.3 = x.0) {
                next (update(y.3, [iadd(i.2, 1)] = mul(y.3[i.2], add(y.3[iadd(i.2, 1)], 1.0))))
            };
            sum(j.5 < n.1 => mul(y.4[j.5], y.4[j.5]))
        }",
        &[reals(&[5]), int(5)],
    );
}

#[test]
fn a_part_changes_where_a_condition_holds() {
    check(
        "fn f(a.0: real[_, _]) -> real {
            let (b.3) = for i.1 < isub(dim(a.0, 0), 1) with (b.2 = a.0) {
                next (update(b.2, [iadd(i.1, 1), _] = build(j.4 < dim(a.0, 1) => mul(b.2[i.1, j.4], b.2[iadd(i.1, 1), j.4])) if lt(0.5, b.2[i.1, 0])))
            };
            sum(i.5 < dim(a.0, 0) => sum(j.6 < dim(a.0, 1) => sin(b.3[i.5, j.6])))
        }",
        &[reals(&[3, 2])],
    );
}

#[test]
fn triangular_loops_in_loops() {
    // Cholesky, without any recognition of sums.
    check(
        "fn f(a.0: real[_, _], n.1: int) -> real {
            let (l.20) = for i.2 < n.1 with (l.3 = build(p.4 < n.1 => build(q.5 < n.1 => 0.0))) {
                let (l.21) = for j.6 < iadd(i.2, 1) with (l.7 = l.3) {
                    let (s.22) = for k.8 < j.6 with (s.9 = a.0[i.2, j.6]) {
                        next (sub(s.9, mul(l.7[i.2, k.8], l.7[j.6, k.8])))
                    };
                    let v.10 = if ieq(i.2, j.6) { sqrt(s.22) } else { div(s.22, l.7[j.6, j.6]) };
                    next (update(l.7, [i.2, j.6] = v.10))
                };
                next (l.21)
            };
            sum(i.11 < n.1 => ln(l.20[i.11, i.11]))
        }",
        &[
            Value::Real(Tensor::new(
                vec![3, 3],
                vec![4.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0],
            )),
            int(3),
        ],
    );
}

#[test]
fn a_loop_for_every_element() {
    check(
        "fn f(x.0: real[_], n.1: int) -> real[_] {
            build(i.2 < dim(x.0, 0) => {
                let (a.5) = for k.3 < n.1 with (a.4 = x.0[i.2]) { next (sin(mul(a.4, x.0[i.2]))) };
                a.5
            })
        }",
        &[reals(&[4]), int(3)],
    );
}

#[test]
fn as_many_steps_as_the_index_says() {
    check(
        "fn f(x.0: real[_]) -> real[_] {
            build(i.2 < dim(x.0, 0) => {
                let (a.5) = for k.3 < i.2 with (a.4 = x.0[i.2]) { next (sin(add(a.4, x.0[k.3]))) };
                a.5
            })
        }",
        &[reals(&[4])],
    );
}

#[test]
fn a_condition_for_every_element() {
    check(
        "fn f(x.0: real[_], c.1: real) -> real {
            sum(i.2 < dim(x.0, 0) => {
                let (a.5) = while k.3 with (a.4 = x.0[i.2]) do lt(a.4, 2.0) { next (mul(a.4, add(1.1, c.1))) };
                mul(a.5, x.0[i.2])
            })
        }",
        &[reals(&[4]), scalar(0.2)],
    );
}

#[test]
fn two_indices_and_a_condition() {
    check(
        "fn f(x.0: real[_, _], c.1: real) -> real[_, _] {
            build(i.2 < dim(x.0, 0) => build(j.6 < dim(x.0, 1) => {
                let (a.5) = while k.3 with (a.4 = x.0[i.2, j.6]) do lt(a.4, 2.0) { next (mul(a.4, add(1.1, mul(c.1, x.0[i.2, 0])))) };
                if lt(0.5, x.0[i.2, j.6]) { a.5 } else { let (b.8) = for m.7 < j.6 with (b.9 = 1.0) { next (mul(b.9, x.0[i.2, m.7])) }; b.8 }
            }))
        }",
        &[reals(&[3, 2]), scalar(0.2)],
    );
}

#[test]
fn a_loop_in_a_branch() {
    let text = "fn f(x.0: real[_], c.1: real) -> real {
            if lt(c.1, 0.0) {
                let (a.5) = for k.3 < 100 with (a.4 = c.1) { next (mul(a.4, x.0[k.3])) };
                a.5
            } else {
                let (a.8) = for k.6 < dim(x.0, 0) with (a.7 = c.1) { next (mul(a.7, x.0[k.6])) };
                a.8
            }
        }";
    check(text, &[reals(&[4]), scalar(0.5)]);
}

#[test]
fn a_recurrent_network() {
    let text = |again: &str| {
        format!(
            "fn f(w.0: real[_, _], x.1: real[_, _], h.2: real[_]) -> real {{
                let (h.8, y.9) = {again}for t.3 < dim(x.1, 0) with (h.4 = h.2) {{
                    let n.5 = build(i.6 < dim(h.2, 0) => tanh(add(x.1[t.3, i.6], sum(j.7 < dim(h.2, 0) => mul(w.0[i.6, j.7], h.4[j.7])))));
                    next (n.5, n.5[0])
                }};
                add(sum(i.10 < dim(h.2, 0) => h.8[i.10]), sum(t.11 < dim(x.1, 0) => mul(y.9[t.11], y.9[t.11])))
            }}"
        )
    };
    for again in [
        "",
        "recompute ",
        "binomial 1 ",
        "binomial 2 ",
        "binomial 9 ",
    ] {
        check(&text(again), &[reals(&[3, 3]), reals(&[4, 3]), reals(&[3])]);
    }
}

#[test]
fn states_kept_once_in_a_while() {
    // Blocks of steps, computed again in reverse mode.
    check(
        "fn f(x.0: real, n.1: int, m.2: int) -> real {
            let (a.9) = recompute for o.3 < idiv(iadd(n.1, isub(m.2, 1)), m.2) with (a.4 = x.0) {
                let (a.8) = for k.5 < imin(m.2, isub(n.1, imul(o.3, m.2))) with (a.6 = a.4) {
                    next (sin(add(a.6, mul(x.0, int_to_real(iadd(k.5, imul(o.3, m.2)))))))
                };
                next (a.8)
            };
            a.9
        }",
        &[scalar(0.4), int(7), int(3)],
    );
}

#[test]
fn a_checkpoint_is_a_loop_of_one_step() {
    check(
        "fn f(x.0: real[_]) -> real {
            let (e.2) = recompute for i.1 < 1 with () { next (build(j.3 < dim(x.0, 0) => exp(sin(x.0[j.3])))) };
            sum(k.4 < dim(x.0, 0) => mul(e.2[0, k.4], x.0[k.4]))
        }",
        &[reals(&[3])],
    );
}

#[test]
fn sizes_from_inside_a_loop() {
    check(
        "fn f(x.0: real[_], len.9: int[_]) -> real {
            let (s.5) = for i.1 < dim(len.9, 0) with (s.2 = 1.0) {
                let n.3 = len.9[i.1];
                let y.4 = build(j.6 < n.3 => mul(s.2, x.0[j.6]));
                next (add(s.2, sum(j.7 < n.3 => mul(y.4[j.7], y.4[j.7]))))
            };
            s.5
        }",
        &[reals(&[4]), ints(&[2, 0, 3])],
    );
}

#[test]
fn sums_onto_a_state() {
    check(
        "fn f(x.0: real[_], at.1: int[_]) -> real {
            let (y.5) = for i.2 < dim(at.1, 0) with (y.3 = x.0) {
                next (update(y.3, [at.1[i.2]] = add(y.3[at.1[i.2]], sin(y.3[0]))))
            };
            sum(j.6 < dim(x.0, 0) => mul(y.5[j.6], x.0[j.6]))
        }",
        &[reals(&[4]), ints(&[2, 0, 3, 2])],
    );
}

#[test]
fn few_states_of_a_loop_of_unknown_length() {
    for k in [1, 3] {
        for limit in [0.1, 40.0] {
            let text = format!(
                "fn f(x.0: real[_], limit.1: real) -> real {{
                    let (y.6, n.7) = binomial {k} while i.2 with (y.3 = x.0, n.4 = 0)
                    do lt(y.3[0], 40.0) {{
                        let s.9 = sin(y.3[0]);
                        let pull.10 = mul(limit.1, mul(s.9, s.9));
                        next (
                            build(j.5 < dim(x.0, 0) => add(mul(y.3[j.5], 1.1), pull.10)),
                            iadd(n.4, 1)
                        )
                    }};
                    mul(sum(j.8 < dim(x.0, 0) => y.6[j.8]), int_to_real(n.7))
                }}"
            );
            check(&text, &[reals(&[3]), scalar(limit)]);
        }
    }
}

#[test]
fn few_states_of_several_kinds() {
    for (k, n) in [(1, 5), (2, 9), (3, 0), (3, 1), (4, 30)] {
        let text = format!(
            "fn f(x.0: real, a.1: real[_, _], n.2: int) -> real {{
                let (s.9, up.10, m.11, all.12) = binomial {k} for i.3 < n.2
                with (s.4 = x.0, up.5 = true, m.6 = a.1) {{
                    let t.7 = if up.5 {{ sin(s.4) }} else {{ mul(s.4, m.6[0, 1]) }};
                    let row.8 = irem(i.3, dim(a.1, 0));
                    next (
                        t.7,
                        gt(t.7, 0.3),
                        update(m.6, [row.8, 1] = add(t.7, m.6[0, 0])),
                        mul(t.7, t.7)
                    )
                }};
                let squares.15 = sum(j.13 < dim(a.1, 0) => mul(m.11[j.13, 1], m.11[j.13, 1]));
                add(add(s.9, squares.15), sum(l.14 < dim(all.12, 0) => all.12[l.14]))
            }}"
        );
        check(&text, &[scalar(0.4), reals(&[2, 2]), int(n)]);
    }
}

/// `(c + r)! / (c! r!)`.
fn binomial(c: u64, r: u64) -> u64 {
    (1..=r).fold(1, |all, k| all * (c + k) / k)
}

/// The fewest steps forwards that reach the states before each of `l` steps in reverse order, if at
/// most `c` states are kept.
fn fewest(l: u64, c: u64) -> u64 {
    let Some(r) = (1..).find(|r| binomial(c, *r) >= l).filter(|_| l > 1) else {
        return 0;
    };
    r * l - binomial(c + 1, r - 1)
}

/// The operations of a gradient by kernels.
fn operations(text: &str, args: &[Value]) -> (u64, u64) {
    let program = core_text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let bulk = pipeline::to_bulk(&program, &mut |_, _| {}).unwrap();
    let what = Derivative::ValueAndGrad;
    let gradient = pipeline::derive(&bulk, what, &[0], &mut |_, _| {}).unwrap();
    let kernels = pipeline::to_kernels(&gradient).unwrap();
    let (_, cost) = kernel_eval::eval(&kernels, args).unwrap();
    (cost.operations, cost.peak)
}

#[test]
fn few_states_take_the_fewest_steps() {
    let counted = |k: u64, n: u64| {
        let text = format!(
            "fn f(x.0: real, n.1: int) -> real {{
                let (a.4) = binomial {k} for i.2 < n.1 with (a.3 = x.0) {{
                    next (sin(exp(sin(a.3))))
                }};
                a.4
            }}"
        );
        operations(&text, &[scalar(0.7), int(n as i64)])
    };
    let online = |k: u64, n: u64| {
        let text = format!(
            "fn f(x.0: real, n.1: int) -> real {{
                let (a.4, m.6) = binomial {k} while i.2 with (a.3 = x.0, m.5 = 0)
                do ilt(m.5, n.1) {{
                    next (sin(exp(sin(a.3))), iadd(m.5, 1))
                }};
                a.4
            }}"
        );
        operations(&text, &[scalar(0.7), int(n as i64)])
    };
    for n in [0, 1, 2, 3, 10, 34] {
        // With room for all states each step runs forwards once, and once more for its derivative.
        let (once, _) = counted(1000, n);
        for k in [1, 2, 4] {
            // The value needs the state behind the last step: that is one more to be reached.
            let least = fewest(n + 1, k);
            let (some, peak) = counted(k, n);
            assert_eq!(some - once, 3 * (least - n), "{n} steps, {k} states");
            assert!(peak <= 16 * k, "{n} steps, {k} states: {peak} bytes");
            let (some, peak) = online(k, n);
            let more = some - once;
            assert!(
                more >= 3 * (least - n) && more <= 3 * least,
                "{n} steps, {k} states, online: {more} operations more"
            );
            assert!(peak <= 16 * k, "{n} steps, {k} states: {peak} bytes");
        }
    }
}
