//! Products of large matrices.

use super::direct::{Arrays, Visit};
use super::{At, Loop};
use crate::Real;

/// One product of matrices. Who makes one promises that everything which its lengths and strides lead to is there, and
/// that no one else has the result, which has different places for different elements.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: *const T,
    pub(super) a_row: usize,
    pub(super) a_sum: usize,
    pub(super) b: *const T,
    pub(super) b_sum: usize,
    pub(super) b_column: usize,
    pub(super) out: *mut T,
    pub(super) out_row: usize,
    pub(super) out_column: usize,
    /// Whether the result is written, and not added to what is there.
    pub(super) once: bool,
}

/// Products of matrices in blocks, at all positions.
pub(super) struct Gemm<T> {
    pub(super) arrays: Arrays<T>,
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    pub(super) sums: Loop,
    pub(super) once: bool,
}

impl<T: Real> Visit for Gemm<T> {
    fn visit(&mut self, at: At) {
        let Gemm {
            rows,
            columns,
            sums,
            once,
            ..
        } = *self;
        // SAFETY: who made the arrays promised that the positions are inside. Different elements of the product are
        // at different places of it: the strides are those of different axes of an array.
        unsafe {
            let Arrays { a, b, out } = self.arrays.at(at);
            T::gemm(Product {
                m: rows.n,
                k: sums.n,
                n: columns.n,
                a,
                a_row: rows.a,
                a_sum: sums.a,
                b,
                b_sum: sums.b,
                b_column: columns.b,
                out,
                out_row: rows.out,
                out_column: columns.out,
                once,
            });
        }
    }
}

/// Computes a product by `matrixmultiply`.
macro_rules! by_matrixmultiply {
    ($gemm:ident $product:expr) => {{
        let Product {
            m,
            k,
            n,
            a,
            b,
            out,
            once,
            ..
        } = $product;
        let beta = if once { 0.0 } else { 1.0 };
        let [a_row, a_sum] = [$product.a_row as isize, $product.a_sum as isize];
        let [b_sum, b_column] = [$product.b_sum as isize, $product.b_column as isize];
        let [out_row, out_column] = [$product.out_row as isize, $product.out_column as isize];
        matrixmultiply::$gemm(
            m, k, n, 1.0, a, a_row, a_sum, b, b_sum, b_column, beta, out, out_row, out_column,
        );
    }};
}

pub(super) use by_matrixmultiply;
