//! `--check`: a test beside the function, in the user's crate, that compares the generated
//! functions with differences and with each other.
//!
//! The test is text: a part that is the same for all functions (`check/test.rs`) and what depends
//! on the signature. The macro puts it beside the function (`COTANGENT_BESIDE`), so it sees what
//! the function sees.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is refused"
)]

mod values;

use cotangent_core::ir::arguments::Given;
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{FnArg, Pat, ReturnType, Type};
use values::{Made, Maker, last};

/// What every test holds.
const COMMON: &str = include_str!("check/test.rs");

/// The length of an axis of which nothing is known.
const DEFAULT: usize = 3;

/// The name of the test.
pub(crate) fn name(function: &str) -> String {
    format!("cotangent_check_{function}")
}

/// The structs of a crate, by their names.
pub(crate) type Structs = BTreeMap<String, syn::ItemStruct>;

/// The test of a function, from its source with the attribute.
///
/// # Errors
/// If the test cannot call the function; the message says why.
pub(crate) fn test(source: &str, structs: &Structs, given: &Given) -> Result<String, String> {
    let function: syn::ItemFn = syn::parse_str(source).map_err(|e| e.to_string())?;
    let attribute = Attribute::of(&function);
    let reals: Vec<String> = (function.sig.generics.type_params())
        .map(|p| p.ident.to_string())
        .collect();
    let maker = Maker {
        structs,
        given,
        reals: reals
            .iter()
            .map(String::as_str)
            .chain(["f64", "f32"])
            .collect(),
    };
    let args = (function.sig.inputs.iter())
        .map(|input| Arg::of(input, &maker))
        .collect::<Result<Vec<_>, _>>()?;
    let wrt: Vec<&Arg> = match &attribute.wrt {
        Some(names) => args.iter().filter(|a| names.contains(&a.name)).collect(),
        None => args.iter().filter(|a| a.made.is_real).collect(),
    };
    let output = Output::of(&function.sig.output, &maker)?;
    let name = function.sig.ident.to_string();
    let calls = Calls::of(&name, &args, &wrt, &output, &attribute);
    let calls = calls.ok_or("there is neither a gradient nor a `vjp` nor a `jvp`")?;
    let real = if source.contains("f32") { "f32" } else { "f64" };
    let (root, is_scalar) = (&attribute.root, output.is_scalar);
    let reverse = calls.reverse.as_ref().map(|(name, _)| name);
    let forward = calls.forward.as_ref().map(|(name, _)| name);
    let args = args
        .iter()
        .map(|a| format!("let mut a_{} = {};\n", a.name, a.made.text));
    let tangents = (wrt.iter()).map(|a| format!("let mut t_{0} = zero(&a_{0});\n", a.name));
    let by_reverse = calls.reverse.as_ref().map(|(_, call)| {
        let gradients: Vec<String> = wrt.iter().map(|a| format!("g_{}", a.name)).collect();
        format!("let (_, ({})) = {call};\n", gradients.join(", "))
    });
    let compared = wrt.iter().map(|a| calls.compared(&a.name));
    Ok(format!(
        "#[cfg(test)]\n#[test]\n#[allow(warnings, clippy::all)]\nfn {}() {{\n\
         use {root} as cotangent;\ntype __R = {real};\n{}{COMMON}\
         let mut tally = Tally::new({reverse:?}, {forward:?});\n\
         for point in 0..POINTS {{\n\
         let mut random = Random::of(point);\n{}{}\
         let value = {};\n\
         if !is_finite(&value) {{ tally.without_value += 1; continue; }}\n\
         let cotangent = cotangent_of(&value, {is_scalar}, &mut random);\n{}{}}}\n\
         tally.finish();\n}}\n",
        self::name(&name),
        constants(&function.sig.generics, given),
        args.collect::<String>(),
        tangents.collect::<String>(),
        calls.value,
        by_reverse.unwrap_or_default(),
        compared.collect::<String>(),
    ))
}

/// The values of generic constants.
fn constants(generics: &syn::Generics, given: &Given) -> String {
    let constants = generics.const_params().map(|p| {
        let ty = p.ty.to_token_stream();
        let n = given.get(&p.ident.to_string()).map_or(DEFAULT, |n| n[0]);
        format!("const {}: {ty} = {n};\n", p.ident)
    });
    constants.collect()
}

/// Calls of the function and of what is generated for it, at the point of the test.
struct Calls {
    value: String,
    /// The name of the derivative of reverse mode, and its call.
    reverse: Option<(String, String)>,
    forward: Option<(String, String)>,
}

impl Calls {
    fn of(
        name: &str,
        args: &[Arg],
        wrt: &[&Arg],
        output: &Output,
        attribute: &Attribute,
    ) -> Option<Calls> {
        let is_scalar = output.is_scalar;
        let has = |mode: &str| attribute.has(mode, is_scalar);
        let point = args.iter().map(|a| a.passed(&format!("a_{}", a.name)));
        let point: Vec<String> = point.collect();
        let call = |suffix: &str, more: Vec<String>| {
            let all = [point.clone(), more].concat().join(", ");
            format!("{name}{suffix}({all}){}", output.unwrapped)
        };
        let tangents = wrt.iter().map(|a| a.passed(&format!("t_{}", a.name)));
        let reverse = match (has("grad") && is_scalar, has("vjp")) {
            (true, _) => Some(("_grad", call("_value_and_grad", vec![]))),
            (false, true) => {
                let cotangent = if is_scalar { "cotangent" } else { "&cotangent" };
                Some(("_vjp", call("_vjp", vec![cotangent.to_owned()])))
            }
            (false, false) => None,
        };
        let forward = has("jvp").then(|| ("_jvp", call("_jvp", tangents.collect())));
        let named = |(suffix, call): (&str, String)| (format!("{name}{suffix}"), call);
        let calls = Calls {
            value: call("", vec![]),
            reverse: reverse.map(named),
            forward: forward.map(named),
        };
        let is_any = calls.reverse.is_some() || calls.forward.is_some();
        (is_any && !wrt.is_empty()).then_some(calls)
    }

    /// Compares the elements of an argument.
    fn compared(&self, arg: &str) -> String {
        let Calls { value, .. } = self;
        let by_reverse = self.reverse.as_ref().map(|_| format!("get(&g_{arg}, k)"));
        let by_forward = self.forward.as_ref().map(|(_, call)| {
            format!(
                "{{ set(&mut t_{arg}, k, 1.0); let (_, tangent) = {call}; \
                 set(&mut t_{arg}, k, 0.0); inner(&cotangent, &tangent) }}"
            )
        });
        let [by_reverse, by_forward] = [by_reverse, by_forward]
            .map(|by| by.map_or("None".to_owned(), |by| format!("Some({by})")));
        format!(
            "let names = names_of(&a_{arg}, \"{arg}\");\n\
             for k in chosen(names.len()) {{\n\
             let at = get(&a_{arg}, k);\n\
             let mut along = [0.0; 4];\n\
             for (j, step) in STEPS.iter().enumerate() {{\n\
             set(&mut a_{arg}, k, at + step * (1.0 + at.abs()));\n\
             along[j] = inner(&cotangent, &{value});\n}}\n\
             set(&mut a_{arg}, k, at);\n\
             let (reverse, forward) = ({by_reverse}, {by_forward});\n\
             tally.compare(point, &names[k], at, along, reverse, forward);\n}}\n"
        )
    }
}

/// What the attribute says.
struct Attribute {
    modes: Vec<String>,
    wrt: Option<Vec<String>>,
    root: String,
}

impl Attribute {
    fn of(function: &syn::ItemFn) -> Attribute {
        let mut out = Attribute {
            modes: vec![],
            wrt: None,
            root: "::cotangent".into(),
        };
        let attribute = function
            .attrs
            .iter()
            .find(|a| a.path().is_ident("differentiable"));
        // The macro has read it: what cannot be read here is no option that matters.
        let _ = attribute.map(|a| {
            a.parse_nested_meta(|meta| {
                if meta.path.is_ident("wrt") {
                    let mut names = vec![];
                    meta.parse_nested_meta(|name| {
                        names.push(name.path.to_token_stream().to_string());
                        Ok(())
                    })?;
                    out.wrt = Some(names);
                } else if meta.path.is_ident("crate") {
                    let path: syn::Path = meta.value()?.parse()?;
                    out.root = path.to_token_stream().to_string();
                } else {
                    let name = meta.path.to_token_stream().to_string();
                    let rest: proc_macro2::TokenStream = match meta.input.peek(syn::Token![,]) {
                        true => proc_macro2::TokenStream::new(),
                        false => rest_of(meta.input)?,
                    };
                    out.modes.push(format!("{name}{rest}").replace(' ', ""));
                }
                Ok(())
            })
        });
        out
    }

    /// Whether a mode is named, or meant where none is named.
    fn has(&self, mode: &str, is_scalar: bool) -> bool {
        const OPTIONS: [&str; 3] = ["noinline", "into", "checkpoint"];
        let is_option = |m: &String| OPTIONS.iter().any(|o| m.starts_with(o));
        match self.modes.iter().all(is_option) {
            true => mode == if is_scalar { "grad" } else { "vjp" },
            false => self.modes.iter().any(|m| m == mode),
        }
    }
}

/// The tokens up to the next comma.
fn rest_of(input: syn::parse::ParseStream<'_>) -> syn::Result<proc_macro2::TokenStream> {
    let mut out = proc_macro2::TokenStream::new();
    while !input.is_empty() && !input.peek(syn::Token![,]) {
        let token: proc_macro2::TokenTree = input.parse()?;
        out.extend([token]);
    }
    Ok(out)
}

/// What the function returns.
struct Output {
    is_scalar: bool,
    /// What takes the value out of a `Result` or an `Option`.
    unwrapped: &'static str,
}

impl Output {
    fn of(output: &ReturnType, maker: &Maker<'_>) -> Result<Output, String> {
        let ReturnType::Type(_, ty) = output else {
            return Err("the function writes its results to arguments".into());
        };
        let (ty, unwrapped) = match last(ty) {
            Some((name, inner)) if name == "Result" => (
                inner[0].clone(),
                ".ok().expect(\"a value at a random point\")",
            ),
            Some((name, inner)) if name == "Option" => {
                (inner[0].clone(), ".expect(\"a value at a random point\")")
            }
            Some(_) | None => ((**ty).clone(), ""),
        };
        if matches!(ty, Type::Tuple(_)) {
            return Err("the function returns several values".into());
        }
        let is_scalar = last(&ty).is_some_and(|(name, _)| maker.reals.contains(&&name[..]));
        Ok(Output {
            is_scalar,
            unwrapped,
        })
    }
}

/// An argument of the function.
struct Arg {
    name: String,
    made: Made,
    /// What stands before and behind an owned value to pass it.
    around: (&'static str, &'static str),
}

impl Arg {
    fn of(input: &FnArg, maker: &Maker<'_>) -> Result<Arg, String> {
        let FnArg::Typed(typed) = input else {
            return Err("the function is a method".into());
        };
        let Pat::Ident(name) = &*typed.pat else {
            return Err("an argument has no name".into());
        };
        let name = name.ident.to_string();
        let (ty, is_reference) = match &*typed.ty {
            Type::Reference(r) if r.mutability.is_some() => {
                return Err(format!("the function writes to `{name}`"));
            }
            Type::Reference(r) => (&*r.elem, true),
            other => (other, false),
        };
        let is_view = last(ty).is_some_and(|(name, _)| name.starts_with("ArrayView"));
        let around = match (is_reference, is_view) {
            (true, true) => ("&", ".view()"),
            (true, false) => ("&", ""),
            (false, true) => ("", ".view()"),
            (false, false) => ("", ".clone()"),
        };
        let mut axis = 0;
        let made = maker.make(ty, &name, &mut axis)?;
        Ok(Arg { name, made, around })
    }

    fn passed(&self, owned: &str) -> String {
        let (before, behind) = self.around;
        format!("{before}{owned}{behind}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str) -> Result<String, String> {
        let camera: syn::ItemStruct =
            syn::parse_str("struct Camera<R> { focal: R, centre: [R; 2], id: usize }").expect("ok");
        let structs = Structs::from([("Camera".to_owned(), camera)]);
        let given = Given::from([("w".to_owned(), vec![4, 2])]);
        let text = test(source, &structs, &given)?;
        let _: syn::File = syn::parse_str(&text).map_err(|e| format!("{e}\n{text}"))?;
        Ok(text)
    }

    #[test]
    fn tests_are_rust_and_call_what_is_generated() {
        let text = written(
            "#[differentiable(grad, jvp, wrt(w, c))]
             fn f<T: Real>(w: &Array2<T>, n: usize, x: ArrayView1<'_, T>, c: Camera<T>) -> T { }",
        )
        .expect("a test");
        for part in [
            "from_shape_simple_fn((4, 2, )",
            "let mut a_n = 3;",
            "f_value_and_grad(&a_w, a_n.clone(), a_x.view(), a_c.clone())",
            "f_jvp(&a_w, a_n.clone(), a_x.view(), a_c.clone(), &t_w, t_c.clone())",
            "Camera { focal: random.real(), centre:",
            "let (_, (g_w, g_c)) =",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }

    /// `tests/check.rs` compiles and runs the text.
    #[test]
    fn the_test_of_project_is_known() {
        let source = "#[differentiable(vjp, jvp)]
            fn project<T: Real>(c: &Camera<T>, points: &[[T; 2]], n: usize) -> Array1<T> {}";
        let text = written(source).expect("a test");
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check/project.rs");
        if std::env::var_os("COTANGENT_BLESS").is_some() {
            std::fs::write(file, &text).expect("the file can be written");
        }
        let known = std::fs::read_to_string(file).expect("the file can be read");
        assert!(text == known, "record it with COTANGENT_BLESS=1");
    }

    #[test]
    fn default_modes_follow_the_result() {
        let text = written("#[differentiable] fn f(x: &[f64]) -> Vec<f64> {}").expect("a test");
        assert!(text.contains("f_vjp(&a_x, &cotangent)") && !text.contains("f_jvp("));
        let text = written("#[differentiable(into, grad(aux))] fn f(x: f64) -> f64 {}");
        assert!(text.is_err_and(|e| e.contains("neither")));
    }

    #[test]
    fn what_no_test_can_call_is_said() {
        for (source, part) in [
            ("#[differentiable] fn f(&self) -> f64 {}", "method"),
            ("#[differentiable] fn f(x: f64, y: &mut [f64]) {}", "`y`"),
            (
                "#[differentiable] fn f(x: Unknown<f64>) -> f64 {}",
                "`Unknown<f64>`",
            ),
            ("#[differentiable] fn f(x: f64) -> (f64, f64) {}", "several"),
        ] {
            let message = written(source).expect_err("no test");
            assert!(message.contains(part), "{source}: {message}");
        }
    }
}
