//! How annotated functions learn of each other.
//!
//! An expansion sees one function only. So each annotated function `f` brings a companion: a macro
//! of the same name that holds what is known of the function, as text. It is imported, renamed and
//! re-exported with the function, since `use` takes all that has the name. A function that calls
//! `f` expands to an invocation `f! { (cotangent::__resume) .. }` with all that is known so far;
//! the companion adds what it holds and hands it to [`crate::resume`]:
//!
//! ```text
//! (resume) state..   ⟶   resume ! { state.. "what is known of f" }
//! ```
//!
//! These invocations are the bodies of the generated functions, whose heads need no other function;
//! so if there is no such companion, that is the only error.
//!
//! Functions generated from `f` have companions of their own, `f_grad` and so on. The user's
//! constants that a body mentions cannot be named where another function calls it; they are
//! associated constants of an empty type, which is imported in the same way.
//!
//! What is known of a function is the Core program of its body, with all calls in it resolved, its
//! signature, and the kinds of its constants. So companions come last, and functions that call each
//! other in a circle wait for each other until rustc says that there is no such macro.

mod companion;
pub(crate) mod custom;
mod functional;
pub mod in_file;
pub(crate) mod rules;

pub use crate::front::beside::Beside;
pub(crate) use companion::{broken, companion_of_struct, companions};
pub use custom::expand as custom;

use crate::derivative::Derivative;
use crate::front::Annotated;
use crate::front::access::Access;
use crate::front::callee::{Callee, Callees, is_companion};
use crate::front::error::Errors;
use crate::front::jacobian::Jacobian;
use crate::front::signature::Signature;
use crate::front::structs::{Struct, Structs};
use crate::front::types::spelled;
use crate::front::unit::{shaped_like, unit_of};
use crate::ir::core::{Program, Routine};
use crate::ir::core_text;
use crate::ir::ty::Elem;
use crate::ir::unit::{Length, Unit};
use crate::pipeline;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::Parser;

/// Where an annotated function stands.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// What tells it from all other functions of the crate; part of an identifier.
    pub unique: String,
    /// What is right around it.
    pub around: Around,
    /// The type that the `impl` block around it is for, as it is written.
    pub self_type: Option<String>,
    /// Whether that block is the `impl` of a trait.
    pub of_trait: bool,
    /// Annotated functions of the same file, by their paths from here.
    pub annotated: Vec<Vec<String>>,
    /// What stands beside it in the same module.
    pub beside: Beside,
    /// The `impl` block around it, if that is annotated: then companions stand beside the block.
    pub member: Option<Member>,
    /// An editor asks, which reads signatures only and sees no source text.
    pub in_editor: bool,
}

/// An annotated `impl` block, as its functions know it.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the type that the block is for.
    pub of: String,
    /// What a path to a function of the block begins with: `Self`, `<Vec3 as Add>`.
    pub owner: String,
}

/// What is right around a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Around {
    /// A module.
    Module,
    /// An `impl` block or a trait, where no macro can be defined.
    Impl,
    /// A function, or it is not known.
    #[default]
    Unknown,
}

/// What an expansion that had to ask for other functions makes in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The body of a generated function; whether errors and names are for it to report and check.
    Body(Derivative, bool),
    /// The companions of the function.
    Companions,
    /// The companion of a struct.
    Struct,
    /// The companion of a function with derivatives of its own.
    Custom,
    /// The companion of the rules of such a function.
    Rules,
}

/// An expansion under way.
pub struct Request {
    /// The arguments of the attribute.
    pub attr: TokenStream,
    /// The function.
    pub item: TokenStream,
    /// Where it stands.
    pub place: Place,
    /// What is to be made of it.
    pub part: Part,
    /// Functions that it calls, with what their companions say.
    pub known: Vec<(syn::Path, String)>,
}

/// What to do after a companion has answered.
pub enum Resumed {
    /// Go on.
    Ready(Box<Request>),
    /// Ask the next one: this is how.
    Next(TokenStream),
}

/// What stands for a function that is wrong.
const BROKEN: &str = "broken";

/// What stands before the reason in the companion of a function that no annotated one can call.
const REFUSED: &str = "refused: ";

/// How the companion of rules begins.
const RULES: &str = "rules ";

/// What stands for the companion of rules where a derivative may stand.
const OF_RULES: &str = "of_rules";

/// What companions say of functions that are called as units: the derivatives there are.
const UNIT: &str = "jvp vjp";

/// How the companion of a function begins that takes functions.
const FUNCTIONAL: &str = "functional ";

/// How the companion of a struct begins.
const STRUCT: &str = "struct ";

/// What stands for a derived implementation where a derivative may stand.
const DERIVED: &str = "derived";

/// What stands for a function with derivatives of its own where a derivative may stand.
const CUSTOM: &str = "custom";

/// What stands for companions where a derivative may stand.
const COMPANIONS: &str = "companions";

/// Lints that have nothing to say about companions.
const ALLOW: [&str; 8] = [
    "warnings",
    "unused",
    "nonstandard_style",
    "unreachable_pub",
    "unused_qualifications",
    "clippy::all",
    "clippy::pedantic",
    "clippy::restriction",
];

fn allowed() -> TokenStream {
    let lints = ALLOW.map(|lint| lint.parse::<TokenStream>().expect("a path"));
    quote!(#[allow(#(#lints),*)])
}

/// Invocations of the companions of these functions, one after the other.
pub(crate) fn ask(
    request: &Request,
    missing: &[syn::Path],
    caller: &Ident,
    root: &TokenStream,
) -> TokenStream {
    let part = &request.part;
    let aliases: Vec<syn::Path> = missing
        .iter()
        .map(|path| alias(path, caller, &request.place, *part == Part::Struct))
        .collect();
    let others = &aliases[1..];
    let imports = imports(missing, &aliases, request);
    let cfg = if imports.cfg.is_empty() {
        None
    } else {
        Some(&imports.cfg)
    };
    let uses = &imports.uses;
    let asked = invocation(request, *part, missing, &aliases, root);
    match part {
        Part::Companions | Part::Struct | Part::Custom | Part::Rules => quote!(#uses #cfg #asked),
        Part::Body(_, false) => quote!({ #uses #asked }),
        // All that have no companion are reported, not only the one asked first.
        Part::Body(_, true) => {
            let probe = quote!((#root::__probe));
            quote!({ #uses #(#others ! { #probe })* #asked })
        }
    }
}

/// An invocation of the first of some companions, which goes on with the others.
fn invocation(
    request: &Request,
    part: Part,
    missing: &[syn::Path],
    aliases: &[syn::Path],
    root: &TokenStream,
) -> TokenStream {
    let Request {
        attr,
        item,
        place,
        part: _,
        known,
    } = request;
    let unique = Literal::string(&place.unique);
    let in_module = place.around == Around::Module;
    let (word, is_first) = match part {
        Part::Body(what, is_first) => (what.spelled(), is_first),
        Part::Companions => (COMPANIONS.to_owned(), false),
        Part::Struct => (DERIVED.to_owned(), false),
        Part::Custom => (CUSTOM.to_owned(), false),
        Part::Rules => (OF_RULES.to_owned(), false),
    };
    let known = known.iter().map(|(path, text)| quote!((#path) #text));
    let resume = quote!(#root::__resume);
    let annotated = place.annotated.iter().map(|path| path.join("::"));
    let annotated = Literal::string(&annotated.collect::<Vec<_>>().join(" "));
    let shadowed = Literal::string(&place.beside.shadowed.join(" "));
    let member = place.member.iter().map(|member| {
        let parts = [&member.of, &member.owner].map(|text| Literal::string(text));
        quote!(#(#parts)*)
    });
    let first = aliases.first().expect("something is missing");
    quote! {
        #first ! {
            (#resume) (#attr) (#item)
            (#unique #in_module #word #is_first #annotated #shadowed #(#member)*) (#resume)
            (#(#known)*)
            (#((#aliases (#missing)))*)
        }
    }
}

/// Functions under names that explain themselves where rustc does not find a macro.
struct Imports {
    uses: TokenStream,
    cfg: TokenStream,
}

fn imports(missing: &[syn::Path], aliases: &[syn::Path], request: &Request) -> Imports {
    let item: Option<syn::Item> = match request.part {
        Part::Companions | Part::Struct | Part::Custom | Part::Rules => {
            syn::parse2(request.item.clone()).ok()
        }
        Part::Body(..) => None,
    };
    let attrs = item.into_iter().flat_map(|item: syn::Item| {
        if let syn::Item::Fn(f) = item {
            return f.attrs;
        }
        if let syn::Item::Struct(syn::ItemStruct { attrs, .. })
        | syn::Item::Enum(syn::ItemEnum { attrs, .. }) = item
        {
            return attrs;
        }
        vec![]
    });
    let cfg: TokenStream = (attrs.filter(|a| a.path().is_ident("cfg")))
        .map(ToTokens::into_token_stream)
        .collect();
    let allow = allowed();
    let uses = (missing.iter().zip(aliases)).filter(|(path, alias)| path != alias);
    let uses = uses.map(|(path, alias)| {
        let of = from(path, &request.place);
        quote!(#cfg #[doc(hidden)] #allow use #of #path as #alias;)
    });
    Imports {
        uses: uses.collect(),
        cfg,
    }
}

/// What a path begins with where it is imported: `self::` where another crate whose names come by
/// `*`, such as the prelude, may have the name as well, which would be ambiguous.
fn from(path: &syn::Path, place: &Place) -> Option<TokenStream> {
    let is_beside = place.around == Around::Module && is_shadowed(path, place);
    is_beside.then(|| quote!(self::))
}

/// Whether a path is a name that stands for something of the user's, and that a crate whose names
/// come by `*` may have.
fn is_shadowed(path: &syn::Path, place: &Place) -> bool {
    let name = path.get_ident();
    name.is_some_and(|name| place.beside.shadowed.iter().any(|n| name == n))
}

/// Whether a path is that of a type.
fn names_type(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|name| name.starts_with(char::is_uppercase))
}

/// Attributes that are in scope everywhere: `use test as ..` would not find a function of that
/// name.
const ATTRIBUTES: &[&str] = &[
    "allow",
    "bench",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "export_name",
    "feature",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link",
    "link_name",
    "link_section",
    "macro_export",
    "macro_use",
    "must_use",
    "naked",
    "no_mangle",
    "non_exhaustive",
    "path",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "test_case",
    "track_caller",
    "type_const",
    "unstable",
    "used",
    "warn",
];

/// What a callee has to be, as a name; the path itself where there can be no other.
fn alias(path: &syn::Path, caller: &Ident, place: &Place, is_field: bool) -> syn::Path {
    let last = path.segments.last();
    let span = last.map_or(Span::call_site(), |s| s.ident.span());
    let segments = path.segments.iter().map(|s| s.ident.unraw().to_string());
    let segments: Vec<String> = segments.collect();
    let is_member = segments.last().is_some_and(|name| is_companion(name));
    if path.segments.len() == 1 && (is_member || ATTRIBUTES.contains(&segments[0].as_str())) {
        return path.clone();
    }
    // In a block there is no path to what stands there, and its import may be ambiguous.
    if place.around != Around::Module && is_shadowed(path, place) {
        return path.clone();
    }
    let (callee, caller) = (segments.join("_"), caller.unraw());
    if names_type(path) {
        let instead = match is_field {
            true => "marked_differentiable_constant",
            false => "written_out",
        };
        return format_ident!(
            "{callee}_in_{caller}_must_derive_Differentiable_or_be_{instead}",
            span = span
        )
        .into();
    }
    format_ident!(
        "{callee}_must_be_differentiable_and_not_call_{caller}",
        span = span
    )
    .into()
}

/// An invocation for each function that comes to nothing if it has a companion, as the body of a
/// function that is never called. For the stub of one that is wrong in other ways.
pub(crate) fn probes(
    missing: &[syn::Path],
    caller: &Ident,
    root: &TokenStream,
    place: &Place,
) -> TokenStream {
    let aliases: Vec<syn::Path> = missing
        .iter()
        .map(|path| alias(path, caller, place, false))
        .collect();
    let request = Request {
        attr: TokenStream::new(),
        item: TokenStream::new(),
        place: place.clone(),
        part: Part::Body(Derivative::Value, false),
        known: vec![],
    };
    let uses = imports(missing, &aliases, &request).uses;
    let probe = quote!((#root::__probe));
    quote!({ #uses #(#aliases ! { #probe })* })
}

/// Takes apart what [`ask`] wrote, with an answer at its end.
///
/// # Errors
/// If something else is written; users have no reason to.
pub(crate) fn resumed(state: TokenStream) -> syn::Result<Resumed> {
    let mut parts = vec![];
    let mut answer = None;
    for token in state {
        match token {
            TokenTree::Group(group) => parts.push(group.stream()),
            TokenTree::Literal(literal) => answer = Some(literal),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
    let wrong = || syn::Error::new(Span::call_site(), "this macro is for generated code only");
    let (Ok([attr, item, task, resume, known, missing]), Some(answer)) =
        (<[TokenStream; 6]>::try_from(parts), answer)
    else {
        return Err(wrong());
    };
    let mut missing = missing.into_iter();
    let names = |entry: Option<TokenTree>| {
        let Some(TokenTree::Group(entry)) = entry else {
            return None;
        };
        let mut entry = entry.stream().into_iter();
        entry.next().zip(entry.next())
    };
    let (_, asked) = names(missing.next()).ok_or_else(wrong)?;
    let known = quote!(#known #asked #answer);
    let rest: TokenStream = missing.collect();
    if let Some((next, _)) = names(rest.clone().into_iter().next()) {
        let state = [attr, item, task, resume.clone(), known, rest];
        let state = state.map(|part| TokenTree::from(Group::new(Delimiter::Parenthesis, part)));
        return Ok(Resumed::Next(quote!(#next ! { (#resume) #(#state)* })));
    }
    let mut pairs = vec![];
    let mut tokens = known.into_iter();
    while let (Some(TokenTree::Group(path)), Some(text)) = (tokens.next(), tokens.next()) {
        let path = syn::Path::parse_mod_style.parse2(path.stream())?;
        let text: syn::LitStr = syn::parse2(text.into())?;
        pairs.push((path, text.value()));
    }
    let read = |input: syn::parse::ParseStream<'_>| {
        let unique: syn::LitStr = input.parse()?;
        let in_module: syn::LitBool = input.parse()?;
        let word: syn::LitStr = input.parse()?;
        let is_first: syn::LitBool = input.parse()?;
        let annotated: syn::LitStr = input.parse()?;
        let annotated = annotated.value();
        let annotated = annotated.split_whitespace();
        let shadowed: syn::LitStr = input.parse()?;
        let shadowed = shadowed.value();
        let shadowed = shadowed.split_whitespace().map(str::to_owned);
        let member = match input.is_empty() {
            true => None,
            false => Some(Member {
                of: input.parse::<syn::LitStr>()?.value(),
                owner: input.parse::<syn::LitStr>()?.value(),
            }),
        };
        let place = Place {
            unique: unique.value(),
            around: match in_module.value {
                true => Around::Module,
                false => Around::Unknown,
            },
            self_type: None,
            of_trait: false,
            annotated: annotated
                .map(|path| path.split("::").map(str::to_owned).collect())
                .collect(),
            // The others are written out in what is handed on.
            beside: Beside {
                shadowed: shadowed.collect(),
                ..Beside::default()
            },
            member,
            in_editor: false,
        };
        Ok((place, word.value(), is_first.value))
    };
    let (place, word, is_first) = read.parse2(task)?;
    let what = Derivative::of_word(&word);
    Ok(Resumed::Ready(Box::new(Request {
        attr,
        item,
        place,
        part: match what {
            Some(what) => Part::Body(what, is_first),
            None if word == DERIVED => Part::Struct,
            None if word == CUSTOM => Part::Custom,
            None if word == OF_RULES => Part::Rules,
            None => Part::Companions,
        },
        known: pairs,
    })))
}

/// Reads what companions said.
pub(crate) fn callees(request: &Request) -> syn::Result<Callees> {
    // A method has no place.
    let mut callees = Callees::of(!request.place.unique.is_empty());
    if let Some(member) = &request.place.member {
        callees = Callees::of_member(&member.of);
    }
    callees.shadowed.clone_from(&request.place.beside.shadowed);
    for (path, text) in &request.known {
        if let Some(reason) = text.strip_prefix(REFUSED) {
            let message = format!("`{}` cannot be called here: {reason}", spelled(path));
            return Err(syn::Error::new_spanned(path, message));
        }
    }
    let damaged = |message| syn::Error::new(Span::call_site(), message);
    read(&request.known, &mut callees).map_err(damaged)?;
    Ok(callees)
}

/// Adds what companions said.
fn read(known: &[(syn::Path, String)], callees: &mut Callees) -> Result<(), String> {
    for (path, text) in known {
        let said = (path.to_token_stream().to_string(), text.clone());
        callees.said.push(said);
        if let Some(text) = text.strip_prefix(STRUCT) {
            let of = Struct::decode(text).map_err(|e| e.to_string())?;
            callees.structs.add(path, Some(of));
            continue;
        }
        if let Some(text) = text.strip_prefix(FUNCTIONAL) {
            callees.add(path, Some(functional::decode(text)?));
            continue;
        }
        if let Some(text) = text.strip_prefix(RULES) {
            callees.add_rules(path, rules::read(text)?);
            continue;
        }
        let is_member = path.segments.last();
        let is_member = is_member.is_some_and(|s| is_companion(&s.ident.to_string()));
        if text == BROKEN && names_type(path) && !is_member {
            callees.structs.add(path, None);
            continue;
        }
        let callee = if text == BROKEN {
            None
        } else {
            let name = path.to_token_stream();
            let callee = decode(text);
            Some(callee.map_err(|e| format!("the companion of `{name}` is damaged: {e}"))?)
        };
        callees.add(path, callee);
    }
    Ok(())
}

/// What a companion says of an annotated function, or of what was generated from it.
fn encode(f: &Annotated, what: Option<Derivative>) -> String {
    if let Some(of) = &f.functional {
        return functional::encode(of);
    }
    let what = what.map_or("function", Derivative::word);
    let wrt: Vec<String> = f.promise.wrt.iter().map(usize::to_string).collect();
    let consts: Vec<String> = (f.consts.iter()).map(|c| c.elem.to_string()).collect();
    let signature = f.item.sig.to_token_stream().to_string();
    let unit = if f.is_unit() { UNIT } else { "" };
    let program = f.called.as_ref().unwrap_or(&f.program);
    let fails = f.fails.as_ref().map(|fails| {
        let kinds = fails.consts.iter().map(|c| c.elem.to_string());
        let kinds: Vec<String> = kinds.collect();
        format!("{FAILS}{}\n{}", kinds.join(" "), fails.program)
    });
    let lines = [
        what,
        &wrt.join(" "),
        &consts.join(" "),
        &f.structs.encode().to_string().replace('\n', " "),
        &signature.replace('\n', " "),
        unit,
        &rules::encode_units(&program.body, "")
            .to_string()
            .replace('\n', " "),
        &program.to_string(),
    ];
    lines.join("\n") + &fails.unwrap_or_default()
}

/// Between the program of a function and the one that says whether it fails.
const FAILS: &str = "\n% fails ";

/// The kinds of constants.
fn kinds(line: &str) -> Result<Vec<Elem>, String> {
    let of = |e: &str| {
        let mut all = [Elem::Real, Elem::Int, Elem::Bool].into_iter();
        all.find(|elem| elem.to_string() == e)
            .ok_or("a kind is wrong")
    };
    let kinds: Result<Vec<Elem>, &str> = line.split_whitespace().map(of).collect();
    Ok(kinds?)
}

/// Whether a function fails; its constants come after so many of the function's own.
pub(crate) fn failing(
    program: Program,
    first: usize,
    kinds: &[Elem],
) -> (Routine, Vec<(String, Elem)>) {
    let consts = kinds.iter().enumerate();
    let consts = consts.map(|(k, elem)| (constant(first + k), *elem));
    (Routine::from(program), consts.collect())
}

fn decode(text: &str) -> Result<Callee, String> {
    let (text, fails) = match text.split_once(FAILS) {
        Some((text, fails)) => (text, Some(fails)),
        None => (text, None),
    };
    let mut lines = text.splitn(8, '\n');
    let mut line = || lines.next().ok_or("it is too short");
    let what = line()?;
    let what = Derivative::of_word(what);
    let wrt: Vec<usize> = (line()?.split_whitespace())
        .map(|k| k.parse().map_err(|_| "a number is wrong"))
        .collect::<Result<_, _>>()?;
    let consts = kinds(line()?)?;
    let structs: TokenStream = line()?.parse().map_err(|_| "a struct is wrong")?;
    let structs = Structs::decode(structs).map_err(|e| e.to_string())?;
    let signature = line()?;
    let mut unit = line()?.split(';').map(str::trim);
    let rules = line()?;
    let program = line()?;
    let item: syn::ItemFn =
        syn::parse_str(&format!("{signature} {{}}")).map_err(|e| e.to_string())?;
    let signature = Signature::read(&item, &mut Errors::knowing(structs));
    let mut signature = signature.map_err(|_| "its signature is not understood")?;
    let mut words = || -> Vec<&str> { unit.next().unwrap_or("").split_whitespace().collect() };
    let (known, id, access) = (words(), words(), words());
    let unit = (!known.is_empty()).then(|| Unit {
        id: id.concat(),
        ..unit_of(&signature, known.contains(&"jvp"), known.contains(&"vjp"))
    });
    let like = words();
    let like: Option<usize> = like.first().and_then(|k| k.parse().ok());
    let unit = unit.map(|mut unit| {
        like.map(|arg| shaped_like(&mut unit, arg));
        unit
    });
    if program.is_empty() {
        return Ok(Callee {
            signature,
            what: None,
            wrt,
            routine: None,
            unit,
            rules: Access::decode(&access),
            consts: vec![],
            recursive: false,
            fails: None,
            functional: None,
        });
    }
    let program = core_text::parse(program)?;
    let tokens = rules.parse().map_err(|_| "a rule is wrong")?;
    rules::decode_units(&program.body, tokens)?;
    let mut ranks = program.body.results.iter().map(|e| e.ty.rank);
    let whole = signature.clone();
    signature.result.tree = (signature.result.tree)
        .split(&mut ranks)
        .ok_or("its results are not those of its signature")?;
    let mut callee = callee(signature, what, wrt, &consts, program)?;
    callee.recursive = unit.is_some();
    if let Some((line, program)) = fails.and_then(|fails| fails.split_once('\n')) {
        let program = core_text::parse(program)?;
        callee.fails = Some(failing(program, consts.len(), &kinds(line)?));
    }
    if unit.is_some() && callee.what.is_none() {
        callee.signature = whole;
        callee.unit = unit;
    }
    Ok(callee)
}

/// What the companion of a function says that is only called as a unit.
pub(crate) fn entry_of_unit(
    sig: &syn::Signature,
    wrt: &[usize],
    structs: &Structs,
    unit: &Unit,
    access: Option<&Access>,
) -> String {
    let lengths = unit.results.iter().flat_map(|part| &part.lengths);
    let mut like = lengths.filter_map(|n| match n {
        Length::Axis { arg, .. } => Some(arg.to_string()),
        Length::Fixed(_) | Length::Open => None,
    });
    let like = like.next().unwrap_or_default();
    let wrt: Vec<String> = wrt.iter().map(usize::to_string).collect();
    let known = [("jvp", unit.has_jvp), ("vjp", unit.has_vjp)];
    let known = known.iter().filter(|(_, has)| *has).map(|(name, _)| *name);
    let access = access.map_or(String::new(), Access::encode);
    let lines = [
        "function",
        &wrt.join(" "),
        "",
        &structs.encode().to_string().replace('\n', " "),
        &sig.to_token_stream().to_string().replace('\n', " "),
        &format!(
            "{};{};{access};{like}",
            known.collect::<Vec<_>>().join(" "),
            unit.id
        ),
        "",
        "",
    ];
    lines.join("\n")
}

/// What is known of a function, from its parts.
///
/// # Errors
/// If it cannot be differentiated after all.
pub fn callee(
    signature: Signature,
    what: Option<Derivative>,
    wrt: Vec<usize>,
    consts: &[Elem],
    program: Program,
) -> Result<Callee, String> {
    let routine = match what {
        None | Some(Derivative::Value) => Routine::from(program),
        Some(what) => {
            let jacobian = Jacobian::for_derivative(&signature, &wrt, what)?;
            let pieces = jacobian.as_ref().map(|j| &j.pieces[..]);
            pipeline::routine_in_pieces(&program, what, &signature.real_leaves(&wrt), pieces)?
        }
    };
    let consts = consts.iter().enumerate();
    Ok(Callee {
        signature,
        what,
        wrt,
        routine: Some(routine),
        unit: None,
        rules: None,
        consts: consts.map(|(k, elem)| (constant(k), *elem)).collect(),
        recursive: false,
        fails: None,
        functional: None,
    })
}

/// The name of a constant, below the path of the function that uses it.
fn constant(k: usize) -> String {
    format!("C{k}")
}
