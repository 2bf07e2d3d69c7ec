//! candle: tensors whose operations are recorded as they run.

use crate::{Build, Inputs, Objective, Opened, Peer};
use candle_core::backprop::GradStore;
use candle_core::{Device, Result, Tensor, Var};

pub(crate) fn peer() -> Peer {
    let models: Vec<(_, Build)> = vec![
        ("mlp", Box::new(mlp)),
        ("logistic", Box::new(logistic)),
        ("nnmf", Box::new(nnmf)),
        ("conv", Box::new(conv)),
    ];
    Peer {
        name: "candle",
        models,
    }
}

fn mlp(inputs: &Inputs) -> Box<dyn Objective> {
    let (x, y) = (constant(inputs, "x"), constant(inputs, "y"));
    objective(inputs, ["w1", "b1", "w2", "b2"], move |[w1, b1, w2, b2]| {
        let hidden = x.matmul(w1)?.broadcast_add(b1)?.tanh()?;
        let error = (hidden.matmul(w2)?.broadcast_add(b2)? - &y)?;
        error.sqr()?.mean_all()
    })
}

fn logistic(inputs: &Inputs) -> Box<dyn Objective> {
    let (x, y) = (constant(inputs, "x"), constant(inputs, "y"));
    objective(inputs, ["w", "b"], move |[w, b]| {
        let z = x.matmul(&w.unsqueeze(1)?)?.squeeze(1)?.broadcast_add(b)?;
        // There is no softplus that keeps small numbers apart, and no logarithm of 1 + x.
        let softplus = (z.relu()? + (z.abs()?.neg()?.exp()? + 1.0)?.log()?)?;
        (softplus - (&y * &z)?)?.mean_all()
    })
}

fn nnmf(inputs: &Inputs) -> Box<dyn Objective> {
    let x = constant(inputs, "x");
    objective(inputs, ["w", "h"], move |[w, h]| {
        (&x - w.matmul(h)?)?.sqr()?.sum_all()? * 0.5
    })
}

fn conv(inputs: &Inputs) -> Box<dyn Objective> {
    let wanted = constant(inputs, "wanted");
    objective(inputs, ["image", "kernel"], move |[image, kernel]| {
        let pictures = |x: &Tensor| x.unsqueeze(0)?.unsqueeze(0);
        let here = pictures(image)?.conv2d(&pictures(kernel)?, 0, 1, 1, 1)?;
        (here.squeeze(0)?.squeeze(0)? - &wanted)?.sqr()?.mean_all()
    })
}

fn constant(inputs: &Inputs, name: &str) -> Tensor {
    let (elements, shape) = inputs.get(name);
    Tensor::from_vec(elements, shape, &Device::Cpu).expect("it has as many elements")
}

/// A function of these arguments.
fn objective<const N: usize>(
    inputs: &Inputs,
    names: [&str; N],
    function: impl Fn([&Tensor; N]) -> Result<Tensor> + 'static,
) -> Box<dyn Objective> {
    let variables =
        names.map(|name| Var::from_tensor(&constant(inputs, name)).expect("it is copied"));
    let arguments = variables.clone();
    Box::new(Opened {
        run: move || {
            let value =
                function(arguments.each_ref().map(Var::as_tensor)).expect("it can be computed");
            let gradient = value.backward().expect("it can be differentiated");
            (value, gradient)
        },
        numbers: move |(value, gradient): (Tensor, GradStore)| {
            let parts = variables.iter().map(|v| {
                let part = gradient.get(v).expect("it depends on all");
                let elements = part.flatten_all().and_then(|p| p.to_vec1());
                elements.expect("it is on the processor")
            });
            (
                value.to_scalar().expect("it is one number"),
                parts.collect(),
            )
        },
    })
}
