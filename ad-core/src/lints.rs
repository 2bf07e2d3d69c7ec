//! What is accepted, and hardly meant: arguments without influence, derivatives that are zero
//! everywhere, loops that keep much for their derivative.
//!
//! The lints look at the program as it is after simplification, and at its linearisation. They say
//! nothing where they are not sure.

use crate::back::tokens::mentions;
use crate::back::warning::Warning;
use crate::derivative::{Derivative, Gives, Of};
use crate::front::Annotated;
use crate::front::lint::Lint;
use crate::ir::bulk::{Eq, Program, Type};
use crate::ir::linear::Linearised;
use crate::ir::ty::{Atom, Size};
use crate::pipeline;
use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};

/// The warnings about a function, of which this is the simplified program.
///
/// # Errors
/// If a pass broke the program (a bug of the compiler).
pub(crate) fn warnings(f: &Annotated, program: &Program) -> Result<Vec<Warning>, String> {
    let mut found = vec![];
    let unused = unused_arguments(f, program)?;
    let reported = unused.iter().filter(|&&arg| !is_handed_on(f, arg));
    found.extend(reported.map(|&arg| without_influence(f, arg)));
    let wrt = f.signature.real_leaves(&f.promise.wrt);
    let derivatives = f.promise.modes.derivatives();
    if derivatives.iter().any(|what| *what != Derivative::Value) {
        let linearised = pipeline::linearised_by(program, &wrt)?;
        let zero = zero_arguments(f, program, &linearised, &wrt);
        let zero = zero.into_iter().filter(|arg| !unused.contains(arg));
        let zero: Vec<usize> = zero.collect();
        found.extend(zero.iter().map(|&arg| zero_gradient(f, &zero, arg)));
        found.extend(memory_of_loops(f, program, &linearised));
    }
    found.retain(|warning| !f.attr.allow.contains(&warning.lint));
    Ok(found)
}

/// The arguments whose values and sizes nothing reads, though the body names them: others are
/// rustc's to report.
fn unused_arguments(f: &Annotated, program: &Program) -> Result<Vec<usize>, String> {
    let mut unused = unread(f, program);
    unused.retain(|&arg| is_named(f, arg));
    if let (Some(fails), false) = (&f.fails, unused.is_empty()) {
        let fails = pipeline::to_bulk(&fails.program, &mut |_, _| {})?;
        let unused_there = unread(f, &fails);
        unused.retain(|arg| unused_there.contains(arg));
    }
    Ok(unused)
}

/// The arguments that a program does not read.
fn unread(f: &Annotated, program: &Program) -> Vec<usize> {
    let read = program.read_params();
    let leaves = f.signature.leaves();
    let is_read = |arg: usize| {
        let mut own = leaves.iter().zip(&read).filter(|((of, _), _)| *of == arg);
        own.any(|(_, read)| *read)
    };
    let has_leaves = |arg: usize| leaves.iter().any(|(of, _)| *of == arg);
    let is_written = |arg: usize| f.signature.writes.iter().any(|w| w.arg == arg);
    (0..f.signature.args.len())
        .filter(|&arg| has_leaves(arg) && !is_read(arg) && !is_written(arg))
        .collect()
}

/// Whether the body names an argument, by a name that does not say that it is unused.
fn is_named(f: &Annotated, arg: usize) -> bool {
    let ident = f.signature.args[arg].ident.to_string();
    !ident.starts_with('_') && mentions(&f.item.block.to_token_stream(), &ident)
}

/// Whether the body passes an argument to a function: one that ignores it has it for the sake of
/// its interface, as the time of an equation whose right side is the same at all times.
fn is_handed_on(f: &Annotated, arg: usize) -> bool {
    struct Calls {
        name: String,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            let mut plain = call.args.iter();
            self.found |= plain.any(|arg| {
                !matches!(arg, syn::Expr::Closure(_))
                    && mentions(&arg.to_token_stream(), &self.name)
            });
            visit::visit_expr_call(self, call);
        }
    }
    let name = f.signature.args[arg].ident.to_string();
    let mut calls = Calls { name, found: false };
    calls.visit_block(&f.item.block);
    calls.found
}

/// The arguments with a derivative of zero everywhere, unless the user stops it.
fn zero_arguments(
    f: &Annotated,
    program: &Program,
    linearised: &Linearised,
    wrt: &[usize],
) -> Vec<usize> {
    let derivatives = f.promise.modes.derivatives();
    let by_first =
        |what: &Derivative| what.of() == Of::NumbersWithAux || *what == Derivative::Value;
    let results = &linearised.result_tangents;
    let results = match derivatives.iter().all(by_first) {
        true => &results[..1],
        false => &results[..],
    };
    let reach = linearised.program.reach();
    let leaves = f.signature.leaves();
    let is_zero = |arg: &usize| {
        let mut tangents = wrt.iter().zip(&linearised.tangents);
        tangents.all(|(leaf, tangent)| {
            let mut reached = results.iter().flatten().map(|r| &reach[r.index()]);
            leaves[*leaf].0 != *arg || !reached.any(|set| set.has(tangent.index()))
        })
    };
    let is_stopped = |arg: usize| {
        let own = leaves.iter().map(|(of, _)| *of == arg);
        let consts = program.params.len() - leaves.len();
        program.stops(own.chain(std::iter::repeat_n(false, consts)).collect())
    };
    (f.promise.wrt.iter().copied())
        .filter(|arg| is_zero(arg) && is_named(f, *arg) && !is_stopped(*arg))
        .collect()
}

/// An argument in messages. One that is a pattern has no name.
fn said(f: &Annotated, arg: usize) -> String {
    let name = f.signature.args[arg].ident.to_string();
    match name == format!("argument_{arg}") {
        true => "this argument".into(),
        false => format!("`{name}`"),
    }
}

fn without_influence(f: &Annotated, arg: usize) -> Warning {
    let help = format!(
        "remove it, or keep it with `#[differentiable(allow({}))]`",
        Lint::UnusedArgument.name()
    );
    Warning {
        lint: Lint::UnusedArgument,
        span: f.signature.args[arg].ident.span(),
        message: format!(
            "{} does not influence the result of `{}`",
            said(f, arg),
            f.signature.ident
        ),
        help,
    }
}

fn zero_gradient(f: &Annotated, zero: &[usize], arg: usize) -> Warning {
    let names: Vec<String> = (f.promise.wrt.iter())
        .filter(|arg| !zero.contains(arg))
        .map(|&arg| f.signature.args[arg].ident.to_string())
        .collect();
    let leave_out = match &names[..] {
        [] => String::new(),
        names => format!("leave it out with `wrt({})`, or ", names.join(", ")),
    };
    let help = format!(
        "{leave_out}keep it with `#[differentiable(allow({}))]`",
        Lint::ZeroGradient.name()
    );
    Warning {
        lint: Lint::ZeroGradient,
        span: f.signature.args[arg].ident.span(),
        message: format!(
            "the derivative of `{}` with respect to {} is zero everywhere: it only decides sizes, \
             indices, branches or whole numbers",
            f.signature.ident,
            said(f, arg),
        ),
        help,
    }
}

/// Of a loop that keeps vectors for each step nothing is said: most are short.
const SMALLEST: usize = 2;

/// A loop over a number of steps that the caller chooses, for which reverse mode keeps more than
/// the function has anywhere, and `checkpoint` would keep less. What changes in place keeps less
/// than its shape says.
fn memory_of_loops(f: &Annotated, program: &Program, linearised: &Linearised) -> Option<Warning> {
    let derivatives = f.promise.modes.derivatives();
    let mut gives = derivatives.iter().flat_map(|what| what.gives());
    let has_reverse = gives.any(|gives| *gives == Gives::Gradient);
    let is_known = |eq: &Eq| {
        eq.loop_result()
            .is_some_and(|(run, _)| run.looped.keep.recomputes())
    };
    if f.attr.checkpoint.is_some() || !has_reverse || program.eqs.iter().any(is_known) {
        return None;
    }
    let types = program.params.iter().map(|p| &p.ty);
    let types = types.chain(program.eqs.iter().map(|eq| &eq.ty));
    let held = types.map(|ty| degree(&ty.shape)).max().unwrap_or(0);
    let kept = linearised.program.eqs.iter().find(|eq| {
        let Some((run, out)) = eq.loop_result() else {
            return false;
        };
        let (first, count) = (run.looped.states, run.looped.count());
        let states = run.looped.body.results[..first].iter();
        let state = states.map(|r| degree(&run.looped.body.ty(*r).shape)).max();
        let each = eq.ty.shape.get(1..).map_or(0, degree);
        (first..count).contains(&out)
            && run.steps.is_some_and(is_chosen)
            && state.is_some_and(|s| (1..=each).contains(&s) && each >= SMALLEST)
            && degree(&eq.ty.shape) > held
            && !run.looped.body.changes_in_place()
    });
    kept.map(|eq| much_memory(f, &eq.ty))
}

/// Whether an integer argument decides a size.
fn is_chosen(s: &Size) -> bool {
    let mut is_chosen = false;
    s.visit(&mut |a| is_chosen |= matches!(a, Atom::Int { .. }));
    is_chosen
}

/// How many lengths that are not known the number of elements is a product of.
fn degree(shape: &[Size]) -> usize {
    let degree = |s: &Size| s.terms().map(|(product, _)| product.len()).max();
    shape.iter().filter_map(degree).sum()
}

fn much_memory(f: &Annotated, kept: &Type) -> Warning {
    let arrays = match kept.rank() {
        2 => "an array of rank 1".to_owned(),
        rank => format!("an array of rank {}", rank - 1),
    };
    Warning {
        lint: Lint::LoopMemory,
        span: span_of_loop(f),
        message: format!("reverse mode keeps {arrays} for each step of this loop"),
        help: format!(
            "keep those of few steps with `#[differentiable(checkpoint = \"sqrt\")]`, or all with \
             `#[differentiable(allow({}))]`",
            Lint::LoopMemory.name()
        ),
    }
}

/// The only loop of a function, or the name of the function.
fn span_of_loop(f: &Annotated) -> Span {
    #[derive(Default)]
    struct Loops(Vec<Span>);
    impl<'ast> Visit<'ast> for Loops {
        fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
            self.0.push(e.for_token.span);
        }

        fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
            if let syn::Expr::Path(f) = &*e.func
                && let Some(last) = f.path.segments.last()
                && ["fold", "scan"].iter().any(|name| last.ident == name)
            {
                self.0.push(last.ident.span());
                return;
            }
            visit::visit_expr_call(self, e);
        }

        fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
            if e.method == "fold" {
                self.0.push(e.method.span());
                return;
            }
            visit::visit_expr_method_call(self, e);
        }
    }
    let mut loops = Loops::default();
    loops.visit_block(&f.item.block);
    match &loops.0[..] {
        [only] => *only,
        _ => f.signature.ident.span(),
    }
}
