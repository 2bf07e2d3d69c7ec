//! Methods that are written in terms of others: each is what stands behind it here. Names that
//! begin with `cotangent_` are ours, so that none of the user's is hidden.

use crate::front::types::Scalar;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

/// What a method call stands for.
pub(super) fn method(call: &syn::ExprMethodCall) -> Option<syn::Expr> {
    let of = &*call.receiver;
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let span = call.method.span();
    let tokens = match (call.method.to_string().as_str(), &args[..]) {
        ("concat", []) => {
            let syn::Expr::Array(list) = of else {
                return None;
            };
            let mut parts = list.elems.iter();
            let first = parts.next()?;
            quote_spanned!(span=> #first.iter().copied() #(.chain(#parts.iter().copied()))*.collect())
        }
        ("scan", [init, syn::Expr::Closure(step)]) => scanned(of, init, step)?,
        ("powi", [power]) => {
            let power = converted_to(&syn::parse_quote!(i32), power)?;
            quote_spanned!(span=> (#of).powi(#power))
        }
        ("is_ok", []) => {
            let found = super::choices::searched(of)?;
            quote_spanned!(span=> #found.0)
        }
        ("unwrap_or_else", [syn::Expr::Closure(f)]) => {
            let found = super::choices::searched(of)?;
            let (place, body) = (f.inputs.first()?, &f.body);
            quote_spanned! {span=> {
                let (cotangent_found, cotangent_at) = #found;
                if cotangent_found { cotangent_at } else { let #place = cotangent_at; #body }
            }}
        }
        ("take", [count]) => {
            let (first, next) = successors(of)?;
            quote_spanned! {span=> {
            let mut cotangent_items = Vec::new();
            let mut cotangent_next = #first;
            for _ in 0..#count {
                let Some(cotangent_item) = cotangent_next else { break; };
                cotangent_items.push(cotangent_item);
                let cotangent_step = #next;
                cotangent_next = cotangent_step(&cotangent_item);
            }
            cotangent_items.into_iter()
            }}
        }
        ("then", [syn::Expr::Closure(value)]) if value.inputs.is_empty() => {
            let value = &value.body;
            quote_spanned!(span=> if #of { Some(#value) } else { None })
        }
        ("then_some", [value]) => quote_spanned!(span=> if #of { Some(#value) } else { None }),
        ("fold_axis", [axis, init, f]) => {
            quote_spanned! {span=>
                (#of).map_axis(#axis, |cotangent_lane| cotangent_lane.fold(#init, #f))
            }
        }
        ("remainder", []) => {
            let (chunked, size) = exact_chunks(of)?;
            quote_spanned!(span=> &#chunked[#chunked.len() / (#size) * (#size)..])
        }
        ("filter_map", [syn::Expr::Closure(f)]) => {
            let (cond, value) = kept(&f.body)?;
            let params = &f.inputs;
            quote_spanned!(span=> (#of).filter(|#params| #cond).map(|#params| #value))
        }
        ("position" | "find", [syn::Expr::Closure(f)]) => {
            let (params, holds) = (&f.inputs, &f.body);
            let found = match call.method == "position" {
                true => quote_spanned!(span=> cotangent_place),
                false => quote_spanned!(span=> cotangent_items.nth(cotangent_place).unwrap()),
            };
            quote_spanned! {span=>
                {
                    let cotangent_items = #of;
                    let cotangent_holds: Vec<_> =
                        cotangent_items.map(|#params| if #holds { 1.0 } else { 0.0 }).collect();
                    let cotangent_place = ::cotangent::prelude::argmax(
                        cotangent_holds.len(), |i| cotangent_holds[i],
                    );
                    if cotangent_holds.iter().any(|holds| *holds > 0.5) {
                        Some(#found)
                    } else {
                        None
                    }
                }
            }
        }
        ("max_by" | "max_by_key" | "min_by" | "min_by_key", [order]) => {
            extreme(of, &call.method, order)?
        }
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// `let y: f64 = n.into();` as `f64::from(n)`, and `n.try_into()..` as `f64::try_from(n)..`.
pub(super) fn converted(pat: &syn::Pat, init: &syn::Expr) -> Option<syn::Expr> {
    let syn::Pat::Type(typed) = pat else {
        return None;
    };
    converted_to(&typed.ty, init)
        .or_else(|| Some(syn::Expr::Call(inner_elements(&typed.ty, init)?)))
}

/// The body of a function with its result as an array of the type that is written for it.
pub(super) fn returned(output: &syn::ReturnType, block: &syn::Block) -> Option<syn::Block> {
    let syn::ReturnType::Type(_, ty) = output else {
        return None;
    };
    let syn::Stmt::Expr(last, None) = block.stmts.last()? else {
        return None;
    };
    let last = elements_of(ty, last)?;
    let mut block = block.clone();
    *block.stmts.last_mut()? = syn::Stmt::Expr(last, None);
    Some(block)
}

/// `std::array::from_fn(f)` where an array of a type is expected: the type is written down.
fn elements_of(ty: &syn::Type, e: &syn::Expr) -> Option<syn::Expr> {
    if let syn::Expr::Block(block) = e {
        let output = syn::parse_quote!(-> #ty);
        let block = syn::ExprBlock {
            block: returned(&output, &block.block)?,
            ..block.clone()
        };
        return Some(syn::Expr::Block(block));
    }
    let (call, span) = from_fn(ty, e)?;
    let inner = inner_elements(ty, e);
    let call = inner.as_ref().unwrap_or(call);
    let array = quote_spanned!(span=> let cotangent_list: #ty);
    syn::parse2(quote_spanned!(span=> { #array = #call; cotangent_list })).ok()
}

/// A call of `array::from_fn` that makes an array of this type, and where the name stands.
fn from_fn<'e>(ty: &syn::Type, e: &'e syn::Expr) -> Option<(&'e syn::ExprCall, proc_macro2::Span)> {
    let (syn::Type::Array(_), syn::Expr::Call(call)) = (ty, e) else {
        return None;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut names = path.path.segments.iter().rev();
    let (last, of) = (names.next()?, names.next()?);
    let is_it = last.ident == "from_fn" && of.ident == "array" && last.arguments.is_none();
    is_it.then(|| (call, last.ident.span()))
}

/// Such a call whose closure gives arrays that are made in this way, too.
fn inner_elements(ty: &syn::Type, e: &syn::Expr) -> Option<syn::ExprCall> {
    let (syn::Type::Array(ty), (call, _)) = (ty, from_fn(ty, e)?) else {
        return None;
    };
    let mut call = call.clone();
    let syn::Expr::Closure(closure) = call.args.first_mut()? else {
        return None;
    };
    *closure.body = elements_of(&ty.elem, &closure.body)?;
    Some(call)
}

/// The same where a value of this type stands.
pub(super) fn converted_to(ty: &syn::Type, init: &syn::Expr) -> Option<syn::Expr> {
    let syn::Type::Path(ty) = ty else {
        return None;
    };
    let ty = ty.path.get_ident()?;
    Scalar::by_name(&ty.to_string())?;
    let syn::Expr::MethodCall(call) = init else {
        return None;
    };
    let (of, span) = (&call.receiver, call.method.span());
    let name = call.method.to_string();
    if let ("into", true) = (name.as_str(), call.args.is_empty()) {
        return Some(syn::parse_quote_spanned!(span=> #ty::from(#of)));
    }
    if let syn::Expr::MethodCall(inner) = &**of
        && inner.method == "try_into"
        && inner.args.is_empty()
        && matches!(
            name.as_str(),
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else"
        )
    {
        let (of, span) = (&inner.receiver, inner.method.span());
        let mut call = call.clone();
        call.receiver = syn::parse_quote_spanned!(span=> #ty::try_from(#of));
        return Some(syn::Expr::MethodCall(call));
    }
    None
}

/// `std::array::from_fn::<T, N, _>(f)` as an array of the type `[T; N]`.
pub(super) fn elements(call: &syn::ExprCall) -> Option<syn::Expr> {
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut from_fn = path.path.clone();
    let of = from_fn.segments.last().filter(|s| s.ident == "from_fn")?;
    let syn::PathArguments::AngleBracketed(arguments) = &of.arguments else {
        return None;
    };
    let mut arguments = arguments.args.iter();
    let (ty, length) = (arguments.next()?, arguments.next()?);
    let (span, args) = (of.ident.span(), &call.args);
    let array = quote_spanned!(span=> let cotangent_list: [#ty; #length]);
    from_fn.segments.last_mut()?.arguments = syn::PathArguments::None;
    syn::parse2(quote_spanned!(span=> { #array = #from_fn(#args); cotangent_list })).ok()
}

/// A method that changes what it is called on, as statements of others.
pub(super) fn statement(call: &syn::ExprMethodCall) -> Option<syn::Expr> {
    let of = &*call.receiver;
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let span = call.method.span();
    let tokens = match (call.method.to_string().as_str(), &args[..]) {
        ("accumulate_axis_inplace", [axis, syn::Expr::Closure(f)]) => {
            let params: Vec<&syn::Pat> = f.inputs.iter().collect();
            let [before, here] = params[..] else {
                return None;
            };
            let body = &f.body;
            quote_spanned! {span=> {
                for cotangent_place in 1..#of.len_of(#axis) {
                    let cotangent_before = #of.index_axis(#axis, cotangent_place - 1).to_owned();
                    let mut cotangent_here = #of.index_axis_mut(#axis, cotangent_place);
                    cotangent_here.zip_mut_with(&cotangent_before, |#here, #before| #body);
                }
            }}
        }
        ("swap", [a @ (syn::Expr::Array(_) | syn::Expr::Tuple(_)), b]) => quote_spanned! {span=> {
            let cotangent_kept = #of[#a];
            #of[#a] = #of[#b];
            #of[#b] = cotangent_kept;
        }},
        ("rotate_left" | "rotate_right", [by]) => {
            let from = match call.method == "rotate_left" {
                true => quote_spanned!(span=> cotangent_place + cotangent_by),
                false => quote_spanned!(span=> cotangent_place + cotangent_count - cotangent_by),
            };
            quote_spanned! {span=> {
                let (cotangent_count, cotangent_by) = (#of.len(), #by);
                let cotangent_turned =
                    ::cotangent::prelude::build(cotangent_count, |cotangent_place| {
                        #of[(#from) % cotangent_count]
                    });
                #of.assign(&cotangent_turned);
            }}
        }
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// `rows.swap(i, j)`, by elements; rows of different lengths are outside of each other.
pub(super) fn exchanged_rows(rows: &syn::Expr, i: &syn::Expr, j: &syn::Expr) -> syn::Expr {
    syn::parse_quote_spanned! {rows.span()=> {
        let (cotangent_i, cotangent_j) = (#i, #j);
        for cotangent_k in 0..#rows[cotangent_i].len().max(#rows[cotangent_j].len()) {
            let cotangent_kept = #rows[cotangent_i][cotangent_k];
            #rows[cotangent_i][cotangent_k] = #rows[cotangent_j][cotangent_k];
            #rows[cotangent_j][cotangent_k] = cotangent_kept;
        }
    }}
}

/// `if c { Some(e) } else { None }`, `c.then(|| e)`: the condition and the value.
pub(super) fn kept(e: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    match e {
        syn::Expr::Block(block) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(e, None)] => kept(e),
            _ => None,
        },
        syn::Expr::If(branch) => {
            let [syn::Stmt::Expr(value, None)] = &branch.then_branch.stmts[..] else {
                return None;
            };
            let (_, other) = branch.else_branch.as_ref()?;
            let syn::Expr::Block(other) = &**other else {
                return None;
            };
            let [syn::Stmt::Expr(other, None)] = &other.block.stmts[..] else {
                return None;
            };
            let is_none = super::outside::made(other) == Some(None);
            let value = super::outside::made(value)??;
            is_none.then_some((&*branch.cond, value))
        }
        syn::Expr::MethodCall(call) => match (call.method.to_string().as_str(), call.args.first()?)
        {
            ("then", syn::Expr::Closure(value)) => Some((&*call.receiver, &*value.body)),
            ("then_some", value) => Some((&*call.receiver, value)),
            _ => None,
        },
        _ => None,
    }
}

/// The last of the largest items of an iterator, or the first of the smallest. A total order has
/// places for NaN and tells zeros apart: where there are some, the keys are sorted.
fn extreme(of: &syn::Expr, method: &syn::Ident, order: &syn::Expr) -> Option<TokenStream> {
    let span = of.span();
    let is_largest = method.to_string().starts_with("max");
    let by = Order::by(method, order)?;
    let (key, descending, is_usual) = (&by.key, by.descending, super::expr::is_usual_order(order));
    if is_usual && !by.total {
        return None;
    }
    let n = quote_spanned!(span=> cotangent_keys.len());
    let sign = descending.then(|| quote_spanned!(span=> -));
    let place = match is_largest {
        true => quote_spanned!(span=> #n.saturating_sub(1 + ::cotangent::prelude::argmax(
            #n, |i| #sign cotangent_keys[#n - 1 - i],
        ))),
        false => quote_spanned!(span=>
            ::cotangent::prelude::argmin(#n, |i| #sign cotangent_keys[i])
        ),
    };
    let keys = quote_spanned!(span=>
        let cotangent_keys: Vec<_> = cotangent_items.map(#key).collect());
    if !by.total {
        return Some(quote_spanned! {span=> {
            let cotangent_items = #of;
            #keys;
            let cotangent_place = #place;
            cotangent_items.nth(cotangent_place)
        }});
    }
    let order = order_of_keys(&by, span);
    let end = match is_largest {
        true => quote_spanned!(span=> #n - 1),
        false => quote_spanned!(span=> 0),
    };
    let sorted =
        quote_spanned! {span=> { let cotangent_order = #order; cotangent_order[#end] as usize }};
    Some(match is_usual {
        true => quote_spanned! {span=> {
            let cotangent_items = #of;
            let cotangent_extreme = cotangent_items.#method(|a, b| a.partial_cmp(b).unwrap());
            if cotangent_items.any(|v| v.is_nan()) || cotangent_extreme.is_some_and(|v| v == 0.0) {
                #keys;
                cotangent_items.nth(#sorted)
            } else {
                cotangent_extreme
            }
        }},
        false => quote_spanned! {span=> {
            let cotangent_items = #of;
            #keys;
            let cotangent_place = #place;
            let cotangent_is_close = cotangent_keys.iter().any(|v| v.is_nan())
                || (#n > 0 && cotangent_keys[cotangent_place] == 0.0);
            cotangent_items.nth(if cotangent_is_close { #sorted } else { cotangent_place })
        }},
    })
}

/// The places of `cotangent_keys` in an order, which is a constant of differentiation.
fn order_of_keys(order: &Order, span: proc_macro2::Span) -> TokenStream {
    let (is_total, is_descending) = (order.total, order.descending);
    quote_spanned!(span=> ::cotangent::prelude::stop_gradient(
        ::cotangent::sorting::order(&cotangent_keys, #is_total, #is_descending),
    ))
}

/// An order by a key: `|a, b| key(a).total_cmp(&key(b))`.
struct Order {
    key: syn::ExprClosure,
    descending: bool,
    total: bool,
}

impl Order {
    /// The order of a method: one that ends in `_key` takes the key.
    fn by(method: &syn::Ident, order: &syn::Expr) -> Option<Order> {
        match order {
            syn::Expr::Closure(closure) if method.to_string().ends_with("_key") => {
                let mut key = closure.clone();
                let body = &key.body;
                key.body = Box::new(syn::parse_quote!(((#body) as f64)));
                Some(Order {
                    key,
                    descending: false,
                    total: false,
                })
            }
            order => Order::of(order),
        }
    }

    fn of(order: &syn::Expr) -> Option<Order> {
        let closure = match order {
            syn::Expr::Closure(closure) => closure.clone(),
            syn::Expr::Path(path) if path.path.segments.last()?.ident == "total_cmp" => {
                syn::parse_quote!(|a, b| a.total_cmp(b))
            }
            _ => return None,
        };
        let [a, b] = &closure.inputs.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let mut compared = &*closure.body;
        while let syn::Expr::Block(block) = compared
            && let [syn::Stmt::Expr(only, None)] = &block.block.stmts[..]
        {
            compared = only;
        }
        if let syn::Expr::Match(of) = compared
            && gives_order(of)
        {
            compared = &of.expr;
        }
        let syn::Expr::MethodCall(call) = compared else {
            return None;
        };
        if call.method == "reverse" {
            let mut turned = closure.clone();
            *turned.body = (*call.receiver).clone();
            let order = Order::of(&syn::Expr::Closure(turned))?;
            let descending = !order.descending;
            return Some(Order {
                descending,
                ..order
            });
        }
        let (call, total) = match &*call.receiver {
            syn::Expr::MethodCall(inner)
                if matches!(
                    call.method.to_string().as_str(),
                    "unwrap" | "expect" | "unwrap_or"
                ) && inner.method == "partial_cmp" =>
            {
                (inner, false)
            }
            _ => (call, call.method == "total_cmp"),
        };
        if !total && call.method != "partial_cmp" && call.method != "cmp" {
            return None;
        }
        let (left, right) = (&*call.receiver, behind_reference(call.args.first()?));
        let (names, others) = (names_of(a)?, names_of(b)?);
        let turned = renamed(left.to_token_stream(), &names, &others).to_string();
        let is_key = |k: &syn::Expr, own: &[syn::Ident], other: &[syn::Ident]| {
            let tokens = k.to_token_stream();
            any(&tokens, &|t| own.iter().any(|n| is_ident(t, n)))
                && !any(&tokens, &|t| other.iter().any(|n| is_ident(t, n)))
        };
        let (key, descending) = if is_key(left, &names, &others) {
            (turned == right.to_token_stream().to_string()).then_some((left, false))?
        } else if is_key(left, &others, &names) {
            let turned = renamed(right.to_token_stream(), &names, &others).to_string();
            (turned == left.to_token_stream().to_string()).then_some((right, true))?
        } else {
            return None;
        };
        let is_integer = call.method == "cmp";
        Some(Order {
            key: match is_integer {
                true => syn::parse_quote!(|#a| ((#key) as f64)),
                false => syn::parse_quote!(|#a| #key),
            },
            descending,
            total,
        })
    }
}

/// `match order { Some(o) => o, None => Ordering::Equal }`
fn gives_order(of: &syn::ExprMatch) -> bool {
    of.arms.len() == 2
        && of.arms.iter().all(|arm| match &arm.pat {
            syn::Pat::TupleStruct(some) => {
                let inner = some.elems.first().map(ToTokens::to_token_stream);
                inner.is_some_and(|i| i.to_string() == arm.body.to_token_stream().to_string())
            }
            syn::Pat::Wild(_) => true,
            syn::Pat::Ident(name) => name.ident == "None",
            _ => false,
        })
}

/// `|a, b| first.then(second)` as two orders.
fn in_turn(order: &syn::Expr) -> Option<(syn::Expr, syn::Expr)> {
    let syn::Expr::Closure(closure) = order else {
        return None;
    };
    let mut compared = &*closure.body;
    while let syn::Expr::Block(block) = compared
        && let [syn::Stmt::Expr(only, None)] = &block.block.stmts[..]
    {
        compared = only;
    }
    let syn::Expr::MethodCall(call) = compared else {
        return None;
    };
    let second = match (call.method.to_string().as_str(), call.args.first()?) {
        ("then", second) => second,
        ("then_with", syn::Expr::Closure(second)) if second.inputs.is_empty() => &*second.body,
        _ => return None,
    };
    let with = |body: &syn::Expr| {
        let mut one = closure.clone();
        *one.body = body.clone();
        syn::Expr::Closure(one)
    };
    Some((with(&call.receiver), with(second)))
}

fn is_ident(t: &TokenTree, name: &syn::Ident) -> bool {
    matches!(t, TokenTree::Ident(i) if i == name)
}

fn behind_reference(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Reference(r) => behind_reference(&r.expr),
        syn::Expr::Paren(inner) => behind_reference(&inner.expr),
        e => e,
    }
}

/// The names of a pattern, in its order.
fn names_of(pat: &syn::Pat) -> Option<Vec<syn::Ident>> {
    match pat {
        syn::Pat::Ident(name) if name.subpat.is_none() => Some(vec![name.ident.clone()]),
        syn::Pat::Reference(inner) => names_of(&inner.pat),
        syn::Pat::Paren(inner) => names_of(&inner.pat),
        syn::Pat::Type(inner) => names_of(&inner.pat),
        syn::Pat::Wild(_) => Some(vec![]),
        syn::Pat::Tuple(parts) => {
            let parts: Option<Vec<_>> = parts.elems.iter().map(names_of).collect();
            Some(parts?.concat())
        }
        _ => None,
    }
}

/// Tokens with other names in place of some.
fn renamed(tokens: TokenStream, from: &[syn::Ident], to: &[syn::Ident]) -> TokenStream {
    let one = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let inner = renamed(group.stream(), from, to);
            TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inner))
        }
        TokenTree::Ident(i) => {
            let place = from.iter().position(|n| i == *n);
            let new = place.and_then(|k| to.get(k)).cloned();
            TokenTree::Ident(new.unwrap_or(i))
        }
        other @ (TokenTree::Punct(_) | TokenTree::Literal(_)) => other,
    };
    tokens.into_iter().map(one).collect()
}

/// `std::iter::successors(first, next)`
fn successors(e: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    let syn::Expr::Call(call) = e else {
        return None;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let is_of_std = path.path.segments.last()?.ident == "successors";
    let mut args = call.args.iter();
    (is_of_std && call.args.len() == 2).then_some((args.next()?, args.next()?))
}

/// `x.chunks_exact(k)`
fn exact_chunks(e: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    match e {
        syn::Expr::MethodCall(call) if call.method == "chunks_exact" => {
            Some((&*call.receiver, call.args.first()?))
        }
        _ => None,
    }
}

/// `x.scan(init, |s, p| { ..; Some(e) })` is a list that grows by `e` in a loop over `x`.
fn scanned(of: &syn::Expr, init: &syn::Expr, step: &syn::ExprClosure) -> Option<TokenStream> {
    let params: Vec<&syn::Pat> = step.inputs.iter().collect();
    let [syn::Pat::Ident(state), item] = params[..] else {
        return None;
    };
    let body = match &*step.body {
        syn::Expr::Block(block) => &block.block,
        _ => return None,
    };
    let (last, stmts) = body.stmts.split_last()?;
    let syn::Stmt::Expr(syn::Expr::Call(some), None) = last else {
        return None;
    };
    let is_some = matches!(&*some.func, syn::Expr::Path(p) if p.path.is_ident("Some"));
    let (true, Some(value)) = (is_some, some.args.first()) else {
        return None;
    };
    let stmts: TokenStream = stmts.iter().map(ToTokens::to_token_stream).collect();
    let leaves = |t: &TokenTree| t.to_string() == "return" || t.to_string() == "?";
    if any(&stmts, &leaves) || any(&value.to_token_stream(), &leaves) {
        return None;
    }
    let state = &state.ident;
    Some(quote_spanned! {state.span()=>
        {
            let mut scanned = Vec::new();
            let mut cotangent_state = #init;
            for #item in #of {
                let #state = &mut cotangent_state;
                #stmts
                scanned.push(#value);
            }
            scanned
        }.into_iter()
    })
}

/// `v.sort_by(order)`: the elements in another order, which is a constant of differentiation.
pub(super) fn sorted(of: &syn::Expr, method: &syn::Ident, order: &syn::Expr) -> Option<syn::Expr> {
    // Sorting keeps the order of equal elements.
    if let Some((first, second)) = in_turn(order) {
        let by_second = sorted(of, method, &second)?;
        let all = sorted(&syn::parse_quote!(cotangent_ordered), method, &first)?;
        return Some(syn::parse_quote_spanned! {of.span()=> {
            let cotangent_ordered = #by_second;
            #all
        }});
    }
    let order = Order::by(method, order)?;
    let (key, span) = (&order.key, of.span());
    let places = order_of_keys(&order, span);
    syn::parse2(quote_spanned! {span=>
        {
            let cotangent_keys: Vec<_> = #of.iter().map(#key).collect();
            let cotangent_order = #places;
            let cotangent_sorted: Vec<_> = (0..#of.len())
                .map(|cotangent_place| #of[cotangent_order[cotangent_place] as usize])
                .collect();
            cotangent_sorted
        }
    })
    .ok()
}

/// `v[a..b].sort_by(order)` of tuples and structs, by elements: their order looks at a part of them.
pub(super) fn sorted_part(call: &syn::ExprMethodCall, order: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::Index(part) = &*call.receiver else {
        return None;
    };
    let syn::Expr::Range(range) = &*part.index else {
        return None;
    };
    let (first, _) = in_turn(order).unwrap_or_else(|| (order.clone(), order.clone()));
    let mut key = &*Order::by(&call.method, &first)?.key.body;
    loop {
        key = match key {
            syn::Expr::MethodCall(call) => &call.receiver,
            syn::Expr::Paren(inner) => &inner.expr,
            syn::Expr::Cast(cast) => &cast.expr,
            syn::Expr::Unary(unary) => &unary.expr,
            syn::Expr::Field(_) => break,
            _ => return None,
        };
    }
    let sorted = sorted(&call.receiver, &call.method, order)?;
    let (list, span) = (&part.expr, call.method.span());
    let from = range
        .start
        .as_ref()
        .map_or_else(|| quote_spanned!(span=> 0), |e| quote_spanned!(span=> #e));
    Some(syn::parse_quote_spanned! {span=> {
        let (cotangent_from, cotangent_part) = (#from, #sorted);
        for cotangent_place in 0..cotangent_part.len() {
            #list[cotangent_from + cotangent_place] = cotangent_part[cotangent_place];
        }
    }})
}

fn any(tokens: &TokenStream, holds: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.clone().into_iter().any(|token| match &token {
        TokenTree::Group(group) => any(&group.stream(), holds),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => holds(&token),
    })
}

/// `while let p = e { .. }`
pub(super) fn while_let(l: &syn::ExprWhile) -> Option<syn::ExprLoop> {
    let syn::Expr::Let(head) = &*l.cond else {
        return None;
    };
    let (pat, of, body, label) = (&head.pat, &head.expr, &l.body.stmts, &l.label);
    let span = l.while_token.span;
    syn::parse2(quote_spanned! {span=>
        #label loop {
            let #pat = (#of) else {
                break;
            };
            #(#body)*
        }
    })
    .ok()
}

/// The block with `while !v.is_empty() { let p = v.pop().unwrap(); .. }` in place of
/// `while let Some(p) = v.pop() { .. }`, if that occurs; the same of `if let`.
pub(super) fn popping(block: &syn::Block) -> Option<syn::Block> {
    let mut found = false;
    let tokens = popped(block.to_token_stream(), &mut found);
    match found {
        true => syn::parse2(tokens).ok(),
        false => None,
    }
}

fn popped(tokens: TokenStream, found: &mut bool) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut k = 0;
    while k < tokens.len() {
        if let Some((head, first, count)) = head_of_popping(&tokens[k..]) {
            let TokenTree::Group(body) = &tokens[k + count] else {
                unreachable!("the head ends at a body");
            };
            let inner = popped(body.stream(), found);
            out.extend(quote_spanned!(body.span()=> #head { #first #inner }));
            *found = true;
            k += count + 1;
            continue;
        }
        match &tokens[k] {
            TokenTree::Group(group) => {
                let inner = popped(group.stream(), found);
                let mut new = proc_macro2::Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
            }
            token => out.extend([token.clone()]),
        }
        k += 1;
    }
    out
}

/// The head of `while let Some(p) = v.pop() {` or `if let ..`, what the body begins with, and how
/// many tokens stand before the body.
fn head_of_popping(tokens: &[TokenTree]) -> Option<(TokenStream, TokenStream, usize)> {
    let is = |k: usize, text: &str| tokens.get(k).is_some_and(|t| t.to_string() == text);
    if !((is(0, "while") || is(0, "if")) && is(1, "let") && is(2, "Some") && is(4, "=")) {
        return None;
    }
    let end = tokens.iter().position(is_braces)?;
    let is_pop = end > 8 && is(end - 3, ".") && is(end - 2, "pop") && is(end - 1, "()");
    let TokenTree::Group(pat) = &tokens[3] else {
        return None;
    };
    let list: TokenStream = tokens
        .get(5..end.checked_sub(3)?)?
        .iter()
        .cloned()
        .collect();
    let (pat, keyword, span) = (pat.stream(), &tokens[0], tokens[0].span());
    is_pop.then(|| {
        (
            quote_spanned!(span=> #keyword !#list.is_empty()),
            quote_spanned!(span=> let #pat = #list.pop().unwrap();),
            end,
        )
    })
}

fn is_braces(t: &TokenTree) -> bool {
    matches!(t, TokenTree::Group(g) if g.delimiter() == proc_macro2::Delimiter::Brace)
}

/// The block with `{ let old = p; p = e; old }` in place of `std::mem::replace(&mut p, e)`, if that
/// occurs.
pub(super) fn replacing(block: &syn::Block) -> Option<syn::Block> {
    let mut found = false;
    let tokens = replaced(block.to_token_stream(), &mut found);
    match found {
        true => syn::parse2(tokens).ok(),
        false => None,
    }
}

fn replaced(tokens: TokenStream, found: &mut bool) -> TokenStream {
    let mut out: Vec<TokenTree> = vec![];
    for token in tokens {
        let TokenTree::Group(group) = &token else {
            out.push(token);
            continue;
        };
        let inner = replaced(group.stream(), found);
        let is_replace = matches!(out.last(), Some(TokenTree::Ident(name)) if name == "replace");
        let before = out.iter().rev().take(if is_replace { 7 } else { 0 });
        let path: Vec<String> = before.map(ToString::to_string).collect();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let length = match &path[..] {
            ["replace", ":", ":", "mem", ":", ":", "std" | "core"] => Some(7),
            ["replace", ":", ":", "mem", ..] => Some(4),
            _ => None,
        };
        if let Some(length) = length
            && let Ok(args) = syn::parse::Parser::parse2(
                syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated,
                inner.clone(),
            )
            && let [syn::Expr::Reference(place), value] = &args.iter().collect::<Vec<_>>()[..]
            && place.mutability.is_some()
        {
            let place = &place.expr;
            out.truncate(out.len() - length);
            out.extend(quote_spanned! {group.span()=>
                { let cotangent_old = #place; #place = #value; cotangent_old }
            });
            *found = true;
            continue;
        }
        let mut new = proc_macro2::Group::new(group.delimiter(), inner);
        new.set_span(group.span());
        out.push(TokenTree::Group(new));
    }
    out.into_iter().collect()
}
