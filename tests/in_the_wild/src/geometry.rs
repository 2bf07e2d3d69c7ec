//! Geometry: cameras, robots, curves, meshes.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, array};

#[differentiable(vjp, jvp)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[differentiable(vjp, jvp)]
fn sub(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[differentiable(grad)]
fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[differentiable(grad)]
fn triangle_area(a: &[f64; 3], b: &[f64; 3], c: &[f64; 3]) -> f64 {
    0.5 * norm(&cross(sub(b, a), sub(c, a)))
}

#[differentiable(grad)]
fn tetrahedron_volume(p: &[[f64; 3]; 4]) -> f64 {
    let [a, b, c, d] = p;
    let (u, v, w) = (sub(b, a), sub(c, a), sub(d, a));
    let n = cross(u, v);
    (n[0] * w[0] + n[1] * w[1] + n[2] * w[2]) / 6.0
}

#[differentiable(grad)]
fn surface_area(vertices: &[[f64; 3]], faces: &[[usize; 3]]) -> f64 {
    let mut area = 0.0;
    for face in faces {
        area += triangle_area(&vertices[face[0]], &vertices[face[1]], &vertices[face[2]]);
    }
    area
}

#[differentiable(grad)]
fn polygon_area(points: &[[f64; 2]]) -> f64 {
    let n = points.len();
    let mut twice = 0.0;
    for i in 0..n {
        let [x0, y0] = points[i];
        let [x1, y1] = points[(i + 1) % n];
        twice += x0 * y1 - x1 * y0;
    }
    0.5 * twice.abs()
}

#[differentiable(grad)]
fn path_length(points: &Array2<f64>) -> f64 {
    let mut length = 0.0;
    for i in 1..points.nrows() {
        let step = &points.row(i) - &points.row(i - 1);
        length += step.dot(&step).sqrt();
    }
    length
}

#[differentiable(grad)]
fn quaternion_angle(q: &[f64; 4], p: &[f64; 4]) -> f64 {
    let dot: f64 = q.iter().zip(p.iter()).map(|(a, b)| a * b).sum();
    let norms =
        (q.iter().map(|a| a * a).sum::<f64>() * p.iter().map(|b| b * b).sum::<f64>()).sqrt();
    2.0 * (dot.abs() / norms).min(1.0).acos()
}

#[differentiable(vjp, jvp)]
fn rotate_by_quaternion(q: &[f64; 4], v: &[f64; 3]) -> [f64; 3] {
    let [w, x, y, z] = *q;
    let u = [x, y, z];
    let t = cross(u, *v).map(|c| 2.0 * c);
    let s = cross(u, t);
    [
        v[0] + w * t[0] + s[0],
        v[1] + w * t[1] + s[1],
        v[2] + w * t[2] + s[2],
    ]
}

#[differentiable(grad)]
fn alignment_error(q: &[f64; 4], shift: &[f64; 3], from: &[[f64; 3]], to: &[[f64; 3]]) -> f64 {
    from.iter()
        .zip(to)
        .map(|(f, t)| {
            let r = rotate_by_quaternion(q, f);
            (0..3)
                .map(|k| (r[k] + shift[k] - t[k]).powi(2))
                .sum::<f64>()
        })
        .sum()
}

#[differentiable(grad)]
fn homography_error(h: &Array2<f64>, from: &Array2<f64>, to: &Array2<f64>) -> f64 {
    let mut error = 0.0;
    for i in 0..from.nrows() {
        let p = array![from[[i, 0]], from[[i, 1]], 1.0];
        let q = h.dot(&p);
        let dx = q[0] / q[2] - to[[i, 0]];
        let dy = q[1] / q[2] - to[[i, 1]];
        error += dx.powi(2) + dy.powi(2);
    }
    error
}

#[differentiable(grad)]
fn undistorted(point: &[f64; 2], k: &[f64; 3]) -> f64 {
    let [xd, yd] = *point;
    let (mut x, mut y) = (xd, yd);
    for _ in 0..5 {
        let r2 = x * x + y * y;
        let scale = 1.0 + r2 * (k[0] + r2 * (k[1] + r2 * k[2]));
        x = xd / scale;
        y = yd / scale;
    }
    x.hypot(y)
}

#[differentiable(grad)]
fn forward_kinematics(joints: &[f64; 6], target: &[f64; 3]) -> f64 {
    const D: [f64; 6] = [0.34, 0.0, 0.4, 0.0, 0.4, 0.126];
    let mut t = Array2::eye(4);
    for (i, &q) in joints.iter().enumerate() {
        let alpha = if i % 2 == 0 {
            -std::f64::consts::FRAC_PI_2
        } else {
            std::f64::consts::FRAC_PI_2
        };
        let (s, c) = q.sin_cos();
        let (sa, ca) = alpha.sin_cos();
        let link = array![
            [c, -s * ca, s * sa, 0.0],
            [s, c * ca, -c * sa, 0.0],
            [0.0, sa, ca, D[i]],
            [0.0, 0.0, 0.0, 1.0]
        ];
        t = t.dot(&link);
    }
    (0..3).map(|k| (t[[k, 3]] - target[k]).powi(2)).sum()
}

#[differentiable(grad)]
fn closest_on_segment(p: &[f64; 2], a: &[f64; 2], b: &[f64; 2]) -> f64 {
    let ab = [b[0] - a[0], b[1] - a[1]];
    let ap = [p[0] - a[0], p[1] - a[1]];
    let t = ((ap[0] * ab[0] + ap[1] * ab[1]) / (ab[0] * ab[0] + ab[1] * ab[1])).clamp(0.0, 1.0);
    let dx = ap[0] - t * ab[0];
    let dy = ap[1] - t * ab[1];
    (dx * dx + dy * dy).sqrt()
}

#[differentiable(grad)]
fn signed_distance_of_box(p: &[f64; 3], half: &[f64; 3]) -> f64 {
    let q = [
        p[0].abs() - half[0],
        p[1].abs() - half[1],
        p[2].abs() - half[2],
    ];
    let outside = q.iter().map(|v| v.max(0.0).powi(2)).sum::<f64>().sqrt();
    let inside = q[0].max(q[1]).max(q[2]).min(0.0);
    outside + inside
}

#[differentiable(grad)]
fn smooth_union(d1: f64, d2: f64, k: f64) -> f64 {
    let h = (0.5 + 0.5 * (d2 - d1) / k).clamp(0.0, 1.0);
    d2 * (1.0 - h) + d1 * h - k * h * (1.0 - h)
}

#[differentiable(grad)]
fn haversine(lat1: f64, lon1: f64, lat2: f64, lon2: f64) -> f64 {
    let (p1, p2) = (lat1.to_radians(), lat2.to_radians());
    let dp = p2 - p1;
    let dl = (lon2 - lon1).to_radians();
    let a = (dp / 2.0).sin().powi(2) + p1.cos() * p2.cos() * (dl / 2.0).sin().powi(2);
    2.0 * 6371.0 * a.sqrt().asin()
}

#[differentiable(grad)]
fn catmull_rom(points: &[[f64; 2]], t: f64) -> f64 {
    let segment = (t.floor() as usize).min(points.len() - 4);
    let u = t - segment as f64;
    let mut at = [0.0; 2];
    for k in 0..2 {
        let [p0, p1, p2, p3] = [
            points[segment][k],
            points[segment + 1][k],
            points[segment + 2][k],
            points[segment + 3][k],
        ];
        at[k] = 0.5
            * (2.0 * p1
                + (p2 - p0) * u
                + (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * u.powi(2)
                + (3.0 * p1 - p0 - 3.0 * p2 + p3) * u.powi(3));
    }
    at[0] * at[1]
}

#[differentiable(grad)]
fn de_casteljau(control: &[f64], t: f64) -> f64 {
    let mut b = control.to_vec();
    let n = b.len();
    for r in 1..n {
        for i in 0..n - r {
            b[i] = (1.0 - t) * b[i] + t * b[i + 1];
        }
    }
    b[0]
}

#[differentiable(grad)]
fn chamfer(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let nearest = |p: usize| {
        let mut best = f64::INFINITY;
        for j in 0..b.nrows() {
            let d = &a.row(p) - &b.row(j);
            best = best.min(d.dot(&d));
        }
        best
    };
    (0..a.nrows()).map(nearest).sum::<f64>() / a.nrows() as f64
}

#[differentiable(grad)]
fn dihedral(p: &[[f64; 3]; 4]) -> f64 {
    let b0 = sub(&p[0], &p[1]);
    let b1 = sub(&p[2], &p[1]);
    let b2 = sub(&p[3], &p[2]);
    let n1 = cross(b0, b1);
    let n2 = cross(b2, b1);
    let m = cross(n1, n2);
    let len = norm(&b1);
    let y = (m[0] * b1[0] + m[1] * b1[1] + m[2] * b1[2]) / len;
    let x = n1[0] * n2[0] + n1[1] * n2[1] + n1[2] * n2[2];
    y.atan2(x)
}

#[differentiable(grad)]
fn two_link_torque(q: &[f64; 2], dq: &[f64; 2], masses: (f64, f64)) -> f64 {
    let (m1, m2) = masses;
    let (s2, c2) = q[1].sin_cos();
    let h = -m2 * s2;
    let inertia = m1 + 2.0 * m2 + 2.0 * m2 * c2;
    let coriolis = h * (2.0 * dq[0] * dq[1] + dq[1].powi(2));
    let gravity = 9.81 * ((m1 + m2) * q[0].cos() + m2 * (q[0] + q[1]).cos());
    inertia * dq[0] + coriolis + gravity
}

#[differentiable(grad)]
fn spring_network(x: &Array2<f64>, springs: &[[usize; 2]], rest: &[f64], k: f64) -> f64 {
    springs
        .iter()
        .zip(rest)
        .map(|(&[i, j], l)| {
            let d = &x.row(i) - &x.row(j);
            0.5 * k * (d.dot(&d).sqrt() - l).powi(2)
        })
        .sum()
}

#[differentiable(grad)]
fn plane_fit(coefficients: &[f64; 3], points: &[[f64; 3]]) -> f64 {
    let [a, b, c] = *coefficients;
    points
        .iter()
        .map(|&[x, y, z]| (a * x + b * y + c - z).powi(2))
        .sum::<f64>()
        / points.len() as f64
}

#[differentiable(grad)]
fn circle_fit(centre: &Array1<f64>, radius: f64, points: &Array2<f64>) -> f64 {
    points
        .rows()
        .into_iter()
        .map(|p| {
            let d = ((p[0] - centre[0]).powi(2) + (p[1] - centre[1]).powi(2)).sqrt();
            (d - radius).powi(2)
        })
        .sum()
}

tests! {
    area: triangle_area, triangle_area_value_and_grad,
        a: [0.1, 0.2, 0.3], b: [1.1, -0.4, 0.2], c: [0.3, 0.9, -0.7] => (&a, &b, &c);
    volume: tetrahedron_volume, tetrahedron_volume_value_and_grad,
        p: [[0.1, 0.2, 0.3], [1.1, -0.4, 0.2], [0.3, 0.9, -0.7], [0.2, 0.1, 1.4]] => (&p);
    surface: surface_area, surface_area_value_and_grad,
        v: vec![[0.1, 0.2, 0.3], [1.1, -0.4, 0.2], [0.3, 0.9, -0.7], [0.2, 0.1, 1.4]];
        f: [[0, 1, 2], [0, 2, 3], [1, 3, 2]] => (&v, &f);
    polygon: polygon_area, polygon_area_value_and_grad,
        p: vec![[0.1, 0.2], [1.3, 0.1], [1.5, 1.2], [0.4, 1.6]] => (&p);
    path: path_length, path_length_value_and_grad, p: matrix(7, 3) => (&p);
    quaternions: quaternion_angle, quaternion_angle_value_and_grad,
        q: [0.8, 0.1, -0.3, 0.4], p: [0.5, 0.6, 0.2, -0.1] => (&q, &p);
    aligned: alignment_error, alignment_error_value_and_grad,
        q: [0.9, 0.1, -0.3, 0.2], s: [0.1, 0.2, -0.4],
        f: vec![[0.1, 0.2, 0.3], [1.1, -0.4, 0.2]], t: vec![[0.3, 0.9, -0.7], [0.2, 0.1, 1.4]]
        => (&q, &s, &f, &t);
    homography: homography_error, homography_error_value_and_grad,
        h: array![[1.1, 0.1, 0.2], [-0.1, 0.9, 0.3], [0.05, 0.02, 1.0]], f: matrix(4, 2), t: matrix(4, 2)
        => (&h, &f, &t);
    lens: undistorted, undistorted_value_and_grad, p: [0.3, -0.2], k: [0.1, -0.05, 0.01] => (&p, &k);
    arm: forward_kinematics, forward_kinematics_value_and_grad,
        q: [0.1, -0.4, 0.3, 0.8, -0.2, 0.5], t: [0.4, 0.1, 0.6] => (&q, &t);
    segment: closest_on_segment, closest_on_segment_value_and_grad,
        p: [0.4, 0.9], a: [0.0, 0.1], b: [1.2, 0.3] => (&p, &a, &b);
    cuboid: signed_distance_of_box, signed_distance_of_box_value_and_grad,
        p: [0.9, -1.4, 0.2], h: [0.5, 0.6, 0.7] => (&p, &h);
    union: smooth_union, smooth_union_value_and_grad, a: 0.3, b: 0.4, k: 0.5 => (a, b, k);
    globe: haversine, haversine_value_and_grad,
        a: 48.1, b: 11.6, c: 52.5, d: 13.4 => (a, b, c, d);
    spline: catmull_rom, catmull_rom_value_and_grad,
        p: vec![[0.0, 0.1], [0.4, 1.1], [1.2, 0.9], [1.9, 0.2], [2.4, 0.8], [3.1, 0.4]], t: 1.3 => (&p, t);
    casteljau: de_casteljau, de_casteljau_value_and_grad, c: list(6), t: 0.37 => (&c, t);
    clouds: chamfer, chamfer_value_and_grad, a: matrix(4, 3), b: matrix(9, 3) => (&a, &b);
    torsion: dihedral, dihedral_value_and_grad,
        p: [[0.1, 0.2, 0.3], [1.1, -0.4, 0.2], [0.3, 0.9, -0.7], [0.2, 0.1, 1.4]] => (&p);
    torque: two_link_torque, two_link_torque_value_and_grad,
        q: [0.4, 0.9], d: [0.3, -0.6], m: (1.5, 0.8) => (&q, &d, m);
    springs: spring_network, spring_network_value_and_grad,
        x: matrix(5, 2), r: list(4), k: 2.5; s: [[0, 1], [1, 2], [2, 4], [0, 3]] => (&x, &s, &r, k);
    plane: plane_fit, plane_fit_value_and_grad,
        c: [0.3, -0.2, 0.1], p: vec![[0.1, 0.2, 0.3], [1.1, -0.4, 0.2], [0.3, 0.9, -0.7]] => (&c, &p);
    circle: circle_fit, circle_fit_value_and_grad,
        c: vector(2), r: 0.8, p: matrix(6, 2) => (&c, r, &p);
}
