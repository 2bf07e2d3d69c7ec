//! Matrices that are read twice are read once, some rows at a time.
//!
//! ```text
//! z[i] = Σ_k x[i,k] w[k]               for tiles of i {
//! r[i] = f(z[i], ..)            ─▶         z[i] = Σ_k x[i,k] w[k]
//! g[k] = Σ_i x[i,k] r[i]                   r[i] = f(z[i], ..)
//!                                          g[k] += Σ_i x[i,k] r[i]
//!                                      }
//! ```
//!
//! The product of a matrix and a vector takes as long as the matrix takes to come from memory.
//! Where a model is linear in what is known of each point, the gradient has both of these products,
//! and the second one finds in a cache what the first one has brought there. Between them are only
//! steps that need, for a row, nothing of other rows.

use super::body::{self, Inside};
use super::lane::{Form, Lane, Place, uses};
use super::types;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Operand, Program, Step, Work};
use crate::ir::ty::Size;
use crate::thresholds::LONGEST_ROW_OF_TOTALS;
use std::collections::{HashMap, HashSet};

/// The program with tiles for such matrices.
pub(super) fn read_once(program: Program) -> Program {
    let types = types(&program, program.steps.iter());
    let mut lanes: Vec<Size> = vec![];
    for product in program.steps.iter().filter_map(Product::of) {
        let n = product.rows(&types);
        if product.is_total() && n.as_lit().is_none() && n.is_total() && !lanes.contains(&n) {
            lanes.push(n);
        }
    }
    let tiled = (lanes.iter()).find_map(|n| in_lane(&program, n, &types));
    tiled.unwrap_or(program)
}

/// A product of a matrix and a vector.
struct Product<'a> {
    matrix: &'a Operand,
    /// The labels of the matrix.
    rows: u8,
    columns: u8,
    vector: &'a Operand,
    /// The label that the sums are over.
    over: u8,
}

impl<'a> Product<'a> {
    fn of(step: &'a Step) -> Option<Product<'a>> {
        let Work::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
            within,
            onto: None,
        } = &step.work
        else {
            return None;
        };
        let (matrix, vector, rows, columns, over) = match (&a_axes[..], &b_axes[..]) {
            (&[rows, columns], &[over]) => (a, b, rows, columns, over),
            (&[over], &[rows, columns]) => (b, a, rows, columns, over),
            _ => return None,
        };
        let rest = match over {
            _ if over == rows => columns,
            _ if over == columns => rows,
            _ => return None,
        };
        (within.is_empty() && out_axes[..] == [rest]).then_some(Product {
            matrix,
            rows,
            columns,
            vector,
            over,
        })
    }

    /// Whether it is a sum of rows.
    fn is_total(&self) -> bool {
        self.over == self.rows
    }

    /// How many rows there are.
    fn rows(&self, types: &HashMap<Var, Type>) -> Size {
        match &self.matrix.part {
            Some(part) => part[0].1.clone(),
            None => types[&self.matrix.array].shape[0].clone(),
        }
    }

    /// How many elements a row has.
    fn columns(&self, types: &HashMap<Var, Type>) -> Size {
        match &self.matrix.part {
            Some(part) => part[1].1.clone(),
            None => types[&self.matrix.array].shape[1].clone(),
        }
    }

    /// Whether it has all rows from the first one on.
    fn has_all(&self, n: &Size, types: &HashMap<Var, Type>) -> bool {
        let begins = |o: &Operand| o.part.as_ref().is_none_or(|part| part[0].0.is(0));
        let length = match &self.vector.part {
            Some(part) => &part[0].1,
            None => &types[&self.vector.array].shape[0],
        };
        begins(self.matrix) && begins(self.vector) && self.rows(types) == *n && length == n
    }

    /// Whether it is of the same matrix, and has an element for each row.
    fn is_of_rows_of(&self, other: &Product<'_>) -> bool {
        let (a, b) = (self.matrix, other.matrix);
        self.over == self.columns && a.array == b.array && a.part == b.part
    }
}

/// The program with a lane of this length.
fn in_lane(program: &Program, n: &Size, types: &HashMap<Var, Type>) -> Option<Program> {
    let lane = Lane::new(program, n);
    let mut phases: Vec<Phase> = (0..=lane.phases()).map(|_| Phase::default()).collect();
    for (p, phase) in phases.iter_mut().enumerate().skip(1) {
        phase.find(&lane, p, types);
    }
    if phases.iter().all(|phase| phase.totals.is_empty()) {
        return None;
    }
    let mut steps = vec![];
    for (p, phase) in phases.iter().enumerate() {
        if !phase.totals.is_empty() {
            steps.push(phase.tiles(&lane, types));
        }
        let is_rest = |k: &usize| !phase.steps.contains(k) && !phase.totals.contains(k);
        let rest = |is_here: &dyn Fn(&Place) -> bool| -> Vec<Step> {
            let here = (0..program.steps.len()).filter(|k| is_here(&lane.places[*k]));
            here.filter(is_rest)
                .map(|k| program.steps[k].clone())
                .collect()
        };
        steps.extend(rest(
            &|place| matches!(place, Place::Phase(q, _) if *q == p),
        ));
        steps.extend(rest(&|place| matches!(place, Place::Behind(q) if *q == p)));
    }
    Some(Program {
        name: program.name.clone(),
        params: program.params.clone(),
        steps,
        results: program.results.clone(),
        requires: program.requires.clone(),
        blocks: vec![],
    })
}

/// What of a phase is done in tiles.
#[derive(Default)]
struct Phase {
    /// Steps of the lane.
    steps: HashSet<usize>,
    /// Sums of rows.
    totals: Vec<usize>,
    /// How many elements of matrices are read twice, for a row.
    read: Size,
}

impl Phase {
    /// Finds the sums of rows that a phase may end with, and what they need of it.
    fn find(&mut self, lane: &Lane<'_>, p: usize, types: &HashMap<Var, Type>) {
        let steps = &lane.program.steps;
        for (k, step) in steps.iter().enumerate() {
            let Some(total) = Product::of(step).filter(Product::is_total) else {
                continue;
            };
            let is_here = matches!(lane.places[k], Place::Behind(q) if q == p);
            let is_there = lane.place(total.matrix.array).is_none_or(|m| m.over() < p);
            if !is_here || !is_there || !total.has_all(lane.n, types) {
                continue;
            }
            let Some(needed) = needed(lane, p, total.vector.array) else {
                continue;
            };
            let again =
                |k: &usize| Product::of(&steps[*k]).is_some_and(|f| f.is_of_rows_of(&total));
            if needed.iter().any(again) {
                let columns = total
                    .columns(types)
                    .smaller(&Size::lit(LONGEST_ROW_OF_TOTALS));
                self.read = self.read.add(&columns);
                self.steps.extend(needed);
                self.totals.push(k);
            }
        }
    }

    fn tiles(&self, lane: &Lane<'_>, types: &HashMap<Var, Type>) -> Step {
        let program = lane.program;
        let is_inside = |k: &usize| self.steps.contains(k) || self.totals.contains(k);
        let others = (0..program.steps.len()).filter(|k| !is_inside(k));
        let mut used: HashSet<Var> = others.flat_map(|k| uses(&program.steps[k])).collect();
        used.extend(&program.results);
        let inside = (0..program.steps.len()).filter(|k| self.steps.contains(k));
        let steps: Vec<(Step, Form)> = inside
            .filter_map(|k| match &lane.places[k] {
                Place::Phase(_, form) => Some((program.steps[k].clone(), form.clone())),
                Place::Behind(_) => None,
            })
            .collect();
        let made = steps.iter().map(|(s, _)| s.out);
        let totals = (self.totals.iter().map(|k| &program.steps[*k]))
            .filter_map(|s| Some((s.clone(), Product::of(s)?.rows)));
        let inside = Inside {
            lasting: made.filter(|v| used.contains(v)).collect(),
            totals: totals.collect(),
            read: self.read.clone(),
            steps,
        };
        body::tiles(lane.n, inside, types)
    }
}

/// The steps of a phase that a variable needs, if it is made there, and the lane is the first axis
/// of what all of them make.
fn needed(lane: &Lane<'_>, p: usize, v: Var) -> Option<HashSet<usize>> {
    let (mut found, mut open) = (HashSet::new(), vec![v]);
    while let Some(v) = open.pop() {
        let Some(&k) = lane.made_by.get(&v) else {
            continue;
        };
        let Place::Phase(q, form) = &lane.places[k] else {
            continue;
        };
        if *q != p || !found.insert(k) {
            continue;
        }
        if form.axis != 0 || form.loops.iter().any(|l| *l != 0) {
            return None;
        }
        open.extend(uses(&lane.program.steps[k]));
    }
    (!found.is_empty()).then_some(found)
}
