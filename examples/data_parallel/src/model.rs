//! A network of three layers, its data, and its gradient, one layer at a time.

use cotangent::Parameters;
use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;

/// One layer: `x · w + b`.
#[derive(Clone, Differentiable)]
pub struct Layer {
    pub w: Array2<f64>,
    pub b: Array1<f64>,
}

/// The parameters. The gradient has the same type.
#[derive(Clone, Differentiable)]
pub struct Network {
    pub first: Layer,
    pub second: Layer,
    pub last: Layer,
}

/// How many numbers enter, are in the hidden layers, and leave.
const SIZES: [usize; 4] = [64, 256, 256, 10];

#[differentiable(linearize)]
fn hidden(layer: &Layer, x: &Array2<f64>) -> Array2<f64> {
    (x.dot(&layer.w) + &layer.b).mapv(f64::tanh)
}

/// The first layer: nobody asks for the derivative by the data.
#[differentiable(linearize, wrt(layer))]
fn entry(layer: &Layer, x: &Array2<f64>) -> Array2<f64> {
    hidden(layer, x)
}

/// The sum of the squared errors of the last layer.
#[differentiable(wrt(layer, x))]
fn misfit(layer: &Layer, x: &Array2<f64>, y: &Array2<f64>) -> f64 {
    let error = x.dot(&layer.w) + &layer.b - y;
    (&error * &error).sum()
}

/// The sum of the squared errors of the network. Its gradient over all rows in one process is what
/// the gradients of the shards must add up to.
#[differentiable(wrt(n))]
pub fn loss(n: &Network, x: &Array2<f64>, y: &Array2<f64>) -> f64 {
    misfit(&n.last, &hidden(&n.second, &entry(&n.first, x)), y)
}

/// The rows of one rank.
pub struct Shard {
    pub x: Array2<f64>,
    pub y: Array2<f64>,
    /// The number of the first row among those of all ranks.
    pub offset: usize,
}

impl Shard {
    /// The rows of a rank out of all rows. Each row depends only on its number.
    pub fn new(rows: usize, rank: usize, ranks: usize) -> Shard {
        let bound = |rank: usize| rows * rank / ranks;
        let (offset, end) = (bound(rank), bound(rank + 1));
        let x = Array2::from_shape_fn((end - offset, SIZES[0]), |(i, j)| noise(offset + i, j));
        let y = Array2::from_shape_fn((end - offset, SIZES[3]), |(i, k)| {
            (2.0 * x[[i, k]] + x[[i, k + 10]] * x[[i, k + 20]]).sin()
        });
        Shard { x, y, offset }
    }

    /// The first row with a number that is not finite, counted among those of all ranks.
    pub fn broken_row(&self) -> Option<usize> {
        let mut rows = self.x.rows().into_iter();
        Some(self.offset + rows.position(|row| !row.iter().all(|x| x.is_finite()))?)
    }

    /// Computes the loss, then the gradient, one layer at a time, the last one first. Calls `ready`
    /// with each part as soon as it is known.
    pub fn gradient(&self, n: &Network, mut ready: impl FnMut(Part<'_>)) {
        let (x, by_first) = entry_linearize(&n.first, &self.x);
        let (x, by_second) = hidden_linearize(&n.second, &x);
        let (value, (last, x)) = misfit_value_and_grad(&n.last, &x, &self.y);
        ready(Part::Loss(value));
        ready(Part::Gradient(&last));
        let (second, x) = by_second.vjp(&x);
        ready(Part::Gradient(&second));
        ready(Part::Gradient(&by_first.vjp(&x)));
    }
}

/// A part of the results of a shard, in the order in which they are known.
pub enum Part<'a> {
    Loss(f64),
    Gradient(&'a Layer),
}

impl Part<'_> {
    /// How long the parts of a network are as slices: the loss with a mark, then the layers.
    pub fn lengths(n: &Network) -> [usize; 4] {
        [2, n.last.count(), n.second.count(), n.first.count()]
    }

    /// Writes the part to a slice. The mark of a shard that has not failed is 0.
    pub fn write_to(&self, flat: &mut [f64]) {
        match self {
            Part::Loss(value) => flat.copy_from_slice(&[*value, 0.0]),
            Part::Gradient(layer) => layer.write_to(flat),
        }
    }

    /// The part of a shard that has failed: zeros, and a mark of 1 beside the loss.
    pub fn write_failure(number: usize, flat: &mut [f64]) {
        flat.fill(0.0);
        if number == 0 {
            flat[1] = 1.0;
        }
    }
}

impl Network {
    /// The first network, the same on all ranks.
    pub fn new() -> Network {
        let layer = |k: usize| Layer {
            w: Array2::from_shape_fn((SIZES[k], SIZES[k + 1]), |(i, j)| {
                noise(1_000_000 * (k + 1) + i, j) / (SIZES[k] as f64).sqrt()
            }),
            b: Array1::zeros(SIZES[k + 1]),
        };
        Network {
            first: layer(0),
            second: layer(1),
            last: layer(2),
        }
    }

    /// Copies the numbers from the parts of a gradient, without the loss.
    pub fn read_from_parts(&mut self, parts: &[Vec<f64>; 4]) {
        let [_, last, second, first] = parts;
        self.last.read_from(last);
        self.second.read_from(second);
        self.first.read_from(first);
    }
}

/// A number from −1 to 1 that looks random and depends on two numbers (the finaliser of splitmix).
fn noise(i: usize, j: usize) -> f64 {
    let mut z = (i as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(j as u64);
    z = (z ^ (z >> 30))
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .wrapping_add(j as u64);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
