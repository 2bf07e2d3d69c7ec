//! Inverting affine index maps: which positions of the domain are mapped to a given one?
//!
//! For a map `r_j = c_j + Σ_k C_jk q_k` from positions q to positions r, equations with one unknown
//! are solved first and put into the others. What is left over are conditions on r. An equation
//! with several unknowns, such as `r = i + j`, is solved for one of them; the others stay free, and
//! all their values count.

use crate::ir::bulk::Affine;
use crate::ir::ty::Size;

/// All positions of the domain that are mapped to a position of the target.
pub(super) struct Inverse {
    /// The free axes of the domain, ascending.
    pub(super) free: Vec<usize>,
    /// The shape of the target, then the lengths of the free axes.
    pub(super) space: Vec<Size>,
    /// Each axis of the domain, over `space`.
    pub(super) index: Vec<Affine>,
    /// What must be zero over `space` for the position to be hit at all. The positions of the
    /// domain have to be inside of it as well.
    pub(super) zero: Vec<Affine>,
}

/// The inverse of an index map, if only coefficients of 1 and -1 have to be divided by. An axis of
/// the domain that occurs in no component is free.
pub(super) fn invert(map: &[&Affine], domain: &[Size], target: &[Size]) -> Option<Inverse> {
    let rank = target.len();
    let all = rank + domain.len();
    // Unknown k is axis `rank + k` of a space that has all axes of both.
    let mut equations: Vec<Affine> = (map.iter().enumerate())
        .map(|(j, a)| {
            let mut e = Affine::axis(all, j);
            for (k, c) in a.coefs.iter().enumerate() {
                e.coefs[rank + k] = c.neg();
            }
            e.constant = a.constant.neg();
            e
        })
        .collect();
    let mut solved: Vec<Option<Affine>> = vec![None; domain.len()];
    loop {
        let unknowns = |e: &Affine| -> Vec<usize> {
            let occurs = |k: &usize| !e.coefs[rank + k].is(0);
            (0..domain.len()).filter(occurs).collect()
        };
        let is_unit = |e: &Affine, k: usize| {
            let c = &e.coefs[rank + k];
            c.is(1) || c.is(-1)
        };
        // The equation with the fewest unknowns, the first of these.
        let next = (equations.iter().enumerate())
            .map(|(j, e)| (unknowns(e), j))
            .filter(|(u, _)| !u.is_empty())
            .min_by_key(|(u, j)| (u.len(), *j));
        let Some((unknown, j)) = next else { break };
        if !unknown.iter().all(|&k| is_unit(&equations[j], k)) {
            return None;
        }
        let k = unknown[0];
        // e = rest ± q_k = 0, so q_k = ∓ rest.
        let e = equations.remove(j);
        let mut rest = e.clone();
        rest.coefs[rank + k] = Size::lit(0);
        let sign = if e.coefs[rank + k].is(1) { -1 } else { 1 };
        let zero = Affine::constant(all, Size::lit(0));
        let value = zero.add_scaled(&rest, &Size::lit(sign));
        let put = |a: &mut Affine| {
            let c = std::mem::replace(&mut a.coefs[rank + k], Size::lit(0));
            *a = a.add_scaled(&value, &c);
        };
        equations.iter_mut().for_each(put);
        solved.iter_mut().flatten().for_each(put);
        solved[k] = Some(value);
    }
    let free: Vec<usize> = (0..domain.len()).filter(|&k| solved[k].is_none()).collect();
    let narrow = |a: &Affine| Affine {
        coefs: (a.coefs[..rank].iter())
            .chain(free.iter().map(|k| &a.coefs[rank + k]))
            .cloned()
            .collect(),
        constant: a.constant.clone(),
    };
    let index = (solved.iter().enumerate())
        .map(|(k, a)| match a {
            Some(a) => narrow(a),
            None => narrow(&Affine::axis(all, rank + k)),
        })
        .collect();
    let space = (target.iter())
        .chain(free.iter().map(|&k| &domain[k]))
        .cloned()
        .collect();
    // Each of these has its own axis of the target still in it, so that none is always true.
    let zero = equations.iter().map(narrow).collect();
    Some(Inverse {
        free,
        space,
        index,
        zero,
    })
}

/// Whether no two positions of the domain are mapped to one.
pub(super) fn is_injective(map: &[&Affine], domain: &[Size], target: &[Size]) -> bool {
    invert(map, domain, target).is_some_and(|i| i.free.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Affine, Size, invert};

    /// Axis `k` of `rank` axes, plus a constant.
    fn axis(rank: usize, k: usize, constant: i64) -> Affine {
        Affine {
            constant: Size::lit(constant),
            ..Affine::axis(rank, k)
        }
    }

    /// What an index must fulfil that several components of the map ask for, or that is a constant.
    #[test]
    fn what_is_left_over_are_conditions() {
        let (n, m) = (Size::lit(5), Size::lit(7));
        let target = [n.clone(), m, n.clone()];
        let three = Affine::constant(1, Size::lit(3));
        let map = [axis(1, 0, 0), axis(1, 0, 2), three];
        let map: Vec<&Affine> = map.iter().collect();
        let inverse = invert(&map, &[n], &target).expect("the coefficients are units");
        assert!(inverse.free.is_empty());
        assert_eq!(inverse.index, [axis(3, 0, 0)]);
        let difference = axis(3, 1, -2).add_scaled(&axis(3, 0, 0), &Size::lit(-1));
        assert_eq!(inverse.zero, [difference, axis(3, 2, -3)]);
    }

    /// An equation without a solution is a condition that never holds, and not none.
    #[test]
    fn a_constant_that_is_not_hit_stays_a_condition() {
        let (one, n) = (Size::lit(1), Size::lit(5));
        let four = Affine::constant(1, Size::lit(4));
        let inverse = invert(&[&four], std::slice::from_ref(&n), &[one])
            .expect("there is nothing to divide by");
        assert_eq!(
            (inverse.free.len(), inverse.zero),
            (1, vec![axis(2, 0, -4)])
        );
    }
}
