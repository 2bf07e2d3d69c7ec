//! A hierarchical regression, sampled by the No-U-Turn sampler of the crate `nuts-rs`.

use crate::common::{
    BLUE, GREEN, GREY, ORANGE, Outcome, Random, Run, canvas, chart, dots, finish, halves, legend,
    stroke,
};
use cotangent::Parameters;
use cotangent::ndarray::Array2;
use cotangent::prelude::*;
use cotangent_adapters::{from_flat, nuts::density};
use nuts_rs::rand::{SeedableRng, rngs::StdRng};
use nuts_rs::{Chain, CpuMath, DiagNutsSettings, Settings};
use plotters::prelude::*;

/// Each group has a line. Intercepts and slopes of the groups are normal around common ones.
#[derive(Clone, Differentiable)]
struct Unknowns {
    common: [f64; 2],
    log_spread: [f64; 2],
    /// Deviations of the groups, in units of the spread.
    groups: Array2<f64>,
    log_noise: f64,
}

/// The intercept or the slope of a group.
#[differentiable]
fn of_group(u: &Unknowns, group: usize, k: usize) -> f64 {
    u.common[k] + u.log_spread[k].exp() * u.groups[[group, k]]
}

/// The logarithm of the posterior density.
#[differentiable(wrt(u))]
fn log_density(u: &Unknowns, group: &[usize], x: &[f64], y: &[f64]) -> f64 {
    let likelihood = sum(y.len(), |i| {
        let line = of_group(u, group[i], 0) + of_group(u, group[i], 1) * x[i];
        let r = (y[i] - line) / u.log_noise.exp();
        -0.5 * r * r - u.log_noise
    });
    let groups = sum((u.groups.nrows(), 2), |(g, k)| u.groups[[g, k]].powi(2));
    let common = sum(2, |k| (u.common[k] / 5.0).powi(2) + u.log_spread[k].powi(2));
    likelihood - 0.5 * (groups + common + u.log_noise.powi(2))
}

const GROUPS: usize = 8;

pub fn run(run: &Run) -> Outcome {
    let mut random = Random(6);
    let planted = Unknowns {
        common: [1.0, -0.5],
        log_spread: [0.5_f64.ln(), 0.8_f64.ln()],
        groups: Array2::from_shape_simple_fn((GROUPS, 2), || random.normal()),
        log_noise: 0.4_f64.ln(),
    };
    let group: Vec<usize> = (0..15 * GROUPS).map(|i| i % GROUPS).collect();
    let x: Vec<f64> = group.iter().map(|_| random.normal()).collect();
    let line = |(&g, x): (&usize, &f64)| of_group(&planted, g, 0) + of_group(&planted, g, 1) * x;
    let y: Vec<f64> = group
        .iter()
        .zip(&x)
        .map(|p| line(p) + 0.4 * random.normal())
        .collect();

    let (tune, kept) = if run.is_short {
        (200, 200)
    } else {
        (500, 1000)
    };
    let settings = DiagNutsSettings {
        num_tune: tune,
        ..DiagNutsSettings::default()
    };
    let zeros = planted.map_reals(|_| 0.0);
    let posterior = density(&zeros, |u| log_density_value_and_grad(u, &group, &x, &y));
    let progress = run.progress(4 * (tune as usize + kept));
    let mut draws: Vec<Vec<Unknowns>> = vec![];
    for number in 0..4 {
        let start = zeros.map_reals(|_| random.normal()).to_flat();
        let mut random = StdRng::seed_from_u64(number);
        let mut chain = settings.new_chain(number, CpuMath::new(posterior.clone()), &mut random)?;
        chain.set_position(&start)?;
        let mut own = vec![];
        for step in 0..tune as usize + kept {
            let (position, _) = chain.draw()?;
            if step >= tune as usize {
                own.push(from_flat(&zeros, &position));
            }
            progress.step();
        }
        draws.push(own);
    }
    drop(progress);

    let interval = |of: &dyn Fn(&Unknowns) -> f64| {
        let mut all: Vec<f64> = draws.iter().flatten().map(of).collect();
        all.sort_by(f64::total_cmp);
        [0.025, 0.5, 0.975].map(|share| all[(share * all.len() as f64) as usize])
    };
    let slopes: Vec<([f64; 3], f64)> = (0..GROUPS)
        .map(|g| (interval(&|u| of_group(u, g, 1)), of_group(&planted, g, 1)))
        .collect();
    let covers = |([low, _, high], truth): &([f64; 3], f64)| low < truth && truth < high;
    let covered = slopes.iter().filter(|s| covers(s)).count();
    let noise = (interval(&|u| u.log_noise.exp()), 0.4);
    let common = (interval(&|u| u.common[1]), -0.5);
    println!("   noise {:.3?} (planted: 0.4)", noise.0);
    println!("   common slope {:.3?} (planted: -0.5)", common.0);
    println!("   the intervals of {covered} of {GROUPS} slopes cover the planted one");
    assert!(covers(&noise) && covers(&common) && covered + 1 >= GROUPS);

    let path = run.picture("regression.svg");
    let picture = canvas(&path, (860, 380))?;
    let (left, right) = halves(&picture, 430);
    let range = (0.0..kept as f64, "draw");
    let caption = "Four chains of the common slope";
    let mut traces = chart(&left, caption, range, (-2.6..1.0, "slope"))?;
    for (own, colour) in draws.iter().zip([BLUE, ORANGE, GREEN, GREY]) {
        let line = own.iter().enumerate().step_by(4);
        let line = line.map(|(k, u)| (k as f64, u.common[1]));
        traces.draw_series(LineSeries::new(line, stroke(colour.mix(0.7), 1)))?;
    }
    let range = (-0.7..GROUPS as f64 - 0.3, "group");
    let mut chart = chart(&right, "Slopes of the groups", range, (-3.0..2.0, "slope"))?;
    let numbered = || (0..GROUPS).map(|g| g as f64).zip(&slopes);
    let bars = numbered().map(|(g, ([low, _, high], _))| [(g, *low), (g, *high)]);
    chart.draw_series(bars.map(|ends| PathElement::new(ends, stroke(BLUE, 3))))?;
    let medians = numbered().map(|(g, ([_, middle, _], _))| (g, *middle));
    dots(&mut chart, "median and 95 % interval", (BLUE, 4), medians)?;
    let truths = numbered().map(|(g, (_, truth))| (g, *truth));
    dots(&mut chart, "planted", (ORANGE, 4), truths)?;
    legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
    finish(&picture, &path)
}
