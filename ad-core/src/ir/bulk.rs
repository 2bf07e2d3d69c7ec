//! Bulk: a flat list of equations in single-assignment form, each over whole arrays.
//!
//! There are no binders. An equation may carry a guard: a truth value for every element of its
//! result. Where the guard is false the element is a structural zero: nothing is read or computed
//! there, and no derivative flows. Guards are the Iverson brackets of the language; branches and
//! index-dependent bounds become guards.
//!
//! The elements of an array are addressed by the axes of its shape, numbered from 0. What an index
//! map says about "axis k" is always about axis k of the array that has the map's domain.
//!
//! Here is what a program is made of; loops, and walks over an equation, are in `bulk/`.

mod affine;
mod influence;
mod integers;
mod looped;
mod walk;

pub use affine::Affine;
pub use integers::translated;
pub use looped::{Loop, Looped, Run, Set};
pub use walk::Uses;

use super::core::{Extremum, ReduceOp};
use super::prims::Prim;
use super::ty::{Elem, Lit, Size};
use super::unit::{Called, Rule};

/// A value of a program: the parameters come first, then the equations in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

impl Var {
    /// As a position in lists.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind and shape of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// What it is made of.
    pub elem: Elem,
    /// The length of each axis.
    pub shape: Vec<Size>,
}

impl Type {
    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements, if the lengths say that there are so many at most.
    pub fn elements_up_to(&self, most: i64) -> Option<usize> {
        let mut len = 1_i64;
        for n in &self.shape {
            len = len.checked_mul(n.as_lit()?.max(0))?;
        }
        (len <= most).then_some(len as usize)
    }
}

/// One component of an index map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ix {
    /// Known from the position alone.
    Affine(Affine),
    /// Read from an integer array over the map's domain.
    Data(Var),
}

impl Ix {
    /// The index map that leaves every position where it is.
    pub fn identity(rank: usize) -> Vec<Ix> {
        let axes = (0..rank).map(|k| Ix::Affine(Affine::axis(rank, k)));
        axes.collect()
    }
}

/// One contribution to a scatter: element `p` of `src` is added at `index(p)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// What is added.
    pub src: Var,
    /// Where: one component per axis of the result, over the shape of `src`.
    pub index: Vec<Ix>,
}

/// What enters a recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feed {
    /// 1 at the start and nothing after it: running products.
    One,
    /// These at the start, an array without the axis, and nothing after it.
    First(Var),
    /// Nothing at the start, then an array of the shape of the factors, added one in each step.
    Each(Var),
    /// An array of the shape of the result: both.
    All(Var),
}

impl Feed {
    /// The array, if there is one.
    pub fn var(self) -> Option<Var> {
        match self {
            Feed::One => None,
            Feed::First(v) | Feed::Each(v) | Feed::All(v) => Some(v),
        }
    }

    /// With its array replaced.
    pub fn map(self, var: &mut dyn FnMut(Var) -> Var) -> Feed {
        match self {
            Feed::One => Feed::One,
            Feed::First(v) => Feed::First(var(v)),
            Feed::Each(v) => Feed::Each(var(v)),
            Feed::All(v) => Feed::All(var(v)),
        }
    }
}

/// How many states a recurrence of so many steps has. A negative number of steps is none.
pub fn states(steps: &Size) -> Size {
    if steps.at_least(0) {
        return steps.plus(1);
    }
    steps.larger(&Size::lit(0)).plus(1)
}

/// What an equation computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The same element everywhere.
    Fill(Lit),
    /// The integer array of an affine function of the position.
    Index(Affine),
    /// A scalar primitive, elementwise, on arrays of the result's shape.
    Map(Prim, Vec<Var>),
    /// `out[p] = src[index(p)]`. A view where every component is affine, else a gather.
    Gather {
        /// What is read.
        src: Var,
        /// One component per axis of `src`, over the shape of the result.
        index: Vec<Ix>,
    },
    /// Zeros, plus each part at its places. The transpose of a gather.
    Scatter(Vec<Part>),
    /// A reduction over some axes (ascending), which disappear. All but sums have one axis.
    Reduce {
        /// How.
        op: ReduceOp,
        /// Of what.
        src: Var,
        /// Along which axes.
        axes: Vec<usize>,
    },
    /// The position of the first extremum along an axis, which disappears; 0 over nothing.
    ArgReduce {
        /// Which extremum.
        op: Extremum,
        /// Of what.
        src: Var,
        /// Along which axis.
        axis: usize,
    },
    /// The linear recurrence of `n` steps along an axis, `n + 1` long in the result:
    /// `out[0] = b[0]`, `out[k+1] = a[k] · out[k] + b[k+1]`; backwards if reversed:
    /// `out[n] = b[n]`, `out[k] = a[k] · out[k+1] + b[k]`. One direction is the transpose of the
    /// other, as a linear function of `b`. It has no guard: what is not needed is masked.
    Recur {
        /// The factors.
        a: Var,
        /// A bool array of their shape. Where it is false there is no factor: nothing is read or
        /// multiplied.
        mask: Option<Var>,
        /// What enters.
        b: Feed,
        /// Along which axis.
        axis: usize,
        /// From the end.
        reverse: bool,
    },
    /// `Σ a · b` over all labels that do not occur in the result. The axes of the operands are
    /// labelled `a_axes` and `b_axes`, distinct within each; the result has the axes `out_axes`,
    /// each of which occurs in an operand.
    Contract {
        /// First operand.
        a: Var,
        /// Second operand.
        b: Var,
        /// Labels of the first operand's axes.
        a_axes: Vec<u8>,
        /// Labels of the second operand's axes.
        b_axes: Vec<u8>,
        /// Labels of the result's axes.
        out_axes: Vec<u8>,
    },
    /// An array with elements replaced: `out[index(p)] = value[p]` for every p for which `when`
    /// holds, and `src` elsewhere. What is written may be a structural zero. No two elements have
    /// one place. It has no guard.
    Update {
        /// What is changed.
        src: Var,
        /// What is written, and where.
        part: Part,
        /// A bool array of the shape of what is written; absent means true. Where it is false,
        /// neither value nor index count.
        when: Option<Var>,
        /// What reverse mode need not keep of what is replaced.
        marks: Marks,
    },
    /// One result of a loop. Equations that differ in `out` alone are results of one loop, which
    /// runs once. It has no guard.
    Loop {
        /// The loop.
        looped: Looped,
        /// How many steps it takes, a negative number being none; `None` for a loop with a
        /// condition.
        steps: Option<Size>,
        /// What it is given, the same in every step.
        given: Vec<Var>,
        /// The states before the first step.
        init: Vec<Var>,
        /// Which result: a state after the last step; then what is stacked, the steps as the
        /// leading axis; then, as a scalar integer, how many steps it took.
        out: usize,
    },
    /// One result of a function that is called as a unit. Equations that differ in `out` alone are
    /// results of one call, which happens once. It has no guard.
    Call {
        /// What is called.
        unit: Called,
        /// Which of its functions.
        rule: Rule,
        /// With what, see [`super::unit::Unit::takes`].
        args: Vec<Var>,
        /// Which result, see [`super::unit::Unit::given`].
        out: usize,
    },
    /// The same array. With a guard: its part where the guard holds.
    Copy(Var),
    /// The same array, constant for differentiation.
    Stop(Var),
}

/// What is known of the elements that an update replaces, for reverse mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    /// No derivative reads them, but for what is kept if `parts` is set.
    pub unread: bool,
    /// Single numbers that a derivative reads of the array are kept where they are read, in the
    /// loops that are at least so many outside of the one with the update. So are other parts with
    /// fewer elements than are replaced.
    pub parts: Option<usize>,
}

impl Op {
    /// An update whose old elements a derivative may read.
    pub fn update(src: Var, part: Part, when: Option<Var>) -> Op {
        Op::Update {
            src,
            part,
            when,
            marks: Marks::default(),
        }
    }
}

/// One equation. It defines the variable of its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Eq {
    /// The kind and shape of what it defines.
    pub ty: Type,
    /// A bool array of the same shape; absent means true.
    pub guard: Option<Var>,
    /// What it computes where the guard holds.
    pub op: Op,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name in messages and generated code.
    pub name: String,
    /// Its type. The axes of a function's own parameters are atoms; those of cotangents and
    /// tangents are sizes over these.
    pub ty: Type,
}

/// A relation between sizes that must hold on entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Require {
    /// Only if all of these are positive: the read is sure to happen.
    pub when: Vec<Size>,
    /// What is related.
    pub left: Size,
    /// How.
    pub relation: Relation,
    /// To what.
    pub right: Size,
}

/// As many selections of a relation get cases of their own.
const MOST_CASES: usize = 4;

impl Require {
    /// `difference >= 0`, or `difference == 0`; terms are moved so that both sides have positive
    /// coefficients.
    pub fn of(mut when: Vec<Size>, difference: &Size, relation: Relation) -> Require {
        let (mut left, mut right) = (Size::lit(0), Size::lit(0));
        for (m, c) in difference.terms() {
            let product = (m.iter()).fold(Size::lit(c.abs()), |p, a| p.mul(&Size::atom(a.clone())));
            let side = if c > 0 { &mut left } else { &mut right };
            *side = side.add(&product);
        }
        when.retain(|s| !s.at_least(1));
        if relation == Relation::AtLeast {
            // Where `s` is not positive, the difference is at least `difference + s`.
            when.retain(|s| !difference.add(s).at_least(0));
        }
        when.sort();
        when.dedup();
        Require {
            when,
            left,
            relation,
            right,
        }
    }

    /// The same for each value of the conditions that select its sizes, without what is evident.
    pub fn cases(self) -> Vec<Require> {
        let mut cases: Vec<Require> = self.known().into_iter().collect();
        for _ in 0..MOST_CASES {
            let undecided = cases.iter().find_map(Require::undecided);
            let Some(p) = undecided else { break };
            let split = |r: Require| match r.undecided() {
                Some(_) => [r.decided(&p, true), r.decided(&p, false)],
                None => [Some(r), None],
            };
            cases = cases.into_iter().flat_map(split).flatten().collect();
        }
        cases
    }

    fn undecided(&self) -> Option<Size> {
        self.sizes().find_map(Size::undecided)
    }

    fn sizes(&self) -> impl Iterator<Item = &Size> {
        self.when.iter().chain([&self.left, &self.right])
    }

    /// The relation where a condition holds, or where it does not.
    fn decided(&self, p: &Size, holds: bool) -> Option<Require> {
        let put = |s: &Size| s.decided(p, holds);
        let mut when: Vec<Size> = self.when.iter().map(put).collect();
        when.push(if holds { p.clone() } else { p.not() });
        Require::of(when, &put(&self.left).sub(&put(&self.right)), self.relation).known()
    }

    /// The relation with its selections decided by its own conditions, unless it is evident.
    fn known(mut self) -> Option<Require> {
        for p in self.when.clone() {
            if self.when.contains(&p.not()) || p.neg().at_least(0) {
                return None;
            }
            let put = |s: &Size| s.decided(&p, true).decided(&p.not(), false);
            let when = self.when.iter().map(put).collect();
            let difference = put(&self.left).sub(&put(&self.right));
            self = Require::of(when, &difference, self.relation);
        }
        let difference = self.left.sub(&self.right);
        let evident = match self.relation {
            Relation::AtLeast => difference.at_least_given(0, &self.when),
            Relation::Equal => difference.is(0),
        };
        (!evident).then_some(self)
    }
}

/// How two sizes are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `left >= right`
    AtLeast,
    /// `left == right`
    Equal,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The function's name.
    pub name: String,
    /// Variables `0..params.len()`.
    pub params: Vec<Param>,
    /// The variables after them.
    pub eqs: Vec<Eq>,
    /// What is returned.
    pub results: Vec<Var>,
    /// What must hold on entry.
    pub requires: Vec<Require>,
}

impl Program {
    /// The type of a variable.
    pub fn ty(&self, v: Var) -> &Type {
        match v.index().checked_sub(self.params.len()) {
            None => &self.params[v.index()].ty,
            Some(k) => &self.eqs[k].ty,
        }
    }

    /// The equation that defines a variable, unless it is a parameter.
    pub fn eq(&self, v: Var) -> Option<&Eq> {
        self.eqs.get(v.index().checked_sub(self.params.len())?)
    }

    /// The variable that equation `k` defines.
    pub fn var_of(&self, k: usize) -> Var {
        Var(u32::try_from(self.params.len() + k).expect("fewer than 2³² equations"))
    }
}
