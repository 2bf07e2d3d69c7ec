//! What programs read and change.

use super::{Eq, Op, Program};
use crate::ir::ty::{Atom, Size};

impl Program {
    /// For each parameter whether it has an influence at all: on elements, on sizes, or on whether
    /// the function panics on entry. The program has no dead equations.
    pub fn read_params(&self) -> Vec<bool> {
        let mut read = vec![false; self.params.len()];
        let mut mark = |k: usize| {
            if let Some(read) = read.get_mut(k) {
                *read = true;
            }
        };
        self.results.iter().for_each(|r| mark(r.index()));
        for eq in &self.eqs {
            eq.visit(&mut |v| mark(v.index()));
        }
        self.visit_params_in_sizes(&mut mark);
        for r in &self.requires {
            let sizes = r.when.iter().chain([&r.left, &r.right]);
            sizes.for_each(|s| params_in(s, &mut mark));
        }
        read
    }

    /// Calls `f` on each parameter of the function that sizes mention, inside of loops too.
    fn visit_params_in_sizes(&self, f: &mut dyn FnMut(usize)) {
        for eq in &self.eqs {
            eq.visit_sizes(&mut |s| params_in(s, f));
            if let Some((run, _)) = eq.loop_result() {
                let conditions = run.looped.goes_on.iter();
                for program in conditions.chain([&run.looped.body]) {
                    program.visit_params_in_sizes(f);
                }
            }
        }
    }

    /// Whether elements of arrays are replaced, inside of loops too.
    pub fn changes_in_place(&self) -> bool {
        self.eqs.iter().any(|eq| match eq.loop_result() {
            Some((run, _)) => run.looped.body.changes_in_place(),
            None => matches!(eq.op, Op::Update { .. }),
        })
    }

    /// Whether a dependence on some of the parameters goes through what is constant for
    /// differentiation.
    pub fn stops(&self, params: Vec<bool>) -> bool {
        let on = self.dependent(params);
        let mut eqs = self.eqs.iter();
        eqs.any(|eq| eq.dependent(&on) && eq.has_stop())
    }
}

impl Eq {
    /// Whether something is constant for differentiation in it.
    fn has_stop(&self) -> bool {
        match self.loop_result() {
            Some((run, _)) => run.looped.body.eqs.iter().any(Eq::has_stop),
            None => matches!(self.op, Op::Stop(_)),
        }
    }
}

/// Calls `f` on each parameter of the function that a size mentions.
fn params_in(s: &Size, f: &mut dyn FnMut(usize)) {
    s.visit(&mut |a| match a {
        Atom::Dim { param, .. } | Atom::Int { param } => f(*param),
        // An equation, which mentions what it depends on.
        Atom::Value(_) => {}
        Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {}
    });
}
