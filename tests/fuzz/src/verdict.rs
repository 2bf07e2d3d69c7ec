//! A compiled program against itself as written: values, products with the Jacobian from both
//! sides, central differences, and what panics.

use crate::data::{SIZES, arguments, direction, moved};
use crate::grammar::Leaf;
use cotangent_core::ir::value::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// From arguments to the real numbers of the result.
pub type Function = fn(&[Value]) -> Vec<f64>;

/// From arguments and a row of numbers to the result and another row.
pub type Product = fn(&[Value], &[f64]) -> (Vec<f64>, Vec<f64>);

/// From arguments to the value and the gradient.
pub type Gradient = fn(&[Value]) -> (Vec<f64>, Vec<f64>);

/// From two sets of arguments to the gradient at the first.
pub type Into = fn(&[Value], &[Value]) -> Vec<f64>;

/// A compiled program.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it was generated from.
    pub seed: u64,
    /// Whether it computes in `f32`.
    pub single: bool,
    /// The parameters.
    pub leaves: fn() -> Vec<Leaf>,
    /// The function as written.
    pub written: Function,
    /// The function as compiled.
    pub value: Function,
    /// Along a direction.
    pub jvp: Product,
    /// Against a cotangent.
    pub vjp: Product,
    /// Value and gradient, where the result is a number.
    pub gradient: Option<Gradient>,
    /// The gradient where there is room for it: at the first arguments, the second, and the first
    /// again.
    pub into: Option<Into>,
}

/// What a program does that it should not.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// In a word.
    pub kind: &'static str,
    /// With numbers.
    pub detail: String,
}

/// A call that may panic: its message with the place.
fn attempt<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|_| crate::panics::last())
}

/// How far two rows of numbers are apart, in relation to `scale` and their own size.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let apart = |(x, y): (&f64, &f64)| match x == y || (x.is_nan() && y.is_nan()) {
        true => 0.0,
        false if x.is_finite() && y.is_finite() => (x - y).abs() / (1.0 + x.abs().max(y.abs())),
        false => f64::INFINITY,
    };
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The size of a product of rows where nothing cancels.
fn mass(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum()
}

fn some(row: &[f64]) -> String {
    let shown: Vec<String> = row.iter().take(6).map(|x| format!("{x:e}")).collect();
    let dots = if row.len() > 6 { ", .." } else { "" };
    format!("[{}{dots}]", shown.join(", "))
}

impl Entry {
    /// What is wrong with the program at any size; the results of value and gradient, for a
    /// comparison with another run, go to `out`.
    pub fn check(&self, out: &mut dyn FnMut(usize, &[f64])) -> Vec<(usize, Wrong)> {
        let mut wrong = vec![];
        for (k, &size) in SIZES.iter().enumerate() {
            let args = arguments(&(self.leaves)(), size, self.seed);
            if let Err(found) = self.at(&args, k, out) {
                wrong.push((k, found));
            }
        }
        wrong
    }

    fn at(
        &self,
        args: &[Value],
        k: usize,
        out: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<(), Wrong> {
        let wrong = |kind, detail: String| Err(Wrong { kind, detail });
        let written = match attempt(|| (self.written)(args)) {
            Ok(written) => written,
            // Where arithmetic overflows depends on the profile.
            Err(why) if why.contains("overflow") => return Ok(()),
            Err(why) => {
                return match attempt(|| (self.value)(args)) {
                    Ok(value) => wrong(
                        "no panic",
                        format!("as written: {why}; compiled: {}", some(&value)),
                    ),
                    Err(_) => Ok(()),
                };
            }
        };
        let (least, loose) = if self.single {
            (1e-4, 1e-2)
        } else {
            (1e-10, 1e-7)
        };
        // How much rounding of the arguments changes the result says how much it is worth.
        let along = direction(args, 7);
        let shaken = |step: f64| attempt(|| (self.written)(&moved(args, &along, step)));
        let noise = match self.single {
            true => shaken(1e-6),
            false => shaken(1e-14),
        };
        let noise = noise.map_or(f64::INFINITY, |shaken| distance(&written, &shaken));
        let tolerance = least + 1e3 * noise;
        if written.iter().any(|x| x.abs() > 1e8) || tolerance > loose {
            return Ok(());
        }
        let same = |kind, value: &[f64]| match distance(&written, value) <= tolerance {
            true => Ok(()),
            false => wrong(kind, format!("{} is not {}", some(value), some(&written))),
        };
        let panics = |why| Wrong {
            kind: "panic",
            detail: why,
        };
        let value = attempt(|| (self.value)(args)).map_err(panics)?;
        same("value", &value)?;
        out(k, &value);

        let cotangent: Vec<f64> = (0..written.len())
            .map(|k| [0.5, -1.0, 0.25, 0.75][k % 4])
            .collect();
        let (of_jvp, tangent) = attempt(|| (self.jvp)(args, &along)).map_err(panics)?;
        same("value of jvp", &of_jvp)?;
        let (of_vjp, gradient) = attempt(|| (self.vjp)(args, &cotangent)).map_err(panics)?;
        same("value of vjp", &of_vjp)?;
        out(k, &gradient);
        if let Some(of) = self.gradient {
            let (value, own) = attempt(|| of(args)).map_err(panics)?;
            same("value of grad", &value)?;
            let scaled: Vec<f64> = own.iter().map(|g| g * cotangent[0]).collect();
            if distance(&scaled, &gradient) > least.max(1e-9) * 10.0 {
                return wrong(
                    "grad",
                    format!("{} is not {}", some(&scaled), some(&gradient)),
                );
            }
            if let Some(into) = self.into {
                let other = arguments(&(self.leaves)(), SIZES[(k + 3) % SIZES.len()], self.seed);
                let other = match attempt(|| (self.written)(&other)) {
                    Ok(_) => other,
                    Err(_) => args.to_vec(),
                };
                let again = attempt(|| into(args, &other)).map_err(panics)?;
                if distance(&again, &own) > least {
                    return wrong("into", format!("{} is not {}", some(&again), some(&own)));
                }
            }
        }

        let (forward, reverse) = (dot(&cotangent, &tangent), dot(&gradient, &along));
        let scale = 1.0 + mass(&cotangent, &tangent) + mass(&gradient, &along);
        if scale.is_finite() && scale > 1e8 {
            return Ok(());
        }
        let disagree = |a: f64, b: f64, bound: f64| {
            !((a - b).abs() <= bound || (a.is_nan() && b.is_nan()) || a == b)
        };
        let apart = disagree(forward, reverse, least.max(1e-9) * scale);
        // Richardson's extrapolation of central differences, where it converges.
        let slope = |h: f64| -> Option<f64> {
            let (up, down) = (shaken(h).ok()?, shaken(-h).ok()?);
            if up.len() != written.len() || down.len() != written.len() {
                return None;
            }
            Some((dot(&cotangent, &up) - dot(&cotangent, &down)) / (2.0 * h))
        };
        let h = if self.single { 2e-2 } else { 1e-4 };
        let (Some(a), Some(b), Some(c)) = (slope(h), slope(h / 2.0), slope(h / 4.0)) else {
            return Ok(());
        };
        let (ab, bc) = ((4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0);
        let (fine, coarse) = if self.single {
            (1e-2, 3e-2)
        } else {
            (1e-7, 1e-3)
        };
        let is_smooth = (ab - bc).abs() <= fine * scale && (a - c).abs() <= coarse * scale;
        // The one-sided slopes agree where there is no kink.
        let one_sided = |h: f64| -> Option<f64> {
            Some((dot(&cotangent, &shaken(h).ok()?) - dot(&cotangent, &written)) / h)
        };
        let has_kink = match (one_sided(h / 4.0), one_sided(-h / 4.0)) {
            (Some(right), Some(left)) => (right - left).abs() > 10.0 * coarse * scale,
            (..) => true,
        };
        let bound = if self.single { 5e-2 } else { 1e-5 };
        if is_smooth && !has_kink && disagree(bc, forward, bound * scale) {
            return wrong(
                "differences",
                format!("forward {forward:e}, reverse {reverse:e}, differences {bc:e}"),
            );
        }
        if apart && !(has_kink && self.single) {
            return wrong(
                "forward and reverse",
                format!("forward {forward:e}, reverse {reverse:e}, differences {bc:e}"),
            );
        }
        Ok(())
    }
}
