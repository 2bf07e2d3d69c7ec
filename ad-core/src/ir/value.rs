//! Concrete arrays, as the interpreters compute with them: row-major, of any rank, of one of three
//! element kinds. Deliberately independent of ndarray and of the runtime crate.

use std::fmt;

/// A dense row-major array. A scalar has the empty shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<T> {
    /// One length per axis.
    pub shape: Vec<usize>,
    /// `shape.iter().product()` elements, the last axis running fastest.
    pub data: Vec<T>,
}

impl<T: Clone> Tensor<T> {
    /// The array with these elements.
    ///
    /// # Panics
    /// If the number of elements does not fit the shape.
    pub fn new(shape: Vec<usize>, data: Vec<T>) -> Self {
        assert_eq!(
            shape.iter().product::<usize>(),
            data.len(),
            "{} elements do not fill the shape {shape:?}",
            data.len()
        );
        Tensor { shape, data }
    }

    /// The scalar `x`.
    pub fn scalar(x: T) -> Self {
        Tensor {
            shape: vec![],
            data: vec![x],
        }
    }

    /// The array of this shape that holds `x` everywhere.
    pub fn filled(shape: &[usize], x: T) -> Self {
        let n = shape.iter().product();
        Tensor {
            shape: shape.to_vec(),
            data: vec![x; n],
        }
    }

    /// The position of an index in `data`, or `None` where it lies outside the shape.
    pub fn offset(&self, index: &[i64]) -> Option<usize> {
        debug_assert_eq!(index.len(), self.shape.len());
        let mut at = 0;
        for (&i, &n) in index.iter().zip(&self.shape) {
            let i = usize::try_from(i).ok().filter(|&i| i < n)?;
            at = at * n + i;
        }
        Some(at)
    }
}

/// An array of one of the element kinds of the language.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `f64`.
    Real(Tensor<f64>),
    /// Any integer type of the source.
    Int(Tensor<i64>),
    /// `bool`.
    Bool(Tensor<bool>),
}

impl Value {
    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        match self {
            Value::Real(t) => &t.shape,
            Value::Int(t) => &t.shape,
            Value::Bool(t) => &t.shape,
        }
    }

    /// The real array.
    ///
    /// # Panics
    /// If the value is not real.
    pub fn real(&self) -> &Tensor<f64> {
        match self {
            Value::Real(t) => t,
            Value::Int(_) | Value::Bool(_) => panic!("expected reals, found {self}"),
        }
    }

    /// The integer array.
    ///
    /// # Panics
    /// If the value is not made of integers.
    pub fn int(&self) -> &Tensor<i64> {
        match self {
            Value::Int(t) => t,
            Value::Real(_) | Value::Bool(_) => panic!("expected integers, found {self}"),
        }
    }

    /// The integer, or 1 or 0 for a bool, if the value is a single one.
    pub fn as_size(&self) -> Option<i64> {
        match self {
            Value::Int(t) if t.shape.is_empty() => t.data.first().copied(),
            Value::Bool(t) if t.shape.is_empty() => t.data.first().map(|b| i64::from(*b)),
            Value::Int(_) | Value::Bool(_) | Value::Real(_) => None,
        }
    }

    /// The array of truth values.
    ///
    /// # Panics
    /// If the value is not made of bools.
    pub fn bool(&self) -> &Tensor<bool> {
        match self {
            Value::Bool(t) => t,
            Value::Real(_) | Value::Int(_) => panic!("expected bools, found {self}"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Real(t) => write!(f, "{:?}{:?}", t.shape, t.data),
            Value::Int(t) => write!(f, "{:?}{:?}", t.shape, t.data),
            Value::Bool(t) => write!(f, "{:?}{:?}", t.shape, t.data),
        }
    }
}
