//! Sums of exponentials, one for each index of a block.

use super::{Block, Stretch};
use crate::Real;

/// Sums of exponentials relative to numbers of which each is the largest that its sum will have.
#[derive(Debug)]
pub struct Exponentials<T> {
    largest: Block<T>,
    total: Block<T>,
}

impl<T: Real> Block<T> {
    /// Sums of no exponentials yet, of what is at most these numbers. What is infinite does not
    /// count: differences from it mean nothing.
    #[inline(always)]
    #[must_use]
    pub fn exponentials(mut self, js: Stretch) -> Exponentials<T> {
        for value in self.values(js) {
            *value = match value.is_infinite() {
                true => T::nought(),
                false => *value,
            };
        }
        let total = super::block(js, T::nought());
        let largest = self;
        Exponentials { largest, total }
    }
}

impl<T: Real> Exponentials<T> {
    /// Adds the exponential of `f` of its index to each.
    #[inline(always)]
    pub fn add(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        let largest = self.largest.row(js);
        self.total.add(js, |j| T::weight_of(f(j) - largest[j]));
    }

    /// The logarithms of the sums: −∞ of nothing, NaN where there was one, and ∞ where that was the
    /// largest.
    #[inline(always)]
    #[must_use]
    pub fn logarithm(mut self, js: Stretch) -> Block<T> {
        let largest = self.largest.row(js);
        let op = |total: T, largest: T| largest + T::ln_of(total);
        self.total.fold(js, op, |j| largest[j]);
        self.total
    }
}

#[cfg(test)]
mod tests {
    use crate::kernels::{block, build_blocks, for_each, logsumexp, stretch};

    #[test]
    fn logarithms_of_sums_of_exponentials() {
        let inf = f64::INFINITY;
        let special = [
            vec![1.0, f64::NAN, 2.0],
            vec![inf, f64::NAN, 2.0],
            vec![-inf, f64::NAN, -inf],
            vec![inf, 1.0, inf],
            vec![inf, -inf, 3.0],
            vec![-inf, -inf, -inf],
            vec![-inf, 0.0, -inf],
            vec![1e300, -1e300, 1e300],
            vec![-745.0, -800.0, -1e5],
            vec![700.0, 710.0, 720.0],
        ];
        let value = |i: i64, j: i64| match special.get(j as usize) {
            Some(row) => row[i as usize],
            None => ((i * 37 + j * 11) % 23) as f64,
        };
        for terms in [3, 0] {
            let made = build_blocks([300], |_, js, out| {
                let mut largest = block(js, f64::NEG_INFINITY);
                for_each(0..terms, |i| largest.raise(js, |j| value(i, j)));
                let mut total = largest.exponentials(js);
                for_each(0..terms, |i| total.add(js, |j| value(i, j)));
                let mut total = total.logarithm(js);
                let total = total.row(js);
                out.set(js, |j| total[j]);
            });
            for (j, &got) in made.view().data.iter().enumerate() {
                let wanted = logsumexp(terms, |i| value(i, j as i64));
                let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
                assert!(
                    same || (got - wanted).abs() <= 1e-15 * wanted.abs(),
                    "{j}: {got} {wanted}"
                );
            }
        }
        assert!(stretch(0).is_empty());
    }
}
