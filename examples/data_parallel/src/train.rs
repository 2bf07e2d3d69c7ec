//! Training over MPI: each rank differentiates its shard, and all-reduces add the gradients.

use crate::model::{Network, Part, Shard, loss_value_and_grad};
use cotangent::Parameters;
use mpi::collective::SystemOperation;
use mpi::request::{LocalScope, Request, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use std::time::{Duration, Instant};

/// What to do, from the command line.
pub struct Plan {
    pub rows: usize,
    pub steps: usize,
    /// Whether reductions run while the gradient is computed.
    pub overlaps: bool,
    /// Whether to compare with training in one process.
    pub checks: bool,
    /// Which rank has an accident, and which one.
    pub accident: Option<(i32, Accident)>,
}

/// What happens to a rank in step 3.
#[derive(Clone, Copy, PartialEq)]
pub enum Accident {
    /// Its data are broken, and it notices.
    Fails,
    /// It panics.
    Panics,
    /// Its process dies without a word.
    Dies,
}

const RATE: f64 = 0.05;
const ACCIDENT_STEP: usize = 3;

/// Trains and, on rank 0, says how long it takes. An error is the same on all ranks.
pub fn train(world: &SimpleCommunicator, plan: &Plan) -> Result<(), String> {
    let (rank, ranks) = (world.rank(), world.size());
    let mut shard = Shard::new(plan.rows, rank as usize, ranks as usize);
    let mut network = Network::new();
    let mut gradient = network.clone();
    let mut buffers = Buffers::new(&network);
    let (mut best, mut waited) = (Duration::MAX, Duration::MAX);
    let (mut first, mut value) = (0.0, 0.0);
    for step in 0..plan.steps {
        if let Some((_, accident)) = plan
            .accident
            .filter(|a| a.0 == rank && step == ACCIDENT_STEP)
        {
            match accident {
                Accident::Fails => shard.x[[1, 0]] = f64::NAN,
                Accident::Panics => panic!("an accident, on request"),
                Accident::Dies => std::process::abort(),
            }
        }
        let start = Instant::now();
        let (sum, waiting) = buffers
            .reduce(world, &shard, &network, plan.overlaps)
            .map_err(|failed| {
                if let Some(row) = shard.broken_row() {
                    eprintln!("rank {rank}: row {row} is not finite");
                }
                format!("step {step}: the shards of {failed} of {ranks} ranks failed")
            })?;
        value = sum / plan.rows as f64;
        gradient.read_from_parts(&buffers.sums);
        network.add_scaled(-RATE / plan.rows as f64, &gradient);
        (best, waited) = (best.min(start.elapsed()), waited.min(waiting));
        if step == 0 {
            first = value;
        }
    }
    if rank == 0 {
        let (best, waited) = (1e3 * best.as_secs_f64(), 1e3 * waited.as_secs_f64());
        println!(
            "{ranks} ranks, {} rows, {} parameters",
            plan.rows,
            network.count()
        );
        println!(
            "loss {first:.6} before, {value:.6} after {} steps",
            plan.steps
        );
        println!(
            "{best:.2} ms for a step, of which {waited:.2} ms waiting for reductions (minima)"
        );
        if plan.checks {
            check(&network, plan)?;
        }
    }
    Ok(())
}

/// Trains in this process alone, by the gradient of all layers at once, and compares parameters.
fn check(found: &Network, plan: &Plan) -> Result<(), String> {
    let all = Shard::new(plan.rows, 0, 1);
    let mut network = Network::new();
    for _ in 0..plan.steps {
        let (_, gradient) = loss_value_and_grad(&network, &all.x, &all.y);
        network.add_scaled(-RATE / plan.rows as f64, &gradient);
    }
    let mut difference: f64 = 0.0;
    found.each_pair(&network, &mut |a, b| {
        difference = difference.max((a - b).abs() / (1.0 + b.abs()))
    });
    println!("greatest difference from one process: {difference:.1e}");
    if difference < 1e-12 {
        Ok(())
    } else {
        Err("the parameters differ by more than 1e-12".into())
    }
}

/// The parts of a gradient as flat slices: those of this rank, and their sums over all ranks.
struct Buffers {
    own: [Vec<f64>; 4],
    sums: [Vec<f64>; 4],
}

impl Buffers {
    fn new(network: &Network) -> Buffers {
        let zeros = || Part::lengths(network).map(|length| vec![0.0; length]);
        Buffers {
            own: zeros(),
            sums: zeros(),
        }
    }

    /// Leaves the sums over all shards in `sums`. Gives the loss and how long this rank has waited,
    /// or the number of ranks whose shards failed.
    ///
    /// Every rank starts the same reductions in the same order, whatever happens to its shard.
    /// Otherwise the others would wait for ever.
    fn reduce(
        &mut self,
        world: &SimpleCommunicator,
        shard: &Shard,
        network: &Network,
        overlaps: bool,
    ) -> Result<(f64, Duration), usize> {
        let mut places = self.own.iter_mut().zip(&mut self.sums);
        let waited = scope(|scope| {
            let mut sums = Sums {
                world,
                scope,
                overlaps,
                held: vec![],
                pending: vec![],
            };
            if shard.broken_row().is_some() {
                for (number, (own, sum)) in places.enumerate() {
                    Part::write_failure(number, own);
                    sums.add(own, sum);
                }
            } else {
                shard.gradient(network, |part| {
                    let (own, sum) = places.next().expect("as many places as parts");
                    part.write_to(own);
                    sums.add(own, sum);
                });
            }
            sums.wait()
        });
        match self.sums[0][..] {
            [value, 0.0] => Ok((value, waited)),
            _ => Err(self.sums[0][1] as usize),
        }
    }
}

/// All-reduces that are on their way.
struct Sums<'a, 's> {
    world: &'a SimpleCommunicator,
    scope: &'s LocalScope<'a>,
    overlaps: bool,
    /// What starts at the end, if nothing overlaps.
    held: Vec<(&'a Vec<f64>, &'a mut Vec<f64>)>,
    pending: Vec<Request<'a, Vec<f64>, &'s LocalScope<'a>>>,
}

impl<'a> Sums<'a, '_> {
    fn add(&mut self, own: &'a Vec<f64>, sum: &'a mut Vec<f64>) {
        if self.overlaps {
            self.start(own, sum);
            // MPI moves messages on while it is called.
            let pending = self.pending.drain(..);
            self.pending = pending.filter_map(|request| request.test().err()).collect();
        } else {
            self.held.push((own, sum));
        }
    }

    fn start(&mut self, own: &'a Vec<f64>, sum: &'a mut Vec<f64>) {
        let operation = SystemOperation::sum();
        let request = self
            .world
            .immediate_all_reduce_into(self.scope, own, sum, operation);
        self.pending.push(request);
    }

    fn wait(mut self) -> Duration {
        let start = Instant::now();
        for (own, sum) in std::mem::take(&mut self.held) {
            self.start(own, sum);
        }
        self.pending
            .drain(..)
            .for_each(|request| request.wait_without_status());
        start.elapsed()
    }
}
