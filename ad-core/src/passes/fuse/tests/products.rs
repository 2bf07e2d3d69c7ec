//! Products within bounds, and sums of rows that are added to places.

use super::{bulk_of, fused};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Nest, Operand, Program, Step, Within, Work};
use crate::ir::ty::Size;
use crate::ir::value::{Tensor, Value};
use crate::ir::{bulk_eval, kernel_eval};

/// The operands and the bounds of the only product.
fn product(kernels: &Program) -> (Var, Var, Vec<Within>) {
    let mut all = kernels.steps.iter().filter_map(|s| match &s.work {
        Work::Contract { a, b, within, .. } => {
            let whole = |o: &Operand| o.part.is_none();
            assert!(whole(a) && whole(b));
            Some((a.array, b.array, within.clone()))
        }
        Work::Nest(_)
        | Work::Family(_)
        | Work::Scatter(_)
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Call(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Tiles(_) => None,
    });
    let one = all.next().expect("a product");
    assert!(all.next().is_none());
    one
}

/// Ascending numbers, some of them infinite.
fn numbers(shape: &[usize], infinite: bool) -> Value {
    let number = |k| match k % 7 {
        3 if infinite => f64::INFINITY,
        _ => k as f64,
    };
    let data = (1..=shape.iter().product::<usize>()).map(number);
    Value::Real(Tensor::new(shape.to_vec(), data.collect()))
}

fn same(x: &[Value], y: &[Value]) {
    for (x, y) in x.iter().zip(y) {
        let (Value::Real(x), Value::Real(y)) = (x, y) else {
            panic!("not real")
        };
        let same = |(x, y): (&f64, &f64)| x == y || x.is_nan() && y.is_nan();
        assert!(x.data.iter().zip(&y.data).all(same), "{x:?} is not {y:?}");
    }
}

/// Bulk and kernels agree, on infinities too, at the same cost.
fn agree(text: &str, shapes: &[&[usize]]) {
    let bulk = bulk_of(text);
    let kernels = fused(text);
    for infinite in [false, true] {
        let args: Vec<Value> = shapes.iter().map(|s| numbers(s, infinite)).collect();
        let before = bulk_eval::eval(&bulk, &args).unwrap();
        let (results, cost) = kernel_eval::eval(&kernels, &args).unwrap();
        same(&results, &before.results);
        assert_eq!(cost.operations, before.cost);
    }
}

/// `x - y` is there in full, and once more where a triangle needs it.
fn with_triangle(columns: &str) -> String {
    format!(
        "fn f(x: real[d0.0, d0.1], y: real[d0.0, d0.1], l: real[d0.1, d0.1])
    v3: int[d0.1, d0.1] = index i1
    v4: int[d0.1, d0.1] = index i0
    v5: bool[d0.1, d0.1] = ilt(v3, v4)
    v6: real[d0.1, d0.1] = [v5] sin(v2)
    v7: int[d0.0, d0.1] = index i1
    v8: int[d0.0, d0.1] = index {columns}
    v9: bool[d0.0, d0.1] = ilt(v7, v8)
    v10: real[d0.0, d0.1] = [v9] sub(v0, v1)
    v11: real[d0.0, d0.1] = contract v10[a, b] * v6[c, b] -> [a, c]
    v12: real[d0.0, d0.1] = sub(v0, v1)
    v13: real[d0.0, d0.1] = mul(v12, v12)
    return v11, v13"
    )
}

#[test]
fn what_is_there_in_full_is_stored_once() {
    let text = with_triangle("d0.1 - 1");
    let kernels = fused(&text);
    let (a, b, within) = product(&kernels);
    let below = Within {
        less: 1,
        more: 2,
        by: Size::lit(-1),
    };
    assert_eq!(within, [below]);
    // The difference with the squares, the triangle, and the product.
    assert_eq!(kernels.steps.len(), 3, "{kernels:?}");
    assert!(is_full(&kernels, a) && !is_full(&kernels, b));
    let args: Vec<Value> = [[3, 4], [3, 4], [4, 4]].map(|s| numbers(&s, true)).to_vec();
    let before = bulk_eval::eval(&bulk_of(&text), &args).unwrap();
    let (results, cost) = kernel_eval::eval(&kernels, &args).unwrap();
    same(&results, &before.results);
    // The differences of three columns are computed once, not twice.
    assert_eq!(cost.operations + 9, before.cost);
}

/// Whether all elements of an array are computed.
fn is_full(kernels: &Program, v: Var) -> bool {
    let defines = |s: &&Step| s.defines().iter().any(|(w, _)| *w == v);
    let step = kernels.steps.iter().find(defines).expect("stored");
    let is_guarded = |nest: &Nest, n: usize| nest.nodes[n].guard.is_some();
    match &step.work {
        Work::Nest(nest) => {
            nest.ranges.iter().all(|r| r.is_whole()) && !is_guarded(nest, nest.root)
        }
        // It runs over all indices.
        Work::Family(family) => {
            let member = family.members.iter().find(|m| m.var == v);
            let roots = member.map_or(vec![], |m| m.fill.roots());
            !roots.iter().any(|&n| is_guarded(&family.nest, n))
        }
        Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => false,
    }
}

#[test]
fn what_is_missing_stays_missing() {
    // The triangle meets the last column but one, which the guard leaves out.
    let text = with_triangle("d0.1 - 2");
    let kernels = fused(&text);
    let (a, b, _) = product(&kernels);
    assert!(!is_full(&kernels, a) && !is_full(&kernels, b));
    for d in [1, 4] {
        let args: Vec<Value> = [[2, d], [2, d], [d, d]]
            .map(|s| numbers(&s, false))
            .to_vec();
        let before = bulk_eval::eval(&bulk_of(&text), &args).unwrap();
        same(
            &kernel_eval::eval(&kernels, &args).unwrap().0,
            &before.results,
        );
    }
}

const HALF: &str = "fn f(x: real[d0.0, d0.1], s: real[d0.0])
    v2: int[d0.0, d0.0] = index i1
    v3: int[d0.0, d0.0] = index i0
    v4: bool[d0.0, d0.0] = ile(v2, v3)
    v5: real[d0.0, d0.0] = gather v1[i0]
    v6: real[d0.0, d0.0] = fill 2.0
    v7: bool[d0.0, d0.0] = ne(v5, v6)
    v8: bool[d0.0, d0.0] = and(v4, v7)
    v9: real[d0.0, d0.0] = [v8] contract v0[a, c] * v0[b, c] -> [a, b]
    return v9";

#[test]
fn half_of_a_product() {
    let kernels = fused(HALF);
    let (_, _, within) = product(&kernels);
    let lower = Within {
        less: 1,
        more: 0,
        by: Size::lit(0),
    };
    assert_eq!(within, [lower]);
    // What data says is looked at afterwards.
    assert_eq!(kernels.steps.len(), 2);
}

#[test]
fn two_triangles() {
    let text = "fn f(x: real[d0.0, d0.1], y: real[d0.1, d0.1])
    v2: int[d0.0, d0.1] = index i1
    v3: int[d0.0, d0.1] = index i0
    v4: bool[d0.0, d0.1] = ile(v2, v3)
    v5: real[d0.0, d0.1] = [v4] copy v0
    v6: int[d0.1, d0.1] = index i1
    v7: int[d0.1, d0.1] = index i0
    v8: bool[d0.1, d0.1] = ile(v6, v7)
    v9: real[d0.1, d0.1] = [v8] copy v1
    v10: real[d0.0, d0.1] = contract v5[a, b] * v9[b, c] -> [a, c]
    return v10";
    let (_, _, within) = product(&fused(text));
    assert_eq!(within.len(), 1);
}

#[test]
fn rows_are_added_to_rows() {
    let text = "fn f(x: real[d0.0, d0.1, d0.2], y: real[d1.0, d1.1])
    v2: int[d0.1, d0.2] = fill 0
    v3: int[d0.1, d0.2] = index d0.0
    v4: bool[d0.1, d0.2] = ilt(v2, v3)
    v5: real[d0.1, d0.2] = [v4] sum v0 over [0]
    v6: real[d1.0, d1.1] = scatter v1[i0, i1] + v5[i0, i1]
    return v6";
    let kernels = fused(text);
    // The sum is an array, to which rows are added.
    assert_eq!(kernels.steps.len(), 2);
    assert!(matches!(&kernels.steps[0].work, Work::Family(f) if f.nest.outer == 3));
    agree(text, &[&[3, 2, 2], &[2, 3]]);
    agree(text, &[&[0, 2, 2], &[2, 3]]);
}

/// Sums of so many products, in sums of products with weights.
fn weighted(terms: &str, results: &str) -> String {
    format!(
        "fn f(a: real[d0.0, 3, {terms}], p: real[d1.0, {terms}], w: real[d1.0, d0.0])
    v3: real[d1.0, 3, d0.0] = contract v0[c, b, d] * v1[a, d] -> [a, b, c]
    v4: real[d1.0, 3] = contract v2[a, c] * v3[a, b, c] -> [a, b]
    return {results}"
    )
}

#[test]
fn short_sums_are_within_others() {
    let text = weighted("4", "v4");
    let kernels = fused(&text);
    assert_eq!(kernels.steps.len(), 1, "{kernels:?}");
    assert!(matches!(&kernels.steps[0].work, Work::Nest(_)));
    agree(&text, &[&[2, 3, 4], &[5, 4], &[5, 2]]);
    agree(&text, &[&[0, 3, 4], &[5, 4], &[5, 0]]);
}

#[test]
fn longer_sums_are_products() {
    for text in [
        weighted("5", "v4"),
        weighted("d1.1", "v4"),
        weighted("4", "v3, v4"),
    ] {
        let is_product = |s: &Step| matches!(&s.work, Work::Contract { .. });
        assert!(fused(&text).steps.iter().any(is_product), "{text}");
    }
}

#[test]
fn each_element_of_a_short_sum_is_needed_once() {
    // A product of matrices needs each of its elements many times.
    let text = "fn f(a: real[d0.0, 4], p: real[d1.0, 4], w: real[d0.0, d2.1])
    v3: real[d1.0, d0.0] = contract v0[c, d] * v1[a, d] -> [a, c]
    v4: real[d1.0, d2.1] = contract v3[a, c] * v2[c, b] -> [a, b]
    return v4";
    let kernels = fused(text);
    let is_product = |s: &&Step| matches!(&s.work, Work::Contract { .. });
    assert_eq!(kernels.steps.iter().filter(is_product).count(), 2);
}

#[test]
fn a_loop_says_that_it_runs() {
    let text = |length: &str| {
        format!(
            "fn f(x: real[d0.0, d0.1], y: real[d1.0])
    v2: int[d0.0, d0.1] = fill 0
    v3: int[d0.0, d0.1] = index {length}
    v4: bool[d0.0, d0.1] = ilt(v2, v3)
    v5: real[d0.0, d0.1] = [v4] sin(v0)
    v6: real[d0.0] = sum v5 over [1]
    return v6"
        )
    };
    let guards = |length: &str| {
        let kernels = fused(&text(length));
        let Work::Nest(nest) = &kernels.steps[0].work else {
            panic!("no nest")
        };
        nest.nodes.iter().filter(|s| s.guard.is_some()).count()
    };
    for inside in ["d0.1", "d0.0"] {
        assert_eq!(guards(inside), 0);
        agree(&text(inside), &[&[2, 3], &[0]]);
        agree(&text(inside), &[&[2, 0], &[0]]);
    }
    assert!(guards("d1.0") > 0);
    agree(&text("d1.0"), &[&[2, 3], &[0]]);
}

#[test]
fn points_times_a_small_matrix() {
    let is_product = |s: &Step| matches!(&s.work, Work::Contract { .. });
    let text = |rows: i64, columns: &str| {
        format!(
            "fn f(x: real[d0.0, {rows}], r: real[{rows}, {columns}], t: real[{columns}])
    v3: real[d0.0, {columns}] = contract v0[a, c] * v1[c, b] -> [a, b]
    v4: real[d0.0, {columns}] = gather v2[i1]
    v5: real[d0.0, {columns}] = add(v3, v4)
    return v5"
        )
    };
    assert_eq!(fused(&text(3, "4")).steps.len(), 1);
    agree(&text(3, "4"), &[&[5, 3], &[3, 4], &[4]]);
    for (rows, columns) in [(5, "2"), (4, "5"), (3, "d1.1")] {
        assert!(fused(&text(rows, columns)).steps.iter().any(is_product));
    }
}
