//! Loops, and arrays with elements replaced, as Core has them.

use super::{Raiser, index_of};
use crate::ir::bulk::{Eq, Ix, Part, Run, Var};
use crate::ir::core::{Along, Bound, Expr, Loop, Scatter, Sym, Trip, Ty, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use std::collections::HashMap;

impl<'a> Raiser<'a> {
    /// The variable for one result of a loop. With the first one, the loop and all its results are
    /// bound.
    pub(super) fn loop_result(&mut self, run: Run<'a>, out: usize, lets: &mut Vec<Bound>) -> Sym {
        if let Some(results) = self.loops.get(&run) {
            return results[out].clone();
        }
        let results = self.bind_loop(run, lets);
        let result = results[out].clone();
        self.loops.insert(run, results);
        result
    }

    /// Binds a loop. The number of its steps is a state of its own where a condition ends it.
    fn bind_loop(&mut self, run: Run<'a>, lets: &mut Vec<Bound>) -> Vec<Sym> {
        let looped: &'a crate::ir::bulk::Loop = run.looped;
        let let_in = |hint: &str, e: Expr, r: &mut Self, lets: &mut Vec<Bound>| {
            let sym = r.fresh.sym(hint);
            lets.push(Bound::Let(sym.clone(), e));
            sym
        };
        let mut vars = vec![];
        for v in run.given {
            let known = self.vars[v.index()].clone();
            vars.push(Some(match known {
                Some(sym) => sym,
                None => {
                    let e = self.whole(*v);
                    let_in("v", e, self, lets)
                }
            }));
        }
        let body = &looped.body;
        let first = run.given.len();
        let mut states: Vec<(Sym, Expr)> = vec![];
        for (v, p) in run.init.iter().zip(&body.params[first..]) {
            let sym = self.fresh.sym(&p.name);
            vars.push(Some(sym.clone()));
            states.push((sym, self.whole(*v)));
        }
        let index = self.fresh.sym("step");
        let steps = run.steps.map(|n| {
            let n = self.size(n);
            let_in("steps", n, self, lets)
        });
        // Backwards, the index is counted from the end.
        let mut inside = vec![];
        let backwards = steps.as_ref().filter(|_| looped.reverse);
        vars.push(Some(match backwards {
            None => index.clone(),
            Some(n) => {
                let last = Expr::prim(Prim::ISub, vec![index_of(n), Expr::int(1)]);
                let e = Expr::prim(Prim::ISub, vec![last, index_of(&index)]);
                let_in("step", e, self, &mut inside)
            }
        }));
        let counter = self.fresh.sym("count");
        let counted = steps.is_none();
        if counted {
            states.push((counter.clone(), Expr::int(0)));
        }
        let trip = match (&steps, &looped.goes_on) {
            (Some(n), _) => Trip::Times(index_of(n)),
            (None, Some(c)) => {
                let block = self.inner(c, vars.clone(), vec![]);
                Trip::While(block.into_single())
            }
            (None, None) => unreachable!("a loop has a number of steps or a condition"),
        };
        let mut block = self.inner(body, vars, inside);
        if counted {
            let next = Expr::prim(Prim::IAdd, vec![index_of(&counter), Expr::int(1)]);
            block.results.insert(looped.states, next);
        }
        let outs: Vec<Sym> = block.results.iter().map(|_| self.fresh.sym("v")).collect();
        let l = Loop {
            trip,
            index,
            states,
            body: block,
            outs: outs.clone(),
            keep: looped.keep,
        };
        let types = l.out_types();
        lets.push(Bound::Loop(Box::new(l)));
        let mut results = outs;
        let count = match &steps {
            None => results.remove(looped.states),
            Some(n) => n.clone(),
        };
        if let Some(n) = backwards {
            for (sym, ty) in results.iter_mut().zip(types).skip(looped.states) {
                let e = self.turned(sym, ty, n);
                *sym = let_in("v", e, self, lets);
            }
        }
        results.push(count);
        results
    }

    /// An array with its leading axis of `n` from the end.
    fn turned(&mut self, array: &Sym, ty: Ty, n: &Sym) -> Expr {
        let i = self.fresh.sym("i");
        let last = Expr::prim(Prim::ISub, vec![index_of(n), Expr::int(1)]);
        let mut at = vec![Some(Expr::prim(Prim::ISub, vec![last, index_of(&i)]))];
        at.resize_with(ty.rank, || None);
        let array = Expr::var(array, ty);
        let extent = Expr::dim(array.clone(), 0);
        Expr::build(i, extent, Expr::index(array, at))
    }

    /// A program inside of a loop; `vars` are its parameters.
    fn inner(
        &mut self,
        program: &'a crate::ir::bulk::Program,
        vars: Vec<Option<Sym>>,
        lets: Vec<Bound>,
    ) -> crate::ir::core::Block {
        let mut r = Raiser {
            program,
            function: self.function,
            in_loop: true,
            vars,
            fresh: std::mem::take(&mut self.fresh),
            sizes: HashMap::new(),
            loops: HashMap::new(),
        };
        let block = r.block(lets);
        self.fresh = r.fresh;
        block
    }

    /// An array with elements replaced. Elements at places from data that are many: each place is
    /// marked, and what is marked is read from the new values.
    pub(super) fn update(&mut self, src: Var, part: &Part, when: Option<Var>, eq: &Eq) -> Expr {
        let value_ty = self.program.ty(part.src).clone();
        // A condition for each element is not one for the part.
        let one = when.is_none() || value_ty.rank() == 0;
        if let Some(at) = self
            .block_of(part, &value_ty.shape, &eq.ty.shape)
            .filter(|_| one)
        {
            return Expr::update(Update {
                array: self.whole(src),
                at,
                when: when.map(|w| self.read(w, &[])),
                value: self.whole(part.src),
            });
        }
        let mut over = value_ty.shape.clone();
        let rank = over.len();
        if rank == 0 {
            over.push(Size::lit(1));
        }
        let scatter = |r: &mut Self, value: &dyn Fn(&mut Self, &[Expr]) -> Expr| {
            let (binders, at) = r.binders(&over);
            let at = &at[..rank];
            let value = value(r, at);
            let value = match when {
                Some(w) => Expr::only_where(r.read(w, at), value),
                None => value,
            };
            Expr::scatter(Scatter {
                extents: eq.ty.shape.iter().map(|n| r.size(n)).collect(),
                binders,
                lets: vec![],
                index: r.index(&part.index, at),
                value,
            })
        };
        let elem = value_ty.elem;
        let hits = scatter(self, &|_, _| Expr::real(1.0));
        let values = scatter(self, &|r, at| {
            let e = r.read(part.src, at);
            match elem {
                Elem::Real => e,
                Elem::Int => Expr::prim(Prim::IntToReal, vec![e]),
                Elem::Bool => Expr::cond(e, Expr::real(1.0), Expr::real(0.0)),
            }
        });
        let (hit, new) = (self.fresh.sym("hit"), self.fresh.sym("new"));
        let (hits_ty, values_ty) = (hits.ty, values.ty);
        let shape = eq.ty.shape.clone();
        let (hit_var, new_var) = (Expr::var(&hit, hits_ty), Expr::var(&new, values_ty));
        let whole = self.over(&shape, |r, at| {
            let here = |a: &Expr| Expr::index(a.clone(), at.iter().cloned().map(Some).collect());
            let marked = Expr::prim(Prim::Lt, vec![Expr::lit(Lit::Real(0.0)), here(&hit_var)]);
            let new = match elem {
                Elem::Real => here(&new_var),
                Elem::Int => Expr::prim(Prim::RealToInt, vec![here(&new_var)]),
                Elem::Bool => Expr::prim(Prim::Lt, vec![Expr::real(0.5), here(&new_var)]),
            };
            Expr::cond(marked, new, r.read(src, at))
        });
        Expr::bind(hit, hits, Expr::bind(new, values, whole))
    }

    /// The place of a part that Core can replace.
    fn block_of(&self, part: &Part, shape: &[Size], whole: &[Size]) -> Option<Vec<Along>> {
        let mut next = 0;
        let mut at = vec![];
        for (i, n) in part.index.iter().zip(whole) {
            at.push(match i {
                Ix::Affine(a) if a.is_constant() => Along::At(self.size(&a.constant)),
                Ix::Affine(a) if a.as_axis() == Some(next) && shape[next] == *n => {
                    next += 1;
                    Along::All
                }
                Ix::Affine(a) if matches!(a.single(), Some((k, c)) if k == next && c.is(1)) => {
                    next += 1;
                    Along::From(self.size(&a.constant))
                }
                Ix::Data(v) if shape.is_empty() => Along::At(self.read(*v, &[])),
                Ix::Affine(_) | Ix::Data(_) => return None,
            });
        }
        (next == shape.len()).then_some(at)
    }
}
