//! Affine integers: what an index map or an integer array says of a position.

use crate::ir::build::without;
use crate::ir::ty::Size;

/// An integer affine in the axes of some index space: `constant + Σ coefs[k] · axis k`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// One coefficient per axis of the index space.
    pub coefs: Vec<Size>,
    /// What is added.
    pub constant: Size,
}

impl Affine {
    /// The same where it does not depend on some axes, in a space without these.
    #[must_use]
    pub fn without(&self, axes: &[usize]) -> Affine {
        Affine {
            coefs: without(&self.coefs, axes),
            constant: self.constant.clone(),
        }
    }

    /// The same everywhere.
    pub fn constant(rank: usize, constant: Size) -> Affine {
        Affine {
            coefs: vec![Size::lit(0); rank],
            constant,
        }
    }

    /// The index along one axis.
    pub fn axis(rank: usize, axis: usize) -> Affine {
        let mut a = Affine::constant(rank, Size::lit(0));
        a.coefs[axis] = Size::lit(1);
        a
    }

    /// The axis, if this is the index along one and nothing else.
    pub fn as_axis(&self) -> Option<usize> {
        let (k, c) = self.single()?;
        (c.is(1) && self.constant.is(0)).then_some(k)
    }

    /// The only axis that occurs, with its coefficient.
    pub fn single(&self) -> Option<(usize, &Size)> {
        let mut used = self.coefs.iter().enumerate().filter(|(_, c)| !c.is(0));
        let first = used.next()?;
        used.next().is_none().then_some(first)
    }

    /// Whether no axis occurs.
    pub fn is_constant(&self) -> bool {
        self.coefs.iter().all(|c| c.is(0))
    }

    /// `self + k · other`
    pub fn add_scaled(&self, other: &Affine, k: &Size) -> Affine {
        Affine {
            coefs: (self.coefs.iter().zip(&other.coefs))
                .map(|(a, b)| a.add(&b.mul(k)))
                .collect(),
            constant: self.constant.add(&other.constant.mul(k)),
        }
    }

    /// The least and the greatest value over a non-empty index space, if the signs of the
    /// coefficients are known.
    pub fn range(&self, axes: &[Size]) -> Option<(Size, Size)> {
        let used = self.used(axes);
        let (mut low, mut high) = (self.constant.clone(), self.constant.clone());
        for (c, n) in self.coefs.iter().zip(axes) {
            let reach = c.mul(&n.plus(-1));
            if c.at_least_given(0, &used) {
                high = high.add(&reach);
            } else if c.neg().at_least_given(0, &used) {
                low = low.add(&reach);
            } else {
                return None;
            }
        }
        Some((low, high))
    }

    /// The lengths of the axes that it depends on. Without elements along these there is no value.
    /// Other axes may be left out of the index space later.
    pub fn used(&self, axes: &[Size]) -> Vec<Size> {
        let used = self.coefs.iter().zip(axes).filter(|(c, _)| !c.is(0));
        used.map(|(_, n)| n.clone()).collect()
    }

    /// Whether every value over the index space is known to be in `0..n`.
    pub fn inside(&self, axes: &[Size], n: &Size) -> bool {
        let used = self.used(axes);
        self.range(axes).is_some_and(|(low, high)| {
            low.at_least_given(0, &used) && n.sub(&high).at_least_given(1, &used)
        })
    }

    /// The map `inner` followed by this one: axis k is replaced by `inner[k]`, over an index space
    /// of the given rank.
    pub fn compose(&self, inner: &[Affine], rank: usize) -> Affine {
        let mut out = Affine::constant(rank, self.constant.clone());
        for (c, a) in self.coefs.iter().zip(inner) {
            out = out.add_scaled(a, c);
        }
        out
    }
}
