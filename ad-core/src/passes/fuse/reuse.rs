//! Arrays that are taken: what changes an array, or begins a loop with it, does so in place if
//! nobody needs the old array later. Steps that read the old array come before the change if they
//! can. If a step cannot, the elements that it reads are read before ([`early`]).

mod early;

use crate::ir::bulk::Var;
use crate::ir::kernel::{Program, Step, Work, reads_in_time};
use crate::ir::ty::Atom;
use crate::passes::ablation::{Part, without};
use crate::thresholds::ROUNDS_OF_READS;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Decides what is taken, and orders the steps for it. `states` are the parameters that may be.
/// What is stacked, in the results behind those, may be taken as well: it is stacked before.
pub(super) fn take(
    mut program: Program,
    states: std::ops::Range<usize>,
    is_inner: bool,
) -> Program {
    let stacks = if is_inner {
        states.len()
    } else {
        program.results.len()
    };
    if program.steps.iter().all(|s| s.sources().is_empty()) || without(Part::Reuse) {
        return program;
    }
    let mut choice = Choice::new(&program, &states, stacks);
    for _ in 0..ROUNDS_OF_READS {
        if !early::read(&mut program, &choice.late) {
            break;
        }
        choice = Choice::new(&program, &states, stacks);
    }
    let sorted = choice.order.sorted();
    for (k, place) in choice.taken {
        program.steps[k].sources_mut()[place].taken = true;
    }
    let mut steps: Vec<Option<Step>> = program.steps.into_iter().map(Some).collect();
    program.steps = (sorted.into_iter())
        .map(|k| steps[k].take().expect("every step has one place"))
        .collect();
    program
}

/// What is taken.
struct Choice {
    order: Order,
    /// Steps, and which of their sources they take.
    taken: Vec<(usize, usize)>,
    /// Steps that read an array and cannot come before what would take it.
    late: Vec<(usize, Var)>,
}

impl Choice {
    fn new(program: &Program, states: &std::ops::Range<usize>, stacks: usize) -> Choice {
        let steps = &program.steps;
        let mut order = Order::new(steps);
        let (mut taken, mut late) = (vec![], vec![]);
        for (k, step) in steps.iter().enumerate() {
            for (place, source) in step.sources().iter().enumerate() {
                let v = source.array;
                let is_param = v.index() < program.params.len();
                let rank = match order.rank.get(&v) {
                    Some(rank) => *rank,
                    None => program.params[v.index()].ty.rank(),
                };
                let owned = rank > 0 && (!is_param || states.contains(&v.index()));
                if !owned || program.results[..stacks].contains(&v) || !is_alone(step, v) {
                    continue;
                }
                let users = order.users.get(&v).cloned().unwrap_or_default();
                let others: Vec<usize> = users.into_iter().filter(|&u| u != k).collect();
                if order.all_come_before(&others, k) {
                    order.before[k].extend(others);
                    taken.push((k, place));
                } else {
                    let is_late = |o: &usize| !order.all_come_before(&[*o], k);
                    late.extend(others.into_iter().filter(is_late).map(|o| (o, v)));
                }
            }
        }
        Choice { order, taken, late }
    }
}

/// Whether a step mentions an array only once, or does not read it too late.
fn is_alone(step: &Step, v: Var) -> bool {
    let begins = step.sources().iter().filter(|s| s.array == v).count();
    let reads = || step.reads().contains(&v);
    begins == 1
        && match &step.work {
            Work::Change { parts, adds, .. } => reads_in_time(parts, v, *adds),
            Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Nest(_)
            | Work::Scatter(_)
            | Work::Contract { .. }
            | Work::Recur { .. } => !reads(),
        }
}

/// What must come before what.
struct Order {
    /// The steps that must come before each.
    before: Vec<Vec<usize>>,
    /// The steps that use each array.
    users: HashMap<Var, Vec<usize>>,
    /// The ranks of what is computed.
    rank: HashMap<Var, usize>,
}

impl Order {
    fn new(steps: &[Step]) -> Order {
        let mut maker: HashMap<Var, usize> = HashMap::new();
        let mut rank = HashMap::new();
        for (k, s) in steps.iter().enumerate() {
            for (v, ty) in s.defines() {
                maker.insert(v, k);
                rank.insert(v, ty.rank());
            }
        }
        let mut before = vec![];
        let mut users: HashMap<Var, Vec<usize>> = HashMap::new();
        for (k, s) in steps.iter().enumerate() {
            let mut used = s.reads();
            used.extend(s.sources().iter().map(|s| s.array));
            s.visit_sizes(&mut |n| {
                n.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        used.push(Var(*v));
                    }
                });
            });
            used.sort_unstable();
            used.dedup();
            let makers = used.iter().filter_map(|v| maker.get(v).copied());
            before.push(makers.filter(|m| *m != k).collect());
            for v in used {
                users.entry(v).or_default().push(k);
            }
        }
        Order {
            before,
            users,
            rank,
        }
    }

    /// Whether none of these steps needs step `k` before it.
    fn all_come_before(&self, others: &[usize], k: usize) -> bool {
        let mut seen = vec![false; self.before.len()];
        let mut stack = others.to_vec();
        while let Some(s) = stack.pop() {
            if s == k {
                return false;
            }
            if !std::mem::replace(&mut seen[s], true) {
                stack.extend(&self.before[s]);
            }
        }
        true
    }

    /// The steps in an order that differs from the old one only where it must.
    fn sorted(&self) -> Vec<usize> {
        let mut after: Vec<Vec<usize>> = vec![vec![]; self.before.len()];
        let mut waiting: Vec<usize> = vec![0; self.before.len()];
        for (k, before) in self.before.iter().enumerate() {
            for &b in before {
                after[b].push(k);
                waiting[k] += 1;
            }
        }
        let mut ready: BinaryHeap<Reverse<usize>> = (waiting.iter().enumerate())
            .filter(|(_, n)| **n == 0)
            .map(|(k, _)| Reverse(k))
            .collect();
        let mut out = vec![];
        while let Some(Reverse(k)) = ready.pop() {
            out.push(k);
            for &a in &after[k] {
                waiting[a] -= 1;
                if waiting[a] == 0 {
                    ready.push(Reverse(a));
                }
            }
        }
        out
    }
}
