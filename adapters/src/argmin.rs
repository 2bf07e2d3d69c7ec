//! Problems for the optimisers of [`argmin`].
//!
//! The points of a problem are `Vec<f64>`, for which `argmin-math` implements all operations
//! (feature `vec`), whatever the type of the parameters.
//!
//! ```
//! use argmin::core::{Executor, State};
//! use argmin::solver::linesearch::MoreThuenteLineSearch;
//! use argmin::solver::quasinewton::LBFGS;
//! use cotangent::Parameters;
//! use cotangent::prelude::*;
//! use cotangent_adapters::{argmin::problem, from_flat};
//!
//! #[derive(Clone, Differentiable)]
//! struct Line {
//!     slope: f64,
//!     offset: f64,
//! }
//!
//! #[differentiable(wrt(line))]
//! fn misfit(line: &Line, x: &[f64], y: &[f64]) -> f64 {
//!     mean(y.len(), |i| (line.slope * x[i] + line.offset - y[i]).powi(2))
//! }
//!
//! let (x, y) = ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0]);
//! let start = Line { slope: 0.0, offset: 0.0 };
//!
//! let solver = LBFGS::new(MoreThuenteLineSearch::new(), 5);
//! let result = Executor::new(problem(&start, |line| misfit_value_and_grad(line, &x, &y)), solver)
//!     .configure(|state| state.param(start.to_flat()).max_iters(50))
//!     .run()?;
//! let line = from_flat(&start, result.state().get_best_param().unwrap());
//! assert!((line.slope - 2.0).abs() < 1e-6 && (line.offset - 1.0).abs() < 1e-6);
//! # Ok::<(), argmin::core::Error>(())
//! ```

use crate::from_flat;
use ::argmin::core::{CostFunction, Error, Gradient};
use cotangent::Parameters;
use std::sync::{Mutex, PoisonError};

/// A problem whose value and gradient are computed together, once for each point.
///
/// Solvers ask for the cost and the gradient of a point one after the other. The first question
/// computes both, and the second one copies what the first has kept. Made by [`problem`] or
/// [`try_problem`].
pub struct Problem<P, F> {
    shape: P,
    value_and_grad: F,
    last: Mutex<Option<Evaluation>>,
}

/// A point, with the value and the gradient there.
struct Evaluation {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// The problem to minimise a function, from its generated `f_value_and_grad`.
///
/// `shape` says how many numbers each array of the parameters has; the start of the solver serves.
/// See the [module](self) for an example.
pub fn problem<P: Parameters + Clone, F: Fn(&P) -> (f64, P)>(
    shape: &P,
    value_and_grad: F,
) -> Problem<P, impl Fn(&P) -> Result<(f64, P), Error> + use<P, F>> {
    try_problem(shape, move |parameters| Ok(value_and_grad(parameters)))
}

/// As [`problem`], for a function that returns a `Result`. An error ends the solver.
///
/// ```
/// use argmin::core::{CostFunction, Error};
/// use cotangent::prelude::*;
///
/// #[differentiable]
/// fn entropy(p: &[f64; 2]) -> Result<f64, String> {
///     if p[0] <= 0.0 || p[1] <= 0.0 {
///         return Err("a probability is not positive".to_owned());
///     }
///     Ok(p[0] * p[0].ln() + p[1] * p[1].ln())
/// }
///
/// let problem = cotangent_adapters::argmin::try_problem(&[0.5; 2], |p| {
///     entropy_value_and_grad(p).map_err(Error::msg)
/// });
/// assert_eq!(problem.cost(&vec![1.0, 1.0])?, 0.0);
/// assert!(problem.cost(&vec![1.0, 0.0]).is_err());
/// # Ok::<(), Error>(())
/// ```
pub fn try_problem<P: Parameters + Clone, F: Fn(&P) -> Result<(f64, P), Error>>(
    shape: &P,
    value_and_grad: F,
) -> Problem<P, F> {
    let shape = shape.clone();
    let last = Mutex::new(None);
    Problem {
        shape,
        value_and_grad,
        last,
    }
}

impl<P: Parameters + Clone, F: Fn(&P) -> Result<(f64, P), Error>> Problem<P, F> {
    /// A part of the evaluation of a point, which is computed unless it is the last one.
    fn at<T>(&self, point: &[f64], part: impl Fn(&Evaluation) -> T) -> Result<T, Error> {
        // A panic in the function leaves the evaluation before it, which is still true.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.point == point) {
            return Ok(part(known));
        }
        let (value, gradient) = (self.value_and_grad)(&from_flat(&self.shape, point))?;
        let (point, gradient) = (point.to_vec(), gradient.to_flat());
        Ok(part(last.insert(Evaluation {
            point,
            value,
            gradient,
        })))
    }
}

impl<P: Parameters + Clone, F: Fn(&P) -> Result<(f64, P), Error>> CostFunction for Problem<P, F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, point: &Vec<f64>) -> Result<f64, Error> {
        self.at(point, |known| known.value)
    }
}

impl<P: Parameters + Clone, F: Fn(&P) -> Result<(f64, P), Error>> Gradient for Problem<P, F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, point: &Vec<f64>) -> Result<Vec<f64>, Error> {
        self.at(point, |known| known.gradient.clone())
    }
}
