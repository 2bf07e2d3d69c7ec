//! Annotated functions that another crate calls from its own: at the root, in modules, re-exported,
//! and with constants that only this crate sees.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all)]

use renamed::ndarray::Array1;
use renamed::prelude::*;

const STEEPNESS: f64 = 2.0;

/// A logistic curve.
#[differentiable(crate = renamed)]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-STEEPNESS * x).exp())
}

mod hidden {
    use renamed::prelude::*;

    const WEIGHTS: usize = 2;

    /// Reached through the re-exports only; calls what is at the root.
    #[differentiable(crate = renamed)]
    pub fn twice(x: f64) -> f64 {
        WEIGHTS as f64 * super::logistic(x) + super::logistic_grad(x)
    }
}

pub use hidden::twice;
pub use hidden::{twice as doubled, twice_grad as doubled_slope};

/// A module with functions of arrays.
pub mod arrays {
    use super::*;

    /// The squared norm.
    #[differentiable(crate = renamed, grad, jvp)]
    pub fn squared_norm(x: &Array1<f64>) -> f64 {
        sum(x.len(), |i| x[i] * x[i])
    }

    /// Not for other crates.
    #[differentiable(crate = renamed)]
    pub(crate) fn halved(x: f64) -> f64 {
        0.5 * x
    }

    /// Calls what other crates do not see.
    #[differentiable(crate = renamed)]
    pub fn quartered(x: f64) -> f64 {
        halved(halved(x))
    }
}

mod rules {
    use renamed::prelude::*;

    const STEPS: usize = 3;

    /// The midpoint rule, of what another crate gives.
    #[differentiable(crate = renamed)]
    pub fn integral(f: impl Fn(f64) -> f64, b: f64) -> f64 {
        let h = b / STEPS as f64;
        renamed::prelude::sum(STEPS, |i| f(super::arrays::halved(h) + h * i as f64) * h)
    }
}

pub use rules::integral;

/// A function of any Rust with a derivative of its own.
#[custom_derivative(crate = renamed, vjp = bent_vjp)]
pub fn bent(x: f64) -> f64 {
    let values = std::collections::BTreeMap::from([(0, x * x)]);
    values.values().map(|v| v.sin()).sum()
}

fn bent_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    (bent(x), 2.0 * x * (x * x).cos() * cotangent)
}

/// It calls a function that those who call it cannot see.
#[differentiable(crate = renamed)]
pub fn twice_bent(x: f64) -> f64 {
    2.0 * bent(x)
}

/// A function that is called as a unit.
#[differentiable(crate = renamed, noinline, vjp)]
pub fn shifted(x: &Array1<f64>, by: usize) -> Array1<f64> {
    build(x.len(), |i| x[i] + by as f64)
}
