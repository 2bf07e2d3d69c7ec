//! Turns every file of `programs` into a module and an entry of the table of programs.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "Rust's own syntax has more forms than the programs may use"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the package"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the output directory"));
    let derived = env::var_os("CARGO_FEATURE_DERIVED").is_some();
    let folder = here.join("programs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.display());

    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of programs can be read")
        .map(|entry| entry.expect("a file of the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .filter(|path| is_wanted(path))
        .collect();
    files.sort();

    let plain = out.join("plain");
    fs::create_dir_all(&plain).expect("the output directory can be written");
    let mut modules = TokenStream::new();
    let mut entries = TokenStream::new();
    let mut single = TokenStream::new();
    for path in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        let program =
            Program::read(path).unwrap_or_else(|message| panic!("{}: {message}", path.display()));
        if !derived && program.calls_derivatives() {
            continue;
        }
        let module_path = if derived {
            path.clone()
        } else {
            let stripped = plain.join(path.file_name().expect("a file has a name"));
            write_if_changed(&stripped, &program.without_annotation());
            stripped
        };
        modules.extend(program.module(&module_path));
        entries.extend(program.at("f64").entry(path, derived));
        if program.is_generic() {
            single.extend(program.at("f32").entry(path, derived));
        }
    }
    // Some programs use nothing but the annotation from the prelude, or name functions in it.
    let unused = (!derived).then(|| quote!(#[allow(unused_imports, dead_code)]));
    let table = quote! {
        #[doc = "The programs themselves, a module each."]
        // Test cases are written in brackets, which are no links.
        #[allow(missing_docs, rustdoc::broken_intra_doc_links)]
        // They show each way to write something, not the best one.
        #[allow(
            clippy::assign_op_pattern,
            clippy::cast_abs_to_unsigned,
            clippy::double_ended_iterator_last,
            clippy::manual_clamp,
            clippy::manual_is_multiple_of,
            clippy::needless_late_init,
            clippy::needless_range_loop,
            clippy::never_loop,
            clippy::op_ref,
            clippy::ptr_arg,
            clippy::reversed_empty_ranges,
            clippy::unnecessary_cast,
            clippy::useless_vec
        )]
        #unused
        pub mod program { #modules }

        // One way for all types is taken apart and put together.
        #[allow(clippy::clone_on_copy, clippy::init_numbered_fields)]
        static PROGRAMS: &[Program] = &[#entries];

        #[doc = "The generic programs over `f32`."]
        #[allow(clippy::clone_on_copy, clippy::init_numbered_fields)]
        static SINGLE: &[Program] = &[#single];
    };
    let table = syn::parse2(table).expect("the generated table is well-formed");
    write_if_changed(&out.join("table.rs"), &prettyplease::unparse(&table));
}

fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::write(path, text).expect("the output directory can be written");
}

/// Whether a program is compiled: all are, unless `COTANGENT_ZOO` lists parts of names.
fn is_wanted(path: &Path) -> bool {
    println!("cargo::rerun-if-env-changed=COTANGENT_ZOO");
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    match env::var("COTANGENT_ZOO") {
        Ok(words) => words.split(',').any(|word| name.contains(word.trim())),
        Err(_) => true,
    }
}

/// Whether an attribute needs the crate.
fn is_ours(attribute: &syn::Attribute) -> bool {
    let ours = ["differentiable", "custom_derivative"];
    ours.iter().any(|name| attribute.path().is_ident(name))
}

/// Leaves the crate's own derive out of a `derive`.
fn without_ours(derive: &mut syn::Attribute) {
    let parsed = derive.parse_args_with(Punctuated::<syn::Path, syn::Token![,]>::parse_terminated);
    let traits = parsed.expect("a `derive` lists traits").into_iter();
    let others = traits.filter(|path| !path.is_ident("Differentiable"));
    *derive = syn::parse_quote!(#[derive(#(#others),*)]);
}

fn text(path: &Path) -> Literal {
    Literal::string(path.to_str().expect("paths are Unicode"))
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq)]
enum Passing {
    /// `T`.
    Value,
    /// `&T`; of a slice `&[T]`.
    Reference,
    /// `ArrayViewN<'_, T>`.
    View,
    /// `&ArrayViewN<'_, T>`.
    ViewReference,
}

/// A parameter or result type.
#[derive(Clone)]
struct Kind {
    tree: Tree,
    passing: Passing,
}

/// What a type is made of.
#[derive(Clone)]
enum Tree {
    /// A scalar.
    Scalar(String),
    /// An array of ndarray.
    Array(String, usize),
    /// A `Vec`, or a slice of one.
    Vec(Box<Tree>),
    /// `[T; n]`
    Fixed(Box<Tree>, syn::Expr),
    /// `(T, U)`
    Tuple(Vec<Tree>),
    /// A struct of the file, with its type and its fields.
    Struct(TokenStream, Vec<(syn::Member, Tree)>),
}

/// What types may mention: the type parameter, and the structs of the file.
#[derive(Clone, Copy)]
struct Names<'a> {
    generic: Option<&'a str>,
    file: &'a syn::File,
}

impl Kind {
    /// The kind of a type.
    fn of(ty: &syn::Type, names: Names<'_>) -> Option<Kind> {
        let kind = |tree, passing| Some(Kind { tree, passing });
        if let syn::Type::Reference(reference) = ty {
            if reference.mutability.is_some() {
                return None;
            }
            if let syn::Type::Slice(slice) = &*reference.elem {
                let element = Tree::of(&slice.elem, names)?;
                return kind(Tree::Vec(Box::new(element)), Passing::Reference);
            }
            let inner = Kind::of(&reference.elem, names)?;
            let passing = match (inner.passing, &inner.tree) {
                (_, Tree::Scalar(_)) | (Passing::Reference | Passing::ViewReference, _) => {
                    return None;
                }
                (Passing::Value, _) => Passing::Reference,
                (Passing::View, _) => Passing::ViewReference,
            };
            return kind(inner.tree, passing);
        }
        if let syn::Type::Path(path) = ty
            && let Some(last) = path.path.segments.last()
            && let Some(rank) = last.ident.to_string().strip_prefix("ArrayView")
        {
            let rank = rank.parse().ok().filter(|&rank| rank <= 6)?;
            let [element] = &arguments(last)[..] else {
                return None;
            };
            let Tree::Scalar(element) = Tree::of(element, names)? else {
                return None;
            };
            return kind(Tree::Array(element, rank), Passing::View);
        }
        kind(Tree::of(ty, names)?, Passing::Value)
    }

    fn is_scalar(&self) -> bool {
        matches!(self.tree, Tree::Scalar(_))
    }

    /// What to pass, given the owned value in a local.
    fn pass(&self, local: &Ident) -> TokenStream {
        match self.passing {
            Passing::Value => quote!(#local),
            Passing::Reference => quote!(&#local),
            Passing::View => quote!(#local.view()),
            Passing::ViewReference => quote!(&#local.view()),
        }
    }
}

/// The types between the angle brackets.
fn arguments(segment: &syn::PathSegment) -> Vec<syn::Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return vec![];
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

impl Tree {
    fn of(ty: &syn::Type, names: Names<'_>) -> Option<Tree> {
        match ty {
            syn::Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|t| Tree::of(t, names));
                Some(Tree::Tuple(parts.collect::<Option<_>>()?))
            }
            syn::Type::Array(array) => {
                let element = Tree::of(&array.elem, names)?;
                Some(Tree::Fixed(Box::new(element), array.len.clone()))
            }
            syn::Type::Path(path) => {
                let last = path.path.segments.last()?;
                let name = last.ident.to_string();
                match &arguments(last)[..] {
                    [] if is_element(&name) || names.generic == Some(&name) => {
                        Some(Tree::Scalar(name))
                    }
                    [] => {
                        let of = names.file.items.iter().find_map(|item| match item {
                            syn::Item::Struct(of) if of.ident == name => Some(of),
                            _ => None,
                        })?;
                        let fields = of.fields.iter().zip(of.fields.members());
                        let fields = fields.map(|(f, m)| Some((m, Tree::of(&f.ty, names)?)));
                        let fields = fields.collect::<Option<_>>()?;
                        Some(Tree::Struct(ty.to_token_stream(), fields))
                    }
                    [element] if name == "Vec" => {
                        Some(Tree::Vec(Box::new(Tree::of(element, names)?)))
                    }
                    [element] => {
                        let rank = name.strip_prefix("Array")?.parse().ok();
                        let Tree::Scalar(element) = Tree::of(element, names)? else {
                            return None;
                        };
                        Some(Tree::Array(element, rank.filter(|&rank| rank <= 6)?))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The same with a type in place of the type parameter, and values in place of lengths.
    fn at(
        &self,
        module: &Ident,
        generic: Option<&str>,
        real: &str,
        lengths: &dyn Fn(&syn::Expr) -> syn::Expr,
    ) -> Tree {
        let name = |element: &str| match generic == Some(element) {
            true => real.to_owned(),
            false => element.to_owned(),
        };
        let inside = |tree: &Tree| Box::new(tree.at(module, generic, real, lengths));
        match self {
            Tree::Scalar(element) => Tree::Scalar(name(element)),
            Tree::Array(element, rank) => Tree::Array(name(element), *rank),
            Tree::Vec(element) => Tree::Vec(inside(element)),
            Tree::Fixed(element, n) => Tree::Fixed(inside(element), lengths(n)),
            Tree::Tuple(parts) => Tree::Tuple(parts.iter().map(|p| *inside(p)).collect()),
            Tree::Struct(name, fields) => {
                let fields = fields.iter().map(|(m, t)| (m.clone(), *inside(t)));
                Tree::Struct(quote!(program::#module::#name), fields.collect())
            }
        }
    }

    /// The type without borrows.
    fn owned(&self) -> TokenStream {
        match self {
            Tree::Scalar(element) => format_ident!("{element}").into_token_stream(),
            Tree::Array(element, rank) => {
                let (element, array) = (format_ident!("{element}"), format_ident!("Array{rank}"));
                quote!(ndarray::#array<#element>)
            }
            Tree::Vec(element) => {
                let element = element.owned();
                quote!(Vec<#element>)
            }
            Tree::Fixed(element, n) => {
                let element = element.owned();
                quote!([#element; #n])
            }
            Tree::Tuple(parts) => {
                let parts = parts.iter().map(Tree::owned);
                quote!((#(#parts,)*))
            }
            Tree::Struct(name, _) => name.clone(),
        }
    }

    /// The element and the rank of what is one parameter.
    fn leaf(&self) -> Option<(&str, usize)> {
        match self {
            Tree::Scalar(element) => Some((element, 0)),
            Tree::Array(element, rank) => Some((element, *rank)),
            Tree::Vec(element) | Tree::Fixed(element, _) => {
                let (element, rank) = element.leaf()?;
                Some((element, rank + 1))
            }
            Tree::Tuple(_) | Tree::Struct(..) => None,
        }
    }

    /// The parts, each with what follows the name of the whole.
    fn parts(&self) -> Vec<(String, TokenStream, &Tree)> {
        match self {
            Tree::Fixed(element, n) => {
                let n: usize = match n {
                    syn::Expr::Lit(literal) => literal.to_token_stream().to_string().parse(),
                    _ => Ok(0),
                }
                .expect("a length");
                let part = |k: usize| {
                    let k = Literal::usize_unsuffixed(k);
                    (format!("[{k}]"), quote!([#k]), &**element)
                };
                (0..n).map(part).collect()
            }
            Tree::Tuple(parts) => (parts.iter().enumerate())
                .map(|(k, part)| {
                    let k = Literal::usize_unsuffixed(k);
                    (format!(".{k}"), quote!(.#k), part)
                })
                .collect(),
            Tree::Struct(_, fields) => (fields.iter())
                .map(|(member, part)| {
                    let said = format!(".{}", member.to_token_stream());
                    (said, quote!(.#member), part)
                })
                .collect(),
            Tree::Scalar(_) | Tree::Array(..) | Tree::Vec(_) => vec![],
        }
    }

    /// What is one parameter each: its path as text and as tokens, its element and rank.
    fn leaves(&self, name: &str, path: &TokenStream, out: &mut Vec<Leaf>) {
        if let Some((element, rank)) = self.leaf() {
            out.push(Leaf {
                name: name.to_owned(),
                path: path.clone(),
                element: element.to_owned(),
                rank,
            });
            return;
        }
        for (said, tokens, part) in self.parts() {
            part.leaves(&format!("{name}{said}"), &quote!(#path #tokens), out);
        }
    }

    /// An expression for a value of the type, made of the values of its leaves.
    fn made(&self, next: &mut usize, of: &Ident) -> TokenStream {
        if self.leaf().is_some() {
            let k = *next;
            *next += 1;
            return quote!(from_value(&#of[#k]));
        }
        let parts: Vec<TokenStream> = (self.parts().iter())
            .map(|(_, _, part)| part.made(next, of))
            .collect();
        match self {
            Tree::Fixed(..) => quote!([#(#parts),*]),
            Tree::Struct(name, fields) => {
                let members = fields.iter().map(|(member, _)| member);
                quote!(#name { #(#members: #parts),* })
            }
            Tree::Tuple(_) | Tree::Scalar(_) | Tree::Array(..) | Tree::Vec(_) => {
                quote!((#(#parts,)*))
            }
        }
    }

    /// The same, where only real leaves have values, and the others are those of another value.
    fn moved(&self, next: &mut usize, of: &Ident, from: &TokenStream) -> TokenStream {
        if let Some((element, _)) = self.leaf() {
            if !is_real(element) {
                return quote!(#from.clone());
            }
            let k = *next;
            *next += 1;
            return quote!(from_value(&#of[#k]));
        }
        let parts: Vec<TokenStream> = (self.parts().iter())
            .map(|(_, tokens, part)| part.moved(next, of, &quote!(#from #tokens)))
            .collect();
        match self {
            Tree::Fixed(..) => quote!([#(#parts),*]),
            Tree::Struct(name, fields) => {
                let members = fields.iter().map(|(member, _)| member);
                quote!(#name { #(#members: #parts),* })
            }
            Tree::Tuple(_) | Tree::Scalar(_) | Tree::Array(..) | Tree::Vec(_) => {
                quote!((#(#parts,)*))
            }
        }
    }
}

/// What is one parameter.
struct Leaf {
    name: String,
    path: TokenStream,
    element: String,
    rank: usize,
}

impl Leaf {
    fn description(&self) -> TokenStream {
        let Leaf { name, rank, .. } = self;
        let elem = match self.element.as_str() {
            "f64" | "f32" => quote!(Elem::Real),
            "bool" => quote!(Elem::Bool),
            _ => quote!(Elem::Int),
        };
        quote!(Param { name: #name, elem: #elem, rank: #rank })
    }
}

fn is_element(name: &str) -> bool {
    matches!(name, "f64" | "f32" | "usize" | "i64" | "i32" | "bool")
}

fn is_real(element: &str) -> bool {
    matches!(element, "f64" | "f32")
}

/// What a length is that is a parameter of its program.
const LENGTH: usize = 3;

/// A file of the folder, taken apart.
#[derive(Clone)]
struct Program {
    name: Ident,
    params: Vec<(Ident, Kind)>,
    result: Kind,
    /// The type parameter.
    generic: Option<String>,
    /// The lengths that are parameters; they are [`LENGTH`] in the table.
    lengths: Vec<String>,
    file: syn::File,
}

impl Program {
    fn read(path: &Path) -> Result<Program, String> {
        let source = fs::read_to_string(path).map_err(|e| e.to_string())?;
        let file = syn::parse_file(&source).map_err(|e| e.to_string())?;
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name.ok_or("the file name is not Unicode")?;
        let function = file
            .items
            .iter()
            .find_map(|item| {
                if let syn::Item::Fn(function) = item {
                    (function.sig.ident == name).then_some(function)
                } else {
                    None
                }
            })
            .ok_or_else(|| format!("there is no function `{name}`"))?;
        if !matches!(function.vis, syn::Visibility::Public(_)) {
            return Err(format!("`{name}` is not `pub`"));
        }
        let generic = function.sig.generics.type_params().next();
        let generic = generic.map(|param| param.ident.to_string());
        let names = Names {
            generic: generic.as_deref(),
            file: &file,
        };
        let mut params = Vec::new();
        for input in &function.sig.inputs {
            let syn::FnArg::Typed(typed) = input else {
                return Err("programs are not methods".into());
            };
            let syn::Pat::Ident(ident) = &*typed.pat else {
                return Err("parameters are plain names".into());
            };
            let kind = Kind::of(&typed.ty, names)
                .ok_or_else(|| format!("the type of `{}` is not supported", ident.ident))?;
            params.push((ident.ident.clone(), kind));
        }
        let real_leaf = |leaf: &Leaf| {
            is_real(&leaf.element) || generic.as_deref() == Some(leaf.element.as_str())
        };
        let is_real = |name: &Ident, kind: &Kind| {
            let mut leaves = vec![];
            kind.tree
                .leaves(&name.to_string(), &TokenStream::new(), &mut leaves);
            leaves.iter().any(real_leaf)
        };
        if !params.iter().any(|(name, kind)| is_real(name, kind)) {
            return Err("there is nothing to differentiate in".into());
        }
        let syn::ReturnType::Type(_, result) = &function.sig.output else {
            return Err("there is no result".into());
        };
        let result = Kind::of(result, names)
            .filter(|kind| is_real(&function.sig.ident, kind) && kind.passing == Passing::Value)
            .ok_or("the result is neither real nor owned")?;
        let lengths = function.sig.generics.const_params();
        let lengths = lengths.map(|param| param.ident.to_string()).collect();
        Ok(Program {
            name: function.sig.ident.clone(),
            params,
            result,
            generic,
            lengths,
            file,
        })
    }

    fn is_generic(&self) -> bool {
        self.generic.is_some()
    }

    /// The program with a type in place of its type parameter.
    fn at(&self, real: &str) -> Program {
        let mut program = self.clone();
        let params = program.params.iter_mut().map(|(_, kind)| kind);
        let lengths = |n: &syn::Expr| -> syn::Expr {
            let module = &self.name;
            match n {
                syn::Expr::Path(path) if self.lengths.contains(&spelled(path)) => {
                    let n = Literal::usize_unsuffixed(LENGTH);
                    syn::parse_quote!(#n)
                }
                syn::Expr::Path(path) => syn::parse_quote!(program::#module::#path),
                n => n.clone(),
            }
        };
        for kind in params.chain([&mut program.result]) {
            kind.tree = kind
                .tree
                .at(&self.name, self.generic.as_deref(), real, &lengths);
        }
        program
    }

    /// Whether the program calls generated functions: without the crate there are none.
    fn calls_derivatives(&self) -> bool {
        let functions = self.file.items.iter().filter_map(|item| match item {
            syn::Item::Fn(f) if f.attrs.iter().any(|a| a.path().is_ident("differentiable")) => {
                Some(f.sig.ident.to_string())
            }
            _ => None,
        });
        let text = self.file.to_token_stream().to_string();
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        let suffixes = ["value", "grad", "value_and_grad", "vjp", "jvp"];
        functions.into_iter().any(|f| {
            let generated = suffixes.map(|suffix| format!("{f}_{suffix}"));
            words.iter().any(|word| generated.iter().any(|g| g == word))
        })
    }

    /// The file as it would be without the crate: no annotation, and the combinators from the
    /// runtime directly.
    fn without_annotation(&self) -> String {
        let mut file = self.file.clone();
        for item in &mut file.items {
            if let syn::Item::Fn(function) = item {
                function.attrs.retain(|attribute| !is_ours(attribute));
            }
            if let syn::Item::Struct(of) = item {
                for attribute in &mut of.attrs {
                    if attribute.path().is_ident("derive") {
                        without_ours(attribute);
                    }
                }
            }
        }
        prettyplease::unparse(&file)
            .replace("cotangent::prelude::*", "cotangent_runtime::*")
            .replace("cotangent::math::", "cotangent_runtime::math::")
    }

    fn module(&self, path: &Path) -> TokenStream {
        let Program { name, .. } = self;
        let path = text(path);
        quote! {
            #[path = #path]
            pub mod #name;
        }
    }

    fn entry(&self, path: &Path, derived: bool) -> TokenStream {
        let Program { name, .. } = self;
        let name_text = name.to_string();
        let path = text(path);
        let leaves = self.leaves();
        let params = leaves.iter().map(Leaf::description);
        let scalar_result = self.result.is_scalar();
        let single = leaves.iter().any(|leaf| leaf.element == "f32");
        let primal = self.forward(name);
        let derivatives = derived.then(|| self.derivatives());
        quote! {
            Program {
                name: #name_text,
                source: include_str!(#path),
                params: &[#(#params),*],
                scalar_result: #scalar_result,
                single: #single,
                primal: #primal,
                #derivatives
            },
        }
    }

    /// The parameters of the program.
    fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = vec![];
        for (name, kind) in &self.params {
            kind.tree
                .leaves(&name.to_string(), &TokenStream::new(), &mut leaves);
        }
        leaves
    }

    /// The locals that hold the arguments, and what to pass.
    fn arguments(&self) -> (TokenStream, Vec<TokenStream>) {
        let mut lets = TokenStream::new();
        let mut passed = Vec::new();
        let (mut next, args) = (0, format_ident!("args"));
        for (i, (_, kind)) in self.params.iter().enumerate() {
            let local = format_ident!("a{i}");
            let (owned, made) = (kind.tree.owned(), kind.tree.made(&mut next, &args));
            lets.extend(quote!(let #local: #owned = #made;));
            passed.push(kind.pass(&local));
        }
        (lets, passed)
    }

    /// The arguments that are differentiated, with their positions.
    fn real_params(&self) -> Vec<(usize, &Kind)> {
        let params = self.params.iter().enumerate();
        let real = params.filter(|(_, (_, kind))| {
            let mut leaves = vec![];
            kind.tree.leaves("", &TokenStream::new(), &mut leaves);
            leaves.iter().any(|leaf| is_real(&leaf.element))
        });
        real.map(|(i, (_, kind))| (i, kind)).collect()
    }

    fn call(&self, function: &Ident) -> TokenStream {
        let module = &self.name;
        quote!(program::#module::#function)
    }

    /// The real leaves of a value, one by one.
    fn values(kind: &Kind, of: &Ident) -> Vec<TokenStream> {
        let mut leaves = vec![];
        kind.tree.leaves("", &of.to_token_stream(), &mut leaves);
        let real = leaves.iter().filter(|leaf| is_real(&leaf.element));
        real.map(|Leaf { path, .. }| quote!(to_value(&#path)))
            .collect()
    }

    /// The value of the result, which is in a local: of a tuple and its like all real numbers in a
    /// row.
    fn value(&self, local: &Ident) -> TokenStream {
        if self.result.tree.leaf().is_some() {
            return quote!(to_value(&#local));
        }
        let values = Self::values(&self.result, local);
        quote!(in_a_row(&[#(#values),*]))
    }

    /// A closure that calls a function of the program's own signature.
    fn forward(&self, function: &Ident) -> TokenStream {
        let (lets, passed) = self.arguments();
        let call = self.call(function);
        let result = format_ident!("result");
        let value = self.value(&result);
        quote! {
            |args| {
                #lets
                let #result = #call(#(#passed),*);
                #value
            }
        }
    }

    fn derivatives(&self) -> TokenStream {
        let (lets, passed) = self.arguments();
        let value = self.forward(&format_ident!("{}_value", self.name));

        let jvp = self.call(&format_ident!("{}_jvp", self.name));
        let mut tangent_lets = TokenStream::new();
        let mut tangents = Vec::new();
        let (mut next, of) = (0, format_ident!("tangents"));
        for (i, kind) in self.real_params() {
            let (local, from) = (format_ident!("t{i}"), format_ident!("a{i}"));
            let owned = kind.tree.owned();
            let made = kind.tree.moved(&mut next, &of, &from.to_token_stream());
            tangent_lets.extend(quote!(let #local: #owned = #made;));
            tangents.push(kind.pass(&local));
        }

        let real = self.real_params();
        let names: Vec<Ident> = real.iter().map(|(i, _)| format_ident!("g{i}")).collect();
        let pattern = match names.as_slice() {
            [one] => quote!(#one),
            several => quote!((#(#several),*)),
        };
        let all = (real.iter().zip(&names)).flat_map(|((_, kind), name)| Self::values(kind, name));
        let gradients = quote!(vec![#(#all),*]);

        let primal = self.call(&self.name);
        let vjp = self.call(&format_ident!("{}_vjp", self.name));
        let owned = self.result.tree.owned();
        let result = format_ident!("result");
        let (result_value, tangent_value) =
            (self.value(&result), self.value(&format_ident!("tangent")));
        let cotangent = match self.result.is_scalar() {
            true => quote!(cotangent),
            false => quote!(&cotangent),
        };
        let made = if self.result.tree.leaf().is_some() {
            quote!(from_value(cotangent))
        } else {
            let values = Self::values(&self.result, &result);
            let parts = format_ident!("parts");
            let made = self
                .result
                .tree
                .moved(&mut 0, &parts, &result.to_token_stream());
            quote!({
                #lets
                let #result = #primal(#(#passed),*);
                let #parts = apart(cotangent, &[#(#values),*]);
                #made
            })
        };

        let value_and_grad = if self.result.is_scalar() {
            let function = self.call(&format_ident!("{}_value_and_grad", self.name));
            quote! {
                Some(|args| {
                    #lets
                    let (value, #pattern) = #function(#(#passed),*);
                    (to_value(&value), #gradients)
                })
            }
        } else {
            quote!(None)
        };

        quote! {
            value: #value,
            jvp: |args, tangents| {
                #lets
                #tangent_lets
                let (#result, tangent) = #jvp(#(#passed,)* #(#tangents),*);
                (#result_value, #tangent_value)
            },
            vjp: |args, cotangent| {
                let cotangent: #owned = #made;
                #lets
                let (#result, #pattern) = #vjp(#(#passed,)* #cotangent);
                (#result_value, #gradients)
            },
            value_and_grad: #value_and_grad,
        }
    }
}

fn spelled(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
