//! Tiles.

use super::Run;
use super::sequence::joined;
use crate::ir::kernel::Tiles;
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

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
        while first < extent {
            let length = TILE.min(extent - first);
            let [at, many] = [first, length].map(|n| Rc::new(Value::Int(Tensor::scalar(n as i64))));
            body.enter(&given, vec![Some(at)], vec![], many);
            body.steps()?;
            for ((o, shape), parts) in t.outs.iter().zip(&mut shapes).zip(&mut parts) {
                let part = body.shared(t.body.results[o.result])?;
                shape[0] = length;
                if part.shape() != shape {
                    return Err(format!("a tile of the shape {:?}", part.shape()));
                }
                shape[0] = extent;
                parts.push(part);
            }
            first += length;
        }
        self.cost += body.cost;
        for ((o, shape), parts) in t.outs.iter().zip(shapes).zip(&parts) {
            self.masks[o.var.index()] = None;
            self.values[o.var.index()] = Some(Rc::new(joined(parts, shape, o.ty.elem)));
        }
        Ok(())
    }
}
