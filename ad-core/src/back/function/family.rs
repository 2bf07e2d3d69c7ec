//! Several arrays in one pass.

use super::{Function, Local, Scope, small};
use crate::back::expr::Expr;
use crate::back::nest::Writer;
use crate::back::range::pattern_of;
use crate::back::real::typed_literal;
use crate::ir::bulk::Type;
use crate::ir::kernel::{Addend, Family, Fill, Member, Node, Range};
use crate::thresholds::{ARRAYS_FILLED_TOGETHER, ROW_WORTH_SLICES};
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
        let addends: Vec<_> = (sums.iter())
            .flat_map(|(to, m)| m.fill.parts().iter().map(|p| (to.clone(), p)))
            .collect();
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
            let (lets, rest) = w.members(&rest, &addends, &elements);
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
        let is_whole = f.nest.ranges[..f.nest.outer].iter().all(Range::is_whole);
        let mut w = match is_whole {
            true => writer().with_blocks(),
            false => writer(),
        };
        let all = match is_whole {
            true => pass(&mut w),
            false => {
                let parts: Vec<_> = (sums.iter())
                    .flat_map(|(to, m)| m.fill.parts().iter().map(move |p| (to, m.fill.adds(), p)))
                    .collect();
                let runs = w.outer_runs();
                let (lets, rest) = w.all_members(&[], &parts, &[]);
                w.around(runs, quote!(#lets #rest), !lets.is_empty())
            }
        };
        let all = (w.choice(&all, &|| pass(&mut writer()))).unwrap_or(all);
        let elementwise = match is_whole && sums.is_empty() && placed.is_empty() {
            true => writer().by_rows(&elements),
            false => None,
        };
        let rows = match elementwise {
            Some(row) => {
                let function = match (&elements[..], &places) {
                    ([_], None) => quote!(rt::build_rows),
                    ([_], Some(_)) => quote!(rt::build_rows_in),
                    (_, None) => quote!(rt::build_all_rows),
                    (_, Some(_)) => quote!(rt::build_all_rows_in),
                };
                let extents = f.nest.loops[..f.nest.outer].iter();
                let extents = extents.map(|n| self.size(n).tokens);
                Some((None, quote!(#function(#places [#(#extents),*], #row))))
            }
            None if is_whole && placed.is_empty() => {
                let sums = (&elements[..], &addends[..]);
                (self.by_totals(f, sums, places.as_ref()))
                    .or_else(|| self.by_rows(f, sums, places.as_ref()))
            }
            None => None,
        };
        let all = match rows {
            Some((Some(long), rows)) => quote!(if #long { #rows } else { #all }),
            Some((None, rows)) => rows,
            None => all,
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

    /// The pass by rows, if it adds to rows, and when that is better, unless it always is.
    fn by_rows(
        &self,
        f: &Family,
        (elements, sums): (&[Node], &[(Ident, &Addend)]),
        place: Option<&TokenStream>,
    ) -> Option<(Option<TokenStream>, TokenStream)> {
        let length = f.nest.loops[..f.nest.outer].last()?;
        let is_short = length.as_lit().is_some_and(|n| n < ROW_WORTH_SLICES);
        if elements.len() > 1 || is_short || f.members.iter().any(|m| small::len(&m.ty).is_some()) {
            return None;
        }
        let more: Vec<usize> = f.roots().skip(1).chain(f.indices()).collect();
        let mut w = Writer::new(&f.nest, &more, self);
        let row = w.added_by_rows(elements.first().copied(), sums)?;
        let function = match (elements, place) {
            ([], _) => quote!(rt::for_rows),
            (_, None) => quote!(rt::build_rows),
            (_, Some(_)) => quote!(rt::build_rows_in),
        };
        let extents = f.nest.loops[..f.nest.outer].iter();
        let extents = extents.map(|n| self.size(n).tokens);
        let long = (length.as_lit().is_none()).then(|| {
            let few = Expr::integer(ROW_WORTH_SLICES);
            few.infix("<=", self.size(length)).tokens
        });
        Some((long, quote!(#function(#place [#(#extents),*], #row))))
    }

    /// The pass by rows, if it adds sums over them.
    fn by_totals(
        &self,
        f: &Family,
        (elements, sums): (&[Node], &[(Ident, &Addend)]),
        place: Option<&TokenStream>,
    ) -> Option<(Option<TokenStream>, TokenStream)> {
        if f.members.iter().any(|m| small::len(&m.ty).is_some()) {
            return None;
        }
        let more: Vec<usize> = f.roots().skip(1).chain(f.indices()).collect();
        let writer = || Writer::new(&f.nest, &more, self);
        let (lets, rest) = writer().members(&[], sums, elements);
        let (outside, row) = writer().totals_by_rows(elements, sums, &quote!({ #lets #rest }))?;
        let function = match (elements, place) {
            ([], _) => quote!(rt::for_rows),
            ([_], None) => quote!(rt::build_rows),
            ([_], Some(_)) => quote!(rt::build_rows_in),
            (_, None) => quote!(rt::build_all_rows),
            (_, Some(_)) => quote!(rt::build_all_rows_in),
        };
        let extents = f.nest.loops[..f.nest.outer].iter();
        let extents = extents.map(|n| self.size(n).tokens);
        let all = quote!(#function(#place [#(#extents),*], #row));
        let all = match outside.is_empty() {
            true => all,
            false => quote!({ #outside #all }),
        };
        Some((None, all))
    }
}
