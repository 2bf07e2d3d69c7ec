//! Which steps become one, and that they compute the same.

use super::{bulk_of, no_dearer, real};
use crate::ir::kernel::{Family, Fill, Program, Work};
use crate::ir::value::{Tensor, Value};

/// The kernels of a program, which agree with it on arrays of these shapes.
fn fused(text: &str, shapes: &[&[usize]]) -> Program {
    let mut args: Vec<Value> = (shapes.iter().map(|s| real(s, |k| 1.0 / k as f64))).collect();
    if bulk_of(text).params.len() > args.len() {
        args.push(Value::Int(Tensor::new(vec![3], vec![1, 0, 1])));
    }
    no_dearer(text, &args)
}

fn families(program: &Program) -> Vec<&Family> {
    let steps = program.steps.iter();
    let family = steps.filter_map(|s| match &s.work {
        Work::Family(f) => Some(&**f),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Call(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Tiles(_) => None,
    });
    family.collect()
}

#[test]
fn what_is_read_in_place_is_not_stored() {
    // e = exp(x) is used twice, and only at the same index.
    let text = "fn f(x: real[d0.0])
        v1: real[d0.0] = exp(v0)
        v2: real[d0.0] = mul(v1, v0)
        v3: real[d0.0] = add(v1, v2)
        v4: real[d0.0] = sub(v1, v2)
        return v3, v4";
    let program = fused(text, &[&[5]]);
    let [family] = families(&program)[..] else {
        panic!("{program:?}")
    };
    assert_eq!(program.steps.len(), 1);
    let vars: Vec<u32> = family.members.iter().map(|m| m.var.0).collect();
    assert_eq!(vars, [3, 4]);
}

#[test]
fn where_one_array_is_left_it_is_a_nest() {
    let text = "fn f(x: real[d0.0])
        v1: real[d0.0] = exp(v0)
        v2: real[d0.0] = mul(v1, v1)
        v3: real[d0.0] = div(v2, v1)
        v4: real[d0.0] = add(v3, v2)
        return v4";
    let program = fused(text, &[&[5]]);
    assert!(matches!(program.steps[..], [_]) && families(&program).is_empty());
}

#[test]
fn what_is_read_elsewhere_is_stored_before() {
    // The second array reads the first one backwards.
    let text = "fn f(x: real[d0.0])
        v1: real[d0.0] = exp(v0)
        v2: real[d0.0] = gather v1[d0.0 - i0 - 1]
        v3: real[d0.0] = mul(v2, v2)
        return v1, v3";
    let program = fused(text, &[&[5]]);
    assert_eq!(program.steps.len(), 2);
    assert!(families(&program).is_empty());
}

#[test]
fn other_loops_are_another_pass() {
    let text = "fn f(x: real[d0.0], y: real[d1.0])
        v2: real[d0.0] = exp(v0)
        v3: real[d1.0] = exp(v1)
        return v2, v3";
    assert!(families(&fused(text, &[&[2], &[2]])).is_empty());
}

#[test]
fn sums_at_computed_places_join() {
    let text = "fn f(x: real[d0.0], y: real[2], at: int[d0.0])
        v3: real[d0.0] = mul(v0, v0)
        v4: real[d0.0] = sub(v3, v0)
        v5: real[d0.0] = mul(v3, v4)
        v6: real[2] = scatter v4[v2] + v5[v2]
        v7: real[2] = scatter v3[v2]
        return v5, v6, v7";
    let program = fused(text, &[&[3], &[2]]);
    let [family] = families(&program)[..] else {
        panic!("{program:?}")
    };
    assert_eq!(program.steps.len(), 1);
    let parts: Vec<usize> = (family.members.iter())
        .map(|m| m.fill.parts().len())
        .collect();
    assert_eq!(parts, [0, 2, 1]);
    assert!(matches!(family.members[0].fill, Fill::Each(_)));
}

#[test]
fn a_sum_that_is_read_is_complete() {
    // The last array reads the sum, so it is another pass.
    let text = "fn f(x: real[d0.0], y: real[d0.0], at: int[d0.0])
        v3: real[d0.0] = mul(v0, v1)
        v4: real[d0.0] = scatter v3[v2]
        v5: real[d0.0] = mul(v4, v3)
        return v3, v5";
    let program = fused(text, &[&[3], &[3]]);
    assert_eq!(program.steps.len(), 2);
    assert_eq!(families(&program).len(), 1);
}

#[test]
fn elementary_functions_stay_alone_with_what_is_vectorised() {
    let text = |name: &str| {
        format!(
            "fn f(x: real[d0.0], y: real[2], at: int[d0.0])
            v3: real[d0.0] = {name}(v0)
            v4: real[d0.0] = sub(v3, v0)
            v5: real[d0.0] = mul(v4, v3)
            v6: real[2] = scatter v4[v2]
            return v3, v5, v6"
        )
    };
    let steps = |name| fused(&text(name), &[&[3], &[2]]).steps.len();
    assert_eq!((steps("neg"), steps("exp")), (1, 2));
}

#[test]
fn additions_to_what_a_loop_carries_are_one_pass() {
    let text = "fn f(x: real[d0.0])
        loop 0 with 1 states
            fn step(x: real[d0.0], s: real[2, d0.0], i: int[])
            v3: real[d0.0] = exp(v0)
            v4: real[d0.0] = mul(v3, v3)
            v5: real[2, d0.0] = scatter v1[i0, i1] + v4[0, i0]
            v6: real[2, d0.0] = scatter v5[i0, i1] + v3[1, i0]
            return v6
        v1: real[2, d0.0] = fill 0.0
        v2: real[2, d0.0] = loop 0 out 0 given [v0] from [v1] for 3
        return v2";
    let program = fused(text, &[&[4]]);
    let bodies = program.steps.iter().filter_map(|s| match &s.work {
        Work::Loop(s) => Some(&s.body),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Tiles(_)
        | Work::Branch(_)
        | Work::Call(_) => None,
    });
    let [body] = bodies.collect::<Vec<_>>()[..] else {
        panic!("{program:?}")
    };
    let [family] = families(body)[..] else {
        panic!("{body:?}")
    };
    // exp is a pass of its own: it is vectorised. The two sums are one, and nothing is copied.
    assert_eq!((body.steps.len(), family.members.len()), (2, 1));
    assert_eq!(family.members[0].fill.parts().len(), 2);
    assert!(family.begins.iter().all(|s| s.taken));
}

/// Rows whose lengths are in the third argument.
const ROWS: &str = "fn f(x: real[d0.0], y: real[d0.0], at: int[d0.0])
        v3: int[] = maximum v2 over [0]
        v4: int[d0.0, max(0, v3)] = index i1
        v5: int[d0.0, max(0, v3)] = gather v2[i0]
        v6: bool[d0.0, max(0, v3)] = ilt(v4, v5)
        v7: real[d0.0, max(0, v3)] = [v6] gather v0[i0]
        v8: real[d0.0, max(0, v3)] = [v6] mul(v7, v7)
        v9: real[d0.0, max(0, v3)] = [v6] sub(v8, v7)";

#[test]
fn rows_of_different_lengths_join() {
    // What is stored end to end is used where it is made: in a sum of rows, in a sum at computed
    // places, and in a sum of all.
    let text = format!(
        "{ROWS}
        v10: real[d0.0, max(0, v3)] = [v6] mul(v9, v8)
        v11: real[d0.0] = sum v10 over [1]
        v12: real[d0.0] = scatter v9[v5]
        v13: real[d0.0] = sum v9 over [1]
        v14: real[] = sum v13 over [0]
        return v11, v12, v14"
    );
    let program = fused(&text, &[&[3], &[3]]);
    let [family] = families(&program)[..] else {
        panic!("{program}")
    };
    let adds: Vec<bool> = family.members.iter().map(|m| m.fill.adds()).collect();
    assert_eq!(adds, [true, true, true], "{program}");
}

#[test]
fn rows_that_are_read_elsewhere_are_stored() {
    // Each element is compared with the first one of its row.
    let text = format!(
        "{ROWS}
        v10: real[d0.0, max(0, v3)] = [v6] gather v9[i0, 0]
        v11: real[d0.0, max(0, v3)] = [v6] mul(v9, v10)
        v12: real[d0.0] = sum v11 over [1]
        return v12"
    );
    let program = fused(&text, &[&[3], &[3]]);
    assert!(families(&program).is_empty(), "{program}");
}
