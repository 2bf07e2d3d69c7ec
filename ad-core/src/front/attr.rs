//! The arguments of the attribute, and which functions they promise.

use super::error::{Errors, Result};
use super::signature::Signature;
use super::types::spelled;
use darling::FromMeta;
use darling::ast::NestedMeta;
use darling::util::{Flag, PathList};
use proc_macro2::TokenStream;

/// What can be written.
const OPTIONS: &str = "the options are `value`, `grad`, `vjp`, `jvp`, `into`, `wrt(..)`, `checkpoint = ..`, `noinline` and `crate = ..`";

/// As written between the parentheses.
#[derive(Debug, Default, FromMeta)]
struct Arguments {
    #[darling(default)]
    value: Flag,
    #[darling(default)]
    grad: Flag,
    #[darling(default)]
    vjp: Flag,
    #[darling(default)]
    jvp: Flag,
    #[darling(default)]
    noinline: Flag,
    #[darling(default)]
    into: Flag,
    #[darling(default)]
    wrt: Option<PathList>,
    #[darling(default)]
    checkpoint: Option<Checkpoint>,
    #[darling(default, rename = "crate")]
    root: Option<syn::Path>,
}

/// How many rounds of a loop reverse mode computes again at once, to keep only the states between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// The root of the number of rounds.
    Sqrt,
    /// So many.
    Every(i64),
}

impl FromMeta for Checkpoint {
    fn from_string(value: &str) -> darling::Result<Checkpoint> {
        if value.trim() == "sqrt" {
            return Ok(Checkpoint::Sqrt);
        }
        let every = value
            .split_once('=')
            .map(|(name, k)| (name.trim(), k.trim()));
        if let Some(("every", k)) = every
            && let Ok(k) = k.replace('_', "").parse()
            && k > 0
        {
            return Ok(Checkpoint::Every(k));
        }
        Err(darling::Error::custom(CHECKPOINT))
    }
}

/// For a wrong value of `checkpoint`.
const CHECKPOINT: &str = "`checkpoint` says how many rounds of a loop are computed again at once; write \
     `checkpoint = \"sqrt\"` for the root of their number, or `checkpoint = \"every = 16\"`";

/// The functions that the attribute names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// `f_value`
    pub value: bool,
    /// `f_grad` and `f_value_and_grad`
    pub grad: bool,
    /// `f_vjp`
    pub vjp: bool,
    /// `f_jvp`
    pub jvp: bool,
    /// `f_grad_into` and `f_value_and_grad_into`
    pub into: bool,
}

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
    /// Where the crate is, if not at `::cotangent`.
    pub root: Option<syn::Path>,
    grad: Option<proc_macro2::Span>,
    into: Option<proc_macro2::Span>,
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
        for entry in &list {
            let path = match entry {
                NestedMeta::Meta(meta) => meta.path(),
                NestedMeta::NameValueInvalidExpr(pair) => &pair.path,
                NestedMeta::Lit(literal) => {
                    sound = Err(errors.on(literal, format!("not an option; {OPTIONS}")));
                    continue;
                }
            };
            if let Some(message) = misuse(entry) {
                sound = Err(errors.on(entry, message));
            } else if seen.contains(&path) {
                let name = spelled(path);
                sound = Err(errors.on(path, format!("`{name}` is given twice; remove one")));
            }
            seen.push(path);
        }
        sound?;
        let arguments = Arguments::from_list(&list).map_err(|e| errors.add(e.into()))?;
        Ok(Attr {
            modes: Modes {
                value: arguments.value.is_present(),
                grad: arguments.grad.is_present(),
                vjp: arguments.vjp.is_present(),
                jvp: arguments.jvp.is_present(),
                into: arguments.into.is_present(),
            },
            wrt: arguments.wrt.map(|list| list.to_vec()),
            checkpoint: arguments.checkpoint,
            noinline: arguments.noinline.is_present(),
            root: arguments.root,
            grad: arguments.grad.is_present().then(|| arguments.grad.span()),
            into: arguments.into.is_present().then(|| arguments.into.span()),
        })
    }

    /// What is promised for a function of this signature.
    pub fn promise(&self, signature: &Signature, errors: &mut Errors) -> Result<Promise> {
        let wrt = self.positions(signature, errors);
        let scalar = signature.result.is_real_scalar();
        let modes = if self.modes != Modes::default() {
            self.modes
        } else {
            Modes {
                value: false,
                grad: scalar,
                vjp: !scalar,
                jvp: !scalar,
                into: false,
            }
        };
        if let (Some(span), false) = (self.grad, scalar) {
            return Err(errors.at(
                span,
                format!(
                    "`grad` needs a function that returns `f64`, and `{}` returns {}; write \
                     `vjp` or `jvp`",
                    signature.ident,
                    signature.result.tree.kind()
                ),
            ));
        }
        if let (Some(span), false) = (self.into, modes.grad) {
            let message = "`into` writes the gradient where there is room for it, and needs `grad`; write \
                           `#[differentiable(grad, into)]`";
            return Err(errors.at(span, message));
        }
        Ok(Promise { modes, wrt: wrt? })
    }

    fn positions(&self, signature: &Signature, errors: &mut Errors) -> Result<Vec<usize>> {
        let Some(paths) = &self.wrt else {
            let real = signature.args.iter().enumerate();
            let real = real.filter(|(_, a)| a.ty.is_real());
            return Ok(real.map(|(k, _)| k).collect());
        };
        let mut found: Vec<usize> = vec![];
        let mut sound = Ok(());
        for path in paths {
            let position = path.get_ident().and_then(|i| signature.position(i));
            let message = match position {
                None => format!(
                    "`{}` has no argument of this name; `wrt` lists arguments to differentiate in",
                    signature.ident
                ),
                Some(k) if !signature.args[k].ty.is_real() => format!(
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
                proc_macro2::Span::call_site(),
                "`wrt()` names no argument; name at least one, or leave `wrt` out for all real arguments",
            ));
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// What is wrong with an option, if anything.
fn misuse(entry: &NestedMeta) -> Option<String> {
    let NestedMeta::Meta(meta) = entry else {
        return None;
    };
    let name = spelled(meta.path());
    let instead = match name.as_str() {
        "crate" => return None,
        "wrt" => return wrt_misuse(meta),
        "checkpoint" => {
            let text = matches!(meta, syn::Meta::NameValue(pair) if matches!(&pair.value,
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. })));
            return (!text).then(|| CHECKPOINT.into());
        }
        "value" | "grad" | "vjp" | "jvp" | "noinline" | "into" => {
            let alone = matches!(meta, syn::Meta::Path(_));
            return (!alone).then(|| format!("`{name}` takes nothing; write `{name}` alone"));
        }
        "value_and_grad" => {
            return Some("`grad` generates `.._value_and_grad` too; write `grad`".into());
        }
        "jacobian" => "write `vjp` or `jvp`, and call it once for each row or column",
        "hvp" => "write `grad`, and take the difference of two gradients along the direction",
        "hessian" => "write `grad`, and take differences of gradients",
        _ => return Some(format!("there is no option `{name}`; {OPTIONS}")),
    };
    Some(format!("`{name}` is not supported yet; {instead}"))
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
