//! The zoo: small programs that every stage of cotangent is tested on.
//!
//! # Adding a program
//!
//! Adding a program is adding one file to the folder `programs`. The file is named as the function
//! in it, begins with a line that says what it is, and lists its test cases:
//!
//! ```text
//! //! Self-convolution: the sum of x[i] * x[n-1-i].
//! //!
//! //! @ x: [5]
//! //! @ x: [1]
//! //! @ x: [0]
//!
//! use cotangent::prelude::*;
//! use ndarray::Array1;
//!
//! #[differentiable(value, grad, vjp, jvp)]
//! pub fn self_convolution(x: &Array1<f64>) -> f64 {
//!     let n = x.len();
//!     sum(n, |i| x[i] * x[n - 1 - i])
//! }
//! ```
//!
//! A program whose result is an array says `#[differentiable(value, vjp, jvp)]`. Parameters are
//! scalars (`f64`, `f32`, `usize`, `i64`, `i32`, `bool`) or arrays of those of rank 0 to 6, as
//! `ArrayN<T>`, `&ArrayN<T>`, `ArrayViewN<'_, T>` or `&ArrayViewN<'_, T>`; at least one is real.
//! The result is an `f64` or an `ArrayN<f64>`. The file may hold constants and helpers beside the
//! function. `f32` may stand for `f64` throughout, and so may a type parameter `T: Real`; such a
//! program is run over both. Slices, `Vec`s, fixed-size arrays, tuples and structs of all these are
//! possible, too. A struct stands in the file, is `pub` with all its fields, and says
//! `#[derive(Clone, Differentiable)]`. A length that is a parameter (`const N: usize`) is 3.
//!
//! # Test cases
//!
//! A line `//! @` is one case. It gives every argument, in any order, separated by `;`:
//!
//! | written | the argument |
//! |---|---|
//! | `x: [3, 4]` | an array of this shape; `[]` has rank 0 |
//! | `s:` | a scalar |
//! | `x: [3] in 0.5..2.0`, `s: in 0.5..2.0` | drawn from this range, which excludes its end |
//! | `x: {1.0, 2.5, -3.0}`, `x: {}` | an array of rank 1 of these values |
//! | `x: [2, 2] {1.0, 0.0, 0.0, 1.0}` | an array of these values, the last axis running fastest |
//! | `s: 0.5`, `n: 7`, `b: true` | this scalar |
//!
//! A part of a tuple or a struct is an argument of its own, as in `p.0: 0.5; p.focal: [3]`. Arrays
//! of arrays are arrays of higher rank here.
//!
//! A case that begins with `for N in {9, 65, 300}` stands for one case with each of these numbers
//! in the place of `N`, as in `for N in {9, 65} x: [N, 3]; n: N`. Such cases are `large`.
//!
//! What is not written down is drawn: reals between -1 and 1 unless there is a range, bools either
//! way; integers always need a range or values. The numbers depend only on the names of the program
//! and of the parameter and on the number of the case, so they are the same in every run, and
//! adding a case at the end changes no other.
//!
//! Flags follow `@@`, at the end of a case for that case, or on a line of their own
//! (`//! @@ loose`) for all cases of the file. Ranges that keep away from kinks are better than
//! flags.
//!
//! | flag | meaning |
//! |---|---|
//! | `nonsmooth` | central differences do not give the derivative here |
//! | `loose` | numbers are compared with a wider tolerance |
//! | `nonfinite` | the result holds infinities or NaN |
//! | `deep` | it calls itself as a unit, whose values interpreters compute again at each depth |
//! | `large` | only generated code is run here, and not the interpreters |
//!
//! # Features
//!
//! With the feature `derived` the programs are compiled as they stand, and a [`Program`] offers
//! their derivatives; without it the annotation is taken off first, so that they run without any
//! part of the compiler.

// Not `forbid`: ndarray's `s!` allows itself what it needs.
#![deny(unsafe_code)]
#![deny(warnings, clippy::all)]

use std::ops::BitOr;

pub use cotangent_core::ir::value::{Tensor, Value};

pub mod bounds;
mod convert;
pub mod derived;
mod directive;
pub mod entries;
pub mod higher;
pub mod limit;
pub mod measure;
pub mod parallel;
mod random;
pub mod stages;

#[cfg(feature = "derived")]
// Not all programs return several.
#[allow(unused_imports)]
use convert::apart;
// Some of the programs do not need all of it.
#[allow(unused_imports)]
use convert::{from_value, in_a_row, to_value};

#[cfg(not(test))]
include!(concat!(env!("OUT_DIR"), "/table.rs"));

// The tests inside of this crate need no programs, which are compiled for a long time.
#[cfg(test)]
static PROGRAMS: &[Program] = &[];
#[cfg(test)]
static SINGLE: &[Program] = &[];

/// The kind of the elements of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// `f64` or `f32`.
    Real,
    /// An integer type.
    Int,
    /// `bool`.
    Bool,
}

/// A parameter of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The kind of its elements. Exactly the real ones are differentiated in.
    pub elem: Elem,
    /// The number of its axes, 0 for a scalar.
    pub rank: usize,
}

/// From arguments: the result and the gradient in every real parameter.
pub type ValueAndGrad = fn(&[Value]) -> (Value, Vec<Value>);

/// A program of the zoo. All functions panic on arguments of wrong kind or rank.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name of the file and of the function.
    pub name: &'static str,
    /// The text of the file.
    pub source: &'static str,
    /// The parameters in order.
    pub params: &'static [Param],
    /// Whether the result is a scalar and not an array.
    pub scalar_result: bool,
    /// Whether real numbers are `f32`.
    pub single: bool,
    /// The function as written, compiled by rustc alone.
    pub primal: fn(&[Value]) -> Value,
    /// The function as compiled by cotangent.
    #[cfg(feature = "derived")]
    pub value: fn(&[Value]) -> Value,
    /// From arguments and a tangent for every real parameter: the result and its tangent.
    #[cfg(feature = "derived")]
    pub jvp: fn(&[Value], &[Value]) -> (Value, Value),
    /// From arguments and a cotangent of the result: the result and a cotangent for every real
    /// parameter.
    #[cfg(feature = "derived")]
    pub vjp: fn(&[Value], &Value) -> (Value, Vec<Value>),
    /// The result and the gradient in every real parameter, where the result is scalar.
    #[cfg(feature = "derived")]
    pub value_and_grad: Option<ValueAndGrad>,
}

/// What to expect of a test case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Central differences do not give the derivative here.
    pub nonsmooth: bool,
    /// Numbers are compared with a wider tolerance.
    pub loose: bool,
    /// The result holds infinities or NaN.
    pub nonfinite: bool,
    /// The gradient costs as many times as much as the depth of the recursion.
    pub deep: bool,
    /// Only generated code is run, and not the interpreters.
    pub large: bool,
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags {
            nonsmooth: self.nonsmooth || other.nonsmooth,
            loose: self.loose || other.loose,
            nonfinite: self.nonfinite || other.nonfinite,
            deep: self.deep || other.deep,
            large: self.large || other.large,
        }
    }
}

/// A test case of a program.
#[derive(Clone, Debug)]
pub struct Case {
    /// The case as written.
    pub text: String,
    /// The arguments, one for every parameter.
    pub args: Vec<Value>,
    /// What to expect.
    pub flags: Flags,
}

/// All programs, in alphabetical order.
pub fn programs() -> &'static [Program] {
    PROGRAMS
}

/// The generic programs over `f32`; among [`programs`] they are over `f64`.
pub fn generic_programs_over_f32() -> &'static [Program] {
    SINGLE
}

/// The program of this name.
///
/// # Panics
/// If there is none.
pub fn program(name: &str) -> &'static Program {
    PROGRAMS
        .iter()
        .find(|program| program.name == name)
        .unwrap_or_else(|| panic!("there is no program `{name}` in the zoo"))
}

impl Program {
    /// The test cases with what is known about them.
    ///
    /// # Panics
    /// If the head of the file does not follow the format.
    pub fn test_cases(&self) -> Vec<Case> {
        let mut cases = directive::cases(self.name, self.source, self.params)
            .unwrap_or_else(|message| panic!("programs/{}.rs: {message}", self.name));
        for value in cases.iter_mut().flat_map(|case| &mut case.args) {
            if let (true, Value::Real(tensor)) = (self.single, value) {
                for x in &mut tensor.data {
                    *x = f64::from(*x as f32);
                }
            }
        }
        cases
    }

    /// The test cases that interpreters run, too.
    ///
    /// # Panics
    /// As [`Program::test_cases`].
    pub fn small_cases(&self) -> Vec<Case> {
        let mut cases = self.test_cases();
        cases.retain(|case| !case.flags.large);
        cases
    }

    /// The arguments of the test cases.
    ///
    /// # Panics
    /// As [`Program::test_cases`].
    pub fn cases(&self) -> Vec<Vec<Value>> {
        self.test_cases()
            .into_iter()
            .map(|case| case.args)
            .collect()
    }

    /// The positions of the real parameters.
    pub fn real_params(&self) -> impl Iterator<Item = usize> {
        let all = self.params.iter().enumerate();
        all.filter(|(_, param)| param.elem == Elem::Real)
            .map(|(position, _)| position)
    }

    /// A tangent for every real parameter, drawn by generators that the text seeds.
    pub fn random_tangents(&self, args: &[Value], seed: &str) -> Vec<Value> {
        self.real_params()
            .map(|p| random_like(&args[p], &format!("{seed}/{}", self.params[p].name)))
            .collect()
    }

    /// The arguments plus `step` times the tangents.
    pub fn moved(&self, args: &[Value], tangents: &[Value], step: f64) -> Vec<Value> {
        let mut args = args.to_vec();
        for (p, tangent) in self.real_params().zip(tangents) {
            let Tensor { shape, mut data } = args[p].real().clone();
            assert_eq!(shape, tangent.shape(), "a tangent has the wrong shape");
            for (x, t) in data.iter_mut().zip(&tangent.real().data) {
                *x += step * t;
            }
            args[p] = Value::Real(Tensor::new(shape, data));
        }
        args
    }
}

/// A real array of the same shape, drawn between -1 and 1 by a generator that the text seeds: a
/// tangent or a cotangent to test with.
pub fn random_like(value: &Value, seed: &str) -> Value {
    let shape = value.shape().to_vec();
    let mut random = random::Random::new(seed);
    let count = shape.iter().product();
    let data = (0..count).map(|_| random.real(-1.0, 1.0)).collect();
    Value::Real(Tensor::new(shape, data))
}
