//! The gradient of k-means: every point and its nearest center pull at each other.
//! shows: grad

#[differentiable(grad)]
fn k_means(points: &Array2<f64>, centers: &Array2<f64>) -> f64 {
    let (n, d) = points.dim();
    sum(n, |i| {
        minimum(centers.nrows(), |k| {
            sum(d, |j| (points[[i, j]] - centers[[k, j]]).powi(2))
        })
    })
}

// =>
fn k_means_grad(
    points: &Array2<f64>,
    centers: &Array2<f64>,
) -> (::cotangent::ndarray::Array2<f64>, ::cotangent::ndarray::Array2<f64>) {
    let points_rows = points.len(0);
    let points_cols = points.len(1);
    let centers_rows = centers.len(0);
    let centers_cols = centers.len(1);
    let t = if points_cols.max(16) <= centers_rows && 0 < points_rows && 0 < centers_rows
        && 0 < points_cols
    {
        let centers_across = rt::across(
            centers.part([0, 0], [centers_rows, points_cols]),
            0,
        );
        rt::build(
            [points_rows],
            |[i]| {
                if 0 < centers_rows {
                    rt::argmin_few(
                        centers_rows,
                        |js, out| {
                            rt::for_each(
                                0..points_cols,
                                |k| {
                                    let centers_row = centers_across.row(js, [k, 0]);
                                    let points_ik = points[[i, k]];
                                    out.add(
                                        js,
                                        |j| {
                                            let v = points_ik - centers_row[j];
                                            v * v
                                        },
                                    );
                                },
                            );
                        },
                    )
                } else {
                    0
                }
            },
        )
    } else {
        rt::build(
            [points_rows],
            |[i]| {
                if 0 < centers_rows {
                    rt::argmin(
                        centers_rows,
                        |j| {
                            let ks = rt::stretch(points_cols);
                            let centers_row = centers.row(ks, [j, 0]);
                            rt::sum_light(
                                ks,
                                |k| {
                                    let v = points[[i, k]] - centers_row[k];
                                    v * v
                                },
                            )
                        },
                    )
                } else {
                    0
                }
            },
        )
    };
    let mut centers_bar = rt::zeros_called(
        "the gradient of `centers`",
        [centers_rows, centers_cols],
    );
    let points_bar = if 8 <= points_cols {
        rt::build_rows(
            [points_rows, points_cols],
            |[i, _], js, out| {
                let c = 0 < centers_rows;
                let t_i = if c { t[[i]] } else { 0 };
                if c {
                    let points_row = points.row(js, [i, 0]);
                    let centers_row = centers.row(js, [t_i, 0]);
                    out.set_and_add(
                        js,
                        (centers_bar.row_mut(js, [t_i, 0]),),
                        |j| {
                            let v = points_row[j] - centers_row[j];
                            (2.0 * v, (-2.0 * v,))
                        },
                    )
                } else {
                    out.set(js, |_| 0.0)
                }
            },
        )
    } else {
        rt::build(
            [points_rows, points_cols],
            |[i, j]| {
                let c = 0 < centers_rows;
                let t_i = if c { t[[i]] } else { 0 };
                let v = if c { points[[i, j]] - centers[[t_i, j]] } else { 0.0 };
                if c {
                    centers_bar[[t_i, j]] += -2.0 * v;
                }
                if c { 2.0 * v } else { 0.0 }
            },
        )
    };
    (points_bar.into_array(), centers_bar.into_array())
}
