use super::contract::{Operand, fill, length, set_row_major};
use super::*;
use ndarray::{Array2, Array3, ArrayD, IxDyn, arr0, array, s};
use std::collections::BTreeMap;

/// 0, 1, 2, .. in row-major order.
fn iota<const N: usize>(shape: [i64; N]) -> Dense<f64, N> {
    let mut next = -1.0;
    let mut out = zeros(shape);
    for x in &mut out.data {
        next += 1.0;
        *x = next;
    }
    out
}

/// A reproducible sequence.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    pub(super) fn real(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }
    fn reals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.real()).collect()
    }
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

fn numbers<const N: usize>(shape: [usize; N]) -> Dense<f64, N> {
    let mut random = Random(shape.iter().sum::<usize>() as u64);
    build(shape.map(|n| n as i64), |_| 0.0).map_all(|_| random.real())
}

impl<T, const N: usize> Dense<T, N> {
    fn map_all<U>(mut self, f: impl FnMut(T) -> U) -> Dense<U, N> {
        Dense {
            data: std::mem::take(&mut self.data).into_iter().map(f).collect(),
            shape: self.shape,
            name: self.name,
        }
    }
}

/// The message of the panic of `f`.
fn message<T>(f: impl FnOnce() -> T) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).err();
    let payload = payload.expect("it panics");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_owned(),
    }
}

#[track_caller]
fn assert_close(x: f64, y: f64) {
    let close = (x - y).abs() <= 1e-13 * (1.0 + y.abs());
    assert!(
        close || x == y || x.is_nan() && y.is_nan(),
        "{x} is not {y}"
    );
}

#[test]
fn inputs_in_every_layout() {
    fn check<const N: usize>(x: ArrayView<'_, f64, Dim<[usize; N]>>, borrowed: bool)
    where
        Dim<[usize; N]>: Dimension,
        [usize; N]: IntoDimension<Dim = Dim<[usize; N]>> + ndarray::NdIndex<Dim<[usize; N]>>,
    {
        let kept = input::<_, _, N>("x", x.view());
        assert_eq!(matches!(kept.data, Storage::Borrowed(_)), borrowed);
        let view = kept.view();
        for axis in 0..N {
            assert_eq!(view.len(axis), x.shape()[axis] as i64);
        }
        let shape = std::array::from_fn(|axis| view.len(axis));
        for_each(shape, |i| assert_eq!(view[i], x[i.map(|i| i as usize)]));
        assert_eq!(copied(view).into_array(), x);
        assert_eq!(build(shape, |i| view[i]).into_array(), x);
    }
    let x = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (i * 12 + j * 4 + k) as f64);
    check(x.view(), true);
    check(x.t(), false);
    check(x.slice(s![1.., .., ..]), true);
    check(x.slice(s![.., ..;-1, ..]), false);
    check(x.slice(s![.., 1..2, ..;2]), false);
    check(x.slice(s![.., 0..0, ..;2]), true);
    check(x.slice(s![1, 2, ..]), true);
    check(x.slice(s![1, ..;-2, 3]), false);
    check(x.slice(s![.., 1, ..]).reversed_axes(), false);
    check(arr0(3.0).view(), true);
    let fortran = Array2::from_shape_fn(ndarray::ShapeBuilder::f((3, 2)), |(i, j)| {
        (i + 5 * j) as f64
    });
    check(fortran.view(), false);
    check(fortran.t(), true);

    let dynamic = ArrayD::from_shape_vec(IxDyn(&[2, 2]), vec![1, 2, 3, 4]).unwrap();
    assert_eq!(input::<_, _, 2>("x", dynamic.view()).view()[[1, 0]], 3);
    let text = message(|| input::<_, _, 1>("x", dynamic.view()));
    assert_eq!(text, "`x` has 2 axes instead of 1");
    let v = slice("v", &[1_u8, 2]);
    assert_eq!((v[[1]], v.len(0)), (2, 2));
    assert_eq!(slice::<f64>("v", &[]).len(0), 0);
}

#[test]
fn indices_outside() {
    let x = Array2::<f64>::zeros((2, 5));
    let x = input::<_, _, 2>("x", x.view());
    let x = x.view();
    for index in [
        [3, 0],
        [2, 0],
        [0, 5],
        [-1, 0],
        [1, -1],
        [i64::MIN, 0],
        [0, i64::MAX],
    ] {
        let text = message(|| x[index]);
        assert_eq!(
            text,
            format!("index {index:?} is outside of `x`, whose shape is [2, 5]")
        );
    }
    let v = slice("v", &[1.0, 2.0]);
    assert_eq!(
        message(|| v[[2]]),
        "index [2] is outside of `v`, whose shape is [2]"
    );
    assert_eq!(
        message(|| v[[-1]]),
        "index [-1] is outside of `v`, whose shape is [2]"
    );
    let mut d = zeros([1, 0, 3]);
    let expected = "index [0, 0, 0] is outside of an intermediate array, whose shape is [1, 0, 3]";
    assert_eq!(message(|| d[[0, 0, 0]]), expected);
    assert_eq!(message(|| d.view()[[0, 0, 0]]), expected);
    assert_eq!(message(|| d[[0, 0, 0]] = 1.0), expected);
    assert_eq!(zeros([]).view()[[]], 0.0);
}

#[test]
fn arrays_of_every_rank() {
    fn check<const N: usize>(shape: [i64; N])
    where
        Dim<[usize; N]>: Dimension,
        [usize; N]: IntoDimension<Dim = Dim<[usize; N]>> + ndarray::NdIndex<Dim<[usize; N]>>,
    {
        let order = std::cell::RefCell::new(Vec::new());
        let built = build(shape, |i| {
            order.borrow_mut().push(i);
            i.iter().fold(1.0, |total, &i| total * 7.0 + i as f64)
        });
        let order = order.into_inner();
        let mut visited = Vec::new();
        let mut written = zeros(shape);
        for_each(shape, |i| {
            visited.push(i);
            assert_eq!(written[i], 0.0);
            written[i] = built[i];
        });
        assert_eq!(order, visited);
        assert!(order.is_sorted());
        assert_eq!(
            order.len(),
            shape.iter().map(|&n| n.max(0) as usize).product()
        );
        assert_eq!(written.data, built.data);
        let array = built.into_array();
        assert_eq!(array.shape(), shape.map(|n| n.max(0) as usize));
        for i in order {
            let value = i.iter().fold(1.0, |total, &i| total * 7.0 + i as f64);
            assert_eq!(array[i.map(|i| i as usize)], value);
        }
    }
    check([]);
    check([0]);
    check([-3]);
    check([4]);
    check([2, 3]);
    check([0, 3]);
    check([3, -1]);
    check([i64::MAX, 0]);
    check([2, 3, 4]);
    check([2, 0, 4]);
    check([3, 2, 0]);
    check([2, 1, 2, 3]);
    check([1, 2, 1, 2, 3]);
    check([2, 2, 3, 1, 2, 2]);
    assert_eq!(build([3], |[i]| i > 1).into_vec(), [false, false, true]);
    assert_eq!(build([], |[]| 5).into_array(), arr0(5));
    assert_eq!(build([2, 2], |_| ()).into_array().len(), 4);
    assert_eq!(zeros([2, 1]).into_array(), array![[0.0], [0.0]]);
    let text = message(|| zeros([1 << 40, 0, 1 << 40]));
    assert_eq!(
        text,
        "an array of shape [1099511627776, 0, 1099511627776] is too large"
    );
}

#[test]
fn a_panic_while_building() {
    let text = message(|| {
        build(
            [2, 3],
            |[i, j]| if i + j > 2 { panic!("no") } else { vec![i] },
        )
    });
    assert_eq!(text, "no");
}

#[test]
fn reductions() {
    let mut random = Random(1);
    for n in (0..40).chain([63, 64, 65, 127, 128, 129, 300]) {
        let x = random.reals(n);
        let (f, n) = (|i: i64| x[i as usize], n as i64);
        let total = x.iter().fold(0.0, |t, v| t + v);
        let factor = x.iter().fold(1.0, |t, v| t * v);
        assert_close(sum(n, f), total);
        assert_close(product(n, f), factor);
        assert_close(sum_light(n, f), total);
        assert_close(product_light(n, f), factor);
        if n < 8 {
            let light = (sum_light(n, f), product_light(n, f));
            assert_eq!(light, (total, factor));
        }
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = x.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!((maximum(n, f), minimum(n, f)), (most, least));
        let light = (maximum_light(n, f), minimum_light(n, f));
        assert_eq!(light, (most, least));
        let first = |v: f64| x.iter().position(|&x| x == v).unwrap_or(0) as i64;
        assert_eq!((argmax(n, f), argmin(n, f)), (first(most), first(least)));
        assert_close(logsumexp(n, f), crate::logsumexp(x.len(), |i| x[i]));
        let whole = |i: i64| (f(i) * 100.0) as i64;
        assert_eq!(sum(n, whole), (0..n).map(whole).sum());
        assert_eq!(sum_light(n, whole), sum(n, whole));
        assert_eq!(
            maximum(n, whole),
            (0..n).map(whole).max().unwrap_or(i64::MIN)
        );
        assert_eq!(
            minimum(n, whole),
            (0..n).map(whole).min().unwrap_or(i64::MAX)
        );
    }
    assert_eq!(product(20, |i| i + 1), 2_432_902_008_176_640_000);
    assert_eq!(sum(-5, |_| 1.0), 0.0);
    assert_eq!(product(-5, |_| 2), 1);
    assert_eq!(argmax(-5, |_| 2.0), 0);
    assert_eq!(logsumexp(-5, |_| 1.0), f64::NEG_INFINITY);
}

#[test]
fn reductions_over_ranges() {
    let mut random = Random(2);
    let x = random.reals(300);
    let f = |i: i64| x[i as usize];
    for (from, to) in [
        (0, 0),
        (3, 4),
        (2, 9),
        (5, 69),
        (1, 300),
        (64, 128),
        (7, 3),
        (9, -9),
    ] {
        let part = x.get(from as usize..to.max(0) as usize).unwrap_or(&[]);
        assert_close(sum(from..to, f), part.iter().sum());
        assert_close(sum_light(from..to, f), part.iter().sum());
        assert_close(product(from..to, f), part.iter().product());
        let most = part.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = part.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(maximum(from..to, f), most);
        assert_eq!(minimum(from..to, f), least);
        let first = |v: f64| {
            part.iter()
                .position(|&x| x == v)
                .map_or(0, |k| from + k as i64)
        };
        assert_eq!(
            (argmax(from..to, f), argmin(from..to, f)),
            (first(most), first(least))
        );
        let logsum = crate::logsumexp(part.len(), |i| part[i]);
        assert_close(logsumexp(from..to, f), logsum);
        let mut visited = Vec::new();
        for_each(from..to, |i| visited.push(i));
        assert_eq!(visited, (from..to).collect::<Vec<_>>());
    }
    assert_eq!(sum(-4..2, |i| i + 1), 3);
    assert_eq!(sum(-4..-2, |_| 1.0), 0.0);
    assert_eq!(sum_light(-4..2, |i| i + 1), 3);
    assert_eq!(sum_light(-4..-2, |_| 1.0), 0.0);
    assert_eq!(argmax(-1..3, |i| -(i as f64)), 0);
}

#[test]
fn elements_are_replaced_in_place() {
    let old = build([3, 4], |[i, j]| 10 * i + j);
    let memory = old.data.as_ptr();
    let other = build([3, 4], |[i, j]| i * j);
    let mut order = vec![];
    let new = replace(old, [3, 4], |[i, j], x| {
        order.push((i, j));
        x - other[[i, j]] + i
    });
    assert_eq!(new.data.as_ptr(), memory);
    assert_eq!(order, (0..12).map(|k| (k / 4, k % 4)).collect::<Vec<_>>());
    let wanted = build([3, 4], |[i, j]| 11 * i + j - i * j);
    assert_eq!((&new.data, new.shape), (&wanted.data, wanted.shape));
    let nothing = replace(build([2, 0], |_| 1.0), [2, 0], |_, _| unreachable!());
    assert_eq!(nothing.shape, [2, 0]);
}

#[test]
fn extrema_with_their_places() {
    let bits = |(at, x): (i64, f64)| (at, x.to_bits());
    let mut random = Random(3);
    let mut x = random.reals(100);
    (x[7], x[40], x[41]) = (-0.0, 0.0, f64::NAN);
    let ways: [fn(f64) -> f64; 5] = [
        |x| x,
        |x| x.max(-0.0),
        |x| if x == 0.0 { x } else { f64::NAN },
        |_| f64::NAN,
        |x| if x < 0.5 { f64::NAN } else { f64::INFINITY },
    ];
    for way in ways {
        for n in [1, 5, 8, 16, 17, 42, 100] {
            let f = |i: i64| way(x[i as usize]);
            // The value is the one at the place, whatever it is.
            let (most, least_at) = (argmax(n, f), argmin(n, f));
            assert_eq!(bits(greatest(n, f)), bits((most, f(most))));
            assert_eq!(bits(least(n, f)), bits((least_at, f(least_at))));
            assert_eq!(bits(greatest_light(n, f)), bits((most, f(most))));
            assert_eq!(bits(least_light(n, f)), bits((least_at, f(least_at))));
            assert_eq!((argmax_light(n, f), argmin_light(n, f)), (most, least_at));
            let blocks = |js: Stretch, out: &mut Block<f64>| out.set(js, f);
            assert_eq!(bits(greatest_blocks(n, blocks)), bits((most, f(most))));
            assert_eq!(bits(least_blocks(n, blocks)), bits((least_at, f(least_at))));
        }
    }
    let nan = |_: i64| f64::NAN;
    assert_eq!(least(3..9, nan), (0, f64::INFINITY));
    assert_eq!(least_light(3..19, nan), (0, f64::INFINITY));
    assert_eq!(greatest_light(3..29, |i| -(i as f64)), (3, -3.0));
    assert_eq!(greatest(0, |_| 1.0), (0, f64::NEG_INFINITY));
    assert_eq!(greatest(3..9, |i| i as f64), (8, 8.0));
}

#[test]
fn reductions_with_nan() {
    for n in [3, 100] {
        let f = |i: i64| if i % 2 == 0 { f64::NAN } else { i as f64 };
        assert_eq!(maximum(n, f), if n == 3 { 1.0 } else { 99.0 });
        assert_eq!(minimum(n, f), 1.0);
        assert_eq!(argmin(n, f), 1);
        assert!(sum(n, f).is_nan());
        assert!(logsumexp(n, f).is_nan());
        let nan = |_: i64| f64::NAN;
        assert_eq!(maximum(n, nan), f64::NEG_INFINITY);
        assert_eq!(minimum(n, nan), f64::INFINITY);
        assert_eq!((argmax(n, nan), argmin(n, nan)), (0, 0));
    }
}

#[test]
fn extremes_of_logsumexp() {
    const INF: f64 = f64::INFINITY;
    for n in [1, 3, 64, 65, 200] {
        for at in [0, n / 2, n - 1] {
            let with =
                |special: f64, rest: f64| logsumexp(n, |i| if i == at { special } else { rest });
            assert_eq!(with(-INF, -INF), -INF);
            assert_eq!(with(INF, -INF), INF);
            assert_eq!(with(INF, 1.0), INF);
            assert!(with(f64::NAN, -INF).is_nan());
            assert!(with(f64::NAN, INF).is_nan());
            assert_eq!(with(5.0, -INF), 5.0);
            assert_eq!(with(800.0, -800.0), 800.0);
            assert_close(with(-800.0, -800.0), (n as f64).ln() - 800.0);
        }
    }
    // Each block has a new maximum.
    let n = 5000;
    assert_close(
        logsumexp(n, |i| i as f64),
        4999.0 - (-(-1.0_f64).exp()).ln_1p(),
    );
    assert_close(logsumexp(n, |i| -(i as f64)), -(-(-1.0_f64).exp()).ln_1p());
    let exact = 1e-3 * 4999.0 - (-(-1e-3_f64).exp_m1()).ln() + (-(-5.0_f64).exp()).ln_1p();
    assert_close(logsumexp(n, |i| i as f64 * 1e-3), exact);
}

#[test]
fn recurrences() {
    fn check<const N: usize>(shape: [usize; N]) {
        let a = numbers(shape);
        let mut there = 0;
        let mask = build(shape.map(|n| n as i64), |_| true);
        let mut some = mask.clone();
        for_each(shape.map(|n| n as i64), |i| {
            there += 1;
            some[i] = there % 3 != 0;
        });
        for axis in 0..N {
            let mut states = shape;
            states[axis] += 1;
            let b = numbers(states);
            let one = build(states.map(|n| n as i64), |_| 1.0);
            for reverse in [false, true] {
                let edge = if reverse { shape[axis] as i64 } else { 0 };
                for mask in [None, Some(&mask), Some(&some)] {
                    let view = mask.map(Dense::view);
                    let all = recur(a.view(), view, b.view(), axis, reverse);
                    let products = running_products(a.view(), view, 1.0, axis, reverse);
                    let added = build(shape.map(|n| n as i64), |i| {
                        let mut to = i;
                        to[axis] += i64::from(!reverse);
                        b[to]
                    });
                    let adding = recur_adding(a.view(), view, added.view(), axis, reverse);
                    assert_eq!(all.shape, states);
                    assert_eq!(adding.shape, states);
                    assert_eq!(products.shape, states);
                    for_each(states.map(|n| n as i64), |i| {
                        let (mut before, mut factor) = (i, i);
                        before[axis] += if reverse { 1 } else { -1 };
                        factor[axis] = i[axis].min(before[axis]);
                        let next = |out: &Dense<f64, N>, b: &Dense<f64, N>| {
                            if mask.is_none_or(|m| m[factor]) {
                                a[factor] * out[before] + b[i]
                            } else {
                                out[before] + b[i]
                            }
                        };
                        if i[axis] == edge {
                            assert_eq!(all[i], b[i]);
                            assert_eq!(adding[i], 0.0);
                            assert_eq!(products[i], one[i]);
                        } else {
                            let nothing = build(states.map(|n| n as i64), |_| 0.0);
                            assert_eq!(all[i], next(&all, &b));
                            assert_eq!(adding[i], next(&adding, &b));
                            assert_eq!(products[i], next(&products, &nothing));
                        }
                    });
                }
            }
        }
    }
    check([1]);
    check([7]);
    check([0]);
    check([3, 4]);
    check([1, 4]);
    check([4, 1]);
    check([3, 0]);
    check([0, 3]);
    check([2, 3, 4]);
    check([3, 1, 2, 2]);
    let text = message(|| recur(zeros([2, 1]).view(), None, zeros([1, 2]).view(), 0, false));
    assert_eq!(
        text,
        "a recurrence with the factors [2, 1] along axis 0 needs [3, 1], not [1, 2]"
    );
}

#[test]
fn running_products_start_from_given_numbers() {
    let a = build([2, 3], |[i, j]| (i + 2 * j + 2) as f64);
    let start = build([2], |[i]| (10 * (i + 1)) as f64);
    let out = running_products(a.view(), None, start.view(), 1, true);
    assert_eq!(
        out.data,
        [480.0, 240.0, 60.0, 10.0, 2100.0, 700.0, 140.0, 20.0]
    );
    let start = build([3], |[j]| (j + 1) as f64);
    let out = running_products(a.view(), None, start.view(), 0, false);
    assert_eq!(out.data, [1.0, 2.0, 3.0, 2.0, 8.0, 18.0, 6.0, 40.0, 126.0]);
    let text = message(|| running_products(zeros([2]).view(), None, zeros([2]).view(), 0, false));
    assert_eq!(
        text,
        "running products of [2] along axis 0 do not start from Some(2) numbers"
    );
}

/// The product by its definition.
fn naive(a: Operand<'_, f64>, b: Operand<'_, f64>, out_axes: &[u8], out: &mut [f64]) {
    let labels: Vec<u8> = {
        let all: std::collections::BTreeSet<u8> = a.axes.iter().chain(b.axes).copied().collect();
        all.into_iter().collect()
    };
    let lengths: Vec<usize> = labels.iter().map(|&l| length(a, b, l)).collect();
    for at in 0..lengths.iter().product() {
        let mut rest = at;
        let mut index = BTreeMap::new();
        for (&label, &n) in labels.iter().zip(&lengths) {
            index.insert(label, rest % n);
            rest /= n;
        }
        let position = |axes: &[u8]| {
            axes.iter()
                .fold(0, |at, l| at * length(a, b, *l) + index[l])
        };
        out[position(out_axes)] += a.data[position(a.axes)] * b.data[position(b.axes)];
    }
}

#[test]
fn products_of_every_structure() {
    let mut random = Random(7);
    // How many batch, row, column and summed labels there are.
    for structure in 0..81 {
        let counts = [
            structure % 3,
            structure / 3 % 3,
            structure / 9 % 3,
            structure / 27,
        ];
        for round in 0..12 {
            let (mut a_axes, mut b_axes, mut out_axes) = (vec![], vec![], vec![]);
            let mut lengths = BTreeMap::new();
            for (class, count) in counts.into_iter().enumerate() {
                for _ in 0..count {
                    let label = 10 * lengths.len() as u8;
                    let longest = match round {
                        0..4 => 3,
                        4..8 => 4,
                        _ => 9,
                    };
                    // Few lengths for the many labels, and now and then none.
                    let shortest = usize::from(round != 0 || random.below(4) > 0);
                    let longest = if lengths.len() < 4 { longest } else { 2 };
                    lengths.insert(label, shortest + random.below(longest));
                    for (axes, has) in [
                        (&mut a_axes, class != 2),
                        (&mut b_axes, class != 1),
                        (&mut out_axes, class != 3),
                    ] {
                        if has {
                            axes.push(label);
                        }
                    }
                }
            }
            // Some keep their order, so that neighbours can be one loop.
            if round % 4 != 1 {
                random.shuffle(&mut a_axes);
                random.shuffle(&mut b_axes);
                random.shuffle(&mut out_axes);
            }
            let shape = |axes: &[u8]| axes.iter().map(|l| lengths[l]).collect::<Vec<_>>();
            let (a_shape, b_shape, out_shape) = (shape(&a_axes), shape(&b_axes), shape(&out_axes));
            let a_data = random.reals(a_shape.iter().product());
            let b_data = random.reals(b_shape.iter().product());
            let [a_strides, b_strides] = [&a_shape, &b_shape].map(|shape| {
                let mut strides = vec![1; shape.len()];
                set_row_major(shape, &mut strides);
                strides
            });
            let a = Operand {
                data: &a_data,
                shape: &a_shape,
                strides: &a_strides,
                axes: &a_axes,
                negated: false,
                outside_of: None,
            };
            let b = Operand {
                data: &b_data,
                shape: &b_shape,
                strides: &b_strides,
                axes: &b_axes,
                negated: false,
                outside_of: None,
            };
            let mut out = vec![];
            let mut expected = vec![0.0; out_shape.iter().product()];
            fill(a, b, &out_axes, &out_shape, &[], &mut out);
            assert_eq!(out.len(), expected.len());
            naive(a, b, &out_axes, &mut expected);
            for (&x, y) in out.iter().zip(expected) {
                assert_close(x, y);
            }
        }
    }
}

#[test]
fn products_of_matrices() {
    for (m, k, n) in [
        (1, 1, 1),
        (2, 3, 4),
        (8, 8, 8),
        (5, 40, 7),
        (33, 17, 20),
        (64, 1, 64),
    ] {
        let (a, b) = (numbers([m, k]), numbers([k, n]));
        let (x, y) = (a.clone().into_array(), b.clone().into_array());
        let close = |p: Dense<f64, 2>, q: Array2<f64>| {
            let p = p.into_array();
            assert_eq!(p.dim(), q.dim());
            p.iter().zip(&q).for_each(|(&p, &q)| assert_close(p, q));
        };
        let out = contract(a.view(), [0, 1], b.view(), [1, 2], [0, 2]);
        close(out, x.dot(&y));
        let out = contract(a.view(), [0, 1], b.view(), [1, 2], [2, 0]);
        close(out, y.t().dot(&x.t()));
        let (at, bt) = (copied_transposed(&x), copied_transposed(&y));
        let out = contract(at.view(), [1, 0], bt.view(), [2, 1], [0, 2]);
        close(out, x.dot(&y));
        let v = contract(a.view(), [3, 5], b.view(), [5, 4], [3, 4]);
        close(v, x.dot(&y));
    }
    let (x, y) = (numbers([5]), numbers([5]));
    let dot = contract(x.view(), [0], y.view(), [0], []);
    assert_close(dot[[]], sum(5, |i| x[[i]] * y[[i]]));
    let outer = contract(x.view(), [0], y.view(), [1], [1, 0]);
    assert_eq!(outer[[1, 2]], y[[1]] * x[[2]]);
    let scaled = contract(zeros([]).view(), [], y.view(), [1], [1]);
    assert_eq!(scaled.into_vec(), [0.0; 5]);
    // A product of parts: the last two rows by the last two columns.
    let (a, b) = (iota([3, 2]), iota([2, 4]));
    let parts = contract(
        a.view().part([1, 0], [2, 2]),
        [0, 1],
        b.view().part([0, 2], [2, 2]),
        [1, 2],
        [0, 2],
    );
    let expected = build([2, 2], |[i, j]| sum(2, |k| a[[i + 1, k]] * b[[k, j + 2]]));
    assert_eq!(parts.view().data, expected.view().data);
    // Of a part that is not there nothing may be read, and nothing is where another axis is empty.
    let beyond = || b.view().part([0, 2], [2, 3]);
    let empty = contract(zeros([0, 2]).view(), [0, 1], beyond(), [1, 2], [0, 2]);
    assert_eq!(empty.shape, [0, 3]);
    let text = message(|| contract(a.view(), [0, 1], beyond(), [1, 2], [0, 2]));
    assert!(text.contains("outside of"), "{text}");

    let nothing = contract(
        zeros([2, 0]).view(),
        [0, 1],
        zeros([0, 3]).view(),
        [1, 2],
        [0, 2],
    );
    assert_eq!(nothing.into_array(), Array2::zeros((2, 3)));
}

fn copied_transposed(x: &Array2<f64>) -> Dense<f64, 2> {
    copied(input::<_, _, 2>("x", x.t()).view())
}

#[test]
fn products_that_make_no_sense() {
    let (x, y) = (zeros([2, 3]), zeros([4]));
    let text = message(|| contract(x.view(), [0, 1], y.view(), [1], [0]));
    assert_eq!(text, "a product needs axes of equal length, not 3 and 4");
    let text = message(|| contract(x.view(), [0, 1], y.view(), [2], [0, 1, 3]));
    assert_eq!(text, "an axis of a product is in neither operand");
    let square = zeros([2, 2]);
    let text = message(|| contract(square.view(), [0, 0], y.view(), [1], [0, 1]));
    assert_eq!(text, "an array of a product repeats an axis");
}

#[test]
fn scalars() {
    assert_eq!(powi(2.0, 10), 1024.0);
    assert_eq!(powi(2.0, -1), 0.5);
    assert_eq!(powi(2.0, i64::MAX), f64::INFINITY);
    assert_eq!(ipow(3, 4), 81);
    assert_eq!(polygamma(2.5, 0), crate::digamma(2.5));
    assert_eq!(polygamma(2.5, 3), crate::polygamma(3, 2.5));
    assert!(polygamma(2.5, -1).is_nan());
    assert!(polygamma(2.5, i64::MAX).is_nan());
    let x = 0.75;
    assert_eq!(sigmoid(x), crate::sigmoid(x));
    assert_eq!(softplus(x), crate::softplus(x));
    assert_eq!(relu(-x), 0.0);
    assert_eq!(lgamma(x), crate::lgamma(x));
    assert_eq!(digamma(x), crate::digamma(x));
    assert_eq!(erf(x), crate::erf(x));
    assert_eq!(sign0(-x), -1.0);
}

#[test]
fn names_of_ours_are_known() {
    use MustBeTheOneFromCotangent as Probe;
    type Term = (Probe, fn(usize) -> f32);
    named::<Term, _>(crate::build).is_ours();
    named::<Term, _>(crate::sum).is_ours();
    named::<Term, _>(crate::product).is_ours();
    named::<Term, _>(crate::maximum).is_ours();
    named::<Term, _>(crate::minimum).is_ours();
    named::<Term, _>(crate::mean).is_ours();
    named::<Term, _>(crate::logsumexp).is_ours();
    named::<Term, _>(crate::softmax).is_ours();
    named::<Term, _>(crate::argmax).is_ours();
    named::<Term, _>(crate::argmin).is_ours();
    named::<(Probe, f32, fn(f32, usize) -> f32), _>(crate::fold).is_ours();
    named::<(Probe, f32, fn(f32, usize) -> f32), _>(crate::scan).is_ours();
    named::<(Probe, Probe, fn(usize) -> (usize, f32)), _>(crate::scatter_add).is_ours();
    named::<(Probe,), _>(crate::stop_gradient).is_ours();
    named::<(fn() -> Probe,), _>(crate::checkpoint).is_ours();
    named::<(Probe,), _>(crate::sigmoid).is_ours();
    named::<(Probe, Probe), _>(crate::math::powf).is_ours();
    named::<(Probe, Probe, Probe), _>(crate::math::clamp).is_ours();
}

/// The kernels in single precision, compared with double.
mod bounded;
mod contracted;

mod single {
    use super::*;

    fn rounded<const N: usize>(x: &Dense<f64, N>) -> Dense<f32, N> {
        x.clone().map_all(|v| v as f32)
    }

    #[track_caller]
    fn assert_near<const N: usize>(x: &Dense<f32, N>, y: &Dense<f64, N>) {
        assert_eq!(x.shape, y.shape);
        for (&x, y) in x.data.iter().zip(&y.data) {
            let close = (f64::from(x) - y).abs() <= 1e-5 * (1.0 + y.abs());
            assert!(close, "{x} is not {y}");
        }
    }

    #[test]
    fn products() {
        // By elements, by rows, and packed.
        for (m, k, n) in [(2, 3, 1), (5, 70, 1), (17, 33, 21)] {
            let (a, b) = (numbers([m, k]), numbers([k, n]));
            let product = contract(a.view(), [0, 1], b.view(), [1, 2], [0, 2]);
            let (a, b) = (rounded(&a), rounded(&b));
            let single = contract(a.view(), [0, 1], b.view(), [1, 2], [0, 2]);
            assert_near(&single, &product);
            let outer = contract(a.view(), [0, 1], b.view(), [2, 3], [0, 1, 2, 3]);
            assert_eq!(outer[[1, 0, 1, 0]], a[[1, 0]] * b[[1, 0]]);
            let parts = contract(
                a.view().part([1, 1], [1, 2]),
                [0, 1],
                b.view().part([0, 0], [2, 1]),
                [1, 2],
                [0, 2],
            );
            let expected = a[[1, 1]] * b[[0, 0]] + a[[1, 2]] * b[[1, 0]];
            assert!((parts[[0, 0]] - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn recurrences() {
        let (a, b) = (numbers([3, 4]), numbers([3, 5]));
        let mask = build([3, 4], |[i, j]| (i + j) % 3 != 0);
        let (a32, b32) = (rounded(&a), rounded(&b));
        for reverse in [false, true] {
            let mask = Some(mask.view());
            assert_near(
                &recur(a32.view(), mask, b32.view(), 1, reverse),
                &recur(a.view(), mask, b.view(), 1, reverse),
            );
            assert_near(
                &recur_adding(a32.view(), None, a32.view(), 0, reverse),
                &recur_adding(a.view(), None, a.view(), 0, reverse),
            );
            assert_near(
                &running_products(a32.view(), mask, 1.0, 1, reverse),
                &running_products(a.view(), mask, 1.0, 1, reverse),
            );
        }
    }

    #[test]
    fn reductions() {
        let x = numbers([100]);
        let y = rounded(&x);
        let near = |x: f32, y: f64| (f64::from(x) - y).abs() <= 1e-5 * (1.0 + y.abs());
        assert!(near(sum(100, |i| y[[i]]), sum(100, |i| x[[i]])));
        assert!(near(
            product(9, |i| y[[i]] + 1.5),
            product(9, |i| x[[i]] + 1.5)
        ));
        assert!(near(
            logsumexp(3..90, |i| 50.0 * y[[i]]),
            logsumexp(3..90, |i| 50.0 * x[[i]])
        ));
        let (top, low) = (maximum(100, |i| y[[i]]), minimum(100, |i| y[[i]]));
        assert_eq!(y[[argmax(100, |i| y[[i]])]], top);
        assert_eq!(y[[argmin(100, |i| y[[i]])]], low);
        assert_eq!(maximum(0, |_| 1.0_f32), f32::NEG_INFINITY);
        assert_eq!(logsumexp(0, |_| 1.0_f32), f32::NEG_INFINITY);
        assert!(logsumexp(2, |_| f32::NAN).is_nan());
    }

    #[test]
    fn scalars() {
        // Through `f64`, and rounded once.
        for x in [0.3_f32, 1.75, 4.5] {
            let in_f64 = f64::from(x);
            assert_eq!(erf(x), erf(in_f64) as f32);
            assert_eq!(lgamma(x), lgamma(in_f64) as f32);
            assert_eq!(digamma(x), digamma(in_f64) as f32);
            assert_eq!(polygamma(x, 2), polygamma(in_f64, 2) as f32);
            assert!((f64::from(sigmoid(-x)) - sigmoid(-in_f64)).abs() < 1e-7);
            assert!((f64::from(softplus(x)) - softplus(in_f64)).abs() < 1e-6);
        }
        assert_eq!(powi(2.0_f32, -3), 0.125);
        assert_eq!(powi(1.5_f32, 1 << 40), f32::INFINITY);
        assert_eq!(
            (relu(-1.0_f32), sign0(-0.0_f32), sign0(-3.0_f32)),
            (0.0, 0.0, -1.0)
        );
        assert_eq!(real::<f32>(0.1), 0.1_f32);
        // Rounded once, not twice.
        let n = (1 << 60) + (1 << 36) + 1;
        assert_eq!(real_from::<f32>(n), n as f32);
        assert_ne!(real_from::<f32>(n), n as f64 as f32);
        assert_eq!(integer_from(-2.75_f32), -2);
        assert_eq!(integer_from(f32::INFINITY), i64::MAX);
        assert_eq!(zeros_of::<f32, 2>([2, -1]).shape, [2, 0]);
        let text = message(|| zeros_of_called::<f32, 1>("dust", [2])[[5]]);
        assert_eq!(text, "index [5] is outside of `dust`, whose shape is [2]");
    }
}
