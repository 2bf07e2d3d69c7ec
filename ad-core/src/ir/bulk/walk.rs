//! Walks over an equation: the variables and sizes in it, the same equation with others, and on
//! what it depends.
//!
//! A new kind of operation has an arm in `visit`, in `visit_sizes` and in `map`.

use super::{Affine, Eq, Ix, Op, Part, Program, Set, Type, Var};
use crate::ir::ty::Size;
use crate::ir::unit::Given;

impl Eq {
    /// Calls `f` on every variable that the equation uses, its guard last; not on those inside of a
    /// loop. Variables inside symbolic sizes are not among them, see [`Eq::visit_sizes`].
    pub fn visit(&self, f: &mut dyn FnMut(Var)) {
        let ix = |index: &[Ix], f: &mut dyn FnMut(Var)| {
            for i in index {
                if let Ix::Data(v) = i {
                    f(*v);
                }
            }
        };
        match &self.op {
            Op::Fill(_) | Op::Index(_) => {}
            Op::Map(_, args) => args.iter().for_each(|v| f(*v)),
            Op::Gather { src, index } => {
                f(*src);
                ix(index, f);
            }
            Op::Scatter(parts) => {
                for p in parts {
                    f(p.src);
                    ix(&p.index, f);
                }
            }
            Op::Reduce { src, .. } | Op::ArgReduce { src, .. } => f(*src),
            Op::Recur { a, mask, b, .. } => {
                f(*a);
                mask.iter().chain(&b.var()).for_each(|v| f(*v));
            }
            Op::Contract { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Op::Update {
                src, part, when, ..
            } => {
                f(*src);
                f(part.src);
                ix(&part.index, f);
                when.iter().for_each(|v| f(*v));
            }
            Op::Loop { given, init, .. } => given.iter().chain(init).for_each(|v| f(*v)),
            Op::Call { args, .. } => args.iter().for_each(|v| f(*v)),
            Op::Copy(src) | Op::Stop(src) => f(*src),
        }
        if let Some(g) = self.guard {
            f(g);
        }
    }

    /// Calls `f` on every symbolic size in the equation.
    pub fn visit_sizes(&self, f: &mut dyn FnMut(&Size)) {
        fn affine(a: &Affine, f: &mut dyn FnMut(&Size)) {
            a.coefs.iter().for_each(&mut *f);
            f(&a.constant);
        }
        fn ix(index: &[Ix], f: &mut dyn FnMut(&Size)) {
            for i in index {
                if let Ix::Affine(a) = i {
                    affine(a, f);
                }
            }
        }
        self.ty.shape.iter().for_each(&mut *f);
        match &self.op {
            Op::Index(a) => affine(a, f),
            Op::Gather { index, .. } => ix(index, f),
            Op::Scatter(parts) => parts.iter().for_each(|p| ix(&p.index, f)),
            Op::Update { part, .. } => ix(&part.index, f),
            Op::Loop { steps, .. } => steps.iter().for_each(f),
            Op::Fill(_)
            | Op::Map(..)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => {}
        }
    }

    /// The equation with every variable and every size replaced.
    pub fn map(&self, var: &mut dyn FnMut(Var) -> Var, size: &mut dyn FnMut(&Size) -> Size) -> Eq {
        fn affine(a: &Affine, size: &mut dyn FnMut(&Size) -> Size) -> Affine {
            Affine {
                coefs: a.coefs.iter().map(&mut *size).collect(),
                constant: size(&a.constant),
            }
        }
        fn ix(
            index: &[Ix],
            var: &mut dyn FnMut(Var) -> Var,
            size: &mut dyn FnMut(&Size) -> Size,
        ) -> Vec<Ix> {
            (index.iter())
                .map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(affine(a, size)),
                    Ix::Data(v) => Ix::Data(var(*v)),
                })
                .collect()
        }
        let op = match &self.op {
            Op::Fill(l) => Op::Fill(*l),
            Op::Index(a) => Op::Index(affine(a, size)),
            Op::Map(p, args) => Op::Map(*p, args.iter().map(|v| var(*v)).collect()),
            Op::Gather { src, index } => Op::Gather {
                src: var(*src),
                index: ix(index, var, size),
            },
            Op::Scatter(parts) => Op::Scatter(
                (parts.iter())
                    .map(|p| Part {
                        src: var(p.src),
                        index: ix(&p.index, var, size),
                    })
                    .collect(),
            ),
            Op::Reduce { op, src, axes } => Op::Reduce {
                op: *op,
                src: var(*src),
                axes: axes.clone(),
            },
            Op::ArgReduce { op, src, axis } => Op::ArgReduce {
                op: *op,
                src: var(*src),
                axis: *axis,
            },
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => Op::Recur {
                a: var(*a),
                mask: mask.map(&mut *var),
                b: b.map(&mut *var),
                axis: *axis,
                reverse: *reverse,
            },
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => Op::Contract {
                a: var(*a),
                b: var(*b),
                a_axes: a_axes.clone(),
                b_axes: b_axes.clone(),
                out_axes: out_axes.clone(),
            },
            Op::Update {
                src,
                part,
                when,
                marks,
            } => Op::Update {
                src: var(*src),
                marks: *marks,
                when: when.map(&mut *var),
                part: Part {
                    src: var(part.src),
                    index: ix(&part.index, var, size),
                },
            },
            Op::Loop {
                looped,
                steps,
                given,
                init,
                out,
            } => Op::Loop {
                looped: looped.clone(),
                steps: steps.as_ref().map(&mut *size),
                given: given.iter().map(|v| var(*v)).collect(),
                init: init.iter().map(|v| var(*v)).collect(),
                out: *out,
            },
            Op::Call {
                unit,
                rule,
                args,
                out,
            } => Op::Call {
                unit: unit.clone(),
                rule: *rule,
                args: args.iter().map(|v| var(*v)).collect(),
                out: *out,
            },
            Op::Copy(v) => Op::Copy(var(*v)),
            Op::Stop(v) => Op::Stop(var(*v)),
        };
        Eq {
            ty: Type {
                elem: self.ty.elem,
                shape: self.ty.shape.iter().map(&mut *size).collect(),
            },
            guard: self.guard.map(var),
            op,
        }
    }

    /// Whether what it defines depends on the variables for which `on` says so.
    pub fn dependent(&self, on: &[bool]) -> bool {
        let mut depends = false;
        self.sources(&mut |v| depends |= on[v.index()]);
        depends
    }

    /// The variables that what it defines depends on.
    fn sources(&self, f: &mut dyn FnMut(Var)) {
        if let Some((run, out)) = self.loop_result() {
            let all = [run.given, run.init].concat();
            return run.looped.sources(out).for_each(|k| f(all[k]));
        }
        if let Op::Call {
            unit,
            rule,
            args,
            out,
        } = &self.op
        {
            // The function's own results do not see tangents and cotangents.
            let seen = match unit.given(*rule, *out) {
                Given::Result(_) | Given::Length(..) => &args[..unit.args.len()],
                Given::Derivative(_) | Given::Place | Given::Residual => args,
            };
            return seen.iter().for_each(|v| f(*v));
        }
        self.visit(f);
    }
}

/// Who uses each variable.
#[derive(Debug)]
pub struct Uses {
    /// The equations, once for each use.
    pub by: Vec<Vec<usize>>,
    /// Whether it is a result.
    pub is_result: Vec<bool>,
}

impl Program {
    /// Who uses each variable.
    pub fn uses(&self) -> Uses {
        let count = self.params.len() + self.eqs.len();
        let mut uses = Uses {
            by: vec![vec![]; count],
            is_result: vec![false; count],
        };
        for (j, eq) in self.eqs.iter().enumerate() {
            eq.visit(&mut |v| uses.by[v.index()].push(j));
        }
        for r in &self.results {
            uses.is_result[r.index()] = true;
        }
        uses
    }

    /// Which variables depend on some of the parameters.
    pub fn dependent(&self, params: Vec<bool>) -> Vec<bool> {
        let mut on = params;
        for eq in &self.eqs {
            on.push(eq.dependent(&on));
        }
        on
    }

    /// For each variable the parameters that it depends on.
    pub fn reach(&self) -> Vec<Set> {
        let mut out: Vec<Set> = vec![Set::default(); self.params.len()];
        for (k, set) in out.iter_mut().enumerate() {
            set.add(k);
        }
        for eq in &self.eqs {
            let mut set = Set::default();
            eq.sources(&mut |v| set.join(&out[v.index()]));
            out.push(set);
        }
        out
    }
}
