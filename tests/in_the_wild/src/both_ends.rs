//! Iterators that are asked from both ends, parts of lists that are sorted, types that a body
//! declares, names for slices, constants of types, and types of names that ndarray has too.

use cotangent::prelude::*;
use ndarray::{Array2, s};

#[differentiable]
pub fn kalman_1d(z: &[f64], q: f64, r: f64) -> f64 {
    struct State {
        x: f64,
        p: f64,
    }
    let mut s = State { x: 0.0, p: 1.0 };
    let mut ll = 0.0;
    for &m in z {
        s.p += q;
        let innov = m - s.x;
        let sv = s.p + r;
        ll -= 0.5 * (innov * innov / sv + sv.ln());
        let k = s.p / sv;
        s.x += k * innov;
        s.p *= 1.0 - k;
    }
    ll
}

#[differentiable]
pub fn powers(x: f64, n: usize) -> f64 {
    x.powi(n.try_into().unwrap()) + x.powi(-2)
}

#[differentiable]
pub fn smallest_positive(x: &[f64]) -> f64 {
    let positive = x.iter().filter(|v| **v > 0.0);
    positive
        .copied()
        .reduce(|a, b| (a * b).sqrt())
        .unwrap_or(1.0)
}

#[differentiable]
pub fn two_ended(x: &[f64]) -> f64 {
    let mut it = x.iter();
    let mut total = 0.0;
    let mut sign = 1.0;
    while let (Some(a), Some(b)) = (it.next(), it.next_back()) {
        total += sign * a * b;
        sign = -sign * 0.5;
    }
    total
}
#[differentiable]
pub fn last_first(x: &[f64]) -> f64 {
    let mut it = x.iter();
    let last = it.next_back().unwrap();
    let before = it.nth_back(1).unwrap();
    let first = it.next().unwrap();
    last * before + first * it.map(|v| v * v).sum::<f64>()
}
#[differentiable]
pub fn nth_once(x: &[f64], n: usize) -> f64 {
    let mut it = x.iter();
    let a = it.nth(n + 1).copied().unwrap_or(2.0);
    a * it.next().copied().unwrap_or(3.0)
}
#[derive(Clone, Copy, Differentiable)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}
#[differentiable]
pub fn part_sorted(p: &[Point], k: usize) -> f64 {
    let mut points = p.to_vec();
    points[..k].sort_by(|a, b| a.x.total_cmp(&b.x));
    points
        .iter()
        .enumerate()
        .map(|(i, q)| q.y * (i + 1) as f64 + q.x)
        .sum()
}
#[differentiable]
pub fn tail_sorted(p: &[(f64, f64)]) -> f64 {
    let mut points = p.to_vec();
    points[1..].sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap());
    points
        .iter()
        .enumerate()
        .map(|(i, q)| q.1 * (i + 1) as f64 + q.0)
        .sum()
}
#[differentiable]
pub fn zipped_repeat(y: &[f64], x: f64) -> f64 {
    let mut t = 0.0;
    for (p, q) in y.iter().zip(std::iter::repeat(x)) {
        t += p * q.sin();
    }
    t
}
#[differentiable]
pub fn zipped_repeat_ref(y: &[f64], x: f64) -> f64 {
    y.iter()
        .zip(std::iter::repeat(&x))
        .map(|(a, b)| a * b)
        .sum()
}
#[differentiable]
pub fn local_struct(x: &[f64]) -> f64 {
    #[derive(Clone, Copy)]
    struct Acc {
        sum: f64,
        count: usize,
    }
    enum Kind {
        Even,
        Odd,
    }
    let mut acc = Acc { sum: 0.0, count: 0 };
    for v in x {
        let kind = if acc.count % 2 == 0 {
            Kind::Even
        } else {
            Kind::Odd
        };
        acc.sum += match kind {
            Kind::Even => v * v,
            Kind::Odd => *v,
        };
        acc.count += 1;
    }
    acc.sum / acc.count as f64
}
#[differentiable]
pub fn kept_cut(a: &Array2<f64>, k: usize) -> f64 {
    let c = s![1..k + 1, ..;2];
    (&a.slice(c) * &a.slice(c)).sum()
}

#[derive(Clone, Copy, Differentiable)]
pub struct Place {
    pub x: f64,
    pub y: f64,
}

#[differentiable]
impl Place {
    pub const CENTRE: Place = Place { x: 1.0, y: -0.5 };
    /// Another name of the same.
    pub const START: Self = Self::CENTRE;
    pub const UNIT: f64 = 2.0;

    #[differentiable]
    pub fn far(self) -> f64 {
        ((self.x - Self::START.x).powi(2) + (self.y - Place::CENTRE.y).powi(2)) * Self::UNIT
    }
}

#[differentiable]
pub fn inside_out(p: &[(f64, f64)]) -> f64 {
    let mut last = Place::START;
    let mut total = 0.0;
    for &(x, y) in p {
        total += (x - last.x) * (y + last.y);
        last = Place { x: y, y: x };
    }
    total
}

mod of_ndarray {
    use cotangent::prelude::*;
    use ndarray::*;

    /// ndarray has a `Slice` too.
    #[derive(Clone, Copy, Differentiable)]
    pub struct Slice {
        pub width: f64,
        pub height: f64,
    }

    #[differentiable]
    pub fn area(of: Slice, by: &Array1<f64>) -> f64 {
        of.width * of.height * by.sum()
    }
}

#[test]
fn constants_of_types_and_names_of_ndarray() {
    let d = Place { x: 2.0, y: 3.0 }.far_grad();
    assert_eq!((d.x, d.y), (4.0, 14.0));
    let slice = of_ndarray::Slice {
        width: 2.0,
        height: 3.0,
    };
    let (d, by) = of_ndarray::area_grad(slice, &ndarray::array![1.0, 4.0]);
    assert_eq!(
        (d.width, d.height, by),
        (15.0, 10.0, ndarray::array![6.0, 6.0])
    );
}

fn sorted_pairs(p: &[(f64, f64)], k: usize) -> f64 {
    part_sorted(
        &p.iter().map(|&(x, y)| Point { x, y }).collect::<Vec<_>>(),
        k,
    )
}
fn sorted_pairs_grad(p: &[(f64, f64)], k: usize) -> (f64, Vec<(f64, f64)>) {
    let (v, g) = part_sorted_value_and_grad(
        &p.iter().map(|&(x, y)| Point { x, y }).collect::<Vec<_>>(),
        k,
    );
    (v, g.into_iter().map(|p| (p.x, p.y)).collect())
}
fn pairs(n: usize) -> Vec<(f64, f64)> {
    list(2 * n).chunks(2).map(|c| (c[0], c[1])).collect()
}
use crate::harness::list;

sized! {
  two: two_ended, two_ended_value_and_grad, n in [0, 1, 2, 3, 9, 65], x: list(n) => (&x);
  last: last_first, last_first_value_and_grad, n in [4, 5, 9, 65], x: list(n) => (&x);
  nth: nth_once, nth_once_value_and_grad, n in [0, 1, 3, 4, 9], x: list(n) => (&x, 2);
  part: sorted_pairs, sorted_pairs_grad, n in [2, 9, 65], p: pairs(n) => (&p, n / 2);
  tail: tail_sorted, tail_sorted_value_and_grad, n in [1, 2, 9, 65], p: pairs(n) => (&p);
  rep: zipped_repeat, zipped_repeat_value_and_grad, n in [0, 1, 9, 65], y: list(n), x: 0.3 => (&y, x);
  repr: zipped_repeat_ref, zipped_repeat_ref_value_and_grad, n in [0, 1, 9, 65], y: list(n), x: 0.3 => (&y, x);
  local: local_struct, local_struct_value_and_grad, n in [1, 2, 9, 65], x: list(n) => (&x);
  filter: kalman_1d, kalman_1d_value_and_grad, n in [0, 1, 9, 65], z: list(n), q: 0.1, r: 0.4 => (&z, q, r);
  power: powers, powers_value_and_grad, n in [0, 1, 5], x: 1.3 => (x, n);
  means: smallest_positive, smallest_positive_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x);
  inside: inside_out, inside_out_value_and_grad, n in [1, 9, 65], p: pairs(n) => (&p);
  cut: kept_cut, kept_cut_value_and_grad, n in [4, 9], a: matrix(n, 5) => (&a, 2);
}
