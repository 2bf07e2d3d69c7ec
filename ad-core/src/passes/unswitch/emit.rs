//! The program whose groups are branches.

use super::literals::{Condition, Literal, Literals, Scalar, Set};
use super::regions::{Regions, Segment};
use super::{reads, sensitive};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine, Eq, Loop, Looped, Op, Param, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;

/// Stands for a variable that is not made yet.
const UNMADE: Var = Var(u32::MAX);

/// The program with each group as a branch.
pub(super) fn emit(
    program: &Program,
    literals: &Literals,
    regions: &Regions,
    simplify: &dyn Fn(&Program) -> Program,
) -> Program {
    let params = program.params.len();
    let mut new: Vec<Var> = (0..params as u32).map(Var).collect();
    new.resize(params + program.eqs.len(), UNMADE);
    let mut emitter = Emitter {
        program,
        literals,
        regions,
        simplify,
        out: Builder::new(&program.name, program.params.clone()),
        new,
        steps: HashMap::new(),
    };
    for r in &program.requires {
        emitter.out.require(r.clone());
    }
    for segment in &regions.segments {
        match segment.region {
            0 => emitter.outside(segment),
            _ => emitter.branch(segment),
        }
    }
    let Emitter { mut out, new, .. } = emitter;
    for (k, p) in program.params.iter().enumerate() {
        let shape = (p.ty.shape.iter()).map(|n| translate_size(n, &mut |v| new[v.index()]));
        out.set_param_shape(k, shape.collect());
    }
    let results = program.results.iter().map(|r| new[r.index()]);
    live(&out.finish(results.collect()))
}

struct Emitter<'a> {
    program: &'a Program,
    literals: &'a Literals,
    regions: &'a Regions,
    simplify: &'a dyn Fn(&Program) -> Program,
    out: Builder,
    /// The variables of the program that are made so far.
    new: Vec<Var>,
    /// Whether literals hold, as a bool.
    steps: HashMap<Set, Var>,
}

impl Emitter<'_> {
    fn outside(&mut self, segment: &Segment) {
        for v in &segment.members {
            if self.regions.is_read[v.index()] {
                self.make(*v);
            }
        }
    }

    /// Makes a variable. Arrays that every branch computes for itself may stand in a later segment
    /// than their readers outside, and are made first.
    fn make(&mut self, v: Var) {
        let (program, literals) = (self.program, self.literals);
        let mut stack = vec![v];
        while let Some(&v) = stack.last() {
            let Some(eq) = program.eq(v).filter(|_| !self.is_made(v)) else {
                stack.pop();
                continue;
            };
            let mut missing = vec![];
            reads(program, literals, eq, &mut |u| {
                missing.extend((!self.is_made(u)).then_some(u));
            });
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let new = &self.new;
            let is_border = |u: Var| self.regions.is_in_branch[u.index()];
            let at = |u: Var| new[u.index()];
            let made = guarded(program, literals, eq, &is_border, &at, &mut self.out);
            self.new[v.index()] = made;
            stack.pop();
        }
    }

    fn is_made(&self, v: Var) -> bool {
        self.new[v.index()] != UNMADE
    }

    fn branch(&mut self, segment: &Segment) {
        let members = segment.members.iter().copied();
        let outs: Vec<Var> = members
            .filter(|v| self.regions.is_read[v.index()])
            .collect();
        if outs.is_empty() {
            return;
        }
        let looped = Looped::new(Loop {
            body: (self.simplify)(&self.body(segment, &outs)),
            states: outs.len(),
            goes_on: None,
            reverse: false,
            keep: Keep::Residuals,
        });
        let steps = self.steps(segment.region);
        let given: Vec<Var> = segment.given.iter().map(|v| self.new[v.index()]).collect();
        let types = outs.iter().map(|v| {
            let ty = self.program.ty(*v);
            let shape = ty.shape.iter();
            let shape = shape.map(|n| translate_size(n, &mut |v| self.new[v.index()]));
            let (elem, shape) = (ty.elem, shape.collect());
            Type { elem, shape }
        });
        let types: Vec<Type> = types.collect();
        let init: Vec<Var> = (types.iter())
            .map(|ty| self.out.fill(Lit::zero(ty.elem), &ty.shape))
            .collect();
        for (k, (v, ty)) in outs.iter().zip(types).enumerate() {
            let op = Op::Loop {
                looped: looped.clone(),
                steps: Some(steps.clone()),
                given: given.clone(),
                init: init.clone(),
                out: k,
            };
            let guard = None;
            self.new[v.index()] = self.out.push(Eq { ty, guard, op });
        }
    }

    /// A group as a program, whose results are `outs`.
    fn body(&self, segment: &Segment, outs: &[Var]) -> Program {
        let program = self.program;
        let given = &segment.given;
        let mut new: HashMap<Var, Var> = HashMap::new();
        new.extend(given.iter().enumerate().map(|(k, v)| (*v, Var(k as u32))));
        let param = |v: &Var, name: &str| {
            let ty = program.ty(*v);
            let shape = ty.shape.iter().map(|n| translate_size(n, &mut |v| new[&v]));
            let (elem, shape) = (ty.elem, shape.collect());
            let own = program.params.get(v.index()).map(|p| p.name.clone());
            Param {
                name: own.unwrap_or_else(|| name.into()),
                ty: Type { elem, shape },
            }
        };
        let mut params: Vec<Param> = given.iter().map(|v| param(v, "given")).collect();
        params.extend(outs.iter().map(|v| param(v, "t")));
        params.push(Param {
            name: "i".into(),
            ty: Type {
                elem: Elem::Int,
                shape: vec![],
            },
        });
        let mut out = Builder::new(&program.name, params);
        let mut all: Vec<Var> = (segment.members.iter().chain(&segment.copied))
            .copied()
            .collect();
        all.sort_unstable();
        for v in all {
            let Some(eq) = program.eq(v) else { continue };
            let mut decided = vec![];
            reads(program, self.literals, eq, &mut |u| {
                decided.extend(self.literals.decided(u, segment.region).map(|d| (u, d)))
            });
            for (u, holds) in decided {
                let shape = program.ty(u).shape.iter();
                let shape = shape.map(|n| translate_size(n, &mut |v| new[&v]));
                let shape: Vec<Size> = shape.collect();
                let fill = |out: &mut Builder| out.fill(Lit::Bool(holds), &shape);
                new.entry(u).or_insert_with(|| fill(&mut out));
            }
            let is_border = |u: Var| given.binary_search(&u).is_ok();
            let made = guarded(
                program,
                self.literals,
                eq,
                &is_border,
                &|u| new[&u],
                &mut out,
            );
            new.insert(v, made);
        }
        out.finish(outs.iter().map(|v| new[v]).collect())
    }

    /// One step if literals hold, and none if not.
    fn steps(&mut self, region: Set) -> Size {
        let when = self.conjunction(region);
        let out = &mut self.out;
        let [one, none] = [1, 0].map(|k| out.fill(Lit::Int(k), &[]));
        let steps = out.map(Prim::Select, &[when, one, none], None);
        Size::atom(Atom::Value(steps.0))
    }

    /// Whether literals hold.
    fn conjunction(&mut self, region: Set) -> Var {
        let mut all: Option<(Set, Var)> = None;
        for literal in Literal::all(region) {
            let one = literal.set();
            let set = all.map_or(0, |(set, _)| set) | one;
            let known = self.steps.get(&set).copied();
            let both = known.unwrap_or_else(|| {
                let own = self.literal(literal);
                match all {
                    None => own,
                    Some((_, before)) => self.out.map(Prim::And, &[before, own], None),
                }
            });
            self.steps.insert(set, both);
            all = Some((set, both));
        }
        all.expect("a region is not empty").1
    }

    /// Whether a literal holds.
    fn literal(&mut self, literal: Literal) -> Var {
        let Literal { condition, holds } = literal;
        if let Some(known) = self.steps.get(&literal.set()) {
            return *known;
        }
        let condition = &self.literals.conditions[condition];
        let mut when = self::condition(condition, &mut self.out, &self.new);
        if !holds {
            when = self.out.map(Prim::Not, &[when], None);
        }
        self.steps.insert(literal.set(), when);
        when
    }
}

/// A condition as a scalar of `out`, where variables are `new`.
pub(super) fn condition(condition: &Condition, out: &mut Builder, new: &[Var]) -> Var {
    match condition {
        Condition::Scalar(v) => new[v.index()],
        Condition::Sizes(p, a, b) => {
            let sides = [a, b].map(|n| {
                let n = translate_size(n, &mut |v| new[v.index()]);
                out.index(Affine::constant(0, n), &[])
            });
            out.map(*p, &sides, None)
        }
        Condition::Prim(p, args) => {
            let args = args.iter().map(|s| match s {
                Scalar::Var(v) => new[v.index()],
                Scalar::Lit(l) => out.fill(*l, &[]),
            });
            let args: Vec<Var> = args.collect();
            out.map(*p, &args, None)
        }
    }
}

/// Copies an equation to `out`, where its variables are `new`. What has crossed the border of a
/// branch gets its guard back where that matters.
fn guarded(
    program: &Program,
    literals: &Literals,
    eq: &Eq,
    is_border: &dyn Fn(Var) -> bool,
    new: &dyn Fn(Var) -> Var,
    out: &mut Builder,
) -> Var {
    let mut masked: HashMap<Var, Var> = HashMap::new();
    for (v, guard) in sensitive(program, literals, eq) {
        if is_border(v) {
            masked.insert(v, out.masked(new(v), Some(new(guard))));
        }
    }
    out.copy(eq, &mut |v| {
        masked.get(&v).copied().unwrap_or_else(|| new(v))
    })
}
