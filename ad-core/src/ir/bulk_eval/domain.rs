//! Shapes, and where an equation computes: at the positions of its shape where its guard holds.

use std::rc::Rc;

use super::Slot;
use crate::ir::ty::Elem;
use crate::ir::value::{Tensor, Value};

/// Arrays larger than this are not attempted.
const LARGEST: usize = 1 << 31;

pub(super) fn kind(value: &Value) -> Elem {
    match value {
        Value::Real(_) => Elem::Real,
        Value::Int(_) => Elem::Int,
        Value::Bool(_) => Elem::Bool,
    }
}

pub(super) fn volume(shape: &[usize]) -> Result<usize, String> {
    (shape.iter())
        .try_fold(1usize, |n, &k| n.checked_mul(k))
        .filter(|&n| n <= LARGEST)
        .ok_or_else(|| format!("the shape {shape:?} is too large"))
}

pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut out = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        out[k - 1] = out[k] * shape[k];
    }
    out
}

/// Calls `f` with each position of a shape, in order, and its index.
pub(super) fn each(
    shape: &[usize],
    mut f: impl FnMut(usize, &[usize]) -> Result<(), String>,
) -> Result<(), String> {
    let mut index = vec![0; shape.len()];
    for p in 0..shape.iter().product() {
        f(p, &index)?;
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] {
                break;
            }
            index[k] = 0;
        }
    }
    Ok(())
}

impl Slot {
    /// Whether the element at a position is not a structural zero.
    pub fn has(&self, position: usize) -> bool {
        self.present.as_ref().is_none_or(|m| m[position])
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.value.shape()
    }

    pub(super) fn real(&self) -> Result<&[f64], String> {
        match &self.value {
            Value::Real(t) => Ok(&t.data),
            Value::Int(_) | Value::Bool(_) => Err(self.unlike(Elem::Real)),
        }
    }

    pub(super) fn int(&self) -> Result<&[i64], String> {
        match &self.value {
            Value::Int(t) => Ok(&t.data),
            Value::Real(_) | Value::Bool(_) => Err(self.unlike(Elem::Int)),
        }
    }

    pub(super) fn bool(&self) -> Result<&[bool], String> {
        match &self.value {
            Value::Bool(t) => Ok(&t.data),
            Value::Real(_) | Value::Int(_) => Err(self.unlike(Elem::Bool)),
        }
    }

    pub(super) fn unlike(&self, wanted: Elem) -> String {
        format!(
            "an operand is {} where {wanted} is needed",
            kind(&self.value)
        )
    }
}

/// Where an equation computes.
pub(super) struct Domain<'a> {
    pub(super) shape: Vec<usize>,
    pub(super) len: usize,
    pub(super) guard: Option<&'a [bool]>,
}

impl Domain<'_> {
    pub(super) fn on(&self, p: usize) -> bool {
        self.guard.is_none_or(|g| g[p])
    }

    pub(super) fn any(&self) -> bool {
        self.guard.map_or(self.len > 0, |g| g.contains(&true))
    }

    pub(super) fn count(&self) -> u64 {
        match self.guard {
            None => self.len as u64,
            Some(g) => g.iter().filter(|&&x| x).count() as u64,
        }
    }

    pub(super) fn real(&self, data: Vec<f64>) -> Value {
        Value::Real(Tensor::new(self.shape.clone(), data))
    }

    pub(super) fn int(&self, data: Vec<i64>) -> Value {
        Value::Int(Tensor::new(self.shape.clone(), data))
    }

    pub(super) fn bool(&self, data: Vec<bool>) -> Value {
        Value::Bool(Tensor::new(self.shape.clone(), data))
    }

    /// Elements where the guard holds, `zero` elsewhere.
    pub(super) fn fill<T: Clone>(
        &self,
        zero: T,
        mut f: impl FnMut(usize) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut data = Vec::with_capacity(self.len);
        for p in 0..self.len {
            data.push(if self.on(p) { f(p)? } else { zero.clone() });
        }
        Ok(data)
    }

    /// A slot that is present where the guard holds.
    pub(super) fn slot(&self, value: Value) -> Slot {
        self.slot_where(value, |_| true)
    }

    /// A slot that is present where the guard and a condition hold.
    pub(super) fn slot_where(&self, value: Value, has: impl Fn(usize) -> bool) -> Slot {
        let mask: Vec<bool> = (0..self.len).map(|p| self.on(p) && has(p)).collect();
        let present = mask.contains(&false).then(|| Rc::new(mask));
        Slot { value, present }
    }

    pub(super) fn needs(&self, shape: &[usize]) -> Result<(), String> {
        if shape == self.shape {
            return Ok(());
        }
        Err(format!(
            "the shape {shape:?} where {:?} is needed",
            self.shape
        ))
    }
}
