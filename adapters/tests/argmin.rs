//! The problem for `argmin` computes each point once, whatever is asked first.

use argmin::core::{CostFunction, Error, Gradient};
use cotangent::ndarray::{Array1, Array2, arr2};
use cotangent::prelude::*;
use cotangent_adapters::argmin::{problem, try_problem};
use std::cell::Cell;

#[derive(Clone, Debug, Differentiable)]
struct Model {
    w: Array2<f64>,
    b: Array1<f64>,
    name: String,
}

#[differentiable]
fn cost(m: &Model) -> f64 {
    (&m.w * &m.w).sum() + sum(m.b.len(), |i| m.b[i].powi(3))
}

#[test]
fn each_point_is_computed_once() -> Result<(), Error> {
    let start = Model {
        w: arr2(&[[1.0, 2.0], [3.0, 4.0]]),
        b: Array1::ones(1),
        name: "kept".to_owned(),
    };
    let calls = Cell::new(0);
    let problem = problem(&start, |m| {
        assert_eq!(m.name, "kept");
        calls.set(calls.get() + 1);
        cost_value_and_grad(m)
    });
    let (first, second) = (vec![1.0, 2.0, 3.0, 4.0, 2.0], vec![0.0; 5]);
    assert_eq!(problem.cost(&first)?, 38.0);
    assert_eq!(problem.gradient(&first)?, [2.0, 4.0, 6.0, 8.0, 12.0]);
    assert_eq!((problem.cost(&first)?, calls.get()), (38.0, 1));
    assert_eq!(problem.gradient(&second)?, [0.0; 5]);
    assert_eq!((problem.cost(&second)?, calls.get()), (0.0, 2));
    // Only the last point is kept.
    assert_eq!((problem.cost(&first)?, calls.get()), (38.0, 3));
    Ok(())
}

#[test]
fn an_error_leaves_the_point_before_it() {
    let problem = try_problem(&[0.0], |x: &[f64; 1]| match x[0] {
        x if x < 0.0 => Err(Error::msg("negative")),
        x => Ok((x, [1.0])),
    });
    assert_eq!(problem.cost(&vec![2.0]).ok(), Some(2.0));
    assert!(problem.gradient(&vec![-1.0]).is_err());
    assert_eq!(problem.gradient(&vec![2.0]).ok(), Some(vec![1.0]));
}

#[test]
fn no_parameters_are_a_point_too() {
    let problem = problem(&Array1::<f64>::zeros(0), |x| (7.0, x.clone()));
    assert_eq!(problem.cost(&vec![]).ok(), Some(7.0));
    assert_eq!(problem.gradient(&vec![]).ok(), Some(vec![]));
}
