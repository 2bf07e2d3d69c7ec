//! Transforms, steppers, controllers and orbits, as textbooks write them.

use cotangent::prelude::*;
use std::f64::consts::PI;

#[differentiable]
pub(crate) fn fft(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j ^= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut len = 2;
    while len <= n {
        let ang = -2.0 * PI / len as f64;
        for i in (0..n).step_by(len) {
            for k in 0..len / 2 {
                let (wr, wi) = ((ang * k as f64).cos(), (ang * k as f64).sin());
                let (a, b) = (i + k, i + k + len / 2);
                let tr = re[b] * wr - im[b] * wi;
                let ti = re[b] * wi + im[b] * wr;
                re[b] = re[a] - tr;
                im[b] = im[a] - ti;
                re[a] += tr;
                im[a] += ti;
            }
        }
        len <<= 1;
    }
}

#[differentiable]
pub(crate) fn band_power(x: &[f64], lo: usize, hi: usize) -> f64 {
    let mut re = x.to_vec();
    let mut im = vec![0.0; x.len()];
    fft(&mut re, &mut im);
    (lo..hi).map(|k| re[k].powi(2) + im[k].powi(2)).sum()
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

#[differentiable]
impl std::ops::Add for Complex {
    type Output = Complex;
    #[differentiable]
    fn add(self, o: Complex) -> Complex {
        Complex {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
}
#[differentiable]
impl std::ops::Sub for Complex {
    type Output = Complex;
    #[differentiable]
    fn sub(self, o: Complex) -> Complex {
        Complex {
            re: self.re - o.re,
            im: self.im - o.im,
        }
    }
}
#[differentiable]
impl std::ops::Mul for Complex {
    type Output = Complex;
    #[differentiable]
    fn mul(self, o: Complex) -> Complex {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

#[differentiable]
pub(crate) fn dft_power(x: &[f64]) -> f64 {
    let n = x.len();
    let mut out = Vec::with_capacity(n);
    for k in 0..n {
        let mut sum = Complex { re: 0.0, im: 0.0 };
        for (t, &v) in x.iter().enumerate() {
            let angle = -2.0 * PI * (k * t) as f64 / n as f64;
            sum = sum
                + Complex {
                    re: v * angle.cos(),
                    im: v * angle.sin(),
                };
        }
        out.push(sum);
    }
    out.iter()
        .enumerate()
        .map(|(k, c)| k as f64 * (c.re * c.re + c.im * c.im))
        .sum()
}

#[differentiable]
pub(crate) fn rk45_step(
    f: impl Fn(f64, &[f64]) -> Vec<f64>,
    t: f64,
    y: &[f64],
    h: f64,
) -> (Vec<f64>, f64) {
    let n = y.len();
    let k1 = f(t, y);
    let y2: Vec<f64> = (0..n).map(|i| y[i] + h * k1[i] / 4.0).collect();
    let k2 = f(t + h / 4.0, &y2);
    let y3: Vec<f64> = (0..n)
        .map(|i| y[i] + h * (3.0 / 32.0 * k1[i] + 9.0 / 32.0 * k2[i]))
        .collect();
    let k3 = f(t + 3.0 * h / 8.0, &y3);
    let ynew: Vec<f64> = (0..n)
        .map(|i| y[i] + h * (k1[i] + 4.0 * k3[i]) / 6.0)
        .collect();
    let err = (0..n)
        .map(|i| (h * (k1[i] - k3[i])).powi(2))
        .sum::<f64>()
        .sqrt();
    (ynew, err)
}

#[differentiable]
pub(crate) fn lotka_volterra(p: &[f64; 4], y0: &[f64], t_end: f64, tol: f64) -> f64 {
    let rhs = |_t: f64, y: &[f64]| {
        vec![
            p[0] * y[0] - p[1] * y[0] * y[1],
            -p[2] * y[1] + p[3] * y[0] * y[1],
        ]
    };
    let mut t = 0.0;
    let mut y = y0.to_vec();
    let mut h = 0.01;
    while t < t_end {
        if t + h > t_end {
            h = t_end - t;
        }
        let (ynew, err) = rk45_step(&rhs, t, &y, h);
        if err <= tol {
            t += h;
            y = ynew;
        }
        let factor = 0.9 * (tol / err.max(1e-12)).powf(0.25);
        h *= factor.clamp(0.2, 5.0);
    }
    y[0]
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct Pid {
    pub(crate) kp: f64,
    pub(crate) ki: f64,
    pub(crate) kd: f64,
    integral: f64,
    prev_error: Option<f64>,
    limit: f64,
}

#[differentiable]
impl Pid {
    #[differentiable]
    fn new(kp: f64, ki: f64, kd: f64, limit: f64) -> Self {
        Self {
            kp,
            ki,
            kd,
            integral: 0.0,
            prev_error: None,
            limit,
        }
    }
    #[differentiable]
    fn update(&mut self, setpoint: f64, measurement: f64, dt: f64) -> f64 {
        let error = setpoint - measurement;
        self.integral += error * dt;
        let derivative = match self.prev_error {
            Some(prev) => (error - prev) / dt,
            None => 0.0,
        };
        self.prev_error = Some(error);
        let output = self.kp * error + self.ki * self.integral + self.kd * derivative;
        output.clamp(-self.limit, self.limit)
    }
}

#[differentiable]
pub(crate) fn pid_cost(kp: f64, ki: f64, kd: f64, steps: usize) -> f64 {
    let mut pid = Pid::new(kp, ki, kd, 10.0);
    let (mut pos, mut vel) = (0.0, 0.0);
    let dt = 0.05;
    let mut cost = 0.0;
    for _ in 0..steps {
        let u = pid.update(1.0, pos, dt);
        let acc = u - 0.5 * vel;
        vel += acc * dt;
        pos += vel * dt;
        cost += (1.0 - pos).powi(2) * dt;
    }
    cost
}

#[differentiable]
pub(crate) fn kepler_solve(mean_anomaly: f64, e: f64) -> f64 {
    let mut ea = if e < 0.8 { mean_anomaly } else { PI };
    for _ in 0..50 {
        let delta = (ea - e * ea.sin() - mean_anomaly) / (1.0 - e * ea.cos());
        ea -= delta;
        if delta.abs() < 1e-12 {
            break;
        }
    }
    ea
}

#[differentiable]
pub(crate) fn elements_to_state(
    a: f64,
    e: f64,
    i: f64,
    raan: f64,
    argp: f64,
    m: f64,
    mu: f64,
) -> ([f64; 3], [f64; 3]) {
    let ea = kepler_solve(m, e);
    let nu = 2.0 * ((1.0 + e).sqrt() * (ea / 2.0).sin()).atan2((1.0 - e).sqrt() * (ea / 2.0).cos());
    let r = a * (1.0 - e * ea.cos());
    let p = a * (1.0 - e * e);
    let h = (mu * p).sqrt();
    let (so, co) = raan.sin_cos();
    let (su, cu) = (argp + nu).sin_cos();
    let (si, ci) = i.sin_cos();
    let pos = [
        r * (co * cu - so * su * ci),
        r * (so * cu + co * su * ci),
        r * (si * su),
    ];
    let mut vel = [0.0; 3];
    vel[0] = pos[0] * h * e / (r * p) * nu.sin() - h / r * (co * su + so * cu * ci);
    vel[1] = pos[1] * h * e / (r * p) * nu.sin() - h / r * (so * su - co * cu * ci);
    vel[2] = pos[2] * h * e / (r * p) * nu.sin() + h / r * si * cu;
    (pos, vel)
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct Body {
    pub(crate) pos: [f64; 3],
    pub(crate) vel: [f64; 3],
    pub(crate) mass: f64,
}

#[differentiable]
pub(crate) fn total_energy(bodies: &[Body]) -> f64 {
    let mut e = 0.0;
    for (i, b) in bodies.iter().enumerate() {
        e += 0.5 * b.mass * b.vel.iter().map(|v| v * v).sum::<f64>();
        for b2 in &bodies[i + 1..] {
            let mut d2 = 0.0;
            for k in 0..3 {
                let d = b.pos[k] - b2.pos[k];
                d2 += d * d;
            }
            e -= b.mass * b2.mass / d2.sqrt();
        }
    }
    e
}

#[differentiable]
pub(crate) fn advance(bodies: &mut Vec<Body>, dt: f64) {
    let n = bodies.len();
    for i in 0..n {
        for j in (i + 1)..n {
            let mut d = [0.0; 3];
            for k in 0..3 {
                d[k] = bodies[i].pos[k] - bodies[j].pos[k];
            }
            let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let mag = dt / (d2 * d2.sqrt());
            let (mi, mj) = (bodies[i].mass, bodies[j].mass);
            for k in 0..3 {
                bodies[i].vel[k] -= d[k] * mj * mag;
                bodies[j].vel[k] += d[k] * mi * mag;
            }
        }
    }
    for b in bodies.iter_mut() {
        for k in 0..3 {
            b.pos[k] += dt * b.vel[k];
        }
    }
}

#[differentiable(allow(loop_memory))]
pub(crate) fn simulate(bodies: &[Body], dt: f64, steps: usize) -> f64 {
    let mut bodies = bodies.to_vec();
    for _ in 0..steps {
        advance(&mut bodies, dt);
    }
    bodies[0].pos[0]
}

#[differentiable]
fn state_sum(a: f64, e: f64, i: f64, o: f64, w: f64, m: f64) -> f64 {
    let (p, v) = elements_to_state(a, e, i, o, w, m, 1.3);
    p[0] + 2.0 * p[1] + 3.0 * p[2] + v[0] - v[1] + 0.5 * v[2]
}

tests! {
    band_agrees: band_power, band_power_value_and_grad, x: list(8) => (&x, 1, 4);
    dft_agrees: dft_power, dft_power_value_and_grad, x: list(6) => (&x);
    lotka_agrees: lotka_volterra, lotka_volterra_value_and_grad, p: [1.1, 0.4, 0.4, 0.1], y: vec![10.0, 5.0], e: 0.3, t: 1e3 => (&p, &y, e, t);
    pid_agrees: pid_cost, pid_cost_value_and_grad, kp: 2.0, ki: 0.3, kd: 0.2 => (kp, ki, kd, 20);
    orbit_agrees: state_sum, state_sum_value_and_grad, a: 1.5, e: 0.3, i: 0.4, o: 0.5, w: 0.6, m: 0.7 => (a, e, i, o, w, m);
}
