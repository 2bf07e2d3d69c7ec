//! Products whose operands have absent elements.
//!
//! An element is *absent* if its guard is false, or if nothing is added to it. It is stored as a
//! zero, and a matrix product multiplies stored zeros. That adds nothing, unless the other factor
//! is infinite or NaN. Then the sum is NaN, and is computed again without the zeros:
//!
//! ```text
//! c = Σ a · b    =    update c where c is NaN with Σ [a and b are present] a · b
//! ```
//!
//! The search for NaN reads the result once. It is left out where only positions decide what is
//! absent, as for triangles, and for weights of a log-sum-exp whose terms are negative infinity.

use super::contractions::sum_of_product;
use crate::ir::build::{Builder, translate_ix};
use crate::ir::bulk::{Eq, Ix, Op, Part, Program, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use std::collections::{BTreeSet, HashMap};

/// Which elements of an array may be absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Absence {
    /// None.
    #[default]
    Never,
    /// Some; their positions say which.
    ByPosition,
    /// Some; the data say which.
    ByData,
}

impl Absence {
    /// The same for elements that are chosen by position, or by data.
    fn chosen(self, by_position: bool) -> Absence {
        match self == Absence::ByPosition && !by_position {
            true => Absence::ByData,
            false => self,
        }
    }
}

/// The arrays of a program that may have absent elements.
pub(super) struct Absent<'a> {
    pub(super) program: &'a Program,
    /// Whether the elements of each variable follow from their positions.
    pub(super) is_positional: Vec<bool>,
    /// For each variable which elements may be absent.
    absence: Vec<Absence>,
    /// The same if the variable's own guard is left out.
    unguarded: Vec<Absence>,
}

impl<'a> Absent<'a> {
    pub(super) fn of(program: &'a Program) -> Absent<'a> {
        let params = program.params.len();
        let mut out = Absent {
            program,
            is_positional: vec![false; params],
            absence: vec![Absence::Never; params],
            unguarded: vec![Absence::Never; params],
        };
        for eq in &program.eqs {
            let is_positional = is_of_positions(program, eq, &out.is_positional);
            out.is_positional.push(is_positional);
            let own = out.of_operation(eq);
            let by_guard = match eq.guard {
                None => Absence::Never,
                Some(g) if out.is_positional[g.index()] => Absence::ByPosition,
                Some(_) => Absence::ByData,
            };
            out.unguarded.push(own);
            out.absence.push(own.max(by_guard));
        }
        out
    }

    /// Whether the data say which elements of an array are absent.
    pub(super) fn is_by_data(&self, v: Var) -> bool {
        self.absence[v.index()] == Absence::ByData && !self.is_present(v, false)
    }

    /// Whether the data say so, and not the guard of the array alone.
    pub(super) fn is_beyond_guard(&self, v: Var) -> bool {
        self.is_chosen_by_data(v) && !self.is_present(v, true)
    }

    /// Whether the data say so of an array without its guard, as far as each operation shows.
    pub(super) fn is_chosen_by_data(&self, v: Var) -> bool {
        self.unguarded[v.index()] == Absence::ByData
    }

    fn of_operation(&self, eq: &Eq) -> Absence {
        let of = |v: &Var| self.absence[v.index()];
        match &eq.op {
            Op::Map(Prim::Add | Prim::Sub, args) => {
                let both = [of(&args[0]), of(&args[1])];
                match both.contains(&Absence::Never) {
                    true => Absence::Never,
                    false => both[0].max(both[1]),
                }
            }
            Op::Map(Prim::Neg, args) => of(&args[0]),
            Op::Map(Prim::Select, args) => {
                // The guards of the sides are those of the choice.
                let sides = [1, 2].map(|k| self.unguarded[args[k].index()]);
                (sides[0].max(sides[1])).chosen(self.is_positional[args[0].index()])
            }
            Op::Gather { src, index } => of(src).chosen(!index.iter().any(is_read)),
            Op::Copy(src) | Op::Stop(src) => of(src),
            Op::Reduce {
                op: ReduceOp::Sum,
                src,
                ..
            } => of(src),
            Op::Contract { a, b, .. } => of(a).max(of(b)),
            Op::Scatter(parts) => {
                let is_whole = |p: &Part| p.index == Ix::identity(eq.ty.rank());
                if (parts.iter()).any(|p| is_whole(p) && of(&p.src) == Absence::Never) {
                    return Absence::Never;
                }
                let read = parts.iter().any(|p| p.index.iter().any(is_read));
                let of_parts = parts.iter().map(|p| of(&p.src)).max();
                match read {
                    true => Absence::ByData,
                    false => of_parts.unwrap_or_default().max(Absence::ByPosition),
                }
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. } => Absence::Never,
        }
    }

    /// A product without what absent elements of its operands add. `new` are the variables of the
    /// program in `out`. A product that is stored is changed in place.
    pub(super) fn without(
        &self,
        out: &mut Builder,
        product: Var,
        operands: [(Var, &Vec<u8>); 2],
        out_axes: &[u8],
        new: &[Var],
        is_stored: bool,
    ) -> Var {
        let shape = out.shape(product);
        let bounds = out.guard(product);
        let is_nan = out.map(Prim::Ne, &[product, product], None);
        let mut presence = Presence {
            absent: self,
            out,
            new,
            is_nan,
            any: None,
        };
        let operands = operands.map(|(v, axes)| {
            let present = presence.of(v);
            (presence.out.masked(new[v.index()], present), axes)
        });
        let present = out.both(Some(is_nan), bounds);
        let src = sum_of_product(out, operands, out_axes, present);
        if !is_stored {
            return out.map(Prim::Select, &[is_nan, src, product], bounds);
        }
        let part = Part {
            src,
            index: Ix::identity(shape.len()),
        };
        let op = Op::update(product, part, present);
        let ty = out.ty(product).clone();
        let guard = None;
        out.push(Eq { ty, guard, op })
    }
}

/// Builds the arrays that say which elements are present:
///
/// ```text
/// a + b        a or b                      Σ a          0 ≠ Σ [a] 1
/// -a, a[..]    a                           Σ a · b      0 ≠ Σ [a and b] 1
/// select       select(c, a, b)             scatter a    0 ≠ scatter [a] 1
/// ```
///
/// The sums run only if some element of the product is NaN.
struct Presence<'a> {
    absent: &'a Absent<'a>,
    out: &'a mut Builder,
    new: &'a [Var],
    /// Which elements of the product are NaN.
    is_nan: Var,
    /// Whether some are.
    any: Option<Var>,
}

impl Presence<'_> {
    /// Where a variable of the program is present; `None` is everywhere.
    fn of(&mut self, v: Var) -> Option<Var> {
        let mut needed = BTreeSet::new();
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            let is_some = self.absent.absence[v.index()] != Absence::Never;
            if is_some && needed.insert(v) {
                let eq = self.absent.program.eq(v).expect("parameters are present");
                if self.absent.unguarded[v.index()] != Absence::Never {
                    eq.visit(&mut |u| open.push(u));
                }
            }
        }
        let mut known: HashMap<Var, Option<Var>> = HashMap::new();
        for &v in &needed {
            let eq = self.absent.program.eq(v).expect("parameters are present");
            let own = match self.absent.unguarded[v.index()] {
                Absence::Never => None,
                Absence::ByPosition | Absence::ByData => {
                    let known = |u: Var| known.get(&u).copied().flatten();
                    self.of_operation(self.new[v.index()], eq, &known)
                }
            };
            let guard = eq.guard.map(|g| self.new[g.index()]);
            let both = self.out.both(guard, own);
            known.insert(v, both);
        }
        known.get(&v).copied().flatten()
    }

    /// Where an equation is present apart from its guard, given where its operands are. `made` is
    /// its variable in `out`.
    fn of_operation(
        &mut self,
        made: Var,
        eq: &Eq,
        known: &dyn Fn(Var) -> Option<Var>,
    ) -> Option<Var> {
        let shape = self.out.shape(made);
        let new = self.new;
        let at = |v: Var| new[v.index()];
        match &eq.op {
            Op::Map(Prim::Add | Prim::Sub, args) => {
                let sides = [known(args[0])?, known(args[1])?];
                Some(self.out.map(Prim::Or, &sides, None))
            }
            Op::Map(Prim::Neg, args) => known(args[0]),
            Op::Map(Prim::Select, args) => {
                let all = self.out.fill(Lit::Bool(true), &shape);
                let sides = [args[1], args[2]].map(|v| known(v).unwrap_or(all));
                let args = [at(args[0]), sides[0], sides[1]];
                Some(self.out.map(Prim::Select, &args, None))
            }
            Op::Gather { src, index } => {
                let index = index.iter().map(|i| translate_ix(i, &mut |v| at(v)));
                let guard = eq.guard.map(at);
                Some((self.out).gather(known(*src)?, index.collect(), &shape, guard))
            }
            Op::Copy(src) | Op::Stop(src) => known(*src),
            Op::Reduce { src, axes, .. } => {
                let one = self.one(at(*src), known(*src));
                let guard = self.any_over(made);
                let hits = self.out.sum(one, axes, Some(guard));
                Some(self.is_hit(hits))
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let operands =
                    [(a, a_axes), (b, b_axes)].map(|(v, axes)| (self.one(at(*v), known(*v)), axes));
                let guard = self.any_over(made);
                let hits = sum_of_product(self.out, operands, out_axes, Some(guard));
                Some(self.is_hit(hits))
            }
            Op::Scatter(parts) => {
                let parts = parts.iter().map(|p| Part {
                    src: self.one(at(p.src), known(p.src)),
                    index: (p.index.iter())
                        .map(|i| translate_ix(i, &mut |v| at(v)))
                        .collect(),
                });
                let op = Op::Scatter(parts.collect());
                let ty = self.out.ty(made).clone();
                let guard = None;
                let hits = self.out.push(Eq { ty, guard, op });
                Some(self.is_hit(hits))
            }
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. } => None,
        }
    }

    /// 1 where an array is present and some element of the product is NaN.
    fn one(&mut self, v: Var, present: Option<Var>) -> Var {
        let any = self.any_over(v);
        let shape = self.out.shape(v);
        let one = self.out.fill(Lit::Real(1.0), &shape);
        let guard = self.out.both(Some(any), present);
        self.out.masked(one, guard)
    }

    fn is_hit(&mut self, hits: Var) -> Var {
        let shape = self.out.shape(hits);
        let none = self.out.fill(Lit::Real(0.0), &shape);
        self.out.map(Prim::Ne, &[hits, none], None)
    }

    /// Whether some element of the product is NaN, over the shape of an array.
    fn any_over(&mut self, v: Var) -> Var {
        let any = *self.any.get_or_insert_with(|| {
            let shape = self.out.shape(self.is_nan);
            let [one, none] = [1, 0].map(|k| self.out.fill(Lit::Int(k), &shape));
            let count = (self.out).map(Prim::Select, &[self.is_nan, one, none], None);
            let all: Vec<usize> = (0..shape.len()).collect();
            let count = self.out.sum(count, &all, None);
            let none = self.out.fill(Lit::Int(0), &[]);
            self.out.map(Prim::ILt, &[none, count], None)
        });
        let shape = self.out.shape(v);
        self.out.spread(any, &[], &shape)
    }
}

/// Whether the elements of an array of numbers or truth values follow from their positions. So do,
/// by agreement, those that say which terms of a log-sum-exp are negative infinity. The weight of
/// such a term is zero.
fn is_of_positions(program: &Program, eq: &Eq, known: &[bool]) -> bool {
    let is = |v: &Var| known[v.index()];
    match &eq.op {
        Op::Fill(_) | Op::Index(_) => true,
        Op::Map(Prim::Ne, args) => {
            let none = Op::Fill(Lit::Real(f64::NEG_INFINITY));
            program.eq(args[1]).is_some_and(|e| e.op == none)
        }
        Op::Map(_, args) => eq.ty.elem != Elem::Real && args.iter().all(is),
        Op::Gather { src, index } => is(src) && !index.iter().any(is_read),
        Op::Copy(src) | Op::Stop(src) => is(src),
        Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Call { .. }
        | Op::Loop { .. } => false,
    }
}

fn is_read(i: &Ix) -> bool {
    matches!(i, Ix::Data(_))
}
