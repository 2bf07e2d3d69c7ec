//! An annotated function to the function and its derivatives.

use crate::back::emit::Context;
use crate::front::attr::Modes;
use crate::front::{self, Annotated, Failure};
use crate::ir::core_check;
use crate::pipeline::{self, Derivative};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Expands `#[differentiable(attr)] item`.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    match front::analyse(attr, item) {
        Err(failure) => failed(&failure),
        Ok(annotated) => match derivatives(&annotated) {
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

fn derivatives(f: &Annotated) -> Result<TokenStream, String> {
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
    let bulk = pipeline::to_bulk(&f.program, &mut |_, _| {})?;
    let mut out = TokenStream::new();
    let mut checks = &f.checks[..];
    for what in generated(f.promise.modes) {
        let derived = pipeline::derive(&bulk, what, &f.promise.wrt, &mut |_, _| {})?;
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
