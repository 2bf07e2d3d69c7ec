//! Loops, and arrays that are changed.

use super::{Cost, Frame, Mask, Run, bytes, elements};
use crate::ir::bulk::Var;
use crate::ir::kernel::{Contribution, Loop, Sequence, Source};
use crate::ir::ty::{Elem, Lit};
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

impl<'a> Run<'a> {
    /// The array that something begins with: copied only where somebody else has it.
    pub(super) fn begin(&mut self, of: &Source) -> Result<Rc<Value>, String> {
        if of.taken && self.program.results.contains(&of.array) {
            self.kept.push((of.array, self.shared(of.array)?));
        }
        let slot = self.values.get_mut(of.array.index());
        let value = slot.and_then(|v| if of.taken { v.take() } else { v.clone() });
        value.ok_or_else(|| format!("v{} is not computed yet", of.array.0))
    }

    /// An array with some elements replaced or added to.
    pub(super) fn change(
        &mut self,
        of: &Source,
        adds: bool,
        parts: &[Contribution],
    ) -> Result<(Value, Mask), String> {
        let old = self.value(of.array)?.shape().to_vec();
        let mut changes: Vec<(usize, Lit)> = vec![];
        for c in parts {
            let mut frame = Frame::new(self, &c.nest)?;
            let outer: Vec<Loop> = (0..c.nest.outer).collect();
            let guard = c.nest.nodes[c.nest.root].guard;
            frame.each(&outer, &mut |frame| {
                let there = match (adds, guard) {
                    (true, _) => frame.present(c.nest.root)?,
                    (false, Some(g)) => frame.node(g)? == Lit::Bool(true),
                    (false, None) => true,
                };
                if !there {
                    return Ok(());
                }
                let place = frame.place(&c.at)?;
                let at = Tensor::<()> {
                    shape: old.clone(),
                    data: vec![],
                };
                let at = at.offset(&place);
                let at = at.ok_or_else(|| format!("{place:?} is outside of {old:?}"))?;
                changes.push((at, frame.node(c.nest.root)?));
                Ok(())
            })?;
            let work = frame.work;
            self.cost.nest(work);
        }
        let mut mask = self.mask(of);
        if let Some(mask) = &mut mask {
            let mask = Rc::make_mut(mask);
            for (at, _) in &changes {
                self.cost.operations += u64::from(adds && mask[*at]);
                mask[*at] = true;
            }
        } else if adds {
            self.cost.operations += changes.len() as u64;
        }
        self.cost.stored += changes.len() as u64;
        let mut value = Rc::try_unwrap(self.begin(of)?).unwrap_or_else(|shared| (*shared).clone());
        for (at, new) in changes {
            match (&mut value, new) {
                (Value::Real(t), Lit::Real(x)) if adds => t.data[at] += x,
                (Value::Real(t), Lit::Real(x)) => t.data[at] = x,
                (Value::Int(t), Lit::Int(x)) => t.data[at] = x,
                (Value::Bool(t), Lit::Bool(x)) => t.data[at] = x,
                (Value::Real(_) | Value::Int(_) | Value::Bool(_), new) => {
                    return Err(format!("{new} is of another kind"));
                }
            }
        }
        Ok((value, mask))
    }

    pub(super) fn mask(&mut self, of: &Source) -> Mask {
        let mask = &mut self.masks[of.array.index()];
        if of.taken { mask.take() } else { mask.clone() }
    }

    /// Runs a loop.
    pub(super) fn sequence(&mut self, s: &'a Sequence) -> Result<(), String> {
        let steps = match &s.steps {
            Some(n) => Some(self.extent(n)?),
            None => None,
        };
        // The shapes of what is stacked, where they are needed: without any step.
        let mut shapes = vec![];
        for o in &s.outs {
            let is_stack = (s.states..s.body.results.len()).contains(&o.result);
            // How many rows there are may be a result itself.
            let counted = usize::from(s.steps.is_none());
            let all = if is_stack {
                &o.ty.shape[counted..]
            } else {
                &[]
            };
            let all = all.iter().map(|n| self.extent(n));
            shapes.push(all.collect::<Result<Vec<_>, _>>()?);
        }
        let mut given = vec![];
        for v in &s.given {
            let value = self.values.get(v.index()).cloned().flatten();
            given.push(Some(
                value.ok_or_else(|| format!("v{} is not computed yet", v.0))?,
            ));
        }
        let (mut states, mut masks) = (vec![], vec![]);
        for source in &s.init {
            masks.push(self.mask(source));
            states.push(Some(self.begin(source)?));
        }
        let mut stacks: Vec<Vec<Rc<Value>>> = vec![vec![]; s.stacks()];
        let mut body = Run::new(&s.body, self.args);
        let mut condition = s.goes_on.as_ref().map(|c| Run::new(c, self.args));
        let (mut count, mut stacked) = (0, 0);
        while steps.is_none_or(|n| count < n) {
            let index = match steps {
                Some(n) if s.reverse => n - 1 - count,
                Some(_) | None => count,
            };
            let index = Rc::new(Value::Int(Tensor::scalar(index as i64)));
            if let Some(c) = &mut condition {
                c.memory.enter(self.memory.live + stacked);
                c.enter(&given, states.clone(), vec![], index.clone());
                c.steps()?;
                if c.value(c.program.results[0])?.bool().data != [true] {
                    break;
                }
                c.values.fill(None);
            }
            body.memory.enter(self.memory.live + stacked);
            for (k, state) in states.iter().enumerate() {
                let bytes = state.as_deref().map_or(0, bytes);
                body.memory.allocate(s.state(k), bytes);
            }
            body.enter(
                &given,
                std::mem::take(&mut states),
                std::mem::take(&mut masks),
                index,
            );
            body.steps()?;
            for (k, v) in s.body.results.iter().enumerate() {
                let value = body.shared(*v)?;
                if k < s.states {
                    masks.push(body.masks[v.index()].clone());
                    states.push(Some(value));
                } else {
                    // A scalar that is stacked is an element of an array.
                    self.cost.stored += elements(&value).max(1);
                    stacked += bytes(&value).max(8);
                    stacks[k - s.states].push(value);
                }
            }
            count += 1;
        }
        self.cost.visits += count as u64;
        self.cost.inner(body.cost);
        self.cost
            .inner(condition.map_or(Cost::default(), |c| c.cost));
        for (o, shape) in s.outs.iter().zip(shapes) {
            self.masks[o.var.index()] = masks.get(o.result).cloned().flatten();
            let value = if let Some(state) = states.get(o.result) {
                state.clone().ok_or("a state is missing")?
            } else if let Some(stack) = stacks.get_mut(o.result - s.states) {
                if s.reverse {
                    stack.reverse();
                }
                let (rows, inner) = shape.split_at(usize::from(s.steps.is_some()));
                let rows = rows.first().copied().unwrap_or(count);
                Rc::new(pile(stack, rows, inner, o.ty.elem)?)
            } else {
                Rc::new(Value::Int(Tensor::scalar(count as i64)))
            };
            self.values[o.var.index()] = Some(value);
        }
        Ok(())
    }

    /// Sets the parameters for a step.
    pub(super) fn enter(
        &mut self,
        given: &[Option<Rc<Value>>],
        states: Vec<Option<Rc<Value>>>,
        masks: Vec<Mask>,
        index: Rc<Value>,
    ) {
        self.values.fill(None);
        self.masks.fill(None);
        let of_states = self.masks.iter_mut().skip(given.len());
        of_states.zip(masks).for_each(|(slot, m)| *slot = m);
        self.kept.clear();
        let params = given.iter().cloned().chain(states).chain([Some(index)]);
        for (slot, value) in self.values.iter_mut().zip(params) {
            *slot = value;
        }
    }

    pub(super) fn shared(&self, v: Var) -> Result<Rc<Value>, String> {
        let kept = || self.kept.iter().find(|(k, _)| *k == v);
        let value = self.values.get(v.index()).cloned().flatten();
        let value = value.or_else(|| kept().map(|(_, value)| value.clone()));
        value.ok_or_else(|| format!("v{} is not computed yet", v.0))
    }
}

/// Arrays of one shape behind each other.
fn pile(stack: &[Rc<Value>], rows: usize, inner: &[usize], elem: Elem) -> Result<Value, String> {
    if let Some(v) = stack.iter().find(|v| v.shape() != inner) {
        return Err(format!("stacks the shape {:?} as {inner:?}", v.shape()));
    }
    let Some(more) = rows.checked_sub(stack.len()) else {
        return Err(format!("stacks {} arrays as {rows}", stack.len()));
    };
    let zeros = Rc::new(match elem {
        Elem::Real => Value::Real(Tensor::filled(inner, 0.0)),
        Elem::Int => Value::Int(Tensor::filled(inner, 0)),
        Elem::Bool => Value::Bool(Tensor::filled(inner, false)),
    });
    let all: Vec<_> = (stack.iter().cloned())
        .chain(std::iter::repeat_n(zeros, more))
        .collect();
    let shape = [&[rows], inner].concat();
    Ok(joined(&all, shape, elem))
}

/// The elements of several arrays as one array.
pub(super) fn joined(arrays: &[Rc<Value>], shape: Vec<usize>, elem: Elem) -> Value {
    match elem {
        Elem::Real => {
            let data = arrays.iter().flat_map(|v| v.real().data.clone());
            Value::Real(Tensor::new(shape, data.collect()))
        }
        Elem::Int => {
            let data = arrays.iter().flat_map(|v| v.int().data.clone());
            Value::Int(Tensor::new(shape, data.collect()))
        }
        Elem::Bool => {
            let data = arrays.iter().flat_map(|v| v.bool().data.clone());
            Value::Bool(Tensor::new(shape, data.collect()))
        }
    }
}
