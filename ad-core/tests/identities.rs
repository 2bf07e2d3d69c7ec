//! Identities between programs that several passes make: derivatives inside of derivatives, and
//! forward mode that, given one-hot tangents, is simplified to what reverse mode gives.

mod identities {
    pub(super) mod batch;
}

use cotangent_core::ir::build::Builder;
use cotangent_core::ir::bulk::{Program, Var};
use cotangent_core::ir::prims::Prim;
use cotangent_core::ir::value::Value;
use cotangent_core::ir::{bulk_eval, generate};
use cotangent_core::passes::linearise::linearise;
use cotangent_core::passes::simplify::{simplify, simplify_linear};
use cotangent_core::pipeline::{self, Derivative};
use cotangent_core::{front, ir};
use identities::batch::{at, batched};
use quote::quote;

/// A Rust function as a simplified Bulk program.
fn program(function: &proc_macro2::TokenStream) -> Program {
    let analysed = front::analyse(quote!(value), function.clone());
    let analysed = analysed.unwrap_or_else(|f| panic!("{}\n{function}", f.errors));
    pipeline::to_bulk(&analysed.program, &mut |_, _| {}).expect("a sound program")
}

fn gradient(p: &Program, wrt: usize) -> Program {
    pipeline::derive(p, Derivative::Grad, &[wrt], &mut |_, _| {}).expect("a sound program")
}

/// Only the equations and results, in the order in which the results need them.
fn canonical(p: &Program) -> String {
    fn place(p: &Program, v: Var, out: &mut Builder, new: &mut [Option<Var>]) -> Var {
        if let Some(done) = new[v.index()] {
            return done;
        }
        let eq = p.eq(v).expect("parameters are placed");
        eq.visit(&mut |operand| {
            place(p, operand, out, new);
        });
        let done = out.copy(eq, &mut |v| new[v.index()].expect("placed"));
        new[v.index()] = Some(done);
        done
    }
    let mut out = Builder::new("canonical", p.params.clone());
    let mut new = vec![None; p.params.len() + p.eqs.len()];
    for (k, v) in new.iter_mut().enumerate().take(p.params.len()) {
        *v = Some(Var(k as u32));
    }
    let results = (p.results.iter())
        .map(|&r| place(p, r, &mut out, &mut new))
        .collect();
    out.finish(results).to_string()
}

/// The same program up to the order of equations.
fn assert_same(actual: &Program, expected: &Program) {
    let (a, e) = (canonical(actual), canonical(expected));
    assert!(a == e, "got\n{a}\nand not\n{e}");
}

/// `x` times the derivative of a function of `x` and `y` by `y`, both scalars.
fn x_times_derivative_by_y(inner: &Program) -> Program {
    let derivative = gradient(inner, 1);
    let mut out = Builder::new("outer", derivative.params.clone());
    let mut new: Vec<Var> = (0..derivative.params.len())
        .map(|k| Var(k as u32))
        .collect();
    for eq in &derivative.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    let derivative = new[derivative.results[0].index()];
    let product = out.map(Prim::Mul, &[Var(0), derivative], None);
    simplify(&out.finish(vec![product]))
}

#[test]
fn derivatives_nest() {
    // d/dx (x · d(x + y)/dy) = 1
    let sum = program(&quote!(
        fn f(x: f64, y: f64) -> f64 {
            x + y
        }
    ));
    let outer = gradient(&x_times_derivative_by_y(&sum), 0);
    let one = program(&quote!(
        fn f(x: f64, y: f64) -> f64 {
            let _ = (x, y);
            1.0
        }
    ));
    assert_same(&outer, &one);

    // d/dx (x · d(x · y)/dy) = 2 x
    let product = program(&quote!(
        fn f(x: f64, y: f64) -> f64 {
            x * y
        }
    ));
    let outer = gradient(&x_times_derivative_by_y(&product), 0);
    let twice = program(&quote!(
        fn f(x: f64, y: f64) -> f64 {
            let _ = y;
            x * 2.0
        }
    ));
    assert_same(&outer, &twice);
}

/// Checks that forward mode with one-hot tangents, all of them at once, becomes the gradient of
/// reverse mode by the first parameter. `shapes` are those of the arguments to compare numbers
/// with.
fn forward_is_reverse(function: &proc_macro2::TokenStream, shapes: &[&[usize]]) {
    let primal = program(function);
    let one_hot = match primal.params[0].ty.rank() {
        1 => program(&quote! {
            fn one_hot(x: &Array1<f64>) -> Array2<f64> {
                build((x.len(), x.len()), |(i, j)| if i == j { 1.0 } else { 0.0 })
            }
        }),
        2 => program(&quote! {
            fn one_hot(x: &Array2<f64>) -> Array4<f64> {
                let (n, m) = x.dim();
                build((n, m, n, m), |(i, j, k, l)| if i == k && j == l { 1.0 } else { 0.0 })
            }
        }),
        rank => panic!("rank {rank} is not needed yet"),
    };
    let shape = &one_hot.ty(one_hot.results[0]).shape;
    let batch = batched(&linearise(&primal, &[0]), shape);
    let seeds = [Var(primal.params.len() as u32)];
    let unsimplified = at(&simplify_linear(&batch, &seeds), &one_hot);
    ir::bulk_check::check(&unsimplified).unwrap_or_else(|e| panic!("{e}\n{unsimplified}"));
    let (forward, reverse) = (simplify(&unsimplified), gradient(&primal, 0));

    let mut rng = generate::Rng::new(3);
    let args: Vec<Value> = (shapes.iter())
        .map(|shape| {
            let data = (0..shape.iter().product())
                .map(|_| rng.real(-1.0, 1.0))
                .collect();
            Value::Real(ir::value::Tensor::new(shape.to_vec(), data))
        })
        .collect();
    let run = |p: &Program| {
        let outcome = bulk_eval::eval(p, &args).unwrap_or_else(|e| panic!("{e}\n{p}"));
        outcome.results[0].clone()
    };
    let (f, r) = (run(&forward), run(&reverse));
    assert_eq!(f.shape(), r.shape());
    for (f, r) in f.real().data.iter().zip(&r.real().data) {
        assert!((f - r).abs() < 1e-12, "{f} is not {r}\n{unsimplified}");
    }

    assert_same(&forward, &reverse);
}

#[test]
fn forward_is_reverse_of_sum() {
    let function = quote! {
        fn total(x: &Array1<f64>) -> f64 {
            sum(x.len(), |i| x[i])
        }
    };
    forward_is_reverse(&function, &[&[4]]);
}

#[test]
fn forward_is_reverse_of_dot() {
    let function = quote! {
        fn dot(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
            sum(x.len(), |i| x[i] * y[i])
        }
    };
    forward_is_reverse(&function, &[&[4], &[4]]);
}

#[test]
fn forward_is_reverse_of_bilinear_form() {
    let function = quote! {
        fn bilinear(m: &Array2<f64>, u: &Array1<f64>, v: &Array1<f64>) -> f64 {
            let (rows, columns) = m.dim();
            sum((rows, columns), |(i, j)| u[i] * m[[i, j]] * v[j])
        }
    };
    forward_is_reverse(&function, &[&[3, 4], &[3], &[4]]);
}

#[test]
fn forward_is_reverse_of_trace() {
    let function = quote! {
        fn trace(m: &Array2<f64>) -> f64 {
            sum(m.nrows(), |i| m[[i, i]])
        }
    };
    forward_is_reverse(&function, &[&[3, 3]]);
}

#[test]
fn forward_is_reverse_of_elementwise_functions() {
    let function = quote! {
        fn energy(x: &Array1<f64>) -> f64 {
            sum(x.len(), |i| x[i].sin())
        }
    };
    forward_is_reverse(&function, &[&[4]]);
}
