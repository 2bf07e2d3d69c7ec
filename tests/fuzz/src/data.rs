//! Arguments and results as rows of numbers, whatever their types are.

use crate::grammar::{Leaf, LeafKind, Length};
use crate::rng::Rng;
use cotangent_core::ir::value::{Tensor, Value};
use ndarray::{Array, ArrayD, Dimension};

/// The sizes that programs run at: of long lengths, and of short ones.
pub const SIZES: [(usize, usize); 8] = [
    (0, 0),
    (1, 1),
    (2, 3),
    (0, 2),
    (9, 4),
    (65, 5),
    (300, 3),
    (3, 0),
];

fn length(of: Length, size: (usize, usize)) -> usize {
    match of {
        Length::Long | Length::Part => size.0,
        Length::Short => size.1,
        Length::Fixed(n) => n,
    }
}

/// Arguments of these kinds at a size; the same seed gives the same.
pub fn arguments(leaves: &[Leaf], size: (usize, usize), seed: u64) -> Vec<Value> {
    let mut rng = Rng::new(seed.wrapping_mul(1000) + (size.0 * 10 + size.1) as u64);
    let rng = &mut rng;
    (leaves.iter())
        .map(|leaf| {
            let shape: Vec<usize> = leaf.dims.iter().map(|&d| length(d, size)).collect();
            let count: usize = shape.iter().product();
            let ints = |rng: &mut Rng, lo: i64, hi: i64| {
                let data = (0..count).map(|_| rng.int(lo, hi.max(lo))).collect();
                Value::Int(Tensor::new(shape.clone(), data))
            };
            match leaf.kind {
                LeafKind::Real => {
                    let special = rng.percent(10);
                    let mut number = || match special && rng.percent(30) {
                        true => rng.pick(&[0.0, 1.0, -1.0, 0.5, 2.0]),
                        // Numbers that `f32` has as well.
                        false => f64::from(rng.real(-1.5, 1.5) as f32),
                    };
                    let data = (0..count).map(|_| number()).collect();
                    Value::Real(Tensor::new(shape, data))
                }
                LeafKind::Int(lo, hi) => ints(rng, lo, hi),
                LeafKind::Index(to) => ints(rng, 0, length(to, size) as i64 - 1),
                LeafKind::Bool => {
                    let data = (0..count).map(|_| rng.percent(50)).collect();
                    Value::Bool(Tensor::new(shape, data))
                }
            }
        })
        .collect()
}

/// Numbers to differentiate along, as many as these arguments have real ones.
pub fn direction(args: &[Value], seed: u64) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    (reals(args).iter())
        .map(|_| f64::from(rng.real(-1.0, 1.0) as f32))
        .collect()
}

/// All real numbers of the arguments.
pub fn reals(args: &[Value]) -> Vec<f64> {
    let of = |value: &Value| match value {
        Value::Real(t) => t.data.clone(),
        Value::Int(_) | Value::Bool(_) => vec![],
    };
    args.iter().flat_map(of).collect()
}

/// The arguments plus `step` times a direction.
pub fn moved(args: &[Value], direction: &[f64], step: f64) -> Vec<Value> {
    let mut by = direction.iter();
    let mut args = args.to_vec();
    for value in &mut args {
        if let Value::Real(t) = value {
            for x in &mut t.data {
                *x += step * by.next().expect("a part for each number");
            }
        }
    }
    args
}

/// What arguments, results and gradients are made of.
pub trait Data: Sized {
    /// The next argument of this type.
    fn of(values: &mut std::slice::Iter<'_, Value>) -> Self;
    /// Adds its real numbers to a row.
    fn put(&self, out: &mut Vec<f64>);
    /// The same with real numbers from a row.
    fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self;
}

/// The real numbers of a value.
pub fn flat(data: &impl Data) -> Vec<f64> {
    let mut out = vec![];
    data.put(&mut out);
    out
}

/// An element of an array.
pub trait Element: Clone {
    /// From the elements of an argument.
    fn all(value: &Value) -> Vec<Self>;
    /// As a number, if it is real.
    fn number(&self) -> Option<f64>;
    /// From a number.
    fn from_number(x: f64) -> Self;
}

macro_rules! real {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            fn all(value: &Value) -> Vec<Self> {
                value.real().data.iter().map(|&x| x as $ty).collect()
            }
            fn number(&self) -> Option<f64> {
                Some(f64::from(*self))
            }
            fn from_number(x: f64) -> Self {
                x as $ty
            }
        }
    )*};
}

macro_rules! integer {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            fn all(value: &Value) -> Vec<Self> {
                value.int().data.iter().map(|&k| k as $ty).collect()
            }
            fn number(&self) -> Option<f64> {
                None
            }
            fn from_number(_: f64) -> Self {
                unreachable!("integers stay")
            }
        }
    )*};
}

macro_rules! scalar {
    ($($ty:ty)*) => {$(
        impl Data for $ty {
            fn of(values: &mut std::slice::Iter<'_, Value>) -> Self {
                <$ty>::all(values.next().expect("an argument"))[0]
            }
            fn put(&self, out: &mut Vec<f64>) {
                out.extend(self.number());
            }
            fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self {
                moved_element(self, from)
            }
        }
    )*};
}

fn moved_element<A: Element>(x: &A, from: &mut std::slice::Iter<'_, f64>) -> A {
    match x.number() {
        Some(_) => A::from_number(*from.next().expect("a number for each")),
        None => x.clone(),
    }
}

real!(f64 f32);
integer!(i64 usize i32 u8 u32 i8 i16 u16 u64 isize);
scalar!(f64 f32 i64 usize i32 u8 u32 i8 i16 u16 u64 isize);

impl Data for bool {
    fn of(values: &mut std::slice::Iter<'_, Value>) -> Self {
        values.next().expect("an argument").bool().data[0]
    }
    fn put(&self, _: &mut Vec<f64>) {}
    fn like(&self, _: &mut std::slice::Iter<'_, f64>) -> Self {
        *self
    }
}

impl<A: Element, D: Dimension> Data for Array<A, D> {
    fn of(values: &mut std::slice::Iter<'_, Value>) -> Self {
        let value = values.next().expect("an argument");
        let array = ArrayD::from_shape_vec(value.shape(), A::all(value));
        let array = array.expect("as many elements as the shape says");
        array.into_dimensionality().expect("the rank of the type")
    }
    fn put(&self, out: &mut Vec<f64>) {
        out.extend(self.iter().filter_map(Element::number));
    }
    fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self {
        self.map(|x| moved_element(x, from))
    }
}

impl<A: Element> Data for Vec<A> {
    fn of(values: &mut std::slice::Iter<'_, Value>) -> Self {
        A::all(values.next().expect("an argument"))
    }
    fn put(&self, out: &mut Vec<f64>) {
        out.extend(self.iter().filter_map(Element::number));
    }
    fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self {
        self.iter().map(|x| moved_element(x, from)).collect()
    }
}

impl<A: Element, const N: usize> Data for [A; N] {
    fn of(values: &mut std::slice::Iter<'_, Value>) -> Self {
        let all = A::all(values.next().expect("an argument"));
        std::array::from_fn(|k| all[k].clone())
    }
    fn put(&self, out: &mut Vec<f64>) {
        out.extend(self.iter().filter_map(Element::number));
    }
    fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self {
        std::array::from_fn(|k| moved_element(&self[k], from))
    }
}

macro_rules! tuple {
    ($($part:ident $k:tt),*) => {
        impl<$($part: Data),*> Data for ($($part,)*) {
            fn of(values: &mut std::slice::Iter<'_, Value>) -> Self {
                ($($part::of(values),)*)
            }
            fn put(&self, out: &mut Vec<f64>) {
                $(self.$k.put(out);)*
            }
            fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self {
                ($(self.$k.like(from),)*)
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// Makes a struct of the generated programs one of these.
#[macro_export]
macro_rules! structure {
    ($name:ident { $($field:ident),* }) => {
        impl $crate::data::Data for $name {
            fn of(values: &mut std::slice::Iter<'_, $crate::Value>) -> Self {
                $name { $($field: $crate::data::Data::of(values)),* }
            }
            fn put(&self, out: &mut Vec<f64>) {
                $($crate::data::Data::put(&self.$field, out);)*
            }
            fn like(&self, from: &mut std::slice::Iter<'_, f64>) -> Self {
                $name { $($field: $crate::data::Data::like(&self.$field, from)),* }
            }
        }
    };
}
