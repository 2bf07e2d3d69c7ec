//! What loops inside of a loop collect, where no bound on their numbers of steps is known before.
//!
//! If these numbers do not depend on the states, a loop before the loop adds them up. So it is
//! known where the elements of each step begin when all of them are laid end to end, and how many
//! there are in total:
//!
//! ```text
//! begin[k] = Σ j < k: length[j]
//! s' = s with r at begin[k]..          r = s'[begin[k]..]  of length[k] elements
//! ```
//!
//! The array `s` is one more state of the loop. No step overwrites what another one has put there,
//! so that the array at the end serves all steps.

use super::pad::Longest;
use super::sequence::{Active, Run, Wanted, part_of, scalar};
use super::undo::{Known, values, visit_all};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Marks, Op, Param, Part, Type, Var};
use crate::ir::core::Keep;
use crate::ir::linear::{Linearised, Undone};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};

/// Lengths of arrays, and where each step begins.
struct Offsets {
    /// In the body.
    length: Size,
    /// Before the loop: where each step begins, and where the last one ends.
    begins: Var,
    total: Var,
}

impl Run {
    /// The results of inner loops that the linear equations may need, and whose lengths along the
    /// first axis vary without a known bound, but not with the states.
    fn ragged(&self, active: &Active) -> Vec<Var> {
        if self.looped.keep.recomputes() {
            return vec![];
        }
        let longest = Longest::of(self);
        if !longest.knows_steps() {
            return vec![];
        }
        let (program, linear) = (&active.body.program, &active.body.linear);
        let known = Known::of(self, active);
        let mut needed = vec![false; linear.len()];
        for u in &active.body.undone {
            u.given.iter().for_each(|v| needed[v.index()] = true);
        }
        for (j, eq) in program.eqs.iter().enumerate().rev() {
            let v = program.var_of(j).index();
            if linear[v] || needed[v] && !known.is_fixed(&eq.ty.shape) {
                visit_all(eq, &mut |v| needed[v.index()] = true);
            }
        }
        let varies = |s: &Size| {
            longest.of_size(program, s).is_none() && self.without_states(active, s).is_some()
        };
        let variables = (0..program.eqs.len()).map(|j| program.var_of(j));
        let all = variables.filter(|&v| {
            let ty = program.ty(v);
            matches!(program.eq(v).map(|eq| &eq.op), Some(Op::Loop { .. }))
                && needed[v.index()]
                && !linear[v.index()]
                && !active.body.restored.contains(&v)
                && (ty.shape.split_first())
                    .is_some_and(|(first, rest)| varies(first) && known.is_fixed(rest))
        });
        all.collect()
    }

    /// The equations that a length is made of, if no state is among them.
    fn without_states(&self, active: &Active, length: &Size) -> Option<Vec<bool>> {
        let program = &active.body.program;
        let mut wanted = vec![false; program.params.len() + program.eqs.len()];
        values(length, &mut |v| wanted[v.index()] = true);
        for (j, eq) in program.eqs.iter().enumerate().rev() {
            if wanted[program.var_of(j).index()] {
                visit_all(eq, &mut |v| wanted[v.index()] = true);
            }
        }
        let given = self.given.len();
        let index = given + self.looped.states;
        let others = (given..program.params.len()).filter(|k| *k != index);
        let mut others = others.map(|k| wanted[k]);
        (!others.any(|is_state| is_state)).then_some(wanted)
    }

    /// A loop that adds up how long an array is in each step, clamped at 0, and collects where each
    /// step begins.
    fn adds_up(&self, active: &Active, length: &Size) -> Looped {
        let (program, given) = (&active.body.program, self.given.len());
        let index = given + self.looped.states;
        let mut params = program.params[..given].to_vec();
        let sum = Var(given as u32);
        params.push(scalar("sum"));
        params.push(program.params[index].clone());
        let wanted = self.without_states(active, length);
        let wanted = wanted.expect("what varies with the states is not ragged");
        let mut out = Builder::new("lengths", params);
        let mut new: Vec<Option<Var>> = (0..program.params.len())
            .map(|k| match k {
                k if k < given => Some(Var(k as u32)),
                k if k == index => Some(Var(given as u32 + 1)),
                _ => None,
            })
            .collect();
        for (j, eq) in program.eqs.iter().enumerate() {
            let v = wanted[program.var_of(j).index()]
                .then(|| out.copy(eq, &mut |v| new[v.index()].expect("no state")));
            new.push(v);
        }
        let length = translate_size(length, &mut |v| new[v.index()].expect("no state"));
        let length = out.index(Affine::constant(0, length.larger(&Size::lit(0))), &[]);
        let next = out.map(Prim::IAdd, &[sum, length], None);
        Looped::new(Loop {
            body: out.finish(vec![next, sum]),
            states: 1,
            goes_on: None,
            reverse: self.looped.reverse,
            keep: Keep::Residuals,
        })
    }

    /// The loop with arrays that hold what its inner loops collect, as its last states.
    pub(super) fn end_to_end(&self, out: &mut Builder, active: &mut Active) -> Option<Run> {
        let ragged = self.ragged(active);
        let steps = self.steps.as_ref().filter(|_| !ragged.is_empty())?;
        let mut offsets: Vec<Offsets> = vec![];
        let program = &active.body.program;
        for v in &ragged {
            let length = &program.ty(*v).shape[0];
            if !offsets.iter().any(|o| o.length == *length) {
                let looped = self.adds_up(active, length);
                let zero = out.fill(Lit::Int(0), &[]);
                let all = out.run(&looped, Some(steps), &self.given, &[zero]);
                offsets.push(Offsets {
                    length: length.clone(),
                    total: all[0],
                    begins: all[1],
                });
            }
        }
        let of = |v: Var| {
            let length = &program.ty(v).shape[0];
            let at = offsets.iter().position(|o| o.length == *length);
            at.expect("one for each length")
        };
        let mut run = self.clone();
        run.stores += ragged.len();
        for o in &offsets {
            run.given.extend([o.begins, o.total]);
            run.given_t.extend([None, None]);
        }
        for v in &ragged {
            let ty = program.ty(*v);
            let mut shape = vec![Size::atom(Atom::Value(offsets[of(*v)].total.0))];
            shape.extend(ty.shape[1..].iter().map(|s| self.outside(s)));
            run.init.push(out.fill(Lit::zero(ty.elem), &shape));
            run.init_t.push(None);
        }
        let places: Vec<(Var, usize)> = ragged.iter().map(|v| (*v, of(*v))).collect();
        let steps = translate_size(steps, &mut |v| {
            let at = self.given.iter().position(|g| *g == v);
            Var(at.expect("given") as u32)
        });
        let states = self.looped.states;
        let counts = (self.given.len(), states, offsets.len());
        active.body = with_stores(&active.body, counts, &places, &steps);
        let (program, linear) = (&active.body.program, &active.body.linear);
        let params = &program.params[..run.given.len() + states + places.len() + 1];
        let results = &program.results[..active.body.result_tangents.len()];
        let results: Vec<Wanted> = results.iter().map(|r| Wanted::Is(*r)).collect();
        run.looped = Looped::new(Loop {
            body: part_of(program, params, |v| !linear[v.index()], &results),
            states: states + places.len(),
            goes_on: None,
            reverse: self.looped.reverse,
            keep: self.looped.keep,
        });
        Some(run)
    }
}

/// A body with the beginnings and totals of `lengths` as further parameters, and a further state
/// for each of `stored`, which says which length it has.
fn with_stores(
    body: &Linearised,
    (given, states, lengths): (usize, usize, usize),
    stored: &[(Var, usize)],
    steps: &Size,
) -> Linearised {
    let program = &body.program;
    let first_store = given + 2 * lengths + states;
    let begins = |k: usize| Var((given + 2 * k) as u32);
    let total = |k: usize| Size::atom(Atom::Value((given + 2 * k + 1) as u32));
    let place = |k: usize| match k {
        k if k < given => k,
        k if k < given + states => k + 2 * lengths,
        k => k + 2 * lengths + stored.len(),
    };
    let mut new: Vec<Var> = (0..program.params.len())
        .map(|k| Var(place(k) as u32))
        .collect();
    let mut params = program.params[..given].to_vec();
    for _ in 0..lengths {
        let begins = Type {
            elem: Elem::Int,
            shape: vec![steps.clone()],
        };
        params.push(Param {
            name: "begins".into(),
            ty: begins,
        });
        params.push(scalar("total"));
    }
    params.extend_from_slice(&program.params[given..given + states]);
    for (v, length) in stored {
        let Type { elem, mut shape } = program.ty(*v).clone();
        shape[0] = total(*length);
        params.push(Param {
            name: "stored".into(),
            ty: Type { elem, shape },
        });
    }
    let index = Var(params.len() as u32);
    params.extend_from_slice(&program.params[given + states..]);

    let mut linear = vec![false; params.len()];
    for (k, v) in new.iter().enumerate() {
        linear[v.index()] = body.linear[k];
    }
    let mut out = Builder::new(&program.name, params);
    let mut stores = vec![];
    for (j, eq) in program.eqs.iter().enumerate() {
        let v = program.var_of(j);
        let mut now = out.copy(eq, &mut |v| new[v.index()]);
        linear.resize(linear.len().max(now.index() + 1), body.linear[v.index()]);
        if let Some(k) = stored.iter().position(|(s, _)| *s == v) {
            let shape = out.shape(now);
            let step = Affine::constant(0, Size::atom(Atom::Value(index.0)));
            let begin = out.gather(begins(stored[k].1), vec![Ix::Affine(step)], &[], None);
            let places: Vec<Ix> = (0..shape.len())
                .map(|axis| {
                    let mut at = Affine::axis(shape.len(), axis);
                    if axis == 0 {
                        at.constant = Size::atom(Atom::Value(begin.0));
                    }
                    Ix::Affine(at)
                })
                .collect();
            let src = Var((first_store + k) as u32);
            let op = Op::Update {
                src,
                part: Part {
                    src: now,
                    index: places.clone(),
                },
                when: None,
                marks: Marks {
                    unread: true,
                    parts: None,
                },
            };
            let (ty, guard) = (out.ty(src).clone(), None);
            let store = out.push(Eq { ty, guard, op });
            stores.push((k, store));
            now = out.gather(store, places, &shape, None);
            linear.resize(now.index() + 1, false);
        }
        new.push(now);
    }
    stores.sort_unstable();
    let of = |v: &Var| new[v.index()];
    let results = &program.results;
    let results = (results[..states].iter().map(of))
        .chain(stores.iter().map(|(_, v)| *v))
        .chain(results[states..].iter().map(of));
    let results = results.collect();
    let mut result_tangents: Vec<Option<Var>> = (body.result_tangents.iter())
        .map(|t| t.as_ref().map(of))
        .collect();
    result_tangents.splice(states..states, stored.iter().map(|_| None));
    Linearised {
        program: out.finish(results),
        linear,
        tangents: body.tangents.iter().map(of).collect(),
        result_tangents,
        restored: body.restored.iter().map(of).collect(),
        undone: (body.undone.iter())
            .map(|u| Undone {
                newer: of(&u.newer),
                looped: u.looped.clone(),
                steps: translate_size(&u.steps, &mut |v| of(&v)),
                given: u.given.iter().map(of).collect(),
            })
            .collect(),
    }
}
