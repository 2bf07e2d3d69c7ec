//! Products that are added to an array where they are made.
//!
//! ```text
//! p = A B,  s[i,j] = d[i,j] + p[i,j]              ─▶   s = d + A B
//! p = A B,  s[i,j] = d[i,j] - p[i,j]              ─▶   s = d - A B
//! p = A B,  s[i,j] = f(d[i,j] + p[i,j], ..)       ─▶   q = d + A B,  s[i,j] = f(q[i,j], ..)
//! ```
//!
//! where nobody else needs p or d, so that the sum has the memory of d; mostly d is another
//! product. Each element of the product is summed before it is added, as it was: the result is the
//! same, and so is what is counted. A product with a sign of its own stays alone, as zeros would
//! get other signs. An array that stays is not added to: to read it where the result is written
//! takes longer than another pass over both.

use super::rebuild;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Affine, At, Compute, Node, Program, Range, Source, Step, Work};
use crate::ir::prims::Prim;
use crate::ir::ty::Atom;
use crate::passes::ablation::{Part, without};
use std::collections::{HashMap, HashSet};

/// The program with such products.
pub(super) fn onto(mut program: Program) -> Program {
    if without(Part::Fusion) || without(Part::Reuse) {
        return program;
    }
    let facts = Facts::of(&program);
    // Products that have found their place, behind which step. None is moved twice.
    let mut moved: HashSet<usize> = HashSet::new();
    let mut before: HashMap<usize, Vec<Step>> = HashMap::new();
    let mut used: HashSet<Var> = HashSet::new();
    for k in 0..program.steps.len() {
        let Some(sum) = sum(&program, &facts, k).filter(|s| !used.contains(&s.array)) else {
            continue;
        };
        let mut product = program.steps[sum.made].clone();
        let Work::Contract { a, onto, .. } = &mut product.work else {
            continue;
        };
        a.negated ^= sum.is_difference;
        *onto = Some(Source {
            array: sum.array,
            taken: true,
        });
        moved.insert(sum.made);
        used.insert(product.out);
        let step = &mut program.steps[k];
        let Work::Nest(nest) = &mut step.work else {
            continue;
        };
        if nest.root == sum.node && nest.loops.len() == nest.outer {
            product.out = step.out;
            *step = product;
        } else {
            let place = (0..nest.outer).map(|l| At::Affine(Affine::of(l)));
            nest.nodes[sum.node].compute = Compute::Read(product.out, place.collect());
            let known = rebuild::Known {
                truth: vec![None; nest.nodes.len()],
                ..rebuild::Known::default()
            };
            let ranges = nest.ranges.clone();
            *nest = rebuild::without(nest, &[], known, ranges).0;
            before.entry(k).or_default().push(product);
        }
    }
    let steps = std::mem::take(&mut program.steps);
    for (k, step) in steps.into_iter().enumerate() {
        program.steps.extend(before.remove(&k).unwrap_or_default());
        if !moved.contains(&k) {
            program.steps.push(step);
        }
    }
    program
}

/// What is known of the variables of a program.
struct Facts {
    /// The step that makes each.
    made: HashMap<Var, usize>,
    types: HashMap<Var, Type>,
    /// How often each is mentioned.
    uses: HashMap<Var, usize>,
    /// What steps take.
    taken: HashSet<Var>,
}

impl Facts {
    fn of(program: &Program) -> Facts {
        let (mut made, mut types, mut uses) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (k, p) in program.params.iter().enumerate() {
            types.insert(Var(k as u32), p.ty.clone());
        }
        let mut mention = |v: Var| *uses.entry(v).or_insert(0) += 1;
        for (k, step) in program.steps.iter().enumerate() {
            for (v, ty) in step.defines() {
                made.insert(v, k);
                types.insert(v, ty.clone());
            }
            step.reads().into_iter().for_each(&mut mention);
            (step.sources().iter()).for_each(|s| mention(s.array));
            step.visit_sizes(&mut |n| {
                n.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        mention(Var(*v));
                    }
                });
            });
        }
        program.results.iter().for_each(|r| mention(*r));
        Facts {
            made,
            types,
            uses,
            taken: program.taken(),
        }
    }
}

/// A sum of an array and a product.
struct Sum {
    /// The node of the nest that is the sum.
    node: Node,
    /// Whether the product is taken away.
    is_difference: bool,
    array: Var,
    /// The step of the product.
    made: usize,
}

/// The first such sum of a step, if it has one.
fn sum(program: &Program, facts: &Facts, k: usize) -> Option<Sum> {
    let step = &program.steps[k];
    let Work::Nest(nest) = &step.work else {
        return None;
    };
    let is_small = step.ty.shape.iter().all(|n| n.as_lit().is_some());
    if nest.outer == 0 || is_small || !nest.ranges[..nest.outer].iter().all(Range::is_whole) {
        return None;
    }
    let mut users = vec![0; nest.nodes.len()];
    (0..nest.nodes.len()).for_each(|n| nest.operands(n).iter().for_each(|o| users[*o] += 1));
    // The array that a node is an element of, at the indices of the outer loops, if that is for one
    // other node.
    let element = |n: Node| match &nest.nodes[n].compute {
        Compute::Read(v, at) if nest.nodes[n].guard.is_none() && users[n] == 1 => {
            let mut place = at.iter().enumerate();
            let here = place.all(|(l, a)| matches!(a, At::Affine(a) if *a == Affine::of(l)));
            let all = at.len() == nest.outer && facts.types[v].shape == step.ty.shape;
            (here && all).then_some(*v)
        }
        Compute::Read(..)
        | Compute::Lit(_)
        | Compute::Index(_)
        | Compute::Prim(..)
        | Compute::Reduce(..)
        | Compute::ArgReduce(..)
        | Compute::Extreme(_)
        | Compute::Same(_) => None,
    };
    (0..nest.nodes.len()).find_map(|node| {
        let scalar = &nest.nodes[node];
        let (Compute::Prim(p, args), None) = (&scalar.compute, scalar.guard) else {
            return None;
        };
        let is_difference = *p == Prim::Sub;
        if !is_difference && *p != Prim::Add {
            return None;
        }
        let (x, y) = (element(args[0])?, element(args[1])?);
        let orders = [(x, y), (y, x)];
        let orders = &orders[..if is_difference { 1 } else { 2 }];
        orders.iter().find_map(|&(array, product)| {
            let made = is_product(program, facts, product, k).filter(|_| array != product)?;
            is_free(program, facts, array).then_some(Sum {
                node,
                is_difference,
                array,
                made,
            })
        })
    })
}

/// The step of a product without a sign that only step `k` needs, and that may be made just before
/// it.
fn is_product(program: &Program, facts: &Facts, v: Var, k: usize) -> Option<usize> {
    let made = *facts.made.get(&v)?;
    let Work::Contract {
        a,
        b,
        within,
        onto: None,
        ..
    } = &program.steps[made].work
    else {
        return None;
    };
    let stays = |o: Var| {
        let between = program.steps[made..k].iter().flat_map(Step::sources);
        !between.filter(|s| s.taken).any(|s| s.array == o)
    };
    let alone = facts.uses[&v] == 1 && a.negated == b.negated && within.is_empty();
    (alone && stays(a.array) && stays(b.array)).then_some(made)
}

/// Whether an array is an intermediate one that is mentioned once, and may be changed.
fn is_free(program: &Program, facts: &Facts, v: Var) -> bool {
    let Some(step) = facts.made.get(&v).map(|k| &program.steps[*k]) else {
        return false;
    };
    let is_new = match &step.work {
        Work::Nest(_) | Work::Scatter(_) | Work::Contract { .. } => {
            program.part(&facts.taken, step).is_none()
        }
        Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => false,
    };
    is_new && facts.uses[&v] == 1
}
