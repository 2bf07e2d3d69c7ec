//! Sequential loops: what one is, and what equations know of it that are its results.

use super::{Eq, Op, Program, Var};
use crate::ir::core::Keep;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Lit, Size};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::rc::{Rc, Weak};

/// A sequential loop with a closed body.
///
/// The body is a program of its own: its variables are not those of the program around it. Its
/// parameters are what the loop is given, then the states, then the index, a scalar integer that
/// counts the steps done before. Its results are the next states, and then what is stacked. In its
/// sizes, lengths of axes and integer arguments are those of the function, as everywhere;
/// [`crate::ir::ty::Atom::Value`] is a variable of the body, possibly a parameter: a size that is
/// computed outside is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// One step. It demands nothing on entry.
    pub body: Program,
    /// How many states there are.
    pub states: usize,
    /// The loop goes on while the only result of this program holds, a scalar bool; its parameters
    /// are those of the body. Without it the number of steps is known before.
    pub goes_on: Option<Program>,
    /// Whether the index runs from the last step to the first. What is stacked lies at the index.
    pub reverse: bool,
    /// What reverse mode keeps of the steps.
    pub keep: Keep,
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
}

/// A loop that is shared by all its results. Equal loops are one, so that loops in loops are
/// compared in one step.
#[derive(Clone, Debug)]
pub struct Looped(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    looped: Loop,
    hash: u64,
    /// What each result depends on, once somebody asks: loops in loops ask for each one further in.
    reach: OnceCell<Vec<Set>>,
}

thread_local! {
    /// All loops that are in use, by their hash.
    static ALL: RefCell<HashMap<u64, Vec<Weak<Shared>>>> = RefCell::default();
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
        (looped.states, looped.reverse, looped.keep).hash(&mut state);
        let hash = state.finish();
        ALL.with_borrow_mut(|all| {
            let same = all.entry(hash).or_default();
            same.retain(|shared| shared.strong_count() > 0);
            let known = same.iter().filter_map(Weak::upgrade);
            if let Some(shared) = known.into_iter().find(|s| s.looped == looped) {
                return Looped(shared);
            }
            let reach = OnceCell::new();
            let shared = Rc::new(Shared {
                looped,
                hash,
                reach,
            });
            same.push(Rc::downgrade(&shared));
            Looped(shared)
        })
    }

    /// Which results depend on what it is given and on what the states begin with.
    pub fn dependent(&self, given: &[bool], init: &[bool]) -> Vec<bool> {
        let on: Vec<bool> = given.iter().chain(init).copied().collect();
        let sets = self.0.reach.get_or_init(|| self.reach());
        sets.iter().map(|set| set.meets(&on)).collect()
    }

    /// Which of what it is given, and of what the states begin with, a result depends on.
    pub(super) fn sources(&self, out: usize) -> impl Iterator<Item = usize> + '_ {
        let sets = self.0.reach.get_or_init(|| self.reach());
        let index = self.body.params.len() - 1;
        sets[out].members().filter(move |&k| k < index)
    }

    /// For each result the parameters that it depends on, by way of the states of earlier steps as
    /// well.
    fn reach(&self) -> Vec<Set> {
        let params = self.body.params.len();
        let given = params - self.states - 1;
        let inside = self.body.reach();
        let mut out: Vec<Set> = (self.body.results.iter())
            .map(|r| inside[r.index()].clone())
            .collect();
        for (k, set) in out.iter_mut().take(self.states).enumerate() {
            set.add(given + k);
        }
        // What state k depends on, all that depends on state k depends on: the closure of Warshall.
        for k in 0..self.states {
            let through = out[k].clone();
            for set in &mut out {
                if set.has(given + k) {
                    set.join(&through);
                }
            }
        }
        // How many steps a loop with a condition takes depends on whatever that sees.
        let mut count = Set::default();
        if self.goes_on.is_some() {
            (0..given + self.states).for_each(|k| count.add(k));
            out[..self.states].iter().for_each(|set| count.join(set));
        }
        out.push(count);
        out
    }

    /// The loop with its programs changed.
    pub fn map(&self, change: &dyn Fn(&Program) -> Program) -> Looped {
        Looped::new(Loop {
            body: change(&self.body),
            goes_on: self.goes_on.as_ref().map(change),
            ..**self
        })
    }

    /// The loop with the sizes in its programs changed, inside of other loops too.
    fn resized(&self, size: &dyn Fn(&Size) -> Size) -> Looped {
        self.map(&|program| {
            let mut program = program.clone();
            program.resize(size);
            program
        })
    }
}

impl std::ops::Deref for Looped {
    type Target = Loop;
    fn deref(&self) -> &Loop {
        &self.0.looped
    }
}

impl PartialEq for Looped {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::cmp::Eq for Looped {}

impl Hash for Looped {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

impl Program {
    /// The loops in it, each once: one is the same in the equations of all its results.
    pub fn loops(&self) -> impl Iterator<Item = &Looped> {
        let mut seen = HashSet::new();
        let all = self
            .eqs
            .iter()
            .filter_map(|eq| Some(eq.loop_result()?.0.looped));
        all.filter(move |looped| seen.insert(*looped))
    }

    /// Puts other loops for those in it, each made once.
    pub fn change_loops(&mut self, change: &dyn Fn(&Looped) -> Looped) {
        let mut changed: HashMap<Looped, Looped> = HashMap::new();
        for eq in &mut self.eqs {
            if let Op::Loop { looped, .. } = &mut eq.op {
                let new = changed.entry(looped.clone());
                *looped = new.or_insert_with_key(change).clone();
            }
        }
    }

    /// Puts other sizes for those of its parameters and equations, inside of loops too.
    pub fn resize(&mut self, size: &dyn Fn(&Size) -> Size) {
        for p in &mut self.params {
            p.ty.shape = p.ty.shape.iter().map(size).collect();
        }
        for eq in &mut self.eqs {
            *eq = eq.map(&mut |v| v, &mut |s| size(s));
        }
        self.change_loops(&|looped| looped.resized(size));
    }
}

/// A set of parameters.
#[derive(Clone, Debug, Default)]
pub struct Set(Vec<u64>);

impl Set {
    /// Puts a parameter in.
    pub fn add(&mut self, k: usize) {
        if self.0.len() <= k / 64 {
            self.0.resize(k / 64 + 1, 0);
        }
        self.0[k / 64] |= 1 << (k % 64);
    }

    /// Puts all of another set in.
    pub fn join(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, others) in self.0.iter_mut().zip(&other.0) {
            *mine |= others;
        }
    }

    /// Whether a parameter is in it.
    pub fn has(&self, k: usize) -> bool {
        self.0
            .get(k / 64)
            .is_some_and(|word| word >> (k % 64) & 1 == 1)
    }

    /// Whether there is a parameter in it for which `on` holds.
    pub fn meets(&self, on: &[bool]) -> bool {
        on.iter().enumerate().any(|(k, on)| *on && self.has(k))
    }

    /// The parameters in it.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|&k| self.has(k))
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

impl Program {
    /// The condition of a loop that is a branch. Such a loop takes one step if the condition holds,
    /// and none otherwise. Its states start as zeros, and the step reads neither them nor the
    /// index. So the results are zero if the condition does not hold.
    pub fn branch(&self, run: Run<'_>) -> Option<Var> {
        let zero = |v: &Var| {
            let eq = self.eq(*v).filter(|e| e.guard.is_none());
            eq.is_some_and(|e| e.op == Op::Fill(Lit::zero(e.ty.elem)))
        };
        run.init.iter().all(zero).then(|| self.steps_if(run))?
    }

    /// Branches with another side, by that: a loop that takes one step if the condition of the
    /// branch does not hold, and starts with its results, which nothing else reads.
    pub fn two_sided(&self) -> HashMap<Run<'_>, Run<'_>> {
        let mut then: HashMap<Run<'_>, Run<'_>> = HashMap::new();
        for (run, _) in self.eqs.iter().filter_map(Eq::loop_result) {
            if let Some(first) = self.then_side(run) {
                then.insert(run, first);
            }
        }
        let mut read_elsewhere: HashSet<Run<'_>> = HashSet::new();
        let mut read = |v: Var, by: Option<Run<'_>>| {
            if let Some((run, _)) = self.eq(v).and_then(Eq::loop_result)
                && by.is_none_or(|by| then.get(&by) != Some(&run))
            {
                read_elsewhere.insert(run);
            }
        };
        self.results.iter().for_each(|v| read(*v, None));
        for eq in &self.eqs {
            let by = eq.loop_result().map(|(run, _)| run);
            eq.visit(&mut |v| read(v, by));
            eq.visit_sizes(&mut |n| {
                n.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        read(Var(*v), None);
                    }
                });
            });
        }
        then.retain(|_, first| !read_elsewhere.contains(first));
        then
    }

    /// The branch that runs where a loop does not, and whose results it starts with.
    fn then_side(&self, run: Run<'_>) -> Option<Run<'_>> {
        let when = self.steps_if(run)?;
        let (then, _) = self.eq(*run.init.first()?)?.loop_result()?;
        let is_result = |(k, v): (usize, &Var)| {
            let result = self.eq(*v).and_then(Eq::loop_result);
            result == Some((then, k))
        };
        let is_negation = |c: Var| match self.eq(when).map(|e| &e.op) {
            Some(Op::Map(Prim::Not, args)) => args[0] == c,
            Some(_) | None => false,
        };
        let is_other = self.branch(then).is_some_and(is_negation)
            && then.init.len() == run.init.len()
            && run.init.iter().enumerate().all(is_result);
        is_other.then_some(then)
    }

    /// The condition of a loop that takes one step if it holds, and none otherwise, where the step
    /// reads neither the states nor the index.
    fn steps_if(&self, run: Run<'_>) -> Option<Var> {
        let &Atom::Value(steps) = run.steps?.as_atom()? else {
            return None;
        };
        let Some(Op::Map(Prim::Select, args)) = self.eq(Var(steps)).map(|e| &e.op) else {
            return None;
        };
        let is = |v: Var, k| matches!(self.eq(v), Some(e) if e.op == Op::Fill(Lit::Int(k)));
        let body = &run.looped.body;
        let states = run.given.len()..body.params.len();
        let mut reads = false;
        for eq in &body.eqs {
            eq.visit(&mut |v| reads |= states.contains(&v.index()));
            eq.visit_sizes(&mut |n| {
                n.visit(&mut |a| {
                    reads |= matches!(a, Atom::Value(v) if states.contains(&(*v as usize)));
                });
            });
        }
        reads |= body.results.iter().any(|v| states.contains(&v.index()));
        let is_branch = is(args[1], 1) && is(args[2], 0) && run.looped.stacks() == 0 && !reads;
        is_branch.then_some(args[0])
    }
}
