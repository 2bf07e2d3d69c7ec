//! The sensitivities of a European call: a gradient and a Hessian of the Black–Scholes formula.

use crate::common::{BLUE, GREEN, ORANGE, Outcome, Run, canvas, chart, curve, finish, legend};
use cotangent::prelude::*;
use plotters::prelude::*;

/// The price for a market of spot, volatility, rate and time to maturity in years.
#[differentiable(grad, hessian, wrt(market))]
fn call(market: &[f64; 4], strike: f64) -> f64 {
    let [spot, volatility, rate, time] = *market;
    let deviation = volatility * time.sqrt();
    let up = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * time) / deviation;
    let below = |x: f64| 0.5 * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2));
    spot * below(up) - strike * (-rate * time).exp() * below(up - deviation)
}

struct Greeks {
    delta: f64,
    vega: f64,
    theta: f64,
    gamma: f64,
}

fn greeks(market: &[f64; 4], strike: f64) -> Greeks {
    let [delta, vega, _, by_time] = call_grad(market, strike);
    let hessian = call_hessian(market, strike);
    Greeks {
        delta,
        vega,
        theta: -by_time,
        gamma: hessian[0][0],
    }
}

pub fn run(run: &Run) -> Outcome {
    let (strike, volatility, rate) = (100.0, 0.25, 0.03);
    // The equation of Black and Scholes holds between the derivatives.
    for spot in [60.0, 95.0, 140.0] {
        let market = [spot, volatility, rate, 0.5];
        let g = greeks(&market, strike);
        let diffusion = 0.5 * (volatility * spot).powi(2) * g.gamma;
        let rest = g.theta + diffusion + rate * (spot * g.delta - call(&market, strike));
        println!(
            "   spot {spot:5.1}: delta {:.4}, gamma {:.4}, vega {:.3}, theta {:.3}",
            g.delta, g.gamma, g.vega, g.theta
        );
        assert!(rest.abs() < 1e-10, "the equation is off by {rest}");
    }

    let path = run.picture("black_scholes.svg");
    let picture = canvas(&path, (820, 620))?;
    let panels = picture.split_evenly((2, 2));
    type Greek = fn(&Greeks) -> f64;
    let shown: [(&str, std::ops::Range<f64>, Greek); 4] = [
        ("Delta", 0.0..1.05, |g| g.delta),
        ("Gamma", 0.0..0.06, |g| g.gamma),
        ("Vega", 0.0..42.0, |g| g.vega),
        ("Theta, per year", -20.0..1.0, |g| g.theta),
    ];
    for (panel, (name, range, greek)) in panels.iter().zip(shown) {
        let mut chart = chart(panel, name, (50.0..160.0, "spot price"), (range, ""))?;
        let times = [
            ("0.1 years", 0.1, BLUE),
            ("0.5 years", 0.5, ORANGE),
            ("1 year", 1.0, GREEN),
        ];
        for (label, time, colour) in times {
            let at = |spot: f64| greek(&greeks(&[spot, volatility, rate, time], strike));
            let line = (50..=160)
                .step_by(2)
                .map(|spot| (f64::from(spot), at(f64::from(spot))));
            curve(&mut chart, label, colour, line)?;
        }
        if name == "Delta" {
            legend(&mut chart, SeriesLabelPosition::LowerRight)?;
        }
    }
    finish(&picture, &path)
}
