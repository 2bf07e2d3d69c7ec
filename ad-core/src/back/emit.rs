//! Generated functions: attributes, documentation, signatures, stubs.

use super::data::several;
use super::function::Function;
use super::name_check::name_check;
use super::names::Names;
use super::tokens::{RUNTIME, USERS_RUNTIME, mentions, rename_module};
use super::warning::{Warning, warning};
use super::writes::given_again;
use crate::derivative::{Derivative, Gives, Takes};
use crate::front::Annotated;
use crate::front::attr::root;
use crate::front::data::Tree;
use crate::front::infer::ConstUse;
use crate::front::jacobian::{Form, Jacobian};
use crate::front::names::NameCheck;
use crate::front::real::RealType;
use crate::front::signature::Signature;
use crate::ir::jacobian::Direction;
use crate::ir::kernel::Program;
use crate::ir::linear::Use;
use crate::ir::repeats::Repeats;
use crate::ir::ty::Size;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;

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
    /// What leaves a generated function where the function as written fails.
    pub(crate) failure: TokenStream,
    /// Which arguments are repeated if they have one row.
    pub(crate) repeats: Repeats,
}

/// What a generated function computes.
pub(crate) struct Bodies {
    /// By this program,
    pub(crate) program: Program,
    /// or, if there are more columns than rows, by another one.
    pub(crate) reverse: Option<(Size, Size, Program)>,
    /// What the linear programs of a linearised function use of the parameters that they share.
    pub(crate) uses: Vec<Use>,
}

impl<'a> Context<'a> {
    /// For the heads of functions, without their bodies.
    pub(crate) fn of_heads(
        signature: &'a Signature,
        wrt: &'a [usize],
        root: TokenStream,
    ) -> Context<'a> {
        Context {
            signature,
            wrt,
            consts: &[],
            root,
            failure: TokenStream::new(),
            repeats: Repeats::default(),
        }
    }

    /// For the functions generated from an annotated one.
    pub(crate) fn of(f: &'a Annotated) -> Context<'a> {
        Context {
            signature: &f.signature,
            wrt: &f.promise.wrt,
            consts: &f.consts,
            root: root(f.attr.root.as_ref()),
            failure: TokenStream::new(),
            repeats: Repeats::of(&f.written),
        }
    }
}

impl From<Program> for Bodies {
    fn from(program: Program) -> Bodies {
        Bodies {
            program,
            reverse: None,
            uses: vec![],
        }
    }
}

/// What one of the generated functions holds for rustc alone.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asides<'a> {
    /// Names that must mean what they were taken for.
    pub(crate) checks: &'a [NameCheck],
    /// What there is to warn of.
    pub(crate) warnings: &'a [Warning],
}

/// Lints that have nothing to say about generated functions, also where a crate denies them. Those
/// about parameters speak about the original.
const ALLOW: [&str; 14] = [
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
    // An associated function without `self` cannot be told from a free one, so its link may be
    // broken.
    "rustdoc::broken_intra_doc_links",
];

/// What silences these lints.
pub(super) fn allowed() -> TokenStream {
    let lints = ALLOW.map(|lint| lint.parse::<TokenStream>().expect("a path"));
    quote!(#[allow(#(#lints),*)])
}

/// The name of a generated function.
pub(crate) fn name(signature: &Signature, what: Derivative) -> Ident {
    match what.method() {
        Some(method) => Ident::new(method, signature.ident.span()),
        None => format_ident!("{}_{}", signature.ident, what.suffix()),
    }
}

/// What messages call a generated function.
pub(crate) fn said(signature: &Signature, what: Derivative) -> String {
    let name = name(signature, what);
    match what.is_of_linear() {
        true => format!("{}::{name}", linear_name(signature)),
        false => name.to_string(),
    }
}

/// The name of the struct of a linearised function: `FLinearized` for `f`.
fn linear_name(signature: &Signature) -> Ident {
    let name = signature.ident.unraw().to_string();
    let words = name.split('_').filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    };
    let words: String = words.map(capital).collect();
    Ident::new(&format!("{words}Linearized"), signature.ident.span())
}

/// A tuple of these; of one it is that one.
pub(super) fn tuple(parts: Vec<TokenStream>) -> TokenStream {
    match &parts[..] {
        [one] => one.clone(),
        many => quote!((#(#many),*)),
    }
}

impl Context<'_> {
    /// A function without its body: attributes, documentation and signature.
    pub(crate) fn head(&self, what: Derivative, never: bool) -> TokenStream {
        if let Some(single) = self.single(what) {
            return self.of_signature(&single).head(what, never);
        }
        let Signature {
            ident: _,
            vis,
            cfg,
            generics: _,
            own_generics: generics,
            real: _,
            args: _,
            result: _,
            wrapper: _,
            writes: _,
            has_result: _,
            of_one: _,
        } = self.signature;
        let name = name(self.signature, what);
        let is_of_linear = what.is_of_linear();
        let own = self.params(what).into_iter();
        let own = own.map(|(ident, ty)| quote!(#ident: #ty));
        let receiver = is_of_linear.then(|| quote!(&self));
        let params = receiver.into_iter().chain(own);
        let output = match never {
            true => quote!(!),
            false => self.output(what),
        };
        let doc = self.doc(what);
        let (of_method, _) = split_generics(generics);
        let (generics, clause) = match is_of_linear {
            true => (quote!(#of_method), None),
            false => (
                generics.split_for_impl().0.to_token_stream(),
                generics.where_clause.as_ref(),
            ),
        };
        let allow = allowed();
        quote! {
            #(#cfg)*
            #(#[doc = #doc])*
            #allow
            #[track_caller]
            #vis fn #name #generics (#(#params),*) -> #output #clause
        }
    }

    /// What a derivative returns.
    fn output(&self, what: Derivative) -> TokenStream {
        if let Some(returned) = self.returned(what) {
            return returned;
        }
        let parts = self.parts(what).into_iter().map(|(_, ty)| ty);
        let output = tuple(parts.collect());
        match what.is_of_linear() {
            true => output,
            false => self.wrapped(&output),
        }
    }

    /// The struct of a linearised function, with its generics.
    fn linear_type(&self) -> TokenStream {
        let name = linear_name(self.signature);
        let (_, of_struct) = split_generics(&self.signature.generics);
        let (_, arguments, _) = of_struct.split_for_impl();
        quote!(#name #arguments)
    }

    /// A struct of residuals.
    pub(super) fn linear(&self, residuals: &TokenStream) -> TokenStream {
        let name = linear_name(self.signature);
        quote!(#name { residuals: #residuals })
    }

    /// A generated function where it stands: a method in an `impl` block of its own, and what makes
    /// a struct behind that.
    pub(crate) fn placed(&self, what: Derivative, function: &TokenStream) -> TokenStream {
        let Signature {
            vis,
            cfg,
            generics,
            real,
            ..
        } = self.signature;
        let (_, of_struct) = split_generics(generics);
        let (parameters, _, clause) = of_struct.split_for_impl();
        let (name, ty) = (linear_name(self.signature), self.linear_type());
        let allow = allowed();
        if what.is_of_linear() {
            return quote! {
                #(#cfg)*
                #allow
                impl #parameters #ty #clause { #function }
            };
        }
        if what != Derivative::Linearize {
            return function.clone();
        }
        let root = &self.root;
        let doc = [
            format!(
                " {} at one point: what products with its Jacobian there need, kept by value.",
                self.link()
            ),
            String::new(),
            " ```text".into(),
            format!(" {}", self.usage(Derivative::Linearize)),
            format!(" {}", self.usage(Derivative::LinearJvp)),
            format!(" {}", self.usage(Derivative::LinearVjp)),
            " ```".into(),
        ];
        quote! {
            #(#cfg)*
            #(#[doc = #doc])*
            #allow
            #[derive(Clone, Debug)]
            #vis struct #name #parameters #clause {
                residuals: #root::runtime::kernels::Residuals<#real>,
            }
            #function
        }
    }

    /// What a Jacobian is made of.
    pub(super) fn jacobian(&self, what: Derivative) -> Jacobian {
        let jacobian = Jacobian::for_derivative(self.signature, self.wrt, what);
        let known = jacobian.ok().flatten();
        known.expect("the attribute has been read")
    }

    fn of_form(&self, form: &Form) -> TokenStream {
        match form {
            Form::Array(written) => self.owned_leaf(written),
            Form::Gradient(arg) => self.owned(&self.signature.args[*arg].ty.tree),
            Form::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.of_form(p));
                quote!((#(#parts,)*))
            }
            Form::List(parts) => {
                let one = parts.first().map(|p| self.of_form(p));
                let count = Literal::usize_unsuffixed(parts.len());
                quote!([#one; #count])
            }
            Form::Rows(rows) => {
                let (one, of) = (self.of_form(&rows.one), &rows.of);
                let (root, real) = (&self.root, &self.signature.real);
                quote!([#one; #root::runtime::parameters::fixed_count::<#real, #of>()])
            }
        }
    }

    /// The parts of what a derivative returns, with their types.
    pub(super) fn parts(&self, what: Derivative) -> Vec<(Gives, TokenStream)> {
        let parts = what.gives().iter().map(|&gives| match gives {
            Gives::Value | Gives::Tangent => (gives, self.owned(&self.signature.result.tree)),
            Gives::Gradient => (gives, self.gradient()),
            Gives::Aux => (gives, self.owned(self.aux())),
            Gives::Tangents => (gives, self.owned(&several(&self.signature.result))),
            Gives::Gradients => {
                let args = &self.signature.args;
                let all = self.wrt.iter().map(|&k| self.owned(&several(&args[k].ty)));
                (gives, tuple(all.collect()))
            }
            Gives::Jacobian => {
                let forms = self.jacobian(what).forms;
                let forms = forms.iter().map(|form| self.of_form(form));
                (gives, tuple(forms.collect()))
            }
            Gives::Linear => (gives, self.linear_type()),
            Gives::Coefficients => {
                let one = self.owned(&self.signature.result.tree);
                let count = Literal::usize_unsuffixed(what.series().unwrap_or(0) + 1);
                (gives, quote!([#one; #count]))
            }
            Gives::Sparse => {
                let root = &self.root;
                let all = self.wrt.iter().map(|_| quote!(#root::Sparse));
                (gives, tuple(all.collect()))
            }
        });
        parts.collect()
    }

    /// A type in the `Option` or `Result` that the function returns.
    pub(super) fn wrapped(&self, ty: &TokenStream) -> TokenStream {
        match &self.signature.wrapper {
            Some(wrapper) => wrapper.around(ty),
            None => ty.clone(),
        }
    }

    /// What leaves a generated function where the function as written fails: what that one gives.
    /// `fails` tells whether it does, up to rounding; `owner` is the type that it belongs to.
    pub(crate) fn failing(&self, fails: &TokenStream, owner: Option<&TokenStream>) -> TokenStream {
        let signature = self.signature;
        let owner = owner.map(|owner| quote!(#owner::));
        let ident = &signature.ident;
        let given = signature.args.iter().enumerate().map(|(k, a)| {
            let name = &a.ident;
            if let Some(w) = signature.writes.iter().find(|w| w.arg == k) {
                return given_again(name, w);
            }
            match a.ty.is_owned() {
                true => quote!(::core::clone::Clone::clone(&#name)),
                false => quote!(#name),
            }
        });
        let call = quote!(#owner #ident(#(#given),*));
        match &signature.wrapper {
            None => quote!(if #fails { let _ = #call; }),
            Some(wrapper) if wrapper.is_result => quote! {
                if #fails && let ::core::result::Result::Err(error) = #call {
                    return ::core::result::Result::Err(error);
                }
            },
            Some(_) => quote! {
                if #fails && #call.is_none() {
                    return ::core::option::Option::None;
                }
            },
        }
    }

    /// What the function returns beside the number that is differentiated.
    pub(super) fn aux(&self) -> &Tree {
        let aux = self.signature.aux();
        aux.expect("the attribute has been read")
    }

    /// The type of a gradient.
    pub(super) fn gradient(&self) -> TokenStream {
        let args = &self.signature.args;
        let gradients = self.wrt.iter().map(|&k| self.owned(&args[k].ty.tree));
        tuple(gradients.collect())
    }

    /// What a generated function is, how it is called, what it costs, and when it panics.
    fn doc(&self, what: Derivative) -> Vec<String> {
        let ident = self.link();
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
            Derivative::Value => format!(" {ident}, compiled."),
            Derivative::Grad => format!(" The gradient of {ident} with respect to {of}."),
            Derivative::ValueAndGrad => {
                format!(" The value of {ident} and its gradient with respect to {of}.")
            }
            Derivative::GradAux => format!(
                " The gradient of the first result of {ident} with respect to {of}, and the second \
                 result."
            ),
            Derivative::ValueAndGradAux => format!(
                " The value of {ident} and the gradient of its first result with respect to {of}."
            ),
            Derivative::Vjp => format!(
                " The value of {ident} and the product of `{}` with its Jacobian with respect to {of}.",
                self.extra_params(what)[0].0
            ),
            Derivative::Jvp => format!(
                " The value of {ident} and its directional derivative along the tangents of {of}."
            ),
            Derivative::Hvp => format!(
                " The product of the Hessian of {ident} with respect to {of} with directions."
            ),
            Derivative::Jacobian(_) => {
                format!(" The Jacobian of {ident} with respect to {of}.")
            }
            Derivative::Vjps => format!(
                " The value of {ident} and the products of several cotangents with its Jacobian \
                 with respect to {of}; the first axis runs over them."
            ),
            Derivative::Jvps => format!(
                " The value of {ident} and its directional derivatives along several tangents of \
                 {of}; the first axis runs over them."
            ),
            Derivative::Hessian => format!(" The Hessian of {ident} with respect to {of}."),
            Derivative::JacobianSparse => format!(
                " The value of {ident} and the entries of its Jacobian with respect to {of}."
            ),
            Derivative::JacobianDiagonal => format!(
                " The value of {ident} and the diagonal of its Jacobian with respect to {of}."
            ),
            Derivative::HessianDiagonal => {
                format!(" The diagonal of the Hessian of {ident} with respect to {of}.")
            }
            Derivative::Taylor(order) => format!(
                " The value of {ident} and the coefficients of its Taylor series along directions \
                 of {of}: those of t, t² and so on up to t to the power of {order}, where each \
                 argument moves as `x + t * direction`."
            ),
            Derivative::Linearize => format!(
                " The value of {ident}, and what products with its Jacobian with respect to {of} \
                 need."
            ),
            Derivative::LinearJvp => {
                format!(" The directional derivative of {ident} along the tangents of {of}.")
            }
            Derivative::LinearVjp => format!(
                " The product of `{}` with the Jacobian of {ident} with respect to {of}.",
                self.extra_params(what)[0].0
            ),
        };
        let cost = match what {
            Derivative::Value => " Costs the function, with its loops fused and vectorised.",
            Derivative::Grad | Derivative::GradAux => {
                " Costs the function and one reverse pass, however many arguments there are."
            }
            Derivative::ValueAndGrad | Derivative::ValueAndGradAux => {
                " Costs as much as the gradient alone and what only the value needs."
            }
            Derivative::Vjp => " Costs the function and one reverse pass for each call.",
            Derivative::Jvp => {
                " Costs the function and one forward pass for each call. Loops keep no past steps."
            }
            Derivative::Hvp => " Costs the gradient and one forward pass of it for each call.",
            Derivative::Jacobian(Some(Direction::Forward)) => {
                " Costs the function and one forward pass for each element of the arguments, all \
                 at once."
            }
            Derivative::Jacobian(Some(Direction::Reverse)) => {
                " Costs the function and one reverse pass for each element of the result, all at \
                 once."
            }
            Derivative::Jacobian(None) => {
                " Costs the function and one pass for each element of the result or of the arguments, \
                 whichever are fewer, all at once."
            }
            Derivative::Hessian => {
                " Costs the gradient and one forward pass of it for each element, all at once."
            }
            Derivative::Vjps => {
                " Costs the function once, and one reverse pass for each cotangent."
            }
            Derivative::Jvps => " Costs the function once, and one forward pass for each tangent.",
            Derivative::JacobianSparse => {
                " Costs the function and a few operations for each entry; entries are sorted by rows."
            }
            Derivative::JacobianDiagonal => " Costs the function and one forward pass.",
            Derivative::HessianDiagonal => " Costs the gradient and one forward pass of it.",
            Derivative::Linearize => {
                " Costs the function, its partial derivatives, and the memory of these."
            }
            Derivative::Taylor(_) => {
                " Costs a multiple of the function that grows with the square of the order. Loops \
                 keep no past steps."
            }
            Derivative::LinearJvp => " Costs one forward pass, without the function.",
            Derivative::LinearVjp => " Costs one reverse pass, without the function.",
        };
        let wrapper = self.signature.wrapper.as_ref();
        let of_failure =
            wrapper
                .filter(|_| !what.is_of_linear())
                .map(|wrapper| match wrapper.is_result {
                    true => format!(" The error of {ident} where that gives one."),
                    false => format!(" `None` where {ident} gives `None`."),
                });
        let mut doc = vec![
            first,
            String::new(),
            " ```text".into(),
            format!(" {}", self.usage(what)),
            " ```".into(),
            String::new(),
            cost.into(),
            String::new(),
        ];
        if let Some(failure) = of_failure {
            doc.extend([failure, String::new()]);
        }
        doc.extend([
            " # Panics".into(),
            String::new(),
            " If the sizes of the arguments do not fit. They are checked before any work where the \
             sizes alone tell."
                .into(),
        ]);
        doc
    }

    /// The original, as a link of rustdoc.
    fn link(&self) -> String {
        let Signature { ident, args, .. } = self.signature;
        match args.first().is_some_and(|a| a.ident == "self") {
            true => format!("[`{ident}`](Self::{ident})"),
            false => format!("[`{ident}`]"),
        }
    }

    /// A call of a generated function.
    fn usage(&self, what: Derivative) -> String {
        let args = &self.signature.args;
        let gradients = self
            .wrt
            .iter()
            .map(|&k| format!("d{}", args[k].ident.unraw()));
        let gradients: Vec<String> = gradients.collect();
        let gradient = match &gradients[..] {
            [one] => one.clone(),
            many => format!("({})", many.join(", ")),
        };
        let results = match what {
            Derivative::Value => "value".to_owned(),
            Derivative::Grad => gradient.clone(),
            Derivative::ValueAndGrad | Derivative::Vjp => format!("(value, {gradient})"),
            Derivative::GradAux => format!("({gradient}, aux)"),
            Derivative::ValueAndGradAux => format!("((value, aux), {gradient})"),
            Derivative::Jvp => "(value, tangent)".to_owned(),
            Derivative::Hvp => "product".to_owned(),
            Derivative::Jacobian(_) => "jacobian".to_owned(),
            Derivative::Hessian => "hessian".to_owned(),
            Derivative::Vjps => "(value, gradients)".to_owned(),
            Derivative::Jvps => "(value, tangents)".to_owned(),
            Derivative::JacobianSparse => "(value, entries)".to_owned(),
            Derivative::JacobianDiagonal => "(value, diagonal)".to_owned(),
            Derivative::HessianDiagonal => "diagonal".to_owned(),
            Derivative::Linearize => "(value, linear)".to_owned(),
            Derivative::LinearJvp => "tangent".to_owned(),
            Derivative::Taylor(_) => "coefficients".to_owned(),
            Derivative::LinearVjp => gradient.clone(),
        };
        if what.is_of_linear() {
            let extra = self.extra_params(what).into_iter();
            let passed: Vec<String> = extra.map(|(i, _)| i.to_string()).collect();
            let name = name(self.signature, what);
            return format!("let {results} = linear.{name}({});", passed.join(", "));
        }
        let is_void = self.returned(what).is_some() && !self.signature.has_result;
        let results = match (is_void, what == Derivative::Vjp) {
            (true, true) => Some(gradient),
            (true, false) => None,
            (false, _) => Some(results),
        };
        let passed = self.params(what).into_iter();
        let mut passed: Vec<String> = passed.map(|(i, _)| i.to_string()).collect();
        let receiver = (passed[0] == "self").then(|| passed.remove(0) + ".");
        let (receiver, name) = (receiver.unwrap_or_default(), name(self.signature, what));
        let results = results.map_or(String::new(), |results| format!("let {results} = "));
        format!("{results}{receiver}{name}({});", passed.join(", "))
    }

    /// The parameters that a derivative has after the function's own.
    pub(super) fn extra_params(&self, what: Derivative) -> Vec<(Ident, TokenStream)> {
        let args = &self.signature.args;
        let mut names = Names::without(args.iter().map(|a| a.ident.to_string()));
        // Head and body may come from different expansions, and have the function in common.
        let span = Span::call_site().resolved_at(self.signature.ident.span());
        let call_site = |i: Ident| Ident::new(&i.to_string(), span);
        match what.takes() {
            Takes::Nothing => vec![],
            Takes::Cotangent => {
                let (ty, _) = self.cotangent();
                vec![(call_site(names.fresh("cotangent")), ty)]
            }
            Takes::Each(word) => (self.wrt.iter())
                .map(|&k| {
                    let name = names.fresh(&format!("{}_{word}", args[k].ident));
                    (call_site(name), args[k].ty.ty.to_token_stream())
                })
                .collect(),
            Takes::Cotangents => {
                let (ty, _) = self.several_given(&self.signature.result);
                vec![(call_site(names.fresh("cotangents")), ty)]
            }
            Takes::SeveralOfEach(word) => (self.wrt.iter())
                .map(|&k| {
                    let name = names.fresh(&format!("{}_{word}", args[k].ident));
                    (call_site(name), self.several_given(&args[k].ty).0)
                })
                .collect(),
        }
    }

    /// A stub for a function that could not be generated; its callers still type-check. `first` is
    /// what it begins with.
    pub(crate) fn stub(
        &self,
        what: Derivative,
        sound: bool,
        first: Option<TokenStream>,
    ) -> TokenStream {
        let head = self.head(what, !sound);
        let unused = self.params(what).into_iter().map(|(i, _)| i);
        self.placed(
            what,
            &quote! {
                #head {
                    #first
                    let _ = (#(&#unused,)*);
                    ::core::unreachable!("the function did not compile")
                }
            },
        )
    }

    /// A function that cannot be called, in place of one whose recursion has no known depth.
    pub(crate) fn stub_of_deep(&self, what: Derivative) -> TokenStream {
        let signature = self.signature;
        if what.is_of_linear() {
            return self.stub(what, true, None);
        }
        let (vis, cfg) = (&signature.vis, &signature.cfg);
        let name = name(signature, what);
        let args = self.params(what).into_iter().map(|(i, _)| i);
        let args: Vec<Ident> = args.collect();
        let (first, others) = args.split_first().expect("something is differentiated");
        let output = match signature.real {
            RealType::F64 | RealType::Mixed | RealType::F32 => self.output(what),
            // Which type that is, nobody would know.
            RealType::Parameter(_) => quote!(!),
        };
        let root = &self.root;
        let doc = format!(
            " Not there: `{}` calls itself, and how deep is not known here. Call it with a literal from an \
             annotated function, or annotate it with `#[differentiable(noinline)]`.",
            signature.ident
        );
        let allow = allowed();
        let stub = quote! {
            #(#cfg)*
            #[doc = #doc]
            #allow
            #vis fn #name(#first: impl #root::runtime::OfKnownDepth #(, #others: impl Sized)*) -> #output {
                ::core::unreachable!("nothing is of known depth")
            }
        };
        self.placed(what, &stub)
    }

    /// A generated function.
    pub(crate) fn function(
        &self,
        what: Derivative,
        bodies: &Bodies,
        asides: &Asides<'_>,
    ) -> TokenStream {
        let (head, block) = (self.head(what, false), self.block(what, bodies, asides));
        self.placed(what, &quote!(#head #block))
    }

    /// The body of a generated function.
    pub(crate) fn block(
        &self,
        what: Derivative,
        bodies: &Bodies,
        asides: &Asides<'_>,
    ) -> TokenStream {
        let of = |program| Function::new(self, what, program, &bodies.uses);
        let mut body = of(&bodies.program).body();
        if let Some((rows, columns, reverse)) = &bodies.reverse {
            let (by_columns, by_rows) = (
                of(&bodies.program).at_most(columns, rows),
                of(reverse).body(),
            );
            body = quote!(if { #by_columns } { #body } else { #by_rows });
        }
        let checks = asides.checks.iter().map(name_check);
        let warnings = asides.warnings.iter().map(warning);
        let asides: TokenStream = warnings.chain(checks).collect();
        let wrapper = self.signature.wrapper.as_ref();
        let (failure, wrapper) = match what.is_of_linear() {
            true => (None, None),
            false => (Some(&self.failure), wrapper),
        };
        let body = match wrapper {
            // What is written is known before anything is returned.
            Some(_) if !self.signature.writes.is_empty() && what.writes() => {
                quote!(#asides #failure #body)
            }
            Some(wrapper) => {
                let value = wrapper.there(&quote!({ #body }));
                quote!(#asides #failure #value)
            }
            None => quote!(#asides #failure #body),
        };
        let body = self.written(what, body);
        let (import, body) = self.with_runtime(body);
        quote!({ #import #body })
    }

    /// Names that must mean what they were taken for, where there is no generated function.
    pub(crate) fn checked_alone(&self, checks: &[NameCheck]) -> TokenStream {
        if checks.is_empty() {
            return TokenStream::new();
        }
        let cfg = &self.signature.cfg;
        let checks = checks.iter().map(name_check);
        let (import, checks) = self.with_runtime(quote!(#(#checks)*));
        // It is never called: users' lints have nothing to say about it.
        quote! {
            #(#cfg)*
            #[allow(clippy::all, clippy::pedantic, clippy::restriction)]
            const _: fn() = || { #import #checks };
        }
    }

    /// What brings the runtime in, and tokens that mention it, by a name that the user's paths in
    /// them do not mention.
    pub(crate) fn with_runtime(&self, tokens: TokenStream) -> (Option<TokenStream>, TokenStream) {
        let root = &self.root;
        let mut body = tokens;
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
        (import, body)
    }
}

/// The generics of a method of a struct that holds nothing borrowed, and those of the struct.
fn split_generics(generics: &syn::Generics) -> (syn::Generics, syn::Generics) {
    let (mut of_method, mut of_struct) = (syn::Generics::default(), generics.clone());
    let (lifetimes, others) = (generics.params.iter().cloned())
        .partition(|p| matches!(p, syn::GenericParam::Lifetime(_)));
    of_method.params = lifetimes;
    of_struct.params = others;
    (of_method, of_struct)
}
