//! The Hessian of a quadratic form is the sum of the matrix and its transpose.
//! shows: hessian, hvp

#[differentiable(hessian, hvp, wrt(x))]
fn form(m: &Array2<f64>, x: &Array1<f64>) -> f64 {
    x.dot(&m.dot(x))
}

// =>
fn form_hessian(m: &Array2<f64>, x: &Array1<f64>) -> ::cotangent::ndarray::Array2<f64> {
    let m_rows = m.len(0);
    let m_cols = m.len(1);
    let x_len = x.len(0);
    let jacobian = rt::build(
        [m_cols, m_cols],
        |[i, j]| m[[i, j]] + (if j < m_rows { m[[j, i]] } else { 0.0 }),
    );
    jacobian.into_array()
}

fn form_hvp(
    m: &Array2<f64>,
    x: &Array1<f64>,
    x_direction: &Array1<f64>,
) -> ::cotangent::ndarray::Array1<f64> {
    let m_rows = m.len(0);
    let m_cols = m.len(1);
    let x_len = x.len(0);
    let x_direction_len = x_direction.len(0);
    let t = rt::contract(m, [0, 1], x_direction, [1], [0]);
    let mut t_2 = rt::zeros([m_rows]);
    {
        let is = rt::stretch(m_cols.min(m_rows));
        if !is.is_empty() {
            let x_direction_row = x_direction.row(is, [0]);
            t_2.row_mut(is, [0]).set(is, |i| x_direction_row[i]);
        }
    }
    let t_3 = rt::contract(m, [0, 1], t_2.view(), [0], [1]);
    let x_bar = rt::build_rows(
        [m_cols],
        |[_], is, out| {
            let t_row = t.row(is, [0]);
            let t_3_row = t_3.row(is, [0]);
            out.set(is, |i| t_row[i] + t_3_row[i])
        },
    );
    x_bar.into_array()
}
