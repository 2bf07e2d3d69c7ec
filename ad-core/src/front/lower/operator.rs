//! Operators and casts.

use super::Lowerer;
use super::value::{Plain, Value};
use super::way::Maybe;
use crate::front::error::{Loc, Reported, Result};
use crate::front::surface::{Binary, Expr as Surface, Unary};
use crate::front::types::Scalar;
use crate::ir::core::{Expr, Kind as Core};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

impl Lowerer<'_> {
    pub(super) fn unary(&mut self, op: Unary, operand: Value, loc: Loc) -> Result<Value> {
        if let Value::Struct(made, _) = &operand {
            let name = match op {
                Unary::Neg => "neg",
                Unary::Not => "not",
            };
            let (made, name) = (made.clone(), syn::Ident::new(name, loc.start));
            return self.struct_method(&made, &name, Ok(vec![(operand, loc)]), loc);
        }
        if let (Unary::Neg, Value::Plain(plain)) = (op, &operand)
            && plain.expr.ty.rank > 0
            && plain.elem() != Elem::Bool
        {
            let prim = match plain.elem() {
                Elem::Int => Prim::INeg,
                Elem::Real | Elem::Bool => Prim::Neg,
            };
            return Ok(Value::Plain(Plain {
                expr: Expr::prim(prim, vec![plain.expr.clone()]),
                ..plain.clone()
            }));
        }
        let operand = self.scalar(operand, loc)?;
        let prim = match (op, operand.elem()) {
            (Unary::Neg, Elem::Real) => Prim::Neg,
            (Unary::Neg, Elem::Int) => Prim::INeg,
            (Unary::Not, _) if !operand.open.is_empty() => {
                let cond = self.elem(operand, Elem::Bool, loc, "`!` needs a bool")?;
                return Ok(Expr::prim(Prim::Not, vec![cond]).into());
            }
            (Unary::Not, Elem::Bool) => Prim::Not,
            (Unary::Neg, Elem::Bool) => {
                return Err(self
                    .errors
                    .at(loc, "`-` needs a number, and this is a bool; write `!`"));
            }
            (Unary::Not, Elem::Int | Elem::Real) => {
                return Err(self.errors.at(
                    loc,
                    "`!` needs a bool: the bits of a number are not looked into; write a comparison",
                ));
            }
        };
        Ok(Value::Plain(Plain {
            expr: Expr::prim(prim, vec![operand.expr]),
            ..operand
        }))
    }

    pub(super) fn binary(
        &mut self,
        op: Binary,
        left: &Surface,
        right: &Surface,
        loc: Loc,
    ) -> Result<Value> {
        if let Binary::Both | Binary::Either = op {
            return self.lazy(op, left, right);
        }
        let (a, b) = (self.expr(left), self.expr(right));
        self.combined(op, (a, left.loc), (b, right.loc), loc)
    }

    /// An operator that evaluates both sides.
    pub(super) fn combined(
        &mut self,
        op: Binary,
        (a, left_loc): (Result<Value>, Loc),
        (b, right_loc): (Result<Value>, Loc),
        loc: Loc,
    ) -> Result<Value> {
        let (a, b) = self.rows_beside((a, left_loc), (b, right_loc));
        if let (Ok(Value::Plain(a)), Ok(Value::Plain(b))) = (&a, &b)
            && (a.expr.ty.rank > 0 || b.expr.ty.rank > 0)
        {
            return self.whole_arrays(op, a.clone(), b.clone(), loc);
        }
        if let (Ok(left), Ok(right)) = (&a, &b)
            && let Some(result) = self.sparse_operator(op, left, (right.clone(), right_loc), loc)
        {
            return result;
        }
        if let (Ok(Value::Struct(made, _)), Some(name)) = (&a, of_trait(op)) {
            let (made, name) = (made.clone(), syn::Ident::new(name, loc.start));
            let values = a.and_then(|a| Ok(vec![(a, left_loc), (b?, right_loc)]));
            return self.struct_method(&made, &name, values, loc);
        }
        if let (Ok(a), Ok(b)) = (&a, &b)
            && let Some(result) = self.compared_variants(op, (a, b), loc)
        {
            return result;
        }
        // An array is right beside one of which nothing is known.
        let is_array =
            |v: &Result<Value>| matches!(v, Ok(Value::Plain(plain)) if plain.expr.ty.rank > 0);
        let (a, b) = match (a, b) {
            (Err(reported), other) | (other, Err(reported)) if is_array(&other) => {
                return Err(reported);
            }
            both => both,
        };
        let a = a.and_then(|v| self.scalar(v, left_loc));
        let b = b.and_then(|v| self.scalar(v, right_loc));
        let (a, b) = (a?, b?);
        let (what_a, what_b) = (a.describe(), b.describe());
        let own = a.scalar;
        let Some(pair) = self.pair(a, b) else {
            let symbol = op.symbol();
            let message = format!(
                "`{symbol}` between {what_a} and {what_b}; write `.. as f64` at the integer, or a \
                 literal with a point",
            );
            return Err(self.errors.instead_of_rustc(loc, message));
        };
        // The low bits of what has no sign are a remainder.
        let mask = super::size::literal(&pair.right);
        if let (Binary::And, Elem::Int, Some(mask @ 1..)) = (op, pair.elem, mask)
            && pair.scalar.is_some_and(Scalar::is_unsigned)
            && let Some(power) = mask.checked_add(1)
            && power & mask == 0
            && pair.left.ty.rank == 0
            && !self.may_wrap(&pair.left)
        {
            return Ok(Value::Plain(Plain {
                expr: Expr::prim(Prim::IRem, vec![pair.left, Expr::int(power)]),
                scalar: pair.scalar,
                open: pair.open,
            }));
        }
        if let (Binary::Shl | Binary::Shr, Elem::Int) = (op, pair.elem) {
            return Ok(self.shifted(op, pair.left, pair.right, own));
        }
        let Some(prim) = primitive(op, pair.elem) else {
            let message = match pair.elem {
                Elem::Bool => format!(
                    "`{}` between bools is not supported; write `&&`, `||`, `!` and `if`",
                    op.symbol()
                ),
                Elem::Int | Elem::Real => format!(
                    "`{}` needs bools or integers: the bits of a real number are not looked into; \
                     write arithmetic such as `%` and `/`",
                    op.symbol()
                ),
            };
            return Err(self.errors.instead_of_rustc(loc, message));
        };
        let is_long = pair.scalar.is_some_and(Scalar::is_long_unsigned);
        let may_wrap = is_long && (self.may_wrap(&pair.left) || self.may_wrap(&pair.right));
        let mut expr = if !may_wrap {
            Expr::prim(prim, vec![pair.left, pair.right])
        } else if matches!(prim, Prim::ILt | Prim::ILe | Prim::IGt | Prim::IGe) {
            self.compared_unsigned(prim, pair.left, pair.right)
        } else if matches!(prim, Prim::IDiv | Prim::IRem) {
            let left = self.natural_if(pair.scalar, pair.left);
            let right = self.natural_if(pair.scalar, pair.right);
            Expr::prim(prim, vec![left, right])
        } else {
            // The bits of sums, differences and products are the same with a sign and without.
            Expr::prim(prim, vec![pair.left, pair.right])
        };
        if (op, pair.elem) == (Binary::Eq, Elem::Bool) {
            expr = Expr::prim(Prim::Not, vec![expr]);
        }
        // The kind of a comparison does not hang on what is compared.
        let is_comparison = expr.ty.elem != pair.elem;
        Ok(Value::Plain(Plain {
            expr,
            scalar: pair.scalar.filter(|_| !is_comparison),
            open: if is_comparison { vec![] } else { pair.open },
        }))
    }

    /// `a << b`, `a >> b`, where `a` has this type. An index stays a product or a quotient. As in a
    /// release build, the distance is taken modulo the width of the type.
    fn shifted(&mut self, op: Binary, a: Expr, b: Expr, scalar: Option<Scalar>) -> Value {
        let width = scalar.and_then(width);
        let b = match width {
            Some(width) if super::size::literal(&b).is_none_or(|b| b >= width) => {
                Expr::prim(Prim::IAnd, vec![b, Expr::int(width - 1)])
            }
            Some(_) | None => b,
        };
        let power =
            super::size::literal(&b).and_then(|k| 1_i64.checked_shl(u32::try_from(k).ok()?));
        let power = power.filter(|p| (1..1 << 32).contains(p)).map(Expr::int);
        let is_index = matches!(scalar, Some(Scalar::Usize | Scalar::Isize) | None);
        let expr = match (op, power) {
            (Binary::Shl, Some(power)) if is_index => Expr::prim(Prim::IMul, vec![a, power]),
            (Binary::Shl, _) => {
                let moved = Expr::prim(Prim::IShl, vec![a, b]);
                match scalar.and_then(narrowing) {
                    Some(narrow) => Expr::prim(narrow, vec![moved]),
                    None => {
                        if scalar.is_some_and(Scalar::is_unsigned) {
                            self.wrapping.push(moved.clone());
                        }
                        moved
                    }
                }
            }
            (_, power) => {
                let a = self.natural_if(scalar, a);
                match power {
                    Some(power) if self.is_natural(&a) => Expr::prim(Prim::IDiv, vec![a, power]),
                    Some(_) | None => Expr::prim(Prim::IShr, vec![a, b]),
                }
            }
        };
        Value::Plain(Plain {
            expr,
            scalar,
            open: vec![],
        })
    }

    /// Arithmetic between arrays, elementwise, and between an array and a scalar. The axes of the
    /// array that has fewer are the last of the other's.
    fn whole_arrays(&mut self, op: Binary, a: Plain, b: Plain, loc: Loc) -> Result<Value> {
        let unable = |l: &mut Self| Err(l.no_operator(op, &a, &b, loc));
        let Some(pair) = self.pair(a.clone(), b.clone()) else {
            return unable(self);
        };
        let prim = primitive(op, pair.elem).filter(|_| is_arithmetic(op));
        let Some(prim) = prim else {
            return unable(self);
        };
        Ok(self.broadcast_prim(prim, pair))
    }

    fn no_operator(&mut self, op: Binary, a: &Plain, b: &Plain, loc: Loc) -> Reported {
        let index = ["i", "[i, j]", "[i, j, k]"];
        let part = |name: &str, plain: &Plain| match plain.expr.ty.rank {
            0 => name.to_string(),
            rank => format!("{name}[{}]", index.get(rank - 1).unwrap_or(&"[i, j, ..]")),
        };
        let (mut x, mut y) = (part("x", a), part("y", b));
        match (a.elem(), b.elem()) {
            (Elem::Int, Elem::Real) => x.push_str(" as f64"),
            (Elem::Real, Elem::Int) => y.push_str(" as f64"),
            (Elem::Real | Elem::Int | Elem::Bool, _) => {}
        }
        let (indices, extents) = match a.expr.ty.rank.max(b.expr.ty.rank) {
            1 => ("i", "x.len()"),
            2 => ("(i, j)", "x.dim()"),
            _ => ("(i, j, ..)", "x.dim()"),
        };
        if matches!(op, Binary::Eq | Binary::Ne) && a.expr.ty.rank > 0 && b.expr.ty.rank > 0 {
            let (not, of) = match op == Binary::Ne {
                true => ("!", "differ"),
                false => ("", "are equal"),
            };
            let message = format!(
                "`{symbol}` between {} and {} is not supported; whether they {of} is \
                 `{not}x.iter().zip(y.iter()).all(|(p, q)| p == q)`, and an array of bools is \
                 `build({extents}, |{indices}| {x} {symbol} {y})`",
                a.describe(),
                b.describe(),
                symbol = op.symbol(),
            );
            return self.errors.at(loc, message);
        }
        let message = format!(
            "`{symbol}` between {} and {} is not supported; write \
             `build({extents}, |{indices}| {x} {symbol} {y})`",
            a.describe(),
            b.describe(),
            symbol = op.symbol(),
        );
        self.errors.at(loc, message)
    }

    /// `(from..to).contains(&item)`
    pub(super) fn contained(
        &mut self,
        (from, to, closed): (Option<&Surface>, Option<&Surface>, bool),
        item: &Surface,
        loc: Loc,
    ) -> Result<Value> {
        let value = self.expr(item);
        let from = from.map(|e| (self.expr(e), e.loc));
        let to = to.map(|e| (self.expr(e), e.loc));
        let plain = value.and_then(|v| self.scalar(v, item.loc))?;
        // It is compared twice and computed once.
        let hint = self.fresh.sym("item");
        let ty = plain.expr.ty;
        let sym = self.bound_to(&hint, plain.expr.clone());
        let expr = Expr::var(&sym, ty);
        let item = (Value::Plain(Plain { expr, ..plain }), item.loc);
        let mut sides = vec![];
        if let Some(from) = from {
            sides.push(self.combined(Binary::Le, from, (Ok(item.0.clone()), item.1), loc)?);
        }
        if let Some(to) = to {
            let op = if closed { Binary::Le } else { Binary::Lt };
            sides.push(self.combined(op, (Ok(item.0), item.1), to, loc)?);
        }
        let mut all = Expr::lit(Lit::Bool(true));
        for (k, side) in sides.into_iter().enumerate() {
            let side = self.of(Elem::Bool, side, loc, "a comparison")?;
            all = match k {
                0 => side,
                _ => Expr::prim(Prim::And, vec![all, side]),
            };
        }
        Ok(all.into())
    }

    /// `&&` and `||` evaluate what is on the right only when they need it.
    fn lazy(&mut self, op: Binary, left: &Surface, right: &Surface) -> Result<Value> {
        let role = format!("each side of `{}`", op.symbol());
        let cond = self
            .expr(left)
            .and_then(|v| self.of(Elem::Bool, v, left.loc, &role));
        let known = Expr::lit(Lit::Bool(op == Binary::Either));
        if matches!(&cond, Ok(cond) if *cond == known) {
            return Ok(known.into());
        }
        let more = self.region(right.loc, "this side", |l| l.expr(right));
        let more = more.and_then(|p| self.of(Elem::Bool, p.into(), right.loc, &role));
        let (cond, more) = (cond?, more?);
        Ok(match op == Binary::Either {
            true => Expr::cond(cond, known, more),
            false => Expr::cond(cond, more, known),
        }
        .into())
    }

    pub(super) fn cast(&mut self, value: Value, to: Scalar, loc: Loc) -> Result<Value> {
        let from = self.scalar(value, loc)?;
        let wrong = match (from.elem(), to.elem()) {
            (Elem::Bool, Elem::Real) => Some("write `if .. { 1.0 } else { 0.0 }`"),
            (Elem::Int | Elem::Real, Elem::Bool) => Some("write a comparison, such as `n != 0`"),
            (Elem::Bool, Elem::Int | Elem::Bool)
            | (Elem::Int | Elem::Real, Elem::Int | Elem::Real) => None,
        };
        if let (Some(instead), true) = (wrong, from.open.is_empty()) {
            let message = format!(
                "{} cannot be cast to `{}`; {instead}",
                from.describe(),
                to.name()
            );
            return Err(self.errors.at(loc, message));
        }
        if !from.open.is_empty() {
            // `N as f64` leaves open what `N` is; `N as usize` is most likely an integer.
            if to.elem() == Elem::Int {
                self.consts.decide(&from.open, Elem::Int, true);
            }
        }
        let expr = match (from.elem(), to.elem()) {
            (Elem::Real, Elem::Int) => saturated(Expr::prim(Prim::RealToInt, vec![from.expr]), to),
            (Elem::Int, Elem::Real) => {
                let int = self.natural_if(from.scalar, from.expr);
                self.of_precision(Expr::prim(Prim::IntToReal, vec![int]), to)
            }
            (Elem::Real, Elem::Real) => self.of_precision(from.expr, to),
            (Elem::Bool, Elem::Int) => Expr::prim(Prim::BoolToInt, vec![from.expr]),
            (Elem::Int, Elem::Int) => self.cast_integer(from, to),
            (Elem::Bool, Elem::Bool | Elem::Real) | (Elem::Int | Elem::Real, Elem::Bool) => {
                from.expr
            }
        };
        Ok(Plain::typed(expr, to).into())
    }
}

impl Lowerer<'_> {
    /// Casts between integers wrap around. All of them are `i64` here: a type of fewer bits has a
    /// primitive, and one of 64 bits the same bits. What has no sign then, and may be 2⁶³ or more,
    /// is remembered.
    fn cast_integer(&mut self, from: Plain, to: Scalar) -> Expr {
        let ranges = from
            .scalar
            .map(|s| ((s.min(), s.max()), (to.min(), to.max())));
        let is_within = ranges.is_some_and(|((low, high), (least, most))| {
            low >= least && (most.is_none() || high.is_some_and(|high| Some(high) <= most))
        });
        if is_within {
            return from.expr;
        }
        let Some(prim) = narrowing(to) else {
            if to.is_unsigned() && !self.is_natural(&from.expr) {
                self.wrapping.push(from.expr.clone());
            }
            return from.expr;
        };
        if let Core::Lit(lit) = &*from.expr.kind
            && let Some(lit) = prim.eval(&[*lit])
        {
            return Expr::lit(lit);
        }
        Expr::prim(prim, vec![from.expr])
    }

    /// `u64::try_from(n)`: where it is taken for granted, a number out of the range panics.
    pub(super) fn integer_try_from(&mut self, value: Value, to: Scalar, loc: Loc) -> Result<Value> {
        let from = self.scalar(value, loc)?;
        let int = self.elem(from.clone(), Elem::Int, loc, "an argument of `try_from`")?;
        let int = self.natural_if(from.scalar, int);
        let int = self.share("n", int);
        let least = from.scalar.and_then(Scalar::min);
        let is_below = (to.min()).filter(|low| least.unwrap_or(i64::MIN) < *low);
        let most = from.scalar.and_then(Scalar::max).unwrap_or(i64::MAX);
        let is_above = to.max().filter(|high| most > *high);
        let (mut value, mut none) = (int.clone(), None);
        let mut or = |cond: Expr| {
            none = Some(match none.take() {
                None => cond,
                Some(other) => Expr::prim(Prim::Or, vec![other, cond]),
            });
        };
        let two = |prim, a: &Expr, b: &Expr| Expr::prim(prim, vec![a.clone(), b.clone()]);
        let natural = |e| Expr::prim(Prim::Natural, vec![e]);
        if let Some(low) = is_below.map(Expr::int) {
            or(two(Prim::ILt, &int, &low));
            value = match super::size::literal(&low) {
                Some(0) => natural(value),
                _ => two(Prim::IAdd, &low, &natural(two(Prim::ISub, &value, &low))),
            };
        }
        if let Some(high) = is_above.map(Expr::int) {
            or(two(Prim::IGt, &int, &high));
            value = two(Prim::ISub, &high, &natural(two(Prim::ISub, &high, &value)));
        }
        let value = Plain::typed(value, to).into();
        let none = none.or(Some(Expr::lit(Lit::Bool(false))));
        let sure = vec![];
        Ok(Maybe { value, none, sure }.into())
    }

    /// An integer of a type, where it has to be known as a number: one that is 2⁶³ or more panics.
    pub(super) fn natural_if(&self, scalar: Option<Scalar>, e: Expr) -> Expr {
        match scalar.is_some_and(Scalar::is_long_unsigned) && self.may_wrap(&e) {
            true => Expr::prim(Prim::Natural, vec![e]),
            false => e,
        }
    }

    /// A comparison of integers without a sign one of which may be 2⁶³ or more, and is negative
    /// here. With `f ≥ 0`
    ///
    /// ```text
    /// e < f   =   e >= 0 & e < f
    /// f < e   =   e < 0 | f < e
    /// ```
    fn compared_unsigned(&mut self, op: Prim, a: Expr, b: Expr) -> Expr {
        let (a, b) = (self.share("a", a), self.share("b", b));
        let zero = Expr::int(0);
        let two = |p: Prim, a: &Expr, b: &Expr| Expr::prim(p, vec![a.clone(), b.clone()]);
        let (wraps_a, wraps_b) = (two(Prim::ILt, &a, &zero), two(Prim::ILt, &b, &zero));
        let plain = two(op, &a, &b);
        let is_less = matches!(op, Prim::ILt | Prim::ILe);
        match (self.may_wrap(&a), self.may_wrap(&b)) {
            (true, false) if is_less => two(Prim::And, &two(Prim::IGe, &a, &zero), &plain),
            (true, false) => two(Prim::Or, &wraps_a, &plain),
            (false, true) if is_less => two(Prim::Or, &wraps_b, &plain),
            (false, true) => two(Prim::And, &two(Prim::IGe, &b, &zero), &plain),
            (true, true) | (false, false) => {
                let differ = two(Prim::Xor, &wraps_a, &wraps_b);
                let first = if is_less { wraps_b } else { wraps_a };
                Expr::prim(Prim::Select, vec![differ, first, plain])
            }
        }
    }
}

/// Casts from real numbers stop at the ends of the type.
fn saturated(expr: Expr, to: Scalar) -> Expr {
    let mut expr = expr;
    if let Some(min) = to.min().filter(|&m| m != i64::MIN) {
        expr = Expr::prim(Prim::IMax, vec![expr, Expr::int(min)]);
    }
    if let Some(max) = to.max().filter(|&m| m != i64::MAX) {
        expr = Expr::prim(Prim::IMin, vec![expr, Expr::int(max)]);
    }
    expr
}

/// What casts an integer to a type of fewer than 64 bits.
pub(super) fn narrowing(to: Scalar) -> Option<Prim> {
    match to {
        Scalar::I8 => Some(Prim::AsI8),
        Scalar::I16 => Some(Prim::AsI16),
        Scalar::I32 => Some(Prim::AsI32),
        Scalar::U8 => Some(Prim::AsU8),
        Scalar::U16 => Some(Prim::AsU16),
        Scalar::U32 => Some(Prim::AsU32),
        Scalar::Axis | Scalar::Usize | Scalar::Isize | Scalar::I64 | Scalar::U64 => None,
        Scalar::Real | Scalar::Single | Scalar::Bool | Scalar::Opaque => None,
    }
}

/// How many bits an integer has, if it is narrower than what integers are computed in.
fn width(of: Scalar) -> Option<i64> {
    match of {
        Scalar::I8 | Scalar::U8 => Some(8),
        Scalar::I16 | Scalar::U16 => Some(16),
        Scalar::I32 | Scalar::U32 => Some(32),
        Scalar::Axis | Scalar::Usize | Scalar::Isize | Scalar::I64 | Scalar::U64 => None,
        Scalar::Real | Scalar::Single | Scalar::Bool | Scalar::Opaque => None,
    }
}

/// Whether ndarray has the operator for arrays of numbers.
fn is_arithmetic(op: Binary) -> bool {
    matches!(
        op,
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem
    )
}

/// The primitive that an operator is on a kind; of bools, `==` is the negation of `^`.
/// The function that an operator calls on a struct.
fn of_trait(op: Binary) -> Option<&'static str> {
    match op {
        Binary::Add => Some("add"),
        Binary::Sub => Some("sub"),
        Binary::Mul => Some("mul"),
        Binary::Div => Some("div"),
        Binary::Rem => Some("rem"),
        Binary::Eq
        | Binary::Ne
        | Binary::Lt
        | Binary::Le
        | Binary::Gt
        | Binary::Ge
        | Binary::Both
        | Binary::Either
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::Shl
        | Binary::Shr => None,
    }
}

fn primitive(op: Binary, elem: Elem) -> Option<Prim> {
    Some(match (op, elem) {
        (Binary::Add, Elem::Real) => Prim::Add,
        (Binary::Sub, Elem::Real) => Prim::Sub,
        (Binary::Mul, Elem::Real) => Prim::Mul,
        (Binary::Div, Elem::Real) => Prim::Div,
        (Binary::Rem, Elem::Real) => Prim::Rem,
        (Binary::Eq, Elem::Real) => Prim::Eq,
        (Binary::Ne, Elem::Real) => Prim::Ne,
        (Binary::Lt, Elem::Real) => Prim::Lt,
        (Binary::Le, Elem::Real) => Prim::Le,
        (Binary::Gt, Elem::Real) => Prim::Gt,
        (Binary::Ge, Elem::Real) => Prim::Ge,
        (Binary::Add, Elem::Int) => Prim::IAdd,
        (Binary::Sub, Elem::Int) => Prim::ISub,
        (Binary::Mul, Elem::Int) => Prim::IMul,
        (Binary::Div, Elem::Int) => Prim::IDiv,
        (Binary::Rem, Elem::Int) => Prim::IRem,
        (Binary::Eq, Elem::Int) => Prim::IEq,
        (Binary::Ne, Elem::Int) => Prim::INe,
        (Binary::Lt, Elem::Int) => Prim::ILt,
        (Binary::Le, Elem::Int) => Prim::ILe,
        (Binary::Gt, Elem::Int) => Prim::IGt,
        (Binary::Ge, Elem::Int) => Prim::IGe,
        (Binary::And, Elem::Int) => Prim::IAnd,
        (Binary::Or, Elem::Int) => Prim::IOr,
        (Binary::Xor, Elem::Int) => Prim::IXor,
        (Binary::Shl, Elem::Int) => Prim::IShl,
        (Binary::Shr, Elem::Int) => Prim::IShr,
        (Binary::Eq | Binary::Ne | Binary::Xor, Elem::Bool) => Prim::Xor,
        (Binary::And | Binary::Both, Elem::Bool) => Prim::And,
        (Binary::Or | Binary::Either, Elem::Bool) => Prim::Or,
        (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem, Elem::Bool)
        | (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, Elem::Bool)
        | (Binary::Both | Binary::Either, Elem::Real | Elem::Int)
        | (Binary::And | Binary::Or | Binary::Xor, Elem::Real)
        | (Binary::Shl | Binary::Shr, Elem::Real | Elem::Bool) => return None,
    })
}
