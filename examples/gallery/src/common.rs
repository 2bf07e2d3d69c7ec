//! What the examples share: random numbers, an optimiser, charts.

use cotangent::Parameters;
use indicatif::{ProgressBar, ProgressDrawTarget};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

    /// A bar that shows how far a loop of so many steps is, if it takes more than a second.
    pub fn progress(&self, steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        Progress {
            bar,
            start: Instant::now(),
        }
    }

    /// So many steps, or a tenth of them.
    pub fn steps(&self, steps: usize) -> usize {
        if self.is_short { steps / 10 } else { steps }
    }
}

/// A progress bar for loops that take long.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    /// One more step is done.
    pub fn step(&self) {
        self.bar.inc(1);
        if self.bar.is_hidden() && self.start.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| println!("   {line}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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

/// Units of the pictures in a pixel. The backend rounds coordinates to units, and curves of whole
/// pixels are bumpy.
const UNITS: u32 = 4;

/// A white picture of so many pixels.
pub fn canvas(
    path: &Path,
    (width, height): (u32, u32),
) -> Result<Canvas<'_>, Box<dyn std::error::Error>> {
    let size = (width * UNITS, height * UNITS);
    let canvas = SVGBackend::new(path, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    Ok(canvas)
}

/// Two parts of a picture, the left one so many pixels wide.
pub fn halves<'a>(picture: &Canvas<'a>, width: u32) -> (Canvas<'a>, Canvas<'a>) {
    picture.split_horizontally(width * UNITS)
}

/// Two parts of a picture, the upper one so many pixels high.
pub fn stacked<'a>(picture: &Canvas<'a>, height: u32) -> (Canvas<'a>, Canvas<'a>) {
    picture.split_vertically(height * UNITS)
}

/// Writes a picture.
pub fn finish(picture: &Canvas<'_>, path: &Path) -> Outcome {
    picture.present()?;
    let (width, height) = picture.dim_in_pixel();
    let units = format!("width=\"{width}\" height=\"{height}\" viewBox");
    let pixels = format!(
        "width=\"{}\" height=\"{}\" viewBox",
        width / UNITS,
        height / UNITS
    );
    let text = std::fs::read_to_string(path)?.replacen(&units, &pixels, 1);
    // Attributes that say what holds without them.
    let text = text.replace(" opacity=\"1\"", "");
    std::fs::write(
        path,
        text.replace(" stroke=\"none\" stroke-width=\"1\"", ""),
    )?;
    Ok(())
}

/// A font of so many pixels.
fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size * UNITS).into_text_style(&(1, 1))
}

/// A line of so many pixels.
pub fn stroke(colour: impl Color, width: u32) -> ShapeStyle {
    colour.stroke_width(width * UNITS)
}

/// Axes with a caption and the names of the axes.
pub fn chart<'a, 'b>(
    area: &'a Canvas<'b>,
    caption: &str,
    (x, x_name): (Range<f64>, &str),
    (y, y_name): (Range<f64>, &str),
) -> Result<Chart<'a, 'b>, Box<dyn std::error::Error>> {
    let mut builder = ChartBuilder::on(area);
    if !caption.is_empty() {
        builder.caption(caption, font(18));
    }
    let mut chart = builder
        .margin(12 * UNITS)
        .margin_right(24 * UNITS)
        .x_label_area_size(36 * UNITS)
        .y_label_area_size(56 * UNITS)
        .build_cartesian_2d(x, y)?;
    // As short as it can be: 60, 0.02.
    let number = |x: &f64| format!("{}", (x * 1e6).round() / 1e6);
    chart
        .configure_mesh()
        .max_light_lines(0)
        .bold_line_style(stroke(RGBColor(230, 230, 230), 1))
        .axis_style(stroke(BLACK, 1))
        .label_style(font(12))
        .axis_desc_style(font(13))
        .set_all_tick_mark_size(5 * UNITS)
        .x_desc(x_name)
        .y_desc(y_name)
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .draw()?;
    Ok(chart)
}

/// A curve of two pixels. A name goes to the legend.
pub fn curve(
    chart: &mut Chart<'_, '_>,
    name: &str,
    colour: RGBColor,
    points: impl IntoIterator<Item = (f64, f64)>,
) -> Outcome {
    let style = stroke(colour, 2);
    let drawn = chart.draw_series(LineSeries::new(points, style))?;
    if !name.is_empty() {
        let width = 18 * UNITS as i32;
        drawn
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + width, y)], style));
    }
    Ok(())
}

/// Dots of a radius in pixels. A name goes to the legend.
pub fn dots(
    chart: &mut Chart<'_, '_>,
    name: &str,
    (colour, radius): (impl Color, u32),
    points: impl IntoIterator<Item = (f64, f64)>,
) -> Outcome {
    let style = colour.filled();
    let radius = radius * UNITS;
    let circles = points.into_iter().map(|p| Circle::new(p, radius, style));
    let drawn = chart.draw_series(circles)?;
    if !name.is_empty() {
        let middle = 9 * UNITS as i32;
        drawn
            .label(name)
            .legend(move |(x, y)| Circle::new((x + middle, y), radius, style));
    }
    Ok(())
}

/// The area between two curves. A name goes to the legend.
pub fn band(
    chart: &mut Chart<'_, '_>,
    name: &str,
    colour: RGBColor,
    points: impl Iterator<Item = (f64, [f64; 2])> + Clone,
) -> Outcome {
    let style = colour.mix(0.15).filled();
    let mut outline: Vec<_> = points.clone().map(|(x, [_, high])| (x, high)).collect();
    let mut lower: Vec<_> = points.map(|(x, [low, _])| (x, low)).collect();
    lower.reverse();
    outline.append(&mut lower);
    let (width, half) = (18 * UNITS as i32, 5 * UNITS as i32);
    chart
        .draw_series([Polygon::new(outline, style)])?
        .label(name)
        .legend(move |(x, y)| Rectangle::new([(x, y - half), (x + width, y + half)], style));
    Ok(())
}

/// The names of what a chart shows.
pub fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, place: SeriesLabelPosition) -> Outcome {
    chart
        .configure_series_labels()
        .position(place)
        .background_style(WHITE.mix(0.8))
        .border_style(stroke(BLACK.mix(0.3), 1))
        .label_font(font(12))
        .legend_area_size(30 * UNITS)
        .margin(8 * UNITS)
        .draw()?;
    Ok(())
}

/// The colours of the pictures.
pub const BLUE: RGBColor = RGBColor(37, 99, 235);
pub const ORANGE: RGBColor = RGBColor(234, 88, 12);
pub const GREEN: RGBColor = RGBColor(22, 163, 74);
pub const GREY: RGBColor = RGBColor(148, 163, 184);
