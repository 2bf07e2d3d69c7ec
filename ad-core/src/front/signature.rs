//! The signature of an annotated function: what the generated functions take and give.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::condition;
use super::data::{Data, Leaf, Tree};
use super::error::{Errors, Loc, Result};
use super::real::RealType;
use super::types;
use super::writes::{self, Through, Write};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// An argument.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its name.
    pub ident: syn::Ident,
    /// Its type.
    pub ty: Data,
}

/// A signature that the generated functions can repeat.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name of the function.
    pub ident: syn::Ident,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// The `cfg` attributes; the generated functions exist where the function does.
    pub cfg: Vec<syn::Attribute>,
    /// Its generics: lifetimes, and the type parameter that is its real type.
    pub generics: syn::Generics,
    /// Those that stand at the function; others are those of an `impl` block around it.
    pub own_generics: syn::Generics,
    /// What real numbers are in it.
    pub real: RealType,
    /// Its arguments, in order.
    pub args: Vec<Arg>,
    /// What it returns: owned, and real at least in part.
    pub result: Data,
    /// The `Option` or the `Result` around what it returns.
    pub wrapper: Option<Wrapper>,
    /// The arguments that it writes; the result has a part for each.
    pub writes: Vec<Write>,
    /// Whether it returns anything beside that.
    pub has_result: bool,
    /// Whether the result is one of these parts.
    pub of_one: bool,
}

/// An `Option` or a `Result` around what a function returns.
#[derive(Clone, Debug)]
pub struct Wrapper {
    /// Whether it is a `Result`.
    pub is_result: bool,
    /// Its type.
    ty: syn::TypePath,
}

impl Wrapper {
    /// The wrapper of a type, and what is in it. The type of an error is not looked into.
    fn of(ty: &syn::Type) -> Option<(Wrapper, &syn::Type)> {
        let syn::Type::Path(path) = types::bare(ty) else {
            return None;
        };
        let last = path.path.segments.last()?;
        let is_result = last.ident == "Result";
        if !is_result && last.ident != "Option" {
            return None;
        }
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        let inner = arguments.args.iter().find_map(|a| match a {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })?;
        let ty = path.clone();
        Some((Wrapper { is_result, ty }, inner))
    }

    /// The same around something else.
    pub fn around(&self, inner: &TokenStream) -> TokenStream {
        let mut ty = self.ty.clone();
        let last = ty.path.segments.last_mut();
        if let Some(syn::PathArguments::AngleBracketed(arguments)) = last.map(|s| &mut s.arguments)
        {
            let of_type =
                |a: &&mut syn::GenericArgument| matches!(a, syn::GenericArgument::Type(_));
            if let Some(first) = arguments.args.iter_mut().find(of_type) {
                *first = syn::GenericArgument::Type(syn::Type::Verbatim(inner.clone()));
            }
        }
        ty.into_token_stream()
    }

    /// A value that is there.
    pub fn there(&self, value: &TokenStream) -> TokenStream {
        match self.is_result {
            true => quote!(::core::result::Result::Ok(#value)),
            false => quote!(::core::option::Option::Some(#value)),
        }
    }
}

impl Signature {
    /// The position of an argument.
    pub fn position(&self, ident: &syn::Ident) -> Option<usize> {
        self.args.iter().position(|a| a.ident == *ident)
    }

    /// What the function returns beside a number, if it returns both.
    pub fn aux(&self) -> Option<&Tree> {
        match &self.result.tree {
            Tree::Tuple(parts) => match &parts[..] {
                [Tree::Leaf(first), aux] if first.is_scalar() && first.is_real() => Some(aux),
                _ => None,
            },
            Tree::Leaf(_)
            | Tree::List(_)
            | Tree::Struct(..)
            | Tree::Many(_)
            | Tree::Optional(_)
            | Tree::Rows(_) => None,
        }
    }

    /// What the arguments are made of, in order, with the position of the argument: the parameters
    /// of the program. No two have one name.
    pub fn leaves(&self) -> Vec<(usize, Leaf<'_>)> {
        let mut taken: Vec<String> = vec![];
        let mut out = vec![];
        for (k, arg) in self.args.iter().enumerate() {
            let before = out.len();
            for mut leaf in arg.ty.leaves(&arg.ident.to_string()) {
                leaf.list = leaf.list.map(|first| before + first);
                while taken.contains(&leaf.name) {
                    leaf.name.push('_');
                }
                taken.push(leaf.name.clone());
                out.push((k, leaf));
            }
        }
        out
    }

    /// Whether there is a type for several of the result, and of each of some arguments.
    pub fn has_several(&self, wrt: &[usize]) -> bool {
        let args = wrt.iter().map(|&k| &self.args[k].ty.tree);
        let mut all = args.chain([&self.result.tree]);
        all.all(|tree| tree.several().is_some())
    }

    /// Whether an argument or the result holds a constant that is carried.
    pub(super) fn has_opaque(&self) -> bool {
        let mut args = self.args.iter();
        args.any(|a| a.ty.tree.has_opaque()) || self.result.tree.has_opaque()
    }

    /// The parameters of the program that are the real parts of some arguments.
    pub fn real_leaves(&self, args: &[usize]) -> Vec<usize> {
        let leaves = self.leaves();
        let leaves = leaves.iter().enumerate();
        let wanted = leaves.filter(|(_, (k, leaf))| args.contains(k) && leaf.ty.is_real());
        wanted.map(|(position, _)| position).collect()
    }

    /// The same for where it does not fail.
    pub fn unwrapped(&self) -> Signature {
        Signature {
            wrapper: None,
            ..self.clone()
        }
    }

    /// The same as a function that stands by itself, where nothing is called `self`.
    pub fn of_free(&self) -> Signature {
        let mut signature = self.clone();
        let taken: Vec<String> = self.args.iter().map(|a| a.ident.to_string()).collect();
        let mut name = "this".to_owned();
        while taken.contains(&name) {
            name.push('_');
        }
        if let Some(first) = signature.args.first_mut().filter(|a| a.ident == "self") {
            first.ident = syn::Ident::new(&name, first.ident.span());
        }
        signature
    }

    /// The same with a bool for the result.
    pub fn of_truth(&self, errors: &mut Errors) -> Option<Signature> {
        let result = Data::read(&syn::parse_quote!(bool), errors).ok()?;
        Some(Signature {
            result,
            wrapper: None,
            writes: vec![],
            has_result: true,
            ..self.clone()
        })
    }

    /// Reads the signature of a function; reports everything that is wrong with it.
    pub fn read(item: &syn::ItemFn, errors: &mut Errors) -> Result<Signature> {
        let sig = &super::generic::in_own_terms(&item.sig, &errors.root());
        let mut sound = qualifiers(item, errors);
        match RealType::of(sig, errors) {
            Ok(real) => errors.real = real,
            Err(reported) => sound = Err(reported),
        }
        let mut args = vec![];
        let mut writes = vec![];
        let mut exits = vec![];
        for input in &sig.inputs {
            // Of a type parameter there is nothing more to say.
            if let (Err(_), syn::FnArg::Typed(typed)) = (sound, input)
                && mentions_parameter(&sig.generics, &typed.ty)
            {
                continue;
            }
            let ty = writes::type_of(input);
            let through = ty.and_then(|ty| Through::of(ty, errors));
            match argument(input, through.as_ref(), errors) {
                Ok(arg) => args.push(arg),
                Err(reported) => sound = Err(reported),
            }
            if let (Some(ty), Some(through)) = (ty, through) {
                writes.push(Write {
                    arg: args.len().saturating_sub(1),
                    ty: ty.clone(),
                    back: through.back,
                });
                exits.push(through.exit);
            }
        }
        if let (Err(reported), syn::ReturnType::Type(_, ty)) = (sound, &sig.output)
            && mentions_parameter(&sig.generics, ty)
        {
            return Err(reported);
        }
        // What is wrong with an argument is wrong with the result as well.
        if !exits.is_empty() {
            sound?;
        }
        let (result, wrapper) = result(sig, &exits, errors)?;
        sound?;
        if !args.iter().any(|a| a.ty.tree.is_real()) {
            let place = Loc {
                start: sig.fn_token.span,
                end: sig.paren_token.span.close(),
            };
            return Err(errors.at(
                place,
                "nothing to differentiate: no argument is an `f64` or an array of `f64`; integers \
                 and bools are constants",
            ));
        }
        let cfg = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        Ok(Signature {
            ident: sig.ident.clone(),
            vis: item.vis.clone(),
            cfg: cfg.cloned().collect(),
            generics: sig.generics.clone(),
            own_generics: sig.generics.clone(),
            real: errors.real.clone(),
            args,
            result,
            wrapper,
            writes,
            has_result: gives_value(&sig.output),
            of_one: false,
        })
    }
}

/// What stands before the name and behind the result.
fn qualifiers(item: &syn::ItemFn, errors: &mut Errors) -> Result<()> {
    let sig = &item.sig;
    let mut sound = Ok(());
    let mut wrong = |reported| sound = Err(reported);
    if let Some(token) = &sig.constness {
        wrong(errors.on(
            token,
            "a `const fn` cannot be differentiated: the generated functions allocate; remove `const`",
        ));
    }
    if let Some(token) = &sig.asyncness {
        wrong(errors.on(
            token,
            "an `async fn` gives a future, which has no derivative; annotate a plain function and \
             call it from the async one",
        ));
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        wrong(errors.on(
            token,
            "an `unsafe fn` cannot be differentiated: generated code is safe Rust; write a safe \
             function over slices or arrays",
        ));
    }
    if let Some(abi) = &sig.abi {
        wrong(errors.on(
            abi,
            "a function with a foreign ABI cannot be differentiated; annotate a plain function and \
             call it from this one",
        ));
    }
    if let Some(variadic) = &sig.variadic {
        wrong(errors.on(
            variadic,
            "variadic arguments cannot be differentiated; take a slice `&[f64]`",
        ));
    }
    for param in &sig.generics.params {
        match param {
            syn::GenericParam::Lifetime(_) | syn::GenericParam::Type(_) => {}
            syn::GenericParam::Const(constant) => {
                let is_usize =
                    matches!(&constant.ty, syn::Type::Path(p) if p.path.is_ident("usize"));
                if !is_usize {
                    wrong(errors.on(
                        param,
                        "only lengths can be constant parameters, and they are of type `usize`; take an \
                         argument instead",
                    ));
                }
            }
        }
    }
    sound
}

/// Whether a type is made of a type parameter.
fn mentions_parameter(generics: &syn::Generics, ty: &syn::Type) -> bool {
    struct Search<'a>(&'a syn::Generics, bool);
    impl<'ast> syn::visit::Visit<'ast> for Search<'_> {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.1 |= self.0.type_params().any(|p| p.ident == *ident);
        }
    }
    let mut search = Search(generics, false);
    syn::visit::visit_type(&mut search, ty);
    search.1
}

/// Whether a type depends on a parameter of any kind.
pub(super) fn mentions_generics(generics: &syn::Generics, ty: &syn::Type) -> bool {
    struct Search<'a>(&'a syn::Generics, bool);
    impl<'ast> syn::visit::Visit<'ast> for Search<'_> {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.1 |= self.0.type_params().any(|p| p.ident == *ident);
            self.1 |= self.0.const_params().any(|p| p.ident == *ident);
        }

        fn visit_lifetime(&mut self, life: &'ast syn::Lifetime) {
            self.1 |= life.ident != "static";
        }
    }
    let mut search = Search(generics, false);
    syn::visit::visit_type(&mut search, ty);
    search.1
}

fn argument(input: &syn::FnArg, through: Option<&Through>, errors: &mut Errors) -> Result<Arg> {
    let typed = match input {
        syn::FnArg::Typed(typed) => typed,
        syn::FnArg::Receiver(receiver) => return self_argument(receiver, through, errors),
    };
    if let Some(attribute) = typed.attrs.first() {
        let message = match condition::is_condition(attribute) {
            true => condition::MESSAGE,
            false => "attributes on arguments are not supported; remove it",
        };
        errors.on(attribute, message);
    }
    let ty = Data::read(through.map_or(&typed.ty, |t| &t.entry), errors)?;
    if through.is_some() && !ty.tree.is_real() {
        return Err(errors.on(
            &typed.ty,
            format!(
                "what is written here is made of `{}`, which has no derivative; return it, or write it in \
                 a function of its own",
                ty.made_of()
            ),
        ));
    }
    let pat = match &*typed.pat {
        syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat),
        _ => None,
    };
    let Some(pat) = pat else {
        return Err(errors.on(
            &typed.pat,
            "the generated functions take the same arguments by name; write a plain name here and \
             take it apart with `let` in the body",
        ));
    };
    let ident = pat.ident.clone();
    Ok(Arg { ident, ty })
}

/// `self: &Model`
fn self_argument(
    receiver: &syn::Receiver,
    through: Option<&Through>,
    errors: &mut Errors,
) -> Result<Arg> {
    if receiver.mutability.is_some() {
        return Err(errors.on(
            receiver,
            "a method that changes `self` takes it as `&mut self`, or binds it: `let mut next = self;`",
        ));
    }
    let syn::ReceiverKind::Typed(_, ty) = &receiver.kind else {
        return Err(errors.on(
            receiver,
            "the macro cannot see which type `self` has here; write `self: &Model` in place of \
             `&self`, with the name of the type",
        ));
    };
    Ok(Arg {
        ident: syn::Ident::new("self", receiver.self_token.span),
        ty: Data::read(through.map_or(ty, |t| &t.entry), errors)?,
    })
}

fn result(
    sig: &syn::Signature,
    exits: &[syn::Type],
    errors: &mut Errors,
) -> Result<(Data, Option<Wrapper>)> {
    let ty = match &sig.output {
        syn::ReturnType::Type(_, ty) => ty,
        syn::ReturnType::Default if !exits.is_empty() => {
            let ty = writes::results(None, exits);
            let data = Data::read(&ty, errors)?;
            no_real_enum(&data, &sig.ident, errors)?;
            return Ok((data, None));
        }
        syn::ReturnType::Default => {
            return Err(errors.on(
                &sig.ident,
                "the function returns nothing, so there is nothing to differentiate; return an \
                 `f64` or an owned array of `f64`",
            ));
        }
    };
    let (wrapper, ty) = match Wrapper::of(ty) {
        Some((wrapper, inner)) => (Some(wrapper), inner),
        None => (None, &**ty),
    };
    if wrapper.is_some() && !exits.is_empty() && is_unit(ty) {
        let data = Data::read(&writes::results(None, exits), errors)?;
        no_real_enum(&data, &sig.ident, errors)?;
        return Ok((data, wrapper));
    }
    let data = Data::read(ty, errors)?;
    if !data.tree.is_real() {
        let made_of = data.made_of();
        return Err(errors.on(
            ty,
            format!("a result of `{made_of}` has no derivative; return `f64` or an array of `f64`"),
        ));
    }
    if data.tree.has_sparse() {
        return Err(errors.on(
            ty,
            "a sparse matrix is no result here, since a cotangent could have entries at other places; \
             return its values as a `Vec<f64>`, in the order of the entries",
        ));
    }
    if data.by_reference || data.tree.any(&types::Written::is_borrowed) {
        return Err(errors.on(
            ty,
            "a borrowed result is not supported; return an owned array, such as `Array1<f64>`",
        ));
    }
    if !exits.is_empty() {
        let all = writes::results(Some(ty), exits);
        let data = Data::read(&all, errors)?;
        no_real_enum(&data, &sig.ident, errors)?;
        return Ok((data, wrapper));
    }
    no_real_enum(&data, ty, errors)?;
    Ok((data, wrapper))
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(types::bare(ty), syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Whether a function returns anything, also inside of a `Result`.
fn gives_value(output: &syn::ReturnType) -> bool {
    match output {
        syn::ReturnType::Default => false,
        syn::ReturnType::Type(_, ty) => !Wrapper::of(ty).is_some_and(|(_, inner)| is_unit(inner)),
    }
}

/// Which fields an enum has is known when the function has run; a cotangent of it comes before.
fn no_real_enum(data: &Data, at: &impl ToTokens, errors: &mut Errors) -> Result<()> {
    match data.tree.has_real_enum() {
        true => Err(errors.on(
            at,
            "an enum with real fields is no result here: its cotangent would have the variant that \
             the function has yet to choose; return the fields, as a tuple or a struct",
        )),
        false => Ok(()),
    }
}
