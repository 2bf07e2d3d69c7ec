//! The equations that the results of a program need, in a canonical order.

use super::build::{Builder, translate_size};
use super::bulk::{Program, Var};
use super::ty::{Atom, Size};

/// The equations that the results need, in the order in which a walk from the results meets them,
/// and equal ones once. So the order in which equations were written has no influence on anything.
pub fn live(program: &Program) -> Program {
    let mut walk = Walk {
        program,
        out: Builder::new(&program.name, program.params.clone()),
        new: (0..program.params.len() + program.eqs.len())
            .map(|k| (k < program.params.len()).then_some(Var(k as u32)))
            .collect(),
    };
    for p in &program.params {
        p.ty.shape.iter().for_each(|n| walk.needs_size(n));
    }
    let results = program.results.iter().map(|r| walk.need(*r)).collect();
    let (mut out, new) = (walk.out, walk.new);
    for (k, p) in program.params.iter().enumerate() {
        let shape = (p.ty.shape.iter())
            .map(|n| translate_size(n, &mut |v| new[v.index()].expect("needed above")))
            .collect();
        out.set_param_shape(k, shape);
    }
    for r in &program.requires {
        out.require(r.clone());
    }
    out.finish(results)
}

/// A walk over what is needed, operands before their uses.
struct Walk<'a> {
    program: &'a Program,
    out: Builder,
    new: Vec<Option<Var>>,
}

impl Walk<'_> {
    fn needs_size(&mut self, s: &Size) {
        s.visit(&mut |a| {
            if let Atom::Value(v) = a {
                self.need(Var(*v));
            }
        });
    }

    /// The variable in the new program. The stack is our own: chains of equations can be long.
    fn need(&mut self, v: Var) -> Var {
        let mut stack = vec![v];
        while let Some(&v) = stack.last() {
            if self.new[v.index()].is_some() {
                stack.pop();
                continue;
            }
            let eq = self.program.eq(v).expect("parameters are known");
            let mut missing = vec![];
            let mut look = |u: Var| {
                if self.new[u.index()].is_none() {
                    missing.push(u);
                }
            };
            eq.visit(&mut look);
            eq.visit_sizes(&mut |s| {
                s.visit(&mut |a| {
                    if let Atom::Value(u) = a {
                        look(Var(*u));
                    }
                });
            });
            if missing.is_empty() {
                let new = &self.new;
                let out = self
                    .out
                    .copy(eq, &mut |u| new[u.index()].expect("none is missing"));
                self.new[v.index()] = Some(out);
                stack.pop();
            } else {
                missing.reverse();
                stack.extend(missing);
            }
        }
        self.new[v.index()].expect("just made")
    }
}
