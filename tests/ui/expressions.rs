use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable]
fn outside(x: f64, n: usize) -> f64 {
    let a = (n << 1) as f64;
    let b = const { 1.0 + 2.0 } * x;
    let c = x + 'out: {
        if n > 2 {
            break 'out x;
        }
        1.0
    };
    let d = <f64 as Real>::of(1.0);
    let e = Some(x).unwrap();
    let f = x as Length as f64;
    let g = 99_999_999_999_999_999_999_u128 as f64;
    let h = 3_u128 as f64;
    let i = x.sqrt::<>();
    a + b + c + d + e + f + g + h + i
}

type Length = f32;

#[differentiable]
fn kinds(x: f64, n: usize, b: bool) -> f64 {
    let c = -b;
    let d = !n as f64;
    let e = (b + b) as f64;
    let f = (n | 3) as f64;
    let g = b.not();
    let h = n.saturating_sub(3) as f64;
    let i = x.pow(2);
    let j = x.to_bits() as f64;
    let k = f64::sin;
    let l = outside;
    let m = lost;
    let o = if b { x } else { n };
    x
}

#[differentiable]
fn patterns(p: (f64, f64), x: &Array1<f64>, n: usize) -> f64 {
    let (a, ..) = p;
    let (b, c, d) = p;
    let whole @ (e, f) = p;
    let g = match n {
        0 | 1 => a,
        k @ 2..=3 => k as f64,
        _ => b,
    };
    let h: (f64, f64) = x.sum();
    let i = p.2;
    let [j, k] = p;
    a + b + c + d + e + f + g + j + k
}

#[differentiable]
fn closures(x: &Array1<f64>) -> f64 {
    let f = |a: f64, b: f64| a * b;
    let g = async |a: f64| a;
    let rows = build(3, |i| f);
    f(x[0]) + sum(3, |i, j| x[i]) + sum(x.len()) + x.map(|v, w| v * w).sum() + (|| 1.0)()
}

fn main() {}
