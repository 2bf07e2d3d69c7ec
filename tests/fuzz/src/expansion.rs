//! Programs through the compiler alone: each is expanded, and each stage is interpreted and
//! compared with the one before.

use crate::data::arguments;
use crate::grammar::Program;
use crate::panics;
use crate::stages::{Differences, check, lower_both};
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
pub fn expand(program: &Program, stages: bool) -> Outcome {
    let run = AssertUnwindSafe(|| expanded(program, stages));
    catch_unwind(run).unwrap_or_else(|_| Outcome::Wrong("panic".into(), panics::last()))
}

fn expanded(program: &Program, stages: bool) -> Outcome {
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
    for size in SMALL {
        let mut args = arguments(&leaves, size, program.seed);
        args.extend(lowered.consts.iter().cloned());
        // Where the program has no value, there is nothing to compare.
        let Ok(Ok((values, _))) = catch_unwind(AssertUnwindSafe(|| {
            core_eval::eval(&lowered.written, &args)
        })) else {
            continue;
        };
        let large = |v: &Value| match v {
            Value::Real(t) => t.data.iter().any(|x| x.is_nan() || x.abs() > 1e6),
            Value::Int(_) | Value::Bool(_) => false,
        };
        if values.iter().any(large) {
            continue;
        }
        let checked = (lowered.check_recognition(&args))
            .and_then(|()| check(&lowered.program, &args, Differences::WhereSmooth));
        if let Err(message) = checked {
            let kind = message.split([':', '\n']).next().unwrap_or("");
            let kind: String = kind
                .split(|c: char| c.is_ascii_digit())
                .next()
                .unwrap_or("")
                .into();
            let detail = message.lines().next().unwrap_or("").to_owned();
            return wrong(kind.trim(), format!("at {size:?}: {detail}"));
        }
    }
    Outcome::Fine
}
