//! Random arguments for Bulk programs, and the comparison of what comes out.

use cotangent_core::ir::bulk::Program;
use cotangent_core::ir::generate::Rng;
use cotangent_core::ir::ty::{Atom, Elem, Size};
use cotangent_core::ir::value::{Tensor, Value};

/// How long the axes are.
#[derive(Clone, Copy)]
pub(crate) enum Sizes {
    /// Three, and integers are two.
    Threes,
    /// Each on its own from here to four, and integers up to three.
    Any { from: usize },
}

/// Arguments of the types that the program declares; `None` where a length comes out negative or is
/// computed by the program.
///
/// The numbers are quarters of small integers, so that sums of products of them are exact in any
/// order. `special`: also zeros of either sign, infinities and NaN.
pub(crate) fn inputs(
    program: &Program,
    sizes: Sizes,
    special: bool,
    rng: &mut Rng,
) -> Option<Vec<Value>> {
    let mut dims = std::collections::HashMap::new();
    let mut ints = vec![];
    for (k, p) in program.params.iter().enumerate() {
        ints.push(match sizes {
            Sizes::Threes => 2,
            Sizes::Any { .. } => rng.below(4) as i64,
        });
        for (axis, n) in p.ty.shape.iter().enumerate() {
            if *n == Size::dim(k, axis) {
                let n = match sizes {
                    Sizes::Threes => 3,
                    Sizes::Any { from } => from + rng.below(5 - from),
                };
                dims.insert((k, axis), n as i64);
            }
        }
    }
    let mut size = |n: &Size| {
        let n = n.eval(&mut |a| match a {
            Atom::Dim { param, axis } => dims.get(&(*param, *axis)).copied(),
            Atom::Int { param } => Some(ints[*param]),
            Atom::Value(_)
            | Atom::Quot(..)
            | Atom::Rem(..)
            | Atom::Min(..)
            | Atom::Max(..)
            | Atom::Select(..) => None,
        });
        n.and_then(|n| usize::try_from(n).ok())
    };
    let mut out = vec![];
    for (k, p) in program.params.iter().enumerate() {
        let shape: Vec<usize> = p.ty.shape.iter().map(&mut size).collect::<Option<_>>()?;
        let n = shape.iter().product();
        out.push(match p.ty.elem {
            Elem::Int if shape.is_empty() => Value::Int(Tensor::scalar(ints[k])),
            Elem::Int => Value::Int(Tensor::new(
                shape,
                (0..n).map(|_| rng.below(3) as i64).collect(),
            )),
            Elem::Bool => Value::Bool(Tensor::new(shape, (0..n).map(|_| rng.chance(50)).collect())),
            Elem::Real => {
                let one = |_| match special {
                    true if rng.chance(50) => {
                        rng.pick(&[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN])
                    }
                    _ => (rng.below(17) as f64 - 8.0) / 4.0,
                };
                Value::Real(Tensor::new(shape, (0..n).map(one).collect()))
            }
        });
    }
    Some(out)
}

/// Whether two values differ: in any bit, but one NaN is like another.
pub(crate) fn differs(a: &Value, b: &Value, unsigned_zeros: bool) -> bool {
    if let (Value::Real(x), Value::Real(y)) = (a, b) {
        let same = |(x, y): (&f64, &f64)| {
            x.to_bits() == y.to_bits()
                || (x.is_nan() && y.is_nan())
                || (unsigned_zeros && *x == 0.0 && *y == 0.0)
        };
        x.shape != y.shape || !x.data.iter().zip(&y.data).all(same)
    } else {
        a != b
    }
}
