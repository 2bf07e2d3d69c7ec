//! What a loop is given as the beginning of an array, or of a row of one.
//!
//! ```text
//! loop given a[k, i] for i < n     =     loop given a[k, i] for all i
//! ```
//!
//! if the loop only reads elements of it. A row is read where it is, its beginning would be copied.
//! So the residuals of loops whose number of steps depends on a loop around them are not copied
//! (`linearise/pad.rs`).

use super::accumulate::uses;
use crate::ir::build::{Builder, translate, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Program, Run, Var};
use crate::ir::ty::{Atom, Size};
use std::collections::{HashMap, HashSet};

/// The program with loops that are given all of these.
pub(super) fn given(program: &Program) -> Program {
    let is_loop = |eq: &Eq| matches!(eq.op, Op::Loop { .. });
    if !program.eqs.iter().any(is_loop) {
        return program.clone();
    }
    let mut out = Builder::new(&program.name, program.params.clone());
    program.requires.iter().for_each(|r| out.require(r.clone()));
    let mut new: Vec<Var> = (0..program.params.len() as u32).map(Var).collect();
    let mut wider: HashMap<Run<'_>, (Looped, Vec<Var>)> = HashMap::new();
    let mut seen = HashMap::new();
    for eq in &program.eqs {
        let mut copy = translate(eq, &mut |v| new[v.index()]);
        if let Some((run, _)) = eq.loop_result()
            && let Op::Loop { looped, given, .. } = &mut copy.op
        {
            let known = wider.entry(run);
            (*looped, *given) = known
                .or_insert_with(|| with_all(&mut out, (program, &new), run, &mut seen))
                .clone();
        }
        new.push(out.push(copy));
    }
    out.finish(program.results.iter().map(|v| new[v.index()]).collect())
}

/// A loop that is given all of what it is given parts of, and that.
fn with_all(
    out: &mut Builder,
    (program, new): (&Program, &[Var]),
    run: Run<'_>,
    seen: &mut HashMap<(Looped, usize), bool>,
) -> (Looped, Vec<Var>) {
    let mut given: Vec<Var> = run.given.iter().map(|v| new[v.index()]).collect();
    let mut lengths = HashMap::new();
    for (k, v) in run.given.iter().enumerate() {
        let part = program.eq(*v).and_then(|eq| Beginning::of(program, eq));
        let Some(part) = part.filter(|_| reads_elements(run.looped, k, seen)) else {
            continue;
        };
        let shape = &program.ty(part.array).shape;
        let shape = shape[part.row.len()..].iter();
        let shape: Vec<Size> = shape
            .map(|n| translate_size(n, &mut |v| new[v.index()]))
            .collect();
        let rank = shape.len();
        lengths.insert(k, shape[0].clone());
        given[k] = new[part.array.index()];
        if !part.row.is_empty() {
            let row = part
                .row
                .iter()
                .map(|i| translate_size(i, &mut |v| new[v.index()]));
            let row = row.map(|i| Ix::Affine(Affine::constant(rank, i)));
            let index = row.chain(Ix::identity(rank)).collect();
            given[k] = out.gather(given[k], index, &shape, None);
        }
    }
    if lengths.is_empty() {
        return (run.looped.clone(), given);
    }
    let longer = |body: &Program| with_longer(body, &lengths);
    let looped = Looped::new(Loop {
        body: longer(&run.looped.body),
        goes_on: run.looped.goes_on.as_ref().map(longer),
        ..(**run.looped).clone()
    });
    (looped, given)
}

/// The body of a loop that is given longer arrays. It reads their beginnings.
fn with_longer(body: &Program, lengths: &HashMap<usize, Size>) -> Program {
    let mut params = body.params.clone();
    for (k, n) in lengths {
        params[*k].ty.shape[0] = n.clone();
    }
    let mut out = Builder::new(&body.name, params);
    let mut new = vec![];
    for (k, param) in body.params.iter().enumerate() {
        let all = Var(k as u32);
        new.push(match lengths.contains_key(&k) {
            true => {
                let index = Ix::identity(param.ty.rank());
                out.gather(all, index, &param.ty.shape, None)
            }
            false => all,
        });
    }
    for eq in &body.eqs {
        let copy = translate(eq, &mut |v| new[v.index()]);
        new.push(out.push(copy));
    }
    out.finish(body.results.iter().map(|v| new[v.index()]).collect())
}

/// The beginning of an array, or of a row of one.
struct Beginning {
    array: Var,
    /// The indices of the row.
    row: Vec<Size>,
}

impl Beginning {
    fn of(program: &Program, eq: &Eq) -> Option<Beginning> {
        let Op::Gather { src, index } = &eq.op else {
            return None;
        };
        let (rank, of) = (eq.ty.rank(), &program.ty(*src).shape);
        let first = index.len().checked_sub(rank).filter(|_| rank > 0)?;
        let (row, rest) = index.split_at(first);
        let constant = |i: &Ix| match i {
            Ix::Affine(a) if a.is_constant() => Some(a.constant.clone()),
            Ix::Affine(_) | Ix::Data(_) => None,
        };
        let row: Vec<Size> = row.iter().map(constant).collect::<Option<_>>()?;
        let mut is_fixed = true;
        of[first].visit(&mut |a| is_fixed &= !matches!(a, Atom::Value(_)));
        let is_beginning = eq.guard.is_none()
            && *rest == Ix::identity(rank)
            && of[first] != eq.ty.shape[0]
            && of[first + 1..] == eq.ty.shape[1..];
        (is_fixed && is_beginning).then_some(Beginning { array: *src, row })
    }
}

/// Whether a loop only reads elements of something that it is given. Loops in loops are looked at
/// once.
fn reads_elements(looped: &Looped, k: usize, seen: &mut HashMap<(Looped, usize), bool>) -> bool {
    if let Some(&known) = seen.get(&(looped.clone(), k)) {
        return known;
    }
    let param = Var(k as u32);
    let mut all = std::iter::once(&looped.body).chain(&looped.goes_on);
    let found = all.all(|body| {
        let (mut reads, mut runs) = (0, HashSet::new());
        for eq in &body.eqs {
            if let Some((run, _)) = eq.loop_result() {
                let mut all = run.given.iter().enumerate();
                let mut reads_elements =
                    |(k, v): (usize, &Var)| *v == param && reads_elements(run.looped, k, seen);
                // All results of a loop are given the same.
                reads += usize::from(runs.insert(run) && all.any(&mut reads_elements));
            } else if let Op::Gather { src, .. } = &eq.op {
                reads += usize::from(*src == param);
            }
        }
        reads == uses(body)[k]
    });
    seen.insert((looped.clone(), k), found);
    found
}
