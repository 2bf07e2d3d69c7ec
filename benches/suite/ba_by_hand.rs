//! The Jacobian of bundle adjustment, derived by hand.
//!
//! With r = θ a, |a| = 1 and d = point − centre the rotated vector is
//!
//! ```text
//! y = cos θ d + sin θ a × d + (1 − cos θ) (a · d) a
//! ```
//!
//! Its derivative by d is the matrix of that map, by θ is −sin θ d + cos θ a × d + sin θ (a · d) a.
//! Along v, the derivative by a is D(v) = sin θ v × d + (1 − cos θ) ((a · d) v + (v · d) a). As
//! ∂θ/∂rₖ = aₖ and ∂a/∂rₖ = (eₖ − aₖ a) / θ, that by rₖ is aₖ ∂y/∂θ + (D(eₖ) − aₖ D(a)) / θ.

use super::ba::Ba;
use cotangent::Sparse;

type Vector = [f64; 3];

/// Places and values of the entries by cameras, points and weights: the rows of observations, then
/// those of weights.
pub(crate) fn jacobian(ba: &Ba) -> [Sparse; 3] {
    let (n, m, p) = (ba.cameras.nrows(), ba.points.nrows(), ba.weights.len());
    let of = |columns: usize, entries: usize| Sparse {
        rows: Vec::with_capacity(entries),
        columns: Vec::with_capacity(entries),
        values: Vec::with_capacity(entries),
        shape: (3 * p, columns),
    };
    let mut by_cameras = of(11 * n, 20 * p);
    let mut by_points = of(3 * m, 6 * p);
    let mut by_weights = of(p, 3 * p);
    for o in 0..p {
        let (c, j) = (ba.which[[o, 0]], ba.which[[o, 1]]);
        let camera = std::array::from_fn(|k| ba.cameras[[c, k]]);
        let point = std::array::from_fn(|k| ba.points[[j, k]]);
        let seen = [ba.seen[[o, 0]], ba.seen[[o, 1]]];
        let block = block(&camera, &point, ba.weights[o], seen);
        for (e, (by_camera, by_point, by_weight)) in block.iter().enumerate() {
            append(&mut by_cameras, 2 * o + e, 11 * c, &by_camera[..7]);
            // Each residual depends on one coordinate of the principal point.
            append(&mut by_cameras, 2 * o + e, 11 * c + 7 + e, &by_camera[7..8]);
            append(&mut by_cameras, 2 * o + e, 11 * c + 9, &by_camera[8..]);
            append(&mut by_points, 2 * o + e, 3 * j, by_point);
            append(&mut by_weights, 2 * o + e, o, &[*by_weight]);
        }
    }
    for (o, w) in ba.weights.iter().enumerate() {
        append(&mut by_weights, 2 * p + o, o, &[-2.0 * w]);
    }
    [by_cameras, by_points, by_weights]
}

/// Entries of a row, in columns from `first` on.
fn append(to: &mut Sparse, row: usize, first: usize, values: &[f64]) {
    to.rows.extend(std::iter::repeat_n(row, values.len()));
    to.columns.extend(first..first + values.len());
    to.values.extend_from_slice(values);
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(k: usize) -> Vector {
    std::array::from_fn(|i| f64::from(u8::from(i == k)))
}

/// The turned vector, its derivatives by each number of the rotation, and by each of `d`.
fn turned(r: &Vector, d: &Vector) -> (Vector, [Vector; 3], [Vector; 3]) {
    let squared = dot(r, r);
    if squared == 0.0 {
        let c = cross(r, d);
        let y = std::array::from_fn(|i| d[i] + c[i]);
        let by_r = std::array::from_fn(|k| cross(&unit(k), d));
        return (y, by_r, std::array::from_fn(unit));
    }
    let angle = squared.sqrt();
    let (sine, cosine) = angle.sin_cos();
    let a = r.map(|r| r / angle);
    let (c, along, rest) = (cross(&a, d), dot(&a, d), 1.0 - cosine);
    let y = std::array::from_fn(|i| cosine * d[i] + sine * c[i] + rest * along * a[i]);
    let by_angle: Vector =
        std::array::from_fn(|i| cosine * c[i] - sine * d[i] + sine * along * a[i]);
    let by_axis = |v: &Vector| -> Vector {
        let (c, of_v) = (cross(v, d), dot(v, d));
        std::array::from_fn(|i| sine * c[i] + rest * (along * v[i] + of_v * a[i]))
    };
    let of_a = by_axis(&a);
    let by_r = std::array::from_fn(|k| {
        let of_unit = by_axis(&unit(k));
        std::array::from_fn(|i| a[k] * by_angle[i] + (of_unit[i] - a[k] * of_a[i]) / angle)
    });
    let by_d = std::array::from_fn(|k| {
        let e = unit(k);
        let c = cross(&a, &e);
        std::array::from_fn(|i| cosine * e[i] + sine * c[i] + rest * a[k] * a[i])
    });
    (y, by_r, by_d)
}

/// The derivatives of both residuals of an observation by camera, point and weight.
fn block(
    camera: &[f64; 11],
    point: &Vector,
    weight: f64,
    seen: [f64; 2],
) -> [([f64; 10], Vector, f64); 2] {
    let d = std::array::from_fn(|i| point[i] - camera[3 + i]);
    let (y, by_r, by_d) = turned(&[camera[0], camera[1], camera[2]], &d);
    let place = [y[0] / y[2], y[1] / y[2]];
    let (focal, k1, k2) = (camera[6], camera[9], camera[10]);
    let s = place[0] * place[0] + place[1] * place[1];
    let bent = 1.0 + k1 * s + k2 * s * s;
    // Of the projection if `y` changes by `dy`: the place, then what the distortion makes of it.
    let along = |dy: &Vector| -> [f64; 2] {
        let moved = [0, 1].map(|e| (dy[e] - place[e] * dy[2]) / y[2]);
        let ds = 2.0 * (place[0] * moved[0] + place[1] * moved[1]);
        let of_bent = (k1 + 2.0 * k2 * s) * ds;
        [0, 1].map(|e| focal * weight * (bent * moved[e] + place[e] * of_bent))
    };
    let (by_r, by_d) = (by_r.map(|dy| along(&dy)), by_d.map(|dy| along(&dy)));
    [0, 1].map(|e| {
        let mut by_camera = [0.0; 10];
        for k in 0..3 {
            by_camera[k] = by_r[k][e];
            by_camera[3 + k] = -by_d[k][e];
        }
        by_camera[6] = weight * bent * place[e];
        by_camera[7] = weight;
        by_camera[8] = weight * focal * place[e] * s;
        by_camera[9] = weight * focal * place[e] * s * s;
        let error = focal * bent * place[e] + camera[7 + e] - seen[e];
        (by_camera, by_d.map(|d| d[e]), error)
    })
}
