//! The forms of the innermost outer loop of a nest, and when each computes the same as the loop
//! element by element.
//!
//! ```text
//! rows           out[i, ..] = f(i, ..), with what is read found once for a row
//! added rows     a row of a new array, and rows of others that are added to
//! row totals     a row of new arrays; sums over the row, each added to one element
//! changed rows   a part of a row of an array that is changed
//! ```
//!
//! The passes below `passes/schedule` choose among those that are possible here.

use super::{
    Addend, Affine, Along, At, Contribution, Cut, Family, Fill, Loop, Nest, Node, Range, Scalar,
    Step, Work,
};
use crate::ir::bulk::Var;
use crate::ir::ty::{Elem, Size};
use std::collections::HashSet;

/// How the last outer loop of a nest runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Element by element.
    #[default]
    Plain,
    /// By rows of new arrays; some of the first and last indices apart, so that conditions on the
    /// index are known in between.
    Rows(Cut),
    /// By rows that are made and added to, if they have so many elements.
    AddedRows {
        /// Shorter ones are done element by element.
        least: i64,
    },
    /// By parts of rows of an array that is changed: of those that the loop runs over.
    ChangedRows,
    /// By rows that are made and summed, if they have so many elements and the conditions of a row
    /// hold in all of it.
    RowTotals {
        /// Shorter ones are done element by element.
        least: i64,
    },
}

/// What a nest makes, and what it adds to other arrays.
pub struct Made<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// The elements of new arrays.
    pub new: Vec<Node>,
    /// What is added, each to another array; `None` if an array is added to more
    /// than once, or its elements are replaced.
    pub sums: Option<Vec<&'a Addend>>,
}

impl<'a> Made<'a> {
    fn by_nest(nest: &'a Nest) -> Made<'a> {
        Made {
            nest,
            new: vec![nest.root],
            sums: Some(vec![]),
        }
    }

    fn by_family(f: &'a Family) -> Made<'a> {
        let (mut new, mut sums) = (vec![], Some(vec![]));
        for m in &f.members {
            match &m.fill {
                Fill::Each(n) => new.push(*n),
                Fill::At { adds, parts, .. } => match &parts[..] {
                    [one] if *adds => sums.iter_mut().for_each(|all| all.push(one)),
                    _ => sums = None,
                },
            }
        }
        let nest = &f.nest;
        Made { nest, new, sums }
    }

    /// All values.
    pub fn values(&self) -> Vec<Node> {
        let sums = self.sums.iter().flatten().map(|s| s.value);
        self.new.iter().copied().chain(sums).collect()
    }

    /// The last outer loop.
    pub fn last(&self) -> Option<Loop> {
        self.nest.outer.checked_sub(1)
    }

    /// Whether it can be done in a form, given the shapes of arrays.
    pub fn may_be<'s>(&self, form: Form, shape: &dyn Fn(Var) -> &'s [Size]) -> bool {
        let Some(l) = self.last() else {
            return form == Form::Plain;
        };
        match form {
            Form::Plain => true,
            Form::Rows(cut) => self.may_be_rows(l, cut, shape),
            Form::AddedRows { .. } => self.may_be_added_rows(l).unwrap_or(false),
            Form::RowTotals { .. } => self.may_be_row_totals(l).unwrap_or(false),
            Form::ChangedRows => false,
        }
    }

    /// Where the conditions on the index are known, nothing else is conditional, nothing is
    /// reduced, and neighbours that are read are in their arrays.
    fn may_be_rows<'s>(&self, l: Loop, cut: Cut, shape: &dyn Fn(Var) -> &'s [Size]) -> bool {
        let nest = self.nest;
        let along = Along::new(nest, l, &self.new);
        let middle = nest.pieces(&along, &self.new, cut).middle;
        let always = nest.always(&self.new, &middle);
        let is_inside = |n: Node| match nest.along(n, l).and_then(|_| nest.nodes[n].read()) {
            Some(v) => nest.is_inside(n, (l, cut), &always, shape(v)),
            None => true,
        };
        let nodes = along.reached_where(&self.new, true, &middle, &|_| false);
        let is_plain =
            |&n: &Node| nest.is_bare(n, &middle) && nest.nodes[n].own().is_empty() && is_inside(n);
        self.sums.as_ref().is_some_and(Vec::is_empty) && nodes.iter().all(is_plain)
    }

    /// All sums are added to rows, under one condition for a whole row at most.
    fn may_be_added_rows(&self, l: Loop) -> Option<bool> {
        let (nest, sums) = (self.nest, self.sums.as_ref()?);
        let guard = |n: Node| nest.nodes[n].guard;
        let common = guard(sums.first()?.value);
        let values = self.values();
        let along = Along::new(nest, l, &values);
        let is_one = sums.iter().all(|s| guard(s.value) == common)
            && common.is_none_or(|g| !along.varies(g));
        let are_rows = sums.iter().all(|s| nest.start_of_row(&s.at, l).is_some())
            && along.are_rows(&values, &nest.learned(common));
        Some(nest.is_elementwise() && is_one && are_rows && self.are_real())
    }

    /// All sums are added to elements that are the same for a whole row, and where all conditions
    /// hold there is nothing but rows.
    fn may_be_row_totals(&self, l: Loop) -> Option<bool> {
        let (nest, sums) = (self.nest, self.sums.as_ref()?);
        let values = self.values();
        let along = Along::new(nest, l, &values);
        let stays = |a: &At| match a {
            At::Affine(a) => a.coefficient(l).is_none(),
            At::Node(n) => !nest.depends[*n].contains(&l) && nest.nodes[*n].guard.is_none(),
        };
        let holds: HashSet<Node> = nest.learned(along.conditions(&values)?);
        let are_totals = !sums.is_empty() && sums.iter().all(|s| s.at.iter().all(stays));
        let all = nest.is_elementwise() && are_totals && self.are_real();
        Some(all && along.are_rows(&values, &holds))
    }

    fn are_real(&self) -> bool {
        let is_real = |n: &Node| self.nest.nodes[*n].elem == Elem::Real;
        self.values().iter().all(is_real)
    }
}

impl Contribution {
    /// Whether it is to all elements of an array of this shape, each once.
    pub fn is_whole(&self, shape: &[Size]) -> bool {
        let (nest, mut at) = (&self.nest, self.at.iter().enumerate());
        let in_order = at.all(|(k, a)| matches!(a, At::Affine(a) if *a == Affine::of(k)));
        in_order && nest.outer > 0 && nest.loops[..nest.outer] == *shape && nest.is_total()
    }
}

impl Nest {
    /// Whether it changes its places by parts of rows: all elements go to neighbours and are made
    /// of neighbours, under one condition for a whole row at most, and these arrays are not read.
    fn may_be_changed_rows(&self, at: &[At], arrays: &[Var]) -> bool {
        let Some(l) = self.outer.checked_sub(1) else {
            return false;
        };
        let root = &self.nodes[self.root];
        let along = Along::new(self, l, &[self.root]);
        let is_free = |s: &Scalar| s.read().is_none_or(|v| !arrays.contains(&v));
        let is_row = self.start_of_row(at, l).is_some()
            && root.guard.is_none_or(|g| !along.varies(g))
            && along.are_rows(&[self.root], &self.learned(root.guard));
        let is_plain = self.loops.len() == self.outer && self.once(l).is_none();
        is_row && is_plain && root.elem == Elem::Real && self.nodes.iter().all(is_free)
    }

    /// Whether all outer loops run over their whole extents.
    pub fn is_total(&self) -> bool {
        self.ranges[..self.outer].iter().all(Range::is_whole)
    }
}

impl Step {
    /// What its nest makes, if all elements of it: then that has a form. Of contributions it is the
    /// first, which the others are added to.
    pub fn made(&self) -> Option<Made<'_>> {
        match &self.work {
            Work::Nest(nest) => (nest.outer > 0 && nest.is_total()).then(|| Made::by_nest(nest)),
            Work::Scatter(parts) => (parts.first())
                .filter(|c| c.is_whole(&self.ty.shape))
                .map(|c| Made::by_nest(&c.nest)),
            Work::Family(f) => f.nest.is_total().then(|| Made::by_family(f)),
            Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Change { .. }
            | Work::Loop(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Branch(_) => None,
        }
    }

    /// Whether the nest of this number may change its places by parts of rows.
    pub fn may_be_changed_rows(&self, which: usize) -> bool {
        match &self.work {
            Work::Change { of, parts, .. } => parts.get(which).is_some_and(|c| {
                let arrays = [of.array, self.out];
                c.nest.may_be_changed_rows(&c.at, &arrays)
            }),
            // A first part that is whole is a new array.
            Work::Scatter(parts) => parts.get(which).is_some_and(|c| {
                let is_new = which == 0 && c.is_whole(&self.ty.shape);
                !is_new && c.nest.may_be_changed_rows(&c.at, &[])
            }),
            Work::Nest(nest) => {
                let at = (0..nest.outer).map(|l| At::Affine(Affine::of(l)));
                !nest.is_total() && nest.may_be_changed_rows(&at.collect::<Vec<_>>(), &[])
            }
            Work::Family(_)
            | Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Loop(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Branch(_) => false,
        }
    }

    /// Its nests.
    pub fn nests(&self) -> Vec<&Nest> {
        match &self.work {
            Work::Nest(nest) => vec![nest],
            Work::Family(f) => vec![&f.nest],
            Work::Scatter(parts) | Work::Change { parts, .. } => {
                parts.iter().map(|c| &c.nest).collect()
            }
            Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Loop(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Branch(_) => vec![],
        }
    }

    /// Its nests, to be changed.
    pub fn nests_mut(&mut self) -> Vec<&mut Nest> {
        match &mut self.work {
            Work::Nest(nest) => vec![nest],
            Work::Family(f) => vec![&mut f.nest],
            Work::Scatter(parts) | Work::Change { parts, .. } => {
                parts.iter_mut().map(|c| &mut c.nest).collect()
            }
            Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Loop(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Branch(_) => vec![],
        }
    }

    /// The form of what its nest makes.
    pub fn form_mut(&mut self) -> Option<&mut Form> {
        self.made()?;
        match &mut self.work {
            Work::Nest(nest) => Some(&mut nest.form),
            Work::Family(f) => Some(&mut f.nest.form),
            Work::Scatter(parts) => parts.first_mut().map(|c| &mut c.nest.form),
            Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Change { .. }
            | Work::Loop(_)
            | Work::Call(_)
            | Work::Tiles(_)
            | Work::Branch(_) => None,
        }
    }
}
