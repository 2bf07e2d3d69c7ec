//! `max` and `min` of an iterator, which Rust has for what is ordered: not for real numbers.

use super::Lowerer;
use super::way::Filtered;
use crate::front::error::{Loc, Reported};
use crate::ir::ty::{Elem, Lit};

impl Lowerer<'_> {
    /// Reports `max` or `min`; what to write instead depends on what the items are.
    pub(super) fn extreme(&mut self, iter: &Filtered, name: &syn::Ident, loc: Loc) -> Reported {
        let items = self.terms(iter, loc, Lit::zero, |l, item| l.plain(item, loc));
        let elem = match items {
            Ok((_, item)) => item.elem(),
            Err(reported) => return reported,
        };
        let message = match (elem, name == "max") {
            (Elem::Int | Elem::Bool, true) => {
                "iterators have no `max` of integers here; of a range `0..n` it is `n - 1`, so write that, \
                 or a loop with `m = m.max(k[i]);`"
            }
            (Elem::Int | Elem::Bool, false) => {
                "iterators have no `min` of integers here; of a range `0..n` it is `0`, so write that, or a \
                 loop with `m = m.min(k[i]);`"
            }
            (Elem::Real, true) => {
                "real numbers have no `max` and `min` of iterators; write `fold(f64::NEG_INFINITY, \
                 f64::max)`, or `argmax(n, |i| ..)` for where it is"
            }
            (Elem::Real, false) => {
                "real numbers have no `max` and `min` of iterators; write `fold(f64::INFINITY, \
                 f64::min)`, or `argmin(n, |i| ..)` for where it is"
            }
        };
        self.errors.at(name.span(), message)
    }
}
