//! Copies of arrays with another last axis, which loops along that axis read instead.
//!
//! ```text
//! c[i, k, j] = x[i, j, k]   =   across(x, 1)
//! ```

use super::expr::Expr;
use super::nest::Writer;
use crate::ir::kernel::{Affine, At, Compute, Loop, Node, Range};
use crate::ir::ty::Elem;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The loops whose indices are the components of a read, each another one, and the place of the
/// last of them, if the others are in ascending order and come after it, too.
fn moved(at: &[At], last: Loop) -> Option<(Vec<Loop>, usize)> {
    let mut axis = None;
    let (mut all, mut others): (Vec<Loop>, Vec<Loop>) = (vec![], vec![]);
    for (k, a) in at.iter().enumerate() {
        let At::Affine(a) = a else { return None };
        let [(l, _)] = a.terms[..] else { return None };
        if *a != Affine::of(l) {
            return None;
        }
        if l == last {
            axis = Some(k);
        } else if others.last().is_some_and(|o| *o >= l) {
            return None;
        } else {
            others.push(l);
        }
        all.push(l);
    }
    let axis = axis.filter(|k| k + 1 < at.len())?;
    Some((all, axis))
}

impl Writer<'_> {
    /// What a read reads with the last loop's axis behind all others, for the indices of the loops,
    /// or for so many of the last loop from a first one on; `None` if the copy would be in another
    /// order, too, or of integers.
    pub(super) fn copied_across(
        &self,
        n: Node,
        last: Loop,
        part: Option<(&TokenStream, &TokenStream)>,
    ) -> Option<TokenStream> {
        let nest = self.nest;
        let Compute::Read(v, at) = &nest.nodes[n].compute else {
            return None;
        };
        let (loops, axis) = moved(at, last)?;
        if nest.nodes[n].elem != Elem::Real {
            return None;
        }
        let view = self.scope.view(*v);
        let size = |l: &Loop| self.scope.size(&nest.loops[*l]).tokens;
        let lengths = loops.iter().map(|l| match part {
            Some((_, length)) if *l == last => length.clone(),
            Some(_) | None => size(l),
        });
        let starts = loops.iter().map(|l| match part {
            Some((first, _)) if *l == last => first.clone(),
            Some(_) | None => Expr::integer(0).tokens,
        });
        let is_all = part.is_none()
            && loops
                .iter()
                .map(|l| &nest.loops[*l])
                .eq(self.scope.shape(*v));
        let of = match is_all {
            true => view,
            false => quote!(#view.part([#(#starts),*], [#(#lengths),*])),
        };
        let axis = Literal::usize_unsuffixed(axis);
        Some(quote!(rt::across(#of, #axis)))
    }

    /// The whole nest as such a copy, if it is one.
    pub(super) fn as_copy_across(&self) -> Option<TokenStream> {
        let nest = self.nest;
        let root = &nest.nodes[nest.root];
        let Compute::Read(_, at) = &root.compute else {
            return None;
        };
        let last = nest.outer.checked_sub(1)?;
        let is_all = at.len() == nest.outer && nest.loops.len() == nest.outer;
        let is_plain = root.guard.is_none() && nest.ranges.iter().all(Range::is_whole);
        (is_all && is_plain).then(|| self.copied_across(nest.root, last, None))?
    }
}
