//! Which contractions become matrix products, and which parts of arrays they read.
//!
//! A contraction stays if the product is worth a call. All others become sums of products again, so
//! that they fuse with what is around them: outer products, dot products, row-wise products,
//! products of a few numbers, and products with a matrix that only this use computes. An operand
//! may be a box-shaped part of an array with its axes permuted, and may have a sign; it is read in
//! place.

use super::absent::Absent;
use super::is_opaque;
use super::wedge::split;
use crate::ir::build::{Builder, translate, translate_size};
use crate::ir::bulk::{Ix, Op, Program, Var};
use crate::ir::kernel::Operand;
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Size};
use crate::thresholds::{PRODUCTS_PER_CALL, SHORT_SUM};
use std::collections::{HashMap, HashSet};

/// Contractions that are no product of a matrix become a sum of products again, so that they fuse
/// with what is around them; so do products of a matrix and a vector whose matrix is computed for
/// this use alone, and short sums within others. Guarded results of the others are masked
/// afterwards.
pub(super) fn expand_contractions(program: &Program) -> Program {
    let uses = count_uses(program);
    let within = within_others(program, &uses);
    let absent = Absent::of(program);
    let mut out = Builder::new(&program.name, program.params.clone());
    let mut new: Vec<Var> = (0..program.params.len()).map(|k| Var(k as u32)).collect();
    for eq in &program.eqs {
        let at = |v: Var| new[v.index()];
        let v = match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let computed_here = |v: Var| {
                    let once = uses[v.index()] == 1
                        && program.eq(v).is_some_and(|e| !is_opaque(&e.op))
                        && program.ty(v).rank() >= 2;
                    once || within.contains(&v) || is_windows(program, v)
                };
                let alone = |xs: &[u8], ys: &[u8]| {
                    xs.iter().any(|l| out_axes.contains(l) && !ys.contains(l))
                };
                let sums = a_axes.iter().any(|l| !out_axes.contains(l));
                let (rows, columns) = (alone(a_axes, b_axes), alone(b_axes, a_axes));
                let matrix_vector = (rows != columns) && !computed_here(*a) && !computed_here(*b);
                let operands = [(*a, &a_axes[..]), (*b, &b_axes[..])];
                let given = [(*a, a_axes), (*b, b_axes)];
                let is_worth_a_call = ((rows && columns) || matrix_vector)
                    && !is_small(program, &operands)
                    && !is_of_points(program, &operands, out_axes);
                let is_inside = within.contains(&Var(new.len() as u32));
                if sums && is_worth_a_call && !is_inside {
                    let (bounds, others) = split(program, eq);
                    let mut conjunction = |all: Vec<Var>| {
                        (all.into_iter()).fold(None, |g, m| out.both(g, Some(new[m.index()])))
                    };
                    let (bounds, others) = (conjunction(bounds), conjunction(others));
                    let mut product = translate(eq, &mut |v| new[v.index()]);
                    product.guard = bounds;
                    let v = out.push(product);
                    let v = match absent.is_by_data(*a) || absent.is_by_data(*b) {
                        true => absent.without(&mut out, v, given, out_axes, &new, true),
                        false => v,
                    };
                    let whole = out.both(bounds, others);
                    out.masked(v, whole)
                } else {
                    let guard = eq.guard.map(at);
                    let operands = given.map(|(v, axes)| (at(v), axes));
                    let v = sum_of_product(&mut out, operands, out_axes, guard);
                    let v = match absent.is_beyond_guard(*a) || absent.is_beyond_guard(*b) {
                        true => absent.without(&mut out, v, given, out_axes, &new, false),
                        false => v,
                    };
                    out.masked(v, guard)
                }
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Copy(_)
            | Op::Stop(_) => out.copy(eq, &mut |v| new[v.index()]),
        };
        new.push(v);
    }
    for (k, p) in program.params.iter().enumerate() {
        let shape = (p.ty.shape.iter())
            .map(|n| translate_size(n, &mut |v| new[v.index()]))
            .collect();
        out.set_param_shape(k, shape);
    }
    for r in &program.requires {
        out.require(r.clone());
    }
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    live(&out.finish(results))
}

/// Contractions that are computed where another one reads them, and stored nowhere:
///
/// ```text
/// m[i, j, k] = Σ_l a · b,  c = Σ_k w · m   =   c = Σ_k w · (Σ_l a · b)
/// ```
///
/// if nothing else reads m, its sums are known to be of few products, and c needs each element of
/// it once. The array is as many times as large as c as the outer sum has terms, and each of its
/// elements takes few operations: it would be written and read for no more than these.
fn within_others(program: &Program, uses: &[usize]) -> HashSet<Var> {
    let mut out = HashSet::new();
    for eq in &program.eqs {
        let Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
        } = &eq.op
        else {
            continue;
        };
        let is_in = |v: &Var, axes: &[u8], other: &[u8]| {
            let is_sum = axes.iter().any(|l| !out_axes.contains(l));
            let all = other.iter().all(|l| axes.contains(l));
            is_sum && all && uses[v.index()] == 1 && is_short(program, *v)
        };
        out.extend(is_in(a, a_axes, b_axes).then_some(*a));
        out.extend(is_in(b, b_axes, a_axes).then_some(*b));
    }
    out
}

/// Whether an array is a contraction whose sums are of few products, as the types say.
fn is_short(program: &Program, v: Var) -> bool {
    let Some(Op::Contract {
        a,
        a_axes,
        out_axes,
        ..
    }) = program.eq(v).map(|e| &e.op)
    else {
        return false;
    };
    let shape = &program.ty(*a).shape;
    let summed = a_axes.iter().zip(shape);
    let mut summed = summed.filter(|(l, _)| !out_axes.contains(l));
    let terms = summed.try_fold(1_i64, |all, (_, n)| all.checked_mul(n.as_lit()?));
    terms.is_some_and(|n| (2..=SHORT_SUM).contains(&n))
}

/// Whether a contraction is short sums for each of many points: one operand, and what is summed
/// over, are known to be few. Each element takes a few operations on what is at hand, as much as a
/// call takes to find it.
fn is_of_points(program: &Program, operands: &[(Var, &[u8]); 2], out_axes: &[u8]) -> bool {
    let is_few = |(v, axes): &(Var, &[u8])| {
        let shape = &program.ty(*v).shape;
        let lengths: Option<Vec<i64>> = shape.iter().map(Size::as_lit).collect();
        lengths.is_some_and(|lengths| {
            let summed = lengths
                .iter()
                .zip(*axes)
                .filter(|(_, l)| !out_axes.contains(l));
            let terms = summed.fold(1_i64, |n, (len, _)| n.saturating_mul(*len));
            let all = lengths.iter().fold(1_i64, |n, len| n.saturating_mul(*len));
            terms <= SHORT_SUM && all <= SHORT_SUM * SHORT_SUM
        })
    };
    operands.iter().any(is_few)
}

/// Whether a contraction is known to be of a few products.
fn is_small(program: &Program, operands: &[(Var, &[u8]); 2]) -> bool {
    let mut seen = vec![];
    let mut products = 1_i64;
    for (v, axes) in operands {
        for (l, n) in axes.iter().zip(&program.ty(*v).shape) {
            if seen.contains(l) {
                continue;
            }
            seen.push(*l);
            let Some(n) = n.as_lit() else { return false };
            products = products.saturating_mul(n.max(0));
        }
    }
    products <= PRODUCTS_PER_CALL
}

/// `Σ a · b` written out. A product with a structural zero is one.
pub(super) fn sum_of_product(
    out: &mut Builder,
    operands: [(Var, &Vec<u8>); 2],
    out_axes: &[u8],
    guard: Option<Var>,
) -> Var {
    let mut labels = out_axes.to_vec();
    let mut shape: HashMap<u8, Size> = HashMap::new();
    for (v, axes) in &operands {
        for (l, n) in axes.iter().zip(out.shape(*v)) {
            if !labels.contains(l) {
                labels.push(*l);
            }
            shape.insert(*l, n);
        }
    }
    let space: Vec<Size> = labels.iter().map(|l| shape[l].clone()).collect();
    let mut present = None;
    let spread = operands.map(|(v, axes)| {
        let at: Vec<usize> = (axes.iter())
            .map(|l| labels.iter().position(|x| x == l).expect("collected above"))
            .collect();
        let holds = out.guard(v).map(|g| out.spread(g, &at, &space));
        present = out.both(present, holds);
        out.spread(v, &at, &space)
    });
    let product = out.map(Prim::Mul, &spread, present);
    let summed: Vec<usize> = (out_axes.len()..labels.len()).collect();
    out.sum(product, &summed, guard)
}

/// What a product reads: where an operand only takes a box-shaped part of an array, or permutes its
/// axes, the array itself.
pub(super) fn operands(
    program: &Program,
    negatives: &Negatives,
    a: (Var, &[u8]),
    b: (Var, &[u8]),
) -> ((Operand, Vec<u8>), (Operand, Vec<u8>)) {
    let of = |x: (Var, &[u8]), other: (Var, &[u8])| {
        let (array, negated) = negatives.without_signs(x.0);
        let (mut operand, axes) = part_of(program, (array, x.1), other).unwrap_or_else(|| {
            let (part, negated) = (None, false);
            let whole = Operand {
                array,
                part,
                negated,
            };
            (whole, x.1.to_vec())
        });
        operand.negated = negated;
        (operand, axes)
    };
    (of(a, b), of(b, a))
}

/// Arrays that need not be stored for products, since they are the negatives of others:
///
/// ```text
/// contract(-a, b)  =  0 - contract(a, b)
/// ```
///
/// where the sums are the same, each product with the other sign, and nothing is computed for it.
/// Only the sign of a sum that is too small for any number but zero may differ. So an array is one
/// whose negative alone is wanted otherwise.
pub(super) struct Negatives {
    of: HashMap<Var, Var>,
}

impl Negatives {
    pub(super) fn new(program: &Program) -> Negatives {
        // Who but products needs a variable.
        let mut others = vec![0; program.params.len() + program.eqs.len()];
        for eq in &program.eqs {
            eq.visit_sizes(&mut |n| {
                n.visit(&mut |a| {
                    if let Atom::Value(v) = a {
                        others[*v as usize] += 1;
                    }
                });
            });
            if matches!(eq.op, Op::Contract { .. }) {
                eq.guard.iter().for_each(|g| others[g.index()] += 1);
            } else {
                eq.visit(&mut |v| others[v.index()] += 1);
            }
        }
        for r in &program.results {
            others[r.index()] += 1;
        }
        let mut of = HashMap::new();
        for (k, eq) in program.eqs.iter().enumerate() {
            let (Op::Map(Prim::Neg, args), None) = (&eq.op, eq.guard) else {
                continue;
            };
            let (v, x) = (program.var_of(k), args[0]);
            // Otherwise both might be stored.
            let is_stored = program.eq(x).is_none_or(|e| is_opaque(&e.op));
            if others[v.index()] == 0 || is_stored {
                of.insert(v, x);
            }
        }
        Negatives { of }
    }

    /// What is stored for a factor, and whether with the other sign.
    fn without_signs(&self, v: Var) -> (Var, bool) {
        match self.of.get(&v) {
            Some(&x) => {
                let (array, negated) = self.without_signs(x);
                (array, !negated)
            }
            None => (v, false),
        }
    }
}

fn part_of(
    program: &Program,
    (v, axes): (Var, &[u8]),
    other: (Var, &[u8]),
) -> Option<(Operand, Vec<u8>)> {
    let eq = program.eq(v)?;
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    // A guard may only say that other axes of the product are not empty; where they are, nothing is
    // read.
    if let Some(g) = eq.guard {
        let lengths = (program.ty(other.0).shape.iter().zip(other.1))
            .filter(|(_, l)| !axes.contains(l))
            .map(|(n, _)| n.clone());
        let lengths: Vec<Size> = lengths.collect();
        if !positive_lengths(program, g)?
            .iter()
            .all(|n| lengths.contains(n))
        {
            return None;
        }
    }
    if index.len() != axes.len() {
        return None;
    }
    let mut part = vec![];
    let mut labels = vec![];
    for i in index {
        let Ix::Affine(a) = i else { return None };
        let (axis, c) = a.single()?;
        if !c.is(1) || labels.contains(&axes[axis]) {
            return None;
        }
        labels.push(axes[axis]);
        part.push((a.constant.clone(), eq.ty.shape[axis].clone()));
    }
    let array = *src;
    let of = &program.ty(array).shape;
    let all = part.iter().zip(of).all(|((s, n), len)| s.is(0) && n == len);
    let part = (!all).then_some(part);
    let negated = false;
    let operand = Operand {
        array,
        part,
        negated,
    };
    Some((operand, labels))
}

/// The lengths of which a guard says that they are positive, if that is all it says.
fn positive_lengths(program: &Program, guard: Var) -> Option<Vec<Size>> {
    let constant = |v: Var| {
        let op = &program.eq(v)?.op;
        if let Op::Fill(l) = op {
            return l.as_size();
        }
        let Op::Index(a) = op else { return None };
        a.is_constant().then(|| a.constant.clone())
    };
    let Op::Map(p, args) = &program.eq(guard)?.op else {
        return None;
    };
    if *p == Prim::And {
        let mut all = positive_lengths(program, args[0])?;
        all.extend(positive_lengths(program, args[1])?);
        Some(all)
    } else if *p == Prim::ILt && constant(args[0])?.is(0) {
        Some(vec![constant(args[1])?])
    } else {
        None
    }
}

/// Whether an array repeats elements along sums of positions, as windows `x[i + j]` do: many times
/// the size of what it reads, and not worth storing for a product with a vector.
fn is_windows(program: &Program, v: Var) -> bool {
    let Some(Op::Gather { index, .. }) = program.eq(v).map(|e| &e.op) else {
        return false;
    };
    index.iter().any(|i| match i {
        Ix::Affine(a) => a.coefs.iter().filter(|c| !c.is(0)).count() > 1,
        Ix::Data(_) => false,
    })
}

fn count_uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.params.len() + program.eqs.len()];
    for eq in &program.eqs {
        eq.visit(&mut |v| uses[v.index()] += 1);
    }
    for r in &program.results {
        uses[r.index()] += 1;
    }
    uses
}
