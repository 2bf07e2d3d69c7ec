//! Engineering: chemistry, circuits, control, structures, astronomy.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, array};

const R: f64 = 8.314;

#[differentiable(grad)]
fn arrhenius(a: f64, activation: f64, temperature: f64) -> f64 {
    a * (-activation / (R * temperature)).exp()
}

#[differentiable(grad)]
fn van_der_waals(volume: f64, temperature: f64, a: f64, b: f64) -> f64 {
    R * temperature / (volume - b) - a / volume.powi(2)
}

#[differentiable(grad)]
fn michaelis_menten(substrate: &[f64], rates: &[f64], vmax: f64, km: f64) -> f64 {
    let mut sse = 0.0;
    for (s, v) in substrate.iter().zip(rates.iter()) {
        let predicted = vmax * s / (km + s);
        sse += (predicted - v).powi(2);
    }
    sse
}

#[differentiable(grad)]
fn robertson(k: &[f64; 3], steps: usize) -> f64 {
    let mut y = [1.0, 0.0, 0.0];
    let dt = 1e-3;
    for _ in 0..steps {
        let r1 = k[0] * y[0];
        let r2 = k[1] * y[1] * y[2];
        let r3 = k[2] * y[1] * y[1];
        y = [
            y[0] + dt * (r2 - r1),
            y[1] + dt * (r1 - r2 - r3),
            y[2] + dt * r3,
        ];
    }
    y[2]
}

#[differentiable(grad)]
fn lotka_volterra(rates: &[f64; 4], start: (f64, f64), steps: usize) -> f64 {
    let [alpha, beta, delta, gamma] = *rates;
    let (mut prey, mut predators) = start;
    let dt = 0.01;
    for _ in 0..steps {
        let dx = alpha * prey - beta * prey * predators;
        let dy = delta * prey * predators - gamma * predators;
        prey += dt * dx;
        predators += dt * dy;
    }
    prey - predators
}

#[differentiable(grad)]
fn sir_peak(beta: f64, gamma: f64, days: usize) -> f64 {
    let (mut s, mut i, mut r) = (0.99, 0.01, 0.0);
    let mut peak: f64 = 0.0;
    for _ in 0..days {
        let infected = beta * s * i;
        let recovered = gamma * i;
        s -= infected;
        i += infected - recovered;
        r += recovered;
        peak = peak.max(i);
    }
    peak + 0.1 * r
}

#[differentiable(grad)]
fn rc_low_pass(signal: &[f64], resistance: f64, capacitance: f64) -> f64 {
    let dt = 0.01;
    let alpha = dt / (resistance * capacitance + dt);
    let mut out = Vec::with_capacity(signal.len());
    let mut previous = 0.0;
    for &x in signal {
        previous += alpha * (x - previous);
        out.push(previous);
    }
    out.iter().map(|v| v.powi(2)).sum::<f64>()
}

#[differentiable(grad)]
fn diode_current(voltage: f64, saturation: f64, resistance: f64) -> f64 {
    let vt = 0.025852;
    let mut v = 0.1;
    for _ in 0..20 {
        let f = saturation * ((v / vt).exp() - 1.0) - (voltage - v) / resistance;
        let df = saturation / vt * (v / vt).exp() + 1.0 / resistance;
        v -= f / df;
    }
    (voltage - v) / resistance
}

#[differentiable(grad)]
fn pid(gains: &[f64; 3], setpoint: f64, steps: usize) -> f64 {
    let (kp, ki, kd) = (gains[0], gains[1], gains[2]);
    let mut x = 0.0;
    let mut integral = 0.0;
    let mut last_error = setpoint;
    let mut cost = 0.0;
    for _ in 0..steps {
        let error = setpoint - x;
        integral += 0.1 * error;
        let derivative = (error - last_error) / 0.1;
        last_error = error;
        let u = kp * error + ki * integral + kd * derivative;
        x += 0.1 * (u - x);
        cost += error * error + 0.01 * u * u;
    }
    cost
}

#[differentiable(grad)]
fn lqr_cost(
    k: &Array2<f64>,
    a: &Array2<f64>,
    b: &Array2<f64>,
    x0: &Array1<f64>,
    horizon: usize,
) -> f64 {
    let mut x = x0.clone();
    let mut cost = 0.0;
    for _ in 0..horizon {
        let u = -k.dot(&x);
        cost += x.dot(&x) + u.dot(&u);
        x = a.dot(&x) + b.dot(&u);
    }
    cost
}

#[differentiable(grad)]
fn beam_deflection(load: f64, length: f64, e: f64, width: f64, height: f64) -> f64 {
    let inertia = width * height.powi(3) / 12.0;
    load * length.powi(3) / (48.0 * e * inertia)
}

#[differentiable(grad)]
fn truss_stiffness(areas: &[f64], nodes: &[[f64; 2]], members: &[(usize, usize)]) -> f64 {
    let mut total = 0.0;
    for (&area, &(i, j)) in areas.iter().zip(members) {
        let dx = nodes[j][0] - nodes[i][0];
        let dy = nodes[j][1] - nodes[i][1];
        let length = dx.hypot(dy);
        let (c, s) = (dx / length, dy / length);
        total += area / length * (c * c + 2.0 * s * s + c * s);
    }
    total
}

#[differentiable(grad)]
fn kepler(mean_anomaly: f64, eccentricity: f64) -> f64 {
    let mut e = mean_anomaly;
    for _ in 0..30 {
        let delta = (e - eccentricity * e.sin() - mean_anomaly) / (1.0 - eccentricity * e.cos());
        e -= delta;
        if delta.abs() < 1e-14 {
            break;
        }
    }
    e
}

#[differentiable(grad)]
fn orbit_energy(r: &[f64; 3], v: &[f64; 3], mu: f64) -> f64 {
    let r_norm = (r[0].powi(2) + r[1].powi(2) + r[2].powi(2)).sqrt();
    let v2: f64 = v.iter().map(|c| c * c).sum();
    v2 / 2.0 - mu / r_norm
}

#[differentiable(grad)]
fn colebrook(reynolds: f64, roughness: f64) -> f64 {
    let mut f = 0.02;
    for _ in 0..12 {
        let x = -2.0 * (roughness / 3.7 + 2.51 / (reynolds * f64::sqrt(f))).log10();
        f = 1.0 / (x * x);
    }
    f
}

#[differentiable(grad)]
fn pump_network(flows: &Array1<f64>, resistances: &Array1<f64>, head: f64) -> f64 {
    let losses = resistances * &flows.mapv(|q| q * q.abs());
    (losses.sum() - head).powi(2)
}

#[differentiable(grad)]
fn heat_exchanger(inlet: (f64, f64), flow: (f64, f64), ua: f64) -> f64 {
    let c_min = flow.0.min(flow.1);
    let c_max = flow.0.max(flow.1);
    let ratio = c_min / c_max;
    let ntu = ua / c_min;
    let e = (-ntu * (1.0 - ratio)).exp();
    let effectiveness = (1.0 - e) / (1.0 - ratio * e);
    effectiveness * c_min * (inlet.0 - inlet.1)
}

#[differentiable(grad)]
fn drag_polar(speed: f64, area: f64, cd0: f64, k: f64, weight: f64) -> f64 {
    let q = 0.5 * 1.225 * speed * speed;
    let cl = weight / (q * area);
    q * area * (cd0 + k * cl.powi(2))
}

#[differentiable(grad)]
fn buckling(modulus: f64, inertia: f64, length: f64, ends: usize) -> f64 {
    let k = match ends {
        0 => 1.0,
        1 => 0.5,
        2 => 0.699,
        _ => 2.0,
    };
    std::f64::consts::PI.powi(2) * modulus * inertia / (k * length).powi(2)
}

#[differentiable(grad)]
fn kirchhoff(conductances: &[f64], source: f64) -> f64 {
    // Three nodes in a ladder, solved by Cramer's rule.
    let (g1, g2, g3) = (conductances[0], conductances[1], conductances[2]);
    let a = g1 + g2;
    let d = g2 + g3;
    let determinant = a * d - g2 * g2;
    let v1 = source * d / determinant;
    let v2 = source * g2 / determinant;
    v1 - v2
}

#[differentiable(grad)]
fn antoine(coefficients: [f64; 3], temperature: f64) -> f64 {
    let [a, b, c] = coefficients;
    10f64.powf(a - b / (c + temperature))
}

#[differentiable(grad)]
fn flash(z: &Array1<f64>, k: &Array1<f64>) -> f64 {
    // The vapour fraction by Rachford and Rice.
    let mut v = 0.5;
    for _ in 0..15 {
        let mut f = 0.0;
        let mut df = 0.0;
        for (z, k) in z.iter().zip(k) {
            let d = 1.0 + v * (k - 1.0);
            f += z * (k - 1.0) / d;
            df -= z * (k - 1.0).powi(2) / (d * d);
        }
        v -= f / df;
    }
    v
}

#[differentiable(grad)]
fn stress_invariants(s: &Array2<f64>) -> f64 {
    let mean = s.diag().sum() / 3.0;
    let deviator = s - &(Array2::<f64>::eye(3) * mean);
    (1.5 * (&deviator * &deviator).sum()).sqrt()
}

#[differentiable(grad)]
fn rocket(mass_ratio: &[f64], exhaust: &[f64]) -> f64 {
    let mut delta_v = 0.0;
    for stage in 0..mass_ratio.len() {
        delta_v += exhaust[stage] * mass_ratio[stage].ln();
    }
    delta_v
}

#[differentiable(grad)]
fn ekf_position(z: &[f64], q: f64, r: f64) -> f64 {
    let mut x: Array1<f64> = array![0.0, 1.0];
    let mut p: Array2<f64> = Array2::eye(2);
    let f = array![[1.0, 0.1], [0.0, 1.0]];
    let mut cost = 0.0;
    for &obs in z {
        x = f.dot(&x);
        p = f.dot(&p).dot(&f.t()) + Array2::<f64>::eye(2) * q;
        let s = p[[0, 0]] + r;
        let k = array![p[[0, 0]] / s, p[[1, 0]] / s];
        let innovation = obs - x[0];
        cost += innovation * innovation / s + s.ln();
        x = x + &k * innovation;
        let h = p.row(0).to_owned();
        for i in 0..2 {
            for j in 0..2 {
                p[[i, j]] -= k[i] * h[j];
            }
        }
    }
    cost
}

tests! {
    rate: arrhenius, arrhenius_value_and_grad, a: 2.0, e: 3000.0, t: 310.0 => (a, e, t);
    gas: van_der_waals, van_der_waals_value_and_grad, v: 2.0, t: 1.2, a: 0.4, b: 0.3 => (v, t, a, b);
    enzymes: michaelis_menten, michaelis_menten_value_and_grad,
        s: positive(5).to_vec(), v: list(5), a: 1.3, k: 0.4 => (&s, &v, a, k);
    stiff: robertson, robertson_value_and_grad, k: [0.04, 0.3, 1.7]; n: 30 => (&k, n);
    animals: lotka_volterra, lotka_volterra_value_and_grad,
        r: [1.1, 0.4, 0.1, 0.4], s: (1.0, 0.8); n: 50 => (&r, s, n);
    epidemic: sir_peak, sir_peak_value_and_grad, b: 0.6, g: 0.2; n: 40 => (b, g, n);
    filter: rc_low_pass, rc_low_pass_value_and_grad, s: list(9), r: 0.4, c: 0.2 => (&s, r, c);
    diode: diode_current, diode_current_value_and_grad, v: 1.0, s: 0.05, r: 2.0 => (v, s, r);
    controller: pid, pid_value_and_grad, g: [1.2, 0.4, 0.1], s: 0.8; n: 25 => (&g, s, n);
    regulator: lqr_cost, lqr_cost_value_and_grad,
        k: matrix(1, 2), a: matrix(2, 2), b: matrix(2, 1), x: vector(2); n: 6 => (&k, &a, &b, &x, n);
    beam: beam_deflection, beam_deflection_value_and_grad,
        f: 1.2, l: 2.0, e: 3.0, w: 0.5, h: 0.8 => (f, l, e, w, h);
    truss: truss_stiffness, truss_stiffness_value_and_grad,
        a: positive(3).to_vec(), n: vec![[0.0, 0.1], [1.0, 0.2], [0.4, 1.1]]; m: [(0, 1), (1, 2), (0, 2)]
        => (&a, &n, &m);
    anomaly: kepler, kepler_value_and_grad, m: 0.8, e: 0.3 => (m, e);
    orbit: orbit_energy, orbit_energy_value_and_grad,
        r: [1.0, 0.2, 0.1], v: [0.1, 0.9, 0.3], m: 1.1 => (&r, &v, m);
    friction: colebrook, colebrook_value_and_grad, r: 50.0, e: 0.01 => (r, e);
    pumps: pump_network, pump_network_value_and_grad, q: vector(4), r: positive(4), h: 1.2 => (&q, &r, h);
    exchanger: heat_exchanger, heat_exchanger_value_and_grad,
        t: (3.0, 1.0), f: (0.7, 1.1), u: 0.9 => (t, f, u);
    drag: drag_polar, drag_polar_value_and_grad,
        v: 3.0, a: 1.2, c: 0.02, k: 0.05, w: 2.0 => (v, a, c, k, w);
    column: buckling, buckling_value_and_grad, e: 1.2, i: 0.7, l: 2.0; n: 2 => (e, i, l, n);
    ladder: kirchhoff, kirchhoff_value_and_grad, g: positive(3).to_vec(), s: 1.5 => (&g, s);
    vapour: antoine, antoine_value_and_grad, c: [1.2, 0.8, 2.0], t: 1.4 => (c, t);
    fractions: flash, flash_value_and_grad,
        z: array![0.3, 0.3, 0.4], k: array![2.1, 1.3, 0.4] => (&z, &k);
    stress: stress_invariants, stress_invariants_value_and_grad, s: matrix(3, 3) => (&s);
    stages: rocket, rocket_value_and_grad, m: vec![3.0, 2.5], e: vec![2.8, 3.4] => (&m, &e);
    position: ekf_position, ekf_position_value_and_grad, z: list(7), q: 0.1, r: 0.4 => (&z, q, r);
}
