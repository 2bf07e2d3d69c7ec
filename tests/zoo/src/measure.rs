//! What a program takes at given sizes, and how that grows with them.

use crate::stages::{self, Counts, Differences};
use cotangent_core::ir::core::Program;
use cotangent_core::ir::core_eval::{self, Counted};
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{bulk, generate, kernel, kernel_eval};
use cotangent_core::pipeline::{self, Derivative};

/// What one function takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations after simplification.
    pub simplified: u64,
    /// Operations once fused.
    pub fused: u64,
    /// The index points that the fused program visits.
    pub visits: u64,
    /// The bytes that it has live at the peak.
    pub peak: u64,
    /// The elements of every array that the fused program stores, results included.
    pub stored: u64,
}

/// What a program takes at one choice of arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The counts that the law of cheap gradients is about.
    pub counts: Counts,
    /// The function itself.
    pub value: Work,
    /// Its value with its gradient, or where the result is an array with the product of a cotangent
    /// and the Jacobian.
    pub gradient: Work,
}

/// Runs a program through all stages, compares them, and counts.
///
/// # Errors
/// If stages differ.
pub fn measure(program: &Program, args: &[Value]) -> Result<Measured, String> {
    let counts = stages::check(program, args, Differences::WhereSmooth)?;
    let wrt: Vec<usize> = (program.params.iter().enumerate())
        .filter(|(_, p)| p.ty.elem == Elem::Real)
        .map(|(k, _)| k)
        .collect();
    let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
    let derive = |what| pipeline::derive(&bulk, what, &wrt, &mut |_, _| {});
    let value = derive(Derivative::Value)?;
    let result = stages::run("value", &value, args)?.results.remove(0);
    let mut extended = args.to_vec();
    let what = if result.shape().is_empty() {
        Derivative::ValueAndGrad
    } else {
        let mut rng = generate::Rng::new(5);
        extended.push(stages::random(result.shape(), &mut rng));
        Derivative::Vjp
    };
    Ok(Measured {
        counts,
        value: work(&value, args)?,
        gradient: work(&derive(what)?, &extended)?,
    })
}

fn work(program: &bulk::Program, args: &[Value]) -> Result<Work, String> {
    let simplified = stages::run("measured", program, args)?.cost;
    let kernels = pipeline::to_kernels(program)?;
    // Every array as a result, to see its sizes, but for those that are changed to become others.
    let taken = |v| {
        let mut sources = kernels.steps.iter().flat_map(|s| s.sources());
        sources.any(|s| s.taken && s.array == v)
    };
    let steps = kernels.steps.iter().flat_map(|s| s.defines());
    let results = steps.map(|(v, _)| v).filter(|v| !taken(*v)).collect();
    let all = kernel::Program {
        results,
        ..kernels.clone()
    };
    let (_, cost) = kernel_eval::eval(&kernels, args)?;
    let (arrays, _) = kernel_eval::eval(&all, args)?;
    Ok(Work {
        simplified,
        fused: cost.operations,
        visits: cost.visits,
        peak: cost.peak,
        stored: arrays.iter().map(elements).sum(),
    })
}

/// The counts at n, 2n and 4n for the law of cheap gradients: the arguments as given, and with
/// every axis of the arrays twice and four times as long. Only sizes at which the function has a
/// value and takes at most so many steps.
///
/// # Errors
/// If a stage fails.
pub fn scaled(program: &Program, args: &[Value], most: u64) -> Result<Vec<Counts>, String> {
    let mut out = vec![];
    let mut lengths = program.params.iter().flat_map(|p| &p.lengths);
    if lengths.any(Option::is_some) {
        return Ok(out);
    }
    let gradient = Gradient::of(program)?;
    for times in [1, 2, 4] {
        let args: Vec<Value> = args.iter().map(|v| repeated(v, times)).collect();
        // Lengths may have to differ by a number, which they do not at other sizes.
        match gradient.counts(&args, most)? {
            Some(counts) => out.push(counts),
            None => break,
        }
    }
    Ok(out)
}

/// A function, with the kernels of its value and its gradient: the product of a cotangent and the
/// Jacobian.
pub struct Gradient<'a> {
    program: &'a Program,
    wrt: Vec<usize>,
    kernels: kernel::Program,
}

impl Gradient<'_> {
    /// The kernels of a function.
    ///
    /// # Errors
    /// If a stage fails.
    pub fn of(program: &Program) -> Result<Gradient<'_>, String> {
        let params = program.params.iter().enumerate();
        let wrt: Vec<usize> = params
            .filter(|(_, p)| p.ty.elem == Elem::Real)
            .map(|(k, _)| k)
            .collect();
        let bulk = pipeline::to_bulk(program, &mut |_, _| {})?;
        let vjp = pipeline::derive(&bulk, Derivative::Vjp, &wrt, &mut |_, _| {})?;
        let kernels = pipeline::to_kernels(&vjp)?;
        Ok(Gradient {
            program,
            wrt,
            kernels,
        })
    }

    /// The counts for the law of cheap gradients; nothing where the function has no value or takes
    /// more steps.
    ///
    /// # Errors
    /// If the derivative fails where the function does not.
    pub fn counts(&self, args: &[Value], most: u64) -> Result<Option<Counts>, String> {
        let Ok((values, counted)) = core_eval::counted(self.program, args) else {
            return Ok(None);
        };
        let Counted { operations, steps } = counted;
        if steps > most {
            return Ok(None);
        }
        let mut rng = generate::Rng::new(5);
        let mut sizes: u64 = self.wrt.iter().map(|k| 2 * elements(&args[*k])).sum();
        let mut args = args.to_vec();
        for v in &values {
            sizes += elements(v);
            if matches!(v, Value::Real(_)) {
                args.push(stages::random(v.shape(), &mut rng));
            }
        }
        let (_, fused) = kernel_eval::eval(&self.kernels, &args)?;
        Ok(Some(Counts {
            core: operations,
            steps,
            fused,
            sizes,
            ..Counts::default()
        }))
    }
}

fn elements(v: &Value) -> u64 {
    v.shape().iter().product::<usize>() as u64
}

/// An array so many times along every axis.
fn repeated(v: &Value, times: usize) -> Value {
    fn tiled<T: Clone>(t: &Tensor<T>, times: usize) -> Tensor<T> {
        let shape: Vec<usize> = t.shape.iter().map(|n| n * times).collect();
        let count: usize = shape.iter().product();
        let at = |mut k: usize| {
            let (mut offset, mut stride) = (0, 1);
            for (n, all) in t.shape.iter().zip(&shape).rev() {
                offset += k % all % n * stride;
                stride *= n;
                k /= all;
            }
            t.data[offset].clone()
        };
        Tensor::new(shape.clone(), (0..count).map(at).collect())
    }
    match v {
        Value::Real(t) => Value::Real(tiled(t, times)),
        Value::Int(t) => Value::Int(tiled(t, times)),
        Value::Bool(t) => Value::Bool(tiled(t, times)),
    }
}

/// The degree with which a count grows, from its values at n, 2n and 4n: a polynomial of degree d
/// has d, or less while terms of lower degree prevail. What does not grow has 0.
pub fn degree([one, two, four]: [u64; 3]) -> f64 {
    let (first, second) = (two as f64 - one as f64, four as f64 - two as f64);
    if second <= 0.0 {
        0.0
    } else if first <= 0.0 {
        f64::INFINITY
    } else {
        (second / first).log2().max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::degree;

    #[test]
    fn degrees_of_polynomials() {
        assert_eq!(degree([7, 7, 7]), 0.0);
        assert_eq!(degree([5 + 8, 5 + 16, 5 + 32]), 1.0);
        assert_eq!(degree([64, 256, 1024]), 2.0);
        assert!(degree([64 + 8, 256 + 16, 1024 + 32]) > 1.9);
        assert_eq!(degree([9, 8, 6]), 0.0);
    }
}
