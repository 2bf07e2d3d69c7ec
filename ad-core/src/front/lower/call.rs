//! Calls: of our functions, of the standard library's, and of closures bound by `let`.

use super::scalar::Args;
use super::value::Value;
use super::{Binding, Env, Lowerer};
use crate::front::error::{self, Loc, Reported, Result};
use crate::front::names::{self, Known};
use crate::front::surface::{Closure, Expr as Surface};
use crate::front::types::Scalar;
use crate::ir::ty::Elem;
use std::rc::Rc;

/// A closure and the names it sees.
pub(super) type Callable = (Rc<Closure>, Env);

/// What a path calls.
enum Callee {
    /// One of ours.
    Known(Known),
    /// `f64::exp`, `usize::max`
    Of(Scalar),
    /// `f64::from`, `i32::from`
    From(Scalar),
    /// `u64::try_from`
    TryFrom(Scalar),
    /// `T::of`, `T::from_usize`, ..
    Constructor(&'static str),
}

impl Lowerer<'_> {
    pub(super) fn call(&mut self, path: &syn::Path, args: &[Surface], loc: Loc) -> Result<Value> {
        let succeeds = std::mem::take(&mut self.succeeds);
        let tried = std::mem::take(&mut self.tried);
        let mut full = self.rooted(path);
        if let Some(ident) = path.get_ident() {
            match self.env.get(&ident.to_string()).cloned() {
                Some(Binding::Value(Value::Closure(closure, env))) => {
                    return self.inline(&closure, env, args, loc);
                }
                Some(Binding::Value(value)) => {
                    self.all(args)?;
                    let message = format!(
                        "`{ident}` is {} here, not a function; a variable of that name hides the \
                         function, so rename the variable",
                        value.describe()
                    );
                    return Err(self.errors.at(ident.span(), message));
                }
                Some(Binding::Hole(reported)) => return Err(reported),
                Some(Binding::Unset) => return Err(self.unset(ident)),
                Some(Binding::Import(path)) => full = path,
                None => {}
            }
        }
        if !self.is_shadowed(&full)
            && let Some(made) = self.constructed(&full, args, loc)
        {
            return made;
        }
        let (Some(callee), Some(last)) = (self.callee(&full), path.segments.last()) else {
            (self.succeeds, self.tried) = (succeeds, tried);
            return self.annotated_call(&full, args, loc);
        };
        match callee {
            Callee::Known(Known::Combinator(combinator)) => {
                self.check(&full, Known::Combinator(combinator));
                self.combinator(combinator, args, loc)
            }
            Callee::Known(Known::Prelude(name)) => {
                self.check(&full, Known::Prelude(name));
                let args = self.args(args)?;
                match names::find(names::PRELUDE, name) {
                    Some((_, prim)) => self.primitive(prim, &last.ident, args),
                    None => unreachable!("the name comes from the table"),
                }
            }
            Callee::Known(Known::Math(name)) => {
                let args = self.args(args)?;
                if matches!(name, "min" | "max") && are_integers(&args) {
                    self.check(&full, Known::Cmp(name));
                    return self.integer_function(&last.ident, args);
                }
                self.check(&full, Known::Math(name));
                let ident = syn::Ident::new(name, last.ident.span());
                self.real_function(&ident, args)
            }
            Callee::Known(Known::Cmp(name)) => {
                self.check(&full, Known::Cmp(name));
                let args = self.args(args)?;
                let ident = syn::Ident::new(name, last.ident.span());
                self.integer_function(&ident, args)
            }
            Callee::Known(Known::Array(_)) => self.annotated_call(&full, args, loc),
            Callee::Constructor(name) => {
                let args = self.args(args)?;
                self.real_constructor(name, &last.ident, args)
            }
            Callee::Of(scalar) => {
                let args = self.args(args)?;
                if args.is_empty() {
                    let message = format!(
                        "`{0}` needs an argument; write `{0}(x)`",
                        names::segments(path).join("::")
                    );
                    return Err(self.errors.at(loc, message));
                }
                match scalar.elem() {
                    Elem::Real => self.real_function(&last.ident, args),
                    Elem::Int => self.integer_function(&last.ident, args),
                    Elem::Bool => Err(self.not_followed(path, &[], loc)),
                }
            }
            Callee::From(_) | Callee::TryFrom(_) if args.len() != 1 => {
                let name = names::segments(path).join("::");
                let message = format!("`{name}` takes one argument; write `{name}(x)`");
                Err(self.errors.at(loc, message))
            }
            Callee::From(to) => {
                let (value, at) = self.args(args)?.remove(0);
                match to.elem() {
                    Elem::Real => self.real_from(value, to, at),
                    Elem::Int | Elem::Bool => self.cast(value, to, at),
                }
            }
            Callee::TryFrom(to) => {
                let (value, at) = self.args(args)?.remove(0);
                self.integer_try_from(value, to, at)
            }
        }
    }

    /// A path of ours that the parser writes, from where this crate is said to be.
    fn rooted(&self, path: &syn::Path) -> syn::Path {
        let is_ours = path.leading_colon.is_some() && path.segments[0].ident == "cotangent";
        match self.root {
            Some(root) if is_ours => {
                let mut full = root.clone();
                full.segments.extend(path.segments.iter().skip(1).cloned());
                full
            }
            Some(_) | None => path.clone(),
        }
    }

    /// Whether a name of ours stands for something of the user's where the code stands.
    fn is_shadowed(&self, path: &syn::Path) -> bool {
        let callees = match &self.env.home {
            Some(home) => &home.functional.callees,
            None => self.callees,
        };
        let first = path
            .segments
            .first()
            .filter(|_| path.leading_colon.is_none());
        first.is_some_and(|first| callees.shadowed.iter().any(|name| first.ident == name))
    }

    fn callee(&self, path: &syn::Path) -> Option<Callee> {
        if self.is_shadowed(path) {
            return None;
        }
        let segments = names::segments(path);
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let root = match &self.env.home {
            Some(home) => home.functional.root.as_ref(),
            None => self.root,
        };
        let root = root.map(names::segments).unwrap_or_default();
        let inner: Vec<&str> = match &segments[..] {
            ["std" | "core", rest @ ..] => rest.to_vec(),
            all => all.to_vec(),
        };
        match &inner[..] {
            [name] => names::known(name).map(Callee::Known),
            ["cmp", "min"] => Some(Callee::Known(Known::Cmp("min"))),
            ["cmp", "max"] => Some(Callee::Known(Known::Cmp("max"))),
            [ty, "from"] => self.reads(ty).map(Callee::From),
            [ty, "try_from"] => match self.reads(ty) {
                Some(to) if to.elem() == Elem::Int => Some(Callee::TryFrom(to)),
                to => to.map(Callee::Of),
            },
            [ty, name] if self.constructor(ty, name).is_some() => {
                self.constructor(ty, name).map(Callee::Constructor)
            }
            [ty, _] if self.reads(ty).is_some() => self.reads(ty).map(Callee::Of),
            [before @ .., name] => {
                let before = before
                    .strip_suffix(&["prelude"])
                    .or_else(|| before.strip_suffix(&["math"]))
                    .unwrap_or(before);
                let ours = before.is_empty() || before == ["cotangent"] || before == root;
                ours.then(|| names::known(name).map(Callee::Known))
                    .flatten()
            }
            [] => None,
        }
    }

    pub(super) fn not_followed(
        &mut self,
        path: &syn::Path,
        args: &[Surface],
        loc: Loc,
    ) -> Reported {
        let segments = names::segments(path);
        let name = segments.join("::");
        let last = segments.last().map_or("", String::as_str);
        if last.starts_with(char::is_uppercase) {
            let message = format!(
                "`{name}(..)` makes a struct, and structs are not supported yet; write a tuple, or \
                 bind the parts with `let`"
            );
            return self.errors.at(loc, message);
        }
        if let [.., "array", "from_fn"] =
            &segments.iter().map(String::as_str).collect::<Vec<_>>()[..]
        {
            let message = "how many elements this array has is not seen here; write `let a: [f64; 3] = \
                           std::array::from_fn(|i| ..);`";
            return self.errors.at(Loc::of(path), message);
        }
        if let [.., of, "new" | "with_capacity" | "from"] =
            &segments.iter().map(String::as_str).collect::<Vec<_>>()[..]
            && of.starts_with(char::is_uppercase)
        {
            let message = format!("`{of}` is not followed; write a `Vec`, or an array of ndarray");
            return self.errors.at(Loc::of(path), message);
        }
        let instead = match (names::Combinator::by_name(last), args.len()) {
            (Some(_), _) => format!("write `{last}` for the one from `cotangent::prelude`"),
            (None, 1) => {
                format!("write it as a closure in this body: `let {last} = |x: f64| ..;`")
            }
            (None, count) => {
                let params = ["x", "y", "z"].iter().take(count).copied();
                let mut params: Vec<&str> = params.collect();
                if count > params.len() {
                    params.push("..");
                }
                let params = params.join(", ");
                format!("write it as a closure in this body: `let {last} = |{params}| ..;`")
            }
        };
        let message = format!(
            "`{name}` cannot be differentiated from here: of functions that are not from \
             `cotangent::prelude`, only free ones with an annotation of their own are followed; {instead}"
        );
        self.errors.at(Loc::of(path), message)
    }

    pub(super) fn args(&mut self, args: &[Surface]) -> Result<Args> {
        let values = self.all(args)?;
        for (value, arg) in values.iter().zip(args) {
            self.not_borrowed(value, arg.loc)?;
        }
        Ok(values.into_iter().zip(args.iter().map(|a| a.loc)).collect())
    }

    /// What is called may not change its arguments.
    pub(super) fn not_borrowed(&mut self, value: &Value, loc: Loc) -> Result<()> {
        match value.is_borrowing() {
            false => Ok(()),
            true => Err(self.errors.at(
                loc,
                "a call that changes its argument is not followed; give the new value as the \
                 result, and write `x = f(..);`",
            )),
        }
    }

    /// A call of a closure: its body, with the arguments bound to its parameters.
    fn inline(
        &mut self,
        closure: &Rc<Closure>,
        env: Env,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let mut values = vec![];
        for arg in args {
            let value = self.expr(arg);
            let value = value.and_then(|v| self.not_borrowed(&v, arg.loc).map(|()| v));
            values.push((value, arg.loc));
        }
        self.applied(&(closure.clone(), env), values, loc)
    }

    /// The body of a closure, with values bound to its parameters.
    pub(super) fn applied(
        &mut self,
        (closure, env): &Callable,
        values: Vec<(Result<Value>, Loc)>,
        loc: Loc,
    ) -> Result<Value> {
        if values.len() != closure.params.len() {
            let message = format!(
                "this closure takes {}, and {}",
                error::counted(closure.params.len(), "argument", "arguments"),
                error::given(values.len())
            );
            return Err(self.errors.at(loc, message));
        }
        let outer = std::mem::replace(&mut self.env, env.clone());
        let wall = std::mem::replace(&mut self.wall, self.cells);
        for ((pattern, note), (value, at)) in closure.params.iter().zip(values) {
            let value = value.and_then(|v| self.annotated(v, note, at));
            self.bind(pattern, value);
        }
        let body = self.in_call(loc, |l| l.expr(&closure.body));
        let result = body.and_then(|v| self.annotated(v, &closure.result, closure.body.loc));
        self.env = outer;
        self.wall = wall;
        result
    }

    pub(super) fn method(
        &mut self,
        receiver: &Surface,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let mut on = self.expr(receiver)?;
        if let Some(borrow) = on.borrow().cloned() {
            if let Some(result) = self.borrow_method(&borrow, name, args, loc) {
                return result;
            }
            on = self.read(&borrow)?;
        }
        if let Some(result) = self.defined(&on, name, args) {
            return result;
        }
        if let Value::List(list) = &on
            && let Some(result) = self.list_method(list, name, args)
        {
            return result;
        }
        let plain = match on {
            Value::Plain(plain) => plain,
            Value::List(list) => {
                let of = list.describe();
                let plain = self.as_array(list, receiver.loc)?;
                if plain.expr.ty.rank > 1 {
                    // What ndarray says of its elements, Rust says of the arrays in it.
                    let message = format!(
                        "the method `{name}` of {of} is not followed; read the rows by an index, as in \
                         `a[i][j]`, or run over them with `.iter()`"
                    );
                    return Err(self.errors.at(name.span(), message));
                }
                plain
            }
            Value::Tuple(_) | Value::Struct(..) if name == "clone" && args.is_empty() => {
                return Ok(on);
            }
            Value::Struct(ref made, _) => {
                if let Some(result) = self.sparse_method(&on, name, args, loc) {
                    return result;
                }
                let made = made.clone();
                if let Some((path, callee)) = self.writing_method(&made, name) {
                    let on = match receiver.place() {
                        Some(place) => self.borrowed(place)?.map_or(on, Value::from),
                        None => on,
                    };
                    let on = (on, receiver.loc);
                    return self.writing_call(&path, &callee, Some(on), args, loc);
                }
                let others = self.args(args);
                let on = (on, receiver.loc);
                let values = others.map(|others| [on].into_iter().chain(others).collect());
                return self.struct_method(&made, name, values, loc);
            }
            Value::Way(way) => return self.way_method(&way, name, args, loc),
            Value::Tuple(_) | Value::Closure(..) | Value::Shape(_) => {
                let message = format!(
                    "{} has no method `{name}` here{}",
                    on.describe(),
                    on.advice()
                );
                return Err(self.errors.at(name.span(), message));
            }
        };
        if let Some(value) = self.axis_method(&plain, name) {
            return Ok(value);
        }
        let is_array = plain.expr.ty.rank > 0;
        if is_array
            || matches!(
                name.to_string().as_str(),
                "view" | "into_owned" | "into_scalar"
            )
        {
            let description = plain.describe();
            if let Some(result) = self.array_method(plain, name, args, loc) {
                return result;
            }
            let _ = self.all(args);
            let message = format!(
                "the method `{name}` of {description} is not supported yet; write it by elements, as \
                 `build(n, |i| ..)` or `sum(n, |i| ..)`"
            );
            return Err(self.errors.at(name.span(), message));
        }
        let mut all = vec![(Value::Plain(plain), receiver.loc)];
        all.extend(self.args(args)?);
        self.scalar_method(name, all)
    }
}

/// Whether arguments are integers, as far as known.
fn are_integers(args: &Args) -> bool {
    args.iter().any(|(value, _)| match value {
        Value::Plain(plain) => plain.elem() == Elem::Int,
        Value::Tuple(_)
        | Value::List(_)
        | Value::Struct(..)
        | Value::Closure(..)
        | Value::Shape(_)
        | Value::Way(_) => false,
    })
}
