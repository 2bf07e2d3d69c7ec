//! Linear algebra that annotated functions call: solutions of linear systems, factorisations,
//! determinants, eigenvalues, the exponential of a matrix.
//!
//! ```
//! use cotangent::linalg::{log_det, solve};
//! use cotangent::ndarray::{Array1, Array2, array};
//! use cotangent::prelude::*;
//!
//! /// The negative log-likelihood of `y` under a Gaussian process with a squared exponential kernel.
//! #[differentiable(wrt(log_length, log_noise))]
//! fn gaussian_process(log_length: f64, log_noise: f64, x: &Array1<f64>, y: &Array1<f64>) -> f64 {
//!     let (rate, noise) = (0.5 * (-2.0 * log_length).exp(), (2.0 * log_noise).exp());
//!     let n = x.len();
//!     let k = build((n, n), |(i, j)| {
//!         let d = x[i] - x[j];
//!         (-rate * d * d).exp() + if i == j { noise } else { 0.0 }
//!     });
//!     0.5 * (y.dot(&solve(&k, y)) + log_det(&k) + n as f64 * (2.0 * std::f64::consts::PI).ln())
//! }
//!
//! let (x, y) = (array![0.0, 0.5, 1.5, 2.0], array![0.1, 0.4, 0.9, 0.8]);
//! let (by_length, by_noise) = gaussian_process_grad(0.2, -1.0, &x, &y);
//! let at = |length: f64| gaussian_process(length, -1.0, &x, &y);
//! assert!((by_length - (at(0.2 + 1e-6) - at(0.2 - 1e-6)) / 2e-6).abs() < 1e-7);
//! # let at = |noise: f64| gaussian_process(0.2, noise, &x, &y);
//! # assert!((by_noise - (at(-1.0 + 1e-6) - at(-1.0 - 1e-6)) / 2e-6).abs() < 1e-7);
//! ```
//!
//! All can be differentiated any number of times. What does not exist, as the solution of a
//! singular system, is a panic with the name of the function. Matrices that are nearly singular
//! give what rounding gives.
//!
//! Of these, `log_det` alone may be called inside of `build`, `sum` and loops: the others give
//! arrays whose lengths are known only when they return. [`solve_each`] and [`inverse_each`] take
//! all matrices at once.
//!
//! Each thread keeps the last matrix of 32 rows or more with its factors. So a gradient does not
//! factorise again what the value has factorised, and `solve` and `log_det` share the factors of
//! one matrix.
//!
//! | function | factorisation |
//! |---|---|
//! | [`solve`], [`solve_each`], [`inverse`], [`inverse_each`], [`log_det`] | Cholesky for matrices that are symmetric to the last bit and positive definite, otherwise LU with row exchanges |
//! | [`cholesky`] | Cholesky |
//! | [`eigh`], [`singular_values`] | tridiagonal form, then implicit QL |
//! | [`expm`] | scaling, a Padé approximant, squaring |

mod eigen;
mod factor;

use crate::prelude::*;
use factor::{Factors, square};
use ndarray::{Array1, Array2, Array3, Axis};

/// The solution `x` of `a x = b`.
///
/// ```
/// use cotangent::linalg::solve;
/// use cotangent::ndarray::array;
///
/// let (a, b) = (array![[2.0, 1.0], [0.0, 4.0]], array![4.0, 8.0]);
/// assert_eq!(solve(&a, &b), array![1.0, 2.0]);
/// ```
///
/// # Panics
///
/// Panics if `a` is singular, or the sizes do not fit.
#[custom_derivative(vjp = solve_rule, differentiable)]
pub fn solve(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let b = b.view().insert_axis(Axis(1));
    let x = Factors::of("solve", a).solved("solve", b.to_owned());
    x.index_axis_move(Axis(1), 0)
}

/// ```text
/// b̄ = a⁻ᵀ x̄          ā = −b̄ xᵀ
/// ```
#[differentiable(value)]
fn solve_rule(
    a: &Array2<f64>,
    b: &Array1<f64>,
    x_bar: &Array1<f64>,
) -> (Array1<f64>, (Array2<f64>, Array1<f64>)) {
    let x = solve(a, b);
    let b_bar = solve(&a.t().to_owned(), x_bar);
    let a_bar = build(a.dim(), |(i, j)| -b_bar[i] * x[j]);
    (x, (a_bar, b_bar))
}

/// The solutions, one for each column of `b`, of `a x = b`.
///
/// ```
/// use cotangent::linalg::solve_columns;
/// use cotangent::ndarray::array;
///
/// let (a, b) = (array![[2.0, 1.0], [0.0, 4.0]], array![[4.0, 2.0], [8.0, 0.0]]);
/// assert_eq!(solve_columns(&a, &b), array![[1.0, 1.0], [2.0, 0.0]]);
/// ```
///
/// # Panics
///
/// Panics if `a` is singular, or the sizes do not fit.
#[custom_derivative(vjp = solve_columns_rule, differentiable)]
pub fn solve_columns(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    Factors::of("solve_columns", a).solved("solve_columns", b.clone())
}

#[differentiable(value)]
fn solve_columns_rule(
    a: &Array2<f64>,
    b: &Array2<f64>,
    x_bar: &Array2<f64>,
) -> (Array2<f64>, (Array2<f64>, Array2<f64>)) {
    let x = solve_columns(a, b);
    let b_bar = solve_columns(&a.t().to_owned(), x_bar);
    let a_bar = -b_bar.dot(&x.t());
    (x, (a_bar, b_bar))
}

/// The solutions `x[k]` of `a[k] x[k] = b[k]`.
///
/// ```
/// use cotangent::linalg::solve_each;
/// use cotangent::ndarray::{Array2, Array3};
/// use cotangent::prelude::*;
///
/// /// The squared distances of points from 0, each by a matrix of its own.
/// #[differentiable]
/// fn distances(a: &Array3<f64>, b: &Array2<f64>) -> f64 {
///     let x = solve_each(a, b);
///     sum(b.dim(), |(k, i)| b[[k, i]] * x[[k, i]])
/// }
///
/// let a = Array3::from_shape_vec((2, 1, 1), vec![4.0, 16.0]).unwrap();
/// let b = Array2::from_shape_vec((2, 1), vec![1.0, 2.0]).unwrap();
/// let (by_a, by_b) = distances_grad(&a, &b);
/// assert_eq!(by_a.into_raw_vec_and_offset().0, [-0.0625, -0.015625]);
/// assert_eq!(by_b.into_raw_vec_and_offset().0, [0.5, 0.25]);
/// ```
///
/// # Panics
///
/// Panics if a matrix is singular, or the sizes do not fit.
#[custom_derivative(vjp = solve_each_rule, differentiable)]
pub fn solve_each(a: &Array3<f64>, b: &Array2<f64>) -> Array2<f64> {
    let (matrices, sides) = (a.len_of(Axis(0)), b.nrows());
    assert!(
        matrices == sides,
        "`solve_each`: there are {matrices} matrices and {sides} right-hand sides"
    );
    let mut out = Array2::zeros((sides, a.len_of(Axis(2))));
    for ((mut x, b), a) in out.rows_mut().into_iter().zip(b.rows()).zip(a.outer_iter()) {
        let b = b.insert_axis(Axis(1)).to_owned();
        let solved = Factors::anew("solve_each", &a.to_owned()).solved("solve_each", b);
        x.assign(&solved.column(0));
    }
    out
}

#[differentiable(value)]
fn solve_each_rule(
    a: &Array3<f64>,
    b: &Array2<f64>,
    x_bar: &Array2<f64>,
) -> (Array2<f64>, (Array3<f64>, Array2<f64>)) {
    let x = solve_each(a, b);
    let b_bar = solve_each(&build(a.dim(), |(k, i, j)| a[[k, j, i]]), x_bar);
    let a_bar = build(a.dim(), |(k, i, j)| -b_bar[[k, i]] * x[[k, j]]);
    (x, (a_bar, b_bar))
}

/// The inverses of matrices.
///
/// ```
/// use cotangent::linalg::inverse_each;
/// use cotangent::ndarray::Array3;
/// use cotangent::prelude::*;
///
/// #[differentiable]
/// fn traces(a: &Array3<f64>) -> f64 {
///     let y = inverse_each(a);
///     sum((a.dim().0, a.dim().1), |(k, i)| y[[k, i, i]])
/// }
///
/// let a = Array3::from_shape_vec((2, 1, 1), vec![2.0, 4.0]).unwrap();
/// assert_eq!(traces_grad(&a).into_raw_vec_and_offset().0, [-0.25, -0.0625]);
/// ```
///
/// # Panics
///
/// Panics if a matrix is singular or not square.
#[custom_derivative(vjp = inverse_each_rule, differentiable)]
pub fn inverse_each(a: &Array3<f64>) -> Array3<f64> {
    let mut out = Array3::zeros(a.dim());
    for (mut y, a) in out.outer_iter_mut().zip(a.outer_iter()) {
        let factors = Factors::anew("inverse_each", &a.to_owned());
        y.assign(&factors.inverse("inverse_each"));
    }
    out
}

#[differentiable(value)]
fn inverse_each_rule(a: &Array3<f64>, y_bar: &Array3<f64>) -> (Array3<f64>, Array3<f64>) {
    let y = inverse_each(a);
    let n = a.len_of(Axis(1));
    let left = build(a.dim(), |(k, i, j)| {
        sum(n, |m| y[[k, m, i]] * y_bar[[k, m, j]])
    });
    let a_bar = build(a.dim(), |(k, i, j)| {
        -sum(n, |m| left[[k, i, m]] * y[[k, j, m]])
    });
    (y, a_bar)
}

/// The inverse of a matrix.
///
/// ```
/// use cotangent::linalg::inverse;
/// use cotangent::ndarray::array;
///
/// assert_eq!(inverse(&array![[1.0, 1.0], [0.0, 2.0]]), array![[1.0, -0.5], [0.0, 0.5]]);
/// ```
///
/// # Panics
///
/// Panics if the matrix is singular or not square.
#[custom_derivative(vjp = inverse_rule, differentiable)]
pub fn inverse(a: &Array2<f64>) -> Array2<f64> {
    Factors::of("inverse", a).inverse("inverse")
}

/// ```text
/// ā = −yᵀ ȳ yᵀ
/// ```
#[differentiable(value)]
fn inverse_rule(a: &Array2<f64>, y_bar: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let y = inverse(a);
    let a_bar = -y.t().dot(y_bar).dot(&y.t());
    (y, a_bar)
}

/// The logarithm of the absolute value of the determinant. That of no rows is 0.
///
/// ```
/// use cotangent::linalg::log_det;
/// use cotangent::ndarray::array;
///
/// let difference = log_det(&array![[0.0, 2.0], [3.0, 0.0]]) - 6.0_f64.ln();
/// assert!(difference.abs() < 1e-15);
/// ```
///
/// # Panics
///
/// Panics if the matrix is singular or not square.
#[custom_derivative(vjp = log_det_rule, differentiable)]
pub fn log_det(a: &Array2<f64>) -> f64 {
    Factors::of("log_det", a).log_det()
}

#[differentiable(value)]
fn log_det_rule(a: &Array2<f64>, cotangent: f64) -> (f64, Array2<f64>) {
    let value = log_det(a);
    let y = inverse(a);
    let a_bar = build(a.dim(), |(i, j)| cotangent * y[[j, i]]);
    (value, a_bar)
}

/// The lower triangular `l` with `l lᵀ = a`. It depends on the symmetric part of `a`:
/// `(a + aᵀ) / 2`.
///
/// ```
/// use cotangent::linalg::cholesky;
/// use cotangent::ndarray::array;
///
/// assert_eq!(cholesky(&array![[4.0, 2.0], [2.0, 10.0]]), array![[2.0, 0.0], [1.0, 3.0]]);
/// ```
///
/// # Panics
///
/// Panics if the matrix is not positive definite, or not square.
#[custom_derivative(vjp = cholesky_rule, differentiable)]
pub fn cholesky(a: &Array2<f64>) -> Array2<f64> {
    square("cholesky", a);
    let symmetric = 0.5 * (a + &a.t());
    factor::cholesky(symmetric).unwrap_or_else(|row| {
        panic!("`cholesky`: the matrix is not positive definite, as row {row} shows")
    })
}

#[differentiable(value)]
fn cholesky_rule(a: &Array2<f64>, l_bar: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let l = cholesky(a);
    let a_bar = cholesky_pullback(&l, l_bar);
    (l, a_bar)
}

/// What a cotangent of the factor says of the matrix; in blocks, where [`pulled_back`] takes
/// products of whole matrices.
#[custom_derivative(vjp = cholesky_pullback_rule, differentiable)]
fn cholesky_pullback(l: &Array2<f64>, l_bar: &Array2<f64>) -> Array2<f64> {
    factor::cholesky_pullback(l, l_bar)
}

#[differentiable(value)]
fn cholesky_pullback_rule(
    l: &Array2<f64>,
    l_bar: &Array2<f64>,
    cotangent: &Array2<f64>,
) -> (Array2<f64>, (Array2<f64>, Array2<f64>)) {
    pulled_back_vjp(l, l_bar, cotangent)
}

/// With `φ` the lower triangle, its diagonal halved:
///
/// ```text
/// s = l⁻ᵀ φ(lᵀ l̄) l⁻¹          ā = (s + sᵀ) / 2
/// ```
#[differentiable(vjp)]
fn pulled_back(l: &Array2<f64>, l_bar: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    // What is above the diagonal of l depends on nothing.
    let lower = build((n, n), |(i, j)| if j <= i { l_bar[[i, j]] } else { 0.0 });
    let p = l.t().dot(&lower);
    let phi = build((n, n), |(i, j)| {
        if j < i {
            p[[i, j]]
        } else if i == j {
            0.5 * p[[i, i]]
        } else {
            0.0
        }
    });
    // The transpose of l, from its last row and column on, is lower triangular.
    let flipped = build((n, n), |(i, j)| l[[n - 1 - j, n - 1 - i]]);
    let half = triangular_solve_columns(&flipped, &build((n, n), |(i, j)| phi[[n - 1 - i, j]]));
    let s = triangular_solve_columns(
        &flipped,
        &build((n, n), |(i, j)| half[[n - 1 - j, n - 1 - i]]),
    );
    build((n, n), |(i, j)| {
        0.5 * (s[[n - 1 - i, j]] + s[[n - 1 - j, i]])
    })
}

/// The solution `x` of `l x = b`, where `l` is lower triangular: what is above its diagonal is not
/// read.
///
/// ```
/// use cotangent::linalg::triangular_solve;
/// use cotangent::ndarray::array;
///
/// let l = array![[2.0, 0.0], [1.0, 4.0]];
/// assert_eq!(triangular_solve(&l, &array![2.0, 9.0]), array![1.0, 2.0]);
/// ```
///
/// # Panics
///
/// Panics if an element of the diagonal is 0, or the sizes do not fit.
#[custom_derivative(vjp = triangular_solve_rule, differentiable)]
pub fn triangular_solve(l: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let b = b.view().insert_axis(Axis(1));
    let x = factor::lower_solved("triangular_solve", l, b.to_owned());
    x.index_axis_move(Axis(1), 0)
}

/// ```text
/// b̄ = l⁻ᵀ x̄          l̄ = −b̄ xᵀ, below the diagonal and on it
/// ```
#[differentiable(value)]
fn triangular_solve_rule(
    l: &Array2<f64>,
    b: &Array1<f64>,
    x_bar: &Array1<f64>,
) -> (Array1<f64>, (Array2<f64>, Array1<f64>)) {
    let x = triangular_solve(l, b);
    let n = x.len();
    let flipped = build((n, n), |(i, j)| l[[n - 1 - j, n - 1 - i]]);
    let backwards = triangular_solve(&flipped, &build(n, |i| x_bar[n - 1 - i]));
    let b_bar = build(n, |i| backwards[n - 1 - i]);
    let l_bar = build((n, n), |(i, j)| if j <= i { -b_bar[i] * x[j] } else { 0.0 });
    (x, (l_bar, b_bar))
}

/// The solutions, one for each column of `b`, of `l x = b`, where `l` is lower triangular.
///
/// ```
/// use cotangent::linalg::triangular_solve_columns;
/// use cotangent::ndarray::array;
///
/// let l = array![[2.0, 0.0], [1.0, 4.0]];
/// let x = triangular_solve_columns(&l, &array![[2.0, 0.0], [9.0, 4.0]]);
/// assert_eq!(x, array![[1.0, 0.0], [2.0, 1.0]]);
/// ```
///
/// # Panics
///
/// Panics if an element of the diagonal is 0, or the sizes do not fit.
#[custom_derivative(vjp = triangular_solve_columns_rule, differentiable)]
pub fn triangular_solve_columns(l: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    factor::lower_solved("triangular_solve_columns", l, b.clone())
}

#[differentiable(value)]
fn triangular_solve_columns_rule(
    l: &Array2<f64>,
    b: &Array2<f64>,
    x_bar: &Array2<f64>,
) -> (Array2<f64>, (Array2<f64>, Array2<f64>)) {
    let x = triangular_solve_columns(l, b);
    let n = x.nrows();
    let flipped = build((n, n), |(i, j)| l[[n - 1 - j, n - 1 - i]]);
    let backwards = build(x.dim(), |(i, j)| x_bar[[n - 1 - i, j]]);
    let solved = triangular_solve_columns(&flipped, &backwards);
    let b_bar = build(x.dim(), |(i, j)| solved[[n - 1 - i, j]]);
    let product = b_bar.dot(&x.t());
    let l_bar = build((n, n), |(i, j)| if j <= i { -product[[i, j]] } else { 0.0 });
    (x, (l_bar, b_bar))
}

/// The eigenvalues of the symmetric part of a matrix, the least first, and eigenvectors of length 1
/// as columns in the same order.
///
/// Eigenvectors of equal eigenvalues have no derivative: it counts as if they did not mix.
///
/// ```
/// use cotangent::linalg::eigh;
/// use cotangent::ndarray::array;
///
/// let a = array![[2.0, 1.0], [1.0, 2.0]];
/// let (values, vectors) = eigh(&a);
/// assert!((values - array![1.0, 3.0]).mapv(f64::abs).sum() < 1e-14);
/// let v = vectors.column(1);
/// assert!((a.dot(&v) - 3.0 * &v).mapv(f64::abs).sum() < 1e-14);
/// ```
///
/// # Panics
///
/// Panics if the matrix is not square, or has elements that are not finite.
#[custom_derivative(vjp = eigh_rule, differentiable)]
pub fn eigh(a: &Array2<f64>) -> (Array1<f64>, Array2<f64>) {
    square("eigh", a);
    eigen::eigh(0.5 * (a + &a.t()))
        .unwrap_or_else(|| panic!("`eigh` or `singular_values`: the eigenvalues were not found"))
}

/// With `f` the matrix of `1 / (w_j − w_i)`, and 0 where these are equal:
///
/// ```text
/// s = v (diag(w̄) + f ∘ (vᵀ v̄)) vᵀ          ā = (s + sᵀ) / 2
/// ```
#[differentiable(value)]
#[allow(clippy::type_complexity)]
fn eigh_rule(
    a: &Array2<f64>,
    bars: &(Array1<f64>, Array2<f64>),
) -> ((Array1<f64>, Array2<f64>), Array2<f64>) {
    let (w, v) = eigh(a);
    let (w_bar, v_bar) = bars;
    let n = w.len();
    let p = v.t().dot(v_bar);
    let inner = build((n, n), |(i, j)| {
        if i == j {
            w_bar[i]
        } else if w[i] == w[j] {
            0.0
        } else {
            p[[i, j]] / (w[j] - w[i])
        }
    });
    let s = v.dot(&inner).dot(&v.t());
    let a_bar = build((n, n), |(i, j)| 0.5 * (s[[i, j]] + s[[j, i]]));
    ((w, v), a_bar)
}

/// The singular values of a matrix, the largest first.
///
/// ```
/// use cotangent::linalg::singular_values;
/// use cotangent::ndarray::array;
///
/// let s = singular_values(&array![[0.0, 3.0], [4.0, 0.0], [0.0, 0.0]]);
/// assert!((s - array![4.0, 3.0]).mapv(f64::abs).sum() < 1e-13);
/// ```
///
/// # Panics
///
/// Panics if the matrix has elements that are not finite.
#[differentiable(value, vjp, jvp)]
pub fn singular_values(a: &Array2<f64>) -> Array1<f64> {
    let (m, n) = a.dim();
    // Its eigenvalues are the singular values, their negatives, and zeros.
    let both = build((m + n, m + n), |(i, j)| {
        if i < m && j >= m {
            a[[i, j - m]]
        } else if i >= m && j < m {
            a[[j, i - m]]
        } else {
            0.0
        }
    });
    let (w, _) = eigh(&both);
    build(m.min(n), |k| w[m + n - 1 - k])
}

/// The exponential of a matrix.
///
/// ```
/// use cotangent::linalg::expm;
/// use cotangent::ndarray::array;
///
/// let rotation = expm(&array![[0.0, -1.0], [1.0, 0.0]]);
/// assert!((rotation[[0, 0]] - 1.0_f64.cos()).abs() < 1e-15);
/// assert!((rotation[[1, 0]] - 1.0_f64.sin()).abs() < 1e-15);
/// ```
///
/// # Panics
///
/// Panics if the matrix is not square.
#[custom_derivative(vjp = expm_rule, differentiable)]
pub fn expm(a: &Array2<f64>) -> Array2<f64> {
    square("expm", a);
    factor::expm(a)
}

/// ```text
/// exp [aᵀ ȳ ]   [.. ā]
///     [0  aᵀ] = [.. ..]
/// ```
#[differentiable(value)]
fn expm_rule(a: &Array2<f64>, y_bar: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let n = a.nrows();
    let both = build((2 * n, 2 * n), |(i, j)| {
        if i < n && j < n {
            a[[j, i]]
        } else if i < n {
            y_bar[[i, j - n]]
        } else if j < n {
            0.0
        } else {
            a[[j - n, i - n]]
        }
    });
    let e = expm(&both);
    let a_bar = build((n, n), |(i, j)| e[[i, n + j]]);
    let y = expm(a);
    (y, a_bar)
}
