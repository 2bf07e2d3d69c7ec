//! Arrays that are made where a loop keeps them.
//!
//! What a step makes and a loop stacks is made as the next row of the stack, and read there,
//! instead of being made in memory of its own and copied. Of a state that is stacked, the next one
//! is the row behind it:
//!
//! ```text
//! for i { t = f(y); push(y); push(t); y = g(y, t) }     ─▶     for i { ts[i] = f(ys[i]); ys[i + 1] = g(ys[i], ts[i]) }
//! ```
//!
//! And what a loop stacks that is stacked as a whole by the loop around it goes to the stack of
//! that one, row by row.

use super::super::nest::Scope;
use super::{Function, small};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Fill, Member, Out, Program, Sequence, Work};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What a loop stacks.
pub(super) struct Stacked<'a> {
    /// The stack, or that of the loop around.
    pub(super) ident: Ident,
    pub(super) out: &'a Out,
    /// Whether it is that of the loop around.
    pub(super) is_deep: bool,
    /// Whether what is stacked is written at the index of the step.
    pub(super) is_placed: bool,
}

/// Where the arrays of a step are made that are kept.
#[derive(Default)]
pub(super) struct Rooms {
    /// For arrays that may be made there.
    rows: RefCell<HashMap<Var, TokenStream>>,
    /// For results of loops, the stack that all of their rows go to.
    deep: RefCell<HashMap<Var, Ident>>,
    /// Of these, what has more rows than the loop has steps.
    padded: RefCell<HashSet<Var>>,
    /// What the places of next states are called, by the state.
    next: RefCell<HashMap<usize, Ident>>,
    /// What has been made there.
    kept: RefCell<HashSet<Var>>,
}

impl Rooms {
    /// Where an array is made, if there is a place for it. It has to be made there then.
    pub(super) fn take(&self, v: Var) -> Option<TokenStream> {
        let place = self.rows.borrow_mut().remove(&v)?;
        self.kept.borrow_mut().insert(v);
        Some(place)
    }

    /// Says where an array may be made.
    pub(super) fn offer(&self, v: Var, place: TokenStream) {
        self.rows.borrow_mut().insert(v, place);
    }

    /// The stack that the rows of a loop's result go to.
    pub(super) fn deep(&self, v: Var) -> Option<Ident> {
        self.deep.borrow().get(&v).cloned()
    }

    /// Whether what a loop has put on a stack has zeros behind it.
    pub(super) fn is_padded(&self, v: Var) -> bool {
        self.padded.borrow().contains(&v)
    }

    /// Whether a variable is on the stack already, and whether row by row.
    pub(super) fn is_kept(&self, v: Var) -> Option<bool> {
        let is_inner = self.deep.borrow().contains_key(&v);
        (is_inner || self.kept.borrow().contains(&v)).then_some(is_inner)
    }
}

/// Of the body of a loop: what may be made where it is kept.
pub(super) struct Keepable {
    /// What is made element by element, in memory that nothing takes or changes, and is a result
    /// once.
    whole: HashSet<Var>,
    /// Results of loops that are one result, and nothing else.
    nested: HashSet<Var>,
    /// What loops stack in arrays with more rows than the loops have steps.
    padded: HashSet<Var>,
    /// Parameters that are one result, and not taken.
    states: HashSet<Var>,
}

impl Keepable {
    /// Whether an array may be made at a place that is given.
    pub(super) fn makes(&self, v: Var) -> bool {
        self.whole.contains(&v)
    }

    pub(super) fn of(body: &Program) -> Keepable {
        let taken = body.taken();
        let (mut once, mut more) = (HashSet::new(), HashSet::new());
        for r in &body.results {
            if !once.insert(*r) {
                more.insert(*r);
            }
        }
        once.retain(|v| !more.contains(v) && !taken.contains(v));
        let (mut whole, mut nested, mut used) = (HashSet::new(), HashSet::new(), taken.clone());
        let mut padded = HashSet::new();
        for step in &body.steps {
            used.extend(step.reads());
            used.extend(step.sources().iter().map(|s| s.array));
            match &step.work {
                Work::Nest(nest) => {
                    let is_new = nest.outer > 0 && once.contains(&step.out);
                    let is_new = is_new && small::len(&step.ty).is_none();
                    if is_new && body.part(&taken, step).is_none() {
                        whole.insert(step.out);
                    }
                }
                Work::Family(family) => {
                    let is_new = |m: &&Member| {
                        let is_array = m.ty.rank() > 0 && small::len(&m.ty).is_none();
                        is_array && matches!(m.fill, Fill::Each(_))
                    };
                    whole.extend(family.members.iter().filter(is_new).map(|m| m.var));
                }
                Work::Loop(s) if s.steps.is_some() && !s.reverse => {
                    let stacked = s.states..s.body.results.len();
                    let stacked = s.outs.iter().filter(|o| stacked.contains(&o.result));
                    nested.extend(stacked.clone().map(|o| o.var));
                    padded.extend(stacked.filter(|o| is_padded(s, o)).map(|o| o.var));
                }
                Work::Loop(_)
                | Work::Branch(_)
                | Work::Scatter(_)
                | Work::Contract { .. }
                | Work::Recur { .. }
                | Work::Change { .. }
                | Work::Call(_)
                | Work::Tiles(_) => {}
            }
        }
        whole.retain(|v| once.contains(v));
        nested.retain(|v| once.contains(v) && !used.contains(v));
        let params = 0..body.params.len();
        once.retain(|v| params.contains(&v.index()));
        Keepable {
            whole,
            nested,
            padded,
            states: once,
        }
    }

    /// The stack of a state, if the next one may be made in it: nothing else becomes of either, and
    /// the loop runs forwards.
    pub(super) fn stack_of(
        &self,
        s: &Sequence,
        k: usize,
        stacks: &[Option<Stacked<'_>>],
    ) -> Option<usize> {
        let (state, next) = (s.state(k), s.body.results[k]);
        if s.steps.is_none() || !self.states.contains(&state) || !self.whole.contains(&next) {
            return None;
        }
        let at = (s.body.results[s.states..].iter()).position(|v| *v == state)?;
        let stack = stacks[at].as_ref()?;
        (!stack.is_placed && !stack.is_deep && !is_padded(s, stack.out)).then_some(at)
    }
}

/// Whether what a loop stacks has more rows than the loop has steps.
pub(super) fn is_padded(s: &Sequence, out: &Out) -> bool {
    s.steps.is_some() && out.ty.shape.first() != s.steps.as_ref()
}

impl Function<'_> {
    /// Finds places for what the body of a loop makes.
    pub(super) fn make_room(
        &self,
        (s, keepable): (&Sequence, &Keepable),
        stacks: &[Option<Stacked<'_>>],
        rows: &[Option<usize>],
    ) {
        let body = &s.body;
        let mut places = self.rooms.rows.borrow_mut();
        for (stack, v) in stacks.iter().zip(&body.results[s.states..]) {
            let Some(stack) = stack else { continue };
            let ident = &stack.ident;
            if stack.is_placed {
                continue;
            }
            let is_padded = keepable.padded.contains(v);
            if keepable.nested.contains(v) && !(is_padded && stack.is_deep) {
                let ident = ident.clone();
                self.rooms.deep.borrow_mut().insert(*v, ident);
                if is_padded {
                    self.rooms.padded.borrow_mut().insert(*v);
                }
            } else if keepable.whole.contains(v) {
                let place = match stack.is_deep {
                    true => quote!(#ident.inner_row()),
                    false => quote!(#ident.row()),
                };
                places.insert(*v, place);
            }
        }
        for (k, at) in rows.iter().enumerate() {
            let Some(stack) = at.and_then(|at| stacks[at].as_ref()) else {
                continue;
            };
            let next = self.fresh(&format!("{}_next", stack.ident));
            places.insert(body.results[k], quote!(#next));
            self.rooms.next.borrow_mut().insert(k, next);
        }
    }

    /// Of states that are rows of stacks: what a step begins with, and what it ends with.
    pub(super) fn next_rows(
        &self,
        states: &[Ident],
        stacks: &[Option<Stacked<'_>>],
        rows: &[Option<usize>],
    ) -> (TokenStream, TokenStream) {
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for (k, at) in rows.iter().enumerate() {
            let Some(stack) = at.and_then(|at| stacks[at].as_ref()) else {
                continue;
            };
            let (stack, state, next) = (&stack.ident, &states[k], self.program.results[k]);
            if self.rooms.is_kept(next).is_some() {
                let name = &self.rooms.next.borrow()[&k];
                before.extend(quote!(let (#state, #name) = #stack.step();));
                after.extend(quote!(#stack.go_on();));
            } else {
                let next = self.view(next);
                before.extend(quote!(let (#state, _) = #stack.step();));
                after.extend(quote!(#stack.push_all(#next);));
            }
        }
        (before, after)
    }
}
