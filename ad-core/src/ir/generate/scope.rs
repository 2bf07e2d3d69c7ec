//! What is in scope: parameters, variables, and the sizes that can be written with them.

use super::walk::visit;
use super::{Entry, Gen, Info, p2};
use crate::ir::core::{Expr, Kind, Param, Sym, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use crate::ir::value::{Tensor, Value};

impl Gen {
    pub(super) fn params(&mut self) -> (Vec<Param>, Vec<Value>) {
        let sizes: Vec<usize> = (0..2 + self.rng.below(3))
            .map(|_| match self.rng.weighted(&[4, 8, 26, 30, 20, 12]) {
                // The smallest size is rare: everything over it is nothing.
                0 if self.rng.chance(50) => 1,
                n => n,
            })
            .collect();
        let mut inputs = vec![];
        for k in 0..1 + self.rng.weighted(&[25, 40, 25, 10]) {
            let rank = self.rng.weighted(&[15, 45, 30, 10]);
            // The first one is no scalar, so that there is something to loop over.
            let rank = if k == 0 { rank.max(1) } else { rank };
            let shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&sizes)).collect();
            let n = shape.iter().product();
            let data = (0..n).map(|_| self.rng.real(-2.0, 2.0)).collect();
            inputs.push(Value::Real(Tensor::new(shape.clone(), data)));
            let hint = ["x", "y", "z", "w"][k];
            self.declare(hint, Elem::Real, &shape, Info::real(2.0));
        }
        if self.rng.chance(40) {
            let n = self.rng.pick(&sizes) as i64;
            inputs.push(Value::Int(Tensor::scalar(n)));
            self.declare("n", Elem::Int, &[], Info::int(n, n));
        }
        if self.rng.chance(12) {
            let k = self.rng.below(3) as i64;
            inputs.push(Value::Int(Tensor::scalar(k)));
            self.declare("k", Elem::Int, &[], Info::int(k, k));
        }
        if self.data_bounds || self.rng.chance(35) {
            let rank = 1 + self.rng.weighted(&[75, 25]);
            let shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&sizes)).collect();
            let below = self.rng.pick(&sizes).max(1);
            let n = shape.iter().product();
            let data = (0..n).map(|_| self.rng.below(below) as i64).collect();
            inputs.push(Value::Int(Tensor::new(shape.clone(), data)));
            self.declare("idx", Elem::Int, &shape, Info::int(0, below as i64 - 1));
        }
        if self.rng.chance(25) {
            let rank = self.rng.weighted(&[30, 55, 15]);
            let shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&sizes)).collect();
            let n = shape.iter().product();
            let data = (0..n).map(|_| self.rng.chance(50)).collect();
            inputs.push(Value::Bool(Tensor::new(shape.clone(), data)));
            self.declare("mask", Elem::Bool, &shape, Info::int(0, 0));
        }
        let params = (self.scope.iter())
            .map(|e| {
                let (elem, rank) = (e.elem, e.shape.len());
                Param::new(e.sym.clone(), Ty { elem, rank })
            })
            .collect();
        (params, inputs)
    }

    pub(super) fn declare(&mut self, hint: &str, elem: Elem, shape: &[usize], info: Info) {
        let sym = self.fresh.sym(hint);
        self.push(sym, elem, shape, info, false);
        let last = self.scope.last_mut().expect("just pushed");
        last.is_size = elem == Elem::Int && shape.is_empty();
    }

    pub(super) fn push(&mut self, sym: Sym, elem: Elem, shape: &[usize], info: Info, varies: bool) {
        self.scope.push(Entry {
            sym,
            elem,
            shape: shape.to_vec(),
            info,
            varies,
            is_index: false,
            is_size: false,
            bound: None,
        });
    }

    /// Every length in scope, with an expression for it that is the same on all turns of all loops.
    pub(super) fn lengths(&self) -> Vec<(usize, Expr)> {
        let mut all = vec![];
        for e in &self.scope {
            for (axis, &n) in e.shape.iter().enumerate() {
                all.push((n, Expr::dim(e.expr(), axis)));
            }
            if e.is_size {
                all.push((e.info.lo as usize, e.expr()));
            }
        }
        all
    }

    /// A size to loop over.
    pub(super) fn some_size(&mut self) -> usize {
        let known: Vec<usize> = self.lengths().iter().map(|l| l.0).collect();
        let n = match self.rng.weighted(&[75, 8, 8, 9]) {
            0 => self.rng.pick(&known),
            1 => self.rng.pick(&known) + 1,
            2 => self.rng.pick(&known).saturating_sub(1).max(1),
            _ => 1 + self.rng.below(3),
        };
        // Nothing at all now and then, but not where something known offers it by chance each time.
        if n == 0 && self.rng.chance(40) {
            return 1 + self.rng.below(3);
        }
        n.min(if self.work > 60 { 3 } else { 5 })
    }

    /// An expression for a size.
    pub(super) fn size(&mut self, n: usize) -> Expr {
        let all = self.lengths();
        let same: Vec<&Expr> = all.iter().filter(|l| l.0 == n).map(|l| &l.1).collect();
        if !same.is_empty() && self.rng.chance(85) {
            return same[self.rng.below(same.len())].clone();
        }
        if self.rng.chance(12) {
            return Expr::int(n as i64);
        }
        let ((a, x), (b, y)) = (self.rng.pick(&all), self.rng.pick(&all));
        let int = |k: usize| Expr::int(k as i64);
        let mut ways = vec![];
        if a.min(b) == n {
            ways.push(p2(Prim::IMin, x.clone(), y.clone()));
        } else if a.max(b) == n {
            ways.push(p2(Prim::IMax, x.clone(), y.clone()));
        }
        if a + b == n {
            ways.push(p2(Prim::IAdd, x.clone(), y.clone()));
        }
        if a * b == n {
            ways.push(p2(Prim::IMul, x.clone(), y.clone()));
        }
        if 2 * a == n {
            ways.push(p2(Prim::IMul, int(2), x.clone()));
        }
        if a / 2 == n {
            ways.push(p2(Prim::IDiv, x.clone(), int(2)));
        }
        if a + 1 == n + b {
            // The number of windows of length b.
            let d = p2(Prim::ISub, x.clone(), y);
            ways.push(p2(Prim::IAdd, d, int(1)));
        }
        if a > n {
            ways.push(p2(Prim::ISub, x, int(a - n)));
        } else if a < n {
            ways.push(p2(Prim::IAdd, x, int(n - a)));
        }
        if ways.is_empty() {
            return int(n);
        }
        self.rng.pick(&ways)
    }

    pub(super) fn split(&mut self, budget: usize) -> (usize, usize) {
        let b = budget.saturating_sub(1);
        let k = self.rng.below(b + 1);
        (k, b - k)
    }

    /// Whether the value of an expression may differ between the turns of a loop around it.
    pub(super) fn varies(&self, e: &Expr) -> bool {
        let mut found = false;
        visit(e, &mut |e| match &*e.kind {
            Kind::Var(s) => {
                found |= self.scope.iter().any(|v| v.sym == *s && v.varies);
                true
            }
            Kind::Dim(..) => false,
            Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::Let(..)
            | Kind::Loop(..)
            | Kind::Update(_)
            | Kind::If(..)
            | Kind::Build(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Scatter(_)
            | Kind::Index(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Call(_)
            | Kind::Recur(_)
            | Kind::Demand(..) => true,
        });
        found
    }
}
