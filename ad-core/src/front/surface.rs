//! What users write, with the place where they wrote it. What the language lacks has no variant
//! here.

use super::error::{Loc, Reported};
use super::types::{Scalar, Written};
use std::rc::Rc;

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    /// Where it stands.
    pub(super) loc: Loc,
    /// What it is.
    pub(super) kind: Kind,
}

impl Expr {
    /// The place that a method may change.
    #[allow(clippy::wildcard_enum_match_arm, reason = "it asks for one kind")]
    pub(super) fn place(&self) -> Option<&Place> {
        match &self.kind {
            Kind::Lent(_, place) => Some(place),
            _ => None,
        }
    }

    /// Whether it is a variable that is borrowed to be changed, or a part of one.
    pub(super) fn is_borrow(&self) -> bool {
        let mut of = self;
        while let Kind::Method(receiver, ..) = &of.kind {
            of = receiver;
        }
        matches!(of.kind, Kind::Borrow(_))
    }
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// `2.0`
    Real(f64),
    /// `2`, `2usize`
    Int(i64, Option<Scalar>),
    /// `true`
    Bool(bool),
    /// A variable or a constant.
    Path(syn::Path),
    /// `-x`, `!x`
    Unary(Unary, Box<Expr>),
    /// `x + y`
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `x as f64`
    Cast(Box<Expr>, Scalar),
    /// `if c { x } else { y }`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match n { .. }`
    Match(Box<Expr>, Vec<Arm>),
    /// `{ let x = y; z }`
    Block(Vec<Stmt>, Box<Expr>),
    /// `(x, y)`
    Tuple(Vec<Expr>),
    /// `[x, y]`
    List(Vec<Expr>),
    /// `[x; n]`
    Repeat(Box<Expr>, Box<Expr>),
    /// `f(x, y)`
    Call(syn::Path, Vec<Expr>),
    /// `x.f(y)`
    Method(Box<Expr>, syn::Ident, Vec<Expr>),
    /// `&mut x`, `&mut x.a[i]`
    Borrow(Box<Place>),
    /// What a method is called on that may change it: how it is read, and where it is.
    Lent(Box<Expr>, Box<Place>),
    /// `*x`, where `x` may be borrowed to be changed: the value it has here.
    Copied(Box<Expr>),
    /// `x.0`
    Field(Box<Expr>, usize),
    /// `p.x`
    Member(Box<Expr>, syn::Ident),
    /// `P { x: a, ..q }`, `P(a, b)`
    Struct(syn::Path, Vec<(String, Expr)>, Option<Box<Expr>>),
    /// `a[i]`, `a[[i, j]]`, `a[(i, j)]`
    Index(Box<Expr>, Vec<Expr>),
    /// A part that a pattern takes out of what has a name: of what is borrowed, it is borrowed, too.
    Part(Box<Expr>, Vec<Expr>),
    /// `|x, y| z`
    Closure(Rc<Closure>),
    /// `a..b`; the last says whether `b` belongs to it, as in `a..=b`.
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    /// `array![..]` and other macros that make arrays, with what stands between the brackets.
    Macro(syn::Ident, Vec<Expr>),
    /// `s![..]`
    Slices(Vec<Slice>),
    /// What is pushed to a list that grows, or an element that is written over before it is read.
    Slot(String, Option<Box<Expr>>),
    /// A block whose changes of variables around it are forgotten behind it.
    Trial(Box<Expr>),
    /// `Some(x)`, `Ok(x)`; `None`, `Err(..)`
    Maybe(Option<Box<Expr>>),
    /// The value of an `Option` or a `Result`, which is there.
    Take(Box<Expr>),
    /// Whether an `Option` or a `Result` has no value.
    IsNone(Box<Expr>),
    /// An `Option` or a `Result`; without a value, the function is left.
    Tried(Box<Expr>),
    /// What is never computed, since the block around was left before.
    Never,
    /// The same where the function fails: that this does not happen is known before.
    Impossible,
    /// Something wrong, which has been reported.
    Hole(Reported),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`
    Both,
    /// `||`
    Either,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
}

impl Binary {
    /// As it is written.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::Both => "&&",
            Binary::Either => "||",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
        }
    }
}

/// What `s![..]` says about an axis.
#[derive(Clone, Debug)]
pub(super) enum Slice {
    /// `a..b;step`
    Range {
        /// From here, or from the beginning.
        from: Option<Box<Expr>>,
        /// To there, or to the end.
        to: Option<Box<Expr>>,
        /// Whether `to` is included.
        closed: bool,
        /// How far from one element to the next, backwards if negative.
        step: Option<Box<Expr>>,
    },
    /// `i`, which drops the axis.
    At(Expr),
    /// `NewAxis`, of length 1.
    New,
}

/// A pattern that always matches.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    /// `x`
    Name(syn::Ident),
    /// `_`
    Wild,
    /// `(x, y)`
    Tuple(Loc, Vec<Pattern>),
    /// `[x, y]`
    List(Loc, Vec<Pattern>),
    /// `P { x, y: z, .. }`, `P(x, y)`
    Struct(Loc, Vec<(String, Pattern)>),
    /// Something wrong, which has been reported, and the names in it.
    Hole(Reported, Vec<syn::Ident>),
}

/// An annotation `: T`.
#[derive(Clone, Debug)]
pub(super) enum Note {
    /// None, or `_`
    Infer,
    /// A type.
    Of(Box<Written>),
    /// `(T, U)`
    Tuple(Vec<Note>),
}

/// A closure.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    /// Its parameters.
    pub(super) params: Vec<(Pattern, Note)>,
    /// Where they stand.
    pub(super) params_loc: Loc,
    /// What it is said to return.
    pub(super) result: Note,
    /// What it returns.
    pub(super) body: Expr,
}

/// A statement that is not the value of the block.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    /// `let p: T = e;`, also `const C: T = e;`
    Let(Pattern, Note, Box<Expr>),
    /// `use path as name;`
    Use(syn::Ident, syn::Path),
    /// `let x;`
    Later(syn::Ident),
    /// What is evaluated for what it assigns.
    Do(Box<Expr>),
    /// `x = e;`, `x += e;`
    Assign(Box<Assign>),
    /// `x.swap(i, j);`
    Swap(Box<Swap>),
    /// `for p in .. { .. }`
    For(Box<For>),
    /// `while c { .. }`
    While(Box<While>),
    /// Something wrong, which has been reported, and the names it would have brought in.
    Hole(Reported, Vec<syn::Ident>),
}

/// `x.swap(i, j);`
#[derive(Clone, Debug)]
pub(super) struct Swap {
    pub(super) place: Place,
    pub(super) i: Expr,
    pub(super) j: Expr,
    /// The same for rows of a list of lists, element by element.
    pub(super) rows: Stmt,
}

/// An assignment.
#[derive(Clone, Debug)]
pub(super) struct Assign {
    /// Where it stands.
    pub(super) loc: Loc,
    /// What changes.
    pub(super) target: Target,
    /// How.
    pub(super) how: How,
    /// The operand.
    pub(super) value: Expr,
}

/// How an assignment changes a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    /// `x = e`
    Set,
    /// `x += e`
    By(Binary),
    /// `x.assign(&e)`: the elements only.
    Copy,
    /// `x.fill(e)`
    Fill,
    /// `x.sort()`: a variable becomes what is given, and a part of an array gets its elements.
    Elements,
    /// `x.swap_axes(0, 1)`: an array is turned; of a view, the array behind it stays as it is.
    Axes,
}

/// What stands before the `=`.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A variable, or a part of it.
    Place(Place),
    /// `(x, y)`
    Tuple(Loc, Vec<Target>),
    /// `_`
    Wild,
}

/// A variable, or a part of it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Where it stands.
    pub(super) loc: Loc,
    /// The variable.
    pub(super) root: syn::Ident,
    /// Whether the variable has to be borrowed from another one: `*x`.
    pub(super) deref: bool,
    /// From there to the part.
    pub(super) steps: Vec<Step>,
}

/// From a value to a part of it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `.0`, `.x`
    Field(Loc, String),
    /// `[i]`, `[[i, j]]`
    At(Loc, Vec<Expr>),
    /// `.row_mut(i)`, `.slice_mut(s![..])` and their like
    Method(Loc, syn::Ident, Vec<Expr>),
}

/// A `for` loop.
#[derive(Clone, Debug)]
pub(super) struct For {
    /// Where its head stands.
    pub(super) loc: Loc,
    /// What takes the items.
    pub(super) pattern: Pattern,
    /// What it runs over.
    pub(super) over: Source,
    /// What happens, without a value.
    pub(super) body: Expr,
    /// The variables that are assigned to in there.
    pub(super) assigned: Vec<syn::Ident>,
    /// The variables that it may change because it runs over their elements.
    pub(super) borrowed: Vec<syn::Ident>,
    /// Whether to go on, where that is not known before.
    pub(super) going: Option<Expr>,
}

/// What a `for` loop runs over.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// `a..b`, or `a..=b`
    Range(Loc, Box<Expr>, Box<Expr>, bool),
    /// The elements of an array, the last axis fastest; or what `&x` gives.
    Elements(Expr),
    /// The elements of an array with their indices.
    Indexed(Expr),
    /// The parts along an axis, of an array of that rank if one is given.
    Parts(Expr, usize, Option<usize>),
    /// `.rev()`
    Rev(Box<Source>),
    /// `.step_by(k)`
    Step(Box<Source>, Expr),
    /// `.skip(k)`
    Skip(Box<Source>, Expr),
    /// `.take(k)`
    Take(Box<Source>, Expr),
    /// `.enumerate()`
    Enumerate(Box<Source>),
    /// `.zip(..)`
    Zip(Box<Source>, Box<Source>),
    /// Something wrong, which has been reported.
    Hole(Reported),
}

/// A `while` loop.
#[derive(Clone, Debug)]
pub(super) struct While {
    /// Where it stands.
    pub(super) loc: Loc,
    /// When it goes on.
    pub(super) cond: Expr,
    /// What happens, without a value.
    pub(super) body: Expr,
    /// The variables that are assigned to in there.
    pub(super) assigned: Vec<syn::Ident>,
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    /// What it is for.
    pub(super) test: Test,
    /// `if g`
    pub(super) guard: Option<Expr>,
    /// What it gives.
    pub(super) body: Expr,
}

/// A pattern that may not match.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// `x`
    Name(syn::Ident),
    /// `_`
    Wild,
    /// `2`
    Int(Loc, i64),
    /// `true`
    Bool(Loc, bool),
    /// A constant.
    Const(Loc, syn::Path),
    /// `a..=b`, both included
    Range(Loc, Option<i64>, Option<i64>),
    /// `p | q`
    Or(Vec<Test>),
    /// `(p, q)`
    Tuple(Loc, Vec<Test>),
    /// `[p, q]`, of an array whose length is fixed
    List(Loc, Vec<Test>),
    /// `Some(p)`, `Ok(p)`
    Some(Loc, Box<Test>),
    /// `None`, `Err(_)`
    None(Loc),
    /// `Kind::Elu { alpha: p, .. }`, `Kind::Leaky(p)`, `P { x: p }`
    Struct(Loc, syn::Path, Vec<(String, Test)>),
    /// Something wrong, which has been reported, and the names in it.
    Hole(Reported, Vec<syn::Ident>),
}

impl Test {
    /// The names it binds where it matches.
    pub(super) fn names(&self) -> Vec<syn::Ident> {
        match self {
            Test::Name(ident) => vec![ident.clone()],
            Test::Wild
            | Test::Int(..)
            | Test::Bool(..)
            | Test::Const(..)
            | Test::Range(..)
            | Test::None(_) => vec![],
            Test::Some(_, inner) => inner.names(),
            Test::Struct(_, _, fields) => fields.iter().flat_map(|(_, t)| t.names()).collect(),
            Test::Or(tests) | Test::Tuple(_, tests) | Test::List(_, tests) => {
                tests.iter().flat_map(Test::names).collect()
            }
            Test::Hole(_, names) => names.clone(),
        }
    }
}
