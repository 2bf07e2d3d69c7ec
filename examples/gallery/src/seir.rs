//! An epidemic: the rates of an SEIR model, fitted to counted cases by Levenberg–Marquardt.

use crate::common::{
    BLUE, GREY, ORANGE, Outcome, Random, Run, canvas, chart, curve, dots, finish, legend,
};
use cotangent::linalg::solve;
use cotangent::ndarray::{Array1, s};
use cotangent::prelude::*;
use plotters::prelude::*;

const PEOPLE: f64 = 100_000.0;

/// The changes of the shares that are susceptible, exposed, infectious and recovered.
#[differentiable]
fn change(y: &[f64; 4], contact: f64, onset: f64, recovery: f64) -> [f64; 4] {
    let infected = contact * y[0] * y[2];
    let (ill, well) = (onset * y[1], recovery * y[2]);
    [-infected, infected - ill, ill - well, well]
}

/// The new cases of each day: those who fall ill. Parameters are logarithms of the rates of
/// contact, onset and recovery, and of the share that is exposed at first.
#[differentiable(jacobian, wrt(log))]
fn cases(log: &[f64; 4], days: usize) -> Array1<f64> {
    let (contact, onset, recovery) = (log[0].exp(), log[1].exp(), log[2].exp());
    let h = 0.25;
    let mut y = [1.0 - log[3].exp(), log[3].exp(), 0.0, 0.0];
    let mut cases = Array1::zeros(days);
    for day in 0..days {
        let ill = y[2] + y[3];
        for _ in 0..4 {
            let a = change(&y, contact, onset, recovery);
            let middle = [0, 1, 2, 3].map(|k| y[k] + 0.5 * h * a[k]);
            let b = change(&middle, contact, onset, recovery);
            y = [0, 1, 2, 3].map(|k| y[k] + h * b[k]);
        }
        cases[day] = PEOPLE * (y[2] + y[3] - ill);
    }
    cases
}

pub fn run(run: &Run) -> Outcome {
    let truth = [0.6_f64, 0.25, 0.2, 1e-4].map(f64::ln);
    let (seen, shown) = (55, 120);
    let expected = cases(&truth, shown);
    let mut random = Random(5);
    let counted = expected.mapv(|n| (n + n.max(1.0).sqrt() * random.normal()).max(0.0).round());

    let mut log = [0.4_f64, 0.4, 0.3, 1e-3].map(f64::ln);
    let mut damping = 1.0;
    for step in 0..40 {
        let (model, jacobian) = (cases(&log, seen), cases_jacobian(&log, seen));
        // Deviations of counts are their roots.
        let weight = counted.slice(s![..seen]).mapv(|n| 1.0 / n.max(1.0));
        let rest = &counted.slice(s![..seen]) - &model;
        let mut normal = jacobian
            .t()
            .dot(&(&jacobian * &weight.view().insert_axis(cotangent::ndarray::Axis(1))));
        let slope = jacobian.t().dot(&(&rest * &weight));
        normal
            .diag_mut()
            .mapv_inplace(|d| d * (1.0 + damping) + 1e-9);
        let change = solve(&normal, &slope);
        let trial = [0, 1, 2, 3].map(|k| log[k] + change[k]);
        let misfit = |model: &Array1<f64>| {
            (&counted.slice(s![..seen]) - model)
                .mapv(|r| r * r)
                .dot(&weight)
        };
        let (before, after) = (misfit(&model), misfit(&cases(&trial, seen)));
        if after < before {
            log = trial;
            damping *= 0.3;
        } else {
            damping *= 4.0;
        }
        if step % 10 == 0 {
            println!("   step {step:2}: misfit {:.1}", before.min(after));
        }
    }
    let [contact, _, recovery, _] = log.map(f64::exp);
    println!(
        "   reproduction number {:.2} (true: 3.00)",
        contact / recovery
    );
    assert!((contact / recovery - 3.0).abs() < 0.3);

    let path = run.picture("seir.svg");
    let picture = canvas(&path, (700, 420))?;
    let caption = "An epidemic, fitted to its first 55 days";
    let top = 1.25 * expected.iter().copied().fold(0.0, f64::max);
    let mut chart = chart(
        &picture,
        caption,
        (0.0..shown as f64, "day"),
        (0.0..top, "new cases"),
    )?;
    let points = |range: std::ops::Range<usize>| range.map(|k| (k as f64, counted[k]));
    dots(&mut chart, "counted", (ORANGE, 3), points(0..seen))?;
    dots(
        &mut chart,
        "not seen by the fit",
        (GREY, 3),
        points(seen..shown),
    )?;
    let model = cases(&log, shown);
    let line = (0..shown).map(|k| (k as f64, model[k]));
    curve(&mut chart, "model", BLUE, line)?;
    legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    finish(&picture, &path)
}
