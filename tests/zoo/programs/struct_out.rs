//! A body moves by one step: a struct goes in, the same comes out, with its number of steps.
//!
//! @ body.place: [3]; body.speed: [3]; body.steps: 4; body.mass: 2.0; force: [3]; dt: 0.1
//! @ body.place: [3]; body.speed: [3]; body.steps: 0; body.mass: 0.5; force: [3]; dt: -0.3

use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
pub struct Body {
    pub place: [f64; 3],
    pub speed: [f64; 3],
    pub steps: usize,
    pub mass: f64,
}

#[differentiable(value, vjp, jvp)]
pub fn struct_out(body: Body, force: [f64; 3], dt: f64) -> Body {
    let pushed = |k: usize| body.speed[k] + force[k] / body.mass * dt;
    let speed = [pushed(0), pushed(1), pushed(2)];
    let place = [
        body.place[0] + speed[0] * dt,
        body.place[1] + speed[1] * dt,
        body.place[2] + speed[2] * dt,
    ];
    Body {
        place,
        speed,
        steps: body.steps + 1,
        ..body
    }
}
