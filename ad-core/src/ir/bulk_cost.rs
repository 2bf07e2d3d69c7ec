//! Which operations cost nothing.

use super::bulk::Op;

impl Op {
    /// Whether it takes no operation on real numbers.
    pub fn is_free(&self) -> bool {
        match self {
            Op::Fill(_) | Op::Index(_) | Op::Gather { .. } | Op::Copy(_) | Op::Stop(_) => true,
            Op::Map(p, _) => p.cost() == 0,
            // A structural zero.
            Op::Scatter(parts) => parts.is_empty(),
            Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. } => false,
        }
    }
}
