//! Products that are added to an array, or taken away from it.
//!
//! ```text
//! out[..] = d[..] + Σ a[..] b[..]
//! ```
//!
//! Each sum is there before it is added, with the order and the rounding that it has alone, so the result has the bits of a
//! product followed by an addition. Large products read `d` where they write the result; if nobody needs `d` any more, and
//! the sums are in one part, that is in place.

use super::direct::{Arrays, adds_once};
use super::plan::{COPIES, How, plan};
use super::{Axis, BLANK, FEW, Operand, Part, fill, length, loops, merge, run};
use crate::Real;
#[cfg(target_arch = "x86_64")]
use crate::kernels::dispatch::Level;
use crate::kernels::{Dense, INTERMEDIATE, View, lengths, pool};
use std::ptr::null;

/// What a product is added to.
#[derive(Debug)]
pub enum Base<'a, T, const N: usize> {
    /// An array that nobody needs any more. The result may have its memory.
    Taken(Dense<T, N>),
    /// An array that stays as it is.
    Kept(View<'a, T, N>),
}

impl<T, const N: usize> From<Dense<T, N>> for Base<'_, T, N> {
    fn from(array: Dense<T, N>) -> Self {
        Base::Taken(array)
    }
}

impl<'a, T, const N: usize> From<View<'a, T, N>> for Base<'a, T, N> {
    fn from(array: View<'a, T, N>) -> Self {
        Base::Kept(array)
    }
}

/// An array plus a product; see [`super::contract`].
///
/// # Panics
///
/// As there, and if the array has another shape than the product.
#[must_use]
#[track_caller]
pub fn contract_onto<'a, 'b, 'd, T: Real, const A: usize, const B: usize, const C: usize>(
    onto: impl Into<Base<'d, T, C>>,
    a: impl Into<Part<'a, T, A>>,
    a_axes: [u8; A],
    b: impl Into<Part<'b, T, B>>,
    b_axes: [u8; B],
    out_axes: [u8; C],
) -> Dense<T, C> {
    let (a, b) = (a.into(), b.into());
    let a = a.operand(&a_axes);
    let b = b.operand(&b_axes);
    let (shape, size) = lengths(out_axes.map(|label| length(a, b, label) as i64));
    let fits = |of: [usize; C]| assert!(of == shape, "a sum of arrays of {of:?} and {shape:?}");
    let data = match onto.into() {
        Base::Taken(mut array) => {
            fits(array.shape);
            let mut data = std::mem::take(&mut array.data);
            T::contraction_onto(a, b, &out_axes, &shape, None, &mut data);
            data
        }
        Base::Kept(array) => {
            fits(array.shape);
            let mut data = pool::with_capacity(size);
            T::contraction_onto(a, b, &out_axes, &shape, Some(array.data), &mut data);
            data
        }
    };
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

/// Adds a product to what is kept, or else to what is in `out`. In the end the result is there.
#[track_caller]
pub(in crate::kernels) fn add_to<T: Real>(
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out_axes: &[u8],
    out_shape: &[usize],
    kept: Option<&[T]>,
    out: &mut Vec<T>,
) {
    let size: usize = out_shape.iter().product();
    assert!(kept.map_or(out.len(), <[T]>::len) == size);
    let most = a.axes.len() + b.axes.len() + out_axes.len();
    let (mut few, mut many);
    let room: &mut [Axis] = if most <= FEW {
        few = [BLANK; FEW];
        &mut few
    } else {
        many = vec![BLANK; most];
        &mut many
    };
    let negated = a.negated != b.negated;
    if let Some(len) = loops((a, b), (out_axes, out_shape), room) {
        let len = merge(&mut room[..len]);
        let limits = COPIES[usize::from(size_of::<T>() > 4)];
        let mut plan = plan(&mut room[..len], limits);
        let arrays = |out: &mut Vec<T>| Arrays {
            a: a.data.as_ptr(),
            b: b.data.as_ptr(),
            out: out.as_mut_ptr(),
        };
        match plan.how {
            How::Gemm if plan.once && has_blocks() => {
                let is_here = kept.is_none() && in_one_part(plan.sums.n);
                if is_here {
                    let onto = out.as_ptr();
                    // SAFETY: as in `fill`; and what is added to is the result, which has all its elements. No one else has
                    // it, and each sum is in one part.
                    unsafe { run(&plan, &mut room[..len], arrays(out), (negated, onto)) };
                    return;
                }
                let mut new = pool::with_capacity(size);
                let onto = kept.unwrap_or(&out[..]).as_ptr();
                // SAFETY: as in `fill`; what is added to has as many elements, and is another array.
                unsafe { run(&plan, &mut room[..len], arrays(&mut new), (negated, onto)) };
                // SAFETY: each place has been written.
                unsafe { new.set_len(size) };
                pool::give(std::mem::replace(out, new));
                return;
            }
            How::Blocks(method) if plan.once && adds_once::<T>(method, &plan) => {
                out.extend_from_slice(kept.unwrap_or(&[]));
                plan.once = false;
                // SAFETY: as in `fill`. All elements of the result are there.
                unsafe { run(&plan, &mut room[..len], arrays(out), (negated, null())) };
                return;
            }
            How::Gemm | How::Blocks(_) | How::Lines => {}
        }
    }
    // The product, and then the sum. That of nothing is zero.
    let mut product = pool::with_capacity(size);
    let [a, b] = [a, b].map(|x| Operand {
        negated: false,
        ..x
    });
    fill(a, b, out_axes, out_shape, &[], &mut product);
    out.extend_from_slice(kept.unwrap_or(&[]));
    for (x, sum) in out.iter_mut().zip(&product) {
        match negated {
            true => *x -= *sum,
            false => *x += *sum,
        }
    }
    pool::give(product);
}

/// Whether large products are computed by kernels of ours.
fn has_blocks() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Level::chosen() != Level::Baseline;
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Whether the sums of these are in one part.
fn in_one_part(sums: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    return sums <= super::packed::SUMS;
    #[cfg(not(target_arch = "x86_64"))]
    return sums == 0;
}
