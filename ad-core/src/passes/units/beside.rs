//! A loop of values of a unit as a part of a loop of products of it.
//!
//! ```text
//! y[k] = value(x[k]) for k < n                 (s, y[k]) ← (g(s, vjp(x[k], t[k])), value(x[k])) for k < n
//! s ← g(s, vjp(x[k], t[k])) for k < n     ⟶
//! ```
//!
//! Both have as many steps, the loop of the values has no states, and neither depends on the other.
//! Then the value comes with the product, and a recursive function whose calls only enter linearly
//! calls its derivative once for each call of its own, at every depth.

use super::{call, depends, in_order, mentions_units, shared};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Loop, Looped, Op, Param, Program, Run, Type, Var};
use crate::ir::core::Keep;
use crate::ir::ty::Size;
use crate::ir::unit::{Called, Rule};
use std::collections::HashSet;

/// The program with a loop of values as a part of a loop of products of the same unit, if this
/// saves calls.
pub(super) fn side_by_side(program: &Program) -> Option<Program> {
    let mut runs: Vec<Run<'_>> = vec![];
    for (run, _) in program.eqs.iter().filter_map(Eq::loop_result) {
        if !runs.contains(&run) && mentions_units(&run.looped.body) {
            runs.push(run);
        }
    }
    for &values in &runs {
        let plain = |r: Run<'_>| r.steps.is_some() && r.looped.goes_on.is_none();
        if values.looped.states > 0 || values.looped.keep.recomputes() || !plain(values) {
            continue;
        }
        for &products in &runs {
            if products == values || !plain(products) || products.steps != values.steps {
                continue;
            }
            let depends = |on, by| depends(program, &|eq| of_run(eq, on), &|eq| of_run(eq, by));
            if products.looped.keep.recomputes()
                || depends(values, products)
                || depends(products, values)
            {
                continue;
            }
            let (looped, given) = beside(values, products);
            let body = shared(&looped.body);
            if count(&body) < count(&values.looped.body) + count(&products.looped.body) {
                let looped = Looped::new(Loop { body, ..looped });
                return Some(merged(program, values, products, &looped, &given));
            }
        }
    }
    None
}

/// Whether an equation is a result of a loop.
fn of_run(eq: &Eq, run: Run<'_>) -> bool {
    eq.loop_result().is_some_and(|(r, _)| r == run)
}

/// How many calls of units a program has, each loop as one step.
fn count(program: &Program) -> usize {
    let mut seen: HashSet<(&Called, Rule, &Vec<Var>)> = HashSet::new();
    let mut runs: HashSet<Run<'_>> = HashSet::new();
    let mut count = 0;
    for eq in &program.eqs {
        if let Some(call) = call(eq) {
            count += usize::from(seen.insert(call));
        } else if let Some((run, _)) = eq.loop_result()
            && runs.insert(run)
        {
            count += self::count(&run.looped.body);
        }
    }
    count
}

/// Two loops as one, and what it is given: the states and the direction are those of `products`,
/// and what `values` stacks comes last.
fn beside<'a>(values: Run<'a>, products: Run<'a>) -> (Loop, Vec<Var>) {
    let (a, b) = (values.looped, products.looped);
    let mut given = products.given.to_vec();
    for v in values.given {
        if !given.contains(v) {
            given.push(*v);
        }
    }
    let at = |v: &Var| given.iter().position(|g| g == v).expect("it is given");
    let (own, all) = (products.given.len(), given.len());
    let place = |k: usize| if k < own { k } else { k - own + all };
    let mut of_b: Vec<Var> = (0..b.body.params.len())
        .map(|k| Var(place(k) as u32))
        .collect();
    let index = *of_b.last().expect("a loop has an index");
    let mut of_a: Vec<Var> = values.given.iter().map(|v| Var(at(v) as u32)).collect();
    of_a.push(index);
    let mut params: Vec<Option<Param>> = vec![None; index.index() + 1];
    let mut name = |program: &Program, of: &[Var]| {
        for (p, v) in program.params.iter().zip(of) {
            let size = |s: &Size| translate_size(s, &mut |v| of[v.index()]);
            params[v.index()].get_or_insert_with(|| Param {
                name: p.name.clone(),
                ty: Type {
                    elem: p.ty.elem,
                    shape: p.ty.shape.iter().map(size).collect(),
                },
            });
        }
    };
    name(&b.body, &of_b);
    name(&a.body, &of_a);
    let params = params.into_iter().map(|p| p.expect("each has one"));
    let mut out = Builder::new(&b.body.name, params.collect());
    let mut results = vec![];
    for (program, of) in [(&b.body, &mut of_b), (&a.body, &mut of_a)] {
        for eq in &program.eqs {
            let v = out.copy(eq, &mut |v| of[v.index()]);
            of.push(v);
        }
        results.extend(program.results.iter().map(|r| of[r.index()]));
    }
    let looped = Loop {
        body: out.finish(results),
        states: b.states,
        goes_on: None,
        reverse: b.reverse,
        keep: Keep::Residuals,
    };
    (looped, given)
}

/// The program with one loop for two.
fn merged(
    program: &Program,
    values: Run<'_>,
    products: Run<'_>,
    looped: &Looped,
    given: &[Var],
) -> Program {
    let mut all = program.eqs.clone();
    for eq in &mut all {
        let Some((run, out)) = eq.loop_result() else {
            continue;
        };
        if run != products && run != values {
            continue;
        }
        let out = match out {
            _ if out == run.looped.count() => looped.count(),
            _ if run == values => out + products.looped.count(),
            _ => out,
        };
        eq.op = Op::Loop {
            looped: looped.clone(),
            steps: products.steps.cloned(),
            given: given.to_vec(),
            init: products.init.to_vec(),
            out,
        };
    }
    in_order(program, &all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{bulk_check, bulk_text};

    /// A sum of values times elements, and a linear loop backwards over the same calls.
    fn program(cotangent: &str) -> Program {
        let text = format!(
            "fn f(x: real[d0.0], w: real[])
  loop 0 with 0 states
    fn step(x: real[d0.0], k: int[])
      v2: real[] = gather v0[(v1)]
      v3: real[] = call \"g /  / real 0 / real 0 / jvp vjp\" value 0 (v2)
      return v3
  v2: real[d0.0] = loop 0 out 0 given [v0] from [] for d0.0
  loop 1 with 1 states reverse
    fn step(x: real[d0.0], w: real[d0.0], s: real[], k: int[])
      v4: real[] = gather v0[(v3)]
      v5: real[] = gather v1[(v3)]
      v6: real[] = call \"g /  / real 0 / real 0 / jvp vjp\" vjp 1 (v4, v5)
      v7: real[] = add(v2, v6)
      return v7
  v3: real[] = loop 1 out 0 given [v0, {cotangent}] from [v1] for d0.0
  v4: real[] = sum v2 over [0]
  return v4, v3
"
        );
        bulk_text::parse(&text).unwrap()
    }

    #[test]
    fn the_value_comes_with_the_product() {
        let program = program("v0");
        assert_eq!(count(&program), 2);
        let shared = shared(&program);
        bulk_check::check(&shared).unwrap();
        let runs = shared.eqs.iter().filter_map(Eq::loop_result);
        let runs: HashSet<Run<'_>> = runs.map(|(run, _)| run).collect();
        assert_eq!((runs.len(), count(&shared)), (1, 1));
    }

    #[test]
    fn not_where_the_product_depends_on_the_value() {
        let program = program("v2");
        assert_eq!(shared(&program), program);
    }
}
