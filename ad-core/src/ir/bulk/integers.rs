//! The integers of a program in terms of what is known of its parameters.

use super::{Op, Program, Var};
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Size};

/// A size of a program, in terms of what is known of its variables.
pub fn translated(known: &[Option<Size>], s: &Size) -> Option<Size> {
    let of = |a: &Atom| {
        if let Atom::Value(v) = a {
            return known[*v as usize].clone();
        }
        Some(Size::atom(a.clone()))
    };
    let mut all = true;
    s.visit(&mut |a| all &= of(a).is_some());
    all.then(|| s.substitute(&mut |a| of(a).expect("known")))
}

impl Program {
    /// What is known of each variable, if that is known of the parameters: sums and differences of
    /// integers of rank 0, positions and literals.
    pub fn integers(&self, params: Vec<Option<Size>>) -> Vec<Option<Size>> {
        let mut known = params;
        for eq in &self.eqs {
            let of = |v: &Var| known[v.index()].clone();
            let is_scalar_integer = eq.ty.elem == Elem::Int && eq.ty.shape.is_empty();
            let value = if !is_scalar_integer || eq.guard.is_some() {
                None
            } else if let Op::Index(a) = &eq.op {
                translated(&known, &a.constant)
            } else if let Op::Fill(l) = &eq.op {
                l.as_size()
            } else if let Op::Map(p @ (Prim::IAdd | Prim::ISub), args) = &eq.op {
                let operands = of(&args[0]).zip(of(&args[1]));
                operands.map(|(a, b)| match *p == Prim::IAdd {
                    true => a.add(&b),
                    false => a.sub(&b),
                })
            } else {
                None
            };
            known.push(value);
        }
        known
    }
}
