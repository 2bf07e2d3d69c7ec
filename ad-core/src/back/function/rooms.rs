//! Arrays that are made where a loop keeps them.
//!
//! What a step makes and a loop stacks is made as the next row of the stack, and read there, instead of being made in memory of
//! its own and copied. Of a state that is stacked, the next one is the row behind it:
//!
//! ```text
//! for i { t = f(y); push(y); push(t); y = g(y, t) }     ─▶     for i { ts[i] = f(ys[i]); ys[i + 1] = g(ys[i], ts[i]) }
//! ```
//!
//! And what a loop stacks that is stacked as a whole by the loop around it goes to the stack of that one, row by row.

use super::{Function, small};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Fill, Out, Program, Sequence, Step, Work};
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

    /// The stack that the rows of a loop's result go to.
    pub(super) fn deep(&self, v: Var) -> Option<Ident> {
        self.deep.borrow().get(&v).cloned()
    }

    /// Whether a variable is on the stack already, and whether row by row.
    pub(super) fn is_kept(&self, v: Var) -> Option<bool> {
        let is_inner = self.deep.borrow().contains_key(&v);
        (is_inner || self.kept.borrow().contains(&v)).then_some(is_inner)
    }
}

impl Stacked<'_> {
    /// The stack of a state, if the next one may be made in it: nothing else becomes of either, and the loop runs forwards.
    pub(super) fn states(s: &Sequence, k: usize, stacks: &[Option<Stacked<'_>>]) -> Option<usize> {
        let body = &s.body;
        let (state, next) = (s.state(k), body.results[k]);
        s.steps.as_ref()?;
        let mut all = body.results[s.states..].iter();
        let at = all.position(|v| *v == state)?;
        let stack = stacks[at].as_ref()?;
        let is_alone = |v: Var| body.results.iter().filter(|r| **r == v).count() == 1;
        let is_taken = body.taken().contains(&state);
        let is_made = is_alone(next) && is_alone(state) && is_made_whole(body, next);
        (is_made && !is_taken && !stack.is_placed && !stack.is_deep).then_some(at)
    }
}

/// Whether a program makes a variable element by element, in memory that nothing takes or changes.
fn is_made_whole(program: &Program, v: Var) -> bool {
    let taken = program.taken();
    let is_made = |step: &Step| match &step.work {
        Work::Nest(nest) => step.out == v && nest.outer > 0 && program.part(&taken, step).is_none(),
        Work::Family(family) => (family.members.iter())
            .any(|m| m.var == v && m.ty.rank() > 0 && matches!(m.fill, Fill::Each(_))),
        Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Loop(_)
        | Work::Call(_)
        | Work::Tiles(_) => false,
    };
    let step = (program.steps.iter()).find(|s| s.defines().iter().any(|(w, _)| *w == v));
    let is_small = |step: &Step| {
        let all = step.defines();
        all.iter()
            .any(|(w, ty)| *w == v && small::len(ty).is_some())
    };
    step.is_some_and(|s| is_made(s) && !is_small(s)) && !taken.contains(&v)
}

/// The results of loops in a program that are stacked and nothing else.
fn is_only_stacked(program: &Program, v: Var) -> bool {
    let of_loop = |step: &Step| match &step.work {
        Work::Loop(s) => {
            let is = |o: &Out| o.var == v && (s.states..s.body.results.len()).contains(&o.result);
            s.outs.iter().any(is) && s.steps.is_some() && !s.reverse
        }
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Call(_)
        | Work::Tiles(_) => false,
    };
    let is_used =
        |step: &Step| step.reads().contains(&v) || step.sources().iter().any(|s| s.array == v);
    program.steps.iter().any(of_loop)
        && !program.steps.iter().any(is_used)
        && program.results.iter().filter(|r| **r == v).count() == 1
}

impl Function<'_> {
    /// Finds places for what the body of a loop makes.
    pub(super) fn make_room(
        &self,
        s: &Sequence,
        stacks: &[Option<Stacked<'_>>],
        rows: &[Option<usize>],
    ) {
        let body = &s.body;
        let mut places = self.rooms.rows.borrow_mut();
        for (stack, v) in stacks.iter().zip(&body.results[s.states..]) {
            let Some(stack) = stack else { continue };
            let ident = &stack.ident;
            if stack.is_placed || body.results.iter().filter(|r| *r == v).count() > 1 {
                continue;
            }
            if is_only_stacked(body, *v) {
                let ident = ident.clone();
                self.rooms.deep.borrow_mut().insert(*v, ident);
            } else if is_made_whole(body, *v) {
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
