//! Copies of lines, in the order in which products read them.

use super::vector::Vector;

/// Copies `m` rows of `k` columns, which are `next` apart, so that `N` numbers of a column are next
/// to those of the next column. The next `N` rows come after those, and a gap, so that they are not
/// at the same places of a cache.
///
/// # Safety
///
/// The number of rows is a multiple of `N`. They are there, and room for the copy.
#[inline(always)]
pub(super) unsafe fn copy_rows<T: Copy, const N: usize>(
    from: *const T,
    next: usize,
    [m, k]: [usize; 2],
    to: *mut T,
) {
    for p in 0..k {
        for i in (0..m).step_by(N) {
            // SAFETY: the rows and columns are these.
            unsafe {
                let line = from.add(p * next + i).cast::<[T; N]>().read();
                to.add(i * (k + 1) + p * N).cast::<[T; N]>().write(line);
            }
        }
    }
}

/// Copies `n` columns of `k` numbers, so that one of each are neighbours, with zeros after them
/// where they are to be more, and lines are `line` apart.
///
/// # Safety
///
/// The processor has these vectors, the columns are there, and room for the copy.
#[inline(always)]
pub(super) unsafe fn copy<X: Vector>(
    from: *const X::Number,
    [column, next]: [usize; 2],
    [n, k, width]: [usize; 3],
    to: *mut X::Number,
    line: usize,
) {
    // SAFETY: `j < n`, or below the width where it is written, and `p < k`.
    unsafe {
        if column == 1 {
            for p in 0..k {
                let (from, to) = (from.add(p * next), to.add(p * line));
                let mut j = 0;
                while j + X::LANES <= n {
                    X::load(from.add(j)).store(to.add(j));
                    j += X::LANES;
                }
                while j < n {
                    *to.add(j) = *from.add(j);
                    j += 1;
                }
                while j < width {
                    *to.add(j) = X::Number::default();
                    j += 1;
                }
            }
            return;
        }
        let mut j = 0;
        while next == 1 && j + X::SIDE <= n {
            let (from, to) = (from.add(j * column), to.add(j));
            let mut p = 0;
            while p + X::SIDE <= k {
                X::transpose(from.add(p), column, to.add(p * line), line);
                p += X::SIDE;
            }
            while p < k {
                for i in 0..X::SIDE {
                    *to.add(p * line + i) = *from.add(i * column + p);
                }
                p += 1;
            }
            j += X::SIDE;
        }
        while j < n {
            for p in 0..k {
                *to.add(p * line + j) = *from.add(j * column + p * next);
            }
            j += 1;
        }
        while j < width {
            for p in 0..k {
                *to.add(p * line + j) = X::Number::default();
            }
            j += 1;
        }
    }
}
