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
    let t_2 = rt::cos(p[[1]]);
    let mut jacobian: rt::Small<f64, 1, 2> = rt::zeros_small([2]);
    jacobian[[1]] += -t * (scale * p[[0]]);
    jacobian[[0]] += scale * t_2;
    let mut jacobian_2: rt::Small<f64, 1, 2> = rt::zeros_small([2]);
    jacobian_2[[1]] += t_2 * (scale * p[[0]]);
    jacobian_2[[0]] += scale * t;
    let jacobian_3 = p[[0]] * t_2;
    let jacobian_4 = p[[0]] * t;
    (
        [
            ::core::array::from_fn(|at| jacobian[[at as i64]]),
            ::core::array::from_fn(|at_2| jacobian_2[[at_2 as i64]]),
        ],
        [jacobian_3, jacobian_4],
    )
}
