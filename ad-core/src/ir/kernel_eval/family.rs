//! Several arrays in one pass.

use super::{Frame, Mask, Run, collect};
use crate::ir::kernel::{Family, Fill, Loop};
use crate::ir::ty::Lit;
use crate::ir::value::{Tensor, Value};
use std::rc::Rc;

/// A member on its way.
enum Filled {
    Each(Vec<Lit>),
    /// Where something is there already is known, or not.
    At(Tensor<f64>, Option<Vec<bool>>),
}

impl<'a> Run<'a> {
    pub(super) fn family(&mut self, f: &'a Family) -> Result<(), String> {
        let mut filled = vec![];
        for m in &f.members {
            let shape = self.shape(&m.ty)?;
            let len = shape.iter().product();
            filled.push(match &m.fill {
                Fill::Each(_) => Filled::Each(Vec::with_capacity(len)),
                Fill::At { to: None, .. } => {
                    self.cost.stored += len as u64;
                    Filled::At(Tensor::filled(&shape, 0.0), Some(vec![false; len]))
                }
                Fill::At { to: Some(k), .. } => {
                    let of = &f.begins[*k];
                    let mask: Mask = self.mask(of);
                    let old = self.begin(of)?.real().clone();
                    if old.shape != shape {
                        return Err(format!("{:?} becomes {shape:?}", old.shape));
                    }
                    Filled::At(old, mask.map(|m| (*m).clone()))
                }
            });
        }
        let mut frame = Frame::new(self, &f.nest)?;
        let outer: Vec<Loop> = (0..f.nest.outer).collect();
        let (mut again, mut stored) = (0, 0);
        frame.each(&outer, &mut |frame| {
            for (m, filled) in f.members.iter().zip(&mut filled) {
                match (&m.fill, filled) {
                    (Fill::Each(n), Filled::Each(all)) => {
                        all.push(frame.node(*n)?);
                        stored += 1;
                    }
                    (Fill::At { adds, parts, .. }, Filled::At(out, hit)) => {
                        for p in parts {
                            if !frame.present(p.value)? {
                                continue;
                            }
                            let place = frame.place(&p.at)?;
                            let x = frame.real(p.value)?;
                            let at = (out.offset(&place)).ok_or_else(|| {
                                format!("{place:?} is outside of {:?}", out.shape)
                            })?;
                            stored += 1;
                            let is_there = match hit {
                                Some(hit) => std::mem::replace(&mut hit[at], true),
                                None => true,
                            };
                            if *adds {
                                again += u64::from(is_there);
                                out.data[at] += x;
                            } else {
                                out.data[at] = x;
                            }
                        }
                    }
                    (Fill::Each(_) | Fill::At { .. }, _) => {
                        unreachable!("made for this member")
                    }
                }
            }
            Ok(())
        })?;
        let work = frame.work;
        self.cost.nest(work);
        self.cost.operations += again;
        self.cost.stored += stored;
        for (m, filled) in f.members.iter().zip(filled) {
            let shape = self.shape(&m.ty)?;
            let (value, mask) = match filled {
                Filled::Each(all) => (collect(m.ty.elem, shape, &all), None),
                Filled::At(out, hit) => (Value::Real(out), hit.map(Rc::new)),
            };
            self.masks[m.var.index()] = mask;
            self.values[m.var.index()] = Some(Rc::new(value));
        }
        Ok(())
    }
}
