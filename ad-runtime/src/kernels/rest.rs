//! What is left of a loop behind its whole vectors.
//!
//! LLVM computes it one by one, and an elementary function takes as long for one number as for a
//! vector. So where elements cost much and depend on nothing but their index, the last vector
//! begins so early that it ends with the loop:
//!
//! ```text
//! 0 .. 14   =   0 .. 8, and 6 .. 14 where 6 and 7 are computed again, with the same bits
//! ```

use super::dispatch::vector;
use std::ops::Range;

/// Calls `part` with ranges that cover `0..length`, most of them whole vectors of elements of
/// `size` bytes.
#[inline(always)]
pub(super) fn parts(length: usize, size: usize, mut part: impl FnMut(Range<usize>)) {
    let (mut from, mut to) = (0, length);
    let mut lanes = 0;
    // What is shorter has the same loop at all times, as it is unrolled if its length is a
    // constant.
    if length > 4 {
        lanes = vector() / size.next_power_of_two().min(8);
        let rest = length & (lanes - 1);
        // A single one costs no more than a vector.
        if length > lanes && rest > 1 {
            to = length - rest;
        }
    }
    // Not written one after the other: what `part` calls is inlined if it is called at one place.
    loop {
        part(from..to);
        if to >= length {
            return;
        }
        (from, to) = (length - lanes, length);
    }
}

/// Calls `f` with the indices of these ranges.
#[inline(always)]
pub(super) fn indices(length: usize, size: usize, mut f: impl FnMut(usize)) {
    parts(length, size, |part| {
        for j in part {
            // SAFETY: the part is inside.
            unsafe { std::hint::assert_unchecked(j < length) };
            f(j);
        }
    });
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
                parts(length, size, |part| {
                    calls += 1;
                    part.for_each(|i| seen[i] += 1);
                });
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
