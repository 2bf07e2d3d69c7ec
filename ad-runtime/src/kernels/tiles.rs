//! Sequential loops by tiles: all steps for some neighbouring elements, before those for the next.

use super::Dense;
use super::blocks::{Row, Stretch};
use super::loops::Span;
use std::ops::Range;

/// How many elements are in a tile at most. Some arrays of them are in the fastest cache together.
const TILE: usize = 512;

/// The tiles of an axis. There is one, even if it is empty.
#[inline(always)]
pub fn tiles(length: i64) -> impl Iterator<Item = Stretch> {
    let length = length.max(0) as usize;
    let count = length.div_ceil(TILE).max(1);
    (0..count).map(move |k| {
        let (_, rest) = Stretch::all(length).cut((k * TILE) as i64);
        rest.before(((k + 1) * TILE) as i64)
    })
}

/// The elements of an array in a tile, which change.
#[derive(Debug)]
pub struct TilePart<'a, T> {
    data: &'a mut [T],
    js: Stretch,
}

impl<T> Dense<T, 1> {
    /// The elements in a tile.
    ///
    /// # Panics
    ///
    /// Panics if they are not all there.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn part(&mut self, js: Stretch) -> TilePart<'_, T> {
        let from = js.first() as usize;
        let data = &mut self.data[from..from + js.length()];
        TilePart { data, js }
    }
}

impl<T> TilePart<'_, T> {
    /// These elements, for reading.
    ///
    /// # Panics
    ///
    /// Panics if it is another tile.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row(&self, js: Stretch) -> Row<'_, T> {
        assert!(js.first() == self.js.first() && js.length() == self.data.len());
        Row::new(self.data, js)
    }

    /// The elements for some of its indices.
    #[inline(always)]
    #[track_caller]
    pub(super) fn of(&self, js: Stretch) -> &[T] {
        &self.data[self.place(js)]
    }

    /// The same, to be changed.
    #[inline(always)]
    #[track_caller]
    pub(super) fn of_mut(&mut self, js: Stretch) -> &mut [T] {
        let place = self.place(js);
        &mut self.data[place]
    }

    /// Where they are; outside, if they are not here.
    #[inline(always)]
    fn place(&self, js: Stretch) -> Range<usize> {
        let Range { start, end } = js.span();
        let first = self.js.span().start;
        start.wrapping_sub(first)..end.wrapping_sub(first)
    }
}

/// Elements of several arrays.
pub trait Parts {
    /// One of each.
    type Values;

    #[doc(hidden)]
    fn replace(self, f: impl Fn(i64, Self::Values) -> Self::Values);
}

/// Makes the elements at each index `f` of the index and of what they were.
///
/// # Panics
///
/// Panics if the parts are not those of one tile.
#[inline(always)]
#[track_caller]
pub fn replace_parts<P: Parts>(parts: P, f: impl Fn(i64, P::Values) -> P::Values) {
    parts.replace(f);
}

macro_rules! parts {
    ($($T:ident $x:ident)*) => {
        impl<$($T: Copy),*> Parts for ($(&mut TilePart<'_, $T>,)*) {
            type Values = ($($T,)*);

            #[inline(always)]
            #[allow(non_snake_case, clippy::many_single_char_names)]
            fn replace(self, f: impl Fn(i64, Self::Values) -> Self::Values) {
                /// A function of its own, as for [`super::Sums`].
                #[inline]
                #[allow(non_snake_case, clippy::too_many_arguments)]
                fn all<$($T: Copy),*>(
                    js: Stretch,
                    f: &impl Fn(i64, ($($T,)*)) -> ($($T,)*),
                    $($x: &mut [$T],)*
                ) {
                    let (first, length) = (js.first(), js.length());
                    $(assert!($x.len() == length, "parts of one tile");)*
                    for j in 0..length {
                        // SAFETY: each slice has `length` elements.
                        let old = unsafe { ($(*$x.get_unchecked(j),)*) };
                        let ($($T,)*) = f(first + j as i64, old);
                        // SAFETY: as above.
                        unsafe { $(*$x.get_unchecked_mut(j) = $T;)* }
                    }
                }

                let ($($x,)*) = self;
                let js = parts!(@first $($x)*).js;
                all(js, &f, $(&mut *$x.data),*);
            }
        }
    };
    (@first $x:ident $($rest:ident)*) => { $x };
}

parts!(A a);
parts!(A a B b);
parts!(A a B b C c);
parts!(A a B b C c D d);
parts!(A a B b C c D d E e);
parts!(A a B b C c D d E e F g);
parts!(A a B b C c D d E e F g G h);
parts!(A a B b C c D d E e F g G h H i);

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    #[test]
    fn tiles_cover_an_axis() {
        for n in [0, 1, 511, 512, 513, 1024, 2000] {
            let mut next = 0;
            let mut count = 0;
            for js in tiles(n) {
                assert_eq!(js.first(), next);
                next += js.length() as i64;
                count += 1;
            }
            assert_eq!(next, n);
            assert_eq!(count, (n as usize).div_ceil(512).max(1));
        }
        assert!(tiles(-1).all(Stretch::is_empty));
    }

    #[test]
    fn elements_are_replaced_together() {
        let n = 1100;
        let mut a = build([n], |[i]| i as f64);
        let mut b = build([n], |[i]| -(i as f64));
        for js in tiles(n) {
            let (mut a, mut b) = (a.part(js), b.part(js));
            for _ in 0..3 {
                replace_parts((&mut a, &mut b), |i, (a, b)| (b, a + i as f64));
            }
            let row = a.row(js);
            let last = js.last();
            assert_eq!(row[last], last as f64 * 0.0);
        }
        for i in [0, 1, 511, 512, 1099] {
            let x = i as f64;
            // (x, -x), (-x, 2 x), (2 x, 0), (0, 3 x)
            assert_eq!((a[[i]], b[[i]]), (0.0, 3.0 * x));
        }
    }

    #[test]
    #[should_panic]
    fn another_tile_is_refused() {
        let mut a = build([600], |[i]| i as f64);
        let all: Vec<Stretch> = tiles(600).collect();
        let part = a.part(all[0]);
        let _ = part.row(all[1]);
    }
}
