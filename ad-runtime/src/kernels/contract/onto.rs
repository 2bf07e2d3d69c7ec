//! Products that are added to an array, or taken away from it.
//!
//! ```text
//! out[..] = d[..] + Σ a[..] b[..]
//! ```
//!
//! Each sum is there before it is added, with the order and the rounding that it has alone, so the
//! result has the bits of a product followed by an addition. If the sums are in one part, the array
//! is changed in place.

use super::direct::{Arrays, adds_once};
use super::plan::{COPIES, How, plan};
use super::{Axis, BLANK, FEW, Operand, Part, fill, length, loops, merge, run};
use crate::Real;
#[cfg(target_arch = "x86_64")]
use crate::kernels::dispatch::Level;
use crate::kernels::{Dense, INTERMEDIATE, lengths, pool};
use std::ptr::null;

/// An array plus a product, or minus one if one of the factors is negated; see [`super::contract`].
///
/// # Panics
///
/// As there, and if the array has another shape than the product.
#[must_use]
#[track_caller]
pub fn contract_onto<'a, 'b, T: Real, const A: usize, const B: usize, const C: usize>(
    mut onto: Dense<T, C>,
    a: impl Into<Part<'a, T, A>>,
    a_axes: [u8; A],
    b: impl Into<Part<'b, T, B>>,
    b_axes: [u8; B],
    out_axes: [u8; C],
) -> Dense<T, C> {
    let (a, b) = (a.into(), b.into());
    let a = a.operand(&a_axes);
    let b = b.operand(&b_axes);
    let (shape, _) = lengths(out_axes.map(|label| length(a, b, label) as i64));
    let of = onto.shape;
    assert!(of == shape, "a sum of arrays of {of:?} and {shape:?}");
    T::contraction_onto(a, b, &out_axes, &shape, &mut onto.data);
    onto.name = INTERMEDIATE;
    onto
}

/// Adds a product to what is in `out`.
#[track_caller]
pub(in crate::kernels) fn add_to<T: Real>(
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out_axes: &[u8],
    out_shape: &[usize],
    out: &mut Vec<T>,
) {
    let size: usize = out_shape.iter().product();
    assert!(out.len() == size);
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
                if in_one_part(plan.sums.n) {
                    let onto = out.as_ptr();
                    // SAFETY: as in `fill`; and what is added to is the result, which has all its
                    // elements. No one else has it, and each sum is in one part.
                    unsafe { run(&plan, &mut room[..len], arrays(out), (negated, onto)) };
                    return;
                }
                let mut new = pool::with_capacity(size);
                let onto = out.as_ptr();
                // SAFETY: as in `fill`; what is added to has as many elements, and is another
                // array.
                unsafe { run(&plan, &mut room[..len], arrays(&mut new), (negated, onto)) };
                // SAFETY: each place has been written.
                unsafe { new.set_len(size) };
                pool::give(std::mem::replace(out, new));
                return;
            }
            How::Blocks(method) if plan.once && adds_once::<T>(method, &plan) => {
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
    for (x, sum) in out.iter_mut().zip(&product) {
        match negated {
            true => *x -= *sum,
            false => *x += *sum,
        }
    }
    pool::give(product);
}

/// Whether large products are computed by kernels of ours.
pub(super) fn has_blocks() -> bool {
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
