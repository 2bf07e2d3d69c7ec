//! Printing.

use crate::ir::bulk;
use crate::ir::bulk_text::{labels, list};
use crate::ir::core::Extremum;
use crate::ir::entries::{Block, Component};
use crate::ir::kernel::{
    Addend, Affine, At, Branch, Compute, Contribution, Cut, Division, Family, Fill, Form, Nest,
    Operand, Out, Program, Scalar, Sequence, Source, Step, Tiles, UnitCall, Within, Work,
};
use crate::ir::ty::Size;
use std::fmt::{self, Display, Formatter};

impl Display for Affine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.terms.iter().map(|(l, _)| l + 1).max();
        let mut coefs = vec![Size::lit(0); count.unwrap_or(0)];
        for (l, c) in &self.terms {
            coefs[*l] = c.clone();
        }
        let constant = self.constant.clone();
        bulk::Affine { coefs, constant }.fmt(f)
    }
}

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            At::Affine(a) => a.fmt(f),
            At::Node(n) => write!(f, "s{n}"),
        }
    }
}

/// `[s3] `, if there is a guard.
fn guard(scalar: &Scalar) -> String {
    scalar.guard.map_or(String::new(), |g| format!("[s{g}] "))
}

impl Display for Compute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Compute::Lit(lit) => bulk::Op::Fill(*lit).fmt(f),
            Compute::Index(a) => write!(f, "index {a}"),
            Compute::Read(v, at) => write!(f, "read {v}[{}]", list(at)),
            Compute::Prim(prim, args) => {
                let args: Vec<String> = args.iter().map(|n| format!("s{n}")).collect();
                write!(f, "{}({})", prim.name(), args.join(", "))
            }
            Compute::Reduce(op, own, n) => write!(f, "{} s{n} over [{}]", op.name(), list(own)),
            Compute::ArgReduce(op @ (Extremum::Max | Extremum::Min), l, n) => {
                write!(f, "{} s{n} along {l}", op.name())
            }
            Compute::Extreme(n) => write!(f, "extreme s{n}"),
            Compute::Same(n) => write!(f, "same s{n}"),
        }
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Form::Plain => write!(f, "plain"),
            Form::Rows(Cut { first, last }) => {
                let count = |word, n: i64| match n {
                    0 => String::new(),
                    n => format!(" {word} {n}"),
                };
                write!(f, "rows{}{}", count("first", *first), count("last", *last))
            }
            Form::ChangedRows => write!(f, "changed rows"),
            Form::AddedRows { least } => write!(f, "added rows from {least}"),
            Form::RowTotals { least } => write!(f, "row totals from {least}"),
        }
    }
}

impl Display for Nest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "outer {}", self.outer)?;
        if self.form != Form::Plain {
            writeln!(f, "form {}", self.form)?;
        }
        for (l, (extent, range)) in self.loops.iter().zip(&self.ranges).enumerate() {
            write!(f, "loop i{l} to {extent}")?;
            if !range.from.is_empty() {
                write!(f, " from [{}]", list(&range.from))?;
            }
            if !range.to.is_empty() {
                write!(f, " until [{}]", list(&range.to))?;
            }
            writeln!(f)?;
        }
        for (n, (scalar, depends)) in self.nodes.iter().zip(&self.depends).enumerate() {
            let (elem, loops) = (scalar.elem, list(depends));
            let (guard, compute) = (guard(scalar), &scalar.compute);
            writeln!(f, "s{n}: {elem} in [{loops}] = {guard}{compute}")?;
        }
        writeln!(f, "give s{}", self.root)
    }
}

impl Display for Contribution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}at [{}]", self.nest, list(&self.at))
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let take = if self.taken { "take " } else { "" };
        write!(f, "{take}{}", self.array)
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.negated { "- " } else { "" };
        write!(f, "{sign}{}", self.array)?;
        let Some(part) = &self.part else {
            return Ok(());
        };
        let axes: Vec<String> = (part.iter())
            .map(|(first, count)| format!("{first} count {count}"))
            .collect();
        write!(f, " part [{}] ", axes.join(", "))
    }
}

impl Display for Within {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "within [{}] by {}",
            labels(&[self.less, self.more]),
            self.by
        )
    }
}

impl Display for Family {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.nest)?;
        writeln!(f, "begins [{}]", list(&self.begins))?;
        for member in &self.members {
            write!(f, "member {}: {} ", member.var, member.ty)?;
            match &member.fill {
                Fill::Each(n) => writeln!(f, "each s{n}")?,
                Fill::At { to, adds, parts } => {
                    let to = to.map_or(String::new(), |to| format!(" to {to}"));
                    let (fill, part) = if *adds {
                        ("sum", "add")
                    } else {
                        ("parts", "put")
                    };
                    writeln!(f, "{fill}{to}")?;
                    for Addend { value, at } in parts {
                        writeln!(f, "{part} s{value} at [{}]", list(at))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The results that are used, one on a line.
fn outs(outs: &[Out]) -> String {
    let lines = outs
        .iter()
        .map(|out| format!("out {} {}: {}\n", out.result, out.var, out.ty));
    lines.collect()
}

impl Display for Sequence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let reverse = if self.reverse { " reverse" } else { "" };
        let (given, init) = (list(&self.given), list(&self.init));
        write!(
            f,
            "{} states{reverse} given [{given}] from [{init}]",
            self.states
        )?;
        if let Some(steps) = &self.steps {
            write!(f, " for {steps}")?;
        }
        write!(f, "\n{}{}", outs(&self.outs), self.body)?;
        match &self.goes_on {
            Some(condition) => write!(f, "while\n{condition}"),
            None => Ok(()),
        }
    }
}

impl Display for Branch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let given = list(&self.then.given);
        writeln!(f, "if {} given [{given}]", self.when)?;
        write!(f, "{}{}", outs(&self.outs), self.then.body)?;
        match &self.otherwise {
            Some(side) => write!(f, "else given [{}]\n{}", list(&side.given), side.body),
            None => Ok(()),
        }
    }
}

impl Display for UnitCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let args = list(&self.args);
        let onto = match &self.onto[..] {
            [] => String::new(),
            onto => format!(" onto [{}]", list(onto)),
        };
        write!(
            f,
            "\"{}\" {} ({args}){onto}\n{}",
            *self.unit,
            self.rule,
            outs(&self.outs)
        )
    }
}

impl Display for Tiles {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (word, each) = match &self.division {
            Division::Tiles(each) => ("cached", each),
            Division::Shares(each) => ("shared", each),
        };
        let (given, added) = (list(&self.given), list(&self.added));
        writeln!(
            f,
            "of {} {word} {each} given [{given}] added [{added}]",
            self.extent
        )?;
        write!(f, "{}{}", outs(&self.outs), self.body)
    }
}

/// Parts, each with its place.
fn parts(parts: &[Contribution]) -> String {
    parts.iter().map(ToString::to_string).collect()
}

impl Display for Work {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Work::Nest(nest) => write!(f, "nest\n{nest}"),
            Work::Scatter(all) => write!(f, "scatter\n{}", parts(all)),
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
                within,
                onto,
            } => {
                let [x, y, z] = [a_axes, b_axes, out_axes].map(|axes| labels(axes));
                write!(f, "contract {a}[{x}] * {b}[{y}] -> [{z}]")?;
                within.iter().try_for_each(|bound| write!(f, " {bound}"))?;
                if let Some(source) = onto {
                    write!(f, " onto {source}")?;
                }
                writeln!(f)
            }
            Work::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => {
                let (a, mask, b, axis, reverse) = (*a, *mask, *b, *axis, *reverse);
                let op = bulk::Op::Recur {
                    a,
                    mask,
                    b,
                    axis,
                    reverse,
                };
                writeln!(f, "{op}")
            }
            Work::Change {
                of,
                adds,
                parts: all,
            } => {
                let word = if *adds { "adding" } else { "replacing" };
                write!(f, "change {of} {word}\n{}", parts(all))
            }
            Work::Family(family) => write!(f, "family\n{family}"),
            Work::Loop(sequence) => write!(f, "loop {sequence}"),
            Work::Call(call) => write!(f, "call {call}"),
            Work::Tiles(tiles) => write!(f, "tiles {tiles}"),
            Work::Branch(branch) => write!(f, "branch {branch}"),
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let work = self.work.to_string();
        let mut lines = work.lines();
        let first = lines.next().unwrap_or_default();
        writeln!(f, "{}: {} = {first}", self.out, self.ty)?;
        lines.try_for_each(|line| writeln!(f, "  {line}"))
    }
}

impl Display for Component {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Component::Affine(a) => a.fmt(f),
            Component::Data(axes) => write!(f, "data [{}]", list(axes)),
        }
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (row, column) = (list(&self.row), list(&self.column));
        let (output, input) = (self.output, self.input);
        let affine = self.row.iter().chain(&self.column).find_map(|c| match c {
            Component::Affine(a) => Some(a.coefs.len()),
            Component::Data(_) => None,
        });
        let rank = affine.unwrap_or(0);
        write!(
            f,
            "entries {output} by {input} over {rank} at [{row}] by [{column}]"
        )?;
        match &self.present {
            Some(axes) => write!(f, " where [{}]", list(axes)),
            None => Ok(()),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = (self.params.iter())
            .map(|p| format!("{}: {}", p.name, p.ty))
            .collect();
        writeln!(f, "fn {}({})", self.name, params.join(", "))?;
        for r in &self.requires {
            writeln!(f, "  require {r}")?;
        }
        for step in &self.steps {
            (step.to_string().lines()).try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        for block in &self.blocks {
            writeln!(f, "  {block}")?;
        }
        let results = list(&self.results);
        let space = if results.is_empty() { "" } else { " " };
        writeln!(f, "  return{space}{results}")
    }
}
