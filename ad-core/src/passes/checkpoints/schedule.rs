//! At which steps states are kept, as equations over integers.
//!
//! With `β(c, r) = (c + r)! / (c! r!)`, take a section of `l` steps whose first state is kept, with
//! room for `c` states including that one. It is run backwards with the fewest steps forwards if the
//! next state is kept behind
//!
//! ```text
//! m = min(β(c, r - 1), l - β(c - 1, r - 1))    steps, for the least r with β(c, r) ≥ l
//! ```
//!
//! (Griewank and Walther, Algorithm 799: Revolve). Then no step is run more than r times, and
//! `r l - β(c + 1, r - 1)` steps are run in all, before each is linearised.
//!
//! A loop of unknown length has a number of rounds `r` that grows. State j of the `k` is followed
//! by at most `β(k - j, r - 1)` steps. When these are over for the last state, the loop has made
//! `β(k, r) - 1` steps. Then only the first state and the present one stay, and r grows by one. The
//! sections between the kept states are run backwards as above.

use super::nest::{Nest, Way};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Type, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};

/// Integer arithmetic.
pub(super) trait Ints {
    /// An integer.
    fn int(&mut self, k: i64) -> Var;
    /// An integer that is known as a size.
    fn size(&mut self, n: &Size) -> Var;
    /// A primitive of two scalars.
    fn two(&mut self, prim: Prim, a: Var, b: Var) -> Var;
    /// A scalar plus a number.
    fn plus(&mut self, a: Var, k: i64) -> Var;
    /// The first value where a condition holds, else the second one.
    fn choose(&mut self, c: Var, yes: Var, no: Var) -> Var;
}

impl Ints for Builder {
    fn int(&mut self, k: i64) -> Var {
        self.fill(Lit::Int(k), &[])
    }

    fn size(&mut self, n: &Size) -> Var {
        self.index(Affine::constant(0, n.clone()), &[])
    }

    fn two(&mut self, prim: Prim, a: Var, b: Var) -> Var {
        self.map(prim, &[a, b], None)
    }

    fn plus(&mut self, a: Var, k: i64) -> Var {
        let k = self.int(k);
        self.two(Prim::IAdd, a, k)
    }

    fn choose(&mut self, c: Var, yes: Var, no: Var) -> Var {
        self.map(Prim::Select, &[c, yes, no], None)
    }
}

/// After how many steps the next state is kept: of `l` steps, with room for `c` states. Without
/// room this is `l`.
pub(super) fn split(out: &mut Builder, l: Var, c: Var) -> Var {
    let (zero, one) = (out.int(0), out.int(1));
    let condition: super::nest::Write<'_> = &mut |out, inside| {
        let (l, c, one) = (inside.of(l), inside.of(c), out.int(1));
        let more = out.two(Prim::ILt, inside.states[1], l);
        let room = out.two(Prim::IGt, c, one);
        vec![out.two(Prim::And, more, room)]
    };
    let step: super::nest::Write<'_> = &mut |out, inside| {
        let r = out.plus(inside.states[0], 1);
        let sum = out.two(Prim::IAdd, inside.of(c), r);
        let product = out.two(Prim::IMul, inside.states[1], sum);
        vec![r, out.two(Prim::IDiv, product, r)]
    };
    let nest = Nest::new(out, &[l, c], &[zero, one]);
    let rounds = nest.build(Way::until_done(), step, Some(condition));
    let rounds = rounds.states(out);
    let (r, all) = (rounds[0], rounds[1]);
    // β(c, r - 1) and β(c - 1, r - 1)
    let sum = out.two(Prim::IAdd, c, r);
    let before = out.two(Prim::IMul, all, r);
    let before = out.two(Prim::IDiv, before, sum);
    let less = out.two(Prim::IMul, before, c);
    let divisor = out.plus(sum, -1);
    let divisor = out.two(Prim::IMax, divisor, one);
    let less = out.two(Prim::IDiv, less, divisor);
    let rest = out.two(Prim::ISub, l, less);
    let m = out.two(Prim::IMin, before, rest);
    let some = out.two(Prim::IGt, r, zero);
    out.choose(some, m, l)
}

/// `β(c, r)`.
fn binomial(out: &mut Builder, c: Var, r: Var) -> Var {
    let one = out.int(1);
    let step: super::nest::Write<'_> = &mut |out, inside| {
        let r = out.plus(inside.index, 1);
        let sum = out.two(Prim::IAdd, inside.of(c), r);
        let product = out.two(Prim::IMul, inside.states[0], sum);
        vec![out.two(Prim::IDiv, product, r)]
    };
    let nest = Nest::new(out, &[c], &[one]);
    nest.build(Way::times(r), step, None).states(out)[0]
}

/// What is kept: an array for each state, and the steps that they belong to.
#[derive(Clone)]
pub(super) struct Kept {
    /// For each state its values, the places in front.
    pub(super) states: Vec<Var>,
    /// For each place the step before which its state was kept.
    pub(super) steps: Var,
    /// The last place that is taken.
    pub(super) top: Var,
    /// Before which step the next state is kept.
    pub(super) next: Var,
    /// For a loop of unknown length, how many times each step is run at most.
    pub(super) rounds: Option<Var>,
}

impl Kept {
    /// All in one list.
    pub(super) fn all(&self) -> Vec<Var> {
        let mut all = self.states.clone();
        all.extend([self.steps, self.top, self.next]);
        all.extend(self.rounds);
        all
    }

    /// The reverse of [`Kept::all`].
    pub(super) fn of(all: &[Var], count: usize) -> Kept {
        let rest = &all[count..];
        Kept {
            states: all[..count].to_vec(),
            steps: rest[0],
            top: rest[1],
            next: rest[2],
            rounds: rest.get(3).copied(),
        }
    }

    /// Nothing, with room for `places` states like these.
    pub(super) fn nothing(out: &mut Builder, states: &[Var], places: &Size, known: bool) -> Kept {
        let stack = |out: &mut Builder, elem: Elem, shape: &[Size]| {
            let mut all = vec![places.clone()];
            all.extend_from_slice(shape);
            out.fill(Lit::zero(elem), &all)
        };
        let mut all = vec![];
        for v in states {
            let Type { elem, shape } = out.ty(*v).clone();
            all.push(stack(out, elem, &shape));
        }
        let steps = stack(out, Elem::Int, &[]);
        Kept {
            states: all,
            steps,
            top: out.int(-1),
            next: out.int(0),
            rounds: (!known).then(|| out.int(1)),
        }
    }

    /// Keeps the states before step `q`, if this is the next one to be kept, with room for `k`
    /// states. Steps end before `end`, unless nobody knows.
    pub(super) fn keep(
        &self,
        out: &mut Builder,
        states: &[Var],
        (q, end): (Var, Option<Var>),
        k: i64,
    ) -> Kept {
        let (zero, one) = (out.int(0), out.int(1));
        let is_next = out.two(Prim::IEq, q, self.next);
        let times = out.choose(is_next, one, zero);
        let mut given = states.to_vec();
        given.push(q);
        given.extend(end);
        let step: super::nest::Write<'_> = &mut |out, inside| {
            let old = Kept::of(&inside.states, states.len());
            let (q, most) = (inside.of(q), out.int(k));
            let mut top = out.plus(old.top, 1);
            let mut rounds = None;
            if let Some(r) = old.rounds {
                let (full, second) = (out.two(Prim::IEq, top, most), out.int(1));
                top = out.choose(full, second, top);
                let more = out.plus(r, 1);
                rounds = Some(out.choose(full, more, r));
            }
            let stacks = old.states.iter().zip(inside.all(states));
            let stacks = stacks.map(|(stack, v)| written(out, *stack, top, v));
            let stacks = stacks.collect();
            let steps = written(out, old.steps, top, q);
            let room = out.two(Prim::ISub, most, top);
            let next = match (end, rounds) {
                (Some(end), _) => {
                    let left = out.two(Prim::ISub, inside.of(end), q);
                    let m = split(out, left, room);
                    out.two(Prim::IAdd, q, m)
                }
                // One state is the first one.
                (None, Some(_)) if k == 1 => out.int(i64::MAX),
                (None, Some(r)) => {
                    let before = out.plus(r, -1);
                    let m = binomial(out, room, before);
                    out.two(Prim::IAdd, q, m)
                }
                (None, None) => unreachable!("a length is known, or rounds are counted"),
            };
            let new = Kept {
                states: stacks,
                steps,
                top,
                next,
                rounds,
            };
            new.all()
        };
        let nest = Nest::new(out, &given, &self.all());
        let all = nest.build(Way::times(times), step, None).states(out);
        Kept::of(&all, self.states.len())
    }

    /// The state at the last place.
    pub(super) fn last(&self, out: &mut Builder) -> Vec<Var> {
        let stacks = self.states.iter();
        stacks.map(|stack| at(out, *stack, self.top)).collect()
    }

    /// The step that it belongs to.
    pub(super) fn step(&self, out: &mut Builder) -> Var {
        at(out, self.steps, self.top)
    }
}

/// What lies at a place of a stack.
fn at(out: &mut Builder, stack: Var, place: Var) -> Var {
    let shape = out.shape(stack)[1..].to_vec();
    let index = row(place, shape.len());
    out.gather(stack, index, &shape, None)
}

/// The index map of a row.
fn row(place: Var, rank: usize) -> Vec<Ix> {
    let place = Affine::constant(rank, Size::atom(Atom::Value(place.0)));
    let whole = (0..rank).map(|k| Affine::axis(rank, k));
    std::iter::once(place)
        .chain(whole)
        .map(Ix::Affine)
        .collect()
}

/// A stack with something else at a place.
fn written(out: &mut Builder, stack: Var, place: Var, src: Var) -> Var {
    let ty = out.ty(stack).clone();
    let index = row(place, ty.shape.len() - 1);
    let part = Part { src, index };
    let (guard, op) = (None, Op::update(stack, part, None));
    out.push(Eq { ty, guard, op })
}

/// How many places are needed for at most `k` states of a loop.
pub(super) fn places(k: i64, steps: Option<&Size>) -> Size {
    let most = Size::lit(k);
    match steps {
        Some(n) => n.larger(&Size::lit(0)).smaller(&most),
        None => most,
    }
}

/// A size in terms of other variables.
pub(super) fn renamed(n: &Size, of: &dyn Fn(Var) -> Var) -> Size {
    translate_size(n, &mut |v| of(v))
}
