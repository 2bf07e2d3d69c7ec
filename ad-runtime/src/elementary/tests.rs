//! Errors against references that were computed with many digits.

use crate::kernels as rt;

/// The functions by name.
fn evaluate(name: &str, x: &[f64]) -> f64 {
    match (name, x) {
        ("exp", &[x]) => rt::exp(x),
        ("exp2", &[x]) => rt::exp2(x),
        ("weight", &[x]) => rt::weight(x),
        ("exp_m1", &[x]) => rt::exp_m1(x),
        ("ln", &[x]) => rt::ln(x),
        ("ln_1p", &[x]) => rt::ln_1p(x),
        ("log2", &[x]) => rt::log2(x),
        ("log10", &[x]) => rt::log10(x),
        ("sin", &[x]) => rt::sin(x),
        ("cos", &[x]) => rt::cos(x),
        ("tan", &[x]) => rt::tan(x),
        ("tanh", &[x]) => rt::tanh(x),
        ("asin", &[x]) => rt::asin(x),
        ("acos", &[x]) => rt::acos(x),
        ("atan", &[x]) => rt::atan(x),
        ("sinh", &[x]) => rt::sinh(x),
        ("cosh", &[x]) => rt::cosh(x),
        ("asinh", &[x]) => rt::asinh(x),
        ("acosh", &[x]) => rt::acosh(x),
        ("atanh", &[x]) => rt::atanh(x),
        ("cbrt", &[x]) => rt::cbrt(x),
        ("atan2", &[x, y]) => rt::atan2(x, y),
        ("powf", &[x, y]) => rt::powf(x, y),
        ("hypot", &[x, y]) => rt::hypot(x, y),
        ("erf", &[x]) => rt::erf(x),
        ("lgamma", &[x]) => rt::lgamma(x),
        ("digamma", &[x]) => rt::digamma(x),
        ("sigmoid", &[x]) => rt::sigmoid(x),
        ("softplus", &[x]) => rt::softplus(x),
        _ => panic!("no function {name} of {} arguments", x.len()),
    }
}

/// The distance between neighbours at `y`.
fn unit(y: f64) -> f64 {
    let exponent = (y.to_bits() >> 52 & 0x7ff).max(1);
    // 2 to the power (exponent - 1023 - 52), which may be subnormal.
    if exponent > 52 {
        f64::from_bits((exponent - 52) << 52)
    } else {
        f64::from_bits(1 << (exponent - 1))
    }
}

/// The largest error of each function in units in the last place, with the arguments.
fn errors(references: &str) -> Vec<(String, f64, Vec<f64>)> {
    let mut worst: Vec<(String, f64, Vec<f64>)> = Vec::new();
    for line in references.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, numbers @ .., missing] = &words[..] else {
            panic!("an empty line");
        };
        let mut numbers: Vec<f64> = numbers
            .iter()
            .map(|w| f64::from_bits(u64::from_str_radix(w, 16).unwrap()))
            .collect();
        let missing: f64 = missing.parse().unwrap();
        let expected = numbers.pop().unwrap();
        let y = evaluate(name, &numbers);
        let error = if y == expected {
            missing.abs() / 1000.0
        } else if expected.is_infinite() {
            // One step below infinity may do.
            (f64::MAX.copysign(expected) - y).abs() / unit(f64::MAX) + 1.0
        } else {
            ((y - expected) / unit(expected) - missing / 1000.0).abs()
        };
        let error = if error.is_nan() { f64::INFINITY } else { error };
        match worst.iter_mut().find(|w| w.0 == *name) {
            Some(w) if w.1 >= error => {}
            Some(w) => *w = (name.to_string(), error, numbers),
            None => worst.push((name.to_string(), error, numbers)),
        }
    }
    worst
}

/// Zeros with their signs, infinities, NaN, and what is too large or too small.
#[test]
fn ends() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    const LEAST: f64 = 5e-324;
    let cases = [
        ("exp", 0.0, 1.0),
        ("exp", -0.0, 1.0),
        ("exp", INF, INF),
        ("exp", -INF, 0.0),
        ("exp", 709.7827128933841, INF),
        ("exp", -745.1332191019412, 0.0),
        ("exp", -745.1, LEAST),
        ("exp", LEAST, 1.0),
        ("weight", 0.0, 1.0),
        ("weight", -665.1, 0.0),
        ("weight", -INF, 0.0),
        ("exp2", 0.0, 1.0),
        ("exp2", 1024.0, INF),
        ("exp2", 1023.0, f64::MAX / 2.0 + f64::MAX / 2.0_f64.powi(54)),
        ("exp2", -1074.0, LEAST),
        ("exp2", -1075.0, 0.0),
        ("exp2", INF, INF),
        ("exp2", -INF, 0.0),
        ("exp_m1", 0.0, 0.0),
        ("exp_m1", -0.0, -0.0),
        ("exp_m1", LEAST, LEAST),
        ("exp_m1", INF, INF),
        ("exp_m1", -INF, -1.0),
        ("exp_m1", 709.7827128933841, INF),
        ("ln", 1.0, 0.0),
        ("ln", 0.0, -INF),
        ("ln", -0.0, -INF),
        ("ln", INF, INF),
        ("ln", -INF, NAN),
        ("ln", -1.0, NAN),
        ("ln", -LEAST, NAN),
        ("log2", 1.0, 0.0),
        ("log2", 8.0, 3.0),
        ("log2", LEAST, -1074.0),
        ("log2", 0.0, -INF),
        ("log2", INF, INF),
        ("log2", -2.0, NAN),
        ("log10", 1.0, 0.0),
        ("log10", 1000.0, 3.0),
        ("log10", 1e22, 22.0),
        ("log10", 0.0, -INF),
        ("log10", INF, INF),
        ("log10", -2.0, NAN),
        ("ln_1p", 0.0, 0.0),
        ("ln_1p", -0.0, -0.0),
        ("ln_1p", LEAST, LEAST),
        ("ln_1p", -1.0, -INF),
        ("ln_1p", -1.5, NAN),
        ("ln_1p", INF, INF),
        ("ln_1p", -INF, NAN),
        ("sin", 0.0, 0.0),
        ("sin", -0.0, -0.0),
        ("sin", -LEAST, -LEAST),
        ("sin", INF, NAN),
        ("sin", -INF, NAN),
        ("cos", 0.0, 1.0),
        ("cos", -0.0, 1.0),
        ("cos", LEAST, 1.0),
        ("cos", INF, NAN),
        ("tan", 0.0, 0.0),
        ("tan", -0.0, -0.0),
        ("tan", LEAST, LEAST),
        ("tan", -INF, NAN),
        ("tanh", 0.0, 0.0),
        ("tanh", -0.0, -0.0),
        ("tanh", LEAST, LEAST),
        ("tanh", INF, 1.0),
        ("tanh", -INF, -1.0),
        ("tanh", 30.0, 1.0),
        ("sigmoid", 0.0, 0.5),
        ("sigmoid", INF, 1.0),
        ("sigmoid", -INF, 0.0),
        ("sigmoid", -745.1, LEAST),
        ("softplus", INF, INF),
        ("softplus", -INF, 0.0),
        ("softplus", -745.1, LEAST),
        ("softplus", f64::MAX, f64::MAX),
    ];
    for (name, x, expected) in cases {
        let y = evaluate(name, &[x]);
        if expected.is_nan() {
            assert!(y.is_nan(), "{name}({x}) is {y}");
        } else {
            assert_eq!(y.to_bits(), expected.to_bits(), "{name}({x}) is {y}");
        }
        assert!(evaluate(name, &[NAN]).is_nan(), "{name} of NaN");
    }
}

/// Shares of a sum are exponentials, or 0 where a product with a factor from 1e-18 on might be
/// subnormal.
#[test]
fn no_weight_is_nearly_subnormal() {
    for k in 0..=8000 {
        let x = -0.1 * f64::from(k);
        let expected = if x < -665.0 { 0.0 } else { rt::exp(x) };
        assert_eq!(rt::weight(x), expected, "at {x}");
        assert!(expected == 0.0 || expected * 1e-18 >= f64::MIN_POSITIVE);
        let x = x as f32;
        let expected = if x < -75.0 { 0.0 } else { rt::exp(x) };
        assert_eq!(rt::weight(x), expected, "at {x}");
        assert!(expected == 0.0 || expected * 1e-5 >= f32::MIN_POSITIVE);
    }
}

/// Zeros, infinities, NaN and what is next to them give what they give in std.
#[test]
fn ends_are_those_of_std() {
    type Unary = (&'static str, fn(f64) -> f64);
    let unary: [Unary; 21] = [
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("exp_m1", f64::exp_m1),
        ("ln", f64::ln),
        ("ln_1p", f64::ln_1p),
        ("log2", f64::log2),
        ("log10", f64::log10),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("tan", f64::tan),
        ("asin", f64::asin),
        ("acos", f64::acos),
        ("atan", f64::atan),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("cbrt", f64::cbrt),
        ("atanh", f64::atanh),
        ("asinh", f64::asinh),
        ("acosh", f64::acosh),
        ("cbrt", f64::cbrt),
    ];
    let least = 5e-324_f64;
    let specials: Vec<f64> = [
        0.0,
        least,
        f64::MIN_POSITIVE,
        0.5,
        1.0,
        2.0,
        3.0,
        f64::INFINITY,
    ]
    .into_iter()
    .flat_map(|x| [x, -x])
    .chain([f64::NAN])
    .collect();
    let same = |a: f64, b: f64| {
        // Zeros have their signs; std itself has errors.
        a == b && a.is_sign_negative() == b.is_sign_negative()
            || a.is_nan() && b.is_nan()
            || a != 0.0 && a.is_finite() && (a - b).abs() <= 2.0 * unit(a)
    };
    for (name, f) in unary {
        for &x in &specials {
            let y = evaluate(name, &[x]);
            // std's are not exact here: asinh and acosh lose small numbers.
            if matches!(name, "asinh" | "atanh") && x.abs() < 1e-300 {
                assert_eq!(y.to_bits(), x.to_bits(), "{name}({x})");
            } else {
                assert!(same(y, f(x)), "{name}({x}) is {y}, not {}", f(x));
            }
        }
    }
    let more = [
        f64::MAX,
        -f64::MAX,
        2.5,
        -2.5,
        4503599627370497.5,
        9007199254740991.0,
        1e300,
    ];
    for &x in specials.iter().chain(&more) {
        for &y in specials.iter().chain(&more) {
            let power = rt::powf(x, y);
            assert!(same(power, x.powf(y)), "{x}.powf({y}) is {power}");
            let angle = rt::atan2(x, y);
            assert!(same(angle, x.atan2(y)), "{x}.atan2({y}) is {angle}");
            let length = rt::hypot(x, y);
            assert!(same(length, x.hypot(y)), "{x}.hypot({y}) is {length}");
        }
    }
}

#[test]
fn errors_are_small() {
    let worst = errors(include_str!("references.txt"));
    assert_eq!(worst.len(), 28);
    for (name, error, x) in worst {
        let most = match &name[..] {
            "lgamma" | "digamma" => 6.0,
            _ => 2.0,
        };
        assert!(error < most, "{name}: {error:.3} ULP at {x:?}");
    }
}

/// For every exponent the number that is closest to a multiple of π/2, and any one.
#[test]
fn angles_of_all_sizes() {
    let references = include_str!("angles.txt");
    let worst = errors(references);
    assert_eq!(worst.len(), 3);
    for (name, error, x) in worst {
        assert!(error < 2.0, "{name}: {error:.3} ULP at {x:?}");
    }
    for line in references.lines().filter(|l| !l.starts_with('#')) {
        let bits = line.split(' ').nth(1).unwrap();
        let x = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        let (s, c) = rt::sin_cos(x);
        assert!((s * s + c * c - 1.0).abs() < 1e-15, "{x}: {s}, {c}");
        assert_eq!((rt::sin(-x), rt::cos(-x)), (-s, c), "{x}");
        assert_eq!(rt::tan(-x), -rt::tan(x), "{x}");
    }
}

/// Larger references, in the file that `COTANGENT_REFERENCES` names.
#[test]
#[ignore = "needs the file that tools/elementary_reference.py writes"]
fn errors_are_small_for_more() {
    let path = std::env::var("COTANGENT_REFERENCES").expect("COTANGENT_REFERENCES is not set");
    let references = std::fs::read_to_string(path).unwrap();
    for (name, error, x) in errors(&references) {
        println!("{name}: {error:.3} ULP at {x:?}");
    }
}

/// Computes a block of arguments in `f32` and in `f64`.
type Block = fn(&[f32], &mut [f32], &mut [f64]);

/// The functions by name, each as a loop.
macro_rules! blocks {
    ($($name:ident)*) => {
        [$({
            fn block(x: &[f32], single: &mut [f32], double: &mut [f64]) {
                for (x, y) in x.iter().zip(single) {
                    *y = rt::$name(*x);
                }
                for (x, y) in x.iter().zip(double) {
                    *y = rt::$name(f64::from(*x));
                }
            }
            (stringify!($name), block as Block)
        }),*]
    };
}

/// The largest errors of the functions of `f32` for every `step`-th number, in its units in the
/// last place.
fn errors_single(step: u64) -> impl Iterator<Item = (&'static str, f64, f32)> {
    let blocks = blocks! {
        tanh sigmoid softplus erf cos tan exp exp2 exp_m1 ln ln_1p log2 log10 sin asin acos atan sinh cosh asinh acosh
        atanh cbrt
    };
    blocks.into_iter().map(move |(name, block)| {
        let mut worst = (name, 0.0, 0.0);
        let mut next = 0_u64;
        while next < 1 << 32 {
            let mut x = [0.0; 1024];
            for x in &mut x {
                *x = f32::from_bits(next as u32);
                next += step;
            }
            let (mut single, mut double) = ([0.0; 1024], [0.0; 1024]);
            block(&x, &mut single, &mut double);
            let mut errors = [0.0; 1024];
            for (i, error) in errors.iter_mut().enumerate() {
                *error = error_single(single[i], double[i]);
            }
            let largest = errors.iter().copied().fold(0.0, f64::max);
            if largest > worst.1 {
                let i = errors.iter().position(|e| *e == largest);
                worst = (name, largest, x[i.expect("it is one of them")]);
            }
        }
        worst
    })
}

/// The error of `y` where the result is `exact`.
#[inline(always)]
fn error_single(y: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    let right = nearest.is_infinite() && y == nearest || nearest.is_nan() && y.is_nan();
    let within = exact.clamp(-3.4028234663852886e38, 3.4028234663852886e38);
    // The distance between neighbours is 2⁻²³ times the power of 2.
    let exponent = (within.to_bits() >> 52 & 0x7ff).max(1023 - 126);
    let error = (f64::from(y) - within).abs() / f64::from_bits((exponent - 23) << 52);
    let error = if error.is_nan() { f64::INFINITY } else { error };
    if right { 0.0 } else { error }
}

#[test]
fn errors_are_small_in_single_precision() {
    for (name, error, x) in errors_single(65_537) {
        assert!(error < 2.0, "{name}: {error:.3} ULP at {x:?}");
    }
}

/// All numbers: some minutes in release, with `RUSTFLAGS="-C target-cpu=native"`.
#[test]
#[ignore = "all 2³² numbers take minutes in release"]
fn errors_are_small_in_single_precision_everywhere() {
    for (name, error, x) in errors_single(1) {
        println!("{name}: {error:.3} ULP at {x:?}");
        assert!(error < 2.0);
    }
}

#[test]
fn errors_of_pairs_are_small_in_single_precision() {
    type Pair = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64);
    let pairs: [Pair; 3] = [
        ("powf", rt::powf, rt::powf),
        ("atan2", rt::atan2, rt::atan2),
        ("hypot", rt::hypot, rt::hypot),
    ];
    // A sequence that visits all bits.
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    for i in 0..200_000 {
        let (a, b) = (next(), next());
        // Any numbers, and such whose powers are neither 0 nor infinite.
        let (x, y) = if i % 2 == 0 {
            (f32::from_bits(a), f32::from_bits(b))
        } else {
            let unit = 2.0_f32.powi(-32);
            (a as f32 * unit * 10.0, (b as f32 * unit - 0.5) * 60.0)
        };
        for (name, single, double) in pairs {
            let exact = double(f64::from(x), f64::from(y));
            let error = error_single(single(x, y), exact);
            assert!(error < 1.0, "{name}({x:?}, {y:?}): {error:.3} ULP");
        }
    }
}
