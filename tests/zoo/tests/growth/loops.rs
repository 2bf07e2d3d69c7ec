//! Windows, prefixes and sequential loops, in which many steps read what one has written.

use crate::{Bounds, Degrees, Growth, LINEAR, int, real, zoo};
use cotangent_core::ir::value::{Tensor, Value};

#[test]
fn convolution() {
    let at = |n: usize, k: usize| zoo("convolution_1d", vec![real(&[n]), real(&[k])]);
    let (n, k) = (64, 8);
    Growth::of("convolution")
        .along("n", 24, |n| at(n, 4), LINEAR)
        .along("k", 4, |k| at(64, k), LINEAR)
        .along(
            "n and k",
            4,
            |k| at(8 * k, k),
            Degrees {
                value: 2,
                gradient: 2,
                ..LINEAR
            },
        )
        .within(
            "n = 64, k = 8",
            at(n, k),
            Bounds {
                value: 2 * n * k,
                beyond: 4 * n * k,
                stored: 2 * n + k,
            },
        )
        .end();
}

#[test]
fn prefix_sums() {
    let at = |n| zoo("prefix_sums", vec![real(&[n])]);
    let n = 32;
    Growth::of("prefix sums")
        .along(
            "n",
            8,
            at,
            Degrees {
                value: 2,
                gradient: 2,
                ..LINEAR
            },
        )
        .within(
            "n = 32",
            at(n),
            Bounds {
                value: n * n / 2,
                beyond: n * n / 2,
                stored: 2 * n,
            },
        )
        .end();
}

#[test]
fn cholesky() {
    let at = |n| zoo("cholesky_by_loops", vec![real(&[n, n]), real(&[n])]);
    // Each element is written once: what was there before is kept, and no array of any step.
    let degrees = Degrees {
        value: 3,
        gradient: 3,
        value_stored: 2,
        gradient_stored: 2,
    };
    Growth::of("Cholesky factorisation")
        .along("n", 3, at, degrees)
        .within(
            "n = 12",
            at(12),
            Bounds {
                value: 2 * 12 * 12 * 12 + 12 * 12 * 12 / 3 + 4 * 12 * 12,
                beyond: 4 * 12 * 12 * 12 + 2 * 12 * 12 * 12 / 3 + 8 * 12 * 12,
                stored: 16 * 12 * 12,
            },
        )
        .end();
}

#[test]
fn gauss_seidel() {
    let at = |n, sweeps| {
        let args = vec![real(&[n, n]), real(&[n]), int(sweeps)];
        zoo("gauss_seidel_sweeps", args)
    };
    let in_size = Degrees {
        value: 2,
        gradient: 2,
        value_stored: 1,
        gradient_stored: 2,
    };
    let in_sweeps = Degrees {
        value_stored: 0,
        ..LINEAR
    };
    let (n, sweeps) = (6, 16);
    Growth::of("Gauss-Seidel sweeps")
        .along("n", 4, |n| at(n, 3), in_size)
        .along("sweeps", 4, |k| at(4, k), in_sweeps)
        // A few numbers for each element that a sweep replaces; the states are not kept.
        .within(
            "n = 6, 16 sweeps",
            at(n, sweeps),
            Bounds {
                value: sweeps * (2 * n * n + 2 * n),
                beyond: sweeps * (4 * n * n + 10 * n),
                stored: 5 * sweeps * n + 2 * n * n + 8 * n,
            },
        )
        .end();
}

#[test]
fn factors_in_place() {
    // What a step overwrites is kept, also where a loop stands between statements or under a
    // condition.
    let degrees = Degrees {
        value: 3,
        gradient: 3,
        value_stored: 2,
        gradient_stored: 3,
    };
    let by_columns = |n| zoo("cholesky_by_columns", vec![real(&[n, n])]);
    Growth::of("Cholesky factorisation by columns")
        .along(
            "n",
            4,
            by_columns,
            Degrees {
                gradient_stored: 2,
                ..degrees
            },
        )
        .within(
            "n = 12",
            by_columns(12),
            Bounds {
                value: 2 * 12 * 12 * 12 + 8 * 12 * 12,
                beyond: 4 * 12 * 12 * 12 + 12 * 12 * 12,
                stored: 16 * 12 * 12,
            },
        )
        .end();
    let others = |n| {
        let args = vec![real(&[n, n]), real(&[])];
        zoo("elimination_of_others", args)
    };
    Growth::of("elimination of all other rows")
        .along("n", 3, others, degrees)
        .end();
}

/// An elimination reads nothing in its products that it overwrites later, so nothing is kept of
/// the n³ elements that it overwrites.
#[test]
fn eliminations() {
    let degrees = Degrees {
        value: 3,
        gradient: 3,
        value_stored: 2,
        gradient_stored: 2,
    };
    let at = |n| zoo("lu_by_loops", vec![real(&[n, n]), real(&[n])]);
    Growth::of("LU factorisation and solution")
        .along("n", 4, at, degrees)
        .within(
            "n = 12",
            at(12),
            Bounds {
                value: 2 * 12 * 12 * 12 + 8 * 12 * 12,
                beyond: 4 * 12 * 12 * 12 + 12 * 12 * 12,
                stored: 16 * 12 * 12,
            },
        )
        .end();
}

/// What does not depend on an index is computed once for all of its values.
#[test]
fn invariants() {
    let quadratic = Degrees {
        value: 2,
        gradient: 2,
        gradient_stored: 2,
        ..LINEAR
    };
    let at = |n: usize, m: usize| zoo("invariants_in_build", vec![real(&[n]), real(&[m])]);
    let free = |n: usize| {
        let args = vec![real(&[n]), real(&[8]), int(n / 2)];
        zoo("invariants_under_conditions", args)
    };
    let steps = |n: usize| zoo("invariants_in_loops", vec![real(&[4]), real(&[n]), int(n)]);
    Growth::of("invariants")
        .along("steps", 16, steps, LINEAR)
        .along("n", 16, |n| at(n, 4), LINEAR)
        .along("n and m", 8, |n| at(n, n), quadratic)
        .along("n, under conditions", 8, free, quadratic)
        .end();
}

/// A step changes a few elements of arrays that the loop carries, where they lie: of one array at
/// two places, and of two arrays by elements of each other.
#[test]
fn a_few_elements_of_each_step() {
    let named = |n: usize| {
        let place = |k: usize| (k * 7 % n) as i64;
        Value::Int(Tensor::new(vec![n], (0..n).map(place).collect()))
    };
    let rope = |n: usize| zoo("rope_in_place", vec![real(&[n, 2]), int(2)]);
    let springs = |n: usize| {
        let args = vec![real(&[n, 3]), named(n), named(n)];
        zoo("springs_in_place", args)
    };
    let tables = |name: &'static str| {
        move |n: usize| {
            let args = vec![real(&[n, 2]), real(&[n, 2]), named(n), named(n), real(&[])];
            zoo(name, args)
        }
    };
    let adding = |n: usize| {
        let args = vec![real(&[n]), real(&[n, 2]), named(n), named(n)];
        zoo("adding_to_named_places", args)
    };
    let gates = |n: usize| {
        zoo(
            "gates_of_two_lists",
            vec![real(&[n]), real(&[n]), real(&[2])],
        )
    };
    Growth::of("a few elements of each step")
        .along("points of a rope", 16, rope, LINEAR)
        .along("springs", 16, springs, LINEAR)
        .along(
            "rows, by elements",
            16,
            tables("two_tables_in_place"),
            LINEAR,
        )
        .along("rows", 16, tables("rows_of_two_tables"), LINEAR)
        .along("places", 16, adding, LINEAR)
        .along("states", 16, gates, LINEAR)
        .end();
}
