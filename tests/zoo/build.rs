//! Turns every file of `programs` into a module and an entry of the table of programs.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

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
    // Some programs use nothing but the annotation from the prelude.
    let unused = (!derived).then(|| quote!(#[allow(unused_imports)]));
    let table = quote! {
        #[doc = "The programs themselves, a module each."]
        // Test cases are written in brackets, which are no links.
        #[allow(missing_docs, rustdoc::broken_intra_doc_links)]
        #unused
        pub mod program { #modules }

        static PROGRAMS: &[Program] = &[#entries];

        #[doc = "The generic programs over `f32`."]
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

fn text(path: &Path) -> Literal {
    Literal::string(path.to_str().expect("paths are Unicode"))
}

/// How a parameter wants its argument.
#[derive(Clone, Copy)]
enum Passing {
    /// `T`, a scalar or an array.
    Value,
    /// `&ArrayN<T>`.
    Reference,
    /// `ArrayViewN<'_, T>`.
    View,
    /// `&ArrayViewN<'_, T>`.
    ViewReference,
}

/// A parameter or result type: a scalar, or an array that is owned, borrowed or viewed.
#[derive(Clone)]
struct Kind {
    element: String,
    /// `None` for a scalar.
    rank: Option<usize>,
    passing: Passing,
}

impl Kind {
    /// The kind of a type; `generic` is the name of the type parameter.
    fn of(ty: &syn::Type, generic: Option<&str>) -> Option<Kind> {
        let is_element = |name: &str| is_element(name) || generic == Some(name);
        if let syn::Type::Reference(reference) = ty {
            let inner = Kind::of(&reference.elem, generic)?;
            inner.rank?;
            let passing = match inner.passing {
                Passing::Value => Passing::Reference,
                Passing::View => Passing::ViewReference,
                Passing::Reference | Passing::ViewReference => return None,
            };
            return (reference.mutability.is_none()).then_some(Kind { passing, ..inner });
        }
        let syn::Type::Path(path) = ty else {
            return None;
        };
        let last = path.path.segments.last()?;
        let name = last.ident.to_string();
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return is_element(&name).then_some(Kind {
                element: name,
                rank: None,
                passing: Passing::Value,
            });
        };
        let (rank, passing) = match name.strip_prefix("ArrayView") {
            Some(rank) => (rank, Passing::View),
            None => (name.strip_prefix("Array")?, Passing::Value),
        };
        let rank: usize = rank.parse().ok().filter(|&rank| rank <= 6)?;
        let mut elements = arguments.args.iter().filter_map(|argument| {
            if let syn::GenericArgument::Type(syn::Type::Path(element)) = argument {
                Some(element.path.get_ident()?.to_string())
            } else {
                None
            }
        });
        let element = elements.next().filter(|name| is_element(name))?;
        Some(Kind {
            element,
            rank: Some(rank),
            passing,
        })
    }

    fn is_real(&self) -> bool {
        matches!(self.element.as_str(), "f64" | "f32")
    }

    /// The type without borrows.
    fn owned(&self) -> TokenStream {
        let element = format_ident!("{}", self.element);
        match self.rank {
            None => quote!(#element),
            Some(rank) => {
                let array = format_ident!("Array{rank}");
                quote!(ndarray::#array<#element>)
            }
        }
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

    fn description(&self, name: &Ident) -> TokenStream {
        let name = name.to_string();
        let elem = match self.element.as_str() {
            "f64" | "f32" => quote!(Elem::Real),
            "bool" => quote!(Elem::Bool),
            _ => quote!(Elem::Int),
        };
        let rank = self.rank.unwrap_or(0);
        quote!(Param { name: #name, elem: #elem, rank: #rank })
    }
}

fn is_element(name: &str) -> bool {
    matches!(name, "f64" | "f32" | "usize" | "i64" | "i32" | "bool")
}

/// A file of the folder, taken apart.
#[derive(Clone)]
struct Program {
    name: Ident,
    params: Vec<(Ident, Kind)>,
    result: Kind,
    /// The type parameter.
    generic: Option<String>,
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
        let mut params = Vec::new();
        for input in &function.sig.inputs {
            let syn::FnArg::Typed(typed) = input else {
                return Err("programs are not methods".into());
            };
            let syn::Pat::Ident(ident) = &*typed.pat else {
                return Err("parameters are plain names".into());
            };
            let kind = Kind::of(&typed.ty, generic.as_deref())
                .ok_or_else(|| format!("the type of `{}` is not supported", ident.ident))?;
            params.push((ident.ident.clone(), kind));
        }
        let is_real =
            |kind: &Kind| kind.is_real() || generic.as_deref() == Some(kind.element.as_str());
        if !params.iter().any(|(_, kind)| is_real(kind)) {
            return Err("there is nothing to differentiate in".into());
        }
        let syn::ReturnType::Type(_, result) = &function.sig.output else {
            return Err("there is no result".into());
        };
        let result = Kind::of(result, generic.as_deref())
            .filter(|kind| is_real(kind) && matches!(kind.passing, Passing::Value))
            .ok_or("the result is neither real nor an owned array of real numbers")?;
        Ok(Program {
            name: function.sig.ident.clone(),
            params,
            result,
            generic,
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
        for kind in params.chain([&mut program.result]) {
            if self.generic.as_deref() == Some(kind.element.as_str()) {
                kind.element = real.into();
            }
        }
        program
    }

    /// The file as it would be without the crate: no annotation, and the combinators from the
    /// runtime directly.
    fn without_annotation(&self) -> String {
        let mut file = self.file.clone();
        for item in &mut file.items {
            if let syn::Item::Fn(function) = item {
                function
                    .attrs
                    .retain(|attribute| !attribute.path().is_ident("differentiable"));
            }
        }
        prettyplease::unparse(&file).replace("cotangent::prelude::*", "cotangent_runtime::*")
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
        let params = self
            .params
            .iter()
            .map(|(name, kind)| kind.description(name));
        let scalar_result = self.result.rank.is_none();
        let single = self.result.element == "f32";
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

    /// The locals that hold the arguments, and what to pass.
    fn arguments(&self) -> (TokenStream, Vec<TokenStream>) {
        let mut lets = TokenStream::new();
        let mut passed = Vec::new();
        for (i, (_, kind)) in self.params.iter().enumerate() {
            let local = format_ident!("a{i}");
            let owned = kind.owned();
            lets.extend(quote!(let #local: #owned = from_value(&args[#i]);));
            passed.push(kind.pass(&local));
        }
        (lets, passed)
    }

    fn real_params(&self) -> impl Iterator<Item = &Kind> {
        self.params
            .iter()
            .map(|(_, kind)| kind)
            .filter(|kind| kind.is_real())
    }

    fn call(&self, function: &Ident) -> TokenStream {
        let module = &self.name;
        quote!(program::#module::#function)
    }

    /// A closure that calls a function of the program's own signature.
    fn forward(&self, function: &Ident) -> TokenStream {
        let (lets, passed) = self.arguments();
        let call = self.call(function);
        quote! {
            |args| {
                #lets
                to_value(&#call(#(#passed),*))
            }
        }
    }

    fn derivatives(&self) -> TokenStream {
        let (lets, passed) = self.arguments();
        let value = self.forward(&format_ident!("{}_value", self.name));

        let jvp = self.call(&format_ident!("{}_jvp", self.name));
        let mut tangent_lets = TokenStream::new();
        let mut tangents = Vec::new();
        for (i, kind) in self.real_params().enumerate() {
            let local = format_ident!("t{i}");
            let owned = kind.owned();
            tangent_lets.extend(quote!(let #local: #owned = from_value(&tangents[#i]);));
            tangents.push(kind.pass(&local));
        }

        let count = self.real_params().count();
        let names: Vec<Ident> = (0..count).map(|i| format_ident!("g{i}")).collect();
        let pattern = match names.as_slice() {
            [one] => quote!(#one),
            several => quote!((#(#several),*)),
        };
        let gradients = quote!(vec![#(to_value(&#names)),*]);

        let vjp = self.call(&format_ident!("{}_vjp", self.name));
        let result = self.result.owned();
        let cotangent = match self.result.rank {
            None => quote!(cotangent),
            Some(_) => quote!(&cotangent),
        };

        let value_and_grad = if self.result.rank.is_none() {
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
                let (value, tangent) = #jvp(#(#passed,)* #(#tangents),*);
                (to_value(&value), to_value(&tangent))
            },
            vjp: |args, cotangent| {
                #lets
                let cotangent: #result = from_value(cotangent);
                let (value, #pattern) = #vjp(#(#passed,)* #cotangent);
                (to_value(&value), #gradients)
            },
            value_and_grad: #value_and_grad,
        }
    }
}
