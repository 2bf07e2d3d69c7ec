//! What combinators have in common: extents, and closures that run over them.

use super::value::{Plain, Value};
use super::{Bindings, Env, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::names::Combinator;
use crate::front::surface::{Closure, Expr as Surface, Pattern};
use crate::front::types::Scalar;
use crate::ir::core::{Expr, Ty};
use crate::ir::ty::Elem;
use crate::loops::INDICES;
pub(super) use crate::loops::terms::Axes;
use std::rc::Rc;

impl Lowerer<'_> {
    /// `n` or `(n, m, ..)`
    pub(super) fn extents(&mut self, combinator: Combinator, e: &Surface) -> Result<Vec<Expr>> {
        let parts = self.expr(e)?.parts();
        if parts.is_empty() || parts.len() > INDICES.len() {
            let message = format!(
                "`{}` runs over 1 to 6 indices, and not over {}",
                combinator.name(),
                parts.len()
            );
            return Err(self.errors.at(e.loc, message));
        }
        let is_several = |v: &Value| match v {
            Value::List(_) | Value::Way(_) => true,
            Value::Plain(plain) => plain.expr.ty.rank > 0,
            Value::Tuple(_) | Value::Struct(..) | Value::Closure(..) | Value::Shape(_) => false,
        };
        if let Some(several) = parts.iter().find(|v| is_several(v)) {
            let message = format!(
                "`{0}` runs over 0, 1, .. below an integer, and this is {1}; write \
                 `{0}(n, |i| ..)`, or `{0}((n, m), |(i, j)| ..)` for two indices",
                combinator.name(),
                several.describe()
            );
            return Err(self.errors.at(e.loc, message));
        }
        let role = format!("what `{}` runs over", combinator.name());
        let mut extents = vec![];
        for part in parts {
            let extent = self.of(Elem::Int, part, e.loc, &role)?;
            // Inner extents stand inside of the outer loops, and are computed before them.
            extents.push(self.share_size(extent));
        }
        Ok(extents)
    }

    /// The same where they are the shape of an array: independent of the loops around.
    pub(super) fn shape(&mut self, combinator: Combinator, e: &Surface) -> Result<Vec<Expr>> {
        let extents = self.extents(combinator, e)?;
        for extent in &extents {
            let on = self.dependence(extent);
            let culprit = self.loops.iter().find(|index| on.contains(index));
            let Some(culprit) = culprit else {
                for around in &self.core.sequences {
                    if on.contains(&around.mark) {
                        self.sized.push((around.mark.clone(), e.loc));
                    }
                }
                continue;
            };
            let message = format!(
                "the size of this array depends on `{0}`, the index of a loop around it, and arrays \
                 are rectangular; write the largest size, and `if .. {{ .. }} else {{ 0.0 }}` for what is \
                 outside; only the bounds of reductions such as `sum({0}, |j| ..)` may depend on `{0}`",
                culprit.hint
            );
            return Err(self.errors.at(e.loc, message));
        }
        Ok(extents)
    }

    /// The closure of a combinator.
    pub(super) fn body_of(
        &mut self,
        combinator: Combinator,
        e: &Surface,
    ) -> Result<(Rc<Closure>, Env)> {
        let value = self.expr(e)?;
        if let Value::Closure(closure, env) = value {
            return Ok((closure, env));
        }
        let message = format!(
            "`{}` takes a closure here, and this is {}; write `|i| ..`",
            combinator.name(),
            value.describe()
        );
        Err(self.errors.at(e.loc, message))
    }

    /// Runs a closure over indices; `then` looks at its result.
    pub(super) fn over<T>(
        &mut self,
        combinator: Combinator,
        extents: Vec<Expr>,
        (closure, env): (Rc<Closure>, Env),
        then: impl FnOnce(&mut Self, Value, Loc) -> Result<T>,
    ) -> Result<(Axes, Bindings, T)> {
        let [(pattern, note)] = &closure.params[..] else {
            let count = extents.len();
            let instead = if count == 1 { "|i| .." } else { "|(i, j)| .." };
            let message = format!(
                "the closure of `{}` takes the index as one argument; write `{instead}`",
                combinator.name()
            );
            return Err(self.errors.at(closure.params_loc, message));
        };
        let hints: Vec<String> = match pattern {
            Pattern::Tuple(_, parts) => {
                let names = parts.iter().zip(INDICES);
                names
                    .map(|(p, i)| hint(p).unwrap_or_else(|| i.to_string()))
                    .collect()
            }
            Pattern::Name(_) if extents.len() > 1 => vec![],
            Pattern::Name(_)
            | Pattern::Wild
            | Pattern::List(..)
            | Pattern::Struct(..)
            | Pattern::Hole(..) => hint(pattern).into_iter().collect(),
        };
        let mut axes: Axes = vec![];
        let mut indices = vec![];
        for (k, extent) in extents.into_iter().enumerate() {
            let sym = self.fresh.sym(
                hints
                    .get(k)
                    .map_or(INDICES[k % INDICES.len()], String::as_str),
            );
            let var = Expr::var(&sym, Ty::scalar(Elem::Int));
            indices.push(Value::Plain(Plain::typed(var, Scalar::Usize)));
            self.extents.insert(sym.clone(), extent.clone());
            axes.push((sym, extent));
        }
        let index = match indices.len() {
            1 => indices.swap_remove(0),
            _ => Value::Tuple(indices),
        };
        let depth = self.loops.len();
        self.loops.extend(axes.iter().map(|(sym, _)| sym.clone()));
        let outer = std::mem::replace(&mut self.env, env);
        let loc = closure.body.loc;
        let result = self.frame(|l| {
            let index = l.annotated(index, note, closure.params_loc);
            l.bind(pattern, index);
            let value = l.expr(&closure.body)?;
            let value = l.annotated(value, &closure.result, loc)?;
            then(l, value, loc)
        });
        self.env = outer;
        self.loops.truncate(depth);
        let (bound, result) = result?;
        Ok((axes, bound, result))
    }

    /// A body that has to be a scalar.
    pub(super) fn scalar_body(
        &mut self,
        combinator: Combinator,
        plain: Plain,
        loc: Loc,
    ) -> Result<Plain> {
        if plain.expr.ty.rank == 0 {
            return Ok(plain);
        }
        let message = format!(
            "`{0}` is of scalars, and this is {1}; write `build(m, |j| {0}(n, |i| ..))` with a scalar \
             inside",
            combinator.name(),
            plain.describe()
        );
        Err(self.errors.at(loc, message))
    }
}

fn hint(pattern: &Pattern) -> Option<String> {
    match pattern {
        Pattern::Name(ident) => Some(ident.to_string()),
        Pattern::Wild
        | Pattern::Tuple(..)
        | Pattern::List(..)
        | Pattern::Struct(..)
        | Pattern::Hole(..) => None,
    }
}
