//! How the cost of programs and of their gradients grows with sizes: operations, simplified and
//! fused, index points visited, elements stored and bytes live at the peak.
//!
//! One test per program; it goes on to the end and lists all that is wrong. Degrees are measured at
//! n, 2n and 4n; bounds say what the textbook program takes, with small constants.

/// The programs, by what makes them grow.
mod growth {
    mod branches;
    mod diagonals;
    mod law;
    mod loops;
    mod places;
    mod ragged;
    mod reads;
}

use cotangent_core::ir::core::Program;
use cotangent_core::ir::generate::Rng;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_zoo::measure::{Measured, Work, degree, measure};
use cotangent_zoo::stages::{lower, random};
use cotangent_zoo::{Elem, program};
use std::fmt::Write;

/// How a program may grow along some size.
#[derive(Clone, Copy, Default)]
struct Degrees {
    value: u32,
    gradient: u32,
    value_stored: u32,
    gradient_stored: u32,
}

/// A test of one program: what has been measured, and what is wrong with it.
struct Growth {
    name: &'static str,
    text: String,
    failures: usize,
    only_fused: bool,
}

type Run = (Program, Vec<Value>);

impl Growth {
    fn of(name: &'static str) -> Growth {
        Growth {
            name,
            text: String::new(),
            failures: 0,
            only_fused: false,
        }
    }

    /// What is neutral counts in Bulk: the entries behind the ends of rows, in products and extrema
    /// of these.
    fn fused(self) -> Growth {
        let only_fused = true;
        Growth { only_fused, ..self }
    }

    fn fail(&mut self, message: &str) {
        self.failures += 1;
        writeln!(self.text, "  FAILS {message}").expect("a string");
    }

    /// The program at one choice of sizes, measured. The law of cheap gradients must hold.
    fn at(&mut self, sizes: &str, (program, args): Run) -> Measured {
        let mut m =
            measure(&program, &args).unwrap_or_else(|e| panic!("{} at {sizes}: {e}", self.name));
        if self.only_fused {
            m.counts.vjp = m.counts.fused.operations;
            for work in [&mut m.value, &mut m.gradient] {
                work.simplified = work.fused;
            }
        }
        let show = |w: Work| {
            let Work {
                simplified,
                fused,
                visits,
                peak,
                stored,
            } = w;
            format!("{simplified} / {fused} / {visits} / {stored} / {peak}")
        };
        let (core, value, gradient) = (m.counts.core, show(m.value), show(m.gradient));
        writeln!(
            self.text,
            "  {sizes}: as written {core}; simplified / fused / visits / stored / peak: value {value}, gradient {gradient}"
        )
        .expect("a string");
        if let Err(e) = m.counts.cheap() {
            self.fail(&e);
        }
        m
    }

    /// The program as a size grows to its double and to twice that.
    fn along(mut self, size: &str, from: usize, run: impl Fn(usize) -> Run, max: Degrees) -> Self {
        let all = [from, 2 * from, 4 * from].map(|n| self.at(&format!("{size} = {n}"), run(n)));
        let mut check = |what: &str, of: fn(&Measured) -> u64, max: u32| {
            let counts = [of(&all[0]), of(&all[1]), of(&all[2])];
            let found = degree(counts);
            // Terms of lower degree that are subtracted make it a little more at small sizes.
            if found > f64::from(max) + 0.15 {
                self.fail(&format!(
                    "{what} in {size}: degree {found:.2} and not {max}: {counts:?}"
                ));
            }
        };
        check("operations of the value", |m| m.value.simplified, max.value);
        check(
            "operations of the value, fused",
            |m| m.value.fused,
            max.value,
        );
        check(
            "operations of the gradient",
            |m| m.gradient.simplified,
            max.gradient,
        );
        check(
            "operations of the gradient, fused",
            |m| m.gradient.fused,
            max.gradient,
        );
        // What is stored is visited, too.
        check(
            "visits of the value",
            |m| m.value.visits,
            max.value.max(max.value_stored),
        );
        check(
            "visits of the gradient",
            |m| m.gradient.visits,
            max.gradient.max(max.gradient_stored),
        );
        check(
            "elements stored by the value",
            |m| m.value.stored,
            max.value_stored,
        );
        check(
            "elements stored by the gradient",
            |m| m.gradient.stored,
            max.gradient_stored,
        );
        // Which step has the peak may differ between sizes, so differences say nothing.
        for (what, of, max) in [
            (
                "value",
                (|m| m.value.peak) as fn(&Measured) -> u64,
                max.value_stored,
            ),
            ("gradient", |m| m.gradient.peak, max.gradient_stored),
        ] {
            let [one, _, four] = [&all[0], &all[1], &all[2]].map(of);
            if 4 * four > (5 * (one + 8)) << (2 * max) {
                self.fail(&format!(
                    "live bytes of the {what} in {size}: {one} and {four}"
                ));
            }
        }
        self
    }

    /// The program at one choice of sizes: no more than so much.
    fn within(mut self, sizes: &str, run: Run, max: Bounds) -> Self {
        let m = self.at(sizes, run);
        let mut check = |what: &str, count: u64, max: usize| {
            if count > max as u64 {
                self.fail(&format!(
                    "{what} at {sizes}: {count}, and not at most {max}"
                ));
            }
        };
        check("operations of the value", m.value.simplified, max.value);
        check("operations of the value, fused", m.value.fused, max.value);
        let beyond = |of: fn(&Work) -> u64| of(&m.gradient).saturating_sub(of(&m.value));
        let (simplified, fused) = (beyond(|w| w.simplified), beyond(|w| w.fused));
        check("operations beyond the value", simplified, max.beyond);
        check("operations beyond the value, fused", fused, max.beyond);
        check(
            "elements stored by the gradient",
            m.gradient.stored,
            max.stored,
        );
        self
    }

    fn end(self) {
        let Growth {
            name,
            text,
            failures,
            ..
        } = self;
        assert_eq!(failures, 0, "{name} fails:\n{text}");
        println!("{name}\n{text}");
    }
}

/// What a program may take at one choice of sizes.
#[derive(Clone, Copy)]
struct Bounds {
    /// Operations of the value.
    value: usize,
    /// Operations of value and gradient beyond those of the value.
    beyond: usize,
    /// Elements stored by value and gradient.
    stored: usize,
}

fn real(shape: &[usize]) -> Value {
    let seed = shape.iter().fold(1, |s, &n| 31 * s + n as u64);
    random(shape, &mut Rng::new(seed))
}

fn int(n: usize) -> Value {
    Value::Int(Tensor::scalar(n as i64))
}

/// Integers below a bound.
fn ints(count: usize, below: usize) -> Value {
    let mut rng = Rng::new(count as u64);
    let data = (0..count).map(|_| rng.below(below) as i64).collect();
    Value::Int(Tensor::new(vec![count], data))
}

/// A program of the zoo with these arguments.
fn zoo(name: &str, args: Vec<Value>) -> Run {
    let program = program(name);
    assert!(program.params.iter().any(|p| p.elem == Elem::Real));
    let (core, consts) = lower(program.source, name).unwrap_or_else(|e| panic!("{name}: {e}"));
    (core, args.into_iter().chain(consts).collect())
}

/// A function of one vector and with this body, at a vector of this length.
fn written(body: &str, length: usize) -> Run {
    with_params("x: &Array1<f64>", body, vec![real(&[length])])
}

/// A function with these parameters and this body, at some arguments.
fn with_params(params: &str, body: &str, args: Vec<Value>) -> Run {
    let source =
        format!("#[differentiable(value, grad)] pub fn written({params}) -> f64 {{ {body} }}");
    let (core, _) = lower(&source, "written").unwrap_or_else(|e| panic!("{e}\n{source}"));
    (core, args)
}

const LINEAR: Degrees = Degrees {
    value: 1,
    gradient: 1,
    value_stored: 1,
    gradient_stored: 1,
};

const CONSTANT: Degrees = Degrees {
    value: 0,
    gradient: 0,
    value_stored: 0,
    gradient_stored: 0,
};
