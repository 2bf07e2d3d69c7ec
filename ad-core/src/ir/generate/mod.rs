//! Random well-typed programs of Core with inputs on which they have a value, and their shrinking.
//! For tests: the same seed gives the same program.
//!
//! While a program grows, the range of every integer and a bound on every real are known, so that
//! indices stay within the arrays, functions within their domains, and numbers small. Sizes are
//! fixed when generation starts, but written with symbols: `dim(x, 0)`, `n`, `n - 1`.

mod arrays;
mod binders;
mod conditions;
mod ints;
mod reals;
mod rng;
mod scope;
mod shrink;
mod walk;

pub use rng::Rng;
pub use shrink::shrink;

use super::core::{Block, Expr, Fresh, Program, Sym, Ty};
use super::prims::Prim;
use super::ty::Elem;
use super::value::Value;

/// What is known of a value's elements.
#[derive(Clone, Copy, Debug)]
struct Info {
    /// The range of integers, both ends included.
    lo: i64,
    hi: i64,
    /// The largest magnitude of reals.
    mag: f64,
}

impl Info {
    fn int(lo: i64, hi: i64) -> Info {
        Info { lo, hi, mag: 0.0 }
    }
    fn real(mag: f64) -> Info {
        Info { lo: 0, hi: 0, mag }
    }
    fn join(self, o: Info) -> Info {
        Info {
            lo: self.lo.min(o.lo),
            hi: self.hi.max(o.hi),
            mag: self.mag.max(o.mag),
        }
    }
}

/// How the index of a triangular loop is bounded by another.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// `self <= other + offset`
    UpTo(u32, i64),
    /// `self + other < n`
    Below(u32, i64),
}

#[derive(Clone)]
struct Entry {
    sym: Sym,
    elem: Elem,
    shape: Vec<usize>,
    info: Info,
    /// Whether its value may differ between the turns of a loop around it.
    varies: bool,
    /// Whether it is the index of a loop.
    is_index: bool,
    /// Whether it is an integer made of sizes alone, so that it may be an extent.
    is_size: bool,
    bound: Option<Bound>,
}

impl Entry {
    fn expr(&self) -> Expr {
        let ty = Ty {
            elem: self.elem,
            rank: self.shape.len(),
        };
        Expr::var(&self.sym, ty)
    }
}

struct Gen {
    rng: Rng,
    fresh: Fresh,
    scope: Vec<Entry>,
    /// How often the current place runs, at most.
    work: usize,
    /// Whether the current place never runs.
    dead: bool,
    /// Whether integers that are computed or read may bound loops.
    data_bounds: bool,
}

/// What a condition says about an integer variable: its range in either branch.
type Narrow = (u32, (i64, i64), (i64, i64));

const MOST: f64 = 30.0;

fn p1(p: Prim, a: Expr) -> Expr {
    Expr::prim(p, vec![a])
}
fn p2(p: Prim, a: Expr, b: Expr) -> Expr {
    Expr::prim(p, vec![a, b])
}
fn p3(p: Prim, a: Expr, b: Expr, c: Expr) -> Expr {
    Expr::prim(p, vec![a, b, c])
}

/// A random program of about `budget` nodes, and inputs for it. It passes the verifier, has a value
/// on the inputs, and that value is finite. The result is a real scalar or a real array.
pub fn program(seed: u64, budget: usize) -> (Program, Vec<Value>) {
    let mut g = Gen {
        rng: Rng::new(seed),
        fresh: Fresh::default(),
        scope: vec![],
        work: 1,
        dead: false,
        // Decided apart, so that all other programs do not depend on it.
        data_bounds: Rng::new(!seed).chance(12),
    };
    let (params, inputs) = g.params();
    let rank = g.rng.weighted(&[45, 30, 18, 7]);
    let shape: Vec<usize> = (0..rank).map(|_| g.some_size()).collect();
    let (body, _) = g.sequence(&shape, budget);
    let name = format!("p{seed}");
    let body = Block::single(body);
    (Program { name, params, body }, inputs)
}

#[cfg(test)]
mod tests {
    use super::shrink::weight;
    use super::walk::visit;
    use super::*;
    use crate::ir::core::{Kind, ReduceOp};
    use crate::ir::core_check::check;
    use std::collections::BTreeSet;

    fn form(e: &Expr) -> &'static str {
        match &*e.kind {
            Kind::Var(_) => "variable",
            Kind::Lit(_) => "literal",
            Kind::Prim(p, _) => p.name(),
            Kind::Let(..) => "let",
            Kind::If(..) if e.ty.rank > 0 => "if of arrays",
            Kind::If(..) => "if",
            Kind::Build(..) => "build",
            Kind::Reduce(ReduceOp::Product, _, b) if b.ty.rank > 0 => "product of arrays",
            Kind::Reduce(_, _, b) if b.ty.rank > 0 => "sum of arrays",
            Kind::Reduce(op, ..) => op.name(),
            Kind::ArgReduce(op, ..) => op.name(),
            Kind::Scatter(_) => "scatter",
            Kind::Index(..) if e.ty.rank > 0 => "part",
            Kind::Index(..) => "element",
            Kind::Dim(..) => "dim",
            Kind::Loop(..) => "loop",
            Kind::Update(_) => "update",
            Kind::Stop(_) => "stop",
            Kind::Where(..) => "where",
            Kind::Recur(_) => "recur",
            Kind::Call(_) => "call",
            Kind::Demand(..) => "demand",
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_program() {
        for seed in 0..20 {
            assert_eq!(program(seed, 40), program(seed, 40));
        }
    }

    #[test]
    fn every_form_and_every_real_primitive_occurs() {
        let mut seen = BTreeSet::new();
        for seed in 0..3000 {
            let (p, _) = program(seed, 30);
            visit(&p.body.clone().into_single(), &mut |e| {
                seen.insert(form(e)) | true
            });
        }
        let forms = [
            "let",
            "if",
            "if of arrays",
            "build",
            "sum",
            "product",
            "maximum",
            "minimum",
            "logsumexp",
            "sum of arrays",
            "product of arrays",
            "argmax",
            "argmin",
            "scatter",
            "part",
            "element",
            "dim",
            "stop",
            "select",
            "irem_euclid",
            "int_to_real",
            "real_to_int",
            "bool_to_int",
        ];
        let prims = (Prim::ALL.iter())
            .filter(|p| p.is_differentiable() && !p.is_cast_of_reals())
            .map(|p| p.name());
        for f in forms.into_iter().chain(prims) {
            assert!(seen.contains(f), "`{f}` never occurs");
        }
    }

    #[test]
    fn a_failure_shrinks_to_its_cause() {
        let mut tried = 0;
        for seed in 0..200 {
            let (p, inputs) = program(seed, 40);
            let mut has_tanh = |p: &Program, _: &[Value]| {
                let mut found = false;
                visit(&p.body.clone().into_single(), &mut |e| {
                    found |= matches!(&*e.kind, Kind::Prim(Prim::Tanh, _));
                    true
                });
                found
            };
            if !has_tanh(&p, &inputs) {
                continue;
            }
            tried += 1;
            let q = shrink(&p, &inputs, &mut has_tanh);
            assert_eq!(check(&q), Ok(()));
            assert!(has_tanh(&q, &inputs));
            assert!(weight(&q.body.clone().into_single()) <= 40, "{p}\n{q}");
        }
        assert!(tried > 10);
    }
}
