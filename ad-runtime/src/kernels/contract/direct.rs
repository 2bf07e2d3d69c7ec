//! Products that are computed where the operands lie, compiled for several instruction sets.
//!
//! Every element of the result is a sum whose order depends on nothing but sizes and strides, so it
//! has the same bits with every instruction set. No factor is looked at: a zero times an infinity
//! counts.

use super::block::{Block, FAR};
use super::gemm::Product;
use super::onto::has_blocks;
use super::plan::Plan;
use super::{At, Axis, Loop, NOWHERE};
use crate::Real;
use crate::kernels::dispatch::{InstructionSet, Kernel, dispatch};
use crate::kernels::pool::{Room, with_capacity};
use std::marker::PhantomData;
use std::ptr::null;

/// The arrays, from their first elements on. Who makes one promises that all positions which the
/// loops lead to are inside of the arrays, that the operands may be read there, and that the result
/// may be written.
pub(super) struct Arrays<T> {
    pub(super) a: *const T,
    pub(super) b: *const T,
    pub(super) out: *mut T,
}

impl<T> Clone for Arrays<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Arrays<T> {}

impl<T> Arrays<T> {
    /// # Safety
    ///
    /// The position is one that the loops lead to.
    #[inline(always)]
    pub(super) unsafe fn at(self, at: At) -> Self {
        // SAFETY: the position is inside of the arrays.
        unsafe {
            Arrays {
                a: self.a.add(at.a),
                b: self.b.add(at.b),
                out: self.out.add(at.out),
            }
        }
    }
}

/// How a block of a product is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    /// Rows of `b`, times numbers of `a`, are added. The columns of `b` are neighbours.
    Rows,
    /// The same, after `b` has been copied so that its columns are neighbours.
    Packed,
    /// Both factors of a sum are neighbours.
    Dots,
    /// The same, after the vector `a` has been copied.
    PackedDots,
}

/// Products of matrices: `rows` by `sums` times `sums` by `columns`, for all positions of the outer
/// loops.
pub(super) struct Blocks<'a, T> {
    pub(super) arrays: Arrays<T>,
    pub(super) outer: &'a mut [Axis],
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    pub(super) sums: Loop,
    pub(super) method: Method,
    /// Whether whole rows are read and written.
    pub(super) long: bool,
    /// How many columns there are where this is a part of them.
    pub(super) whole: usize,
    /// Whether the result is written, and not added to what is there.
    pub(super) once: bool,
    /// Whether what is added is taken away instead.
    pub(super) negated: bool,
}

impl<T: Real> Blocks<'_, T> {
    /// Computes them on this thread.
    pub(super) fn alone(&mut self) {
        // Each has loops of its own, so that what another one needs is not kept in registers.
        match self.method {
            Method::Rows if self.long => dispatch(ByLines(self)),
            Method::Rows | Method::Packed => dispatch(ByTiles(self)),
            Method::Dots if self.by_rectangles() => {
                let first = self.first();
                each(self.outer, ByRectangles(first));
            }
            Method::Dots | Method::PackedDots => dispatch(ByDots(self)),
        }
    }

    /// Whether sums of neighbours are computed for several rows and columns at once.
    fn by_rectangles(&self) -> bool {
        let (m, k, n) = (self.rows.n, self.sums.n, self.columns.n);
        m.min(n) > 1 && k >= MANY && has_blocks()
    }

    #[inline(always)]
    fn first(&self) -> Block<T> {
        Block {
            arrays: self.arrays,
            rows: self.rows,
            columns: self.columns,
            sums: self.sums,
            whole: self.whole,
            once: self.once,
            negated: self.negated,
        }
    }
}

/// Whether whole rows are read and written.
pub(super) fn is_long<T>(rows: &Loop, columns: &Loop, sums: &Loop) -> bool {
    let (m, k, n) = (rows.n, sums.n, columns.n);
    let is_far = m == 1 && k * n * size_of::<T>() > FAR;
    let long = if is_far { SHORT } else { LONG };
    (m == 1 || k == 1) && n >= long && columns.out == 1
}

/// Whether each sum is there as a whole before it is added to what is in the result.
pub(super) fn adds_once<T>(method: Method, plan: &Plan) -> bool {
    match method {
        Method::Dots | Method::PackedDots => true,
        Method::Rows if is_long::<T>(&plan.rows, &plan.columns, &plan.sums) => false,
        Method::Rows | Method::Packed => plan.sums.n <= close(plan.columns.n),
    }
}

/// So many rows of `b` fit into the first cache.
fn close(columns: usize) -> usize {
    (CLOSE / columns).max(32)
}

/// Sums of so many products are worth vectors of sums that are added up in the end.
const MANY: usize = 64;

/// Blocks of sums of neighbours.
struct ByRectangles<T>(Block<T>);

impl<T: Real> Visit for ByRectangles<T> {
    fn visit(&mut self, at: At) {
        let block = self.0;
        // SAFETY: who made the arrays promised that the positions are inside, and nobody else has
        // the result, of which different elements are at different places. Both factors are
        // neighbours along the sums.
        let done = unsafe {
            let Arrays { a, b, out } = block.arrays.at(at);
            T::dots(Product {
                m: block.rows.n,
                k: block.sums.n,
                n: block.columns.n,
                a,
                a_row: block.rows.a,
                a_sum: 1,
                b,
                b_sum: 1,
                b_column: block.columns.b,
                out,
                out_row: block.rows.out,
                out_column: block.columns.out,
                once: block.once,
                negated: block.negated,
                onto: null(),
            })
        };
        assert!(done, "the processor has vectors");
    }
}

struct ByLines<'a, 'b, T>(&'b mut Blocks<'a, T>);

struct ByTiles<'a, 'b, T>(&'b mut Blocks<'a, T>);

struct ByDots<'a, 'b, T>(&'b mut Blocks<'a, T>);

impl<T: Real> Kernel for ByLines<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<Set: InstructionSet>(self) {
        struct Each<T>(Block<T>);

        impl<T: Real> Visit for Each<T> {
            #[inline(always)]
            fn visit(&mut self, at: At) {
                let mut block = self.0;
                // SAFETY: who made the arrays promised that the positions are inside.
                unsafe {
                    block.arrays = block.arrays.at(at);
                    block.lines();
                }
            }
        }

        let first = self.0.first();
        each(self.0.outer, Each(first));
    }
}

impl<T: Real> Kernel for ByTiles<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<Set: InstructionSet>(self) {
        struct Each<T, Set> {
            block: Block<T>,
            packed: Option<Room<T>>,
            set: PhantomData<Set>,
        }

        impl<T: Real, Set: InstructionSet> Visit for Each<T, Set> {
            #[inline(always)]
            fn visit(&mut self, at: At) {
                let mut block = self.block;
                // SAFETY: who made the arrays promised that the positions are inside.
                block.arrays = unsafe { block.arrays.at(at) };
                if let Some(Room(packed)) = &mut self.packed {
                    let (from, k, n) = (block.arrays.b, block.sums.n, block.columns.n);
                    packed.clear();
                    for p in 0..k {
                        // SAFETY: all of these are in the product.
                        let line = unsafe { from.add(p * block.sums.b) };
                        let columns = block.columns.b;
                        // SAFETY: the same.
                        packed.extend((0..n).map(|j| unsafe { *line.add(j * columns) }));
                    }
                    (block.sums.b, block.columns.b) = (n, 1);
                    block.arrays.b = packed.as_ptr();
                }
                // Rows of `b` that fit into the first cache.
                let most = close(block.whole);
                // SAFETY: the positions are those of the product, or of a copy that has as many
                // elements.
                unsafe {
                    loop {
                        let mut part = block;
                        part.sums.n = part.sums.n.min(most);
                        part.tiles::<Set>();
                        if block.sums.n <= most {
                            return;
                        }
                        block.once = false;
                        block.sums.n -= most;
                        block.arrays.a = block.arrays.a.add(most * block.sums.a);
                        block.arrays.b = block.arrays.b.add(most * block.sums.b);
                    }
                }
            }
        }

        let block = self.0.first();
        let packed = match self.0.method {
            Method::Packed => Some(Room(with_capacity(block.sums.n * block.columns.n))),
            Method::Rows | Method::Dots | Method::PackedDots => None,
        };
        let set = PhantomData::<Set>;
        each(self.0.outer, Each { block, packed, set });
    }
}

impl<T: Real> Kernel for ByDots<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<Set: InstructionSet>(self) {
        struct Each<T> {
            block: Block<T>,
            packed: Option<Room<T>>,
        }

        impl<T: Real> Visit for Each<T> {
            #[inline(always)]
            fn visit(&mut self, at: At) {
                let mut block = self.block;
                // SAFETY: who made the arrays promised that the positions are inside. A copy of the
                // vector has as many elements, and there is one row.
                unsafe {
                    block.arrays = block.arrays.at(at);
                    if let Some(Room(packed)) = &mut self.packed {
                        packed.clear();
                        for p in 0..block.sums.n {
                            packed.push(*block.arrays.a.add(p * block.sums.a));
                        }
                        block.sums.a = 1;
                        block.arrays.a = packed.as_ptr();
                    }
                    block.dots();
                }
            }
        }

        let block = self.0.first();
        let packed = match self.0.method {
            Method::PackedDots => Some(Room(with_capacity(block.sums.n))),
            Method::Rows | Method::Packed | Method::Dots => None,
        };
        each(self.0.outer, Each { block, packed });
    }
}

/// So many numbers are in the first cache when they are used again.
const CLOSE: usize = 2048;

/// From so many columns on, a vector times a matrix reads whole rows of it rather than strips.
const LONG: usize = 256;

/// The same for a matrix that is not in a cache.
const SHORT: usize = 32;

/// Products along one axis, each added to its place, for all positions of the outer loops.
pub(super) struct Lines<'a, T> {
    pub(super) arrays: Arrays<T>,
    pub(super) outer: &'a mut [Axis],
    pub(super) inner: Loop,
    /// Whether they are taken away instead.
    pub(super) negated: bool,
}

impl<T: Real> Kernel for Lines<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<Set: InstructionSet>(self) {
        let sign = T::of(if self.negated { -1.0 } else { 1.0 });
        let (arrays, inner) = (self.arrays, self.inner);
        let line = EachLine {
            arrays,
            inner,
            sign,
        };
        each(self.outer, line);
    }
}

/// What is done with each line.
struct EachLine<T> {
    arrays: Arrays<T>,
    inner: Loop,
    /// One or its negative. A product with it is exact.
    sign: T,
}

impl<T: Real> Visit for EachLine<T> {
    #[inline(always)]
    fn visit(&mut self, at: At) {
        let (inner, sign) = (self.inner, self.sign);
        // SAFETY: who made the arrays promised that all of these are inside, and nothing else has
        // the result.
        unsafe {
            let Arrays { a, b, out } = self.arrays.at(at);
            match (inner.a, inner.b, inner.out) {
                (_, _, 0) => {
                    let mut sum = T::nought();
                    for i in 0..inner.n {
                        sum += *a.add(i * inner.a) * *b.add(i * inner.b);
                    }
                    *out += sign * sum;
                }
                (1, 1, 1) => {
                    for i in 0..inner.n {
                        *out.add(i) += sign * *a.add(i) * *b.add(i);
                    }
                }
                (1, 0, 1) => {
                    let factor = sign * *b;
                    for i in 0..inner.n {
                        *out.add(i) += *a.add(i) * factor;
                    }
                }
                (0, 1, 1) => {
                    let factor = sign * *a;
                    for i in 0..inner.n {
                        *out.add(i) += factor * *b.add(i);
                    }
                }
                _ => {
                    for i in 0..inner.n {
                        *out.add(i * inner.out) += sign * *a.add(i * inner.a) * *b.add(i * inner.b);
                    }
                }
            }
        }
    }
}

/// What is done at all positions. Not a closure, which would not have to be inlined into a copy for
/// an instruction set.
pub(super) trait Visit {
    /// Does it. This has to be `#[inline(always)]` to be compiled for an instruction set.
    fn visit(&mut self, at: At);
}

/// Visits all positions. No loop is empty, and all are at their first turns.
#[inline(always)]
pub(super) fn each(loops: &mut [Axis], mut body: impl Visit) {
    let (inner, outer) = match loops.split_last_mut() {
        Some((inner, outer)) => (inner.steps, outer),
        None => (NOWHERE, &mut [][..]),
    };
    let mut start = At::default();
    loop {
        let mut at = start;
        for _ in 0..inner.n {
            body.visit(at);
            at.a += inner.a;
            at.b += inner.b;
            at.out += inner.out;
        }
        let mut turns = outer.iter_mut().rev();
        loop {
            let Some(Axis { turn, steps, .. }) = turns.next() else {
                return;
            };
            *turn += 1;
            start.a += steps.a;
            start.b += steps.b;
            start.out += steps.out;
            if *turn < steps.n {
                break;
            }
            *turn = 0;
            start.a -= steps.n * steps.a;
            start.b -= steps.n * steps.b;
            start.out -= steps.n * steps.out;
        }
    }
}
