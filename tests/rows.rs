//! Lists of lists and of arrays: as arguments and as fields.

#![deny(warnings, missing_docs, clippy::all)]
#![allow(
    clippy::ptr_arg,
    clippy::needless_range_loop,
    reason = "lists are written in every way"
)]

use cotangent::ndarray::{Array1, Array2, Array3};
use cotangent::prelude::*;
use cotangent::{Parameters, Workspace};

#[derive(Clone, Debug, Differentiable)]
struct Net {
    weights: Vec<Array2<f64>>,
    biases: Vec<Array1<f64>>,
    knots: Vec<Vec<f64>>,
}

#[derive(Clone, Debug, Differentiable)]
struct Dense {
    w: Array2<f64>,
    b: Array1<f64>,
}

#[differentiable(grad, jvp, vjp, hvp)]
fn of_fields(net: &Net, x: &Array1<f64>) -> f64 {
    let mut h = x.clone();
    for (w, b) in net.weights.iter().zip(&net.biases) {
        h = (w.dot(&h) + b).mapv(f64::sin);
    }
    let mut total = h.sum();
    for knots in &net.knots {
        for (i, v) in knots.iter().enumerate() {
            total += v.powi(2) * (i + 1) as f64;
        }
    }
    total
}

#[differentiable]
fn of_layers(layers: &Vec<Dense>, x: &Array1<f64>) -> f64 {
    let mut h = x.clone();
    for layer in layers.iter() {
        h = (layer.w.dot(&h) + &layer.b).mapv(f64::tanh);
    }
    h.sum()
}

#[differentiable]
fn of_shapes(weights: &[Array2<f64>; 3], biases: &[Array1<f64>; 3], x: &Array1<f64>) -> f64 {
    let mut h = x.to_owned();
    for (i, (w, b)) in weights.iter().zip(biases.iter()).enumerate() {
        let z = w.dot(&h) + b;
        h = if i == 2 { z } else { z.mapv(|v| v.tanh()) };
    }
    let penalty: f64 = weights.iter().map(|w| w.mapv(|v| v * v).sum()).sum();
    let sums: Vec<f64> = biases.iter().map(|b| b.sum()).collect();
    let product = weights.iter().fold(x.clone(), |h, w| w.dot(&h));
    let mut back = 0.0;
    for w in weights.iter().rev() {
        back = back * 0.5 + w[[0, 0]];
    }
    h.dot(&h) + penalty + sums[1] * sums[2] + product.sum() + back
}

#[differentiable]
fn of_images(images: &Vec<Array3<f64>>, w: f64) -> f64 {
    let pairs = images.iter().zip(images.iter().skip(1));
    images
        .iter()
        .map(|x| (x * w).mapv(|v| v.sin()).sum())
        .sum::<f64>()
        + pairs.map(|(a, b)| (a * b).sum()).sum::<f64>()
        + images[0][[0, 1, 0]]
}

#[differentiable(vjp, jvp)]
fn scaled(weights: &[Array2<f64>], by: f64) -> Vec<Array2<f64>> {
    weights.iter().map(|w| w * by).collect()
}

#[differentiable]
fn of_matrix(a: &[Vec<f64>], x: &[f64]) -> f64 {
    let (n, m) = (a.len(), a[0].len());
    let mut y = vec![0.0; n];
    for i in 0..n {
        for j in 0..m {
            y[i] += a[i][j] * x[j];
        }
    }
    let row_sums: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
    let mut squares = vec![0.0; m];
    for row in a {
        for (s, v) in squares.iter_mut().zip(row) {
            *s += v * v;
        }
    }
    let product: f64 = y.iter().zip(&row_sums).map(|(p, q)| p * q).sum();
    product + squares.iter().map(|v| (0.01 * v).exp()).sum::<f64>()
}

#[differentiable(grad, into)]
fn of_rows(rows: &[&[f64]], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, row) in rows.iter().enumerate() {
        let mut here = 0.0;
        for v in row.iter() {
            here += v * v;
        }
        for j in 0..rows[i].len() {
            here += rows[i][j] * (j as f64);
        }
        total += w[i] * here + row.len() as f64;
        if let Some(last) = row.last() {
            total += last.sin();
        }
    }
    total
}

#[differentiable]
fn of_arrays(xs: &[Array1<f64>], pairs: &[(f64, Vec<f64>)], w: f64) -> f64 {
    let mut total = 0.0;
    for (i, x) in xs.iter().enumerate() {
        total += x.mapv(|v| (w * v).cos()).sum() + x.dot(x) * (&xs[i] + w).sum();
    }
    total
        + pairs
            .iter()
            .map(|(w, r)| w * r.iter().sum::<f64>())
            .sum::<f64>()
}

#[differentiable]
fn of_neighbours(neighbours: &[Vec<usize>], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, all) in neighbours.iter().enumerate() {
        for &j in all {
            total += (x[i] - x[j]).powi(2);
        }
    }
    total
}

#[differentiable]
fn norm(x: &[f64]) -> f64 {
    (1.0 + x.iter().map(|v| v * v).sum::<f64>()).sqrt()
}

#[differentiable]
fn product_of_cosines(rows: &[Vec<f64>]) -> f64 {
    rows.iter()
        .map(|x| x.iter().map(|v| v.cos()).product::<f64>())
        .sum()
}

#[differentiable]
fn of_calls(rows: &[Vec<f64>]) -> f64 {
    let mut total = product_of_cosines(rows);
    for row in rows {
        total += norm(row);
    }
    for i in 0..rows.len() {
        total += 2.0 * norm(&rows[i]);
    }
    total
}

#[differentiable(grad, linearize)]
fn of_paths(paths: &[Vec<[f64; 2]>]) -> f64 {
    let mut total = 0.0;
    for path in paths {
        for w in path.windows(2) {
            let (dx, dy) = (w[1][0] - w[0][0], w[1][1] - w[0][1]);
            total += (1.0 + dx * dx + dy * dy).sqrt();
        }
    }
    total
}

#[differentiable]
fn of_states(rows: &[Vec<f64>], w: f64) -> f64 {
    let mut h = 0.0;
    for row in rows {
        let mut s = 0.0;
        for v in row {
            s = (s * w + v).tanh();
        }
        h = (h * w + s).sin();
    }
    h
}

#[differentiable]
fn dots(xs: &[Array1<f64>], w: &Array1<f64>) -> f64 {
    xs.iter().map(|x| x.dot(w) * w.dot(x)).sum()
}

/// Compares a gradient with central differences.
fn check<P: Parameters<f64> + Clone>(
    name: &str,
    p: &P,
    f: impl Fn(&P) -> f64,
    gradient: &impl Parameters<f64>,
) {
    let (flat, gradient) = (p.to_flat(), gradient.to_flat());
    assert_eq!(flat.len(), gradient.len(), "{name}");
    for i in 0..flat.len() {
        let at = |by: f64| {
            let (mut moved, mut p) = (flat.clone(), p.clone());
            moved[i] += by;
            p.read_from(&moved);
            f(&p)
        };
        let d = (at(1e-5) - at(-1e-5)) / 2e-5;
        let close = (d - gradient[i]).abs() < 1e-5 * (1.0 + d.abs());
        assert!(close, "{name}[{i}]: {d} and {}", gradient[i]);
    }
}

fn vector(n: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| ((i * 7 + n) as f64).sin())
}

fn matrix(n: usize, m: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, m), |(i, j)| ((i * 7 + j * 3 + n) as f64).sin())
}

/// Rows of 0 to 3 elements.
fn ragged(n: usize) -> Vec<Vec<f64>> {
    let row = |i: usize| (0..(i * 5) % 4).map(move |j| ((i * 3 + j) as f64).sin());
    (0..n).map(|i| row(i).collect()).collect()
}

fn slices(rows: &[Vec<f64>]) -> Vec<&[f64]> {
    rows.iter().map(|row| &row[..]).collect()
}

#[test]
fn rows_of_any_length() {
    for n in [0, 1, 2, 9, 65] {
        let rows = ragged(n);
        let w = vector(n).to_vec();
        let g = of_rows_grad(&slices(&rows), &w);
        let of = |(rows, w): &(Vec<Vec<f64>>, Vec<f64>)| of_rows(&slices(rows), w);
        check("rows", &(rows.clone(), w.clone()), of, &g);
        let mut buffer = g.clone();
        of_rows_grad_into(&slices(&rows), &w, &mut buffer, &mut Workspace::new());
        assert_eq!(buffer, g);

        check("calls", &rows, |rows| of_calls(rows), &of_calls_grad(&rows));
        let g = of_states_grad(&rows, 0.4);
        check(
            "states",
            &(rows.clone(), 0.4),
            |(r, w)| of_states(r, *w),
            &g,
        );

        let xs: Vec<Array1<f64>> = rows.iter().cloned().map(Array1::from).collect();
        let pairs: Vec<(f64, Vec<f64>)> = rows.iter().map(|r| (0.5, r.clone())).collect();
        let g = of_arrays_grad(&xs, &pairs, 0.6);
        let of = |(xs, p, w): &(Vec<_>, Vec<_>, f64)| of_arrays(xs, p, *w);
        check("arrays", &(xs, pairs, 0.6), of, &g);

        let neighbours: Vec<Vec<usize>> = (0..n)
            .map(|i| (0..(i * 5) % 4).map(|j| (i * 3 + j) % n).collect())
            .collect();
        let g = of_neighbours_grad(&neighbours, &w);
        check("neighbours", &w, |x| of_neighbours(&neighbours, x), &g);

        let path = |r: &Vec<f64>| r.iter().map(|x| [*x, 2.0 * x * x]).collect();
        let paths: Vec<Vec<[f64; 2]>> = rows.iter().map(path).collect();
        let g = of_paths_grad(&paths);
        check("paths", &paths, |p| of_paths(p), &g);
        let (value, linear) = of_paths_linearize(&paths);
        assert!((value - of_paths(&paths)).abs() < 1e-9 * (1.0 + value));
        assert_eq!(linear.vjp(1.0), g);
        let terms = g.to_flat().into_iter().zip(paths.to_flat());
        let expected: f64 = terms.map(|(a, b)| a * b).sum();
        assert!((linear.jvp(&paths) - expected).abs() < 1e-9 * (1.0 + expected.abs()));
    }
}

#[test]
fn rows_of_one_length() {
    for n in [1, 2, 9] {
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (vector(3) * (i as f64 + 0.5)).to_vec())
            .collect();
        let x = vec![0.3, -0.4, 0.9];
        let g = of_matrix_grad(&rows, &x);
        check("matrix", &(rows, x), |(a, x)| of_matrix(a, x), &g);
    }
}

#[test]
fn the_cost_is_that_of_the_elements() {
    let mut rows = vec![vec![0.5]; 20_000];
    rows[7] = vec![0.25; 100_000];
    let g = of_rows_grad(&slices(&rows), &vec![1.0; 20_000]);
    assert_eq!((g.0[7].len(), g.0[7][3], g.0[9].len()), (100_000, 3.5, 1));
}

#[test]
fn arrays_in_a_list() {
    let shapes = [matrix(4, 2), matrix(3, 4), matrix(2, 3)];
    let biases = [vector(4), vector(3), vector(2)];
    let g = of_shapes_grad(&shapes, &biases, &vector(2));
    let of = |(w, b, x): &([_; 3], [_; 3], _)| of_shapes(w, b, x);
    check("shapes", &(shapes, biases, vector(2)), of, &g);

    let image = |n: usize| Array3::from_shape_fn((2, 2, 3), |(i, j, k)| (i + j * k + n) as f64);
    let images: Vec<_> = (0..3).map(image).collect();
    let g = of_images_grad(&images, 0.1);
    check("images", &(images, 0.1), |(x, w)| of_images(x, *w), &g);

    for n in [1, 2, 5] {
        let layer = |k: usize| Dense {
            w: matrix(3, 3) * (k as f64 + 0.5),
            b: vector(3),
        };
        let layers: Vec<Dense> = (0..n).map(layer).collect();
        let g = of_layers_grad(&layers, &vector(3));
        check("layers", &(layers, vector(3)), |(l, x)| of_layers(l, x), &g);
    }

    let weights = [matrix(2, 3), matrix(2, 3) * 2.0];
    let (value, (by_weights, by_factor)) = scaled_vjp(&weights, 3.0, &weights);
    assert_eq!(value, scaled(&weights, 3.0));
    assert_eq!(by_weights[1], &weights[1] * 3.0);
    let squares: f64 = weights.iter().map(|w| (w * w).sum()).sum();
    assert!((by_factor - squares).abs() < 1e-12);
}

fn net(by: f64) -> Net {
    Net {
        weights: vec![matrix(3, 3) * by, matrix(3, 3) * (by * 0.5)],
        biases: vec![vector(3) * by, vector(3)],
        knots: vec![vec![by, 2.0], vec![], vec![0.5]],
    }
}

#[test]
fn fields_and_tangents() {
    let (p, along) = (net(1.0), net(0.3));
    let (x, dx) = (vector(3), vector(3) * 0.7);
    let (g, gx) = of_fields_grad(&p, &x);
    let of = |(p, x): &(Net, Array1<f64>)| of_fields(p, x);
    check(
        "fields",
        &(p.clone(), x.clone()),
        of,
        &(g.clone(), gx.clone()),
    );

    let (value, tangent) = of_fields_jvp(&p, &x, &along, &dx);
    assert!((value - of_fields(&p, &x)).abs() < 1e-12);
    let terms = g.to_flat().into_iter().zip(along.to_flat());
    let expected: f64 = terms.map(|(a, b)| a * b).sum::<f64>() + gx.dot(&dx);
    assert!((tangent - expected).abs() < 1e-10);

    let (h, hx) = of_fields_hvp(&p, &x, &along, &dx);
    let at = |by: f64| {
        let mut moved = p.clone();
        moved.add_scaled(by, &along);
        let (g, gx) = of_fields_grad(&moved, &(&x + &(&dx * by)));
        (g, gx).to_flat()
    };
    for ((a, b), h) in at(1e-5).iter().zip(at(-1e-5)).zip((h, hx).to_flat()) {
        assert!(((a - b) / 2e-5 - h).abs() < 1e-5);
    }
}

#[test]
#[should_panic(expected = "lengths of the rows of `net_tangent`")]
fn tangents_have_the_rows_of_their_list() {
    let mut along = net(1.0);
    along.knots = vec![vec![1.0], vec![2.0], vec![3.0]];
    let _ = of_fields_jvp(&net(1.0), &vector(3), &along, &vector(3));
}

#[test]
#[should_panic(expected = "the arrays of a list of any length must have one shape")]
fn arrays_of_other_shapes_are_refused() {
    let _ = scaled_vjp(&[matrix(2, 3), matrix(3, 2)], 1.0, &[]);
}

#[test]
#[should_panic(expected = "is outside of `xs`")]
fn rows_beside_arrays_have_their_length() {
    let _ = dots_grad(&[vector(3), vector(2)], &vector(3));
}
