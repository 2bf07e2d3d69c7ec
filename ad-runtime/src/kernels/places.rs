//! Where new arrays are made.
//!
//! Most are made in memory of their own. What a step of a loop keeps for later is made where it is
//! kept: as the next row of a [`Stack`](super::Stack).

use super::{Dense, INTERMEDIATE, Stack, View, pool};
use std::mem::MaybeUninit;

/// Where an array of elements `T` and rank `N` is made.
pub trait Place<T, const N: usize> {
    /// What is at hand when it is made.
    type Made;

    /// Room for all elements of an array of this shape, which are so many.
    #[doc(hidden)]
    fn slots(&mut self, shape: [usize; N], size: usize) -> &mut [MaybeUninit<T>];

    /// The array of the same shape.
    ///
    /// # Safety
    ///
    /// All of the slots have been written.
    #[doc(hidden)]
    unsafe fn made(self, shape: [usize; N], size: usize) -> Self::Made;
}

/// Memory of its own.
#[derive(Debug)]
pub struct Anew<T>(Vec<T>);

/// Memory of its own.
#[inline(always)]
#[must_use]
pub fn anew<T>() -> Anew<T> {
    Anew(vec![])
}

impl<T, const N: usize> Place<T, N> for Anew<T> {
    type Made = Dense<T, N>;

    #[inline(always)]
    fn slots(&mut self, _: [usize; N], size: usize) -> &mut [MaybeUninit<T>] {
        self.0 = pool::with_capacity(size);
        &mut self.0.spare_capacity_mut()[..size]
    }

    #[inline(always)]
    unsafe fn made(mut self, shape: [usize; N], size: usize) -> Dense<T, N> {
        // SAFETY: there is room for so many, and the caller has written them.
        unsafe { self.0.set_len(size) };
        Dense {
            data: self.0,
            shape,
            name: INTERMEDIATE,
        }
    }
}

/// The next row of a stack.
#[derive(Debug)]
pub struct Kept<'a, T, const M: usize> {
    pub(super) stack: &'a mut Stack<T, M>,
    /// Whether it is a row of one of the rows of the stack.
    pub(super) is_deep: bool,
}

impl<'a, T: Copy, const N: usize, const M: usize> Place<T, N> for Kept<'a, T, M> {
    type Made = View<'a, T, N>;

    #[inline(always)]
    fn slots(&mut self, shape: [usize; N], size: usize) -> &mut [MaybeUninit<T>] {
        self.stack.slots(shape, size, self.is_deep)
    }

    #[inline(always)]
    unsafe fn made(self, shape: [usize; N], size: usize) -> View<'a, T, N> {
        // SAFETY: the slots have been written.
        let data = unsafe { self.stack.written(size, self.is_deep) };
        View {
            data,
            shape,
            name: INTERMEDIATE,
        }
    }
}

/// Room for the next state in a stack of states.
#[derive(Debug)]
pub struct Next<'a, T> {
    pub(super) slots: &'a mut [MaybeUninit<T>],
    pub(super) is_written: &'a mut bool,
}

impl<'a, T: Copy, const N: usize> Place<T, N> for Next<'a, T> {
    type Made = View<'a, T, N>;

    #[inline(always)]
    fn slots(&mut self, _: [usize; N], size: usize) -> &mut [MaybeUninit<T>] {
        assert!(self.slots.len() == size, "states have the same shape");
        self.slots
    }

    #[inline(always)]
    unsafe fn made(self, shape: [usize; N], _: usize) -> View<'a, T, N> {
        *self.is_written = true;
        // SAFETY: the caller has written them.
        let data = unsafe { &*(std::ptr::from_ref(self.slots) as *const [T]) };
        View {
            data,
            shape,
            name: INTERMEDIATE,
        }
    }
}
