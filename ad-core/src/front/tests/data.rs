//! Arguments and results that are made of several, fixed-size arrays.

use super::{annotated, core, errors, print};

/// The parameters of a program, as text.
fn params(source: &str) -> String {
    let text = annotated(source).program.to_string();
    let head = text.lines().next().unwrap_or_default();
    head.trim_end_matches(" {").to_owned()
}

fn says(source: &str, what: &str) {
    let found = errors("", source);
    assert_eq!(found.len(), 1, "{source}: {found:#?}");
    assert!(found[0].contains(what), "{source}: {}", found[0]);
}

#[test]
fn arguments_become_parameters() {
    assert_eq!(
        params("fn f(p: (f64, &Array1<f64>, (usize, f64)), p_0: f64) -> f64 { p.0 + p.2.1 }"),
        "fn f(p_0.0: real, p_1.1: real[_], p_2_0.2: int, p_2_1.3: real, p_0_.4: real) -> real"
    );
    assert_eq!(
        params(
            "fn f<const N: usize>(a: &[[f64; 3]; N], b: [f64; N], c: &[[f64; K]]) -> f64 { b[0] }"
        ),
        "fn f(a.0: real[_, 3], b.1: real[d0.0], c.2: real[_, _]) -> real"
    );
    assert_eq!(
        params("fn f(a: [(f64, bool); 2]) -> f64 { a[1].0 }"),
        "fn f(a_0_0.0: real, a_0_1.1: bool, a_1_0.2: real, a_1_1.3: bool) -> real"
    );
}

#[test]
fn results_are_what_they_are_made_of() {
    let results = |result: &str, body: &str| {
        let source = format!("fn f(x: [f64; 2], n: usize) -> {result} {{ {body} }}");
        let f = annotated(&source);
        print::block(&f.program.body)
    };
    assert_eq!(results("[f64; 2]", "[x[1], x[0]]"), "(x[1], x[0])");
    assert_eq!(results("[f64; 2]", "x"), "x");
    assert_eq!(results("(usize, [f64; 2])", "(n, x)"), "(n, x)");
    assert_eq!(
        results("([[f64; 2]; 2], f64)", "([x, [1.0, 2.0]], x[n])"),
        "(x, 1.0, 2.0, x[n])"
    );
}

#[test]
fn fixed_arrays_are_values() {
    let body = |body| core("p: &[f64; 3], m: [[f64; 2]; 2], n: usize", "f64", body);
    assert_eq!(body("[p[0], 2.0][1]"), "2.0");
    assert_eq!(
        body("let [x, _, z] = *p; x + z"),
        "let x = p[0]; let z = p[2]; add(x, z)"
    );
    assert_eq!(
        body("let [[a, b], r] = m; a + b + r[1]"),
        "let a = m[0, :]; let a = a[0]; let b = a[1]; let r = m[1, :]; add(add(a, b), r[1])"
    );
    assert_eq!(body("m[n][1]"), "m[n, 1]");
    assert_eq!(body("m.len() as f64"), body("m.len() as f64"));
    assert_eq!(
        body("[p[0], 1.0][n]"),
        "let e = p[0]; build(2, |i| if ieq(i, 0) {e} else {1.0})[n]"
    );
    assert_eq!(body("let q = [0.0; 3]; q[1]"), "0.0");
    assert_eq!(body("p.len() as f64"), "int_to_real(p.0)");
    assert_eq!(
        body("let q = [p[0], p[1]].map(|v| 2.0 * v); q[0] + q[1]"),
        "let v = p[0]; let v = p[1]; let q = mul(2.0, v); let q = mul(2.0, v); add(q, q)"
    );
    assert_eq!(
        body("let (a, b) = if n > 0 { (p[0], [1.0, 2.0]) } else { (1.0, [p[1], 3.0]) }; a + b[1]"),
        "let cond = igt(n, 0); let a = if cond {p[0]} else {1.0}; let b = if cond {1.0} else {p[1]}; \
         let b = if cond {2.0} else {3.0}; add(a, b)"
    );
}

#[test]
fn names_of_lengths_are_values() {
    let f = annotated("fn f<const N: usize>(x: &[f64; N]) -> f64 { sum(N, |i| x[i]) / N as f64 }");
    assert!(f.consts.is_empty());
    assert_eq!(
        print::block(&f.program.body),
        "div(sum(x.0, |i| x[i]), int_to_real(x.0))"
    );
}

#[test]
fn messages() {
    says(
        "fn f(x: &(f64, &(f64, f64))) -> f64 { 1.0 }",
        "remove the `&`",
    );
    says(
        "fn f(x: (f64, &[usize])) -> f64 { x.0 }",
        "argument of its own",
    );
    says(
        "fn f(x: &[Array6<f64>]) -> f64 { 1.0 }",
        "write one list for each part",
    );
    says(
        "fn f(x: [(f64, f64); N]) -> f64 { 1.0 }",
        "must be a literal",
    );
    says(
        "fn f<const B: bool>(x: f64) -> f64 { x }",
        "of type `usize`",
    );
    says(
        "fn f(x: f64) -> (usize, bool) { (1, true) }",
        "has no derivative",
    );
    says(
        "fn f(x: f64) -> (f64, &f64) { (x, &x) }",
        "scalars are passed by value",
    );
    says(
        "fn f(x: f64) -> (f64, f64) { x }",
        "declared to give a tuple of 2",
    );
    says(
        "fn f(x: f64) -> [f64; 3] { [x, x] }",
        "declared as `[f64; 3]`",
    );
    says(
        "fn f(x: &[f64; 2]) -> f64 { let [a, b] = (1.0, 2.0); a + b }",
        "an array of 2 apart",
    );
    says(
        "fn f(x: &[f64; 2]) -> f64 { [x[0], 1.0][2] }",
        "no element 2",
    );
    says(
        "fn f(x: &[f64; 2], n: usize) -> f64 { [1, x[0]][n] }",
        "elements of one type",
    );
    says(
        "fn f(x: &[[f64; 2]; 2]) -> f64 { x[[0, 1]] }",
        "one index at a time",
    );
    says(
        "fn f(x: &[[f64; 2]; 2]) -> f64 { x[0] }",
        "declared as `f64`",
    );
}

/// The function `f` of a file.
fn in_file(source: &str) -> Result<crate::front::Annotated, Vec<String>> {
    let file = syn::parse_file(source).unwrap();
    let analysed = crate::link::in_file::analyse(&file, "f").unwrap();
    analysed.map_err(|failure| super::messages(&failure))
}

const STRUCTS: &str = "struct Pose<T: Real> { at: [T; 2], turn: T }
    struct Camera { pose: Pose<f64>, focal: f64, id: usize }
    struct Pair(f64, f64);
    #[differentiable(value)]";

#[test]
fn structs_are_their_fields() {
    let f = in_file(&format!(
        "{STRUCTS} fn f(c: &Camera, p: Pair) -> Camera {{
            let Pose {{ turn, .. }} = &c.pose;
            Camera {{ pose: Pose {{ at: [p.0, p.1], turn: *turn }}, focal: 2.0, ..c.clone() }}
        }}"
    ))
    .unwrap();
    let text = f.program.to_string();
    let head = "fn f(c_pose_at.0: real[2], c_pose_turn.1: real, c_focal.2: real, c_id.3: int, \
                p_0.4: real, p_1.5: real)";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(
        print::block(&f.program.body),
        "(p_0, p_1, c_pose_turn, 2.0, c_id)"
    );
}

#[test]
fn messages_about_structs() {
    let says = |body: &str, what: &str| {
        let source = format!("{STRUCTS} fn f(c: &Camera, p: Pair) -> f64 {{ {body} }}");
        let found = in_file(&source).unwrap_err();
        assert_eq!(found.len(), 1, "{source}: {found:#?}");
        assert!(found[0].contains(what), "{source}: {}", found[0]);
    };
    says("c.foca", "no field `foca` in this value: it is a `Camera`");
    says("p.2", "no field `2`");
    says("Pair(p.0).0", "the field `1` of `Pair` is missing");
    says("p", "a `Pair`");
}

#[test]
fn unknown_types_are_asked_for() {
    let failure = super::with("", "fn f(x: &Matrix) -> f64 { 1.0 }").unwrap_err();
    assert!(failure.only_missing());
    assert_eq!(failure.missing, [syn::parse_quote!(Matrix)]);
    assert!(failure.promise.is_some());
    let failure = super::with("", "fn f(x: f64) -> f64 { m::Matrix::norm(x) }").unwrap_err();
    let companion = syn::parse_quote!(m::Matrix_norm_must_be_annotated_in_a_differentiable_impl);
    assert_eq!(failure.missing, [companion]);
}
