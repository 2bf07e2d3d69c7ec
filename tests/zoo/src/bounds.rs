//! The counted operations of derivatives, and how many they may be. With V for the operations of
//! the function as written, and one more for each element that goes in or comes out:
//!
//! ```text
//! Jacobian of m by n                     2 min(m, n) V, and the shared part once, 2 V
//! product with the Hessian               4 gradients
//! linearised values and one product      2 products with a tangent
//! ```
//!
//! Where one product with a tangent or cotangent takes more than 2 V, as in loops, a Jacobian takes
//! at most min(m, n) of these products. What does not depend on sizes counts as one operation.

use crate::derived::{Derived, Function};
use crate::higher::{MOST, directions, elements, shared};
use crate::stages::random;
use cotangent_core::ir::jacobian::Direction;
use cotangent_core::ir::value::Value;
use cotangent_core::ir::{core_eval, generate, kernel_eval};
use cotangent_core::pipeline::Derivative;

/// A derivative that takes more operations than it may.
#[derive(Clone, Debug)]
pub struct Above {
    /// Which derivative.
    pub what: &'static str,
    /// How many operations it takes.
    pub operations: u64,
    /// How many it may take.
    pub allowed: u64,
}

/// A run: its operations, the elements of arguments and results, and the results.
struct Run {
    operations: u64,
    size: u64,
    results: Vec<Value>,
}

impl Run {
    fn of(what: &str, derived: &Derived, args: &[Value]) -> Result<Run, String> {
        let (results, cost) = kernel_eval::eval(derived.kernels()?, args)
            .map_err(|e| format!("fused {what}: {e}"))?;
        let size: usize = args.iter().chain(&results).map(elements).sum();
        Ok(Run {
            operations: cost.operations,
            size: size as u64,
            results,
        })
    }
}

impl Function {
    /// A run of a derivative, fused; `None` if it is refused.
    fn count(&self, what: Derivative, args: &[Value]) -> Result<Option<Run>, String> {
        let derived = self.derive(what)?;
        (derived.map(|derived| Run::of(what.word(), &derived, args))).transpose()
    }

    /// The derivatives that take too many operations at some arguments.
    ///
    /// # Errors
    /// If something cannot be derived or run.
    pub fn above(&self, args: &[Value]) -> Result<Vec<Above>, String> {
        let mut rng = generate::Rng::new(3);
        let tangents = directions(args, &self.wrt, &mut rng);
        let along = [args, &tangents].concat();
        let Some(jvp) = self.count(Derivative::Jvp, &along)? else {
            return Ok(vec![]);
        };
        let mut all = vec![];
        let mut compare = |what, operations, allowed| {
            if operations > allowed {
                all.push(Above {
                    what,
                    operations,
                    allowed,
                });
            }
        };

        let linearised = self.linearised()?;
        let values = Run::of("values", &linearised.values, args)?;
        let mut results = values.results;
        let mut kept = results.split_off(self.core.body.results.len()).into_iter();
        let given = [shared(linearised, args, &mut kept)?, tangents].concat();
        let product = Run::of("linear jvp", &linearised.jvp, &given)?;
        let both = values.operations + product.operations;
        compare("linearize", both, 2 * (jvp.operations + 1) + jvp.size);

        let is_real = |v: &&Value| matches!(v, Value::Real(_));
        let outputs: Vec<&Value> = results.iter().filter(is_real).collect();
        let rows: usize = outputs.iter().map(|v| elements(v)).sum();
        let columns: usize = self.wrt.iter().map(|&k| elements(&args[k])).sum();
        if rows.max(columns) <= MOST {
            let direction = match rows < columns {
                true => Direction::Reverse,
                false => Direction::Forward,
            };
            if let Some(jacobian) = self.count(Derivative::Jacobian(Some(direction)), args)? {
                let product = match direction {
                    Direction::Forward => Some(jvp),
                    Direction::Reverse => {
                        let cotangents = outputs.iter().map(|v| random(v.shape(), &mut rng));
                        let with: Vec<Value> = args.iter().cloned().chain(cotangents).collect();
                        self.count(Derivative::Vjp, &with)?
                    }
                };
                let (_, core) = core_eval::counted(&self.core, args)?;
                let least = rows.min(columns) as u64;
                let products = least * product.map_or(0, |p| p.operations);
                let allowed = (2 * (least + 1) * core.operations).max(products);
                compare("jacobian", jacobian.operations, allowed + jacobian.size);
            }
        }

        if self.is_number()
            && let Some(hvp) = self.count(Derivative::Hvp, &along)?
            && let Some(grad) = self.count(Derivative::Grad, args)?
        {
            compare("hvp", hvp.operations, 4 * (grad.operations + 1) + hvp.size);
        }
        Ok(all)
    }
}
