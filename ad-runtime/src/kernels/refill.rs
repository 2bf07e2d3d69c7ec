//! Results that are written where the caller has room for them.

use super::pool;
use super::{Workspace, within};
use crate::Real;
use ndarray::{Array, Dimension};

/// Something that can take over the numbers of another of its kind and of its shape.
pub trait Refill {
    /// Takes over the numbers.
    ///
    /// # Panics
    ///
    /// Panics if the shapes differ.
    fn refill(&mut self, from: Self);
}

/// Computes with the memory of a workspace, and writes the result where there is room for it.
///
/// # Panics
///
/// Panics if it has another shape.
#[track_caller]
pub fn refill<G: Refill>(gradient: &mut G, workspace: &mut Workspace, compute: impl FnOnce() -> G) {
    within(workspace, || gradient.refill(compute()));
}

#[cold]
#[inline(never)]
#[track_caller]
fn misfit(room: &[usize], result: &[usize]) -> ! {
    panic!("a gradient of shape {result:?} is to be written into an array of shape {room:?}")
}

macro_rules! single {
    ($($ty:ty)*) => {
        $(impl Refill for $ty {
            #[inline]
            fn refill(&mut self, from: Self) {
                *self = from;
            }
        })*
    };
}

impl<T: Real> Refill for T {
    #[inline]
    fn refill(&mut self, from: Self) {
        *self = from;
    }
}

single!(bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl<T: Copy, D: Dimension> Refill for Array<T, D> {
    #[track_caller]
    fn refill(&mut self, from: Self) {
        if self.shape() != from.shape() {
            misfit(self.shape(), from.shape());
        }
        self.assign(&from);
        pool::give(from.into_raw_vec_and_offset().0);
    }
}

impl<T: Refill> Refill for Vec<T> {
    #[track_caller]
    fn refill(&mut self, mut from: Self) {
        if self.len() != from.len() {
            misfit(&[self.len()], &[from.len()]);
        }
        for (room, x) in self.iter_mut().zip(from.drain(..)) {
            room.refill(x);
        }
        pool::give(from);
    }
}

impl<T: Refill> Refill for Option<T> {
    #[track_caller]
    fn refill(&mut self, from: Self) {
        match (self, from) {
            (Some(room), Some(x)) => room.refill(x),
            (room, from) => *room = from,
        }
    }
}

impl<T: Refill, const N: usize> Refill for [T; N] {
    #[track_caller]
    fn refill(&mut self, from: Self) {
        for (room, x) in self.iter_mut().zip(from) {
            room.refill(x);
        }
    }
}

macro_rules! tuples {
    ($($($name:ident $k:tt)*;)*) => {
        $(impl<$($name: Refill),*> Refill for ($($name,)*) {
            #[track_caller]
            fn refill(&mut self, from: Self) {
                $(self.$k.refill(from.$k);)*
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

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ShapeBuilder, array};

    #[test]
    fn numbers_go_where_they_belong() {
        let mut columns = Array2::<f64>::zeros((2, 3).f());
        let start = columns.as_ptr();
        let mut room = (columns.view_mut().to_owned(), vec![0_i64; 2], [1.0_f32; 2]);
        let mut workspace = Workspace::new();
        let by_rows = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        refill(&mut room, &mut workspace, || {
            (by_rows.clone(), vec![7, 8], [0.5, 0.25])
        });
        assert_eq!(room, (by_rows.clone(), vec![7, 8], [0.5, 0.25]));
        columns.refill(by_rows.clone());
        assert_eq!((columns.as_ptr(), columns), (start, by_rows));
    }

    #[test]
    #[should_panic(
        expected = "a gradient of shape [2, 1] is to be written into an array of shape [1, 2]"
    )]
    fn shapes_fit() {
        array![[1.0, 2.0]].refill(array![[1.0], [2.0]]);
    }
}
