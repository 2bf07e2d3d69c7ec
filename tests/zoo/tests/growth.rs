//! How the cost of programs and of their gradients grows with sizes: operations, simplified and fused,
//! and the elements that the fused program stores.
//!
//! One test per program; it goes on to the end and lists all that is wrong. Degrees are measured at
//! n, 2n and 4n; bounds say what the textbook program takes, with small constants.

use cotangent_core::ir::core::Program;
use cotangent_core::ir::generate::Rng;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_zoo::measure::{Measured, Work, degree, measure};
use cotangent_zoo::stages::{lower, random};
use cotangent_zoo::{Elem, program};
use std::fmt::Write;

/// How a program may grow along some size.
#[derive(Clone, Copy, Default)]
struct Degrees {
    value: u32,
    gradient: u32,
    value_stored: u32,
    gradient_stored: u32,
}

/// A test of one program: what has been measured, and what is wrong with it.
struct Growth {
    name: &'static str,
    text: String,
    failures: usize,
}

type Run = (Program, Vec<Value>);

impl Growth {
    fn of(name: &'static str) -> Growth {
        Growth {
            name,
            text: String::new(),
            failures: 0,
        }
    }

    fn fail(&mut self, message: &str) {
        self.failures += 1;
        writeln!(self.text, "  FAILS {message}").expect("a string");
    }

    /// The program at one choice of sizes, measured. The law of cheap gradients must hold.
    fn at(&mut self, sizes: &str, (program, args): Run) -> Measured {
        let m =
            measure(&program, &args).unwrap_or_else(|e| panic!("{} at {sizes}: {e}", self.name));
        let show = |w: Work| format!("{} / {} / {}", w.simplified, w.fused, w.stored);
        let (core, value, gradient) = (m.counts.core, show(m.value), show(m.gradient));
        writeln!(
            self.text,
            "  {sizes}: as written {core}; simplified / fused / stored: value {value}, gradient {gradient}"
        )
        .expect("a string");
        if let Err(e) = m.counts.cheap() {
            self.fail(&e);
        }
        m
    }

    /// The program as a size grows to its double and to twice that.
    fn along(mut self, size: &str, from: usize, run: impl Fn(usize) -> Run, max: Degrees) -> Self {
        let all = [from, 2 * from, 4 * from].map(|n| self.at(&format!("{size} = {n}"), run(n)));
        let mut check = |what: &str, of: fn(&Measured) -> u64, max: u32| {
            let counts = [of(&all[0]), of(&all[1]), of(&all[2])];
            let found = degree(counts);
            // Terms of lower degree that are subtracted make it a little more at small sizes.
            if found > f64::from(max) + 0.15 {
                self.fail(&format!(
                    "{what} in {size}: degree {found:.2} and not {max}: {counts:?}"
                ));
            }
        };
        check("operations of the value", |m| m.value.simplified, max.value);
        check(
            "operations of the value, fused",
            |m| m.value.fused,
            max.value,
        );
        check(
            "operations of the gradient",
            |m| m.gradient.simplified,
            max.gradient,
        );
        check(
            "operations of the gradient, fused",
            |m| m.gradient.fused,
            max.gradient,
        );
        check(
            "elements stored by the value",
            |m| m.value.stored,
            max.value_stored,
        );
        check(
            "elements stored by the gradient",
            |m| m.gradient.stored,
            max.gradient_stored,
        );
        self
    }

    /// The program at one choice of sizes: no more than so much.
    fn within(mut self, sizes: &str, run: Run, max: Bounds) -> Self {
        let m = self.at(sizes, run);
        let mut check = |what: &str, count: u64, max: usize| {
            if count > max as u64 {
                self.fail(&format!(
                    "{what} at {sizes}: {count}, and not at most {max}"
                ));
            }
        };
        check("operations of the value", m.value.simplified, max.value);
        check("operations of the value, fused", m.value.fused, max.value);
        let beyond = |of: fn(&Work) -> u64| of(&m.gradient).saturating_sub(of(&m.value));
        let (simplified, fused) = (beyond(|w| w.simplified), beyond(|w| w.fused));
        check("operations beyond the value", simplified, max.beyond);
        check("operations beyond the value, fused", fused, max.beyond);
        check(
            "elements stored by the gradient",
            m.gradient.stored,
            max.stored,
        );
        self
    }

    fn end(self) {
        let Growth {
            name,
            text,
            failures,
        } = self;
        assert_eq!(failures, 0, "{name} fails:\n{text}");
        println!("{name}\n{text}");
    }
}

/// What a program may take at one choice of sizes.
#[derive(Clone, Copy)]
struct Bounds {
    /// Operations of the value.
    value: usize,
    /// Operations of value and gradient beyond those of the value.
    beyond: usize,
    /// Elements stored by value and gradient.
    stored: usize,
}

fn real(shape: &[usize]) -> Value {
    let seed = shape.iter().fold(1, |s, &n| 31 * s + n as u64);
    random(shape, &mut Rng::new(seed))
}

fn int(n: usize) -> Value {
    Value::Int(Tensor::scalar(n as i64))
}

/// Integers below a bound.
fn ints(count: usize, below: usize) -> Value {
    let mut rng = Rng::new(count as u64);
    let data = (0..count).map(|_| rng.below(below) as i64).collect();
    Value::Int(Tensor::new(vec![count], data))
}

/// A program of the zoo with these arguments.
fn zoo(name: &str, args: Vec<Value>) -> Run {
    let program = program(name);
    assert!(program.params.iter().any(|p| p.elem == Elem::Real));
    let (core, consts) = lower(program.source, name).unwrap_or_else(|e| panic!("{name}: {e}"));
    (core, args.into_iter().chain(consts).collect())
}

/// A function of one vector and with this body, at a vector of this length.
fn written(body: &str, length: usize) -> Run {
    let source = format!(
        "#[differentiable(value, grad)] pub fn written(x: &Array1<f64>) -> f64 {{ {body} }}"
    );
    let (core, _) = lower(&source, "written").unwrap_or_else(|e| panic!("{e}\n{source}"));
    (core, vec![real(&[length])])
}

const LINEAR: Degrees = Degrees {
    value: 1,
    gradient: 1,
    value_stored: 1,
    gradient_stored: 1,
};

const CONSTANT: Degrees = Degrees {
    value: 0,
    gradient: 0,
    value_stored: 0,
    gradient_stored: 0,
};

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

/// A chain of slices, each without the first element of the one before, and multiplied by something.
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
fn banded_part() {
    let at = |n| zoo("banded_part_product", vec![real(&[n, n]), real(&[n])]);
    // The zeros beside the band are numbers of the program, and products with them stay: 0 · ∞ is NaN.
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
