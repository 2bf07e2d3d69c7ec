//! Surface to Core: names resolved, ranks and kinds inferred, what Rust does behind the scenes
//! spelled out. Nothing that a user wrote is computed twice: what is needed twice is bound by `Let`
//! first.

pub(crate) mod annotated;
mod array;
mod assign;
mod axes;
mod binder;
mod borrow;
mod branch;
mod broadcast;
mod call;
mod columns;
mod combinator;
mod construct;
mod consume;
mod defined;
mod expr;
mod extreme;
mod fixed;
mod functional;
mod header;
mod inside;
mod iter;
mod leaves;
mod limits;
mod list;
mod loops;
mod mention;
mod merge;
mod methods;
mod operator;
mod parallel;
mod precision;
mod ragged;
mod real;
mod recognise;
mod rename;
mod scalar;
mod sequence;
mod size;
mod slice;
mod slot;
mod sparse;
mod split;
mod states;
mod statistics;
mod steps;
mod structs;
mod uneven;
mod unroll;
mod value;
mod variants;
mod view;
mod way;
mod whole;
mod wiring;

use super::attr::Checkpoint;
use super::callee::{Callee, Callees};
use super::data::Tree;
use super::error::{Errors, Loc, Reported, Result};
use super::functional::Home;
use super::infer::{ConstUse, Consts};
use super::names::{Known, NameCheck};
use super::real::RealType;
use super::signature::Signature;
use super::surface;
use super::types::{Written, spelled};
use crate::front::unit::unfit;
use crate::ir::core::{Block, Bound, Expr, Fresh, Kind, Program, Sym};
use limits::Limits;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use value::{Plain, Value};

/// A function in Core, with what its context has to provide and check.
pub(super) struct Lowered {
    pub(super) program: Program,
    pub(super) checks: Vec<NameCheck>,
    pub(super) consts: Vec<ConstUse>,
    /// The same for calls, where that is another one: what the program demands on entry may not be
    /// needed where it is called, or not there alone.
    pub(super) called: Option<Program>,
    /// The type of the result, as it is made of the results of the program: fixed-size arrays that
    /// are written element by element are as many results.
    pub(super) result: Tree,
}

/// What the attribute says about lowering.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    /// Where this crate is said to be.
    pub(super) root: Option<&'a syn::Path>,
    /// How loops keep their states.
    pub(super) checkpoint: Option<Checkpoint>,
    /// Whether it is for calls from other functions.
    pub(super) called: bool,
}

/// Lowers a body; reports what is wrong with it.
pub(super) fn lower(
    signature: &Signature,
    options: Options<'_>,
    callees: &Callees,
    body: &surface::Expr,
    errors: &mut Errors,
) -> Option<Lowered> {
    let Options {
        root,
        checkpoint,
        called,
    } = options;
    let itself = callees.itself(signature).map(Rc::new);
    let mut consts = Consts::default();
    let mut slots = slot::Slots::default();
    loop {
        consts.restart();
        slots.restart();
        let mut lowerer = Lowerer {
            errors: Errors::about(&signature.real),
            fresh: Fresh::default(),
            frames: vec![],
            env: Env::default(),
            params: 0,
            cells: 0,
            wall: 0,
            sequences: vec![],
            updates: HashMap::new(),
            loops: vec![],
            bound: HashMap::new(),
            lengths: HashMap::new(),
            extents: HashMap::new(),
            sizes: HashMap::new(),
            wrapping: vec![],
            rounds: HashMap::new(),
            fixed: BTreeSet::new(),
            naturals: BTreeSet::new(),
            lists: HashMap::new(),
            consts,
            slots,
            checks: vec![],
            called,
            demands: false,
            root,
            callees,
            own: &signature.ident,
            itself: itself.clone(),
            no_unit: unfit(signature),
            through: vec![],
            limits: Limits::default(),
            succeeds: false,
            tried: false,
            axes: axes::Uses::default(),
            uneven: None,
            reads: HashMap::new(),
        };
        let program = lowerer.program(signature, body, checkpoint);
        consts = lowerer.consts;
        slots = lowerer.slots;
        if consts.is_wrong() || slots.is_wrong() {
            continue;
        }
        let has_errors = !lowerer.errors.is_empty() || lowerer.errors.is_missing();
        if has_errors && slots.tries() {
            continue;
        }
        errors.extend(lowerer.errors);
        let (mut program, result) = program.ok()?;
        if program.body.depth() > limits::DEEPEST {
            errors.at(signature.ident.span(), limits::TOO_LONG);
            return None;
        }
        let (consts, hidden) = consts.finish();
        program.params.extend(hidden);
        if signature.real == RealType::Mixed {
            precision::settle(&mut program, signature);
        }
        let for_calls = Options {
            called: true,
            ..options
        };
        let called = match lowerer.demands {
            // What it says has been said.
            true => lower(signature, for_calls, callees, body, &mut Errors::default()),
            false => None,
        };
        return Some(Lowered {
            program,
            called: called.map(|c| c.program),
            checks: lowerer.checks,
            consts,
            result,
        });
    }
}

/// What a name stands for.
#[derive(Clone)]
enum Binding {
    /// A value.
    Value(Value),
    /// `use path as name;`
    Import(syn::Path),
    /// Declared by `let x;`, and not set yet.
    Unset,
    /// Something wrong, which has been reported.
    Hole(Reported),
}

/// The names in scope, innermost first. A copy is as cheap as a pointer, for closures to keep.
///
/// A variable that changes gets a new entry with its new value and the number it was declared with.
/// What was copied before keeps the value it had then, as in Rust: a closure that borrows a
/// variable keeps it from changing, and one that moves it has a copy of its own.
#[derive(Clone, Default)]
struct Env {
    innermost: Option<Rc<Entry>>,
    /// The functional that the code stands in, if its source is taken in: paths mean what they mean
    /// there.
    home: Option<Rc<Home>>,
}

/// A name in scope.
struct Entry {
    name: String,
    binding: Binding,
    /// Which variable it is.
    cell: u32,
    /// Whether the name stands for it from here on; else it is a new value of what has its name
    /// already.
    declares: bool,
    rest: Env,
}

/// A variable that was declared outside of what is lowered, and has a new value behind it.
#[derive(Clone)]
struct Changed {
    cell: u32,
    name: String,
    binding: Binding,
}

impl Env {
    fn get(&self, name: &str) -> Option<&Binding> {
        self.entry(name).map(|e| &e.binding)
    }

    /// The present entry of what has a name.
    fn entry(&self, name: &str) -> Option<&Entry> {
        let declared = self.first(|e| e.declares && e.name == name)?;
        self.first(|e| e.cell == declared.cell)
    }

    /// The present value of a variable.
    fn cell(&self, cell: u32) -> Option<&Binding> {
        self.first(|e| e.cell == cell).map(|e| &e.binding)
    }

    fn first(&self, wanted: impl Fn(&Entry) -> bool) -> Option<&Entry> {
        let mut here = self.innermost.as_deref();
        while let Some(entry) = here {
            if wanted(entry) {
                return here;
            }
            here = entry.rest.innermost.as_deref();
        }
        None
    }

    fn with(self, name: String, binding: Binding, cell: u32, declares: bool) -> Env {
        let home = self.home.clone();
        let entry = Entry {
            name,
            binding,
            cell,
            declares,
            rest: self,
        };
        Env {
            innermost: Some(Rc::new(entry)),
            home,
        }
    }

    /// The variables numbered below `first` that have changed since.
    fn changed_since(&self, before: &Env, first: u32) -> Vec<Changed> {
        let mut changed: Vec<Changed> = vec![];
        let mut here = self.innermost.as_ref();
        while let Some(entry) = here {
            if (before.innermost.as_ref()).is_some_and(|b| Rc::ptr_eq(b, entry)) {
                break;
            }
            if entry.cell < first && changed.iter().all(|c| c.cell != entry.cell) {
                changed.push(Changed {
                    cell: entry.cell,
                    name: entry.name.clone(),
                    binding: entry.binding.clone(),
                });
            }
            here = entry.rest.innermost.as_ref();
        }
        changed.sort_by_key(|c| c.cell);
        changed
    }
}

/// Variables and what they are bound to, in order.
type Bindings = Vec<Bound>;

struct Lowerer<'a> {
    errors: Errors,
    fresh: Fresh,
    /// What has been bound in each region that is evaluated as a whole, innermost last.
    frames: Vec<Bindings>,
    env: Env,
    /// How many parameters the function has; their symbols are the first.
    params: usize,
    /// How many variables there are.
    cells: u32,
    /// Variables with a lower number cannot change where this is: they are outside of a closure.
    wall: u32,
    /// The sequential loops around.
    sequences: Vec<sequence::Sequence>,
    /// Of arrays with an element replaced: the array before, where, and what is there now.
    updates: HashMap<Sym, (Expr, Vec<Option<Expr>>, Expr)>,
    /// The indices of the loops around.
    loops: Vec<Sym>,
    /// Which indices the value of a bound variable depends on.
    bound: HashMap<Sym, BTreeSet<Sym>>,
    /// The lengths of the axes of bound arrays, where they can be said without the array.
    lengths: HashMap<Sym, Vec<Option<Expr>>>,
    /// How far the indices of loops go.
    extents: HashMap<Sym, Expr>,
    /// Sizes that are bound.
    sizes: HashMap<Sym, Expr>,
    /// What is cast from a signed integer to one of 64 bits without a sign, and may be 2⁶³ or more
    /// there.
    wrapping: Vec<Expr>,
    /// Of new parts of arrays: the loop that made them.
    rounds: HashMap<Sym, (Sym, Expr)>,
    /// Arguments whose types fix all lengths.
    fixed: BTreeSet<Sym>,
    /// Arguments of types without a sign.
    naturals: BTreeSet<Sym>,
    /// The elements of bound arrays that are written as lists.
    lists: HashMap<Sym, Vec<Plain>>,
    consts: Consts,
    /// What the elements of lists that grow are.
    slots: slot::Slots,
    checks: Vec<NameCheck>,
    /// Whether the program is for calls from other functions.
    called: bool,
    /// Whether something was demanded on entry because of an array that is filled.
    demands: bool,
    /// Where this crate is said to be.
    root: Option<&'a syn::Path>,
    /// The annotated functions that are known.
    callees: &'a Callees,
    /// The name of the function itself.
    own: &'a syn::Ident,
    /// What it is called as by itself.
    itself: Option<Rc<Callee>>,
    /// Why it cannot be called as a unit.
    no_unit: Option<&'static str>,
    /// Where a function that is being taken in is called, innermost first: its units are found
    /// there.
    through: Vec<String>,
    /// How far it may go on.
    limits: Limits,
    /// Whether what is called next is taken to give a value.
    succeeds: bool,
    /// Whether the next call has a `?`.
    tried: bool,
    /// What is known of the axes that are no literals.
    axes: axes::Uses,
    /// The last length of an array that depended on a loop around it.
    uneven: Option<Expr>,
    /// Lengths of rows that are bound: which list of lengths, and at which index.
    reads: HashMap<Sym, (Sym, Sym)>,
}

impl Lowerer<'_> {
    fn program(
        &mut self,
        signature: &Signature,
        body: &surface::Expr,
        checkpoint: Option<Checkpoint>,
    ) -> Result<(Program, Tree)> {
        let params = self.parameters(signature);
        self.params = params.len();
        let (bound, _, value) = self.open(|l| l.in_cases(body.loc, &mut |l| l.expr(body)));
        let value = value?;
        let mut results = vec![];
        self.frames.push(bound);
        let made = self.results(value, &signature.result.tree, body.loc, &mut results);
        let lets = self.frames.pop().unwrap_or_default();
        let result = made?;
        let mut body = match <[Expr; 1]>::try_from(results) {
            Ok([one]) => Block::single(under(lets, one)),
            Err(results) => Block { lets, results },
        };
        if let Some(every) = checkpoint {
            body = self.block_in_blocks(body, every);
        }
        let program = Program {
            name: signature.ident.to_string(),
            params,
            body,
        };
        Ok((program, result))
    }

    /// A value of the type that was written for it.
    fn matching(&mut self, plain: Plain, written: &Written, loc: Loc) -> Result<Expr> {
        let rank = plain.expr.ty.rank;
        let message = format!(
            "this is {}, but it is declared as `{}`",
            plain.describe(),
            spelled(&written.ty)
        );
        if rank != written.rank {
            return Err(self.errors.at(loc, message));
        }
        self.elem(plain, written.scalar.elem(), loc, &message)
    }

    fn name(&mut self, name: String, binding: Binding) {
        let cell = self.cells;
        self.cells += 1;
        self.env = std::mem::take(&mut self.env).with(name, binding, cell, true);
    }

    /// A variable has a new value.
    fn change(&mut self, changed: Changed) {
        let Changed {
            cell,
            name,
            binding,
        } = changed;
        if matches!(binding, Binding::Hole(_)) && self.slots.keeps() {
            return;
        }
        self.env = std::mem::take(&mut self.env).with(name, binding, cell, false);
    }

    /// Lowers in a scope of its own. What it changes outside stays changed.
    fn scope<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (env, first) = (self.env.clone(), self.cells);
        let result = f(self);
        let changed = self.env.changed_since(&env, first);
        self.env = env;
        for one in changed {
            self.change(one);
        }
        result
    }

    /// Lowers what may not be evaluated, or more than once: what it binds, and what it changes.
    fn open<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (Bindings, Vec<Changed>, T) {
        let (env, first) = (self.env.clone(), self.cells);
        self.frames.push(vec![]);
        let result = f(self);
        let bound = self.frames.pop().unwrap_or_default();
        let changed = self.env.changed_since(&env, first);
        self.env = env;
        (bound, changed, result)
    }

    /// Lowers what is evaluated as a whole or not at all: variables bound inside stay inside.
    fn region(
        &mut self,
        loc: Loc,
        what: &str,
        f: impl FnOnce(&mut Self) -> Result<Value>,
    ) -> Result<Plain> {
        let (bound, value) = self.frame(f)?;
        let plain = self.single(value, loc, what)?;
        Ok(Plain {
            expr: under(bound, plain.expr),
            ..plain
        })
    }

    /// The same without a word on the result: what was bound inside, and what it was bound for.
    /// Nothing outside changes in there.
    fn frame<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Bindings, T)> {
        let wall = std::mem::replace(&mut self.wall, self.cells);
        let (bound, _, value) = self.open(f);
        self.wall = wall;
        Ok((bound, value?))
    }

    /// The result of a region, which is one value.
    fn single(&mut self, value: Value, loc: Loc, what: &str) -> Result<Plain> {
        let value = self.fetched(value)?;
        match value {
            Value::Plain(plain) => return Ok(plain),
            Value::List(list) => return self.as_array(list, loc),
            Value::Tuple(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => {}
        }
        let message = format!(
            "{what} gives {}, and it must be a number, a bool or an array here{}",
            value.describe(),
            value.advice()
        );
        Err(self.errors.at(loc, message))
    }

    /// A variable for a value, unless the value is as good as one.
    fn share(&mut self, hint: &str, value: Expr) -> Expr {
        if is_atom(&value) {
            return value;
        }
        let sym = self.fresh.sym(hint);
        let var = Expr::var(&sym, value.ty);
        let on = self.dependence(&value);
        self.bound.insert(sym.clone(), on);
        if value.ty.rank > 0 {
            let known = self.known_lengths(&value);
            self.lengths.insert(sym.clone(), known);
        }
        if let Some(read) = uneven::read(&value) {
            self.reads.insert(sym.clone(), read);
        }
        if is_size(&value) {
            self.sizes.insert(sym.clone(), value.clone());
        }
        if let Kind::Update(u) = &*value.kind
            && u.when.is_none()
            && is_atom(&u.value)
        {
            let what = (u.array.clone(), u.at.clone(), u.value.clone());
            self.updates.insert(sym.clone(), what);
        }
        if self.may_wrap(&value) {
            self.wrapping.push(var.clone());
        }
        match self.frames.last_mut() {
            Some(frame) => frame.push(Bound::Let(sym, value)),
            None => unreachable!("lowering happens inside of a region"),
        }
        var
    }

    /// A size that may be written down several times.
    fn share_size(&mut self, size: Expr) -> Expr {
        if is_size(&size) {
            size
        } else {
            self.share("n", size)
        }
    }

    /// The indices of loops that a value depends on. Lengths depend on none: arrays are
    /// rectangular.
    fn dependence(&self, value: &Expr) -> BTreeSet<Sym> {
        let mut on = BTreeSet::new();
        self.depends(value, &mut on);
        on
    }

    fn depends(&self, value: &Expr, on: &mut BTreeSet<Sym>) {
        let mut all = |parts: &mut dyn Iterator<Item = &Expr>| {
            for part in parts {
                self.depends(part, on);
            }
        };
        match &*value.kind {
            Kind::Var(sym) => match self.bound.get(sym) {
                Some(through) => on.extend(through.iter().cloned()),
                None if self.loops.contains(sym) => {
                    on.insert(sym.clone());
                }
                None => {}
            },
            Kind::Lit(_) | Kind::Dim(..) => {}
            Kind::Prim(_, args) => all(&mut args.iter()),
            Kind::Let(_, bound, body) => all(&mut [bound, body].into_iter()),
            Kind::Loop(l, body) => all(&mut l.parts().into_iter().chain([body])),
            Kind::Update(u) => all(&mut u.parts().into_iter()),
            Kind::If(cond, then, other) => all(&mut [cond, then, other].into_iter()),
            Kind::Build(binder, body)
            | Kind::Reduce(_, binder, body)
            | Kind::ArgReduce(_, binder, body) => all(&mut [&binder.extent, body].into_iter()),
            Kind::Scatter(scatter) => all(&mut scatter.parts()),
            Kind::Index(array, at) => {
                all(&mut std::iter::once(array).chain(at.iter().flatten()));
            }
            Kind::Stop(inner) => self.depends(inner, on),
            Kind::Where(cond, inner) => all(&mut [cond, inner].into_iter()),
            Kind::Recur(recur) => all(&mut recur.parts()),
            Kind::Call(call) => all(&mut call.args.iter()),
            Kind::Demand(_, inner) => self.depends(inner, on),
        }
    }

    /// Notes that a path was taken for one of our functions.
    fn check(&mut self, path: &syn::Path, known: Known) {
        let first = path.segments.first();
        let is_of_rust = first.is_some_and(|s| s.ident == "std" || s.ident == "core");
        // What a functional names is checked where it stands.
        if is_of_rust || self.env.home.is_some() {
            return;
        }
        let noted = |c: &NameCheck| c.path == *path && c.known == known;
        if !self.checks.iter().any(noted) {
            self.checks.push(NameCheck {
                path: path.clone(),
                known,
            });
        }
    }
}

/// `let x = a; let y = b; e`
fn under(bound: Bindings, e: Expr) -> Expr {
    Expr::under(bound, e)
}

/// Whether to write it again costs nothing.
fn is_atom(value: &Expr) -> bool {
    match &*value.kind {
        Kind::Var(_) | Kind::Lit(_) => true,
        Kind::Dim(array, _) => matches!(*array.kind, Kind::Var(_)),
        Kind::Prim(..)
        | Kind::Let(..)
        | Kind::Loop(..)
        | Kind::Update(_)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Index(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Call(_)
        | Kind::Recur(_)
        | Kind::Demand(..) => false,
    }
}

/// Whether it is integer arithmetic on what costs nothing.
fn is_size(value: &Expr) -> bool {
    match &*value.kind {
        Kind::Prim(_, args) => {
            value.ty.elem == crate::ir::ty::Elem::Int && args.iter().all(is_size)
        }
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Dim(..)
        | Kind::Let(..)
        | Kind::Loop(..)
        | Kind::Update(_)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::Reduce(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter(_)
        | Kind::Index(..)
        | Kind::Stop(_)
        | Kind::Where(..)
        | Kind::Call(_)
        | Kind::Recur(_)
        | Kind::Demand(..) => is_atom(value),
    }
}
