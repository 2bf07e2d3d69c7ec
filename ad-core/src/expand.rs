//! An annotated function to the function and its derivatives.

use crate::back::emit::{Context, name as name_of};
use crate::front::attr::Modes;
use crate::front::{self, Annotated, Failure};
use crate::ir::core_check;
use crate::pipeline::{self, Derivative};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::fmt::{Display, Write};
use syn::ext::IdentExt;

/// The variable that names functions, separated by commas, whose expansion is written to stderr.
const DUMP: &str = "COTANGENT_DUMP";

/// Expands `#[differentiable(attr)] item`.
///
/// If the environment variable `COTANGENT_DUMP` names the function, every stage is written to stderr.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let analysed = front::analyse(attr, item);
    let name = match &analysed {
        Ok(annotated) => Some(&annotated.signature),
        Err(failure) => failure.signature.as_ref(),
    };
    let name = name.map(|s| s.ident.unraw().to_string());
    let mut stages = name.filter(|n| is_wanted(n)).map(|_| String::new());
    let out = expanded(analysed, &mut |stage, program| {
        if let Some(text) = &mut stages {
            write_stage(text, &stage, program);
        }
    });
    if let Some(mut text) = stages {
        write_stage(&mut text, "generated code", &out);
        eprintln!("{text}");
    }
    out
}

/// Every stage of an annotated function as text but the last, which is the generated code itself.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn explain(attr: TokenStream, item: TokenStream) -> Result<(String, TokenStream), String> {
    let annotated = front::analyse(attr, item).map_err(|failure| {
        let lines = failure.errors.into_iter();
        let lines = lines.map(|e| format!("line {}: {e}", e.span().start().line));
        lines.collect::<Vec<_>>().join("\n")
    })?;
    let mut text = String::new();
    let out = expanded(Ok(annotated), &mut |stage, program| {
        write_stage(&mut text, &stage, program);
    });
    Ok((text, out))
}

/// Whether the environment asks for the stages of a function.
fn is_wanted(name: &str) -> bool {
    std::env::var(DUMP).is_ok_and(|all| all.split(',').any(|one| one.trim() == name))
}

fn write_stage(text: &mut String, stage: &str, program: &dyn Display) {
    let written = writeln!(text, "==== {stage}\n\n{program}\n");
    written.expect("strings take everything");
}

/// Sees the title of each stage and the program there.
type Stages<'a> = &'a mut dyn FnMut(String, &dyn Display);

fn expanded(analysed: Result<Annotated, Box<Failure>>, see: Stages<'_>) -> TokenStream {
    match analysed {
        Err(failure) => failed(&failure),
        Ok(annotated) => match derivatives(&annotated, see) {
            Ok(functions) => {
                let item = &annotated.item;
                quote! {
                    #[allow(dead_code)]
                    #item
                    #functions
                }
            }
            Err(message) => {
                let errors = syn::Error::new(annotated.signature.ident.span(), message);
                failed(&Failure {
                    errors,
                    item: Some(annotated.item.to_token_stream()),
                    signature: Some(annotated.signature),
                    attr: Some(annotated.attr),
                    promise: Some(annotated.promise),
                })
            }
        },
    }
}

/// What the modes stand for.
pub(crate) fn generated(modes: Modes) -> Vec<Derivative> {
    let mut out = vec![];
    if modes.value {
        out.push(Derivative::Value);
    }
    if modes.grad {
        out.extend([Derivative::Grad, Derivative::ValueAndGrad]);
    }
    if modes.vjp {
        out.push(Derivative::Vjp);
    }
    if modes.jvp {
        out.push(Derivative::Jvp);
    }
    out
}

fn root(path: Option<&syn::Path>) -> TokenStream {
    path.map_or(quote!(::cotangent), ToTokens::to_token_stream)
}

fn derivatives(f: &Annotated, see: Stages<'_>) -> Result<TokenStream, String> {
    let name = &f.program.name;
    see(format!("{name}: Core"), &f.program);
    if cfg!(debug_assertions) {
        core_check::check(&f.program)
            .map_err(|e| format!("lowering made a wrong program of `{}`: {e}", f.program.name))?;
    }
    let context = Context {
        signature: &f.signature,
        wrt: &f.promise.wrt,
        consts: &f.consts,
        root: root(f.attr.root.as_ref()),
    };
    let bulk = pipeline::to_bulk(&f.program, &mut |pass, p| {
        see(format!("{name}: Bulk, after {pass}"), p);
    })?;
    let mut out = TokenStream::new();
    let wrt = f.signature.real_leaves(&f.promise.wrt);
    let mut checks = &f.checks[..];
    for what in generated(f.promise.modes) {
        let title = name_of(&f.signature, what);
        let derived = pipeline::derive(&bulk, what, &wrt, &mut |pass, p| {
            see(format!("{title}: Bulk, after {pass}"), p);
        })?;
        let kernels = pipeline::to_kernels(&derived)?;
        out.extend(context.function(what, &kernels, checks));
        // One function that checks the names is enough.
        checks = &[];
    }
    Ok(out)
}

/// The errors, the function as it was, and stubs of what was promised.
fn failed(failure: &Failure) -> TokenStream {
    let errors = failure.errors.to_compile_error();
    let item = &failure.item;
    let mut out = quote! {
        #errors
        #[allow(dead_code, unused_variables)]
        #item
    };
    if let (Some(signature), Some(promise)) = (&failure.signature, &failure.promise) {
        let context = Context {
            signature,
            wrt: &promise.wrt,
            consts: &[],
            root: root(failure.attr.as_ref().and_then(|a| a.root.as_ref())),
        };
        for what in generated(promise.modes) {
            out.extend(context.stub(what, true));
        }
    }
    out
}
