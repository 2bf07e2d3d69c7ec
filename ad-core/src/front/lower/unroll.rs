//! Recursive functions, where an argument says how deep they go.
//!
//! A function that calls itself is a unit: its body has a call of that unit. Where another function
//! calls it with literals for integers, the body takes the place of the call, and what these
//! literals decide is decided: which branch is taken, and so whether there is a call further in.
//!
//! ```text
//! f(x, n) = if n == 0 { 1 } else { x * f(x, n - 1) }
//! f(x, 2) = x * (x * 1)
//! ```

use super::Lowerer;
use super::rename::Names;
use crate::ir::core::{Block, Bound, Call, Expr, Kind, Param, Routine, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use crate::ir::unit::Rule;
use std::collections::HashMap;

/// How many calls are replaced at most. What needs more is called.
const MOST: usize = 1000;

/// How deep calls in calls are replaced. The depth of expressions grows with it.
const DEEPEST: usize = 100;

impl Lowerer<'_> {
    /// A recursive function for these arguments without a call of itself, if they say how deep it
    /// goes. What it calls after all is itself as a unit.
    pub(super) fn unrolled(
        &mut self,
        routine: &Routine,
        own: &str,
        given: &[Expr],
    ) -> Option<Routine> {
        let given: Vec<Expr> = given.iter().map(|e| self.written_out(e)).collect();
        if !given.iter().any(is_count) {
            return None;
        }
        let params: Vec<Param> = (routine.params.iter())
            .map(|p| Param {
                sym: self.fresh.sym(&p.sym.hint),
                ..p.clone()
            })
            .collect();
        let args = params.iter().zip(given).map(|(p, e)| match is_count(&e) {
            true => e,
            false => Expr::var(&p.sym, p.ty),
        });
        let args: Vec<Expr> = args.collect();
        let mut unroller = Unroller {
            lowerer: self,
            routine,
            own,
            outermost: &params,
            known: HashMap::new(),
            left: MOST,
            depth: 0,
        };
        let body = unroller.body(&args)?;
        Some(Routine { params, body })
    }

    /// A variable that stands for a literal, as that.
    fn written_out(&self, e: &Expr) -> Expr {
        let Kind::Var(sym) = &*e.kind else {
            return e.clone();
        };
        let bound = self.frames.iter().flatten().find_map(|b| match b {
            Bound::Let(s, is) if s == sym => Some(is),
            Bound::Let(..) | Bound::Loop(_) => None,
        });
        bound.filter(|is| is_count(is)).unwrap_or(e).clone()
    }
}

/// Whether it is an integer that is written out.
fn is_count(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Lit(Lit::Int(_)))
}

/// The call, if the expression is one of the function itself.
fn own_call<'e>(e: &'e Expr, own: &str) -> Option<&'e Call> {
    let Kind::Call(call) = &*e.kind else {
        return None;
    };
    (call.unit.is_itself(own) && call.rule == Rule::Value).then_some(call)
}

struct Unroller<'u, 'l> {
    lowerer: &'u mut Lowerer<'l>,
    routine: &'u Routine,
    own: &'u str,
    /// What the result is a function of. Behind the arguments of a call are the function's
    /// constants.
    outermost: &'u [Param],
    /// What variables are known to be.
    known: HashMap<Sym, Lit>,
    left: usize,
    depth: usize,
}

impl Unroller<'_, '_> {
    /// The body at some arguments; `None` if there is no end of it.
    fn body(&mut self, args: &[Expr]) -> Option<Block> {
        if self.left == 0 || self.depth == DEEPEST {
            return None;
        }
        self.left -= 1;
        self.depth += 1;
        let mut names = Names::new();
        let mut lets = vec![];
        let constants = &self.outermost[args.len()..];
        let constants = constants.iter().map(|p| Expr::var(&p.sym, p.ty));
        let all = args.iter().cloned().chain(constants);
        for (param, arg) in self.routine.params.iter().zip(all) {
            if let Kind::Var(sym) = &*arg.kind {
                names.insert(param.sym.clone(), sym.clone());
                continue;
            }
            let sym = self.lowerer.renamed(&param.sym, &mut names);
            lets.extend(self.bound(sym, arg));
        }
        for b in &self.routine.body.lets {
            match self.lowerer.copied_bound(b, &mut names) {
                Bound::Let(sym, is) => {
                    let is = self.decided(is)?;
                    lets.extend(self.bound(sym, is));
                }
                Bound::Loop(mut l) => {
                    for part in l.parts_mut() {
                        self.decide(part)?;
                    }
                    lets.push(Bound::Loop(l));
                }
            }
        }
        let mut results = vec![];
        for e in &self.routine.body.results {
            let e = self.lowerer.copied(e, &mut names);
            results.push(self.decided(e)?);
        }
        self.depth -= 1;
        Some(Block { lets, results })
    }

    /// Binds a variable, unless it stands for a literal.
    fn bound(&mut self, sym: Sym, is: Expr) -> Option<Bound> {
        if let Kind::Lit(lit @ (Lit::Int(_) | Lit::Bool(_))) = &*is.kind {
            self.known.insert(sym, *lit);
            return None;
        }
        Some(Bound::Let(sym, is))
    }

    fn decide(&mut self, e: &mut Expr) -> Option<()> {
        let taken = std::mem::replace(e, Expr::int(0));
        *e = self.decided(taken)?;
        Some(())
    }

    /// An expression, with what literals decide decided and calls replaced.
    fn decided(&mut self, mut e: Expr) -> Option<Expr> {
        match &mut *e.kind {
            Kind::Var(sym) => {
                return Some(self.known.get(sym).map_or(e, |lit| Expr::lit(*lit)));
            }
            Kind::Let(sym, is, body) => {
                let is = self.decided(is.clone())?;
                let (sym, body) = (sym.clone(), body.clone());
                let b = self.bound(sym, is);
                let body = self.decided(body)?;
                return Some(Expr::under(b.into_iter().collect(), body));
            }
            // Only what is taken is looked at.
            Kind::If(c, a, b) => {
                self.decide(c)?;
                if let Kind::Lit(Lit::Bool(holds)) = *c.kind {
                    return self.decided(if holds { a.clone() } else { b.clone() });
                }
                self.decide(a)?;
                self.decide(b)?;
            }
            Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::Loop(..)
            | Kind::Build(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Scatter(_)
            | Kind::Index(..)
            | Kind::Update(_)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Recur(_)
            | Kind::Demand(..)
            | Kind::Call(_) => {
                for part in e.parts_mut() {
                    self.decide(part)?;
                }
            }
        }
        if let Some(call) = own_call(&e, self.own)
            && call.args.iter().any(is_count)
        {
            let (args, out) = (call.args.clone(), call.out);
            let mut block = self.body(&args)?;
            let result = block.results.swap_remove(out);
            return Some(Expr::under(block.lets, result));
        }
        let known = if let Kind::Prim(prim, args) = &*e.kind {
            evaluated(*prim, args)
        } else {
            None
        };
        Some(known.unwrap_or(e))
    }
}

/// What a primitive gives, if literals say it. Real numbers are left to the passes.
fn evaluated(prim: Prim, args: &[Expr]) -> Option<Expr> {
    let lit = |e: &Expr| {
        let Kind::Lit(lit @ (Lit::Int(_) | Lit::Bool(_))) = *e.kind else {
            return None;
        };
        Some(lit)
    };
    // One operand may be enough, and the other is not evaluated then.
    if let [a, b] = args {
        let is_and = prim == Prim::And;
        if let (true, Some(Lit::Bool(holds))) = (is_and || prim == Prim::Or, lit(a)) {
            return Some(if holds == is_and {
                b.clone()
            } else {
                a.clone()
            });
        }
    }
    if let (Prim::Select, [c, a, b]) = (prim, args)
        && let Some(Lit::Bool(holds)) = lit(c)
    {
        return Some(if holds { a.clone() } else { b.clone() });
    }
    let lits: Option<Vec<Lit>> = args.iter().map(lit).collect();
    let is_whole = prim.result(args.last()?.ty.elem) != Elem::Real;
    lits.filter(|_| is_whole)
        .and_then(|lits| prim.eval(&lits))
        .map(Expr::lit)
}
