//! Derivatives beyond products with one tangent or cotangent: Jacobians, and those of the second
//! order.

use crate::derived::{Derived, Function, Linearised};
use crate::stages::{Differences, all_same, close, dot, moved, random};
use cotangent_core::ir::generate;
use cotangent_core::ir::jacobian::Direction;
use cotangent_core::ir::linear::Use;
use cotangent_core::ir::ty::{Atom, Elem, Size};
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::pipeline::Derivative;

/// Random numbers of the shapes of the real arguments.
pub(crate) fn directions(args: &[Value], wrt: &[usize], rng: &mut generate::Rng) -> Vec<Value> {
    let shapes = wrt.iter().map(|&k| args[k].shape());
    shapes.map(|shape| random(shape, rng)).collect()
}

/// The sum of products, and that of their magnitudes.
fn product(a: &[Value], b: &[Value]) -> (f64, f64) {
    let size = |v: &Value| v.real().data.iter().map(|x| x.abs()).sum::<f64>();
    let pairs = || a.iter().zip(b);
    (
        pairs().map(|(a, b)| dot(a, b)).sum(),
        pairs().map(|(a, b)| size(a) * size(b)).sum(),
    )
}

/// Products with the Hessian of a function that returns a number: symmetric, and differences of
/// gradients.
///
/// # Errors
/// If they are not; the message says what differs.
pub fn second(f: &Function, args: &[Value], d: Differences) -> Result<(), String> {
    if !f.is_number() {
        return Ok(());
    }
    let Some(hvp) = f.derive(Derivative::Hvp)? else {
        return Ok(());
    };
    let wrt = &f.wrt;
    let mut rng = generate::Rng::new(11);
    let [a, b] = [(); 2].map(|()| directions(args, wrt, &mut rng));
    let with = |more: &[Value]| [args, more].concat();
    let along_a = hvp.run_both("hvp", &with(&a))?.results;
    let along_b = hvp.run("hvp", &with(&b))?.results;
    let ((ba, size), (ab, _)) = (product(&b, &along_a), product(&a, &along_b));
    let same = (ba - ab).abs() <= 1e-10 * (1.0 + size);
    // At a kink the second derivatives are choices.
    if !same && d != Differences::Skip && ba.is_finite() && ab.is_finite() {
        return Err(format!(
            "the Hessian is not symmetric: {ba} and {ab}\n{}",
            hvp.bulk
        ));
    }
    if d == Differences::Skip || f.stops() {
        return Ok(());
    }
    let gradient = f.surely(Derivative::Grad)?;
    let slope = |h: f64| -> Result<f64, String> {
        let at = |h| gradient.run("gradient", &moved(args, wrt, &a, h));
        let (up, down) = (at(h)?.results, at(-h)?.results);
        Ok((product(&b, &up).0 - product(&b, &down).0) / (2.0 * h))
    };
    if let (Ok(x), Ok(y), Ok(z)) = (slope(1e-3), slope(5e-4), slope(2.5e-4)) {
        let (xy, yz) = ((4.0 * y - x) / 3.0, (4.0 * z - y) / 3.0);
        let smooth = close(xy, yz, 1e-6) && close(x, z, 1e-3);
        if smooth && !close(yz, ba, 1e-4) {
            return Err(format!("differences {yz} are not {ba}\n{}", hvp.bulk));
        }
    }
    Ok(())
}

/// The coefficients of the series along a direction: the first two as derivatives of derivatives
/// give them, the third as differences of the second.
///
/// # Errors
/// If they are not; the message says what differs.
pub fn series(f: &Function, args: &[Value], d: Differences) -> Result<(), String> {
    // What is constant for differentiation is so in derivatives of derivatives as well, if these are
    // made in one step.
    if f.stops() {
        return Ok(());
    }
    let wrt = &f.wrt;
    let Some(taylor) = f.derive(Derivative::Taylor(3))? else {
        return Ok(());
    };
    let jvp = f.surely(Derivative::Jvp)?;
    let Some(twice) = jvp.derive(Derivative::Jvp, wrt)? else {
        return Ok(());
    };
    let mut rng = generate::Rng::new(19);
    let along = directions(args, wrt, &mut rng);
    let given = [args, &along].concat();
    let found = taylor.run_both("taylor", &given)?.results;
    let values = f.core.body.results.len();
    let real = (found.len() - values) / 3;
    let second = twice
        .run("jvp of jvp", &[&given[..], &along].concat())?
        .results;
    let (first, second) = (
        &second[values..values + real],
        &second[second.len() - real..],
    );
    let half = second.iter().map(|v| {
        let data = v.real().data.iter().map(|x| 0.5 * x);
        Value::Real(Tensor::new(v.shape().to_vec(), data.collect()))
    });
    let half: Vec<Value> = half.collect();
    for (k, expected) in [(0, first), (1, &half[..])] {
        let own = &found[values + k * real..][..real];
        let what = format!("coefficient {}\n{}", k + 1, taylor.bulk);
        all_same(
            &what,
            &without_nan(own, expected),
            &without_nan(expected, expected),
            1e-9,
        )?;
    }
    if d == Differences::Skip {
        return Ok(());
    }
    let weights: Vec<Value> = first.iter().map(|v| random(v.shape(), &mut rng)).collect();
    let both = |results: &[Value]| {
        let of = |k: usize| product(&weights, &results[values + k * real..][..real]).0;
        (of(1), 3.0 * of(2))
    };
    let third = both(&found).1;
    // The difference of the second coefficients, and the third one nearby.
    let slope = |h: f64| -> Result<(f64, f64), String> {
        let at = |h| {
            let moved = moved(args, wrt, &along, h);
            let given = [&moved[..], &along].concat();
            let results = taylor.run("taylor", &given)?.results;
            Ok::<_, String>(both(&results))
        };
        let (up, down) = (at(h)?, at(-h)?);
        Ok(((up.0 - down.0) / (2.0 * h), up.1))
    };
    if let (Ok((x, _)), Ok((y, _)), Ok((z, near))) = (slope(1e-3), slope(5e-4), slope(2.5e-4)) {
        let (xy, yz) = ((4.0 * y - x) / 3.0, (4.0 * z - y) / 3.0);
        // A loop may take another step nearby.
        let smooth = close(xy, yz, 1e-6) && close(x, z, 1e-3) && close(near, third, 1e-3);
        if smooth && !close(yz, third, 1e-4) {
            return Err(format!("differences {yz} are not {third}\n{}", taylor.bulk));
        }
    }
    Ok(())
}

/// The two linear programs of a function and its residuals: products with a tangent and with a
/// cotangent, compared with those that compute values as well.
///
/// # Errors
/// If they are not the same.
pub fn linearised(f: &Function, args: &[Value]) -> Result<(), String> {
    let linearised = f.linearised()?;
    let count = f.core.body.results.len();
    let mut results = linearised.values.run_both("values", args)?.results;
    let mut kept = results.split_off(count).into_iter();
    let shared = shared(linearised, args, &mut kept)?;
    let mut rng = generate::Rng::new(7);
    let tangents = directions(args, &f.wrt, &mut rng);
    let real = results.iter().filter(|v| matches!(v, Value::Real(_)));
    let cotangents: Vec<Value> = real.map(|v| random(v.shape(), &mut rng)).collect();
    let products = [
        (Derivative::Jvp, &linearised.jvp, tangents, count),
        (Derivative::Vjp, &linearised.vjp, cotangents, 0),
    ];
    for (whole, linear, along, values) in products {
        let word = whole.word();
        let wanted = f.surely(whole)?.run(word, &[args, &along].concat())?;
        let found = linear.run_both(&format!("linear {word}"), &[&shared[..], &along].concat())?;
        all_same(
            &format!("linear {word}\n{}", linear.bulk),
            &found.results[values..],
            &wanted.results[count..],
            1e-9,
        )?;
    }
    Ok(())
}

/// What the linear programs read: arguments and residuals. What is not kept may be anything of its
/// shape.
pub(crate) fn shared(
    linearised: &Linearised,
    args: &[Value],
    kept: &mut dyn Iterator<Item = Value>,
) -> Result<Vec<Value>, String> {
    let mut shared: Vec<Value> = vec![];
    for (k, by) in linearised.uses.iter().enumerate() {
        let value = match (by, args.get(k)) {
            (Use::Elements, _) => kept.next().expect("what is used is kept"),
            (Use::Lengths | Use::Nothing, Some(arg)) => unknown(arg.shape().to_vec(), arg),
            (Use::Lengths | Use::Nothing, None) => {
                let ty = &linearised.jvp.bulk.params[k].ty;
                let like = match ty.elem {
                    Elem::Real => Value::Real(Tensor::new(vec![0], vec![])),
                    Elem::Int => Value::Int(Tensor::new(vec![0], vec![])),
                    Elem::Bool => Value::Bool(Tensor::new(vec![0], vec![])),
                };
                let shape = ty.shape.iter().map(|n| length(n, args, &shared));
                unknown(shape.collect::<Option<_>>().ok_or("a length")?, &like)
            }
        };
        shared.push(value);
    }
    Ok(shared)
}

/// A length, given the arguments and what is computed on the way.
fn length(n: &Size, args: &[Value], shared: &[Value]) -> Option<usize> {
    let number = |v: &Value| match v {
        Value::Int(t) => t.data.first().copied(),
        Value::Bool(t) => t.data.first().map(|b| i64::from(*b)),
        Value::Real(_) => None,
    };
    let n = n.eval(&mut |atom| match atom {
        Atom::Dim { param, axis } => i64::try_from(args.get(*param)?.shape()[*axis]).ok(),
        Atom::Int { param } => number(args.get(*param)?),
        Atom::Value(v) => number(shared.get(*v as usize)?),
        Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => None,
    })?;
    usize::try_from(n.max(0)).ok()
}

/// An array of the kind of another one, of numbers that nothing may depend on.
fn unknown(shape: Vec<usize>, like: &Value) -> Value {
    let count = shape.iter().product();
    match like {
        Value::Real(_) => Value::Real(Tensor::new(shape, vec![f64::NAN; count])),
        Value::Int(_) => Value::Int(Tensor::new(shape, vec![i64::MIN; count])),
        Value::Bool(_) => Value::Bool(Tensor::new(shape, vec![true; count])),
    }
}

/// Jacobians with more columns are not compared with single columns.
pub(crate) const MOST: usize = 64;

/// The Jacobian by columns and by rows, compared with each other and with products; the Hessian of
/// a function that returns a number, compared with products and with its transpose.
///
/// # Errors
/// If they are not the same.
pub fn jacobians(f: &Function, args: &[Value]) -> Result<(), String> {
    let outputs = f.surely(Derivative::Value)?.run("value", args)?.results;
    let is_real = |v: &&Value| matches!(v, Value::Real(_));
    let rows: Vec<&Value> = outputs.iter().filter(is_real).collect();
    let values = f.core.body.results.len();
    let single = columns(&*f.surely(Derivative::Jvp)?, args, &f.wrt, values, &rows)?;
    for direction in [Direction::Forward, Direction::Reverse] {
        let Some(jacobian) = f.derive(Derivative::Jacobian(Some(direction)))? else {
            continue;
        };
        let what = format!("{direction:?} jacobian");
        let found = jacobian.run_both(&what, args)?.results;
        if let Some(single) = &single {
            let found = without_nan(&found, single);
            let what = format!("{what}\n{}", jacobian.bulk);
            all_same(&what, &found, &without_nan(single, single), 1e-9)?;
        }
    }
    Ok(())
}

/// The Hessian by one parameter after the other: symmetric, and the products with it.
///
/// # Errors
/// If it is not.
pub fn hessians(f: &Function, args: &[Value], d: Differences) -> Result<(), String> {
    if !f.is_number() {
        return Ok(());
    }
    for &k in &f.wrt {
        let n = elements(&args[k]);
        if n > MOST {
            continue;
        }
        let Some(hessian) = f.derive_by(Derivative::Hessian, &[k])? else {
            return Ok(());
        };
        let Some(hvp) = f.derive_by(Derivative::Hvp, &[k])? else {
            return Ok(());
        };
        let found = hessian.run_both("hessian", args)?.results.remove(0);
        let data = &found.real().data;
        let largest = data.iter().map(|x| x.abs()).fold(1.0, f64::max);
        for j in 0..n {
            let more = one_hot(args[k].shape(), j);
            let along = hvp.run("hvp", &[args, &[more]].concat())?.results.remove(0);
            for i in 0..n {
                let (a, b) = (data[i * n + j], along.real().data[i]);
                if !close(a, b, 1e-9) {
                    let (hessian, hvp) = (&hessian.bulk, &hvp.bulk);
                    return Err(format!("{a} at {i}, {j} is not {b}\n{hessian}\n{hvp}"));
                }
                let same = (a - data[j * n + i]).abs() <= 1e-10 * largest;
                if !same && a.is_finite() && d != Differences::Skip {
                    return Err(format!("not symmetric: {found}\n{}", hessian.bulk));
                }
            }
        }
    }
    Ok(())
}

/// Zeros where the other is NaN: a column computes with more zeros than a product with a tangent,
/// and does not multiply them by infinities.
fn without_nan(all: &[Value], others: &[Value]) -> Vec<Value> {
    let pairs = all.iter().zip(others);
    let kept = pairs.map(|(v, other)| {
        let pairs = v.real().data.iter().zip(&other.real().data);
        let data = pairs.map(|(x, y)| if y.is_nan() { 0.0 } else { *x });
        Value::Real(Tensor::new(v.shape().to_vec(), data.collect()))
    });
    kept.collect()
}

pub(crate) fn elements(v: &Value) -> usize {
    v.shape().iter().product()
}

fn one_hot(shape: &[usize], at: usize) -> Value {
    let mut data = vec![0.0; shape.iter().product()];
    if let Some(x) = data.get_mut(at) {
        *x = 1.0;
    }
    Value::Real(Tensor::new(shape.to_vec(), data))
}

/// The blocks of the Jacobian, one column after the other; nothing if there are too many.
fn columns(
    jvp: &Derived,
    args: &[Value],
    wrt: &[usize],
    values: usize,
    rows: &[&Value],
) -> Result<Option<Vec<Value>>, String> {
    let zeros = || wrt.iter().map(|&k| one_hot(args[k].shape(), usize::MAX));
    let mut out = vec![];
    for (k, &at) in wrt.iter().enumerate() {
        let n = elements(&args[at]);
        if n > MOST {
            return Ok(None);
        }
        let mut blocks: Vec<Vec<f64>> = rows.iter().map(|r| vec![0.0; elements(r) * n]).collect();
        for column in 0..n {
            let mut tangents: Vec<Value> = zeros().collect();
            tangents[k] = one_hot(args[at].shape(), column);
            let results = jvp.run("jvp", &[args, &tangents].concat())?.results;
            for (block, tangent) in blocks.iter_mut().zip(&results[values..]) {
                for (row, x) in tangent.real().data.iter().enumerate() {
                    block[row * n + column] = *x;
                }
            }
        }
        for (block, row) in blocks.into_iter().zip(rows) {
            let shape = [row.shape(), args[at].shape()].concat();
            out.push(Value::Real(Tensor::new(shape, block)));
        }
    }
    Ok(Some(out))
}
