//! What assignments change: variables, and parts of them.

use super::{Parser, outside};
use crate::front::error::{Loc, Result};
use crate::front::names::segments;
use crate::front::surface::{Assign, Expr, How, Kind, Place, Step, Stmt, Swap, Target};

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
    pub(super) fn place(&mut self, e: &syn::Expr) -> Result<Place> {
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
                    deref: false,
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
            syn::Expr::Reference(r) if is_place(&r.expr) => self.place_inside(&r.expr),
            syn::Expr::Unary(unary)
                if matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr) =>
            {
                if let Some(known) = self.derefs_wrong(e) {
                    return Err(known);
                }
                let mut place = self.place_inside(&unary.expr)?;
                let is_written = self.written.contains(&place.root.to_string());
                place.deref |= place.steps.is_empty() && !is_written;
                Ok(place)
            }
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
        let name = call.method.to_string();
        let step = match name.as_str() {
            "by_ref" | "as_mut" if call.args.is_empty() => None,
            // What is there is taken for granted.
            "unwrap" | "expect" => None,
            _ if borrows(&call.method) => {
                let args = self.all(&call.args);
                Some(Step::Method(loc, call.method.clone(), args))
            }
            name => {
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

    /// What a method that changes nothing makes of what one that changes it is called on.
    fn changed_by(
        &mut self,
        loc: Loc,
        call: &syn::ExprMethodCall,
        method: &str,
        args: Vec<Expr>,
    ) -> Expr {
        let method = syn::Ident::new(method, call.method.span());
        let old = Box::new(self.expr(&call.receiver));
        let kind = Kind::Method(old, method, args);
        Expr { loc, kind }
    }

    /// `general_mat_mul(alpha, &a, &b, beta, &mut c)` is `c = alpha a b + beta c`; a literal 0 for
    /// `beta` drops what was there.
    pub(super) fn general_product(&mut self, loc: Loc, call: &syn::ExprCall) -> Option<Stmt> {
        let syn::Expr::Path(path) = &*call.func else {
            return None;
        };
        let name = segments(&path.path).pop()?;
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let ("general_mat_mul" | "general_mat_vec_mul", [alpha, a, b, beta, c]) =
            (name.as_str(), &args[..])
        else {
            return None;
        };
        let c = match c {
            syn::Expr::Reference(r) => &*r.expr,
            c => c,
        };
        let zero = matches!(beta, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(x), .. })
            if x.base10_parse::<f64>().is_ok_and(|x| x == 0.0));
        let value: syn::Expr = match zero {
            true => syn::parse_quote!((#a).dot(#b) * #alpha),
            false => syn::parse_quote!((#a).dot(#b) * #alpha + &(#c) * #beta),
        };
        let value = self.expr(&value);
        Some(match self.place(c) {
            Ok(place) => Stmt::Assign(Box::new(Assign {
                loc,
                target: Target::Place(place),
                how: How::Copy,
                value,
            })),
            Err(reported) => Stmt::Hole(reported, vec![]),
        })
    }

    /// Methods that change what they are called on.
    pub(super) fn changing_method(&mut self, loc: Loc, call: &syn::ExprMethodCall) -> Option<Stmt> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let (how, value) = match (call.method.to_string().as_str(), &args[..]) {
            ("assign", [value]) => (How::Copy, self.expr(value)),
            ("fill", [value]) => (How::Fill, self.expr(value)),
            ("mapv_inplace" | "par_mapv_inplace", [f]) => {
                let f = self.expr(f);
                (How::Copy, self.changed_by(loc, call, "mapv", vec![f]))
            }
            ("copy_from_slice" | "clone_from_slice" | "clone_from", [value]) => {
                (How::Copy, self.expr(value))
            }
            ("reverse", []) => {
                let all = crate::front::surface::Slice::Range {
                    from: None,
                    to: None,
                    closed: false,
                    step: Some(Box::new(Expr {
                        loc,
                        kind: Kind::Int(-1, None),
                    })),
                };
                let backwards = Expr {
                    loc,
                    kind: Kind::Slices(vec![all]),
                };
                (
                    How::Copy,
                    self.changed_by(loc, call, "slice", vec![backwards]),
                )
            }
            (
                "sort_by"
                | "sort_unstable_by"
                | "sort_by_key"
                | "sort_unstable_by_key"
                | "sort_by_cached_key",
                [order],
            ) => {
                if let Some(each) = super::rewritten::sorted_part(call, order) {
                    return Some(self.statement(&each));
                }
                let sorted = super::rewritten::sorted(&call.receiver, &call.method, order)?;
                (How::Elements, self.expr(&sorted))
            }
            ("sort" | "sort_unstable", []) => {
                let (key, by_key) = (
                    syn::parse_quote!(|number| number),
                    syn::Ident::new("sort_by_key", call.method.span()),
                );
                let sorted = super::rewritten::sorted(&call.receiver, &by_key, &key)?;
                (How::Elements, self.expr(&sorted))
            }
            ("invert_axis" | "swap_axes", _) => {
                if self.written_through(&call.receiver) == Some(true) {
                    let message = "this turns the view, and the array behind it stays as it is; \
                                   write the view that is meant, as `x.slice_mut(s![..;-1])` or \
                                   `x.view_mut().reversed_axes()`";
                    return Some(Stmt::Hole(self.errors.at(loc, message), vec![]));
                }
                let args = self.all(&call.args);
                (
                    How::Axes,
                    self.changed_by(loc, call, &call.method.to_string(), args),
                )
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
                let rows = super::rewritten::exchanged_rows(&call.receiver, i, j);
                let (i, j) = (self.expr(i), self.expr(j));
                return Some(match self.place(&call.receiver) {
                    Ok(place) => {
                        let rows = self.statement(&rows);
                        Stmt::Swap(Box::new(Swap { place, i, j, rows }))
                    }
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

/// Whether it begins with a variable, so that it can be borrowed.
pub(super) fn is_place(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        syn::Expr::Field(field) => is_place(&field.base),
        syn::Expr::Index(index) => is_place(&index.expr),
        syn::Expr::Paren(inner) => is_place(&inner.expr),
        syn::Expr::Group(inner) => is_place(&inner.expr),
        syn::Expr::Reference(r) => is_place(&r.expr),
        syn::Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr),
        syn::Expr::MethodCall(call) => {
            let taken = matches!(call.method.to_string().as_str(), "unwrap" | "expect")
                && matches!(&*call.receiver, syn::Expr::MethodCall(inner) if borrows(&inner.method));
            (borrows(&call.method) || taken) && is_place(&call.receiver)
        }
        _ => false,
    }
}

/// Whether a method borrows what it is called on to change it.
pub(super) fn borrows(method: &syn::Ident) -> bool {
    let name = method.to_string();
    name.ends_with("_mut") || name == "by_ref" || name == "zip_mut_with"
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
