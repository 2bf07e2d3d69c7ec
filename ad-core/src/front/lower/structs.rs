//! Values that are structs: made by their fields, read by field.

use super::Lowerer;
use super::borrow::Borrow;
use super::value::Value;
use super::variants::enum_of;
use crate::front::callee::without_arguments;
use crate::front::data::Made;
use crate::front::error::{Loc, Reported, Result};
use crate::front::structs::Struct;
use crate::front::surface::{Expr as Surface, Step};
use std::rc::Rc;

impl Value {
    /// Which of its parts has a name.
    pub(super) fn place_of(&self, field: &str) -> Option<usize> {
        match self {
            Value::Struct(Made { of: Some(of), .. }, _) => {
                of.fields().iter().position(|f| f == field)
            }
            Value::Tuple(parts) => field.parse().ok().filter(|k| *k < parts.len()),
            Value::Struct(..)
            | Value::Plain(_)
            | Value::List(_)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        }
    }
}

impl Lowerer<'_> {
    /// `p.x`
    pub(super) fn member(&mut self, base: &Surface, name: &str, loc: Loc) -> Result<Value> {
        let value = self.expr(base)?;
        let value = self.fetched(value)?;
        self.field_of(&value, name, loc)
    }

    /// A field of a value.
    pub(super) fn field_of(&mut self, value: &Value, name: &str, loc: Loc) -> Result<Value> {
        if let Value::Struct(Made { of: Some(of), .. }, parts) = value
            && let Some(k) = of.fields().iter().position(|f| f == name)
            && let Some(part) = parts.get(k)
        {
            return Ok(part.clone());
        }
        if let Value::Struct(made, _) = value
            && made.is_opaque()
        {
            return Err(self.not_looked_into(value, loc));
        }
        if let Value::Plain(plain) = value
            && !plain.open.is_empty()
        {
            let message = "of a constant of a type or of another module only a number is known; \
                           write the struct here, or declare a `const` in this module and name that";
            return Err(self.errors.at(loc, message));
        }
        let message = format!(
            "there is no field `{name}` in this value: it is {}",
            value.describe()
        );
        Err(self.errors.at(loc, message))
    }

    /// A field of what is borrowed to be changed, which is borrowed as well.
    pub(super) fn field_of_borrow(&mut self, of: &Borrow, name: &str, loc: Loc) -> Result<Value> {
        let step = Step::Field(loc, name.to_owned());
        let mut parts = self.parts_of_borrow(of, std::iter::once(step))?;
        Ok(parts.swap_remove(0))
    }

    /// What to say where something reads a constant that is carried.
    pub(super) fn not_looked_into(&mut self, value: &Value, loc: Loc) -> Reported {
        let message = format!(
            "this is {}, a constant that is only passed on; pass what is read here as an argument \
             of its own, or hold it in a field of a type that is read, such as `usize`",
            value.describe()
        );
        self.errors.at(loc, message)
    }

    /// What is known of a struct that the body names.
    pub(super) fn struct_of(&mut self, path: &syn::Path) -> Result<Rc<Struct>> {
        let home = self.env.home.clone();
        match self.known_from(home.as_deref()).structs.get(path) {
            Some(Some(of)) => Ok(of.clone()),
            Some(None) => Err(self.errors.elsewhere()),
            None => Err(self.unknown(&without_arguments(path))),
        }
    }

    /// `P { x: a, ..q }`, `P(a, b)`
    pub(super) fn structure(
        &mut self,
        path: &syn::Path,
        fields: &[(String, Surface)],
        base: Option<&Surface>,
        loc: Loc,
    ) -> Result<Value> {
        if let (Some(owner), None) = (enum_of(path), base) {
            return self.variant_value(path, &owner, fields, loc);
        }
        let mut given = vec![];
        let mut sound = Ok(());
        for (name, e) in fields {
            match self.expr(e) {
                Ok(value) => given.push((name, value)),
                Err(reported) => sound = Err(reported),
            }
        }
        let base = base.map(|e| self.expr(e)).transpose();
        let of = self.struct_of(path)?;
        sound?;
        let base = base?;
        let mut parts = vec![];
        for field in of.fields() {
            let found = given.iter().find(|(name, _)| **name == field);
            parts.push(match (found, &base) {
                (Some((_, value)), _) => value.clone(),
                (None, Some(base)) => self.field_of(base, &field, loc)?,
                (None, None) => {
                    let message = format!("the field `{field}` of `{}` is missing", of.name);
                    return Err(self.errors.at(loc, message));
                }
            });
        }
        let ty = Rc::new(syn::parse_quote!(#path));
        Ok(Value::Struct(Made { ty, of: Some(of) }, parts))
    }
}
