//! Element kinds, literals and symbolic sizes.
//!
//! A [`Size`] is a polynomial with integer coefficients over [`Atom`]s: the lengths of the arguments'
//! axes, integer arguments, and the few non-polynomial operations that sizes are made of. Equal
//! polynomials are equal sizes; nothing else is ever assumed about two sizes.

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
    /// The value of an integer parameter of rank 0.
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
}

/// A polynomial over atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Size {
    /// Coefficient of each product of atoms (sorted, repeated for powers); no zero coefficients. Every
    /// equation has its sizes, and most have the same: they are shared.
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

    /// Whether the size is the constant `c`.
    pub fn is(&self, c: i64) -> bool {
        self.as_lit() == Some(c)
    }

    /// The constant term.
    pub fn constant(&self) -> i64 {
        self.terms.get(&vec![]).copied().unwrap_or(0)
    }

    /// `self + other`
    pub fn add(&self, other: &Size) -> Size {
        if other.terms.is_empty() {
            return self.clone();
        }
        let mut terms = BTreeMap::clone(&self.terms);
        for (m, c) in &*other.terms {
            let e = terms.entry(m.clone()).or_insert(0);
            *e += c;
            if *e == 0 {
                terms.remove(m);
            }
        }
        terms.into()
    }

    /// `self * k`
    pub fn scale(&self, k: i64) -> Size {
        if k == 0 {
            return Size::lit(0);
        }
        let terms = self.terms.iter().map(|(m, c)| (m.clone(), c * k));
        terms.collect::<BTreeMap<_, _>>().into()
    }

    /// `-self`
    pub fn neg(&self) -> Size {
        self.scale(-1)
    }

    /// `self - other`
    pub fn sub(&self, other: &Size) -> Size {
        self.add(&other.neg())
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
                out = out.add(&BTreeMap::from([(product, c * d)]).into());
            }
        }
        out
    }

    /// `self / other`, rounded towards zero; `None` where `other` is literally zero.
    pub fn quot(&self, other: &Size) -> Option<Size> {
        Some(match (self.as_lit(), other.as_lit()) {
            (_, Some(0)) => return None,
            (_, Some(1)) => self.clone(),
            (Some(a), Some(b)) => Size::lit(a / b),
            _ => Size::atom(Atom::Quot(self.clone(), other.clone())),
        })
    }

    /// The remainder of [`Size::quot`].
    pub fn rem(&self, other: &Size) -> Option<Size> {
        Some(match (self.as_lit(), other.as_lit()) {
            (_, Some(0)) => return None,
            (_, Some(1)) => Size::lit(0),
            (Some(a), Some(b)) => Size::lit(a % b),
            _ => Size::atom(Atom::Rem(self.clone(), other.clone())),
        })
    }

    /// The smaller of two sizes.
    pub fn smaller(&self, other: &Size) -> Size {
        match self.sub(other).as_lit() {
            Some(d) if d <= 0 => self.clone(),
            Some(_) => other.clone(),
            None => {
                let (a, b) = if self <= other {
                    (self, other)
                } else {
                    (other, self)
                };
                Size::atom(Atom::Min(a.clone(), b.clone()))
            }
        }
    }

    /// The larger of two sizes.
    pub fn larger(&self, other: &Size) -> Size {
        match self.sub(other).as_lit() {
            Some(d) if d >= 0 => self.clone(),
            Some(_) => other.clone(),
            None => {
                let (a, b) = if self <= other {
                    (self, other)
                } else {
                    (other, self)
                };
                Size::atom(Atom::Max(a.clone(), b.clone()))
            }
        }
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

    /// The same, given that some sizes are positive. Only those that are single atoms help.
    pub fn at_least_given(&self, k: i64, positive: &[Size]) -> bool {
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

    /// Whether there is a value under every assignment of the atoms: nothing is divided by what might
    /// be zero.
    pub fn is_total(&self) -> bool {
        self.terms.keys().flatten().all(|a| match a {
            Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => true,
            Atom::Quot(x, y) | Atom::Rem(x, y) => x.is_total() && y.as_lit().is_some(),
            Atom::Min(x, y) | Atom::Max(x, y) => x.is_total() && y.is_total(),
        })
    }

    /// The value under an assignment of the atoms. Quotients by zero give `None`.
    pub fn eval(&self, of: &mut dyn FnMut(&Atom) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i64;
        for (m, c) in &*self.terms {
            let mut product = *c;
            for a in m {
                let v = match a {
                    Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => of(a)?,
                    Atom::Quot(x, y) => x.eval(of)?.checked_div(y.eval(of)?)?,
                    Atom::Rem(x, y) => x.eval(of)?.checked_rem(y.eval(of)?)?,
                    Atom::Min(x, y) => x.eval(of)?.min(y.eval(of)?),
                    Atom::Max(x, y) => x.eval(of)?.max(y.eval(of)?),
                };
                product = product.checked_mul(v)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
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
        let mut sum = Size::lit(0);
        for (m, c) in &*self.terms {
            let mut product = Size::lit(*c);
            for a in m {
                let s = match a {
                    Atom::Dim { .. } | Atom::Int { .. } | Atom::Value(_) => of(a),
                    Atom::Quot(x, y) => {
                        let (x, y) = (x.substitute(of), y.substitute(of));
                        x.quot(&y).unwrap_or(Size::atom(Atom::Quot(x, y)))
                    }
                    Atom::Rem(x, y) => {
                        let (x, y) = (x.substitute(of), y.substitute(of));
                        x.rem(&y).unwrap_or(Size::atom(Atom::Rem(x, y)))
                    }
                    Atom::Min(x, y) => x.substitute(of).smaller(&y.substitute(of)),
                    Atom::Max(x, y) => x.substitute(of).larger(&y.substitute(of)),
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
    fn lengths_are_known_to_be_nonnegative() {
        assert!(n().at_least(0));
        assert!(!n().at_least(1));
        assert!(n().plus(1).at_least(1));
        assert!(!n().plus(-1).at_least(0));
        assert!(!Size::atom(Atom::Int { param: 0 }).at_least(0));
        assert!(n().plus(-1).at_least_given(0, &[n()]));
        assert!(!n().plus(-2).at_least_given(0, &[n()]));
        assert!(!n().plus(-1).at_least_given(0, &[Size::dim(0, 1)]));
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
