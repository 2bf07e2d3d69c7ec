//! Programs that run where a condition holds.

use super::memory::elements;
use super::{Run, collect};
use crate::ir::kernel::{Branch, Out, Side};
use crate::ir::ty::{Elem, Lit};
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

impl<'a> Run<'a> {
    /// The results of the side that the condition chooses; zeros where there is none.
    pub(super) fn branch(&mut self, b: &'a Branch) -> Result<(), String> {
        let mut shapes = vec![];
        for o in &b.outs {
            shapes.push(self.shape(&o.ty)?);
        }
        let holds = self.value(b.when)?.bool().data == [true];
        let side = if holds {
            Some(&b.then)
        } else {
            b.otherwise.as_ref()
        };
        if let Some(side) = side {
            return self.side(side, &b.outs, shapes);
        }
        for (o, shape) in b.outs.iter().zip(shapes) {
            let len = shape.iter().product();
            let zeros = vec![Lit::zero(o.ty.elem); len];
            let value = collect(o.ty.elem, shape, &zeros);
            self.cost.stored += elements(&value);
            let is_real = o.ty.elem == Elem::Real;
            self.masks[o.var.index()] = is_real.then(|| Rc::new(vec![false; len]));
            self.values[o.var.index()] = Some(Rc::new(value));
        }
        Ok(())
    }

    fn side(
        &mut self,
        side: &'a Side,
        outs: &[Out],
        shapes: Vec<Vec<usize>>,
    ) -> Result<(), String> {
        let mut given = vec![];
        for v in &side.given {
            given.push(Some(self.shared(*v)?));
        }
        let mut body = Run::new(&side.body, self.args);
        body.memory.enter(self.memory.live);
        let unused = Rc::new(Value::Int(Tensor::scalar(0)));
        body.enter(&given, vec![], vec![], unused);
        body.steps()?;
        self.cost.inner(body.cost);
        for (o, shape) in outs.iter().zip(shapes) {
            let v = side.body.results[o.result];
            let value = body.shared(v)?;
            if value.shape() != shape {
                return Err(format!("a branch gives the shape {:?}", value.shape()));
            }
            self.masks[o.var.index()] = body.masks[v.index()].clone();
            self.values[o.var.index()] = Some(value);
        }
        Ok(())
    }
}
