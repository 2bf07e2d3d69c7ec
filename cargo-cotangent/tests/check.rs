//! The test that `--check` puts beside a function, compiled and run.

mod project {
    use cotangent::ndarray::Array1;
    use cotangent::prelude::*;

    #[derive(Clone, Debug, Differentiable)]
    struct Camera<R> {
        focal: R,
        centre: [R; 2],
        id: usize,
    }

    #[differentiable(vjp, jvp)]
    fn project<T: Real>(c: &Camera<T>, points: &[[T; 2]], n: usize) -> Array1<T> {
        build(points.len(), |i| {
            let p = points[i];
            // A kink, and a function that is not defined everywhere.
            c.focal * p[0].abs() / p[1].sqrt() + c.centre[1] * T::of((n + c.id) as f64)
        })
    }

    include!("check/project.rs");
}

mod judged {
    #![allow(dead_code, reason = "the tests call a part of it")]
    #![allow(clippy::unnecessary_cast, reason = "the text is for `f32` as well")]

    type __R = f64;
    include!("../src/check/test.rs");

    /// How many comparisons of a function at 0.5 disagree.
    fn complaints(f: impl Fn(f64) -> f64, reverse: f64, forward: f64) -> Tally {
        let mut tally = Tally::new(Some("f_vjp"), Some("f_jvp"));
        let along = STEPS.map(|step| f(0.5 + 1.5 * step));
        tally.compare(0, "x", 0.5, along, Some(reverse), Some(forward));
        tally
    }

    #[test]
    fn wrong_derivatives_are_found() {
        let cube = |x: f64| x.powi(3);
        assert_eq!(complaints(cube, 0.75, 0.75).complaints, 0);
        assert_eq!(complaints(cube, 0.76, 0.75).complaints, 1);
        assert_eq!(complaints(cube, 0.75, 0.76).complaints, 1);
        assert_eq!(complaints(cube, f64::NAN, 0.75).complaints, 1);
    }

    #[test]
    fn kinks_are_left_out() {
        for at in [0.5, 0.5 + 1.2e-4] {
            let tally = complaints(|x| (x - at).abs(), -1.0, -1.0);
            assert_eq!((tally.complaints, tally.kinks), (0, 1));
        }
    }
}
