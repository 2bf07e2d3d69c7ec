//! Generated functions of a function that writes through `&mut` parameters.
//!
//! ```text
//! f_value(args..) -> R
//! f_jvp(args.., tangents.., (&mut w, &mut w_tangent)..)
//! f_vjp(args.., cotangents.., &mut w..) -> (R, G)
//! all others: the arguments of f, w as it was
//! ```
//!
//! The parameters of a product that are written come last. A body sees the values on entry by their
//! names, and gives what is to be written, as the result of a function without `&mut` would be.

use super::emit::{Context, tuple};
use super::names::Names;
use crate::derivative::Derivative;
use crate::front::data::{Data, Tree};
use crate::front::signature::{Arg, Signature};
use crate::front::types::Passing;
use crate::front::writes::{Back, Write};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

impl Derivative {
    /// Whether this function writes what the annotated one writes.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Derivative::Value | Derivative::Vjp | Derivative::Jvp)
    }
}

impl Context<'_> {
    /// The arguments, with the types of the function as written.
    pub(super) fn own_params(&self) -> Vec<(Ident, TokenStream)> {
        let signature = self.signature;
        let args = signature.args.iter().enumerate();
        let of = |(k, a): (usize, &Arg)| {
            let written = signature.writes.iter().find(|w| w.arg == k);
            let ty = written.map_or(&a.ty.ty, |w| &w.ty);
            (a.ident.clone(), ty.to_token_stream())
        };
        args.map(of).collect()
    }

    /// The parameters of a generated function, in order.
    pub(super) fn params(&self, what: Derivative) -> Vec<(Ident, TokenStream)> {
        let signature = self.signature;
        if what.is_of_linear() {
            return self.extra_params(what);
        }
        let own = self.own_params();
        if signature.writes.is_empty() || !matches!(what, Derivative::Vjp | Derivative::Jvp) {
            return own.into_iter().chain(self.extra_params(what)).collect();
        }
        let is_written = |k: &usize| signature.writes.iter().any(|w| w.arg == *k);
        // `self` stands first, also where it is written.
        let is_last = |k: &usize| is_written(k) && own[*k].0 != "self";
        let first = (0..own.len()).filter(|k| !is_last(k));
        let mut params: Vec<_> = first.map(|k| own[k].clone()).collect();
        if what == Derivative::Vjp {
            let cotangents = self.cotangents().into_iter();
            params.extend(cotangents.map(|(ident, ty, _)| (ident, ty)));
            let last = (0..own.len()).filter(is_last);
            params.extend(last.map(|k| own[k].clone()));
            return params;
        }
        let extra = self.extra_params(what);
        let of_wrt = self.wrt.iter().zip(extra);
        params.extend(of_wrt.filter(|(k, _)| !is_written(k)).map(|(_, p)| p));
        let tangents = self.tangents();
        for (w, tangent) in signature.writes.iter().zip(tangents) {
            if is_last(&w.arg) {
                params.push(own[w.arg].clone());
            }
            params.push((tangent, w.ty.to_token_stream()));
        }
        params
    }

    /// The names of the tangents of what is written.
    fn tangents(&self) -> Vec<Ident> {
        let args = &self.signature.args;
        let extra = self.extra_params(Derivative::Jvp);
        let taken = args.iter().map(|a| a.ident.to_string());
        let taken = taken.chain(extra.iter().map(|(i, _)| i.to_string()));
        let mut names = Names::without(taken);
        let of = |w: &Write| match self.wrt.iter().position(|k| *k == w.arg) {
            Some(k) => extra[k].0.clone(),
            None => self.spanned(&names.fresh(&format!("{}_tangent", args[w.arg].ident))),
        };
        self.signature.writes.iter().map(of).collect()
    }

    /// The cotangents of the parts of the result: names, types, and how each is passed.
    fn cotangents(&self) -> Vec<(Ident, TokenStream, Data)> {
        let signature = self.signature;
        let args = &signature.args;
        let mut names = Names::without(args.iter().map(|a| a.ident.to_string()));
        let (result, written) = signature.pieces();
        let result = result.map(|tree| ("cotangent".to_owned(), tree));
        let written = written.into_iter();
        let written = written.map(|(w, tree)| (format!("{}_cotangent", args[w.arg].ident), tree));
        let of = |(name, tree): (String, &Tree)| {
            let mut signature = signature.clone();
            signature.result.tree = tree.clone();
            let (ty, data) = self.of_signature(&signature).cotangent();
            (self.spanned(&names.fresh(&name)), ty, data)
        };
        result.into_iter().chain(written).map(of).collect()
    }

    /// The signature of what is of one result.
    pub(super) fn single(&self, what: Derivative) -> Option<Signature> {
        let single = self.signature.single().filter(|_| !what.writes());
        single.map(|(signature, _)| signature)
    }

    /// The head of another signature.
    pub(super) fn of_signature<'s>(&'s self, signature: &'s Signature) -> Context<'s> {
        Context::of_heads(signature, self.wrt, self.root.clone())
    }

    /// An identifier that head and body share, though they may come from different expansions.
    fn spanned(&self, ident: &Ident) -> Ident {
        let span = Span::call_site().resolved_at(self.signature.ident.span());
        Ident::new(&ident.to_string(), span)
    }

    /// What a generated function returns, if it writes what the annotated one writes.
    pub(super) fn returned(&self, what: Derivative) -> Option<TokenStream> {
        if self.signature.writes.is_empty() || !what.writes() {
            return None;
        }
        let (result, _) = self.signature.pieces();
        let result = result.map(|tree| self.owned(tree));
        let mut parts: Vec<TokenStream> = result.into_iter().collect();
        if what == Derivative::Jvp {
            parts.extend(parts.clone());
        } else if what == Derivative::Vjp {
            parts.push(self.gradient());
        }
        let returned = match &parts[..] {
            [] => quote!(()),
            _ => tuple(parts),
        };
        Some(self.wrapped(&returned))
    }

    /// Statements that bring the values on entry to hand under the names of the parameters.
    fn entered(&self) -> TokenStream {
        let signature = self.signature;
        let own = signature.writes.iter().map(|w| {
            let ident = &signature.args[w.arg].ident;
            entered(ident, w)
        });
        own.collect()
    }

    /// A body that is given what the function as written is given, and writes what is written.
    pub(super) fn written(&self, what: Derivative, body: TokenStream) -> TokenStream {
        let signature = self.signature;
        if signature.writes.is_empty() {
            return body;
        }
        let mut entered = self.entered();
        if !what.writes() {
            return quote!(#entered #body);
        }
        let count = signature.writes.len() + usize::from(signature.has_result);
        let names = |word: &str| -> Vec<Ident> {
            let name = |k| format_ident!("{word}_{k}", span = Span::mixed_site());
            (0..count).map(name).collect()
        };
        let (values, tangents) = (names("value"), names("tangent"));
        let pattern = |names: &[Ident]| tuple(names.iter().map(|n| quote!(#n)).collect());
        let mut given = pattern(&values);
        let gradient = Ident::new("gradient", Span::mixed_site());
        let mut returned: Vec<TokenStream> = vec![];
        if signature.has_result {
            returned.push(values[0].to_token_stream());
        }
        let first = usize::from(signature.has_result);
        let back = |w: &Write, ident: &Ident, value: &Ident| match w.back {
            // Elements that are made of several are not `Copy`.
            Back::Slice if is_many(&signature.args[w.arg].ty.tree) => {
                quote!(#ident.swap_with_slice(&mut { #value });)
            }
            Back::Slice => quote!(#ident.copy_from_slice(&#value);),
            Back::View => quote! {
                let mut #ident = #ident;
                #ident.assign(&#value);
            },
            Back::Scalar | Back::Whole => quote!(*#ident = #value;),
        };
        let mut out = TokenStream::new();
        for (w, value) in signature.writes.iter().zip(&values[first..]) {
            out.extend(back(w, &signature.args[w.arg].ident, value));
        }
        if what == Derivative::Vjp {
            given = quote!((#given, #gradient));
            returned.push(quote!(#gradient));
            let cotangents = self.cotangents();
            let name = &self.extra_params(what)[0].0;
            if let [(only, ..)] = &cotangents[..] {
                entered.extend(quote!(let #name = #only;));
            } else {
                let parts = cotangents.iter().map(|(ident, _, data)| match &data.tree {
                    Tree::Leaf(w) if w.is_scalar() => quote!(#ident),
                    Tree::Leaf(w) if w.passing == Passing::Slice => {
                        quote!(#ident.to_vec())
                    }
                    Tree::Many(_) => quote!(#ident.to_vec()),
                    Tree::Leaf(_)
                    | Tree::Tuple(_)
                    | Tree::List(_)
                    | Tree::Struct(..)
                    | Tree::Optional(_)
                    | Tree::Rows(_) => {
                        quote!(::core::clone::Clone::clone(#ident))
                    }
                });
                entered.extend(quote!(let #name = &(#(#parts),*);));
            }
        } else if what == Derivative::Jvp {
            let along = pattern(&tangents);
            given = quote!((#given, #along));
            if signature.has_result {
                returned.push(tangents[0].to_token_stream());
            }
            let names = self.tangents();
            for ((w, name), value) in signature.writes.iter().zip(&names).zip(&tangents[first..]) {
                if self.wrt.contains(&w.arg) {
                    entered.extend(self::entered(name, w));
                }
                out.extend(back(w, name, value));
            }
        }
        let returned = match &returned[..] {
            [] => None,
            _ => Some(tuple(returned)),
        };
        let returned = match &signature.wrapper {
            Some(wrapper) => Some(wrapper.there(&returned.unwrap_or_else(|| quote!(())))),
            None => returned,
        };
        quote! {
            let #given = { #entered #body };
            #out
            #returned
        }
    }
}

fn is_many(tree: &Tree) -> bool {
    matches!(tree, Tree::Many(_))
}

/// Brings the value on entry to hand.
fn entered(ident: &Ident, w: &Write) -> TokenStream {
    match w.back {
        // There is no variable of this name, and a reference to write is one to read as well.
        Back::Whole if ident == "self" => TokenStream::new(),
        Back::Scalar => quote!(let #ident = *#ident;),
        Back::View => quote!(let #ident = #ident.view();),
        Back::Slice | Back::Whole => quote!(let #ident = &*#ident;),
    }
}

/// A value on entry, given as what a function as written takes.
pub(super) fn given_again(ident: &Ident, w: &Write) -> TokenStream {
    match w.back {
        Back::Slice => quote!(&mut #ident.to_vec()[..]),
        Back::View => quote!(#ident.to_owned().view_mut()),
        Back::Scalar => quote!(&mut ::core::clone::Clone::clone(&#ident)),
        Back::Whole => quote!(&mut ::core::clone::Clone::clone(#ident)),
    }
}
