//! Rules about what is the same along an axis: it is computed once.

use super::triangle::best_places;
use super::{Rewrite, Rule, Simplifier, all_affine};
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};
use crate::thresholds::OPERANDS_SEARCHED;
use std::collections::HashMap;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "map-of-repeated",
        apply: map_of_repeated,
    },
    Rule {
        name: "reduce-nothing",
        apply: reduce_nothing,
    },
    Rule {
        name: "sum-of-repeated",
        apply: sum_of_repeated,
    },
    Rule {
        name: "sum-of-fill",
        apply: sum_of_fill,
    },
];

/// `p(x[a], y[b], ..)  =  ([n > 0] p(x[a'], y[b'], ..))[..]` where none of the maps depends on axis
/// k of length n: computed without that axis and repeated along it. For primitives that count, and
/// only where no read can fail, since over an empty axis none would happen. The guard is more than
/// thrift: without it a partial derivative of NaN would meet the cotangent 0 of an empty axis. A
/// guard of the equation that depends on such an axis compares it with one bound, so that it is
/// known whether it holds anywhere. Then light operations that operands are made of are repeated,
/// in the smaller space.
fn map_of_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Map(p, args) = &eq.op else {
        return None;
    };
    if p.cost() == 0 {
        return None;
    }
    let shape = &eq.ty.shape;
    let mut ignored: Vec<usize> = (0..shape.len()).collect();
    // A guard about lengths alone is the same everywhere.
    let (uniform, guard) = if s.holds_or_not(eq.guard) {
        (eq.guard, None)
    } else {
        (None, eq.guard)
    };
    if ignored.is_empty() {
        return None;
    }
    let mut operands = Operands::default();
    for v in args {
        operands.add(s, *v, guard.is_some()).then_some(())?;
    }
    let Operands { mut leaves, guards } = operands;
    let is_there = |h: &Var| s.is_implied(*h, guard.as_slice());
    if !guards.iter().all(is_there) {
        return None;
    }
    // Along an axis, other guards may say how far it is from one of its ends.
    let members = guard.map_or(vec![], |g| s.members(g));
    let (mut bounds, mut others) = (vec![], vec![]);
    for m in members {
        match &s.not_negative(m)[..] {
            [fact] => bounds.push((m, fact.clone())),
            _ => others.push(m),
        }
    }
    ignored.retain(|&k| {
        let mut steps = bounds.iter().map(|(_, fact)| &fact.coefs[k]);
        let step = steps.find(|c| !c.is(0));
        step.is_none_or(|c| (c.is(1) || c.is(-1)) && steps.all(|c| c.is(0)))
    });
    let mut reads: Vec<(&Affine, &Size)> = vec![];
    leaves.extend(&others);
    for v in leaves {
        match &s.out.eq(v)?.op {
            Op::Fill(_) => {}
            Op::Gather { src, index } => {
                let index = all_affine(index)?;
                let of = s.out.ty(*src).shape.iter();
                // Where it is not inside in any case, that has to be demanded without the axes.
                let components = index.iter().copied().zip(of);
                reads.extend(components.filter(|(a, n)| !a.inside(shape, n)));
                ignored.retain(|&k| index.iter().all(|a| a.coefs[k].is(0)));
            }
            Op::Index(a) => ignored.retain(|&k| a.coefs[k].is(0)),
            Op::Map(Prim::IntToReal, of) => {
                let a = s.affine(of[0])?;
                ignored.retain(|&k| a.coefs[k].is(0));
            }
            Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_) => return None,
        }
    }
    let small = without(shape, &ignored);
    let demanded =
        |(a, n): &(&Affine, &Size)| s.is_demanded_inside(&a.without(&ignored), &small, &[], n);
    // A light operation is not worth a guard, and another pass over an array even less.
    let is_worth = match bounds.is_empty() {
        true => others.len() <= 1 && guards.is_empty(),
        false => !is_light(*p),
    };
    if ignored.is_empty() || !is_worth || !reads.iter().all(demanded) {
        return None;
    }
    let mut known = HashMap::new();
    let mut narrow = |v: &Var| {
        let bare = bare(s, *v);
        narrowed(s, bare, &ignored, &mut known)
    };
    let args: Vec<Var> = args.iter().map(&mut narrow).collect();
    let others: Vec<Var> = others.iter().map(narrow).collect();
    let some = s.not_empty(ignored.iter().map(|&k| &shape[k]), &small);
    let mut guard = s.elsewhere(uniform, &small);
    for m in others {
        guard = s.both(guard, Some(m));
    }
    guard = s.both(guard, some);
    let keep: Vec<usize> = (0..shape.len()).filter(|k| !ignored.contains(k)).collect();
    for (m, fact) in bounds {
        let best = best_places(&fact, shape, &keep);
        let fact = fact.compose(&best, keep.len());
        let there = match fact.is_constant() {
            // So many places at most.
            true => s.not_empty([fact.constant.plus(1).larger(&Size::lit(0))].iter(), &small),
            false => Some(s.moved(m, &best, &small)?),
        };
        guard = s.both(guard, there);
    }
    let once = s.map(*p, &args, guard);
    let rank = shape.len();
    let index = (0..rank)
        .filter(|k| !ignored.contains(k))
        .map(|k| Ix::Affine(Affine::axis(rank, k)))
        .collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Gather { src: once, index },
        ..eq.clone()
    }))
}

/// What an operation is of.
#[derive(Default)]
struct Operands {
    /// Literals, positions and reads, by way of light operations.
    leaves: Vec<Var>,
    /// The guards on the way, and those of light operations.
    guards: Vec<Var>,
}

impl Operands {
    /// Adds a variable; gives whether it is made of these. Where guards are no help, there are none
    /// on the way, and no operations.
    fn add(&mut self, s: &Simplifier, v: Var, with_guards: bool) -> bool {
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            let Some(eq) = s.out.eq(v) else { return false };
            if open.len() + self.leaves.len() + self.guards.len() > OPERANDS_SEARCHED {
                return false;
            }
            match &eq.op {
                Op::Map(p, args) if is_light(*p) => {
                    if !with_guards || eq.guard.is_none() {
                        return false;
                    }
                    open.extend(args);
                }
                Op::Map(Prim::IntToReal, _) | Op::Fill(_) | Op::Index(_) | Op::Gather { .. } => {
                    self.leaves.push(v);
                }
                Op::Map(..)
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Call { .. }
                | Op::Loop { .. }
                | Op::Copy(_)
                | Op::Stop(_) => return false,
            }
            if let Some(h) = eq.guard {
                if !with_guards {
                    return false;
                }
                self.guards.push(h);
            }
        }
        true
    }
}

/// What is there under a guard, without it.
fn bare(s: &mut Simplifier, v: Var) -> Var {
    let mut eq = s.out.eq(v).expect("no parameter").clone();
    eq.guard = None;
    if let Op::Map(p, args) = &mut eq.op
        && is_light(*p)
    {
        args.iter_mut().for_each(|a| *a = bare(s, *a));
    }
    s.push(eq)
}

fn is_light(p: Prim) -> bool {
    matches!(p, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg)
}

/// Whether an array is the same along an axis. It is if it consists of positions, of reads and of
/// free operations that cannot fail, and none of them depends on the axis. The reads are inside of
/// bounds, or are demanded to be on entry.
pub(super) fn is_repeated(s: &Simplifier, v: Var, axis: usize, seen: &mut Vec<Var>) -> bool {
    if seen.contains(&v) {
        return true;
    }
    seen.push(v);
    let Some(eq) = s.out.eq(v) else {
        return false;
    };
    let mut is = |u: &Var| is_repeated(s, *u, axis, seen);
    if !eq.guard.iter().all(&mut is) {
        return false;
    }
    match &eq.op {
        Op::Fill(_) => true,
        Op::Index(a) => a.coefs[axis].is(0),
        Op::Copy(u) => is(u),
        Op::Map(p, args) => p.cost() == 0 && !p.is_partial() && args.iter().all(is),
        Op::Gather { src, index } => all_affine(index).is_some_and(|index| {
            let shape = &eq.ty.shape;
            let small = without(shape, &[axis]);
            let demanded =
                |a: &Affine, n| s.is_demanded_inside(&a.without(&[axis]), &small, &[], n);
            let mut components = index.iter().zip(&s.out.ty(*src).shape);
            components.all(|(a, n)| a.coefs[axis].is(0) && (a.inside(shape, n) || demanded(a, n)))
        }),
        Op::Stop(_)
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. } => false,
    }
}

/// What is the same along some axes, without them.
pub(super) fn narrowed(
    s: &mut Simplifier,
    v: Var,
    axes: &[usize],
    known: &mut HashMap<Var, Var>,
) -> Var {
    if let Some(&done) = known.get(&v) {
        return done;
    }
    let mut eq = s.out.eq(v).expect("parameters are not repeated").clone();
    eq.ty.shape = without(&eq.ty.shape, axes);
    let mut narrow = |u: &mut Var| *u = narrowed(s, *u, axes, known);
    eq.guard.iter_mut().for_each(&mut narrow);
    match &mut eq.op {
        Op::Index(a) => *a = a.without(axes),
        Op::Copy(u) => narrow(u),
        Op::Map(_, args) => args.iter_mut().for_each(narrow),
        Op::Gather { index, .. } => index.iter_mut().for_each(|i| match i {
            Ix::Affine(a) => *a = a.without(axes),
            Ix::Data(_) => unreachable!("all components are affine"),
        }),
        Op::Fill(_)
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. }
        | Op::Contract { .. }
        | Op::Stop(_) => {}
    }
    let done = s.push(eq);
    known.insert(v, done);
    done
}

/// `reduce x over no axes  =  x`
fn reduce_nothing(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce { src, axes, .. } = &eq.op else {
        return None;
    };
    axes.is_empty().then(|| s.same(*src, eq.guard))
}

/// The product of the lengths of some axes, as a real array of some shape.
fn count(s: &mut Simplifier, shape: &[Size], axes: &[usize], over: &[Size]) -> Var {
    let n = axes.iter().fold(Size::lit(1), |n, &k| n.mul(&shape[k]));
    let rank = over.len();
    let op = Op::Index(Affine::constant(rank, n));
    let n = s.op(Elem::Int, over, None, op);
    s.map(Prim::IntToReal, &[n], None)
}

/// `Σ_k x[index]  =  [n > 0] n · x[index]` where the index does not depend on axis k of length n.
/// The read must be inside for sure, since over an empty axis it would not happen. One operation
/// more than the sum where n is 1.
fn sum_of_repeated(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let Some(Op::Gather { src: x, index }) = s.plain(*src).cloned() else {
        return None;
    };
    let shape = s.out.shape(*src);
    let maps = all_affine(&index)?;
    let ignored: Vec<usize> = (axes.iter().copied())
        .filter(|&k| maps.iter().all(|a| a.coefs[k].is(0)))
        .collect();
    let of = s.out.shape(x);
    if ignored.is_empty() || !maps.iter().zip(&of).all(|(a, n)| a.inside(&shape, n)) {
        return None;
    }
    let index: Vec<Ix> = (maps.iter())
        .map(|a| Ix::Affine(a.without(&ignored)))
        .collect();
    let small = without(&shape, &ignored);
    let read = s.gather(x, index, &small, None);
    let left: Vec<usize> = (axes.iter())
        .filter(|k| !ignored.contains(k))
        .map(|&k| k - ignored.iter().filter(|&&i| i < k).count())
        .collect();
    let (op, axes) = (ReduceOp::Sum, left);
    let src = read;
    let sum = s.op(
        Elem::Real,
        &eq.ty.shape,
        eq.guard,
        Op::Reduce { op, src, axes },
    );
    let n = count(s, &shape, &ignored, &eq.ty.shape);
    let some = s.not_empty(ignored.iter().map(|&k| &shape[k]), &eq.ty.shape);
    Some(Rewrite::Eq(Eq {
        guard: s.both(eq.guard, some),
        op: Op::Map(Prim::Mul, vec![n, sum]),
        ty: eq.ty.clone(),
    }))
}

/// `Σ_k fill c  =  [n > 0] n · c` for reals; `Σ_k fill 0  =  fill 0`
fn sum_of_fill(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    let Op::Reduce {
        op: ReduceOp::Sum,
        src,
        axes,
    } = &eq.op
    else {
        return None;
    };
    if eq.ty.elem != Elem::Real {
        return None;
    }
    let lit = s.lit(*src)?;
    let shape = s.out.shape(*src);
    let some = s.not_empty(axes.iter().map(|&k| &shape[k]), &eq.ty.shape);
    let guard = s.both(eq.guard, some);
    let op = if lit == Lit::Real(0.0) {
        Op::Fill(lit)
    } else {
        let c = s.fill(lit, &eq.ty.shape);
        let n = count(s, &shape, axes, &eq.ty.shape);
        Op::Map(Prim::Mul, vec![n, c])
    };
    let ty = eq.ty.clone();
    Some(Rewrite::Eq(Eq { ty, guard, op }))
}
