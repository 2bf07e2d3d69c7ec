//! What generated code looks like: loops run only where something is to be done, and test no mask.

use proc_macro2::TokenStream;

/// The body of a derivative.
fn written(attr: &str, source: &str, function: &str) -> String {
    let attr: TokenStream = attr.parse().expect("tokens");
    let (_, tokens) = cotangent_core::explain(attr, source.parse().expect("tokens"))
        .unwrap_or_else(|e| panic!("{e}\n{source}"));
    let file: syn::File = syn::parse2(tokens).expect("generated code is Rust");
    let body = (file.items.into_iter()).find_map(|item| {
        let syn::Item::Fn(f) = item else { return None };
        (f.sig.ident == function).then_some(f.block)
    });
    let body = body.expect("the function was promised");
    prettyplease::unparse(&syn::parse_quote!(fn body() #body))
}

/// The text without what depends on where lines are broken.
fn plain(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")")
}

/// Asserts that some code is there.
#[track_caller]
fn assert_has(code: &str, wanted: &str) {
    assert!(
        plain(code).contains(&plain(wanted)),
        "{wanted}\nis not in\n{code}"
    );
}

/// Asserts that some code is there, and that no mask is.
#[track_caller]
fn assert_writes(code: &str, wanted: &str) {
    assert_has(code, wanted);
    // Whether a row is empty is asked once.
    let is_mask = |test: &str| {
        let test = test.split('{').next().unwrap_or(test);
        !test.trim_end().ends_with(".is_empty()")
    };
    let masks = code.split("if ").skip(1).filter(|test| is_mask(test));
    assert!(masks.count() == 0, "there is a mask in\n{code}");
}

const VALUE: &str = "value";

#[test]
fn prefix_sums() {
    let source =
        "fn f(x: &Array1<f64>) -> Array1<f64> { build(x.len(), |i| sum(i + 1, |j| x[j])) }";
    let code = written("value, vjp", source, "f_value");
    assert_writes(
        &code,
        "rt::build([x_len], |[i]| {
            let js = rt::stretch(i + 1);
            let x_row = x.row(js, [0]);
            rt::sum_light(js, |j| x_row[j])
        })",
    );
    let code = written("value, vjp", source, "f_vjp");
    assert_writes(
        &code,
        "rt::build([x_len], |[i]| rt::sum_light(i..x_len, |j| cotangent[[j]]))",
    );
}

#[test]
fn suffix_sums() {
    let source = "fn f(x: &Array1<f64>) -> Array1<f64> {
        let n = x.len();
        build(n, |i| sum(n, |j| if j >= i { (x[i] + x[j]).exp() } else { 0.0 }))
    }";
    let wanted = "rt::build([x_len], |[i]| rt::sum(i..x_len, |j| rt::exp(x[[i]] + x[[j]])))";
    assert_writes(&written(VALUE, source, "f_value"), wanted);
    let source = source.replace("x[i] + x[j]", "x[j]");
    let wanted = "let t = rt::build_costly([x_len], |[i]| rt::exp(x[[i]]));
        let value = rt::build([x_len], |[i]| rt::sum_light(i..x_len, |j| t[[j]]));";
    assert_writes(&written(VALUE, &source, "f_value"), wanted);
}

#[test]
fn a_band() {
    let source = "fn f(a: &Array2<f64>) -> f64 {
        let n = a.nrows();
        sum(n, |i| sum(n, |j| if i <= j + 1 && j <= i + 1 { a[[i, j]].exp() } else { 0.0 }))
    }";
    let band = "(i - 1).max(0)..(i + 2).min(a_rows)";
    let value = format!("rt::sum(a_rows, |i| rt::sum({band}, |j| rt::exp(a[[i, j]])))");
    assert_writes(&written("value, grad", source, "f_value"), &value);
    let gradient = format!(
        "rt::for_each([a_rows], |[i]| {{
            let js = rt::stretch({band});
            if !js.is_empty() {{
                let a_row = a.row(js, [i, 0]);
                a_bar.row_mut(js, [i, 0]).add(js, |j| rt::exp(a_row[j]));
            }}
        }});"
    );
    assert_writes(&written("value, grad", source, "f_grad"), &gradient);
}

#[test]
fn forward_substitution() {
    let source = "fn f(l: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
        build(x.len(), |i| (b[i] - sum(i, |j| l[[i, j]] * x[j])) / l[[i, i]])
    }";
    let wanted = "(b[[i]] - ({
            let js = rt::stretch(i);
            let l_row = l.row(js, [i, 0]);
            let x_row = x.row(js, [0]);
            rt::sum_light(js, |j| l_row[j] * x_row[j])
        })) / l[[i, i]]";
    assert_writes(&written(VALUE, source, "f_value"), wanted);
    let backward = "rt::sum_light(i + 1..x_len, |j| l[[j, i]] *";
    let code = written("vjp", source, "f_vjp");
    assert_has(&code, backward);
    // Rows of the matrix are added, where there are many columns.
    let rows = "rt::for_each(1 + is.first()..x_len, |j| {
        let is = is.before(j);
        if !is.is_empty() {
            let l_row = l.row(is, [j, 0]);";
    assert_has(&code, rows);
}

#[test]
fn a_trace() {
    let source = "fn f(a: &Array2<f64>) -> f64 {
        let n = a.nrows();
        sum(n, |i| sum(n, |j| if i == j { a[[i, j]].sin() } else { 0.0 }))
    }";
    let wanted = "rt::sum(a_rows, |i| rt::sin(a[[i, i]]))";
    assert_writes(&written("value, grad", source, "f_value"), wanted);
    let code = written("value, grad", source, "f_grad");
    assert_has(
        &code,
        "let t = rt::build([a_rows], |[i]| rt::cos(a[[i, i]]));",
    );
    // One loop over the diagonal; what it tests is the bounds of the array.
    assert_has(
        &code,
        "rt::for_each([a_rows], |[i]| { if i < a_cols { a_bar[[i, i]] = t[[i]]; } },);",
    );
}

#[test]
fn a_diagonal_matrix() {
    let source = "fn f(v: &Array1<f64>) -> Array2<f64> {
        build((v.len(), v.len()), |(i, j)| if i == j { v[i] * 2.0 } else { 0.0 })
    }";
    let wanted = "let mut value = rt::zeros([v_len, v_len]);
        rt::for_each([v_len], |[i]| { value[[i, i]] = v[[i]] * 2.0; });";
    assert_writes(&written(VALUE, source, "f_value"), wanted);
}

#[test]
fn a_part_of_an_array() {
    let source = "fn f(v: &Array1<f64>, a: usize, n: usize) -> Array1<f64> {
        build(n, |r| if a <= r && r < a + v.len() { v[r - a] } else { 0.0 })
    }";
    let wanted = "let is = rt::stretch(a.max(0)..(v_len + a).min(n));
        if !is.is_empty() {
            let v_row = v.row(is, [-a]);
            value.row_mut(is, [0]).set(is, |i| v_row[i]);
        }";
    assert_writes(&written(VALUE, source, "f_value"), wanted);
}

#[test]
fn causal_maxima() {
    let source = "fn f(s: &Array2<f64>) -> Array1<f64> {
        let n = s.nrows();
        build(n, |i| maximum(n, |j| if j <= i { s[[i, j]] } else { f64::NEG_INFINITY }))
    }";
    let wanted = "let js = rt::stretch(i + 1);
        let s_row = s.row(js, [i, 0]);
        rt::maximum_light(js, |j| s_row[j])";
    assert_writes(&written("value, vjp", source, "f_value"), wanted);
    let wanted = "let ks = rt::stretch(i + 1);
        let s_row = s.row(ks, [i, 0]);
        rt::argmax_light(ks, |k| s_row[k])";
    assert_writes(&written("value, vjp", source, "f_vjp"), wanted);
}

#[test]
fn all_loops_of_a_sum() {
    let source = "fn f(x: &Array1<f64>) -> f64 {
        let n = x.len();
        sum((n, n, n), |(i, j, k)| {
            if i < j && j < k { (x[i] * x[j] + x[k]).sin() } else { 0.0 }
        })
    }";
    let wanted = "rt::sum(x_len, |i| rt::sum(i + 1..x_len, |j| rt::sum(j + 1..x_len, |k|";
    assert_writes(&written(VALUE, source, "f_value"), wanted);
}

#[test]
fn other_conditions_stay() {
    let source = "fn f(x: &Array1<f64>) -> Array1<f64> {
        build(x.len(), |i| sum(i + 1, |j| if x[j] > 0.0 { x[j].sqrt() } else { 0.0 }))
    }";
    let code = written(VALUE, source, "f_value");
    let wanted = "rt::sum(i + 1, |j| if x[[j]] > 0.0 { x[[j]].sqrt() } else { 0.0 })";
    assert!(plain(&code).contains(&plain(wanted)), "{code}");
}

/// A convolution, and the loop that it is to be written with.
const CONVOLUTION: &str = "fn f(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
    build(x.len() - k.len() + 1, |i| sum(k.len(), |r| x[i + r] * k[r]))
}";

#[test]
fn short_sums_around_blocks() {
    let code = written("value, vjp", CONVOLUTION, "f_value");
    let wanted = "if k_len.max(16) <= x_len + 1 - k_len {
        rt::build_blocks([x_len + 1 - k_len], |[_], is, out| {
            rt::for_each(0..k_len, |j| {
                let x_row = x.row(is, [j]);
                let k_j = k[[j]];
                out.add(is, |i| x_row[i] * k_j);
            });
        })
    } else {
        rt::build([x_len + 1 - k_len], |[i]| {
            let js = rt::stretch(k_len);
            let x_row = x.row(js, [i]);
            rt::sum_light(js, |j| x_row[j] * k[[j]])
        })
    }";
    assert_has(&code, wanted);
}

/// Points that are moved by several maps, with so many coordinates before and after.
fn moved_points(few: &str, terms: &str) -> String {
    let source = format!(
        "fn f(a: &Array3<f64>, p: &Array2<f64>, w: &Array2<f64>) -> Array2<f64> {{
            let n = p.ncols();
            build((w.nrows(), {few}), |(v, r)| {{
                sum(w.ncols(), |b| w[[v, b]] * sum({terms}, |c| a[[b, r, c]] * p[[v, c]]))
            }})
        }}"
    );
    written(VALUE, &source, "f_value")
}

#[test]
fn blocks_of_points() {
    let code = moved_points("3", "2");
    let wanted = "rt::build_turned([w_rows, 3], w_cols + 2, |js, columns| {
        let first = js.first();
        let w_across = rt::across(w.part([first, 0], [js.count(), w_cols]), 0);";
    assert_has(&code, wanted);
    assert_has(&code, "w_row[j] * (a_x * p_row[j] + a_x_2 * p_row_2[j])");
    // Many elements for each point, or a longer sum.
    for [few, terms] in [["5", "2"], ["n", "2"], ["3", "5"], ["3", "n"]] {
        let code = moved_points(few, terms);
        assert!(!code.contains("turned"), "{code}");
    }
}

#[test]
fn bounds_of_a_sum_are_bounds_of_a_block() {
    let code = written("value, vjp", CONVOLUTION, "f_vjp");
    let wanted = "let is = is.since(j).before(j + x_len + 1 - k_len);
        if !is.is_empty() {";
    assert_has(&code, wanted);
    // A band has few indices in each row.
    let band = "fn f(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
        let n = a.len();
        build(n, |i| sum(n, |j| if j < i + 2 && i < j + 2 { a[j] * b[i] } else { 0.0 }))
    }";
    assert!(!written(VALUE, band, "f_value").contains("blocks"));
}

#[test]
fn no_blocks() {
    for source in [
        // What is read jumps, and a copy would be used once.
        "fn f(x: &Array2<f64>) -> Array1<f64> {
            build(x.nrows(), |i| sum(x.ncols(), |j| x[[i, j]].powi(2)))
        }",
        "fn f(x: &Array1<f64>) -> Array1<f64> {
            build(x.len() / 2 - 4, |i| sum(4, |j| x[2 * i + j].powi(2)))
        }",
        // Few of them.
        "fn f(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
            build(15, |i| sum(k.len(), |r| x[i + r] * k[r]))
        }",
        // What does not depend on the index of the sum is computed once.
        "fn f(x: &Array1<f64>) -> Array1<f64> {
            build(x.len(), |i| sum(9, |j| x[i].exp() * j as f64))
        }",
    ] {
        let code = written(VALUE, source, "f_value");
        assert!(!code.contains("blocks") && !code.contains("_few"), "{code}");
    }
}

#[test]
fn a_copy_for_what_jumps() {
    let source = "fn f(x: &Array2<f64>, y: &Array2<f64>) -> Array1<f64> {
        build(x.nrows(), |i| minimum(y.nrows(), |j| {
            sum(x.ncols(), |c| (x[[i, c]] - y[[j, c]]).powi(2))
        }))
    }";
    let code = written(VALUE, source, "f_value");
    let wanted = "if x_cols.max(16) <= y_rows && 0 < x_rows && 0 < y_rows && 0 < x_cols {
        let y_across = rt::across(y.part([0, 0], [y_rows, x_cols]), 0);
        rt::build([x_rows], |[i]| rt::minimum_few(y_rows, |js, out| {
            rt::for_each(0..x_cols, |k| {
                let y_row = y_across.row(js, [k, 0]);";
    assert_has(&code, wanted);
}

#[test]
fn rows_of_a_sum_outside() {
    let source = "fn f(x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
        build((3, 3), |(r, s)| {
            sum(y.dim(), |(i, j)| x[[i + r, j + s]] * y[[i, j]])
        })
    }";
    let code = written(VALUE, source, "f_value");
    let wanted = "rt::for_each([y_rows, 3, 3], |[i, j, k]| {
        sums[[j, k]] += {
            let ls = rt::stretch(y_cols);
            let x_row = x.row(ls, [i + j, k]);
            rt::sum_light(ls, |l| x_row[l] * y[[i, l]])
        };
    });";
    assert_has(&code, wanted);
}

/// An index from data that is the same for a whole row says which row it is.
#[test]
fn rows_at_indices_from_data_are_slices() {
    let source = "fn f(x: &Array2<f64>, which: &[usize]) -> Array2<f64> {
        build((which.len(), x.ncols()), |(e, j)| x[[which[e], j]].sin())
    }";
    let code = written("vjp, wrt(x)", source, "f_vjp");
    let wanted = "let which_i = which[[i]] as i64;
        let x_row = x.row(js, [which_i, 0]);
        let cotangent_row = cotangent.row(js, [i, 0]);
        out.set_and_add(js, (x_bar.row_mut(js, [which_i, 0]),), |j| (";
    assert_has(&code, wanted);
}
