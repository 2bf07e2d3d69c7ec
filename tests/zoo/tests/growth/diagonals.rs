//! Diagonals, bands and triangles: how much of such matrices is computed and stored.

use crate::{Bounds, CONSTANT, Degrees, Growth, LINEAR, int, real, zoo};

#[test]
fn sum_of_traces() {
    let at = |n, k| zoo("traces_of_diagonals", vec![real(&[n]), int(k)]);
    Growth::of("traces of diagonals")
        .along(
            "n",
            8,
            |n| at(n, 5),
            Degrees {
                value_stored: 0,
                ..LINEAR
            },
        )
        // The sum over k repeats one trace: as written it costs k of them.
        .along(
            "k",
            4,
            |k| at(8, k),
            Degrees {
                value: 1,
                gradient: 1,
                ..CONSTANT
            },
        )
        .within(
            "n = 32, k = 5",
            at(32, 5),
            Bounds {
                value: 5 * 32,
                beyond: 33,
                stored: 34,
            },
        )
        .end();
}

#[test]
fn row_times_column_of_diagonal() {
    let at = |n| zoo("row_times_column_of_diagonal", vec![real(&[n])]);
    Growth::of("row times column of diagonal")
        .along(
            "n",
            8,
            at,
            Degrees {
                value_stored: 0,
                ..LINEAR
            },
        )
        .within(
            "n = 32",
            at(32),
            Bounds {
                value: 64,
                beyond: 128,
                stored: 66,
            },
        )
        .end();
}

#[test]
fn trace_with_identity() {
    let at = |n| zoo("trace_with_identity", vec![real(&[n, n])]);
    let degrees = Degrees {
        value_stored: 0,
        gradient_stored: 2,
        ..LINEAR
    };
    Growth::of("trace with identity")
        .along("n", 8, at, degrees)
        .within(
            "n = 32",
            at(32),
            Bounds {
                value: 64,
                beyond: 32,
                stored: 32 * 32 + 2,
            },
        )
        .end();
}

#[test]
fn packed_triangular() {
    let at = |n: usize| {
        let l = real(&[n * (n + 1) / 2]);
        zoo("packed_triangular_product", vec![l, real(&[n])])
    };
    let n = 32;
    let products = n * (n + 1) / 2;
    let degrees = Degrees {
        value: 2,
        gradient: 2,
        value_stored: 1,
        gradient_stored: 2,
    };
    Growth::of("packed triangular matrix")
        .along("n", 8, at, degrees)
        .within(
            "n = 32",
            at(n),
            Bounds {
                value: 2 * products,
                beyond: 3 * products,
                stored: products + 2 * n,
            },
        )
        .end();
}

#[test]
fn banded_part() {
    let at = |n| zoo("banded_part_product", vec![real(&[n, n]), real(&[n])]);
    // The zeros beside the band are numbers of the program, and products with them stay: 0 · ∞ is
    // NaN.
    let degrees = Degrees {
        value: 2,
        gradient: 2,
        value_stored: 1,
        gradient_stored: 2,
    };
    let n = 32;
    Growth::of("banded part of a matrix")
        .along("n", 8, at, degrees)
        .within(
            "n = 32",
            at(n),
            Bounds {
                value: 2 * n * n,
                beyond: 2 * n * n + 3 * n,
                stored: 2 * n * n + 3 * n,
            },
        )
        .end();
}

#[test]
fn tridiagonal() {
    let at = |n: usize| {
        let off = || real(&[n - 1]);
        zoo(
            "tridiagonal_product",
            vec![off(), real(&[n]), off(), real(&[n])],
        )
    };
    // As above: the matrix is full of zeros that are numbers.
    let degrees = Degrees {
        value: 2,
        gradient: 2,
        value_stored: 1,
        gradient_stored: 2,
    };
    let n = 32;
    Growth::of("tridiagonal matrix")
        .along("n", 8, at, degrees)
        .within(
            "n = 32",
            at(n),
            Bounds {
                value: 2 * n * n,
                beyond: 3 * n * n,
                stored: n * n + 5 * n,
            },
        )
        .end();
}

#[test]
fn diagonal_between() {
    let at = |n, k, m| {
        let args = vec![real(&[n, k]), real(&[k]), real(&[k, m])];
        zoo("diagonal_between_matrices", args)
    };
    let (n, k, m) = (12, 16, 20);
    Growth::of("diagonal between matrices")
        .along("rows", 8, |n| at(n, 6, 5), LINEAR)
        // As above, for the value; its derivatives know where the matrix is zero.
        .along(
            "size of the diagonal",
            8,
            |k| at(6, k, 5),
            Degrees {
                value: 2,
                gradient: 2,
                value_stored: 2,
                gradient_stored: 2,
            },
        )
        .along("columns", 8, |m| at(5, 6, m), LINEAR)
        .within(
            "12 x 16 x 20",
            at(n, k, m),
            Bounds {
                value: 2 * n * k * (k + m) + n * k,
                beyond: 4 * n * k * m + 4 * (n * k + k * m),
                stored: n * m + 3 * n * k + 2 * k * m + k,
            },
        )
        .end();
}
