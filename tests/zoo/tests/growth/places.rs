//! Places that data says: where extrema are, rows of tables, sparse matrices.

use crate::{Bounds, CONSTANT, Degrees, Growth, LINEAR, int, ints, real, with_params, zoo};
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_zoo::derived::Function;

#[test]
fn farthest_squares() {
    let at = |n, k| zoo("farthest_squares", vec![real(&[n]), real(&[k])]);
    let (n, k) = (32, 16);
    Growth::of("farthest squares")
        .along("n", 8, |n| at(n, 4), LINEAR)
        .along("k", 8, |k| at(4, k), LINEAR)
        .along(
            "n and k",
            8,
            |n| at(n, n),
            Degrees {
                value: 2,
                gradient: 2,
                value_stored: 1,
                gradient_stored: 2,
            },
        )
        // The squares are stored once: they are searched, and then read where the extremum is.
        .within(
            "n = 32, k = 16",
            at(n, k),
            Bounds {
                value: 3 * n * k + n,
                beyond: 6 * n + 2 * k,
                stored: n * k + 4 * n + 2 * k,
            },
        )
        .end();
}

#[test]
fn kmeans() {
    let at = |n, k, d| zoo("kmeans_cost", vec![real(&[n, d]), real(&[k, d])]);
    let (n, k, d) = (24, 12, 6);
    Growth::of("k-means")
        .along("n", 8, |n| at(n, 4, 3), LINEAR)
        .along("k", 4, |k| at(8, k, 3), LINEAR)
        .along("d", 4, |d| at(8, 4, d), LINEAR)
        .within(
            "n = 24, k = 12, d = 6",
            at(n, k, d),
            Bounds {
                value: 3 * n * k * d + n * k,
                beyond: 6 * n * d + 2 * k * d + 4 * n,
                stored: n * k + 2 * (n * d + k * d),
            },
        )
        .end();
}

#[test]
fn weights_at_row_maxima() {
    let at = |n, k| zoo("weights_at_row_maxima", vec![real(&[n, k]), real(&[n, k])]);
    let (n, k) = (32, 16);
    Growth::of("weights at row maxima")
        .along("n", 8, |n| at(n, 4), LINEAR)
        .along(
            "k",
            8,
            |k| at(4, k),
            Degrees {
                value_stored: 0,
                ..LINEAR
            },
        )
        .within(
            "n = 32, k = 16",
            at(n, k),
            Bounds {
                value: n * k + n,
                beyond: n,
                stored: 2 * n * k + 2 * n + 2,
            },
        )
        .end();
}

#[test]
fn embedding() {
    let at = |v, m, d| zoo("embedding_energies", vec![real(&[v, d]), ints(m, v)]);
    let (v, m, d) = (40, 12, 6);
    Growth::of("embedding")
        .along(
            "rows of the table",
            16,
            |v| at(v, 6, 3),
            Degrees {
                gradient_stored: 1,
                ..CONSTANT
            },
        )
        .along("tokens", 8, |m| at(16, m, 3), LINEAR)
        .along("columns", 4, |d| at(16, 6, d), LINEAR)
        .within(
            "40 rows, 12 tokens, 6 columns",
            at(v, m, d),
            Bounds {
                value: 3 * m * d + 2 * m,
                beyond: 7 * m * d + 2 * m,
                stored: v * d + 3 * m * d + 3 * m,
            },
        )
        .end();
}

#[test]
fn sparse_by_coordinates() {
    let at = |entries, n| {
        let (row, col) = (ints(entries, n), ints(entries, n));
        let args = vec![row, col, real(&[entries]), real(&[n]), int(n)];
        zoo("sparse_matvec_coo", args)
    };
    let (entries, n) = (64, 16);
    Growth::of("sparse matrix by coordinates")
        .along("entries", 16, |e| at(e, 12), LINEAR)
        .along(
            "n",
            64,
            |n| at(24, n),
            Degrees {
                value_stored: 1,
                gradient_stored: 1,
                ..CONSTANT
            },
        )
        .within(
            "64 entries, n = 16",
            at(entries, n),
            Bounds {
                value: 2 * entries,
                beyond: 3 * entries,
                stored: entries + 2 * n,
            },
        )
        .end();
}

#[test]
fn sparse_by_rows() {
    // Rows of very different length: all entries in a few rows.
    let at = |entries: usize, n: usize| {
        let ptr = (0..=n).map(|i| match i {
            0 => 0,
            1 => (entries / 2) as i64,
            _ => entries as i64,
        });
        let ptr = Value::Int(Tensor::new(vec![n + 1], ptr.collect()));
        let args = vec![ptr, ints(entries, n), real(&[entries]), real(&[n])];
        zoo("sparse_matvec_csr", args)
    };
    let (entries, n) = (64, 16);
    Growth::of("sparse matrix by rows")
        .along("n, with 4 n entries", 8, |n| at(4 * n, n), LINEAR)
        .along("entries", 16, |e| at(e, 12), LINEAR)
        .along(
            "n",
            64,
            |n| at(24, n),
            Degrees {
                value_stored: 1,
                gradient_stored: 1,
                ..CONSTANT
            },
        )
        .within(
            "64 entries, n = 16",
            at(entries, n),
            Bounds {
                value: 2 * entries,
                beyond: 3 * entries,
                stored: entries + 4 * n,
            },
        )
        .end();
}

#[test]
fn sparse_operands() {
    // The first row has half of the entries, and the others have one each.
    let at = |n: usize, body| {
        let array = |of: &dyn Fn(usize) -> usize, count: usize| {
            let data = (0..count).map(|k| of(k) as i64);
            Value::Int(Tensor::new(vec![count], data.collect()))
        };
        let entries = if n == 0 { 0 } else { 2 * n - 1 };
        let rows = |k| if k < n { 0 } else { k - n + 1 };
        let columns = |k| if k < n { k } else { 7 * k % n };
        let args = vec![
            array(&|i| if i == 0 { 0 } else { n + i - 1 }, n),
            array(&|i| if i == 0 { n } else { 1 }, n),
            array(&columns, entries),
            array(&rows, entries),
            array(&columns, entries),
            real(&[entries]),
            int(n),
            int(n),
            Value::Bool(Tensor::scalar(true)),
            real(&[n]),
        ];
        with_params("a: &CsMat<f64>, x: &Array1<f64>", body, args)
    };
    let bodies = [
        ("product", "(a * x).mapv(|v| v.sin()).sum()"),
        (
            "product with a matrix",
            "let b = build((x.len(), 3), |(i, j)| x[i].powi(j as i32 + 1)); a.dot(&b).mapv(f64::sin).sum()",
        ),
        (
            "transposed product",
            "(&a.transpose_view() * x).mapv(|v| v.sin()).sum()",
        ),
        (
            "entries",
            "a.iter().map(|(v, (i, j))| (v * x[i]).sin() * x[j]).sum()",
        ),
        (
            "rows",
            "let mut total = 0.0; \
             for (i, row) in a.outer_iterator().enumerate() { \
                 let weight: f64 = row.iter().map(|(j, v)| v.exp() * x[j]).sum(); \
                 total += row.dot(x).sin() * x[i] + weight * weight; \
             } \
             total",
        ),
    ];
    for (name, body) in bodies {
        Growth::of(name)
            .along("n", 16, |n| at(n, body), LINEAR)
            .end();
        for n in [0, 1, 33] {
            let (program, args) = at(n, body);
            let function = Function::of(program).unwrap_or_else(|e| panic!("{name}: {e}"));
            let above = function
                .above(&args)
                .unwrap_or_else(|e| panic!("{name} at {n}: {e}"));
            assert!(above.is_empty(), "{name} at {n}: {above:?}");
        }
    }
}
