//! Walking through expressions.

use crate::ir::core::Expr;

/// Calls `f` on `e` and what is in it, from the outside in; `f` says whether to go deeper.
pub(super) fn visit(e: &Expr, f: &mut dyn FnMut(&Expr) -> bool) {
    if f(e) {
        for c in e.parts() {
            visit(c, f);
        }
    }
}
