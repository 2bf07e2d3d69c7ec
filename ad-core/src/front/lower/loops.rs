//! `for` and `while`, in terms of what Core has: the variables that they change are what a sequential
//! loop carries.

use super::mention::is_indexed;
use super::sequence::{Head, Round};
use super::value::Value;
use super::{Binding, Changed, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::surface::{Expr as Surface, For, Pattern, While};
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// A variable that a loop changes.
struct Carried {
    cell: u32,
    name: String,
    value: Value,
}

impl Lowerer<'_> {
    pub(super) fn for_loop(&mut self, l: &For) {
        let items = match self.items(&l.over) {
            Ok(items) => items,
            Err(reported) => {
                // The body is looked at all the same, and what it changes is as wrong.
                let (_, changed, _) = self.open(|lower| {
                    lower.bind(&l.pattern, Err(reported));
                    lower.expr(&l.body)
                });
                for one in changed {
                    let binding = Binding::Hole(reported);
                    self.change(Changed { binding, ..one });
                }
                return;
            }
        };
        let count = self.share_size(items.count);
        let hint = match &l.pattern {
            Pattern::Name(ident) => ident.to_string(),
            Pattern::Wild
            | Pattern::Tuple(..)
            | Pattern::List(..)
            | Pattern::Struct(..)
            | Pattern::Hole(..) => "i".to_string(),
        };
        let head = match l.going {
            None => Head::Times {
                count: count.clone(),
                signed: items.signed,
            },
            Some(_) => Head::While,
        };
        let carried = self.carried(&l.assigned, &l.body, l.loc);
        let at = items.at;
        self.statement_loop(head, carried, &hint, l.loc, |lower, index| {
            let going = l.going.as_ref().map(|flag| {
                let flag = lower.region(l.loc, "a condition", |l2| l2.expr(flag))?;
                let flag = lower.of(Elem::Bool, flag.into(), l.loc, "a condition")?;
                let more = Expr::prim(Prim::ILt, vec![index.clone(), count.clone()]);
                Ok(super::assign::both(flag, more))
            });
            lower.bind(&l.pattern, Ok(at(index)));
            let _ = lower.expr(&l.body);
            going.transpose()
        });
    }

    pub(super) fn while_loop(&mut self, l: &While) {
        let carried = self.carried(&l.assigned, &l.body, l.loc);
        self.statement_loop(Head::While, carried, "step", l.loc, |lower, _| {
            let cond = lower.region(l.cond.loc, "a condition", |l2| l2.expr(&l.cond));
            let cond = cond.and_then(|p| lower.of(Elem::Bool, p.into(), l.cond.loc, "a condition"));
            let _ = lower.expr(&l.body);
            cond.map(Some)
        });
    }

    /// The present values of the variables that a loop changes.
    fn carried(&mut self, assigned: &[syn::Ident], body: &Surface, loc: Loc) -> Vec<Carried> {
        let mut carried: Vec<Carried> = vec![];
        for ident in assigned {
            let name = ident.to_string();
            let Some(entry) = self.env.entry(&name) else {
                continue;
            };
            let value = match &entry.binding {
                Binding::Value(value) if entry.cell >= self.wall && value.is_data() => {
                    value.clone()
                }
                Binding::Value(_) | Binding::Import(_) | Binding::Unset | Binding::Hole(_) => {
                    continue;
                }
            };
            let cell = entry.cell;
            // What is changed by an index is one array all the way.
            let value = match is_indexed(body, &name) {
                true => match self.whole(&value, loc) {
                    Ok(whole) => self.named(whole, &name),
                    Err(_) => value,
                },
                false => value,
            };
            carried.push(Carried { cell, name, value });
        }
        carried
    }

    /// A loop whose body is statements; it gives the condition, if there is one.
    fn statement_loop(
        &mut self,
        head: Head,
        carried: Vec<Carried>,
        hint: &str,
        loc: Loc,
        body: impl FnOnce(&mut Self, Expr) -> Result<Option<Expr>>,
    ) {
        let inits = carried
            .iter()
            .map(|c| (c.name.clone(), c.value.clone()))
            .collect();
        let mut holes: Vec<Changed> = vec![];
        let result = self.sequence(head, inits, hint, loc, |l, states, index| {
            let (bound, changed, cond) = l.open(|l| {
                for (c, state) in carried.iter().zip(&states) {
                    l.change(Changed {
                        cell: c.cell,
                        name: c.name.clone(),
                        binding: Binding::Value(state.clone()),
                    });
                }
                body(l, index)
            });
            let mut next = vec![];
            for (c, state) in carried.iter().zip(states) {
                let now = changed.iter().find(|one| one.cell == c.cell);
                next.push(match now.map(|one| &one.binding) {
                    Some(Binding::Value(value)) => value.clone(),
                    Some(Binding::Hole(_)) => {
                        holes.extend(now.cloned());
                        state
                    }
                    Some(Binding::Unset | Binding::Import(_)) | None => state,
                });
            }
            let cond = cond?;
            Ok(Round {
                bound,
                cond,
                next,
                stacked: vec![],
            })
        });
        match result {
            Ok((last, _)) => {
                for (c, value) in carried.into_iter().zip(last) {
                    self.change(Changed {
                        cell: c.cell,
                        name: c.name,
                        binding: Binding::Value(value),
                    });
                }
            }
            Err(reported) => {
                for c in carried {
                    self.change(Changed {
                        cell: c.cell,
                        name: c.name,
                        binding: Binding::Hole(reported),
                    });
                }
            }
        }
        for hole in holes {
            self.change(hole);
        }
    }
}
