//! Conditions and branches. What a condition says about an index narrows its range in the branches.

use super::{Entry, Gen, Info, Narrow, p1, p2};
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

impl Gen {
    pub(super) fn truth(&mut self, budget: usize) -> (Expr, Option<Narrow>) {
        let indices: Vec<Entry> = (self.scope.iter())
            .filter(|e| e.is_index && e.info.lo <= e.info.hi)
            .cloned()
            .collect();
        let has = usize::from(!indices.is_empty());
        let masks: Vec<Entry> = self.readable(Elem::Bool);
        let deep = usize::from(budget > 1);
        let odds = [
            30,
            30 * has,
            12,
            15 * usize::from(!masks.is_empty()),
            10 * deep,
            8 * deep,
            2,
        ];
        match self.rng.weighted(&odds) {
            0 => {
                let (b1, b2) = self.split(budget);
                let (a, info) = self.real(b1);
                let b = if self.rng.chance(60) {
                    Expr::real(self.round(-0.5 * info.mag.min(2.0), 0.5 * info.mag.min(2.0)))
                } else {
                    self.real(b2).0
                };
                let p = self.rng.pick(&[Prim::Lt, Prim::Gt, Prim::Le, Prim::Ge]);
                (p2(p, a, b), None)
            }
            1 => {
                let v = self.rng.pick(&indices);
                let (lo, hi) = (v.info.lo, v.info.hi);
                let c = lo + self.rng.below((hi - lo + 1) as usize) as i64;
                let below = ((lo, c - 1), (c, hi));
                let above = ((c + 1, hi), (lo, c));
                let at = ((c, c), (lo, hi));
                let swap = |(a, b)| (b, a);
                let (p, (then, other)) = match self.rng.below(6) {
                    0 => (Prim::ILt, below),
                    1 => (Prim::IGe, swap(below)),
                    2 => (Prim::IGt, above),
                    3 => (Prim::ILe, swap(above)),
                    4 => (Prim::IEq, at),
                    _ => (Prim::INe, swap(at)),
                };
                (p2(p, v.expr(), Expr::int(c)), Some((v.sym.id, then, other)))
            }
            2 => {
                let (b1, b2) = self.split(budget);
                let (a, ..) = self.int(b1);
                let (b, ..) = self.int(b2);
                let p = self
                    .rng
                    .pick(&[Prim::ILt, Prim::ILe, Prim::IGt, Prim::IEq, Prim::INe]);
                (p2(p, a, b), None)
            }
            3 => {
                let e = self.rng.pick(&masks);
                (self.read(&e, budget).0, None)
            }
            4 => {
                let (b1, b2) = self.split(budget);
                let (a, b) = (self.truth(b1).0, self.truth(b2).0);
                let p = self.rng.pick(&[Prim::And, Prim::Or, Prim::Xor]);
                (p2(p, a, b), None)
            }
            5 => {
                let (e, narrow) = self.truth(budget.saturating_sub(1));
                (p1(Prim::Not, e), narrow.map(|(v, a, b)| (v, b, a)))
            }
            _ => (Expr::lit(Lit::Bool(self.rng.chance(50))), None),
        }
    }

    /// A branch, whose arms `f` generates knowing what the condition says.
    pub(super) fn branch(
        &mut self,
        budget: usize,
        f: &mut dyn FnMut(&mut Self, usize) -> (Expr, Info),
    ) -> (Expr, Info) {
        let (b1, b2) = self.split(budget);
        let (cond, narrow) = self.truth(b1 / 2);
        let (b2, b3) = self.split(b2 + b1 / 2 + 1);
        let (a, info_a) = self.narrowed(narrow.map(|n| (n.0, n.1)), |g| f(g, b2));
        let (b, info_b) = self.narrowed(narrow.map(|n| (n.0, n.2)), |g| f(g, b3));
        (Expr::cond(cond, a, b), info_a.join(info_b))
    }

    pub(super) fn narrowed<T>(
        &mut self,
        range: Option<(u32, (i64, i64))>,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let Some((id, (lo, hi))) = range else {
            return f(self);
        };
        let dead = self.dead;
        let at = (self.scope.iter())
            .position(|e| e.sym.id == id)
            .expect("the variable is in scope");
        let info = self.scope[at].info;
        if lo > hi {
            self.dead = true;
        } else {
            (self.scope[at].info.lo, self.scope[at].info.hi) = (lo, hi);
        }
        let result = f(self);
        self.scope[at].info = info;
        self.dead = dead;
        result
    }
}
