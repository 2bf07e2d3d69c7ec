//! What is left of a loop behind its whole vectors.
//!
//! LLVM computes it one by one, and an elementary function takes as long for one number as for a vector. So where
//! elements cost much and depend on nothing but their index, the last vector begins so early that it
//! ends with the loop:
//!
//! ```text
//! 0 .. 14   =   0 .. 8, and 6 .. 14 where 6 and 7 are computed again, with the same bits
//! ```

//!
//! # What else is in memory
//!
//! A loop that writes is vectorised only if what it reads is seen to be elsewhere. For arrays that are read by rows LLVM compares
//! addresses before the loop; for tables that are read at computed places, as those of angles are, it cannot. That a slice behind
//! a parameter is the only way to its elements is known for the function of that parameter. So the loops that write
//! elements are functions with a parameter for each slice, which index these slices themselves: what a closure captures, or an
//! iterator holds, is not known to be the parameter. They are `#[inline]` and not `#[inline(always)]`: LLVM inlines the latter
//! first, and forgets about a closure that is still a call then when it changes how that is called. Each is
//! called at one place, and so is inlined, however large.

use super::dispatch::vector;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Ranges that cover `0..length`, one after the other.
pub(super) struct Cover {
    next: Range<usize>,
    length: usize,
    lanes: usize,
}

impl Cover {
    /// All of it at once, or where `COSTLY` as whole vectors of elements of `size` bytes.
    #[inline(always)]
    pub(super) fn new<const COSTLY: bool>(length: usize, size: usize) -> Cover {
        let (mut to, mut lanes) = (length, 0);
        // What is shorter has the same loop at all times, as it is unrolled if its length is a constant.
        if COSTLY && length > 4 {
            lanes = vector() / size.next_power_of_two().min(8);
            let rest = length & (lanes - 1);
            // A single one costs no more than a vector.
            if length > lanes && rest > 1 {
                to = length - rest;
            }
        }
        Cover {
            next: 0..to,
            length,
            lanes,
        }
    }

    /// The first range, which may be empty.
    #[inline(always)]
    pub(super) fn first(&self) -> Range<usize> {
        self.next.clone()
    }

    /// The range behind one, if there is any.
    #[inline(always)]
    pub(super) fn behind(&self, part: &Range<usize>) -> Option<Range<usize>> {
        (part.end < self.length).then(|| self.length - self.lanes..self.length)
    }
}

/// Writes `f` of its index to each; with some indices `f` is called twice where `COSTLY`.
#[inline]
pub(super) fn fill<T, const COSTLY: bool>(
    slots: &mut [MaybeUninit<T>],
    mut f: impl FnMut(usize) -> T,
) {
    let length = slots.len();
    let parts = Cover::new::<COSTLY>(length, size_of::<T>());
    let mut part = parts.first();
    // At one place: what is called there is inlined.
    loop {
        let mut j = part.start;
        while j < part.end {
            // SAFETY: the part is inside.
            unsafe { std::hint::assert_unchecked(j < length) };
            slots[j] = MaybeUninit::new(f(j));
            j += 1;
        }
        match parts.behind(&part) {
            Some(next) => part = next,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Stretch;
    use super::super::*;
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn parts_cover_all() {
        for length in 0..100 {
            for size in [0, 1, 2, 4, 6, 8, 24] {
                let mut seen = vec![0; length];
                let mut calls = 0;
                let parts = Cover::new::<true>(length, size);
                let mut next = Some(parts.first());
                while let Some(part) = next {
                    calls += 1;
                    part.clone().for_each(|i| seen[i] += 1);
                    next = parts.behind(&part);
                }
                assert!(
                    seen.iter().all(|n| (1..=2).contains(n)),
                    "{length}: {seen:?}"
                );
                assert!(calls <= 2, "{length}");
            }
        }
    }

    /// Values as they are without parts, by indices that are inside, in rows of all lengths.
    #[test]
    fn costly_elements_are_the_same() {
        for n in 0..40 {
            let f = |i: i64, j: i64| exp((i - j) as f64 * 0.1) + tanh(j as f64);
            let seen = RefCell::new(vec![0; 3 * n as usize]);
            let noted = |[i, j]: [i64; 2]| {
                assert!((0..3).contains(&i) && (0..n).contains(&j));
                seen.borrow_mut()[(i * n + j) as usize] += 1;
                f(i, j)
            };
            let bits = |x: &Dense<f64, 2>| x.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let plain = build([3, n], |[i, j]| f(i, j));
            assert_eq!(bits(&build_costly([3, n], noted)), bits(&plain));
            assert!(seen.borrow().iter().all(|&n| n > 0));
            let rows = build_rows([3, n], |[i, _], js: Stretch, out| {
                out.set_costly(js, |j| f(i, j))
            });
            assert_eq!(bits(&rows), bits(&plain));
            let (all, places, single) =
                build_all_costly([3, n], |[i, j]| (f(i, j), i * n + j, exp(j as f32)));
            assert_eq!(bits(&all), bits(&plain));
            assert_eq!(places.data, (0..3 * n).collect::<Vec<_>>());
            let wanted = build([3, n], |[_, j]| exp(j as f32));
            assert_eq!(single.data, wanted.data);
        }
        assert_eq!(build_costly([], |[]| 2.0)[[]], 2.0);
    }
}
