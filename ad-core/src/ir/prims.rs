//! The scalar primitives: one row each, holding everything the compiler knows about it.
//!
//! To add a primitive, add a line to the table at the end of this file (and its evaluation to
//! the module `special` if `std` has none).

use super::special;
use super::ty::{Elem, Lit};

/// How a primitive is computed; the variants spell the kinds of arguments and result
/// (`R`eal, `I`nteger, `B`ool).
#[derive(Clone, Copy)]
pub enum Eval {
    /// real → real
    R(fn(f64) -> f64),
    /// real, real → real
    RR(fn(f64, f64) -> f64),
    /// real, real, real → real
    RRR(fn(f64, f64, f64) -> f64),
    /// real, integer → real
    RI(fn(f64, i64) -> f64),
    /// integer → integer; `None` where it would panic
    I(fn(i64) -> Option<i64>),
    /// integer, integer → integer; `None` where it would panic
    II(fn(i64, i64) -> Option<i64>),
    /// bool → bool
    B(fn(bool) -> bool),
    /// bool, bool → bool
    BB(fn(bool, bool) -> bool),
    /// real, real → bool
    RRtoB(fn(f64, f64) -> bool),
    /// integer, integer → bool
    IItoB(fn(i64, i64) -> bool),
    /// integer → real
    ItoR(fn(i64) -> f64),
    /// real → integer
    RtoI(fn(f64) -> i64),
    /// bool → integer
    BtoI(fn(bool) -> i64),
    /// bool, a, a → a: the first if true, else the second
    Select,
}

/// How a primitive is written in Rust, with its arguments in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// `a op b`
    Infix(&'static str),
    /// `op a`
    Prefix(&'static str),
    /// `a.name(b, ..)`
    Method(&'static str),
    /// `runtime::name(a, ..)`
    Call(&'static str),
    /// `a as ty`
    Cast(&'static str),
    /// `a as ty as i64`
    Wrap(&'static str),
    /// `if a { b } else { c }`
    If,
}

/// The derivative of a primitive with respect to one argument, as a factor of the tangent.
#[derive(Clone, Debug, PartialEq)]
pub enum Partial<X> {
    /// The tangent does not reach the result.
    Zero,
    /// The tangent itself.
    One,
    /// The tangent, negated.
    MinusOne,
    /// The tangent times a value.
    Times(X),
    /// The tangent divided by a value.
    Over(X),
    /// The tangent where a condition holds, nothing elsewhere.
    Where(X),
}

/// What a row of the table may build its partial derivatives from.
pub trait Scalars<X> {
    /// A primitive applied to values.
    fn prim(&mut self, prim: Prim, args: &[X]) -> X;
    /// A literal.
    fn lit(&mut self, lit: Lit) -> X;
}

/// The partial derivatives of a row.
enum Diff {
    /// Never differentiated.
    None,
    /// Piecewise constant in every argument.
    Flat,
    /// The rule.
    Rule(Rule),
}

/// Values as numbers, so that one rule serves every program: arguments are `0..arity`, the result
/// is `arity`, what the rule builds comes after.
type Rule = fn(&mut Tape<'_>) -> Vec<Partial<usize>>;

/// The values that a rule works on.
pub struct Tape<'a> {
    arity: usize,
    constant: &'a [bool],
    build: &'a mut dyn FnMut(Step<'_>) -> usize,
}

/// One value that a rule asks for.
enum Step<'a> {
    Prim(Prim, &'a [usize]),
    Lit(Lit),
}

impl Tape<'_> {
    fn p(&mut self, prim: Prim, args: &[usize]) -> usize {
        (self.build)(Step::Prim(prim, args))
    }
    fn c(&mut self, x: f64) -> usize {
        (self.build)(Step::Lit(Lit::Real(x)))
    }
    fn i(&mut self, x: i64) -> usize {
        (self.build)(Step::Lit(Lit::Int(x)))
    }
    /// `c * x`
    fn scaled(&mut self, c: f64, x: usize) -> usize {
        let c = self.c(c);
        self.p(Prim::Mul, &[c, x])
    }
    /// `1 + sign * x²`
    fn one_plus_square(&mut self, sign: f64, x: usize) -> usize {
        let square = self.p(Prim::Mul, &[x, x]);
        let one = self.c(1.0);
        let op = if sign > 0.0 { Prim::Add } else { Prim::Sub };
        self.p(op, &[one, square])
    }
}

struct Row {
    name: &'static str,
    eval: Eval,
    emit: Emit,
    diff: Diff,
}

impl Prim {
    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The primitive of that name.
    pub fn by_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().copied().find(|p| p.name() == name)
    }

    /// How it is computed.
    pub fn evaluation(self) -> Eval {
        self.row().eval
    }

    /// How it is written in Rust.
    pub fn emission(self) -> Emit {
        self.row().emit
    }

    /// The kinds of its arguments. Selection chooses between two values of kind `selected`.
    pub fn args(self, selected: Elem) -> Vec<Elem> {
        use Elem::{Bool, Int, Real};
        match self.row().eval {
            Eval::R(_) | Eval::RtoI(_) => vec![Real],
            Eval::RR(_) | Eval::RRtoB(_) => vec![Real, Real],
            Eval::RRR(_) => vec![Real, Real, Real],
            Eval::RI(_) => vec![Real, Int],
            Eval::I(_) | Eval::ItoR(_) => vec![Int],
            Eval::II(_) | Eval::IItoB(_) => vec![Int, Int],
            Eval::B(_) | Eval::BtoI(_) => vec![Bool],
            Eval::BB(_) => vec![Bool, Bool],
            Eval::Select => vec![Bool, selected, selected],
        }
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        self.args(Elem::Real).len()
    }

    /// The kind of its result. Selection gives what it selects.
    pub fn result(self, selected: Elem) -> Elem {
        match self.row().eval {
            Eval::R(_) | Eval::RR(_) | Eval::RRR(_) | Eval::RI(_) | Eval::ItoR(_) => Elem::Real,
            Eval::I(_) | Eval::II(_) | Eval::RtoI(_) | Eval::BtoI(_) => Elem::Int,
            Eval::B(_) | Eval::BB(_) | Eval::RRtoB(_) | Eval::IItoB(_) => Elem::Bool,
            Eval::Select => selected,
        }
    }

    /// What one application counts for: real arithmetic and functions 1, everything else nothing.
    pub fn cost(self) -> u64 {
        match self.row().eval {
            Eval::R(_) | Eval::RR(_) | Eval::RRR(_) | Eval::RI(_) => 1,
            Eval::I(_) | Eval::II(_) | Eval::B(_) | Eval::BB(_) => 0,
            Eval::RRtoB(_) | Eval::IItoB(_) | Eval::ItoR(_) | Eval::RtoI(_) => 0,
            Eval::BtoI(_) | Eval::Select => 0,
        }
    }

    /// Applies it to literals; `None` where it would panic.
    ///
    /// # Panics
    /// If the arguments are not of its kinds, which the verifier excludes.
    pub fn eval(self, args: &[Lit]) -> Option<Lit> {
        use Lit::{Bool, Int, Real};
        Some(match (self.row().eval, args) {
            (Eval::R(f), &[Real(x)]) => Real(f(x)),
            (Eval::RR(f), &[Real(x), Real(y)]) => Real(f(x, y)),
            (Eval::RRR(f), &[Real(x), Real(y), Real(z)]) => Real(f(x, y, z)),
            (Eval::RI(f), &[Real(x), Int(y)]) => Real(f(x, y)),
            (Eval::I(f), &[Int(x)]) => Int(f(x)?),
            (Eval::II(f), &[Int(x), Int(y)]) => Int(f(x, y)?),
            (Eval::B(f), &[Bool(x)]) => Bool(f(x)),
            (Eval::BB(f), &[Bool(x), Bool(y)]) => Bool(f(x, y)),
            (Eval::RRtoB(f), &[Real(x), Real(y)]) => Bool(f(x, y)),
            (Eval::IItoB(f), &[Int(x), Int(y)]) => Bool(f(x, y)),
            (Eval::ItoR(f), &[Int(x)]) => Real(f(x)),
            (Eval::RtoI(f), &[Real(x)]) => Int(f(x)),
            (Eval::BtoI(f), &[Bool(x)]) => Int(f(x)),
            (Eval::Select, &[Bool(c), x, y]) => {
                if c {
                    x
                } else {
                    y
                }
            }
            (_, args) => panic!("`{}` applied to {args:?}", self.name()),
        })
    }

    /// The partial derivatives with respect to each argument, at arguments `args` and result `out`,
    /// built with `scalars`. `constant[k]` says that argument `k` depends on no real parameter.
    ///
    /// Selection is linear in its arms and has no row here.
    pub fn partials<X: Clone>(
        self,
        scalars: &mut dyn Scalars<X>,
        args: &[X],
        out: &X,
        constant: &[bool],
    ) -> Vec<Partial<X>> {
        let rule = match self.row().diff {
            Diff::None | Diff::Flat => return vec![Partial::Zero; args.len()],
            Diff::Rule(rule) => rule,
        };
        let mut values: Vec<X> = args.to_vec();
        values.push(out.clone());
        let mut build = |step: Step<'_>| {
            let x = match step {
                Step::Prim(p, ks) => {
                    let xs: Vec<X> = ks.iter().map(|&k| values[k].clone()).collect();
                    scalars.prim(p, &xs)
                }
                Step::Lit(l) => scalars.lit(l),
            };
            values.push(x);
            values.len() - 1
        };
        let partials = rule(&mut Tape {
            arity: args.len(),
            constant,
            build: &mut build,
        });
        partials
            .into_iter()
            .map(|p| match p {
                Partial::Zero => Partial::Zero,
                Partial::One => Partial::One,
                Partial::MinusOne => Partial::MinusOne,
                Partial::Times(k) => Partial::Times(values[k].clone()),
                Partial::Over(k) => Partial::Over(values[k].clone()),
                Partial::Where(k) => Partial::Where(values[k].clone()),
            })
            .collect()
    }

    /// The same where sums, differences and products of integers wrap, as in release builds. What
    /// is hoisted, and never used, may overflow.
    pub fn eval_wrapping(self, args: &[Lit]) -> Option<Lit> {
        let wrapped = match (self, args) {
            (Prim::IAdd, &[Lit::Int(x), Lit::Int(y)]) => x.wrapping_add(y),
            (Prim::ISub, &[Lit::Int(x), Lit::Int(y)]) => x.wrapping_sub(y),
            (Prim::IMul, &[Lit::Int(x), Lit::Int(y)]) => x.wrapping_mul(y),
            (Prim::INeg, &[Lit::Int(x)]) => x.wrapping_neg(),
            (Prim::IAbs, &[Lit::Int(x)]) => x.wrapping_abs(),
            (_, _) => return self.eval(args),
        };
        Some(Lit::Int(wrapped))
    }

    /// Whether it panics for some integers: for all of these it does not if its last argument is a
    /// positive literal.
    pub fn is_partial(self) -> bool {
        matches!(
            self,
            Prim::IDiv | Prim::IRem | Prim::IRemEuclid | Prim::IPow | Prim::Natural
        )
    }

    /// Whether it gives an `f32` for any of `f32` where it computes in `f64`.
    pub fn is_exact(self) -> bool {
        let is_sign = matches!(self, Prim::Neg | Prim::Abs | Prim::Sign0 | Prim::Signum);
        let is_step = matches!(self, Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc);
        let is_choice = matches!(self, Prim::Max | Prim::Min | Prim::Select | Prim::Relu);
        let is_other = matches!(self, Prim::Copysign | Prim::Rem);
        is_sign || is_step || is_choice || is_other || self.is_cast_of_reals()
    }

    /// Whether it casts between `f32` and `f64`. Rounding has steps, which its derivative ignores.
    pub fn is_cast_of_reals(self) -> bool {
        matches!(self, Prim::Single | Prim::Double)
    }

    /// What casts an integer to a type of fewer than 64 bits: the least and the greatest value
    /// there.
    pub fn cast_range(self) -> Option<(i64, i64)> {
        match self.row().emit {
            Emit::Wrap("i8") => Some((i8::MIN.into(), i8::MAX.into())),
            Emit::Wrap("i16") => Some((i16::MIN.into(), i16::MAX.into())),
            Emit::Wrap("i32") => Some((i32::MIN.into(), i32::MAX.into())),
            Emit::Wrap("u8") => Some((0, u8::MAX.into())),
            Emit::Wrap("u16") => Some((0, u16::MAX.into())),
            Emit::Wrap("u32") => Some((0, u32::MAX.into())),
            Emit::Wrap(_) | Emit::Infix(_) | Emit::Prefix(_) | Emit::Method(_) => None,
            Emit::Call(_) | Emit::Cast(_) | Emit::If => None,
        }
    }

    /// The comparison that holds just where this one does not, also where a number is NaN.
    pub fn negation(self) -> Option<Prim> {
        let pairs = [
            (Prim::ILt, Prim::IGe),
            (Prim::ILe, Prim::IGt),
            (Prim::IEq, Prim::INe),
            (Prim::Eq, Prim::Ne),
        ];
        let both_ways = pairs.into_iter().flat_map(|(p, q)| [(p, q), (q, p)]);
        both_ways
            .into_iter()
            .find(|(p, _)| *p == self)
            .map(|(_, q)| q)
    }

    /// Whether any argument's tangent reaches the result.
    pub fn is_differentiable(self) -> bool {
        match self.row().diff {
            Diff::Rule(_) => true,
            Diff::None | Diff::Flat => matches!(self.row().eval, Eval::Select),
        }
    }
}

macro_rules! prims {
    ($($(#[$doc:meta])* $prim:ident $name:literal $eval:expr, $emit:expr, $diff:expr;)*) => {
        /// A scalar primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Prim { $($(#[$doc])* $prim),* }

        impl Prim {
            /// Every primitive.
            pub const ALL: &[Prim] = &[$(Prim::$prim),*];

            fn row(self) -> Row {
                match self {
                    $(Prim::$prim => Row { name: $name, eval: $eval, emit: $emit, diff: $diff },)*
                }
            }
        }
    };
}

use Diff::{Flat, None as NotReal, Rule as D};
use Emit::{Call, Cast, If, Infix, Method, Prefix, Wrap};
use Eval::{B, BB, BtoI, I, II, IItoB, ItoR, R, RI, RR, RRR, RRtoB, RtoI, Select};
use Partial::{MinusOne, One, Over, Times, Where, Zero};

/// The partial derivative of a function of one argument, given by a value.
macro_rules! times {
    (|$t:ident, $x:ident, $y:ident| $body:expr) => {
        D(|$t| {
            let ($x, $y) = (0, 1);
            let _ = ($x, $y, &mut *$t);
            vec![Times($body)]
        })
    };
}
/// The same, given by what to divide by.
macro_rules! over {
    (|$t:ident, $x:ident, $y:ident| $body:expr) => {
        D(|$t| {
            let ($x, $y) = (0, 1);
            let _ = ($x, $y, &mut *$t);
            vec![Over($body)]
        })
    };
}

/// Maximum and minimum: ties go to the first argument, and to the constant where one side is one.
/// `wins(a, b)` is the strict comparison; NaN on one side leaves the other.
fn extremum(t: &mut Tape<'_>, wins: Prim) -> Vec<Partial<usize>> {
    debug_assert_eq!(t.arity, 2);
    // The second wins if it is strictly better or the first is NaN; with a constant second side,
    // the first wins only if it is strictly better or the second is NaN.
    let (loser_first, a, b) = if t.constant[1] && !t.constant[0] {
        (false, 0, 1)
    } else {
        (true, 1, 0)
    };
    let better = t.p(wins, &[a, b]);
    let other_nan = t.p(Prim::Ne, &[b, b]);
    let strict = t.p(Prim::Or, &[better, other_nan]);
    let weak = t.p(Prim::Not, &[strict]);
    if loser_first {
        vec![Where(weak), Where(strict)]
    } else {
        vec![Where(strict), Where(weak)]
    }
}

// name, evaluation, emission, partial derivatives. In rules, x and y are the argument and the
// result; for more arguments they are 0, 1, .. and the result comes after the last.
prims! {
    /// a + b
    Add "add" RR(|a, b| a + b), Infix("+"), D(|_| vec![One, One]);
    /// a - b
    Sub "sub" RR(|a, b| a - b), Infix("-"), D(|_| vec![One, MinusOne]);
    /// a * b
    Mul "mul" RR(|a, b| a * b), Infix("*"), D(|_| vec![Times(1), Times(0)]);
    /// a / b: 1/b and -(a/b)/b
    Div "div" RR(|a, b| a / b), Infix("/"), D(|t| {
        let q = t.p(Prim::Div, &[2, 1]);
        let q = t.p(Prim::Neg, &[q]);
        vec![Over(1), Times(q)]
    });
    /// -a
    Neg "neg" R(|a| -a), Prefix("-"), D(|_| vec![MinusOne]);
    /// Remainder with the sign of the dividend: 1 and -trunc(a/b)
    Rem "rem" RR(|a, b| a % b), Infix("%"), D(|t| {
        let q = t.p(Prim::Div, &[0, 1]);
        let q = t.p(Prim::Trunc, &[q]);
        let q = t.p(Prim::Neg, &[q]);
        vec![One, Times(q)]
    });
    /// Nonnegative remainder: 1 and -(a - r)/b
    RemEuclid "rem_euclid" RR(|a, b| a.rem_euclid(b)), Method("rem_euclid"), D(|t| {
        let q = t.p(Prim::Sub, &[2, 0]);
        let q = t.p(Prim::Div, &[q, 1]);
        vec![One, Times(q)]
    });
    /// a * b + c
    MulAdd "mul_add" RRR(|a, b, c| a.mul_add(b, c)), Method("mul_add"),
        D(|_| vec![Times(1), Times(0), One]);
    /// 1 / a: -y²
    Recip "recip" R(|a| 1.0 / a), Method("recip"), times!(|t, x, y| {
        let s = t.p(Prim::Mul, &[y, y]);
        t.p(Prim::Neg, &[s])
    });
    /// `a as f32`, in a function that computes in `f64`
    Single "single" R(|a| f64::from(a as f32)), Call("single"), D(|_| vec![One]);
    /// `a as f64` of an `f32`, in such a function: the number itself. Core alone has it
    Double "double" R(|a| a), Cast("f64"), D(|_| vec![One]);
    /// eᵃ
    Exp "exp" R(f64::exp), Call("exp"), times!(|t, x, y| y);
    /// eᵃ, or 0 where it is very small: one term of a sum of exponentials, relative to the sum.
    /// Products with tiny terms would be subnormal numbers, which processors multiply slowly
    Weight "weight" R(special::weight), Call("weight"),
        times!(|t, x, y| y);
    /// 2ᵃ
    Exp2 "exp2" R(f64::exp2), Call("exp2"),
        times!(|t, x, y| t.scaled(std::f64::consts::LN_2, y));
    /// eᵃ - 1
    ExpM1 "exp_m1" R(f64::exp_m1), Call("exp_m1"), times!(|t, x, y| t.p(Prim::Exp, &[x]));
    /// Natural logarithm
    Ln "ln" R(f64::ln), Call("ln"), over!(|t, x, y| x);
    /// Binary logarithm
    Log2 "log2" R(f64::log2), Call("log2"),
        over!(|t, x, y| t.scaled(std::f64::consts::LN_2, x));
    /// Decimal logarithm
    Log10 "log10" R(f64::log10), Call("log10"),
        over!(|t, x, y| t.scaled(std::f64::consts::LN_10, x));
    /// ln(1 + a)
    Ln1p "ln_1p" R(f64::ln_1p), Call("ln_1p"), over!(|t, x, y| {
        let one = t.c(1.0);
        t.p(Prim::Add, &[one, x])
    });
    /// √a: 1/(2y), which is ∞ at 0
    Sqrt "sqrt" R(f64::sqrt), Method("sqrt"), over!(|t, x, y| t.scaled(2.0, y));
    /// ∛a: 1/(3y²)
    Cbrt "cbrt" R(f64::cbrt), Call("cbrt"), over!(|t, x, y| {
        let s = t.p(Prim::Mul, &[y, y]);
        t.scaled(3.0, s)
    });
    /// aⁿ for an integer n: n aⁿ⁻¹, nothing for n = 0
    Powi "powi" RI(special::powi), Call("powi"), D(|t| {
        let one = t.i(1);
        let n1 = t.p(Prim::ISub, &[1, one]);
        let power = t.p(Prim::Powi, &[0, n1]);
        let n = t.p(Prim::IntToReal, &[1]);
        let d = t.p(Prim::Mul, &[n, power]);
        let zero = t.i(0);
        let flat = t.p(Prim::IEq, &[1, zero]);
        let none = t.c(0.0);
        let d = t.p(Prim::Select, &[flat, none, d]);
        vec![Times(d), Zero]
    });
    /// aᵇ: b aᵇ⁻¹ (nothing for b = 0), and aᵇ ln a (nothing for a = 0)
    Powf "powf" RR(f64::powf), Call("powf"), D(|t| {
        let (zero, one) = (t.c(0.0), t.c(1.0));
        let b1 = t.p(Prim::Sub, &[1, one]);
        let power = t.p(Prim::Powf, &[0, b1]);
        let da = t.p(Prim::Mul, &[1, power]);
        let flat = t.p(Prim::Eq, &[1, zero]);
        let da = t.p(Prim::Select, &[flat, zero, da]);
        let at_zero = t.p(Prim::Eq, &[0, zero]);
        let log = t.p(Prim::Ln, &[0]);
        let db = t.p(Prim::Mul, &[2, log]);
        let db = t.p(Prim::Select, &[at_zero, zero, db]);
        vec![Times(da), Times(db)]
    });
    /// Sine
    Sin "sin" R(f64::sin), Call("sin"), times!(|t, x, y| t.p(Prim::Cos, &[x]));
    /// Cosine
    Cos "cos" R(f64::cos), Call("cos"), times!(|t, x, y| {
        let s = t.p(Prim::Sin, &[x]);
        t.p(Prim::Neg, &[s])
    });
    /// Tangent: 1 + y²
    Tan "tan" R(f64::tan), Call("tan"), times!(|t, x, y| t.one_plus_square(1.0, y));
    /// Arc sine: 1/√(1-x²)
    Asin "asin" R(f64::asin), Call("asin"), over!(|t, x, y| {
        let s = t.one_plus_square(-1.0, x);
        t.p(Prim::Sqrt, &[s])
    });
    /// Arc cosine: -1/√(1-x²)
    Acos "acos" R(f64::acos), Call("acos"), over!(|t, x, y| {
        let s = t.one_plus_square(-1.0, x);
        let r = t.p(Prim::Sqrt, &[s]);
        t.p(Prim::Neg, &[r])
    });
    /// Arc tangent: 1/(1+x²)
    Atan "atan" R(f64::atan), Call("atan"), over!(|t, x, y| t.one_plus_square(1.0, x));
    /// Angle of (b, a): b/(a²+b²) and -a/(a²+b²), nothing at the origin
    Atan2 "atan2" RR(f64::atan2), Call("atan2"), D(|t| {
        let (aa, bb) = (t.p(Prim::Mul, &[0, 0]), t.p(Prim::Mul, &[1, 1]));
        let norm = t.p(Prim::Add, &[aa, bb]);
        let (zero, one) = (t.c(0.0), t.c(1.0));
        let origin = t.p(Prim::Eq, &[norm, zero]);
        let norm = t.p(Prim::Select, &[origin, one, norm]);
        let da = t.p(Prim::Div, &[1, norm]);
        let minus = t.p(Prim::Neg, &[0]);
        let db = t.p(Prim::Div, &[minus, norm]);
        vec![Times(da), Times(db)]
    });
    /// Hyperbolic sine
    Sinh "sinh" R(f64::sinh), Call("sinh"), times!(|t, x, y| t.p(Prim::Cosh, &[x]));
    /// Hyperbolic cosine
    Cosh "cosh" R(f64::cosh), Call("cosh"), times!(|t, x, y| t.p(Prim::Sinh, &[x]));
    /// Hyperbolic tangent: 1 - y²
    Tanh "tanh" R(f64::tanh), Call("tanh"), times!(|t, x, y| t.one_plus_square(-1.0, y));
    /// 1/√(x²+1)
    Asinh "asinh" R(f64::asinh), Call("asinh"), over!(|t, x, y| {
        let s = t.one_plus_square(1.0, x);
        t.p(Prim::Sqrt, &[s])
    });
    /// 1/√(x²-1)
    Acosh "acosh" R(f64::acosh), Call("acosh"), over!(|t, x, y| {
        let s = t.p(Prim::Mul, &[x, x]);
        let one = t.c(1.0);
        let s = t.p(Prim::Sub, &[s, one]);
        t.p(Prim::Sqrt, &[s])
    });
    /// 1/(1-x²)
    Atanh "atanh" R(f64::atanh), Call("atanh"), over!(|t, x, y| t.one_plus_square(-1.0, x));
    /// |a|: the sign, 0 at 0
    Abs "abs" R(f64::abs), Method("abs"), times!(|t, x, y| t.p(Prim::Sign0, &[x]));
    /// -1, 0 or 1; the sign with 0 at 0
    Sign0 "sign0" R(special::sign0), Call("sign0"), Flat;
    /// The sign of Rust: ±1, also at ±0
    Signum "signum" R(f64::signum), Method("signum"), Flat;
    /// |a| with the sign of b: sign(a)·sign(b)
    Copysign "copysign" RR(f64::copysign), Method("copysign"), D(|t| {
        let (a, b) = (t.p(Prim::Sign0, &[0]), t.p(Prim::Signum, &[1]));
        let d = t.p(Prim::Mul, &[a, b]);
        vec![Times(d), Zero]
    });
    /// Towards −∞
    Floor "floor" R(f64::floor), Method("floor"), Flat;
    /// Towards ∞
    Ceil "ceil" R(f64::ceil), Method("ceil"), Flat;
    /// To the nearest, halves away from zero
    Round "round" R(f64::round), Method("round"), Flat;
    /// Towards zero
    Trunc "trunc" R(f64::trunc), Method("trunc"), Flat;
    /// a - trunc(a)
    Fract "fract" R(f64::fract), Method("fract"), D(|_| vec![One]);
    /// The larger
    Max "max" RR(f64::max), Method("max"), D(|t| extremum(t, Prim::Gt));
    /// The smaller
    Min "min" RR(f64::min), Method("min"), D(|t| extremum(t, Prim::Lt));
    /// √(a²+b²): a/y and b/y, nothing at the origin
    Hypot "hypot" RR(f64::hypot), Call("hypot"), D(|t| {
        let (zero, one) = (t.c(0.0), t.c(1.0));
        let origin = t.p(Prim::Eq, &[2, zero]);
        let y = t.p(Prim::Select, &[origin, one, 2]);
        let (a, b) = (t.p(Prim::Div, &[0, y]), t.p(Prim::Div, &[1, y]));
        vec![Times(a), Times(b)]
    });
    /// 1/(1+e⁻ᵃ): y(1-y)
    Sigmoid "sigmoid" R(special::sigmoid), Call("sigmoid"), times!(|t, x, y| {
        let one = t.c(1.0);
        let d = t.p(Prim::Sub, &[one, y]);
        t.p(Prim::Mul, &[y, d])
    });
    /// ln(1+eᵃ)
    Softplus "softplus" R(special::softplus), Call("softplus"),
        times!(|t, x, y| t.p(Prim::Sigmoid, &[x]));
    /// max(a, 0): 0 at the kink
    Relu "relu" R(|a| a.max(0.0)), Call("relu"), D(|t| {
        let zero = t.c(0.0);
        let c = t.p(Prim::Gt, &[0, zero]);
        vec![Where(c)]
    });
    /// ln |Γ(a)|
    Lgamma "lgamma" R(special::lgamma), Call("lgamma"),
        times!(|t, x, y| t.p(Prim::Digamma, &[x]));
    /// Derivative of lgamma
    Digamma "digamma" R(special::digamma), Call("digamma"), times!(|t, x, y| {
        let one = t.i(1);
        t.p(Prim::Polygamma, &[x, one])
    });
    /// The n-th derivative of digamma
    Polygamma "polygamma" RI(special::polygamma), Call("polygamma"), D(|t| {
        let one = t.i(1);
        let n = t.p(Prim::IAdd, &[1, one]);
        let d = t.p(Prim::Polygamma, &[0, n]);
        vec![Times(d), Zero]
    });
    /// The error function: 2/√π · exp(-x²)
    Erf "erf" R(special::erf), Call("erf"), times!(|t, x, y| {
        let s = t.p(Prim::Mul, &[x, x]);
        let s = t.p(Prim::Neg, &[s]);
        let e = t.p(Prim::Exp, &[s]);
        t.scaled(std::f64::consts::FRAC_2_SQRT_PI, e)
    });
    /// a == b
    Eq "eq" RRtoB(|a, b| a == b), Infix("=="), NotReal;
    /// a != b
    Ne "ne" RRtoB(|a, b| a != b), Infix("!="), NotReal;
    /// a < b
    Lt "lt" RRtoB(|a, b| a < b), Infix("<"), NotReal;
    /// a <= b
    Le "le" RRtoB(|a, b| a <= b), Infix("<="), NotReal;
    /// a > b
    Gt "gt" RRtoB(|a, b| a > b), Infix(">"), NotReal;
    /// a >= b
    Ge "ge" RRtoB(|a, b| a >= b), Infix(">="), NotReal;
    /// Integer a + b
    IAdd "iadd" II(i64::checked_add), Infix("+"), NotReal;
    /// Integer a - b
    ISub "isub" II(i64::checked_sub), Infix("-"), NotReal;
    /// Integer a * b
    IMul "imul" II(i64::checked_mul), Infix("*"), NotReal;
    /// Integer a / b, towards zero
    IDiv "idiv" II(i64::checked_div), Infix("/"), NotReal;
    /// Remainder of that
    IRem "irem" II(i64::checked_rem), Infix("%"), NotReal;
    /// Nonnegative remainder
    IRemEuclid "irem_euclid" II(i64::checked_rem_euclid), Method("rem_euclid"), NotReal;
    /// Integer -a
    INeg "ineg" I(i64::checked_neg), Prefix("-"), NotReal;
    /// Integer |a|
    IAbs "iabs" I(i64::checked_abs), Method("abs"), NotReal;
    /// Integer sign
    ISignum "isignum" I(|a| Some(a.signum())), Method("signum"), NotReal;
    /// The smaller integer
    IMin "imin" II(|a, b| Some(a.min(b))), Method("min"), NotReal;
    /// The larger integer
    IMax "imax" II(|a, b| Some(a.max(b))), Method("max"), NotReal;
    /// Integer power
    IPow "ipow" II(|a, b| a.checked_pow(u32::try_from(b).ok()?)), Call("ipow"), NotReal;
    /// Integer bits of both
    IAnd "iand" II(|a, b| Some(a & b)), Infix("&"), NotReal;
    /// Integer bits of one or both
    IOr "ior" II(|a, b| Some(a | b)), Infix("|"), NotReal;
    /// Integer bits of one
    IXor "ixor" II(|a, b| Some(a ^ b)), Infix("^"), NotReal;
    /// Integer bits moved up
    IShl "ishl" II(|a, b| a.checked_shl(u32::try_from(b).ok()?)), Infix("<<"), NotReal;
    /// Integer bits moved down
    IShr "ishr" II(|a, b| a.checked_shr(u32::try_from(b).ok()?)), Infix(">>"), NotReal;
    /// a as i8, as an i64
    AsI8 "as_i8" I(|a| Some(i64::from(a as i8))), Wrap("i8"), NotReal;
    /// a as i16, as an i64
    AsI16 "as_i16" I(|a| Some(i64::from(a as i16))), Wrap("i16"), NotReal;
    /// a as i32, as an i64
    AsI32 "as_i32" I(|a| Some(i64::from(a as i32))), Wrap("i32"), NotReal;
    /// a as u8, as an i64
    AsU8 "as_u8" I(|a| Some(i64::from(a as u8))), Wrap("u8"), NotReal;
    /// a as u16, as an i64
    AsU16 "as_u16" I(|a| Some(i64::from(a as u16))), Wrap("u16"), NotReal;
    /// a as u32, as an i64
    AsU32 "as_u32" I(|a| Some(i64::from(a as u32))), Wrap("u32"), NotReal;
    /// a, which is no value if it is negative
    Natural "natural" I(|a| (a >= 0).then_some(a)), Call("natural"), NotReal;
    /// Integer a == b
    IEq "ieq" IItoB(|a, b| a == b), Infix("=="), NotReal;
    /// Integer a != b
    INe "ine" IItoB(|a, b| a != b), Infix("!="), NotReal;
    /// Integer a < b
    ILt "ilt" IItoB(|a, b| a < b), Infix("<"), NotReal;
    /// Integer a <= b
    ILe "ile" IItoB(|a, b| a <= b), Infix("<="), NotReal;
    /// Integer a > b
    IGt "igt" IItoB(|a, b| a > b), Infix(">"), NotReal;
    /// Integer a >= b
    IGe "ige" IItoB(|a, b| a >= b), Infix(">="), NotReal;
    /// !a
    Not "not" B(|a| !a), Prefix("!"), NotReal;
    /// a and b, both evaluated
    And "and" BB(|a, b| a && b), Infix("&"), NotReal;
    /// a or b, both evaluated
    Or "or" BB(|a, b| a || b), Infix("|"), NotReal;
    /// Exclusive or
    Xor "xor" BB(|a, b| a != b), Infix("^"), NotReal;
    /// a as f64
    IntToReal "int_to_real" ItoR(|a| a as f64), Cast("f64"), NotReal;
    /// a as i64, towards zero
    RealToInt "real_to_int" RtoI(|a| a as i64), Cast("i64"), NotReal;
    /// a as i64
    BoolToInt "bool_to_int" BtoI(i64::from), Cast("i64"), NotReal;
    /// if a { b } else { c }, on values
    Select "select" Select, If, NotReal;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbers;
    impl Scalars<Lit> for Numbers {
        fn prim(&mut self, prim: Prim, args: &[Lit]) -> Lit {
            prim.eval(args).unwrap()
        }
        fn lit(&mut self, lit: Lit) -> Lit {
            lit
        }
    }

    fn partials(prim: Prim, args: &[f64], constant: &[bool]) -> Vec<f64> {
        let args: Vec<Lit> = args.iter().map(|&x| Lit::Real(x)).collect();
        let out = prim.eval(&args).unwrap();
        let real = |l: Lit| match l {
            Lit::Real(x) => x,
            Lit::Int(_) | Lit::Bool(_) => unreachable!(),
        };
        prim.partials(&mut Numbers, &args, &out, constant)
            .into_iter()
            .map(|p| match p {
                Zero => 0.0,
                One => 1.0,
                MinusOne => -1.0,
                Times(x) => real(x),
                Over(x) => 1.0 / real(x),
                Where(c) => f64::from(u8::from(c == Lit::Bool(true))),
            })
            .collect()
    }

    #[test]
    fn partials_agree_with_central_differences() {
        let points = [0.3, 0.45, 1.7, 2.6, -0.35, -1.4];
        for &prim in Prim::ALL {
            let arity = prim.arity();
            if prim.args(Elem::Real).iter().any(|&e| e != Elem::Real)
                || !prim.is_differentiable()
                || prim.is_cast_of_reals()
            {
                continue;
            }
            let mut tried = 0;
            for a in 0..points.len() {
                let x: Vec<f64> = (0..arity)
                    .map(|k| points[(a + k * 2) % points.len()])
                    .collect();
                let at = |x: &[f64]| {
                    let x: Vec<Lit> = x.iter().map(|&x| Lit::Real(x)).collect();
                    match prim.eval(&x) {
                        Some(Lit::Real(y)) => y,
                        other => panic!("{other:?}"),
                    }
                };
                let d = partials(prim, &x, &vec![false; arity]);
                for k in 0..arity {
                    let h = 1e-5;
                    let (mut up, mut down) = (x.clone(), x.clone());
                    up[k] += h;
                    down[k] -= h;
                    let slope = (at(&up) - at(&down)) / (2.0 * h);
                    if slope.is_finite() {
                        tried += 1;
                        let error = (slope - d[k]).abs() / (1.0 + slope.abs());
                        assert!(
                            error < 1e-7,
                            "{} by argument {k} at {x:?}: {slope} {}",
                            prim.name(),
                            d[k]
                        );
                    }
                }
            }
            assert!(tried > 0, "{} was not tried", prim.name());
        }
    }

    #[test]
    fn kinks_are_as_documented() {
        assert_eq!(partials(Prim::Abs, &[0.0], &[false]), [0.0]);
        assert_eq!(
            partials(Prim::Max, &[1.0, 1.0], &[false, false]),
            [1.0, 0.0]
        );
        assert_eq!(partials(Prim::Max, &[1.0, 1.0], &[false, true]), [0.0, 1.0]);
        assert_eq!(partials(Prim::Min, &[1.0, 1.0], &[true, false]), [1.0, 0.0]);
        assert_eq!(partials(Prim::Relu, &[0.0], &[false]), [0.0]);
        assert_eq!(
            partials(Prim::Powf, &[0.0, 2.0], &[false, false]),
            [0.0, 0.0]
        );
        assert_eq!(
            partials(Prim::Powf, &[0.0, 0.0], &[false, false]),
            [0.0, 0.0]
        );
        assert_eq!(
            partials(Prim::Hypot, &[0.0, 0.0], &[false, false]),
            [0.0, 0.0]
        );
        assert_eq!(
            partials(Prim::Atan2, &[0.0, 0.0], &[false, false]),
            [0.0, 0.0]
        );
        assert_eq!(partials(Prim::Sqrt, &[0.0], &[false]), [f64::INFINITY]);
    }

    #[test]
    fn negations_are_mutual() {
        for &p in Prim::ALL {
            if let Some(q) = p.negation() {
                assert_eq!(q.negation(), Some(p));
            }
        }
        // Of two numbers one of which is NaN neither is the smaller.
        assert_eq!(Prim::Lt.negation(), None);
    }

    #[test]
    fn names_are_unique() {
        for &p in Prim::ALL {
            assert_eq!(Prim::by_name(p.name()), Some(p));
        }
    }
}
