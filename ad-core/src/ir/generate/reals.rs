//! Real numbers with known bounds.

use super::{Gen, Info, MOST, p1, p2, p3};
use crate::ir::core::{Expr, Kind, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

impl Gen {
    pub(super) fn round(&mut self, low: f64, high: f64) -> f64 {
        (self.rng.real(low, high) * 1000.0).round() / 1000.0
    }

    /// The same number, or a function of it that is no larger than `most`.
    pub(super) fn tame(&mut self, e: Expr, mag: f64, most: f64) -> (Expr, f64) {
        if mag <= most {
            return (e, mag);
        }
        match self.rng.weighted(&[30, 20, 35, 15]) {
            0 if most >= 1.0 => (p1(Prim::Tanh, e), 1.0),
            1 if most >= 1.0 => (p1(Prim::Sin, e), 1.0),
            3 if most >= 1.6 => (p1(Prim::Atan, e), 1.6),
            _ => {
                // A power of two, so that it prints short.
                let c = (most / mag).log2().floor().exp2();
                (p2(Prim::Mul, Expr::real(c), e), c * mag)
            }
        }
    }

    /// A number that is used more than once.
    pub(super) fn shared(&mut self, e: Expr, body: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        if let Kind::Var(_) = &*e.kind {
            return body(self, e);
        }
        let t = self.fresh.sym("t");
        let v = Expr::var(&t, e.ty);
        let body = body(self, v);
        Expr::bind(t, e, body)
    }

    /// A number of at least 1/5, made of another.
    pub(super) fn positive(&mut self, e: Expr, mag: f64) -> (Expr, f64) {
        match self.rng.weighted(&[30, 15, 15, 12, 10, 8]) {
            0 => {
                let (e, m) = self.tame(e, mag, 4.0);
                let e = self.shared(e, |_, t| {
                    let square = p2(Prim::Mul, t.clone(), t);
                    p2(Prim::Add, Expr::real(0.5), square)
                });
                (e, 0.5 + m * m)
            }
            1 => {
                let (e, m) = self.tame(e, mag, 4.0);
                let square = p2(Prim::Powi, e, Expr::int(2));
                (p2(Prim::Add, square, Expr::real(0.75)), 0.75 + m * m)
            }
            2 => (p2(Prim::Add, Expr::real(1.25), p1(Prim::Sin, e)), 2.25),
            3 => {
                let (e, m) = self.tame(e, mag, 1.5);
                (p1(Prim::Exp, e), m.exp())
            }
            4 => {
                let e = p1(Prim::Softplus, e);
                (p2(Prim::Add, e, Expr::real(0.25)), mag + 1.0)
            }
            _ => (
                p2(Prim::Add, p1(Prim::Abs, e), Expr::real(0.375)),
                mag + 0.375,
            ),
        }
    }

    pub(super) fn leaf(&mut self, budget: usize) -> (Expr, Info) {
        let all = self.readable(Elem::Real);
        let odds = [85 * usize::from(!all.is_empty()), 10, 5];
        match self.rng.weighted(&odds) {
            0 => {
                // What was bound last is more likely to be read.
                let a = self.rng.below(all.len());
                let b = self.rng.below(all.len());
                let k = if self.rng.chance(25) {
                    all.len() - 1
                } else {
                    a.max(b)
                };
                let v = all[k].clone();
                // Now and then the index is worth something.
                let index = if self.rng.chance(10) {
                    8
                } else {
                    budget.min(6)
                };
                self.read(&v, index)
            }
            1 => {
                let c = self.round(-2.0, 2.0);
                (Expr::real(c), Info::real(c.abs()))
            }
            _ => {
                let (e, lo, hi) = self.int(1);
                let (e, lo, hi) = self.small(e, lo, hi);
                let mag = lo.abs().max(hi.abs()) as f64;
                (p1(Prim::IntToReal, e), Info::real(mag))
            }
        }
    }

    /// A real scalar.
    pub(super) fn real(&mut self, budget: usize) -> (Expr, Info) {
        let (e, info) = self.real_untamed(budget);
        let (e, mag) = self.tame(e, info.mag, MOST);
        (e, Info::real(mag))
    }

    pub(super) fn real_untamed(&mut self, budget: usize) -> (Expr, Info) {
        if budget <= 1 {
            return self.leaf(budget);
        }
        let looping = usize::from(budget > 2 && self.work <= 120);
        let odds = [6, 34, 24, 30 * looping, 10, 9, 5, 4 * looping, 3];
        match self.rng.weighted(&odds) {
            0 => self.leaf(budget),
            1 => self.arithmetic(budget),
            2 => self.function(budget),
            3 => self.fold(budget),
            4 => self.branch(budget, &mut |g, b| g.real(b)),
            5 => self.binding(&[], budget),
            6 => {
                // Both are computed, one is taken; the other may have no value.
                let (e, info) = self.real(budget - 1);
                let p = self.rng.pick(&[Prim::Ln, Prim::Sqrt, Prim::Recip]);
                let lazily = self.rng.chance(50);
                let e = self.shared(e, |g, t| {
                    let above = Expr::real(g.round(0.25, 0.5));
                    let c = p2(Prim::Gt, t.clone(), above);
                    let f = p1(p, t.clone());
                    if lazily {
                        Expr::cond(c, f, t)
                    } else {
                        p3(Prim::Select, c, f, t)
                    }
                });
                (e, Info::real(info.mag.max(4.0)))
            }
            7 => {
                // An element of an array that exists for it alone.
                let n = self.some_size();
                if n == 0 {
                    return self.leaf(budget);
                }
                let (b1, b2) = self.split(budget);
                let (a, info) = self.array(Elem::Real, &[n], b1);
                let at = self.index(n, b2.min(4));
                (Expr::index(a, vec![Some(at)]), info)
            }
            _ => {
                let (e, info) = self.real(budget - 1);
                (Expr::stop(e), info)
            }
        }
    }

    pub(super) fn arithmetic(&mut self, budget: usize) -> (Expr, Info) {
        let (b1, b2) = self.split(budget);
        let (a, m) = self.real(b1);
        let (b, n) = self.real(b2);
        let (m, n) = (m.mag, n.mag);
        let (e, mag) = match self
            .rng
            .weighted(&[22, 16, 34, 8, 5, 3, 3, 3, 4, 2, 1, 1, 4])
        {
            0 => (p2(Prim::Add, a, b), m + n),
            1 => (p2(Prim::Sub, a, b), m + n),
            2 => (p2(Prim::Mul, a, b), m * n),
            3 => {
                let (b, _) = self.positive(b, n);
                (p2(Prim::Div, a, b), 5.0 * m)
            }
            4 => {
                let c = self.round(-1.0, 1.0);
                let e = p3(Prim::MulAdd, a, b, Expr::real(c));
                (e, m * n + 1.1)
            }
            5 => (p2(Prim::Max, a, b), m.max(n)),
            6 => (p2(Prim::Min, a, b), m.max(n)),
            7 => {
                let (b, k) = self.positive(b, n);
                (p2(Prim::Atan2, a, b), 1.6 + 0.0 * k)
            }
            8 => {
                let (b, n) = self.positive(b, n);
                (p2(Prim::Hypot, a, b), m + n)
            }
            9 => {
                let (a, m) = self.positive(a, m);
                let (a, m) = if m > 8.0 {
                    (p1(Prim::Sqrt, a), m.sqrt())
                } else {
                    (a, m)
                };
                let (b, n) = self.tame(b, n, 2.0);
                (p2(Prim::Powf, a, b), m.max(5.0).powf(n))
            }
            10 => {
                let c = self.round(0.75, 1.75);
                let p = self.rng.pick(&[Prim::Rem, Prim::RemEuclid]);
                (p2(p, a, Expr::real(c)), 1.8)
            }
            11 => (p2(Prim::Copysign, a, b), m),
            _ => {
                let (c, _) = self.truth(2);
                (p3(Prim::Select, c, a, b), m.max(n))
            }
        };
        (e, Info::real(mag))
    }

    pub(super) fn function(&mut self, budget: usize) -> (Expr, Info) {
        let (e, info) = self.real(budget - 1);
        let m = info.mag;
        let usual = self.rng.pick(&[
            Prim::Neg,
            Prim::Sin,
            Prim::Cos,
            Prim::Tanh,
            Prim::Exp,
            Prim::Atan,
            Prim::Sigmoid,
            Prim::Softplus,
            Prim::Erf,
            Prim::Asinh,
            Prim::Ln,
            Prim::Sqrt,
            Prim::Powi,
            Prim::Recip,
            Prim::Abs,
            Prim::Relu,
        ]);
        let unusual = self.rng.pick(&[
            Prim::Exp2,
            Prim::ExpM1,
            Prim::Log2,
            Prim::Log10,
            Prim::Ln1p,
            Prim::Cbrt,
            Prim::Tan,
            Prim::Asin,
            Prim::Acos,
            Prim::Sinh,
            Prim::Cosh,
            Prim::Acosh,
            Prim::Atanh,
            Prim::Sign0,
            Prim::Signum,
            Prim::Floor,
            Prim::Ceil,
            Prim::Round,
            Prim::Trunc,
            Prim::Fract,
            Prim::Lgamma,
            Prim::Digamma,
            Prim::Polygamma,
        ]);
        let p = if self.rng.chance(10) { unusual } else { usual };
        let is = |ps: &[Prim]| ps.contains(&p);
        let (e, mag) = if is(&[Prim::Neg, Prim::Abs, Prim::Relu]) {
            (p1(p, e), m)
        } else if is(&[Prim::Floor, Prim::Ceil, Prim::Round, Prim::Trunc]) {
            (p1(p, e), m + 1.0)
        } else if is(&[
            Prim::Sin,
            Prim::Cos,
            Prim::Tanh,
            Prim::Sigmoid,
            Prim::Erf,
            Prim::Sign0,
            Prim::Signum,
            Prim::Fract,
        ]) {
            (p1(p, e), 1.0)
        } else if is(&[Prim::Atan]) {
            (p1(p, e), 1.6)
        } else if is(&[Prim::Softplus, Prim::Asinh]) {
            (p1(p, e), m + 1.0)
        } else if is(&[Prim::Exp, Prim::Exp2, Prim::ExpM1, Prim::Sinh, Prim::Cosh]) {
            // The exponential of what is small may be a share, too.
            let p = if p == Prim::Exp && m <= 1.0 {
                Prim::Weight
            } else {
                p
            };
            let (e, m) = self.tame(e, m, 2.5);
            (p1(p, e), m.exp())
        } else if is(&[Prim::Powi]) {
            let n = self.rng.below(4) as i64;
            let (e, m) = self.tame(e, m, 3.0);
            let e = p2(p, e, Expr::int(n));
            (e, m.max(1.0).powf(n as f64))
        } else if is(&[Prim::Recip]) {
            let (e, _) = self.positive(e, m);
            (p1(p, e), 5.0)
        } else if is(&[Prim::Ln, Prim::Log2, Prim::Log10, Prim::Ln1p]) {
            let (e, m) = self.positive(e, m);
            (p1(p, e), 2.5 + 1.5 * (1.0 + m).ln())
        } else if is(&[Prim::Sqrt, Prim::Cbrt]) {
            let (e, m) = self.positive(e, m);
            (p1(p, e), 1.0 + m.sqrt())
        } else if is(&[Prim::Tan, Prim::Asin, Prim::Acos, Prim::Atanh]) {
            let (e, _) = self.tame(e, m, 1.0);
            (p1(p, p2(Prim::Mul, Expr::real(0.8), e)), 2.5)
        } else if is(&[Prim::Acosh]) {
            let (e, m) = self.positive(e, m);
            (
                p1(p, p2(Prim::Add, Expr::real(1.25), e)),
                2.0 + (2.0 + m).ln(),
            )
        } else {
            let (e, m) = self.tame(e, m, 2.0);
            let (e, m) = self.positive(e, m);
            let e = p2(Prim::Add, Expr::real(0.5), e);
            let mag = 3.0 + m * (1.0 + m).ln();
            if p == Prim::Polygamma {
                let n = 1 + self.rng.below(2) as i64;
                (p2(p, e, Expr::int(n)), 10.0)
            } else {
                (p1(p, e), mag)
            }
        };
        (e, Info::real(mag))
    }

    /// A reduction to a real scalar.
    pub(super) fn fold(&mut self, budget: usize) -> (Expr, Info) {
        let (var, extent, few, most, bound) = self.reduction();
        let op = match self.rng.weighted(&[64, 10, 9, 7, 10]) {
            0 => ReduceOp::Sum,
            1 => ReduceOp::Product,
            2 => ReduceOp::Max,
            3 => ReduceOp::Min,
            _ => ReduceOp::LogSumExp,
        };
        // An extremum of nothing is infinite.
        let finite = matches!(op, ReduceOp::Sum | ReduceOp::Product) || few > 0 || self.dead;
        let op = if finite { op } else { ReduceOp::Sum };
        let (body, mag) = self.inside(&var, most, bound, |g| g.term(op, &[], budget - 2));
        let n = most as f64;
        let mag = match op {
            ReduceOp::Sum => mag * n,
            ReduceOp::Product => mag.max(1.0).powf(n),
            ReduceOp::Max | ReduceOp::Min => mag,
            ReduceOp::LogSumExp => mag + n.max(1.0).ln(),
        };
        (Expr::reduce(op, var, extent, body), Info::real(mag))
    }

    /// What is reduced, with its magnitude.
    pub(super) fn term(&mut self, op: ReduceOp, shape: &[usize], budget: usize) -> (Expr, f64) {
        if !shape.is_empty() {
            let (e, info) = self.array(Elem::Real, shape, budget);
            return (e, info.mag);
        }
        if op == ReduceOp::Sum && self.rng.chance(20) {
            // A product of two elements, as in the product of matrices.
            let (a, m) = self.leaf(1);
            let most = 2 + self.rng.below(6);
            let (b, n) = self.real(budget.saturating_sub(1).min(most));
            return (p2(Prim::Mul, a, b), m.mag * n.mag);
        }
        let (e, info) = self.real(budget);
        if op != ReduceOp::Product {
            return (e, info.mag);
        }
        let (e, m) = self.tame(e, info.mag, 1.4);
        if self.rng.chance(50) {
            return (e, m);
        }
        let e = p2(Prim::Mul, Expr::real(0.25), e);
        (p2(Prim::Add, Expr::real(1.0), e), 1.0 + 0.25 * m)
    }
}
