//! Fused loops: they agree with Bulk, compute only what is used, and change arrays in place.

use super::{bulk_of, fused};
use crate::ir::kernel::{Program, Sequence, Work};
use crate::ir::value::{Tensor, Value};
use crate::ir::{bulk_eval, kernel_eval};

fn reals(data: &[f64]) -> Value {
    Value::Real(Tensor::new(vec![data.len()], data.to_vec()))
}

fn matrix(rows: usize, data: &[f64]) -> Value {
    let shape = vec![rows, data.len() / rows];
    Value::Real(Tensor::new(shape, data.to_vec()))
}

fn ints(data: &[i64]) -> Value {
    Value::Int(Tensor::new(vec![data.len()], data.to_vec()))
}

fn int(n: i64) -> Value {
    Value::Int(Tensor::scalar(n))
}

fn scalar(x: f64) -> Value {
    Value::Real(Tensor::scalar(x))
}

/// Bulk and kernels agree, also in what they cost; gives the results.
#[track_caller]
fn agree(text: &str, args: &[Value]) -> Vec<Value> {
    let bulk = bulk_eval::eval(&bulk_of(text), args).unwrap();
    let (results, cost) = kernel_eval::eval(&fused(text), args).unwrap();
    let cost = cost.operations;
    assert_eq!(results, bulk.results);
    assert!(cost <= bulk.cost, "{cost} > {}", bulk.cost);
    results
}

/// The only loop of a program.
fn sequence(program: &Program) -> &Sequence {
    let loops = program.steps.iter().filter_map(|s| match &s.work {
        Work::Loop(s) => Some(&**s),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Family(_)
        | Work::Call(_)
        | Work::Tiles(_)
        | Work::Branch(_)
        | Work::Change { .. } => None,
    });
    let loops: Vec<&Sequence> = loops.collect();
    assert_eq!(loops.len(), 1);
    loops[0]
}

/// For each change of a program whether it takes the old array.
fn taken(program: &Program) -> Vec<bool> {
    let sources = program.steps.iter().flat_map(|s| s.sources());
    sources.map(|s| s.taken).collect()
}

#[test]
fn a_recurrence_of_scalars() {
    let text = "fn f(x: real[d0.0], a: real[])
        loop 0 with 1 states
            fn step(x: real[d0.0], a: real[], s: real[], i: int[])
            v4: real[] = gather v0[(v3)]
            v5: real[] = mul(v1, v2)
            v6: real[] = add(v5, v4)
            return v6, v2
        v2: real[] = loop 0 out 0 given [v0, v1] from [v1] for d0.0
        v3: real[d0.0] = loop 0 out 1 given [v0, v1] from [v1] for d0.0
        return v2, v3";
    let x = || reals(&[1.0, 2.0, 3.0]);
    let got = agree(text, &[x(), scalar(2.0)]);
    assert_eq!(got, vec![scalar(27.0), reals(&[2.0, 5.0, 12.0])]);
    let reverse = text.replace("1 states", "1 states reverse");
    let got = agree(&reverse, &[x(), scalar(2.0)]);
    assert_eq!(got, vec![scalar(33.0), reals(&[16.0, 7.0, 2.0])]);
    agree(text, &[reals(&[]), scalar(2.0)]);
    // Everything is a scalar of one step.
    let program = fused(text);
    assert_eq!(sequence(&program).body.steps.len(), 1);
}

#[test]
fn an_element_after_the_other() {
    // x[i] = x[i] + x[i + 1] · x[0], in place: what is read of the old array comes before.
    let text = "fn f(x: real[d0.0])
        loop 0 with 1 states
            fn step(x: real[d0.0], i: int[])
            v2: int[] = index v1 + 1
            v3: real[] = gather v0[(v1)]
            v4: real[] = gather v0[v1 + 1]
            v5: real[] = gather v0[0]
            v6: real[] = mul(v4, v5)
            v7: real[] = add(v3, v6)
            v8: real[d0.0] = update v0 with v7[v1]
            v9: real[] = gather v8[0]
            v10: real[] = mul(v9, v5)
            return v8, v10
        v1: real[d0.0] = loop 0 out 0 given [] from [v0] for d0.0 - 1
        v2: real[d0.0 - 1] = loop 0 out 1 given [] from [v0] for d0.0 - 1
        return v1, v2";
    let got = agree(text, &[reals(&[1.0, 2.0, 3.0])]);
    assert_eq!(got, vec![reals(&[3.0, 11.0, 3.0]), reals(&[3.0, 9.0])]);
    let program = fused(text);
    // The argument is copied once, the state never.
    assert_eq!(taken(&program), [false]);
    assert_eq!(taken(&sequence(&program).body), [true]);
}

#[test]
fn several_elements_of_each_other() {
    // x[1..] = 2 x[..n - 1], then x[at] = x at a sum.
    let text = "fn f(x: real[d0.0], n: int[])
        loop 0 with 1 states
            fn step(x: real[d0.0], i: int[])
            v2: real[d0.0 - 1] = gather v0[i0]
            v3: real[d0.0 - 1] = add(v2, v2)
            v4: real[d0.0] = update v0 with v3[i0 + 1]
            v5: real[] = sum v4 over [0]
            v6: real[d0.0] = update v4 with v5[(v1)]
            v7: real[d0.0] = mul(v6, v6)
            v8: bool[d0.0] = lt(v6, v7)
            v9: real[d0.0] = update v6 with v7[i0] where v8
            return v9
        v2: real[d0.0] = loop 0 out 0 given [] from [v0] for n1
        return v2";
    agree(text, &[reals(&[1.0, -2.0, 0.5, 3.0]), int(2)]);
    agree(text, &[reals(&[1.0, -2.0, 0.5, 3.0]), int(-2)]);
    let program = fused(text);
    assert_eq!(taken(&sequence(&program).body), [true, true, true]);
}

#[test]
fn contributions_to_a_state() {
    let text = "fn f(x: real[d0.0], at: int[d0.0], n: int[])
        v3: real[d0.0] = scatter nothing
        loop 0 with 1 states
            fn step(x: real[d0.0], at: int[d0.0], s: real[d0.0], i: int[])
            v4: int[] = gather v1[(v3)]
            v5: real[] = gather v0[(v3)]
            v6: real[] = exp(v5)
            v7: real[d0.0] = scatter v2[i0] + v6[v4] + v5[(v3)]
            v8: real[d0.0] = scatter v0[v1] + v7[i0]
            return v8
        v4: real[d0.0] = loop 0 out 0 given [v0, v1] from [v3] for d0.0
        return v4";
    let args = [reals(&[1.0, 2.0, 3.0]), ints(&[2, 0, 2]), int(2)];
    agree(text, &args);
    let program = fused(text);
    assert_eq!(taken(&program), [true]);
    assert_eq!(taken(&sequence(&program).body), [true, true]);
}

#[test]
fn what_is_needed_later_is_copied() {
    let text = "fn f(x: real[d0.0])
        v1: real[d0.0] = exp(v0)
        loop 0 with 1 states
            fn step(y: real[d0.0], x: real[d0.0], i: int[])
            v3: real[] = gather v0[(v2)]
            v4: real[d0.0] = update v1 with v3[(v2)]
            v5: real[d0.0] = mul(v4, v1)
            return v4, v5
        v2: real[d0.0] = loop 0 out 0 given [v1] from [v1] for d0.0
        v3: real[d0.0, d0.0] = loop 0 out 1 given [v1] from [v1] for d0.0
        v4: real[] = fill 0.0
        v5: real[d0.0] = update v2 with v4[0]
        v6: real[] = gather v2[0]
        v7: real[d0.0] = update v0 with v6[0]
        return v2, v3, v5, v7";
    agree(text, &[reals(&[1.0, 2.0])]);
    let program = fused(text);
    assert_eq!(taken(&program), [false, false, false]);
    assert_eq!(taken(&sequence(&program).body), [false]);
}

#[test]
fn loops_in_loops() {
    // Prefix sums of rows in place, row by row, and how far a sum takes to reach a bound.
    let text = "fn f(m: real[d0.0, d0.1], top: real[])
        v2: real[] = fill 0.0
        loop 0 with 1 states
            fn rows(m: real[d0.0, d0.1], top: real[], zero: real[], m_1: real[d0.0, d0.1], i: int[])
            loop 0 with 2 states
                fn columns(i: int[], s: real[], m: real[d0.0, d0.1], j: int[])
                v4: real[] = gather v2[(v0), (v3)]
                v5: real[] = add(v1, v4)
                v6: real[d0.0, d0.1] = update v2 with v5[(v0), (v3)]
                return v5, v6, v4
            v5: real[d0.0, d0.1] = loop 0 out 1 given [v4] from [v2, v3] for d0.1
            loop 1 with 1 states
                fn columns(i: int[], m: real[d0.0, d0.1], top: real[], k: real[], j: int[])
                v5: real[] = gather v1[(v0), (v4)]
                v6: real[] = add(v3, v5)
                return v6, v3
            while
                fn goes_on(i: int[], m: real[d0.0, d0.1], top: real[], k: real[], j: int[])
                v5: int[] = index d0.1
                v6: bool[] = ilt(v4, v5)
                v7: bool[] = lt(v3, v2)
                v8: bool[] = and(v6, v7)
                return v8
            v6: int[] = loop 1 out 2 given [v4, v0, v1] from [v2]
            v7: real[v6] = loop 1 out 1 given [v4, v0, v1] from [v2]
            v8: real[] = sum v7 over [0]
            v9: real[] = loop 1 out 0 given [v4, v0, v1] from [v2]
            return v5, v6, v8, v9
        v3: real[d0.0, d0.1] = loop 0 out 0 given [v0, v1, v2] from [v0] for d0.0
        v4: int[d0.0] = loop 0 out 1 given [v0, v1, v2] from [v0] for d0.0
        v5: real[d0.0] = loop 0 out 2 given [v0, v1, v2] from [v0] for d0.0
        v6: real[d0.0] = loop 0 out 3 given [v0, v1, v2] from [v0] for d0.0
        return v3, v4, v5, v6";
    let m = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let got = agree(text, &[m, scalar(2.5)]);
    let sums = matrix(2, &[1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    let wanted = [sums, ints(&[2, 1]), reals(&[1.0, 0.0]), reals(&[3.0, 4.0])];
    assert_eq!(got, wanted);
    let program = fused(text);
    assert_eq!(taken(&sequence(&program).body), [false, true, false]);
}

#[test]
fn a_condition_and_no_step_at_all() {
    let text = "fn f(x: real[d0.0], top: real[])
        v2: real[] = fill 0.0
        loop 0 with 1 states
            fn step(x: real[d0.0], top: real[], s: real[], i: int[])
            v4: real[] = gather v0[(v3)]
            v5: real[] = add(v2, v4)
            v6: real[d0.0] = gather v0[i0]
            v7: real[d0.0] = gather v2[]
            v8: real[d0.0] = mul(v6, v7)
            return v5, v8
        while
            fn goes_on(x: real[d0.0], top: real[], s: real[], i: int[])
            v4: bool[] = lt(v2, v1)
            return v4
        v3: int[] = loop 0 out 2 given [v0, v1] from [v2]
        v4: real[v3, d0.0] = loop 0 out 1 given [v0, v1] from [v2]
        return v3, v4";
    let run = |top| agree(text, &[reals(&[1.0, 2.0, 3.0]), scalar(top)]);
    assert_eq!(run(1.5)[0], int(2));
    let none = run(-1.0);
    assert_eq!(none[0], int(0));
    assert_eq!(none[1].shape(), [0, 3]);
}

#[test]
fn only_what_is_used_is_computed() {
    let text = "fn f(x: real[d0.0], y: real[d1.0])
        v2: real[] = fill 1.0
        v3: real[d1.0] = exp(v1)
        loop 0 with 3 states
            fn step(x: real[d0.0], y: real[d1.0], a: real[], b: real[], c: real[], i: int[])
            v6: real[] = gather v0[(v5)]
            v7: real[] = mul(v2, v6)
            v8: real[] = mul(v3, v7)
            v9: real[] = sum v1 over [0]
            v10: real[] = add(v4, v9)
            return v7, v8, v10, v10, v3
        v4: real[] = loop 0 out 1 given [v0, v3] from [v2, v2, v2] for d0.0
        return v4";
    agree(text, &[reals(&[2.0, 3.0]), reals(&[1.0])]);
    let program = fused(text);
    let s = sequence(&program);
    assert_eq!((s.states, s.stacks(), s.given.len()), (2, 0, 1));
    assert_eq!(s.outs[0].result, 1);
    let params: Vec<&str> = s.body.params.iter().map(|p| &p.name[..]).collect();
    assert_eq!(params, ["x", "a", "b", "i"]);
    // Neither is what only the rest was given.
    assert!(program.steps.iter().all(|s| s.ty.rank() == 0));
}

#[test]
fn states_that_trade_places() {
    let text = "fn f(x: real[d0.0], y: real[d0.0], n: int[])
        v3: real[] = fill 1.0
        v4: real[] = fill 2.0
        loop 0 with 5 states
            fn step(a: real[], b: real[], p: real[d0.0], q: real[d0.0], r: real[d0.0], i: int[])
            v6: real[d0.0] = mul(v3, v3)
            v7: real[d0.0] = update v2 with v0[0]
            return v1, v0, v6, v7, v7
        v5: real[] = loop 0 out 0 given [] from [v3, v4, v0, v1, v0] for n2
        v6: real[] = loop 0 out 1 given [] from [v3, v4, v0, v1, v0] for n2
        v7: real[d0.0] = loop 0 out 2 given [] from [v3, v4, v0, v1, v0] for n2
        v8: real[d0.0] = loop 0 out 3 given [] from [v3, v4, v0, v1, v0] for n2
        v9: real[d0.0] = loop 0 out 4 given [] from [v3, v4, v0, v1, v0] for n2
        return v5, v6, v7, v8, v9";
    for n in 0..4 {
        agree(text, &[reals(&[3.0, 2.0]), reals(&[0.5, 4.0]), int(n)]);
    }
}

#[test]
fn a_part_that_is_a_structural_zero_is_written() {
    let text = "fn f(x: real[d0.0], b: bool[d0.0])
        v2: real[d0.0] = [v1] exp(v0)
        v3: real[d0.0] = update v0 with v2[d0.0 - 1 - i0]
        v4: bool[d0.0] = not(v1)
        v5: real[d0.0] = update v3 with v2[i0] where v4
        v6: int[d0.0] = index i0
        v7: int[d0.0] = fill 1
        v8: bool[d0.0] = ilt(v6, v7)
        v9: real[d0.0] = [v1] gather v0[i0]
        v10: real[d0.0] = update v3 with v9[i0] where v8
        return v3, v5, v10";
    let b = Value::Bool(Tensor::new(vec![3], vec![false, true, false]));
    agree(text, &[reals(&[1.0, 2.0, 3.0]), b]);
}

#[test]
fn sums_go_on_where_others_ended() {
    // What both loops add goes into one array, which is the state of the outer one.
    let text = "fn f(x: real[d0.0], y: real[d0.0], n: int[])
        v3: real[d0.0] = scatter nothing
        v4: real[d0.0] = mul(v1, v1)
        loop 0 with 1 states
            fn step(x: real[d0.0], s: real[d0.0], i: int[])
            v3: real[d0.0] = scatter nothing
            loop 0 with 1 states
                fn inner(x: real[d0.0], i: int[], s: real[d0.0], j: int[])
                v4: real[] = gather v0[(v3)]
                v5: real[d0.0] = scatter v2[i0] + v4[(v1)]
                return v5
            v4: real[d0.0] = loop 0 out 0 given [v0, v2] from [v3] for d0.0
            v5: real[] = gather v0[0]
            v6: real[d0.0] = scatter v4[i0] + v1[i0] + v5[(v2)]
            return v6
        v5: real[d0.0] = loop 0 out 0 given [v0] from [v3] for n2
        v6: real[d0.0] = add(v5, v4)
        return v6";
    let run = |text: &str| {
        let args = [reals(&[1.0, 2.0]), reals(&[4.0, -1.0]), int(2)];
        let bulk = bulk_eval::eval(&bulk_of(text), &args).unwrap();
        let (results, cost) = kernel_eval::eval(&fused(text), &args).unwrap();
        let cost = cost.operations;
        assert_eq!(results, bulk.results);
        // The array that is there at the start is added to in every step.
        assert!(cost <= bulk.cost + 2, "{cost} {}", bulk.cost);
    };
    run(text);
    let program = fused(text);
    assert_eq!((program.steps.len(), taken(&program)), (2, vec![true]));
    let body = &sequence(&program).body;
    assert_eq!((body.steps.len(), taken(body)), (2, vec![true, true]));
    // Whoever looks at the sum on the way needs it by itself.
    let looks = text.replace("v5: real[] = gather v0[0]", "v5: real[] = gather v4[0]");
    let program = fused(&looks);
    assert_eq!(sequence(&program).body.steps.len(), 4);
    run(&looks);
}

#[test]
fn a_million_steps() {
    let text = "fn f(x: real[d0.0], n: int[])
        loop 0 with 1 states
            fn step(x: real[d0.0], i: int[])
            v2: int[] = index rem(v1, d0.0)
            v3: real[] = gather v0[v2]
            v4: real[] = fill 1.0
            v5: real[] = add(v3, v4)
            v6: real[d0.0] = update v0 with v5[v2]
            return v6
        v2: real[d0.0] = loop 0 out 0 given [] from [v0] for n1
        return v2";
    let zeros = vec![0.0; 100_000];
    let args = [reals(&zeros), int(200_000)];
    let (results, _) = kernel_eval::eval(&fused(text), &args).unwrap();
    assert_eq!(results, vec![reals(&vec![2.0; 100_000])]);
}

/// A loop of k steps that stacks what a loop of as many steps reads, as the beginning of five rows.
const BEGINNINGS: &str = "fn f(x: real[d0.0], n: int[])
    loop 0 with 1 states
        fn step(x: real[d0.0], s: real[], k: int[])
        loop 0 with 1 states
            fn step(x: real[d0.0], s: real[], i: int[])
            v3: real[] = mul(v1, v1)
            v4: real[d0.0] = gather v3[]
            v5: real[d0.0] = mul(v0, v4)
            v6: real[] = sum v5 over [0]
            return v6, v1, v5
        v3: real[] = loop 0 out 0 given [v0] from [v1] for v2
        v4: real[v2] = loop 0 out 1 given [v0] from [v1] for v2
        v5: real[v2, d0.0] = loop 0 out 2 given [v0] from [v1] for v2
        v6: int[5] = index i0
        v7: int[5] = index v2
        v8: bool[5] = ilt(v6, v7)
        v9: real[5] = [v8] gather v4[i0]
        v10: int[5, d0.0] = index i0
        v11: int[5, d0.0] = index v2
        v12: bool[5, d0.0] = ilt(v10, v11)
        v13: real[5, d0.0] = [v12] gather v5[i0, i1]
        return v3, v9, v13
    v2: real[] = fill 0.5
    v3: real[] = loop 0 out 0 given [v0] from [v2] for n1
    v4: real[n1, 5] = loop 0 out 1 given [v0] from [v2] for n1
    v5: real[n1, 5, d0.0] = loop 0 out 2 given [v0] from [v2] for n1
    loop 1 with 1 states
        fn step(a: real[n1, 5], b: real[n1, 5, d0.0], s: real[], k: int[])
        v4: real[v3] = gather v0[(v3), i0]
        v5: real[v3, d0.0] = gather v1[(v3), i0, i1]
        loop 0 with 1 states
            fn step(k: int[], a: real[v0], b: real[v0, d0.0], s: real[], i: int[])
            v5: real[] = gather v1[(v4)]
            v6: real[d0.0] = gather v2[(v4), i0]
            v7: real[] = sum v6 over [0]
            v8: real[] = mul(v5, v7)
            v9: real[] = add(v3, v8)
            return v9
        v6: real[] = loop 0 out 0 given [v3, v4, v5] from [v2] for v3
        return v6
    v6: real[] = loop 1 out 0 given [v4, v5] from [v2] for n1
    return v3, v4, v5, v6";

/// The loops of a program, and the loops in them.
fn all_loops(program: &Program, see: &mut impl FnMut(&Sequence)) {
    for step in &program.steps {
        if let Work::Loop(s) = &step.work {
            see(s);
            all_loops(&s.body, see);
        }
    }
}

#[test]
fn beginnings_are_collected_and_given_where_they_are() {
    let x = || reals(&[0.25, 0.5, -0.5]);
    for n in [0, 1, 3, 5] {
        agree(BEGINNINGS, &[x(), int(n)]);
    }
    let program = fused(BEGINNINGS);
    let nests = |program: &Program| {
        let nests = program.steps.iter();
        nests
            .filter(|s| matches!(s.work, Work::Nest(_)) && s.ty.rank() > 0)
            .count()
    };
    let (mut loops, mut padded) = (0, 0);
    all_loops(&program, &mut |s| {
        loops += 1;
        padded += s
            .outs
            .iter()
            .filter(|o| o.ty.shape.first().is_some_and(|n| n.is(5)))
            .count();
        if s.body.steps.iter().any(|s| matches!(s.work, Work::Loop(_))) {
            // What the second is given are rows of five, which generated code reads where they are.
            let is_given_rows = s.body.params.len() == 4;
            assert_eq!(nests(&s.body), if is_given_rows { 2 } else { 0 });
        }
    });
    assert_eq!((loops, padded), (4, 2));
}

#[test]
fn what_is_used_twice_is_no_beginning() {
    // The sum reads what the loop has collected, too.
    let text = BEGINNINGS.replace(
        "return v3, v9, v13",
        "v14: real[] = sum v4 over [0]\n return v14, v9, v13",
    );
    let mut padded = 0;
    all_loops(&fused(&text), &mut |s| {
        padded += s
            .outs
            .iter()
            .filter(|o| o.ty.shape.first().is_some_and(|n| n.is(5)))
            .count();
    });
    assert_eq!(padded, 1);
}

/// A loop with two arrays. Each step changes an element of x and one of y, by both.
fn each_by_the_other(of_other: &str) -> String {
    format!(
        "fn f(x: real[d0.0], y: real[d0.0], k: int[d1.0])
        loop 0 with 2 states
            fn step(k: int[d1.0], x: real[d0.0], y: real[d0.0], i: int[])
            v4: int[] = gather v0[(v3)]
            v5: real[] = gather v1[v4]
            v6: real[] = {of_other}
            v7: real[] = mul(v5, v6)
            v8: real[d0.0] = update v1 with v7[v4]
            v9: real[] = add(v5, v6)
            v10: real[d0.0] = update v2 with v9[(v3)]
            return v8, v10
        v3: real[d0.0] = loop 0 out 0 given [v2] from [v0, v1] for d1.0
        v4: real[d0.0] = loop 0 out 1 given [v2] from [v0, v1] for d1.0
        return v3, v4"
    )
}

#[test]
fn elements_of_each_other_are_read_first() {
    let args = |x: &[f64]| [reals(x), reals(&[5.0, 7.0, 11.0]), ints(&[2, 0, 2])];
    let text = each_by_the_other("gather v2[(v3)]");
    agree(&text, &args(&[1.0, 2.0, 3.0]));
    let program = fused(&text);
    assert_eq!(taken(&sequence(&program).body), [true, true]);
    // A sum of all elements is no element, but a number, and is there before.
    let text = each_by_the_other("sum v2 over [0]");
    agree(&text, &args(&[1.0, 2.0, 3.0]));
    let program = fused(&text);
    assert_eq!(taken(&sequence(&program).body), [true, true]);
}

#[test]
fn what_is_read_first_is_read_where_a_loop_runs() {
    // A row of x changes by an element of b, which the step changes, too; without columns, no
    // element of b need be there.
    let text = "fn f(x: real[d0.0, d0.1], b: real[d1.0], k: int[d2.0])
        loop 0 with 2 states
            fn step(k: int[d2.0], x: real[d0.0, d0.1], b: real[d1.0], i: int[])
            v4: int[] = gather v0[(v3)]
            v5: int[d0.1] = gather v4[]
            v6: int[] = fill 0
            v7: int[] = index d0.1
            v8: bool[] = ilt(v6, v7)
            v9: real[] = [v8] gather v2[v4]
            v10: real[d0.1] = gather v9[]
            v11: real[d0.1] = gather v1[v5, i0]
            v12: real[d0.1] = mul(v10, v11)
            v13: real[d0.0, d0.1] = update v1 with v12[v5, i0]
            v14: real[] = sum v11 over [0]
            v15: real[] = [v8] add(v9, v14)
            v16: real[d1.0] = update v2 with v15[v4] where v8
            return v13, v16
        v3: real[d0.0, d0.1] = loop 0 out 0 given [v2] from [v0, v1] for d2.0
        v4: real[d1.0] = loop 0 out 1 given [v2] from [v0, v1] for d2.0
        return v3, v4";
    let args = |columns: usize, b: &[f64]| {
        let x: Vec<f64> = (0..3 * columns).map(|k| k as f64).collect();
        let x = Value::Real(Tensor::new(vec![3, columns], x));
        [x, reals(b), ints(&[2, 0, 2])]
    };
    agree(text, &args(2, &[5.0, 7.0, 11.0]));
    agree(text, &args(0, &[]));
    let program = fused(text);
    assert_eq!(taken(&sequence(&program).body), [true, true]);
}

#[test]
fn what_is_written_into_an_array_is_written_in_each_step() {
    let text = "fn f(x: real[d0.0], n: int[], y: real[d2.0])
        require d2.0 >= d0.0 + n1
        require n1 >= 0
        v3: real[] = fill 1.0
        loop 0 with 1 states
            fn step(x: real[d0.0], s: real[], i: int[])
            v3: real[] = gather v0[(v2)]
            v4: real[] = mul(v1, v3)
            return v4, v1
        v4: real[d0.0] = loop 0 out 1 given [v0] from [v3] for d0.0
        v5: real[d2.0] = update v2 with v4[i0 + n1]
        return v5";
    let args = |x: &[f64], n: i64, y: &[f64]| [reals(x), int(n), reals(y)];
    let ones = [1.0; 5];
    for text in [
        text.to_owned(),
        text.replace("1 states", "1 states reverse"),
    ] {
        let got = agree(&text, &args(&[2.0, 3.0, 5.0], 1, &ones));
        let wanted = match text.contains("reverse") {
            false => [1.0, 1.0, 2.0, 6.0, 1.0],
            true => [1.0, 15.0, 5.0, 1.0, 1.0],
        };
        assert_eq!(got, vec![reals(&wanted)]);
        agree(&text, &args(&[], 0, &[]));
        let program = fused(&text);
        let found = sequence(&program);
        assert_eq!((found.states, found.body.results.len()), (2, 2));
    }
    // Something else reads what is collected.
    let other = text.replace("return v5", "return v5, v4");
    let program = fused(&other);
    assert_eq!(sequence(&program).states, 1);
    agree(&other, &args(&[2.0, 3.0, 5.0], 2, &ones));
}

#[test]
fn a_part_of_an_array_is_read_where_it_is() {
    let text = "fn f(x: real[d0.0], n: int[], m: int[])
        require d0.0 >= n1 + n2
        require n1 >= 0
        require n2 >= 0
        v3: real[] = fill 0.0
        v4: real[n2] = gather v0[i0 + n1]
        loop 0 with 1 states
            fn step(m: int[], x: real[v0], s: real[], i: int[])
            v4: real[] = gather v1[(v3)]
            v5: real[] = mul(v2, v4)
            v6: real[] = add(v5, v4)
            return v6
        v5: real[] = loop 0 out 0 given [v2, v4] from [v3] for n2
        return v5";
    let twice = text
        .replace("real[n2] = gather v0", "real[d0.0 - n1] = gather v0")
        .replace(
            "loop 0 with",
            "v5: real[n2] = gather v4[i0]\n        loop 0 with",
        )
        .replace("v5: real[] = loop", "v6: real[] = loop")
        .replace("given [v2, v4]", "given [v2, v5]")
        .replace("d0.0\n        return v5", "d0.0\n        return v6");
    let twice = twice.replace("for n2\n        return v5", "for n2\n        return v6");
    for text in [text, &twice] {
        for (n, m) in [(0, 4), (1, 3), (1, 2), (4, 0)] {
            agree(text, &[reals(&[2.0, 3.0, 5.0, 7.0]), int(n), int(m)]);
        }
        let program = fused(text);
        let copies = program.steps.iter().filter(|s| s.ty.shape.len() == 1);
        assert_eq!(copies.count(), 0, "{program}");
    }
}

#[test]
fn a_literal_that_is_read_where_data_says_is_made_once() {
    let text = "fn f(x: real[d0.0], at: int[d1.0], n: int[])
        v3: real[] = fill 0.0
        loop 0 with 1 states
            fn rows(at: int[d1.0], s: real[], i: int[])
            loop 0 with 1 states
                fn step(at: int[d1.0], s: real[], i: int[])
                v3: real[d0.0] = fill 2.0
                v4: int[] = gather v0[(v2)]
                v5: real[] = gather v3[v4]
                v6: real[] = add(v1, v5)
                return v6
            v3: real[] = loop 0 out 0 given [v0] from [v1] for d1.0
            return v3
        v4: real[] = loop 0 out 0 given [v1] from [v3] for n2
        return v4";
    let got = agree(text, &[reals(&[0.0; 3]), ints(&[2, 0]), int(3)]);
    assert_eq!(got, vec![scalar(12.0)]);
    let program = fused(text);
    all_loops(&program, &mut |sequence| {
        let arrays = sequence.body.steps.iter();
        assert_eq!(arrays.filter(|s| s.ty.shape.len() == 1).count(), 0);
    });
    let arrays = program.steps.iter().filter(|s| s.ty.shape.len() == 1);
    assert_eq!(arrays.count(), 1, "{program}");
}

#[test]
fn a_part_is_read_at_the_position_of_an_extremum() {
    let text = "fn f(x: real[d0.0], n: int[], y: real[d2.0])
        require d0.0 >= 2
        require d2.0 >= d0.0
        v3: real[d0.0 - 2, 3] = gather v0[i0 + i1]
        v4: int[d0.0 - 2] = argmax v3 along 1
        v5: real[d0.0 - 2] = gather v3[i0, v4]
        v6: real[d0.0 - 2, 3] = gather v2[i0 + i1]
        v7: real[d0.0 - 2] = gather v6[i0, v4]
        return v4, v5, v7";
    let got = agree(
        text,
        &[
            reals(&[2.0, 3.0, 5.0, 7.0]),
            int(0),
            reals(&[1.0, 2.0, 3.0, 4.0]),
        ],
    );
    assert_eq!(got[2], reals(&[3.0, 4.0]));
    let rank = |text: &str| fused(text).steps.iter().map(|s| s.ty.shape.len()).max();
    assert_eq!(rank(text), Some(1));
    // The row may be empty.
    let empty = text
        .replace(", 3]", ", n1]")
        .replace("d0.0 >= 2", "d0.0 + 1 >= n1");
    let empty = empty.replace("d0.0 - 2", "d0.0 + 1 - n1");
    assert_eq!(rank(&empty), Some(2));
}
