//! Printing.

use std::fmt::{self, Write as _};

use crate::ir::bulk::{Affine, Eq, Feed, Ix, Looped, Op, Program, Relation, Require, Type, Var};
use crate::ir::ty::{Atom, Lit};

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
                mask,
                b,
                axis,
                reverse,
            } => {
                write!(f, "recur {a} * _")?;
                match b {
                    Feed::One => {}
                    Feed::First(v) => write!(f, " from {v}")?,
                    Feed::Each(v) => write!(f, " adding {v}")?,
                    Feed::All(v) => write!(f, " + {v}")?,
                }
                write!(f, " along {axis}")?;
                if *reverse {
                    f.write_str(" reverse")?;
                }
                match mask {
                    Some(m) => write!(f, " where {m}"),
                    None => Ok(()),
                }
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let [x, y, z] = [a_axes, b_axes, out_axes].map(|axes| labels(axes));
                write!(f, "contract {a}[{x}] * {b}[{y}] -> [{z}]")
            }
            Op::Update {
                src,
                part,
                when,
                marks,
            } => {
                write!(f, "update {src} with {}[{}]", part.src, list(&part.index))?;
                if let Some(w) = when {
                    write!(f, " where {w}")?;
                }
                f.write_str(if marks.unread { " unread" } else { "" })?;
                match marks.parts {
                    Some(outside) => write!(f, " parts {outside}"),
                    None => Ok(()),
                }
            }
            Op::Loop { .. } => f.write_str(&of_loop(self, "")),
            Op::Call {
                unit,
                rule,
                args,
                out,
            } => write!(f, "call \"{}\" {rule} {out} ({})", **unit, list(args)),
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
        // A loop is printed once, before its first result.
        let mut loops: Vec<&Looped> = vec![];
        for (k, eq) in self.eqs.iter().enumerate() {
            let v = self.var_of(k);
            let Op::Loop { looped, .. } = &eq.op else {
                writeln!(f, "  {v}: {} = {eq}", eq.ty)?;
                continue;
            };
            let number = loops.iter().position(|l| *l == looped);
            let number = match number {
                Some(number) => number,
                None => {
                    loops.push(looped);
                    write_loop(f, looped, loops.len() - 1)?;
                    loops.len() - 1
                }
            };
            let result = of_loop(&eq.op, &number.to_string());
            writeln!(f, "  {v}: {} = {result}", eq.ty)?;
        }
        let results = list(&self.results);
        let space = if results.is_empty() { "" } else { " " };
        writeln!(f, "  return{space}{results}")
    }
}

/// A loop with its programs, indented.
fn write_loop(f: &mut fmt::Formatter<'_>, looped: &Looped, number: usize) -> fmt::Result {
    write!(f, "  loop {number} with {} states", looped.states)?;
    let reverse = if looped.reverse { " reverse" } else { "" };
    let line = format!("{reverse} {}", looped.keep);
    writeln!(f, "{}", line.trim_end())?;
    let indented = |f: &mut fmt::Formatter<'_>, program: &Program| {
        let text = program.to_string();
        text.lines().try_for_each(|line| writeln!(f, "    {line}"))
    };
    indented(f, &looped.body)?;
    match &looped.goes_on {
        Some(condition) => {
            writeln!(f, "  while")?;
            indented(f, condition)
        }
        None => Ok(()),
    }
}

/// A result of a loop, which is known by its number.
fn of_loop(op: &Op, number: &str) -> String {
    let Op::Loop {
        steps,
        given,
        init,
        out,
        ..
    } = op
    else {
        return String::new();
    };
    let space = if number.is_empty() { "" } else { " " };
    let (given, init) = (list(given), list(init));
    let mut text = format!("loop{space}{number} out {out} given [{given}] from [{init}]");
    if let Some(steps) = steps {
        write!(text, " for {steps}").expect("strings take everything");
    }
    text
}

/// Items with commas between them.
pub(in crate::ir) fn list(items: &[impl fmt::Display]) -> String {
    let mut out = String::new();
    for (k, i) in items.iter().enumerate() {
        let comma = if k > 0 { ", " } else { "" };
        write!(out, "{comma}{i}").expect("strings take everything");
    }
    out
}

/// The labels of axes.
pub(in crate::ir) fn labels(axes: &[u8]) -> String {
    let labels: Vec<String> = axes.iter().map(|&l| label(l)).collect();
    labels.join(", ")
}

/// Labels are letters as long as there are any.
fn label(l: u8) -> String {
    if l < 26 {
        char::from(b'a' + l).to_string()
    } else {
        format!("_{l}")
    }
}
