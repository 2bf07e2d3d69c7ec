//! Between the values of the interpreters and the types of the programs.

use cotangent_core::ir::value::{Tensor, Value};
use ndarray::{Array, Dimension, IxDyn};

/// The type of an element.
pub(crate) trait Element: Clone {
    /// The elements of a value.
    fn tensor(value: &Value) -> Tensor<Self>;
}

impl Element for f64 {
    fn tensor(value: &Value) -> Tensor<Self> {
        value.real().clone()
    }
}

impl Element for f32 {
    fn tensor(value: &Value) -> Tensor<Self> {
        let Tensor { shape, data } = value.real();
        Tensor::new(shape.clone(), data.iter().map(|&x| x as f32).collect())
    }
}

impl Element for bool {
    fn tensor(value: &Value) -> Tensor<Self> {
        value.bool().clone()
    }
}

/// A type that a value can be turned into.
pub(crate) trait FromValue {
    fn from_value(value: &Value) -> Self;
}

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl Element for $int {
            fn tensor(value: &Value) -> Tensor<Self> {
                let Tensor { shape, data } = value.int();
                let convert = |&x: &i64| <$int>::try_from(x).unwrap_or_else(|_| {
                    panic!("{x} does not fit `{}`", stringify!($int))
                });
                Tensor::new(shape.clone(), data.iter().map(convert).collect())
            }
        }
    )*};
}
integers!(usize, i64, i32);

macro_rules! scalars {
    ($($scalar:ty),*) => {$(
        impl FromValue for $scalar {
            fn from_value(value: &Value) -> Self {
                let tensor = <$scalar>::tensor(value);
                assert!(tensor.shape.is_empty(), "expected a scalar, found {value}");
                tensor.data[0]
            }
        }
    )*};
}
scalars!(f64, f32, usize, i64, i32, bool);

impl<T: Element, D: Dimension> FromValue for Array<T, D> {
    fn from_value(value: &Value) -> Self {
        let Tensor { shape, data } = T::tensor(value);
        Array::from_shape_vec(IxDyn(&shape), data)
            .ok()
            .and_then(|array| array.into_dimensionality().ok())
            .unwrap_or_else(|| panic!("{value} has the wrong rank"))
    }
}

/// The parts of an array along its first axis.
fn rows(value: &Value) -> Vec<Value> {
    fn cut<T: Clone>(t: &Tensor<T>) -> Vec<Tensor<T>> {
        let (count, shape) = t.shape.split_first().expect("an array");
        let size: usize = shape.iter().product();
        let row = |k: usize| Tensor::new(shape.to_vec(), t.data[k * size..][..size].to_vec());
        (0..*count).map(row).collect()
    }
    match value {
        Value::Real(t) => cut(t).into_iter().map(Value::Real).collect(),
        Value::Int(t) => cut(t).into_iter().map(Value::Int).collect(),
        Value::Bool(t) => cut(t).into_iter().map(Value::Bool).collect(),
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Value) -> Self {
        rows(value).iter().map(T::from_value).collect()
    }
}

impl<T: FromValue, const N: usize> FromValue for [T; N] {
    fn from_value(value: &Value) -> Self {
        let all = Vec::from_value(value);
        let count = all.len();
        all.try_into()
            .unwrap_or_else(|_| panic!("expected {N} elements, found {count}"))
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: ToValue, const N: usize> ToValue for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: ToValue> ToValue for [T] {
    fn to_value(&self) -> Value {
        let rows: Vec<Value> = self.iter().map(T::to_value).collect();
        let inner = rows.first().map_or(&[][..], Value::shape);
        let shape = [&[rows.len()], inner].concat();
        let data = rows.iter().flat_map(|row| row.real().data.clone());
        Value::Real(Tensor::new(shape, data.collect()))
    }
}

/// All numbers of several values.
// Not all programs return several.
#[allow(dead_code)]
pub(crate) fn in_a_row(values: &[Value]) -> Value {
    let data = values.iter().flat_map(|v| v.real().data.clone());
    let data: Vec<f64> = data.collect();
    Value::Real(Tensor::new(vec![data.len()], data))
}

/// The reverse, for values of the shapes of others.
#[cfg(feature = "derived")]
#[allow(dead_code)]
pub(crate) fn apart(all: &Value, like: &[Value]) -> Vec<Value> {
    let mut rest = &all.real().data[..];
    let mut part = |like: &Value| {
        let (mine, others) = rest.split_at(like.real().data.len());
        rest = others;
        Value::Real(Tensor::new(like.shape().to_vec(), mine.to_vec()))
    };
    like.iter().map(&mut part).collect()
}

/// A type that can be turned into a value.
pub(crate) trait ToValue {
    fn to_value(&self) -> Value;
}

macro_rules! reals {
    ($($real:ty),*) => {$(
        impl ToValue for $real {
            fn to_value(&self) -> Value {
                Value::Real(Tensor::scalar(f64::from(*self)))
            }
        }

        impl<D: Dimension> ToValue for Array<$real, D> {
            fn to_value(&self) -> Value {
                let data = self.iter().map(|&x| f64::from(x)).collect();
                Value::Real(Tensor::new(self.shape().to_vec(), data))
            }
        }
    )*};
}
reals!(f64, f32);

/// The value as a type of a program.
pub(crate) fn from_value<T: FromValue>(value: &Value) -> T {
    T::from_value(value)
}

/// A result of a program as a value.
pub(crate) fn to_value<T: ToValue + ?Sized>(result: &T) -> Value {
    result.to_value()
}

#[cfg(test)]
mod tests {
    use ndarray::{Array0, Array2, arr0, arr2};

    use super::*;

    #[test]
    fn arrays_there_and_back() {
        let a = arr2(&[[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let value = to_value(&a.t().to_owned());
        assert_eq!(value.shape(), [3, 2]);
        assert_eq!(value.real().data, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(from_value::<Array2<f64>>(&value), a.t());
        assert_eq!(from_value::<Array0<f64>>(&to_value(&7.0_f64)), arr0(7.0));
        assert_eq!(from_value::<Array0<f32>>(&to_value(&0.1_f32)), arr0(0.1));
    }

    #[test]
    fn integers_of_every_type() {
        let value = Value::Int(Tensor::scalar(-3));
        assert_eq!(from_value::<i64>(&value), -3);
        assert_eq!(from_value::<i32>(&value), -3);
    }

    #[test]
    #[should_panic(expected = "-3 does not fit `usize`")]
    fn negative_size() {
        from_value::<usize>(&Value::Int(Tensor::scalar(-3)));
    }

    #[test]
    #[should_panic(expected = "wrong rank")]
    fn wrong_rank() {
        from_value::<Array2<f64>>(&Value::Real(Tensor::scalar(1.0)));
    }
}
