//! Factorisations in blocks: what is left of a block is updated by one product of matrices.
//!
//! A gradient factorises the matrices again that the value has factorised, and several functions
//! take one matrix. So each thread keeps the last matrix of some size with its factors: to compare
//! two matrices costs n², to factorise one n³.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use std::cell::RefCell;
use std::rc::Rc;

/// The rows and columns of a block.
const BLOCK: usize = 48;

/// The number of rows of a square matrix.
#[track_caller]
pub(super) fn square(name: &str, a: &Array2<f64>) -> usize {
    let (m, n) = a.dim();
    assert!(m == n, "`{name}`: the matrix is {m} × {n}, not square");
    n
}

/// What a matrix was taken apart to.
pub(super) enum Factors {
    /// The lower triangle.
    Cholesky(Array2<f64>),
    /// Both triangles in one, the diagonal of the lower one being 1; and the row of the matrix that
    /// each row was.
    Lu(Array2<f64>, Vec<usize>),
}

/// Matrices with fewer rows are factorised faster than they are compared and kept.
const WORTH_KEEPING: usize = 32;

thread_local! {
    /// The last matrix, and its factors.
    static LAST: RefCell<Option<(Array2<f64>, Rc<Factors>)>> = const { RefCell::new(None) };
}

impl Factors {
    /// Takes a matrix apart.
    #[track_caller]
    pub(super) fn of(name: &str, a: &Array2<f64>) -> Rc<Factors> {
        if a.nrows() < WORTH_KEEPING {
            return Rc::new(Factors::anew(name, a));
        }
        let last = LAST.take().filter(|(matrix, _)| matrix == a);
        let (matrix, factors) =
            last.unwrap_or_else(|| (a.clone(), Rc::new(Factors::anew(name, a))));
        LAST.set(Some((matrix, factors.clone())));
        factors
    }

    /// The same without looking at the last one.
    #[track_caller]
    pub(super) fn anew(name: &str, a: &Array2<f64>) -> Factors {
        let n = square(name, a);
        let is_symmetric = (0..n).all(|i| a[[i, i]] > 0.0)
            && (0..n).all(|i| (0..i).all(|j| a[[i, j]] == a[[j, i]]));
        if is_symmetric && let Ok(l) = cholesky(a.as_standard_layout().into_owned()) {
            return Factors::Cholesky(l);
        }
        match lu(a.as_standard_layout().into_owned()) {
            Some((lu, rows)) => Factors::Lu(lu, rows),
            None => panic!("`{name}`: the matrix is singular"),
        }
    }

    /// Solves for each column.
    #[track_caller]
    pub(super) fn solved(&self, name: &str, b: Array2<f64>) -> Array2<f64> {
        match self {
            Factors::Cholesky(l) => {
                fits(name, l, &b);
                let mut x = b;
                lower(l.view(), x.view_mut(), false);
                upper(l.t(), x.view_mut());
                x
            }
            Factors::Lu(lu, rows) => {
                fits(name, lu, &b);
                let mut x = b.select(ndarray::Axis(0), rows);
                lower(lu.view(), x.view_mut(), true);
                upper(lu.view(), x.view_mut());
                x
            }
        }
    }

    /// The inverse.
    #[track_caller]
    pub(super) fn inverse(&self, name: &str) -> Array2<f64> {
        match self {
            Factors::Cholesky(l) => symmetric_inverse(l),
            Factors::Lu(lu, _) => self.solved(name, Array2::eye(lu.nrows())),
        }
    }

    /// The logarithm of the absolute value of the determinant.
    pub(super) fn log_det(&self) -> f64 {
        match self {
            Factors::Cholesky(l) => l.diag().iter().map(|x| 2.0 * x.ln()).sum(),
            Factors::Lu(lu, _) => lu.diag().iter().map(|x| x.abs().ln()).sum(),
        }
    }
}

#[track_caller]
fn fits(name: &str, a: &Array2<f64>, b: &Array2<f64>) {
    assert!(
        a.nrows() == b.nrows(),
        "`{name}`: the matrix has {} rows, and the right-hand side {}",
        a.nrows(),
        b.nrows()
    );
}

/// The blocks of so many rows.
fn blocks(n: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> + ExactSizeIterator {
    (0..n.div_ceil(BLOCK)).map(move |k| (k * BLOCK, n.min((k + 1) * BLOCK)))
}

/// The lower triangular factor, zeros above it; or the row that shows that there is none. Reads the
/// lower triangle.
pub(super) fn cholesky(mut a: Array2<f64>) -> Result<Array2<f64>, usize> {
    let n = a.nrows();
    for (from, to) in blocks(n) {
        for j in from..to {
            let done = a.slice(s![j, from..j]).to_owned();
            let pivot = a[[j, j]] - done.dot(&done);
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(j);
            }
            let root = pivot.sqrt();
            a[[j, j]] = root;
            for i in j + 1..n {
                let x = a[[i, j]] - a.slice(s![i, from..j]).dot(&done);
                a[[i, j]] = x / root;
            }
        }
        let panel = a.slice(s![to.., from..to]).to_owned();
        // One block of columns after the other: what is above the diagonal is not needed.
        for (first, last) in blocks(n - to) {
            let rest = a.slice_mut(s![to + first.., to + first..to + last]);
            let rows = panel.slice(s![first.., ..]);
            product_from(rest, rows, panel.slice(s![first..last, ..]).t());
        }
    }
    for i in 0..n {
        a.slice_mut(s![i, i + 1..]).fill(0.0);
    }
    Ok(a)
}

/// What a cotangent of the lower triangular factor says of a symmetric matrix: the steps of
/// [`cholesky`] from the last to the first.
///
/// ```text
///     [. . .]     c̄ := c̄ d⁻¹        b̄ −= c̄ r        d̄ −= tril(c̄ᵀ c)
/// l = [r d .]     d̄ := the same of the block d alone
///     [b c .]     r̄ −= c̄ᵀ b + (d̄ + d̄ᵀ) r
/// ```
pub(super) fn cholesky_pullback(l: &Array2<f64>, l_bar: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    let mut bar = l_bar.as_standard_layout().into_owned();
    for (from, to) in blocks(n).rev() {
        let (d, r) = (
            l.slice(s![from..to, from..to]),
            l.slice(s![from..to, ..from]),
        );
        let (b, c) = (l.slice(s![to.., ..from]), l.slice(s![to.., from..to]));
        // The rows of c̄ are solutions with the transpose of d.
        let mut c_bar = bar.slice(s![to.., from..to]).t().to_owned();
        upper(d.t(), c_bar.view_mut());
        product_from(bar.slice_mut(s![to.., ..from]), c_bar.t(), r);
        let mut d_bar = bar.slice(s![from..to, from..to]).to_owned();
        product_from(d_bar.view_mut(), c_bar.view(), c);
        pull_back_block(d, &mut d_bar);
        let both = &d_bar + &d_bar.t();
        let mut r_bar = bar.slice_mut(s![from..to, ..from]);
        product_from(r_bar.view_mut(), c_bar.view(), b);
        product_from(r_bar, both.view(), r);
        bar.slice_mut(s![to.., from..to]).assign(&c_bar.t());
        bar.slice_mut(s![from..to, from..to]).assign(&d_bar);
    }
    for i in 0..n {
        for j in 0..i {
            let half = 0.5 * bar[[i, j]];
            (bar[[i, j]], bar[[j, i]]) = (half, half);
        }
    }
    bar
}

/// The same of one block, element by element; zeros above the diagonal.
fn pull_back_block(l: ArrayView2<'_, f64>, bar: &mut Array2<f64>) {
    for j in (0..l.nrows()).rev() {
        for i in (j + 1..l.nrows()).rev() {
            // l[i, j] = (a[i, j] − l[i, ..j] · l[j, ..j]) / l[j, j]
            let x = bar[[i, j]] / l[[j, j]];
            bar[[i, j]] = x;
            bar[[j, j]] -= x * l[[i, j]];
            for k in 0..j {
                bar[[i, k]] -= x * l[[j, k]];
                bar[[j, k]] -= x * l[[i, k]];
            }
            bar[[j, i]] = 0.0;
        }
        // l[j, j]² = a[j, j] − l[j, ..j]²
        let x = 0.5 * bar[[j, j]] / l[[j, j]];
        bar[[j, j]] = x;
        for k in 0..j {
            bar[[j, k]] -= 2.0 * x * l[[j, k]];
        }
    }
}

/// `c −= a b`
fn product_from(mut c: ArrayViewMut2<'_, f64>, a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) {
    if !c.is_empty() && a.ncols() > 0 {
        general_mat_mul(-1.0, &a, &b, 1.0, &mut c);
    }
}

/// Both triangular factors in one array, and the order of the rows; nothing if a pivot is 0.
fn lu(mut a: Array2<f64>) -> Option<(Array2<f64>, Vec<usize>)> {
    let n = a.nrows();
    let mut rows: Vec<usize> = (0..n).collect();
    for (from, to) in blocks(n) {
        for j in from..to {
            let larger = |p: usize, i: usize| {
                if a[[i, j]].abs() > a[[p, j]].abs() {
                    i
                } else {
                    p
                }
            };
            let pivot = (j + 1..n).fold(j, larger);
            if pivot != j {
                rows.swap(j, pivot);
                let (mut above, mut below) = a.view_mut().split_at(ndarray::Axis(0), pivot);
                ndarray::Zip::from(above.row_mut(j))
                    .and(below.row_mut(0))
                    .for_each(std::mem::swap);
            }
            if a[[j, j]] == 0.0 {
                return None;
            }
            let row = a.slice(s![j, j + 1..to]).to_owned();
            for i in j + 1..n {
                let factor = a[[i, j]] / a[[j, j]];
                a[[i, j]] = factor;
                a.slice_mut(s![i, j + 1..to]).scaled_add(-factor, &row);
            }
        }
        let diagonal = a.slice(s![from..to, from..to]).to_owned();
        lower(diagonal.view(), a.slice_mut(s![from..to, to..]), true);
        let right = a.slice(s![from..to, to..]).to_owned();
        let below = a.slice(s![to.., from..to]).to_owned();
        product_from(a.slice_mut(s![to.., to..]), below.view(), right.view());
    }
    Some((a, rows))
}

/// Solves with a lower triangle, whose diagonal is 1 if that is said.
fn lower(l: ArrayView2<'_, f64>, mut x: ArrayViewMut2<'_, f64>, has_ones: bool) {
    for (from, to) in blocks(l.nrows()) {
        for i in from..to {
            let (above, mut below) = x.view_mut().split_at(ndarray::Axis(0), i);
            let mut row = below.row_mut(0);
            for j in from..i {
                row.scaled_add(-l[[i, j]], &above.row(j));
            }
            if !has_ones {
                row /= l[[i, i]];
            }
        }
        let (done, rest) = x.view_mut().split_at(ndarray::Axis(0), to);
        product_from(
            rest,
            l.slice(s![to.., from..to]),
            done.slice(s![from.., ..]),
        );
    }
}

/// `l⁻ᵀ l⁻¹`. Row i of `l⁻¹` ends at its diagonal.
fn symmetric_inverse(l: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    let (mut w, mut out) = (Array2::eye(n), Array2::zeros((n, n)));
    for (from, to) in blocks(n) {
        let (mut done, rest) = w
            .slice_mut(s![from.., ..to])
            .split_at(ndarray::Axis(0), to - from);
        lower(l.slice(s![from..to, from..to]), done.view_mut(), false);
        product_from(rest, l.slice(s![to.., from..to]), done.view());
        for (first, last) in blocks(to) {
            let columns = done.slice(s![.., first..]);
            let below = out.slice_mut(s![first..to, first..last]);
            product_from(below, columns.t(), done.slice(s![.., first..last]));
        }
    }
    for i in 0..n {
        for j in 0..=i {
            out[[i, j]] = -out[[i, j]];
            out[[j, i]] = out[[i, j]];
        }
    }
    out
}

/// Solves with an upper triangle.
fn upper(u: ArrayView2<'_, f64>, mut x: ArrayViewMut2<'_, f64>) {
    for (from, to) in blocks(u.nrows()).rev() {
        for i in (from..to).rev() {
            let (mut above, below) = x.view_mut().split_at(ndarray::Axis(0), i + 1);
            let mut row = above.row_mut(i);
            for j in i + 1..to {
                row.scaled_add(-u[[i, j]], &below.row(j - i - 1));
            }
            row /= u[[i, i]];
        }
        let (rest, done) = x.view_mut().split_at(ndarray::Axis(0), from);
        product_from(
            rest,
            u.slice(s![..from, from..to]),
            done.slice(s![..to - from, ..]),
        );
    }
}

/// Solves with the lower triangle of a matrix.
#[track_caller]
pub(super) fn lower_solved(name: &str, l: &Array2<f64>, b: Array2<f64>) -> Array2<f64> {
    square(name, l);
    fits(name, l, &b);
    if let Some(i) = l.diag().iter().position(|x| *x == 0.0) {
        panic!("`{name}`: the matrix is singular, element ({i}, {i}) is 0");
    }
    let mut x = b;
    lower(l.view(), x.view_mut(), false);
    x
}

/// The coefficients of the Padé approximant of degree 13.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];

/// Up to this norm the approximant is exact to rounding.
const NORM: f64 = 5.371920351148152;

/// The exponential of a matrix.
pub(super) fn expm(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let columns = a.columns().into_iter();
    let norm = columns
        .map(|c| c.iter().map(|x| x.abs()).sum())
        .fold(0.0, f64::max);
    let squarings = match norm > NORM && norm.is_finite() {
        true => (norm / NORM).log2().ceil() as i32,
        false => 0,
    };
    let a = a * 0.5_f64.powi(squarings);
    let (a2, one) = (a.dot(&a), Array2::<f64>::eye(n));
    let (a4, b) = (a2.dot(&a2), PADE);
    let a6 = a4.dot(&a2);
    let high = |k: usize| b[k + 6] * &a6 + b[k + 4] * &a4 + b[k + 2] * &a2;
    let low = |k: usize| b[k + 6] * &a6 + b[k + 4] * &a4 + b[k + 2] * &a2 + b[k] * &one;
    let u = a.dot(&(a6.dot(&high(7)) + low(1)));
    let v = a6.dot(&high(6)) + low(0);
    let factors = Factors::of("expm", &(&v - &u));
    let mut y = factors.solved("expm", v + u);
    for _ in 0..squarings {
        y = y.dot(&y);
    }
    y
}
