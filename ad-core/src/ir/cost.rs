//! What operations count for: real additions, multiplications and functions, each 1. All
//! interpreters count with these formulas, so that their totals can be compared.

use super::core::ReduceOp;

/// What running a program of kernels takes.
///
/// Scalars lie in registers: they count neither as stored nor as live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Real operations.
    pub operations: u64,
    /// The iterations of all loops, whether or not a guard leaves out what they would compute.
    pub visits: u64,
    /// The elements written to arrays, zeros that an array begins with and copies included.
    pub stored: u64,
    /// The bytes of the arrays that are live at the same time, at most. Arguments do not count.
    pub peak: u64,
}

/// A reduction of `n` real numbers to one.
pub fn reduce(op: ReduceOp, n: u64) -> u64 {
    match op {
        ReduceOp::Sum | ReduceOp::Product | ReduceOp::Max | ReduceOp::Min => n.saturating_sub(1),
        // The maximum; for each a difference, an exponential, an addition; the logarithm and the
        // last addition.
        ReduceOp::LogSumExp if n == 0 => 0,
        ReduceOp::LogSumExp => 3 * n + 1,
    }
}

/// The search for an extremum among `n` real numbers.
pub fn arg_reduce(n: u64) -> u64 {
    n.saturating_sub(1)
}

/// `hits` numbers added at `distinct` places that were empty before.
pub fn scatter(hits: u64, distinct: u64) -> u64 {
    hits.saturating_sub(distinct)
}

/// The sum of `k` products.
pub fn contract(k: u64) -> u64 {
    (2 * k).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing() {
        for op in ReduceOp::ALL {
            assert_eq!(reduce(op, 0), 0);
        }
        assert_eq!(arg_reduce(0) + scatter(0, 0) + contract(0), 0);
    }

    #[test]
    fn the_formulas() {
        assert_eq!(reduce(ReduceOp::Sum, 5), 4);
        assert_eq!(reduce(ReduceOp::LogSumExp, 5), 16);
        assert_eq!(arg_reduce(5), 4);
        assert_eq!(scatter(5, 3), 2);
        assert_eq!(contract(5), 9);
    }
}
