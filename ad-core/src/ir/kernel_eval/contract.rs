//! Products of matrices.

use super::super::build::Builder;
use super::super::bulk::{self, Affine, Op, Var};
use super::super::kernel::{Operand, Within};
use super::super::prims::Prim;
use super::super::ty::{Elem, Size};
use super::super::value::Value;
use super::{Run, Type, bulk_eval, elements, own_shape};

impl Run<'_> {
    /// A product, as the contraction of Bulk: what is not within the bounds is guarded off, of an
    /// operand that has both labels or else of the result.
    pub(super) fn contract(
        &mut self,
        (a, a_axes): (&Operand, &[u8]),
        (b, b_axes): (&Operand, &[u8]),
        out_axes: &[u8],
        within: &[Within],
    ) -> Result<Value, String> {
        let operands = [self.operand(a)?, self.operand(b)?];
        let real = |shape| Type {
            elem: Elem::Real,
            shape,
        };
        let shapes = [own_shape(0, &operands[0]), own_shape(1, &operands[1])];
        let params = (shapes.iter().enumerate())
            .map(|(k, shape)| bulk::Param {
                name: format!("operand{k}"),
                ty: real(shape.clone()),
            })
            .collect();
        let mut out = Builder::new("contraction", params);
        let mut shape = vec![];
        for l in out_axes {
            let of = |k: usize, axes: &[u8]| {
                let axis = axes.iter().position(|x| x == l);
                axis.map(|axis| Size::dim(k, axis))
            };
            shape.extend(of(0, a_axes).or(of(1, b_axes)));
        }
        let mut bounded = vec![];
        for (axes, shape) in [
            (a_axes, &shapes[0]),
            (b_axes, &shapes[1]),
            (out_axes, &shape),
        ] {
            let mut guard = None;
            for w in within {
                let at = |l| axes.iter().position(|x| *x == l);
                let (Some(less), Some(more)) = (at(w.less), at(w.more)) else {
                    continue;
                };
                let index = |axis: usize, by: i64| {
                    let mut i = Affine::axis(axes.len(), axis);
                    i.constant = Size::lit(by);
                    Op::Index(i)
                };
                let by = self.size(&w.by)?;
                let [less, more] = [index(less, 0), index(more, by)].map(|op| {
                    let (elem, shape) = (Elem::Int, shape.clone());
                    let (ty, guard) = (Type { elem, shape }, None);
                    out.push(bulk::Eq { ty, guard, op })
                });
                let holds = out.map(Prim::ILe, &[less, more], None);
                guard = out.both(guard, Some(holds));
            }
            bounded.push(guard);
        }
        let a = out.masked(Var(0), bounded[0]);
        let b = out.masked(Var(1), bounded[1]);
        let product = out.push(bulk::Eq {
            ty: real(shape),
            guard: bounded[2],
            op: Op::Contract {
                a,
                b,
                a_axes: a_axes.to_vec(),
                b_axes: b_axes.to_vec(),
                out_axes: out_axes.to_vec(),
            },
        });
        let mut outcome = bulk_eval::eval(&out.finish(vec![product]), &operands)?;
        let value = &outcome.results[0];
        // A sum of k products takes k - 1 additions.
        let sums = value.shape().iter().product::<usize>() as u64;
        self.cost.visits += (outcome.cost + sums).div_ceil(2);
        self.cost.operations += outcome.cost;
        self.cost.stored += elements(value);
        Ok(outcome.results.remove(0))
    }
}
