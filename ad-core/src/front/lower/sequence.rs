//! Sequential loops: `fold`, `scan`, `checkpoint`, and what the statements `for` and `while` become.

use super::array::element;
use super::combinator::{built, entry};
use super::header::unravelled;
use super::value::{Plain, Value};
use super::{Bindings, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::names::Combinator;
use crate::front::surface::{Expr as Surface, Pattern};
use crate::front::types::Scalar;
use crate::ir::core::{Block, Bound, Expr, Kind, Loop, Sym, Trip, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;
use std::collections::BTreeSet;

/// A sequential loop around what is lowered.
pub(super) struct Sequence {
    /// What its index and its states depend on, besides what they begin with.
    pub(super) mark: Sym,
    /// Where the size of an array depends on it. It is the same within a round, so that is fine as
    /// long as the rounds run one after another.
    pub(super) sized: Vec<Loc>,
    /// Whether the rounds have to run one after another for another reason.
    pub(super) only: bool,
}

/// When a loop goes on.
pub(super) enum Head {
    /// So many times; whether the number may be negative.
    Times { count: Expr, signed: bool },
    /// As long as the condition of the round says.
    While,
    /// Once, and computed again in the reverse pass.
    Again,
}

/// What happens in a round.
pub(super) struct Round {
    /// What it binds.
    pub(super) bound: Bindings,
    /// Whether there is a round at all, in terms of the states and the index.
    pub(super) cond: Option<Expr>,
    /// The states behind it.
    pub(super) next: Vec<Value>,
    /// What is collected.
    pub(super) stacked: Vec<Value>,
}

/// A state of a loop in Core.
pub(super) struct State {
    pub(super) sym: Sym,
    pub(super) init: Plain,
    pub(super) next: Plain,
}

/// A loop, before it is known which of it has to run one after another.
pub(super) struct Draft {
    pub(super) trip: Trip,
    /// The number of rounds, which is not negative, where it is known before.
    pub(super) extent: Option<Expr>,
    pub(super) index: Sym,
    pub(super) states: Vec<State>,
    pub(super) bound: Bindings,
    pub(super) stacked: Vec<Expr>,
    pub(super) recompute: bool,
    /// Whether the rounds have to run one after another.
    pub(super) only: bool,
    /// What its results depend on.
    pub(super) on: BTreeSet<Sym>,
}

impl Value {
    /// Whether it is made of numbers and bools.
    pub(super) fn is_data(&self) -> bool {
        match self {
            Value::Plain(_) => true,
            Value::Tuple(parts) => parts.iter().all(Value::is_data),
            Value::Closure(..) | Value::Shape(_) => false,
        }
    }

    /// The numbers and arrays that it is made of.
    pub(super) fn leaves(&self) -> Vec<&Plain> {
        match self {
            Value::Plain(plain) => vec![plain],
            Value::Tuple(parts) => parts.iter().flat_map(Value::leaves).collect(),
            Value::Closure(..) | Value::Shape(_) => vec![],
        }
    }

    /// A value of the same form, made of others.
    pub(super) fn with_leaves(&self, leaves: &mut impl Iterator<Item = Plain>) -> Value {
        match self {
            Value::Plain(plain) => Value::Plain(leaves.next().unwrap_or_else(|| plain.clone())),
            Value::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|p| p.with_leaves(leaves)).collect())
            }
            Value::Closure(..) | Value::Shape(_) => self.clone(),
        }
    }

    fn has_form_of(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Plain(a), Value::Plain(b)) => a.expr.ty.rank == b.expr.ty.rank,
            (Value::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.has_form_of(b))
            }
            (Value::Plain(_) | Value::Tuple(_) | Value::Closure(..) | Value::Shape(_), _) => false,
        }
    }
}

impl Lowerer<'_> {
    /// A loop: the last values of what it carries, and what it collects.
    pub(super) fn sequence(
        &mut self,
        head: Head,
        inits: Vec<(String, Value)>,
        hint: &str,
        loc: Loc,
        body: impl FnOnce(&mut Self, Vec<Value>, Expr) -> Result<Round>,
    ) -> Result<(Vec<Value>, Vec<Value>)> {
        let index = self.fresh.sym(hint);
        let mark = self.fresh.sym("loop");
        let (times, recompute) = match &head {
            Head::Times { count, .. } => (Some(count.clone()), false),
            Head::While => (None, false),
            Head::Again => (Some(Expr::int(1)), true),
        };
        let mut before = BTreeSet::from([mark.clone()]);
        if let Some(count) = &times {
            before.extend(self.dependence(count));
        }
        let mut begins: Vec<(Sym, Plain)> = vec![];
        let mut states = vec![];
        for (name, init) in &inits {
            let mut own = vec![];
            for leaf in init.leaves() {
                let expr = self.share(name, leaf.expr.clone());
                before.extend(self.dependence(&expr));
                let sym = self.fresh.sym(name);
                if let Some(extents) = self.known_extents(&expr) {
                    self.extents.insert(sym.clone(), extents);
                }
                let state = Plain {
                    expr: Expr::var(&sym, expr.ty),
                    ..leaf.clone()
                };
                let init = Plain {
                    expr,
                    ..leaf.clone()
                };
                begins.push((sym, init));
                own.push(state);
            }
            states.push(init.with_leaves(&mut own.into_iter()));
        }
        for sym in begins.iter().map(|(sym, _)| sym).chain([&index]) {
            self.bound.insert(sym.clone(), before.clone());
        }
        self.sequences.push(Sequence {
            mark,
            sized: vec![],
            only: false,
        });
        let at = Expr::var(&index, Ty::scalar(Elem::Int));
        let round = body(self, states, at);
        let Some(sequence) = self.sequences.pop() else {
            unreachable!("it was pushed above");
        };
        let round = round?;
        let mut next = vec![];
        for ((name, init), value) in inits.iter().zip(&round.next) {
            if !value.has_form_of(init) {
                return Err(self.state_changes(name, init, value, loc));
            }
            next.extend(value.leaves().into_iter().cloned().map(|leaf| (name, leaf)));
        }
        let mut on = before;
        let parts = round.bound.iter().flat_map(Bound::parts);
        let parts = parts.chain(next.iter().map(|(_, leaf)| &leaf.expr));
        let all = round.stacked.iter().flat_map(Value::leaves);
        for e in parts.chain(all.map(|leaf| &leaf.expr)).chain(&round.cond) {
            self.depends(e, &mut on);
        }
        on.remove(&sequence.mark);
        self.sizes_are_fixed(&sequence, &on)?;
        let mut draft = Draft {
            trip: match (round.cond, times) {
                (Some(cond), _) => Trip::While(cond),
                (None, times) => Trip::Times(times.unwrap_or_else(|| Expr::int(0))),
            },
            extent: match head {
                Head::Times {
                    count,
                    signed: true,
                } => Some(Expr::prim(Prim::IMax, vec![count, Expr::int(0)])),
                Head::Times {
                    count,
                    signed: false,
                } => Some(count),
                Head::While | Head::Again => None,
            },
            index,
            states: vec![],
            bound: round.bound,
            stacked: vec![],
            recompute,
            only: sequence.only || !sequence.sized.is_empty(),
            on,
        };
        for ((sym, init), (name, leaf)) in begins.into_iter().zip(next) {
            let what = (init.clone(), leaf.clone());
            let Some(pair) = self.pair(init, leaf) else {
                let (init, leaf) = (Value::Plain(what.0), Value::Plain(what.1));
                return Err(self.state_changes(name, &init, &leaf, loc));
            };
            let of = |expr| Plain {
                expr,
                scalar: pair.scalar,
                open: pair.open.clone(),
            };
            draft.states.push(State {
                sym,
                init: of(pair.left),
                next: of(pair.right),
            });
        }
        let collected: Vec<&Plain> = round.stacked.iter().flat_map(Value::leaves).collect();
        draft.stacked = collected.iter().map(|leaf| leaf.expr.clone()).collect();
        let plains: Vec<Plain> = draft.states.iter().map(|s| s.next.clone()).collect();
        let (last, stacks) = self.finish(draft);
        let mut last = plains
            .into_iter()
            .zip(last)
            .map(|(p, expr)| Plain { expr, ..p });
        let last = inits
            .iter()
            .map(|(_, v)| v.with_leaves(&mut last))
            .collect();
        let mut stacks = collected
            .into_iter()
            .zip(stacks)
            .map(|(p, expr)| Plain { expr, ..p.clone() });
        let stacks = round.stacked.iter().map(|v| v.with_leaves(&mut stacks));
        let stacks = stacks.collect();
        Ok((last, stacks))
    }

    fn state_changes(
        &mut self,
        name: &str,
        init: &Value,
        next: &Value,
        loc: Loc,
    ) -> crate::front::error::Reported {
        let message = format!(
            "`{name}` is {} before this loop and {} behind a round of it; what a loop carries keeps its \
             type",
            init.describe(),
            next.describe()
        );
        self.errors.at(loc, message)
    }

    /// Sizes that depend on a sequential loop have to be the same for all turns of the loops around
    /// it that are not sequential.
    fn sizes_are_fixed(&mut self, sequence: &Sequence, on: &BTreeSet<Sym>) -> Result<()> {
        if sequence.sized.is_empty() && !sequence.only {
            return Ok(());
        }
        // What runs inside of a loop over indices would have to be rectangular over these.
        for around in &mut self.sequences {
            if on.contains(&around.mark) {
                around.only = true;
            }
        }
        let culprit = self.loops.iter().find(|index| on.contains(index));
        let (Some(culprit), Some(loc)) = (culprit, sequence.sized.first()) else {
            return Ok(());
        };
        let message = format!(
            "the size of this array depends on a loop whose rounds depend on `{0}`, the index of a loop \
             around it, and arrays are rectangular; write the largest size, and `if .. {{ .. }} else {{ \
             0.0 }}` for what is outside",
            culprit.hint
        );
        Err(self.errors.at(*loc, message))
    }

    /// Adds a loop to what is bound; gives its results.
    pub(super) fn looped(&mut self, draft: LoopParts) -> (Vec<Expr>, Vec<Expr>) {
        let LoopParts {
            trip,
            index,
            states,
            body,
            recompute,
            on,
        } = draft;
        let mut l = Loop {
            trip,
            index,
            states,
            body,
            outs: vec![],
            recompute,
        };
        let types = l.out_types();
        let count = l.states.len();
        let mut outs = vec![];
        for (k, ty) in types.iter().enumerate() {
            let hint = match l.states.get(k) {
                Some((sym, _)) => sym.hint.to_string(),
                None => "all".to_string(),
            };
            let sym = self.fresh.sym(&hint);
            self.bound.insert(sym.clone(), on.clone());
            if let Some((_, init)) = l.states.get(k)
                && let Some(extents) = self.known_extents(init)
            {
                self.extents.insert(sym.clone(), extents);
            }
            outs.push(Expr::var(&sym, *ty));
            l.outs.push(sym);
        }
        match self.frames.last_mut() {
            Some(frame) => frame.push(Bound::Loop(Box::new(l))),
            None => unreachable!("lowering happens inside of a region"),
        }
        let stacks = outs.split_off(count);
        (outs, stacks)
    }

    pub(super) fn fold(&mut self, args: &[Surface], loc: Loc) -> Result<Value> {
        let (mut last, _, _) = self.states_over(Combinator::Fold, args, loc)?;
        match last.pop() {
            Some(value) => Ok(value),
            None => unreachable!("there is one state"),
        }
    }

    pub(super) fn scan(&mut self, args: &[Surface], loc: Loc) -> Result<Value> {
        let (_, mut stacks, sizes) = self.states_over(Combinator::Scan, args, loc)?;
        let Some(stacked) = stacks.pop() else {
            unreachable!("there is one state");
        };
        if let Some(leaf) = stacked
            .leaves()
            .iter()
            .find(|leaf| leaf.expr.ty.rank + sizes.len() > 7)
        {
            let message = format!(
                "this array has {} axes, and arrays have at most 6",
                leaf.expr.ty.rank + sizes.len() - 1
            );
            return Err(self.errors.at(loc, message));
        }
        if sizes.len() == 1 {
            return Ok(stacked);
        }
        // The rounds are one axis, and there is to be one for each index.
        let mut leaves = vec![];
        for leaf in stacked.leaves() {
            let (axes, at) = self.indices(&sizes);
            let flat = at.into_iter().zip(&sizes).reduce(|(flat, _), (i, n)| {
                let flat = Expr::prim(Prim::IMul, vec![flat, n.clone()]);
                (Expr::prim(Prim::IAdd, vec![flat, i]), n)
            });
            let mut at = vec![None; leaf.expr.ty.rank];
            at[0] = flat.map(|(flat, _)| flat);
            let expr = built(axes, element(leaf.expr.clone(), at));
            leaves.push(Plain {
                expr,
                ..leaf.clone()
            });
        }
        Ok(stacked.with_leaves(&mut leaves.into_iter()))
    }

    /// `fold(n, init, |s, i| e)`: the last state, all of them, and the extents.
    #[allow(
        clippy::type_complexity,
        reason = "three lists that belong together once"
    )]
    fn states_over(
        &mut self,
        combinator: Combinator,
        args: &[Surface],
        loc: Loc,
    ) -> Result<(Vec<Value>, Vec<Value>, Vec<Expr>)> {
        let name = combinator.name();
        let sizes = self.extents(combinator, &args[0]);
        let init = self.expr(&args[1]);
        let closure = self.body_of(combinator, &args[2]);
        let (sizes, init, (closure, env)) = (sizes?, init?, closure?);
        if !init.is_data() {
            let message = format!(
                "the state of `{name}` is numbers, bools, arrays and tuples of these, and this is {}{}",
                init.describe(),
                init.advice()
            );
            return Err(self.errors.at(args[1].loc, message));
        }
        let [state, at] = &closure.params[..] else {
            let message =
                format!("the closure of `{name}` takes the state and the index; write `|s, i| ..`");
            return Err(self.errors.at(closure.params_loc, message));
        };
        let hint = |pattern: &Pattern, other: &str| match pattern {
            Pattern::Name(ident) => ident.to_string(),
            Pattern::Wild | Pattern::Tuple(..) | Pattern::Hole(..) => other.to_string(),
        };
        let init = self.annotated(init, &state.1, args[1].loc)?;
        let inits = vec![(hint(&state.0, "s"), init)];
        let count = sizes.iter().cloned();
        let count = count.reduce(|a, b| Expr::prim(Prim::IMul, vec![a, b]));
        let count = self.share_size(count.unwrap_or_else(|| Expr::int(1)));
        let head = Head::Times {
            count,
            signed: false,
        };
        let result = self.sequence(
            head,
            inits,
            &hint(&at.0, "i"),
            loc,
            |l, mut states, index| {
                let outer = std::mem::replace(&mut l.env, env);
                let body_loc = closure.body.loc;
                let round = l.frame(|l| {
                    let mut indices = unravelled(index, &sizes).into_iter().map(|i| {
                        let plain = Plain::typed(i, Scalar::Usize);
                        Value::Plain(plain)
                    });
                    let index = match sizes.len() {
                        1 => indices.next().unwrap_or(Value::Tuple(vec![])),
                        _ => Value::Tuple(indices.collect()),
                    };
                    let index = l.annotated(index, &at.1, closure.params_loc);
                    let value = states.pop().unwrap_or(Value::Tuple(vec![]));
                    l.bind(&state.0, Ok(value));
                    l.bind(&at.0, index);
                    let value = l.expr(&closure.body)?;
                    let value = l.annotated(value, &closure.result, body_loc)?;
                    // It is the next state, and what is collected.
                    Ok(l.named(value, "next"))
                });
                l.env = outer;
                let (bound, value) = round?;
                let stacked = match combinator == Combinator::Scan {
                    true => vec![value.clone()],
                    false => vec![],
                };
                Ok(Round {
                    bound,
                    cond: None,
                    next: vec![value],
                    stacked,
                })
            },
        );
        let (last, stacks) = result?;
        Ok((last, stacks, sizes))
    }

    /// `checkpoint(|| e)`: one round that reverse mode runs again, and what it collects.
    pub(super) fn checkpoint(&mut self, closure: &Surface, loc: Loc) -> Result<Value> {
        let (closure, env) = self.body_of(Combinator::Checkpoint, closure)?;
        if !closure.params.is_empty() {
            let message = "the closure of `checkpoint` takes nothing; write `checkpoint(|| ..)`";
            return Err(self.errors.at(closure.params_loc, message));
        }
        let result = self.sequence(Head::Again, vec![], "once", loc, |l, _, _| {
            let outer = std::mem::replace(&mut l.env, env);
            let round = l.frame(|l| {
                let value = l.expr(&closure.body)?;
                l.annotated(value, &closure.result, closure.body.loc)
            });
            l.env = outer;
            let (bound, value) = round?;
            if !value.is_data() {
                let message = format!(
                    "`checkpoint` gives numbers, bools, arrays and tuples of these, and this is {}{}",
                    value.describe(),
                    value.advice()
                );
                return Err(l.errors.at(closure.body.loc, message));
            }
            Ok(Round {
                bound,
                cond: None,
                next: vec![],
                stacked: vec![value],
            })
        });
        let (_, mut stacks) = result?;
        let Some(stacked) = stacks.pop() else {
            unreachable!("there is one result");
        };
        let first = |leaf: &Plain| {
            let mut at = vec![None; leaf.expr.ty.rank];
            at[0] = Some(Expr::int(0));
            Plain {
                expr: Expr::index(leaf.expr.clone(), at),
                ..leaf.clone()
            }
        };
        let leaves: Vec<Plain> = stacked.leaves().into_iter().map(first).collect();
        Ok(stacked.with_leaves(&mut leaves.into_iter()))
    }

    /// The lengths of an array that is made of parts whose lengths are known.
    pub(super) fn known_extents(&self, array: &Expr) -> Option<Vec<Expr>> {
        if array.ty.rank == 0 {
            return Some(vec![]);
        }
        match &*array.kind {
            Kind::Var(sym) => self.extents.get(sym).cloned(),
            Kind::Build(binder, body) => {
                let mut all = vec![binder.extent.clone()];
                all.extend(self.known_extents(body)?);
                Some(all)
            }
            Kind::Update(u) => self.known_extents(&u.array),
            Kind::If(_, a, b) => {
                let a = self.known_extents(a)?;
                (a == self.known_extents(b)?).then_some(a)
            }
            Kind::Prim(_, args) => args.iter().find_map(|a| self.known_extents(a)),
            Kind::Index(whole, at) => {
                let all = self.known_extents(whole)?;
                let kept = all.into_iter().zip(at).filter(|(_, i)| i.is_none());
                Some(kept.map(|(n, _)| n).collect())
            }
            Kind::Lit(_)
            | Kind::Let(..)
            | Kind::Loop(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Scatter(_)
            | Kind::Dim(..)
            | Kind::Where(..)
            | Kind::Recur(_)
            | Kind::Demand(..)
            | Kind::Stop(_) => None,
        }
    }

    /// A size in terms of what the lengths of arrays were made from.
    pub(super) fn settled_size(&self, size: &Expr) -> Expr {
        match &*size.kind {
            Kind::Dim(array, axis) => match self.known_extents(array) {
                Some(all) => self.settled_size(&all[*axis]),
                None => size.clone(),
            },
            Kind::Prim(prim, args) => {
                Expr::prim(*prim, args.iter().map(|a| self.settled_size(a)).collect())
            }
            _ => size.clone(),
        }
    }

    /// The element of an array with all indices.
    pub(super) fn at_all(array: &Expr, at: Vec<Expr>) -> Expr {
        entry(array, at)
    }
}

/// A loop in Core without names for its results.
pub(super) struct LoopParts {
    pub(super) trip: Trip,
    pub(super) index: Sym,
    pub(super) states: Vec<(Sym, Expr)>,
    pub(super) body: Block,
    pub(super) recompute: bool,
    pub(super) on: BTreeSet<Sym>,
}
