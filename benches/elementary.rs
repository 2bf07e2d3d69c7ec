//! Nanoseconds per element of the elementary functions in generated code, beside loops by hand over the same functions.
//!
//! ```text
//! cargo bench --bench elementary                  # all of them
//! cargo bench --bench elementary -- sin tan       # these
//! COTANGENT_ISA=avx2 cargo bench --bench elementary
//! ```
//!
//! Three generated functions are measured for each f: the array of all f(xᵢ), their sum, and the gradient of the
//! sum. One loop by hand writes all f(xᵢ) to an array, another one all derivatives. Arrays fit in the first cache.
//! The bench of the same name in `ad-runtime` compares instruction sets, without generated code.

use cotangent::ndarray::Array1;
use cotangent::prelude::*;
use cotangent::runtime::kernels as rt;
use std::hint::black_box;
use std::time::Instant;

const ELEMENTS: usize = 4096;

/// The functions that are measured for one f of one type.
struct Loops<T> {
    array: fn(&Array1<T>) -> Array1<T>,
    sum: fn(&Array1<T>) -> T,
    gradient: fn(&Array1<T>) -> Array1<T>,
    by_hand: fn(&[T], &mut [T]),
    derivative_by_hand: fn(&[T], &mut [T]),
}

/// The fastest of several runs, in nanoseconds per element.
fn time(run: &mut dyn FnMut()) -> f64 {
    const CALLS: usize = 4;
    let start = Instant::now();
    for _ in 0..CALLS {
        run();
    }
    start.elapsed().as_nanos() as f64 / (CALLS * ELEMENTS) as f64
}

impl<T: Real> Loops<T> {
    /// The row of a function: all loops take turns, and the fastest of many runs counts.
    fn print(&self, name: &str, kind: &str, low: f64, high: f64) {
        // Evenly spread, in an order that branches cannot guess.
        let at = |i: usize| ((i * 1597) % ELEMENTS) as f64 / ELEMENTS as f64;
        let x = Array1::from_shape_fn(ELEMENTS, |i| T::of(low + (high - low) * at(i)));
        let mut y = vec![T::of(0.0); ELEMENTS];
        let mut best = [f64::INFINITY; 5];
        for _ in 0..60 {
            let plain = x.as_slice().expect("an array of its own");
            let times = [
                time(&mut || _ = black_box((self.array)(black_box(&x)))),
                time(&mut || (self.by_hand)(black_box(plain), black_box(&mut y))),
                time(&mut || _ = black_box((self.sum)(black_box(&x)))),
                time(&mut || _ = black_box((self.gradient)(black_box(&x)))),
                time(&mut || (self.derivative_by_hand)(black_box(plain), black_box(&mut y))),
            ];
            for (best, time) in best.iter_mut().zip(times) {
                *best = best.min(time);
            }
        }
        let [array, hand, sum, gradient, derivative] = best;
        println!(
            "| `{name}` {kind} | {array:.2} | {sum:.2} | {hand:.2} | {gradient:.2} | {derivative:.2} |"
        );
    }
}

/// The annotated functions of one f and one type, and the loops by hand.
macro_rules! measured {
    ($t:ident, |$x:ident| ($($f:tt)*), $value:expr, $derivative:expr) => {{
        #[differentiable(value)]
        fn array(x: &Array1<$t>) -> Array1<$t> {
            x.mapv(|$x| $($f)*)
        }
        #[differentiable(value, grad)]
        fn total(x: &Array1<$t>) -> $t {
            sum(x.len(), |i| {
                let $x = x[i];
                $($f)*
            })
        }
        Loops::<$t> {
            array: array_value,
            sum: total_value,
            gradient: total_grad,
            by_hand: by_hand!($t, |$x| $value),
            derivative_by_hand: by_hand!($t, |$x| $derivative),
        }
    }};
}

/// A loop by hand, compiled for the instruction set that generated code uses.
macro_rules! by_hand {
    ($t:ident, |$x:ident| $f:expr) => {{
        struct ByHand<'a>(&'a [$t], &'a mut [$t]);
        impl rt::Kernel for ByHand<'_> {
            type Output = ();
            #[inline(always)]
            fn run<Set: rt::InstructionSet>(self) {
                each(self.0, self.1, |$x| $f);
            }
        }
        |x: &[$t], y: &mut [$t]| rt::dispatch(ByHand(x, y))
    }};
}

/// A function of its own, and not one that is inlined before what it calls: so what is behind its parameters is known not
/// to overlap, nor to be a table.
#[inline]
fn each<T: Copy>(x: &[T], y: &mut [T], f: impl Fn(T) -> T) {
    let n = x.len();
    assert!(y.len() == n, "one result for each element");
    let mut i = 0;
    while i < n {
        y[i] = f(x[i]);
        i += 1;
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    println!("| function | array | sum | by hand | gradient | by hand |");
    println!("|---|---|---|---|---|---|");
    macro_rules! rows {
        ($($name:literal, $low:literal .. $high:literal, |$x:ident| $f:tt, $value:expr, $derivative:expr;)*) => {$(
            if wanted.is_empty() || wanted.iter().any(|w| w == $name) {
                measured!(f64, |$x| $f, $value, $derivative).print($name, "f64", $low, $high);
                measured!(f32, |$x| $f, $value, $derivative).print($name, "f32", $low, $high);
            }
        )*};
    }
    rows! {
        "exp", -20.0..20.0, |x| (x.exp()), rt::exp(x), rt::exp(x);
        "exp2", -20.0..20.0, |x| (x.exp2()), rt::exp2(x), rt::exp2(x) * 0.69;
        "exp_m1", -2.0..2.0, |x| (x.exp_m1()), rt::exp_m1(x), rt::exp(x);
        "ln", 0.001..100.0, |x| (x.ln()), rt::ln(x), 1.0 / x;
        "ln_1p", -0.9..10.0, |x| (x.ln_1p()), rt::ln_1p(x), 1.0 / (1.0 + x);
        "log2", 0.001..100.0, |x| (x.log2()), rt::log2(x), 1.44 / x;
        "log10", 0.001..100.0, |x| (x.log10()), rt::log10(x), 0.43 / x;
        "sin", -10.0..10.0, |x| (x.sin()), rt::sin(x), rt::cos(x);
        "cos", -10.0..10.0, |x| (x.cos()), rt::cos(x), -rt::sin(x);
        "sin · cos", -10.0..10.0, |x| (x.sin() * x.cos()), rt::sin(x) * rt::cos(x),
            rt::cos(x) * rt::cos(x) - rt::sin(x) * rt::sin(x);
        "tan", -10.0..10.0, |x| (x.tan()), rt::tan(x), 1.0 + rt::tan(x) * rt::tan(x);
        "tanh", -5.0..5.0, |x| (x.tanh()), rt::tanh(x), 1.0 - rt::tanh(x) * rt::tanh(x);
        "sinh", -5.0..5.0, |x| (x.sinh()), rt::sinh(x), rt::cosh(x);
        "cosh", -5.0..5.0, |x| (x.cosh()), rt::cosh(x), rt::sinh(x);
        "asin", -1.0..1.0, |x| (x.asin()), rt::asin(x), 1.0 / (1.0 - x * x).sqrt();
        "acos", -1.0..1.0, |x| (x.acos()), rt::acos(x), -1.0 / (1.0 - x * x).sqrt();
        "atan", -5.0..5.0, |x| (x.atan()), rt::atan(x), 1.0 / (1.0 + x * x);
        "asinh", -5.0..5.0, |x| (x.asinh()), rt::asinh(x), 1.0 / (1.0 + x * x).sqrt();
        "acosh", 1.0..10.0, |x| (x.acosh()), rt::acosh(x), 1.0 / (x * x - 1.0).sqrt();
        "atanh", -1.0..1.0, |x| (x.atanh()), rt::atanh(x), 1.0 / (1.0 - x * x);
        "cbrt", -10.0..10.0, |x| (x.cbrt()), rt::cbrt(x), 1.0 / (3.0 * rt::cbrt(x) * rt::cbrt(x));
        "atan2", -5.0..5.0, |x| (x.atan2(2.5 - x)), rt::atan2(x, 2.5 - x),
            2.5 / (x * x + (2.5 - x) * (2.5 - x));
        "powf", 0.01..10.0, |x| (x.powf(7.0 - x)), rt::powf(x, 7.0 - x),
            rt::powf(x, 6.0 - x) * (7.0 - x) - rt::powf(x, 7.0 - x) * rt::ln(x);
        "hypot", -5.0..5.0, |x| (x.hypot(1.0 + x)), rt::hypot(x, 1.0 + x),
            (2.0 * x + 1.0) / rt::hypot(x, 1.0 + x);
        "erf", -5.0..5.0, |x| (erf(x)), rt::erf(x), 1.13 * rt::exp(-x * x);
        "lgamma", -5.0..15.0, |x| (lgamma(x)), rt::lgamma(x), rt::digamma(x);
        "digamma", -5.0..15.0, |x| (digamma(x)), rt::digamma(x), rt::polygamma(x, 1);
        "sigmoid", -10.0..10.0, |x| (sigmoid(x)), rt::sigmoid(x), rt::sigmoid(x) * rt::sigmoid(-x);
        "softplus", -10.0..10.0, |x| (softplus(x)), rt::softplus(x), rt::sigmoid(x);
    }
}
