//! What is accepted becomes the Core it should; what is not says so well.

mod accepted;
#[macro_use]
mod agree;
mod calls;
mod data;
mod functionals;
mod leave;
mod loops;
mod print;
mod real;
mod rejected;
mod whole;

use super::{Annotated, Failure, analyse};
use crate::ir::core_check;

fn with(attr: &str, source: &str) -> Result<Annotated, Box<Failure>> {
    analyse(attr.parse().unwrap(), source.parse().unwrap())
}

/// The analysis of a function without errors.
fn annotated(source: &str) -> Annotated {
    match with("", source) {
        Ok(annotated) => {
            core_check::check(&annotated.program).unwrap();
            annotated
        }
        Err(failure) => panic!("{:?}\n{source}", messages(&failure)),
    }
}

/// The body of `fn f(args) -> result { body }`.
fn core(args: &str, result: &str, body: &str) -> String {
    let source = format!("fn f({args}) -> {result} {{ {body} }}");
    print::block(&annotated(&source).program.body)
}

fn messages(failure: &Failure) -> Vec<String> {
    let errors = failure.errors.clone();
    errors.into_iter().map(|e| e.to_string()).collect()
}

/// What is wrong with a function.
fn errors(attr: &str, source: &str) -> Vec<String> {
    match with(attr, source) {
        Ok(annotated) => panic!("accepted as {}", print::block(&annotated.program.body)),
        Err(failure) => messages(&failure),
    }
}
