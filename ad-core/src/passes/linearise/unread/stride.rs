//! Places in flat lists: `i n + j` with j between 0 and n.
//!
//! Two such places are the same only if both parts are:
//!
//! ```text
//! n q + r = 0  where -n < r < n    =    q = 0 and r = 0
//! ```
//!
//! A stride is what an unknown is multiplied by.

use super::system::System;
use crate::ir::ty::{Atom, Size};

/// So often parts are taken apart.
const MOST_PARTS: usize = 4;

/// What is 0 where a difference is, among relations that hold. Unknowns are values from a first one
/// on.
pub(super) fn parts(difference: &Size, known: &System, first: u32) -> Vec<Size> {
    let mut open = vec![difference.clone()];
    let mut parts = vec![];
    while let Some(d) = open.pop() {
        let found = (parts.len() + open.len() < MOST_PARTS).then(|| apart(&d, known, first));
        match found.flatten() {
            Some(both) => open.extend(both),
            None => parts.push(d),
        }
    }
    parts
}

/// Quotient and remainder by the first stride that allows it.
fn apart(d: &Size, known: &System, first: u32) -> Option<[Size; 2]> {
    strides(d, first).into_iter().find_map(|n| {
        let (q, r) = d.divided_by(&n);
        if q.is(0) {
            return None;
        }
        let is_less = |r: &Size| {
            let mut beyond = known.clone();
            beyond.at_least_zero(&r.sub(&n));
            beyond.excludes()
        };
        (is_less(&r) && is_less(&r.neg())).then_some([q, r])
    })
}

/// What the unknowns are multiplied by, as far as that is no number.
fn strides(d: &Size, first: u32) -> Vec<Size> {
    let is_unknown = |a: &Atom| matches!(a, Atom::Value(v) if *v >= first);
    let mut all: Vec<(Atom, Size)> = vec![];
    for (factors, c) in d.terms() {
        let Some(at) = factors.iter().position(is_unknown) else {
            continue;
        };
        let mut rest = factors.to_vec();
        let unknown = rest.remove(at);
        if rest.iter().any(is_unknown) {
            continue;
        }
        let by = product(&rest, c);
        match all.iter_mut().find(|(u, _)| *u == unknown) {
            Some((_, sum)) => *sum = sum.add(&by),
            None => all.push((unknown, by)),
        }
    }
    let mut strides: Vec<Size> = vec![];
    for (_, n) in all {
        // Of either sign; that which begins with a negative coefficient is turned.
        let negative = n.terms().last().is_some_and(|(_, c)| c < 0);
        let n = if negative { n.neg() } else { n };
        if n.as_lit().is_none() && !strides.contains(&n) {
            strides.push(n);
        }
    }
    strides
}

fn product(factors: &[Atom], by: i64) -> Size {
    let of = factors.iter().map(|a| Size::atom(a.clone()));
    of.fold(Size::lit(by), |all, a| all.mul(&a))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: u32 = 100;

    fn unknown(k: u32) -> Size {
        Size::atom(Atom::Value(FIRST + k))
    }

    /// Rows i and k of a list with rows of `n + more`, at j and l below n.
    fn rows(more: i64) -> (Size, System) {
        let n = Size::dim(0, 0);
        let [i, j, k, l] = [0, 1, 2, 3].map(unknown);
        let mut known = System::default();
        for x in [&i, &j, &k, &l] {
            known.at_least_zero(x);
            known.at_least_zero(&n.sub(x).plus(-1));
        }
        let stride = n.plus(more);
        let place = |row: &Size, at: &Size| stride.mul(row).add(at);
        (place(&i, &j).sub(&place(&k, &l)), known)
    }

    #[test]
    fn rows_are_apart() {
        for more in [0, 1] {
            let (difference, known) = rows(more);
            let parts = parts(&difference, &known, FIRST);
            assert_eq!(parts.len(), 2, "{parts:?}");
            assert!(parts.contains(&unknown(0).sub(&unknown(2))), "{parts:?}");
            assert!(parts.contains(&unknown(1).sub(&unknown(3))), "{parts:?}");
        }
    }

    #[test]
    fn rows_that_overlap_are_not() {
        let (difference, known) = rows(-1);
        assert_eq!(parts(&difference, &known, FIRST), [difference]);
    }
}
