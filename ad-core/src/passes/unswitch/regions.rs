//! Which equations run in branches, and which of them together.
//!
//! A program is divided into *segments* that run one after the other. The equations of a segment
//! run outside of branches, or they form a *group*: equations of one region. The division is a list
//! schedule: equations outside run as soon as they can, then those of one region, and so on.

use super::literals::{Literals, Needed, Set, loops, values};
use super::{is_free, reads};
use crate::ir::bulk::{Op, Program, Var};
use std::collections::{BTreeMap, HashSet};

/// Equations that run together.
pub(super) struct Segment {
    /// The literals that hold wherever the segment runs; none outside.
    pub(super) region: Set,
    /// The variables that it computes, in an order in which it can.
    pub(super) members: Vec<Var>,
    /// The variables of other segments that a group reads.
    pub(super) given: Vec<Var>,
    /// The variables that a group computes for itself, as that is cheaper than to read them.
    pub(super) copied: Vec<Var>,
}

impl Segment {
    fn new(region: Set, members: Vec<Var>) -> Segment {
        let (given, copied) = (vec![], vec![]);
        Segment {
            region,
            members,
            given,
            copied,
        }
    }
}

/// The segments of a program.
pub(super) struct Regions {
    pub(super) segments: Vec<Segment>,
    /// For each variable whether the program around the branches reads it.
    pub(super) is_read: Vec<bool>,
    /// For each variable whether a branch computes it.
    pub(super) is_in_branch: Vec<bool>,
}

impl Regions {
    /// The segments; `None` if all equations run outside.
    pub(super) fn of(
        program: &Program,
        literals: &Literals,
        needed: &Needed,
        long: &[bool],
    ) -> Option<Regions> {
        let mut divider = Divider::of(program, literals, needed, long);
        divider.keep_wanted(needed);
        if divider.region.iter().all(|s| *s == 0) {
            return None;
        }
        divider.schedule();
        divider.dissolve();
        if divider.segments.iter().all(|s| s.region == 0) {
            return None;
        }
        divider.delay();
        Some(divider.read())
    }
}

struct Divider<'a> {
    program: &'a Program,
    literals: &'a Literals,
    /// Whether an equation is worth a branch.
    long: &'a [bool],
    /// Whether each group that reads a variable computes it for itself. Then it is in no group.
    free: Vec<bool>,
    /// The region of each variable.
    region: Vec<Set>,
    /// The first result of the loop that computes a variable; else the variable itself.
    unit: Vec<usize>,
    /// The segment of each variable, and all segments.
    at: Vec<usize>,
    segments: Vec<Segment>,
}

impl<'a> Divider<'a> {
    fn of(
        program: &'a Program,
        literals: &'a Literals,
        needed: &Needed,
        long: &'a [bool],
    ) -> Divider<'a> {
        let params = program.params.len();
        let count = params + program.eqs.len();
        let mut free = vec![false; params];
        let mut region = vec![0; params];
        for (k, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(k).index();
            let is_condition = literals.is[v].is_some();
            let is_repeated = is_free(eq) || is_condition && eq.ty.rank() > 0;
            free.push(is_repeated && !needed.is_size[v]);
            let is_call = matches!(eq.op, Op::Call { .. });
            let is_outside = is_condition || is_call || needed.is_size[v] || free[v];
            region.push(if is_outside { 0 } else { needed.under[v] });
        }
        let mut unit: Vec<usize> = (0..count).collect();
        let mut common: BTreeMap<usize, Set> = BTreeMap::new();
        for results in loops(program) {
            let first = results[0].index();
            let all = results.iter().map(|v| region[v.index()]);
            common.insert(first, all.fold(Set::MAX, |a, b| a & b));
            results.iter().for_each(|v| unit[v.index()] = first);
        }
        // An array is changed in place only where it is made.
        let own = |v: &Var| {
            let is_fill = || matches!(program.eq(*v), Some(e) if matches!(e.op, Op::Fill(_)));
            program.ty(*v).rank() > 0 && !is_fill()
        };
        for (k, eq) in program.eqs.iter().enumerate() {
            let v = program.var_of(k).index();
            if let Op::Update { src, .. } = &eq.op
                && own(src)
            {
                region[v] &= region[src.index()];
            }
            if let Op::Loop { init, .. } = &eq.op {
                let init = init.iter().filter(|v| own(v));
                region[v] = init.fold(common[&unit[v]], |set, v| set & region[v.index()]);
            }
        }
        Divider {
            program,
            literals,
            long,
            free,
            region,
            unit,
            at: vec![0; count],
            segments: vec![],
        }
    }

    fn is_long(&self, v: usize) -> bool {
        v >= self.program.params.len() && self.long[v - self.program.params.len()]
    }

    fn is_array(&self, v: Var) -> bool {
        self.program.ty(v).rank() > 0
    }

    /// Keeps the regions of equations that loop and of those that they read. Results and scalars
    /// of such regions are kept as well.
    fn keep_wanted(&mut self, needed: &Needed) {
        let program = self.program;
        let params = program.params.len();
        let count = self.region.len();
        let is_long = |v: &usize| self.is_long(*v) && self.region[*v] != 0;
        let worthwhile: HashSet<Set> = (0..count).filter(is_long).map(|v| self.region[v]).collect();
        let mut wanted: Vec<bool> = (0..count).map(|v| is_long(&v)).collect();
        // Results are stored in any case, and scalars in a branch need not leave it one by one.
        for r in &program.results {
            wanted[r.index()] |= needed.there[r.index()] != 0;
        }
        for (v, wanted) in wanted.iter_mut().enumerate() {
            *wanted |= !self.is_array(Var(v as u32));
            *wanted &= worthwhile.contains(&self.region[v]);
        }
        for (k, eq) in program.eqs.iter().enumerate().rev() {
            let v = params + k;
            if wanted[v] && (self.region[v] != 0 || self.free[v]) {
                reads(self.program, self.literals, eq, &mut |u| {
                    wanted[u.index()] = true
                });
            }
        }
        for v in (params..count).filter(|&v| !wanted[v]) {
            self.region[v] = 0;
        }
    }

    /// Calls `f` on the variables that an equation reads, and on the conditions of its region. A
    /// cotangent is a parameter whose lengths may be computed.
    fn waits_for(&self, v: usize, f: &mut dyn FnMut(Var)) {
        let params = &self.program.params;
        let eq = &self.program.eqs[v - params.len()];
        reads(self.program, self.literals, eq, &mut |u| {
            f(u);
            let param = params.get(u.index());
            for n in param.iter().flat_map(|p| &p.ty.shape) {
                values(n, f);
            }
        });
        self.literals.visit_conditions(self.region[v], f);
    }

    fn schedule(&mut self) {
        let params = self.program.params.len();
        let count = self.region.len();
        let mut members: Vec<Vec<Var>> = vec![vec![]; count];
        let mut readers: Vec<Vec<usize>> = vec![vec![]; count];
        let mut missing = vec![0; count];
        for v in params..count {
            let unit = self.unit[v];
            members[unit].push(Var(v as u32));
            self.waits_for(v, &mut |u| {
                let other = self.unit[u.index()];
                if other >= params && other != unit {
                    readers[other].push(unit);
                    missing[unit] += 1;
                }
            });
        }
        let mut ready = Ready::default();
        for v in (params..count).rev().filter(|&v| self.unit[v] == v) {
            if missing[v] == 0 {
                ready.add(self, v);
            }
        }
        let mut late = vec![];
        loop {
            let mut run = |divider: &Divider<'_>, ready: &mut Ready, unit: usize| {
                for &reader in &readers[unit] {
                    missing[reader] -= 1;
                    if missing[reader] == 0 {
                        ready.add(divider, reader);
                    }
                }
            };
            let mut outside: Vec<usize> = std::mem::take(&mut late);
            while let Some(unit) = ready.free.pop().or_else(|| ready.outside.pop()) {
                run(self, &mut ready, unit);
                outside.push(unit);
            }
            self.add_segment(0, &outside, &members);
            let Some(region) = ready.next_region() else {
                break;
            };
            let mut group = vec![];
            while let Some(unit) = ready.regions.get_mut(&region).and_then(Vec::pop) {
                run(self, &mut ready, unit);
                group.push(unit);
                while let Some(free) = ready.free.pop() {
                    run(self, &mut ready, free);
                    late.push(free);
                }
            }
            self.add_segment(region, &group, &members);
        }
    }

    fn add_segment(&mut self, region: Set, units: &[usize], members: &[Vec<Var>]) {
        let members: Vec<Var> = (units.iter())
            .flat_map(|&unit| members[unit].iter().copied())
            .collect();
        for v in &members {
            self.at[v.index()] = self.segments.len();
        }
        self.segments.push(Segment::new(region, members));
    }

    /// Lets groups run outside that skip no loop, and compute no array that another group reads.
    fn dissolve(&mut self) {
        let params = self.program.params.len();
        let mut is_kept = vec![false; self.segments.len()];
        // The groups that read a variable, also by way of free ones.
        let mut reader: Vec<Readers> = vec![Readers::None; self.region.len()];
        for (k, eq) in self.program.eqs.iter().enumerate().rev() {
            let v = params + k;
            is_kept[self.at[v]] |= self.is_long(v);
            let here = match (self.region[v] != 0, self.free[v]) {
                (true, _) => Readers::One(self.at[v]),
                (false, true) => reader[v],
                (false, false) => Readers::None,
            };
            reads(self.program, self.literals, eq, &mut |u| {
                reader[u.index()] = reader[u.index()].with(here);
                if self.region[u.index()] != 0 && self.is_array(u) {
                    let at = self.at[u.index()];
                    is_kept[at] |= here != Readers::None && here != Readers::One(at);
                }
            });
        }
        for (segment, _) in (self.segments.iter_mut().zip(is_kept)).filter(|(_, kept)| !kept) {
            segment.region = 0;
            for v in &segment.members {
                self.region[v.index()] = 0;
            }
        }
    }

    /// Moves equations without loops to the last group of their region before their readers, so
    /// that their arrays need not be stored.
    fn delay(&mut self) {
        let params = self.program.params.len();
        let mut groups: BTreeMap<Set, Vec<usize>> = BTreeMap::new();
        for (k, segment) in self.segments.iter().enumerate() {
            groups.entry(segment.region).or_default().push(k);
        }
        let mut is_fixed = vec![false; self.region.len()];
        for c in &self.literals.conditions {
            c.visit(&mut |v| is_fixed[v.index()] = true);
        }
        let mut is_outside = is_fixed.clone();
        for r in &self.program.results {
            is_outside[r.index()] = true;
        }
        // Twice the last segment in which a variable may be computed, plus one.
        let mut end = vec![usize::MAX; self.region.len()];
        for (k, eq) in self.program.eqs.iter().enumerate().rev() {
            let v = params + k;
            let region = self.region[v];
            let is_loop = eq.loop_result().is_some();
            if region != 0 && !self.is_long(v) && !is_loop && !is_fixed[v] && end[v] != usize::MAX {
                let groups = &groups[&region];
                let later = groups.partition_point(|&g| 2 * g < end[v]);
                self.at[v] = self.at[v].max(groups[later.max(1) - 1]);
            }
            is_outside[v] |= region == 0 && !self.free[v];
            let here = match (region != 0, is_outside[v]) {
                (true, _) => 2 * self.at[v] + 1,
                (false, true) => end[v].min(2 * self.at[v]),
                (false, false) => end[v],
            };
            let is_outside_here = region == 0 && is_outside[v];
            reads(self.program, self.literals, eq, &mut |u| {
                end[u.index()] = end[u.index()].min(here);
                is_outside[u.index()] |= is_outside_here;
            });
        }
        let is_group = |s: &&mut Segment| s.region != 0;
        (self.segments.iter_mut().filter(is_group)).for_each(|s| s.members.clear());
        for v in params..self.region.len() {
            if self.region[v] != 0 {
                self.segments[self.at[v]].members.push(Var(v as u32));
            }
        }
    }

    /// Finds the variables that groups and the program around them read.
    fn read(mut self) -> Regions {
        let program = self.program;
        let mut is_read = vec![false; self.region.len()];
        // The groups that compute a free variable for themselves.
        let mut readers: Vec<Vec<usize>> = vec![vec![]; self.region.len()];
        program
            .results
            .iter()
            .for_each(|r| is_read[r.index()] = true);
        for p in &program.params {
            for n in &p.ty.shape {
                values(n, &mut |v| is_read[v.index()] = true);
            }
        }
        for s in &self.segments {
            self.literals
                .visit_conditions(s.region, &mut |v| is_read[v.index()] = true);
        }
        for (k, eq) in program.eqs.iter().enumerate().rev() {
            let v = program.var_of(k);
            let at = v.index();
            let is_outside = self.region[at] == 0 && is_read[at];
            let mut groups = match self.region[at] != 0 {
                true => vec![self.at[at]],
                false => std::mem::take(&mut readers[at]),
            };
            // Many paths may lead to the same group.
            groups.sort_unstable();
            groups.dedup();
            let mut open = vec![];
            reads(self.program, self.literals, eq, &mut |u| open.push(u));
            open.sort_unstable();
            open.dedup();
            for &u in &open {
                is_read[u.index()] |= is_outside;
                for &g in &groups {
                    let decided = self.literals.decided(u, self.segments[g].region);
                    if decided.is_some() {
                        for n in &program.ty(u).shape {
                            values(n, &mut |n| self.give(g, n, &mut is_read));
                        }
                    } else if self.region[u.index()] != 0 && self.at[u.index()] == g {
                        // The group computes it.
                    } else if self.free[u.index()] {
                        readers[u.index()].push(g);
                    } else {
                        self.give(g, u, &mut is_read);
                    }
                }
            }
            if self.region[at] == 0 {
                groups.iter().for_each(|&g| self.segments[g].copied.push(v));
            }
        }
        for s in &mut self.segments {
            s.given.sort_unstable();
            s.given.dedup();
            s.copied.sort_unstable();
        }
        Regions {
            segments: self.segments,
            is_read,
            is_in_branch: self.region.iter().map(|r| *r != 0).collect(),
        }
    }

    /// Lets a group read a variable, and what the sizes of its type mention.
    fn give(&mut self, group: usize, v: Var, is_read: &mut [bool]) {
        is_read[v.index()] = true;
        self.segments[group].given.push(v);
        for n in &self.program.ty(v).shape {
            values(n, &mut |n| self.give(group, n, is_read));
        }
    }
}

/// Which groups read a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    None,
    One(usize),
    Several,
}

impl Readers {
    fn with(self, other: Readers) -> Readers {
        match (self, other) {
            (Readers::None, r) | (r, Readers::None) => r,
            (a, b) if a == b => a,
            (Readers::One(_) | Readers::Several, Readers::One(_) | Readers::Several) => {
                Readers::Several
            }
        }
    }
}

/// Loops and other equations that can run, by where they run.
#[derive(Default)]
struct Ready {
    free: Vec<usize>,
    outside: Vec<usize>,
    regions: BTreeMap<Set, Vec<usize>>,
}

impl Ready {
    fn add(&mut self, divider: &Divider<'_>, unit: usize) {
        match (divider.region[unit], divider.free[unit]) {
            (_, true) => self.free.push(unit),
            (0, false) => self.outside.push(unit),
            (region, false) => self.regions.entry(region).or_default().push(unit),
        }
    }

    /// The region of the first equation that can run.
    fn next_region(&self) -> Option<Set> {
        let first = |units: &Vec<usize>| units.iter().min().copied();
        let regions = self.regions.iter();
        let regions = regions.filter_map(|(region, units)| Some((first(units)?, *region)));
        regions.min().map(|(_, region)| region)
    }
}
