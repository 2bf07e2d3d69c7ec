//! Errors against references that were computed with many digits.

use crate::kernels as rt;

/// The functions by name.
fn evaluate(name: &str, x: &[f64]) -> f64 {
    match (name, x) {
        ("exp", &[x]) => rt::exp(x),
        ("exp2", &[x]) => rt::exp2(x),
        ("exp_m1", &[x]) => rt::exp_m1(x),
        ("ln", &[x]) => rt::ln(x),
        ("ln_1p", &[x]) => rt::ln_1p(x),
        ("log2", &[x]) => rt::log2(x),
        ("log10", &[x]) => rt::log10(x),
        ("sin", &[x]) => rt::sin(x),
        ("cos", &[x]) => rt::cos(x),
        ("tan", &[x]) => rt::tan(x),
        ("tanh", &[x]) => rt::tanh(x),
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

/// Larger references, in the file that `COTANGENT_REFERENCES` names.
#[test]
#[ignore = "needs a file of references"]
fn errors_are_small_for_more() {
    let path = std::env::var("COTANGENT_REFERENCES").expect("COTANGENT_REFERENCES is not set");
    let references = std::fs::read_to_string(path).unwrap();
    for (name, error, x) in errors(&references) {
        println!("{name}: {error:.3} ULP at {x:?}");
    }
}
