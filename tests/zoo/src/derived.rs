//! A function and its derivatives: each is derived and fused once, however many arguments it is run
//! at.

use crate::stages::{all_same, run};
use cotangent_core::ir::linear::Use;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::Value;
use cotangent_core::ir::{bulk, bulk_eval, core, kernel, kernel_eval};
use cotangent_core::pipeline::{self, Derivative};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Parts of the errors that refuse a derivative on purpose. In order: a unit has a rule that cannot
/// be differentiated; each column would compute sizes; only a rule of a unit is known.
const REFUSED: [&str; 3] = [
    "the body of its `",
    "one tangent or cotangent at a time",
    "`taylor` needs the body of `",
];

/// A program in Bulk.
pub(crate) struct Derived {
    pub(crate) bulk: bulk::Program,
    kernels: OnceCell<Result<kernel::Program, String>>,
    derivatives: RefCell<Vec<Known>>,
}

/// A derivative by some of the parameters; `None` if it is refused for a reason.
type Known = (Derivative, Vec<usize>, Option<Rc<Derived>>);

impl Derived {
    fn of(bulk: bulk::Program) -> Derived {
        Derived {
            bulk,
            kernels: OnceCell::new(),
            derivatives: RefCell::default(),
        }
    }

    /// A derivative by some of the parameters; `None` if it is refused for a reason.
    pub(crate) fn derive(
        &self,
        what: Derivative,
        wrt: &[usize],
    ) -> Result<Option<Rc<Derived>>, String> {
        let mut all = self.derivatives.borrow_mut();
        if let Some((.., known)) = all.iter().find(|(w, by, _)| *w == what && by == wrt) {
            return Ok(known.clone());
        }
        let derived = match pipeline::derive(&self.bulk, what, wrt, &mut |_, _| {}) {
            Ok(program) => Some(Rc::new(Derived::of(program))),
            Err(message) if REFUSED.iter().any(|why| message.contains(why)) => None,
            Err(message) => return Err(message),
        };
        all.push((what, wrt.to_vec(), derived.clone()));
        Ok(derived)
    }

    pub(crate) fn kernels(&self) -> Result<&kernel::Program, String> {
        let kernels = self
            .kernels
            .get_or_init(|| pipeline::to_kernels(&self.bulk));
        kernels.as_ref().map_err(Clone::clone)
    }

    /// The results and the cost, by the interpreter of Bulk.
    pub(crate) fn run(&self, what: &str, args: &[Value]) -> Result<bulk_eval::Outcome, String> {
        run(what, &self.bulk, args)
    }

    /// The same, if the fused program has these results as well.
    pub(crate) fn run_both(
        &self,
        what: &str,
        args: &[Value],
    ) -> Result<bulk_eval::Outcome, String> {
        let outcome = self.run(what, args)?;
        let (fused, _) = kernel_eval::eval(self.kernels()?, args)
            .map_err(|e| format!("fused {what}: {e}\n{}", self.bulk))?;
        let what = format!("fused {what}\n{}", self.bulk);
        all_same(&what, &fused, &outcome.results, 1e-9)?;
        Ok(outcome)
    }
}

/// A function that keeps residuals, and the linear programs that read them.
pub(crate) struct Linearised {
    pub(crate) values: Derived,
    pub(crate) jvp: Derived,
    pub(crate) vjp: Derived,
    pub(crate) uses: Vec<Use>,
}

/// A function with its derivatives.
pub struct Function {
    pub(crate) core: core::Program,
    /// The positions of its real parameters.
    pub(crate) wrt: Vec<usize>,
    bulk: Derived,
    linearised: OnceCell<Result<Linearised, String>>,
}

impl Function {
    /// A function that is differentiated by all real parameters.
    ///
    /// # Errors
    /// If it cannot be vectorised.
    pub fn of(core: core::Program) -> Result<Function, String> {
        let params = core.params.iter().enumerate();
        let real = params.filter(|(_, p)| p.ty.elem == Elem::Real);
        Ok(Function {
            wrt: real.map(|(k, _)| k).collect(),
            bulk: Derived::of(pipeline::to_bulk(&core, &mut |_, _| {})?),
            core,
            linearised: OnceCell::new(),
        })
    }

    /// Whether it returns one real number.
    pub(crate) fn is_number(&self) -> bool {
        let results = &self.core.body.results[..];
        matches!(results, [r] if r.ty.rank == 0 && r.ty.elem == Elem::Real)
    }

    /// Whether a part of it is constant for differentiation.
    pub(crate) fn stops(&self) -> bool {
        self.core.to_string().contains("stop(")
    }

    /// A derivative by all real parameters; `None` if it is refused for a reason.
    pub(crate) fn derive(&self, what: Derivative) -> Result<Option<Rc<Derived>>, String> {
        self.derive_by(what, &self.wrt)
    }

    /// A derivative by some parameters.
    pub(crate) fn derive_by(
        &self,
        what: Derivative,
        wrt: &[usize],
    ) -> Result<Option<Rc<Derived>>, String> {
        self.bulk.derive(what, wrt)
    }

    /// A derivative that every function has.
    pub(crate) fn surely(&self, what: Derivative) -> Result<Rc<Derived>, String> {
        let refused = || format!("`{}` is refused", what.word());
        self.derive(what)?.ok_or_else(refused)
    }

    pub(crate) fn linearised(&self) -> Result<&Linearised, String> {
        let linearised = self.linearised.get_or_init(|| {
            let apart = pipeline::apart(&self.bulk.bulk, &self.wrt, &[], 0..0, &mut |_, _| {})?;
            Ok(Linearised {
                values: Derived::of(apart.values),
                jvp: Derived::of(apart.jvp),
                vjp: Derived::of(apart.vjp),
                uses: apart.uses,
            })
        });
        linearised.as_ref().map_err(Clone::clone)
    }
}
