//! Source text in which one thing is written n times: each shape is a file whose last function is
//! expanded.

/// A thing that a program may have many of.
pub(crate) struct Shape {
    /// What it is called in failures.
    pub(crate) name: &'static str,
    /// The smallest n that growth is measured at.
    pub(crate) from: usize,
    source: fn(usize) -> String,
}

impl Shape {
    /// The file with n of the thing.
    pub(crate) fn source(&self, n: usize) -> String {
        (self.source)(n)
    }
}

/// A function of two numbers.
fn scalars(body: &str) -> String {
    format!(
        "#[differentiable(value, grad, vjp, jvp)]\nfn f(x: f64, y: f64) -> f64 {{\n{body}\n}}\n"
    )
}

/// A function of two vectors.
fn vectors(body: &str) -> String {
    format!(
        "#[differentiable(value, grad, vjp, jvp)]\nfn f(x: &Array1<f64>, y: &Array1<f64>) -> f64 {{\n{body}\n}}\n"
    )
}

/// A file with a function of other arguments, behind other items.
fn function(items: &str, head: &str, body: &str) -> String {
    format!("{items}\n#[differentiable(value, grad, vjp, jvp)]\nfn f{head} {{\n{body}\n}}\n")
}

/// Text for each number, one after the other.
fn each(n: usize, text: impl Fn(usize) -> String) -> String {
    (0..n).map(text).collect()
}

/// Text for each number, with something between.
fn list(n: usize, between: &str, text: impl Fn(usize) -> String) -> String {
    (0..n).map(text).collect::<Vec<_>>().join(between)
}

/// Something in itself, n times.
fn nested(n: usize, inner: &str, around: impl Fn(usize, &str) -> String) -> String {
    (0..n).fold(inner.to_owned(), |inside, k| around(k, &inside))
}

macro_rules! shapes {
    ($($name:ident $from:literal |$n:ident| $source:expr;)*) => {
        /// All shapes.
        pub(crate) const SHAPES: &[Shape] = &[$(Shape {
            name: stringify!($name),
            from: $from,
            source: |$n| $source,
        }),*];
    };
}

shapes! {
    // Lists.
    constants_in_sum 16 |n| vectors(&format!(
        "let w = [{}]; sum({n}, |i| w[i] * x[i] * y[i])",
        list(n, ", ", |k| format!("{k}.5"))
    ));
    constants_in_loop 16 |n| vectors(&format!(
        "let w = [{}]; let mut s = 0.0; for i in 0..x.len() {{ s = (s + w[i % {n}] * x[i]).sin(); }} s",
        list(n, ", ", |k| format!("{k}.5"))
    ));
    integers_at_data 16 |n| function("", "(x: &Array1<f64>, idx: &[usize]) -> f64", &format!(
        "let w = [{}]; sum(idx.len(), |i| x[w[idx[i]]].sin())",
        list(n, ", ", |k| format!("{k}"))
    ));
    elements_of_list 16 |n| vectors(&format!(
        "let w = [{}]; sum({n}, |i| w[i] * y[i])",
        list(n, ", ", |k| format!("x[{k}].sin()"))
    ));
    elements_of_array 16 |n| vectors(&format!(
        "let w = array![{}]; w.dot(y)",
        list(n, ", ", |k| format!("x[{k}].sin()"))
    ));
    rows_of_list 8 |n| vectors(&format!(
        "let w = [{}]; sum({n}, |i| w[i][0] * y[i] + w[i][1])",
        list(n, ", ", |k| format!("[x[{k}], {k}.5]"))
    ));
    joined 8 |n| vectors(&format!(
        "let w = concatenate![Axis(0), {}]; w.dot(&w)",
        list(n, ", ", |k| if k % 2 == 0 { "x.view()".to_owned() } else { "y.view()".to_owned() })
    ));
    fixed_parameter 8 |n| function("", &format!("(x: &[f64; {n}], y: f64) -> f64"), &format!(
        "let mut s = y; for i in 0..{n} {{ s += x[i] * s; }} s"
    ));

    // Branches.
    arms_in_sum 8 |n| vectors(&format!(
        "sum(x.len(), |i| match i % {n} {{ {} _ => y[i] }})",
        each(n - 1, |k| format!("{k} => x[i] * {k}.5, "))
    ));
    arms_in_sum_of_functions 8 |n| vectors(&format!(
        "sum(x.len(), |i| match i {{ {} _ => y[i].exp() }})",
        each(n - 1, |k| format!("{k} => (x[i] * {k}.5).sin(), "))
    ));
    arms_of_ranges 8 |n| vectors(&format!(
        "sum(x.len(), |i| match i {{ {} _ => y[i].exp() }})",
        each(n - 1, |k| format!("{}..={} => (x[i] * {k}.5).sin(), ", 2 * k, 2 * k + 1))
    ));
    arms_in_loop 8 |n| vectors(&format!(
        "let mut s = 1.0; for i in 0..x.len() {{ s = match i % {n} {{ {} _ => y[i] }}; }} s",
        each(n - 1, |k| format!("{k} => s * x[i] + {k}.5, "))
    ));
    arms 8 |n| function("", "(x: f64, k: usize) -> f64", &format!(
        "match k {{ {} _ => x }}",
        each(n - 1, |k| format!("{k} => (x + {k}.5).sin(), "))
    ));
    arms_of_sums 8 |n| function("", "(x: &Array1<f64>, k: usize) -> f64", &format!(
        "match k {{ {} _ => x.sum() }}",
        each(n - 1, |k| format!("{k} => sum(x.len(), |i| (x[i] * {k}.5).sin()), "))
    ));
    guards_of_lengths 8 |n| function("", "(x: &Array1<f64>) -> f64", &format!(
        "{} x.sum()",
        each(n, |k| format!("if x.len() == {k} {{ return sum({k}, |i| (x[i] * {k}.5).sin()); }} "))
    ));
    arms_with_guards 8 |n| function("", "(x: f64, y: f64, k: usize) -> f64", &format!(
        "match k {{ {} _ => x }}",
        each(n - 1, |k| format!("{k} if x > {k}.0 => (y + {k}.5).sin(), "))
    ));
    else_ifs 16 |n| scalars(&format!(
        "if x < 0.5 {{ y }} {} else {{ x * y }}",
        each(n, |k| format!("else if x < {k}.5 {{ (x * {k}.0).sin() * y }}\n"))
    ));
    else_ifs_in_sum 8 |n| vectors(&format!(
        "sum(x.len(), |i| if x[i] < 0.5 {{ y[i] }} {} else {{ x[i] * y[i] }})",
        each(n, |k| format!("else if x[i] < {k}.5 {{ (x[i] * {k}.0).sin() * y[i] }}\n"))
    ));
    else_ifs_in_loop 8 |n| vectors(&format!(
        "let mut s = 0.0; for i in 0..x.len() {{ s = if s < 0.5 {{ y[i] }} {} else {{ s * y[i] }}; }} s",
        each(n, |k| format!("else if s < {k}.5 {{ (s * {k}.0).sin() * y[i] }}\n"))
    ));
    else_ifs_that_assign 8 |n| scalars(&format!(
        "let mut a = x; let mut b = y; if a < 0.5 {{ b = a; }} {} a * b",
        each(n, |k| format!("else if a < {k}.5 {{ a = b * {k}.5; b += 1.0; }}\n"))
    ));
    else_ifs_on_integers 8 |n| vectors(&format!(
        "sum(x.len(), |i| if i < 1 {{ y[i] }} {} else {{ x[i] * y[i] }})",
        each(n, |k| format!("else if i < {} {{ (x[i] * {k}.0).sin() * y[i] }}\n", k + 2))
    ));
    ifs_on_integers 8 |n| vectors(&format!(
        "sum(x.len(), |i| {{ let mut s = x[i]; {} s }})",
        each(n, |k| format!("if i > {k} {{ s += y[i] * {k}.5; }}\n"))
    ));
    ifs_around_reads 8 |n| vectors(&format!(
        "sum(x.len(), |i| {{ let mut s = x[i]; {} s }})",
        each(n, |k| format!("if i > {k} {{ s += y[i - {k}] * {k}.5; }}\n"))
    ));
    ifs_in_sequence 16 |n| scalars(&format!(
        "let mut a = x; let mut b = y; {} a * b",
        each(n, |k| format!("if a < {k}.5 {{ a = a * b; b = b.sin(); }} else {{ a += {k}.5; }}\n"))
    ));
    ifs_in_sequence_in_loop 8 |n| vectors(&format!(
        "let mut a = x[0]; let mut b = y[0]; for i in 0..x.len() {{ {} }} a * b",
        each(n, |k| format!("if a < {k}.5 {{ a = a * b; b = x[i].sin(); }} else {{ a += {k}.5; }}\n"))
    ));
    ifs_in_sequence_in_sum 8 |n| vectors(&format!(
        "sum(x.len(), |i| {{ let mut a = x[i]; let mut b = y[i]; {} a * b }})",
        each(n, |k| format!("if a < {k}.5 {{ a = a * b; b = b.sin(); }} else {{ a += {k}.5; }}\n"))
    ));
    failing_values_under_condition 8 |n| vectors(&format!(
        "sum(x.len(), |i| if x[i] > 0.5 {{ let v0 = y[7]; {} v{n} * x[i] }} else {{ 0.0 }})",
        each(n, |k| format!("let v{} = v{k} * v{k}.sin() - v{k};\n", k + 1))
    ));
    failing_values_in_branches 8 |n| vectors(&format!(
        "sum(x.len(), |i| {{ let mut a = x[i]; let mut b = 1.0; {} a * b }})",
        each(n, |k| format!("if a < {k}.5 {{ a = a * b; b = b * y[i + 1] + b.sin(); }} else {{ a += y[i]; }}\n"))
    ));
    returns 8 |n| scalars(&format!(
        "{} x * y",
        each(n, |k| format!("if x > {k}.5 {{ return y * {k}.5; }}\n"))
    ));
    continues 8 |n| vectors(&format!(
        "let mut s = 0.0; for i in 0..x.len() {{ {} s += y[i]; }} s",
        each(n, |k| format!("if x[i] > {k}.5 {{ s *= x[i]; continue; }}\n"))
    ));
    breaks 8 |n| vectors(&format!(
        "let mut s = 0.0; for i in 0..x.len() {{ {} s += y[i]; }} s",
        each(n, |k| format!("if s > {k}.5 {{ s *= x[i]; break; }}\n"))
    ));
    breaks_of_while 8 |n| vectors(&format!(
        "let mut s = x[0]; while s < 100.0 {{ {} s += 1.0; }} s * y[0]",
        each(n, |k| format!("if s * s > {k}.5 {{ s *= 2.0; break; }}\n"))
    ));
    nested_ifs 8 |n| scalars(&nested(n, "x * y", |k, e| {
        format!("if x * {k}.5 < y {{ {e} }} else {{ (x * {k}.5).sin() }}")
    }));
    nested_ifs_in_sum 8 |n| vectors(&format!("sum(x.len(), |i| {})", nested(n, "x[i]", |k, e| {
        format!("if x[i] * {k}.5 < y[i] {{ {e} }} else {{ (x[i] * {k}.5).sin() }}")
    })));
    nested_ifs_on_integers 8 |n| vectors(&format!("sum(x.len(), |i| {})", nested(n, "x[i].sin()", |k, e| {
        format!("if i > {k} {{ {e} }} else {{ (x[i] * {k}.5).sin() }}")
    })));
    nested_ifs_that_assign 8 |n| scalars(&format!(
        "let mut a = x; let mut b = y; {} a * b",
        nested(n, "a += 1.0;", |k, e| {
            format!("if a < {k}.5 {{ a *= b; {e} }} else {{ b = a.sin(); }} b += a;\n")
        })
    ));
    nested_ifs_of_sums 4 |n| vectors(&nested(n, "0.0", |k, e| {
        format!("if sum(x.len(), |i| x[i] * {k}.5) > 0.0 {{ {e} }} else {{ sum(x.len(), |i| y[i].sin() * {k}.5) }}")
    }));
    few_reads_at_chains 4 |n| vectors(&format!(
        "let h = build(x.len(), |j| x[j].exp()); sum(y.len(), |i| {{ let k0 = i;\n{} h[k{n}] * y[i] }})",
        each(n, |k| format!("let k{} = (k{k} * k{k} + {k}) % x.len();\n", k + 1))
    ));
    few_reads_of_few_reads 4 |n| vectors(&format!(
        "let h0 = build(x.len(), |j| x[j].exp());\n{} h{n}.sum()",
        each(n, |k| {
            let (next, of) = (k + 1, if k % 2 == 0 { "y" } else { "x" });
            format!("let h{next} = build({of}.len(), |i| h{k}[(7 * i) % h{k}.len()].sin());\n")
        })
    ));
    masks_in_branch 4 |n| vectors(&format!(
        "if x.len() > 3 {{ sum(x.len(), |i| {{ let m0 = i > 1;\n{} \
         if m{n} {{ x[i] }} else {{ y[i].sin() }} }}) }} else {{ y[0] }}",
        each(n, |k| {
            let next = k + 1;
            format!("let m{next} = (m{k} || i > {k}) && !(m{k} && i < 2 * {k});\n")
        })
    ));
    conditions_in_sequence 8 |n| scalars(&format!(
        "let c0 = x > y; {} if c{n} {{ x }} else {{ y }}",
        each(n, |k| format!("let c{} = if c{k} {{ x > {k}.5 }} else {{ y > {k}.5 }};\n", k + 1))
    ));
    ands 8 |n| scalars(&format!(
        "if {} {{ x }} else {{ y.sin() }}",
        list(n, " && ", |k| format!("x * {k}.5 < y"))
    ));
    ors_in_sum 8 |n| vectors(&format!(
        "sum(x.len(), |i| if {} {{ x[i] }} else {{ y[i].sin() }})",
        list(n, " || ", |k| format!("x[i] * {k}.5 < y[i]"))
    ));
    ands_of_integers_in_sum 8 |n| vectors(&format!(
        "sum(x.len(), |i| if {} {{ x[i].sin() }} else {{ y[i].sin() }})",
        list(n, " && ", |k| format!("i != {k}"))
    ));
    ors_of_integers_in_sum 8 |n| vectors(&format!(
        "sum(x.len(), |i| if {} {{ x[i].sin() }} else {{ y[i].sin() }})",
        list(n, " || ", |k| format!("i == {k}"))
    ));
    flags_in_sequence 8 |n| scalars(&format!(
        "let mut c = x > y; {} if c {{ x.sin() }} else {{ y }}",
        each(n, |k| format!("c = (c && x > {k}.5) || (!c && y < {k}.5);\n"))
    ));
    selected_array 8 |n| vectors(&format!(
        "let mut a = x.clone(); {} a.sum()",
        each(n, |k| format!("if y[{k}] > 0.0 {{ a = &a * y; }} else {{ a[{k}] = 1.0; }}\n"))
    ));

    // Loops in loops. The number of loops is the depth.
    nested_sums 2 |n| vectors(&nested(n, &list(n, " + ", |k| format!("x[i{k}]")), |k, e| {
        format!("sum(2, |i{k}| {e})")
    }));
    nested_sums_of_products 2 |n| vectors(&nested(n, &list(n, " * ", |k| format!("x[i{k}]")), |k, e| {
        format!("sum(x.len(), |i{k}| {e})")
    }));
    nested_triangles 2 |n| vectors(&nested(n, &format!("x[i{}].sin()", 0), |k, e| {
        if k + 1 == n { format!("sum(x.len(), |i{k}| {e})") } else { format!("sum(i{}, |i{k}| {e})", k + 1) }
    }));
    nested_for 2 |n| vectors(&format!("let mut s = 0.0; {} s", nested(n, "s += x[0] * y[1];", |k, e| {
        format!("for i{k} in 0..x.len() {{ {e} }}")
    })));
    nested_for_with_state 2 |n| vectors(&format!("let mut s = 0.0; {} s", nested(n, "s = (s * x[i0]).sin();", |k, e| {
        format!("for i{k} in 0..x.len() {{ s *= y[i{k}]; {e} }}")
    })));
    nested_for_over_array 2 |n| vectors(&format!("let mut a = x.clone(); {} a.sum()", nested(n, "a[i0] = a[i0] * y[0];", |k, e| {
        format!("for i{k} in 0..x.len() {{ a[i{k}] += y[i{k}] * a[0]; {e} }}")
    })));
    nested_while 2 |n| scalars(&format!("let mut s = x; {} s", nested(n, "s = (s * y).sin();", |k, e| {
        format!("let mut k{k} = 0; while k{k} < 3 {{ s *= y; {e} k{k} += 1; }}")
    })));
    nested_folds 2 |n| vectors(&nested(n, "s0 * x[i0]", |k, e| {
        format!("fold(x.len(), {}, |s{k}, i{k}| {e})", if k + 1 == n { "y[0]".to_owned() } else { format!("s{}", k + 1) })
    }));
    nested_mixed 1 |n| vectors(&format!("let mut t = 1.0; {} t", nested(n, "t = (t * x[0]).sin();", |k, e| match k % 4 {
        0 => format!("for i{k} in 0..x.len() {{ {e} t += y[i{k}]; }}"),
        1 => format!("let mut k{k} = 0; while k{k} < 3 {{ {e} k{k} += 1; }}"),
        2 => format!("t = sum(x.len(), |i{k}| {{ let mut t = t * x[i{k}]; {e} t }});"),
        _ => format!("t = fold(x.len(), t, |s{k}, i{k}| {{ let mut t = s{k} * x[i{k}]; {e} t }});"),
    })));
    nested_builds 2 |n| vectors(&nested(n, "x[i0] * y[i0]", |k, e| {
        format!("build(x.len(), |i{k}| {e}).sum()")
    }));
    sums_around_while 2 |n| vectors(&nested(n, "{ let mut s = x[i0]; while s < 10.0 { s = s * s + 1.0; } s }", |k, e| {
        format!("sum(x.len(), |i{k}| {e} * y[i{k}])")
    }));
    builds_around_while 2 |n| vectors(&nested(n, "{ let mut s = x[i0]; while s < 10.0 { s = s * s + 1.0; } s }", |k, e| {
        format!("build(x.len(), |i{k}| {e} * y[i{k}]).sum()")
    }));
    sums_of_sums_twice 2 |n| vectors(&nested(n, "x[i0]", |k, e| {
        format!("sum(x.len(), |i{k}| {{ let a = {e}; a * a * y[i{k}] }})")
    }));
    nested_maxima 2 |n| vectors(&nested(n, "x[i0]", |k, e| {
        format!("maximum(x.len(), |i{k}| {e} * y[i{k}])")
    }));
    nested_logsumexp 2 |n| vectors(&nested(n, "x[i0]", |k, e| {
        format!("logsumexp(x.len(), |i{k}| {e} * y[i{k}])")
    }));
    nested_products 2 |n| vectors(&nested(n, "x[i0]", |k, e| {
        format!("product(x.len(), |i{k}| {e} * y[i{k}])")
    }));

    // Loops in sequence.
    whiles_in_sequence 4 |n| scalars(&format!("let mut s = x; {} s", each(n, |k| {
        format!("while s < {k}.5 {{ s = s * y + 1.0; }}\n")
    })));
    fors_in_sequence 4 |n| vectors(&format!("let mut s = 1.0; let mut t = 0.0; {} s + t", each(n, |k| {
        format!("for i in 0..x.len() {{ s = (s * x[i]).sin() + {k}.5; t += s; }}\n")
    })));
    fors_over_array 4 |n| vectors(&format!("let mut a = x.clone(); {} a.sum()", each(n, |k| {
        format!("for i in 1..x.len() {{ a[i] = a[i - 1] * y[i] + {k}.5; }}\n")
    })));
    folds_in_sequence 4 |n| vectors(&format!("let a0 = x[0]; {} a{n}", each(n, |k| {
        format!("let a{} = fold(x.len(), a{k}, |s, i| (s * y[i]).sin());\n", k + 1)
    })));
    scans_in_sequence 4 |n| vectors(&format!("let a0 = x.clone(); {} a{n}.sum()", each(n, |k| {
        format!("let a{} = scan(x.len(), 0.0, |s, i| (s * y[i] + a{k}[i]).sin());\n", k + 1)
    })));
    sums_in_loop 4 |n| vectors(&format!("let mut s = 1.0; for k in 0..x.len() {{ {} }} s", each(n, |k| {
        format!("s = (s + sum(x.len(), |i| x[i] * s * {k}.5)).sin();\n")
    })));
    statements_in_loop 16 |n| vectors(&format!("let mut s = 1.0; let mut t = 0.5; for i in 0..x.len() {{ {} }} s + t", each(n, |k| {
        format!("s = (s * x[i] + t).sin(); t += s * {k}.5;\n")
    })));
    states_of_loop 4 |n| vectors(&format!(
        "{} for i in 0..x.len() {{ {} }} {}",
        each(n, |k| format!("let mut s{k} = y[{k}];\n")),
        each(n, |k| format!("s{k} = (s{k} * x[i] + s{}).sin();\n", (k + 1) % n)),
        list(n, " + ", |k| format!("s{k}"))
    ));
    arrays_of_loop 4 |n| vectors(&format!(
        "{} for i in 0..x.len() {{ {} }} {}",
        each(n, |k| format!("let mut s{k} = y * {k}.5;\n")),
        each(n, |k| format!("s{k}[i] = (s{k}[i] * x[i] + s{}[i]).sin();\n", (k + 1) % n)),
        list(n, " + ", |k| format!("s{k}.sum()"))
    ));

    // Statements.
    lets_used_twice 16 |n| scalars(&format!("let a0 = x * y; {} a{n}", each(n, |k| {
        format!("let a{} = a{k} * a{k};\n", k + 1)
    })));
    lets_used_twice_in_sum 16 |n| vectors(&format!("sum(x.len(), |i| {{ let a0 = x[i] * y[i]; {} a{n} }})", each(n, |k| {
        format!("let a{} = a{k} * a{k} + a{k};\n", k + 1)
    })));
    lets_of_integers_used_twice 8 |n| vectors(&format!("sum(x.len(), |i| {{ let a0 = i + 1; {} x[a{n} % x.len()] }})", each(n, |k| {
        format!("let a{} = a{k} * a{k} % 1000 + a{k};\n", k + 1)
    })));
    integers_added_twice 8 |n| vectors(&format!("sum(x.len(), |i| {{ let a0 = i; {} x[a{n}] }})", each(n, |k| {
        format!("let a{} = a{k} + a{};\n", k + 1, k.saturating_sub(1))
    })));
    sizes_used_twice 8 |n| vectors(&format!("let a0 = x.len(); {} sum(a{n}, |i| x[i] * y[i])", each(n, |k| {
        format!("let a{} = (a{k} + a{k}) / 2;\n", k + 1)
    })));
    arrays_read_twice 8 |n| vectors(&format!("let n = x.len(); let a0 = x; {} a{n}[0]", each(n, |k| {
        format!("let a{} = build(n, |i| a{k}[i] * a{k}[n - 1 - i]);\n", k + 1)
    })));
    arrays_read_at_neighbours 8 |n| vectors(&format!("let n = x.len(); let a0 = x; {} a{n}[0]", each(n, |k| {
        format!("let a{} = build(n - {} , |i| a{k}[i] + a{k}[i + 1] * y[i]);\n", k + 1, k + 1)
    })));
    copies_read_twice 8 |n| vectors(&format!("let n = x.len(); let a0 = x; {} a{n}.sum()", each(n, |k| {
        format!("let a{} = build(n, |i| if i % 2 == 0 {{ a{k}[i / 2] }} else {{ a{k}[n - 1 - i] }});\n", k + 1)
    })));
    indices_read_twice 8 |n| function("", "(x: &Array1<f64>, p: &[usize]) -> f64", &format!(
        "sum(x.len(), |i| {{ let a0 = i; {} x[a{n}].sin() }})",
        each(n, |k| format!("let a{} = p[a{k}];\n", k + 1))
    ));
    windows 8 |n| vectors(&format!("let n = x.len(); let a0 = x.clone(); {} a{n}.sum()", each(n, |k| {
        format!("let a{} = &a{k}.slice(s![1..]) * &a{k}.slice(s![..-1]);\n", k + 1)
    })));
    sums_used_twice 8 |n| vectors(&format!("let a0 = 1.0; {} a{n}", each(n, |k| {
        format!("let a{0} = sum(x.len(), |i| x[i] * a{k} * a{k} + a{k});\n", k + 1)
    })));
    matrices_used_twice 4 |n| function("", "(x: &Array2<f64>, y: f64) -> f64", &format!(
        "let a0 = x.clone(); {} a{n}.sum() * y",
        each(n, |k| format!("let a{} = a{k}.dot(&a{k});\n", k + 1))
    ));
    products_and_transposes 4 |n| function("", "(x: &Array2<f64>, y: f64) -> f64", &format!(
        "let a0 = x.clone(); {} a{n}.sum() * y",
        each(n, |k| format!("let a{} = a{k}.t().dot(x) + x.dot(&a{k}) * y;\n", k + 1))
    ));
    norms 4 |n| vectors(&format!("let a0 = x.clone(); {} a{n}.sum()", each(n, |k| {
        format!("let a{} = &a{k} * &a{k} / (a{k}.dot(y) + {k}.5);\n", k + 1)
    })));
    softmaxes 4 |n| vectors(&format!("let a0 = x.clone(); {} a{n}.sum()", each(n, |k| {
        format!("let a{} = softmax(x.len(), |i| a{k}[i] * y[i]);\n", k + 1)
    })));
    extrema_of_arrays 4 |n| vectors(&format!("let a0 = x.clone(); {} a{n}.sum()", each(n, |k| {
        format!("let m{k} = maximum(x.len(), |i| a{k}[i]); let a{} = build(x.len(), |i| a{k}[i] - m{k} * y[i]);\n", k + 1)
    })));
    swaps 16 |n| scalars(&format!("let (a, b) = (x, y); {} a", each(n, |_| {
        "let (a, b) = (b, a + b * x);\n".to_owned()
    })));
    updates 8 |n| vectors(&format!("let mut a = x.clone(); {} a.sum()", each(n, |k| {
        format!("a[{k}] = a[{}] * y[{k}];\n", k + 1)
    })));
    updates_at_data 8 |n| function("", "(x: &Array1<f64>, p: &[usize]) -> f64", &format!(
        "let mut a = x.clone(); {} a.sum()",
        each(n, |k| format!("a[p[{k}]] = a[p[{}]] * 2.0;\n", k + 1))
    ));
    updates_of_fixed 8 |n| scalars(&format!("let mut a = [0.0; {n}]; {} a[0] + a[{}]", each(n, |k| {
        format!("a[{k}] = x * a[{}] + y;\n", (k + n - 1) % n)
    }), n - 1));
    statements_of_integers 8 |n| vectors(&format!("let mut k = x.len(); {} sum(k % x.len(), |i| x[i] * y[i])", each(n, |k| {
        format!("k = k * 3 + {k}; if k > 100 {{ k %= 17; }}\n")
    })));
    array_statements 8 |n| vectors(&format!("let mut a = x.clone(); {} a.sum()", each(n, |k| {
        format!("a = &a * y + {k}.5;\n")
    })));
    reads_at_shifted_places 8 |n| vectors(&format!("sum(x.len() - {n}, |i| {})", list(n, " + ", |k| {
        format!("x[i + {k}] * y[i]")
    })));
    terms_of_parts 8 |n| vectors(&list(n, " + ", |k| {
        format!("x.slice(s![{k}..]).sum()")
    }));
    blocks_of_parts 8 |n| vectors(&format!("let m = x.len() / {n}; {}", list(n, " + ", |k| {
        format!("sum(m, |i| x[{k} * m + i].sin() * y[i])")
    })));

    // Expressions.
    terms 32 |n| scalars(&list(n, " + ", |k| format!("x * {k}.5")));
    factors 32 |n| scalars(&list(n, " * ", |k| format!("(x + {k}.5)")));
    terms_in_sum 16 |n| vectors(&format!("sum(x.len(), |i| {})", list(n, " + ", |k| format!("(x[i] * {k}.5).sin()"))));
    terms_to_the_right 16 |n| scalars(&nested(n, "x", |k, e| format!("(y * {k}.5 + {e})")));
    parentheses 16 |n| scalars(&nested(n, "x * y", |_, e| format!("({e})")));
    negations 16 |n| scalars(&nested(n, "x * y", |_, e| format!("-{e}")));
    blocks 16 |n| scalars(&nested(n, "x * y", |_, e| format!("{{ {e} }}")));
    blocks_with_lets 16 |n| scalars(&nested(n, "x * y", |k, e| format!("{{ let a{k} = {e}; a{k} * x + a{k} }}")));
    methods 16 |n| scalars(&format!("x{} * y", each(n, |k| [".sin()", ".exp()", ".tanh()", ".abs()"][k % 4].to_owned())));
    methods_of_two 16 |n| scalars(&format!("x{}", each(n, |k| format!(".max(y * {k}.5)"))));
    functions_of_functions 16 |n| scalars(&nested(n, "x", |k, e| format!("f64::{}({e}, y)", ["max", "min", "powf", "hypot"][k % 4])));
    maxima_and_minima 16 |n| scalars(&format!("x{}", each(n, |k| format!(".{}({k}.5).{}(y)", ["max", "min"][k % 2], ["min", "max"][k % 2]))));
    maxima_in_sum 16 |n| vectors(&format!("sum(x.len(), |i| x[i]{})", each(n, |k| format!(".max(y[i] * {k}.5)"))));
    clamps 16 |n| scalars(&format!("x{} * y", each(n, |k| format!(".clamp(-{k}.5, {k}.5)"))));
    powers 16 |n| scalars(&format!("x{} * y", each(n, |_| ".powi(3)".to_owned())));
    casts 8 |n| vectors(&format!("sum(x.len(), |i| x[i{} as usize] * y[i])", each(n, |k| [" as i32", " as i64"][k % 2].to_owned())));
    extrema_of_integers 8 |n| vectors(&format!("sum(x.len(), |i| x[i{}] * y[i])", each(n, |k| format!(".{}({k})", ["min", "max"][k % 2]))));
    remainders 8 |n| vectors(&format!("sum(x.len(), |i| x[{}] * y[i])", nested(n, "i", |k, e| format!("(({e}) * 3 + {k}) % x.len()"))));
    maps 8 |n| vectors(&format!("x.iter(){}.sum::<f64>() * y[0]", each(n, |k| format!(".map(|v| v * {k}.5)"))));
    maps_that_double 4 |n| vectors(&format!("x.iter(){}.sum::<f64>() * y[0]", each(n, |_| ".map(|v| v * v + v)".to_owned())));
    maps_of_arrays 8 |n| vectors(&format!("x{}.sum() * y[0]", each(n, |k| format!(".mapv(|v| v * v + {k}.5)"))));
    views 8 |n| vectors(&format!("x{}.sum() * y[0]", each(n, |_| ".slice(s![..;-1])".to_owned())));
    clones 8 |n| vectors(&format!("x{}.sum() * y[0]", each(n, |_| ".clone()".to_owned())));
    filters 2 |n| vectors(&format!("x.iter(){}.sum::<f64>() * y[0]", each(n, |k| format!(".filter(|v| **v > {k}.5)"))));

    // Names.
    parameters 8 |n| function("", &format!("({}) -> f64", list(n, ", ", |k| format!("x{k}: f64"))), &list(n, " * ", |k| format!("x{k}")));
    array_parameters 4 |n| function("", &format!("({}) -> f64", list(n, ", ", |k| format!("x{k}: &Array1<f64>"))),
        &format!("sum(x0.len(), |i| {})", list(n, " * ", |k| format!("x{k}[i]"))));
    fields 8 |n| function(
        &format!("#[derive(Differentiable)]\nstruct P {{ {} }}", each(n, |k| format!("a{k}: f64, "))),
        "(p: &P, y: f64) -> f64", &format!("y * ({})", list(n, " * ", |k| format!("p.a{k}"))));
    fields_of_result 8 |n| function(
        &format!("#[derive(Clone, Differentiable)]\nstruct P {{ {} }}", each(n, |k| format!("a{k}: f64, "))),
        "(p: &P, y: f64) -> f64", &format!("let mut q = p.clone(); {} q.a0",
            each(n, |k| format!("q.a{k} = q.a{} * y;\n", (k + 1) % n))));
    nested_structs 4 |n| function(
        &format!("#[derive(Differentiable)]\nstruct P0 {{ a: f64, b: f64 }}\n{}",
            each(n, |k| format!("#[derive(Differentiable)]\nstruct P{} {{ a: f64, p: P{k} }}\n", k + 1))),
        &format!("(p: &P{n}, y: f64) -> f64"),
        &format!("y * p.a * p{}.b", each(n, |_| ".p".to_owned())));
    tuples 4 |n| scalars(&format!("let t = ({}); {}", list(n + 1, ", ", |k| format!("x * {k}.5")),
        list(n, " * ", |k| format!("(t.{k} + y)"))));
    nested_tuples 8 |n| scalars(&format!("let t = {}; t{}.0 * y", nested(n, "(x, y)", |k, e| format!("({e}, y * {k}.5)")),
        each(n, |_| ".0".to_owned())));
    nested_tuple_state 4 |n| vectors(&format!("let t = fold(x.len(), {}, |t, i| t); t{}.0 + x[0]",
        nested(n, "(1.0, y[0])", |k, e| format!("({e}, y[{k}])")),
        each(n, |_| ".0".to_owned())));
    captured 8 |n| scalars(&format!("{} let g = |z: f64| z + {}; g(x) * g(y)",
        each(n, |k| format!("let a{k} = x * {k}.5;\n")),
        list(n, " + ", |k| format!("a{k}"))));

    // Calls.
    closures 8 |n| scalars(&format!("let g0 = |z: f64| z.sin(); {} g{n}(x)",
        each(n, |k| format!("let g{} = |z: f64| g{k}(z * y) + {k}.5;\n", k + 1))));
    closure_calls 8 |n| scalars(&format!("let g = |z: f64, w: f64| (z * w).sin() + z; let a0 = x; {} a{n}",
        each(n, |k| format!("let a{} = g(a{k}, a{k}) + y;\n", k + 1))));
    closure_in_closure_call 8 |n| scalars(&format!("let g = |z: f64| z * z + z.sin(); {}",
        nested(n, "y * x", |_, e| format!("g({e})"))));
    nested_closures 4 |n| scalars(&nested(n, "x * y", |k, e| format!("{{ let g{k} = |z: f64| z * {e}; g{k}(x) }}")));
    closure_calls_in_sum 8 |n| vectors(&format!("let g = |i: usize, k: usize| x[(i + k) % x.len()].sin(); sum(x.len(), |i| {})",
        list(n, " * ", |k| format!("g(i, {k})"))));
    calls 8 |n| function("#[differentiable]\nfn g(x: f64, y: f64) -> f64 { (x * y).sin() + x }", "(x: f64, y: f64) -> f64",
        &format!("let a0 = x; {} a{n}", each(n, |k| format!("let a{} = g(a{k}, y);\n", k + 1))));
    calls_in_calls 8 |n| function("#[differentiable]\nfn g(x: f64) -> f64 { x * x + x }", "(x: f64, y: f64) -> f64",
        &format!("y * {}", nested(n, "x", |_, e| format!("g({e})"))));
    chain_of_functions 4 |n| function(&format!("#[differentiable]\nfn g0(x: f64, y: f64) -> f64 {{ (x * y).sin() }}\n{}",
        each(n, |k| format!("#[differentiable]\nfn g{}(x: f64, y: f64) -> f64 {{ g{k}(x, y) * y + x }}\n", k + 1))),
        "(x: f64, y: f64) -> f64", &format!("g{n}(x, y)"));
    calls_of_units 4 |n| function("#[differentiable(noinline)]\nfn g(x: f64, y: f64) -> f64 { (x * y).sin() + x }", "(x: f64, y: f64) -> f64",
        &format!("let a0 = x; {} a{n}", each(n, |k| format!("let a{} = g(a{k}, y);\n", k + 1))));
    calls_of_units_in_sum 4 |n| function("#[differentiable(noinline)]\nfn g(x: f64, y: f64) -> f64 { (x * y).sin() + x }", "(x: &Array1<f64>, y: f64) -> f64",
        &format!("sum(x.len(), |i| {{ let a0 = x[i]; {} a{n} }})", each(n, |k| format!("let a{} = g(a{k}, y);\n", k + 1))));
    calls_of_gradients 4 |n| function("#[differentiable]\nfn g(x: f64, y: f64) -> f64 { (x * y).sin() + x }", "(x: f64, y: f64) -> f64",
        &format!("let a0 = x; {} a{n}", each(n, |k| format!("let a{} = g_grad(a{k}, y).0;\n", k + 1))));
    gradient_of_statements 8 |n| function(&format!("#[differentiable]\nfn g(x: f64, y: f64) -> f64 {{ let a0 = x * y; {} a{n} }}",
        each(n, |k| format!("let a{} = (a{k} * x).sin() + a{k} * y;\n", k + 1))), "(x: f64, y: f64) -> f64",
        "let (a, b) = g_grad(x, y); a + b");
    gradient_of_sums 4 |n| function(&format!("#[differentiable]\nfn g(x: &Array1<f64>, y: f64) -> f64 {{ let a0 = y; {} a{n} }}",
        each(n, |k| format!("let a{} = sum(x.len(), |i| (a{k} * x[i]).sin());\n", k + 1))), "(x: &Array1<f64>, y: f64) -> f64",
        "let (a, b) = g_grad(x, y); a.sum() + b");
    gradient_of_branches 4 |n| function(&format!("#[differentiable]\nfn g(x: f64, y: f64) -> f64 {{ if x < 0.5 {{ y }} {} else {{ x * y }} }}",
        each(n, |k| format!("else if x < {k}.5 {{ (x * {k}.0).sin() * y }}\n"))), "(x: f64, y: f64) -> f64",
        "let (a, b) = g_grad(x, y); a + b");
    gradient_of_arms_in_sum 4 |n| function(&format!("#[differentiable]\nfn g(x: &Array1<f64>, y: f64) -> f64 {{ sum(x.len(), |i| match i {{ {} _ => y * x[i] }}) }}",
        each(n, |k| format!("{k} => (x[i] * {k}.0).sin() * y,\n"))), "(x: &Array1<f64>, y: f64) -> f64",
        "let (a, b) = g_grad(x, y); a.sum() + b");
    gradient_of_loop 4 |n| function(&format!("#[differentiable]\nfn g(x: &Array1<f64>, y: f64) -> f64 {{ let mut s = y; for i in 0..x.len() {{ {} }} s }}",
        each(n, |k| format!("s = (s * x[i] + {k}.0).sin() * y;\n"))), "(x: &Array1<f64>, y: f64) -> f64",
        "let (a, b) = g_grad(x, y); a.sum() + b");
    gradient_of_nested_sums 1 |n| function(&format!("#[differentiable]\nfn g(x: &Array1<f64>, y: f64) -> f64 {{ {} }}",
        nested(n, "y * x[i0]", |k, e| format!("sum(x.len(), |i{k}| ({e} * x[i{k}]).sin())"))), "(x: &Array1<f64>, y: f64) -> f64",
        "let (a, b) = g_grad(x, y); a.sum() + b");
    gradients_of_gradients 1 |n| function(&format!("#[differentiable]\nfn g0(x: f64) -> f64 {{ x.sin() * x }}\n{}",
        each(n, |k| format!("#[differentiable]\nfn g{}(x: f64) -> f64 {{ g{k}_grad(x) }}\n", k + 1))),
        "(x: f64, y: f64) -> f64", &format!("y * g{n}(x)"));
}
