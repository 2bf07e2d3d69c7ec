//! Integers with known ranges, indices that stay within an array, and reads of elements.

use super::{Bound, Entry, Gen, Info, p1, p2};
use crate::ir::core::{Expr, Extremum, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

impl Gen {
    pub(super) fn indices(&self) -> Vec<Entry> {
        let scalars = (self.scope.iter()).filter(|e| e.elem == Elem::Int && e.shape.is_empty());
        let all: Vec<Entry> = scalars.cloned().collect();
        let loops: Vec<Entry> = all.iter().filter(|e| e.is_index).cloned().collect();
        // Loop indices are what is interesting: they count fivefold.
        (0..4).flat_map(|_| loops.clone()).chain(all).collect()
    }

    /// An integer, with its range.
    pub(super) fn int(&mut self, budget: usize) -> (Expr, i64, i64) {
        let vars = self.indices();
        let has = usize::from(!vars.is_empty());
        let deep = usize::from(budget > 1);
        let tables = self.readable(Elem::Int);
        let table = usize::from(!tables.is_empty() && budget > 0);
        let looping = usize::from(budget > 3 && self.work <= 80);
        let odds = [
            40 * has,
            8,
            5,
            12 * has,
            8 * has,
            6 * has * deep,
            12 * table,
            4 * has,
            14 * looping,
            3 * looping,
            3 * deep,
            2 * deep,
            2 * deep,
            1,
        ];
        match self.rng.weighted(&odds) {
            0 => {
                let v = self.rng.pick(&vars);
                (v.expr(), v.info.lo, v.info.hi)
            }
            1 => {
                let c = self.rng.below(4) as i64;
                (Expr::int(c), c, c)
            }
            2 => {
                let n = self.some_size();
                (self.size(n), n as i64, n as i64)
            }
            3 => {
                let (v, w) = (self.rng.pick(&vars), self.rng.pick(&vars));
                if self.rng.chance(50) {
                    let e = p2(Prim::IAdd, v.expr(), w.expr());
                    (e, v.info.lo + w.info.lo, v.info.hi + w.info.hi)
                } else {
                    let e = p2(Prim::ISub, v.expr(), w.expr());
                    (e, v.info.lo - w.info.hi, v.info.hi - w.info.lo)
                }
            }
            4 => {
                let v = self.rng.pick(&vars);
                let c = 1 + self.rng.below(2) as i64;
                let (p, c1) = self.rng.pick(&[(Prim::IAdd, c), (Prim::ISub, -c)]);
                (
                    p2(p, v.expr(), Expr::int(c)),
                    v.info.lo + c1,
                    v.info.hi + c1,
                )
            }
            5 => {
                let (a, lo, hi) = self.int(budget - 1);
                let c = self.rng.pick(&[2, 2, 3, -1]);
                let (x, y) = (lo * c, hi * c);
                (p2(Prim::IMul, Expr::int(c), a), x.min(y), x.max(y))
            }
            6 => {
                let e = self.rng.pick(&tables);
                let (x, info) = self.read(&e, budget - 1);
                (x, info.lo, info.hi)
            }
            7 => {
                let v = self.rng.pick(&vars);
                let c = 2 + self.rng.below(2) as i64;
                match self.rng.below(3) {
                    0 if v.info.lo >= 0 => {
                        let e = p2(Prim::IDiv, v.expr(), Expr::int(c));
                        (e, v.info.lo / c, v.info.hi / c)
                    }
                    1 if v.info.lo >= 0 => {
                        let e = p2(Prim::IRem, v.expr(), Expr::int(c));
                        (e, 0, v.info.hi.min(c - 1))
                    }
                    _ => (p2(Prim::IRemEuclid, v.expr(), Expr::int(c)), 0, c - 1),
                }
            }
            8 => {
                let (var, extent, _, most, bound) = self.reduction();
                let (body, _) = self.inside(&var, most, bound, |g| g.real(budget - 2));
                let op = self.rng.pick(&[Extremum::Max, Extremum::Min]);
                let e = Expr::arg_reduce(op, var, extent, body);
                (e, 0, (most as i64 - 1).max(0))
            }
            9 => {
                let (var, extent, _, most, bound) = self.reduction();
                let (body, lo, hi) = self.inside(&var, most, bound, |g| g.int(budget - 2));
                let n = most as i64;
                let e = Expr::reduce(ReduceOp::Sum, var, extent, body);
                self.small(e, (lo * n).min(0), (hi * n).max(0))
            }
            10 => {
                let (b1, b2) = self.split(budget);
                let ((a, l, h), (b, m, k)) = (self.int(b1), self.int(b2));
                if self.rng.chance(50) {
                    (p2(Prim::IMin, a, b), l.min(m), h.min(k))
                } else {
                    (p2(Prim::IMax, a, b), l.max(m), h.max(k))
                }
            }
            11 => {
                let (e, info) = self.branch(budget, &mut |g, b| {
                    let (e, lo, hi) = g.int(b);
                    (e, Info::int(lo, hi))
                });
                (e, info.lo, info.hi)
            }
            12 => {
                let (e, _) = self.truth(budget / 2);
                (p1(Prim::BoolToInt, e), 0, 1)
            }
            _ => {
                let (e, info) = self.real(budget.min(3));
                let (e, mag) = self.tame(e, info.mag, 3.0);
                let n = mag.ceil() as i64;
                (p1(Prim::RealToInt, e), -n, n)
            }
        }
    }

    /// Keeps integers small.
    pub(super) fn small(&mut self, e: Expr, lo: i64, hi: i64) -> (Expr, i64, i64) {
        if lo > -50 && hi < 50 {
            return (e, lo, hi);
        }
        let c = 5 + self.rng.below(4) as i64;
        (p2(Prim::IRemEuclid, e, Expr::int(c)), 0, c - 1)
    }

    /// An index into an axis of length `n`.
    pub(super) fn index(&mut self, n: usize, budget: usize) -> Expr {
        let vars = self.indices();
        if n == 0 || self.dead {
            // Never evaluated.
            let loops: Vec<Entry> = vars.into_iter().filter(|e| e.is_index).collect();
            return match loops.is_empty() {
                true => Expr::int(0),
                false => self.rng.pick(&loops).expr(),
            };
        }
        let top = n as i64 - 1;
        let fits = |lo: i64, hi: i64| lo >= 0 && hi <= top;
        let bounded: Vec<Entry> = vars.iter().filter(|e| e.bound.is_some()).cloned().collect();
        for _ in 0..8 {
            let (e, lo, hi) = match self.rng.weighted(&[50, 14, 16, 10, 6, 14]) {
                0 => {
                    let fit: Vec<&Entry> = vars
                        .iter()
                        .filter(|e| e.is_index && fits(e.info.lo, e.info.hi))
                        .collect();
                    if fit.is_empty() {
                        continue;
                    }
                    return fit[self.rng.below(fit.len())].expr();
                }
                1 => {
                    // From the end: (m - 1) - v
                    if vars.is_empty() {
                        continue;
                    }
                    let v = self.rng.pick(&vars);
                    let m = if self.rng.chance(50) {
                        n as i64
                    } else {
                        v.info.hi + 1
                    };
                    if m < 1 {
                        continue;
                    }
                    let last = p2(Prim::ISub, self.size(m as usize), Expr::int(1));
                    let e = p2(Prim::ISub, last, v.expr());
                    (e, m - 1 - v.info.hi, m - 1 - v.info.lo)
                }
                2 => self.int(budget),
                3 => {
                    if bounded.is_empty() {
                        continue;
                    }
                    let v = self.rng.pick(&bounded);
                    let other = |id: u32| vars.iter().find(|e| e.sym.id == id).cloned();
                    match v.bound {
                        Some(Bound::UpTo(id, k)) => {
                            let Some(w) = other(id) else { continue };
                            let d = p2(Prim::ISub, w.expr(), v.expr());
                            let e = match k {
                                0 => d,
                                _ => p2(Prim::IAdd, d, Expr::int(k)),
                            };
                            (e, 0, w.info.hi + k)
                        }
                        Some(Bound::Below(id, m)) => {
                            let Some(w) = other(id) else { continue };
                            let e = p2(Prim::IAdd, w.expr(), v.expr());
                            (e, w.info.lo.max(0), m - 1)
                        }
                        None => continue,
                    }
                }
                4 => {
                    let c = self.rng.below(n) as i64;
                    (Expr::int(c), c, c)
                }
                _ => {
                    // A neighbour: as far as the range allows, here and behind conditions.
                    if vars.is_empty() {
                        continue;
                    }
                    let v = self.rng.pick(&vars);
                    let (low, high) = (-v.info.lo, top - v.info.hi);
                    if low > high {
                        continue;
                    }
                    let c = low + self.rng.below((high - low + 1) as usize) as i64;
                    let e = match c {
                        0 => v.expr(),
                        c if c < 0 => p2(Prim::ISub, v.expr(), Expr::int(-c)),
                        c => p2(Prim::IAdd, v.expr(), Expr::int(c)),
                    };
                    (e, v.info.lo + c, v.info.hi + c)
                }
            };
            if fits(lo, hi) {
                return e;
            }
        }
        match self.rng.below(3) {
            0 => {
                let (e, ..) = self.int(budget);
                let n = self.size(n);
                p2(Prim::IRemEuclid, e, n)
            }
            1 => {
                let (e, ..) = self.int(budget);
                let last = p2(Prim::ISub, self.size(n), Expr::int(1));
                let e = p2(Prim::IMax, e, Expr::int(0));
                p2(Prim::IMin, e, last)
            }
            _ => Expr::int(self.rng.below(n) as i64),
        }
    }

    /// What has an element to read.
    pub(super) fn readable(&self, elem: Elem) -> Vec<Entry> {
        let fits = |e: &&Entry| e.elem == elem && (self.dead || !e.shape.contains(&0));
        self.scope.iter().filter(fits).cloned().collect()
    }

    /// An element of a variable.
    pub(super) fn read(&mut self, v: &Entry, budget: usize) -> (Expr, Info) {
        if v.shape.is_empty() {
            return (v.expr(), v.info);
        }
        let each = (budget / v.shape.len()).min(4);
        let mut at = vec![];
        for &n in &v.shape {
            at.push(Some(self.index(n, each)));
        }
        // Sometimes in two steps.
        if at.len() > 1 && self.rng.chance(10) {
            let last = at.pop();
            at.push(None);
            return (
                Expr::index(Expr::index(v.expr(), at), last.into_iter().collect()),
                v.info,
            );
        }
        (Expr::index(v.expr(), at), v.info)
    }
}
