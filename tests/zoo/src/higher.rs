//! Derivatives beyond products with one tangent or cotangent: Jacobians, and those of the second
//! order.

use crate::stages::{Differences, all_same, close, dot, moved, random, run, same};
use cotangent_core::ir::core::Program;
use cotangent_core::ir::jacobian::Direction;
use cotangent_core::ir::linear::Use;
use cotangent_core::ir::ty::{Atom, Elem, Size};
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{generate, kernel_eval};
use cotangent_core::pipeline::{self, Apart, Derivative};

/// The error about units with rules that cannot be differentiated.
const FIRST_ONLY: &str = "the body of its `";

/// The error about programs in which each column would compute sizes.
const ONE_BY_ONE: &str = "one tangent or cotangent at a time";

/// The error about units of which only a rule is known.
const RULE_ONLY: &str = "`taylor` needs the body of `";

/// Nothing if a derivative is refused for a reason.
pub(crate) fn unless_refused<T>(derived: Result<T, String>) -> Result<Option<T>, String> {
    match derived {
        Err(message)
            if [FIRST_ONLY, ONE_BY_ONE, RULE_ONLY]
                .iter()
                .any(|why| message.contains(why)) =>
        {
            Ok(None)
        }
        derived => derived.map(Some),
    }
}

/// The positions of the real parameters.
pub(crate) fn real(program: &Program) -> Vec<usize> {
    let params = program.params.iter().enumerate();
    let real = params.filter(|(_, p)| p.ty.elem == Elem::Real);
    real.map(|(k, _)| k).collect()
}

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
pub fn second(program: &Program, args: &[Value], d: Differences) -> Result<(), String> {
    let [result] = &program.body.results[..] else {
        return Ok(());
    };
    if result.ty.rank > 0 {
        return Ok(());
    }
    let wrt = real(program);
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    let hvp = pipeline::derive(&bulk, Derivative::Hvp, &wrt, &mut |_, _| {});
    let Some(hvp) = unless_refused(hvp)? else {
        return Ok(());
    };
    let mut rng = generate::Rng::new(11);
    let [a, b] = [(); 2].map(|()| directions(args, &wrt, &mut rng));
    let with = |more: &[Value]| [args, more].concat();
    let along_a = run("hvp", &hvp, &with(&a))?.results;
    let along_b = run("hvp", &hvp, &with(&b))?.results;
    let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&hvp)?, &with(&a))
        .map_err(|e| format!("fused hvp: {e}\n{hvp}"))?;
    all_same("fused hvp", &fused, &along_a, 1e-9)?;
    let ((ba, size), (ab, _)) = (product(&b, &along_a), product(&a, &along_b));
    let same = (ba - ab).abs() <= 1e-10 * (1.0 + size);
    // At a kink the second derivatives are choices.
    if !same && d != Differences::Skip && ba.is_finite() && ab.is_finite() {
        return Err(format!(
            "the Hessian is not symmetric: {ba} and {ab}\n{hvp}"
        ));
    }
    if d == Differences::Skip || program.to_string().contains("stop(") {
        return Ok(());
    }
    let gradient = pipeline::derive(&bulk, Derivative::Grad, &wrt, &mut |_, _| {})?;
    let slope = |h: f64| -> Result<f64, String> {
        let at = |h| run("gradient", &gradient, &moved(args, &wrt, &a, h));
        let (up, down) = (at(h)?.results, at(-h)?.results);
        Ok((product(&b, &up).0 - product(&b, &down).0) / (2.0 * h))
    };
    if let (Ok(x), Ok(y), Ok(z)) = (slope(1e-3), slope(5e-4), slope(2.5e-4)) {
        let (xy, yz) = ((4.0 * y - x) / 3.0, (4.0 * z - y) / 3.0);
        let smooth = close(xy, yz, 1e-6) && close(x, z, 1e-3);
        if smooth && !close(yz, ba, 1e-4) {
            return Err(format!("differences {yz} are not {ba}\n{hvp}"));
        }
    }
    Ok(())
}

/// The coefficients of the series along a direction: the first two as derivatives of derivatives
/// give them, the third as differences of the second.
///
/// # Errors
/// If they are not; the message says what differs.
pub fn series(program: &Program, args: &[Value], d: Differences) -> Result<(), String> {
    // What is constant for differentiation is so in derivatives of derivatives as well, if these are
    // made in one step.
    if program.to_string().contains("stop(") {
        return Ok(());
    }
    let wrt = real(program);
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    let derive = |of, what| pipeline::derive(of, what, &wrt, &mut |_, _| {});
    let Some(taylor) = unless_refused(derive(&bulk, Derivative::Taylor(3)))? else {
        return Ok(());
    };
    let jvp = derive(&bulk, Derivative::Jvp)?;
    let Some(twice) = unless_refused(derive(&jvp, Derivative::Jvp))? else {
        return Ok(());
    };
    let mut rng = generate::Rng::new(19);
    let along = directions(args, &wrt, &mut rng);
    let given = [args, &along].concat();
    let found = run("taylor", &taylor, &given)?.results;
    let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&taylor)?, &given)
        .map_err(|e| format!("fused taylor: {e}\n{taylor}"))?;
    all_same("fused taylor", &fused, &found, 1e-9)?;
    let values = program.body.results.len();
    let real = (found.len() - values) / 3;
    let second = run("jvp of jvp", &twice, &[&given[..], &along].concat())?.results;
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
        let what = format!("coefficient {}\n{taylor}", k + 1);
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
            let moved = moved(args, &wrt, &along, h);
            let results = run("taylor", &taylor, &[&moved[..], &along].concat())?.results;
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
            return Err(format!("differences {yz} are not {third}\n{taylor}"));
        }
    }
    Ok(())
}

/// The two linear programs of a function and its residuals: products with a tangent and with a
/// cotangent, compared with those that compute values as well.
///
/// # Errors
/// If they are not the same.
pub fn linearised(program: &Program, args: &[Value]) -> Result<(), String> {
    let wrt = real(program);
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    let apart = pipeline::apart(&bulk, &wrt, &[], 0..0, &mut |_, _| {})?;
    let derive = |what| pipeline::derive(&bulk, what, &wrt, &mut |_, _| {});
    let (jvp, vjp) = (derive(Derivative::Jvp)?, derive(Derivative::Vjp)?);
    let count = program.body.results.len();
    let mut results = run("values", &apart.values, args)?.results;
    let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&apart.values)?, args)
        .map_err(|e| format!("fused values: {e}\n{}", apart.values))?;
    all_same("fused values", &fused, &results, 1e-9)?;
    let mut kept = results.split_off(count).into_iter();
    let shared = shared(&apart, args, &mut kept)?;
    let mut rng = generate::Rng::new(7);
    let tangents = directions(args, &wrt, &mut rng);
    let expected = run("jvp", &jvp, &[args, &tangents].concat())?.results;
    let given = [&shared[..], &tangents].concat();
    let found = run("linear jvp", &apart.jvp, &given)?.results;
    all_same(
        &format!("linear jvp\n{}", apart.jvp),
        &found[count..],
        &expected[count..],
        1e-9,
    )?;
    let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&apart.jvp)?, &given)
        .map_err(|e| format!("fused linear jvp: {e}\n{}", apart.jvp))?;
    all_same("fused linear jvp", &fused[count..], &found[count..], 1e-9)?;
    let real = results.iter().filter(|v| matches!(v, Value::Real(_)));
    let cotangents: Vec<Value> = real.map(|v| random(v.shape(), &mut rng)).collect();
    let expected = run("vjp", &vjp, &[args, &cotangents].concat())?.results;
    let given = [&shared[..], &cotangents].concat();
    let found = run("linear vjp", &apart.vjp, &given)?.results;
    all_same(
        &format!("linear vjp\n{}", apart.vjp),
        &found,
        &expected[count..],
        1e-9,
    )?;
    let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&apart.vjp)?, &given)
        .map_err(|e| format!("fused linear vjp: {e}\n{}", apart.vjp))?;
    all_same("fused linear vjp", &fused, &found, 1e-9)
}

/// What the linear programs read: arguments and residuals. What is not kept may be anything of its
/// shape.
pub(crate) fn shared(
    apart: &Apart,
    args: &[Value],
    kept: &mut dyn Iterator<Item = Value>,
) -> Result<Vec<Value>, String> {
    let mut shared: Vec<Value> = vec![];
    for (k, by) in apart.uses.iter().enumerate() {
        let value = match (by, args.get(k)) {
            (Use::Elements, _) => kept.next().expect("what is used is kept"),
            (Use::Lengths | Use::Nothing, Some(arg)) => unknown(arg.shape().to_vec(), arg),
            (Use::Lengths | Use::Nothing, None) => {
                let ty = &apart.jvp.params[k].ty;
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

/// The counted operations of a Jacobian, and what they are measured against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The Jacobian by columns.
    pub forward: u64,
    /// The Jacobian by rows.
    pub reverse: u64,
    /// The function.
    pub value: u64,
    /// The numbers of rows and columns.
    pub size: (u64, u64),
}

/// Jacobians with more columns are not compared with single columns.
pub(crate) const MOST: usize = 64;

/// The Jacobian by columns and by rows, compared with each other and with products; the Hessian of
/// a function that returns a number, compared with products and with its transpose.
///
/// # Errors
/// If they are not the same.
pub fn jacobians(program: &Program, args: &[Value]) -> Result<Counts, String> {
    let wrt = real(program);
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    let derive = |what| pipeline::derive(&bulk, what, &wrt, &mut |_, _| {});
    let jvp = derive(Derivative::Jvp)?;
    let values = program.body.results.len();
    let outputs = run("value", &derive(Derivative::Value)?, args)?;
    let rows: Vec<&Value> = outputs
        .results
        .iter()
        .filter(|v| matches!(v, Value::Real(_)))
        .collect();
    let single = columns(&jvp, args, &wrt, values, &rows)?;
    let mut counts = Counts {
        value: outputs.cost,
        size: (
            rows.iter().map(|v| elements(v) as u64).sum(),
            wrt.iter().map(|&k| elements(&args[k]) as u64).sum(),
        ),
        ..Counts::default()
    };
    for direction in [Direction::Forward, Direction::Reverse] {
        let jacobian = derive(Derivative::Jacobian(Some(direction)));
        let Some(jacobian) = unless_refused(jacobian)? else {
            continue;
        };
        let outcome = run("jacobian", &jacobian, args)?;
        let what = format!("{direction:?}\n{jacobian}");
        let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&jacobian)?, args)
            .map_err(|e| format!("fused {e}\n{what}"))?;
        all_same(&format!("fused {what}"), &fused, &outcome.results, 1e-9)?;
        if let Some(single) = &single {
            let found = without_nan(&outcome.results, single);
            all_same(&what, &found, &without_nan(single, single), 1e-9)?;
        }
        match direction {
            Direction::Forward => counts.forward = outcome.cost,
            Direction::Reverse => counts.reverse = outcome.cost,
        }
    }
    Ok(counts)
}

/// The Hessian by one parameter after the other: symmetric, and the products with it.
///
/// # Errors
/// If it is not.
pub fn hessians(program: &Program, args: &[Value], d: Differences) -> Result<(), String> {
    let [result] = &program.body.results[..] else {
        return Ok(());
    };
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    if result.ty.rank > 0 {
        return Ok(());
    }
    for k in real(program) {
        let n = elements(&args[k]);
        if n > MOST {
            continue;
        }
        let derive = |what| pipeline::derive(&bulk, what, &[k], &mut |_, _| {});
        let Some(hessian) = unless_refused(derive(Derivative::Hessian))? else {
            return Ok(());
        };
        let found = run("hessian", &hessian, args)?.results.remove(0);
        let (fused, _) = kernel_eval::eval(&pipeline::to_kernels(&hessian)?, args)
            .map_err(|e| format!("fused hessian: {e}\n{hessian}"))?;
        same("fused hessian", &fused[0], &found, 1e-9)?;
        let hvp = derive(Derivative::Hvp)?;
        let data = &found.real().data;
        let largest = data.iter().map(|x| x.abs()).fold(1.0, f64::max);
        for j in 0..n {
            let more = one_hot(args[k].shape(), j);
            let along = run("hvp", &hvp, &[args, &[more]].concat())?
                .results
                .remove(0);
            for i in 0..n {
                let (a, b) = (data[i * n + j], along.real().data[i]);
                if !close(a, b, 1e-9) {
                    return Err(format!("{a} at {i}, {j} is not {b}\n{hessian}\n{hvp}"));
                }
                let same = (a - data[j * n + i]).abs() <= 1e-10 * largest;
                if !same && a.is_finite() && d != Differences::Skip {
                    return Err(format!("not symmetric: {found}\n{hessian}"));
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
    jvp: &cotangent_core::ir::bulk::Program,
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
            let results = run("jvp", jvp, &[args, &tangents].concat())?.results;
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
