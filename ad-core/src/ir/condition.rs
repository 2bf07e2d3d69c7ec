//! Whether a size is positive, as comparisons of its parts.
//!
//! ```text
//! b - a > 0    is  b > a        b - a + 1 > 0    is  b >= a
//! min(p, q)    is  p && q       max(p, q)        is  p || q
//! -p           is  !(p + 1)     min(p, -p) + 1   is  p == 0
//! ```
//!
//! A size keeps a comparison of two integers as their difference, which may need more bits than
//! the integers. Interpreters, printers and passes compute conditions only as they stand here.

use super::prims::Prim;
use super::ty::{Atom, Lit, Size};

/// A condition on sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// It holds always, or never.
    Known(bool),
    /// A comparison of two integers.
    Compare(Prim, Size, Size),
    /// Both hold.
    Both(Box<[Condition; 2]>),
    /// One of the two holds.
    Either(Box<[Condition; 2]>),
    /// The second one where the first one holds, else the third one.
    Choice(Box<[Condition; 3]>),
}

impl Size {
    /// What holds if and only if the size is positive.
    pub fn condition(&self) -> Condition {
        exceeds(self, 0, true)
    }

    /// What holds if and only if the size is not positive.
    pub fn opposite_condition(&self) -> Condition {
        exceeds(self, 0, false)
    }

    /// Whether the size is positive under an assignment of the atoms.
    pub fn is_positive(&self, of: &mut dyn FnMut(&Atom) -> Option<i64>) -> Option<bool> {
        self.condition().holds(of)
    }
}

impl Condition {
    fn holds(&self, of: &mut dyn FnMut(&Atom) -> Option<i64>) -> Option<bool> {
        Some(match self {
            Condition::Known(holds) => *holds,
            Condition::Compare(p, a, b) => {
                let sides = [Lit::Int(a.eval(of)?), Lit::Int(b.eval(of)?)];
                p.eval(&sides) == Some(Lit::Bool(true))
            }
            Condition::Both(two) => two[0].holds(of)? && two[1].holds(of)?,
            Condition::Either(two) => two[0].holds(of)? || two[1].holds(of)?,
            Condition::Choice(three) => match three[0].holds(of)? {
                true => three[1].holds(of)?,
                false => three[2].holds(of)?,
            },
        })
    }
}

/// Whether a size is greater than a number, or is not.
fn exceeds(p: &Size, k: i128, is: bool) -> Condition {
    if let Some(constant) = p.as_lit() {
        return Condition::Known((i128::from(constant) > k) == is);
    }
    if let Some((atom @ (Atom::Min(..) | Atom::Max(..) | Atom::Select(..)), constant)) =
        p.neg().as_atom_and_constant()
    {
        let k = -k - i128::from(constant) - 1;
        return exceeds(&Size::atom(atom.clone()), k, !is);
    }
    if let Some((atom, constant)) = p.as_atom_and_constant() {
        let k = k - i128::from(constant);
        let two = |x: &Size, y: &Size| [exceeds(x, k, is), exceeds(y, k, is)];
        match atom {
            Atom::Min(x, y) if k == -1 && *y == x.neg() => {
                let p = if is { Prim::IEq } else { Prim::INe };
                return match split(x, x.constant().into()) {
                    Some([a, b]) if a.as_lit().is_some() => Condition::Compare(p, b, a),
                    Some([a, b]) => Condition::Compare(p, a, b),
                    None => Condition::Known(!is),
                };
            }
            Atom::Min(x, y) if is => return Condition::Both(Box::new(two(x, y))),
            Atom::Max(x, y) if !is => return Condition::Both(Box::new(two(x, y))),
            Atom::Min(x, y) | Atom::Max(x, y) => return Condition::Either(Box::new(two(x, y))),
            Atom::Select(c, x, y) => {
                let never = |y: i64| i128::from(y) <= k;
                if is && y.as_lit().is_some_and(never) {
                    return Condition::Both(Box::new([c.condition(), exceeds(x, k, true)]));
                }
                let [x, y] = two(x, y);
                return Condition::Choice(Box::new([c.condition(), x, y]));
            }
            Atom::Dim { .. }
            | Atom::Int { .. }
            | Atom::Value(_)
            | Atom::Quot(..)
            | Atom::Rem(..) => {}
        }
    }
    let (strict, weak) = match is {
        true => (Prim::IGt, Prim::IGe),
        false => (Prim::ILe, Prim::ILt),
    };
    let constant = i128::from(p.constant()) - k;
    let [above, below] = p.sides();
    if constant == 1 && !above.is(0) && !below.is(0) {
        return Condition::Compare(weak, above, below);
    }
    match split(p, constant) {
        Some([above, below]) => Condition::Compare(strict, above, below),
        // No integer reaches the constant.
        None => Condition::Known((constant > 0) == is),
    }
}

/// The two sides of a size, with its constant replaced, where it is 0 or changes its sign. The
/// constant goes where a sum with it fits: beside no atoms, or beside lengths.
fn split(p: &Size, constant: i128) -> Option<[Size; 2]> {
    let [above, below] = p.sides();
    let is_added = above.is(0) || !below.is(0) && (above.at_least(0) || !below.at_least(0));
    let added = if is_added { constant } else { -constant };
    let added = i64::try_from(added).ok()?;
    Some(match is_added {
        true => [above.plus(added), below],
        false => [above, below.plus(added)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(param: usize) -> Size {
        Size::atom(Atom::Int { param })
    }

    #[test]
    fn comparisons_take_no_difference() {
        let (j, k, n) = (int(0), int(1), Size::dim(2, 0));
        let compare = |p, a: &Size, b: &Size| Condition::Compare(p, a.clone(), b.clone());
        assert_eq!(k.sub(&j).condition(), compare(Prim::IGt, &k, &j));
        assert_eq!(k.sub(&j).plus(1).condition(), compare(Prim::IGe, &k, &j));
        assert_eq!(k.sub(&j).opposite_condition(), compare(Prim::ILe, &k, &j));
        assert_eq!(
            j.plus(-3).condition(),
            compare(Prim::IGt, &j, &Size::lit(3))
        );
        let behind = compare(Prim::IGt, &j, &n.plus(-2));
        assert_eq!(j.sub(&n).plus(2).condition(), behind);
        let other = j.is_equal_to(&Size::lit(-5)).not();
        assert_eq!(other.condition(), compare(Prim::INe, &j, &Size::lit(-5)));
        let equal = j.is_equal_to(&Size::lit(i64::MAX));
        let last = Size::lit(i64::MAX);
        assert_eq!(equal.condition(), compare(Prim::IEq, &j, &last));
        assert_eq!(equal.not().condition(), compare(Prim::INe, &j, &last));
        for (j, is_equal) in [(i64::MAX, true), (-5, false), (i64::MIN, false)] {
            assert_eq!(equal.is_positive(&mut |_| Some(j)), Some(is_equal));
        }
    }

    #[test]
    fn conditions_agree_with_sizes() {
        let (j, k) = (int(0), int(1));
        let mut sizes = vec![j.sub(&k), j.plus(3), Size::lit(2).sub(&j), Size::lit(-4)];
        sizes.push(j.is_equal_to(&k));
        for _ in 0..2 {
            let one = sizes.clone();
            for (a, b) in one.iter().zip(one.iter().skip(1)) {
                sizes.extend([a.smaller(b), a.larger(b), a.not()]);
                sizes.push(Size::select(a, b, &Size::lit(0)).plus(-1));
                sizes.push(Size::select(b, &a.not(), &k));
            }
        }
        for s in sizes {
            for (j, k) in (-4..5).flat_map(|j| (-4..5).map(move |k| (j, k))) {
                let first = Atom::Int { param: 0 };
                let mut of = |a: &Atom| Some(if *a == first { j } else { k });
                let is_positive = s.eval(&mut of).map(|n| n > 0);
                assert_eq!(s.is_positive(&mut of), is_positive, "{s} at {j}, {k}");
                let is_not = s.opposite_condition().holds(&mut of);
                assert_eq!(is_not, is_positive.map(|is| !is), "{s} at {j}, {k}");
            }
        }
    }
}
