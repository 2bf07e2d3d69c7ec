//! `--svg`: the dataflow of a value and of its cotangents or tangents, side by side.
//!
//! ```text
//!   w   x                w_bar
//!    \ /                   ^
//!     v                    |
//!   product  ─ ─ ─ ─ ─>  product
//!     v                    ^
//!   value                cotangent
//! ```
//!
//! Values run down the left column. Reverse mode runs up the right column, so that a cotangent is
//! near the value that it belongs to; tangents run down.

use crate::cost::unread;
use crate::sections::{Section, Stage};
use cotangent_core::ir::bulk::{Op, Program};
use cotangent_core::ir::bulk_text;
use std::fmt::Write;

/// The derivatives that compute the value of the function as well, the first choice first.
const DRAWN: [&str; 3] = ["value_and_grad", "vjp", "jvp"];

/// The picture of the derivative `only`, or of the first that can be drawn.
///
/// # Errors
/// If there is none, or if its program cannot be read.
pub(crate) fn svg(
    sections: &[Section<'_>],
    function: &str,
    only: Option<&str>,
) -> Result<String, String> {
    let names = DRAWN.iter().map(|what| format!("{function}_{what}"));
    let last = |name: &str| {
        let bulk = |s: &&Section<'_>| s.of == name && matches!(s.stage(), Stage::Bulk(_));
        sections.iter().rfind(bulk).map(|s| s.text)
    };
    let mut drawn = names.filter(|name| only.is_none_or(|only| only == name));
    let found = drawn.find_map(|name| Some((last(&name)?, name)));
    let (derived, name) = found.ok_or_else(|| {
        format!(
            "error: `--svg` draws a derivative that computes the value as well\n\
             help: ask for `{function}_value_and_grad`, `{function}_vjp` or `{function}_jvp`"
        )
    })?;
    let primal = last(function).ok_or("error: the macro wrote no program")?;
    let primal = bulk_text::parse(primal).map_err(unread)?;
    let derived = bulk_text::parse(derived).map_err(unread)?;
    Ok(draw(&derived, primal.results.len(), &name))
}

/// A node of the picture.
struct Node {
    label: String,
    /// Whether it belongs to the value.
    is_value: bool,
    fill: &'static str,
    inputs: Vec<usize>,
}

const ARGUMENT: &str = "#dbeafe";
const VALUE: &str = "#f1f5f9";
const DERIVED: &str = "#fef3c7";
const RESULT: &str = "#dcfce7";

/// Sizes in pixels.
const ROW: usize = 46;
const HEIGHT: usize = 28;
const LETTER: usize = 7;
const GAP: usize = 150;
const MARGIN: usize = 60;
const TOP: usize = 60;

/// The longest label, in letters.
const MOST: usize = 72;

fn draw(program: &Program, values: usize, name: &str) -> String {
    let (nodes, rows) = laid_out(program, values, name);
    let widest = |is_value: bool| {
        let column = nodes.iter().filter(|n| n.is_value == is_value);
        column.map(|n| width(&n.label)).max().unwrap_or(0)
    };
    let (left, right) = (widest(true), widest(false));
    let columns = [MARGIN, MARGIN + left + GAP];
    let (across, down) = (columns[1] + right + MARGIN, TOP + rows_of(&rows) * ROW);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{across}\" height=\"{down}\" \
         font-family=\"monospace\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#64748b\"/></marker>\
         </defs>\n"
    );
    let is_reverse = !name.ends_with("_jvp");
    let right_title = if is_reverse { "cotangents" } else { "tangents" };
    for (x, title) in columns.iter().zip(["value", right_title]) {
        writeln!(
            out,
            "<text x=\"{x}\" y=\"30\" font-size=\"15\" font-weight=\"bold\">{title}</text>"
        )
        .expect("strings take everything");
    }
    let place = |k: usize| {
        let x = columns[usize::from(!nodes[k].is_value)];
        (x, TOP + rows[k] * ROW)
    };
    for (k, node) in nodes.iter().enumerate() {
        for &from in &node.inputs {
            let path = edge(
                place(from),
                width(&nodes[from].label),
                place(k),
                width(&node.label),
            );
            let dash = match nodes[from].is_value == node.is_value {
                true => "",
                false => " stroke-dasharray=\"4 3\"",
            };
            writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"#94a3b8\"{dash} \
                 marker-end=\"url(#head)\"/>"
            )
            .expect("strings take everything");
        }
    }
    for (k, node) in nodes.iter().enumerate() {
        let ((x, y), wide, fill) = (place(k), width(&node.label), node.fill);
        let (text_x, text_y, label) = (x + 8, y + 18, escaped(&node.label));
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{HEIGHT}\" rx=\"5\" \
             fill=\"{fill}\" stroke=\"#64748b\"/><text x=\"{text_x}\" y=\"{text_y}\">{label}</text>"
        )
        .expect("strings take everything");
    }
    out + "</svg>\n"
}

fn width(label: &str) -> usize {
    LETTER * label.chars().count() + 2 * LETTER + 6
}

fn rows_of(rows: &[usize]) -> usize {
    rows.iter().max().map_or(0, |row| row + 1)
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

/// A curve between the nearest sides of two boxes. Within a column it leaves and enters at the
/// left, unless the boxes are neighbours.
fn edge(from: (usize, usize), from_wide: usize, to: (usize, usize), to_wide: usize) -> String {
    let middle = |y: usize| y + HEIGHT / 2;
    let (x0, y0, x1, y1) = (from.0, from.1, to.0, to.1);
    if x0 != x1 {
        let (a, b) = match x0 < x1 {
            true => (x0 + from_wide, x1),
            false => (x0, x1 + to_wide),
        };
        let (ya, yb, half) = (middle(y0), middle(y1), a.midpoint(b));
        return format!("M{a} {ya}C{half} {ya} {half} {yb} {b} {yb}");
    }
    if y0.abs_diff(y1) == ROW {
        let x = x0 + from_wide.min(to_wide) / 2;
        let (a, b) = match y0 < y1 {
            true => (y0 + HEIGHT, y1),
            false => (y0, y1 + HEIGHT),
        };
        return format!("M{x} {a}L{x} {b}");
    }
    let (ya, yb) = (middle(y0), middle(y1));
    let bend = x0.saturating_sub((12 + ya.abs_diff(yb) / 12).min(MARGIN - 8));
    format!("M{x0} {ya}C{bend} {ya} {bend} {yb} {x1} {yb}")
}

/// The nodes of a program with the row of each. The first results are those of the function.
fn laid_out(program: &Program, values: usize, name: &str) -> (Vec<Node>, Vec<usize>) {
    let is_value = of_values(program, values);
    let is_reverse = !name.ends_with("_jvp");
    let mut nodes: Vec<Node> = vec![];
    for (k, p) in program.params.iter().enumerate() {
        nodes.push(Node {
            label: format!("{}: {}", p.name, with_lengths(program, &p.ty.to_string())),
            is_value: is_value[k],
            fill: ARGUMENT,
            inputs: vec![],
        });
    }
    for (k, eq) in program.eqs.iter().enumerate() {
        let var = program.var_of(k);
        let is_result = program.results.contains(&var);
        let is_value = is_value[var.index()];
        let mut inputs = vec![];
        eq.visit(&mut |v| inputs.push(v.index()));
        inputs.sort_unstable();
        inputs.dedup();
        nodes.push(Node {
            label: label(program, k),
            is_value,
            fill: match (is_result, is_value) {
                (true, _) => RESULT,
                (false, true) => VALUE,
                (false, false) => DERIVED,
            },
            inputs,
        });
    }
    let lefts = nodes.iter().filter(|n| n.is_value).count();
    let rights = nodes.len() - lefts;
    let (mut left, mut right) = (0, 0);
    let all = lefts.max(rights);
    let rows = nodes.iter().map(|n| {
        let next = if n.is_value { &mut left } else { &mut right };
        *next += 1;
        match n.is_value || !is_reverse {
            true => *next - 1,
            false => all - *next,
        }
    });
    let rows = rows.collect();
    (nodes, rows)
}

/// Which variables the first results depend on.
fn of_values(program: &Program, values: usize) -> Vec<bool> {
    let mut out = vec![false; program.params.len() + program.eqs.len()];
    for r in program.results.iter().take(values) {
        out[r.index()] = true;
    }
    for (k, eq) in program.eqs.iter().enumerate().rev() {
        if out[program.var_of(k).index()] {
            eq.visit(&mut |v| out[v.index()] = true);
        }
    }
    out
}

/// An equation with the names of parameters, as far as it fits.
fn label(program: &Program, k: usize) -> String {
    let eq = &program.eqs[k];
    let var = program.var_of(k);
    let text = match &eq.op {
        Op::Loop { steps, .. } => match steps {
            Some(steps) => format!("{var} = loop of {steps} rounds"),
            None => format!("{var} = loop"),
        },
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Copy(_)
        | Op::Stop(_) => format!("{var} = {eq}"),
    };
    let mut label = named(program, &text);
    if !eq.ty.shape.is_empty() {
        let ty = eq.ty.to_string();
        let shape = ty.split_once('[').map_or("", |(_, shape)| shape);
        write!(label, ": [{}", with_lengths(program, shape)).expect("strings take everything");
    }
    if label.chars().count() > MOST {
        label = label.chars().take(MOST - 2).chain("..".chars()).collect();
    }
    label
}

/// With the names of parameters in the place of their numbers.
fn named(program: &Program, text: &str) -> String {
    replaced(text, &|word| {
        let number: usize = word.strip_prefix('v')?.parse().ok()?;
        Some(program.params.get(number)?.name.clone())
    })
}

/// With lengths such as `w.0` in the place of `d0.0`.
fn with_lengths(program: &Program, text: &str) -> String {
    replaced(text, &|word| {
        let (param, axis) = word.strip_prefix('d')?.split_once('.')?;
        let param = program.params.get(param.parse::<usize>().ok()?)?;
        Some(format!("{}.{axis}", param.name))
    })
}

fn replaced(text: &str, new: &dyn Fn(&str) -> Option<String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let (word, behind) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        out.push_str(before);
        out.push_str(&new(word).unwrap_or_else(|| word.to_owned()));
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::sections;

    const DUMP: &str = "==== f: Bulk, after simplify\n\nfn f(x: real[d0.0])\n  \
        v1: real[d0.0] = tanh(v0)\n  v2: real[] = sum v1 over [0]\n  return v2\n\n\
        ==== f_value_and_grad: Bulk, after simplify\n\nfn f(x: real[d0.0])\n  \
        v1: real[d0.0] = tanh(v0)\n  v2: real[] = sum v1 over [0]\n  \
        v3: real[d0.0] = mul(v1, v1)\n  v4: real[d0.0] = fill 1\n  \
        v5: real[d0.0] = sub(v4, v3)\n  return v2, v5\n\n";

    #[test]
    fn values_are_left_and_cotangents_right() {
        let program = sections(DUMP)[1].text.to_owned();
        let program = bulk_text::parse(&program).expect("a program");
        let (nodes, rows) = laid_out(&program, 1, "f_value_and_grad");
        let left: Vec<&str> = (nodes.iter().filter(|n| n.is_value))
            .map(|n| &n.label[..])
            .collect();
        assert_eq!(left[0], "x: real[x.0]");
        assert_eq!(left[1], "v1 = tanh(x): [x.0]");
        assert_eq!(left.len(), 3);
        // Cotangents run up.
        assert_eq!(rows, [0, 1, 2, 2, 1, 0]);
    }

    #[test]
    fn every_dependence_is_an_arrow() {
        let picture = svg(&sections(DUMP), "f", None).expect("a picture");
        assert_eq!(picture.matches("marker-end").count(), 5);
        assert_eq!(picture.matches("stroke-dasharray").count(), 1);
        let message = svg(&sections(DUMP), "f", Some("f_grad")).expect_err("no value");
        assert!(message.contains("f_value_and_grad"));
    }
}
