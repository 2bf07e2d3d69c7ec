//! The density for `nuts-rs` runs in its sampler, in threads, with named draws and divergences.

use cotangent::prelude::*;
use cotangent_adapters::nuts::{density, try_density};
use nuts_rs::{CpuLogpFunc, DiagNutsSettings, HasDims, Sampler, SamplerWaitResult, Value};
use nuts_rs::{HashMapConfig, HashMapValue};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Debug, Differentiable)]
struct Unknowns {
    centre: [f64; 2],
    log_scale: f64,
}

/// Independent normal numbers: means 3 and −1 with deviation 0.5, and 0 with deviation 1.
#[differentiable]
fn log_density(u: &Unknowns) -> f64 {
    let (a, b) = (u.centre[0] - 3.0, u.centre[1] + 1.0);
    -2.0 * (a * a + b * b) - 0.5 * u.log_scale.powi(2)
}

const START: Unknowns = Unknowns {
    centre: [1.0, 0.0],
    log_scale: 0.5,
};

#[test]
fn numbers_have_names() {
    let density = density(&START, log_density_value_and_grad);
    assert_eq!(density.dim_sizes()["unconstrained_parameter"], 3);
    let Value::Strings(names) = &density.coords()["dim"] else {
        panic!("names are strings");
    };
    assert_eq!(names, &["centre[0]", "centre[1]", "log_scale"]);
}

#[test]
fn chains_run_in_threads() {
    let settings = DiagNutsSettings {
        num_chains: 2,
        num_tune: 300,
        num_draws: 500,
        seed: 4,
        ..DiagNutsSettings::default()
    };
    let model = Arc::new(density(&START, log_density_value_and_grad));
    let sampler = Sampler::new(model, settings, HashMapConfig::new(), 2, None);
    let outcome = sampler
        .expect("it starts")
        .wait_timeout(Duration::from_secs(60));
    let SamplerWaitResult::Trace(chains) = outcome else {
        panic!("the chains do not end");
    };
    assert_eq!(chains.len(), 2);
    for chain in &chains {
        let HashMapValue::F64(draws) = &chain.draws["value"] else {
            panic!("draws are numbers");
        };
        // The draws of the tuning come first.
        let kept = &draws[3 * 300..];
        let mean = |k: usize| kept.iter().skip(k).step_by(3).sum::<f64>() / 500.0;
        assert!((mean(0) - 3.0).abs() < 0.2 && (mean(1) + 1.0).abs() < 0.2);
    }
}

#[test]
fn an_error_is_a_divergence() {
    let mut density = try_density(&[1.0], |x: &[f64; 1]| match x[0] {
        x if x < 0.0 => Err("negative"),
        x => Ok((-x, [-1.0])),
    });
    let mut gradient = [0.0];
    assert_eq!(density.logp(&[2.0], &mut gradient).ok(), Some(-2.0));
    let error = density
        .logp(&[-2.0], &mut gradient)
        .expect_err("it is negative");
    assert!(nuts_rs::LogpError::is_recoverable(&error));
    assert_eq!(error.to_string(), "no density: negative");
}
