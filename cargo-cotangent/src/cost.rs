//! `--cost`: what each stage takes, as the interpreters of the compiler count it.

use crate::sections::{Section, Stage};
use cotangent_core::ir::arguments::{Given, arguments};
use cotangent_core::ir::cost::Cost;
use cotangent_core::ir::value::Value;
use cotangent_core::ir::{bulk, bulk_eval, bulk_text, core_eval, core_text};
use cotangent_core::ir::{kernel, kernel_eval, kernel_text};
use cotangent_core::pipeline;
use std::fmt::Write;

/// The length of an axis of which nothing is known.
const DEFAULT: usize = 16;

/// A table of the stages of the derivatives that `wanted` names, and of the function itself.
///
/// # Errors
/// If a program cannot be read or run.
pub(crate) fn table(
    sections: &[Section<'_>],
    wanted: &dyn Fn(&str) -> bool,
    given: &Given,
) -> Result<String, String> {
    let mut rows: Vec<[String; 6]> = vec![];
    let mut lengths = String::new();
    for (k, section) in sections.iter().enumerate() {
        let Stage::Bulk(pass) = section.stage() else {
            continue;
        };
        if !wanted(section.of) {
            continue;
        }
        let program = bulk_text::parse(section.text).map_err(unread)?;
        let args = arguments(&program, given, DEFAULT)?;
        if lengths.is_empty() {
            lengths = sized(&program, &args);
        }
        let failed = |e: String| {
            let help = "help: give lengths, as in `--size w=20x5,x=5`; a function with calls of \
                        other functions that are not inlined cannot be counted";
            format!("error: {}, {}: {e}\n{help}", section.of, section.title)
        };
        let before = (rows.is_empty() && k > 0).then(|| &sections[k - 1]);
        if let Some(core) = before.filter(|s| s.stage() == Stage::Core) {
            let core_program = core_text::parse(core.text).map_err(unread)?;
            let (_, counted) = core_eval::counted(&core_program, &args).map_err(failed)?;
            let numbers = [counted.operations, counted.steps].map(|n| n.to_string());
            let [operations, steps] = numbers;
            rows.push(row(
                core,
                "as written",
                [operations, steps, String::new(), String::new()],
            ));
        }
        let outcome = bulk_eval::eval(&program, &args).map_err(failed)?;
        let operations = outcome.cost.to_string();
        rows.push(row(
            section,
            pass,
            [operations, String::new(), String::new(), String::new()],
        ));
        let mut behind = sections[k + 1..].iter().filter(|s| s.of == section.of);
        if !behind.any(|s| matches!(s.stage(), Stage::Bulk(_))) {
            for (pass, kernels) in kernels(sections, section.of, &program)? {
                let numbers = counted(&kernels, &args).map_err(failed)?;
                rows.push(row(section, pass, numbers));
            }
        }
    }
    let head = [
        "function",
        "stage",
        "operations",
        "visits",
        "stored",
        "peak bytes",
    ];
    rows.insert(0, head.map(str::to_owned));
    Ok(format!("{}\n{lengths}\n", aligned(&rows)))
}

/// The programs in Kernels of a function, with their passes: `loops` is the one that becomes Rust.
///
/// The macro writes none for the function as it stands, of which `last` is the last program.
fn kernels<'a>(
    sections: &[Section<'a>],
    of: &str,
    last: &bulk::Program,
) -> Result<Vec<(&'a str, kernel::Program)>, String> {
    let own = sections.iter().filter(|s| s.of == of);
    let written = own.filter_map(|s| match s.stage() {
        Stage::Kernels(pass) => Some(kernel_text::parse(s.text).map(|program| (pass, program))),
        Stage::Source
        | Stage::Core
        | Stage::Bulk(_)
        | Stage::Rules
        | Stage::Generated
        | Stage::Other => None,
    });
    let mut programs: Vec<_> = written.collect::<Result<_, _>>().map_err(unread)?;
    match programs.last_mut() {
        Some((pass, _)) => *pass = "loops",
        None => programs.push(("loops", pipeline::to_kernels(last)?)),
    }
    Ok(programs)
}

/// What a program in Kernels takes.
fn counted(program: &kernel::Program, args: &[Value]) -> Result<[String; 4], String> {
    let (_, cost) = kernel_eval::eval(program, args)?;
    let Cost {
        operations,
        visits,
        stored,
        peak,
    } = cost;
    Ok([operations, visits, stored, peak].map(|n| n.to_string()))
}

fn row(section: &Section<'_>, stage: &str, numbers: [String; 4]) -> [String; 6] {
    let [a, b, c, d] = numbers;
    [section.of.to_owned(), stage.to_owned(), a, b, c, d]
}

pub(crate) fn unread(e: String) -> String {
    format!(
        "error: the command cannot read a program of the macro: {e}\n\
         help: install the command from the clone that your crate depends on"
    )
}

/// The lengths of the arguments, as `--size` gives them.
fn sized(program: &bulk::Program, args: &[Value]) -> String {
    let sizes = program.params.iter().zip(args).filter_map(|(p, v)| {
        let lengths: Vec<String> = match v.as_size() {
            Some(n) => vec![n.to_string()],
            None => v.shape().iter().map(usize::to_string).collect(),
        };
        (!lengths.is_empty()).then(|| format!("{}={}", p.name, lengths.join("x")))
    });
    let sizes: Vec<String> = sizes.collect();
    match sizes.is_empty() {
        true => String::new(),
        false => format!("counted with `--size {}`", sizes.join(",")),
    }
}

/// The rows of a table, words to the left and numbers to the right.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let is_number = cell.chars().all(|c| c.is_ascii_digit());
            let cell = match is_number {
                true => format!("{cell:>width$}  "),
                false => format!("{cell:<width$}  "),
            };
            line.push_str(&cell);
        }
        writeln!(out, "{}", line.trim_end()).expect("strings take everything");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::sections;

    const DUMP: &str = "==== f: Core\n\nfn f(x.0: real[_]) -> real {\n  \
        sum(i.1 < dim(x.0, 0) => mul(x.0[i.1], x.0[i.1]))\n}\n\n\
        ==== f: Bulk, after simplify\n\nfn f(x: real[d0.0])\n  \
        v1: real[] = contract v0[a] * v0[a] -> []\n  return v1\n\n\
        ==== f_grad: Bulk, after simplify\n\nfn f(x: real[d0.0])\n  \
        v1: real[d0.0] = fill 2.0\n  v2: real[d0.0] = mul(v1, v0)\n  return v2\n\n\
        ==== generated code\n\n{}\n\n";

    #[test]
    fn each_stage_is_counted() {
        let given = Given::from([("x".to_owned(), vec![10])]);
        let table = table(&sections(DUMP), &|_| true, &given).expect("it runs");
        let rows: Vec<Vec<&str>> = table
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(rows[1][..3], ["f", "as", "written"]);
        // Ten products and nine additions; ten products with 2.
        assert_eq!(rows[1][3], "19");
        assert_eq!(rows[2], ["f", "simplify", "19"]);
        assert_eq!(rows[4], ["f_grad", "simplify", "10"]);
        assert_eq!(rows[5][..5], ["f_grad", "loops", "10", "10", "10"]);
        assert!(table.contains("--size x=10"));
    }
}
