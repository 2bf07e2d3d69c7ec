//! Arrays are computed at the elements that are read, where indices from data read few of them.
//!
//! ```text
//! y[i] = a[d[i]], a[j] = f(x[j])          at[k] = if n < m { k } else { d[k] }
//!                                         b[k] = f(x[at[k]])
//!                                         y[i] = b[if n < m { d[i] } else { i }]
//! ```
//!
//! for m reads of an array of n elements, with k below the smaller of m and n: so b costs at most
//! what `a` costs, and at most what the reads cost one by one. Reads at several places count
//! together. Nothing else uses `a`, nor what only `a` is computed from. The indices depend on one
//! axis. Something that b reads wherever it is computed has n elements along this axis: this read
//! checks the indices. Where b is a sum of nothing, they are not checked.

use crate::ir::build::{Builder, translate_size, without};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Program, Type, Uses, Var};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::{Atom, Size};
use std::collections::{HashMap, HashSet};

/// The program with such arrays computed where they are read, if there are any.
pub fn needed(program: &Program) -> Option<Program> {
    let mut changed: Option<Program> = None;
    let mut end = program.eqs.len();
    loop {
        let now = changed.as_ref().unwrap_or(program);
        let Some(found) = Found::before(now, end) else {
            return changed;
        };
        // What stands behind the array has been looked at.
        end = found.others_before();
        changed = Some(found.written());
    }
}

/// A read of the array: its equation, and the axis of its positions that the index depends on.
struct Read {
    eq: usize,
    along: usize,
    data: Var,
}

/// An array that is read at few places.
struct Found<'a> {
    program: &'a Program,
    /// The array, and the axis along which indices come from data.
    array: Var,
    axis: usize,
    reads: Vec<Read>,
    /// What is computed for this array alone, with its axis.
    members: HashMap<Var, usize>,
}

impl<'a> Found<'a> {
    /// The last such array among the first equations.
    fn before(program: &'a Program, end: usize) -> Option<Found<'a>> {
        let uses = program.uses();
        let mut candidates = (0..end).rev();
        candidates.find_map(|k| Found::at(program, &uses, k))
    }

    /// How many equations up to the array are not computed for it alone.
    fn others_before(&self) -> usize {
        self.array.index() + 1 - self.program.params.len() - self.members.len()
    }

    /// Whether this equation is such an array.
    fn at(program: &'a Program, uses: &Uses, k: usize) -> Option<Found<'a>> {
        let array = program.var_of(k);
        let users = &uses.by[array.index()];
        let first = *users.first()?;
        if uses.is_result[array.index()] {
            return None;
        }
        let mut axis = None;
        let mut reads = vec![];
        for &eq in users {
            let Eq {
                ty,
                guard: None,
                op: Op::Gather { src, index },
            } = &program.eqs[eq]
            else {
                return None;
            };
            let is_data = |i: &Ix| matches!(i, Ix::Data(_));
            let own = index.iter().position(is_data)?;
            let Ix::Data(data) = index[own] else {
                return None;
            };
            if *src != array || data == array || *axis.get_or_insert(own) != own {
                return None;
            }
            let is_along = |axis: &usize| Chain::new(program, *axis, first).is_along(data);
            let along = (0..ty.rank()).find(is_along)?;
            reads.push(Read { eq, along, data });
        }
        let mut found = Found {
            program,
            array,
            axis: axis?,
            reads,
            members: HashMap::new(),
        };
        // How many reads there are must be known before the first.
        let mut is_known = true;
        found.total().visit(&mut |a| {
            if let Atom::Value(v) = a {
                is_known &= (*v as usize) < program.params.len() + first;
            }
        });
        if !is_known {
            return None;
        }
        if !found.is_fewer() {
            return None;
        }
        found.grow(uses);
        (found.is_worth_it() && found.is_checked()).then_some(found)
    }

    /// How many elements the array has along the axis.
    fn length(&self) -> &Size {
        &self.program.ty(self.array).shape[self.axis]
    }

    /// How many of its elements a read reads.
    fn count(&self, read: &Read) -> Size {
        let shape = &self.program.eqs[read.eq].ty.shape;
        let others = without(shape, &[read.along]);
        let others = others.iter().fold(Size::lit(1), |all, n| all.mul(n));
        Size::select(&others, &shape[read.along], &Size::lit(0))
    }

    fn total(&self) -> Size {
        let counts = self.reads.iter().map(|read| self.count(read));
        counts.fold(Size::lit(0), |all, n| all.add(&n))
    }

    /// Whether there may be fewer reads than elements, and the array is not computed so already.
    fn is_fewer(&self) -> bool {
        let (total, length) = (self.total(), self.length());
        let is_done = match length.as_atom() {
            Some(Atom::Min(a, b)) => *a == total || *b == total,
            _ => false,
        };
        !is_done && total.smaller(length) != *length
    }

    /// Finds what is computed for the array alone.
    fn grow(&mut self, uses: &Uses) {
        // Along which axis an operand is needed at some indices, and by how many uses; along two
        // axes it is computed as a whole.
        let mut wanted: HashMap<Var, (usize, Option<usize>)> = HashMap::new();
        self.members.insert(self.array, self.axis);
        let last = self.array.index() - self.program.params.len();
        for k in (0..=last).rev() {
            let v = self.program.var_of(k);
            if v != self.array {
                let Some(&(axis, count)) = wanted.get(&v) else {
                    continue;
                };
                let all = uses.by[v.index()].len();
                if uses.is_result[v.index()] || count != Some(all) {
                    continue;
                }
                self.members.insert(v, axis);
            }
            let axis = self.members[&v];
            let Some(operands) = operands(self.program, k, axis) else {
                self.members.remove(&v);
                continue;
            };
            for (operand, axis) in operands {
                let (known, count) = wanted.entry(operand).or_insert((axis, Some(0)));
                *count = count.filter(|_| *known == axis).map(|count| count + 1);
            }
        }
    }

    /// Whether any of it takes work.
    fn is_worth_it(&self) -> bool {
        let ops = self.members.keys().filter_map(|v| self.program.eq(*v));
        let mut ops = ops.map(|eq| &eq.op);
        ops.any(|op| match op {
            Op::Contract { .. } | Op::Reduce { .. } => true,
            Op::Map(p, _) => matches!(p.emission(), Emit::Call(_)),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => false,
        })
    }

    /// Whether something that has as many elements is read at the indices, wherever the array is
    /// computed.
    fn is_checked(&self) -> bool {
        let mut seen = HashSet::from([self.array]);
        let mut open = vec![self.array];
        while let Some(v) = open.pop() {
            let k = v.index() - self.program.params.len();
            let eq = &self.program.eqs[k];
            if eq.guard.is_some() {
                continue;
            }
            let mut read = operands(self.program, k, self.members[&v]).unwrap_or_default();
            if let Op::Map(Prim::Select | Prim::And | Prim::Or, _) = eq.op {
                // What stands behind the condition may not be evaluated.
                read.truncate(1);
            }
            for (w, axis) in read {
                if self.members.contains_key(&w) {
                    open.extend(seen.insert(w).then_some(w));
                } else if self.program.ty(w).shape[axis] == *self.length() {
                    return true;
                }
            }
        }
        false
    }

    fn written(&self) -> Program {
        let program = self.program;
        let mut out = Builder::new(&program.name, program.params.clone());
        for r in &program.requires {
            out.require(r.clone());
        }
        let params = (0..program.params.len()).map(|k| Some(Var(k as u32)));
        let mut w = Writer {
            found: self,
            new: params.chain(program.eqs.iter().map(|_| None)).collect(),
            out,
            at: None,
            fewer: Size::lit(0),
            restricted: HashMap::new(),
        };
        for (k, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(k);
            if self.members.contains_key(&v) {
                continue;
            }
            let new = match self.reads.iter().position(|read| read.eq == k) {
                Some(read) => w.read(read),
                None => w
                    .out
                    .copy(eq, &mut |v| w.new[v.index()].expect("computed before")),
            };
            w.new[v.index()] = Some(new);
        }
        let new = w.new;
        let mut of = |v: Var| new[v.index()].expect("computed before");
        let mut out = w.out;
        for (k, p) in program.params.iter().enumerate() {
            let shape = p.ty.shape.iter().map(|s| translate_size(s, &mut of));
            out.set_param_shape(k, shape.collect());
        }
        out.finish(program.results.iter().map(|r| of(*r)).collect())
    }
}

/// What an array of indices is computed from.
struct Chain<'a> {
    program: &'a Program,
    /// The axis that it may depend on.
    axis: usize,
    /// The equation from which on nothing is known.
    first: usize,
    /// What depends on nothing else.
    known: HashSet<Var>,
}

impl<'a> Chain<'a> {
    fn new(program: &'a Program, axis: usize, first: usize) -> Chain<'a> {
        Chain {
            program,
            axis,
            first,
            known: HashSet::new(),
        }
    }

    /// Whether an array of indices depends on the axis alone, and on what is known.
    fn is_along(&mut self, data: Var) -> bool {
        self.known.contains(&data) || self.looks_along(data) && self.known.insert(data)
    }

    fn looks_along(&mut self, data: Var) -> bool {
        let program = self.program;
        let end = program.params.len() + self.first;
        let is_known = |v: Var| v.index() < end;
        let Some(eq) = program.eq(data) else {
            return program.ty(data).rank() == 1;
        };
        let axis = self.axis;
        let is_own = |a: &Affine| {
            let coefs = a.coefs.iter().enumerate();
            coefs.filter(|(k, _)| *k != axis).all(|(_, c)| c.is(0))
        };
        if eq.guard.is_some() {
            return false;
        }
        match &eq.op {
            Op::Fill(_) => true,
            Op::Index(a) => is_own(a),
            Op::Map(_, args) => args.iter().all(|v| self.is_along(*v)),
            Op::Gather { src, index } => {
                is_known(*src)
                    && index.iter().all(|i| match i {
                        Ix::Affine(a) => is_own(a),
                        Ix::Data(d) => self.is_along(*d),
                    })
            }
            Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => eq.ty.rank() == 1 && is_known(data),
        }
    }
}

/// The operands of an equation that are needed at some indices along an axis only, if the result
/// is, with their axes. `None` where all of them may be needed.
fn operands(program: &Program, k: usize, axis: usize) -> Option<Vec<(Var, usize)>> {
    let eq = &program.eqs[k];
    let mut out = vec![];
    match &eq.op {
        Op::Fill(_) | Op::Index(_) => {}
        Op::Map(_, args) => out.extend(args.iter().map(|v| (*v, axis))),
        Op::Copy(v) | Op::Stop(v) => out.push((*v, axis)),
        Op::Gather { src, index } => {
            out.extend(plain(index, axis).map(|own| (*src, own)));
            out.extend(index.iter().filter_map(|i| match i {
                Ix::Data(d) => Some((*d, axis)),
                Ix::Affine(_) => None,
            }));
        }
        Op::Reduce { src, axes, .. } => out.push((*src, behind(axes, axis))),
        Op::ArgReduce { src, axis: of, .. } => out.push((*src, behind(&[*of], axis))),
        Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
        } => {
            for (v, axes) in [(a, a_axes), (b, b_axes)] {
                let own = axes.iter().position(|label| *label == out_axes[axis]);
                out.extend(own.map(|own| (*v, own)));
            }
        }
        Op::Update {
            src, part, when, ..
        } => {
            let own = along_part(program, part, axis, &eq.ty.shape[axis])?;
            out.push((*src, axis));
            out.push((part.src, own));
            out.extend(when.map(|when| (when, own)));
            out.extend(part.index.iter().filter_map(|i| match i {
                Ix::Data(d) => Some((*d, own)),
                Ix::Affine(_) => None,
            }));
        }
        Op::Scatter(_) | Op::Recur { .. } | Op::Loop { .. } | Op::Call { .. } => return None,
    }
    out.extend(eq.guard.map(|guard| (guard, axis)));
    Some(out)
}

/// The axis of what is read that an axis of the positions is and nothing else depends on.
fn plain(index: &[Ix], axis: usize) -> Option<usize> {
    let mut own = None;
    for (k, i) in index.iter().enumerate() {
        match i {
            Ix::Affine(a) if a.as_axis() == Some(axis) && own.is_none() => own = Some(k),
            Ix::Affine(a) if a.coefs[axis].is(0) => {}
            Ix::Affine(_) | Ix::Data(_) => return None,
        }
    }
    own
}

/// The axis of a part that is this axis of where it is written, all `n` elements of it, and nothing
/// else depends on it.
fn along_part(program: &Program, part: &Part, axis: usize, n: &Size) -> Option<usize> {
    let Ix::Affine(a) = &part.index[axis] else {
        return None;
    };
    let own = a.as_axis()?;
    let is_whole = program.ty(part.src).shape[own] == *n;
    (is_whole && plain(&part.index, own) == Some(axis)).then_some(own)
}

/// An axis of a result as an axis of what is reduced along `axes`.
fn behind(axes: &[usize], axis: usize) -> usize {
    axes.iter()
        .fold(axis, |axis, &reduced| axis + usize::from(reduced <= axis))
}

/// The new program on its way.
struct Writer<'a> {
    found: &'a Found<'a>,
    new: Vec<Option<Var>>,
    out: Builder,
    /// Which elements are computed.
    at: Option<Var>,
    /// How many.
    fewer: Size,
    restricted: HashMap<Var, Var>,
}

/// A list of indices that is made of arrays that depend on one axis.
struct List<'a> {
    axis: usize,
    /// Where on this axis each index of the list stands.
    at: &'a Affine,
    shape: &'a [Size],
    guard: Option<Var>,
    done: HashMap<Var, Var>,
}

impl Writer<'_> {
    fn size(&self, s: &Size) -> Size {
        translate_size(s, &mut |v| self.new[v.index()].expect("computed before"))
    }

    fn shape(&self, shape: &[Size]) -> Vec<Size> {
        shape.iter().map(|s| self.size(s)).collect()
    }

    fn affine(&self, a: &Affine) -> Affine {
        Affine {
            coefs: self.shape(&a.coefs),
            constant: self.size(&a.constant),
        }
    }

    /// Whether all elements are computed, over a shape.
    fn is_whole(&mut self, shape: &[Size]) -> Var {
        let (length, total) = (
            self.size(self.found.length()),
            self.size(&self.found.total()),
        );
        let rank = shape.len();
        let (length, total) = (
            Affine::constant(rank, length),
            Affine::constant(rank, total),
        );
        self.out.less(length, total, shape)
    }

    /// A read of the array, from what is computed of it.
    fn read(&mut self, read: usize) -> Var {
        let found = self.found;
        if self.at.is_none() {
            let (length, total) = (self.size(found.length()), self.size(&found.total()));
            self.fewer = total.smaller(&length);
            self.at = Some(self.places());
        }
        let Read { eq, along, data } = &found.reads[read];
        let eq = &found.program.eqs[*eq];
        let shape = self.shape(&eq.ty.shape);
        let before = found.reads[..read].iter().map(|r| found.count(r));
        let before = before.fold(Size::lit(0), |all, n| all.add(&n));
        // The places of the read along its axis, and from there at all positions.
        let list = [self.size(&found.count(&found.reads[read]))];
        let data = match shape.len() {
            1 => self.new[data.index()].expect("computed before"),
            _ => self.listed(
                *data,
                &mut List {
                    axis: *along,
                    at: &Affine::axis(1, 0),
                    shape: &list,
                    guard: None,
                    done: HashMap::new(),
                },
            ),
        };
        let mut own = Affine::axis(1, 0);
        own.constant = self.size(&before);
        let own = self.out.index(own, &list);
        let is_whole = self.is_whole(&list);
        let mut at = self.out.map(Prim::Select, &[is_whole, data, own], None);
        if shape.len() > 1 {
            let place = Ix::Affine(Affine::axis(shape.len(), *along));
            at = self.out.gather(at, vec![place], &shape, None);
        }
        let Op::Gather { index, .. } = &eq.op else {
            unreachable!("reads are reads")
        };
        let index = index.iter().enumerate().map(|(k, i)| match i {
            _ if k == found.axis => Ix::Data(at),
            Ix::Affine(a) => Ix::Affine(self.affine(a)),
            Ix::Data(d) => Ix::Data(self.new[d.index()].expect("computed before")),
        });
        let index = index.collect();
        let src = self.at_places(found.array, found.axis);
        self.out.gather(src, index, &shape, None)
    }

    /// The indices at which the array is computed.
    fn places(&mut self) -> Var {
        let shape = [self.fewer.clone()];
        let mut before = Size::lit(0);
        let mut listed: Option<Var> = None;
        for read in &self.found.reads {
            let start = self.size(&before);
            before = before.add(&self.found.count(read));
            let mut own = Affine::axis(1, 0);
            own.constant = start.neg();
            // The indices of one read, behind those of the ones before it.
            let guard = (self.found.reads.len() > 1).then(|| {
                let place = Affine::axis(1, 0);
                let (start, end) = (start.plus(-1), self.size(&before));
                let (start, end) = (Affine::constant(1, start), Affine::constant(1, end));
                let is_behind = self.out.less(start, place.clone(), &shape);
                let is_before = self.out.less(place, end, &shape);
                self.out.map(Prim::And, &[is_behind, is_before], None)
            });
            let indices = self.listed(
                read.data,
                &mut List {
                    axis: read.along,
                    at: &own,
                    shape: &shape,
                    guard,
                    done: HashMap::new(),
                },
            );
            listed = Some(match (listed, guard) {
                (Some(listed), Some(guard)) => {
                    self.out.map(Prim::Select, &[guard, indices, listed], None)
                }
                (Some(_) | None, _) => indices,
            });
        }
        let listed = listed.expect("it is read");
        let all = self.out.index(Affine::axis(1, 0), &shape);
        let is_whole = self.is_whole(&shape);
        self.out.map(Prim::Select, &[is_whole, all, listed], None)
    }

    /// An array of indices along the one axis that it depends on.
    fn listed(&mut self, v: Var, list: &mut List<'_>) -> Var {
        if let Some(done) = list.done.get(&v) {
            return *done;
        }
        let (axis, shape, guard) = (list.axis, list.shape, list.guard);
        let own = |w: &Self, a: &Affine| {
            let a = w.affine(a);
            Affine::constant(1, a.constant).add_scaled(list.at, &a.coefs[axis])
        };
        let op = self.found.program.eq(v).map(|eq| &eq.op);
        let done = match op {
            Some(Op::Fill(lit)) => self.out.fill(*lit, shape),
            Some(Op::Index(a)) => {
                let a = own(self, a);
                self.out.index(a, shape)
            }
            Some(Op::Map(prim, args)) => {
                let args: Vec<Var> = args.iter().map(|v| self.listed(*v, list)).collect();
                self.out.map(*prim, &args, guard)
            }
            Some(Op::Gather { src, index }) => {
                let index = index.iter().map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(own(self, a)),
                    Ix::Data(d) => Ix::Data(self.listed(*d, list)),
                });
                let index = index.collect();
                let src = self.new[src.index()].expect("computed before");
                self.out.gather(src, index, shape, guard)
            }
            Some(
                Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Update { .. }
                | Op::Loop { .. }
                | Op::Call { .. }
                | Op::Copy(_)
                | Op::Stop(_),
            )
            | None => {
                let src = self.new[v.index()].expect("computed before");
                let at = vec![Ix::Affine(list.at.clone())];
                self.out.gather(src, at, shape, guard)
            }
        };
        list.done.insert(v, done);
        done
    }

    /// A variable at the places that are computed.
    fn at_places(&mut self, v: Var, axis: usize) -> Var {
        if !self.found.members.contains_key(&v) {
            let v = self.new[v.index()].expect("computed before");
            return self.read_at(v, axis);
        }
        if let Some(done) = self.restricted.get(&v) {
            return *done;
        }
        let program = self.found.program;
        let k = v.index() - program.params.len();
        let eq = &program.eqs[k];
        let mut shape = self.shape(&eq.ty.shape);
        shape[axis] = self.fewer.clone();
        let op = self.op_at_places(eq, axis);
        let guard = eq.guard.map(|guard| self.at_places(guard, axis));
        let elem = eq.ty.elem;
        let done = self.out.push(Eq {
            ty: Type { elem, shape },
            guard,
            op,
        });
        self.restricted.insert(v, done);
        done
    }

    fn op_at_places(&mut self, eq: &Eq, axis: usize) -> Op {
        match &eq.op {
            Op::Fill(lit) => Op::Fill(*lit),
            Op::Index(a) if a.coefs[axis].is(0) => Op::Index(self.affine(a)),
            Op::Index(a) => Op::Copy(self.index_at_places(a, eq, axis)),
            Op::Map(prim, args) => {
                let args = args.iter().map(|v| self.at_places(*v, axis));
                Op::Map(*prim, args.collect())
            }
            Op::Copy(v) => Op::Copy(self.at_places(*v, axis)),
            Op::Stop(v) => Op::Stop(self.at_places(*v, axis)),
            Op::Gather { src, index } => {
                let own = plain(index, axis);
                let new = index.iter().map(|i| match i {
                    Ix::Data(d) => Ix::Data(self.at_places(*d, axis)),
                    Ix::Affine(a) if own.is_some() || a.coefs[axis].is(0) => {
                        Ix::Affine(self.affine(a))
                    }
                    Ix::Affine(a) => Ix::Data(self.index_at_places(a, eq, axis)),
                });
                let index = new.collect();
                let src = self.operand(*src, own);
                Op::Gather { src, index }
            }
            Op::Reduce { op, src, axes } => Op::Reduce {
                op: *op,
                src: self.at_places(*src, behind(axes, axis)),
                axes: axes.clone(),
            },
            Op::ArgReduce { op, src, axis: of } => Op::ArgReduce {
                op: *op,
                src: self.at_places(*src, behind(&[*of], axis)),
                axis: *of,
            },
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let own = |axes: &[u8]| axes.iter().position(|label| *label == out_axes[axis]);
                Op::Contract {
                    a: self.operand(*a, own(a_axes)),
                    b: self.operand(*b, own(b_axes)),
                    a_axes: a_axes.clone(),
                    b_axes: b_axes.clone(),
                    out_axes: out_axes.clone(),
                }
            }
            Op::Update {
                src, part, when, ..
            } => {
                let n = &eq.ty.shape[axis];
                let own = along_part(self.found.program, part, axis, n).expect("a member");
                let index = part.index.iter().map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(self.affine(a)),
                    Ix::Data(d) => Ix::Data(self.at_places(*d, own)),
                });
                let index = index.collect();
                let src = self.at_places(*src, axis);
                let part = Part {
                    src: self.at_places(part.src, own),
                    index,
                };
                let when = when.map(|when| self.at_places(when, own));
                Op::update(src, part, when)
            }
            Op::Scatter(_) | Op::Recur { .. } | Op::Loop { .. } | Op::Call { .. } => {
                unreachable!("all of it may be needed")
            }
        }
    }

    /// An operand at the places along an axis of its own, or as a whole.
    fn operand(&mut self, v: Var, axis: Option<usize>) -> Var {
        match axis {
            Some(axis) => self.at_places(v, axis),
            None => self.new[v.index()].expect("computed before"),
        }
    }

    /// An affine function of the position, at the places.
    fn index_at_places(&mut self, a: &Affine, eq: &Eq, axis: usize) -> Var {
        let (a, shape) = (self.affine(a), self.shape(&eq.ty.shape));
        let all = self.out.index(a, &shape);
        self.read_at(all, axis)
    }

    /// What is there as a whole, read at the places.
    fn read_at(&mut self, v: Var, axis: usize) -> Var {
        let mut shape = self.out.shape(v);
        shape[axis] = self.fewer.clone();
        let mut index = Ix::identity(shape.len());
        let at = self.at.expect("there are places");
        index[axis] = Ix::Data(self.out.spread(at, &[axis], &shape));
        self.out.gather(v, index, &shape, None)
    }
}
