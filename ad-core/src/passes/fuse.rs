//! Bulk to Kernels: which arrays are stored, and which are computed where they are used.
//!
//! An equation is *inlined* into the loop nests that use it, unless it must be an array of its own:
//! results, operands of matrix products and recurrences, and what would be computed more than once.
//! Reads become index expressions on the way. An inlined equation is computed once for each element
//! that is needed:
//!
//! - it costs no real operation (a read, a few selections, an index), or
//! - it is needed at one place only, and the loops around that place are just those that occur in the
//!   place, each by itself; or at a few such places, if it is one cheap operation on arguments.

use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Affine as BulkAffine, Eq, Ix, Op, Program, Var};
use crate::ir::kernel::{
    self, Affine, At, Compute, Contribution, Loop, Nest, Node, Operand, Scalar, Step, Work,
};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;

/// Fuses a program.
pub fn fuse(program: &Program) -> kernel::Program {
    let program = expand_contractions(program);
    let stored = choose(&program);
    let params = program.params.len();
    let mut steps = vec![];
    for (k, eq) in program.eqs.iter().enumerate() {
        let out = program.var_of(k);
        if !stored[out.index()] {
            continue;
        }
        let whole = |v: Var| {
            let shape = &program.ty(v).shape;
            let place = (0..shape.len()).map(Affine::of).collect::<Vec<_>>();
            (NestBuilder::new(&program, &stored, shape), place)
        };
        let work = match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let ((a, a_axes), (b, b_axes)) = operands(&program, (*a, a_axes), (*b, b_axes));
                Work::Contract {
                    a,
                    b,
                    a_axes,
                    b_axes,
                    out_axes: out_axes.clone(),
                }
            }
            Op::Recur {
                a,
                b,
                axis,
                reverse,
            } => Work::Recur {
                a: *a,
                b: *b,
                axis: *axis,
                reverse: *reverse,
            },
            Op::Scatter(parts) if !parts.is_empty() => Work::Scatter(
                (parts.iter())
                    .map(|p| {
                        let (mut nest, place) = whole(p.src);
                        let root = nest.contribution(p.src, &place);
                        let at = p.index.iter().map(|i| nest.at(i, &place)).collect();
                        Contribution {
                            nest: nest.finish(root),
                            at,
                        }
                    })
                    .collect(),
            ),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Copy(_)
            | Op::Stop(_)
            | Op::Scatter(_) => {
                let (mut nest, place) = whole(out);
                let root = nest.compute(out, &place);
                Work::Nest(nest.finish(root))
            }
        };
        let ty = eq.ty.clone();
        steps.push(Step { out, ty, work });
    }
    debug_assert!(params <= stored.len());
    kernel::Program {
        name: program.name.clone(),
        params: program.params.clone(),
        steps,
        results: program.results.clone(),
        requires: program.requires.clone(),
    }
}

/// Contractions that are no product of a matrix become a sum of products again, so that they fuse
/// with what is around them; so do products of a matrix and a vector whose matrix is computed for
/// this use alone. Guarded results of the others are masked afterwards.
fn expand_contractions(program: &Program) -> Program {
    let uses = count_uses(program);
    let mut out = Builder::new(&program.name, program.params.clone());
    let mut new: Vec<Var> = (0..program.params.len()).map(|k| Var(k as u32)).collect();
    for eq in &program.eqs {
        let at = |v: Var| new[v.index()];
        let v = match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let computed_here = |v: Var| {
                    uses[v.index()] == 1
                        && program.eq(v).is_some_and(|e| !is_opaque(&e.op))
                        && program.ty(v).rank() >= 2
                };
                let alone = |xs: &[u8], ys: &[u8]| {
                    xs.iter().any(|l| out_axes.contains(l) && !ys.contains(l))
                };
                let sums = a_axes.iter().any(|l| !out_axes.contains(l));
                let (rows, columns) = (alone(a_axes, b_axes), alone(b_axes, a_axes));
                let matrix_vector = (rows != columns) && !computed_here(*a) && !computed_here(*b);
                if sums && ((rows && columns) || matrix_vector) {
                    let guard = eq.guard.map(at);
                    let bare = Eq {
                        guard: None,
                        ..eq.clone()
                    };
                    let v = out.copy(&bare, &mut |v| new[v.index()]);
                    out.masked(v, guard)
                } else {
                    let (a, b) = (at(*a), at(*b));
                    let guard = eq.guard.map(at);
                    let operands = [(a, a_axes), (b, b_axes)];
                    sum_of_product(&mut out, operands, out_axes, guard)
                }
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Copy(_)
            | Op::Stop(_) => out.copy(eq, &mut |v| new[v.index()]),
        };
        new.push(v);
    }
    for (k, p) in program.params.iter().enumerate() {
        let shape = (p.ty.shape.iter())
            .map(|n| translate_size(n, &mut |v| new[v.index()]))
            .collect();
        out.set_param_shape(k, shape);
    }
    for r in &program.requires {
        out.require(r.clone());
    }
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    super::simplify::live(&out.finish(results))
}

/// `Σ a · b` written out.
fn sum_of_product(
    out: &mut Builder,
    operands: [(Var, &Vec<u8>); 2],
    out_axes: &[u8],
    guard: Option<Var>,
) -> Var {
    let mut labels = out_axes.to_vec();
    let mut shape: HashMap<u8, Size> = HashMap::new();
    for (v, axes) in &operands {
        for (l, n) in axes.iter().zip(out.shape(*v)) {
            if !labels.contains(l) {
                labels.push(*l);
            }
            shape.insert(*l, n);
        }
    }
    let space: Vec<Size> = labels.iter().map(|l| shape[l].clone()).collect();
    let spread = operands.map(|(v, axes)| {
        let at: Vec<usize> = (axes.iter())
            .map(|l| labels.iter().position(|x| x == l).expect("collected above"))
            .collect();
        out.spread(v, &at, &space)
    });
    let product = out.map(Prim::Mul, &spread, None);
    let summed: Vec<usize> = (out_axes.len()..labels.len()).collect();
    out.sum(product, &summed, guard)
}

/// What a product reads: where an operand only takes a box-shaped part of an array, or permutes its
/// axes, the array itself.
fn operands(
    program: &Program,
    a: (Var, &[u8]),
    b: (Var, &[u8]),
) -> ((Operand, Vec<u8>), (Operand, Vec<u8>)) {
    let of = |x: (Var, &[u8]), other: (Var, &[u8])| {
        part_of(program, x, other).unwrap_or_else(|| {
            let (array, part) = (x.0, None);
            (Operand { array, part }, x.1.to_vec())
        })
    };
    (of(a, b), of(b, a))
}

fn part_of(
    program: &Program,
    (v, axes): (Var, &[u8]),
    other: (Var, &[u8]),
) -> Option<(Operand, Vec<u8>)> {
    let eq = program.eq(v)?;
    let Op::Gather { src, index } = &eq.op else {
        return None;
    };
    // A guard may only say that other axes of the product are not empty; where they are, nothing is
    // read.
    if let Some(g) = eq.guard {
        let lengths = (program.ty(other.0).shape.iter().zip(other.1))
            .filter(|(_, l)| !axes.contains(l))
            .map(|(n, _)| n.clone());
        let lengths: Vec<Size> = lengths.collect();
        if !positive_lengths(program, g)?
            .iter()
            .all(|n| lengths.contains(n))
        {
            return None;
        }
    }
    if index.len() != axes.len() {
        return None;
    }
    let mut part = vec![];
    let mut labels = vec![];
    for i in index {
        let Ix::Affine(a) = i else { return None };
        let (axis, c) = a.single()?;
        if !c.is(1) || labels.contains(&axes[axis]) {
            return None;
        }
        labels.push(axes[axis]);
        part.push((a.constant.clone(), eq.ty.shape[axis].clone()));
    }
    let array = *src;
    let of = &program.ty(array).shape;
    let all = part.iter().zip(of).all(|((s, n), len)| s.is(0) && n == len);
    let part = (!all).then_some(part);
    Some((Operand { array, part }, labels))
}

/// The lengths of which a guard says that they are positive, if that is all it says.
fn positive_lengths(program: &Program, guard: Var) -> Option<Vec<Size>> {
    let constant = |v: Var| {
        let op = &program.eq(v)?.op;
        if let Op::Fill(Lit::Int(i)) = op {
            return Some(Size::lit(*i));
        }
        let Op::Index(a) = op else { return None };
        a.is_constant().then(|| a.constant.clone())
    };
    let Op::Map(p, args) = &program.eq(guard)?.op else {
        return None;
    };
    if *p == Prim::And {
        let mut all = positive_lengths(program, args[0])?;
        all.extend(positive_lengths(program, args[1])?);
        Some(all)
    } else if *p == Prim::ILt && constant(args[0])?.is(0) {
        Some(vec![constant(args[1])?])
    } else {
        None
    }
}

/// Operations that are a step of their own.
fn is_opaque(op: &Op) -> bool {
    match op {
        Op::Contract { .. } | Op::Recur { .. } => true,
        // A structural zero is a literal.
        Op::Scatter(parts) => !parts.is_empty(),
        Op::Fill(_)
        | Op::Index(_)
        | Op::Map(..)
        | Op::Gather { .. }
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    }
}

fn count_uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.params.len() + program.eqs.len()];
    for eq in &program.eqs {
        eq.visit(&mut |v| uses[v.index()] += 1);
    }
    for r in &program.results {
        uses[r.index()] += 1;
    }
    uses
}

/// A place where a variable's elements are needed: in the nest of a stored variable, at affine
/// functions of its loops.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    nest: (Var, usize),
    at: Vec<Affine>,
    /// The loops around the place where it is evaluated, from the outside in: the outer loops of the
    /// nest, and inner ones up to the last that occurs in `at`.
    around: Vec<Loop>,
    outer: usize,
}

impl Place {
    /// All elements of a nest's own array, or of a part that it scatters.
    fn whole(nest: (Var, usize), rank: usize) -> Place {
        Place {
            nest,
            at: (0..rank).map(Affine::of).collect(),
            around: (0..rank).collect(),
            outer: rank,
        }
    }

    /// Another place that is needed for this one.
    fn moved(&self, at: Vec<Affine>, around: Vec<Loop>) -> Place {
        let occurs = |l: &Loop| at.iter().any(|a| a.terms.iter().any(|(m, _)| m == l));
        let last = around.iter().rposition(occurs).map_or(0, |k| k + 1);
        let around = around[..last.max(self.outer)].to_vec();
        Place {
            nest: self.nest,
            at,
            around,
            outer: self.outer,
        }
    }

    /// Whether evaluating the place meets no element twice: each loop around it is a component by
    /// itself.
    fn is_once_per_element(&self) -> bool {
        let single: Vec<Loop> = (self.at.iter())
            .filter_map(|a| match &a.terms[..] {
                [(l, c)] if c.is(1) || c.is(-1) => Some(*l),
                _ => None,
            })
            .collect();
        self.around.iter().all(|l| single.contains(l))
    }
}

/// Decides which variables are stored.
fn choose(program: &Program) -> Vec<bool> {
    let count = program.params.len() + program.eqs.len();
    let mut stored = vec![false; count];
    let free = free_of_charge(program);
    let mut needed: Vec<Vec<Place>> = vec![vec![]; count];
    // The loops of each nest so far, and those of each reduction inlined into it.
    let mut loops: HashMap<(Var, usize), usize> = HashMap::new();
    stored[..program.params.len()].fill(true);
    for r in &program.results {
        stored[r.index()] = true;
    }
    let mark = |s: &Size, stored: &mut Vec<bool>| {
        s.visit(&mut |a| {
            if let Atom::Value(v) = a {
                stored[*v as usize] = true;
            }
        });
    };
    for p in &program.params {
        p.ty.shape.iter().for_each(|s| mark(s, &mut stored));
    }
    for eq in &program.eqs {
        eq.visit_sizes(&mut |s| mark(s, &mut stored));
        match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                ..
            } => {
                let ((a, _), (b, _)) = operands(program, (*a, a_axes), (*b, b_axes));
                stored[a.array.index()] = true;
                stored[b.array.index()] = true;
            }
            Op::Recur { a, b, .. } => {
                stored[a.index()] = true;
                stored[b.index()] = true;
            }
            // A read that may fail is a read of an array: its failure must not be lost.
            Op::Gather { src, index } => {
                let of = &program.ty(*src).shape;
                let plain = index.iter().zip(of).all(|(i, n)| match i {
                    Ix::Data(_) => false,
                    Ix::Affine(a) => eq.guard.is_none() || a.inside(&eq.ty.shape, n),
                });
                if !plain {
                    stored[src.index()] = true;
                }
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Copy(_)
            | Op::Stop(_) => {}
        }
    }
    for (k, eq) in program.eqs.iter().enumerate().rev() {
        let v = program.var_of(k);
        let mut places = std::mem::take(&mut needed[v.index()]);
        places.dedup();
        let free = free[v.index()];
        let inline = !stored[v.index()]
            && !is_opaque(&eq.op)
            && (free
                || (places.len() <= repeats(program, eq)
                    && places.iter().all(Place::is_once_per_element)));
        if !inline {
            stored[v.index()] = true;
            places = vec![Place::whole((v, 0), eq.ty.rank())];
            loops.insert((v, 0), eq.ty.rank());
        }
        for p in places {
            let mut need = |u: Var, place: Place| {
                let list = &mut needed[u.index()];
                if !list.contains(&place) {
                    list.push(place);
                }
            };
            if let Some(g) = eq.guard {
                need(g, p.clone());
            }
            match &eq.op {
                Op::Fill(_) | Op::Index(_) | Op::Contract { .. } | Op::Recur { .. } => {}
                Op::Map(_, args) => args.iter().for_each(|a| need(*a, p.clone())),
                Op::Copy(a) | Op::Stop(a) => need(*a, p.clone()),
                Op::Gather { src, index } => {
                    let mut at = vec![];
                    for i in index {
                        match i {
                            Ix::Affine(a) => at.push(follow(a, &p.at)),
                            Ix::Data(d) => need(*d, p.clone()),
                        }
                    }
                    if !stored[src.index()] {
                        need(*src, p.moved(at, p.around.clone()));
                    }
                }
                Op::Reduce { src, axes, .. } => {
                    let place = enter(&p, axes, &mut loops);
                    need(*src, place);
                }
                Op::ArgReduce { src, axis, .. } => {
                    let place = enter(&p, &[*axis], &mut loops);
                    need(*src, place);
                }
                Op::Scatter(parts) => {
                    for (k, part) in parts.iter().enumerate() {
                        let nest = (v, k + 1);
                        let rank = program.ty(part.src).rank();
                        loops.insert(nest, rank);
                        let all = Place::whole(nest, rank);
                        for i in &part.index {
                            if let Ix::Data(d) = i {
                                need(*d, all.clone());
                            }
                        }
                        if let Some(g) = program.eq(part.src).and_then(|e| e.guard) {
                            need(g, all.clone());
                        }
                        need(part.src, all);
                    }
                }
            }
        }
    }
    stored
}

/// The place inside a reduction over some axes: each gets a loop of its own.
fn enter(p: &Place, axes: &[usize], loops: &mut HashMap<(Var, usize), usize>) -> Place {
    let next = loops
        .get_mut(&p.nest)
        .expect("nests are entered from outside");
    let first = *next;
    let at = with_loops(&p.at, axes, next);
    let around = p.around.iter().copied().chain(first..*next).collect();
    p.moved(at, around)
}

/// A place with new loops inserted at some axes.
fn with_loops(at: &[Affine], axes: &[usize], next: &mut usize) -> Vec<Affine> {
    let mut outer = at.iter().cloned();
    (0..at.len() + axes.len())
        .map(|k| {
            if axes.contains(&k) {
                *next += 1;
                Affine::of(*next - 1)
            } else {
                outer.next().expect("one component per kept axis")
            }
        })
        .collect()
}

/// A component of an index map, at a place.
fn follow(a: &BulkAffine, at: &[Affine]) -> Affine {
    let mut out = Affine {
        terms: vec![],
        constant: a.constant.clone(),
    };
    for (c, inner) in a.coefs.iter().zip(at) {
        out = out.add_scaled(inner, c);
    }
    out
}

/// At how many places an equation may be computed that counts. One operation on what lies in memory
/// anyway is cheaper than a pass over memory to keep its result.
fn repeats(program: &Program, eq: &Eq) -> usize {
    const FEW: usize = 3;
    let at_hand = |v: &Var| match program.eq(*v).map(|e| &e.op) {
        None | Some(Op::Fill(_) | Op::Index(_)) => true,
        Some(Op::Gather { src, .. }) => program.eq(*src).is_none(),
        Some(
            Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Stop(_),
        ) => false,
    };
    match &eq.op {
        Op::Map(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg, args)
            if args.iter().all(at_hand) =>
        {
            FEW
        }
        Op::Map(..)
        | Op::Fill(_)
        | Op::Index(_)
        | Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Copy(_)
        | Op::Stop(_) => 1,
    }
}

/// Which equations may be repeated: those that cost no real operation, as long as they are made of a
/// few others such only. Longer chains of selections would grow the code, and its running time, with
/// the square of their length.
fn free_of_charge(program: &Program) -> Vec<bool> {
    const FEW: usize = 8;
    let params = program.params.len();
    let mut free = vec![true; params];
    // How many selections, comparisons and the like each is made of.
    let mut weight = vec![0; params];
    for eq in &program.eqs {
        let mut sum = usize::from(matches!(eq.op, Op::Map(..)));
        eq.visit(&mut |v| sum += weight[v.index()]);
        let is = is_free(&eq.op) && sum <= FEW;
        free.push(is);
        weight.push(if is { sum } else { 0 });
    }
    free
}

/// Whether an equation costs no real operation.
fn is_free(op: &Op) -> bool {
    match op {
        Op::Fill(_) | Op::Index(_) | Op::Gather { .. } | Op::Copy(_) | Op::Stop(_) => true,
        Op::Map(p, _) => p.cost() == 0,
        Op::Scatter(parts) => parts.is_empty(),
        Op::Reduce { .. } | Op::ArgReduce { .. } | Op::Recur { .. } | Op::Contract { .. } => false,
    }
}

/// A nest under construction.
struct NestBuilder<'a> {
    program: &'a Program,
    stored: &'a [bool],
    loops: Vec<Size>,
    outer: usize,
    nodes: Vec<Scalar>,
    depends: Vec<Vec<Loop>>,
    known: HashMap<Scalar, Node>,
    done: HashMap<(Var, Vec<Affine>), Node>,
}

impl<'a> NestBuilder<'a> {
    fn new(program: &'a Program, stored: &'a [bool], outer: &[Size]) -> Self {
        NestBuilder {
            program,
            stored,
            loops: outer.to_vec(),
            outer: outer.len(),
            nodes: vec![],
            depends: vec![],
            known: HashMap::new(),
            done: HashMap::new(),
        }
    }

    fn finish(self, root: Node) -> Nest {
        Nest {
            loops: self.loops,
            outer: self.outer,
            nodes: self.nodes,
            depends: self.depends,
            root,
        }
    }

    fn push(&mut self, elem: Elem, guard: Option<Node>, compute: Compute) -> Node {
        let scalar = Scalar {
            elem,
            guard,
            compute,
        };
        if let Some(&n) = self.known.get(&scalar) {
            return n;
        }
        let mut depends: Vec<Loop> = (scalar.operands().iter())
            .flat_map(|&n| self.depends[n].clone())
            .collect();
        let affine = |a: &Affine| a.terms.iter().map(|(l, _)| *l).collect::<Vec<_>>();
        match &scalar.compute {
            Compute::Index(a) => depends.extend(affine(a)),
            Compute::Read(_, at) => {
                for a in at {
                    if let At::Affine(a) = a {
                        depends.extend(affine(a));
                    }
                }
            }
            Compute::Reduce(_, own, _) => depends.retain(|l| !own.contains(l)),
            Compute::ArgReduce(_, own, _) => depends.retain(|l| l != own),
            Compute::Lit(_) | Compute::Prim(..) | Compute::Same(_) => {}
        }
        depends.sort_unstable();
        depends.dedup();
        self.nodes.push(scalar.clone());
        self.depends.push(depends);
        self.known.insert(scalar, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// One component of a place to read or write.
    fn at(&mut self, i: &Ix, place: &[Affine]) -> At {
        match i {
            Ix::Affine(a) => At::Affine(follow(a, place)),
            Ix::Data(d) => At::Node(self.value(*d, place)),
        }
    }

    /// An element of a variable: read if it is stored, computed if not.
    fn value(&mut self, v: Var, place: &[Affine]) -> Node {
        if self.stored[v.index()] {
            let at = place.iter().cloned().map(At::Affine).collect();
            let elem = self.program.ty(v).elem;
            return self.push(elem, None, Compute::Read(v, at));
        }
        self.compute(v, place)
    }

    /// An element of a variable that is to be scattered: a stored array no longer knows where it is a
    /// structural zero, and there nothing may be written.
    fn contribution(&mut self, v: Var, place: &[Affine]) -> Node {
        let n = self.value(v, place);
        match self.program.eq(v).and_then(|e| e.guard) {
            Some(g) if self.stored[v.index()] => {
                let guard = self.value(g, place);
                self.push(Elem::Real, Some(guard), Compute::Same(n))
            }
            _ => n,
        }
    }

    /// An element of a variable, computed here.
    fn compute(&mut self, v: Var, place: &[Affine]) -> Node {
        let key = (v, place.to_vec());
        if let Some(&n) = self.done.get(&key) {
            return n;
        }
        let eq = self.program.eq(v).expect("parameters are stored");
        let guard = eq.guard.map(|g| self.value(g, place));
        let compute = match &eq.op {
            Op::Fill(l) => Compute::Lit(*l),
            Op::Index(a) => {
                let a = follow(a, place);
                match a.constant.as_lit() {
                    Some(k) if a.terms.is_empty() => Compute::Lit(Lit::Int(k)),
                    _ => Compute::Index(a),
                }
            }
            Op::Map(p, args) => {
                let args = args.iter().map(|a| self.value(*a, place)).collect();
                Compute::Prim(*p, args)
            }
            Op::Gather { src, index } => {
                let at: Vec<At> = index.iter().map(|i| self.at(i, place)).collect();
                let affine: Option<Vec<Affine>> = (at.iter())
                    .map(|a| match a {
                        At::Affine(a) => Some(a.clone()),
                        At::Node(_) => None,
                    })
                    .collect();
                match affine {
                    Some(inner) if !self.stored[src.index()] => {
                        Compute::Same(self.compute(*src, &inner))
                    }
                    _ => Compute::Read(*src, at),
                }
            }
            Op::Reduce { op, src, axes } => {
                let (inner, own) = self.enter(*src, place, axes);
                let body = self.value(*src, &inner);
                Compute::Reduce(*op, own, body)
            }
            Op::ArgReduce { op, src, axis } => {
                let (inner, own) = self.enter(*src, place, &[*axis]);
                let body = self.value(*src, &inner);
                Compute::ArgReduce(*op, own[0], body)
            }
            Op::Copy(a) | Op::Stop(a) => Compute::Same(self.value(*a, place)),
            Op::Scatter(parts) if parts.is_empty() => Compute::Lit(Lit::Real(0.0)),
            Op::Scatter(_) | Op::Contract { .. } | Op::Recur { .. } => {
                unreachable!("steps of their own are stored")
            }
        };
        let n = if let (&Compute::Same(n), None) = (&compute, guard) {
            n
        } else {
            self.push(eq.ty.elem, guard, compute)
        };
        self.done.insert(key, n);
        n
    }

    fn enter(&mut self, src: Var, place: &[Affine], axes: &[usize]) -> (Vec<Affine>, Vec<Loop>) {
        let first = self.loops.len();
        let mut next = first;
        let inner = with_loops(place, axes, &mut next);
        let shape = &self.program.ty(src).shape;
        self.loops.extend(axes.iter().map(|&k| shape[k].clone()));
        (inner, (first..next).collect())
    }
}
