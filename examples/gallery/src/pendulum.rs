//! A pendulum swings up with a motor that is too weak to lift it: its torques are optimised through
//! the simulation.

use crate::common::{
    Adam, BLUE, GREY, ORANGE, Outcome, Random, Run, canvas, chart, curve, finish, legend, stacked,
};
use cotangent::ndarray::Array1;
use cotangent::prelude::*;
use plotters::prelude::*;
use std::f64::consts::PI;

/// The largest torque. Holding the pendulum out takes 9.81.
const MOST: f64 = 4.0;
const STEP: f64 = 0.02;

/// The angle and its speed after a step; at rest the angle is 0.
#[differentiable]
fn moved(state: [f64; 2], torque: f64) -> [f64; 2] {
    let speed = state[1] + STEP * (torque - 9.81 * state[0].sin() - 0.1 * state[1]);
    [state[0] + STEP * speed, speed]
}

/// How far the pendulum is from standing still upside down in the end, and a little for effort.
#[differentiable]
fn cost(controls: &Array1<f64>) -> f64 {
    let mut state = [0.0, 0.0];
    let mut effort = 0.0;
    for &control in controls {
        let torque = MOST * control.tanh();
        state = moved(state, torque);
        effort += STEP * torque * torque;
    }
    (state[0] - PI).powi(2) + 0.5 * state[1].powi(2) + 1e-3 * effort
}

pub fn run(run: &Run) -> Outcome {
    let mut random = Random(1);
    let mut controls = Array1::from_shape_simple_fn(250, || 0.1 * random.normal());
    let mut adam = Adam::new(0.02);
    let steps = if run.is_short { 500 } else { 3000 };
    let progress = run.progress(steps + 1);
    for step in 0..=steps {
        let (value, gradient) = cost_value_and_grad(&controls);
        adam.step(&mut controls, &gradient);
        if step % (steps / 5) == 0 {
            progress.say(&format!("step {step:4}: cost {value:.4}"));
        }
        progress.step();
    }
    drop(progress);

    let mut state = [0.0, 0.0];
    let torques = controls.mapv(|c| MOST * c.tanh());
    let angles: Vec<f64> = (torques.iter())
        .map(|&torque| {
            state = moved(state, torque);
            state[0]
        })
        .collect();
    println!(
        "   at the end: angle {:.3} π, speed {:.3}",
        state[0] / PI,
        state[1]
    );
    assert!(run.is_short || (state[0] - PI).abs() < 0.05 && state[1].abs() < 0.1);

    let path = run.picture("pendulum.svg");
    let picture = canvas(&path, (700, 500))?;
    let (upper, lower) = stacked(&picture, 280);
    let time = |k: usize| STEP * (k + 1) as f64;
    let end = STEP * angles.len() as f64;
    let caption = "A pendulum swings up with a weak motor";
    let angle_range = (-2.0..4.0, "angle, radians");
    let mut chart_of_angles = chart(&upper, caption, (0.0..end, "time, s"), angle_range)?;
    let upright = [(0.0, PI), (end, PI)];
    curve(&mut chart_of_angles, "upside down", GREY, upright)?;
    let line = angles
        .iter()
        .enumerate()
        .map(|(k, &angle)| (time(k), angle));
    curve(&mut chart_of_angles, "pendulum", BLUE, line)?;
    legend(&mut chart_of_angles, SeriesLabelPosition::MiddleLeft)?;
    let torque_range = (-4.5..4.5, "torque, N m");
    let mut chart_of_torques = chart(&lower, "", (0.0..end, "time, s"), torque_range)?;
    let line = torques
        .iter()
        .enumerate()
        .map(|(k, &torque)| (time(k), torque));
    curve(&mut chart_of_torques, "", ORANGE, line)?;
    finish(&picture, &path)
}
