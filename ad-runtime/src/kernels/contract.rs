//! Sums of products of two arrays.

use super::{Dense, View, for_each, zeros};

/// `out[..] = Σ a[..] b[..]` over the labels that are not in `out_axes`. Every label occurs in
/// at least two of the three lists, once in each.
///
/// # Panics
///
/// Panics if axes with the same label differ in length.
#[must_use]
#[track_caller]
pub fn contract<const A: usize, const B: usize, const C: usize>(
    a: View<'_, f64, A>,
    a_axes: [u8; A],
    b: View<'_, f64, B>,
    b_axes: [u8; B],
    out_axes: [u8; C],
) -> Dense<f64, C> {
    let length = |label: u8| {
        let in_a = a_axes.iter().position(|&l| l == label).map(|k| a.shape[k]);
        let in_b = b_axes.iter().position(|&l| l == label).map(|k| b.shape[k]);
        match (in_a, in_b) {
            (Some(m), Some(n)) => {
                assert!(
                    m == n,
                    "a product needs axes of equal length, not {m} and {n}"
                );
                m
            }
            (Some(n), None) | (None, Some(n)) => n,
            (None, None) => panic!("an axis of a product is in neither operand"),
        }
    };
    let mut labels = out_axes.to_vec();
    for l in a_axes.into_iter().chain(b_axes) {
        if !labels.contains(&l) {
            labels.push(l);
        }
    }
    let lengths: Vec<i64> = labels.iter().map(|&l| length(l) as i64).collect();
    let place = |label: u8| labels.iter().position(|&l| l == label).unwrap_or(0);
    let mut out = zeros(out_axes.map(|l| lengths[place(l)]));
    let total: i64 = lengths.iter().product();
    for_each([total], |[at]| {
        let mut rest = at;
        let mut index = vec![0; labels.len()];
        for (i, n) in index.iter_mut().zip(&lengths).rev() {
            *i = rest % n;
            rest /= n;
        }
        let x = a[a_axes.map(|l| index[place(l)])];
        let y = b[b_axes.map(|l| index[place(l)])];
        out[out_axes.map(|l| index[place(l)])] += x * y;
    });
    out
}
