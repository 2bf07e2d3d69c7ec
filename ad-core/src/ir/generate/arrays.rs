//! Arrays, and expressions of any given type.

use super::{Entry, Gen, Info, MOST, p2};
use crate::ir::core::{Binder, Bound, Expr, ReduceOp, Scatter, Sym, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

impl Gen {
    pub(super) fn any(&mut self, elem: Elem, shape: &[usize], budget: usize) -> (Expr, Info) {
        if !shape.is_empty() {
            return self.array(elem, shape, budget);
        }
        match elem {
            Elem::Real => self.real(budget),
            Elem::Int => {
                let (e, lo, hi) = self.int(budget);
                let (e, lo, hi) = self.small(e, lo, hi);
                (e, Info::int(lo, hi))
            }
            Elem::Bool => (self.truth(budget).0, Info::int(0, 0)),
        }
    }

    /// Variables of a shape, also as parts of larger ones.
    pub(super) fn part(
        &mut self,
        elem: Elem,
        shape: &[usize],
        budget: usize,
    ) -> Option<(Expr, Info)> {
        let mut found: Vec<(Entry, Vec<bool>)> = vec![];
        for e in &self.scope {
            let extra = e.shape.len().checked_sub(shape.len());
            let (true, Some(extra)) = (e.elem == elem, extra) else {
                continue;
            };
            // Which axes are kept: every choice that leaves this shape.
            for bits in 0..1u32 << e.shape.len() {
                let kept: Vec<bool> = (0..e.shape.len()).map(|k| bits >> k & 1 == 1).collect();
                let axes = || e.shape.iter().zip(&kept);
                let left = axes().filter(|a| *a.1).map(|a| *a.0);
                let fixed = axes().filter(|a| !*a.1).map(|a| *a.0);
                let sound = self.dead || fixed.clone().all(|n| n > 0);
                if fixed.count() == extra && sound && left.eq(shape.iter().copied()) {
                    found.push((e.clone(), kept));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (e, kept) = self.rng.pick(&found);
        if kept.iter().all(|&k| k) {
            return Some((e.expr(), e.info));
        }
        let mut at = vec![];
        for (&n, &kept) in e.shape.iter().zip(&kept) {
            at.push(match kept {
                true => None,
                false => Some(self.index(n, budget.min(3))),
            });
        }
        Some((Expr::index(e.expr(), at), e.info))
    }

    /// An array, of one axis at least.
    pub(super) fn array(&mut self, elem: Elem, shape: &[usize], budget: usize) -> (Expr, Info) {
        let (e, info) = self.array_untamed(elem, shape, budget);
        if info.mag <= MOST || elem != Elem::Real {
            return (e, info);
        }
        // Bring every element down again.
        let t = self.fresh.sym("a");
        let varies = self.varies(&e);
        self.push(t.clone(), elem, shape, info, varies);
        let whole = Expr::var(&t, e.ty);
        let (body, info) = self.scaled(whole, shape, vec![], info.mag);
        self.scope.pop();
        (Expr::bind(t, e, body), info)
    }

    pub(super) fn scaled(
        &mut self,
        a: Expr,
        shape: &[usize],
        mut at: Vec<Sym>,
        mag: f64,
    ) -> (Expr, Info) {
        let Some(&n) = shape.get(at.len()) else {
            let index = |s: &Sym| Some(Expr::var(s, Ty::scalar(Elem::Int)));
            let e = Expr::index(a, at.iter().map(index).collect());
            let (e, mag) = self.tame(e, mag, MOST);
            return (e, Info::real(mag));
        };
        let extent = self.size(n);
        let var = self.index_sym();
        at.push(var.clone());
        let (body, info) = self.inside(&var, n, None, |g| g.scaled(a, shape, at, mag));
        (Expr::build(var, extent, body), info)
    }

    pub(super) fn array_untamed(
        &mut self,
        elem: Elem,
        shape: &[usize],
        budget: usize,
    ) -> (Expr, Info) {
        let volume: usize = shape.iter().product();
        let deep = usize::from(budget > 2);
        let real = usize::from(elem == Elem::Real);
        let looping = usize::from(budget > 3 && self.work * volume <= 120) * real;
        let odds = [
            if budget <= 2 { 30 } else { 9 },
            50,
            9 * deep,
            8 * deep,
            9 * looping,
            2 * looping,
            10 * looping,
            3 * deep,
            4 * looping,
        ];
        match self.rng.weighted(&odds) {
            0 => {
                if let Some(found) = self.part(elem, shape, budget) {
                    return found;
                }
                self.build(shape[0], |g| {
                    g.any(elem, &shape[1..], budget.saturating_sub(1))
                })
            }
            1 if elem == Elem::Real && self.rng.chance(20) => {
                let (b1, b2) = self.split(budget.saturating_sub(1));
                let (a, m) = self.array(elem, shape, b1);
                let (b, n) = self.array(elem, shape, b2);
                let (prim, mag) = match self.rng.below(3) {
                    0 => (Prim::Add, m.mag + n.mag),
                    1 => (Prim::Sub, m.mag + n.mag),
                    _ => (Prim::Mul, m.mag * n.mag),
                };
                (p2(prim, a, b), Info::real(mag))
            }
            1 => self.build(shape[0], |g| {
                g.any(elem, &shape[1..], budget.saturating_sub(1))
            }),
            2 => self.branch(budget, &mut |g, b| g.array(elem, shape, b)),
            3 => match elem {
                Elem::Real => self.binding(shape, budget),
                Elem::Int | Elem::Bool => {
                    self.build(shape[0], |g| g.any(elem, &shape[1..], budget - 1))
                }
            },
            4 | 5 if !self.rng.chance(20) => {
                let (var, extent, few, most, bound) = self.reduction();
                let op = match self.rng.weighted(&[76, 8, 8, 8]) {
                    1 if few > 0 || self.dead => ReduceOp::Max,
                    2 if few > 0 || self.dead => ReduceOp::Min,
                    3 if few > 0 || self.dead => ReduceOp::LogSumExp,
                    _ => ReduceOp::Sum,
                };
                let inner = |g: &mut Self| g.term(op, shape, budget - 2);
                let (body, mag) = self.inside(&var, most, bound, inner);
                let e = Expr::reduce(op, var, extent, body);
                (e, Info::real(mag * most.max(1) as f64))
            }
            4 | 5 => {
                let (var, extent, _, most, bound) = self.reduction();
                let inner = |g: &mut Self| g.factors(shape, budget.saturating_sub(2));
                let (body, mag) = self.inside(&var, most, bound, inner);
                let e = Expr::reduce(ReduceOp::Product, var, extent, body);
                (e, Info::real(mag.max(1.0).powf(most as f64)))
            }
            6 => self.scatter(shape, budget),
            7 => {
                let (e, info) = self.array(elem, shape, budget - 1);
                (Expr::stop(e), info)
            }
            _ => {
                // A part of an array that exists for it alone.
                let n = self.some_size().max(1);
                let axis = self.rng.below(shape.len() + 1);
                let mut larger = shape.to_vec();
                larger.insert(axis, n);
                let (b1, b2) = self.split(budget);
                let (a, info) = self.array(elem, &larger, b1);
                let mut at = vec![None; shape.len()];
                at.insert(axis, Some(self.index(n, b2.min(3))));
                (Expr::index(a, at), info)
            }
        }
    }

    pub(super) fn factors(&mut self, shape: &[usize], budget: usize) -> (Expr, f64) {
        match shape.split_first() {
            None => self.term(ReduceOp::Product, &[], budget),
            Some((&n, rest)) => {
                let (e, info) = self.build(n, |g| {
                    let (e, mag) = g.factors(rest, budget.saturating_sub(1));
                    (e, Info::real(mag))
                });
                (e, info.mag)
            }
        }
    }

    pub(super) fn scatter(&mut self, shape: &[usize], budget: usize) -> (Expr, Info) {
        let extents: Vec<Expr> = shape.iter().map(|&n| self.size(n)).collect();
        // Nothing can be added to what has no elements.
        let n = if shape.contains(&0) && !self.dead {
            0
        } else {
            self.some_size()
        };
        let mut turns = vec![n];
        if self.rng.chance(25) {
            turns.push(self.some_size());
        }
        let rows = n;
        let mut binders: Vec<Binder> = vec![];
        for (k, n) in turns.iter_mut().enumerate() {
            let extent = match binders.first() {
                // A triangle.
                Some(first) if self.rng.chance(40) => {
                    let more = (*n).min(2);
                    *n = (rows + more).saturating_sub(1);
                    let first = Expr::var(&first.var, Ty::scalar(Elem::Int));
                    Expr::prim(Prim::IAdd, vec![first, Expr::int(more as i64)])
                }
                Some(_) | None => self.size(*n),
            };
            let var = self.fresh.sym(["r", "s"][k]);
            binders.push(Binder { var, extent });
        }
        let (b1, b2) = self.split(budget);
        let each = (b1 / shape.len()).min(4);
        let (lets, index, value, mag) = self.inside_all(&binders, &turns, &mut |g| {
            let mut index: Vec<Expr> = shape.iter().map(|&n| g.index(n, each)).collect();
            let mut lets = vec![];
            // The position as a value, sometimes.
            let shared = g.rng.chance(30);
            if shared {
                let sym = g.fresh.sym("at");
                let here = Expr::var(&sym, Ty::scalar(Elem::Int));
                let is = std::mem::replace(&mut index[0], here);
                let info = Info::int(0, (shape[0] as i64 - 1).max(0));
                g.push(sym.clone(), Elem::Int, &[], info, true);
                lets.push(Bound::Let(sym, is));
            }
            let (value, info) = g.real(b2);
            if shared {
                g.scope.pop();
            }
            (lets, index, value, info.mag)
        });
        let e = Expr::scatter(Scatter {
            extents,
            binders,
            lets,
            index,
            value,
        });
        let turns = turns.iter().product::<usize>();
        (e, Info::real(mag * turns as f64))
    }

    /// A binding of something, then a result of this shape.
    pub(super) fn binding(&mut self, shape: &[usize], budget: usize) -> (Expr, Info) {
        let (b1, b2) = self.split(budget);
        let (elem, rank) = match self.rng.weighted(&[30, 30, 10, 14, 8, 4, 4]) {
            0 => (Elem::Real, 0),
            1 => (Elem::Real, 1),
            2 => (Elem::Real, 2),
            3 => (Elem::Int, 0),
            4 => (Elem::Int, 1),
            5 => (Elem::Bool, 0),
            _ => (Elem::Bool, 1),
        };
        let rank = if self.work > 60 { 0 } else { rank };
        let bound_shape: Vec<usize> = (0..rank).map(|_| self.some_size()).collect();
        // A size, sometimes.
        let is_size = (elem, rank) == (Elem::Int, 0) && self.rng.chance(50);
        let (bound, info) = if is_size {
            let n = self.some_size();
            (self.size(n), Info::int(n as i64, n as i64))
        } else {
            self.any(elem, &bound_shape, b1)
        };
        let hint = match elem {
            Elem::Real => ["s", "v", "m"][rank],
            Elem::Int => ["c", "ks"][rank],
            Elem::Bool => ["p", "ps"][rank],
        };
        let sym = self.fresh.sym(hint);
        let varies = self.varies(&bound);
        self.push(sym.clone(), elem, &bound_shape, info, varies);
        self.scope.last_mut().expect("just pushed").is_size = is_size;
        let (body, info) = self.any(Elem::Real, shape, b2);
        self.scope.pop();
        (Expr::bind(sym, bound, body), info)
    }

    /// The body of a function: some bindings, then the result.
    pub(super) fn sequence(&mut self, shape: &[usize], budget: usize) -> (Expr, Info) {
        if budget > 8 && self.rng.chance(35) {
            let lets = self.scope.len();
            let (e, info) = self.binding(shape, budget);
            debug_assert_eq!(lets, self.scope.len());
            return (e, info);
        }
        self.any(Elem::Real, shape, budget)
    }
}
