//! The loops of a program that is written down already, innermost first.

use super::draft::Draft;
use super::terms::is_atom;
use super::writer::Writer;
use crate::ir::core::{Block, Bound, Expr, Fresh, Kind, Loop, Program, Sym, Trip};
use std::collections::{BTreeSet, HashMap};

/// A program in which only what has to run one after another is a loop.
pub fn recognise(program: &Program) -> Program {
    let mut last = program.params.iter().map(|p| p.sym.id).max();
    let all = program.body.parts().into_iter();
    let mut see = |sym: &Sym| last = last.max(Some(sym.id));
    program.body.syms().into_iter().for_each(&mut see);
    all.for_each(|e| binders(e, &mut see));
    let mut rewriter = Rewriter {
        core: Writer {
            fresh: Fresh::after(last.map_or(0, |id| id + 1)),
            params: program.params.len(),
            ..Writer::default()
        },
        names: HashMap::new(),
    };
    Program {
        body: rewriter.block(program.body.clone()),
        ..program.clone()
    }
}

/// Calls `see` with every variable that is bound in an expression.
fn binders(e: &Expr, see: &mut impl FnMut(&Sym)) {
    match &*e.kind {
        Kind::Let(sym, ..) => see(sym),
        Kind::Loop(l, _) => l.syms().into_iter().for_each(&mut *see),
        Kind::Build(b, _) | Kind::Reduce(_, b, _) | Kind::ArgReduce(_, b, _) => see(&b.var),
        Kind::Scatter(s) => s.bound().for_each(&mut *see),
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Prim(..)
        | Kind::If(..)
        | Kind::Index(..)
        | Kind::Update(_)
        | Kind::Dim(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Recur(_)
        | Kind::Demand(..)
        | Kind::Call(_) => {}
    }
    e.parts().into_iter().for_each(|part| binders(part, see));
}

struct Rewriter {
    core: Writer,
    /// What the results of loops are, and what is no more than a name for something.
    names: HashMap<Sym, Expr>,
}

impl Rewriter {
    /// A region that is evaluated as a whole.
    fn block(&mut self, block: Block) -> Block {
        self.core.frames.push(vec![]);
        for b in block.lets {
            match b {
                Bound::Let(sym, is) => {
                    let is = self.expr(is);
                    match is_atom(&is) {
                        true => drop(self.names.insert(sym, is)),
                        false => self.core.bind(sym, is),
                    }
                }
                Bound::Loop(l) => self.looped(*l),
            }
        }
        let results = block.results.into_iter().map(|e| self.expr(e)).collect();
        let lets = self.core.frames.pop().unwrap_or_default();
        Block { lets, results }
    }

    fn region(&mut self, e: &mut Expr) {
        let whole = std::mem::replace(e, Expr::int(0));
        *e = self.block(Block::single(whole)).into_single();
    }

    /// A region that runs over an index.
    fn over(&mut self, index: &Sym, extent: &Expr, body: &mut Expr) {
        self.core.extents.insert(index.clone(), extent.clone());
        self.core.loops.push(index.clone());
        self.region(body);
        self.core.loops.pop();
    }

    fn expr(&mut self, mut e: Expr) -> Expr {
        match &mut *e.kind {
            Kind::Var(sym) => return self.names.get(sym).cloned().unwrap_or(e),
            Kind::Let(..) | Kind::Loop(..) => self.region(&mut e),
            Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
                b.extent = self.expr(b.extent.clone());
                self.over(&b.var, &b.extent, body);
            }
            Kind::If(cond, then, other) => {
                *cond = self.expr(cond.clone());
                self.region(then);
                self.region(other);
            }
            Kind::Scatter(s) => {
                for extent in
                    (s.extents.iter_mut()).chain(s.binders.iter_mut().map(|b| &mut b.extent))
                {
                    *extent = self.expr(extent.clone());
                }
                let depth = self.core.loops.len();
                for b in &s.binders {
                    self.core.extents.insert(b.var.clone(), b.extent.clone());
                    self.core.loops.push(b.var.clone());
                }
                let mut results = std::mem::take(&mut s.index);
                results.push(s.value.clone());
                let lets = std::mem::take(&mut s.lets);
                let mut inner = self.block(Block { lets, results });
                self.core.loops.truncate(depth);
                s.value = inner.results.pop().unwrap_or_else(|| s.value.clone());
                (s.lets, s.index) = (inner.lets, inner.results);
            }
            Kind::Prim(..)
            | Kind::Lit(_)
            | Kind::Index(..)
            | Kind::Update(_)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Recur(_)
            | Kind::Demand(..)
            | Kind::Call(_) => {
                for part in e.parts_mut() {
                    *part = self.expr(part.clone());
                }
            }
        }
        self.simpler(e)
    }

    /// An element that was just replaced is what was put there.
    fn simpler(&mut self, e: Expr) -> Expr {
        if let Kind::Index(array, at) = &*e.kind {
            return self.core.replaced_element(array, at).unwrap_or(e);
        }
        if let Kind::Update(u) = &*e.kind
            && u.when.is_none()
        {
            let u = u.clone();
            return self.core.updated(u.array, u.at, u.value);
        }
        e
    }

    fn looped(&mut self, mut l: Loop) {
        let mark = self.core.fresh.sym("loop");
        let mut before = BTreeSet::from([mark.clone()]);
        let mut extent = None;
        if let Trip::Times(count) = &mut l.trip {
            *count = self.expr(count.clone());
            before.extend(self.core.dependence(count));
            let known = self.core.not_negative(count.clone());
            extent = Some(known).filter(|_| !l.keep.recomputes());
        }
        for (sym, init) in &mut l.states {
            let is = self.expr(init.clone());
            *init = self.core.share(&sym.hint, is);
            before.extend(self.core.dependence(init));
            self.core.has_lengths_of(sym, init);
        }
        let rounds = (&l.index, extent.clone());
        (self.core).enter(&mark, rounds, l.states.iter().map(|(sym, _)| sym), &before);
        if let Trip::While(cond) = &mut l.trip {
            self.region(cond);
        }
        l.body = self.block(l.body);
        let only = self.core.sequences.pop().is_some_and(|around| around.only);
        let mut on = before;
        l.body
            .parts()
            .into_iter()
            .for_each(|e| self.core.depends(e, &mut on));
        on.remove(&mark);
        if only {
            self.core.keep_order(&on);
        }
        let outs = std::mem::take(&mut l.outs);
        let (last, stacks) = self.core.finish(Draft {
            looped: l,
            extent,
            only,
            on,
        });
        self.names
            .extend(outs.into_iter().zip(last.into_iter().chain(stacks)));
    }
}
