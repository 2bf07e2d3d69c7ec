//! Rows that indices choose are read as rows: what they are read from is made with these as its last
//! axis.
//! shows: value

#[differentiable(value)]
fn chosen(w: &Array2<f64>, m: &Array3<f64>, at: &[usize]) -> Array3<f64> {
    let t = build((m.dim().0, w.nrows(), 3), |(k, v, r)| {
        sum(w.ncols(), |b| w[[v, b]] * m[[k, b, r]]).sin()
    });
    build((at.len(), 3, m.dim().0), |(i, r, k)| t[[k, at[i], r]])
}

// =>
fn chosen_value(
    w: &Array2<f64>,
    m: &Array3<f64>,
    at: &[usize],
) -> ::cotangent::ndarray::Array3<f64> {
    let at = rt::slice("at", at);
    let w_rows = w.len(0);
    let w_cols = w.len(1);
    let m_len0 = m.len(0);
    let m_len1 = m.len(1);
    let m_len2 = m.len(2);
    let at_len = at.len(0);
    let t = rt::build_rows(
        [w_rows.min(if 3 * m_len0 > 0 { at_len } else { 0 })],
        |[_], is, out| {
            let at_row = at.row(is, [0]);
            out.set(
                is,
                |i| {
                    if w_rows < (if 3 * m_len0 > 0 { at_len } else { 0 }) {
                        i
                    } else {
                        at_row[i] as i64
                    }
                },
            )
        },
    );
    let t_2 = rt::build_rows(
        [w_rows.min(if 3 * m_len0 > 0 { at_len } else { 0 }), w_cols],
        |[i, _], js, out| {
            let w_row = w.row(js, [t[[i]], 0]);
            let t_i = t[[i]];
            out.set(js, |j| w_row[j])
        },
    );
    let t_3 = rt::build(
        [m_len0, 3, w_cols],
        |[i, j, k]| if 0 < w_rows { m[[i, k, j]] } else { 0.0 },
    );
    let t_4 = rt::contract(t_2.view(), [1, 3], t_3.view(), [0, 2, 3], [1, 2, 0]);
    let t_5 = rt::replace(
        t_4,
        [w_rows.min(if 3 * m_len0 > 0 { at_len } else { 0 }), 3, m_len0],
        |[_, _, _], t_4_ijk| rt::sin(t_4_ijk),
    );
    let t_6 = rt::build_rows(
        [if 3 * m_len0 > 0 { at_len } else { 0 }],
        |[_], is, out| {
            let at_row = at.row(is, [0]);
            out.set(
                is,
                |i| {
                    if w_rows < (if 3 * m_len0 > 0 { at_len } else { 0 }) {
                        at_row[i] as i64
                    } else {
                        i
                    }
                },
            )
        },
    );
    let value = rt::build_rows(
        [at_len, 3, m_len0],
        |[i, j, _], ks, out| {
            let t_5_row = t_5.row(ks, [t_6[[i]], j, 0]);
            let t_6_i = t_6[[i]];
            out.set(ks, |k| t_5_row[k])
        },
    );
    value.into_array()
}
