//! Gradient descent with a step length that adapts, for `particle` and `saddle`.

/// The search ends where the gradient or the step is at most this long.
const TOLERANCE: f64 = 1e-5;

/// The Euclidean length of a vector.
fn length<const N: usize>(v: &[f64; N]) -> f64 {
    let mut squared = 0.0;
    for e in v {
        squared += e * e;
    }
    squared.sqrt()
}

/// A minimum of `f` near `start`.
pub(super) fn descend<const N: usize>(
    f: impl Fn(&[f64; N]) -> f64,
    gradient: impl Fn(&[f64; N]) -> [f64; N],
    start: &[f64; N],
) -> [f64; N] {
    let mut x = *start;
    let mut value = f(&x);
    let mut slope = gradient(&x);
    let mut rate = 1e-5;
    let mut accepted = 0;
    while length(&slope) > TOLERANCE {
        if accepted == 10 {
            rate *= 2.0;
            accepted = 0;
            continue;
        }
        let step = slope.map(|s| rate * s);
        if length(&step) <= TOLERANCE {
            break;
        }
        let mut next = x;
        for i in 0..N {
            next[i] -= step[i];
        }
        let there = f(&next);
        if there < value {
            x = next;
            value = there;
            slope = gradient(&x);
            accepted += 1;
        } else {
            rate /= 2.0;
            accepted = 0;
        }
    }
    x
}
