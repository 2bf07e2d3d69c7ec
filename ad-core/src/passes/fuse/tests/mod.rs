//! What comes of programs, and that it computes the same.

mod axes;
mod extremes;
mod families;
mod loops;
mod nests;
mod onto;
mod places;
mod products;
mod rows;
mod tiles;

use super::change::Owned;
use super::steps::PASSES;
use super::{Lowerer, prepared};
use crate::ir::bulk;
use crate::ir::kernel::Program;
use crate::ir::value::{Tensor, Value};
use crate::ir::{bulk_check, bulk_eval, bulk_text, kernel_check, kernel_eval};

/// The program with this text, which is as it should be.
fn bulk_of(text: &str) -> bulk::Program {
    let bulk = bulk_text::parse(text).unwrap();
    bulk_check::check(&bulk).unwrap_or_else(|e| panic!("{e}\n{bulk}"));
    bulk
}

/// Kernels that are as they should be.
fn checked(kernels: Program) -> Program {
    kernel_check::check(&kernels).unwrap_or_else(|e| panic!("{e}\n{kernels}"));
    kernels
}

/// The kernels of a function.
fn fuse(program: &bulk::Program) -> Program {
    fuse_as(program, &Owned::by_function())
}

/// The kernels of a program that owns these parameters.
fn fuse_as(program: &bulk::Program, owned: &Owned) -> Program {
    let lowered = Lowerer::default().program(&prepared(program), owned);
    (PASSES.iter()).fold(lowered, |program, pass| pass.run_as(program, owned))
}

/// The kernels of a program.
fn fused(text: &str) -> Program {
    checked(fuse(&bulk_of(text)))
}

/// An array whose elements are these of the numbers from 1 on.
fn real(shape: &[usize], element: impl Fn(usize) -> f64) -> Value {
    let data = (1..=shape.iter().product::<usize>()).map(element);
    Value::Real(Tensor::new(shape.to_vec(), data.collect()))
}

/// The kernels of a program, which agree with it on these arguments, in every bit but those of NaN;
/// and how many operations they and the program take.
fn agreeing(text: &str, args: &[Value]) -> (Program, [u64; 2]) {
    let bulk = bulk_of(text);
    let kernels = checked(fuse(&bulk));
    let wanted = bulk_eval::eval(&bulk, args).unwrap();
    let (results, cost) = kernel_eval::eval(&kernels, args).unwrap();
    assert_eq!(format!("{results:?}"), format!("{:?}", wanted.results));
    (kernels, [cost.operations, wanted.cost])
}

/// The same, at no more operations.
fn no_dearer(text: &str, args: &[Value]) -> Program {
    let (kernels, [cost, most]) = agreeing(text, args);
    assert!(cost <= most, "{cost} > {most}");
    kernels
}
