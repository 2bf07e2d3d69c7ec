//! Types of one's own as real numbers: a function over `T: Real` runs on them as it is written.

use cotangent::ndarray::{Array1, Array2, ScalarOperand, array};
use cotangent::prelude::*;
use std::cell::Cell;
use std::fmt::{self, Display, LowerExp};
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// What follows from `+`, `-`, `*`, `/` and `%` of values.
macro_rules! arithmetic {
    ($t:ident) => {
        arithmetic!(@ $t Add add AddAssign add_assign);
        arithmetic!(@ $t Sub sub SubAssign sub_assign);
        arithmetic!(@ $t Mul mul MulAssign mul_assign);
        arithmetic!(@ $t Div div DivAssign div_assign);
        arithmetic!(@ $t Rem rem RemAssign rem_assign);
        impl Sum for $t {
            fn sum<I: Iterator<Item = $t>>(all: I) -> $t {
                all.fold($t::of(0.0), |a, b| a + b)
            }
        }
        impl<'a> Sum<&'a $t> for $t {
            fn sum<I: Iterator<Item = &'a $t>>(all: I) -> $t {
                all.copied().sum()
            }
        }
        impl Product for $t {
            fn product<I: Iterator<Item = $t>>(all: I) -> $t {
                all.fold($t::of(1.0), |a, b| a * b)
            }
        }
        impl<'a> Product<&'a $t> for $t {
            fn product<I: Iterator<Item = &'a $t>>(all: I) -> $t {
                all.copied().product()
            }
        }
        impl num_traits::Zero for $t {
            fn zero() -> $t {
                $t::of(0.0)
            }
            fn is_zero(&self) -> bool {
                *self == $t::of(0.0)
            }
        }
        impl num_traits::One for $t {
            fn one() -> $t {
                $t::of(1.0)
            }
        }
        impl ScalarOperand for $t {}
        impl From<f32> for $t {
            fn from(x: f32) -> $t {
                $t::of(f64::from(x))
            }
        }
        impl From<$t> for f64 {
            fn from(x: $t) -> f64 {
                x.to_f64()
            }
        }
        impl Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self:?}")
            }
        }
        impl LowerExp for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self:?}")
            }
        }
    };
    (@ $t:ident $op:ident $method:ident $assign:ident $assign_method:ident) => {
        impl<'a> $op<&'a $t> for $t {
            type Output = $t;
            fn $method(self, other: &'a $t) -> $t {
                $op::$method(self, *other)
            }
        }
        impl $assign for $t {
            fn $assign_method(&mut self, other: $t) {
                *self = $op::$method(*self, other);
            }
        }
    };
}

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Counts the operations on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Counted(f64);

fn counted(x: f64) -> Counted {
    COUNT.set(COUNT.get() + 1);
    Counted(x)
}

macro_rules! counted {
    ($($op:ident $method:ident;)* : $($unary:ident)* : $($binary:ident)*) => {
        $(impl $op for Counted {
            type Output = Counted;
            fn $method(self, other: Counted) -> Counted {
                counted($op::$method(self.0, other.0))
            }
        })*
        impl Neg for Counted {
            type Output = Counted;
            fn neg(self) -> Counted {
                counted(-self.0)
            }
        }
        impl Real for Counted {
            const INFINITY: Counted = Counted(f64::INFINITY);
            const NEG_INFINITY: Counted = Counted(f64::NEG_INFINITY);
            const NAN: Counted = Counted(f64::NAN);
            const EPSILON: Counted = Counted(f64::EPSILON);

            fn of(x: f64) -> Counted {
                Counted(x)
            }
            fn from_usize(x: usize) -> Counted {
                Counted(x as f64)
            }
            fn to_f64(self) -> f64 {
                self.0
            }
            fn is_nan(self) -> bool {
                self.0.is_nan()
            }
            fn is_finite(self) -> bool {
                self.0.is_finite()
            }
            fn is_infinite(self) -> bool {
                self.0.is_infinite()
            }
            fn powi(self, n: i32) -> Counted {
                counted(self.0.powi(n))
            }
            fn sin_cos(self) -> (Counted, Counted) {
                (self.sin(), self.cos())
            }
            fn clamp(self, min: Counted, max: Counted) -> Counted {
                counted(self.0.clamp(min.0, max.0))
            }
            fn mul_add(self, a: Counted, b: Counted) -> Counted {
                counted(self.0.mul_add(a.0, b.0))
            }
            $(fn $unary(self) -> Counted {
                counted(self.0.$unary())
            })*
            $(fn $binary(self, other: Counted) -> Counted {
                counted(self.0.$binary(other.0))
            })*
        }
    };
}

counted! {
    Add add; Sub sub; Mul mul; Div div; Rem rem;
    : exp ln log2 log10 exp2 exp_m1 ln_1p sqrt cbrt recip sin cos tan asin acos atan sinh cosh tanh
      asinh acosh atanh abs signum floor ceil round trunc fract to_radians to_degrees
    : powf log atan2 copysign rem_euclid max min hypot
}
arithmetic!(Counted);

/// All numbers between two.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Interval {
    low: f64,
    high: f64,
}

/// All real numbers: the enclosure of a function that has no better one here.
const ALL: Interval = Interval {
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
};

/// The least and the largest of some numbers.
fn hull<const N: usize>(all: [f64; N]) -> Interval {
    Interval {
        low: all.into_iter().fold(f64::INFINITY, f64::min),
        high: all.into_iter().fold(f64::NEG_INFINITY, f64::max),
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        hull([self.low + other.low, self.high + other.high])
    }
}

impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        hull([-self.low, -self.high])
    }
}

impl Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        Add::add(self, -other)
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let [a, b] = [self.low, self.high];
        hull([a * other.low, a * other.high, b * other.low, b * other.high])
    }
}

impl Div for Interval {
    type Output = Interval;
    fn div(self, other: Interval) -> Interval {
        Mul::mul(self, other.recip())
    }
}

impl Rem for Interval {
    type Output = Interval;
    fn rem(self, _: Interval) -> Interval {
        ALL
    }
}

macro_rules! interval {
    ($($monotone:ident)*; $($other:ident)*; $($other_binary:ident)*) => {
        $(fn $monotone(self) -> Interval {
            hull([self.low.$monotone(), self.high.$monotone()])
        })*
        $(fn $other(self) -> Interval {
            ALL
        })*
        $(fn $other_binary(self, _: Interval) -> Interval {
            ALL
        })*
    };
}

impl Real for Interval {
    const INFINITY: Interval = Interval {
        low: f64::INFINITY,
        high: f64::INFINITY,
    };
    const NEG_INFINITY: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::NEG_INFINITY,
    };
    const NAN: Interval = Interval {
        low: f64::NAN,
        high: f64::NAN,
    };
    const EPSILON: Interval = Interval {
        low: f64::EPSILON,
        high: f64::EPSILON,
    };

    fn of(x: f64) -> Interval {
        hull([x])
    }
    fn from_usize(x: usize) -> Interval {
        hull([x as f64])
    }
    fn to_f64(self) -> f64 {
        0.5 * (self.low + self.high)
    }
    fn is_nan(self) -> bool {
        self.low.is_nan() || self.high.is_nan()
    }
    fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
    fn is_infinite(self) -> bool {
        self.low.is_infinite() || self.high.is_infinite()
    }
    fn powi(self, n: i32) -> Interval {
        let ends = hull([self.low.powi(n), self.high.powi(n)]);
        match n % 2 == 0 && self.low < 0.0 && self.high > 0.0 {
            true => hull([0.0, ends.high]),
            false => ends,
        }
    }
    fn recip(self) -> Interval {
        assert!(
            self.low > 0.0 || self.high < 0.0,
            "an interval around 0 has no reciprocal"
        );
        hull([1.0 / self.low, 1.0 / self.high])
    }
    fn abs(self) -> Interval {
        match self.low < 0.0 && self.high > 0.0 {
            true => hull([0.0, -self.low, self.high]),
            false => hull([self.low.abs(), self.high.abs()]),
        }
    }
    fn sin_cos(self) -> (Interval, Interval) {
        (ALL, ALL)
    }
    fn clamp(self, min: Interval, max: Interval) -> Interval {
        self.max(min).min(max)
    }
    fn mul_add(self, a: Interval, b: Interval) -> Interval {
        self * a + b
    }
    fn max(self, other: Interval) -> Interval {
        Interval {
            low: self.low.max(other.low),
            high: self.high.max(other.high),
        }
    }
    fn min(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.min(other.high),
        }
    }
    interval! {
        exp ln log2 log10 exp2 exp_m1 ln_1p sqrt cbrt asin atan sinh tanh asinh acosh atanh floor ceil round
        trunc to_radians to_degrees;
        sin cos tan acos cosh signum fract;
        powf log atan2 copysign rem_euclid hypot
    }
}
arithmetic!(Interval);

/// A layer of a network, and what is left of it.
#[differentiable(grad)]
fn layer<T: Real>(w: &Array2<T>, x: &Array1<T>) -> T {
    let z = w.dot(x);
    let y = build(z.len(), |i| z[i].tanh() + softplus(z[i]));
    let largest = maximum(y.len(), |i| y[i]);
    sum(y.len(), |i| (y[i] - largest).powi(2) * T::of(0.5)) + y.sum() / T::from_usize(y.len())
}

fn arguments() -> (Array2<f64>, Array1<f64>) {
    (
        array![[0.5, -1.0], [0.25, 2.0], [1.5, 0.1]],
        array![0.3, -0.7],
    )
}

#[test]
fn operations_are_counted() {
    let (w, x) = arguments();
    COUNT.set(0);
    let y = layer(&w.mapv(Counted), &x.mapv(Counted));
    assert_eq!(y.0, layer(&w, &x));
    let count = COUNT.get();
    assert!(count > 30, "{count}");
    let wide = (Array2::from_elem((6, 2), Counted(0.5)), x.mapv(Counted));
    COUNT.set(0);
    layer(&wide.0, &wide.1);
    assert!(COUNT.get() > count && COUNT.get() < 3 * count);
}

#[test]
fn intervals_hold_all_values() {
    let (w, x) = arguments();
    let around = |x: f64| Interval {
        low: x - 0.01,
        high: x + 0.01,
    };
    let all = layer(&w.mapv(around), &x.mapv(around));
    for k in 0..50 {
        let moved = |x: f64| x + 0.01 * ((k * 37 % 21) as f64 / 10.0 - 1.0);
        let y = layer(&w.mapv(moved), &x.mapv(moved));
        assert!(all.low <= y && y <= all.high, "{y} is not in {all}");
    }
    assert!(all.high - all.low < 1.0);
    assert_eq!(layer_grad(&w, &x).0.dim(), (3, 2));
}

#[test]
#[should_panic(expected = "derivatives are computed in `f64` and `f32`")]
fn derivatives_are_of_numbers() {
    let (w, x) = arguments();
    layer_grad(&w.mapv(Counted), &x.mapv(Counted));
}
