//! What loops collect, step by step.

use super::{Dense, INTERMEDIATE, View, lengths, pool};

/// An array that grows by one element of its first axis with every step.
#[derive(Clone, Debug)]
pub struct Stack<T, const N: usize> {
    data: Vec<T>,
    /// The first is the number of steps so far.
    shape: [usize; N],
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// Nothing yet, with room for as many steps as the first length says.
    ///
    /// # Panics
    ///
    /// Panics if no array can have these lengths.
    #[must_use]
    #[track_caller]
    pub fn new(shape: [i64; N]) -> Self {
        let (mut shape, size) = lengths(shape);
        shape[0] = 0;
        let data = match size {
            0 => vec![],
            _ => pool::with_capacity(size),
        };
        Stack { data, shape }
    }

    /// Adds an array.
    ///
    /// # Panics
    ///
    /// Panics if its shape is not that of the others.
    #[inline]
    #[track_caller]
    pub fn push_all<const M: usize>(&mut self, x: View<'_, T, M>) {
        fits(x.shape, self.shape);
        while self.data.capacity() - self.data.len() < x.data.len() {
            self.data = pool::grown(std::mem::take(&mut self.data));
        }
        self.data.extend_from_slice(x.data);
        self.shape[0] += 1;
    }

    /// All of it.
    #[inline]
    #[must_use]
    pub fn finish(self) -> Dense<T, N> {
        Dense {
            data: self.data,
            shape: self.shape,
            name: INTERMEDIATE,
        }
    }
}

impl<T: Copy> Stack<T, 1> {
    /// Adds one number.
    #[inline(always)]
    pub fn push(&mut self, x: T) {
        if self.data.len() == self.data.capacity() {
            self.data = pool::grown(std::mem::take(&mut self.data));
        }
        self.data.push(x);
        self.shape[0] += 1;
    }
}

#[inline(always)]
#[track_caller]
fn fits<const M: usize, const N: usize>(one: [usize; M], all: [usize; N]) {
    assert!(
        one[..] == all[1..],
        "an array of shape {one:?} is collected into one of shape {all:?}"
    );
}

/// An array of this shape that is filled later.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[must_use]
#[track_caller]
pub fn blank<T: Copy + Default, const N: usize>(shape: [i64; N]) -> Dense<T, N> {
    let (shape, size) = lengths(shape);
    Dense {
        data: pool::filled(T::default(), size),
        shape,
        name: INTERMEDIATE,
    }
}

impl<T: Copy, const N: usize> Dense<T, N> {
    /// Writes an array at an index of the first axis.
    ///
    /// # Panics
    ///
    /// Panics if its shape does not fit, or the index is outside.
    #[inline]
    #[track_caller]
    pub fn put<const M: usize>(&mut self, index: i64, x: View<'_, T, M>) {
        fits(x.shape, self.shape);
        let inside = usize::try_from(index).ok().filter(|&i| i < self.shape[0]);
        let Some(at) = inside else {
            panic!("step {index} of {} is collected", self.shape[0])
        };
        let len = x.data.len();
        self.data[at * len..][..len].copy_from_slice(x.data);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{build, slice};
    use super::*;

    #[test]
    fn numbers_and_arrays_are_collected() {
        let mut numbers = Stack::<i64, 1>::new([0]);
        assert_eq!(numbers.clone().finish().into_vec(), []);
        numbers.push(3);
        numbers.push(5);
        assert_eq!(numbers.finish().into_vec(), [3, 5]);
        let mut rows = Stack::<f64, 2>::new([7, 2]);
        rows.push_all(slice("a", &[1.0, 2.0]));
        rows.push_all(build([2], |[i]| i as f64).view());
        let all = rows.finish().into_array();
        assert_eq!(all, ndarray::arr2(&[[1.0, 2.0], [0.0, 1.0]]));
        let mut nothing = Stack::<bool, 2>::new([0, -3]);
        nothing.push_all(slice("a", &[]));
        assert_eq!(nothing.finish().into_array().dim(), (1, 0));
    }

    #[test]
    fn arrays_are_put_at_their_step() {
        let mut all = blank::<f64, 3>([2, 1, 2]);
        all.put(1, build([1, 2], |[_, j]| j as f64 + 1.0).view());
        let all = all.into_array();
        assert_eq!(all, ndarray::arr3(&[[[0.0, 0.0]], [[1.0, 2.0]]]));
        assert_eq!(blank::<bool, 1>([-1]).into_vec(), []);
    }

    #[test]
    #[should_panic(expected = "an array of shape [1] is collected into one of shape [3, 2]")]
    fn other_shapes_are_refused() {
        blank::<f64, 2>([3, 2]).put(0, slice("a", &[1.0]));
    }

    #[test]
    #[should_panic(expected = "step 3 of 3 is collected")]
    fn other_steps_are_refused() {
        blank::<f64, 2>([3, 1]).put(3, slice("a", &[1.0]));
    }
}
