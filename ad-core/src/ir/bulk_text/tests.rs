use super::parse;
use crate::ir::bulk::Op;
use crate::ir::ty::Lit;

/// Every operation, every literal, every kind of index.
const EVERYTHING: &str = "\
fn all(x: real[d0.0, d0.1], k: int[d1.0], n: int[], b: bool[d0.0], y: real[3], t: real[d0.0 + 1])
  require d1.0 >= d0.0 when d0.0, n2 + 1
  require d0.1 == -max(quot(n2, 2), 3) + 2*d0.0*d1.0
  v6: real[d0.0, d0.1] = fill 1.0
  v7: int[] = fill -3
  v8: bool[] = fill true
  v9: int[d0.0] = index 2*i0 + d0.0 - 1
  v10: int[d0.0, d0.1] = index -i0 + (d0.1 - 1)*i1 - n2
  v11: int[d0.0] = index (v7)
  v12: real[d0.0, d0.1] = mul(v0, v6)
  v13: real[d0.1, d0.0] = gather v0[i1, i0]
  v14: real[d0.0] = [v3] gather v0[i0, v9]
  v15: real[min(d0.0, d0.1)] = gather v0[i0, i0]
  v16: real[] = gather v4[(v7)]
  v17: real[] = gather v4[v7 + 1]
  v18: real[d0.0, d0.1] = scatter v14[i0, v9] + v15[i0, i0] + v16[0, n2]
  v19: real[] = scatter v16[]
  v20: real[7] = scatter nothing
  v21: real[] = sum v0 over [0, 1]
  v22: real[d0.0] = product v0 over [1]
  v23: real[d0.0] = maximum v0 over [1]
  v24: real[d0.1] = minimum v0 over [0]
  v25: real[d0.0] = logsumexp v0 over [1]
  v26: int[d0.0] = argmax v0 along 1
  v27: int[d0.1] = argmin v0 along 0
  v28: real[d0.0 + 1] = recur v22 * _ along 0
  v29: real[d0.0 + 1] = recur v22 * _ + v28 along 0 reverse where v3
  v30: real[d0.0, d0.0] = contract v0[a, b] * v13[b, c] -> [a, c]
  v31: real[] = contract v14[_26] * v22[_26] -> []
  v32: real[d0.0] = [v3] copy v14
  v33: real[d0.0] = stop v14
  v34: real[d0.0] = select(v3, v14, v22)
  v35: real[d0.0, d0.1 + 1] = recur v0 * _ from v22 along 1
  v36: real[d0.0 + 1] = recur v22 * _ adding v23 along 0
  return v18, v34
";

#[test]
fn text_is_read_back_as_printed() {
    let p = parse(EVERYTHING).unwrap();
    assert_eq!(p.to_string(), EVERYTHING);
    assert_eq!(parse(&p.to_string()).unwrap(), p);
    assert_eq!(super::super::bulk_check::check(&p), Ok(()));
}

/// Loops in loops, and updates.
const LOOPS: &str = "\
fn f(x: real[d0.0], at: int[d0.0], b: bool[d0.0], n: int[], a: real[])
  v5: real[d0.0] = update v0 with v0[v1]
  v6: real[d0.0] = update v0 with v4[n3] where v9
  loop 0 with 1 states reverse recompute
    fn step(x: real[d0.0], s: real[], i: int[])
      v3: real[] = gather v0[v2]
      loop 0 with 1 states
        fn inner(y: real[], t: real[], j: int[])
          v3: real[] = mul(v0, v1)
          return v3
      while
        fn goes_on(y: real[], t: real[], j: int[])
          v3: bool[] = lt(v0, v1)
          return v3
      v4: real[] = loop 0 out 0 given [v3] from [v1]
      v5: int[] = loop 0 out 1 given [v3] from [v1]
      return v4, v3
  v7: real[] = loop 0 out 0 given [v0] from [v4] for d0.0
  v8: real[d0.0] = loop 0 out 1 given [v0] from [v4] for d0.0
  v9: bool[] = fill true
  loop 1 with 0 states
    fn step(i: int[])
      return v0
  v10: int[n3] = loop 1 out 0 given [] from [] for n3
  return v7, v8
";

#[test]
fn loops_are_read_back_as_printed() {
    let p = parse(LOOPS).unwrap();
    assert_eq!(p.to_string(), LOOPS);
    assert_eq!(parse(&p.to_string()).unwrap(), p);
    let wrong = LOOPS.replace("= loop 1 out", "= loop 2 out");
    assert_eq!(
        parse(&wrong).unwrap_err(),
        "line 24: there is no loop 2 here"
    );
    let wrong = LOOPS.replace("  loop 1 with", "  loop 3 with");
    assert_eq!(
        parse(&wrong).unwrap_err(),
        "line 21: `3` where `1` is expected"
    );
}

#[test]
fn literals_survive() {
    let nan = f64::from_bits(0xfff8_0000_0000_0001);
    let mut lits: Vec<Lit> = [0.1, -0.0, 1e300, -2.5e-7, f64::INFINITY, f64::NEG_INFINITY]
        .into_iter()
        .chain([f64::NAN, -f64::NAN, nan, f64::MIN_POSITIVE])
        .map(Lit::Real)
        .collect();
    lits.extend([i64::MIN, 0, i64::MAX].map(Lit::Int));
    lits.extend([true, false].map(Lit::Bool));
    for lit in lits {
        let mut p = parse("fn f()\n v0: real[] = fill 1.0\n return").unwrap();
        p.eqs[0].op = Op::Fill(lit);
        assert_eq!(parse(&p.to_string()).as_ref(), Ok(&p), "{p}");
    }
}

#[test]
fn comments_and_spaces_do_not_matter() {
    let loose = "// what it does\n\nfn f ( x : real [ d0.0 ] )  // one\nv1:real[]=sum v0 over[0]\nreturn v1";
    let p = parse(loose).unwrap();
    assert_eq!(
        p.to_string(),
        "fn f(x: real[d0.0])\n  v1: real[] = sum v0 over [0]\n  return v1\n"
    );
}

#[test]
fn sizes_have_a_normal_form() {
    let p = parse("fn f(x: real[d0.0])\n v1: int[2*(d0.0 - 1) + 3] = index -2*(i0 - 1)\n return");
    let line = p.unwrap().to_string();
    assert!(
        line.contains("v1: int[2*d0.0 + 1] = index -2*i0 + 2"),
        "{line}"
    );
}

#[test]
fn what_is_not_of_the_form_is_refused() {
    for (line, message) in [
        ("v2: real[] = fill 1.0", "v2 where v1 is next"),
        ("v1: real[] = nothing v0", "`nothing` is no operation"),
        ("v1: real[] = twice(v0)", "`twice` is no primitive"),
        ("v1: float[] = copy v0", "`float` is no kind"),
        ("v1: real[d0] = copy v0", "`d0` is no size"),
        ("v1: real[] = copy x", "`x` is no variable"),
        ("v1: int[2] = index i1", "`i1` over 1 axes"),
        ("v1: int[2] = index i0*i0", "a product of two positions"),
        ("v1: real[] = scatter v1[]", "v1 is not defined before"),
        (
            "v1: real[] = sum v0 over [0] 1",
            "`1` where the line should end",
        ),
        ("v1: real[] = sum v0", "the line ends too early"),
        ("v1: real[] = fill 1.0.0", "`1.0.0` is no literal"),
        ("require d0.0 > 1", "`>` is not expected"),
    ] {
        let error = parse(&format!("fn f(x: real[d0.0])\n{line}\nreturn")).unwrap_err();
        assert_eq!(error, format!("line 2: {message}"));
    }
    assert_eq!(parse("").unwrap_err(), "no program");
    assert_eq!(parse("fn f()").unwrap_err(), "no `return`");
    assert!(parse("fn f()\nreturn\nreturn").is_err());
}
