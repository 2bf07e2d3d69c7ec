//! Rules of one's own that are annotated functions: they are differentiated again, and one of the
//! two products gives the other.

use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;

mod inner {
    use super::*;

    /// Not in the language. Its rule is, and calls it.
    #[custom_derivative(vjp = root_rule)]
    pub(crate) fn root(x: f64) -> f64 {
        let all: Vec<f64> = std::iter::repeat_n(x, 1).collect();
        all[0].sqrt()
    }

    #[differentiable]
    fn root_rule(x: f64, cotangent: f64) -> (f64, f64) {
        let r = root(x);
        (r, 0.5 * cotangent / r)
    }

    #[differentiable]
    pub(crate) fn roots(x: &Array1<f64>) -> f64 {
        sum(x.len(), |i| root(x[i]))
    }

    pub(super) mod deeper {
        use super::root;
        use cotangent::prelude::*;

        /// Its rule calls another function with a rule.
        #[custom_derivative(jvp = rules::fourth_root)]
        pub(crate) fn fourth_root(x: f64) -> f64 {
            x.powf(0.25)
        }

        mod rules {
            use super::{fourth_root as value, root};
            use cotangent::prelude::*;

            #[differentiable]
            pub(super) fn fourth_root(x: f64, tangent: f64) -> (f64, f64) {
                let y = value(x);
                (y, tangent / (4.0 * y * root(x)))
            }
        }

        #[differentiable]
        pub(crate) fn both(x: f64) -> f64 {
            fourth_root(x) * root(x)
        }
    }
}

use inner::{deeper, root};

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0), "{a} is not {b}");
}

#[differentiable]
fn of_root(x: f64) -> f64 {
    root(x) * x
}

#[differentiable]
fn slope(x: f64) -> f64 {
    of_root_grad(x)
}

#[differentiable(grad, jvp)]
fn curvature(x: f64) -> f64 {
    slope_grad(x)
}

#[test]
fn rules_are_differentiated_to_any_order() {
    // The derivatives of the power 3/2.
    near(of_root_grad(2.0), 1.5 * 2.0_f64.sqrt());
    near(slope_grad(2.0), 0.75 / 2.0_f64.sqrt());
    near(curvature_grad(2.0), -0.375 * 2.0_f64.powf(-1.5));
    near(curvature_jvp(2.0, 2.0).1, -0.75 * 2.0_f64.powf(-1.5));
}

#[differentiable]
fn over(x: &Array1<f64>) -> f64 {
    sum(
        x.len(),
        |i| if x[i] > 1.0 { root(x[i]) * x[i] } else { x[i] },
    )
}

#[differentiable(value, vjp, jvp)]
fn over_slope(x: &Array1<f64>) -> Array1<f64> {
    over_grad(x)
}

#[differentiable(value, vjp)]
fn roots_slope(x: &Array1<f64>) -> Array1<f64> {
    inner::roots_grad(x)
}

#[test]
fn in_loops_and_branches() {
    let x = array![0.5, 2.0, 4.0];
    let one = Array1::ones(3);
    for found in [over_slope_vjp(&x, &one).1, over_slope_jvp(&x, &one).1] {
        for (i, wanted) in [0.0, 0.75 / 2.0_f64.sqrt(), 0.375].into_iter().enumerate() {
            near(found[i], wanted);
        }
    }
    let (_, second) = roots_slope_vjp(&x, &one);
    near(second[2], -0.25 / 8.0);
    let none = Array1::zeros(0);
    assert_eq!(over_slope_vjp(&none, &none).1, none);
}

#[differentiable]
fn both_slope(x: f64) -> f64 {
    deeper::both_grad(x)
}

#[test]
fn a_product_with_tangents_gives_gradients() {
    // The derivatives of the power 3/4, through functions that cannot be named here.
    near(deeper::both_grad(2.0), 0.75 * 2.0_f64.powf(-0.25));
    near(both_slope_grad(2.0), -0.1875 * 2.0_f64.powf(-1.25));
}

/// The rules of a function of several arguments and results, some of them fixed.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Scale {
    by: [f64; 2],
    steps: usize,
}

#[custom_derivative(jvp = scaled_rule)]
fn scaled(x: &Array2<f64>, scale: &Scale) -> (Array2<f64>, [f64; 2]) {
    let y = x * scale.by[0] * scale.steps as f64;
    let total = y.iter().sum();
    (y, [total, scale.by[0] * scale.by[1]])
}

#[differentiable]
#[allow(clippy::type_complexity, reason = "the result of a `jvp` of a tuple")]
fn scaled_rule(
    x: &Array2<f64>,
    scale: &Scale,
    of_x: &Array2<f64>,
    of_scale: &Scale,
) -> ((Array2<f64>, [f64; 2]), (Array2<f64>, [f64; 2])) {
    let n = scale.steps as f64;
    let y = x * scale.by[0] * n;
    let total = y.sum();
    let tangent = (of_x * scale.by[0] + x * of_scale.by[0]) * n;
    let of_total = tangent.sum();
    let product = of_scale.by[0] * scale.by[1] + scale.by[0] * of_scale.by[1];
    (
        (y, [total, scale.by[0] * scale.by[1]]),
        (tangent, [of_total, product]),
    )
}

#[differentiable]
fn plain(x: &Array2<f64>, scale: &Scale) -> f64 {
    let y = x * scale.by[0] * scale.steps as f64;
    let product = scale.by[0] * scale.by[1];
    sum(y.dim(), |(i, j)| y[[i, j]] * y[[i, j]]) * y.sum() + product * product
}

#[differentiable]
fn by_rule(x: &Array2<f64>, scale: &Scale) -> f64 {
    let (y, [total, product]) = scaled(x, scale);
    sum(y.dim(), |(i, j)| y[[i, j]] * y[[i, j]]) * total + product * product
}

#[differentiable(jvp)]
fn plain_slope(x: &Array2<f64>, scale: &Scale) -> Array2<f64> {
    let (of_x, of_scale) = plain_grad(x, scale);
    of_x * of_scale.by[1] + of_scale.by[0]
}

#[differentiable(jvp)]
fn slope_by_rule(x: &Array2<f64>, scale: &Scale) -> Array2<f64> {
    let (of_x, of_scale) = by_rule_grad(x, scale);
    of_x * of_scale.by[1] + of_scale.by[0]
}

#[test]
fn structs_arrays_and_several_results() {
    let x = array![[1.0, -0.5, 2.0], [0.25, 3.0, 1.5]];
    let scale = Scale {
        by: [0.5, -2.0],
        steps: 3,
    };
    let (a, b) = (plain_grad(&x, &scale), by_rule_grad(&x, &scale));
    let close = |a: &Array2<f64>, b: &Array2<f64>| a.iter().zip(b).for_each(|(a, b)| near(*a, *b));
    close(&a.0, &b.0);
    near(a.1.by[0], b.1.by[0]);
    near(a.1.by[1], b.1.by[1]);
    assert_eq!(b.1.steps, 3);
    let (a, b) = (
        plain_slope_jvp(&x, &scale, &x, &scale),
        slope_by_rule_jvp(&x, &scale, &x, &scale),
    );
    close(&a.0, &b.0);
    close(&a.1, &b.1);
}

/// A derivative that was generated is a rule, too.
#[differentiable(vjp)]
fn bent<T: Real>(x: T) -> T {
    x * x.sin()
}

#[custom_derivative(vjp = bent_vjp)]
fn bent_elsewhere<T: Real>(x: T) -> T {
    bent(x)
}

#[differentiable]
fn of_bent(x: f32) -> f32 {
    bent_elsewhere(x)
}

#[differentiable]
fn of_bent_slope(x: f32) -> f32 {
    of_bent_grad(x)
}

#[test]
fn generated_functions_are_rules() {
    let x = 0.7_f32;
    assert!((of_bent_grad(x) - (x.sin() + x * x.cos())).abs() < 1e-6);
    assert!((of_bent_slope_grad(x) - (2.0 * x.cos() - x * x.sin())).abs() < 1e-6);
}

#[test]
fn inside_of_a_function() {
    #[custom_derivative(vjp = cube_rule)]
    fn cube(x: f64) -> f64 {
        x.powi(3)
    }
    #[differentiable]
    fn cube_rule(x: f64, cotangent: f64) -> (f64, f64) {
        (cube(x), 3.0 * x * x * cotangent)
    }
    #[differentiable]
    fn of_cube(x: f64) -> f64 {
        cube(x)
    }
    #[differentiable]
    fn slope_of_cube(x: f64) -> f64 {
        of_cube_grad(x)
    }
    near(slope_of_cube_grad(2.0), 12.0);
}
