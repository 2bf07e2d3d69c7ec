//! Lengths that demands make equal, where they matter.
//!
//! ```text
//! require n == k when m     in a loop that runs only if m is positive:                    n := k
//! require n == 4 when m     and n is mentioned only where there is nothing for m = 0:     n := 4
//! ```
//!
//! A loop over a list of matrices demands their lengths only if there is one. Its body reads
//! arguments at the lengths that it knows ([`in_loops`]). Arguments and results keep their own
//! lengths, so that a gradient is as long as its argument.
//!
//! There is nothing where `m` is an axis of what is computed, or the number of steps of a loop. So
//! what a loop does with 4 × 4 matrices is known to be about these, though the demand is made only
//! if the loop runs. This is done when a program is about to become kernels, not before: the
//! derivatives of what has such a length have the length that the argument has ([`lengths`]).

use crate::ir::build::Builder;
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Program, Relation, Require, Run, Var};
use crate::ir::ty::{Atom, Size};
use std::collections::HashMap;

/// The program whose loops have one size for lengths that are equal where they run, if there are
/// any.
pub fn in_loops(program: &Program) -> Option<Program> {
    let is_equality = |r: &&Require| r.relation == Relation::Equal;
    let equal: Vec<Require> = program
        .requires
        .iter()
        .filter(is_equality)
        .cloned()
        .collect();
    if equal.is_empty() {
        return None;
    }
    let new = with_equal(program, &equal, &[]);
    (new != *program).then_some(new)
}

/// A program, in a loop or not, with the loops in it changed. All of `runs` are positive.
fn with_equal(program: &Program, equal: &[Require], runs: &[Size]) -> Program {
    let mut program = program.clone();
    let mut done: HashMap<(Looped, Size), Looped> = HashMap::new();
    for eq in &mut program.eqs {
        let Op::Loop { looped, steps, .. } = &mut eq.op else {
            continue;
        };
        // How many steps a loop with a condition takes says nothing about lengths.
        let steps = steps.clone().unwrap_or(Size::lit(1));
        let new = done
            .entry((looped.clone(), steps))
            .or_insert_with_key(|(looped, steps)| {
                let runs = [runs, std::slice::from_ref(steps)].concat();
                body_with_equal(looped, equal, &runs)
            });
        *looped = new.clone();
    }
    program
}

fn body_with_equal(looped: &Looped, equal: &[Require], runs: &[Size]) -> Looped {
    let is_positive =
        |m: &Size| m.at_least_given(1, runs) || runs.iter().any(|n| m.sub(n).at_least(0));
    let holds = |r: &&Require| r.when.iter().all(is_positive);
    let first = looped.body.params.len() - 1 - looped.states;
    let states = &looped.body.params[first..];
    let is_kept = |dim: &Atom| {
        let mut shapes = states.iter().flat_map(|p| &p.ty.shape);
        shapes.any(|s| mentions(s, dim))
    };
    let mut known: Vec<(Atom, Size)> = vec![];
    let put = |known: &[(Atom, Size)], s: &Size| {
        known.iter().fold(s.clone(), |s, (from, to)| {
            s.substitute(&mut |a| match a == from {
                true => to.clone(),
                false => Size::atom(a.clone()),
            })
        })
    };
    for r in equal.iter().filter(holds) {
        let (a, b) = (put(&known, &r.left), put(&known, &r.right));
        // The later of two lengths gives way, if no state has it.
        let (low, high) = if later(&a, &b) { (b, a) } else { (a, b) };
        let pairs = [(&high, &low), (&low, &high)];
        let pair = pairs.into_iter().find_map(|(from, to)| {
            let dim = from.as_atom().filter(|a| matches!(a, Atom::Dim { .. }))?;
            let is_length = matches!(to.as_atom(), Some(Atom::Dim { .. }));
            (is_length && from != to && !is_kept(dim)).then(|| (dim.clone(), to.clone()))
        });
        known.extend(pair);
    }
    let put = |s: &Size| put(&known, s);
    let equal: Vec<Require> = (equal.iter())
        .map(|r| Require {
            when: r.when.iter().map(put).collect(),
            left: put(&r.left),
            right: put(&r.right),
            ..r.clone()
        })
        .collect();
    let runs: Vec<Size> = runs.iter().map(put).collect();
    let body = match known.is_empty() {
        true => looped.body.clone(),
        false => resized(&looped.body, &put),
    };
    Looped::new(Loop {
        body: with_equal(&body, &equal, &runs),
        ..(**looped).clone()
    })
}

/// Whether a length is one of a later argument, or of a later axis.
fn later(a: &Size, b: &Size) -> bool {
    let place = |s: &Size| {
        let Some(Atom::Dim { param, axis }) = s.as_atom() else {
            return None;
        };
        Some((*param, *axis))
    };
    place(a) > place(b)
}

/// The body of a loop with other sizes inside. Its parameters and results have the shapes they had.
fn resized(body: &Program, put: &dyn Fn(&Size) -> Size) -> Program {
    let mut inside = body.clone();
    inside.resize(put);
    let mut out = Builder::new(&body.name, body.params.clone());
    let as_long = |out: &mut Builder, v: Var, shape: &[Size]| match out.shape(v) == shape {
        true => v,
        false => {
            let rank = shape.len();
            let index = (0..rank).map(|k| Ix::Affine(Affine::axis(rank, k)));
            out.gather(v, index.collect(), shape, None)
        }
    };
    let mut new: Vec<Var> = (inside.params.iter().enumerate())
        .map(|(k, p)| as_long(&mut out, Var(k as u32), &p.ty.shape))
        .collect();
    for eq in &inside.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    let results: Vec<Var> = (body.results.iter())
        .map(|r| match r.index() < body.params.len() {
            true => *r,
            false => as_long(&mut out, new[r.index()], &body.ty(*r).shape),
        })
        .collect();
    out.finish(results)
}

/// The program with such lengths as numbers, if there are any. The demands stay.
pub fn lengths(program: &Program) -> Option<Program> {
    let mut known: Vec<(Atom, i64)> = vec![];
    for r in &program.requires {
        let Some((dim, n)) = number(r) else { continue };
        let is_new = known.iter().all(|(d, _)| *d != dim);
        if is_new && r.when.iter().all(|m| matters_only_with(program, &dim, m)) {
            known.push((dim, n));
        }
    }
    if known.is_empty() {
        return None;
    }
    let put = |s: &Size| {
        s.substitute(&mut |a| match known.iter().find(|(d, _)| d == a) {
            Some((_, n)) => Size::lit(*n),
            None => Size::atom(a.clone()),
        })
    };
    let mut program = program.clone();
    program.resize(&put);
    Some(program)
}

/// What a demand says about a length, if that it is a number.
fn number(r: &Require) -> Option<(Atom, i64)> {
    if r.relation != Relation::Equal {
        return None;
    }
    let of = |a: &Size, b: &Size| match a.as_atom()? {
        dim @ Atom::Dim { .. } => Some((dim.clone(), b.as_lit().filter(|n| *n >= 0)?)),
        Atom::Int { .. }
        | Atom::Value(_)
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => None,
    };
    of(&r.left, &r.right).or_else(|| of(&r.right, &r.left))
}

/// Whether nothing of a program depends on a length where `m` is not positive.
fn matters_only_with(program: &Program, dim: &Atom, m: &Size) -> bool {
    let in_shape = |v: &Var| program.ty(*v).shape.iter().any(|s| mentions(s, dim));
    let is_empty = |v: &Var| program.ty(*v).shape.contains(m);
    // A parameter has its own length, and no other one has it.
    let owner = match dim {
        Atom::Dim { param, .. } => Some(*param),
        Atom::Int { .. }
        | Atom::Value(_)
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => None,
    };
    let params = (0..program.params.len()).filter(|k| Some(*k) != owner);
    let others = params.map(|k| Var(k as u32)).any(|v| in_shape(&v));
    let results = program.results.iter().any(|v| in_shape(v) && !is_empty(v));
    let first = program.params.len();
    !others
        && !results
        && (program.eqs.iter().enumerate()).all(|(k, eq)| {
            if is_empty(&Var((first + k) as u32)) {
                return true;
            }
            match &eq.op {
                // Its own shape and its first states are those of other equations.
                Op::Loop {
                    steps: Some(n),
                    init,
                    ..
                } if n == m => {
                    !eq.ty.shape.iter().any(|s| mentions(s, dim))
                        && !init.iter().any(|v| in_shape(v) && !is_empty(v))
                }
                // Whole operands have lengths of their own; of reads only the places count.
                Op::Gather { .. } => !eq_mentions(eq, dim),
                Op::Fill(_)
                | Op::Index(_)
                | Op::Map(..)
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Loop { .. }
                | Op::Call { .. }
                | Op::Copy(_)
                | Op::Stop(_) => {
                    let mut whole = false;
                    eq.visit(&mut |v| whole |= in_shape(&v) && !is_empty(&v));
                    !whole && !eq_mentions(eq, dim)
                }
            }
        })
}

fn mentions(s: &Size, dim: &Atom) -> bool {
    let mut found = false;
    s.visit(&mut |a| found |= a == dim);
    found
}

/// Whether an equation mentions a length, or a program in it does.
fn eq_mentions(eq: &Eq, dim: &Atom) -> bool {
    let inside = |(run, _): (Run<'_>, usize)| loop_mentions(run.looped, dim);
    own_sizes_mention(eq, dim) || eq.loop_result().is_some_and(inside)
}

fn own_sizes_mention(eq: &Eq, dim: &Atom) -> bool {
    let mut found = false;
    eq.visit_sizes(&mut |s| found |= mentions(s, dim));
    found
}

fn loop_mentions(looped: &Looped, dim: &Atom) -> bool {
    let mut programs = std::iter::once(&looped.body).chain(&looped.goes_on);
    programs.any(|p| {
        (p.params.iter()).any(|p| p.ty.shape.iter().any(|s| mentions(s, dim)))
            || p.eqs.iter().any(|eq| own_sizes_mention(eq, dim))
            || p.loops().any(|inner| loop_mentions(inner, dim))
    })
}

#[cfg(test)]
mod tests {
    use super::{in_loops, lengths};
    use crate::ir::{bulk_check, bulk_text};

    /// The program with numbers for lengths, as text.
    fn known(text: &str) -> Option<String> {
        let program = bulk_text::parse(text).unwrap();
        bulk_check::check(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        let known = lengths(&program)?;
        bulk_check::check(&known).unwrap_or_else(|e| panic!("{e}\n{known}"));
        Some(known.to_string())
    }

    /// Layers in a loop: `w·h`, as long as `h`.
    fn layers(demands: &str, steps: &str) -> String {
        let text = format!(
            "fn f(w: real[d0.0, d0.1, d0.2], x: real[d1.0])
              {demands}
              loop 0 with 1 states
                fn step(w: real[d0.0, d0.1, d0.2], h: real[d1.0], i: int[])
                  v3: real[d0.1, d0.2] = gather v0[(v2), i0, i1]
                  v4: real[d0.2] = gather v1[i0]
                  v5: real[d0.1] = contract v3[a, b] * v4[b] -> [a]
                  v6: real[d1.0] = gather v5[i0]
                  return v6
              v2: real[d1.0] = loop 0 out 0 given [v0] from [v1] for {steps}
              return v2"
        );
        let program = bulk_text::parse(&text).unwrap();
        bulk_check::check(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        let Some(program) = in_loops(&program) else {
            return String::new();
        };
        bulk_check::check(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        program.to_string()
    }

    #[test]
    fn a_loop_knows_which_lengths_are_equal() {
        let both = "require d0.1 == d1.0 when d0.0
              require d0.2 == d1.0 when d0.0";
        for steps in ["d0.0", "d0.0 - 1", "1 + d0.0"] {
            let program = layers(both, steps);
            let is_known = steps != "1 + d0.0";
            assert_eq!(
                program.contains(": real[d1.0] = contract"),
                is_known,
                "{program}"
            );
            // What it is given has its own lengths, for those who differentiate it.
            assert_eq!(
                program.contains("fn step(w: real[d0.0, d0.1, d0.2], h: real[d1.0]"),
                is_known,
                "{program}"
            );
        }
        let rows = layers("require d0.1 == d0.2 when d0.0", "d0.0");
        assert!(rows.contains("real[d0.1, d0.1]"), "{rows}");
    }

    /// Sums of rows, one in each step, and more equations and results.
    fn rows(steps: &str, more: &str, results: &str) -> String {
        format!(
            "fn f(x: real[d0.0], m: real[d1.0, d1.1])
              require d1.1 == 3 when d0.0
              loop 0 with 1 states
                fn step(m: real[d1.0, d1.1], s: real[], i: int[])
                  v3: real[d1.1] = gather v0[(v2), i0]
                  v4: real[] = sum v3 over [0]
                  v5: real[] = add(v1, v4)
                  return v5
              v2: real[] = fill 0.0
              v3: real[] = loop 0 out 0 given [v1] from [v2] for {steps}
              {more}
              return v3{results}"
        )
    }

    #[test]
    fn what_a_loop_demands_is_known_in_it() {
        let program = known(&rows("d0.0", "", "")).unwrap();
        assert!(program.contains("m: real[d1.0, 3]"), "{program}");
        assert!(program.contains("v3: real[3] = gather"), "{program}");
        assert!(program.contains("require d1.1 == 3 when d0.0"), "{program}");
        let row = "v4: real[d0.0, d1.1] = gather v0[i0]";
        let program = known(&rows("d0.0", row, ", v4")).unwrap();
        assert!(program.contains("v4: real[d0.0, 3]"), "{program}");
    }

    #[test]
    fn what_matters_without_the_loop_is_as_it_was() {
        assert_eq!(known(&rows("d0.0 + 1", "", "")), None);
        let all = "v4: real[] = sum v1 over [0, 1]";
        assert_eq!(known(&rows("d0.0", all, ", v4")), None);
        let length = "v4: int[] = index d1.1";
        assert_eq!(known(&rows("d0.0", length, ", v4")), None);
        let first = "v4: real[d1.1] = gather v0[0]";
        assert_eq!(known(&rows("d0.0", first, ", v4")), None);
        assert_eq!(known(&rows("d0.0", "", ", v1")), None);
    }
}
