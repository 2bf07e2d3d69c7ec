//! What a program takes at given sizes, and how that grows with them.

use crate::stages::{self, Counts, Differences};
use cotangent_core::ir::core::Program;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::Value;
use cotangent_core::ir::{bulk, generate, kernel, kernel_eval};
use cotangent_core::pipeline::{self, Derivative};

/// What one function takes: real operations, and the elements of all arrays that it makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations after simplification.
    pub simplified: u64,
    /// Operations once fused.
    pub fused: u64,
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
    let all = kernel::Program { results, ..kernels };
    let (arrays, fused) = kernel_eval::eval(&all, args)?;
    let elements = |v: &Value| v.shape().iter().product::<usize>() as u64;
    Ok(Work {
        simplified,
        fused,
        stored: arrays.iter().map(elements).sum(),
    })
}

/// The degree with which a count grows, from its values at n, 2n and 4n: a polynomial of degree d has
/// d, or less while terms of lower degree prevail. What does not grow has 0.
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
