#[differentiable]
pub fn de_casteljau(points: &[[f64; 2]], t: f64) -> [f64; 2] {
    let mut pts = points.to_vec();
    while pts.len() > 1 {
        pts = pts
            .windows(2)
            .map(|w| [w[0][0] + t * (w[1][0] - w[0][0]), w[0][1] + t * (w[1][1] - w[0][1])])
            .collect();
    }
    pts[0]
}

#[differentiable]
pub fn appended_in_loop(x: &[f64], n: usize) -> f64 {
    let mut all = Vec::new();
    for i in 0..n {
        let mut part: Vec<f64> = x.iter().map(|v| v * i as f64).collect();
        all.append(&mut part);
    }
    all.iter().map(|v| v * v).sum()
}

#[differentiable]
pub fn comb_echo(input: &[f64], delay: usize, gain: f64) -> Vec<f64> {
    let mut buffer: VecDeque<f64> = VecDeque::from(vec![0.0; delay]);
    let mut out = Vec::with_capacity(input.len());
    for &x in input {
        let d = buffer.pop_front().unwrap();
        let y = x + gain * d;
        buffer.push_back(y);
        out.push(y);
    }
    out
}

#[differentiable]
pub fn run_lengths(x: &[f64], threshold: f64) -> f64 {
    x.split(|v| *v < threshold)
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().sum::<f64>() / run.len() as f64)
        .sum()
}

#[differentiable]
pub fn lcg_dropout(x: &[f64], seed: u64, keep: f64) -> f64 {
    let mut state = seed;
    let mut sum = 0.0;
    for v in x {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let u = (state >> 33) as f64 / (1u64 << 31) as f64;
        if u < keep { sum += v / keep; }
    }
    sum
}

#[differentiable]
pub fn bezier_length(control: &[[f64; 2]], samples: usize) -> f64 {
    let eval = |t: f64| {
        let mut pts = control.to_vec();
        while pts.len() > 1 {
            pts = pts
                .windows(2)
                .map(|w| {
                    [
                        w[0][0] * (1.0 - t) + w[1][0] * t,
                        w[0][1] * (1.0 - t) + w[1][1] * t,
                    ]
                })
                .collect();
        }
        pts[0]
    };
    let mut length = 0.0;
    let mut last = eval(0.0);
    for i in 1..=samples {
        let p = eval(i as f64 / samples as f64);
        length += ((p[0] - last[0]).powi(2) + (p[1] - last[1]).powi(2)).sqrt();
        last = p;
    }
    length
}

#[differentiable]
pub fn rising_runs(x: &[f64]) -> f64 {
    x.chunk_by(|a, b| a <= b)
        .map(|run| run[run.len() - 1] - run[0])
        .fold(0.0, f64::max)
}

#[differentiable]
pub fn counted_or_scaled(x: f64, n: u32) -> f64 {
    if x < 0.0 {
        return n.into();
    }
    x * 2.0
}
