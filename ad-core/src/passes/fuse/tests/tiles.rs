//! What is made in tiles, and that it is the same.

use super::{agreeing, real};
use crate::ir::kernel::{Program, Step, Tiles, Work};
use crate::ir::value::Value;

/// The kernels of a program, which agree with it on arrays of these shapes.
fn fused(text: &str, shapes: &[&[usize]]) -> Program {
    let args: Vec<Value> = (shapes.iter().map(|s| real(s, |k| 1.0 / k as f64))).collect();
    agreeing(text, &args).0
}

fn tiles(program: &Program) -> Vec<&Tiles> {
    let of = |s: &'_ Step| matches!(s.work, Work::Tiles(_));
    let steps = program.steps.iter().filter(|s| of(s));
    let tiles = steps.filter_map(|s| match &s.work {
        Work::Tiles(t) => Some(&**t),
        Work::Nest(_)
        | Work::Scatter(_)
        | Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Call(_)
        | Work::Loop(_)
        | Work::Branch(_) => None,
    });
    tiles.collect()
}

/// `u = exp(x[i] · m[j]) m[j]`, where j numbers matrices, and more that is made of it.
fn products(more: &str) -> String {
    format!(
        "fn f(x: real[d0.0, d0.1], m: real[d1.0, d0.1, d0.1])
        v2: real[d0.0, d1.0, d0.1] = contract v0[i, k] * v1[j, k, l] -> [i, j, l]
        v3: real[d0.0, d1.0, d0.1] = exp(v2)
        v4: real[d0.0, d1.0, d0.1] = contract v3[i, j, k] * v1[j, k, l] -> [i, j, l]
        {more}"
    )
}

/// What tiles run along, and what lasts of them with its axes.
fn lanes(program: &Program) -> Vec<String> {
    let lane = |t: &Tiles| {
        let outs = t.outs.iter().map(|o| {
            let shape: Vec<String> = o.ty.shape.iter().map(|n| n.to_string()).collect();
            format!("v{} [{}]", o.var.0, shape.join(", "))
        });
        let outs: Vec<String> = outs.collect();
        format!("{}: {}", t.extent, outs.join(", "))
    };
    tiles(program).into_iter().map(lane).collect()
}

#[test]
fn what_only_neighbours_need_is_made_in_tiles() {
    let text = products(
        "v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d0.0] = logsumexp v5 over [1]
        return v6",
    );
    for shapes in [[4, 5], [5, 4], [0, 3], [3, 0]] {
        let [n, matrices] = shapes;
        let program = fused(&text, &[&[n, 2], &[matrices, 2, 2]]);
        assert_eq!(lanes(&program), ["d0.0: v6 [d0.0]"]);
    }
}

#[test]
fn the_lane_is_the_first_axis() {
    let text = products(
        "v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d1.0] = logsumexp v5 over [0]
        v7: real[d0.0] = sum v5 over [1]
        return v6, v7",
    );
    // As the sum needs them all, `v5` lasts.
    let program = fused(&text, &[&[4, 2], &[5, 2, 2]]);
    assert_eq!(lanes(&program), ["d0.0: v5 [d0.0, d1.0], v7 [d0.0]"]);
    let text = text.replace("return v6, v7", "return v6");
    let program = fused(&text, &[&[4, 2], &[5, 2, 2]]);
    assert_eq!(lanes(&program), ["d1.0: v6 [d1.0]"]);
}

#[test]
fn what_needs_all_indices_is_between_two_phases() {
    let text = products(
        "v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d0.0] = logsumexp v5 over [1]
        v7: real[d0.0, d1.0] = gather v6[i0]
        v8: real[d0.0, d1.0] = sub(v5, v7)
        v9: real[d0.0, d1.0] = exp(v8)
        v10: real[d0.0, d1.0, d0.1] = gather v9[i0, i1]
        v11: real[d0.0, d1.0, d0.1] = mul(v10, v3)
        v12: real[d0.0, d1.0, d0.1] = contract v11[i, j, k] * v1[j, l, k] -> [i, j, l]
        v13: real[d0.0, d1.0, d0.1] = mul(v12, v3)
        v14: real[d1.0, d0.1, d0.1] = contract v13[i, j, k] * v0[i, l] -> [j, k, l]
        v15: real[d1.0, d0.1, d0.1] = contract v11[i, j, k] * v0[i, l] -> [j, k, l]
        v16: real[d1.0, d0.1, d0.1] = contract v12[i, j, k] * v0[i, l] -> [j, k, l]
        return v6, v14, v15, v16",
    );
    let program = fused(&text, &[&[4, 2], &[5, 2, 2]]);
    let [first, second] = &lanes(&program)[..] else {
        panic!("{program:#?}")
    };
    assert_eq!(first, "d1.0: v3 [d1.0, d0.1, d0.0], v5 [d1.0, d0.0]");
    let shape = "[d1.0, d0.1, d0.1]";
    let wanted = [14, 15, 16].map(|v| format!("v{v} {shape}")).join(", ");
    assert_eq!(*second, format!("d1.0: {wanted}"));
}

#[test]
fn what_is_read_elsewhere_is_made_as_a_whole() {
    // The doubles are cheap, but of each index the one at 1 is needed.
    let text = products(
        "v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d0.0] = logsumexp v5 over [1]
        v7: real[d0.0] = fill 2.0
        v8: real[d0.0, d1.0, d0.1] = gather v7[1]
        v9: real[d0.0, d1.0, d0.1] = mul(v8, v4)
        v10: real[d0.0, d1.0, d0.1] = contract v9[i, j, k] * v1[j, l, k] -> [i, j, l]
        v11: real[d0.0, d1.0] = sum v10 over [2]
        v12: real[d0.0] = sum v11 over [1]
        v13: real[d0.0] = mul(v12, v7)
        return v6, v13",
    );
    fused(&text, &[&[4, 2], &[5, 2, 2]]);
}

#[test]
fn rows_that_are_read_elsewhere_stay_rows() {
    // Along the numbers k there is more to save, but data choose rows along these.
    let text = "fn f(w: real[d0.0, d0.1], p: real[3, 3], m: real[d2.0, d0.1, 3, 3], x: real[d3.0])
        v4: real[d0.0, d0.1, 3] = gather v0[i0, i1]
        v5: real[d0.0, d0.1, 3] = gather v1[0, i2]
        v6: real[d0.0, d0.1, 3] = mul(v4, v5)
        v7: real[d2.0, d0.1, 3, 3] = contract v2[k, b, r, c] * v1[d, c] -> [k, b, r, d]
        v8: real[d2.0, d0.1, 3, 3] = exp(v7)
        v9: real[d2.0, d0.0, 3] = contract v8[k, b, r, c] * v6[v, b, c] -> [k, v, r]
        v10: real[d2.0, d0.0, 3] = exp(v9)
        v11: int[d3.0, 3, d2.0] = index 2*i0
        v12: int[d3.0, 3, d2.0] = index i0
        v13: int[d3.0, 3, d2.0] = imul(v11, v12)
        v14: real[d3.0, 3, d2.0] = gather v10[i2, v13, i1]
        return v14";
    let shapes: [&[usize]; 4] = [&[5, 2], &[3, 3], &[4, 2, 3, 3], &[2]];
    assert_eq!(lanes(&fused(text, &shapes)), ["d0.0: v13 [d0.0, 3, d2.0]"]);
}

#[test]
fn results_keep_their_axes() {
    // The middle axis of `v4` is none that it may be divided along.
    let text = products("return v4");
    let program = fused(&text, &[&[4, 2], &[5, 2, 2]]);
    let [tiles] = tiles(&program)[..] else {
        panic!("{program:#?}")
    };
    assert_eq!(tiles.extent.to_string(), "d0.0");
}

#[test]
fn what_is_one_pass_anyway_is_not_divided() {
    let text = "fn f(x: real[d0.0, d0.1, d0.2])
        v1: real[d0.0, d0.1, d0.2] = exp(v0)
        v2: real[d0.0, d0.1, d0.2] = mul(v1, v0)
        v3: real[d0.0, d0.1, d0.2] = add(v1, v2)
        return v3";
    assert!(tiles(&fused(text, &[&[2, 3, 2]])).is_empty());
}

/// The axes of what the first tiles make, by the names of lengths; `#` is that of the tile.
fn axes_inside(program: &Program) -> Vec<String> {
    let Some(t) = tiles(program).first().copied() else {
        panic!("{program:#?}")
    };
    let axes = |ty: &crate::ir::bulk::Type| {
        let axis = |n: &crate::ir::ty::Size| match *n
            == crate::ir::ty::Size::atom(crate::ir::ty::Atom::Value(t.length().0))
        {
            true => "#".to_owned(),
            false => n.to_string(),
        };
        let axes: Vec<String> = ty.shape.iter().map(axis).collect();
        axes.join(" ")
    };
    let made = t.body.steps.iter().flat_map(Step::defines);
    made.map(|(_, ty)| axes(ty)).collect()
}

#[test]
fn the_axis_that_may_be_long_is_the_last() {
    // Matrices of d0.1 by d0.1 say that this is short.
    let text = products(
        "v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d0.0, d1.0, d0.1] = gather v0[i0, i2]
        v7: real[d0.0, d1.0, d0.1] = mul(v6, v4)
        v8: real[d1.0, d0.1] = sum v7 over [0]
        v9: real[d1.0] = logsumexp v5 over [0]
        return v8, v9",
    );
    for shapes in [[4, 5], [20, 3], [0, 3], [3, 0]] {
        let [n, matrices] = shapes;
        let program = fused(&text, &[&[n, 2], &[matrices, 2, 2]]);
        let inside = axes_inside(&program);
        assert!(inside.contains(&"# d0.1 d0.0".to_owned()), "{inside:?}");
        assert!(!inside.contains(&"# d0.0 d0.1".to_owned()), "{inside:?}");
        // The points are read along their columns: from a copy.
        let copies = program.steps.iter().filter(|s| {
            let shape: Vec<String> = s.ty.shape.iter().map(ToString::to_string).collect();
            matches!(s.work, Work::Nest(_)) && shape == ["d0.1", "d0.0"]
        });
        assert_eq!(copies.count(), 1);
    }
}

/// The shapes of the matrices that nests make outside of tiles.
fn matrices_outside(program: &Program) -> Vec<String> {
    let shape = |s: &Step| s.ty.shape.iter().map(ToString::to_string).collect();
    let shapes = program.steps.iter().filter_map(|s| {
        let shape: Vec<String> = shape(s);
        (matches!(s.work, Work::Nest(_)) && shape.len() == 2).then(|| shape.join(" "))
    });
    shapes.collect()
}

#[test]
fn what_tiles_read_in_another_order_is_made_in_that_order() {
    let text = products(
        "v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d0.0, d0.1] = exp(v0)
        v7: real[d0.0, d1.0, d0.1] = gather v6[i0, i2]
        v8: real[d0.0, d1.0, d0.1] = mul(v7, v4)
        v9: real[d1.0, d0.1] = sum v8 over [0]
        v10: real[d1.0] = logsumexp v5 over [0]
        return v9, v10",
    );
    let shapes: [&[usize]; 2] = [&[20, 2], &[3, 2, 2]];
    assert_eq!(matrices_outside(&fused(&text, &shapes)), ["d0.1 d0.0"]);
    // A result stays as it is, and is copied.
    let text = text.replace("return v9, v10", "return v9, v10, v6");
    let made = matrices_outside(&fused(&text, &shapes));
    assert_eq!(made, ["d0.0 d0.1", "d0.1 d0.0"]);
}

#[test]
fn an_axis_that_may_be_long_stays_the_last() {
    let text = "fn f(x: real[d0.0, d0.1], m: real[d1.0, d1.1, d0.1])
        v2: real[d0.0, d1.0, d1.1] = contract v0[i, k] * v1[j, l, k] -> [i, j, l]
        v3: real[d0.0, d1.0, d1.1] = exp(v2)
        v4: real[d0.0, d1.0, d0.1] = contract v3[i, j, k] * v1[j, k, l] -> [i, j, l]
        v5: real[d0.0, d1.0] = sum v4 over [2]
        v6: real[d0.0] = logsumexp v5 over [1]
        return v6";
    let program = fused(text, &[&[4, 2], &[5, 3, 2]]);
    let inside = axes_inside(&program);
    assert!(inside.contains(&"# d1.0 d1.1".to_owned()), "{inside:?}");
    assert!(inside.contains(&"# d1.0 d0.1".to_owned()), "{inside:?}");
}

#[test]
fn rows_of_a_square_are_a_lane() {
    // Arrays of three axes are made for each row of a square.
    let text = "fn f(x: real[d0.0], m: real[d1.0, d1.1])
        v2: real[d0.0, d1.0, d1.1] = gather v1[i1, i2]
        v3: real[d0.0, d1.0, d1.1] = gather v0[i0]
        v4: real[d0.0, d1.0, d1.1] = mul(v2, v3)
        v5: real[d0.0, d1.0, d1.1] = sin(v4)
        v6: real[d0.0, d1.0] = sum v5 over [2]
        v7: real[d0.0] = logsumexp v6 over [1]
        v8: real[d0.0, d1.0, d1.1] = gather v7[i0]
        v9: real[d0.0, d1.0, d1.1] = sub(v5, v8)
        v10: real[d0.0, d1.0, d1.1] = exp(v9)
        v11: real[d0.0, d1.0] = sum v10 over [2]
        v12: real[d0.0, d1.1] = sum v10 over [1]
        v13: real[d0.0, d1.0] = mul(v11, v11)
        v14: real[d0.0, d1.1] = mul(v12, v12)
        v15: real[d0.0] = sum v13 over [1]
        v16: real[d0.0] = sum v14 over [1]
        v17: real[d0.0] = mul(v15, v16)
        v18: real[d0.0, d0.0] = gather v17[i0]
        v19: real[d0.0, d0.0] = gather v0[i1]
        v20: real[d0.0, d0.0] = mul(v18, v19)
        v21: real[d0.0, d0.0] = sin(v20)
        return v21";
    let program = fused(text, &[&[4], &[3, 2]]);
    assert_eq!(lanes(&program), ["d0.0: v21 [d0.0, d0.0]"]);
}

#[test]
fn what_a_short_axis_consists_of_is_short() {
    // A square of d0.0 says that it is short, and so is d1.1, which it is at least.
    let text = "fn f(x: real[d0.0], m: real[d1.0, d1.1, d1.2])
        require d0.0 >= d1.1 + d1.1*d1.2
        v2: real[d0.0, d1.0, d1.1, d1.2] = gather v1[i1, i2, i3]
        v3: real[d0.0, d1.0, d1.1, d1.2] = gather v0[i0]
        v4: real[d0.0, d1.0, d1.1, d1.2] = mul(v2, v3)
        v5: real[d0.0, d1.0, d1.1, d1.2] = sin(v4)
        v6: real[d0.0, d1.0, d1.1] = sum v5 over [3]
        v7: real[d0.0, d1.0, d1.1] = exp(v6)
        v8: real[d0.0, d1.0] = sum v7 over [2]
        v9: real[d0.0] = logsumexp v8 over [1]
        v10: real[d0.0, d1.0, d1.1] = gather v9[i0]
        v11: real[d0.0, d1.0, d1.1] = sub(v7, v10)
        v12: real[d0.0, d1.0] = sum v11 over [2]
        v13: real[d0.0] = logsumexp v12 over [1]
        v14: real[d0.0, d1.0, d1.2] = sum v5 over [2]
        v15: real[d0.0, d1.0] = sum v14 over [2]
        v16: real[d0.0] = logsumexp v15 over [1]
        v17: real[d0.0] = mul(v13, v16)
        v18: real[d0.0, d0.0] = gather v17[i0]
        v19: real[d0.0, d0.0] = gather v0[i1]
        v20: real[d0.0, d0.0] = mul(v18, v19)
        v21: real[d0.0, d0.0] = sin(v20)
        return v21";
    let args = [&[6][..], &[7, 2, 2]];
    let inside = axes_inside(&fused(text, &args));
    assert!(inside.contains(&"# d1.1 d1.0".to_owned()), "{inside:?}");
    let free: Vec<&str> = text.lines().filter(|l| !l.contains("require")).collect();
    let inside = axes_inside(&fused(&free.join("\n"), &args));
    assert!(inside.contains(&"# d1.0 d1.1".to_owned()), "{inside:?}");
}
