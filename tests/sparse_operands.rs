//! Sparse matrices as arguments, against the same functions of dense matrices.

#![deny(warnings, missing_docs, clippy::all)]

use cotangent::prelude::*;
use cotangent::sprs::{CsMat, CsMatView};
use cotangent::{Parameters, Sparse, Workspace};
use ndarray::{Array1, Array2};

const SIZES: [(usize, usize); 7] = [(0, 0), (0, 3), (3, 0), (1, 1), (9, 4), (65, 70), (300, 300)];

/// Numbers between -1 and 1.
fn noise(k: usize) -> f64 {
    (k as f64 * 12.9898 + 0.37).sin()
}

fn vector(n: usize, seed: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |k| noise(k + seed))
}

fn matrix((n, m): (usize, usize), seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, m), |(i, j)| noise(7 * i + 3 * j + seed))
}

/// One full row, empty rows, and rows with one entry in eleven.
fn sparse((n, m): (usize, usize), seed: usize) -> Sparse {
    let places = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let is_there = |(i, j): &(usize, usize)| *i == n / 2 || (i % 3 != 1 && (7 * i + j) % 11 == 0);
    let (rows, columns): (Vec<usize>, Vec<usize>) = places.filter(is_there).unzip();
    let values = (0..rows.len()).map(|k| noise(k + seed)).collect();
    Sparse {
        rows,
        columns,
        values,
        shape: (n, m),
    }
}

/// The entries of a dense derivative at the places of a matrix.
fn at_places(of: &Sparse, dense: &Array2<f64>) -> Vec<f64> {
    of.iter().map(|(i, j, _)| dense[[i, j]]).collect()
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[track_caller]
fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{x} and {y}");
    }
}

/// Compares a gradient, a directional derivative and a product with the Hessian with differences.
#[track_caller]
fn assert_derivatives<P: Parameters>(
    at: &P,
    f: impl Fn(&P) -> f64,
    grad: impl Fn(&P) -> P,
    jvp: impl Fn(&P, &P) -> (f64, f64),
    hvp: impl Fn(&P, &P) -> P,
) {
    let mut k = 0;
    let along = at.map_reals(|_| {
        k += 1;
        noise(31 * k)
    });
    let h = 1e-4;
    let moved = |by: f64| {
        let mut moved = at.map_reals(|x| x);
        moved.add_scaled(by, &along);
        moved
    };
    let gradient = grad(at);
    let (value, slope) = jvp(at, &along);
    assert_close(&[value], &[f(at)], 1e-10);
    assert_close(&[slope], &[gradient.inner(&along)], 1e-9);
    let weights = [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)];
    let mut by_values = 0.0;
    let mut by_gradients = at.map_reals(|_| 0.0);
    for (step, weight) in weights {
        let (there, weight) = (moved(step * h), weight / (12.0 * h));
        by_values += weight * f(&there);
        by_gradients.add_scaled(weight, &grad(&there));
    }
    assert_close(&[slope], &[by_values], 1e-6);
    assert_close(&hvp(at, &along).to_flat(), &by_gradients.to_flat(), 1e-6);
}

fn by_rows(a: &Sparse) -> CsMat<f64> {
    CsMat::from(a)
}

fn by_columns(a: &Sparse) -> CsMat<f64> {
    CsMat::from(a).to_csc()
}

/// The entries of a derivative, which are those of the argument.
fn entries_of(a: &Sparse, derivative: &CsMat<f64>) -> Sparse {
    assert_eq!(derivative.nnz(), a.values.len());
    assert_eq!(derivative.shape(), a.shape);
    let values = a.iter().map(|(i, j, _)| *derivative.get(i, j).unwrap());
    Sparse {
        values: values.collect(),
        ..a.clone()
    }
}

#[differentiable(value, grad, jvp, hvp, into)]
fn energy(a: &Sparse, x: &Array1<f64>, b: &Array2<f64>) -> f64 {
    let y = a.dot(x);
    let z = a.dot(b);
    let back = y.dot(a);
    let sides = z.t().dot(a);
    y.dot(&y) + z.mapv(|v| v.sin()).sum() + back.mapv(f64::sin).sum() + (&sides * &sides).sum()
}

#[differentiable]
fn dense_energy(a: &Array2<f64>, x: &Array1<f64>, b: &Array2<f64>) -> f64 {
    let y = a.dot(x);
    let z = a.dot(b);
    let back = y.dot(a);
    let sides = z.t().dot(a);
    y.dot(&y) + z.mapv(|v| v.sin()).sum() + back.mapv(f64::sin).sum() + (&sides * &sides).sum()
}

#[differentiable(value, grad, jvp, hvp)]
fn compressed_energy(a: &CsMat<f64>, x: &Array1<f64>, b: &Array2<f64>) -> f64 {
    let y = a * x;
    let z = a * b;
    let back = &a.transpose_view() * &y;
    let sides = &a.transpose_view() * &z;
    y.dot(&y) + z.mapv(|v| v.sin()).sum() + back.mapv(f64::sin).sum() + (&sides * &sides).sum()
}

type Point = (Sparse, Array1<f64>, Array2<f64>);

#[test]
fn products_have_the_derivatives_of_dense_ones() {
    for shape in SIZES {
        let at: Point = (
            sparse(shape, 1),
            vector(shape.1, 2),
            matrix((shape.1, 3), 3),
        );
        let (a, x, b) = &at;
        let (da, dx, db) = energy_grad(a, x, b);
        let (ea, ex, eb) = dense_energy_grad(&a.to_dense(), x, b);
        assert_close(&da.values, &at_places(a, &ea), 1e-10);
        assert_close(&dx.to_flat(), &ex.to_flat(), 1e-10);
        assert_close(&db.to_flat(), &eb.to_flat(), 1e-10);
        assert_eq!(
            (&da.rows, &da.columns, da.shape),
            (&a.rows, &a.columns, a.shape)
        );
        assert_close(&[energy_value(a, x, b)], &[energy(a, x, b)], 1e-12);
        let mut into = (a.clone(), x.clone(), b.clone());
        energy_grad_into(a, x, b, &mut into, &mut Workspace::default());
        assert_eq!(into.0, da);
        assert_derivatives(
            &at,
            |(a, x, b)| energy(a, x, b),
            |(a, x, b)| energy_grad(a, x, b),
            |(a, x, b), (s, t, u)| energy_jvp(a, x, b, s, t, u),
            |(a, x, b), (s, t, u)| energy_hvp(a, x, b, s, t, u),
        );
        for stored in [by_rows, by_columns] {
            let (da, dx, db) = compressed_energy_grad(&stored(a), x, b);
            assert_eq!(da.storage(), stored(a).storage());
            assert_close(&entries_of(a, &da).values, &at_places(a, &ea), 1e-10);
            assert_close(&dx.to_flat(), &ex.to_flat(), 1e-10);
            assert_close(&db.to_flat(), &eb.to_flat(), 1e-10);
            assert_close(
                &[compressed_energy_value(&stored(a), x, b)],
                &[energy(a, x, b)],
                1e-12,
            );
            assert_derivatives(
                &at,
                |(a, x, b)| compressed_energy(&stored(a), x, b),
                |(a, x, b)| {
                    let (da, dx, db) = compressed_energy_grad(&stored(a), x, b);
                    (entries_of(a, &da), dx, db)
                },
                |(a, x, b), (s, t, u)| compressed_energy_jvp(&stored(a), x, b, &stored(s), t, u),
                |(a, x, b), (s, t, u)| {
                    let (da, dx, db) = compressed_energy_hvp(&stored(a), x, b, &stored(s), t, u);
                    (entries_of(a, &da), dx, db)
                },
            );
        }
    }
}

/// Each stored entry by its place, and each stored row or column.
#[differentiable(grad, jvp, hvp)]
fn by_entries(a: CsMatView<'_, f64>, x: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for (&v, (i, j)) in a.iter() {
        total += (v * x[i]).sin() * x[j] + (i + 2 * j) as f64 * v;
    }
    for (i, row) in a.outer_iterator().enumerate() {
        let product = row.dot(x);
        let squares: f64 = row.iter().map(|(j, v)| v * v * x[j]).sum();
        let decayed = row.data().iter().fold(0.0, |m: f64, v| 0.5 * m + v.sin());
        total += product.cos() * (row.nnz() as f64) + squares * x[i] + decayed;
    }
    let doubled = a.map(|v| v * v);
    let first = a.outer_view(0).unwrap();
    let ends: f64 = first.iter().map(|(j, v)| v * x[j]).sum();
    let sum: f64 = doubled.data().iter().sum();
    total + (&doubled * x).sum() * ends + sum * (a.rows() + a.nnz()) as f64
}

#[test]
fn entries_and_rows_are_read() {
    for n in [1, 9, 65, 300] {
        let at = (sparse((n, n), 1), vector(n, 5));
        for stored in [by_rows, by_columns] {
            assert_derivatives(
                &at,
                |(a, x)| by_entries(stored(a).view(), x),
                |(a, x)| {
                    let (da, dx) = by_entries_grad(stored(a).view(), x);
                    (entries_of(a, &da), dx)
                },
                |(a, x), (s, t)| by_entries_jvp(stored(a).view(), x, stored(s).view(), t),
                |(a, x), (s, t)| {
                    let (da, dx) = by_entries_hvp(stored(a).view(), x, stored(s).view(), t);
                    (entries_of(a, &da), dx)
                },
            );
        }
    }
}

/// Products of rows of two matrices at the places of a third: sampled dense-dense products.
#[differentiable(grad, jvp, hvp)]
fn sampled(a: &Sparse, u: &Array2<f64>, v: &Array2<f64>) -> f64 {
    let products = build(a.values.len(), |k| {
        a.values[k] * u.row(a.rows[k]).dot(&v.row(a.columns[k]))
    });
    sum(products.len(), |k| products[k] * products[k]) + a.shape.0 as f64 * products.sum()
}

#[test]
fn sampled_products() {
    for shape in SIZES {
        let at = (
            sparse(shape, 1),
            matrix((shape.0, 3), 2),
            matrix((shape.1, 3), 3),
        );
        assert_derivatives(
            &at,
            |(a, u, v)| sampled(a, u, v),
            |(a, u, v)| sampled_grad(a, u, v),
            |(a, u, v), (s, t, w)| sampled_jvp(a, u, v, s, t, w),
            |(a, u, v), (s, t, w)| sampled_hvp(a, u, v, s, t, w),
        );
    }
}

/// Attention of each node of a graph to its neighbours, which rows list.
#[differentiable(grad, jvp, hvp)]
fn attention(edges: &CsMat<f64>, query: &Array2<f64>, key: &Array2<f64>) -> f64 {
    let mut total = 0.0;
    for (i, row) in edges.outer_iterator().enumerate() {
        let scores = |j: usize, bias: f64| query.row(i).dot(&key.row(j)) + bias;
        let weights: f64 = row.iter().map(|(j, v)| scores(j, *v).exp()).sum();
        for (j, v) in row.iter() {
            let share = scores(j, *v).exp() / weights;
            total += share * (key[[j, 0]] - query[[i, 1]]).powi(2);
        }
    }
    total
}

#[test]
fn graph_attention() {
    for shape in SIZES {
        let at = (
            sparse(shape, 1),
            matrix((shape.0, 2), 2),
            matrix((shape.1, 2), 3),
        );
        let back = |a: &Sparse, (da, dq, dk): (CsMat<f64>, Array2<f64>, Array2<f64>)| {
            (entries_of(a, &da), dq, dk)
        };
        assert_derivatives(
            &at,
            |(a, q, k)| attention(&by_rows(a), q, k),
            |(a, q, k)| back(a, attention_grad(&by_rows(a), q, k)),
            |(a, q, k), (s, t, u)| attention_jvp(&by_rows(a), q, k, &by_rows(s), t, u),
            |(a, q, k), (s, t, u)| back(a, attention_hvp(&by_rows(a), q, k, &by_rows(s), t, u)),
        );
    }
}

/// Where a random walk is after some steps.
#[differentiable(grad, jvp, hvp)]
fn page_rank(links: &Sparse, start: &Array1<f64>, damping: f64, steps: usize) -> f64 {
    let mut rank = start.clone();
    for _ in 0..steps {
        rank = links.dot(&rank) * damping + start * (1.0 - damping);
    }
    rank.dot(&rank)
}

#[test]
fn page_rank_by_a_loop() {
    for n in [0, 1, 9, 65, 300] {
        let mut links = sparse((n, n), 1);
        links
            .values
            .iter_mut()
            .for_each(|v| *v /= 5.0 + n as f64 / 8.0);
        for steps in [0, 1, 6] {
            assert_derivatives(
                &(links.clone(), vector(n, 4), 0.85),
                |(a, x, d)| page_rank(a, x, *d, steps),
                |(a, x, d)| page_rank_grad(a, x, *d, steps),
                |(a, x, d), (s, t, u)| page_rank_jvp(a, x, *d, steps, s, t, *u),
                |(a, x, d), (s, t, u)| page_rank_hvp(a, x, *d, steps, s, t, *u),
            );
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Data {
    features: Sparse,
    weights: Array1<f64>,
}

#[differentiable(grad, jvp, hvp)]
fn logistic(data: &Data, w: &Array1<f64>, positive: &[bool]) -> f64 {
    let z = data.features.dot(w);
    sum(z.len(), |i| {
        data.weights[i] * softplus(if positive[i] { -z[i] } else { z[i] })
    })
}

#[test]
fn logistic_regression() {
    for shape in SIZES {
        let data = Data {
            features: sparse(shape, 1),
            weights: vector(shape.0, 2),
        };
        let positive: Vec<bool> = (0..shape.0).map(|i| i % 3 == 0).collect();
        assert_derivatives(
            &(data, vector(shape.1, 3)),
            |(d, w)| logistic(d, w, &positive),
            |(d, w)| logistic_grad(d, w, &positive),
            |(d, w), (s, t)| logistic_jvp(d, w, &positive, s, t),
            |(d, w), (s, t)| logistic_hvp(d, w, &positive, s, t),
        );
    }
}

/// A product for each of several vectors, and one with all of them.
#[differentiable(vjp, jvp)]
fn batched(a: &Sparse, x: &Array2<f64>) -> Array2<f64> {
    let each = build(x.nrows(), |b| a.dot(&x.row(b)));
    let all = a.dot(&x.t());
    each + all.t().mapv(|v| v * v)
}

#[test]
fn batched_products() {
    for shape in SIZES {
        let (a, x) = (sparse(shape, 1), matrix((4, shape.1), 2));
        let (s, t) = (sparse(shape, 3), matrix((4, shape.1), 4));
        let cotangent = matrix((4, shape.0), 5);
        let (value, tangent) = batched_jvp(&a, &x, &s, &t);
        assert_close(&value.to_flat(), &batched(&a, &x).to_flat(), 1e-12);
        let (_, gradient) = batched_vjp(&a, &x, &cotangent);
        assert_close(
            &[tangent.inner(&cotangent)],
            &[gradient.inner(&(s, t))],
            1e-10,
        );
    }
}

#[differentiable]
fn inside(a: &Sparse, x: &Array1<f64>) -> f64 {
    let (by_matrix, by_vector, _) = energy_grad(a, x, &Array2::zeros((x.len(), 3)));
    sum(by_matrix.values.len(), |k| by_matrix.values[k].powi(2)) + by_vector.sum()
}

#[test]
fn derivatives_nest() {
    let at = (sparse((9, 4), 1), vector(4, 2));
    let (a, x) = &at;
    let (da, dx) = inside_grad(a, x);
    let along = at.map_reals(|x| 0.3 + x);
    let f = |by: f64| {
        let mut moved = at.clone();
        moved.add_scaled(by, &along);
        inside(&moved.0, &moved.1)
    };
    let difference = (f(1e-6) - f(-1e-6)) / 2e-6;
    assert_close(&[(da, dx).inner(&along)], &[difference], 1e-6);
}

#[differentiable(jacobian(sparse), linearize, jvp)]
fn response(a: &CsMat<f64>, x: &Array1<f64>) -> Array1<f64> {
    (a * x).mapv(f64::sin)
}

#[test]
fn sparse_jacobians_and_linear_functions() {
    for shape in SIZES {
        let (a, x) = (sparse(shape, 1), vector(shape.1, 2));
        let (m, s, t) = (by_rows(&a), by_rows(&sparse(shape, 3)), vector(shape.1, 4));
        let (value, tangent) = response_jvp(&m, &x, &s, &t);
        let (found, (by_matrix, by_vector)) = response_jacobian_sparse(&m, &x);
        assert_close(&found.to_flat(), &value.to_flat(), 1e-12);
        let product = by_matrix.dot(&Array1::from(s.data().to_vec())) + by_vector.dot(&t);
        assert_close(&product.to_flat(), &tangent.to_flat(), 1e-10);
        let (found, linear) = response_linearize(&m, &x);
        assert_close(&found.to_flat(), &value.to_flat(), 1e-12);
        assert_close(&linear.jvp(&s, &t).to_flat(), &tangent.to_flat(), 1e-10);
        let (by_matrix, by_vector) = linear.vjp(&value);
        let along = inner(by_matrix.data(), s.data()) + by_vector.dot(&t);
        assert_close(&[along], &[value.dot(&tangent)], 1e-10);
    }
}

#[test]
#[should_panic(expected = "energy_grad: `a.shape.1` is 4 but `x` has 3 elements")]
fn an_operand_of_another_length_is_found_on_entry() {
    energy_grad(&sparse((9, 4), 1), &vector(3, 2), &matrix((4, 3), 3));
}

#[test]
#[should_panic(expected = "places of the entries of `links_tangent`")]
fn a_tangent_has_the_places_of_its_argument() {
    let a = sparse((9, 4), 1);
    let mut tangent = a.clone();
    tangent.columns[0] += 1;
    page_rank_jvp(&a, &vector(4, 0), 0.5, 0, &tangent, &vector(4, 0), 0.0);
}
