//! Linear recurrences: `n` steps along an axis give `n + 1` states.

use super::{Dense, INTERMEDIATE, View, pool};
use crate::Real;

/// Where running products start: the same number everywhere, or one for each row of factors.
pub trait Start<T> {
    /// The start of a row.
    fn of(&self, row: usize) -> T;
    /// How many rows it is for, if not for any number.
    fn rows(&self) -> Option<usize>;
}

impl<T: Real> Start<T> for T {
    #[inline]
    fn of(&self, _: usize) -> T {
        *self
    }

    #[inline]
    fn rows(&self) -> Option<usize> {
        None
    }
}

impl<T: Real, const M: usize> Start<T> for View<'_, T, M> {
    #[inline]
    fn of(&self, row: usize) -> T {
        self.data[row]
    }

    #[inline]
    fn rows(&self) -> Option<usize> {
        Some(self.data.len())
    }
}

/// `out[0] = start`, `out[k + 1] = a[k] * out[k]` along `axis`; if `reverse`, `out[n] = start`,
/// `out[k] = a[k] * out[k + 1]`.
///
/// Where `mask` is false, nothing is multiplied.
///
/// # Panics
///
/// Panics if the mask or the start does not fit the factors.
#[must_use]
#[track_caller]
pub fn running_products<T: Real, const N: usize>(
    a: View<'_, T, N>,
    mask: Option<View<'_, bool, N>>,
    start: impl Start<T>,
    axis: usize,
    reverse: bool,
) -> Dense<T, N> {
    let steps = Steps::new(a, mask, axis, reverse);
    let rows = steps.blocks() * steps.inner;
    assert!(
        start.rows().is_none_or(|n| n == rows),
        "running products of {:?} along axis {axis} do not start from {:?} numbers",
        a.shape,
        start.rows()
    );
    let mut data = pool::filled(T::nought(), rows * (steps.count + 1));
    let block = (steps.count + 1) * steps.inner;
    let first = if reverse { steps.count } else { 0 };
    for (k, out) in data.chunks_exact_mut(block.max(1)).enumerate() {
        let start_of = |j| start.of(k * steps.inner + j);
        let starts = &mut out[first * steps.inner..][..steps.inner];
        starts
            .iter_mut()
            .enumerate()
            .for_each(|(j, s)| *s = start_of(j));
    }
    steps.run(data, |state, x| *state = x)
}

/// `out[0] = b[0]`, `out[k + 1] = a[k] * out[k] + b[k + 1]` along `axis`; if `reverse`,
/// `out[n] = b[n]`, `out[k] = a[k] * out[k + 1] + b[k]`.
///
/// Where `mask` is false, nothing is multiplied.
///
/// # Panics
///
/// Panics if `b` is not longer by 1 along `axis` than `a`, or differs otherwise; or if the mask
/// does not fit the factors.
#[must_use]
#[track_caller]
pub fn recur<T: Real, const N: usize>(
    a: View<'_, T, N>,
    mask: Option<View<'_, bool, N>>,
    b: View<'_, T, N>,
    axis: usize,
    reverse: bool,
) -> Dense<T, N> {
    let steps = Steps::new(a, mask, axis, reverse);
    let shape = steps.states();
    assert!(
        b.shape == shape,
        "a recurrence with the factors {:?} along axis {axis} needs {shape:?}, not {:?}",
        a.shape,
        b.shape
    );
    let mut data = pool::with_capacity(b.data.len());
    data.extend_from_slice(b.data);
    steps.run(data, |state, x| *state += x)
}

/// `out[0] = 0`, `out[k + 1] = a[k] * out[k] + b[k]` along `axis`; if `reverse`, `out[n] = 0`,
/// `out[k] = a[k] * out[k + 1] + b[k]`.
///
/// Where `mask` is false, nothing is multiplied.
///
/// # Panics
///
/// Panics if `b` or the mask does not fit the factors.
#[must_use]
#[track_caller]
pub fn recur_adding<T: Real, const N: usize>(
    a: View<'_, T, N>,
    mask: Option<View<'_, bool, N>>,
    b: View<'_, T, N>,
    axis: usize,
    reverse: bool,
) -> Dense<T, N> {
    let steps = Steps::new(a, mask, axis, reverse);
    assert!(
        a.shape == b.shape,
        "a recurrence with the factors {:?} does not add {:?}",
        a.shape,
        b.shape
    );
    let inner = steps.inner;
    let of_factors = steps.count * inner;
    let mut data = pool::filled(T::nought(), steps.blocks() * (of_factors + inner));
    if of_factors > 0 {
        let blocks = data.chunks_exact_mut(of_factors + inner);
        for (out, b) in blocks.zip(b.data.chunks_exact(of_factors)) {
            let first = if reverse { 0 } else { inner };
            out[first..][..of_factors].copy_from_slice(b);
        }
    }
    steps.run(data, |state, x| *state += x)
}

/// The factors of a recurrence.
struct Steps<'a, T, const N: usize> {
    a: View<'a, T, N>,
    mask: Option<View<'a, bool, N>>,
    axis: usize,
    reverse: bool,
    count: usize,
    /// The number of positions behind the axis.
    inner: usize,
}

impl<'a, T: Real, const N: usize> Steps<'a, T, N> {
    #[track_caller]
    fn new(a: View<'a, T, N>, mask: Option<View<'a, bool, N>>, axis: usize, reverse: bool) -> Self {
        assert!(
            mask.is_none_or(|m| m.shape == a.shape),
            "factors and their mask need the same shape"
        );
        Steps {
            a,
            mask,
            axis,
            reverse,
            count: a.shape[axis],
            inner: a.shape[axis + 1..].iter().product(),
        }
    }

    /// The number of positions before the axis.
    fn blocks(&self) -> usize {
        self.a.shape[..self.axis].iter().product()
    }

    fn states(&self) -> [usize; N] {
        let mut shape = self.a.shape;
        shape[self.axis] += 1;
        shape
    }

    /// The states, given what enters with each, and how that becomes a state.
    #[inline(always)]
    fn run(&self, mut data: Vec<T>, take: impl Fn(&mut T, T)) -> Dense<T, N> {
        let of_factors = self.count * self.inner;
        if of_factors > 0 {
            let blocks = data.chunks_exact_mut(of_factors + self.inner);
            let factors = self.a.data.chunks_exact(of_factors);
            match self.mask {
                None => {
                    for (out, a) in blocks.zip(factors) {
                        self.block(out, a, |&a, before, out| take(out, a * before));
                    }
                }
                Some(mask) => {
                    let masks = mask.data.chunks_exact(of_factors);
                    let mut room = pool::Room(pool::with_capacity(of_factors));
                    let masked = &mut room.0;
                    for ((out, a), mask) in blocks.zip(factors).zip(masks) {
                        masked.clear();
                        masked.extend(a.iter().copied().zip(mask.iter().copied()));
                        self.block(out, masked, |&(a, there), before, out| {
                            take(out, if there { a * before } else { before });
                        });
                    }
                }
            }
        }
        let shape = self.states();
        assert_eq!(data.len(), shape.iter().product(), "states of a recurrence");
        Dense {
            data,
            shape,
            name: INTERMEDIATE,
        }
    }

    /// One block of rows; `step` makes a state from a factor and the state before it.
    #[inline(always)]
    fn block<F>(&self, out: &mut [T], factors: &[F], step: impl Fn(&F, T, &mut T)) {
        if self.inner == 1 {
            return self.row(out, factors, step);
        }
        for k in 0..self.count {
            let k = if self.reverse { self.count - 1 - k } else { k };
            let factors = &factors[k * self.inner..][..self.inner];
            let (low, high) = out.split_at_mut((k + 1) * self.inner);
            let (low, high) = (&mut low[k * self.inner..], &mut high[..self.inner]);
            let (before, after) = if self.reverse {
                (high, low)
            } else {
                (low, high)
            };
            for ((after, before), factor) in after.iter_mut().zip(before).zip(factors) {
                step(factor, *before, after);
            }
        }
    }

    /// One row, its state in a register.
    #[inline(always)]
    fn row<F>(&self, out: &mut [T], factors: &[F], step: impl Fn(&F, T, &mut T)) {
        if self.reverse {
            let Some((last, out)) = out.split_last_mut() else {
                return;
            };
            let mut state = *last;
            for (out, factor) in out.iter_mut().zip(factors).rev() {
                step(factor, state, out);
                state = *out;
            }
        } else {
            let Some((first, out)) = out.split_first_mut() else {
                return;
            };
            let mut state = *first;
            for (out, factor) in out.iter_mut().zip(factors) {
                step(factor, state, out);
                state = *out;
            }
        }
    }
}
