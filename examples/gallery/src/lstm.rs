//! An LSTM that learns to continue a wave.

use crate::common::{
    Adam, BLUE, GREY, ORANGE, Outcome, Random, Run, canvas, chart, curve, finish, legend,
};
use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;
use plotters::prelude::*;

#[derive(Clone, Differentiable)]
struct Lstm {
    /// From the input to the four gates.
    input: Array1<f64>,
    /// From the hidden state to the four gates.
    hidden: Array2<f64>,
    bias: Array1<f64>,
    output: Array1<f64>,
    output_bias: f64,
}

/// The hidden state and the cell after one more input.
#[differentiable]
fn advanced(m: &Lstm, x: f64, h: &Array1<f64>, c: &Array1<f64>) -> (Array1<f64>, Array1<f64>) {
    let n = h.len();
    let gates = m.hidden.dot(h) + &m.bias + x * &m.input;
    let c = build(n, |i| {
        sigmoid(gates[i]) * c[i] + sigmoid(gates[n + i]) * gates[2 * n + i].tanh()
    });
    let h = build(n, |i| sigmoid(gates[3 * n + i]) * c[i].tanh());
    (h, c)
}

/// The mean squared error of predicting the next value, after every value.
#[differentiable(wrt(m))]
fn loss(m: &Lstm, x: &Array1<f64>) -> f64 {
    let mut h = Array1::zeros(m.output.len());
    let mut c = Array1::zeros(m.output.len());
    let mut total = 0.0;
    for t in 0..x.len() - 1 {
        (h, c) = advanced(m, x[t], &h, &c);
        total += (h.dot(&m.output) + m.output_bias - x[t + 1]).powi(2);
    }
    total / (x.len() - 1) as f64
}

fn wave(t: usize) -> f64 {
    let t = t as f64;
    0.6 * (0.22 * t).sin() + 0.3 * (0.075 * t).sin()
}

pub fn run(run: &Run) -> Outcome {
    let (n, seen, shown) = (20, 220, 340);
    let mut random = Random(4);
    let x = Array1::from_shape_fn(seen, |t| wave(t) + 0.02 * random.normal());
    let mut small = |_: f64| 0.3 * random.normal();
    let mut model = Lstm {
        input: Array1::zeros(4 * n).mapv(&mut small),
        hidden: Array2::zeros((4 * n, n)).mapv(&mut small),
        bias: Array1::zeros(4 * n),
        output: Array1::zeros(n).mapv(&mut small),
        output_bias: 0.0,
    };
    let mut adam = Adam::new(0.01);
    let steps = run.steps(1200);
    let mut last = f64::INFINITY;
    let progress = run.progress(steps);
    for step in 0..steps {
        let (value, gradient) = loss_value_and_grad(&model, &x);
        adam.step(&mut model, &gradient);
        if step % 300 == 0 {
            progress.say(&format!("step {step:4}: loss {value:.5}"));
        }
        last = value;
        progress.step();
    }
    drop(progress);
    println!("   the deviation of a prediction is {:.3}", last.sqrt());
    assert!(last.sqrt() < if run.is_short { 0.3 } else { 0.05 });

    // Behind the data, the network reads what it predicts.
    let (mut h, mut c) = (Array1::zeros(n), Array1::zeros(n));
    let mut predicted = vec![];
    for t in 0..shown {
        let input = if t < seen { x[t] } else { predicted[t - 1] };
        (h, c) = advanced(&model, input, &h, &c);
        predicted.push(h.dot(&model.output) + model.output_bias);
    }

    let path = run.picture("lstm.svg");
    let picture = canvas(&path, (760, 360))?;
    let caption = "An LSTM continues a wave";
    let mut chart = chart(
        &picture,
        caption,
        (0.0..shown as f64, "time"),
        (-1.2..1.5, "value"),
    )?;
    let times = |steps: std::ops::Range<usize>| steps.map(|t| t as f64);
    let truth = times(0..shown).zip((0..shown).map(wave));
    let data = times(0..seen).zip(x);
    let continued = times(seen..shown).zip(predicted[seen - 1..].iter().copied());
    curve(&mut chart, "truth", GREY, truth)?;
    curve(&mut chart, "data", BLUE, data)?;
    curve(&mut chart, "continued", ORANGE, continued)?;
    legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    finish(&picture, &path)
}
