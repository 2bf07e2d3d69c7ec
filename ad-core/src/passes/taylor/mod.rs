//! Taylor series: every equation that depends on a differentiated parameter gets one more for each
//! order, for a coefficient of its series along a curve.
//!
//! Each parameter x moves along a line `x + t·d`, and every value y becomes the polynomial
//! `y₀ + y₁ t + y₂ t² + ..`, cut off behind the order that is asked for:
//!
//! ```text
//! y = [g] L(a)          y_k = [g] L(a_k)               for gather, scatter, sum, copy, select
//! y = [g] a ⊗ b         y_k = [g] Σ_j a_j ⊗ b_{k-j}    for products and contractions
//! y = [g] a / b         y_k = [g] (a_k - Σ_{j<k} y_j b_{k-j}) / b
//! y = [g] p(a, b, ..)   k y_k = Σ [g] Σ_j j a_j · (∂p/∂a)_{k-j}
//! ```
//!
//! The last line says `ẏ = Σ ∂p/∂a · ȧ`. A partial derivative is made of values of the function, or
//! of new equations of order 0, whose coefficients follow by the same rules: `sin` asks for those of
//! `cos` one order lower, and `cos` for those of `sin`. So N coefficients take a number of
//! operations quadratic in N, where derivatives of derivatives take 3^N.
//!
//! A loop carries the coefficients of its states beside these (`looped.rs`). Conditions and indices
//! are those of order 0.

mod looped;

use crate::ir::build::{Builder, Elementwise};
use crate::ir::bulk::{Eq, Feed, Looped, Op, Param, Part, Program, Var};
use crate::ir::core::{Extremum, ReduceOp};
use crate::ir::linear::{Recurrence, at_extremum, before, selected, weights};
use crate::ir::prims::{Partial, Prim};
use crate::ir::ty::{Elem, Lit};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A program with the coefficients of its results up to an order, along one direction for each of
/// some parameters: values first, then those of the real results, order by order.
///
/// # Errors
/// With the name of a unit whose derivative is differentiated.
pub fn taylor(primal: &Program, wrt: &[usize], order: usize) -> Result<Program, String> {
    let mut params = primal.params.clone();
    for &k in wrt {
        params.push(Param {
            name: format!("{}_direction", primal.params[k].name),
            ty: primal.params[k].ty.clone(),
        });
    }
    let count = primal.params.len();
    let new: Vec<Var> = (0..count).map(|k| Var(k as u32)).collect();
    let mut s = Series::new(Builder::new(&primal.name, params), order, new);
    for (j, &k) in wrt.iter().enumerate() {
        s.begin(Var(k as u32), &[1], &[Var((count + j) as u32)]);
    }
    primal
        .requires
        .iter()
        .for_each(|r| s.out.require(r.clone()));
    s.equations(primal)?;
    let mut all = s.results(&primal.results, 0);
    for k in 1..=order {
        let real = primal.results.iter().copied();
        let real: Vec<Var> = real.filter(|r| primal.ty(*r).elem == Elem::Real).collect();
        all.extend(s.results(&real, k));
    }
    Ok(s.out.finish(all))
}

/// The orders of which something has a coefficient, from 1.
type Orders = Vec<usize>;

/// Loops with coefficients, by the loop and what has coefficients of what it is given and gives.
type Loops = HashMap<(Looped, Vec<Orders>), Looped>;

/// A program under construction, with the coefficients of its variables.
struct Series {
    out: Builder,
    order: usize,
    /// The variables of the original, in the result.
    new: Vec<Var>,
    /// The coefficients that are known, by the variable of order 0 and the order; `None` is zero.
    known: HashMap<(Var, usize), Option<Var>>,
    /// Whether what has no coefficients depends on no real parameter either.
    constant: HashMap<Var, bool>,
    loops: Rc<RefCell<Loops>>,
}

impl Series {
    fn new(out: Builder, order: usize, new: Vec<Var>) -> Series {
        Series {
            out,
            order,
            new,
            known: HashMap::new(),
            constant: HashMap::new(),
            loops: Rc::default(),
        }
    }

    /// Says the coefficients of a variable; those of other orders are zero.
    fn begin(&mut self, v: Var, orders: &[usize], coefficients: &[Var]) {
        for k in 1..=self.order {
            let at = orders.iter().position(|o| *o == k);
            self.known.insert((v, k), at.map(|at| coefficients[at]));
        }
    }

    /// Adds the equations of a program, with all their coefficients.
    fn equations(&mut self, primal: &Program) -> Result<(), String> {
        for eq in &primal.eqs {
            let new = &self.new;
            let y = match eq.loop_result() {
                Some((run, out)) => {
                    let all = self.looped(run)?;
                    all[out]
                }
                None => self.out.copy(eq, &mut |v| new[v.index()]),
            };
            self.new.push(y);
            self.is_constant(y);
            for k in 1..=self.order {
                self.coefficient(y, k)?;
            }
        }
        Ok(())
    }

    /// Coefficients of so many variables of the original.
    fn results(&mut self, of: &[Var], k: usize) -> Vec<Var> {
        let new: Vec<Var> = of.iter().map(|v| self.new[v.index()]).collect();
        new.into_iter().map(|v| self.or_zeros(v, k)).collect()
    }

    /// A coefficient that is known, as an array.
    fn or_zeros(&mut self, v: Var, k: usize) -> Var {
        if k == 0 {
            return v;
        }
        let known = self.known.get(&(v, k)).copied().flatten();
        known.unwrap_or_else(|| {
            let shape = self.out.shape(v);
            self.out.fill(Lit::Real(0.0), &shape)
        })
    }

    fn is_constant(&mut self, v: Var) -> bool {
        if let Some(is) = self.constant.get(&v) {
            return *is;
        }
        let mut operands = vec![];
        let is = match self.out.eq(v) {
            None => self.out.ty(v).elem != Elem::Real,
            Some(eq) => {
                eq.visit(&mut |v| operands.push(v));
                operands.into_iter().all(|v| self.is_constant(v))
            }
        };
        self.constant.insert(v, is);
        is
    }

    /// A coefficient of a variable of order 0.
    fn coefficient(&mut self, v: Var, k: usize) -> Result<Option<Var>, String> {
        if k == 0 {
            return Ok(Some(v));
        }
        if let Some(known) = self.known.get(&(v, k)) {
            return Ok(*known);
        }
        let found = match self.out.eq(v).cloned() {
            Some(eq) if eq.ty.elem == Elem::Real => self.computed(&eq, v, k)?,
            Some(_) | None => None,
        };
        self.known.insert((v, k), found);
        Ok(found)
    }

    fn add(&mut self, terms: Vec<Var>, guard: Option<Var>) -> Option<Var> {
        let mut terms = terms.into_iter();
        let first = terms.next()?;
        Some(terms.fold(first, |a, b| self.out.map(Prim::Add, &[a, b], guard)))
    }

    fn times(&mut self, factor: f64, v: Var, guard: Option<Var>) -> Var {
        if factor == 1.0 {
            return v;
        }
        let shape = self.out.shape(v);
        let factor = self.out.fill(Lit::Real(factor), &shape);
        self.out.map(Prim::Mul, &[factor, v], guard)
    }

    /// A coefficient of what an equation defines. All is in terms of the result.
    fn computed(&mut self, eq: &Eq, y: Var, k: usize) -> Result<Option<Var>, String> {
        let guard = eq.guard;
        let ty = eq.ty.clone();
        Ok(match &eq.op {
            Op::Fill(_) | Op::Index(_) | Op::ArgReduce { .. } | Op::Stop(_) => None,
            // Said with the loop, if there is one.
            Op::Loop { .. } => None,
            Op::Call { unit, args, .. } => match self.moves_before(args, k)? {
                true => return Err(refused(unit.name())),
                false => None,
            },
            Op::Copy(a) => {
                let c = self.coefficient(*a, k)?;
                c.map(|c| self.out.masked(c, guard))
            }
            Op::Map(Prim::Select, args) => {
                let arms = (self.coefficient(args[1], k)?, self.coefficient(args[2], k)?);
                selected(&mut self.out, args[0], arms, guard)
            }
            Op::Map(Prim::Mul, args) => self.product(args[0], args[1], guard, k)?,
            Op::Map(Prim::Div, args) => self.quotient(args[0], args[1], y, guard, k)?,
            Op::Map(p, args) => self.map(*p, args, y, guard, k)?,
            Op::Gather { src, index } => {
                let c = self.coefficient(*src, k)?;
                c.map(|c| self.out.gather(c, index.clone(), &ty.shape, guard))
            }
            Op::Scatter(parts) => {
                let mut moved = vec![];
                for p in parts {
                    if let Some(src) = self.coefficient(p.src, k)? {
                        let index = p.index.clone();
                        moved.push(Part { src, index });
                    }
                }
                let op = Op::Scatter(moved.clone());
                (!moved.is_empty()).then(|| self.out.push(Eq { ty, guard, op }))
            }
            Op::Update {
                src, part, when, ..
            } => {
                let either = (self.coefficient(*src, k)?, self.coefficient(part.src, k)?);
                if either == (None, None) {
                    return Ok(None);
                }
                let src = self.or_zeros(*src, k);
                let value = self.or_zeros(part.src, k);
                let index = part.index.clone();
                let op = Op::update(src, Part { src: value, index }, *when);
                Some(self.out.push(Eq { ty, guard, op }))
            }
            Op::Reduce { op, src, axes } => {
                return self.reduced(*op, (*src, y), axes, guard, k);
            }
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => {
                let r = Recurrence {
                    a: *a,
                    mask: *mask,
                    axis: *axis,
                    reverse: *reverse,
                };
                self.recurred(&r, *b, y, k)?
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let mut terms = vec![];
                for j in 0..=k {
                    let pair = (self.coefficient(*a, j)?, self.coefficient(*b, k - j)?);
                    if let (Some(a), Some(b)) = pair {
                        let op = Op::Contract {
                            a,
                            b,
                            a_axes: a_axes.clone(),
                            b_axes: b_axes.clone(),
                            out_axes: out_axes.clone(),
                        };
                        let ty = ty.clone();
                        terms.push(self.out.push(Eq { ty, guard, op }));
                    }
                }
                self.add(terms, guard)
            }
        })
    }

    /// `Σ_j a_j b_{k-j}`; of a square each product once.
    fn product(
        &mut self,
        a: Var,
        b: Var,
        guard: Option<Var>,
        k: usize,
    ) -> Result<Option<Var>, String> {
        let mut terms = vec![];
        let mut twice = vec![];
        for j in 0..=k {
            if a == b && 2 * j > k {
                break;
            }
            if let (Some(p), Some(q)) = (self.coefficient(a, j)?, self.coefficient(b, k - j)?) {
                let term = self.out.map(Prim::Mul, &[p, q], guard);
                match a == b && 2 * j < k {
                    true => twice.push(term),
                    false => terms.push(term),
                }
            }
        }
        if let Some(sum) = self.add(twice, guard) {
            terms.push(self.times(2.0, sum, guard));
        }
        Ok(self.add(terms, guard))
    }

    /// `(a_k - Σ_{j<k} y_j b_{k-j}) / b`
    fn quotient(
        &mut self,
        a: Var,
        b: Var,
        y: Var,
        guard: Option<Var>,
        k: usize,
    ) -> Result<Option<Var>, String> {
        let mut taken = vec![];
        for j in 0..k {
            if let (Some(p), Some(q)) = (self.coefficient(y, j)?, self.coefficient(b, k - j)?) {
                taken.push(self.out.map(Prim::Mul, &[p, q], guard));
            }
        }
        let own = self.coefficient(a, k)?;
        Ok(self.divided(own, taken, b, guard))
    }

    /// A part without others, divided.
    fn divided(
        &mut self,
        own: Option<Var>,
        taken: Vec<Var>,
        by: Var,
        guard: Option<Var>,
    ) -> Option<Var> {
        let taken = self.add(taken, guard);
        let whole = match (own, taken) {
            (own, None) => own?,
            (Some(own), Some(taken)) => self.out.map(Prim::Sub, &[own, taken], guard),
            (None, Some(taken)) => self.out.map(Prim::Neg, &[taken], guard),
        };
        Some(self.out.map(Prim::Div, &[whole, by], guard))
    }

    /// By the partial derivatives of a primitive.
    fn map(
        &mut self,
        p: Prim,
        args: &[Var],
        y: Var,
        guard: Option<Var>,
        k: usize,
    ) -> Result<Option<Var>, String> {
        if !self.moves_before(args, k)? {
            return Ok(None);
        }
        let constant: Vec<bool> = args.iter().map(|a| self.is_constant(*a)).collect();
        let mut rows = Elementwise {
            shape: self.out.shape(y),
            builder: &mut self.out,
            guard,
        };
        let partials = p.partials(&mut rows, args, &y, &constant);
        let mut terms = vec![];
        for (partial, &a) in partials.into_iter().zip(args) {
            let term = match partial {
                Partial::Zero => None,
                Partial::One => {
                    let c = self.coefficient(a, k)?;
                    c.map(|c| self.out.masked(c, guard))
                }
                Partial::MinusOne => {
                    let c = self.coefficient(a, k)?;
                    c.map(|c| self.out.map(Prim::Neg, &[c], guard))
                }
                Partial::Where(c) => {
                    let g = self.out.both(guard, Some(c));
                    let c = self.coefficient(a, k)?;
                    c.map(|c| self.out.masked(c, g))
                }
                Partial::Times(x) => self.chained(a, x, guard, k)?,
                Partial::Over(x) => self.chained_over((a, x), guard, k)?,
            };
            terms.extend(term);
        }
        Ok(self.add(terms, guard))
    }

    /// Whether one of some variables has a coefficient up to an order.
    fn moves_before(&mut self, of: &[Var], k: usize) -> Result<bool, String> {
        for &v in of {
            for j in 1..=k {
                if self.coefficient(v, j)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// `Σ_j (j/k) a_j x_{k-j}`, for j from 1: the coefficient of what moves by `x ȧ`.
    fn chained(
        &mut self,
        a: Var,
        x: Var,
        guard: Option<Var>,
        k: usize,
    ) -> Result<Option<Var>, String> {
        let mut terms = vec![];
        let last = self.coefficient(a, k)?;
        for j in 1..k {
            if let (Some(p), Some(q)) = (self.coefficient(a, j)?, self.coefficient(x, k - j)?) {
                let p = self.times(j as f64, p, guard);
                terms.push(self.out.map(Prim::Mul, &[p, q], guard));
            }
        }
        let mut all = vec![];
        all.extend(last.map(|c| self.out.map(Prim::Mul, &[x, c], guard)));
        if let Some(sum) = self.add(terms, guard) {
            all.push(self.times(1.0 / k as f64, sum, guard));
        }
        Ok(self.add(all, guard))
    }

    /// The same for what moves by `ȧ / x`: `u_k = (a_k - Σ_j (j/k) u_j x_{k-j}) / x`.
    fn chained_over(
        &mut self,
        (a, x): (Var, Var),
        guard: Option<Var>,
        k: usize,
    ) -> Result<Option<Var>, String> {
        let mut terms = vec![];
        for j in 1..k {
            let u = self.chained_over((a, x), guard, j)?;
            if let (Some(u), Some(q)) = (u, self.coefficient(x, k - j)?) {
                let u = self.times(j as f64, u, guard);
                terms.push(self.out.map(Prim::Mul, &[u, q], guard));
            }
        }
        let taken = self.add(terms, guard);
        let taken = taken.map(|sum| self.times(1.0 / k as f64, sum, guard));
        let own = self.coefficient(a, k)?;
        Ok(self.divided(own, taken.into_iter().collect(), x, guard))
    }

    fn reduced(
        &mut self,
        op: ReduceOp,
        (x, y): (Var, Var),
        axes: &[usize],
        guard: Option<Var>,
        k: usize,
    ) -> Result<Option<Var>, String> {
        if !self.moves_before(&[x], k)? {
            return Ok(None);
        }
        let followed = |s: &mut Self, op: Extremum| {
            let c = s.coefficient(x, k)?;
            Ok(c.map(|c| at_extremum(&mut s.out, op, (x, c), axes[0], guard)))
        };
        match op {
            ReduceOp::Sum => {
                let c = self.coefficient(x, k)?;
                Ok(c.map(|c| self.out.sum(c, axes, guard)))
            }
            ReduceOp::Max => followed(self, Extremum::Max),
            ReduceOp::Min => followed(self, Extremum::Min),
            // The last one of the running products, exact where factors are zero.
            ReduceOp::Product => {
                let shape = self.out.shape(x);
                let r = Recurrence {
                    a: x,
                    mask: before(&mut self.out, guard, axes[0], &shape),
                    axis: axes[0],
                    reverse: false,
                };
                let states = r.fed(&mut self.out, Feed::One);
                let c = self.coefficient(states, k)?;
                Ok(c.map(|c| r.last(&mut self.out, c, guard)))
            }
            ReduceOp::LogSumExp => {
                let (w, inner) = weights(&mut self.out, (x, y), axes[0], guard);
                let c = self.chained(x, w, inner, k)?;
                Ok(c.map(|c| self.out.sum(c, axes, guard)))
            }
        }
    }

    /// `y_{i+1} = a_i y_i + b_{i+1}`, of which the coefficients of a times earlier ones of y enter
    /// with those of b.
    fn recurred(
        &mut self,
        r: &Recurrence,
        b: Feed,
        y: Var,
        k: usize,
    ) -> Result<Option<Var>, String> {
        let mut enters = vec![];
        for j in 1..=k {
            if let (Some(a), Some(state)) = (self.coefficient(r.a, j)?, self.coefficient(y, k - j)?)
            {
                enters.push(r.along(&mut self.out, state, a));
            }
        }
        let mut terms = vec![];
        if let Some(sum) = self.add(enters, r.mask) {
            terms.push(r.fed(&mut self.out, Feed::Each(sum)));
        }
        if let Some(v) = b.var()
            && let Some(c) = self.coefficient(v, k)?
        {
            terms.push(r.fed(&mut self.out, b.map(&mut |_| c)));
        }
        Ok(self.add(terms, None))
    }
}

/// What to write where a unit stands in the way.
fn refused(name: &str) -> String {
    format!(
        "`taylor` needs the body of `{name}`, whose derivative is given by a rule; write what `{name}` \
         computes in this function, or take derivatives of derivatives by `jvp`"
    )
}

#[cfg(test)]
mod tests {
    use super::taylor;
    use crate::ir::bulk_text::parse;

    /// Twice as many coefficients, at most four times the equations, and some: derivatives of
    /// derivatives would take 3^n of them. A power asks for one of each lower exponent.
    #[test]
    fn coefficients_take_quadratic_work() {
        for (op, most) in [
            ("sin(v0)", 4.2),
            ("tanh(v0)", 4.2),
            ("sqrt(v0)", 4.2),
            ("mul(v0, v0)", 4.2),
            ("div(v0, v0)", 4.2),
            ("powf(v0, v0)", 6.0),
        ] {
            let text = format!(
                "fn f(x: real[])\n  v1: real[] = {op}\n  v2: real[] = exp(v1)\n  return v2\n"
            );
            let program = parse(&text).expect("a program");
            let equations = |order: usize| {
                let series = taylor(&program, &[0], order).expect("a series");
                series.eqs.len() as f64
            };
            let (few, many) = (equations(8), equations(16));
            assert!(many <= most * few, "{op}: {few}, then {many}");
        }
    }
}
