//! Lengths that are a number wherever they matter.
//!
//! ```text
//! require n == 4 when m     and n is mentioned only where there is nothing for m = 0:     n := 4
//! ```
//!
//! There is nothing where `m` is an axis of what is computed, or the number of steps of a loop. So
//! what a loop does with 4 × 4 matrices is known to be about these, though the demand is made only
//! if the loop runs. This is done when a program is about to become kernels, not before: the
//! derivatives of what has such a length have the length that the argument has.

use crate::ir::bulk::{Eq, Looped, Op, Program, Relation, Require, Run, Var};
use crate::ir::ty::{Atom, Size};

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
    use super::lengths;
    use crate::ir::{bulk_check, bulk_text};

    /// The program with numbers for lengths, as text.
    fn known(text: &str) -> Option<String> {
        let program = bulk_text::parse(text).unwrap();
        bulk_check::check(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        let known = lengths(&program)?;
        bulk_check::check(&known).unwrap_or_else(|e| panic!("{e}\n{known}"));
        Some(known.to_string())
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
