//! Generated functions: attributes, documentation, signatures, stubs.

use super::function::Function;
use super::name_check::name_check;
use super::names::Names;
use super::tokens::{RUNTIME, USERS_RUNTIME, mentions, rename_module};
use crate::front::infer::ConstUse;
use crate::front::names::NameCheck;
use crate::front::real::RealType;
use crate::front::signature::Signature;
use crate::ir::kernel::Program;
use crate::pipeline::Derivative;
use proc_macro2::{Ident, Span, TokenStream};
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
    // An associated function without `self` cannot be told from a free one, so its link may be broken.
    "rustdoc::broken_intra_doc_links",
];

/// What silences these lints.
pub(super) fn allowed() -> TokenStream {
    let lints = ALLOW.map(|lint| lint.parse::<TokenStream>().expect("a path"));
    quote!(#[allow(#(#lints),*)])
}

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
    pub(crate) fn head(&self, what: Derivative, never: bool) -> TokenStream {
        let Signature {
            ident: _,
            vis,
            cfg,
            generics,
            real: _,
            args,
            result: _,
            wrapper: _,
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
        let output = match never {
            true => quote!(!),
            false => self.output(what),
        };
        let doc = self.doc(what);
        let (generics, _, clause) = generics.split_for_impl();
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
        let value = self.owned(&self.signature.result.tree);
        let gradient = self.gradient();
        self.wrapped(&match what {
            Derivative::Value => value,
            Derivative::Grad => gradient,
            Derivative::ValueAndGrad | Derivative::Vjp => quote!((#value, #gradient)),
            Derivative::Jvp => quote!((#value, #value)),
        })
    }

    /// A type in the `Option` or `Result` that the function returns.
    pub(super) fn wrapped(&self, ty: &TokenStream) -> TokenStream {
        match &self.signature.wrapper {
            Some(wrapper) => wrapper.around(ty),
            None => ty.clone(),
        }
    }

    /// What leaves a generated function where the function as written fails: what that one gives. `fails` tells
    /// whether it does, up to rounding.
    pub(crate) fn failing(&self, fails: &TokenStream, in_impl: bool) -> TokenStream {
        let signature = self.signature;
        let owner = in_impl.then(|| quote!(Self::));
        let ident = &signature.ident;
        let given = signature.args.iter().map(|a| {
            let name = &a.ident;
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

    /// The type of a gradient.
    pub(super) fn gradient(&self) -> TokenStream {
        let args = &self.signature.args;
        let gradients: Vec<TokenStream> = (self.wrt.iter())
            .map(|&k| self.owned(&args[k].ty.tree))
            .collect();
        match &gradients[..] {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        }
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
            Derivative::Vjp => format!(
                " The value of {ident} and the product of `{}` with its Jacobian with respect to {of}.",
                self.extra_params(what)[0].0
            ),
            Derivative::Jvp => format!(
                " The value of {ident} and its directional derivative along the tangents of {of}."
            ),
        };
        let cost = match what {
            Derivative::Value => " Costs the function, with its loops fused and vectorised.",
            Derivative::Grad => {
                " Costs the function and one reverse pass, however many arguments there are."
            }
            Derivative::ValueAndGrad => {
                " Costs as much as the gradient alone and what only the value needs."
            }
            Derivative::Vjp => " Costs the function and one reverse pass for each call.",
            Derivative::Jvp => {
                " Costs the function and one forward pass for each call. Loops keep no past steps."
            }
        };
        let of_failure = (self.signature.wrapper.as_ref()).map(|wrapper| match wrapper.is_result {
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
            Derivative::Grad => gradient,
            Derivative::ValueAndGrad | Derivative::Vjp => format!("(value, {gradient})"),
            Derivative::Jvp => "(value, tangent)".to_owned(),
        };
        let passed = args.iter().map(|a| a.ident.to_string());
        let extra = self.extra_params(what).into_iter();
        let mut passed: Vec<String> = passed.chain(extra.map(|(i, _)| i.to_string())).collect();
        let receiver = (passed[0] == "self").then(|| passed.remove(0) + ".");
        let (receiver, name) = (receiver.unwrap_or_default(), name(self.signature, what));
        format!("let {results} = {receiver}{name}({});", passed.join(", "))
    }

    /// The parameters that a derivative has after the function's own.
    pub(super) fn extra_params(&self, what: Derivative) -> Vec<(Ident, TokenStream)> {
        let args = &self.signature.args;
        let mut names = Names::without(args.iter().map(|a| a.ident.to_string()));
        // Head and body may come from different expansions, and have the function in common.
        let span = Span::call_site().resolved_at(self.signature.ident.span());
        let call_site = |i: Ident| Ident::new(&i.to_string(), span);
        match what {
            Derivative::Value | Derivative::Grad | Derivative::ValueAndGrad => vec![],
            Derivative::Vjp => {
                let (ty, _) = self.cotangent();
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

    /// A stub for a function that could not be generated; its callers still type-check. `first` is what
    /// it begins with.
    pub(crate) fn stub(
        &self,
        what: Derivative,
        sound: bool,
        first: Option<TokenStream>,
    ) -> TokenStream {
        let head = self.head(what, !sound);
        let unused = (self.signature.args.iter().map(|a| a.ident.clone()))
            .chain(self.extra_params(what).into_iter().map(|(i, _)| i));
        quote! {
            #head {
                #first
                let _ = (#(&#unused,)*);
                ::core::unreachable!("the function did not compile")
            }
        }
    }

    /// A function that nothing can be given to, in the place of one that would call itself to a depth that
    /// nobody knows.
    pub(crate) fn stub_of_deep(&self, what: Derivative) -> TokenStream {
        let signature = self.signature;
        let (vis, cfg) = (&signature.vis, &signature.cfg);
        let name = name(signature, what);
        let args = signature.args.iter().map(|a| a.ident.clone());
        let args = args.chain(self.extra_params(what).into_iter().map(|(i, _)| i));
        let args: Vec<Ident> = args.collect();
        let (first, others) = args.split_first().expect("something is differentiated");
        let output = match signature.real {
            RealType::F64 | RealType::F32 => self.output(what),
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
        quote! {
            #(#cfg)*
            #[doc = #doc]
            #allow
            #vis fn #name(#first: impl #root::runtime::OfKnownDepth #(, #others: impl Sized)*) -> #output {
                ::core::unreachable!("nothing is of known depth")
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
        let (head, block) = (self.head(what, false), self.block(what, program, checks));
        quote!(#head #block)
    }

    /// The body of a generated function.
    pub(crate) fn block(
        &self,
        what: Derivative,
        program: &Program,
        checks: &[NameCheck],
    ) -> TokenStream {
        let f = Function::new(self, what, program);
        let body = f.body();
        let checks: Vec<TokenStream> = checks.iter().map(name_check).collect();
        let failure = &self.failure;
        let body = match &self.signature.wrapper {
            Some(wrapper) => {
                let value = wrapper.there(&quote!({ #body }));
                quote!(#(#checks)* #failure #value)
            }
            None => quote!(#(#checks)* #failure #body),
        };
        let (import, body) = self.with_runtime(body);
        quote!({ #import #body })
    }

    /// What brings the runtime in, and tokens that mention it, by a name that the user's paths in them do
    /// not mention.
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
