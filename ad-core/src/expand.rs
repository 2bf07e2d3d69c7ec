//! The entries of the compiler: from the tokens of an attribute to those of an expansion.

use crate::block;
use crate::defect::{caught, entered, with_stack};
use crate::derive;
use crate::expansion::{
    asked_for, broken, expanded, in_editor, parts, resumed, warnings, write_stage,
};
use crate::front::attr::root;
use crate::front::error::{Errors, Loc};
use crate::front::{self, Annotated, Failure};
use crate::link::{self, Around, Part, Place, Resumed};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

/// Expands `#[differentiable(attr)] item` to the function and its derivatives, without what other
/// functions have to know of it.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let place = Place {
        around: Around::Impl,
        ..Place::default()
    };
    expand_at(attr, item, &place)
}

/// Expands `#[differentiable(attr)] item`, at a place.
///
/// If it calls functions that may be annotated, the bodies of the generated functions are
/// invocations of their companions, which end in [`resume`]; see [`link`].
///
/// If the environment variable `COTANGENT_DUMP` names the function, every stage is written to
/// stderr.
pub fn expand_at(attr: TokenStream, item: TokenStream, place: &Place) -> TokenStream {
    let written = item.clone();
    entered(|| written, || begun(attr, item, place))
}

fn begun(attr: TokenStream, item: TokenStream, place: &Place) -> TokenStream {
    if block::is_block(&item) {
        return block::expand(attr, item, place);
    }
    if place.of_trait && !place.in_editor {
        let mut errors = Errors::default();
        errors.at(
            Loc::from(Span::call_site()),
            "a trait has no room for generated functions; write `#[differentiable]` at the `impl` block as \
             well, and they get a block of their own",
        );
        let errors = errors.combined().map(|e| e.to_compile_error());
        return quote!(#item #errors);
    }
    let self_type = place
        .self_type
        .as_ref()
        .and_then(|ty| syn::parse_str(ty).ok());
    if place.in_editor {
        // What `self` is can be told by no name but this.
        let ty = syn::parse_quote!(TypeOfTheBlock);
        let explicit = front::receiver::explicit(item.clone(), Some(&ty), false);
        let mut parts = in_editor(attr, item, explicit, None);
        let names = [("TypeOfTheBlock".to_owned(), quote!(Self))];
        parts.functions = front::structs::put(parts.functions, &names);
        return parts.into_token_stream();
    }
    let in_impl = self_type.is_some();
    let explicit = front::receiver::explicit(item.clone(), self_type.as_ref(), false);
    let explicit = front::beside::written_out(explicit, &place.beside);
    let shadowed = &place.beside.shadowed;
    let place = (place.around != Around::Impl).then_some(place);
    let asked_for = place.and_then(|_| asked_for(&attr, &item));
    let mut parts = parts(attr, item, explicit, place, shadowed, in_impl, None);
    parts.beside.extend(asked_for);
    parts.into_token_stream()
}

/// Goes on with an expansion, given what is known of one more function that is called.
pub fn resume(state: TokenStream) -> TokenStream {
    entered(TokenStream::new, || gone_on(state))
}

fn gone_on(state: TokenStream) -> TokenStream {
    let request = match link::resumed(state) {
        Ok(Resumed::Ready(request)) => request,
        Ok(Resumed::Next(invocation)) => return invocation,
        Err(error) => return error.to_compile_error(),
    };
    // What is wrong with one derivative is said there. rustc says the same only once.
    let mut is_own = false;
    let failure = match link::callees(&request) {
        Ok(callees) if matches!(request.part, Part::Custom | Part::Rules) => {
            return link::custom::told(&request, &callees);
        }
        Ok(callees) if request.part == Part::Struct => {
            return derive::companion(&request, &callees.structs);
        }
        Ok(mut callees) => {
            callees.inline = match request.part {
                Part::Body(what, _) => what.takes_units_in(),
                Part::Companions => true,
                Part::Struct | Part::Custom | Part::Rules => false,
            };
            match front::analyse_with(request.attr.clone(), request.item.clone(), &callees) {
                Ok(annotated) => {
                    let done = caught(|| resumed(&annotated, &request));
                    match done.and_then(|done| done) {
                        Ok(tokens) => return tokens,
                        Err(message) => {
                            is_own = true;
                            broken(annotated, message)
                        }
                    }
                }
                Err(failure) => failure,
            }
        }
        Err(error) => return error.to_compile_error(),
    };
    if let (Some(signature), false) = (&failure.signature, failure.missing.is_empty()) {
        let root = root(failure.attr.as_ref().and_then(|a| a.root.as_ref()));
        return link::ask(&request, &failure.missing, &signature.ident, &root);
    }
    match request.part {
        Part::Body(_, is_first) => {
            let errors = failure.errors.to_compile_error();
            let errors = ((is_first || is_own) && !failure.elsewhere).then_some(errors);
            quote!({ #errors ::core::unreachable!("the function did not compile") })
        }
        Part::Companions | Part::Struct | Part::Custom | Part::Rules => {
            let companions = match (&failure.signature, &failure.promise) {
                (Some(signature), Some(promise)) => {
                    link::broken(signature, promise.modes, &request.place)
                }
                (..) => TokenStream::new(),
            };
            // No derivative reports what is wrong with a functional.
            let is_functional = failure.promise.is_some_and(|p| p.modes.is_empty());
            let errors =
                (is_functional && !failure.elsewhere).then(|| failure.errors.to_compile_error());
            quote!(#errors #companions)
        }
    }
}

/// Every stage of an annotated function as text but the last, which is the generated code itself.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn explain(attr: TokenStream, item: TokenStream) -> Result<(String, TokenStream), String> {
    with_stack(|| explained(front::analyse(attr, item)))
}

/// The same of a function of a file, which may call others of the file.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn explain_in_file(file: &syn::File, name: &str) -> Result<(String, TokenStream), String> {
    with_stack(|| {
        let analysed = link::in_file::analyse(file, name);
        explained(analysed.ok_or_else(|| format!("there is no annotated function `{name}`"))?)
    })
}

/// What an annotated function of a file expands to, which may call others of the file.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn expand_in_file(file: &syn::File, name: &str) -> Result<TokenStream, String> {
    with_stack(|| {
        let analysed = link::in_file::analyse(file, name);
        let analysed = analysed.ok_or_else(|| format!("there is no annotated function `{name}`"));
        let annotated = read(analysed?)?;
        let item = annotated.item.to_token_stream();
        Ok(expanded(annotated, item, None, false, &mut |_, _| {}).into_token_stream())
    })
}

/// What the lints say about an annotated function of a file, which may call others of the file.
///
/// # Errors
/// With everything that is wrong with the function, one per line.
pub fn warnings_in_file(file: &syn::File, name: &str) -> Result<Vec<String>, String> {
    with_stack(|| {
        let analysed = link::in_file::analyse(file, name);
        let analysed = analysed.ok_or_else(|| format!("there is no annotated function `{name}`"));
        warnings(&read(analysed?)?)
    })
}

fn read(analysed: Result<Annotated, Box<Failure>>) -> Result<Annotated, String> {
    analysed.map_err(|failure| {
        let called = failure.missing.iter().map(|path| {
            let name = path.to_token_stream();
            format!("`{name}` is not an annotated function of this file")
        });
        let lines = failure.errors.into_iter().filter(|_| !failure.elsewhere);
        let lines = lines.map(|e| format!("line {}: {e}", e.span().start().line));
        called.chain(lines).collect::<Vec<_>>().join("\n")
    })
}

fn explained(analysed: Result<Annotated, Box<Failure>>) -> Result<(String, TokenStream), String> {
    let annotated = read(analysed)?;
    let mut text = String::new();
    let item = annotated.item.to_token_stream();
    let out = expanded(annotated, item, None, false, &mut |stage, program| {
        write_stage(&mut text, &stage, program);
    });
    Ok((text, out.into_token_stream()))
}
