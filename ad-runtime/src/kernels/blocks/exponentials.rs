//! Sums of exponentials, one for each index of a block.

use super::{Block, Stretch};
use crate::Real;

/// Sums of exponentials relative to numbers of which each is the largest that its sum will have.
#[derive(Debug)]
pub struct Exponentials<'a, T> {
    largest: &'a mut Block<T>,
    total: &'a mut Block<T>,
}

impl<T: Real> Block<T> {
    /// Sums of no exponentials yet, of what is at most these numbers, in a block that is made zero.
    /// What is infinite does not count: differences from it mean nothing.
    #[inline(always)]
    #[must_use]
    pub fn exponentials<'a>(
        &'a mut self,
        js: Stretch,
        total: &'a mut Block<T>,
    ) -> Exponentials<'a, T> {
        for value in self.values(js) {
            *value = match value.is_infinite() {
                true => T::nought(),
                false => *value,
            };
        }
        total.begin(js, T::nought());
        Exponentials {
            largest: self,
            total,
        }
    }
}

impl<T: Real> Exponentials<'_, T> {
    /// Adds the exponential of `f` of its index to each.
    #[inline(always)]
    pub fn add(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        let largest = self.largest.row(js);
        self.total.add(js, |j| T::weight_of(f(j) - largest[j]));
    }

    /// Makes each sum its logarithm: −∞ of nothing, NaN where there was one, and ∞ where that was
    /// the largest.
    #[inline(always)]
    pub fn logarithms(self, js: Stretch) {
        let largest = self.largest.row(js);
        let op = |total: T, largest: T| largest + T::ln_of(total);
        self.total.fold(js, op, |j| largest[j]);
    }
}

#[cfg(test)]
mod tests {
    use crate::kernels::{Block, build_blocks, for_each, logsumexp, stretch};

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
                let mut largest = Block::new();
                largest.begin(js, f64::NEG_INFINITY);
                for_each(0..terms, |i| largest.raise(js, |j| value(i, j)));
                let mut total = Block::new();
                let mut exponentials = largest.exponentials(js, &mut total);
                for_each(0..terms, |i| exponentials.add(js, |j| value(i, j)));
                exponentials.logarithms(js);
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
