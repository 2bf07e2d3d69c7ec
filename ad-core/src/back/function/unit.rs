//! Calls of units, and functions of units: they take and give parts as they are, without the types
//! of the user's signature in between.

use super::{Function, Local};
use crate::back::data::Given as Param;
use crate::back::emit::Context;
use crate::back::name_check::users;
use crate::back::nest::Scope;
use crate::back::tokens::names_in;
use crate::back::unit::given;
use crate::derivative::{Derivative, Gives};
use crate::front::data::Tree;
use crate::front::types::{Length, Passing, Scalar, Written};
use crate::ir::bulk::Var;
use crate::ir::core::Ty;
use crate::ir::kernel::{Out, Program, UnitCall, Work};
use crate::ir::ty::Elem;
use crate::ir::unit::{Given, Rule, Tape, Unit};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;

/// What a function of a unit takes and gives.
pub(super) struct Parts {
    /// The names of what it takes.
    names: Vec<TokenStream>,
    /// Where parameters come from that are elements of a part.
    elements: HashMap<usize, TokenStream>,
    /// The names of accumulators.
    accumulators: Vec<Ident>,
    /// What it does with a tape that it takes.
    tape: Option<Tape>,
    /// Whether it saves something there.
    saves: bool,
    /// What it gives.
    given: Vec<Whole>,
}

/// A part as it is declared: one result of the program, or a fixed-size array whose elements are as
/// many results.
#[derive(Clone)]
struct Whole {
    count: usize,
    /// The lengths of the array.
    lengths: Option<Vec<Length>>,
}

impl Whole {
    const ONE: Whole = Whole {
        count: 1,
        lengths: None,
    };

    /// The parts of a result that is declared and computed so.
    fn of(declared: &Tree, computed: &Tree) -> Vec<Whole> {
        match (declared, computed) {
            (Tree::Leaf(_), Tree::Leaf(_))
            | (Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_), _) => {
                vec![Whole::ONE; declared.leaves().len()]
            }
            (Tree::Leaf(w), _) => vec![Whole {
                count: computed.leaves().len(),
                lengths: Some(w.fixed.clone()),
            }],
            (
                Tree::Tuple(of) | Tree::List(of) | Tree::Struct(_, of),
                Tree::Tuple(by) | Tree::List(by) | Tree::Struct(_, by),
            ) => {
                let parts = of.iter().zip(by);
                parts.flat_map(|(of, by)| Whole::of(of, by)).collect()
            }
            (
                Tree::Tuple(_) | Tree::List(_) | Tree::Struct(..),
                Tree::Leaf(_) | Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_),
            ) => {
                unreachable!("a result is computed in no fewer parts than it is declared with")
            }
        }
    }

    /// The positions of its elements in an array.
    fn positions(&self) -> Vec<TokenStream> {
        let axes = self.lengths.iter().flatten();
        let mut all = vec![TokenStream::new()];
        for n in axes {
            let n = n
                .value
                .expect("an array whose elements are listed has a known length");
            let at = |before: &TokenStream| {
                let before = before.clone();
                let axis = (0..n).map(Literal::i64_unsuffixed);
                axis.map(move |k| quote!(#before #k,)).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(at).collect();
        }
        all
    }
}

impl Parts {
    /// What it gives, if that is not what the derivative gives.
    pub(super) fn gives(&self) -> Option<&'static [Gives]> {
        match self.tape? {
            Tape::Forward => Some(&[Gives::Value, Gives::Linear]),
            Tape::Reverse => Some(&[Gives::Gradient]),
            Tape::Linear | Tape::Save | Tape::Load | Tape::Begin => None,
        }
    }

    /// The statement that brings a parameter to hand.
    pub(super) fn brought(&self, k: usize, param: &Param) -> TokenStream {
        let name = &param.tokens;
        let element = self.elements.get(&k);
        element.map_or_else(TokenStream::new, |element| quote!(let #name = #element;))
    }
}

/// What is written for a leaf, as a part.
fn part(w: &Written) -> Written {
    Written {
        scalar: match w.scalar.elem() {
            Elem::Int => Scalar::I64,
            Elem::Real | Elem::Bool => w.scalar,
        },
        passing: match w.rank {
            0 => Passing::Scalar,
            _ => Passing::View,
        },
        ..w.clone()
    }
}

/// The name of a function of a unit, below its path.
pub(crate) fn name(prefix: &str, rule: Rule) -> Ident {
    format_ident!("{prefix}call_{}", rule.name())
}

impl<'a> Function<'a> {
    /// The function of a unit that computes this, where the result is declared so.
    pub(in crate::back) fn of_unit(
        context: &'a Context<'a>,
        (rule, what): (Rule, Derivative),
        program: &'a Program,
        declared: &Tree,
    ) -> Self {
        let mut function = Function::new(context, what, program, &[]);
        function.apart.clear();
        let mut parts = Parts {
            names: vec![],
            elements: HashMap::new(),
            accumulators: vec![],
            tape: match rule {
                Rule::Tape(tape) => Some(tape),
                Rule::Value | Rule::Jvp | Rule::Vjp => None,
            },
            saves: rule == Rule::Tape(Tape::Forward) || calls_forward(program),
            given: Whole::of(declared, &context.signature.result.tree),
        };
        for param in &mut function.params {
            param.written = param.written.as_ref().map(part);
        }
        let own = context.signature.leaves().len();
        let (own, extra) = function.params.split_at(own);
        let extra = &extra[context.consts.len()..];
        parts.names.extend(own.iter().map(|p| p.tokens.clone()));
        match rule {
            Rule::Value => {}
            Rule::Tape(Tape::Forward) => parts.given.push(Whole::ONE),
            Rule::Jvp => {
                parts.names.extend(extra.iter().map(|p| p.tokens.clone()));
                parts.given.extend(parts.given.clone());
            }
            Rule::Vjp | Rule::Tape(_) => {
                let extra = extra.len();
                let at_place = rule != Rule::Vjp;
                if at_place {
                    let place = function.fresh("place");
                    let at = function.params.len() - extra;
                    parts.names.push(quote!(#place));
                    function.params.insert(at, Param::integer(&place));
                }
                let mut next = function.params.len() - extra;
                for whole in parts.given.clone() {
                    if whole.lengths.is_none() {
                        parts.names.push(function.params[next].tokens.clone());
                        next += 1;
                        continue;
                    }
                    let array = function.fresh("cotangent");
                    for at in whole.positions() {
                        parts.elements.insert(next, quote!(#array[[#at]]));
                        next += 1;
                    }
                    parts.names.push(quote!(#array));
                }
                if at_place {
                    parts.given.clear();
                    let all = function.wrt.iter();
                    let all = all.map(|_| function.fresh("accumulator"));
                    parts.accumulators = all.collect();
                    let names = parts.accumulators.iter();
                    parts.names.extend(names.map(|name| quote!(#name)));
                }
                parts.given.extend(vec![Whole::ONE; function.wrt.len()]);
            }
        }
        function.parts = Some(parts);
        function
    }

    /// The names of what a function of a unit takes.
    pub(in crate::back) fn taken_by_parts(&self) -> Vec<TokenStream> {
        let parts = self.parts.as_ref();
        parts.map_or_else(Vec::new, |parts| parts.names.clone())
    }

    /// What a function of a unit returns.
    pub(super) fn given_by_parts(&self, parts: &Parts) -> TokenStream {
        let mut results = &self.program().results[..];
        let mut out = vec![];
        for whole in &parts.given {
            let (own, rest) = results.split_at(whole.count);
            results = rest;
            let Some(lengths) = &whole.lengths else {
                out.push(self.given_part(own[0], !rest.contains(&own[0])));
                continue;
            };
            let elements = own.iter().map(|v| self.read(*v, &[]).tokens);
            let lengths = lengths.iter().map(|n| &n.written);
            out.push(quote!(rt::copied(rt::fixed("", &[#(#elements),*], [#(#lengths),*]))));
        }
        quote!((#(#out,)*))
    }

    /// An array as units give it, and as they take accumulators. `last` says that nothing needs it
    /// after this.
    fn given_part(&self, v: Var, last: bool) -> TokenStream {
        let l = self.local(v);
        let ident = &l.ident;
        if l.bare || last && !l.is_view && l.small.is_none() {
            return quote!(#ident);
        }
        let view = self.view(v);
        quote!(rt::copied(#view))
    }

    /// The tape of calls of the function itself.
    fn tape(&self) -> &Ident {
        &self.root().tape
    }

    /// The tape as a parameter, if it is one.
    pub(in crate::back) fn tape_taken(&self) -> Option<TokenStream> {
        let parts = self.parts.as_ref().filter(|parts| parts.tape.is_some())?;
        let mutable = parts.saves.then(|| quote!(mut));
        let (tape, real) = (&self.tape, &self.context.signature.real);
        Some(quote!(#tape: &#mutable rt::Tape<#real>))
    }

    /// What a function of a unit takes that is no parameter of its program: accumulators, and the
    /// tape. With their types, in which borrows are for `'a`.
    pub(super) fn taken_with_tape(&self) -> Vec<(Ident, TokenStream)> {
        let Some(parts) = &self.parts else {
            return vec![];
        };
        let real = &self.context.signature.real;
        let mutable = parts.saves.then(|| quote!(mut));
        let tape = parts.tape.map(|_| {
            let ty = quote!(&'a #mutable rt::Tape<#real>);
            (self.tape.clone(), ty)
        });
        let accumulators = parts.accumulators.iter().zip(&self.wrt);
        let accumulators = accumulators.map(|(name, k)| {
            let rank = self.program.params[*k].ty.rank();
            let ty = Ty {
                elem: Elem::Real,
                rank,
            };
            (name.clone(), given(ty, real))
        });
        accumulators.chain(tape).collect()
    }

    /// The statement that makes the tape, if a body uses it and it does not come in.
    pub(super) fn made_tape(&self, body: &TokenStream) -> TokenStream {
        let tape = self.tape();
        let is_given = self
            .parts
            .as_ref()
            .is_some_and(|parts| parts.tape.is_some());
        match !is_given && names_in(body).contains(&tape.to_string()) {
            true => quote!(let #tape = &mut rt::Tape::new();),
            false => TokenStream::new(),
        }
    }

    pub(super) fn unit_call(&self, c: &UnitCall) -> TokenStream {
        let mut before = TokenStream::new();
        let mut args: Vec<TokenStream> = (c.args.iter())
            .map(|v| self.handed(*v, &mut before))
            .collect();
        match c.rule {
            Rule::Value | Rule::Jvp | Rule::Vjp => {}
            Rule::Tape(Tape::Save) => return self.saved(c, &before, &args),
            Rule::Tape(Tape::Load) => return self.loaded(c, &args[0]),
            Rule::Tape(Tape::Begin) => return self.accumulators(c),
            Rule::Tape(Tape::Forward | Tape::Reverse | Tape::Linear) => {
                let onto = c.onto.iter();
                args.extend(onto.map(|source| self.given_part(source.array, source.taken)));
                let tape = self.tape();
                args.push(quote!(#tape));
            }
        }
        let (function, unit) = (function(&c.unit, c.rule), &c.unit);
        // A result of which only a length is used has a name, too.
        let named = |result: usize| {
            let is_used = |o: &Out| match unit.given(c.rule, o.result) {
                Given::Length(k, _) => k == result,
                Given::Result(_) | Given::Derivative(_) => o.result == result,
                Given::Place | Given::Residual => o.result == result,
            };
            c.outs.iter().any(is_used)
        };
        let mut pattern = vec![];
        let mut names = vec![];
        for result in 0..unit.count(c.rule) {
            if matches!(unit.given(c.rule, result), Given::Length(..)) {
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
            let rank = o.ty.rank();
            let ident = match unit.given(c.rule, o.result) {
                Given::Length(k, axis) => {
                    let of = names[k].clone().expect("it has a name");
                    let length = self.fresh(&format!("{of}_len"));
                    let axis = Literal::usize_unsuffixed(axis);
                    lengths.extend(quote!(let #length = #of.len(#axis);));
                    length
                }
                Given::Result(_) | Given::Derivative(_) | Given::Place | Given::Residual => {
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

    /// The statements that save residuals.
    fn saved(&self, c: &UnitCall, before: &TokenStream, args: &[TokenStream]) -> TokenStream {
        let tape = self.tape();
        let saves = c.args.iter().zip(args).map(|(v, arg)| {
            let elem = self.ty(*v).elem;
            let word = kind(elem, Scope::shape(self, *v).len());
            let save = format_ident!("save_{word}");
            quote!(#tape.#save(#arg);)
        });
        let place = c.outs.iter().map(|o| {
            let name = self.result_named(o, false);
            quote!(let #name = #tape.place();)
        });
        quote!(#before #(#place)* #(#saves)*)
    }

    /// The statements that bring residuals to hand.
    fn loaded(&self, c: &UnitCall, place: &TokenStream) -> TokenStream {
        let tape = self.tape();
        let saves = (self.root().parts.as_ref()).is_some_and(|parts| parts.saves);
        let loads = c.outs.iter().map(|o| {
            let k = Literal::usize_unsuffixed(o.result);
            let word = format_ident!("{}", kind(o.ty.elem, o.ty.rank()));
            let lengths = o.ty.shape.iter().map(|n| self.size(n).tokens);
            let lengths: Vec<TokenStream> = lengths.collect();
            let lengths = (!lengths.is_empty()).then(|| quote!(, [#(#lengths),*]));
            let value = quote!(#tape.#word(#place, #k #lengths));
            // What is changed is a copy, and what the tape must not be borrowed for.
            let is_own = o.ty.rank() > 0 && (saves || self.taken.contains(&o.var));
            let name = self.result_named(o, !is_own);
            let mutable = self.mutable.contains(&o.var).then(|| quote!(mut));
            match is_own {
                true => quote!(let #mutable #name = rt::copied(#value);),
                false => quote!(let #name = #value;),
            }
        });
        quote!(#(#loads)*)
    }

    /// The statements that name accumulators as what they begin.
    fn accumulators(&self, c: &UnitCall) -> TokenStream {
        let parts = self.root().parts.as_ref();
        let begins = c.outs.iter().map(|o| {
            let of = parts.and_then(|parts| parts.accumulators.get(o.result));
            let name = self.result_named(o, false);
            let mutable = self.mutable.contains(&o.var).then(|| quote!(mut));
            quote!(let #mutable #name = #of;)
        });
        quote!(#(#begins)*)
    }

    /// The name of a result of a call.
    fn result_named(&self, o: &Out, is_view: bool) -> Ident {
        let name = self.fresh(&self.wish(o.var));
        let local = Local {
            ident: quote!(#name),
            scalar: None,
            bare: o.ty.rank() == 0,
            is_view,
            small: None,
            is_typed: true,
        };
        self.locals.borrow_mut().insert(o.var, local);
        name
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

/// Whether a program saves residuals of calls on the tape.
fn calls_forward(program: &Program) -> bool {
    program.steps.iter().any(|step| match &step.work {
        Work::Call(c) => c.rule == Rule::Tape(Tape::Forward),
        Work::Loop(s) => calls_forward(&s.body) || s.goes_on.as_ref().is_some_and(calls_forward),
        Work::Tiles(t) => calls_forward(&t.body),
        Work::Branch(b) => b.sides().any(|side| calls_forward(&side.body)),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_) => false,
    })
}

/// What the functions of a tape call residuals of a kind.
fn kind(elem: Elem, rank: usize) -> &'static str {
    match (elem, rank) {
        (Elem::Real, 0) => "real",
        (Elem::Int, 0) => "integer",
        (Elem::Bool, 0) => "bool",
        (Elem::Real, _) => "reals",
        (Elem::Int, _) => "integers",
        (Elem::Bool, _) => "bools",
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
