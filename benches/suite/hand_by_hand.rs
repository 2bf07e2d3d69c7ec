//! The Jacobians of hand tracking, derived by hand, with products of matrices as for the value.
//!
//! A bone's place in the hand, A = A(parent) · base · turn(x, z), depends on the few angles of its
//! finger up to it. Vertices are sums over bones, p = Σ w A B⁻¹ p₀, so that the derivative by an
//! angle is such a sum over the bones that depend on it. Then R(r) p + t turns and moves the hand.
//! With r = θ a, |a| = 1 and a × as a matrix K
//!
//! ```text
//! R = cos θ I + sin θ K + (1 − cos θ) a aᵀ,   ∂θ/∂rₖ = aₖ,   ∂a/∂rₖ = (eₖ − aₖ a) / θ
//! ```

use super::hand::{Complicated, Hand, Model};
use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, array, s};

/// The residuals' derivatives by `theta`.
pub(crate) fn simple(hand: &Hand) -> Array3<f64> {
    let (_, columns) = vertices(&hand.theta, &hand.model);
    let mut jacobian = Array3::zeros((hand.touching.len(), 3, columns.len()));
    for (mut point, &v) in jacobian.outer_iter_mut().zip(&hand.touching) {
        for (k, column) in columns.iter().enumerate() {
            for r in 0..3 {
                point[[r, k]] = -column[[v, r]];
            }
        }
    }
    jacobian
}

/// The residuals' derivatives by `theta`, and of each point's by its own two coordinates.
pub(crate) fn complicated(hand: &Complicated) -> (Array3<f64>, Array3<f64>) {
    let (places, columns) = vertices(&hand.theta, &hand.model);
    let n = hand.touching.len();
    let mut by_theta = Array3::zeros((n, 3, columns.len()));
    let mut by_places = Array3::zeros((n, 3, 2));
    for (i, &triangle) in hand.touching.iter().enumerate() {
        let [a, b, c] = [0, 1, 2].map(|k| hand.triangles[[triangle, k]]);
        let (u, v) = (hand.places[[i, 0]], hand.places[[i, 1]]);
        for r in 0..3 {
            by_places[[i, r, 0]] = places[[c, r]] - places[[a, r]];
            by_places[[i, r, 1]] = places[[c, r]] - places[[b, r]];
        }
        for (k, column) in columns.iter().enumerate() {
            for r in 0..3 {
                let at = u * column[[a, r]] + v * column[[b, r]] + (1.0 - u - v) * column[[c, r]];
                by_theta[[i, r, k]] = -at;
            }
        }
    }
    (by_theta, by_places)
}

/// Where vertices are, and the derivatives of that by each element of `theta`.
fn vertices(theta: &Array1<f64>, model: &Model) -> (Array2<f64>, Vec<Array2<f64>>) {
    let count = model.weights.nrows();
    let mut posed = Array2::zeros((count, 3));
    let mut by_angles = vec![Array2::zeros((count, 3)); theta.len() - 6];
    let mut bones: Vec<Bone> = vec![];
    for b in 0..model.parents.len() {
        let bone = Bone::new(theta, model, b, &bones);
        let inverse = model.inverse_base_absolutes.index_axis(Axis(0), b);
        let weights = model.weights.column(b).insert_axis(Axis(1));
        let moved = |absolute: &Array2<f64>| {
            let transform = absolute.slice(s![..3, ..]).dot(&inverse);
            let mut moved = model.base_positions.dot(&transform.t());
            if model.mirrored {
                moved.column_mut(0).mapv_inplace(|x| -x);
            }
            moved * weights
        };
        posed += &moved(&bone.place);
        for (angle, place) in &bone.by_angles {
            by_angles[angle - 6] += &moved(place);
        }
        bones.push(bone);
    }
    let (rotation, by_rotation) = rotation(&[theta[0], theta[1], theta[2]]);
    let mut columns: Vec<_> = by_rotation.iter().map(|d| posed.dot(&d.t())).collect();
    for r in 0..3 {
        let mut column = Array2::zeros((count, 3));
        column.column_mut(r).fill(1.0);
        columns.push(column);
    }
    columns.extend(by_angles.iter().map(|d| d.dot(&rotation.t())));
    (posed.dot(&rotation.t()) + theta.slice(s![3..6]), columns)
}

/// Where a bone is, and the derivatives of that by the elements of `theta` that it depends on.
struct Bone {
    place: Array2<f64>,
    by_angles: Vec<(usize, Array2<f64>)>,
}

impl Bone {
    fn new(theta: &Array1<f64>, model: &Model, b: usize, before: &[Bone]) -> Self {
        let (finger, joint) = ((b + 2) / 4, (b + 2) % 4);
        let bends = matches!(finger, 1..=5) && joint < 3;
        let first = 2 + 4 * finger;
        let (by_x, by_z) = match joint {
            0 if bends => (Some(first), Some(first + 1)),
            1 | 2 if bends => (Some(first + joint + 1), None),
            _ => (None, None),
        };
        let angle = |at: Option<usize>| at.map_or(0.0, |at| theta[at]);
        let (about_x, about_z) = (about_x(angle(by_x)), about_z(angle(by_z)));
        let base = model.base_relatives.index_axis(Axis(0), b);
        let parent = usize::try_from(model.parents[b]).ok().map(|p| &before[p]);
        let hung = match parent {
            Some(parent) => parent.place.dot(&base),
            None => base.to_owned(),
        };
        let relative = base.dot(&about_z[0]).dot(&about_x[0]);
        let inherited = parent.map_or(&[][..], |parent| &parent.by_angles);
        let mut by_angles: Vec<_> = (inherited.iter())
            .map(|(angle, place)| (*angle, place.dot(&relative)))
            .collect();
        if let Some(at) = by_x {
            by_angles.push((at, hung.dot(&about_z[0]).dot(&about_x[1])));
        }
        if let Some(at) = by_z {
            by_angles.push((at, hung.dot(&about_z[1]).dot(&about_x[0])));
        }
        let place = hung.dot(&about_z[0]).dot(&about_x[0]);
        Bone { place, by_angles }
    }
}

/// A rotation about an axis, and its derivative by the angle.
fn about_x(angle: f64) -> [Array2<f64>; 2] {
    let (s, c) = angle.sin_cos();
    let turn = |s: f64, c: f64, one: f64| {
        array![
            [one, 0.0, 0.0, 0.0],
            [0.0, c, -s, 0.0],
            [0.0, s, c, 0.0],
            [0.0, 0.0, 0.0, one],
        ]
    };
    [turn(s, c, 1.0), turn(c, -s, 0.0)]
}

fn about_z(angle: f64) -> [Array2<f64>; 2] {
    let (s, c) = angle.sin_cos();
    let turn = |s: f64, c: f64, one: f64| {
        array![
            [c, -s, 0.0, 0.0],
            [s, c, 0.0, 0.0],
            [0.0, 0.0, one, 0.0],
            [0.0, 0.0, 0.0, one],
        ]
    };
    [turn(s, c, 1.0), turn(c, -s, 0.0)]
}

/// The rotation by a vector, and its derivatives by each number.
fn rotation(vector: &[f64; 3]) -> (Array2<f64>, [Array2<f64>; 3]) {
    let angle = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if angle < 1e-4 {
        return (Array2::eye(3), [0; 3].map(|_| Array2::zeros((3, 3))));
    }
    let (s, c) = angle.sin_cos();
    let axis = Array1::from_iter(vector.iter().map(|x| x / angle));
    let outer = |a: &Array1<f64>, b: &Array1<f64>| {
        let product: ArrayView2<'_, f64> = a.view().insert_axis(Axis(1));
        product.dot(&b.view().insert_axis(Axis(0)))
    };
    let cross =
        |a: &Array1<f64>| array![[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0],];
    let (identity, k, both) = (Array2::eye(3), cross(&axis), outer(&axis, &axis));
    let by_angle = &both * s + &k * c - &identity * s;
    let derivatives = [0, 1, 2].map(|j| {
        let moved = (identity.row(j).to_owned() - &axis * axis[j]) / angle;
        let of_both = outer(&moved, &axis) + outer(&axis, &moved);
        &by_angle * axis[j] + cross(&moved) * s + of_both * (1.0 - c)
    });
    (identity * c + k * s + both * (1.0 - c), derivatives)
}
