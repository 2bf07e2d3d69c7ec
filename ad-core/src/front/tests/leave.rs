//! Functions that are left early give what Rust gives.

#![allow(
    clippy::needless_range_loop,
    clippy::collapsible_match,
    clippy::never_loop,
    reason = "these are forms that users write"
)]

agree! {
    fn from_loops(x: &[f64], limit: f64) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            let v = x[i] * 2.0;
            if v > limit { return v - total; }
            if v < 0.0 { continue; }
            total += v;
        }
        for (i, v) in x.iter().enumerate() {
            if i > 2 { break; }
            for j in 0..i {
                if x[j] > *v { return total * x[j]; }
                total += x[j] * v;
            }
        }
        total
    }
    (&[], 1.0) (&[1.0, 2.5, -0.5], 4.0) (&[0.1, 0.2, 0.3, 1.0], 9.0) (&[0.5, 0.2, -0.3, 1.0], 9.0)
}

agree! {
    fn one_side_goes_on(x: f64, n: usize) -> f64 {
        let mut y = x;
        if x > 0.0 {
            if n == 1 { return 7.0; }
            y += 1.0;
            if n == 2 { return y; } else if n == 3 { y *= 3.0; } else { y -= 0.5; }
        } else if n == 4 {
            return -y;
        } else {
            y -= 2.0;
        }
        y * y
    }
    (0.5, 0) (0.5, 1) (0.5, 2) (0.5, 3) (-0.5, 4) (-0.5, 1)
}

agree! {
    fn in_values(x: f64, n: usize) -> f64 {
        let a = if n == 0 { return x + 1.0 } else { x * 2.0 };
        let b = match n {
            1 => return a,
            2 => a * 3.0,
            3 => {
                if a > 1.0 { return 0.25; }
                a - 1.0
            }
            _ => a + 1.0,
        };
        match n {
            2 => return b * 4.0,
            4 => { if b > 2.0 { return 5.0; } }
            _ => {}
        }
        a * b
    }
    (0.5, 0) (0.5, 1) (0.5, 2) (0.4, 3) (0.6, 3) (0.7, 4) (0.2, 4) (0.3, 5)
}

agree! {
    fn labels(x: &[f64], limit: f64) -> f64 {
        let mut total = 0.0;
        'rows: for i in 0..x.len() {
            'columns: for j in 0..x.len() {
                if x[j] > limit { break 'rows; }
                if x[i] < 0.0 { continue 'rows; }
                if j > i { break 'columns; }
                total += x[i] * x[j];
            }
            total += 1.0;
        }
        'outer: loop {
            total += 1.0;
            while total < 100.0 {
                total *= 1.5;
                if total > 50.0 { break 'outer; }
            }
        }
        total
    }
    (&[], 1.0) (&[1.0, 2.5, -0.5], 4.0) (&[0.1, -0.2, 0.3, 1.0], 0.5) (&[0.5, 0.2, 7.0, 1.0], 9.0)
}

agree! {
    fn endless(x: f64, limit: f64) -> f64 {
        let mut y = x;
        let mut k = 0;
        loop {
            y = y * 1.5 + 0.1;
            k += 1;
            if y > limit { return y - k as f64; }
            if k > 20 {
                y += 1.0;
                if y > 0.0 { return y; }
                return -y;
            }
        }
    }
    (0.5, 3.0) (0.5, 0.1) (-0.5, 4.0)
}

agree! {
    fn unstructured(x: &[f64], k: usize) -> f64 {
        let mut t = 0.0;
        for v in x {
            if k > 0 {
                t += 1.0;
                if t > 3.0 { break; }
                if *v < 0.0 { continue; }
                t += v;
            }
            let w = match t > 2.0 { true => continue, false => v * 2.0 };
            t += w;
        }
        t
    }
    (&[1.0, 2.5, -0.5], 1) (&[0.1, -0.2, 0.3, 1.0], 1) (&[0.1, -0.2, 0.3, 1.0], 0)
}

agree! {
    fn closures(x: f64, limit: f64) -> f64 {
        let f = |t: f64| {
            if t > limit { return limit; }
            for k in 0..5 {
                if t * (k as f64) > limit { return t + k as f64; }
            }
            t * t
        };
        f(x) + f(2.0 * x)
    }
    (0.5, 3.0) (1.5, 2.0) (0.1, 1.0)
}

agree! {
    fn options(x: &[f64], k: usize) -> f64 {
        let a = x.get(k).copied().unwrap_or(0.5);
        let b = if let Some(v) = x.first() { v * 2.0 } else { 1.0 };
        let c = match x.get(k + 1) { Some(v) => *v, None => -1.0 };
        let half = if a > 1.0 { Some(a / 2.0) } else { None };
        let d = half.map(|v| v + 1.0).unwrap_or(3.0) + half.map_or(0.25, |v| v * v);
        let Some(e) = x.last() else { return a + d };
        let f = x.get(k).and_then(|v| if *v > 0.2 { Some(v * 10.0) } else { None });
        let g = if f.is_some() { f.unwrap() } else { 0.125 };
        a + b * c + d + e + g
    }
    (&[], 0) (&[1.0, 2.5, -0.5], 1) (&[0.1, -0.2, 0.3, 1.0], 3) (&[0.1, -0.2, 0.3, 1.0], 9)
}

agree! {
    fn operands(x: &[f64], n: usize) -> f64 {
        let (mut a, mut c) = (0.5, 1.0);
        let mut y = [1.0, 2.0, 3.0];
        for (i, v) in x.iter().enumerate() {
            c *= if *v < 1.5 { *v } else { break };
            y[i % 3] = match n { 0 => continue, 1 => v * c, _ => y[0] + v };
            a = a * v + (if i < 4 { c } else { return a }) * { c += 0.25; c };
            y[if i != 1 { i % 3 } else { continue }] *= 1.5;
            (a, c) = if *v > 0.2 { (c, a + v) } else { continue };
            for k in 0..(if i != n { 2 } else { continue }) { a += y[k] * 0.1; }
            if (if i < 3 { *v } else { break }) < 1.0 { c += 0.5; }
            let up = *v > 0.5 || if *v > 0.3 { c > 1.0 } else { break };
            y.fill(if up { c } else { return c * 3.0 });
        }
        a *= if n < 3 { c } else { return a + y[0] };
        a + y[0] * y[1] + y[2]
    }
    (&[], 1) (&[1.0, 2.5, -0.5], 0) (&[0.4, 0.9, 1.2, 1.0, 1.1], 1) (&[0.6, 0.25, 0.3, 1.0], 2)
    (&[0.6, 0.9, 1.3, 1.0, 0.7, 0.9], 9) (&[0.9, 0.4, 1.6], 3)
}

agree! {
    fn nested_values(x: f64, n: usize) -> f64 {
        let a = loop { let q = loop { break x * 2.0; }; break q + 1.0; };
        let b = 'a: {
            let q = 'b: {
                if x > 2.0 { break 'a x; }
                if x > 1.0 { break 'b 7.0; }
                x
            };
            q * a
        };
        let mut i = 0;
        let c = loop {
            i += 1;
            let q = 'b: { if i > n { break 'b b; } x * i as f64 };
            if q > 1.5 || i > n { break q * 2.0; }
        };
        let mut r = 1.0;
        r = loop { r += 0.5 * loop { break r; }; if r > 3.0 { break r * x; } };
        let s = match n { 0 => loop { break x; }, 1 => 'a: { if x > 1.0 { break 'a c; } x }, _ => 1.0 };
        if n == 4 { return loop { r += 1.0; if r > 9.0 { break r * s; } }; }
        a + b * c + r - s
    }
    (0.4, 0) (1.5, 1) (0.3, 1) (2.5, 4) (0.7, 6)
}
