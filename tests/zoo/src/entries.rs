//! The entries of Jacobians that index maps say, against the columns that forward mode computes.

use cotangent_core::ir::bulk::{Affine, Program};
use cotangent_core::ir::entries::{Block, Component};
use cotangent_core::ir::ty::{Atom, Elem, Size};
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{bulk_eval, core, kernel_eval};
use cotangent_core::pipeline::{self, Derivative};

fn reals(v: &Value) -> &Tensor<f64> {
    match v {
        Value::Real(t) => t,
        Value::Int(_) | Value::Bool(_) => panic!("not real"),
    }
}

fn size(s: &Size, args: &[Value]) -> i64 {
    s.eval(&mut |a| match a {
        Atom::Dim { param, axis } => Some(args[*param].shape()[*axis] as i64),
        Atom::Int { param } => args[*param].as_size(),
        Atom::Value(_)
        | Atom::Quot(..)
        | Atom::Rem(..)
        | Atom::Min(..)
        | Atom::Max(..)
        | Atom::Select(..) => None,
    })
    .expect("a known size")
}

fn affine(a: &Affine, at: &[i64], args: &[Value]) -> i64 {
    let terms = a.coefs.iter().zip(at).map(|(c, i)| size(c, args) * i);
    terms.sum::<i64>() + size(&a.constant, args)
}

/// The flat position in a shape.
fn flat(at: &[i64], shape: &[usize]) -> Result<usize, String> {
    at.iter().zip(shape).try_fold(0, |p, (&i, &n)| {
        let i = usize::try_from(i).ok().filter(|i| *i < n);
        Ok(p * n + i.ok_or_else(|| format!("{at:?} is outside of {shape:?}"))?)
    })
}

/// The Jacobians of each real result by each parameter, added up.
fn dense(
    blocks: &[Block],
    results: &[Value],
    args: &[Value],
    shapes: (&[Vec<usize>], &[Vec<usize>]),
) -> Result<Vec<Vec<Vec<f64>>>, String> {
    let (outputs, inputs) = shapes;
    let volume = |s: &Vec<usize>| s.iter().product::<usize>();
    let mut out: Vec<Vec<Vec<f64>>> = (outputs.iter())
        .map(|o| {
            inputs
                .iter()
                .map(|i| vec![0.0; volume(o) * volume(i)])
                .collect()
        })
        .collect();
    let mut next = results.iter();
    for b in blocks {
        let values = reals(next.next().expect("values"));
        let components = b.row.iter().chain(&b.column);
        let data: Vec<Option<&Value>> = components
            .map(|c| match c {
                Component::Affine(_) => None,
                Component::Data(_) => next.next(),
            })
            .collect();
        let present = b
            .present
            .as_ref()
            .map(|_| next.next().expect("a condition"));
        let shape = values.shape.clone();
        for p in 0..values.data.len() {
            let mut rest = p;
            let mut at = vec![0_i64; shape.len()];
            for k in (0..shape.len()).rev() {
                at[k] = (rest % shape[k]) as i64;
                rest /= shape[k];
            }
            let part = |axes: &[usize]| axes.iter().map(|&k| at[k]).collect::<Vec<i64>>();
            if let (Some(axes), Some(Value::Bool(present))) = (&b.present, present) {
                let here = present.offset(&part(axes)).expect("inside");
                if !present.data[here] {
                    continue;
                }
            }
            let all = b.row.iter().chain(&b.column).zip(&data);
            let all: Vec<i64> = all
                .map(|(c, data)| match (c, data) {
                    (Component::Affine(a), _) => affine(a, &at, args),
                    (Component::Data(axes), Some(Value::Int(data))) => {
                        data.data[data.offset(&part(axes)).expect("inside")]
                    }
                    (Component::Data(_), _) => panic!("no integers"),
                })
                .collect();
            let (row, column) = all.split_at(b.row.len());
            let (o, i) = (&outputs[b.output], &inputs[b.input]);
            let place = flat(row, o)? * volume(i) + flat(column, i)?;
            out[b.output][b.input][place] += values.data[p];
        }
    }
    Ok(out)
}

/// The same by columns.
fn columns(program: &Program, wrt: &[usize], args: &[Value]) -> Result<Vec<Vec<Vec<f64>>>, String> {
    let forward = pipeline::derive(program, Derivative::Jvp, wrt, &mut |_, _| {})?;
    let primal = program.results.len();
    let mut out: Vec<Vec<Vec<f64>>> = vec![];
    for (input, &k) in wrt.iter().enumerate() {
        let shape = args[k].shape().to_vec();
        let n: usize = shape.iter().product();
        for column in 0..n {
            let mut all = args.to_vec();
            for (other, &w) in wrt.iter().enumerate() {
                let mut tangent = Tensor::filled(args[w].shape(), 0.0);
                if other == input {
                    tangent.data[column] = 1.0;
                }
                all.push(Value::Real(tangent));
            }
            let run = bulk_eval::eval(&forward, &all)?;
            for (output, t) in run.results[primal..].iter().map(reals).enumerate() {
                let m = t.data.len();
                if out.len() <= output {
                    out.push(vec![]);
                }
                if out[output].len() <= input {
                    out[output].resize(wrt.len(), vec![]);
                    for (at, &w) in out[output].iter_mut().zip(wrt) {
                        let n: usize = args[w].shape().iter().product();
                        *at = vec![0.0; m * n];
                    }
                }
                for (row, x) in t.data.iter().enumerate() {
                    out[output][input][row * n + column] = *x;
                }
            }
        }
    }
    Ok(out)
}

/// Compares both, before fusion and after it; `Ok(false)` for a program whose entries index maps do
/// not say.
///
/// # Errors
/// If they differ.
pub fn entries(core: &core::Program, args: &[Value]) -> Result<bool, String> {
    let program = &pipeline::to_bulk(core, &mut |_, _| {})?;
    let real = program.params.iter().enumerate();
    let real = real.filter(|(_, p)| p.ty.elem == Elem::Real);
    let wrt: Vec<usize> = real.map(|(k, _)| k).collect();
    let found = match pipeline::entries(program, &wrt, &mut |_, _| {}) {
        Err(message) if message.starts_with(REFUSED) || message.contains("unit") => {
            return Ok(false);
        }
        found => found?,
    };
    let inputs: Vec<Vec<usize>> = wrt.iter().map(|&k| args[k].shape().to_vec()).collect();
    if inputs
        .iter()
        .map(|s| s.iter().product::<usize>())
        .sum::<usize>()
        > MOST_COLUMNS
    {
        return Ok(true);
    }
    let expected = columns(program, &wrt, args)?;
    let kernels = pipeline::to_kernels(&found.program)?;
    let interpreted = bulk_eval::eval(&found.program, args)?.results;
    let fused = kernel_eval::eval(&kernels, args)
        .map_err(|e| format!("fused: {e}"))?
        .0;
    for results in [&interpreted, &fused] {
        let (primal, own) = results.split_at(program.results.len());
        let is_real = |v: &&Value| matches!(v, Value::Real(_));
        let outputs: Vec<Vec<usize>> = (primal.iter().filter(is_real))
            .map(|v| v.shape().to_vec())
            .collect();
        let actual = dense(&found.blocks, own, args, (&outputs, &inputs))
            .map_err(|e| format!("{e}\n{}", found.program))?;
        for (output, expected) in expected.iter().enumerate() {
            for (input, expected) in expected.iter().enumerate() {
                same(&actual[output][input], expected)
                    .map_err(|e| format!("result {output} by {input}: {e}\n{}", found.program))?;
            }
        }
    }
    Ok(true)
}

/// Of larger arguments only the compilation is looked at.
const MOST_COLUMNS: usize = 40;

/// What is said of programs whose entries index maps do not say.
const REFUSED: &str = "`jacobian(sparse)`";

fn same(actual: &[f64], expected: &[f64]) -> Result<(), String> {
    for (place, (x, y)) in actual.iter().zip(expected).enumerate() {
        if y.is_finite() && (x - y).abs() > 1e-9 * (1.0 + y.abs()) {
            return Err(format!("{x} instead of {y} at {place}"));
        }
    }
    Ok(())
}
