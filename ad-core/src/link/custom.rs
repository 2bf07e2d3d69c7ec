//! `#[custom_derivative(vjp = .., jvp = ..)]`: a function whose body is not looked at, and whose
//! derivatives are functions that the user names.

use super::companion::{Beside, companion, holder, one_deeper};
use super::{Around, BROKEN, Part, Place, Request, ask, entry_of_unit, rules};
use crate::back::emit::Context;
use crate::back::name_check::users;
use crate::defect::entered;
use crate::front::access::Access;
use crate::front::attr::root;
use crate::front::callee::Callees;
use crate::front::error::{Errors, Loc};
use crate::front::nesting;
use crate::front::signature::Signature;
use crate::front::structs::Structs;
use crate::front::unit::{shaped_like, unfit, unit_of};
use crate::ir::unit::{Called, Rule, Unit};
use darling::FromMeta;
use darling::ast::NestedMeta;
use darling::util::Flag;
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// As written between the parentheses.
#[derive(Debug, Default, FromMeta)]
struct Arguments {
    #[darling(default)]
    vjp: Option<syn::Path>,
    #[darling(default)]
    jvp: Option<syn::Path>,
    #[darling(default)]
    like: Option<syn::Ident>,
    #[darling(default)]
    differentiable: Flag,
    #[darling(default, rename = "crate")]
    root: Option<syn::Path>,
}

/// The derivatives of a function, as its attribute names them.
pub(crate) struct Named {
    pub(crate) vjp: Option<syn::Path>,
    pub(crate) jvp: Option<syn::Path>,
    /// The argument whose shape the result has.
    like: Option<syn::Ident>,
    /// Whether it says that they are annotated.
    is_annotated: bool,
    root: Option<syn::Path>,
}

const FORM: &str = "write `#[custom_derivative(vjp = g_vjp)]`, `#[custom_derivative(jvp = g_jvp)]` or both, with \
     the paths of functions that have the signatures of generated ones";

/// The arguments of the attribute.
pub(crate) fn named(attr: TokenStream, errors: &mut Errors) -> Option<Named> {
    let list = NestedMeta::parse_meta_list(attr)
        .map_err(|e| errors.add(e))
        .ok()?;
    let mut sound = true;
    for entry in &list {
        // `name = path` is no literal, and so not what `syn` calls a meta item.
        let path = match entry {
            NestedMeta::Meta(meta) => meta.path().clone(),
            NestedMeta::NameValueInvalidExpr(pair) => pair.path.clone(),
            NestedMeta::Lit(literal) => {
                errors.on(literal, format!("not an option; {FORM}"));
                sound = false;
                continue;
            }
        };
        if matches!(entry, NestedMeta::Meta(syn::Meta::Path(p)) if p.is_ident("differentiable")) {
            continue;
        }
        let known = ["vjp", "jvp", "like", "crate"]
            .iter()
            .any(|name| path.is_ident(name));
        let is_pair = matches!(
            entry,
            NestedMeta::Meta(syn::Meta::NameValue(_)) | NestedMeta::NameValueInvalidExpr(_)
        );
        if !known || !is_pair {
            let name = crate::front::types::spelled(&path);
            let message = match known {
                true if name == "like" => "`like` names an argument; write `like = x`".to_owned(),
                true => format!("`{name}` names a function; {FORM}"),
                false => format!("there is no option `{name}`; {FORM}"),
            };
            errors.on(entry, message);
            sound = false;
        }
    }
    let arguments = Arguments::from_list(&list);
    let arguments = arguments
        .map_err(|e| sound.then(|| errors.add(e.into())))
        .ok()?;
    if !sound {
        return None;
    }
    if arguments.vjp.is_none() && arguments.jvp.is_none() {
        errors.at(Span::call_site(), format!("no derivative is named; {FORM}"));
        return None;
    }
    Some(Named {
        vjp: arguments.vjp,
        jvp: arguments.jvp,
        like: arguments.like,
        is_annotated: arguments.differentiable.is_present(),
        root: arguments.root,
    })
}

impl Named {
    /// The function as a unit.
    pub(crate) fn unit(&self, signature: &Signature, errors: &mut Errors) -> Unit {
        let mut unit = unit_of(signature, self.jvp.is_some(), self.vjp.is_some());
        let Some(like) = &self.like else {
            return unit;
        };
        let leaves = signature.leaves();
        let of = leaves.iter().enumerate();
        let of = of.filter(|(_, (arg, _))| signature.args[*arg].ident == *like);
        let of: Vec<usize> = of.map(|(k, _)| k).collect();
        let fits = matches!(of[..], [k] if shaped_like(&mut unit, k));
        if !fits {
            let message = format!(
                "`like = {like}` says that the result has the shape of an argument, and there is \
                 no argument `{like}` that is one array with as many axes as the result; name \
                 another argument, or remove `like`"
            );
            errors.on(like, message);
        }
        unit
    }
}

/// Expands `#[custom_derivative(attr)] item`, at a place.
pub fn expand(attr: TokenStream, item: TokenStream, place: &Place) -> TokenStream {
    let written = item.clone();
    entered(|| written, || begun(attr, item, place))
}

fn begun(attr: TokenStream, item: TokenStream, place: &Place) -> TokenStream {
    if place.in_editor {
        return item;
    }
    let named = named(attr.clone(), &mut Errors::default());
    let mut place = place.clone();
    // The others are of no use.
    place.annotated.retain(|path| {
        let paths = named.iter().flat_map(|n| [&n.jvp, &n.vjp]).flatten();
        let names = paths.filter_map(|p| Some(p.segments.last()?.ident.to_string()));
        names.into_iter().any(|name| path.last() == Some(&name))
    });
    let request = Request {
        attr,
        item: item.clone(),
        place,
        part: Part::Custom,
        known: vec![],
    };
    let companions = told(&request, &Callees::default());
    quote!(#item #companions)
}

/// What other functions are told of it, or an invocation that finds out what that needs.
pub(crate) fn told(request: &Request, known: &Callees) -> TokenStream {
    let mut errors = Errors::knowing(known.structs.clone());
    let head = nesting::hollow(&request.item);
    if let Some(span) = nesting::too_deep(&head) {
        errors.at(span, nesting::MESSAGE);
        return compile_errors(errors);
    }
    let Ok(function) = syn::parse2::<syn::ItemFn>(head) else {
        errors.at(
            Loc::of(&request.item),
            "only functions have derivatives; put the attribute on a `fn`",
        );
        return compile_errors(errors);
    };
    let named = named(request.attr.clone(), &mut errors);
    let root = root(named.as_ref().and_then(|n| n.root.as_ref()));
    if function.sig.receiver().is_some() || request.place.around == Around::Impl {
        errors.on(
            &function.sig.ident,
            "a method or associated function cannot be called as a unit, since nothing can stand beside it that \
             says so; write a free function of the parts that it uses, and annotate that",
        );
        return compile_errors(errors);
    }
    let signature = Signature::read(&function, &mut errors).ok();
    let missing = errors.take_missing();
    if errors.is_empty() && !missing.is_empty() {
        return ask(request, &missing, &function.sig.ident, &root);
    }
    if let Some(signature) = &signature
        && let Some(why) = unfit(signature)
    {
        let ident = &signature.ident;
        errors.on(
            ident,
            format!("`{ident}` cannot be called as a unit: {why}"),
        );
    }
    if let (Some(named), Some(signature)) = (&named, &signature) {
        named.unit(signature, &mut errors);
    }
    let sound = errors.is_empty() && !errors.is_missing();
    let beside = Beside {
        vis: &function.vis,
        cfg: &cfgs(&function),
        place: &request.place,
    };
    let (Some(named), Some(signature), true) = (named, signature, sound) else {
        let companion = companion(&beside, &function.sig.ident, BROKEN);
        let errors = compile_errors(errors);
        return quote!(#errors #companion);
    };
    let structs = &known.structs;
    beside_function(
        request,
        (&function, &signature),
        &named,
        &beside,
        structs,
        root,
    )
}

fn beside_function(
    request: &Request,
    (function, signature): (&syn::ItemFn, &Signature),
    named: &Named,
    beside: &Beside<'_>,
    structs: &Structs,
    root: TokenStream,
) -> TokenStream {
    let real = signature.args.iter().enumerate();
    let real = real.filter(|(_, a)| a.ty.is_real());
    let wrt: Vec<usize> = real.map(|(k, _)| k).collect();
    let context = Context::of_heads(signature, &wrt, root);
    let unit = Unit {
        id: beside.place.unique.clone(),
        ..named.unit(signature, &mut Errors::default())
    };
    let ident = &signature.ident;
    let paths = [(Rule::Jvp, &named.jvp), (Rule::Vjp, &named.vjp)];
    let paths = paths
        .into_iter()
        .filter_map(|(rule, path)| Some((rule, path.as_ref()?)));
    let is_annotated = |(_, path): &(Rule, &syn::Path)| {
        named.is_annotated || request.part == Part::Rules || rules::is_annotated(path, beside.place)
    };
    let paths: Vec<(Rule, &syn::Path)> = paths.filter(is_annotated).collect();
    if request.part == Part::Rules {
        let unit = Called::new(unit);
        return rules::told(request, signature, &unit, &paths, beside, &context.root);
    }
    let access = rules::access(&paths, ident, beside.place);
    let access = access.filter(|a| !a.is_below() || one_deeper(beside.vis).is_some());
    let own = syn::Path::from(ident.clone());
    let rules = [
        (Rule::Value, Some(&own)),
        (Rule::Jvp, named.jvp.as_ref()),
        (Rule::Vjp, named.vjp.as_ref()),
    ];
    let functions = rules.into_iter().filter_map(|(rule, path)| {
        let called = users(path?);
        Some(context.unit_function(&unit, rule, &called))
    });
    let functions: TokenStream = functions.collect();
    let names = [ident.clone()];
    let has_module = access.as_ref().is_some_and(Access::is_below);
    let holder = holder(beside, ident, &names, &context, functions, has_module);
    let text = entry_of_unit(&function.sig, &wrt, structs, &unit, access.as_ref());
    let companion = companion(beside, ident, &text);
    let of_rules = access.map(|_| rules::asked(request, &paths, ident, beside.cfg, &context.root));
    quote!(#holder #companion #of_rules)
}

fn cfgs(function: &syn::ItemFn) -> Vec<syn::Attribute> {
    let cfg = function.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    cfg.cloned().collect()
}

fn compile_errors(errors: Errors) -> TokenStream {
    (errors.combined()).map_or_else(TokenStream::new, |e| e.to_compile_error())
}
