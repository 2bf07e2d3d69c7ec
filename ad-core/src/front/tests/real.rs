//! The real type of a function: what is read as it, and what is said about others.

use super::{annotated, errors, print};
use crate::front::real::RealType;

/// A function means the same as another one over `f64`.
fn same(source: &str, in_f64: &str) {
    let [a, b] = [source, in_f64].map(|s| print::block(&annotated(s).program.body));
    assert_eq!(a, b, "{source}");
}

/// The body in a generic function of `x: &Array1<T>`, `s: T` and `n: usize`, and another one over
/// `f64`.
fn generic(body: &str, in_f64: &str) {
    same(
        &format!("fn f<T: Real>(x: &Array1<T>, s: T, n: usize) -> T {{ {body} }}"),
        &format!("fn f(x: &Array1<f64>, s: f64, n: usize) -> f64 {{ {in_f64} }}"),
    );
}

/// The same for `f32`.
fn single(body: &str, in_f64: &str) {
    same(
        &format!("fn f(x: &Array1<f32>, s: f32, n: usize) -> f32 {{ {body} }}"),
        &format!("fn f(x: &Array1<f64>, s: f64, n: usize) -> f64 {{ {in_f64} }}"),
    );
}

fn real(source: &str) -> String {
    annotated(source).signature.real.name()
}

fn one(source: &str, what: &str) {
    let found = errors("", source);
    assert_eq!(found.len(), 1, "{source}: {found:#?}");
    assert!(found[0].contains(what), "{source}: {}", found[0]);
}

fn says(source: &str, whole: &str) {
    let found = errors("", source);
    assert_eq!(found, [whole], "{source}");
}

#[test]
fn the_type_is_found() {
    assert_eq!(real("fn f(x: f64) -> f64 { x }"), "f64");
    assert_eq!(real("fn f(n: usize, x: &[f32]) -> f32 { x[n] }"), "f32");
    assert_eq!(real("fn f<T: Real>(x: T) -> T { x }"), "T");
    let paths =
        "fn f<'a, Number: Copy + cotangent::Real>(x: ArrayView1<'a, Number>) -> Number { x[0] }";
    assert_eq!(real(paths), "Number");
    let clause =
        "fn f<R>(x: &[R], n: usize) -> Vec<R> where R: Real + Send, Vec<R>: Clone { x.to_vec() }";
    let clause = clause.replace("-> Vec<R>", "-> Array1<R>");
    let clause = clause.replace("x.to_vec()", "build(n, |i| x[i])");
    assert_eq!(real(&clause), "R");
    let default = RealType::default();
    assert_eq!(default.name(), "f64");
}

#[test]
fn single_precision() {
    single("s * 2.0 + 3f32 - 0.5_f32", "s * 2.0 + 3f64 - 0.5_f64");
    single("s * n as f32", "s * n as f64");
    single("f32::max(s, x[0]).sqrt()", "f64::max(s, x[0]).sqrt()");
    single("s.min(f32::INFINITY)", "s.min(f64::INFINITY)");
    single("f32::from(n as u8)", "f64::from(n as u8)");
    single(
        "let t: f32 = s; let g = |u: &f32| u + t; g(&s)",
        "let t: f64 = s; let g = |u: &f64| u + t; g(&s)",
    );
    single(
        "s * std::f64::consts::PI as f32",
        "s * std::f64::consts::PI",
    );
    single("s * f32::EPSILON", "s * 1.1920928955078125e-7");
    single("const H: f64 = 0.25; s * H as f32", "s * 0.25");
    let pi = f64::from(std::f32::consts::PI);
    single("s * std::f32::consts::PI", &format!("s * {pi}"));
    same(
        "fn f(s: f64) -> f64 { s * std::f32::consts::PI as f64 }",
        &format!("fn f(s: f64) -> f64 {{ s * {pi} }}"),
    );
}

#[test]
fn generic_functions() {
    generic(
        "s * T::of(2.0) + T::of(-0.5_f64)",
        "s * 2.0 - -0.5 * -1.0"
            .replace("- -0.5 * -1.0", "+ -0.5")
            .as_str(),
    );
    generic("s * T::from_usize(n)", "s * n as f64");
    generic("s * T::of(n as f64 / 2.0)", "s * (n as f64 / 2.0)");
    generic("s + T::from(0.5f32) + T::from(1f32)", "s + 0.5 + 1.0");
    generic(
        "s * T::of(std::f64::consts::PI)",
        "s * std::f64::consts::PI",
    );
    generic(
        "s * T::of(f64::sqrt(2.0)) + T::of(f64::from(3))",
        "s * f64::sqrt(2.0) + f64::from(3)",
    );
    generic(
        "T::max(s, x[0]).exp() + Real::ln(s)",
        "f64::max(s, x[0]).exp() + f64::ln(s)",
    );
    generic(
        "T::zero() + s * T::one() + T::default()",
        "0.0 + s * 1.0 + 0.0",
    );
    generic(
        "s.max(T::NEG_INFINITY).min(T::INFINITY)",
        "s.max(f64::NEG_INFINITY).min(f64::INFINITY)",
    );
    generic(
        "let t: T = s; let g = |u: T| -> T { u + t }; g(s)",
        "let t: f64 = s; let g = |u: f64| -> f64 { u + t }; g(s)",
    );
    generic("x[s.to_f64() as usize]", "x[s as usize]");
    generic("const H: f64 = 0.25; s * T::of(H)", "s * 0.25");
    same(
        "fn f(s: f32) -> f32 { s * Real::of(2.0) + f32::of(3.0) }",
        "fn f(s: f64) -> f64 { s * 2.0 + 3.0 }",
    );
}

#[test]
fn constants_of_the_type_parameter() {
    let f = annotated("fn f<T: Real>(x: T) -> T { x.max(T::EPSILON) * T::of(HALF) }");
    let paths: Vec<String> = (f.consts.iter())
        .map(|c| c.path.segments.last().unwrap().ident.to_string())
        .collect();
    assert_eq!(paths, ["EPSILON", "HALF"]);
}

/// What is `f32` beside `f64` is rounded, and sums of products once.
#[test]
fn both_real_types() {
    let tenth = f64::from(0.1_f32);
    let results = |text: &str, wanted: &str| {
        let program = annotated(text).program.to_string();
        let body: String = program.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(body.contains(wanted), "{body}");
    };
    results("fn f(x: f64, y: f32) -> f64 { x }", "{ x.0 }");
    results(
        "fn f(x: f32) -> f64 { (0.1 * x + x.abs()) as f64 * 0.1 }",
        &format!("mul(double(single(add(single(mul({tenth:?}, x.0)), abs(x.0)))), 0.1)"),
    );
    results(
        "fn f(x: &[f32], h: f64) -> f64 { let s = sum(x.len(), |i| x[i] * x[i]); s as f64 * h }",
        "single(sum(i.2 < dim(x.0, 0) => mul(x.0[i.2], x.0[i.2])))",
    );
    results(
        "fn f(x: f32, n: usize) -> f32 { x * n as f64 as f32 }",
        "single(mul(x.0, single(double(int_to_real(n.1)))))",
    );
    results(
        "fn f(x: f64) -> f64 { x * (x as f32 * 2f32) as f64 }",
        "mul(single(x.0), 2.0)",
    );
    results(
        "fn f(x: f32) -> f32 { let y: f64 = 1.0; x * y as f32 }",
        "single(mul(x.0,",
    );
}

#[test]
fn one_real_type() {
    says(
        "fn f<T: Real>(x: T, h: f64) -> T { x }",
        "all real numbers are `T` here, and this is `f64`; write `T`",
    );
    says(
        "fn f<T: Real>(x: T) -> T { x * 0.5f64 }",
        "all real numbers are `T` here, and this is `f64`; write `T::of(..)` of a literal without \
         a suffix",
    );
    one(
        "fn f<T: Real>(x: T, n: usize) -> T { x * n as f64 }",
        "write `T::of(..)` around the cast",
    );
    one(
        "fn f<T: Real>(x: T, n: usize) -> T { x * n as T }",
        "`T::from_usize(..)` of a `usize`",
    );
    one(
        "fn f<T: Real>(x: T) -> T { T::of(x.to_f64() * 2.0) }",
        "remove `to_f64`",
    );
    one(
        "fn f<T: Real>(x: T) -> T { x * T::from(1.0 / 3.0) }",
        "only literals and constants",
    );
    one(
        "fn f<T: Real>(x: T, n: usize) -> T { x * T::from(n as f32) }",
        "this is `f32`; write `T::of(..)`",
    );
    one(
        "fn f<T: Real>(x: T) -> T { const H: f32 = 0.5; x * T::from(H) }",
        "this is `f32`",
    );
    one(
        "fn f<T: Real>(x: T) -> T { T::of(2.0, 3.0) * x }",
        "`of` works on 1 value",
    );
}

#[test]
fn literals_are_rounded_to_their_type() {
    let tenth = f64::from(0.1_f32);
    single("s * 0.1 + 0.1f32", &format!("s * {tenth} + {tenth}"));
    single("const H: f64 = 0.1; s * H as f32", "s * 0.1");
    generic(
        "s * T::of(0.1) + T::from(0.1) - T::from(-0.1f32)",
        &format!("s * 0.1 + {tenth} - -{tenth}"),
    );
    generic("s * T::of(0.1f32 as f64)", &format!("s * {tenth}"))
}

#[test]
fn type_parameters() {
    one("fn f<T: Copy>(x: T) -> T { x }", "cannot tell what `T` is");
    one(
        "fn f<T: Real, U: Real>(x: T, y: U) -> T { x }",
        "write `T` in place of `U`",
    );
    one(
        "fn f<T, U>(x: T, y: U) -> T where T: Real { x }",
        "or `U: Real` for a function over",
    );
    one(
        "fn f<T: Real>(n: usize) -> T { T::of(1.0) }",
        "no argument is a `T` or an array of `T`",
    );
}

#[test]
fn parameters_of_the_block_around() {
    one(
        "fn f(x: &Array1<T>, s: f64) -> f64 { s }",
        "`T` is no type parameter of this function",
    );
}

#[test]
fn messages_name_the_type() {
    one(
        "fn f(x: f32, n: usize) -> f32 { x + n }",
        "write `.. as f32` at the integer",
    );
    one(
        "fn f<T: Real>(x: T, n: usize) -> T { x + n }",
        "write `T::of(.. as f64)` at the integer, or `T::of(2.0)`",
    );
    one(
        "fn f<T: Real>(x: T, n: usize) -> T { x * n.sqrt() }",
        "write `T::of(.. as f64).sqrt(..)`",
    );
    one(
        "fn f<Q: Real>(x: &Array1<Q>) -> Q { x }",
        "this is an `Array1<Q>`, but it is declared as `Q`",
    );
    one(
        "fn f(x: &f32) -> f32 { 1.0 }",
        "write `f32` instead of `&f32`",
    );
    one(
        "fn f(x: f32) -> Array1<usize> { x }",
        "return `f32` or an array of `f32`",
    );
}
