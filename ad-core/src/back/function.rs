//! The body of a generated function: parameters, entry checks, steps, results.

mod dispatched;
mod family;
mod few;
mod memory;
mod replaced;
mod rooms;
mod sequence;
mod small;
mod summed;
#[cfg(test)]
mod tests;
mod tiled;
mod tiles;
pub(crate) mod unit;

use super::data::{Apart, Given};
use super::emit::{Context, name};
use super::expr::Expr;
use super::name_check::users;
use super::names::Names;
use super::nest::{Scope, Writer};
use super::outside::outside;
use super::range::pattern_of;
use super::real;
use super::sizes::{self, Named};
use super::tokens::{RUNTIME, USERS_RUNTIME, names_in};
use super::turned::turned;
use crate::front::infer::ConstUse;
use crate::front::real::RealType;
use crate::front::types::{Scalar, Written};
use crate::ir::bulk::{Feed, Relation, Require, Type, Var};
use crate::ir::kernel::{
    Affine, At, Contribution, Nest, Operand, Program, Range, Source, Step, Work,
};
use crate::ir::ty::{Atom, Elem, Lit, Size};
use crate::pipeline::Derivative;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use rooms::Rooms;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How a variable is at hand in the function being written.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) ident: TokenStream,
    /// What its elements are in Rust; computed ones are `f64`, `i64` and `bool`.
    pub(super) scalar: Option<Scalar>,
    /// A plain scalar, not an array of rank 0.
    pub(super) bare: bool,
    /// A view already (a parameter), not an owned array.
    pub(super) is_view: bool,
    /// How many elements an owned array on the stack has.
    pub(super) small: Option<usize>,
    /// Whether what it is bound to says its type: literals of `f64` have no suffix.
    is_typed: bool,
}

/// A generated function on its way to tokens.
pub(super) struct Function<'a> {
    context: &'a Context<'a>,
    what: Derivative,
    program: &'a Program,
    /// All parameters of the program: those of the signature, constants, and what the derivative adds.
    params: Vec<Given>,
    /// The arguments that are made of several of them.
    apart: Vec<Apart>,
    /// The parameters that gradients belong to.
    wrt: Vec<usize>,
    locals: RefCell<HashMap<Var, Local>>,
    lengths: RefCell<BTreeMap<(usize, usize), Ident>>,
    names: RefCell<Names>,
    /// The types of what the steps compute.
    computed: HashMap<Var, &'a Type>,
    /// The arrays that are changed after they were made.
    mutable: HashSet<Var>,
    /// The arrays that steps take.
    taken: HashSet<Var>,
    /// What a program of a loop stands in.
    outer: Option<&'a Function<'a>>,
    /// How many of its results are next states, if it is the body of a loop.
    states: usize,
    /// Whether its steps are a body of their own, for several instruction sets.
    dispatched: bool,
    /// The array that the step's new one may replace.
    replaced: Cell<Option<Var>>,
    /// The sum of its elements, if that is wanted as well.
    summed: Cell<Option<Var>>,
    /// The sums that are there already.
    sums: RefCell<HashSet<Var>>,
    /// Where arrays are made that the loop keeps of which this is a step.
    rooms: Rooms,
}

impl<'a> Function<'a> {
    pub(super) fn new(context: &'a Context<'a>, what: Derivative, program: &'a Program) -> Self {
        let args = &context.signature.args;
        let extra = context.extra_params(what);
        let own = args.iter().map(|a| a.ident.to_string());
        let extra_names = extra.iter().map(|(ident, _)| ident.to_string());
        let mut names = Names::without(own.chain(extra_names).chain(["rt".to_owned()]));
        let (mut params, mut apart) = (vec![], vec![]);
        for a in args {
            params.extend(Given::of(&a.ident, &a.ty, false, &mut names, &mut apart));
        }
        for (k, c) in context.consts.iter().enumerate() {
            let tokens = users(&c.path);
            params.push(Given {
                said: tokens.to_string(),
                tokens,
                written: None,
                is_part: false,
                constant: Some(k),
            });
        }
        for (k, (ident, _)) in extra.iter().enumerate() {
            let data = match what {
                Derivative::Jvp => args[context.wrt[k]].ty.clone(),
                Derivative::Value
                | Derivative::Grad
                | Derivative::ValueAndGrad
                | Derivative::Vjp => context.cotangent().1,
            };
            params.extend(Given::of(ident, &data, true, &mut names, &mut apart));
        }
        let dispatched = dispatched::pays(program, &params, &context.signature.real);
        Function {
            context,
            what,
            program,
            params,
            locals: RefCell::default(),
            lengths: RefCell::default(),
            apart,
            wrt: context.signature.real_leaves(context.wrt),
            names: RefCell::new(names),
            computed: program.steps.iter().flat_map(Step::defines).collect(),
            mutable: sequence::mutable(program),
            taken: program.taken(),
            outer: None,
            states: 0,
            dispatched,
            replaced: Cell::default(),
            summed: Cell::default(),
            sums: RefCell::default(),
            rooms: Rooms::default(),
        }
    }

    /// The function itself, which has the parameters and the names.
    fn root(&self) -> &Function<'a> {
        self.outer.map_or(self, |outer| outer.root())
    }

    pub(super) fn body(self) -> TokenStream {
        // The steps first: they say which parameters and lengths are used.
        for k in 0..self.params.len() {
            self.declare(k);
        }
        let checks = self.checks();
        let mut steps = TokenStream::new();
        let replaced = replaced::replaced(self.program);
        let sums = summed::summed(self.program);
        let gone = memory::gone(self.program).into_iter().zip(replaced);
        for (step, (gone, replaced)) in self.program.steps.iter().zip(gone) {
            self.replaced.set(replaced);
            self.summed.set(sums.get(&step.out).copied());
            if !self.sums.borrow().contains(&step.out) {
                steps.extend(self.step(step));
            }
            let is_replaced = self.replaced.take() != replaced;
            for v in gone {
                if is_replaced && replaced == Some(v) {
                    continue;
                }
                let array = &self.local(v).ident;
                steps.extend(quote!(::core::mem::drop(#array);));
            }
        }
        let results = self.results();
        let lengths = self.lengths_used();
        let body = quote!(#lengths #checks #steps);
        let body = match self.dispatched {
            true => self.dispatched(&body, &results),
            false => quote!(#body #results),
        };
        let used = names_in(&body);
        let is_used = |i: &Ident| used.contains(&i.to_string());
        let apart: TokenStream = self.with_names(|names| {
            let apart = self.apart.iter().map(|a| a.taken(&is_used, names));
            apart.collect()
        });
        let inputs: TokenStream = (0..self.params.len())
            .map(|k| self.input(k, &used))
            .collect();
        quote!(#apart #inputs #body)
    }

    /// Says how a parameter is at hand: by this name.
    pub(super) fn know(&self, v: Var, name: &Ident, bare: bool) {
        let local = Local {
            ident: quote!(#name),
            scalar: None,
            bare,
            is_view: true,
            small: None,
            is_typed: true,
        };
        self.locals.borrow_mut().insert(v, local);
    }

    /// The statements for the lengths that are used.
    pub(super) fn lengths_used(&self) -> TokenStream {
        let mut lengths = TokenStream::new();
        for ((param, axis), name) in self.lengths.borrow().iter() {
            let p = &self.local(Var(*param as u32)).ident;
            let axis = Literal::usize_unsuffixed(*axis);
            lengths.extend(quote!(let #name = #p.len(#axis);));
        }
        lengths
    }

    pub(super) fn local(&self, v: Var) -> Local {
        self.locals.borrow()[&v].clone()
    }

    /// Says how a parameter will be at hand.
    fn declare(&self, k: usize) {
        let Given {
            tokens,
            written,
            constant,
            ..
        } = &self.params[k];
        let local = match written {
            Some(w) => Local {
                ident: tokens.clone(),
                scalar: Some(w.scalar),
                bare: w.is_scalar(),
                is_view: true,
                small: None,
                is_typed: true,
            },
            None => {
                let Some(c) = constant.map(|k| &self.context.consts[k]) else {
                    unreachable!("what has no type is a constant")
                };
                let ident = match self.dispatched {
                    true => self.name_of_constant(&c.path),
                    false => self.value_of_constant(c, tokens),
                };
                Local {
                    ident,
                    scalar: None,
                    bare: true,
                    is_view: true,
                    small: None,
                    is_typed: true,
                }
            }
        };
        self.locals.borrow_mut().insert(Var(k as u32), local);
    }

    /// A constant of the user's, as the program sees it.
    fn value_of_constant(&self, c: &ConstUse, path: &TokenStream) -> TokenStream {
        match (c.elem, c.open) {
            (Elem::Int, _) => self.constant(path, "i64"),
            (Elem::Real, open) => self.real_constant(path, open),
            (Elem::Bool, _) => path.clone(),
        }
    }

    fn constant(&self, path: &TokenStream, ty: &str) -> TokenStream {
        let ty = Ident::new(ty, Span::mixed_site());
        quote!((#path as #ty))
    }

    /// A real constant of the user's. What it is declared as cannot be seen, so in a function of
    /// another real type than `f64` it is cast, too.
    fn real_constant(&self, path: &TokenStream, open: bool) -> TokenStream {
        let real = &self.context.signature.real;
        match real {
            RealType::F64 if !open => path.clone(),
            RealType::F64 | RealType::F32 => quote!((#path as #real)),
            RealType::Parameter(_) if is_associated(path, real) => path.clone(),
            RealType::Parameter(_) => quote!(rt::real::<#real>(#path as f64)),
        }
    }

    /// The statements that bring a parameter to hand, if it is used.
    fn input(&self, k: usize, used: &HashSet<String>) -> TokenStream {
        let given = &self.params[k];
        let Some(w) = &given.written else {
            return TokenStream::new();
        };
        let ident = &given.tokens;
        if used.contains(&ident.to_string()) {
            return self.brought(given, w);
        }
        match given.is_part {
            true => TokenStream::new(),
            false => quote!(let _ = #ident;),
        }
    }

    fn named(&self) -> Vec<Named> {
        (self.params.iter())
            .map(|p| Named {
                name: (p.said)
                    .replace(USERS_RUNTIME, RUNTIME)
                    .replace(" :: ", "::"),
                rank: p.written.as_ref().map_or(0, |w| w.rank),
            })
            .collect()
    }

    /// The relations between sizes that are checked on entry.
    fn checks(&self) -> TokenStream {
        let function = name(self.context.signature, self.what).to_string();
        let named = self.named();
        let mut out = TokenStream::new();
        let mut all = self.program.requires.clone();
        // Cotangents and tangents have the shape of what they belong to.
        for (k, p) in self.program.params.iter().enumerate() {
            for (axis, n) in p.ty.shape.iter().enumerate() {
                let mut computed = false;
                n.visit(&mut |a| computed |= matches!(a, Atom::Value(_)));
                let here = Size::dim(k, axis);
                let by_type = |w: &Written| w.fixed_length(axis).is_some();
                // A length that is a number where it matters need not be one elsewhere.
                let is_demanded = |r: &Require| {
                    r.relation == Relation::Equal
                        && [(&r.left, &r.right), (&r.right, &r.left)].contains(&(&here, n))
                };
                let computed = computed || self.program.requires.iter().any(is_demanded);
                if *n != here && !computed && !self.params[k].written.as_ref().is_some_and(by_type)
                {
                    all.push(Require {
                        when: vec![],
                        left: here,
                        relation: Relation::Equal,
                        right: n.clone(),
                    });
                }
            }
        }
        for r in &sizes::distinct(&all) {
            out.extend(sizes::check(&function, r, &named, &|a| self.leaf(a)));
        }
        out
    }

    /// A leaf of a symbolic size.
    fn leaf(&self, a: &Atom) -> Expr {
        let tokens = match a {
            Atom::Dim { param, axis } => {
                let root = self.root();
                let mut lengths = root.lengths.borrow_mut();
                let name = lengths.entry((*param, *axis)).or_insert_with(|| {
                    let tokens = root.local(Var(*param as u32)).ident;
                    let written = root.params.get(*param).and_then(|p| p.written.as_ref());
                    let part = match (written.map_or(0, |w| w.rank), axis) {
                        (1, _) => "len".to_owned(),
                        (2, 0) => "rows".to_owned(),
                        (2, _) => "cols".to_owned(),
                        (_, k) => format!("len{k}"),
                    };
                    root.names.borrow_mut().fresh(&format!("{tokens}_{part}"))
                });
                name.to_token_stream()
            }
            Atom::Int { param } => self.root().local(Var(*param as u32)).ident,
            Atom::Value(v) => self.local(Var(*v)).ident,
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) => {
                unreachable!("not a leaf")
            }
        };
        Expr::atom(tokens)
    }

    fn shape_tokens(&self, ty: &Type) -> Vec<TokenStream> {
        ty.shape.iter().map(|s| self.size(s).tokens).collect()
    }

    /// What panics call an array that is added to: a gradient by what it is the gradient of.
    fn model(&self, out: Var, ty: &Type) -> Option<String> {
        if self.outer.is_some() {
            return None;
        }
        let signature = self.context.signature;
        let skip = match self.what {
            Derivative::Value | Derivative::Jvp => return None,
            Derivative::Grad => 0,
            Derivative::ValueAndGrad | Derivative::Vjp => self.values(),
        };
        let results = self.program.results.iter().skip(skip);
        let of = |k: usize| format!("`{}`", self.params[k].said);
        for (r, &k) in results.zip(&self.wrt) {
            if *r == out {
                return Some(format!("the gradient of {}", of(k)));
            }
        }
        let has_its_shape =
            |k: &usize| ty.rank() > 0 && ty.shape == self.program.params[*k].ty.shape;
        let k = (0..signature.leaves().len()).find(has_its_shape)?;
        Some(format!("an array of the shape of {}", of(k)))
    }

    fn step(&self, step: &Step) -> TokenStream {
        let shape = self.shape_tokens(&step.ty);
        match &step.work {
            Work::Family(f) => return self.family(f),
            Work::Loop(s) => return self.sequence(s),
            Work::Call(c) => return self.unit_call(c),
            Work::Tiles(t) => return self.tiles(t),
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
            Work::Nest(nest) if nest.outer == 0 => {
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
            Work::Nest(nest) if is_whole(nest) => {
                let sum = self.summed.get();
                let room = || self.rooms.take(step.out);
                let values = self.build(nest, &step.ty, &mut local, &room);
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
            Work::Nest(nest) => {
                let here: Vec<At> = (0..nest.outer).map(|l| At::Affine(Affine::of(l))).collect();
                let elements = Writer::new(nest, &[], self).assignment(&name, &here, "=");
                let zeros = self.zeros(None, local.small, &shape);
                let of = self.annotation(&step.ty, local.small);
                quote!(let mut #name #of = #zeros; #elements)
            }
            Work::Scatter(contributions) => {
                let mut all = TokenStream::new();
                let of = self.annotation(&step.ty, local.small);
                for (k, c) in contributions.iter().enumerate() {
                    if k == 0 {
                        if let Some(values) = self.whole(c, &step.ty, &mut local) {
                            all.extend(quote!(let mut #name #of = #values;));
                            continue;
                        }
                        let called = self.model(step.out, &step.ty);
                        let zeros = self.zeros(called.as_deref(), local.small, &shape);
                        all.extend(quote!(let mut #name #of = #zeros;));
                    }
                    all.extend(self.contribution(c, &name, "+="));
                }
                local.bare = false;
                if step.ty.rank() == 0 {
                    all.extend(quote!(let #name = #name[[]];));
                    local.bare = true;
                    local.small = None;
                }
                all
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
                let (a, b) = (self.operand(a), self.operand(b));
                let axes = [a_axes, b_axes, out_axes].map(|axes| {
                    let axes = axes.iter().map(|&l| sizes::number(i64::from(l)));
                    quote!([#(#axes),*])
                });
                let [a_axes, b_axes, out_axes] = axes;
                local.bare = false;
                if let Some(Source { array, .. }) = onto {
                    let onto = Self::moved(&self.local(*array), None);
                    quote!(let #mutable #name = rt::contract_onto(#onto, #a, #a_axes, #b, #b_axes, #out_axes);)
                } else if within.is_empty() {
                    quote!(let #mutable #name = rt::contract(#a, #a_axes, #b, #b_axes, #out_axes);)
                } else {
                    let within = within.iter().map(|w| {
                        let [less, more] = [w.less, w.more].map(|l| sizes::number(i64::from(l)));
                        let by = self.size(&w.by).tokens;
                        quote!(rt::up_to(#less, #more, #by))
                    });
                    quote!(let #mutable #name = rt::contract_within(#a, #a_axes, #b, #b_axes, #out_axes, [#(#within),*]);)
                }
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
                let a = self.view(*a);
                let mask = match mask {
                    Some(m) => {
                        let m = self.view(*m);
                        quote!(Some(#m))
                    }
                    None => quote!(None),
                };
                let axis = Literal::usize_unsuffixed(*axis);
                let (kernel, b) = match b {
                    Feed::One => {
                        let one = real::literal(Lit::Real(1.0), &self.context.signature.real);
                        (quote!(running_products), one.tokens)
                    }
                    Feed::First(v) if step.ty.rank() == 1 => {
                        let start = self.read(*v, &[]).tokens;
                        (quote!(running_products), start)
                    }
                    Feed::First(v) => (quote!(running_products), self.view(*v)),
                    Feed::Each(v) => (quote!(recur_adding), self.view(*v)),
                    Feed::All(v) => (quote!(recur), self.view(*v)),
                };
                quote!(let #mutable #name = rt::#kernel(#a, #mask, #b, #axis, #reverse);)
            }
            Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Call(_)
            | Work::Tiles(_) => {
                unreachable!("written above")
            }
        };
        self.locals.borrow_mut().insert(step.out, local);
        tokens
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

    /// A contribution to an array.
    fn contribution(&self, c: &Contribution, to: &Ident, op: &str) -> TokenStream {
        let more: Vec<usize> = (c.at.iter())
            .filter_map(|a| match a {
                At::Node(n) => Some(*n),
                At::Affine(_) => None,
            })
            .collect();
        let mut w = Writer::new(&c.nest, &more, self).with_blocks();
        let all = w.assignment(to, &c.at, op);
        let plain = || Writer::new(&c.nest, &more, self).assignment(to, &c.at, op);
        w.choice(&all, &plain).unwrap_or(all)
    }

    pub(super) fn fresh(&self, wish: &str) -> Ident {
        self.root().names.borrow_mut().fresh(wish)
    }

    /// The elements of a contribution, if it is to all elements of the result, each once.
    fn whole(&self, c: &Contribution, ty: &Type, local: &mut Local) -> Option<TokenStream> {
        let in_order = (c.at.iter().enumerate())
            .all(|(k, a)| matches!(a, At::Affine(a) if *a == Affine::of(k)));
        let all = in_order && c.nest.outer > 0 && c.nest.loops[..c.nest.outer] == ty.shape;
        let all = all && is_whole(&c.nest);
        all.then(|| self.build(&c.nest, ty, local, &|| None))
    }

    /// An array by its elements; at a place of its own, if there is one.
    fn build(
        &self,
        nest: &Nest,
        ty: &Type,
        local: &mut Local,
        room: &dyn Fn() -> Option<TokenStream>,
    ) -> TokenStream {
        let shape = self.shape_tokens(ty);
        if local.small.is_some() {
            local.is_typed = true;
            if let Some(rows) = outside(nest) {
                let statements = self.added(&rows, ty, local.small);
                return quote!({ #statements });
            }
            let mut w = Writer::new(nest, &[], self);
            return self.elements_of(&mut w, &quote!(build_small), &shape);
        }
        let mut w = Writer::new(nest, &[], self).with_blocks();
        local.is_typed = w.is_typed(nest.root);
        if nest.loops.len() == nest.outer
            && let Some(place) = room()
        {
            local.is_view = true;
            if let Some(row) = Writer::new(nest, &[], self).by_rows(&[nest.root]) {
                return quote!(rt::build_rows_in(#place, [#(#shape),*], #row));
            }
            let is_costly = w.is_costly(&[nest.root], false);
            let (index, body) = Self::element(&mut w);
            return match is_costly {
                true => quote!(rt::build_costly_in(#place, [#(#shape),*], |[#(#index),*]| #body)),
                false => quote!(rt::build_in(#place, [#(#shape),*], |[#(#index),*]| #body)),
            };
        }
        if let Some(copy) = w.as_copy_across() {
            return copy;
        }
        let blocks = match w.by_blocks() {
            Some(block) => quote!(rt::build_blocks([#(#shape),*], #block)),
            None => match Writer::new(nest, &[], self).by_rows(&[nest.root]) {
                Some(row) => quote!(rt::build_rows([#(#shape),*], #row)),
                None => self.elements(&mut w, &shape),
            },
        };
        let outside = outside(nest);
        let plain = || match &outside {
            Some(rows) => self.added(rows, ty, None),
            None => self.elements(&mut Writer::new(nest, &[], self), &shape),
        };
        let all = match (w.choice(&blocks, &plain), &outside) {
            (Some(chosen), _) => chosen,
            (None, Some(_)) => {
                let statements = plain();
                quote!({ #statements })
            }
            (None, None) => blocks,
        };
        self.by_points(nest, &shape, &all).unwrap_or(all)
    }

    /// An array of points by blocks of them, or what is written otherwise, whichever is better.
    fn by_points(
        &self,
        nest: &Nest,
        shape: &[TokenStream],
        otherwise: &TokenStream,
    ) -> Option<TokenStream> {
        let nest = turned(nest)?;
        let mut w = Writer::new(&nest, &[], self).with_blocks_of_points();
        let (kept, block) = w.by_points()?;
        let all = quote!(rt::build_turned([#(#shape),*], #kept, #block));
        w.choice(&all, &|| otherwise.clone())
    }

    /// Statements that make an array of a contribution to zeros.
    fn added(&self, c: &Contribution, ty: &Type, small: Option<usize>) -> TokenStream {
        let sums = self.fresh("sums");
        let zeros = self.zeros(None, small, &self.shape_tokens(ty));
        let of = self.annotation(ty, small);
        let all = self.contribution(c, &sums, "+=");
        quote!(let mut #sums #of = #zeros; #all #sums)
    }

    /// An array by its elements, one by one.
    fn elements(&self, w: &mut Writer<'_>, shape: &[TokenStream]) -> TokenStream {
        let old = (self.replaced.take()).map(|v| (self.local(v).ident, replaced::given(w, v)));
        let is_costly = w.is_costly(&[w.nest.root], false);
        let (index, body) = Self::element(w);
        match old {
            Some((array, element)) => {
                let element = pattern_of(&element, &body);
                quote!(rt::replace(#array, [#(#shape),*], |[#(#index),*], #element| #body))
            }
            None if self.summed.take().is_some() => summed::with_sum(shape, (&index, &body)),
            None if is_costly => quote!(rt::build_costly([#(#shape),*], |[#(#index),*]| #body)),
            None => quote!(rt::build([#(#shape),*], |[#(#index),*]| #body)),
        }
    }

    /// The same with a function of the runtime.
    fn elements_of(
        &self,
        w: &mut Writer<'_>,
        builder: &TokenStream,
        shape: &[TokenStream],
    ) -> TokenStream {
        let (index, body) = Self::element(w);
        quote!(rt::#builder([#(#shape),*], |[#(#index),*]| #body))
    }

    /// The element at an index.
    fn element(w: &mut Writer<'_>) -> (Vec<TokenStream>, TokenStream) {
        let (lets, root) = w.body();
        let root = root.tokens;
        let body = match lets.is_empty() {
            true => root,
            false => quote!({ #lets #root }),
        };
        let index = (w.loops[..w.nest.outer].iter()).map(|l| pattern_of(l, &body));
        (index.collect(), body)
    }

    /// The name that a variable should have: results say which they are.
    fn wish(&self, v: Var) -> String {
        let Some(k) = self.program.results.iter().position(|r| *r == v) else {
            return "t".into();
        };
        if self.outer.is_some() {
            return self.next_state(k).unwrap_or_else(|| "t".into());
        }
        let gradient = |k: usize| {
            let name = self.params[self.wrt[k]].tokens.to_string();
            format!("{}_bar", name.trim_start_matches("r#"))
        };
        let values = self.values();
        match self.what {
            Derivative::Grad => gradient(k),
            Derivative::Jvp if k >= values => "tangent".into(),
            Derivative::ValueAndGrad | Derivative::Vjp if k >= values => gradient(k - values),
            Derivative::Value | Derivative::ValueAndGrad | Derivative::Vjp | Derivative::Jvp => {
                "value".into()
            }
        }
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

    /// How many results the value is.
    fn values(&self) -> usize {
        self.context.signature.result.tree.leaves().len()
    }

    fn results(&self) -> TokenStream {
        let own = &self.program.results[..];
        let mut taken = 0;
        let gradient = |taken: &mut usize| {
            let of = self.context.wrt.iter();
            let parts: Vec<TokenStream> = of.map(|&k| self.gradient(k, taken)).collect();
            match &parts[..] {
                [one] => one.clone(),
                many => quote!((#(#many),*)),
            }
        };
        match self.what {
            Derivative::Value => self.whole_result(own, &mut taken, false, false),
            Derivative::Grad => gradient(&mut taken),
            Derivative::ValueAndGrad | Derivative::Vjp => {
                let value = self.whole_result(own, &mut taken, false, false);
                let gradient = gradient(&mut taken);
                quote!((#value, #gradient))
            }
            Derivative::Jvp => {
                let value = self.whole_result(own, &mut taken, false, true);
                let tangent = self.whole_result(own, &mut taken, true, false);
                quote!((#value, #tangent))
            }
        }
    }

    pub(super) fn program(&self) -> &Program {
        self.program
    }

    pub(super) fn context(&self) -> &Context<'_> {
        self.context
    }

    pub(super) fn with_names<T>(&self, f: impl FnOnce(&mut Names) -> T) -> T {
        f(&mut self.root().names.borrow_mut())
    }
}

impl Scope for Function<'_> {
    fn real(&self) -> &RealType {
        &self.context.signature.real
    }

    fn size(&self, s: &Size) -> Expr {
        sizes::expression(s, &|a| self.leaf(a))
    }

    fn terms(&self, s: &Size) -> Vec<(Vec<Expr>, i64)> {
        (s.terms())
            .map(|(m, c)| {
                let factors = (m.iter())
                    .map(|a| self.size(&Size::atom(a.clone())))
                    .collect();
                (factors, c)
            })
            .collect()
    }

    fn read(&self, v: Var, at: &[TokenStream]) -> Expr {
        let l = self.local(v);
        let ident = &l.ident;
        if l.bare {
            return Expr::atom(quote!(#ident));
        }
        self.element(v, Expr::atom(quote!(#ident[[#(#at),*]])))
    }

    fn is_in_loop(&self) -> bool {
        self.outer.is_some()
    }

    fn array(&self, v: Var) -> TokenStream {
        self.local(v).ident
    }

    fn view(&self, v: Var) -> TokenStream {
        let l = self.local(v);
        let ident = &l.ident;
        match l.is_view {
            true => quote!(#ident),
            false => quote!(#ident.view()),
        }
    }

    fn element(&self, v: Var, stored: Expr) -> Expr {
        match self.local(v).scalar {
            Some(s) if s.elem() == Elem::Int && s != Scalar::I64 => stored.cast("i64"),
            Some(_) | None => stored,
        }
    }

    fn is_typed(&self, v: Var) -> bool {
        self.locals.borrow()[&v].is_typed
    }

    fn label(&self, v: Var) -> String {
        let name = self.local(v).ident.to_string();
        name.trim_start_matches("r#").to_owned()
    }

    fn shape(&self, v: Var) -> &[Size] {
        match self.program.params.get(v.index()) {
            Some(p) => &p.ty.shape,
            None => &self.computed[&v].shape,
        }
    }

    /// Names of shared scalars must not hide variables.
    fn is_taken(&self, name: &str) -> bool {
        self.root().names.borrow().contains(name)
    }
}

/// Whether a constant is one of the type parameter itself, as `T::EPSILON`.
fn is_associated(path: &TokenStream, real: &RealType) -> bool {
    let first = path.clone().into_iter().next();
    first.is_some_and(|t| t.to_string() == real.name())
}

/// Whether all outer loops run over their whole extents.
fn is_whole(nest: &Nest) -> bool {
    nest.ranges[..nest.outer].iter().all(Range::is_whole)
}
