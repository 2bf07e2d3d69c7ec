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

use crate::higher::{MOST, directions, elements, real, shared, unless_refused};
use crate::stages::random;
use cotangent_core::ir::core::Program;
use cotangent_core::ir::jacobian::Direction;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::Value;
use cotangent_core::ir::{bulk, core_eval, generate, kernel, kernel_eval};
use cotangent_core::pipeline::{self, Apart, Derivative};
use std::cell::RefCell;
use std::rc::Rc;

/// A program whose derivatives are counted at several arguments. Each is compiled once, when it is
/// asked for.
pub struct Compiled {
    program: Program,
    wrt: Vec<usize>,
    bulk: bulk::Program,
    apart: Apart,
    /// What linearising keeps, and the product that reads it.
    linearised: (kernel::Program, kernel::Program),
    derivatives: RefCell<Vec<(Derivative, Option<Rc<kernel::Program>>)>>,
}

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

fn run(what: &str, program: &kernel::Program, args: &[Value]) -> Result<Run, String> {
    let (results, cost) =
        kernel_eval::eval(program, args).map_err(|e| format!("fused {what}: {e}"))?;
    let size: usize = args.iter().chain(&results).map(elements).sum();
    Ok(Run {
        operations: cost.operations,
        size: size as u64,
        results,
    })
}

impl Compiled {
    /// The derivatives of a program.
    ///
    /// # Errors
    /// If it cannot be linearised.
    pub fn of(program: Program) -> Result<Compiled, String> {
        let wrt = real(&program);
        let bulk = pipeline::to_bulk(&program, &mut |_, _| {})?;
        let apart = pipeline::apart(&bulk, &wrt, &[], 0..0, &mut |_, _| {})?;
        let values = pipeline::to_kernels(&apart.values)?;
        let product = pipeline::to_kernels(&apart.jvp)?;
        Ok(Compiled {
            program,
            wrt,
            bulk,
            apart,
            linearised: (values, product),
            derivatives: RefCell::default(),
        })
    }

    /// A derivative; `None` if the program is refused.
    fn derivative(&self, what: Derivative) -> Result<Option<Rc<kernel::Program>>, String> {
        let mut all = self.derivatives.borrow_mut();
        if let Some((_, known)) = all.iter().find(|(of, _)| *of == what) {
            return Ok(known.clone());
        }
        let derived = pipeline::derive(&self.bulk, what, &self.wrt, &mut |_, _| {});
        let kernels = match unless_refused(derived)? {
            Some(program) => Some(Rc::new(pipeline::to_kernels(&program)?)),
            None => None,
        };
        all.push((what, kernels.clone()));
        Ok(kernels)
    }

    /// A run of a derivative.
    fn run(&self, what: Derivative, args: &[Value]) -> Result<Option<Run>, String> {
        let program = self.derivative(what)?;
        (program.map(|program| run(what.word(), &program, args))).transpose()
    }

    /// The derivatives that take too many operations at some arguments.
    ///
    /// # Errors
    /// If something cannot be derived or run.
    pub fn above(&self, args: &[Value]) -> Result<Vec<Above>, String> {
        let mut rng = generate::Rng::new(3);
        let tangents = directions(args, &self.wrt, &mut rng);
        let along = [args, &tangents].concat();
        let Some(jvp) = self.run(Derivative::Jvp, &along)? else {
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

        let values = run("values", &self.linearised.0, args)?;
        let mut results = values.results;
        let mut kept = results
            .split_off(self.program.body.results.len())
            .into_iter();
        let given = [shared(&self.apart, args, &mut kept)?, tangents].concat();
        let product = run("linear jvp", &self.linearised.1, &given)?;
        let linearised = values.operations + product.operations;
        compare("linearize", linearised, 2 * (jvp.operations + 1) + jvp.size);

        let is_real = |v: &&Value| matches!(v, Value::Real(_));
        let outputs: Vec<&Value> = results.iter().filter(is_real).collect();
        let rows: usize = outputs.iter().map(|v| elements(v)).sum();
        let columns: usize = self.wrt.iter().map(|&k| elements(&args[k])).sum();
        if rows.max(columns) <= MOST {
            let direction = match rows < columns {
                true => Direction::Reverse,
                false => Direction::Forward,
            };
            if let Some(jacobian) = self.run(Derivative::Jacobian(Some(direction)), args)? {
                let product = match direction {
                    Direction::Forward => Some(jvp),
                    Direction::Reverse => {
                        let cotangents = outputs.iter().map(|v| random(v.shape(), &mut rng));
                        let with: Vec<Value> = args.iter().cloned().chain(cotangents).collect();
                        self.run(Derivative::Vjp, &with)?
                    }
                };
                let (_, core) = core_eval::counted(&self.program, args)?;
                let least = rows.min(columns) as u64;
                let products = least * product.map_or(0, |p| p.operations);
                let allowed = (2 * (least + 1) * core.operations).max(products);
                compare("jacobian", jacobian.operations, allowed + jacobian.size);
            }
        }

        let results = &self.program.body.results[..];
        let is_number = matches!(results, [r] if r.ty.rank == 0 && r.ty.elem == Elem::Real);
        if is_number
            && let Some(hvp) = self.run(Derivative::Hvp, &along)?
            && let Some(grad) = self.run(Derivative::Grad, args)?
        {
            compare("hvp", hvp.operations, 4 * (grad.operations + 1) + hvp.size);
        }
        Ok(all)
    }
}
