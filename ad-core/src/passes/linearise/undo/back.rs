//! The loops that take states back, step by step.

use super::{Chain, Chains, Difference, Known, values, visit_all};
use crate::ir::build::{Builder, translate_ix, translate_size};
use crate::ir::bulk::{Eq, Loop, Looped, Op, Param, Part, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::linear::Undone;
use crate::ir::ty::Size;
use crate::passes::linearise::pad::{self, Padded};
use crate::passes::linearise::sequence::{self, Active, Run};
use std::collections::HashMap;

/// What takes the states back whose versions are needed.
pub(in crate::passes::linearise) struct Undo {
    chains: Vec<Chain>,
    /// These have to be collected.
    pub(in crate::passes::linearise) kept: Vec<Var>,
}

/// A loop that takes a state back.
pub(in crate::passes::linearise) struct Backwards {
    pub(in crate::passes::linearise) looped: Looped,
    /// Of what the loop was given, the sizes and what was kept, what this one is given.
    pub(in crate::passes::linearise) given: Vec<usize>,
    /// The state.
    pub(in crate::passes::linearise) state: usize,
    /// The versions that it collects.
    pub(in crate::passes::linearise) restored: Vec<Var>,
}

impl Undo {
    /// Adds to the body of a loop what is collected for this.
    pub(in crate::passes::linearise) fn of(
        run: &Run,
        active: &mut Active,
        chains: Chains,
        padded: &Padded,
        restored: &[Var],
    ) -> Undo {
        let needed: Vec<usize> = restored.iter().map(|v| chains.of[v]).collect();
        let mut taken: Vec<Chain> = (chains.all.into_iter().enumerate())
            .filter(|(k, _)| needed.contains(k))
            .map(|(_, c)| c)
            .collect();
        for chain in &mut taken {
            chain.shorten(restored);
            for link in &mut chain.links {
                if let Difference::Little(change) = &mut link.change {
                    change.collect(link.older, run, active);
                }
            }
        }
        let known = Known::of(run, active);
        let mut kept = vec![];
        for link in taken.iter().flat_map(|c| &c.links) {
            let needs = known.needs(&link.change).into_iter();
            let old = match &link.change {
                Difference::Little(change) => change.old,
                Difference::Nothing | Difference::Looped(_) => None,
            };
            for v in needs.filter(|v| !known.at_hand(*v)).chain(old) {
                let v = padded.get(v).unwrap_or(v);
                if !kept.contains(&v) {
                    kept.push(v);
                }
            }
        }
        Undo {
            chains: taken,
            kept,
        }
    }

    /// Of which state this is a version, if no step changes in it what a derivative reads: the
    /// array at the end serves.
    pub(in crate::passes::linearise) fn state_at_the_end(&self, version: Var) -> Option<usize> {
        let is_version = |c: &&Chain| {
            let mut links = c.links.iter();
            links.any(|l| l.older == version || l.newer == version)
        };
        let chain = self.chains.iter().find(is_version)?;
        chain.is_unchanged().then_some(chain.state)
    }

    /// The loops that take them back.
    pub(in crate::passes::linearise) fn loops(
        &self,
        run: &Run,
        active: &Active,
        padded: &Padded,
        (sizes, steps): (&[Param], &Size),
        restored: &[Var],
    ) -> Vec<Backwards> {
        let of = |c| self.looped(run, active, padded, (sizes, steps), restored, c);
        (self.chains.iter().filter(|c| !c.is_unchanged()).map(of)).collect()
    }

    fn looped(
        &self,
        run: &Run,
        active: &Active,
        padded: &Padded,
        (sizes, steps): (&[Param], &Size),
        restored: &[Var],
        chain: &Chain,
    ) -> Backwards {
        let known = Known::of(run, active);
        let (body, given) = (known.body, known.given);
        let mut params = body.params[..given].to_vec();
        params.extend_from_slice(sizes);
        let first_kept = params.len();
        for v in &self.kept {
            params.push(sequence::residual(body.ty(*v), steps));
        }
        let first_store = params.len();
        params.extend_from_slice(&body.params[known.index - run.stores..known.index]);
        let state = Var(params.len() as u32);
        params.push(body.params[given + chain.state].clone());
        let index = Var(params.len() as u32);
        params.push(body.params[known.index].clone());
        let kept = (self.kept.iter().enumerate())
            .map(|(k, v)| (*v, Var((first_kept + k) as u32)))
            .collect();
        let stores = known.stores.iter();
        let stores = stores.map(|(v, k)| (*v, Var((first_store + k) as u32)));
        let new = (0..given).map(|k| (Var(k as u32), Var(k as u32)));
        let mut back = Back {
            new: new.chain(stores).collect(),
            known,
            padded,
            kept,
            index,
            out: Builder::new("back", params),
        };
        back.new.insert(Var(back.known.index as u32), index);
        let mut at = state;
        if let Some(last) = chain.links.first() {
            back.new.insert(last.newer, at);
        }
        for link in &chain.links {
            at = back.take_back(at, &link.change);
            back.new.insert(link.older, at);
        }
        let wanted = |v: &&Var| {
            let mut links = chain.links.iter();
            links.any(|l| l.older == **v || l.newer == **v)
        };
        let restored: Vec<Var> = restored.iter().filter(wanted).copied().collect();
        let mut results = vec![at];
        results.extend(restored.iter().map(|v| back.new[v]));
        let (body, given) = without_unused(&back.out.finish(results), state.index());
        let looped = Looped::new(Loop {
            body,
            states: 1,
            goes_on: None,
            reverse: !run.looped.reverse,
            keep: Keep::Residuals,
        });
        Backwards {
            looped,
            given,
            state: chain.state,
            restored,
        }
    }
}

impl Backwards {
    /// The loop, for those around it that take back what this one does.
    pub(in crate::passes::linearise) fn undone(
        &self,
        newer: Var,
        steps: &Size,
        given: Vec<Var>,
    ) -> Undone {
        Undone {
            newer,
            looped: self.looped.clone(),
            steps: steps.clone(),
            given,
        }
    }
}

/// A body without those of its first parameters that it does not use, and which are left.
fn without_unused(program: &Program, count: usize) -> (Program, Vec<usize>) {
    let mut used = vec![false; program.params.len() + program.eqs.len()];
    used[count..program.params.len()].fill(true);
    for eq in &program.eqs {
        visit_all(eq, &mut |v| used[v.index()] = true);
    }
    for (k, p) in program.params.iter().enumerate().rev() {
        if used[k] {
            for s in &p.ty.shape {
                values(s, &mut |v| used[v.index()] = true);
            }
        }
    }
    let left: Vec<usize> = (0..program.params.len()).filter(|&k| used[k]).collect();
    let mut new: Vec<Option<Var>> = (0..program.params.len())
        .map(|k| Some(Var(left.iter().position(|l| *l == k)? as u32)))
        .collect();
    let mut of = |v: Var| new[v.index()].expect("used");
    let params = left.iter().map(|&k| {
        let p = &program.params[k];
        let shape = p.ty.shape.iter().map(|s| translate_size(s, &mut of));
        Param {
            name: p.name.clone(),
            ty: Type {
                elem: p.ty.elem,
                shape: shape.collect(),
            },
        }
    });
    let mut out = Builder::new(&program.name, params.collect());
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()].expect("used"));
        new.push(Some(v));
    }
    let results = program.results.iter();
    let results = results.map(|r| new[r.index()].expect("used")).collect();
    let given = left.into_iter().filter(|k| *k < count).collect();
    (out.finish(results), given)
}

/// A step backwards, while it is made.
struct Back<'a> {
    known: Known<'a>,
    padded: &'a Padded,
    /// What is collected, as parameters.
    kept: HashMap<Var, Var>,
    index: Var,
    out: Builder,
    /// What variables of the step are here.
    new: HashMap<Var, Var>,
}

impl Back<'_> {
    /// The version before a change.
    fn take_back(&mut self, at: Var, difference: &Difference) -> Var {
        for v in self.known.needs(difference) {
            self.find(v);
        }
        let (ty, guard) = (self.out.ty(at).clone(), None);
        let op = match difference {
            Difference::Nothing => return at,
            Difference::Little(change) => {
                let old = change.old.expect("collected");
                self.find(old);
                let new = &self.new;
                let index = (change.index.iter())
                    .map(|i| translate_ix(i, &mut |v| new[&v]))
                    .collect();
                let part = Part {
                    src: new[&old],
                    index,
                };
                Op::update(at, part, change.when.map(|w| new[&w]))
            }
            Difference::Looped(u) => Op::Loop {
                looped: u.looped.clone(),
                steps: Some(translate_size(&u.steps, &mut |v| self.new[&v])),
                given: u.given.iter().map(|v| self.new[v]).collect(),
                init: vec![at],
                out: 0,
            },
        };
        self.out.push(Eq { ty, guard, op })
    }

    /// What was collected, or is found again.
    fn find(&mut self, v: Var) {
        if self.new.contains_key(&v) {
            return;
        }
        let body = self.known.body;
        let eq = body.eq(v);
        let source = self.padded.get(v).unwrap_or(v);
        let found = if let Some(&from) = self.kept.get(&source) {
            let shape = self.shape(source);
            let row = sequence::row(&mut self.out, from, self.index, &shape);
            match source == v {
                true => row,
                false => {
                    let shape = self.shape(v);
                    pad::part(&mut self.out, row, &shape)
                }
            }
        } else {
            let eq = eq.expect("parameters are known");
            visit_all(eq, &mut |v| self.find(v));
            let new = &self.new;
            self.out.copy(eq, &mut |v| new[&v])
        };
        self.new.insert(v, found);
    }

    fn shape(&mut self, v: Var) -> Vec<Size> {
        let shape = &self.known.body.ty(v).shape;
        for s in shape {
            values(s, &mut |v| self.find(v));
        }
        let new = &self.new;
        (shape.iter())
            .map(|s| translate_size(s, &mut |v| new[&v]))
            .collect()
    }
}
