//! Preaccumulation: what leads from one tangent to another in the body of a loop is one factor.
//!
//! ```text
//! ḋ = ẋ / s, ė = -ḋ, ẏ = p ė + q ḋ   ─▶   k = p (-(1 / s)) + q (1 / s), ẏ = k ẋ
//! ```
//!
//! where nothing else needs ḋ and ė. The factor is computed with the values, by the same
//! operations at ẋ = 1. So one residual is collected, not several, and the linear loop multiplies
//! once. Otherwise it would go through a chain of operations that wait for each other.

use crate::ir::build::Builder;
use crate::ir::bulk::{Eq, Op, Program, Uses, Var};
use crate::ir::linear::Linearised;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::{BTreeMap, BTreeSet};

/// So many residuals at least that one factor takes the place of.
const FEWEST: usize = 2;

/// So many tangents at most lead to one.
const MOST: usize = 1000;

/// The body with such factors; `None` if there are none.
pub(super) fn preaccumulated(l: &Linearised) -> Option<Linearised> {
    let program = &l.program;
    // Loops that take back what others did are written in terms of the whole body.
    if !l.restored.is_empty() || !l.undone.is_empty() {
        return None;
    }
    let regions = regions(l);
    if regions.is_empty() {
        return None;
    }
    let gone: BTreeSet<Var> = (regions.values())
        .flat_map(|region| region.inside.iter().copied())
        .filter(|v| !regions.contains_key(v))
        .collect();
    let mut out = Builder::new(&program.name, program.params.clone());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Var> = (0..program.params.len() as u32).map(Var).collect();
    for (k, eq) in program.eqs.iter().enumerate() {
        let v = program.var_of(k);
        let made = match regions.get(&v) {
            Some(region) => region.multiplied(program, v, &new, &mut out),
            // Nothing that is left mentions it.
            None if gone.contains(&v) => v,
            None => out.copy(eq, &mut |v| new[v.index()]),
        };
        new.push(made);
    }
    let of = |v: &Var| new[v.index()];
    let program = out.finish(program.results.iter().map(of).collect());
    let seeds = (0..program.params.len()).map(|k| l.tangents.contains(&Var(k as u32)));
    let linear = program.dependent(seeds.collect());
    Some(Linearised {
        linear,
        result_tangents: (l.result_tangents.iter())
            .map(|t| t.as_ref().map(of))
            .collect(),
        program,
        ..l.clone()
    })
}

/// What leads from a tangent to another one.
struct Region {
    from: Var,
    /// The tangents behind it, the last one included.
    inside: BTreeSet<Var>,
    /// Quotients, products and negatives that only these read.
    own: BTreeSet<Var>,
}

impl Region {
    /// The last tangent as a product.
    fn multiplied(&self, program: &Program, last: Var, new: &[Var], out: &mut Builder) -> Var {
        let shape = out.shape(new[self.from.index()]);
        let one = out.fill(Lit::Real(1.0), &shape);
        let mut factors = BTreeMap::from([(self.from, one)]);
        for v in self.own.iter().chain(&self.inside) {
            let eq = program.eq(*v).expect("it is no parameter");
            let of = |v: Var| *factors.get(&v).unwrap_or(&new[v.index()]);
            let made = if let Op::Map(Prim::Div, args) = &eq.op {
                // What several are divided by is inverted once.
                let inverse = out.map(Prim::Div, &[one, of(args[1])], None);
                out.map(Prim::Mul, &[of(args[0]), inverse], None)
            } else {
                out.copy(eq, &mut |v| of(v))
            };
            factors.insert(*v, made);
        }
        out.map(Prim::Mul, &[factors[&last], new[self.from.index()]], None)
    }
}

/// The regions of a body, by their last tangents.
fn regions(l: &Linearised) -> BTreeMap<Var, Region> {
    let (program, uses) = (&l.program, l.program.uses());
    let from = sources(l);
    let mut out: BTreeMap<Var, Region> = BTreeMap::new();
    let mut taken: BTreeSet<Var> = BTreeSet::new();
    for k in (0..program.eqs.len()).rev() {
        let last = program.var_of(k);
        if from[last.index()] == last || taken.contains(&last) {
            continue;
        }
        let Some(inside) = between(l, from[last.index()], last) else {
            continue;
        };
        let is_closed = inside.iter().all(|v| {
            let users = uses.by[v.index()].iter().map(|k| program.var_of(*k));
            *v == last
                || !uses.is_result[v.index()] && users.into_iter().all(|u| inside.contains(&u))
        });
        if is_closed && residuals(l, &uses, &inside) >= FEWEST {
            taken.extend(&inside);
            let from = from[last.index()];
            let own = own(l, &uses, &inside);
            out.insert(last, Region { from, inside, own });
        }
    }
    out
}

/// For each variable the tangent that it is a multiple of, element by element. A variable that is
/// no multiple of another has itself.
fn sources(l: &Linearised) -> Vec<Var> {
    let mut from: Vec<Var> = (0..l.program.params.len() as u32).map(Var).collect();
    for (k, eq) in l.program.eqs.iter().enumerate() {
        let v = l.program.var_of(k);
        let all = multiplied(l, v, eq).unwrap_or_default();
        let sources: BTreeSet<Var> = all.iter().map(|v| from[v.index()]).collect();
        from.push(match sources.first() {
            Some(first) if sources.len() == 1 => *first,
            Some(_) | None => v,
        });
    }
    from
}

/// The tangents that an equation multiplies or adds, element by element.
fn multiplied(l: &Linearised, v: Var, eq: &Eq) -> Option<Vec<Var>> {
    let Op::Map(prim, args) = &eq.op else {
        return None;
    };
    let is_linear = |v: &Var| l.linear[v.index()];
    let count = args.iter().filter(|v| is_linear(v)).count();
    let fits = match (prim, count) {
        (Prim::Neg, 1) | (Prim::Add | Prim::Sub, 2) | (Prim::Mul, 1) => true,
        (Prim::Div, 1) => is_linear(&args[0]),
        (_, _) => false,
    };
    let fits = fits && eq.guard.is_none() && eq.ty.elem == Elem::Real && is_linear(&v);
    fits.then(|| args.iter().filter(|v| is_linear(v)).copied().collect())
}

/// What leads from a tangent to another one, if that is not too much.
fn between(l: &Linearised, from: Var, last: Var) -> Option<BTreeSet<Var>> {
    let mut inside = BTreeSet::from([last]);
    let mut open = vec![last];
    while let Some(v) = open.pop() {
        let eq = l.program.eq(v).expect("it has a source");
        for u in multiplied(l, v, eq).unwrap_or_default() {
            if u != from && inside.insert(u) {
                open.push(u);
            }
        }
        if inside.len() > MOST {
            return None;
        }
    }
    Some(inside)
}

/// How many values tangents multiply in a region only, and have to be collected for it.
fn residuals(l: &Linearised, uses: &Uses, inside: &BTreeSet<Var>) -> usize {
    let is_own = |v: &Var| {
        let users = uses.by[v.index()].iter().map(|k| l.program.var_of(*k));
        let mut linear = users.filter(|u| l.linear[u.index()]);
        linear.all(|u| inside.contains(&u))
    };
    let mut found: BTreeSet<Var> = BTreeSet::new();
    for v in inside {
        let eq = l.program.eq(*v).expect("it has a source");
        eq.visit(&mut |u| {
            let is_computed =
                (l.program.eq(u)).is_some_and(|e| !matches!(e.op, Op::Fill(_) | Op::Index(_)));
            if is_computed && !l.linear[u.index()] && is_own(&u) {
                found.insert(u);
            }
        });
    }
    found.len()
}

/// Quotients, products and negatives that nothing but a region reads.
fn own(l: &Linearised, uses: &Uses, inside: &BTreeSet<Var>) -> BTreeSet<Var> {
    let mut own: BTreeSet<Var> = BTreeSet::new();
    for (k, eq) in l.program.eqs.iter().enumerate().rev() {
        let v = l.program.var_of(k);
        let is_plain = matches!(eq.op, Op::Map(Prim::Mul | Prim::Div | Prim::Neg, _));
        let users = &uses.by[v.index()];
        let is_own = is_plain
            && eq.guard.is_none()
            && !l.linear[v.index()]
            && !uses.is_result[v.index()]
            && !users.is_empty()
            && (users.iter().map(|k| l.program.var_of(*k)))
                .all(|u| inside.contains(&u) || own.contains(&u));
        if is_own {
            own.insert(v);
        }
    }
    own
}
