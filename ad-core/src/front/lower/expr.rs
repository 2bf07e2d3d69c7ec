//! Expressions, blocks and names.

use super::annotated::is_foreign;
use super::call::Callable;
use super::columns::Columns;
use super::fixed::List;
use super::value::{Plain, Value};
use super::variants::enum_of;
use super::way::{Iter, Maybe};
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Reported, Result};
use crate::front::names;
use crate::front::real::RealType;
use crate::front::surface::{Expr as Surface, Kind, Note, Pattern, Step, Stmt};
use crate::front::types::Scalar;
use crate::ir::core::{Expr, Ty};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

impl Lowerer<'_> {
    pub(super) fn expr(&mut self, e: &Surface) -> Result<Value> {
        let entered = self.enter(e.loc);
        let value = entered.and_then(|()| self.expr_inside(e));
        self.leave();
        value
    }

    fn expr_inside(&mut self, e: &Surface) -> Result<Value> {
        let loc = e.loc;
        match &e.kind {
            Kind::Hole(reported) => Err(*reported),
            Kind::Real(x) => Ok(Expr::real(*x).into()),
            Kind::Bool(x) => Ok(Expr::lit(Lit::Bool(*x)).into()),
            Kind::Int(i, scalar) => Ok(Value::Plain(Plain {
                expr: Expr::int(*i),
                scalar: *scalar,
                open: vec![],
            })),
            Kind::Path(path) => self.path(path, loc),
            Kind::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                self.unary(*op, operand, loc)
            }
            Kind::Binary(op, left, right) => self.binary(*op, left, right, loc),
            Kind::Cast(inner, to) => {
                let value = self.expr(inner)?;
                self.cast(value, *to, inner.loc)
            }
            Kind::If(cond, then, other) => self.branch(cond, then, other, loc),
            Kind::Match(on, arms) => self.choice(on, arms, loc),
            Kind::Block(stmts, tail) => self.scope(|l| l.statements(stmts, tail)),
            Kind::Tuple(parts) => Ok(Value::Tuple(self.all(parts)?)),
            Kind::List(parts) => self.fixed(parts, loc),
            Kind::Repeat(one, count) => self.repeated(one, count),
            Kind::Call(path, args) => self.call(path, args, loc),
            Kind::Method(receiver, name, args) => match (&receiver.kind, &args[..]) {
                (Kind::Range(from, to, closed), [item]) if name == "contains" => {
                    self.contained((from.as_deref(), to.as_deref(), *closed), item, loc)
                }
                _ => {
                    self.succeeds |= (name == "unwrap" || name == "expect") && is_call(receiver);
                    self.method(receiver, name, args, loc)
                }
            },
            Kind::Borrow(place) => match self.borrowed(place)? {
                Some(borrow) => Ok(borrow.into()),
                None => Err(self.unset(&place.root)),
            },
            Kind::Lent(value, _) => self.expr(value),
            Kind::Copied(inner) => {
                let value = self.expr(inner)?;
                self.fetched(value)
            }
            Kind::Field(base, k) => self.field(base, *k, loc),
            Kind::Member(base, name) => self.member(base, &name.to_string(), loc),
            Kind::Struct(path, fields, base) => self.structure(path, fields, base.as_deref(), loc),
            Kind::Index(array, at) => self.index(array, at, loc),
            Kind::Part(of, at) => match self.expr(of)?.borrow().cloned() {
                Some(here) => {
                    let step = Step::At(loc, at.clone());
                    let mut parts = self.parts_of_borrow(&here, std::iter::once(step))?;
                    Ok(parts.swap_remove(0))
                }
                None => self.index(of, at, loc),
            },
            Kind::Range(from, to, closed) => {
                self.range(from.as_deref(), to.as_deref(), *closed, loc)
            }
            Kind::Macro(name, parts) => self.made(name, parts, loc),
            Kind::Slot(list, pushed) => self.slot(list, pushed.as_deref()),
            Kind::Trial(inner) => {
                let (bound, _, value) = self.open(|l| l.expr(inner));
                if let Some(frame) = self.frames.last_mut() {
                    frame.extend(bound);
                }
                value
            }
            Kind::Slices(_) => Err(self.errors.at(
                loc,
                "`s![..]` is no value here; write it where it is used: `a.slice(s![1.., ..])`",
            )),
            Kind::Closure(closure) => Ok(Value::Closure(closure.clone(), self.env.clone())),
            Kind::Maybe(None) => Ok(Maybe::nothing()),
            Kind::Maybe(Some(inner)) => {
                let value = self.expr(inner)?;
                let value = self.named(value, "some");
                Ok(Maybe::there(value))
            }
            Kind::Take(inner) => {
                self.succeeds = is_call(inner);
                let value = self.expr(inner)?;
                let maybe = self.maybe(value, loc)?;
                self.value_of(&maybe, loc)
            }
            Kind::Tried(inner) => {
                self.tried = is_call(inner);
                self.expr(inner)
            }
            Kind::IsNone(inner) => {
                let value = self.expr(inner)?;
                let maybe = self.maybe(value, loc)?;
                self.is_none(&maybe, loc).map(Value::from)
            }
            // The value is never used.
            Kind::Never | Kind::Impossible => Ok(Value::Tuple(vec![])),
        }
    }

    /// Every expression is looked at before the first failure counts.
    pub(super) fn all(&mut self, of: &[Surface]) -> Result<Vec<Value>> {
        let values: Vec<Result<Value>> = of.iter().map(|e| self.expr(e)).collect();
        values.into_iter().collect()
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Hole(reported, names) => self.holes(*reported, names),
            Stmt::Use(ident, path) => self.name(ident.to_string(), Binding::Import(path.clone())),
            Stmt::Later(ident) => self.name(ident.to_string(), Binding::Unset),
            Stmt::Do(e) => {
                let _ = self.expr(e);
            }
            Stmt::Assign(assign) => self.assign(assign),
            Stmt::Swap(swap) => self.swap(swap),
            Stmt::For(l) => self.for_loop(l),
            Stmt::While(l) => self.while_loop(l),
            Stmt::Let(pattern, note, init) => {
                let value = match self.elements_of_function(note, init) {
                    Some(value) => value,
                    None => self.expr(init),
                };
                let value = value.and_then(|v| self.annotated(v, note, init.loc));
                self.bind(pattern, value);
            }
        }
    }

    /// `let x: [f64; n] = std::array::from_fn(|i| ..);`
    fn elements_of_function(&mut self, note: &Note, init: &Surface) -> Option<Result<Value>> {
        let (Note::Of(written), Kind::Call(path, args)) = (note, &init.kind) else {
            return None;
        };
        let [.., array, from_fn] = &names::segments(path)[..] else {
            return None;
        };
        let ("array", "from_fn", [f]) = (array.as_str(), from_fn.as_str(), &args[..]) else {
            return None;
        };
        let length = written.fixed_length(0)?;
        let f = match self.callable(f, 1, "from_fn") {
            Ok(f) => f,
            Err(reported) => return Some(Err(reported)),
        };
        if let syn::Expr::Path(name) = &length.written {
            return Some(self.elements_up_to(&name.path, f, init.loc));
        }
        let count = length.value.filter(|k| *k <= 64)?;
        let one = |k: i64| {
            let index = Plain::typed(Expr::int(k), Scalar::Usize);
            self.applied(&f, vec![(Ok(index.into()), init.loc)], init.loc)
        };
        let elements: Result<Vec<Value>> = (0..count).map(one).collect();
        Some(elements.map(|elements| Value::List(List::Elements(elements))))
    }

    /// The same where the length is a parameter or a constant.
    fn elements_up_to(&mut self, length: &syn::Path, f: Callable, loc: Loc) -> Result<Value> {
        let count = self.path(length, loc)?;
        let count = self.of(Elem::Int, count, loc, "the length of an array")?;
        let count = self.share_size(count);
        let items = Iter::new(vec![count], move |l, at| {
            let index = Plain::typed(at[0].clone(), Scalar::Usize);
            l.applied(&f, vec![(Ok(index.into()), loc)], loc)
        });
        self.list_of_items(&items, loc)
    }

    /// A value with the type that is written for it.
    pub(super) fn annotated(&mut self, value: Value, note: &Note, loc: Loc) -> Result<Value> {
        match (note, value) {
            (Note::Infer, value) => Ok(value),
            (Note::Of(written), value) if value.is_borrowing() && !written.is_scalar() => Ok(value),
            (Note::Of(written), Value::List(list)) => self.annotated_list(list, written, loc),
            (Note::Of(written), value) => {
                let plain = self.plain(value, loc)?;
                let mut expr = self.matching(plain, written, loc)?;
                if written.is_scalar() && written.is_real() {
                    expr = self.of_precision(expr, written.scalar);
                }
                Ok(Plain::typed(expr, written.scalar).into())
            }
            (Note::Tuple(notes), Value::Tuple(parts)) if notes.len() == parts.len() => {
                let parts = parts.into_iter().zip(notes);
                let parts: Result<_> = parts.map(|(p, n)| self.annotated(p, n, loc)).collect();
                Ok(Value::Tuple(parts?))
            }
            (Note::Tuple(notes), value) => {
                let message = format!(
                    "this is {}, but it is declared as a tuple of {}",
                    value.describe(),
                    notes.len()
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// Gives names to a value. Of what is wrong, the names are known to be wrong as well.
    pub(super) fn bind(&mut self, pattern: &Pattern, value: Result<Value>) {
        let value = value.and_then(|value| self.apart(pattern, value));
        match pattern {
            Pattern::Wild => {}
            Pattern::Hole(reported, names) => self.holes(*reported, names),
            Pattern::Name(ident) => {
                let name = ident.to_string();
                let binding = match value {
                    Ok(value) => Binding::Value(self.named(value, &name)),
                    Err(reported) => Binding::Hole(reported),
                };
                self.name(name, binding);
            }
            Pattern::List(pattern_loc, patterns) => {
                let count = patterns.len();
                match value.and_then(|v| self.taken_apart(v, count, *pattern_loc)) {
                    Ok(parts) => {
                        for (pattern, part) in patterns.iter().zip(parts) {
                            self.bind(pattern, Ok(part));
                        }
                    }
                    Err(reported) => {
                        for pattern in patterns {
                            self.bind(pattern, Err(reported));
                        }
                    }
                }
            }
            Pattern::Struct(pattern_loc, patterns) => {
                for (field, pattern) in patterns {
                    let part = match &value {
                        Ok(value) => match value.borrow().cloned() {
                            Some(here) => self.field_of_borrow(&here, field, *pattern_loc),
                            None => self.field_of(value, field, *pattern_loc),
                        },
                        Err(reported) => Err(*reported),
                    };
                    self.bind(pattern, part);
                }
            }
            Pattern::Tuple(pattern_loc, patterns) => {
                let parts = match value {
                    Ok(Value::Tuple(parts)) if parts.len() == patterns.len() => Ok(parts),
                    Ok(other) => Err(self.errors.at(
                        *pattern_loc,
                        format!(
                            "this pattern takes a tuple of {} apart, but the value is {}",
                            patterns.len(),
                            other.describe()
                        ),
                    )),
                    Err(reported) => Err(reported),
                };
                match parts {
                    Ok(parts) => {
                        for (pattern, part) in patterns.iter().zip(parts) {
                            self.bind(pattern, Ok(part));
                        }
                    }
                    Err(reported) => {
                        for pattern in patterns {
                            self.bind(pattern, Err(reported));
                        }
                    }
                }
            }
        }
    }

    /// What is borrowed, as the parts that a pattern takes out of it, which are borrowed as well.
    fn apart(&mut self, pattern: &Pattern, value: Value) -> Result<Value> {
        let Some(here) = value.borrow().cloned() else {
            return Ok(value);
        };
        match pattern {
            Pattern::Name(_) | Pattern::Wild | Pattern::Hole(..) => Ok(value),
            Pattern::Tuple(loc, parts) => {
                let steps = (0..parts.len()).map(|k| Step::Field(*loc, k.to_string()));
                self.parts_of_borrow(&here, steps).map(Value::Tuple)
            }
            Pattern::List(loc, parts) => {
                let index = |k| Surface {
                    loc: *loc,
                    kind: Kind::Int(i64::try_from(k).unwrap_or(i64::MAX), None),
                };
                let steps = (0..parts.len()).map(|k| Step::At(*loc, vec![index(k)]));
                let parts = self.parts_of_borrow(&here, steps)?;
                Ok(Value::List(List::Elements(parts)))
            }
            // The fields are taken one by one.
            Pattern::Struct(..) => Ok(value),
        }
    }

    /// Names of what is wrong.
    pub(super) fn holes(&mut self, reported: Reported, names: &[syn::Ident]) {
        for ident in names {
            self.name(ident.to_string(), Binding::Hole(reported));
        }
    }

    /// A value that may be used several times.
    pub(super) fn named(&mut self, value: Value, hint: &str) -> Value {
        match value {
            Value::Plain(plain) => Value::Plain(Plain {
                expr: self.share(hint, plain.expr),
                ..plain
            }),
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|p| self.named(p, hint)).collect())
            }
            Value::Struct(made, parts) => {
                let parts = parts.into_iter().map(|p| self.named(p, hint));
                Value::Struct(made, parts.collect())
            }
            Value::List(List::Elements(elements)) => {
                let elements = elements.into_iter().map(|e| self.named(e, hint));
                Value::List(List::Elements(elements.collect()))
            }
            Value::List(List::Whole(plain)) => Value::List(List::Whole(Plain {
                expr: self.share(hint, plain.expr),
                ..plain
            })),
            Value::List(List::Rows(parts)) => {
                let parts = parts.into_iter().map(|p| self.named(p, hint));
                Value::List(List::Rows(parts.collect()))
            }
            Value::List(List::Columns(list)) => {
                let of = Box::new(self.named(*list.of, hint));
                Value::List(List::Columns(Columns { of, ..list }))
            }
            Value::Shape(array) => Value::Shape(self.share(hint, array)),
            Value::Closure(..) | Value::Way(_) => value,
        }
    }

    fn path(&mut self, path: &syn::Path, loc: Loc) -> Result<Value> {
        if let Some(ident) = path.get_ident() {
            match self.env.get(&ident.to_string()).cloned() {
                Some(Binding::Value(value)) => return Ok(value),
                Some(Binding::Hole(reported)) => return Err(reported),
                Some(Binding::Unset) => return Err(self.unset(ident)),
                Some(Binding::Import(path)) => return self.constant(&path, loc),
                None => {}
            }
        }
        self.constant(path, loc)
    }

    pub(super) fn constant(&mut self, path: &syn::Path, loc: Loc) -> Result<Value> {
        let own = names::constant_of(path, &self.errors.real);
        if let Some(lit) = own.or_else(|| names::constant(path)) {
            let of = path
                .segments
                .iter()
                .rev()
                .nth(1)
                .filter(|s| s.ident == "f32");
            return Ok(match (lit, of, &self.errors.real) {
                (Lit::Real(_), Some(_), RealType::Mixed) => {
                    Expr::prim(Prim::Single, vec![Expr::lit(lit)]).into()
                }
                _ => Expr::lit(lit).into(),
            });
        }
        // A variant may be spelled in capitals, as a constant is.
        if let Some(owner) = enum_of(path).filter(|owner| self.has_variant(owner, path)) {
            return self.variant_value(path, &owner, &[], loc);
        }
        let names = names::segments(path);
        let last = path.segments.last();
        let plain = path.segments.iter().all(|s| s.arguments.is_none());
        if plain && last.is_some_and(|s| names::is_screaming(&s.ident)) {
            if let [.., scalar, end @ ("MAX" | "MIN" | "BITS")] =
                &names.iter().map(String::as_str).collect::<Vec<_>>()[..]
                && Scalar::by_name(scalar).is_some()
            {
                let message = format!(
                    "`{scalar}::{end}` is not supported: integers are computed in 64 bits with a \
                     sign; write `i64::MAX`, or a literal"
                );
                return Err(self.errors.at(loc, message));
            }
            if self.env.home.is_some() {
                return self.constant_of_functional(path, loc);
            }
            let (sym, elem, open) = self.consts.used(path, &mut self.core.fresh);
            return Ok(Value::Plain(Plain {
                expr: Expr::var(&sym, Ty::scalar(elem)),
                scalar: None,
                open,
            }));
        }
        if let Some(owner) = enum_of(path)
            && last.is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase))
            && !is_foreign(path, &self.errors.real)
        {
            return self.variant_value(path, &owner, &[], loc);
        }
        let name = names.join("::");
        let message = match names.last().and_then(|n| names::known(n)) {
            Some(_) => format!(
                "functions are not values here; write a closure that calls it: `|x| {name}(x)`"
            ),
            None if names.len() > 1 => format!(
                "`{name}` is neither a variable nor a constant; constants are spelled in capitals, \
                 and functions are called: `{name}(..)`"
            ),
            None => format!(
                "cannot find `{name}` in this function; write a constant in capitals (`const {}`), or \
                 pass the value as an argument",
                name.to_uppercase()
            ),
        };
        Err(self.errors.at(loc, message))
    }

    fn field(&mut self, base: &Surface, k: usize, loc: Loc) -> Result<Value> {
        let value = self.expr(base)?;
        let value = self.fetched(value)?;
        if let Value::Struct(..) = &value {
            return self.field_of(&value, &k.to_string(), loc);
        }
        if let Value::Tuple(parts) = &value
            && let Some(part) = parts.get(k)
        {
            return Ok(part.clone());
        }
        if let Value::Plain(plain) = &value
            && plain.scalar == Some(Scalar::Axis)
        {
            return Ok(super::axes::axis_index(plain));
        }
        let message = format!(
            "there is no `.{k}` in this value: it is {}",
            value.describe()
        );
        Err(self.errors.at(loc, message))
    }
}

/// Whether it is the call of a function, or what a method that asks for nothing makes of that.
fn is_call(e: &Surface) -> bool {
    match &e.kind {
        Kind::Call(..) => true,
        Kind::Method(receiver, name, _) => {
            (name == "map_err" || name == "ok" || name == "ok_or" || name == "ok_or_else")
                && is_call(receiver)
        }
        Kind::Real(_)
        | Kind::Int(..)
        | Kind::Bool(_)
        | Kind::Path(_)
        | Kind::Unary(..)
        | Kind::Binary(..)
        | Kind::Cast(..)
        | Kind::If(..)
        | Kind::Match(..)
        | Kind::Block(..)
        | Kind::Tuple(_)
        | Kind::List(_)
        | Kind::Repeat(..)
        | Kind::Borrow(_)
        | Kind::Lent(..)
        | Kind::Copied(_)
        | Kind::Field(..)
        | Kind::Member(..)
        | Kind::Struct(..)
        | Kind::Index(..)
        | Kind::Part(..)
        | Kind::Closure(_)
        | Kind::Range(..)
        | Kind::Macro(..)
        | Kind::Slices(_)
        | Kind::Slot(..)
        | Kind::Trial(_)
        | Kind::Maybe(_)
        | Kind::Take(_)
        | Kind::IsNone(_)
        | Kind::Tried(_)
        | Kind::Never
        | Kind::Impossible
        | Kind::Hole(_) => false,
    }
}
