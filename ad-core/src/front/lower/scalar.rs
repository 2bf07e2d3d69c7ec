//! Methods and functions of scalars.

use super::Lowerer;
use super::value::{Plain, Value};
use crate::front::error::{Loc, Result};
use crate::front::names;
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// The methods of integers that are one primitive.
const INTEGER: &[(&str, Prim)] = &[
    ("pow", Prim::IPow),
    ("min", Prim::IMin),
    ("max", Prim::IMax),
    ("rem_euclid", Prim::IRemEuclid),
    ("abs", Prim::IAbs),
    ("signum", Prim::ISignum),
];

/// Methods of integers that are made of several.
const INTEGER_TOO: &[(&str, usize)] = &[
    ("abs_diff", 2),
    ("clamp", 3),
    ("saturating_sub", 2),
    ("is_multiple_of", 2),
    ("div_ceil", 2),
    ("is_positive", 1),
    ("is_negative", 1),
    ("unsigned_abs", 1),
    ("wrapping_add", 2),
    ("wrapping_sub", 2),
    ("wrapping_mul", 2),
];

/// Methods of real numbers that are made of several, with their arity.
const REAL_TOO: &[(&str, usize)] = &[
    ("clamp", 3),
    ("sin_cos", 1),
    ("to_radians", 1),
    ("to_degrees", 1),
    ("log", 2),
    ("is_nan", 1),
    ("is_finite", 1),
    ("is_infinite", 1),
];

/// The arguments of a function: values and where they stand, the receiver of a method first.
pub(super) type Args = Vec<(Value, Loc)>;

impl Lowerer<'_> {
    /// A method on a scalar.
    pub(super) fn scalar_method(&mut self, name: &syn::Ident, args: Args) -> Result<Value> {
        let method = name.to_string();
        let Some((Value::Plain(receiver), _)) = args.first() else {
            unreachable!("a method has a receiver");
        };
        // The last three are those of an `Array0`.
        let is_same = matches!(
            method.as_str(),
            "clone" | "to_owned" | "sum" | "product" | "into_scalar"
        );
        if is_same && args.len() == 1 {
            return Ok(receiver.clone().into());
        }
        let elem = if receiver.open.is_empty() {
            receiver.elem()
        } else if let Some(open) = open_arguments(&method, &args) {
            return Ok(open.into());
        } else {
            open_receiver(&method, receiver, &args)
        };
        match elem {
            Elem::Real => self.real_function(name, args),
            Elem::Int => self.integer_function(name, args),
            Elem::Bool => Err(self.errors.at(
                name.span(),
                format!(
                    "bools have no method `{method}` here; write `if .. {{ .. }} else {{ .. }}`"
                ),
            )),
        }
    }

    /// A primitive on arguments.
    pub(super) fn primitive(&mut self, prim: Prim, name: &syn::Ident, args: Args) -> Result<Value> {
        let kinds = prim.args(Elem::Real);
        self.arity(name, kinds.len(), args.len())?;
        let mut exprs = vec![];
        for ((value, loc), elem) in args.into_iter().zip(kinds) {
            exprs.push(self.of(elem, value, loc, &format!("an argument of `{name}`")));
        }
        let exprs: Result<Vec<Expr>> = exprs.into_iter().collect();
        Ok(Expr::prim(prim, exprs?).into())
    }

    pub(super) fn arity(&mut self, name: &syn::Ident, takes: usize, given: usize) -> Result<()> {
        if takes == given {
            return Ok(());
        }
        // The receiver of a method is not written between the parentheses, so it is not counted
        // out.
        let message = format!(
            "`{name}` works on {takes} {}, and {given} {} given",
            if takes == 1 { "value" } else { "values" },
            if given == 1 { "is" } else { "are" }
        );
        Err(self.errors.at(name.span(), message))
    }

    pub(super) fn real_function(&mut self, name: &syn::Ident, args: Args) -> Result<Value> {
        let method = name.to_string();
        if let Some((_, prim)) = names::find(names::REAL, &method) {
            return self.primitive(prim, name, args);
        }
        let Some((_, arity)) = names::find(REAL_TOO, &method) else {
            return Err(self.errors.at(name.span(), no_such_method(&method)));
        };
        self.arity(name, arity, args.len())?;
        let mut reals = vec![];
        for (value, loc) in args {
            reals.push(self.of(Elem::Real, value, loc, &format!("an argument of `{name}`"))?);
        }
        let scaled = |x: Expr, by: f64| Expr::prim(Prim::Mul, vec![x, Expr::real(by)]);
        let mut reals = reals.into_iter();
        let x = reals.next().unwrap_or_else(|| Expr::real(0.0));
        let mut more = || reals.next().unwrap_or_else(|| Expr::real(0.0));
        Ok(match method.as_str() {
            "clamp" => {
                let x = self.share("x", x);
                let low = self.share("low", more());
                let high = self.share("high", more());
                clamped(x, low, high).into()
            }
            "sin_cos" => {
                let x = self.share("x", x);
                let sin = Expr::prim(Prim::Sin, vec![x.clone()]);
                let cos = Expr::prim(Prim::Cos, vec![x]);
                Value::Tuple(vec![sin.into(), cos.into()])
            }
            "to_radians" => scaled(x, std::f64::consts::PI / 180.0).into(),
            "to_degrees" => scaled(x, 180.0 / std::f64::consts::PI).into(),
            "log" => {
                let base = Expr::prim(Prim::Ln, vec![more()]);
                let x = Expr::prim(Prim::Ln, vec![x]);
                Expr::prim(Prim::Div, vec![x, base]).into()
            }
            "is_nan" => {
                let x = self.share("x", x);
                Expr::prim(Prim::Ne, vec![x.clone(), x]).into()
            }
            other => {
                let size = Expr::prim(Prim::Abs, vec![x]);
                let prim = if other == "is_finite" {
                    Prim::Lt
                } else {
                    Prim::Eq
                };
                Expr::prim(prim, vec![size, Expr::real(f64::INFINITY)]).into()
            }
        })
    }

    pub(super) fn integer_function(&mut self, name: &syn::Ident, args: Args) -> Result<Value> {
        let method = name.to_string();
        let scalar = args.iter().find_map(|(value, _)| match value {
            Value::Plain(plain) => plain.scalar,
            Value::Tuple(_)
            | Value::List(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        });
        let single = names::find(INTEGER, &method).map(|(_, prim)| (prim.arity(), Some(prim)));
        let several = names::find(INTEGER_TOO, &method).map(|(_, arity)| (arity, None));
        let Some((arity, prim)) = single.or(several) else {
            let message = match names::find(names::REAL, &method) {
                Some(_) => format!(
                    "`{method}` is a function of real numbers, and this is an integer; write \
                     `(.. as f64).{method}(..)`"
                ),
                None => no_such_method(&method),
            };
            return Err(self.errors.at(name.span(), message));
        };
        self.arity(name, arity, args.len())?;
        let mut ints = vec![];
        for (value, loc) in args {
            let int = self.of(Elem::Int, value, loc, &format!("an argument of `{name}`"))?;
            ints.push(self.natural_if(scalar, int));
        }
        let expr = match prim {
            Some(prim) => Expr::prim(prim, ints),
            None => self.several(name, &method, scalar, ints)?,
        };
        Ok(Value::Plain(Plain {
            scalar: scalar.filter(|_| expr.ty.elem == Elem::Int),
            expr,
            open: vec![],
        }))
    }

    fn several(
        &mut self,
        name: &syn::Ident,
        method: &str,
        scalar: Option<Scalar>,
        ints: Vec<Expr>,
    ) -> Result<Expr> {
        let two = |prim, a: Expr, b: Expr| Expr::prim(prim, vec![a, b]);
        let mut ints = ints.into_iter();
        let a = ints.next().unwrap_or_else(|| Expr::int(0));
        let b = ints.next().unwrap_or_else(|| Expr::int(0));
        Ok(match method {
            "abs_diff" => Expr::prim(Prim::IAbs, vec![two(Prim::ISub, a, b)]),
            "unsigned_abs" => Expr::prim(Prim::IAbs, vec![a]),
            "clamp" => {
                let high = ints.next().unwrap_or_else(|| Expr::int(0));
                two(Prim::IMin, two(Prim::IMax, a, b), high)
            }
            "saturating_sub" => match scalar {
                Some(scalar) if scalar.is_unsigned() => {
                    two(Prim::IMax, two(Prim::ISub, a, b), Expr::int(0))
                }
                // Of `a` as close to what it is as leaves a difference in range.
                Some(scalar) => {
                    let b = self.share("b", b);
                    let zero = || Expr::int(0);
                    let least = two(Prim::IMax, b.clone(), zero());
                    let most = two(Prim::IMin, b.clone(), zero());
                    let least = two(
                        Prim::IAdd,
                        Expr::int(scalar.min().unwrap_or(i64::MIN)),
                        least,
                    );
                    let high = Expr::int(scalar.max().unwrap_or(i64::MAX));
                    let most = two(Prim::IAdd, high, most);
                    let a = two(Prim::IMin, two(Prim::IMax, a, least), most);
                    two(Prim::ISub, a, b)
                }
                None => {
                    return Err(self.errors.at(
                        name.span(),
                        "where `saturating_sub` stops depends on the type, which cannot be seen \
                         here; write `as usize` in front of it",
                    ));
                }
            },
            "wrapping_add" | "wrapping_sub" | "wrapping_mul" => {
                let Some(narrow) = scalar.and_then(super::operator::narrowing) else {
                    return Err(self.errors.at(name.span(), no_such_method(method)));
                };
                let low = |e| Expr::prim(narrow, vec![e]);
                low(match method {
                    "wrapping_add" => two(Prim::IAdd, a, b),
                    "wrapping_sub" => two(Prim::ISub, a, b),
                    // A product of two `u32` may have 64 bits. That of the upper halves is lost.
                    _ if scalar == Some(Scalar::U32) => {
                        let (a, b) = (self.share("a", a), self.share("b", b));
                        let half = || Expr::int(1 << 16);
                        let high = two(Prim::IDiv, a.clone(), half());
                        let high = two(Prim::IRem, two(Prim::IMul, high, b.clone()), half());
                        let least = two(Prim::IMul, two(Prim::IRem, a, half()), b);
                        two(Prim::IAdd, two(Prim::IMul, high, half()), least)
                    }
                    _ => two(Prim::IMul, a, b),
                })
            }
            // Rust: only 0 is a multiple of 0.
            "is_multiple_of" => {
                let b = self.share("n", b);
                let a = self.share("m", a);
                let zero = two(Prim::IEq, b.clone(), Expr::int(0));
                let by_zero = two(Prim::IEq, a.clone(), Expr::int(0));
                let rest = two(Prim::IRem, a, b);
                Expr::cond(zero, by_zero, two(Prim::IEq, rest, Expr::int(0)))
            }
            "div_ceil" => {
                let b = self.share("n", b);
                let up = two(Prim::ISub, b.clone(), Expr::int(1));
                two(Prim::IDiv, two(Prim::IAdd, a, up), b)
            }
            "is_positive" => two(Prim::IGt, a, Expr::int(0)),
            "is_negative" => two(Prim::ILt, a, Expr::int(0)),
            _ => return Err(self.errors.at(name.span(), no_such_method(method))),
        })
    }

    /// `f64::from(n)`
    pub(super) fn real_from(&mut self, value: Value, to: Scalar, loc: Loc) -> Result<Value> {
        let plain = self.scalar(value, loc)?;
        let int = match plain.elem() {
            Elem::Real => return Ok(self.of_precision(plain.expr, to).into()),
            Elem::Int => self.natural_if(plain.scalar, plain.expr),
            Elem::Bool => Expr::cond(plain.expr, Expr::int(1), Expr::int(0)),
        };
        let real = Expr::prim(Prim::IntToReal, vec![int]);
        Ok(self.of_precision(real, to).into())
    }
}

/// As `f64::clamp`: NaN stays NaN, and at an end the end is taken, so that nothing flows to `x`
/// there.
fn clamped(x: Expr, low: Expr, high: Expr) -> Expr {
    let is = |prim, end: &Expr| Expr::prim(prim, vec![x.clone(), end.clone()]);
    let (below, above) = (is(Prim::Le, &low), is(Prim::Ge, &high));
    let inside = Expr::prim(Prim::Select, vec![above, high, x]);
    Expr::prim(Prim::Select, vec![below, low, inside])
}

/// The kind of a constant that a method is called on, as far as the method and its arguments tell.
fn open_receiver(method: &str, receiver: &Plain, args: &Args) -> Elem {
    let is_real =
        names::find(names::REAL, method).is_some() || names::find(REAL_TOO, method).is_some();
    let is_integer =
        names::find(INTEGER, method).is_some() || names::find(INTEGER_TOO, method).is_some();
    let other = args.iter().skip(1).find_map(|(value, _)| match value {
        Value::Plain(plain) if plain.open.is_empty() => Some(plain.elem()),
        Value::Plain(_)
        | Value::Tuple(_)
        | Value::List(_)
        | Value::Struct(..)
        | Value::Closure(..)
        | Value::Shape(_)
        | Value::Way(_) => None,
    });
    match (is_real, is_integer) {
        (true, true) => other.unwrap_or(receiver.elem()),
        (true, false) => Elem::Real,
        (false, true) => Elem::Int,
        (false, false) => receiver.elem(),
    }
}

/// A method that reals and integers have, on nothing but constants: the kind stays open.
fn open_arguments(method: &str, args: &Args) -> Option<Plain> {
    let (_, real) = names::find(names::REAL, method)?;
    let (_, integer) = names::find(INTEGER, method)?;
    let (mut exprs, mut open, mut elem) = (vec![], vec![], None);
    for (value, _) in args {
        let Value::Plain(plain) = value else {
            return None;
        };
        if plain.open.is_empty() || elem.is_some_and(|e| e != plain.elem()) {
            return None;
        }
        elem = Some(plain.elem());
        exprs.push(plain.expr.clone());
        open.extend(plain.open.iter().copied());
    }
    let prim = if elem == Some(Elem::Int) {
        integer
    } else {
        real
    };
    (prim.arity() == exprs.len()).then(|| Plain {
        expr: Expr::prim(prim, exprs),
        scalar: None,
        open,
    })
}

fn no_such_method(method: &str) -> String {
    let instead = match method {
        "sigmoid" | "softplus" | "relu" | "lgamma" | "digamma" | "erf" => {
            return format!(
                "`{method}` is a function of the prelude, not a method; write `{method}(x)`"
            );
        }
        "pow" => "write `powi` for an integer power, `powf` for a real one",
        "gamma" => "write `lgamma(x).exp()`",
        "ln_gamma" => "write `lgamma(x)`",
        "total_cmp" | "partial_cmp" | "cmp" => "write `<`, `==` and `if`",
        "to_f64" => {
            return "a function has one real type, so that nothing in between is computed in another; \
                    remove `to_f64`, or write `.. as usize` behind it for an integer"
                .to_owned();
        }
        "into" | "try_into" => {
            return format!(
                "`{method}` does not say here which type it converts to; write the type, as \
                 `f64::from(n)`, `n as f64` or `usize::try_from(n)`"
            );
        }
        "to_bits" | "to_string" => "numbers are not looked into; write arithmetic",
        "wrapping_add" | "wrapping_sub" | "wrapping_mul" => {
            return format!(
                "`{method}` is followed for integers of up to 32 bits, whose type is seen here; \
                 write it in a function of its own that is not annotated, and take its result as an \
                 argument"
            );
        }
        "checked_add" | "checked_sub" | "checked_mul" | "saturating_add" | "saturating_mul" => {
            "write `+`, `-` or `*` where the result fits, and a comparison before where it may not"
        }
        _ => {
            "write it with the functions of `f64` that are listed in the documentation, or with arithmetic"
        }
    };
    format!("the derivative of the method `{method}` is not known here; {instead}")
}
