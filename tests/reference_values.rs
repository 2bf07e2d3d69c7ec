//! Objectives of a public benchmark suite, written as a user would, against values and gradients
//! that were computed independently.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, array};

fn near<'a>(found: impl IntoIterator<Item = &'a f64>, wanted: &[f64]) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    assert_eq!(found.len(), wanted.len());
    for (a, b) in found.iter().zip(wanted) {
        assert!(
            (a - b).abs() <= 2e-11 * b.abs().max(1.0),
            "{found:?} is not {wanted:?}"
        );
    }
}

/// The log-posterior of a mixture of Gaussians with a Wishart prior. Component j has a lower
/// triangular factor with diagonal `exp(q[j])`; the part below it is packed column by column in
/// `l[j]`.
#[differentiable(wrt(alpha, mu, q, l))]
fn gmm(
    x: &Array2<f64>,
    alpha: &Array1<f64>,
    mu: &Array2<f64>,
    q: &Array2<f64>,
    l: &Array2<f64>,
    gamma: f64,
    m: usize,
) -> f64 {
    let (n, d) = x.dim();
    let k = alpha.len();
    let diagonal = build((k, d), |(j, c)| q[[j, c]].exp());
    let log_det = build(k, |j| sum(d, |c| q[[j, c]]));
    let data = sum(n, |i| {
        logsumexp(k, |j| {
            let squared = sum(d, |r| {
                let z = diagonal[[j, r]] * (x[[i, r]] - mu[[j, r]])
                    + sum(r, |c| {
                        // Column c starts after those of lengths d-1, d-2, ..
                        let start = c * (2 * d - c - 1) / 2;
                        l[[j, start + r - c - 1]] * (x[[i, c]] - mu[[j, c]])
                    });
                z * z
            });
            alpha[j] + log_det[j] - 0.5 * squared
        })
    });
    let tau = 2.0 * std::f64::consts::PI;
    let log_likelihood =
        data - n as f64 * logsumexp(k, |j| alpha[j]) - 0.5 * (n * d) as f64 * tau.ln();
    let nu = (d + m + 1) as f64;
    let log_gamma = 0.25 * (d * (d - 1)) as f64 * std::f64::consts::PI.ln()
        + sum(d, |i| lgamma(0.5 * nu - 0.5 * i as f64));
    let constant = nu * d as f64 * (gamma / 2f64.sqrt()).ln() - log_gamma;
    let prior = k as f64 * constant
        + sum(k, |j| {
            let frobenius = sum(d, |c| diagonal[[j, c]] * diagonal[[j, c]])
                + sum(l.ncols(), |c| l[[j, c]] * l[[j, c]]);
            m as f64 * log_det[j] - 0.5 * gamma * gamma * frobenius
        });
    log_likelihood + prior
}

#[test]
fn mixture_of_gaussians() {
    let x = array![[1.0, -0.5], [0.25, 0.75], [-1.5, 0.3]];
    let (value, (alpha, mu, q, l)) = gmm_value_and_grad(
        &x,
        &array![0.3, -0.5],
        &array![[0.1, 0.4], [-0.3, 0.8]],
        &array![[0.2, -0.1], [-0.4, 0.3]],
        &array![[0.7], [-0.6]],
        0.8,
        1,
    );
    near([&value], &[-19.5769609141]);
    near(&alpha, &[-0.138120795621, 0.138120795621]);
    near(
        &mu,
        &[
            0.8915866789,
            -0.113050122079,
            -0.280989449325,
            -0.155312967625,
        ],
    );
    near(
        &q,
        &[
            -0.0404246353806,
            2.13862588126,
            1.22074066723,
            0.836732546236,
        ],
    );
    near(&l, &[-0.740971149528, 0.544673033316]);
}

#[test]
fn mixture_of_one_in_four_dimensions() {
    let (value, (alpha, mu, q, l)) = gmm_value_and_grad(
        &array![[1.0, 2.0, -1.0, 0.5]],
        &array![0.4],
        &Array2::zeros((1, 4)),
        &Array2::zeros((1, 4)),
        &array![[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]],
        1.0,
        0,
    );
    near([&value], &[-20.0853162288]);
    near(&l, &[-2.2, -0.2, -1.5, -0.4, -2.9, 0.6]);
    near(&mu, &[1.57, 2.7, 0.72, 1.2]);
    near(&q, &[-1.0, -4.2, 0.0, -0.6]);
    near(&alpha, &[0.0]);
}

#[differentiable(wrt(centroids))]
fn kmeans(points: &Array2<f64>, centroids: &Array2<f64>) -> f64 {
    sum(points.nrows(), |i| {
        minimum(centroids.nrows(), |j| {
            sum(points.ncols(), |c| {
                (centroids[[j, c]] - points[[i, c]]).powi(2)
            })
        })
    })
}

#[test]
fn nearest_centroids() {
    let points = array![[0.0, 0.0], [1.0, 0.5], [0.2, -0.4], [3.0, 3.0], [2.5, 3.5]];
    let (value, gradient) = kmeans_value_and_grad(&points, &array![[0.5, 0.25], [2.6, 2.9]]);
    near([&value], &[1.6775]);
    near(&gradient, &[0.6, 1.3, -0.6, -1.4]);
}

#[differentiable]
fn polynomial_fit(x: &Array1<f64>, n: usize) -> f64 {
    0.5 * sum(n, |i| {
        let t = -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let sign = if t > 0.0 {
            1.0
        } else if t < 0.0 {
            -1.0
        } else {
            0.0
        };
        let r = sign - sum(x.len(), |j| x[j] * t.powi(j as i32));
        r * r
    })
}

#[test]
fn least_squares() {
    let x = array![0.5, -1.25, 0.75];
    let (value, gradient) = polynomial_fit_value_and_grad(&x, 5);
    near([&value], &[9.86328125]);
    near(&gradient, &[4.375, -6.125, 2.84375]);
    let (value, gradient) = polynomial_fit_value_and_grad(&x, 4);
    near([&value], &[8.97222222222]);
    near(&gradient, &[3.66666666667, -5.44444444444, 2.62962962963]);
}

#[differentiable]
fn lse(x: &Array1<f64>) -> f64 {
    let largest = maximum(x.len(), |i| x[i]);
    largest + sum(x.len(), |i| (x[i] - largest).exp()).ln()
}

#[test]
fn log_sum_exp() {
    let cases = [
        (
            array![0.5, -1.0, 2.0, 0.25],
            2.36927899845,
            vec![
                0.154234825284,
                0.0344144412661,
                0.691232530742,
                0.120118202708,
            ],
        ),
        (
            array![1000.0, 1000.0, 999.0],
            1000.8619948,
            vec![0.422318798252, 0.422318798252, 0.155362403497],
        ),
        (
            array![-1000.0, -1001.0],
            -999.686738312,
            vec![0.73105857863, 0.26894142137],
        ),
    ];
    for (x, value, gradient) in cases {
        let (v, g) = lse_value_and_grad(&x);
        near([&v], &[value]);
        near(&g, &gradient);
    }
}

/// The determinant of a 3×3 matrix by minors along the first row.
#[differentiable]
fn determinant(a: &Array2<f64>) -> f64 {
    let minor = |j: usize, k: usize| a[[1, j]] * a[[2, k]] - a[[1, k]] * a[[2, j]];
    a[[0, 0]] * minor(1, 2) - a[[0, 1]] * minor(0, 2) + a[[0, 2]] * minor(0, 1)
}

#[test]
fn minors() {
    let a = array![[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.25, 4.0, 1.5]];
    let (value, gradient) = determinant_value_and_grad(&a);
    near([&value], &[28.625]);
    near(
        &gradient,
        &[12.5, -2.0, 3.25, 3.5, 2.875, -8.25, 0.5, 4.5, 7.0],
    );
}

/// A function of rank 3, so that more than vectors and matrices is covered here.
#[differentiable]
fn mixed(t: &Array3<f64>) -> f64 {
    let (n, m, k) = t.dim();
    sum((n, m, k), |(i, j, l)| {
        t[[i, j, l]] * t[[i, m - 1 - j, l]] * (l + 1) as f64
    })
}

#[test]
fn gradient_of_a_symmetric_form() {
    let t = Array3::from_shape_fn((2, 3, 2), |(i, j, l)| (i + 2 * j) as f64 - l as f64);
    let wanted = Array3::from_shape_fn((2, 3, 2), |(i, j, l)| {
        2.0 * t[[i, 2 - j, l]] * (l + 1) as f64
    });
    near(&mixed_grad(&t), wanted.as_slice().unwrap());
}
