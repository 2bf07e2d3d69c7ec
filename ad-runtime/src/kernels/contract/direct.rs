//! Products that are computed where the operands lie, compiled for several instruction sets.
//!
//! Every element of the result is a sum whose order depends on nothing but sizes and strides, so it has the same bits with
//! every instruction set. No factor is looked at: a zero times an infinity counts.

use super::{At, Axis, Loop, NOWHERE};
use crate::Real;
use crate::kernels::dispatch::{InstructionSet, Kernel, dispatch};
use std::hint::black_box;
use std::marker::PhantomData;

/// The arrays, from their first elements on. Who makes one promises that all positions which the loops lead to are
/// inside of the arrays, that the operands may be read there, and that the result may be written.
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

/// Products of matrices: `rows` by `sums` times `sums` by `columns`, for all positions of the outer loops.
pub(super) struct Blocks<'a, T> {
    pub(super) arrays: Arrays<T>,
    pub(super) outer: &'a mut [Axis],
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    pub(super) sums: Loop,
    pub(super) method: Method,
    /// Whether the result is written, and not added to what is there.
    pub(super) once: bool,
}

impl<T: Real> Blocks<'_, T> {
    /// Computes them.
    pub(super) fn compute(&mut self) {
        // Each has loops of its own, so that what another one needs is not kept in registers.
        match self.method {
            Method::Rows if self.long() => dispatch(ByLines(self)),
            Method::Rows | Method::Packed => dispatch(ByTiles(self)),
            Method::Dots | Method::PackedDots => dispatch(ByDots(self)),
        }
    }

    /// Whether whole rows are read and written.
    fn long(&self) -> bool {
        let vector = self.rows.n == 1 || self.sums.n == 1;
        vector && self.columns.n >= LONG && self.columns.out == 1
    }

    #[inline(always)]
    fn first(&self) -> Block<T> {
        Block {
            arrays: self.arrays,
            rows: self.rows,
            columns: self.columns,
            sums: self.sums,
            once: self.once,
        }
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
            packed: Option<Vec<T>>,
            set: PhantomData<Set>,
        }

        impl<T: Real, Set: InstructionSet> Visit for Each<T, Set> {
            #[inline(always)]
            fn visit(&mut self, at: At) {
                let mut block = self.block;
                // SAFETY: who made the arrays promised that the positions are inside.
                block.arrays = unsafe { block.arrays.at(at) };
                if let Some(packed) = &mut self.packed {
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
                let most = (CLOSE / block.columns.n).max(32);
                // SAFETY: the positions are those of the product, or of a copy that has as many elements.
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
            Method::Packed => Some(Vec::with_capacity(block.sums.n * block.columns.n)),
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
            packed: Option<Vec<T>>,
        }

        impl<T: Real> Visit for Each<T> {
            #[inline(always)]
            fn visit(&mut self, at: At) {
                let mut block = self.block;
                // SAFETY: who made the arrays promised that the positions are inside. A copy of the vector has as many
                // elements, and there is one row.
                unsafe {
                    block.arrays = block.arrays.at(at);
                    if let Some(packed) = &mut self.packed {
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
            Method::PackedDots => Some(Vec::with_capacity(block.sums.n)),
            Method::Rows | Method::Packed | Method::Dots => None,
        };
        each(self.0.outer, Each { block, packed });
    }
}

/// So many numbers are in the first cache when they are used again.
const CLOSE: usize = 2048;

/// From so many columns on, a vector times a matrix reads whole rows of it rather than strips.
const LONG: usize = 256;

/// So many bytes are not in a cache.
const FAR: usize = 1 << 20;

/// One product of matrices.
#[derive(Clone, Copy)]
struct Block<T> {
    arrays: Arrays<T>,
    rows: Loop,
    columns: Loop,
    sums: Loop,
    once: bool,
}

/// The functions are unsafe where the positions of the product are not in the arrays.
impl<T: Real> Block<T> {
    /// Row by row of the result, some rows of `b` at once.
    ///
    /// # Safety
    ///
    /// The columns of `b` are neighbours, and those of the result.
    #[inline(always)]
    unsafe fn lines(self) {
        const MANY: usize = 4;
        let Block {
            arrays: Arrays { a, b, out },
            rows,
            columns,
            sums,
            once,
        } = self;
        let (k, n) = (sums.n, columns.n);
        for i in 0..rows.n {
            // SAFETY: row `i`, the rows `p` and their columns are in the arrays, and nothing else has those of the
            // result. Where it is written and not read, it need not hold anything.
            unsafe {
                let out = out.add(i * rows.out);
                let a = a.add(i * rows.a);
                let mut p = 0;
                if once {
                    p = 1;
                    let factor = *a;
                    for j in 0..n {
                        *out.add(j) = T::NOUGHT + factor * *b.add(j);
                    }
                }
                while p + MANY <= k {
                    let (mut factors, mut lines) = ([T::NOUGHT; MANY], [b; MANY]);
                    for q in 0..MANY {
                        factors[q] = *a.add((p + q) * sums.a);
                        lines[q] = b.add((p + q) * sums.b);
                    }
                    for j in 0..n {
                        let mut sum = *out.add(j);
                        for q in 0..MANY {
                            sum += factors[q] * *lines[q].add(j);
                        }
                        *out.add(j) = sum;
                    }
                    p += MANY;
                }
                while p < k {
                    let factor = *a.add(p * sums.a);
                    let line = b.add(p * sums.b);
                    for j in 0..n {
                        *out.add(j) += factor * *line.add(j);
                    }
                    p += 1;
                }
            }
        }
    }

    /// Rectangles of the result that fit into registers.
    ///
    /// # Safety
    ///
    /// The columns of `b` are neighbours.
    #[inline(always)]
    unsafe fn tiles<Set: InstructionSet>(self) {
        let mut i = 0;
        // SAFETY: no rectangle reaches beyond the last row.
        unsafe {
            while i + 4 <= self.rows.n {
                self.row_of_tiles::<Set, 4>(i);
                i += 4;
            }
            if i + 2 <= self.rows.n {
                self.row_of_tiles::<Set, 2>(i);
                i += 2;
            }
            if i < self.rows.n {
                self.row_of_tiles::<Set, 1>(i);
            }
        }
    }

    /// # Safety
    ///
    /// The same, and there are `R` rows from `i` on.
    #[inline(always)]
    unsafe fn row_of_tiles<Set: InstructionSet, const R: usize>(self, i: usize) {
        let n = self.columns.n;
        // Two vectors for each row, and more where there is only one row.
        let vector = Set::VECTOR / size_of::<T>();
        let widest = if R == 1 {
            4 * vector
        } else {
            (2 * vector).min(16)
        };
        let mut j = 0;
        macro_rules! width {
            ($width:literal) => {
                if widest >= $width {
                    while j + $width <= n {
                        // SAFETY: there are so many columns.
                        unsafe { self.tile::<R, $width>(i, j) };
                        j += $width;
                    }
                }
            };
        }
        width!(64);
        width!(32);
        width!(16);
        width!(8);
        width!(4);
        width!(2);
        width!(1);
    }

    /// # Safety
    ///
    /// The same, and there are `W` columns from `j` on.
    #[inline(always)]
    unsafe fn tile<const R: usize, const W: usize>(self, i: usize, j: usize) {
        let Block {
            arrays,
            rows,
            columns,
            sums,
            once,
        } = self;
        // SAFETY: all of these rows and columns are in the arrays; those of `b` are neighbours. Where the result is
        // written and not read, it need not hold anything.
        unsafe {
            let mut a = arrays.a.add(i * rows.a);
            let mut b = arrays.b.add(j);
            let mut parts = [[T::NOUGHT; W]; R];
            for p in 0..sums.n {
                if p > 0 {
                    a = a.add(sums.a);
                    b = b.add(sums.b);
                }
                let line = b.cast::<[T; W]>().read();
                for r in 0..R {
                    let factor = *a.add(r * rows.a);
                    for w in 0..W {
                        parts[r][w] += factor * line[w];
                    }
                }
            }
            for r in 0..R {
                let out = arrays.out.add((i + r) * rows.out + j * columns.out);
                if columns.out == 1 {
                    let place = out.cast::<[T; W]>();
                    if !once {
                        let old = place.read();
                        for w in 0..W {
                            parts[r][w] = old[w] + parts[r][w];
                        }
                    }
                    place.write(parts[r]);
                } else {
                    for w in 0..W {
                        let out = out.add(w * columns.out);
                        *out = if once { T::NOUGHT } else { *out } + parts[r][w];
                    }
                }
            }
        }
    }

    /// Sums of neighbours, some columns at once.
    ///
    /// # Safety
    ///
    /// Both factors of each sum are neighbours.
    #[inline(always)]
    unsafe fn dots(self) {
        const MANY: usize = 4;
        let n = self.columns.n;
        // Columns in memory that is far away are fetched ahead only if they are read one after the other.
        let bytes = self.sums.n * size_of::<T>();
        let several = bytes < if bytes * n > FAR { 256 } else { 512 };
        for i in 0..self.rows.n {
            let mut j = 0;
            // SAFETY: there are so many columns.
            unsafe {
                while several && j + MANY <= n {
                    self.dots_at::<MANY>(i, j);
                    j += MANY;
                }
                while j < n {
                    self.dots_at::<1>(i, j);
                    j += 1;
                }
            }
        }
    }

    /// # Safety
    ///
    /// The same, and there are `C` columns from `j` on.
    // Many partial sums are stored before they are added: LLVM makes the vectors as wide as what it stores, and only
    // as wide as the last addition otherwise.
    #[inline(always)]
    unsafe fn dots_at<const C: usize>(self, i: usize, j: usize) {
        let k = self.sums.n;
        let Arrays { a, b, out } = self.arrays;
        // SAFETY: the row and the columns have `k` neighbours each.
        unsafe {
            let a = a.add(i * self.rows.a);
            let mut lines = [b; C];
            for c in 0..C {
                lines[c] = b.add((j + c) * self.columns.b);
            }
            let b = lines;
            let mut p = 0;
            let mut sums = [T::NOUGHT; C];
            if k >= 4 {
                let mut four = [[T::NOUGHT; 4]; C];
                if k >= 8 {
                    let mut eight = [[T::NOUGHT; 8]; C];
                    if k >= 32 && C == 1 {
                        let mut many = [[T::NOUGHT; 16]; C];
                        while p + 16 <= k {
                            add(&mut many, a, b, &mut p);
                        }
                        eight = halves(black_box(many));
                    } else if k >= 32 {
                        while p + 8 <= k {
                            add(&mut eight, a, b, &mut p);
                        }
                        eight = black_box(eight);
                    }
                    while p + 8 <= k {
                        add(&mut eight, a, b, &mut p);
                    }
                    four = halves(eight);
                }
                if p + 4 <= k {
                    add(&mut four, a, b, &mut p);
                }
                let two: [[T; 2]; C] = halves(four);
                for c in 0..C {
                    sums[c] = two[c][0] + two[c][1];
                }
            }
            while p < k {
                let x = *a.add(p);
                for c in 0..C {
                    sums[c] += x * *b[c].add(p);
                }
                p += 1;
            }
            for c in 0..C {
                let out = out.add(i * self.rows.out + (j + c) * self.columns.out);
                *out = if self.once { T::NOUGHT } else { *out } + sums[c];
            }
        }
    }
}

/// Adds the next products to partial sums.
///
/// # Safety
///
/// There are so many from `p` on.
#[inline(always)]
unsafe fn add<T: Real, const L: usize, const C: usize>(
    parts: &mut [[T; L]; C],
    a: *const T,
    b: [*const T; C],
    p: &mut usize,
) {
    // SAFETY: there are so many.
    unsafe {
        let x = a.add(*p).cast::<[T; L]>().read();
        for c in 0..C {
            let y = b[c].add(*p).cast::<[T; L]>().read();
            for l in 0..L {
                parts[c][l] += x[l] * y[l];
            }
        }
    }
    *p += L;
}

/// Half as many partial sums.
#[inline(always)]
fn halves<T: Real, const L: usize, const H: usize, const C: usize>(
    parts: [[T; L]; C],
) -> [[T; H]; C] {
    const { assert!(L == 2 * H) };
    let mut sums = [[T::NOUGHT; H]; C];
    for c in 0..C {
        for l in 0..H {
            sums[c][l] = parts[c][l] + parts[c][l + H];
        }
    }
    sums
}

/// Products along one axis, each added to its place, for all positions of the outer loops.
pub(super) struct Lines<'a, T> {
    pub(super) arrays: Arrays<T>,
    pub(super) outer: &'a mut [Axis],
    pub(super) inner: Loop,
}

impl<T: Real> Kernel for Lines<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<Set: InstructionSet>(self) {
        let (arrays, inner) = (self.arrays, self.inner);
        each(self.outer, EachLine { arrays, inner });
    }
}

/// What is done with each line.
struct EachLine<T> {
    arrays: Arrays<T>,
    inner: Loop,
}

impl<T: Real> Visit for EachLine<T> {
    #[inline(always)]
    fn visit(&mut self, at: At) {
        let inner = self.inner;
        // SAFETY: who made the arrays promised that all of these are inside, and nothing else has the result.
        unsafe {
            let Arrays { a, b, out } = self.arrays.at(at);
            match (inner.a, inner.b, inner.out) {
                (_, _, 0) => {
                    let mut sum = T::NOUGHT;
                    for i in 0..inner.n {
                        sum += *a.add(i * inner.a) * *b.add(i * inner.b);
                    }
                    *out += sum;
                }
                (1, 1, 1) => {
                    for i in 0..inner.n {
                        *out.add(i) += *a.add(i) * *b.add(i);
                    }
                }
                (1, 0, 1) => {
                    let factor = *b;
                    for i in 0..inner.n {
                        *out.add(i) += *a.add(i) * factor;
                    }
                }
                (0, 1, 1) => {
                    let factor = *a;
                    for i in 0..inner.n {
                        *out.add(i) += factor * *b.add(i);
                    }
                }
                _ => {
                    for i in 0..inner.n {
                        *out.add(i * inner.out) += *a.add(i * inner.a) * *b.add(i * inner.b);
                    }
                }
            }
        }
    }
}

/// What is done at all positions. Not a closure, which would not have to be inlined into a copy for an instruction set.
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
