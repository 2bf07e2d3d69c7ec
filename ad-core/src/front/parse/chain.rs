//! Chains of iterators that are no loop over known indices: they become loops here.
//!
//! ```text
//! x.iter().flat_map(|a| f(a)).map(|b| g(b)).sum::<f64>()
//!
//! is   { let mut total = 0.0; for a in x.iter() { for b in f(a) { total += g(b); } } total }
//! ```
//!
//! The stages of a chain up to the first one of these are what the loop runs over:
//!
//! - `flat_map`, `flatten`, `take_while`, `skip_while`, `map_while`;
//! - `filter` and `filter_map` where items are counted behind them, or collected, and where what
//!   they leave is an argument of `zip` or `chain`;
//! - any stage with a closure that changes a variable around it.
//!
//! All names that begin with `cotangent_` are ours.

use super::each::mentions;
use super::outside;
use super::rewritten::kept;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::HashSet;
use syn::visit::Visit;

type Args = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;

/// What a chain that ends with this call stands for, if it has to become loops. `writers` are
/// methods that change what they are called on.
pub(super) fn looped(call: &syn::ExprMethodCall, writers: &HashSet<String>) -> Option<syn::Expr> {
    if matches!(call.method.to_string().as_str(), "zip" | "chain")
        && let Some(args) = with_lists(&call.args, writers)
    {
        return Some(syn::Expr::MethodCall(syn::ExprMethodCall {
            args,
            ..call.clone()
        }));
    }
    let chain = Chain::behind(&call.receiver, call.method.span());
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let Some(end) = End::of(call, &args) else {
        return listed(call, false, writers).or_else(|| listed_before(call, writers));
    };
    let first = chain.first(end.counts(), writers)?;
    let (before, behind, result) = end.around(&chain, call.method.span())?;
    let looped = chain.loops(first, &behind)?;
    syn::parse2(quote_spanned!(call.method.span()=> { #before #looped #result })).ok()
}

/// The items of a chain that ends with a stage, as a list. Not if a closure changes variables: the
/// list is made before its first item is used.
fn listed(
    call: &syn::ExprMethodCall,
    counted: bool,
    writers: &HashSet<String>,
) -> Option<syn::Expr> {
    let (whole, span) = (syn::Expr::MethodCall(call.clone()), call.method.span());
    let chain = Chain::behind(&whole, span);
    let first = chain.first(counted, writers)?;
    if chain.stages[first..].iter().any(|s| s.changes(writers)) {
        return None;
    }
    let (before, behind, list) = End::Collect.around(&chain, span)?;
    let looped = chain.loops(first, &behind)?;
    syn::parse2(quote_spanned!(span=> { #before #looped #list }.into_iter())).ok()
}

/// The same of a function: `zip(chain.filter(..), y)`, `from_iter(chain.filter(..))`
pub(super) fn called(call: &syn::ExprCall, writers: &HashSet<String>) -> Option<syn::Expr> {
    let syn::Expr::Path(function) = &*call.func else {
        return None;
    };
    let name = function.path.segments.last()?.ident.to_string();
    if !matches!(name.as_str(), "zip" | "from_iter") {
        return None;
    }
    let args = with_lists(&call.args, writers)?;
    Some(syn::Expr::Call(syn::ExprCall {
        args,
        ..call.clone()
    }))
}

/// Arguments whose items are counted, with lists in place of iterators that leave items out.
fn with_lists(args: &Args, writers: &HashSet<String>) -> Option<Args> {
    let list = |e: &syn::Expr| match e {
        syn::Expr::MethodCall(call) => listed(call, true, writers),
        _ => None,
    };
    let lists: Vec<Option<syn::Expr>> = args.iter().map(list).collect();
    lists.iter().any(Option::is_some).then(|| {
        let all = args.iter().zip(lists);
        all.map(|(e, list)| list.unwrap_or_else(|| e.clone()))
            .collect()
    })
}

/// `chain.filter(..).rev()`: what counts items gets a list of those that are left.
fn listed_before(call: &syn::ExprMethodCall, writers: &HashSet<String>) -> Option<syn::Expr> {
    let counts = matches!(
        call.method.to_string().as_str(),
        "rev" | "zip" | "chain" | "step_by" | "last" | "nth"
    );
    let syn::Expr::MethodCall(before) = &*call.receiver else {
        return None;
    };
    let list = listed(before, true, writers).filter(|_| counts)?;
    let receiver = Box::new(list);
    Some(syn::Expr::MethodCall(syn::ExprMethodCall {
        receiver,
        ..call.clone()
    }))
}

/// `for p in chain { body }` as loops over what the chain begins with.
pub(super) fn for_loop(l: &syn::ExprForLoop, writers: &HashSet<String>) -> Option<syn::Expr> {
    let chain = Chain::behind(&l.expr, l.for_token.span);
    let first = chain.first(true, writers)?;
    let nests = |stage: &Stage<'_>| matches!(stage.name.as_str(), "flat_map" | "flatten");
    let leaves = mentions(l.body.to_token_stream(), "break");
    if l.label.is_some() || leaves && chain.stages[first..].iter().any(nests) {
        return None;
    }
    let (pat, stmts, item) = (&l.pat, &l.body.stmts, chain.item());
    let looped = chain.loops(first, &quote!(let #pat = #item; #(#stmts)*))?;
    syn::parse2(quote_spanned!(l.for_token.span=> { #looped })).ok()
}

/// A stage of a chain.
struct Stage<'a> {
    name: String,
    arg: Option<&'a syn::Expr>,
    /// The chain before it.
    before: &'a syn::Expr,
}

impl Stage<'_> {
    /// Whether its closure changes a variable around it.
    fn changes(&self, writers: &HashSet<String>) -> bool {
        matches!(self.arg, Some(syn::Expr::Closure(f)) if changes(f, writers))
    }
}

/// The stages at the end of a chain, in order.
struct Chain<'a> {
    stages: Vec<Stage<'a>>,
    span: Span,
}

impl<'a> Chain<'a> {
    fn behind(mut e: &'a syn::Expr, span: Span) -> Chain<'a> {
        let mut stages = vec![];
        loop {
            match e {
                syn::Expr::Paren(inner) => e = &inner.expr,
                syn::Expr::MethodCall(call) if call.args.len() < 2 => {
                    let name = call.method.to_string();
                    let is_stage = matches!(
                        (name.as_str(), call.args.first()),
                        (
                            "copied" | "cloned" | "by_ref" | "into_iter" | "flatten" | "enumerate",
                            None
                        ) | ("take" | "skip", Some(_))
                            | (
                                "map"
                                    | "filter"
                                    | "filter_map"
                                    | "flat_map"
                                    | "take_while"
                                    | "skip_while"
                                    | "map_while"
                                    | "inspect",
                                Some(_)
                            )
                    );
                    // Arrays have these, too.
                    let is_of_arrays = matches!(name.as_str(), "flatten" | "into_iter");
                    if !is_stage || is_of_arrays && !is_iterator(&call.receiver) {
                        break;
                    }
                    stages.push(Stage {
                        name,
                        arg: call.args.first(),
                        before: &call.receiver,
                    });
                    e = &call.receiver;
                }
                _ => break,
            }
        }
        stages.reverse();
        Chain { stages, span }
    }

    /// The first stage that has to be in a loop. `counted`: items are counted at the end.
    fn first(&self, counted: bool, writers: &HashSet<String>) -> Option<usize> {
        let mut counted_behind = vec![counted; self.stages.len() + 1];
        for (k, stage) in self.stages.iter().enumerate().rev() {
            let counts = matches!(stage.name.as_str(), "enumerate" | "take" | "skip");
            counted_behind[k] = counted_behind[k + 1] || counts;
        }
        let stages = self.stages.iter().zip(&counted_behind[1..]);
        let mut stages = stages.map(|(stage, counted)| {
            let leaves_out = match (stage.name.as_str(), stage.arg) {
                ("filter", _) => true,
                ("filter_map", Some(syn::Expr::Closure(f))) => {
                    return *counted || kept(&f.body).is_none() || changes(f, writers);
                }
                ("flat_map" | "flatten" | "take_while" | "skip_while" | "map_while", _) => {
                    return true;
                }
                (..) => false,
            };
            leaves_out && *counted || stage.changes(writers)
        });
        stages.position(|is_in_loop| is_in_loop)
    }

    /// The name of the items behind all stages.
    fn item(&self) -> Ident {
        self.name("item", self.stages.len())
    }

    fn name(&self, what: &str, k: usize) -> Ident {
        format_ident!("cotangent_{what}_{k}", span = self.span)
    }

    /// The stages from one on as loops around `body`.
    fn loops(&self, first: usize, body: &TokenStream) -> Option<TokenStream> {
        let source = self.stages.get(first)?.before;
        let (mut before, mut inner) = (TokenStream::new(), body.clone());
        let mut leaves = false;
        let mut names: Vec<Ident> = (0..=self.stages.len())
            .map(|k| self.name("item", k))
            .collect();
        for k in (first..self.stages.len()).rev() {
            // A loop over a range from a name that is not bound by `let` can be counted before.
            let stage = &self.stages[k];
            if let ("flat_map", Some(syn::Expr::Closure(f))) = (stage.name.as_str(), stage.arg)
                && let Some((name, items)) = plain_name(f)
                && !mentions(inner.clone(), &name.to_string())
            {
                let next = &names[k + 1];
                inner = quote_spanned!(self.span=> for #next in #items { #inner });
                names[k] = name.clone();
                continue;
            }
            inner = self.stage(k, &names, &inner, &mut before, &mut leaves)?;
        }
        let item = &names[first];
        let label = leaves.then(|| quote!('cotangent_chain:));
        Some(quote_spanned!(self.span=> #before #label for #item in #source { #inner }))
    }

    /// What a stage does with its item, around what comes behind it.
    fn stage(
        &self,
        k: usize,
        names: &[Ident],
        inner: &TokenStream,
        before: &mut TokenStream,
        leaves: &mut bool,
    ) -> Option<TokenStream> {
        let (stage, span) = (&self.stages[k], self.span);
        let (item, next) = (&names[k], &names[k + 1]);
        let (flag, count) = (self.name("flag", k), self.name("count", k));
        let of = |item: TokenStream| applied(stage.arg?, &item);
        *leaves |= matches!(stage.name.as_str(), "take_while" | "map_while" | "take");
        Some(match stage.name.as_str() {
            "map" => {
                let value = of(quote!(#item))?;
                quote_spanned!(span=> let #next = #value; #inner)
            }
            "filter" => {
                let holds = of(quote!(&#item))?;
                quote_spanned!(span=> let #next = #item; if #holds { #inner })
            }
            "filter_map" | "map_while" => {
                let syn::Expr::Closure(f) = stage.arg? else {
                    return None;
                };
                let other = match stage.name == "map_while" {
                    true => quote!(else { break 'cotangent_chain; }),
                    false => TokenStream::new(),
                };
                match kept(&f.body) {
                    Some((holds, value)) => {
                        let holds = within(f, &quote!(#item), holds)?;
                        let value = within(f, &quote!(#item), value)?;
                        quote_spanned!(span=> if #holds { let #next = #value; #inner } #other)
                    }
                    None => {
                        let value = of(quote!(#item))?;
                        quote_spanned!(span=> if let Some(#next) = #value { #inner } #other)
                    }
                }
            }
            "flat_map" => {
                let items = of(quote!(#item))?;
                quote_spanned!(span=> for #next in #items { #inner })
            }
            "flatten" => quote_spanned!(span=> for #next in #item { #inner }),
            "take_while" => {
                let holds = of(quote!(&#item))?;
                quote_spanned! {span=>
                    let #next = #item;
                    if !(#holds) { break 'cotangent_chain; }
                    #inner
                }
            }
            "skip_while" => {
                let holds = of(quote!(&#item))?;
                before.extend(quote_spanned!(span=> let mut #flag = true;));
                quote_spanned! {span=>
                    let #next = #item;
                    if #flag { #flag = #holds; }
                    if !#flag { #inner }
                }
            }
            "enumerate" => {
                before.extend(quote_spanned!(span=> let mut #count = 0usize;));
                quote_spanned!(span=> let #next = (#count, #item); #count += 1; #inner)
            }
            "take" => {
                let most = stage.arg?;
                before.extend(quote_spanned!(span=> let mut #count = 0usize;));
                quote_spanned! {span=>
                    let #next = #item;
                    if #count >= #most { break 'cotangent_chain; }
                    #count += 1;
                    #inner
                }
            }
            "skip" => {
                let least = stage.arg?;
                before.extend(quote_spanned!(span=> let mut #count = 0usize;));
                quote_spanned! {span=>
                    let #next = #item;
                    #count += 1;
                    if #count > #least { #inner }
                }
            }
            _ => quote_spanned!(span=> let #next = #item; #inner),
        })
    }
}

/// Whether an expression is an iterator by its last call.
fn is_iterator(e: &syn::Expr) -> bool {
    let call = match e {
        syn::Expr::MethodCall(call) => call,
        syn::Expr::Paren(inner) => return is_iterator(&inner.expr),
        _ => return false,
    };
    matches!(
        call.method.to_string().as_str(),
        "iter"
            | "into_iter"
            | "outer_iter"
            | "axis_iter"
            | "windows"
            | "chunks"
            | "chunks_exact"
            | "map"
            | "filter"
            | "filter_map"
            | "flat_map"
            | "copied"
            | "cloned"
            | "zip"
            | "rev"
            | "skip"
            | "take"
            | "step_by"
            | "chain"
    )
}

/// What a chain ends with.
enum End<'a> {
    /// `sum`, `product`: what it begins with, and the operator.
    Total(TokenStream, TokenStream),
    Count,
    Collect,
    Fold(&'a syn::Expr, &'a syn::ExprClosure),
}

impl<'a> End<'a> {
    fn of(call: &syn::ExprMethodCall, args: &[&'a syn::Expr]) -> Option<End<'a>> {
        let types = call
            .turbofish
            .as_ref()
            .map(|t| t.args.to_token_stream().to_string());
        let types = types.unwrap_or_default();
        let is_integer = matches!(types.get(..1), Some("u" | "i"));
        Some(match (call.method.to_string().as_str(), args) {
            ("sum", []) if is_integer => End::Total(quote!(0), quote!(+=)),
            ("sum", []) => End::Total(quote!(0.0), quote!(+=)),
            ("product", []) if is_integer => End::Total(quote!(1), quote!(*=)),
            ("product", []) => End::Total(quote!(1.0), quote!(*=)),
            ("count", []) => End::Count,
            ("collect", []) => End::Collect,
            ("fold", [init, syn::Expr::Closure(f)]) => End::Fold(init, f),
            _ => return None,
        })
    }

    /// Whether it counts items, so that none may be left out.
    fn counts(&self) -> bool {
        match self {
            End::Collect => true,
            End::Total(..) | End::Count | End::Fold(..) => false,
        }
    }

    /// What stands before the loops, in them, and behind them.
    fn around(
        &self,
        chain: &Chain<'_>,
        span: Span,
    ) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let item = chain.item();
        Some(match self {
            End::Total(from, op) => (
                quote_spanned!(span=> let mut cotangent_total = #from;),
                quote_spanned!(span=> cotangent_total #op #item;),
                quote_spanned!(span=> cotangent_total),
            ),
            End::Count => (
                quote_spanned!(span=> let mut cotangent_total = 0usize;),
                quote_spanned!(span=> cotangent_total += 1;),
                quote_spanned!(span=> cotangent_total),
            ),
            End::Collect => (
                quote_spanned!(span=> let mut cotangent_list = Vec::new();),
                quote_spanned!(span=> cotangent_list.push(#item);),
                quote_spanned!(span=> cotangent_list),
            ),
            End::Fold(init, f) => {
                let pats: Vec<&syn::Pat> = f.inputs.iter().map(without_type).collect();
                let ([state, pat], body) = (&pats[..], &f.body) else {
                    return None;
                };
                (
                    quote_spanned!(span=> let mut cotangent_state = #init;),
                    quote_spanned!(span=>
                        cotangent_state = { let (#state, #pat) = (cotangent_state, #item); #body };
                    ),
                    quote_spanned!(span=> cotangent_state),
                )
            }
        })
    }
}

/// What a function gives for an item.
fn applied(f: &syn::Expr, item: &TokenStream) -> Option<TokenStream> {
    match f {
        syn::Expr::Closure(f) => within(f, item, &f.body),
        syn::Expr::Path(path) => Some(quote!(#path(#item))),
        _ => None,
    }
}

/// An expression of a closure, where the closure is called with an item.
fn within(f: &syn::ExprClosure, item: &TokenStream, e: &syn::Expr) -> Option<TokenStream> {
    let [pat] = f.inputs.iter().map(without_type).collect::<Vec<_>>()[..] else {
        return None;
    };
    let leaves = |word| mentions(e.to_token_stream(), word);
    (!leaves("return")).then(|| quote!({ let #pat = #item; #e }))
}

/// The parameter and the body of a closure, if the parameter is a name.
fn plain_name(f: &syn::ExprClosure) -> Option<(&Ident, &syn::Expr)> {
    match f.inputs.iter().map(without_type).collect::<Vec<_>>()[..] {
        [syn::Pat::Ident(name)] if name.subpat.is_none() => Some((&name.ident, &f.body)),
        _ => None,
    }
}

fn without_type(pat: &syn::Pat) -> &syn::Pat {
    match pat {
        syn::Pat::Type(typed) => &typed.pat,
        pat => pat,
    }
}

/// Whether a closure changes a variable that stands around it.
fn changes(f: &syn::ExprClosure, writers: &HashSet<String>) -> bool {
    let mut search = Search {
        writers,
        own: f.inputs.iter().flat_map(super::pattern::names_in).collect(),
        changed: vec![],
    };
    search.visit_expr(&f.body);
    let Search { own, changed, .. } = search;
    changed.iter().any(|root| !own.contains(root))
}

struct Search<'a> {
    writers: &'a HashSet<String>,
    /// What is bound inside.
    own: Vec<Ident>,
    /// What is assigned to.
    changed: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_pat(&mut self, pat: &'ast syn::Pat) {
        self.own.extend(super::pattern::names_in(pat));
    }
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.changed.extend(root(&assign.left));
        syn::visit::visit_expr_assign(self, assign);
    }
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if outside::is_assignment(&binary.op) {
            self.changed.extend(root(&binary.left));
        }
        syn::visit::visit_expr_binary(self, binary);
    }
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if self.writers.contains(&name) || name == "push" {
            self.changed.extend(root(&call.receiver));
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}

/// The variable that a place begins with.
fn root(e: &syn::Expr) -> Option<Ident> {
    match e {
        syn::Expr::Path(path) => path.path.get_ident().cloned(),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Paren(inner) => root(&inner.expr),
        syn::Expr::Unary(unary) => root(&unary.expr),
        _ => None,
    }
}
