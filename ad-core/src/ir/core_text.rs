//! Core as text: what is printed reads back as the same program.
//!
//! ```text
//! fn dot(x.0: real[_], y.1: real[_]) -> real {
//!   let n.2 = dim(x.0, 0);
//!   sum(i.3 < n.2 => mul(x.0[i.3], y.1[i.3]))
//! }
//! ```
//!
//! | form | meaning |
//! |---|---|
//! | `x.0` | the variable of number 0, called `x` |
//! | `1.0` `-inf` `NaN` `1` `true` | literals |
//! | `add(a, b)` | a primitive, by its name in the table |
//! | `{ let v.1 = a; b }` | a binding; needs no braces where a body is expected |
//! | `if c { a } else { b }` | a branch |
//! | `build(i.1 < n => a)` | an array |
//! | `sum(i.1 < n => a)`, `argmax(i.1 < n => a)` and their kin | reductions |
//! | `scatter([n, m]; i.1 < k, j.2 < l => let x.3 = c; [a, b] += v)` | a scatter |
//! | `a[i, _]` | an element or a part |
//! | `dim(a, 0)` `stop(a)` | the length of an axis; a constant |

use super::core::{Binder, Expr, Extremum, Kind, Param, Program, ReduceOp, Scatter, Sym, Ty};
use super::prims::Prim;
use super::ty::{Elem, Lit};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// How far lines may go before they are broken.
const WIDTH: usize = 96;

// ---------------------------------------------------------------------------------------------
// Printing

/// Text that knows how wide it is on one line.
struct Doc {
    /// The width on one line; `None` if it never goes on one.
    flat: Option<usize>,
    kind: DocKind,
}

enum DocKind {
    Text(String),
    Cat(Vec<Doc>),
    /// `open item, item close`, one item per line if broken.
    List(Doc1, Vec<Doc>, &'static str),
    /// `open body close`, the body on lines of its own if broken; `pad` is the space inside.
    Wrap(Doc1, Doc1, &'static str, bool),
    /// Bindings, then a value.
    Lets(Vec<(String, Doc)>, Doc1),
}

type Doc1 = Box<Doc>;

impl Doc {
    fn text(s: impl Into<String>) -> Doc {
        let s = s.into();
        Doc {
            flat: Some(s.chars().count()),
            kind: DocKind::Text(s),
        }
    }

    fn cat(parts: Vec<Doc>) -> Doc {
        Doc {
            flat: parts.iter().map(|p| p.flat).sum(),
            kind: DocKind::Cat(parts),
        }
    }

    fn list(open: Doc, items: Vec<Doc>, close: &'static str) -> Doc {
        let inner: Option<usize> = items.iter().map(|p| p.flat.map(|w| w + 2)).sum();
        let flat = inner
            .zip(open.flat)
            .map(|(w, o)| (w + o + close.len()).saturating_sub(2 * usize::from(w > 0)));
        Doc {
            flat,
            kind: DocKind::List(Box::new(open), items, close),
        }
    }

    fn wrap(open: Doc, body: Doc, close: &'static str, pad: bool) -> Doc {
        let flat = open.flat.zip(body.flat);
        Doc {
            flat: flat.map(|(o, b)| o + b + close.len() + 1 + usize::from(pad)),
            kind: DocKind::Wrap(Box::new(open), Box::new(body), close, pad),
        }
    }

    fn lets(lets: Vec<(String, Doc)>, last: Doc) -> Doc {
        Doc {
            flat: None,
            kind: DocKind::Lets(lets, Box::new(last)),
        }
    }

    fn put(&self, indent: usize, out: &mut String) {
        let fits = self.flat.is_some_and(|w| column_of(out) + w <= WIDTH);
        let newline = |by: usize, out: &mut String| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent + by));
        };
        match &self.kind {
            DocKind::Text(s) => out.push_str(s),
            DocKind::Cat(parts) => parts.iter().for_each(|p| p.put(indent, out)),
            DocKind::List(open, items, close) => {
                open.put(indent, out);
                // Only the items matter now: what is before them may have been broken.
                let inner: Option<usize> = items.iter().map(|p| p.flat.map(|w| w + 2)).sum();
                let fits = inner.is_some_and(|w| column_of(out) + w + close.len() <= WIDTH + 2);
                for (k, item) in items.iter().enumerate() {
                    if fits {
                        out.push_str(if k > 0 { ", " } else { "" });
                    } else {
                        out.push_str(if k > 0 { "," } else { "" });
                        newline(2, out);
                    }
                    item.put(indent + 2, out);
                }
                if !fits && !items.is_empty() {
                    newline(0, out);
                }
                out.push_str(close);
            }
            DocKind::Wrap(open, body, close, pad) => {
                open.put(indent, out);
                if fits {
                    out.push(' ');
                } else {
                    newline(2, out);
                }
                body.put(indent + 2, out);
                if !fits {
                    newline(0, out);
                } else if *pad {
                    out.push(' ');
                }
                out.push_str(close);
            }
            DocKind::Lets(lets, last) => {
                for (head, bound) in lets {
                    out.push_str(head);
                    bound.put(indent, out);
                    out.push(';');
                    newline(0, out);
                }
                last.put(indent, out);
            }
        }
    }
}

/// How long the last line is.
fn column_of(out: &str) -> usize {
    let line = out.rfind('\n').map_or(0, |k| k + 1);
    out[line..].chars().count()
}

/// A name as the parser accepts it.
fn name_of(hint: &str) -> String {
    let mut s: String = (hint.chars())
        .map(|c| if is_word(c) { c } else { '_' })
        .collect();
    if !s.starts_with(|c: char| is_word(c) && !c.is_numeric()) {
        s.insert(0, '_');
    }
    s
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn sym_text(s: &Sym) -> String {
    format!("{}.{}", name_of(&s.hint), s.id)
}

fn lit_text(l: &Lit) -> String {
    match l {
        // All NaNs look alike otherwise, and literals are equal when their bits are.
        Lit::Real(x) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => {
            format!("NaN({:#x})", x.to_bits())
        }
        Lit::Real(_) | Lit::Int(_) | Lit::Bool(_) => l.to_string(),
    }
}

fn ty_text(ty: Ty) -> String {
    match ty.rank {
        0 => ty.elem.to_string(),
        n => format!("{}[{}]", ty.elem, vec!["_"; n].join(", ")),
    }
}

/// Where an expression stands: bindings and branches need delimiters in some places.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Between delimiters of its own: `let` may follow.
    Body,
    /// As an operand.
    Operand,
    /// Before a bracket or a brace.
    Head,
}

fn binder_doc(b: &Binder) -> Doc {
    Doc::cat(vec![
        Doc::text(format!("{} < ", sym_text(&b.var))),
        doc(&b.extent, Place::Operand),
    ])
}

fn let_doc(sym: &Sym, bound: &Expr) -> (String, Doc) {
    let head = format!("let {} = ", sym_text(sym));
    (head, doc(bound, Place::Operand))
}

fn bound_doc(name: &str, b: &Binder, body: &Expr) -> Doc {
    let (name, arrow) = (format!("{name}("), " =>");
    let open = Doc::cat(vec![Doc::text(name), binder_doc(b), Doc::text(arrow)]);
    Doc::wrap(open, doc(body, Place::Body), ")", false)
}

fn doc(e: &Expr, place: Place) -> Doc {
    let operands = |es: &[Expr]| es.iter().map(|e| doc(e, Place::Operand)).collect();
    let in_parens = |d: Doc| match place {
        Place::Head => Doc::cat(vec![Doc::text("("), d, Doc::text(")")]),
        Place::Body | Place::Operand => d,
    };
    match &*e.kind {
        Kind::Var(s) => Doc::text(sym_text(s)),
        Kind::Lit(l) => Doc::text(lit_text(l)),
        Kind::Prim(p, args) => Doc::list(
            Doc::text(format!("{}(", p.name())),
            operands(args.as_slice()),
            ")",
        ),
        Kind::Let(..) => {
            let (mut lets, mut at) = (vec![], e);
            while let Kind::Let(s, bound, body) = &*at.kind {
                lets.push(let_doc(s, bound));
                at = body;
            }
            let lets = Doc::lets(lets, doc(at, Place::Body));
            match place {
                Place::Body => lets,
                Place::Operand | Place::Head => {
                    in_parens(Doc::wrap(Doc::text("{"), lets, "}", true))
                }
            }
        }
        Kind::If(c, a, b) => {
            let head = Doc::cat(vec![Doc::text("if "), doc(c, Place::Head), Doc::text(" {")]);
            // Both branches break, or neither does.
            let then = doc(a, Place::Body);
            let other = doc(b, Place::Body);
            let flat = (then.flat.zip(other.flat))
                .zip(head.flat)
                .map(|((a, b), c)| a + b + c + 14)
                .filter(|&w| w <= WIDTH * 2 / 3);
            let force = |mut d: Doc| {
                if flat.is_none() {
                    d.flat = None;
                }
                d
            };
            let then = force(Doc::wrap(head, then, "}", true));
            let other = force(Doc::wrap(Doc::text(" else {"), other, "}", true));
            in_parens(Doc::cat(vec![then, other]))
        }
        Kind::Build(b, body) => bound_doc("build", b, body),
        Kind::Reduce(op, b, body) => bound_doc(op.name(), b, body),
        Kind::ArgReduce(op, b, body) => bound_doc(op.name(), b, body),
        Kind::Scatter(s) => {
            let binders = s.binders.iter().map(binder_doc).collect();
            let open = Doc::cat(vec![
                Doc::list(Doc::text("scatter(["), operands(&s.extents), "]; "),
                Doc::list(Doc::text(""), binders, " =>"),
            ]);
            let add = Doc::cat(vec![
                Doc::list(Doc::text("["), operands(&s.index), "] += "),
                doc(&s.value, Place::Operand),
            ]);
            let body = if s.lets.is_empty() {
                add
            } else {
                let lets = s.lets.iter().map(|(sym, bound)| let_doc(sym, bound));
                Doc::lets(lets.collect(), add)
            };
            Doc::wrap(open, body, ")", false)
        }
        Kind::Index(a, at) => {
            let at = at.iter().map(|i| match i {
                Some(i) => doc(i, Place::Operand),
                None => Doc::text("_"),
            });
            let open = Doc::cat(vec![doc(a, Place::Head), Doc::text("[")]);
            Doc::list(open, at.collect(), "]")
        }
        Kind::Dim(a, axis) => Doc::list(
            Doc::text("dim("),
            vec![doc(a, Place::Operand), Doc::text(axis.to_string())],
            ")",
        ),
        Kind::Stop(a) => Doc::list(Doc::text("stop("), vec![doc(a, Place::Operand)], ")"),
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        doc(self, Place::Operand).put(0, &mut out);
        f.write_str(&out)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = (self.params.iter())
            .map(|p| format!("{}: {}", sym_text(&p.sym), ty_text(p.ty)))
            .collect();
        let mut out = format!(
            "fn {}({}) -> {} {{\n  ",
            self.name,
            params.join(", "),
            ty_text(self.body.ty)
        );
        doc(&self.body, Place::Body).put(2, &mut out);
        out.push_str("\n}\n");
        f.write_str(&out)
    }
}

// ---------------------------------------------------------------------------------------------
// Parsing

#[derive(Clone, Debug, PartialEq)]
enum Tok {
    /// A name that stands alone.
    Word(Rc<str>),
    /// `hint.id`
    Sym(Sym),
    Lit(Lit),
    /// Punctuation: one character, or `=>`, `->`, `+=`.
    Punct(&'static str),
    End,
}

impl fmt::Display for Tok {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tok::Word(w) => write!(f, "`{w}`"),
            Tok::Sym(s) => write!(f, "`{}`", sym_text(s)),
            Tok::Lit(l) => write!(f, "`{}`", lit_text(l)),
            Tok::Punct(p) => write!(f, "`{p}`"),
            Tok::End => f.write_str("the end"),
        }
    }
}

const PUNCTS: [&str; 17] = [
    "=>", "->", "+=", "(", ")", "[", "]", "{", "}", "<", ",", ";", ":", "=", "_", "#", ".",
];

/// The tokens with the byte offsets at which they start.
fn tokens(src: &str) -> Result<Vec<(Tok, usize)>, (String, usize)> {
    let mut toks = vec![];
    let mut at = 0;
    let word_end = |from: usize| {
        let rest = &src[from..];
        from + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    };
    while let Some(c) = src[at..].chars().next() {
        let start = at;
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if src[at..].starts_with("//") {
            at += src[at..].find('\n').unwrap_or(src.len() - at);
            continue;
        }
        let negative = c == '-' && !src[at..].starts_with("->");
        let digits = at + usize::from(negative);
        if negative || c.is_ascii_digit() {
            at = number_end(src, digits);
            let text = &src[start..at];
            let wrong = |_| (format!("`{text}` is no number"), start);
            let lit = if text.ends_with(|c: char| c.is_ascii_digit())
                && !text.contains(['.', 'e', 'E'])
            {
                Lit::Int(
                    text.parse()
                        .map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?,
                )
            } else {
                Lit::Real(
                    text.parse()
                        .map_err(|e: std::num::ParseFloatError| wrong(e.to_string()))?,
                )
            };
            toks.push((Tok::Lit(lit), start));
            continue;
        }
        if is_word(c) {
            at = word_end(at);
            // `r#name` is one word.
            if &src[start..at] == "r" && src[at..].starts_with('#') {
                at = word_end(at + 1);
            }
            let word = &src[start..at];
            let id = src[at..].strip_prefix('.').map(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit());
                &rest[..end.unwrap_or(rest.len())]
            });
            let tok = match (word, id) {
                (_, Some(id)) if !id.is_empty() => {
                    at += 1 + id.len();
                    let id = id
                        .parse()
                        .map_err(|_| ("the number is too large".to_owned(), start))?;
                    let hint = word.into();
                    Tok::Sym(Sym { id, hint })
                }
                ("_", _) => Tok::Punct("_"),
                ("inf", _) => Tok::Lit(Lit::Real(f64::INFINITY)),
                ("NaN", _) => {
                    let bits = src[at..].strip_prefix("(0x").and_then(|rest| {
                        let end = rest.find(')')?;
                        let bits = u64::from_str_radix(&rest[..end], 16).ok()?;
                        Some((bits, end))
                    });
                    if let Some((_, end)) = bits {
                        at += 4 + end;
                    }
                    Tok::Lit(Lit::Real(bits.map_or(f64::NAN, |b| f64::from_bits(b.0))))
                }
                ("true", _) => Tok::Lit(Lit::Bool(true)),
                ("false", _) => Tok::Lit(Lit::Bool(false)),
                _ => Tok::Word(word.into()),
            };
            toks.push((tok, start));
            continue;
        }
        let punct = PUNCTS.iter().find(|p| src[at..].starts_with(**p));
        let Some(punct) = punct else {
            return Err((format!("`{c}` is not part of the language"), start));
        };
        at += punct.len();
        toks.push((Tok::Punct(punct), start));
    }
    toks.push((Tok::End, src.len()));
    Ok(toks)
}

/// Where the digits, point, exponent or `inf` that start at `at` end.
fn number_end(src: &str, at: usize) -> usize {
    if src[at..].starts_with("inf") {
        return at + 3;
    }
    let digits = |from: usize| {
        let rest = &src[from..];
        from + rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let mut end = digits(at);
    if src[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if src[end..].starts_with(['e', 'E']) {
        let sign = usize::from(src[end + 1..].starts_with(['+', '-']));
        end = digits(end + 1 + sign);
    }
    end
}

struct Parser {
    toks: Vec<(Tok, usize)>,
    at: usize,
    scope: HashMap<u32, Ty>,
}

/// A message and the offset it is about.
type Parsed<T> = Result<T, (String, usize)>;

/// Reads the text form. Types are worked out from the parameters; whether the program obeys the
/// rules is for [`super::core_check::check`] to say.
pub fn parse(src: &str) -> Result<Program, String> {
    let program = tokens(src).and_then(|toks| {
        let scope = HashMap::new();
        let mut p = Parser { toks, at: 0, scope };
        let program = p.program()?;
        if *p.peek() == Tok::End {
            return Ok(program);
        }
        p.fail(format!("expected the end, found {}", p.peek()))
    });
    program.map_err(|(message, at)| {
        let line = src[..at].matches('\n').count() + 1;
        let start = src[..at].rfind('\n').map_or(0, |k| k + 1);
        let column = src[start..at].chars().count() + 1;
        format!("{line}:{column}: {message}")
    })
}

impl Parser {
    fn peek(&self) -> &Tok {
        &self.toks[self.at].0
    }

    fn next(&mut self) -> Tok {
        let tok = self.toks[self.at].0.clone();
        if tok != Tok::End {
            self.at += 1;
        }
        tok
    }

    fn fail<T>(&self, message: String) -> Parsed<T> {
        Err((message, self.toks[self.at].1))
    }

    fn is(&self, p: &str) -> bool {
        matches!(self.peek(), Tok::Punct(q) if *q == p)
    }

    fn eat(&mut self, p: &str) -> bool {
        let is = self.is(p);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, p: &str) -> Parsed<()> {
        if self.eat(p) {
            return Ok(());
        }
        self.fail(format!("expected `{p}`, found {}", self.peek()))
    }

    fn eat_word(&mut self, w: &str) -> bool {
        let is = matches!(self.peek(), Tok::Word(v) if &**v == w);
        self.at += usize::from(is);
        is
    }

    fn expect_word(&mut self, w: &str) -> Parsed<()> {
        if self.eat_word(w) {
            return Ok(());
        }
        self.fail(format!("expected `{w}`, found {}", self.peek()))
    }

    fn sym(&mut self) -> Parsed<Sym> {
        if let Tok::Sym(s) = self.peek() {
            let s = s.clone();
            self.at += 1;
            return Ok(s);
        }
        self.fail(format!("expected a variable, found {}", self.peek()))
    }

    fn ty(&mut self) -> Parsed<Ty> {
        let elem = [Elem::Real, Elem::Int, Elem::Bool]
            .into_iter()
            .find(|e| self.eat_word(&e.to_string()));
        let Some(elem) = elem else {
            return self.fail(format!("expected a type, found {}", self.peek()));
        };
        let mut rank = 0;
        if self.eat("[") {
            while self.eat("_") {
                rank += 1;
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        Ok(Ty { elem, rank })
    }

    fn program(&mut self) -> Parsed<Program> {
        self.expect_word("fn")?;
        let Tok::Word(name) = self.peek() else {
            return self.fail(format!("expected a name, found {}", self.peek()));
        };
        let name = name.to_string();
        self.at += 1;
        self.expect("(")?;
        let mut params = vec![];
        while !self.is(")") {
            let sym = self.sym()?;
            self.expect(":")?;
            let ty = self.ty()?;
            self.scope.insert(sym.id, ty);
            params.push(Param { sym, ty });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        self.expect("->")?;
        let at = self.at;
        let ty = self.ty()?;
        let body = self.block()?;
        if body.ty != ty {
            self.at = at;
            return self.fail(format!(
                "the body is of type {}, not {}",
                ty_text(body.ty),
                ty_text(ty)
            ));
        }
        Ok(Program { name, params, body })
    }

    fn block(&mut self) -> Parsed<Expr> {
        self.expect("{")?;
        let body = self.body()?;
        self.expect("}")?;
        Ok(body)
    }

    /// An expression, after any number of bindings.
    fn body(&mut self) -> Parsed<Expr> {
        if !self.eat_word("let") {
            return self.expr();
        }
        let (sym, bound) = self.binding()?;
        let body = self.within(&sym, bound.ty, |p| p.body())?;
        Ok(Expr::bind(sym, bound, body))
    }

    /// `x.0 = e;`
    fn binding(&mut self) -> Parsed<(Sym, Expr)> {
        let sym = self.sym()?;
        self.expect("=")?;
        let bound = self.expr()?;
        self.expect(";")?;
        Ok((sym, bound))
    }

    fn within<T>(
        &mut self,
        sym: &Sym,
        ty: Ty,
        inner: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let outer = self.scope.insert(sym.id, ty);
        let result = inner(self);
        match outer {
            Some(ty) => self.scope.insert(sym.id, ty),
            None => self.scope.remove(&sym.id),
        };
        result
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let mut e = self.primary()?;
        while self.is("[") {
            let start = self.at;
            self.at += 1;
            let mut at = vec![];
            while !self.is("]") {
                at.push(if self.eat("_") {
                    None
                } else {
                    Some(self.expr()?)
                });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
            if at.len() != e.ty.rank {
                self.at = start;
                let rank = e.ty.rank;
                return self.fail(format!("{} indices into {rank} axes", at.len()));
            }
            e = Expr::index(e, at);
        }
        Ok(e)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.at;
        match self.next() {
            Tok::Lit(l) => Ok(Expr::lit(l)),
            Tok::Sym(s) => match self.scope.get(&s.id) {
                Some(&ty) => Ok(Expr::var(&s, ty)),
                None => {
                    self.at = start;
                    self.fail(format!("`{}` is not in scope", sym_text(&s)))
                }
            },
            Tok::Punct("(") => {
                let e = self.body()?;
                self.expect(")")?;
                Ok(e)
            }
            Tok::Punct("{") => {
                self.at = start;
                self.block()
            }
            Tok::Word(w) => {
                let known = self.call(&w);
                match known {
                    Some(e) => e,
                    None => {
                        self.at = start;
                        self.fail(format!("there is no operation `{w}`"))
                    }
                }
            }
            t @ (Tok::Punct(_) | Tok::End) => {
                self.at = start;
                self.fail(format!("expected an expression, found {t}"))
            }
        }
    }

    fn exprs(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut es = vec![];
        while !self.is(close) {
            es.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(es)
    }

    /// `i.0 < n`
    fn binder(&mut self) -> Parsed<Binder> {
        let var = self.sym()?;
        self.expect("<")?;
        let extent = self.expr()?;
        Ok(Binder { var, extent })
    }

    fn bound(&mut self) -> Parsed<(Binder, Expr)> {
        self.expect("(")?;
        let binder = self.binder()?;
        self.expect("=>")?;
        let body = self.within(&binder.var, Ty::scalar(Elem::Int), |p| p.body())?;
        self.expect(")")?;
        Ok((binder, body))
    }

    /// What starts with a word; `None` if the word means nothing.
    fn call(&mut self, word: &str) -> Option<Parsed<Expr>> {
        if let Some(op) = ReduceOp::ALL.into_iter().find(|op| op.name() == word) {
            return Some((self.bound()).map(|(b, e)| Expr::reduce(op, b.var, b.extent, e)));
        }
        let extrema = [Extremum::Max, Extremum::Min];
        if let Some(op) = extrema.into_iter().find(|op| op.name() == word) {
            return Some((self.bound()).map(|(b, e)| Expr::arg_reduce(op, b.var, b.extent, e)));
        }
        if let Some(prim) = Prim::by_name(word) {
            return Some(self.prim(prim));
        }
        Some(match word {
            "build" => self.bound().map(|(b, e)| Expr::build(b.var, b.extent, e)),
            "scatter" => self.scatter(),
            "if" => self.branch(),
            "dim" => self.dim(),
            "stop" => (self.expect("("))
                .and_then(|()| self.expr())
                .and_then(|e| self.expect(")").map(|()| Expr::stop(e))),
            _ => return None,
        })
    }

    fn prim(&mut self, prim: Prim) -> Parsed<Expr> {
        let start = self.at;
        self.expect("(")?;
        let args = self.exprs(")")?;
        if args.len() != prim.arity() {
            self.at = start;
            return self.fail(format!(
                "`{}` takes {} arguments, not {}",
                prim.name(),
                prim.arity(),
                args.len()
            ));
        }
        Ok(Expr::prim(prim, args))
    }

    fn scatter(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        self.expect("[")?;
        let extents = self.exprs("]")?;
        self.expect(";")?;
        let mut binders = vec![self.binder()?];
        while self.eat(",") {
            binders.push(self.binder()?);
        }
        self.expect("=>")?;
        let outer = self.scope.clone();
        for b in &binders {
            self.scope.insert(b.var.id, Ty::scalar(Elem::Int));
        }
        let mut lets = vec![];
        while self.eat_word("let") {
            let (sym, bound) = self.binding()?;
            self.scope.insert(sym.id, bound.ty);
            lets.push((sym, bound));
        }
        self.expect("[")?;
        let index = self.exprs("]")?;
        self.expect("+=")?;
        let value = self.expr()?;
        self.expect(")")?;
        self.scope = outer;
        Ok(Expr::scatter(Scatter {
            extents,
            binders,
            lets,
            index,
            value,
        }))
    }

    fn branch(&mut self) -> Parsed<Expr> {
        let cond = self.expr()?;
        let then = self.block()?;
        self.expect_word("else")?;
        let other = if self.eat_word("if") {
            self.branch()?
        } else {
            self.block()?
        };
        Ok(Expr::cond(cond, then, other))
    }

    fn dim(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let array = self.expr()?;
        self.expect(",")?;
        let axis = if let Tok::Lit(Lit::Int(k)) = self.peek() {
            usize::try_from(*k).ok()
        } else {
            None
        };
        let Some(axis) = axis else {
            return self.fail(format!(
                "expected the number of an axis, found {}",
                self.peek()
            ));
        };
        self.at += 1;
        self.expect(")")?;
        Ok(Expr::dim(array, axis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::generate;

    fn round_trip(p: &Program) {
        let text = p.to_string();
        match parse(&text) {
            Ok(q) => assert_eq!(&q, p, "{text}\n{q}"),
            Err(e) => panic!("{e}\n{text}"),
        }
    }

    const DOT: &str = "\
fn dot(x.0: real[_], y.1: real[_]) -> real {
  let n.2 = dim(x.0, 0);
  sum(i.3 < n.2 => mul(x.0[i.3], y.1[i.3]))
}
";

    #[test]
    fn a_small_program_prints_as_it_was_written() {
        let p = parse(DOT).unwrap();
        assert_eq!(p.to_string(), DOT);
        round_trip(&p);
    }

    #[test]
    fn every_form_is_read() {
        let text = "\
// a comment
fn r#all(x.0: real[_, _], k.1: int[_], b.2: bool, n.3: int) -> real[_] {
  let y.4 = if b.2 { x.0[0, _] } else { stop(x.0[_, k.1[0]]) };
  let z.5 = scatter([n.3, dim(x.0, 1)]; i.6 < n.3 => [i.6, imin(i.6, 1)] += y.4[i.6]);
  let c.7 = { let t.8 = build(i.9 < n.3 => -1.5); t.8[0] };
  let e.17 = scatter([n.3]; i.18 < n.3, j.19 < 2 => let k.20 = imin(i.18, j.19); [k.20] += 1.0);
  let d.10 = (if b.2 { y.4 } else { y.4 })[argmax(i.11 < n.3 => let q.12 = 1e300; q.12)];
  let e.13 = if (if b.2 { false } else { true }) { inf } else { -inf };
  let f.14 = select(b.2, NaN, NaN(0xfff8000000000000));
  sum(i.15 < 2 => z.5[_, i.15])
}
";
        let p = parse(text).unwrap();
        round_trip(&p);
    }

    #[test]
    fn literals_keep_their_bits_and_kinds() {
        let reals = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e16,
            1e-300,
            f64::MIN_POSITIVE / 4.0,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            0.1 + 0.2,
        ];
        let ints = [0, -1, i64::MAX, i64::MIN];
        let lits = (reals.into_iter().map(Lit::Real))
            .chain(ints.into_iter().map(Lit::Int))
            .chain([Lit::Bool(true), Lit::Bool(false)]);
        for l in lits {
            round_trip(&Program {
                name: "f".into(),
                params: vec![],
                body: Expr::lit(l),
            });
        }
    }

    #[test]
    fn long_lines_are_broken() {
        let mut e = Expr::real(1.0);
        for k in 0..40 {
            e = Expr::prim(Prim::Add, vec![e, Expr::real(f64::from(k))]);
        }
        let p = Program {
            name: "f".into(),
            params: vec![],
            body: e,
        };
        // Each level of nesting indents by two.
        assert!(p.to_string().lines().all(|l| l.len() <= WIDTH + 8));
        round_trip(&p);
    }

    #[test]
    fn odd_hints_still_print() {
        let sym = Sym {
            id: 3,
            hint: "2 odd".into(),
        };
        let ty = Ty::scalar(Elem::Real);
        let body = Expr::var(&sym, ty);
        round_trip(&Program {
            name: "f".into(),
            params: vec![Param { sym, ty }],
            body,
        });
    }

    #[test]
    fn errors_say_where() {
        let cases = [
            ("fn f() -> real {\n  x.0\n}", "2:3: `x.0` is not in scope"),
            (
                "fn f() -> int { 1.0 }",
                "1:11: the body is of type real, not int",
            ),
            (
                "fn f() -> real { sinus(1.0) }",
                "1:18: there is no operation `sinus`",
            ),
            (
                "fn f() -> real { sin(1.0, 2.0) }",
                "1:21: `sin` takes 1 arguments, not 2",
            ),
            (
                "fn f(x.0: real[_]) -> real { x.0[1, 2] }",
                "1:33: 2 indices into 1 axes",
            ),
            ("fn f() -> real { 1.0 ", "1:22: expected `}`, found the end"),
            (
                "fn f() -> real { 1.0 } ?",
                "1:24: `?` is not part of the language",
            ),
            (
                "fn f() -> real { sum(i.0 < 3 =>) }",
                "1:32: expected an expression, found `)`",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parse(text).unwrap_err(), message);
        }
    }

    #[test]
    fn generated_programs_read_back() {
        for seed in 0..500 {
            let (p, _) = generate::program(seed, 10 + seed as usize % 50);
            round_trip(&p);
        }
    }
}
