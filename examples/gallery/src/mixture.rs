//! A mixture of three normal distributions, fitted by L-BFGS of the crate `argmin`.

use crate::common::{
    BLUE, GREEN, ORANGE, Outcome, Random, Run, canvas, chart, curve, dots, finish,
};
use argmin::core::{Executor, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use cotangent::Parameters;
use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;
use cotangent_adapters::{argmin::problem, from_flat};
use plotters::prelude::*;

/// Weights as logits; means; and triangular roots of the precisions: the logarithms of both
/// diagonal elements, then the other one.
#[derive(Clone, Differentiable)]
struct Mixture {
    logits: Array1<f64>,
    means: Array2<f64>,
    roots: Array2<f64>,
}

/// The negative mean log likelihood, with a weak prior that keeps components from collapsing.
#[differentiable(wrt(m))]
fn loss(m: &Mixture, x: &Array2<f64>) -> f64 {
    let n = m.logits.len();
    let all = logsumexp(n, |k| m.logits[k]);
    let likelihood = mean(x.nrows(), |i| {
        logsumexp(n, |k| {
            let (u, v) = (x[[i, 0]] - m.means[[k, 0]], x[[i, 1]] - m.means[[k, 1]]);
            let a = m.roots[[k, 0]].exp() * u;
            let b = m.roots[[k, 1]].exp() * v + m.roots[[k, 2]] * u;
            m.logits[k] - all + m.roots[[k, 0]] + m.roots[[k, 1]] - 0.5 * (a * a + b * b)
        })
    });
    1e-4 * sum((n, 3), |(k, j)| m.roots[[k, j]].powi(2)) - likelihood
}

/// Centres, axes of the ellipses, and the angle of the first axis.
const TRUTH: [([f64; 2], [f64; 2], f64); 3] = [
    ([-2.0, 0.0], [1.2, 0.3], 0.6),
    ([2.0, 1.0], [0.9, 0.4], -0.8),
    ([0.5, -2.0], [0.5, 0.5], 0.0),
];

pub fn run(run: &Run) -> Outcome {
    let mut random = Random(8);
    let points = Array2::from_shape_vec(
        (450, 2),
        (0..450)
            .flat_map(|k| {
                let (centre, axes, angle) = TRUTH[k % 3];
                let (a, b) = (axes[0] * random.normal(), axes[1] * random.normal());
                let (s, c) = f64::sin_cos(angle);
                [centre[0] + c * a - s * b, centre[1] + s * a + c * b]
            })
            .collect(),
    )?;
    let start = Mixture {
        logits: Array1::zeros(3),
        means: array![[-1.0, 1.0], [1.0, 1.0], [0.0, -1.0]],
        roots: Array2::zeros((3, 3)),
    };
    let fit = problem(&start, |m| loss_value_and_grad(m, &points));
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let result = Executor::new(fit, solver)
        .configure(|state| state.param(start.to_flat()).max_iters(100))
        .run()?;
    let state = result.state();
    println!(
        "   cost {:.4} after {} iterations",
        state.get_best_cost(),
        state.get_iter()
    );
    let found = from_flat(&start, state.get_best_param().ok_or("no best point")?);
    for (centre, _, _) in TRUTH {
        let distance = |row: cotangent::ndarray::ArrayView1<'_, f64>| {
            (row[0] - centre[0]).hypot(row[1] - centre[1])
        };
        let nearest = found.means.rows().into_iter().map(distance);
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.25, "no component is near {centre:?}");
    }

    let path = run.picture("mixture.svg");
    let picture = canvas(&path, (620, 460))?;
    let caption = "Three normal distributions, one and two deviations";
    let mut chart = chart(&picture, caption, (-5.0..5.0, "x"), (-4.0..3.5, "y"))?;
    let drawn = points.rows().into_iter().map(|p| (p[0], p[1]));
    dots(&mut chart, "", (BLACK.mix(0.25), 2), drawn)?;
    for (k, colour) in [BLUE, ORANGE, GREEN].into_iter().enumerate() {
        for radius in [1.0, 2.0] {
            let ellipse = (0..=90).map(|t| at(&found, k, radius, f64::from(t) * 0.0698132));
            curve(&mut chart, "", colour, ellipse)?;
        }
    }
    finish(&picture, &path)
}

/// A point of the ellipse of so many deviations around a component.
fn at(m: &Mixture, k: usize, radius: f64, angle: f64) -> (f64, f64) {
    let (sin, cos) = angle.sin_cos();
    let u = radius * cos / m.roots[[k, 0]].exp();
    let v = (radius * sin - m.roots[[k, 2]] * u) / m.roots[[k, 1]].exp();
    (m.means[[k, 0]] + u, m.means[[k, 1]] + v)
}
