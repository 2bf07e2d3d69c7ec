//! Generated functions: signatures, entry checks, steps, results.

use super::expr::Expr;
use super::names::{Names, mentions, rename_module};
use super::nest::{Scope, Writer};
use super::sizes::{self, Named};
use crate::front::infer::ConstUse;
use crate::front::names::{Known, NameCheck};
use crate::front::signature::Signature;
use crate::front::types::{Passing, Scalar, Written};
use crate::ir::bulk::{Relation, Require, Type, Var};
use crate::ir::kernel::{Affine, At, Contribution, Nest, Operand, Program, Step, Work};
use crate::ir::ty::{Atom, Elem, Size};
use crate::pipeline::Derivative;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// What all functions generated from one have in common.
pub(crate) struct Context<'a> {
    /// The signature of the original.
    pub(crate) signature: &'a Signature,
    /// The arguments that are differentiated.
    pub(crate) wrt: &'a [usize],
    /// The user's constants that it uses.
    pub(crate) consts: &'a [ConstUse],
    /// The path of the facade crate.
    pub(crate) root: TokenStream,
}

/// Lints that have nothing to say about generated functions, also where a crate denies them. Those
/// about parameters speak about the original.
const ALLOW: [&str; 13] = [
    "warnings",
    "unused",
    "deprecated",
    "nonstandard_style",
    "let_underscore_drop",
    "single_use_lifetimes",
    "trivial_numeric_casts",
    "unreachable_pub",
    "unused_qualifications",
    "clippy::all",
    "clippy::pedantic",
    "clippy::nursery",
    "clippy::restriction",
];

/// The name of a generated function.
pub(crate) fn name(signature: &Signature, what: Derivative) -> Ident {
    let suffix = match what {
        Derivative::Value => "value",
        Derivative::Grad => "grad",
        Derivative::ValueAndGrad => "value_and_grad",
        Derivative::Vjp => "vjp",
        Derivative::Jvp => "jvp",
    };
    format_ident!("{}_{}", signature.ident, suffix)
}

impl Context<'_> {
    /// A function without its body: attributes, documentation and signature.
    fn head(&self, what: Derivative, never: bool) -> TokenStream {
        let Signature {
            ident,
            vis,
            cfg,
            generics,
            args,
            result,
        } = self.signature;
        let name = name(self.signature, what);
        let mut params: Vec<TokenStream> = (args.iter())
            .map(|a| {
                let (ident, ty) = (&a.ident, &a.ty.ty);
                quote!(#ident: #ty)
            })
            .collect();
        for (extra, ty) in self.extra_params(what) {
            params.push(quote!(#extra: #ty));
        }
        let value = self.owned(result);
        let gradients: Vec<TokenStream> =
            self.wrt.iter().map(|&k| self.owned(&args[k].ty)).collect();
        let gradient = match &gradients[..] {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        let output = match what {
            _ if never => quote!(!),
            Derivative::Value => value,
            Derivative::Grad => gradient,
            Derivative::ValueAndGrad | Derivative::Vjp => quote!((#value, #gradient)),
            Derivative::Jvp => quote!((#value, #value)),
        };
        let doc = self.doc(what, ident);
        let (generics, _, _) = generics.split_for_impl();
        let allow = ALLOW.map(|lint| lint.parse::<TokenStream>().expect("a path"));
        quote! {
            #(#cfg)*
            #(#[doc = #doc])*
            #[allow(#(#allow),*)]
            #[track_caller]
            #vis fn #name #generics (#(#params),*) -> #output
        }
    }

    fn doc(&self, what: Derivative, ident: &Ident) -> Vec<String> {
        let args = &self.signature.args;
        let of: Vec<String> = (self.wrt.iter())
            .map(|&k| format!("`{}`", args[k].ident))
            .collect();
        let of = match &of[..] {
            [one] => one.clone(),
            [init @ .., last] => format!("{} and {last}", init.join(", ")),
            [] => String::new(),
        };
        let first = match what {
            Derivative::Value => format!(" `{ident}`, compiled."),
            Derivative::Grad => format!(" The gradient of `{ident}` with respect to {of}."),
            Derivative::ValueAndGrad => {
                format!(" The value of `{ident}` and its gradient with respect to {of}.")
            }
            Derivative::Vjp => format!(
                " The value of `{ident}` and the product of `{}` with its Jacobian with respect to {of}.",
                self.extra_params(what)[0].0
            ),
            Derivative::Jvp => format!(
                " The value of `{ident}` and its directional derivative along the tangents of {of}."
            ),
        };
        let panics = format!(
            " If the sizes of the arguments do not fit, as in `{ident}` itself; before any work \
             where the sizes alone tell."
        );
        vec![
            first,
            String::new(),
            " # Panics".into(),
            String::new(),
            panics,
        ]
    }

    /// The parameters that a derivative has after the function's own.
    fn extra_params(&self, what: Derivative) -> Vec<(Ident, TokenStream)> {
        let args = &self.signature.args;
        let mut names = Names::without(args.iter().map(|a| a.ident.to_string()));
        let call_site = |i: Ident| Ident::new(&i.to_string(), Span::call_site());
        match what {
            Derivative::Value | Derivative::Grad | Derivative::ValueAndGrad => vec![],
            Derivative::Vjp => {
                let owned = self.owned(&self.signature.result);
                let ty = match self.signature.result.is_scalar() {
                    true => owned,
                    false if self.signature.result.passing == Passing::Vec => quote!(&[f64]),
                    false => quote!(&#owned),
                };
                vec![(call_site(names.fresh("cotangent")), ty)]
            }
            Derivative::Jvp => (self.wrt.iter())
                .map(|&k| {
                    let name = names.fresh(&format!("{}_tangent", args[k].ident));
                    (call_site(name), args[k].ty.ty.to_token_stream())
                })
                .collect(),
        }
    }

    /// The owned type of a value.
    fn owned(&self, w: &Written) -> TokenStream {
        let scalar = Ident::new(w.scalar.name(), Span::call_site());
        match w.passing {
            Passing::Scalar => quote!(#scalar),
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec => {
                quote!(::std::vec::Vec<#scalar>)
            }
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => {
                let (root, array) = (&self.root, format_ident!("Array{}", w.rank));
                quote!(#root::ndarray::#array<#scalar>)
            }
        }
    }

    /// A stub for a function that could not be generated; its callers still type-check.
    pub(crate) fn stub(&self, what: Derivative, sound: bool) -> TokenStream {
        let head = self.head(what, !sound);
        let unused = (self.signature.args.iter().map(|a| a.ident.clone()))
            .chain(self.extra_params(what).into_iter().map(|(i, _)| i));
        quote! {
            #head {
                let _ = (#(&#unused,)*);
                ::core::unreachable!("the function did not compile")
            }
        }
    }

    /// A generated function. `checks` are names that must mean what they were taken for.
    pub(crate) fn function(
        &self,
        what: Derivative,
        program: &Program,
        checks: &[NameCheck],
    ) -> TokenStream {
        let head = self.head(what, false);
        let root = &self.root;
        let f = Function::new(self, what, program);
        let body = f.body();
        let checks: Vec<TokenStream> = checks.iter().map(name_check).collect();
        let mut body = quote!(#(#checks)* #body);
        let uses_runtime = mentions(&body, RUNTIME);
        let mut alias = RUNTIME.to_owned();
        while alias == RUNTIME && mentions(&quote!(#root #body), USERS_RUNTIME)
            || mentions(root, &alias)
        {
            // The user has a module of this name, and the import would hide it.
            alias.push('_');
        }
        if alias != RUNTIME {
            body = rename_module(body, RUNTIME, &alias);
            body = rename_module(body, USERS_RUNTIME, RUNTIME);
        }
        let import = uses_runtime.then(|| {
            let alias = Ident::new(&alias, Span::call_site());
            quote!(use #root::runtime::kernels as #alias;)
        });
        quote!(#head { #import #body })
    }
}

/// What the runtime is called in a generated function.
const RUNTIME: &str = "rt";

/// What stands for a module of the user's of that name until the function is complete.
const USERS_RUNTIME: &str = "__rt_of_the_user";

/// A path of the user's, on its way into a generated function.
fn users(path: &syn::Path) -> TokenStream {
    rename_module(path.to_token_stream(), RUNTIME, USERS_RUNTIME)
}

/// A closure that is never called, and compiles only if a name is ours.
fn name_check(check: &NameCheck) -> TokenStream {
    let path = users(&check.path);
    let span = (check.path.segments)
        .last()
        .map_or(Span::call_site(), |s| s.ident.span());
    let unary = quote_spanned!(span=> let _: (fn(f32) -> f32, fn(f64) -> f64) = (#path, #path););
    let binary = quote_spanned! {span=>
        let _: (fn(f32, f32) -> f32, fn(f64, f64) -> f64) = (#path, #path);
    };
    let probe = quote_spanned!(span=> rt::MustBeTheOneFromCotangent);
    match check.known {
        Known::Combinator(c) => match c.name() {
            "fold" | "scan" => quote_spanned! {span=>
                let _ = || { let _ = #path(#probe, 0f32, |s: f32, _: usize| s); };
            },
            "scatter_add" => quote_spanned! {span=>
                let _ = || { let _ = #path(#probe, #probe, |i: usize| (i, 0f32)); };
            },
            "stop_gradient" => quote_spanned! {span=>
                let _ = || { let _ = (#path(#probe), #path(0f32)); };
            },
            "checkpoint" => quote_spanned! {span=>
                let _ = || { let _ = (#path(|| #probe), #path(|| 0f32)); };
            },
            // Not a closure, at whose literal the compiler would suggest another type.
            _ => quote_spanned! {span=>
                let _ = |term: fn(usize) -> f32| { let _ = #path(#probe, term); };
            },
        },
        Known::Prelude(_) => unary,
        Known::Math(name) => match name {
            "sin_cos" => quote_spanned! {span=>
                let _: (fn(f32) -> (f32, f32), fn(f64) -> (f64, f64)) = (#path, #path);
            },
            "clamp" | "mul_add" => quote_spanned! {span=>
                let _: (fn(f32, f32, f32) -> f32, fn(f64, f64, f64) -> f64) = (#path, #path);
            },
            "powi" => quote_spanned! {span=>
                let _: (fn(f32, i32) -> f32, fn(f64, i32) -> f64) = (#path, #path);
            },
            "powf" | "atan2" | "copysign" | "rem_euclid" | "max" | "min" | "hypot" => binary,
            _ => unary,
        },
        Known::Cmp(_) => quote_spanned! {span=>
            let _: (fn(u8, u8) -> u8, fn(i64, i64) -> i64) = (#path, #path);
        },
    }
}

/// How a variable is at hand in the function being written.
#[derive(Clone, Debug)]
struct Local {
    ident: TokenStream,
    /// What its elements are in Rust; computed ones are `f64`, `i64` and `bool`.
    scalar: Option<Scalar>,
    /// A plain scalar, not an array of rank 0.
    bare: bool,
    /// A view already (a parameter), not an owned array.
    is_view: bool,
}

struct Function<'a> {
    context: &'a Context<'a>,
    what: Derivative,
    program: &'a Program,
    /// All parameters of the program: those of the signature, constants, and what the derivative adds.
    params: Vec<(TokenStream, Option<Written>)>,
    locals: RefCell<HashMap<Var, Local>>,
    lengths: RefCell<BTreeMap<(usize, usize), Ident>>,
    names: RefCell<Names>,
    frozen: Names,
}

impl<'a> Function<'a> {
    fn new(context: &'a Context<'a>, what: Derivative, program: &'a Program) -> Self {
        let mut params: Vec<(TokenStream, Option<Written>)> = vec![];
        let mut taken = vec!["rt".to_owned()];
        for a in &context.signature.args {
            params.push((a.ident.to_token_stream(), Some(a.ty.clone())));
            taken.push(a.ident.to_string());
        }
        for c in context.consts {
            params.push((users(&c.path), None));
        }
        let result = &context.signature.result;
        for (k, (ident, _)) in context.extra_params(what).into_iter().enumerate() {
            taken.push(ident.to_string());
            let ty = match what {
                Derivative::Jvp => context.signature.args[context.wrt[k]].ty.clone(),
                Derivative::Value
                | Derivative::Grad
                | Derivative::ValueAndGrad
                | Derivative::Vjp => Written {
                    passing: match result.passing {
                        Passing::Scalar => Passing::Scalar,
                        Passing::Vec | Passing::Slice | Passing::ReferenceToVec => Passing::Slice,
                        Passing::Owned
                        | Passing::Reference
                        | Passing::View
                        | Passing::ReferenceToView
                        | Passing::ArrayRef => Passing::Reference,
                    },
                    ..result.clone()
                },
            };
            params.push((ident.to_token_stream(), Some(ty)));
        }
        Function {
            context,
            what,
            program,
            params,
            locals: RefCell::default(),
            lengths: RefCell::default(),
            names: RefCell::new(Names::without(taken.clone())),
            frozen: Names::without(taken),
        }
    }

    fn body(mut self) -> TokenStream {
        // The steps first: they say which parameters and lengths are used.
        for k in 0..self.params.len() {
            self.declare(k);
        }
        let checks = self.checks();
        let mut steps = TokenStream::new();
        for step in &self.program.steps {
            // Names of shared scalars must not hide variables.
            self.frozen = self.names.borrow().clone();
            steps.extend(self.step(step));
        }
        let results = self.results();
        let mut lengths = TokenStream::new();
        for ((param, axis), name) in self.lengths.borrow().iter() {
            let p = &self.local(Var(*param as u32)).ident;
            let axis = Literal::usize_unsuffixed(*axis);
            lengths.extend(quote!(let #name = #p.len(#axis);));
        }
        let used = quote!(#lengths #checks #steps #results);
        let inputs: TokenStream = (0..self.params.len())
            .map(|k| self.input(k, &used))
            .collect();
        quote!(#inputs #lengths #checks #steps #results)
    }

    fn local(&self, v: Var) -> Local {
        self.locals.borrow()[&v].clone()
    }

    /// Says how a parameter will be at hand.
    fn declare(&self, k: usize) {
        let (tokens, written) = &self.params[k];
        let local = match written {
            Some(w) => Local {
                ident: tokens.clone(),
                scalar: Some(w.scalar),
                bare: w.is_scalar(),
                is_view: true,
            },
            None => {
                let c = &self.context.consts[k - self.context.signature.args.len()];
                let ident = match (c.elem, c.open) {
                    (Elem::Int, _) => self.constant(tokens, "i64"),
                    (Elem::Real, true) => self.constant(tokens, "f64"),
                    (Elem::Real | Elem::Bool, _) => tokens.clone(),
                };
                Local {
                    ident,
                    scalar: None,
                    bare: true,
                    is_view: true,
                }
            }
        };
        self.locals.borrow_mut().insert(Var(k as u32), local);
    }

    fn constant(&self, path: &TokenStream, ty: &str) -> TokenStream {
        let ty = Ident::new(ty, Span::mixed_site());
        quote!((#path as #ty))
    }

    /// The statements that bring a parameter to hand, if it is used.
    fn input(&self, k: usize, used: &TokenStream) -> TokenStream {
        let (ident, Some(w)) = &self.params[k] else {
            return TokenStream::new();
        };
        let is_used = mentions(used, &ident.to_string());
        if !is_used {
            return quote!(let _ = #ident;);
        }
        let name = ident.to_string();
        match w.passing {
            Passing::Scalar if w.scalar.elem() == Elem::Int && w.scalar != Scalar::I64 => {
                quote!(let #ident = #ident as i64;)
            }
            Passing::Scalar => TokenStream::new(),
            Passing::Slice | Passing::ReferenceToVec => {
                quote!(let #ident = rt::slice(#name, #ident);)
            }
            Passing::Vec => quote!(let #ident = rt::slice(#name, &#ident);),
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => {
                let rank = Literal::usize_unsuffixed(w.rank);
                quote! {
                    let #ident = rt::input::<_, _, #rank>(#name, #ident.view());
                    let #ident = #ident.view();
                }
            }
        }
    }

    fn named(&self) -> Vec<Named> {
        (self.params.iter())
            .map(|(tokens, w)| Named {
                name: (tokens.to_string())
                    .replace(USERS_RUNTIME, RUNTIME)
                    .replace(" :: ", "::"),
                rank: w.as_ref().map_or(0, |w| w.rank),
                integer: w.as_ref().is_none_or(|w| w.scalar.elem() == Elem::Int),
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
                if *n != here && !computed {
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
                let mut lengths = self.lengths.borrow_mut();
                let name = lengths.entry((*param, *axis)).or_insert_with(|| {
                    let (tokens, w) = &self.params[*param];
                    let part = match (w.as_ref().map_or(0, |w| w.rank), axis) {
                        (1, _) => "len".to_owned(),
                        (2, 0) => "rows".to_owned(),
                        (2, _) => "cols".to_owned(),
                        (_, k) => format!("len{k}"),
                    };
                    self.names.borrow_mut().fresh(&format!("{tokens}_{part}"))
                });
                name.to_token_stream()
            }
            Atom::Int { param } => self.local(Var(*param as u32)).ident,
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
    fn model(&self, step: &Step) -> Option<String> {
        let signature = self.context.signature;
        let skip = match self.what {
            Derivative::Value | Derivative::Jvp => return None,
            Derivative::Grad => 0,
            Derivative::ValueAndGrad | Derivative::Vjp => 1,
        };
        let results = self.program.results.iter().skip(skip);
        let of = |k: usize| format!("`{}`", signature.args[k].ident);
        for (r, &k) in results.zip(self.context.wrt) {
            if *r == step.out {
                return Some(format!("the gradient of {}", of(k)));
            }
        }
        let has_its_shape = |k: &usize| {
            let of_k = (0..signature.args[*k].ty.rank).map(|axis| Size::dim(*k, axis));
            step.ty.rank() > 0 && step.ty.shape.iter().cloned().eq(of_k)
        };
        let k = (0..signature.args.len()).find(has_its_shape)?;
        Some(format!("an array of the shape of {}", of(k)))
    }

    fn step(&self, step: &Step) -> TokenStream {
        let shape = self.shape_tokens(&step.ty);
        let name = self.names.borrow_mut().fresh(&self.wish(step.out));
        let mut local = Local {
            ident: name.to_token_stream(),
            scalar: None,
            bare: step.ty.rank() == 0,
            is_view: false,
        };
        let tokens = match &step.work {
            Work::Nest(nest) if nest.outer == 0 => {
                let mut w = Writer::new(nest, &[], self);
                let (lets, root) = w.body();
                let root = root.tokens;
                if lets.is_empty() {
                    quote!(let #name = #root;)
                } else {
                    quote!(let #name = { #lets #root };)
                }
            }
            Work::Nest(nest) => {
                let values = self.build(nest, &step.ty);
                quote!(let #name = #values;)
            }
            Work::Scatter(contributions) => {
                let mut all = TokenStream::new();
                for (k, c) in contributions.iter().enumerate() {
                    if k == 0 {
                        if let Some(values) = self.whole(c, &step.ty) {
                            all.extend(quote!(let mut #name = #values;));
                            continue;
                        }
                        all.extend(match self.model(step) {
                            Some(called) => {
                                quote!(let mut #name = rt::zeros_called(#called, [#(#shape),*]);)
                            }
                            None => quote!(let mut #name = rt::zeros([#(#shape),*]);),
                        });
                    }
                    let more: Vec<usize> = (c.at.iter())
                        .filter_map(|a| match a {
                            At::Node(n) => Some(*n),
                            At::Affine(_) => None,
                        })
                        .collect();
                    let mut w = Writer::new(&c.nest, &more, self);
                    let (lets, guard, value) = w.guarded_root();
                    let place = w.place(&c.at);
                    let value = value.tokens;
                    let add = quote!(#name[[#(#place),*]] += #value;);
                    let add = match guard {
                        None => add,
                        Some(g) => {
                            let g = g.tokens;
                            quote!(if #g { #add })
                        }
                    };
                    if c.nest.outer == 0 {
                        all.extend(if lets.is_empty() {
                            add
                        } else {
                            quote!({ #lets #add })
                        });
                        continue;
                    }
                    let extents: Vec<TokenStream> = (c.nest.loops[..c.nest.outer].iter())
                        .map(|s| self.size(s).tokens)
                        .collect();
                    let body = quote!(#lets #add);
                    let index = pattern(w.outer(), &[&body]);
                    all.extend(quote!(rt::for_each([#(#extents),*], |#index| { #body });));
                }
                local.bare = false;
                if step.ty.rank() == 0 {
                    all.extend(quote!(let #name = #name[[]];));
                    local.bare = true;
                }
                all
            }
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let (a, b) = (self.operand(a), self.operand(b));
                let axes = [a_axes, b_axes, out_axes].map(|axes| {
                    let axes = axes.iter().map(|&l| sizes::number(i64::from(l)));
                    quote!([#(#axes),*])
                });
                let [a_axes, b_axes, out_axes] = axes;
                local.bare = false;
                quote!(let #name = rt::contract(#a, #a_axes, #b, #b_axes, #out_axes);)
            }
            Work::Recur {
                a,
                b,
                axis,
                reverse,
            } => {
                let (a, b) = (self.view(*a), self.view(*b));
                let axis = Literal::usize_unsuffixed(*axis);
                quote!(let #name = rt::recur(#a, #b, #axis, #reverse);)
            }
        };
        self.locals.borrow_mut().insert(step.out, local);
        tokens
    }

    /// The elements of a contribution, if it is to all elements of the result, each once.
    fn whole(&self, c: &Contribution, ty: &Type) -> Option<TokenStream> {
        let in_order = (c.at.iter().enumerate())
            .all(|(k, a)| matches!(a, At::Affine(a) if *a == Affine::of(k)));
        let all = in_order && c.nest.outer > 0 && c.nest.loops[..c.nest.outer] == ty.shape;
        all.then(|| self.build(&c.nest, ty))
    }

    /// An array by its elements.
    fn build(&self, nest: &Nest, ty: &Type) -> TokenStream {
        let shape = self.shape_tokens(ty);
        let mut w = Writer::new(nest, &[], self);
        let (lets, root) = w.body();
        let root = root.tokens;
        let index = pattern(w.outer(), &[&lets, &root]);
        let body = if lets.is_empty() {
            root
        } else {
            quote!({ #lets #root })
        };
        quote!(rt::build([#(#shape),*], |#index| #body))
    }

    /// The name that a variable should have: results say which they are.
    fn wish(&self, v: Var) -> String {
        let Some(k) = self.program.results.iter().position(|r| *r == v) else {
            return "t".into();
        };
        let gradient = |k: usize| {
            let arg = &self.context.signature.args[self.context.wrt[k]].ident;
            format!("{}_bar", syn::ext::IdentExt::unraw(arg))
        };
        match (self.what, k) {
            (Derivative::Grad, k) => gradient(k),
            (Derivative::Jvp, 1) => "tangent".into(),
            (Derivative::ValueAndGrad | Derivative::Vjp, k) if k > 0 => gradient(k - 1),
            _ => "value".into(),
        }
    }

    /// What a matrix product reads.
    fn operand(&self, o: &Operand) -> TokenStream {
        let view = self.view(o.array);
        match &o.part {
            None => view,
            Some(part) => {
                let (start, len): (Vec<_>, Vec<_>) = (part.iter())
                    .map(|(s, n)| (self.size(s).tokens, self.size(n).tokens))
                    .unzip();
                quote!(#view.part([#(#start),*], [#(#len),*]))
            }
        }
    }

    /// A variable as a view.
    fn view(&self, v: Var) -> TokenStream {
        let l = self.local(v);
        let ident = &l.ident;
        if l.is_view {
            quote!(#ident)
        } else {
            quote!(#ident.view())
        }
    }

    fn results(&self) -> TokenStream {
        let signature = self.context.signature;
        let wrt = self.context.wrt.iter().map(|&k| &signature.args[k].ty);
        let written: Vec<&Written> = match self.what {
            Derivative::Value => vec![&signature.result],
            Derivative::Grad => wrt.collect(),
            Derivative::ValueAndGrad | Derivative::Vjp => {
                [&signature.result].into_iter().chain(wrt).collect()
            }
            Derivative::Jvp => vec![&signature.result, &signature.result],
        };
        let results = &self.program.results;
        let mut values: Vec<TokenStream> = vec![];
        for (k, (v, w)) in results.iter().zip(written).enumerate() {
            let last = !results[k + 1..].contains(v);
            values.push(self.result(*v, w, last));
        }
        match self.what {
            Derivative::ValueAndGrad | Derivative::Vjp => {
                let (value, gradient) = (&values[0], &values[1..]);
                match gradient {
                    [one] => quote!((#value, #one)),
                    many => quote!((#value, (#(#many),*))),
                }
            }
            Derivative::Value | Derivative::Grad | Derivative::Jvp => match &values[..] {
                [one] => one.clone(),
                many => quote!((#(#many),*)),
            },
        }
    }

    fn result(&self, v: Var, w: &Written, last: bool) -> TokenStream {
        let l = self.local(v);
        let ident = &l.ident;
        if w.is_scalar() {
            return quote!(#ident);
        }
        let into = match w.passing {
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec => quote!(into_vec),
            Passing::Scalar
            | Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => quote!(into_array),
        };
        if l.bare {
            return quote!(rt::build([], |_| #ident).#into());
        }
        if last && !l.is_view {
            return quote!(#ident.#into());
        }
        let view = self.view(v);
        quote!(rt::copied(#view).#into())
    }
}

impl Scope for Function<'_> {
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
        let element = Expr::atom(quote!(#ident[[#(#at),*]]));
        match l.scalar {
            Some(s) if s.elem() == Elem::Int && s != Scalar::I64 => element.cast("i64"),
            Some(_) | None => element,
        }
    }

    fn label(&self, v: Var) -> String {
        let name = self.local(v).ident.to_string();
        name.trim_start_matches("r#").to_owned()
    }

    fn shape(&self, v: Var) -> &[Size] {
        match self.program.params.get(v.index()) {
            Some(p) => &p.ty.shape,
            None => {
                let step = self.program.steps.iter().find(|s| s.out == v);
                &step.expect("computed before it is read").ty.shape
            }
        }
    }

    fn names(&self) -> &Names {
        &self.frozen
    }
}

/// The pattern of a closure's indices; those that do not occur are `_`.
fn pattern(loops: &[Ident], bodies: &[&TokenStream]) -> TokenStream {
    let parts = loops.iter().map(|l| {
        if bodies.iter().any(|b| mentions(b, &l.to_string())) {
            quote!(#l)
        } else {
            quote!(_)
        }
    });
    quote!([#(#parts),*])
}
