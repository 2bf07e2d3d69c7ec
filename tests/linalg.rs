//! Linear algebra with derivatives: values against what defines them, gradients and second
//! derivatives against differences.

use cotangent::linalg::*;
use cotangent::ndarray::{self, Array1, Array2, array, s};
use cotangent::prelude::*;

/// Numbers that look random.
fn matrix(m: usize, n: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((m, n), |(i, j)| {
        let k = (i * 7919 + j * 104_729 + seed * 1_299_709) % 1009;
        k as f64 / 504.5 - 1.0
    })
}

fn definite(n: usize, seed: usize) -> Array2<f64> {
    let a = matrix(n, n, seed);
    a.dot(&a.t()) + Array2::<f64>::eye(n) * 0.5
}

fn close(a: &Array2<f64>, b: &Array2<f64>, tolerance: f64) {
    assert_eq!(a.dim(), b.dim());
    for (x, y) in a.iter().zip(b) {
        assert!(
            (x - y).abs() <= tolerance * y.abs().max(1.0),
            "{x} is not {y}"
        );
    }
}

#[test]
fn values_of_all_sizes() {
    for n in [0, 1, 2, 9, 65] {
        let one = Array2::<f64>::eye(n);
        let general = matrix(n, n, 1) + &one * 3.0;
        let symmetric = definite(n, 2);
        let b = matrix(n, 3, 3);
        for a in [&general, &symmetric] {
            close(&a.dot(&solve_columns(a, &b)), &b, 1e-8);
            close(&a.dot(&inverse(a)), &one, 1e-8);
            let column = b.column(1).to_owned();
            let x = solve(a, &column).insert_axis(ndarray::Axis(1));
            close(&a.dot(&x), &column.insert_axis(ndarray::Axis(1)), 1e-8);
        }
        let l = cholesky(&symmetric);
        close(&l.dot(&l.t()), &symmetric, 1e-10);
        assert!(l.indexed_iter().all(|((i, j), x)| j <= i || *x == 0.0));
        close(&l.dot(&triangular_solve_columns(&l, &b)), &b, 1e-8);
        let by_factor: f64 = l.diag().iter().map(|x| 2.0 * x.ln()).sum();
        assert!((log_det(&symmetric) - by_factor).abs() < 1e-8 * by_factor.abs().max(1.0));
        let (w, v) = eigh(&symmetric);
        assert!(w.windows(2).into_iter().all(|w| w[0] <= w[1]));
        close(&v.t().dot(&v), &one, 1e-10);
        close(&v.dot(&Array2::from_diag(&w)).dot(&v.t()), &symmetric, 1e-9);
        let values = singular_values(&general);
        let (squares, _) = eigh(&general.t().dot(&general));
        for (s, w) in values.iter().zip(squares.iter().rev()) {
            assert!((s * s - w).abs() < 1e-8 * squares[n - 1]);
        }
        let e = expm(&(&general * 0.3));
        close(&e.dot(&expm(&(&general * -0.3))), &one, 1e-7);
    }
    let values = singular_values(&array![[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    assert!((values[0] - 4.0).abs() + (values[1] - 3.0).abs() < 1e-14);
    let turn = expm(&array![[0.0, -0.7], [0.7, 0.0]]);
    let (s, c) = 0.7_f64.sin_cos();
    close(&turn, &array![[c, -s], [s, c]], 1e-14);
    close(&expm(&array![[40.0]]), &array![[40.0_f64.exp()]], 1e-13);
}

macro_rules! gradients {
    ($($name:ident $grad:ident $slope:ident $slope_grad:ident $at:expr, |$a:ident| $body:expr;)*) => {
        mod functions {
            use super::*;
            $(
                #[differentiable]
                pub(super) fn $name($a: &Array2<f64>) -> f64 {
                    $body
                }

                /// Some number that the gradient gives.
                #[differentiable]
                pub(super) fn $slope(a: &Array2<f64>) -> f64 {
                    let d = $grad(a);
                    sum(d.dim(), |(i, j)| d[[i, j]] * (1.0 + 0.3 * i as f64 - 0.2 * j as f64))
                }
            )*
        }

        #[test]
        fn gradients_and_second_derivatives() {
            $(
                differences(stringify!($name), &$at, functions::$name, functions::$grad);
                differences(stringify!($slope), &$at, functions::$slope, functions::$slope_grad);
            )*
        }
    };
}

fn differences(
    name: &str,
    at: &Array2<f64>,
    f: fn(&Array2<f64>) -> f64,
    gradient: fn(&Array2<f64>) -> Array2<f64>,
) {
    let found = gradient(at);
    let h = 1e-5;
    for ((i, j), x) in found.indexed_iter() {
        let moved = |h: f64| {
            let mut a = at.clone();
            a[[i, j]] += h;
            f(&a)
        };
        let wanted = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h);
        assert!(
            (x - wanted).abs() < 2e-7 * wanted.abs().max(1.0),
            "{name}: {x} is not {wanted}"
        );
    }
}

gradients! {
    solved solved_grad solved_slope solved_slope_grad matrix(4, 4, 5) + Array2::<f64>::eye(4) * 2.0, |a| {
        let b = build(a.nrows(), |i| 1.0 + a[[i, 0]]);
        let x = solve(a, &b);
        sum(x.len(), |i| x[i] * x[i] * (i as f64 + 0.5))
    };
    columns columns_grad columns_slope columns_slope_grad matrix(3, 3, 5) + Array2::<f64>::eye(3) * 2.0, |a| {
        let x = solve_columns(a, &a.t().to_owned());
        sum(x.dim(), |(i, j)| x[[i, j]] * x[[i, j]] * (i as f64 + 0.5))
    };
    inverted inverted_grad inverted_slope inverted_slope_grad matrix(3, 3, 5) + Array2::<f64>::eye(3) * 2.0, |a| {
        let x = inverse(a);
        sum(x.dim(), |(i, j)| x[[i, j]] * x[[i, j]] * (i as f64 + 0.5))
    };
    determined determined_grad determined_slope determined_slope_grad matrix(3, 3, 5) - Array2::<f64>::eye(3) * 2.0, |a| {
        log_det(a)
    };
    factor factor_grad factor_slope factor_slope_grad definite(4, 3), |a| {
        let l = cholesky(a);
        sum(l.dim(), |(i, j)| l[[i, j]] * l[[i, j]] * l[[i, j]] * (1.0 + i as f64 + 2.0 * j as f64))
    };
    forward forward_grad forward_slope forward_slope_grad matrix(4, 4, 6) + Array2::<f64>::eye(4) * 2.0, |a| {
        let x = triangular_solve(a, &a.row(0).to_owned());
        sum(x.len(), |i| x[i] * x[i] * (i as f64 + 0.5))
    };
    forwards forwards_grad forwards_slope forwards_slope_grad matrix(3, 3, 6) + Array2::<f64>::eye(3) * 2.0, |a| {
        let x = triangular_solve_columns(a, a);
        sum(x.dim(), |(i, j)| x[[i, j]] * x[[i, j]] * (i as f64 + 0.5))
    };
    spectrum spectrum_grad spectrum_slope spectrum_slope_grad definite(4, 3), |a| {
        let (w, v) = eigh(a);
        sum(w.len(), |i| w[i] * w[i] * v[[0, i]] * v[[0, i]] * v[[1, i]] * v[[1, i]])
    };
    values values_grad values_slope values_slope_grad matrix(3, 4, 6), |a| {
        let w = singular_values(a);
        sum(w.len(), |i| w[i] * w[i] * w[i])
    };
    exponential exponential_grad exponential_slope exponential_slope_grad matrix(3, 3, 6), |a| {
        let e = expm(a);
        sum(e.dim(), |(i, j)| e[[i, j]] * e[[i, j]] * (i as f64 + 0.5))
    };
}

#[differentiable(vjp, jvp)]
fn whitened(k: &Array2<f64>, y: &Array1<f64>) -> Array1<f64> {
    triangular_solve(&cholesky(k), y)
}

#[test]
fn forward_mode_agrees_with_reverse_mode() {
    let (k, y) = (definite(5, 1), matrix(5, 1, 2).column(0).to_owned());
    let (dk, dy) = (definite(5, 4), matrix(5, 1, 5).column(0).to_owned());
    let (value, tangent) = whitened_jvp(&k, &y, &dk, &dy);
    assert_eq!(value, whitened(&k, &y));
    let cotangent = matrix(5, 1, 7).column(0).to_owned();
    let (_, (k_bar, y_bar)) = whitened_vjp(&k, &y, &cotangent);
    let there = tangent.dot(&cotangent);
    let back = (&k_bar * &dk).sum() + y_bar.dot(&dy);
    assert!((there - back).abs() < 1e-10 * there.abs().max(1.0));
}

/// The negative log-likelihood of a Gaussian process.
#[differentiable]
fn process(log_length: f64, log_noise: f64, x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let (rate, noise) = (0.5 * (-2.0 * log_length).exp(), (2.0 * log_noise).exp());
    let n = x.len();
    let k = build((n, n), |(i, j)| {
        let d = x[i] - x[j];
        (-rate * d * d).exp() + if i == j { noise } else { 0.0 }
    });
    0.5 * (y.dot(&solve(&k, y)) + log_det(&k))
}

#[test]
fn gaussian_process() {
    let n = 20;
    let x = Array1::from_shape_fn(n, |i| 0.17 * i as f64);
    let y = x.mapv(|x| (2.0 * x).sin());
    let at = |l: f64, s: f64| process(l, s, &x, &y);
    let (by_length, by_noise, by_x, _) = process_grad(-0.3, -1.5, &x, &y);
    let h = 1e-5;
    assert!((by_length - (at(-0.3 + h, -1.5) - at(-0.3 - h, -1.5)) / (2.0 * h)).abs() < 1e-6);
    assert!((by_noise - (at(-0.3, -1.5 + h) - at(-0.3, -1.5 - h)) / (2.0 * h)).abs() < 1e-6);
    // Only differences of places matter.
    assert!(by_x.sum().abs() < 1e-8);
    assert_eq!(by_x.slice(s![..]).len(), n);
}

fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(f).unwrap_err();
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.unwrap_or_else(|| panic.downcast_ref::<String>().unwrap().clone())
}

#[test]
fn what_does_not_exist_panics() {
    let singular = array![[1.0, 2.0], [2.0, 4.0]];
    let (a, b) = (singular.clone(), array![1.0, 1.0]);
    assert_eq!(
        message(move || drop(solve(&a, &b))),
        "`solve`: the matrix is singular"
    );
    let a = singular.clone();
    assert_eq!(
        message(move || drop(inverse(&a))),
        "`inverse`: the matrix is singular"
    );
    let a = singular.clone();
    assert_eq!(
        message(move || assert!(log_det(&a) > 0.0)),
        "`log_det`: the matrix is singular"
    );
    let a = -definite(3, 1);
    let found = message(move || drop(cholesky(&a)));
    assert_eq!(
        found,
        "`cholesky`: the matrix is not positive definite, as row 0 shows"
    );
    let found = message(|| drop(triangular_solve(&array![[0.0]], &array![1.0])));
    assert_eq!(
        found,
        "`triangular_solve`: the matrix is singular, element (0, 0) is 0"
    );
    let found = message(|| drop(expm(&Array2::zeros((2, 3)))));
    assert_eq!(found, "`expm`: the matrix is 2 × 3, not square");
    let found = message(|| drop(solve(&Array2::eye(2), &array![1.0])));
    assert_eq!(
        found,
        "`solve`: the matrix has 2 rows, and the right-hand side 1"
    );
    let found = message(|| drop(eigh(&array![[f64::NAN]])));
    assert_eq!(
        found,
        "`eigh` or `singular_values`: the eigenvalues were not found"
    );
}

mod blocks {
    use super::*;

    #[differentiable]
    pub(super) fn by_factor(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
        let l = cholesky(a);
        let z = triangular_solve(&l, b);
        0.5 * z.dot(&z)
            + sum(z.len(), |i| {
                l[[i, i]].ln() * (1.0 + 0.01 * i as f64) + l[[i, 0]]
            })
    }

    #[differentiable]
    pub(super) fn by_matrix(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
        0.5 * b.dot(&solve(a, b)) + log_det(a) + inverse(a).row(0).sum()
    }
}

/// Factors of matrices of several blocks, which are not as long as each other.
#[test]
fn gradients_of_several_blocks() {
    for n in [31, 32, 48, 49, 100, 145] {
        let a = definite(n, 2) + Array2::<f64>::eye(n);
        let b = matrix(n, 1, 3).column(0).to_owned();
        let along = definite(n, 4) / n as f64;
        type Function = fn(&Array2<f64>, &Array1<f64>) -> f64;
        type Gradient = fn(&Array2<f64>, &Array1<f64>) -> (Array2<f64>, Array1<f64>);
        let functions: [(Function, Gradient); 2] = [
            (blocks::by_factor, blocks::by_factor_grad),
            (blocks::by_matrix, blocks::by_matrix_grad),
        ];
        for (f, gradient) in functions {
            let found = (gradient(&a, &b).0 * &along).sum();
            let at = |h: f64| f(&(&a + &(&along * h)), &b);
            let h = 1e-4;
            let wanted = (8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * h);
            let error = (found - wanted).abs();
            assert!(
                error < 1e-6 * wanted.abs().max(1.0),
                "{n}: {found} is not {wanted}"
            );
        }
    }
}

/// The factors of one matrix are not taken for those of another one.
#[test]
fn matrices_take_turns() {
    let (a, b) = (definite(40, 1), definite(40, 2));
    let one = Array2::<f64>::eye(40);
    for _ in 0..2 {
        for m in [&a, &b, &a] {
            close(&m.dot(&inverse(m)), &one, 1e-7);
            let by_factor: f64 = cholesky(m).diag().iter().map(|x| 2.0 * x.ln()).sum();
            assert!((log_det(m) - by_factor).abs() < 1e-8 * by_factor.abs().max(1.0));
        }
    }
}

#[test]
#[should_panic(expected = "`log_det`: the matrix is singular")]
fn a_gradient_names_the_function_that_has_none() {
    functions::determined_grad(&Array2::ones((3, 3)));
}

mod each {
    use super::*;
    use cotangent::ndarray::Array3;

    #[differentiable(grad, jvp, hvp)]
    pub(super) fn of_all(a: &Array3<f64>, b: &Array2<f64>) -> f64 {
        let (x, y) = (solve_each(a, b), inverse_each(a));
        sum(b.nrows(), |k| {
            log_det(&a.index_axis(ndarray::Axis(0), k).to_owned())
        }) + (&x * &x).sum()
            + y.mapv(f64::sin).sum()
    }

    pub(super) fn one_by_one(a: &Array3<f64>, b: &Array2<f64>) -> f64 {
        let each = a.outer_iter().zip(b.rows()).map(|(a, b)| {
            let a = a.to_owned();
            let x = solve(&a, &b.to_owned());
            log_det(&a) + x.dot(&x) + inverse(&a).mapv(f64::sin).sum()
        });
        each.sum()
    }
}

/// Many systems at once, against one after the other.
#[test]
fn many_matrices_at_once() {
    for (k, n) in [(0, 3), (1, 1), (5, 3), (2, 40)] {
        let a = ndarray::Array3::from_shape_fn((k, n, n), |(k, i, j)| definite(n, k)[[i, j]] + 0.1);
        let b = matrix(k, n, 4);
        let (s, t) = (a.mapv(|x| x.cos()), b.mapv(|x| 1.0 + x));
        let value = each::one_by_one(&a, &b);
        assert!((each::of_all(&a, &b) - value).abs() < 1e-8 * value.abs().max(1.0));
        let moved = |h: f64| (&a + &(&s * h), &b + &(&t * h));
        let at = |h: f64| each::one_by_one(&moved(h).0, &moved(h).1);
        let h = 1e-6;
        let wanted = (8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * h);
        let (by_a, by_b) = each::of_all_grad(&a, &b);
        let slope = (&by_a * &s).sum() + (&by_b * &t).sum();
        let (_, along) = each::of_all_jvp(&a, &b, &s, &t);
        for found in [slope, along] {
            let error = (found - wanted).abs();
            assert!(
                error < 1e-5 * wanted.abs().max(1.0),
                "{k} × {n}: {found}, not {wanted}"
            );
        }
        let (twice_a, twice_b) = each::of_all_hvp(&a, &b, &s, &t);
        let gradient = |h: f64| {
            let (by_a, by_b) = each::of_all_grad(&moved(h).0, &moved(h).1);
            (&by_a * &s).sum() + (&by_b * &t).sum()
        };
        let found = (&twice_a * &s).sum() + (&twice_b * &t).sum();
        let wanted = (gradient(h) - gradient(-h)) / (2.0 * h);
        let error = (found - wanted).abs();
        assert!(
            error < 1e-4 * wanted.abs().max(1.0),
            "{k} × {n}: {found}, not {wanted}"
        );
    }
}
