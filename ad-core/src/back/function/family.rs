//! Several arrays in one pass.

use super::{Function, Local, Scope, small};
use crate::back::expr::Expr;
use crate::back::nest::Writer;
use crate::back::range::pattern_of;
use crate::back::real::typed_literal;
use crate::ir::bulk::Type;
use crate::ir::kernel::{Family, Fill, Form, Member};
use crate::thresholds::ARRAYS_FILLED_TOGETHER;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// How many elements a new array has that is on the stack. A single one is a plain scalar.
fn on_stack(ty: &Type) -> Option<usize> {
    small::len(ty).filter(|_| ty.rank() > 0)
}

impl Function<'_> {
    /// Sums begin as arrays of their own; new arrays are what the pass returns.
    pub(super) fn family(&self, f: &Family) -> TokenStream {
        let mut before = TokenStream::new();
        let mut sums: Vec<(Ident, &Member)> = vec![];
        let mut new: Vec<(Ident, &Member)> = vec![];
        let mut placed: Vec<(Ident, &Member)> = vec![];
        for m in &f.members {
            match &m.fill {
                Fill::Each(_)
                    if new.len() < ARRAYS_FILLED_TOGETHER && on_stack(&m.ty).is_none() =>
                {
                    new.push((self.fresh(&self.wish(m.var)), m));
                }
                Fill::Each(_) => {
                    let name = self.fresh(&self.wish(m.var));
                    before.extend(self.blank(&name, &m.ty));
                    placed.push((name, m));
                }
                Fill::At { to, .. } => {
                    let (name, made) = match to {
                        Some(k) => self.begun(&f.begins[*k], m.var, &m.ty),
                        None if m.ty.rank() == 0 => {
                            let name = self.fresh(&self.wish(m.var));
                            let zero = typed_literal(0.0, &self.context.signature.real).tokens;
                            (name.clone(), quote!(let mut #name = #zero;))
                        }
                        None => {
                            let name = self.fresh(&self.wish(m.var));
                            let shape = self.shape_tokens(&m.ty);
                            let called = self.model(m.var, &m.ty);
                            let zeros = self.zeros(called.as_deref(), small::len(&m.ty), &shape);
                            let of = self.annotation(&m.ty, small::len(&m.ty));
                            (name.clone(), quote!(let mut #name #of = #zeros;))
                        }
                    };
                    before.extend(made);
                    sums.push((name, m));
                }
            }
        }
        let more: Vec<usize> = f.roots().skip(1).chain(f.indices()).collect();
        let writer = || Writer::new(&f.nest, &more, self);
        let parts: Vec<_> = (sums.iter())
            .flat_map(|(to, m)| {
                let adds = m.fill.adds();
                (m.fill.parts().iter()).map(move |p| (to.clone(), adds, p))
            })
            .collect();
        let addends: Vec<_> = parts.iter().map(|(to, _, p)| (to.clone(), *p)).collect();
        let elements: Vec<usize> = new.iter().flat_map(|(_, m)| m.fill.roots()).collect();
        let rest: Vec<_> = placed
            .iter()
            .map(|(to, m)| (to.clone(), m.fill.roots()[0]))
            .collect();
        let is_made = !addends.is_empty() || !placed.is_empty();
        // Where new arrays are made that a loop keeps.
        let rooms: Vec<Option<TokenStream>> =
            new.iter().map(|(_, m)| self.rooms.take(m.var)).collect();
        let places = rooms.iter().any(Option::is_some).then(|| {
            let places: Vec<TokenStream> = (rooms.iter())
                .map(|p| p.clone().unwrap_or_else(|| quote!(rt::anew())))
                .collect();
            match &places[..] {
                [one] => quote!(#one,),
                many => quote!((#(#many),*),),
            }
        });
        // What is added somewhere is added once.
        let is_costly = !is_made && writer().is_costly(&elements, false);
        let function = match (&new[..], is_costly, &places) {
            ([], ..) => quote!(rt::for_each),
            ([_], false, None) => quote!(rt::build),
            ([_], false, Some(_)) => quote!(rt::build_in),
            ([_], true, None) => quote!(rt::build_costly),
            ([_], true, Some(_)) => quote!(rt::build_costly_in),
            (_, false, None) => quote!(rt::build_all),
            (_, false, Some(_)) => quote!(rt::build_all_in),
            (_, true, None) => quote!(rt::build_all_costly),
            (_, true, Some(_)) => quote!(rt::build_all_costly_in),
        };
        let pass = |w: &mut Writer<'_>| {
            let (lets, rest) = w.members(&rest, &parts, &elements);
            let is_block = !lets.is_empty() || is_made;
            let body = quote!(#lets #rest);
            let body = match is_block {
                true => quote!({ #body }),
                false => body,
            };
            if f.nest.outer == 0 {
                return body;
            }
            let index = w.loops[..f.nest.outer].iter();
            let index: Vec<TokenStream> = index.map(|l| pattern_of(l, &body)).collect();
            let extents = f.nest.loops[..f.nest.outer].iter();
            let extents = extents.map(|n| self.size(n).tokens);
            quote!(#function(#places [#(#extents),*], |[#(#index),*]| #body))
        };
        let is_whole = f.nest.is_total();
        let plain = || {
            if is_whole {
                let mut w = writer().with_blocks();
                let all = pass(&mut w);
                return (w.choice(&all, &|| pass(&mut writer()))).unwrap_or(all);
            }
            let mut w = writer();
            let runs = w.outer_runs();
            let (lets, rest) = w.members(&[], &parts, &[]);
            w.around(runs, quote!(#lets #rest), !lets.is_empty())
        };
        let by_rows = |row: &TokenStream| {
            let function = match (&elements[..], &places) {
                ([], _) => quote!(rt::for_rows),
                ([_], None) => quote!(rt::build_rows),
                ([_], Some(_)) => quote!(rt::build_rows_in),
                (_, None) => quote!(rt::build_all_rows),
                (_, Some(_)) => quote!(rt::build_all_rows_in),
            };
            let extents = f.nest.loops[..f.nest.outer].iter();
            let extents = extents.map(|n| self.size(n).tokens);
            quote!(#function(#places [#(#extents),*], #row))
        };
        let all = match f.nest.form {
            Form::Plain | Form::ChangedRows => plain(),
            Form::Rows(cut) => by_rows(&writer().by_rows(&elements, cut)),
            Form::AddedRows { least } => {
                let length = &f.nest.loops[f.nest.outer - 1];
                let row = writer().added_by_rows(elements.first().copied(), &addends);
                let rows = by_rows(&row);
                match length.as_lit() {
                    Some(_) => rows,
                    None => {
                        let least = Expr::integer(least);
                        let is_long = least.infix("<=", self.size(length)).tokens;
                        let plain = plain();
                        quote!(if #is_long { #rows } else { #plain })
                    }
                }
            }
            Form::RowTotals { least } => {
                let (lets, rest) = writer().members(&[], &parts, &elements);
                let one_by_one = quote!({ #lets #rest });
                let (outside, row) =
                    writer().totals_by_rows(&elements, &addends, (least, &one_by_one));
                let rows = by_rows(&row);
                match outside.is_empty() {
                    true => rows,
                    false => quote!({ #outside #rows }),
                }
            }
        };
        let patterns: Vec<TokenStream> = (new.iter())
            .map(|(name, m)| {
                let mutable = self.mutable.contains(&m.var).then(|| quote!(mut));
                quote!(#mutable #name)
            })
            .collect();
        let pass = match &patterns[..] {
            [] if !is_whole => all,
            [] => quote!(#all;),
            [one] => quote!(let #one = #all;),
            many => quote!(let (#(#many),*) = #all;),
        };
        let w = writer();
        for (name, m) in sums.iter().chain(&placed).chain(&new) {
            let is_typed = match &m.fill {
                Fill::Each(n) => w.is_typed(*n),
                Fill::At { to: None, .. } => true,
                Fill::At { to: Some(k), .. } => self.is_typed(f.begins[*k].array),
            };
            let small = match &m.fill {
                Fill::At { to: Some(k), .. } => self.begun_small(&f.begins[*k], &m.ty),
                Fill::Each(_) => on_stack(&m.ty),
                Fill::At { to: None, .. } => on_stack(&m.ty),
            };
            let local = Local {
                ident: name.to_token_stream(),
                scalar: None,
                bare: m.ty.rank() == 0,
                is_view: self.rooms.is_kept(m.var).is_some(),
                small,
                is_typed,
            };
            self.locals.borrow_mut().insert(m.var, local);
        }
        quote!(#before #pass)
    }
}
