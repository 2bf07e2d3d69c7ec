//! The body of a generated function: parameters, entry checks, steps, results.
//!
//! This file knows the names of variables and lengths, and the order of the parts. Parameters and
//! entry checks are printed by `function/entry.rs`, a step by `function/step.rs`, the elements of
//! an array by `function/elements.rs`. The other files are about kinds of steps, and about memory.

mod branch;
mod carried;
mod dispatched;
mod elements;
mod entries;
mod entry;
mod family;
mod few;
mod memory;
mod repeated;
mod replaced;
mod residuals;
mod rooms;
mod sequence;
mod small;
mod step;
mod summed;
#[cfg(test)]
mod tests;
mod tiled;
mod tiles;
pub(crate) mod unit;

use super::data::{Apart, Given, several};
use super::emit::{Context, tuple};
use super::expr::Expr;
use super::name_check::users;
use super::names::Names;
use super::nest::Scope;
use super::sizes;
use super::tokens::names_in;
use crate::derivative::{Derivative, Gives, Takes};
use crate::front::infer::ConstUse;
use crate::front::jacobian::Form;
use crate::front::real::RealType;
use crate::front::types::{Scalar, Written};
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Program, Step};
use crate::ir::linear::Use;
use crate::ir::ty::{Atom, Elem, Size};
use carried::kept;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
pub(super) use residuals::Slot;
use rooms::Rooms;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use unit::Parts;

/// How a variable is at hand in the function being written.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) ident: TokenStream,
    /// What its elements are in Rust; computed ones are `f64`, `i64` and `bool`.
    pub(super) scalar: Option<Scalar>,
    /// A plain scalar, not an array of rank 0.
    pub(super) bare: bool,
    /// A view already (a parameter), not an owned array.
    pub(super) is_view: bool,
    /// How many elements an owned array on the stack has.
    pub(super) small: Option<usize>,
    /// Whether what it is bound to says its type: literals of `f64` have no suffix.
    is_typed: bool,
}

/// A generated function on its way to tokens.
pub(super) struct Function<'a> {
    context: &'a Context<'a>,
    what: Derivative,
    program: &'a Program,
    /// All parameters of the program: those of the signature, constants, and what the derivative
    /// adds.
    params: Vec<Given>,
    /// The arguments that are made of several of them.
    apart: Vec<Apart>,
    /// What the linear programs of a linearised function use of the parameters that they share.
    uses: &'a [Use],
    /// The parameters that gradients belong to.
    wrt: Vec<usize>,
    locals: RefCell<HashMap<Var, Local>>,
    lengths: RefCell<BTreeMap<(usize, usize), Ident>>,
    names: RefCell<Names>,
    /// The types of what the steps compute.
    computed: HashMap<Var, &'a Type>,
    /// The arrays that are changed after they were made.
    mutable: HashSet<Var>,
    /// The arrays that steps take.
    taken: HashSet<Var>,
    /// What a program of a loop stands in.
    outer: Option<&'a Function<'a>>,
    /// How many of its results are next states, if it is the body of a loop.
    states: usize,
    /// Whether its steps are a body of their own, for several instruction sets.
    dispatched: bool,
    /// What it takes and gives if it is a function of a unit.
    parts: Option<Parts>,
    /// The name of the tape.
    tape: Ident,
    /// The array that the step's new one may replace.
    replaced: Cell<Option<Var>>,
    /// The sum of its elements, if that is wanted as well.
    summed: Cell<Option<Var>>,
    /// The sums that are there already.
    sums: RefCell<HashSet<Var>>,
    /// The parameters that are repeated if they have one row, and what their lengths are called as
    /// they come.
    repeated: BTreeMap<usize, Ident>,
    /// Where arrays are made that the loop keeps of which this is a step.
    rooms: Rooms,
    /// In the body of a loop: stacks that are made before the loop. Each step empties them.
    lasting: Option<RefCell<TokenStream>>,
}

impl<'a> Function<'a> {
    /// The function that computes this of the user's function, by this program.
    pub(super) fn new(
        context: &'a Context<'a>,
        what: Derivative,
        program: &'a Program,
        uses: &'a [Use],
    ) -> Self {
        let args = &context.signature.args;
        let extra = context.extra_params(what);
        let own = args.iter().map(|a| a.ident.to_string());
        let extra_names = extra.iter().map(|(ident, _)| ident.to_string());
        let mut names = Names::without(own.chain(extra_names).chain(["rt".to_owned()]));
        let (mut params, mut apart) = (vec![], vec![]);
        let constant = |(k, c): (usize, &ConstUse)| {
            let tokens = users(&c.path);
            Given {
                said: tokens.to_string(),
                tokens,
                written: None,
                is_part: false,
                constant: Some(k),
                slot: None,
                is_beside: false,
            }
        };
        let consts = context.consts.iter().enumerate().map(constant);
        if what.is_of_linear() {
            params = Given::shared(context, program, uses, &mut names);
            let first = context.signature.leaves().len();
            for (k, given) in consts.enumerate() {
                params[first + k] = given;
            }
        } else {
            for a in args {
                params.extend(Given::of(&a.ident, &a.ty, false, &mut names, &mut apart));
            }
            params.extend(consts);
        }
        for (k, (ident, _)) in extra.iter().enumerate() {
            let data = match what.takes() {
                Takes::Each(_) => args[context.wrt[k]].ty.clone(),
                Takes::Nothing | Takes::Cotangent => context.cotangent().1,
                Takes::Cotangents => context.several_given(&context.signature.result).1,
                Takes::SeveralOfEach(_) => context.several_given(&args[context.wrt[k]].ty).1,
            };
            params.extend(Given::of(ident, &data, true, &mut names, &mut apart));
        }
        let dispatched = dispatched::pays(program, &params, &context.signature.real);
        let repeated = repeated::parameters(context, what, &params, &mut names);
        let tape = names.fresh("tape");
        Function {
            context,
            what,
            program,
            params,
            locals: RefCell::default(),
            lengths: RefCell::default(),
            apart,
            uses,
            wrt: context.signature.real_leaves(context.wrt),
            names: RefCell::new(names),
            computed: program.steps.iter().flat_map(Step::defines).collect(),
            mutable: sequence::mutable(program),
            taken: program.taken(),
            outer: None,
            states: 0,
            dispatched,
            parts: None,
            tape,
            replaced: Cell::default(),
            summed: Cell::default(),
            sums: RefCell::default(),
            repeated,
            rooms: Rooms::default(),
            lasting: None,
        }
    }

    /// Whether it is a method of a linearised function.
    pub(super) fn is_of_linear(&self) -> bool {
        self.what.is_of_linear()
    }

    /// The function itself, which has the parameters and the names.
    fn root(&self) -> &Function<'a> {
        self.outer.map_or(self, |outer| outer.root())
    }

    /// What stands in the braces.
    pub(super) fn body(self) -> TokenStream {
        // The steps first: they say which parameters and lengths are used.
        for k in 0..self.params.len() {
            self.declare(k);
        }
        let checks = self.checks();
        let steps = self.steps();
        let results = self.results();
        let lengths = self.lengths_used();
        let tape = self.made_tape(&steps);
        let body = quote!(#lengths #checks #tape #steps);
        let body = match self.dispatched {
            true => self.dispatched(&body, &results),
            false => quote!(#body #results),
        };
        let patterns = self.patterns_of_tangents();
        let body = self.with_inputs(&body);
        quote!(#patterns #body)
    }

    /// The statements of all steps.
    pub(super) fn steps(&self) -> TokenStream {
        let mut steps = TokenStream::new();
        let replaced = replaced::replaced(self.program);
        let sums = summed::summed(self.program);
        let gone = memory::gone(self.program).into_iter().zip(replaced);
        for (step, (gone, replaced)) in self.program.steps.iter().zip(gone) {
            self.replaced.set(replaced);
            self.summed.set(sums.get(&step.out).copied());
            if !self.sums.borrow().contains(&step.out) {
                steps.extend(self.step(step));
            }
            let is_replaced = self.replaced.take() != replaced;
            for v in gone {
                if is_replaced && replaced == Some(v) {
                    continue;
                }
                let array = &self.local(v).ident;
                steps.extend(quote!(::core::mem::drop(#array);));
            }
        }
        steps
    }

    /// Whether a size is at most another, as an expression of its own.
    pub(super) fn at_most(&self, left: &Size, right: &Size) -> TokenStream {
        for k in 0..self.params.len() {
            self.declare(k);
        }
        let (left, right) = (self.size(left).tokens, self.size(right).tokens);
        let lengths = self.lengths_used();
        self.with_inputs(&quote!(#lengths #left <= #right))
    }

    /// What brings the parameters to hand that something uses, before it.
    fn with_inputs(&self, body: &TokenStream) -> TokenStream {
        let mut used = names_in(body);
        let repeated = self.repetitions(&mut used);
        let is_opaque = |p: &&Given| p.written.as_ref().is_some_and(Written::is_opaque);
        for param in self.params.iter().filter(is_opaque) {
            if used.contains(&kept(&param.tokens).to_string()) {
                used.insert(param.tokens.to_string());
            }
        }
        let is_used = |i: &Ident| used.contains(&i.to_string());
        let apart: TokenStream = self.with_names(|names| {
            let apart = self.apart.iter().map(|a| a.taken(&is_used, names));
            apart.collect()
        });
        let inputs: TokenStream = (0..self.params.len())
            .filter(|k| !self.is_repeated(*k))
            .map(|k| self.input(k, &used))
            .collect();
        quote!(#apart #inputs #repeated #body)
    }

    /// Says how a parameter is at hand: by this name.
    pub(super) fn know(&self, v: Var, name: &Ident, bare: bool) {
        let local = Local {
            ident: quote!(#name),
            scalar: None,
            bare,
            is_view: true,
            small: None,
            is_typed: true,
        };
        self.locals.borrow_mut().insert(v, local);
    }

    /// The statements for the lengths that are used.
    pub(super) fn lengths_used(&self) -> TokenStream {
        self.lengths_among(&|_| true)
    }

    /// The statements for the lengths that are used in tokens.
    pub(super) fn lengths_in(&self, tokens: &TokenStream) -> TokenStream {
        let used = names_in(tokens);
        self.lengths_among(&|name| used.contains(&name.to_string()))
    }

    fn lengths_among(&self, is_wanted: &dyn Fn(&Ident) -> bool) -> TokenStream {
        let mut lengths = TokenStream::new();
        let all = self.lengths.borrow();
        for ((param, axis), name) in all.iter().filter(|(_, name)| is_wanted(name)) {
            let p = &self.local(Var(*param as u32)).ident;
            let axis = Literal::usize_unsuffixed(*axis);
            lengths.extend(quote!(let #name = #p.len(#axis);));
        }
        lengths
    }

    /// How a variable is at hand.
    pub(super) fn local(&self, v: Var) -> Local {
        self.locals.borrow()[&v].clone()
    }

    /// A leaf of a symbolic size.
    fn leaf(&self, a: &Atom) -> Expr {
        let tokens = match a {
            Atom::Dim { param, axis } => {
                let root = self.root();
                let mut lengths = root.lengths.borrow_mut();
                let name = lengths.entry((*param, *axis)).or_insert_with(|| {
                    let tokens = root.local(Var(*param as u32)).ident;
                    let written = root.params.get(*param).and_then(|p| p.written.as_ref());
                    let part = match (written.map_or(0, |w| w.rank), axis) {
                        (1, _) => "len".to_owned(),
                        (2, 0) => "rows".to_owned(),
                        (2, _) => "cols".to_owned(),
                        (_, k) => format!("len{k}"),
                    };
                    root.names.borrow_mut().fresh(&format!("{tokens}_{part}"))
                });
                name.to_token_stream()
            }
            Atom::Int { param } => {
                let ident = self.root().local(Var(*param as u32)).ident;
                match self.root().program.params[*param].ty.elem {
                    Elem::Bool => quote!(i64::from(#ident)),
                    Elem::Int | Elem::Real => ident,
                }
            }
            Atom::Value(v) => self.local(Var(*v)).ident,
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {
                unreachable!("not a leaf")
            }
        };
        Expr::atom(tokens)
    }

    /// The lengths of an array.
    fn shape_tokens(&self, ty: &Type) -> Vec<TokenStream> {
        ty.shape.iter().map(|s| self.size(s).tokens).collect()
    }

    /// A name that nothing has yet, as the wish if possible.
    pub(super) fn fresh(&self, wish: &str) -> Ident {
        self.root().names.borrow_mut().fresh(wish)
    }

    /// The name that a variable should have: results say which they are.
    fn wish(&self, v: Var) -> String {
        let Some(k) = self.program.results.iter().position(|r| *r == v) else {
            return "t".into();
        };
        if self.outer.is_some() {
            return self.next_state(k).unwrap_or_else(|| "t".into());
        }
        match self.role(k) {
            (Gives::Value, _) => "value".into(),
            (Gives::Tangent, _) => "tangent".into(),
            (Gives::Aux, _) => "aux".into(),
            (Gives::Coefficients, _) => "coefficient".into(),
            (Gives::Linear, _) => "residual".into(),
            (Gives::Sparse, _) => "entries".into(),
            (Gives::Tangents, _) => "tangents".into(),
            (Gives::Jacobian, _) => "jacobian".into(),
            (Gives::Gradient | Gives::Gradients, k) => {
                let name = self.params[self.wrt[k]].tokens.to_string();
                format!("{}_bar", name.trim_start_matches("r#"))
            }
        }
    }

    /// The part of what is given that a result of the program belongs to, and its number there.
    fn role(&self, mut k: usize) -> (Gives, usize) {
        let of_unit = self.parts.as_ref().and_then(Parts::gives);
        for &gives in of_unit.unwrap_or(self.what.gives()) {
            let count = match gives {
                Gives::Value => self.values(),
                Gives::Gradient => self.wrt.len(),
                Gives::Tangent
                | Gives::Aux
                | Gives::Jacobian
                | Gives::Tangents
                | Gives::Gradients
                | Gives::Linear
                | Gives::Coefficients
                | Gives::Sparse => usize::MAX,
            };
            if k < count {
                return (gives, k);
            }
            k -= count;
        }
        unreachable!("a result of no part")
    }

    /// What panics call an array that is added to: a gradient by what it is the gradient of.
    fn model(&self, out: Var, ty: &Type) -> Option<String> {
        if self.outer.is_some() {
            return None;
        }
        let signature = self.context.signature;
        if !self.what.gives().contains(&Gives::Gradient) {
            return None;
        }
        let of = |k: usize| format!("`{}`", self.params[k].said);
        for (k, r) in self.program.results.iter().enumerate() {
            if *r == out
                && let (Gives::Gradient, k) = self.role(k)
            {
                return Some(format!("the gradient of {}", of(self.wrt[k])));
            }
        }
        let has_its_shape =
            |k: &usize| ty.rank() > 0 && ty.shape == self.program.params[*k].ty.shape;
        let k = (0..signature.leaves().len()).find(has_its_shape)?;
        Some(format!("an array of the shape of {}", of(k)))
    }

    /// How many results the value is.
    fn values(&self) -> usize {
        self.context.signature.result.tree.leaves().len()
    }

    /// What it returns, in the user's types.
    fn results(&self) -> TokenStream {
        if let Some(parts) = &self.parts {
            return self.given_by_parts(parts);
        }
        let own = &self.program.results[..];
        // The values of a linearised function are there for what is not real in them.
        let mut taken = match self.what == Derivative::LinearJvp {
            true => self.values(),
            false => 0,
        };
        let all = self.what.gives();
        let repeated = all.contains(&Gives::Tangent) || all.contains(&Gives::Tangents);
        let args = &self.context.signature.args;
        let result = &self.context.signature.result;
        if all.contains(&Gives::Sparse) {
            // The matrix first: it needs the lengths of the value, which the results take.
            let (matrix, name) = self.sparse(self.values());
            let value = self.whole_result(&result.tree, own, &mut taken, false, false);
            return quote!(#matrix (#value, #name));
        }
        let parts = all.iter().map(|gives| match gives {
            Gives::Value => {
                let value = self.whole_result(&result.tree, own, &mut taken, false, repeated);
                let name = self.fresh("value");
                match self.pattern_of_cotangent(&name) {
                    check if check.is_empty() => value,
                    check => quote!({ let #name = #value; #check #name }),
                }
            }
            Gives::Tangent => self.whole_result(&result.tree, own, &mut taken, true, false),
            Gives::Tangents => self.whole_result(&several(result), own, &mut taken, true, false),
            Gives::Linear => self.linear(taken),
            Gives::Coefficients => {
                let orders = 0..=self.what.series().unwrap_or(0);
                let all =
                    orders.map(|k| self.whole_result(&result.tree, own, &mut taken, k > 0, k == 0));
                let all: Vec<TokenStream> = all.collect();
                quote!([#(#all),*])
            }
            Gives::Aux => self.whole_result(self.context.aux(), own, &mut taken, false, false),
            Gives::Gradients => {
                let of = self.context.wrt.iter().map(|&k| (k, several(&args[k].ty)));
                tuple(
                    of.map(|(k, tree)| self.gradient(k, &tree, &mut taken))
                        .collect(),
                )
            }
            Gives::Gradient => {
                let of = self.context.wrt.iter();
                tuple(
                    of.map(|&k| self.gradient(k, &args[k].ty.tree, &mut taken))
                        .collect(),
                )
            }
            Gives::Jacobian => {
                let forms = self.context.jacobian(self.what).forms;
                tuple(
                    forms
                        .iter()
                        .map(|form| self.form(form, &mut taken))
                        .collect(),
                )
            }
            Gives::Sparse => unreachable!("comes with the value"),
        });
        tuple(parts.collect())
    }

    /// A Jacobian by an argument.
    fn form(&self, form: &Form, taken: &mut usize) -> TokenStream {
        let taken = RefCell::new(taken);
        form.fold(
            &mut |written| {
                let mut taken = taken.borrow_mut();
                let results = &self.program.results;
                let v = results[**taken];
                **taken += 1;
                self.result(v, written, !results[**taken..].contains(&v))
            },
            &mut |arg| {
                let tree = &self.context.signature.args[arg].ty.tree;
                self.gradient(arg, tree, &mut taken.borrow_mut())
            },
            &mut |is_list, parts| match is_list {
                true => quote!([#(#parts),*]),
                false => quote!((#(#parts,)*)),
            },
        )
    }

    pub(super) fn program(&self) -> &Program {
        self.program
    }

    pub(super) fn context(&self) -> &Context<'_> {
        self.context
    }

    pub(super) fn with_names<T>(&self, f: impl FnOnce(&mut Names) -> T) -> T {
        f(&mut self.root().names.borrow_mut())
    }
}

impl Scope for Function<'_> {
    fn real(&self) -> &RealType {
        &self.context.signature.real
    }

    fn size(&self, s: &Size) -> Expr {
        sizes::expression(s, &|a| self.leaf(a))
    }

    fn terms(&self, s: &Size) -> Vec<(Vec<Expr>, i64)> {
        (s.terms())
            .map(|(m, c)| {
                let factors = (m.iter())
                    .map(|a| self.size(&Size::atom(a.clone())))
                    .collect();
                (factors, c)
            })
            .collect()
    }

    fn read(&self, v: Var, at: &[TokenStream]) -> Expr {
        let l = self.local(v);
        let ident = &l.ident;
        if l.bare {
            return Expr::atom(quote!(#ident));
        }
        self.element(v, Expr::atom(quote!(#ident[[#(#at),*]])))
    }

    fn is_in_loop(&self) -> bool {
        self.outer.is_some()
    }

    fn array(&self, v: Var) -> TokenStream {
        self.local(v).ident
    }

    fn view(&self, v: Var) -> TokenStream {
        let l = self.local(v);
        let ident = &l.ident;
        match l.is_view {
            true => quote!(#ident),
            false => quote!(#ident.view()),
        }
    }

    fn element(&self, v: Var, stored: Expr) -> Expr {
        match self.local(v).scalar {
            Some(s) if s.elem() == Elem::Int && s != Scalar::I64 => stored.cast("i64"),
            Some(_) | None => stored,
        }
    }

    fn is_typed(&self, v: Var) -> bool {
        self.locals.borrow()[&v].is_typed
    }

    fn label(&self, v: Var) -> String {
        let name = self.local(v).ident.to_string();
        name.trim_start_matches("r#").to_owned()
    }

    fn shape(&self, v: Var) -> &[Size] {
        &self.ty(v).shape
    }

    /// Names of shared scalars must not hide variables.
    fn is_taken(&self, name: &str) -> bool {
        self.root().names.borrow().contains(name)
    }
}
