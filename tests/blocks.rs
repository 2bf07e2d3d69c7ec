//! Annotated `impl` blocks.

#![deny(warnings, missing_docs, clippy::all)]
// A lifetime of a block is tried as well.
#![allow(clippy::needless_lifetimes)]

use cotangent::ndarray::{Array1, array};
use cotangent::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    w: Array1<f64>,
    b: f64,
}

#[differentiable]
impl Model {
    const SCALE: f64 = 2.0;

    fn new(n: usize) -> Self {
        Model {
            w: Array1::ones(n),
            b: 0.5,
        }
    }

    #[differentiable]
    fn predict(&self, x: &Array1<f64>) -> f64 {
        self.w.dot(x) + self.b
    }

    /// Calls methods, and functions without `self`.
    #[differentiable(value, grad, hvp, into)]
    pub(crate) fn loss(&self, x: &Array1<f64>, y: f64) -> f64 {
        let r = self.predict(x) - y;
        Self::half(r) * Self::SCALE + Self::norm(self)
    }

    #[differentiable]
    fn half(r: f64) -> f64 {
        0.5 * r * r
    }

    #[differentiable(wrt(self))]
    fn norm(&self) -> f64 {
        self.w.dot(&self.w)
    }

    /// `self` is a constant, and a derivative is called.
    #[differentiable(wrt(x))]
    fn slope(&self, x: &Array1<f64>) -> f64 {
        let (by_model, _) = self.predict_grad(x);
        self.predict(x) * by_model.b + Model::half(x[0])
    }

    #[differentiable]
    fn moved(self, by: f64) -> Self {
        Model {
            w: self.w.mapv(|v| v + by),
            b: self.b * by,
        }
    }

    #[differentiable(noinline)]
    fn wave(&self, x: f64) -> f64 {
        self.b * x.sin()
    }

    #[differentiable]
    fn waves(&self, x: f64) -> f64 {
        self.wave(x) * self.wave(2.0 * x)
    }

    #[differentiable]
    fn root(&self, x: f64) -> Option<f64> {
        if x < 0.0 {
            return None;
        }
        Some(self.b * x.sqrt())
    }

    #[differentiable]
    fn root_squared(&self, x: f64) -> Option<f64> {
        let a = self.root(x)?;
        Some(a * a)
    }
}

/// A function outside of the block finds those in it.
#[differentiable]
fn outside(m: &Model, x: &Array1<f64>) -> f64 {
    m.predict(x) * Model::half(m.b)
}

#[test]
fn methods_call_methods() {
    for n in [0, 1, 9, 65] {
        let (m, x) = (Model::new(n), Array1::from_elem(n, 2.0));
        let r = 2.0 * n as f64 - 0.5;
        let (value, (dm, dx, dy)) = m.loss_value_and_grad(&x, 1.0);
        assert_eq!(value, m.loss(&x, 1.0));
        assert_eq!((dm.b, dy), (2.0 * r, -2.0 * r));
        assert_eq!(dm.w, Array1::from_elem(n, 4.0 * r + 2.0));
        assert_eq!(dx, Array1::from_elem(n, 2.0 * r));
        let product = m.loss_hvp(&x, 1.0, &m, &(0.0 * &x), 0.0).0.b;
        assert_eq!(product, 2.0 * (2.0 * n as f64 + 0.5));
        let mut into = m.loss_grad(&x, 2.0);
        let mut workspace = cotangent::Workspace::default();
        m.loss_grad_into(&x, 1.0, &mut into, &mut workspace);
        assert_eq!(into, m.loss_grad(&x, 1.0));
        assert_eq!(outside_grad(&m, &x).1, Array1::from_elem(n, 0.125));
        assert_eq!(outside(&m, &x), 0.125 * (r + 1.0));
    }
}

#[test]
fn of_every_kind() {
    let m = Model::new(2);
    let x = array![1.0, 3.0];
    assert_eq!(m.slope_grad(&x), array![2.0, 1.0]);
    assert_eq!(m.slope(&x), 5.0);
    let (moved, (dm, by)) = m.clone().moved_vjp(2.0, &m);
    assert_eq!(moved, m.clone().moved(2.0));
    assert_eq!((dm.b, by), (1.0, 2.25));
    let by_hand = |x: f64| 0.25 * (x.cos() * (2.0 * x).sin() + 2.0 * x.sin() * (2.0 * x).cos());
    assert!((m.waves_grad(2.0).1 - by_hand(2.0)).abs() < 1e-15);
    assert_eq!(m.waves(0.0), 0.0);
    assert_eq!(m.root_squared_grad(2.0).map(|g| g.1), Some(0.25));
    assert_eq!(m.root_grad(-1.0), None);
    assert_eq!(m.root_squared(-1.0), None);
    assert_eq!(Model::half_grad(3.0), 3.0);
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Line<T: Real> {
    slope: T,
    start: T,
}

#[differentiable]
impl<T: Real> Line<T>
where
    T: Copy,
{
    #[differentiable]
    fn at(&self, x: T) -> T {
        self.slope * x + self.start
    }

    #[differentiable]
    fn twice(&self, x: T) -> T {
        self.at(self.at(x))
    }

    #[differentiable]
    fn squared(x: T) -> T {
        x * x
    }
}

trait Energy {
    fn energy(&self, x: f64) -> f64;
}

#[differentiable]
impl Energy for Model {
    #[differentiable]
    fn energy(&self, x: f64) -> f64 {
        assert!(x.is_finite());
        self.b * x * x + self.norm()
    }
}

trait Scaled<T> {
    fn scaled(&self, by: T) -> T;
}

#[differentiable]
impl<T: Real> Scaled<T> for Line<T> {
    #[differentiable]
    fn scaled(&self, by: T) -> T {
        self.slope * by
    }
}

trait Totals<T, const N: usize> {
    fn total(&self, of: [T; N]) -> T;
}

/// `N` stands at the generated functions: it is no part of the type.
#[differentiable]
impl<T: Real, const N: usize> Totals<T, N> for Line<T> {
    #[differentiable]
    fn total(&self, of: [T; N]) -> T {
        sum(N, |i| self.slope * of[i])
    }
}

#[test]
fn generics_and_traits() {
    let line = Line {
        slope: 2.0,
        start: 1.0,
    };
    assert_eq!(line.twice(3.0), 15.0);
    let (by_line, by_x) = line.twice_grad(3.0);
    assert_eq!((by_line.slope, by_line.start, by_x), (13.0, 3.0, 4.0));
    assert_eq!(Line::squared_grad(3.0f32), 6.0);
    assert_eq!(Line::<f32>::squared(3.0), 9.0);
    assert_eq!(line.scaled_grad(3.0).1, 2.0);
    assert_eq!(line.scaled(1.0), 2.0);
    assert_eq!(line.total([1.0, 2.0, 3.0]), 12.0);
    assert_eq!(line.total_grad([1.0, 2.0, 3.0]).1, [2.0; 3]);
    let m = Model::new(1);
    assert_eq!(m.energy_grad(3.0).1, 3.0);
    assert_eq!(m.energy(1.0), 1.5);
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V(f64, f64);

#[differentiable]
impl std::ops::Add for V {
    type Output = V;

    #[differentiable]
    fn add(self, o: V) -> Self::Output {
        V(self.0 + o.0, self.1 + o.1)
    }
}

#[differentiable]
impl<'a> std::ops::Mul<f64> for &'a V {
    type Output = V;

    #[differentiable]
    fn mul(self, o: f64) -> V {
        V(self.0 * o, self.1 * o)
    }
}

#[differentiable]
impl std::ops::Neg for V {
    type Output = V;

    #[differentiable]
    fn neg(self) -> V {
        V(-self.0, -self.1)
    }
}

#[differentiable]
fn operators(a: V, b: V, t: f64) -> f64 {
    let c = -(a + &b * t);
    c.0 * c.1
}

#[test]
fn operators_of_structs() {
    let (a, b) = (V(1.0, 2.0), V(3.0, 4.0));
    assert_eq!(operators(a, b, 2.0), 70.0);
    assert_eq!(
        operators_grad(a, b, 2.0),
        (V(10.0, 7.0), V(20.0, 14.0), 58.0)
    );
    assert_eq!(a.add_vjp(b, &b), (V(4.0, 6.0), (b, b)));
    assert_eq!(a.mul_vjp(2.0, &b), (V(2.0, 4.0), (V(6.0, 8.0), 11.0)));
}

mod shapes {
    use cotangent::prelude::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub(crate) struct Circle {
        pub(crate) r: f64,
    }

    #[differentiable]
    impl Circle {
        #[differentiable]
        pub(crate) fn area(&self) -> f64 {
            3.0 * self.r * self.r
        }
    }
}

/// By the path of the type, to another module.
#[differentiable]
fn cylinder(c: &shapes::Circle, h: f64) -> f64 {
    c.area() * h + shapes::Circle::area(c)
}

#[test]
fn of_another_module() {
    let circle = shapes::Circle { r: 2.0 };
    assert_eq!(cylinder(&circle, 3.0), 48.0);
    assert_eq!(
        cylinder_grad(&circle, 3.0),
        (shapes::Circle { r: 48.0 }, 12.0)
    );
}

#[test]
fn inside_a_function_body() {
    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Local {
        x: f64,
    }

    #[differentiable]
    impl Local {
        #[differentiable]
        fn cube(&self) -> f64 {
            self.x * self.square()
        }

        #[differentiable]
        fn square(&self) -> f64 {
            self.x * self.x
        }
    }

    let local = Local { x: 2.0 };
    assert_eq!(local.cube(), 8.0);
    assert_eq!(local.cube_grad(), Local { x: 12.0 });
}
