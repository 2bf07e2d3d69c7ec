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
//! together. Nothing else uses `a`, nor what is taken over into b with it; the indices depend on
//! one axis, and something that b reads has n elements along this axis, which checks the indices.

use crate::ir::build::{Builder, translate_size, without};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Program, Type, Var};
use crate::ir::prims::{Emit, Prim};
use crate::ir::ty::{Atom, Size};
use std::collections::HashMap;

/// The program with such arrays computed where they are read, if there are any.
pub fn needed(program: &Program) -> Option<Program> {
    let mut changed = Found::in_program(program)?.written();
    // What is computed at fewer elements says so in its length, so this ends.
    while let Some(found) = Found::in_program(&changed) {
        changed = found.written();
    }
    Some(changed)
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
    fn in_program(program: &'a Program) -> Option<Found<'a>> {
        let uses = Uses::of(program);
        let candidates = (0..program.eqs.len()).rev();
        let mut candidates = candidates.filter_map(|k| Found::at(program, &uses, k));
        candidates.next()
    }

    /// Whether this equation is such an array.
    fn at(program: &'a Program, uses: &Uses, k: usize) -> Option<Found<'a>> {
        let array = program.var_of(k);
        let users = &uses.users[array.index()];
        let first = *users.first()?;
        if uses.is_kept[array.index()] {
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
            let along = (0..ty.rank()).find(|&along| is_along(program, data, along, first))?;
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
        found.grow(uses);
        (found.is_fewer() && found.is_worth_it() && found.is_checked()).then_some(found)
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
        let mut wanted: HashMap<Var, (usize, usize)> = HashMap::new();
        self.members.insert(self.array, self.axis);
        let last = self.array.index() - self.program.params.len();
        for k in (0..=last).rev() {
            let v = self.program.var_of(k);
            if v != self.array {
                let Some(&(axis, count)) = wanted.get(&v) else {
                    continue;
                };
                if uses.is_kept[v.index()] || count != uses.users[v.index()].len() {
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
                let (known, count) = wanted.entry(operand).or_insert((axis, 0));
                // Along two axes: it is computed as a whole.
                *count = match *known == axis {
                    true => *count + 1,
                    false => usize::MAX / 2,
                };
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

    /// Whether something is read at the indices in any case that has as many elements.
    fn is_checked(&self) -> bool {
        self.members.iter().any(|(v, axis)| {
            let k = v.index() - self.program.params.len();
            let is_guarded = self.program.eqs[k].guard.is_some();
            let operands = operands(self.program, k, *axis).unwrap_or_default();
            let mut read = operands
                .iter()
                .filter(|(w, _)| !self.members.contains_key(w));
            !is_guarded && read.any(|(w, axis)| self.program.ty(*w).shape[*axis] == *self.length())
        })
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

/// The equations that use each variable, once for each use.
struct Uses {
    users: Vec<Vec<usize>>,
    /// What is a result.
    is_kept: Vec<bool>,
}

impl Uses {
    fn of(program: &Program) -> Uses {
        let count = program.params.len() + program.eqs.len();
        let mut users = vec![vec![]; count];
        for (k, eq) in program.eqs.iter().enumerate() {
            eq.visit(&mut |v| users[v.index()].push(k));
        }
        let mut is_kept = vec![false; count];
        for r in &program.results {
            is_kept[r.index()] = true;
        }
        Uses { users, is_kept }
    }
}

/// Whether an array of indices depends on one axis, and needs no equations from `first` on.
fn is_along(program: &Program, data: Var, axis: usize, first: usize) -> bool {
    let known = |v: Var| v.index() < program.params.len() + first;
    let Some(eq) = program.eq(data) else {
        return program.ty(data).rank() == 1;
    };
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
        Op::Map(_, args) => args.iter().all(|v| is_along(program, *v, axis, first)),
        Op::Gather { src, index } => {
            known(*src)
                && index.iter().all(|i| match i {
                    Ix::Affine(a) => is_own(a),
                    Ix::Data(d) => is_along(program, *d, axis, first),
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
        | Op::Stop(_) => eq.ty.rank() == 1 && known(data),
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
        Op::Update { src, part, when } => {
            let own = along_part(part, axis)?;
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

/// The axis of a part that is this axis of where it is written, and nothing else depends on it.
fn along_part(part: &Part, axis: usize) -> Option<usize> {
    let Ix::Affine(a) = &part.index[axis] else {
        return None;
    };
    let own = a.as_axis()?;
    (plain(&part.index, own) == Some(axis)).then_some(own)
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
        let mut own = Affine::axis(shape.len(), *along);
        own.constant = self.size(&before);
        let own = self.out.index(own, &shape);
        let is_whole = self.is_whole(&shape);
        let data = self.new[data.index()].expect("computed before");
        let at = self.out.map(Prim::Select, &[is_whole, data, own], None);
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
            let indices = self.along(read.data, read.along, &own, &shape, guard);
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

    /// An array of indices along the one axis that it depends on, at these positions.
    fn along(
        &mut self,
        v: Var,
        axis: usize,
        at: &Affine,
        shape: &[Size],
        guard: Option<Var>,
    ) -> Var {
        let program = self.found.program;
        let composed = |w: &Self, a: &Affine| {
            let a = w.affine(a);
            Affine::constant(1, a.constant).add_scaled(at, &a.coefs[axis])
        };
        let op = program.eq(v).map(|eq| &eq.op);
        match op {
            Some(Op::Fill(lit)) => self.out.fill(*lit, shape),
            Some(Op::Index(a)) => {
                let a = composed(self, a);
                self.out.index(a, shape)
            }
            Some(Op::Map(prim, args)) => {
                let args = args.iter().map(|v| self.along(*v, axis, at, shape, guard));
                let args: Vec<Var> = args.collect();
                self.out.map(*prim, &args, guard)
            }
            Some(Op::Gather { src, index }) => {
                let index = index.iter().map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(composed(self, a)),
                    Ix::Data(d) => Ix::Data(self.along(*d, axis, at, shape, guard)),
                });
                let index = index.collect();
                let src = self.new[src.index()].expect("computed before");
                self.out.gather(src, index, shape, guard)
            }
            _ => {
                let src = self.new[v.index()].expect("computed before");
                self.out
                    .gather(src, vec![Ix::Affine(at.clone())], shape, guard)
            }
        }
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
        let at = operands(program, k, axis).expect("a member");
        let at: HashMap<Var, usize> = at.into_iter().collect();
        let op = self.op_at_places(eq, axis, &at);
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

    fn op_at_places(&mut self, eq: &Eq, axis: usize, at: &HashMap<Var, usize>) -> Op {
        let of = |w: &mut Self, v: Var| match at.get(&v) {
            Some(axis) => w.at_places(v, *axis),
            None => w.new[v.index()].expect("computed before"),
        };
        match &eq.op {
            Op::Fill(lit) => Op::Fill(*lit),
            Op::Index(a) if a.coefs[axis].is(0) => Op::Index(self.affine(a)),
            Op::Index(a) => {
                let full = self.shape(&eq.ty.shape);
                let a = self.affine(a);
                let all = self.out.index(a, &full);
                Op::Copy(self.read_at(all, axis))
            }
            Op::Map(prim, args) => Op::Map(*prim, args.iter().map(|v| of(self, *v)).collect()),
            Op::Copy(v) => Op::Copy(of(self, *v)),
            Op::Stop(v) => Op::Stop(of(self, *v)),
            Op::Gather { src, index } => {
                let is_plain = plain(index, axis).is_some();
                let new = index.iter().map(|i| match i {
                    Ix::Data(d) => Ix::Data(of(self, *d)),
                    Ix::Affine(a) if is_plain || a.coefs[axis].is(0) => Ix::Affine(self.affine(a)),
                    Ix::Affine(a) => {
                        let (a, full) = (self.affine(a), self.shape(&eq.ty.shape));
                        let all = self.out.index(a, &full);
                        Ix::Data(self.read_at(all, axis))
                    }
                });
                let index = new.collect();
                let src = of(self, *src);
                Op::Gather { src, index }
            }
            Op::Reduce { op, src, axes } => Op::Reduce {
                op: *op,
                src: of(self, *src),
                axes: axes.clone(),
            },
            Op::ArgReduce { op, src, axis } => Op::ArgReduce {
                op: *op,
                src: of(self, *src),
                axis: *axis,
            },
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => Op::Contract {
                a: of(self, *a),
                b: of(self, *b),
                a_axes: a_axes.clone(),
                b_axes: b_axes.clone(),
                out_axes: out_axes.clone(),
            },
            Op::Update { src, part, when } => {
                let index = part.index.iter().map(|i| match i {
                    Ix::Affine(a) => Ix::Affine(self.affine(a)),
                    Ix::Data(d) => Ix::Data(of(self, *d)),
                });
                let index = index.collect();
                Op::Update {
                    src: of(self, *src),
                    part: Part {
                        src: of(self, part.src),
                        index,
                    },
                    when: when.map(|when| of(self, when)),
                }
            }
            Op::Scatter(_) | Op::Recur { .. } | Op::Loop { .. } | Op::Call { .. } => {
                unreachable!("all of it may be needed")
            }
        }
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
