//! Arrays that tiles make where they are kept.
//!
//! A tile that makes an array in memory of its own has it copied to its place in the whole one.
//! What is made row by row or element by element is made there at once: the tile gets a place for
//! it, reads it there, and it is checked afterwards that everything has been written.

use super::Dense;
use super::divided::Piece;
use super::places::Next;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, take};

/// An array of elements `T` and rank `N` of which each tile makes a part of the first axis, where
/// it is kept.
#[derive(Debug)]
pub struct Lasting<T, const N: usize>(PhantomData<T>);

/// What is left of the room for the tiles of a thread: how many elements each index has, and where
/// they go.
#[derive(Debug)]
pub struct Left<'r, T> {
    row: usize,
    free: &'r mut [MaybeUninit<T>],
}

/// Several arrays that tiles make where they are kept.
pub trait Lasts {
    /// Their shapes.
    type Shapes: Copy;
    /// The arrays.
    type Wholes;
    /// Where the part of a tile goes.
    type Places<'p>;
    #[doc(hidden)]
    type Stores;
    #[doc(hidden)]
    type Rooms<'r>: Send;

    #[doc(hidden)]
    #[track_caller]
    fn stores(shapes: Self::Shapes) -> Self::Stores;

    /// One for each thread, which makes so many indices.
    #[doc(hidden)]
    fn rooms<'r>(stores: &'r mut Self::Stores, lengths: &[usize]) -> Vec<Self::Rooms<'r>>;

    /// What `f` of the places of the next indices is. It has to make what belongs there.
    #[doc(hidden)]
    fn make<R>(
        rooms: &mut Self::Rooms<'_>,
        indices: usize,
        f: impl for<'p> FnOnce(Self::Places<'p>) -> R,
    ) -> R;

    #[doc(hidden)]
    fn are_full(rooms: &Self::Rooms<'_>) -> bool;

    /// # Safety
    ///
    /// The rooms of all threads are full.
    #[doc(hidden)]
    unsafe fn wholes(stores: Self::Stores) -> Self::Wholes;
}

macro_rules! lasts {
    ($($T:ident $N:ident $x:ident $done:ident)*) => {
        impl<$($T: Copy + Send + 'static, const $N: usize),*> Lasts for ($(Lasting<$T, $N>,)*) {
            type Shapes = ($([i64; $N],)*);
            type Wholes = ($(Dense<$T, $N>,)*);
            type Places<'p> = ($(Next<'p, $T>,)*);
            type Stores = ($(<Dense<$T, $N> as Piece>::Store,)*);
            type Rooms<'r> = ($(Left<'r, $T>,)*);

            #[track_caller]
            #[allow(clippy::unused_unit, reason = "there may be none")]
            fn stores(($($x,)*): Self::Shapes) -> Self::Stores {
                ($(<Dense<$T, $N> as Piece>::store($x, 1),)*)
            }

            fn rooms<'r>(
                ($($x,)*): &'r mut Self::Stores,
                lengths: &[usize],
            ) -> Vec<Self::Rooms<'r>> {
                $(
                    let row = $x.0[1..].iter().product();
                    let rooms = <Dense<$T, $N> as Piece>::rooms($x, lengths);
                    let mut $x = rooms.into_iter().map(|free| Left { row, free });
                )*
                lengths
                    .iter()
                    .map(|_| ($($x.next().expect("a room for each thread"),)*))
                    .collect()
            }

            #[inline(always)]
            fn make<R>(
                ($($x,)*): &mut Self::Rooms<'_>,
                _indices: usize,
                f: impl for<'p> FnOnce(Self::Places<'p>) -> R,
            ) -> R {
                $(
                    // Fewer only if the tiles together are not the whole.
                    let length = (_indices * $x.row).min($x.free.len());
                    let (here, rest) = take(&mut $x.free).split_at_mut(length);
                    $x.free = rest;
                    let mut $done = false;
                    let $x = Next { slots: here, is_written: &mut $done };
                )*
                let made = f(($($x,)*));
                $(assert!($done, "a tile makes what lasts where it is kept");)*
                made
            }

            fn are_full(($($x,)*): &Self::Rooms<'_>) -> bool {
                true $(&& $x.free.is_empty())*
            }

            #[allow(clippy::unused_unit, reason = "there may be none")]
            unsafe fn wholes(($($x,)*): Self::Stores) -> Self::Wholes {
                // SAFETY: the caller promises the same of each.
                ($(unsafe { <Dense<$T, $N> as Piece>::whole($x) },)*)
            }
        }
    };
}

lasts!();
lasts!(A K a a_done);
lasts!(A K a a_done B L b b_done);
lasts!(A K a a_done B L b b_done C M c c_done);
lasts!(A K a a_done B L b b_done C M c c_done D N d d_done);

#[cfg(test)]
mod tests {
    use super::super::dispatch::Baseline;
    use super::super::divided::in_tiles_and_places;
    use super::super::{build, build_in, build_rows_in};
    use super::*;

    /// Squares and rows, of which the first are made in memory of their own, with so many elements
    /// for each index.
    fn made(indices: i64, each: i64) -> (Vec<i64>, Vec<f64>, Vec<i64>) {
        type Kept = (Lasting<f64, 2>, Lasting<i64, 1>);
        let shapes = (([indices],), ([indices, 3], [indices]));
        let ((squares,), (rows, cubes)) = in_tiles_and_places::<Baseline, _, Kept>(
            indices,
            each,
            shapes,
            |first, len, (rows, cubes)| {
                let rows = build_rows_in(rows, [len, 3], |[i, _], js, out| {
                    out.set(js, |j| (10 * (i + first) + j) as f64)
                });
                let squares = build([len], |[i]| (i + first) * (i + first));
                let cubes = build_in(cubes, [len], |[i]| squares[[i]] * (i + first));
                assert!((0..len).all(|i| rows[[i, 1]] == (10 * (i + first) + 1) as f64));
                assert!((0..len).all(|i| cubes[[i]] == (i + first).pow(3)));
                (squares,)
            },
        );
        (squares.into_vec(), rows.data.clone(), cubes.into_vec())
    }

    #[test]
    fn what_lasts_is_made_where_it_is_kept() {
        for indices in [0, 1, 2, 7, 30] {
            for each in [1, 1 << 14, 1 << 20] {
                let (squares, rows, cubes) = made(indices, each);
                assert!(squares.into_iter().eq((0..indices).map(|i| i * i)));
                assert!(cubes.into_iter().eq((0..indices).map(|i| i * i * i)));
                let all = (0..indices).flat_map(|i| (0..3).map(move |j| (10 * i + j) as f64));
                assert!(rows.into_iter().eq(all));
            }
        }
    }

    #[test]
    fn all_may_last() {
        for indices in [0, 1, 300] {
            let shapes = ((), ([indices],));
            let ((), (all,)) = in_tiles_and_places::<Baseline, (), (Lasting<i64, 1>,)>(
                indices,
                1 << 14,
                shapes,
                |first, len, (place,)| {
                    let _ = build_in(place, [len], |[i]| first + i);
                },
            );
            assert!(all.into_vec().into_iter().eq(0..indices));
        }
    }

    #[test]
    #[should_panic(expected = "a tile makes what lasts where it is kept")]
    fn a_place_that_is_not_used_is_noticed() {
        let shapes = (([4],), ([4],));
        let _ =
            in_tiles_and_places::<Baseline, _, (Lasting<f64, 1>,)>(4, 1, shapes, |_, len, _| {
                (build([len], |[i]| i),)
            });
    }

    #[test]
    #[should_panic(expected = "states have the same shape")]
    fn a_part_of_another_shape_is_refused() {
        let shapes = (([4],), ([4],));
        let _ = in_tiles_and_places::<Baseline, _, (Lasting<f64, 1>,)>(
            4,
            1,
            shapes,
            |_, len, (place,)| {
                let _ = build_in(place, [len - 1], |_| 1.0);
                (build([len], |[i]| i),)
            },
        );
    }
}
