//! Rules about contractions with an operand that is a bracket: only the pairs of present elements
//! count.

use super::brackets::selected;
use super::products::{Factor, Product};
use super::{Rewrite, Rule, Simplifier};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Type, Var};
use crate::ir::core::ReduceOp;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Size};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "contract-of-selected",
        apply: contract_of_selected,
    },
    Rule {
        name: "contract-of-bracket",
        apply: contract_of_bracket,
    },
];

/// `contract select(c, a, 0), t  =  contract [c] copy a, t`,
/// `contract select(c, 0, a), t  =  contract [not c] copy a, t` for a tangent or cotangent t and a
/// literal 0: where the Jacobian is known to be zero, it is so structurally
fn contract_of_selected(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    if !matches!(eq.op, Op::Contract { .. }) {
        return None;
    }
    let p = s.product(eq)?;
    for (x, t) in p.both_ways() {
        if s.is_linear(x.v) || !s.is_linear(t.v) {
            continue;
        }
        let Some((holds, a)) = selected(s, x.v) else {
            continue;
        };
        let v = s.push(Eq {
            ty: s.out.ty(x.v).clone(),
            guard: Some(holds),
            op: Op::Copy(a),
        });
        let (a, b, out) = (Factor { v, ..x }, t, p.out);
        return Some(Rewrite::Eq(s.contraction(Product { a, b, out }, eq.guard)));
    }
    None
}

/// `contract [g] a, b  =  Σ [g] a · b` where g says a position along a summed axis, so that the sum
/// has one term; or where it bounds such positions and the contraction is a product with a vector
/// of what nothing else uses, so that the loop over them can be shorter.
fn contract_of_bracket(s: &mut Simplifier, eq: &Eq) -> Option<Rewrite> {
    if !matches!(eq.op, Op::Contract { .. }) {
        return None;
    }
    let p = s.product(eq)?;
    let alone =
        |x: &Factor, y: &Factor| (x.axes.iter()).any(|l| p.out.contains(l) && !y.axes.contains(l));
    let with_vector = alone(&p.a, &p.b) != alone(&p.b, &p.a);
    let expands = |f: &Factor| {
        s.out.guard(f.v).is_some_and(|g| {
            let summed: Vec<usize> = (0..f.axes.len())
                .filter(|&k| !p.out.contains(&f.axes[k]))
                .collect();
            let members = s.members(g);
            let said = members.iter().any(|&m| says_position(s, m, &summed));
            let bounded = members.iter().any(|&m| bounds_position(s, m, &summed));
            said || (bounded && with_vector && f.once && summed.len() < f.axes.len())
        })
    };
    if !expands(&p.a) && !expands(&p.b) {
        return None;
    }
    let summed: Vec<u8> = (p.labels().into_iter())
        .filter(|l| !p.out.contains(l))
        .collect();
    let labels = p.labels();
    let space: Vec<Size> = labels.iter().map(|&l| s.length(&p, l)).collect();
    // What reads the guards: everywhere in the space.
    let everywhere = Eq {
        ty: Type {
            elem: Elem::Bool,
            shape: space.clone(),
        },
        guard: None,
        op: Op::Scatter(vec![]),
    };
    let mut guard = None;
    let args = [&p.a, &p.b].map(|f| {
        let place = |l: &u8| {
            labels
                .iter()
                .position(|x| x == l)
                .expect("one of all labels")
        };
        let index: Vec<Ix> = (f.axes.iter())
            .map(|l| Ix::Affine(Affine::axis(space.len(), place(l))))
            .collect();
        let holds = s.out.guard(f.v);
        let holds = holds.and_then(|g| s.guard_at(g, &index, &everywhere, true));
        guard = s.both(guard, holds);
        // The guard of the product says all that the one of the factor says.
        match s.out.eq(f.v).filter(|e| e.guard.is_some()).map(|e| &e.op) {
            Some(&Op::Fill(l)) => s.fill(l, &space),
            Some(&Op::Copy(x)) => s.gather(x, index, &space, None),
            Some(_) | None => s.gather(f.v, index, &space, None),
        }
    });
    let (op, src) = (ReduceOp::Sum, s.map(Prim::Mul, &args, guard));
    let axes = (space.len() - summed.len()..space.len()).collect();
    Some(Rewrite::Eq(Eq {
        op: Op::Reduce { op, src, axes },
        ..eq.clone()
    }))
}

/// Whether a comparison is an equation that can be solved for the position along one of these axes.
fn says_position(s: &Simplifier, comparison: Var, axes: &[usize]) -> bool {
    let Some(&[a, b]) = s.applied(comparison, Prim::IEq) else {
        return false;
    };
    let (Some(a), Some(b)) = (s.affine(a), s.affine(b)) else {
        return false;
    };
    let e = a.add_scaled(&b, &Size::lit(-1));
    axes.iter().any(|&k| e.coefs[k].is(1) || e.coefs[k].is(-1))
}

/// Whether a comparison bounds the positions along one of these axes.
fn bounds_position(s: &Simplifier, comparison: Var, axes: &[usize]) -> bool {
    let facts = s.not_negative(comparison);
    (facts.iter()).any(|e| axes.iter().any(|&k| !e.coefs[k].is(0)))
}
