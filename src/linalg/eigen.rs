//! Eigenvalues and eigenvectors of symmetric matrices: Householder reflections to tridiagonal form,
//! then QL with implicit shifts.

use ndarray::{Array1, Array2, s};

/// How often a value is improved at most.
const ROUNDS: usize = 60;

/// The eigenvalues, the least first, and the eigenvectors as columns; nothing if they were not
/// found.
pub(super) fn eigh(a: Array2<f64>) -> Option<(Array1<f64>, Array2<f64>)> {
    let n = a.nrows();
    if !a.iter().all(|x| x.is_finite()) {
        return None;
    }
    if n == 0 {
        return Some((Array1::zeros(0), a));
    }
    let (mut d, mut e, mut z) = tridiagonal(a);
    // Rows are vectors from here on, so that rotations touch neighbours.
    z = z.reversed_axes().as_standard_layout().into_owned();
    rotate(&mut d, &mut e, &mut z)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| d[*i].total_cmp(&d[*j]));
    let values = order.iter().map(|&k| d[k]).collect();
    let vectors = z.select(ndarray::Axis(0), &order);
    Some((
        values,
        vectors.reversed_axes().as_standard_layout().into_owned(),
    ))
}

/// The diagonal, what is beside it (from the second row on), and the product of the reflections.
fn tridiagonal(mut a: Array2<f64>) -> (Vec<f64>, Vec<f64>, Array2<f64>) {
    let n = a.nrows();
    let mut q = Array2::<f64>::eye(n);
    let mut e = vec![0.0; n];
    for k in 0..n.saturating_sub(2) {
        // The reflection takes column k below the diagonal to a multiple of its first element.
        let x = a.slice(s![k + 1.., k]).to_owned();
        let scale = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let rest = x.slice(s![1..]).iter().all(|v| *v == 0.0);
        if rest || !scale.is_finite() {
            e[k + 1] = x[0];
            continue;
        }
        let norm = scale
            * x.iter()
                .map(|v| (v / scale) * (v / scale))
                .sum::<f64>()
                .sqrt();
        let alpha = if x[0] > 0.0 { -norm } else { norm };
        let mut v = x / scale;
        v[0] -= alpha / scale;
        let length = v.dot(&v).sqrt();
        v /= length;
        // a − 2 v wᵀ − 2 w vᵀ with w = a v − (vᵀ a v) v
        let rest = a.slice(s![k + 1.., k + 1..]).to_owned();
        let p = rest.dot(&v);
        let w = &p - &(&v * v.dot(&p));
        let mut rest = a.slice_mut(s![k + 1.., k + 1..]);
        for (i, mut row) in rest.rows_mut().into_iter().enumerate() {
            row.scaled_add(-2.0 * v[i], &w);
            row.scaled_add(-2.0 * w[i], &v);
        }
        e[k + 1] = alpha;
        let mut right = q.slice_mut(s![.., k + 1..]);
        let along = right.dot(&v);
        for (i, mut row) in right.rows_mut().into_iter().enumerate() {
            row.scaled_add(-2.0 * along[i], &v);
        }
    }
    if n > 1 {
        e[n - 1] = a[[n - 1, n - 2]];
    }
    (a.diag().to_vec(), e, q)
}

/// Takes the tridiagonal matrix to diagonal form, and rotates the rows of `z` along.
fn rotate(d: &mut [f64], e: &mut [f64], z: &mut Array2<f64>) -> Option<()> {
    let n = d.len();
    e.rotate_left(1);
    for l in 0..n {
        for round in 0.. {
            let is_small = |m: &usize| {
                let sum = d[*m].abs() + d[*m + 1].abs();
                e[*m].abs() <= f64::EPSILON * sum || e[*m] == 0.0
            };
            let m = (l..n - 1).find(is_small).unwrap_or(n - 1);
            if m == l {
                break;
            }
            if round == ROUNDS {
                return None;
            }
            let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let mut r = g.hypot(1.0);
            g = d[m] - d[l] + e[l] / (g + r.copysign(g));
            let (mut sine, mut cosine, mut p) = (1.0, 1.0, 0.0);
            let mut is_split = false;
            for i in (l..m).rev() {
                let f = sine * e[i];
                let b = cosine * e[i];
                r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    is_split = true;
                    break;
                }
                sine = f / r;
                cosine = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * sine + 2.0 * cosine * b;
                p = sine * r;
                d[i + 1] = g + p;
                g = cosine * r - b;
                let (mut above, mut below) = z.view_mut().split_at(ndarray::Axis(0), i + 1);
                ndarray::Zip::from(above.row_mut(i))
                    .and(below.row_mut(0))
                    .for_each(|x, y| {
                        let f = *y;
                        *y = sine * *x + cosine * f;
                        *x = cosine * *x - sine * f;
                    });
            }
            if is_split {
                continue;
            }
            d[l] -= p;
            e[l] = g;
            e[m] = 0.0;
        }
    }
    Some(())
}
