//! Core to Bulk: the bulk-operation transform.
//!
//! An expression under binders `i0 < n0, i1 < n1, ..` becomes an array over the index space
//! `n0 × n1 × ..`, followed by its own axes:
//!
//! ```text
//! V[lit]                  = fill lit
//! V[x]                    = x, repeated along the binders inside of which it was not defined
//! V[i_k]                  = the index along axis k
//! V[p(e, ..)]             = p over arrays, elementwise
//! V[let x = a; b]         = V[b] with x ↦ V[a]
//! V[build(i < n. e)]      = V[e] over the index space with one more axis
//! V[reduce(i < n. e)]     = the reduction of V[e] along that axis
//! V[scatter(i < n. k += e)] = zeros, plus V[e] at V[k], the last axes of the index space gone
//! V[a[e, ..]]             = gather of V[a] at the index map of e, ..; a view where they are affine
//! V[if c {a} else {b}]    = select(V[c], V[a] where V[c], V[b] where not V[c]), see `branch.rs`
//! V[where(c, a)]          = V[a] where V[c]
//! ```
//!
//! A bound that depends on an index gives an axis of the largest such bound and a guard. Guards
//! make the transform keep laziness: what the source would not evaluate is a structural zero.

mod branch;
pub mod columns;
mod invariant;
mod raised;
mod sequence;
mod unit;

use crate::ir::build::Builder;
use crate::ir::bulk::Eq;
use crate::ir::bulk::{Affine, Ix, Op, Param, Part, Program, Relation, Type, Var};
use crate::ir::core::{self, Binder, Block, Bound, Expr, Kind, ReduceOp, Scatter, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use invariant::{loops, works};
use sequence::mentioned;
use std::collections::HashMap;
use std::rc::Rc;

/// Vectorises a function.
///
/// # Errors
/// If the size of an array is not known before the loops around it start.
pub fn vectorise(program: &core::Program) -> Result<Program, String> {
    let params = (program.params.iter().enumerate())
        .map(|(param, p)| Param {
            name: p.sym.hint.to_string(),
            ty: Type {
                elem: p.ty.elem,
                shape: (0..p.ty.rank).map(|axis| length(p, param, axis)).collect(),
            },
        })
        .collect();
    let mut v = Vectoriser {
        out: Builder::new(&program.name, params),
        env: HashMap::new(),
        next_axis: 0,
        steps: vec![],
        calls: vec![],
        conditions: HashMap::new(),
        natural: vec![],
        in_loop: false,
        was_bulk: false,
    };
    v.note_flags(&program.params);
    for (k, p) in program.params.iter().enumerate() {
        let val = if p.ty == core::Ty::scalar(Elem::Int) {
            Val::Affine(Affine::constant(0, Size::atom(Atom::Int { param: k })))
        } else {
            Val::Array(Var(k as u32))
        };
        v.env.insert(p.sym.clone(), Known::new(val, vec![]));
    }
    let space = Space::default();
    let results = v.block(&program.body, &space)?;
    Ok(v.out.finish(results))
}

/// The length of an axis of a parameter.
fn length(p: &core::Param, param: usize, axis: usize) -> Size {
    let known = p.lengths.get(axis).cloned().flatten();
    known.unwrap_or_else(|| Size::dim(param, axis))
}

/// The index space of the binders in scope, and where in it the expression is evaluated.
#[derive(Clone, Default)]
struct Space {
    axes: Vec<Size>,
    /// What tells each axis from all others.
    ids: Vec<Axis>,
    /// Over the first axes, as many as it has.
    guard: Option<Var>,
    /// What is positive where the expression is evaluated, as far as the guard is known on entry.
    when: Vec<Size>,
    /// Whether the guard says more than `when`.
    masked: bool,
    /// Where axes really end, as far as the ends depend on other axes.
    ends: Vec<(usize, Affine)>,
    /// Whether it is not known from the ends alone what is evaluated.
    conditional: bool,
    /// Whether it is not known on entry that anything is evaluated at all: inside of a loop that
    /// may take no step.
    unsure: bool,
}

impl Space {
    /// Whether the expression is evaluated everywhere in the space, if it is reached.
    fn is_sure(&self) -> bool {
        !self.masked && !self.unsure
    }

    /// Whether lengths and conditions that are known on entry decide alone what is evaluated.
    fn is_bare(&self) -> bool {
        !self.masked
    }

    /// The sizes that are positive if the space has elements, and is on the side of branches that
    /// is taken.
    fn reached(&self) -> Vec<Size> {
        self.axes.iter().chain(&self.when).cloned().collect()
    }

    /// Where in the space these axes are.
    fn positions(&self, over: &[Axis]) -> Vec<usize> {
        let at = |axis| self.ids.iter().position(|id| id == axis);
        (over.iter())
            .map(|axis| at(axis).expect("a value is used inside of its axes"))
            .collect()
    }
}

/// What tells an axis of an index space from all others.
type Axis = u32;

/// The value of an expression in an index space.
#[derive(Clone)]
enum Val {
    /// An integer that is affine in the axes of the space.
    Affine(Affine),
    /// An array over the axes of the space, followed by the expression's own.
    Array(Var),
}

/// A variable: its value over some axes of the space, in the order of the space.
#[derive(Clone)]
struct Known {
    val: Val,
    over: Vec<Axis>,
    /// If it depends on fewer of these: on which, and what it is bound to.
    less: Option<(Vec<Axis>, Rc<Expr>)>,
}

impl Known {
    fn new(val: Val, over: Vec<Axis>) -> Known {
        let less = None;
        Known { val, over, less }
    }

    /// The axes that it depends on.
    fn on(&self) -> &[Axis] {
        self.less.as_ref().map_or(&self.over, |(on, _)| on)
    }
}

struct Vectoriser {
    out: Builder,
    env: HashMap<Sym, Known>,
    next_axis: Axis,
    /// The indices of sequential loops around, with the numbers of steps.
    steps: Vec<(Var, Size)>,
    /// The calls of units so far.
    calls: Vec<unit::Done>,
    /// What is positive if and only if a condition holds, as far as that was looked for.
    conditions: HashMap<Var, Option<Size>>,
    /// Sizes that are demanded not to be negative, whatever happens.
    natural: Vec<Size>,
    /// Whether this is the body of a sequential loop.
    in_loop: bool,
    /// Whether the program was in Bulk before, where a negative length is none: what a loop of
    /// `n - 1` rounds keeps.
    was_bulk: bool,
}

impl Vectoriser {
    /// The value as an array.
    fn array(&mut self, val: Val, space: &Space) -> Var {
        match val {
            Val::Array(v) => v,
            Val::Affine(a) => self.out.index(a, &space.axes),
        }
    }

    /// An expression as an array over the space.
    fn whole(&mut self, e: &Expr, space: &Space) -> Result<Var, String> {
        let val = self.expr(e, space)?;
        Ok(self.array(val, space))
    }

    /// The guard of the space, over all its axes and then `own` ones.
    fn guard(&mut self, space: &Space, own: &[Size]) -> Option<Var> {
        let g = space.guard?;
        let rank = self.out.ty(g).rank();
        let shape: Vec<Size> = space.axes.iter().chain(own).cloned().collect();
        Some(self.out.spread(g, &(0..rank).collect::<Vec<_>>(), &shape))
    }

    /// The own axes of an array value over `depth` binders.
    fn own(&self, v: Var, depth: usize) -> Vec<Size> {
        self.out.ty(v).shape[depth..].to_vec()
    }

    /// A bound value in a space that may have more axes than where it was bound.
    fn widen(&mut self, b: &Known, space: &Space) -> Val {
        let at = space.positions(&b.over);
        let depth = space.axes.len();
        match &b.val {
            Val::Affine(a) => {
                let mut wide = Affine::constant(depth, a.constant.clone());
                for (k, c) in at.into_iter().zip(&a.coefs) {
                    wide.coefs[k] = c.clone();
                }
                Val::Affine(wide)
            }
            Val::Array(v) => {
                let own = self.own(*v, at.len());
                let axes: Vec<usize> = (at.into_iter())
                    .chain((0..own.len()).map(|k| depth + k))
                    .collect();
                let shape: Vec<Size> = space.axes.iter().chain(&own).cloned().collect();
                Val::Array(self.out.spread(*v, &axes, &shape))
            }
        }
    }

    /// Binds a variable to a value over a space. What is affine is over the axes that it mentions.
    fn know(&mut self, s: &Sym, val: Val, space: &Space) {
        let known = match val {
            Val::Affine(a) => {
                let mentioned = (a.coefs.into_iter().zip(&space.ids)).filter(|(c, _)| !c.is(0));
                let (coefs, over) = mentioned.unzip();
                let constant = a.constant;
                Known::new(Val::Affine(Affine { coefs, constant }), over)
            }
            val @ Val::Array(_) => Known::new(val, space.ids.clone()),
        };
        self.env.insert(s.clone(), known);
    }

    /// The value of an expression over a space, computed without the axes that it does not depend
    /// on if that saves work.
    fn expr(&mut self, e: &Expr, space: &Space) -> Result<Val, String> {
        if space.axes.is_empty() || !loops(e) {
            return self.expr_over(e, space);
        }
        let vars = mentioned([e]);
        let Some(inner) = self.without_others(&vars, space) else {
            return self.expr_over(e, space);
        };
        let val = self.rebound(&vars, &inner, |v| v.expr_over(e, &inner))?;
        let val = Val::Array(self.array(val, &inner));
        Ok(self.widen(&Known::new(val, inner.ids), space))
    }

    fn expr_over(&mut self, e: &Expr, space: &Space) -> Result<Val, String> {
        let depth = space.axes.len();
        Ok(match &*e.kind {
            Kind::Var(x) => {
                let b = self.env[x].clone();
                self.widen(&b, space)
            }
            Kind::Lit(l) => match l.as_size() {
                Some(k) => Val::Affine(Affine::constant(depth, k)),
                None => Val::Array(self.out.fill(*l, &space.axes)),
            },
            Kind::Prim(Prim::Double, args) => self.expr(&args[0], space)?,
            // Evaluating both arms is no obligation.
            Kind::Prim(Prim::Select, args) => self.branch(&args[0], &args[1], &args[2], space)?,
            Kind::Prim(Prim::Add, args) => match self.sum_of_scatters(args, space)? {
                Some(sum) => sum,
                None => self.prim(Prim::Add, args, space)?,
            },
            Kind::Prim(p, args) => self.prim(*p, args, space)?,
            Kind::Let(x, bound, body) => {
                self.bind(x, bound, space)?;
                self.expr(body, space)?
            }
            Kind::Loop(l, body) => {
                self.looped(l, space)?;
                self.expr(body, space)?
            }
            Kind::Update(u) => self.update(u, space)?,
            Kind::If(c, a, b) => self.branch(c, a, b, space)?,
            Kind::Build(binder, body) => {
                let n = self.extent(&binder.extent, space)?;
                let inner = self.enter(&binder.var, n, None, space);
                Val::Array(self.whole(body, &inner)?)
            }
            Kind::Reduce(op, binder, body) => {
                let (inner, mask) = self.bounded(binder, space)?;
                let v = self.whole(body, &inner)?;
                let v = self.neutral_outside(v, mask, *op, &inner);
                let own = self.own(v, depth + 1);
                let guard = self.guard(space, &own);
                Val::Array(self.out.reduce(*op, v, &[depth], guard))
            }
            Kind::ArgReduce(op, binder, body) => {
                let (inner, mask) = self.bounded(binder, space)?;
                let v = self.whole(body, &inner)?;
                let fill = match op {
                    core::Extremum::Max => ReduceOp::Max,
                    core::Extremum::Min => ReduceOp::Min,
                };
                let src = self.neutral_outside(v, mask, fill, &inner);
                let guard = self.guard(space, &[]);
                let ty = Type {
                    elem: Elem::Int,
                    shape: space.axes.clone(),
                };
                let op = Op::ArgReduce {
                    op: *op,
                    src,
                    axis: depth,
                };
                Val::Array(self.out.push(Eq { ty, guard, op }))
            }
            Kind::Scatter(s) => self.scatter(s, space)?,
            Kind::Index(array, at) => self.read(array, at, space)?,
            Kind::Dim(array, axis) => {
                let shape = self.own_shape(array, space)?;
                Val::Affine(Affine::constant(depth, shape[*axis].clone()))
            }
            Kind::Where(c, a) => {
                let inner = self.where_holds(c, space)?;
                let v = self.whole(a, &inner)?;
                Val::Array(self.out.masked(v, inner.guard))
            }
            Kind::Recur(r) => Val::Array(self.recur(r, space)?),
            Kind::Call(c) => self.call(c, space)?,
            Kind::Demand(d, a) => {
                self.demand(d, space)?;
                self.expr(a, space)?
            }
            Kind::Stop(a) => match self.expr(a, space)? {
                Val::Affine(a) => Val::Affine(a),
                Val::Array(v) => {
                    let ty = self.out.ty(v).clone();
                    let (op, guard) = (Op::Stop(v), None);
                    Val::Array(self.out.push(Eq { ty, guard, op }))
                }
            },
        })
    }

    /// The results of a block, as arrays over the space.
    fn block(&mut self, block: &Block, space: &Space) -> Result<Vec<Var>, String> {
        for b in &block.lets {
            self.bound(b, space)?;
        }
        block.results.iter().map(|e| self.whole(e, space)).collect()
    }

    fn bound(&mut self, b: &Bound, space: &Space) -> Result<(), String> {
        match b {
            Bound::Let(x, bound) => self.bind(x, bound, space),
            Bound::Loop(l) => self.looped(l, space),
        }
    }

    /// Binds a variable to the value of an expression.
    fn bind(&mut self, x: &Sym, bound: &Expr, space: &Space) -> Result<(), String> {
        if let Kind::Var(same) = &*bound.kind {
            let known = self.env[same].clone();
            self.env.insert(x.clone(), known);
            return Ok(());
        }
        if space.axes.is_empty() {
            let val = self.expr(bound, space)?;
            self.know(x, val, space);
            return Ok(());
        }
        let vars = mentioned([bound]);
        if works(bound, space.is_bare())
            && let Some(inner) = self.without_others(&vars, space)
        {
            let val = self.rebound(&vars, &inner, |v| v.expr(bound, &inner))?;
            self.know(x, val, &inner);
            return Ok(());
        }
        let val = self.expr(bound, space)?;
        self.know(x, val, space);
        let on = self.on(&vars);
        let known = self.env.get_mut(x).expect("just bound");
        if known.over.iter().any(|axis| !on.contains(axis)) {
            known.less = Some((on, Rc::new(bound.clone())));
        }
        Ok(())
    }

    fn scatter(&mut self, s: &Scatter, space: &Space) -> Result<Val, String> {
        let shape = self.scattered_shape(s, space)?;
        let part = self.scatter_part(s, &shape, space)?;
        Ok(Val::Array(self.scattered(vec![part], shape)))
    }

    /// A sum of scatters into one shape is one scatter, and in a loop so is a sum of an array and
    /// scatters: the loop adds to its state in place. `None` for other sums.
    ///
    /// ```text
    /// scatter v[i] + scatter w[j]      =  scatter (v[i] + w[j])
    /// x + scatter v[i] + scatter w[j]  =  scatter (x + v[i] + w[j])
    /// ```
    fn sum_of_scatters(&mut self, args: &[Expr], space: &Space) -> Result<Option<Val>, String> {
        let (mut scatters, mut arrays) = (vec![], vec![]);
        args.iter()
            .for_each(|e| terms(e, &mut scatters, &mut arrays));
        let may_have_array = self.in_loop && arrays.len() == 1;
        if scatters.is_empty() || !(arrays.is_empty() || may_have_array) {
            return Ok(None);
        }
        let shapes = (scatters.iter()).map(|s| self.scattered_shape(s, space));
        let mut shapes: Vec<Vec<Size>> = shapes.collect::<Result<_, _>>()?;
        let shape = shapes.swap_remove(0);
        for array in &arrays {
            let own = self.own_shape(array, space)?;
            shapes.push(space.axes.iter().cloned().chain(own).collect());
        }
        if !shapes.iter().all(|other| *other == shape) {
            return Ok(None);
        }
        let mut parts = vec![];
        for array in arrays {
            let src = self.whole(array, space)?;
            let index = Ix::identity(shape.len());
            parts.push(Part { src, index });
        }
        for s in scatters {
            parts.push(self.scatter_part(s, &shape, space)?);
        }
        Ok(Some(Val::Array(self.scattered(parts, shape))))
    }

    fn scattered(&mut self, parts: Vec<Part>, shape: Vec<Size>) -> Var {
        let ty = Type {
            elem: Elem::Real,
            shape,
        };
        let (op, guard) = (Op::Scatter(parts), None);
        self.out.push(Eq { ty, guard, op })
    }

    /// The shape of a scatter behind the axes of the space.
    fn scattered_shape(&mut self, s: &Scatter, space: &Space) -> Result<Vec<Size>, String> {
        let mut shape = space.axes.clone();
        for n in &s.extents {
            shape.push(self.extent(n, space)?);
        }
        Ok(shape)
    }

    fn scatter_part(&mut self, s: &Scatter, shape: &[Size], space: &Space) -> Result<Part, String> {
        let depth = space.axes.len();
        let mut inner = space.clone();
        for b in &s.binders {
            // A single element needs no axis.
            if matches!(&*b.extent.kind, Kind::Lit(Lit::Int(1))) {
                let first = Affine::constant(inner.axes.len(), Size::lit(0));
                self.know(&b.var, Val::Affine(first), &inner);
            } else {
                inner = self.bounded(b, &inner)?.0;
            }
        }
        let rank = inner.axes.len();
        for b in &s.lets {
            self.bound(b, &inner)?;
        }
        let src = if let Kind::Where(c, value) = &*s.value.kind {
            // What is structurally zero is not added, and has no place.
            inner = self.where_holds(c, &inner)?;
            self.whole(value, &inner)?
        } else {
            self.whole(&s.value, &inner)?
        };
        let guard = self.guard(&inner, &[]);
        let src = self.out.masked(src, guard);
        let mut index: Vec<Ix> = (0..depth)
            .map(|k| Ix::Affine(Affine::axis(rank, k)))
            .collect();
        for (i, n) in s.index.iter().zip(&shape[depth..]) {
            index.push(self.component(i, n, &inner)?);
        }
        Ok(Part { src, index })
    }

    /// The shape of an expression, without computing more of it than needed for that.
    fn own_shape(&mut self, e: &Expr, space: &Space) -> Result<Vec<Size>, String> {
        if let Kind::Var(x) = &*e.kind {
            let b = self.env[x].clone();
            return Ok(match b.val {
                Val::Affine(_) => vec![],
                Val::Array(v) => self.own(v, b.over.len()),
            });
        }
        let v = self.whole(e, space)?;
        Ok(self.own(v, space.axes.len()))
    }

    fn prim(&mut self, p: Prim, args: &[Expr], space: &Space) -> Result<Val, String> {
        let vals: Vec<Val> = (args.iter())
            .map(|a| self.expr(a, space))
            .collect::<Result<_, _>>()?;
        if let Some(a) = affine_prim(p, &vals) {
            return Ok(Val::Affine(Affine {
                coefs: a.coefs.into_iter().map(|s| self.named(s)).collect(),
                constant: self.named(a.constant),
            }));
        }
        if let (Some(range), [Val::Affine(a)]) = (p.cast_range(), &vals[..])
            && self.is_kept(a, range, space)
        {
            return Ok(Val::Affine(a.clone()));
        }
        let mut vars: Vec<Var> = vals.into_iter().map(|v| self.array(v, space)).collect();
        let own = self.one_shape(&mut vars, space);
        let guard = self.guard(space, &own);
        Ok(Val::Array(self.out.map(p, &vars, guard)))
    }

    /// Whether a cast keeps an index: if its type has all of them, as far as numbers tell, or if
    /// the type has 32 bits. That lengths and numbers of rounds do not exceed it is demanded on
    /// entry.
    fn is_kept(&mut self, a: &Affine, (min, max): (i64, i64), space: &Space) -> bool {
        let Some((low, high)) = a.range(&space.axes) else {
            return false;
        };
        let (below, above) = (low.plus(-min), high.scale(-1).plus(max));
        if below.at_least(0) && above.at_least(0) {
            return true;
        }
        let is_length = |s: &Size| {
            let mut is = true;
            s.visit(&mut |a| is &= matches!(a, Atom::Dim { .. }));
            is
        };
        let mut is_known = true;
        for n in &space.axes {
            n.visit(&mut |a| is_known &= !matches!(a, Atom::Value(_)));
        }
        let is_index = is_length(&a.constant) && a.coefs.iter().all(is_length) && is_known;
        let is_wide = max >= i64::from(i32::MAX) && (min < 0 || below.at_least(0));
        if !is_index || !is_wide {
            return false;
        }
        for room in [below, above] {
            self.out.require_sign(&space.axes, &room, Relation::AtLeast);
        }
        true
    }

    /// Makes arrays that must have one shape have it, and gives it. Where that cannot be demanded
    /// on entry, the longest axes count, and what is shorter is read outside of its bounds.
    fn one_shape(&mut self, vars: &mut [Var], space: &Space) -> Vec<Size> {
        let depth = space.axes.len();
        let mut shape = self.own(vars[0], depth);
        let mut demanded = vec![true; shape.len()];
        for &v in &vars[1..] {
            for (k, (n, m)) in shape.iter_mut().zip(self.own(v, depth)).enumerate() {
                let difference = n.sub(&m);
                let sure = space.is_sure() && on_entry(&difference, &space.axes);
                if sure {
                    self.out
                        .require_sign(&space.reached(), &difference, Relation::Equal);
                } else {
                    demanded[k] &= difference.is(0);
                    *n = self.named(n.larger(&m));
                }
            }
        }
        let full: Vec<Size> = space.axes.iter().chain(&shape).cloned().collect();
        for v in vars {
            if self.out.shape(*v) != full {
                let rank = full.len();
                let guard = self.guard(space, &shape);
                let index = (0..rank)
                    .map(|k| {
                        let here = Affine::axis(rank, k);
                        if guard.is_some() || k < depth || demanded[k - depth] {
                            Ix::Affine(here)
                        } else {
                            // To be checked where it is used.
                            Ix::Data(self.out.index(here, &full))
                        }
                    })
                    .collect();
                *v = self.out.gather(*v, index, &full, guard);
            }
        }
        shape
    }

    /// The space inside a binder. `mask`: where in it the body is evaluated.
    fn enter(&mut self, var: &Sym, n: Size, mask: Option<Var>, space: &Space) -> Space {
        let mut inner = space.clone();
        inner.axes.push(n);
        inner.ids.push(self.next_axis);
        self.next_axis += 1;
        let depth = inner.axes.len();
        self.know(var, Val::Affine(Affine::axis(depth, depth - 1)), &inner);
        if let Some(m) = mask {
            let outer = self.guard(&inner, &[]);
            inner.guard = self.out.both(outer, Some(m));
            inner.masked = true;
        }
        inner
    }

    /// A size that does not depend on the binders in scope.
    fn extent(&mut self, e: &Expr, space: &Space) -> Result<Size, String> {
        let val = self.expr(e, space)?;
        match self.invariant(&val, space) {
            Some(n) => Ok(n),
            None => Err(
                "the size of an array is computed inside a loop; compute it before the loop".into(),
            ),
        }
    }

    /// The size that a value is, if it is the same over the whole space.
    fn invariant(&mut self, val: &Val, space: &Space) -> Option<Size> {
        match val {
            Val::Affine(a) if a.is_constant() => {
                let n = a.constant.clone();
                if self.was_bulk || n.at_least(0) || self.natural.contains(&n) {
                    return Some(n);
                }
                if !space.is_sure() {
                    // Not sure to be reached, so nothing may be demanded.
                    return Some(n.larger(&Size::lit(0)));
                }
                let reached = space.reached();
                if reached.is_empty() && on_entry(&n, &[]) {
                    self.natural.push(n.clone());
                }
                self.out.require_sign(&reached, &n, Relation::AtLeast);
                Some(match space.when.is_empty() {
                    true => n,
                    // On the other side of the branch there is nothing.
                    false => n.larger(&Size::lit(0)),
                })
            }
            Val::Affine(_) => None,
            // Repeated along the binders, it was computed outside of them.
            Val::Array(v) if space.axes.is_empty() => Some(computed(*v)),
            Val::Array(v) => match self.out.eq(*v) {
                Some(Eq {
                    op: Op::Gather { src, .. },
                    ..
                }) if self.out.ty(*src).rank() == 0 => Some(computed(*src)),
                _ => self.outside(*v).map(computed),
            },
        }
    }

    /// The space inside a binder whose bound may depend on the binders around it, and where in it
    /// the index is below the bound if that is not everywhere.
    fn bounded(&mut self, b: &Binder, space: &Space) -> Result<(Space, Option<Var>), String> {
        let val = self.expr(&b.extent, space)?;
        if let Some(n) = self.invariant(&val, space) {
            return Ok((self.enter(&b.var, n, None, space), None));
        }
        let hull = match &val {
            Val::Affine(a) => hull(a, &space.axes),
            Val::Array(_) => None,
        };
        let hull = match hull {
            Some(n) => n,
            None => {
                let v = self.array(val.clone(), space);
                let guard = self.guard(space, &[]);
                let v = self.neutral_outside(v, guard, ReduceOp::Max, space);
                let axes: Vec<usize> = (0..space.axes.len()).collect();
                let all = (axes.iter().rev())
                    .fold(v, |v, &k| self.out.reduce(ReduceOp::Max, v, &[k], None));
                computed(all)
            }
        };
        let inner = self.enter(&b.var, hull.clone(), None, space);
        let depth = inner.axes.len();
        let i = self.out.index(Affine::axis(depth, depth - 1), &inner.axes);
        let bound = self.widen(&Known::new(val, space.ids.clone()), &inner);
        let end = match &bound {
            Val::Affine(a) => Some(a.clone()),
            Val::Array(_) => None,
        };
        let bound = self.array(bound, &inner);
        let mask = self.out.map(Prim::ILt, &[i, bound], None);
        let mut inner = self.enter(&b.var, hull, Some(mask), space);
        match end {
            Some(end) => inner.ends.push((depth - 1, end)),
            None => inner.conditional = true,
        }
        Ok((inner, Some(mask)))
    }

    /// A body of a reduction, made neutral where the mask does not hold.
    fn neutral_outside(&mut self, v: Var, mask: Option<Var>, op: ReduceOp, inner: &Space) -> Var {
        let Some(mask) = mask else { return v };
        let shape = self.out.shape(v);
        let axes: Vec<usize> = (0..inner.axes.len()).collect();
        match op {
            ReduceOp::Sum => {
                let own = self.own(v, inner.axes.len());
                let guard = self.guard(inner, &own);
                self.out.masked(v, guard)
            }
            ReduceOp::Product | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => {
                let mask = self.out.spread(mask, &axes, &shape);
                let neutral = op.identity(self.out.ty(v).elem);
                let neutral = self.out.fill(neutral, &shape);
                self.out.map(Prim::Select, &[mask, v, neutral], None)
            }
        }
    }

    /// One component of an index map into an axis of length `n`. Without a guard, an affine one is
    /// demanded to be inside on entry; where sizes alone cannot say that, it is data, to be checked
    /// at its use. Where only the ends of loops guard it, its extreme values are demanded to be
    /// inside, if they are reached.
    fn component(&mut self, e: &Expr, n: &Size, space: &Space) -> Result<Ix, String> {
        Ok(match self.expr(e, space)? {
            Val::Affine(a) => self.checked(a, n, space),
            Val::Array(v) => Ix::Data(v),
        })
    }

    /// An affine component, as far as it needs no check where it is used.
    fn checked(&mut self, a: Affine, n: &Size, space: &Space) -> Ix {
        if !space.masked && !self.inside(&a, n, space) && space.guard.is_none() {
            return Ix::Data(self.out.index(a, &space.axes));
        }
        if !space.ends.is_empty() && !space.conditional && !space.unsure {
            if let Some((low, mut reached)) = corner(&a, space, false) {
                reached.extend(space.when.iter().cloned());
                self.out.require_sign(&reached, &low, Relation::AtLeast);
            }
            if let Some((high, mut reached)) = corner(&a, space, true) {
                reached.extend(space.when.iter().cloned());
                let room = n.sub(&high).plus(-1);
                self.out.require_sign(&reached, &room, Relation::AtLeast);
            }
        }
        Ix::Affine(a)
    }

    fn read(&mut self, array: &Expr, at: &[Option<Expr>], space: &Space) -> Result<Val, String> {
        let depth = space.axes.len();
        // A variable is read where it is, not repeated first.
        let (src, over) = match &*array.kind {
            Kind::Var(x) => match self.env[x].clone() {
                Known {
                    val: Val::Array(v),
                    over,
                    ..
                } => (v, over),
                known @ Known {
                    val: Val::Affine(_),
                    ..
                } => return Ok(self.widen(&known, space)),
            },
            Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::Let(..)
            | Kind::If(..)
            | Kind::Build(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Scatter { .. }
            | Kind::Index(..)
            | Kind::Loop(..)
            | Kind::Update(_)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Call(_)
            | Kind::Recur(_)
            | Kind::Demand(..) => (self.whole(array, space)?, space.ids.clone()),
        };
        let own = self.own(src, over.len());
        let kept: Vec<Size> = (own.iter().zip(at))
            .filter(|(_, i)| i.is_none())
            .map(|(n, _)| n.clone())
            .collect();
        let shape: Vec<Size> = space.axes.iter().chain(&kept).cloned().collect();
        let rank = shape.len();
        let mut index: Vec<Ix> = (space.positions(&over).into_iter())
            .map(|k| Ix::Affine(Affine::axis(rank, k)))
            .collect();
        let mut next_kept = depth;
        for (i, n) in at.iter().zip(&own) {
            index.push(match i {
                None => {
                    next_kept += 1;
                    Ix::Affine(Affine::axis(rank, next_kept - 1))
                }
                Some(e) => match self.component(e, n, space)? {
                    Ix::Affine(mut a) => {
                        a.coefs.resize(rank, Size::lit(0));
                        Ix::Affine(a)
                    }
                    Ix::Data(v) => {
                        let axes: Vec<usize> = (0..depth).collect();
                        Ix::Data(self.out.spread(v, &axes, &shape))
                    }
                },
            });
        }
        let guard = self.guard(space, &kept);
        Ok(Val::Array(self.out.gather(src, index, &shape, guard)))
    }
}

impl Vectoriser {
    /// A long size gets a name: a number that the program computes. Sizes that are made of one
    /// another twice, such as `select(p, max(m, n), n)` for `n`, would double with each statement.
    fn named(&mut self, size: Size) -> Size {
        if is_short(&size) {
            return size;
        }
        let v = self.out.index(Affine::constant(0, size), &[]);
        Size::atom(Atom::Value(v.0))
    }
}

/// How many atoms a size has at most.
const LONGEST: usize = 64;

fn is_short(size: &Size) -> bool {
    let mut count = 0;
    size.visit(&mut |_| count += 1);
    count <= LONGEST
}

/// The scatters that a sum has among its terms, and the others.
fn terms<'e>(e: &'e Expr, scatters: &mut Vec<&'e Scatter>, others: &mut Vec<&'e Expr>) {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other expression adds or scatters"
    )]
    match &*e.kind {
        Kind::Scatter(s) => scatters.push(s),
        Kind::Prim(Prim::Add, args) => {
            args.iter().for_each(|e| terms(e, scatters, others));
        }
        _ => others.push(e),
    }
}

/// A size that the program computes; a negative one counts as nothing.
fn computed(v: Var) -> Size {
    Size::atom(Atom::Value(v.0)).larger(&Size::lit(0))
}

/// Whether a relation about a size can be checked on entry.
fn on_entry(size: &Size, axes: &[Size]) -> bool {
    let mut known = true;
    let mut look = |s: &Size| s.visit(&mut |a| known &= !matches!(a, Atom::Value(_)));
    look(size);
    axes.iter().for_each(look);
    known
}

/// The affine value of an integer primitive, where it has one.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "what is not listed is not affine, whatever primitives there are"
)]
fn affine_prim(p: Prim, args: &[Val]) -> Option<Affine> {
    let args: Vec<&Affine> = (args.iter())
        .map(|v| match v {
            Val::Affine(a) => Some(a),
            Val::Array(_) => None,
        })
        .collect::<Option<_>>()?;
    let (a, b) = (*args.first()?, args.get(1).copied());
    let rank = a.coefs.len();
    let zero = Affine::constant(rank, Size::lit(0));
    let tame = |a: Affine| {
        let is_small = a.coefs.iter().chain([&a.constant]).all(Size::is_small);
        is_small.then_some(a)
    };
    let sizes = |f: &dyn Fn(&Size, &Size) -> Option<Size>| {
        let b = b?;
        (a.is_constant() && b.is_constant()).then_some(())?;
        Some(Affine::constant(rank, f(&a.constant, &b.constant)?))
    };
    let value = match p {
        Prim::INeg => Some(zero.add_scaled(a, &Size::lit(-1))),
        Prim::IAdd => Some(a.add_scaled(b?, &Size::lit(1))),
        Prim::ISub => Some(a.add_scaled(b?, &Size::lit(-1))),
        Prim::IMul => {
            let b = b?;
            if b.is_constant() {
                Some(zero.add_scaled(a, &b.constant))
            } else if a.is_constant() {
                Some(zero.add_scaled(b, &a.constant))
            } else {
                None
            }
        }
        Prim::IDiv => sizes(&|m, n| n.as_lit().and_then(|_| m.quot(n))),
        Prim::IRem => sizes(&|m, n| n.as_lit().and_then(|_| m.rem(n))),
        Prim::IMin => sizes(&|m, n| Some(m.smaller(n))),
        Prim::IMax => sizes(&|m, n| Some(m.larger(n))),
        // Everything else is computed, not known from the position.
        _ => None,
    };
    value.and_then(tame)
}

/// The greatest or least value of an affine index over loops whose ends depend on the loops around
/// them, and the sizes that must be positive for it to be reached. Each loop, from the innermost,
/// is replaced by its last or first index; the innermost one's last index is affine in the others.
fn corner(a: &Affine, space: &Space, greatest: bool) -> Option<(Size, Vec<Size>)> {
    let rank = space.axes.len();
    let end_of = |k: usize| {
        let end = space.ends.iter().find(|(axis, _)| *axis == k);
        let mut end = end.map_or_else(
            || Affine::constant(0, space.axes[k].clone()),
            |(_, end)| end.clone(),
        );
        end.coefs.resize(rank, Size::lit(0));
        end
    };
    let mut value = a.clone();
    let mut at_end = vec![false; rank];
    for k in (0..rank).rev() {
        let c = std::mem::take(&mut value.coefs[k]);
        at_end[k] = if c.is(0) {
            // It does not matter for the value; the further, the more of the inner loops is left.
            (k + 1..rank).any(|j| end_of(j).coefs[k].at_least(1))
        } else if c.at_least(0) {
            greatest
        } else if c.neg().at_least(0) {
            !greatest
        } else {
            return None;
        };
        if at_end[k] {
            let mut last = end_of(k);
            last.constant = last.constant.plus(-1);
            value = value.add_scaled(&last, &c);
        }
    }
    // The loops from the outermost: where they are, and that they run.
    let mut place: Vec<Size> = vec![];
    let mut reached = vec![];
    for (k, at_end) in at_end.into_iter().enumerate() {
        let end = end_of(k);
        let end = (end.coefs.iter().zip(&place))
            .fold(end.constant.clone(), |sum, (c, p)| sum.add(&c.mul(p)));
        place.push(if at_end { end.plus(-1) } else { Size::lit(0) });
        reached.push(end);
    }
    Some((value.constant, reached))
}

/// A size that no value of an affine bound exceeds, and that is not negative:
/// `c·i + k` with `i < n` is at most `c·n + max(k - c, 0)` for `c >= 0`.
fn hull(a: &Affine, axes: &[Size]) -> Option<Size> {
    let (_, high) = a.range(axes)?;
    if high.at_least(0) {
        return Some(high);
    }
    // Dropping a negative constant leaves an upper bound.
    let raised = high.plus(-high.constant().min(0));
    Some(if raised.at_least(0) {
        raised
    } else {
        high.larger(&Size::lit(0))
    })
}
