//! dfdx: tensors with the tape in their type; the shapes are known when it runs, as everywhere
//! here. Its convolutions are not there in stable Rust.

use crate::{Build, Inputs, Objective, Opened, Peer};
use dfdx::prelude::*;

type Vector = Tensor<(usize,), f64, Cpu>;
type Matrix = Tensor<(usize, usize), f64, Cpu>;
type Taped = OwnedTape<f64, Cpu>;
/// With the tape.
type Value = Tensor<Rank0, f64, Cpu, Taped>;

pub(crate) fn peer() -> Peer {
    let models: Vec<(_, Build)> = vec![
        ("mlp", Box::new(mlp)),
        ("logistic", Box::new(logistic)),
        ("nnmf", Box::new(nnmf)),
    ];
    Peer {
        name: "dfdx",
        models,
    }
}

fn mlp(inputs: &Inputs) -> Box<dyn Objective> {
    let (x, y) = (matrix(inputs, "x"), matrix(inputs, "y"));
    let (w1, w2) = (matrix(inputs, "w1"), matrix(inputs, "w2"));
    let (b1, b2) = (vector(inputs, "b1"), vector(inputs, "b2"));
    let of = (w1.clone(), b1.clone(), w2.clone(), b2.clone());
    objective(
        move || {
            let product = x.leaky_trace().matmul(w1.clone());
            let bias = rows(&b1, &product);
            let product = (product + bias).tanh().matmul(w2.clone());
            let bias = rows(&b2, &product);
            (product + bias - y.clone()).square().mean()
        },
        move |g| {
            [
                part(&of.0, g),
                part(&of.1, g),
                part(&of.2, g),
                part(&of.3, g),
            ]
        },
    )
}

fn logistic(inputs: &Inputs) -> Box<dyn Objective> {
    let (x, y) = (matrix(inputs, "x"), vector(inputs, "y"));
    let w = vector(inputs, "w");
    let b = Cpu::default().tensor_from_vec(inputs.get("b").0, ());
    let of = (w.clone(), b.clone());
    objective(
        move || {
            let product = x.leaky_trace().matmul(w.clone());
            let bias = b.retaped::<Taped>().broadcast_like(&product);
            (product + bias).bce_with_logits(y.clone()).mean()
        },
        move |g| [part(&of.0, g), part(&of.1, g)],
    )
}

fn nnmf(inputs: &Inputs) -> Box<dyn Objective> {
    let (w, h, x) = (
        matrix(inputs, "w"),
        matrix(inputs, "h"),
        matrix(inputs, "x"),
    );
    let of = (w.clone(), h.clone());
    objective(
        move || {
            (w.leaky_trace().matmul(h.clone()) - x.clone())
                .square()
                .sum()
                * 0.5
        },
        move |g| [part(&of.0, g), part(&of.1, g)],
    )
}

fn vector(inputs: &Inputs, name: &str) -> Vector {
    let (elements, shape) = inputs.get(name);
    Cpu::default().tensor_from_vec(elements, (shape[0],))
}

fn matrix(inputs: &Inputs, name: &str) -> Matrix {
    let (elements, shape) = inputs.get(name);
    Cpu::default().tensor_from_vec(elements, (shape[0], shape[1]))
}

/// As many times this vector as there are rows.
fn rows(
    vector: &Vector,
    like: &Tensor<(usize, usize), f64, Cpu, Taped>,
) -> Tensor<(usize, usize), f64, Cpu, Taped> {
    vector.retaped::<Taped>().broadcast_like::<_, Axis<0>>(like)
}

/// The elements of the gradient by this variable.
fn part<S: Shape>(variable: &Tensor<S, f64, Cpu>, gradient: &Gradients<f64, Cpu>) -> Vec<f64> {
    gradient.get(variable).as_vec()
}

/// A function, and how the parts of its gradient are read.
fn objective<const N: usize>(
    function: impl Fn() -> Value + 'static,
    parts: impl Fn(&Gradients<f64, Cpu>) -> [Vec<f64>; N] + 'static,
) -> Box<dyn Objective> {
    Box::new(Opened {
        run: move || {
            let value = function();
            (value.array(), value.backward())
        },
        numbers: move |(value, gradient)| (value, parts(&gradient).into()),
    })
}
