//! Log densities for the samplers of [`nuts_rs`].
//!
//! ```
//! use cotangent::Parameters;
//! use cotangent::prelude::*;
//! use cotangent_adapters::{from_flat, nuts::density};
//! use nuts_rs::rand::{SeedableRng, rngs::StdRng};
//! use nuts_rs::{Chain, CpuMath, DiagNutsSettings, Settings};
//!
//! #[derive(Clone, Differentiable)]
//! struct Normal {
//!     mean: f64,
//!     log_deviation: f64,
//! }
//!
//! #[differentiable(wrt(n))]
//! fn log_density(n: &Normal, data: &[f64]) -> f64 {
//!     sum(data.len(), |i| {
//!         let r = (data[i] - n.mean) / n.log_deviation.exp();
//!         -0.5 * r * r - n.log_deviation
//!     })
//! }
//!
//! let data: Vec<f64> = (0..50).map(|i| 3.0 + (0.7 * f64::from(i)).sin()).collect();
//! let start = Normal { mean: 0.0, log_deviation: 0.0 };
//! let posterior = density(&start, |n| log_density_value_and_grad(n, &data));
//!
//! let mut random = StdRng::seed_from_u64(1);
//! let settings = DiagNutsSettings { num_tune: 200, ..DiagNutsSettings::default() };
//! let mut chain = settings.new_chain(0, CpuMath::new(posterior), &mut random)?;
//! chain.set_position(&start.to_flat())?;
//! let mut means = vec![];
//! for step in 0..600 {
//!     let (position, _) = chain.draw()?;
//!     if step >= 200 {
//!         means.push(from_flat(&start, &position).mean);
//!     }
//! }
//! let mean = means.iter().sum::<f64>() / means.len() as f64;
//! assert!((mean - 3.0).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use cotangent::Parameters;
use nuts_rs::rand::{Rng, RngExt};
use nuts_rs::{
    CpuLogpFunc, CpuMath, CpuMathError, HasDims, InitPositionError, LogpError, Model, Value,
};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

/// A log density with its gradient. Made by [`density`] or [`try_density`].
///
/// `CpuMath::new` takes it for a single chain. It is a `Model` too, if it is `Clone`, `Send` and
/// `Sync` and owns its data: `Sampler::new` then runs several chains in threads. Stored draws name
/// each number by its path of fields and indices. Each chain starts at the numbers of the shape,
/// each moved by a uniform random number from −1 to 1.
#[derive(Clone)]
pub struct Density<P, F> {
    parameters: P,
    start: Vec<f64>,
    value_and_grad: F,
}

/// Why a density does not exist at a point. The sampler counts such a step as a divergence.
#[derive(Debug)]
pub struct NoDensity<E>(pub E);

impl<E: fmt::Display> fmt::Display for NoDensity<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no density: {}", self.0)
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for NoDensity<E> {}

impl<E: fmt::Debug + fmt::Display + Send> LogpError for NoDensity<E> {
    fn is_recoverable(&self) -> bool {
        true
    }
}

/// The log density of a function, from its generated `f_value_and_grad`.
///
/// `shape` says how many numbers each array of the parameters has. See the [module](self) for an
/// example.
pub fn density<P: Parameters + Clone, F: Fn(&P) -> (f64, P) + Clone>(
    shape: &P,
    value_and_grad: F,
) -> Density<P, impl Fn(&P) -> Result<(f64, P), Infallible> + Clone + use<P, F>> {
    try_density(shape, move |parameters| Ok(value_and_grad(parameters)))
}

/// As [`density`], for a function that returns a `Result`. The sampler counts an error as a
/// divergence and goes on.
///
/// ```
/// use cotangent::prelude::*;
/// use nuts_rs::CpuLogpFunc;
///
/// #[differentiable]
/// fn exponential(x: &[f64; 1]) -> Result<f64, String> {
///     if x[0] < 0.0 {
///         return Err(format!("{} is negative", x[0]));
///     }
///     Ok(-x[0])
/// }
///
/// let mut density = cotangent_adapters::nuts::try_density(&[1.0], exponential_value_and_grad);
/// let mut gradient = [0.0];
/// assert_eq!(density.logp(&[2.0], &mut gradient).unwrap(), -2.0);
/// assert_eq!(gradient, [-1.0]);
/// let error = density.logp(&[-2.0], &mut gradient).unwrap_err();
/// assert_eq!(error.to_string(), "no density: -2 is negative");
/// ```
pub fn try_density<P: Parameters + Clone, E, F: Fn(&P) -> Result<(f64, P), E>>(
    shape: &P,
    value_and_grad: F,
) -> Density<P, F> {
    let (parameters, start) = (shape.clone(), shape.to_flat());
    Density {
        parameters,
        start,
        value_and_grad,
    }
}

impl<P: Parameters, F> HasDims for Density<P, F> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        let count = self.start.len() as u64;
        ["unconstrained_parameter", "dim"]
            .map(|name| (name.to_owned(), count))
            .into()
    }

    fn coords(&self) -> HashMap<String, Value> {
        ["unconstrained_parameter", "dim"]
            .map(|name| (name.to_owned(), Value::Strings(self.parameters.names())))
            .into()
    }
}

impl<P, E, F> CpuLogpFunc for Density<P, F>
where
    P: Parameters,
    E: fmt::Debug + fmt::Display + Send + Sync + 'static,
    F: Fn(&P) -> Result<(f64, P), E>,
{
    type LogpError = NoDensity<E>;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;

    fn dim(&self) -> usize {
        self.start.len()
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, NoDensity<E>> {
        self.parameters.read_from(position);
        let (value, by_parameters) = (self.value_and_grad)(&self.parameters).map_err(NoDensity)?;
        by_parameters.write_to(gradient);
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

impl<P, E, F> Model for Density<P, F>
where
    P: Parameters + Clone + Send + Sync + 'static,
    E: fmt::Debug + fmt::Display + Send + Sync + 'static,
    F: Fn(&P) -> Result<(f64, P), E> + Clone + Send + Sync + 'static,
{
    type Math = CpuMath<Self>;

    fn math<R: Rng + ?Sized>(self: Arc<Self>, _: &mut R) -> anyhow::Result<CpuMath<Self>> {
        Ok(CpuMath::new((*self).clone()))
    }

    fn init_position<R: Rng + ?Sized>(
        &self,
        random: &mut R,
        _: u64,
        position: &mut [f64],
    ) -> Result<(), InitPositionError> {
        for (place, start) in position.iter_mut().zip(&self.start) {
            *place = start + random.random_range(-1.0..1.0);
        }
        Ok(())
    }
}
