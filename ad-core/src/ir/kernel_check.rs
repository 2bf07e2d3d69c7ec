//! The verifier of kernels: order of computation, kinds, places, where loops run, and that every
//! scalar stands where all of its loops run.

mod branch;
mod family;
mod form;
mod sequence;
mod tiles;

use super::build::without;
use super::bulk::{Feed, Param, Type, Var, states};
use super::core::{ReduceOp, Ty};
use super::kernel::{
    Affine, At, Compute, Loop, Nest, Node, Operand, Program, Range, Scalar, Source, Step, UnitCall,
    Within, Work,
};
use super::ty::{Atom, Elem, Size};
use super::unit::{Rule, Tape};
use std::collections::{HashMap, HashSet};

/// Verifies a program.
///
/// # Errors
/// Names the array that is wrong, and why.
pub fn check(program: &Program) -> Result<(), String> {
    check_inside(program, &program.params, 0..0, program.results.len())
}

/// Verifies a program in a function with these parameters. Of its own parameters it may take some.
/// It must have the first results at its end, the others at any time.
fn check_inside(
    program: &Program,
    function: &[Param],
    states: std::ops::Range<usize>,
    lasting: usize,
) -> Result<(), String> {
    let mut known: HashMap<Var, Type> = HashMap::new();
    let mut owned: HashSet<Var> = states.map(|k| Var(k as u32)).collect();
    let mut gone: HashSet<Var> = HashSet::new();
    for (k, p) in program.params.iter().enumerate() {
        known.insert(Var(k as u32), p.ty.clone());
    }
    for step in &program.steps {
        let scope = Scope {
            known: &known,
            function,
        };
        let at = |e| format!("v{}: {e}", step.out.0);
        (scope.step(step).and_then(|()| scope.form(step))).map_err(at)?;
        for s in step.sources().iter().filter(|s| s.taken) {
            if !owned.remove(&s.array) {
                return Err(at(format!("takes v{}, which it may not", s.array.0)));
            }
            known.remove(&s.array);
            gone.insert(s.array);
        }
        for (v, ty) in step.defines() {
            if gone.contains(&v) || known.insert(v, ty.clone()).is_some() {
                return Err(format!("v{} is computed twice", v.0));
            }
            owned.insert(v);
        }
    }
    let (last, stacked) = program.results.split_at(lasting);
    let missing = last.iter().find(|r| !known.contains_key(r));
    let never = |r: &&Var| !known.contains_key(r) && !gone.contains(r);
    let missing = missing.or_else(|| stacked.iter().find(never));
    missing.map_or(Ok(()), |r| {
        Err(format!("the result v{} is not computed", r.0))
    })
}

struct Scope<'a> {
    known: &'a HashMap<Var, Type>,
    /// Whose lengths and integers are in sizes.
    function: &'a [Param],
}

impl Scope<'_> {
    fn ty(&self, v: Var) -> Result<&Type, String> {
        (self.known.get(&v)).ok_or_else(|| format!("v{} is not computed yet", v.0))
    }

    fn size(&self, s: &Size) -> Result<(), String> {
        let mut wrong = None;
        s.visit(&mut |a| {
            let ok = match a {
                Atom::Value(v) => self
                    .ty(Var(*v))
                    .is_ok_and(|t| t.elem == Elem::Int && t.rank() == 0),
                Atom::Dim { param, axis } => {
                    (self.function.get(*param)).is_some_and(|p| *axis < p.ty.rank())
                }
                Atom::Int { param } => {
                    (self.function.get(*param)).is_some_and(|p| p.ty.rank() == 0)
                }
                Atom::Quot(..)
                | Atom::Rem(..)
                | Atom::Min(..)
                | Atom::Max(..)
                | Atom::Select(..) => true,
            };
            if !ok {
                wrong = Some(format!(
                    "the size {s} mentions {a}, which is not known here"
                ));
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    fn step(&self, step: &Step) -> Result<(), String> {
        let ty = &step.ty;
        if !matches!(
            step.work,
            Work::Family(_) | Work::Loop(_) | Work::Call(_) | Work::Tiles(_) | Work::Branch(_)
        ) {
            ty.shape.iter().try_for_each(|s| self.size(s))?;
        }
        match &step.work {
            Work::Nest(nest) => {
                if nest.loops.get(..nest.outer) != Some(&ty.shape[..]) {
                    return Err("the outer loops are not those of the result".into());
                }
                let kind = self.nest(nest)?;
                if !nest.ranges[..nest.outer].iter().all(Range::is_whole) {
                    same(
                        kind,
                        Elem::Real,
                        "an element of an array that begins as zeros",
                    )?;
                }
                same(kind, ty.elem, "the element")
            }
            Work::Scatter(contributions) => {
                for c in contributions {
                    same(self.nest(&c.nest)?, Elem::Real, "a contribution")?;
                    if c.at.len() != ty.rank() {
                        return Err(format!("{} indices for {} axes", c.at.len(), ty.rank()));
                    }
                    let here: Vec<Loop> = (0..c.nest.outer).collect();
                    self.places(&c.nest, &c.at, c.nest.nodes.len(), Some(&here))?;
                }
                Ok(())
            }
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
                within,
                onto,
            } => {
                if let Some(Source { array, taken }) = onto {
                    if !taken || self.ty(*array)? != ty || [a.array, b.array].contains(array) {
                        return Err(format!("a product cannot be added to v{}", array.0));
                    }
                    if !within.is_empty() {
                        return Err("a bounded product is added to something".into());
                    }
                }
                for w in within {
                    self.size(&w.by)?;
                    let pair = |w: &Within| [w.less.min(w.more), w.less.max(w.more)];
                    let together = [a_axes, b_axes, out_axes]
                        .iter()
                        .any(|axes| axes.contains(&w.less) && axes.contains(&w.more));
                    let first = &within[0];
                    if !together
                        || pair(w) != pair(first)
                        || !pair(w).iter().any(|l| out_axes.contains(l))
                    {
                        return Err(format!("labels {} and {} bound nothing", w.less, w.more));
                    }
                }
                self.operand(a, a_axes)?;
                self.operand(b, b_axes)?;
                let missing = |l: &&u8| !a_axes.contains(l) && !b_axes.contains(l);
                match out_axes.iter().find(missing) {
                    Some(l) => Err(format!("the label {l} is in no operand")),
                    None if out_axes.len() != ty.rank() => Err("labels and axes differ".into()),
                    None => Ok(()),
                }
            }
            Work::Recur {
                a, mask, b, axis, ..
            } => {
                let fits = |v: Var, elem: Elem, shape: &[Size]| {
                    let ty = self.ty(v)?;
                    if ty.elem != elem || ty.shape != shape {
                        return Err(format!("v{} does not fit a recurrence", v.0));
                    }
                    Ok(())
                };
                let factors = &self.ty(*a)?.shape;
                let mut out = factors.clone();
                match out.get_mut(*axis) {
                    Some(n) => *n = states(n),
                    None => return Err(format!("a recurrence along the axis {axis}")),
                }
                if out != ty.shape {
                    return Err("the factors do not fit the recurrence".into());
                }
                fits(*a, Elem::Real, factors)?;
                if let Some(m) = mask {
                    fits(*m, Elem::Bool, factors)?;
                }
                match b {
                    Feed::One => Ok(()),
                    Feed::First(v) => fits(*v, Elem::Real, &without(&ty.shape, &[*axis])),
                    Feed::Each(v) => fits(*v, Elem::Real, factors),
                    Feed::All(v) => fits(*v, Elem::Real, &ty.shape),
                }
            }
            Work::Change { of, adds, parts } => self.change(of, *adds, parts, ty),
            Work::Family(f) => self.family(f),
            Work::Loop(s) => self.sequence(s),
            Work::Call(c) => self.call(c),
            Work::Tiles(t) => self.tiles(t),
            Work::Branch(b) => self.branch(b),
        }
    }

    fn call(&self, c: &UnitCall) -> Result<(), String> {
        let name = c.unit.name();
        let onto = c.onto.iter().map(|source| &source.array);
        let args: Vec<&Var> = c.args.iter().chain(onto).collect();
        let takes = match c.rule {
            Rule::Tape(Tape::Save) => {
                let types = args.iter().map(|v| self.ty(**v));
                let types = types.map(|ty| {
                    let (elem, rank) = ty.map(|ty| (ty.elem, ty.rank()))?;
                    Ok(Ty { elem, rank })
                });
                types.collect::<Result<_, String>>()?
            }
            Rule::Value | Rule::Jvp | Rule::Vjp | Rule::Tape(_) => c.unit.takes(c.rule),
        };
        if takes.len() != args.len() {
            return Err(format!("the arguments are not those of `{name}`"));
        }
        for (v, wanted) in args.into_iter().zip(takes) {
            let ty = self.ty(*v)?;
            if (ty.elem, ty.rank()) != (wanted.elem, wanted.rank) {
                return Err(format!("v{} is no argument of `{name}`", v.0));
            }
        }
        for (k, o) in c.outs.iter().enumerate() {
            let twice = c.outs[..k].iter().any(|p| p.result == o.result);
            if o.result >= c.unit.count(c.rule) || twice {
                return Err(format!("`{name}` has no result {}, or twice", o.result));
            }
            let Some(ty) = c.unit.gives(c.rule, o.result) else {
                continue;
            };
            if (o.ty.elem, o.ty.rank()) != (ty.elem, ty.rank) {
                return Err(format!(
                    "the result {} of `{name}` has another type",
                    o.result
                ));
            }
        }
        Ok(())
    }

    fn operand(&self, o: &Operand, axes: &[u8]) -> Result<(), String> {
        let ty = self.ty(o.array)?;
        same(ty.elem, Elem::Real, "an operand")?;
        if ty.rank() != axes.len() || o.part.as_ref().is_some_and(|p| p.len() != axes.len()) {
            return Err(format!("v{} does not have {} axes", o.array.0, axes.len()));
        }
        Ok(())
    }

    /// Verifies a nest; gives the kind of its root.
    fn nest(&self, nest: &Nest) -> Result<Elem, String> {
        nest.loops.iter().try_for_each(|s| self.size(s))?;
        if nest.ranges.len() != nest.loops.len() {
            return Err("not every loop has a range".into());
        }
        for l in 0..nest.outer {
            let here: Vec<Loop> = (0..l).collect();
            self.range(nest, l, nest.nodes.len(), &here)?;
        }
        let mut owner: HashMap<Loop, Node> = HashMap::new();
        for (n, s) in nest.nodes.iter().enumerate() {
            self.scalar(nest, n, s, &mut owner)
                .map_err(|e| format!("node {n}: {e}"))?;
        }
        let root = nest.nodes.get(nest.root).ok_or("the root is no node")?;
        if nest.depends[nest.root].iter().any(|l| *l >= nest.outer) {
            return Err("the root depends on an inner loop".into());
        }
        Ok(root.elem)
    }

    fn scalar(
        &self,
        nest: &Nest,
        n: Node,
        s: &Scalar,
        owner: &mut HashMap<Loop, Node>,
    ) -> Result<(), String> {
        if let Some(o) = s.own().iter().find(|l| **l >= nest.loops.len()) {
            return Err(format!("the loop {o} does not exist"));
        }
        if let Some(o) = nest.operands(n).into_iter().find(|o| *o >= n) {
            return Err(format!("uses node {o}, which comes later"));
        }
        if let Some(g) = s.guard {
            same(nest.nodes[g].elem, Elem::Bool, "the guard")?;
        }
        let kind = |n: Node| nest.nodes[n].elem;
        match &s.compute {
            Compute::Lit(l) => same(l.elem(), s.elem, "the literal")?,
            Compute::Index(_) => same(s.elem, Elem::Int, "an index")?,
            Compute::Same(m) => same(kind(*m), s.elem, "the operand")?,
            Compute::Read(v, at) => {
                let ty = self.ty(*v)?;
                same(ty.elem, s.elem, "what is read")?;
                if ty.rank() != at.len() {
                    return Err(format!("{} indices for v{}", at.len(), v.0));
                }
                self.places(nest, at, n, None)?;
            }
            Compute::Prim(p, args) => {
                let wanted = p.args(s.elem);
                let found: Vec<Elem> = args.iter().map(|a| kind(*a)).collect();
                if wanted != found {
                    return Err(format!("`{}` of {found:?}", p.name()));
                }
                same(p.result(s.elem), s.elem, "the result")?;
            }
            Compute::Reduce(op, loops, body) => {
                same(kind(*body), s.elem, "the body")?;
                if *op != ReduceOp::Sum && loops.len() != 1 {
                    return Err(format!("`{}` over {} loops", op.name(), loops.len()));
                }
            }
            Compute::ArgReduce(_, _, body) => {
                same(kind(*body), Elem::Real, "the body")?;
            }
            Compute::Extreme(m) => {
                same(s.elem, Elem::Real, "an extremum")?;
                let place = &nest.nodes[*m];
                if !matches!(place.compute, Compute::ArgReduce(..)) || place.guard != s.guard {
                    return Err(format!("node {m} is no position for it"));
                }
            }
        }
        let mut here = nest.depends[n].clone();
        for &l in s.own() {
            if l < nest.outer || owner.insert(l, n).is_some() {
                return Err(format!("the loop {l} is not its own"));
            }
            self.range(nest, l, n, &here)?;
            here.push(l);
        }
        Ok(())
    }

    /// Verifies where a loop runs: its bounds are integers that are known inside of the loops
    /// `here`.
    fn range(&self, nest: &Nest, l: Loop, before: Node, here: &[Loop]) -> Result<(), String> {
        let range = &nest.ranges[l];
        let from: Vec<At> = range.from.iter().cloned().map(At::Affine).collect();
        (self.places(nest, &from, before, Some(here)))
            .and_then(|()| self.places(nest, &range.to, before, Some(here)))
            .map_err(|e| format!("the range of the loop {l}: {e}"))
    }

    /// Verifies the components of a place: nodes before `before`, of integers, and loops that exist
    /// (`here`, if given, are all that run).
    fn places(
        &self,
        nest: &Nest,
        at: &[At],
        before: Node,
        here: Option<&[Loop]>,
    ) -> Result<(), String> {
        let runs = |l: Loop| here.map_or(l < nest.loops.len(), |here| here.contains(&l));
        for a in at {
            let loops: Vec<Loop> = match a {
                At::Affine(Affine { terms, constant }) => {
                    self.size(constant)?;
                    terms.iter().map(|(l, _)| *l).collect()
                }
                At::Node(n) if *n >= before => return Err(format!("node {n} comes later")),
                At::Node(n) => {
                    same(nest.nodes[*n].elem, Elem::Int, "an index")?;
                    nest.depends[*n].clone()
                }
            };
            if let Some(l) = loops.into_iter().find(|l| !runs(*l)) {
                return Err(format!("the loop {l} does not run here"));
            }
        }
        Ok(())
    }
}

fn same(found: Elem, wanted: Elem, what: &str) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{what} is {found}, not {wanted}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::kernel::{Form, Step};

    fn program(nest: Nest) -> Program {
        let shape = vec![Size::dim(0, 0)];
        let elem = Elem::Real;
        let ty = Type { elem, shape };
        Program {
            name: "f".into(),
            params: vec![Param {
                name: "x".into(),
                ty: ty.clone(),
            }],
            steps: vec![Step {
                out: Var(1),
                ty,
                work: Work::Nest(nest),
            }],
            results: vec![Var(1)],
            requires: vec![],
            blocks: vec![],
        }
    }

    fn reads(l: Loop, loops: usize) -> Nest {
        Nest {
            loops: vec![Size::dim(0, 0); loops],
            ranges: vec![Range::default(); loops],
            outer: 1,
            nodes: vec![Scalar {
                elem: Elem::Real,
                guard: None,
                compute: Compute::Read(Var(0), vec![At::Affine(Affine::of(l))]),
            }],
            depends: vec![vec![l]],
            root: 0,
            form: Form::Plain,
        }
    }

    #[test]
    fn a_copy_is_sound() {
        assert_eq!(check(&program(reads(0, 1))), Ok(()));
    }

    /// `Σ_j x[j]` for each i, where j is loop 1 and runs up to some bounds.
    fn sums(to: Vec<At>) -> Nest {
        let mut nest = reads(1, 2);
        nest.ranges[1].to = to;
        nest.nodes.push(Scalar {
            elem: Elem::Real,
            guard: None,
            compute: Compute::Reduce(ReduceOp::Sum, vec![1], 0),
        });
        nest.depends.push(vec![0]);
        nest.root = 1;
        nest
    }

    #[test]
    fn a_triangular_sum_is_sound() {
        assert_eq!(check(&program(sums(vec![]))), Ok(()));
        let upto = At::Affine(Affine::of(0).plus(1));
        assert_eq!(check(&program(sums(vec![upto]))), Ok(()));
    }

    #[test]
    fn ranges_depend_on_what_is_further_out() {
        let wrong = |nest| check(&program(nest)).unwrap_err();
        let own = sums(vec![At::Affine(Affine::of(1))]);
        assert!(wrong(own).contains("the range of the loop 1: the loop 1 does not run here"));
        assert!(
            wrong(sums(vec![At::Node(0)])).contains("the range of the loop 1: an index is real")
        );
        assert!(wrong(sums(vec![At::Node(1)])).contains("comes later"));
        let mut outer = reads(0, 1);
        outer.ranges[0].from = vec![Affine::of(0)];
        assert!(wrong(outer).contains("the range of the loop 0"));
        let mut none = reads(0, 1);
        none.ranges.clear();
        assert!(wrong(none).contains("not every loop has a range"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |nest| check(&program(nest)).unwrap_err();
        assert!(wrong(reads(1, 1)).contains("the loop 1 does not run here"));
        assert!(wrong(reads(1, 2)).contains("depends on an inner loop"));
        let mut late = reads(0, 1);
        late.nodes[0].guard = Some(0);
        assert!(wrong(late).contains("comes later"));
        let mut other = program(reads(0, 1));
        other.results.push(Var(7));
        assert!(check(&other).unwrap_err().contains("v7 is not computed"));
    }
}
