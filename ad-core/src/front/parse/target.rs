//! What assignments change: variables, and parts of them.

use super::{Parser, outside};
use crate::front::error::{Loc, Result};
use crate::front::names::segments;
use crate::front::surface::{Assign, Cut, Expr, How, Kind, Place, Step, Stmt, Target};

impl Parser<'_> {
    /// What stands before the `=`.
    pub(super) fn target(&mut self, e: &syn::Expr) -> Result<Target> {
        match e {
            syn::Expr::Paren(inner) => self.target(&inner.expr),
            syn::Expr::Infer(_) => Ok(Target::Wild),
            syn::Expr::Tuple(tuple) => {
                let parts: Vec<Result<Target>> =
                    tuple.elems.iter().map(|e| self.target(e)).collect();
                let parts: Result<Vec<Target>> = parts.into_iter().collect();
                Ok(Target::Tuple(Loc::of_expr(e), parts?))
            }
            _ => Ok(Target::Place(self.place(e)?)),
        }
    }

    /// A variable, or a part of it.
    fn place(&mut self, e: &syn::Expr) -> Result<Place> {
        let mut place = self.place_inside(e)?;
        place.loc = Loc::of_expr(e);
        Ok(place)
    }

    fn place_inside(&mut self, e: &syn::Expr) -> Result<Place> {
        let loc = Loc::of_expr(e);
        match e {
            syn::Expr::Paren(inner) => self.place_inside(&inner.expr),
            syn::Expr::Group(inner) => self.place_inside(&inner.expr),
            syn::Expr::Path(path) if path.path.get_ident().is_some() => {
                let root = path.path.get_ident().cloned();
                let root = root.unwrap_or_else(|| syn::Ident::new("x", loc.start));
                self.changes(&root);
                Ok(Place {
                    loc,
                    root,
                    steps: vec![],
                })
            }
            syn::Expr::Field(field) => {
                let mut place = self.place_inside(&field.base)?;
                let step = Step::Field(loc, super::expr::member(&field.member));
                place.steps.push(step);
                Ok(place)
            }
            syn::Expr::Index(index) => {
                let mut inside = &*index.index;
                while let syn::Expr::Paren(inner) = inside {
                    inside = &inner.expr;
                }
                let at = match inside {
                    syn::Expr::Array(list) => list.elems.iter().map(|e| self.expr(e)).collect(),
                    syn::Expr::Tuple(list) => list.elems.iter().map(|e| self.expr(e)).collect(),
                    single => vec![self.expr(single)],
                };
                let mut place = self.place_inside(&index.expr)?;
                place.steps.push(Step::At(loc, at));
                Ok(place)
            }
            syn::Expr::MethodCall(call) => self.part_method(loc, call),
            syn::Expr::Unary(_) | syn::Expr::Reference(_) => {
                let known = self.derefs_wrong(e);
                Err(known.unwrap_or_else(|| self.errors.at(loc, outside::BORROW)))
            }
            _ => Err(self.errors.at(
                loc,
                "only variables, their fields and their elements can be assigned to here; write \
                 `x = ..`, `x.0 = ..`, `x[i] = ..` or `a.row_mut(i).assign(&..)`",
            )),
        }
    }

    /// `a.row_mut(i)` and its like.
    fn part_method(&mut self, loc: Loc, call: &syn::ExprMethodCall) -> Result<Place> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let step = match (call.method.to_string().as_str(), &args[..]) {
            ("view_mut" | "by_ref" | "as_mut", []) => None,
            ("row_mut", [i]) => Some(Step::Axis(loc, 0, Some(2), self.expr(i))),
            ("column_mut", [i]) => Some(Step::Axis(loc, 1, Some(2), self.expr(i))),
            ("index_axis_mut", [axis, i]) => match axis_number(axis) {
                Some(axis) => Some(Step::Axis(loc, axis, None, self.expr(i))),
                None => {
                    return Err(self.errors.on(
                        axis,
                        "which axis is meant must be known when the derivative is compiled; write \
                         `Axis(0)` with a literal",
                    ));
                }
            },
            ("slice_mut", [syn::Expr::Macro(m)]) if m.mac.path.is_ident("s") => {
                Some(Step::Slice(loc, self.cuts(&m.mac)?))
            }
            (name, _) => {
                let message = format!(
                    "what `{name}` gives cannot be assigned to here; write `x[i] = ..`, \
                     `a.row_mut(i).assign(&..)` or `x.slice_mut(s![..]).assign(&..)`"
                );
                return Err(self.errors.at(loc, message));
            }
        };
        let mut place = self.place_inside(&call.receiver)?;
        place.steps.extend(step);
        Ok(place)
    }

    /// The arguments of `s![..]`
    fn cuts(&mut self, mac: &syn::Macro) -> Result<Vec<Cut>> {
        type List = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;
        let list = match mac.parse_body_with(List::parse_terminated) {
            Ok(list) => list,
            Err(_) => {
                return Err(self.errors.on(
                    mac,
                    "slices that are assigned to have no steps; write ranges such as `s![1..n, ..]`",
                ));
            }
        };
        let mut cuts = vec![];
        for e in &list {
            cuts.push(match e {
                syn::Expr::Range(range) => {
                    let from = range.start.as_ref().map(|e| self.expr(e));
                    let to = range.end.as_ref().map(|e| self.expr(e));
                    let to = match range.limits {
                        syn::RangeLimits::HalfOpen(_) => to,
                        syn::RangeLimits::Closed(_) => to.map(after),
                    };
                    Cut::Range(from, to)
                }
                single => Cut::One(self.expr(single)),
            });
        }
        Ok(cuts)
    }

    /// Methods that change what they are called on.
    pub(super) fn changing_method(&mut self, loc: Loc, call: &syn::ExprMethodCall) -> Option<Stmt> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let (how, value) = match (call.method.to_string().as_str(), &args[..]) {
            ("assign", [value]) => (How::Copy, self.expr(value)),
            ("fill", [value]) => (How::Fill, self.expr(value)),
            ("mapv_inplace", [f]) if is_plain(&call.receiver) => {
                let mapv = syn::Ident::new("mapv", call.method.span());
                let old = Box::new(self.expr(&call.receiver));
                let kind = Kind::Method(old, mapv, vec![self.expr(f)]);
                (How::Copy, Expr { loc, kind })
            }
            ("scaled_add", [by, value]) => {
                let kind = Kind::Binary(
                    crate::front::surface::Binary::Mul,
                    Box::new(self.expr(by)),
                    Box::new(self.expr(value)),
                );
                (
                    How::By(crate::front::surface::Binary::Add),
                    Expr { loc, kind },
                )
            }
            ("swap", [i, j]) => {
                let at = [self.expr(i), self.expr(j)];
                let [i, j] = at;
                return Some(match self.place(&call.receiver) {
                    Ok(place) => Stmt::Swap(Box::new((place, i, j))),
                    Err(reported) => Stmt::Hole(reported, vec![]),
                });
            }
            (
                "push" | "extend" | "insert" | "append" | "pop" | "truncate" | "resize" | "clear",
                _,
            ) => {
                if let Some(reported) = self.changes_wrong(&call.receiver) {
                    return Some(Stmt::Hole(reported, vec![]));
                }
                let message = format!(
                    "`{}` changes the length of an array, and lengths are fixed here; write `let mut \
                     x = Array1::zeros(n);` and `x[i] = ..`, or `build(n, |i| ..)`",
                    call.method
                );
                return Some(Stmt::Hole(self.errors.on(&call.method, message), vec![]));
            }
            _ => return None,
        };
        Some(match self.place(&call.receiver) {
            Ok(place) => Stmt::Assign(Box::new(Assign {
                loc,
                target: Target::Place(place),
                how,
                value,
            })),
            Err(reported) => Stmt::Hole(reported, vec![]),
        })
    }
}

/// Whether it is a variable, or a field or an element of one.
fn is_plain(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(field) => is_plain(&field.base),
        syn::Expr::Index(index) => is_plain(&index.expr),
        _ => false,
    }
}

/// `e + 1`
pub(super) fn after(e: Expr) -> Expr {
    let loc = e.loc;
    let one = Expr {
        loc,
        kind: Kind::Int(1, None),
    };
    Expr {
        loc,
        kind: Kind::Binary(
            crate::front::surface::Binary::Add,
            Box::new(e),
            Box::new(one),
        ),
    }
}

/// `Axis(k)`
pub(super) fn axis_number(e: &syn::Expr) -> Option<usize> {
    let syn::Expr::Call(call) = e else {
        return None;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let is_axis = segments(&path.path).last().is_some_and(|n| n == "Axis");
    match call.args.first() {
        Some(syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(k),
            ..
        })) if is_axis => k.base10_parse().ok(),
        _ => None,
    }
}
