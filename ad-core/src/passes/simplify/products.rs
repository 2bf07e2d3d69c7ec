//! Products of arrays with labelled axes, summed over some labels: what the rules about
//! contractions have in common.

use super::Simplifier;
use super::contract::projection;
use crate::ir::build::without;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Type, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};

/// An array with a label for each of its axes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Factor {
    pub(super) v: Var,
    pub(super) axes: Vec<u8>,
    /// Whether nothing else uses it.
    pub(super) once: bool,
}

/// `Σ a · b` over all labels that are not in `out`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Product {
    pub(super) a: Factor,
    pub(super) b: Factor,
    pub(super) out: Vec<u8>,
}

impl Product {
    /// The factors either way around.
    pub(super) fn both_ways(&self) -> [(Factor, Factor); 2] {
        let (a, b) = (self.a.clone(), self.b.clone());
        [(a.clone(), b.clone()), (b, a)]
    }

    /// All labels: those of the result first.
    pub(super) fn labels(&self) -> Vec<u8> {
        let mut all = self.out.clone();
        for l in self.a.axes.iter().chain(&self.b.axes) {
            if !all.contains(l) {
                all.push(*l);
            }
        }
        all
    }

    /// The same with other labels.
    pub(super) fn renamed(&self, of: &dyn Fn(u8) -> u8) -> Product {
        let axes = |axes: &[u8]| axes.iter().map(|&l| of(l)).collect();
        let factor = |f: &Factor| Factor {
            axes: axes(&f.axes),
            ..f.clone()
        };
        Product {
            a: factor(&self.a),
            b: factor(&self.b),
            out: axes(&self.out),
        }
    }
}

/// Whether one count is smaller than another for all lengths from 2 on.
pub(super) fn cheaper(new: &Size, old: &Size) -> bool {
    cheaper_from(2, new, old)
}

/// The same for all lengths from a shortest one on.
pub(super) fn cheaper_from(shortest: i64, new: &Size, old: &Size) -> bool {
    let raised = old.sub(new).substitute(&mut |a| {
        let size = Size::atom(a.clone());
        if matches!(a, Atom::Dim { .. }) {
            size.plus(shortest)
        } else {
            size
        }
    });
    raised.at_least(1)
}

impl Simplifier {
    /// An equation as a product: a contraction, or an elementwise product of what may be repeated.
    pub(super) fn product(&mut self, eq: &Eq) -> Option<Product> {
        match &eq.op {
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => {
                let factor = |s: &Simplifier, v: Var, axes: &[u8]| Factor {
                    v,
                    axes: axes.to_vec(),
                    once: s.used_once(v),
                };
                Some(Product {
                    a: factor(self, *a, a_axes),
                    b: factor(self, *b, b_axes),
                    out: out_axes.clone(),
                })
            }
            Op::Map(Prim::Mul, args) => {
                let (a, b) = (self.factor(args[0]), self.factor(args[1]));
                let out: Vec<u8> = (0..eq.ty.rank()).map(|k| k as u8).collect();
                let in_one = |l: &u8| a.axes.contains(l) || b.axes.contains(l);
                out.iter().all(in_one).then_some(Product { a, b, out })
            }
            Op::Map(..)
            | Op::Fill(_)
            | Op::Index(_)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Copy(_)
            | Op::Stop(_) => None,
        }
    }

    /// Whether a guard compares constants only, as those do that say that a length is positive.
    pub(super) fn holds_or_not(&self, guard: Option<Var>) -> bool {
        let Some(g) = guard else { return true };
        let Some(Op::Map(p, args)) = self.plain(g) else {
            return false;
        };
        // The last member first: it is at hand.
        if *p == Prim::And {
            return (args.iter().rev()).all(|&a| self.holds_or_not(Some(a)));
        }
        (args.iter()).all(|&a| self.affine(a).is_some_and(|a| a.is_constant()))
    }

    /// The equation of a variable without its guard, and the guard, if that says nothing about
    /// positions: it holds everywhere or nowhere.
    pub(super) fn uniform(&self, v: Var) -> Option<(Eq, Option<Var>)> {
        let eq = self.out.eq(v)?;
        let guard = eq.guard;
        if !self.holds_or_not(guard) {
            return None;
        }
        let bare = Eq {
            guard: None,
            ..eq.clone()
        };
        Some((bare, guard))
    }

    /// A guard that holds everywhere or nowhere, over another shape.
    pub(super) fn elsewhere(&mut self, guard: Option<Var>, shape: &[Size]) -> Option<Var> {
        let guard = guard?;
        let zero = Affine::constant(shape.len(), Size::lit(0));
        let to = vec![zero; self.out.ty(guard).rank()];
        let mut out = None;
        for m in self.members(guard) {
            let there = self.moved(m, &to, shape);
            out = self.both(out, there);
        }
        out
    }

    /// What an operand of an elementwise product repeats.
    pub(super) fn factor(&mut self, v: Var) -> Factor {
        if let Some(lit) = self.lit(v) {
            return self.literal(lit);
        }
        let (src, axes) = projection(self, v);
        Factor {
            v: src,
            axes,
            once: self.used_once(v) && self.used_once(src),
        }
    }

    /// A literal as a factor.
    pub(super) fn literal(&mut self, lit: Lit) -> Factor {
        Factor {
            v: self.fill(lit, &[]),
            axes: vec![],
            once: true,
        }
    }

    /// The length of a label.
    pub(super) fn length(&self, p: &Product, label: u8) -> Size {
        let of = |f: &Factor| {
            let k = f.axes.iter().position(|&l| l == label)?;
            Some(self.out.ty(f.v).shape[k].clone())
        };
        of(&p.a).or_else(|| of(&p.b)).expect("a label of a factor")
    }

    /// What a product counts for.
    pub(super) fn cost(&self, p: &Product) -> Size {
        let volume = |labels: &mut dyn Iterator<Item = &u8>| {
            labels.fold(Size::lit(1), |n, &l| n.mul(&self.length(p, l)))
        };
        let all = p.labels();
        let out = volume(&mut p.out.iter());
        let terms = volume(&mut all.iter().filter(|l| !p.out.contains(l)));
        out.mul(&terms.scale(2).plus(-1))
    }

    /// A product as an equation: `Σ_kl a[k] · b[k, l]  =  [n > 0] Σ_k a[k] · (Σ_l b[k, l])` where
    /// an axis l of length n is in one factor only. That distributes: one of the factors must be
    /// linear if there is such an axis.
    pub(super) fn contraction(&mut self, p: Product, guard: Option<Var>) -> Eq {
        let shape: Vec<Size> = p.out.iter().map(|&l| self.length(&p, l)).collect();
        let alone = |f: &Factor, other: &Factor| -> Vec<usize> {
            let is = |l: &u8| !p.out.contains(l) && !other.axes.contains(l);
            (0..f.axes.len()).filter(|&k| is(&f.axes[k])).collect()
        };
        let mut guard = guard;
        let mut presummed = |s: &mut Simplifier, f: &Factor, axes: Vec<usize>| {
            if axes.is_empty() {
                return f.clone();
            }
            let of = s.out.shape(f.v);
            let some = s.not_empty(axes.iter().map(|&k| &of[k]), &shape);
            guard = s.both(guard, some);
            let rest = without(&of, &axes);
            let labels = (f.axes.iter().enumerate())
                .filter(|(k, _)| !axes.contains(k))
                .map(|(_, &l)| l)
                .collect();
            let (op, src) = (ReduceOp::Sum, f.v);
            let sum = s.op(Elem::Real, &rest, None, Op::Reduce { op, src, axes });
            Factor {
                v: sum,
                axes: labels,
                once: true,
            }
        };
        let (in_a, in_b) = (alone(&p.a, &p.b), alone(&p.b, &p.a));
        let a = presummed(self, &p.a, in_a);
        let b = presummed(self, &p.b, in_b);
        let out = p.out.clone();
        let p = Product { a, b, out };
        let all = p.labels();
        let place = |l: u8| {
            let k = all.iter().position(|&x| x == l);
            k.expect("one of all labels") as u8
        };
        let p = p.renamed(&place);
        Eq {
            ty: Type {
                elem: Elem::Real,
                shape,
            },
            guard,
            op: Op::Contract {
                a: p.a.v,
                b: p.b.v,
                a_axes: p.a.axes,
                b_axes: p.b.axes,
                out_axes: p.out,
            },
        }
    }

    /// An array repeated over a shape: axis k of it is axis `axes[k]` there.
    pub(super) fn repeated(&mut self, v: Var, axes: &[usize], shape: &[Size]) -> Var {
        let index = (axes.iter())
            .map(|&k| Ix::Affine(Affine::axis(shape.len(), k)))
            .collect();
        self.gather(v, index, shape, None)
    }
}
