//! Tiles: a closure that makes some neighbouring elements of arrays.

use super::rooms::Keepable;
use super::{Function, Local, Scope, memory};
use crate::back::tokens;
use crate::ir::bulk::Var;
use crate::ir::kernel::{Division, Tiles};
use crate::thresholds::{ARRAYS_IN_PLACE, INLINED_TILE, LOOP_OF_ITS_OWN};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Block, Stmt};

/// What is made where it is kept.
#[derive(Default)]
struct Lasting {
    shapes: Vec<TokenStream>,
    types: Vec<TokenStream>,
    pattern: Vec<TokenStream>,
    places: Vec<Ident>,
}

impl Function<'_> {
    pub(super) fn tiles(&self, t: &Tiles) -> TokenStream {
        let named = |ident: &Ident, bare: bool| Local {
            ident: ident.to_token_stream(),
            scalar: None,
            bare,
            is_view: false,
            small: None,
            is_typed: true,
        };
        let mut params: Vec<Local> = t.given.iter().map(|v| self.local(*v)).collect();
        let (first, length) = (self.fresh("first"), self.fresh("len"));
        params.extend([&first, &length].map(|name| named(name, true)));
        let inner = self.inside(&t.body, &params, 0);
        let places = self.places_of_tiles(t, &inner);
        let mut written: Vec<(TokenStream, Vec<Var>)> = vec![];
        for (step, gone) in t.body.steps.iter().zip(memory::gone(&t.body)) {
            written.push((inner.step(step), gone));
        }
        let size: usize = written.iter().map(|(step, _)| tokens::length(step)).sum();
        let is_large = self.root().dispatched && size > INLINED_TILE;
        let mut steps = TokenStream::new();
        for (step, gone) in written {
            steps.extend(match is_large {
                true => within(&self.set(), step),
                false => step,
            });
            for v in gone {
                let array = &inner.local(v).ident;
                steps.extend(quote!(::core::mem::drop(#array);));
            }
        }
        let (mut shapes, mut pieces, mut pattern) = (vec![], vec![], vec![]);
        let mut kept = Lasting::default();
        let mut names: Vec<(Var, Ident)> = vec![];
        for out in &t.outs {
            let name = self.fresh(&self.wish(out.var));
            let mutable = self.mutable.contains(&out.var).then(|| quote!(mut));
            let bound = quote!(#mutable #name);
            names.push((out.var, name));
            let v = t.body.results[out.result];
            if inner.rooms.is_kept(v).is_some() {
                let shape = self.shape_tokens(&out.ty);
                kept.shapes.push(quote!([#(#shape),*]));
                let (elem, rank) = (self.scalar(out.ty.elem), out.ty.rank());
                let rank = Literal::usize_unsuffixed(rank);
                kept.types.push(quote!(rt::Lasting<#elem, #rank>));
                kept.pattern.push(bound);
                let place = places.iter().find(|(made, _)| *made == v);
                kept.places.extend(place.map(|(_, name)| name.clone()));
                continue;
            }
            pattern.push(bound);
            let piece = match inner.local(v).is_view {
                true => inner.copy_of(v, None),
                false => Self::moved(&inner.local(v), None),
            };
            let shape = self.shape_tokens(&out.ty);
            let (shape, piece) = match t.added.contains(&out.result) {
                true => (quote!(()), quote!(rt::Added(#piece))),
                false => (quote!([#(#shape),*]), piece),
            };
            shapes.push(shape);
            pieces.push(piece);
        }
        for (v, name) in &names {
            self.locals.borrow_mut().insert(*v, named(name, false));
        }
        let extent = self.size(&t.extent).tokens;
        let (kernel, each) = match &t.division {
            Division::Tiles(elements) => (quote!(in_tiles), elements),
            Division::Shares(work) => (quote!(in_shares), work),
        };
        let (each, set) = (self.size(each).tokens, self.instruction_set());
        if !kept.types.is_empty() {
            let Lasting {
                shapes: kept_shapes,
                types,
                pattern: kept_pattern,
                places,
            } = kept;
            return quote! {
                let ((#(#pattern,)*), (#(#kept_pattern,)*)) = rt::in_tiles_and_places::<#set, _, (#(#types,)*)>(
                    #extent,
                    #each,
                    ((#(#shapes,)*), (#(#kept_shapes,)*)),
                    |#first, #length, (#(#places,)*)| {
                        #steps
                        (#(#pieces,)*)
                    },
                );
            };
        }
        quote! {
            let (#(#pattern,)*) = rt::#kernel::<#set, _>(#extent, #each, (#(#shapes,)*), |#first, #length| {
                #steps
                (#(#pieces,)*)
            });
        }
    }

    /// Places for what tiles make element by element: where it is kept, instead of memory of their
    /// own. Of those that pay, the first few.
    fn places_of_tiles(&self, t: &Tiles, inner: &Function<'_>) -> Vec<(Var, Ident)> {
        let mut places: Vec<(Var, Ident)> = vec![];
        if !matches!(t.division, Division::Tiles(_)) {
            return places;
        }
        let keepable = Keepable::of(&t.body);
        for out in &t.outs {
            let v = t.body.results[out.result];
            let is_many = out.ty.rank() > 2 && !t.added.contains(&out.result);
            if is_many && keepable.makes(v) && places.len() < ARRAYS_IN_PLACE {
                let name = self.fresh(&format!("{}_place", self.wish(out.var)));
                inner.rooms.offer(v, quote!(#name));
                places.push((v, name));
            }
        }
        places
    }

    /// What the code of a body is compiled for.
    fn instruction_set(&self) -> TokenStream {
        match self.root().dispatched {
            true => self.set().into_token_stream(),
            false => quote!(rt::Baseline),
        }
    }

    /// The name of the type parameter that says so.
    pub(super) fn set(&self) -> Ident {
        let real = &self.context.signature.real;
        let name = if real.name() == "Set" { "Set_" } else { "Set" };
        Ident::new(name, Span::mixed_site())
    }
}

/// Statements with loops of their own, each compiled for the instruction set: a closure is only if
/// it is inlined into what is, and one with many loops is not.
fn within(set: &Ident, step: TokenStream) -> TokenStream {
    let Ok(mut block) = syn::parse2::<Block>(quote!({ #step })) else {
        return step;
    };
    for statement in &mut block.stmts {
        let value = match statement {
            Stmt::Local(syn::Local {
                init: Some(init), ..
            }) => &mut *init.expr,
            Stmt::Expr(e, _) => e,
            Stmt::Local(_) | Stmt::Item(_) | Stmt::Macro(_) => continue,
        };
        if tokens::length(&value.to_token_stream()) > LOOP_OF_ITS_OWN {
            *value = syn::parse_quote!(#set::within(|| #value));
        }
    }
    let statements = block.stmts;
    quote!(#(#statements)*)
}
