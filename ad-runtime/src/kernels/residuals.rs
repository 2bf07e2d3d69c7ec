//! What a linearised function keeps for its linear programs.

use super::{Dense, Small, View};

/// Arrays and numbers, in an order that the generated code knows.
#[derive(Clone, Debug, Default)]
pub struct Residuals<T> {
    all: Vec<Residual<T>>,
}

#[derive(Clone, Debug)]
enum Residual<T> {
    Reals(Vec<T>, Vec<usize>),
    Integers(Vec<i64>, Vec<usize>),
    Bools(Vec<bool>, Vec<usize>),
    /// The lengths of an array whose elements are not needed.
    Lengths(Vec<()>, Vec<usize>),
}

/// An array that can be kept: elements by rows, and lengths.
pub trait Keep<T> {
    /// The elements and the lengths.
    fn parts(self) -> (Vec<T>, Vec<usize>);
}

impl<T: Clone, const N: usize> Keep<T> for View<'_, T, N> {
    fn parts(self) -> (Vec<T>, Vec<usize>) {
        (self.data.to_vec(), self.shape.to_vec())
    }
}

impl<T, const N: usize> Keep<T> for Dense<T, N> {
    fn parts(mut self) -> (Vec<T>, Vec<usize>) {
        (std::mem::take(&mut self.data), self.shape.to_vec())
    }
}

impl<T: Clone, const N: usize, const LEN: usize> Keep<T> for Small<T, N, LEN> {
    fn parts(self) -> (Vec<T>, Vec<usize>) {
        self.view().parts()
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn other() -> ! {
    panic!("a residual is of another kind")
}

impl<T> Residuals<T> {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Residuals { all: vec![] }
    }

    /// Also a real array.
    #[must_use]
    pub fn with_reals(mut self, x: impl Keep<T>) -> Self {
        let (data, shape) = x.parts();
        self.all.push(Residual::Reals(data, shape));
        self
    }

    /// Also an array of integers.
    #[must_use]
    pub fn with_integers(mut self, x: impl Keep<i64>) -> Self {
        let (data, shape) = x.parts();
        self.all.push(Residual::Integers(data, shape));
        self
    }

    /// Also an array of integers of another type.
    #[must_use]
    pub fn with_cast<I>(mut self, x: impl Keep<I>, cast: impl FnMut(I) -> i64) -> Self {
        let (data, shape) = x.parts();
        let data = data.into_iter().map(cast).collect();
        self.all.push(Residual::Integers(data, shape));
        self
    }

    /// Also an array of bools.
    #[must_use]
    pub fn with_bools(mut self, x: impl Keep<bool>) -> Self {
        let (data, shape) = x.parts();
        self.all.push(Residual::Bools(data, shape));
        self
    }

    /// Also a number.
    #[must_use]
    pub fn with_real(mut self, x: T) -> Self {
        self.all.push(Residual::Reals(vec![x], vec![]));
        self
    }

    /// Also an integer.
    #[must_use]
    pub fn with_integer(mut self, x: i64) -> Self {
        self.all.push(Residual::Integers(vec![x], vec![]));
        self
    }

    /// Also a bool.
    #[must_use]
    pub fn with_bool(mut self, x: bool) -> Self {
        self.all.push(Residual::Bools(vec![x], vec![]));
        self
    }

    /// Also the lengths of an array.
    #[must_use]
    pub fn with_lengths<U, const N: usize>(mut self, x: View<'_, U, N>) -> Self {
        let data = vec![(); x.data.len()];
        self.all.push(Residual::Lengths(data, x.shape.to_vec()));
        self
    }

    /// A real array.
    #[must_use]
    #[track_caller]
    pub fn reals<const N: usize>(&self, k: usize, name: &'static str) -> View<'_, T, N> {
        match &self.all[k] {
            Residual::Reals(data, shape) => view(data, shape, name),
            Residual::Integers(..) | Residual::Bools(..) | Residual::Lengths(..) => other(),
        }
    }

    /// An array of integers.
    #[must_use]
    #[track_caller]
    pub fn integers<const N: usize>(&self, k: usize, name: &'static str) -> View<'_, i64, N> {
        match &self.all[k] {
            Residual::Integers(data, shape) => view(data, shape, name),
            Residual::Reals(..) | Residual::Bools(..) | Residual::Lengths(..) => other(),
        }
    }

    /// An array of bools.
    #[must_use]
    #[track_caller]
    pub fn bools<const N: usize>(&self, k: usize, name: &'static str) -> View<'_, bool, N> {
        match &self.all[k] {
            Residual::Bools(data, shape) => view(data, shape, name),
            Residual::Reals(..) | Residual::Integers(..) | Residual::Lengths(..) => other(),
        }
    }

    /// An array that has nothing but lengths.
    #[must_use]
    #[track_caller]
    pub fn lengths<const N: usize>(&self, k: usize, name: &'static str) -> View<'_, (), N> {
        match &self.all[k] {
            Residual::Lengths(data, shape) => view(data, shape, name),
            Residual::Reals(..) | Residual::Integers(..) | Residual::Bools(..) => other(),
        }
    }

    /// A number.
    #[must_use]
    #[track_caller]
    pub fn real(&self, k: usize) -> T
    where
        T: Copy,
    {
        self.reals::<0>(k, "residual").data[0]
    }

    /// An integer.
    #[must_use]
    #[track_caller]
    pub fn integer(&self, k: usize) -> i64 {
        self.integers::<0>(k, "residual").data[0]
    }

    /// A bool.
    #[must_use]
    #[track_caller]
    pub fn bool(&self, k: usize) -> bool {
        self.bools::<0>(k, "residual").data[0]
    }
}

/// An array of these elements, as many as the lengths say.
#[track_caller]
fn view<'a, T, const N: usize>(
    data: &'a [T],
    shape: &[usize],
    name: &'static str,
) -> View<'a, T, N> {
    let Ok(shape) = <[usize; N]>::try_from(shape) else {
        other()
    };
    View { data, shape, name }
}

#[cfg(test)]
mod tests {
    use super::super::{build, build_small};
    use super::*;

    #[test]
    fn residuals_come_back() {
        let x = build([2, 3], |[i, j]| (3 * i + j) as f64);
        let kept = Residuals::new()
            .with_reals(x.view())
            .with_lengths(x.view())
            .with_reals(x)
            .with_integers(build_small::<2, _, 1>([2], |[i]| 5 * i))
            .with_cast(super::super::slice("k", &[7_usize]), |k| k as i64)
            .with_bools(build([0], |_| true))
            .with_real(0.5)
            .with_integer(-4)
            .with_bool(true);
        for k in [0, 2] {
            let x = kept.reals::<2>(k, "x");
            assert_eq!((x.len(0), x.len(1), x[[1, 2]]), (2, 3, 5.0));
        }
        let lengths = kept.lengths::<2>(1, "x");
        assert_eq!((lengths.len(0), lengths.len(1)), (2, 3));
        assert_eq!(kept.integers::<1>(3, "i")[[1]], 5);
        assert_eq!(kept.integers::<1>(4, "k")[[0]], 7);
        assert_eq!(kept.bools::<1>(5, "b").len(0), 0);
        assert_eq!(
            (kept.real(6), kept.integer(7), kept.bool(8)),
            (0.5, -4, true)
        );
    }

    #[test]
    #[should_panic(expected = "a residual is of another kind")]
    fn kinds_are_checked() {
        let _ = Residuals::<f64>::new().with_bool(true).real(0);
    }
}
