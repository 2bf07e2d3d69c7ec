//! Which arrays are computed where they are needed, also at several places and behind guards.

use super::super::Owned;
use super::{bulk_of, checked, fuse, fuse_as};
use crate::ir::bulk;
use crate::ir::kernel::Program;
use crate::ir::value::{Tensor, Value};
use crate::ir::{bulk_eval, kernel_eval};

/// The kernels of a program as the body of a loop, which must compute the same.
fn fused(text: &str) -> Program {
    let bulk = bulk_of(text);
    let kernels = checked(body(&bulk));
    for n in [0, 1, 2, 5] {
        let data: Vec<f64> = (0..n).map(|k| 0.5 + k as f64).collect();
        let args: Vec<Value> = (bulk.params.iter())
            .map(|p| match p.ty.rank() {
                0 => Value::Real(Tensor::new(vec![], vec![3.0])),
                _ => Value::Real(Tensor::new(vec![n], data.clone())),
            })
            .collect();
        let wanted = bulk_eval::eval(&bulk, &args).unwrap().results;
        assert_eq!(
            kernel_eval::eval(&kernels, &args).unwrap().0,
            wanted,
            "{text}"
        );
    }
    kernels
}

fn body(bulk: &bulk::Program) -> Program {
    fuse_as(bulk, &Owned::by_body(0, 0))
}

/// An exponential that is read one place to the left, where a condition says that there is one.
fn shifted(condition: &str) -> String {
    format!(
        "fn f(x: real[d0.0])
        v1: real[d0.0] = exp(v0)
        v2: int[d0.0] = index i0
        v3: int[d0.0] = fill 0
        v4: int[d0.0] = fill 1
        v5: bool[d0.0] = {condition}
        v6: real[d0.0] = [v5] gather v1[i0 - 1]
        v7: real[d0.0] = [v5] add(v6, v0)
        return v7"
    )
}

#[test]
fn a_guard_that_compares_positions_says_that_a_read_is_inside() {
    for condition in ["ine(v2, v3)", "igt(v2, v3)", "ile(v4, v2)", "ilt(v3, v2)"] {
        assert_eq!(fused(&shifted(condition)).steps.len(), 1, "{condition}");
    }
    // Outside of loops it is stored.
    let bulk = bulk_of(&shifted("ine(v2, v3)"));
    assert_eq!(fuse(&bulk).steps.len(), 2);
    // Not known to be inside: the array is read, so that what fails, fails.
    let data = shifted("ine(v2, v3)").replace(
        "v5: bool[d0.0] = ine(v2, v3)",
        "v5: bool[d0.0] = lt(v0, v0)",
    );
    assert_eq!(fused(&data).steps.len(), 2);
    let two = shifted("ine(v2, v3)").replace("i0 - 1", "i0 - 2");
    let bulk = bulk_of(&two);
    assert_eq!(body(&bulk).steps.len(), 2);
}

/// A product that is needed at so many places, all but one of them from the end.
fn needed(product: &str, places: usize) -> String {
    let mut text = format!(
        "fn f(x: real[d0.0], c: real[], z: real[d0.0])
        v3: real[d0.0] = gather v1[]
        v4: real[d0.0] = {product}
        v5: real[d0.0] = mul(v3, v4)
        v6: real[d0.0] = gather v5[d0.0 - i0 - 1]
        v7: real[d0.0] = exp(v5)\n"
    );
    let mut results = vec!["v7".to_owned()];
    for k in 1..places {
        text += &format!("v{}: real[d0.0] = atan2(v6, v{})\n", 7 + k, 6 + k);
        results.push(format!("v{}", 7 + k));
    }
    text += &format!("return {}", results.join(", "));
    text
}

#[test]
fn two_light_operations_on_one_element_are_repeated() {
    let stored = |text: &str| {
        let kernels = fused(text);
        let made = kernels.steps.iter().flat_map(|s| s.defines());
        made.filter(|(v, _)| !kernels.results.contains(v)).count()
    };
    assert_eq!(stored(&needed("mul(v3, v0)", 5)), 0);
    // Dear, made of two elements, or needed too often.
    assert_eq!(stored(&needed("exp(v0)", 5)), 1);
    assert_eq!(stored(&needed("mul(v0, v2)", 5)), 1);
    assert_eq!(stored(&needed("mul(v3, v0)", 9)), 1);
}

#[test]
fn one_light_operation_on_what_is_stored_anyway_is_repeated() {
    // v3 is needed here and there; its product with another array at two places is not stored.
    let text = "fn f(x: real[d0.0], y: real[d0.0])
        v2: real[d0.0] = exp(v0)
        v3: real[d0.0] = gather v2[d0.0 - i0 - 1]
        v4: real[d0.0] = mul(v3, v1)
        v5: real[d0.0] = gather v4[d0.0 - i0 - 1]
        v6: real[d0.0] = exp(v4)
        v7: real[d0.0] = add(v5, v2)
        return v6, v7";
    let kernels = fused(text);
    let made: Vec<u32> = (kernels.steps.iter().flat_map(|s| s.defines()))
        .map(|(v, _)| v.0)
        .collect();
    assert!(!made.contains(&4) && made.contains(&2), "{made:?}");
}
