//! Where the loops of fused programs run, and that they compute the same there.

use super::{bulk_of, fused, real};
use crate::ir::kernel::{Affine, At, Compute, Nest, Range, Work};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;
use crate::ir::value::{Tensor, Value};
use crate::ir::{bulk_eval, kernel_check, kernel_eval};

/// The only nest of a program.
fn nest(text: &str) -> Nest {
    let mut steps = fused(text).steps;
    assert_eq!(steps.len(), 1, "{steps:?}");
    match steps.remove(0).work {
        Work::Nest(nest) => nest,
        other @ (Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Call(_)
        | Work::Tiles(_)
        | Work::Loop(_)
        | Work::Branch(_)) => {
            panic!("no nest: {other:?}")
        }
    }
}

fn compares(nest: &Nest) -> bool {
    let is = |p: Prim| p == Prim::ILt || p == Prim::ILe || p == Prim::IGe || p == Prim::IEq;
    let all = nest.nodes.iter().map(|s| &s.compute);
    all.into_iter()
        .any(|c| matches!(c, Compute::Prim(p, _) if is(*p)))
}

fn squares(shape: &[usize]) -> Value {
    real(shape, |k| (k * k) as f64)
}

/// Bulk and kernels agree on arrays of ascending numbers of these shapes; gives the costs.
fn agree(text: &str, shapes: &[&[usize]]) -> (u64, u64) {
    let args: Vec<Value> = shapes.iter().map(|s| squares(s)).collect();
    let bulk = bulk_eval::eval(&bulk_of(text), &args).unwrap();
    let (results, cost) = kernel_eval::eval(&fused(text), &args).unwrap();
    assert_eq!(results, bulk.results);
    (bulk.cost, cost.operations)
}

fn range(from: &[Affine], to: &[Affine]) -> Range {
    Range {
        from: from.to_vec(),
        to: to.iter().cloned().map(At::Affine).collect(),
    }
}

const PREFIX: &str = "fn f(x: real[d0.0])
    v1: int[d0.0, d0.0] = index i1
    v2: int[d0.0, d0.0] = index i0
    v3: bool[d0.0, d0.0] = ile(v1, v2)
    v4: real[d0.0, d0.0] = [v3] gather v0[i1]
    v5: real[d0.0] = sum v4 over [1]
    return v5";

#[test]
fn prefix_sums() {
    let nest = nest(PREFIX);
    assert_eq!(nest.ranges[1], range(&[], &[Affine::of(0).plus(1)]));
    assert!(!compares(&nest));
    assert_eq!(agree(PREFIX, &[&[5]]), (10, 10));
    agree(PREFIX, &[&[0]]);
}

#[test]
fn bounds_on_both_sides_of_every_loop() {
    // Σ_ij [i ≥ 1 ∧ j > i ∧ j ≤ i + 2] m[i, j]
    let text = "fn f(m: real[d0.0, d0.1])
        v1: int[d0.0, d0.0] = index i0
        v2: int[d0.0, d0.0] = index i1
        v3: int[d0.0, d0.0] = index i0 + 2
        v4: int[d0.0, d0.0] = fill 1
        v5: bool[d0.0, d0.0] = ige(v1, v4)
        v6: bool[d0.0, d0.0] = igt(v2, v1)
        v7: bool[d0.0, d0.0] = ile(v2, v3)
        v8: bool[d0.0, d0.0] = and(v5, v6)
        v9: bool[d0.0, d0.0] = and(v8, v7)
        v10: real[d0.0, d0.0] = [v9] gather v0[i0, i1]
        v11: real[] = sum v10 over [0, 1]
        return v11";
    let nest = nest(text);
    let one = Affine::constant(Size::lit(1));
    assert_eq!(nest.ranges[0], range(&[one], &[]));
    let (from, to) = (Affine::of(0).plus(1), Affine::of(0).plus(3));
    assert_eq!(nest.ranges[1], range(&[from], &[to]));
    assert!(!compares(&nest));
    for n in 0..6 {
        agree(text, &[&[n, n]]);
    }
}

#[test]
fn a_diagonal_array_is_zeros_and_its_diagonal() {
    let text = "fn f(x: real[d0.0])
        v1: int[d0.0, d0.0] = index i0
        v2: int[d0.0, d0.0] = index i1
        v3: bool[d0.0, d0.0] = ieq(v1, v2)
        v4: real[d0.0, d0.0] = gather v0[i0]
        v5: real[d0.0, d0.0] = [v3] exp(v4)
        return v5";
    let nest = nest(text);
    assert_eq!(nest.once(1), Some(Affine::of(0)));
    assert!(!compares(&nest));
    assert_eq!(agree(text, &[&[4]]), (4, 4));
}

#[test]
fn the_first_and_the_last_index_are_one_iteration() {
    for at in ["0", "d0.0 - 1"] {
        let text = format!(
            "fn f(x: real[d0.0])
            v1: int[d0.0] = index i0
            v2: int[d0.0] = index {at}
            v3: bool[d0.0] = ieq(v1, v2)
            v4: real[d0.0] = [v3] exp(v0)
            return v4"
        );
        assert!(nest(&text).once(0).is_some(), "{at}");
        agree(&text, &[&[3]]);
        agree(&text, &[&[0]]);
    }
}

#[test]
fn what_is_neutral_is_left_out() {
    // An extremum over j ≥ i, and the first place of it.
    let text = |op: &str| {
        format!(
            "fn f(x: real[d0.0])
            v1: int[d0.0, d0.0] = index i1
            v2: int[d0.0, d0.0] = index i0
            v3: bool[d0.0, d0.0] = ige(v1, v2)
            v4: real[d0.0, d0.0] = [v3] gather v0[i1]
            v5: real[d0.0, d0.0] = fill -inf
            v6: real[d0.0, d0.0] = select(v3, v4, v5)
            v7: {op}
            return v7"
        )
    };
    for op in [
        "real[d0.0] = maximum v6 over [1]",
        "int[d0.0] = argmax v6 along 1",
    ] {
        let nest = nest(&text(op));
        assert_eq!(nest.ranges[1], range(&[Affine::of(0)], &[]), "{op}");
        assert!(!compares(&nest), "{op}");
        agree(&text(op), &[&[4]]);
    }
    // Here −∞ is not.
    let op = "real[d0.0] = minimum v6 over [1]";
    assert!(nest(&text(op)).ranges[1].is_whole());
    agree(&text(op), &[&[4]]);
}

#[test]
fn a_condition_that_may_fail_is_not_left_out() {
    // The read of x at data fails for j ≥ i too, and is not guarded against it.
    let text = |guard: &str| {
        format!(
            "fn f(x: real[d0.0], at: int[d0.0])
            v2: int[d0.0, d0.0] = index i1
            v3: int[d0.0, d0.0] = index i0
            v4: bool[d0.0, d0.0] = ilt(v2, v3)
            v5: int[d0.0, d0.0] = gather v1[i1]
            v6: real[d0.0, d0.0] = {guard} gather v0[v5]
            v7: real[d0.0, d0.0] = {guard} fill 0.0
            v8: bool[d0.0, d0.0] = {guard} lt(v7, v6)
            v9: bool[d0.0, d0.0] = and(v4, v8)
            v10: real[d0.0, d0.0] = [v9] copy v6
            v11: real[d0.0] = sum v10 over [1]
            return v11"
        )
    };
    let last = |text: &str| {
        let step = fused(text).steps.pop().unwrap();
        let Work::Nest(nest) = step.work else {
            panic!("no nest")
        };
        nest.ranges[1].is_whole()
    };
    assert!(last(&text("")));
    assert!(!last(&text("[v4]")));
}

#[test]
fn a_loop_ends_at_computed_integers() {
    let text = "fn f(x: real[d0.0], ends: int[d1.0])
        v2: int[d1.0, d0.0] = index i1
        v3: int[d1.0, d0.0] = gather v1[i0]
        v4: bool[d1.0, d0.0] = ilt(v2, v3)
        v5: real[d1.0, d0.0] = [v4] gather v0[i1]
        v6: real[d1.0] = sum v5 over [1]
        return v6";
    let nest = nest(text);
    assert!(matches!(nest.ranges[1].to[..], [At::Node(_)]));
    assert!(!compares(&nest));
    let ends = Value::Int(Tensor::new(vec![4], vec![2, -3, 9, 0]));
    let (results, cost) = kernel_eval::eval(&fused(text), &[squares(&[3]), ends]).unwrap();
    let wanted = Value::Real(Tensor::new(vec![4], vec![5.0, 0.0, 14.0, 0.0]));
    assert_eq!((results, cost.operations), (vec![wanted], 3));
}

#[test]
fn a_loop_over_nothing_does_not_divide_by_its_length() {
    // Σ_j [j < 7 / n] x[j], where x has n elements.
    let text = "fn f(x: real[d0.0])
        v1: int[d0.0] = index i0
        v2: int[d0.0] = index quot(7, d0.0)
        v3: bool[d0.0] = ilt(v1, v2)
        v4: real[d0.0] = [v3] copy v0
        v5: real[] = sum v4 over [0]
        return v5";
    assert!(matches!(nest(text).ranges[0].to[..], [At::Node(_)]));
    for n in [0, 2, 3, 9] {
        agree(text, &[&[n]]);
    }
}

/// A stored array has lost its guard, and the sum visits what the guard bounds all the same, of
/// integers too.
#[test]
fn sums_of_stored_triangles_visit_the_triangle() {
    for (elem, prim) in [("real", "sin"), ("int", "real_to_int")] {
        let text = format!(
            "fn f(x: real[d0.0])
                v1: int[d0.0, d0.0] = index i1
                v2: int[d0.0, d0.0] = index i0
                v3: bool[d0.0, d0.0] = ile(v1, v2)
                v4: real[d0.0, d0.0] = gather v0[i1]
                v5: {elem}[d0.0, d0.0] = [v3] {prim}(v4)
                v6: {elem}[d0.0] = sum v5 over [1]
                return v5, v6"
        );
        let program = fused(&text);
        kernel_check::check(&program).expect("a program of kernels");
        for n in [0, 1, 9, 65] {
            agree(&text, &[&[n]]);
        }
        let sum = program.steps.iter().find(|s| s.ty.shape.len() == 1);
        let Some(Work::Nest(nest)) = sum.map(|s| &s.work) else {
            panic!("no nest: {program}");
        };
        assert!(!nest.ranges[1].is_whole(), "{program}");
    }
}

/// A sum over `x[i, j]` whose terms have a condition that is made of `y[..]` by 60 steps, each of
/// which reads the one before it twice.
fn sum_where(read: &str) -> String {
    let mut text = format!(
        "fn f(x: real[d0.0, d0.1], y: real[], z: real[d0.1])
        v3: real[d0.0, d0.1] = {read}
        v4: real[d0.0, d0.1] = fill 0.0
        v5: bool[d0.0, d0.1] = lt(v4, v3)\n"
    );
    for k in 6..66 {
        let before = k - 1;
        text += &format!("v{k}: bool[d0.0, d0.1] = xor(v{before}, v{before})\n");
    }
    text + "v66: real[d0.0, d0.1] = [v65] sin(v0)
        v67: real[d0.0] = sum v66 over [1]
        return v67"
}

#[test]
fn a_condition_that_all_terms_share_is_that_of_the_sum() {
    let guard = |read: &str| {
        let nest = nest(&sum_where(read));
        nest.nodes[nest.root].guard.is_some()
    };
    assert!(guard("gather v1[]"));
    // One that changes from term to term is not.
    assert!(!guard("gather v2[i1]"));
}

/// A sum over j and k of `x[j, k]` where `condition` holds, of integers i, j, k and n.
fn sum_if(condition: &str) -> (Nest, Option<usize>) {
    let text = format!(
        "fn f(x: real[d0.0, d0.1], n: int[])
            v2: int[d0.0, d0.0, d0.1] = index i0
            v3: int[d0.0, d0.0, d0.1] = index n1
            v4: int[d0.0, d0.0, d0.1] = index i2
            v5: int[d0.0, d0.0, d0.1] = index i1
            v6: bool[d0.0, d0.0, d0.1] = ieq(v2, v3)
            v7: real[d0.0, d0.0, d0.1] = gather v0[i1, i2]
            v8: bool[d0.0, d0.0, d0.1] = {condition}
            v9: bool[d0.0, d0.0, d0.1] = and(v6, v8)
            v10: real[d0.0, d0.0, d0.1] = [v9] sin(v7)
            v11: real[d0.0, d0.0] = sum v10 over [2]
            v12: real[d0.0, d0.0] = mul(v11, v11)
            v13: real[d0.0] = sum v12 over [1]
            return v13"
    );
    let nest = nest(&text);
    let sums = nest.nodes.iter().filter(|s| !s.own().is_empty());
    let guards = sums.filter_map(|s| s.guard).next();
    (nest, guards)
}

#[test]
fn a_condition_without_the_index_of_a_sum_is_that_of_the_sum() {
    // With more that changes from term to term, with more that does not, and with a bound.
    for condition in ["lt(v7, v7)", "ieq(v5, v3)", "ilt(v4, v5)"] {
        let (nest, guard) = sum_if(condition);
        assert!(guard.is_some(), "{condition}: {nest:?}");
    }
}
