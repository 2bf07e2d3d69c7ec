//! Linear recurrences.

use super::{Dense, INTERMEDIATE, View};

/// `out[k] = a[k] * out[k - 1] + b[k]` along `axis`, or with `out[k + 1]` if `reverse`.
///
/// The first step is just `b`.
///
/// # Panics
///
/// Panics if `a` and `b` differ in shape.
#[must_use]
#[track_caller]
pub fn recur<const N: usize>(
    a: View<'_, f64, N>,
    b: View<'_, f64, N>,
    axis: usize,
    reverse: bool,
) -> Dense<f64, N> {
    let shape = b.shape;
    assert!(
        a.shape == shape,
        "a recurrence needs arrays of equal shape, not {:?} and {shape:?}",
        a.shape
    );
    let steps = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    let mut data = b.data.to_vec();
    if data.is_empty() {
        return Dense {
            data,
            shape,
            name: INTERMEDIATE,
        };
    }
    let blocks = data.chunks_exact_mut(steps * inner);
    for (out, a) in blocks.zip(a.data.chunks_exact(steps * inner)) {
        if inner == 1 {
            scalar(out, a, reverse);
            continue;
        }
        for k in 1..steps {
            let k = if reverse { steps - 1 - k } else { k };
            let a = &a[k * inner..][..inner];
            let (out, before) = if reverse {
                let (out, before) = out.split_at_mut((k + 1) * inner);
                (&mut out[k * inner..], &before[..inner])
            } else {
                let (before, out) = out.split_at_mut(k * inner);
                (&mut out[..inner], &before[(k - 1) * inner..])
            };
            for ((out, &before), &a) in out.iter_mut().zip(before).zip(a) {
                *out += a * before;
            }
        }
    }
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

/// One recurrence of numbers; `out` holds what is added.
fn scalar(out: &mut [f64], a: &[f64], reverse: bool) {
    let step = |state: Option<f64>, (out, a): (&mut f64, &f64)| {
        if let Some(state) = state {
            *out += a * state;
        }
        Some(*out)
    };
    let steps = out.iter_mut().zip(a);
    if reverse {
        steps.rev().fold(None, step);
    } else {
        steps.fold(None, step);
    }
}
