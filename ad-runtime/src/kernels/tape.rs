//! What calls of a function that calls itself keep for its reverse pass.
//!
//! Each call of the forward pass saves its residuals one after another, and returns the place of
//! the first. The reverse pass reads them there. A residual has one word. It holds the bits of a
//! number, or tells where the elements of an array begin. The tape is dropped when the outermost
//! call returns.

use super::View;
use crate::real::Real;

/// The name that messages have for residuals.
const RESIDUAL: &str = "a residual";

/// The residuals of all calls.
#[derive(Clone, Debug)]
pub struct Tape<T> {
    words: Vec<u64>,
    reals: Vec<T>,
    integers: Vec<i64>,
    bools: Vec<bool>,
}

impl<T> Default for Tape<T> {
    fn default() -> Self {
        Tape {
            words: vec![],
            reals: vec![],
            integers: vec![],
            bools: vec![],
        }
    }
}

impl<T: Real> Tape<T> {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The place of what is saved next.
    #[inline]
    #[must_use]
    pub fn place(&self) -> i64 {
        self.words.len() as i64
    }

    /// Saves a real array.
    #[inline]
    pub fn save_reals<const N: usize>(&mut self, x: View<'_, T, N>) {
        self.words.push(self.reals.len() as u64);
        self.reals.extend_from_slice(x.data);
    }

    /// Saves an array of integers.
    #[inline]
    pub fn save_integers<const N: usize>(&mut self, x: View<'_, i64, N>) {
        self.words.push(self.integers.len() as u64);
        self.integers.extend_from_slice(x.data);
    }

    /// Saves an array of conditions.
    #[inline]
    pub fn save_bools<const N: usize>(&mut self, x: View<'_, bool, N>) {
        self.words.push(self.bools.len() as u64);
        self.bools.extend_from_slice(x.data);
    }

    /// Saves a number.
    #[inline]
    pub fn save_real(&mut self, x: T) {
        self.words.push(x.to_f64().to_bits());
    }

    /// Saves an integer.
    #[inline]
    pub fn save_integer(&mut self, x: i64) {
        self.words.push(x as u64);
    }

    /// Saves a condition.
    #[inline]
    pub fn save_bool(&mut self, x: bool) {
        self.words.push(x.into());
    }

    /// The word of what was saved so many after the residual at a place.
    #[inline]
    fn word(&self, place: i64, k: usize) -> u64 {
        self.words[place as usize + k]
    }

    /// The real array of these lengths that was saved there.
    #[inline]
    #[must_use]
    pub fn reals<const N: usize>(&self, place: i64, k: usize, lengths: [i64; N]) -> View<'_, T, N> {
        part(&self.reals, self.word(place, k), lengths)
    }

    /// The array of integers of these lengths that was saved there.
    #[inline]
    #[must_use]
    pub fn integers<const N: usize>(
        &self,
        place: i64,
        k: usize,
        lengths: [i64; N],
    ) -> View<'_, i64, N> {
        part(&self.integers, self.word(place, k), lengths)
    }

    /// The array of conditions of these lengths that was saved there.
    #[inline]
    #[must_use]
    pub fn bools<const N: usize>(
        &self,
        place: i64,
        k: usize,
        lengths: [i64; N],
    ) -> View<'_, bool, N> {
        part(&self.bools, self.word(place, k), lengths)
    }

    /// The number that was saved there.
    #[inline]
    #[must_use]
    pub fn real(&self, place: i64, k: usize) -> T {
        T::of(f64::from_bits(self.word(place, k)))
    }

    /// The integer that was saved there.
    #[inline]
    #[must_use]
    pub fn integer(&self, place: i64, k: usize) -> i64 {
        self.word(place, k) as i64
    }

    /// The condition that was saved there.
    #[inline]
    #[must_use]
    pub fn bool(&self, place: i64, k: usize) -> bool {
        self.word(place, k) != 0
    }
}

#[inline]
fn part<E, const N: usize>(all: &[E], begin: u64, lengths: [i64; N]) -> View<'_, E, N> {
    let shape = lengths.map(|n| n.max(0) as usize);
    let (begin, size) = (begin as usize, shape.iter().product::<usize>());
    View {
        data: &all[begin..begin + size],
        shape,
        name: RESIDUAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::fixed;

    #[test]
    fn what_is_saved_is_read_at_its_place() {
        let mut tape = Tape::<f64>::new();
        tape.save_bool(true);
        let place = tape.place();
        tape.save_reals(fixed("x", &[1.0, 2.0, 3.0, 4.0], [2, 2]));
        tape.save_integer(7);
        tape.save_real(0.5);
        tape.save_integers(fixed("k", &[8, 9], [2]));
        assert_eq!(tape.reals(place, 0, [2, 2])[[1, 0]], 3.0);
        assert_eq!(tape.integer(place, 1), 7);
        assert_eq!(tape.real(place, 2), 0.5);
        assert_eq!(tape.integers(place, 3, [2])[[1]], 9);
        assert!(tape.bool(0, 0));
        assert_eq!(tape.reals(place, 0, [-1, 2]).len(0), 0);
    }
}
