//! Printing, with lines broken where they get long.

use super::is_word;
use crate::ir::bulk::Relation;
use crate::ir::core::{
    Along, Binder, Block, Bound, Expr, Feed, Kind, Loop, Param, Program, Recur, Sym, Trip, Ty,
};
use crate::ir::ty::Lit;
use std::fmt;

/// How far lines may go before they are broken.
pub(super) const WIDTH: usize = 96;

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

pub(super) fn sym_text(s: &Sym) -> String {
    format!("{}.{}", name_of(&s.hint), s.id)
}

pub(super) fn lit_text(l: &Lit) -> String {
    match l {
        // All NaNs look alike otherwise, and literals are equal when their bits are.
        Lit::Real(x) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => {
            format!("NaN({:#x})", x.to_bits())
        }
        Lit::Real(_) | Lit::Int(_) | Lit::Bool(_) => l.to_string(),
    }
}

pub(super) fn ty_text(ty: Ty) -> String {
    match ty.rank {
        0 => ty.elem.to_string(),
        n => format!("{}[{}]", ty.elem, vec!["_"; n].join(", ")),
    }
}

/// The type of a parameter, with the lengths that are known: `d0.1` is axis 1 of the first
/// parameter.
fn param_text(p: &Param) -> String {
    if p.lengths.iter().all(Option::is_none) {
        return ty_text(p.ty);
    }
    let length = |axis: usize| match p.lengths.get(axis) {
        Some(Some(n)) => n.to_string(),
        Some(None) | None => "_".to_owned(),
    };
    let lengths: Vec<String> = (0..p.ty.rank).map(length).collect();
    format!("{}[{}]", p.ty.elem, lengths.join(", "))
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

fn binding_doc(b: &Bound) -> (String, Doc) {
    match b {
        Bound::Let(sym, bound) => let_doc(sym, bound),
        Bound::Loop(l) => loop_doc(l),
    }
}

/// `let (a.7, y.8) = for i.1 < n with (a.2 = e) { let ..; next (e, y) }`
fn loop_doc(l: &Loop) -> (String, Doc) {
    let outs: Vec<String> = l.outs.iter().map(sym_text).collect();
    let head = format!("let ({}) = ", outs.join(", "));
    let states = (l.states.iter())
        .map(|(s, init)| {
            let name = Doc::text(format!("{} = ", sym_text(s)));
            Doc::cat(vec![name, doc(init, Place::Operand)])
        })
        .collect();
    let again = l.keep;
    let index = sym_text(&l.index);
    let start = match &l.trip {
        Trip::Times(n) => Doc::cat(vec![
            Doc::text(format!("{again}for {index} < ")),
            doc(n, Place::Operand),
        ]),
        Trip::While(_) => Doc::text(format!("{again}while {index}")),
    };
    let mut open = vec![start, Doc::list(Doc::text(" with ("), states, ")")];
    if let Trip::While(c) = &l.trip {
        open.extend([Doc::text(" do "), doc(c, Place::Head)]);
    }
    open.push(Doc::text(" {"));
    let body = block_doc(&l.body, true);
    (head, Doc::wrap(Doc::cat(open), body, "}", true))
}

/// The bindings and the results, as a list if there is not one of them or if asked to.
fn block_doc(block: &Block, list: bool) -> Doc {
    let last = match &block.results[..] {
        [one] if !list => doc(one, Place::Body),
        all => {
            let all = all.iter().map(|e| doc(e, Place::Operand)).collect();
            Doc::list(Doc::text("next ("), all, ")")
        }
    };
    if block.lets.is_empty() {
        return last;
    }
    Doc::lets(block.lets.iter().map(binding_doc).collect(), last)
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
        Kind::Let(..) | Kind::Loop(..) => {
            let (mut lets, mut at) = (vec![], e);
            loop {
                if let Kind::Let(s, bound, body) = &*at.kind {
                    lets.push(let_doc(s, bound));
                    at = body;
                } else if let Kind::Loop(l, body) = &*at.kind {
                    lets.push(loop_doc(l));
                    at = body;
                } else {
                    break;
                }
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
                let lets = s.lets.iter().map(binding_doc);
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
        Kind::Update(u) => {
            let at = u.at.iter().map(|along| match along {
                Along::At(i) => doc(i, Place::Operand),
                Along::All => Doc::text("_"),
                Along::From(i) => Doc::cat(vec![Doc::text("from "), doc(i, Place::Operand)]),
            });
            let array = doc(&u.array, Place::Operand);
            let open = Doc::cat(vec![Doc::text("update("), array, Doc::text(", [")]);
            let mut parts = vec![Doc::list(open, at.collect(), "] = ")];
            parts.push(doc(&u.value, Place::Operand));
            if let Some(c) = &u.when {
                parts.extend([Doc::text(" if "), doc(c, Place::Operand)]);
            }
            parts.push(Doc::text(")"));
            Doc::cat(parts)
        }
        Kind::Dim(a, axis) => Doc::list(
            Doc::text("dim("),
            vec![doc(a, Place::Operand), Doc::text(axis.to_string())],
            ")",
        ),
        Kind::Stop(a) => Doc::list(Doc::text("stop("), vec![doc(a, Place::Operand)], ")"),
        Kind::Where(c, a) => Doc::list(
            Doc::text("where("),
            vec![doc(c, Place::Operand), doc(a, Place::Operand)],
            ")",
        ),
        Kind::Recur(r) => recur_doc(r),
        Kind::Demand(d, a) => {
            let relation = match d.relation {
                Relation::AtLeast => "at_least(",
                Relation::Equal => "equal(",
            };
            let sides = vec![doc(&d.left, Place::Operand), doc(&d.right, Place::Operand)];
            let open = Doc::cat(vec![
                Doc::text("demand("),
                Doc::list(Doc::text(relation), sides, ") "),
                Doc::list(Doc::text("["), operands(&d.when), "] =>"),
            ]);
            Doc::wrap(open, doc(a, Place::Body), ")", false)
        }
        Kind::Call(c) => {
            let what = format!("\"{}\" {} {}", *c.unit, c.rule, c.out);
            let parts = std::iter::once(Doc::text(what)).chain(operands(&c.args));
            Doc::list(Doc::text("call("), parts.collect(), ")")
        }
    }
}

fn recur_doc(r: &Recur) -> Doc {
    let direction = if r.reverse { "backward" } else { "forward" };
    let mut parts = vec![
        Doc::text(format!("{direction} {}", r.axis)),
        doc(&r.factors, Place::Operand),
    ];
    if let Some(mask) = &r.mask {
        parts.push(Doc::list(
            Doc::text("mask("),
            vec![doc(mask, Place::Operand)],
            ")",
        ));
    }
    let fed = |name: &str, e: &Expr| {
        Doc::list(
            Doc::text(format!("{name}(")),
            vec![doc(e, Place::Operand)],
            ")",
        )
    };
    parts.push(match &r.feed {
        Feed::One => Doc::text("one"),
        Feed::First(e) => fed("first", e),
        Feed::Each(e) => fed("each", e),
        Feed::All(e) => fed("all", e),
    });
    Doc::list(Doc::text("recur("), parts, ")")
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
            .map(|p| format!("{}: {}", sym_text(&p.sym), param_text(p)))
            .collect();
        let types: Vec<String> = self.body.results.iter().map(|e| ty_text(e.ty)).collect();
        let result = match &types[..] {
            [one] => one.clone(),
            all => format!("({})", all.join(", ")),
        };
        let params = params.join(", ");
        let mut out = format!("fn {}({params}) -> {result} {{\n  ", self.name);
        block_doc(&self.body, false).put(2, &mut out);
        out.push_str("\n}\n");
        f.write_str(&out)
    }
}
