//! Source text of long functions: each shape is made with any number of lines.

use std::fmt::Write;

/// A shape of function.
pub(crate) struct Shape {
    /// What it is called in failures.
    pub(crate) name: &'static str,
    /// The head of the function, without its name.
    head: &'static str,
    /// The body, of about so many lines.
    body: fn(usize) -> String,
}

impl Shape {
    /// The function with about so many lines in its body.
    pub(crate) fn source(&self, lines: usize) -> String {
        format!(
            "fn {}{} {{\n{}}}\n",
            self.name,
            self.head,
            (self.body)(lines)
        )
    }
}

const SCALARS: &str = "(x: f64, y: f64) -> f64";
const VECTORS: &str = "(x: &Array1<f64>, y: &Array1<f64>) -> f64";

/// All shapes.
pub(crate) const SHAPES: &[Shape] = &[
    Shape {
        name: "scalar_chain",
        head: SCALARS,
        body: |lines| {
            chain(lines, "x * y", |k, last| match k % 3 {
                0 => format!("({last} + x).sin() * {k}.5"),
                1 => format!("{last} * y - {last} / (x + {k}.0)"),
                _ => format!("{last}.max(x * {k}.0) + y"),
            })
        },
    },
    Shape {
        name: "array_chain",
        head: VECTORS,
        body: |lines| {
            let mut out = "let n = x.len();\nlet a0 = x;\n".to_owned();
            for k in 1..lines - 2 {
                let last = k - 1;
                line(
                    &mut out,
                    &match k % 3 {
                        0 => format!("let a{k} = build(n, |i| a{last}[i] * y[i] + {k}.5);"),
                        1 => format!("let a{k} = build(n, |i| (a{last}[i] + {k}.0).sin());"),
                        _ => format!("let a{k} = build(n, |i| a{last}[i] * a{last}[i]);"),
                    },
                );
            }
            line(&mut out, &format!("sum(n, |i| a{}[i])", lines - 3));
            out
        },
    },
    Shape {
        name: "sums",
        head: VECTORS,
        body: |lines| {
            chain(lines, "0.0", |k, last| match k % 3 {
                0 => format!("{last} + sum(x.len(), |i| (x[i] * {k}.5).sin())"),
                1 => format!("{last} + sum(x.len(), |i| x[i] * y[i] * {k}.0)"),
                _ => format!("{last} * sum(x.len(), |i| x[i] / (y[i] + {k}.0))"),
            })
        },
    },
    Shape {
        name: "tree_of_ifs",
        head: SCALARS,
        body: |lines| {
            let mut out = String::new();
            tree(&mut out, lines, 0, lines);
            out
        },
    },
    Shape {
        name: "else_ifs",
        head: SCALARS,
        body: |lines| {
            let mut out = "if x < 0.5 {\nx * y\n".to_owned();
            for k in 1..lines / 2 - 1 {
                line(&mut out, &format!("}} else if x < {k}.5 {{"));
                line(&mut out, &format!("(x * {k}.0).sin() * y"));
            }
            out + "} else {\ny\n}\n"
        },
    },
    Shape {
        name: "branch_chain",
        head: SCALARS,
        body: |lines| {
            chain(lines, "x * y", |k, last| {
                format!("if {last} < {k}.5 {{ {last} * x }} else {{ ({last} + y).sin() }}")
            })
        },
    },
    Shape {
        name: "branches_in_a_build",
        head: VECTORS,
        body: |lines| {
            let inside = chain(lines - 2, "x[i] * y[i]", |k, last| {
                format!(
                    "if {last} < {k}.5 && x[i] < y[i] {{ {last} * x[i] }} else {{ {last}.sin() }}"
                )
            });
            format!("sum(x.len(), |i| {{\n{inside}}})\n")
        },
    },
    Shape {
        name: "long_expression",
        head: SCALARS,
        body: |lines| {
            let mut out = "x\n".to_owned();
            for k in 1..lines {
                line(
                    &mut out,
                    &match k % 3 {
                        0 => format!("+ (x * {k}.5).sin() * y"),
                        1 => format!("- x / (y + {k}.0)"),
                        _ => format!("+ x * y * {k}.0"),
                    },
                );
            }
            out
        },
    },
    Shape {
        name: "long_expression_of_elements",
        head: VECTORS,
        body: |lines| {
            let mut out = "sum(x.len(), |i| x[i]\n".to_owned();
            for k in 1..lines - 1 {
                line(&mut out, &format!("+ (x[i] * {k}.5).sin() * y[i]"));
            }
            out + ")\n"
        },
    },
    Shape {
        name: "element_reads",
        head: VECTORS,
        body: |lines| {
            chain(lines, "x[0]", |k, last| {
                format!("({last} + x[{k}]) * y[{}]", k / 2)
            })
        },
    },
    Shape {
        name: "deep_network",
        head: "(x: &Array1<f64>, w: &Array3<f64>) -> f64",
        body: |lines| {
            let mut out = "let n = x.len();\nlet a0 = x;\n".to_owned();
            let layers = (lines - 3) / 2;
            for k in 1..=layers {
                let last = k - 1;
                line(
                    &mut out,
                    &format!("let p{k} = build(n, |i| sum(n, |j| w[[{k}, i, j]] * a{last}[j]));"),
                );
                line(
                    &mut out,
                    &format!("let a{k} = build(n, |i| p{k}[i].tanh());"),
                );
            }
            line(&mut out, &format!("sum(n, |i| a{layers}[i])"));
            out
        },
    },
    Shape {
        name: "recurrent_network",
        head: "(x: &Array1<f64>, w: &Array2<f64>) -> f64",
        body: |lines| {
            let mut out = "let n = x.len();\nlet a0 = x;\n".to_owned();
            for k in 1..lines - 2 {
                let last = k - 1;
                line(
                    &mut out,
                    &format!(
                        "let a{k} = build(n, |i| (sum(n, |j| w[[i, j]] * a{last}[j]) + x[i]).tanh());"
                    ),
                );
            }
            line(&mut out, &format!("sum(n, |i| a{}[i])", lines - 3));
            out
        },
    },
    Shape {
        name: "wide_scalars",
        head: SCALARS,
        body: |lines| {
            let mut out = "let p = x * y;\nlet q = p.sin() + x;\n".to_owned();
            let mut last = "p".to_owned();
            for k in 1..(lines - 2) / 2 {
                line(&mut out, &format!("let a{k} = (p * {k}.5 + q).exp() * q;"));
                last = format!("{last} + a{k}");
                if k.is_multiple_of(8) {
                    line(&mut out, &format!("let s{k} = {last};"));
                    last = format!("s{k}");
                }
            }
            while out.lines().count() + 1 < lines {
                let k = out.lines().count();
                line(&mut out, &format!("let b{k} = q * {k}.0 / p;"));
                last = format!("{last} * b{k}");
                if k.is_multiple_of(8) {
                    line(&mut out, &format!("let t{k} = {last};"));
                    last = format!("t{k}");
                }
            }
            line(&mut out, &last);
            out
        },
    },
    Shape {
        name: "wide_arrays",
        head: VECTORS,
        body: |lines| {
            let mut out = "let n = x.len();\nlet p = build(n, |i| x[i].sin());\nlet q = build(n, |i| p[i] * y[i]);\n".to_owned();
            let half = (lines - 5) / 2;
            for k in 0..half {
                line(
                    &mut out,
                    &format!("let a{k} = build(n, |i| (p[i] * {k}.5 + q[i]).exp());"),
                );
            }
            out += "sum(n, |i| p[i]\n";
            for k in 0..half {
                line(&mut out, &format!("+ a{k}[i] * a{k}[n - 1 - i]"));
            }
            out + ")\n"
        },
    },
    Shape {
        name: "assignments",
        head: SCALARS,
        body: |lines| {
            let mut out = "let mut a = x;\nlet mut b = y;\n".to_owned();
            for k in 0..lines - 3 {
                line(
                    &mut out,
                    &match k % 4 {
                        0 => format!("a += b * {k}.5;"),
                        1 => format!("b = (a - b).sin() + {k}.0;"),
                        2 => format!("if a > {k}.0 {{ a -= b; }}"),
                        _ => format!("(a, b) = (b, a * {k}.5);"),
                    },
                );
            }
            out + "a\n"
        },
    },
    Shape {
        name: "sums_by_loops",
        head: VECTORS,
        body: |lines| {
            let mut out =
                "let n = x.len();\nlet mut a = 0.0;\nlet mut z = build(n, |_| 0.0);\n".to_owned();
            for k in 0..(lines - 4) / 2 {
                line(&mut out, &format!("for i in 0..n {{ a += x[i] * {k}.5; }}"));
                line(
                    &mut out,
                    &format!("for i in 0..n {{ z[i] = z[i] * a + y[i] * {k}.0; }}"),
                );
            }
            out + "sum(n, |i| z[i])\n"
        },
    },
    Shape {
        name: "wide_sums",
        head: "(x: &Array1<f64>, w: &Array2<f64>) -> f64",
        body: |lines| {
            let mut out = "let n = x.len();\nlet p = build(n, |i| sum(n, |j| w[[i, j]] * x[j]).sin());\nlet q = sum(n, |i| p[i]);\n".to_owned();
            let mut last = "q".to_owned();
            for k in 0..lines - 4 {
                line(
                    &mut out,
                    &format!(
                        "let s{k} = {last} + sum(n, |i| (p[i] * {k}.5 + q).exp() * w[[i, {}]]);",
                        k % 7
                    ),
                );
                last = format!("s{k}");
            }
            line(&mut out, &last);
            out
        },
    },
];

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("strings take everything");
}

/// Variables that each depend on the one before.
fn chain(lines: usize, first: &str, next: impl Fn(usize, &str) -> String) -> String {
    let mut out = format!("let a0 = {first};\n");
    for k in 1..lines - 1 {
        let value = next(k, &format!("a{}", k - 1));
        line(&mut out, &format!("let a{k} = {value};"));
    }
    line(&mut out, &format!("a{}", lines - 2));
    out
}

/// A balanced tree of branches.
fn tree(out: &mut String, lines: usize, from: usize, to: usize) {
    if lines < 5 {
        line(out, &format!("(x * {from}.5).sin() * y"));
        return;
    }
    let (left, middle) = ((lines - 3) / 2, usize::midpoint(from, to));
    line(out, &format!("if x < {middle}.25 {{"));
    tree(out, left, from, middle);
    line(out, "} else {");
    tree(out, lines - 3 - left, middle, to);
    line(out, "}");
}
