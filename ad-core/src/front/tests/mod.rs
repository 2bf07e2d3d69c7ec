//! What is accepted becomes the Core it should; what is not says so well.

use super::{Annotated, analyse};
use crate::ir::core::{Kind, ReduceOp};

fn accept(source: &str) -> Annotated {
    match analyse(Default::default(), source.parse().unwrap()) {
        Ok(annotated) => annotated,
        Err(failure) => panic!("{}", failure.errors),
    }
}

#[test]
fn dot() {
    let a =
        accept("fn f(x: &Array1<f64>, y: &Array1<f64>) -> f64 { sum(x.len(), |i| x[i] * y[i]) }");
    assert!(matches!(
        *a.program.body.kind,
        Kind::Reduce(ReduceOp::Sum, ..)
    ));
}
