//! Arguments and results that are made of several: fixed-size arrays, tuples, structs.

#![allow(unreachable_pub)]

use cotangent::prelude::*;
use ndarray::{Array1, array};

mod camera {
    use cotangent::prelude::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Pose {
        pub(super) shift: [f64; 3],
        hidden: f64,
    }

    impl Pose {
        pub fn new(shift: [f64; 3]) -> Pose {
            Pose { shift, hidden: 5.0 }
        }
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Camera {
        pub pose: Pose,
        pub focal: f64,
        pub id: usize,
        pub weights: ndarray::Array1<f64>,
        pub names: Vec<usize>,
    }
}

use camera::{Camera, Pose};

#[differentiable]
fn seen(camera: &Camera, x: [f64; 3]) -> f64 {
    let Camera { focal, weights, .. } = camera;
    let shift = camera.pose.shift;
    let depth = x[2] + shift[2];
    *focal * (x[0] + shift[0]) / depth * camera.names[1] as f64
        + sum(weights.len(), |i| weights[i] * weights[i])
}

fn a_camera() -> Camera {
    Camera {
        pose: Pose::new([0.5, 0.0, 1.0]),
        focal: 2.0,
        id: 7,
        weights: array![1.0, 2.0],
        names: vec![1, 3],
    }
}

#[test]
fn structs_of_another_module_with_private_fields() {
    let camera = a_camera();
    let (value, (of_camera, of_x)) = seen_value_and_grad(&camera, [1.0, 2.0, 1.0]);
    assert_eq!(value, seen(&camera, [1.0, 2.0, 1.0]));
    assert_eq!(of_camera.focal, 1.5 / 2.0 * 3.0);
    assert_eq!(of_camera.pose.shift, [3.0, 0.0, -2.0 * 1.5 / 4.0 * 3.0]);
    assert_eq!(of_camera.weights, array![2.0, 4.0]);
    assert_eq!((of_camera.id, &of_camera.names[..]), (7, &[1, 3][..]));
    assert_eq!(of_x, of_camera.pose.shift);
    let zero = Pose::new([0.0; 3]);
    assert_ne!(of_camera.pose, zero);
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point<T: Real>(T, T);

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Segment<T>
where
    T: Real,
{
    from: Point<T>,
    to: Point<T>,
    closed: bool,
}

#[differentiable(value, vjp, jvp)]
fn moved<T: Real>(s: Segment<T>, by: T) -> Segment<T> {
    let Point(x, y) = s.to;
    let to = Point(x * by, y + by);
    Segment { to, ..s }
}

#[test]
fn generic_structs_go_in_and_come_out() {
    let s = Segment {
        from: Point(1.0, 2.0),
        to: Point(3.0, 4.0),
        closed: true,
    };
    assert_eq!(moved_value(s, 2.0), moved(s, 2.0));
    let (value, (of_s, of_by)) = moved_vjp(s, 2.0, &s);
    assert_eq!(value, moved(s, 2.0));
    assert_eq!(of_s.from, Point(1.0, 2.0));
    assert_eq!(of_s.to, Point(6.0, 4.0));
    assert!(of_s.closed);
    assert_eq!(of_by, 3.0 * 3.0 + 4.0);
    let single = Segment {
        from: Point(1.0_f32, 2.0),
        to: Point(3.0, 4.0),
        closed: false,
    };
    let (value, tangent) = moved_jvp(single, 2.0, single, 1.0);
    assert_eq!(value, moved(single, 2.0));
    assert_eq!(tangent.to, Point(3.0 + 6.0, 5.0));
    assert!(!tangent.closed);
}

#[differentiable(vjp, jvp)]
fn pair(p: &(f64, Array1<f64>), scale: f64) -> (Array1<f64>, (f64, usize)) {
    let (a, x) = p;
    (build(x.len(), |i| a * x[i] * scale), (a * a, x.len()))
}

#[test]
fn tuples() {
    let p = (2.0, array![1.0, 3.0]);
    let cotangent = (array![1.0, 10.0], (100.0, 0));
    let (value, (of_p, of_scale)) = pair_vjp(&p, 0.5, &cotangent);
    assert_eq!(value, pair(&p, 0.5));
    assert_eq!(of_p, (0.5 + 15.0 + 400.0, array![1.0, 10.0]));
    assert_eq!(of_scale, 2.0 + 60.0);
    let (value, tangent) = pair_jvp(&p, 0.5, &(1.0, array![0.0, 0.0]), 0.0);
    assert_eq!(value.1, (4.0, 2));
    assert_eq!(tangent, (array![0.5, 1.5], (4.0, 2)));
}

#[differentiable]
fn length<const N: usize>(x: &[f64; N], rows: &[[f64; 2]]) -> f64 {
    sum(N, |i| x[i] * x[i]) * sum(rows.len(), |i| rows[i][0] * rows[i][1])
}

#[test]
fn fixed_size_arrays() {
    let rows = vec![[1.0, 2.0], [3.0, 4.0]];
    let (of_x, of_rows): ([f64; 2], Vec<[f64; 2]>) = length_grad(&[1.0, 2.0], &rows);
    assert_eq!(of_x, [28.0, 56.0]);
    assert_eq!(of_rows, [[10.0, 5.0], [20.0, 15.0]]);
    let (of_none, _) = length_grad(&[], &rows);
    assert_eq!(of_none, []);
}

mod inner {
    use super::*;

    #[differentiable]
    pub fn norm(p: Point<f64>, by: [f64; 2]) -> f64 {
        (p.0 * p.0 * by[0] + p.1 * p.1 * by[1]).sqrt()
    }
}

#[differentiable]
fn distance(s: &Segment<f64>, k: f64) -> f64 {
    let d = Point(s.to.0 - s.from.0, s.to.1 - s.from.1);
    inner::norm(d, [1.0, k])
}

#[test]
fn structs_are_handed_on() {
    let s = Segment {
        from: Point(1.0, 2.0),
        to: Point(4.0, 6.0),
        closed: true,
    };
    let (of_s, of_k) = distance_grad(&s, 1.0);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(near(of_s.to.0, 0.6) && near(of_s.to.1, 0.8));
    assert!(near(of_s.from.0, -0.6) && near(of_s.from.1, -0.8));
    assert!(near(of_k, 1.6));
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    weights: Array1<f64>,
    bias: f64,
    seed: u64,
}

impl Model {
    #[differentiable]
    fn loss(&self, x: &Array1<f64>) -> f64 {
        let score = sum(x.len(), |i| self.weights[i] * x[i]) + self.bias;
        score * score
    }

    #[differentiable(vjp, jvp)]
    fn scaled(self, by: f64) -> Self {
        Self {
            bias: self.bias * by,
            ..self
        }
    }

    #[differentiable(wrt(self))]
    fn typed(self: &Model, x: f64) -> f64 {
        self.bias * x
    }
}

#[test]
fn methods() {
    let model = Model {
        weights: array![1.0, 2.0],
        bias: 0.5,
        seed: 9,
    };
    let x = array![2.0, 1.0];
    let (value, (of_model, of_x)) = model.loss_value_and_grad(&x);
    assert_eq!(value, model.loss(&x));
    assert_eq!(of_model.weights, array![18.0, 9.0]);
    assert_eq!((of_model.bias, of_model.seed), (9.0, 9));
    assert_eq!(of_x, array![9.0, 18.0]);
    assert_eq!(model.typed_grad(3.0).bias, 3.0);
    let cotangent = model.clone();
    let (value, (of_model, of_by)) = model.clone().scaled_vjp(2.0, &cotangent);
    assert_eq!(value, model.clone().scaled(2.0));
    assert_eq!(of_model.bias, 1.0);
    assert_eq!(of_model.weights, cotangent.weights);
    assert_eq!(of_by, 0.25);
}
