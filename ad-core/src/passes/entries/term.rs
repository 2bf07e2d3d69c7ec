//! Terms of linear arrays, and what linear operations make of them.

use super::Reader;
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Feed, Ix, Op, Part, Type, Var, states};
use crate::ir::entries::{Block, Component};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::{HashMap, HashSet};

/// `t[s] = Σ over d with row(d) = s  values[d] · x[column(d)]`. The shape of `values` is the
/// domain.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    /// Which of the linear parameters x is.
    pub(super) input: usize,
    /// Anything where the term is not present.
    pub(super) values: Var,
    /// A bool array over the domain; absent means everywhere.
    pub(super) present: Option<Var>,
    pub(super) row: Vec<Ix>,
    pub(super) column: Vec<Ix>,
    /// Positions along an axis of fixed length at which the term is not present.
    pub(super) excluded: Vec<(usize, i64)>,
}

/// What a condition over an array says of the domain of a term.
enum Meaning {
    Always,
    Never,
    /// An axis has one position.
    Pinned(usize, Size),
    /// An axis does not have a position.
    Excluded(usize, i64),
    Unknown,
}

fn axes(rank: usize) -> Vec<Ix> {
    (0..rank)
        .map(|k| Ix::Affine(Affine::axis(rank, k)))
        .collect()
}

/// An affine map over some axes, over a space in which these are the axes `at`.
fn spread_affine(a: &Affine, at: &[usize], rank: usize) -> Affine {
    let mut out = Affine::constant(rank, a.constant.clone());
    for (c, &k) in a.coefs.iter().zip(at) {
        out.coefs[k] = c.clone();
    }
    out
}

impl Reader {
    /// The term of a linear parameter: itself.
    pub(super) fn seed(&mut self, input: usize) -> Term {
        let shape = self.inputs[input].clone();
        Term {
            input,
            values: self.out.fill(Lit::Real(1.0), &shape),
            present: None,
            row: axes(shape.len()),
            column: axes(shape.len()),
            excluded: vec![],
        }
    }

    pub(super) fn domain(&self, t: &Term) -> Vec<Size> {
        self.out.shape(t.values)
    }

    fn is_one(&self, v: Var) -> bool {
        (self.out.eq(v)).is_some_and(|e| e.guard.is_none() && e.op == Op::Fill(Lit::Real(1.0)))
    }

    /// An array read at the places `at`, over another shape.
    fn read_at(&mut self, v: Var, at: &[Ix], shape: &[Size], within: Option<Var>) -> Var {
        if at == &axes(shape.len())[..] && self.out.shape(v) == shape {
            return v;
        }
        if let Some(Eq {
            op: Op::Fill(lit),
            guard: None,
            ..
        }) = self.out.eq(v)
        {
            let lit = *lit;
            return self.out.fill(lit, shape);
        }
        self.out.gather(v, at.to_vec(), shape, within)
    }

    /// A component as an integer array.
    fn integers(&mut self, i: &Ix, shape: &[Size]) -> Var {
        match i {
            Ix::Affine(a) => self.out.index(a.clone(), shape),
            Ix::Data(v) => *v,
        }
    }

    /// `constant + Σ coefs[k] · at[k]`
    fn combined(&mut self, a: &Affine, at: &[Ix], shape: &[Size], within: Option<Var>) -> Ix {
        let mut affine = Affine::constant(shape.len(), a.constant.clone());
        let mut data = vec![];
        for (c, i) in a.coefs.iter().zip(at) {
            match i {
                _ if c.is(0) => {}
                Ix::Affine(i) => affine = affine.add_scaled(i, c),
                Ix::Data(v) => data.push((c.clone(), *v)),
            }
        }
        let mut sum = None;
        for (c, v) in data {
            let product = if c.is(1) {
                v
            } else {
                let c = self.out.index(Affine::constant(shape.len(), c), shape);
                self.out.map(Prim::IMul, &[c, v], within)
            };
            sum = Some(match sum {
                None => product,
                Some(sum) => self.out.map(Prim::IAdd, &[sum, product], within),
            });
        }
        let Some(sum) = sum else {
            return Ix::Affine(affine);
        };
        if affine.is_constant() && affine.constant.is(0) {
            return Ix::Data(sum);
        }
        let rest = self.out.index(affine, shape);
        Ix::Data(self.out.map(Prim::IAdd, &[sum, rest], within))
    }

    /// A component of an index map, after the map `at` from another space.
    pub(super) fn composed(
        &mut self,
        i: &Ix,
        at: &[Ix],
        shape: &[Size],
        within: Option<Var>,
    ) -> Ix {
        match i {
            Ix::Affine(a) => self.combined(a, at, shape, within),
            Ix::Data(v) => Ix::Data(self.read_at(*v, at, shape, within)),
        }
    }

    /// A term over another domain: at the places `at` of its own, where `within` holds.
    fn moved(&mut self, t: &Term, at: &[Ix], shape: &[Size], within: Option<Var>) -> Term {
        let present = t.present.map(|p| self.read_at(p, at, shape, within));
        let present = self.out.both(within, present);
        let values = self.read_at(t.values, at, shape, present);
        let map = |r: &mut Reader, all: &[Ix]| -> Vec<Ix> {
            let all = all.iter();
            all.map(|i| r.composed(i, at, shape, present)).collect()
        };
        Term {
            input: t.input,
            values,
            present,
            row: map(self, &t.row),
            column: map(self, &t.column),
            excluded: vec![],
        }
    }

    /// A term whose condition says all: nothing is left to be found out.
    fn settled(&mut self, mut t: Term) -> Term {
        let shape = self.domain(&t);
        for (axis, at) in std::mem::take(&mut t.excluded) {
            let here = self.out.index(Affine::axis(shape.len(), axis), &shape);
            let there = self.out.fill(Lit::Int(at), &shape);
            let other = self.out.map(Prim::INe, &[here, there], None);
            t.present = self.out.both(t.present, Some(other));
        }
        t
    }

    /// A term with an axis of its domain at one position.
    fn pinned(&mut self, t: &Term, axis: usize, at: &Size) -> Term {
        let shape = without(&self.domain(t), &[axis]);
        let rank = shape.len();
        let map: Vec<Ix> = (0..=rank)
            .map(|k| {
                Ix::Affine(match k.cmp(&axis) {
                    std::cmp::Ordering::Less => Affine::axis(rank, k),
                    std::cmp::Ordering::Equal => Affine::constant(rank, at.clone()),
                    std::cmp::Ordering::Greater => Affine::axis(rank, k - 1),
                })
            })
            .collect();
        let excluded = t.excluded.iter().filter(|(k, _)| *k != axis);
        let excluded = excluded.map(|&(k, at)| (k - usize::from(k > axis), at));
        let excluded = excluded.collect();
        Term {
            excluded,
            ..self.moved(t, &map, &shape, None)
        }
    }

    /// What a condition over the axes of the array says of the domain.
    fn meaning(&self, t: &Term, c: Var) -> Meaning {
        let Some(eq) = self.out.eq(c).filter(|e| e.guard.is_none()) else {
            return Meaning::Unknown;
        };
        if let Op::Fill(Lit::Bool(holds)) = eq.op {
            return match holds {
                true => Meaning::Always,
                false => Meaning::Never,
            };
        }
        let Op::Map(prim, args) = &eq.op else {
            return Meaning::Unknown;
        };
        let prim = *prim;
        if prim == Prim::Not {
            return match self.meaning(t, args[0]) {
                Meaning::Always => Meaning::Never,
                Meaning::Never => Meaning::Always,
                Meaning::Pinned(k, at) => match at.as_lit() {
                    Some(at) => Meaning::Excluded(k, at),
                    None => Meaning::Unknown,
                },
                Meaning::Excluded(k, at) => Meaning::Pinned(k, Size::lit(at)),
                Meaning::Unknown => Meaning::Unknown,
            };
        }
        let is_equal = prim == Prim::IEq;
        if !is_equal && prim != Prim::INe {
            return Meaning::Unknown;
        }
        let sides = [args[0], args[1]].map(|v| self.affine(v));
        let [Some(left), Some(right)] = sides else {
            return Meaning::Unknown;
        };
        let difference = left.add_scaled(&right, &Size::lit(-1));
        let rank = self.out.ty(t.values).rank();
        let mut here = Affine::constant(rank, difference.constant.clone());
        for (c, i) in difference.coefs.iter().zip(&t.row) {
            match i {
                _ if c.is(0) => {}
                Ix::Affine(i) => here = here.add_scaled(i, c),
                Ix::Data(_) => return Meaning::Unknown,
            }
        }
        if here.is_constant() {
            return match (here.constant.as_lit(), is_equal) {
                (None, _) => Meaning::Unknown,
                (Some(0), true) => Meaning::Always,
                (Some(_), true) => Meaning::Never,
                (Some(0), false) => Meaning::Never,
                (Some(_), false) => Meaning::Always,
            };
        }
        let Some((axis, c)) = here.single() else {
            return Meaning::Unknown;
        };
        let at = match c.as_lit() {
            Some(1) => here.constant.neg(),
            Some(-1) => here.constant.clone(),
            _ => return Meaning::Unknown,
        };
        let length = &self.out.ty(t.values).shape[axis];
        if !(at.at_least(0) && length.sub(&at).at_least(1)) {
            return Meaning::Unknown;
        }
        match (is_equal, at.as_lit()) {
            (true, _) => Meaning::Pinned(axis, at),
            (false, Some(at)) => Meaning::Excluded(axis, at),
            (false, None) => Meaning::Unknown,
        }
    }

    fn affine(&self, v: Var) -> Option<Affine> {
        let eq = self.out.eq(v).filter(|e| e.guard.is_none())?;
        if let Op::Fill(l) = eq.op {
            return l.as_size().map(|k| Affine::constant(eq.ty.rank(), k));
        }
        let Op::Index(a) = &eq.op else { return None };
        Some(a.clone())
    }

    /// The members of a conjunction.
    fn members(&self, c: Var) -> Vec<Var> {
        let mut out = vec![];
        let mut seen = HashSet::new();
        let mut next = vec![c];
        while let Some(c) = next.pop() {
            if !seen.insert(c) {
                continue;
            }
            match self.out.eq(c) {
                Some(Eq {
                    op: Op::Map(Prim::And, args),
                    guard: None,
                    ..
                }) => next.extend(args.iter().rev()),
                _ => out.push(c),
            }
        }
        out
    }

    /// A term where a condition over the axes of the array holds; `None` if that is nowhere.
    pub(super) fn masked(&mut self, mut t: Term, condition: Option<Var>) -> Option<Term> {
        let Some(condition) = condition else {
            return Some(t);
        };
        for c in self.members(condition) {
            match self.meaning(&t, c) {
                Meaning::Always => {}
                Meaning::Never => return None,
                Meaning::Pinned(axis, at) => {
                    let is_excluded = |&(k, n): &(usize, i64)| k == axis && at.is(n);
                    if t.excluded.iter().any(is_excluded) {
                        return None;
                    }
                    t = self.pinned(&t, axis, &at);
                }
                Meaning::Excluded(axis, at) => {
                    if !t.excluded.contains(&(axis, at)) {
                        t.excluded.push((axis, at));
                    }
                    let length = self.domain(&t)[axis].as_lit();
                    let there = |n: i64| t.excluded.contains(&(axis, n));
                    let Some(length) = length.filter(|n| *n <= 64) else {
                        continue;
                    };
                    let mut left = (0..length).filter(|n| !there(*n));
                    match (left.next(), left.next()) {
                        (None, _) => return None,
                        (Some(only), None) => t = self.pinned(&t, axis, &Size::lit(only)),
                        (Some(_), Some(_)) => {}
                    }
                }
                Meaning::Unknown => {
                    let domain = self.domain(&t);
                    let here = self.read_at(c, &t.row, &domain, t.present);
                    t.present = self.out.both(t.present, Some(here));
                }
            }
        }
        Some(t)
    }

    /// A term times an array, or divided by it.
    pub(super) fn scaled(&mut self, t: Term, p: Prim, x: Var) -> Term {
        let domain = self.domain(&t);
        let x = self.read_at(x, &t.row, &domain, t.present);
        let values = if p == Prim::Mul && self.is_one(t.values) {
            x
        } else if p == Prim::Mul {
            self.out.map(Prim::Mul, &[x, t.values], t.present)
        } else {
            self.out.map(Prim::Div, &[t.values, x], t.present)
        };
        Term { values, ..t }
    }

    /// The terms of `t[index]`, over a shape.
    pub(super) fn gathered(
        &mut self,
        t: &Term,
        of: &[Size],
        index: &[Ix],
        shape: &[Size],
        guard: Option<Var>,
    ) -> Result<Option<Term>, String> {
        let t = self.settled(t.clone());
        let domain = self.domain(&t);
        // Which equation says where each axis of the domain is.
        let mut said: Vec<Option<usize>> = vec![None; domain.len()];
        let unit = |c: &Size| c.is(1) || c.is(-1);
        for alone in [true, false] {
            for (e, row) in t.row.iter().enumerate() {
                let Ix::Affine(a) = row else { continue };
                if said.contains(&Some(e)) || alone && a.single().is_none() {
                    continue;
                }
                // The other axes that it mentions must be free.
                let others = |k: usize| {
                    (0..domain.len()).all(|j| j == k || a.coefs[j].is(0) || said[j].is_none())
                };
                let depended = |k: usize| {
                    (t.row.iter().enumerate()).any(|(f, r)| match r {
                        Ix::Affine(b) => said.contains(&Some(f)) && !b.coefs[k].is(0),
                        Ix::Data(_) => false,
                    })
                };
                let solved = (0..domain.len())
                    .find(|&k| unit(&a.coefs[k]) && said[k].is_none() && others(k) && !depended(k));
                if let Some(k) = solved {
                    said[k] = Some(e);
                }
            }
        }
        let free: Vec<usize> = (0..domain.len()).filter(|&k| said[k].is_none()).collect();
        let rank = shape.len() + free.len();
        let mut space = shape.to_vec();
        space.extend(free.iter().map(|&k| domain[k].clone()));
        let own: Vec<usize> = (0..shape.len()).collect();
        let spread = |r: &mut Reader, i: &Ix| match i {
            Ix::Affine(a) => Ix::Affine(spread_affine(a, &own, rank)),
            Ix::Data(v) => Ix::Data(r.out.spread(*v, &own, &space)),
        };
        let index: Vec<Ix> = index.iter().map(|i| spread(self, i)).collect();
        let mut within = guard.map(|g| self.out.spread(g, &own, &space));
        let mut at: Vec<Ix> = vec![Ix::Affine(Affine::constant(rank, Size::lit(0))); domain.len()];
        for (j, &k) in free.iter().enumerate() {
            at[k] = Ix::Affine(Affine::axis(rank, shape.len() + j));
        }
        for (k, e) in said.iter().enumerate() {
            let Some(e) = *e else { continue };
            let Ix::Affine(a) = &t.row[e] else {
                unreachable!("solved for an axis")
            };
            // index = ± axis k + the rest
            let sign = a.coefs[k].clone();
            let mut rest = a.clone();
            rest.coefs[k] = Size::lit(0);
            let mut solution = Affine::constant(domain.len() + 1, rest.constant.mul(&sign).neg());
            for (j, c) in rest.coefs.iter().enumerate() {
                solution.coefs[j] = c.mul(&sign).neg();
            }
            solution.coefs[domain.len()] = sign;
            let mut known = at.clone();
            known.push(index[e].clone());
            at[k] = self.combined(&solution, &known, &space, within);
            let is_whole = a.as_axis() == Some(k) && of[e] == domain[k];
            if !is_whole {
                within = self.inside(&at[k].clone(), &domain[k], &space, within);
            }
        }
        // What no axis solves is compared.
        for (e, row) in t.row.iter().enumerate() {
            if said.contains(&Some(e)) {
                continue;
            }
            let is_fixed = match row {
                Ix::Affine(a) => free.iter().all(|&k| a.coefs[k].is(0)),
                Ix::Data(_) => false,
            };
            if !is_fixed {
                return Err("reads from what is written at places that depend on data".into());
            }
            let here = self.composed(row, &at, &space, within);
            if let (Ix::Affine(i), Ix::Affine(j)) = (&index[e], &here) {
                let difference = i.add_scaled(j, &Size::lit(-1));
                if difference.is_constant() && difference.constant.is(0) {
                    continue;
                }
                if difference.is_constant() && difference.constant.as_lit().is_some() {
                    return Ok(None);
                }
            }
            let (i, j) = (
                self.integers(&index[e].clone(), &space),
                self.integers(&here, &space),
            );
            let equal = self.out.map(Prim::IEq, &[i, j], within);
            within = self.out.both(within, Some(equal));
        }
        let mut moved = self.moved(&t, &at, &space, within);
        moved.row = (0..shape.len())
            .map(|k| Ix::Affine(Affine::axis(rank, k)))
            .collect();
        Ok(Some(moved))
    }

    /// A condition, and that a component lies in `0..n`.
    fn inside(&mut self, i: &Ix, n: &Size, space: &[Size], within: Option<Var>) -> Option<Var> {
        if let Ix::Affine(a) = i
            && a.inside(space, n)
        {
            return within;
        }
        let at = self.integers(i, space);
        let zero = self.out.fill(Lit::Int(0), space);
        let end = self
            .out
            .index(Affine::constant(space.len(), n.clone()), space);
        let low = self.out.map(Prim::IGe, &[at, zero], within);
        let high = self.out.map(Prim::ILt, &[at, end], within);
        let both = self.out.map(Prim::And, &[low, high], None);
        self.out.both(within, Some(both))
    }

    /// `Σ x · t` over the labels that are not among `out_axes`.
    pub(super) fn contracted(
        &mut self,
        t: &Term,
        t_axes: &[u8],
        x: Var,
        x_axes: &[u8],
        out_axes: &[u8],
    ) -> Term {
        let t = self.settled(t.clone());
        let own = self.domain(&t);
        let x_shape = self.out.shape(x);
        let mut space = own.clone();
        let place = |label: u8| t_axes.iter().position(|l| *l == label);
        let mut free: Vec<(u8, usize)> = vec![];
        for (&label, n) in x_axes.iter().zip(&x_shape) {
            if place(label).is_none() {
                free.push((label, space.len()));
                space.push(n.clone());
            }
        }
        let rank = space.len();
        let first: Vec<Ix> = (0..own.len())
            .map(|k| Ix::Affine(Affine::axis(rank, k)))
            .collect();
        let wide = self.moved(&t, &first, &space, None);
        let component = |label: u8| match place(label) {
            Some(e) => wide.row[e].clone(),
            None => {
                let axis = free.iter().find(|(l, _)| *l == label);
                let (_, axis) = axis.expect("a label of an operand");
                Ix::Affine(Affine::axis(rank, *axis))
            }
        };
        let at: Vec<Ix> = x_axes.iter().map(|&l| component(l)).collect();
        let row = out_axes.iter().map(|&l| component(l)).collect();
        let x = self.read_at(x, &at, &space, wide.present);
        let values = match self.is_one(wide.values) {
            true => x,
            false => self.out.map(Prim::Mul, &[x, wide.values], wide.present),
        };
        Term {
            values,
            row,
            ..wide
        }
    }

    /// The states of a recurrence that starts from `t`.
    pub(super) fn recurring(
        &mut self,
        t: &Term,
        a: Var,
        mask: Option<Var>,
        axis: usize,
        reverse: bool,
    ) -> Term {
        let t = self.settled(t.clone());
        let own = self.domain(&t);
        let last = own.len();
        let steps = self.out.shape(a)[axis].clone();
        let over = |r: &mut Reader, n: Size| {
            let mut space = own.clone();
            space.push(n);
            let first: Vec<Ix> = (0..last)
                .map(|k| Ix::Affine(Affine::axis(last + 1, k)))
                .collect();
            let mut wide = r.moved(&t, &first, &space, None);
            wide.row
                .insert(axis, Ix::Affine(Affine::axis(last + 1, last)));
            (wide, space)
        };
        let (factors, space) = over(self, steps.clone());
        let a = self.read_at(a, &factors.row, &space, factors.present);
        let mask = mask.map(|m| self.read_at(m, &factors.row, &space, factors.present));
        let start = self.out.masked(t.values, t.present);
        let (states, shape) = over(self, states(&steps));
        let op = Op::Recur {
            a,
            mask: self.out.both(mask, factors.present),
            b: Feed::First(start),
            axis: last,
            reverse,
        };
        let ty = Type {
            elem: Elem::Real,
            shape,
        };
        let guard = None;
        let values = self.out.push(Eq { ty, guard, op });
        Term { values, ..states }
    }

    /// Where an update leaves an array as it was.
    pub(super) fn not_written(
        &mut self,
        shape: &[Size],
        written: &[Size],
        index: &[Ix],
        when: Option<Var>,
    ) -> Var {
        let fixed = |i: &Ix| match i {
            Ix::Affine(a) => Some(a.constant.clone()),
            Ix::Data(_) => None,
        };
        // One element, whose place is known.
        if let (true, None, Some(places)) = (
            written.is_empty(),
            when,
            index.iter().map(fixed).collect::<Option<Vec<Size>>>(),
        ) {
            let mut here = None;
            for (k, place) in places.into_iter().enumerate() {
                let at = self.out.index(Affine::axis(shape.len(), k), shape);
                let place = self.out.index(Affine::constant(shape.len(), place), shape);
                let same = self.out.map(Prim::IEq, &[at, place], None);
                here = self.out.both(here, Some(same));
            }
            return match here {
                Some(here) => self.out.map(Prim::Not, &[here], None),
                None => self.out.fill(Lit::Bool(false), shape),
            };
        }
        let src = self.out.fill(Lit::Bool(true), shape);
        let part = Part {
            src: self.out.fill(Lit::Bool(false), written),
            index: index.to_vec(),
        };
        let ty = Type {
            elem: Elem::Bool,
            shape: shape.to_vec(),
        };
        let (op, guard) = (Op::update(src, part, when), None);
        self.out.push(Eq { ty, guard, op })
    }

    /// The axes that an array depends on, as far as its equations say.
    fn axes_of(&mut self, v: Var) -> u64 {
        if let Some(&known) = self.used.get(&v) {
            return known;
        }
        let all = u64::MAX;
        let found = match self.out.eq(v).cloned() {
            None => all,
            Some(eq) => {
                let guard = eq.guard.map_or(0, |g| self.axes_of(g));
                guard
                    | match &eq.op {
                        Op::Fill(_) => 0,
                        Op::Index(a) => bits(a),
                        Op::Map(_, args) => args.iter().fold(0, |m, a| m | self.axes_of(*a)),
                        Op::Gather { index, .. } => index.iter().fold(0, |m, i| m | self.uses(i)),
                        Op::Copy(a) => self.axes_of(*a),
                        Op::Scatter(_)
                        | Op::Reduce { .. }
                        | Op::ArgReduce { .. }
                        | Op::Recur { .. }
                        | Op::Contract { .. }
                        | Op::Update { .. }
                        | Op::Loop { .. }
                        | Op::Call { .. }
                        | Op::Stop(_) => all,
                    }
            }
        };
        self.used.insert(v, found);
        found
    }

    /// The axes that a component depends on.
    fn uses(&mut self, i: &Ix) -> u64 {
        match i {
            Ix::Affine(a) => bits(a),
            Ix::Data(v) => self.axes_of(*v),
        }
    }

    fn kept_by(&mut self, v: Var) -> Vec<usize> {
        let used = self.axes_of(v);
        let rank = self.out.ty(v).rank();
        (0..rank).filter(|k| used >> k & 1 == 1).collect()
    }

    /// An array over the axes `kept` only; it depends on no other.
    /// What may fail is computed only where the others have a position.
    fn projected(&mut self, v: Var, kept: &[usize]) -> Var {
        let shape = self.out.shape(v);
        let some = self.some(&shape, kept);
        self.projection(v, kept, some, &mut HashMap::new())
    }

    /// Whether the axes of a shape that are not kept have a position, over those that are; `None`
    /// if it is evident.
    fn some(&mut self, shape: &[Size], kept: &[usize]) -> Option<Var> {
        let rest: Vec<Size> = kept.iter().map(|&k| shape[k].clone()).collect();
        let mut some = None;
        for (k, n) in shape.iter().enumerate() {
            if !kept.contains(&k) && !n.at_least(1) {
                let none = Affine::constant(rest.len(), Size::lit(0));
                let length = Affine::constant(rest.len(), n.clone());
                let holds = self.out.less(none, length, &rest);
                some = self.out.both(some, Some(holds));
            }
        }
        some
    }

    fn projection(
        &mut self,
        v: Var,
        kept: &[usize],
        some: Option<Var>,
        done: &mut HashMap<Var, Var>,
    ) -> Var {
        if kept.len() == self.out.ty(v).rank() {
            return v;
        }
        if let Some(&done) = done.get(&v) {
            return done;
        }
        let eq = self
            .out
            .eq(v)
            .expect("parameters depend on their axes")
            .clone();
        let mut guard = eq.guard.map(|g| self.projection(g, kept, some, done));
        let is_partial = matches!(&eq.op, Op::Map(p, _) if p.is_partial());
        if is_partial || matches!(eq.op, Op::Gather { .. }) {
            guard = self.out.both(some, guard);
        }
        let shape: Vec<Size> = kept.iter().map(|&k| eq.ty.shape[k].clone()).collect();
        let op = match eq.op {
            Op::Map(p, args) => {
                let args = args.iter().map(|a| self.projection(*a, kept, some, done));
                Op::Map(p, args.collect())
            }
            Op::Index(a) => Op::Index(projected_affine(&a, kept)),
            Op::Gather { src, index } => {
                let index = index.iter().map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(projected_affine(a, kept)),
                    Ix::Data(v) => Ix::Data(self.projection(*v, kept, some, done)),
                });
                let index = index.collect();
                Op::Gather { src, index }
            }
            Op::Copy(a) => Op::Copy(self.projection(a, kept, some, done)),
            op @ (Op::Fill(_)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Stop(_)) => op,
        };
        let elem = eq.ty.elem;
        let ty = Type { elem, shape };
        let new = self.out.push(Eq { ty, guard, op });
        done.insert(v, new);
        new
    }

    fn projected_ix(&mut self, i: &Ix, kept: &[usize]) -> Ix {
        match i {
            Ix::Affine(a) => Ix::Affine(projected_affine(a, kept)),
            Ix::Data(v) => Ix::Data(self.projected(*v, kept)),
        }
    }

    /// A term whose domain has only axes on which its maps depend: it is summed along the others.
    ///
    /// ```text
    /// Σ over k, d  values[d, k] · x[column(d)] = Σ over d  [n > 0] (Σ over k < n  values[d, k]) · x[column(d)]
    /// ```
    ///
    /// The condition is needed where `column(d)` may be outside if the sum has no terms.
    fn summed(&mut self, t: Term, of: &[Size]) -> Term {
        let domain = self.domain(&t);
        let maps = t.row.iter().chain(&t.column);
        let used = maps.fold(0, |used, i| used | self.uses(i));
        let is_kept = |k: &usize| used >> k & 1 == 1;
        let (kept, gone): (Vec<usize>, Vec<usize>) = (0..domain.len()).partition(is_kept);
        if gone.is_empty() {
            return t;
        }
        let t = self.settled(t);
        let values = self.out.masked(t.values, t.present);
        let values = self.out.sum(values, &gone, None);
        let rest: Vec<Size> = kept.iter().map(|&k| domain[k].clone()).collect();
        let columns = t.column.iter().zip(&self.inputs[t.input]);
        let mut places = t.row.iter().zip(of).chain(columns);
        let is_inside = places.all(|(i, n)| match i {
            Ix::Affine(a) => projected_affine(a, &kept).inside(&rest, n),
            Ix::Data(_) => false,
        });
        let some = match is_inside {
            true => None,
            false => self.some(&domain, &kept),
        };
        let present = t.present.map(|p| {
            let of = self.axes_of(p);
            if gone.iter().any(|&k| of >> k & 1 == 1) {
                let counted = self.out.map(Prim::BoolToInt, &[p], None);
                let count = self.out.sum(counted, &gone, None);
                let shape = self.out.shape(count);
                let none = self.out.fill(Lit::Int(0), &shape);
                return self.out.map(Prim::IGt, &[count, none], None);
            }
            self.projected(p, &kept)
        });
        let present = self.out.both(some, present);
        let map = |r: &mut Reader, all: &[Ix]| -> Vec<Ix> {
            let all = all.iter();
            all.map(|i| r.projected_ix(i, &kept)).collect()
        };
        Term {
            input: t.input,
            values: self.out.masked(values, present),
            present,
            row: map(self, &t.row),
            column: map(self, &t.column),
            excluded: vec![],
        }
    }

    /// A term with the axes of its domain in the order in which its maps mention them.
    fn ordered(&mut self, t: Term) -> Term {
        let shape = self.domain(&t);
        let mut order: Vec<usize> = vec![];
        for i in t.row.iter().chain(&t.column) {
            let used = self.uses(i);
            for k in 0..shape.len() {
                if !order.contains(&k) && used >> k & 1 == 1 {
                    order.push(k);
                }
            }
        }
        if order.iter().copied().eq(0..shape.len()) {
            return t;
        }
        let rank = shape.len();
        let place = |k: usize| {
            order
                .iter()
                .position(|o| *o == k)
                .expect("every axis is used")
        };
        let at: Vec<Ix> = (0..rank)
            .map(|k| Ix::Affine(Affine::axis(rank, place(k))))
            .collect();
        let turned: Vec<Size> = order.iter().map(|&k| shape[k].clone()).collect();
        let excluded = t.excluded.iter().map(|&(k, n)| (place(k), n)).collect();
        Term {
            excluded,
            ..self.moved(&t, &at, &turned, None)
        }
    }

    /// Terms with the same maps are one.
    pub(super) fn together(&mut self, terms: Vec<Term>, of: &[Size]) -> Vec<Term> {
        let mut out: Vec<Term> = vec![];
        for t in terms {
            let t = self.summed(t, of);
            let t = self.ordered(t);
            let domain = self.domain(&t);
            let is_like = |r: &Reader, o: &Term| {
                o.input == t.input
                    && o.row == t.row
                    && o.column == t.column
                    && r.out.ty(o.values).shape == domain
            };
            let Some(k) = out.iter().position(|o| is_like(self, o)) else {
                out.push(t);
                continue;
            };
            let [a, b] = match out[k].excluded == t.excluded {
                true => [out[k].clone(), t],
                false => [out[k].clone(), t].map(|t| self.settled(t)),
            };
            out[k] = self.added(a, b);
        }
        out
    }

    /// The sum of two terms with the same maps.
    fn added(&mut self, a: Term, b: Term) -> Term {
        let either = |r: &Reader, c: Var, d: Var| {
            let op = |v: Var| r.out.eq(v).filter(|e| e.guard.is_none()).map(|e| &e.op);
            let is_not = |c: Var, d: Var| op(d) == Some(&Op::Map(Prim::Not, vec![c]));
            let mut is_negation = false;
            if let (Some(Op::Map(p, a)), Some(Op::Map(q, b))) = (op(c), op(d)) {
                is_negation = p.negation() == Some(*q) && a == b;
            }
            is_negation || is_not(c, d) || is_not(d, c)
        };
        let present = match (a.present, b.present) {
            (Some(c), Some(d)) if c == d => Some(c),
            (Some(c), Some(d)) if either(self, c, d) => None,
            (Some(c), Some(d)) => Some(self.out.map(Prim::Or, &[c, d], None)),
            (None, _) | (_, None) => None,
        };
        let [x, y] = [&a, &b].map(|t| (t.values, t.present));
        let x = self.out.masked(x.0, x.1);
        let y = self.out.masked(y.0, y.1);
        let values = self.out.map(Prim::Add, &[x, y], present);
        Term {
            values,
            present,
            ..a
        }
    }

    /// What is known of a term when the program has run: its arrays become results.
    pub(super) fn block(&mut self, output: usize, t: Term, results: &mut Vec<Var>) -> Block {
        let t = self.settled(t);
        let shape = self.domain(&t);
        results.push(t.values);
        let mut data = |r: &mut Reader, v: Var| {
            let kept = r.kept_by(v);
            results.push(r.projected(v, &kept));
            kept
        };
        let mut map = |r: &mut Reader, all: &[Ix]| -> Vec<Component> {
            let component = |i: &Ix| match i {
                Ix::Affine(a) if a.coefs.iter().chain([&a.constant]).all(is_known) => {
                    Component::Affine(a.clone())
                }
                Ix::Affine(_) | Ix::Data(_) => {
                    let v = r.integers(i, &shape);
                    Component::Data(data(r, v))
                }
            };
            all.iter().map(component).collect()
        };
        let (row, column) = (map(self, &t.row), map(self, &t.column));
        let present = t.present.map(|p| data(self, p));
        Block {
            output,
            input: t.input,
            row,
            column,
            present,
        }
    }

    /// The diagonal of the Jacobian of result `output`, which is `like`, by parameter `output`.
    pub(super) fn diagonal(
        &mut self,
        output: usize,
        terms: Vec<Term>,
        like: Var,
        of_parameter: &[Size],
    ) -> Result<Var, String> {
        let shape = self.out.shape(like);
        let same = shape.len() == of_parameter.len()
            && shape.iter().zip(of_parameter).skip(1).all(|(a, b)| a == b);
        if !same {
            return Err("the shapes of result and argument are not the same".into());
        }
        let mut whole: Option<Var> = None;
        let mut parts = vec![];
        for t in terms {
            let t = self.settled(t);
            if t.input != output || t.row != t.column {
                return Err("an element of the result depends on other elements".into());
            }
            let src = self.out.masked(t.values, t.present);
            if t.row == axes(shape.len()) && self.out.shape(src) == shape {
                whole = Some(match whole {
                    None => src,
                    Some(sum) => self.out.map(Prim::Add, &[sum, src], None),
                });
            } else {
                parts.push(Part { src, index: t.row });
            }
        }
        if parts.is_empty()
            && let Some(whole) = whole
        {
            return Ok(whole);
        }
        if let Some(src) = whole {
            let index = axes(shape.len());
            parts.push(Part { src, index });
        }
        let ty = Type {
            elem: Elem::Real,
            shape,
        };
        let (op, guard) = (Op::Scatter(parts), None);
        Ok(self.out.push(Eq { ty, guard, op }))
    }
}

/// Whether a size is known on entry.
fn is_known(s: &Size) -> bool {
    let mut known = true;
    s.visit(&mut |a| known &= !matches!(a, Atom::Value(_)));
    known
}

/// The axes that occur, as bits.
fn bits(a: &Affine) -> u64 {
    let occurs = |(k, c): (usize, &Size)| if c.is(0) { 0 } else { 1 << k };
    a.coefs.iter().enumerate().map(occurs).fold(0, |m, b| m | b)
}

fn projected_affine(a: &Affine, kept: &[usize]) -> Affine {
    Affine {
        coefs: kept.iter().map(|&k| a.coefs[k].clone()).collect(),
        constant: a.constant.clone(),
    }
}
