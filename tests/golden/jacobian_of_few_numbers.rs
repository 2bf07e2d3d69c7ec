//! The Jacobian of a function of a few numbers is straight-line code.
//! shows: jacobian

#[differentiable(jacobian)]
fn polar(p: &[f64; 2], scale: f64) -> [f64; 2] {
    [scale * p[0] * p[1].cos(), scale * p[0] * p[1].sin()]
}

// =>
fn polar_jacobian(p: &[f64; 2], scale: f64) -> ([[f64; 2]; 2], [f64; 2]) {
    let p = rt::slice("p", &p[..]);
    let t = rt::sin(p[[1]]);
    let t_2 = -t * (scale * p[[0]]);
    let t_3 = rt::cos(p[[1]]);
    let t_4 = scale * t_3;
    let jacobian: rt::Small<f64, 1, 2> = rt::build_small(
        [2],
        |[i]| (if i == 1 { t_2 } else { 0.0 }) + (if i == 0 { t_4 } else { 0.0 }),
    );
    let t_5 = t_3 * (scale * p[[0]]);
    let t_6 = scale * t;
    let jacobian_2: rt::Small<f64, 1, 2> = rt::build_small(
        [2],
        |[i]| (if i == 1 { t_5 } else { 0.0 }) + (if i == 0 { t_6 } else { 0.0 }),
    );
    let jacobian_3 = p[[0]] * t_3;
    let jacobian_4 = p[[0]] * t;
    (
        [
            ::core::array::from_fn(|at| jacobian[[at as i64]]),
            ::core::array::from_fn(|at_2| jacobian_2[[at_2 as i64]]),
        ],
        [jacobian_3, jacobian_4],
    )
}
