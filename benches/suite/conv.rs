//! The valid part of a two-dimensional convolution, and how far it is from a picture.

use super::{Gradient, Input, Objective, Random, constant, variable};
use cotangent::prelude::*;
use ndarray::{Array2, Zip, s};

#[differentiable(value, grad, wrt(image, kernel))]
pub(crate) fn conv(image: &Array2<f64>, kernel: &Array2<f64>, wanted: &Array2<f64>) -> f64 {
    mean(wanted.dim(), |(i, j)| {
        let here = sum(kernel.dim(), |(r, s)| {
            image[[i + r, j + s]] * kernel[[r, s]]
        });
        (here - wanted[[i, j]]).powi(2)
    })
}

/// A picture, a kernel, and what is wanted.
pub(crate) struct Conv {
    image: Array2<f64>,
    kernel: Array2<f64>,
    wanted: Array2<f64>,
}

impl Conv {
    /// A picture of `n` rows and `m` columns, a square kernel.
    pub(crate) fn new(n: usize, m: usize, k: usize) -> Self {
        let mut random = Random::new(11);
        Conv {
            image: random.uniform2(n, m),
            kernel: random.normal2(k, k),
            wanted: random.uniform2(n + 1 - k, m + 1 - k),
        }
    }
}

impl Objective for Conv {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("image", &self.image),
            variable("kernel", &self.kernel),
            constant("wanted", &self.wanted),
        ]
    }

    fn written(&self) -> f64 {
        conv(&self.image, &self.kernel, &self.wanted)
    }

    fn value(&self) -> f64 {
        conv_value(&self.image, &self.kernel, &self.wanted)
    }

    fn gradient(&self) -> Gradient {
        let (value, (image, kernel)) = conv_value_and_grad(&self.image, &self.kernel, &self.wanted);
        let parts = vec![image.into_dyn(), kernel.into_dyn()];
        Gradient { value, parts }
    }

    /// A pass over the picture for each element of the kernel.
    fn by_hand(&self) -> Option<Gradient> {
        let (n, m) = self.wanted.dim();
        let part = |(r, s): (usize, usize)| s![r..r + n, s..s + m];
        let mut error = -&self.wanted;
        for (at, &factor) in self.kernel.indexed_iter() {
            error.scaled_add(factor, &self.image.slice(part(at)));
        }
        let value = error.iter().map(|e| e * e).sum::<f64>() / (n * m) as f64;
        error *= 2.0 / (n * m) as f64;
        let mut by_image = Array2::zeros(self.image.dim());
        for (at, &factor) in self.kernel.indexed_iter() {
            by_image.slice_mut(part(at)).scaled_add(factor, &error);
        }
        let by_kernel = Array2::from_shape_fn(self.kernel.dim(), |at| {
            Zip::from(&error)
                .and(self.image.slice(part(at)))
                .fold(0.0, |total, e, x| total + e * x)
        });
        let parts = vec![by_image.into_dyn(), by_kernel.into_dyn()];
        Some(Gradient { value, parts })
    }
}
