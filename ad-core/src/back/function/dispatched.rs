//! Functions whose steps are a body of their own, which the runtime has compiled for several
//! instruction sets.
//!
//! Such a body is a method: the fields of a struct are what it is given, and it returns what the
//! results are made of. Users' types and constants stay outside, where they can be named.

use super::{Function, Given};
use crate::back::tokens::names_in;
use crate::front::real::RealType;
use crate::ir::bulk::Var;
use crate::ir::kernel::{Contribution, Nest, Program, Work};
use crate::ir::ty::{Atom, Elem, Size};
use crate::thresholds::STEPS_WORTH_DISPATCH;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::HashSet;

/// Whether wider vectors may make a program faster: it has loops that the caller's data makes long.
pub(super) fn pays(program: &Program, params: &[Given], real: &RealType) -> bool {
    // What is generic is so in something that it is given.
    let names_real = |p: &Given| {
        let written = p.written.as_ref();
        p.slot.is_none() && written.is_some_and(|w| w.is_real())
    };
    let is_possible = !matches!(real, RealType::Parameter(_)) || params.iter().any(names_real);
    // A constant that is a result has no name outside.
    let is_constant = |v: &Var| params.get(v.index()).is_some_and(|p| p.constant.is_some());
    // Neither has one in the size of an index map.
    let mut is_known = true;
    for b in &program.blocks {
        b.visit_sizes(&mut |s| {
            s.visit(&mut |a| match a {
                Atom::Int { param } => is_known &= !is_constant(&Var(*param as u32)),
                Atom::Dim { .. }
                | Atom::Value(_)
                | Atom::Quot(..)
                | Atom::Rem(..)
                | Atom::Min(..)
                | Atom::Max(..)
                | Atom::Select(..) => {}
            });
        });
    }
    is_possible && is_known && !program.results.iter().any(is_constant) && has_loops(program)
}

fn has_loops(program: &Program) -> bool {
    program.steps.iter().any(|step| match &step.work {
        Work::Nest(nest) => is_long(nest),
        Work::Scatter(parts) | Work::Change { parts, .. } => any_is_long(parts),
        Work::Family(f) => is_long(&f.nest),
        Work::Loop(s) => has_loops(&s.body) || s.goes_on.as_ref().is_some_and(has_loops),
        Work::Tiles(t) => has_loops(&t.body),
        Work::Branch(b) => b.sides().any(|side| has_loops(&side.body)),
        // The runtime has its own ways.
        Work::Contract { .. } | Work::Recur { .. } | Work::Call(_) => false,
    })
}

fn any_is_long(parts: &[Contribution]) -> bool {
    parts.iter().any(|c| is_long(&c.nest))
}

fn is_long(nest: &Nest) -> bool {
    let is_long = |n: &Size| n.as_lit().is_none_or(|n| n >= STEPS_WORTH_DISPATCH);
    nest.loops.iter().any(is_long)
}

impl Function<'_> {
    /// What a constant of the user's is called in the body.
    pub(super) fn name_of_constant(&self, path: &syn::Path) -> TokenStream {
        let last = path.segments.last();
        let wish = last.map_or("constant".into(), |s| s.ident.to_string().to_lowercase());
        self.fresh(&wish).into_token_stream()
    }

    /// The body, the call of it, and the results made of what it returns.
    pub(super) fn dispatched(&self, body: &TokenStream, results: &TokenStream) -> TokenStream {
        let used = names_in(body);
        let real = &self.context.signature.real;
        let mut fields = vec![];
        let (mut borrows, mut is_generic) = (false, false);
        for (k, given) in self.params.iter().enumerate() {
            let name = self.local(Var(k as u32)).ident;
            if !used.contains(&name.to_string()) {
                continue;
            }
            let (ty, value) = match (&given.written, given.constant) {
                (Some(w), _) => {
                    is_generic |= w.is_real() && !given.slot.is_some_and(|s| s.is_shape());
                    let is_shape = given.slot.is_some_and(|slot| slot.is_shape());
                    let elem = match (w.scalar.elem(), w.is_scalar()) {
                        _ if is_shape => quote!(()),
                        _ if w.is_opaque() => quote!(i64),
                        (Elem::Int, false) => {
                            Ident::new(w.scalar.name(), Span::mixed_site()).into_token_stream()
                        }
                        (elem, _) => self.scalar(elem),
                    };
                    borrows |= !w.is_scalar();
                    let rank = Literal::usize_unsuffixed(w.rank);
                    match w.is_scalar() {
                        true => (elem, None),
                        false => (quote!(rt::View<'a, #elem, #rank>), None),
                    }
                }
                (None, Some(k)) => {
                    let c = &self.context.consts[k];
                    is_generic |= c.elem == Elem::Real;
                    let value = self.value_of_constant(c, &given.tokens);
                    (self.scalar(c.elem), Some(value))
                }
                (None, None) => unreachable!("what has no type is a constant"),
            };
            fields.push((name, ty, value));
        }
        for (name, ty) in self.taken_with_tape() {
            if used.contains(&name.to_string()) {
                (borrows, is_generic) = (true, true);
                fields.push((quote!(#name), ty, None));
            }
        }
        let (returned, output) = self.returned();
        let all = quote!(#body #results);
        let taken = names_in(&all);
        let fresh = |wish: &str| {
            let mut name = wish.to_owned();
            while taken.contains(&name) || real.name() == name {
                name.push('_');
            }
            Ident::new(&name, Span::mixed_site())
        };
        let (name, set) = (fresh("Body"), self.set());
        let generic = match real {
            RealType::Parameter(t) if is_generic => Some(t),
            RealType::Parameter(_) | RealType::F64 | RealType::Mixed | RealType::F32 => None,
        };
        let (parameters, arguments) = match (borrows, generic) {
            (true, Some(t)) => (quote!(<'a, #t>), quote!(<'_, #t>)),
            (true, None) => (quote!(<'a>), quote!(<'_>)),
            (false, Some(t)) => (quote!(<#t>), quote!(<#t>)),
            (false, None) => (TokenStream::new(), TokenStream::new()),
        };
        let bound = generic.map(|t| quote!(<#t: rt::Real>));
        let declared = fields.iter().map(|(name, ty, _)| quote!(#name: #ty));
        let names: Vec<&TokenStream> = fields.iter().map(|(name, ..)| name).collect();
        let values = (fields.iter()).map(|(name, _, value)| match value {
            Some(value) => quote!(#name: #value),
            None => quote!(#name),
        });
        quote! {
            struct #name #parameters { #(#declared),* }
            impl #bound rt::Kernel for #name #arguments {
                type Output = #output;
                #[inline(always)]
                fn run<#set: rt::InstructionSet>(self) -> Self::Output {
                    let #name { #(#names),* } = self;
                    #body
                    #returned
                }
            }
            let #returned = rt::dispatch(#name { #(#values),* });
            #results
        }
    }

    /// What the body returns, and its type.
    fn returned(&self) -> (TokenStream, TokenStream) {
        let mut seen = HashSet::new();
        let (mut names, mut types) = (vec![], vec![]);
        for v in &self.program.results {
            let Some(ty) = self.computed.get(v) else {
                continue;
            };
            let local = self.local(*v);
            let name = local.ident;
            if !seen.insert(name.to_string()) {
                continue;
            }
            types.push(match local.bare {
                true => self.scalar(ty.elem),
                false => self.owned(ty, local.small),
            });
            names.push(name);
        }
        match (&names[..], &types[..]) {
            ([name], [ty]) => (quote!(#name), quote!(#ty)),
            _ => (quote!((#(#names),*)), quote!((#(#types),*))),
        }
    }
}
