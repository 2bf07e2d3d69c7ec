//! Enums: a value is the number of its variant, and the fields of all variants. What the other
//! variants hold is a placeholder that is never read:
//!
//! ```text
//! Activation::Elu { alpha }   is   (1, .., alpha, ..)
//! match a { Elu { alpha } => e, .. }   is   if variant(a) == 1 { e } else { .. }
//! ```

use super::Lowerer;
use super::size::literal;
use super::value::{Plain, Value};
use crate::front::data::{Made, Tree};
use crate::front::error::{Loc, Result};
use crate::front::structs::{Struct, Variant};
use crate::front::surface::{Binary, Expr as Surface, Test};
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use std::rc::Rc;
use syn::ext::IdentExt;

/// The path of an enum before that of a variant, if a path can be one: `Kind::Relu`.
pub(super) fn enum_of(path: &syn::Path) -> Option<syn::Path> {
    let mut path = path.clone();
    path.segments.pop();
    // The separator behind the last segment.
    path.segments.pop_punct();
    let name = path.segments.last()?.ident.unraw().to_string();
    name.starts_with(char::is_uppercase).then_some(path)
}

/// Two enums, of which one is known to be of a variant: what stands for the fields that it does not
/// have is as in the other one.
pub(super) fn aligned(a: &Value, b: &Value) -> Option<(Value, Value)> {
    let (Value::Struct(made, left), Value::Struct(_, right)) = (a, b) else {
        return None;
    };
    let variants = made.of.as_ref()?.variants()?;
    let known = |parts: &[Value]| {
        let Value::Plain(variant) = parts.first()? else {
            return None;
        };
        let number = literal(&variant.expr)?;
        variants.get(usize::try_from(number).ok()?)
    };
    let has = |variant: Option<&Variant>, k: usize| {
        variant.is_none_or(|v| (v.first..v.first + v.fields.len()).contains(&k))
    };
    let (of_left, of_right) = (known(left), known(right));
    let (mut one, mut two) = (left.clone(), right.clone());
    for k in 1..left.len() {
        match (has(of_left, k), has(of_right, k)) {
            (true, false) => two[k] = left[k].clone(),
            (false, true) => one[k] = right[k].clone(),
            (true, true) | (false, false) => {}
        }
    }
    Some((a.with_components(one), b.with_components(two)))
}

impl Lowerer<'_> {
    /// Whether an enum is known, and has the variant that a path ends with.
    pub(super) fn has_variant(&self, owner: &syn::Path, path: &syn::Path) -> bool {
        let home = self.env.home.clone();
        let of = self.known_from(home.as_deref()).structs.get(owner);
        let of = of.and_then(Option::as_ref).and_then(|of| of.variants());
        let last = path.segments.last().map(|s| s.ident.unraw().to_string());
        of.is_some_and(|all| all.iter().any(|v| Some(&v.name) == last.as_ref()))
    }

    /// The variant that a path names, with its number.
    fn variant(&mut self, of: &Struct, path: &syn::Path) -> Result<(usize, Variant)> {
        let name = path.segments.last().map(|s| s.ident.unraw().to_string());
        let name = name.unwrap_or_default();
        let variants = of.variants().unwrap_or_default().into_iter().enumerate();
        let mut named = variants.filter(|(_, v)| v.name == name);
        named.next().ok_or_else(|| {
            let message = format!("`{}` has no variant `{name}`", of.name);
            self.errors.at(Loc::of(path), message)
        })
    }

    /// `Kind::Relu`, `Kind::Leaky(0.1)`, `Kind::Elu { alpha: 1.0 }`
    pub(super) fn variant_value(
        &mut self,
        path: &syn::Path,
        owner: &syn::Path,
        fields: &[(String, Surface)],
        loc: Loc,
    ) -> Result<Value> {
        let values = fields.iter().map(|(name, e)| Ok((name, self.expr(e)?)));
        let values: Vec<Result<(&String, Value)>> = values.collect();
        let of = self.struct_of(owner)?;
        let values = values.into_iter().collect::<Result<Vec<_>>>()?;
        if !of.is_enum() {
            let (name, last) = (&of.name, path.segments.last().map(|s| &s.ident));
            let last = last.map_or(String::new(), ToString::to_string);
            let message = format!("`{name}` is a struct, and has no variant `{last}`");
            return Err(self.errors.at(loc, message));
        }
        let (number, variant) = self.variant(&of, path)?;
        let trees: Vec<Tree> = of.parts(owner, &mut self.errors)?;
        let mut parts: Vec<Value> = trees.iter().map(|tree| self.absent_of(tree)).collect();
        parts[0] = Value::Plain(Plain::new(Expr::int(number as i64)));
        for (k, field) in variant.fields.iter().enumerate() {
            let Some((_, value)) = values.iter().find(|(name, _)| *name == field) else {
                let message = format!("the field `{field}` of `{}` is missing", variant.name);
                return Err(self.errors.at(loc, message));
            };
            parts[variant.first + k] = value.clone();
        }
        let ty = Rc::new(syn::parse_quote!(#owner));
        Ok(Value::Struct(Made { ty, of: Some(of) }, parts))
    }

    /// Whether a value is of a variant, and matches the patterns of its fields. Those of a struct
    /// are all there is to match.
    pub(super) fn test_fields(
        &mut self,
        on: &Value,
        path: &syn::Path,
        fields: &[(String, Test)],
        loc: Loc,
    ) -> Result<Option<Expr>> {
        let Value::Struct(Made { of: Some(of), .. }, parts) = on else {
            let message = format!(
                "this pattern is that of a struct or an enum, but the value is {}",
                on.describe()
            );
            return Err(self.errors.at(loc, message));
        };
        let mut all = None;
        let mut first = 0;
        let mut names = of.fields();
        if of.is_enum() {
            let (number, variant) = self.variant(of, path)?;
            all = Some(self.is_variant(&parts[0], number, loc)?);
            (first, names) = (variant.first, variant.fields);
        }
        for (name, test) in fields {
            let Some(k) = names.iter().position(|n| n == name) else {
                let message = format!("there is no field `{name}` in {}", on.describe());
                return Err(self.errors.at(loc, message));
            };
            let one = self.test(&parts[first + k], test)?;
            all = super::branch::both(all, one);
        }
        Ok(all)
    }

    fn is_variant(&mut self, variant: &Value, number: usize, loc: Loc) -> Result<Expr> {
        let variant = self.plain(variant.clone(), loc)?.expr;
        let number = Expr::int(number as i64);
        Ok(Expr::prim(Prim::IEq, vec![variant, number]))
    }

    /// `kind == Kind::Relu`, of enums without fields.
    pub(super) fn compared_variants(
        &mut self,
        op: Binary,
        (a, b): (&Value, &Value),
        loc: Loc,
    ) -> Option<Result<Value>> {
        let (Value::Struct(made, left), Value::Struct(_, right)) = (a, b) else {
            return None;
        };
        let of = made.of.as_ref().filter(|of| of.is_enum())?;
        let prims = [(Binary::Eq, Prim::IEq), (Binary::Ne, Prim::INe)];
        let (_, prim) = prims.into_iter().find(|(of, _)| *of == op)?;
        if left.len() > 1 {
            let message = format!(
                "`{}` of {}, which has variants with fields, is not followed; write `matches!(x, {}::..)`",
                op.symbol(),
                a.describe(),
                of.name
            );
            return Some(Err(self.errors.at(loc, message)));
        }
        let mut variant = |parts: &[Value]| self.plain(parts[0].clone(), loc);
        Some(match (variant(left), variant(right)) {
            (Ok(a), Ok(b)) => Ok(Expr::prim(prim, vec![a.expr, b.expr]).into()),
            (Err(reported), _) | (_, Err(reported)) => Err(reported),
        })
    }
}
