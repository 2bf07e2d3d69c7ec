//! Lists of structs and of tuples: as arguments, results and fields.

#![deny(warnings, missing_docs, clippy::all)]
#![allow(
    clippy::ptr_arg,
    clippy::needless_range_loop,
    clippy::useless_vec,
    reason = "lists are written in every way"
)]

use cotangent::ndarray::Array2;
use cotangent::prelude::*;
use cotangent::{Parameters, Workspace};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Vec3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Body {
    mass: f64,
    id: usize,
    position: Vec3,
    velocity: (f64, f64),
    shape: [f64; 2],
    on: bool,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Scene {
    gain: f64,
    bodies: Vec<Body>,
    marks: Vec<(f64, u32)>,
}

#[differentiable(grad, into)]
fn energy(bodies: &[Body]) -> f64 {
    let mut energy = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        energy += 0.5 * a.mass * (a.velocity.0 * a.velocity.0 + a.velocity.1);
        for b in &bodies[i + 1..] {
            let (dx, dy) = (a.position.x - b.position.x, a.position.y - b.position.y);
            energy -= a.mass * b.mass / (1.0 + dx * dx + dy * dy + a.shape[0]).sqrt();
        }
    }
    energy
}

#[differentiable]
fn length(p: &Vec3) -> f64 {
    (p.x * p.x + p.y * p.y + p.z * p.z + 1.0).sqrt()
}

#[differentiable]
fn path(points: &Vec<Vec3>, w: &[f64], k: usize) -> f64 {
    let mut total = if points.is_empty() {
        0.0
    } else {
        length(&points[k])
    };
    for i in 0..points.len() {
        total += length(&points[i]) * w[i];
    }
    for (p, q) in points.iter().zip(points.iter().skip(1)) {
        total += p.x * q.y;
    }
    for pair in points.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        total += (a.x - b.x).powi(2);
    }
    let middle: f64 = points[k..].iter().map(|p| p.z * p.z).sum();
    total + middle + points.last().map_or(0.0, |p| p.z) + points.len() as f64
}

#[differentiable(vjp, jvp)]
fn advance(bodies: &[Body], dt: f64) -> Vec<Body> {
    bodies
        .iter()
        .map(|b| {
            let y = b.position.y + dt * b.velocity.1 * b.mass;
            let position = Vec3 {
                x: b.position.x + dt * b.velocity.0,
                y,
                ..b.position.clone()
            };
            Body {
                position,
                mass: b.mass * y.cos(),
                ..b.clone()
            }
        })
        .collect()
}

#[differentiable]
fn after_a_step(bodies: &[Body], dt: f64) -> f64 {
    let next = advance(bodies, dt);
    let mut all = bodies.to_vec();
    for _ in 0..3 {
        all = advance(&all, dt);
    }
    energy(&next) + energy(&bodies[1..]) + energy(&all)
}

#[differentiable]
fn of_scene(s: &Scene) -> f64 {
    let mut t = s.gain;
    for b in &s.bodies {
        t += b.mass * s.gain + b.shape[0] * b.shape[1];
    }
    for (m, k) in s.marks.iter() {
        t += m * m * (*k as f64);
    }
    t
}

#[differentiable]
fn pairs(x: &[f64]) -> Vec<(f64, f64)> {
    x.iter().map(|v| (3.0 * v, v * v)).collect()
}

#[differentiable(grad, hvp)]
fn by_value(points: Vec<Vec3>, scale: f64) -> f64 {
    let first = vec![(scale, 1.0), (2.0, scale)];
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().map(|p| (p.x, p.y)).unzip();
    let dot: f64 = xs.iter().zip(&ys).map(|(x, y)| x * y).sum();
    dot + points.iter().map(length).sum::<f64>() + first.iter().map(|(a, b)| a * b).sum::<f64>()
}

#[differentiable(jacobian, linearize)]
fn moments(points: &[(f64, [f64; 2])]) -> [f64; 2] {
    let mut m = [0.0; 2];
    for (w, at) in points {
        m[0] += w * at[0];
        m[1] += w * w * at[1];
    }
    m
}

#[differentiable(noinline)]
fn spread(points: &[(f64, [f64; 2])], power: i32) -> f64 {
    points
        .iter()
        .map(|(w, at)| w.powi(power) * at[0] * at[1])
        .sum()
}

#[differentiable]
fn of_unit(points: &[(f64, [f64; 2])], scale: f64) -> f64 {
    let scaled: Vec<_> = points.iter().map(|&(w, at)| (w * scale, at)).collect();
    spread(&scaled, 2) * scale
}

#[differentiable]
fn bonds(positions: &Array2<f64>, bonds: &[(usize, usize)], rest: f64) -> f64 {
    let stretch = |&(i, j): &(usize, usize)| {
        let d = &positions.row(i) - &positions.row(j);
        (d.dot(&d).sqrt() - rest).powi(2)
    };
    bonds.iter().map(stretch).sum()
}

/// Compares a gradient with central differences.
fn check<P: Parameters<f64> + Clone>(name: &str, p: &P, f: impl Fn(&P) -> f64, gradient: &P) {
    let (flat, g) = (p.to_flat(), gradient.to_flat());
    assert_eq!(flat.len(), g.len(), "{name}");
    for i in (0..flat.len()).step_by(1 + flat.len() / 40) {
        let at = |by: f64| {
            let (mut moved, mut p) = (flat.clone(), p.clone());
            moved[i] += by;
            p.read_from(&moved);
            f(&p)
        };
        let d = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!(
            (d - g[i]).abs() < 1e-4 * (1.0 + d.abs()),
            "{name}[{i}]: {d} and {}",
            g[i]
        );
    }
}

fn point(k: usize) -> Vec3 {
    let k = k as f64;
    Vec3 {
        x: (k * 1.3).sin() * 3.0,
        y: (k * 0.7).cos() * 3.0,
        z: (k + 0.3).sin(),
    }
}

fn body(k: usize) -> Body {
    let p = point(k + 7);
    Body {
        mass: 1.0 + (k as f64).sin().abs(),
        id: k,
        position: point(k),
        velocity: (p.x, p.y),
        shape: [0.3, p.z],
        on: k < 5,
    }
}

const SIZES: [usize; 5] = [0, 1, 9, 65, 300];

#[test]
fn gradients_of_lists_of_structs() {
    for n in SIZES {
        let bodies: Vec<Body> = (0..n).map(body).collect();
        let (value, g) = energy_value_and_grad(&bodies);
        assert!((value - energy(&bodies)).abs() < 1e-9 * (1.0 + value.abs()));
        assert!((g.iter().zip(&bodies)).all(|(g, b)| g.id == b.id && g.on == b.on));
        check("energy", &bodies, |b| energy(b), &g);
        let mut room = bodies.clone();
        energy_grad_into(&bodies, &mut room, &mut Workspace::default());
        assert_eq!(room, g);

        let points: Vec<Vec3> = (0..n).map(point).collect();
        let w: Vec<f64> = (0..n).map(|k| k as f64 / (n as f64)).collect();
        let g = path_grad(&points, &w, n / 2);
        check("path", &(points.clone(), w), |(p, w)| path(p, w, n / 2), &g);
        let g = by_value_grad(points.clone(), 0.4);
        let both = (points, 0.4);
        check("by value", &both, |(p, s)| by_value(p.clone(), *s), &g);
        if n > 0 {
            let g = after_a_step_grad(&bodies, 0.1);
            let both = (bodies.clone(), 0.1);
            check("steps", &both, |(b, t)| after_a_step(b, *t), &g);
        }
        let marks = (0..n as u32).map(|k| (0.1, k)).collect();
        let scene = Scene {
            gain: 0.4,
            bodies,
            marks,
        };
        check("scene", &scene, of_scene, &of_scene_grad(&scene));
    }
}

#[test]
fn lists_are_results() {
    for n in SIZES {
        let bodies: Vec<Body> = (0..n).map(body).collect();
        let (next, (by_bodies, by_dt)) = advance_vjp(&bodies, 0.1, &bodies);
        let (next, expected) = (next.to_flat(), advance(&bodies, 0.1).to_flat());
        assert!((next.iter().zip(expected)).all(|(a, b)| (a - b).abs() < 1e-12));
        let (_, tangent) = advance_jvp(&bodies, 0.1, &bodies, 0.3);
        assert!((tangent.iter().zip(&bodies)).all(|(t, b)| t.id == b.id && t.on == b.on));
        let (forward, back) = (
            tangent.inner(&bodies),
            by_bodies.inner(&bodies) + by_dt * 0.3,
        );
        assert!((forward - back).abs() < 1e-9 * (1.0 + forward.abs()));

        let x: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let (value, g) = pairs_vjp(&x, &vec![(1.0, 2.0); n]);
        assert_eq!(value, pairs(&x));
        assert!((g.iter().zip(&x)).all(|(g, x)| (g - 3.0 - 4.0 * x).abs() < 1e-9));
    }
}

#[test]
fn other_derivatives_of_lists() {
    let points = vec![(2.0, [3.0, 5.0]), (0.5, [1.0, 4.0])];
    let j: [Vec<(f64, [f64; 2])>; 2] = moments_jacobian(&points);
    assert_eq!(j[0], [(3.0, [2.0, 0.0]), (1.0, [0.5, 0.0])]);
    assert_eq!(j[1], [(20.0, [0.0, 4.0]), (4.0, [0.0, 0.25])]);
    let (value, linear) = moments_linearize(&points);
    assert_eq!(value, moments(&points));
    assert_eq!(linear.vjp(&[1.0, 0.0]), j[0]);
    assert_eq!(linear.jvp(&points), [13.0, 63.0]);

    let g = of_unit_grad(&points, 0.7);
    check("unit", &(points, 0.7), |(p, s)| of_unit(p, *s), &g);

    let points: Vec<Vec3> = (0..5).map(point).collect();
    let (h, _) = by_value_hvp(points.clone(), 0.4, points.clone(), 0.0);
    let along = |by: f64| {
        let mut moved = points.clone();
        moved.add_scaled(by, &points);
        by_value_grad(moved, 0.4).0
    };
    let (a, b) = (along(1e-5).to_flat(), along(-1e-5).to_flat());
    for ((a, b), h) in a.iter().zip(&b).zip(h.to_flat()) {
        assert!(((a - b) / 2e-5 - h).abs() < 1e-5);
    }
}

#[test]
fn lists_of_integers_are_constants() {
    let at = Array2::from_shape_fn((4, 3), |(i, j)| (i * 3 + j) as f64 * 0.37 % 1.0);
    let pairs = [(0, 1), (1, 3)];
    let g = bonds_grad(&at, &pairs, 0.8);
    check("bonds", &(at, 0.8), |(p, r)| bonds(p, &pairs, *r), &g);
}

#[test]
#[should_panic(expected = "`points` has 3 elements but k + 1 is 4")]
fn an_element_outside_is_no_element() {
    let _ = path_grad(&(0..3).map(point).collect(), &[0.0; 3], 3);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Marked {
    id: usize,
    at: f64,
    size: f64,
}

#[differentiable(jvp)]
fn total(marks: &[Marked]) -> f64 {
    marks.iter().map(|m| m.at * m.size).sum()
}

#[test]
#[should_panic(expected = "`marks_tangent` has 1 elements but `marks` has 2 elements")]
fn tangents_have_the_length_of_their_list() {
    let mark = Marked {
        id: 3,
        at: 0.5,
        size: 2.0,
    };
    let _ = total_jvp(&[mark.clone(), mark.clone()], &[mark]);
}
