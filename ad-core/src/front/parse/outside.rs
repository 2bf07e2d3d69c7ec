//! What is outside of the language, why, and what to write instead.

/// For `+=` and its like, and for `=`.
pub(super) const ASSIGNMENT: &str = "assignments are not supported yet: variables do not change; write a sum as \
     `sum(n, |i| ..)`, an array as `build(n, |i| ..)`, or bind a new name with `let`";

/// For `return`.
pub(super) const RETURN: &str = "`return` is not supported: the value of a function is its last expression; \
     write `if .. { .. } else { .. }` there, without `return`";

/// For `x[a..b]`.
pub(super) const SLICING: &str =
    "slicing with a range is not supported yet; write `build(b - a, |i| x[a + i])`";

/// Whether a macro only checks something, which does not change the value.
pub(super) fn is_assertion(mac: &syn::Macro) -> bool {
    let Some(name) = mac.path.segments.last() else {
        return false;
    };
    let name = name.ident.to_string();
    let name = name.strip_prefix("debug_").unwrap_or(&name);
    matches!(name, "assert" | "assert_eq" | "assert_ne")
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
        "array" | "vec" | "stack" | "concatenate" => {
            "write an array as `build(n, |i| ..)`, with `if` or `match` on `i` for its parts"
        }
        "s" => "write the part you need as `build(n, |i| x[a + i])`",
        "println" | "print" | "eprintln" | "eprint" | "dbg" | "write" | "writeln" => {
            "a differentiable function has no effects; print where you call it"
        }
        "panic" | "todo" | "unimplemented" | "unreachable" => {
            "give a value such as `f64::NAN` there, or check with `assert!` at the beginning"
        }
        "matches" => "write `match` or comparisons",
        _ => "write what it expands to",
    };
    format!("the macro `{name}!` cannot be looked into, so it cannot be differentiated; {instead}")
}

/// An expression that stands as a statement, if there is something to say about it in particular.
pub(super) fn statement(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::If(branch) if branch.else_branch.is_none() => Some(
            "an `if` without `else` gives no value, and only values are differentiated; write \
             `let x = if .. { .. } else { .. };`"
                .into(),
        ),
        syn::Expr::Binary(binary) => is_assignment(&binary.op).then(|| ASSIGNMENT.into()),
        syn::Expr::Return(_) => Some(RETURN.into()),
        syn::Expr::Macro(m) => Some(macro_call(&m.mac)),
        syn::Expr::Assign(_)
        | syn::Expr::ForLoop(_)
        | syn::Expr::While(_)
        | syn::Expr::Loop(_)
        | syn::Expr::Break(_)
        | syn::Expr::Continue(_)
        | syn::Expr::Unsafe(_)
        | syn::Expr::Await(_)
        | syn::Expr::Try(_)
        | syn::Expr::Struct(_) => Some(expression(e)),
        _ => None,
    }
}

fn is_assignment(op: &syn::BinOp) -> bool {
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
        syn::Expr::ForLoop(_) => {
            "`for` loops are not supported yet; write a loop that adds up as `sum(n, |i| ..)`, one that \
             multiplies as `product(n, |i| ..)`, one that fills an array as `build(n, |i| ..)`"
        }
        syn::Expr::While(_) | syn::Expr::Loop(_) => {
            "loops without a fixed number of rounds are not supported yet; write `sum(n, |i| ..)` or \
             `build(n, |i| ..)` over a known number `n`"
        }
        syn::Expr::Break(_) | syn::Expr::Continue(_) => {
            "leaving a loop early is not supported; write `if .. { .. } else { 0.0 }` inside of `sum`"
        }
        syn::Expr::Range(_) => {
            "ranges are not values here; write `sum(b - a, |i| ..)` with `a + i` for the index"
        }
        syn::Expr::Try(_) => {
            "`?` leaves the function early, which is not supported; check before you call, and \
             take plain numbers"
        }
        syn::Expr::Async(_) | syn::Expr::Await(_) => {
            "async code has no derivative; compute the value first, and pass it as an argument"
        }
        syn::Expr::Unsafe(_) => {
            "`unsafe` code is not looked into: generated code is safe Rust; write plain indexing"
        }
        syn::Expr::Let(_) => "`let` inside of a condition is not supported; write a comparison",
        syn::Expr::Reference(_) => {
            "`&mut` is not supported: a differentiable function has no effects; use the value itself"
        }
        syn::Expr::Block(_) => "blocks with a label are not supported; write `if` with `else`",
        syn::Expr::Const(_) => "`const` blocks are not looked into; write the expression itself",
        syn::Expr::Path(_) => {
            "cannot tell what this path stands for: the macro sees names, not types; write the value"
        }
        _ => "this expression is not part of the language that can be differentiated; write it with arithmetic, `if`, `sum` and `build`",
    }
    .into()
}

/// A constructor from the standard library.
pub(super) fn constructor(path: &syn::Path) -> Option<&'static str> {
    let last = path.segments.last()?.ident.to_string();
    let before = path.segments.len().checked_sub(2);
    let family = before.map(|k| path.segments[k].ident.to_string());
    if family.is_some_and(|f| f.starts_with("Array")) {
        return Some(match last.as_str() {
            "zeros" | "ones" | "from_elem" => {
                "constructors of ndarray are not supported yet; write `build(n, |_| 0.0)`"
            }
            "from_shape_fn" | "from_shape_simple_fn" => {
                "constructors of ndarray are not supported yet; write `build(n, |i| ..)`"
            }
            "eye" => {
                "constructors of ndarray are not supported yet; write `build((n, n), |(i, j)| if i \
                 == j { 1.0 } else { 0.0 })`"
            }
            _ => "constructors of ndarray are not supported yet; write `build(n, |i| ..)`",
        });
    }
    match last.as_str() {
        "Some" | "Ok" | "Err" => {
            Some("`Option` and `Result` cannot be differentiated; write the value itself")
        }
        "arr1" | "arr2" => Some(
            "constructors of ndarray are not supported yet; write `build(n, |i| ..)`, with `match` \
             on `i` for its parts",
        ),
        _ => None,
    }
}

/// A method that exists in Rust or ndarray, but is not in the language, whatever it is called on.
pub(super) fn method(name: &syn::Ident) -> Option<String> {
    let name = name.to_string();
    let instead = match name.as_str() {
        "iter" | "into_iter" | "indexed_iter" | "iter_mut" | "outer_iter" | "rows" | "columns"
        | "axis_iter" | "windows" | "chunks" | "zip" | "enumerate" => {
            "write `sum(x.len(), |i| x[i])` or `build(n, |i| ..)`"
        }
        "map_inplace" | "mapv_inplace" | "mapv_into" | "map_into" => {
            "write `x.mapv(f)`, which gives a new array"
        }
        "mean" | "product" | "sum_axis" | "mean_axis" | "std" | "var" => {
            "write `sum(x.len(), |i| x[i])` or `mean(..)`, over rows as `build(n, |i| sum(m, |j| \
             a[[i, j]]))`"
        }
        "reversed_axes" | "permuted_axes" | "swap_axes" => {
            "write `a.t()`, or `build((m, n), |(i, j)| a[[j, i]])`"
        }
        "slice" | "slice_mut" | "slice_axis" | "split_at" => {
            "write `build(n, |i| x[a + i])` for the part you need"
        }
        "diag" => "write `build(n, |i| a[[i, i]])`",
        "broadcast"
        | "insert_axis"
        | "into_shape_with_order"
        | "to_shape"
        | "into_shape"
        | "reshape"
        | "remove_axis" => "write the index of each element with `build((n, m), |(i, j)| ..)`",
        "fold" | "scan" | "accumulate_axis_inplace" => {
            "write `sum`, `product` or `maximum` where one does"
        }
        "unwrap" | "expect" | "unwrap_or" | "get" | "first" | "last" | "ok" => {
            "write plain indexing such as `x[i]`, which panics when out of range"
        }
        "push" | "assign" | "fill" | "swap" | "sort" | "sort_by" | "extend" | "insert" => {
            "a differentiable function changes nothing in place; write the new array as `build(n, \
             |i| ..)`"
        }
        _ => return None,
    };
    Some(format!(
        "the method `{name}` is not supported yet; {instead}"
    ))
}
