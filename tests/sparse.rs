//! Sparse and diagonal derivatives, against columns of forward mode.

use cotangent::Sparse;
use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3};

const SIZES: [usize; 5] = [0, 1, 9, 65, 300];

/// Numbers between -1 and 1.
fn noise(k: usize) -> f64 {
    (k as f64 * 12.9898 + 0.37).sin()
}

fn vector(n: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, noise)
}

fn matrix(m: usize, n: usize) -> Array2<f64> {
    Array2::from_shape_fn((m, n), |(i, j)| noise(7 * i + 3 * j + 1))
}

/// Compares with the columns that `jvp` computes for unit vectors.
fn assert_columns(sparse: &Sparse, columns: usize, jvp: impl Fn(usize) -> Vec<f64>) {
    let dense = sparse.to_dense();
    assert_eq!(sparse.shape.1, columns);
    for j in 0..columns {
        let column = jvp(j);
        assert_eq!(column.len(), sparse.shape.0);
        for (i, x) in column.into_iter().enumerate() {
            let y = dense[[i, j]];
            assert!(
                (x - y).abs() <= 1e-10 * (1.0 + x.abs()),
                "at {i}, {j}: {y}, not {x}"
            );
        }
    }
    let places = sparse.rows.iter().zip(&sparse.columns);
    let places: Vec<(usize, usize)> = places.map(|(i, j)| (*i, *j)).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    assert_eq!(places.len(), sparse.values.len());
    let (starts, by_row, values) = sparse.to_csr();
    assert_eq!(starts.len(), sparse.shape.0 + 1);
    assert_eq!(starts.last(), Some(&by_row.len()));
    assert_eq!(values, sparse.values);
}

fn unit(n: usize, j: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |k| if k == j { 1.0 } else { 0.0 })
}

#[differentiable(jacobian(sparse, diagonal), jvp)]
fn elementwise(x: &Array1<f64>) -> Array1<f64> {
    x.mapv(|x| x.sin() * x + 1.0)
}

#[test]
fn elementwise_functions_have_diagonals() {
    for n in SIZES {
        let x = vector(n);
        let (value, sparse) = elementwise_jacobian_sparse(&x);
        assert!((value - elementwise(&x)).iter().all(|d| d.abs() < 1e-12));
        assert_eq!(sparse.values.len(), n);
        assert_columns(&sparse, n, |j| elementwise_jvp(&x, &unit(n, j)).1.to_vec());
        let (value, diagonal) = elementwise_jacobian_diagonal(&x);
        assert!((value - elementwise(&x)).iter().all(|d| d.abs() < 1e-12));
        assert_eq!(diagonal.to_vec(), sparse.values);
    }
}

#[differentiable(jacobian(sparse), jvp)]
fn stencil(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let left = if i > 0 { x[i - 1] } else { 0.0 };
        let right = if i + 1 < x.len() { x[i + 1] } else { 0.0 };
        left * x[i] - 2.0 * x[i] * x[i] + right
    })
}

#[test]
fn stencils_have_bands() {
    for n in SIZES {
        let x = vector(n);
        let (_, sparse) = stencil_jacobian_sparse(&x);
        assert_eq!(sparse.values.len(), (3 * n).saturating_sub(2));
        assert_columns(&sparse, n, |j| stencil_jvp(&x, &unit(n, j)).1.to_vec());
    }
}

#[differentiable(jacobian(sparse), jvp, wrt(x))]
fn gathered(x: &Array1<f64>, at: &Array1<usize>, with: &[i32]) -> Vec<f64> {
    build(at.len(), |k| x[at[k]] * x[with[k] as usize].exp()).to_vec()
}

#[test]
fn indices_may_repeat() {
    for n in SIZES {
        let count = if n == 0 { 0 } else { 2 * n };
        let x = vector(n);
        let at = Array1::from_shape_fn(count, |k| k * k % n);
        let with: Vec<i32> = (0..count).map(|k| (k / 2) as i32).collect();
        let (_, sparse) = gathered_jacobian_sparse(&x, &at, &with);
        assert_columns(&sparse, n, |j| gathered_jvp(&x, &at, &with, &unit(n, j)).1);
    }
}

#[differentiable(jacobian(sparse), jvp)]
fn product(a: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    a.dot(x)
}

#[test]
fn a_product_has_the_matrix() {
    for n in SIZES.into_iter().take(4) {
        let m = n / 2 + 1;
        let (a, x) = (matrix(m, n), vector(n));
        let (_, (by_a, by_x)) = product_jacobian_sparse(&a, &x);
        assert_eq!(by_x.to_dense(), a);
        assert_eq!(by_a.values.len(), m * n);
        assert_eq!(by_a.shape, (m, m * n));
        let still = Array2::zeros((m, n));
        assert_columns(&by_x, n, |j| {
            product_jvp(&a, &x, &still, &unit(n, j)).1.to_vec()
        });
        if m * n < 500 {
            let none = Array1::zeros(n);
            assert_columns(&by_a, m * n, |j| {
                let unit = unit(m * n, j).into_shape_with_order((m, n)).unwrap();
                product_jvp(&a, &x, &unit, &none).1.to_vec()
            });
        }
    }
}

#[differentiable(jacobian(sparse), jvp)]
fn convolution(x: &Array1<f64>, w: &Array1<f64>) -> Array1<f64> {
    build(x.len() + 1 - w.len(), |i| sum(w.len(), |k| x[i + k] * w[k]))
}

#[test]
fn windows_have_bands() {
    for n in [3, 9, 65, 300] {
        let (x, w) = (vector(n), vector(3));
        let (_, (by_x, by_w)) = convolution_jacobian_sparse(&x, &w);
        assert_eq!(by_x.values.len(), 3 * (n - 2));
        assert_columns(&by_x, n, |j| {
            convolution_jvp(&x, &w, &unit(n, j), &unit(3, 3)).1.to_vec()
        });
        assert_columns(&by_w, 3, |j| {
            convolution_jvp(&x, &w, &unit(n, n), &unit(3, j)).1.to_vec()
        });
    }
}

#[differentiable(jacobian(sparse), jvp)]
fn triangular(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| sum(i + 1, |j| x[i] * x[j]))
}

#[test]
fn triangular_sums_have_triangles() {
    for n in SIZES {
        let x = vector(n);
        let (_, sparse) = triangular_jacobian_sparse(&x);
        assert_eq!(sparse.values.len(), n * (n + 1) / 2);
        assert_columns(&sparse, n, |j| triangular_jvp(&x, &unit(n, j)).1.to_vec());
    }
}

#[differentiable(jacobian(sparse, diagonal), jvp)]
fn branches(x: &Array1<f64>) -> Array1<f64> {
    build(
        x.len(),
        |i| if x[i] > 0.0 { x[i].sqrt() } else { 3.0 * x[i] },
    )
}

#[test]
fn a_branch_has_its_entry() {
    for n in SIZES {
        let x = vector(n);
        let (_, sparse) = branches_jacobian_sparse(&x);
        assert_columns(&sparse, n, |j| branches_jvp(&x, &unit(n, j)).1.to_vec());
        assert_eq!(branches_jacobian_diagonal(&x).1.to_vec(), sparse.values);
    }
}

#[differentiable(jacobian(sparse), jvp)]
fn image(x: &Array3<f64>) -> Array2<f64> {
    let d = x.dim();
    build((d.0, d.1), |(i, j)| {
        let across = sum(d.2, |c| x[[i, j, c]] * x[[i, j, c]]);
        across + if i > 0 { x[[i - 1, j, 0]] } else { 0.0 }
    })
}

#[test]
fn several_axes_are_flattened_by_rows() {
    for (a, b, c) in [(0, 2, 1), (1, 1, 1), (4, 3, 2), (5, 9, 3), (3, 2, 0)] {
        if a > 0 && c == 0 {
            continue;
        }
        let x = Array3::from_shape_fn((a, b, c), |(i, j, k)| noise(31 * i + 7 * j + k));
        let (_, sparse) = image_jacobian_sparse(&x);
        assert_columns(&sparse, a * b * c, |j| {
            let unit = unit(a * b * c, j).into_shape_with_order((a, b, c)).unwrap();
            image_jvp(&x, &unit).1.into_iter().collect()
        });
    }
}

#[derive(Clone, Differentiable)]
struct Body {
    mass: f64,
    at: [f64; 3],
    names: usize,
}

#[differentiable(jacobian(sparse), jvp, wrt(body))]
fn forces(body: &Body, others: &Array2<f64>) -> Array2<f64> {
    build((others.nrows(), 3), |(o, k)| {
        body.mass * (others[[o, k]] - body.at[k]) / (body.names as f64)
    })
}

#[test]
fn structs_count_as_vectors() {
    let body = Body {
        mass: 2.0,
        at: [0.1, 0.2, 0.3],
        names: 4,
    };
    for n in SIZES {
        let others = matrix(n, 3);
        let (_, sparse) = forces_jacobian_sparse(&body, &others);
        assert_eq!(sparse.values.len(), 6 * n);
        assert_columns(&sparse, 4, |j| {
            let mut tangent = body.clone();
            tangent.mass = f64::from(u8::from(j == 0));
            tangent.at = [1, 2, 3].map(|k| f64::from(u8::from(j == k)));
            forces_jvp(&body, &others, &tangent).1.into_iter().collect()
        });
    }
}

#[differentiable(jvp)]
fn seen(camera: &[f64; 4], point: &[f64; 3]) -> [f64; 2] {
    let along = camera[0] * point[0] + camera[1] * point[1] + camera[2] * point[2] + 4.0;
    let scale = camera[3] / along;
    [scale * point[0] + camera[0], scale * point[1]]
}

#[differentiable(jacobian(sparse), jvp, wrt(cameras, points))]
fn observations(cameras: &Array2<f64>, points: &[[f64; 3]], which: &Array2<usize>) -> Array2<f64> {
    build(which.nrows(), |o| {
        let c = cameras.row(which[[o, 0]]);
        seen(&[c[0], c[1], c[2], c[3]], &points[which[[o, 1]]])
    })
}

#[test]
fn observations_have_blocks() {
    for p in SIZES {
        let (n, m) = (p / 8 + 1, p / 3 + 1);
        let cameras = matrix(n, 4);
        let points: Vec<[f64; 3]> = (0..m)
            .map(|k| [1, 2, 3].map(|i| noise(3 * k + i)))
            .collect();
        let which = Array2::from_shape_fn((p, 2), |(o, k)| (o * o + k) % [n, m][k]);
        let (value, (by_cameras, by_points)) =
            observations_jacobian_sparse(&cameras, &points, &which);
        if p > 0 {
            let written = observations(&cameras, &points, &which);
            assert!((value - written).iter().all(|d| d.abs() < 1e-12));
        }
        // The second coordinate depends on all of the camera, too.
        assert_eq!(by_cameras.values.len(), 8 * p);
        assert_eq!(by_points.values.len(), 6 * p);
        let none = vec![[0.0; 3]; m];
        assert_columns(&by_cameras, 4 * n, |j| {
            let unit = unit(4 * n, j).into_shape_with_order((n, 4)).unwrap();
            let (_, column) = observations_jvp(&cameras, &points, &which, &unit, &none);
            column.into_iter().collect()
        });
        let none = Array2::zeros((n, 4));
        assert_columns(&by_points, 3 * m, |j| {
            let mut unit = vec![[0.0; 3]; m];
            unit[j / 3][j % 3] = 1.0;
            let (_, column) = observations_jvp(&cameras, &points, &which, &none, &unit);
            column.into_iter().collect()
        });
    }
}

/// The distances of points to the nearest centroid, squared.
#[differentiable(grad, hvp, hessian(diagonal), wrt(centroids))]
fn k_means(points: &Array2<f64>, centroids: &Array2<f64>) -> f64 {
    sum(points.nrows(), |p| {
        minimum(centroids.nrows(), |c| {
            sum(points.ncols(), |k| {
                let d = points[[p, k]] - centroids[[c, k]];
                d * d
            })
        })
    })
}

#[test]
fn a_separable_function_has_the_diagonal_of_its_hessian() {
    for n in [0, 1, 9, 65] {
        let (points, centroids) = (matrix(n, 2), matrix(3, 2));
        let diagonal = k_means_hessian_diagonal(&points, &centroids);
        let ones = Array2::ones((3, 2));
        assert_eq!(diagonal, k_means_hvp(&points, &centroids, &ones));
        assert_eq!(diagonal.sum(), 4.0 * n as f64);
    }
}

#[differentiable(hessian(diagonal), hvp)]
fn separable(x: &Array1<f64>, w: f64) -> f64 {
    sum(x.len(), |i| x[i].powi(4)) + w.exp()
}

#[test]
fn diagonals_of_several_arguments_come_together() {
    for n in SIZES {
        let x = vector(n);
        let (by_x, by_w) = separable_hessian_diagonal(&x, 0.5);
        let (expected, of_w) = separable_hvp(&x, 0.5, &Array1::ones(n), 1.0);
        assert!((by_x - expected).iter().all(|d| d.abs() < 1e-12));
        assert!((by_w - of_w).abs() < 1e-12);
    }
}

#[differentiable(jacobian(sparse), jvp, wrt(x))]
fn scattered(x: &Array1<f64>, to: &Array1<usize>) -> Array1<f64> {
    scatter_add(5, x.len(), |i| (to[i], x[i] * x[i]))
}

#[test]
fn entries_may_come_in_any_order() {
    for n in SIZES {
        let x = vector(n);
        let to = Array1::from_shape_fn(n, |k| (3 * k + 2) % 5);
        let (_, sparse) = scattered_jacobian_sparse(&x, &to);
        assert_eq!(sparse.values.len(), n);
        assert_columns(&sparse, n, |j| {
            scattered_jvp(&x, &to, &unit(n, j)).1.to_vec()
        });
    }
}

#[differentiable(jacobian(sparse), jvp)]
fn all_in_one(x: &Array1<f64>, y: f64) -> (f64, Array1<f64>) {
    (x.dot(x) * y, x.mapv(|x| x * y))
}

#[test]
fn results_of_several_parts_are_one_vector() {
    for n in SIZES {
        let x = vector(n);
        let (_, (by_x, by_y)) = all_in_one_jacobian_sparse(&x, 0.5);
        let flat = |(a, b): (f64, Array1<f64>)| std::iter::once(a).chain(b).collect::<Vec<f64>>();
        assert_columns(&by_x, n, |j| {
            flat(all_in_one_jvp(&x, 0.5, &unit(n, j), 0.0).1)
        });
        assert_columns(&by_y, 1, |_| {
            flat(all_in_one_jvp(&x, 0.5, &unit(n, n), 1.0).1)
        });
    }
}

#[differentiable(jacobian(sparse), jacobian(diagonal))]
fn single(x: &Array1<f32>) -> Array1<f32> {
    x.mapv(|x| x * x)
}

#[test]
fn other_real_types_have_entries_as_well() {
    let x = Array1::from(vec![1.0_f32, 2.0]);
    let (_, sparse) = single_jacobian_sparse(&x);
    assert_eq!(sparse.values, [2.0, 4.0]);
    assert_eq!(single_jacobian_diagonal(&x).1.to_vec(), [2.0, 4.0]);
}

#[test]
fn columns_are_compressed_by_colours() {
    for n in SIZES {
        let x = vector(n);
        let (_, sparse) = stencil_jacobian_sparse(&x);
        let (colours, count) = sparse.colouring();
        assert_eq!(count, n.min(3));
        let seeds = sparse.seeds(&colours);
        let products = seeds
            .rows()
            .into_iter()
            .map(|s| stencil_jvp(&x, &s.to_owned()).1);
        let products: Vec<f64> = products.flatten().collect();
        let compressed = Array2::from_shape_vec((count, n), products).unwrap();
        let again = sparse.decompressed(&colours, &compressed);
        assert_eq!(again.shape, sparse.shape);
        assert!(
            (again.to_dense() - sparse.to_dense())
                .iter()
                .all(|d| d.abs() < 1e-12)
        );
    }
}

/// The matrices of other crates have the same entries.
#[cfg(all(feature = "faer", feature = "sprs"))]
#[test]
fn other_crates_take_the_entries() {
    for n in SIZES {
        let at = Array1::from_shape_fn(2 * n, |k| k * k % n);
        let with: Vec<i32> = (0..2 * n).map(|k| (k / 2) as i32).collect();
        let (_, sparse) = gathered_jacobian_sparse(&vector(n), &at, &with);
        let dense = sparse.to_dense();
        let by_rows = cotangent::sprs::CsMat::from(&sparse);
        assert_eq!(by_rows.nnz(), sparse.values.len());
        assert_eq!(by_rows.to_dense(), dense);
        let by_columns = cotangent::faer::sparse::SparseColMat::from(&sparse);
        assert_eq!((by_columns.nrows(), by_columns.ncols()), dense.dim());
        assert_eq!(by_columns.val().len(), sparse.values.len());
        let places = sparse.rows.iter().zip(&sparse.columns);
        for ((&i, &j), x) in places.zip(&sparse.values) {
            assert_eq!(by_columns.get(i, j), Some(x));
        }
    }
}
