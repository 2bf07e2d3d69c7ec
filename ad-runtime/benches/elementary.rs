//! Nanoseconds per element of the elementary functions, in a loop over an array that fits in the
//! first cache.
//!
//! `cargo bench -p cotangent-runtime --bench elementary -- [FUNCTION..]`
//!
//! Each loop is compiled for the baseline, for AVX2 with FMA, and for AVX-512. The last column is
//! that of std.

use cotangent_runtime::kernels as rt;
use std::hint::black_box;
use std::time::Instant;

const ELEMENTS: usize = 4096;

type Loop<T> = fn(&[T], &mut [T]);

/// The fastest of several runs, in nanoseconds per element.
fn time<T: Copy>(x: &[T], run: Loop<T>) -> f64 {
    let mut y = x.to_vec();
    let mut best = f64::INFINITY;
    for _ in 0..30 {
        let start = Instant::now();
        for _ in 0..4 {
            run(black_box(x), black_box(&mut y));
        }
        best = best.min(start.elapsed().as_nanos() as f64 / (4 * ELEMENTS) as f64);
    }
    best
}

/// The loops of a function: baseline, AVX2, AVX-512 and std. Where the processor lacks the
/// features, there is none.
macro_rules! loops {
    ($t:ty, |$x:ident| $ours:expr, $std:expr) => {{
        #[inline(always)]
        fn run(x: &[$t], y: &mut [$t]) {
            for (y, &$x) in y.iter_mut().zip(x) {
                *y = $ours;
            }
        }
        #[inline(never)]
        fn baseline(x: &[$t], y: &mut [$t]) {
            run(x, y);
        }
        #[cfg(target_arch = "x86_64")]
        fn avx2(x: &[$t], y: &mut [$t]) {
            #[target_feature(enable = "avx2,fma")]
            fn inner(x: &[$t], y: &mut [$t]) {
                run(x, y);
            }
            // SAFETY: `main` has asked for the features.
            unsafe { inner(x, y) }
        }
        #[cfg(target_arch = "x86_64")]
        fn avx512(x: &[$t], y: &mut [$t]) {
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
            fn inner(x: &[$t], y: &mut [$t]) {
                run(x, y);
            }
            // SAFETY: `main` has asked for the features.
            unsafe { inner(x, y) }
        }
        #[inline(never)]
        fn std(x: &[$t], y: &mut [$t]) {
            for (y, &$x) in y.iter_mut().zip(x) {
                *y = $std;
            }
        }
        #[cfg(target_arch = "x86_64")]
        let features = [
            is_x86_feature_detected!("avx2").then_some(avx2 as Loop<$t>),
            is_x86_feature_detected!("avx512dq").then_some(avx512 as Loop<$t>),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let features: [Option<Loop<$t>>; 2] = [None, None];
        [
            Some(baseline as Loop<$t>),
            features[0],
            features[1],
            Some(std as Loop<$t>),
        ]
    }};
}

/// Prints the row of a function.
fn row<T: Copy>(name: &str, kind: &str, x: &[T], mut loops: [Option<Loop<T>>; 4]) {
    if ["erf", "lgamma", "digamma"].contains(&name) {
        // std has none.
        loops[3] = None;
    }
    print!("| {name} {kind} |");
    for run in loops {
        match run {
            Some(run) => print!(" {:.2} |", time(x, run)),
            None => print!(" - |"),
        }
    }
    println!();
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    println!("| function | baseline | AVX2 | AVX-512 | std |");
    println!("|---|---|---|---|---|");
    macro_rules! rows {
        ($($name:literal, $low:literal .. $high:literal, |$x:ident| $ours:expr, $std:expr;)*) => {$(
            if wanted.is_empty() || wanted.iter().any(|w| w == $name) {
                // Evenly spread, in an order that branches cannot guess.
                let x: Vec<f64> = (0..ELEMENTS)
                    .map(|i| $low + ($high - $low) * ((i * 1597) % ELEMENTS) as f64 / ELEMENTS as f64)
                    .collect();
                row($name, "f64", &x, loops!(f64, |$x| $ours, $std));
                let x: Vec<f32> = x.iter().map(|x| *x as f32).collect();
                row($name, "f32", &x, loops!(f32, |$x| $ours, $std));
            }
        )*};
    }
    rows! {
        "exp", -20.0..20.0, |x| rt::exp(x), x.exp();
        "exp2", -20.0..20.0, |x| rt::exp2(x), x.exp2();
        "exp_m1", -2.0..2.0, |x| rt::exp_m1(x), x.exp_m1();
        "ln", 0.001..100.0, |x| rt::ln(x), x.ln();
        "ln_1p", -0.9..10.0, |x| rt::ln_1p(x), x.ln_1p();
        "log2", 0.001..100.0, |x| rt::log2(x), x.log2();
        "log10", 0.001..100.0, |x| rt::log10(x), x.log10();
        "sin", -10.0..10.0, |x| rt::sin(x), x.sin();
        "cos", -10.0..10.0, |x| rt::cos(x), x.cos();
        "tan", -10.0..10.0, |x| rt::tan(x), x.tan();
        "tanh", -5.0..5.0, |x| rt::tanh(x), x.tanh();
        "sinh", -5.0..5.0, |x| rt::sinh(x), x.sinh();
        "cosh", -5.0..5.0, |x| rt::cosh(x), x.cosh();
        "asin", -1.0..1.0, |x| rt::asin(x), x.asin();
        "acos", -1.0..1.0, |x| rt::acos(x), x.acos();
        "atan", -5.0..5.0, |x| rt::atan(x), x.atan();
        "asinh", -5.0..5.0, |x| rt::asinh(x), x.asinh();
        "acosh", 1.0..10.0, |x| rt::acosh(x), x.acosh();
        "atanh", -1.0..1.0, |x| rt::atanh(x), x.atanh();
        "cbrt", -10.0..10.0, |x| rt::cbrt(x), x.cbrt();
        "atan2", -5.0..5.0, |x| rt::atan2(x, 2.5 - x), x.atan2(2.5 - x);
        "powf", 0.01..10.0, |x| rt::powf(x, 7.0 - x), x.powf(7.0 - x);
        "hypot", -5.0..5.0, |x| rt::hypot(x, 1.0 + x), x.hypot(1.0 + x);
        "erf", -5.0..5.0, |x| rt::erf(x), x;
        "lgamma", -5.0..15.0, |x| rt::lgamma(x), x;
        "digamma", -5.0..15.0, |x| rt::digamma(x), x;
        "sigmoid", -10.0..10.0, |x| rt::sigmoid(x), 1.0 / (1.0 + (-x).exp());
        "softplus", -10.0..10.0, |x| rt::softplus(x), x.max(0.0) + (-x.abs()).exp().ln_1p();
    }
}
