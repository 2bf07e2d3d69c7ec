//! What is collected by one loop for another is computed again, if that is a single operation for
//! each element.
//!
//! ```text
//! (y, p) ← (f(y, p), g(p)), collecting p              y, p as before, collecting nothing
//! z ← z + h(p[k], y), from the last step to the first   (p, z) ← (g(p), z + h(p, y)), in the first direction
//! ```
//!
//! where g is an addition, a subtraction or a product. Elements of arrays that are written to
//! memory, and read again when all of the others have been, take longer than that. The second loop
//! only adds to its states, so its direction does not matter; that it can be joined with the one
//! that computes p again is seen by [`crate::passes::join`].

use super::accumulate::{is_sum, uses};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Program, Run, Type, Var};
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::{HashMap, HashSet};

/// The program with such loops, ready to be joined; `None` if there is none.
pub fn again(program: &Program) -> Option<Program> {
    let plan = plan(program);
    if plan.is_empty() {
        return None;
    }
    let mut out = Builder::new(&program.name, program.params.clone());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Var> = (0..program.params.len()).map(|k| Var(k as u32)).collect();
    for eq in &program.eqs {
        let found = eq
            .loop_result()
            .and_then(|(run, k)| Some((run, k, plan.get(&run)?)));
        let Some((run, k, collected)) = found else {
            let v = out.copy(eq, &mut |v| new[v.index()]);
            new.push(v);
            continue;
        };
        let of = &mut |v: Var| new[v.index()];
        let all = |vs: &[Var], of: &mut dyn FnMut(Var) -> Var| vs.iter().map(|v| of(*v)).collect();
        let steps = run.steps.map(|s| translate_size(s, of));
        let mut given: Vec<Var> = all(run.given, of);
        for c in collected {
            let ty = program.ty(run.given[c.at]);
            let shape = ty.shape.iter().map(|s| translate_size(s, of)).collect();
            let op = Op::Loop {
                looped: c.looped.clone(),
                steps: c.from.steps.map(|s| translate_size(s, of)),
                given: all(c.from.given, of),
                init: all(c.from.init, of),
                out: c.out,
            };
            let ty = Type {
                elem: ty.elem,
                shape,
            };
            given[c.at] = out.push(Eq {
                ty,
                guard: None,
                op,
            });
        }
        let looped = Looped::new(Loop {
            body: run.looped.body.clone(),
            goes_on: None,
            states: run.looped.states,
            reverse: collected[0].looped.reverse,
            keep: run.looped.keep,
        });
        let shape = eq.ty.shape.iter().map(|s| translate_size(s, of)).collect();
        let ty = Type {
            elem: eq.ty.elem,
            shape,
        };
        let init = all(run.init, of);
        let op = Op::Loop {
            looped,
            steps,
            given,
            init,
            out: k,
        };
        let v = out.push(Eq {
            ty,
            guard: None,
            op,
        });
        new.push(v);
    }
    for (k, p) in program.params.iter().enumerate() {
        let of = &mut |v: Var| new[v.index()];
        let shape = p.ty.shape.iter().map(|s| translate_size(s, of));
        out.set_param_shape(k, shape.collect());
    }
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    Some(live(&out.finish(results)))
}

/// What a loop is given that is computed again.
struct Collected<'a> {
    /// Its place among what is given.
    at: usize,
    /// The loop that has collected it.
    from: Run<'a>,
    /// That loop as far as it is needed, and the result that this is of it.
    looped: Looped,
    out: usize,
}

fn plan(program: &Program) -> HashMap<Run<'_>, Vec<Collected<'_>>> {
    let mut plan = HashMap::new();
    let uses = uses(program);
    let mut seen = HashSet::new();
    for eq in &program.eqs {
        let Some((run, _)) = eq.loop_result() else {
            continue;
        };
        let known = |r: &Run<'_>| r.steps.is_some() && r.looped.goes_on.is_none();
        if !seen.insert(run) || !known(&run) || run.looped.stacks() > 0 {
            continue;
        }
        let only_adds = (0..run.looped.states).all(|k| is_sum(run.looped, run.given.len(), k));
        if !only_adds {
            continue;
        }
        // What one loop has collected, and nobody else reads.
        let stacked: Vec<(usize, Run<'_>, usize)> = (run.given.iter().enumerate())
            .filter_map(|(at, v)| {
                let (from, out) = program.eq(*v)?.loop_result()?;
                let is_stack = (from.looped.states..from.looped.count()).contains(&out);
                (is_stack && from.steps == run.steps && known(&from)).then_some((at, from, out))
            })
            .collect();
        let Some(&(_, from, _)) = stacked.first() else {
            continue;
        };
        let fits = stacked.iter().all(|&(at, f, _)| {
            let v = run.given[at];
            let is_large = program.ty(v).rank() > 1 && program.ty(v).elem == Elem::Real;
            f == from && is_large && uses[v.index()] == 1 && reads_row(run, at)
        });
        let outs: Vec<usize> = stacked.iter().map(|(_, _, out)| *out).collect();
        if !fits {
            continue;
        }
        let Some(looped) = slice(from, &outs) else {
            continue;
        };
        let collected = stacked
            .into_iter()
            .enumerate()
            .map(|(k, (at, from, _))| Collected {
                at,
                from,
                looped: looped.clone(),
                out: from.looped.states + k,
            });
        plan.insert(run, collected.collect());
    }
    plan
}

/// Whether a loop reads of what it is given only the row of the step, whole.
fn reads_row(run: Run<'_>, at: usize) -> bool {
    let body = &run.looped.body;
    let param = Var(at as u32);
    let step = run.given.len() + run.looped.states;
    (body.eqs.iter()).all(|eq| {
        let mut used = false;
        eq.visit(&mut |v| used |= v == param);
        let rank = eq.ty.rank();
        let here = Affine::constant(rank, Size::atom(Atom::Value(step as u32)));
        let whole = (0..rank).map(|k| Affine::axis(rank, k));
        let wanted = std::iter::once(here).chain(whole).map(Ix::Affine);
        let is_row = matches!(&eq.op, Op::Gather { index, .. } if index.iter().cloned().eq(wanted));
        !used || (is_row && eq.guard.is_none() && body.ty(param).shape[1..] == eq.ty.shape)
    }) && !body.results.contains(&param)
}

/// The loop that collects these again, if that is cheap: an operation at most for each of them.
fn slice(from: Run<'_>, outs: &[usize]) -> Option<Looped> {
    let Loop { body, states, .. } = &**from.looped;
    let (states, first) = (*states, from.given.len());
    let mut needed = vec![false; states];
    let results = |needed: &[bool]| -> Vec<Var> {
        let kept = needed.iter().enumerate().map(|(k, is)| match is {
            true => body.results[k],
            false => Var((first + k) as u32),
        });
        kept.chain(outs.iter().map(|out| body.results[*out]))
            .collect()
    };
    // Which states the collected ones need, and these.
    loop {
        let mut wanted = needed.clone();
        let mut open: Vec<Var> = outs.iter().map(|out| body.results[*out]).collect();
        open.extend((0..states).filter(|k| needed[*k]).map(|k| body.results[k]));
        let mut seen = HashSet::new();
        while let Some(v) = open.pop() {
            if !seen.insert(v) {
                continue;
            }
            if let Some(k) = v.index().checked_sub(first).filter(|k| *k < states) {
                wanted[k] = true;
            }
            if let Some(eq) = body.eq(v) {
                eq.visit(&mut |u| open.push(u));
                eq.visit_sizes(&mut |s| {
                    s.visit(&mut |a| {
                        if let Atom::Value(u) = a {
                            open.push(Var(*u));
                        }
                    });
                });
            }
        }
        if wanted == needed {
            break;
        }
        needed = wanted;
    }
    let program = Program {
        results: results(&needed),
        ..body.clone()
    };
    let program = live(&program);
    let shape = &body.ty(body.results[outs[0]]).shape;
    let mut operations = 0;
    for eq in &program.eqs {
        match &eq.op {
            Op::Fill(_) | Op::Index(_) | Op::Gather { .. } | Op::Copy(_) | Op::Stop(_) => {}
            Op::Map(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg, _) if eq.ty.shape == *shape => {
                operations += 1;
            }
            Op::Map(p, _) if p.cost() == 0 => {}
            Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. } => return None,
        }
    }
    let is_cheap = operations <= outs.len();
    let all_alike = outs
        .iter()
        .all(|out| body.ty(body.results[*out]).shape == *shape);
    (is_cheap && all_alike).then(|| {
        Looped::new(Loop {
            body: program,
            states,
            goes_on: None,
            reverse: from.looped.reverse,
            keep: from.looped.keep,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::again;
    use crate::ir::value::{Tensor, Value};
    use crate::ir::{bulk_check, bulk_eval, bulk_text};
    use crate::passes::join::join;

    const POWERS: &str = "fn f(t: real[d0.0], x: real[d1.0])
        v2: real[d0.0] = fill 1.0
        loop 0 with 2 states
            fn step(t: real[d0.0], x: real[d1.0], e: real[d0.0], p: real[d0.0], j: int[])
            v5: real[d0.0] = gather v1[(v4)]
            v6: real[d0.0] = mul(v5, v3)
            v7: real[d0.0] = sub(v2, v6)
            v8: real[d0.0] = mul(v3, v0)
            return v7, v8, v3
        v3: real[d1.0, d0.0] = loop 0 out 2 given [v0, v1] from [v0, v2] for d1.0
        v4: real[d0.0] = loop 0 out 0 given [v0, v1] from [v0, v2] for d1.0
        v5: real[d1.0] = fill 0.0
        loop 1 with 1 states reverse
            fn step(s: real[d1.0, d0.0], y: real[d0.0], z: real[d1.0], j: int[])
            v4: real[d0.0] = gather v0[(v3), i0]
            v5: real[] = contract v4[a] * v1[a] -> []
            v6: real[d1.0] = scatter v2[i0] + v5[(v3)]
            return v6
        v6: real[d1.0] = loop 1 out 0 given [v3, v4] from [v5] for d1.0
        return v6";

    #[test]
    fn one_product_is_computed_again() {
        let before = bulk_text::parse(POWERS).unwrap();
        let after = join(&again(&before).expect("it fires"));
        bulk_check::check(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
        // Nothing is collected for the second loop any more.
        assert!(after.eqs.iter().all(|eq| eq.ty.rank() < 2), "{after}");
        let reals = |data: &[f64]| Value::Real(Tensor::new(vec![data.len()], data.to_vec()));
        for x in [&[][..], &[2.0], &[0.5, -1.0, 3.0]] {
            let args = [reals(&[1.0, 2.0, -3.0, 0.5]), reals(x)];
            let run = |program| bulk_eval::eval(program, &args).unwrap().results;
            assert_eq!(run(&before), run(&after));
        }
    }

    #[test]
    fn what_is_dear_or_needed_elsewhere_is_collected() {
        let two = POWERS.replace("mul(v3, v0)", "exp(v3)");
        // The second loop looks at its state.
        let looks = POWERS.replace("scatter v2[i0] + v5[(v3)]", "mul(v2, v2)");
        let used = POWERS.replace("d1.0\n        return v6", "d1.0\n        return v6, v3");
        let other_row = POWERS.replace("gather v0[(v3), i0]", "gather v0[0, i0]");
        for text in [two, looks, used, other_row] {
            let program = bulk_text::parse(&text).unwrap();
            bulk_check::check(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
            assert!(again(&program).is_none(), "{program}");
        }
    }
}
