//! What a loop stacks that takes at most one step, without the axis of its steps.
//!
//! ```text
//! n = if c { 1 } else { 0 }                      n = if c { 1 } else { 0 }
//! loop collects y for n       ⟶                  loop with the state y, from zero, for n
//! [c] .. out[0] ..                               [c] .. y ..
//! ```
//!
//! A call of a unit under a condition is such a loop (`vectorise/unit.rs`), which becomes a branch
//! by this, and its results are no arrays.
//!
//! All arrays that are as long as the loop have to go: they are stacked by loops without states, or
//! computed element by element or by a scatter to the only place, and they are read at that place,
//! or by loops of as many steps at their index.

use crate::ir::build::{Builder, translate_ix, translate_size};
use crate::ir::bulk::{Eq, Ix, Loop, Looped, Op, Param, Part, Program, Run, Type, Var};
use crate::ir::linear::Linearised;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;

/// The same program without these axes, in loops too.
pub fn single(program: &Program) -> Program {
    let mut program = program.clone();
    program.change_loops(&|looped| looped.map(&single));
    let mut next = 0;
    // What comes before a condition stays where it is, so that the next ones are behind it.
    while let Some(steps) = condition(&program, next) {
        next = steps.index() + 1;
        if let Some(axis) = Axis::of(&program, steps) {
            program = axis.removed();
        }
    }
    program
}

/// The same linearised program without these axes; as it is if a loop takes back what another one
/// did.
pub fn linearised(l: Linearised) -> Linearised {
    if !l.restored.is_empty() || !l.undone.is_empty() {
        return l;
    }
    let program = single(&l.program);
    let mut tangents = program.results[l.result_tangents.len()..].iter();
    let mut result_tangents = vec![];
    for (t, r) in l.result_tangents.iter().zip(&l.program.results) {
        let is_real = l.program.ty(*r).elem == Elem::Real;
        let new = is_real.then(|| tangents.next().copied()).flatten();
        result_tangents.push(t.and(new));
    }
    let seeds = (0..program.params.len()).map(|k| l.tangents.contains(&Var(k as u32)));
    Linearised {
        linear: program.dependent(seeds.collect()),
        program,
        result_tangents,
        ..l
    }
}

/// The first variable from a number on that is 1 or 0.
fn condition(program: &Program, from: usize) -> Option<Var> {
    let is = |v: Var, k| program.eq(v).is_some_and(|e| e.op == Op::Fill(Lit::Int(k)));
    let first = from.saturating_sub(program.params.len());
    let mut eqs = program.eqs.iter().enumerate().skip(first);
    eqs.find_map(|(k, eq)| {
        let Op::Map(Prim::Select, args) = &eq.op else {
            return None;
        };
        let is_number = eq.ty.rank() == 0 && is(args[1], 1) && is(args[2], 0);
        is_number.then(|| program.var_of(k))
    })
}

/// The axis of a number of steps, and all arrays that have it.
struct Axis<'a> {
    program: &'a Program,
    steps: Size,
    /// For each variable whether it has the axis.
    has: Vec<bool>,
}

impl<'a> Axis<'a> {
    /// The axis, if some arrays have it and it can be left out of all.
    fn of(program: &'a Program, steps: Var) -> Option<Self> {
        let size = Size::atom(Atom::Value(steps.0));
        let leads = |ty: &Type| ty.shape.first() == Some(&size);
        let params = program.params.iter().map(|p| leads(&p.ty));
        let has: Vec<bool> = params
            .chain(program.eqs.iter().map(|eq| leads(&eq.ty)))
            .collect();
        let axis = Axis {
            program,
            steps: size,
            has,
        };
        let is_possible = axis.has.contains(&true)
            && !axis.has[..program.params.len()].contains(&true)
            && !program.results.iter().any(|r| axis.has[r.index()])
            && program
                .eqs
                .iter()
                .enumerate()
                .all(|(k, eq)| axis.allows(k, eq));
        is_possible.then_some(axis)
    }

    fn has(&self, v: Var) -> bool {
        self.has[v.index()]
    }

    /// Whether an equation does not keep the axis.
    fn allows(&self, k: usize, eq: &Eq) -> bool {
        let leads = self.has(self.program.var_of(k));
        let mentions = |s: &Size| {
            let mut found = false;
            s.visit(&mut |a| found |= Some(a) == self.steps.as_atom());
            found
        };
        if eq.ty.shape[usize::from(leads)..].iter().any(mentions) {
            return false;
        }
        let mut reads = false;
        eq.visit(&mut |v| reads |= self.has(v));
        match &eq.op {
            Op::Fill(_) | Op::Index(_) | Op::Map(..) | Op::Copy(_) | Op::Stop(_) => leads || !reads,
            Op::Gather { src, index } => {
                let guarded = eq.guard.is_some_and(|g| self.has(g) && !leads);
                let data = |i: &Ix| matches!(i, Ix::Data(v) if self.has(*v) && !leads);
                !guarded
                    && !index.iter().any(data)
                    && (!self.has(*src) || self.is_only(&index[0], &eq.ty.shape))
            }
            Op::Scatter(parts) if leads && eq.guard.is_none() => {
                let mut whole = parts.iter();
                whole.all(|p| {
                    let first = &p.index[0];
                    let domain = &self.program.ty(p.src).shape;
                    !self.has(p.src) && self.is_only(first, domain)
                })
            }
            Op::Loop { init, .. } => {
                let Some((run, out)) = eq.loop_result() else {
                    return false;
                };
                let inits = init.iter().any(|v| self.has(*v));
                let stacks = !leads || (self.is_own(run) && stacks(run).is_some());
                let is_stack = !leads || out < run.looped.count();
                let reads = run.given.iter().enumerate().filter(|(_, v)| self.has(**v));
                let mut reads = reads.map(|(k, _)| self.is_own(run) && reads_at_index(run, k));
                !inits && stacks && is_stack && reads.all(|at_index| at_index)
            }
            Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. } => !leads && !reads,
        }
    }

    /// Whether a loop takes as many steps, and nothing else ends it or runs it again.
    fn is_own(&self, run: Run<'_>) -> bool {
        let Loop { goes_on, keep, .. } = &**run.looped;
        run.steps == Some(&self.steps) && goes_on.is_none() && !keep.recomputes()
    }

    /// Whether an index over some axes is that of the only step.
    fn is_only(&self, index: &Ix, domain: &[Size]) -> bool {
        let Ix::Affine(a) = index else {
            return false;
        };
        let mut coefs = a.coefs.iter().zip(domain);
        a.constant.is(0) && coefs.all(|(c, n)| c.is(0) || n.is(1) || c.is(1) && *n == self.steps)
    }

    fn removed(&self) -> Program {
        let program = self.program;
        let mut out = Builder::new(&program.name, program.params.clone());
        for r in &program.requires {
            out.require(r.clone());
        }
        let mut new: Vec<Var> = (0..program.params.len()).map(|k| Var(k as u32)).collect();
        let mut loops: HashMap<Looped, Looped> = HashMap::new();
        for (k, eq) in program.eqs.iter().enumerate() {
            let leads = self.has(program.var_of(k));
            let v = match &eq.op {
                Op::Loop { .. } => self.looped(&mut out, eq, &new, &mut loops),
                Op::Gather { src, index } => {
                    let first = usize::from(self.has(*src));
                    let index = index[first..].iter();
                    let index = index.map(|i| self.index(i, leads, &new)).collect();
                    let op = Op::Gather {
                        src: new[src.index()],
                        index,
                    };
                    self.pushed(&mut out, eq, op, &new)
                }
                Op::Index(a) if leads => {
                    let op = Op::Index(a.without(&[0]));
                    self.pushed(&mut out, eq, op, &new)
                }
                Op::Scatter(parts) if leads => {
                    let parts = parts.iter().map(|p| Part {
                        src: new[p.src.index()],
                        index: (p.index[1..].iter())
                            .map(|i| translate_ix(i, &mut |v| new[v.index()]))
                            .collect(),
                    });
                    self.scattered(&mut out, eq, parts.collect(), &new)
                }
                Op::Fill(_)
                | Op::Index(_)
                | Op::Map(..)
                | Op::Copy(_)
                | Op::Stop(_)
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Call { .. } => {
                    let copied = eq.clone().map(&mut |v| new[v.index()], &mut |s| {
                        translate_size(s, &mut |v| new[v.index()])
                    });
                    self.pushed(&mut out, eq, copied.op, &new)
                }
            };
            new.push(v);
        }
        out.finish(program.results.iter().map(|r| new[r.index()]).collect())
    }

    /// The type of what an equation defines, without the axis.
    fn ty(&self, ty: &Type, new: &[Var]) -> Type {
        let leads = ty.shape.first() == Some(&self.steps);
        let shape = ty.shape[usize::from(leads)..].iter();
        let shape = shape.map(|s| translate_size(s, &mut |v| new[v.index()]));
        Type {
            elem: ty.elem,
            shape: shape.collect(),
        }
    }

    fn pushed(&self, out: &mut Builder, eq: &Eq, op: Op, new: &[Var]) -> Var {
        let (ty, guard) = (self.ty(&eq.ty, new), eq.guard.map(|g| new[g.index()]));
        out.push(Eq { ty, guard, op })
    }

    /// An index over the axes that are left.
    fn index(&self, i: &Ix, leads: bool, new: &[Var]) -> Ix {
        let i = translate_ix(i, &mut |v| new[v.index()]);
        match i {
            Ix::Affine(a) if leads => Ix::Affine(a.without(&[0])),
            Ix::Affine(_) | Ix::Data(_) => i,
        }
    }

    /// What a scatter makes at the only place. One number is no scatter.
    fn scattered(&self, out: &mut Builder, eq: &Eq, parts: Vec<Part>, new: &[Var]) -> Var {
        let ty = self.ty(&eq.ty, new);
        if ty.rank() > 0 {
            return self.pushed(out, eq, Op::Scatter(parts), new);
        }
        let mut sum: Option<Var> = None;
        for p in parts {
            let axes: Vec<usize> = (0..out.ty(p.src).rank()).collect();
            let x = match axes.is_empty() {
                true => p.src,
                false => out.sum(p.src, &axes, None),
            };
            // What is left out is zero.
            let zero = Lit::zero(ty.elem);
            let x = match out.guard(x) {
                Some(g) => {
                    let zero = out.fill(zero, &[]);
                    out.map(Prim::Select, &[g, x, zero], None)
                }
                None => x,
            };
            sum = Some(match sum {
                Some(sum) => out.map(Prim::Add, &[sum, x], None),
                None => x,
            });
        }
        sum.unwrap_or_else(|| out.fill(Lit::zero(ty.elem), &[]))
    }

    /// A result of a loop; what it stacks in its only step is a state.
    fn looped(
        &self,
        out: &mut Builder,
        eq: &Eq,
        new: &[Var],
        loops: &mut HashMap<Looped, Looped>,
    ) -> Var {
        let Some((run, result)) = eq.loop_result() else {
            unreachable!("asked for loops only")
        };
        let copied = eq.clone().map(&mut |v| new[v.index()], &mut |s| {
            translate_size(s, &mut |v| new[v.index()])
        });
        if !self.is_own(run) {
            return out.push(copied);
        }
        let Op::Loop {
            steps, given, init, ..
        } = copied.op
        else {
            unreachable!("it is still a loop")
        };
        let stacks = stacks(run);
        let looped = loops
            .entry(run.looped.clone())
            .or_insert_with(|| self.changed(run, stacks.as_deref()))
            .clone();
        let init = match &stacks {
            None => init,
            Some(types) => {
                let zeros = types.iter().map(|ty| {
                    let ty = self.ty(ty, new);
                    out.fill(Lit::zero(ty.elem), &ty.shape)
                });
                zeros.collect()
            }
        };
        let op = Op::Loop {
            looped,
            steps,
            given,
            init,
            out: result,
        };
        self.pushed(out, eq, op, new)
    }

    /// A loop that reads the only rows of what it is given, and whose stacks of these types are
    /// states.
    fn changed(&self, run: Run<'_>, stacks: Option<&[Type]>) -> Looped {
        let body = &run.looped.body;
        let given = run.given.len();
        let is_row: Vec<bool> = run.given.iter().map(|v| self.has(*v)).collect();
        let mut params = vec![];
        for (k, p) in body.params.iter().enumerate() {
            let mut p = p.clone();
            if is_row.get(k) == Some(&true) {
                p.ty.shape.remove(0);
            }
            params.push(p);
        }
        let index = Var(body.params.len() as u32 - 1);
        let more = stacks.map_or(0, <[Type]>::len);
        let at = params.len() - 1;
        let states = stacks.into_iter().flatten().map(|ty| Param {
            name: "only".into(),
            ty: ty.clone(),
        });
        params.splice(at..at, states);
        let moved = |v: usize| match v {
            v if v == index.index() => Var((v + more) as u32),
            v => Var(v as u32),
        };
        let mut new: Vec<Var> = (0..body.params.len()).map(moved).collect();
        for p in &mut params {
            for s in &mut p.ty.shape {
                *s = translate_size(s, &mut |v| new[v.index()]);
            }
        }
        let mut out = Builder::new(&body.name, params);
        for r in &body.requires {
            out.require(r.clone());
        }
        for eq in &body.eqs {
            let mut copied = eq.clone().map(&mut |v| new[v.index()], &mut |s| {
                translate_size(s, &mut |v| new[v.index()])
            });
            if let (Op::Gather { src, .. }, Op::Gather { index, .. }) = (&eq.op, &mut copied.op)
                && src.index() < given
                && is_row[src.index()]
            {
                index.remove(0);
            }
            new.push(out.push(copied));
        }
        let results = body.results.iter().map(|r| new[r.index()]).collect();
        Looped::new(Loop {
            body: out.finish(results),
            states: run.looped.states + more,
            goes_on: None,
            reverse: run.looped.reverse,
            keep: run.looped.keep,
        })
    }
}

/// The types of what a loop stacks, if it has no states and they can be said before the loop.
fn stacks(run: Run<'_>) -> Option<Vec<Type>> {
    let body = &run.looped.body;
    (run.looped.states == 0).then_some(())?;
    let types = body.results.iter().map(|r| {
        let ty = body.ty(*r);
        let mut known = true;
        for s in &ty.shape {
            s.visit(&mut |a| known &= !matches!(a, Atom::Value(_)));
        }
        known.then(|| ty.clone())
    });
    types.collect()
}

/// Whether the body of a loop reads something that it is given only at its index.
fn reads_at_index(run: Run<'_>, k: usize) -> bool {
    let body = &run.looped.body;
    let of = Var(k as u32);
    let index = Size::atom(Atom::Value(body.params.len() as u32 - 1));
    let is_index = |i: &Ix| match i {
        Ix::Affine(a) => a.is_constant() && a.constant == index,
        Ix::Data(_) => false,
    };
    let reads = |eq: &Eq| {
        let mut uses = 0;
        eq.visit(&mut |v| uses += usize::from(v == of));
        if let Op::Gather { src, index } = &eq.op
            && *src == of
        {
            return uses == 1 && is_index(&index[0]);
        }
        uses == 0
    };
    !body.results.contains(&of) && body.eqs.iter().all(reads)
}
