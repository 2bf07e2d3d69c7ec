//! Sequential loops, and arrays with a part replaced.
//!
//! A loop becomes a closed program: the vectorised body, over the same index space as what is
//! around it. So a loop under `build` is a loop over arrays, if it takes as many steps for each
//! element. Otherwise, and for a loop with a condition, the elements are computed one after
//! another, by a loop around it along the leading axis of the space:
//!
//! ```text
//! V[loop s = a { b }]  over n × m  =  loop s = V[a] { V[b] }                      the same steps for all
//! V[loop s = a { b }]  over n × m  =  stack, for i < n, of V[loop s = a[i] { b[i] }] over m
//! ```

use super::{Axis, Known, Space, Val, Vectoriser, on_entry};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{
    Affine, Eq, Ix, Loop, Looped, Op, Param, Part, Program, Relation, Type, Var,
};
use crate::ir::core::{self, Along, Expr, Keep, Kind, Sym, Trip, Update};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::collections::{BTreeSet, HashMap};

/// A loop to be: what it is given, and its body under construction.
pub(super) struct Body {
    pub(super) inner: Vectoriser,
    pub(super) space: Space,
    /// The states, as parameters of the body.
    states: Vec<Var>,
    /// What it is given, in the program around it.
    given: Vec<Var>,
    /// Computed sizes: the variable outside, and the parameter of the body.
    sizes: Vec<(Var, Var)>,
}

impl Body {
    /// A size of the body as one of the program around it.
    pub(super) fn outside(&self, s: &Size) -> Result<Size, String> {
        let mut known = true;
        let size = translate_size(
            s,
            &mut |v| match self.sizes.iter().find(|(_, inner)| *inner == v) {
                Some((outer, _)) => *outer,
                None => {
                    known = false;
                    v
                }
            },
        );
        if known {
            return Ok(size);
        }
        Err(
            "the size of an array that a loop collects or carries is computed inside of the loop; \
             compute it before the loop"
                .into(),
        )
    }
}

impl Vectoriser {
    /// A loop; its results get their values, over the axes that it depends on.
    pub(super) fn looped(&mut self, l: &core::Loop, space: &Space) -> Result<(), String> {
        let vars = free(l);
        match self.without_others(&vars, space) {
            Some(inner) => self.rebound(&vars, &inner, |v| v.looped_over(l, &inner)),
            None => self.looped_over(l, space),
        }
    }

    fn looped_over(&mut self, l: &core::Loop, space: &Space) -> Result<(), String> {
        let most = match &l.trip {
            Trip::Times(n) => match self.trips(n, space)? {
                Some(n) => Some(n),
                None => return self.one_by_one(l, space),
            },
            Trip::While(_) if space.axes.is_empty() => None,
            Trip::While(_) => return self.one_by_one(l, space),
        };
        let steps = most.clone().map(|n| self.reached_steps(n, space));
        let mut init = vec![];
        for (_, e) in &l.states {
            init.push(self.whole(e, space)?);
        }
        let depth = space.axes.len();
        let goes_on = match &l.trip {
            Trip::Times(_) => None,
            Trip::While(c) => {
                let mut body = self.open(l, &init, None, space, false);
                let holds = body.inner.whole(c, &body.space)?;
                let holds = match body.space.guard {
                    Some(g) => body.inner.out.map(Prim::And, &[g, holds], None),
                    None => holds,
                };
                Some(body.inner.out.finish(vec![holds]))
            }
        };
        let mut body = self.open(l, &init, most.as_ref(), space, false);
        if space.axes.is_empty() && space.is_bare() {
            // Where it is not reached, it takes no step.
            body.space.guard = None;
        }
        let inside = body.space.clone();
        let mut results = body.inner.block(&l.body, &inside)?;
        for ((next, &state), (s, _)) in results.iter_mut().zip(&body.states).zip(&l.states) {
            *next = fitting(&mut body.inner, *next, state, &inside).ok_or_else(|| {
                format!(
                    "the lengths of `{}` change in a loop, or cannot be seen to stay the same; \
                         make the largest array before the loop, and assign to its elements",
                    s.hint
                )
            })?;
        }
        let stacked: Vec<Type> = (results[init.len()..].iter())
            .map(|v| {
                let ty = body.inner.out.ty(*v);
                let shape = ty.shape.iter().map(|s| body.outside(s));
                Ok(Type {
                    elem: ty.elem,
                    shape: shape.collect::<Result<_, String>>()?,
                })
            })
            .collect::<Result<_, String>>()?;
        let (given, program) = self.close(body, results, most.as_ref(), space);
        let looped = Looped::new(Loop {
            body: program,
            states: init.len(),
            goes_on,
            reverse: false,
            keep: l.keep,
        });
        let result = |v: &mut Self, ty: Type, out: usize| {
            let op = Op::Loop {
                looped: looped.clone(),
                steps: steps.clone(),
                given: given.clone(),
                init: init.clone(),
                out,
            };
            v.out.push(Eq {
                ty,
                guard: None,
                op,
            })
        };
        for (k, v) in init.iter().enumerate() {
            let ty = self.out.ty(*v).clone();
            let last = result(self, ty, k);
            self.know(&l.outs[k], Val::Array(last), space);
        }
        let count = match &steps {
            _ if stacked.is_empty() => Size::lit(0),
            Some(n) => n.clone(),
            None => {
                let ty = Type {
                    elem: Elem::Int,
                    shape: vec![],
                };
                let count = result(self, ty, looped.count());
                Size::atom(Atom::Value(count.0))
            }
        };
        for (k, ty) in stacked.into_iter().enumerate() {
            let mut shape = ty.shape;
            shape.insert(0, count.clone());
            let (elem, k) = (ty.elem, init.len() + k);
            let all = result(self, Type { elem, shape }, k);
            let all = self.steps_behind(all, depth);
            self.know(&l.outs[k], Val::Array(all), space);
        }
        Ok(())
    }

    /// The leading axis moved behind the next `depth` ones.
    fn steps_behind(&mut self, v: Var, depth: usize) -> Var {
        if depth == 0 {
            return v;
        }
        let mut shape = self.out.shape(v);
        let rank = shape.len();
        let steps = shape.remove(0);
        shape.insert(depth, steps);
        let from = |k: usize| match k {
            0 => depth,
            k if k <= depth => k - 1,
            k => k,
        };
        let index = (0..rank)
            .map(|k| Ix::Affine(Affine::axis(rank, from(k))))
            .collect();
        self.out.gather(v, index, &shape, None)
    }

    /// How many steps a loop takes, if as many everywhere in the space.
    fn trips(&mut self, n: &Expr, space: &Space) -> Result<Option<Size>, String> {
        let val = self.expr(n, space)?;
        let value = |v: Var| Size::atom(Atom::Value(v.0));
        let n = match &val {
            Val::Affine(a) if a.is_constant() => a.constant.clone(),
            Val::Affine(_) => return Ok(None),
            Val::Array(v) => match self.outside(*v) {
                Some(one) => value(one),
                None => return Ok(None),
            },
        };
        Ok(Some(n))
    }

    /// The steps of a loop that takes `n` where it is reached.
    fn reached_steps(&mut self, n: Size, space: &Space) -> Size {
        let Some(guard) = space.guard.filter(|_| space.axes.is_empty()) else {
            return n;
        };
        let n = self.out.index(Affine::constant(0, n), &[]);
        let none = self.out.fill(Lit::Int(0), &[]);
        let n = self.out.map(Prim::Select, &[guard, n, none], None);
        Size::atom(Atom::Value(n.0))
    }

    /// A loop along the leading axis of the space, in which the loop runs for what is at the index.
    fn one_by_one(&mut self, l: &core::Loop, space: &Space) -> Result<(), String> {
        let steps = space.axes[0].clone();
        let mut body = self.open(l, &[], Some(&steps), space, true);
        let inside = body.space.clone();
        body.inner.looped(l, &inside)?;
        let mut results = vec![];
        let mut types = vec![];
        for s in &l.outs {
            let known = body.inner.env[s].clone();
            let val = body.inner.widen(&known, &inside);
            let v = body.inner.array(val, &inside);
            let ty = body.inner.out.ty(v);
            let mut shape = vec![steps.clone()];
            for s in &ty.shape {
                shape.push(body.outside(s)?);
            }
            types.push(Type {
                elem: ty.elem,
                shape,
            });
            results.push(v);
        }
        let (given, program) = self.close(body, results, Some(&steps), space);
        let looped = Looped::new(Loop {
            body: program,
            states: 0,
            goes_on: None,
            reverse: false,
            keep: Keep::Residuals,
        });
        for (out, (s, ty)) in l.outs.iter().zip(types).enumerate() {
            let op = Op::Loop {
                looped: looped.clone(),
                steps: Some(steps.clone()),
                given: given.clone(),
                init: vec![],
                out,
            };
            let guard = None;
            let v = self.out.push(Eq { ty, guard, op });
            self.know(s, Val::Array(v), space);
        }
        Ok(())
    }

    /// Begins the body of a loop, with everything known that it mentions. With `peel`, the leading
    /// axis of the space becomes the index of the loop, which has no states of its own then.
    pub(super) fn open(
        &mut self,
        l: &core::Loop,
        init: &[Var],
        steps: Option<&Size>,
        space: &Space,
        peel: bool,
    ) -> Body {
        let known: Vec<(Sym, Known)> = (free(l).into_iter())
            .filter_map(|s| Some((s.clone(), self.env.get(&s)?.clone())))
            .collect();
        // Computed sizes come first, so that all shapes can be said.
        let mut computed = BTreeSet::new();
        let mut look = |s: &Size| {
            s.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    computed.insert(Var(*v));
                }
            });
        };
        space.axes.iter().chain(steps).for_each(&mut look);
        for (_, k) in &known {
            match &k.val {
                Val::Affine(a) => a.coefs.iter().chain([&a.constant]).for_each(&mut look),
                Val::Array(v) => self.out.ty(*v).shape.iter().for_each(&mut look),
            }
        }
        for v in init.iter().chain(&space.guard) {
            self.out.ty(*v).shape.iter().for_each(&mut look);
        }
        for (_, n) in &self.steps {
            look(n);
        }
        let mut params: Vec<Param> = vec![];
        let mut given: Vec<Var> = vec![];
        let mut sizes = vec![];
        for v in computed {
            sizes.push((v, Var(params.len() as u32)));
            params.push(param("size", Elem::Int, vec![]));
            given.push(v);
        }
        let within = |s: &Size| {
            translate_size(s, &mut |v| {
                let inner = sizes.iter().find(|(outer, _)| *outer == v);
                inner.map_or(v, |(_, inner)| *inner)
            })
        };
        let shape_of =
            |me: &Self, v: Var| -> Vec<Size> { me.out.ty(v).shape.iter().map(&within).collect() };
        let mut arrays: HashMap<Var, Var> = sizes.iter().copied().collect();
        let named = known.iter().map(|(s, k)| (s.hint.to_string(), &k.val));
        let named = named.filter_map(|(name, val)| match val {
            Val::Affine(_) => None,
            Val::Array(v) => Some((name, *v)),
        });
        let guard = space.guard.map(|g| ("guard".to_owned(), g));
        for (name, v) in named.chain(guard) {
            if let std::collections::hash_map::Entry::Vacant(free) = arrays.entry(v) {
                free.insert(Var(params.len() as u32));
                params.push(param(&name, self.out.ty(v).elem, shape_of(self, v)));
                given.push(v);
            }
        }
        let mut states = vec![];
        for ((s, _), v) in l.states.iter().zip(init) {
            states.push(Var(params.len() as u32));
            params.push(param(&s.hint, self.out.ty(*v).elem, shape_of(self, *v)));
        }
        let index = Var(params.len() as u32);
        params.push(param(&l.index.hint, Elem::Int, vec![]));
        let at = Size::atom(Atom::Value(index.0));

        let flags: Vec<(Var, Var)> = (arrays.iter())
            .filter(|(v, _)| self.is_flag(**v))
            .map(|(v, inner)| (*v, *inner))
            .collect();
        let conditions: HashMap<Var, Option<Size>> = (flags.into_iter())
            .map(|(v, inner)| (inner, self.condition(v)))
            .collect();
        let around = (self.steps.iter())
            .filter_map(|(v, n)| Some((*arrays.get(v)?, within(n))))
            .chain(steps.map(|n| (index, within(n))));
        let mut inner = Vectoriser {
            steps: around.collect(),
            calls: vec![],
            conditions,
            out: Builder::new("step", params),
            env: HashMap::new(),
            next_axis: self.next_axis,
            natural: self.natural.clone(),
            in_loop: true,
            was_bulk: self.was_bulk,
        };
        let skip = usize::from(peel);
        let peels = |over: &[Axis]| peel && over.first() == space.ids.first();
        let affine = |a: &Affine, over: &[Axis]| {
            let coefs = a.coefs.iter().map(&within);
            let mut a = Affine {
                coefs: coefs.collect(),
                constant: within(&a.constant),
            };
            if peels(over) {
                let c = a.coefs.remove(0);
                a.constant = a.constant.add(&c.mul(&at));
            }
            a
        };
        let peeled = |inner: &mut Vectoriser, v: Var| {
            let shape = inner.out.shape(v).split_off(1);
            let rank = shape.len();
            let index = std::iter::once(Affine::constant(rank, at.clone()))
                .chain((0..rank).map(|k| Affine::axis(rank, k)))
                .map(Ix::Affine)
                .collect();
            inner.out.gather(v, index, &shape, None)
        };
        for (s, mut k) in known {
            let val = match k.val {
                Val::Affine(a) => Val::Affine(affine(&a, &k.over)),
                Val::Array(v) => {
                    let v = arrays[&v];
                    let v = match peels(&k.over) {
                        true => peeled(&mut inner, v),
                        false => v,
                    };
                    as_size(&inner, v)
                }
            };
            if peels(&k.over) {
                k.over.remove(0);
            }
            inner.env.insert(s, Known::new(val, k.over));
        }
        let guard = space.guard.map(|g| {
            let g = arrays[&g];
            if peel && inner.out.ty(g).rank() > 0 {
                peeled(&mut inner, g)
            } else {
                g
            }
        });
        let axes: Vec<Size> = space.axes[skip..].iter().map(&within).collect();
        let depth = axes.len();
        let certain = steps.is_some_and(|n| on_entry(n, &space.axes));
        let ends = match peel {
            true => vec![],
            false => (space.ends.iter())
                .map(|(k, a)| (*k, affine(a, &[])))
                .collect(),
        };
        let space = Space {
            axes,
            ids: space.ids[skip..].to_vec(),
            guard,
            ends,
            when: vec![],
            masked: space.masked,
            conditional: space.conditional || (peel && !space.ends.is_empty()),
            unsure: space.unsure || !certain,
        };
        if !peel {
            for ((s, _), v) in l.states.iter().zip(&states) {
                let val = as_size(&inner, *v);
                inner.know(s, val, &space);
            }
            let here = Affine::constant(depth, at);
            inner.know(&l.index, Val::Affine(here), &space);
        }
        Body {
            inner,
            space,
            states,
            given,
            sizes,
        }
    }

    /// Ends the body of a loop. The function demands on entry what the body demands, if the loop
    /// takes a step. If that depends on a computed value, the place of use checks it instead.
    pub(super) fn close(
        &mut self,
        body: Body,
        results: Vec<Var>,
        steps: Option<&Size>,
        space: &Space,
    ) -> (Vec<Var>, Program) {
        let mut program = body.inner.out.finish(results);
        for mut r in std::mem::take(&mut program.requires) {
            r.when.extend(steps.cloned());
            r.when.extend(space.reached());
            r.when.retain(|s| !s.at_least(1));
            r.when.sort();
            r.when.dedup();
            if on_entry(&r.left, &r.when) && on_entry(&r.right, &[]) {
                self.out.require(r);
            }
        }
        (body.given, program)
    }

    /// Whether an unguarded affine index is inside of an axis of length `n`: evidently, or by
    /// demand on entry. Indices of loops around count as axes.
    pub(super) fn inside(&mut self, a: &Affine, n: &Size, space: &Space) -> bool {
        if self.is_evidently_inside(a, n, space) {
            return true;
        }
        let (whole, axes) = self.with_steps(a, &space.axes);
        if space.unsure {
            return whole.inside(&axes, n);
        }
        whole.inside(&axes, n) || (self.out).demand_inside(&whole, &axes, &space.when, n)
    }

    /// An index with those of loops around as axes.
    pub(super) fn with_steps(&self, a: &Affine, axes: &[Size]) -> (Affine, Vec<Size>) {
        let (mut whole, mut axes) = (a.clone(), axes.to_vec());
        for (v, steps) in &self.steps {
            if let Some((c, rest)) = whole.constant.linear_in(&Atom::Value(v.0)) {
                whole.constant = rest;
                whole.coefs.push(c);
                axes.push(steps.clone());
            }
        }
        (whole, axes)
    }

    /// The same, seen here. The number of steps of a loop may depend on the loops around it.
    fn is_evidently_inside(&self, a: &Affine, n: &Size, space: &Space) -> bool {
        // Only what it depends on stays around it.
        let mentions = |v: &Var| {
            let linear = a.constant.linear_in(&Atom::Value(v.0));
            linear.is_none_or(|(c, _)| !c.is(0))
        };
        let steps = self.steps.iter().filter(|(v, _)| mentions(v));
        let mut positive = a.used(&space.axes);
        positive.extend(steps.map(|(_, n)| n.clone()));
        let Some((mut low, mut high)) = a.range(&space.axes) else {
            return false;
        };
        for (v, steps) in self.steps.iter().rev() {
            for (bound, greatest) in [(&mut low, false), (&mut high, true)] {
                let Some((c, rest)) = bound.linear_in(&Atom::Value(v.0)) else {
                    return false;
                };
                let grows = c.at_least_given(0, &positive);
                if !grows && !c.neg().at_least_given(0, &positive) {
                    return false;
                }
                *bound = match grows == greatest {
                    true => rest.add(&c.mul(&steps.plus(-1))),
                    false => rest,
                };
            }
        }
        low.at_least_given(0, &positive) && n.sub(&high).at_least_given(1, &positive)
    }

    /// An array with a part replaced.
    pub(super) fn update(&mut self, u: &Update, space: &Space) -> Result<Val, String> {
        let depth = space.axes.len();
        let src = self.whole(&u.array, space)?;
        let ty = self.out.ty(src).clone();
        let mut within = space.clone();
        if let Some(c) = &u.when {
            let c = self.whole(c, space)?;
            within = self.under(c, space);
        }
        let own = ty.shape[depth..].to_vec();
        let value = self.whole(&u.value, &within)?;
        let mut lengths = self.out.shape(value).split_off(depth).into_iter();
        let kept: Vec<Size> = (own.iter().zip(&u.at))
            .filter_map(
                |(n, along)| match (along, along.is_axis().then(|| lengths.next())?) {
                    (Along::From(_), length) => length,
                    (Along::All | Along::At(_), _) => Some(n.clone()),
                },
            )
            .collect();
        let shape: Vec<Size> = space.axes.iter().chain(&kept).cloned().collect();
        let rank = shape.len();
        let mut index: Vec<Ix> = (0..depth)
            .map(|k| Ix::Affine(Affine::axis(rank, k)))
            .collect();
        let mut next = depth;
        for (along, n) in u.at.iter().zip(&own) {
            index.push(match along {
                Along::All => Ix::Affine(Affine::axis(rank, next)),
                Along::At(e) => match self.component(e, n, &within)? {
                    Ix::Affine(mut a) => {
                        a.coefs.resize(rank, Size::lit(0));
                        Ix::Affine(a)
                    }
                    Ix::Data(v) => {
                        let axes: Vec<usize> = (0..depth).collect();
                        Ix::Data(self.out.spread(v, &axes, &shape))
                    }
                },
                Along::From(e) => self.stretch((e, next), n, &shape, &within)?,
            });
            next += usize::from(along.is_axis());
        }
        let like = Type {
            elem: ty.elem,
            shape,
        };
        let value = shaped(self, value, &like, &within)
            .ok_or("a part of an array is replaced by one of another length, as far as can be seen before the function runs")?;
        let when = self.guard(&within, &kept);
        let part = Part { src: value, index };
        let op = Op::update(src, part, when);
        let guard = None;
        Ok(Val::Array(self.out.push(Eq { ty, guard, op })))
    }

    /// Where a part lies along an axis of length `n` that it covers from an index on, with its own
    /// axis at a position of its shape.
    fn stretch(
        &mut self,
        (from, axis): (&Expr, usize),
        n: &Size,
        shape: &[Size],
        space: &Space,
    ) -> Result<Ix, String> {
        let (depth, rank) = (space.axes.len(), shape.len());
        let mut along = Affine::axis(rank, axis);
        Ok(match self.expr(from, space)? {
            Val::Affine(mut a) => {
                a.coefs.resize(rank, Size::lit(0));
                along = along.add_scaled(&a, &Size::lit(1));
                let mut whole = space.clone();
                whole.axes = shape.to_vec();
                self.checked(along, n, &whole)
            }
            Val::Array(v) => {
                let axes: Vec<usize> = (0..depth).collect();
                let from = self.out.spread(v, &axes, shape);
                let along = self.out.index(along, shape);
                Ix::Data(self.out.map(Prim::IAdd, &[from, along], None))
            }
        })
    }
}

impl Vectoriser {
    /// Whether an array came from another one by changes in place only, each of which does nothing
    /// where a condition does not hold: updates under it, and loops that take no step then.
    ///
    /// ```text
    /// x' = (.. x with e at i where c ..)        select(c, x', x) = x'
    /// ```
    pub(super) fn changes_where(&self, c: Var, older: Var, newer: Var) -> bool {
        let within = |guard: Var| self.out.implies(guard, c);
        let mut at = newer;
        while at != older {
            let Some(eq) = self.out.eq(at) else {
                return false;
            };
            at = match &eq.op {
                Op::Update {
                    src, when: Some(w), ..
                } => {
                    let spread = match self.out.eq(*w).map(|e| &e.op) {
                        Some(Op::Gather { src, index }) if index.is_empty() => src,
                        Some(_) | None => w,
                    };
                    if !within(*spread) {
                        return false;
                    }
                    *src
                }
                Op::Loop {
                    looped,
                    steps,
                    given,
                    init,
                    out,
                } if *out < looped.states => {
                    let stays = match (steps, &looped.goes_on) {
                        (Some(n), _) => self.guard_of_steps(n).is_some_and(within),
                        (None, Some(goes_on)) => {
                            let holds = goes_on.eq(goes_on.results[0]).map(|e| &e.op);
                            matches!(holds, Some(Op::Map(Prim::And, args)) if args.iter().any(|v| {
                                given.get(v.index()).is_some_and(|g| within(*g))
                            }))
                        }
                        (None, None) => false,
                    };
                    if !stays {
                        return false;
                    }
                    init[*out]
                }
                Op::Update { when: None, .. }
                | Op::Fill(_)
                | Op::Index(_)
                | Op::Call { .. }
                | Op::Map(..)
                | Op::Gather { .. }
                | Op::Scatter(_)
                | Op::Reduce { .. }
                | Op::ArgReduce { .. }
                | Op::Recur { .. }
                | Op::Contract { .. }
                | Op::Copy(_)
                | Op::Stop(_)
                | Op::Loop { .. } => return false,
            };
        }
        true
    }

    /// Where a loop takes any step, if `trips` has said so.
    fn guard_of_steps(&self, n: &Size) -> Option<Var> {
        let mut found = None;
        n.visit(&mut |a| {
            if let Atom::Value(v) = a {
                found = Some(Var(*v));
            }
        });
        let v = found.filter(|v| *n == Size::atom(Atom::Value(v.0)))?;
        let Op::Map(Prim::Select, args) = &self.out.eq(v)?.op else {
            return None;
        };
        let none = &self.out.eq(args[2])?.op;
        (*none == Op::Fill(Lit::Int(0))).then_some(args[0])
    }
}

/// A scalar integer outside of all binders may be a size.
fn as_size(inner: &Vectoriser, v: Var) -> Val {
    let ty = inner.out.ty(v);
    if ty.elem == Elem::Int && ty.rank() == 0 {
        return Val::Affine(Affine::constant(0, Size::atom(Atom::Value(v.0))));
    }
    Val::Array(v)
}

fn param(name: &str, elem: Elem, shape: Vec<Size>) -> Param {
    Param {
        name: name.to_owned(),
        ty: Type { elem, shape },
    }
}

/// A value with the shape of a state.
fn fitting(v: &mut Vectoriser, next: Var, state: Var, space: &Space) -> Option<Var> {
    let like = v.out.ty(state).clone();
    shaped(v, next, &like, space)
}

/// A value with this shape, which it must have; `None` if that can be seen neither here, nor on
/// entry, nor where the value is read.
fn shaped(v: &mut Vectoriser, value: Var, like: &Type, space: &Space) -> Option<Var> {
    let is = v.out.shape(value);
    if is == like.shape {
        return Some(value);
    }
    let mut index = vec![];
    for (k, (n, m)) in is.iter().zip(&like.shape).enumerate() {
        let mut here = Affine::axis(is.len(), k);
        let difference = n.sub(m);
        // A negative length is none.
        let some = |n: &Size| match n.at_least(0) {
            true => n.clone(),
            false => n.larger(&Size::lit(0)),
        };
        if difference.is(0) || some(n) == some(m) {
            index.push(Ix::Affine(here));
            continue;
        }
        let sides = on_all_sides(difference.clone());
        // A difference wherever there are elements is no demand, it is a mistake.
        let is_known = |d: &Size| {
            let some = &like.shape;
            d.at_least_given(1, some) || Size::lit(0).sub(d).at_least_given(1, some)
        };
        if sides
            .iter()
            .any(|d| is_known(d) || !on_entry(d, &space.axes))
        {
            return None;
        }
        if space.is_sure() {
            for difference in sides {
                (v.out).require_sign(&space.reached(), &difference, Relation::Equal);
            }
            index.push(Ix::Affine(here));
        } else {
            let elements = like.shape.iter().fold(Size::lit(1), |all, n| all.mul(n));
            here.constant = outside_unless_equal(n, m);
            index.push(Ix::Data(v.out.index(here, &like.shape)));
            // Without elements nothing is read.
            let mut when = space.reached();
            when.push(Size::lit(1).sub(&elements));
            v.out.require_sign(&when, &difference, Relation::Equal);
        }
    }
    let guard = v.guard(space, &like.shape[space.axes.len()..]);
    Some(v.out.gather(value, index, &like.shape, guard))
}

/// What moves each index below `m` outside of an axis, unless `n = m`:
/// `i - m |n - m| < 0` for all `i < m`.
fn outside_unless_equal(n: &Size, m: &Size) -> Size {
    let zero = Size::lit(0);
    let distance = n.sub(m).larger(&zero).add(&m.sub(n).larger(&zero));
    zero.sub(&m.mul(&distance))
}

/// What a size is on each side of the branches that it depends on, as far as data decide these.
fn on_all_sides(size: Size) -> Vec<Size> {
    let mut sides = vec![size];
    for _ in 0..MOST_SIDES {
        let by_data = |s: &Size| s.undecided().filter(|p| !on_entry(p, &[]));
        let Some(p) = sides.iter().find_map(by_data) else {
            break;
        };
        sides = (sides.iter())
            .flat_map(|s| [s.decided(&p, true), s.decided(&p, false)])
            .collect();
        sides.dedup();
    }
    sides
}

/// As many branches are looked at.
const MOST_SIDES: usize = 4;

/// The variables that a loop mentions and does not bind, each once.
pub(super) fn free(l: &core::Loop) -> Vec<Sym> {
    let mut seen: BTreeSet<Sym> = l.syms().into_iter().cloned().collect();
    let mut out = vec![];
    for e in l.parts() {
        look(e, &mut seen, &mut out);
    }
    out
}

/// The variables that expressions mention, each once.
pub(super) fn mentioned<'a>(all: impl IntoIterator<Item = &'a Expr>) -> Vec<Sym> {
    let (mut seen, mut out) = (BTreeSet::new(), vec![]);
    for e in all {
        look(e, &mut seen, &mut out);
    }
    out
}

/// Notes the variables that are not seen yet.
fn look(e: &Expr, seen: &mut BTreeSet<Sym>, out: &mut Vec<Sym>) {
    if let Kind::Var(s) = &*e.kind
        && seen.insert(s.clone())
    {
        out.push(s.clone());
    }
    e.parts().into_iter().for_each(|e| look(e, seen, out));
}
