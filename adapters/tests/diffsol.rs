//! Systems for `diffsol`: sensitivities, adjoints and mass matrices against known solutions.

use cotangent::ndarray::{Array1, array};
use cotangent::prelude::*;
use cotangent_adapters::diffsol::{adjoint, forward, mass};
use diffsol::{
    AdjointOdeSolverMethod, DenseMatrix, DiffsolError, NalgebraLU, NalgebraMat, OdeSolverMethod,
    OdeSolverState, SensitivitiesOdeSolverMethod, Vector,
};

type M = NalgebraMat<f64>;
type Lu = NalgebraLU<f64>;

/// Rates between two vessels, and a name that is no number.
#[derive(Clone, Differentiable)]
struct Rates {
    out: f64,
    through: Array1<f64>,
    name: String,
}

/// What is left in the first vessel, and what flows through the second one.
#[differentiable(jvp, vjp, wrt(y, r))]
fn change(y: &Array1<f64>, r: &Rates, t: f64) -> Array1<f64> {
    array![
        -r.out * y[0],
        r.through[0] * y[0] - r.through[1] * y[1] + 0.0 * t
    ]
}

fn rates() -> Rates {
    Rates {
        out: 1.0,
        through: array![1.0, 3.0],
        name: "vessels".to_owned(),
    }
}

/// The solution at time `t` from `[1, 0]`: `e^-at` and `b (e^-at − e^-ct) / (c − a)`.
fn solution(a: f64, b: f64, c: f64, t: f64) -> [f64; 2] {
    let (first, second) = ((-a * t).exp(), (-c * t).exp());
    [first, b * (first - second) / (c - a)]
}

/// The derivatives of the solution by `a`, `b` and `c`, by differences.
fn slopes(t: f64) -> [[f64; 2]; 3] {
    let at = |k: usize, h: f64| {
        let mut p = [1.0, 1.0, 3.0];
        p[k] += h;
        solution(p[0], p[1], p[2], t)
    };
    [0, 1, 2].map(|k| {
        let (up, down) = (at(k, 1e-5), at(k, -1e-5));
        [0, 1].map(|i| (up[i] - down[i]) / 2e-5)
    })
}

#[test]
fn forward_sensitivities() -> Result<(), DiffsolError> {
    let start = array![1.0, 0.0];
    let problem = forward::<M, _, _>(start, rates(), change, change_jvp)
        .rtol(1e-8)
        .atol([1e-10])
        .build()?;
    let times = [0.3, 1.0];
    let (y, by_rates, _) = problem
        .bdf_sens::<Lu>()?
        .solve_dense_sensitivities(&times)?;
    assert_eq!(by_rates.len(), 3);
    for (column, t) in times.into_iter().enumerate() {
        let known = solution(1.0, 1.0, 3.0, t);
        for i in 0..2 {
            assert!((y[(i, column)] - known[i]).abs() < 1e-6);
            for (by_rate, slope) in by_rates.iter().zip(slopes(t)) {
                assert!((by_rate[(i, column)] - slope[i]).abs() < 1e-5);
            }
        }
    }
    Ok(())
}

#[test]
fn adjoint_gradient() -> Result<(), DiffsolError> {
    let start = array![1.0, 0.0];
    let problem = adjoint::<M, _, _>(start, rates(), change, change_jvp, change_vjp)
        .rtol(1e-8)
        .atol([1e-10])
        .param_rtol(1e-8)
        .param_atol([1e-10])
        .build()?;
    let times = [0.3, 1.0];
    let mut solver = problem.bdf::<Lu>()?;
    let (path, _, _) = solver.solve_dense_with_checkpointing(&times, None)?;
    // The gradient of the second vessel at 0.3, plus twice the first one at 1.
    let weights = M::from_vec(2, 2, vec![0.0, 1.0, 2.0, 0.0], Default::default());
    let (state, _) = problem
        .bdf_solver_adjoint::<Lu, _>(path, Some(solver), Some(1))?
        .solve_adjoint_backwards_pass(&times, &[&weights])?;
    let gradient = state.into_common().sg;
    for k in 0..3 {
        let (found, known) = (
            gradient.get_index(k),
            slopes(0.3)[k][1] + 2.0 * slopes(1.0)[k][0],
        );
        assert!((found - known).abs() < 1e-5, "{found} is not {known}");
    }
    Ok(())
}

/// The second vessel as the rest of the first: an algebraic equation.
#[differentiable(jvp, wrt(y, r))]
fn balance(y: &[f64; 2], r: f64, t: f64) -> [f64; 2] {
    [-r * y[0] + 0.0 * t, y[0] + y[1] - 1.0]
}

#[test]
fn algebraic_equation() -> Result<(), DiffsolError> {
    let rhs = |y: &[f64; 2], r: &f64, t: f64| balance(y, *r, t);
    let rhs_jvp =
        |y: &[f64; 2], r: &f64, t: f64, dy: &[f64; 2], dr: &f64| balance_jvp(y, *r, t, dy, *dr);
    let product = mass([0.0; 2], 2.0, |v: &[f64; 2], _: &f64, _| [v[0], 0.0]);
    let problem = forward::<M, _, _>([1.0, 0.0], 2.0, rhs, rhs_jvp)
        .mass(product)
        .rtol(1e-8)
        .atol([1e-10])
        .build()?;
    let (y, _) = problem.bdf::<Lu>()?.solve_dense(&[0.5])?;
    assert!((y[(0, 0)] - f64::exp(-1.0)).abs() < 1e-6);
    assert!((y[(0, 0)] + y[(1, 0)] - 1.0).abs() < 1e-8);
    Ok(())
}
