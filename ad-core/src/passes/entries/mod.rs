//! The entries of a Jacobian: which results depend on which elements of the arguments, and by how
//! much, from the index maps of a program.
//!
//! A linear array `t` over the axes `s` is a sum of *terms*, each with a domain of its own:
//!
//! ```text
//! t[s] = Σ over terms  Σ over d with row(d) = s  values[d] · x[column(d)]
//! ```
//!
//! The tangent of an argument is one term: `values = 1`, `row = column = d`. Every linear equation
//! maps terms to terms:
//!
//! ```text
//! a + b            the terms of both; the values of terms with the same maps are added
//! x · a            values · x[row(d)]
//! [g] a            the term where g[row(d)] holds
//! a[index]         the places d that are read, found by solving index(p) = row(d)
//! y[index] += a    row becomes index(row(d))
//! sum of a         row without the axes
//! x ⊗ a            one more axis for each axis of x alone
//! ```
//!
//! A domain axis that neither map depends on is summed, and a condition that pins an axis removes
//! it. So the axis of a sum becomes an axis of a block, and elementwise programs have one value for
//! each element.

mod term;

use crate::ir::build::{Builder, translate_ix, translate_size};
use crate::ir::bulk::{Eq, Feed, Ix, Op, Program, Type, Var};
use crate::ir::core::ReduceOp;
use crate::ir::entries::Block;
use crate::ir::linear::Linearised;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::HashMap;
use term::Term;

/// A program with the entries of its Jacobian.
#[derive(Clone, Debug)]
pub struct Entries {
    /// Results are those of the primal, then for each block its values, the arrays of its row,
    /// those of its column, and where it has entries.
    pub program: Program,
    /// The blocks, in the order of their results.
    pub blocks: Vec<Block>,
}

impl Entries {
    /// The same entries by the simplified program: a condition that holds everywhere is none.
    pub fn simplified(self, mut program: Program) -> Entries {
        let mut blocks = self.blocks;
        let own: usize = blocks.iter().map(Block::results).sum();
        let mut at = program.results.len() - own;
        for b in &mut blocks {
            at += b.results();
            let condition = program.results[at - 1];
            let holds = program
                .eq(condition)
                .is_some_and(|eq| eq.op == Op::Fill(Lit::Bool(true)));
            if b.present.is_some() && holds {
                at -= 1;
                program.results.remove(at);
                b.present = None;
            }
        }
        Entries { program, blocks }
    }

    /// How many operations on real numbers the program takes, about, where all lengths are the
    /// same.
    pub fn work(&self) -> f64 {
        let volume = |shape: &[Size]| -> f64 {
            let lengths = shape
                .iter()
                .map(|n| n.eval(&mut |_| Some(LENGTH)).unwrap_or(LENGTH));
            lengths.map(|n| n.max(0) as f64).product()
        };
        let ty = |v: Var| self.program.ty(v);
        let of = |eq: &Eq| match &eq.op {
            op if op.is_free() || eq.ty.elem != Elem::Real => 0.0,
            Op::Reduce { src, .. } => volume(&ty(*src).shape),
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                ..
            } => {
                let only = b_axes.iter().zip(&ty(*b).shape);
                let only = only.filter(|(l, _)| !a_axes.contains(l));
                let only: Vec<Size> = only.map(|(_, n)| n.clone()).collect();
                2.0 * volume(&ty(*a).shape) * volume(&only)
            }
            Op::Scatter(parts) => parts.iter().map(|p| volume(&ty(p.src).shape)).sum(),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Call { .. }
            | Op::Copy(_)
            | Op::Stop(_) => volume(&eq.ty.shape),
        };
        self.program.eqs.iter().map(of).sum()
    }
}

/// The length by which programs are compared.
const LENGTH: i64 = 64;

/// An array has no more terms than these.
const MOST_TERMS: usize = 1024;

/// The whole has no more equations than these.
const MOST_EQUATIONS: usize = 100_000;

/// The entries of the Jacobian of a linearised program, whose loops are taken apart.
///
/// # Errors
/// What of the program has no index map.
pub fn of_tangents(l: &Linearised) -> Result<Entries, String> {
    forwards(l).map(Found::entries)
}

/// The same from the transpose of the linearised program.
///
/// # Errors
/// What of the transpose has no index map.
pub fn of_cotangents(l: &Linearised, transposed: &Program) -> Result<Entries, String> {
    backwards(l, transposed).map(Found::entries)
}

/// The results of a program, and the diagonal of its Jacobian: an array for each differentiated
/// parameter. Real result k and differentiated parameter k are vectors of one kind.
///
/// # Errors
/// What is not on the diagonal, or has no index map.
pub fn diagonal(l: &Linearised) -> Result<Program, String> {
    let mut found = forwards(l).map_err(|reason| format!("there is {reason}"))?;
    if found.outputs.len() != l.tangents.len() {
        return Err("the result has not the parts of the argument".into());
    }
    let mut results = found.results;
    for (k, terms) in found.terms.into_iter().enumerate() {
        let (like, shape) = (found.outputs[k], &l.program.ty(l.tangents[k]).shape);
        let of_parameter: Vec<Size> = shape.iter().map(|s| found.reader.size(s)).collect();
        let diagonal = found.reader.diagonal(k, terms, like, &of_parameter)?;
        results.push(diagonal);
    }
    Ok(found.reader.out.finish(results))
}

/// What a walk over a program found.
struct Found {
    reader: Reader,
    /// The results of the primal.
    results: Vec<Var>,
    /// Those that are real.
    outputs: Vec<Var>,
    /// The terms of each of these.
    terms: Vec<Vec<Term>>,
}

impl Found {
    fn entries(mut self) -> Entries {
        let (mut results, mut blocks) = (self.results, vec![]);
        for (output, terms) in self.terms.into_iter().enumerate() {
            for t in terms {
                blocks.push(self.reader.block(output, t, &mut results));
            }
        }
        let program = self.reader.out.finish(results);
        Entries { program, blocks }
    }
}

fn forwards(l: &Linearised) -> Result<Found, String> {
    let params = l.program.params.len() - l.tangents.len();
    let reader = Reader::read(&l.program, &l.linear, params, &l.tangents)?;
    let primal = &l.program.results[..l.result_tangents.len()];
    let is_real = |r: &Var| l.program.ty(*r).elem == Elem::Real;
    let terms = primal.iter().zip(&l.result_tangents);
    let terms = terms.filter(|(r, _)| is_real(r));
    let terms = terms.map(|(_, t)| t.map_or(Ok(vec![]), |t| reader.of(t)));
    let terms = terms.collect::<Result<_, _>>()?;
    Ok(reader.found(primal, terms))
}

/// The rows of a Jacobian are the columns of its transpose.
fn backwards(l: &Linearised, transposed: &Program) -> Result<Found, String> {
    let params = l.program.params.len() - l.tangents.len();
    let cotangents: Vec<Var> = (params..transposed.params.len())
        .map(|k| Var(k as u32))
        .collect();
    let seeds = (0..transposed.params.len()).map(|k| k >= params);
    let linear = transposed.dependent(seeds.collect());
    let reader = Reader::read(transposed, &linear, params, &cotangents)?;
    let (primal, gradients) = transposed.results.split_at(l.result_tangents.len());
    let mut terms = vec![vec![]; cotangents.len()];
    for (k, g) in gradients.iter().enumerate() {
        for t in reader.of(*g)? {
            let swapped = Term {
                input: k,
                row: t.column,
                column: t.row,
                ..t
            };
            terms[t.input].push(swapped);
        }
    }
    Ok(reader.found(primal, terms))
}

/// The value that an atom is.
fn computed(a: &Atom) -> Option<Var> {
    match a {
        Atom::Value(v) => Some(Var(*v)),
        Atom::Dim { .. }
        | Atom::Int { .. }
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => None,
    }
}

/// A walk over a program that collects the terms of what is linear, and copies the rest.
struct Reader {
    out: Builder,
    /// What is not linear, in the result.
    new: Vec<Option<Var>>,
    /// The terms of what is linear, or why there are none.
    terms: Vec<Result<Vec<Term>, String>>,
    /// The axes that arrays of the result depend on, as bits.
    used: HashMap<Var, u64>,
    /// The shapes of the linear parameters.
    inputs: Vec<Vec<Size>>,
}

impl Reader {
    /// Reads a program that is linear in its last parameters.
    fn read(
        program: &Program,
        linear: &[bool],
        params: usize,
        inputs: &[Var],
    ) -> Result<Reader, String> {
        let mut reader = Reader {
            out: Builder::new(&program.name, program.params[..params].to_vec()),
            new: (0..params).map(|k| Some(Var(k as u32))).collect(),
            terms: vec![Ok(vec![]); params],
            used: HashMap::new(),
            inputs: vec![vec![]; inputs.len()],
        };
        for r in &program.requires {
            reader.out.require(r.clone());
        }
        reader.new.resize(program.params.len(), None);
        reader.terms.resize(program.params.len(), Ok(vec![]));
        for (k, eq) in program.eqs.iter().enumerate() {
            // A call may give what is not linear beside its derivatives.
            let is_linear = linear[program.var_of(k).index()];
            let mut is_known = true;
            eq.visit(&mut |v| {
                is_known &= reader.new[v.index()].is_some() || is_linear && linear[v.index()];
            });
            eq.visit_sizes(&mut |s| {
                s.visit(&mut |a| {
                    if let Some(v) = computed(a) {
                        is_known &= reader.new[v.index()].is_some();
                    }
                });
            });
            if !is_linear {
                let new = &reader.new;
                let of = &mut |v: Var| new[v.index()].expect("not linear");
                let copied = is_known.then(|| reader.out.copy(eq, of));
                reader.new.push(copied);
                reader.terms.push(Ok(vec![]));
                continue;
            }
            eq.visit(&mut |v| reader.begin(program, inputs, v));
            let terms = match is_known {
                true => reader.equation(program, eq, linear),
                false => Err("the shape of what a unit gives".into()),
            };
            let is_much = |terms: &Vec<Term>| terms.len() > MOST_TERMS;
            if terms.as_ref().is_ok_and(is_much) || reader.out.equations() > MOST_EQUATIONS {
                return Err("an array that depends on too many places, each in its own way".into());
            }
            reader.new.push(None);
            reader.terms.push(terms);
        }
        inputs
            .iter()
            .for_each(|&v| reader.begin(program, inputs, v));
        Ok(reader)
    }

    /// Gives a linear parameter its term when it is first met: what its shape is made of is known
    /// then.
    fn begin(&mut self, program: &Program, inputs: &[Var], v: Var) {
        let Some(input) = inputs.iter().position(|i| *i == v) else {
            return;
        };
        if self.terms[v.index()].as_ref().is_ok_and(Vec::is_empty) {
            self.inputs[input] = self.shape(program.ty(v));
            let one = self.seed(input);
            self.terms[v.index()] = Ok(vec![one]);
        }
    }

    /// The terms of a linear variable.
    fn of(&self, v: Var) -> Result<Vec<Term>, String> {
        self.terms[v.index()].clone()
    }

    fn found(self, primal: &[Var], terms: Vec<Vec<Term>>) -> Found {
        let results: Vec<Var> = primal.iter().map(|&r| self.primal(r)).collect();
        let is_real = |v: &Var| self.out.ty(*v).elem == Elem::Real;
        let outputs = results.iter().copied().filter(is_real).collect();
        Found {
            reader: self,
            results,
            outputs,
            terms,
        }
    }

    fn primal(&self, v: Var) -> Var {
        self.new[v.index()].expect("not linear")
    }

    fn size(&self, s: &Size) -> Size {
        translate_size(s, &mut |v| self.primal(v))
    }

    fn shape(&self, ty: &Type) -> Vec<Size> {
        ty.shape.iter().map(|s| self.size(s)).collect()
    }

    fn index(&self, index: &[Ix]) -> Vec<Ix> {
        let mut of = |v: Var| self.primal(v);
        index.iter().map(|i| translate_ix(i, &mut of)).collect()
    }

    /// The terms of what an equation defines.
    fn equation(
        &mut self,
        program: &Program,
        eq: &Eq,
        linear: &[bool],
    ) -> Result<Vec<Term>, String> {
        let guard = eq.guard.map(|g| self.primal(g));
        let shape = self.shape(&eq.ty);
        let terms = match &eq.op {
            Op::Copy(a) => self.of(*a)?,
            Op::Map(p, args) => {
                let terms = self.map(*p, args, guard, linear)?;
                return Ok(self.together(terms, &shape));
            }
            Op::Gather { src, index } => {
                let (index, read) = (self.index(index), self.shape(program.ty(*src)));
                let mut out = vec![];
                for t in self.of(*src)? {
                    out.extend(self.gathered(&t, &read, &index, &shape, guard)?);
                }
                return Ok(self.together(out, &shape));
            }
            Op::Scatter(parts) => {
                let mut out = vec![];
                for p in parts {
                    let index = self.index(&p.index);
                    for t in self.of(p.src)? {
                        let domain = self.domain(&t);
                        let row = (index.iter())
                            .map(|i| self.composed(i, &t.row, &domain, t.present))
                            .collect();
                        out.push(Term { row, ..t });
                    }
                }
                out
            }
            Op::Reduce {
                op: ReduceOp::Sum,
                src,
                axes,
            } => {
                let mut out = self.of(*src)?;
                for t in &mut out {
                    let row = t.row.iter().enumerate();
                    let kept = row.filter(|(k, _)| !axes.contains(k));
                    t.row = kept.map(|(_, i)| i.clone()).collect();
                }
                out
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let (x, x_axes, t, t_axes) = if linear[a.index()] {
                    (*b, b_axes, *a, a_axes)
                } else {
                    (*a, a_axes, *b, b_axes)
                };
                let x = self.primal(x);
                let all = self.of(t)?;
                let all = all.iter();
                all.map(|t| self.contracted(t, t_axes, x, x_axes, out_axes))
                    .collect()
            }
            Op::Recur {
                a,
                mask,
                b: Feed::First(b),
                axis,
                reverse,
            } if !linear[a.index()] => {
                let (a, mask) = (self.primal(*a), mask.map(|m| self.primal(m)));
                let all = self.of(*b)?;
                let all = all.iter();
                all.map(|t| self.recurring(t, a, mask, *axis, *reverse))
                    .collect()
            }
            Op::Update {
                src, part, when, ..
            } => {
                let index = self.index(&part.index);
                let when = when.map(|w| self.primal(w));
                let mut out = vec![];
                if linear[part.src.index()] {
                    for t in self.of(part.src)? {
                        let Some(t) = self.masked(t, when) else {
                            continue;
                        };
                        let domain = self.domain(&t);
                        let row = (index.iter())
                            .map(|i| self.composed(i, &t.row, &domain, t.present))
                            .collect();
                        out.push(Term { row, ..t });
                    }
                }
                if linear[src.index()] {
                    let written = self.shape(program.ty(part.src));
                    let kept = self.not_written(&shape, &written, &index, when);
                    for t in self.of(*src)? {
                        out.extend(self.masked(t, Some(kept)));
                    }
                }
                out
            }
            Op::Recur { .. } => return Err("a recurrence".into()),
            Op::Loop { .. } => return Err("what a sequential loop computes".into()),
            Op::Call { unit, .. } => {
                return Err(format!("a call of `{}`, which is a unit", unit.name()));
            }
            Op::Fill(_) | Op::Index(_) | Op::Reduce { .. } | Op::ArgReduce { .. } | Op::Stop(_) => {
                unreachable!("not linear: {:?}", eq.op)
            }
        };
        let masked = terms.into_iter().filter_map(|t| self.masked(t, guard));
        let masked: Vec<Term> = masked.collect();
        Ok(self.together(masked, &shape))
    }

    /// The five linear primitives.
    fn map(
        &mut self,
        p: Prim,
        args: &[Var],
        guard: Option<Var>,
        linear: &[bool],
    ) -> Result<Vec<Term>, String> {
        let of = |r: &mut Reader, v: Var| -> Result<Vec<Term>, String> {
            let all = r.of(v)?.into_iter();
            Ok(all.filter_map(|t| r.masked(t, guard)).collect())
        };
        let mut out = vec![];
        if p == Prim::Add {
            for &v in args {
                out.extend(of(self, v)?);
            }
        } else if p == Prim::Select {
            let c = self.primal(args[0]);
            let not_c = self.out.map(Prim::Not, &[c], None);
            for (arm, holds) in [(args[1], c), (args[2], not_c)] {
                for t in of(self, arm)? {
                    out.extend(self.masked(t, Some(holds)));
                }
            }
        } else if p == Prim::Neg {
            for t in of(self, args[0])? {
                let values = self.out.map(Prim::Neg, &[t.values], t.present);
                out.push(Term { values, ..t });
            }
        } else if p == Prim::Mul || p == Prim::Div {
            let first = linear[args[0].index()];
            let (t, x) = if first {
                (args[0], args[1])
            } else {
                (args[1], args[0])
            };
            let x = self.primal(x);
            for t in of(self, t)? {
                out.push(self.scaled(t, p, x));
            }
        } else {
            unreachable!("`{}` is not linear", p.name());
        }
        Ok(out)
    }
}
