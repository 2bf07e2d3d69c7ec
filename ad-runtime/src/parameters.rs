//! [`Parameters`]: the real numbers in a value, as one vector.

use crate::real::Real;
use ndarray::{Array, Dimension};
use std::fmt::Write;

/// Numbers that together are one vector, as optimisers and samplers see them.
///
/// It is implemented for real numbers, arrays, `Vec`, fixed arrays and tuples, and derived with
/// [`Differentiable`](crate::Differentiable) for structs. The numbers are those of the fields in
/// their order; arrays are read by rows, whatever their memory order. What is not real does not
/// count, and stays as it is.
///
/// ```
/// use cotangent_runtime::Parameters;
/// use ndarray::{arr1, arr2};
///
/// let mut model = (arr2(&[[1.0, 2.0], [3.0, 4.0]]), arr1(&[5.0]), 7_usize);
/// assert_eq!(model.count(), 5);
/// assert_eq!(model.to_flat(), [1.0, 2.0, 3.0, 4.0, 5.0]);
/// assert_eq!(model.names(), ["0[[0, 0]]", "0[[0, 1]]", "0[[1, 0]]", "0[[1, 1]]", "1[0]"]);
///
/// let twice = model.map_reals(|x| 2.0 * x);
/// assert_eq!(twice.inner(&model), 2.0 * (1.0 + 4.0 + 9.0 + 16.0 + 25.0));
/// model.add_scaled(-0.5, &twice);
/// assert_eq!(model, (arr2(&[[0.0, 0.0], [0.0, 0.0]]), arr1(&[0.0]), 7));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vector of parameters over `{T}`",
    note = "numbers, arrays, `Vec`, fixed arrays and tuples are; structs derive it: \
            `#[derive(Differentiable)]`"
)]
pub trait Parameters<T: Real = f64>: Sized {
    /// How many numbers each value of the type has, if its type says so.
    const FIXED_COUNT: Option<usize> = None;

    /// How many numbers there are.
    fn count(&self) -> usize;

    /// Calls a function with each number in order.
    fn each_real(&self, f: &mut impl FnMut(T));

    /// Calls a function with the place of each number in order.
    fn each_real_mut(&mut self, f: &mut impl FnMut(&mut T));

    /// Calls a function with each number and the one at the same place of another value.
    ///
    /// # Panics
    ///
    /// Panics if lengths or shapes differ.
    fn each_pair(&self, other: &Self, f: &mut impl FnMut(T, T));

    /// Calls a function with the place of each number and the number at the same place of another
    /// value.
    ///
    /// # Panics
    ///
    /// Panics if lengths or shapes differ.
    fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut T, T));

    /// The same with each number replaced by that of a function.
    fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self;

    /// Appends the name of each number, which begins with the path of the value.
    fn push_names(&self, path: &str, names: &mut Vec<String>);

    /// Copies the numbers to a slice.
    ///
    /// # Panics
    ///
    /// Panics if the slice has another length.
    #[track_caller]
    fn write_to(&self, flat: &mut [T]) {
        fits("write_to", self.count(), flat.len());
        let mut places = flat.iter_mut();
        self.each_real(&mut |x| *places.next().expect("the lengths are equal") = x);
    }

    /// Copies the numbers from a slice.
    ///
    /// # Panics
    ///
    /// Panics if the slice has another length.
    #[track_caller]
    fn read_from(&mut self, flat: &[T]) {
        fits("read_from", self.count(), flat.len());
        let mut numbers = flat.iter();
        self.each_real_mut(&mut |x| *x = *numbers.next().expect("the lengths are equal"));
    }

    /// The numbers in order.
    fn to_flat(&self) -> Vec<T> {
        let mut flat = Vec::with_capacity(self.count());
        self.each_real(&mut |x| flat.push(x));
        flat
    }

    /// The inner product of two vectors.
    ///
    /// # Panics
    ///
    /// Panics if lengths or shapes differ.
    #[track_caller]
    fn inner(&self, other: &Self) -> T {
        let mut total = T::zero();
        self.each_pair(other, &mut |x, y| total += x * y);
        total
    }

    /// Adds `alpha` times another vector.
    ///
    /// # Panics
    ///
    /// Panics if lengths or shapes differ.
    #[track_caller]
    fn add_scaled(&mut self, alpha: T, other: &Self) {
        self.each_pair_mut(other, &mut |x, y| *x += alpha * y);
    }

    /// The same with a function applied to each number.
    #[must_use]
    fn map_reals(&self, mut f: impl FnMut(T) -> T) -> Self {
        self.copied_with(&mut f)
    }

    /// The same with a function applied to each number and the one at the same place of another
    /// vector.
    ///
    /// # Panics
    ///
    /// Panics if lengths or shapes differ.
    #[must_use]
    #[track_caller]
    fn zip_reals(&self, other: &Self, mut f: impl FnMut(T, T) -> T) -> Self {
        let mut out = self.map_reals(|x| x);
        out.each_pair_mut(other, &mut |x, y| *x = f(*x, y));
        out
    }

    /// For each number the path of fields and indices that leads to it.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.count());
        self.push_names("", &mut names);
        names
    }
}

#[track_caller]
fn fits(what: &str, count: usize, length: usize) {
    assert!(
        count == length,
        "`{what}`: the slice has {length} elements, and there are {count} parameters"
    );
}

/// Stands where two values of an enum are of different variants.
///
/// # Panics
///
/// Panics.
#[doc(hidden)]
#[cold]
#[track_caller]
pub fn other_variant() -> ! {
    panic!("vectors of parameters differ: two values of an enum are of different variants")
}

/// How many numbers each value of a type has, as the length of an array; 0 if its type does not say
/// so.
#[doc(hidden)]
#[must_use]
pub const fn fixed_count<T: Real, P: Parameters<T>>() -> usize {
    match P::FIXED_COUNT {
        Some(count) => count,
        None => 0,
    }
}

/// How many numbers several have together.
#[doc(hidden)]
#[must_use]
pub const fn added(counts: &[Option<usize>]) -> Option<usize> {
    match counts {
        [] => Some(0),
        [first, others @ ..] => match (*first, added(others)) {
            (Some(first), Some(others)) => Some(first + others),
            (..) => None,
        },
    }
}

/// What [`Parameters::push_names`] appends to; generated code may stand where `Vec` is something
/// else.
#[doc(hidden)]
pub type Names = Vec<String>;

/// The path of a field.
#[doc(hidden)]
#[must_use]
pub fn field(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

impl<T: Real> Parameters<T> for T {
    const FIXED_COUNT: Option<usize> = Some(1);

    #[inline]
    fn count(&self) -> usize {
        1
    }

    #[inline]
    fn each_real(&self, f: &mut impl FnMut(T)) {
        f(*self);
    }

    #[inline]
    fn each_real_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        f(self);
    }

    #[inline]
    fn each_pair(&self, other: &Self, f: &mut impl FnMut(T, T)) {
        f(*self, *other);
    }

    #[inline]
    fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut T, T)) {
        f(self, *other);
    }

    #[inline]
    fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self {
        f(*self)
    }

    fn push_names(&self, path: &str, names: &mut Vec<String>) {
        names.push(path.to_owned());
    }
}

macro_rules! without_reals {
    ($($ty:ty)*) => {
        $(impl<T: Real> Parameters<T> for $ty {
            const FIXED_COUNT: Option<usize> = Some(0);

            fn count(&self) -> usize {
                0
            }

            fn each_real(&self, _: &mut impl FnMut(T)) {}

            fn each_real_mut(&mut self, _: &mut impl FnMut(&mut T)) {}

            fn each_pair(&self, _: &Self, _: &mut impl FnMut(T, T)) {}

            fn each_pair_mut(&mut self, _: &Self, _: &mut impl FnMut(&mut T, T)) {}

            fn copied_with(&self, _: &mut impl FnMut(T) -> T) -> Self {
                self.clone()
            }

            fn push_names(&self, _: &str, _: &mut Vec<String>) {}
        })*
    };
}

without_reals!(bool char String i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Sequences of parameters: all elements in order, at places with names.
macro_rules! sequence {
    () => {
        fn count(&self) -> usize {
            self.iter().map(Parameters::count).sum()
        }

        fn each_real_mut(&mut self, f: &mut impl FnMut(&mut T)) {
            self.iter_mut().for_each(|x| x.each_real_mut(f));
        }

        fn push_names(&self, path: &str, names: &mut Vec<String>) {
            for (k, x) in self.iter().enumerate() {
                x.push_names(&format!("{path}[{k}]"), names);
            }
        }

        fn each_real(&self, f: &mut impl FnMut(T)) {
            self.iter().for_each(|x| x.each_real(f));
        }

        #[track_caller]
        fn each_pair(&self, other: &Self, f: &mut impl FnMut(T, T)) {
            same_shape(&[self.len()], &[other.len()]);
            let pairs = self.iter().zip(other.iter());
            pairs.for_each(|(x, y)| x.each_pair(y, f));
        }

        #[track_caller]
        fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut T, T)) {
            same_shape(&[self.len()], &[other.len()]);
            let pairs = self.iter_mut().zip(other.iter());
            pairs.for_each(|(x, y)| x.each_pair_mut(y, f));
        }
    };
}

#[track_caller]
fn same_shape(one: &[usize], other: &[usize]) {
    assert!(
        one == other,
        "vectors of parameters differ: one has an array of shape {one:?} where the other has one \
         of shape {other:?}"
    );
}

impl<T: Real, P: Parameters<T>> Parameters<T> for Vec<P> {
    sequence!();

    fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self {
        self.iter().map(|x| x.copied_with(f)).collect()
    }
}

impl<T: Real, P: Parameters<T>, const N: usize> Parameters<T> for [P; N] {
    const FIXED_COUNT: Option<usize> = match P::FIXED_COUNT {
        Some(count) => Some(N * count),
        None => None,
    };

    sequence!();

    fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self {
        std::array::from_fn(|k| self[k].copied_with(f))
    }
}

/// The numbers of the value, if there is one.
impl<T: Real, P: Parameters<T>> Parameters<T> for Option<P> {
    fn count(&self) -> usize {
        self.as_ref().map_or(0, Parameters::count)
    }

    fn each_real(&self, f: &mut impl FnMut(T)) {
        self.iter().for_each(|x| x.each_real(f));
    }

    fn each_real_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        self.iter_mut().for_each(|x| x.each_real_mut(f));
    }

    #[track_caller]
    fn each_pair(&self, other: &Self, f: &mut impl FnMut(T, T)) {
        same_shape(&[self.as_slice().len()], &[other.as_slice().len()]);
        let pairs = self.iter().zip(other);
        pairs.for_each(|(x, y)| x.each_pair(y, f));
    }

    #[track_caller]
    fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut T, T)) {
        same_shape(&[self.as_slice().len()], &[other.as_slice().len()]);
        let pairs = self.iter_mut().zip(other);
        pairs.for_each(|(x, y)| x.each_pair_mut(y, f));
    }

    fn push_names(&self, path: &str, names: &mut Vec<String>) {
        self.iter().for_each(|x| x.push_names(path, names));
    }

    fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self {
        self.as_ref().map(|x| x.copied_with(f))
    }
}

impl<T: Real, P: Parameters<T>, D: Dimension> Parameters<T> for Array<P, D> {
    fn count(&self) -> usize {
        self.iter().map(Parameters::count).sum()
    }

    fn each_real(&self, f: &mut impl FnMut(T)) {
        self.iter().for_each(|x| x.each_real(f));
    }

    fn each_real_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        self.iter_mut().for_each(|x| x.each_real_mut(f));
    }

    #[track_caller]
    fn each_pair(&self, other: &Self, f: &mut impl FnMut(T, T)) {
        same_shape(self.shape(), other.shape());
        if let (Some(own), Some(others)) = (self.as_slice(), other.as_slice()) {
            own.iter().zip(others).for_each(|(x, y)| x.each_pair(y, f));
        } else {
            self.iter().zip(other).for_each(|(x, y)| x.each_pair(y, f));
        }
    }

    #[track_caller]
    fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut T, T)) {
        same_shape(self.shape(), other.shape());
        if let (Some(own), Some(others)) = (self.as_slice_mut(), other.as_slice()) {
            own.iter_mut()
                .zip(others)
                .for_each(|(x, y)| x.each_pair_mut(y, f));
        } else {
            self.iter_mut()
                .zip(other)
                .for_each(|(x, y)| x.each_pair_mut(y, f));
        }
    }

    fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self {
        let copied: Vec<P> = match self.as_slice() {
            Some(own) => own.iter().map(|x| x.copied_with(f)).collect(),
            None => self.iter().map(|x| x.copied_with(f)).collect(),
        };
        Array::from_shape_vec(self.raw_dim(), copied).expect("as many elements as before")
    }

    fn push_names(&self, path: &str, names: &mut Vec<String>) {
        let mut at = vec![0; self.ndim()];
        for x in self {
            let mut name = path.to_owned();
            match &at[..] {
                [] => name.push_str("[()]"),
                [k] => write!(name, "[{k}]").expect("strings take everything"),
                all => write!(name, "[{all:?}]").expect("strings take everything"),
            }
            x.push_names(&name, names);
            for (k, n) in at.iter_mut().zip(self.shape()).rev() {
                *k = (*k + 1) % n;
                if *k > 0 {
                    break;
                }
            }
        }
    }
}

macro_rules! tuples {
    ($($($name:ident $k:tt)*;)*) => {
        $(impl<T: Real, $($name: Parameters<T>),*> Parameters<T> for ($($name,)*) {
            const FIXED_COUNT: Option<usize> = added(&[$($name::FIXED_COUNT),*]);

            fn count(&self) -> usize {
                0 $(+ self.$k.count())*
            }

            fn each_real(&self, f: &mut impl FnMut(T)) {
                $(self.$k.each_real(f);)*
            }

            fn each_real_mut(&mut self, f: &mut impl FnMut(&mut T)) {
                $(self.$k.each_real_mut(f);)*
            }

            #[track_caller]
            fn each_pair(&self, other: &Self, f: &mut impl FnMut(T, T)) {
                $(self.$k.each_pair(&other.$k, f);)*
            }

            #[track_caller]
            fn each_pair_mut(&mut self, other: &Self, f: &mut impl FnMut(&mut T, T)) {
                $(self.$k.each_pair_mut(&other.$k, f);)*
            }

            fn copied_with(&self, f: &mut impl FnMut(T) -> T) -> Self {
                ($(self.$k.copied_with(f),)*)
            }

            fn push_names(&self, path: &str, names: &mut Vec<String>) {
                $(self.$k.push_names(&field(path, stringify!($k)), names);)*
            }
        })*
    };
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}
