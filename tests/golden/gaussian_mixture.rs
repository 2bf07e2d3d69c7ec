//! The gradient of the benchmark suite's Gaussian mixture: the packed triangles become matrices, and their products with the
//! points and with the cotangents are contractions within a triangle.
//! shows: value_and_grad

#[differentiable(grad, wrt(alpha, mu, q, l))]
fn gaussian_mixture(
    alpha: &Array1<f64>,
    mu: &Array2<f64>,
    q: &Array2<f64>,
    l: &Array2<f64>,
    x: &Array2<f64>,
    gamma: f64,
    m: usize,
) -> f64 {
    let (n, d) = x.dim();
    let k = alpha.len();
    let diagonal = build((k, d), |(j, c)| q[[j, c]].exp());
    let log_det = build(k, |j| sum(d, |c| q[[j, c]]));

    let data = sum(n, |i| {
        logsumexp(k, |j| {
            let squared = sum(d, |r| {
                let below = sum(r, |c| {
                    // Column c starts after those of lengths d-1, d-2, ..
                    let start = c * (2 * d - c - 1) / 2;
                    l[[j, start + r - c - 1]] * (x[[i, c]] - mu[[j, c]])
                });
                let z = diagonal[[j, r]] * (x[[i, r]] - mu[[j, r]]) + below;
                z * z
            });
            alpha[j] + log_det[j] - 0.5 * squared
        })
    });
    let total = n as f64 * logsumexp(k, |j| alpha[j]);
    let log_likelihood = data - total - 0.5 * (n * d) as f64 * 1.8378770664093453;

    let nu = (d + m + 1) as f64;
    let log_gamma =
        0.25 * (d * (d - 1)) as f64 * 1.1447298858494002 + sum(d, |i| lgamma(0.5 * nu - 0.5 * i as f64));
    let constant = nu * d as f64 * (gamma / 1.4142135623730951).ln() - log_gamma;
    let prior = sum(k, |j| {
        let frobenius = sum(d, |c| diagonal[[j, c]] * diagonal[[j, c]])
            + sum(l.ncols(), |c| l[[j, c]] * l[[j, c]]);
        constant + m as f64 * log_det[j] - 0.5 * gamma * gamma * frobenius
    });
    log_likelihood + prior
}

// =>
fn gaussian_mixture_value_and_grad(
    alpha: &Array1<f64>,
    mu: &Array2<f64>,
    q: &Array2<f64>,
    l: &Array2<f64>,
    x: &Array2<f64>,
    gamma: f64,
    m: usize,
) -> (
    f64,
    (
        ::cotangent::ndarray::Array1<f64>,
        ::cotangent::ndarray::Array2<f64>,
        ::cotangent::ndarray::Array2<f64>,
        ::cotangent::ndarray::Array2<f64>,
    ),
) {
    let m = m as i64;
    let alpha_len = alpha.len(0);
    let mu_rows = mu.len(0);
    let mu_cols = mu.len(1);
    let q_rows = q.len(0);
    let q_cols = q.len(1);
    let l_rows = l.len(0);
    let l_cols = l.len(1);
    let x_rows = x.len(0);
    let x_cols = x.len(1);
    let (t, t_2) = rt::build_all(
        [alpha_len],
        |[i]| {
            let total = {
                let js = rt::stretch(x_cols);
                let q_row = q.row(js, [i, 0]);
                rt::sum_light(js, |j| q_row[j])
            };
            (total, if 0 < x_rows { alpha[[i]] + total } else { 0.0 })
        },
    );
    let t_3 = rt::build_rows(
        [alpha_len, x_cols],
        |[i, _], js, out| {
            let q_row = q.row(js, [i, 0]);
            out.set(js, |j| rt::exp(q_row[j]))
        },
    );
    let t_4 = rt::build_rows(
        [x_rows, alpha_len, x_cols],
        |[i, j, _], ks, out| {
            let x_row = x.row(ks, [i, 0]);
            let mu_row = mu.row(ks, [j, 0]);
            out.set(ks, |k| x_row[k] - mu_row[k])
        },
    );
    let t_5 = rt::build(
        [alpha_len, x_cols, x_cols],
        |[_, j, k]| {
            if (0 < x_rows) & (k < j) {
                k * (2 * x_cols - k - 1) / 2 + j - k - 1
            } else {
                0
            }
        },
    );
    let mut t_6 = rt::zeros([alpha_len, x_cols, x_cols]);
    rt::for_each(
        [alpha_len, x_cols],
        |[i, j]| {
            rt::for_each(
                [j],
                |[k]| {
                    if 0 < x_rows {
                        t_6[[i, j, k]] = l[[i, t_5[[i, j, k]]]];
                    }
                },
            );
        },
    );
    let t_7 = rt::contract_within(
        t_6.view(),
        [1, 2, 3],
        t_4.view(),
        [0, 1, 3],
        [0, 1, 2],
        [rt::up_to(3, 2, -1)],
    );
    let t_8 = rt::replace(
        t_7,
        [x_rows, alpha_len, x_cols],
        |[i, j, k], t_7_ijk| t_3[[j, k]] * t_4[[i, j, k]] + t_7_ijk,
    );
    let t_9 = rt::build(
        [x_rows, alpha_len],
        |[i, j]| {
            t_2[[j]]
                - 0.5
                    * rt::sum_light(
                        x_cols,
                        |k| {
                            let t_8_ijk = t_8[[i, j, k]];
                            t_8_ijk * t_8_ijk
                        },
                    )
        },
    );
    let t_10 = rt::build([x_rows], |[i]| rt::logsumexp(alpha_len, |j| t_9[[i, j]]));
    let t_11 = rt::logsumexp(alpha_len, |i| alpha[[i]]);
    let t_12 = if 0 < alpha_len { 0.5 * gamma * gamma } else { 0.0 };
    let value = if x_cols.max(16) <= alpha_len && 0 < x_rows && 0 < alpha_len
        && 0 < x_cols && l_cols.max(16) <= alpha_len && 0 < l_cols
    {
        let t_3_across = rt::build([x_cols, alpha_len], |[p, j]| t_3[[j, p]]);
        let l_across = rt::build([l_cols, alpha_len], |[i_2, j]| l[[j, i_2]]);
        let v = (x_cols + m + 1) as f64;
        let v_2 = if 0 < x_cols { 0.5 * v } else { 0.0 };
        let v_3 = v * x_cols as f64 * rt::ln(gamma / 1.4142135623730951)
            - (0.25 * (x_cols * x_cols - x_cols) as f64 * 1.1447298858494002
                + rt::sum(x_cols, |k| rt::lgamma(v_2 - 0.5 * k as f64)));
        rt::sum_light(x_rows, |i| t_10[[i]]) - x_rows as f64 * t_11
            - 0.5 * (x_rows * x_cols) as f64 * 1.8378770664093453
            + rt::sum_blocks(
                alpha_len,
                |js, out| {
                    let mut total = rt::block::<f64>(js, 0.0);
                    rt::for_each(
                        0..x_cols,
                        |p| {
                            let t_3_row = t_3_across.row(js, [p, 0]);
                            total.add(js, |j| t_3_row[j] * t_3_row[j]);
                        },
                    );
                    let total = total.row(js);
                    let mut total_2 = rt::block::<f64>(js, 0.0);
                    rt::for_each(
                        0..l_cols,
                        |i_2| {
                            let l_row = l_across.row(js, [i_2, 0]);
                            total_2.add(js, |j| l_row[j] * l_row[j]);
                        },
                    );
                    let total_2 = total_2.row(js);
                    let t_row = t.row(js, [0]);
                    out.set(
                        js,
                        |j| v_3 + m as f64 * t_row[j] - t_12 * (total[j] + total_2[j]),
                    );
                },
            )
    } else {
        let v = (x_cols + m + 1) as f64;
        let v_2 = if 0 < x_cols { 0.5 * v } else { 0.0 };
        let v_3 = v * x_cols as f64 * rt::ln(gamma / 1.4142135623730951)
            - (0.25 * (x_cols * x_cols - x_cols) as f64 * 1.1447298858494002
                + rt::sum(x_cols, |k| rt::lgamma(v_2 - 0.5 * k as f64)));
        rt::sum_light(x_rows, |i| t_10[[i]]) - x_rows as f64 * t_11
            - 0.5 * (x_rows * x_cols) as f64 * 1.8378770664093453
            + rt::sum(
                alpha_len,
                |j| {
                    v_3 + m as f64 * t[[j]]
                        - t_12
                            * (rt::sum_light(
                                x_cols,
                                |p| {
                                    let t_3_jp = t_3[[j, p]];
                                    t_3_jp * t_3_jp
                                },
                            )
                                + rt::sum_light(
                                    l_cols,
                                    |i_2| {
                                        let l_ji_2 = l[[j, i_2]];
                                        l_ji_2 * l_ji_2
                                    },
                                ))
                },
            )
    };
    let t_13 = -(x_rows as f64);
    let (t_14, t_15) = rt::build_all(
        [x_rows, alpha_len],
        |[i, j]| {
            let t_9_ij = t_9[[i, j]];
            let c = t_9_ij != f64::NEG_INFINITY;
            let v = if c { rt::exp(t_9_ij - t_10[[i]]) } else { 0.0 };
            (v, if c { 0.5 * -v } else { 0.0 })
        },
    );
    let mut t_16 = rt::zeros_called("an array of the shape of `alpha`", [alpha_len]);
    rt::for_each(
        [x_rows, alpha_len],
        |[i, j]| {
            t_16[[j]] += t_14[[i, j]];
        },
    );
    let (alpha_bar, t_17) = rt::build_all(
        [alpha_len],
        |[i]| {
            let alpha_i = alpha[[i]];
            let c = alpha_i != f64::NEG_INFINITY;
            let c_2 = 0 < x_rows;
            let v = if c_2 { t_16[[i]] } else { 0.0 };
            (
                if c | c_2 {
                    (if c { rt::exp(alpha_i - t_11) * t_13 } else { 0.0 }) + v
                } else {
                    0.0
                },
                m as f64 + v,
            )
        },
    );
    let mut t_19 = rt::zeros([alpha_len, x_cols]);
    let mut t_20 = rt::zeros([alpha_len, x_cols]);
    let mut t_21 = rt::zeros([alpha_len, x_cols]);
    let t_18 = if 8 <= x_cols {
        rt::build_rows(
            [x_rows, alpha_len, x_cols],
            |[i, j, _], ks, out| {
                let c = t_9[[i, j]] != f64::NEG_INFINITY;
                if c {
                    let t_8_row = t_8.row(ks, [i, j, 0]);
                    let t_3_row = t_3.row(ks, [j, 0]);
                    let t_4_row = t_4.row(ks, [i, j, 0]);
                    let t_15_ij = t_15[[i, j]];
                    out.set_and_add(
                        ks,
                        (
                            t_19.row_mut(ks, [j, 0]),
                            t_20.row_mut(ks, [j, 0]),
                            t_21.row_mut(ks, [j, 0]),
                        ),
                        |k| {
                            let v = 2.0 * (t_8_row[k] * t_15_ij);
                            (v, (v, -(t_3_row[k] * v), t_4_row[k] * v))
                        },
                    )
                } else {
                    out.set(ks, |_| 0.0)
                }
            },
        )
    } else {
        rt::build(
            [x_rows, alpha_len, x_cols],
            |[i, j, k]| {
                let c = t_9[[i, j]] != f64::NEG_INFINITY;
                let v = if c { 2.0 * (t_8[[i, j, k]] * t_15[[i, j]]) } else { 0.0 };
                if c {
                    t_19[[j, k]] += v;
                }
                if c {
                    t_20[[j, k]] += -(t_3[[j, k]] * v);
                }
                if c {
                    t_21[[j, k]] += t_4[[i, j, k]] * v;
                }
                v
            },
        )
    };
    let mut mu_bar = rt::zeros_called("the gradient of `mu`", [mu_rows, mu_cols]);
    rt::for_each(
        [alpha_len],
        |[i]| {
            rt::for_each(
                [x_cols - 1],
                |[j]| {
                    if 0 < x_rows {
                        mu_bar[[i, j]]
                            += -rt::sum(
                                j + 1..x_cols,
                                |k| t_6[[i, k, j]] * t_19[[i, k]],
                            );
                    }
                },
            );
        },
    );
    rt::for_each(
        [alpha_len, x_cols],
        |[i, j]| {
            if 0 < x_rows {
                mu_bar[[i, j]] += t_20[[i, j]];
            }
        },
    );
    ::core::mem::drop(t_6);
    let t_22 = if 0 < alpha_len { -t_12 } else { 0.0 };
    let mut q_bar = rt::zeros([q_rows, q_cols]);
    rt::for_each(
        [alpha_len.min(q_rows)],
        |[i]| {
            rt::for_each(
                [x_cols.min(q_cols)],
                |[j]| {
                    let t_3_ij = t_3[[i, j]];
                    q_bar[[i, j]] = t_3_ij
                        * ((if 0 < alpha_len { 2.0 * (t_3_ij * t_22) } else { 0.0 })
                            + t_21[[i, j]]) + t_17[[i]];
                },
            );
        },
    );
    let t_23 = if (0 < alpha_len) & (0 < l_cols) { t_22 * 2.0 } else { 0.0 };
    let t_24 = rt::contract_within(
        t_4.view(),
        [0, 1, 3],
        t_18.view(),
        [0, 1, 2],
        [1, 2, 3],
        [rt::up_to(3, 2, -1)],
    );
    let mut l_bar = rt::zeros_called("the gradient of `l`", [l_rows, l_cols]);
    rt::for_each(
        [alpha_len, l_cols],
        |[i, j]| {
            l_bar[[i, j]] += l[[i, j]] * t_23;
        },
    );
    rt::for_each(
        [alpha_len, x_cols],
        |[i, j]| {
            rt::for_each(
                [j],
                |[k]| {
                    if 0 < x_rows {
                        l_bar[[i, t_5[[i, j, k]]]] += t_24[[i, j, k]];
                    }
                },
            );
        },
    );
    (
        value,
        (
            alpha_bar.into_array(),
            mu_bar.into_array(),
            q_bar.into_array(),
            l_bar.into_array(),
        ),
    )
}
