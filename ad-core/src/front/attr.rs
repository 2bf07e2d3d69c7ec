//! The arguments of the attribute, and which functions they promise.

use super::error::{Errors, Result};
use super::jacobian::Jacobian;
use super::lint::Lint;
use super::signature::Signature;
use super::types::spelled;
use crate::derivative::{Derivative, Modes, Of};
use crate::ir::jacobian::Direction;
use crate::loops::Checkpoint;
use darling::FromMeta;
use darling::ast::NestedMeta;
use darling::util::{Flag, PathList};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

/// What can be written.
const OPTIONS: &str = "the options are `value`, `grad`, `vjp`, `jvp`, `hvp`, `jacobian`, `hessian`, `vjps`, `jvps`, \
                       `linearize`, `taylor = ..`, `into`, `wrt(..)`, \
                       `checkpoint = ..`, `noinline`, `allow(..)` and `crate = ..`";

/// The functions that an option stands for: its name, and what is written in its parentheses.
const MODES: &[(&str, Option<&str>, &[Derivative])] = &[
    ("value", None, &[Derivative::Value]),
    ("grad", None, &[Derivative::Grad, Derivative::ValueAndGrad]),
    (
        "grad",
        Some("aux"),
        &[Derivative::GradAux, Derivative::ValueAndGradAux],
    ),
    ("vjp", None, &[Derivative::Vjp]),
    ("jvp", None, &[Derivative::Jvp]),
    ("hvp", None, &[Derivative::Hvp]),
    ("jacobian", None, &[Derivative::Jacobian(None)]),
    (
        "jacobian",
        Some("forward"),
        &[Derivative::Jacobian(Some(Direction::Forward))],
    ),
    (
        "jacobian",
        Some("reverse"),
        &[Derivative::Jacobian(Some(Direction::Reverse))],
    ),
    ("hessian", None, &[Derivative::Hessian]),
    ("vjps", None, &[Derivative::Vjps]),
    ("jvps", None, &[Derivative::Jvps]),
    ("jacobian", Some("sparse"), &[Derivative::JacobianSparse]),
    (
        "jacobian",
        Some("diagonal"),
        &[Derivative::JacobianDiagonal],
    ),
    ("hessian", Some("diagonal"), &[Derivative::HessianDiagonal]),
    (
        "linearize",
        None,
        &[
            Derivative::Linearize,
            Derivative::LinearJvp,
            Derivative::LinearVjp,
        ],
    ),
];

/// The functions that an entry of the attribute names, with the place of each, if it is such an
/// entry.
///
/// # Errors
/// With what to write instead.
fn functions(entry: &NestedMeta) -> Option<std::result::Result<Vec<(Derivative, Span)>, String>> {
    let NestedMeta::Meta(meta) = entry else {
        return None;
    };
    let name = spelled(meta.path());
    if name == "taylor" {
        let span = syn::spanned::Spanned::span(meta.path());
        return Some(series(meta).map(|order| vec![(Derivative::Taylor(order), span)]));
    }
    let rows: Vec<_> = MODES.iter().filter(|(n, ..)| *n == name).collect();
    if rows.is_empty() {
        return None;
    }
    let words: Vec<&str> = rows.iter().filter_map(|(_, word, _)| *word).collect();
    let misused = || match &words[..] {
        [] => format!("`{name}` takes nothing; write `{name}` alone"),
        words => {
            let alone = rows.iter().any(|(_, word, _)| word.is_none());
            let alone = alone.then(|| format!("`{name}`"));
            let forms = words.iter().map(|word| format!("`{name}({word})`"));
            let forms: Vec<String> = alone.into_iter().chain(forms).collect();
            format!("write {}", forms.join(" or "))
        }
    };
    let mut out = vec![];
    let mut add = |word: Option<&str>, span: Span| {
        let row = rows
            .iter()
            .find(|(_, w, _)| *w == word)
            .ok_or_else(misused)?;
        out.extend(row.2.iter().map(|what| (*what, span)));
        Ok(())
    };
    let span = syn::spanned::Spanned::span(meta.path());
    let done = match meta {
        syn::Meta::Path(_) => add(None, span),
        syn::Meta::List(list) => match NestedMeta::parse_meta_list(list.tokens.clone()) {
            Ok(inner) if !inner.is_empty() => inner.iter().try_for_each(|word| match word {
                NestedMeta::Meta(syn::Meta::Path(path)) => add(Some(&spelled(path)), span),
                NestedMeta::Meta(_) | NestedMeta::Lit(_) | NestedMeta::NameValueInvalidExpr(_) => {
                    Err(misused())
                }
            }),
            Ok(_) | Err(_) => Err(misused()),
        },
        syn::Meta::NameValue(_) => Err(misused()),
    };
    Some(done.map(|()| out))
}

/// The highest order of a series: more would be more code than anybody wants to compile.
const HIGHEST: u8 = 16;

/// The order of a series.
///
/// # Errors
/// With what to write instead.
fn series(meta: &syn::Meta) -> std::result::Result<u8, String> {
    let order = meta.require_name_value().ok().and_then(|pair| {
        let syn::Expr::Lit(literal) = &pair.value else {
            return None;
        };
        let syn::Lit::Int(order) = &literal.lit else {
            return None;
        };
        order.base10_parse().ok()
    });
    let order = order.filter(|order| (1..=HIGHEST).contains(order));
    order.ok_or_else(|| {
        format!(
            "`taylor` says how many coefficients there are besides the value, from 1 to {HIGHEST}; \
             write `taylor = 3`"
        )
    })
}

/// As written between the parentheses.
#[derive(Debug, Default, FromMeta)]
struct Arguments {
    #[darling(default)]
    noinline: Flag,
    #[darling(default)]
    into: Flag,
    #[darling(default)]
    wrt: Option<PathList>,
    #[darling(default)]
    checkpoint: Option<Checkpoint>,
    #[darling(default)]
    allow: Option<PathList>,
    #[darling(default, rename = "crate")]
    root: Option<syn::Path>,
}

impl FromMeta for Checkpoint {
    fn from_string(value: &str) -> darling::Result<Checkpoint> {
        if value.trim() == "sqrt" {
            return Ok(Checkpoint::Sqrt);
        }
        let (name, k) = value.split_once('=').unwrap_or_default();
        let k: Option<u32> = k.trim().replace('_', "").parse().ok();
        match (name.trim(), k.filter(|k| *k > 0)) {
            ("every", Some(k)) => Ok(Checkpoint::Every(k.into())),
            ("binomial", Some(k)) => Ok(Checkpoint::Binomial(k.into())),
            _ => Err(darling::Error::custom(CHECKPOINT)),
        }
    }
}

/// For a wrong value of `checkpoint`.
const CHECKPOINT: &str = "`checkpoint` says how many rounds of a loop are computed again at once; \
     write `checkpoint = \"sqrt\"` for the root of their number, or \
     `checkpoint = \"every = 16\"`; or how many states are kept at most: \
     `checkpoint = \"binomial = 10\"`";

/// The attribute, before the function is looked at.
#[derive(Clone, Debug)]
pub struct Attr {
    /// What is named; nothing means the default.
    pub modes: Modes,
    /// The arguments named by `wrt`.
    pub wrt: Option<Vec<syn::Path>>,
    /// How loops keep their states.
    pub checkpoint: Option<Checkpoint>,
    /// Whether other functions call it as a unit.
    pub noinline: bool,
    /// The lints that say nothing about it.
    pub allow: Vec<Lint>,
    /// Where the crate is, if not at `::cotangent`.
    pub root: Option<syn::Path>,
    /// Where functions are named.
    pub(crate) named: Vec<(Derivative, Span)>,
    into: Option<Span>,
}

/// What the attribute promises for this very function.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The functions to generate.
    pub modes: Modes,
    /// The positions of the arguments to differentiate in, in order.
    pub wrt: Vec<usize>,
}

impl Attr {
    /// Reads the arguments of the attribute.
    pub fn read(tokens: TokenStream, errors: &mut Errors) -> Result<Attr> {
        let list = NestedMeta::parse_meta_list(tokens).map_err(|e| errors.add(e))?;
        let mut sound = Ok(());
        let mut seen = vec![];
        let mut named = vec![];
        for entry in &list {
            let path = match entry {
                NestedMeta::Meta(meta) => meta.path(),
                NestedMeta::NameValueInvalidExpr(pair) => &pair.path,
                NestedMeta::Lit(literal) => {
                    sound = Err(errors.on(literal, format!("not an option; {OPTIONS}")));
                    continue;
                }
            };
            // An option may be there several times, with other words.
            let is_new = match functions(entry) {
                Some(Ok(functions)) => {
                    let is_new = functions
                        .iter()
                        .all(|f| !named.iter().any(|(n, _)| *n == f.0));
                    named.extend(functions);
                    is_new
                }
                Some(Err(_)) | None => !seen.contains(&path),
            };
            if let Some(message) = misuse(entry) {
                sound = Err(errors.on(entry, message));
            } else if !is_new {
                let name = spelled(path);
                sound = Err(errors.on(path, format!("`{name}` is given twice; remove one")));
            }
            seen.push(path);
        }
        sound?;
        let others: Vec<NestedMeta> = list
            .into_iter()
            .filter(|e| functions(e).is_none())
            .collect();
        let arguments = Arguments::from_list(&others).map_err(|e| errors.add(e.into()))?;
        let all: Vec<Derivative> = named.iter().map(|(what, _)| *what).collect();
        let mut modes = Modes::of(&all);
        modes.into = arguments.into.is_present();
        Ok(Attr {
            modes,
            wrt: arguments.wrt.map(|list| list.to_vec()),
            checkpoint: arguments.checkpoint,
            noinline: arguments.noinline.is_present(),
            allow: (arguments.allow.iter().flat_map(|list| list.iter()))
                .filter_map(|path| Lint::of_name(&spelled(path)))
                .collect(),
            root: arguments.root,
            named,
            into: arguments.into.is_present().then(|| arguments.into.span()),
        })
    }

    /// What is promised for a function of this signature.
    pub fn promise(&self, signature: &Signature, errors: &mut Errors) -> Result<Promise> {
        let wrt = self.positions(signature, errors);
        let whole = signature;
        let single = signature.single().map(|(single, _)| single);
        let signature = single.as_ref().unwrap_or(signature);
        let scalar = signature.result.is_real_scalar();
        let modes = match (
            self.modes == Modes::default(),
            scalar && signature.has_result,
        ) {
            (false, _) => self.modes,
            (true, true) => Modes::of(&[Derivative::Grad, Derivative::ValueAndGrad]),
            (true, false) => Modes::of(&[Derivative::Vjp, Derivative::Jvp]),
        };
        self.of_written(whole, single.is_none(), errors)?;
        let mut named = self.named.iter();
        let unfit = named.find_map(|(what, span)| Some((span, unfit(*what, signature)?)));
        if let Some((span, message)) = unfit {
            return Err(errors.at(*span, message));
        }
        if let (Some((_, span)), Ok([_, _, ..])) = (
            (self.named.iter()).find(|(what, _)| *what == Derivative::JacobianDiagonal),
            wrt.as_deref(),
        ) {
            return Err(errors.at(
                *span,
                "the diagonal is that of the Jacobian by one argument; name it with `wrt`, as in \
                 `#[differentiable(jacobian(diagonal), wrt(x))]`",
            ));
        }
        let has_into = modes.derivatives().into_iter().any(Derivative::has_into);
        if let (Some(span), false) = (self.into, has_into) {
            let message = "`into` writes a derivative where there is room for it, and needs one, as in \
                           `#[differentiable(grad, into)]`";
            return Err(errors.at(span, message));
        }
        let wrt = wrt?;
        self.jacobians(signature, &wrt, errors)?;
        Ok(Promise { modes, wrt })
    }

    /// Reports what has no meaning for a function that writes through `&mut`.
    fn of_written(
        &self,
        signature: &Signature,
        has_several: bool,
        errors: &mut Errors,
    ) -> Result<()> {
        let names = signature.writes.iter();
        let names = names.map(|w| format!("`{}`", signature.args[w.arg].ident));
        let names: Vec<String> = names.collect();
        let (Some(first), ident) = (names.first(), &signature.ident) else {
            return Ok(());
        };
        let is_other = |what: Derivative| {
            what.linearises() || matches!(what, Derivative::GradAux | Derivative::ValueAndGradAux)
        };
        if let Some((what, span)) = self.named.iter().find(|(what, _)| is_other(*what)) {
            let message = format!(
                "there is no `{}` of a function that writes {}; write `vjp` or `jvp`, or return what it writes",
                what.word(),
                names.join(" and ")
            );
            return Err(errors.at(*span, message));
        }
        if let Some((what, span)) = self.named.iter().find(|(what, _)| !what.writes())
            && has_several
        {
            let message = format!(
                "`{}` is of one result, and `{ident}` writes {}; write `vjp` or `jvp`, or a function for \
                 each",
                what.word(),
                names.join(" and ")
            );
            return Err(errors.at(*span, message));
        }
        let writes = |what: &Derivative| what.writes() && what.has_into();
        let is_default = self.named.is_empty() && !signature.has_result;
        let is_written = is_default || self.named.iter().any(|(what, _)| writes(what));
        if let (Some(span), true) = (self.into, is_written) {
            let message = format!(
                "`vjp` and `jvp` write {first} where the caller has room already, and take no workspace; \
                 remove `into`"
            );
            return Err(errors.at(span, message));
        }
        if self.noinline {
            let message = format!(
                "`{ident}` writes {first}, and cannot be called as a unit; remove `noinline`, or return it"
            );
            return Err(errors.at(ident.span(), message));
        }
        Ok(())
    }

    /// What is promised for a function that takes functions: nothing, since it is differentiated
    /// where it is called.
    pub fn promise_of_functional(
        &self,
        sig: &syn::Signature,
        errors: &mut Errors,
    ) -> Result<Promise> {
        let name = &sig.ident;
        let options = self.named.iter().map(|(_, span)| *span);
        let paths = self.wrt.iter().flatten();
        let others = paths.map(syn::spanned::Spanned::span).chain(self.into);
        if let Some(span) = options.chain(others).next() {
            let message = format!(
                "`{name}` takes a function, and has no derivative before that is known; write \
                 `#[differentiable]` here, and ask for derivatives of the annotated function that calls \
                 `{name}(..)`"
            );
            return Err(errors.at(span, message));
        }
        if self.noinline {
            let message = format!(
                "`{name}` takes a function, so its body is taken in by each call; remove `noinline`"
            );
            return Err(errors.at(name.span(), message));
        }
        Ok(Promise {
            modes: Modes::default(),
            wrt: vec![],
        })
    }

    /// Reports Jacobians without a type, and functions that are named twice.
    fn jacobians(&self, signature: &Signature, wrt: &[usize], errors: &mut Errors) -> Result<()> {
        let mut sound = Ok(());
        for (k, (what, span)) in self.named.iter().enumerate() {
            let before = &self.named[..k];
            if before.iter().any(|(d, _)| d.suffix() == what.suffix()) {
                let name = what.suffix();
                let message = format!("`{name}` is given twice; remove one");
                sound = Err(errors.at(*span, message));
            } else if *what == Derivative::Hessian && wrt.len() > 1 {
                let names = wrt
                    .iter()
                    .map(|&k| format!("`wrt({})`", signature.args[k].ident));
                let names: Vec<String> = names.collect();
                let message = format!(
                    "a Hessian is by one argument, and `{}` is differentiated in {}; write {}",
                    signature.ident,
                    wrt.len(),
                    names.join(" or ")
                );
                sound = Err(errors.at(*span, message));
            } else if what.is_of_several() && !signature.has_several(wrt) {
                let name = what.word();
                let message = format!(
                    "`{name}` has no type for arrays of more than five axes, lists of structs or tuples, and \
                     structs that hold arrays of any length; take the parts as arguments of their own, \
                     and return them as a tuple"
                );
                sound = Err(errors.at(*span, message));
            } else if *what == Derivative::Linearize && signature.has_opaque() {
                let message = "`linearize` keeps numbers only, and a struct here has a field \
                               that is carried and not looked into; take the fields that are \
                               read as arguments";
                sound = Err(errors.at(*span, message));
            } else if let Err(message) = Jacobian::for_derivative(signature, wrt, *what) {
                sound = Err(errors.at(*span, message));
            }
        }
        sound
    }

    fn positions(&self, signature: &Signature, errors: &mut Errors) -> Result<Vec<usize>> {
        let Some(paths) = &self.wrt else {
            let real = signature.args.iter().enumerate();
            let real = real.filter(|(_, a)| a.ty.is_real()).map(|(k, _)| k);
            let is_written = |k: &usize| signature.writes.iter().any(|w| w.arg == *k);
            let (written, read): (Vec<usize>, Vec<usize>) = real.partition(is_written);
            // Where nothing else is real, the derivatives are those by the values on entry.
            return Ok(match read.is_empty() {
                true => written,
                false => read,
            });
        };
        let mut found: Vec<usize> = vec![];
        let mut sound = Ok(());
        for path in paths {
            let position = path.get_ident().and_then(|i| signature.position(i));
            let message = match position {
                None => match meant(path, signature) {
                    Some(meant) => format!(
                        "`{}` has no argument of this name; write `{meant}`, which is spelled \
                         alike",
                        signature.ident,
                    ),
                    None => format!(
                        "`{}` has no argument of this name; `wrt` lists arguments to \
                         differentiate in: {}",
                        signature.ident,
                        real_arguments(signature)
                    ),
                },
                Some(k) if !signature.args[k].ty.tree.is_real() => format!(
                    "`{}` is made of `{}`, which is constant for differentiation; `wrt` lists real arguments",
                    signature.args[k].ident,
                    signature.args[k].ty.made_of()
                ),
                Some(k) if found.contains(&k) => "named twice; remove one".to_string(),
                Some(k) => {
                    found.push(k);
                    continue;
                }
            };
            sound = Err(errors.on(path, message));
        }
        sound?;
        if found.is_empty() {
            return Err(errors.at(
                Span::call_site(),
                "`wrt()` names no argument; name at least one, or leave `wrt` out for all real arguments",
            ));
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// The real arguments of a function, as a list for messages.
fn real_arguments(signature: &Signature) -> String {
    let real = signature.args.iter().filter(|arg| arg.ty.is_real());
    let names: Vec<String> = real.map(|arg| format!("`{}`", arg.ident)).collect();
    names.join(", ")
}

/// Why there is no such derivative of a function, if its result tells.
fn unfit(what: Derivative, signature: &Signature) -> Option<String> {
    let is_number = signature.result.is_real_scalar();
    let has_aux = signature.aux().is_some();
    let (needed, instead) = match (what.of(), is_number, has_aux) {
        (Of::All, ..) | (Of::Numbers, true, _) | (Of::NumbersWithAux, _, true) => return None,
        (Of::Numbers, false, true) if what == Derivative::Grad => ("`f64`", "`grad(aux)`"),
        (Of::Numbers, false, _) if matches!(what, Derivative::Hessian | Derivative::Hvp) => (
            "`f64`",
            "`jacobian`, or `hessian` on a function of one of its numbers",
        ),
        (Of::Numbers, false, _) => ("`f64`", "`vjp` or `jvp`"),
        (Of::NumbersWithAux, true, _) => ("`(f64, A)`", "`grad`"),
        (Of::NumbersWithAux, false, false) => (
            "`(f64, A)`",
            "`-> (f64, (A, B))` to hand back more than one value, or `vjp`",
        ),
    };
    Some(format!(
        "`{}` needs a function that returns {needed}, and `{}` returns {}; write {instead}",
        what.word(),
        signature.ident,
        signature.result.tree.kind()
    ))
}

/// The argument whose name differs by two letters at most.
fn meant(path: &syn::Path, signature: &Signature) -> Option<String> {
    let written = path.get_ident()?.to_string();
    let names = signature.args.iter().filter(|a| a.ty.is_real());
    let names = names.map(|a| a.ident.to_string());
    let near = names.map(|name| (distance(&written, &name), name)).min()?;
    (near.0 <= 2 && near.0 < written.len().min(near.1.len())).then_some(near.1)
}

/// How many letters have to be inserted, removed or replaced to get from one name to another.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

/// What is wrong with an option, if anything.
fn misuse(entry: &NestedMeta) -> Option<String> {
    let NestedMeta::Meta(meta) = entry else {
        return None;
    };
    let name = spelled(meta.path());
    if let Some(functions) = functions(entry) {
        return functions.err();
    }
    match name.as_str() {
        "crate" => None,
        "wrt" => wrt_misuse(meta),
        "allow" => allow_misuse(meta),
        "checkpoint" => {
            let text = matches!(meta, syn::Meta::NameValue(pair) if matches!(&pair.value,
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. })));
            (!text).then(|| CHECKPOINT.into())
        }
        "noinline" | "into" => {
            let alone = matches!(meta, syn::Meta::Path(_));
            (!alone).then(|| format!("`{name}` takes nothing; write `{name}` alone"))
        }
        "value_and_grad" => Some("`grad` generates `.._value_and_grad` too; write `grad`".into()),
        _ => Some(format!("there is no option `{name}`; {OPTIONS}")),
    }
}

fn allow_misuse(meta: &syn::Meta) -> Option<String> {
    let names = match meta {
        syn::Meta::List(list) => NestedMeta::parse_meta_list(list.tokens.clone()).ok(),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => None,
    };
    let is_lint = |entry: &NestedMeta| match entry {
        NestedMeta::Meta(syn::Meta::Path(path)) => Lint::of_name(&spelled(path)).is_some(),
        NestedMeta::Meta(_) | NestedMeta::Lit(_) | NestedMeta::NameValueInvalidExpr(_) => false,
    };
    let is_sound = names.is_some_and(|names| !names.is_empty() && names.iter().all(is_lint));
    (!is_sound).then(|| {
        let names = Lint::names();
        format!("`allow` lists lints in parentheses; the lints are {names}")
    })
}

fn wrt_misuse(meta: &syn::Meta) -> Option<String> {
    let given = match meta {
        syn::Meta::List(list) => {
            let names = NestedMeta::parse_meta_list(list.tokens.clone());
            let is_name =
                |entry: &NestedMeta| matches!(entry, NestedMeta::Meta(syn::Meta::Path(_)));
            if names.is_ok_and(|names| names.iter().all(is_name)) {
                return None;
            }
            "x, y".to_string()
        }
        syn::Meta::Path(_) => "x, y".to_string(),
        syn::Meta::NameValue(pair) => {
            if let syn::Expr::Array(list) = &pair.value {
                spelled(&list.elems)
            } else {
                spelled(&pair.value).replace(['"', '(', ')'], "")
            }
        }
    };
    Some(format!(
        "`wrt` lists names of arguments in parentheses; write `wrt({given})`"
    ))
}

/// The path of the facade crate: as the user names it, or else its own.
pub(crate) fn root(path: Option<&syn::Path>) -> TokenStream {
    path.map_or(quote!(::cotangent), ToTokens::to_token_stream)
}
