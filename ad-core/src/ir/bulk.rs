//! Bulk: a flat list of equations in single-assignment form, each over whole arrays.
//!
//! There are no binders. An equation may carry a guard: a truth value for every element of its
//! result. Where the guard is false the element is a structural zero: nothing is read or computed
//! there, and no derivative flows. Guards are the Iverson brackets of the language; branches and
//! index-dependent bounds become guards.
//!
//! The elements of an array are addressed by the axes of its shape, numbered from 0. What an index
//! map says about "axis k" is always about axis k of the array that has the map's domain.

use super::core::{Extremum, ReduceOp};
use super::prims::Prim;
use super::ty::{Elem, Lit, Size};
use super::unit::{Called, Given, Rule};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

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
}

/// An integer affine in the axes of some index space: `constant + Σ coefs[k] · axis k`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// One coefficient per axis of the index space.
    pub coefs: Vec<Size>,
    /// What is added.
    pub constant: Size,
}

impl Affine {
    /// The same everywhere.
    pub fn constant(rank: usize, constant: Size) -> Affine {
        Affine {
            coefs: vec![Size::lit(0); rank],
            constant,
        }
    }

    /// The index along one axis.
    pub fn axis(rank: usize, axis: usize) -> Affine {
        let mut a = Affine::constant(rank, Size::lit(0));
        a.coefs[axis] = Size::lit(1);
        a
    }

    /// The axis, if this is the index along one and nothing else.
    pub fn as_axis(&self) -> Option<usize> {
        let (k, c) = self.single()?;
        (c.is(1) && self.constant.is(0)).then_some(k)
    }

    /// The only axis that occurs, with its coefficient.
    pub fn single(&self) -> Option<(usize, &Size)> {
        let mut used = self.coefs.iter().enumerate().filter(|(_, c)| !c.is(0));
        let first = used.next()?;
        used.next().is_none().then_some(first)
    }

    /// Whether no axis occurs.
    pub fn is_constant(&self) -> bool {
        self.coefs.iter().all(|c| c.is(0))
    }

    /// `self + k · other`
    pub fn add_scaled(&self, other: &Affine, k: &Size) -> Affine {
        Affine {
            coefs: (self.coefs.iter().zip(&other.coefs))
                .map(|(a, b)| a.add(&b.mul(k)))
                .collect(),
            constant: self.constant.add(&other.constant.mul(k)),
        }
    }

    /// The least and the greatest value over a non-empty index space, if the signs of the
    /// coefficients are known.
    pub fn range(&self, axes: &[Size]) -> Option<(Size, Size)> {
        let (mut low, mut high) = (self.constant.clone(), self.constant.clone());
        for (c, n) in self.coefs.iter().zip(axes) {
            let reach = c.mul(&n.plus(-1));
            if c.at_least(0) {
                high = high.add(&reach);
            } else if c.neg().at_least(0) {
                low = low.add(&reach);
            } else {
                return None;
            }
        }
        Some((low, high))
    }

    /// Whether every value over the index space is known to be in `0..n`.
    pub fn inside(&self, axes: &[Size], n: &Size) -> bool {
        self.range(axes)
            .is_some_and(|(low, high)| low.at_least(0) && n.sub(&high).at_least(1))
    }

    /// The map `inner` followed by this one: axis k is replaced by `inner[k]`, over an index space
    /// of the given rank.
    pub fn compose(&self, inner: &[Affine], rank: usize) -> Affine {
        let mut out = Affine::constant(rank, self.constant.clone());
        for (c, a) in self.coefs.iter().zip(inner) {
            out = out.add_scaled(a, c);
        }
        out
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

/// A sequential loop with a closed body.
///
/// The body is a program of its own: its variables are not those of the program around it. Its parameters
/// are what the loop is given, then the states, then the index, a scalar integer that counts the steps
/// done before. Its results are the next states, and then what is stacked. In its sizes, lengths of
/// axes and integer arguments are those of the function, as everywhere; [`super::ty::Atom::Value`] is
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
}

impl Loop {
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

impl Program {
    /// Which variables depend on some of the parameters.
    pub fn dependent(&self, params: Vec<bool>) -> Vec<bool> {
        let mut on = params;
        for eq in &self.eqs {
            on.push(eq.dependent(&on));
        }
        on
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
}

impl Looped {
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
    /// `out[n] = b[n]`, `out[k] = a[k] · out[k+1] + b[k]`. One direction is the transpose of the other,
    /// as a linear function of `b`. It has no guard: what is not needed is masked.
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
    /// labelled `a_axes` and `b_axes`, distinct within each; the result has the axes `out_axes`, each
    /// of which occurs in an operand.
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
    /// An array with elements replaced: `out[index(p)] = value[p]` for every p for which `when` holds,
    /// and `src` elsewhere. What is written may be a structural zero. No two elements have one place. It
    /// has no guard.
    Update {
        /// What is changed.
        src: Var,
        /// What is written, and where.
        part: Part,
        /// A bool array of the shape of what is written; absent means true. Where it is false, neither
        /// value nor index count.
        when: Option<Var>,
    },
    /// One result of a loop. Equations that differ in `out` alone are results of one loop, which runs once.
    /// It has no guard.
    Loop {
        /// The loop.
        looped: Looped,
        /// How many steps it takes, a negative number being none; `None` for a loop with a condition.
        steps: Option<Size>,
        /// What it is given, the same in every step.
        given: Vec<Var>,
        /// The states before the first step.
        init: Vec<Var>,
        /// Which result: a state after the last step; then what is stacked, the steps as the leading axis;
        /// then, as a scalar integer, how many steps it took.
        out: usize,
    },
    /// One result of a function that is called as a unit. Equations that differ in `out` alone are results
    /// of one call, which happens once. It has no guard.
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
    /// Its type. The axes of a function's own parameters are atoms; those of cotangents and tangents
    /// are sizes over these.
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

impl Eq {
    /// Whether what it defines depends on the variables for which `on` says so.
    pub fn dependent(&self, on: &[bool]) -> bool {
        if let Op::Loop {
            looped,
            given,
            init,
            out,
            ..
        } = &self.op
        {
            let of = |all: &[Var]| all.iter().map(|v| on[v.index()]).collect::<Vec<_>>();
            return looped.dependent(&of(given), &of(init))[*out];
        }
        if let Op::Call {
            unit, args, out, ..
        } = &self.op
        {
            // The function's own results do not see tangents and cotangents.
            let seen = match unit.given(*out) {
                Given::Result(_) | Given::Length(..) => &args[..unit.args.len()],
                Given::Derivative(_) => args,
            };
            return seen.iter().any(|v| on[v.index()]);
        }
        let mut depends = false;
        self.visit(&mut |v| depends |= on[v.index()]);
        depends
    }

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

    /// Calls `f` on every variable that the equation uses, its guard last; not on those inside of a loop. Variables inside symbolic
    /// sizes are not among them, see [`Eq::visit_sizes`].
    pub fn visit(&self, f: &mut dyn FnMut(Var)) {
        let ix = |index: &[Ix], f: &mut dyn FnMut(Var)| {
            for i in index {
                if let Ix::Data(v) = i {
                    f(*v);
                }
            }
        };
        match &self.op {
            Op::Fill(_) | Op::Index(_) => {}
            Op::Map(_, args) => args.iter().for_each(|v| f(*v)),
            Op::Gather { src, index } => {
                f(*src);
                ix(index, f);
            }
            Op::Scatter(parts) => {
                for p in parts {
                    f(p.src);
                    ix(&p.index, f);
                }
            }
            Op::Reduce { src, .. } | Op::ArgReduce { src, .. } => f(*src),
            Op::Recur { a, mask, b, .. } => {
                f(*a);
                mask.iter().chain(&b.var()).for_each(|v| f(*v));
            }
            Op::Contract { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Op::Update { src, part, when } => {
                f(*src);
                f(part.src);
                ix(&part.index, f);
                when.iter().for_each(|v| f(*v));
            }
            Op::Loop { given, init, .. } => given.iter().chain(init).for_each(|v| f(*v)),
            Op::Call { args, .. } => args.iter().for_each(|v| f(*v)),
            Op::Copy(src) | Op::Stop(src) => f(*src),
        }
        if let Some(g) = self.guard {
            f(g);
        }
    }

    /// Calls `f` on every symbolic size in the equation.
    pub fn visit_sizes(&self, f: &mut dyn FnMut(&Size)) {
        fn affine(a: &Affine, f: &mut dyn FnMut(&Size)) {
            a.coefs.iter().for_each(&mut *f);
            f(&a.constant);
        }
        fn ix(index: &[Ix], f: &mut dyn FnMut(&Size)) {
            for i in index {
                if let Ix::Affine(a) = i {
                    affine(a, f);
                }
            }
        }
        self.ty.shape.iter().for_each(&mut *f);
        match &self.op {
            Op::Index(a) => affine(a, f),
            Op::Gather { index, .. } => ix(index, f),
            Op::Scatter(parts) => parts.iter().for_each(|p| ix(&p.index, f)),
            Op::Update { part, .. } => ix(&part.index, f),
            Op::Loop { steps, .. } => steps.iter().for_each(f),
            Op::Fill(_)
            | Op::Map(..)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => {}
        }
    }

    /// The equation with every variable and every size replaced.
    pub fn map(&self, var: &mut dyn FnMut(Var) -> Var, size: &mut dyn FnMut(&Size) -> Size) -> Eq {
        fn affine(a: &Affine, size: &mut dyn FnMut(&Size) -> Size) -> Affine {
            Affine {
                coefs: a.coefs.iter().map(&mut *size).collect(),
                constant: size(&a.constant),
            }
        }
        fn ix(
            index: &[Ix],
            var: &mut dyn FnMut(Var) -> Var,
            size: &mut dyn FnMut(&Size) -> Size,
        ) -> Vec<Ix> {
            (index.iter())
                .map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(affine(a, size)),
                    Ix::Data(v) => Ix::Data(var(*v)),
                })
                .collect()
        }
        let op = match &self.op {
            Op::Fill(l) => Op::Fill(*l),
            Op::Index(a) => Op::Index(affine(a, size)),
            Op::Map(p, args) => Op::Map(*p, args.iter().map(|v| var(*v)).collect()),
            Op::Gather { src, index } => Op::Gather {
                src: var(*src),
                index: ix(index, var, size),
            },
            Op::Scatter(parts) => Op::Scatter(
                (parts.iter())
                    .map(|p| Part {
                        src: var(p.src),
                        index: ix(&p.index, var, size),
                    })
                    .collect(),
            ),
            Op::Reduce { op, src, axes } => Op::Reduce {
                op: *op,
                src: var(*src),
                axes: axes.clone(),
            },
            Op::ArgReduce { op, src, axis } => Op::ArgReduce {
                op: *op,
                src: var(*src),
                axis: *axis,
            },
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => Op::Recur {
                a: var(*a),
                mask: mask.map(&mut *var),
                b: b.map(&mut *var),
                axis: *axis,
                reverse: *reverse,
            },
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => Op::Contract {
                a: var(*a),
                b: var(*b),
                a_axes: a_axes.clone(),
                b_axes: b_axes.clone(),
                out_axes: out_axes.clone(),
            },
            Op::Update { src, part, when } => Op::Update {
                src: var(*src),
                when: when.map(&mut *var),
                part: Part {
                    src: var(part.src),
                    index: ix(&part.index, var, size),
                },
            },
            Op::Loop {
                looped,
                steps,
                given,
                init,
                out,
            } => Op::Loop {
                looped: looped.clone(),
                steps: steps.as_ref().map(&mut *size),
                given: given.iter().map(|v| var(*v)).collect(),
                init: init.iter().map(|v| var(*v)).collect(),
                out: *out,
            },
            Op::Call {
                unit,
                rule,
                args,
                out,
            } => Op::Call {
                unit: unit.clone(),
                rule: *rule,
                args: args.iter().map(|v| var(*v)).collect(),
                out: *out,
            },
            Op::Copy(v) => Op::Copy(var(*v)),
            Op::Stop(v) => Op::Stop(var(*v)),
        };
        Eq {
            ty: Type {
                elem: self.ty.elem,
                shape: self.ty.shape.iter().map(&mut *size).collect(),
            },
            guard: self.guard.map(var),
            op,
        }
    }
}
