//! Polynomials with coefficients that stand in the code.

/// The polynomial in `x` with these coefficients, the constant one first; `x2` is the square of
/// `x`.
///
/// It is `((c0 + c1 x) + x² (c2 + c3 x)) + x⁴ (..)`: a quarter as deep as Horner's rule, at two
/// multiplications more.
macro_rules! polynomial {
    ($x:expr, $x2:expr; $c0:expr $(,)?) => {
        $c0
    };
    ($x:expr, $x2:expr; $c0:expr, $c1:expr $(,)?) => {
        $c0 + $x * $c1
    };
    ($x:expr, $x2:expr; $c0:expr, $c1:expr, $c2:expr $(,)?) => {
        ($c0 + $x * $c1) + $x2 * $c2
    };
    ($x:expr, $x2:expr; $c0:expr, $c1:expr, $c2:expr, $c3:expr $(,)?) => {
        ($c0 + $x * $c1) + $x2 * ($c2 + $x * $c3)
    };
    ($x:expr, $x2:expr; $c0:expr, $c1:expr, $c2:expr, $c3:expr, $($more:expr),+ $(,)?) => {
        (($c0 + $x * $c1) + $x2 * ($c2 + $x * $c3))
            + ($x2 * $x2) * (polynomial!($x, $x2; $($more),+))
    };
}
