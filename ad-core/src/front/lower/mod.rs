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
mod iter;
mod leaves;
mod limits;
mod list;
mod loops;
mod mention;
mod merge;
mod methods;
mod operator;
mod precision;
mod real;
mod scalar;
mod sequence;
mod size;
mod slice;
mod slot;
mod sparse;
mod states;
mod statistics;
mod structs;
mod uneven;
mod unroll;
mod value;
mod variants;
mod view;
mod way;
mod whole;

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
use crate::ir::core::{Block, Expr, Program, Sym};
use crate::loops::terms::{is_atom, is_size};
use crate::loops::{Bindings, Checkpoint, Context, Writer, in_blocks, recognised, rename};
use limits::Limits;
use std::collections::{BTreeSet, HashMap};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use value::{Plain, Value};

/// A function in Core, with what its context has to provide and check.
pub(super) struct Lowered {
    /// With every loop as it is written.
    pub(super) written: Program,
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
}

/// Lowers a body; reports what is wrong with it.
pub(super) fn lower(
    signature: &Signature,
    options: Options<'_>,
    callees: &Callees,
    body: &surface::Expr,
    errors: &mut Errors,
) -> Option<Lowered> {
    let Options { root, checkpoint } = options;
    let itself = callees.itself(signature).map(Rc::new);
    let mut consts = Consts::default();
    let mut slots = slot::Slots::default();
    loop {
        consts.restart();
        slots.restart();
        let mut lowerer = Lowerer {
            errors: Errors::about(&signature.real),
            core: Writer::default(),
            params: 0,
            sized: vec![],
            env: Env::default(),
            cells: 0,
            wall: 0,
            fixed: BTreeSet::new(),
            lists: HashMap::new(),
            consts,
            slots,
            checks: vec![],
            root,
            callees,
            own: &signature.ident,
            itself: itself.clone(),
            no_unit: unfit(signature),
            limits: Limits::default(),
            succeeds: false,
            tried: false,
            axes: axes::Uses::default(),
            uneven: None,
        };
        let program = lowerer.program(signature, body);
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
        let (program, result) = program.ok()?;
        if program.body.depth() > limits::DEEPEST {
            errors.at(signature.ident.span(), limits::TOO_LONG);
            return None;
        }
        let mut context = Context {
            fresh: lowerer.core.fresh,
            naturals: lowerer.core.naturals,
            called: false,
        };
        let (consts, hidden) = consts.finish();
        let settled = |mut program: Program| {
            program.params.extend(hidden.iter().cloned());
            if signature.real == RealType::Mixed {
                precision::settle(&mut program, signature);
            }
            program
        };
        let finished = |context: &Context| {
            let mut done = recognised(program.clone(), context.clone());
            if let Some(every) = checkpoint {
                let body = done.program.body;
                done.program.body = in_blocks(body, every, &mut done.fresh);
            }
            done.program = settled(done.program);
            done
        };
        let done = finished(&context);
        let called = done.demands.then(|| {
            context.called = true;
            finished(&context).program
        });
        return Some(Lowered {
            written: settled(program),
            program: done.program,
            called,
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

struct Lowerer<'a> {
    errors: Errors,
    /// What is written.
    core: Writer,
    /// How many parameters the function has; their symbols are the first.
    params: usize,
    /// Sequential loops on whose rounds the size of an array depends, and where. It is the same
    /// within a round, so that is fine as long as the rounds run one after another.
    sized: Vec<(Sym, Loc)>,
    env: Env,
    /// How many variables there are.
    cells: u32,
    /// Variables with a lower number cannot change where this is: they are outside of a closure.
    wall: u32,
    /// Arguments whose types fix all lengths.
    fixed: BTreeSet<Sym>,
    /// The elements of bound arrays that are written as lists.
    lists: HashMap<Sym, Vec<Plain>>,
    consts: Consts,
    /// What the elements of lists that grow are.
    slots: slot::Slots,
    checks: Vec<NameCheck>,
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
}

/// What is written can be asked and added to at each place.
impl Deref for Lowerer<'_> {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        &self.core
    }
}

impl DerefMut for Lowerer<'_> {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.core
    }
}

impl Lowerer<'_> {
    fn program(&mut self, signature: &Signature, body: &surface::Expr) -> Result<(Program, Tree)> {
        let params = self.parameters(signature);
        self.params = params.len();
        let (bound, _, value) = self.open(|l| l.in_cases(body.loc, &mut |l| l.expr(body)));
        let value = value?;
        let mut results = vec![];
        self.frames.push(bound);
        let made = self.results(value, &signature.result.tree, body.loc, &mut results);
        let lets = self.frames.pop().unwrap_or_default();
        let result = made?;
        let body = match <[Expr; 1]>::try_from(results) {
            Ok([one]) => Block::single(under(lets, one)),
            Err(results) => Block { lets, results },
        };
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
        self.no_copy(
            &value,
            loc,
            "read its value by `*`, or change it by its own name",
        )?;
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
