//! The passes over Kernels, in order.
//!
//! ```text
//! axes     arrays whose rows data choose have these rows in one piece
//! reuse    arrays that nobody needs later are changed in place
//! tile     arrays with many axes are made for a few indices of one axis at a time
//! onto     sums begin with what they are added to
//! family   steps over the same indices become one
//! share    steps over many indices are divided into shares for threads
//! ```

use super::change::Owned;
use super::{axes, family, onto, reuse, share, tile};
use crate::ir::kernel::{Program, Work};

/// A pass over Kernels.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    run: fn(Program, &Owned) -> Program,
    /// Whether it leaves the programs of loops as they are.
    of_functions_only: bool,
}

/// The passes, in order.
pub const PASSES: [Pass; 6] = [
    Pass {
        name: "axes",
        run: |program, _| axes::reordered(program),
        of_functions_only: false,
    },
    Pass {
        name: "reuse",
        run: |program, owned| reuse::take(program, owned.params.clone(), owned.is_body),
        of_functions_only: false,
    },
    Pass {
        name: "tile",
        run: |program, _| tile::tiled(program),
        of_functions_only: false,
    },
    Pass {
        name: "onto",
        run: |program, _| onto::onto(program),
        of_functions_only: false,
    },
    Pass {
        name: "family",
        run: |program, _| family::group(program),
        of_functions_only: false,
    },
    Pass {
        name: "share",
        run: |program, _| share::shares(program),
        of_functions_only: true,
    },
];

impl Pass {
    /// A function after the pass.
    pub fn run(&self, program: Program) -> Program {
        self.run_as(program, &Owned::by_function())
    }

    /// A program after the pass, with the programs of its loops and branches, innermost
    /// first. Tiles are
    /// scheduled where they are made.
    pub(super) fn run_as(&self, mut program: Program, owned: &Owned) -> Program {
        self.run_inside(&mut program, owned);
        match self.of_functions_only && owned.is_inner {
            true => program,
            false => (self.run)(program, owned),
        }
    }

    fn run_inside(&self, program: &mut Program, owned: &Owned) {
        let run = |program: &mut Program, owned: &Owned| {
            *program = self.run_as(std::mem::take(program), owned);
        };
        for step in &mut program.steps {
            match &mut step.work {
                Work::Loop(sequence) => {
                    let body = Owned::by_body(sequence.given.len(), sequence.states);
                    run(&mut sequence.body, &body);
                    if let Some(condition) = &mut sequence.goes_on {
                        run(condition, &Owned::by_condition());
                    }
                }
                Work::Branch(branch) => {
                    (branch.sides_mut()).for_each(|side| run(&mut side.body, &owned.by_branch()));
                }
                Work::Tiles(tiles) => self.run_inside(&mut tiles.body, owned),
                Work::Nest(_)
                | Work::Scatter(_)
                | Work::Contract { .. }
                | Work::Recur { .. }
                | Work::Change { .. }
                | Work::Family(_)
                | Work::Call(_) => {}
            }
        }
    }
}
