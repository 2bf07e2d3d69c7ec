//! Data-parallel training over MPI.
//!
//! ```sh
//! cargo build --release
//! mpirun -n 2 target/release/cotangent-data-parallel --check
//! target/release/cotangent-data-parallel simulate > simulation.md
//! ```

mod model;
mod simulate;
mod train;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use std::process::ExitCode;
use train::{Accident, Plan};

const USAGE: &str = "\
usage: cotangent-data-parallel [simulate | OPTIONS]
  simulate             print the simulation page
  --rows N, --steps N  how much to train
  --check              compare with training in one process
  --after              reduce after computing, not while computing
  --fail RANK, --panic RANK, --die RANK
                       let a rank have an accident in step 3";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words == ["simulate"] {
        print!("{}", simulate::page());
        return ExitCode::SUCCESS;
    }
    let Some(plan) = plan(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let universe = mpi::initialize().expect("MPI is initialised once");
    abort_on_panic();
    let world = universe.world();
    match train::train(&world, &plan) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if world.rank() == 0 {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Ends all ranks when one panics: the others would wait for its part of a reduction.
fn abort_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let world = SimpleCommunicator::world();
        eprintln!("rank {} panics and ends all ranks", world.rank());
        usual(panic);
        world.abort(1);
    }));
}

fn plan(words: &[String]) -> Option<Plan> {
    let mut plan = Plan {
        rows: 2048,
        steps: 20,
        overlaps: true,
        checks: false,
        accident: None,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse().ok();
        let mut accident = |what| Some(Some((i32::try_from(number()?).ok()?, what)));
        match word.as_str() {
            "--after" => plan.overlaps = false,
            "--check" => plan.checks = true,
            "--fail" => plan.accident = accident(Accident::Fails)?,
            "--panic" => plan.accident = accident(Accident::Panics)?,
            "--die" => plan.accident = accident(Accident::Dies)?,
            "--rows" => plan.rows = number()?,
            "--steps" => plan.steps = number()?,
            _ => return None,
        }
    }
    Some(plan)
}
