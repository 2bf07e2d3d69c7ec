//! The workloads of the benchmarks: objectives as a user writes them, their data, and how to get at
//! their values and gradients without knowing which is which.
//!
//! Each file is one model. The data are drawn here from fixed seeds; whoever wants to compute the
//! same elsewhere is given them as files (`Objective::inputs`).

use ndarray::{Array, Array1, Array2, ArrayD, Dimension};
use std::collections::BTreeMap;

pub(crate) mod ba;
mod ba_by_hand;
pub(crate) mod conv;
pub(crate) mod gmm;
pub(crate) mod hand;
mod hand_by_hand;
pub(crate) mod kmeans;
pub(crate) mod llsq;
pub(crate) mod logistic;
pub(crate) mod logsumexp;
pub(crate) mod lstm;
pub(crate) mod mlp;
pub(crate) mod nnmf;
pub(crate) mod ode;

/// An objective at one point.
pub(crate) trait Objective {
    /// Its arguments, in order.
    fn inputs(&self) -> Vec<Input>;
    /// The function as it is written: plain Rust over the combinators.
    fn written(&self) -> f64;
    /// The generated `_value`.
    fn value(&self) -> f64;
    /// The generated `_value_and_grad`.
    fn gradient(&self) -> Gradient;
    /// Value and gradient written by hand with ndarray, for some.
    fn by_hand(&self) -> Option<Gradient> {
        None
    }
    /// Another derivative by its name, such as `jacobian`, if there is one.
    fn derivative(&self, _kind: &str) -> Option<Vec<ArrayD<f64>>> {
        None
    }
    /// The same, written by hand.
    fn derivative_by_hand(&self, _kind: &str) -> Option<Vec<ArrayD<f64>>> {
        None
    }
}

impl dyn Objective + '_ {
    /// The parts of the gradient, or of another derivative.
    pub(crate) fn parts(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        match kind {
            "gradient" => Some(self.gradient().parts),
            _ => self.derivative(kind),
        }
    }

    /// The same, written by hand.
    pub(crate) fn parts_by_hand(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        match kind {
            "gradient" => self.by_hand().map(|gradient| gradient.parts),
            _ => self.derivative_by_hand(kind),
        }
    }
}

/// A value, and its derivative by each differentiated argument.
pub(crate) struct Gradient {
    pub(crate) value: f64,
    pub(crate) parts: Vec<ArrayD<f64>>,
}

/// An argument.
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) differentiated: bool,
    pub(crate) data: Data,
}

/// What an argument is; a scalar has rank 0.
pub(crate) enum Data {
    Real(ArrayD<f64>),
    Whole(ArrayD<i64>),
}

/// The coefficients of a series.
pub(crate) fn coefficients(series: &[f64]) -> Vec<ArrayD<f64>> {
    vec![Array1::from(series.to_vec()).into_dyn()]
}

/// An argument that is differentiated.
pub(crate) fn variable<D: Dimension>(name: &'static str, x: &Array<f64, D>) -> Input {
    Input {
        differentiated: true,
        ..constant(name, x)
    }
}

/// An argument that is not.
pub(crate) fn constant<D: Dimension>(name: &'static str, x: &Array<f64, D>) -> Input {
    Input {
        name,
        differentiated: false,
        data: Data::Real(x.clone().into_dyn()),
    }
}

/// An argument of whole numbers.
pub(crate) fn whole<D: Dimension>(name: &'static str, x: &Array<usize, D>) -> Input {
    Input {
        name,
        differentiated: false,
        data: Data::Whole(x.mapv(|x| x as i64).into_dyn()),
    }
}

/// A number of steps, points and the like.
pub(crate) fn count(name: &'static str, n: usize) -> Input {
    whole(name, &ndarray::arr0(n))
}

/// The sizes of a workload by name.
pub(crate) type Sizes = BTreeMap<String, usize>;

/// A model with its sizes, and what is expected of it.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) model: &'static str,
    /// `gradient`, or the name of another derivative.
    pub(crate) kind: &'static str,
    pub(crate) sizes: &'static [(&'static str, usize)],
    /// What part of JAX's time the derivative may take.
    pub(crate) target: f64,
    /// What part of the time of the one by hand another derivative than a gradient may take.
    pub(crate) target_by_hand: Option<f64>,
    /// Whether it takes long, and is left out of quick runs.
    pub(crate) large: bool,
}

impl Workload {
    /// The objective at a point that is the same in every run.
    pub(crate) fn open(&self) -> Box<dyn Objective> {
        let sizes = (self.sizes.iter()).map(|&(k, n)| (k.to_string(), n));
        open(self.model, &sizes.collect()).expect("the suite knows its own models")
    }
}

/// All workloads.
pub(crate) const WORKLOADS: &[Workload] = &[
    workload("gmm-d2-k5", "gmm", &[("d", 2), ("k", 5), ("n", 1000)], 0.5),
    workload(
        "gmm-d10-k25",
        "gmm",
        &[("d", 10), ("k", 25), ("n", 1000)],
        0.5,
    ),
    workload(
        "gmm-d64-k50",
        "gmm",
        &[("d", 64), ("k", 50), ("n", 1000)],
        0.5,
    ),
    large(
        "gmm-d128-k200",
        "gmm",
        &[("d", 128), ("k", 200), ("n", 1000)],
        0.5,
    ),
    large(
        "gmm-d32-k50-n10000",
        "gmm",
        &[("d", 32), ("k", 50), ("n", 10_000)],
        0.5,
    ),
    workload("lstm-l2-c1024", "lstm", &[("l", 2), ("c", 1024)], 0.5),
    workload("lstm-l4-c4096", "lstm", &[("l", 4), ("c", 4096)], 0.5),
    workload("ba", "ba", &[("n", 49), ("m", 7776), ("p", 31_843)], 0.5),
    workload("hand-small", "hand", &[("v", 544), ("n", 100)], 0.5),
    workload(
        "hand-small-complicated",
        "hand_complicated",
        &[("v", 544), ("n", 100)],
        0.5,
    ),
    workload(
        "kmeans-k100",
        "kmeans",
        &[("k", 100), ("n", 10_000), ("d", 16)],
        0.5,
    ),
    large(
        "kmeans-k1000",
        "kmeans",
        &[("k", 1000), ("n", 10_000), ("d", 16)],
        0.5,
    ),
    workload("logsumexp", "logsumexp", &[("n", 1_280_000)], 0.5),
    workload("llsq", "llsq", &[("n", 16_392), ("m", 128)], 0.5),
    workload("ode", "ode", &[("n", 1000), ("s", 100)], 0.5),
    workload("mlp", "mlp", MLP, 1.0),
    workload(
        "mlp-784-512-10",
        "mlp",
        &[("batch", 256), ("from", 784), ("hidden", 512), ("to", 10)],
        1.0,
    ),
    workload("logistic", "logistic", &[("n", 100_000), ("d", 100)], 1.0),
    workload("nnmf", "nnmf", &[("n", 1000), ("m", 800), ("r", 20)], 1.0),
    workload("conv-3x3", "conv", &[("n", 512), ("m", 512), ("k", 3)], 1.0),
    jacobian(
        "jacobian-ba",
        "ba",
        &[("n", 49), ("m", 7776), ("p", 31_843)],
    ),
    jacobian(
        "jacobian-hand-simple-small",
        "hand",
        &[("v", 544), ("n", 100)],
    ),
    jacobian(
        "jacobian-hand-simple-big",
        "hand",
        &[("v", 10_445), ("n", 12_800)],
    ),
    jacobian(
        "jacobian-hand-complicated-small",
        "hand_complicated",
        &[("v", 544), ("n", 100)],
    ),
    jacobian(
        "jacobian-hand-complicated-big",
        "hand_complicated",
        &[("v", 10_445), ("n", 12_800)],
    ),
    derivative(
        "hessian-logistic",
        "logistic",
        "hessian",
        &[("n", 20_000), ("d", 100)],
        0.5,
    ),
    derivative(
        "hessian-gmm-d2-k5",
        "gmm",
        "hessian",
        &[("d", 2), ("k", 5), ("n", 1000)],
        0.5,
    ),
    derivative(
        "hessian-gmm-d10-k5",
        "gmm",
        "hessian",
        &[("d", 10), ("k", 5), ("n", 1000)],
        0.5,
    ),
    derivative(
        "hessian-product-logistic",
        "logistic",
        "hvp",
        &[("n", 100_000), ("d", 100)],
        0.5,
    ),
    derivative(
        "hessian-product-gmm-d2-k5",
        "gmm",
        "hvp",
        &[("d", 2), ("k", 5), ("n", 1000)],
        0.5,
    ),
    derivative(
        "hessian-product-gmm-d10-k25",
        "gmm",
        "hvp",
        &[("d", 10), ("k", 25), ("n", 1000)],
        0.5,
    ),
    derivative(
        "taylor-4-logistic",
        "logistic",
        "taylor-4",
        &[("n", 10_000), ("d", 100)],
        0.5,
    ),
    derivative(
        "taylor-8-logistic",
        "logistic",
        "taylor-8",
        &[("n", 10_000), ("d", 100)],
        0.5,
    ),
    derivative("taylor-4-mlp", "mlp", "taylor-4", MLP, 0.5),
    derivative("taylor-8-mlp", "mlp", "taylor-8", MLP, 0.5),
];

const MLP: &[(&str, usize)] = &[("batch", 128), ("from", 256), ("hidden", 512), ("to", 10)];

const fn workload(
    name: &'static str,
    model: &'static str,
    sizes: &'static [(&'static str, usize)],
    target: f64,
) -> Workload {
    Workload {
        name,
        model,
        kind: "gradient",
        sizes,
        target,
        target_by_hand: None,
        large: false,
    }
}

const fn large(
    name: &'static str,
    model: &'static str,
    sizes: &'static [(&'static str, usize)],
    target: f64,
) -> Workload {
    Workload {
        large: true,
        ..workload(name, model, sizes, target)
    }
}

/// A Jacobian, which is held against the one by hand, too.
const fn jacobian(
    name: &'static str,
    model: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Workload {
    Workload {
        target_by_hand: Some(1.0),
        ..derivative(name, model, "jacobian", sizes, 0.3)
    }
}

/// Another derivative than the gradient.
const fn derivative(
    name: &'static str,
    model: &'static str,
    kind: &'static str,
    sizes: &'static [(&'static str, usize)],
    target: f64,
) -> Workload {
    Workload {
        kind,
        ..workload(name, model, sizes, target)
    }
}

/// A model at given sizes.
pub(crate) fn open(model: &str, sizes: &Sizes) -> Result<Box<dyn Objective>, String> {
    let size = |name: &str| {
        (sizes.get(name).copied()).ok_or_else(|| format!("{model} needs the size {name}"))
    };
    Ok(match model {
        "ba" => Box::new(ba::Ba::new(size("n")?, size("m")?, size("p")?)),
        "conv" => Box::new(conv::Conv::new(size("n")?, size("m")?, size("k")?)),
        "gmm" => Box::new(gmm::Gmm::new(size("d")?, size("k")?, size("n")?)),
        "hand" => Box::new(hand::Hand::new(size("v")?, size("n")?)),
        "hand_complicated" => Box::new(hand::Complicated::new(size("v")?, size("n")?)),
        "kmeans" => Box::new(kmeans::Kmeans::new(size("k")?, size("n")?, size("d")?)),
        "llsq" => Box::new(llsq::Llsq::new(size("n")?, size("m")?)),
        "logistic" => Box::new(logistic::Logistic::new(size("n")?, size("d")?)),
        "logsumexp" => Box::new(logsumexp::Logsumexp::new(size("n")?)),
        "lstm" => Box::new(lstm::Lstm::new(size("l")?, size("c")?)),
        "mlp" => Box::new(mlp::Mlp::new(
            size("batch")?,
            size("from")?,
            size("hidden")?,
            size("to")?,
        )),
        "nnmf" => Box::new(nnmf::Nnmf::new(size("n")?, size("m")?, size("r")?)),
        "ode" => Box::new(ode::Ode::new(size("n")?, size("s")?)),
        _ => return Err(format!("there is no model {model}")),
    })
}

/// Numbers that are the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        // The first numbers of small seeds are alike.
        for _ in 0..8 {
            random.uniform();
        }
        random
    }

    /// Uniform in 0..1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Below `n`.
    pub(crate) fn index(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }

    pub(crate) fn uniform1(&mut self, n: usize) -> Array1<f64> {
        Array1::from_shape_simple_fn(n, || self.uniform())
    }

    pub(crate) fn uniform2(&mut self, n: usize, m: usize) -> Array2<f64> {
        Array2::from_shape_simple_fn((n, m), || self.uniform())
    }

    pub(crate) fn normal1(&mut self, n: usize) -> Array1<f64> {
        Array1::from_shape_simple_fn(n, || self.normal())
    }

    pub(crate) fn normal2(&mut self, n: usize, m: usize) -> Array2<f64> {
        Array2::from_shape_simple_fn((n, m), || self.normal())
    }
}
