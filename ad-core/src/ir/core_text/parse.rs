//! Reading, by recursive descent.

use super::print::{sym_text, ty_text};
use super::tokens::{Tok, tokens};
use crate::ir::bulk::Relation;
use crate::ir::core::{
    Along, Binder, Block, Bound, Call, Demand, Expr, Extremum, Feed, Keep, Loop, Param, Program,
    Recur, ReduceOp, Scatter, Sym, Trip, Ty, Update,
};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use crate::ir::unit::{Called, Rule, Unit};
use std::collections::HashMap;

/// A message and the offset it is about.
type Parsed<T> = Result<T, (String, usize)>;

/// Reads the text form. Types are worked out from the parameters; whether the program obeys the
/// rules is for [`crate::ir::core_check::check`] to say.
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

struct Parser {
    toks: Vec<(Tok, usize)>,
    at: usize,
    scope: HashMap<u32, Ty>,
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

    fn number(&mut self) -> Parsed<i64> {
        if let Tok::Lit(Lit::Int(k)) = *self.peek() {
            self.at += 1;
            return Ok(k);
        }
        self.fail(format!("expected a number, found {}", self.peek()))
    }

    fn sym(&mut self) -> Parsed<Sym> {
        if let Tok::Sym(s) = self.peek() {
            let s = s.clone();
            self.at += 1;
            return Ok(s);
        }
        self.fail(format!("expected a variable, found {}", self.peek()))
    }

    /// A type, and for each axis its length, if that is written in place of `_`.
    fn ty_with_lengths(&mut self) -> Parsed<(Ty, Vec<Option<Size>>)> {
        let start = self.at;
        let Some(elem) = self.elem() else {
            return self.ty().map(|ty| (ty, vec![]));
        };
        if !self.eat("[") {
            self.at = start;
            return self.ty().map(|ty| (ty, vec![]));
        }
        let mut lengths = vec![];
        loop {
            let length = match self.peek() {
                Tok::Punct("_") => None,
                Tok::Lit(Lit::Int(k)) => Some(Size::lit(*k)),
                Tok::Sym(s) => match s.hint.strip_prefix('d').map(str::parse) {
                    Some(Ok(param)) => Some(Size::dim(param, s.id as usize)),
                    _ => return self.fail(format!("expected a length, found `{}`", s.hint)),
                },
                other @ (Tok::Word(_) | Tok::Lit(_) | Tok::Str(_) | Tok::Punct(_) | Tok::End) => {
                    return self.fail(format!("expected a length, found {other}"));
                }
            };
            self.at += 1;
            lengths.push(length);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        let rank = lengths.len();
        if lengths.iter().all(Option::is_none) {
            lengths.clear();
        }
        Ok((Ty { elem, rank }, lengths))
    }

    fn elem(&mut self) -> Option<Elem> {
        [Elem::Real, Elem::Int, Elem::Bool]
            .into_iter()
            .find(|e| self.eat_word(&e.to_string()))
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
            let (ty, lengths) = self.ty_with_lengths()?;
            self.scope.insert(sym.id, ty);
            params.push(Param { sym, ty, lengths });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        self.expect("->")?;
        let at = self.at;
        let mut types = vec![];
        if self.eat("(") {
            while !self.is(")") {
                types.push(self.ty()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        } else {
            types.push(self.ty()?);
        }
        self.expect("{")?;
        let body = self.results(types.len() != 1)?;
        self.expect("}")?;
        let are: Vec<Ty> = body.results.iter().map(|e| e.ty).collect();
        if are != types {
            self.at = at;
            let show = |all: &[Ty]| {
                all.iter()
                    .map(|t| ty_text(*t))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            return self.fail(format!(
                "the body is of type {}, not {}",
                show(&are),
                show(&types)
            ));
        }
        Ok(Program { name, params, body })
    }

    /// Bindings, and results behind `next` or a single one.
    fn results(&mut self, list: bool) -> Parsed<Block> {
        let outer = self.scope.clone();
        let mut lets = vec![];
        while self.eat_word("let") {
            let b = self.binding()?;
            self.enter(&b);
            lets.push(b);
        }
        let block = if list {
            self.expect_word("next")?;
            self.expect("(")?;
            let results = self.exprs(")")?;
            Block { lets, results }
        } else {
            let results = vec![self.expr()?];
            Block { lets, results }
        };
        self.scope = outer;
        Ok(block)
    }

    /// What a binding binds is in scope from here on.
    fn enter(&mut self, b: &Bound) {
        match b {
            Bound::Let(s, e) => {
                self.scope.insert(s.id, e.ty);
            }
            Bound::Loop(l) => {
                for (s, ty) in l.outs.iter().zip(l.out_types()) {
                    self.scope.insert(s.id, ty);
                }
            }
        }
    }

    /// What follows the names of the results and `=`.
    fn looped(&mut self, outs: Vec<Sym>) -> Parsed<Loop> {
        let keep = match (self.eat_word("recompute"), self.eat_word("binomial")) {
            (true, _) => Keep::States,
            (false, true) => Keep::Few(self.number()?),
            (false, false) => Keep::Residuals,
        };
        let times = self.eat_word("for");
        if !times {
            self.expect_word("while")?;
        }
        let index = self.sym()?;
        let times = if times {
            self.expect("<")?;
            Some(self.expr()?)
        } else {
            None
        };
        self.expect_word("with")?;
        self.expect("(")?;
        let mut states = vec![];
        while !self.is(")") {
            let s = self.sym()?;
            self.expect("=")?;
            states.push((s, self.expr()?));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let outer = self.scope.clone();
        self.scope.insert(index.id, Ty::scalar(Elem::Int));
        for (s, e) in &states {
            self.scope.insert(s.id, e.ty);
        }
        let trip = match times {
            Some(n) => Trip::Times(n),
            None => {
                self.expect_word("do")?;
                Trip::While(self.expr()?)
            }
        };
        self.expect("{")?;
        let body = self.results(true)?;
        self.expect("}")?;
        self.scope = outer;
        if body.results.len() < states.len() || outs.len() != body.results.len() {
            return self.fail("a loop gives every state, and has a name for each result".into());
        }
        Ok(Loop {
            trip,
            index,
            states,
            body,
            outs,
            keep,
        })
    }

    /// `update(a, [i, _, from j] = e if c)`
    fn update(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let array = self.expr()?;
        self.expect(",")?;
        self.expect("[")?;
        let mut at = vec![];
        while !self.is("]") {
            at.push(if self.eat("_") {
                Along::All
            } else if self.eat_word("from") {
                Along::From(self.expr()?)
            } else {
                Along::At(self.expr()?)
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        self.expect("=")?;
        let value = self.expr()?;
        let when = if self.eat_word("if") {
            Some(self.expr()?)
        } else {
            None
        };
        self.expect(")")?;
        Ok(Expr::update(Update {
            array,
            at,
            when,
            value,
        }))
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
        let b = self.binding()?;
        let outer = self.scope.clone();
        self.enter(&b);
        let body = self.body()?;
        self.scope = outer;
        Ok(Expr::under(vec![b], body))
    }

    /// `x.0 = e;` or `(a.0, b.1) = for ..;`
    fn binding(&mut self) -> Parsed<Bound> {
        if self.eat("(") {
            let mut outs = vec![];
            while !self.is(")") {
                outs.push(self.sym()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            self.expect("=")?;
            let l = self.looped(outs)?;
            self.expect(";")?;
            return Ok(Bound::Loop(Box::new(l)));
        }
        let sym = self.sym()?;
        self.expect("=")?;
        let bound = self.expr()?;
        self.expect(";")?;
        Ok(Bound::Let(sym, bound))
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
            t @ (Tok::Punct(_) | Tok::Str(_) | Tok::End) => {
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
            "update" => self.update(),
            "if" => self.branch(),
            "dim" => self.dim(),
            "stop" => (self.expect("("))
                .and_then(|()| self.expr())
                .and_then(|e| self.expect(")").map(|()| Expr::stop(e))),
            "where" => (self.expect("("))
                .and_then(|()| Ok((self.expr()?, self.expect(",")?, self.expr()?)))
                .and_then(|(c, (), e)| self.expect(")").map(|()| Expr::only_where(c, e))),
            "recur" => self.recur(),
            "demand" => self.demand(),
            "call" => self.unit(),
            _ => return None,
        })
    }

    fn recur(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let reverse = self.eat_word("backward");
        if !reverse {
            self.expect_word("forward")?;
        }
        let axis = self.axis()?;
        self.expect(",")?;
        let factors = self.expr()?;
        self.expect(",")?;
        let mask = if self.eat_word("mask") {
            let mask = self.operand()?;
            self.expect(",")?;
            Some(mask)
        } else {
            None
        };
        let feed = if self.eat_word("one") {
            Feed::One
        } else if self.eat_word("first") {
            Feed::First(self.operand()?)
        } else if self.eat_word("each") {
            Feed::Each(self.operand()?)
        } else {
            self.expect_word("all")?;
            Feed::All(self.operand()?)
        };
        self.expect(")")?;
        Ok(Expr::recur(Recur {
            factors,
            mask,
            feed,
            axis,
            reverse,
        }))
    }

    fn demand(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let relation = if self.eat_word("equal") {
            Relation::Equal
        } else {
            self.expect_word("at_least")?;
            Relation::AtLeast
        };
        self.expect("(")?;
        let left = self.expr()?;
        self.expect(",")?;
        let right = self.expr()?;
        self.expect(")")?;
        self.expect("[")?;
        let when = self.exprs("]")?;
        self.expect("=>")?;
        let body = self.body()?;
        self.expect(")")?;
        let demand = Demand {
            when,
            left,
            relation,
            right,
        };
        Ok(Expr::demand(demand, body))
    }

    /// `("g / .." vjp 1, x, ..)`
    fn unit(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let unit = match self.next() {
            Tok::Str(text) => text.parse::<Unit>().or_else(|e| self.fail(e))?,
            other @ (Tok::Word(_) | Tok::Sym(_) | Tok::Lit(_) | Tok::Punct(_) | Tok::End) => {
                return self.fail(format!("{other} where a function is expected"));
            }
        };
        let mut rules = Rule::ALL.into_iter();
        let Some(rule) = rules.find(|rule| self.eat_word(rule.name())) else {
            return self.fail("a rule of the function is expected".to_owned());
        };
        let out = self.axis()?;
        let args = if self.eat(",") {
            self.exprs(")")?
        } else {
            self.expect(")")?;
            vec![]
        };
        if out >= unit.count(rule) {
            return self.fail(format!("there is no result {out}"));
        }
        let unit = Called::new(unit);
        Ok(Expr::call(Call {
            unit,
            rule,
            args,
            out,
        }))
    }

    /// `(e)`
    fn operand(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let e = self.expr()?;
        self.expect(")")?;
        Ok(e)
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
        let outer = self.scope.clone();
        let mut binders = vec![];
        loop {
            let b = self.binder()?;
            self.scope.insert(b.var.id, Ty::scalar(Elem::Int));
            binders.push(b);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("=>")?;
        let mut lets = vec![];
        while self.eat_word("let") {
            let b = self.binding()?;
            self.enter(&b);
            lets.push(b);
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
        let axis = self.axis()?;
        self.expect(")")?;
        Ok(Expr::dim(array, axis))
    }

    fn axis(&mut self) -> Parsed<usize> {
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
        Ok(axis)
    }
}
