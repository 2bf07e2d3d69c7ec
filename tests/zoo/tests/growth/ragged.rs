//! Rows of different lengths, one of them long: what is visited and stored is linear in the entries that
//! there are.

use crate::{Degrees, Growth, LINEAR, Run, real, with_params};
use cotangent_zoo::{Tensor, Value};

/// The first entries of rows, and the number of all entries: so many short rows, some of them empty, and
/// a row in the middle that has as many entries as there are rows.
fn rows(n: usize) -> Vec<i64> {
    let mut starts = vec![0];
    for i in 0..n {
        let length = if i == n / 2 { n } else { i % 3 };
        starts.push(starts[i] + length as i64);
    }
    starts
}

fn ints(data: Vec<i64>) -> Value {
    Value::Int(Tensor::new(vec![data.len()], data))
}

fn by_starts(body: &str, n: usize) -> Run {
    let starts = rows(n);
    let entries = starts[n] as usize;
    let args = vec![real(&[entries]), ints(starts)];
    with_params("v: &Array1<f64>, ptr: &Array1<usize>", body, args)
}

/// Of the rows given by their starts.
fn linear(name: &'static str, body: &str) {
    let at = |n| by_starts(body, n);
    Growth::of(name).along("rows", 32, at, LINEAR).end();
}
