//! An annotated function to the function and its derivatives.

use crate::back::emit::{Context, name as name_of};
use crate::front::attr::Modes;
use crate::front::{self, Annotated, Failure};
use crate::ir::core_check;
use crate::link::{self, Place, Request, Resumed};
use crate::pipeline::{self, Derivative};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::fmt::{Display, Write};
use syn::ext::IdentExt;

/// The variable that names functions, separated by commas, whose expansion is written to stderr.
const DUMP: &str = "COTANGENT_DUMP";

/// Expands `#[differentiable(attr)] item` to the function and its derivatives, without what other
/// functions have to know of it.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let place = Place {
        in_impl: true,
        ..Place::default()
    };
    expand_at(attr, item, &place)
}

/// Expands `#[differentiable(attr)] item`, at a place.
///
/// If it calls functions that may be annotated, what follows is an invocation of the first one's
/// companion, which ends in [`resume`].
///
/// If the environment variable `COTANGENT_DUMP` names the function, every stage is written to stderr.
pub fn expand_at(attr: TokenStream, item: TokenStream, place: &Place) -> TokenStream {
    let request = Request {
        attr,
        item,
        place: place.clone(),
        known: vec![],
    };
    step(&request, true)
}

/// Goes on with an expansion, given what is known of one more function that is called.
pub fn resume(state: TokenStream) -> TokenStream {
    match link::resumed(state) {
        Ok(Resumed::Ready(request)) => step(&request, false),
        Ok(Resumed::Next(invocation)) => invocation,
        Err(error) => error.to_compile_error(),
    }
}

/// Expands, as far as that is possible with what is known. `is_first`: the function itself has not been
/// emitted yet.
fn step(request: &Request, is_first: bool) -> TokenStream {
    let analysed = link::callees(&request.known)
        .map(|callees| front::analyse_with(request.attr.clone(), request.item.clone(), &callees));
    let analysed = match analysed {
        Ok(analysed) => analysed,
        Err(message) => return syn::Error::new(Span::call_site(), message).to_compile_error(),
    };
    let item = &request.item;
    if let Err(failure) = &analysed
        && !failure.missing.is_empty()
    {
        let root = root(failure.attr.as_ref().and_then(|a| a.root.as_ref()));
        let chain = link::ask(request, &failure.missing, &root, cfg_of(item));
        let item = is_first.then(|| quote!(#[allow(dead_code, unused_variables)] #item));
        return quote!(#item #chain);
    }
    let name = match &analysed {
        Ok(annotated) => Some(&annotated.signature),
        Err(failure) => failure.signature.as_ref(),
    };
    let name = name.map(|s| s.ident.unraw().to_string());
    let mut stages = name.filter(|n| is_wanted(n)).map(|_| String::new());
    let place = (!request.place.in_impl).then_some(&request.place);
    let out = expanded(analysed, is_first, place, &mut |stage, program| {
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

/// The `cfg` attributes of an item.
fn cfg_of(item: &TokenStream) -> Vec<syn::Attribute> {
    let item: Option<syn::ItemFn> = syn::parse2(item.clone()).ok();
    let attrs = item.into_iter().flat_map(|f| f.attrs);
    attrs.filter(|a| a.path().is_ident("cfg")).collect()
}

/// Every stage of an annotated function as text but the last, which is the generated code itself.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn explain(attr: TokenStream, item: TokenStream) -> Result<(String, TokenStream), String> {
    explained(front::analyse(attr, item))
}

/// The same of a function of a file, which may call others of the file.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn explain_in_file(file: &syn::File, name: &str) -> Result<(String, TokenStream), String> {
    let analysed = link::in_file::analyse(file, name);
    explained(analysed.ok_or_else(|| format!("there is no annotated function `{name}`"))?)
}

fn explained(analysed: Result<Annotated, Box<Failure>>) -> Result<(String, TokenStream), String> {
    let annotated = analysed.map_err(|failure| {
        let called = failure.missing.iter().map(|path| {
            let name = path.to_token_stream();
            format!("`{name}` is not an annotated function of this file")
        });
        let lines = failure.errors.into_iter().filter(|_| !failure.elsewhere);
        let lines = lines.map(|e| format!("line {}: {e}", e.span().start().line));
        called.chain(lines).collect::<Vec<_>>().join("\n")
    })?;
    let mut text = String::new();
    let out = expanded(Ok(annotated), true, None, &mut |stage, program| {
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

/// The item, if it is not there yet, and all that comes with it. `place` is where companions may stand.
fn expanded(
    analysed: Result<Annotated, Box<Failure>>,
    with_item: bool,
    place: Option<&Place>,
    see: Stages<'_>,
) -> TokenStream {
    let failure = match analysed {
        Err(failure) => failure,
        Ok(annotated) => match derivatives(&annotated, see) {
            Ok(functions) => {
                let item = with_item.then_some(&annotated.item).into_iter();
                let companions = place.map(|place| link::companions(&annotated, place));
                return quote! {
                    #(#[allow(dead_code)] #item)*
                    #functions
                    #companions
                };
            }
            Err(message) => {
                let errors = syn::Error::new(annotated.signature.ident.span(), message);
                Box::new(Failure {
                    errors,
                    item: Some(annotated.item.to_token_stream()),
                    signature: Some(annotated.signature),
                    attr: Some(annotated.attr),
                    promise: Some(annotated.promise),
                    missing: vec![],
                    elsewhere: false,
                })
            }
        },
    };
    failed(&failure, with_item, place)
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
fn failed(failure: &Failure, with_item: bool, place: Option<&Place>) -> TokenStream {
    let errors = (!failure.elsewhere).then(|| failure.errors.to_compile_error());
    let item = failure.item.iter().filter(|_| with_item);
    let mut out = quote! {
        #errors
        #(#[allow(dead_code, unused_variables)] #item)*
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
        let companions = place.map(|place| link::broken(signature, promise.modes, place));
        out.extend(companions);
    }
    out
}
