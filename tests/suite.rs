//! The objectives of the benchmarks at small sizes, against numbers that were computed
//! independently and against gradients by hand. What they are worth is measured by `cargo bench`
//! and `benches/against_jax`.

#[path = "../benches/suite/mod.rs"]
mod suite;

use ndarray::{Array1, Array2, Array3, Axis, array, s};
use std::collections::BTreeSet;
use suite::{Data, Objective, WORKLOADS, open};

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

/// All models, small.
fn small() -> Vec<(&'static str, Box<dyn Objective>)> {
    let sizes: [(&str, &[(&str, usize)]); 13] = [
        ("ba", &[("n", 2), ("m", 3), ("p", 10)]),
        ("conv", &[("n", 6), ("m", 5), ("k", 3)]),
        ("gmm", &[("d", 3), ("k", 4), ("n", 10)]),
        ("hand", &[("v", 12), ("n", 5)]),
        ("hand_complicated", &[("v", 12), ("n", 5)]),
        ("kmeans", &[("k", 3), ("n", 20), ("d", 2)]),
        ("llsq", &[("n", 9), ("m", 4)]),
        ("logistic", &[("n", 9), ("d", 4)]),
        ("logsumexp", &[("n", 30)]),
        ("lstm", &[("l", 2), ("c", 5)]),
        (
            "mlp",
            &[("batch", 3), ("from", 4), ("hidden", 5), ("to", 2)],
        ),
        ("nnmf", &[("n", 5), ("m", 4), ("r", 2)]),
        ("ode", &[("n", 4), ("s", 3)]),
    ];
    let models: BTreeSet<_> = WORKLOADS.iter().map(|w| w.model).collect();
    assert!(sizes.iter().map(|(model, _)| *model).eq(models));
    let open = |(model, sizes): (_, &[(&str, usize)])| {
        let sizes = sizes.iter().map(|&(name, n)| (name.to_string(), n));
        (model, open(model, &sizes.collect()).unwrap())
    };
    sizes.map(open).into()
}

#[test]
fn workloads_are_told_apart() {
    let names: BTreeSet<_> = WORKLOADS.iter().map(|w| w.name).collect();
    assert_eq!(names.len(), WORKLOADS.len());
    let quick = WORKLOADS.iter().filter(|w| !w.large);
    assert!(quick.clone().count() >= 10 && quick.clone().all(|w| w.target > 0.0));
    let hand = WORKLOADS.iter().find(|w| w.model == "hand").unwrap().open();
    near(&[hand.written()], &[hand.value()]);
    assert!(open("gmm", &suite::Sizes::new()).is_err());
}

/// `against_jax` takes the inputs for the arguments in order.
#[test]
fn each_differentiated_input_has_a_derivative_of_its_shape() {
    for (model, objective) in small() {
        let inputs = objective.inputs();
        let names: BTreeSet<_> = inputs.iter().map(|i| i.name).collect();
        assert_eq!(names.len(), inputs.len(), "{model}");
        let shapes = inputs
            .iter()
            .filter(|i| i.differentiated)
            .map(|i| match &i.data {
                Data::Real(x) => x.shape().to_vec(),
                Data::Whole(x) => panic!("{model}: {} has whole numbers {x}", i.name),
            });
        let gradient = objective.gradient();
        let found = gradient.parts.iter().map(|p| p.shape().to_vec());
        assert!(found.eq(shapes), "{model}");
    }
}

#[test]
fn values_and_gradients_by_hand_agree() {
    for (model, objective) in small() {
        let gradient = objective.gradient();
        near(&[objective.written()], &[gradient.value]);
        near(&[objective.value()], &[gradient.value]);
        let Some(hand) = objective.by_hand() else {
            assert!(model != "gmm" && model != "mlp");
            continue;
        };
        near(&[hand.value], &[gradient.value]);
        assert_eq!(hand.parts.len(), gradient.parts.len());
        for (a, b) in gradient.parts.iter().zip(&hand.parts) {
            near(a, b.as_standard_layout().as_slice().unwrap());
        }
    }
}

#[test]
fn other_derivatives_by_hand_agree() {
    for (model, objective) in small() {
        for w in WORKLOADS.iter().filter(|w| w.model == model) {
            let parts = objective
                .parts(w.kind)
                .expect("each workload has its derivative");
            let Some(hand) = objective.parts_by_hand(w.kind) else {
                assert!(w.target_by_hand.is_none());
                continue;
            };
            assert_eq!(parts.len(), hand.len());
            for (a, b) in parts.iter().zip(&hand) {
                assert_eq!(a.shape(), b.shape());
                near(a, b.as_standard_layout().as_slice().unwrap());
            }
        }
    }
}

#[test]
fn short_memory() {
    let weights = Array2::from_shape_fn((4, 8), |(r, c)| ((5 * r + 3 * c) % 7) as f64 / 10.0 - 0.3);
    let state = Array2::from_shape_fn((4, 2), |(r, c)| (2.0 * r as f64 - c as f64 + 1.0) / 10.0);
    let extra = array![[0.5, -0.3], [0.8, 0.4], [-0.2, 0.1]];
    let sequence = array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    let (value, (weights, extra)) =
        suite::lstm::lstm_value_and_grad(&weights, &extra, &state, &sequence);
    near(&[value], &[1.01223353661]);
    near(
        weights.row(3),
        &[
            -0.0049553453409,
            -0.00772685773498,
            -0.00211045941879,
            0.0032210613407,
            -0.001332171048,
            -0.00399265594154,
            -0.024771643577,
            -0.0323524321999,
        ],
    );
    near(
        &extra,
        &[
            -1.61603447875e-06,
            2.6099899613e-06,
            -0.00576448457635,
            -0.0191564134324,
            -0.0797578372774,
            -0.291587061554,
        ],
    );
}

#[test]
fn one_camera() {
    let camera = array![
        0.1, -0.2, 0.3, 0.5, -0.4, -2.0, 1.5, 0.05, -0.1, 0.02, -0.01
    ];
    let (point, seen) = (array![0.3, 0.6, 1.2], array![0.2, -0.15]);
    let wanted = [
        [
            0.240112696445,
            1.30746930623,
            -0.270549510525,
            -0.386367278224,
            0.108059986152,
            -0.0579167005616,
            -0.272157945966,
            0.8,
            0.0,
            -0.0566128293799,
            -0.00787117710106,
            0.386367278224,
            -0.108059986152,
            0.0579167005616,
            -0.660296148686,
        ],
        [
            -1.25833473187,
            0.106267381629,
            -0.285222240604,
            -0.0952196882617,
            -0.359885112375,
            0.106512867101,
            0.123990540721,
            0.0,
            0.8,
            0.0257918441501,
            0.00358597468617,
            0.0952196882617,
            0.359885112375,
            -0.106512867101,
            0.282482263852,
        ],
    ];
    for (row, seed) in wanted.iter().zip([[1.0, 0.0], [0.0, 1.0]]) {
        let (e, (by_camera, by_point, by_weight)) =
            suite::ba::reprojection_vjp(camera.view(), point.view(), 0.8, seen.view(), &seed);
        near(&e, &[-0.528236918949, 0.225985811082]);
        let found: Vec<f64> = (by_camera.iter().chain(&by_point).copied())
            .chain([by_weight])
            .collect();
        near(&found, row);
    }
    // Without a rotation.
    let mut still = camera;
    still.slice_mut(s![..3]).fill(0.0);
    let (e, (by_camera, ..)) =
        suite::ba::reprojection_vjp(still.view(), point.view(), 0.8, seen.view(), &[1.0, 0.0]);
    near(&e, &[-0.195144607544, 0.41572303772]);
    near(
        by_camera.slice(s![..3]),
        &[0.0244105195999, 1.20719582462, -0.37572303772],
    );
}

/// The hand that the numbers below are of, its pose, triangles, and the points that it is to touch.
fn hand() -> (Array1<f64>, suite::hand::Model, Array2<usize>, Array2<f64>) {
    let turn = array![[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    let placed = |turn: &Array2<f64>, shift: [f64; 3]| {
        let mut placed = Array2::eye(4);
        placed.slice_mut(s![..3, ..3]).assign(turn);
        placed
            .slice_mut(s![..3, 3])
            .assign(&Array1::from_iter(shift));
        placed
    };
    let (mut relatives, mut inverses) = (Array3::zeros((22, 4, 4)), Array3::zeros((22, 4, 4)));
    for b in 0..22 {
        let own = if b % 2 == 1 { &turn } else { &Array2::eye(3) };
        let up = 0.02 * b as f64;
        (relatives.index_axis_mut(Axis(0), b)).assign(&placed(own, [0.1, up, 0.05]));
        let back = array![[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]];
        (inverses.index_axis_mut(Axis(0), b)).assign(&placed(&back, [-0.1, 0.05, -up]));
    }
    let model = suite::hand::Model {
        parents: Array1::from_shape_fn(22, |b| match b {
            0 => -1,
            1 | 5 | 9 | 13 | 17 | 21 => 0,
            _ => b as i64 - 1,
        }),
        base_relatives: relatives,
        inverse_base_absolutes: inverses,
        base_positions: array![
            [0.3, 0.1, -0.2, 1.0],
            [-0.1, 0.4, 0.2, 1.0],
            [0.2, -0.3, 0.5, 1.0],
            [0.6, 0.2, 0.1, 1.0]
        ],
        weights: Array2::from_shape_fn((4, 22), |(v, b)| ((3 * v + b) % 5) as f64 / 44.0),
        mirrored: false,
    };
    let theta = Array1::from_shape_fn(26, |i| ((7 * i % 11) as f64 - 5.0) / 10.0);
    let points = array![[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6]];
    (theta, model, array![[0, 1, 2], [1, 3, 2]], points)
}

/// Σ (r+1)(c+1) of the Jacobian that has these rows.
fn checksum(rows: &[Vec<f64>]) -> f64 {
    let weighted = rows.iter().enumerate().map(|(r, row)| {
        let row = row.iter().enumerate().map(|(c, x)| (c + 1) as f64 * x);
        (r + 1) as f64 * row.sum::<f64>()
    });
    weighted.sum()
}

/// One cotangent for each residual of two points.
fn seeds() -> impl Iterator<Item = Array2<f64>> {
    (0..6).map(|k| Array2::from_shape_fn((2, 3), |(i, r)| f64::from(u8::from(3 * i + r == k))))
}

#[test]
fn hand_that_touches_vertices() {
    let (theta, model, _, points) = hand();
    let touching = array![2, 0];
    let mut rows = vec![];
    for seed in seeds() {
        let (residuals, row) =
            suite::hand::residuals_vjp(&theta, &model, &touching, &points, &seed);
        near(
            &residuals,
            &[
                -0.827991324223,
                -0.187643528049,
                0.361790992779,
                -1.09959575515,
                0.0610134997474,
                1.36375510861,
            ],
        );
        rows.push(row.to_vec());
    }
    near(
        &rows[0][..8],
        &[
            0.00381173673416,
            -0.298725246024,
            0.217597947411,
            -1.0,
            0.0,
            0.0,
            -0.0301578600348,
            -0.0400860724703,
        ],
    );
    near(&[checksum(&rows)], &[-91.2628988892]);
    // At rest the rotation is a constant.
    let rest = Array1::zeros(26);
    let (residuals, row) =
        suite::hand::residuals_vjp(&rest, &model, &touching, &points, &seeds().next().unwrap());
    near(
        residuals.row(0),
        &[-0.178454545455, -0.0301363636364, -0.1525],
    );
    near(row.slice(s![..3]), &[0.0, 0.0, 0.0]);
}

#[test]
fn hand_that_touches_triangles() {
    let (theta, mut model, triangles, points) = hand();
    let (touching, places) = (array![0, 1], array![[0.2, 0.3], [0.5, 0.1]]);
    let mut rows: Vec<Vec<f64>> = vec![];
    for (k, seed) in seeds().enumerate() {
        let (residuals, (by_theta, by_places)) = suite::hand::complicated_residuals_vjp(
            &theta, &places, &model, &triangles, &touching, &points, &seed,
        );
        near(
            &residuals,
            &[
                -0.606054462707,
                -0.322319618653,
                0.61707082477,
                -1.02933471756,
                -0.12438142362,
                0.918004315894,
            ],
        );
        rows.push(
            by_places
                .row(k / 3)
                .iter()
                .chain(&by_theta)
                .copied()
                .collect(),
        );
    }
    near(
        &rows[5][..6],
        &[
            0.382956696082,
            0.647349750743,
            -0.532206113373,
            0.0807706277731,
            -0.0290023654,
            0.0,
        ],
    );
    near(&[checksum(&rows)], &[-194.57517618]);
    model.mirrored = true;
    let residuals =
        suite::hand::complicated_residuals(&theta, &places, &model, &triangles, &touching, &points);
    near(
        residuals.row(0),
        &[-0.413837831532, -0.36988340368, 0.588962956745],
    );
}

#[test]
fn chain_of_equations() {
    let x = array![0.9, -0.8, 1.1, 0.7];
    near(&suite::ode::solution(&x, 5), &[1.8, -1.44, -1.056, -0.3696]);
    let (value, gradient) = suite::ode::last_value_and_grad(&x, 5);
    near(&[value], &[-0.3696]);
    near(&gradient, &[-0.410666666667, 0.462, -0.336, -0.528]);
    let x = array![0.9, -0.8, 1.1, 0.7, -1.2, 1.3];
    let (value, gradient) = suite::ode::last_value_and_grad(&x, 2);
    near(&[value], &[0.06006]);
    near(
        &gradient,
        &[0.0667333333333, -0.075075, 0.0546, 0.0858, -0.05005, 0.0462],
    );
}

#[test]
fn other_objectives() {
    let x = array![[1.0, -0.5], [0.25, 0.75], [-1.5, 0.3]];
    let (value, (alpha, mu, q, l)) = suite::gmm::gmm_value_and_grad(
        &array![0.3, -0.5],
        &array![[0.1, 0.4], [-0.3, 0.8]],
        &array![[0.2, -0.1], [-0.4, 0.3]],
        &array![[0.7], [-0.6]],
        &x,
        0.8,
        1,
    );
    near(&[value], &[-19.5769609141]);
    near(&alpha, &[-0.138120795621, 0.138120795621]);
    near(mu.row(0), &[0.8915866789, -0.113050122079]);
    near(q.row(1), &[1.22074066723, 0.836732546236]);
    near(&l, &[-0.740971149528, 0.544673033316]);

    let points = array![[0.0, 0.0], [1.0, 0.5], [0.2, -0.4], [3.0, 3.0], [2.5, 3.5]];
    let (value, gradient) =
        suite::kmeans::kmeans_value_and_grad(&array![[0.5, 0.25], [2.6, 2.9]], &points);
    near(&[value], &[1.6775]);
    near(&gradient, &[0.6, 1.3, -0.6, -1.4]);

    let (value, gradient) = suite::llsq::llsq_value_and_grad(&array![0.5, -1.25, 0.75], 5);
    near(&[value], &[9.86328125]);
    near(&gradient, &[4.375, -6.125, 2.84375]);

    let (value, gradient) =
        suite::logsumexp::log_total_value_and_grad(&array![1000.0, 1000.0, 999.0]);
    near(&[value], &[1000.8619948]);
    near(&gradient, &[0.422318798252, 0.422318798252, 0.155362403497]);
}
