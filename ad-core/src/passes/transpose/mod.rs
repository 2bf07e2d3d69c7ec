//! Reverse mode: the linear equations of a linearised program are read backwards, each handing the
//! cotangent of what it defines to what it is made of.
//!
//! Writing `ȳ` for the cotangent of `y` (with the guard `[g]` of the equation applied first):
//!
//! ```text
//! y = a + b            ā += ȳ, b̄ += ȳ
//! y = x · a            ā += x · ȳ
//! y = a / x            ā += ȳ / x
//! y = select(c, a, b)  ā += [c] ȳ, b̄ += [not c] ȳ
//! y = a[index]         ā[index] += ȳ                       a part of a scatter
//! y[index] += a        ā += ȳ[index]                       a gather
//! y = sum of a         ā += ȳ, repeated along the axes
//! y = x ⊗ a            ā += x ⊗ ȳ, contracted over the axes that a does not have
//! y = a with b at i    ā += ȳ with 0 at i, b̄ += ȳ[i]
//! y_{k+1} = x_k y_k + a_{k+1}    ā_k = x_k ā_{k+1} + ȳ_k   the recurrence, backwards
//! ```
//!
//! Where only the last state of a recurrence has a cotangent, nothing enters the one backwards but
//! that: it is made of running products that start from the cotangent.
//!
//! Sequential loops are in `sequence.rs`.
//!
//! The contributions to one variable are collected and added once: whole arrays by addition, all
//! indexed ones together in one scatter.

mod sequence;
mod unit;

use crate::ir::build::Builder;
use crate::ir::bulk::{Affine, Eq, Feed, Ix, Op, Param, Part, Program, Type, Var};
use crate::ir::core::ReduceOp;
use crate::ir::linear::{Linearised, Recurrence};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit, Size};

/// The vector-Jacobian product: parameters are those of the primal and then one cotangent per real
/// result of the primal; results are those of the primal and then the cotangents of the
/// differentiated parameters.
pub fn transpose(l: &Linearised) -> Program {
    transpose_some(l, l.result_tangents.len())
}

/// The same with cotangents for the first results only; the cotangents of the others are zero.
pub fn transpose_some(l: &Linearised, seeded: usize) -> Program {
    transposed(l, seeded, false)
}

/// The transpose of a linearised program, with accumulators behind the cotangents: what comes back
/// to the differentiated parameters is added to them.
pub fn transpose_onto(l: &Linearised) -> Program {
    transposed(l, l.result_tangents.len(), true)
}

fn transposed(l: &Linearised, seeded: usize, onto: bool) -> Program {
    let tangents = l.tangents.len();
    let primal_params = l.program.params.len() - tangents;
    let primal_results = l.result_tangents.len();
    let mut params = l.program.params[..primal_params].to_vec();
    let is_real = |r: &Var| l.program.ty(*r).elem == Elem::Real;
    let real: Vec<usize> = (0..seeded)
        .filter(|&k| is_real(&l.program.results[k]))
        .collect();
    for &k in &real {
        let r = &l.program.results[k];
        let name = fresh_name("cotangent", &params);
        params.push(Param {
            name,
            ty: l.program.ty(*r).clone(),
        });
    }
    let first = params.len();
    for p in l.tangents.iter().filter(|_| onto) {
        let name = fresh_name("accumulator", &params);
        let ty = l.program.ty(*p).clone();
        params.push(Param { name, ty });
    }
    let new = (0..l.program.params.len()).map(|k| (k < primal_params).then_some(Var(k as u32)));
    let mut t = Transposer::new(&l.program, &l.linear, params, new.collect());
    for r in &l.program.requires {
        t.out.require(r.clone());
    }
    t.forwards();
    for (k, &j) in real.iter().enumerate() {
        let r = &l.program.results[j];
        if let Some(tangent) = l.result_tangents[j] {
            let seed = Var((primal_params + k) as u32);
            t.incoming[tangent.index()].push(Contribution::Whole(seed));
        }
        // The computed sizes in it are known by their new names only now.
        let shape = t.shape(*r);
        t.out.set_param_shape(primal_params + k, shape);
    }
    for (k, p) in l.tangents.iter().enumerate().filter(|_| onto) {
        let before = Contribution::Whole(Var((first + k) as u32));
        t.incoming[p.index()].push(before);
    }
    t.backwards();
    let mut results: Vec<Var> = (l.program.results[..primal_results].iter())
        .map(|r| t.new[r.index()].expect("results are not linear"))
        .collect();
    for &p in &l.tangents {
        let shape = l.program.ty(p).shape.clone();
        results.push(match t.collect(p) {
            Some(ct) => ct,
            None => t.out.fill(Lit::Real(0.0), &shape),
        });
    }
    t.out.finish(results)
}

/// A name that no parameter has yet.
fn fresh_name(wanted: &str, params: &[Param]) -> String {
    let taken = |name: &str| params.iter().any(|p| p.name == name);
    let mut name = wanted.to_owned();
    let mut k = 1;
    while taken(&name) {
        k += 1;
        name = format!("{wanted}_{k}");
    }
    name
}

/// What one use of a variable hands back to it.
#[derive(Clone)]
enum Contribution {
    /// An array of its shape.
    Whole(Var),
    /// Elements at some places.
    Indexed(Part),
}

struct Transposer<'a> {
    out: Builder,
    linear: &'a [bool],
    program: &'a Program,
    /// The variables that are not linear, in the result.
    new: Vec<Option<Var>>,
    incoming: Vec<Vec<Contribution>>,
}

impl<'a> Transposer<'a> {
    /// Begins, with these parameters; `new` says which parameter of the program is which of them.
    fn new(
        program: &'a Program,
        linear: &'a [bool],
        params: Vec<Param>,
        new: Vec<Option<Var>>,
    ) -> Self {
        Transposer {
            out: Builder::new(&program.name, params),
            linear,
            program,
            new,
            incoming: vec![vec![]; linear.len()],
        }
    }

    /// Copies what is not linear.
    fn forwards(&mut self) {
        for (k, eq) in self.program.eqs.iter().enumerate() {
            let v = self.program.var_of(k);
            let new = if self.is_linear(v) {
                None
            } else {
                let new = &self.new;
                let copied = self
                    .out
                    .copy(eq, &mut |v| new[v.index()].expect("not linear"));
                Some(copied)
            };
            self.new.push(new);
        }
    }

    /// Reads the linear equations from the last to the first.
    fn backwards(&mut self) {
        let program = self.program;
        let runs = sequence::runs(program, self.linear);
        let calls = unit::calls(program, self.linear);
        for (k, eq) in program.eqs.iter().enumerate().rev() {
            let v = program.var_of(k);
            if !self.is_linear(v) {
                continue;
            }
            if let Op::Recur { .. } = eq.op {
                self.recurrence(v, &eq.op);
            } else if let Op::Loop { .. } = eq.op {
                // All results of a loop have their cotangents when its first equation is reached.
                if let Some(members) = runs.get(&k) {
                    self.looped(eq, members);
                }
            } else if let Op::Call { .. } = eq.op {
                if let Some(members) = calls.get(&k) {
                    self.called(eq, members);
                }
            } else if let Some(ct) = self.collect(v) {
                self.backward(eq, ct);
            }
        }
    }

    fn primal(&self, v: Var) -> Var {
        self.new[v.index()].expect("not linear")
    }

    fn is_linear(&self, v: Var) -> bool {
        self.linear[v.index()]
    }

    /// A size of the linear program, in the result.
    fn size(&self, s: &Size) -> Size {
        crate::ir::build::translate_size(s, &mut |v| self.primal(v))
    }

    fn shape(&self, v: Var) -> Vec<Size> {
        (self.program.ty(v).shape.iter())
            .map(|s| self.size(s))
            .collect()
    }

    /// The cotangent of a variable: the sum of all that came in, `None` if nothing did.
    fn collect(&mut self, v: Var) -> Option<Var> {
        let all = std::mem::take(&mut self.incoming[v.index()]);
        let shape = self.shape(v);
        self.added(all, shape)
    }

    /// The sum of contributions to an array of a shape.
    fn added(&mut self, all: Vec<Contribution>, shape: Vec<Size>) -> Option<Var> {
        let mut whole = None;
        let mut parts = vec![];
        for c in all {
            match c {
                Contribution::Indexed(p) => parts.push(p),
                Contribution::Whole(ct) => {
                    whole = Some(match whole {
                        None => ct,
                        Some(sum) => {
                            let (g, h) = (self.out.guard(sum), self.out.guard(ct));
                            // Where neither comes in, nothing does.
                            let guard = match (g, h) {
                                (Some(g), Some(h)) if g == h => Some(g),
                                (Some(g), Some(h)) => Some(self.out.map(Prim::Or, &[g, h], None)),
                                (None, _) | (_, None) => None,
                            };
                            self.out.map(Prim::Add, &[sum, ct], guard)
                        }
                    });
                }
            }
        }
        if parts.is_empty() {
            return whole;
        }
        if let Some(src) = whole {
            let rank = shape.len();
            let index = (0..rank)
                .map(|k| Ix::Affine(Affine::axis(rank, k)))
                .collect();
            parts.insert(0, Part { src, index });
        }
        let ty = Type {
            elem: Elem::Real,
            shape,
        };
        let (op, guard) = (Op::Scatter(parts), None);
        Some(self.out.push(Eq { ty, guard, op }))
    }

    fn give(&mut self, v: Var, ct: Var) {
        self.incoming[v.index()].push(Contribution::Whole(ct));
    }

    fn ix(&self, index: &[Ix]) -> Vec<Ix> {
        let mut of = |v: Var| self.primal(v);
        (index.iter())
            .map(|i| crate::ir::build::translate_ix(i, &mut of))
            .collect()
    }

    /// Hands the cotangent of an equation to its linear operands.
    fn backward(&mut self, eq: &Eq, ct: Var) {
        let guard = eq.guard.map(|g| self.primal(g));
        // Outside of the guard the equation passes nothing on, and neither does a cotangent that
        // is a structural zero there.
        let support = self.out.guard(ct);
        let guard = self.out.both(guard, support);
        match &eq.op {
            Op::Map(p, args) => self.map(*p, args, ct, guard),
            Op::Copy(a) => {
                let ct = self.out.masked(ct, guard);
                self.give(*a, ct);
            }
            Op::Gather { src, index } => {
                let part = Part {
                    src: self.out.masked(ct, guard),
                    index: self.ix(index),
                };
                self.incoming[src.index()].push(Contribution::Indexed(part));
            }
            Op::Scatter(parts) => {
                let ct = self.out.masked(ct, guard);
                for p in parts {
                    let shape = self.shape(p.src);
                    let index = self.ix(&p.index);
                    // Where the part adds nothing, its index may be anything.
                    let within = self.program.eq(p.src).and_then(|e| e.guard);
                    let within = within.map(|g| self.primal(g));
                    let back = self.out.gather(ct, index, &shape, within);
                    self.give(p.src, back);
                }
            }
            Op::Reduce {
                op: ReduceOp::Sum,
                src,
                axes,
            } => {
                let shape = self.shape(*src);
                let ct = self.out.masked(ct, guard);
                let back = self.out.spread_over(ct, axes, &shape);
                // Where nothing comes back, nothing goes on.
                let guard = guard.map(|g| self.out.spread_over(g, axes, &shape));
                let back = self.out.masked(back, guard);
                self.give(*src, back);
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let ct = self.out.masked(ct, guard);
                let (x, x_axes, t, t_axes) = if self.is_linear(*a) {
                    (*b, b_axes, *a, a_axes)
                } else {
                    (*a, a_axes, *b, b_axes)
                };
                let ty = Type {
                    elem: Elem::Real,
                    shape: self.shape(t),
                };
                let op = Op::Contract {
                    a: self.primal(x),
                    b: ct,
                    a_axes: x_axes.clone(),
                    b_axes: out_axes.clone(),
                    out_axes: t_axes.clone(),
                };
                let back = self.out.push(Eq {
                    ty,
                    guard: None,
                    op,
                });
                self.give(t, back);
            }
            Op::Update {
                src, part, when, ..
            } => {
                let when = when.map(|w| self.primal(w));
                let index = self.ix(&part.index);
                let written = self.shape(part.src);
                if self.is_linear(part.src) {
                    let back = self.out.gather(ct, index.clone(), &written, when);
                    self.give(part.src, back);
                }
                if self.is_linear(*src) {
                    let zeros = self.out.fill(Lit::Real(0.0), &written);
                    let part = Part { src: zeros, index };
                    let op = Op::update(ct, part, when);
                    let (ty, guard) = (self.out.ty(ct).clone(), None);
                    let back = self.out.push(Eq { ty, guard, op });
                    self.give(*src, back);
                }
            }
            Op::Loop { .. } | Op::Call { .. } => unreachable!("reached with all their results"),
            Op::Recur { .. } => unreachable!("reached by `recurrence`"),
            Op::Fill(_) | Op::Index(_) | Op::Reduce { .. } | Op::ArgReduce { .. } | Op::Stop(_) => {
                unreachable!("not linear: {:?}", eq.op)
            }
        }
    }

    /// Hands the cotangents of the states of a recurrence to what enters it.
    fn recurrence(&mut self, v: Var, op: &Op) {
        let Op::Recur {
            a,
            mask,
            b,
            axis,
            reverse,
        } = op
        else {
            return;
        };
        let forwards = Recurrence {
            a: self.primal(*a),
            mask: mask.map(|m| self.primal(m)),
            axis: *axis,
            reverse: *reverse,
        };
        let mut shape = self.shape(v);
        let end = Ix::Affine(Affine::constant(shape.len() - 1, forwards.end(&shape)));
        let all = std::mem::take(&mut self.incoming[v.index()]);
        let at_end = |c: &Contribution| match c {
            Contribution::Whole(_) => false,
            Contribution::Indexed(p) => p.index[*axis] == end,
        };
        let first = all.iter().all(at_end);
        let feed = if first {
            shape.remove(*axis);
            let whole = |k: usize| Ix::Affine(Affine::axis(shape.len(), k));
            let identity: Vec<Ix> = (0..shape.len()).map(whole).collect();
            let kept = all.into_iter().map(|c| match c {
                Contribution::Whole(_) => c,
                Contribution::Indexed(mut p) => {
                    p.index.remove(*axis);
                    if p.index == identity && self.out.shape(p.src) == shape {
                        return Contribution::Whole(p.src);
                    }
                    Contribution::Indexed(p)
                }
            });
            let kept = kept.collect();
            self.added(kept, shape.clone()).map(Feed::First)
        } else {
            self.added(all, shape.clone()).map(Feed::All)
        };
        let Some(feed) = feed else { return };
        let backwards = Recurrence {
            reverse: !*reverse,
            ..forwards
        };
        let back = backwards.fed(&mut self.out, feed);
        match b {
            Feed::One => unreachable!("not linear: {op:?}"),
            Feed::First(start) => {
                let at_start = backwards.last(&mut self.out, back, None);
                self.give(*start, at_start);
            }
            Feed::Each(each) => {
                // Each enters with the state that the backwards recurrence comes from.
                let shape = self.out.shape(backwards.a);
                let index = backwards.index(&shape);
                let at_steps = self.out.gather(back, index, &shape, None);
                self.give(*each, at_steps);
            }
            Feed::All(all) => self.give(*all, back),
        }
    }

    fn map(&mut self, p: Prim, args: &[Var], ct: Var, guard: Option<Var>) {
        // Only these five are linear; linearisation makes no others.
        if p == Prim::Add {
            let ct = self.out.masked(ct, guard);
            self.give(args[0], ct);
            self.give(args[1], ct);
        } else if p == Prim::Neg {
            let back = self.out.map(Prim::Neg, &[ct], guard);
            self.give(args[0], back);
        } else if p == Prim::Mul {
            let (x, t) = if self.is_linear(args[0]) {
                (args[1], args[0])
            } else {
                (args[0], args[1])
            };
            let x = self.primal(x);
            let back = self.out.map(Prim::Mul, &[x, ct], guard);
            self.give(t, back);
        } else if p == Prim::Div {
            let x = self.primal(args[1]);
            let back = self.out.map(Prim::Div, &[ct, x], guard);
            self.give(args[0], back);
        } else if p == Prim::Select {
            let c = self.primal(args[0]);
            let not_c = self.out.map(Prim::Not, &[c], None);
            for (arm, holds) in [(args[1], c), (args[2], not_c)] {
                if self.is_linear(arm) {
                    let g = self.out.both(guard, Some(holds));
                    let back = self.out.masked(ct, g);
                    self.give(arm, back);
                }
            }
        } else {
            unreachable!("`{}` is not linear", p.name());
        }
    }
}
