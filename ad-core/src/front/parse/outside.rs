//! What is outside of the language, why, and what to write instead.

use crate::front::names::segments;

/// For `+=` and its like, and for `=`, where a value is needed.
pub(super) const ASSIGNMENT: &str = "an assignment gives no value; write it as a statement of its \
     own, with `;` behind it, in the block of the variable or in a loop there";

/// For what borrows in order to change.
pub(super) const BORROW: &str = "`&mut` is not supported: which variable is changed must be seen \
     where it changes; assign to the variable itself, as `x = ..`, `x[i] = ..` or `x.0 = ..`";

/// Whether a macro only checks something, which does not change the value.
pub(super) fn is_assertion(mac: &syn::Macro) -> bool {
    let Some(name) = mac.path.segments.last() else {
        return false;
    };
    let name = name.ident.to_string();
    let name = name.strip_prefix("debug_").unwrap_or(&name);
    matches!(name, "assert" | "assert_eq" | "assert_ne")
}

/// `Ordering::Less` and its like as numbers.
pub(super) fn ordering(path: &syn::Path) -> Option<i64> {
    let names = segments(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        [.., "Ordering", "Less"] => Some(-1),
        [.., "Ordering", "Equal"] => Some(0),
        [.., "Ordering", "Greater"] => Some(1),
        _ => None,
    }
}

/// For an iterator that goes on in a way that is not followed.
pub(super) const STEP: &str = "which item of this iterator comes next is not followed here; write an index, \
     as in `x[i]` and `i += 1`";

/// Whether a call asks a variable for its next item. Names of ours hold all items.
pub(super) fn is_unfollowed_step(call: &syn::ExprMethodCall) -> bool {
    let syn::Expr::Path(path) = &*call.receiver else {
        return false;
    };
    let steps = ["next", "nth", "by_ref", "next_back", "nth_back"];
    let Some(name) = path.path.get_ident().map(ToString::to_string) else {
        return false;
    };
    let is_ours = name == "this" || name.starts_with("cotangent_");
    !is_ours && steps.contains(&call.method.to_string().as_str())
}

/// Whether a macro panics.
pub(super) fn is_failure(mac: &syn::Macro) -> bool {
    let name = mac.path.segments.last().map(|s| s.ident.to_string());
    let name = name.unwrap_or_default();
    matches!(&*name, "panic" | "todo" | "unimplemented" | "unreachable")
}

/// Whether an expression panics.
pub(super) fn fails(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Macro(m) if is_failure(&m.mac))
}

/// `Some(x)` and `Ok(x)`, with what is in it; `None` and `Err(..)`.
pub(super) fn made(e: &syn::Expr) -> Option<Option<&syn::Expr>> {
    let name = |e: &syn::Expr| match e {
        syn::Expr::Path(path) if path.qself.is_none() => {
            path.path.segments.last().map(|s| s.ident.to_string())
        }
        _ => None,
    };
    match e {
        syn::Expr::Paren(inner) => made(&inner.expr),
        syn::Expr::Path(_) if name(e)? == "None" => Some(None),
        syn::Expr::Call(call) if call.args.len() == 1 => match &*name(&call.func)? {
            "Some" | "Ok" => Some(call.args.first()),
            "Err" => Some(None),
            _ => None,
        },
        // `Err(e)?` fails, too.
        syn::Expr::Try(inner) if made(&inner.expr)?.is_none() => Some(None),
        _ => None,
    }
}

/// Whether these are names of this crate: a glob import of them brings in nothing new.
pub(super) fn is_ours(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    matches!(last.as_deref(), Some("prelude" | "math"))
}

/// Whether a type is the name of a scalar.
pub(super) fn names_scalar(ty: &syn::Type, real: &crate::front::real::RealType) -> bool {
    match ty {
        syn::Type::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|i| real.scalar(&i.to_string()).is_some()),
        _ => false,
    }
}

/// A macro that is no assertion.
pub(super) fn macro_call(mac: &syn::Macro) -> String {
    let name = mac.path.segments.last();
    let name = name.map(|s| s.ident.to_string()).unwrap_or_default();
    let instead = match name.as_str() {
        "azip" => "write `Zip::from(&a).and(&b).map_collect(|x, y| ..)`, which gives a new array",
        "println" | "print" | "eprintln" | "eprint" | "dbg" | "write" | "writeln" => {
            "a differentiable function has no effects; print where you call it"
        }
        _ => "write what it expands to",
    };
    format!("the macro `{name}!` cannot be looked into, so it cannot be differentiated; {instead}")
}

/// For a closure that is there for what it changes.
pub(super) const CHANGES: &str = "this closure changes something and gives no value, and a closure \
     cannot change what is outside of it; write a loop, or give the new value as the result: `x = f(x)`";

/// For a list that begins without elements.
const GROWS: &str = "how long this list gets is not known before it grows; push in `for` loops over \
     what is known before them, or in `while` loops without `return`, where no other variable has its \
     name, or write `let mut x = vec![0.0; n];` and `x[i] = ..`";

/// `let mut x = vec![];` and its like.
pub(super) fn growing(local: &syn::Local) -> Option<&'static str> {
    let mut pat = &local.pat;
    if let syn::Pat::Type(typed) = pat {
        pat = &typed.pat;
    }
    let is_mut = matches!(pat, syn::Pat::Ident(name) if name.mutability.is_some());
    let empty = match &*local.init.as_ref()?.expr {
        syn::Expr::Macro(m) => m.mac.path.is_ident("vec") && m.mac.tokens.is_empty(),
        syn::Expr::Call(call) => match &*call.func {
            syn::Expr::Path(path) => {
                let names = segments(&path.path);
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                matches!(names[..], [.., "Vec", "new" | "with_capacity"])
            }
            _ => false,
        },
        _ => false,
    };
    (is_mut && empty).then_some(GROWS)
}

/// An expression that stands as a statement, if there is something to say about it in particular.
pub(super) fn statement(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::Macro(m) => Some(macro_call(&m.mac)),
        syn::Expr::Unsafe(_) | syn::Expr::Await(_) | syn::Expr::Struct(_) => Some(expression(e)),
        _ => None,
    }
}

/// A call of a method or a function that stands as a statement: what is said, and where.
pub(super) fn called(e: &syn::Expr) -> Option<(crate::front::error::Loc, String)> {
    match e {
        syn::Expr::MethodCall(call) => {
            let message = method(&call.method).unwrap_or_else(|| {
                format!(
                    "`{}` stands here for what it changes, which is not followed; write what changes \
                     as `x = ..`, `x[i] = ..` or `x.assign(&..)`, and remove what changes nothing",
                    call.method
                )
            });
            Some((crate::front::error::Loc::of(&call.method), message))
        }
        syn::Expr::Call(call) => {
            let changes =
                |e: &syn::Expr| matches!(e, syn::Expr::Reference(r) if r.mutability.is_some());
            let message = "a call that changes its argument is not followed; give the new value \
                           as the result, and write `x = f(..);`";
            (call.args.iter().any(changes))
                .then(|| (crate::front::error::Loc::of_expr(e), message.into()))
        }
        _ => None,
    }
}

/// Whether an expression may stand as a statement.
pub(super) fn is_statement(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::If(branch) => branch.else_branch.is_none(),
        syn::Expr::Binary(binary) => is_assignment(&binary.op),
        syn::Expr::Assign(_)
        | syn::Expr::ForLoop(_)
        | syn::Expr::While(_)
        | syn::Expr::Loop(_)
        | syn::Expr::Break(_)
        | syn::Expr::Continue(_) => true,
        syn::Expr::MethodCall(call) => matches!(
            call.method.to_string().as_str(),
            "assign" | "fill" | "swap" | "scaled_add" | "mapv_inplace" | "push"
        ),
        _ => statement(e).is_some(),
    }
}

/// For a `break` with a value.
pub(super) const BREAK_VALUE: &str = "a `break` with a value is supported in `let x = loop { .. };` and \
     at the end of a block; write that, or `x = ..; break;`";

/// For `?` in a closure.
pub(super) const TRY: &str = "`?` leaves this closure early, which is not supported; write a loop, or \
     `unwrap_or(..)`";

/// Whether it is `+=` or its like.
pub(super) fn is_assignment(op: &syn::BinOp) -> bool {
    matches!(
        op,
        syn::BinOp::AddAssign(_)
            | syn::BinOp::SubAssign(_)
            | syn::BinOp::MulAssign(_)
            | syn::BinOp::DivAssign(_)
            | syn::BinOp::RemAssign(_)
            | syn::BinOp::BitXorAssign(_)
            | syn::BinOp::BitAndAssign(_)
            | syn::BinOp::BitOrAssign(_)
            | syn::BinOp::ShlAssign(_)
            | syn::BinOp::ShrAssign(_)
    )
}

/// An expression that no part of the language is like.
pub(super) fn expression(e: &syn::Expr) -> String {
    match e {
        syn::Expr::Assign(_) => ASSIGNMENT,
        syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_) => {
            "a loop gives no value here; write `let x = loop { .. break e; };`, and `x` behind it"
        }
        syn::Expr::Async(_) | syn::Expr::Await(_) => {
            "async code has no derivative; compute the value first, and pass it as an argument"
        }
        syn::Expr::Unsafe(_) => {
            "`unsafe` code is not looked into: generated code is safe Rust; write plain indexing"
        }
        syn::Expr::Let(_) => "`let` inside of a condition is not supported; write a comparison",
        syn::Expr::Reference(_) => BORROW,
        syn::Expr::Block(_) => {
            "a block with a label is supported in `let x = 'a: { .. };` and at the end of a block, if it \
             leaves no loop around it; write that, or `if` with `else`"
        }
        syn::Expr::Const(_) => "`const` blocks are not looked into; write the expression itself",
        syn::Expr::Path(_) => {
            "cannot tell what this path stands for: the macro sees names, not types; write the value"
        }
        _ => {
            "this expression is not part of the language that can be differentiated; write it with \
             arithmetic, `if`, `sum` and `build`"
        }
    }
    .into()
}

/// A method that exists in Rust or ndarray, but is not in the language, whatever it is called on.
pub(super) fn method(name: &syn::Ident) -> Option<String> {
    let name = name.to_string();
    let instead = match name.as_str() {
        "for_each" => "write a loop, as `for i in 0..n { x[i] = ..; }`",
        "map_inplace" | "par_map_inplace" | "map_mut" => {
            "its closure changes the elements; write `x.mapv_inplace(|v| ..);`, or a loop with \
             `x[i] = ..`"
        }
        "merge_axes" | "permute_axes" | "reverse_axes" => {
            "it changes the array in place; write `a.t()`, `a.permuted_axes([1, 0])` or `a.slice(s![..;-1])`, \
             which give a view"
        }
        "into_shape" => "ndarray deprecates it; write `into_shape_with_order`",
        "reshape" => "write `a.to_shape((n, m)).unwrap()`",
        "into_dimensionality" => {
            "every rank must be known when the derivative is compiled; write arrays of a known rank"
        }
        "scan" | "accumulate_axis_inplace" | "cumsum" | "cumprod" => {
            "write `build(n, |i| sum(i + 1, |j| x[j]))`"
        }
        "take_while" | "skip_while" | "map_while" | "find" | "position" => {
            "how far it goes depends on the elements; write `filter`, or `if` inside of `sum`"
        }
        "pop" => {
            "it changes how long a list is and gives a value; write `v.pop().unwrap()` of a list that grows in \
             a loop, or an index that counts down: `for i in (0..v.len()).rev() { .. v[i] .. }`"
        }
        "flat_map" | "filter_map" => "write `filter` and `map`, or `sum((n, m), |(i, j)| ..)`",
        "max_by" | "min_by" | "max_by_key" | "min_by_key" => {
            "write `max_by(|a, b| f(a).total_cmp(&f(b)))` with the same `f` on both sides, \
             `fold(f64::NEG_INFINITY, f64::max)` for the largest, or `argmax(n, |i| x[i])` for where it is"
        }
        "assign" | "fill" | "swap" | "scaled_add" => {
            "where a value is needed; write it as a statement of its own, with `;` behind it"
        }
        "binary_search" | "binary_search_by" | "binary_search_by_key" => {
            "write `match x.binary_search_by(|v| ..) { Ok(i) => .., Err(i) => .. }`, \
             `x.binary_search_by(..).unwrap_or_else(|i| i)`, or `x.partition_point(|v| ..)`"
        }
        "push" | "extend" | "insert" | "append" | "truncate" | "resize" | "clear" | "remove"
        | "retain" | "drain" => {
            "lengths are fixed; write the new array as `build(n, |i| ..)`, or a part of it as `x.slice(s![..n])`"
        }
        "split" | "split_inclusive" | "rsplit" | "splitn" | "chunk_by" => {
            "where it cuts depends on the elements; write a loop over the elements that finishes a part, as \
             `if is_end(x[i]) { total += f(part); part = 0.0; }`, or cut where indices say: `&x[a..b]`"
        }
        "sort" | "sort_by" | "sort_unstable" | "sort_unstable_by" | "sort_by_key" => {
            "it moves elements in place; write `x.sort_by(|a, b| f(a).total_cmp(&f(b)))` with the same `f` \
             on both sides, or read them in another order, as `build(n, |i| x[order[i]])`"
        }
        _ => return None,
    };
    Some(format!(
        "the method `{name}` is not supported yet; {instead}"
    ))
}

/// Whether a function of this name is called.
pub(super) fn calls(tokens: &proc_macro2::TokenStream, name: &syn::Ident) -> bool {
    use proc_macro2::{Delimiter, TokenTree};
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(k, token)| match token {
        TokenTree::Group(group) => calls(&group.stream(), name),
        TokenTree::Ident(ident) if ident == name => {
            let is_method = matches!(tokens[..k].last(), Some(TokenTree::Punct(p))
                if p.as_char() == '.' || p.as_char() == ':');
            let is_called = matches!(tokens.get(k + 1), Some(TokenTree::Group(args))
                if args.delimiter() == Delimiter::Parenthesis);
            is_called && !is_method
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
