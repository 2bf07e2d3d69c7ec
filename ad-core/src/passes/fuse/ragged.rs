//! Rows of different lengths are stored one behind another.
//!
//! An axis whose ends come from data has the largest of them as its length, and a guard says where
//! each row ends. An array over such an axis that is stored has room for the entries that there
//! are:
//!
//! ```text
//! v[i, k] = [k < len[i]] e        ─▶    f[o[i] + k] = e for k < len[i],  f of length Σ_i len[i]
//!                                       v[i, k] = [k < len[i]] f[o[i] + k]
//! s = recur a along k where       ─▶    one loop over the states of all rows, f[o[i] + i + k],
//!     k < len[i]                        s[i, k] = f[o[i] + i + min(k, len[i])]
//! ```
//!
//! with the offsets `o[i] = Σ_{j < i} len[j]`, which a loop computes once. The ends of an axis may
//! depend on all axes before it, which may be ragged themselves: rows are numbered by their own
//! place in flat storage. Index spaces stay as they are; `narrow` ends loops over them where the
//! rows end.
//!
//! An array with few elements in each row, at the positions of extrema, is not stored. Its readers
//! compute `v[i, k] = [k = p[i]] e[i] + [k = q[i]] f[i]`. The arguments and collected results of
//! a sequential loop keep their shape.

mod recur;

use super::contractions::sum_of_product;
use crate::ir::build::{Builder, translate_ix, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Loop, Looped, Op, Param, Part, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::{HashMap, HashSet};

/// Moves the ragged arrays that are `stored` into flat storage. With `with_ends`, the lengths of
/// rows move there too where they are ragged themselves. Gives nothing if no array moves.
pub(super) fn flatten(program: &Program, stored: &[bool], with_ends: bool) -> Option<Program> {
    if !program
        .eqs
        .iter()
        .any(|eq| eq.ty.shape.iter().skip(1).any(is_computed))
    {
        return None;
    }
    let mut f = Flattener {
        program,
        out: Builder::new(&program.name, program.params.clone()),
        new: (0..program.params.len()).map(|k| Var(k as u32)).collect(),
        rows: HashMap::new(),
        flat: HashMap::new(),
    };
    let ends = match with_ends {
        true => ends_of_rows(program),
        false => HashSet::new(),
    };
    let lasting: HashSet<Var> = program.results.iter().copied().collect();
    for (k, eq) in program.eqs.iter().enumerate() {
        let v = program.var_of(k);
        let new = match &eq.op {
            Op::Recur { .. } if !lasting.contains(&v) => f.recur(eq),
            Op::Contract { .. } => f.contract(eq),
            Op::Gather { src, .. } if f.flat.contains_key(&f.at(*src)) => {
                let found = f.read(eq);
                let is_stored = stored[v.index()] && !lasting.contains(&v);
                match found {
                    None if is_stored => f.array(v, eq),
                    found => found,
                }
            }
            Op::Gather { src, index } if is_view(program, &eq.ty, *src, index) => None,
            Op::Scatter(parts) if stored[v.index()] && !lasting.contains(&v) => {
                f.at_positions(eq, parts)
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Copy(_)
            | Op::Stop(_)
                if (stored[v.index()] || ends.contains(&v)) && !lasting.contains(&v) =>
            {
                f.array(v, eq)
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Copy(_)
            | Op::Stop(_) => None,
        };
        let new = new.unwrap_or_else(|| f.out.copy(eq, &mut |v| f.new[v.index()]));
        f.new.push(new);
    }
    if f.flat.is_empty() {
        return None;
    }
    let Flattener { mut out, new, .. } = f;
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
    Some(live(&out.finish(results)))
}

/// The ends of rows that are themselves ragged. Each is read wherever one asks whether there is an
/// entry.
fn ends_of_rows(program: &Program) -> HashSet<Var> {
    let mut out = HashSet::new();
    for eq in &program.eqs {
        let Op::Map(Prim::ILt, args) = &eq.op else {
            continue;
        };
        if let Some(Op::Gather { src, .. }) = program.eq(args[1]).map(|e| &e.op)
            && program.ty(*src).shape.iter().skip(1).any(is_computed)
        {
            out.insert(*src);
        }
    }
    out
}

/// Whether a size is known only when the program has computed it.
fn is_computed(n: &Size) -> bool {
    let mut computed = false;
    n.visit(&mut |a| computed |= matches!(a, Atom::Value(_)));
    computed
}

/// An axis in flat storage.
#[derive(Clone)]
enum Axis {
    /// All rows are of one length.
    Dense(Size),
    Ragged(Rows),
}

/// Rows of different lengths.
#[derive(Clone)]
struct Rows {
    /// The length of each, over the axes before.
    ends: Var,
    /// The same, in flat storage.
    lengths: Var,
    /// Where each begins, in flat storage.
    offsets: Var,
    /// The number of all entries.
    total: Size,
}

/// How an array lies in flat storage.
#[derive(Clone)]
struct Layout {
    axes: Vec<Axis>,
    /// How many elements the first axes have together: of none, of one, ..
    counts: Vec<Size>,
}

impl Layout {
    fn total(&self) -> &Size {
        self.counts.last().expect("of no axes, too")
    }

    fn rows(&self, axis: usize) -> Option<&Rows> {
        match &self.axes[axis] {
            Axis::Dense(_) => None,
            Axis::Ragged(rows) => Some(rows),
        }
    }

    fn is_ragged(&self) -> bool {
        self.axes.iter().any(|a| matches!(a, Axis::Ragged(_)))
    }
}

/// Whether an array is read from flat storage.
fn is_view(program: &Program, ty: &Type, src: Var, index: &[Ix]) -> bool {
    let is_flat = |n: &[Size]| matches!(n, [n] if is_computed(n));
    ty.rank() > 1 && matches!(index, [Ix::Data(_)]) && is_flat(&program.ty(src).shape)
}

/// Where an axis ends, by the conditions that say so and what their axes are.
type Ends = HashMap<(Var, Vec<usize>), Option<Var>>;

/// The first axes of a space.
fn whole(axes: usize, rank: usize) -> Vec<Ix> {
    (0..axes)
        .map(|a| Ix::Affine(Affine::axis(rank, a)))
        .collect()
}

/// Where rows lie: over which axes, where those of these that are ragged end, and their own ends.
type Place = (Vec<Size>, Vec<Option<Var>>, Var);

struct Flattener<'a> {
    program: &'a Program,
    out: Builder,
    new: Vec<Var>,
    rows: HashMap<Place, Rows>,
    /// What is read from flat storage, if it lies there like this.
    flat: HashMap<Var, Option<Layout>>,
}

impl Flattener<'_> {
    fn at(&self, v: Var) -> Var {
        self.new[v.index()]
    }

    fn shape(&self, ty: &Type) -> Vec<Size> {
        let size = |n: &Size| translate_size(n, &mut |v| self.at(v));
        ty.shape.iter().map(size).collect()
    }

    /// An elementwise equation in flat storage. Three things tell where its rows end: its guard; a
    /// bool array itself, which is false behind the end; or the condition of a selection, whose
    /// other side is a literal behind the end.
    fn array(&mut self, v: Var, eq: &Eq) -> Option<Var> {
        if let Some(layout) = eq.guard.and_then(|g| self.layout(&eq.ty, g)) {
            let copy = self.out.copy(eq, &mut |v| self.new[v.index()]);
            let guard = self.at(eq.guard?);
            return Some(self.through(copy, &layout, guard));
        }
        let is_end = matches!(eq.op, Op::Map(Prim::ILt | Prim::IGt, _));
        let (condition, behind) = if let Op::Map(Prim::Select, args) = &eq.op
            && let Some(Op::Fill(l)) = self.program.eq(args[2]).map(|e| &e.op)
        {
            (args[0], Some(*l))
        } else if eq.ty.elem == Elem::Bool && !is_end {
            (v, None)
        } else {
            return None;
        };
        let layout = self.layout(&eq.ty, condition)?;
        let copy = self.out.copy(eq, &mut |v| self.new[v.index()]);
        let shape = self.out.shape(copy);
        let guard = eq.guard.map(|g| self.at(g));
        let entries = self.mask(&layout, &shape).expect("an axis is ragged");
        let when = self.out.both(Some(entries), guard)?;
        let read = self.through(copy, &layout, when);
        let Some(behind) = behind else {
            return Some(read);
        };
        let behind = self.out.fill(behind, &shape);
        Some(self.out.map(Prim::Select, &[entries, read, behind], guard))
    }

    /// An array through flat storage.
    fn through(&mut self, v: Var, layout: &Layout, when: Var) -> Var {
        let shape = self.out.shape(v);
        let flat = self.stored(v, layout, when);
        let mask = self.mask(layout, &shape);
        let place = self.place(layout, &shape);
        let read = self.out.gather(flat, vec![place], &shape, mask);
        self.flat.insert(read, Some(layout.clone()));
        read
    }

    /// An array in flat storage, zero where the condition does not hold.
    fn stored(&mut self, v: Var, layout: &Layout, when: Var) -> Var {
        let Type { elem, shape } = self.out.ty(v).clone();
        let place = self.place(layout, &shape);
        if self.flat.contains_key(&v)
            && let Some(Op::Gather { src, index }) = self.out.eq(v).map(|e| &e.op)
            && *index == [place.clone()]
        {
            return *src;
        }
        let ty = Type {
            elem,
            shape: vec![layout.total().clone()],
        };
        let zeros = self.out.fill(Lit::zero(elem), &ty.shape);
        let part = Part {
            src: v,
            index: vec![place],
        };
        let op = Op::update(zeros, part, Some(when));
        let guard = None;
        self.out.push(Eq { ty, guard, op })
    }

    /// How an array with this guard lies in flat storage, if an axis of it is ragged.
    fn layout(&mut self, ty: &Type, guard: Var) -> Option<Layout> {
        let axes: Vec<usize> = (0..ty.rank()).collect();
        let mut layout = Layout {
            axes: vec![],
            counts: vec![Size::lit(1)],
        };
        let shape = self.shape(ty);
        for a in axes.iter().copied() {
            let ends = match a > 0 && is_computed(&ty.shape[a]) {
                true => self.ends(guard, &axes, a, &shape, &mut Ends::new()),
                false => None,
            };
            let (axis, count) = match ends {
                Some(ends) => {
                    let rows = self.rows(&layout, &shape[..a], ends);
                    let total = rows.total.clone();
                    (Axis::Ragged(rows), total)
                }
                None => {
                    let n = &shape[a];
                    (Axis::Dense(n.clone()), layout.total().mul(n))
                }
            };
            layout.axes.push(axis);
            layout.counts.push(count);
        }
        layout.is_ragged().then_some(layout)
    }

    /// Where axis `a` ends, over the axes before it, as a condition says whose own axes are these.
    fn ends(
        &mut self,
        condition: Var,
        axes: &[usize],
        a: usize,
        shape: &[Size],
        found: &mut Ends,
    ) -> Option<Var> {
        let key = (condition, axes.to_vec());
        if let Some(found) = found.get(&key) {
            return *found;
        }
        let end = self.new_ends(condition, axes, a, shape, found);
        found.insert(key, end);
        end
    }

    /// Computes what [`Self::ends`] remembers.
    fn new_ends(
        &mut self,
        condition: Var,
        axes: &[usize],
        a: usize,
        shape: &[Size],
        found: &mut Ends,
    ) -> Option<Var> {
        let eq = self.program.eq(condition)?;
        let is_axis = |v: Var| match self.program.eq(v) {
            Some(Eq {
                guard: None,
                op: Op::Index(i),
                ..
            }) => i.as_axis().is_some_and(|k| axes[k] == a),
            Some(_) | None => false,
        };
        let is_false = |v: Var| {
            let fills = self.program.eq(v).map(|e| &e.op);
            fills == Some(&Op::Fill(Lit::Bool(false)))
        };
        let is_number = |v: Var| match self.program.eq(v).map(|e| &e.op) {
            Some(Op::Fill(Lit::Real(x))) => !x.is_nan(),
            Some(_) | None => false,
        };
        let parts: Vec<Var> = match &eq.op {
            Op::Map(Prim::ILt, args) if is_axis(args[0]) => {
                return self.before(args[1], axes, a, shape);
            }
            Op::Map(Prim::IGt, args) if is_axis(args[1]) => {
                return self.before(args[0], axes, a, shape);
            }
            Op::Map(Prim::And, args) => args.clone(),
            Op::Map(Prim::Or, args) => {
                let ends = self.ends(args[0], axes, a, shape, found);
                if ends.is_some() && ends == self.ends(args[1], axes, a, shape, found) {
                    return ends;
                }
                vec![]
            }
            Op::Map(Prim::Select, args) if is_false(args[2]) => args[..2].to_vec(),
            // What is not what the condition does not choose is chosen.
            Op::Map(Prim::Ne, args) => match self.program.eq(args[0]).map(|e| &e.op) {
                Some(Op::Map(Prim::Select, of)) if is_number(args[1]) && of[2] == args[1] => {
                    vec![of[0]]
                }
                Some(_) | None => vec![],
            },
            Op::Copy(c) => vec![*c],
            Op::Gather { src, index } => {
                let own: Option<Vec<usize>> = (index.iter())
                    .map(|i| match i {
                        Ix::Affine(i) => i.as_axis().map(|k| axes[k]),
                        Ix::Data(_) => None,
                    })
                    .collect();
                let of_read = own.and_then(|own| self.ends(*src, &own, a, shape, found));
                return of_read.or_else(|| self.ends(eq.guard?, axes, a, shape, found));
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Stop(_) => vec![],
        };
        (parts.into_iter().chain(eq.guard)).find_map(|c| self.ends(c, axes, a, shape, found))
    }

    /// A component of an index map over these axes as one over the axes before `a`, if it depends
    /// on no other.
    fn component(&self, i: &Affine, axes: &[usize], a: usize) -> Option<Affine> {
        let size = |n: &Size| translate_size(n, &mut |v| self.at(v));
        let mut out = Affine::constant(a, size(&i.constant));
        for (c, axis) in i.coefs.iter().zip(axes) {
            if !c.is(0) {
                *out.coefs.get_mut(*axis)? = size(c);
            }
        }
        Some(out)
    }

    /// An array that does not depend on axis `a` and those behind it, over the axes before.
    fn before(&mut self, v: Var, axes: &[usize], a: usize, shape: &[Size]) -> Option<Var> {
        let space = &shape[..a];
        let eq = match self.program.eq(v) {
            Some(eq) => eq,
            None if axes.is_empty() => return Some(self.out.spread(v, &[], space)),
            None => return None,
        };
        let guard = match eq.guard {
            Some(g) => Some(self.before(g, axes, a, shape)?),
            None => None,
        };
        match &eq.op {
            Op::Fill(l) => Some(self.out.fill(*l, space)),
            Op::Index(i) => {
                let i = self.component(i, axes, a)?;
                Some(self.out.index(i, space))
            }
            Op::Map(p, args) => {
                let args: Option<Vec<Var>> = (args.iter())
                    .map(|x| self.before(*x, axes, a, shape))
                    .collect();
                Some(self.out.map(*p, &args?, guard))
            }
            Op::Copy(x) => {
                let x = self.before(*x, axes, a, shape)?;
                Some(self.out.masked(x, guard))
            }
            Op::Gather { src, index } => {
                let mut all = vec![];
                for i in index {
                    all.push(match i {
                        Ix::Affine(i) => Ix::Affine(self.component(i, axes, a)?),
                        Ix::Data(d) => Ix::Data(self.before(*d, axes, a, shape)?),
                    });
                }
                let src = self.at(*src);
                let is_whole = self.out.shape(src) == space
                    && (all.iter().enumerate())
                        .all(|(k, i)| matches!(i, Ix::Affine(i) if i.as_axis() == Some(k)));
                Some(match is_whole {
                    true => self.out.masked(src, guard),
                    false => self.out.gather(src, all, space, guard),
                })
            }
            Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Stop(_) => None,
        }
    }

    /// Rows over axes that lie like this.
    fn rows(&mut self, before: &Layout, space: &[Size], ends: Var) -> Rows {
        let ends_before = (0..before.axes.len())
            .map(|a| before.rows(a).map(|rows| rows.ends))
            .collect();
        let key = (space.to_vec(), ends_before, ends);
        if let Some(rows) = self.rows.get(&key) {
            return rows.clone();
        }
        let lengths = match before.axes[..] {
            [Axis::Dense(_)] => ends,
            _ => {
                let mask = self.mask(before, space);
                let when = mask.unwrap_or_else(|| self.out.fill(Lit::Bool(true), space));
                self.stored(ends, before, when)
            }
        };
        let (total, offsets) = self.offsets(lengths, before.total());
        let rows = Rows {
            ends,
            lengths,
            offsets,
            total,
        };
        self.rows.insert(key, rows.clone());
        rows
    }

    /// The sum of all lengths, and the sums of those before each.
    fn offsets(&mut self, lengths: Var, count: &Size) -> (Size, Var) {
        let (given, mut params) = self.given(&[lengths]);
        let lengths = Var(given.len() as u32 - 1);
        params.push(scalar("offset", Elem::Int));
        params.push(scalar("k", Elem::Int));
        let (offset, k) = (Var(given.len() as u32), Var(given.len() as u32 + 1));
        let mut body = Builder::new(&self.program.name, params);
        let length = body.gather(lengths, vec![Ix::Data(k)], &[], None);
        let zero = body.fill(Lit::Int(0), &[]);
        let length = body.map(Prim::IMax, &[length, zero], None);
        let next = body.map(Prim::IAdd, &[offset, length], None);
        let looped = Looped::new(Loop {
            body: body.finish(vec![next, offset]),
            states: 1,
            goes_on: None,
            reverse: false,
            keep: Keep::Residuals,
        });
        let init = vec![self.out.fill(Lit::Int(0), &[])];
        let mut result = |out: usize, shape: Vec<Size>| {
            let op = Op::Loop {
                looped: looped.clone(),
                steps: Some(count.clone()),
                given: given.clone(),
                init: init.clone(),
                out,
            };
            let (elem, guard) = (Elem::Int, None);
            let ty = Type { elem, shape };
            self.out.push(Eq { ty, guard, op })
        };
        let total = result(0, vec![]);
        let offsets = result(1, vec![count.clone()]);
        let total = Size::atom(Atom::Value(total.0)).larger(&Size::lit(0));
        (total, offsets)
    }

    /// What a loop is given that reads these: the computed integers in their lengths first.
    fn given(&self, arrays: &[Var]) -> (Vec<Var>, Vec<Param>) {
        let mut values = vec![];
        for n in arrays.iter().flat_map(|v| &self.out.ty(*v).shape) {
            n.visit(&mut |a| {
                if let Atom::Value(v) = a
                    && !values.contains(&Var(*v))
                {
                    values.push(Var(*v));
                }
            });
        }
        let mut inside = |v: Var| {
            let at = values.iter().position(|w| *w == v);
            Var(at.expect("collected above") as u32)
        };
        let mut params = vec![scalar("given", Elem::Int); values.len()];
        for v in arrays {
            let Type { elem, shape } = self.out.ty(*v);
            let shape = (shape.iter())
                .map(|n| translate_size(n, &mut inside))
                .collect();
            let ty = Type { elem: *elem, shape };
            let name = String::from("given");
            params.push(Param { name, ty });
        }
        values.extend(arrays);
        (values, params)
    }

    /// Where in an index space there are entries.
    fn mask(&mut self, layout: &Layout, space: &[Size]) -> Option<Var> {
        self.mask_at(layout, &whole(layout.axes.len(), space.len()), space)
    }

    /// Where the first components of an index map are those of entries.
    fn mask_at(&mut self, layout: &Layout, at: &[Ix], space: &[Size]) -> Option<Var> {
        let mut mask = None;
        for a in 0..at.len() {
            let Some(rows) = layout.rows(a) else {
                continue;
            };
            let is_same = at[..a] == whole(a, space.len()) && space.len() == a;
            let end = match is_same {
                true => rows.ends,
                false => self.out.gather(rows.ends, at[..a].to_vec(), space, None),
            };
            let k = self.integer(&at[a], space);
            let less = self.out.map(Prim::ILt, &[k, end], None);
            mask = self.out.both(mask, Some(less));
        }
        mask
    }

    /// A component of an index map as an array.
    fn integer(&mut self, i: &Ix, space: &[Size]) -> Var {
        match i {
            Ix::Affine(a) => self.out.index(a.clone(), space),
            Ix::Data(v) => *v,
        }
    }

    /// The place in flat storage of each index of a space, where there are entries.
    fn place(&mut self, layout: &Layout, space: &[Size]) -> Ix {
        self.place_at(layout, &whole(layout.axes.len(), space.len()), space)
    }

    /// The place in flat storage of what an index map reads, where these are entries.
    fn place_at(&mut self, layout: &Layout, at: &[Ix], space: &[Size]) -> Ix {
        let rank = space.len();
        let mut place = Ix::Affine(Affine::constant(rank, Size::lit(0)));
        for (a, axis) in layout.axes.iter().enumerate() {
            let first = match (axis, place, &at[a]) {
                (Axis::Dense(n), Ix::Affine(row), Ix::Affine(here)) => {
                    let first = Affine::constant(rank, Size::lit(0)).add_scaled(&row, n);
                    place = Ix::Affine(first.add_scaled(here, &Size::lit(1)));
                    continue;
                }
                (Axis::Dense(n), row, _) => {
                    let n = self.out.index(Affine::constant(rank, n.clone()), space);
                    let row = self.integer(&row, space);
                    self.out.map(Prim::IMul, &[row, n], None)
                }
                (Axis::Ragged(rows), row, _) => {
                    let mask = self.mask_at(layout, &at[..a], space);
                    self.out.gather(rows.offsets, vec![row], space, mask)
                }
            };
            let here = self.integer(&at[a], space);
            place = Ix::Data(self.out.map(Prim::IAdd, &[first, here], None));
        }
        place
    }

    /// A read of what is in flat storage at other places: at places that are affine in its own, or
    /// at the positions of extrema, which are no entries of a row without any.
    fn read(&mut self, eq: &Eq) -> Option<Var> {
        let Op::Gather { src, index } = &eq.op else {
            return None;
        };
        let of_data = |i: &Ix| match i {
            Ix::Affine(_) => None,
            Ix::Data(d) => Some(*d),
        };
        let rank = eq.ty.rank();
        let is_own = index.len() == rank && index[..] == whole(rank, rank);
        if is_own || !(index.iter().filter_map(of_data)).all(|v| self.is_position(v)) {
            return None;
        }
        let src = self.at(*src);
        let layout = self.flat.get(&src)?.clone()?;
        let Op::Gather { src: flat, .. } = self.out.eq(src)?.op else {
            return None;
        };
        let index: Vec<Ix> = (index.iter())
            .map(|i| translate_ix(i, &mut |v| self.new[v.index()]))
            .collect();
        let space = self.shape(&eq.ty);
        let guard = eq.guard.map(|g| self.at(g));
        let mask = self.mask_at(&layout, &index, &space);
        let guard = self.out.both(guard, mask);
        let place = self.place_at(&layout, &index, &space);
        Some(self.out.gather(flat, vec![place], &space, guard))
    }

    /// What has one element in each row for each of its parts, at the position of an extremum, as a
    /// sum of selections `[k = p[i]] e[i]`.
    fn at_positions(&mut self, eq: &Eq, parts: &[Part]) -> Option<Var> {
        let a = eq.ty.rank().checked_sub(1)?;
        let is_row = |p: &Part| match &p.index[..] {
            [rows @ .., Ix::Data(at)] => *rows == whole(a, a) && self.is_position(*at),
            [.., Ix::Affine(_)] | [] => false,
        };
        if !is_computed(&eq.ty.shape[a]) || !parts.iter().all(is_row) {
            return None;
        }
        let shape = self.shape(&eq.ty);
        let selections: Vec<Var> = (parts.iter())
            .map(|part| self.at_position(part, &shape))
            .collect();
        let sum = (selections.into_iter()).reduce(|x, y| self.out.map(Prim::Add, &[x, y], None))?;
        self.flat.insert(sum, None);
        Some(sum)
    }

    /// A part of these as a selection.
    fn at_position(&mut self, part: &Part, shape: &[Size]) -> Var {
        let a = shape.len() - 1;
        let rows: Vec<usize> = (0..a).collect();
        let there = self.program.eq(part.src).and_then(|e| e.guard);
        let there = there.map(|g| self.at(g));
        let there = there.map(|g| self.out.spread(g, &rows, shape));
        let position = translate_ix(&part.index[a], &mut |v| self.new[v.index()]);
        let position = self.integer(&position, &shape[..a]);
        let position = self.out.spread(position, &rows, shape);
        let k = self.out.index(Affine::axis(a + 1, a), shape);
        let is_here = self.out.map(Prim::IEq, &[k, position], None);
        let guard = self.out.both(Some(is_here), there);
        let src = self.at(part.src);
        self.out.gather(src, whole(a, a + 1), shape, guard)
    }

    /// Whether an array holds positions of extrema, which are inside of their axis.
    fn is_position(&self, v: Var) -> bool {
        let op = self.program.eq(v).map(|e| &e.op);
        matches!(op, Some(Op::ArgReduce { .. }))
    }

    /// A product with a ragged operand is a sum of products: it ends where the rows do.
    fn contract(&mut self, eq: &Eq) -> Option<Var> {
        let Op::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
        } = &eq.op
        else {
            return None;
        };
        let (a, b) = (self.at(*a), self.at(*b));
        if ![a, b].iter().any(|v| self.flat.contains_key(v)) {
            return None;
        }
        let guard = eq.guard.map(|g| self.at(g));
        let operands = [(a, a_axes), (b, b_axes)];
        Some(sum_of_product(&mut self.out, operands, out_axes, guard))
    }
}

fn scalar(name: &str, elem: Elem) -> Param {
    let (name, shape) = (name.to_owned(), vec![]);
    let ty = Type { elem, shape };
    Param { name, ty }
}
