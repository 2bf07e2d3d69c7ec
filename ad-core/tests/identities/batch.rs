//! A linearised program at many tangents at once.

use cotangent_core::ir::build::Builder;
use cotangent_core::ir::bulk::{Affine, Eq, Ix, Op, Param, Part, Program, Type, Var};
use cotangent_core::ir::core::ReduceOp;
use cotangent_core::ir::linear::Linearised;
use cotangent_core::ir::prims::Prim;
use cotangent_core::ir::ty::{Elem, Size};

/// The tangent of the only result at many tangents of the first parameter: a program with one more
/// parameter, an array of them of the given shape, whose first axes number them. Linear equations
/// get these axes in front of their own; all others stay as they are.
pub(crate) fn batched(l: &Linearised, shape: &[Size]) -> Program {
    let primal = l.program.params.len() - l.tangents.len();
    let [tangent] = l.tangents[..] else {
        panic!("one differentiated parameter");
    };
    let mut params = l.program.params[..primal].to_vec();
    params.push(Param {
        name: "tangents".to_owned(),
        ty: Type {
            elem: Elem::Real,
            shape: shape.to_vec(),
        },
    });
    let mut out = Builder::new(&l.program.name, params);
    for r in &l.program.requires {
        out.require(r.clone());
    }
    let many = shape.len() - l.program.ty(tangent).rank();
    let mut b = Batch {
        axes: shape[..many].to_vec(),
        out,
        linear: &l.linear,
        new: (0..=primal).map(|k| Var(k as u32)).collect(),
    };
    for (k, eq) in l.program.eqs.iter().enumerate() {
        let v = if l.linear[l.program.var_of(k).index()] {
            let eq = b.equation(eq);
            b.out.push(eq)
        } else {
            let new = &b.new;
            b.out.copy(eq, &mut |v| new[v.index()])
        };
        b.new.push(v);
    }
    let [Some(result)] = l.result_tangents[..] else {
        panic!("one result that depends on the parameter");
    };
    let result = b.new[result.index()];
    b.out.finish(vec![result])
}

/// A program at the tangents that another computes from the first parameter, in place of its last
/// one. The zeros of tangents are structural: `select(c, a, 0)` is `[c] a`.
pub(crate) fn at(program: &Program, tangents: &Program) -> Program {
    let last = program.params.len() - 1;
    let mut out = Builder::new(&program.name, program.params[..last].to_vec());
    let mut made = vec![Var(0)];
    for eq in &tangents.eqs {
        let v = out.copy(eq, &mut |v| made[v.index()]);
        made.push(v);
    }
    let all = made[tangents.results[0].index()];
    let selected = out.eq(all).map(|e| e.op.clone());
    let all = if let Some(Op::Map(Prim::Select, args)) = selected {
        out.masked(args[1], Some(args[0]))
    } else {
        all
    };
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Var> = (0..last).map(|k| Var(k as u32)).collect();
    new.push(all);
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    out.finish(results)
}

struct Batch<'a> {
    out: Builder,
    /// The axes that number the tangents.
    axes: Vec<Size>,
    linear: &'a [bool],
    /// The new name of each variable. Linear ones have the further axes.
    new: Vec<Var>,
}

impl Batch<'_> {
    /// A shape behind the further axes.
    fn shape(&self, own: &[Size]) -> Vec<Size> {
        [&self.axes[..], own].concat()
    }

    /// A variable with the further axes, along which it is repeated if it is not linear.
    fn var(&mut self, v: Var) -> Var {
        let new = self.new[v.index()];
        if self.linear[v.index()] {
            return new;
        }
        let shape = self.shape(&self.out.shape(new));
        let own: Vec<usize> = (self.axes.len()..shape.len()).collect();
        self.out.spread(new, &own, &shape)
    }

    fn affine(&self, a: &Affine) -> Affine {
        let mut coefs = vec![Size::lit(0); self.axes.len()];
        coefs.extend(a.coefs.iter().cloned());
        Affine {
            coefs,
            constant: a.constant.clone(),
        }
    }

    /// An index map that keeps the further axes, over a domain of so many axes without them.
    fn index(&mut self, index: &[Ix], rank: usize) -> Vec<Ix> {
        let many = self.axes.len();
        let mut out: Vec<Ix> = (0..many)
            .map(|k| Ix::Affine(Affine::axis(many + rank, k)))
            .collect();
        for i in index {
            out.push(match i {
                Ix::Affine(a) => Ix::Affine(self.affine(a)),
                Ix::Data(v) => Ix::Data(self.var(*v)),
            });
        }
        out
    }

    /// A linear equation, with the further axes.
    fn equation(&mut self, eq: &Eq) -> Eq {
        let many = self.axes.len();
        let rank = eq.ty.rank();
        let op = match &eq.op {
            Op::Map(p, args) => Op::Map(*p, args.iter().map(|v| self.var(*v)).collect()),
            Op::Gather { src, index } => Op::Gather {
                src: self.var(*src),
                index: self.index(index, rank),
            },
            Op::Scatter(parts) => {
                let part = |p: &Part| {
                    let src = self.var(p.src);
                    let rank = self.out.shape(src).len() - many;
                    let index = self.index(&p.index, rank);
                    Part { src, index }
                };
                Op::Scatter(parts.iter().map(part).collect())
            }
            Op::Reduce { op, src, axes } => {
                assert_eq!(*op, ReduceOp::Sum, "other reductions are not linear");
                Op::Reduce {
                    op: *op,
                    src: self.var(*src),
                    axes: axes.iter().map(|k| k + many).collect(),
                }
            }
            Op::Recur {
                a,
                mask,
                b,
                axis,
                reverse,
            } => Op::Recur {
                a: self.var(*a),
                mask: mask.map(|m| self.var(m)),
                b: b.map(&mut |v| self.var(v)),
                axis: axis + many,
                reverse: *reverse,
            },
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let free = a_axes.iter().chain(b_axes).max().map_or(0, |l| l + 1);
                let further: Vec<u8> = (free..).take(many).collect();
                let with = |v: Var, axes: &[u8]| match self.linear[v.index()] {
                    true => [&further[..], axes].concat(),
                    false => axes.to_vec(),
                };
                Op::Contract {
                    a: self.new[a.index()],
                    b: self.new[b.index()],
                    a_axes: with(*a, a_axes),
                    b_axes: with(*b, b_axes),
                    out_axes: [&further[..], out_axes].concat(),
                }
            }
            Op::Copy(v) => Op::Copy(self.var(*v)),
            Op::Update { .. } | Op::Call { .. } | Op::Loop { .. } => {
                panic!("none of the identities has one")
            }
            Op::Fill(_) | Op::Index(_) | Op::ArgReduce { .. } | Op::Stop(_) => {
                panic!("these are never linear")
            }
        };
        Eq {
            ty: Type {
                elem: eq.ty.elem,
                shape: self.shape(&eq.ty.shape),
            },
            guard: eq.guard.map(|g| self.var(g)),
            op,
        }
    }
}
