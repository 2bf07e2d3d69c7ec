//! Arrays that are made tile by tile.

use super::lasting::Lasts;
use super::threads::{self, Shared};
use super::{Dense, INTERMEDIATE, InstructionSet, lengths, pool};
use crate::Real;
use std::mem::{MaybeUninit, take};

/// How many elements the arrays of a tile have together: with eight bytes each, a quarter of what
/// the second cache of most processors holds. What has twice as many in all is one tile.
const ELEMENTS: i64 = 32 << 10;

/// How much work is worth a thread, in operations.
const WORK: i64 = 1 << 16;

/// What a tile makes of one array.
pub trait Piece: Sized + Send {
    /// What is known of the array before.
    type Shape: Copy;
    /// The array.
    type Whole;
    #[doc(hidden)]
    type Store;
    #[doc(hidden)]
    type Room<'r>: Send
    where
        Self: 'r;

    #[doc(hidden)]
    fn store(shape: Self::Shape, threads: usize) -> Self::Store;
    #[doc(hidden)]
    fn rooms<'r>(store: &'r mut Self::Store, lengths: &[usize]) -> Vec<Self::Room<'r>>
    where
        Self: 'r;
    #[doc(hidden)]
    fn put(self, room: &mut Self::Room<'_>);
    #[doc(hidden)]
    fn is_full(room: &Self::Room<'_>) -> bool;
    /// # Safety
    ///
    /// The rooms of all threads are full.
    #[doc(hidden)]
    unsafe fn whole(store: Self::Store) -> Self::Whole;
    #[doc(hidden)]
    fn alone(self) -> Self::Whole;
}

/// Arrays of which each tile makes a part of the first axis.
impl<T: Copy + Send, const N: usize> Piece for Dense<T, N> {
    type Shape = [i64; N];
    type Whole = Dense<T, N>;
    type Store = ([usize; N], usize, Vec<T>);
    type Room<'r>
        = &'r mut [MaybeUninit<T>]
    where
        Self: 'r;

    #[track_caller]
    fn store(shape: [i64; N], _: usize) -> Self::Store {
        let (shape, size) = lengths(shape);
        (shape, size, pool::with_capacity(size))
    }

    fn rooms<'r>((shape, size, data): &'r mut Self::Store, lengths: &[usize]) -> Vec<Self::Room<'r>>
    where
        Self: 'r,
    {
        let row: usize = shape[1..].iter().product();
        let mut free = &mut data.spare_capacity_mut()[..*size];
        let mut room = |length: &usize| {
            let (here, rest) = take(&mut free).split_at_mut(length * row);
            free = rest;
            here
        };
        let rooms = lengths.iter().map(&mut room).collect();
        assert!(free.is_empty(), "all tiles together are the array");
        rooms
    }

    fn put(self, room: &mut Self::Room<'_>) {
        let (here, rest) = take(room).split_at_mut(self.data.len());
        for (to, x) in here.iter_mut().zip(&self.data) {
            to.write(*x);
        }
        *room = rest;
    }

    fn is_full(room: &Self::Room<'_>) -> bool {
        room.is_empty()
    }

    unsafe fn whole((shape, size, mut data): Self::Store) -> Self::Whole {
        // SAFETY: the rooms are all of the first `size` elements, and full.
        unsafe { data.set_len(size) };
        Dense {
            data,
            shape,
            name: INTERMEDIATE,
        }
    }

    fn alone(self) -> Self::Whole {
        self
    }
}

/// What is added up over all tiles.
#[derive(Debug)]
pub struct Added<T, const N: usize>(pub Dense<T, N>);

impl<T: Real, const N: usize> Piece for Added<T, N> {
    type Shape = ();
    type Whole = Dense<T, N>;
    type Store = Vec<Option<Dense<T, N>>>;
    type Room<'r>
        = &'r mut Option<Dense<T, N>>
    where
        Self: 'r;

    fn store((): (), threads: usize) -> Self::Store {
        (0..threads).map(|_| None).collect()
    }

    fn rooms<'r>(store: &'r mut Self::Store, _: &[usize]) -> Vec<Self::Room<'r>>
    where
        Self: 'r,
    {
        store.iter_mut().collect()
    }

    fn put(self, room: &mut Self::Room<'_>) {
        match room {
            Some(sum) => add(sum, &self.0),
            None => **room = Some(self.0),
        }
    }

    fn is_full(room: &Self::Room<'_>) -> bool {
        room.is_some()
    }

    unsafe fn whole(store: Self::Store) -> Self::Whole {
        let all = store.into_iter().flatten().reduce(|mut sum, next| {
            add(&mut sum, &next);
            sum
        });
        all.expect("every room is full")
    }

    fn alone(self) -> Self::Whole {
        self.0
    }
}

fn add<T: Real, const N: usize>(sum: &mut Dense<T, N>, next: &Dense<T, N>) {
    assert!(sum.shape == next.shape, "tiles add to the same array");
    for (x, y) in sum.data.iter_mut().zip(&next.data) {
        *x += *y;
    }
}

/// What a tile makes.
pub trait Tile: Sized + Send {
    /// What is known of the arrays before.
    type Shapes: Copy;
    /// The arrays.
    type Wholes;

    #[doc(hidden)]
    fn made<Set: InstructionSet, Kept: Lasts>(
        shapes: (Self::Shapes, Kept::Shapes),
        tiles: &Tiling,
        f: impl for<'p> Fn(i64, i64, Kept::Places<'p>) -> Self + Shared,
    ) -> (Self::Wholes, Kept::Wholes);
}

/// How an axis is divided.
#[derive(Debug)]
pub struct Tiling {
    indices: i64,
    count: i64,
    threads: i64,
}

impl Tiling {
    fn new(indices: i64, count: i64, threads: i64) -> Tiling {
        Tiling {
            indices,
            count: count.max(1),
            threads: threads.clamp(1, count.max(1)),
        }
    }

    /// Of so many indices, for each of which so many elements are made.
    fn of(indices: i64, each: i64) -> Tiling {
        let (indices, each) = (indices.max(0), each.max(1));
        let most = match indices.saturating_mul(each) <= 2 * ELEMENTS {
            true => indices.max(1),
            false => (ELEMENTS / each).max(1),
        };
        let fitting = indices / most + i64::from(indices % most > 0);
        let threads = threads_for(indices, each);
        Tiling::new(indices, fitting.max(threads), threads)
    }

    /// The first index of a tile, or of what would be the next one.
    fn first(&self, tile: i64) -> i64 {
        // The product may be large.
        (i128::from(self.indices) * i128::from(tile) / i128::from(self.count)) as i64
    }

    /// The tiles of each thread.
    fn threads(&self) -> Vec<(i64, i64)> {
        let end = |thread: i64| self.count * thread / self.threads;
        (0..self.threads).map(|k| (end(k), end(k + 1))).collect()
    }

    /// How many indices each thread has.
    fn lengths(&self) -> Vec<usize> {
        let threads = self.threads().into_iter();
        let length = |(from, to)| (self.first(to) - self.first(from)) as usize;
        threads.map(length).collect()
    }
}

/// The arrays whose tiles are `f` of where each begins, and how many indices it has. For each index
/// so many elements are made: a tile has as many indices as leave these in a fast cache, and all
/// have about as many. There is one tile at least. Threads compute tiles at the same time, each
/// some that are neighbours.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn in_tiles<Set: InstructionSet, R: Tile>(
    indices: i64,
    each: i64,
    shapes: R::Shapes,
    f: impl Fn(i64, i64) -> R + Shared,
) -> R::Wholes {
    let tiling = Tiling::of(indices, each);
    let (arrays, ()) = R::made::<Set, ()>((shapes, ()), &tiling, |first, len, ()| f(first, len));
    arrays
}

/// The same, where tiles make some arrays where they are kept: in the places that `f` is given,
/// each of which it has to use. These arrays come second.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn in_tiles_and_places<Set: InstructionSet, R: Tile, Kept: Lasts>(
    indices: i64,
    each: i64,
    shapes: (R::Shapes, Kept::Shapes),
    f: impl for<'p> Fn(i64, i64, Kept::Places<'p>) -> R + Shared,
) -> (R::Wholes, Kept::Wholes) {
    R::made::<Set, Kept>(shapes, &Tiling::of(indices, each), f)
}

/// The same with a tile for each thread that there is enough work for: so many operations for each
/// index.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn in_shares<Set: InstructionSet, R: Tile>(
    indices: i64,
    work: i64,
    shapes: R::Shapes,
    f: impl Fn(i64, i64) -> R + Shared,
) -> R::Wholes {
    let indices = indices.max(0);
    let threads = threads_for(indices, work);
    let tiling = Tiling::new(indices, threads, threads);
    let (arrays, ()) = R::made::<Set, ()>((shapes, ()), &tiling, |first, len, ()| f(first, len));
    arrays
}

/// How many threads so many indices are worth.
fn threads_for(indices: i64, work: i64) -> i64 {
    let threads = threads::count() as i64;
    (indices.saturating_mul(work.max(1)) / WORK).clamp(1, threads.min(indices).max(1))
}

macro_rules! tile {
    ($($P:ident $p:ident)*) => {
        impl<$($P: Piece),*> Tile for ($($P,)*) where $($P::Shape: Copy),* {
            type Shapes = ($($P::Shape,)*);
            type Wholes = ($($P::Whole,)*);

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn made<Set: InstructionSet, Kept: Lasts>(
                (($($p,)*), kept): (Self::Shapes, Kept::Shapes),
                tiling: &Tiling,
                f: impl for<'p> Fn(i64, i64, Kept::Places<'p>) -> Self + Shared,
            ) -> (Self::Wholes, Kept::Wholes) {
                // `f` is called at one place, so that it is inlined into what is compiled for the
                // instruction set.
                let tile = |k: i64, places: &mut Kept::Rooms<'_>| {
                    let (first, len) = (tiling.first(k), tiling.first(k + 1) - tiling.first(k));
                    Kept::make(places, len as usize, |places| Set::within(|| f(first, len, places)))
                };
                let lengths = tiling.lengths();
                let mut kept = Kept::stores(kept);
                if tiling.count == 1 {
                    let mut places = Kept::rooms(&mut kept, &lengths);
                    let ($($p,)*) = tile(0, &mut places[0]);
                    assert!(Kept::are_full(&places[0]), "all tiles are put");
                    drop(places);
                    // SAFETY: the only room is full.
                    return (($($p.alone(),)*), unsafe { Kept::wholes(kept) });
                }
                let ranges = tiling.threads();
                $(let mut $p = $P::store($p, ranges.len());)*
                {
                    $(let mut $p = $P::rooms(&mut $p, &lengths).into_iter();)*
                    let places = Kept::rooms(&mut kept, &lengths);
                    let rooms = ranges.into_iter().zip(places).map(|(range, places)| {
                        (range, places, ($($p.next().expect("a room for each thread"),)*))
                    });
                    let rooms: Vec<_> = rooms.collect();
                    threads::each(rooms, |((from, to), mut places, ($(mut $p,)*))| {
                        #[allow(non_snake_case, reason = "the pieces have the names of their types")]
                        for k in from..to {
                            let ($($P,)*) = tile(k, &mut places);
                            $($P.put(&mut $p);)*
                        }
                        let are_full = Kept::are_full(&places) $(&& $P::is_full(&$p))*;
                        assert!(are_full, "all tiles are put");
                    });
                }
                // SAFETY: the rooms of every thread were full at its end.
                (($(unsafe { $P::whole($p) },)*), unsafe { Kept::wholes(kept) })
            }
        }
    };
}

/// Implements the trait for all beginnings of a list, the empty one included.
macro_rules! beginnings {
    ([$($before:tt)*] $P:ident $p:ident $($rest:tt)*) => {
        tile!($($before)*);
        beginnings!([$($before)* $P $p] $($rest)*);
    };
    ([$($before:tt)*]) => { tile!($($before)*); };
}

beginnings!([] A a B b C c D d E e G g H h I i J j K l L m M n N o O q P r Q s S t T u U v V w);

#[cfg(test)]
mod tests {
    use super::super::dispatch::Baseline;
    use super::super::{build, zeros};
    use super::*;

    #[test]
    fn tiles_cover_an_axis() {
        for (indices, count, threads) in
            [(0, 1, 1), (1, 1, 1), (5, 3, 2), (1000, 143, 4), (7, 7, 9)]
        {
            let tiling = Tiling::new(indices, count, threads);
            assert_eq!((tiling.first(0), tiling.first(count)), (0, indices));
            let lens: Vec<i64> = (0..count)
                .map(|k| tiling.first(k + 1) - tiling.first(k))
                .collect();
            assert!(lens.iter().max().unwrap() <= &(lens.iter().min().unwrap() + 1));
            let ranges = tiling.threads();
            assert_eq!(ranges[0].0, 0);
            assert_eq!(ranges.last().unwrap().1, count);
            assert!(
                ranges
                    .windows(2)
                    .all(|w| w[0].1 == w[1].0 && w[0].0 < w[0].1)
            );
            assert_eq!(tiling.lengths().iter().sum::<usize>(), indices as usize);
        }
    }

    /// The rows of an array and the sum of its columns, by so many tiles and threads.
    fn computed(tiling: &Tiling) -> (Dense<i64, 2>, Dense<f64, 1>) {
        let shapes = ([tiling.indices, 2], ());
        let make = |first, len, ()| {
            let mut sums = zeros([2]);
            let rows = build([len, 2], |[i, j]| 2 * (first + i) + j);
            for i in 0..len {
                for j in 0..2 {
                    sums[[j]] += rows[[i, j]] as f64;
                }
            }
            (rows, Added(sums))
        };
        type Two = (Dense<i64, 2>, Added<f64, 1>);
        Two::made::<Baseline, ()>((shapes, ()), tiling, make).0
    }

    #[test]
    fn tiles_are_put_together() {
        for indices in [0, 1, 2, 7] {
            for count in 1..=indices.max(1) {
                for threads in 1..=count {
                    let (rows, sums) = computed(&Tiling::new(indices, count, threads));
                    assert_eq!((rows.len(0), rows.len(1)), (indices, 2));
                    let all = rows.into_array().into_raw_vec_and_offset().0;
                    assert!(all.into_iter().eq(0..2 * indices));
                    let sum = (indices * (indices - 1)) as f64;
                    assert_eq!(sums.into_vec(), [sum, sum + indices as f64]);
                }
            }
        }
    }

    #[test]
    fn small_programs_are_one_tile() {
        let (count,) = in_tiles::<Baseline, _>(10, 100, ([10],), |first, len| {
            (build([len], move |[i]| (first + i, len)),)
        });
        assert_eq!(count[[9]], (9, 10));
        let (count,) = in_tiles::<Baseline, _>(10, ELEMENTS, ([10],), |first, len| {
            (build([len], move |[i]| (first + i, len)),)
        });
        assert_eq!(count[[9]], (9, 1));
    }

    #[test]
    #[should_panic(expected = "all tiles")]
    fn a_tile_of_another_length_is_noticed() {
        let tiling = Tiling::new(4, 2, 1);
        type One = (Dense<i64, 1>,);
        let _ = One::made::<Baseline, ()>((([4],), ()), &tiling, |_, _, ()| (build([1], |[i]| i),));
    }
}
