//! What the structural operations count for, in real operations. The interpreters of both languages
//! count with these, so that their numbers can be compared. What a scalar primitive counts for is
//! in its row: [`super::prims::Prim::cost`].
//!
//! Reductions and scatters of integers count nothing; that is for the caller to see to.

use super::core::ReduceOp;

/// The reduction of `n` real elements to one.
pub fn reduce(op: ReduceOp, n: usize) -> u64 {
    let n = n as u64;
    match op {
        ReduceOp::Sum | ReduceOp::Product | ReduceOp::Max | ReduceOp::Min => n.saturating_sub(1),
        // Each element less the largest, its exponential and its addition (one fewer than elements);
        // a logarithm; the largest added again.
        ReduceOp::LogSumExp => match n {
            0 => 0,
            n => 3 * n + 1,
        },
    }
}

/// The search for an extremum among `n` elements.
pub fn arg_reduce(n: usize) -> u64 {
    (n as u64).saturating_sub(1)
}

/// The scatter of `hits` elements to `distinct` places: the first at a place is no addition.
pub fn scatter(hits: usize, distinct: usize) -> u64 {
    (hits - distinct) as u64
}

/// One element of a contraction over `k` products.
pub fn contract(k: usize) -> u64 {
    (2 * k as u64).saturating_sub(1)
}

/// A linear recurrence of `n` steps: the first one multiplies and adds nothing.
pub fn recur(n: usize) -> u64 {
    2 * (n as u64).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing() {
        for op in ReduceOp::ALL {
            assert_eq!(reduce(op, 0), 0);
        }
        assert_eq!(arg_reduce(0) + scatter(0, 0) + contract(0) + recur(0), 0);
    }

    #[test]
    fn operations_are_counted_one_by_one() {
        assert_eq!(reduce(ReduceOp::Sum, 4), 3);
        assert_eq!(reduce(ReduceOp::LogSumExp, 1), 4);
        assert_eq!(reduce(ReduceOp::LogSumExp, 3), 10);
        assert_eq!(contract(3), 5);
        assert_eq!(recur(3), 4);
        assert_eq!(scatter(5, 2), 3);
    }
}
