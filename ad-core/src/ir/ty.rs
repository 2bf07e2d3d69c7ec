//! Element kinds, literals and symbolic sizes.
//!
//! A [`Size`] is a polynomial with integer coefficients over [`Atom`]s: the lengths of the
//! arguments' axes, integer arguments, and the few non-polynomial operations that sizes are made
//! of. Equal polynomials are equal sizes; nothing else is ever assumed about two sizes.
//!
//! Coefficients are `i64`. One that does not fit makes the size meaningless, and what is compiled
//! with it: [`take_overflow`] says that this has happened, and the expansion ends with an error.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// What an array is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elem {
    /// Differentiable numbers.
    Real,
    /// Integers of every width; never differentiated.
    Int,
    /// Truth values; never differentiated.
    Bool,
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Elem::Real => "real",
            Elem::Int => "int",
            Elem::Bool => "bool",
        })
    }
}

/// A literal of some element kind.
#[derive(Clone, Copy, Debug)]
pub enum Lit {
    /// A real number; two are equal when their bits are.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

impl Lit {
    /// The kind of the literal.
    pub fn elem(self) -> Elem {
        match self {
            Lit::Real(_) => Elem::Real,
            Lit::Int(_) => Elem::Int,
            Lit::Bool(_) => Elem::Bool,
        }
    }

    /// The zero of a kind: what stands where a guard is false.
    pub fn zero(elem: Elem) -> Lit {
        match elem {
            Elem::Real => Lit::Real(0.0),
            Elem::Int => Lit::Int(0),
            Elem::Bool => Lit::Bool(false),
        }
    }

    /// An integer as a size, if there is room to reason about it.
    pub fn as_size(self) -> Option<Size> {
        match self {
            Lit::Int(k) => Some(Size::lit(k)).filter(Size::is_small),
            Lit::Real(_) | Lit::Bool(_) => None,
        }
    }

    fn key(self) -> (Elem, u64) {
        match self {
            Lit::Real(x) => (Elem::Real, x.to_bits()),
            Lit::Int(x) => (Elem::Int, x as u64),
            Lit::Bool(x) => (Elem::Bool, u64::from(x)),
        }
    }
}

impl PartialEq for Lit {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Lit {}
impl std::hash::Hash for Lit {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `{:?}` prints the shortest digits that read back as the same number, and a point.
            Lit::Real(x) => write!(f, "{x:?}"),
            Lit::Int(x) => write!(f, "{x}"),
            Lit::Bool(x) => write!(f, "{x}"),
        }
    }
}

/// An unknown of the size polynomials.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The length of an axis of a parameter.
    Dim {
        /// Which parameter.
        param: usize,
        /// Which of its axes.
        axis: usize,
    },
    /// The value of an integer parameter of rank 0; of a bool, 1 or 0.
    Int {
        /// Which parameter.
        param: usize,
    },
    /// The value of a rank-0 integer equation of the program.
    Value(u32),
    /// Quotient, rounded towards zero.
    Quot(Size, Size),
    /// Remainder of that quotient.
    Rem(Size, Size),
    /// The smaller of two.
    Min(Size, Size),
    /// The larger of two.
    Max(Size, Size),
    /// The second where the first is positive, else the third.
    Select(Size, Size, Size),
}

/// Larger numbers are computed at run time rather than reasoned about: products of two smaller ones
/// cannot overflow.
const LARGEST: u64 = 1 << 31;

/// A quotient of sizes has at most so many terms.
const MOST_DIVIDED: usize = 16;

/// A product without some of its factors.
fn without(factors: &[Atom], less: &[Atom]) -> Option<Vec<Atom>> {
    let mut rest = factors.to_vec();
    for a in less {
        let at = rest.iter().position(|b| a == b)?;
        rest.remove(at);
    }
    Some(rest)
}

thread_local! {
    static OVERFLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a coefficient has overflowed on this thread since the last call.
pub fn take_overflow() -> bool {
    OVERFLOWED.take()
}

/// What stands for a size with a coefficient that does not fit.
fn overflowed() -> Size {
    OVERFLOWED.set(true);
    Size::lit(0)
}

impl Atom {
    fn eval(&self, of: &mut dyn FnMut(&Atom) -> Option<i64>) -> Option<i64> {
        match self {
            Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => of(self),
            Atom::Quot(x, y) => x.eval(of)?.checked_div(y.eval(of)?),
            Atom::Rem(x, y) => x.eval(of)?.checked_rem(y.eval(of)?),
            Atom::Min(x, y) => Some(x.eval(of)?.min(y.eval(of)?)),
            Atom::Max(x, y) => Some(x.eval(of)?.max(y.eval(of)?)),
            Atom::Select(p, x, y) => match p.is_positive(of)? {
                true => x.eval(of),
                false => y.eval(of),
            },
        }
    }
}

/// A polynomial over atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Size {
    /// Coefficient of each product of atoms (sorted, repeated for powers); no zero coefficients.
    /// Every equation has its sizes, and most have the same: they are shared.
    terms: Rc<BTreeMap<Vec<Atom>, i64>>,
}

impl From<BTreeMap<Vec<Atom>, i64>> for Size {
    fn from(terms: BTreeMap<Vec<Atom>, i64>) -> Size {
        Size {
            terms: Rc::new(terms),
        }
    }
}

impl Size {
    /// The constant `c`.
    pub fn lit(c: i64) -> Size {
        let mut terms = BTreeMap::new();
        if c != 0 {
            terms.insert(vec![], c);
        }
        terms.into()
    }

    /// A single atom.
    pub fn atom(a: Atom) -> Size {
        BTreeMap::from([(vec![a], 1)]).into()
    }

    /// The length of an axis of a parameter.
    pub fn dim(param: usize, axis: usize) -> Size {
        Size::atom(Atom::Dim { param, axis })
    }

    /// The terms: products of atoms with their coefficients.
    pub fn terms(&self) -> impl DoubleEndedIterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(m, &c)| (m.as_slice(), c))
    }

    /// The value, if no atom occurs.
    pub fn as_lit(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&vec![]).copied(),
            _ => None,
        }
    }

    /// The atom, if the size is one.
    pub fn as_atom(&self) -> Option<&Atom> {
        let (m, &c) = self.terms.first_key_value()?;
        (self.terms.len() == 1 && c == 1 && m.len() == 1).then(|| &m[0])
    }

    /// The atom and the constant, if the size is their sum.
    pub fn as_atom_and_constant(&self) -> Option<(&Atom, i64)> {
        let mut atoms = self.terms.iter().filter(|(m, _)| !m.is_empty());
        let (m, &c) = atoms.next()?;
        let is_sum = c == 1 && m.len() == 1 && atoms.next().is_none();
        is_sum.then(|| (&m[0], self.constant()))
    }

    /// Whether the size is the constant `c`.
    pub fn is(&self, c: i64) -> bool {
        self.as_lit() == Some(c)
    }

    /// The constant term.
    pub fn constant(&self) -> i64 {
        self.terms.get(&vec![]).copied().unwrap_or(0)
    }

    /// `self + k * other`, if its coefficients fit.
    fn try_add_scaled(&self, other: &Size, k: i64) -> Option<Size> {
        if other.terms.is_empty() || k == 0 {
            return Some(self.clone());
        }
        let mut terms = BTreeMap::clone(&self.terms);
        for (m, c) in &*other.terms {
            let e = terms.entry(m.clone()).or_insert(0);
            // A sum may fit of which one part does not.
            let sum = i128::from(*e) + i128::from(*c) * i128::from(k);
            *e = i64::try_from(sum).ok()?;
            if *e == 0 {
                terms.remove(m);
            }
        }
        Some(terms.into())
    }

    /// `self + other`
    pub fn add(&self, other: &Size) -> Size {
        self.try_add_scaled(other, 1).unwrap_or_else(overflowed)
    }

    /// `self * k`
    pub fn scale(&self, k: i64) -> Size {
        (Size::lit(0).try_add_scaled(self, k)).unwrap_or_else(overflowed)
    }

    /// `-self`
    pub fn neg(&self) -> Size {
        self.scale(-1)
    }

    /// `self - other`
    pub fn sub(&self, other: &Size) -> Size {
        self.try_add_scaled(other, -1).unwrap_or_else(overflowed)
    }

    /// `self + k`
    pub fn plus(&self, k: i64) -> Size {
        self.add(&Size::lit(k))
    }

    /// `self * other`
    pub fn mul(&self, other: &Size) -> Size {
        if let Some(k) = self.as_lit() {
            return if k == 1 {
                other.clone()
            } else {
                other.scale(k)
            };
        }
        let mut out = Size::lit(0);
        for (m, c) in &*self.terms {
            for (n, d) in &*other.terms {
                let mut product: Vec<Atom> = m.iter().chain(n).cloned().collect();
                product.sort();
                let one = BTreeMap::from([(product, *c)]).into();
                out = out.try_add_scaled(&one, *d).unwrap_or_else(overflowed);
            }
        }
        out
    }

    /// `self / other`, rounded towards zero; `None` where `other` is literally zero.
    pub fn quot(&self, other: &Size) -> Option<Size> {
        Some(match (self.as_lit(), other.as_lit()) {
            (_, Some(0)) => return None,
            (_, Some(1)) => self.clone(),
            (Some(a), Some(b)) => a.checked_div(b).map_or_else(overflowed, Size::lit),
            _ => Size::atom(Atom::Quot(self.clone(), other.clone())),
        })
    }

    /// The remainder of [`Size::quot`].
    pub fn rem(&self, other: &Size) -> Option<Size> {
        Some(match (self.as_lit(), other.as_lit()) {
            (_, Some(0)) => return None,
            (_, Some(1)) => Size::lit(0),
            (Some(a), Some(b)) => a.checked_rem(b).map_or_else(overflowed, Size::lit),
            _ => Size::atom(Atom::Rem(self.clone(), other.clone())),
        })
    }

    /// The smaller of two sizes.
    pub fn smaller(&self, other: &Size) -> Size {
        match self.ordered(other) {
            Ok([small, _]) => small,
            Err([a, b]) => Size::atom(Atom::Min(a, b)),
        }
    }

    /// The larger of two sizes.
    pub fn larger(&self, other: &Size) -> Size {
        match self.ordered(other) {
            Ok([_, large]) => large,
            Err([a, b]) => Size::atom(Atom::Max(a, b)),
        }
    }

    /// Two sizes in their order, or in a fixed one if theirs is not known.
    fn ordered(&self, other: &Size) -> Result<[Size; 2], [Size; 2]> {
        let exceeds = |a: &Size, b: &Size| a.try_add_scaled(b, -1).is_some_and(|d| d.at_least(0));
        if exceeds(other, self) {
            Ok([self.clone(), other.clone()])
        } else if exceeds(self, other) {
            Ok([other.clone(), self.clone()])
        } else if self <= other {
            Err([self.clone(), other.clone()])
        } else {
            Err([other.clone(), self.clone()])
        }
    }

    /// `yes` where `condition` is positive, else `no`.
    ///
    /// ```text
    /// select(p, a, b) = max(a, b)      if a - b = k p or k (p - 1) for a number k > 0, min for k < 0
    /// select(p, a, b) = a              if a - b = k max(p, 0)
    /// select([x = y], a, b) = b        if a = b where x = y
    /// ```
    pub fn select(condition: &Size, yes: &Size, no: &Size) -> Size {
        if let Some(opposite) = condition.negated_equality() {
            return Size::select(&opposite, no, yes);
        }
        if yes == no || condition.at_least(1) {
            return yes.clone();
        }
        if condition.neg().at_least(0) {
            return no.clone();
        }
        let difference = yes.sub(no);
        let some = condition.larger(&Size::lit(0));
        if difference.multiple_of(&some).is_some() {
            return yes.clone();
        }
        for of in [condition, &condition.plus(-1)] {
            match difference.multiple_of(of) {
                Some(k) if k > 0 => return yes.larger(no),
                Some(_) => return yes.smaller(no),
                None => {}
            }
        }
        let agree = |p: &Size| (p.equality()).is_some_and(|zero| difference.vanishes_with(&zero));
        if agree(condition) {
            no.clone()
        } else if agree(&condition.not()) {
            yes.clone()
        } else {
            Size::atom(Atom::Select(condition.clone(), yes.clone(), no.clone()))
        }
    }

    /// What is positive if and only if two sizes are equal.
    pub fn is_equal_to(&self, other: &Size) -> Size {
        let difference = self.sub(other);
        match (difference.at_least(0), difference.neg().at_least(0)) {
            (true, _) => Size::lit(1).sub(&difference),
            (_, true) => difference.plus(1),
            _ => difference.smaller(&difference.neg()).plus(1),
        }
    }

    /// What is positive if and only if `self` is not.
    pub fn not(&self) -> Size {
        Size::lit(1).sub(self)
    }

    /// What is zero where a condition made by [`Size::is_equal_to`] holds.
    fn equality(&self) -> Option<Size> {
        if self.neg().plus(1).at_least(0) {
            return Some(self.plus(-1));
        }
        match self.plus(-1).as_atom()? {
            Atom::Min(x, y) if *x == y.neg() => Some(x.clone()),
            Atom::Dim { .. }
            | Atom::Int { .. }
            | Atom::Value(_)
            | Atom::Quot(..)
            | Atom::Rem(..)
            | Atom::Min(..)
            | Atom::Max(..)
            | Atom::Select(..) => None,
        }
    }

    /// The equality that a condition says not to hold.
    fn negated_equality(&self) -> Option<Size> {
        let opposite = self.not();
        let is_minimum = matches!(self.neg().as_atom(), Some(Atom::Min(..)));
        (is_minimum && opposite.equality().is_some()).then_some(opposite)
    }

    /// The number `k` with `self = k * other`, if there is one other than 0.
    fn multiple_of(&self, other: &Size) -> Option<i64> {
        let (m, c) = other.terms.first_key_value()?;
        let k = self.terms.get(m)?.checked_div(*c)?;
        (k != 0 && other.scale(k) == *self).then_some(k)
    }

    /// Whether `self = 0` follows from `zero = 0`.
    fn vanishes_with(&self, zero: &Size) -> bool {
        self.multiple_of(zero).is_some()
            || zero.terms.keys().any(|m| {
                let [atom] = &m[..] else { return false };
                let Some((c, rest)) = zero.linear_in(atom) else {
                    return false;
                };
                let Some(c) = c.as_lit().filter(|c| c.abs() == 1) else {
                    return false;
                };
                let value = rest.scale(-c);
                let put = |a: &Atom| (a == atom).then(|| value.clone());
                self.replace(&mut { put }).is(0)
            })
    }

    /// The size where a condition is known to hold, or not to hold.
    #[must_use]
    pub fn decided(&self, condition: &Size, holds: bool) -> Size {
        self.replace(&mut |a| match a {
            Atom::Select(p, yes, no) if p == condition => {
                let taken = if holds { yes } else { no };
                Some(taken.decided(condition, holds))
            }
            Atom::Dim { .. }
            | Atom::Int { .. }
            | Atom::Value(_)
            | Atom::Quot(..)
            | Atom::Rem(..)
            | Atom::Min(..)
            | Atom::Max(..)
            | Atom::Select(..) => None,
        })
    }

    /// The condition of a selection in the size.
    pub fn undecided(&self) -> Option<Size> {
        self.terms.keys().flatten().find_map(|a| match a {
            Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => None,
            Atom::Quot(x, y) | Atom::Rem(x, y) | Atom::Min(x, y) | Atom::Max(x, y) => {
                x.undecided().or_else(|| y.undecided())
            }
            Atom::Select(p, ..) => p.undecided().or_else(|| Some(p.clone())),
        })
    }

    /// Whether every value of the atoms gives at least `k`, as far as signs alone show: lengths are
    /// never negative, integer arguments and computed values may be.
    pub fn at_least(&self, k: i64) -> bool {
        self.constant() >= k
            && self
                .terms
                .iter()
                .all(|(m, &c)| m.is_empty() || (c > 0 && m.iter().all(Atom::nonnegative)))
    }

    /// The sizes that must be positive if this one is. If the smaller of two sizes is positive,
    /// both are. If a size that is 0 unless a condition is positive is itself positive, so is the
    /// condition.
    fn positive_with(&self) -> Vec<Size> {
        let mut all = vec![self.clone()];
        match self.as_atom() {
            Some(Atom::Min(a, b)) => all.extend([a, b].into_iter().flat_map(Size::positive_with)),
            Some(Atom::Select(p, x, other)) if other.is(0) => {
                all.extend([p, x].into_iter().flat_map(Size::positive_with));
            }
            Some(
                Atom::Dim { .. }
                | Atom::Int { .. }
                | Atom::Value(_)
                | Atom::Quot(..)
                | Atom::Rem(..)
                | Atom::Max(..)
                | Atom::Select(..),
            )
            | None => {}
        }
        all
    }

    /// The same, given that some sizes are positive. Only those that are single atoms help.
    pub fn at_least_given(&self, k: i64, positive: &[Size]) -> bool {
        let positive: Vec<Size> = positive.iter().flat_map(Size::positive_with).collect();
        // With `a = a' + 1` for each such atom, `a'` is nonnegative.
        let raised = self.substitute(&mut |a| {
            let size = Size::atom(a.clone());
            if positive.contains(&size) {
                size.plus(1)
            } else {
                size
            }
        });
        raised.at_least(k)
    }

    /// Quotient and remainder of the division of polynomials by the term of `by` with the most
    /// factors; the quotient is 0 if no term of this one is a multiple of it.
    pub fn divided_by(&self, by: &Size) -> (Size, Size) {
        let (mut quotient, mut rest) = (Size::lit(0), self.clone());
        let Some((lead, c)) = by.terms().max_by_key(|(factors, _)| factors.len()) else {
            return (quotient, rest);
        };
        for _ in 0..MOST_DIVIDED {
            let term = rest.terms().find_map(|(factors, k)| {
                let left = without(factors, lead).filter(|_| k % c == 0)?;
                let of = left.into_iter().map(Size::atom);
                Some(of.fold(Size::lit(k / c), |all, a| all.mul(&a)))
            });
            let Some(term) = term else {
                return (quotient, rest);
            };
            rest = rest.sub(&term.mul(by));
            quotient = quotient.add(&term);
        }
        (Size::lit(0), self.clone())
    }

    /// Whether there is a value under every assignment of the atoms: nothing is divided by what
    /// might be zero.
    pub fn is_total(&self) -> bool {
        self.terms.keys().flatten().all(|a| match a {
            Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => true,
            Atom::Quot(x, y) | Atom::Rem(x, y) => x.is_total() && y.as_lit().is_some(),
            Atom::Min(x, y) | Atom::Max(x, y) => x.is_total() && y.is_total(),
            Atom::Select(p, x, y) => [p, x, y].into_iter().all(Size::is_total),
        })
    }

    /// The value under an assignment of the atoms; sums and products wrap. Quotients by zero give
    /// `None`.
    pub fn eval(&self, of: &mut dyn FnMut(&Atom) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i64;
        for (m, c) in &*self.terms {
            let mut product = *c;
            for a in m {
                product = product.wrapping_mul(a.eval(of)?);
            }
            sum = sum.wrapping_add(product);
        }
        Some(sum)
    }

    /// The terms but for the constant: those that are added, and those that are subtracted.
    pub(super) fn sides(&self) -> [Size; 2] {
        let (mut above, mut below) = (BTreeMap::new(), BTreeMap::new());
        for (m, c) in self.terms.iter().filter(|(m, _)| !m.is_empty()) {
            match c.checked_neg() {
                Some(opposite) if *c < 0 => below.insert(m.clone(), opposite),
                Some(_) | None => above.insert(m.clone(), *c),
            };
        }
        [above.into(), below.into()]
    }

    /// Whether all coefficients leave room to reason about the size.
    pub fn is_small(&self) -> bool {
        self.terms.values().all(|c| c.unsigned_abs() <= LARGEST)
    }

    /// The coefficient of an atom and the rest, if it occurs, in no product with itself and in no
    /// other atom.
    pub fn linear_in(&self, atom: &Atom) -> Option<(Size, Size)> {
        let (mut coefficient, mut rest) = (Size::lit(0), Size::lit(0));
        for (m, c) in &*self.terms {
            let at = m.iter().position(|a| a == atom);
            let mut others = m.clone();
            if let Some(k) = at {
                others.remove(k);
            }
            let others: Size = BTreeMap::from([(others, *c)]).into();
            match at {
                Some(_) => coefficient = coefficient.add(&others),
                None => rest = rest.add(&others),
            }
        }
        let mut left = false;
        for s in [&coefficient, &rest] {
            s.visit(&mut |a| left |= a == atom);
        }
        (!left && !coefficient.is(0)).then_some((coefficient, rest))
    }

    /// The size with its leaf atoms replaced.
    pub fn substitute(&self, of: &mut dyn FnMut(&Atom) -> Size) -> Size {
        self.replace(&mut |a| match a {
            Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => Some(of(a)),
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {
                None
            }
        })
    }

    /// The size with atoms replaced; what has no replacement keeps its form, and its parts are
    /// looked at.
    fn replace(&self, of: &mut dyn FnMut(&Atom) -> Option<Size>) -> Size {
        let mut sum = Size::lit(0);
        for (m, c) in &*self.terms {
            let mut product = Size::lit(*c);
            for a in m {
                let s = match (of(a), a) {
                    (Some(s), _) => s,
                    (None, Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_)) => {
                        Size::atom(a.clone())
                    }
                    (None, Atom::Quot(x, y)) => {
                        let (x, y) = (x.replace(of), y.replace(of));
                        x.quot(&y).unwrap_or(Size::atom(Atom::Quot(x, y)))
                    }
                    (None, Atom::Rem(x, y)) => {
                        let (x, y) = (x.replace(of), y.replace(of));
                        x.rem(&y).unwrap_or(Size::atom(Atom::Rem(x, y)))
                    }
                    (None, Atom::Min(x, y)) => x.replace(of).smaller(&y.replace(of)),
                    (None, Atom::Max(x, y)) => x.replace(of).larger(&y.replace(of)),
                    (None, Atom::Select(p, x, y)) => {
                        Size::select(&p.replace(of), &x.replace(of), &y.replace(of))
                    }
                };
                product = product.mul(&s);
            }
            sum = sum.add(&product);
        }
        sum
    }

    /// Calls `f` on every leaf atom.
    pub fn visit(&self, f: &mut dyn FnMut(&Atom)) {
        for a in self.terms.keys().flatten() {
            match a {
                Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => f(a),
                Atom::Quot(x, y) | Atom::Rem(x, y) | Atom::Min(x, y) | Atom::Max(x, y) => {
                    x.visit(f);
                    y.visit(f);
                }
                Atom::Select(p, x, y) => [p, x, y].into_iter().for_each(|s| s.visit(f)),
            }
        }
    }
}

impl Atom {
    fn nonnegative(&self) -> bool {
        match self {
            Atom::Dim { .. } => true,
            Atom::Int { .. } | Atom::Value(_) => false,
            Atom::Quot(x, y) => x.at_least(0) && y.at_least(0),
            Atom::Rem(x, _) => x.at_least(0),
            Atom::Min(x, y) => x.at_least(0) && y.at_least(0),
            Atom::Max(x, y) => x.at_least(0) || y.at_least(0),
            Atom::Select(p, x, y) => x.at_least_given(0, std::slice::from_ref(p)) && y.at_least(0),
        }
    }
}

/// `d0.1` is axis 1 of parameter 0, `n2` the integer parameter 2, `v7` the equation 7.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Dim { param, axis } => write!(f, "d{param}.{axis}"),
            Atom::Int { param } => write!(f, "n{param}"),
            Atom::Value(v) => write!(f, "v{v}"),
            Atom::Quot(x, y) => write!(f, "quot({x}, {y})"),
            Atom::Rem(x, y) => write!(f, "rem({x}, {y})"),
            Atom::Min(x, y) => write!(f, "min({x}, {y})"),
            Atom::Max(x, y) => write!(f, "max({x}, {y})"),
            Atom::Select(p, x, y) => write!(f, "select({p}, {x}, {y})"),
        }
    }
}

/// Terms joined by ` + ` and ` - `, factors by `*`: `2*d0.0*d0.1 - n2 + 3`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        // Longer products first, the constant last, as one would write it by hand.
        let mut first = true;
        for (m, c) in self.terms.iter().rev() {
            let sign = match (first, *c < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            first = false;
            f.write_str(sign)?;
            let c = c.unsigned_abs();
            if c != 1 || m.is_empty() {
                write!(f, "{c}")?;
            }
            for (k, a) in m.iter().enumerate() {
                let star = if k > 0 || c != 1 { "*" } else { "" };
                write!(f, "{star}{a}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Size {
        Size::dim(0, 0)
    }

    #[test]
    fn polynomials_have_one_normal_form() {
        let m = Size::dim(1, 0);
        assert_eq!(n().add(&m).mul(&n().sub(&m)), n().mul(&n()).sub(&m.mul(&m)));
        assert_eq!(n().sub(&n()), Size::lit(0));
        assert_eq!(n().scale(2).plus(-1).to_string(), "2*d0.0 - 1");
    }

    #[test]
    fn minimum_is_decided_where_it_can_be() {
        assert_eq!(n().smaller(&n().plus(1)), n());
        assert_eq!(n().larger(&n().plus(1)), n().plus(1));
        assert_eq!(n().smaller(&Size::dim(1, 0)), Size::dim(1, 0).smaller(&n()));
    }

    #[test]
    fn selections_are_decided_where_they_can_be() {
        let (m, k) = (Size::dim(1, 0), Size::atom(Atom::Int { param: 2 }));
        let zero = Size::lit(0);
        // if n == 0 { 0 } else { n * m }
        let empty = n().is_equal_to(&zero);
        assert_eq!(Size::select(&empty, &zero, &n().mul(&m)), n().mul(&m));
        assert_eq!(Size::select(&empty.not(), &n().mul(&m), &zero), n().mul(&m));
        // if k != 2 { k } else { 2 }
        let other = k.is_equal_to(&Size::lit(2)).not();
        assert_eq!(Size::select(&other, &k, &Size::lit(2)), k);
        // if n >= m { n } else { m }, if n < m { n } else { m }
        let not_less = n().sub(&m).plus(1);
        assert_eq!(Size::select(&not_less, &n(), &m), n().larger(&m));
        assert_eq!(Size::select(&not_less.not(), &n(), &m), n().smaller(&m));
        let open = Size::select(&other, &n(), &m);
        assert_eq!(open.undecided(), Some(other.not()));
        assert_eq!(open.decided(&other.not(), false), n());
        assert_eq!(open.plus(1).decided(&other.not(), true), m.plus(1));
        let all =
            |of: i64| move |a: &Atom| Some(if matches!(a, Atom::Int { .. }) { of } else { 7 });
        for of in -3..6 {
            let value = k.is_equal_to(&Size::lit(2)).eval(&mut all(of)).unwrap();
            assert_eq!(value > 0, of == 2);
        }
    }

    #[test]
    fn lengths_are_known_to_be_nonnegative() {
        assert!(n().at_least(0));
        assert!(!n().at_least(1));
        assert!(n().plus(1).at_least(1));
        assert!(!n().plus(-1).at_least(0));
        assert!(!Size::atom(Atom::Int { param: 0 }).at_least(0));
        assert!(n().plus(-1).at_least_given(0, &[n()]));
        assert!(!n().plus(-2).at_least_given(0, &[n()]));
        assert!(!n().plus(-1).at_least_given(0, &[Size::dim(0, 1)]));
        let (m, zero) = (Size::dim(0, 1), Size::lit(0));
        assert!(n().plus(-1).at_least_given(0, &[n().smaller(&m)]));
        assert!(!n().plus(-1).at_least_given(0, &[n().larger(&m)]));
        assert!(
            n().plus(-1)
                .at_least_given(0, &[Size::select(&n(), &m, &zero)])
        );
    }

    #[test]
    fn divisions_by_what_may_be_zero_are_not_total() {
        let half = n().quot(&Size::lit(2)).unwrap();
        assert!(half.larger(&n().plus(-3)).is_total());
        assert!(!half.add(&half.rem(&n()).unwrap()).is_total());
    }

    #[test]
    fn evaluation_follows_the_atoms() {
        let s = n().mul(&n()).plus(3).quot(&Size::lit(2)).unwrap();
        assert_eq!(s.eval(&mut |_| Some(5)), Some(14));
    }
}
