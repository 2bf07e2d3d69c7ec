//! What the examples share: random numbers, an optimiser, charts.

use cotangent::Parameters;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What an example gives.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// How the examples run.
pub struct Run {
    /// Whether a few steps are enough.
    pub is_short: bool,
    /// Where pictures go.
    pub folder: PathBuf,
}

impl Run {
    pub fn picture(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// So many steps, or a tenth of them.
    pub fn steps(&self, steps: usize) -> usize {
        if self.is_short { steps / 10 } else { steps }
    }
}

/// Random numbers that are the same in each run.
pub struct Random(pub u64);

impl Random {
    /// Uniform in 0..1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Adam, for any type of parameters.
pub struct Adam {
    rate: f64,
    steps: i32,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Adam {
    pub fn new(rate: f64) -> Adam {
        let (mean, square) = (vec![], vec![]);
        Adam {
            rate,
            steps: 0,
            mean,
            square,
        }
    }

    pub fn step<P: Parameters>(&mut self, parameters: &mut P, gradient: &P) {
        self.steps += 1;
        self.mean.resize(gradient.count(), 0.0);
        self.square.resize(gradient.count(), 0.0);
        let unbiased = [0.9, 0.999].map(|decay: f64| 1.0 - decay.powi(self.steps));
        let mut moments = self.mean.iter_mut().zip(&mut self.square);
        parameters.each_pair_mut(gradient, &mut |p, g| {
            let (mean, square) = moments.next().expect("as many moments as parameters");
            *mean += 0.1 * (g - *mean);
            *square += 0.001 * (g * g - *square);
            *p -= self.rate * (*mean / unbiased[0]) / ((*square / unbiased[1]).sqrt() + 1e-9);
        });
    }
}

pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A white picture.
pub fn canvas(path: &Path, size: (u32, u32)) -> Result<Canvas<'_>, Box<dyn std::error::Error>> {
    let canvas = SVGBackend::new(path, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    Ok(canvas)
}

/// Axes with a caption and the names of the axes.
pub fn chart<'a, 'b>(
    area: &'a Canvas<'b>,
    caption: &str,
    (x, x_name): (Range<f64>, &str),
    (y, y_name): (Range<f64>, &str),
) -> Result<Chart<'a, 'b>, Box<dyn std::error::Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(230, 230, 230))
        .x_desc(x_name)
        .y_desc(y_name)
        .x_labels(6)
        .y_labels(6)
        .draw()?;
    Ok(chart)
}

/// The labels of what a chart shows.
pub fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, place: SeriesLabelPosition) -> Outcome {
    chart
        .configure_series_labels()
        .position(place)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}

/// The colours of the pictures.
pub const BLUE: RGBColor = RGBColor(37, 99, 235);
pub const ORANGE: RGBColor = RGBColor(234, 88, 12);
pub const GREEN: RGBColor = RGBColor(22, 163, 74);
pub const GREY: RGBColor = RGBColor(148, 163, 184);
