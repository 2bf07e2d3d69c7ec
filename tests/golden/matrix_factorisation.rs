//! With D = W H, the gradient of Σ A / D + log D by H is Wᵀ (1 / D - A / D²).
//! shows: grad

#[differentiable(grad, wrt(h))]
fn divergence(a: &Array2<f64>, w: &Array2<f64>, h: &Array2<f64>) -> f64 {
    let d = w.dot(h);
    sum(d.dim(), |(i, j)| a[[i, j]] / d[[i, j]] + d[[i, j]].ln())
}

// =>
fn divergence_grad(
    a: &Array2<f64>,
    w: &Array2<f64>,
    h: &Array2<f64>,
) -> ::cotangent::ndarray::Array2<f64> {
    let a_rows = a.len(0);
    let a_cols = a.len(1);
    let w_rows = w.len(0);
    let w_cols = w.len(1);
    let h_rows = h.len(0);
    let h_cols = h.len(1);
    let t = rt::contract(w, [0, 2], h, [2, 1], [0, 1]);
    let t_2 = rt::build_rows(
        [w_rows, h_cols],
        |[i, _], js, out| {
            let t_row = t.row(js, [i, 0]);
            let a_row = a.row(js, [i, 0]);
            out.set(js, |j| 1.0 / t_row[j] - a_row[j] / t_row[j] / t_row[j])
        },
    );
    let h_bar = rt::contract(w, [0, 2], t_2.view(), [0, 1], [2, 1]);
    h_bar.into_array()
}
