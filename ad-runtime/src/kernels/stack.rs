//! What loops collect, step by step.

use super::places::{Kept, Next};
use super::{Dense, INTERMEDIATE, View, lengths, pool};
use std::mem::MaybeUninit;

/// A shorter row that loops collect has room for as many elements.
const SHORT_ROW: usize = 32;

/// An array that grows by one element of its first axis with every step.
///
/// It is no `Clone`: the copy of a vector leaves behind what is ahead.
#[derive(Debug)]
pub struct Stack<T, const N: usize> {
    data: Vec<T>,
    /// The first is the number of steps so far.
    shape: [usize; N],
    /// Whether there is a next state behind the last one.
    is_ahead: bool,
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
        Stack {
            data,
            shape,
            is_ahead: false,
        }
    }

    /// The first of the states of a loop with so many steps, with room for all of them and the one
    /// after the last step.
    ///
    /// # Panics
    ///
    /// Panics if no array can have these lengths, or the state has others.
    #[must_use]
    #[track_caller]
    pub fn states<const M: usize>(shape: [i64; N], first: View<'_, T, M>) -> Self {
        let mut all = shape;
        all[0] = shape[0].max(0).saturating_add(1);
        let mut states = Stack::new(all);
        states.push_all(first);
        states
    }

    /// The state of this step, and room for the next.
    #[inline(always)]
    #[track_caller]
    pub fn step<const M: usize>(&mut self) -> (View<'_, T, M>, Next<'_, T>) {
        let mut shape = [0; M];
        shape.copy_from_slice(&self.shape[1..]);
        let size: usize = shape.iter().product();
        self.reserve(size);
        let len = self.data.len();
        assert!(size <= len, "there is a state");
        let start = self.data.as_mut_ptr();
        // SAFETY: the last `size` elements are there, and as many more have room behind them, which
        // nothing else refers to.
        let (state, slots) = unsafe {
            let slots = start.add(len).cast::<MaybeUninit<T>>();
            (
                std::slice::from_raw_parts(start.add(len - size), size),
                std::slice::from_raw_parts_mut(slots, size),
            )
        };
        let state = View {
            data: state,
            shape,
            name: INTERMEDIATE,
        };
        let is_written = &mut self.is_ahead;
        (state, Next { slots, is_written })
    }

    /// Makes the next state that of the next step.
    ///
    /// # Panics
    ///
    /// Panics if it has not been made.
    #[inline(always)]
    #[track_caller]
    pub fn go_on(&mut self) {
        assert!(self.is_ahead, "there is a next state");
        self.is_ahead = false;
        let size: usize = self.shape[1..].iter().product();
        // SAFETY: `step` has seen to it that there is room, and the state has been written to it.
        // Nothing was added since then, which would say that there is none.
        unsafe { self.data.set_len(self.data.len() + size) };
        self.shape[0] += 1;
    }

    /// The states of all steps, and the one after the last.
    #[inline]
    #[must_use]
    pub fn finish_states<const M: usize>(mut self) -> (Dense<T, N>, Dense<T, M>) {
        let mut shape = [0; M];
        shape.copy_from_slice(&self.shape[1..]);
        let before = self.data.len() - shape.iter().product::<usize>();
        let mut last = pool::with_capacity(self.data.len() - before);
        last.extend_from_slice(&self.data[before..]);
        self.data.truncate(before);
        self.shape[0] -= 1;
        let last = Dense {
            data: last,
            shape,
            name: INTERMEDIATE,
        };
        (self.finish(), last)
    }

    /// Where the next row is made.
    #[inline(always)]
    pub fn row(&mut self) -> Kept<'_, T, N> {
        Kept {
            stack: self,
            is_deep: false,
        }
    }

    /// Where the next row of a row is made, or one that is further in.
    #[inline(always)]
    pub fn inner_row(&mut self) -> Kept<'_, T, N> {
        Kept {
            stack: self,
            is_deep: true,
        }
    }

    /// Adds a row of a row, or one that is further in.
    ///
    /// # Panics
    ///
    /// Panics if its shape is not that of the others.
    #[inline]
    #[track_caller]
    pub fn push_inner<const M: usize>(&mut self, x: View<'_, T, M>) {
        fits(x.shape, self.shape);
        self.reserve(x.data.len());
        self.data.extend_from_slice(x.data);
    }

    /// Says that all of a row has been added.
    ///
    /// # Panics
    ///
    /// Panics if it has not.
    #[inline(always)]
    #[track_caller]
    pub fn end_row(&mut self) {
        let size: usize = self.shape[1..].iter().product();
        self.shape[0] += 1;
        assert!(
            self.data.len() == self.shape[0] * size,
            "a whole row is added"
        );
    }

    /// Room for so many more.
    #[inline(always)]
    #[track_caller]
    fn reserve(&mut self, more: usize) {
        // What was made behind the last one is overwritten or left behind.
        self.is_ahead = false;
        if self.data.capacity() - self.data.len() < more {
            self.data = pool::grown(std::mem::take(&mut self.data), more);
        }
    }

    #[inline(always)]
    #[track_caller]
    pub(super) fn slots<const M: usize>(
        &mut self,
        shape: [usize; M],
        size: usize,
        is_deep: bool,
    ) -> &mut [MaybeUninit<T>] {
        assert!(is_deep || M + 1 == N, "a row is one of all");
        fits(shape, self.shape);
        self.reserve(size);
        &mut self.data.spare_capacity_mut()[..size]
    }

    /// So many elements that have been written.
    ///
    /// # Safety
    ///
    /// They have been, to the slots for a row of this kind.
    #[inline(always)]
    pub(super) unsafe fn written(&mut self, size: usize, is_deep: bool) -> &[T] {
        let len = self.data.len();
        // SAFETY: the slots were room of the vector, and all of them have been written.
        unsafe { self.data.set_len(len + size) };
        self.shape[0] += usize::from(!is_deep);
        &self.data[len..]
    }

    /// Adds an array.
    ///
    /// # Panics
    ///
    /// Panics if its shape is not that of the others.
    #[inline]
    #[track_caller]
    pub fn push_all<const M: usize>(&mut self, x: View<'_, T, M>) {
        assert!(M + 1 == N, "a row is one of all");
        fits(x.shape, self.shape);
        self.reserve(x.data.len());
        self.data.extend_from_slice(x.data);
        self.shape[0] += 1;
    }

    /// Forgets all steps and keeps the room for them.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.data.clear();
        self.shape[0] = 0;
        self.is_ahead = false;
    }

    /// All of it, where it is.
    #[inline(always)]
    #[must_use]
    pub fn view(&self) -> View<'_, T, N> {
        View {
            data: &self.data,
            shape: self.shape,
            name: INTERMEDIATE,
        }
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

impl<T: Copy + Default, const N: usize> Stack<T, N> {
    /// Says that all of a row has been added but zeros.
    ///
    /// # Panics
    ///
    /// Panics if more than a row has been.
    #[inline]
    #[track_caller]
    pub fn fill_row(&mut self) {
        let size: usize = self.shape[1..].iter().product();
        let end = (self.shape[0] + 1) * size;
        assert!(self.data.len() <= end, "no more than a row is added");
        self.reserve(end - self.data.len());
        self.data.resize(end, T::default());
        self.shape[0] += 1;
    }

    /// All of it, and zeros for the steps that are missing of so many.
    ///
    /// # Panics
    ///
    /// Panics if there were more steps.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn finish_padded(mut self, steps: i64) -> Dense<T, N> {
        let steps = usize::try_from(steps).unwrap_or(0);
        assert!(self.shape[0] <= steps, "no more steps than there is room");
        let size: usize = self.shape[1..].iter().product();
        self.reserve(steps * size - self.data.len());
        self.data.resize(steps * size, T::default());
        self.shape[0] = steps;
        self.finish()
    }
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// Adds one number to a row.
    #[inline(always)]
    pub fn push_number(&mut self, x: T) {
        self.reserve(1);
        let len = self.data.len();
        self.data.spare_capacity_mut()[0].write(x);
        // SAFETY: the element behind the last one has been written.
        unsafe { self.data.set_len(len + 1) };
    }
}

impl<T: Copy> Stack<T, 1> {
    /// Adds one number.
    #[inline(always)]
    pub fn push(&mut self, x: T) {
        self.push_number(x);
        self.shape[0] += 1;
    }
}

#[inline(always)]
#[track_caller]
fn fits<const M: usize, const N: usize>(one: [usize; M], all: [usize; N]) {
    assert!(
        M < N && one[..] == all[N - M..],
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

impl<T: Copy + Default, const N: usize> Dense<T, N> {
    /// Becomes an array of this shape that is filled later, in the same memory if that suffices.
    ///
    /// # Panics
    ///
    /// Panics if no array can have this shape.
    #[inline]
    #[track_caller]
    pub fn renew(&mut self, shape: [i64; N]) {
        let (shape, size) = lengths(shape);
        self.shape = shape;
        self.data.clear();
        if self.data.capacity() < size {
            // Rows that grow step by step are short as a rule.
            let larger = pool::with_capacity(size.max(SHORT_ROW));
            pool::give(std::mem::replace(&mut self.data, larger));
        }
        self.data.resize(size, T::default());
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
        assert!(M + 1 == N, "a row is one of all");
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
    use super::super::{anew, build, build_all_in, build_in, slice};
    use super::*;

    #[test]
    fn numbers_and_arrays_are_collected() {
        let mut numbers = Stack::<i64, 1>::new([0]);
        assert_eq!(Stack::<i64, 1>::new([0]).finish().into_vec(), []);
        numbers.push(3);
        numbers.push(5);
        assert_eq!(numbers.view().data, [3, 5]);
        assert_eq!(numbers.finish().into_vec(), [3, 5]);
        let mut again = Stack::<i64, 1>::new([0]);
        (0..20).for_each(|k| again.push(k));
        again.clear();
        again.push(7);
        assert_eq!(again.view().len(0), 1);
        assert_eq!(again.finish().into_vec(), [7]);
        let mut rows = blank::<f64, 2>([1, 2]);
        rows.put(0, slice("a", &[1.0, 2.0]));
        rows.renew([2, 3]);
        assert_eq!(rows.view().shape, [2, 3]);
        rows.put(1, slice("a", &[3.0, 4.0, 5.0]));
        rows.renew([1, 2]);
        assert_eq!(rows.view().data, [0.0, 0.0]);
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
    fn rows_are_filled_with_zeros() {
        let mut rows = Stack::<f64, 3>::new([1, 3, 2]);
        for k in 0..3 {
            for i in 0..k {
                let row = build_in(rows.inner_row(), [2], |[j]| (10 * k + 2 * i + j) as f64);
                assert_eq!(row[[1]], (10 * k + 2 * i + 1) as f64);
            }
            rows.fill_row();
        }
        let all = rows.finish_padded(4).into_array();
        assert_eq!(all.dim(), (4, 3, 2));
        let numbers = [20.0, 21.0, 22.0, 23.0, 0.0, 0.0];
        assert_eq!(
            all.index_axis(ndarray::Axis(0), 2)
                .iter()
                .copied()
                .collect::<Vec<_>>(),
            numbers
        );
        assert_eq!(all.sum(), 10.0 + 11.0 + 20.0 + 21.0 + 22.0 + 23.0);
        let empty = Stack::<bool, 1>::new([0]).finish_padded(-1);
        assert_eq!(empty.into_vec(), []);
    }

    #[test]
    #[should_panic(expected = "no more than a row is added")]
    fn rows_are_not_longer_than_they_are() {
        let mut rows = Stack::<f64, 2>::new([1, 1]);
        rows.push_number(1.0);
        rows.push_number(2.0);
        rows.fill_row();
    }

    #[test]
    fn rows_are_made_where_they_are_kept() {
        let mut rows = Stack::<f64, 2>::new([1, 3]);
        // There is room for one; it grows.
        for k in 0..3 {
            let row = build_in(rows.row(), [3], |[i]| (10 * k + i) as f64);
            assert_eq!(row[[2]], (10 * k + 2) as f64);
        }
        let (row, other) =
            build_all_in((rows.row(), anew()), [3], |[i]| (i as f64, i as f64 + 0.5));
        assert_eq!((row[[1]], other[[1]]), (1.0, 1.5));
        let all = rows.finish().into_array();
        assert_eq!(all.dim(), (4, 3));
        assert_eq!(all.row(2), ndarray::arr1(&[20.0, 21.0, 22.0]));
        assert_eq!(all.row(3), ndarray::arr1(&[0.0, 1.0, 2.0]));
        let mut empty = Stack::<f64, 2>::new([5, -1]);
        let row = build_in(empty.row(), [-1], |_| 1.0);
        assert_eq!(row.len(0), 0);
        assert_eq!(empty.finish().into_array().dim(), (1, 0));
    }

    #[test]
    fn rows_of_rows_are_made_where_they_are_kept() {
        let mut rows = Stack::<f64, 3>::new([2, 2, 2]);
        for k in 0..2 {
            let _ = build_in(rows.inner_row(), [2], |[i]| (4 * k + i) as f64);
            rows.push_inner(slice("a", &[(4 * k + 2) as f64, 0.5]));
            rows.end_row();
        }
        let all = rows.finish().into_array();
        assert_eq!(
            all,
            ndarray::arr3(&[[[0.0, 1.0], [2.0, 0.5]], [[4.0, 5.0], [6.0, 0.5]]])
        );
    }

    #[test]
    fn states_are_rows() {
        let first = build([2], |[i]| i as f64);
        let mut states = Stack::<f64, 2>::states([2, 2], first.view());
        for _ in 0..2 {
            let (state, next) = states.step::<1>();
            let next = build_in(next, [2], |[i]| state[[i]] + 1.0);
            assert_eq!(next[[0]], state[[0]] + 1.0);
            states.go_on();
        }
        let (all, last) = states.finish_states::<1>();
        assert_eq!(all.into_array(), ndarray::arr2(&[[0.0, 1.0], [1.0, 2.0]]));
        assert_eq!(last.into_vec(), [2.0, 3.0]);
        let none = Stack::<f64, 2>::states([-1, 2], first.view());
        let (all, last) = none.finish_states::<1>();
        assert_eq!(all.into_array().dim(), (0, 2));
        assert_eq!(last.into_vec(), [0.0, 1.0]);
    }

    #[test]
    #[should_panic(expected = "there is a next state")]
    fn a_state_that_was_not_made_is_none() {
        let mut states = Stack::<f64, 2>::states([1, 1], slice("a", &[1.0]));
        let _ = states.step::<1>();
        states.go_on();
    }

    #[test]
    #[should_panic(expected = "there is a next state")]
    fn a_state_is_next_once() {
        let mut states = Stack::<f64, 2>::states([3, 1], slice("a", &[1.0]));
        let (state, next) = states.step::<1>();
        let _ = build_in(next, [1], |[i]| state[[i]]);
        states.go_on();
        states.go_on();
    }

    /// Rows of any size on a stack that has room for none, for one, and for all of them.
    #[test]
    fn stacks_grow_to_what_is_pushed() {
        for (size, pushes) in [0, 1, 7, 8, 9, 16, 17, 64, 65, 257, 300, 5000]
            .into_iter()
            .flat_map(|size| [0, 1, 2, 9, 65].map(|pushes| (size, pushes)))
            .chain([(1, 70_000), (0, 1000)])
        {
            let at = |k: usize, i: usize| (k * size.max(1) + i) as f64;
            let all: Vec<f64> = (0..pushes * size).map(|k| k as f64).collect();
            let row = |k| -> Vec<f64> { (0..size).map(|i| at(k, i)).collect() };
            for room in [0, 1, pushes] {
                let shape = [room as i64, size as i64];
                let mut rows = Stack::<f64, 2>::new(shape);
                let mut made = Stack::<f64, 2>::new(shape);
                let mut numbers = Stack::<f64, 2>::new(shape);
                let mut states = Stack::<f64, 2>::states(shape, slice("a", &row(0)));
                for k in 0..pushes {
                    rows.push_all(slice("a", &row(k)));
                    let _ = build_in(made.row(), [size as i64], |[i]| at(k, i as usize));
                    row(k).into_iter().for_each(|x| numbers.push_number(x));
                    numbers.end_row();
                    let (state, next) = states.step::<1>();
                    let _ = build_in(next, [size as i64], |[i]| state[[i]] + size as f64);
                    states.go_on();
                }
                let (states, last) = states.finish_states::<1>();
                assert_eq!(last.into_vec(), row(pushes), "{pushes} of {size}");
                for stack in [rows.finish(), made.finish(), numbers.finish(), states] {
                    assert_eq!(stack.shape, [pushes, size]);
                    assert_eq!(stack.data, all, "{pushes} of {size}");
                }
            }
        }
    }

    #[test]
    fn rows_of_rows_grow() {
        for size in [0, 1, 9, 65, 300] {
            let mut rows = Stack::<f64, 3>::new([0, 2, size]);
            for _ in 0..5 {
                let _ = build_in(rows.inner_row(), [size], |[i]| i as f64);
                rows.push_inner(build([size], |[i]| -(i as f64)).view());
                rows.end_row();
            }
            let all = rows.finish().into_array();
            assert_eq!(all.dim(), (5, 2, size as usize));
            assert!(all.indexed_iter().all(|((_, j, i), &x)| {
                let i = i as f64;
                x == if j == 0 { i } else { -i }
            }));
        }
    }

    #[test]
    fn single_numbers_grow() {
        let mut numbers = Stack::<u8, 1>::new([0]);
        (0..5000).for_each(|k| numbers.push(k as u8));
        let all = numbers.finish().into_vec();
        assert!(all.len() == 5000 && all.iter().enumerate().all(|(k, &x)| x == k as u8));
        let mut nothing = Stack::<(), 1>::new([0]);
        (0..300).for_each(|_| nothing.push(()));
        assert_eq!(nothing.finish().into_vec().len(), 300);
    }

    #[test]
    #[should_panic(expected = "there is a next state")]
    fn a_state_that_was_overwritten_is_none() {
        let mut states = Stack::<f64, 2>::states([1, 1], slice("a", &[1.0]));
        let (state, next) = states.step::<1>();
        let _ = build_in(next, [1], |[i]| state[[i]]);
        states.push_all(slice("b", &[2.0]));
        states.go_on();
    }

    #[test]
    #[should_panic(expected = "a whole row is added")]
    fn half_a_row_is_refused() {
        let mut rows = Stack::<f64, 2>::new([1, 2]);
        rows.push_number(1.0);
        rows.end_row();
    }

    #[test]
    #[should_panic(expected = "a row is one of all")]
    fn a_row_of_a_row_is_not_a_row() {
        Stack::<f64, 3>::new([1, 1, 1]).push_all(slice("a", &[1.0]));
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
