//! What the elements of lists that grow are. A list is made before its first element is pushed, so
//! lowering assumes real numbers, notes what is pushed, and starts over if that is something else.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a length that is anything else is not known before"
)]

use super::Lowerer;
use super::fixed::List;
use super::value::{Plain, Value};
use crate::front::data::Made;
use crate::front::error::Result;
use crate::front::surface::Expr as Surface;
use crate::front::types::Scalar;
use crate::ir::core::{Expr, Kind};
use crate::ir::ty::{Elem, Lit};
use std::collections::{BTreeSet, HashMap};

/// A form of elements that can be said before the list is made.
#[derive(Clone)]
enum Form {
    Scalar(Elem, Option<Scalar>),
    /// So many of another form.
    Fixed(usize, Box<Form>),
    /// An array of rank 1 whose length follows from the arguments.
    Array(Expr, Elem),
    /// A tuple, or a struct.
    Parts(Option<Made>, Vec<Form>),
}

impl Form {
    fn is_of_fixed_size(&self) -> bool {
        match self {
            Form::Scalar(..) => true,
            Form::Fixed(_, of) => of.is_of_fixed_size(),
            Form::Parts(_, parts) => parts.iter().all(Form::is_of_fixed_size),
            Form::Array(..) => false,
        }
    }
}

/// The forms of the elements, by the lists.
#[derive(Default)]
pub(super) struct Slots {
    known: HashMap<String, Form>,
    again: bool,
    /// Lists of whose elements nothing was known when they were made.
    guessed: BTreeSet<String>,
    keeps: bool,
    has_kept: bool,
}

impl Slots {
    /// Before each attempt.
    pub(super) fn restart(&mut self) {
        self.again = false;
        self.guessed.clear();
    }

    /// Whether a variable keeps its value where a wrong one is assigned to it. Its type stays, so a
    /// list that is read while it grows, and grows by the variable, gets its form.
    pub(super) fn keeps(&self) -> bool {
        self.keeps
    }

    /// Whether an assumption turned out wrong.
    pub(super) fn is_wrong(&self) -> bool {
        self.again
    }

    /// Whether an attempt with errors is worth another one: with variables that keep their values
    /// if a form is missing, and without them afterwards.
    pub(super) fn tries(&mut self) -> bool {
        let is_missing = self
            .guessed
            .iter()
            .any(|list| !self.known.contains_key(list));
        let tries = self.keeps || is_missing && !self.has_kept;
        self.keeps = tries && !self.keeps;
        self.has_kept |= self.keeps;
        tries
    }
}

impl Lowerer<'_> {
    /// What is pushed, or what stands for an element before.
    pub(super) fn slot(&mut self, list: &str, pushed: Option<&Surface>) -> Result<Value> {
        let Some(pushed) = pushed else {
            let real = Form::Scalar(Elem::Real, None);
            if !self.slots.known.contains_key(list) {
                self.slots.guessed.insert(list.to_owned());
            }
            let form = self.slots.known.get(list).cloned().unwrap_or(real);
            return Ok(self.before_written(&form));
        };
        let value = self.expr(pushed)?;
        let instead = "write the change where it is borrowed, or give its value by `*`";
        self.no_copy(&value, pushed.loc, instead)?;
        // The first one says what they all are; what differs is an error as in any list.
        if self.slots.known.contains_key(list) {
            return Ok(value);
        }
        match self.form(&value) {
            Some(form) => {
                self.slots.again |= !matches!(form, Form::Scalar(Elem::Real, None));
                self.slots.known.insert(list.to_owned(), form);
                Ok(value)
            }
            None => {
                let message = format!(
                    "a list can grow by numbers, bools, tuples and structs of these, and arrays of rank 1 \
                     whose length follows from the arguments, and this is {}; write a list for each part, \
                     or `(0..n).map(|i| ..).collect()`",
                    value.describe()
                );
                Err(self.errors.at(pushed.loc, message))
            }
        }
    }

    fn form(&mut self, value: &Value) -> Option<Form> {
        match value {
            Value::Plain(plain) | Value::List(List::Whole(plain)) => {
                let lengths = self.lengths_or_dims(&plain.expr);
                let mut form = Form::Scalar(plain.elem(), plain.scalar);
                for length in lengths.into_iter().rev() {
                    let length = length?;
                    form = match &*length.kind {
                        Kind::Lit(Lit::Int(n)) => {
                            Form::Fixed(usize::try_from(*n).ok()?, Box::new(form))
                        }
                        _ if plain.expr.ty.rank == 1 && self.is_of_arguments(&length) => {
                            Form::Array(length, plain.elem())
                        }
                        _ => return None,
                    };
                }
                Some(form)
            }
            Value::List(List::Elements(parts)) => {
                let form = self.form(parts.first()?)?;
                Some(Form::Fixed(parts.len(), Box::new(form)))
            }
            Value::Tuple(parts) if !parts.is_empty() => self.parts(None, parts),
            Value::Struct(made, parts) if !made.is_opaque() && !made.is_enum() => {
                self.parts(Some(made.clone()), parts)
            }
            Value::Tuple(_)
            | Value::List(List::Columns(_) | List::Rows(_))
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        }
    }

    /// A tuple or a struct whose parts are numbers and fixed arrays.
    fn parts(&mut self, made: Option<Made>, parts: &[Value]) -> Option<Form> {
        let forms: Option<Vec<Form>> = parts.iter().map(|part| self.form(part)).collect();
        let forms = forms.filter(|forms| forms.iter().all(Form::is_of_fixed_size))?;
        Some(Form::Parts(made, forms))
    }

    /// Whether a length is the same in each attempt: it mentions nothing but arguments.
    fn is_of_arguments(&self, length: &Expr) -> bool {
        match &*length.kind {
            Kind::Lit(_) => true,
            Kind::Var(sym) => (sym.id as usize) < self.params,
            Kind::Dim(array, _) => self.is_of_arguments(array),
            Kind::Prim(_, args) => args.iter().all(|arg| self.is_of_arguments(arg)),
            _ => false,
        }
    }

    fn before_written(&mut self, form: &Form) -> Value {
        let of_elem = |elem: Elem, scalar| Plain {
            expr: Expr::lit(Lit::zero(elem)),
            scalar,
            open: vec![],
        };
        match form {
            Form::Scalar(elem, scalar) => Value::Plain(of_elem(*elem, *scalar)),
            Form::Fixed(n, of) => {
                let one = self.before_written(of);
                Value::List(List::Elements(vec![one; *n]))
            }
            Form::Parts(made, parts) => {
                let parts = parts.iter().map(|part| self.before_written(part)).collect();
                match made {
                    Some(made) => Value::Struct(made.clone(), parts),
                    None => Value::Tuple(parts),
                }
            }
            Form::Array(length, elem) => {
                let zero = of_elem(*elem, None);
                self.filled(zero, std::slice::from_ref(length)).into()
            }
        }
    }
}
