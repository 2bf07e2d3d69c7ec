//! Calls of functionals: their source is taken in, with the functions that they are given.

use super::fixed::List;
use super::value::{Plain, Value};
use super::way::Maybe;
use super::{Binding, Env, Lowerer};
use crate::front::callee::{Callee, Callees, without_arguments};
use crate::front::data::Tree;
use crate::front::error::{self, Errors, Loc, Reported, Result};
use crate::front::functional::{Functional, Home};
use crate::front::names;
use crate::front::parse::{self, Outcome};
use crate::front::real::RealType;
use crate::front::surface::Expr as Surface;
use crate::front::unit::call_site;
use crate::ir::core::{Expr, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::rc::Rc;

impl<'a> Lowerer<'a> {
    /// The functions that are known where the code stands.
    pub(super) fn known_from<'h>(&self, home: Option<&'h Home>) -> &'h Callees
    where
        'a: 'h,
    {
        match home {
            Some(home) => &home.functional.callees,
            None => self.callees,
        }
    }

    /// Reports a function or a struct that the compiler has to ask for.
    pub(super) fn unknown(&mut self, path: &syn::Path) -> Reported {
        if self.env.home.is_none() {
            return self.errors.missing(path);
        }
        let name = names::segments(path).join("::");
        let message = format!("cannot tell what `{name}` is");
        self.errors.at(Loc::of(path), message)
    }

    /// Where the functionals around are called, innermost first.
    pub(super) fn homes(&self) -> Vec<String> {
        let homes = std::iter::successors(self.env.home.as_ref(), |home| home.around.as_ref());
        homes.map(|home| call_site(&home.path)).collect()
    }
}

impl Lowerer<'_> {
    /// A constant of the user's that a functional names.
    pub(super) fn constant_of_functional(&mut self, path: &syn::Path, loc: Loc) -> Result<Value> {
        let (path, elem) = self.constant_from_home(path, loc)?;
        let (sym, elem, open) = match elem {
            Some(elem) => (
                self.consts.known(&path, elem, &mut self.core.fresh),
                elem,
                vec![],
            ),
            None => self.consts.used(&path, &mut self.core.fresh),
        };
        Ok(Value::Plain(Plain {
            expr: Expr::var(&sym, Ty::scalar(elem)),
            scalar: None,
            open,
        }))
    }

    /// A constant that a callee names, by its path from where the code stands.
    pub(super) fn constant_from_callee(
        &mut self,
        path: &syn::Path,
        elem: Elem,
        loc: Loc,
    ) -> Result<Expr> {
        let (path, _) = self.constant_from_home(path, loc)?;
        let sym = self.consts.known(&path, elem, &mut self.core.fresh);
        Ok(Expr::var(&sym, Ty::scalar(elem)))
    }

    /// The path of a constant from the function that is lowered: the holder of a functional has it
    /// by a number.
    fn constant_from_home(
        &mut self,
        path: &syn::Path,
        loc: Loc,
    ) -> Result<(syn::Path, Option<Elem>)> {
        let real = self.errors.real.name();
        if path.segments.first().is_some_and(|s| s.ident == real) {
            return Ok((path.clone(), None));
        }
        let (mut path, mut elem) = (path.clone(), None);
        let mut home = self.env.home.clone();
        while let Some(here) = home {
            let Some(k) = here.functional.constant(&path) else {
                let name = names::segments(&path).join("::");
                let message = format!("cannot tell what the constant `{name}` is");
                return Err(self.errors.at(loc, message));
            };
            elem = Some(here.functional.consts[k].1);
            path = without_arguments(&here.path);
            path.segments.push(quote::format_ident!("C{k}").into());
            home = here.around.clone();
        }
        Ok((path, elem))
    }

    /// A call of a functional.
    pub(super) fn functional_call(
        &mut self,
        path: &syn::Path,
        (callee, functional): (&Callee, &Rc<Functional>),
        args: &[Surface],
        succeeds: bool,
        loc: Loc,
    ) -> Result<Value> {
        let name = names::segments(path).join("::");
        self.same_real(&name, callee, loc)?;
        self.right_count(&name, callee.signature.args.len(), args.len(), loc)?;
        let mut given = vec![];
        let mut sound = Ok(());
        for (k, arg) in args.iter().enumerate() {
            match self.argument_of_functional(&name, (callee, functional), k, arg) {
                Ok(value) => given.push(value),
                Err(reported) => sound = Err(reported),
            }
        }
        sound?;
        let home = Home {
            functional: functional.clone(),
            path: path.clone(),
            around: self.env.home.clone(),
        };
        let env = Env {
            innermost: None,
            home: Some(Rc::new(home)),
        };
        let outer = std::mem::replace(&mut self.env, env);
        let wall = std::mem::replace(&mut self.wall, self.cells);
        for (k, value) in given.into_iter().enumerate() {
            let argument = &callee.signature.args[k];
            self.name_lengths(&argument.ty.tree, &value);
            self.name(argument.ident.to_string(), Binding::Value(value));
        }
        let result = match callee.signature.wrapper {
            None => self.result_of_functional(path, callee, functional, Outcome::Plain, loc),
            Some(_) => self.maybe_of_functional(path, callee, functional, succeeds, loc),
        };
        self.env = outer;
        self.wall = wall;
        result
    }

    /// An argument of a functional: a function, or a value of the type of the parameter.
    fn argument_of_functional(
        &mut self,
        name: &str,
        (callee, functional): (&Callee, &Functional),
        k: usize,
        arg: &Surface,
    ) -> Result<Value> {
        let argument = &callee.signature.args[k];
        if let Some(function) = functional.functions.iter().find(|f| f.position == k) {
            let (closure, env) = self.callable(arg, function.arity(), name)?;
            if closure.params.len() != function.arity() {
                let message = format!(
                    "`{name}` calls `{}` with {}, and this closure takes {}",
                    function.ident,
                    error::counted(function.arity(), "argument", "arguments"),
                    closure.params.len()
                );
                return Err(self.errors.at(closure.params_loc, message));
            }
            return Ok(Value::Closure(closure, env));
        }
        let ident = argument.ident.to_string();
        let value = self.expr(arg)?;
        if let (Tree::Leaf(written), Value::List(list)) = (&argument.ty.tree, &value) {
            let list = self.annotated_list(list.clone(), written, arg.loc)?;
            return Ok(self.named(list, &ident));
        }
        let mut parts = vec![];
        let tree = &argument.ty.tree;
        self.argument((name, &ident), tree, false, value, arg.loc, &mut parts)?;
        let parts = parts.into_iter().map(|part| self.share(&ident, part));
        let mut parts = parts.collect::<Vec<_>>().into_iter();
        Ok(tree.assembled(&mut |w| parts.next().map(|e| super::annotated::of_type(w, e))))
    }

    /// The constant parameters that the type of an argument names.
    fn name_lengths(&mut self, tree: &Tree, value: &Value) {
        let Tree::Leaf(written) = tree else {
            return;
        };
        for (axis, size) in self.lengths_of_argument(value).into_iter().enumerate() {
            if let Some(length) = written.fixed_length(axis) {
                self.name_length(length, size);
            }
        }
    }

    /// The lengths of an array.
    fn lengths_of_argument(&mut self, value: &Value) -> Vec<Expr> {
        match value {
            Value::Plain(plain) | Value::List(List::Whole(plain)) => {
                self.written_lengths(&plain.expr)
            }
            Value::List(List::Elements(elements)) => {
                let count = i64::try_from(elements.len()).unwrap_or_default();
                let inner = elements
                    .first()
                    .map_or(vec![], |e| self.lengths_of_argument(e));
                std::iter::once(Expr::int(count)).chain(inner).collect()
            }
            Value::Tuple(_)
            | Value::List(List::Columns(_) | List::Rows(_))
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => vec![],
        }
    }

    /// What the body of a functional gives, whose parameters are bound.
    fn result_of_functional(
        &mut self,
        path: &syn::Path,
        callee: &Callee,
        functional: &Functional,
        outcome: Outcome,
        loc: Loc,
    ) -> Result<Value> {
        let span = path.segments.last().map_or(loc.start, |s| s.ident.span());
        let name = names::segments(path).join("::");
        let mine = self.errors.real.name();
        let real = match &callee.signature.real {
            RealType::Parameter(param) => Some((param, mine.as_str())),
            RealType::F64 | RealType::Mixed | RealType::F32 => None,
        };
        let (zero, tree) = match outcome {
            Outcome::Plain | Outcome::Value => {
                let tree = &callee.signature.result.tree;
                (parse::zero(tree), Some(tree))
            }
            Outcome::Fails(_) => (Some(parse::truth()), None),
        };
        self.errors.within(span, &name);
        let block = functional.body_at(span, real);
        let block = block.map_err(|error| self.errors.add(error))?;
        let mut errors = Errors::about(&self.errors.real);
        errors.structs = functional.callees.structs.clone();
        errors.writers = functional.callees.writers();
        errors.within(span, &name);
        let body = parse::body(&block, functional.output(), outcome, zero, &mut errors);
        self.errors.extend(errors);
        let value = self.in_call(loc, |l| l.expr(&body))?;
        let Some(tree) = tree else {
            return Ok(value);
        };
        let mut parts = vec![];
        let at = Loc::from(span);
        let made = self.results(value, tree, at, &mut parts)?;
        let mut parts = parts.into_iter();
        Ok(made.assembled(&mut |w| parts.next().map(|e| super::annotated::of_type(w, e))))
    }

    /// The same of one that gives an `Option` or a `Result`.
    fn maybe_of_functional(
        &mut self,
        path: &syn::Path,
        callee: &Callee,
        functional: &Functional,
        succeeds: bool,
        loc: Loc,
    ) -> Result<Value> {
        let fails = Outcome::Fails(true);
        let none = self.result_of_functional(path, callee, functional, fails, loc)?;
        let none = self.of(Elem::Bool, none, loc, "a condition")?;
        let none = self.share("none", none);
        let value =
            |l: &mut Self| l.result_of_functional(path, callee, functional, Outcome::Value, loc);
        let never = none == Expr::lit(Lit::Bool(false));
        let value = match succeeds || never {
            true => value(self)?,
            false => {
                let there = Expr::prim(Prim::Not, vec![none.clone()]);
                self.decided_where(there, value, loc)?
            }
        };
        let (value, none) = (self.named(value, "some"), Some(none));
        let sure = vec![];
        Ok(Maybe { value, none, sure }.into())
    }
}
