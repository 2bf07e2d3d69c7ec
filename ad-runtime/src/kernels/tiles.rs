//! Arrays that are made tile by tile.

use super::{Dense, INTERMEDIATE, lengths, pool};

/// How many elements the arrays of a tile have together: with eight bytes each, half of what the second cache of most
/// processors holds.
const ELEMENTS: i64 = 64 << 10;

/// The tiles of an axis with so many indices, for each of which so many elements are made: where each begins and how many
/// indices it has. They are as equal as can be.
pub fn tiles(indices: i64, each: i64) -> impl Iterator<Item = (i64, i64)> {
    let indices = indices.max(0);
    let most = (ELEMENTS / each.max(1)).max(1);
    let count = indices / most + i64::from(indices % most > 0);
    (0..count).map(move |k| {
        let [first, end] = [k, k + 1].map(|k| {
            // The product may be large.
            (i128::from(indices) * i128::from(k) / i128::from(count)) as i64
        });
        (first, end - first)
    })
}

/// An array on its way, whose tiles are parts of its first axis.
#[derive(Debug)]
pub struct Slabs<T, const N: usize> {
    shape: [usize; N],
    size: usize,
    data: Vec<T>,
}

impl<T: Copy, const N: usize> Slabs<T, N> {
    /// An array that will have this shape.
    ///
    /// # Panics
    ///
    /// Panics if no array can have it.
    #[must_use]
    #[track_caller]
    pub fn new(shape: [i64; N]) -> Self {
        let (shape, size) = lengths(shape);
        let data = vec![];
        Slabs { shape, size, data }
    }

    /// The elements of the next tile. The first one begins at 0, and each where the one before ends.
    ///
    /// # Panics
    ///
    /// Panics if the shape does not fit.
    #[track_caller]
    pub fn put(&mut self, first: i64, mut tile: Dense<T, N>) {
        assert!(
            tile.shape[1..] == self.shape[1..],
            "a tile of shape {:?} is put into one of shape {:?}",
            tile.shape,
            self.shape
        );
        // What is empty has no tile that matters.
        let row: usize = self.shape[1..].iter().product();
        assert!(
            usize::try_from(first).is_ok_and(|first| first * row == self.data.len()),
            "tiles are put one after the other"
        );
        if tile.shape == self.shape {
            self.data = std::mem::take(&mut tile.data);
            return;
        }
        if self.data.capacity() == 0 {
            self.data = pool::with_capacity(self.size);
        }
        self.data.extend_from_slice(&tile.data);
    }

    /// The array.
    ///
    /// # Panics
    ///
    /// Panics if a tile is missing.
    #[must_use]
    #[track_caller]
    pub fn finish(self) -> Dense<T, N> {
        assert_eq!(self.data.len(), self.size, "all tiles are put");
        Dense {
            data: self.data,
            shape: self.shape,
            name: INTERMEDIATE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    #[test]
    fn tiles_cover_an_axis() {
        for (indices, each, count) in [
            (0, 10, 0),
            (-3, 10, 0),
            (1, i64::MAX, 1),
            (5, 0, 1),
            (5, ELEMENTS / 2, 3),
            (1000, ELEMENTS / 7, 143),
            (7, 2 * ELEMENTS, 7),
        ] {
            let all: Vec<(i64, i64)> = tiles(indices, each).collect();
            assert_eq!(all.len(), count, "{indices} with {each}");
            let end = all.iter().fold(0, |end, &(first, len)| {
                assert!(first == end && len > 0);
                first + len
            });
            assert_eq!(end, indices.max(0));
            let lens = || all.iter().map(|&(_, len)| len);
            assert!(lens().max().unwrap_or(0) <= lens().min().unwrap_or(0) + 1);
        }
    }

    #[test]
    fn slabs_are_put_behind_each_other() {
        let tile = |first: i64, len: i64| build([len, 2], move |[i, j]| 2 * (first + i) + j);
        let mut all = Slabs::<i64, 2>::new([3, 2]);
        all.put(0, tile(0, 2));
        all.put(2, tile(2, 1));
        assert_eq!(
            all.finish().into_array().into_raw_vec_and_offset().0,
            [0, 1, 2, 3, 4, 5]
        );
        let mut one = Slabs::<i64, 2>::new([3, 2]);
        one.put(0, tile(0, 3));
        assert_eq!(one.finish().len(0), 3);
        let nothing = Slabs::<i64, 2>::new([0, 2]).finish();
        assert_eq!((nothing.len(0), nothing.len(1)), (0, 2));
        let mut empty = Slabs::<i64, 2>::new([3, 0]);
        empty.put(0, build([2, 0], |_| 0));
        empty.put(2, build([1, 0], |_| 0));
        assert_eq!(empty.finish().len(0), 3);
    }

    #[test]
    #[should_panic(expected = "all tiles are put")]
    fn a_missing_tile_is_noticed() {
        let _ = Slabs::<i64, 1>::new([3]).finish();
    }

    #[test]
    #[should_panic(expected = "one after the other")]
    fn order_matters() {
        let mut all = Slabs::<i64, 1>::new([3]);
        all.put(1, build([2], |[i]| i));
    }
}
