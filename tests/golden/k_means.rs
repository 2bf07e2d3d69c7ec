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

// wanted: the nearest center of each point found once, and no array over points and centers:
// wanted: let t = rt::build([points_rows], |[i]| rt::argmin(centers_rows, |j| ..));
// wanted: points_bar[[i, j]]: twice points[[i, j]] - centers[[t[[i]], j]];
// wanted: centers_bar[[t[[i]], j]] -= the same.

// =>
fn k_means_grad(
    points: &Array2<f64>,
    centers: &Array2<f64>,
) -> (::cotangent::ndarray::Array2<f64>, ::cotangent::ndarray::Array2<f64>) {
    let points_rows = points.len(0);
    let points_cols = points.len(1);
    let centers_rows = centers.len(0);
    let centers_cols = centers.len(1);
    let mut t = rt::zeros([points_rows, centers_rows]);
    rt::for_each(
        [points_rows],
        |[i]| {
            if 0 < centers_rows {
                t[[
                    i,
                    rt::argmin(
                        centers_rows,
                        |j| rt::sum(
                            points_cols,
                            |k| {
                                let v = points[[i, k]] - centers[[j, k]];
                                v * v
                            },
                        ),
                    ),
                ]] += 1.0;
            }
        },
    );
    let t_2 = rt::build(
        [points_rows, centers_rows, points_cols],
        |[i, j, k]| {
            let v = (points[[i, k]] - centers[[j, k]]) * t[[i, j]];
            v + v
        },
    );
    let points_bar = rt::build(
        [points_rows, points_cols],
        |[i, j]| rt::sum(centers_rows, |k| t_2[[i, k, j]]),
    );
    let mut centers_bar = rt::zeros_called(
        "the gradient of `centers`",
        [centers_rows, centers_cols],
    );
    rt::for_each(
        [centers_rows, points_cols],
        |[i, j]| {
            if 0 < points_rows {
                centers_bar[[i, j]] += -rt::sum(points_rows, |k| t_2[[k, i, j]]);
            }
        },
    );
    (points_bar.into_array(), centers_bar.into_array())
}
