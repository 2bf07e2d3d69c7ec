//! Whether linear relations between integers exclude each other.
//!
//! The relations are polynomials of sizes; a product of unknowns counts as an unknown of its own.
//! Equations are solved where a coefficient is 1 or -1, and the unknowns that remain are removed
//! one by one (Fourier and Motzkin's elimination, with constants rounded as integers allow). What
//! takes too many relations is not decided.

use crate::ir::ty::{Atom, Size};
use std::collections::{BTreeMap, BTreeSet};

/// So many relations, and elimination ends undecided.
const MOST: usize = 256;

/// Relations that hold together.
#[derive(Clone, Default)]
pub(super) struct System {
    /// These are 0.
    zero: Vec<Row>,
    /// These are at least 0.
    at_least_zero: BTreeSet<Row>,
}

/// A product of unknowns.
type Unknown = Vec<Atom>;

/// A constant plus unknowns with coefficients, none of which is 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    constant: i128,
    terms: BTreeMap<Unknown, i128>,
}

impl Row {
    fn of(s: &Size) -> Row {
        let terms = s.terms().filter(|(unknown, _)| !unknown.is_empty());
        Row {
            constant: i128::from(s.constant()),
            terms: terms.map(|(u, c)| (u.to_vec(), i128::from(c))).collect(),
        }
    }

    /// `by · self + other_by · other`, unless a coefficient gets too large.
    fn combined(&self, by: i128, other: &Row, other_by: i128) -> Option<Row> {
        let mut terms = BTreeMap::new();
        for (row, by) in [(self, by), (other, other_by)] {
            for (u, c) in &row.terms {
                let sum = terms.entry(u.clone()).or_insert(0i128);
                *sum = sum.checked_add(c.checked_mul(by)?)?;
            }
        }
        terms.retain(|_, c| *c != 0);
        let constant =
            (self.constant.checked_mul(by)?).checked_add(other.constant.checked_mul(other_by)?)?;
        Some(Row { constant, terms })
    }

    /// The greatest common divisor of the coefficients; 0 for a constant.
    fn divisor(&self) -> i128 {
        self.terms.values().fold(0, |d, c| gcd(d, c.abs()))
    }

    /// The same relation `>= 0` between integers with smaller coefficients.
    fn tightened(mut self) -> Row {
        let d = self.divisor();
        if d > 1 {
            self.constant = self.constant.div_euclid(d);
            self.terms.values_mut().for_each(|c| *c /= d);
        }
        self
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl System {
    /// Adds `s = 0`.
    pub(super) fn zero(&mut self, s: &Size) {
        self.zero.push(Row::of(s));
    }

    /// Adds `s >= 0`.
    pub(super) fn at_least_zero(&mut self, s: &Size) {
        self.at_least_zero.insert(Row::of(s).tightened());
    }

    /// Whether no integers satisfy the relations. `false` where that is not decided.
    pub(super) fn excludes(mut self) -> bool {
        self.solve().unwrap_or(true) || self.eliminate().unwrap_or(false)
    }

    /// Uses up the equations. `None` where one cannot hold, `Some(true)` where that is known.
    fn solve(&mut self) -> Option<bool> {
        while let Some(row) = self.zero.pop() {
            let d = row.divisor();
            let holds = if d == 0 {
                row.constant == 0
            } else {
                row.constant % d == 0
            };
            if !holds {
                return Some(true);
            }
            let unit = row.terms.iter().find(|(_, c)| c.abs() == d);
            let Some((unknown, &c)) = unit else {
                let opposite = row.combined(-1, &Row::of(&Size::lit(0)), 0)?;
                self.at_least_zero
                    .extend([row.tightened(), opposite.tightened()]);
                continue;
            };
            let without = |other: &Row| {
                let by = other.terms.get(unknown).copied().unwrap_or(0);
                // The unknown's coefficient divides all of the row.
                other.combined(c.abs(), &row, -by * c.signum())
            };
            self.zero = self.zero.iter().map(without).collect::<Option<_>>()?;
            let rows = self.at_least_zero.iter().map(without);
            self.at_least_zero = rows.map(|r| Some(r?.tightened())).collect::<Option<_>>()?;
        }
        Some(false)
    }

    /// Removes all unknowns. `None` where that takes too much.
    fn eliminate(&mut self) -> Option<bool> {
        loop {
            let rows = &self.at_least_zero;
            if rows.iter().any(|r| r.terms.is_empty() && r.constant < 0) {
                return Some(true);
            }
            let unknowns: BTreeSet<&Unknown> = rows.iter().flat_map(|r| r.terms.keys()).collect();
            let work = |u: &Unknown| {
                let (below, above) = self.bounds(u);
                below.len() * above.len()
            };
            let Some(unknown) = unknowns.into_iter().min_by_key(|u| work(u)).cloned() else {
                return Some(false);
            };
            let (below, above) = self.bounds(&unknown);
            if below.len() * above.len() > MOST {
                return None;
            }
            let mut left: BTreeSet<Row> = (rows.iter())
                .filter(|r| !r.terms.contains_key(&unknown) && !r.terms.is_empty())
                .cloned()
                .collect();
            for low in &below {
                for high in &above {
                    let (a, b) = (low.terms[&unknown], high.terms[&unknown]);
                    left.insert(low.combined(-b, high, a)?.tightened());
                }
            }
            if left.len() > MOST {
                return None;
            }
            self.at_least_zero = left;
        }
    }

    /// The relations that bound an unknown from below, and from above.
    fn bounds(&self, unknown: &Unknown) -> (Vec<&Row>, Vec<&Row>) {
        let bounds = |r: &&Row| r.terms.contains_key(unknown);
        (self.at_least_zero.iter().filter(bounds)).partition(|r| r.terms[unknown] > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(k: u32) -> Size {
        Size::atom(Atom::Value(k))
    }

    /// `0 <= x < n`
    fn within(system: &mut System, x: &Size, n: &Size) {
        system.at_least_zero(x);
        system.at_least_zero(&n.sub(x).plus(-1));
    }

    #[test]
    fn what_lies_below_the_diagonal_is_not_on_it() {
        let (k, i, n) = (unknown(0), unknown(1), Size::dim(0, 0));
        let mut system = System::default();
        within(&mut system, &k, &n);
        within(&mut system, &i, &n.sub(&k).plus(-1));
        let mut on = system.clone();
        on.zero(&k.add(&i).plus(1).sub(&k));
        assert!(on.excludes());
        let mut below = system;
        below.zero(&k.add(&i).plus(1).sub(&Size::lit(3)));
        assert!(!below.excludes());
    }

    #[test]
    fn even_numbers_are_not_odd() {
        let (a, b) = (unknown(0), unknown(1));
        let mut system = System::default();
        system.zero(&a.scale(2).sub(&b.scale(2)).plus(1));
        assert!(system.excludes());
        let mut system = System::default();
        system.zero(&a.scale(2).sub(&b.scale(3)).plus(1));
        assert!(!system.excludes());
    }

    #[test]
    fn integers_between_thirds_are_found() {
        let a = unknown(0);
        let mut system = System::default();
        system.at_least_zero(&a.scale(3).plus(-1));
        system.at_least_zero(&a.scale(-3).plus(2));
        assert!(system.excludes());
        let mut system = System::default();
        system.at_least_zero(&a.scale(3).plus(-1));
        system.at_least_zero(&a.scale(-3).plus(3));
        assert!(!system.excludes());
    }
}
