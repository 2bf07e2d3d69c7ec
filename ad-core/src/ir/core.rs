//! Core: a small typed expression language with binders. Per-element computation is written here,
//! one scalar at a time; vectorisation takes it to [`super::bulk`].
//!
//! Every binder of a program binds a symbol of its own, so substitution never captures.

mod copy;

use super::bulk::Relation;
use super::prims::Prim;
use super::ty::{Elem, Lit, Size};
use super::unit::{Called, Rule};
pub use copy::{Copier, Names, OnCall};
use std::fmt;
use std::rc::Rc;

/// A variable: a number that is unique in its program, and the name the user gave it.
#[derive(Clone, Debug)]
pub struct Sym {
    /// What identifies it.
    pub id: u32,
    /// What it is called in messages and printed code.
    pub hint: Rc<str>,
}

impl PartialEq for Sym {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl Eq for Sym {}
impl PartialOrd for Sym {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Sym {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.id.cmp(&other.id)
    }
}
impl std::hash::Hash for Sym {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// A supply of symbols.
#[derive(Clone, Debug, Default)]
pub struct Fresh(u32);

impl Fresh {
    /// A supply that starts after all symbols of a program.
    pub fn after(id: u32) -> Fresh {
        Fresh(id)
    }

    /// The next symbol.
    pub fn sym(&mut self, hint: &str) -> Sym {
        let id = self.0;
        self.0 += 1;
        Sym {
            id,
            hint: hint.into(),
        }
    }
}

/// The type of an expression: its element kind and its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// What it is made of.
    pub elem: Elem,
    /// How many axes it has.
    pub rank: usize,
}

impl Ty {
    /// The type of a scalar.
    pub fn scalar(elem: Elem) -> Ty {
        Ty { elem, rank: 0 }
    }
}

/// How a reduction combines elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// `0 + e0 + e1 + ..`, real or integer
    Sum,
    /// `1 * e0 * e1 * ..`, real or integer
    Product,
    /// The largest, −∞ over nothing; NaN never wins. In Bulk also of integers.
    Max,
    /// The smallest, ∞ over nothing; NaN never wins. In Bulk also of integers.
    Min,
    /// `ln Σ exp e`, stably; −∞ over nothing; real.
    LogSumExp,
}

impl ReduceOp {
    /// Every reduction, for tables and generators.
    pub const ALL: [ReduceOp; 5] = [
        ReduceOp::Sum,
        ReduceOp::Product,
        ReduceOp::Max,
        ReduceOp::Min,
        ReduceOp::LogSumExp,
    ];

    /// Its name in the text form and in the surface language.
    pub fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "sum",
            ReduceOp::Product => "product",
            ReduceOp::Max => "maximum",
            ReduceOp::Min => "minimum",
            ReduceOp::LogSumExp => "logsumexp",
        }
    }

    /// What the reduction of nothing is, and what leaves a reduction as it is.
    pub fn identity(self, elem: Elem) -> Lit {
        match (self, elem) {
            (ReduceOp::Sum, _) => Lit::zero(elem),
            (ReduceOp::Product, Elem::Int) => Lit::Int(1),
            (ReduceOp::Product, _) => Lit::Real(1.0),
            (ReduceOp::Max, Elem::Int) => Lit::Int(i64::MIN),
            (ReduceOp::Min, Elem::Int) => Lit::Int(i64::MAX),
            (ReduceOp::Max | ReduceOp::LogSumExp, _) => Lit::Real(f64::NEG_INFINITY),
            (ReduceOp::Min, _) => Lit::Real(f64::INFINITY),
        }
    }
}

/// Which extremum an index is sought of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extremum {
    /// The first largest.
    Max,
    /// The first smallest.
    Min,
}

impl Extremum {
    /// Its name in the text form and in the surface language.
    pub fn name(self) -> &'static str {
        match self {
            Extremum::Max => "argmax",
            Extremum::Min => "argmin",
        }
    }
}

/// An index variable with the number of values it takes: `0..extent`.
#[derive(Clone, Debug, PartialEq)]
pub struct Binder {
    /// The index.
    pub var: Sym,
    /// A scalar integer; may depend on binders further out only in reductions.
    pub extent: Expr,
}

/// Zeros of `extents`, plus `value` at `index` for all values of the binders.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The shape of the result.
    pub extents: Vec<Expr>,
    /// What runs, one at least, outermost first; an extent sees the binders before it.
    pub binders: Vec<Binder>,
    /// Bound inside of the binders, one after another, for the index and the value.
    pub lets: Vec<Bound>,
    /// One scalar integer per axis of the result.
    pub index: Vec<Expr>,
    /// A real scalar.
    pub value: Expr,
}

impl Scatter {
    /// All expressions in it, in the order of evaluation.
    pub fn parts(&self) -> impl Iterator<Item = &Expr> {
        (self.extents.iter())
            .chain(self.binders.iter().map(|b| &b.extent))
            .chain(self.lets.iter().flat_map(Bound::parts))
            .chain(&self.index)
            .chain([&self.value])
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        (self.extents.iter_mut())
            .chain(self.binders.iter_mut().map(|b| &mut b.extent))
            .chain(self.lets.iter_mut().flat_map(Bound::parts_mut))
            .chain(&mut self.index)
            .chain([&mut self.value])
    }

    /// The variables that it binds, inside of what it binds included.
    pub fn bound(&self) -> impl Iterator<Item = &Sym> {
        (self.binders.iter().map(|b| &b.var)).chain(self.lets.iter().flat_map(Bound::syms))
    }
}

/// What a block binds.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// `let x = e;`
    Let(Sym, Expr),
    /// The results of a loop.
    Loop(Box<Loop>),
}

impl Bound {
    /// All expressions in it, in the order of evaluation.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Bound::Let(_, e) => vec![e],
            Bound::Loop(l) => l.parts(),
        }
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Bound::Let(_, e) => vec![e],
            Bound::Loop(l) => l.parts_mut(),
        }
    }

    /// The variables that it binds, inside of a loop and behind it.
    pub fn syms(&self) -> Vec<&Sym> {
        match self {
            Bound::Let(s, _) => vec![s],
            Bound::Loop(l) => l.syms(),
        }
    }
}

/// Bindings, and what is computed with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Bound one after another.
    pub lets: Vec<Bound>,
    /// Of any number and types.
    pub results: Vec<Expr>,
}

impl Block {
    /// A block with one result. The bindings at its head become those of the block.
    pub fn single(mut e: Expr) -> Block {
        let mut lets = vec![];
        while matches!(*e.kind, Kind::Let(..) | Kind::Loop(..)) {
            if let Kind::Let(s, bound, body) = *e.kind {
                lets.push(Bound::Let(s, bound));
                e = body;
            } else if let Kind::Loop(l, body) = *e.kind {
                lets.push(Bound::Loop(l));
                e = body;
            } else {
                unreachable!("one of these");
            }
        }
        let results = vec![e];
        Block { lets, results }
    }

    /// The reverse of [`Block::single`].
    pub fn into_single(mut self) -> Expr {
        let last = self.results.pop();
        assert!(self.results.is_empty(), "one result");
        Expr::under(self.lets, last.expect("one result"))
    }

    /// Whether the function of that name calls itself in it.
    pub fn calls(&self, own: &str) -> bool {
        fn look(e: &Expr, own: &str) -> bool {
            matches!(&*e.kind, Kind::Call(c) if c.unit.is_itself(own))
                || e.parts().into_iter().any(|part| look(part, own))
        }
        self.parts().into_iter().any(|e| look(e, own))
    }

    /// All expressions in it, in the order of evaluation.
    pub fn parts(&self) -> Vec<&Expr> {
        let lets = self.lets.iter().flat_map(Bound::parts);
        lets.chain(&self.results).collect()
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        let lets = self.lets.iter_mut().flat_map(Bound::parts_mut);
        lets.chain(&mut self.results).collect()
    }

    /// The variables that it binds, inside of loops included.
    pub fn syms(&self) -> Vec<&Sym> {
        self.lets.iter().flat_map(Bound::syms).collect()
    }

    /// How many expressions are inside one another in it at most.
    pub fn depth(&self) -> usize {
        self.parts().into_iter().map(Expr::depth).max().unwrap_or(0)
    }

    /// How many expressions there are in it.
    pub fn size(&self) -> usize {
        self.parts().into_iter().map(Expr::size).sum()
    }
}

/// When a loop goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Trip {
    /// So many times: a scalar integer, evaluated before the loop. A negative number is none.
    Times(Expr),
    /// As long as a scalar bool holds, which sees the states and the index.
    While(Expr),
}

/// What reverse mode keeps of the steps of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Keep {
    /// What the derivative of each step needs.
    #[default]
    Residuals,
    /// The states before each step, which is computed again.
    States,
    /// At most so many states, from which the steps are computed again; see `passes/checkpoints`.
    Few(i64),
}

impl Keep {
    /// Whether steps are computed again.
    pub fn recomputes(self) -> bool {
        match self {
            Keep::Residuals => false,
            Keep::States | Keep::Few(_) => true,
        }
    }
}

/// The words in front of a loop, with a space behind them.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Residuals => Ok(()),
            Keep::States => f.write_str("recompute "),
            Keep::Few(k) => write!(f, "binomial {k} "),
        }
    }
}

/// A sequential loop. In every step the states have their present values; the body gives those of
/// the next step, and what is collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// When it goes on.
    pub trip: Trip,
    /// The number of steps before this one, in scope in the body and in the condition.
    pub index: Sym,
    /// What it carries from step to step: bound in the body and in the condition, with the value
    /// before the first step, which does not see them. Types and shapes never change.
    pub states: Vec<(Sym, Expr)>,
    /// The next states, in order, and then what is stacked.
    pub body: Block,
    /// The results, bound in what follows: the last states, and arrays whose leading axis runs over
    /// the steps.
    pub outs: Vec<Sym>,
    /// What reverse mode keeps of the steps.
    pub keep: Keep,
}

impl Loop {
    /// The types of the results.
    pub fn out_types(&self) -> Vec<Ty> {
        let states = self.states.iter().map(|(_, init)| init.ty);
        let stacked = self.body.results[self.states.len()..].iter().map(|e| Ty {
            elem: e.ty.elem,
            rank: e.ty.rank + 1,
        });
        states.chain(stacked).collect()
    }

    /// All expressions in it, in the order of evaluation.
    pub fn parts(&self) -> Vec<&Expr> {
        let trip = match &self.trip {
            Trip::Times(e) | Trip::While(e) => e,
        };
        let init = self.states.iter().map(|(_, init)| init);
        init.chain([trip]).chain(self.body.parts()).collect()
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        let trip = match &mut self.trip {
            Trip::Times(e) | Trip::While(e) => e,
        };
        let init = self.states.iter_mut().map(|(_, init)| init);
        init.chain([trip]).chain(self.body.parts_mut()).collect()
    }

    /// The variables that it binds, inside and behind it.
    pub fn syms(&self) -> Vec<&Sym> {
        let states = self.states.iter().map(|(s, _)| s);
        (std::iter::once(&self.index).chain(states))
            .chain(self.body.syms())
            .chain(&self.outs)
            .collect()
    }
}

/// What an update replaces along one axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Along {
    /// All of it.
    All,
    /// What is at an index.
    At(Expr),
    /// A stretch from an index on, as long as the new value is along its axis.
    From(Expr),
}

impl Along {
    /// The index.
    pub fn index(&self) -> Option<&Expr> {
        match self {
            Along::All => None,
            Along::At(i) | Along::From(i) => Some(i),
        }
    }

    /// The index, to be changed.
    pub fn index_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Along::All => None,
            Along::At(i) | Along::From(i) => Some(i),
        }
    }

    /// The same with another index.
    #[must_use]
    pub fn map(&self, f: impl FnOnce(&Expr) -> Expr) -> Along {
        match self {
            Along::All => Along::All,
            Along::At(i) => Along::At(f(i)),
            Along::From(i) => Along::From(f(i)),
        }
    }

    /// The place of the read of the same part, if none of these is a stretch.
    pub fn of_read(at: &[Along]) -> Option<Vec<Option<Expr>>> {
        let at = at.iter().map(|along| match along {
            Along::From(_) => None,
            Along::All | Along::At(_) => Some(along.index().cloned()),
        });
        at.collect()
    }

    /// Whether the new value has this axis.
    pub fn is_axis(&self) -> bool {
        !matches!(self, Along::At(_))
    }
}

impl From<Option<Expr>> for Along {
    fn from(i: Option<Expr>) -> Along {
        i.map_or(Along::All, Along::At)
    }
}

/// The array, with `value` at `at`, if `when` holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// What is changed.
    pub array: Expr,
    /// Where: one entry per axis of the array.
    pub at: Vec<Along>,
    /// A scalar bool; if it does not hold, neither index nor value are evaluated.
    pub when: Option<Expr>,
    /// What is there then: of the array's kind, with the axes that are replaced.
    pub value: Expr,
}

impl Update {
    /// All expressions in it, in the order of evaluation.
    pub fn parts(&self) -> Vec<&Expr> {
        let array = std::iter::once(&self.array);
        let at = self.at.iter().filter_map(Along::index);
        (array.chain(&self.when).chain(at))
            .chain([&self.value])
            .collect()
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        let array = std::iter::once(&mut self.array);
        let at = self.at.iter_mut().filter_map(Along::index_mut);
        (array.chain(&mut self.when).chain(at))
            .chain([&mut self.value])
            .collect()
    }
}

/// What enters a recurrence, as in [`super::bulk::Feed`].
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    /// 1 at the start and nothing after it: running products.
    One,
    /// These at the start, an array without the axis, and nothing after it.
    First(Expr),
    /// Nothing at the start, then an array of the shape of the factors, added one in each step.
    Each(Expr),
    /// An array of the shape of the result: both.
    All(Expr),
}

/// A linear recurrence along an axis of whole arrays, as in [`super::bulk::Op::Recur`].
#[derive(Clone, Debug, PartialEq)]
pub struct Recur {
    /// The factors, an array.
    pub factors: Expr,
    /// A bool array of their shape: where there is a factor at all.
    pub mask: Option<Expr>,
    /// What enters.
    pub feed: Feed,
    /// Along which axis.
    pub axis: usize,
    /// From the end.
    pub reverse: bool,
}

impl Recur {
    /// All expressions in it.
    pub fn parts(&self) -> impl Iterator<Item = &Expr> {
        let fed = match &self.feed {
            Feed::One => None,
            Feed::First(e) | Feed::Each(e) | Feed::All(e) => Some(e),
        };
        [&self.factors].into_iter().chain(&self.mask).chain(fed)
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let fed = match &mut self.feed {
            Feed::One => None,
            Feed::First(e) | Feed::Each(e) | Feed::All(e) => Some(e),
        };
        ([&mut self.factors].into_iter())
            .chain(&mut self.mask)
            .chain(fed)
    }
}

/// A relation between sizes that must hold before anything is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Only if all of these hold.
    pub when: Vec<Expr>,
    /// What is related.
    pub left: Expr,
    /// How.
    pub relation: Relation,
    /// To what.
    pub right: Expr,
}

impl Demand {
    /// All expressions in it.
    pub fn parts(&self) -> impl Iterator<Item = &Expr> {
        self.when.iter().chain([&self.left, &self.right])
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        (self.when.iter_mut()).chain([&mut self.left, &mut self.right])
    }
}

/// One result of a call of a unit. Calls of one function with the same arguments are one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub unit: Called,
    /// Which of its functions.
    pub rule: Rule,
    /// With what: variables or literals.
    pub args: Vec<Expr>,
    /// Which result.
    pub out: usize,
}

/// An expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: Box<Kind>,
    /// Of which type.
    pub ty: Ty,
}

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A variable in scope.
    Var(Sym),
    /// A scalar literal.
    Lit(Lit),
    /// A scalar primitive: on scalars, or elementwise on arrays of one shape.
    Prim(Prim, Vec<Expr>),
    /// `let sym = bound; body`
    Let(Sym, Expr, Expr),
    /// A loop, and what is computed from its results.
    Loop(Box<Loop>, Expr),
    /// Lazily the one or the other; the branches have one type.
    If(Expr, Expr, Expr),
    /// The array whose leading axis runs over the binder; the body is a scalar or an array.
    Build(Binder, Expr),
    /// A reduction over a binder; of arrays elementwise.
    Reduce(ReduceOp, Binder, Expr),
    /// The position of the first extremum of a scalar body; 0 over nothing.
    ArgReduce(Extremum, Binder, Expr),
    /// Zeros of a shape, plus a scalar at an index, over and over.
    Scatter(Scatter),
    /// An element or a part: one entry per axis of the array, `None` keeps the axis.
    Index(Expr, Vec<Option<Expr>>),
    /// An array with an element or a part replaced.
    Update(Update),
    /// The length of an axis.
    Dim(Expr, usize),
    /// The same value, constant for differentiation.
    Stop(Expr),
    /// A scalar where a condition holds, and a structural zero elsewhere. Derivatives are made of
    /// it; users write [`Kind::If`].
    Where(Expr, Expr),
    /// The states of a linear recurrence. Derivatives of products are made of it.
    Recur(Recur),
    /// A value, after a relation between sizes has been demanded.
    Demand(Demand, Expr),
    /// A result of a function that is called as a unit.
    Call(Call),
}

impl Expr {
    /// An expression from its parts.
    pub fn new(kind: Kind, ty: Ty) -> Expr {
        Expr {
            kind: Box::new(kind),
            ty,
        }
    }

    /// How many expressions are inside one another in it at most.
    pub fn depth(&self) -> usize {
        1 + self.parts().into_iter().map(Expr::depth).max().unwrap_or(0)
    }

    /// How many expressions there are in it, itself included.
    pub fn size(&self) -> usize {
        1 + self.parts().into_iter().map(Expr::size).sum::<usize>()
    }

    /// The expressions that an expression is made of, in a fixed order.
    pub fn parts(&self) -> Vec<&Expr> {
        match &*self.kind {
            Kind::Var(_) | Kind::Lit(_) => vec![],
            Kind::Prim(_, args) => args.iter().collect(),
            Kind::Let(_, a, b) | Kind::Where(a, b) => vec![a, b],
            Kind::Loop(l, body) => l.parts().into_iter().chain([body]).collect(),
            Kind::Update(u) => u.parts(),
            Kind::If(a, b, c) => vec![a, b, c],
            Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
                vec![&b.extent, body]
            }
            Kind::Scatter(s) => s.parts().collect(),
            Kind::Index(a, at) => [a].into_iter().chain(at.iter().flatten()).collect(),
            Kind::Dim(a, _) | Kind::Stop(a) => vec![a],
            Kind::Recur(r) => r.parts().collect(),
            Kind::Demand(d, a) => d.parts().chain([a]).collect(),
            Kind::Call(c) => c.args.iter().collect(),
        }
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match &mut *self.kind {
            Kind::Var(_) | Kind::Lit(_) => vec![],
            Kind::Prim(_, args) => args.iter_mut().collect(),
            Kind::Let(_, a, b) | Kind::Where(a, b) => vec![a, b],
            Kind::Loop(l, body) => l.parts_mut().into_iter().chain([body]).collect(),
            Kind::Update(u) => u.parts_mut(),
            Kind::If(a, b, c) => vec![a, b, c],
            Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
                vec![&mut b.extent, body]
            }
            Kind::Scatter(s) => s.parts_mut().collect(),
            Kind::Index(a, at) => [a].into_iter().chain(at.iter_mut().flatten()).collect(),
            Kind::Dim(a, _) | Kind::Stop(a) => vec![a],
            Kind::Recur(r) => r.parts_mut().collect(),
            Kind::Demand(d, a) => d.parts_mut().chain([a]).collect(),
            Kind::Call(c) => c.args.iter_mut().collect(),
        }
    }

    /// A variable.
    pub fn var(sym: &Sym, ty: Ty) -> Expr {
        Expr::new(Kind::Var(sym.clone()), ty)
    }

    /// A literal.
    pub fn lit(lit: Lit) -> Expr {
        Expr::new(Kind::Lit(lit), Ty::scalar(lit.elem()))
    }

    /// An integer literal.
    pub fn int(i: i64) -> Expr {
        Expr::lit(Lit::Int(i))
    }

    /// A real literal.
    pub fn real(x: f64) -> Expr {
        Expr::lit(Lit::Real(x))
    }

    /// A primitive; its result kind comes from its row (selection takes that of its arms).
    pub fn prim(prim: Prim, args: Vec<Expr>) -> Expr {
        let last = args.last().map_or(Ty::scalar(Elem::Real), |a| a.ty);
        let ty = Ty {
            elem: prim.result(last.elem),
            rank: last.rank,
        };
        Expr::new(Kind::Prim(prim, args), ty)
    }

    /// `let sym = bound; body`
    pub fn bind(sym: Sym, bound: Expr, body: Expr) -> Expr {
        let ty = body.ty;
        Expr::new(Kind::Let(sym, bound, body), ty)
    }

    /// A loop, and what is computed from its results.
    pub fn after(looped: Loop, body: Expr) -> Expr {
        let ty = body.ty;
        Expr::new(Kind::Loop(Box::new(looped), body), ty)
    }

    /// What is computed under bindings.
    pub fn under(lets: Vec<Bound>, body: Expr) -> Expr {
        lets.into_iter().rev().fold(body, |body, b| match b {
            Bound::Let(s, bound) => Expr::bind(s, bound, body),
            Bound::Loop(l) => Expr::after(*l, body),
        })
    }

    /// An array with an element or a part replaced.
    pub fn update(update: Update) -> Expr {
        let ty = update.array.ty;
        Expr::new(Kind::Update(update), ty)
    }

    /// `if cond { then } else { other }`
    pub fn cond(cond: Expr, then: Expr, other: Expr) -> Expr {
        let ty = then.ty;
        Expr::new(Kind::If(cond, then, other), ty)
    }

    /// `build(extent, |var| body)`
    pub fn build(var: Sym, extent: Expr, body: Expr) -> Expr {
        let ty = Ty {
            elem: body.ty.elem,
            rank: body.ty.rank + 1,
        };
        Expr::new(Kind::Build(Binder { var, extent }, body), ty)
    }

    /// `op(extent, |var| body)`
    pub fn reduce(op: ReduceOp, var: Sym, extent: Expr, body: Expr) -> Expr {
        let ty = body.ty;
        Expr::new(Kind::Reduce(op, Binder { var, extent }, body), ty)
    }

    /// `argmax(extent, |var| body)` or `argmin`
    pub fn arg_reduce(op: Extremum, var: Sym, extent: Expr, body: Expr) -> Expr {
        let kind = Kind::ArgReduce(op, Binder { var, extent }, body);
        Expr::new(kind, Ty::scalar(Elem::Int))
    }

    /// Sums by index.
    pub fn scatter(scatter: Scatter) -> Expr {
        let ty = Ty {
            elem: Elem::Real,
            rank: scatter.extents.len(),
        };
        Expr::new(Kind::Scatter(scatter), ty)
    }

    /// `array[at]`, with `None` for an axis that is kept.
    pub fn index(array: Expr, at: Vec<Option<Expr>>) -> Expr {
        debug_assert_eq!(at.len(), array.ty.rank);
        let ty = Ty {
            elem: array.ty.elem,
            rank: at.iter().filter(|i| i.is_none()).count(),
        };
        Expr::new(Kind::Index(array, at), ty)
    }

    /// The length of an axis.
    pub fn dim(array: Expr, axis: usize) -> Expr {
        Expr::new(Kind::Dim(array, axis), Ty::scalar(Elem::Int))
    }

    /// `stop_gradient(e)`
    pub fn stop(e: Expr) -> Expr {
        let ty = e.ty;
        Expr::new(Kind::Stop(e), ty)
    }

    /// `e` where a condition holds.
    pub fn only_where(cond: Expr, e: Expr) -> Expr {
        let ty = e.ty;
        Expr::new(Kind::Where(cond, e), ty)
    }

    /// The states of a recurrence.
    pub fn recur(recur: Recur) -> Expr {
        let ty = recur.factors.ty;
        Expr::new(Kind::Recur(recur), ty)
    }

    /// A result of a call.
    pub fn call(call: Call) -> Expr {
        let ty = call
            .unit
            .gives(call.rule, call.out)
            .expect("Core has no tape");
        Expr::new(Kind::Call(call), ty)
    }

    /// `e`, under a demand.
    pub fn demand(demand: Demand, e: Expr) -> Expr {
        let ty = e.ty;
        Expr::new(Kind::Demand(demand, e), ty)
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The variable; its hint is the name in the source.
    pub sym: Sym,
    /// Its type.
    pub ty: Ty,
    /// The lengths of axes that are known before it runs: a literal, or an axis of a parameter
    /// before this one. Shorter than the rank if nothing is known of the last axes.
    pub lengths: Vec<Option<Size>>,
}

impl Param {
    /// A parameter of whose lengths nothing is known.
    pub fn new(sym: Sym, ty: Ty) -> Param {
        let lengths = vec![];
        Param { sym, ty, lengths }
    }
}

/// What a call of a function stands for: some bindings, and its results in terms of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// What is bound, and the results.
    pub body: Block,
}

impl Routine {
    /// As a function of its own.
    pub fn program(&self, name: &str) -> Program {
        Program {
            name: name.to_owned(),
            params: self.params.clone(),
            body: self.body.clone(),
        }
    }
}

impl From<Program> for Routine {
    fn from(program: Program) -> Routine {
        Routine {
            params: program.params,
            body: program.body,
        }
    }
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its name in the source.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// What it returns: one value or more.
    pub body: Block,
}
