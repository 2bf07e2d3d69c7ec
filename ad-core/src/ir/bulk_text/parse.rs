//! Reading.

use crate::ir::bulk::{
    Affine, Eq, Feed, Ix, Looped, Marks, Op, Param, Part, Program, Relation, Require, Type, Var,
};
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use crate::ir::unit::{Called, Rule, Unit};

/// Reads the text form.
///
/// # Errors
/// If the text is not of that form; the message starts with the line. Beyond the form only what the
/// reading itself needs is checked, the rest is the verifier's.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut lines = Lines::new(text)?;
    let program = lines.program()?;
    match lines.next() {
        None => Ok(program),
        Some((at, _)) => Err(format!("line {at}: nothing follows `return`")),
    }
}

/// The lines that say something, with their numbers.
pub(in crate::ir) struct Lines<'a> {
    lines: Vec<(usize, Vec<&'a str>)>,
    next: usize,
}

impl<'a> Lines<'a> {
    pub(in crate::ir) fn new(text: &'a str) -> Result<Self, String> {
        let mut lines = vec![];
        for (k, line) in text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default();
            let tokens = tokens(line).map_err(|e| format!("line {}: {e}", k + 1))?;
            if !tokens.is_empty() {
                lines.push((k + 1, tokens));
            }
        }
        Ok(Lines { lines, next: 0 })
    }

    /// The tokens of the next line.
    pub(in crate::ir) fn peek(&self) -> Option<&[&'a str]> {
        self.lines.get(self.next).map(|(_, tokens)| &tokens[..])
    }

    /// How many of the next lines begin with this word.
    pub(in crate::ir) fn count(&self, word: &str) -> usize {
        let rest = self.lines[self.next..].iter();
        rest.take_while(|(_, tokens)| tokens[0] == word).count()
    }

    pub(in crate::ir) fn next(&mut self) -> Option<(usize, Vec<&'a str>)> {
        self.next += 1;
        self.lines.get(self.next - 1).cloned()
    }

    /// A program, up to what it returns.
    pub(in crate::ir) fn program(&mut self) -> Result<Program, String> {
        let mut program = Program {
            name: String::new(),
            params: vec![],
            eqs: vec![],
            results: vec![],
            requires: vec![],
        };
        let mut loops = vec![];
        let mut state = State::Start;
        loop {
            let Some((line, tokens)) = self.next() else {
                return Err(match state {
                    State::Start => "no program".into(),
                    State::Body | State::End => "no `return`".into(),
                });
            };
            let at = |e| format!("line {line}: {e}");
            let mut reader = Reader {
                tokens: &tokens,
                at: 0,
                loops: &loops,
            };
            if matches!(state, State::Body) && reader.skip("loop") {
                let head = reader.head(loops.len());
                let head = head.and_then(|h| reader.end().map(|()| h)).map_err(at)?;
                loops.push(self.looped(head)?);
                continue;
            }
            state = (reader.line(state, &mut program))
                .and_then(|s| reader.end().map(|()| s))
                .map_err(at)?;
            if matches!(state, State::End) {
                return Ok(program);
            }
        }
    }
}

/// Which lines may follow.
#[derive(Clone, Copy)]
enum State {
    Start,
    Body,
    End,
}

/// Words with their digits and points, `->`, `>=`, `==`, and single characters.
fn tokens(line: &str) -> Result<Vec<&str>, String> {
    let mut out = vec![];
    let mut rest = line.trim_start();
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '#');
        let end = if c == '"' {
            let close = rest[1..].find('"').ok_or("a quote is not closed")?;
            close + 2
        } else if word(c) {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            // The exponent of a number may have a sign.
            let exponent = c.is_ascii_digit() && rest[..end].ends_with('e');
            match rest[end..].strip_prefix('-') {
                Some(digits) if exponent => {
                    end + 1 + digits.find(|c| !word(c)).unwrap_or(digits.len())
                }
                Some(_) | None => end,
            }
        } else if ["->", ">=", "=="].iter().any(|s| rest.starts_with(s)) {
            2
        } else if "()[],:=+-*".contains(c) {
            1
        } else {
            return Err(format!("`{c}` is not expected"));
        };
        out.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    Ok(out)
}

/// The number after a letter, as in `v7`.
fn numbered<T: std::str::FromStr>(word: &str, letter: char) -> Option<T> {
    let digits = word.strip_prefix(letter)?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

pub(in crate::ir) struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
    /// The loops of the program so far.
    pub(super) loops: &'a [Looped],
}

impl<'a> Reader<'a> {
    /// A reader of one line, outside of any loop.
    pub(in crate::ir) fn new(tokens: &'a [&'a str]) -> Self {
        Reader {
            tokens,
            at: 0,
            loops: &[],
        }
    }

    pub(in crate::ir) fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    pub(in crate::ir) fn next(&mut self) -> Result<&'a str, String> {
        let t = self.peek().ok_or("the line ends too early")?;
        self.at += 1;
        Ok(t)
    }

    pub(in crate::ir) fn skip(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    pub(in crate::ir) fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.next()? {
            t if t == token => Ok(()),
            t => Err(format!("`{t}` where `{token}` is expected")),
        }
    }

    pub(in crate::ir) fn end(&self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(t) => Err(format!("`{t}` where the line should end")),
        }
    }

    /// Items between commas, up to a closing token, which is consumed.
    pub(in crate::ir) fn until<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut out = vec![];
        while !self.skip(close) {
            if !out.is_empty() {
                self.expect(",")?;
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    fn line(&mut self, state: State, program: &mut Program) -> Result<State, String> {
        match state {
            State::Start => {
                (program.name, program.params) = self.head_of_program()?;
                Ok(State::Body)
            }
            State::Body if self.skip("require") => {
                program.requires.push(self.requirement()?);
                Ok(State::Body)
            }
            State::Body if self.skip("return") => {
                program.results = self.results()?;
                Ok(State::End)
            }
            State::Body => {
                let var = self.var()?;
                let next = program.var_of(program.eqs.len());
                if var != next {
                    return Err(format!("{var} where {next} is next"));
                }
                self.expect(":")?;
                let ty = self.ty()?;
                self.expect("=")?;
                let mut guard = None;
                if self.skip("[") {
                    guard = Some(self.var()?);
                    self.expect("]")?;
                }
                let op = self.op(program, ty.rank())?;
                program.eqs.push(Eq { ty, guard, op });
                Ok(State::Body)
            }
            State::End => Err("nothing follows `return`".into()),
        }
    }

    /// `fn f(x: real[d0.0])`
    pub(in crate::ir) fn head_of_program(&mut self) -> Result<(String, Vec<Param>), String> {
        self.expect("fn")?;
        let name = self.next()?.into();
        self.expect("(")?;
        let params = self.until(")", |r| {
            let name = r.next()?.into();
            r.expect(":")?;
            let ty = r.ty()?;
            Ok(Param { name, ty })
        })?;
        Ok((name, params))
    }

    /// `d1.0 >= d0.0 when d0.0`, behind `require`
    pub(in crate::ir) fn requirement(&mut self) -> Result<Require, String> {
        let left = self.size()?;
        let relation = match self.next()? {
            ">=" => Relation::AtLeast,
            "==" => Relation::Equal,
            t => return Err(format!("`{t}` is no relation")),
        };
        let right = self.size()?;
        let mut when = vec![];
        if self.skip("when") {
            when.push(self.size()?);
            while self.skip(",") {
                when.push(self.size()?);
            }
        }
        Ok(Require {
            when,
            left,
            relation,
            right,
        })
    }

    /// `v3, v4`, behind `return`
    pub(in crate::ir) fn results(&mut self) -> Result<Vec<Var>, String> {
        let mut results = vec![];
        if self.peek().is_some() {
            results.push(self.var()?);
            while self.skip(",") {
                results.push(self.var()?);
            }
        }
        Ok(results)
    }

    pub(in crate::ir) fn var(&mut self) -> Result<Var, String> {
        let t = self.next()?;
        numbered(t, 'v')
            .map(Var)
            .ok_or_else(|| format!("`{t}` is no variable"))
    }

    pub(in crate::ir) fn axis(&mut self) -> Result<usize, String> {
        let t = self.next()?;
        t.parse().map_err(|_| format!("`{t}` is no axis"))
    }

    fn count(&mut self) -> Result<usize, String> {
        let t = self.next()?;
        t.parse().map_err(|_| format!("`{t}` is no number"))
    }

    pub(in crate::ir) fn ty(&mut self) -> Result<Type, String> {
        let elem = self.elem()?;
        self.expect("[")?;
        let shape = self.until("]", Reader::size)?;
        Ok(Type { elem, shape })
    }

    pub(in crate::ir) fn elem(&mut self) -> Result<Elem, String> {
        match self.next()? {
            "real" => Ok(Elem::Real),
            "int" => Ok(Elem::Int),
            "bool" => Ok(Elem::Bool),
            t => Err(format!("`{t}` is no kind")),
        }
    }

    /// What is called: a unit in quotes.
    pub(in crate::ir) fn unit(&mut self) -> Result<Called, String> {
        let text = self.next()?.trim_matches('"');
        Ok(Called::new(text.parse::<Unit>()?))
    }

    pub(in crate::ir) fn rule(&mut self) -> Result<Rule, String> {
        let rule = self.next()?;
        Rule::by_name(rule).ok_or_else(|| format!("`{rule}` is no rule"))
    }

    fn op(&mut self, program: &Program, rank: usize) -> Result<Op, String> {
        let word = self.next()?;
        // The function of an index may start with a parenthesis of its own.
        if word != "index" && self.skip("(") {
            let prim = Prim::by_name(word).ok_or_else(|| format!("`{word}` is no primitive"))?;
            return Ok(Op::Map(prim, self.until(")", Reader::var)?));
        }
        if let Some(op) = ReduceOp::ALL.into_iter().find(|op| op.name() == word) {
            let src = self.var()?;
            self.expect("over")?;
            self.expect("[")?;
            let axes = self.until("]", Reader::axis)?;
            return Ok(Op::Reduce { op, src, axes });
        }
        let extrema = [Extremum::Max, Extremum::Min];
        if let Some(op) = extrema.into_iter().find(|op| op.name() == word) {
            let src = self.var()?;
            self.expect("along")?;
            let axis = self.axis()?;
            return Ok(Op::ArgReduce { op, src, axis });
        }
        Ok(match word {
            "fill" => Op::Fill(self.lit()?),
            "index" => Op::Index(self.affine(rank)?),
            "gather" => {
                let src = self.var()?;
                let index = self.index(rank)?;
                Op::Gather { src, index }
            }
            "call" => {
                let (unit, rule) = (self.unit()?, self.rule()?);
                let out = self.axis()?;
                self.expect("(")?;
                let args = self.until(")", Reader::var)?;
                Op::Call {
                    unit,
                    rule,
                    args,
                    out,
                }
            }
            "scatter" if self.skip("nothing") => Op::Scatter(vec![]),
            "scatter" => {
                let mut parts = vec![self.part(program)?];
                while self.skip("+") {
                    parts.push(self.part(program)?);
                }
                Op::Scatter(parts)
            }
            "recur" => self.recur()?,
            "contract" => {
                let a = self.var()?;
                let a_axes = self.labels()?;
                self.expect("*")?;
                let b = self.var()?;
                let b_axes = self.labels()?;
                self.expect("->")?;
                let out_axes = self.labels()?;
                Op::Contract {
                    a,
                    b,
                    a_axes,
                    b_axes,
                    out_axes,
                }
            }
            "update" => {
                let src = self.var()?;
                self.expect("with")?;
                let part = self.part(program)?;
                let when = match self.skip("where") {
                    true => Some(self.var()?),
                    false => None,
                };
                let unread = self.skip("unread");
                let parts = match self.skip("parts") {
                    true => Some(self.count()?),
                    false => None,
                };
                let marks = Marks { unread, parts };
                Op::Update {
                    src,
                    part,
                    when,
                    marks,
                }
            }
            "loop" => self.result_of_loop()?,
            "copy" => Op::Copy(self.var()?),
            "stop" => Op::Stop(self.var()?),
            t => return Err(format!("`{t}` is no operation")),
        })
    }

    /// `v1 * _ + v2 along 0 reverse where v3`, behind `recur`
    pub(in crate::ir) fn recur(&mut self) -> Result<Op, String> {
        let a = self.var()?;
        self.expect("*")?;
        self.expect("_")?;
        let b = if self.skip("+") {
            Feed::All(self.var()?)
        } else if self.skip("adding") {
            Feed::Each(self.var()?)
        } else if self.skip("from") {
            Feed::First(self.var()?)
        } else {
            Feed::One
        };
        self.expect("along")?;
        let axis = self.axis()?;
        let reverse = self.skip("reverse");
        let mask = match self.skip("where") {
            true => Some(self.var()?),
            false => None,
        };
        Ok(Op::Recur {
            a,
            mask,
            b,
            axis,
            reverse,
        })
    }

    pub(in crate::ir) fn lit(&mut self) -> Result<Lit, String> {
        let minus = if self.skip("-") { "-" } else { "" };
        let word = self.next()?;
        if word == "nan" {
            self.expect("(")?;
            let bits = self.next()?;
            self.expect(")")?;
            let bits = u64::from_str_radix(bits, 16).map_err(|_| format!("`{bits}` is no NaN"))?;
            return Ok(Lit::Real(f64::from_bits(bits)));
        }
        let number = format!("{minus}{word}");
        if let Ok(x) = number.parse() {
            return Ok(Lit::Bool(x));
        }
        if let Ok(x) = number.parse() {
            return Ok(Lit::Int(x));
        }
        match number.parse() {
            Ok(x) => Ok(Lit::Real(x)),
            Err(_) => Err(format!("`{number}` is no literal")),
        }
    }

    pub(in crate::ir) fn labels(&mut self) -> Result<Vec<u8>, String> {
        self.expect("[")?;
        self.until("]", |r| {
            let t = r.next()?;
            match t.as_bytes() {
                &[l @ b'a'..=b'z'] => Ok(l - b'a'),
                _ => numbered(t, '_').ok_or_else(|| format!("`{t}` is no label")),
            }
        })
    }

    fn part(&mut self, program: &Program) -> Result<Part, String> {
        let src = self.var()?;
        if src.index() >= program.params.len() + program.eqs.len() {
            return Err(format!("{src} is not defined before"));
        }
        let index = self.index(program.ty(src).rank())?;
        Ok(Part { src, index })
    }

    /// The components of an index map over a domain of this rank.
    fn index(&mut self, rank: usize) -> Result<Vec<Ix>, String> {
        self.expect("[")?;
        self.until("]", |r| {
            let alone = matches!(r.tokens.get(r.at + 1), Some(&("," | "]")));
            match r.peek().and_then(|t| numbered(t, 'v')) {
                Some(v) if alone => {
                    r.at += 1;
                    Ok(Ix::Data(Var(v)))
                }
                Some(_) | None => Ok(Ix::Affine(r.affine(rank)?)),
            }
        })
    }

    /// Sums, differences and products of sizes and of the positions along `rank` axes.
    pub(in crate::ir) fn affine(&mut self, rank: usize) -> Result<Affine, String> {
        let mut sum = Affine::constant(rank, Size::lit(0));
        let mut sign = if self.skip("-") { -1 } else { 1 };
        loop {
            let mut product = self.factor(rank)?;
            while self.skip("*") {
                let other = self.factor(rank)?;
                let (linear, scale) = match (product.is_constant(), other.is_constant()) {
                    (true, _) => (other, product.constant),
                    (false, true) => (product, other.constant),
                    (false, false) => return Err("a product of two positions".into()),
                };
                product = Affine::constant(rank, Size::lit(0)).add_scaled(&linear, &scale);
            }
            sum = sum.add_scaled(&product, &Size::lit(sign));
            sign = match self.peek() {
                Some("+") => 1,
                Some("-") => -1,
                Some(_) | None => return Ok(sum),
            };
            self.at += 1;
        }
    }

    pub(in crate::ir) fn size(&mut self) -> Result<Size, String> {
        Ok(self.affine(0)?.constant)
    }

    fn factor(&mut self, rank: usize) -> Result<Affine, String> {
        if self.skip("(") {
            let inner = self.affine(rank)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let word = self.next()?;
        if let Some(k) = numbered::<usize>(word, 'i') {
            if k >= rank {
                return Err(format!("`{word}` over {rank} axes"));
            }
            return Ok(Affine::axis(rank, k));
        }
        let binary: Option<fn(Size, Size) -> Atom> = match word {
            "quot" => Some(Atom::Quot),
            "rem" => Some(Atom::Rem),
            "min" => Some(Atom::Min),
            "max" => Some(Atom::Max),
            _ => None,
        };
        let size = if let Some(of) = binary {
            self.expect("(")?;
            let x = self.size()?;
            self.expect(",")?;
            let y = self.size()?;
            self.expect(")")?;
            Size::atom(of(x, y))
        } else if word == "select" {
            self.expect("(")?;
            let p = self.size()?;
            self.expect(",")?;
            let x = self.size()?;
            self.expect(",")?;
            let y = self.size()?;
            self.expect(")")?;
            Size::atom(Atom::Select(p, x, y))
        } else if let Ok(c) = word.parse() {
            Size::lit(c)
        } else {
            let dim = word.split_once('.');
            let dim = dim.and_then(|(p, a)| Some((numbered(p, 'd')?, a.parse().ok()?)));
            let int = numbered(word, 'n').map(|param| Atom::Int { param });
            let value = numbered(word, 'v').map(Atom::Value);
            (dim.map(|(param, axis)| Atom::Dim { param, axis }))
                .or(int)
                .or(value)
                .map(Size::atom)
                .ok_or_else(|| format!("`{word}` is no size"))?
        };
        Ok(Affine::constant(rank, size))
    }
}
