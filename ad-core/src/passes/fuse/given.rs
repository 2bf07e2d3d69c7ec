//! What a loop is given as a part of an array, or of a row of one.
//!
//! ```text
//! loop given a[k, o + i] for i < n     =     loop given a[k, i] for all i, and o
//! ```
//!
//! if the loop only reads elements of it. A row is read where it is, a part of it would be copied.
//! So the residuals of loops whose number of steps depends on a loop around them are not copied
//! (`linearise/pad.rs`, `linearise/ragged.rs`).

use super::accumulate::uses;
use super::more::{More, from_on, part_of_row};
use crate::ir::build::{Builder, translate, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Param, Program, Run, Var};
use crate::ir::ty::Size;
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
    let mut more = More::than(run.given);
    let mut parts: HashMap<usize, Part> = HashMap::new();
    for (k, v) in run.given.iter().enumerate() {
        let part = program.eq(*v).and_then(|eq| Part::of(program, eq));
        let Some(part) = part.filter(|_| reads_elements(run.looped, k, seen)) else {
            continue;
        };
        more.need(&part.length);
        more.need(&part.from);
        let size = |n: &Size| translate_size(n, &mut |v| new[v.index()]);
        given[k] = new[part.array.index()];
        if !part.row.is_empty() {
            let shape = &program.ty(part.array).shape[part.row.len()..];
            let shape: Vec<Size> = shape.iter().map(size).collect();
            let rank = shape.len();
            let row = part.row.iter().map(size);
            let row = row.map(|i| Ix::Affine(Affine::constant(rank, i)));
            let index = row.chain(Ix::identity(rank)).collect();
            given[k] = out.gather(given[k], index, &shape, None);
        }
        parts.insert(k, part);
    }
    if parts.is_empty() {
        return (run.looped.clone(), given);
    }
    given.extend(more.numbers.iter().map(|v| new[v.index()]));
    let states = run.looped.states;
    let longer = |body: &Program| with_longer(body, states, &parts, &more);
    let looped = Looped::new(Loop {
        body: longer(&run.looped.body),
        goes_on: run.looped.goes_on.as_ref().map(longer),
        ..(**run.looped).clone()
    });
    (looped, given)
}

/// The body of a loop that is given longer arrays. It reads parts of them.
fn with_longer(
    body: &Program,
    states: usize,
    parts: &HashMap<usize, Part>,
    more: &More<'_>,
) -> Program {
    let moved = |k: usize| more.moved(k, states, 0);
    let own = |n: &Size| translate_size(n, &mut |v| moved(v.index()));
    let mut params: Vec<Param> = body.params.clone();
    for (k, p) in params.iter_mut().enumerate() {
        p.ty.shape = p.ty.shape.iter().map(own).collect();
        if let Some(part) = parts.get(&k) {
            p.ty.shape[0] = more.inside(&part.length);
        }
    }
    let behind = params.len() - 1 - states;
    params.splice(behind..behind, more.params());
    let mut out = Builder::new(&body.name, params);
    let mut new = vec![];
    for (k, param) in body.params.iter().enumerate() {
        let all = moved(k);
        new.push(match parts.get(&k) {
            Some(part) => {
                let rank = param.ty.rank();
                let mut index = Ix::identity(rank);
                index[0] = Ix::Affine(from_on(rank, more.inside(&part.from)));
                let shape: Vec<Size> = param.ty.shape.iter().map(own).collect();
                out.gather(all, index, &shape, None)
            }
            None => all,
        });
    }
    for eq in &body.eqs {
        let copy = translate(eq, &mut |v| new[v.index()]);
        new.push(out.push(copy));
    }
    out.finish(body.results.iter().map(|v| new[v.index()]).collect())
}

/// A part of an array, or of a row of one.
struct Part {
    array: Var,
    /// The indices of the row.
    row: Vec<Size>,
    /// Where the part begins.
    from: Size,
    /// The length of what it is a part of.
    length: Size,
}

impl Part {
    fn of(program: &Program, eq: &Eq) -> Option<Part> {
        let Op::Gather { src, index } = &eq.op else {
            return None;
        };
        let rank = eq.ty.rank();
        let (row, from) = part_of_row(index, rank)?;
        let (length, others) = program.ty(*src).shape[row.len()..].split_first()?;
        let is_part =
            eq.guard.is_none() && *length != eq.ty.shape[0] && *others == eq.ty.shape[1..];
        let part = is_part.then(|| Part {
            array: *src,
            row,
            from,
            length: length.clone(),
        })?;
        // A part of a part.
        let around = program.eq(*src).filter(|_| part.row.is_empty());
        Some(match around.and_then(|eq| Part::of(program, eq)) {
            Some(around) => Part {
                from: around.from.add(&part.from),
                ..around
            },
            None => part,
        })
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
