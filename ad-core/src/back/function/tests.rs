//! What loops look like.

use crate::back::emit::{Asides, Context};
use crate::front::error::Errors;
use crate::front::signature::Signature;
use crate::ir::{bulk_check, bulk_text};
use crate::pipeline::{Derivative, to_kernels};
use quote::{ToTokens, quote};

/// The code of a program in text form as the body of a function with this signature, without
/// spaces.
fn written(signature: &str, text: &str) -> String {
    let item: syn::ItemFn = syn::parse_str(&format!("{signature} {{}}")).unwrap();
    let signature = Signature::read(&item, &mut Errors::default());
    let signature = signature.unwrap_or_else(|_| panic!("a signature"));
    let bulk = bulk_text::parse(text).unwrap();
    bulk_check::check(&bulk).unwrap_or_else(|e| panic!("{e}\n{bulk}"));
    let kernels = to_kernels(&bulk).unwrap();
    let context = Context::of_heads(&signature, &[], quote!(::cotangent));
    let function = context.function(Derivative::Value, &kernels.into(), &Asides::default());
    let function: syn::ItemFn = syn::parse2(function).expect("generated code is Rust");
    plain(&function.block.to_token_stream().to_string())
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect()
}

#[track_caller]
fn assert_has(code: &str, wanted: &str) {
    assert!(code.contains(&plain(wanted)), "{wanted}\nis not in\n{code}");
}

#[test]
fn scalars_are_plain() {
    let code = written(
        "fn f(x: &Array1<f64>, a: f64) -> f64",
        "fn f(x: real[d0.0], a: real[])
        loop 0 with 1 states
            fn step(x: real[d0.0], a: real[], s: real[], i: int[])
            v4: real[] = gather v0[(v3)]
            v5: real[] = mul(v1, v2)
            v6: real[] = add(v5, v4)
            return v6
        v2: real[] = loop 0 out 0 given [v0, v1] from [v1] for d0.0
        return v2",
    );
    assert_has(
        &code,
        "let mut s: f64 = a;
        for i in 0..x_len { let s_next = a * s + x[[i]]; s = s_next; }
        s }",
    );
}

#[test]
fn elements_are_written_in_place() {
    let code = written(
        "fn f(x: &Array1<f64>, at: &[usize], n: usize) -> Array1<f64>",
        "fn f(x: real[d0.0], at: int[d0.0], n: int[])
        v3: real[d0.0] = scatter nothing
        loop 0 with 2 states reverse
            fn step(x: real[d0.0], at: int[d0.0], y: real[d0.0], z: real[d0.0], i: int[])
            v5: real[] = gather v2[v4 + 1]
            v6: real[d0.0] = update v2 with v5[(v4)]
            v7: real[d0.0] = scatter v3[i0] + v5[(v4)] + v0[v1]
            return v6, v7
        v4: real[d0.0] = loop 0 out 0 given [v0, v1] from [v0, v3] for n2
        v5: real[d0.0] = loop 0 out 1 given [v0, v1] from [v0, v3] for n2
        v6: real[d0.0] = add(v4, v5)
        return v6",
    );
    assert_has(
        &code,
        "let mut y = rt::copied(x);
        let mut z = t;
        for i in (0..n).rev() {
            z[[i]] += y[[i + 1]];
            rt::for_each([x_len], |[j]| { z[[at[[j]] as i64]] += x[[j]]; });
            y[[i]] = y[[i + 1]];
        }",
    );
}

#[test]
fn what_is_stacked_is_written_where_it_belongs() {
    let text = "fn f(x: real[d0.0], n: int[])
        loop 0 with 1 states
            fn step(y: real[d0.0], i: int[])
            v2: real[] = gather v0[0]
            v3: real[] = exp(v2)
            v4: real[d0.0] = update v0 with v3[0]
            return v4, v0, v3
        v2: real[n1, d0.0] = loop 0 out 1 given [] from [v0] for n1
        v3: real[n1] = loop 0 out 2 given [] from [v0] for n1
        v4: real[n1, d0.0] = gather v3[i0]
        v5: real[n1, d0.0] = add(v2, v4)
        return v5";
    let code = written("fn f(x: &Array1<f64>, n: i64) -> Array2<f64>", text);
    // The old state is put away first and then changed.
    assert_has(
        &code,
        "let mut t = rt::Stack::<f64, 2>::new([n, x_len]);
        let mut t_2 = rt::blank::<f64, 1>([n]);
        for i in 0..n {
            t.push_all(y.view());
            let t_3 = rt::exp(y[[0]]);
            y[[0]] = t_3;
            t_2[[i]] = t_3;
        }",
    );
}

#[test]
fn what_is_kept_is_made_where_it_is_kept() {
    let text = "fn f(x: real[d0.0], n: int[])
        loop 0 with 1 states
            fn step(y: real[d0.0], i: int[])
            v2: real[d0.0] = exp(v0)
            v3: real[d0.0] = mul(v2, v0)
            return v3, v0, v2
        v2: real[n1, d0.0] = loop 0 out 1 given [] from [v0] for n1
        v3: real[n1, d0.0] = loop 0 out 2 given [] from [v0] for n1
        v4: real[d0.0] = loop 0 out 0 given [] from [v0] for n1
        v5: real[n1, d0.0] = gather v4[i1]
        v6: real[n1, d0.0] = add(v2, v3)
        v7: real[n1, d0.0] = mul(v6, v5)
        return v7";
    let code = written("fn f(x: &Array1<f64>, n: i64) -> Array2<f64>", text);
    assert_has(
        &code,
        "let mut t = rt::Stack::<f64, 2>::states([n, x_len], rt::copied(x).view());
        let mut t_2 = rt::Stack::<f64, 2>::new([n, x_len]);
        for _ in 0..n { let (y, t_next) = t.step();",
    );
    assert_has(&code, "_in((t_2.row(), t_next), [x_len], ");
    assert_has(
        &code,
        "t.go_on(); }
        let (t, y) = t.finish_states::<1>();
        let t_2 = t_2.finish();",
    );
    assert!(!code.contains("push"), "{code}");
    // Backwards, each is written at its index.
    let reverse = written(
        "fn f(x: &Array1<f64>, n: i64) -> Array2<f64>",
        &text.replace("1 states", "1 states reverse"),
    );
    assert_has(&reverse, "t.put(i, y.view());");
    // The state is the next one of another state as well.
    let two = text
        .replace("1 states", "2 states")
        .replace("y: real[d0.0], i", "y: real[d0.0], z: real[d0.0], i")
        .replace(
            "v3: real[d0.0] = mul(v2, v0)\n            return v3, v0, v2",
            "v4: real[d0.0] = mul(v3, v1)\n            return v4, v0, v0, v3",
        )
        .replace("v2: real[d0.0] = exp(v0)", "v3: real[d0.0] = exp(v0)")
        .replace("from [v0]", "from [v0, v0]")
        .replace("out 2", "out 3")
        .replace("out 1", "out 2");
    let two = written("fn f(x: &Array1<f64>, n: i64) -> Array2<f64>", &two);
    assert_has(&two, "t.push_all(y.view());");
    assert_has(&two, "t_2.row()");
}

#[test]
fn what_an_inner_loop_keeps_goes_to_the_outer_stack() {
    let text = "fn f(x: real[d0.0], n: int[])
        loop 0 with 1 states
            fn step(y: real[d0.0], i: int[])
            loop 0 with 1 states
                fn step(z: real[d0.0], j: int[])
                v2: real[d0.0] = exp(v0)
                v3: real[] = sum v0 over [0]
                v4: real[d0.0] = gather v3[]
                v5: real[d0.0] = mul(v2, v4)
                return v5, v2, v3
            v2: real[d0.0] = loop 0 out 0 given [] from [v0] for 4
            v3: real[4, d0.0] = loop 0 out 1 given [] from [v0] for 4
            v4: real[4] = loop 0 out 2 given [] from [v0] for 4
            return v2, v3, v4
        v2: real[n1, 4, d0.0] = loop 0 out 1 given [] from [v0] for n1
        v3: real[n1, 4] = loop 0 out 2 given [] from [v0] for n1
        v4: real[n1, 4, d0.0] = gather v3[i0, i1]
        v5: real[n1, 4, d0.0] = add(v2, v4)
        return v5";
    let code = written("fn f(x: &Array1<f64>, n: i64) -> Array3<f64>", text);
    assert_has(&code, "(t.inner_row(),");
    assert_has(&code, "t_2.push_number(");
    assert_has(&code, "t.end_row(); t_2.end_row();");
    assert!(!code.contains("push_all"), "{code}");
}

#[test]
fn a_condition_and_what_it_counts() {
    let code = written(
        "fn f(x: f64) -> Array1<f64>",
        "fn f(x: real[])
        loop 0 with 1 states
            fn step(s: real[], i: int[])
            v2: real[] = sqrt(v0)
            return v2, v0
        while
            fn goes_on(s: real[], i: int[])
            v2: real[] = fill 1.5
            v3: bool[] = gt(v0, v2)
            return v3
        v1: int[] = loop 0 out 2 given [] from [v0]
        v2: real[v1] = loop 0 out 1 given [] from [v0]
        v3: real[] = int_to_real(v1)
        v4: real[v1] = gather v3[]
        v5: real[v1] = add(v2, v4)
        return v5",
    );
    assert_has(
        &code,
        "let mut s: f64 = x;
        let mut t = rt::Stack::<f64, 1>::new([0]);
        let mut i: i64 = 0;
        while s > 1.5 { let s_next = s.sqrt(); t.push(s); s = s_next; i += 1; }
        let t = t.finish();",
    );
}

#[test]
fn numbers_of_inner_loops_share_a_stack() {
    let program = |inner: &str, result: &str| {
        format!(
            "fn f(x: real[], n: int[])
            loop 0 with 1 states
                fn step(x: real[], r: real[], j: int[])
                loop 0 with 1 states
                    fn inner(s: real[], i: int[])
                    v2: real[] = sqrt(v0)
                    return v2, v0
                while
                    fn goes_on(s: real[], i: int[])
                    v2: real[] = fill 1.5
                    v3: bool[] = gt(v0, v2)
                    return v3
                v3: int[] = loop 0 out 2 given [] from [v0]
                {inner}
                return {result}
            v2: real[] = loop 0 out 0 given [v0] from [v0] for n1
            return v2"
        )
    };
    let read = "v4: real[v3] = loop 0 out 1 given [] from [v0]
                v5: real[] = sum v4 over [0]";
    let signature = "fn f(x: f64, n: i64) -> f64";
    let code = written(signature, &program(read, "v5"));
    assert_has(&code, "let mut t = rt::Stack::<f64, 1>::new([0]);");
    assert_has(&code, "for _ in 0..n { let mut s: f64 = x; t.clear();");
    assert_has(&code, "let t = t.view();");
    // One that is changed later is an array of its own.
    let changed = "v4: real[v3] = loop 0 out 1 given [] from [v0]
                v5: real[v3] = update v4 with v1[0]
                v6: real[] = sum v5 over [0]";
    let code = written(signature, &program(changed, "v6"));
    assert_has(&code, "let mut t = t.finish();");
    assert!(!code.contains("clear"), "{code}");
}

#[test]
fn inner_loops_change_states_where_they_are() {
    let program = |given: &str| {
        format!(
            "fn f(x: real[d0.0], n: int[])
            loop 0 with 1 states
                fn step(g: real[d0.0], y: real[d0.0], i: int[])
                loop 0 with 1 states
                    fn inner(g: real[d0.0], z: real[d0.0], j: int[])
                    v3: real[] = gather v1[(v2)]
                    v4: real[] = gather v0[(v2)]
                    v5: real[] = mul(v3, v4)
                    v6: real[d0.0] = update v1 with v5[(v2)]
                    return v6, v5
                v3: real[d0.0] = loop 0 out 0 given [{given}] from [v1] for d0.0
                v4: real[d0.0] = loop 0 out 1 given [{given}] from [v1] for d0.0
                v5: real[] = sum v4 over [0]
                v6: real[d0.0] = update v3 with v5[0]
                return v6
            v2: real[d0.0] = loop 0 out 0 given [v0] from [v0] for n1
            return v2"
        )
    };
    let signature = "fn f(x: &Array1<f64>, n: i64) -> Array1<f64>";
    let code = written(signature, &program("v0"));
    assert_has(
        &code,
        "let mut y = rt::copied(x); for _ in 0..n { t.renew([x_len]); for j in",
    );
    assert_has(&code, "y[[j]] = t_2; t[[j]] = t_2;");
    // What the inner loop reads besides has to stay.
    let code = written(signature, &program("v1"));
    assert_has(&code, "let mut z = rt::copied(y.view());");
}

#[test]
fn states_trade_places() {
    let code = written(
        "fn f(a: f64, b: f64, x: &Array1<f64>, y: &Array1<f64>, n: i64) -> Array1<f64>",
        "fn f(a: real[], b: real[], x: real[d2.0], y: real[d2.0], n: int[])
        loop 0 with 4 states
            fn step(a: real[], b: real[], p: real[d2.0], q: real[d2.0], i: int[])
            v5: real[d2.0] = gather v0[]
            v6: real[d2.0] = add(v3, v5)
            return v1, v0, v6, v2
        v5: real[] = loop 0 out 0 given [] from [v0, v1, v2, v3] for n4
        v6: real[d2.0] = loop 0 out 3 given [] from [v0, v1, v2, v3] for n4
        v7: real[d2.0] = gather v5[]
        v8: real[d2.0] = add(v6, v7)
        return v8",
    );
    assert_has(
        &code,
        "for _ in 0..n {
            let p_next = rt::build_rows([x_len], |[_], js, out| {
                let q_row = q.row(js, [0]);
                out.set(js, |j| q_row[j] + a_2)
            });
            q = p;
            p = p_next;
            (a_2, b_2) = (b_2, a_2);
        }",
    );
}

/// `x[0]` where a condition on the index holds, and `x[i] * y[i - 1]` elsewhere.
fn with_first(place: &str) -> String {
    let text = format!(
        "fn f(x: real[d0.0], y: real[d0.0], n: int[])
        v3: int[d0.0] = index i0
        v4: int[d0.0] = index {place}
        v5: bool[d0.0] = ieq(v3, v4)
        v6: bool[d0.0] = ine(v3, v4)
        v7: real[d0.0] = [v5] gather v0[0]
        v8: real[d0.0] = [v6] gather v1[i0 - 1]
        v9: real[d0.0] = [v6] mul(v0, v8)
        v10: real[d0.0] = select(v5, v7, v9)
        return v10"
    );
    let signature = "fn f(x: &Array1<f64>, y: &Array1<f64>, n: i64) -> Array1<f64>";
    written(signature, &text)
}

#[test]
fn a_loop_runs_in_pieces() {
    assert_has(
        &with_first("0"),
        "let (head, is) = is.cut(1);
        let out = out.begin(head, |_| x[[0]]);
        let x_row = x.row(is, [0]);
        let y_row = y.row(is, [-1]);
        out.set(is, |i| x_row[i] * y_row[i])",
    );
    // Of several first indices it is not known which they are.
    assert_has(
        &with_first("1"),
        "let out = out.begin(head, |i| if i == 1 {",
    );
    // Nobody knows where this is.
    assert!(!with_first("n2").contains(".cut("));
}

#[test]
fn elementwise_states_are_tiled() {
    let with = |read: &str, last: &str| {
        let text = format!(
            "fn f(x: real[d0.0], t: real[d1.0], p: real[d1.0], s: real[d0.0])
            loop 0 with 2 states
                fn step(x: real[d0.0], t: real[d1.0], p: real[d1.0], s: real[d0.0], i: int[])
                v5: real[d1.0] = gather v0[(v4)]
                v6: real[d1.0] = gather v2[{read}]
                v7: real[d1.0] = mul(v6, v1)
                v8: real[d1.0] = add(v7, v5)
                v9: real[] = sum v2 over [0]
                v10: real[d0.0] = scatter v3[i0] + v9[(v4)]
                return {last}
            v4: real[d1.0] = loop 0 out 0 given [v0, v1] from [v2, v3] for d0.0
            v5: real[d0.0] = loop 0 out 1 given [v0, v1] from [v2, v3] for d0.0
            v6: real[] = sum v4 over [0]
            v7: real[d0.0] = gather v6[]
            v8: real[d0.0] = add(v5, v7)
            return v8"
        );
        let signature = "fn f(x: &Array1<f64>, t: &Array1<f64>, p: &Array1<f64>, s: &Array1<f64>) -> Array1<f64>";
        written(signature, &text)
    };
    let tiled = with("i0", "v8, v10");
    assert_has(&tiled, "in rt::tiles(t_len) {");
    assert_has(&tiled, "for round in rt::rounds(0..x_len) {");
    assert_has(&tiled, "let t_few = t.few(few);");
    assert_has(&tiled, "s_2_sums.add(i, few, |");
    assert_has(&tiled, "s_2[[i]] += s_2_sums.total(i);");
    assert_has(&tiled, "rt::replace_parts((&mut p_2_few,), |");
    // Another element of the state, or a state that is another one.
    for code in [with("d1.0 - 1 - i0", "v8, v10"), with("i0", "v8, v3")] {
        let is_tiled = code.contains("rt::tiles");
        assert_eq!(is_tiled, code.contains("rt::replace_parts("), "{code}");
    }
    assert!(!with("d1.0 - 1 - i0", "v8, v10").contains("rt::tiles"));
}

#[test]
fn bounds_of_products_are_written() {
    let code = written(
        "fn f(x: &Array2<f64>) -> Array2<f64>",
        "fn f(x: real[d0.0, d0.1])
        v1: int[d0.0, d0.0] = index i1
        v2: int[d0.0, d0.0] = index i0
        v3: bool[d0.0, d0.0] = ilt(v1, v2)
        v4: real[d0.0, d0.0] = [v3] contract v0[a, c] * v0[b, c] -> [a, b]
        return v4",
    );
    assert_has(
        &code,
        "rt::contract_within(x, [0, 2], x, [1, 2], [0, 1], [rt::up_to(1, 0, -1)])",
    );
}

#[test]
fn memory_is_given_back_for_arrays_of_the_same_shape() {
    let program = |last: &str| {
        format!(
            "fn f(x: real[d0.0, d0.1], m: real[d0.1, d0.1])
            v2: real[d0.0, d0.1] = contract v0[a, b] * v1[b, c] -> [a, c]
            v3: real[d0.0, d0.1] = contract v2[a, b] * v1[b, c] -> [a, c]
            v4: real[d0.0, d0.1] = contract v3[a, b] * v1[b, c] -> [a, c]
            {last}"
        )
    };
    let signature = "fn f(x: &Array2<f64>, m: &Array2<f64>) -> Array2<f64>";
    let code = written(signature, &program("return v4"));
    // The first is gone when the third is made; the second has nobody to give it to.
    assert_eq!(code.matches("::core::mem::drop(").count(), 1);
    assert_has(&code, "::core::mem::drop(t);");
    let needed = "v5: real[d0.0, d0.1] = sub(v4, v2)
            return v5";
    let code = written(signature, &program(needed));
    // The first is needed to the end; the second is not when the differences are made.
    assert_eq!(code.matches("::core::mem::drop(").count(), 1);
    assert_has(&code, "::core::mem::drop(t_2);");
}

#[test]
fn few_elements_are_on_the_stack() {
    let code = written(
        "fn f(x: &Array1<f64>, m: &Array2<f64>) -> Array1<f64>",
        "fn f(x: real[d0.0], m: real[d1.0, d1.1])
        require d1.0 >= d0.0 when d0.0
        require d1.1 == 3 when d0.0
        loop 0 with 1 states
            fn step(m: real[d1.0, d1.1], x: real[d0.0], s: real[3], i: int[])
            v4: real[d1.1] = gather v0[(v3), i0]
            v5: real[] = gather v1[(v3)]
            v6: real[3] = gather v5[]
            v7: real[3] = mul(v2, v6)
            v8: real[3] = gather v4[i0]
            v9: real[3] = add(v7, v8)
            return v9
        v2: real[3] = fill 0.0
        v3: real[3] = loop 0 out 0 given [v1, v0] from [v2] for d0.0
        return v3",
    );
    // The demand is the one that there was.
    assert_has(&code, "assert!(x_len <= 0 || m_cols == 3,");
    assert!(!code.contains("assert!(m_cols==3"), "{code}");
    assert_has(
        &code,
        "let t: rt::Small<f64, 1, 3> = rt::build_small([3], |[_]| 0.0);",
    );
    assert_has(
        &code,
        "let s_next: rt::Small<f64, 1, 3> = rt::build_small([3], |[j]|",
    );
    assert_has(&code, "s = s_next;");
    assert_has(&code, "s.into_array()");
}

#[test]
fn last_states_are_replaced() {
    let with = |last: &str| {
        let text = format!(
            "fn f(x: real[d0.0], p: real[d0.0], n: int[])
            loop 0 with 1 states
                fn step(x: real[d0.0], p: real[d0.0], i: int[])
                v3: real[d0.0] = mul(v1, v0)
                return v3, v1
            v3: real[d0.0] = loop 0 out 0 given [v0] from [v1] for n2
            v4: real[n2, d0.0] = loop 0 out 1 given [v0] from [v1] for n2
            {last}"
        );
        let signature = "fn f(x: &Array1<f64>, p: &Array1<f64>, n: usize) -> Array1<f64>";
        written(signature, &text)
    };
    let code = with("v5: real[d0.0] = mul(v3, v0)\nreturn v5");
    assert_has(
        &code,
        "rt::replace(p_2, [x_len], |[j], p_2_j| p_2_j * x[[j]])",
    );
    // What is needed later, or read at another place, stays; and what a loop collects.
    let later = "v5: real[d0.0] = exp(v3)
        v6: real[] = contract v3[a] * v5[a] -> []
        v7: real[d0.0] = gather v6[]
        v8: real[d0.0] = mul(v7, v5)
        return v8";
    let elsewhere = "v5: real[d0.0] = gather v3[d0.0 - 1 - i0]
        v6: real[d0.0] = mul(v5, v0)
        return v6";
    let collected = "v5: real[n2, d0.0] = mul(v4, v4)
        v6: real[d0.0] = sum v5 over [0]
        return v6";
    for last in [later, elsewhere, collected] {
        let code = with(last);
        assert!(!code.contains("rt::replace(p_2,"), "{code}");
    }
}
