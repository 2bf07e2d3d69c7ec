//! Products of negatives, and products that are added to arrays.

use super::{no_dearer, real};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Operand, Program, Source, Work};
use crate::ir::value::Value;

/// The kernels of a program, which agree with it on arrays of these shapes, zeros among them, at no
/// more operations.
fn fused(text: &str, shapes: &[&[usize]]) -> Program {
    let number = |k: usize| match k % 5 {
        3 => -0.0,
        _ => (k as f64 * 0.7).sin(),
    };
    let args: Vec<Value> = shapes.iter().map(|s| real(s, number)).collect();
    no_dearer(text, &args)
}

/// The products: what is read, and what they are added to.
fn products(program: &Program) -> Vec<(&Operand, &Operand, Option<&Source>)> {
    let product = program.steps.iter().filter_map(|s| match &s.work {
        Work::Contract { a, b, onto, .. } => Some((a, b, onto.as_ref())),
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
    product.collect()
}

const SHAPES: &[&[usize]] = &[&[3, 4], &[3, 4], &[4, 2]];

#[test]
fn negatives_are_not_stored() {
    let text = "fn f(x: real[d0.0, d0.1], y: real[d0.0, d0.1], w: real[d0.1, d2.1])
    v3: real[d0.0, d0.1] = sin(v0)
    v4: real[d0.0, d0.1] = mul(v3, v3)
    v5: real[d0.0, d0.1] = neg(v3)
    v6: real[d0.0, d2.1] = contract v5[a, b] * v2[b, c] -> [a, c]
    v7: real[d0.1, d0.1] = contract v5[a, b] * v5[a, c] -> [b, c]
    return v4, v6, v7";
    let program = fused(text, SHAPES);
    let [(a, b, _), (c, d, _)] = products(&program)[..] else {
        panic!("two products")
    };
    assert!(a.negated && !b.negated && c.negated && d.negated);
    assert_eq!((a.array, c.array, d.array), (Var(3), Var(3), Var(3)));
    assert_eq!(program.steps.len(), 3);
}

#[test]
fn negatives_that_are_wanted_are_stored_once() {
    // The sine is nobody's, and so its negative is stored, as the result.
    let text = "fn f(x: real[d0.0, d0.1], y: real[d0.0, d0.1], w: real[d0.1, d2.1])
    v3: real[d0.0, d0.1] = sin(v0)
    v4: real[d0.0, d0.1] = neg(v3)
    v5: real[d0.0, d2.1] = contract v4[a, b] * v2[b, c] -> [a, c]
    v6: real[d0.0, d0.1] = neg(v1)
    v7: real[d0.0, d2.1] = contract v6[a, b] * v2[b, c] -> [a, c]
    return v4, v5, v6, v7";
    let program = fused(text, SHAPES);
    let [(a, ..), (c, ..)] = products(&program)[..] else {
        panic!("two products")
    };
    assert!(!a.negated && a.array == Var(4));
    // An argument is there in any case.
    assert!(c.negated && c.array == Var(1));
}

/// A program that adds, or the like, a product to an array that is an argument or not.
fn with_sum(sum: &str, uses: &str) -> String {
    format!(
        "fn f(x: real[d0.0, d0.1], y: real[d0.0, d0.1], w: real[d0.1, d0.1])
    v3: real[d0.0, d0.1] = contract v0[a, b] * v2[b, c] -> [a, c]
    v4: real[d0.0, d0.1] = contract v1[a, b] * v2[b, c] -> [a, c]
    v5: real[d0.0, d0.1] = {sum}
    {uses}"
    )
}

const SQUARE: &[&[usize]] = &[&[3, 4], &[3, 4], &[4, 4]];

#[test]
fn a_sum_may_be_a_result() {
    for (sum, negated) in [("add(v3, v4)", false), ("sub(v3, v4)", true)] {
        let program = fused(&with_sum(sum, "return v5"), SQUARE);
        let [(.., None), (a, b, Some(onto))] = products(&program)[..] else {
            panic!("the second is added to the first: {program:?}")
        };
        assert_eq!(program.steps.len(), 2, "{sum}");
        assert_eq!(a.negated != b.negated, negated);
        let wanted = Source {
            array: Var(3),
            taken: true,
        };
        assert_eq!(*onto, wanted);
    }
}

#[test]
fn two_products_are_added_in_place() {
    let all = "v6: real[d0.0, d0.1] = add(v5, v0)
    v7: real[d0.0, d0.1] = tanh(v6)
    return v7";
    for (sum, negated) in [
        ("add(v3, v4)", false),
        ("add(v4, v3)", false),
        ("sub(v3, v4)", true),
        ("sub(v4, v3)", true),
    ] {
        let program = fused(&with_sum(sum, all), SQUARE);
        let [(.., None), (a, _, Some(onto))] = products(&program)[..] else {
            panic!("the second is added to the first: {program:?}")
        };
        assert!(onto.taken && a.negated == negated);
        assert_eq!(program.steps.len(), 3, "{sum}");
    }
}

#[test]
fn other_sums_stay() {
    for (sum, uses) in [
        // An argument stays as it is.
        ("sub(v1, v3)", "return v5"),
        // Somebody else needs the product, or what it is added to.
        ("add(v3, v4)", "return v4, v5"),
        ("add(v3, v4)", "return v3, v5"),
        // It is needed twice.
        (
            "mul(v3, v3)",
            "v6: real[d0.0, d0.1] = add(v5, v3)\n    return v6",
        ),
        // What it is added to is not added to alone, and stays.
        (
            "add(v1, v3)",
            "v6: real[d0.0, d0.1] = mul(v5, v1)\n    return v6",
        ),
    ] {
        let program = fused(&with_sum(sum, uses), SQUARE);
        let added = products(&program).iter().any(|(.., onto)| onto.is_some());
        assert!(!added, "{sum}: {program:?}");
    }
}

#[test]
fn a_negative_product_is_not_added() {
    // `y - 0` and `y + (0 - 0)` are different zeros, if y is negative.
    let text = "fn f(x: real[d0.0, d0.1], y: real[d0.0, d0.1], w: real[d0.1, d0.1])
    v3: real[d0.0, d0.1] = neg(v0)
    v4: real[d0.0, d0.1] = contract v1[a, b] * v2[b, c] -> [a, c]
    v5: real[d0.0, d0.1] = contract v3[a, b] * v2[b, c] -> [a, c]
    v6: real[d0.0, d0.1] = sub(v4, v5)
    return v6";
    let program = fused(text, SQUARE);
    let [(.., None), (a, _, None)] = products(&program)[..] else {
        panic!("alone")
    };
    assert!(a.negated);
}
