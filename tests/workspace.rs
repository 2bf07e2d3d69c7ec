//! Gradients written where there is room for them: right, and without an allocation after the first
//! call.

use cotangent::Workspace;
use cotangent::ndarray::{Array1, Array2, ArrayView2, Axis, ShapeBuilder, array};
use cotangent::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;

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

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(start, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Calls a function three times: what it writes is the gradient, and only the first call allocates.
fn check<G: Clone + PartialEq + Debug>(
    gradient: &G,
    room: &mut G,
    call: &dyn Fn(&mut G, &mut Workspace),
) {
    let blank = room.clone();
    let mut workspace = Workspace::default();
    for round in 0..3 {
        room.clone_from(&blank);
        let before = COUNT.get();
        call(room, &mut workspace);
        let allocations = COUNT.get() - before;
        assert_eq!(room, gradient);
        if round == 0 {
            assert!(allocations > 0, "nothing to save");
        } else {
            assert_eq!(allocations, 0, "in round {round}");
        }
    }
}

/// Elementwise functions, matrix products, reductions, and data that do not lie in rows.
#[differentiable(grad, into)]
fn mixture(x: ArrayView2<'_, f64>, centres: &Array2<f64>, weights: &[f64]) -> f64 {
    let (n, k) = (x.nrows(), centres.nrows());
    let scores = x.dot(&centres.t());
    sum(n, |i| {
        logsumexp(k, |j| {
            weights[j] + scores[[i, j]] - 0.5 * sum(x.ncols(), |d| centres[[j, d]].powi(2))
        })
    })
}

#[test]
fn arrays_and_slices() {
    let x = Array2::from_shape_fn((5, 3).f(), |(i, j)| (i as f64 - j as f64) * 0.3);
    let centres = array![[0.1, 0.2, 0.3], [1.0, -1.0, 0.5]];
    let weights = [0.3, -0.2];
    let gradient = mixture_grad(x.view(), &centres, &weights);
    let mut room = (Array2::ones((5, 3)), Array2::ones((2, 3)), vec![1.0; 2]);
    check(&gradient, &mut room, &|room, workspace| {
        mixture_grad_into(x.view(), &centres, &weights, room, workspace);
    });
    let value = mixture(x.view(), &centres, &weights);
    check(&gradient, &mut room, &|room, workspace| {
        let found = mixture_value_and_grad_into(x.view(), &centres, &weights, room, workspace);
        assert!((found - value).abs() < 1e-12);
    });
}

/// Loops that keep states, with a number of steps that is known and one that is not; and products
/// of larger matrices.
#[differentiable(grad, into)]
fn simulated(a: &Array2<f64>, start: &Array1<f64>, steps: usize) -> f64 {
    let mut x = start.clone();
    let mut history = Array1::zeros(steps);
    for t in 0..steps {
        x = a.dot(&x).mapv(f64::tanh);
        history[t] = x.sum();
    }
    let mut far = 1.0;
    while far < 50.0 {
        far = far * 1.5 + x[0] * x[0];
    }
    let square = a.dot(a);
    far * history.product() + square.sum_axis(Axis(0)).sum()
}

#[test]
fn loops() {
    let n = 12;
    let a = Array2::from_shape_fn((n, n), |(i, j)| ((i * n + j) as f64).sin() / n as f64);
    let start = Array1::from_shape_fn(n, |i| (i as f64).cos());
    let gradient = simulated_grad(&a, &start, 7);
    let mut room = (a.clone(), start.clone());
    check(&gradient, &mut room, &|room, workspace| {
        simulated_grad_into(&a, &start, 7, room, workspace);
    });
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model<T> {
    weights: Array1<T>,
    scale: T,
    pairs: [[T; 2]; 3],
    power: i32,
}

#[differentiable(grad, into, wrt(model))]
fn fitted<T: Real>(model: &Model<T>, x: &Array1<T>) -> T {
    let inner = sum(x.len(), |i| model.weights[i] * x[i]);
    let outer = sum(3, |k| model.pairs[k][0] * model.pairs[k][1]);
    (model.scale * inner * outer).powi(model.power)
}

#[test]
fn structs() {
    let model = Model {
        weights: array![1.0_f32, 2.0],
        scale: 0.5,
        pairs: [[1.0, 2.0], [0.5, 0.25], [3.0, 1.0]],
        power: 2,
    };
    let x = array![0.5, -1.0];
    let gradient = fitted_grad(&model, &x);
    let mut room = model.clone();
    check(&gradient, &mut room, &|room, workspace| {
        fitted_grad_into(&model, &x, room, workspace);
    });
}

#[derive(Differentiable)]
struct Ridge {
    strength: f64,
}

impl Ridge {
    #[differentiable(grad, into, wrt(w))]
    fn loss(&self, w: &Array1<f64>, gradient: &Array1<f64>) -> f64 {
        let scaled = w.mapv(|w| w.exp() * self.strength);
        scaled.dot(&scaled) + w.dot(gradient)
    }
}

#[test]
fn methods_and_names_that_are_taken() {
    let (ridge, w) = (Ridge { strength: 0.5 }, array![1.0, -1.0, 0.5]);
    let expected = ridge.loss_grad(&w, &w);
    check(&expected, &mut w.clone(), &|room, workspace| {
        ridge.loss_grad_into(&w, &w, room, workspace);
    });
}

#[test]
fn one_workspace_serves_all() {
    let (ridge, a) = (Ridge { strength: 0.5 }, array![[0.5, 0.25], [0.0, 1.0]]);
    let mut workspace = Workspace::new();
    let (mut room, mut both) = (array![0.0, 0.0], (a.clone(), array![0.0, 0.0]));
    let (w, start) = (array![1.0, 2.0], array![0.5, 1.0]);
    for round in 0..3 {
        let before = COUNT.get();
        ridge.loss_grad_into(&w, &w, &mut room, &mut workspace);
        simulated_grad_into(&a, &start, 3, &mut both, &mut workspace);
        assert_eq!(COUNT.get() == before, round > 0);
    }
    assert_eq!(room, ridge.loss_grad(&w, &w));
    assert_eq!(both, simulated_grad(&a, &start, 3));
    assert!(workspace.bytes() > 0);
    // It may go to another thread.
    std::thread::spawn(move || drop(workspace)).join().unwrap();
}

#[test]
#[should_panic(expected = "a gradient of shape [2] is to be written into an array of shape [3]")]
fn the_room_has_the_shape() {
    let (ridge, w) = (Ridge { strength: 0.5 }, array![1.0, 2.0]);
    ridge.loss_grad_into(&w, &w, &mut array![0.0, 0.0, 0.0], &mut Workspace::new());
}
