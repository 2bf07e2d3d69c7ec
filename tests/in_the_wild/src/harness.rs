//! Compares a function with its derivative: the value exactly, the gradient with central
//! differences.

use ndarray::{Array1, Array2, Array3};

/// What is made of real numbers, in a fixed order.
pub(crate) trait Numbers {
    /// The numbers.
    fn numbers(&self) -> Vec<f64>;
    /// The same with other numbers.
    fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Self;
}

impl Numbers for f64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
    fn with(&self, from: &mut dyn Iterator<Item = f64>) -> f64 {
        from.next().expect("as many numbers as there were")
    }
}

macro_rules! arrays {
    ($($array:ident)*) => {$(
        impl Numbers for $array<f64> {
            fn numbers(&self) -> Vec<f64> {
                self.iter().copied().collect()
            }
            fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
                self.mapv(|x| x.with(from))
            }
        }
    )*};
}
arrays!(Array1 Array2 Array3);

impl<T: Numbers> Numbers for Vec<T> {
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(T::numbers).collect()
    }
    fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        self.iter().map(|x| x.with(from)).collect()
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(T::numbers).collect()
    }
    fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        self.each_ref().map(|x| x.with(from))
    }
}

macro_rules! tuples {
    ($($($t:ident)+;)*) => {$(
        #[allow(non_snake_case)]
        impl<$($t: Numbers),+> Numbers for ($($t,)+) {
            fn numbers(&self) -> Vec<f64> {
                let ($($t,)+) = self;
                [$($t.numbers()),+].concat()
            }
            fn with(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
                let ($($t,)+) = self;
                ($($t.with(from),)+)
            }
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

/// Numbers between -1 and 1, none near to another.
pub(crate) fn list(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| ((i * i + 3 * i + n) as f64 * 0.7).sin())
        .collect()
}

pub(crate) fn vector(n: usize) -> Array1<f64> {
    Array1::from(list(n))
}

pub(crate) fn positive(n: usize) -> Array1<f64> {
    vector(n).mapv(|x| 0.5 + x * x)
}

pub(crate) fn matrix(n: usize, m: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, m), |(i, j)| {
        ((3 * i + 5 * j + i * j) as f64 * 0.9 + 0.2).sin()
    })
}

pub(crate) fn cube(n: usize, m: usize, k: usize) -> Array3<f64> {
    Array3::from_shape_fn((n, m, k), |(i, j, k)| {
        ((3 * i + 5 * j + 7 * k) as f64 * 0.9).cos()
    })
}

/// Copies, as owned values.
pub(crate) fn copied<X: Numbers>(x: &X) -> X {
    x.with(&mut x.numbers().into_iter())
}

/// Compares.
pub(crate) fn agree<X: Numbers, G: Numbers>(
    x: X,
    f: impl Fn(&X) -> f64,
    derivative: impl Fn(&X) -> (f64, G),
) {
    let (value, gradient) = derivative(&x);
    let expected = f(&x);
    let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by * (1.0 + a.abs().max(b.abs()));
    assert!(
        near(value, expected, 1e-10),
        "the value is {value}, and not {expected}"
    );
    let (numbers, gradient) = (x.numbers(), gradient.numbers());
    assert_eq!(
        numbers.len(),
        gradient.len(),
        "one derivative for each number"
    );
    for (k, &g) in gradient.iter().enumerate() {
        let at = |h: f64| {
            let mut moved = numbers.clone();
            moved[k] += h;
            f(&x.with(&mut moved.into_iter()))
        };
        let h = 1e-5;
        let d = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        assert!(near(g, d, 1e-6), "derivative {k} is {g}, and not {d}");
    }
}

/// `name: f, f_value_and_grad, x: value, .. => (arguments);` with what is not differentiated behind
/// `;`.
macro_rules! tests {
    ($($name:ident: $f:ident, $g:ident,
       $($x:ident: $value:expr),+ $(; $($c:ident: $constant:expr),+)? => ($($arg:expr),*);)*) => {
        mod tests {
            #[allow(unused_imports)]
            use crate::harness::*;
            #[allow(unused_imports)]
            use super::*;
            $(#[test]
            fn $name() {
                $($(let $c = $constant;)+)?
                agree(
                    ($($value,)+),
                    |x| {
                        let ($($x,)+) = crate::harness::copied(x);
                        $f($($arg),*)
                    },
                    |x| {
                        let ($($x,)+) = crate::harness::copied(x);
                        $g($($arg),*)
                    },
                );
            })*
        }
    };
}

/// A weight for each number.
pub(crate) fn weights<X: Numbers>(x: &X) -> X {
    x.with(&mut (0..).map(|k| (f64::from(k) * 0.7 + 0.3).cos()))
}

/// The weighted sum of all numbers.
pub(crate) fn weighted<X: Numbers>(x: &X) -> f64 {
    let (numbers, by) = (x.numbers(), weights(x).numbers());
    numbers.iter().zip(&by).map(|(x, w)| x * w).sum()
}

/// The tests of `sized!` and of `products!`, which differ in what is compared.
macro_rules! at_sizes {
    ($how:ident $compared:tt
     $($name:ident: $f:ident, $g:ident, $n:ident in $sizes:expr,
       $($x:ident: $value:expr),+ $(; $($c:ident: $constant:expr),+)? => $args:tt;)*) => {
        mod $how {
            #[allow(unused_imports)]
            use crate::harness::*;
            #[allow(unused_imports)]
            use super::*;
            $(#[test]
            #[allow(unused_variables, reason = "some programs have no size")]
            fn $name() {
                for $n in $sizes {
                    $($(let $c = $constant;)+)?
                    agree(
                        ($($value,)+),
                        |x| {
                            let ($($x,)+) = crate::harness::copied(x);
                            at_sizes!(@value $compared $f $args)
                        },
                        |x| {
                            let ($($x,)+) = crate::harness::copied(x);
                            at_sizes!(@derivative $compared $f $g $args)
                        },
                    );
                }
            })*
        }
    };
    (@value (number) $f:ident $args:tt) => { $f $args };
    (@derivative (number) $f:ident $g:ident $args:tt) => { $g $args };
    (@value (weighted) $f:ident $args:tt) => { weighted(&$f $args) };
    (@derivative (weighted) $f:ident $g:ident ($($arg:expr),*)) => {{
        let by = weights(&$f($($arg),*));
        let (value, gradient) = $g($($arg),*, &by);
        (weighted(&value), gradient)
    }};
}

/// The same as `tests!` for each of some sizes, behind `in`.
macro_rules! sized {
    ($($all:tt)*) => { at_sizes! { sized (number) $($all)* } };
}

/// The same for results that are not scalars: the sum of their numbers by weights.
macro_rules! products {
    ($($all:tt)*) => { at_sizes! { products (weighted) $($all)* } };
}
