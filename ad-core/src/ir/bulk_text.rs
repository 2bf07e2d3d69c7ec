//! The text form of Bulk: printing, and reading back what was printed.
//!
//! ```text
//! fn dot(x: real[d0.0], y: real[d1.0])
//!   require d1.0 >= d0.0 when d0.0
//!   v2: real[d0.0] = gather v1[i0]
//!   v3: real[d0.0] = mul(v0, v2)
//!   v4: real[] = sum v3 over [0]
//!   return v4
//! ```
//!
//! One line per equation, a guard in brackets before the operation, comments from `//` to the end of
//! the line. In index maps `i0`, `i1`, .. are the positions along the axes of the map's domain, and
//! `v7` alone is an array of indices; a constant that is the value of an equation is written `(v7)`.

use std::fmt::{self, Write as _};

use super::bulk::{Affine, Eq, Ix, Op, Param, Part, Program, Relation, Require, Type, Var};
use super::core::{Extremum, ReduceOp};
use super::prims::Prim;
use super::ty::{Atom, Elem, Lit, Size};

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.elem, list(&self.shape))
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        for (k, c) in self.coefs.iter().enumerate() {
            let term = match c.as_lit() {
                Some(0) => continue,
                Some(1) => format!("i{k}"),
                Some(-1) => format!("-i{k}"),
                Some(c) => format!("{c}*i{k}"),
                None => format!("({c})*i{k}"),
            };
            append(&mut out, &term);
        }
        if out.is_empty() && matches!(self.constant.as_atom(), Some(Atom::Value(_))) {
            return write!(f, "({})", self.constant);
        }
        if out.is_empty() || !self.constant.is(0) {
            append(&mut out, &self.constant.to_string());
        }
        f.write_str(&out)
    }
}

/// Adds a term to a sum, with its sign between them.
fn append(sum: &mut String, term: &str) {
    match term.strip_prefix('-') {
        _ if sum.is_empty() => sum.push_str(term),
        Some(term) => {
            sum.push_str(" - ");
            sum.push_str(term);
        }
        None => {
            sum.push_str(" + ");
            sum.push_str(term);
        }
    }
}

impl fmt::Display for Ix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ix::Affine(a) => a.fmt(f),
            Ix::Data(v) => v.fmt(f),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The digits say nothing about which NaN it is.
            Op::Fill(Lit::Real(x)) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => {
                write!(f, "fill nan({:x})", x.to_bits())
            }
            Op::Fill(lit) => write!(f, "fill {lit}"),
            Op::Index(a) => write!(f, "index {a}"),
            Op::Map(prim, args) => write!(f, "{}({})", prim.name(), list(args)),
            Op::Gather { src, index } => write!(f, "gather {src}[{}]", list(index)),
            Op::Scatter(parts) if parts.is_empty() => f.write_str("scatter nothing"),
            Op::Scatter(parts) => {
                f.write_str("scatter ")?;
                for (k, p) in parts.iter().enumerate() {
                    let plus = if k > 0 { " + " } else { "" };
                    write!(f, "{plus}{}[{}]", p.src, list(&p.index))?;
                }
                Ok(())
            }
            Op::Reduce { op, src, axes } => {
                write!(f, "{} {src} over [{}]", op.name(), list(axes))
            }
            Op::ArgReduce { op, src, axis } => write!(f, "{} {src} along {axis}", op.name()),
            Op::Recur {
                a,
                b,
                axis,
                reverse,
            } => {
                let reverse = if *reverse { " reverse" } else { "" };
                write!(f, "recur {a} * _ + {b} along {axis}{reverse}")
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let [x, y, z] = [a_axes, b_axes, out_axes].map(|axes| {
                    let labels: Vec<String> = axes.iter().map(|&l| label(l)).collect();
                    labels.join(", ")
                });
                write!(f, "contract {a}[{x}] * {b}[{y}] -> [{z}]")
            }
            Op::Copy(v) => write!(f, "copy {v}"),
            Op::Stop(v) => write!(f, "stop {v}"),
        }
    }
}

/// What stands right of the `=`.
impl fmt::Display for Eq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(g) = self.guard {
            write!(f, "[{g}] ")?;
        }
        self.op.fmt(f)
    }
}

impl fmt::Display for Require {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.relation {
            Relation::AtLeast => ">=",
            Relation::Equal => "==",
        };
        write!(f, "{} {sign} {}", self.left, self.right)?;
        if !self.when.is_empty() {
            write!(f, " when {}", list(&self.when))?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = (self.params.iter())
            .map(|p| format!("{}: {}", p.name, p.ty))
            .collect();
        writeln!(f, "fn {}({})", self.name, params.join(", "))?;
        for r in &self.requires {
            writeln!(f, "  require {r}")?;
        }
        for (k, eq) in self.eqs.iter().enumerate() {
            writeln!(f, "  {}: {} = {eq}", self.var_of(k), eq.ty)?;
        }
        let results = list(&self.results);
        let space = if results.is_empty() { "" } else { " " };
        writeln!(f, "  return{space}{results}")
    }
}

fn list(items: &[impl fmt::Display]) -> String {
    let mut out = String::new();
    for (k, i) in items.iter().enumerate() {
        let comma = if k > 0 { ", " } else { "" };
        write!(out, "{comma}{i}").expect("strings take everything");
    }
    out
}

/// Labels are letters as long as there are any.
fn label(l: u8) -> String {
    if l < 26 {
        char::from(b'a' + l).to_string()
    } else {
        format!("_{l}")
    }
}

/// Reads the text form.
///
/// # Errors
/// If the text is not of that form; the message starts with the line. Beyond the form only what the
/// reading itself needs is checked, the rest is the verifier's.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut program = Program {
        name: String::new(),
        params: vec![],
        eqs: vec![],
        results: vec![],
        requires: vec![],
    };
    let mut state = State::Start;
    for (k, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default();
        let at = |e| format!("line {}: {e}", k + 1);
        let tokens = tokens(line).map_err(at)?;
        if tokens.is_empty() {
            continue;
        }
        let mut reader = Reader {
            tokens: &tokens,
            at: 0,
        };
        state = (reader.line(state, &mut program))
            .and_then(|s| reader.end().map(|()| s))
            .map_err(at)?;
    }
    match state {
        State::End => Ok(program),
        State::Start => Err("no program".into()),
        State::Body => Err("no `return`".into()),
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
        let end = if word(c) {
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

struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Result<&'a str, String> {
        let t = self.peek().ok_or("the line ends too early")?;
        self.at += 1;
        Ok(t)
    }

    fn skip(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.next()? {
            t if t == token => Ok(()),
            t => Err(format!("`{t}` where `{token}` is expected")),
        }
    }

    fn end(&self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(t) => Err(format!("`{t}` where the line should end")),
        }
    }

    /// Items between commas, up to a closing token, which is consumed.
    fn until<T>(
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
                self.expect("fn")?;
                program.name = self.next()?.into();
                self.expect("(")?;
                program.params = self.until(")", |r| {
                    let name = r.next()?.into();
                    r.expect(":")?;
                    let ty = r.ty()?;
                    Ok(Param { name, ty })
                })?;
                Ok(State::Body)
            }
            State::Body if self.skip("require") => {
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
                program.requires.push(Require {
                    when,
                    left,
                    relation,
                    right,
                });
                Ok(State::Body)
            }
            State::Body if self.skip("return") => {
                if self.peek().is_some() {
                    program.results.push(self.var()?);
                    while self.skip(",") {
                        program.results.push(self.var()?);
                    }
                }
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

    fn var(&mut self) -> Result<Var, String> {
        let t = self.next()?;
        numbered(t, 'v')
            .map(Var)
            .ok_or_else(|| format!("`{t}` is no variable"))
    }

    fn axis(&mut self) -> Result<usize, String> {
        let t = self.next()?;
        t.parse().map_err(|_| format!("`{t}` is no axis"))
    }

    fn ty(&mut self) -> Result<Type, String> {
        let elem = match self.next()? {
            "real" => Elem::Real,
            "int" => Elem::Int,
            "bool" => Elem::Bool,
            t => return Err(format!("`{t}` is no kind")),
        };
        self.expect("[")?;
        let shape = self.until("]", Reader::size)?;
        Ok(Type { elem, shape })
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
            "scatter" if self.skip("nothing") => Op::Scatter(vec![]),
            "scatter" => {
                let mut parts = vec![self.part(program)?];
                while self.skip("+") {
                    parts.push(self.part(program)?);
                }
                Op::Scatter(parts)
            }
            "recur" => {
                let a = self.var()?;
                self.expect("*")?;
                self.expect("_")?;
                self.expect("+")?;
                let b = self.var()?;
                self.expect("along")?;
                let axis = self.axis()?;
                let reverse = self.skip("reverse");
                Op::Recur {
                    a,
                    b,
                    axis,
                    reverse,
                }
            }
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
            "copy" => Op::Copy(self.var()?),
            "stop" => Op::Stop(self.var()?),
            t => return Err(format!("`{t}` is no operation")),
        })
    }

    fn lit(&mut self) -> Result<Lit, String> {
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

    fn labels(&mut self) -> Result<Vec<u8>, String> {
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
    fn affine(&mut self, rank: usize) -> Result<Affine, String> {
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

    fn size(&mut self) -> Result<Size, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation, every literal, every kind of index.
    const EVERYTHING: &str = "\
fn all(x: real[d0.0, d0.1], k: int[d1.0], n: int[], b: bool[d0.0], y: real[3], t: real[d0.0 + 1])
  require d1.0 >= d0.0 when d0.0, n2 + 1
  require d0.1 == -max(quot(n2, 2), 3) + 2*d0.0*d1.0
  v6: real[d0.0, d0.1] = fill 1.0
  v7: int[] = fill -3
  v8: bool[] = fill true
  v9: int[d0.0] = index 2*i0 + d0.0 - 1
  v10: int[d0.0, d0.1] = index -i0 + (d0.1 - 1)*i1 - n2
  v11: int[d0.0] = index (v7)
  v12: real[d0.0, d0.1] = mul(v0, v6)
  v13: real[d0.1, d0.0] = gather v0[i1, i0]
  v14: real[d0.0] = [v3] gather v0[i0, v9]
  v15: real[min(d0.0, d0.1)] = gather v0[i0, i0]
  v16: real[] = gather v4[(v7)]
  v17: real[] = gather v4[v7 + 1]
  v18: real[d0.0, d0.1] = scatter v14[i0, v9] + v15[i0, i0] + v16[0, n2]
  v19: real[] = scatter v16[]
  v20: real[7] = scatter nothing
  v21: real[] = sum v0 over [0, 1]
  v22: real[d0.0] = product v0 over [1]
  v23: real[d0.0] = maximum v0 over [1]
  v24: real[d0.1] = minimum v0 over [0]
  v25: real[d0.0] = logsumexp v0 over [1]
  v26: int[d0.0] = argmax v0 along 1
  v27: int[d0.1] = argmin v0 along 0
  v28: real[d0.0] = recur v22 * _ + v23 along 0
  v29: real[d0.0] = [v3] recur v22 * _ + v23 along 0 reverse
  v30: real[d0.0, d0.0] = contract v0[a, b] * v13[b, c] -> [a, c]
  v31: real[] = contract v14[_26] * v22[_26] -> []
  v32: real[d0.0] = [v3] copy v14
  v33: real[d0.0] = stop v14
  v34: real[d0.0] = select(v3, v14, v22)
  return v18, v34
";

    #[test]
    fn text_is_read_back_as_printed() {
        let p = parse(EVERYTHING).unwrap();
        assert_eq!(p.to_string(), EVERYTHING);
        assert_eq!(parse(&p.to_string()).unwrap(), p);
        assert_eq!(super::super::bulk_check::check(&p), Ok(()));
    }

    #[test]
    fn literals_survive() {
        let nan = f64::from_bits(0xfff8_0000_0000_0001);
        let mut lits: Vec<Lit> = [0.1, -0.0, 1e300, -2.5e-7, f64::INFINITY, f64::NEG_INFINITY]
            .into_iter()
            .chain([f64::NAN, -f64::NAN, nan, f64::MIN_POSITIVE])
            .map(Lit::Real)
            .collect();
        lits.extend([i64::MIN, 0, i64::MAX].map(Lit::Int));
        lits.extend([true, false].map(Lit::Bool));
        for lit in lits {
            let mut p = parse("fn f()\n v0: real[] = fill 1.0\n return").unwrap();
            p.eqs[0].op = Op::Fill(lit);
            assert_eq!(parse(&p.to_string()).as_ref(), Ok(&p), "{p}");
        }
    }

    #[test]
    fn comments_and_spaces_do_not_matter() {
        let loose = "// what it does\n\nfn f ( x : real [ d0.0 ] )  // one\nv1:real[]=sum v0 over[0]\nreturn v1";
        let p = parse(loose).unwrap();
        assert_eq!(
            p.to_string(),
            "fn f(x: real[d0.0])\n  v1: real[] = sum v0 over [0]\n  return v1\n"
        );
    }

    #[test]
    fn sizes_have_a_normal_form() {
        let p =
            parse("fn f(x: real[d0.0])\n v1: int[2*(d0.0 - 1) + 3] = index -2*(i0 - 1)\n return");
        let line = p.unwrap().to_string();
        assert!(
            line.contains("v1: int[2*d0.0 + 1] = index -2*i0 + 2"),
            "{line}"
        );
    }

    #[test]
    fn what_is_not_of_the_form_is_refused() {
        for (line, message) in [
            ("v2: real[] = fill 1.0", "v2 where v1 is next"),
            ("v1: real[] = nothing v0", "`nothing` is no operation"),
            ("v1: real[] = twice(v0)", "`twice` is no primitive"),
            ("v1: float[] = copy v0", "`float` is no kind"),
            ("v1: real[d0] = copy v0", "`d0` is no size"),
            ("v1: real[] = copy x", "`x` is no variable"),
            ("v1: int[2] = index i1", "`i1` over 1 axes"),
            ("v1: int[2] = index i0*i0", "a product of two positions"),
            ("v1: real[] = scatter v1[]", "v1 is not defined before"),
            (
                "v1: real[] = sum v0 over [0] 1",
                "`1` where the line should end",
            ),
            ("v1: real[] = sum v0", "the line ends too early"),
            ("v1: real[] = fill 1.0.0", "`1.0.0` is no literal"),
            ("require d0.0 > 1", "`>` is not expected"),
        ] {
            let error = parse(&format!("fn f(x: real[d0.0])\n{line}\nreturn")).unwrap_err();
            assert_eq!(error, format!("line 2: {message}"));
        }
        assert_eq!(parse("").unwrap_err(), "no program");
        assert_eq!(parse("fn f()").unwrap_err(), "no `return`");
        assert!(parse("fn f()\nreturn\nreturn").is_err());
    }
}
