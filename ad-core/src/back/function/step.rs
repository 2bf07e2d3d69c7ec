//! One step of a program as statements.
//!
//! Scalars, arrays, products of matrices and recurrences are written here; kinds of steps that make
//! several things have files of their own. How the elements of an array are written is in
//! `elements.rs`.

use super::{Function, Local, small};
use crate::back::expr::Expr;
use crate::back::nest::{Scope, Writer};
use crate::back::real;
use crate::front::types::Scalar;
use crate::ir::bulk::{Feed, Type, Var};
use crate::ir::kernel::{
    Affine, At, Contribution, Form, Nest, Operand, Source, Step, Within, Work,
};
use crate::ir::ty::{Elem, Lit};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

impl Function<'_> {
    /// The statements of a step; what it makes is at hand behind them.
    pub(super) fn step(&self, step: &Step) -> TokenStream {
        // First: the lengths that it has get their names before it does.
        let shape = self.shape_tokens(&step.ty);
        match &step.work {
            Work::Family(f) => return self.family(f),
            Work::Loop(s) => return self.sequence(s),
            Work::Call(c) => return self.unit_call(c),
            Work::Tiles(t) => return self.tiles(t),
            Work::Branch(b) => return self.branch(b),
            Work::Change { of, adds, parts } => return self.change(step, of, *adds, parts),
            Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } | Work::Recur { .. } => {}
        }
        if let Some(tokens) = self.part(step) {
            return tokens;
        }
        let name = self.fresh(&self.wish(step.out));
        let mutable = self.mutable.contains(&step.out).then(|| quote!(mut));
        let mut local = Local {
            ident: name.to_token_stream(),
            scalar: None,
            bare: step.ty.rank() == 0,
            is_view: false,
            small: small::elements(step),
            is_typed: true,
        };
        let tokens = match &step.work {
            Work::Nest(nest) if nest.outer == 0 => self.single(nest, &name, &mut local),
            Work::Nest(nest) if nest.is_total() => self.array_of(step, nest, &name, &mut local),
            Work::Nest(nest) => self.assigned(step, nest, &name, &shape, &local),
            Work::Scatter(contributions) => {
                self.scatter(step, contributions, &name, &shape, &mut local)
            }
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
                within,
                onto,
            } => {
                local.is_typed = [a, b].iter().any(|o| self.is_typed(o.array));
                local.bare = false;
                let value =
                    self.contract([a, b], [a_axes, b_axes, out_axes], within, onto.as_ref());
                quote!(let #mutable #name = #value;)
            }
            Work::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => {
                local.is_typed = self.is_typed(*a)
                    || match b {
                        Feed::One => false,
                        Feed::First(v) | Feed::Each(v) | Feed::All(v) => self.is_typed(*v),
                    };
                let value = self.recur(*a, *mask, b, *axis, *reverse, &step.ty);
                quote!(let #mutable #name = #value;)
            }
            Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => {
                unreachable!("written above")
            }
        };
        self.locals.borrow_mut().insert(step.out, local);
        tokens
    }

    /// A nest without outer loops: a scalar.
    fn single(&self, nest: &Nest, name: &Ident, local: &mut Local) -> TokenStream {
        let mut w = Writer::new(nest, &[], self).with_blocks();
        let written = |w: &mut Writer<'_>| {
            let (lets, root) = w.body();
            (lets, root.tokens)
        };
        let (lets, root) = written(&mut w);
        local.is_typed = w.is_typed(nest.root);
        let plain = || {
            let (lets, root) = written(&mut Writer::new(nest, &[], self));
            quote!(#lets #root)
        };
        if w.is_chosen()
            && let Some(value) = w.choice(&quote!(#lets #root), &plain)
        {
            quote!(let #name = #value;)
        } else if lets.is_empty() {
            quote!(let #name = #root;)
        } else {
            quote!(let #name = { #lets #root };)
        }
    }

    /// A nest that makes all elements of an array, and with them their sum, if that is wanted.
    fn array_of(&self, step: &Step, nest: &Nest, name: &Ident, local: &mut Local) -> TokenStream {
        let mutable = self.mutable.contains(&step.out).then(|| quote!(mut));
        let sum = self.summed.get();
        let room = || self.rooms.take(step.out);
        let values = self.build(nest, &step.ty, local, &room);
        match sum.filter(|_| self.summed.take().is_none()) {
            Some(sum) => {
                let total = self.fresh(&self.wish(sum));
                let of = Local {
                    ident: total.to_token_stream(),
                    bare: true,
                    ..local.clone()
                };
                self.locals.borrow_mut().insert(sum, of);
                self.sums.borrow_mut().insert(sum);
                quote!(let (#mutable #name, #total) = #values;)
            }
            None => {
                let of = self.annotation(&step.ty, local.small);
                quote!(let #mutable #name #of = #values;)
            }
        }
    }

    /// A nest that makes some elements of an array; the others are zeros.
    fn assigned(
        &self,
        step: &Step,
        nest: &Nest,
        name: &Ident,
        shape: &[TokenStream],
        local: &Local,
    ) -> TokenStream {
        let here: Vec<At> = (0..nest.outer).map(|l| At::Affine(Affine::of(l))).collect();
        let mut w = Writer::new(nest, &[], self);
        let elements = match nest.form {
            Form::ChangedRows => w.changed_by_rows(name, &here, "="),
            Form::Plain | Form::Rows(_) | Form::AddedRows { .. } | Form::RowTotals { .. } => {
                w.assignment(name, &here, "=")
            }
        };
        let zeros = self.zeros(None, local.small, shape);
        let of = self.annotation(&step.ty, local.small);
        quote!(let mut #name #of = #zeros; #elements)
    }

    /// Zeros, and what is added to them.
    fn scatter(
        &self,
        step: &Step,
        contributions: &[Contribution],
        name: &Ident,
        shape: &[TokenStream],
        local: &mut Local,
    ) -> TokenStream {
        let mut all = TokenStream::new();
        let of = self.annotation(&step.ty, local.small);
        for (k, c) in contributions.iter().enumerate() {
            if k == 0 {
                if let Some(values) = self.whole(c, &step.ty, local) {
                    all.extend(quote!(let mut #name #of = #values;));
                    continue;
                }
                let called = self.model(step.out, &step.ty);
                let zeros = self.zeros(called.as_deref(), local.small, shape);
                all.extend(quote!(let mut #name #of = #zeros;));
            }
            all.extend(self.contribution(c, name, "+="));
        }
        local.bare = false;
        if step.ty.rank() == 0 {
            all.extend(quote!(let #name = #name[[]];));
            local.bare = true;
            local.small = None;
        }
        all
    }

    /// A product of matrices; the axes are those of both operands and of the result.
    fn contract(
        &self,
        [a, b]: [&Operand; 2],
        axes: [&[u8]; 3],
        within: &[Within],
        onto: Option<&Source>,
    ) -> TokenStream {
        let (a, b) = (self.operand(a), self.operand(b));
        let [a_axes, b_axes, out_axes] = axes.map(|axes| {
            let axes = axes.iter().map(|&l| Expr::integer(i64::from(l)).tokens);
            quote!([#(#axes),*])
        });
        if let Some(Source { array, .. }) = onto {
            let onto = Self::moved(&self.local(*array), None);
            quote!(rt::contract_onto(#onto, #a, #a_axes, #b, #b_axes, #out_axes))
        } else if within.is_empty() {
            quote!(rt::contract(#a, #a_axes, #b, #b_axes, #out_axes))
        } else {
            let within = within.iter().map(|w| {
                let [less, more] = [w.less, w.more].map(|l| Expr::integer(i64::from(l)).tokens);
                let by = self.size(&w.by).tokens;
                quote!(rt::up_to(#less, #more, #by))
            });
            quote!(rt::contract_within(#a, #a_axes, #b, #b_axes, #out_axes, [#(#within),*]))
        }
    }

    /// A linear recurrence along an axis, from its end if `reverse` says so.
    fn recur(
        &self,
        a: Var,
        mask: Option<Var>,
        b: &Feed,
        axis: usize,
        reverse: bool,
        ty: &Type,
    ) -> TokenStream {
        let a = self.view(a);
        let mask = match mask {
            Some(m) => {
                let m = self.view(m);
                quote!(Some(#m))
            }
            None => quote!(None),
        };
        let axis = Literal::usize_unsuffixed(axis);
        let (kernel, b) = match b {
            Feed::One => {
                let one = real::literal(Lit::Real(1.0), &self.context.signature.real);
                (quote!(running_products), one.tokens)
            }
            Feed::First(v) if ty.rank() == 1 => {
                let start = self.read(*v, &[]).tokens;
                (quote!(running_products), start)
            }
            Feed::First(v) => (quote!(running_products), self.view(*v)),
            Feed::Each(v) => (quote!(recur_adding), self.view(*v)),
            Feed::All(v) => (quote!(recur), self.view(*v)),
        };
        quote!(rt::#kernel(#a, #mask, #b, #axis, #reverse))
    }

    /// What is a part of an array is read there.
    fn part(&self, step: &Step) -> Option<TokenStream> {
        let (of, at) = self.program.part(&self.taken, step)?;
        let local = self.local(of);
        if (local.scalar).is_some_and(|s| s.elem() == Elem::Int && s != Scalar::I64) {
            return None;
        }
        let name = self.fresh(&self.wish(step.out));
        let rank = Literal::usize_unsuffixed(step.ty.rank());
        let view = self.view(of);
        let at = at.iter().map(|a| match a {
            At::Affine(a) => self.size(&a.constant).tokens,
            At::Node(_) => unreachable!("places of parts are sizes"),
        });
        let tokens = quote!(let #name = #view.behind::<_, #rank>([#(#at),*]););
        let local = Local {
            ident: name.to_token_stream(),
            scalar: local.scalar,
            bare: false,
            is_view: true,
            small: None,
            is_typed: true,
        };
        self.locals.borrow_mut().insert(step.out, local);
        Some(tokens)
    }

    /// What a matrix product reads.
    fn operand(&self, o: &Operand) -> TokenStream {
        let view = self.view(o.array);
        let part = match &o.part {
            None => view,
            Some(part) => {
                let (start, len): (Vec<_>, Vec<_>) = (part.iter())
                    .map(|(s, n)| (self.size(s).tokens, self.size(n).tokens))
                    .unzip();
                quote!(#view.part([#(#start),*], [#(#len),*]))
            }
        };
        match o.negated {
            true => quote!(#part.negated()),
            false => part,
        }
    }
}
