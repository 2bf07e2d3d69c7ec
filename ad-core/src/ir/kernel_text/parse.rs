//! Reading.

use crate::ir::bulk;
use crate::ir::bulk_text::{Lines, Reader};
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::entries::{Block, Component};
use crate::ir::kernel::{
    Addend, Affine, At, Branch, Compute, Contribution, Cut, Division, Family, Fill, Form, Loop,
    Member, Nest, Node, Operand, Out, Program, Range, Scalar, Sequence, Side, Source, Step, Tiles,
    UnitCall, Within, Work,
};
use crate::ir::prims::Prim;
use crate::ir::ty::Size;

/// Reads the text form.
///
/// # Errors
/// If the text is not of that form; the message starts with the line. Beyond the form only what the
/// reading itself needs is checked, the rest is the verifier's.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut lines = Lines::new(text)?;
    let program = lines.kernels()?;
    match lines.peek() {
        None => Ok(program),
        Some(_) => lines.line(|_| Err("nothing follows `return`".into())),
    }
}

impl Lines<'_> {
    /// Reads the next line as a whole.
    fn line<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let (line, tokens) = self.next().ok_or("the program ends too early")?;
        let mut reader = Reader::new(&tokens);
        let out = read(&mut reader).and_then(|out| reader.end().map(|()| out));
        out.map_err(|e| format!("line {line}: {e}"))
    }

    fn begins(&self, word: &str) -> bool {
        self.peek()
            .is_some_and(|tokens| tokens.first() == Some(&word))
    }

    /// Lines that begin with this word.
    fn all<T>(
        &mut self,
        word: &str,
        mut read: impl FnMut(&mut Reader<'_>) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut out = vec![];
        while self.begins(word) {
            out.push(self.line(|r| r.expect(word).and_then(|()| read(r)))?);
        }
        Ok(out)
    }

    fn kernels(&mut self) -> Result<Program, String> {
        let (name, params) = self.line(|r| r.head_of_program())?;
        let requires = self.all("require", |r| r.requirement())?;
        let mut steps = vec![];
        while !self.begins("entries") && !self.begins("return") {
            steps.push(self.step()?);
        }
        let blocks = self.all("entries", |r| r.block())?;
        let results = self.line(|r| r.expect("return").and_then(|()| r.results()))?;
        Ok(Program {
            name,
            params,
            steps,
            results,
            requires,
            blocks,
        })
    }

    fn step(&mut self) -> Result<Step, String> {
        let (out, ty, head) = self.line(|r| {
            let out = r.var()?;
            r.expect(":")?;
            let ty = r.ty()?;
            r.expect("=")?;
            Ok((out, ty, r.work()?))
        })?;
        let work = match head {
            Head::Whole(work) => work,
            Head::Nest => Work::Nest(self.nest()?),
            Head::Scatter => Work::Scatter(self.contributions()?),
            Head::Change(of, adds) => {
                let parts = self.contributions()?;
                Work::Change { of, adds, parts }
            }
            Head::Family => Work::Family(Box::new(self.family()?)),
            Head::Loop(mut sequence) => {
                sequence.outs = self.all("out", |r| r.out())?;
                sequence.body = self.kernels()?;
                if self.begins("while") {
                    self.line(|r| r.expect("while"))?;
                    sequence.goes_on = Some(self.kernels()?);
                }
                Work::Loop(sequence)
            }
            Head::Call(mut call) => {
                call.outs = self.all("out", |r| r.out())?;
                Work::Call(call)
            }
            Head::Tiles(mut tiles) => {
                tiles.outs = self.all("out", |r| r.out())?;
                tiles.body = self.kernels()?;
                Work::Tiles(tiles)
            }
            Head::Branch(mut branch) => {
                branch.outs = self.all("out", |r| r.out())?;
                branch.then.body = self.kernels()?;
                if self.begins("else") {
                    let given = self.line(|r| {
                        r.expect("else")?;
                        r.expect("given")?;
                        r.listed(Reader::var)
                    })?;
                    let body = self.kernels()?;
                    branch.otherwise = Some(Side { body, given });
                }
                Work::Branch(branch)
            }
        };
        Ok(Step { out, ty, work })
    }

    fn nest(&mut self) -> Result<Nest, String> {
        let outer = self.line(|r| r.expect("outer").and_then(|()| r.axis()))?;
        let form = match self.begins("form") {
            true => self.line(|r| r.expect("form").and_then(|()| r.form()))?,
            false => Form::Plain,
        };
        let (mut loops, mut ranges, mut nodes, mut depends) = (vec![], vec![], vec![], vec![]);
        let count = self.count("loop");
        for l in 0..count {
            let (extent, range) = self.line(|r| r.range_of(l, count))?;
            loops.push(extent);
            ranges.push(range);
        }
        while !self.begins("give") {
            let (scalar, own) = self.line(|r| r.scalar(nodes.len(), count))?;
            nodes.push(scalar);
            depends.push(own);
        }
        let root = self.line(|r| r.expect("give").and_then(|()| r.node()))?;
        Ok(Nest {
            loops,
            ranges,
            outer,
            nodes,
            depends,
            root,
            form,
        })
    }

    fn contributions(&mut self) -> Result<Vec<Contribution>, String> {
        let mut parts = vec![];
        while self.begins("outer") {
            let nest = self.nest()?;
            let at = self.line(|r| r.expect("at").and_then(|()| r.place(nest.loops.len())))?;
            parts.push(Contribution { nest, at });
        }
        Ok(parts)
    }

    fn family(&mut self) -> Result<Family, String> {
        let nest = self.nest()?;
        let begins = self.line(|r| r.expect("begins").and_then(|()| r.listed(|r| r.source())))?;
        let mut members = vec![];
        while self.begins("member") {
            let (var, ty, fill) = self.line(|r| r.member())?;
            let fill = match fill {
                Fill::Each(n) => Fill::Each(n),
                Fill::At { to, adds, .. } => {
                    let word = if adds { "add" } else { "put" };
                    let parts = self.all(word, |r| r.addend(nest.loops.len()))?;
                    Fill::At { to, adds, parts }
                }
            };
            members.push(Member { var, ty, fill });
        }
        Ok(Family {
            nest,
            begins,
            members,
        })
    }
}

/// What the first line of a step says.
enum Head {
    Whole(Work),
    Nest,
    Scatter,
    Change(Source, bool),
    Family,
    Loop(Box<Sequence>),
    Call(Box<UnitCall>),
    Tiles(Box<Tiles>),
    Branch(Box<Branch>),
}

impl Reader<'_> {
    /// Items in brackets.
    fn listed<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.expect("[")?;
        self.until("]", item)
    }

    fn node(&mut self) -> Result<Node, String> {
        let word = self.next()?;
        node(word).ok_or_else(|| format!("`{word}` is no scalar"))
    }

    /// An affine integer of so many loops.
    fn index_of(&mut self, loops: usize) -> Result<Affine, String> {
        let bulk::Affine { coefs, constant } = self.affine(loops)?;
        let terms = coefs.into_iter().enumerate();
        let terms = terms.filter(|(_, c)| !c.is(0)).collect();
        Ok(Affine { terms, constant })
    }

    fn at(&mut self, loops: usize) -> Result<At, String> {
        match self.peek().and_then(node) {
            Some(n) => self.next().map(|_| At::Node(n)),
            None => Ok(At::Affine(self.index_of(loops)?)),
        }
    }

    fn place(&mut self, loops: usize) -> Result<Vec<At>, String> {
        self.listed(|r| r.at(loops))
    }

    /// `rows first 1 last 2`, `added rows from 8`, `row totals from 16`, `changed rows`
    fn form(&mut self) -> Result<Form, String> {
        let least = |r: &mut Self, word| {
            r.expect(word)?;
            r.expect("from")?;
            r.axis().map(|n| n as i64)
        };
        let count = |r: &mut Self, word| match r.skip(word) {
            true => r.axis().map(|n| n as i64),
            false => Ok(0),
        };
        Ok(match self.next()? {
            "rows" => {
                let (first, last) = (count(self, "first")?, count(self, "last")?);
                Form::Rows(Cut { first, last })
            }
            "added" => Form::AddedRows {
                least: least(self, "rows")?,
            },
            "changed" => {
                self.expect("rows")?;
                Form::ChangedRows
            }
            "row" => Form::RowTotals {
                least: least(self, "totals")?,
            },
            t => return Err(format!("`{t}` is no form of a loop")),
        })
    }

    /// `loop i1 to d0.1 from [i0] until [s4]`
    fn range_of(&mut self, l: Loop, loops: usize) -> Result<(Size, Range), String> {
        self.expect("loop")?;
        self.expect(&format!("i{l}"))?;
        self.expect("to")?;
        let extent = self.size()?;
        let mut range = Range::default();
        if self.skip("from") {
            range.from = self.listed(|r| r.index_of(loops))?;
        }
        if self.skip("until") {
            range.to = self.listed(|r| r.at(loops))?;
        }
        Ok((extent, range))
    }

    /// `s2: real in [0] = [s1] sum s0 over [1]`
    fn scalar(&mut self, n: Node, loops: usize) -> Result<(Scalar, Vec<Loop>), String> {
        self.expect(&format!("s{n}"))?;
        self.expect(":")?;
        let elem = self.elem()?;
        self.expect("in")?;
        let depends = self.listed(Reader::axis)?;
        self.expect("=")?;
        let guard = match self.skip("[") {
            true => {
                let guard = self.node()?;
                self.expect("]")?;
                Some(guard)
            }
            false => None,
        };
        let compute = self.compute(loops)?;
        let scalar = Scalar {
            elem,
            guard,
            compute,
        };
        Ok((scalar, depends))
    }

    fn compute(&mut self, loops: usize) -> Result<Compute, String> {
        let word = self.next()?;
        if word != "index" && self.skip("(") {
            let prim = Prim::by_name(word).ok_or_else(|| format!("`{word}` is no primitive"))?;
            return Ok(Compute::Prim(prim, self.until(")", Reader::node)?));
        }
        if let Some(op) = ReduceOp::ALL.into_iter().find(|op| op.name() == word) {
            let n = self.node()?;
            self.expect("over")?;
            return Ok(Compute::Reduce(op, self.listed(Reader::axis)?, n));
        }
        let extrema = [Extremum::Max, Extremum::Min];
        if let Some(op) = extrema.into_iter().find(|op| op.name() == word) {
            let n = self.node()?;
            self.expect("along")?;
            return Ok(Compute::ArgReduce(op, self.axis()?, n));
        }
        Ok(match word {
            "fill" => Compute::Lit(self.lit()?),
            "index" => Compute::Index(self.index_of(loops)?),
            "read" => Compute::Read(self.var()?, self.place(loops)?),
            "extreme" => Compute::Extreme(self.node()?),
            "same" => Compute::Same(self.node()?),
            t => return Err(format!("`{t}` is nothing that a scalar computes")),
        })
    }

    fn source(&mut self) -> Result<Source, String> {
        let taken = self.skip("take");
        let array = self.var()?;
        Ok(Source { array, taken })
    }

    fn operand(&mut self) -> Result<Operand, String> {
        let negated = self.skip("-");
        let array = self.var()?;
        let axis = |r: &mut Self| {
            let first = r.size()?;
            r.expect("count")?;
            Ok((first, r.size()?))
        };
        let part = match self.skip("part") {
            true => Some(self.listed(axis)?),
            false => None,
        };
        Ok(Operand {
            array,
            part,
            negated,
        })
    }

    fn work(&mut self) -> Result<Head, String> {
        Ok(match self.next()? {
            "nest" => Head::Nest,
            "scatter" => Head::Scatter,
            "family" => Head::Family,
            "contract" => Head::Whole(self.contract()?),
            "recur" => {
                let op = self.recur()?;
                let bulk::Op::Recur {
                    a,
                    mask,
                    b,
                    axis,
                    reverse,
                } = op
                else {
                    return Err(format!("`{op}` is no recurrence"));
                };
                Head::Whole(Work::Recur {
                    a,
                    mask,
                    b,
                    axis,
                    reverse,
                })
            }
            "change" => {
                let of = self.source()?;
                let adds = match self.next()? {
                    "adding" => true,
                    "replacing" => false,
                    t => return Err(format!("`{t}` is no change")),
                };
                Head::Change(of, adds)
            }
            "loop" => {
                let states = self.axis()?;
                self.expect("states")?;
                let reverse = self.skip("reverse");
                self.expect("given")?;
                let given = self.listed(Reader::var)?;
                self.expect("from")?;
                let init = self.listed(Reader::source)?;
                let steps = match self.skip("for") {
                    true => Some(self.size()?),
                    false => None,
                };
                Head::Loop(Box::new(Sequence {
                    body: Program::default(),
                    states,
                    goes_on: None,
                    steps,
                    given,
                    init,
                    reverse,
                    outs: vec![],
                }))
            }
            "call" => {
                let (unit, rule) = (self.unit()?, self.rule()?);
                self.expect("(")?;
                let args = self.until(")", Reader::var)?;
                let onto = match self.skip("onto") {
                    true => self.listed(Reader::source)?,
                    false => vec![],
                };
                Head::Call(Box::new(UnitCall {
                    unit,
                    rule,
                    args,
                    onto,
                    outs: vec![],
                }))
            }
            "tiles" => {
                self.expect("of")?;
                let extent = self.size()?;
                let division = match self.next()? {
                    "cached" => Division::Tiles(self.size()?),
                    "shared" => Division::Shares(self.size()?),
                    t => return Err(format!("`{t}` is no division")),
                };
                self.expect("given")?;
                let given = self.listed(Reader::var)?;
                self.expect("added")?;
                let added = self.listed(Reader::axis)?;
                Head::Tiles(Box::new(Tiles {
                    body: Program::default(),
                    given,
                    extent,
                    division,
                    outs: vec![],
                    added,
                }))
            }
            "branch" => {
                self.expect("if")?;
                let when = self.var()?;
                self.expect("given")?;
                let given = self.listed(Reader::var)?;
                let body = Program::default();
                Head::Branch(Box::new(Branch {
                    when,
                    then: Side { body, given },
                    otherwise: None,
                    outs: vec![],
                }))
            }
            t => return Err(format!("`{t}` is no step")),
        })
    }

    /// `v0[a, b] * - v1[b, c] -> [a, c] within [a, b] by 3 onto take v2`
    fn contract(&mut self) -> Result<Work, String> {
        let (a, a_axes) = (self.operand()?, self.labels()?);
        self.expect("*")?;
        let (b, b_axes) = (self.operand()?, self.labels()?);
        self.expect("->")?;
        let out_axes = self.labels()?;
        let mut within = vec![];
        while self.skip("within") {
            let labels = self.labels()?;
            let &[less, more] = &labels[..] else {
                return Err("a bound is about two labels".into());
            };
            self.expect("by")?;
            let by = self.size()?;
            within.push(Within { less, more, by });
        }
        let onto = match self.skip("onto") {
            true => Some(self.source()?),
            false => None,
        };
        Ok(Work::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
            within,
            onto,
        })
    }

    /// `0 v5: real[]`, behind `out`
    fn out(&mut self) -> Result<Out, String> {
        let result = self.axis()?;
        let var = self.var()?;
        self.expect(":")?;
        let ty = self.ty()?;
        Ok(Out { result, var, ty })
    }

    /// `member v3: real[d0.0] sum to 0`; what is added stands behind.
    fn member(&mut self) -> Result<(bulk::Var, bulk::Type, Fill), String> {
        self.expect("member")?;
        let var = self.var()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let fill = match self.next()? {
            "each" => Fill::Each(self.node()?),
            word @ ("sum" | "parts") => {
                let adds = word == "sum";
                let to = match self.skip("to") {
                    true => Some(self.axis()?),
                    false => None,
                };
                let parts = vec![];
                Fill::At { to, adds, parts }
            }
            t => return Err(format!("`{t}` is no member")),
        };
        Ok((var, ty, fill))
    }

    /// `s4 at [i0]`, behind `add`
    fn addend(&mut self, loops: usize) -> Result<Addend, String> {
        let value = self.node()?;
        self.expect("at")?;
        let at = self.place(loops)?;
        Ok(Addend { value, at })
    }

    /// `0 by 1 over 1 at [i0] by [data [0]] where [0]`, behind `entries`
    fn block(&mut self) -> Result<Block, String> {
        let output = self.axis()?;
        self.expect("by")?;
        let input = self.axis()?;
        self.expect("over")?;
        let rank = self.axis()?;
        self.expect("at")?;
        let row = self.listed(|r| r.component(rank))?;
        self.expect("by")?;
        let column = self.listed(|r| r.component(rank))?;
        let present = match self.skip("where") {
            true => Some(self.listed(Reader::axis)?),
            false => None,
        };
        Ok(Block {
            output,
            input,
            row,
            column,
            present,
        })
    }

    fn component(&mut self, rank: usize) -> Result<Component, String> {
        match self.skip("data") {
            true => Ok(Component::Data(self.listed(Reader::axis)?)),
            false => Ok(Component::Affine(self.affine(rank)?)),
        }
    }
}

/// The number of a scalar: `s4`.
fn node(word: &str) -> Option<Node> {
    let digits = word.strip_prefix('s')?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}
