//! Programs through the compiler alone: each is expanded, and each stage is interpreted and
//! compared with the one before.

use crate::data::{arguments, direction, moved, reals};
use crate::grammar;
use crate::panics;
use crate::stages::{Differences, Stages, lower_both};
use cotangent_core::ir::core::Program;
use cotangent_core::ir::core_eval;
use cotangent_core::ir::value::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What became of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All is well.
    Fine,
    /// The front end says why it does not accept it.
    Refused(String),
    /// What is wrong, in a word, and with numbers.
    Wrong(String, String),
}

/// The sizes that the interpreters run at.
const SMALL: [(usize, usize); 4] = [(2, 3), (0, 2), (5, 2), (1, 1)];

/// A message of the compiler, which is a failure if it says so.
fn refused(message: String) -> Outcome {
    match message.contains("this is a defect of cotangent") {
        true => Outcome::Wrong("defect".into(), message),
        false => Outcome::Refused(message),
    }
}

/// Expands a program. With `stages`, all stages are compared.
pub fn expand(program: &grammar::Program, stages: bool) -> Outcome {
    let run = AssertUnwindSafe(|| expanded(program, stages));
    catch_unwind(run).unwrap_or_else(|_| Outcome::Wrong("panic".into(), panics::last()))
}

fn expanded(program: &grammar::Program, stages: bool) -> Outcome {
    let wrong = |kind: &str, detail: String| Outcome::Wrong(kind.into(), detail);
    let text = program.text("f");
    let file = match syn::parse_file(&text) {
        Ok(file) => file,
        Err(e) => return wrong("generator", e.to_string()),
    };
    let tokens = match cotangent_core::expand_in_file(&file, "f") {
        Ok(tokens) => tokens,
        Err(message) => return refused(message),
    };
    let generated = match syn::parse2::<syn::File>(tokens) {
        Ok(file) => file,
        Err(e) => return wrong("unreadable", e.to_string()),
    };
    // A pass that fails leaves an error among the generated functions.
    for item in &generated.items {
        if let syn::Item::Macro(of) = item
            && of
                .mac
                .path
                .segments
                .last()
                .is_some_and(|s| s.ident == "compile_error")
        {
            return refused(of.mac.tokens.to_string());
        }
    }
    if !stages {
        return Outcome::Fine;
    }
    let lowered = match lower_both(&text, "f") {
        Ok(lowered) => lowered,
        Err(message) => return wrong("lowering", message),
    };
    let leaves: Vec<_> = program
        .params
        .iter()
        .flat_map(|p| p.leaves.clone())
        .collect();
    let stages = match Stages::of(lowered.program.clone()) {
        Ok(stages) => stages,
        Err(message) => return wrong(&kind(&message), first_line(&message)),
    };
    for size in SMALL {
        let mut args = arguments(&leaves, size, program.seed);
        args.extend(lowered.consts.iter().cloned());
        if !is_comparable(&lowered.written, &args) {
            continue;
        }
        let checked = (lowered.check_recognition(&args))
            .and_then(|()| stages.check(&args, Differences::WhereSmooth));
        if let Err(message) = checked {
            let detail = format!("at {size:?}: {}", first_line(&message));
            return wrong(&kind(&message), detail);
        }
    }
    Outcome::Fine
}

/// Whether a program has values, none of them large, and rounding does not change them much.
fn is_comparable(program: &Program, args: &[Value]) -> bool {
    /// By how much each argument is moved, and the values at most.
    const MOVED: (f64, f64) = (1e-14, 1e-11);
    let values = |args: &[Value]| {
        let run = || core_eval::eval(program, args);
        let values = catch_unwind(AssertUnwindSafe(run)).ok()?.ok()?.0;
        Some(reals(&values))
    };
    let (step, bound) = MOVED;
    let near = moved(args, &direction(args, 7), step);
    let (Some(here), Some(near)) = (values(args), values(&near)) else {
        return false;
    };
    here.len() == near.len()
        && (here.iter().zip(&near))
            .all(|(x, y)| x.abs() <= 1e6 && (x - y).abs() <= bound * (1.0 + x.abs()))
}

/// What failed, in the words before the first number or colon.
fn kind(message: &str) -> String {
    let is_end = |c: char| c == ':' || c == '\n' || c.is_ascii_digit();
    message.split(is_end).next().unwrap_or("").trim().to_owned()
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("").to_owned()
}
