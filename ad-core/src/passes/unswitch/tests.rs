//! Branches are found, cost nothing if they are not taken, and compute the same.

use super::unswitch;
use crate::ir::bulk::Op;
use crate::ir::bulk::Program;
use crate::ir::kernel::{self, Work};
use crate::ir::value::{Tensor, Value};
use crate::ir::{bulk_check, bulk_eval, bulk_text, kernel_check, kernel_eval};
use crate::passes::fuse::steps::PASSES;
use crate::passes::fuse::{PREPARATIONS, lower};
use crate::passes::simplify::simplify_part;

fn reals(shape: &[usize]) -> Value {
    let data = (1..=shape.iter().product::<usize>()).map(|k| (k as f64).sqrt());
    Value::Real(Tensor::new(shape.to_vec(), data.collect()))
}

fn flag(b: bool) -> Value {
    Value::Bool(Tensor::scalar(b))
}

/// The kernels of a program.
fn fuse(program: &Program) -> kernel::Program {
    let prepared = (PREPARATIONS.iter()).fold(program.clone(), |program, (_, pass)| pass(&program));
    (PASSES.iter()).fold(lower(&prepared), |kernels, pass| pass.run(kernels))
}

/// The branches of a program that computes the same with them and without.
fn branches(text: &str, args: &[Value]) -> (Vec<kernel::Branch>, u64) {
    let bulk = bulk_text::parse(text).unwrap();
    bulk_check::check(&bulk).unwrap_or_else(|e| panic!("{e}\n{bulk}"));
    let split = unswitch(&bulk, &simplify_part).unwrap_or_else(|| bulk.clone());
    bulk_check::check(&split).unwrap_or_else(|e| panic!("{e}\n{split}"));
    let kernels = fuse(&split);
    kernel_check::check(&kernels).unwrap_or_else(|e| panic!("{e}\n{kernels}"));
    let wanted = bulk_eval::eval(&bulk, args).unwrap().results;
    let (found, cost) = kernel_eval::eval(&kernels, args).unwrap();
    assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
    let branches = kernels.steps.into_iter().filter_map(|s| match s.work {
        Work::Branch(b) => Some(*b),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Call(_)
        | Work::Tiles(_) => None,
    });
    (branches.collect(), cost.visits)
}

/// `if c { |a x|² } else { Σ sin x }`
const SIDES: &str = "fn f(a: real[d0.0, d0.1], x: real[d0.1], c: bool[])
    v3: bool[d0.0, d0.1] = gather v2[]
    v4: real[d0.0, d0.1] = [v3] gather v1[i1]
    v5: real[d0.0, d0.1] = [v3] mul(v0, v4)
    v6: bool[d0.0] = gather v2[]
    v7: real[d0.0] = [v6] sum v5 over [1]
    v8: real[d0.0] = [v6] mul(v7, v7)
    v9: real[] = [v2] sum v8 over [0]
    v10: bool[d0.1] = gather v2[]
    v11: bool[d0.1] = not(v10)
    v12: real[d0.1] = [v11] sin(v1)
    v13: bool[] = not(v2)
    v14: real[] = [v13] sum v12 over [0]
    v15: real[] = select(v2, v9, v14)
    return v15";

#[test]
fn each_side_is_a_branch() {
    for (c, most) in [(true, 40), (false, 10)] {
        let (found, visits) = branches(SIDES, &[reals(&[5, 6]), reals(&[6]), flag(c)]);
        assert_eq!(found.len(), 2);
        assert!(visits <= most, "{visits}");
    }
}

#[test]
fn a_product_behind_a_condition_is_one() {
    let (found, _) = branches(SIDES, &[reals(&[5, 6]), reals(&[6]), flag(true)]);
    let is_product = |b: &kernel::Branch| {
        let mut steps = b.then.body.steps.iter();
        steps.any(|s| matches!(s.work, Work::Contract { .. }))
    };
    assert_eq!(found.iter().filter(|b| is_product(b)).count(), 1);
}

#[test]
fn what_is_needed_otherwise_stays() {
    let (found, _) = branches(
        "fn f(x: real[d0.0], c: bool[])
            v2: real[] = sum v0 over [0]
            v3: real[] = mul(v2, v2)
            v4: real[] = select(v1, v3, v2)
            return v4",
        &[reals(&[5]), flag(false)],
    );
    assert!(found.is_empty());
}

#[test]
fn what_stands_between_splits_a_branch() {
    // The second sum needs what is added to the first whatever the condition is.
    let (found, _) = branches(
        "fn f(x: real[d0.0], c: bool[])
            v2: bool[d0.0] = gather v1[]
            v3: real[d0.0] = [v2] sin(v0)
            v4: real[] = [v1] sum v3 over [0]
            v5: real[] = fill 1.0
            v6: real[] = add(v4, v5)
            v7: real[d0.0] = gather v6[]
            v8: real[d0.0] = [v2] mul(v0, v7)
            v9: real[d0.0] = [v2] cos(v8)
            v10: real[] = [v1] sum v9 over [0]
            v11: real[] = add(v6, v10)
            return v11",
        &[reals(&[5]), flag(true)],
    );
    assert_eq!(found.len(), 2);
}

#[test]
fn a_condition_is_made_before_what_it_decides() {
    // All that reads the first sum is the condition, which only guards what is zero without it.
    let (found, _) = branches(
        "fn f(x: real[d0.0])
            v1: real[] = sum v0 over [0]
            v2: real[] = fill 0.0
            v3: bool[] = gt(v1, v2)
            v4: bool[d0.0] = gather v3[]
            v5: real[d0.0] = [v4] sin(v0)
            v6: real[] = sum v5 over [0]
            return v6",
        &[reals(&[5])],
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn a_size_with_a_name_is_given() {
    let (found, _) = branches(
        "fn f(x: real[d0.0], c: bool[])
            v2: int[] = index 2*d0.0
            v3: bool[v2] = gather v1[]
            v4: int[v2] = index 0
            v5: real[v2] = [v3] gather v0[v4]
            v6: real[v2] = [v3] sin(v5)
            v7: real[] = [v1] sum v6 over [0]
            v8: real[v2] = gather v7[]
            v9: real[v2] = add(v8, v8)
            return v9",
        &[reals(&[5]), flag(true)],
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn what_is_absent_is_not_written() {
    // Without the condition the place is outside.
    let (found, _) = branches(
        "fn f(x: real[d0.0], y: real[d1.0], c: bool[], k: int[])
            v4: bool[d0.0] = gather v2[]
            v5: real[d0.0] = [v4] sin(v0)
            v6: real[] = [v2] sum v5 over [0]
            v7: real[d1.0] = scatter v6[(v3)] + v1[i0]
            return v7",
        &[
            reals(&[5]),
            reals(&[3]),
            flag(false),
            Value::Int(Tensor::scalar(7)),
        ],
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn an_array_is_changed_where_it_is_made() {
    let text = "fn f(x: real[d0.0], c: bool[])
        v2: real[d0.0] = sin(v0)
        loop 0 with 1 states
          fn step(s: real[d0.0], i: int[])
            v2: real[] = fill 1.0
            v3: real[d0.0] = update v0 with v2[(v1)]
            return v3
        v3: real[d0.0] = loop 0 out 0 given [] from [v2] for d0.0
        v4: bool[d0.0] = gather v1[]
        v5: real[d0.0] = select(v4, v3, v2)
        return v5";
    let bulk: Program = bulk_text::parse(text).unwrap();
    bulk_check::check(&bulk).unwrap_or_else(|e| panic!("{e}\n{bulk}"));
    assert!(bulk.eqs.iter().any(|e| matches!(e.op, Op::Loop { .. })));
    assert!(unswitch(&bulk, &simplify_part).is_none());
}

#[test]
fn nested_conditions_are_branches_side_by_side() {
    // `if c { s = Σ x; if d { Σ sin (s x) } else { s } } else { 0 }`
    let text = "fn f(x: real[d0.0], c: bool[], d: bool[])
        v3: bool[d0.0] = gather v1[]
        v4: real[d0.0] = [v3] sin(v0)
        v5: real[] = [v1] sum v4 over [0]
        v6: bool[] = and(v1, v2)
        v7: bool[d0.0] = gather v6[]
        v8: real[d0.0] = gather v5[]
        v9: real[d0.0] = [v7] mul(v0, v8)
        v10: real[d0.0] = [v7] sin(v9)
        v11: real[] = [v6] sum v10 over [0]
        v12: real[] = select(v2, v11, v5)
        v13: real[] = fill 0.0
        v14: real[] = select(v1, v12, v13)
        return v14";
    for (c, d, most) in [
        (true, true, 10),
        (true, false, 5),
        (false, true, 0),
        (false, false, 0),
    ] {
        let (found, visits) = branches(text, &[reals(&[5]), flag(c), flag(d)]);
        assert_eq!(found.len(), 2);
        let has_branch = |b: &kernel::Branch| {
            let mut steps = b.then.body.steps.iter();
            steps.any(|s| matches!(s.work, Work::Branch(_)))
        };
        assert!(!found.iter().any(has_branch));
        assert!(visits <= most + 5, "{c} {d}: {visits}");
    }
}

#[test]
fn what_another_branch_reads_is_computed_in_a_branch() {
    // The elements of v4 are read under both literals of the second condition.
    let (found, _) = branches(
        "fn f(x: real[d0.0], c: bool[], d: bool[])
            v3: bool[d0.0] = gather v1[]
            v4: real[d0.0] = [v3] exp(v0)
            v5: bool[] = and(v1, v2)
            v6: bool[d0.0] = gather v5[]
            v7: real[d0.0] = [v6] sin(v4)
            v8: real[] = [v5] sum v7 over [0]
            v9: bool[] = not(v2)
            v10: bool[] = and(v1, v9)
            v11: bool[d0.0] = gather v10[]
            v12: real[d0.0] = [v11] mul(v4, v4)
            v13: real[] = [v10] sum v12 over [0]
            v14: real[] = select(v2, v8, v13)
            v15: real[] = fill 0.0
            v16: real[] = select(v1, v14, v15)
            return v16",
        &[reals(&[5]), flag(false), flag(true)],
    );
    assert_eq!(found.len(), 3);
}
