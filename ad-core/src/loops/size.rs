//! Sizes: arithmetic on them, and what is known of them.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::longer::Longer;
use super::terms::{is_size, length};
use super::writer::Writer;
use crate::ir::core::{Expr, Kind as Core, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::Lit;
use crate::ir::unit::{Given, Length};

/// `c1·e1·f1.. + c2·e2·f2.. + ..`, an empty product for what is constant.
#[derive(Clone, Default)]
struct Sum {
    terms: Vec<(Vec<Expr>, i64)>,
}

/// Beyond this many terms nothing is multiplied out.
const LONG: usize = 12;

/// No size that is written out has more parts than this.
pub(super) const LONGEST: usize = 64;

/// Larger numbers are factors of their own, so that no coefficient overflows.
const LARGEST: u64 = 1 << 31;

impl Sum {
    fn of(e: &Expr) -> Sum {
        let one = || Sum {
            terms: vec![(vec![e.clone()], 1)],
        };
        match &*e.kind {
            Core::Lit(Lit::Int(i)) if i.unsigned_abs() <= LARGEST => Sum {
                terms: vec![(vec![], *i)],
            },
            Core::Prim(Prim::IAdd, args) => Sum::of(&args[0]).plus(&Sum::of(&args[1]), 1),
            Core::Prim(Prim::ISub, args) => Sum::of(&args[0]).plus(&Sum::of(&args[1]), -1),
            Core::Prim(Prim::INeg, args) => Sum::default().plus(&Sum::of(&args[0]), -1),
            Core::Prim(Prim::IMul, args) => {
                let (a, b) = (Sum::of(&args[0]), Sum::of(&args[1]));
                if a.terms.len() * b.terms.len() > LONG {
                    return one();
                }
                let mut all = Sum::default();
                for (m, c) in &a.terms {
                    for (n, d) in &b.terms {
                        match c.checked_mul(*d).filter(|c| c.unsigned_abs() <= LARGEST) {
                            Some(c) => all.term([&m[..], &n[..]].concat(), c),
                            None => return one(),
                        }
                    }
                }
                all
            }
            _ => one(),
        }
    }

    fn plus(mut self, other: &Sum, by: i64) -> Sum {
        for (factors, c) in &other.terms {
            self.term(factors.clone(), by * c);
        }
        self
    }

    fn term(&mut self, factors: Vec<Expr>, by: i64) {
        let same = |other: &Vec<Expr>| {
            let mut left = other.clone();
            let found = |f: &Expr, left: &mut Vec<Expr>| {
                left.iter()
                    .position(|g| f == g)
                    .map(|k| left.swap_remove(k))
            };
            left.len() == factors.len() && factors.iter().all(|f| found(f, &mut left).is_some())
        };
        match self.terms.iter_mut().find(|(other, _)| same(other)) {
            Some((_, c)) => *c += by,
            None => self.terms.push((factors, by)),
        }
        self.terms.retain(|(_, c)| *c != 0);
    }

    fn constant(&self) -> Option<i64> {
        match &self.terms[..] {
            [] => Some(0),
            [(factors, c)] if factors.is_empty() => Some(*c),
            _ => None,
        }
    }

    fn written(mut self) -> Expr {
        // What is added comes first, so that nothing begins with a sign, and constants last.
        self.terms
            .sort_by_key(|(factors, c)| (factors.is_empty(), *c < 0));
        let mut total: Option<Expr> = None;
        for (factors, c) in self.terms {
            let product = factors
                .into_iter()
                .reduce(|a, b| Expr::prim(Prim::IMul, vec![a, b]));
            let scaled = match (product, c.abs()) {
                (None, c) => Expr::int(c),
                (Some(e), 1) => e,
                (Some(e), c) => Expr::prim(Prim::IMul, vec![Expr::int(c), e]),
            };
            total = Some(match (total, c < 0) {
                (None, false) => scaled,
                (None, true) => match literal(&scaled).and_then(i64::checked_neg) {
                    Some(i) => Expr::int(i),
                    None => Expr::prim(Prim::INeg, vec![scaled]),
                },
                (Some(total), false) => Expr::prim(Prim::IAdd, vec![total, scaled]),
                (Some(total), true) => Expr::prim(Prim::ISub, vec![total, scaled]),
            });
        }
        total.unwrap_or_else(|| Expr::int(0))
    }
}

/// The value of a literal.
pub(crate) fn literal(e: &Expr) -> Option<i64> {
    if let Core::Lit(Lit::Int(i)) = &*e.kind {
        Some(*i)
    } else {
        None
    }
}

/// `a + b`
pub(crate) fn plus(a: &Expr, b: &Expr) -> Expr {
    if literal(a) == Some(0) {
        return b.clone();
    }
    if literal(b) == Some(0) {
        return a.clone();
    }
    let sum = Sum::of(a).plus(&Sum::of(b), 1);
    match sum.terms.len() > LONG {
        true => Expr::prim(Prim::IAdd, vec![a.clone(), b.clone()]),
        false => sum.written(),
    }
}

/// `a - b`
pub(crate) fn minus(a: &Expr, b: &Expr) -> Expr {
    if literal(b) == Some(0) {
        return a.clone();
    }
    let sum = Sum::of(a).plus(&Sum::of(b), -1);
    match sum.terms.len() > LONG {
        true => Expr::prim(Prim::ISub, vec![a.clone(), b.clone()]),
        false => sum.written(),
    }
}

/// The same with equal terms taken together.
pub(crate) fn collected(a: &Expr) -> Expr {
    Sum::of(a).written()
}

/// Whether there is a product of such factors among what is added.
pub(crate) fn has_term(a: &Expr, is_such: &dyn Fn(&[Expr]) -> bool) -> bool {
    let sum = Sum::of(a);
    sum.terms.iter().any(|(factors, _)| is_such(factors))
}

/// How much larger one is than the other, where that is the same for all sizes.
pub(crate) fn excess(a: &Expr, b: &Expr) -> Option<i64> {
    Sum::of(a).plus(&Sum::of(b), -1).constant()
}

/// Quotient and remainder by a product: the terms that have all its factors, and the others.
pub(crate) fn divided(a: &Expr, by: &Expr) -> (Expr, Expr) {
    let (mut quotient, mut rest) = (Sum::default(), Sum::default());
    let by = Sum::of(by);
    for (factors, c) in Sum::of(a).terms {
        let without = |(less, d): &(Vec<Expr>, i64)| {
            let mut left = factors.clone();
            for f in less {
                left.swap_remove(left.iter().position(|g| f == g)?);
            }
            (c % d == 0).then(|| (left, c / d))
        };
        match &by.terms[..] {
            [one] if without(one).is_some() => {
                let (left, c) = without(one).unwrap_or_default();
                quotient.term(left, c);
            }
            _ => rest.term(factors, c),
        }
    }
    (quotient.written(), rest.written())
}

/// `a * b`
pub(crate) fn times(a: &Expr, b: &Expr) -> Expr {
    match (literal(a), literal(b)) {
        (Some(1), _) => b.clone(),
        (Some(0), _) | (_, Some(0)) => Expr::int(0),
        (_, Some(1)) => a.clone(),
        (Some(i), Some(j)) if i.checked_mul(j).is_some() => Expr::int(i * j),
        _ => Expr::prim(Prim::IMul, vec![a.clone(), b.clone()]),
    }
}

/// The product of several.
pub(crate) fn product_of(sizes: &[Expr]) -> Expr {
    sizes.iter().fold(Expr::int(1), |all, n| times(&all, n))
}

/// The smaller of two.
pub(crate) fn smaller(a: &Expr, b: &Expr) -> Expr {
    match excess(a, b) {
        Some(difference) if difference <= 0 => a.clone(),
        Some(_) => b.clone(),
        None => Expr::prim(Prim::IMin, vec![a.clone(), b.clone()]),
    }
}

/// What a sum is at least, with a quotient as if nothing were left of what is divided: `-2 (n / 2)`
/// is at least `-n`, and so is `-(n / 2)`.
fn with_whole(sum: &Sum, is_natural: &dyn Fn(&Expr) -> bool) -> Option<Sum> {
    sum.terms.iter().find_map(|(factors, c)| {
        let [quotient] = &factors[..] else {
            return None;
        };
        let Core::Prim(Prim::IDiv, args) = &*quotient.kind else {
            return None;
        };
        let by = literal(&args[1]).filter(|by| *by > 0 && *c < 0)?;
        let mut less = sum.clone();
        less.term(factors.clone(), -c);
        is_natural(&args[0]).then(|| less.plus(&Sum::of(&args[0]), c.div_euclid(by)))
    })
}

/// What both say.
fn agreeing(a: Vec<Option<Expr>>, b: Vec<Option<Expr>>) -> Vec<Option<Expr>> {
    let same = |(a, b): (Option<Expr>, Option<Expr>)| a.zip(b);
    let pairs = a.into_iter().zip(b).map(same);
    pairs
        .map(|pair| {
            pair.filter(|(a, b)| excess(a, b) == Some(0))
                .map(|(a, _)| a)
        })
        .collect()
}

/// What one of them says.
fn either(a: Vec<Option<Expr>>, b: Vec<Option<Expr>>) -> Vec<Option<Expr>> {
    a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect()
}

/// What can be said where a variable is not seen.
fn without(known: Vec<Option<Expr>>, sym: &Sym) -> Vec<Option<Expr>> {
    let seen = known.into_iter();
    seen.map(|n| n.filter(|n| !super::rename::mentions(n, sym)))
        .collect()
}

impl Writer {
    /// What is negative counts as nothing.
    pub(crate) fn not_negative(&self, e: Expr) -> Expr {
        match literal(&e) {
            Some(i) => Expr::int(i.max(0)),
            None if self.is_natural(&e) => e,
            None => Expr::prim(Prim::IMax, vec![e, Expr::int(0)]),
        }
    }

    /// Whether two places that move together are the same in no two different rounds of a loop:
    /// they are the same in each round, or they differ by a multiple of a size that the loop does
    /// not exceed.
    ///
    /// ```text
    /// for j < m, m ≤ n:   i n + j   and   k n + j
    /// ```
    pub(crate) fn is_whole_rows_apart(&self, a: &Expr, b: &Expr, count: &Expr) -> bool {
        let apart = Sum::of(a).plus(&Sum::of(b), -1);
        let Some((first, _)) = apart.terms.first() else {
            return true;
        };
        first.iter().any(|f| {
            let is_multiple = apart.terms.iter().all(|(factors, _)| factors.contains(f));
            is_multiple && self.is_natural(&minus(f, count))
        })
    }

    /// A size with the numbers that are bound written out, as far as it does not get too long.
    pub(crate) fn with_sizes(&self, e: &Expr) -> Expr {
        fn written(w: &Writer, e: &Expr, left: &mut usize) -> Expr {
            if *left == 0 {
                return e.clone();
            }
            *left -= 1;
            match &*e.kind {
                Core::Prim(prim, args) => {
                    let args = args.iter().map(|a| written(w, a, left));
                    Expr::prim(*prim, args.collect())
                }
                Core::Var(sym) => match w.sizes.get(sym) {
                    Some(size) => written(w, size, left),
                    None => e.clone(),
                },
                _ => e.clone(),
            }
        }
        written(self, e, &mut LONGEST.clone())
    }

    /// Whether a number is seen not to be negative, with every index of a loop at its worst.
    pub(crate) fn is_natural(&self, e: &Expr) -> bool {
        /// So many quotients in each other are looked into.
        const DEEP: usize = 3;
        self.is_natural_within(e, DEEP)
    }

    fn is_natural_within(&self, e: &Expr, deep: usize) -> bool {
        let is_divided = |e: &Expr| deep > 0 && self.is_natural_within(e, deep - 1);
        let natural = |f: &Expr| {
            if let Core::Var(sym) = &*f.kind {
                return self.extents.contains_key(sym) || self.naturals.contains(sym);
            }
            if let Core::Prim(Prim::IMax, args) = &*f.kind {
                return args.iter().any(|a| literal(a).is_some_and(|i| i >= 0));
            }
            if let Core::Prim(Prim::IDiv | Prim::IRem, args) = &*f.kind {
                return args.iter().all(is_divided);
            }
            if let Core::Index(array, _) = &*f.kind
                && let Core::Var(sym) = &*array.kind
            {
                return self.naturals.contains(sym);
            }
            matches!(&*f.kind, Core::Dim(..))
        };
        let mut sum = Sum::of(&self.with_sizes(e));
        let mut used = vec![];
        // Bounds of inner loops may speak of outer ones.
        for _ in 0..8 {
            let below = |(factors, c): &(Vec<Expr>, i64)| {
                let extent = |f: &Expr| match &*f.kind {
                    Core::Var(sym) => self.extents.get(sym).filter(|_| *c < 0),
                    _ => None,
                };
                let k = factors.iter().position(|f| extent(f).is_some())?;
                let (mut rest, extent) = (factors.clone(), extent(&factors[k])?);
                let index = rest.remove(k);
                let all = rest.iter().all(natural);
                all.then(|| (factors.clone(), *c, rest, index, extent.clone()))
            };
            let all: Vec<_> = sum.terms.iter().filter_map(below).collect();
            let is_inner = |(_, _, _, index, _): &&(_, _, _, Expr, _)| {
                let Core::Var(index) = &*index.kind else {
                    return false;
                };
                let mut bounds = all.iter().map(|(.., extent)| extent);
                !bounds.any(|n| super::rename::mentions(&self.with_sizes(n), index))
            };
            let inner = match &all[..] {
                [one] => Some(one),
                _ => all.iter().find(is_inner).or(all.first()),
            };
            let inner = inner.cloned();
            let Some((factors, c, rest, _, extent)) = inner else {
                let Some(less) =
                    with_whole(&sum, &is_divided).or_else(|| self.shorter(&sum, &mut used))
                else {
                    break;
                };
                sum = less;
                continue;
            };
            // `c·i` is at least `c·(n - 1)`. There is a round, so what is 0 at least is more.
            let extent = match &*extent.kind {
                Core::Prim(Prim::IMax, args) if literal(&args[1]) == Some(0) => &args[0],
                _ => &extent,
            };
            let extent = &self.with_sizes(extent);
            let rest = product_of(&rest);
            sum.term(factors, -c);
            sum = sum.plus(&Sum::of(&times(&rest, extent)), c);
            sum = sum.plus(&Sum::of(&rest), -c);
        }
        let is_it = (sum.terms.iter()).all(|(factors, c)| *c >= 0 && factors.iter().all(natural));
        if is_it {
            used.iter().for_each(|longer| longer.used.set(true));
        }
        is_it
    }

    /// A lower bound of a sum from which a length is subtracted: an axis that is longer than that
    /// length is taken to be just as long.
    fn shorter<'w>(&'w self, sum: &Sum, used: &mut Vec<&'w Longer>) -> Option<Sum> {
        let has = |e: &Expr, more: bool| {
            let is_it =
                |(factors, c): &(Vec<Expr>, i64)| factors[..] == [e.clone()] && (*c > 0) == more;
            sum.terms.iter().find(|term| is_it(term)).map(|(_, c)| *c)
        };
        self.longer.iter().find_map(|longer| {
            let (c, _) = has(&longer.axis, true).zip(has(&longer.least, false))?;
            used.push(longer);
            let less = sum.clone().plus(&Sum::of(&longer.axis), -c);
            Some(less.plus(&Sum::of(&longer.least), c))
        })
    }

    /// The lengths of the axes of an array, as far as they can be said without it.
    pub(crate) fn known_lengths(&mut self, e: &Expr) -> Vec<Option<Expr>> {
        if e.ty.rank == 0 {
            return vec![];
        }
        let unknown = vec![None; e.ty.rank];
        match &*e.kind {
            Core::Var(sym) => match self.lengths.get(sym) {
                Some(known) => known.clone(),
                None => unknown,
            },
            Core::Lit(_)
            | Core::ArgReduce(..)
            | Core::Dim(..)
            | Core::Loop(..)
            | Core::Where(..)
            | Core::Recur(_) => unknown,
            Core::Call(c) => match c.unit.given(c.rule, c.out) {
                Given::Result(k) => {
                    let lengths = c.unit.results[k].lengths.iter();
                    let known = lengths.map(|n| match *n {
                        Length::Fixed(n) => Some(Expr::int(n)),
                        Length::Axis { arg, axis } => {
                            self.lengths_or_dims(&c.args[arg]).swap_remove(axis)
                        }
                        Length::Open => None,
                    });
                    known.collect()
                }
                Given::Length(..) | Given::Derivative(_) | Given::Place | Given::Residual => {
                    unknown
                }
            },
            Core::Update(u) => self.lengths_or_dims(&u.array),
            Core::Demand(_, body) => self.lengths_or_dims(body),
            Core::Prim(_, args) => {
                let mut all = args.iter().map(|a| self.lengths_or_dims(a));
                let first = all.next().unwrap_or_else(|| unknown.clone());
                let same = all.fold(first, agreeing);
                // These are as long as each other, but for arguments with one row, which are
                // repeated if nothing asks for their length.
                let made = args.iter().filter(|a| !matches!(&*a.kind, Core::Prim(..)));
                let made = made.map(|a| self.known_lengths(a));
                let made = made.fold(unknown, either);
                either(same, made)
            }
            Core::Let(sym, bound, body) => {
                if bound.ty.rank > 0 {
                    let known = self.known_lengths(bound);
                    self.know_lengths(sym, known);
                }
                without(self.lengths_or_dims(body), sym)
            }
            Core::If(_, a, b) => agreeing(self.lengths_or_dims(a), self.lengths_or_dims(b)),
            Core::Build(binder, body) => {
                let extent = Some(&binder.extent).filter(|n| is_size(n));
                let mut known = vec![extent.cloned()];
                known.extend(without(self.lengths_or_dims(body), &binder.var));
                known
            }
            Core::Reduce(_, binder, body) => without(self.lengths_or_dims(body), &binder.var),
            Core::Stop(body) => self.lengths_or_dims(body),
            Core::Scatter(s) => {
                let known = s.extents.iter().map(|n| Some(n).filter(|n| is_size(n)));
                known.map(Option::<&Expr>::cloned).collect()
            }
            Core::Index(array, at) => {
                let known = self.lengths_or_dims(array).into_iter().zip(at);
                known.filter(|(_, i)| i.is_none()).map(|(n, _)| n).collect()
            }
        }
    }

    /// The same, with `dim` of what is a variable.
    pub(crate) fn lengths_or_dims(&mut self, e: &Expr) -> Vec<Option<Expr>> {
        let known = self.known_lengths(e);
        let is_variable = matches!(&*e.kind, Core::Var(_));
        let axes = known.into_iter().enumerate();
        axes.map(|(axis, n)| n.or_else(|| is_variable.then(|| Expr::dim(e.clone(), axis))))
            .collect()
    }

    /// A variable has the lengths of an array: a state keeps those that it begins with.
    pub(crate) fn has_lengths_of(&mut self, sym: &Sym, array: &Expr) {
        if array.ty.rank > 0 {
            let known = self.lengths_or_dims(array);
            self.know_lengths(sym, known);
        }
    }

    /// Notes the lengths of a variable, but for those that are made from its own.
    pub(crate) fn know_lengths(&mut self, sym: &Sym, mut known: Vec<Option<Expr>>) {
        for n in &mut known {
            let is_own = |n: &Expr| super::rename::mentions(&self.settled_size(n), sym);
            if n.as_ref().is_some_and(is_own) {
                *n = None;
            }
        }
        self.lengths.insert(sym.clone(), known);
    }

    /// A size in terms of what the lengths of arrays were made from.
    pub(crate) fn settled_size(&mut self, size: &Expr) -> Expr {
        if let Core::Prim(prim, args) = &*size.kind {
            let args = args.iter().map(|a| self.settled_size(a));
            return Expr::prim(*prim, args.collect());
        }
        let Core::Dim(array, axis) = &*size.kind else {
            return size.clone();
        };
        match self.known_lengths(array).swap_remove(*axis) {
            Some(n) => self.settled_size(&n),
            None => size.clone(),
        }
    }

    /// Whether a size is known where the function begins, but for the indices of loops.
    pub(crate) fn is_size_in_loops(&mut self, e: &Expr) -> bool {
        fn is_known(w: &Writer, e: &Expr) -> bool {
            match &*e.kind {
                Core::Lit(_) | Core::Dim(..) => true,
                Core::Var(sym) => w.extents.contains_key(sym) || !w.bound.contains_key(sym),
                Core::Prim(_, args) => args.iter().all(|a| is_known(w, a)),
                _ => false,
            }
        }
        let e = self.written_size(e);
        is_known(self, &e)
    }

    /// The lengths of all axes, of an array that may be written several times.
    pub(crate) fn written_lengths(&mut self, array: &Expr) -> Vec<Expr> {
        let known = self.known_lengths(array).into_iter().enumerate();
        let or_asked =
            |(axis, n): (usize, Option<Expr>)| n.unwrap_or_else(|| length(array.clone(), axis));
        known.map(or_asked).collect()
    }

    /// A size with the numbers that are bound written out, as far as it does not get too long, and
    /// the lengths of arrays by what they were made from.
    pub(crate) fn written_size(&mut self, e: &Expr) -> Expr {
        let mut left = LONGEST;
        let written = self.written_part(e, &mut left);
        match left {
            0 => self.settled_size(e),
            _ => written,
        }
    }

    fn written_part(&mut self, e: &Expr, left: &mut usize) -> Expr {
        if *left == 0 {
            return e.clone();
        }
        *left -= 1;
        if let Core::Prim(prim, args) = &*e.kind {
            let args = args.iter().map(|a| self.written_part(a, left));
            return Expr::prim(*prim, args.collect());
        }
        if let Core::Var(sym) = &*e.kind
            && let Some(size) = self.sizes.get(sym).cloned()
        {
            return self.written_part(&size, left);
        }
        let settled = self.settled_size(e);
        match settled == *e {
            true => settled,
            false => self.written_part(&settled, left),
        }
    }
}
