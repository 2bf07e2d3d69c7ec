//! What arguments and results are made of: arguments become as many parameters of the program as
//! they have parts, and results as many results.

use super::columns::Columns;
use super::fixed::List;
use super::value::{Plain, Value};
use super::way::Maybe;
use super::{Binding, Lowerer};
use crate::front::data::{Leaf, Made, Tree};
use crate::front::error::{Loc, Reported, Result};
use crate::front::signature::Signature;
use crate::front::types::{Written, spelled};
use crate::ir::core::{Expr, Param};
use crate::ir::prims::Prim;
use crate::ir::ty::{Lit, Size};

impl Lowerer<'_> {
    /// The parameters of the program. The names of the arguments are in scope then.
    pub(super) fn parameters(&mut self, signature: &Signature) -> Vec<Param> {
        let leaves = signature.leaves();
        let mut params: Vec<Param> = vec![];
        let mut named: Vec<(String, Size)> = vec![];
        for (k, (_, leaf)) in leaves.iter().enumerate() {
            let param = Param {
                sym: self.fresh.sym(&leaf.name),
                ty: leaf.ty.core(),
                lengths: lengths(k, leaf, &mut named),
            };
            for axis in 0..leaf.ty.rank {
                if let Some(length) = leaf.ty.fixed_length(axis) {
                    let value = Expr::dim(Expr::var(&param.sym, param.ty), axis);
                    self.name_length(length, value);
                }
            }
            if leaf.ty.rank < 2 && leaf.ty.scalar.is_unsigned() {
                self.naturals.insert(param.sym.clone());
            }
            if leaf.list.is_none()
                && !param.lengths.is_empty()
                && param.lengths.iter().all(Option::is_some)
            {
                self.fixed.insert(param.sym.clone());
            }
            params.push(param);
        }
        let mut rest = params.iter();
        for arg in &signature.args {
            let value = arg.ty.tree.assembled(&mut |written| {
                let p: &Param = rest.next()?;
                let plain = Plain::typed(Expr::var(&p.sym, p.ty), written.scalar);
                Some(match written.is_nested() {
                    true => Value::of_rust(plain),
                    false => Value::Plain(plain),
                })
            });
            self.name(arg.ident.to_string(), Binding::Value(value));
        }
        params
    }

    /// The parts of a value of a type, in order; gives what the type is made of, now that the value
    /// is known.
    pub(super) fn results(
        &mut self,
        value: Value,
        of: &Tree,
        loc: Loc,
        out: &mut Vec<Expr>,
    ) -> Result<Tree> {
        match (of, value) {
            (Tree::Leaf(written), Value::List(List::Elements(elements)))
                if self.holds(written, elements.len()) =>
            {
                let of = Tree::Leaf(written.element_of_fixed());
                let parts = (elements.into_iter()).map(|e| self.results(e, &of, loc, out));
                Ok(Tree::List(parts.collect::<Result<_>>()?))
            }
            (Tree::Leaf(written), Value::List(list)) => {
                let value = self.annotated_list(list, written, loc)?;
                let plain = self.plain(value, loc)?;
                out.push(plain.expr);
                Ok(of.clone())
            }
            (Tree::Leaf(written), value) if written.is_opaque() => {
                out.push(self.handle(value, written, loc)?);
                Ok(of.clone())
            }
            (Tree::Leaf(written), value) => {
                let plain = self.single(value, loc, "the function")?;
                out.push(self.matching(plain, written, loc)?);
                Ok(of.clone())
            }
            (Tree::Tuple(types), Value::Tuple(parts)) if parts.len() == types.len() => {
                let parts = parts.into_iter().zip(types);
                let parts = parts.map(|(part, of)| self.results(part, of, loc, out));
                Ok(Tree::Tuple(parts.collect::<Result<_>>()?))
            }
            (Tree::List(types), value @ Value::List(_)) => {
                let parts = self.taken_apart(value, types.len(), loc)?;
                let parts = parts.into_iter().zip(types);
                let parts = parts.map(|(part, of)| self.results(part, of, loc, out));
                Ok(Tree::List(parts.collect::<Result<_>>()?))
            }
            (Tree::Struct(made, types), Value::Struct(_, parts)) if parts.len() == types.len() => {
                let parts = parts.into_iter().zip(types);
                let parts = parts.map(|(part, of)| self.results(part, of, loc, out));
                Ok(Tree::Struct(made.clone(), parts.collect::<Result<_>>()?))
            }
            (Tree::Many(many), value @ (Value::List(_) | Value::Plain(_))) => {
                let what = value.describe();
                let Value::List(List::Columns(list)) = self.listed(value, of, loc)? else {
                    return Err(self.gives_another(&what, of, loc));
                };
                self.results(*list.of, &many.columns, loc, out)?;
                Ok(of.clone())
            }
            (Tree::Rows(types), Value::List(List::Rows(parts))) => {
                let parts = parts.into_iter().zip(types);
                let parts = parts.map(|(part, of)| self.results(part, of, loc, out));
                Ok(Tree::Rows(parts.collect::<Result<_>>()?))
            }
            (Tree::Optional(parts), value) if value.as_maybe().is_some() => {
                let maybe = self.maybe(value, loc)?;
                self.parts_of_optional(&maybe, parts, loc, out)?;
                Ok(of.clone())
            }
            (
                Tree::Tuple(_)
                | Tree::List(_)
                | Tree::Struct(..)
                | Tree::Many(_)
                | Tree::Optional(_)
                | Tree::Rows(_),
                value,
            ) => Err(self.gives_another(&value.describe(), of, loc)),
        }
    }

    fn gives_another(&mut self, what: &str, of: &Tree, loc: Loc) -> Reported {
        let message = format!(
            "the function gives {what}, but it is declared to give {}; make the one like the other",
            of.describe()
        );
        self.errors.at(loc, message)
    }
}

impl Lowerer<'_> {
    /// The handle of a constant that is carried.
    pub(super) fn handle(&mut self, value: Value, written: &Written, loc: Loc) -> Result<Expr> {
        let wanted = spelled(&written.ty);
        match value {
            Value::Struct(made, mut parts) if made.is_opaque() && spelled(&*made.ty) == wanted => {
                let handle = parts.remove(0);
                self.plain(handle, loc).map(|plain| plain.expr)
            }
            value @ (Value::Struct(..)
            | Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_)) => {
                let message = format!(
                    "a field of type `{wanted}` is carried and not looked into, so its value is that of \
                     such a field of an argument, and this is {}",
                    value.describe()
                );
                Err(self.errors.at(loc, message))
            }
        }
    }

    /// A value of a type that is never read.
    pub(super) fn absent_of(&mut self, tree: &Tree) -> Value {
        tree.assembled(&mut |written| Some(self.absent(written)))
    }

    /// Whether an `Option` has a value, and the value, or a placeholder.
    pub(super) fn parts_of_optional(
        &mut self,
        maybe: &Maybe,
        parts: &[Tree],
        loc: Loc,
        out: &mut Vec<Expr>,
    ) -> Result<()> {
        let none = self.is_none(maybe, loc)?;
        out.push(Expr::prim(Prim::Not, vec![none]));
        for tree in &parts[1..] {
            let value = match (maybe.is_nothing(), tree) {
                (true, Tree::Leaf(written)) => self.absent(written),
                (..) => maybe.value.clone(),
            };
            self.results(value, tree, loc, out)?;
        }
        Ok(())
    }

    /// A value of a type that is never read.
    fn absent(&mut self, written: &Written) -> Value {
        let lengths = (0..written.rank).map(|axis| {
            let length = written.fixed_length(axis).and_then(|length| length.value);
            Expr::int(length.unwrap_or(0))
        });
        let lengths: Vec<Expr> = lengths.collect();
        let (axes, _) = self.indices(&lengths);
        let zero = Expr::lit(Lit::zero(written.scalar.elem()));
        Value::Plain(Plain::typed(
            super::combinator::built(axes, zero),
            written.scalar,
        ))
    }
}

/// What types say about the lengths of a parameter.
fn lengths(param: usize, leaf: &Leaf<'_>, named: &mut Vec<(String, Size)>) -> Vec<Option<Size>> {
    let mut known = |axis: usize| {
        if axis == 0
            && let Some(first) = leaf.list.filter(|first| *first != param)
        {
            return Some(Size::dim(first, 0));
        }
        let length = leaf.ty.fixed_length(axis)?;
        if let Some(k) = length.value {
            return Some(Size::lit(k));
        }
        let name = length.name();
        if let Some((_, size)) = named.iter().find(|(n, _)| *n == name) {
            return Some(size.clone());
        }
        named.push((name, Size::dim(param, axis)));
        None
    };
    let all: Vec<Option<Size>> = (0..leaf.ty.rank).map(&mut known).collect();
    if all.iter().all(Option::is_none) {
        return vec![];
    }
    all
}

impl Tree {
    /// A value of this type, made of values of its leaves.
    pub(super) fn assembled(&self, next: &mut dyn FnMut(&Written) -> Option<Value>) -> Value {
        match self {
            Tree::Leaf(written) => match next(written) {
                Some(value) if written.is_opaque() => {
                    Value::Struct(Made::opaque(&written.ty), vec![value])
                }
                Some(value) => value,
                None => unreachable!("there is a value for each leaf"),
            },
            Tree::Tuple(parts) => Value::Tuple(parts.iter().map(|t| t.assembled(next)).collect()),
            Tree::List(parts) => {
                let elements = parts.iter().map(|t| t.assembled(next)).collect();
                Value::List(List::Elements(elements))
            }
            Tree::Struct(made, parts) => {
                let parts = parts.iter().map(|t| t.assembled(next)).collect();
                Value::Struct(made.clone(), parts)
            }
            Tree::Many(many) => Columns::whole(many.columns.assembled(next)),
            Tree::Optional(parts) => {
                let mut parts = parts.iter().map(|t| t.assembled(next));
                let (there, value) = (parts.next(), parts.next());
                match (there, value) {
                    (Some(Value::Plain(there)), Some(value)) => Maybe {
                        value,
                        none: Some(Expr::prim(Prim::Not, vec![there.expr])),
                        sure: vec![],
                    }
                    .into(),
                    (..) => unreachable!("an `Option` has two parts, and the first is a bool"),
                }
            }
            Tree::Rows(parts) => {
                let parts = parts.iter().map(|t| t.assembled(next)).collect();
                Value::List(List::Rows(parts))
            }
        }
    }

    /// The same from values of its real leaves; what is not real is as in another value of this
    /// type.
    pub(super) fn with_kept(
        &self,
        kept: &Value,
        next: &mut dyn FnMut(&Written) -> Option<Value>,
    ) -> Value {
        match (self, kept.components()) {
            (Tree::Leaf(written), _) if !written.is_real() => kept.clone(),
            (
                Tree::Tuple(types) | Tree::List(types) | Tree::Struct(_, types) | Tree::Rows(types),
                Some(parts),
            ) => {
                let parts = types
                    .iter()
                    .zip(parts)
                    .map(|(t, part)| t.with_kept(part, next));
                let parts = parts.collect();
                kept.with_components(parts)
            }
            (Tree::Many(many), Some([of])) => Columns::whole(many.columns.with_kept(of, next)),
            (Tree::Optional(parts), _) => match (kept.as_maybe(), &parts[..]) {
                (Some(maybe), [_, value]) => Maybe {
                    value: value.with_kept(&maybe.value, next),
                    ..maybe.clone()
                }
                .into(),
                (..) => kept.clone(),
            },
            (
                Tree::Leaf(_)
                | Tree::Tuple(_)
                | Tree::List(_)
                | Tree::Struct(..)
                | Tree::Many(_)
                | Tree::Rows(_),
                _,
            ) => self.assembled(next),
        }
    }
}
