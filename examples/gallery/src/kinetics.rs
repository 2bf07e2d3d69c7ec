//! Robertson's reactions, whose rates differ by nine orders of magnitude: an implicit solver of the
//! crate `diffsol` follows them, and the rates are fitted to measured concentrations.

use crate::common::{BLUE, GREEN, ORANGE, Outcome, Random, Run};
use crate::common::{canvas, chart, curve, dots, finish, legend};
use cotangent::Parameters;
use cotangent::linalg::solve;
use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;
use cotangent_adapters::diffsol::forward;
use diffsol::{DiffsolError, NalgebraLU, NalgebraMat, SensitivitiesOdeSolverMethod};
use plotters::prelude::*;

/// Logarithms of the rates of `A → B`, `B + B → C + B` and `B + C → A + C`.
#[derive(Clone, Differentiable)]
struct LogRates {
    decay: f64,
    pair: f64,
    back: f64,
}

/// The changes of the concentrations of A, B and C.
#[differentiable(jvp, wrt(y, rates))]
fn change(y: &[f64; 3], rates: &LogRates, _time: f64) -> [f64; 3] {
    let [a, b, c] = *y;
    let decay = rates.decay.exp() * a;
    let pair = rates.pair.exp() * b * b;
    let back = rates.back.exp() * b * c;
    [back - decay, decay - pair - back, pair]
}

/// Concentrations at some times, a row for each, and their derivatives by the logarithms.
struct Course {
    concentrations: Array2<f64>,
    by_rates: [Array2<f64>; 3],
}

fn course(rates: &LogRates, times: &[f64]) -> Result<Course, DiffsolError> {
    let problem =
        forward::<NalgebraMat<f64>, _, _>([1.0, 0.0, 0.0], rates.clone(), change, change_jvp)
            .rtol(1e-7)
            .atol([1e-9, 1e-12, 1e-9])
            .build()?;
    let mut solver = problem.bdf_sens::<NalgebraLU<f64>>()?;
    let (y, sensitivities, _) = solver.solve_dense_sensitivities(times)?;
    let rows = |m: &NalgebraMat<f64>| Array2::from_shape_fn((times.len(), 3), |(i, k)| m[(k, i)]);
    Ok(Course {
        concentrations: rows(&y),
        by_rates: [0, 1, 2].map(|k| rows(&sensitivities[k])),
    })
}

/// Deviations of measurements of A, B and C.
const NOISE: [f64; 3] = [0.01, 4e-7, 0.01];

/// The differences from what was measured, and their Jacobian, in deviations.
fn residuals(found: &Course, measured: &Array2<f64>) -> (Array1<f64>, Array2<f64>) {
    let scaled =
        |m: &Array2<f64>| Array1::from_iter(m.indexed_iter().map(|((_, k), x)| x / NOISE[k]));
    let columns = found.by_rates.each_ref().map(scaled);
    let rest = scaled(&(&found.concentrations - measured));
    let jacobian = Array2::from_shape_fn((rest.len(), 3), |(i, k)| columns[k][i]);
    (rest, jacobian)
}

pub fn run(run: &Run) -> Outcome {
    let truth = [0.04_f64, 3e7, 1e4].map(f64::ln);
    let planted = LogRates {
        decay: truth[0],
        pair: truth[1],
        back: truth[2],
    };
    // From 0.1 to 100,000 seconds, equally spaced in logarithms.
    let count = if run.is_short { 15 } else { 40 };
    let time = |k: usize, count: usize| 10_f64.powf(-1.0 + 6.0 * k as f64 / (count - 1) as f64);
    let times: Vec<f64> = (0..count).map(|k| time(k, count)).collect();
    let mut random = Random(12);
    let mut measured = course(&planted, &times)?.concentrations;
    measured
        .indexed_iter_mut()
        .for_each(|((_, k), x)| *x += NOISE[k] * random.normal());

    // Each rate starts three times too large or too small. Levenberg–Marquardt.
    let mut rates = planted.clone();
    rates.add_scaled(
        3_f64.ln(),
        &LogRates {
            decay: 1.0,
            pair: -1.0,
            back: 1.0,
        },
    );
    let (mut rest, mut jacobian) = residuals(&course(&rates, &times)?, &measured);
    let mut damping = 1e-2;
    let progress = run.progress(12);
    for step in 0..12 {
        let mut normal = jacobian.t().dot(&jacobian);
        normal.diag_mut().mapv_inplace(|d| d * (1.0 + damping));
        let change = solve(&normal, &jacobian.t().dot(&rest));
        let mut trial = rates.clone();
        trial.read_from(&(Array1::from(rates.to_flat()) - change).to_vec());
        let (next_rest, next_jacobian) = residuals(&course(&trial, &times)?, &measured);
        if step % 3 == 0 {
            progress.say(&format!("step {step:2}: misfit {:.1}", rest.dot(&rest)));
        }
        if next_rest.dot(&next_rest) < rest.dot(&rest) {
            (rates, rest, jacobian, damping) = (trial, next_rest, next_jacobian, 0.1 * damping);
        } else {
            damping *= 10.0;
        }
        progress.step();
    }
    drop(progress);
    let found = rates.map_reals(f64::exp);
    println!("   decay {:.5} (planted: 0.04)", found.decay);
    println!("   pair {:.3e} (planted: 3e7)", found.pair);
    println!("   back {:.3e} (planted: 1e4)", found.back);
    rates.each_pair(&planted, &mut |found, planted| {
        assert!(
            (found - planted).abs() < 0.1,
            "a rate is off by {}",
            found - planted
        );
    });

    let grid: Vec<f64> = (0..120).map(|k| time(k, 120)).collect();
    let fitted = course(&rates, &grid)?.concentrations;
    let path = run.picture("kinetics.svg");
    let picture = canvas(&path, (700, 420))?;
    let caption = "Robertson's reactions, with fitted rates";
    let time_range = (-1.0..5.0, "logarithm (base 10) of the time in seconds");
    let mut chart = chart(&picture, caption, time_range, (-0.05..1.1, "concentration"))?;
    // B is rare.
    let shown = [
        ("A", 1.0, BLUE),
        ("20,000 B", 2e4, ORANGE),
        ("C", 1.0, GREEN),
    ];
    for (k, (name, scale, colour)) in shown.into_iter().enumerate() {
        let points = |times: &[f64], y: &Array2<f64>| -> Vec<(f64, f64)> {
            let times = times.iter().map(|t| t.log10());
            times
                .zip(y.column(k))
                .map(|(t, y)| (t, scale * y))
                .collect()
        };
        curve(&mut chart, name, colour, points(&grid, &fitted))?;
        dots(&mut chart, "", (colour, 3), points(&times, &measured))?;
    }
    legend(&mut chart, SeriesLabelPosition::MiddleLeft)?;
    finish(&picture, &path)
}
