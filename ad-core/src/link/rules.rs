//! The rules of functions with derivatives of their own, where these are annotated functions.
//!
//! What their companions say is in a companion of its own, beside the one of the function, so that
//! a rule may call the function: `g::__rules`, in a module of the name of `g`, so that who can name
//! `g` can name that. In a block, where modules do not see what is beside them, it stands beside
//! `g`.
//!
//! ```text
//! use g_vjp as rule;                  // the function, with its companion
//! rule! { .. }                        // becomes the companion `__rules`
//! ```
//!
//! The attribute of `g` does not see whether `g_vjp` is annotated; the source does.

use super::companion::{Beside, companion, hidden};
use super::{Around, BROKEN, Part, Place, RULES, Request, allowed, decode, invocation};
use crate::back::unit::forwarded;
use crate::front::access::Access;
use crate::front::callee::Callee;
use crate::front::signature::Signature;
use crate::ir::core::{
    Block, Bound, Call, Copier, Expr, Fresh, Kind, Names, Param, Program, Routine, Ty,
};
use crate::ir::core_text;
use crate::ir::prims::Prim;
use crate::ir::unit::{Called, Routines, Rule};
use crate::pipeline::{self, Derivative};
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::parse::Parser;

/// The rules that may be programs.
pub(crate) const PRODUCTS: [Rule; 2] = [Rule::Jvp, Rule::Vjp];

/// The name of what says what the rules are, in the module of the function.
const NAME: &str = "__rules";

/// Whether a path is that of an annotated function, as far as the source tells.
pub(super) fn is_annotated(path: &syn::Path, place: &Place) -> bool {
    let segments = path.segments.iter().map(|s| s.ident.to_string());
    let segments: Vec<String> = segments.skip_while(|s| s == "self").collect();
    // A macro of this name is in scope everywhere.
    let is_taken = matches!(&segments[..], [name] if super::ATTRIBUTES.contains(&name.as_str()));
    path.leading_colon.is_none() && !is_taken && place.annotated.contains(&segments)
}

/// Where the rules of a function are found whose annotated rules have these paths; nothing without
/// any.
pub(super) fn access(paths: &[(Rule, &syn::Path)], ident: &Ident, place: &Place) -> Option<Access> {
    let by: Vec<String> = (paths.iter())
        .filter_map(|(_, path)| Some(path.segments.last()?.ident.to_string()))
        .collect();
    if by.is_empty() {
        return None;
    }
    let below = place.around == Around::Module;
    let name = match below {
        true => NAME.to_owned(),
        false => hidden("rules", ident, place).to_string(),
    };
    Some(Access { name, below, by })
}

/// What asks for the rules of a function, beside it.
pub(super) fn asked(
    request: &Request,
    paths: &[(Rule, &syn::Path)],
    ident: &Ident,
    cfg: &[syn::Attribute],
    root: &TokenStream,
) -> TokenStream {
    let aliases: Vec<syn::Path> = (paths.iter())
        .map(|(rule, _)| alias(*rule, ident, &request.place).into())
        .collect();
    let missing: Vec<syn::Path> = paths.iter().map(|(_, path)| (*path).clone()).collect();
    let allow = allowed();
    let cfg = quote!(#(#cfg)*);
    let invocation = invocation(request, Part::Rules, &missing, &aliases, root);
    quote! {
        #(#cfg #[doc(hidden)] #allow use #missing as #aliases;)*
        #cfg
        #invocation
    }
}

/// What a rule is imported as.
fn alias(rule: Rule, ident: &Ident, place: &Place) -> Ident {
    hidden(rule.name(), ident, place)
}

/// The companion of the rules, and functions of units that they call.
pub(super) fn told(
    request: &Request,
    signature: &Signature,
    unit: &Called,
    paths: &[(Rule, &syn::Path)],
    beside: &Beside<'_>,
    root: &TokenStream,
) -> TokenStream {
    let ident = &signature.ident;
    let holder = hidden("holder", ident, beside.place);
    let mut found: [Option<Routine>; 3] = Default::default();
    let mut sources: Vec<(Rule, Rule, Callee)> = vec![];
    for (rule, path) in paths {
        let said = (request.known.iter()).find(|(known, _)| known == *path);
        let Some((_, text)) = said.filter(|(_, text)| text != BROKEN) else {
            continue;
        };
        let Some(callee) = decode(text).ok() else {
            continue;
        };
        if let Some(routine) = program(signature, unit, *rule, &callee) {
            found[rule.place()] = Some(routine);
            sources.push((*rule, *rule, callee));
        }
    }
    if let [(rule, _, callee)] = &sources[..] {
        let other = match rule {
            Rule::Jvp | Rule::Value | Rule::Tape(_) => Rule::Vjp,
            Rule::Vjp => Rule::Jvp,
        };
        unit.rules.fill(found.clone());
        let known = found[rule.place()].as_ref();
        let routine = known.and_then(|r| pipeline::other_product(unit, *rule, r).ok());
        if routine.is_some() && !unit.has(other) {
            found[other.place()] = routine;
            sources.push((other, *rule, callee.clone()));
        }
    }
    let mut functions: Vec<(String, TokenStream)> = vec![];
    for (rule, from, callee) in &sources {
        let Some(routine) = &found[rule.place()] else {
            continue;
        };
        let alias = alias(*from, ident, beside.place);
        for inner in units(&[&routine.body]) {
            if !inner.id.is_empty() && inner.id == unit.id {
                continue;
            }
            // As those reach it who reach this function, and as it is reached here.
            let there = inner.through(&alias.to_string());
            let name = unit.inner(*rule, &inner).prefix.clone();
            for (name, there) in with_inner(&there, &name) {
                for rule in Rule::ALL.into_iter().filter(|rule| there.has(*rule)) {
                    let of = forwarded(&callee.signature, &there, rule, &name);
                    functions.push((format!("{name}{rule}"), of));
                }
            }
        }
    }
    functions.sort_by(|a, b| a.0.cmp(&b.0));
    functions.dedup_by(|a, b| a.0 == b.0);
    let said = encode_rules(&found, &unit.id);
    let companion = companion(
        beside,
        &hidden("rules", ident, beside.place),
        &format!("{RULES}{said}"),
    );
    let functions: Vec<TokenStream> = functions.into_iter().map(|(_, f)| f).collect();
    let (cfg, allow) = (beside.cfg, allowed());
    let members = (!functions.is_empty()).then(|| {
        quote! {
            #(#cfg)*
            #allow
            const _: () = {
                use #root::runtime::kernels as rt;
                impl #holder { #(#functions)* }
            };
        }
    });
    quote!(#companion #members)
}

/// A unit with those that the programs of its rules call, and what their names begin with.
pub(super) fn with_inner(unit: &Called, name: &str) -> Vec<(String, Called)> {
    let mut all = vec![(name.to_owned(), unit.clone())];
    for rule in PRODUCTS {
        let Some(routine) = unit.routine(rule) else {
            continue;
        };
        for inner in units(&[&routine.body]) {
            if inner.id.is_empty() || inner.id != unit.id {
                let inner_name = format!("{name}{rule}__{}", inner.handed_on());
                all.extend(with_inner(&unit.inner(rule, &inner), &inner_name));
            }
        }
    }
    all
}

/// The units that are called in some blocks.
pub(super) fn units(blocks: &[&Block]) -> Vec<Called> {
    let mut units: Vec<Called> = vec![];
    let mut look: Vec<&Expr> = blocks.iter().flat_map(|b| b.parts()).collect();
    while let Some(e) = look.pop() {
        look.extend(e.parts());
        if let Kind::Call(call) = &*e.kind
            && !units.contains(&call.unit)
        {
            units.push(call.unit.clone());
        }
    }
    units
}

/// The program of a rule: it takes what the unit takes, and gives what the rule adds to the results
/// of the function. Nothing if the function is none that has the signature of a rule.
fn program(signature: &Signature, unit: &Called, rule: Rule, callee: &Callee) -> Option<Routine> {
    let routine = callee
        .routine
        .as_ref()
        .filter(|_| callee.consts.is_empty())?;
    let is_generated = match callee.what {
        None => false,
        Some(Derivative::Vjp) => rule == Rule::Vjp,
        Some(Derivative::Jvp) => rule == Rule::Jvp,
        Some(_) => return None,
    };
    let leaves = signature.leaves();
    let own = unit.args.len();
    // Which of what the unit takes each parameter is.
    let mut takes: Vec<usize> = (0..own).collect();
    let mut seeds = own..;
    match rule {
        Rule::Value | Rule::Tape(_) => return None,
        Rule::Vjp => takes.extend(seeds.by_ref().take(unit.real_results().len())),
        Rule::Jvp => {
            for (k, (arg, leaf)) in leaves.iter().enumerate() {
                match leaf.ty.is_real() {
                    true => takes.extend(seeds.next()),
                    false if signature.args[*arg].ty.is_real() && !is_generated => takes.push(k),
                    false => {}
                }
            }
        }
    }
    let types = unit.takes(rule);
    let fits = |(p, &k): (&Param, &usize)| p.ty == types[k];
    if routine.params.len() != takes.len() || !routine.params.iter().zip(&takes).all(fits) {
        return None;
    }
    let mut fresh = Fresh::default();
    let params: Vec<Param> = (types.iter())
        .map(|ty| Param::new(fresh.sym("a"), *ty))
        .collect();
    let mut names = Names::new();
    for (p, &k) in routine.params.iter().zip(&takes) {
        names.insert(p.sym.clone(), params[k].sym.clone());
    }
    let mut call = |_: &mut Fresh, mut call: Call| {
        if call.unit.id == unit.id {
            call.unit = unit.clone();
        }
        Expr::call(call)
    };
    let mut copier = Copier {
        fresh: &mut fresh,
        call: &mut call,
    };
    let lets: Vec<Bound> = (routine.body.lets.iter())
        .map(|b| copier.copied_bound(b, &mut names))
        .collect();
    let results: Vec<Expr> = (routine.body.results.iter())
        .map(|e| copier.copied(e, &mut names))
        .collect();
    let mut parts = results.into_iter();
    let values: Vec<(Ty, Vec<Option<i64>>, bool)> = (unit.results.iter())
        .map(|part| {
            let lengths = part.lengths.iter().map(|n| n.fixed());
            (part.ty, lengths.collect(), true)
        })
        .collect();
    let mut wanted = vec![];
    for (ty, lengths, _) in &values {
        whole(&mut fresh, &mut parts, *ty, lengths)?;
    }
    match rule {
        Rule::Value | Rule::Tape(_) => return None,
        Rule::Jvp => wanted.extend(values),
        Rule::Vjp => {
            for (arg, leaf) in &leaves {
                if !signature.args[*arg].ty.is_real() || is_generated && !leaf.ty.is_real() {
                    continue;
                }
                let lengths =
                    (0..leaf.ty.rank).map(|axis| leaf.ty.fixed_length(axis).and_then(|n| n.value));
                wanted.push((leaf.ty.core(), lengths.collect(), leaf.ty.is_real()));
            }
        }
    }
    let mut results = vec![];
    for (ty, lengths, is_real) in wanted {
        let one = whole(&mut fresh, &mut parts, ty, &lengths)?;
        if is_real {
            results.push(one);
        }
    }
    parts.next().is_none().then_some(Routine {
        params,
        body: Block { lets, results },
    })
}

/// A result that may be given as its elements or rows, one after another.
fn whole(
    fresh: &mut Fresh,
    parts: &mut dyn Iterator<Item = Expr>,
    ty: Ty,
    lengths: &[Option<i64>],
) -> Option<Expr> {
    let first = parts.next()?;
    if first.ty.elem != ty.elem || first.ty.rank > ty.rank {
        return None;
    }
    let missing = ty.rank - first.ty.rank;
    let mut all = vec![first];
    let count: i64 = lengths[..missing]
        .iter()
        .copied()
        .product::<Option<i64>>()?;
    for _ in 1..count {
        all.push(parts.next()?);
    }
    for axis in (0..missing).rev() {
        let n = lengths[axis]?;
        let rows = all.chunks(usize::try_from(n).ok().filter(|n| *n > 0)?);
        let rows = rows.map(|row| {
            let i = fresh.sym("i");
            let at = Expr::var(&i, Ty::scalar(crate::ir::ty::Elem::Int));
            let (last, others) = row.split_last().expect("chunks are not empty");
            let choice = others
                .iter()
                .enumerate()
                .rev()
                .fold(last.clone(), |e, (k, x)| {
                    let is_it = Expr::prim(Prim::IEq, vec![at.clone(), Expr::int(k as i64)]);
                    Expr::cond(is_it, x.clone(), e)
                });
            Expr::build(i, Expr::int(n), choice)
        });
        all = rows.collect();
    }
    all.pop().filter(|_| all.is_empty())
}

/// What is known of the rules of a unit, as tokens: for each product the program and what is known
/// of the units in it.
pub(super) fn encode_rules(rules: &[Option<Routine>; 3], id: &str) -> TokenStream {
    let all = PRODUCTS.map(|rule| match &rules[rule.place()] {
        None => quote!(()),
        Some(routine) => {
            let text = Literal::string(&routine.program("rule").to_string());
            let inner = encode_units(&routine.body, id);
            quote!((#text #inner))
        }
    });
    quote!(#(#all)*)
}

/// What is known of the units in a block, but for one.
pub(super) fn encode_units(block: &Block, but: &str) -> TokenStream {
    let units = units(&[block]).into_iter();
    let units = units.filter(|unit| (but.is_empty() || unit.id != but) && unit.rules.is_known());
    let units = units.map(|unit| {
        let (path, prefix) = (&unit.path, &unit.prefix);
        let routines = Rule::ALL.map(|rule| unit.routine(rule).cloned());
        let rules = encode_rules(&routines, &unit.id);
        quote!((#path #prefix #rules))
    });
    quote!(#(#units)*)
}

/// Reads what [`encode_rules`] wrote.
pub(super) fn decode_rules(tokens: TokenStream) -> Result<[Option<Routine>; 3], String> {
    let mut all: [Option<Routine>; 3] = Default::default();
    for (rule, token) in PRODUCTS.into_iter().zip(tokens) {
        let TokenTree::Group(group) = token else {
            return Err("a rule is wrong".into());
        };
        let mut inner = group.stream().into_iter();
        let Some(text) = inner.next() else { continue };
        let text = text_of(text)?;
        let program: Program = core_text::parse(&text)?;
        decode_units(&program.body, inner.collect())?;
        all[rule.place()] = Some(Routine::from(program));
    }
    Ok(all)
}

/// Reads what [`encode_units`] wrote, for the units in a block.
pub(super) fn decode_units(block: &Block, tokens: TokenStream) -> Result<(), String> {
    let mut known: Vec<(String, String, Routines)> = vec![];
    for token in tokens {
        let TokenTree::Group(group) = token else {
            return Err("a unit is wrong".into());
        };
        let mut parts = group.stream().into_iter();
        let (Some(path), Some(prefix)) = (parts.next(), parts.next()) else {
            return Err("a unit is wrong".into());
        };
        let rules = Routines::default();
        rules.fill(decode_rules(parts.collect())?);
        known.push((text_of(path)?, text_of(prefix)?, rules));
    }
    let mut look: Vec<&Expr> = block.parts();
    while let Some(e) = look.pop() {
        look.extend(e.parts());
        if let Kind::Call(call) = &*e.kind
            && let Some((_, _, rules)) = (known.iter())
                .find(|(path, prefix, _)| *path == call.unit.path && *prefix == call.unit.prefix)
        {
            call.unit.rules.same_as(rules);
        }
    }
    Ok(())
}

fn text_of(token: TokenTree) -> Result<String, String> {
    let text: syn::LitStr = syn::parse2(token.into()).map_err(|e| e.to_string())?;
    Ok(text.value())
}

/// Reads the text of the companion of rules.
pub(super) fn read(text: &str) -> Result<[Option<Routine>; 3], String> {
    let all = |input: syn::parse::ParseStream<'_>| input.parse::<TokenStream>();
    let tokens = all.parse_str(text).map_err(|e| e.to_string())?;
    decode_rules(tokens)
}

/// The module of the name of a function that holds the type with its functions and the companion of
/// its rules.
pub(super) fn module(
    Beside { vis, cfg, place }: &Beside<'_>,
    ident: &Ident,
    holder: &Ident,
    inside: &syn::Visibility,
) -> TokenStream {
    let module = hidden("module", ident, place);
    let (unit, name) = (format_ident!("__unit"), format_ident!("{NAME}"));
    let rules = hidden("rules", ident, place);
    let (cfg, allow) = (quote!(#(#cfg)*), allowed());
    quote! {
        #cfg
        #[doc(hidden)]
        #allow
        #vis mod #module {
            #inside use super::#holder as #unit;
            #inside use super::#rules as #name;
        }
        #cfg
        #[doc(hidden)]
        #allow
        #vis use #module as #ident;
    }
}
