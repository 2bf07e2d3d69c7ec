//! Products with sums over rows are made some rows at a time, where that spares memory.
//!
//! # Matrices that are read twice
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
//!
//! # Matrices that are made for a product
//!
//! ```text
//! y[j,i] = r[i] x[i,j]                 for tiles of i {
//! h[j,k] = Σ_i y[j,i] x[i,k]    ─▶         y[i,j] = r[i] x[i,j]
//!                                          h[j,k] += Σ_i y[i,j] x[i,k]
//!                                      }
//! ```
//!
//! Hessians of sums over data and the matrices of Gauss and Newton end with such a product. Its
//! factor stays in a cache, and its rows are neighbours where those of the data are.

use super::body::{self, Inside};
use super::lane::{Form, Lane, Place, reads_rows, uses};
use super::layout::Arrangement;
use super::types;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Operand, Program, Step, Work};
use crate::ir::ty::Size;
use crate::thresholds::{ELEMENTS_BESIDE_A_ROW_OF_PRODUCT, LONGEST_ROW_OF_TOTALS};
use std::collections::{HashMap, HashSet};

/// The program with tiles for such matrices.
pub(super) fn by_rows(program: Program) -> Program {
    let types = types(&program, program.steps.iter());
    let mut lanes: Vec<Size> = vec![];
    for step in &program.steps {
        let total = Product::of(step).filter(Product::is_total);
        let rows = total.into_iter().map(|product| product.rows(&types));
        for n in rows.chain(summed(step).map(|sum| sum.length(sum.sides[0], &types))) {
            if n.as_lit().is_none() && n.is_total() && !lanes.contains(&n) {
                lanes.push(n);
            }
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

/// A sum in the product of two arrays.
struct Summed<'a> {
    label: u8,
    /// The factors, and the axis of each.
    sides: [(&'a Operand, usize); 2],
}

/// The sums of a product that adds to nothing else.
fn summed(step: &Step) -> impl Iterator<Item = Summed<'_>> {
    let product = match &step.work {
        Work::Contract {
            a,
            b,
            a_axes,
            b_axes,
            out_axes,
            within,
            onto: None,
        } if within.is_empty() => Some((a, b, a_axes, b_axes, out_axes)),
        Work::Contract { .. }
        | Work::Nest(_)
        | Work::Scatter(_)
        | Work::Recur { .. }
        | Work::Change { .. }
        | Work::Family(_)
        | Work::Loop(_)
        | Work::Branch(_)
        | Work::Call(_)
        | Work::Tiles(_) => None,
    };
    product.into_iter().flat_map(|(a, b, a_axes, b_axes, out)| {
        let axis = |axes: &[u8], label: u8| axes.iter().position(|l| *l == label);
        let labels = a_axes.iter().filter(|label| !out.contains(label));
        labels.filter_map(move |&label| {
            let sides = [(a, axis(a_axes, label)?), (b, axis(b_axes, label)?)];
            Some(Summed { label, sides })
        })
    })
}

impl Summed<'_> {
    fn length(&self, (o, axis): (&Operand, usize), types: &HashMap<Var, Type>) -> Size {
        match &o.part {
            Some(part) => part[axis].1.clone(),
            None => types[&o.array].shape[axis].clone(),
        }
    }

    /// A factor that is made in a phase for this product alone, and whose rows are in the lane. Of
    /// the other one, the rows are there, from the first one on.
    fn made_for(
        &self,
        k: usize,
        lane: &Lane<'_>,
        p: usize,
        types: &HashMap<Var, Type>,
    ) -> Option<Var> {
        let [a, b] = self.sides;
        [(a, b), (b, a)].into_iter().find_map(|(made, given)| {
            let v = made.0.array;
            let is_made = matches!(lane.place(v), Some(Place::Phase(q, form))
                if *q == p && form.axis == made.1);
            let is_given = lane.place(given.0.array).is_none_or(|m| m.over() < p)
                && given.1 == 0
                && given.0.part.as_ref().is_none_or(|part| part[0].0.is(0))
                && self.length(given, types) == *lane.n;
            let steps = lane.program.steps.iter().enumerate();
            let is_alone = steps
                .filter(|(_, s)| uses(s).contains(&v))
                .all(|(m, _)| m == k);
            let is_spared = lane.rank(v) > 1 && made.0.part.is_none() && !lane.pinned.contains(&v);
            (is_made && is_given && is_spared && is_alone).then_some(v)
        })
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
        let is_total = |k: &usize| phase.totals.iter().any(|(of, _)| of == k);
        let is_rest = |k: &usize| !phase.steps.contains(k) && !is_total(k);
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
    /// Sums of rows, with the label of these.
    totals: Vec<(usize, u8)>,
    /// Factors of these that are made for them alone.
    factors: Vec<Var>,
    /// How many elements of matrices are read twice, for a row.
    read: Size,
    /// How many elements there should be for a row at most.
    most: Option<i64>,
}

impl Phase {
    /// Finds the sums of rows that a phase may end with, and what they need of it.
    fn find(&mut self, lane: &Lane<'_>, p: usize, types: &HashMap<Var, Type>) {
        for k in 0..lane.program.steps.len() {
            if matches!(lane.places[k], Place::Behind(q) if q == p) {
                self.find_vector(k, lane, p, types);
                self.find_matrix(k, lane, p, types);
            }
        }
    }

    /// Takes a product with a vector, if its matrix has been read for another one.
    fn find_vector(&mut self, k: usize, lane: &Lane<'_>, p: usize, types: &HashMap<Var, Type>) {
        let steps = &lane.program.steps;
        let Some(total) = Product::of(&steps[k]).filter(Product::is_total) else {
            return;
        };
        let is_there = lane.place(total.matrix.array).is_none_or(|m| m.over() < p);
        if !is_there || !total.has_all(lane.n, types) {
            return;
        }
        let Some(needed) = needed(lane, p, total.vector.array, &[]) else {
            return;
        };
        let again = |k: &usize| Product::of(&steps[*k]).is_some_and(|f| f.is_of_rows_of(&total));
        if needed.iter().any(again) {
            let columns = total
                .columns(types)
                .smaller(&Size::lit(LONGEST_ROW_OF_TOTALS));
            self.read = self.read.add(&columns);
            self.steps.extend(needed);
            self.totals.push((k, total.rows));
        }
    }

    /// Takes a product of matrices, if one of them is made for it, and what that needs is no other
    /// product of matrices and reads rows.
    fn find_matrix(&mut self, k: usize, lane: &Lane<'_>, p: usize, types: &HashMap<Var, Type>) {
        let steps = &lane.program.steps;
        let found =
            summed(&steps[k]).find_map(|sum| Some((sum.label, sum.made_for(k, lane, p, types)?)));
        let Some((label, factor)) = found else {
            return;
        };
        let Some(needed) = needed(lane, p, factor, &[factor]) else {
            return;
        };
        let made: HashSet<Var> = needed.iter().map(|k| steps[*k].out).collect();
        let is_plain = |k: &usize| match (&steps[*k].work, &lane.places[*k]) {
            (Work::Contract { .. }, _) => Product::of(&steps[*k]).is_some(),
            (_, Place::Phase(_, form)) => reads_rows(&steps[*k], form, &|v| made.contains(&v)),
            (_, Place::Behind(_)) => false,
        };
        if steps[k].ty.rank() > 1 && needed.iter().all(is_plain) {
            self.steps.extend(needed);
            self.totals.push((k, label));
            self.factors.push(factor);
            self.most = Some(ELEMENTS_BESIDE_A_ROW_OF_PRODUCT);
        }
    }

    fn tiles(&self, lane: &Lane<'_>, types: &HashMap<Var, Type>) -> Step {
        let program = lane.program;
        let totals: Vec<usize> = self.totals.iter().map(|(k, _)| *k).collect();
        let is_inside = |k: &usize| self.steps.contains(k) || totals.contains(k);
        let others = (0..program.steps.len()).filter(|k| !is_inside(k));
        let mut used: HashSet<Var> = others.flat_map(|k| uses(&program.steps[k])).collect();
        used.extend(&program.results);
        let inside = (0..program.steps.len()).filter(|k| self.steps.contains(k));
        let mut steps: Vec<(Step, Form)> = inside
            .filter_map(|k| match &lane.places[k] {
                Place::Phase(_, form) => Some((program.steps[k].clone(), form.clone())),
                Place::Behind(_) => None,
            })
            .collect();
        let made: Vec<Var> = steps.iter().map(|(s, _)| s.out).collect();
        let mut types = types.clone();
        let mut moved = HashMap::new();
        for (step, form) in &mut steps {
            if self.factors.contains(&step.out) {
                let arrangement = Arrangement::new(step, form, None, &lane.pinned);
                body::arranged_in(step, form, &arrangement);
                types.insert(step.out, step.ty.clone());
                moved.insert(step.out, arrangement.axes);
            }
        }
        let total = |(k, label): &(usize, u8)| {
            let mut step = program.steps[*k].clone();
            body::read_moved(&mut step, &moved);
            (step, *label)
        };
        let inside = Inside {
            lasting: made.into_iter().filter(|v| used.contains(v)).collect(),
            totals: self.totals.iter().map(total).collect(),
            read: self.read.clone(),
            most: self.most,
            steps,
        };
        body::tiles(lane.n, inside, &types)
    }
}

/// The steps of a phase that a variable needs, if it is made there, and the lane is the first axis
/// of what all of them make, or of what is `turned`.
fn needed(lane: &Lane<'_>, p: usize, v: Var, turned: &[Var]) -> Option<HashSet<usize>> {
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
        let is_first = form.axis == 0 && form.loops.iter().all(|l| *l == 0);
        if !is_first && !turned.contains(&v) {
            return None;
        }
        open.extend(uses(&lane.program.steps[k]));
    }
    (!found.is_empty()).then_some(found)
}
