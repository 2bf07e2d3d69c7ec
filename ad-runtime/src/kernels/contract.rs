//! Sums of products of two arrays.

mod block;
mod direct;
mod gemm;
pub(super) mod onto;
#[cfg(target_arch = "x86_64")]
mod packed;
mod plan;
mod share;
mod within;

#[cfg(target_arch = "x86_64")]
use super::dispatch::Level;
use super::dispatch::dispatch;
use super::{Dense, INTERMEDIATE, View, lengths, pool, threads};
use crate::Real;
use direct::{Arrays, Blocks, Lines, each, is_long};
use gemm::{Gemm, Product, by_matrixmultiply};
pub use onto::contract_onto;
use plan::{COPIES, How, Plan, plan};
use share::Positions;
use std::cmp::Reverse;
use std::ops::Range;
use std::ptr::null;
use within::bounded;
pub use within::{Within, up_to};

/// A loop over an axis: its length, and how far a step goes in the two operands and the result; 0
/// where the axis does not occur.
#[derive(Clone, Copy, Debug)]
struct Loop {
    n: usize,
    a: usize,
    b: usize,
    out: usize,
}

/// A loop with the label of its axis.
#[derive(Clone, Copy)]
struct Axis {
    label: u8,
    /// Where the loop is while it runs.
    turn: usize,
    steps: Loop,
}

/// Positions in the two operands and the result.
#[derive(Clone, Copy, Default)]
struct At {
    a: usize,
    b: usize,
    out: usize,
}

/// `out[..] = Σ a[..] b[..]` over the labels that are not in `out_axes`. Every label occurs in
/// at least two of the three lists, and no list repeats one.
///
/// # Panics
///
/// Panics if axes with the same label differ in length, if a list repeats a label, and if no
/// operand has a label of the result.
#[must_use]
#[track_caller]
pub fn contract<'a, 'b, T: Real, const A: usize, const B: usize, const C: usize>(
    a: impl Into<Part<'a, T, A>>,
    a_axes: [u8; A],
    b: impl Into<Part<'b, T, B>>,
    b_axes: [u8; B],
    out_axes: [u8; C],
) -> Dense<T, C> {
    contract_within(a, a_axes, b, b_axes, out_axes, [])
}

/// The same, of what is within bounds: all of these hold. They are about the same two labels, at
/// least one of which the result has. Where one does not hold, the result is zero if it has both
/// labels, and so must be an operand that has both; that zero is not multiplied.
///
/// # Panics
///
/// As [`contract`], and if the bounds are about more than two labels.
#[must_use]
#[track_caller]
pub fn contract_within<
    'a,
    'b,
    T: Real,
    const A: usize,
    const B: usize,
    const C: usize,
    const W: usize,
>(
    a: impl Into<Part<'a, T, A>>,
    a_axes: [u8; A],
    b: impl Into<Part<'b, T, B>>,
    b_axes: [u8; B],
    out_axes: [u8; C],
    within: [Within; W],
) -> Dense<T, C> {
    let (a, b) = (a.into(), b.into());
    let a = a.operand(&a_axes);
    let b = b.operand(&b_axes);
    let (shape, size) = lengths(out_axes.map(|label| length(a, b, label) as i64));
    let mut data = pool::with_capacity(size);
    T::contraction(a, b, &out_axes, &shape, &within, &mut data);
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

/// How products of matrices are computed for a type of numbers. Each type has its own compiled
/// code, once and not in every crate that multiplies.
#[allow(missing_debug_implementations, clippy::type_complexity)]
pub struct Products<T: 'static> {
    contraction: fn(
        a: Operand<'_, T>,
        b: Operand<'_, T>,
        out_axes: &[u8],
        out_shape: &[usize],
        within: &[Within],
        out: &mut Vec<T>,
    ),
    contraction_onto: fn(
        a: Operand<'_, T>,
        b: Operand<'_, T>,
        out_axes: &[u8],
        out_shape: &[usize],
        out: &mut Vec<T>,
    ),
    gemm: unsafe fn(product: Product<T>),
    dots: unsafe fn(product: Product<T>) -> bool,
    bands: unsafe fn(product: Product<T>, ranges: &[Range<usize>]) -> bool,
    by_columns: unsafe fn(from: *const T, step: usize, size: [usize; 2], to: *mut T) -> bool,
}

/// What products of matrices need of a number.
pub trait Multiply: Sized {
    /// Fills `out`, which is empty, with a product.
    #[doc(hidden)]
    #[track_caller]
    fn contraction(
        a: Operand<'_, Self>,
        b: Operand<'_, Self>,
        out_axes: &[u8],
        out_shape: &[usize],
        within: &[Within],
        out: &mut Vec<Self>,
    );

    /// Adds a product to what is in `out`.
    #[doc(hidden)]
    #[track_caller]
    fn contraction_onto(
        a: Operand<'_, Self>,
        b: Operand<'_, Self>,
        out_axes: &[u8],
        out_shape: &[usize],
        out: &mut Vec<Self>,
    );

    /// Computes a product of matrices in blocks.
    ///
    /// # Safety
    ///
    /// Who made the product keeps what is promised there.
    #[doc(hidden)]
    unsafe fn gemm(product: Product<Self>);

    /// Computes a product of which both operands have neighbours along the sums, if the processor
    /// has vectors for it. Says whether it did.
    ///
    /// # Safety
    ///
    /// The same.
    #[doc(hidden)]
    unsafe fn dots(product: Product<Self>) -> bool;

    /// Writes a product whose sums run within ranges, one for each row, if there is a way to do so.
    /// Says whether it did.
    ///
    /// # Safety
    ///
    /// The same. Columns are neighbours in `b` and in the result, which is written. The ranges are
    /// parts of the sums, and both their ends grow with the rows.
    #[doc(hidden)]
    unsafe fn bands(product: Product<Self>, ranges: &[Range<usize>]) -> bool;

    /// Writes a matrix of so many rows and columns, with rows `step` apart, by columns, if there
    /// are vectors for that. Says whether it did.
    ///
    /// # Safety
    ///
    /// The matrix is there, and room for it.
    #[doc(hidden)]
    unsafe fn by_columns(from: *const Self, step: usize, size: [usize; 2], to: *mut Self) -> bool;
}

/// The numbers that have products of matrices: each calls what the table of its type says.
impl<T: Real> Multiply for T {
    #[track_caller]
    fn contraction(
        a: Operand<'_, T>,
        b: Operand<'_, T>,
        out_axes: &[u8],
        out_shape: &[usize],
        within: &[Within],
        out: &mut Vec<T>,
    ) {
        (T::products().contraction)(a, b, out_axes, out_shape, within, out);
    }

    #[track_caller]
    fn contraction_onto(
        a: Operand<'_, T>,
        b: Operand<'_, T>,
        out_axes: &[u8],
        out_shape: &[usize],
        out: &mut Vec<T>,
    ) {
        (T::products().contraction_onto)(a, b, out_axes, out_shape, out);
    }

    unsafe fn gemm(product: Product<T>) {
        // SAFETY: the caller promises the same.
        unsafe { (T::products().gemm)(product) }
    }

    unsafe fn dots(product: Product<T>) -> bool {
        // SAFETY: the caller promises the same.
        unsafe { (T::products().dots)(product) }
    }

    unsafe fn bands(product: Product<T>, ranges: &[Range<usize>]) -> bool {
        // SAFETY: the caller promises the same.
        unsafe { (T::products().bands)(product, ranges) }
    }

    unsafe fn by_columns(from: *const T, step: usize, size: [usize; 2], to: *mut T) -> bool {
        // SAFETY: the caller promises the same.
        unsafe { (T::products().by_columns)(from, step, size, to) }
    }
}

macro_rules! multiply {
    ($t:ident $gemm:ident $module:ident $table:ident) => {
        pub(crate) static $table: Products<$t> = Products {
            contraction: $module::contraction,
            contraction_onto: $module::contraction_onto,
            gemm: $module::gemm,
            dots: $module::dots,
            bands: $module::bands,
            by_columns: $module::by_columns,
        };

        mod $module {
            use super::*;

            #[track_caller]
            pub(super) fn contraction(
                a: Operand<'_, $t>,
                b: Operand<'_, $t>,
                out_axes: &[u8],
                out_shape: &[usize],
                within: &[Within],
                out: &mut Vec<$t>,
            ) {
                fill(a, b, out_axes, out_shape, within, out);
            }

            #[track_caller]
            pub(super) fn contraction_onto(
                a: Operand<'_, $t>,
                b: Operand<'_, $t>,
                out_axes: &[u8],
                out_shape: &[usize],
                out: &mut Vec<$t>,
            ) {
                onto::add_to(a, b, out_axes, out_shape, out);
            }

            pub(super) unsafe fn gemm(product: Product<$t>) {
                // SAFETY: the caller promises the same.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    if packed::Packed::in_blocks(Level::chosen(), product) {
                        return;
                    }
                    by_matrixmultiply!($gemm product);
                }
            }

            pub(super) unsafe fn dots(product: Product<$t>) -> bool {
                #[cfg(target_arch = "x86_64")]
                {
                    // SAFETY: the caller promises the same.
                    unsafe { packed::Packed::by_dots(Level::chosen(), product) }
                }
                #[cfg(not(target_arch = "x86_64"))]
                {
                    let _ = product;
                    false
                }
            }

            pub(super) unsafe fn bands(product: Product<$t>, ranges: &[Range<usize>]) -> bool {
                #[cfg(target_arch = "x86_64")]
                {
                    // SAFETY: the caller promises the same.
                    unsafe { packed::Packed::in_bands(Level::chosen(), product, ranges) }
                }
                #[cfg(not(target_arch = "x86_64"))]
                {
                    let _ = (product, ranges);
                    false
                }
            }

            pub(super) unsafe fn by_columns(
                from: *const $t,
                step: usize,
                size: [usize; 2],
                to: *mut $t,
            ) -> bool {
                #[cfg(target_arch = "x86_64")]
                {
                    // SAFETY: the caller promises the same.
                    unsafe { packed::Packed::by_columns(Level::chosen(), from, step, size, to) }
                }
                #[cfg(not(target_arch = "x86_64"))]
                {
                    let _ = (from, step, size, to);
                    false
                }
            }
        }
    };
}

multiply!(f64 dgemm double DOUBLE);
multiply!(f32 sgemm single SINGLE);

/// A box-shaped part of an array.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a, T, const N: usize> {
    /// From the first element of the part on.
    pub(super) data: &'a [T],
    pub(super) shape: [usize; N],
    pub(super) strides: [usize; N],
    /// Whether the part lies inside of the array; asked only if there is something to read.
    inside: bool,
    /// Whether the negative of each element is meant.
    negated: bool,
    name: &'static str,
}

impl<'a, T: Real, const N: usize> View<'a, T, N> {
    /// The elements from `start` on, `len` along each axis. A part that reaches out of the array
    /// may be made, but nothing can be read from it.
    #[must_use]
    pub fn part(&self, start: [i64; N], len: [i64; N]) -> Part<'a, T, N> {
        let strides = row_major(&self.shape);
        let mut first = 0usize;
        let mut inside = true;
        for k in 0..N {
            let (from, n) = (usize::try_from(start[k]), len[k].max(0) as usize);
            match from {
                Ok(from) if from + n <= self.shape[k] => first += from * strides[k],
                Ok(_) | Err(_) => inside = false,
            }
        }
        Part {
            data: if inside {
                &self.data[first.min(self.data.len())..]
            } else {
                &[]
            },
            shape: len.map(|n| n.max(0) as usize),
            strides,
            inside,
            negated: false,
            name: self.name,
        }
    }

    /// All of it with the other sign, as a factor.
    #[must_use]
    pub fn negated(self) -> Part<'a, T, N> {
        Part::from(self).negated()
    }
}

impl<'a, T: Real, const N: usize> From<View<'a, T, N>> for Part<'a, T, N> {
    fn from(x: View<'a, T, N>) -> Self {
        Part {
            data: x.data,
            shape: x.shape,
            strides: row_major(&x.shape),
            inside: true,
            negated: false,
            name: x.name,
        }
    }
}

impl<T, const N: usize> Part<'_, T, N> {
    /// The same with the other sign, as a factor. No number is changed: what is added is taken away
    /// instead.
    #[must_use]
    pub fn negated(self) -> Self {
        Part {
            negated: !self.negated,
            ..self
        }
    }

    /// The same, to be read.
    ///
    /// # Panics
    ///
    /// Panics if it has elements and is not inside of its array.
    #[track_caller]
    pub(super) fn checked(self) -> Self {
        if !self.inside && !self.shape.contains(&0) {
            panic!("a copy reads outside of `{}`", self.name);
        }
        self
    }

    fn operand<'a>(&'a self, axes: &'a [u8; N]) -> Operand<'a, T> {
        Operand {
            data: self.data,
            shape: &self.shape,
            strides: &self.strides,
            axes,
            negated: self.negated,
            outside_of: (!self.inside).then_some(self.name),
        }
    }
}

/// The distances in memory between neighbours along each axis. Lengths of zero count as one, so
/// that the strides of all axes are positive.
fn row_major<const N: usize>(shape: &[usize; N]) -> [usize; N] {
    let mut strides = [1; N];
    set_row_major(shape, &mut strides);
    strides
}

/// The same, for a rank that is not known.
pub(super) fn set_row_major(shape: &[usize], strides: &mut [usize]) {
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k].max(1);
    }
}

/// An array with the labels of its axes.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a, T> {
    pub(super) data: &'a [T],
    pub(super) shape: &'a [usize],
    pub(super) strides: &'a [usize],
    pub(super) axes: &'a [u8],
    /// Whether the negative of each element is a factor.
    pub(super) negated: bool,
    /// What it is supposed to be a part of, and is not.
    pub(super) outside_of: Option<&'static str>,
}

/// The length of the axes with a label.
#[track_caller]
pub(super) fn length<T: Copy>(a: Operand<'_, T>, b: Operand<'_, T>, label: u8) -> usize {
    let [in_a, in_b] = [a, b].map(|x| {
        let axis = x.axes.iter().position(|&l| l == label)?;
        Some(x.shape[axis])
    });
    match (in_a, in_b) {
        (Some(m), Some(n)) if m != n => {
            panic!("a product needs axes of equal length, not {m} and {n}")
        }
        (Some(n), _) | (None, Some(n)) => n,
        (None, None) => panic!("an axis of a product is in neither operand"),
    }
}

/// An axis that does not occur.
const NOWHERE: Loop = Loop {
    n: 1,
    a: 0,
    b: 0,
    out: 0,
};

/// An axis before it is known.
const BLANK: Axis = Axis {
    label: 0,
    turn: 0,
    steps: NOWHERE,
};

/// So many axes need no memory but the stack.
const FEW: usize = 12;

/// Fills `out`, which is empty, with the product.
#[track_caller]
pub(super) fn fill<T: Real>(
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out_axes: &[u8],
    out_shape: &[usize],
    within: &[Within],
    out: &mut Vec<T>,
) {
    let most = a.axes.len() + b.axes.len() + out_axes.len();
    let (mut few, mut many);
    let room: &mut [Axis] = if most <= FEW {
        few = [BLANK; FEW];
        &mut few
    } else {
        many = vec![BLANK; most];
        &mut many
    };
    let size = out_shape.iter().product();
    let Some(len) = loops((a, b), (out_axes, out_shape), room) else {
        out.resize(size, T::nought());
        return;
    };
    let negated = a.negated != b.negated;
    if !within.is_empty() {
        out.clear();
        out.reserve(size);
        let arrays = Arrays {
            a: a.data.as_ptr(),
            b: b.data.as_ptr(),
            out: out.as_mut_ptr(),
        };
        // SAFETY: as below. A box is a part of the loops.
        unsafe { bounded(&room[..len], within, arrays) };
        // SAFETY: each place is in a box, or has been made zero.
        unsafe { out.set_len(size) };
        if negated {
            // Not the negative of it: a sum that is zero is a positive zero.
            out.iter_mut().for_each(|x| *x = T::nought() - *x);
        }
        return;
    }
    let len = merge(&mut room[..len]);
    let limits = COPIES[usize::from(size_of::<T>() > 4)];
    let plan = plan(&mut room[..len], limits);
    out.clear();
    out.reserve(size);
    if !plan.once {
        out.resize(size, T::nought());
    }
    let arrays = Arrays {
        a: a.data.as_ptr(),
        b: b.data.as_ptr(),
        out: out.as_mut_ptr(),
    };
    // SAFETY: all strides are positive or zero, so in each array the element farthest from the
    // start is the last of all loops. These are inside, as has been checked; merging loops and
    // giving them another order does not lead to other positions. `out` is borrowed mutably, so it
    // is none of the others, and it has been given the room.
    unsafe { run(&plan, &mut room[..len], arrays, (negated, null())) };
    // SAFETY: they are all there: zeros that something was added to, or, with `once`, written. For
    // then all loops that are not summed within a block have a stride in `out`: those of its axes,
    // which were all given a loop, except where the length is one. So each place is in a block.
    unsafe { out.set_len(size) };
}

/// The loops of a product, which lead to positions inside of the operands, and of a result of that
/// shape. None if one of them is empty. The room is large enough for all axes.
#[track_caller]
fn loops<T: Real>(
    (a, b): (Operand<'_, T>, Operand<'_, T>),
    (out_axes, out_shape): (&[u8], &[usize]),
    room: &mut [Axis],
) -> Option<usize> {
    for &label in b.axes {
        length(a, b, label);
    }
    let mut labels = Labels { room, len: 0 };
    labels.add(a.axes, a.shape, |k| a.strides[k], |l| &mut l.a);
    labels.add(b.axes, b.shape, |k| b.strides[k], |l| &mut l.b);
    let stride = |k| {
        out_shape[k + 1..]
            .iter()
            .map(|&n: &usize| n.max(1))
            .product()
    };
    labels.add(out_axes, out_shape, stride, |l| &mut l.out);
    let Labels { room, len } = labels;
    let size = out_shape.iter().product();
    if room[..len].iter().any(|axis| axis.steps.n == 0) {
        return None;
    }
    if let Some(name) = a.outside_of.or(b.outside_of) {
        panic!("a product reads outside of `{name}`");
    }
    let last = |stride_of: fn(&Loop) -> usize| {
        let steps = room[..len]
            .iter()
            .map(|axis| (axis.steps.n - 1) * stride_of(&axis.steps));
        steps.sum::<usize>()
    };
    assert!(last(|l| l.a) < a.data.len());
    assert!(last(|l| l.b) < b.data.len());
    assert!(last(|l| l.out) < size);
    Some(len)
}

/// Loops by label.
struct Labels<'a> {
    room: &'a mut [Axis],
    len: usize,
}

impl Labels<'_> {
    /// Notes the strides of one array.
    #[track_caller]
    fn add(
        &mut self,
        axes: &[u8],
        shape: &[usize],
        stride: impl Fn(usize) -> usize,
        stride_of: impl Fn(&mut Loop) -> &mut usize,
    ) {
        for (k, (&label, &n)) in axes.iter().zip(shape).enumerate() {
            let known = self.room[..self.len]
                .iter()
                .position(|axis| axis.label == label);
            let at = known.unwrap_or(self.len);
            if known.is_none() {
                self.room[at].label = label;
                self.room[at].steps.n = n;
                self.len += 1;
            }
            let place = stride_of(&mut self.room[at].steps);
            assert!(*place == 0, "an array of a product repeats an axis");
            *place = stride(k);
        }
    }
}

/// Sorts loops, the one with the largest strides first, leaves out those of one step, and makes
/// one of two where that is the same. Returns how many there are then; they come first.
fn merge(loops: &mut [Axis]) -> usize {
    loops.sort_unstable_by_key(|axis| {
        let l = axis.steps;
        (l.n == 1, Reverse((l.class(), l.out, l.a, l.b)))
    });
    let mut len = 0_usize;
    for at in 0..loops.len() {
        let inner = loops[at].steps;
        if inner.n == 1 {
            break;
        }
        if let Some(last) = len.checked_sub(1) {
            let outer = loops[last].steps;
            let same = inner.class() == outer.class()
                && outer.a == inner.n * inner.a
                && outer.b == inner.n * inner.b
                && outer.out == inner.n * inner.out;
            if same {
                loops[last].steps = Loop {
                    n: outer.n * inner.n,
                    ..inner
                };
                continue;
            }
        }
        loops[len] = loops[at];
        len += 1;
    }
    len
}

impl Loop {
    /// Where the axis occurs: a bit for each array.
    fn class(&self) -> u8 {
        u8::from(self.a != 0) << 2 | u8::from(self.b != 0) << 1 | u8::from(self.out != 0)
    }

    /// The same with the operands exchanged.
    fn swapped(self) -> Loop {
        Loop {
            a: self.b,
            b: self.a,
            ..self
        }
    }

    /// Nanoseconds per product, roughly, if this is the innermost loop.
    fn cost(&self) -> f64 {
        let jumps = [self.a, self.b, self.out]
            .iter()
            .filter(|&&stride| stride > 1)
            .count();
        4.0 / self.n as f64 + jumps as f64
    }
}

/// Runs the loops as planned. What is added is taken away, if it is `negated`. Large blocks are
/// added to what is at `onto`, if that is not null.
///
/// # Safety
///
/// All positions that the loops lead to are inside of the arrays, and no one else uses the result.
unsafe fn run<T: Real>(
    plan: &Plan,
    loops: &mut [Axis],
    mut arrays: Arrays<T>,
    (negated, onto): (bool, *const T),
) {
    if plan.swap {
        for axis in &mut *loops {
            axis.steps = axis.steps.swapped();
        }
        arrays = Arrays {
            a: arrays.b,
            b: arrays.a,
            ..arrays
        };
    }
    let (outer, inner) = loops.split_at_mut(plan.outer);
    let &Plan {
        rows,
        columns,
        sums,
        once,
        ..
    } = plan;
    match plan.how {
        How::Blocks(method) => Blocks {
            arrays,
            outer,
            rows,
            columns,
            sums,
            method,
            long: is_long::<T>(&rows, &columns, &sums),
            whole: columns.n,
            once,
            negated,
        }
        .compute(),
        How::Lines => {
            let inner = inner.first().map_or(NOWHERE, |axis| axis.steps);
            let at = Positions {
                arrays,
                onto,
                outer,
            };
            at.compute(&[inner], 1, |Positions { arrays, outer, .. }| {
                dispatch(Lines {
                    arrays,
                    outer,
                    inner,
                    negated,
                });
            });
        }
        How::Gemm => {
            let at = Positions {
                arrays,
                onto,
                outer,
            };
            // If they are few, the product at each of them is divided instead.
            let many = 4 * threads::idle();
            at.compute(&[rows, columns, sums], many, |positions| {
                let Positions {
                    arrays,
                    onto,
                    outer,
                } = positions;
                let gemm = Gemm {
                    arrays,
                    rows,
                    columns,
                    sums,
                    once,
                    negated,
                    onto,
                };
                each(outer, gemm);
            });
        }
    }
}
