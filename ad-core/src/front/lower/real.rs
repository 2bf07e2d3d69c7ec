//! What the real type of a function says in paths: `T::of(2.0)`, `T::from_usize(i)`, `f32::exp(x)`.

use super::Lowerer;
use super::precision;
use super::scalar::Args;
use super::value::Value;
use crate::front::error::Result;
use crate::front::names;
use crate::front::real::RealType;
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// The functions that make a number, with how many values they take.
const CONSTRUCTORS: &[(&str, usize)] = &[
    ("of", 1),
    ("from_usize", 1),
    ("zero", 0),
    ("one", 0),
    ("default", 0),
];

impl Lowerer<'_> {
    /// The scalar type that a path begins with. What a generic function computes of constants in
    /// `f64` can only become one of its own numbers by a conversion, so that rustc sees to the
    /// types.
    pub(super) fn reads(&self, name: &str) -> Option<Scalar> {
        let real = &self.errors.real;
        let is_generic = matches!(real, RealType::Parameter(_));
        match name {
            "Real" => Some(Scalar::Real),
            "f64" if is_generic => Some(Scalar::Real),
            _ => real.scalar(name),
        }
    }

    /// A number as `f32` or `f64`, where there are both.
    pub(super) fn of_precision(&self, e: Expr, to: Scalar) -> Expr {
        match (to, &self.errors.real) {
            (Scalar::Single, _) => precision::single(e),
            (Scalar::Real, RealType::Mixed) => precision::double(e),
            (_, RealType::F64 | RealType::F32 | RealType::Mixed | RealType::Parameter(_)) => e,
        }
    }

    /// The function of that name that makes a number of the real type.
    pub(super) fn constructor(&self, ty: &str, name: &str) -> Option<&'static str> {
        let (name, _) = names::find(CONSTRUCTORS, name)?;
        (ty == "Real" || ty == self.errors.real.name()).then_some(name)
    }

    pub(super) fn real_constructor(
        &mut self,
        name: &str,
        ident: &syn::Ident,
        args: Args,
    ) -> Result<Value> {
        let arity = names::find(CONSTRUCTORS, name).map_or(0, |(_, arity)| arity);
        self.arity(ident, arity, args.len())?;
        let role = format!("an argument of `{name}`");
        let argument = args.into_iter().next();
        Ok(match (name, argument) {
            ("of", Some((value, loc))) => self.of(Elem::Real, value, loc, &role)?.into(),
            (_, Some((value, loc))) => {
                let int = self.of(Elem::Int, value, loc, &role)?;
                Expr::prim(Prim::IntToReal, vec![int]).into()
            }
            ("one", None) => Expr::real(1.0).into(),
            (_, None) => Expr::real(0.0).into(),
        })
    }
}
