//! What a function is given: its parameters and the user's constants, and the checks of lengths on
//! entry.

use super::{Function, Local};
use crate::back::data::{Given, same_pattern};
use crate::back::emit::said;
use crate::back::sizes::{self, Named};
use crate::back::tokens::{RUNTIME, USERS_RUNTIME};
use crate::derivative::{Derivative, Takes};
use crate::front::infer::ConstUse;
use crate::front::real::RealType;
use crate::front::types::{Scalar, Written};
use crate::ir::bulk::{Relation, Require, Var};
use crate::ir::ty::{Atom, Elem, Size};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::HashSet;

impl Function<'_> {
    /// Says how a parameter will be at hand.
    pub(super) fn declare(&self, k: usize) {
        let Given {
            tokens,
            written,
            constant,
            slot,
            ..
        } = &self.params[k];
        let local = match written {
            Some(w) => Local {
                ident: tokens.clone(),
                // Residuals are as they were computed.
                scalar: given_scalar(w, *slot),
                bare: w.is_scalar(),
                is_view: true,
                small: None,
                is_typed: true,
            },
            None => {
                let Some(c) = constant.map(|k| &self.context.consts[k]) else {
                    unreachable!("what has no type is a constant")
                };
                let ident = match self.dispatched {
                    true => self.name_of_constant(&c.path),
                    false => self.value_of_constant(c, tokens),
                };
                Local {
                    ident,
                    scalar: None,
                    bare: true,
                    is_view: true,
                    small: None,
                    is_typed: true,
                }
            }
        };
        self.locals.borrow_mut().insert(Var(k as u32), local);
    }

    /// A constant of the user's, as the program sees it.
    pub(super) fn value_of_constant(&self, c: &ConstUse, path: &TokenStream) -> TokenStream {
        match (c.elem, c.open) {
            (Elem::Int, _) => self.constant(path, "i64"),
            (Elem::Real, open) => self.real_constant(path, open),
            (Elem::Bool, _) => path.clone(),
        }
    }

    /// A constant as another type.
    fn constant(&self, path: &TokenStream, ty: &str) -> TokenStream {
        let ty = Ident::new(ty, Span::mixed_site());
        quote!((#path as #ty))
    }

    /// A real constant of the user's. What it is declared as cannot be seen, so in a function of
    /// another real type than `f64` it is cast, too.
    fn real_constant(&self, path: &TokenStream, open: bool) -> TokenStream {
        let real = &self.context.signature.real;
        match real {
            RealType::F64 if !open => path.clone(),
            RealType::F64 | RealType::Mixed | RealType::F32 => quote!((#path as #real)),
            RealType::Parameter(_) if is_associated(path, real) => path.clone(),
            RealType::Parameter(_) => quote!(rt::real::<#real>(#path as f64)),
        }
    }

    /// The statements that bring a parameter to hand, if it is used.
    pub(super) fn input(&self, k: usize, used: &HashSet<String>) -> TokenStream {
        let given = &self.params[k];
        let Some(w) = &given.written else {
            return TokenStream::new();
        };
        if let Some(parts) = &self.parts {
            return parts.brought(k, given);
        }
        let ident = &given.tokens;
        if used.contains(&ident.to_string()) {
            if let Some(slot) = given.slot {
                return self.residual(given, slot, w);
            }
            if w.is_opaque() {
                return self.handles(k, given, w);
            }
            return self.brought(given, w);
        }
        match given.is_part {
            true => TokenStream::new(),
            false => quote!(let _ = #ident;),
        }
    }

    /// What the checks call the parameters.
    fn named(&self) -> Vec<Named> {
        (self.params.iter())
            .map(|p| Named {
                name: (p.said)
                    .replace(USERS_RUNTIME, RUNTIME)
                    .replace(" :: ", "::"),
                rank: p.written.as_ref().map_or(0, |w| w.rank),
            })
            .collect()
    }

    /// Checks that rows, entries and variants of tangents are those that they belong to.
    pub(super) fn patterns_of_tangents(&self) -> TokenStream {
        // The methods of a linearised function have the tangents alone.
        let Takes::Each(_) = self.what.takes() else {
            return TokenStream::new();
        };
        if self.is_of_linear() {
            return TokenStream::new();
        }
        let tangents = self.context.extra_params(self.what);
        let pairs = tangents.iter().zip(self.context.wrt);
        let checks = pairs.map(|((tangent, _), &k)| {
            let arg = &self.context.signature.args[k];
            self.with_names(|names| same_pattern((&arg.ident, &arg.ty), (tangent, &arg.ty), names))
        });
        checks.collect()
    }

    /// Checks that the rows of a cotangent are as long as those of a value at hand.
    pub(super) fn pattern_of_cotangent(&self, value: &Ident) -> TokenStream {
        let signature = self.context.signature;
        if self.what != Derivative::Vjp || !signature.result.tree.has_rows() {
            return TokenStream::new();
        }
        let extra = self.context.extra_params(self.what);
        let Some((cotangent, _)) = extra.first() else {
            return TokenStream::new();
        };
        let (_, given) = self.context.cotangent();
        self.with_names(|names| {
            same_pattern((value, &signature.result), (cotangent, &given), names)
        })
    }

    /// The relations between sizes that are checked on entry.
    pub(super) fn checks(&self) -> TokenStream {
        let function = said(self.context.signature, self.what);
        let named = self.named();
        let mut out = TokenStream::new();
        let mut all = self.program.requires.clone();
        // Cotangents and tangents have the shape of what they belong to.
        for (k, p) in self.program.params.iter().enumerate() {
            // Residuals have the lengths that they were kept with.
            if self.params[k].slot.is_some() {
                continue;
            }
            for (axis, n) in p.ty.shape.iter().enumerate() {
                let mut computed = false;
                n.visit(&mut |a| computed |= matches!(a, Atom::Value(_)));
                let here = Size::dim(k, axis);
                let by_type = |w: &Written| w.fixed_length(axis).is_some();
                // A length that is a number where it matters need not be one elsewhere.
                let is_demanded = |r: &Require| {
                    r.relation == Relation::Equal
                        && [(&r.left, &r.right), (&r.right, &r.left)].contains(&(&here, n))
                };
                // The arrays of a list are made of the same elements.
                if axis == 0 && self.params[k].is_beside {
                    continue;
                }
                let computed = computed || self.program.requires.iter().any(is_demanded);
                if *n != here && !computed && !self.params[k].written.as_ref().is_some_and(by_type)
                {
                    let require = Require::of(vec![], &here.sub(n), Relation::Equal);
                    all.extend(require.cases());
                }
            }
        }
        for r in &sizes::distinct(&all) {
            out.extend(sizes::check(&function, r, &named, &|a| self.leaf(a)));
        }
        out
    }
}

fn given_scalar(w: &Written, slot: Option<super::Slot>) -> Option<Scalar> {
    match slot {
        _ if w.is_single() => Some(Scalar::Real),
        Some(_) => None,
        None => Some(w.scalar),
    }
}

/// Whether a constant is one of the type parameter itself, as `T::EPSILON`.
fn is_associated(path: &TokenStream, real: &RealType) -> bool {
    let first = path.clone().into_iter().next();
    first.is_some_and(|t| t.to_string() == real.name())
}
