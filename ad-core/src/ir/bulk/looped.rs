//! Sequential loops: what one is, and what equations know of it that are its results.

use super::{Eq, Op, Program, Var};
use crate::ir::ty::Size;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A sequential loop with a closed body.
///
/// The body is a program of its own: its variables are not those of the program around it. Its parameters
/// are what the loop is given, then the states, then the index, a scalar integer that counts the steps
/// done before. Its results are the next states, and then what is stacked. In its sizes, lengths of
/// axes and integer arguments are those of the function, as everywhere; [`crate::ir::ty::Atom::Value`] is
/// a variable of the body, possibly a parameter: a size that is computed outside is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// One step. It demands nothing on entry.
    pub body: Program,
    /// How many states there are.
    pub states: usize,
    /// The loop goes on while the only result of this program holds, a scalar bool; its parameters are
    /// those of the body. Without it the number of steps is known before.
    pub goes_on: Option<Program>,
    /// Whether the index runs from the last step to the first. What is stacked lies at the index.
    pub reverse: bool,
    /// Whether reverse mode computes the steps again instead of keeping what they computed.
    pub recompute: bool,
}

impl Loop {
    /// How many arrays are stacked.
    pub fn stacks(&self) -> usize {
        self.body.results.len() - self.states
    }

    /// The result that counts the steps.
    pub fn count(&self) -> usize {
        self.body.results.len()
    }

    /// Which results depend on what it is given and on what the states begin with.
    pub fn dependent(&self, given: &[bool], init: &[bool]) -> Vec<bool> {
        let mut states = init.to_vec();
        loop {
            let index = std::iter::once(&false);
            let params = given.iter().chain(&states).chain(index).copied();
            let inside = self.body.dependent(params.collect());
            let mut out: Vec<bool> = self
                .body
                .results
                .iter()
                .map(|r| inside[r.index()])
                .collect();
            let mut grown = false;
            for (s, next) in states.iter_mut().zip(&out) {
                grown |= *next && !*s;
                *s |= next;
            }
            if !grown {
                out[..self.states].copy_from_slice(&states);
                // How many steps a loop with a condition takes depends on whatever that sees.
                out.push(
                    self.goes_on.is_some() && (given.contains(&true) || states.contains(&true)),
                );
                return out;
            }
        }
    }
}

/// A loop that is shared by all its results, and compared quickly.
#[derive(Clone, Debug)]
pub struct Looped {
    looped: Rc<Loop>,
    hash: u64,
}

impl Looped {
    /// Fixes a loop.
    pub fn new(looped: Loop) -> Looped {
        let mut state = std::hash::DefaultHasher::new();
        for program in std::iter::once(&looped.body).chain(&looped.goes_on) {
            (&program.eqs, &program.results).hash(&mut state);
            for p in &program.params {
                p.ty.hash(&mut state);
            }
        }
        (looped.states, looped.reverse, looped.recompute).hash(&mut state);
        let (looped, hash) = (Rc::new(looped), state.finish());
        Looped { looped, hash }
    }

    /// The loop with its programs changed.
    pub fn map(&self, change: &dyn Fn(&Program) -> Program) -> Looped {
        Looped::new(Loop {
            body: change(&self.body),
            goes_on: self.goes_on.as_ref().map(change),
            ..*self.looped
        })
    }

    /// The loop with the sizes in its programs changed, inside of other loops too.
    pub fn resized(&self, size: &dyn Fn(&Size) -> Size) -> Looped {
        self.map(&|program| {
            let mut program = program.clone();
            for p in &mut program.params {
                p.ty.shape = p.ty.shape.iter().map(size).collect();
            }
            for eq in &mut program.eqs {
                *eq = eq.map(&mut |v| v, &mut |s| size(s));
                if let Op::Loop { looped, .. } = &mut eq.op {
                    *looped = looped.resized(size);
                }
            }
            program
        })
    }
}

impl std::ops::Deref for Looped {
    type Target = Loop;
    fn deref(&self) -> &Loop {
        &self.looped
    }
}

impl PartialEq for Looped {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.looped, &other.looped)
            || self.hash == other.hash && self.looped == other.looped
    }
}

impl std::cmp::Eq for Looped {}

impl Hash for Looped {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// A loop with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run<'a> {
    /// The loop.
    pub looped: &'a Looped,
    /// How many steps it takes, if that is known before.
    pub steps: Option<&'a Size>,
    /// What it is given.
    pub given: &'a [Var],
    /// The states before the first step.
    pub init: &'a [Var],
}

impl Eq {
    /// What the equations of one loop have in common, and which result of it this is.
    pub fn loop_result(&self) -> Option<(Run<'_>, usize)> {
        let Op::Loop {
            looped,
            steps,
            given,
            init,
            out,
        } = &self.op
        else {
            return None;
        };
        let run = Run {
            looped,
            steps: steps.as_ref(),
            given,
            init,
        };
        Some((run, *out))
    }
}
