use super::parse;
use crate::ir::kernel_check::check;

/// Every kind of step and of scalar.
const EVERYTHING: &str = "\
fn all(x: real[d0.0, d0.1], k: int[d1.0], n: int[], b: bool[d0.0], y: real[3], w: real[d0.1, d0.0])
  require d1.0 >= d0.0 when d0.0, n2 + 1
  v6: real[d0.0, d0.1] = nest
    outer 2
    loop i0 to d0.0
    loop i1 to d0.1 from [i0 + 1] until [i0 + n2, s0]
    s0: int in [0] = read v1[i0]
    s1: bool in [0] = read v3[i0]
    s2: real in [0, 1] = [s1] read v0[i0, i1]
    s3: real in [] = fill 2.0
    s4: int in [0, 1] = index 2*i0 - i1 + d0.0
    s5: real in [0, 1] = mul(s2, s3)
    s6: real in [0, 1] = same s5
    give s6
  v7: real[d0.0] = nest
    outer 1
    form rows first 1 last 2
    loop i0 to d0.0
    loop i1 to d0.1
    loop i2 to d0.1
    s0: real in [0, 1] = read v6[i0, i1]
    s1: real in [0] = sum s0 over [1]
    s2: real in [0, 2] = read v0[i0, i2]
    s3: int in [0] = argmax s2 along 2
    s4: real in [0] = extreme s3
    s5: real in [0] = add(s1, s4)
    give s5
  v8: real[d0.0] = scatter
    outer 1
    loop i0 to d0.0
    s0: real in [0] = read v7[i0]
    s1: int in [0] = read v1[i0]
    give s0
    at [s1]
    outer 0
    s0: real in [] = fill nan(7ff8000000000001)
    give s0
    at [(v2)]
  v9: real[d0.0] = change take v8 adding
    outer 0
    s0: real in [] = fill -1.0
    give s0
    at [0]
  v10: real[d0.0] = family
    outer 1
    loop i0 to d0.0
    s0: real in [0] = read v7[i0]
    s1: int in [0] = read v1[i0]
    give s0
    begins [take v9]
    member v10: real[d0.0] each s0
    member v11: real[d0.0] sum to 0
    add s0 at [s1]
    add s0 at [i0]
    member v12: real[] sum
    add s0 at []
  v13: real[d0.0, d0.0] = contract v0[a, b] * - v5 part [0 count d0.1, 0 count d0.0] [b, c] -> [a, c] \
within [a, c] by 3
  v14: real[d0.0] = contract v0[a, b] * v4[b] -> [a] onto take v10
  v15: real[d0.0 + 1] = recur v7 * _ + v14 along 0 reverse where v3
  v16: real[] = loop 1 states reverse given [v0] from [v12] for d0.0
    out 0 v16: real[]
    out 1 v17: real[d0.0]
    fn step(x: real[d0.0, d0.1], s: real[], i: int[])
      v3: real[] = nest
        outer 0
        s0: int in [] = read v2[]
        s1: real in [] = read v0[s0, 0]
        give s1
      return v3, v3
  v18: real[] = loop 1 states given [] from [take v16]
    out 0 v18: real[]
    fn step(s: real[], i: int[])
      return v0
    while
    fn goes(s: real[], i: int[])
      v2: bool[] = nest
        outer 0
        s0: bool in [] = fill false
        give s0
      return v2
  v19: real[d0.0] = tiles of d0.0 cached 3*d0.1 given [v7] added [1]
    out 0 v19: real[d0.0]
    out 1 v20: real[]
    fn tile(x: real[d0.0], first: int[], length: int[])
      v3: real[v2] = nest
        outer 1
        loop i0 to v2
        s0: real in [0] = read v0[i0 + v1]
        give s0
      v4: real[] = nest
        outer 0
        s0: real in [] = fill 1.0
        give s0
      return v3, v4
  v21: real[d0.0] = branch if v18 given [v7]
    out 0 v21: real[d0.0]
    fn side(x: real[d0.0], s: real[d0.0], i: int[])
      v3: real[d0.0] = nest
        outer 1
        loop i0 to d0.0
        s0: real in [0] = read v0[i0]
        s1: real in [0] = sin(s0)
        give s1
      return v3
  entries 0 by 1 over 2 at [i0] by [i1, data [0]] where [1]
  return v19, v20
";

#[test]
fn what_is_printed_reads_back() {
    let program = parse(EVERYTHING).unwrap();
    let text = program.to_string();
    assert_eq!(text, EVERYTHING);
    assert_eq!(parse(&text).unwrap().to_string(), text);
}

#[test]
fn what_was_read_is_verified() {
    let text = "
        fn f(x: real[d0.0])
          v1: real[d0.0] = nest
            outer 1
            loop i0 to d0.0
            s0: real in [0] = read v0[i0]
            give s0
          return v1";
    check(&parse(text).unwrap()).unwrap();
    let wrong = text.replace("read v0", "read v1");
    check(&parse(&wrong).unwrap()).unwrap_err();
}

#[test]
fn messages_name_the_line() {
    let of = |text: &str| parse(text).unwrap_err();
    assert_eq!(
        of("fn f(x: real[])\n  v1: real[] = knit"),
        "line 2: `knit` is no step"
    );
    let nest = "fn f(x: real[])\n  v1: real[] = nest\n    outer 0\n    give x0";
    assert_eq!(of(nest), "line 4: `x0` is no scalar");
    assert_eq!(
        of("fn f()\n  return\n  return"),
        "line 3: nothing follows `return`"
    );
}
