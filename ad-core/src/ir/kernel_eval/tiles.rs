//! Tiles.

use super::Run;
use super::sequence::joined;
use crate::ir::kernel::Tiles;
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

/// The sum of arrays, and how many additions that takes.
fn added(parts: &[Rc<Value>]) -> (Value, u64) {
    let mut sum = parts[0].real().clone();
    for next in &parts[1..] {
        let all = sum.data.iter_mut().zip(&next.real().data);
        all.for_each(|(x, y)| *x += y);
    }
    let additions = (parts.len() - 1) * sum.data.len();
    (Value::Real(sum), additions as u64)
}

/// How many indices a tile has here: several, so that a tile is neither one index nor everything.
const TILE: usize = 2;

impl<'a> Run<'a> {
    pub(super) fn tiles(&mut self, t: &'a Tiles) -> Result<(), String> {
        let extent = self.extent(&t.extent)?;
        let mut shapes = vec![];
        for o in &t.outs {
            shapes.push(self.shape(&o.ty)?);
        }
        let mut given = vec![];
        for v in &t.given {
            given.push(Some(self.shared(*v)?));
        }
        let mut parts: Vec<Vec<Rc<Value>>> = vec![vec![]; t.outs.len()];
        let mut body = Run::new(&t.body, self.args);
        let mut first = 0;
        while first < extent || parts.iter().any(Vec::is_empty) {
            let length = TILE.min(extent - first);
            let [at, many] = [first, length].map(|n| Rc::new(Value::Int(Tensor::scalar(n as i64))));
            body.memory.enter(self.memory.live);
            body.enter(&given, vec![Some(at)], vec![], many);
            body.steps()?;
            for ((o, shape), parts) in t.outs.iter().zip(&mut shapes).zip(&mut parts) {
                let part = body.shared(t.body.results[o.result])?;
                let is_added = t.added.contains(&o.result);
                if !is_added {
                    shape[0] = length;
                }
                if part.shape() != shape {
                    return Err(format!("a tile of the shape {:?}", part.shape()));
                }
                if !is_added {
                    shape[0] = extent;
                }
                parts.push(part);
            }
            first += length;
        }
        self.cost.inner(body.cost);
        for ((o, shape), parts) in t.outs.iter().zip(shapes).zip(&parts) {
            self.masks[o.var.index()] = None;
            let value = match t.added.contains(&o.result) {
                true => {
                    let (sum, additions) = added(parts);
                    self.cost.operations += additions;
                    sum
                }
                false => joined(parts, shape, o.ty.elem),
            };
            self.values[o.var.index()] = Some(Rc::new(value));
        }
        Ok(())
    }
}
