//! The walk over a program: its loops come to recognition innermost first.

use super::counted::counted;
use super::draft::Draft;
use super::leaving::leaving;
use super::longer::longer;
use super::size::{excess, literal};
use super::terms::{is_atom, minus};
use super::wiring::{bound_by, needed, variables};
use super::writer::Writer;
use crate::ir::core::{Along, Block, Bound, Expr, Fresh, Kind, Loop, Program, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{Deref, DerefMut};

/// What recognition may know of a function besides its body.
#[derive(Clone, Default)]
pub struct Context {
    /// Names that are not in use yet.
    pub fresh: Fresh,
    /// Arguments of types without a sign.
    pub naturals: BTreeSet<Sym>,
    /// Whether other functions call it, who need not come to what it demands.
    pub called: bool,
}

/// A program in which only what has to run one after another is a loop.
pub struct Recognised {
    /// The program.
    pub program: Program,
    /// Names that are not in use yet.
    pub fresh: Fresh,
    /// Whether it demands on entry that arrays are long enough for what fills them.
    pub demands: bool,
}

/// Finds out what of the loops of a program has to run one after another.
pub fn recognised(mut program: Program, mut context: Context) -> Recognised {
    let mut known = Writer {
        fresh: context.fresh,
        naturals: context.naturals.clone(),
        ..Writer::default()
    };
    program.body = leaving(program.body, &mut known);
    program.body = counted(program.body, &mut known);
    context.fresh = known.fresh;
    let mut recogniser = Recogniser {
        core: Writer {
            fresh: context.fresh,
            naturals: context.naturals,
            ..Writer::default()
        },
        params: program.params.iter().map(|p| p.sym.clone()).collect(),
        called: context.called,
        demands: false,
        names: HashMap::new(),
        rounds: HashMap::new(),
    };
    if !recogniser.called {
        let mut known = Writer {
            naturals: recogniser.naturals.clone(),
            ..Writer::default()
        };
        recogniser.longer = longer(&program, &mut known);
    }
    let mut body = recogniser.block(program.body);
    recogniser.demand_longer(&mut body);
    Recognised {
        program: Program { body, ..program },
        fresh: recogniser.core.fresh,
        demands: recogniser.demands,
    }
}

/// Writes a program once more, front to back.
pub(super) struct Recogniser {
    core: Writer,
    /// The parameters of the function.
    pub(super) params: BTreeSet<Sym>,
    /// Whether the program is for calls from other functions.
    pub(super) called: bool,
    /// Whether something was demanded on entry because of an array that is filled.
    pub(super) demands: bool,
    /// What the results of loops are, and what is no more than a name for something.
    names: HashMap<Sym, Expr>,
    /// Of new parts of arrays: the loop that made them.
    pub(super) rounds: HashMap<Sym, (Sym, Expr)>,
}

impl Deref for Recogniser {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        &self.core
    }
}

impl DerefMut for Recogniser {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.core
    }
}

impl Recogniser {
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

    fn rewrite(&mut self, e: &mut Expr) {
        let whole = std::mem::replace(e, Expr::int(0));
        *e = self.expr(whole);
    }

    fn expr(&mut self, mut e: Expr) -> Expr {
        match &mut *e.kind {
            Kind::Var(sym) => return self.names.get(sym).cloned().unwrap_or(e),
            Kind::Let(..) | Kind::Loop(..) => self.region(&mut e),
            Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
                self.rewrite(&mut b.extent);
                self.over(&b.var, &b.extent, body);
            }
            Kind::If(cond, then, other) => {
                self.rewrite(cond);
                let mut side = |e: &mut Expr| {
                    let whole = std::mem::replace(e, Expr::int(0));
                    let mut block = self.block(Block::single(whole));
                    // Other states of its loops may be of no use any more.
                    block.lets = needed(&block.lets, &block.results);
                    block
                };
                let (a, b) = (side(then), side(other));
                if a.results.iter().any(|e| e.ty.rank > 0)
                    && let Some(merged) = self.merged(cond, &a, &b)
                {
                    return merged;
                }
                (*then, *other) = (a.into_single(), b.into_single());
            }
            Kind::Scatter(s) => {
                s.extents.iter_mut().for_each(|n| self.rewrite(n));
                let depth = self.core.loops.len();
                for b in &mut s.binders {
                    self.rewrite(&mut b.extent);
                    self.core.extents.insert(b.var.clone(), b.extent.clone());
                    self.core.loops.push(b.var.clone());
                }
                let mut results = std::mem::take(&mut s.index);
                results.push(std::mem::replace(&mut s.value, Expr::int(0)));
                let lets = std::mem::take(&mut s.lets);
                let mut inner = self.block(Block { lets, results });
                self.core.loops.truncate(depth);
                if let Some(value) = inner.results.pop() {
                    s.value = value;
                }
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
            | Kind::Call(_) => e
                .parts_mut()
                .into_iter()
                .for_each(|part| self.rewrite(part)),
        }
        self.simpler(e)
    }

    fn has_same_lengths(&mut self, a: &Expr, b: &Expr) -> bool {
        let lengths = [a, b].map(|e| self.core.written_lengths(e));
        let [a, b] = &lengths;
        a.iter().zip(b).all(|(a, b)| excess(a, b) == Some(0))
    }

    /// An element that was just replaced is what was put there, and so is a whole array.
    fn simpler(&mut self, e: Expr) -> Expr {
        if let Kind::Index(array, at) = &*e.kind {
            return self.core.replaced_element(array, at).unwrap_or(e);
        }
        let Kind::Update(u) = &*e.kind else {
            return e;
        };
        match Along::of_read(&u.at) {
            None => self.stretch_changed(u.clone()),
            Some(at) if u.when.is_none() => {
                let u = u.clone();
                let is_whole = at.iter().all(Option::is_none);
                match is_whole && self.has_same_lengths(&u.array, &u.value) {
                    true => u.value,
                    false => self.core.updated(u.array, at, u.value),
                }
            }
            Some(_) => e,
        }
    }

    fn looped(&mut self, mut l: Loop) {
        let mark = self.core.fresh.sym("loop");
        let mut before = BTreeSet::from([mark.clone()]);
        let mut extent = None;
        if let Trip::Times(count) = &mut l.trip {
            self.rewrite(count);
            before.extend(self.core.dependence(count));
            // In loops around, more may be known of their indices than where this was written.
            if let Kind::Prim(Prim::IMax, args) = &*count.kind
                && literal(&args[1]) == Some(0)
                && self.core.is_natural(&args[0])
            {
                *count = args[0].clone();
            }
            extent = Some(count.clone()).filter(|_| !l.keep.recomputes());
            // A negative number of rounds is none, unless it is the length of what is stacked.
            if l.body.results.len() == l.states.len()
                && let Kind::Prim(Prim::IMax, args) = &*count.kind
                && literal(&args[1]) == Some(0)
            {
                *count = args[0].clone();
            }
        }
        for (sym, init) in &mut l.states {
            self.rewrite(init);
            *init = self.core.share(&sym.hint, init.clone());
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
        let condition = match &l.trip {
            Trip::While(cond) => Some(cond),
            Trip::Times(_) => None,
        };
        for e in l.body.parts().into_iter().chain(condition) {
            self.core.depends(e, &mut on);
        }
        on.remove(&mark);
        if only {
            self.core.keep_order(&on);
        }
        if let Some(count) = &extent {
            self.read_once(&mut l, count);
        }
        let outs = std::mem::take(&mut l.outs);
        let (last, stacks) = self.finish(Draft {
            looped: l,
            extent,
            only,
            on,
        });
        self.names
            .extend(outs.into_iter().zip(last.into_iter().chain(stacks)));
    }

    /// Integers that are read at the same place in all rounds are read before the loop, if it has
    /// rounds: what is changed at such places is known before it.
    fn read_once(&mut self, l: &mut Loop, count: &Expr) {
        let states = l.states.iter().map(|(sym, _)| sym);
        let mut inside: HashSet<Sym> = states.chain([&l.index]).cloned().collect();
        let some = minus(count.clone(), Expr::int(1));
        let runs = self.core.is_natural(&some);
        for b in std::mem::take(&mut l.body.lets) {
            let (sym, is) = match b {
                Bound::Let(sym, is) if is_integer_read(&is) && is_fixed(&is, &inside) => (sym, is),
                Bound::Let(..) | Bound::Loop(_) => {
                    inside.extend(bound_by(&b).into_iter().cloned());
                    l.body.lets.push(b);
                    continue;
                }
            };
            let read = match runs || self.is_there(&is) {
                true => is,
                false => {
                    let some = Expr::prim(Prim::ILt, vec![Expr::int(0), count.clone()]);
                    Expr::cond(some, is, Expr::int(0))
                }
            };
            self.core.bind(sym, read);
        }
    }

    /// Whether an element that is read is there for sure.
    fn is_there(&mut self, read: &Expr) -> bool {
        let Kind::Index(array, at) = &*read.kind else {
            return false;
        };
        let at: Option<Vec<Expr>> = at.iter().cloned().collect();
        at.is_some_and(|at| self.has_element(array, &at))
    }
}

fn is_integer_read(e: &Expr) -> bool {
    e.ty == Ty::scalar(Elem::Int) && matches!(*e.kind, Kind::Index(..))
}

fn is_fixed(e: &Expr, inside: &HashSet<Sym>) -> bool {
    let mut fixed = true;
    variables(e, &mut |sym| fixed &= !inside.contains(sym));
    fixed
}
