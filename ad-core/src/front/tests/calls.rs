//! Calls of annotated functions: what has to be known, and what is said of arguments.

use super::messages;
use crate::link::in_file;

/// The last function of a file.
pub(super) fn last(source: &str) -> Result<String, Vec<String>> {
    let file = syn::parse_file(source).unwrap();
    let name = file.items.iter().rev().find_map(|item| {
        let syn::Item::Fn(f) = item else {
            return None;
        };
        Some(f.sig.ident.to_string())
    });
    match in_file::analyse(&file, &name.unwrap()).unwrap() {
        Ok(f) => {
            crate::ir::core_check::check(&f.program).unwrap();
            Ok(f.program.to_string())
        }
        Err(failure) if failure.missing.is_empty() => Err(messages(&failure)),
        Err(failure) => {
            let paths = failure.missing.iter();
            Err(paths.map(crate::front::types::spelled).collect())
        }
    }
}

const SQUARE: &str = "
    #[differentiable] fn square(x: f64) -> f64 { let y = x; y * y }
    #[differentiable] fn scaled(x: &[f64], n: usize) -> Array1<f64> { build(n, |i| x[i] * SCALE) }
";

fn with_these(body: &str) -> Result<String, Vec<String>> {
    last(&format!(
        "{SQUARE} #[differentiable] fn f(x: &[f64], s: f64, n: usize, b: bool) -> f64 {{ {body} }}"
    ))
}

fn says(body: &str, what: &str) {
    let found = with_these(body).unwrap_err();
    assert_eq!(found.len(), 1, "{body}: {found:#?}");
    assert!(found[0].contains(what), "{body}: {}", found[0]);
}

#[test]
fn what_is_called_takes_the_place_of_the_call() {
    let text = with_these("square(s + 1.0)").unwrap();
    assert!(text.contains("let x.4 = add(s.1, 1.0);"), "{text}");
    assert!(text.contains("mul(x.4, x.4)"), "{text}");
    // Every call has variables of its own, and arguments are computed once.
    let text = with_these("square(square(s)) + square(s.exp())").unwrap();
    assert_eq!(text.matches("exp(").count(), 1, "{text}");
    // The constants of a callee are those of the caller, further away.
    let text = with_these("scaled(x, n)[0] + scaled(x, 2)[1]").unwrap();
    assert!(text.contains("C0."), "{text}");
}

#[test]
fn derivatives_are_tuples_like_those_of_rust() {
    let sound = [
        "square_grad(s)",
        "{ let (v, d) = square_value_and_grad(s); v * d }",
        "{ let t = scaled_jvp(x, n, x); t.0[0] + t.1[0] }",
        "{ let (v, dx) = scaled_vjp(x, n, &scaled(x, n)); v[0] + dx[0] }",
        "build(n, |i| if b { square_grad(x[i]) } else { s })[0]",
        "{ use self::square as q; q(s) }",
        "{ let square = |x: f64| x; square(s) }",
        // Nothing is said of an array beside a call of which nothing is known yet.
        "{ let a = build(n, |i| x[i]); let d = &a - &scaled(x, n); d[0] }",
    ];
    for body in sound {
        assert!(with_these(body).is_ok(), "{body}: {:?}", with_these(body));
    }
}

#[test]
fn what_does_not_fit_is_said() {
    says(
        "square(n)",
        "`square` takes `f64` as `x`, and this is an integer",
    );
    says(
        "square(x)",
        "`square` takes `f64` as `x`, and this is an `Array1<f64>`",
    );
    says("square(s, s)", "takes 1 argument, and 2 are given");
    says("square_jvp2(s)", "square_jvp2");
    says("square_grad(s).0", "there is no `.0`");
    says(
        "scaled(x, n)",
        "this is an `Array1<f64>`, but it is declared as `f64`",
    );
    says(
        "sum(n, |i| scaled(x, i)[0])",
        "the size of an array inside of `scaled` depends on `i`",
    );
    says(
        "scaled_vjp(x, n, s).0[0]",
        "takes `Array1<f64>` as `cotangent`",
    );
}

#[test]
fn what_is_not_known_is_asked_for() {
    let asked = with_these("other(s) + m::third::<f64>(inner(n)) + other(2.0)");
    assert_eq!(asked.unwrap_err(), ["other", "inner", "m::third"]);
}
