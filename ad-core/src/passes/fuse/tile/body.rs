//! The steps of a phase as those of a tile.

use super::lane::{Form, uses};
use super::layout::Arrangement;
use crate::ir::bulk::{Param, Type, Var};
use crate::ir::kernel::{
    Affine, At, Compute, Contribution, Division, Fill, Loop, Nest, Operand, Out, Program, Step,
    Tiles, Work,
};
use crate::ir::ty::{Atom, Elem, Size};
use crate::passes::fuse::family;
use crate::thresholds::ELEMENTS_BESIDE_A_ROW;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A list in another order, whose first elements are those at these places.
pub(in crate::passes::fuse) fn in_order<T: Clone>(list: &mut [T], order: &[usize]) {
    let old: Vec<T> = order.iter().map(|&k| list[k].clone()).collect();
    list[..old.len()].clone_from_slice(&old);
}

/// A nest with its outer loops in another order.
pub(in crate::passes::fuse) fn with_outer(nest: &Nest, outer: &[Loop]) -> Nest {
    let order: Vec<Loop> = (outer.iter().copied())
        .chain(nest.outer..nest.loops.len())
        .collect();
    let last = nest.nodes.len() - 1;
    let mut out = nest.reordered(&order, nest.outer, last);
    out.root = nest.root;
    out
}

/// A place in terms of loops in another order.
fn place_with_outer(a: &mut At, outer: &[Loop]) {
    if let At::Affine(a) = a {
        for (m, _) in &mut a.terms {
            *m = outer.iter().position(|l| l == m).unwrap_or(*m);
        }
        a.terms.sort_by_key(|(m, _)| *m);
    }
}

/// Makes the axes of what a step makes those of an arrangement, and the lane the outermost loop.
pub(super) fn arranged_in(step: &mut Step, form: &mut Form, arrangement: &Arrangement) {
    arranged(step, arrangement);
    form.axis = 0;
    form.loops.fill(0);
}

/// Makes the axes of what a step makes, and its loops, those of an arrangement.
pub(super) fn arranged(step: &mut Step, arrangement: &Arrangement) {
    let axes = &arrangement.axes;
    in_order(&mut step.ty.shape, axes);
    match &mut step.work {
        Work::Nest(nest) => *nest = with_outer(nest, &arrangement.loops[0]),
        Work::Scatter(parts) => {
            for (c, outer) in parts.iter_mut().zip(&arrangement.loops) {
                c.nest = with_outer(&c.nest, outer);
                c.at.iter_mut().for_each(|a| place_with_outer(a, outer));
                in_order(&mut c.at, axes);
            }
        }
        Work::Contract { out_axes, .. } => in_order(out_axes, axes),
        Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => unreachable!("no lane runs through these"),
    }
}

/// Reads arrays whose axes are in another order now.
pub(in crate::passes::fuse) fn read_moved(step: &mut Step, moved: &HashMap<Var, Vec<usize>>) {
    for nest in step.nests_mut() {
        for s in &mut nest.nodes {
            if let Compute::Read(v, at) = &mut s.compute
                && let Some(axes) = moved.get(v)
            {
                in_order(at, axes);
            }
        }
    }
    if let Work::Contract {
        a,
        b,
        a_axes,
        b_axes,
        ..
    } = &mut step.work
    {
        for (o, labels) in [(a, a_axes), (b, b_axes)] {
            if let Some(axes) = moved.get(&o.array) {
                in_order(labels, axes);
                if let Some(part) = &mut o.part {
                    in_order(part, axes);
                }
            }
        }
    }
}

/// Names what a step reads in another way.
pub(super) fn rename(step: &mut Step, to: &mut impl FnMut(Var) -> Var) {
    for nest in step.nests_mut() {
        for s in &mut nest.nodes {
            if let Compute::Read(v, _) = &mut s.compute {
                *v = to(*v);
            }
        }
    }
    if let Work::Contract { a, b, .. } = &mut step.work {
        a.array = to(a.array);
        b.array = to(b.array);
    }
}

/// What a body is made with.
struct Body {
    /// What variables are in it.
    names: HashMap<Var, Var>,
    /// The variables that are made in it.
    made: Vec<Var>,
    first: Size,
    length: Size,
}

impl Body {
    fn size(&self, n: &Size) -> Size {
        n.substitute(&mut |a| match a {
            Atom::Value(v) => Size::atom(Atom::Value(self.names[&Var(*v)].0)),
            a @ (Atom::Dim { .. }
            | Atom::Int { .. }
            | Atom::Quot(..)
            | Atom::Rem(..)
            | Atom::Min(..)
            | Atom::Max(..)
            | Atom::Select(..)) => Size::atom(a.clone()),
        })
    }

    fn ty(&self, ty: &Type) -> Type {
        Type {
            elem: ty.elem,
            shape: ty.shape.iter().map(|n| self.size(n)).collect(),
        }
    }

    /// An affine integer, in terms of an index of the lane that is counted from the first one of
    /// the tile; what it is compared with is `counted` so, too, or not.
    fn affine(&self, a: &mut Affine, counted: bool) {
        a.constant = self.size(&a.constant);
        for (_, c) in &mut a.terms {
            *c = self.size(c);
        }
        let by = a.coefficient(0).filter(|_| !counted);
        if let Some(by) = by.map(|c| c.mul(&self.first)) {
            a.constant = a.constant.add(&by);
        }
    }

    /// A nest whose outermost loop is the lane.
    fn nest(&self, nest: &mut Nest) {
        let at = |a: &mut At, counted: bool| {
            if let At::Affine(a) = a {
                self.affine(a, counted);
            }
        };
        for r in &mut nest.ranges {
            r.from.iter_mut().for_each(|a| self.affine(a, false));
            r.to.iter_mut().for_each(|a| at(a, false));
        }
        for s in &mut nest.nodes {
            match &mut s.compute {
                Compute::Index(a) => self.affine(a, false),
                Compute::Read(v, place) => {
                    // What is made here begins where the tile does.
                    let is_made = self.made.contains(v);
                    let place = place.iter_mut().enumerate();
                    place.for_each(|(k, a)| at(a, is_made && k == 0));
                }
                Compute::Lit(_)
                | Compute::Prim(..)
                | Compute::Reduce(..)
                | Compute::ArgReduce(..)
                | Compute::Extreme(_)
                | Compute::Same(_) => {}
            }
        }
        for n in &mut nest.loops {
            *n = self.size(n);
        }
        nest.loops[0] = self.length.clone();
    }

    /// An operand of a product.
    fn operand(&self, o: &mut Operand, axes: &[u8], label: u8, types: &HashMap<Var, Type>) {
        let lane = axes.iter().position(|l| *l == label);
        let is_made = self.made.contains(&o.array);
        let begin = if is_made {
            Size::lit(0)
        } else {
            self.first.clone()
        };
        let shape = types[&o.array].shape.iter();
        let mut part = match &o.part {
            Some(part) => part.clone(),
            None => shape.map(|n| (Size::lit(0), n.clone())).collect(),
        };
        for (start, n) in &mut part {
            (*start, *n) = (self.size(start), self.size(n));
        }
        if let Some(k) = lane {
            part[k] = (begin, self.length.clone());
        }
        if o.part.is_some() || (lane.is_some() && !is_made) {
            o.part = Some(part);
        }
    }

    /// A step that makes a part of an array, along the first axis.
    fn part(&self, step: &mut Step, label: Option<u8>, types: &HashMap<Var, Type>) {
        self.step(step, label, types);
        step.ty.shape[0] = self.length.clone();
    }

    /// A step for the indices of the tile. What it makes has the shape that it had.
    fn step(&self, step: &mut Step, label: Option<u8>, types: &HashMap<Var, Type>) {
        step.ty = self.ty(&step.ty);
        match &mut step.work {
            Work::Nest(nest) => self.nest(nest),
            Work::Scatter(parts) => {
                for Contribution { nest, at } in parts {
                    self.nest(nest);
                    for (k, a) in at.iter_mut().enumerate() {
                        if let At::Affine(a) = a {
                            self.affine(a, k == 0);
                        }
                    }
                }
            }
            Work::Contract {
                a,
                b,
                a_axes,
                b_axes,
                within,
                ..
            } => {
                let label = label.expect("products have one");
                self.operand(a, a_axes, label, types);
                self.operand(b, b_axes, label, types);
                for w in within {
                    w.by = self.size(&w.by);
                }
            }
            Work::Recur { .. }
            | Work::Change { .. }
            | Work::Family(_)
            | Work::Loop(_)
            | Work::Branch(_)
            | Work::Call(_)
            | Work::Tiles(_) => unreachable!("no lane runs through these"),
        }
        let names = &self.names;
        step.out = names[&step.out];
        rename(step, &mut |v| names[&v]);
    }
}

/// What tiles are given, and what variables are in their bodies. A length in the shape of an array
/// is given with it.
fn enter(
    used: impl Iterator<Item = Var>,
    made: Vec<Var>,
    types: &HashMap<Var, Type>,
) -> (Vec<Var>, Body) {
    let mut given = BTreeSet::new();
    let mut waiting: Vec<Var> = used.chain(made.iter().copied()).collect();
    let mut seen: HashSet<Var> = HashSet::new();
    while let Some(v) = waiting.pop() {
        if !seen.insert(v) {
            continue;
        }
        if !made.contains(&v) {
            given.insert(v);
        }
        for n in &types[&v].shape {
            n.visit(&mut |a| {
                if let Atom::Value(n) = a {
                    waiting.push(Var(*n));
                }
            });
        }
    }
    let given: Vec<Var> = given.into_iter().collect();
    let count = given.len() as u32;
    let names = (given.iter().copied().zip((0..).map(Var)))
        .chain(made.iter().copied().zip((count + 2..).map(Var)));
    let atom = |v: u32| Size::atom(Atom::Value(v));
    let body = Body {
        names: names.collect(),
        made,
        first: atom(count),
        length: atom(count + 1),
    };
    (given, body)
}

impl Body {
    /// The program of these steps.
    fn program(
        &self,
        given: &[Var],
        steps: Vec<Step>,
        results: &[Var],
        types: &HashMap<Var, Type>,
    ) -> Program {
        let mut params: Vec<Param> = (given.iter())
            .map(|v| Param {
                name: format!("v{}", v.0),
                ty: self.ty(&types[v]),
            })
            .collect();
        params.extend(["first", "length"].map(|name| Param {
            name: name.into(),
            ty: Type {
                elem: Elem::Int,
                shape: vec![],
            },
        }));
        Program {
            name: "tile".into(),
            params,
            steps,
            results: results.iter().map(|v| self.names[v]).collect(),
            requires: vec![],
            blocks: vec![],
        }
    }
}

/// Results of tiles.
fn outs(vars: &[Var], types: &HashMap<Var, Type>) -> Vec<Out> {
    let out = |(result, v): (usize, &Var)| Out {
        result,
        var: *v,
        ty: types[v].clone(),
    };
    vars.iter().enumerate().map(out).collect()
}

fn step_of(tiles: Tiles) -> Step {
    let (out, ty) = (tiles.outs[0].var, tiles.outs[0].ty.clone());
    let work = Work::Tiles(Box::new(tiles));
    Step { out, ty, work }
}

/// What is done in tiles.
#[derive(Default)]
pub(super) struct Inside {
    /// Steps that have the lane outermost.
    pub(super) steps: Vec<(Step, Form)>,
    /// What of these is used elsewhere.
    pub(super) lasting: Vec<Var>,
    /// Products that have a sum over the lane, with its label: they are added up.
    pub(super) totals: Vec<(Step, u8)>,
    /// How many elements are read again, for an index of the lane.
    pub(super) read: Size,
    /// How many elements there should be for an index at most.
    pub(super) most: Option<i64>,
}

/// The rows of a matrix product for an index of the lane, if every tile reads the other matrix as
/// a whole.
fn rows_of_product(step: &Step, form: &Form) -> Option<Size> {
    let Work::Contract {
        a_axes,
        b_axes,
        out_axes,
        ..
    } = &step.work
    else {
        return None;
    };
    let lane = form.label?;
    let (tiled, whole) = match (a_axes.contains(&lane), b_axes.contains(&lane)) {
        (true, false) => (a_axes, b_axes),
        (false, true) => (b_axes, a_axes),
        (..) => return None,
    };
    let mut has_columns = false;
    let mut rows = Size::lit(1);
    for (label, n) in out_axes.iter().zip(&step.ty.shape) {
        match (tiled.contains(label), whole.contains(label)) {
            (true, false) if *label != lane => rows = rows.mul(n),
            (false, true) => has_columns = true,
            (..) => {}
        }
    }
    has_columns.then_some(rows)
}

/// The tiles of a phase.
pub(super) fn tiles(lane: &Size, inside: Inside, types: &HashMap<Var, Type>) -> Step {
    let Inside {
        steps,
        mut lasting,
        totals,
        read: mut each,
        most,
    } = inside;
    for (s, _) in &steps {
        let row = types[&s.out].shape[1..].iter();
        each = each.add(&row.fold(Size::lit(1), |all, n| all.mul(n)));
    }
    let rows = steps
        .iter()
        .filter_map(|(s, form)| rows_of_product(s, form));
    if let Some(fewest) = rows.reduce(|a, b| a.smaller(&b)) {
        each = each.smaller(&fewest.scale(ELEMENTS_BESIDE_A_ROW));
    }
    if let Some(most) = most {
        each = each.smaller(&Size::lit(most));
    }
    let of_totals = totals.iter().map(|(s, _)| s);
    let all = || steps.iter().map(|(s, _)| s).chain(of_totals.clone());
    let (given, body) = enter(all().flat_map(uses), all().map(|s| s.out).collect(), types);
    let added: Vec<usize> = (lasting.len()..).take(totals.len()).collect();
    lasting.extend(totals.iter().map(|(s, _)| s.out));
    let steps = steps.into_iter().map(|(mut step, form)| {
        body.part(&mut step, form.label, types);
        step
    });
    let totals = totals.into_iter().map(|(mut step, label)| {
        body.step(&mut step, Some(label), types);
        step
    });
    let program = body.program(&given, steps.chain(totals).collect(), &lasting, types);
    step_of(Tiles {
        body: family::group(program),
        given,
        extent: lane.clone(),
        division: Division::Tiles(each),
        outs: outs(&lasting, types),
        added,
    })
}

/// A step over many indices, in shares of them: what has an element for each index is put together,
/// and sums are added.
pub(in crate::passes::fuse) fn shared(
    mut step: Step,
    work: Size,
    types: &HashMap<Var, Type>,
) -> Step {
    let defined: Vec<Var> = step.defines().into_iter().map(|(v, _)| v).collect();
    let (given, body) = enter(uses(&step).into_iter(), defined.clone(), types);
    let mut added = vec![];
    step.out = body.names[&step.out];
    step.ty = body.ty(&step.ty);
    let place = |a: &mut At| {
        if let At::Affine(a) = a {
            body.affine(a, false);
        }
    };
    let extent = match &mut step.work {
        Work::Nest(nest) => {
            let extent = nest.loops[0].clone();
            body.nest(nest);
            step.ty.shape[0] = body.length.clone();
            extent
        }
        Work::Scatter(parts) => {
            let extent = parts[0].nest.loops[0].clone();
            for c in parts {
                body.nest(&mut c.nest);
                c.at.iter_mut().for_each(place);
            }
            added.push(0);
            extent
        }
        Work::Family(f) => {
            let extent = f.nest.loops[0].clone();
            body.nest(&mut f.nest);
            for (k, m) in f.members.iter_mut().enumerate() {
                m.var = body.names[&m.var];
                m.ty = body.ty(&m.ty);
                match &mut m.fill {
                    Fill::Each(_) => m.ty.shape[0] = body.length.clone(),
                    Fill::At { parts, .. } => {
                        added.push(k);
                        parts.iter_mut().flat_map(|p| &mut p.at).for_each(place);
                    }
                }
            }
            let first = &f.members[0];
            (step.out, step.ty) = (first.var, first.ty.clone());
            extent
        }
        Work::Contract { .. }
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => unreachable!("these are not divided"),
    };
    rename(&mut step, &mut |v| body.names[&v]);
    step_of(Tiles {
        body: body.program(&given, vec![step], &defined, types),
        given,
        extent,
        division: Division::Shares(work),
        outs: outs(&defined, types),
        added,
    })
}
