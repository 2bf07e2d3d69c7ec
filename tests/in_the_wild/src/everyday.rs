//! Functions of many fields, with axes that are arguments, lists of lists of lists, and the less
//! frequent methods of slices and iterators.

use cotangent::prelude::*;
use ndarray::{Array2, Array3, Axis};

const EARTH_RADIUS: f64 = 6371.0;

/// Softmax along any axis, as libraries of layers have it.
#[differentiable(vjp)]
fn softmax(logits: &Array2<f64>, axis: Axis) -> Array2<f64> {
    let max = logits.fold_axis(axis, f64::NEG_INFINITY, |&m, &v| m.max(v));
    let shifted = logits - &max.insert_axis(axis);
    let exp = shifted.mapv(f64::exp);
    let total = exp.sum_axis(axis).insert_axis(axis);
    exp / total
}

#[differentiable(grad)]
fn attention_entropy(logits: &Array2<f64>, by_rows: bool) -> f64 {
    let axis = if by_rows { Axis(1) } else { Axis(0) };
    let p = softmax(logits, axis);
    -p.iter().map(|v| v * v.ln()).sum::<f64>()
}

#[differentiable(grad)]
fn layer_norm(x: &Array2<f64>, gain: f64, axis: Axis) -> f64 {
    let mut normed = x.to_owned();
    for mut lane in normed.lanes_mut(axis) {
        let n = lane.len() as f64;
        let mean = lane.sum() / n;
        let var = lane.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        lane.mapv_inplace(|v| gain * (v - mean) / (var + 1e-5).sqrt());
    }
    normed.iter().map(|v| v.powi(3)).sum()
}

#[differentiable(grad)]
fn total_variation(image: &Array3<f64>) -> f64 {
    let mut total = 0.0;
    for k in 0..image.ndim() {
        let axis = Axis(k);
        let n = image.len_of(axis);
        for i in 1..n {
            let step = &image.index_axis(axis, i) - &image.index_axis(axis, i - 1);
            total += step.mapv(|d| (d * d + 1e-3).sqrt()).sum();
        }
    }
    total
}

#[differentiable(grad)]
fn network(layers: &[Vec<Vec<f64>>], x: &[f64]) -> f64 {
    let mut h = x.to_vec();
    for layer in layers {
        let mut next = vec![0.0; h.len()];
        for (out, row) in next.iter_mut().zip(layer) {
            let mut sum = 0.0;
            for (w, v) in row.iter().zip(&h) {
                sum += w * v;
            }
            *out = sum.tanh();
        }
        h = next;
    }
    h.iter().sum()
}

#[differentiable(grad)]
fn haversine_length(tracks: &[Vec<(f64, f64)>]) -> f64 {
    let mut km = 0.0;
    for track in tracks {
        for leg in track.windows(2) {
            let (lat1, lon1) = leg[0];
            let (lat2, lon2) = leg[1];
            let (dlat, dlon) = ((lat2 - lat1).to_radians(), (lon2 - lon1).to_radians());
            let a = (dlat / 2.0).sin().powi(2)
                + lat1.to_radians().cos() * lat2.to_radians().cos() * (dlon / 2.0).sin().powi(2);
            km += 2.0 * EARTH_RADIUS * a.sqrt().asin();
        }
    }
    km
}

#[differentiable(grad)]
fn multipolygon_area(polygons: &[Vec<Vec<[f64; 2]>>]) -> f64 {
    polygons
        .iter()
        .map(|rings| {
            let mut area = 0.0;
            for (k, ring) in rings.iter().enumerate() {
                let mut twice = 0.0;
                for i in 0..ring.len() {
                    let [x0, y0] = ring[i];
                    let [x1, y1] = ring[(i + 1) % ring.len()];
                    twice += x0 * y1 - x1 * y0;
                }
                let signed = 0.5 * twice;
                area += if k == 0 { signed } else { -signed };
            }
            area
        })
        .sum()
}

#[differentiable(grad)]
fn xnpv(rate: f64, flows: &[(f64, f64)]) -> f64 {
    match flows.split_first() {
        None => 0.0,
        Some((first, rest)) => {
            first.1
                + rest
                    .iter()
                    .map(|(day, amount)| amount / (1.0 + rate).powf((day - first.0) / 365.0))
                    .sum::<f64>()
        }
    }
}

#[differentiable(grad)]
fn holt_winters(y: &[f64], season: &[f64], alpha: f64, beta: f64) -> f64 {
    let (mut level, mut trend) = (y[0], 0.0);
    let mut loss = 0.0;
    for (obs, s) in y.iter().zip(season.iter().cycle()) {
        let forecast = level + trend + s;
        let error = obs - forecast;
        loss += error * error;
        let last = level;
        level = alpha * (obs - s) + (1.0 - alpha) * (level + trend);
        trend = beta * (level - last) + (1.0 - beta) * trend;
    }
    loss
}

#[differentiable(grad)]
fn biquads(x: &[f64], sections: &[[f64; 5]]) -> f64 {
    let mut signal = x.to_vec();
    for &[b0, b1, b2, a1, a2] in sections {
        let (mut z1, mut z2) = (0.0, 0.0);
        for v in signal.iter_mut() {
            let input = *v;
            let out = b0 * input + z1;
            z1 = b1 * input - a1 * out + z2;
            z2 = b2 * input - a2 * out;
            *v = out;
        }
    }
    signal.iter().map(|v| v * v).sum::<f64>() / signal.len() as f64
}

#[differentiable(grad)]
fn goertzel(x: &[f64], frequency: f64, rate: f64) -> f64 {
    let w = std::f64::consts::TAU * frequency / rate;
    let coefficient = 2.0 * w.cos();
    let (s1, s2) = x
        .iter()
        .fold((0.0, 0.0), |(s1, s2), &v| (v + coefficient * s1 - s2, s1));
    s1 * s1 + s2 * s2 - coefficient * s1 * s2
}

#[differentiable(grad)]
fn reach(links: &[(f64, f64, f64)], q: &[f64], target: &[f64; 3]) -> f64 {
    let mut rot = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut at = [0.0; 3];
    for (&(a, alpha, d), &theta) in links.iter().zip(q) {
        let (st, ct) = theta.sin_cos();
        let (sa, ca) = alpha.sin_cos();
        let step = [
            [ct, -st * ca, st * sa],
            [st, ct * ca, -ct * sa],
            [0.0, sa, ca],
        ];
        let offset = [a * ct, a * st, d];
        for i in 0..3 {
            for j in 0..3 {
                at[i] += rot[i][j] * offset[j];
            }
        }
        let mut next = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                next[i][j] = (0..3).map(|k| rot[i][k] * step[k][j]).sum();
            }
        }
        rot = next;
    }
    at.iter()
        .zip(target)
        .map(|(a, t)| (a - t).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[differentiable(grad)]
fn catmull_rom(points: &[[f64; 2]], t: f64) -> f64 {
    let mut total = 0.0;
    for w in points.windows(4) {
        let mut p = [0.0; 2];
        for d in 0..2 {
            let (p0, p1, p2, p3) = (w[0][d], w[1][d], w[2][d], w[3][d]);
            p[d] = 0.5
                * (2.0 * p1
                    + (p2 - p0) * t
                    + (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t * t
                    + (3.0 * p1 - p0 - 3.0 * p2 + p3) * t.powi(3));
        }
        total += p[0].hypot(p[1]);
    }
    total
}

#[differentiable(grad)]
fn seir(contacts: &[Vec<f64>], beta: f64, sigma: f64, gamma: f64, days: usize) -> f64 {
    let n = contacts.len();
    let mut s = vec![0.99; n];
    let mut e = vec![0.0; n];
    let mut i = vec![0.01; n];
    let dt = 0.25;
    for _ in 0..4 * days {
        let force: Vec<f64> = contacts
            .iter()
            .map(|row| beta * row.iter().zip(&i).map(|(c, i)| c * i).sum::<f64>() / n as f64)
            .collect();
        for k in 0..n {
            let infected = dt * force[k] * s[k];
            let onset = dt * sigma * e[k];
            let recovered = dt * gamma * i[k];
            s[k] -= infected;
            e[k] += infected - onset;
            i[k] += onset - recovered;
        }
    }
    1.0 - s.iter().sum::<f64>() / n as f64
}

#[differentiable(grad)]
fn kernel_density(sample: &[f64], at: f64) -> f64 {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let sd = (sample.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n + 1e-3).sqrt();
    let h = 1.06 * sd * n.powf(-0.2);
    let norm = (2.0 * std::f64::consts::PI).sqrt() * h * n;
    sample
        .iter()
        .map(|v| (-0.5 * ((at - v) / h).powi(2)).exp())
        .sum::<f64>()
        / norm
}

/// Groups of digits from the right, as in a checksum that is weighted.
#[differentiable(grad)]
fn from_the_right(x: &[f64], k: usize) -> f64 {
    let mut total = 0.0;
    for (i, part) in x.rchunks(k).enumerate() {
        total = 0.9 * total + part.iter().sum::<f64>().sin() * (i + 1) as f64;
    }
    total + x.rchunks_exact(k).map(|p| p[0] * p[k - 1]).sum::<f64>()
}

#[differentiable(grad)]
fn peng_robinson(t: f64, p: f64, tc: f64, pc: f64, omega: f64) -> Result<f64, String> {
    if t <= 0.0 || p <= 0.0 {
        return Err(format!("no such state: {t} K, {p} Pa"));
    }
    const R: f64 = 8.314462618;
    let kappa = 0.37464 + 1.54226 * omega - 0.26992 * omega * omega;
    let alpha = (1.0 + kappa * (1.0 - (t / tc).sqrt())).powi(2);
    let a = 0.45724 * R * R * tc * tc / pc * alpha * p / (R * R * t * t);
    let b = 0.0778 * R * tc / pc * p / (R * t);
    let c = [
        b - 1.0,
        a - 3.0 * b * b - 2.0 * b,
        b.powi(3) + b * b - a * b,
    ];
    let mut z = 1.0_f64;
    for _ in 0..50 {
        let value = ((z + c[0]) * z + c[1]) * z + c[2];
        let slope = (3.0 * z + 2.0 * c[0]) * z + c[1];
        let step = value / slope;
        z -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    Ok(z)
}

#[differentiable(grad)]
fn running_product(x: &[f64]) -> f64 {
    x.iter()
        .copied()
        .reduce(|acc, v| 0.5 * acc * v + v)
        .unwrap_or_default()
}

#[differentiable(grad)]
fn interpolated(xs: &[f64], ys: &[f64], at: f64) -> Option<f64> {
    let k = xs.partition_point(|&v| v <= at);
    if k == 0 || k == xs.len() {
        return None;
    }
    let t = (at - xs[k - 1]) / (xs[k] - xs[k - 1]);
    Some(ys[k - 1] * (1.0 - t) + ys[k] * t)
}

#[differentiable(grad)]
fn first_crossing(x: &[f64], level: f64) -> f64 {
    x.windows(2)
        .enumerate()
        .find_map(|(i, w)| {
            if (w[0] - level) * (w[1] - level) < 0.0 {
                Some(i as f64 + (level - w[0]) / (w[1] - w[0]))
            } else {
                None
            }
        })
        .or(x.last().copied())
        .unwrap_or(0.0)
}

#[differentiable(grad)]
fn gains_and_losses(x: &[f64], aversion: f64) -> f64 {
    let (gains, losses): (Vec<f64>, Vec<f64>) = x.iter().partition(|v| **v > 0.0);
    let up: f64 = gains.iter().map(|v| v.powf(0.88)).sum();
    let down: f64 = losses.iter().map(|v| (-v + 1e-3).powf(0.88)).sum();
    up - aversion * down
}

#[differentiable(vjp)]
fn grouped(x: &[f64], size: usize) -> Vec<Vec<f64>> {
    x.chunks(size).map(|c| c.to_vec()).collect()
}

#[differentiable(grad)]
fn grouped_energy(x: &[f64], size: usize) -> f64 {
    grouped(x, size)
        .iter()
        .map(|g| g.iter().sum::<f64>().powi(2))
        .sum()
}

#[differentiable(grad)]
fn spread(x: &Array2<f64>, axis: Axis) -> f64 {
    x.var_axis(axis, 0.0).sum()
}

#[differentiable(grad)]
fn pascal(rate: f64, n: usize) -> f64 {
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..=i).map(|j| rate.powi(j as i32)).collect())
        .collect();
    rows.iter().map(|row| row.iter().sum::<f64>()).sum()
}

#[differentiable(grad)]
fn centred_groups(groups: &[Vec<f64>], power: f64) -> f64 {
    let centred: Vec<Vec<f64>> = groups
        .iter()
        .map(|group| {
            let mean = group.iter().sum::<f64>() / group.len() as f64;
            group.iter().map(|v| v - mean).collect()
        })
        .collect();
    centred
        .iter()
        .flatten()
        .map(|v| (v * v + 0.1).powf(power))
        .sum()
}

#[differentiable(grad)]
fn total_jump(x: &[f64]) -> f64 {
    let mut previous = x[0];
    let mut total = 0.0;
    for &v in &x[1..] {
        let old = std::mem::replace(&mut previous, v);
        total += (v - old).powi(2);
    }
    total
}

#[test]
fn functions_that_fail() {
    let xs = vec![0.0, 0.4, 1.0, 1.5];
    crate::harness::agree(
        (xs, list(4), 0.7),
        |(xs, ys, at)| interpolated(xs, ys, *at).unwrap(),
        |(xs, ys, at)| interpolated_value_and_grad(xs, ys, *at).unwrap(),
    );
    assert_eq!(interpolated_grad(&[0.0], &[1.0], 2.0), None);
    let state = (0.9, 0.3, 1.0, 1.1, 0.2);
    crate::harness::agree(
        state,
        |&(t, p, tc, pc, omega)| peng_robinson(t * 300.0, p, tc * 300.0, pc, omega).unwrap(),
        |&(t, p, tc, pc, omega)| {
            let (t, tc) = (t * 300.0, tc * 300.0);
            let (value, d) = peng_robinson_value_and_grad(t, p, tc, pc, omega).unwrap();
            (value, (d.0 * 300.0, d.1, d.2 * 300.0, d.3, d.4))
        },
    );
    assert!(peng_robinson_grad(-1.0, 1.0, 1.0, 1.0, 0.1).is_err());
}

fn cubes(n: usize) -> Vec<Vec<Vec<f64>>> {
    (0..3)
        .map(|k| (0..n).map(|i| list(n + 3 * k + i)[..n].to_vec()).collect())
        .collect()
}

fn ragged() -> Vec<Vec<Vec<[f64; 2]>>> {
    let ring = |n: usize| {
        list(2 * n)
            .chunks(2)
            .map(|c| [c[0], c[1]])
            .collect::<Vec<_>>()
    };
    vec![
        vec![ring(4), ring(3)],
        vec![],
        vec![ring(7), vec![], ring(1)],
    ]
}

fn tracks(n: usize) -> Vec<Vec<(f64, f64)>> {
    let track = |n: usize| {
        (0..n)
            .map(|i| (i as f64 * 0.7, (i * i) as f64 * 0.1))
            .collect()
    };
    vec![track(n), vec![], track(2), track(1)]
}

use crate::harness::list;

tests! {
    entropy_of_rows: attention_entropy, attention_entropy_value_and_grad,
        a: matrix(4, 3); r: true => (&a, r);
    entropy_of_columns: attention_entropy, attention_entropy_value_and_grad,
        a: matrix(9, 5); r: false => (&a, r);
    layer_norm_of_rows: layer_norm, layer_norm_value_and_grad,
        a: matrix(4, 3), g: 0.7; k: Axis(1) => (&a, g, k);
    layer_norm_of_columns: layer_norm, layer_norm_value_and_grad,
        a: matrix(4, 9), g: 0.7; k: Axis(0) => (&a, g, k);
    total_variation_small: total_variation, total_variation_value_and_grad,
        a: cube(3, 4, 2) => (&a);
    total_variation_flat: total_variation, total_variation_value_and_grad,
        a: cube(1, 9, 1) => (&a);
    network_1: network, network_value_and_grad, l: cubes(1), x: list(1) => (&l, &x);
    network_9: network, network_value_and_grad, l: cubes(9), x: list(9) => (&l, &x);
    haversine: haversine_length, haversine_length_value_and_grad, t: tracks(9) => (&t);
    haversine_65: haversine_length, haversine_length_value_and_grad, t: tracks(65) => (&t);
    polygons: multipolygon_area, multipolygon_area_value_and_grad, p: ragged() => (&p);
    flows: xnpv, xnpv_value_and_grad,
        r: 0.05, f: vec![(0.0, -100.0), (90.0, 30.0), (400.0, 90.0)] => (r, &f);
    flows_of_one: xnpv, xnpv_value_and_grad, r: 0.05, f: vec![(0.0, -100.0)] => (r, &f);
    no_flows: xnpv, xnpv_value_and_grad, r: 0.05, f: Vec::<(f64, f64)>::new() => (r, &f);
    holt_winters_9: holt_winters, holt_winters_value_and_grad,
        y: list(9), s: list(4), a: 0.3, b: 0.1 => (&y, &s, a, b);
    holt_winters_300: holt_winters, holt_winters_value_and_grad,
        y: list(300), s: list(7), a: 0.3, b: 0.1 => (&y, &s, a, b);
    biquads_65: biquads, biquads_value_and_grad,
        x: list(65), s: vec![[0.2, 0.3, 0.1, -0.4, 0.2], [0.5, 0.1, 0.0, 0.3, 0.1]] => (&x, &s);
    goertzel_300: goertzel, goertzel_value_and_grad,
        x: list(300), f: 50.0, r: 1000.0 => (&x, f, r);
    reach_3: reach, reach_value_and_grad,
        l: vec![(0.4, 0.3, 0.1), (0.3, -0.5, 0.2), (0.2, 0.1, 0.0)], q: list(3),
        t: [0.5, 0.2, 0.3] => (&l, &q, &t);
    catmull_rom_9: catmull_rom, catmull_rom_value_and_grad,
        p: (0..9).map(|i| [i as f64 * 0.3, (i as f64).sin()]).collect::<Vec<_>>(), t: 0.4
        => (&p, t);
    catmull_rom_3: catmull_rom, catmull_rom_value_and_grad,
        p: vec![[0.0, 1.0], [1.0, 2.0], [2.0, 0.5]], t: 0.4 => (&p, t);
    seir_3: seir, seir_value_and_grad,
        c: vec![vec![8.0, 2.0, 1.0], vec![2.0, 5.0, 2.0], vec![1.0, 2.0, 3.0]],
        b: 0.2, s: 0.3, g: 0.15; d: 20 => (&c, b, s, g, d);
    density_1: kernel_density, kernel_density_value_and_grad, x: list(1), t: 0.1 => (&x, t);
    density_300: kernel_density, kernel_density_value_and_grad, x: list(300), t: 0.1 => (&x, t);
    right_9: from_the_right, from_the_right_value_and_grad, x: list(9); k: 4 => (&x, k);
    right_1: from_the_right, from_the_right_value_and_grad, x: list(1); k: 3 => (&x, k);
    right_65: from_the_right, from_the_right_value_and_grad, x: list(65); k: 5 => (&x, k);
    reduced_1: running_product, running_product_value_and_grad, x: list(1) => (&x);
    reduced_0: running_product, running_product_value_and_grad, x: list(0) => (&x);
    reduced_65: running_product, running_product_value_and_grad, x: list(65) => (&x);
    crossing_9: first_crossing, first_crossing_value_and_grad, x: list(9), l: 0.05 => (&x, l);
    crossing_1: first_crossing, first_crossing_value_and_grad, x: list(1), l: 0.05 => (&x, l);
    groups: centred_groups, centred_groups_value_and_grad,
        g: vec![list(4), list(1), list(65)], p: 0.7 => (&g, p);
    energy_of_groups: grouped_energy, grouped_energy_value_and_grad, x: list(9); k: 4 => (&x, k);
    energy_of_no_groups: grouped_energy, grouped_energy_value_and_grad,
        x: list(0); k: 4 => (&x, k);
    spread_of_rows: spread, spread_value_and_grad, a: matrix(9, 4); k: Axis(1) => (&a, k);
    pascal_9: pascal, pascal_value_and_grad, r: 0.7; n: 9 => (r, n);
    jumps_9: total_jump, total_jump_value_and_grad, x: list(9) => (&x);
    jumps_1: total_jump, total_jump_value_and_grad, x: list(1) => (&x);
    gains_65: gains_and_losses, gains_and_losses_value_and_grad, x: list(65), a: 2.25 => (&x, a);
}
