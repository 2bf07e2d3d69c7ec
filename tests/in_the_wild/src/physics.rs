//! Physics: particles, waves, diffusion, rays.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, s};

/// A point in space.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Vec3 {
    x: f64,
    y: f64,
    z: f64,
}

/// A body.
#[derive(Clone, Debug, Differentiable)]
pub struct Body {
    position: Vec3,
    velocity: Vec3,
    mass: f64,
    id: usize,
}

#[differentiable(grad)]
fn lennard_jones(positions: &[[f64; 3]], epsilon: f64, sigma: f64) -> f64 {
    let mut e = 0.0;
    for i in 0..positions.len() {
        for j in (i + 1)..positions.len() {
            let mut r2 = 0.0;
            for k in 0..3 {
                let d = positions[i][k] - positions[j][k];
                r2 += d * d;
            }
            let s6 = (sigma * sigma / r2).powi(3);
            e += 4.0 * epsilon * (s6 * s6 - s6);
        }
    }
    e
}

#[differentiable(grad)]
fn heat(u0: &Array1<f64>, alpha: f64, steps: usize) -> f64 {
    let mut u = u0.clone();
    let n = u.len();
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 1..n - 1 {
            next[i] = u[i] + alpha * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
        u = next;
    }
    u.iter().map(|v| v * v).sum()
}

#[differentiable(grad)]
fn wave(u0: &Array1<f64>, c: f64, steps: usize) -> f64 {
    let n = u0.len();
    let (mut previous, mut current) = (u0.clone(), u0.clone());
    for _ in 0..steps {
        let mut next = Array1::zeros(n);
        for i in 1..n - 1 {
            next[i] = 2.0 * current[i] - previous[i]
                + c * c * (current[i + 1] - 2.0 * current[i] + current[i - 1]);
        }
        std::mem::swap(&mut previous, &mut current);
        current = next;
    }
    current.dot(&current)
}

#[differentiable(grad)]
fn verlet(x0: &Vec<f64>, v0: &Vec<f64>, k: f64, dt: f64) -> f64 {
    let mut x = x0.clone();
    let mut v = v0.clone();
    let mut a: Vec<f64> = x.iter().map(|x| -k * x).collect();
    for _ in 0..10 {
        for ((x, v), a) in x.iter_mut().zip(v.iter_mut()).zip(a.iter_mut()) {
            *v += 0.5 * dt * *a;
            *x += dt * *v;
            *a = -k * *x;
            *v += 0.5 * dt * *a;
        }
    }
    x.iter().zip(&v).map(|(x, v)| x * x + v * v * 0.5).sum()
}

#[differentiable(grad)]
fn rk4_pendulum(theta: f64, omega: f64, length: f64) -> f64 {
    let dt = 0.05;
    let f = |s: [f64; 2]| [s[1], -9.81 / length * s[0].sin()];
    let mut s = [theta, omega];
    for _ in 0..20 {
        let k1 = f(s);
        let k2 = f([s[0] + 0.5 * dt * k1[0], s[1] + 0.5 * dt * k1[1]]);
        let k3 = f([s[0] + 0.5 * dt * k2[0], s[1] + 0.5 * dt * k2[1]]);
        let k4 = f([s[0] + dt * k3[0], s[1] + dt * k3[1]]);
        for (i, si) in s.iter_mut().enumerate() {
            *si += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    s[0] * s[0] + s[1]
}

#[differentiable(grad)]
fn ising_mean_field(m: &Array2<f64>, j: f64) -> f64 {
    let (rows, cols) = m.dim();
    let mut e = 0.0;
    for ((r, c), s) in m.indexed_iter() {
        let right = m[[r, (c + 1) % cols]];
        let down = m[[(r + 1) % rows, c]];
        e -= j * s * (right + down);
    }
    e
}

#[differentiable(grad)]
fn chain_of_joints(angles: &[f64], lengths: &[f64]) -> f64 {
    let mut heading = 0.0;
    let mut tip = [0.0; 2];
    for (a, l) in angles.iter().zip(lengths) {
        heading += a;
        tip[0] += l * heading.cos();
        tip[1] += l * heading.sin();
    }
    let [x, y] = tip;
    (x - 1.0).hypot(y - 0.5)
}

#[differentiable(grad)]
fn symplectic(q0: &[f64; 2], p0: &[f64; 2]) -> f64 {
    let mut q = *q0;
    let mut p = *p0;
    for _ in 0..8 {
        let r3 = (q[0] * q[0] + q[1] * q[1]).powf(1.5);
        for (p, q) in p.iter_mut().zip(q.iter()) {
            *p -= 0.1 * q / r3;
        }
        for (q, p) in q.iter_mut().zip(&p) {
            *q += 0.1 * p;
        }
    }
    q[0] * p[1] - q[1] * p[0] + q[0]
}

#[differentiable(grad)]
fn laplace_smoothing(field: &Array2<f64>, sweeps: usize) -> f64 {
    let mut f = field.clone();
    for _ in 0..sweeps {
        let old = f.clone();
        let mut inner = f.slice_mut(s![1..-1, 1..-1]);
        inner.assign(
            &((&old.slice(s![..-2, 1..-1])
                + &old.slice(s![2.., 1..-1])
                + &old.slice(s![1..-1, ..-2])
                + &old.slice(s![1..-1, 2..]))
                * 0.25),
        );
    }
    (&f * &f).sum()
}

impl crate::harness::Numbers for Body {
    fn numbers(&self) -> Vec<f64> {
        let (p, v) = (&self.position, &self.velocity);
        vec![p.x, p.y, p.z, v.x, v.y, v.z, self.mass]
    }
    fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Body {
        let mut next = || from.next().unwrap();
        let position = Vec3 {
            x: next(),
            y: next(),
            z: next(),
        };
        let velocity = Vec3 {
            x: next(),
            y: next(),
            z: next(),
        };
        Body {
            position,
            velocity,
            mass: next(),
            id: self.id,
        }
    }
}

fn body(id: usize) -> Body {
    let at = Vec3 {
        x: id as f64,
        y: 0.3,
        z: -0.2 * id as f64,
    };
    let velocity = Vec3 {
        x: 0.1,
        y: -0.4,
        z: 0.2,
    };
    Body {
        position: at,
        velocity,
        mass: 1.0 + 0.5 * id as f64,
        id,
    }
}

#[differentiable(grad)]
fn trajectory(v0: f64, angle: f64, drag: f64) -> f64 {
    let mut path = Vec::with_capacity(20);
    let (mut x, mut y) = (0.0, 0.0);
    let (mut vx, mut vy) = (v0 * angle.cos(), v0 * angle.sin());
    for _ in 0..20 {
        let speed = (vx * vx + vy * vy).sqrt();
        vx -= 0.01 * drag * speed * vx;
        vy -= 0.01 * (9.81 + drag * speed * vy);
        x += 0.01 * vx;
        y += 0.01 * vy;
        path.push(x * x + y * y);
    }
    path.iter().sum::<f64>() / path.len() as f64
}

#[differentiable(grad)]
fn cumulative(x: &[f64]) -> f64 {
    let mut sums = Vec::new();
    let mut total = 0.0;
    for v in x {
        total += v;
        sums.push(total);
    }
    sums.iter().map(|s| s * s).sum::<f64>() + sums.last().unwrap()
}

#[differentiable(grad)]
fn gravity_energy(bodies: &[Body]) -> f64 {
    let mut energy = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        let v = &a.velocity;
        energy += 0.5 * a.mass * (v.x * v.x + v.y * v.y + v.z * v.z);
        for b in &bodies[i + 1..] {
            let dx = a.position.x - b.position.x;
            let dy = a.position.y - b.position.y;
            let dz = a.position.z - b.position.z;
            energy -= a.mass * b.mass / (dx * dx + dy * dy + dz * dz).sqrt();
        }
    }
    energy
}

#[differentiable(grad)]
fn coulomb(charges: &[(f64, [f64; 2])]) -> f64 {
    let mut e = 0.0;
    for (i, (qi, ri)) in charges.iter().enumerate() {
        for (qj, rj) in charges.iter().take(i) {
            let d = ((ri[0] - rj[0]).powi(2) + (ri[1] - rj[1]).powi(2)).sqrt();
            e += qi * qj / d;
        }
    }
    e
}

#[differentiable(grad)]
fn thin_lens(rays: &[(f64, f64)], focal: f64, distance: f64) -> f64 {
    rays.iter()
        .map(|&(y, u)| {
            let (y, u) = (y, u - y / focal);
            let y = y + distance * u;
            y * y
        })
        .sum::<f64>()
        .sqrt()
}

#[differentiable(grad)]
fn bond_lengths(positions: &Array2<f64>, bonds: &[(usize, usize)], rest: f64) -> f64 {
    bonds
        .iter()
        .map(|&(i, j)| {
            let d = &positions.row(i) - &positions.row(j);
            (d.dot(&d).sqrt() - rest).powi(2)
        })
        .sum()
}

tests! {
    cumulative_is: cumulative, cumulative_value_and_grad, x: list(5) => (&x);
    trajectory_is: trajectory, trajectory_value_and_grad, v: 10.0, a: 0.7, d: 0.1 => (v, a, d);
    lennard_jones_is: lennard_jones, lennard_jones_value_and_grad, r: vec![[0.0, 0.1, 0.2], [1.1, 0.0, 0.3], [0.2, 1.2, 0.0]], e: 0.8, s: 1.1 => (&r, e, s);
    heat_is: heat, heat_value_and_grad, u: vector(6), a: 0.2 => (&u, a, 4);
    wave_is: wave, wave_value_and_grad, u: vector(6), c: 0.5 => (&u, c, 4);
    verlet_is: verlet, verlet_value_and_grad, x: list(3), v: list(3), k: 1.3, dt: 0.1 => (&x, &v, k, dt);
    pendulum_is: rk4_pendulum, rk4_pendulum_value_and_grad, t: 0.4, o: 0.1, l: 1.2 => (t, o, l);
    ising_is: ising_mean_field, ising_mean_field_value_and_grad, m: matrix(3, 4), j: 0.6 => (&m, j);
    joints_are: chain_of_joints, chain_of_joints_value_and_grad, a: list(4), l: list(4) => (&a, &l);
    symplectic_is: symplectic, symplectic_value_and_grad, q: [1.0, 0.2], p: [0.1, 0.9] => (&q, &p);
    smoothing_is: laplace_smoothing, laplace_smoothing_value_and_grad, f: matrix(5, 6) => (&f, 3);
    gravity_is: gravity_energy, gravity_energy_value_and_grad, b: vec![body(0), body(1), body(2)] => (&b);
    coulomb_is: coulomb, coulomb_value_and_grad, c: vec![(1.0, [0.0, 0.1]), (-1.0, [1.0, 0.2]), (0.5, [0.3, 1.1])] => (&c);
    thin_lens_is: thin_lens, thin_lens_value_and_grad, r: vec![(0.1, 0.2), (0.5, -0.1)], f: 1.5, d: 2.0 => (&r, f, d);
    bonds_are: bond_lengths, bond_lengths_value_and_grad, p: matrix(4, 3), r: 0.8 => (&p, &[(0, 1), (1, 3)], r);
}
