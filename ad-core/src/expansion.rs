//! The expansion of one annotated function: to the function and its derivatives.

use crate::back::emit::{Asides, Bodies, Context, said};
use crate::defect::{caught, enter, report};
use crate::derivative::Derivative;
use crate::front::attr::{Attr, root};
use crate::front::callee::Callees;
use crate::front::error::Errors;
use crate::front::jacobian::Jacobian;
use crate::front::signature::Signature;
use crate::front::unit::{call_site, unit_of};
use crate::front::{self, Annotated, Failure};
use crate::ir::jacobian::Direction;
use crate::ir::repeats::Repeats;
use crate::ir::unit::{Rule, Tape};
use crate::ir::{bulk, core_check, kernel};
use crate::link::{self, Beside, Part, Place, Request};
use crate::lints;
use crate::pipeline::{self, Stage, count_rules, take_tally};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::fmt::{Display, Write};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;

/// The variable that names functions, separated by commas, whose expansion is written to stderr.
const DUMP: &str = "COTANGENT_DUMP";

/// The variable that names a file of items to put beside these functions, such as a test that calls
/// them.
const BESIDE: &str = "COTANGENT_BESIDE";

/// What a function expands to.
#[derive(Default)]
pub(crate) struct Parts {
    /// The function as written.
    pub(crate) item: TokenStream,
    /// The generated functions.
    pub(crate) functions: TokenStream,
    /// Its companions, and what else stands beside it, or beside the `impl` block around it.
    pub(crate) beside: TokenStream,
}

impl ToTokens for Parts {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.item.to_tokens(tokens);
        self.functions.to_tokens(tokens);
        self.beside.to_tokens(tokens);
    }
}

/// What an editor sees of a function: signatures without bodies. Errors in the body are for
/// `cargo check`.
pub(crate) fn in_editor(
    attr: TokenStream,
    written: TokenStream,
    item: TokenStream,
    own_generics: Option<&syn::Generics>,
) -> Parts {
    let mut errors = Errors::default();
    let attr = Attr::read(attr, &mut errors).ok();
    let of_attr = errors.combined().map(|e| e.to_compile_error());
    let item = front::patterns::taken_apart(item);
    let mut functions = TokenStream::new();
    let mut errors = Errors::default();
    errors.root = attr.as_ref().and_then(|a| a.root.clone());
    let function: Option<syn::ItemFn> = match front::nesting::too_deep(&item) {
        Some(_) => syn::parse2(front::nesting::hollow(&item)).ok(),
        None => syn::parse2(item).ok(),
    };
    let signature = function.and_then(|f| Signature::read(&f, &mut errors).ok());
    if let (Some(attr), Some(mut signature)) = (attr, signature)
        && let Ok(promise) = attr.promise(&signature, &mut errors)
    {
        if let Some(own) = own_generics {
            signature.own_generics = own.clone();
        }
        let context = Context::of_heads(&signature, &promise.wrt, root(attr.root.as_ref()));
        for what in promise.modes.derivatives() {
            functions.extend(context.stub(what, true, None));
        }
        functions.extend(context.functions_into(promise.modes, true));
    }
    Parts {
        item: quote!(#of_attr #[allow(dead_code)] #written),
        functions,
        beside: TokenStream::new(),
    }
}

/// What a function expands to: `written` as it stands there, `item` with `self` spelt out and with
/// the generics of an annotated `impl` block around it; then `own_generics` are those of the
/// function. The names in `shadowed` are the user's.
pub(crate) fn parts(
    attr: TokenStream,
    written: TokenStream,
    item: TokenStream,
    place: Option<&Place>,
    shadowed: &[String],
    in_impl: bool,
    own_generics: Option<&syn::Generics>,
) -> Parts {
    if in_impl && let Some((span, others)) = without_linearize(&attr) {
        let message = "`linearize` makes a struct beside the function, and an `impl` block has none; write \
                       a function outside of the block, with the type as its first argument";
        let error = syn::Error::new(span, message).to_compile_error();
        let mut rest = parts(
            others,
            written,
            item,
            place,
            shadowed,
            in_impl,
            own_generics,
        );
        error.to_tokens(&mut rest.beside);
        return rest;
    }
    let item = front::patterns::taken_apart(item);
    let mut callees = match place.map(|p| &p.member) {
        Some(Some(member)) => Callees::of_member(&member.of),
        Some(None) => Callees::of(true),
        None => Callees::of(false),
    };
    callees.shadowed = shadowed.to_vec();
    let failure = match front::analyse_with(attr.clone(), item.clone(), &callees) {
        Ok(mut annotated) => {
            if let Some(own) = own_generics {
                annotated.signature.own_generics = own.clone();
            }
            return watched(&annotated.signature.ident.clone(), |see| {
                expanded(annotated, written, place, in_impl, see)
            });
        }
        Err(mut failure) => {
            if let (Some(own), Some(signature)) = (own_generics, &mut failure.signature) {
                signature.own_generics = own.clone();
            }
            failure
        }
    };
    let failure = match place {
        Some(place) => without_attribute(failure, &place.beside.plain),
        None => failure,
    };
    let root = root(failure.attr.as_ref().and_then(|a| a.root.as_ref()));
    let (Some(signature), Some(promise), true) =
        (&failure.signature, &failure.promise, failure.only_missing())
    else {
        let failure = Failure {
            item: Some(written),
            ..*failure
        };
        return failed(&failure, place, in_impl);
    };
    let context = Context::of_heads(signature, &promise.wrt, root.clone());
    let request = |part| {
        let request = Request {
            attr: attr.clone(),
            item: item.clone(),
            place: place.cloned().unwrap_or_else(|| Place {
                beside: Beside {
                    shadowed: shadowed.to_vec(),
                    ..Beside::default()
                },
                ..Place::default()
            }),
            part,
            known: vec![],
        };
        link::ask(&request, &failure.missing, &signature.ident, &root)
    };
    let functions = promise.modes.derivatives().into_iter().enumerate();
    let is_deep = failure.is_deep();
    let functions = functions.map(|(k, what)| {
        if is_deep {
            return context.stub_of_deep(what);
        }
        let head = context.head(what, false);
        let chain = request(Part::Body(what, k == 0));
        context.placed(what, &quote!(#head #chain))
    });
    let companions = place.map(|_| request(Part::Companions));
    let into = (!is_deep && !promise.modes.is_empty())
        .then(|| context.functions_into(promise.modes, in_impl));
    Parts {
        item: quote!(#[allow(dead_code)] #written),
        functions: quote!(#(#functions)* #into),
        beside: companions.unwrap_or_default(),
    }
}

/// Where the attribute asks for a linearised function, and what it asks for besides.
fn without_linearize(attr: &TokenStream) -> Option<(Span, TokenStream)> {
    let list = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
    let list = syn::parse::Parser::parse2(list, attr.clone()).ok()?;
    let (own, others): (Vec<_>, Vec<_>) =
        (list.into_iter()).partition(|meta| meta.path().is_ident(Derivative::Linearize.word()));
    let span = syn::spanned::Spanned::span(own.first()?.path());
    Some((span, quote!(#(#others),*)))
}

/// The part of an expansion that was asked for, now that everything is known.
pub(crate) fn resumed(f: &Annotated, request: &Request) -> Result<TokenStream, String> {
    match request.part {
        Part::Companions | Part::Struct | Part::Custom | Part::Rules => {
            let own = match f.is_unit() {
                true => of_unit(f, &to_bulk(f, &mut |_, _| {})?)?,
                false => TokenStream::new(),
            };
            let companions = link::companions(f, &request.place, &own);
            let checks = f
                .functional
                .is_some()
                .then(|| Context::of(f).checked_alone(&f.checks));
            Ok(quote!(#checks #companions))
        }
        Part::Body(..) if f.is_deep() => Err(format!(
            "`{0}` calls itself; annotate it with `#[differentiable(noinline)]`, or call `{0}` where its name \
             stands for nothing else",
            f.signature.ident
        )),
        Part::Body(what, is_first) => {
            let single = of_single(f, what);
            let f = single.as_ref().unwrap_or(f);
            let mut body = Err(String::new());
            watched(&f.signature.ident, |see| {
                // A method has no place.
                let in_impl = request.place.unique.is_empty();
                let owner = owner(Some(&request.place), in_impl);
                body = failure(f, owner.as_ref(), see).and_then(|failure| {
                    let bulk = to_bulk(f, see)?;
                    let bodies = derived(f, &bulk, what, see)?;
                    let warnings = match is_first && single.is_none() {
                        true => lints::warnings(f, &bulk)?,
                        false => vec![],
                    };
                    let asides = Asides {
                        checks: if is_first { &f.checks } else { &[] },
                        warnings: &warnings,
                    };
                    let context = Context {
                        failure,
                        ..Context::of(f)
                    };
                    Ok(context.block(what, &bodies, &asides))
                });
                body.clone().unwrap_or_default()
            });
            body
        }
    }
}

/// Writes a function as it stands in the source to stderr, if the environment asks for its stages,
/// and reads what the environment puts beside it.
pub(crate) fn asked_for(attr: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    std::env::var_os(DUMP)?;
    let function: syn::ItemFn = syn::parse2(item.clone()).ok()?;
    let name = function.sig.ident.unraw().to_string();
    if !is_wanted(&name) {
        return None;
    }
    let mut text = String::new();
    let written = quote!(#[differentiable(#attr)] #item);
    write_stage(&mut text, &format!("{name}: source"), &written);
    eprintln!("{text}");
    let path = std::env::var_os(BESIDE)?;
    let items = std::fs::read_to_string(path).map_err(|e| e.to_string());
    let items = items.and_then(|items| items.parse().map_err(|e| format!("{e}")));
    Some(items.unwrap_or_else(|e| {
        let message = format!("the file that `{BESIDE}` names: {e}");
        syn::Error::new(function.sig.ident.span(), message).to_compile_error()
    }))
}

/// Writes the stages to stderr, if the environment asks for those of this function, and after each
/// the rules of the simplifier that fired in it.
fn watched<T: ToTokens>(ident: &syn::Ident, expand: impl FnOnce(Stages<'_>) -> T) -> T {
    let mut stages = is_wanted(&ident.unraw().to_string()).then(String::new);
    count_rules(stages.is_some());
    let out = expand(&mut |stage, program| {
        if let Some(text) = &mut stages {
            write_stage(text, &stage, program);
            let rules = take_tally().into_iter();
            let rules: Vec<String> = rules.map(|(rule, n)| format!("{n} {rule}")).collect();
            if !rules.is_empty() {
                write_stage(text, &format!("{stage}: rules"), &rules.join("\n"));
            }
        }
    });
    count_rules(false);
    if let Some(mut text) = stages {
        write_stage(&mut text, "generated code", &out.to_token_stream());
        eprintln!("{text}");
    }
    out
}

/// Whether the environment asks for the stages of a function.
fn is_wanted(name: &str) -> bool {
    std::env::var(DUMP).is_ok_and(|all| all.split(',').any(|one| one.trim() == name))
}

pub(crate) fn write_stage(text: &mut String, stage: &str, program: &dyn Display) {
    let written = writeln!(text, "==== {stage}\n\n{program}\n");
    written.expect("strings take everything");
}

/// Sees the title of each stage and the program there.
pub(crate) type Stages<'a> = &'a mut dyn FnMut(String, &dyn Display);

/// The function as written, its generated functions and its companions. Companions may stand at
/// `place`.
pub(crate) fn expanded(
    annotated: Annotated,
    written: TokenStream,
    place: Option<&Place>,
    in_impl: bool,
    see: Stages<'_>,
) -> Parts {
    let owner = owner(place, in_impl);
    let done = caught(|| derivatives(&annotated, place.is_some(), owner.as_ref(), see));
    match done.and_then(|done| done) {
        Ok((functions, inner)) => {
            let modes = annotated.promise.modes;
            let into = (!annotated.is_deep())
                .then(|| Context::of(&annotated).functions_into(modes, in_impl));
            let companions = place.map(|place| link::companions(&annotated, place, &inner));
            Parts {
                item: quote!(#[allow(dead_code)] #written),
                functions: quote!(#functions #into),
                beside: companions.unwrap_or_default(),
            }
        }
        Err(message) => {
            let failure = Failure {
                item: Some(written),
                ..*broken(annotated, message)
            };
            failed(&failure, place, in_impl)
        }
    }
}

/// What the lints say about a function, as text.
pub(crate) fn warnings(f: &Annotated) -> Result<Vec<String>, String> {
    if f.is_deep() || f.functional.is_some() {
        return Ok(vec![]);
    }
    let warnings = lints::warnings(f, &to_bulk(f, &mut |_, _| {})?)?;
    Ok(warnings.iter().map(ToString::to_string).collect())
}

/// The type that a function belongs to, if it is one of an `impl` block.
fn owner(place: Option<&Place>, in_impl: bool) -> Option<TokenStream> {
    match place.and_then(|place| place.member.as_ref()) {
        Some(member) => member.owner.parse().ok(),
        None => in_impl.then(|| quote!(Self)),
    }
}

/// A function that only a pass found wrong.
pub(crate) fn broken(annotated: Annotated, message: String) -> Box<Failure> {
    Box::new(Failure {
        errors: about(&annotated, message),
        item: Some(annotated.item.to_token_stream()),
        signature: Some(annotated.signature),
        attr: Some(annotated.attr),
        promise: Some(annotated.promise),
        missing: vec![],
        names_other: false,
        elsewhere: false,
    })
}

/// Reports functions of the same module that are called and that nothing annotates.
fn without_attribute(mut failure: Box<Failure>, plain: &[String]) -> Box<Failure> {
    let is_plain = |path: &&syn::Path| {
        let name = path.get_ident().map(|name| name.unraw().to_string());
        name.is_some_and(|name| plain.contains(&name))
    };
    let called = failure.missing.iter().filter(is_plain);
    let errors = called.map(|path| {
        let name = path.to_token_stream();
        let message = format!(
            "`{name}` is not annotated, so its derivative is not known; write `#[differentiable]` \
             above `fn {name}`"
        );
        syn::Error::new_spanned(path, message)
    });
    let Some(mut all) = errors.reduce(|mut all, error| {
        all.combine(error);
        all
    }) else {
        return failure;
    };
    if !failure.elsewhere {
        all.combine(failure.errors.clone());
    }
    (failure.errors, failure.elsewhere) = (all, false);
    failure.missing.clear();
    failure
}

/// A message about a call of a function stands at the call, every other at the name of the
/// function.
fn about(f: &Annotated, message: String) -> syn::Error {
    struct Calls<'m> {
        message: &'m str,
        found: Option<syn::Path>,
    }
    impl<'ast> syn::visit::Visit<'ast> for Calls<'_> {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            if let syn::Expr::Path(f) = &*call.func
                && self.found.is_none()
                && self.message.contains(&format!("`{}`", call_site(&f.path)))
            {
                self.found = Some(f.path.clone());
            }
            syn::visit::visit_expr_call(self, call);
        }
    }
    let mut calls = Calls {
        message: &message,
        found: None,
    };
    syn::visit::Visit::visit_item_fn(&mut calls, &f.item);
    // A message about an option stands at the option.
    let options = f.attr.named.iter();
    let mut option = options.filter(|(what, _)| message.starts_with(&format!("`{}`", what.word())));
    match (calls.found, option.next()) {
        (_, Some((_, span))) => syn::Error::new(*span, message),
        (Some(path), None) => syn::Error::new_spanned(path, message),
        (None, None) => syn::Error::new(f.signature.ident.span(), message),
    }
}

/// What leaves the generated functions where the function as written fails.
fn failure(
    f: &Annotated,
    owner: Option<&TokenStream>,
    see: Stages<'_>,
) -> Result<TokenStream, String> {
    let Some(fails) = &f.fails else {
        return Ok(TokenStream::new());
    };
    let name = &f.program.name;
    see(format!("{name}: Core of whether it fails"), &fails.program);
    let bulk = pipeline::to_bulk(&fails.program, &mut |_, _| {})?;
    let derived = pipeline::derive(&bulk, Derivative::Value, &[], &mut |_, _| {})?;
    let kernels = pipeline::to_kernels(&derived)?;
    enter("emit");
    let truth = f.signature.of_truth(&mut Errors::default());
    let truth = truth.ok_or("a bool is no result")?;
    let asks = Context {
        signature: &truth,
        consts: &fails.consts,
        repeats: Repeats::of(&fails.program),
        ..Context::of(f)
    };
    let fails = asks.block(Derivative::Value, &kernels.into(), &Asides::default());
    Ok(Context::of(f).failing(&fails, owner))
}

fn to_bulk(f: &Annotated, see: Stages<'_>) -> Result<bulk::Program, String> {
    let name = &f.program.name;
    if f.written != f.program {
        see(format!("{name}: Core, with its loops"), &f.written);
    }
    see(format!("{name}: Core"), &f.program);
    if cfg!(debug_assertions) {
        for (pass, program) in [("lower", &f.written), ("loops", &f.program)] {
            core_check::check(program)
                .map_err(|e| report(pass, &format!("it made a wrong program: {e}")))?;
        }
    }
    let own = f.signature.ident.to_string();
    let before = pipeline::base_before_calls(&f.program, &own);
    if let Some(program) = &before {
        see(format!("{name}: Core, after units"), program);
    }
    pipeline::to_bulk(before.as_ref().unwrap_or(&f.program), &mut |pass, p| {
        see(format!("{name}: Bulk, after {pass}"), p);
    })
}

fn derived(
    f: &Annotated,
    bulk: &bulk::Program,
    what: Derivative,
    see: Stages<'_>,
) -> Result<Bodies, String> {
    let title = said(&f.signature, what);
    let wrt = f.signature.real_leaves(&f.promise.wrt);
    let jacobian = Jacobian::for_derivative(&f.signature, &f.promise.wrt, what)?;
    let pieces = jacobian.as_ref().map(|j| &j.pieces[..]);
    if what == Derivative::JacobianSparse {
        let entries = pipeline::entries(bulk, &wrt, &mut |pass, p| {
            see(format!("{title}: Bulk, after {pass}"), p);
        })?;
        let kernels = kernels(&entries.program, &title, see)?;
        let blocks = entries.blocks;
        return Ok(kernel::Program { blocks, ..kernels }.into());
    }
    if what.linearises() {
        return linearised(f, bulk, what, see);
    }
    let mut kernels = |what: Derivative| {
        let derived = pipeline::derive_in_pieces(bulk, what, &wrt, pieces, &mut |pass, p| {
            see(format!("{title}: Bulk, after {pass}"), p);
        })?;
        self::kernels(&derived, &title, see)
    };
    let undecided = match what == Derivative::Jacobian(None) {
        true => pipeline::undecided(bulk, &wrt),
        false => None,
    };
    let Some((rows, columns)) = undecided else {
        return Ok(kernels(what)?.into());
    };
    let [program, reverse] = [Direction::Forward, Direction::Reverse]
        .map(|direction| kernels(Derivative::Jacobian(Some(direction))));
    Ok(match (program, reverse) {
        (Ok(program), Ok(reverse)) => Bodies {
            reverse: (program != reverse).then_some((rows, columns, reverse)),
            program,
            uses: vec![],
        },
        // What has no derivative in one direction may have one in the other.
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => one.into(),
        (Err(message), Err(_)) => return Err(message),
    })
}

/// The kernels of a derivative, ready to be emitted.
fn kernels(
    program: &bulk::Program,
    title: &str,
    see: Stages<'_>,
) -> Result<kernel::Program, String> {
    let kernels = pipeline::to_kernels_watched(program, &mut |pass, stage| match stage {
        Stage::Bulk(p) => see(format!("{title}: Bulk, after {pass}"), p),
        Stage::Kernels(p) => see(format!("{title}: Kernels, after {pass}"), p),
    });
    enter("emit");
    kernels
}

/// One of the functions of a linearised one.
fn linearised(
    f: &Annotated,
    bulk: &bulk::Program,
    what: Derivative,
    see: Stages<'_>,
) -> Result<Bodies, String> {
    let title = said(&f.signature, what);
    let leaves = f.signature.leaves();
    // What is not real in gradients is as in the arguments.
    let read = leaves.iter().enumerate();
    let read = read.filter(|(_, (arg, leaf))| f.promise.wrt.contains(arg) && !leaf.ty.is_real());
    let read: Vec<usize> = read.map(|(k, _)| k).collect();
    let wrt = f.signature.real_leaves(&f.promise.wrt);
    let consts = leaves.len()..leaves.len() + f.consts.len();
    let apart = pipeline::apart(bulk, &wrt, &read, consts, &mut |pass, p| {
        see(format!("{title}: Bulk, after {pass}"), p);
    })?;
    let program = match what.method() {
        None => apart.values,
        Some("jvp") => apart.jvp,
        Some(_) => apart.vjp,
    };
    let kernels = kernels(&program, &title, see)?;
    Ok(Bodies {
        uses: apart.uses,
        ..kernels.into()
    })
}

/// The functions of the unit that a function is: its value and its products, in all arguments.
fn of_unit(f: &Annotated, bulk: &bulk::Program) -> Result<TokenStream, String> {
    if !f.is_unit() {
        return Ok(TokenStream::new());
    }
    let real = f.signature.args.iter().enumerate();
    let real = real.filter(|(_, a)| a.ty.is_real());
    let wrt: Vec<usize> = real.map(|(k, _)| k).collect();
    let signature = f.signature.unwrapped().of_free();
    let unit = unit_of(&f.whole_signature(), true, true);
    let context = Context {
        signature: &signature,
        wrt: &wrt,
        repeats: Repeats::default(),
        ..Context::of(f)
    };
    let leaves = f.signature.real_leaves(&wrt);
    let mut out = TokenStream::new();
    for (rule, what) in Derivative::OF_UNITS {
        let derived = pipeline::derive(bulk, what, &leaves, &mut |_, _| {})?;
        let kernels = pipeline::to_kernels(&derived)?;
        enter("emit");
        let declared = &f.declared.tree;
        out.extend(context.computed_unit_function((&unit, rule), what, &kernels, declared));
    }
    if let Some(on_tape) = pipeline::on_tape(bulk, &leaves)? {
        let both = [
            (Tape::Forward, Derivative::Value, on_tape.forward),
            (Tape::Reverse, Derivative::Vjp, on_tape.reverse),
        ];
        for (rule, what, program) in both {
            let kernels = pipeline::to_kernels(&program)?;
            enter("emit");
            let declared = &f.declared.tree;
            let rule = (&unit, Rule::Tape(rule));
            out.extend(context.computed_unit_function(rule, what, &kernels, declared));
        }
    }
    Ok(out)
}

/// The function with a single result, for derivatives that have one result only. `None` if the
/// derivative covers everything that the function returns and writes.
fn of_single(f: &Annotated, what: Derivative) -> Option<Annotated> {
    match f.signature.writes.is_empty() || what.writes() {
        true => None,
        false => f.single(),
    }
}

/// The generated functions, and what computes the function as a unit.
fn derivatives(
    f: &Annotated,
    with_unit: bool,
    owner: Option<&TokenStream>,
    see: Stages<'_>,
) -> Result<(TokenStream, TokenStream), String> {
    let mut out = TokenStream::new();
    if f.is_deep() {
        see(format!("{}: Core", f.program.name), &f.program);
        for what in f.promise.modes.derivatives() {
            out.extend(Context::of(f).stub_of_deep(what));
        }
        return Ok((out, TokenStream::new()));
    }
    if f.functional.is_some() {
        see(
            format!("{}: Core of its stand-in", f.program.name),
            &f.program,
        );
        if owner.is_some() {
            return Err(format!(
                "`{}` takes a function, and is found by its callers as a macro, which an `impl` block cannot \
                 hold; move it out of the block",
                f.signature.ident
            ));
        }
        return Ok((Context::of(f).checked_alone(&f.checks), TokenStream::new()));
    }
    let bulk = to_bulk(f, see)?;
    let warnings = lints::warnings(f, &bulk)?;
    let mut asides = Asides {
        checks: &f.checks,
        warnings: &warnings,
    };
    let failure = failure(f, owner, see)?;
    for what in f.promise.modes.derivatives() {
        let single = match of_single(f, what) {
            Some(f) => Some((to_bulk(&f, see)?, f)),
            None => None,
        };
        let (f, bulk) = match &single {
            Some((bulk, f)) => (f, bulk),
            None => (f, &bulk),
        };
        let bodies = derived(f, bulk, what, see)?;
        let context = Context {
            failure: failure.clone(),
            ..Context::of(f)
        };
        out.extend(context.function(what, &bodies, &asides));
        // One function is enough.
        asides = Asides::default();
    }
    let inner = match with_unit {
        true => of_unit(f, &bulk)?,
        false => TokenStream::new(),
    };
    Ok((out, inner))
}

/// The errors, the function as it was, and stubs of what was promised.
fn failed(failure: &Failure, place: Option<&Place>, in_impl: bool) -> Parts {
    let errors = (!failure.elsewhere).then(|| failure.errors.to_compile_error());
    let item = &failure.item;
    let mut out = Parts {
        item: quote! {
            #[allow(dead_code, unused_variables)]
            #item
        },
        ..Parts::default()
    };
    // In a block these stand beside it: it is a trait's, perhaps.
    match place.and_then(|place| place.member.as_ref()) {
        Some(_) => out.beside.extend(errors),
        None => {
            let item = &out.item;
            out.item = quote!(#errors #item);
        }
    }
    let Some(signature) = &failure.signature else {
        return out;
    };
    let root = root(failure.attr.as_ref().and_then(|a| a.root.as_ref()));
    // One function looks whether there are the functions that are called.
    let at = place.cloned().unwrap_or_default();
    let mut probes = (!failure.missing.is_empty())
        .then(|| link::probes(&failure.missing, &signature.ident, &root, &at));
    if let Some(promise) = &failure.promise {
        let context = Context::of_heads(signature, &promise.wrt, root);
        for what in promise.modes.derivatives() {
            (out.functions).extend(context.stub(what, true, probes.take()));
        }
        (out.functions).extend(context.functions_into(promise.modes, in_impl));
        let companions = place.map(|p| link::broken(signature, promise.modes, p));
        out.beside.extend(companions);
    }
    if let (Some(probes), Some(_)) = (probes, place) {
        out.beside.extend(quote!(const _: fn() = || #probes;));
    }
    out
}
