use super::parse;
use super::print::WIDTH;
use crate::ir::core::{Block, Expr, Param, Program, Sym, Ty};
use crate::ir::generate;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

fn round_trip(p: &Program) {
    let text = p.to_string();
    match parse(&text) {
        Ok(q) => assert_eq!(&q, p, "{text}\n{q}"),
        Err(e) => panic!("{e}\n{text}"),
    }
}

const DOT: &str = "\
fn dot(x.0: real[_], y.1: real[_]) -> real {
  let n.2 = dim(x.0, 0);
  sum(i.3 < n.2 => mul(x.0[i.3], y.1[i.3]))
}
";

#[test]
fn a_small_program_prints_as_it_was_written() {
    let p = parse(DOT).unwrap();
    assert_eq!(p.to_string(), DOT);
    round_trip(&p);
}

#[test]
fn every_form_is_read() {
    let text = "\
// a comment
fn r#all(x.0: real[_, _], k.1: int[_], b.2: bool, n.3: int) -> real[_] {
  let y.4 = if b.2 { x.0[0, _] } else { stop(x.0[_, k.1[0]]) };
  let z.5 = scatter([n.3, dim(x.0, 1)]; i.6 < n.3 => [i.6, imin(i.6, 1)] += y.4[i.6]);
  let c.7 = { let t.8 = build(i.9 < n.3 => -1.5); t.8[0] };
  let e.17 = scatter([n.3]; i.18 < n.3, j.19 < 2 => let k.20 = imin(i.18, j.19); [k.20] += 1.0);
  let d.10 = (if b.2 { y.4 } else { y.4 })[argmax(i.11 < n.3 => let q.12 = 1e300; q.12)];
  let e.13 = if (if b.2 { false } else { true }) { inf } else { -inf };
  let f.14 = select(b.2, NaN, NaN(0xfff8000000000000));
  sum(i.15 < 2 => z.5[_, i.15])
}
";
    let p = parse(text).unwrap();
    round_trip(&p);
}

#[test]
fn literals_keep_their_bits_and_kinds() {
    let reals = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e16,
        1e-300,
        f64::MIN_POSITIVE / 4.0,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        0.1 + 0.2,
    ];
    let ints = [0, -1, i64::MAX, i64::MIN];
    let lits = (reals.into_iter().map(Lit::Real))
        .chain(ints.into_iter().map(Lit::Int))
        .chain([Lit::Bool(true), Lit::Bool(false)]);
    for l in lits {
        round_trip(&Program {
            name: "f".into(),
            params: vec![],
            body: Block::single(Expr::lit(l)),
        });
    }
}

#[test]
fn long_lines_are_broken() {
    let mut e = Expr::real(1.0);
    for k in 0..40 {
        e = Expr::prim(Prim::Add, vec![e, Expr::real(f64::from(k))]);
    }
    let p = Program {
        name: "f".into(),
        params: vec![],
        body: Block::single(e),
    };
    // Each level of nesting indents by two.
    assert!(p.to_string().lines().all(|l| l.len() <= WIDTH + 8));
    round_trip(&p);
}

#[test]
fn odd_hints_still_print() {
    let sym = Sym {
        id: 3,
        hint: "2 odd".into(),
    };
    let ty = Ty::scalar(Elem::Real);
    let body = Expr::var(&sym, ty);
    round_trip(&Program {
        name: "f".into(),
        params: vec![Param::new(sym, ty)],
        body: Block::single(body),
    });
}

#[test]
fn errors_say_where() {
    let cases = [
        ("fn f() -> real {\n  x.0\n}", "2:3: `x.0` is not in scope"),
        (
            "fn f() -> int { 1.0 }",
            "1:11: the body is of type real, not int",
        ),
        (
            "fn f() -> real { sinus(1.0) }",
            "1:18: there is no operation `sinus`",
        ),
        (
            "fn f() -> real { sin(1.0, 2.0) }",
            "1:21: `sin` takes 1 arguments, not 2",
        ),
        (
            "fn f(x.0: real[_]) -> real { x.0[1, 2] }",
            "1:33: 2 indices into 1 axes",
        ),
        ("fn f() -> real { 1.0 ", "1:22: expected `}`, found the end"),
        (
            "fn f() -> real { 1.0 } ?",
            "1:24: `?` is not part of the language",
        ),
        (
            "fn f() -> real { sum(i.0 < 3 =>) }",
            "1:32: expected an expression, found `)`",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).unwrap_err(), message);
    }
}

#[test]
fn generated_programs_read_back() {
    for seed in 0..500 {
        let (p, _) = generate::program(seed, 10 + seed as usize % 50);
        round_trip(&p);
    }
}
