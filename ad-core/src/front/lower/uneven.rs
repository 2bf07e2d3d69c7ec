//! Lists with rows of different lengths. Those of another list of lists are taken over:
//!
//! ```text
//! rows.iter().map(|r| r.iter().map(f).collect()).collect()
//!    is   out = zeros like rows; for i, for j in 0..out[i].len() { out[i][j] = f(rows[i][j]) }
//! ```
//!
//! For rows of other lengths, a loop finds out before where each begins.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "patterns are looked for, and what is not listed is none of them"
)]

use super::columns::Columns;
use super::fixed::List;
use super::value::{Plain, Value};
use super::way::Iter;
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Result};
use crate::ir::core::{Expr, Kind, Sym};
use crate::ir::prims::Prim;
use crate::loops::listed;

impl Lowerer<'_> {
    /// A list of what an iterator gives, which may be rows of different lengths.
    pub(super) fn maybe_uneven(&mut self, iter: &Iter, loc: Loc) -> Result<Value> {
        let quiet = self.errors.quiet();
        let before = std::mem::replace(&mut self.errors, quiet);
        let outer = self.uneven.take();
        let made = self.list_of_items(iter, loc);
        let errors = std::mem::replace(&mut self.errors, before);
        if made.is_err() && self.uneven.is_some() {
            let quiet = errors.quiet();
            let before = std::mem::replace(&mut self.errors, quiet);
            let uneven = self.uneven.clone();
            let rows = self.uneven_rows(iter, loc);
            let is_right = self.errors.is_empty();
            self.errors = before;
            if let (Ok(rows), true) = (rows, is_right) {
                self.uneven = outer;
                return Ok(rows);
            }
            self.uneven = uneven;
        }
        self.errors.extend(errors);
        made
    }

    /// Row by row.
    fn uneven_rows(&mut self, iter: &Iter, loc: Loc) -> Result<Value> {
        let this = Value::from(iter.clone());
        let like = match self.rows_like(iter) {
            Some(like) => like,
            None => {
                let all = "let count = this.count();
                    let mut starts = vec![0_usize; count];
                    let mut lengths = vec![0_usize; count];
                    let mut total = 0_usize;
                    for i in 0..count {
                        let n = this.nth(i).unwrap().len();
                        starts[i] = total;
                        lengths[i] = n;
                        total += n;
                    }
                    let all = vec![0.0; total];
                    (starts, lengths, all)";
                let parts = self.in_terms_of(&[("this", this.clone())], all, loc.start)?;
                let mut plain = vec![];
                for part in parts.parts() {
                    let part = self.plain(part, loc)?;
                    plain.push(self.holding(part));
                }
                let all = plain.pop().map(Value::of_rust);
                let rows = plain.into_iter().map(Value::Plain).chain(all).collect();
                Columns::whole(Value::List(List::Rows(rows)))
            }
        };
        let all = "let mut out = out;
            for i in 0..out.len() {
                let new = this.nth(i).unwrap();
                for j in 0..out[i].len() { out[i][j] = new[j]; }
            }
            out";
        self.in_terms_of(&[("this", this), ("out", like)], all, loc.start)
    }

    /// Zeros in the form of the list of lists, if the lengths of rows are those of one.
    fn rows_like(&mut self, iter: &Iter) -> Option<Value> {
        let (lengths, _) = self.list_of_lengths(self.uneven.as_ref()?)?;
        let [Value::Plain(starts), Value::Plain(lengths), all] =
            &self.rows_of_lengths(&lengths)?[..]
        else {
            return None;
        };
        let Some([count]) = iter.extents.as_deref() else {
            return None;
        };
        let is_all = match &*count.kind {
            Kind::Dim(list, 0) => [&starts.expr, &lengths.expr].contains(&list),
            _ => false,
        };
        let all = all.leaves().first().map(|all| all.expr.clone())?;
        if !is_all || all.ty.rank != 1 {
            return None;
        }
        let (axes, _) = self.indices(&[super::array::length(all, 0)]);
        let zeros = super::combinator::built(axes, Expr::real(0.0));
        let parts = vec![
            starts.clone().into(),
            lengths.clone().into(),
            Value::of_rust(Plain::new(zeros)),
        ];
        Some(Columns::whole(Value::List(List::Rows(parts))))
    }

    fn list_of_lengths(&self, length: &Expr) -> Option<(Sym, Sym)> {
        match &*length.kind {
            Kind::Var(sym) => self.reads.get(sym).cloned(),
            Kind::Prim(Prim::IMax, parts) => parts.iter().find_map(|e| self.list_of_lengths(e)),
            _ => listed(length),
        }
    }

    /// The parts of the list of lists in scope that has these lengths.
    fn rows_of_lengths(&self, lengths: &Sym) -> Option<Vec<Value>> {
        fn find(value: &Value, lengths: &Sym) -> Option<Vec<Value>> {
            match value {
                Value::List(List::Rows(parts)) => {
                    let is_it = matches!(&parts[1], Value::Plain(plain)
                        if matches!(&*plain.expr.kind, Kind::Var(sym) if sym == lengths));
                    is_it.then(|| parts.clone())
                }
                Value::List(List::Columns(list)) => find(&list.of, lengths),
                _ => (value.components()?.iter()).find_map(|part| find(part, lengths)),
            }
        }
        let entry = self.env.first(|e| match &e.binding {
            Binding::Value(value) => find(value, lengths).is_some(),
            _ => false,
        })?;
        match &entry.binding {
            Binding::Value(value) => find(value, lengths),
            _ => None,
        }
    }
}
