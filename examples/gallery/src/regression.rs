//! A hierarchical regression, sampled by the No-U-Turn sampler of the crate `nuts-rs`.

use crate::common::{BLUE, GREEN, GREY, ORANGE, Outcome, Random, Run, canvas, chart};
use cotangent::Parameters;
use cotangent::ndarray::Array2;
use cotangent::prelude::*;
use nuts_rs::rand::{Rng, SeedableRng, rngs::StdRng};
use nuts_rs::{
    Chain, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings,
};
use plotters::prelude::*;
use std::collections::HashMap;

/// Each group has a line. Intercepts and slopes of the groups are normal around common ones.
#[derive(Clone, Differentiable)]
struct Unknowns {
    common: [f64; 2],
    log_spread: [f64; 2],
    /// Deviations of the groups, in units of the spread.
    groups: Array2<f64>,
    log_noise: f64,
}

#[derive(Clone)]
struct Data {
    group: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// The intercept or the slope of a group.
#[differentiable]
fn of_group(u: &Unknowns, group: usize, k: usize) -> f64 {
    u.common[k] + u.log_spread[k].exp() * u.groups[[group, k]]
}

/// The logarithm of the posterior density.
#[differentiable(wrt(u))]
fn density(u: &Unknowns, group: &[usize], x: &[f64], y: &[f64]) -> f64 {
    let likelihood = sum(y.len(), |i| {
        let line = of_group(u, group[i], 0) + of_group(u, group[i], 1) * x[i];
        let r = (y[i] - line) / u.log_noise.exp();
        -0.5 * r * r - u.log_noise
    });
    let groups = sum((u.groups.nrows(), 2), |(g, k)| u.groups[[g, k]].powi(2));
    let common = sum(2, |k| (u.common[k] / 5.0).powi(2) + u.log_spread[k].powi(2));
    likelihood - 0.5 * (groups + common + u.log_noise.powi(2))
}

/// The density as `nuts-rs` sees it: over a flat vector.
struct Posterior {
    unknowns: Unknowns,
    data: Data,
}

#[derive(Debug)]
struct Never;

impl std::fmt::Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the density never fails")
    }
}

impl std::error::Error for Never {}

impl LogpError for Never {
    fn is_recoverable(&self) -> bool {
        false
    }
}

impl HasDims for Posterior {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        HashMap::from([("unconstrained_parameter".to_owned(), self.dim() as u64)])
    }
}

impl CpuLogpFunc for Posterior {
    type LogpError = Never;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;

    fn dim(&self) -> usize {
        self.unknowns.count()
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, Never> {
        self.unknowns.read_from(position);
        let Data { group, x, y } = &self.data;
        let (value, by_unknowns) = density_value_and_grad(&self.unknowns, group, x, y);
        by_unknowns.write_to(gradient);
        Ok(value)
    }

    fn expand_vector<R: Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
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
    let y = group
        .iter()
        .zip(&x)
        .map(|p| line(p) + 0.4 * random.normal())
        .collect();
    let data = Data { group, x, y };

    let (tune, kept) = if run.is_short {
        (200, 200)
    } else {
        (500, 1000)
    };
    let settings = DiagNutsSettings {
        num_tune: tune,
        ..DiagNutsSettings::default()
    };
    let mut draws: Vec<Vec<Unknowns>> = vec![];
    for number in 0..4 {
        let unknowns = planted.map_reals(|_| 0.0);
        let start = unknowns.map_reals(|_| random.normal()).to_flat();
        let posterior = Posterior {
            unknowns: unknowns.clone(),
            data: data.clone(),
        };
        let mut random = StdRng::seed_from_u64(number);
        let mut chain = settings.new_chain(number, CpuMath::new(posterior), &mut random)?;
        chain.set_position(&start)?;
        let mut own = vec![];
        for step in 0..tune as usize + kept {
            let (position, _) = chain.draw()?;
            if step >= tune as usize {
                let mut draw = unknowns.clone();
                draw.read_from(&position);
                own.push(draw);
            }
        }
        draws.push(own);
    }

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
    let (left, right) = picture.split_horizontally(430);
    let range = (0.0..kept as f64, "draw");
    let mut traces = chart(
        &left,
        "Four chains of the common slope",
        range,
        (-2.6..1.0, ""),
    )?;
    for (own, colour) in draws.iter().zip([BLUE, ORANGE, GREEN, GREY]) {
        let line = own.iter().enumerate().step_by(2);
        let line = line.map(|(k, u)| (k as f64, u.common[1]));
        traces.draw_series(LineSeries::new(line, colour.mix(0.7)))?;
    }
    let caption = "Slopes: 95 % intervals (blue), planted (orange)";
    let mut chart = chart(
        &right,
        caption,
        (-0.7..GROUPS as f64 - 0.3, "group"),
        (-3.0..2.0, ""),
    )?;
    for (g, ([low, middle, high], truth)) in slopes.into_iter().enumerate() {
        let g = g as f64;
        let bar = PathElement::new([(g, low), (g, high)], BLUE.stroke_width(3));
        chart.draw_series([bar])?;
        chart.draw_series([Circle::new((g, middle), 4, BLUE.filled())])?;
        chart.draw_series([Circle::new((g, truth), 4, ORANGE.filled())])?;
    }
    picture.present()?;
    Ok(())
}
