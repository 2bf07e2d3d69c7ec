const POINTS: usize = 6;
/// The elements of an argument that are compared, at most.
const MOST: usize = 64;
const IS_DOUBLE: bool = size_of::<__R>() == 8;
/// The step of differences, how exact they are, how far forward and reverse mode may be apart, and
/// the change of the slope within a step from which on it is a kink.
const H: f64 = if IS_DOUBLE { 1e-4 } else { 2e-2 };
const TOLERANCE: f64 = if IS_DOUBLE { 1e-6 } else { 1e-3 };
const APART: f64 = if IS_DOUBLE { 1e-9 } else { 1e-4 };
const KINK: f64 = if IS_DOUBLE { 0.01 } else { 0.2 };
const STEPS: [f64; 4] = [H, -H, H / 2.0, -H / 2.0];

struct Random {
    state: u64,
    least: f64,
}

impl Random {
    /// Points lie in −1..1 and in 0..1 in turns.
    fn of(point: usize) -> Random {
        let least = if point.is_multiple_of(2) { -1.0 } else { 0.0 };
        Random { state: 7 + point as u64, least }
    }
    fn next(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 11) as f64 / (1u64 << 53) as f64
    }
    fn real(&mut self) -> __R {
        (self.least + (1.0 - self.least) * self.next()) as __R
    }
    fn index(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
    fn flip(&mut self) -> bool {
        self.next() < 0.5
    }
}

fn zero<P: cotangent::Parameters<__R>>(p: &P) -> P {
    p.copied_with(&mut |_| 0.0)
}
fn get<P: cotangent::Parameters<__R>>(p: &P, k: usize) -> f64 {
    p.to_flat()[k] as f64
}
fn set<P: cotangent::Parameters<__R>>(p: &mut P, k: usize, x: f64) {
    let mut j = 0;
    p.each_real_mut(&mut |place| {
        if j == k {
            *place = x as __R;
        }
        j += 1;
    });
}
fn names_of<P: cotangent::Parameters<__R>>(p: &P, path: &str) -> Vec<String> {
    let mut names = vec![];
    p.push_names(path, &mut names);
    names
}
fn is_finite<P: cotangent::Parameters<__R>>(p: &P) -> bool {
    p.to_flat().iter().all(|x| x.is_finite())
}
fn inner<P: cotangent::Parameters<__R>>(a: &P, b: &P) -> f64 {
    a.to_flat().iter().zip(b.to_flat()).map(|(x, y)| *x as f64 * y as f64).sum()
}
fn cotangent_of<P: cotangent::Parameters<__R>>(value: &P, is_one: bool, random: &mut Random) -> P {
    value.copied_with(&mut |_| if is_one { 1.0 } else { random.real() })
}
/// All elements, or as many of them as are compared, evenly spread.
fn chosen(count: usize) -> impl Iterator<Item = usize> {
    let n = count.min(MOST);
    (0..n).map(move |k| k * count / n)
}

struct Tally {
    reverse: Option<&'static str>,
    forward: Option<&'static str>,
    compared: usize,
    kinks: usize,
    without_value: usize,
    largest: f64,
    apart: f64,
    complaints: usize,
}

impl Tally {
    fn new(reverse: Option<&'static str>, forward: Option<&'static str>) -> Tally {
        Tally {
            reverse,
            forward,
            compared: 0,
            kinks: 0,
            without_value: 0,
            largest: 0.0,
            apart: 0.0,
            complaints: 0,
        }
    }

    /// Compares one element, of the value along a cotangent at four steps, by reverse and by
    /// forward mode.
    fn compare(
        &mut self,
        point: usize,
        name: &str,
        at: f64,
        along: [f64; 4],
        reverse: Option<f64>,
        forward: Option<f64>,
    ) {
        let [up, down, near_up, near_down] = along;
        let h = H * (1.0 + at.abs());
        let (wide, narrow) = ((up - down) / (2.0 * h), (near_up - near_down) / h);
        let difference = (4.0 * narrow - wide) / 3.0;
        let scale = 1.0 + up.abs() + difference.abs();
        let is_smooth = (wide - narrow).abs() <= 10.0 * TOLERANCE * scale
            && (up + down - near_up - near_down).abs() <= KINK * h * scale;
        self.compared += 1;
        let mut wrong = false;
        for by in [reverse, forward].into_iter().flatten() {
            let error = (by - difference).abs() / scale;
            let agrees = error <= TOLERANCE;
            wrong |= is_smooth && !agrees;
            if is_smooth && agrees {
                self.largest = self.largest.max(error);
            }
        }
        self.kinks += usize::from(!is_smooth);
        if let (Some(r), Some(f)) = (reverse, forward) {
            let error = (r - f).abs() / scale;
            let agrees = error <= APART || r.is_nan() && f.is_nan();
            wrong |= !agrees;
            self.apart = self.apart.max(error);
        }
        if wrong {
            self.complaints += 1;
            if self.complaints <= 20 {
                let by = |name: Option<&str>, x: Option<f64>| match (name, x) {
                    (Some(name), Some(x)) => format!(", {name} {x:.9}"),
                    _ => String::new(),
                };
                let (r, f) = (by(self.reverse, reverse), by(self.forward, forward));
                println!("cotangent:   `{name}` at point {point}: differences {difference:.9}{r}{f}");
            }
        }
    }

    fn finish(self) {
        let points = POINTS - self.without_value;
        println!("cotangent: {} comparisons at {points} random points", self.compared);
        if self.kinks > 0 {
            println!("cotangent: {} without differences: the function has a kink there", self.kinks);
        }
        if self.without_value > 0 {
            println!("cotangent: {} points left out: the value is not finite", self.without_value);
        }
        if self.complaints > 0 {
            println!("cotangent: {} comparisons disagree", self.complaints);
            panic!("derivatives disagree");
        }
        assert!(self.compared > 0, "no point to compare at");
        for name in [self.reverse, self.forward].into_iter().flatten() {
            println!("cotangent: {name} agrees with central differences");
        }
        println!("cotangent: largest difference {:.1e}", self.largest);
        if let (Some(r), Some(f)) = (self.reverse, self.forward) {
            println!("cotangent: {f} agrees with {r}, largest difference {:.1e}", self.apart);
        }
    }
}
