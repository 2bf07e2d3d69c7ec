//! A linearised program as two: one computes values and keeps residuals, the other one is linear in
//! the tangents and reads them.
//!
//! ```text
//! y = f(x), ẏ = f'(x) ẋ      ⟶      (y, r) = (f(x), r(x)),    ẏ = r · ẋ
//! ```
//!
//! A residual is a value that a linear equation reads. Values that cost nothing to recompute are
//! not kept; their operands are: copies, broadcasts, values that depend on sizes alone, and states
//! that a loop undoes (`linearise/undo.rs`). A residual that is guarded by positions stays so where
//! it is read, so a product with a band or a triangle costs what is in it.
//!
//! Both programs have the parameters of the original. The linear one uses some of them by value,
//! and of others the lengths alone.

use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Op, Param, Program, Type, Var};
use crate::ir::linear::{Linearised, Use};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};

/// The two programs.
#[derive(Clone, Debug)]
pub struct Split {
    /// The results of the original, then what is kept.
    pub values: Program,
    /// The parameters of the original, what is kept, the tangents; the results of the original,
    /// which are kept, and their tangents.
    pub linear: Linearised,
}

/// Splits a linearised program.
pub fn split(l: &Linearised) -> Split {
    let program = &l.program;
    let count = program.params.len() - l.tangents.len();
    let results = l.result_tangents.len();
    let plan = Plan::of(l, count, results);
    let kept: Vec<Var> = (0..program.eqs.len())
        .map(|j| program.var_of(j))
        .filter(|v| plan.kept[v.index()])
        .collect();

    let mut out = Builder::new(&program.name, program.params[..count].to_vec());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Option<Var>> = (0..program.params.len())
        .map(|k| (k < count).then_some(Var(k as u32)))
        .collect();
    for (j, eq) in program.eqs.iter().enumerate() {
        let is_value = !l.linear[program.var_of(j).index()];
        let copied = is_value.then(|| out.copy(eq, &mut |v| new[v.index()].expect("no tangent")));
        new.push(copied);
    }
    let all = program.results[..results].iter().chain(&kept);
    let all = all.map(|v| new[v.index()].expect("no tangent")).collect();
    let values = out.finish(all);

    let mut new: Vec<Option<Var>> = vec![None; program.params.len() + program.eqs.len()];
    let own = (0..count).map(|k| Var(k as u32));
    let order: Vec<Var> = own.chain(kept).chain(l.tangents.iter().copied()).collect();
    for (k, v) in order.iter().enumerate() {
        new[v.index()] = Some(Var(k as u32));
    }
    let params = order.iter().map(|v| {
        let ty = program.ty(*v);
        let shape = ty.shape.iter();
        let shape =
            shape.map(|s| translate_size(s, &mut |v| new[v.index()].expect("sizes are kept")));
        let (elem, shape) = (ty.elem, shape.collect());
        Param {
            name: match program.params.get(v.index()) {
                Some(p) => p.name.clone(),
                None => "residual".into(),
            },
            ty: Type { elem, shape },
        }
    });
    let params: Vec<Param> = params.collect();
    let tangents: Vec<Var> = (params.len() - l.tangents.len()..params.len())
        .map(|k| Var(k as u32))
        .collect();
    let mut out = Builder::new(&program.name, params);
    let params = new.clone();
    for (j, eq) in program.eqs.iter().enumerate() {
        let v = program.var_of(j).index();
        if let (Some(kept), Some(guard)) = (new[v], plan.guard[v]) {
            new[v] = Some(out.masked(kept, new[guard.index()]));
        } else if new[v].is_none() && (l.linear[v] || plan.again[v]) {
            let copied = out.copy(eq, &mut |v| new[v.index()].expect("kept or found again"));
            new[v] = Some(copied);
        }
    }
    let of = |v: Var| new[v.index()].expect("a result");
    // Values are results as they are kept.
    let all = program.results[..results].iter();
    let all = all.map(|v| params[v.index()].unwrap_or_else(|| of(*v)));
    let all = all.chain(program.results[results..].iter().map(|v| of(*v)));
    let all: Vec<Var> = all.collect();
    let result_tangents = l.result_tangents.iter().map(|t| t.map(of)).collect();
    let program = out.finish(all);
    let seeds = (0..program.params.len()).map(|k| tangents.contains(&Var(k as u32)));
    let linear = program.dependent(seeds.collect());
    Split {
        values,
        linear: Linearised {
            program,
            linear,
            tangents,
            result_tangents,
            restored: vec![],
            undone: vec![],
        },
    }
}

/// What is kept, and what is found again.
struct Plan {
    kept: Vec<bool>,
    again: Vec<bool>,
    /// The guards of what is kept, where they are found again.
    guard: Vec<Option<Var>>,
}

impl Plan {
    fn of(l: &Linearised, count: usize, results: usize) -> Plan {
        let program = &l.program;
        let all = program.params.len() + program.eqs.len();
        let free = free(program);
        // What shapes of parameters mention is known on entry.
        let (mut needed, mut kept, mut again) =
            (vec![false; all], vec![false; all], vec![false; all]);
        let mut guard = vec![None; all];
        let keep_sizes = |ty: &Type, kept: &mut Vec<bool>| {
            for s in &ty.shape {
                values(s, &mut |v| kept[v.index()] = true);
            }
        };
        for t in &l.tangents {
            keep_sizes(program.ty(*t), &mut kept);
        }
        for (k, r) in program.results.iter().enumerate() {
            match k < results {
                true => kept[r.index()] = true,
                false => needed[r.index()] = true,
            }
        }
        for (j, eq) in program.eqs.iter().enumerate().rev() {
            let v = program.var_of(j);
            let at = v.index();
            let is_needed = needed[at] && !kept[at];
            if l.linear[at] || is_needed && is_found_again(l, eq, v, &free) {
                again[at] = !l.linear[at];
                uses(eq, &mut |v| needed[v.index()] = true);
            } else if needed[at] || kept[at] {
                kept[at] = true;
                keep_sizes(&eq.ty, &mut kept);
                guard[at] = eq.guard.filter(|g| needed[at] && free[g.index()]);
                if let Some(g) = guard[at] {
                    needed[g.index()] = true;
                }
            }
        }
        kept[..count].fill(false);
        Plan { kept, again, guard }
    }
}

/// What depends on sizes alone.
fn free(program: &Program) -> Vec<bool> {
    let mut free = vec![false; program.params.len()];
    for eq in &program.eqs {
        let mut is_free = match &eq.op {
            Op::Fill(_) | Op::Index(_) => true,
            Op::Map(..) | Op::Gather { .. } | Op::Copy(_) | Op::Stop(_) => true,
            Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. } => false,
        };
        eq.visit(&mut |v| is_free &= free[v.index()]);
        free.push(is_free);
    }
    free
}

/// Whether what an equation defines is found again from what it is made of.
fn is_found_again(l: &Linearised, eq: &Eq, v: Var, free: &[bool]) -> bool {
    let rank = |v: Var| l.program.ty(v).rank();
    match &eq.op {
        Op::Fill(_) | Op::Index(_) | Op::Copy(_) | Op::Stop(_) => true,
        Op::Gather { src, .. } => free[v.index()] || rank(*src) < eq.ty.rank(),
        Op::Map(Prim::Not, _) => true,
        Op::Map(..) => free[v.index()],
        // Loops that take states back compute nothing.
        Op::Loop { .. } => l.restored.contains(&v),
        Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. } => false,
    }
}

/// Everything that an equation mentions.
fn uses(eq: &Eq, f: &mut dyn FnMut(Var)) {
    eq.visit(f);
    eq.visit_sizes(&mut |s| values(s, f));
}

fn values(s: &Size, f: &mut dyn FnMut(Var)) {
    s.visit(&mut |a| {
        if let Atom::Value(v) = a {
            f(Var(*v));
        }
    });
}

/// What forward and reverse mode use of their first parameters. The values are results of forward
/// mode too, and only those that are not real count as used.
pub fn used(jvp: &Program, vjp: &Program, first: usize, values: usize) -> Vec<Use> {
    let mut uses = vec![Use::Nothing; first];
    let mut mark = |k: usize, by: Use| {
        if let Some(known) = uses.get_mut(k)
            && *known != Use::Elements
        {
            *known = by;
        }
    };
    for (program, values) in [(jvp, values), (vjp, 0)] {
        let mut in_size = |s: &Size| {
            s.visit(&mut |a| match a {
                Atom::Dim { param, .. } => mark(*param, Use::Lengths),
                Atom::Int { param } => mark(*param, Use::Elements),
                Atom::Value(_)
                | Atom::Quot(..)
                | Atom::Rem(..)
                | Atom::Min(..)
                | Atom::Max(..)
                | Atom::Select(..) => {}
            });
        };
        program.params[first..]
            .iter()
            .for_each(|p| p.ty.shape.iter().for_each(&mut in_size));
        sizes(program, &mut in_size);
        // Sizes that are computed have another name inside of a loop, which is given them.
        let mut at_top = |s: &Size| self::values(s, &mut |v| mark(v.index(), Use::Elements));
        program.params[first..]
            .iter()
            .for_each(|p| p.ty.shape.iter().for_each(&mut at_top));
        program
            .eqs
            .iter()
            .for_each(|eq| eq.visit_sizes(&mut at_top));
        for eq in &program.eqs {
            eq.visit(&mut |v| mark(v.index(), Use::Elements));
        }
        for (k, r) in program.results.iter().enumerate() {
            if k >= values || program.ty(*r).elem != Elem::Real {
                mark(r.index(), Use::Elements);
            }
        }
    }
    uses
}

/// Calls `f` on every size of the equations of a program, inside of loops too, and of the
/// parameters of the programs of loops.
fn sizes(program: &Program, f: &mut dyn FnMut(&Size)) {
    for eq in &program.eqs {
        eq.visit_sizes(f);
    }
    for looped in program.loops() {
        for inner in std::iter::once(&looped.body).chain(&looped.goes_on) {
            inner
                .params
                .iter()
                .for_each(|p| p.ty.shape.iter().for_each(&mut *f));
            sizes(inner, f);
        }
    }
}
