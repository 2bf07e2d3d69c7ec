//! The arguments of the attribute, and which functions they promise.

use super::error::{Errors, Result};
use super::signature::Signature;
use darling::FromMeta;
use darling::ast::NestedMeta;
use darling::util::{Flag, PathList};
use proc_macro2::TokenStream;

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
    jacobian: Flag,
    #[darling(default)]
    hvp: Flag,
    #[darling(default)]
    hessian: Flag,
    #[darling(default)]
    into: Flag,
    #[darling(default)]
    wrt: Option<PathList>,
    #[darling(default, rename = "crate")]
    root: Option<syn::Path>,
}

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
}

/// The attribute, before the function is looked at.
#[derive(Clone, Debug)]
pub struct Attr {
    /// What is named; nothing means the default.
    pub modes: Modes,
    /// The arguments named by `wrt`.
    pub wrt: Option<Vec<syn::Path>>,
    /// Where the crate is, if not at `::cotangent`.
    pub root: Option<syn::Path>,
    grad: Option<proc_macro2::Span>,
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
        let arguments = Arguments::from_list(&list).map_err(|e| errors.add(e.into()))?;
        let mut sound = Ok(());
        for (flag, name, instead) in [
            (
                arguments.jacobian,
                "jacobian",
                "write `vjp` or `jvp`, and call it once for each row or column",
            ),
            (
                arguments.hvp,
                "hvp",
                "write `grad`, and take the difference of two gradients along the direction",
            ),
            (
                arguments.hessian,
                "hessian",
                "write `grad`, and take differences of gradients",
            ),
            (arguments.into, "into", "write `grad` without it"),
        ] {
            if flag.is_present() {
                let message = format!("`{name}` is not supported yet; {instead}");
                sound = Err(errors.at(flag.span(), message));
            }
        }
        sound?;
        Ok(Attr {
            modes: Modes {
                value: arguments.value.is_present(),
                grad: arguments.grad.is_present(),
                vjp: arguments.vjp.is_present(),
                jvp: arguments.jvp.is_present(),
            },
            wrt: arguments.wrt.map(|list| list.to_vec()),
            root: arguments.root,
            grad: arguments.grad.is_present().then(|| arguments.grad.span()),
        })
    }

    /// What is promised for a function of this signature.
    pub fn promise(&self, signature: &Signature, errors: &mut Errors) -> Result<Promise> {
        let wrt = self.positions(signature, errors);
        let scalar = signature.result.is_scalar();
        let modes = if self.modes != Modes::default() {
            self.modes
        } else {
            Modes {
                value: false,
                grad: scalar,
                vjp: !scalar,
                jvp: !scalar,
            }
        };
        if let (Some(span), false) = (self.grad, scalar) {
            return Err(errors.at(
                span,
                format!(
                    "`grad` needs a function that returns `f64`, and `{}` returns an array; write \
                     `vjp` or `jvp`",
                    signature.ident
                ),
            ));
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
                    signature.args[k].ty.scalar.name()
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
