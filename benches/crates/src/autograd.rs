//! autograd: a graph that is built first, and evaluated then. Building is part of what is timed; it
//! is a few microseconds.

use crate::{Build, Inputs, Objective, Opened, Peer};
use autograd::ndarray::{ArrayD, IxDyn};
use autograd::ndarray_ext::into_shared;
use autograd::tensor::Variable;
use autograd::{EvalError, Graph, Tensor};

pub(crate) fn peer() -> Peer {
    let models: Vec<(_, Build)> = vec![
        ("mlp", Box::new(mlp)),
        ("logistic", Box::new(logistic)),
        ("nnmf", Box::new(nnmf)),
        ("conv", Box::new(conv)),
    ];
    Peer {
        name: "autograd",
        models,
    }
}

fn mlp(inputs: &Inputs) -> Box<dyn Objective> {
    objective(
        inputs,
        ["w1", "b1", "w2", "b2"],
        ["x", "y"],
        |g, [w1, b1, w2, b2], [x, y]| {
            // The gradient of a sum needs axes that are there.
            let row = |b| g.expand_dims(b, &[0]);
            let hidden = g.tanh(g.matmul(x, w1) + row(b1));
            let error = g.matmul(hidden, w2) + row(b2) - y;
            g.reduce_mean(g.square(error), &[0, 1], false)
        },
    )
}

fn logistic(inputs: &Inputs) -> Box<dyn Objective> {
    objective(inputs, ["w", "b"], ["x", "y"], |g, [w, b], [x, y]| {
        let z = g.squeeze(g.matmul(x, g.expand_dims(w, &[1])), &[1]) + b;
        g.reduce_mean(g.sigmoid_cross_entropy(z, y), &[0], false)
    })
}

fn nnmf(inputs: &Inputs) -> Box<dyn Objective> {
    objective(inputs, ["w", "h"], ["x"], |g, [w, h], [x]| {
        g.reduce_sum(g.square(x - g.matmul(w, h)), &[0, 1], false) * g.scalar(0.5)
    })
}

fn conv(inputs: &Inputs) -> Box<dyn Objective> {
    objective(
        inputs,
        ["image", "kernel"],
        ["wanted"],
        |g, [image, kernel], [wanted]| {
            let pictures = |x| g.expand_dims(x, &[0, 1]);
            let here = g.squeeze(g.conv2d(pictures(image), pictures(kernel), 0, 1), &[0, 1]);
            g.reduce_mean(g.square(here - wanted), &[0, 1], false)
        },
    )
}

fn constant(inputs: &Inputs, name: &str) -> ArrayD<f64> {
    let (elements, shape) = inputs.get(name);
    ArrayD::from_shape_vec(IxDyn(&shape), elements).expect("it has as many elements")
}

/// A function of these arguments, by the first of which it is differentiated.
fn objective<const N: usize, const M: usize>(
    inputs: &Inputs,
    variables: [&'static str; N],
    constants: [&'static str; M],
    function: impl for<'g> Fn(
        &'g Graph<f64>,
        [Tensor<'g, f64>; N],
        [Tensor<'g, f64>; M],
    ) -> Tensor<'g, f64>
    + 'static,
) -> Box<dyn Objective> {
    let variables = variables.map(|name| into_shared(constant(inputs, name)));
    let constants = constants.map(|name| constant(inputs, name));
    Box::new(Opened {
        run: move || {
            autograd::run(|g: &mut Graph<f64>| {
                let g = &*g;
                let of = variables.each_ref().map(|x| g.variable(x.clone()));
                let given = constants.each_ref().map(|x| {
                    let shape: Vec<isize> = x.shape().iter().map(|&n| n as isize).collect();
                    g.placeholder(&shape)
                });
                let value = function(g, of, given);
                let mut wanted = vec![value];
                wanted.extend(g.grad(&[value], &of));
                let feeds: Vec<_> = given
                    .iter()
                    .zip(&constants)
                    .map(|(t, x)| t.given(x.view()))
                    .collect();
                g.eval(&wanted, &feeds)
            })
        },
        numbers: |results: Vec<Result<ArrayD<f64>, EvalError>>| {
            let mut results = (results.into_iter()).map(|x| {
                let x = x.expect("it can be computed");
                x.iter().copied().collect::<Vec<f64>>()
            });
            let value = results.next().expect("it comes first")[0];
            (value, results.collect())
        },
    })
}
