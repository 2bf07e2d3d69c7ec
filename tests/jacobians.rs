//! Jacobians and Hessians as users get them: their types, numbers and memory.

#![allow(
    clippy::type_complexity,
    reason = "the results of Jacobians are tuples of tuples"
)]

use cotangent::ndarray::{Array1, Array2, Array3, ArrayView1, array};
use cotangent::prelude::*;
use cotangent::{Parameters, Workspace};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what is asked for on each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is left to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a call returns, and how often it asked for memory.
fn counted<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let result = call();
    (result, COUNT.get() - before)
}

fn assert_close(a: f64, b: f64) {
    assert!(
        (a - b).abs() <= 1e-10 * (1.0 + a.abs().max(b.abs())),
        "{a} is not {b}"
    );
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Camera {
    rotation: [f64; 3],
    centre: [f64; 3],
    focal: f64,
    distortion: [f64; 2],
    width: usize,
}

fn camera() -> Camera {
    Camera {
        rotation: [0.1, -0.2, 0.05],
        centre: [0.3, 0.2, -2.0],
        focal: 1.5,
        distortion: [0.01, -0.002],
        width: 640,
    }
}

/// Where a camera sees a point.
#[differentiable(jacobian, jvp, vjp)]
fn reprojection(camera: &Camera, point: &[f64; 3], w: f64) -> [f64; 2] {
    let r = camera.rotation;
    let x = [
        point[0] - camera.centre[0],
        point[1] - camera.centre[1],
        point[2] - camera.centre[2],
    ];
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let (s, c) = angle.sin_cos();
    let k = [r[0] / angle, r[1] / angle, r[2] / angle];
    let dot = (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]) * (1.0 - c);
    let p = [
        x[0] * c + (k[1] * x[2] - k[2] * x[1]) * s + k[0] * dot,
        x[1] * c + (k[2] * x[0] - k[0] * x[2]) * s + k[1] * dot,
        x[2] * c + (k[0] * x[1] - k[1] * x[0]) * s + k[2] * dot,
    ];
    let (u, v) = (p[0] / p[2], p[1] / p[2]);
    let r2 = u * u + v * v;
    let d = camera.focal * (1.0 + r2 * (camera.distortion[0] + r2 * camera.distortion[1]));
    [w * d * u, w * d * v]
}

#[test]
fn a_struct_gives_a_gradient_for_each_component() {
    let (c, point, w) = (camera(), [0.5, -0.4, 3.0], 0.7);
    let ((by_camera, by_point, by_w), count) = counted(|| reprojection_jacobian(&c, &point, w));
    let _: (&[Camera; 2], &[[f64; 3]; 2], &[f64; 2]) = (&by_camera, &by_point, &by_w);
    assert_eq!(count, 0, "nothing is on the heap");
    for k in 0..2 {
        let mut cotangent = [0.0; 2];
        cotangent[k] = 1.0;
        let (_, (camera, point, w)) = reprojection_vjp(&c, &point, w, &cotangent);
        assert_eq!(by_camera[k].width, 640);
        assert_close(by_camera[k].focal, camera.focal);
        for j in 0..3 {
            assert_close(by_camera[k].rotation[j], camera.rotation[j]);
            assert_close(by_camera[k].centre[j], camera.centre[j]);
            assert_close(by_point[k][j], point[j]);
        }
        assert_close(by_camera[k].distortion[1], camera.distortion[1]);
        assert_close(by_w[k], w);
    }
}

/// The same in one vector of parameters, one direction after the other.
#[differentiable(jacobian(forward))]
fn flat(c: &[f64; 11]) -> [f64; 2] {
    [c[0] * c[1] + c[10].sin(), c[2] / c[3]]
}

#[differentiable(jacobian(reverse))]
fn flat_by_rows(c: &[f64; 11]) -> [f64; 2] {
    [c[0] * c[1] + c[10].sin(), c[2] / c[3]]
}

#[test]
fn fixed_arrays_give_fixed_arrays() {
    let c = core::array::from_fn(|k| 0.5 + k as f64);
    let (j, count): ([[f64; 11]; 2], usize) = counted(|| flat_jacobian(&c));
    assert_eq!(count, 0, "nothing is on the heap");
    let mut expected = [[0.0; 11]; 2];
    (expected[0][0], expected[0][1]) = (c[1], c[0]);
    expected[0][10] = c[10].cos();
    (expected[1][2], expected[1][3]) = (1.0 / c[3], -c[2] / (c[3] * c[3]));
    let (by_rows, count) = counted(|| flat_by_rows_jacobian(&c));
    assert_eq!(count, 0, "nothing is on the heap");
    for k in 0..22 {
        assert_close(j[k / 11][k % 11], expected[k / 11][k % 11]);
        assert_close(by_rows[k / 11][k % 11], expected[k / 11][k % 11]);
    }
}

#[differentiable(jacobian)]
fn product(m: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    m.dot(x)
}

#[differentiable(jacobian, wrt(x))]
fn linear(m: &Array2<f64>, x: ArrayView1<'_, f64>) -> Array1<f64> {
    m.dot(&x)
}

#[differentiable(jacobian)]
fn mixed(x: &Array1<f64>, c: &[f64; 2], s: f64) -> Array1<f64> {
    x.mapv(|v| c[0] * v.sin() + c[1] * s)
}

#[differentiable(jacobian)]
fn moments(x: &[f64]) -> [f64; 2] {
    [x.iter().sum(), x.iter().map(|v| v * v).sum()]
}

#[differentiable(jacobian)]
fn parts(x: &Array1<f64>, s: f64) -> (f64, Array1<f64>) {
    (x.dot(x) * s, x * s)
}

#[differentiable(jacobian, hessian)]
fn energy<T: Real>(x: &Array1<T>) -> T {
    let n = x.len();
    sum(n - 1, |i| (x[i + 1] - x[i]).powi(2) * x[i])
}

#[test]
fn output_axes_come_first() {
    let m = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let x = array![0.5, -1.0, 2.0];
    let (by_m, by_x): (Array3<f64>, Array2<f64>) = product_jacobian(&m, &x);
    assert_eq!(by_x, m);
    assert_eq!(linear_jacobian(&m, x.view()), m);
    for ((i, a, b), v) in by_m.indexed_iter() {
        assert_eq!(*v, if i == a { x[b] } else { 0.0 });
    }
    let (by_x, by_c, by_s): (Array2<f64>, Array2<f64>, Array1<f64>) =
        mixed_jacobian(&x, &[2.0, 3.0], 0.25);
    for i in 0..3 {
        for j in 0..3 {
            assert_close(by_x[[i, j]], if i == j { 2.0 * x[i].cos() } else { 0.0 });
        }
        assert_close(by_c[[i, 0]], x[i].sin());
        assert_close(by_c[[i, 1]], 0.25);
        assert_close(by_s[i], 3.0);
    }
    let j: Array2<f64> = moments_jacobian(&[0.5, -1.0, 2.0]);
    assert_eq!(j, array![[1.0, 1.0, 1.0], [1.0, -2.0, 4.0]]);
    type Parts = (Array1<f64>, Array2<f64>);
    let ((by_x, part_by_x), (by_s, part_by_s)): (Parts, (f64, Array1<f64>)) =
        parts_jacobian(&x, 2.0);
    assert_eq!(by_x, array![2.0, -4.0, 8.0]);
    assert_eq!(part_by_x, Array2::<f64>::eye(3) * 2.0);
    assert_eq!((by_s, part_by_s), (5.25, x.clone()));
    assert_eq!(energy_jacobian(&array![1.0_f32, 3.0]), array![0.0_f32, 4.0]);
    let h: Array2<f32> = energy_hessian(&array![1.0_f32, 3.0]);
    assert_eq!(h, array![[-6.0_f32, 2.0], [2.0, 2.0]]);
}

#[test]
fn of_no_elements_and_of_many() {
    let none = Array1::<f64>::zeros(0);
    assert_eq!(
        linear_jacobian(&Array2::zeros((2, 0)), none.view()).dim(),
        (2, 0)
    );
    assert_eq!(
        linear_jacobian(&Array2::zeros((0, 0)), none.view()).dim(),
        (0, 0)
    );
    for n in [1, 9, 65] {
        let m = Array2::from_shape_fn((n, 2 * n), |(i, j)| (i * 3 + j) as f64);
        assert_eq!(linear_jacobian(&m, Array1::ones(2 * n).view()), m);
        let tall = m.t().to_owned();
        assert_eq!(linear_jacobian(&tall, Array1::ones(n).view()), tall);
    }
}

/// A state after some steps.
#[differentiable(jacobian, jvp)]
fn stepped(x: &Array1<f64>, rate: f64, n: usize) -> Array1<f64> {
    let mut y = x.to_owned();
    for _ in 0..n {
        let total: f64 = y.sum();
        y = y.mapv(|v| v + rate * (total - v).sin());
    }
    y
}

/// The same, as long as something holds.
#[differentiable(jacobian(forward), jvp)]
fn until(x: &Array1<f64>) -> Array1<f64> {
    let mut y = x.to_owned();
    while y.sum() < 10.0 {
        y = y.mapv(|v| v * 1.5 + 0.1 * v.sin());
    }
    y
}

#[test]
fn loops() {
    let x = array![0.5, 0.25, -0.125];
    let (by_x, by_rate) = stepped_jacobian(&x, 0.1, 4);
    let by_until = until_jacobian(&x);
    let zero = Array1::zeros(3);
    for j in 0..3 {
        let mut tangent = zero.clone();
        tangent[j] = 1.0;
        let (_, column) = stepped_jvp(&x, 0.1, 4, &tangent, 0.0);
        let (_, until) = until_jvp(&x, &tangent);
        for i in 0..3 {
            assert_close(by_x[[i, j]], column[i]);
            assert_close(by_until[[i, j]], until[i]);
        }
    }
    let (_, column) = stepped_jvp(&x, 0.1, 4, &zero, 1.0);
    assert_close(by_rate[1], column[1]);
}

#[differentiable(value, grad)]
fn of_jacobian(x: &Array1<f64>) -> f64 {
    let (by_x, _) = parts_jacobian(x, 2.0);
    let (first, second) = by_x;
    first.dot(x) + second.sum()
}

#[differentiable(grad, hvp)]
fn cubes(x: &Array1<f64>, s: f64) -> f64 {
    x.iter().map(|v| v * v * v).sum::<f64>() * s
}

#[differentiable(grad)]
fn along(x: &Array1<f64>, d: &Array1<f64>) -> f64 {
    let (by_x, by_s) = cubes_hvp(x, 1.0, d, 0.0);
    by_x.sum() + by_s
}

#[differentiable(grad)]
fn shifted(p: (f64, f64), x: f64) -> f64 {
    p.0 * p.1 * x
}

#[differentiable(value)]
fn last(p: (f64, f64), x: f64) -> f64 {
    let (_, by_x) = shifted_grad(p, x);
    by_x
}

#[test]
fn calls() {
    let x = array![0.5, -1.0];
    assert_close(of_jacobian_value(&x), 4.0 * x.dot(&x) + 4.0);
    let gradient = of_jacobian_grad(&x);
    assert_close(gradient[1], -8.0);
    // Σ 6 x d + Σ 3 x² d
    let (by_x, by_d) = along_grad(&x, &array![2.0, 3.0]);
    assert_close(by_x[0], 6.0 * 2.0 + 6.0 * 0.5 * 2.0);
    assert_close(by_d[1], -6.0 + 3.0);
    let (by_x, by_s) = cubes_hvp(&x, 2.0, &array![1.0, 0.0], 1.0);
    assert_close(by_x[0], 2.0 * 6.0 * 0.5 + 3.0 * 0.25);
    assert_close(by_x[1], 3.0);
    assert_close(by_s, 3.0 * 0.25);
    assert_close(last_value((2.0, 3.0), 5.0), 6.0);
}

#[differentiable(noinline)]
fn apart(x: &Array1<f64>, s: f64) -> Array1<f64> {
    x.mapv(|v| (v * s).exp())
}

fn root_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    (x.sqrt(), cotangent * 0.5 / x.sqrt())
}

fn root_jvp(x: f64, tangent: f64) -> (f64, f64) {
    (x.sqrt(), tangent * 0.5 / x.sqrt())
}

#[custom_derivative(vjp = root_vjp, jvp = root_jvp)]
fn root(x: f64) -> f64 {
    x.sqrt()
}

/// Functions that are called as units.
#[differentiable(jacobian(forward), jvp)]
fn by_columns(x: &Array1<f64>) -> Array1<f64> {
    let y = apart(x, 0.5);
    build(y.len(), |i| root(y[i]) * x[0])
}

#[differentiable(jacobian(reverse))]
fn by_rows(x: &Array1<f64>) -> Array1<f64> {
    let y = apart(x, 0.5);
    build(y.len(), |i| root(y[i]) * x[0])
}

#[test]
fn units() {
    let x = array![0.5, -0.25, 1.0];
    let (columns, rows) = (by_columns_jacobian(&x), by_rows_jacobian(&x));
    for j in 0..3 {
        let mut tangent = Array1::zeros(3);
        tangent[j] = 1.0;
        let (_, column) = by_columns_jvp(&x, &tangent);
        for i in 0..3 {
            assert_close(columns[[i, j]], column[i]);
            assert_close(rows[[i, j]], column[i]);
        }
    }
}

struct Model;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Line {
    slope: f64,
    offset: f64,
}

impl Line {
    #[differentiable(jacobian, into)]
    fn at(&self, x: &Array1<f64>) -> Array1<f64> {
        x.mapv(|v| self.slope * v + self.offset)
    }
}

impl Model {
    #[differentiable(hessian)]
    fn loss(x: &[f64; 2]) -> f64 {
        x[0] * x[0] * x[1]
    }
}

#[test]
fn methods() {
    let line = Line {
        slope: 2.0,
        offset: 1.0,
    };
    let x = array![0.5, -1.0];
    let (by_line, by_x): (Array2<f64>, Array2<f64>) = line.at_jacobian(&x);
    assert_eq!(by_line, array![[0.5, 1.0], [-1.0, 1.0]]);
    assert_eq!(by_x, Array2::<f64>::eye(2) * 2.0);
    assert_eq!(Model::loss_hessian(&[3.0, 4.0]), [[8.0, 6.0], [6.0, 0.0]]);
}

#[differentiable(vjp, jvp, jacobian, into)]
fn waves(x: &Array1<f64>, s: f64) -> Array1<f64> {
    x.mapv(|v| (s * v).sin())
}

#[differentiable(vjp, jvp, hvp, into, grad)]
fn total(x: &Array1<f64>) -> f64 {
    x.iter().map(|v| v.exp()).sum()
}

#[test]
fn results_are_written_where_there_is_room() {
    let x = Array1::from_shape_fn(100, |i| 0.01 * i as f64);
    let mut workspace = Workspace::default();
    let (mut value, mut tangent) = (Array1::zeros(100), Array1::zeros(100));
    let mut gradient = (Array1::zeros(100), 0.0);
    let mut jacobian = (Array2::zeros((100, 100)), Array1::zeros(100));
    let (mut number, mut along) = (0.0, Array1::zeros(100));
    let mut call = || {
        waves_jvp_into(&x, 2.0, &x, 1.0, &mut value, &mut tangent, &mut workspace);
        waves_vjp_into(&x, 2.0, &x, &mut value, &mut gradient, &mut workspace);
        waves_jacobian_into(&x, 2.0, &mut jacobian, &mut workspace);
        let same: f64 = total_jvp_into(&x, &x, &mut number, &mut workspace);
        total_hvp_into(&x, &x, &mut along, &mut workspace);
        same
    };
    call();
    let (same, count) = counted(call);
    assert_eq!(count, 0, "a second call asks for no memory");
    assert_close(same, total(&x));
    assert_eq!((value, tangent), waves_jvp(&x, 2.0, &x, 1.0));
    assert_eq!(gradient, waves_vjp(&x, 2.0, &x).1);
    assert_eq!(jacobian, waves_jacobian(&x, 2.0));
    assert_eq!(along, total_hvp(&x, &x));
    assert_close(number, total_jvp(&x, &x).1);
}

/// Several tangents, and several cotangents.
#[differentiable(jvps, vjps, jvp, vjp)]
fn bent(x: &Array1<f64>, c: &[f64; 2], s: f64) -> Array1<f64> {
    let total = x.sum();
    x.mapv(|v| (c[0] * v).sin() * s + c[1] * total)
}

#[differentiable(jvps, vjps)]
fn sizes(x: f64, y: ArrayView1<'_, f64>) -> (f64, Array1<f64>) {
    (x * y.sum(), &y * x)
}

#[test]
fn several_at_once() {
    let (x, c, s) = (array![0.5, -1.0, 2.0], [0.75, -0.25], 1.5);
    let along_x = array![[1.0, 0.0, 0.5], [0.0, -2.0, 1.0]];
    let along_c = [[0.5, 1.0], [-1.0, 0.25]];
    let along_s = array![0.125, 2.0];
    let (value, tangents): (_, Array2<f64>) = bent_jvps(&x, &c, s, &along_x, &along_c, &along_s);
    for k in 0..2 {
        let row = along_x.row(k).to_owned();
        let (one, tangent) = bent_jvp(&x, &c, s, &row, &along_c[k], along_s[k]);
        assert_eq!(value, one);
        for i in 0..3 {
            assert_close(tangents[[k, i]], tangent[i]);
        }
    }
    let (value, (by_x, by_c, by_s)): (_, (Array2<f64>, Vec<[f64; 2]>, Array1<f64>)) =
        bent_vjps(&x, &c, s, &along_x);
    for k in 0..2 {
        let (one, (x_bar, c_bar, s_bar)) = bent_vjp(&x, &c, s, &along_x.row(k).to_owned());
        assert_eq!(value, one);
        for i in 0..3 {
            assert_close(by_x[[k, i]], x_bar[i]);
        }
        assert_close(by_c[k][0], c_bar[0]);
        assert_close(by_c[k][1], c_bar[1]);
        assert_close(by_s[k], s_bar);
    }
    let y = array![1.0, 2.0];
    let along_y = Array2::from_shape_fn((3, 2), |(k, i)| (k + i) as f64);
    let (_, (first, second)): (_, (Array1<f64>, Array2<f64>)) =
        sizes_jvps(0.5, y.view(), &array![0.0, 1.0, 2.0], along_y.view());
    assert_eq!(first, array![0.5, 3.0 + 1.5, 6.0 + 2.5]);
    assert_eq!(second.row(1), array![1.0 + 0.5, 2.0 + 1.0]);
    let (_, (by_x, by_y)) = sizes_vjps(
        0.5,
        y.view(),
        &(array![1.0, 0.0], array![[0.0, 0.0], [1.0, 2.0]]),
    );
    assert_eq!(
        (by_x, by_y),
        (array![3.0, 5.0], array![[0.5, 0.5], [0.5, 1.0]])
    );
    let none = bent_jvps(&x, &c, s, &Array2::zeros((0, 3)), &[], &Array1::zeros(0)).1;
    assert_eq!(none.dim(), (0, 3));
}

#[test]
#[should_panic(expected = "x_tangents")]
fn several_have_one_length() {
    let x = array![0.5, -1.0];
    bent_jvps(
        &x,
        &[1.0, 2.0],
        0.5,
        &Array2::zeros((2, 3)),
        &[[0.0; 2]; 2],
        &Array1::zeros(2),
    );
}

/// Several structs are a list of them, and so are several fixed-size arrays.
#[differentiable(jvps, vjps, jvp, vjp)]
fn aimed(camera: &Camera, line: Line, way: (f64, [f64; 2])) -> (Line, [f64; 2], f64) {
    let (speed, at) = way;
    let slope = camera.focal * line.slope + camera.rotation[0] * at[0] * camera.width as f64;
    let offset = speed.sin() * line.offset;
    let place = [camera.centre[1] * at[1], camera.distortion[0] * slope];
    (Line { slope, offset }, place, speed * offset)
}

/// The slopes along several directions, by a function that is differentiated.
#[differentiable(vjp)]
fn steepness(camera: &Camera, line: &Line, ways: &[Line]) -> f64 {
    let way = (0.5, [1.0, -2.0]);
    let still = Camera {
        focal: 1.0,
        ..camera.clone()
    };
    let (_, (lines, places, _)) = aimed_jvps(
        camera,
        line.clone(),
        way,
        &[still.clone(), still],
        ways,
        &(array![0.5, 0.25], vec![[1.0, 2.0], [0.5, 0.25]]),
    );
    lines[0].slope * lines[1].offset + places[1][0]
}

#[test]
fn several_structs_at_once() {
    let (camera, line) = (
        camera(),
        Line {
            slope: 0.5,
            offset: -0.25,
        },
    );
    let way = (0.75, [1.5, -0.5]);
    let turned = |s: f64| Camera {
        rotation: [s, 1.0, -s],
        focal: s * s,
        ..camera.clone()
    };
    let cameras = [turned(0.5), turned(-1.0), turned(2.0)];
    let lines = [0.5, 1.0, -1.5].map(|slope| Line {
        slope,
        offset: slope * slope,
    });
    let ways = (
        array![1.0, 0.5, -0.5],
        vec![[1.0, 0.0], [0.25, -1.0], [0.0, 2.0]],
    );
    let (value, (slopes, places, speeds)): (_, (Vec<Line>, Vec<[f64; 2]>, Array1<f64>)) =
        aimed_jvps(&camera, line.clone(), way, &cameras, &lines, &ways);
    for k in 0..3 {
        let along = (ways.0[k], ways.1[k]);
        let (one, (slope, place, speed)) = aimed_jvp(
            &camera,
            line.clone(),
            way,
            &cameras[k],
            lines[k].clone(),
            along,
        );
        assert_eq!(value, one);
        assert_close(slopes[k].slope, slope.slope);
        assert_close(slopes[k].offset, slope.offset);
        assert_close(places[k][1], place[1]);
        assert_close(speeds[k], speed);
    }
    let cotangents = (slopes, places, speeds);
    let (_, (by_camera, by_line, by_way)): (_, (Vec<Camera>, Vec<Line>, _)) =
        aimed_vjps(&camera, line.clone(), way, &cotangents);
    for k in 0..3 {
        let one = (cotangents.0[k].clone(), cotangents.1[k], cotangents.2[k]);
        let (_, (camera_bar, line_bar, way_bar)) = aimed_vjp(&camera, line.clone(), way, &one);
        assert_eq!(by_camera[k].width, camera.width);
        assert_close(by_camera[k].centre[1], camera_bar.centre[1]);
        assert_close(by_camera[k].focal, camera_bar.focal);
        assert_close(by_line[k].slope, line_bar.slope);
        assert_close(by_way.0[k], way_bar.0);
        assert_close(by_way.1[k][0], way_bar.1[0]);
    }
    let none = aimed_jvps(&camera, line.clone(), way, &[], &[], &(array![], vec![]));
    assert_eq!(none.1, (vec![], vec![], array![]));

    let ways = lines[..2].to_vec();
    let (value, (by_camera, by_line, _)) = steepness_vjp(&camera, &line, &ways, 1.0);
    assert_close(value, steepness(&camera, &line, &ways));
    assert_eq!(by_camera.width, camera.width);
    let moved = |by: f64| {
        let offset = line.offset + by;
        steepness(
            &camera,
            &Line {
                offset,
                ..line.clone()
            },
            &ways,
        )
    };
    let difference = (moved(1e-4) - moved(-1e-4)) / 2e-4;
    assert!((by_line.offset - difference).abs() < 1e-6 * (1.0 + difference.abs()));
}

/// Where a body is, and how it moves.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Body {
    place: [f64; 2],
    name: usize,
    mass: f64,
    spin: (f64, f64),
}

#[differentiable(jacobian, jvp)]
fn launched(camera: &Camera, way: &[f64; 2], x: &Array1<f64>, s: f64) -> Body {
    Body {
        place: [camera.focal * way[0], way[1] * x.sum()],
        name: 3,
        mass: s.sin() * way[0],
        spin: (x.dot(x), camera.centre[1] * s),
    }
}

#[differentiable(jacobian)]
fn two_bodies(p: (f64, f64), x: &Array1<f64>) -> ([Body; 2], f64) {
    let body = |c: f64| Body {
        place: [c * p.0, x.sum()],
        name: 3,
        mass: p.1,
        spin: (0.0, p.0 * p.1),
    };
    ([body(1.0), body(2.0)], p.0 * p.1)
}

#[differentiable(grad, hessian, hvp)]
fn kinetic(b: &Body) -> f64 {
    b.mass * b.place[0] * b.place[1] + b.spin.0.powi(3) + b.spin.1 * b.mass
}

#[differentiable(value)]
fn trace(b: &Body) -> f64 {
    let rows = kinetic_hessian(b);
    rows[0].place[0] + rows[1].place[1] + rows[3].spin.0
}

#[test]
fn a_struct_counts_as_its_numbers() {
    let (camera, way, x) = (camera(), [0.5, -2.0], array![1.0, 3.0, 0.25]);
    let (by_camera, by_way, by_x, by_s) = launched_jacobian(&camera, &way, &x, 0.5);
    let _: (&[Camera; 5], &[[f64; 2]; 5], &Array2<f64>, &[f64; 5]) =
        (&by_camera, &by_way, &by_x, &by_s);
    assert_eq!(by_camera[0].focal, 0.5);
    assert_eq!(by_camera[4].centre, [0.0, 0.5, 0.0]);
    assert_eq!(by_camera[4].width, 640);
    assert_eq!(
        by_way,
        [
            [1.5, 0.0],
            [0.0, 4.25],
            [0.5_f64.sin(), 0.0],
            [0.0; 2],
            [0.0; 2]
        ]
    );
    assert_eq!(by_x.dim(), (5, 3));
    assert_eq!(by_x.row(1), array![-2.0, -2.0, -2.0]);
    assert_eq!(by_x.row(3), &x * 2.0);
    assert_eq!(by_s, [0.0, 0.0, 0.5 * 0.5_f64.cos(), 0.0, 0.2]);

    let ((bodies, product), (by_x, of_product)) = two_bodies_jacobian((2.0, 3.0), &x);
    let _: (&([[f64; 5]; 2], [[f64; 5]; 2]), &Array3<f64>, &Array1<f64>) =
        (&bodies, &by_x, &of_product);
    assert_eq!(
        bodies.0,
        [[1.0, 0.0, 0.0, 0.0, 3.0], [2.0, 0.0, 0.0, 0.0, 3.0]]
    );
    assert_eq!(
        (bodies.1[1], product),
        ([0.0, 0.0, 1.0, 0.0, 2.0], (3.0, 2.0))
    );
    assert_eq!((by_x.dim(), of_product), ((2, 5, 3), Array1::zeros(3)));
}

#[test]
fn a_hessian_by_a_struct_has_a_gradient_for_each_number() {
    let b = Body {
        place: [2.0, 3.0],
        name: 7,
        mass: 5.0,
        spin: (7.0, 11.0),
    };
    let rows: [Body; 5] = kinetic_hessian(&b);
    assert_eq!(rows[0].place, [0.0, 5.0]);
    assert_eq!(
        (rows[0].mass, rows[2].place, rows[2].spin.1),
        (3.0, [3.0, 2.0], 1.0)
    );
    assert_eq!((rows[3].spin, rows[4].mass), ((42.0, 0.0), 1.0));
    assert_eq!(rows[4].name, 7);
    assert_eq!(trace_value(&b), 42.0);
    for (k, row) in rows.iter().enumerate() {
        let mut direction = b.map_reals(|_| 0.0);
        let unit: Vec<f64> = (0..5).map(|j| f64::from(u8::from(j == k))).collect();
        direction.read_from(&unit);
        assert_eq!(kinetic_hvp(&b, &direction), *row);
    }
}

/// A function that may fail.
#[differentiable(jacobian, hvp, hessian, jvp, into)]
fn checked(x: &[f64; 2]) -> Option<f64> {
    if x[0] < 0.0 {
        return None;
    }
    Some(x[0] * x[0] * x[1])
}

#[test]
fn functions_that_fail() {
    assert_eq!(checked_jacobian(&[1.0, 3.0]), Some([6.0, 1.0]));
    assert_eq!(checked_hessian(&[1.0, 3.0]), Some([[6.0, 2.0], [2.0, 0.0]]));
    assert_eq!(checked_hvp(&[-1.0, 3.0], &[1.0, 0.0]), None);
    let (mut tangent, mut workspace) = (0.0, Workspace::default());
    let value = checked_jvp_into(&[1.0, 3.0], &[1.0, 0.0], &mut tangent, &mut workspace);
    assert_eq!((value, tangent), (Some(3.0), 6.0));
}

/// A loop that has no rounds for one element, and none for nothing.
#[differentiable(hessian)]
fn chained(x: &Array1<f64>) -> f64 {
    let mut s = 0.5;
    for i in 1..x.len() {
        s = s * x[i].sin() + x[i - 1];
    }
    s
}

#[test]
fn loops_without_rounds_have_hessians() {
    assert_eq!(chained_hessian(&array![]), Array2::<f64>::zeros((0, 0)));
    assert_eq!(chained_hessian(&array![0.3]), array![[0.0]]);
    let twice = chained_hessian(&array![0.3, 0.7]);
    assert_eq!(twice, array![[0.0, 0.0], [0.0, -0.5 * 0.7_f64.sin()]]);
}

/// A mixture of Gaussians whose parameters are one vector, see the program of this name in the zoo.
#[differentiable(grad, hessian, wrt(p))]
fn mixture_of_one_vector(p: &Array1<f64>, k: usize, x: &Array2<f64>) -> f64 {
    let (n, d) = x.dim();
    let packed = d * (d + 1) / 2;
    sum(n, |i| {
        logsumexp(k, |c| {
            let squares = sum(d, |r| {
                let factors = k + k * d + packed * c + r * (r + 1) / 2;
                let z = sum(r + 1, |s| p[factors + s] * (x[[i, s]] - p[k + d * c + s]));
                z * z
            });
            p[c] - 0.5 * squares
        })
    })
}

#[test]
fn a_hessian_of_many_columns_is_made_in_tiles() {
    for (n, k, d) in [(0, 2, 3), (1, 3, 2), (9, 2, 4), (65, 3, 3), (300, 4, 5)] {
        let count = k + k * d + k * d * (d + 1) / 2;
        let mut p = Array1::from_shape_fn(count, |j| (1.3 * j as f64).sin());
        let x = Array2::from_shape_fn((n, d), |(i, j)| (0.7 * (i * d + j) as f64).cos());
        for is_dead in [false, true] {
            if is_dead {
                p[0] = f64::NEG_INFINITY;
            }
            let hessian = mixture_of_one_vector_hessian(&p, k, &x);
            let near = |j: usize, step: f64| {
                let mut p = p.clone();
                p[j] += step;
                mixture_of_one_vector_grad(&p, k, &x)
            };
            for j in usize::from(is_dead)..count {
                let column = (near(j, 1e-5) - near(j, -1e-5)) / 2e-5;
                for (i, v) in column.iter().enumerate() {
                    let h = hessian[[i, j]];
                    let size = 1.0 + h.abs() + n as f64;
                    assert!((h - v).abs() < 1e-6 * size, "{n}: {i}, {j}: {h} or {v}");
                    assert!((h - hessian[[j, i]]).abs() < 1e-10 * size, "{i}, {j}");
                }
            }
        }
    }
}
