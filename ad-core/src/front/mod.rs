//! The front end: tokens to [`crate::ir::core`]. The only place where users' errors arise.
//!
//! ```text
//! tokens ─parse→ Surface ─lower→ Core
//! ```
//!
//! Both steps report everything they find and go on; what is around an error is looked at too.

pub mod access;
pub mod attr;
pub mod beside;
pub mod callee;
mod condition;
pub mod data;
pub mod error;
pub mod functional;
mod generic;
pub mod infer;
mod itself;
pub mod jacobian;
pub mod lint;
pub(crate) mod lower;
pub mod names;
pub(crate) mod nesting;
pub(crate) mod opaque;
mod parse;
pub mod patterns;
pub mod real;
pub mod receiver;
pub mod signature;
pub mod sparse;
pub mod structs;
mod surface;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
pub mod types;
pub(crate) mod unit;
pub mod writes;

use crate::defect::{caught, enter};
use crate::ir::core::{Expr, Kind, Program};
use crate::ir::ty::Lit;
use attr::{Attr, Promise};
use callee::Callees;
use error::Errors;
use functional::Functional;
use infer::ConstUse;
use names::NameCheck;
use proc_macro2::TokenStream;
use quote::ToTokens;
use real::RealType;
use signature::Signature;
use std::rc::Rc;
use unit::unfit;

/// An annotated function, understood.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// The attribute as written.
    pub attr: Attr,
    /// Which functions to generate, and in which arguments to differentiate.
    pub promise: Promise,
    /// The signature.
    pub signature: Signature,
    /// The body with every loop as it is written.
    pub written: Program,
    /// The body. Its parameters are those of the signature, then one for each of `consts`.
    pub program: Program,
    /// What a call of it stands for, where that is not the same.
    pub called: Option<Program>,
    /// The paths that were taken for functions of ours.
    pub checks: Vec<NameCheck>,
    /// The user's own constants, in the order of the parameters.
    pub consts: Vec<ConstUse>,
    /// The function itself.
    pub item: syn::ItemFn,
    /// The structs that it mentions.
    pub structs: structs::Structs,
    /// What it returns, as it is declared.
    pub declared: data::Data,
    /// Whether the function fails, where it can: `None`, an error, or a panic of the user's. The
    /// body computes its value where it does not.
    pub fails: Option<Fails>,
    /// What callers take in if it takes functions; then the signature and the program are those of
    /// its stand-in, and there is nothing to generate.
    pub functional: Option<Rc<Functional>>,
}

/// Whether a function fails: a bool.
#[derive(Clone, Debug)]
pub struct Fails {
    /// The program, whose parameters are those of the signature, then one for each of `consts`.
    pub program: Program,
    /// The user's own constants in it.
    pub consts: Vec<ConstUse>,
}

/// From so many expressions on a function is called as a unit, whether it says so or not: taking it
/// in again and again takes too long.
const LARGE: usize = 20_000;

/// Names of types that are in scope everywhere, and that functions may have as well.
const PRIMITIVE_TYPES: &[&str] = &[
    "bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

impl Annotated {
    /// Whether others call it as a unit where they can.
    pub fn is_unit(&self) -> bool {
        if self.is_deep() || self.functional.is_some() {
            return false;
        }
        let wanted = self.attr.noinline || self.program.body.size() > LARGE;
        wanted && unfit(&self.signature).is_none()
    }

    /// Whether it calls itself, and does not say that it may do so as a unit: then it has no
    /// derivatives of its own, and where another function calls it, it must be seen there how deep
    /// it goes.
    pub fn is_deep(&self) -> bool {
        let own = self.signature.ident.to_string();
        !self.attr.noinline && self.program.body.calls(&own)
    }

    /// The function of one result, for derivatives that are of one: what it returns, or else the
    /// one thing that it writes.
    pub fn single(&self) -> Option<Annotated> {
        let (signature, count) = self.signature.single()?;
        let mut single = self.clone();
        single.declared.tree = match (&self.declared.tree, self.signature.has_result) {
            (data::Tree::Tuple(parts), true) => parts.first()?.clone(),
            (tree, _) => tree.clone(),
        };
        single.signature = signature;
        single.program.body.results.truncate(count);
        Some(single)
    }

    /// The signature with the result as it is declared, in whatever parts it is computed.
    pub fn whole_signature(&self) -> Signature {
        Signature {
            result: self.declared.clone(),
            ..self.signature.unwrapped()
        }
    }
}

/// A function that cannot be differentiated, with as much as is known about it.
#[derive(Debug)]
pub struct Failure {
    /// All errors, as one.
    pub errors: syn::Error,
    /// The function as it was written; to be emitted unchanged.
    pub item: Option<TokenStream>,
    /// The signature, if that is in order.
    pub signature: Option<Signature>,
    /// The attribute, if that is in order.
    pub attr: Option<Attr>,
    /// What was promised, if both are in order.
    pub promise: Option<Promise>,
    /// Functions that are called, and have to be known before anything is reported.
    pub missing: Vec<syn::Path>,
    /// Whether it names the other of `f32` and `f64`.
    pub names_other: bool,
    /// There is nothing to report here: what is wrong has been reported with another function, or
    /// callees are missing only.
    pub elsewhere: bool,
}

impl Failure {
    /// The same as [`Annotated::is_deep`], as far as it can be told from the text.
    pub fn is_deep(&self) -> bool {
        let (Some(attr), Some(item)) = (&self.attr, &self.item) else {
            return false;
        };
        let item: syn::Result<syn::ItemFn> = syn::parse2(item.clone());
        !attr.noinline && item.is_ok_and(|item| itself::calls_itself(&item))
    }

    /// Whether nothing is wrong but that callees are not known yet.
    pub fn only_missing(&self) -> bool {
        self.elsewhere && !self.missing.is_empty()
    }
}

/// Reads an annotated function: the arguments of the attribute, and the item below it.
///
/// # Errors
/// With everything that is wrong with it.
pub fn analyse(attr: TokenStream, item: TokenStream) -> Result<Annotated, Box<Failure>> {
    analyse_with(attr, item, &Callees::of(true))
}

/// The same, given functions that it may call.
///
/// # Errors
/// With everything that is wrong with it; or with what it calls, if that has to be known first.
pub fn analyse_with(
    attr: TokenStream,
    item: TokenStream,
    callees: &Callees,
) -> Result<Annotated, Box<Failure>> {
    let declared = structs::declared(&item);
    let known = (!declared.is_empty()).then(|| callees.with_structs(&declared));
    let known = known.as_ref().unwrap_or(callees);
    let done = match analyse_in(RealType::default(), attr.clone(), item.clone(), known) {
        // It has one real type, or else both.
        Err(failure) if failure.names_other => analyse_in(RealType::Mixed, attr, item, known),
        done => done,
    };
    done.map(|annotated| Annotated {
        structs: callees.structs.clone(),
        ..annotated
    })
}

fn analyse_in(
    real: RealType,
    attr: TokenStream,
    item: TokenStream,
    callees: &Callees,
) -> Result<Annotated, Box<Failure>> {
    let mut errors = Errors::about(&real);
    errors.structs = callees.structs.clone();
    errors.writers = callees.writers();
    let attr = Attr::read(attr, &mut errors).ok();
    errors.root = attr.as_ref().and_then(|a| a.root.clone());
    if let Some(span) = nesting::too_deep(&item) {
        errors.at(span, nesting::MESSAGE);
        let function = syn::parse2(nesting::hollow(&item)).ok();
        let signature = function.and_then(|f| Signature::read(&f, &mut errors).ok());
        let promise = (attr.as_ref().zip(signature.as_ref()))
            .and_then(|(attr, signature)| attr.promise(signature, &mut errors).ok());
        return Err(failure(errors, item, signature, attr, promise));
    }
    let function: syn::ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            // What is no Rust is reported by rustc itself; what is no function only here.
            let loc = error::Loc::of(&item);
            match syn::parse2::<syn::Item>(item.clone()) {
                Ok(_) => errors.at(
                    loc,
                    "only functions can be differentiated; put the attribute on a `fn`",
                ),
                Err(_) => errors.add(error),
            };
            return Err(failure(errors, item, None, attr, None));
        }
    };
    condition::refuse(&item, &mut errors);
    let own = &function.sig.ident;
    if PRIMITIVE_TYPES.iter().any(|name| own == name) {
        let message = format!(
            "`{own}` is the name of a type of Rust, which generated code would hide; rename the \
             function"
        );
        errors.on(own, message);
    }
    let functions = functional::functions(&function.sig, &mut errors);
    let (as_written, function, functions) = match functions {
        Ok(functions) if functions.is_empty() => (function.clone(), function, functions),
        Ok(functions) => match functional::stand_in(&function, &functions, &mut errors) {
            Ok(stand_in) => (function, stand_in, functions),
            Err(_) => return Err(failure(errors, item, None, attr, None)),
        },
        Err(_) => return Err(failure(errors, item, None, attr, None)),
    };
    let signature = Signature::read(&function, &mut errors).ok();
    let promise = match (&attr, &signature) {
        (Some(attr), Some(signature)) if functions.is_empty() => {
            attr.promise(signature, &mut errors).ok()
        }
        (Some(attr), Some(_)) => attr
            .promise_of_functional(&as_written.sig, &mut errors)
            .ok(),
        (..) => None,
    };
    if structs::check_declared(&item, &function.sig, &mut errors).is_err() {
        return Err(failure(errors, item, signature, attr, promise));
    }
    let written = signature.as_ref().is_some_and(|s| !s.writes.is_empty());
    if let (syn::ReturnType::Default, false) = (&function.sig.output, written) {
        return Err(failure(errors, item, signature, attr, promise));
    }
    if errors.is_missing() {
        return Err(failure(errors, item, signature, attr, promise));
    }
    // The body of a function that writes is read with what it writes.
    if signature.is_none() && function.sig.inputs.iter().any(writes::is_written) {
        return Err(failure(errors, item, signature, attr, promise));
    }
    let mut function = function;
    if let Some(signature) = signature.as_ref().filter(|_| written) {
        match writes::body(&function, signature, &mut errors) {
            Ok(block) => *function.block = block,
            Err(_) => {
                let signature = Some(signature.clone());
                return Err(failure(errors, item, signature, attr, promise));
            }
        }
    }
    let is_wrapped = signature.as_ref().is_some_and(|s| s.wrapper.is_some());
    let outcome = match is_wrapped {
        true => parse::Outcome::Value,
        false => parse::Outcome::Plain,
    };
    let zero = (signature.as_ref()).and_then(|s| parse::zero(&s.result.tree));
    let body = caught(|| {
        enter("parse");
        parse::body(
            &function.block,
            &function.sig.output,
            outcome,
            zero,
            &mut errors,
        )
    });
    let body = match body {
        Ok(body) => body,
        Err(defect) => {
            errors.add(syn::Error::new(function.sig.ident.span(), defect));
            return Err(failure(errors, item, signature, attr, promise));
        }
    };
    let options = lower::Options {
        root: attr.as_ref().and_then(|a| a.root.as_ref()),
        checkpoint: attr.as_ref().and_then(|a| a.checkpoint),
    };
    let lowered = signature.as_ref().and_then(|signature| {
        let lowered = caught(|| {
            enter("lower");
            lower::lower(signature, options, callees, &body, &mut errors)
        });
        lowered.unwrap_or_else(|defect| {
            errors.add(syn::Error::new(signature.ident.span(), defect));
            None
        })
    });
    let fails = match &signature {
        Some(signature)
            if errors.is_empty() && (is_wrapped || parse::may_panic(&function.block)) =>
        {
            failing(&function, signature, options, callees, &mut errors)
        }
        Some(_) | None => None,
    };
    match (attr, promise, signature, lowered) {
        (Some(attr), Some(promise), Some(signature), Some(lowered)) if errors.is_empty() => {
            let mut signature = signature;
            let declared = signature.result.clone();
            signature.result.tree = lowered.result;
            let functional = (!functions.is_empty()).then(|| {
                let fails = fails.iter().flat_map(|fails: &Fails| &fails.consts);
                let consts = lowered.consts.iter().chain(fails);
                Rc::new(Functional {
                    item: as_written.clone(),
                    functions,
                    root: attr.root.clone(),
                    consts: consts
                        .map(|c| (c.path.to_token_stream().to_string(), c.elem))
                        .collect(),
                    callees: callees.inlined(),
                })
            });
            Ok(Annotated {
                attr,
                promise,
                signature,
                written: lowered.written,
                program: lowered.program,
                called: lowered.called,
                checks: lowered.checks,
                consts: lowered.consts,
                item: as_written,
                structs: callees.structs.clone(),
                declared,
                fails,
                functional,
            })
        }
        (attr, promise, signature, _) => Err(failure(errors, item, signature, attr, promise)),
    }
}

/// Whether a function fails, if it can.
fn failing(
    function: &syn::ItemFn,
    signature: &Signature,
    options: lower::Options<'_>,
    callees: &Callees,
    errors: &mut Errors,
) -> Option<Fails> {
    let is_wrapped = signature.wrapper.is_some();
    let mut own = Errors::about(&signature.real);
    own.structs = callees.structs.clone();
    own.writers = callees.writers();
    own.written = errors.written.clone();
    let done = caught(|| {
        enter("parse");
        let outcome = parse::Outcome::Fails(is_wrapped);
        let zero = Some(parse::truth());
        let body = parse::body(
            &function.block,
            &function.sig.output,
            outcome,
            zero,
            &mut own,
        );
        enter("lower");
        let signature = signature.of_truth(&mut own)?;
        let options = lower::Options {
            checkpoint: None,
            ..options
        };
        lower::lower(&signature, options, callees, &body, &mut own)
    });
    let lowered = match done {
        Ok(lowered) => lowered,
        Err(defect) => {
            own.add(syn::Error::new(signature.ident.span(), defect));
            None
        }
    };
    if !own.is_empty() {
        // An assertion that is outside of the language is one of the function as written only.
        if is_wrapped || own.is_missing() {
            errors.extend(own);
        }
        return None;
    }
    let lowered = lowered?;
    let program = lowered.called.unwrap_or(lowered.program);
    let never = |e: &Expr| matches!(&*e.kind, Kind::Lit(Lit::Bool(false)));
    if program.body.results.iter().all(never) {
        return None;
    }
    Some(Fails {
        program,
        consts: lowered.consts,
    })
}

fn failure(
    mut errors: Errors,
    item: TokenStream,
    signature: Option<Signature>,
    attr: Option<Attr>,
    promise: Option<Promise>,
) -> Box<Failure> {
    let missing = errors.take_missing();
    let names_other = errors.names_other;
    let item = match errors.is_said_by_rustc && missing.is_empty() {
        true => nesting::without_body(&item),
        false => item,
    };
    let errors = errors.combined();
    let elsewhere = errors.is_none();
    let errors = errors.unwrap_or_else(|| {
        let message = "cotangent gave up on this function without a reason, which is a bug in it";
        syn::Error::new(proc_macro2::Span::call_site(), message)
    });
    Box::new(Failure {
        errors,
        item: Some(item),
        signature,
        attr,
        promise,
        missing,
        names_other,
        elsewhere,
    })
}
