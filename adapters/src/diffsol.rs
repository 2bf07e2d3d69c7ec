//! Systems of differential equations for the solvers of [`diffsol`].
//!
//! The right-hand side is an annotated function of the state, the parameters and the time. State
//! and parameters are arrays, fixed arrays or structs. The generated products give the implicit
//! solvers their Jacobian, and the parameters their sensitivities.
//!
//! ```
//! use cotangent::prelude::*;
//! use cotangent_adapters::diffsol::forward;
//! use diffsol::{NalgebraLU, NalgebraMat, OdeSolverMethod, SensitivitiesOdeSolverMethod};
//!
//! #[derive(Clone, Differentiable)]
//! struct Rates {
//!     decay: f64,
//!     feed: f64,
//! }
//!
//! #[differentiable(jvp, wrt(y, r))]
//! fn change(y: &[f64; 1], r: &Rates, t: f64) -> [f64; 1] {
//!     [r.feed * t - r.decay * y[0]]
//! }
//!
//! type M = NalgebraMat<f64>;
//! let rates = Rates { decay: 2.0, feed: 0.0 };
//! let problem = forward::<M, _, _>([1.0], rates, change, change_jvp).rtol(1e-8).build()?;
//!
//! let mut solver = problem.bdf_sens::<NalgebraLU<f64>>()?;
//! let (y, sensitivities, _) = solver.solve_dense_sensitivities(&[0.5])?;
//! assert!((y[(0, 0)] - f64::exp(-1.0)).abs() < 1e-5);
//! // The derivative of exp(-2 t) by the rate of decay, at t = 0.5.
//! assert!((sensitivities[0][(0, 0)] + 0.5 * f64::exp(-1.0)).abs() < 1e-5);
//! # Ok::<(), diffsol::DiffsolError>(())
//! ```

use crate::from_flat;
use ::diffsol::op::closure_with_adjoint::ClosureWithAdjoint;
use ::diffsol::op::closure_with_sens::ClosureWithSens;
use ::diffsol::op::constant_closure_with_adjoint::ConstantClosureWithAdjoint;
use ::diffsol::op::constant_closure_with_sens::ConstantClosureWithSens;
use ::diffsol::{Matrix, OdeBuilder};
use cotangent::Parameters;

/// `(state, parameters, time, result)`: a right-hand side as `diffsol` calls it.
pub trait Value: Fn(&[f64], &[f64], f64, &mut [f64]) {}

impl<F: Fn(&[f64], &[f64], f64, &mut [f64])> Value for F {}

/// `(state, parameters, time, vector, result)`: a product with the Jacobian of a right-hand side.
pub trait Product: Fn(&[f64], &[f64], f64, &[f64], &mut [f64]) {}

impl<F: Fn(&[f64], &[f64], f64, &[f64], &mut [f64])> Product for F {}

/// `(parameters, time, result)`: a first state.
pub trait Start: Fn(&[f64], f64, &mut [f64]) {}

impl<F: Fn(&[f64], f64, &mut [f64])> Start for F {}

/// `(parameters, time, vector, result)`: a product with the Jacobian of a first state.
pub trait StartProduct: Fn(&[f64], f64, &[f64], &mut [f64]) {}

impl<F: Fn(&[f64], f64, &[f64], &mut [f64])> StartProduct for F {}

/// A problem whose solvers also find the sensitivities of the state to the parameters.
///
/// `rhs(&y, &p, t)` is the derivative of the state `y` by the time `t`, and `rhs_jvp` is what
/// `#[differentiable(jvp, wrt(y, p))]` generates for it. The state begins at `start`. The builder
/// still takes all its settings: tolerances, events, a mass matrix (see [`mass`]), and, by
/// `init_sens`, a start that depends on the parameters. See the [module](self) for an example.
pub fn forward<M, S, P>(
    start: S,
    parameters: P,
    rhs: impl Fn(&S, &P, f64) -> S,
    rhs_jvp: impl Fn(&S, &P, f64, &S, &P) -> (S, S) + Clone,
) -> OdeBuilder<
    M,
    ClosureWithSens<M, impl Value, impl Product, impl Product>,
    ConstantClosureWithSens<M, impl Start, impl StartProduct>,
>
where
    M: Matrix<T = f64>,
    S: Parameters + Clone,
    P: Parameters + Clone,
{
    let system = System::new(start, parameters);
    OdeBuilder::<M>::new()
        .p(system.parameters.to_flat())
        .init_sens(system.start(), zeros, system.state.count())
        .rhs_sens_implicit(
            system.value(rhs),
            system.by_state(rhs_jvp.clone()),
            system.by_parameters(rhs_jvp),
        )
}

/// A problem whose solvers also go backward in time, for the gradient of few results by many
/// parameters.
///
/// As [`forward`], with what `#[differentiable(jvp, vjp, wrt(y, p))]` generates.
///
/// `param_rtol` and `param_atol` of the builder bound the errors of the gradient. `rtol` and `atol`
/// alone do not.
///
/// ```
/// use cotangent::prelude::*;
/// use cotangent_adapters::diffsol::adjoint;
/// use diffsol::{AdjointOdeSolverMethod, NalgebraLU, NalgebraMat, OdeSolverMethod, OdeSolverState};
/// use diffsol::{DenseMatrix, Vector};
///
/// #[differentiable(jvp, vjp, wrt(y, r))]
/// fn decay(y: &[f64; 1], r: &[f64; 1], _t: f64) -> [f64; 1] {
///     [-r[0] * y[0]]
/// }
///
/// type M = NalgebraMat<f64>;
/// type Lu = NalgebraLU<f64>;
/// let problem = adjoint::<M, _, _>([1.0], [2.0], decay, decay_jvp, decay_vjp)
///     .rtol(1e-8)
///     .param_rtol(1e-8)
///     .param_atol([1e-10])
///     .build()?;
/// let mut solver = problem.bdf::<Lu>()?;
/// let (path, _, _) = solver.solve_dense_with_checkpointing(&[0.5], None)?;
/// // The cotangent of the state at the time 0.5.
/// let cotangents = M::from_vec(1, 1, vec![1.0], Default::default());
/// let backward = problem.bdf_solver_adjoint::<Lu, _>(path, Some(solver), Some(1))?;
/// let (state, _) = backward.solve_adjoint_backwards_pass(&[0.5], &[&cotangents])?;
/// let gradient = state.into_common().sg;
/// assert!((gradient.get_index(0) + 0.5 * f64::exp(-1.0)).abs() < 1e-5);
/// # Ok::<(), diffsol::DiffsolError>(())
/// ```
pub fn adjoint<M, S, P>(
    start: S,
    parameters: P,
    rhs: impl Fn(&S, &P, f64) -> S,
    rhs_jvp: impl Fn(&S, &P, f64, &S, &P) -> (S, S),
    rhs_vjp: impl Fn(&S, &P, f64, &S) -> (S, (S, P)) + Clone,
) -> OdeBuilder<
    M,
    ClosureWithAdjoint<M, impl Value, impl Product, impl Product, impl Product>,
    ConstantClosureWithAdjoint<M, impl Start, impl StartProduct>,
>
where
    M: Matrix<T = f64>,
    S: Parameters + Clone,
    P: Parameters + Clone,
{
    let system = System::new(start, parameters);
    OdeBuilder::<M>::new()
        .p(system.parameters.to_flat())
        .init_adjoint(system.start(), zeros, system.state.count())
        .rhs_adjoint_implicit(
            system.value(rhs),
            system.by_state(rhs_jvp),
            system.transposed(rhs_vjp.clone(), |(by_state, _)| by_state),
            system.transposed(rhs_vjp, |(_, by_parameters)| by_parameters),
        )
}

/// A product with the mass matrix, for the method `mass` of a builder.
///
/// `product(&v, &p, t)` is the product of the mass matrix with a vector `v` like the state. A row
/// of zeros makes an equation of the right-hand side algebraic.
///
/// ```
/// use cotangent_adapters::diffsol::mass;
///
/// // The second equation is algebraic.
/// let product = mass([0.0; 2], [0.0; 0], |v: &[f64; 2], _: &[f64; 0], _| [v[0], 0.0]);
/// let mut y = [10.0, 20.0];
/// product(&[1.0, 1.0], &[], 0.0, 2.0, &mut y); // y = M v + 2 y
/// assert_eq!(y, [21.0, 40.0]);
/// ```
pub fn mass<S: Parameters + Clone, P: Parameters + Clone>(
    state: S,
    parameters: P,
    product: impl Fn(&S, &P, f64) -> S,
) -> impl Fn(&[f64], &[f64], f64, f64, &mut [f64]) {
    let system = System::new(state, parameters);
    move |v, p, t, beta, out| {
        let (v, p) = system.at(v, p);
        let mut places = out.iter_mut();
        product(&v, &p, t).each_real(&mut |x| {
            let place = places.next().expect("the product is like the state");
            *place = x + beta * *place;
        });
    }
}

/// The types of the state and the parameters, with the lengths of their arrays.
#[derive(Clone)]
struct System<S, P> {
    state: S,
    parameters: P,
    no_state: S,
    no_parameters: P,
}

impl<S: Parameters + Clone, P: Parameters + Clone> System<S, P> {
    fn new(state: S, parameters: P) -> System<S, P> {
        let (no_state, no_parameters) = (state.map_reals(|_| 0.0), parameters.map_reals(|_| 0.0));
        System {
            state,
            parameters,
            no_state,
            no_parameters,
        }
    }

    fn at(&self, y: &[f64], p: &[f64]) -> (S, P) {
        (from_flat(&self.state, y), from_flat(&self.parameters, p))
    }

    fn start(&self) -> impl Start + use<S, P> {
        let start = self.state.to_flat();
        move |_: &[f64], _, y: &mut [f64]| y.copy_from_slice(&start)
    }

    fn value<F: Fn(&S, &P, f64) -> S>(&self, rhs: F) -> impl Value + use<S, P, F> {
        let system = self.clone();
        move |y: &[f64], p: &[f64], t, out: &mut [f64]| {
            let (y, p) = system.at(y, p);
            rhs(&y, &p, t).write_to(out);
        }
    }

    fn by_state<J>(&self, rhs_jvp: J) -> impl Product + use<S, P, J>
    where
        J: Fn(&S, &P, f64, &S, &P) -> (S, S),
    {
        let system = self.clone();
        move |y: &[f64], p: &[f64], t, v: &[f64], out: &mut [f64]| {
            let (y, p) = system.at(y, p);
            let v = from_flat(&system.state, v);
            rhs_jvp(&y, &p, t, &v, &system.no_parameters)
                .1
                .write_to(out);
        }
    }

    fn by_parameters<J>(&self, rhs_jvp: J) -> impl Product + use<S, P, J>
    where
        J: Fn(&S, &P, f64, &S, &P) -> (S, S),
    {
        let system = self.clone();
        move |y: &[f64], p: &[f64], t, v: &[f64], out: &mut [f64]| {
            let (y, p) = system.at(y, p);
            let v = from_flat(&system.parameters, v);
            rhs_jvp(&y, &p, t, &system.no_state, &v).1.write_to(out);
        }
    }

    /// The part of the gradient that `part` takes, times −1: `diffsol` wants products with the
    /// negative transposed Jacobian.
    fn transposed<J, G, T>(&self, rhs_vjp: J, part: T) -> impl Product + use<S, P, J, G, T>
    where
        J: Fn(&S, &P, f64, &S) -> (S, (S, P)),
        G: Parameters,
        T: Fn((S, P)) -> G,
    {
        let system = self.clone();
        move |y: &[f64], p: &[f64], t, v: &[f64], out: &mut [f64]| {
            let (y, p) = system.at(y, p);
            let (_, gradient) = rhs_vjp(&y, &p, t, &from_flat(&system.state, v));
            part(gradient).write_to(out);
            out.iter_mut().for_each(|x| *x = -*x);
        }
    }
}

/// The product of a constant first state.
fn zeros(_: &[f64], _: f64, _: &[f64], out: &mut [f64]) {
    out.fill(0.0);
}
