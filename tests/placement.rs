//! Where an annotated function may stand, and how its arguments may be passed.

#![deny(warnings, missing_docs, clippy::all)]
// Every way to pass an argument is tried, also those that one would not choose.
#![allow(
    clippy::ptr_arg,
    clippy::needless_lifetimes,
    clippy::non_minimal_cfg,
    clippy::single_component_path_imports
)]

use cotangent::ndarray::{
    Array0, Array1, Array2, ArrayRef2, ArrayView1, ArrayView2, arr0, array, s,
};
use cotangent::prelude::*;

/// `x²`, by its value, gradient, both products.
#[differentiable(value, grad, vjp, jvp)]
fn square(x: f64) -> f64 {
    x * x
}

#[test]
fn free_standing() {
    assert_eq!(square(3.0), 9.0);
    assert_eq!(square_value(3.0), 9.0);
    assert_eq!(square_grad(3.0), 6.0);
    assert_eq!(square_value_and_grad(3.0), (9.0, 6.0));
    assert_eq!(square_vjp(3.0, 2.0), (9.0, 12.0));
    assert_eq!(square_jvp(3.0, 0.5), (9.0, 3.0));
}

mod shapes {
    use cotangent::prelude::*;

    /// Seen by the whole crate.
    #[differentiable]
    pub(crate) fn area(a: f64, b: f64) -> f64 {
        a * b
    }

    #[differentiable]
    fn hidden(a: f64) -> f64 {
        a * a * a
    }

    /// Calls a derivative that is private to the module.
    pub(crate) fn slope(a: f64) -> f64 {
        hidden_grad(a)
    }

    pub(crate) mod inner {
        use super::area;
        use cotangent::prelude::*;

        #[differentiable]
        pub(in crate::shapes) fn half(a: f64) -> f64 {
            0.5 * a
        }

        #[differentiable]
        pub(super) fn third(a: f64) -> f64 {
            a / 3.0
        }

        /// Calls its neighbours.
        pub(crate) fn all() -> (f64, f64, f64) {
            (half_grad(1.0), third_grad(1.0), area(2.0, 3.0))
        }
    }

    /// Calls what the inner module lets it see.
    pub(crate) fn sum_of_slopes() -> f64 {
        inner::half_grad(1.0) + inner::third_grad(1.0)
    }
}

#[test]
fn in_modules() {
    assert_eq!(shapes::area_grad(2.0, 3.0), (3.0, 2.0));
    assert_eq!(shapes::slope(2.0), 12.0);
    assert_eq!(shapes::inner::all(), (0.5, 1.0 / 3.0, 6.0));
    assert_eq!(shapes::sum_of_slopes(), 0.5 + 1.0 / 3.0);
}

#[test]
fn inside_a_function_body() {
    const SCALE: f64 = 4.0;

    #[differentiable]
    fn local(x: f64) -> f64 {
        SCALE * x.sin()
    }

    assert_eq!(local_grad(0.0), SCALE);
    {
        // The same name once more, in a block of its own.
        #[differentiable]
        fn local(x: f64) -> f64 {
            x.cos()
        }
        assert_eq!(local_grad(0.0), 0.0);
        assert_eq!(local(0.0), 1.0);
    }
}

/// Carries no data; its function takes all it needs.
struct Pendulum;

impl Pendulum {
    const GRAVITY: f64 = 9.81;

    /// The period of a small swing.
    #[differentiable(wrt(length))]
    pub(crate) fn period(length: f64, gravity: f64) -> f64 {
        std::f64::consts::TAU * (length / gravity).sqrt()
    }

    #[differentiable]
    fn energies<'a>(angles: ArrayView1<'a, f64>, mass: f64) -> Array1<f64> {
        build(angles.len(), |i| mass * (1.0 - angles[i].cos()))
    }
}

/// An associated function of a generic type.
struct Pair<T>(T, T);

impl<T: Copy + Into<f64>> Pair<T> {
    fn product_slope(&self) -> (f64, f64) {
        Self::product_of_grad(self.0.into(), self.1.into())
    }

    #[differentiable]
    fn product_of(a: f64, b: f64) -> f64 {
        a * b
    }
}

#[test]
fn in_an_impl_block() {
    let dl = Pendulum::period_grad(2.0, Pendulum::GRAVITY);
    let by_hand = Pendulum::period(2.0, Pendulum::GRAVITY) / 4.0;
    assert!((dl - by_hand).abs() < 1e-14);
    let angles = array![0.5, 1.0];
    let (e, (da, dm)) = Pendulum::energies_vjp(angles.view(), 2.0, &array![1.0, 10.0]);
    assert_eq!(e, Pendulum::energies(angles.view(), 2.0));
    assert_eq!(da, array![2.0 * 0.5f64.sin(), 20.0 * 1f64.sin()]);
    assert!((dm - (1.0 - 0.5f64.cos() + 10.0 * (1.0 - 1f64.cos()))).abs() < 1e-14);
    assert_eq!(Pair(2.0f32, 3.0).product_slope(), (3.0, 2.0));
}

#[cfg(any())]
#[differentiable]
fn not_there(x: NoSuchType) -> f64 {
    no_such_function(x)
}

#[differentiable]
#[cfg(any())]
fn not_there(x: f64) -> f64 {
    x
}

/// Documented, with attributes above and below.
#[inline]
#[cfg(all())]
#[differentiable]
#[must_use]
#[doc(alias = "twofold")]
fn there(x: f64) -> f64 {
    2.0 * x
}

#[test]
fn with_other_attributes() {
    // If `cfg` were not repeated, this name would be taken.
    fn not_there_grad() -> f64 {
        7.0
    }
    assert_eq!(not_there_grad(), 7.0);
    assert_eq!(there(1.0) * there_grad(1.0), 4.0);
}

#[differentiable(wrt(scale, x))]
fn scaled<'a>(x: ArrayView1<'a, f64>, n: usize, scale: f64) -> f64 {
    scale * sum(n, |i| x[i])
}

#[differentiable]
fn two_lifetimes<'a, 'b: 'a>(x: ArrayView1<'a, f64>, y: &'b Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i] * y[i])
}

#[test]
fn the_order_is_that_of_the_arguments() {
    let x = array![1.0, 2.0, 4.0];
    let (dx, ds): (Array1<f64>, f64) = scaled_grad(x.view(), 2, 5.0);
    assert_eq!((dx, ds), (array![5.0, 5.0, 0.0], 3.0));
    let (a, b) = two_lifetimes_grad(x.view(), &x);
    assert_eq!((a, b), (x.clone(), x));
}

mod my {
    pub(crate) use cotangent;
    pub(crate) mod deep {
        pub(crate) use cotangent as ad;
    }
}

mod renamed {
    use super::my::deep::ad::prelude::*;

    /// Through a path of the user's own.
    #[differentiable(crate = crate::my::cotangent, grad)]
    pub(crate) fn cube(x: f64) -> f64 {
        x.powi(3)
    }

    #[differentiable(value, vjp, crate = super::my::deep::ad)]
    pub(crate) fn twice(x: &[f64]) -> Vec<f64> {
        build(x.len(), |i| 2.0 * x[i]).to_vec()
    }

    #[differentiable(crate = super::my::deep::ad)]
    pub(crate) fn total(x: &[f64]) -> f64 {
        super::my::deep::ad::prelude::sum(x.len(), |i| x[i])
    }
}

#[test]
fn under_another_path() {
    assert_eq!(renamed::cube_grad(2.0), 12.0);
    assert_eq!(renamed::total_grad(&[1.0, 2.0]), [1.0, 1.0]);
}

#[differentiable]
fn owned(a: Array2<f64>, v: Vec<f64>, x: Array0<f64>, keep: Vec<bool>) -> f64 {
    sum((a.nrows(), a.ncols()), |(i, j)| {
        if keep[j] { a[[i, j]] * v[j] } else { 0.0 }
    }) * x[[]]
}

#[differentiable]
fn borrowed(a: &ArrayRef2<f64>, v: &[f64], w: &Vec<f64>, x: &Array0<f64>, at: &[u8]) -> f64 {
    sum(at.len(), |k| a[[at[k] as usize, 0]] * v[k]) * w[0] + x[()]
}

#[test]
fn passed_in_every_way() {
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let (da, dv, dx) = owned_grad(a.clone(), vec![5.0, 6.0], arr0(2.0), vec![true, false]);
    assert_eq!(da, array![[10.0, 0.0], [10.0, 0.0]]);
    assert_eq!(dv, vec![8.0, 0.0]);
    assert_eq!(dx, arr0(20.0));
    let (value, (da, dv, dw, dx)) =
        borrowed_value_and_grad(&a, &[1.0, 1.0, 1.0], &vec![2.0], &arr0(0.5), &[1, 0, 1]);
    assert_eq!(value, 14.5);
    assert_eq!(da, array![[2.0, 0.0], [4.0, 0.0]]);
    assert_eq!(dv, vec![6.0, 2.0, 6.0]);
    assert_eq!((dw, dx), (vec![7.0], arr0(1.0)));
}

/// The weights tell every element apart.
#[differentiable(value, grad, jvp)]
fn weighted(a: ArrayView2<'_, f64>) -> f64 {
    sum((a.nrows(), a.ncols()), |(i, j)| {
        (10 * i + j) as f64 * a[[i, j]] * a[[i, j]]
    })
}

#[test]
fn views_in_any_order() {
    let base = Array2::from_shape_fn((4, 6), |(i, j)| (i * 6 + j) as f64 - 7.5);
    let views = [
        base.view(),
        base.t(),
        base.slice(s![..;2, ..;3]),
        base.slice(s![..;-1, ..]),
        base.slice(s![..;-3, ..;-1]),
        base.slice(s![1..1, ..]),
        base.slice(s![2.., 3..4]),
    ];
    for a in views {
        let owned = a.to_owned();
        let gradient = weighted_grad(a);
        assert_eq!(weighted(a), weighted_value(a));
        assert!(gradient.is_standard_layout());
        assert_eq!(gradient, weighted_grad(owned.view()));
        let by_hand =
            Array2::from_shape_fn(a.raw_dim(), |(i, j)| 2.0 * (10 * i + j) as f64 * a[[i, j]]);
        assert_eq!(gradient, by_hand);
        let (value, along) = weighted_jvp(a, a);
        assert_eq!(along, 2.0 * value);
    }
    let broadcast = array![1.0, 2.0, 3.0];
    let wide = broadcast.broadcast((2, 3)).unwrap();
    assert_eq!(
        weighted_grad(wide),
        array![[0.0, 4.0, 12.0], [20.0, 44.0, 72.0]]
    );
}

const PLAIN: f64 = 3.0;
const COUNT: usize = 2;

mod rt {
    pub(crate) const RATE: f64 = 0.5;
    pub(crate) const STEP: i32 = -1;
    pub(crate) static ON: bool = true;
}

#[differentiable]
fn with_constants(x: &[f64]) -> f64 {
    let first = x[COUNT] * PLAIN * rt::RATE;
    let second = if crate::rt::ON {
        x[(rt::STEP + 1) as usize]
    } else {
        0.0
    };
    first + second * std::f64::consts::PI
}

#[test]
fn constants_of_the_user() {
    let g = with_constants_grad(&[1.0, 1.0, 1.0]);
    assert_eq!(g, [std::f64::consts::PI, 0.0, 1.5]);
}

#[differentiable(value, grad, vjp, jvp)]
fn r#type(r#in: &Array1<f64>, r#fn: f64, r#loop: usize) -> f64 {
    sum(r#in.len(), |i| r#in[i] * r#fn) + r#in[r#loop]
}

#[differentiable]
fn r#struct(r#in: &Array2<f64>, r#match: ArrayView1<'_, f64>) -> Array2<f64> {
    build((r#in.nrows(), r#in.ncols()), |(i, j)| {
        r#in[[i, j]] * r#match[j]
    })
}

#[test]
fn raw_identifiers() {
    let x = array![1.0, 2.0];
    let (dx, df) = type_grad(&x, 3.0, 1);
    assert_eq!((dx, df), (array![3.0, 4.0], 3.0));
    assert_eq!(type_value(&x, 3.0, 1), r#type(&x, 3.0, 1));
    assert_eq!(type_jvp(&x, 3.0, 1, &x, 1.0).1, 14.0);
    let a = array![[1.0, 2.0]];
    let (_, (da, dm)) = struct_vjp(&a, x.view(), &array![[1.0, 1.0]]);
    assert_eq!((da, dm), (array![[1.0, 2.0]], array![1.0, 2.0]));
    assert_eq!(struct_jvp(&a, x.view(), &a, x.view()).1, array![[2.0, 8.0]]);
}

/// Names that the generated code might want for itself.
#[differentiable(value, vjp, jvp)]
#[allow(clippy::too_many_arguments)]
fn awkward(
    rt: &Array1<f64>,
    t: f64,
    i: usize,
    j: &[usize],
    n: i32,
    x: &Array1<f64>,
    x_len: f64,
    v: &Array1<f64>,
    cotangent: f64,
    w: f64,
    w_tangent: f64,
    s: f64,
    k: f64,
    rt_tangent: f64,
) -> Array1<f64> {
    build(x.len(), |l| {
        let sum_of = sum(x.len(), |p| x[p] * rt[p]);
        sum_of * t * v[i] * x[j[l]] * x_len
            + cotangent * w * w_tangent * s * k
            + n as f64 * rt_tangent
    })
}

#[test]
#[allow(clippy::type_complexity)]
fn names_of_the_user() {
    let x = array![1.0, 2.0];
    let out = awkward(
        &x,
        2.0,
        1,
        &[0, 1],
        3,
        &x,
        1.0,
        &x,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
    );
    let value = awkward_value(
        &x,
        2.0,
        1,
        &[0, 1],
        3,
        &x,
        1.0,
        &x,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
    );
    assert_eq!(out, value);
    let (again, (d_rt, _, _, dx_len, dv, dc, _, _, _, _, d_rt_tangent)) = awkward_vjp(
        &x,
        2.0,
        1,
        &[0, 1],
        3,
        &x,
        1.0,
        &x,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
        &array![1.0, 1.0],
    );
    assert_eq!(out, again);
    assert_eq!(d_rt, array![12.0, 24.0]);
    assert_eq!((dx_len, dv[0], dv[1]), (60.0, 0.0, 30.0));
    assert_eq!((dc, d_rt_tangent), (2.0 * 360.0, 6.0));
    let zero = Array1::zeros(2);
    let (_, along) = awkward_jvp(
        &x,
        2.0,
        1,
        &[0, 1],
        3,
        &x,
        1.0,
        &x,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
        7.0,
        &zero,
        0.0,
        &zero,
        1.0,
        &zero,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    );
    assert_eq!(along, array![20.0 + 3.0, 40.0 + 3.0]);
}

#[differentiable]
#[allow(non_snake_case)]
fn Named_Loudly(X: &Array1<f64>, _unused: f64) -> f64 {
    sum(X.len(), |I| X[I])
}

#[test]
fn names_of_any_case() {
    assert_eq!(Named_Loudly_grad(&array![1.0], 1.0), (array![1.0], 0.0));
}
