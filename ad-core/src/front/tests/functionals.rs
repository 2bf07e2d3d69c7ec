//! Functions that take functions: what is taken in, and what is said.

use super::calls::last;

const SIMPSON: &str = "
    #[differentiable] fn twice(f: impl Fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
    #[differentiable] fn integral<F>(f: F, b: f64) -> f64 where F: Fn(f64) -> f64 {
        let mut total = 0.0;
        for i in 0..STEPS { total += f(b * i as f64); }
        total
    }
    #[differentiable] fn first(f: &dyn Fn(&[f64], usize) -> f64, x: &[f64]) -> Option<f64> {
        if x.len() == 0 { return None; }
        Some(f(x, 0))
    }
    #[differentiable] fn through(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        twice(|y| integral(|z| f(z * y), x), x)
    }
    #[differentiable] fn square(x: f64) -> f64 { x * x }
";

fn with_these(body: &str) -> Result<String, Vec<String>> {
    last(&format!(
        "{SIMPSON} #[differentiable] fn f(x: &[f64], s: f64, n: usize) -> f64 {{ {body} }}"
    ))
}

#[test]
fn closures_take_the_place_of_parameters() {
    let text = with_these("twice(|x| x * s, 2.0)").unwrap();
    assert_eq!(text.matches("mul(").count(), 2, "{text}");
    // Constants are those of the function that names them.
    let text = with_these("integral(|x| x * STEPS, s)").unwrap();
    assert!(text.contains("C0.") && text.contains("STEPS."), "{text}");
    for body in [
        "twice(square, s)",
        "twice(square_grad, s)",
        "twice(f64::sin, s)",
        "{ let g = |x: f64| x + s; twice(&g, twice(g, s)) }",
        "through(|v| v.sin() * s, s)",
        "through(square, s)",
        "first(&|v, i| v[i] * s, x).unwrap_or(s)",
        "first(&|v, i| v[i] * s, x).unwrap()",
        "sum(n, |i| twice(|v| v * x[i], s))",
    ] {
        assert!(with_these(body).is_ok(), "{body}: {:?}", with_these(body));
    }
}

#[test]
fn what_does_not_fit_is_said() {
    for (body, what) in [
        (
            "twice(|x, y| x, s)",
            "`twice` calls `f` with 1 argument, and this closure takes 2",
        ),
        (
            "twice(s, s)",
            "`twice` takes a closure, and this is a real number",
        ),
        ("twice(|x| x)", "`twice` takes 2 arguments, and 1 is given"),
        (
            "twice(|x| x, n)",
            "`twice` takes `f64` as `x`, and this is an integer",
        ),
        ("twice(|x| (x, x), s)", "this is"),
        (
            "square(|x| x)",
            "`square` takes `f64` as `x`, and this is a closure",
        ),
    ] {
        let found = with_these(body).unwrap_err();
        assert_eq!(found.len(), 1, "{body}: {found:#?}");
        assert!(found[0].contains(what), "{body}: {}", found[0]);
    }
}

#[test]
fn what_takes_a_closure_has_to_be_known() {
    for (body, path) in [
        ("mine::mean(n, |i| x[i])", "mine::mean"),
        ("solved(other, s)", "solved"),
    ] {
        assert_eq!(with_these(body), Err(vec![path.to_owned()]));
    }
}

#[test]
fn where_it_stands() {
    for (source, what) in [
        (
            "#[differentiable(grad)] fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { g(x) }",
            "`f` takes a function, and has no derivative before that is known",
        ),
        (
            "#[differentiable(wrt(x))] fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { g(x) }",
            "`f` takes a function, and has no derivative before that is known",
        ),
        (
            "#[differentiable(noinline)] fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { g(x) }",
            "remove `noinline`",
        ),
        (
            "#[differentiable] fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { f(g, x) }",
            "`f` calls itself and takes functions",
        ),
        (
            "#[differentiable] fn f(g: impl Fn(f64), x: f64) -> f64 { g(x); x }",
            "`g` gives nothing",
        ),
        (
            "#[differentiable] fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { g(x) + y }",
            "cannot find `y`",
        ),
    ] {
        let found = last(source).unwrap_err();
        assert_eq!(found.len(), 1, "{source}: {found:#?}");
        assert!(found[0].contains(what), "{source}: {}", found[0]);
    }
}
