//! Loops.

use super::{Bound, Entry, Gen, Info, p2};
use crate::ir::core::{Binder, Expr, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

impl Gen {
    /// Runs `f` inside a loop of at most `most` turns.
    pub(super) fn inside<T>(
        &mut self,
        var: &Sym,
        most: usize,
        bound: Option<Bound>,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (work, dead) = (self.work, self.dead);
        self.work *= most.max(1);
        self.dead |= most == 0;
        self.scope.push(Entry {
            sym: var.clone(),
            elem: Elem::Int,
            shape: vec![],
            info: Info::int(0, (most as i64 - 1).max(0)),
            varies: true,
            is_index: true,
            is_size: false,
            bound,
        });
        let result = f(self);
        self.scope.pop();
        (self.work, self.dead) = (work, dead);
        result
    }

    /// Runs `f` inside loops of that many turns.
    pub(super) fn inside_all<T>(
        &mut self,
        binders: &[Binder],
        turns: &[usize],
        f: &mut dyn FnMut(&mut Self) -> T,
    ) -> T {
        match (binders, turns) {
            ([b, binders @ ..], [n, turns @ ..]) => {
                self.inside(&b.var, *n, None, |g| g.inside_all(binders, turns, f))
            }
            _ => f(self),
        }
    }

    pub(super) fn index_sym(&mut self) -> Sym {
        let depth = self.scope.iter().filter(|e| e.is_index).count();
        self.fresh.sym(["i", "j", "k", "l", "m"][depth.min(4)])
    }

    /// The loop of a reduction: its variable, extent, fewest and most turns, and what bounds it.
    pub(super) fn reduction(&mut self) -> (Sym, Expr, usize, usize, Option<Bound>) {
        if self.data_bounds && !self.dead && self.rng.chance(45) {
            let (extent, few, most) = self.data_bound();
            return (self.index_sym(), extent, few, most, None);
        }
        let indices: Vec<Entry> = (self.scope.iter())
            .filter(|e| e.is_index && e.info.lo <= e.info.hi && e.info.lo >= 0)
            .cloned()
            .collect();
        let triangular = !indices.is_empty() && !self.dead && self.rng.chance(22);
        if !triangular {
            let n = self.some_size();
            let extent = self.size(n);
            return (self.index_sym(), extent, n, n, None);
        }
        let v = self.rng.pick(&indices);
        let (lo, hi) = (v.info.lo as usize, v.info.hi as usize);
        let at = v.expr();
        let id = v.sym.id;
        let (extent, few, most, bound) = match self.rng.weighted(&[30, 40, 30]) {
            0 => (at, lo, hi, Bound::UpTo(id, -1)),
            1 => {
                let e = p2(Prim::IAdd, at, Expr::int(1));
                (e, lo + 1, hi + 1, Bound::UpTo(id, 0))
            }
            _ => {
                let n = hi + self.rng.below(2);
                let e = p2(Prim::ISub, self.size(n), at);
                (e, n - hi, n - lo, Bound::Below(id, n as i64))
            }
        };
        (self.index_sym(), extent, few, most, Some(bound))
    }

    /// An extent that no size is: an element of an integer array, or some integer brought into a
    /// small range. With the fewest and most turns.
    fn data_bound(&mut self) -> (Expr, usize, usize) {
        let tables: Vec<Entry> = (self.readable(Elem::Int).into_iter())
            .filter(|e| !e.shape.is_empty() && e.info.hi <= 5)
            .collect();
        let (e, lo, hi) = if tables.is_empty() || self.rng.chance(25) {
            self.int(2)
        } else {
            let table = self.rng.pick(&tables);
            let (e, info) = self.read(&table, 2);
            (e, info.lo, info.hi)
        };
        // A negative bound is an error.
        if lo >= 0 && hi <= 4 {
            return (e, lo as usize, hi as usize);
        }
        let e = p2(Prim::IRemEuclid, e, Expr::int(4));
        (e, 0, 3)
    }

    pub(super) fn build(
        &mut self,
        n: usize,
        body: impl FnOnce(&mut Self) -> (Expr, Info),
    ) -> (Expr, Info) {
        let extent = self.size(n);
        let var = self.index_sym();
        let (body, info) = self.inside(&var, n, None, body);
        (Expr::build(var, extent, body), info)
    }
}
