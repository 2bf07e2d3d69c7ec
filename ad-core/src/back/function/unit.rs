//! Calls of units.

use super::{Function, Local};
use crate::back::name_check::users;
use crate::back::nest::Scope;
use crate::ir::bulk::Var;
use crate::ir::kernel::UnitCall;
use crate::ir::ty::Elem;
use crate::ir::unit::{Given, Rule, Unit};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// The name of a function of a unit, below its path.
pub(crate) fn name(prefix: &str, rule: Rule) -> Ident {
    format_ident!("{prefix}call_{}", rule.name())
}

impl Function<'_> {
    pub(super) fn unit_call(&self, c: &UnitCall) -> TokenStream {
        let mut before = TokenStream::new();
        let args: Vec<TokenStream> = (c.args.iter())
            .map(|v| self.handed(*v, &mut before))
            .collect();
        let (function, unit) = (function(&c.unit, c.rule), &c.unit);
        // A result of which only a length is used has a name, too.
        let named = |result: usize| {
            let is_used = |o: &crate::ir::kernel::Out| match unit.given(o.result) {
                Given::Length(k, _) => k == result,
                Given::Result(_) | Given::Derivative(_) => o.result == result,
            };
            c.outs.iter().any(is_used)
        };
        let mut pattern = vec![];
        let mut names = vec![];
        for result in 0..unit.count(c.rule) {
            if matches!(unit.given(result), Given::Length(..)) {
                names.push(None);
                continue;
            }
            let out = c.outs.iter().find(|o| o.result == result);
            let wish = out.map_or_else(|| "t".to_owned(), |o| self.wish(o.var));
            let name = named(result).then(|| self.fresh(&wish));
            let mutable = out.filter(|o| self.mutable.contains(&o.var));
            let mutable = mutable.map(|_| quote!(mut));
            pattern.push(match &name {
                Some(name) => quote!(#mutable #name),
                None => quote!(_),
            });
            names.push(name);
        }
        let mut lengths = TokenStream::new();
        for o in &c.outs {
            let rank = unit.gives(c.rule, o.result).rank;
            let ident = match unit.given(o.result) {
                Given::Length(k, axis) => {
                    let of = names[k].clone().expect("it has a name");
                    let length = self.fresh(&format!("{of}_len"));
                    let axis = Literal::usize_unsuffixed(axis);
                    lengths.extend(quote!(let #length = #of.len(#axis);));
                    length
                }
                Given::Result(_) | Given::Derivative(_) => {
                    names[o.result].clone().expect("it has a name")
                }
            };
            let local = Local {
                ident: quote!(#ident),
                scalar: None,
                bare: rank == 0,
                is_view: false,
                small: None,
                is_typed: true,
            };
            self.locals.borrow_mut().insert(o.var, local);
        }
        quote!(#before let (#(#pattern,)*) = #function(#(#args),*); #lengths)
    }

    /// An argument as units take it: scalars by value, arrays as views of `f64`, `i64` and `bool`.
    fn handed(&self, v: Var, before: &mut TokenStream) -> TokenStream {
        let l = self.local(v);
        if Scope::shape(self, v).is_empty() {
            return self.read(v, &[]).tokens;
        }
        let foreign = l.scalar.filter(|s| s.elem() == Elem::Int);
        if foreign.is_none_or(|s| s.name() == "i64") {
            return self.view(v);
        }
        let index: Vec<Ident> = (0..Scope::shape(self, v).len())
            .map(|_| self.fresh("i"))
            .collect();
        let at: Vec<TokenStream> = index.iter().map(|i| quote!(#i)).collect();
        let element = self.read(v, &at).tokens;
        let shape = Scope::shape(self, v).iter();
        let shape: Vec<TokenStream> = shape.map(|s| self.size(s).tokens).collect();
        let name = self.fresh("t");
        before.extend(quote!(let #name = rt::build([#(#shape),*], |[#(#index),*]| #element);));
        quote!(#name.view())
    }
}

/// The path of a function of a unit.
pub(crate) fn function(unit: &Unit, rule: Rule) -> TokenStream {
    let mut path: syn::Path = syn::parse_str(&unit.path).expect("units have paths");
    for segment in &mut path.segments {
        segment.ident.set_span(Span::call_site());
    }
    path.segments.push(name(&unit.prefix, rule).into());
    users(&path)
}
