//! A neural network that tells two spirals apart.

use crate::common::{
    Adam, BLUE, ORANGE, Outcome, Random, Run, canvas, chart, dots, finish, stroke,
};
use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;
use plotters::prelude::*;

#[derive(Clone, Differentiable)]
struct Network {
    w1: Array2<f64>,
    b1: Array1<f64>,
    w2: Array2<f64>,
    b2: Array1<f64>,
    w3: Array1<f64>,
    b3: f64,
}

/// The log odds of the second spiral at each point.
#[differentiable]
fn log_odds(n: &Network, x: &Array2<f64>) -> Array1<f64> {
    let first = (x.dot(&n.w1) + &n.b1).mapv(f64::tanh);
    let second = (first.dot(&n.w2) + &n.b2).mapv(f64::tanh);
    second.dot(&n.w3) + n.b3
}

/// The cross entropy of labels 0 and 1.
#[differentiable(wrt(n))]
fn loss(n: &Network, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let z = log_odds(n, x);
    mean(z.len(), |i| softplus(z[i]) - y[i] * z[i])
}

const HIDDEN: usize = 24;

fn random_network(random: &mut Random) -> Network {
    let mut layer = |n: usize, m: usize| {
        Array2::from_shape_simple_fn((n, m), || random.normal() / (n as f64).sqrt())
    };
    Network {
        w1: layer(2, HIDDEN),
        b1: Array1::zeros(HIDDEN),
        w2: layer(HIDDEN, HIDDEN),
        b2: Array1::zeros(HIDDEN),
        w3: layer(HIDDEN, 1).column(0).to_owned(),
        b3: 0.0,
    }
}

fn spirals(count: usize, random: &mut Random) -> (Array2<f64>, Array1<f64>) {
    let mut points = Array2::zeros((2 * count, 2));
    for k in 0..2 * count {
        let along = (k / 2) as f64 / count as f64;
        let (radius, turn) = (0.4 + 3.6 * along, 9.0 * along);
        let angle = turn + (k % 2) as f64 * std::f64::consts::PI;
        points[[k, 0]] = radius * angle.cos() + 0.08 * random.normal();
        points[[k, 1]] = radius * angle.sin() + 0.08 * random.normal();
    }
    (points, Array1::from_shape_fn(2 * count, |k| (k % 2) as f64))
}

pub fn run(run: &Run) -> Outcome {
    let mut random = Random(3);
    let (x, y) = spirals(120, &mut random);
    let mut network = random_network(&mut random);
    let mut adam = Adam::new(0.02);
    let steps = run.steps(1500);
    let progress = run.progress(steps);
    for step in 0..steps {
        let (value, gradient) = loss_value_and_grad(&network, &x, &y);
        adam.step(&mut network, &gradient);
        if step % 300 == 0 {
            progress.say(&format!("step {step:4}: loss {value:.4}"));
        }
        progress.step();
    }
    drop(progress);
    let z = log_odds(&network, &x);
    let right = (0..y.len())
        .filter(|&i| (z[i] > 0.0) == (y[i] > 0.5))
        .count();
    let share = right as f64 / y.len() as f64;
    println!("   {:.1} % of the points are on their side", 100.0 * share);
    assert!(share > if run.is_short { 0.6 } else { 0.99 });

    let path = run.picture("spirals.svg");
    let picture = canvas(&path, (520, 500))?;
    let caption = "Two spirals and the boundary of a network";
    let mut chart = chart(&picture, caption, (-4.8..4.8, "x"), (-4.8..4.8, "y"))?;
    for (label, colour) in [(0.0, BLUE), (1.0, ORANGE)] {
        let own = (0..y.len()).filter(|&i| y[i] == label);
        let own = own.map(|i| (x[[i, 0]], x[[i, 1]]));
        dots(&mut chart, "", (colour, 3), own)?;
    }
    chart.draw_series(boundary(&network))?;
    finish(&picture, &path)
}

/// Where the log odds change sign on a grid, as short lines.
fn boundary(network: &Network) -> Vec<PathElement<(f64, f64)>> {
    const CELLS: usize = 60;
    let at = |k: usize| -4.8 + 9.6 * k as f64 / CELLS as f64;
    let value = |i: usize, j: usize| log_odds(network, &array![[at(i), at(j)]])[0];
    let grid = Array2::from_shape_fn((CELLS + 1, CELLS + 1), |(i, j)| value(i, j));
    let mut lines = vec![];
    for i in 0..CELLS {
        for j in 0..CELLS {
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let mut crossings = vec![];
            for k in 0..4 {
                let (a, b) = (corners[k], corners[(k + 1) % 4]);
                let (u, v) = (grid[[a.0, a.1]], grid[[b.0, b.1]]);
                if (u > 0.0) != (v > 0.0) {
                    let t = u / (u - v);
                    let x = at(a.0) + t * (at(b.0) - at(a.0));
                    let y = at(a.1) + t * (at(b.1) - at(a.1));
                    crossings.push((x, y));
                }
            }
            let pairs = crossings.chunks_exact(2);
            lines.extend(pairs.map(|pair| PathElement::new(pair.to_vec(), stroke(BLACK, 1))));
        }
    }
    lines
}
