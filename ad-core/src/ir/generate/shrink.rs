//! Making a failing program small.

use crate::ir::core::{Block, Bound, Expr, Kind, Param, Program, Sym, Ty};
use crate::ir::core_check::check;
use crate::ir::core_eval::eval;
use crate::ir::ty::{Elem, Lit};
use crate::ir::value::Value;

/// How complicated an expression is. Every step of the shrinking lowers it.
pub(super) fn weight(e: &Expr) -> usize {
    let own = match &*e.kind {
        Kind::Lit(l) if simple(l.elem()).contains(l) => 1,
        Kind::Lit(_) => 2,
        Kind::Var(_) => 3,
        Kind::Dim(..) => 1,
        Kind::Prim(..) | Kind::Let(..) | Kind::Index(..) | Kind::Stop(_) => 4,
        Kind::Update(_) => 5,
        Kind::Loop(l, _) => 9 + 3 * l.outs.len(),
        Kind::Where(..) | Kind::Demand(..) => 4,
        Kind::Recur(_) | Kind::Call(_) => 7,
        Kind::If(..) => 5,
        Kind::Build(..) | Kind::Reduce(..) | Kind::ArgReduce(..) => 7,
        Kind::Scatter(s) => 7 * s.binders.len(),
    };
    own + e.parts().into_iter().map(weight).sum::<usize>()
}

pub(super) fn simple(elem: Elem) -> Vec<Lit> {
    match elem {
        Elem::Real => vec![Lit::Real(0.0), Lit::Real(1.0), Lit::Real(2.0)],
        Elem::Int => vec![Lit::Int(0), Lit::Int(1), Lit::Int(2)],
        Elem::Bool => vec![Lit::Bool(false), Lit::Bool(true)],
    }
}

/// What might stand in the place of an expression, simplest first.
pub(super) fn simpler(e: &Expr, params: &[Param], root: bool) -> Vec<Expr> {
    let mut out = vec![];
    if e.ty.rank == 0 {
        out.extend(simple(e.ty.elem).into_iter().map(Expr::lit));
    }
    let fits = |ty: Ty| ty == e.ty || (root && ty.elem == Elem::Real);
    for p in params.iter().filter(|p| fits(p.ty)) {
        out.push(Expr::var(&p.sym, p.ty));
    }
    // What is inside, down to some depth.
    let mut level = e.parts();
    for _ in 0..3 {
        out.extend(level.iter().filter(|c| fits(c.ty)).map(|c| (*c).clone()));
        level = level.into_iter().flat_map(Expr::parts).collect();
    }
    let zero = || Expr::int(0);
    match &*e.kind {
        Kind::Let(s, a, b) => {
            // The bound expression, where its variable stands.
            let mut inlined = b.clone();
            if replace_var(&mut inlined, s, a) == 1 {
                out.push(inlined);
            }
        }
        // The first turn of a loop.
        Kind::Reduce(_, b, body) => out.push(Expr::bind(b.var.clone(), zero(), body.clone())),
        Kind::Build(b, body) if root => {
            out.push(Expr::bind(b.var.clone(), zero(), body.clone()));
        }
        Kind::Index(a, at) => {
            if let (Kind::Build(b, body), Some(Some(i))) = (&*a.kind, at.first()) {
                let rest = match body.ty.rank {
                    0 => body.clone(),
                    _ => Expr::index(body.clone(), at[1..].to_vec()),
                };
                out.push(Expr::bind(b.var.clone(), i.clone(), rest));
            }
        }
        Kind::Scatter(s) => {
            if let [binder] = &s.binders[..]
                && e.ty.rank == 1
            {
                let body = Expr::under(s.lets.clone(), s.value.clone());
                let binder = binder.clone();
                out.push(Expr::build(binder.var, binder.extent, body));
            }
            if s.binders.len() > 1 {
                // The first turn of the outermost loop.
                let mut s = s.clone();
                let first = s.binders.remove(0);
                s.lets.insert(0, Bound::Let(first.var, zero()));
                out.push(Expr::scatter(s));
            }
        }
        // The array before it was changed.
        Kind::Update(u) => out.push(u.array.clone()),
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Loop(..)
        | Kind::Prim(..)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::ArgReduce(..)
        | Kind::Dim(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Call(_)
        | Kind::Recur(_)
        | Kind::Demand(..) => {}
    }
    out
}

/// Puts `by` where `s` stands; says how often.
pub(super) fn replace_var(e: &mut Expr, s: &Sym, by: &Expr) -> usize {
    if let Kind::Var(v) = &*e.kind
        && v == s
    {
        *e = by.clone();
        return 1;
    }
    let mut n = 0;
    for c in e.parts_mut() {
        n += replace_var(c, s, by);
    }
    n
}

/// Works out the types again, from the inside out.
pub(super) fn retype(e: &mut Expr) {
    for c in e.parts_mut() {
        retype(c);
    }
    match &*e.kind {
        Kind::Let(_, _, b) | Kind::Loop(_, b) => e.ty = b.ty,
        Kind::If(_, b, _) | Kind::Reduce(_, _, b) | Kind::Stop(b) => e.ty = b.ty,
        Kind::Update(u) => e.ty = u.array.ty,
        Kind::Where(_, b) | Kind::Demand(_, b) => e.ty = b.ty,
        Kind::Recur(r) => e.ty = r.factors.ty,
        Kind::Call(c) => {
            if let Some(ty) = c.unit.gives(c.rule, c.out) {
                e.ty = ty;
            }
        }
        Kind::Build(_, b) => {
            e.ty = Ty {
                elem: b.ty.elem,
                rank: b.ty.rank + 1,
            };
        }
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Prim(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Index(..)
        | Kind::Dim(..) => {}
    }
}

/// The expression at a path of child numbers.
pub(super) fn at_path<'a>(e: &'a Expr, path: &[usize]) -> &'a Expr {
    match path.split_first() {
        None => e,
        Some((&k, rest)) => at_path(e.parts()[k], rest),
    }
}

pub(super) fn put_path(e: &mut Expr, path: &[usize], new: Expr) {
    match path.split_first() {
        None => *e = new,
        Some((&k, rest)) => put_path(e.parts_mut().swap_remove(k), rest, new),
    }
}

pub(super) fn paths(e: &Expr) -> Vec<Vec<usize>> {
    let mut out = vec![vec![]];
    for (k, c) in e.parts().into_iter().enumerate() {
        out.extend(paths(c).into_iter().map(|mut p| {
            p.insert(0, k);
            p
        }));
    }
    out
}

/// A simpler program on which `fails` still says yes. Only programs that pass the verifier are
/// tried; if the given one has a value on the inputs, then only such as have one too. Parameters
/// and inputs stay; the type of the result may change, but stays real.
pub fn shrink(
    p: &Program,
    inputs: &[Value],
    fails: &mut dyn FnMut(&Program, &[Value]) -> bool,
) -> Program {
    let has_value = eval(p, inputs).is_ok();
    let whole = |body: &Expr| Program {
        body: Block::single(body.clone()),
        ..p.clone()
    };
    let mut best = p.body.clone().into_single();
    let mut tries = 20_000usize;
    loop {
        let before = weight(&best);
        // From the outside in: what goes early takes much with it.
        let mut all = paths(&best);
        all.sort_by_key(Vec::len);
        let mut k = 0;
        while k < all.len() {
            let path = all[k].clone();
            k += 1;
            let now = at_path(&best, &path);
            let old = weight(now);
            let mut options = simpler(now, &p.params, path.is_empty());
            options.retain(|o| weight(o) < old);
            options.sort_by_key(weight);
            for new in options {
                if tries == 0 {
                    return whole(&best);
                }
                tries -= 1;
                let mut q = best.clone();
                put_path(&mut q, &path, new);
                if path.is_empty() {
                    retype(&mut q);
                }
                let program = whole(&q);
                let valued = || !has_value || eval(&program, inputs).is_ok();
                if check(&program).is_ok() && valued() && fails(&program, inputs) {
                    best = q;
                    all = paths(&best);
                    all.sort_by_key(Vec::len);
                    k = 0;
                    break;
                }
            }
        }
        if weight(&best) == before {
            return whole(&best);
        }
    }
}
