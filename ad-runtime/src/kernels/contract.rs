//! Sums of products of two arrays.

use super::{Dense, View, zeros_of};
use crate::Real;
use std::cmp::Reverse;

/// A loop over an axis: its length, and how far a step goes in the two operands and the result; 0
/// where the axis does not occur.
#[derive(Clone, Copy, Debug)]
struct Loop {
    n: usize,
    a: usize,
    b: usize,
    out: usize,
}

/// Positions in the two operands and the result.
#[derive(Clone, Copy, Default)]
struct At {
    a: usize,
    b: usize,
    out: usize,
}

/// The two operands and the result.
struct Data<'a, T> {
    a: &'a [T],
    b: &'a [T],
    out: &'a mut [T],
}

/// From this many products on, a product of matrices is packed into blocks.
const LARGE: usize = 256;

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
    let (a, b) = (a.into(), b.into());
    let a = a.operand(&a_axes);
    let b = b.operand(&b_axes);
    let mut out = zeros_of(out_axes.map(|label| length(a, b, label) as i64));
    T::add_product(a, b, &out_axes, &out.shape, &mut out.data);
    out
}

/// What products of matrices need of a number. Each type has its own compiled code, once and not in
/// every crate that multiplies.
pub trait Multiply: Sized {
    /// Adds a product to `out`, which is zero.
    #[doc(hidden)]
    #[track_caller]
    fn add_product(
        a: Operand<'_, Self>,
        b: Operand<'_, Self>,
        out_axes: &[u8],
        out_shape: &[usize],
        out: &mut [Self],
    );

    /// `c = alpha a b + beta c`, as `matrixmultiply` does it.
    ///
    /// # Safety
    ///
    /// All elements that the sizes and strides lead to must be there, those of `c` for no one else.
    #[doc(hidden)]
    #[allow(
        clippy::too_many_arguments,
        reason = "the signature of a product of matrices"
    )]
    unsafe fn gemm(
        m: usize,
        k: usize,
        n: usize,
        alpha: Self,
        a: *const Self,
        rsa: isize,
        csa: isize,
        b: *const Self,
        rsb: isize,
        csb: isize,
        beta: Self,
        c: *mut Self,
        rsc: isize,
        csc: isize,
    );
}

macro_rules! multiply {
    ($t:ident $gemm:ident) => {
        impl Multiply for $t {
            #[track_caller]
            fn add_product(
                a: Operand<'_, $t>,
                b: Operand<'_, $t>,
                out_axes: &[u8],
                out_shape: &[usize],
                out: &mut [$t],
            ) {
                accumulate(a, b, out_axes, out_shape, out);
            }

            #[inline]
            unsafe fn gemm(
                m: usize,
                k: usize,
                n: usize,
                alpha: $t,
                a: *const $t,
                rsa: isize,
                csa: isize,
                b: *const $t,
                rsb: isize,
                csb: isize,
                beta: $t,
                c: *mut $t,
                rsc: isize,
                csc: isize,
            ) {
                // SAFETY: the caller promises the same.
                unsafe {
                    matrixmultiply::$gemm(
                        m, k, n, alpha, a, rsa, csa, b, rsb, csb, beta, c, rsc, csc,
                    );
                }
            }
        }
    };
}

multiply!(f64 dgemm);
multiply!(f32 sgemm);

/// A box-shaped part of an array.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a, T, const N: usize> {
    /// From the first element of the part on.
    data: &'a [T],
    shape: [usize; N],
    strides: [usize; N],
    /// Whether the part lies inside of the array; asked only if there is something to read.
    inside: bool,
    name: &'static str,
}

impl<'a, T: Real, const N: usize> View<'a, T, N> {
    /// The elements from `start` on, `len` along each axis. A part that reaches out of the array may
    /// be made, but nothing can be read from it.
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
            name: self.name,
        }
    }
}

impl<'a, T: Real, const N: usize> From<View<'a, T, N>> for Part<'a, T, N> {
    fn from(x: View<'a, T, N>) -> Self {
        Part {
            data: x.data,
            shape: x.shape,
            strides: row_major(&x.shape),
            inside: true,
            name: x.name,
        }
    }
}

impl<T, const N: usize> Part<'_, T, N> {
    fn operand<'a>(&'a self, axes: &'a [u8; N]) -> Operand<'a, T> {
        Operand {
            data: self.data,
            shape: &self.shape,
            strides: &self.strides,
            axes,
            outside_of: (!self.inside).then_some(self.name),
        }
    }
}

/// The distances in memory between neighbours along each axis. Lengths of zero count as one, so that
/// the strides of all axes are positive.
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

/// Adds the product to `out`, which is zero.
#[track_caller]
pub(super) fn accumulate<T: Real>(
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out_axes: &[u8],
    out_shape: &[usize],
    out: &mut [T],
) {
    for &label in b.axes {
        length(a, b, label);
    }
    let mut labels = Vec::with_capacity(a.axes.len() + b.axes.len());
    add(&mut labels, a.axes, a.shape, a.strides, |l| &mut l.a);
    add(&mut labels, b.axes, b.shape, b.strides, |l| &mut l.b);
    let mut strides = vec![1; out_shape.len()];
    set_row_major(out_shape, &mut strides);
    add(&mut labels, out_axes, out_shape, &strides, |l| &mut l.out);
    let mut loops: Vec<Loop> = labels.into_iter().map(|(_, l)| l).collect();
    if loops.iter().any(|l| l.n == 0) {
        return;
    }
    if let Some(name) = a.outside_of.or(b.outside_of) {
        panic!("a product reads outside of `{name}`");
    }
    merge(&mut loops);
    let data = Data {
        a: a.data,
        b: b.data,
        out,
    };
    run(&mut loops, data);
}

/// Notes the strides of one array.
#[track_caller]
fn add(
    labels: &mut Vec<(u8, Loop)>,
    axes: &[u8],
    shape: &[usize],
    strides: &[usize],
    stride_of: impl Fn(&mut Loop) -> &mut usize,
) {
    for ((&label, &n), &stride) in axes.iter().zip(shape).zip(strides) {
        let at = labels.iter().position(|&(l, _)| l == label);
        let at = at.unwrap_or_else(|| {
            let (a, b, out) = (0, 0, 0);
            labels.push((label, Loop { n, a, b, out }));
            labels.len() - 1
        });
        let place = stride_of(&mut labels[at].1);
        assert!(*place == 0, "an array of a product repeats an axis");
        *place = stride;
    }
}

/// Sorts loops, the one with the largest strides first, leaves out those of one step, and makes
/// one of two where that is the same.
fn merge(loops: &mut Vec<Loop>) {
    loops.retain(|l| l.n != 1);
    loops.sort_by_key(|l| Reverse((l.class(), l.out, l.a, l.b)));
    loops.dedup_by(|inner, outer| {
        let same = inner.class() == outer.class()
            && outer.a == inner.n * inner.a
            && outer.b == inner.n * inner.b
            && outer.out == inner.n * inner.out;
        if same {
            *outer = Loop {
                n: outer.n * inner.n,
                ..*inner
            };
        }
        same
    });
}

impl Loop {
    /// Where the axis occurs.
    fn class(&self) -> [bool; 3] {
        [self.a != 0, self.b != 0, self.out != 0]
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

/// Takes the longest loop of a class out.
fn take(loops: &mut Vec<Loop>, class: [bool; 3]) -> Option<Loop> {
    let of_class = loops.iter().enumerate().filter(|(_, l)| l.class() == class);
    let (at, _) = of_class.max_by_key(|(_, l)| l.n)?;
    Some(loops.remove(at))
}

/// Runs the loops in some order.
fn run<T: Real>(loops: &mut Vec<Loop>, mut data: Data<'_, T>) {
    let longest = |class| {
        let of_class = loops.iter().filter(|l| l.class() == class);
        of_class.map(|l| l.n).max().unwrap_or(1)
    };
    let [rows, columns, sums] = [ROWS, COLUMNS, SUMS].map(longest);
    if rows > 1
        && columns > 1
        && rows * columns * sums >= LARGE
        && let Some(rows) = take(loops, ROWS)
        && let Some(columns) = take(loops, COLUMNS)
    {
        let sums = take(loops, SUMS).unwrap_or(ONCE);
        // Where nothing else is summed, each place is written only once.
        let once = loops.iter().all(|l| l.out != 0);
        outermost_first(loops);
        nest(loops, At::default(), &mut |at| {
            matrices(&mut data, at, rows, columns, sums, once);
        });
        return;
    }
    let best = (0..loops.len()).min_by(|&i, &j| loops[i].cost().total_cmp(&loops[j].cost()));
    let inner = match best {
        Some(at) => loops.remove(at),
        None => ONCE,
    };
    outermost_first(loops);
    match inner.class() {
        [true, true, false] => nest(loops, At::default(), &mut |at| dot(&mut data, at, inner)),
        [true, false, true] => nest(loops, At::default(), &mut |at| {
            let factor = data.b[at.b];
            axpy(
                &mut data.out[at.out..],
                inner.out,
                factor,
                &data.a[at.a..],
                inner.a,
                inner.n,
            );
        }),
        [false, true, true] => nest(loops, At::default(), &mut |at| {
            let factor = data.a[at.a];
            axpy(
                &mut data.out[at.out..],
                inner.out,
                factor,
                &data.b[at.b..],
                inner.b,
                inner.n,
            );
        }),
        _ => nest(loops, At::default(), &mut |at| {
            products(&mut data, at, inner)
        }),
    }
}

const ROWS: [bool; 3] = [true, false, true];
const COLUMNS: [bool; 3] = [false, true, true];
const SUMS: [bool; 3] = [true, true, false];

/// No loop.
const ONCE: Loop = Loop {
    n: 1,
    a: 1,
    b: 1,
    out: 1,
};

/// Sorts loops so that the largest strides come first.
fn outermost_first(loops: &mut [Loop]) {
    loops.sort_by_key(|l| Reverse(l.a.max(l.b).max(l.out)));
}

/// Calls `f` with all positions.
fn nest(loops: &[Loop], mut at: At, f: &mut impl FnMut(At)) {
    let Some((outer, inner)) = loops.split_first() else {
        return f(at);
    };
    for _ in 0..outer.n {
        if inner.is_empty() {
            f(at);
        } else {
            nest(inner, at, f);
        }
        at.a += outer.a;
        at.b += outer.b;
        at.out += outer.out;
    }
}

/// A product of matrices, which is all that `out` should be if `once`, and is added to it if not.
fn matrices<T: Real>(
    data: &mut Data<'_, T>,
    at: At,
    rows: Loop,
    columns: Loop,
    sums: Loop,
    once: bool,
) {
    let last = |at: usize, steps: [(usize, usize); 2]| {
        at + steps
            .iter()
            .map(|(n, stride)| (n - 1) * stride)
            .sum::<usize>()
    };
    let (m, k, n) = (rows.n, sums.n, columns.n);
    assert!(m > 0 && k > 0 && n > 0);
    assert!(last(at.a, [(m, rows.a), (k, sums.a)]) < data.a.len());
    assert!(last(at.b, [(k, sums.b), (n, columns.b)]) < data.b.len());
    assert!(last(at.out, [(m, rows.out), (n, columns.out)]) < data.out.len());
    let kept = if once { T::NOUGHT } else { T::UNIT };
    // SAFETY: all strides are positive, so in each array the element farthest from the start is the
    // last of the last row, which has just been checked. `out` is borrowed mutably, so it is
    // none of the others. Different elements of the product are at different places of it: the
    // strides are those of different axes of an array.
    unsafe {
        T::gemm(
            m,
            k,
            n,
            T::UNIT,
            data.a.as_ptr().add(at.a),
            rows.a as isize,
            sums.a as isize,
            data.b.as_ptr().add(at.b),
            sums.b as isize,
            columns.b as isize,
            kept,
            data.out.as_mut_ptr().add(at.out),
            rows.out as isize,
            columns.out as isize,
        );
    }
}

/// `out += Σ a b`
#[inline]
fn dot<T: Real>(data: &mut Data<'_, T>, at: At, l: Loop) {
    const LANES: usize = 8;
    let (a, b) = (&data.a[at.a..], &data.b[at.b..]);
    let out = &mut data.out[at.out];
    if l.a != 1 || l.b != 1 {
        *out += (0..l.n).map(|i| a[i * l.a] * b[i * l.b]).sum::<T>();
        return;
    }
    let (a, a_rest) = a[..l.n].as_chunks::<LANES>();
    let (b, b_rest) = b[..l.n].as_chunks::<LANES>();
    let mut parts = [T::NOUGHT; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((part, a), b) in parts.iter_mut().zip(a).zip(b) {
            *part += *a * *b;
        }
    }
    for ((part, a), b) in parts.iter_mut().zip(a_rest).zip(b_rest) {
        *part += *a * *b;
    }
    let [a, b, c, d, e, g, h, k] = parts;
    *out += ((a + e) + (c + h)) + ((b + g) + (d + k));
}

/// `out += factor * x`
#[inline]
fn axpy<T: Real>(out: &mut [T], out_stride: usize, factor: T, x: &[T], x_stride: usize, n: usize) {
    if out_stride != 1 || x_stride != 1 {
        for i in 0..n {
            out[i * out_stride] += factor * x[i * x_stride];
        }
        return;
    }
    for (out, x) in out[..n].iter_mut().zip(&x[..n]) {
        *out += factor * *x;
    }
}

/// `out += a b`, element by element.
#[inline]
fn products<T: Real>(data: &mut Data<'_, T>, at: At, l: Loop) {
    let (a, b) = (&data.a[at.a..], &data.b[at.b..]);
    let out = &mut data.out[at.out..];
    if l.a != 1 || l.b != 1 || l.out != 1 {
        for i in 0..l.n {
            out[i * l.out] += a[i * l.a] * b[i * l.b];
        }
        return;
    }
    for ((out, a), b) in out[..l.n].iter_mut().zip(&a[..l.n]).zip(&b[..l.n]) {
        *out += *a * *b;
    }
}
