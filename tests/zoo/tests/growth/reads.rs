//! Many reads, copies and slices of one vector: each costs what it reads, and what nobody reads
//! costs nothing.

use crate::{Bounds, CONSTANT, Degrees, Growth, LINEAR, int, real, written, zoo};
use std::fmt::Write;

/// `y[0] + y[2] + y[3] + ..`
fn scattered_terms(terms: usize) -> String {
    let reads = (2..=terms)
        .map(|i| format!(" + y[{i}]"))
        .collect::<String>();
    format!("y[0]{reads}")
}

#[test]
fn scattered_reads() {
    let at = |terms: usize, n| {
        let terms = scattered_terms(terms).replace('y', "x");
        written(&terms, n)
    };
    let in_length = Degrees {
        gradient_stored: 1,
        ..CONSTANT
    };
    Growth::of("scattered reads")
        .along(
            "terms",
            20,
            |k| at(k, 100),
            Degrees {
                value_stored: 0,
                gradient_stored: 0,
                ..LINEAR
            },
        )
        .along("n", 50, |n| at(40, n), in_length)
        .within(
            "40 terms, n = 100",
            at(40, 100),
            Bounds {
                value: 39,
                beyond: 0,
                stored: 102,
            },
        )
        .end();
}

#[test]
fn scattered_reads_of_a_map() {
    let at = |terms: usize, n| {
        let terms = scattered_terms(terms);
        written(&format!("let y = x.map(|v| v.exp()); {terms}"), n)
    };
    Growth::of("scattered reads of a map")
        .along(
            "terms",
            20,
            |k| at(k, 100),
            Degrees {
                value_stored: 0,
                gradient_stored: 0,
                ..LINEAR
            },
        )
        .along("n", 50, |n| at(40, n), LINEAR)
        .within(
            "40 terms, n = 100",
            at(40, 100),
            Bounds {
                value: 139,
                beyond: 100,
                stored: 302,
            },
        )
        .end();
}

#[test]
fn neighbours_multiplied() {
    let at = |terms: usize, n| {
        let terms: Vec<String> = (0..terms)
            .map(|i| format!("x[{i}] * x[{}]", i + 1))
            .collect();
        written(&terms.join(" + "), n)
    };
    let in_length = Degrees {
        gradient_stored: 1,
        ..CONSTANT
    };
    Growth::of("neighbours multiplied")
        .along(
            "terms",
            20,
            |k| at(k, 100),
            Degrees {
                value_stored: 0,
                gradient_stored: 1,
                ..LINEAR
            },
        )
        .along("n", 50, |n| at(40, n), in_length)
        .within(
            "40 terms, n = 100",
            at(40, 100),
            Bounds {
                value: 79,
                beyond: 80,
                stored: 142,
            },
        )
        .end();
}

#[test]
fn dead_copies() {
    let at = |copies: usize, n| {
        let copies: String = (0..copies)
            .map(|i| format!("let _c{i} = x.map(|v| v * {i}.5);"))
            .collect();
        written(&format!("{copies} sum(x.len(), |i| x[i] * x[i])"), n)
    };
    Growth::of("dead copies")
        .along("copies", 8, |k| at(k, 10), CONSTANT)
        .along(
            "n",
            8,
            |n| at(8, n),
            Degrees {
                value_stored: 0,
                ..LINEAR
            },
        )
        .within(
            "8 copies, n = 32",
            at(8, 32),
            Bounds {
                value: 63,
                beyond: 32,
                stored: 33,
            },
        )
        .end();
}

#[test]
fn one_of_many_copies() {
    let at = |n, copies| zoo("one_of_many_copies", vec![real(&[n]), int(copies)]);
    Growth::of("one of many copies")
        .along("copies", 4, |k| at(8, k), CONSTANT)
        .along("n", 8, |n| at(n, 4), LINEAR)
        .within(
            "4 copies, n = 32",
            at(32, 4),
            Bounds {
                value: 96,
                beyond: 96,
                stored: 66,
            },
        )
        .end();
}

/// A chain of slices, each without the first element of the one before, and multiplied by
/// something.
fn slices(depth: usize, times: &str) -> String {
    let mut text = String::from("let x0 = build(x.len(), |i| x[i]);\n");
    for k in 1..=depth {
        let from = k - 1;
        writeln!(
            text,
            "let x{k} = build(x{from}.len() - 1, |i| x{from}[i + 1]{times});"
        )
        .expect("a string");
    }
    text + &format!("x{depth}.sum()")
}

#[test]
fn chain_of_slices() {
    let at = |depth: usize, n: usize| written(&slices(depth, ""), n);
    Growth::of("chain of slices")
        .along("depth", 10, |k| at(k, 100), CONSTANT)
        .along(
            "n",
            20,
            |n| at(10, n),
            Degrees {
                value_stored: 0,
                ..LINEAR
            },
        )
        .within(
            "depth 20, n = 50",
            at(20, 50),
            Bounds {
                value: 29,
                beyond: 0,
                stored: 52,
            },
        )
        .end();
}

#[test]
fn chain_of_doubled_slices() {
    let at = |depth: usize, n: usize| written(&slices(depth, " * 2.0"), n);
    let in_depth = Degrees {
        value: 1,
        gradient: 1,
        ..CONSTANT
    };
    Growth::of("chain of doubled slices")
        .along("depth", 10, |k| at(k, 100), in_depth)
        .along(
            "n",
            20,
            |n| at(10, n),
            Degrees {
                value_stored: 0,
                ..LINEAR
            },
        )
        .within(
            "depth 20, n = 50",
            at(20, 50),
            Bounds {
                value: 1000,
                beyond: 1000,
                stored: 102,
            },
        )
        .end();
}
