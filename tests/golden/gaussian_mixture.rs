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
    let m = rt::unsigned("m", m as u64);
    let alpha_len = alpha.len(0);
    let mu_rows = mu.len(0);
    let mu_cols = mu.len(1);
    let q_rows = q.len(0);
    let q_cols = q.len(1);
    let l_rows = l.len(0);
    let l_cols = l.len(1);
    let x_rows = x.len(0);
    let x_cols = x.len(1);
    let t = rt::logsumexp(alpha_len, |i| alpha[[i]]);
    let t_2 = if 0 < alpha_len { 0.5 * gamma * gamma } else { 0.0 };
    let t_3 = -(x_rows as f64);
    let t_4 = if 0 < alpha_len { -t_2 } else { 0.0 };
    let t_5 = if (0 < alpha_len) & (0 < l_cols) { t_4 * 2.0 } else { 0.0 };
    let t_6 = rt::across(x, 0);
    let ((t_16, t_17, t_19, t_21), (t_18, t_20)) = rt::in_tiles_and_places::<
        Set,
        _,
        (rt::Lasting<i64, 3>, rt::Lasting<f64, 3>),
    >(
        alpha_len,
        x_rows + 3 * x_rows * x_cols + x_cols + 2 * x_cols * x_cols + 2,
        (
            (
                [alpha_len],
                [alpha_len, x_cols],
                [alpha_len, x_cols, x_cols],
                [alpha_len, x_rows],
            ),
            ([alpha_len, x_cols, x_cols], [alpha_len, x_cols, x_rows]),
        ),
        |first, len, (t_place, t_place_3)| {
            let (t_7, t_8) = rt::build_all(
                [len],
                |[i]| {
                    let total = {
                        let js = rt::stretch(x_cols);
                        let q_row = q.row(js, [i + first, 0]);
                        rt::sum_light(js, |j| q_row[j])
                    };
                    (total, if 0 < x_rows { alpha[[i + first]] + total } else { 0.0 })
                },
            );
            let t_9 = rt::build_rows(
                [len, x_cols],
                |[i, _], js, out| {
                    let q_row = q.row(js, [i + first, 0]);
                    out.set_costly(js, |j| rt::exp(q_row[j]))
                },
            );
            let t_10 = rt::build_rows(
                [len, x_cols, x_rows],
                |[i, j, _], ks, out| {
                    let t_6_row = t_6.row(ks, [j, 0]);
                    let mu_x = mu[[i + first, j]];
                    out.set(ks, |k| t_6_row[k] - mu_x)
                },
            );
            let t_11 = rt::build_in(
                t_place,
                [len, x_cols, x_cols],
                |[_, j, k]| {
                    if (0 < x_rows) & (k < j) {
                        k * (2 * x_cols - k - 1) / 2 + j - k - 1
                    } else {
                        0
                    }
                },
            );
            let mut t_12 = rt::zeros([len, x_cols, x_cols]);
            rt::for_each(
                [len, x_cols],
                |[i, j]| {
                    rt::for_each(
                        [j],
                        |[k]| {
                            if 0 < x_rows {
                                t_12[[i, j, k]] = l[[i + first, t_11[[i, j, k]]]];
                            }
                        },
                    );
                },
            );
            let t_13 = rt::contract_within(
                t_12.view(),
                [1, 2, 3],
                t_10.view(),
                [1, 3, 0],
                [1, 2, 0],
                [rt::up_to(3, 2, -1)],
            );
            let t_14 = rt::build_rows_in(
                t_place_3,
                [len, x_cols, x_rows],
                |[i, j, _], ks, out| {
                    let t_10_row = t_10.row(ks, [i, j, 0]);
                    let t_13_row = t_13.row(ks, [i, j, 0]);
                    let t_9_ij = t_9[[i, j]];
                    out.set(ks, |k| t_9_ij * t_10_row[k] + t_13_row[k])
                },
            );
            let t_15 = if 16 <= x_rows {
                rt::build_blocks(
                    [len, x_rows],
                    |[i, _], js, out| {
                        let mut total = rt::Block::<f64>::new();
                        total.begin(js, 0.0);
                        rt::for_each(
                            0..x_cols,
                            |k| {
                                let t_14_row = t_14.row(js, [i, k, 0]);
                                total.add(js, |j| t_14_row[j] * t_14_row[j]);
                            },
                        );
                        let total = total.row(js);
                        let t_8_i = t_8[[i]];
                        out.set(js, |j| t_8_i - 0.5 * total[j]);
                    },
                )
            } else {
                rt::build(
                    [len, x_rows],
                    |[i, j]| {
                        t_8[[i]]
                            - 0.5
                                * rt::sum_light(
                                    x_cols,
                                    |k| {
                                        let t_14_ikj = t_14[[i, k, j]];
                                        t_14_ikj * t_14_ikj
                                    },
                                )
                    },
                )
            };
            (t_7, t_9, t_12, t_15)
        },
    );
    let t_22 = if 16 <= x_rows {
        rt::build_blocks(
            [x_rows],
            |[_], is, out| {
                let mut log_total = rt::Block::<f64>::new();
                log_total.begin(is, f64::NEG_INFINITY);
                rt::for_each(
                    0..alpha_len,
                    |j| {
                        let t_21_row = t_21.row(is, [j, 0]);
                        log_total.raise(is, |i| t_21_row[i]);
                    },
                );
                let mut total = rt::Block::<f64>::new();
                let mut exponentials = log_total.exponentials(is, &mut total);
                rt::for_each(
                    0..alpha_len,
                    |j| {
                        let t_21_row_2 = t_21.row(is, [j, 0]);
                        exponentials.add(is, |i| t_21_row_2[i]);
                    },
                );
                exponentials.logarithms(is);
                let log_total = total.row(is);
                out.set(is, |i| log_total[i]);
            },
        )
    } else {
        rt::build([x_rows], |[i]| rt::logsumexp(alpha_len, |j| t_21[[j, i]]))
    };
    let value = {
        let v = (x_cols + m + 1) as f64;
        let v_2 = 0.5 * v;
        let v_3 = v * x_cols as f64 * rt::ln(gamma / 1.4142135623730951)
            - (0.25 * (x_cols * x_cols - x_cols) as f64 * 1.1447298858494002
                + rt::sum(x_cols, |k| rt::lgamma(v_2 - 0.5 * k as f64)));
        rt::sum_light(x_rows, |i| t_22[[i]]) - x_rows as f64 * t
            - 0.5 * (x_rows * x_cols) as f64 * 1.8378770664093453
            + rt::sum(
                alpha_len,
                |j| {
                    v_3 + m as f64 * t_16[[j]]
                        - t_2
                            * (rt::sum_light(
                                x_cols,
                                |p| {
                                    let t_17_jp = t_17[[j, p]];
                                    t_17_jp * t_17_jp
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
    let (alpha_bar, t_33, t_34, t_35, t_36, t_37) = rt::in_tiles::<
        Set,
        _,
    >(
        alpha_len,
        2 * x_rows + 2 * x_rows * x_cols + 3 * x_cols + x_cols * x_cols + 3,
        (
            [alpha_len],
            [alpha_len, x_cols],
            [alpha_len, x_cols],
            [alpha_len, x_cols],
            [alpha_len],
            [alpha_len, x_cols, x_cols],
        ),
        |first_2, len_2| {
            let t_23 = rt::build_rows(
                [len_2, x_cols, x_rows],
                |[i, j, _], ks, out| {
                    let t_6_row = t_6.row(ks, [j, 0]);
                    let mu_x = mu[[i + first_2, j]];
                    out.set(ks, |k| t_6_row[k] - mu_x)
                },
            );
            let mut t_24 = rt::zeros([len_2]);
            let t_25 = rt::build_rows(
                [len_2, x_rows],
                |[i, _], js, out| {
                    let t_21_row = t_21.row(js, [i + first_2, 0]);
                    if 16 <= x_rows && rt::all(js, |j| t_21_row[j] != f64::NEG_INFINITY)
                    {
                        let t_21_row_2 = t_21.row(js, [i + first_2, 0]);
                        let t_22_row = t_22.row(js, [0]);
                        let (out, (total,)) = out
                            .set_and_sum(
                                js,
                                |j| {
                                    let v = rt::weight(t_21_row_2[j] - t_22_row[j]);
                                    (0.5 * -v, (v,))
                                },
                            );
                        t_24[[i]] += total;
                        out
                    } else {
                        out.set(
                            js,
                            |j| {
                                let t_21_x = t_21[[i + first_2, j]];
                                let c = t_21_x != f64::NEG_INFINITY;
                                let v = if c {
                                    rt::weight(t_21_x - t_22[[j]])
                                } else {
                                    0.0
                                };
                                if c {
                                    t_24[[i]] += v;
                                }
                                if c { 0.5 * -v } else { 0.0 }
                            },
                        )
                    }
                },
            );
            let (t_26, t_27) = rt::build_all(
                [len_2],
                |[i]| {
                    let alpha_x = alpha[[i + first_2]];
                    let c = alpha_x != f64::NEG_INFINITY;
                    let c_2 = 0 < x_rows;
                    let v = if c_2 { t_24[[i]] } else { 0.0 };
                    (
                        if c | c_2 {
                            (if c { rt::weight(alpha_x - t) * t_3 } else { 0.0 }) + v
                        } else {
                            0.0
                        },
                        m as f64 + v,
                    )
                },
            );
            let mut t_29 = rt::zeros([len_2, x_cols]);
            let mut t_30 = rt::zeros([len_2, x_cols]);
            let mut t_31 = rt::zeros([len_2, x_cols]);
            let t_28 = {
                let mut hold = false;
                rt::build_rows(
                    [len_2, x_cols, x_rows],
                    |[i, j, _], ks, out| {
                        if j == 0 {
                            let t_21_row = t_21.row(ks, [i + first_2, 0]);
                            hold = rt::all(ks, |k| t_21_row[k] != f64::NEG_INFINITY);
                        }
                        if 16 <= x_rows && hold {
                            let t_20_row = t_20.row(ks, [i + first_2, j, 0]);
                            let t_25_row = t_25.row(ks, [i, 0]);
                            let t_23_row = t_23.row(ks, [i, j, 0]);
                            let t_17_x = t_17[[i + first_2, j]];
                            let (out, (total, total_2, total_3)) = out
                                .set_and_sum_light(
                                    ks,
                                    |k| {
                                        let v = 2.0 * (t_20_row[k] * t_25_row[k]);
                                        (v, (v, -(t_17_x * v), t_23_row[k] * v))
                                    },
                                );
                            t_29[[i, j]] += total;
                            t_30[[i, j]] += total_2;
                            t_31[[i, j]] += total_3;
                            out
                        } else {
                            out.set(
                                ks,
                                |k| {
                                    let c = t_21[[i + first_2, k]] != f64::NEG_INFINITY;
                                    let v = if c {
                                        2.0 * (t_20[[i + first_2, j, k]] * t_25[[i, k]])
                                    } else {
                                        0.0
                                    };
                                    if c {
                                        t_29[[i, j]] += v;
                                    }
                                    if c {
                                        t_30[[i, j]] += -(t_17[[i + first_2, j]] * v);
                                    }
                                    if c {
                                        t_31[[i, j]] += t_23[[i, j, k]] * v;
                                    }
                                    v
                                },
                            )
                        }
                    },
                )
            };
            let t_32 = rt::contract_within(
                t_23.view(),
                [1, 3, 0],
                t_28.view(),
                [1, 2, 0],
                [1, 2, 3],
                [rt::up_to(3, 2, -1)],
            );
            (t_26, t_29, t_30, t_31, t_27, t_32)
        },
    );
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
                                |k| t_19[[i, k, j]] * t_33[[i, k]],
                            );
                    }
                },
            );
        },
    );
    rt::for_each(
        [alpha_len],
        |[i]| {
            let js = rt::stretch(x_cols);
            if !js.is_empty() {
                if 0 < x_rows {
                    let t_34_row = t_34.row(js, [i, 0]);
                    mu_bar.row_mut(js, [i, 0]).add(js, |j| t_34_row[j]);
                }
            }
        },
    );
    let mut q_bar = rt::zeros([q_rows, q_cols]);
    rt::for_each(
        [alpha_len.min(q_rows)],
        |[i]| {
            rt::for_each(
                [x_cols.min(q_cols)],
                |[j]| {
                    let t_17_ij = t_17[[i, j]];
                    q_bar[[i, j]] = t_17_ij
                        * ((if 0 < alpha_len { 2.0 * (t_17_ij * t_4) } else { 0.0 })
                            + t_35[[i, j]]) + t_36[[i]];
                },
            );
        },
    );
    let mut l_bar = rt::zeros_called("the gradient of `l`", [l_rows, l_cols]);
    rt::for_each(
        [alpha_len],
        |[i]| {
            let js = rt::stretch(l_cols);
            if !js.is_empty() {
                let l_row = l.row(js, [i, 0]);
                l_bar.row_mut(js, [i, 0]).add(js, |j| l_row[j] * t_5);
            }
        },
    );
    rt::for_each(
        [alpha_len, x_cols],
        |[i, j]| {
            rt::for_each(
                [j],
                |[k]| {
                    if 0 < x_rows {
                        l_bar[[i, t_18[[i, j, k]]]] += t_37[[i, j, k]];
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
