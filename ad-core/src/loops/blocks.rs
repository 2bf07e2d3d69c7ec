//! Loops in two levels, so that reverse mode keeps the states of few rounds: those between blocks,
//! and those of the block that it computes again.

use crate::ir::core::{Block, Bound, Copier, Expr, Fresh, Keep, Kind, Loop, Names, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// How reverse mode keeps only some states of a loop, and computes its rounds again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// As many rounds are computed again at once as the root of their number.
    Sqrt,
    /// So many rounds are computed again at once.
    Every(i64),
    /// At most so many states are kept.
    Binomial(i64),
}

/// A function body with each of its outermost loops of known length in two levels.
pub fn in_blocks(body: Block, every: Checkpoint, fresh: &mut Fresh) -> Block {
    Splitter { every, fresh }.block(body)
}

struct Splitter<'f> {
    every: Checkpoint,
    fresh: &'f mut Fresh,
}

fn two(prim: Prim, a: Expr, b: Expr) -> Expr {
    Expr::prim(prim, vec![a, b])
}

impl Splitter<'_> {
    fn block(&mut self, mut block: Block) -> Block {
        self.all(&mut block.lets);
        for e in &mut block.results {
            self.inside(e);
        }
        block
    }

    fn all(&mut self, lets: &mut Vec<Bound>) {
        for b in std::mem::take(lets) {
            match b {
                Bound::Loop(l) => self.looped(*l, lets),
                Bound::Let(sym, mut is) => {
                    self.inside(&mut is);
                    lets.push(Bound::Let(sym, is));
                }
            }
        }
    }

    /// The outermost loops inside of an expression.
    fn inside(&mut self, e: &mut Expr) {
        if let Kind::Let(..) | Kind::Loop(..) = &*e.kind {
            let whole = std::mem::replace(e, Expr::int(0));
            *e = self.block(Block::single(whole)).into_single();
            return;
        }
        let Kind::Scatter(s) = &mut *e.kind else {
            for part in e.parts_mut() {
                self.inside(part);
            }
            return;
        };
        self.all(&mut s.lets);
        for part in s.index.iter_mut().chain([&mut s.value]) {
            self.inside(part);
        }
    }

    /// A loop of `n` rounds as `n / m` blocks of `m`, and what is left; or the loop as it is, if
    /// its states are chosen when it runs.
    fn looped(&mut self, mut l: Loop, lets: &mut Vec<Bound>) {
        let fixed = match self.every {
            Checkpoint::Sqrt => None,
            Checkpoint::Every(k) => Some(k),
            Checkpoint::Binomial(k) => {
                if l.keep == Keep::Residuals {
                    l.keep = Keep::Few(k);
                }
                lets.push(Bound::Loop(Box::new(l)));
                return;
            }
        };
        let (Trip::Times(times), Keep::Residuals) = (&l.trip, l.keep) else {
            lets.push(Bound::Loop(Box::new(l)));
            return;
        };
        let mut bind = |l: &mut Self, hint: &str, e: Expr| {
            let sym = l.fresh.sym(hint);
            let var = Expr::var(&sym, e.ty);
            lets.push(Bound::Let(sym, e));
            var
        };
        let n = bind(self, "rounds", times.clone());
        let m = match fixed {
            Some(k) => Expr::int(k),
            None => {
                let root = Expr::prim(Prim::IntToReal, vec![n.clone()]);
                let root = Expr::prim(Prim::Sqrt, vec![root]);
                let root = Expr::prim(Prim::Ceil, vec![root]);
                let root = Expr::prim(Prim::RealToInt, vec![root]);
                two(Prim::IMax, root, Expr::int(1))
            }
        };
        let m = bind(self, "block", m);
        if l.body.results.len() == l.states.len() {
            let up = two(
                Prim::IAdd,
                n.clone(),
                two(Prim::ISub, m.clone(), Expr::int(1)),
            );
            let blocks = bind(self, "blocks", two(Prim::IDiv, up, m.clone()));
            let outs = l.outs.clone();
            let outer = self.blocks(l, blocks, &m, |first| {
                let left = two(Prim::ISub, n.clone(), first);
                two(Prim::IMin, m.clone(), left)
            });
            lets.push(Bound::Loop(Box::new(Loop { outs, ..outer })));
            return;
        }
        self.stacks_in_blocks(l, n, &m, lets);
    }

    /// Blocks of a loop: its results are the last states, and stacks of what the blocks collect.
    fn blocks(
        &mut self,
        l: Loop,
        blocks: Expr,
        m: &Expr,
        rounds: impl FnOnce(Expr) -> Expr,
    ) -> Loop {
        let block = self.fresh.sym("b");
        let first = two(
            Prim::IMul,
            Expr::var(&block, Ty::scalar(Elem::Int)),
            m.clone(),
        );
        let mut states = vec![];
        let mut begins = vec![];
        for (sym, init) in l.states {
            let outer = self.fresh.sym(&sym.hint);
            begins.push((sym, Expr::var(&outer, init.ty)));
            states.push((outer, init));
        }
        let types: Vec<Ty> = l.body.results.iter().map(|e| e.ty).collect();
        let count = states.len();
        let inner = self.some_rounds(l.index, begins, l.body, first.clone(), rounds(first));
        let results = inner.outs.iter().zip(types).enumerate();
        let results = results.map(|(k, (sym, ty))| {
            let rank = ty.rank + usize::from(k >= count);
            Expr::var(sym, Ty { rank, ..ty })
        });
        let results = results.collect();
        Loop {
            trip: Trip::Times(blocks),
            index: block,
            states,
            body: Block {
                lets: vec![Bound::Loop(Box::new(inner))],
                results,
            },
            outs: vec![],
            keep: Keep::States,
        }
    }

    /// Some rounds of a loop, from a first one.
    fn some_rounds(
        &mut self,
        index: Sym,
        states: Vec<(Sym, Expr)>,
        mut body: Block,
        first: Expr,
        rounds: Expr,
    ) -> Loop {
        let within = self.fresh.sym(&index.hint);
        let at = Expr::var(&within, Ty::scalar(Elem::Int));
        body.lets
            .insert(0, Bound::Let(index, two(Prim::IAdd, first, at)));
        let outs = (body.results.iter()).map(|_| self.fresh.sym("out"));
        let outs = outs.collect();
        Loop {
            trip: Trip::Times(rounds),
            index: within,
            states,
            body,
            outs,
            keep: Keep::Residuals,
        }
    }

    /// The same of a loop that collects something: whole blocks first, whose stacks are one array,
    /// then the rounds that are left.
    fn stacks_in_blocks(&mut self, l: Loop, n: Expr, m: &Expr, lets: &mut Vec<Bound>) {
        let mut bind = |l: &mut Self, hint: &str, e: Expr| {
            let sym = l.fresh.sym(hint);
            let var = Expr::var(&sym, e.ty);
            lets.push(Bound::Let(sym, e));
            var
        };
        let n = bind(self, "rounds", two(Prim::IMax, n, Expr::int(0)));
        let blocks = bind(self, "blocks", two(Prim::IDiv, n.clone(), m.clone()));
        let whole = bind(self, "whole", two(Prim::IMul, blocks.clone(), m.clone()));
        let rest = bind(self, "rest", two(Prim::ISub, n.clone(), whole.clone()));
        let count = l.states.len();
        let last = l.outs.clone();
        let types = l.out_types();
        let mut copier = Copier {
            fresh: self.fresh,
            call: &mut |_, call| Expr::call(call),
        };
        let again = copier.copied_loop(&l, &mut Names::new());
        let mut outer = self.blocks(l, blocks, m, |_| m.clone());
        outer.outs = outer
            .body
            .results
            .iter()
            .map(|_| self.fresh.sym("out"))
            .collect();
        let behind = outer.outs.clone();
        lets.push(Bound::Loop(Box::new(outer)));
        // What is left, from the states behind the blocks.
        let begins = again.states.into_iter().zip(&behind);
        let begins = begins.map(|((sym, init), out)| (sym, Expr::var(out, init.ty)));
        let begins = begins.collect();
        let mut tail = self.some_rounds(again.index, begins, again.body, whole.clone(), rest);
        tail.outs[..count].clone_from_slice(&last[..count]);
        let left: Vec<Sym> = tail.outs[count..].to_vec();
        lets.push(Bound::Loop(Box::new(tail)));
        for (k, out) in left.iter().enumerate() {
            let ty = types[count + k];
            let i = self.fresh.sym("i");
            let at = Expr::var(&i, Ty::scalar(Elem::Int));
            let rank = ty.rank + 1;
            let blocks = Expr::var(&behind[count + k], Ty { rank, ..ty });
            let mut place = vec![None; rank];
            place[0] = Some(two(Prim::IDiv, at.clone(), m.clone()));
            place[1] = Some(two(Prim::IRem, at.clone(), m.clone()));
            let early = Expr::index(blocks, place);
            let mut place = vec![None; ty.rank];
            place[0] = Some(two(Prim::ISub, at.clone(), whole.clone()));
            let late = Expr::index(Expr::var(out, ty), place);
            let is_early = two(Prim::ILt, at, whole.clone());
            let all = Expr::build(i, n.clone(), Expr::cond(is_early, early, late));
            lets.push(Bound::Let(last[count + k].clone(), all));
        }
    }
}
