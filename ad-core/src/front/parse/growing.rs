//! Lists that grow. Each becomes a list whose length is known before the loop, filled step by step.
//!
//! A loop that pushes the same number of elements in each round writes at places that follow from
//! the round, so its rounds are as independent as before:
//!
//! ```text
//! let mut v = Vec::new();            let rounds = (xs).into_iter().count();
//! for p in xs {                      let mut v = [slot; rounds * 2];
//!     v.push(a);               is    for (round, p) in (xs).into_iter().enumerate() {
//!     v.push(b + v.len());               v[round * 2] = a;
//! }                                      v[round * 2 + 1] = b + (round * 2 + 1);
//!                                    }
//! ```
//!
//! Any other statement counts what it pushes, in a list as long as it can get:
//!
//! ```text
//! for p in xs {                      let mut v = [slot; rounds];
//!     if c(p) { v.push(p); }   is    let mut end = 0;
//! }                                  for p in xs { if c(p) { v[end] = p; end += 1; } }
//!                                    let mut v = v[..end].to_vec();
//! ```
//!
//! The side condition of both: how often a list is pushed to at most is known before, so it is
//! pushed to in `for` loops, and what these run over does not follow from what is computed inside.
//! How long a list gets in a `while` or a `loop` is found out by running the loop first, without
//! effect: without the list if its elements are not read, and else with twice as much room until it
//! suffices. `trial` forgets what changes inside; of other lists that grow there it has copies
//! (`others.rs`).
//!
//! ```text
//! while c { v.push(e); y = f; }
//!
//! most = trial { let mut end = 0; while c { end += 1; y = f; } end }
//! most = trial {
//!     let mut room = 8;
//!     while !trial { v of room; the loop while it fits; fits } { room *= 2; }
//!     room
//! }
//! ```
//!
//! Lists that grow otherwise stay as they are written, which is an error.

mod most;
mod others;
mod read;
mod rounds;

use most::{most, most_of_block};
use others::Others;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use read::{Counts, Read};
use rounds::Grown;
use std::collections::{BTreeSet, HashMap, VecDeque};
use syn::spanned::Spanned;
use syn::visit::Visit;

/// The macro that stands for an element of a list that grows.
pub(super) const SLOT: &str = "__cotangent_slot";

/// The macro that stands for a block whose changes are forgotten.
pub(super) const TRIAL: &str = "__cotangent_trial";

/// Room for as many elements is tried first.
const ROOM: usize = 8;

/// The block with lists of known lengths in place of lists that grow. `lists` is how many there
/// were.
pub(super) fn with_lengths(block: &syn::Block, lists: &mut usize) -> Option<syn::Block> {
    let mut skipped = BTreeSet::new();
    let mut changed = one_by_one(block);
    loop {
        let block_now = changed.as_ref().unwrap_or(block);
        let found = block_now.stmts.iter().enumerate().find_map(|(k, stmt)| {
            let list = List::declared(stmt, *lists)?;
            let grows = grows(&tokens_of(&block_now.stmts[k + 1..]), &list.name);
            (grows && !skipped.contains(&list.name.to_string())).then_some((k, list))
        });
        let Some((k, list)) = found else {
            return changed;
        };
        skipped.insert(list.name.to_string());
        *lists += 1;
        let (before, rest) = block_now.stmts.split_at(k);
        let Some(rest) = list.unrolled(&rest[1..]) else {
            continue;
        };
        let before = tokens_of(before);
        if let Ok(stmts) =
            syn::parse::Parser::parse2(syn::Block::parse_within, quote!(#before #rest))
        {
            changed = Some(syn::Block {
                stmts,
                ..block_now.clone()
            });
        }
    }
}

/// The block with `let mut a = Vec::new();` for each part of
/// `let (mut a, mut b) = (Vec::new(), ..);`.
fn one_by_one(block: &syn::Block) -> Option<syn::Block> {
    let apart = |stmt: &syn::Stmt| -> Option<Vec<syn::Stmt>> {
        let syn::Stmt::Local(local) = stmt else {
            return None;
        };
        let pat = match &local.pat {
            syn::Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let (syn::Pat::Tuple(pats), syn::Expr::Tuple(inits)) = (pat, &*local.init.as_ref()?.expr)
        else {
            return None;
        };
        let parts = pats.elems.iter().zip(&inits.elems);
        let stmts: Vec<syn::Stmt> = parts
            .map(|(pat, init)| syn::parse_quote!(let #pat = #init;))
            .collect();
        let is_empty_list = |stmt: &syn::Stmt| {
            List::declared(stmt, 0).is_some_and(|l| l.whole.is_none() && l.first.is_empty())
        };
        (pats.elems.len() == inits.elems.len() && stmts.iter().all(is_empty_list)).then_some(stmts)
    };
    let parts: Vec<Option<Vec<syn::Stmt>>> = block.stmts.iter().map(apart).collect();
    parts.iter().any(Option::is_some).then(|| {
        let all = block.stmts.iter().zip(parts);
        let stmts = all.flat_map(|(stmt, parts)| parts.unwrap_or_else(|| vec![stmt.clone()]));
        syn::Block {
            stmts: stmts.collect(),
            ..block.clone()
        }
    })
}

fn tokens_of(stmts: &[syn::Stmt]) -> TokenStream {
    stmts.iter().map(ToTokens::to_token_stream).collect()
}

/// A variable that is declared as a list, and may grow.
struct List {
    name: Ident,
    /// Its elements at the beginning.
    first: Vec<TokenStream>,
    /// What it is at the beginning, if these are not written one by one.
    whole: Option<TokenStream>,
    /// What no other list is called.
    key: Ident,
}

/// A length: what is added up, without zeros.
#[derive(Clone, Default)]
struct Length(Vec<TokenStream>);

impl Length {
    fn plus(&self, more: TokenStream) -> Length {
        let mut sum = self.clone();
        sum.0.push(more);
        sum
    }
}

impl ToTokens for Length {
    fn to_tokens(&self, out: &mut TokenStream) {
        let parts = &self.0;
        out.extend(match parts.is_empty() {
            true => quote!(0usize),
            false => quote!((#(#parts)+*)),
        });
    }
}

/// How much a loop adds in a round: a number, and what inner loops add.
#[derive(Clone, Default)]
struct Growth {
    count: usize,
    inner: Vec<TokenStream>,
}

impl Growth {
    /// `self` times a number, unless that is nothing.
    fn times(&self, by: &TokenStream) -> Option<TokenStream> {
        let own = self.length();
        match (self.count, self.inner.is_empty()) {
            (0, true) => None,
            (1, true) => Some(by.clone()),
            (_, _) => Some(quote!(#by * #own)),
        }
    }

    fn length(&self) -> Length {
        let count = self.count;
        let own = (count > 0).then(|| quote!(#count));
        Length(own.into_iter().chain(self.inner.iter().cloned()).collect())
    }

    fn add(&mut self, other: Growth) {
        self.count += other.count;
        self.inner.extend(other.inner);
    }
}

/// The methods that change how long a list is.
const GROWING: [&str; 15] = [
    "push",
    "extend",
    "extend_from_slice",
    "pop",
    "insert",
    "remove",
    "append",
    "truncate",
    "resize",
    "clear",
    "retain",
    "drain",
    "dedup",
    "swap_remove",
    "split_off",
];

/// The methods that change how much room a list has.
const RESERVING: [&str; 3] = ["reserve", "reserve_exact", "shrink_to_fit"];

/// The methods that push several elements.
const EXTENDING: [&str; 4] = ["extend", "extend_from_slice", "append", "resize"];

/// Whether a method that changes the length of a list is called on it.
fn grows(tokens: &TokenStream, name: &Ident) -> bool {
    calls(tokens, name, &GROWING)
}

/// Whether one of these methods is called on a variable.
fn calls(tokens: &TokenStream, name: &Ident, methods: &[&str]) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(k, token)| match token {
        TokenTree::Group(group) => calls(&group.stream(), name, methods),
        TokenTree::Ident(ident) if ident == name => {
            let method = method_after(&tokens[k + 1..]).map(ToString::to_string);
            method.is_some_and(|m| methods.contains(&m.as_str()))
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// `.method`
fn method_after(tokens: &[TokenTree]) -> Option<&Ident> {
    match tokens {
        [TokenTree::Punct(dot), TokenTree::Ident(method), ..] if dot.as_char() == '.' => {
            Some(method)
        }
        _ => None,
    }
}

fn any_token(tokens: &TokenStream, holds: &mut dyn FnMut(&TokenTree) -> bool) -> bool {
    tokens.clone().into_iter().any(|token| match &token {
        TokenTree::Group(group) => any_token(&group.stream(), holds),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => holds(&token),
    })
}

fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    any_token(
        tokens,
        &mut |t| matches!(t, TokenTree::Ident(i) if i == name),
    )
}

/// Whether a round may be left before its end.
fn leaves(tokens: &TokenStream) -> bool {
    any_token(tokens, &mut |t| match t {
        TokenTree::Ident(i) => i == "break" || i == "continue" || i == "return",
        TokenTree::Punct(p) => p.as_char() == '?',
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    })
}

/// The names that are bound or assigned to.
#[derive(Default)]
struct Changing {
    names: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Changing {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.names.insert(pat.ident.to_string());
        syn::visit::visit_pat_ident(self, pat);
    }
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.names.extend(names_of(assign.left.to_token_stream()));
        syn::visit::visit_expr_assign(self, assign);
    }
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let op = binary.op.to_token_stream().to_string();
        if op.ends_with('=') && !["==", "!=", "<=", ">="].contains(&op.as_str()) {
            self.names.extend(names_of(binary.left.to_token_stream()));
        }
        syn::visit::visit_expr_binary(self, binary);
    }
}

fn names_of(tokens: TokenStream) -> impl Iterator<Item = String> {
    let mut names = vec![];
    any_token(&tokens, &mut |t| {
        if let TokenTree::Ident(i) = t {
            names.push(i.to_string());
        }
        false
    });
    let keywords = ["self", "as", "mut", "ref", "move", "if", "else", "match"];
    names
        .into_iter()
        .filter(move |n| !keywords.contains(&n.as_str()))
}

/// `v.method(argument)`
fn call_on<'a>(e: &'a syn::Expr, name: &Ident) -> Option<(String, Vec<&'a syn::Expr>)> {
    let syn::Expr::MethodCall(call) = e else {
        return None;
    };
    matches!(&*call.receiver, syn::Expr::Path(p) if p.path.is_ident(name))
        .then(|| (call.method.to_string(), call.args.iter().collect()))
}

impl List {
    /// `let mut v = Vec::new();`, `let mut v = vec![..];`
    fn declared(stmt: &syn::Stmt, number: usize) -> Option<List> {
        let syn::Stmt::Local(local) = stmt else {
            return None;
        };
        let pat = match &local.pat {
            syn::Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let syn::Pat::Ident(pat) = pat else {
            return None;
        };
        let init = &local.init.as_ref().filter(|i| i.diverge.is_none())?.expr;
        pat.mutability?;
        let key = format_ident!("{}_{}", pat.ident, number);
        let mut list = List {
            name: pat.ident.clone(),
            first: vec![],
            whole: None,
            key,
        };
        match &**init {
            syn::Expr::Macro(m) if m.mac.path.is_ident("vec") => {
                let tokens = &m.mac.tokens;
                if let Ok(syn::Expr::Array(of)) = syn::parse2(quote!([#tokens])) {
                    list.first = of.elems.iter().map(ToTokens::to_token_stream).collect();
                } else if let Ok(syn::Expr::Repeat(of)) = syn::parse2(quote!([#tokens])) {
                    let one = list.pushed(of.expr.to_token_stream());
                    let count = &of.len;
                    list.whole = Some(quote!([#one; #count]));
                } else {
                    return None;
                }
            }
            syn::Expr::Call(call) => {
                let syn::Expr::Path(path) = &*call.func else {
                    return None;
                };
                let segments: Vec<_> = path.path.segments.iter().collect();
                let [.., ty, new] = &segments[..] else {
                    return None;
                };
                let is_new = new.ident == "new" || new.ident == "with_capacity";
                if ty.ident != "Vec" || !is_new {
                    return None;
                }
            }
            syn::Expr::MethodCall(call) if call.method == "to_vec" || call.method == "clone" => {
                list.whole = Some(init.to_token_stream());
            }
            // The type says that it is a list.
            syn::Expr::MethodCall(call) if call.method == "collect" => {
                let syn::Pat::Type(typed) = &local.pat else {
                    return None;
                };
                let ty = &typed.ty;
                list.whole = Some(quote_spanned! {list.name.span()=> {
                    let cotangent_collected: #ty = #init;
                    cotangent_collected
                }});
            }
            _ => return None,
        }
        Some(list)
    }

    /// What an element is before it is written.
    fn slot(&self) -> TokenStream {
        let (slot, key) = (format_ident!("{}", SLOT), &self.key);
        quote_spanned!(self.name.span()=> #slot!(#key))
    }

    /// What is pushed.
    fn pushed(&self, value: TokenStream) -> TokenStream {
        let (slot, key) = (format_ident!("{}", SLOT), &self.key);
        quote_spanned!(self.name.span()=> #slot!(#key, #value))
    }

    /// The declaration and what follows it.
    fn unrolled(&self, rest: &[syn::Stmt]) -> Option<TokenStream> {
        let name = &self.name;
        let all = tokens_of(rest);
        let mut bound = Changing::default();
        rest.iter().for_each(|stmt| {
            if let syn::Stmt::Local(local) = stmt {
                bound.visit_pat(&local.pat);
            }
        });
        if bound.names.contains(&name.to_string()) {
            return None;
        }
        let mut out = TokenStream::new();
        let mut is_empty = self.whole.is_none();
        if let Some(whole) = &self.whole {
            out.extend(quote_spanned!(name.span()=> let mut #name = #whole;));
        }
        let with = |more: TokenStream, is_empty: bool| match is_empty {
            true => {
                quote_spanned!(name.span()=> let mut #name: Vec<_> = (#more).into_iter().collect();)
            }
            false => quote_spanned! {name.span()=>
                let mut #name: Vec<_> = #name.iter().copied().chain(#more).collect();
            },
        };
        let slots = self.first.iter().map(|e| self.pushed(e.clone()));
        let mut pushed: Vec<TokenStream> = slots.collect();
        let flush = |pushed: &mut Vec<TokenStream>, is_empty: &mut bool, out: &mut TokenStream| {
            if pushed.is_empty() {
                return;
            }
            out.extend(match *is_empty {
                true => quote_spanned!(name.span()=> let mut #name = [#(#pushed),*];),
                false => with(quote_spanned!(name.span()=> [#(#pushed),*]), false),
            });
            pushed.clear();
            *is_empty = false;
        };
        for stmt in rest {
            let tokens = stmt.to_token_stream();
            if !mentions(&tokens, name) {
                // What is pushed is computed where it stands.
                flush(&mut pushed, &mut is_empty, &mut out);
                tokens.to_tokens(&mut out);
                continue;
            }
            let call = match stmt {
                syn::Stmt::Expr(e, Some(_)) => call_on(e, name),
                syn::Stmt::Expr(_, None)
                | syn::Stmt::Local(_)
                | syn::Stmt::Item(_)
                | syn::Stmt::Macro(_) => None,
            };
            if let Some((method, args)) = call {
                if RESERVING.contains(&method.as_str()) {
                    continue;
                }
                let args: Vec<TokenStream> = args.iter().map(ToTokens::to_token_stream).collect();
                if let Some([first, before, more, after]) = self.at_once(&method, &args) {
                    flush(&mut pushed, &mut is_empty, &mut out);
                    let before = if is_empty { TokenStream::new() } else { before };
                    out.extend(first);
                    out.extend(before);
                    out.extend(with(more, is_empty));
                    out.extend(after);
                    is_empty = false;
                    continue;
                }
                match (method.as_str(), &args[..]) {
                    ("push", [e]) => {
                        if mentions(e, name) {
                            flush(&mut pushed, &mut is_empty, &mut out);
                        }
                        if grows(e, name) || (is_empty && mentions(e, name)) {
                            return None;
                        }
                        pushed.push(self.pushed(e.clone()));
                        continue;
                    }
                    ("extend_from_slice" | "extend", [e]) if !mentions(e, name) => {
                        flush(&mut pushed, &mut is_empty, &mut out);
                        out.extend(with(e.clone(), is_empty));
                        is_empty = false;
                        continue;
                    }
                    ("pop", []) => {
                        flush(&mut pushed, &mut is_empty, &mut out);
                        if is_empty {
                            return None;
                        }
                        out.extend(quote_spanned! {name.span()=>
                            let mut #name = #name[..#name.len().saturating_sub(1)].to_vec();
                        });
                        continue;
                    }
                    _ => {}
                }
            }
            flush(&mut pushed, &mut is_empty, &mut out);
            if is_trial(stmt) {
                // A trial changes a copy of the list, which has to exist.
                if is_empty {
                    let slot = self.slot();
                    out.extend(quote_spanned!(name.span()=> let mut #name = [#slot; 0usize];));
                    is_empty = false;
                }
                tokens.to_tokens(&mut out);
                continue;
            }
            if grows(&tokens, name) {
                let (before, grown, after) = self.grown(stmt, &all, is_empty)?;
                out.extend(before);
                out.extend(grown);
                out.extend(after);
                is_empty = false;
                continue;
            }
            if is_empty {
                return None;
            }
            tokens.to_tokens(&mut out);
        }
        flush(&mut pushed, &mut is_empty, &mut out);
        (!is_empty).then_some(out)
    }

    /// `append` and `resize`: what stands before them, what they do to the elements that are there,
    /// the new elements, and what stands behind.
    fn at_once(&self, method: &str, args: &[TokenStream]) -> Option<[TokenStream; 4]> {
        let (name, span) = (&self.name, self.name.span());
        match (method, args) {
            ("append", [other]) => {
                let other = emptied(other)?;
                let more = quote_spanned!(span=> #other.iter().copied());
                let after = quote_spanned!(span=> #other.clear(););
                Some([TokenStream::new(), TokenStream::new(), more, after])
            }
            ("resize", [length, value]) => {
                let value = self.pushed(value.clone());
                let first = quote_spanned! {span=>
                    let cotangent_value = #value;
                    let cotangent_more: usize = #length;
                };
                let before = quote_spanned! {span=>
                    let mut #name = #name[..#name.len().min(cotangent_more)].to_vec();
                    let cotangent_more = cotangent_more - #name.len();
                };
                let more = quote_spanned!(span=> (0..cotangent_more).map(|_| cotangent_value));
                Some([first, before, more, TokenStream::new()])
            }
            (..) => None,
        }
    }

    /// A statement in which the list grows: what stands before it, itself, and what stands behind.
    fn grown(
        &self,
        stmt: &syn::Stmt,
        all: &TokenStream,
        is_empty: bool,
    ) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let name = &self.name;
        let mut names = Names::of(all);
        let first = names.fresh("start");
        let start = match is_empty {
            true => Length::default(),
            false => Length(vec![first.to_token_stream()]),
        };
        let stmt = with_pushes(stmt, name, &mut names)?;
        if bound_in(&stmt, name) {
            return None;
        }
        let room = |more: &TokenStream| {
            let slot = self.slot();
            match is_empty {
                true => quote_spanned!(name.span()=> let mut #name = [#slot; #more];),
                false => quote_spanned! {name.span()=>
                    let #first = #name.len();
                    let mut #name: Vec<_> = #name.iter().copied()
                        .chain((0..#more).map(|_| #slot)).collect();
                },
            }
        };
        if let syn::Stmt::Expr(syn::Expr::ForLoop(l), _) = &stmt {
            let mut grown = Grown {
                list: self,
                names: &mut names,
                rounds: HashMap::new(),
                hoisted: TokenStream::new(),
            };
            let total = grown.of_loop(l, &BTreeSet::new());
            let written = total.and_then(|total| Some((total, grown.written_loop(l, &start)?)));
            if let Some((total, body)) = written {
                let mut before = grown.hoisted;
                before.extend(room(&total.length().to_token_stream()));
                return Some((before, body, TokenStream::new()));
            }
        }
        let end = names.fresh("end");
        let most = match most(&stmt, name) {
            Some(most) => most,
            None => (self.counted(&stmt, &start, &end, &mut names))
                .or_else(|| self.tried(&stmt, &start, &end, &room, &mut names))?,
        };
        let read = Read {
            list: self,
            at: &end.to_token_stream(),
            counts: Counts::Written,
        };
        let written = read.of(stmt.to_token_stream())?;
        let most = names.fresh_let("most", &most);
        let (most, counted) = (most.0, most.1);
        let mut before = TokenStream::new();
        if !is_empty {
            before.extend(quote_spanned!(name.span()=> let #first = #name.len();));
        }
        before.extend(counted);
        before.extend(room(&most.to_token_stream()));
        before.extend(quote_spanned!(name.span()=> let mut #end: usize = #start;));
        let after = quote_spanned!(name.span()=> let mut #name = #name[..#end].to_vec(););
        Some((before, written, after))
    }
}

impl List {
    /// How long the list gets in a loop that does not read its elements.
    fn counted(
        &self,
        stmt: &syn::Stmt,
        start: &Length,
        end: &Ident,
        names: &mut Names,
    ) -> Option<TokenStream> {
        endless_body(stmt)?;
        let Others { stmt, copies } = Others::of(stmt, &self.name)?;
        let (most, trial) = (names.fresh("longest"), format_ident!("{}", TRIAL));
        let read = Read {
            list: self,
            at: &end.to_token_stream(),
            counts: Counts::Only(&most),
        };
        let written = read.of(stmt.to_token_stream())?;
        let before = (!start.0.is_empty()).then(|| quote!(- #start));
        Some(quote_spanned! {self.name.span()=>
            #trial!({
                #copies
                let mut #end: usize = #start;
                let mut #most: usize = #start;
                #written
                #most #before
            })
        })
    }

    /// The same of any loop: with twice as much room again and again.
    fn tried(
        &self,
        stmt: &syn::Stmt,
        start: &Length,
        end: &Ident,
        room_for: &dyn Fn(&TokenStream) -> TokenStream,
        names: &mut Names,
    ) -> Option<TokenStream> {
        let Others { stmt, copies } = Others::of(stmt, &self.name)?;
        let body = endless_body(&stmt)?;
        let round = most_of_block(body, &self.name)?;
        let mut changing = Changing::default();
        changing.visit_block(body);
        if names_of(round.clone()).any(|n| changing.names.contains(&n)) {
            return None;
        }
        let (room, fits) = (names.fresh("room"), names.fresh("fits"));
        let trial = format_ident!("{}", TRIAL);
        let at = end.to_token_stream();
        let has_room = match start.0.is_empty() {
            true => quote!(#at + #round <= #room),
            false => quote!(#at + #round <= #room + #start),
        };
        let read = Read {
            list: self,
            at: &at,
            counts: Counts::Written,
        };
        let stmts = tokens_of(&body.stmts);
        let checked: syn::Block = syn::parse_quote!({ if !(#has_room) { break; } #stmts });
        let mut stmt = stmt.clone();
        match &mut stmt {
            syn::Stmt::Expr(syn::Expr::While(l), _) => l.body = checked,
            syn::Stmt::Expr(syn::Expr::Loop(l), _) => l.body = checked,
            _ => return None,
        }
        let written = read.of(stmt.to_token_stream())?;
        let list = room_for(&room.to_token_stream());
        Some(quote_spanned! {self.name.span()=>
            #trial!({
                let mut #room: usize = #ROOM;
                let mut #fits = false;
                while !#fits {
                    #fits = #trial!({
                        #copies
                        #list
                        let mut #end: usize = #start;
                        #written
                        #has_room
                    });
                    if !#fits {
                        #room *= 2;
                    }
                }
                #room
            })
        })
    }
}

/// `let most = trial!({ .. });`
fn is_trial(stmt: &syn::Stmt) -> bool {
    let syn::Stmt::Local(local) = stmt else {
        return false;
    };
    let init = local.init.as_ref().map(|i| &*i.expr);
    matches!(init, Some(syn::Expr::Macro(m)) if m.mac.path.is_ident(TRIAL))
}

/// The body of a loop whose rounds are not counted before, if it is left by its end or by `break`.
fn endless_body(stmt: &syn::Stmt) -> Option<&syn::Block> {
    let body = match stmt {
        syn::Stmt::Expr(syn::Expr::While(l), _) => &l.body,
        syn::Stmt::Expr(syn::Expr::Loop(l), _) => &l.body,
        _ => return None,
    };
    let leaves_more = any_token(&stmt.to_token_stream(), &mut |t| match t {
        TokenTree::Ident(i) => i == "return",
        TokenTree::Punct(p) => p.as_char() == '?',
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    });
    (!leaves_more).then_some(body)
}

/// A statement with a `push` for each element that the list is extended by.
fn with_pushes(stmt: &syn::Stmt, list: &Ident, names: &mut Names) -> Option<syn::Stmt> {
    let tokens = stmt.to_token_stream();
    if !calls(&tokens, list, &EXTENDING) {
        return Some(stmt.clone());
    }
    let mut stmts =
        syn::parse::Parser::parse2(syn::Block::parse_within, pushes(tokens, list, names)).ok()?;
    stmts.pop()
}

fn pushes(tokens: TokenStream, list: &Ident, names: &mut Names) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens: VecDeque<TokenTree> = tokens.into_iter().collect();
    while let Some(token) = tokens.pop_front() {
        if let TokenTree::Group(group) = &token {
            let mut inner = Group::new(group.delimiter(), pushes(group.stream(), list, names));
            inner.set_span(group.span());
            out.extend([TokenTree::Group(inner)]);
            continue;
        }
        let is_list = matches!(&token, TokenTree::Ident(i) if i == list);
        let after = tokens.make_contiguous();
        let method = method_after(after).map(ToString::to_string);
        let extends = method
            .as_ref()
            .is_some_and(|m| EXTENDING.contains(&m.as_str()));
        if let (true, true, Some(TokenTree::Group(args))) = (is_list, extends, after.get(2)) {
            let args = args.stream();
            tokens.drain(..3);
            let of = syn::parse2::<syn::Expr>(args.clone());
            if let Some(more) = lengthened(list, method.as_ref(), &args) {
                out.extend(more);
                continue;
            }
            let inner = match &of {
                Ok(syn::Expr::Reference(r)) => Ok(&*r.expr),
                of => of.as_ref(),
            };
            out.extend(match inner {
                Ok(syn::Expr::Array(array)) => {
                    let elems = array.elems.iter();
                    quote_spanned!(list.span()=> { #(#list.push(#elems);)* })
                }
                Ok(_) | Err(_) => {
                    let item = names.fresh("item");
                    quote_spanned!(list.span()=> { for #item in #args { #list.push(#item); } })
                }
            });
        } else {
            out.extend([token]);
        }
    }
    out
}

/// `list.append(&mut other)` and `list.resize(n, value)` by `push`.
fn lengthened(list: &Ident, method: Option<&String>, args: &TokenStream) -> Option<TokenStream> {
    match method?.as_str() {
        "append" => {
            let other = emptied(args)?;
            Some(quote_spanned! {list.span()=> {
                for cotangent_item in #other.iter().copied() { #list.push(cotangent_item); }
                #other.clear();
            }})
        }
        "resize" => {
            let (length, value) = resized(args)?;
            Some(quote_spanned! {list.span()=> {
                let (cotangent_length, cotangent_value) = (#length, #value);
                #list.truncate(cotangent_length);
                for _ in 0..cotangent_length.saturating_sub(#list.len()) {
                    #list.push(cotangent_value);
                }
            }})
        }
        _ => None,
    }
}

/// The list in `&mut other`.
fn emptied(args: &TokenStream) -> Option<syn::Expr> {
    match syn::parse2(args.clone()).ok()? {
        syn::Expr::Reference(r) if r.mutability.is_some() => Some(*r.expr),
        _ => None,
    }
}

/// The length and the value.
fn resized(args: &TokenStream) -> Option<(syn::Expr, syn::Expr)> {
    let tuple: syn::ExprTuple = syn::parse2(quote!((#args))).ok()?;
    let mut parts = tuple.elems.into_iter();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(length), Some(value), None) => Some((length, value)),
        (..) => None,
    }
}

/// How many rounds a loop has.
fn rounds_of(over: &syn::Expr) -> TokenStream {
    match over {
        syn::Expr::MethodCall(call) if keeps_count(&call.method) => rounds_of(&call.receiver),
        syn::Expr::Paren(inner) => rounds_of(&inner.expr),
        syn::Expr::Range(_) => quote_spanned!(over.span()=> (#over).len()),
        _ => quote_spanned!(over.span()=> (#over).into_iter().count()),
    }
}

/// Whether an iterator has as many items behind this method as before.
fn keeps_count(method: &Ident) -> bool {
    let of = ["map", "copied", "cloned", "enumerate", "rev"];
    of.contains(&method.to_string().as_str())
}

/// Names that the block does not have.
struct Names(BTreeSet<String>);

impl Names {
    fn of(tokens: &TokenStream) -> Names {
        Names(names_of(tokens.clone()).collect())
    }

    fn fresh(&mut self, wish: &str) -> Ident {
        let mut name = wish.to_string();
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        format_ident!("{}", name)
    }

    /// A new variable for an expression.
    fn fresh_let(&mut self, wish: &str, e: &TokenStream) -> (Ident, TokenStream) {
        let name = self.fresh(wish);
        let bound = quote!(let #name = #e;);
        (name, bound)
    }
}

/// Whether a statement binds the name anew, or assigns to the whole list. In a closure with a
/// parameter of this name the list does not occur.
fn bound_in(stmt: &syn::Stmt, name: &Ident) -> bool {
    struct Search<'a>(&'a Ident, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.1 |= pat.ident == *self.0;
        }
        fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
            self.visit_expr(&closure.body);
        }
        fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
            self.1 |= matches!(&*assign.left, syn::Expr::Path(p) if p.path.is_ident(self.0));
            syn::visit::visit_expr_assign(self, assign);
        }
    }
    let mut search = Search(name, false);
    search.visit_stmt(stmt);
    search.1
}
