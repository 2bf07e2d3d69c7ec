//! burn: tensors whose operations are recorded as they run, on its device for processors that is
//! Rust alone.

use crate::{Build, Inputs, Objective, Opened, Peer};
use burn_tensor::{
    DType, Device, Gradients, Tensor, TensorData, activation::softplus, module, ops::ConvOptions,
};

pub(crate) fn peer() -> Peer {
    let device = Device::flex().autodiff();
    let on = |build: fn(&Data<'_>) -> Box<dyn Objective>| -> Build {
        let device = device.clone();
        Box::new(move |inputs| {
            let device = device.clone();
            build(&Data { inputs, device })
        })
    };
    let models = vec![
        ("mlp", on(mlp)),
        ("logistic", on(logistic)),
        ("nnmf", on(nnmf)),
        ("conv", on(conv)),
    ];
    Peer {
        name: "burn",
        models,
    }
}

/// The arguments, and where they go.
struct Data<'a> {
    inputs: &'a Inputs,
    device: Device,
}

impl Data<'_> {
    fn constant<const D: usize>(&self, name: &str) -> Tensor<D> {
        let (elements, shape) = self.inputs.get(name);
        // A number is a tensor of one element.
        let shape = if shape.is_empty() { vec![1] } else { shape };
        Tensor::from_data(TensorData::new(elements, shape), (&self.device, DType::F64))
    }

    fn variable<const D: usize>(&self, name: &str) -> Tensor<D> {
        self.constant(name).require_grad()
    }
}

fn mlp(data: &Data<'_>) -> Box<dyn Objective> {
    let (x, y) = (data.constant::<2>("x"), data.constant::<2>("y"));
    let (w1, w2) = (data.variable::<2>("w1"), data.variable::<2>("w2"));
    let (b1, b2) = (data.variable::<1>("b1"), data.variable::<1>("b2"));
    let of = (w1.clone(), b1.clone(), w2.clone(), b2.clone());
    objective(
        move || {
            let hidden = (x.clone().matmul(w1.clone()) + b1.clone().unsqueeze()).tanh();
            let error = hidden.matmul(w2.clone()) + b2.clone().unsqueeze() - y.clone();
            error.square().mean()
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

fn logistic(data: &Data<'_>) -> Box<dyn Objective> {
    let (x, y) = (data.constant::<2>("x"), data.constant::<1>("y"));
    let (w, b) = (data.variable::<1>("w"), data.variable::<1>("b"));
    let of = (w.clone(), b.clone());
    objective(
        move || {
            let product: Tensor<1> = x.clone().matmul(w.clone().unsqueeze_dim(1)).squeeze_dim(1);
            let z = product + b.clone();
            (softplus(z.clone(), 1.0) - y.clone() * z).mean()
        },
        move |g| [part(&of.0, g), part(&of.1, g)],
    )
}

fn nnmf(data: &Data<'_>) -> Box<dyn Objective> {
    let x = data.constant::<2>("x");
    let (w, h) = (data.variable::<2>("w"), data.variable::<2>("h"));
    let of = (w.clone(), h.clone());
    objective(
        move || (x.clone() - w.clone().matmul(h.clone())).square().sum() * 0.5,
        move |g| [part(&of.0, g), part(&of.1, g)],
    )
}

fn conv(data: &Data<'_>) -> Box<dyn Objective> {
    let wanted = data.constant::<2>("wanted");
    let (image, kernel) = (data.variable::<2>("image"), data.variable::<2>("kernel"));
    let of = (image.clone(), kernel.clone());
    objective(
        move || {
            let options = ConvOptions::new([1, 1], [0, 0], [1, 1], 1);
            let here = module::conv2d(
                image.clone().unsqueeze(),
                kernel.clone().unsqueeze(),
                None,
                options,
            );
            (here - wanted.clone().unsqueeze()).square().mean()
        },
        move |g| [part(&of.0, g), part(&of.1, g)],
    )
}

/// The elements of the gradient by this variable.
fn part<const D: usize>(variable: &Tensor<D>, gradient: &Gradients) -> Vec<f64> {
    let part = variable.grad(gradient).expect("it depends on all");
    part.into_data()
        .try_to_vec()
        .expect("they are of this type")
}

/// A function, and how the parts of its gradient are read.
fn objective<const N: usize>(
    function: impl Fn() -> Tensor<1> + 'static,
    parts: impl Fn(&Gradients) -> [Vec<f64>; N] + 'static,
) -> Box<dyn Objective> {
    Box::new(Opened {
        run: move || {
            let value = function();
            let gradient = value.backward();
            (value, gradient)
        },
        numbers: move |(value, gradient): (Tensor<1>, Gradients)| {
            (value.into_scalar(), parts(&gradient).into())
        },
    })
}
