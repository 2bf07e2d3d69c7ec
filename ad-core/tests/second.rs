//! Second derivatives of products: forward mode of reverse mode agrees with differences, and
//! reverse mode of reverse mode with it, also where factors are zero and where they are missing.

use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{bulk_eval, bulk_text};
use cotangent_core::pipeline::{Derivative, derive};

/// Products of the first few elements of each row.
const PRODUCTS: &str = "fn products(x: real[d0.0, d0.1], n: int[d0.0])
  v2: int[d0.0, d0.1] = index i1
  v3: int[d0.0, d0.1] = gather v1[i0]
  v4: bool[d0.0, d0.1] = ilt(v2, v3)
  v5: real[d0.0, d0.1] = fill 1.0
  v6: real[d0.0, d0.1] = select(v4, v0, v5)
  v7: real[d0.0] = product v6 over [1]
  return v7";

fn real(shape: &[usize], data: Vec<f64>) -> Value {
    Value::Real(Tensor::new(shape.to_vec(), data))
}

fn wave(shape: &[usize], step: f64) -> Value {
    let count = shape.iter().product::<usize>();
    real(
        shape,
        (0..count).map(|k| (step * (k + 1) as f64).sin()).collect(),
    )
}

fn dot(a: &Value, b: &Value) -> f64 {
    (a.real().data.iter().zip(&b.real().data))
        .map(|(x, y)| x * y)
        .sum()
}

fn moved(x: &Value, by: &Value, step: f64) -> Value {
    let pairs = x.real().data.iter().zip(&by.real().data);
    real(x.shape(), pairs.map(|(x, t)| x + step * t).collect())
}

#[test]
fn products_have_second_derivatives() {
    let program = bulk_text::parse(PRODUCTS).expect("the text is a program");
    let of = |p, what, wrt: &[usize]| derive(p, what, wrt, &mut |_, _| {}).expect("derives");
    let first = of(&program, Derivative::Vjp, &[0]);
    let forward = of(&first, Derivative::Jvp, &[0, 2]);
    let reverse = of(&first, Derivative::Vjp, &[0, 2]);
    let run = |p, args: &[Value]| bulk_eval::eval(p, args).expect("runs").results;

    let shape = [3, 4];
    let mut data = wave(&shape, 1.7).real().data.clone();
    (data[1], data[5], data[6]) = (0.0, 0.0, 0.0);
    let x = real(&shape, data);
    let n = Value::Int(Tensor::new(vec![3], vec![4, 3, 1]));
    let cotangent = wave(&[3], 0.9);
    let (x_tangent, c_tangent) = (wave(&shape, 2.3), wave(&[3], 1.1));
    let point = [x.clone(), n.clone(), cotangent.clone()];
    let with = |more: &[&Value]| -> Vec<Value> {
        let more = more.iter().map(|v| (*v).clone());
        point.iter().cloned().chain(more).collect()
    };

    let tangents = run(&forward, &with(&[&x_tangent, &c_tangent]));
    let at = |h: f64| {
        let (x, c) = (moved(&x, &x_tangent, h), moved(&cotangent, &c_tangent, h));
        run(&first, &[x, n.clone(), c])
    };
    let (up, down) = (at(1e-5), at(-1e-5));
    for k in 0..2 {
        let differences = moved(&up[k], &down[k], -1.0);
        let pairs = differences
            .real()
            .data
            .iter()
            .zip(&tangents[2 + k].real().data);
        for (d, t) in pairs {
            assert!(
                (d / 2e-5 - t).abs() < 1e-8,
                "{} is not {}",
                differences,
                tangents[2 + k]
            );
        }
    }

    let (u, v) = (wave(&[3], 0.4), wave(&shape, 0.6));
    let back = run(&reverse, &with(&[&u, &v]));
    let by_forward = dot(&u, &tangents[2]) + dot(&v, &tangents[3]);
    let by_reverse = dot(&back[2], &x_tangent) + dot(&back[3], &c_tangent);
    assert!((by_forward - by_reverse).abs() < 1e-12);
}
