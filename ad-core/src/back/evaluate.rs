//! Emitted integer expressions, parsed and evaluated by the rules of Rust, compared with the
//! interpreters.
//!
//! The evaluator follows the tree that `syn` builds, so it has rustc's precedence, and the types: a
//! literal without a suffix is an `{integer}` until it meets a type, and what remains one is an
//! error. So nothing that is written here lies between the last interpreter and rustc.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::expr::Expr;
use super::nest::{Scope, Writer};
use super::range::extremum;
use super::sizes;
use crate::front::real::RealType;
use crate::ir::bulk::Var;
use crate::ir::generate::Rng;
use crate::ir::kernel::{Affine, Compute, Form, Loop, Nest, Node, Range, Scalar};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size, take_overflow};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::HashMap;

/// A value with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    /// `{integer}`
    Open(i128),
    /// An integer type, by its name.
    Int(&'static str, i128),
    Bool(bool),
    Real(f64),
    /// What a value that is computed where it is first needed fails with.
    Overflows,
    Panics,
}

/// Why there is no value.
#[derive(Debug, PartialEq)]
enum Stop {
    /// It does not compile.
    Error(String),
    /// Arithmetic overflows.
    Overflow,
    /// It panics otherwise.
    Panic,
}

type Result<T> = std::result::Result<T, Stop>;

fn error<T>(message: impl Into<String>) -> Result<T> {
    Err(Stop::Error(message.into()))
}

/// The integer types, with their limits.
const TYPES: &[(&str, i128, i128)] = &[
    ("i8", i8::MIN as i128, i8::MAX as i128),
    ("i16", i16::MIN as i128, i16::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("u8", 0, u8::MAX as i128),
    ("u16", 0, u16::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("u64", 0, u64::MAX as i128),
];

fn limits(name: &str) -> Option<&'static (&'static str, i128, i128)> {
    TYPES.iter().find(|(n, ..)| *n == name)
}

/// An integer of a type, if it has it.
fn within(name: &'static str, x: i128) -> Result<Value> {
    let Some((_, low, high)) = limits(name) else {
        return error(format!("no type {name}"));
    };
    match (low..=high).contains(&&x) {
        true => Ok(Value::Int(name, x)),
        false => Err(Stop::Overflow),
    }
}

/// Both integers, and the type that they share.
fn pair(a: Value, b: Value) -> Result<(&'static str, i128, i128)> {
    let fits = |name, x| match within(name, x) {
        Err(Stop::Overflow) => error("a literal out of range"),
        other => other.map(|_| ()),
    };
    match (a, b) {
        (Value::Int(s, x), Value::Int(t, y)) if s == t => Ok((s, x, y)),
        (Value::Open(x), Value::Int(t, y)) => fits(t, x).map(|()| (t, x, y)),
        (Value::Int(t, x), Value::Open(y)) => fits(t, y).map(|()| (t, x, y)),
        (Value::Open(_), Value::Open(_)) => error("nothing shows the type of {integer}"),
        _ => error(format!("{a:?} meets {b:?}")),
    }
}

/// The value of a type where one is expected.
fn expected(name: &'static str, x: Value) -> Result<i128> {
    pair(Value::Int(name, 0), x).map(|(_, _, x)| x)
}

type Names = HashMap<String, Value>;

fn block(b: &syn::Block, names: &Names) -> Result<Value> {
    let mut names = names.clone();
    let Some((last, lets)) = b.stmts.split_last() else {
        return error("an empty block");
    };
    for statement in lets {
        let syn::Stmt::Local(local) = statement else {
            return error("a statement");
        };
        let (syn::Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else {
            return error("a pattern");
        };
        let value = evaluate(&init.expr, &names)?;
        if let Value::Open(_) = value {
            return error("a name for {integer}");
        }
        names.insert(name.ident.to_string(), value);
    }
    match last {
        syn::Stmt::Expr(e, None) => evaluate(e, &names),
        _ => error("no value at the end"),
    }
}

fn evaluate(e: &syn::Expr, names: &Names) -> Result<Value> {
    match e {
        syn::Expr::Paren(e) => evaluate(&e.expr, names),
        syn::Expr::Block(b) => block(&b.block, names),
        syn::Expr::Path(p) => {
            let name = p.path.get_ident().map(ToString::to_string);
            match name.and_then(|name| names.get(&name)) {
                Some(value) => Ok(*value),
                None => error("an unknown name"),
            }
        }
        syn::Expr::Lit(l) => literal(&l.lit, false),
        syn::Expr::Unary(u) => unary(u, names),
        syn::Expr::Binary(b) => binary(b, names),
        syn::Expr::Cast(c) => {
            let x = evaluate(&c.expr, names)?;
            let syn::Type::Path(ty) = &*c.ty else {
                return error("a type");
            };
            let name = ty.path.get_ident().map(ToString::to_string);
            cast(x, &name.unwrap_or_default())
        }
        syn::Expr::If(i) => {
            let Value::Bool(c) = evaluate(&i.cond, names)? else {
                return error("a condition that is no bool");
            };
            let Some((_, other)) = &i.else_branch else {
                return error("no else");
            };
            let (then, other) = (block(&i.then_branch, names), evaluate(other, names));
            // What is not evaluated has a type all the same.
            match (c, then, other) {
                (_, Err(Stop::Error(m)), _) | (_, _, Err(Stop::Error(m))) => error(m),
                (true, Err(stop), _) | (false, _, Err(stop)) => Err(stop),
                (true, Ok(a), Ok(b)) if !is_integer(a) && !is_integer(b) => Ok(a),
                (false, Ok(a), Ok(b)) if !is_integer(a) && !is_integer(b) => Ok(b),
                (_, Ok(a), Ok(b)) => {
                    let (ty, a, b) = pair(a, b)?;
                    within(ty, if c { a } else { b })
                }
                (true, Ok(a), Err(_)) => Ok(typed(a)),
                (false, Err(_), Ok(b)) => Ok(typed(b)),
            }
        }
        syn::Expr::MethodCall(m) => method(m, names),
        syn::Expr::Call(c) => {
            let syn::Expr::Path(p) = &*c.func else {
                return error("a call");
            };
            let segments = p.path.segments.iter().map(|s| s.ident.to_string());
            let path = segments.collect::<Vec<_>>().join("::");
            if let ("rt::Lazy::new", Some(syn::Expr::Closure(f))) = (&*path, c.args.first()) {
                return match evaluate(&f.body, names) {
                    Err(Stop::Overflow) => Ok(Value::Overflows),
                    Err(Stop::Panic) => Ok(Value::Panics),
                    value => value,
                };
            }
            let args = c.args.iter().map(|a| evaluate(a, names));
            match (path.as_str(), &args.collect::<Result<Vec<_>>>()?[..]) {
                ("rt::ipow", &[a, b]) => {
                    let (a, b) = (expected("i64", a)?, expected("i64", b)?);
                    power(a, b)
                }
                ("rt::natural", &[a]) => match expected("i64", a)? {
                    ..0 => Err(Stop::Panic),
                    a => within("i64", a),
                },
                _ => error(format!("no function {path}")),
            }
        }
        _ => error(format!("{} is not expected", quote!(#e))),
    }
}

fn is_integer(x: Value) -> bool {
    matches!(x, Value::Open(_) | Value::Int(..))
}

/// An arm of a type that the other arm would show, if it had a value.
fn typed(x: Value) -> Value {
    match x {
        Value::Open(x) => Value::Int("i64", x),
        x => x,
    }
}

fn power(a: i128, b: i128) -> Result<Value> {
    let Ok(b) = u32::try_from(b) else {
        return Err(Stop::Panic);
    };
    let power = i64::try_from(a).ok().and_then(|a| a.checked_pow(b));
    power.map_or(Err(Stop::Overflow), |x| within("i64", x.into()))
}

fn literal(l: &syn::Lit, is_negated: bool) -> Result<Value> {
    match l {
        syn::Lit::Bool(b) => Ok(Value::Bool(b.value)),
        syn::Lit::Float(x) => Ok(Value::Real(x.base10_parse().expect("a number"))),
        syn::Lit::Int(x) => {
            let value: i128 = x.base10_parse().expect("an integer");
            let value = if is_negated { -value } else { value };
            match x.suffix() {
                "" => Ok(Value::Open(value)),
                suffix => match limits(suffix) {
                    Some((name, ..)) => match within(name, value) {
                        Err(_) => error("a literal out of range"),
                        value => value,
                    },
                    None => error(format!("no suffix {suffix}")),
                },
            }
        }
        _ => error("a literal"),
    }
}

fn unary(u: &syn::ExprUnary, names: &Names) -> Result<Value> {
    match (&u.op, &*u.expr) {
        (syn::UnOp::Neg(_), syn::Expr::Lit(l)) => match literal(&l.lit, true)? {
            Value::Real(x) => Ok(Value::Real(-x)),
            other => Ok(other),
        },
        (syn::UnOp::Neg(_), e) => match evaluate(e, names)? {
            Value::Int(name, x) => within(name, -x),
            Value::Open(x) => Ok(Value::Open(-x)),
            Value::Real(x) => Ok(Value::Real(-x)),
            Value::Bool(_) | Value::Overflows | Value::Panics => error("what is negated"),
        },
        (syn::UnOp::Not(_), e) => match evaluate(e, names)? {
            Value::Bool(x) => Ok(Value::Bool(!x)),
            _ => error("bits"),
        },
        (syn::UnOp::Deref(_), e) => match evaluate(e, names)? {
            Value::Overflows => Err(Stop::Overflow),
            Value::Panics => Err(Stop::Panic),
            value => Ok(value),
        },
        _ => error("an operator"),
    }
}

fn binary(b: &syn::ExprBinary, names: &Names) -> Result<Value> {
    use syn::BinOp;
    let left = evaluate(&b.left, names)?;
    if let (BinOp::And(_), Value::Bool(false)) | (BinOp::Or(_), Value::Bool(true)) = (&b.op, left) {
        return Ok(left);
    }
    let right = evaluate(&b.right, names)?;
    if let (Value::Bool(x), Value::Bool(y)) = (left, right) {
        return Ok(Value::Bool(match &b.op {
            BinOp::And(_) | BinOp::BitAnd(_) => x && y,
            BinOp::Or(_) | BinOp::BitOr(_) => x || y,
            BinOp::BitXor(_) => x != y,
            _ => return error("an operator of bools"),
        }));
    }
    let (name, x, y) = pair(left, right)?;
    let by = |f: fn(i128, i128) -> Option<i128>| match (y, f(x, y)) {
        (0, None) => Err(Stop::Panic),
        (-1, Some(x)) => within(name, x),
        (_, Some(x)) => within(name, x),
        (_, None) => Err(Stop::Overflow),
    };
    match &b.op {
        BinOp::Add(_) => within(name, x + y),
        BinOp::Sub(_) => within(name, x - y),
        BinOp::Mul(_) => x
            .checked_mul(y)
            .map_or(Err(Stop::Overflow), |x| within(name, x)),
        BinOp::Div(_) => by(i128::checked_div),
        BinOp::Rem(_) => by(i128::checked_rem),
        BinOp::BitAnd(_) => within(name, x & y),
        BinOp::BitOr(_) => within(name, x | y),
        BinOp::BitXor(_) => within(name, x ^ y),
        BinOp::Shl(_) | BinOp::Shr(_) if name == "i64" => {
            let (Ok(x), Ok(y)) = (i64::try_from(x), u32::try_from(y)) else {
                return Err(Stop::Overflow);
            };
            let moved = match &b.op {
                BinOp::Shl(_) => x.checked_shl(y),
                _ => x.checked_shr(y),
            };
            moved.map_or(Err(Stop::Overflow), |x| within(name, i128::from(x)))
        }
        BinOp::Eq(_) => Ok(Value::Bool(x == y)),
        BinOp::Ne(_) => Ok(Value::Bool(x != y)),
        BinOp::Lt(_) => Ok(Value::Bool(x < y)),
        BinOp::Le(_) => Ok(Value::Bool(x <= y)),
        BinOp::Gt(_) => Ok(Value::Bool(x > y)),
        BinOp::Ge(_) => Ok(Value::Bool(x >= y)),
        _ => error("an operator"),
    }
}

fn cast(x: Value, to: &str) -> Result<Value> {
    if let Value::Open(_) = x {
        return error("a cast of {integer}");
    }
    if to == "f64" {
        return match x {
            Value::Int(_, x) => Ok(Value::Real(x as f64)),
            _ => error("a cast"),
        };
    }
    let Some((name, low, high)) = limits(to) else {
        return error(format!("no type {to}"));
    };
    Ok(match x {
        Value::Int(_, x) => Value::Int(name, low + (x - low).rem_euclid(high - low + 1)),
        Value::Bool(x) => Value::Int(name, x.into()),
        Value::Real(x) => Value::Int(name, (x as i128).clamp(*low, *high)),
        Value::Open(_) => return error("a cast of {integer}"),
        Value::Overflows | Value::Panics => return error("a cast of what is not read"),
    })
}

fn method(m: &syn::ExprMethodCall, names: &Names) -> Result<Value> {
    let (name, x) = match evaluate(&m.receiver, names)? {
        Value::Int(name, x) => (name, x),
        Value::Open(_) => return error("a method of {integer}"),
        _ => return error("a method"),
    };
    let args = m.args.iter().map(|a| expected(name, evaluate(a, names)?));
    let args = args.collect::<Result<Vec<_>>>()?;
    match (m.method.to_string().as_str(), &args[..]) {
        ("min", &[y]) => within(name, x.min(y)),
        ("max", &[y]) => within(name, x.max(y)),
        ("abs", []) => within(name, x.abs()),
        ("signum", []) => within(name, x.signum()),
        ("rem_euclid", &[0]) => Err(Stop::Panic),
        ("rem_euclid", &[y]) => within(name, x.rem_euclid(y)),
        (other, _) => error(format!("no method {other}")),
    }
}

/// The value of a block of emitted tokens.
fn value_of(tokens: TokenStream, names: &Names) -> Result<Value> {
    let parsed = syn::parse2(quote!({ #tokens }));
    match parsed {
        Ok(b) => block(&b, names),
        Err(e) => error(e.to_string()),
    }
}

#[test]
fn the_evaluator_knows_precedence_and_types() {
    let names = HashMap::from([("k".to_owned(), Value::Int("i64", 0))]);
    let of = |text: &str| value_of(text.parse().unwrap(), &names);
    assert_eq!(of("4i64.min(-3i64.max(k))"), within("i64", -3));
    assert_eq!(of("4i64.min((-3i64).max(k))"), within("i64", 0));
    assert_eq!(
        of("-9223372036854775808 + k"),
        within("i64", i64::MIN.into())
    );
    assert_eq!(of("if k < 2 { 1 } else { k }.abs()"), within("i64", 1));
    for wrong in [
        "(if k < 2 { 1 } else { -3 }).abs()",
        "1 as f64",
        "-3.max(k)",
        "9223372036854775808 + k",
        "{ let n = 1; k + n }",
        "1 < 2",
    ] {
        assert!(matches!(of(wrong), Err(Stop::Error(_))), "{wrong}");
    }
    assert_eq!(of("k / k"), Err(Stop::Panic));
    assert_eq!(of("(k - 1) as u8 as i64"), within("i64", 255));
}

/// Integers at which something changes.
const SPECIAL: &[i64] = &[
    0,
    1,
    2,
    3,
    7,
    -1,
    -2,
    -3,
    255,
    256,
    -128,
    -129,
    1 << 31,
    -(1 << 31),
    1 << 32,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
];

fn number(rng: &mut Rng) -> i64 {
    match rng.chance(70) {
        true => rng.below(11) as i64 - 5,
        false => rng.pick(SPECIAL),
    }
}

fn leaf_name(a: &Atom) -> String {
    match a {
        Atom::Dim { param, .. } => format!("len_{param}"),
        Atom::Int { param } => format!("k_{param}"),
        Atom::Value(_) | Atom::Quot(..) | Atom::Rem(..) => unreachable!("these are no leaves"),
        Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => unreachable!("these are no leaves"),
    }
}

fn leaf(a: &Atom) -> Expr {
    let name = format_ident!("{}", leaf_name(a));
    Expr::atom(quote!(#name))
}

fn size(rng: &mut Rng, depth: usize) -> Size {
    if depth == 0 || rng.chance(20) {
        let param = rng.below(2);
        return match rng.below(3) {
            0 => Size::lit(number(rng)),
            1 => Size::dim(param, 0),
            _ => Size::atom(Atom::Int { param }),
        };
    }
    let (a, b) = (size(rng, depth - 1), size(rng, depth - 1));
    match rng.below(8) {
        7 => Size::select(&size(rng, depth - 1), &a, &b),
        0 => a.smaller(&b),
        1 => a.larger(&b),
        2 => a.quot(&b).unwrap_or(a),
        3 => a.rem(&b).unwrap_or(a),
        4 => a.mul(&b),
        5 => a.sub(&b),
        _ => a.add(&b),
    }
}

/// The values of the leaves.
fn assignment(rng: &mut Rng) -> HashMap<String, i64> {
    let mut values = HashMap::new();
    for param in 0..2 {
        values.insert(format!("len_{param}"), rng.below(6) as i64);
        values.insert(format!("k_{param}"), number(rng));
    }
    values
}

fn names_of(values: &HashMap<String, i64>) -> Names {
    (values.iter())
        .map(|(name, &k)| (name.clone(), Value::Int("i64", k.into())))
        .collect()
}

/// That the tokens have a value, unless arithmetic overflows on the way to it.
fn assert_is(tokens: &TokenStream, names: &Names, value: Value) {
    match value_of(tokens.clone(), names) {
        Ok(found) if found == value => {}
        Ok(Value::Real(x)) if matches!(value, Value::Real(y) if x.to_bits() == y.to_bits()) => {}
        Err(Stop::Overflow) => {}
        other => panic!("`{tokens}` is {other:?} instead of {value:?} at {names:?}"),
    }
}

#[test]
fn sizes_are_what_is_written() {
    let mut rng = Rng::new(1);
    for _ in 0..4_000 {
        let all: Vec<Size> = (0..=rng.below(3)).map(|_| size(&mut rng, 3)).collect();
        if take_overflow() {
            // There would be an error.
            continue;
        }
        let values = assignment(&mut rng);
        let names = names_of(&values);
        let value = |s: &Size| s.eval(&mut |a| values.get(&leaf_name(a)).copied());
        let written = |s: &Size| sizes::expression(s, &leaf);
        for s in &all {
            if let Some(k) = value(s) {
                let tokens = written(s).typed().tokens;
                assert_is(&tokens, &names, Value::Int("i64", k.into()));
            }
        }
        let found: Option<Vec<i64>> = all.iter().map(value).collect();
        let Some(found) = found else { continue };
        let written = || all.iter().map(written).collect();
        let (low, high) = (found.iter().min(), found.iter().max());
        for (name, k) in [("min", low), ("max", high)] {
            let tokens = extremum(name, written()).typed().tokens;
            let k = *k.expect("there is one");
            assert_is(&tokens, &names, Value::Int("i64", k.into()));
        }
    }
}

/// A function without variables.
struct Nothing;

impl Scope for Nothing {
    fn size(&self, s: &Size) -> Expr {
        sizes::expression(s, &leaf)
    }
    fn terms(&self, s: &Size) -> Vec<(Vec<Expr>, i64)> {
        let one = |a: &Atom| self.size(&Size::atom(a.clone()));
        (s.terms())
            .map(|(factors, c)| (factors.iter().map(one).collect(), c))
            .collect()
    }
    fn read(&self, _: Var, _: &[TokenStream]) -> Expr {
        unreachable!("there are no variables")
    }
    fn array(&self, _: Var) -> TokenStream {
        unreachable!("there are no variables")
    }
    fn view(&self, _: Var) -> TokenStream {
        unreachable!("there are no variables")
    }
    fn element(&self, _: Var, _: Expr) -> Expr {
        unreachable!("there are no variables")
    }
    fn label(&self, _: Var) -> String {
        unreachable!("there are no variables")
    }
    fn shape(&self, _: Var) -> &[Size] {
        unreachable!("there are no variables")
    }
    fn is_taken(&self, name: &str) -> bool {
        name.starts_with("len") || name.starts_with("k_")
    }
    fn is_typed(&self, _: Var) -> bool {
        unreachable!("there are no variables")
    }
    fn is_in_loop(&self) -> bool {
        false
    }
    fn real(&self) -> &RealType {
        &RealType::F64
    }
}

/// A nest of two loops with integers and conditions.
fn nest(rng: &mut Rng) -> Nest {
    let mut nodes: Vec<Scalar> = vec![];
    let mut depends: Vec<Vec<Loop>> = vec![];
    let prims: Vec<Prim> = (Prim::ALL.iter().copied())
        .filter(|p| *p != Prim::Select)
        .filter(|p| !p.args(Elem::Int).contains(&Elem::Real) && p.result(Elem::Int) != Elem::Real)
        .collect();
    let count = 3 + rng.below(14);
    while nodes.len() < count {
        let of = |elem: Elem, rng: &mut Rng| {
            let all = (0..nodes.len()).filter(|&n| nodes[n].elem == elem);
            let all: Vec<Node> = all.collect();
            (!all.is_empty()).then(|| rng.pick(&all))
        };
        let guard = rng.chance(15).then(|| of(Elem::Bool, rng)).flatten();
        let (elem, compute) = match rng.below(8) {
            0 | 1 => (Elem::Int, Compute::Lit(Lit::Int(number(rng)))),
            2 => {
                let l = rng.below(2);
                let by = Size::lit(rng.pick(&[1, 1, -1, 2]));
                let at = Affine::of(l).add_scaled(&Affine::constant(size(rng, 1)), &Size::lit(1));
                let at = Affine::default().add_scaled(&at, &by);
                (Elem::Int, Compute::Index(at))
            }
            3 => {
                let args = [of(Elem::Bool, rng), of(Elem::Int, rng), of(Elem::Int, rng)];
                let Some(args) = args.into_iter().collect() else {
                    continue;
                };
                (Elem::Int, Compute::Prim(Prim::Select, args))
            }
            _ => {
                let p = rng.pick(&prims);
                let args = p.args(Elem::Int).into_iter().map(|e| of(e, rng));
                let Some(args) = args.collect() else { continue };
                (p.result(Elem::Int), Compute::Prim(p, args))
            }
        };
        let node = Scalar {
            elem,
            guard,
            compute,
        };
        let mut loops: Vec<Loop> = node
            .operands()
            .into_iter()
            .flat_map(|o| depends[o].clone())
            .collect();
        if let Compute::Index(a) = &node.compute {
            loops.extend(a.terms.iter().map(|(l, _)| *l));
        }
        loops.sort_unstable();
        loops.dedup();
        nodes.push(node);
        depends.push(loops);
    }
    let mut integers = (0..nodes.len()).filter(|&n| nodes[n].elem == Elem::Int);
    let mut root = integers.next_back().unwrap_or(0);
    if rng.chance(20) && nodes[root].elem == Elem::Int {
        depends.push(depends[root].clone());
        nodes.push(Scalar {
            elem: Elem::Real,
            guard: None,
            compute: Compute::Prim(Prim::IntToReal, vec![root]),
        });
        root = nodes.len() - 1;
    }
    Nest {
        loops: vec![Size::dim(0, 0), Size::dim(1, 0)],
        ranges: vec![Range::default(); 2],
        outer: 2,
        nodes,
        depends,
        root,
        form: Form::Plain,
    }
}

/// A node as primitives compute it; everything that has no guard, or whose guard holds, is
/// computed.
fn computed(
    nest: &Nest,
    n: Node,
    at: &[i64; 2],
    of: &dyn Fn(&Size) -> Option<i64>,
    found: &mut HashMap<Node, Option<Lit>>,
) -> Option<Lit> {
    if let Some(value) = found.get(&n) {
        return *value;
    }
    let s = &nest.nodes[n];
    let guard = s.guard.map(|g| computed(nest, g, at, of, found));
    let value = match (guard, &s.compute) {
        (Some(None), _) => None,
        (Some(Some(Lit::Bool(false))), _) => Some(Lit::zero(s.elem)),
        (_, Compute::Lit(l)) => Some(*l),
        (_, Compute::Index(a)) => (a.terms.iter())
            .try_fold(of(&a.constant)?, |sum, (l, c)| {
                sum.checked_add(of(c)?.checked_mul(at[*l])?)
            })
            .map(Lit::Int),
        (_, Compute::Prim(p, args)) => {
            let args = args.iter().map(|&a| computed(nest, a, at, of, found));
            let args: Option<Vec<Lit>> = args.collect();
            args.and_then(|args| p.eval(&args))
        }
        (_, other) => unreachable!("{other:?} is not made"),
    };
    found.insert(n, value);
    value
}

#[test]
fn integers_of_nests_are_what_is_written() {
    let mut rng = Rng::new(2);
    let mut compared = 0;
    for _ in 0..4_000 {
        let nest = nest(&mut rng);
        if take_overflow() {
            continue;
        }
        let values = assignment(&mut rng);
        let mut names = names_of(&values);
        let at = [rng.below(5) as i64, rng.below(5) as i64];
        let of = |s: &Size| s.eval(&mut |a| values.get(&leaf_name(a)).copied());
        let mut found = HashMap::new();
        let (mut used, mut k) = (vec![nest.root], 0);
        while let Some(&n) = used.get(k) {
            used.extend(nest.operands(n));
            k += 1;
        }
        // What has no guard is computed, whether it is needed or not.
        let has_value = |&n: &Node| computed(&nest, n, &at, &of, &mut found).is_some();
        if !used.iter().all(has_value) {
            continue;
        }
        let value = found[&nest.root].expect("it has been computed");
        let mut writer = Writer::new(&nest, &[], &Nothing);
        let (lets, root) = writer.body();
        for (name, k) in writer.loops.iter().zip(at) {
            names.insert(name.to_string(), Value::Int("i64", k.into()));
        }
        let root = root.tokens;
        let value = match value {
            Lit::Int(k) => Value::Int("i64", k.into()),
            Lit::Bool(b) => Value::Bool(b),
            Lit::Real(x) => Value::Real(x),
        };
        assert_is(&quote!(#lets #root), &names, value);
        compared += 1;
    }
    assert!(compared > 1_000, "{compared} have a value");
}
